//! Reads nets.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use model::{Over, Patience};

use super::lexer::{Ahead, Lexer, Token};
use crate::reading::{Read, Reading, Stop, refusal, settled};
use crate::{Fair, Net, NetBuilder, PlaceId};

/// The words that are no names of places and transitions.
pub(super) const KEYWORDS: [&str; 9] =
    ["PLACE", "MARKING", "TRANSITION", "CONSUME", "PRODUCE", "SAFE", "WEAK", "STRONG", "FAIR"];

/// The words that only nets with data have.
const DATA_KEYWORDS: [&str; 8] = ["SORT", "FUNCTION", "VAR", "GUARD", "RECORD", "ARRAY", "BEGIN", "CONSTANT"];

/// Reads a low-level net. It has no name.
///
/// ```
/// let text = "PLACE p; SAFE 3: q;  MARKING p: 2;  TRANSITION t WEAK FAIR CONSUME p; PRODUCE q: 3;";
/// let net = petri::lola::read_net(text, &model::Patience::default()).unwrap()?;
/// assert_eq!(net.initial(), [2, 0]);
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read_net(text: &str, patience: &Patience) -> Result<Read<Net>, Over> {
    patience.check()?;
    settled(net(text, patience))
}

fn net(text: &str, patience: &Patience) -> Reading<Net> {
    let mut lexer = Lexer::new(text, patience);
    let token = lexer.next()?;
    let mut reader = Reader {
        lexer,
        token,
        net: NetBuilder::default(),
        places: HashMap::new(),
        transitions: HashSet::new(),
    };
    reader.places()?;
    reader.marking()?;
    while !reader.token.is_end() {
        reader.transition()?;
    }
    Ok(reader.net.finish_within(patience)?)
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    /// The one that comes next.
    token: Token<'a>,
    net: NetBuilder,
    places: HashMap<Cow<'a, str>, PlaceId>,
    transitions: HashSet<Cow<'a, str>>,
}

impl<'a> Ahead<'a> for Reader<'a> {
    fn token(&self) -> &Token<'a> {
        &self.token
    }

    fn next(&mut self) -> Reading<Token<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn expected(&self, what: &str) -> Stop {
        if !self.token.quoted && DATA_KEYWORDS.contains(&&*self.token.text) {
            return self.has_data();
        }
        self.error(&self.token, "E0350", format!("expected {what}, found {}", self.token))
    }
}

impl<'a> Reader<'a> {
    fn places(&mut self) -> Reading<()> {
        self.expect("PLACE")?;
        while !self.token.is("MARKING") {
            let mut bound = None;
            if self.accept("SAFE")? {
                bound = Some(if self.token.is(":") { 1 } else { self.number()? });
                self.expect(":")?;
            }
            while !self.token.is(";") {
                let name = self.name("a place")?;
                let place = self.net.place(&*name.text, 0);
                self.net.place_mut(place).bound = bound;
                if self.places.insert(name.text.clone(), place).is_some() {
                    return Err(self.error(&name, "E0354", format!("place {name} is there already")));
                }
                if self.token.is(":") {
                    return Err(self.has_data());
                }
                self.end_of_item()?;
            }
            self.expect(";")?;
        }
        Ok(())
    }

    fn marking(&mut self) -> Reading<()> {
        self.expect("MARKING")?;
        for (name, place, tokens) in self.list()? {
            let place = self.net.place_mut(place);
            place.initial += tokens;
            if let Some(bound) = place.bound.filter(|&bound| place.initial > bound) {
                let message = format!("{} tokens on {name}, which is SAFE {bound}", place.initial);
                return Err(self.error(&name, "E0356", message));
            }
        }
        Ok(())
    }

    fn transition(&mut self) -> Reading<()> {
        self.expect("TRANSITION")?;
        let name = self.name("a transition")?;
        if !self.transitions.insert(name.text.clone()) {
            return Err(self.error(&name, "E0354", format!("transition {name} is there already")));
        }
        let transition = self.net.transition(&*name.text);
        self.net.transition_mut(transition).fair = self.fair()?;
        self.expect("CONSUME")?;
        for (_, place, weight) in self.list()? {
            self.net.input(place, transition, weight);
        }
        self.expect("PRODUCE")?;
        for (_, place, weight) in self.list()? {
            self.net.output(transition, place, weight);
        }
        Ok(())
    }

    fn fair(&mut self) -> Reading<Fair> {
        let fair = if self.accept("WEAK")? {
            Fair::Weak
        } else if self.accept("STRONG")? {
            Fair::Strong
        } else {
            return Ok(Fair::No);
        };
        self.expect("FAIR")?;
        Ok(fair)
    }

    /// Reads places with numbers, up to a semicolon. All numbers together stay below 2^63, so that no sum
    /// of some of them overflows.
    fn list(&mut self) -> Reading<Vec<(Token<'a>, PlaceId, u64)>> {
        let mut list = Vec::new();
        let mut total = 0_i64;
        while !self.token.is(";") {
            let name = self.name("a place")?;
            let Some(&place) = self.places.get(&name.text) else {
                return Err(self.error(&name, "E0355", format!("there is no place {name}")));
            };
            let number = if self.accept(":")? { self.number()? } else { 1 };
            total = total.checked_add_unsigned(number).ok_or_else(|| {
                self.error(&name, "E0353", "the numbers of this list add up to more than 2^63 - 1")
            })?;
            list.push((name, place, number));
            self.end_of_item()?;
        }
        self.expect(";")?;
        Ok(list)
    }

    /// Goes behind a comma, or up to a semicolon.
    fn end_of_item(&mut self) -> Reading<()> {
        if self.token.is(";") {
            return Ok(());
        }
        if !self.token.is(",") {
            return Err(self.expected("`,` or `;`"));
        }
        self.next()?;
        match self.token.is(";") {
            true => Err(self.expected("a name")),
            false => Ok(()),
        }
    }

    fn name(&mut self, what: &str) -> Reading<Token<'a>> {
        if is_keyword(&self.token) {
            let message = format!("{} is a keyword; as the name of {what} it needs quotes", self.token);
            return Err(self.error(&self.token, "E0350", message));
        }
        if self.token.is_end() || self.token.is_separator() {
            return Err(self.expected(&format!("the name of {what}")));
        }
        self.next()
    }

    fn number(&mut self) -> Reading<u64> {
        if self.token.is_number() {
            let number = self.next()?;
            let value = number.text.parse::<i64>().map(i64::cast_unsigned);
            return value
                .map_err(|_| self.error(&number, "E0353", format!("{number} is more than 2^63 - 1")));
        }
        if !self.token.quoted && self.token.text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            let message = format!("{} is not a number from 0 on", self.token);
            return Err(self.error(&self.token, "E0353", message));
        }
        Err(self.expected("a number"))
    }

    fn has_data(&self) -> Stop {
        let message = "this is a high-level net: only nets whose tokens have no values can be read";
        self.error(&self.token, "E0351", message)
    }

    fn error(&self, token: &Token<'_>, code: &'static str, message: impl Into<String>) -> Stop {
        refusal(token.at, code, message)
    }
}

fn is_keyword(token: &Token<'_>) -> bool {
    !token.quoted && KEYWORDS.contains(&&*token.text)
}

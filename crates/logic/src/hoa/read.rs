use model::{Over, Patience};

use super::label::{self, Aliases};
use super::lex::{Kind, Token, Tokens};
use super::{HoaError, MAX_STATES};
use crate::automaton::{Automaton, Cube, Edge, Guard, MAX_ATOMS, State};

type Read<T> = Result<T, HoaError>;

/// How many acceptance sets an automaton may declare; our marks are bits of a word.
const MAX_SETS: u32 = 64;

/// Reads an automaton, and the texts of its atoms.
///
/// # Errors
/// If it takes longer than there is patience; inside that, the first place that breaks the rules of the format, or that
/// asks for something that a generalised Büchi automaton cannot do.
pub fn read(text: &str, patience: &Patience) -> Result<Result<(Automaton, Vec<String>), HoaError>, Over> {
    patience.check()?;
    let mut tokens = Tokens::new(text, patience);
    let read = read_tokens(&mut tokens);
    tokens.over().map_or(Ok(read), Err)
}

fn read_tokens(tokens: &mut Tokens<'_>) -> Read<(Automaton, Vec<String>)> {
    tokens.bump()?;
    let header = Header::read(tokens)?;
    let states = Body { header: &header, tokens }.states()?;
    Ok((automaton(&header, states), header.atoms))
}

/// What stands before the states.
#[derive(Default)]
struct Header {
    /// The headers that may occur only once and did.
    seen: Vec<String>,
    n_states: Option<u32>,
    initial: Vec<u32>,
    atoms: Vec<String>,
    aliases: Aliases,
    n_sets: u32,
    /// The sets of which the acceptance condition speaks: each must be visited infinitely often.
    /// Their places here are our numbers for them.
    used_sets: Vec<u32>,
}

impl Header {
    fn read(tokens: &mut Tokens) -> Read<Header> {
        let mut header = Header::default();
        read_version(tokens)?;
        loop {
            let token = tokens.peek();
            if tokens.take("--BODY--")? {
                break;
            }
            tokens.expect_kind(Kind::Header, "a header or `--BODY--`")?;
            header.item(tokens, token)?;
        }
        if !header.seen.iter().any(|name| name == "Acceptance:") {
            return Err(tokens.error_at(tokens.peek(), "`Acceptance:` is missing in the header"));
        }
        if let Some(missing) = header.initial.iter().find(|state| **state >= header.state_bound()) {
            return Err(tokens.error_at(tokens.peek(), format!("the initial state {missing} does not exist")));
        }
        Ok(header)
    }

    /// Reads what stands behind the name of a header.
    fn item(&mut self, tokens: &mut Tokens, name: Token) -> Read<()> {
        if matches!(name.text, "States:" | "AP:" | "Acceptance:") {
            if self.seen.iter().any(|seen| seen == name.text) {
                return Err(tokens.error_at(name, format!("`{}` occurs twice", name.text)));
            }
            self.seen.push(name.text.to_owned());
        }
        match name.text {
            "States:" => self.n_states = Some(tokens.number("the number of states", MAX_STATES + 1)?),
            "Start:" => self.initial.push(read_target(tokens, MAX_STATES)?),
            "AP:" => self.atoms = read_atoms(tokens)?,
            "Alias:" => {
                let name = tokens.expect_kind(Kind::Alias, "a name with `@`")?;
                let label = label::read(tokens, &self.aliases)?;
                self.aliases.insert(name.text.to_owned(), label);
            }
            "Acceptance:" => {
                self.n_sets = tokens.number("the number of acceptance sets", MAX_SETS + 1)?;
                self.used_sets = read_condition(tokens, self.n_sets)?;
            }
            // By the rules of the format, only headers in lower case can be ignored.
            text if text.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return Err(tokens.error_at(name, format!("the header `{text}` is not supported")));
            }
            _ => skip_item(tokens)?,
        }
        Ok(())
    }

    /// The number of states, or how many there can be.
    fn state_bound(&self) -> u32 {
        self.n_states.unwrap_or(MAX_STATES)
    }
}

fn read_version(tokens: &mut Tokens) -> Read<()> {
    let first = tokens.bump()?;
    let version = tokens.bump()?;
    if first.text != "HOA:" || version.text != "v1" {
        return Err(tokens.error_at(first, "this is not version 1 of HOA"));
    }
    // Version 1.1 only adds headers.
    if tokens.take(".")? {
        tokens.number("the version", 2)?;
    }
    Ok(())
}

fn skip_item(tokens: &mut Tokens) -> Read<()> {
    while !matches!(tokens.peek().kind, Kind::Header | Kind::End) && tokens.peek().text != "--BODY--" {
        tokens.bump()?;
    }
    Ok(())
}

fn read_atoms(tokens: &mut Tokens) -> Read<Vec<String>> {
    let n_atoms = tokens.number("the number of atoms", MAX_ATOMS as u32 + 1)?;
    (0..n_atoms).map(|_| tokens.text("the name of an atom")).collect()
}

/// Reads a conjunction of `Inf(…)` and gives the numbers of the sets. Brackets around parts of it
/// change nothing.
fn read_condition(tokens: &mut Tokens, n_sets: u32) -> Read<Vec<u32>> {
    let mut sets = Vec::new();
    let mut n_open = 0;
    loop {
        while tokens.take("(")? {
            n_open += 1;
        }
        read_condition_part(tokens, n_sets, &mut sets)?;
        while n_open > 0 && tokens.take(")")? {
            n_open -= 1;
        }
        if tokens.take("&")? {
            continue;
        }
        if tokens.peek().text == "|" {
            return Err(unsupported(tokens));
        }
        if n_open > 0 {
            return Err(tokens.unexpected("`)`"));
        }
        sets.sort_unstable();
        sets.dedup();
        return Ok(sets);
    }
}

fn read_condition_part(tokens: &mut Tokens, n_sets: u32, sets: &mut Vec<u32>) -> Read<()> {
    match tokens.peek().text {
        "t" => {
            tokens.bump()?;
        }
        "Inf" => {
            tokens.bump()?;
            tokens.expect("(")?;
            if tokens.peek().text == "!" {
                return Err(unsupported(tokens));
            }
            sets.push(tokens.number("the number of an acceptance set", n_sets)?);
            tokens.expect(")")?;
        }
        "Fin" | "f" => return Err(unsupported(tokens)),
        _ => return Err(tokens.unexpected("an acceptance condition")),
    }
    Ok(())
}

fn unsupported(tokens: &Tokens) -> HoaError {
    let found = tokens.peek();
    let message = format!(
        "`{}` in the acceptance condition: only Büchi and generalised Büchi automata, `Inf(0)&Inf(1)…`, \
         are supported",
        found.text
    );
    tokens.error_at(found, message)
}

/// Reads the number of a state to which something leads.
fn read_target(tokens: &mut Tokens, bound: u32) -> Read<u32> {
    let state = tokens.number("the number of a state", bound)?;
    if tokens.peek().text == "&" {
        return Err(tokens.error_at(tokens.peek(), "alternating automata are not supported"));
    }
    Ok(state)
}

struct Body<'a, 'b> {
    header: &'a Header,
    tokens: &'a mut Tokens<'b>,
}

impl Body<'_, '_> {
    /// The states, as far as the text speaks of them.
    fn states(mut self) -> Read<Vec<State>> {
        let mut states: Vec<Option<State>> = Vec::new();
        loop {
            let token = self.tokens.bump()?;
            match (token.kind, token.text) {
                (Kind::Symbol, "--END--") => break,
                (Kind::Header, "State:") => self.state(token, &mut states)?,
                (Kind::Symbol, "--ABORT--") => {
                    return Err(self.tokens.error_at(token, "the tool that wrote this gave up"));
                }
                _ => return Err(self.tokens.error_at(token, "expected `State:`, an edge or `--END--`")),
            }
        }
        if self.tokens.peek().kind != Kind::End {
            return Err(self.tokens.unexpected("the end of the text behind the first automaton"));
        }
        Ok(states.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Reads a state and its edges.
    fn state(&mut self, start: Token, states: &mut Vec<Option<State>>) -> Read<()> {
        let label = self.label()?;
        let bound = self.header.state_bound();
        let number = self.tokens.number("the number of a state", bound)? as usize;
        if states.len() <= number {
            states.resize(number + 1, None);
        }
        if states[number].is_some() {
            return Err(self.tokens.error_at(start, format!("state {number} is defined twice")));
        }
        if self.tokens.peek().kind == Kind::Text {
            self.tokens.bump()?;
        }
        let marks = self.marks()?;
        states[number] = Some(State { edges: self.edges(label, marks)? });
        Ok(())
    }

    /// Reads the edges of a state that has a label and marks itself.
    fn edges(&mut self, state_label: Option<Guard>, state_marks: u64) -> Read<Vec<Edge>> {
        let mut edges = Vec::new();
        let mut n_unlabelled = 0;
        while matches!(self.tokens.peek().kind, Kind::Number) || self.tokens.peek().text == "[" {
            let start = self.tokens.peek();
            let guard = match (self.label()?, &state_label) {
                (Some(_), Some(_)) => {
                    return Err(self.tokens.error_at(start, "the state has a label already"));
                }
                (Some(label), None) => label,
                (None, Some(label)) => label.clone(),
                (None, None) => {
                    n_unlabelled += 1;
                    self.implicit_label(start, n_unlabelled - 1)?
                }
            };
            let target = read_target(self.tokens, self.header.state_bound())?;
            let accepts = state_marks | self.marks()?;
            edges.push(Edge { guard, accepts, target });
        }
        if n_unlabelled > 0
            && (n_unlabelled != edges.len() || n_unlabelled.ilog2() as usize != self.n_atoms())
        {
            let message = "a state must have labels, or an edge for each valuation of the atoms";
            return Err(self.tokens.error_at(self.tokens.peek(), message));
        }
        Ok(edges)
    }

    /// The label of the edge at a place among those without: they stand in the order of the
    /// valuations.
    fn implicit_label(&self, edge: Token, place: usize) -> Read<Guard> {
        let all_atoms = u64::MAX.checked_shr(64 - self.n_atoms() as u32).unwrap_or(0);
        let positive = place as u64;
        if positive > all_atoms {
            return Err(self.tokens.error_at(edge, "there are more edges than valuations of the atoms"));
        }
        Ok(Guard { cubes: vec![Cube { positive, negative: all_atoms & !positive }] })
    }

    fn n_atoms(&self) -> usize {
        self.header.atoms.len()
    }

    /// Reads a label in square brackets, if there is one.
    fn label(&mut self) -> Read<Option<Guard>> {
        let start = self.tokens.peek();
        if !self.tokens.take("[")? {
            return Ok(None);
        }
        let label = label::read(self.tokens, &self.header.aliases)?;
        self.tokens.expect("]")?;
        let (guard, n_steps) = label::guard(&label);
        self.tokens.steps(n_steps)?;
        let guard = guard.ok_or_else(|| self.tokens.error_at(start, "this label is too complicated"))?;
        if guard.atoms().checked_shr(self.n_atoms() as u32).unwrap_or(0) != 0 {
            return Err(self.tokens.error_at(start, "this label uses an atom that is not declared"));
        }
        Ok(Some(guard))
    }

    /// Reads acceptance sets in braces, if there are any, as bits with our numbers.
    fn marks(&mut self) -> Read<u64> {
        let mut marks = 0;
        if self.tokens.take("{")? {
            while !self.tokens.take("}")? {
                let set = self.tokens.number("the number of an acceptance set", self.header.n_sets)?;
                // A set of which the condition does not speak has no place.
                let place = self.header.used_sets.iter().position(|used| *used == set);
                marks |= place.map_or(0, |place| 1 << place);
            }
        }
        Ok(marks)
    }
}

/// Puts the parts together. Several initial states become one with the edges of all.
fn automaton(header: &Header, mut states: Vec<State>) -> Automaton {
    let targets = states.iter().flat_map(|state| state.edges.iter().map(|edge| edge.target));
    let highest = targets.chain(header.initial.iter().copied()).max();
    let n_states = header.n_states.max(highest.map(|state| state + 1)).unwrap_or(0) as usize;
    states.resize(n_states.max(states.len()), State::default());
    let initial = match header.initial[..] {
        [initial] => initial,
        _ => {
            let starts = header.initial.iter().flat_map(|state| states[*state as usize].edges.clone());
            let start = State { edges: starts.collect() };
            states.push(start);
            states.len() as u32 - 1
        }
    };
    Automaton { n_sets: header.used_sets.len() as u32, initial, states }
}

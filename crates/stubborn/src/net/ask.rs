//! Which questions are asked about a net, in terms of its predicates.

use std::path::Path;

use check::question::{Kind, Property, Question, Recurrence, Share, Time};
use model::{Patience, PredicateId};
use petri::{
    Atom, Comparison, Formula, Net, PlaceId, Predicate, Predicates, Sum, TransitionId, contest, lola, xml,
};
use source::{Diagnostic, Span};

use crate::error::Error;
use crate::what::What;

/// What is asked; deadlocks, if that is nothing.
pub fn asked(
    what: &What,
    net: &Net,
    predicates: &mut Predicates,
    patience: &Patience,
) -> Result<Vec<Property>, Error> {
    Asker { net, predicates, patience, list: Vec::new() }.all(what)
}

/// The questions of a file of the contest.
pub fn of_contest(
    path: &str,
    bytes: &[u8],
    time: Time,
    net: &Net,
    predicates: &mut Predicates,
    patience: &Patience,
) -> Result<Vec<Property>, Error> {
    let properties = read_contest(path, bytes, net, patience)?;
    let mut asker = Asker { net, predicates, patience, list: Vec::new() };
    properties.into_iter().for_each(|property| asker.of_file(property, time));
    Ok(asker.list)
}

/// A question of the contest that needs no file.
pub fn of_examination(property: petri::Property, net: &Net, predicates: &mut Predicates) -> Vec<Property> {
    let mut asker = Asker { net, predicates, patience: &Patience::default(), list: Vec::new() };
    asker.of_file(property, Time::Any);
    asker.list
}

struct Asker<'a> {
    net: &'a Net,
    predicates: &'a mut Predicates,
    patience: &'a Patience,
    list: Vec<Property>,
}

impl Asker<'_> {
    fn all(mut self, what: &What) -> Result<Vec<Property>, Error> {
        if what.deadlock || what.property.iter().any(|name| name == "deadlock") {
            self.list.push(deadlock());
        }
        if what.explore || what.property.iter().any(|name| name == "state-space") {
            let question = self.state_space();
            self.list.push(Property::of_kind(Kind::StateSpace, question));
        }
        for (k, text) in what.reach.iter().enumerate() {
            let reachable = exists_finally(self.predicate(text, "--reach")?);
            self.formula(k, Kind::Reach, reachable, Time::Any);
        }
        for (k, text) in what.invariant.iter().enumerate() {
            let always = for_all_always(self.predicate(text, "--invariant")?);
            self.formula(k, Kind::Invariant, always, Time::Any);
        }
        for (k, text) in what.ctl.iter().enumerate() {
            let found = self.temporal(text, "--ctl")?;
            if found.branching().is_none() {
                let message =
                    format!("`--ctl {text}`: each temporal operator needs a path quantifier (A, E)");
                return Err(Error::new("E0011", message));
            }
            self.formula(k, Kind::Ctl, found, Time::Branching);
        }
        for (k, text) in what.ltl.iter().enumerate() {
            let found = self.temporal(text, "--ltl")?;
            if found.linear_class().is_none() {
                let message =
                    format!("`--ltl {text}`: a path quantifier (A, E) inside the formula; use --ctl");
                return Err(Error::new("E0011", message));
            }
            self.formula(k, Kind::Ltl, found, Time::Linear);
        }
        for (k, text) in what.home.iter().enumerate() {
            let home = for_all_always(exists_finally(self.predicate(text, "--home")?));
            self.formula(k, Kind::Home, home, Time::Any);
        }
        for (k, name) in what.live.iter().enumerate() {
            self.live(k, name)?;
        }
        for (k, text) in what.bounded.iter().enumerate() {
            self.bound(k, text)?;
        }
        for path in &what.formula {
            self.file(path)?;
        }
        select(what, self.list)
    }

    fn formula(&mut self, k: usize, kind: Kind, formula: Formula, time: Time) {
        self.add(format!("{}_{k}", kind.name()), kind, formula, time);
    }

    fn add(&mut self, name: String, kind: Kind, formula: Formula, time: Time) {
        let text = Some(lola::write_formula(&formula, self.net).to_string());
        let question = Question::Formula(self.predicates.formula(&formula), time);
        self.list.push(Property { name, kind, text, question });
    }

    fn number(&mut self, formula: Formula) -> PredicateId {
        self.predicates.number(Predicate::Formula(formula))
    }

    fn predicate(&self, text: &str, option: &str) -> Result<Formula, Error> {
        lola::read_predicate(text, self.net, self.patience)?
            .map_err(|error| Error::in_text(option, text, *error))
    }

    fn temporal(&self, text: &str, option: &str) -> Result<Formula, Error> {
        let question = lola::read_formula(text, self.net, self.patience)?;
        match question.map_err(|error| Error::in_text(option, text, *error))? {
            petri::Question::Formula(formula) => Ok(formula),
            _ => Err(Error::new("E0011", format!("`{option} {text}`: not a formula"))),
        }
    }

    /// Whether one transition, or each, can always fire again, later.
    fn live(&mut self, k: usize, name: &str) -> Result<(), Error> {
        if name == "all" {
            let question = Question::Live(Recurrence::Again(None));
            self.list.push(Property { name: format!("live_{k}"), ..Property::of_kind(Kind::Live, question) });
            return Ok(());
        }
        let known = self.net.transition_ids().find(|id| self.net.transition(*id).name == name);
        let Some(transition) = known else {
            let message = format!("`--live {name}`: there is no such transition; write `all` for every one");
            return Err(Error::new("E0355", message));
        };
        let again = for_all_always(exists_finally(fireable(transition)));
        self.formula(k, Kind::Live, again, Time::Any);
        Ok(())
    }

    /// The greatest value of a sum of tokens.
    fn bound(&mut self, k: usize, text: &str) -> Result<(), Error> {
        const BEFORE: &str = "MAX(";
        let refuse = |error: Box<Diagnostic>| {
            let start = error.span.map_or(0, |span| (span.start as usize).saturating_sub(BEFORE.len()));
            Error::in_text("--bounded", text, error.at(Span::at(start)))
        };
        let read = lola::read_formula(&format!("{BEFORE}{text})"), self.net, self.patience)?;
        match read.map_err(refuse)? {
            petri::Question::Bound(sum) => {
                self.greatest(format!("bounded_{k}"), sum);
                Ok(())
            }
            _ => Err(Error::new("E0011", format!("`--bounded {text}`: not a sum of places"))),
        }
    }

    fn greatest(&mut self, name: String, sum: Sum) {
        let text = Some(format!("MAX({})", lola::write_sum(&sum, self.net)));
        let question = Question::Greatest(self.predicates.number(Predicate::Value(sum)));
        self.list.push(Property { name, kind: Kind::Bound, text, question });
    }

    /// The questions of a file: of the contest if it is XML, otherwise of LoLA.
    fn file(&mut self, path: &Path) -> Result<(), Error> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Error::unreadable(&name, &error))?;
        let is_xml = bytes.trim_ascii_start().starts_with(b"<") || bytes.starts_with(b"\xef\xbb\xbf<");
        let properties = if is_xml {
            read_contest(&name, &bytes, self.net, self.patience)?
        } else {
            let text = source::decode(&name, bytes)?;
            lola::read_formulas(&text, self.net, self.patience)?
                .map_err(|error| Error::in_text(&name, &text, *error))?
        };
        if properties.is_empty() {
            return Err(Error::about(&name, "E0011", "there is no formula in this file"));
        }
        properties.into_iter().for_each(|property| self.of_file(property, Time::Any));
        Ok(())
    }

    fn of_file(&mut self, property: petri::Property, time: Time) {
        let petri::Property { name, question } = property;
        let (kind, question) = match question {
            petri::Question::Formula(formula) => return self.add(name, Kind::Formula, formula, time),
            petri::Question::Bound(sum) => return self.greatest(name, sum),
            // It is asked whether there is one.
            petri::Question::Deadlock => {
                let reachable = exists_finally(Formula::Atom(Atom::Deadlock));
                (Kind::Deadlock, Question::Formula(self.predicates.formula(&reachable), Time::Any))
            }
            petri::Question::StateSpace => (Kind::StateSpace, self.state_space()),
            petri::Question::Liveness => (Kind::Live, Question::Live(Recurrence::Again(None))),
            petri::Question::OneSafe => {
                let two = Formula::Or(self.net.place_ids().map(two_tokens).collect());
                (Kind::Global, Question::Each(vec![self.number(two)], Share::None))
            }
            petri::Question::StableMarking => {
                let changed = self.net.place_ids().map(|place| self.number(changed(self.net, place)));
                (Kind::Global, Question::Each(changed.collect(), Share::NotAll))
            }
            petri::Question::QuasiLiveness => {
                let enabled = self.net.transition_ids().map(|id| self.number(fireable(id)));
                (Kind::Global, Question::Live(Recurrence::Once(enabled.collect())))
            }
        };
        self.list.push(Property { name, ..Property::of_kind(kind, question) });
    }

    fn state_space(&mut self) -> Question {
        let all = Predicate::Value(Sum::of_all(self.net));
        Question::StateSpace(vec![self.predicates.number(Predicate::Most), self.predicates.number(all)])
    }
}

/// Those that are named, of a list that may hold more.
fn select(what: &What, list: Vec<Property>) -> Result<Vec<Property>, Error> {
    let is_known = |name: &&String| list.iter().any(|asked| asked.name == **name);
    if let Some(name) = what.property.iter().find(|name| !is_known(name)) {
        let mut names: Vec<&str> = list.iter().map(|asked| asked.name.as_str()).collect();
        names.extend(["deadlock", "state-space"]);
        let message = format!("there is no property `{name}`; there are {}", names.join(", "));
        return Err(Error::new("E0007", message));
    }
    if list.is_empty() {
        return Ok(vec![deadlock()]);
    }
    if what.property.is_empty() {
        return Ok(list);
    }
    Ok(list.into_iter().filter(|asked| what.property.contains(&asked.name)).collect())
}

/// No marking can be reached in which nothing is enabled.
fn deadlock() -> Property {
    Property::of_kind(Kind::Deadlock, Question::Deadlock)
}

fn exists_finally(goal: Formula) -> Formula {
    Formula::Exists(Box::new(Formula::Eventually(Box::new(goal))))
}

fn for_all_always(predicate: Formula) -> Formula {
    Formula::All(Box::new(Formula::Always(Box::new(predicate))))
}

fn fireable(transition: TransitionId) -> Formula {
    Formula::Atom(Atom::Fireable(vec![transition]))
}

/// A place has two tokens or more.
fn two_tokens(place: PlaceId) -> Formula {
    let sum = Sum { terms: vec![(place, -1)], constant: 2 };
    Formula::Atom(Atom::Compare(sum, Comparison::AtMost))
}

/// A place has another number of tokens than at first.
fn changed(net: &Net, place: PlaceId) -> Formula {
    // With more tokens than that there is no search.
    let initial = i64::try_from(net.place(place).initial).unwrap_or(i64::MAX);
    let sum = Sum { terms: vec![(place, 1)], constant: -initial };
    Formula::Atom(Atom::Compare(sum, Comparison::Different))
}

fn read_contest(
    name: &str,
    bytes: &[u8],
    net: &Net,
    patience: &Patience,
) -> Result<Vec<petri::Property>, Error> {
    let text = xml::decode(name, bytes)?;
    contest::read_properties(&text, net, patience)?.map_err(|error| Error::in_text(name, &text, *error))
}

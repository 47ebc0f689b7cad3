//! What is asked of a model, as texts; what they mean depends on its language.

use std::path::PathBuf;

use check::Checks;
use check::question::{Kind, Property, Question};
use logic::Dialect;
use replay::json::TraceFile;

/// What is asked. Nothing means: what the model declares, or what is usual for its language.
#[derive(Clone, Debug, Default)]
pub struct What {
    /// Properties by their names.
    pub property: Vec<String>,
    /// Assertions and valid end states.
    pub safety: bool,
    /// Deadlocks alone.
    pub deadlock: bool,
    /// Processes that are stuck while others go on.
    pub local_deadlock: bool,
    /// The number of states.
    pub explore: bool,
    /// Accept labels.
    pub acceptance: bool,
    /// Progress labels.
    pub progress: bool,
    /// Formulas of linear time, or names of such.
    pub ltl: Vec<String>,
    /// How these are written.
    pub dialect: Dialect,
    /// Files of automata that accept what must not be.
    pub automaton: Vec<PathBuf>,
    /// Formulas of branching time.
    pub ctl: Vec<String>,
    /// Predicates that are to be reached.
    pub reach: Vec<String>,
    /// Predicates that always hold.
    pub invariant: Vec<String>,
    /// Files of formulas.
    pub formula: Vec<PathBuf>,
    /// Formulas as they stand in such files.
    pub given: Vec<String>,
    /// Predicates that can always be reached again.
    pub home: Vec<String>,
    /// Actions that can always occur again; `all` for every one.
    pub live: Vec<String>,
    /// What has an upper bound.
    pub bounded: Vec<String>,
    /// A failed assertion is none of safety's business.
    pub ignores_assertions: bool,
    /// An invalid end state is none of safety's business.
    pub ignores_end_states: bool,
}

impl What {
    /// What safety means.
    pub fn checks(&self) -> Checks {
        Checks {
            assertions: !self.ignores_assertions,
            stuck: if self.ignores_end_states { None } else { Checks::SAFETY.stuck },
        }
    }

    /// Adds what a trace of a program says to be about, unless the program declares it.
    pub fn add_trace(&mut self, file: &TraceFile) {
        let Some(formula) = &file.formula else { return };
        let kinds =
            [Kind::Reach, Kind::Invariant, Kind::Home, Kind::Bound, Kind::Ctl, Kind::Formula, Kind::Live];
        let kind = kinds.into_iter().find(|kind| file.kind.as_deref() == Some(kind.name()));
        let asked =
            |list: &mut Vec<String>, kind| list.extend(condition_of(kind, formula).map(str::to_string));
        match (kind, file.reason.as_deref()) {
            (Some(Kind::Reach), _) => asked(&mut self.reach, Kind::Reach),
            (Some(Kind::Invariant), _) => asked(&mut self.invariant, Kind::Invariant),
            (Some(Kind::Home), _) => asked(&mut self.home, Kind::Home),
            (Some(Kind::Bound), _) => asked(&mut self.bounded, Kind::Bound),
            (Some(Kind::Ctl), _) => self.ctl.push(formula.clone()),
            // The run shows no more than that it is possible.
            (Some(Kind::Live), _) => {}
            (Some(_), _) | (None, None | Some("formula" | "invariant")) => self.given.push(formula.clone()),
            (None, Some(_)) if self.ltl.is_empty() => {
                // In brackets it is never taken for a name.
                self.ltl.push(format!("({formula})"));
                self.dialect = Dialect::Inline;
            }
            (None, Some(_)) => {}
        }
    }

    /// The properties that are asked for, by their names: what can be told of a model that was not read. How many formulas
    /// a file has is not known.
    pub fn unread(&self, is_net: bool) -> Vec<Property> {
        let safety = Property::of_kind(Kind::Safety, Question::Safety(self.checks()));
        let deadlock = Property::of_kind(Kind::Deadlock, Question::Deadlock);
        let space = Property::of_kind(Kind::StateSpace, Question::StateSpace(Vec::new()));
        let is_named = |name: &str| self.property.iter().any(|property| property == name);
        let flags = [
            (self.safety || is_named("safety"), safety.clone()),
            (self.deadlock || is_named("deadlock"), deadlock.clone()),
            (self.explore || is_named("state-space"), space),
        ];
        let mut asked: Vec<Property> =
            flags.into_iter().filter(|(wanted, _)| *wanted).map(|(_, property)| property).collect();
        // What they ask does not matter any more, only what they are called.
        let named =
            |kind: Kind, name: String| Property { name, ..Property::of_kind(kind, Question::Deadlock) };
        let others = self.property.iter().filter(|name| asked.iter().all(|known| known.name != **name));
        let others: Vec<Property> = others.map(|name| named(Kind::Ltl, name.clone())).collect();
        asked.extend(others);
        let kinds = [
            (Kind::Ltl, self.ltl.len()),
            (Kind::Reach, self.reach.len()),
            (Kind::Invariant, self.invariant.len()),
            (Kind::Ctl, self.ctl.len()),
            (Kind::Home, self.home.len()),
            (Kind::Live, self.live.len()),
        ];
        for (kind, n) in kinds {
            asked.extend((0..n).map(|k| named(kind, format!("{}_{k}", kind.name()))));
        }
        asked.extend((0..self.bounded.len()).map(|k| named(Kind::Bound, format!("bounded_{k}"))));
        let single = [
            (Kind::LocalDeadlock, self.local_deadlock),
            (Kind::Acceptance, self.acceptance),
            (Kind::NonProgress, self.progress),
        ];
        let single = single.into_iter().filter(|(_, is_asked)| *is_asked);
        asked.extend(single.map(|(kind, _)| named(kind, kind.name().to_string())));
        match asked.is_empty() {
            true if is_net => vec![deadlock],
            true => vec![safety],
            false => asked,
        }
    }
}

/// The formula by which a question of a kind is told, over a condition or a number.
pub(crate) fn formula_of(kind: Kind, condition: &str) -> String {
    let (before, behind) = around(kind);
    format!("{before}{condition}{behind}")
}

/// The condition in such a formula.
fn condition_of(kind: Kind, formula: &str) -> Option<&str> {
    let (before, behind) = around(kind);
    formula.strip_prefix(before)?.strip_suffix(behind)
}

fn around(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Reach => ("EF (", ")"),
        Kind::Invariant => ("AG (", ")"),
        Kind::Home => ("AG EF (", ")"),
        Kind::Bound => ("MAX(", ")"),
        _ => unreachable!("questions of this kind are not told by a condition"),
    }
}

/// How programs are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Macros: names, with a value behind `=`.
    pub defines: Vec<String>,
    /// Macros that are not to be defined.
    pub undefines: Vec<String>,
    /// Where included files are searched, too.
    pub include_dirs: Vec<PathBuf>,
    /// Whether a send to a full channel loses the message.
    pub loses_messages: bool,
    /// Whether variables are reset where their values are not read any more.
    pub resets_dead: bool,
    /// Whether statements that concern nobody else are merged with the one before.
    pub merges: bool,
    /// How many processes there may be at a time.
    pub max_processes: u16,
    /// Whether a valid end state needs empty channels, too.
    pub is_strict_about_ends: bool,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading {
            defines: Vec::new(),
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            loses_messages: false,
            resets_dead: false,
            merges: false,
            max_processes: ir::MAX_PROCESSES,
            is_strict_about_ends: false,
        }
    }
}

/// Whether the argument of `--ltl` names an `ltl` block. A formula that is a single name needs brackets.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

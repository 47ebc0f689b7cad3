//! The differences from Spin that are explained.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::place;

/// `known-differences.tsv`: path, what (`states`, `transitions`, `verdict`, `refused`,
/// `automata`, or `claim` with the claim's name), reason.
pub struct Known {
    reasons: BTreeMap<(String, String), String>,
    used: RefCell<BTreeSet<(String, String)>>,
}

impl Known {
    /// Reads the list.
    pub fn load() -> Result<Known, String> {
        let path = place::workspace().join("xtask/known-differences.tsv");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = text.lines().skip(1).filter_map(|line| {
            let mut cells = line.splitn(3, '\t').map(String::from);
            Some(((cells.next()?, cells.next()?), cells.next()?))
        });
        Ok(Known { reasons: lines.collect(), used: Default::default() })
    }

    /// Why a model differs from Spin.
    pub fn reason(&self, path: &str, what: &str) -> Option<&str> {
        let key = (path.to_string(), what.to_string());
        let reason = self.reasons.get(&key)?;
        self.used.borrow_mut().insert(key);
        Some(reason)
    }

    /// The entries about these models, and about things that were asked for, that were not needed.
    pub fn unused<'a>(
        &self,
        models: impl Iterator<Item = &'a str>,
        asked: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let used = self.used.borrow();
        let seen: BTreeSet<&str> = models.collect();
        let entries = self
            .reasons
            .keys()
            .filter(|key| !used.contains(*key) && seen.contains(key.0.as_str()) && asked(&key.1));
        entries.map(|(path, what)| format!("{path}: {what}")).collect()
    }
}

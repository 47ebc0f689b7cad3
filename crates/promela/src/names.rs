//! Interned spellings.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::lex::Keyword;

/// The number of a spelling. Keywords come first, so that a name's number tells whether it is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameId(u32);

/// All spellings seen so far.
pub(crate) struct Names {
    ids: FxHashMap<Rc<str>, NameId>,
    spellings: Vec<Rc<str>>,
}

impl Names {
    pub(crate) fn new() -> Names {
        let mut names = Names { ids: FxHashMap::default(), spellings: Vec::new() };
        for (spelling, _) in Keyword::TABLE {
            names.intern(spelling);
        }
        names
    }

    pub(crate) fn intern(&mut self, spelling: &str) -> NameId {
        if let Some(&id) = self.ids.get(spelling) {
            return id;
        }
        let id = NameId(self.spellings.len() as u32);
        let spelling: Rc<str> = spelling.into();
        self.spellings.push(spelling.clone());
        self.ids.insert(spelling, id);
        id
    }

    pub(crate) fn get(&self, id: NameId) -> &str {
        &self.spellings[id.0 as usize]
    }

    /// The keyword with that spelling, if it is one.
    pub(crate) fn keyword(&self, id: NameId) -> Option<Keyword> {
        Keyword::TABLE.get(id.0 as usize).map(|&(_, keyword)| keyword)
    }
}

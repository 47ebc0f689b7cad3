//! In which order searches are tried for a question, and what each may take.

pub(crate) mod rounds;
pub(crate) mod trial;

//! Carrying out plans: one module for each kind of task. What several of them need is here: what a search may take, a
//! staged model, and how the end of a search becomes an answer.

pub(crate) mod cycles;
pub(crate) mod explore;
pub(crate) mod graph;
pub(crate) mod initial;
pub(crate) mod procedure;
pub(crate) mod shared;
pub(crate) mod watch;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use model::{Failure, MemoryLimit, Model, Patience, Trace};
use replay::Evidence;
use search::{Limits, Progress, Statistics, StopReason};

use crate::answer::{Answer, Method, Outcome, Remark, Why};
use crate::options::{Effort, Engine, Options, Search, Store};
use crate::system::{Purpose, Stage, StageNeed, System, Undecided};
use crate::witness;

/// What comes from outside while questions are answered.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Set when everything is to end.
    pub interrupt: Arc<AtomicBool>,
    /// When everything has to be over.
    pub deadline: Option<Instant>,
    /// Where searches say how far they are.
    pub progress: Arc<Progress>,
}

/// What is the same for all questions that are asked together.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub system: &'a dyn System,
    pub options: &'a Options,
    pub control: &'a Control,
}

/// What a search may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// When it has to be over.
    pub end: Option<Instant>,
    /// The number of states.
    pub states: u64,
    /// The bytes of the process, and what of them is left to the search.
    memory: (u64, u64),
}

impl Allowance {
    /// No more than some effort.
    pub fn within(self, effort: Effort) -> Allowance {
        let end = Instant::now().checked_add(effort.time);
        Allowance {
            end: end.into_iter().chain(self.end).min(),
            states: self.states.min(effort.states),
            ..self
        }
    }

    /// No more than some states.
    pub fn of_states(self, most: u64) -> Allowance {
        Allowance { states: self.states.min(most), ..self }
    }

    /// The time that is left.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether there is no time left.
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// A search, and what it has found: a run if there is one, and what that shows.
pub(crate) struct Found {
    /// The answer. `run` and `failure` are still empty.
    pub answer: Answer,
    /// A run of the model that was searched.
    pub shown: Option<Shown>,
}

/// A run of a staged model, and what it shows.
#[derive(Clone)]
pub(crate) struct Shown {
    pub trace: Trace,
    pub evidence: Evidence,
    /// The model; none if it is the original itself.
    pub stage: Option<Stage>,
}

impl From<Answer> for Found {
    fn from(answer: Answer) -> Found {
        Found { answer, shown: None }
    }
}

impl Control {
    /// How long work may go on within limits.
    pub fn patience(&self, limits: &crate::options::Limits) -> Patience {
        let bytes = limits.memory;
        let memory = (bytes < u64::MAX).then_some(MemoryLimit { bytes, exceeded: search::process_exceeds });
        Patience { interrupt: self.interrupt.clone(), deadline: self.deadline, memory, ..Patience::default() }
    }
}

impl Context<'_> {
    /// What may be taken for a question that is begun now.
    pub fn allowance(&self) -> Allowance {
        let limits = &self.options.limits;
        let end = limits.time.and_then(|time| Instant::now().checked_add(time));
        Allowance {
            end: end.into_iter().chain(self.control.deadline).min(),
            states: limits.states,
            memory: (limits.memory, left_to_search(limits.memory)),
        }
    }

    /// How long work that is no search may go on.
    pub fn patience(&self, allowance: &Allowance) -> Patience {
        Patience { deadline: allowance.end, ..self.control.patience(&self.options.limits) }
    }

    /// The options of a search.
    pub fn search_options(&self, allowance: &Allowance, stage: &Stage) -> search::Options {
        let options = self.options;
        let (process, memory) = allowance.memory;
        let limits = Limits {
            time: allowance.left(),
            states: allowance.states,
            depth: options.limits.depth,
            memory,
            process: Some(process),
        };
        let store = options.store.map_or_else(search::Store::default, |store| store.for_search(memory));
        search::Options {
            threads: options.threads,
            seed: options.seed.unwrap_or(0),
            store,
            limits,
            stop_after: options.stop_after,
            interrupt: self.control.interrupt.clone(),
            progress: self.control.progress.clone(),
            cut: stage.cut.clone(),
            ..search::Options::default()
        }
    }

    /// Which engine executes the system.
    pub fn engine(&self) -> Engine {
        self.system.engine(self.options.engine, self.process_memory())
    }

    fn process_memory(&self) -> Option<u64> {
        Some(self.options.limits.memory).filter(|&bytes| bytes < u64::MAX)
    }

    /// A model to be searched.
    pub fn stage(
        &self,
        purpose: Purpose,
        compressed: bool,
        before: Option<Arc<dyn Model>>,
        allowance: &Allowance,
    ) -> Result<Stage, Undecided> {
        let (engine, memory) = (self.engine(), self.process_memory());
        let fills_cores = self.options.fills_cores;
        let need = StageNeed { compressed, purpose, engine, before, memory, fills_cores };
        self.system.stage(&need, &self.patience(allowance))
    }

    /// Searches on a staged model, and again on a wider one as long as that is needed. What is an answer all the same
    /// stays one. Gives back the model on which it was found, too.
    pub fn search<T>(
        &self,
        mut stage: Stage,
        allowance: &Allowance,
        mut search: impl FnMut(&Stage, &search::Options) -> T,
        is_answer: impl Fn(&T) -> bool,
    ) -> Result<(T, Stage), Undecided> {
        loop {
            let found = search(&stage, &self.search_options(allowance, &stage));
            if is_answer(&found) {
                return Ok((found, stage));
            }
            match self.system.wider(&stage, &self.patience(allowance))? {
                Some(wider) => stage = wider,
                None => return Ok((found, stage)),
            }
        }
    }

    /// An answer without a search.
    pub fn looked(&self, outcome: Outcome) -> Answer {
        Answer::without_search(outcome, self.engine())
    }

    /// No answer.
    pub fn undecided(&self, undecided: Undecided) -> Answer {
        let remarks = undecided.detail.map(Remark::Said).into_iter().collect();
        Answer { remarks, ..self.looked(Outcome::Unknown(undecided.why)) }
    }

    /// The answer of a search on one thread, which numbers its states.
    pub fn searched(&self, outcome: Outcome, counts: Statistics, search: Search) -> Answer {
        let omission = counts.omission.map(Remark::Omission);
        let answer = self.looked(outcome);
        let method = Method { search: Some(search), store: Some(Store::Tree), ..answer.method };
        Answer { method, counts, remarks: omission.into_iter().collect(), ..answer }
    }

    /// Says that all threads have searched, with a store that they share.
    pub fn note_shared(&self, method: &mut Method) {
        method.threads = self.options.threads;
        method.store = Some(self.options.store.unwrap_or(Store::Cleary));
    }

    /// A failure that means that there is no answer, although the search has ended with it.
    pub fn no_answer(&self, failure: &Failure) -> Option<Undecided> {
        let why = match failure.kind {
            model::FailureKind::BrokenBound => Why::BrokenBound,
            model::FailureKind::NumberTooLarge => Why::NumberTooLarge,
            _ => return None,
        };
        Some(Undecided { why, detail: Some(failure.detail.clone()) })
    }

    /// Replays what was found, so that it may be told. Notes what was named by the user and not used.
    ///
    /// # Errors
    /// If the run does not show what it should: that is a defect.
    pub fn tell(&self, found: Found, allowance: &Allowance) -> Result<Answer, Defect> {
        let Found { mut answer, shown } = found;
        self.note_others(&mut answer);
        let Some(shown) = shown else { return Ok(answer) };
        witness::show(self.system, answer, shown, &self.patience(allowance))
    }

    /// Notes that the search, the store or the reduction was another one than the user has named.
    fn note_others(&self, answer: &mut Answer) {
        let (options, method) = (self.options, &answer.method);
        let Some(used) = method.search else { return };
        let mut remarks = Vec::new();
        remarks.extend(options.search.filter(|&named| named != used).map(Remark::OtherSearch));
        remarks.extend(options.store.filter(|&named| Some(named) != method.store).map(Remark::OtherStore));
        if let crate::prefer::Por::Exactly(named) = options.por
            && method.por != Some(named)
            && self.system.facts().habits.passes_over
        {
            remarks.push(Remark::OtherPor(named));
        }
        answer.remarks.extend(remarks);
    }
}

/// A run that was found does not replay: something in this program is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect(pub String);

/// What is left to a search that starts now, in a process that may take so many bytes.
///
/// What the process takes beside the search differs a little from run to run, and what is left to the search must not:
/// lossy stores take a part of it, and miss other states if that is of another size. So the rest of the process gets
/// a number of equal shares, with room for code and threads; only if it takes more than these does that count.
fn left_to_search(bytes: u64) -> u64 {
    /// Enough for most models: the program takes some 6 MB, and code, which is made later, as much again.
    const LARGEST_SHARE: u64 = 16 << 20;
    let share = (bytes / 4).clamp(1, LARGEST_SHARE);
    let rest = (search::resident().unwrap_or(0) + share / 4).div_ceil(share).saturating_mul(share);
    bytes.saturating_sub(rest)
}

/// An outcome that a stopped search has.
pub(crate) fn stopped(stop: StopReason) -> Outcome {
    Outcome::Unknown(Why::Stopped(stop))
}

//! Random walks beside an exploration: errors first.
//!
//! An exploration that follows one process for ever never comes to an error of another one, be it three steps away from the
//! initial state. Random walks find many such errors, and deep deadlocks, in a small part of the time. So walks begin when an
//! exploration has turned out to be long:
//!
//! - If the exploration uses one of several threads, walks run on another one from then on.
//! - Otherwise the exploration pauses for a number of steps that depends on the number of transitions alone. From one pause to the
//!   next this number grows by a factor. Nothing depends on the clock.
//!
//! Walks leave nothing out. They report a violation that they find, or answer questions that are watched; if they find
//! nothing, that has no meaning.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Thread;
use std::time::Duration;

use model::Model;

use super::Safety;
use super::walk::Walks;
use super::watch::Watching;
use crate::{Findings, Limits, Options, Order, StopReason, Verdict};

/// Most explorations are over after so many transitions.
const LONG: u64 = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// In the first pause the walks have so many steps.
const FIRST: u64 = LONG / 4;
/// The growth of the number of transitions from one pause to the next.
const GROWTH: u64 = 4;
/// The ratio of the number of transitions to that of the steps of later walks. A step takes several times as long.
const RATIO: u64 = 128;

/// Walks, as an exploration sees them.
pub struct Probe<'a> {
    how: How<'a>,
    /// What they have found, if that ends the exploration.
    pub found: Option<Findings>,
}

enum How<'a> {
    Off,
    /// The next pause is at so many transitions.
    InPauses {
        next: u64,
        walks: Option<Box<Walks<'a>>>,
    },
    OnThread(Arc<Beside>),
}

impl<'a> Probe<'a> {
    /// Without walks.
    pub fn off() -> Probe<'a> {
        Probe { how: How::Off, found: None }
    }

    /// As the options of the exploration say.
    pub fn of(options: &Options) -> Probe<'a> {
        let in_pauses = How::InPauses { next: LONG, walks: None };
        Probe { how: if options.probes { in_pauses } else { How::Off }, ..Probe::off() }
    }

    /// On another thread.
    fn beside(beside: Arc<Beside>) -> Probe<'a> {
        Probe { how: How::OnThread(beside), ..Probe::off() }
    }

    /// To be called now and then, with the number of transitions so far.
    ///
    /// # Errors
    /// If the walks have found something that ends the exploration.
    pub fn look(
        &mut self,
        n_transitions: u64,
        (model, options, watching): (&'a dyn Model, &Options, Option<&'a Watching>),
    ) -> Result<(), StopReason> {
        match &mut self.how {
            How::Off => return Ok(()),
            How::InPauses { next, .. } if n_transitions < *next => return Ok(()),
            How::InPauses { next, walks } => {
                let n_steps = if *next == LONG { FIRST } else { *next / RATIO };
                *next *= GROWTH;
                let walks = match walks {
                    Some(walks) => walks,
                    None => match Walks::new(model, walking(options), watching) {
                        Ok(mut begun) => {
                            begun.are_alone = false;
                            walks.insert(Box::new(begun))
                        }
                        Err(_) => unreachable!("the exploration has begun in the initial state"),
                    },
                };
                if let ControlFlow::Break(verdict) = walks.go_on(n_steps)
                    && let How::InPauses { walks: Some(walks), .. } =
                        std::mem::replace(&mut self.how, How::Off)
                {
                    self.found = conclusion(*walks, verdict);
                }
            }
            How::OnThread(beside) => {
                if n_transitions >= LONG {
                    beside.is_long.store(true, Ordering::Relaxed);
                }
                if beside.has_found.load(Ordering::Relaxed) {
                    self.found = beside.found.lock().expect("threads do not panic").take();
                }
            }
        }
        if self.found.is_some() { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

/// The options of the walks beside an exploration.
fn walking(options: &Options) -> Options {
    Options {
        order: Order::Walk,
        reduction: None,
        threads: 1,
        trial: false,
        limits: Limits { states: u64::MAX, ..options.limits },
        progress: Arc::default(),
        probes: false,
        ..options.clone()
    }
}

/// What walks have found, if they have not only come to a limit.
fn conclusion(walks: Walks<'_>, verdict: Verdict) -> Option<Findings> {
    match verdict {
        Verdict::Unknown(_) => None,
        verdict => Some(walks.findings(verdict)),
    }
}

/// What an exploration has in common with walks on another thread.
///
/// Relaxed: what was found is behind the lock.
#[derive(Debug, Default)]
pub struct Beside {
    /// Whether the exploration has turned out to be long.
    is_long: AtomicBool,
    /// Whether it is over.
    is_over: Arc<AtomicBool>,
    has_found: AtomicBool,
    found: Mutex<Option<Findings>>,
}

impl Beside {
    fn walk(&self, model: &dyn Model, options: Options, watching: Option<&Watching>) {
        while !self.is_long.load(Ordering::Relaxed) {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
        let Ok(mut walks) = Walks::new(model, options, watching) else { return };
        walks.is_over = self.is_over.clone();
        walks.are_alone = false;
        if let ControlFlow::Break(verdict) = walks.go_on(u64::MAX) {
            *self.found.lock().expect("threads do not panic") = conclusion(walks, verdict);
            self.has_found.store(true, Ordering::Relaxed);
        }
    }
}

/// Ends the walks on another thread, also if the exploration panics.
struct End<'b>(&'b Beside, Thread);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

/// Explores by a driver that numbers states, with walks on another thread.
pub fn on_thread(
    model: &dyn Model,
    options: &Options,
    watching: Option<&Watching>,
    explore: impl FnOnce(Safety<'_>) -> Findings,
) -> Findings {
    let beside = Arc::new(Beside::default());
    std::thread::scope(|scope| {
        let walker = scope.spawn(|| beside.walk(model, walking(options), watching));
        let _end = End(&beside, walker.thread().clone());
        let probe = || Probe::beside(beside.clone());
        super::with_numbers(model, options, watching, |finite| explore(finite.probed(probe())))
    })
}

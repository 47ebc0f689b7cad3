//! Code for all processes of a shape at once.
//!
//! What `successors` of the templates look up in the shape's table is a constant here, one call does it for all
//! processes, and each process has a jump of its own to its location, which the processor can foresee. Such code
//! is made for shapes that are met often, by a thread of its own: it needs a large stack.
//!
//! Most states of a search have one shape. Code for that shape takes a third less time than the code of the templates and
//! yields the same successors in the same order. Where all cores are busy, the thread that asks for the code waits for it
//! (`Options::wait_for_fused`): on two cores a third thread would now and then take the core of a search thread, for
//! which all others may have to wait.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ir::{Interpreter, Process};

use crate::abi::Whole;
use crate::background;
use crate::code::compile_whole;
use crate::machine::Machine;
use crate::options::Options;
use crate::plan::Plan;
use crate::table::Table;

/// So many shapes are fused at most, of one model.
const MANY_SHAPES: usize = 8;

/// The code of one shape, as soon as there is some.
#[derive(Default)]
pub struct Fused {
    /// About how many states of the shape have been expanded before the code was asked for.
    n_met: AtomicU64,
    /// None if there will be none.
    code: OnceLock<Option<(Whole, Machine)>>,
}

impl Fused {
    /// Writes the records of all actions.
    #[inline(always)]
    pub fn successors(&self) -> Option<Whole> {
        Some(self.code.get()?.as_ref()?.0)
    }

    /// There will be none.
    fn do_without(&self) {
        let _ = self.code.set(None);
    }

    /// Counts states. Says whether it is time to ask for code: once.
    #[inline(always)]
    fn is_due(&self, n_states: u64, after: u64) -> bool {
        if self.code.get().is_some() {
            return false;
        }
        // Relaxed: the number guards no other memory.
        let before = self.n_met.fetch_add(n_states, Ordering::Relaxed);
        let after = after.max(1);
        before < after && before + n_states >= after
    }
}

/// Fuses the shapes of a model.
pub struct Fuser {
    /// A shape is fused after about so many of its states have been expanded,
    after: u64,
    /// unless there is more to compile than this.
    most: usize,
    /// Whether who asks for code waits for it.
    waits: bool,
    n_asked: AtomicUsize,
    work: Arc<Work>,
}

/// What is going on in the background.
#[derive(Default)]
struct Work {
    /// Held by who makes code: one at a time.
    turn: Mutex<()>,
    /// How many are being made, and how many are.
    n_pending: AtomicUsize,
    n_fused: AtomicUsize,
    /// Why something could not be made.
    failure: OnceLock<String>,
}

impl Fuser {
    pub fn new(options: &Options) -> Fuser {
        let Options { fuse_after: after, most_fused: most, wait_for_fused: waits, .. } = *options;
        Fuser { after, most, waits, n_asked: AtomicUsize::new(0), work: Arc::default() }
    }

    /// Notes that states of a shape are expanded.
    #[inline(always)]
    pub fn note(&self, interpreter: &Arc<Interpreter>, table: &Arc<Table>, n_states: u64) {
        if table.fused.is_due(n_states, self.after) {
            self.fuse(interpreter, table);
        }
    }

    fn fuse(&self, interpreter: &Arc<Interpreter>, table: &Arc<Table>) {
        let processes = &interpreter.program().processes;
        let words = table.shape.bytes as usize / 8;
        let all = table.instances.iter().map(|one| weight(&processes[one.template as usize], words));
        // Relaxed: as above.
        let is_welcome =
            all.sum::<usize>() <= self.most && self.n_asked.fetch_add(1, Ordering::Relaxed) < MANY_SHAPES;
        if !is_welcome {
            return table.fused.do_without();
        }
        let (interpreter, shape, work) = (interpreter.clone(), table.clone(), self.work.clone());
        work.n_pending.fetch_add(1, Ordering::Relaxed);
        let make = move || {
            let turn = work.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let plan = Plan::of_shape(&interpreter, shape.shape.bytes);
            match background::guard(|| compile_whole(&plan, &shape)) {
                Ok(code) => {
                    let _ = shape.fused.code.set(Some(code));
                    work.n_fused.fetch_add(1, Ordering::Relaxed);
                }
                // The templates' code goes on.
                Err(failure) => {
                    shape.fused.do_without();
                    let _ = work.failure.set(failure);
                }
            }
            drop(turn);
            work.n_pending.fetch_sub(1, Ordering::Release);
        };
        match background::start(make) {
            Ok(thread) if self.waits => {
                // A panic of the compiler does not end the thread.
                let _ = thread.join();
            }
            Ok(_) => {}
            Err(error) => {
                table.fused.do_without();
                let _ = self.work.failure.set(error.to_string());
                self.work.n_pending.fetch_sub(1, Ordering::Release);
            }
        }
    }

    /// How many have been made.
    pub fn n_fused(&self) -> usize {
        self.work.n_fused.load(Ordering::Relaxed)
    }

    /// Why something could not be made.
    pub fn failure(&self) -> Option<&str> {
        self.work.failure.get().map(String::as_str)
    }

    /// Whether nothing is being made.
    pub fn is_idle(&self) -> bool {
        self.work.n_pending.load(Ordering::Acquire) == 0
    }
}

/// How much there is to compile for a process, in states of so many words: about the number of its statements.
fn weight(process: &Process, words: usize) -> usize {
    let of_transition = |transition| {
        let mut n_commands = 1 + words / 16;
        ir::guarded_commands(transition, &mut |_| n_commands += 1);
        n_commands
    };
    ir::transitions(process).map(of_transition).sum()
}

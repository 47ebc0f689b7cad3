//! Code for all processes of a shape at once.
//!
//! What `successors` of the templates look up in the shape's table is a constant here, one call does it for all
//! processes, and each process has a jump of its own to its location, which the processor can foresee. Such code is made
//! for shapes that are met often, in the background.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ir::Interpreter;

use crate::abi::Whole;
use crate::code::{Code, Machine, compile_whole};
use crate::plan::Plan;
use crate::table::Table;

/// So many shapes are fused at most, of one model.
const MANY_SHAPES: usize = 8;

/// The code of one shape, as soon as there is some.
#[derive(Default)]
pub struct Fused {
    /// How many states of the shape have been expanded before the code was asked for.
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

    /// Counts states. Says whether it is time to ask for code: once.
    #[inline(always)]
    fn is_due(&self, n_states: u64, after: u64) -> bool {
        if self.code.get().is_some() {
            return false;
        }
        // Relaxed: the number guards no other memory.
        let before = self.n_met.fetch_add(n_states, Ordering::Relaxed);
        before < after && before + n_states >= after
    }
}

/// Fuses the shapes of a model.
pub struct Fuser {
    /// A shape is fused after so many of its states have been expanded.
    pub after: u64,
    /// Unless its processes have more transitions than these together.
    pub most_transitions: usize,
    n_asked: AtomicUsize,
    /// How many are being made, and how many are.
    n_pending: Arc<AtomicUsize>,
    n_fused: Arc<AtomicUsize>,
}

impl Fuser {
    pub fn new(after: u64, most_transitions: usize) -> Fuser {
        Fuser {
            after,
            most_transitions,
            n_asked: AtomicUsize::new(0),
            n_pending: Arc::default(),
            n_fused: Arc::default(),
        }
    }

    /// Notes that states of a shape are expanded.
    #[inline(always)]
    pub fn note(&self, interpreter: &Arc<Interpreter>, code: &Code, table: &Arc<Table>, n_states: u64) {
        if table.fused.is_due(n_states, self.after) {
            self.fuse(interpreter, code, table);
        }
    }

    fn fuse(&self, interpreter: &Arc<Interpreter>, code: &Code, table: &Arc<Table>) {
        let has_code = table.instances.iter().all(|one| code.successors[one.template as usize].is_some());
        let n_transitions: usize = table
            .instances
            .iter()
            .map(|one| ir::transitions(&interpreter.program().processes[one.template as usize]).count())
            .sum();
        // Relaxed: as above.
        let is_welcome = self.n_asked.fetch_add(1, Ordering::Relaxed) < MANY_SHAPES;
        if !has_code || !is_welcome || n_transitions > self.most_transitions {
            let _ = table.fused.code.set(None);
            return;
        }
        let (interpreter, table) = (interpreter.clone(), table.clone());
        let (n_pending, n_fused) = (self.n_pending.clone(), self.n_fused.clone());
        n_pending.fetch_add(1, Ordering::Relaxed);
        let work = move || {
            let compile = std::panic::AssertUnwindSafe(|| {
                compile_whole(&Plan::of_shape(&interpreter, table.shape.bytes), &table)
            });
            // Without it, the templates' code goes on.
            let code = std::panic::catch_unwind(compile).ok().and_then(Result::ok);
            n_fused.fetch_add(usize::from(code.is_some()), Ordering::Relaxed);
            let _ = table.fused.code.set(code);
            n_pending.fetch_sub(1, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("jit".to_string()).stack_size(64 << 20);
        if thread.spawn(work).is_err() {
            self.n_pending.fetch_sub(1, Ordering::Release);
        }
    }

    /// How many have been made.
    pub fn n_fused(&self) -> usize {
        self.n_fused.load(Ordering::Relaxed)
    }

    /// Whether nothing is being made.
    pub fn is_idle(&self) -> bool {
        self.n_pending.load(Ordering::Acquire) == 0
    }
}

//! The model.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ir::Interpreter;
use ir::interpreter::chain::Chain;
use model::{
    Action, Actions, Actor, End, Failure, FailureKind, Hindrance, Independence, Model, NoIndependence,
    Outcome, OutcomeKind, Party, Patience, Phase, PredicateId, Series, Step, StepText, Successors, Variable,
};

use crate::abi::{Context, PREDICATE_OK, record};
use crate::background;
use crate::call::{context, executed, sides};
use crate::code::Code;
use crate::emit::FUEL;
use crate::fused::Fuser;
use crate::options::{Options, Purpose};
use crate::plan::Plan;
use crate::stepper::NativeStepper;
use crate::table::{Table, Tables};

/// How often generated code gave up or left something to the interpreter, once it was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls that the interpreter did as a whole.
    pub bailed: u64,
    /// Actions, or processes with all their actions, that were left to it.
    pub left: u64,
    /// Chains that the host went on with, because of a choice or a rendezvous in them.
    pub chains: u64,
}

/// The most words that may be reserved for the successors of one state.
const MAX_ROOM: usize = 1 << 22;

/// A program that is executed as machine code, as soon as there is some.
pub struct Native {
    interpreter: Arc<Interpreter>,
    /// What works until the code is there.
    before: Arc<dyn Model>,
    options: Options,
    /// How many states it has worked in.
    n_before: AtomicU64,
    has_begun: AtomicBool,
    code: Arc<OnceLock<Result<Code, String>>>,
    tables: Tables,
    fuser: Fuser,
    bailed: AtomicU64,
    left: AtomicU64,
    chains: AtomicU64,
}

impl Native {
    /// Begins to compile in the background. The interpreter works until that is done.
    pub fn new(interpreter: Arc<Interpreter>, options: Options) -> Native {
        Native::behind(interpreter.clone(), interpreter, options)
    }

    /// As [`Native::new`], but another model of the same program works until that is done.
    pub fn behind(before: Arc<dyn Model>, interpreter: Arc<Interpreter>, options: Options) -> Native {
        let native = Native {
            interpreter,
            before,
            options,
            n_before: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            code: Arc::default(),
            tables: Tables::default(),
            fuser: Fuser::new(&options),
            bailed: AtomicU64::new(0),
            left: AtomicU64::new(0),
            chains: AtomicU64::new(0),
        };
        if options.begin_after == 0 {
            native.begin();
        }
        native
    }

    /// Begins to compile, once.
    #[cold]
    fn begin(&self) {
        // Relaxed: only who is first matters.
        if self.has_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let (program, slot, options) = (self.interpreter.clone(), self.code.clone(), self.options);
        let work = move || {
            // Nobody else sets it.
            let _ = slot.set(background::guard(|| compile(&program, options)));
        };
        if let Err(error) = background::start(work) {
            let _ = self.code.set(Err(error.to_string()));
        }
    }

    /// What works in a state in which there is no code yet.
    fn before(&self) -> &dyn Model {
        // Relaxed: about so many states are enough. Where code never comes, threads are not to count for ever.
        if !self.has_begun.load(Ordering::Relaxed)
            && self.n_before.fetch_add(1, Ordering::Relaxed) == self.options.begin_after
        {
            self.begin();
        }
        &*self.before
    }

    /// Waits until the code is there, or is known not to come, and all that has been asked for since.
    pub fn wait(&self) {
        self.begin();
        self.code.wait();
        while !self.fuser.is_idle() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether the code is there.
    pub fn is_ready(&self) -> bool {
        self.code().is_some()
    }

    /// Why there will be no code, if that is known.
    pub fn failure(&self) -> Option<String> {
        self.code.get()?.as_ref().err().cloned()
    }

    /// The size of the machine code, if it is there.
    pub fn code_bytes(&self) -> Option<usize> {
        self.code().map(|code| code.bytes)
    }

    /// How often the interpreter had to help.
    pub fn statistics(&self) -> Statistics {
        // Relaxed: the numbers guard no other memory.
        Statistics {
            bailed: self.bailed.load(Ordering::Relaxed),
            left: self.left.load(Ordering::Relaxed),
            chains: self.chains.load(Ordering::Relaxed),
        }
    }

    /// Why a shape has no code of its own though it was asked for.
    pub fn fusing_failure(&self) -> Option<&str> {
        self.fuser.failure()
    }

    /// How many shapes have code of their own.
    pub fn n_fused(&self) -> usize {
        self.fuser.n_fused()
    }

    /// The interpreter.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    fn code(&self) -> Option<&Code> {
        self.code.get()?.as_ref().ok()
    }

    /// The table of a state's shape.
    pub(crate) fn table(&self, code: &Code, state: &[u64]) -> &Arc<Table> {
        let shape = state[0] as u32;
        self.tables.get(shape, || Table::new(&self.interpreter, code, shape))
    }

    /// Appends the outcomes of all actions. Returns false if the interpreter has to do it.
    fn expand_natively(
        &self,
        code: &Code,
        table: &Table,
        state: &[u64],
        out: &mut Successors,
        phase: Phase,
    ) -> bool {
        let mut context = context(code, table, phase, executed(&self.interpreter, out));
        let start = out.words.len();
        write_records(&mut context, table, state, out) && self.read_records(code, state, out, start, phase)
    }

    /// Makes outcomes of the records behind `at`. Returns false if the interpreter has to do it.
    fn read_records(
        &self,
        code: &Code,
        state: &[u64],
        out: &mut Successors,
        at: usize,
        phase: Phase,
    ) -> bool {
        let (mut at, end) = (at, out.words.len());
        let mut index = 0;
        while at < end {
            let header = out.words[at];
            let words = at + 1..at + 1 + record::words(header);
            at = words.end;
            if record::kind(header) == record::STATE {
                push_state(out, index, words.start as u32..words.end as u32);
                index += 1;
                continue;
            }
            if out.is_too_full() {
                out.abandoned = true;
            }
            if out.abandoned {
                return true;
            }
            match record::kind(header) {
                record::CHAIN => {
                    out.scratch.words.clear();
                    out.scratch.words.extend_from_slice(&out.words[words]);
                    if !self.go_on(code, index, record::pid(header), out) {
                        return false;
                    }
                    index += 1;
                }
                record::ACTION => {
                    let action = Action {
                        actor: party(out.words[words.start]),
                        partner: party(out.words[words.start + 1]),
                    };
                    self.fire_interpreted(index, &action, state, phase, out);
                    index += 1;
                }
                _ => {
                    let mut actions = Vec::new();
                    let holder = Some(record::pid(header));
                    self.interpreter.steps(state, holder, phase, &mut actions);
                    for action in &actions {
                        self.fire_interpreted(index, action, state, phase, out);
                        index += 1;
                    }
                }
            }
        }
        true
    }

    fn fire_interpreted(
        &self,
        index: u32,
        action: &Action,
        state: &[u64],
        phase: Phase,
        out: &mut Successors,
    ) {
        self.left.fetch_add(1, Ordering::Relaxed);
        Chain::new(self.interpreter.as_ref(), index, out).fire(state, action, phase);
    }

    /// Goes on with a chain, in the state in the buffer's scratch. Returns false if the interpreter has to
    /// do all of it: where a chain is found to be endless depends on where it begins.
    fn go_on(&self, code: &Code, index: u32, holder: u16, out: &mut Successors) -> bool {
        self.chains.fetch_add(1, Ordering::Relaxed);
        let stepper = NativeStepper::new(self, code);
        let n_outcomes = out.outcomes.len();
        Chain::new(&stepper, index, out).resume(holder);
        !out.outcomes[n_outcomes..].iter().any(is_endless)
    }

    /// Appends the actions of all processes. Returns false if the interpreter has to list them.
    fn list(&self, code: &Code, table: &Table, state: &[u64], phase: Phase, out: &mut Vec<Action>) -> bool {
        // Listing executes nothing.
        let mut context = context(code, table, phase, std::ptr::null_mut());
        out.reserve(table.n_actions);
        let old = out.len();
        // SAFETY: `old` lies inside the vector's memory.
        let start = unsafe { out.as_mut_ptr().add(old) };
        let mut at = start.cast::<u8>();
        for run in &table.runs {
            let Some(list) = run.list else { return false };
            // SAFETY: the state has the shape of the table, and there is room for all actions.
            at = unsafe { list(&mut context, state.as_ptr(), at, run.first, run.last) };
            if at.is_null() {
                return false;
            }
        }
        // SAFETY: all actions up to `at` have been written, and they lie in the memory that was reserved.
        unsafe { out.set_len(old + at.offset_from(start.cast::<u8>()) as usize / size_of::<Action>()) };
        true
    }

    /// Fires one action. Returns false if the interpreter has to do it.
    fn fire_one(&self, code: &Code, index: u32, action: &Action, call: &Call, out: &mut Successors) -> bool {
        let Some(fire) = code.fire[call.table.instances[action.actor.who.0 as usize].template as usize]
        else {
            return false;
        };
        let old = out.words.len();
        out.words.reserve(call.state.len());
        let mut context = context(code, call.table, call.phase, executed(&self.interpreter, out));
        let (actor, partner, numbers) = sides(call.table, action);
        // SAFETY: `old` lies inside the vector's memory.
        let words = unsafe { out.words.as_mut_ptr().add(old) };
        // SAFETY: the state has the table's shape, the action is enabled in it, and there is room for one
        // more state.
        let mut header = unsafe { fire(&mut context, call.state.as_ptr(), words, actor, partner, numbers) };
        let mut goes_on = record::kind(header) == record::CHAIN;
        let mut fuel = FUEL;
        while goes_on {
            let holder = &call.table.instances[record::pid(header) as usize];
            let Some(follow) = code.follow(holder.template as usize) else { break };
            // SAFETY: as above; the process holds atomicity.
            header = unsafe { follow(&mut context, words, holder) };
            fuel -= 1;
            goes_on = record::kind(header) == record::PASSED && fuel > 0;
        }
        match record::kind(header) {
            record::STATE => {
                let end = old + record::words(header);
                // SAFETY: that many words have been written, and they lie in the memory that was reserved.
                unsafe { out.words.set_len(end) };
                push_state(out, index, old as u32..end as u32);
                true
            }
            record::CHAIN => {
                // SAFETY: as above.
                let inside = unsafe { std::slice::from_raw_parts(words, record::words(header)) };
                out.scratch.words.clear();
                out.scratch.words.extend_from_slice(inside);
                let n_outcomes = out.outcomes.len();
                if self.go_on(code, index, record::pid(header), out) {
                    return true;
                }
                out.words.truncate(old);
                out.outcomes.truncate(n_outcomes);
                false
            }
            _ => false,
        }
    }
}

fn is_endless(outcome: &Outcome) -> bool {
    matches!(&outcome.kind, OutcomeKind::Failed(failure) if failure.kind == FailureKind::EndlessLoop)
}

/// What the actions of a state have in common.
struct Call<'a> {
    table: &'a Table,
    state: &'a [u64],
    phase: Phase,
}

fn compile(interpreter: &Interpreter, options: Options) -> Result<Code, String> {
    if let Some(hindrance) = Plan::hindrance(interpreter.program()) {
        return Err(hindrance.to_string());
    }
    if interpreter.n_transitions() > options.most_transitions {
        return Err(format!("{} transitions are too many to compile", interpreter.n_transitions()));
    }
    Code::compile(&Plan::new(interpreter), options.purpose, options.care)
}

/// Writes the records of all actions to the end of the buffer's words. Returns false if the interpreter has to do it.
#[inline(always)]
fn write_records(context: &mut Context, table: &Table, state: &[u64], out: &mut Successors) -> bool {
    out.words.reserve(table.room);
    let old = out.words.len();
    // SAFETY: `old` lies inside the vector's memory.
    let start = unsafe { out.words.as_mut_ptr().add(old) };
    let mut at = start.cast::<u8>();
    if let Some(successors) = table.fused.successors() {
        // SAFETY: the state has the shape of the table, and there is room for all records.
        at = unsafe { successors(context, state.as_ptr(), at) };
        if at.is_null() {
            return false;
        }
    } else {
        for run in &table.runs {
            let Some(successors) = run.successors else { return false };
            // SAFETY: as above.
            at = unsafe { successors(context, state.as_ptr(), at, run.first, run.last) };
            if at.is_null() {
                return false;
            }
        }
    }
    // SAFETY: all words up to `at` have been written, and they lie in the memory that was reserved.
    unsafe {
        let written = at.offset_from(start.cast::<u8>()) as usize / 8;
        debug_assert!(written <= table.room);
        out.words.set_len(old + written);
    }
    true
}

fn push_state(out: &mut Successors, action: u32, words: std::ops::Range<u32>) {
    out.outcomes.push(Outcome { action, kind: OutcomeKind::State(words), steps: 0..0 });
}

fn party(word: u64) -> Party {
    Party { who: Actor((word >> 32) as u32), transition: word as u32 }
}

impl Model for Native {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        self.interpreter.initial(out)
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        let Some(code) = self.code() else { return self.before().enabled(state, out) };
        let table = self.table(code, state);
        out.clear();
        let mut done = true;
        out.phase = self.interpreter.climb(|phase| {
            done = self.list(code, table, state, phase, &mut out.list);
            !done || !out.list.is_empty()
        });
        if !done {
            self.bailed.fetch_add(1, Ordering::Relaxed);
            self.interpreter.enabled(state, out);
        }
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        let Some(code) = self.code().filter(|_| !out.record) else {
            return self.before.fire(chosen, state, out);
        };
        let call = Call { table: self.table(code, state), state, phase: chosen.phase };
        for (index, action) in chosen.list.iter().enumerate() {
            if out.is_too_full() {
                out.abandoned = true;
            }
            if out.abandoned {
                return;
            }
            if !self.fire_one(code, index as u32, action, &call, out) {
                self.fire_interpreted(index as u32, action, state, chosen.phase, out);
            }
        }
    }

    fn expand(&self, state: &[u64], actions: &mut Actions, out: &mut Successors) -> bool {
        let Some(code) = self.code().filter(|_| !out.record) else {
            return self.before().expand(state, actions, out);
        };
        if code.purpose == Purpose::Chosen {
            self.enabled(state, actions);
            self.fire(actions, state, out);
            return !actions.list.is_empty();
        }
        let table = self.table(code, state);
        self.fuser.note(&self.interpreter, table, 1);
        let (n_words, n_outcomes) = (out.words.len(), out.outcomes.len());
        let has_room = table.room <= MAX_ROOM && !out.is_too_full_with(table.room);
        let mut done = has_room;
        self.interpreter.climb(|phase| {
            out.words.truncate(n_words);
            done = done && self.expand_natively(code, table, state, out, phase);
            !done || out.outcomes.len() > n_outcomes || out.abandoned
        });
        if done {
            // Every action of a program has an outcome.
            return out.outcomes.len() > n_outcomes || out.abandoned;
        }
        self.bailed.fetch_add(1, Ordering::Relaxed);
        out.words.truncate(n_words);
        out.outcomes.truncate(n_outcomes);
        self.interpreter.expand(state, actions, out)
    }

    fn expand_plainly(
        &self,
        words: &[u64],
        places: &[Range<usize>],
        out: &mut Successors,
        series: &mut Vec<Series>,
    ) {
        let is_fit = |code: &&Code| code.purpose == Purpose::Everything && !out.record;
        let Some(code) = self.code().filter(is_fit) else { return };
        let executed = executed(&self.interpreter, out);
        // Most states have the shape of the one before.
        let mut last: Option<(u32, &Table, Context)> = None;
        for place in places {
            let state = &words[place.clone()];
            let shape = state[0] as u32;
            let (table, context) = match &mut last {
                Some((number, table, context)) if *number == shape => (*table, context),
                last => {
                    let table = self.table(code, state);
                    self.fuser.note(&self.interpreter, table, places.len() as u64);
                    let (_, table, context) =
                        last.insert((shape, table, context(code, table, Phase::Normal, executed)));
                    (*table, context)
                }
            };
            let has_room = table.room <= MAX_ROOM && !out.is_too_full_with(table.room);
            let old = out.words.len();
            context.unusual = 0;
            let is_plain = has_room && write_records(context, table, state, out) && context.unusual == 0;
            if !is_plain {
                out.words.truncate(old);
            }
            let (len, distance) = (state.len() as u32, state.len() as u32 + 1);
            let n = (out.words.len() - old) as u32 / distance;
            series.push(Series { first: old as u32 + 1, len, distance, n });
        }
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        if let Some(code) = self.code()
            && let Some(evaluate) = code.predicates[predicate.0 as usize]
            && !self.interpreter.predicate_uses_timeout(predicate)
        {
            let mut context = context(code, self.table(code, state), Phase::Normal, std::ptr::null_mut());
            // SAFETY: the state has the shape of the table.
            let value = unsafe { evaluate(&mut context, state.as_ptr()) };
            if value & PREDICATE_OK != 0 {
                return Ok(i64::from(value as i32));
            }
        }
        self.before.predicate(predicate, state)
    }

    fn end(&self, state: &[u64]) -> End {
        self.interpreter.end(state)
    }

    fn unfinished(&self, state: &[u64]) -> Option<Vec<model::Actor>> {
        self.interpreter.unfinished(state)
    }

    fn describe(&self, step: &Step, state: &[u64]) -> StepText {
        self.interpreter.describe(step, state)
    }

    fn hindrance(&self) -> Option<Hindrance> {
        self.interpreter.hindrance()
    }

    fn independence(
        &self,
        watched: &[PredicateId],
        patience: &Patience,
    ) -> Result<Box<dyn Independence + '_>, NoIndependence> {
        self.interpreter.independence(watched, patience)
    }

    fn shape(&self, number: u32) -> Vec<u32> {
        self.interpreter.shape(number)
    }

    fn shape_number(&self, shape: &[u32]) -> Option<u32> {
        self.interpreter.shape_number(shape)
    }

    fn variables(&self, state: &[u64]) -> Vec<Variable> {
        self.interpreter.variables(state)
    }
}

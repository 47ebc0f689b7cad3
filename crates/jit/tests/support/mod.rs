//! Compares generated code with the interpreter, state by state.

#![allow(dead_code, reason = "each test file takes what it needs")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ir::Interpreter;
use jit::{Care, Native, Options, Purpose};
use model::{Actions, BitSet, Model, OutcomeKind, Patience, PredicateId, Random, Successors};

/// How much of a program was done by generated code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub states: u64,
    pub plain: u64,
    pub fused: u64,
    pub actions: u64,
    pub bailed: u64,
    pub left: u64,
    pub chains: u64,
}

impl Share {
    pub fn add(&mut self, other: Share) {
        self.states += other.states;
        self.plain += other.plain;
        self.fused += other.fused;
        self.actions += other.actions;
        self.bailed += other.bailed;
        self.left += other.left;
        self.chains += other.chains;
    }
}

/// Explores up to `limit` states and compares everything in each of them.
///
/// # Errors
/// The first difference.
pub fn compare(program: ir::Program, limit: usize) -> Result<Share, String> {
    compare_with(Interpreter::new(program), limit)
}

/// Does the same with an interpreter.
///
/// # Errors
/// The first difference.
pub fn compare_with(interpreter: Interpreter, limit: usize) -> Result<Share, String> {
    let n_predicates = interpreter.program().predicates.len();
    let interpreter = Arc::new(interpreter);
    let never = |purpose| Options { fuse_after: u64::MAX, ..Options::new(purpose) };
    let at_once = Options { fuse_after: 1, most_fused: usize::MAX, ..Options::new(Purpose::Everything) };
    let best = Options { care: Care::Best, ..never(Purpose::Chosen) };
    let options = [never(Purpose::Everything), at_once, never(Purpose::Chosen), best];
    let [whole, fused, quick, best] = options.map(|options| {
        let native = Native::new(interpreter.clone(), options);
        native.wait();
        native
    });
    for native in [&whole, &fused, &quick, &best] {
        match native.failure() {
            Some(failure) if failure.contains("bug") || failure.contains("erifier") => return Err(failure),
            _ => {}
        }
    }
    let quick = Arc::new(quick);
    // Its own code never comes.
    let without = Options { most_transitions: 0, ..Options::new(Purpose::Everything) };
    let behind = Native::behind(quick.clone(), interpreter.clone(), without);
    let n_transitions = interpreter.n_transitions();
    let mut share = Share::default();
    let mut initial = Vec::new();
    if interpreter.initial(&mut initial).is_err() {
        return Ok(share);
    }
    let mut known = HashSet::from([initial.clone()]);
    let mut open = std::collections::VecDeque::from([initial]);
    let (mut actions, mut memory) = (Actions::default(), Actions::default());
    let mut random = Random::new(1);
    while let Some(state) = open.pop_front() {
        let deadline = Some(Instant::now() + Duration::from_millis(300));
        let patience = Some(Patience { deadline, words: Some(1 << 20), ..Patience::default() });
        let divergence = share.states % 2 == 1;
        let fresh = || Successors { divergence, ..fresh() };
        let mut expected = Successors { patience, ..fresh() };
        interpreter.enabled(&state, &mut actions);
        interpreter.fire(&actions, &state, &mut expected);
        if expected.abandoned {
            // A chain that is as large as a search: enough of this program.
            break;
        }
        share.states += 1;
        share.actions += actions.list.len() as u64;
        let mut is_plain = [false; 2];
        for (native, is_plain) in [&whole, &fused].into_iter().zip(&mut is_plain) {
            let mut found = fresh();
            native.expand(&state, &mut memory, &mut found);
            same(&expected, &found, n_transitions)
                .map_err(|message| format!("expand: {message}\n{state:x?}"))?;
            // Code for its shape is asked for when the first state is expanded.
            native.wait();
            *is_plain = expand_plainly(native, &state, &expected, n_transitions)?;
        }
        if is_plain[0] != is_plain[1] {
            return Err(format!("plain: {is_plain:?}\n{state:x?}"));
        }
        share.plain += u64::from(is_plain[0]);
        let mut found = fresh();
        behind.expand(&state, &mut memory, &mut found);
        same(&expected, &found, n_transitions)
            .map_err(|message| format!("expand by others: {message}\n{state:x?}"))?;

        for chosen in [&*quick, &best] {
            chosen.enabled(&state, &mut memory);
            if memory.list != actions.list || memory.phase != actions.phase {
                return Err(format!("enabled: {:?}\ninstead of {:?}\n{state:x?}", memory.list, actions.list));
            }
        }
        let mut subsets: Vec<Vec<model::Action>> = actions.list.iter().map(|action| vec![*action]).collect();
        subsets.push(actions.list.iter().filter(|_| random.chance(50)).copied().collect());
        for list in subsets {
            let subset = Actions { list, phase: actions.phase, ..Actions::default() };
            let mut expected = fresh();
            interpreter.fire(&subset, &state, &mut expected);
            for chosen in [&*quick, &best] {
                let mut found = fresh();
                chosen.fire(&subset, &state, &mut found);
                same(&expected, &found, n_transitions)
                    .map_err(|message| format!("fire {:?}: {message}\n{state:x?}", subset.list))?;
            }
        }
        for k in 0..n_predicates as u32 {
            let expected = interpreter.predicate(PredicateId(k), &state);
            for chosen in [&*quick, &best] {
                let found = chosen.predicate(PredicateId(k), &state);
                if expected != found {
                    return Err(format!("predicate {k}: {found:?} instead of {expected:?}\n{state:x?}"));
                }
            }
        }
        for outcome in &expected.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind {
                let next = expected.state(range);
                if known.len() < limit && !known.contains(next) {
                    known.insert(next.to_vec());
                    open.push_back(next.to_vec());
                }
            }
        }
    }
    share.fused = fused.n_fused() as u64;
    let statistics = whole.statistics();
    if fused.fusing_failure().is_some() || fused.statistics() != statistics {
        let (failure, found) = (fused.fusing_failure(), fused.statistics());
        return Err(format!("fused: {failure:?}, {found:?} instead of {statistics:?}"));
    }
    (share.bailed, share.left, share.chains) = (statistics.bailed, statistics.left, statistics.chains);
    if !whole.is_ready() {
        share.bailed = share.states;
    }
    Ok(share)
}

/// Expands a state twice at once and compares what comes out with what is expected, if anything does. Says whether.
fn expand_plainly(
    native: &Native,
    state: &[u64],
    expected: &Successors,
    n_transitions: usize,
) -> Result<bool, String> {
    let words = [state, &[77; 3], state].concat();
    let places = [0..state.len(), state.len() + 3..words.len()];
    let (mut out, mut all) = (fresh(), Vec::new());
    native.expand_plainly(&words, &places, &mut out, &mut all);
    let states: Vec<&[u64]> = expected
        .outcomes
        .iter()
        .filter_map(|outcome| match &outcome.kind {
            OutcomeKind::State(range) => Some(expected.state(range)),
            _ => None,
        })
        .collect();
    let mut is_plain = false;
    for series in all.iter().filter(|series| series.n > 0) {
        is_plain = true;
        let place = |k: u32| (series.first + k * series.distance) as usize;
        let found: Vec<&[u64]> =
            (0..series.n).map(|k| &out.words[place(k)..place(k) + series.len as usize]).collect();
        let is_same = found == states && expected.outcomes.len() == states.len();
        if !is_same || executed(&out, n_transitions) != executed(expected, n_transitions) {
            return Err(format!("plainly: {found:x?}\ninstead of {states:x?}\n{state:x?}"));
        }
    }
    Ok(is_plain)
}

/// All states that can be reached, and the number of outcomes on the way.
pub fn reachable(model: &dyn Model) -> (HashSet<Vec<u64>>, usize) {
    let mut initial = Vec::new();
    model.initial(&mut initial).expect("there is an initial state");
    let (mut known, mut open) = (HashSet::from([initial.clone()]), vec![initial]);
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    let mut n_outcomes = 0;
    while let Some(state) = open.pop() {
        out.clear();
        model.expand(&state, &mut actions, &mut out);
        n_outcomes += out.outcomes.len();
        for outcome in &out.outcomes {
            if let OutcomeKind::State(range) = &outcome.kind
                && known.insert(out.state(range).to_vec())
            {
                open.push(out.state(range).to_vec());
            }
        }
    }
    (known, n_outcomes)
}

fn fresh() -> Successors {
    Successors { executed: Some(BitSet::default()), ..Successors::default() }
}

fn same(expected: &Successors, found: &Successors, n_transitions: usize) -> Result<(), String> {
    let is_same = |(left, right): (&model::Outcome, &model::Outcome)| {
        left.action == right.action
            && match (&left.kind, &right.kind) {
                (OutcomeKind::State(left), OutcomeKind::State(right)) => {
                    expected.state(left) == found.state(right)
                }
                (OutcomeKind::Failed(left), OutcomeKind::Failed(right)) => left == right,
                (OutcomeKind::Diverges(left), OutcomeKind::Diverges(right)) => left == right,
                _ => false,
            }
    };
    let n_outcomes = expected.outcomes.len();
    let are_same =
        n_outcomes == found.outcomes.len() && expected.outcomes.iter().zip(&found.outcomes).all(is_same);
    let show = |successors: &Successors| {
        let describe = |outcome: &model::Outcome| match &outcome.kind {
            OutcomeKind::State(range) => format!("{} {:x?}", outcome.action, successors.state(range)),
            OutcomeKind::Failed(failure) => format!("{} {failure:?}", outcome.action),
            OutcomeKind::Diverges(steps) => format!("{} diverges {steps}", outcome.action),
        };
        successors.outcomes.iter().map(describe).collect::<Vec<_>>()
    };
    if !are_same {
        return Err(format!("\n  found {:#?}\n  instead of {:#?}", show(found), show(expected)));
    }
    let (left, right) = (executed(expected, n_transitions), executed(found, n_transitions));
    if left != right {
        return Err(format!("executed {right:?} instead of {left:?}"));
    }
    if expected.abandoned != found.abandoned {
        return Err("abandoned".into());
    }
    Ok(())
}

/// A program of Promela text; none if it is refused.
pub fn lower(name: &str, text: String) -> Option<ir::Program> {
    let loader = |path: &Path| std::fs::read(path);
    let parsed = promela::parse(name, text, &promela::Options::default(), &loader).ok()?.accept().ok()?;
    let program = promela::lower(&parsed.program).ok()?;
    (program.global_channels.len() <= ir::MAX_CHANNELS).then_some(program)
}

/// A program of a file.
pub fn lower_file(path: &Path) -> Option<ir::Program> {
    let bytes = std::fs::read(path).ok()?;
    lower(&path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder with the given ending, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The transitions that were executed.
fn executed(successors: &Successors, n_transitions: usize) -> BitSet {
    let mut executed = successors.executed.clone().expect("asked for");
    executed.words_mut(n_transitions);
    executed
}

//! Reduced searches, on teams of processes.

use logic::{BinaryOp, Goal, Ltl, UnaryOp};
use model::{Actions, End, Model, OutcomeKind, Patience, PredicateId, Successors};

use crate::kernel::proviso::Proviso;
use crate::liveness::{find_cycle_from, start};
use crate::safety::Safety;
use crate::safety::{bfs, dfs, guided, reach};
use crate::toy_processes::{CHOICES, Does, Local, ToyProcesses, step};
use crate::{
    Answer, Checks, Cycles, Emptiness, Evidence, Fairness, Findings, Flags, Forbidden, Limits, Method,
    Options, Order, Preserves, Reason, Reduction, StopReason, Verdict, Watch, Watched, find_cycle, run,
    visited, watch,
};

/// How many random teams a test tries.
const ROUNDS: u64 = 400;

const ORDERS: [Order; 4] = [Order::Depth, Order::Breadth, Order::Any, Order::Guided];
const METHODS: [Method; 5] = [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];

fn options(order: Order, reduction: Option<(Method, Preserves)>) -> Options {
    let plan =
        |(method, preserves)| Reduction { method, preserves, watched: vec![PredicateId(0), PredicateId(1)] };
    Options { order, stop_after: None, reduction: reduction.map(plan), ..Options::default() }
}

fn unwatched(order: Order, method: Method, preserves: Preserves) -> Options {
    let mut options = options(order, Some((method, preserves)));
    options.reduction.iter_mut().for_each(|plan| plan.watched.clear());
    options
}

/// M^N states, or N·(M − 1) + 1.
#[test]
fn independent_processes_go_one_after_the_other() {
    for (n, m) in [(1, 4), (3, 2), (3, 3), (4, 5), (6, 3)] {
        let team = ToyProcesses::counters(n, m, false);
        for order in ORDERS {
            let full = run(&team, &options(order, None));
            assert_eq!(full.statistics.states, m.pow(n as u32));
            assert_eq!(full.statistics.reduced, 0);
            for preserves in [Preserves::Deadlocks, Preserves::FiniteRuns] {
                for method in METHODS {
                    let reduced = run(&team, &unwatched(order, method, preserves));
                    let what = format!("{n} × {m}, {order:?}, {method:?}, {preserves:?}");
                    assert_eq!(reduced.verdict, Verdict::Holds, "{what}");
                    assert!(reduced.complete, "{what}");
                    assert_eq!(reduced.statistics.states, n as u64 * (m - 1) + 1, "{what}");
                    assert_eq!(reduced.statistics.matched, 0, "{what}");
                    // While two processes have something to do.
                    assert_eq!(reduced.statistics.reduced, (n as u64 - 1) * (m - 1), "{what}");
                }
            }
        }
    }
}

#[test]
fn who_is_interrupted_while_independence_is_found_out_knows_nothing() {
    let team = ToyProcesses { is_interrupted: true, ..ToyProcesses::counters(2, 3, false) };
    for order in [Order::Depth, Order::Breadth, Order::Any, Order::Guided, Order::Walk] {
        let found = run(&team, &options(order, Some((Method::Stubborn, Preserves::Deadlocks))));
        assert_eq!(found.verdict, Verdict::Unknown(StopReason::Interrupted), "{order:?}");
        assert_eq!(found.statistics.reduced, 0);
    }
}

/// The first process goes round in a circle for ever, the second one has a failure in store.
fn ignoring(circle: u64) -> ToyProcesses {
    let round = (0..circle).map(|k| vec![step(Does::Nothing, (k + 1) % circle)]).collect();
    ToyProcesses::new(vec![round, vec![vec![step(Does::Nothing, 1)], vec![step(Does::Asserts, 1)]]])
}

#[test]
fn nobody_is_ignored() {
    for circle in 1..4 {
        for swapped in [false, true] {
            let mut team = ignoring(circle);
            if swapped {
                team.processes.swap(0, 1);
            }
            for (order, method) in ORDERS.into_iter().flat_map(|order| METHODS.map(|method| (order, method)))
            {
                let found = run(&team, &unwatched(order, method, Preserves::FiniteRuns));
                let what = format!("{circle}, {order:?}, {method:?}");
                assert!(matches!(found.verdict, Verdict::Violated(_)), "{what}");
                // There is no deadlock, and to find that out one of the processes is enough.
                let found = run(&team, &unwatched(order, method, Preserves::Deadlocks));
                assert!(found.statistics.states <= circle.max(2), "{what}");
            }
        }
    }
}

/// A weak stubborn set has a key, which alone stays enabled whatever else happens. Here the key is a
/// step round and round, and the other step of the set takes away what somebody else would need to fail.
#[test]
fn the_key_of_a_weak_stubborn_set_goes_on() {
    let fails = vec![vec![step(Does::Takes(2), 1)], vec![step(Does::Asserts, 1)]];
    let takes = vec![vec![step(Does::Takes(2), 1)], vec![step(Does::Awaits(0), 1)]];
    let rounds = vec![vec![step(Does::Sets(0), 0)]];
    for (order, method) in ORDERS.into_iter().flat_map(|order| METHODS.map(|method| (order, method))) {
        let processes = vec![fails.clone(), takes.clone(), rounds.clone()];
        let team = ToyProcesses { bits: 0b101, ..ToyProcesses::new(processes) };
        let found = run(&team, &unwatched(order, method, Preserves::FiniteRuns));
        assert!(matches!(found.verdict, Verdict::Violated(_)), "{order:?}, {method:?}");
    }
}

#[test]
fn circles_of_all_processes_are_not_closed_without_everything() {
    for (n, m) in [(2, 2), (3, 2), (3, 3), (4, 4)] {
        let team = ToyProcesses::counters(n, m, true);
        for (order, method) in ORDERS.into_iter().flat_map(|order| METHODS.map(|method| (order, method))) {
            let found = run(&team, &unwatched(order, method, Preserves::FiniteRuns));
            let statistics = &found.statistics;
            let what = format!("{n} × {m}, {order:?}, {method:?}: {statistics:?}");
            assert!(found.complete && found.verdict == Verdict::Holds, "{what}");
            assert!(statistics.states <= m.pow(n as u32) && statistics.reduced > 0, "{what}");
            // Every step of every process is made.
            assert_eq!(found.executed, run(&team, &options(order, None)).executed, "{what}");
        }
    }
}

/// One process goes nowhere; if it is tried first, the other one is tried next, and that is enough. What
/// was fired before has been explored, too: it counts.
#[test]
fn what_was_tried_before_a_subset_that_is_enough_counts() {
    let nowhere = vec![vec![step(Does::Nothing, 0)]];
    let line = vec![vec![step(Does::Nothing, 1)], vec![step(Does::Nothing, 2)], vec![]];
    for (order, method) in ORDERS.into_iter().flat_map(|order| METHODS.map(|method| (order, method))) {
        // The last process is tried first. Where only the one that goes nowhere is left, it is everything.
        for (processes, n_matched) in [([&nowhere, &line], 1), ([&line, &nowhere], 3)] {
            let team = ToyProcesses::new(processes.map(Vec::clone).into());
            let statistics = run(&team, &unwatched(order, method, Preserves::FiniteRuns)).statistics;
            let counts = (statistics.states, statistics.matched, statistics.reduced);
            assert_eq!(counts, (3, n_matched, 2), "{order:?}, {method:?}");
        }
    }
}

fn search(team: &ToyProcesses, options: &Options, proviso: Option<Proviso>) -> Findings {
    let set = visited::numbered(team, options);
    let mut finite = Safety::start(team, options, &*set).expect("there is an initial state");
    if let Some(proviso) = proviso {
        finite.ask_for(proviso);
    }
    match options.order {
        Order::Depth => dfs::explore(finite),
        Order::Breadth => bfs::explore(finite),
        Order::Any => reach::explore(finite),
        Order::Guided => guided::explore(finite),
        Order::Walk => unreachable!("it has no store"),
    }
}

/// What can be told apart from outside.
fn shown(findings: &Findings) -> impl PartialEq + std::fmt::Debug + use<> {
    let statistics = &findings.statistics;
    let counts = (statistics.states, statistics.matched, statistics.depth, statistics.errors);
    (findings.verdict.clone(), findings.complete, findings.executed.clone(), counts)
}

fn length(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Violated(violation) => Some(violation.trace.depth()),
        _ => None,
    }
}

#[test]
fn what_is_rejected_leaves_no_trace() {
    let mut n_differ = 0u64;
    for seed in 0..ROUNDS / 3 {
        let team = ToyProcesses::random(seed);
        for order in ORDERS {
            let full = search(&team, &options(order, None), None);
            for method in METHODS {
                let reduced = unwatched(order, method, Preserves::FiniteRuns);
                let rejected = search(&team, &reduced, Some(Proviso::Impossible));
                assert_eq!(rejected.statistics.reduced, 0);
                if order == Order::Depth {
                    assert_eq!(shown(&rejected), shown(&full), "seed {seed}, {order:?}, {method:?}");
                } else {
                    // States of a level are numbered in another order, so among shortest runs
                    // another one may come first.
                    let mut other = rejected.clone();
                    if order != Order::Breadth {
                        // One state at a time is not in the order of several, nor is another numbering.
                        other.statistics.depth = full.statistics.depth;
                    } else {
                        assert_eq!(length(&other.verdict), length(&full.verdict));
                    }
                    other.verdict = full.verdict.clone();
                    assert_eq!(shown(&other), shown(&full), "seed {seed}, {order:?}, {method:?}");
                }
                let taken = search(&team, &reduced, None);
                n_differ += u64::from(taken.statistics.states < full.statistics.states);
            }
        }
    }
    assert!(n_differ > ROUNDS, "{n_differ}");
}

#[test]
fn reduced_and_full_searches_agree_on_finite_runs() {
    let mut n_violated = [0; 3];
    for seed in 0..ROUNDS {
        let mut team = ToyProcesses::random(seed);
        for (k, preserves, checks) in [
            (0, Preserves::FiniteRuns, Checks { assertions: true, stuck: None }),
            (1, Preserves::FiniteRuns, Checks::SAFETY),
            (2, Preserves::Deadlocks, Checks::DEADLOCK),
        ] {
            if preserves == Preserves::Deadlocks {
                // Runtime errors are violations, but not what is asked for here.
                team.replace(Does::Fails, Does::Nothing);
            }
            for order in ORDERS {
                let full = run(&team, &Options { checks, ..options(order, None) });
                let is_violated = |findings: &Findings| matches!(findings.verdict, Verdict::Violated(_));
                n_violated[k] += u64::from(is_violated(&full));
                for method in METHODS {
                    let threads = 1 + (seed % 3) as usize;
                    let reduced =
                        run(&team, &Options { checks, threads, ..unwatched(order, method, preserves) });
                    let what = format!("seed {seed}, {order:?}, {method:?}, {preserves:?}: {team:?}");
                    assert!(reduced.complete, "{what}");
                    assert!(reduced.statistics.states <= full.statistics.states, "{what}");
                    assert_eq!(is_violated(&reduced), is_violated(&full), "{what}");
                    if preserves == Preserves::FiniteRuns {
                        assert_eq!(reduced.executed, full.executed, "{what}");
                    }
                    replay(&team, &reduced, false);
                }
            }
        }
    }
    println!("violated: {n_violated:?}");
    assert!(n_violated.iter().all(|&n| n > ROUNDS / 20 && n < 2 * ROUNDS * 4 / 5));
}

/// Whether a trace leads from state to state to what it claims. Outcomes are counted as in a search that
/// hears of `divergence`, or does not.
fn replay(team: &ToyProcesses, findings: &Findings, divergence: bool) {
    let Verdict::Violated(violation) = &findings.verdict else { return };
    let trace = &violation.trace;
    let what = || format!("{team:?}: {violation:?}");
    let mut states = vec![Vec::new()];
    team.initial(&mut states[0]).expect("there is an initial state");
    let mut ends = Vec::new();
    let mut at = 0;
    while at < trace.steps.len() {
        let state = states[states.len() - 1].clone();
        ends.push(at);
        let hidden = trace.steps[at..].iter().take_while(|step| !step.observable).count();
        let step = trace.steps[at + hidden];
        at += hidden + 1;
        let mut actions = Actions::default();
        team.enabled(&state, &mut actions);
        if step.is_stutter() {
            let has_diverged = trace.lasso.is_some_and(|lasso| lasso.start < at - 1);
            assert!(actions.list.is_empty() || has_diverged, "{}", what());
            states.push(state);
            continue;
        }
        actions.list.retain(|action| *action == step.action);
        assert_eq!(actions.list.len(), 1, "{}", what());
        let mut successors = Successors { divergence, ..Successors::default() };
        team.fire(&actions, &state, &mut successors);
        match &successors.outcomes[hidden].kind {
            OutcomeKind::State(range) => states.push(successors.state(range).to_vec()),
            OutcomeKind::Failed(_) | OutcomeKind::Diverges(_) => {
                assert_eq!(at, trace.steps.len(), "{}", what());
                states.push(state);
            }
        }
    }
    let last = &states[states.len() - 1];
    match (&violation.evidence, trace.lasso) {
        (Evidence::Stuck, _) => assert_eq!(team.end(last), End::Invalid, "{}", what()),
        (Evidence::Cycle, Some(lasso)) => {
            let start = ends.iter().position(|&end| end == lasso.start).expect("the cycle has a beginning");
            assert_eq!(&states[start], last, "{}", what());
        }
        (Evidence::Failure(_), None) => {}
        _ => panic!("{}", what()),
    }
}

/// s → s' is explored alone just above the depth limit, and s' later, on a shorter way, leads back to s.
#[test]
fn a_depth_limit_is_no_hiding_place() {
    let mut n_known = 0u64;
    for seed in 0..ROUNDS {
        let team = ToyProcesses::random(seed);
        for depth in 1..8 {
            for method in METHODS {
                let limits = Limits { depth, ..Limits::default() };
                let full = run(&team, &options(Order::Depth, None));
                let reduced =
                    run(&team, &Options { limits, ..unwatched(Order::Depth, method, Preserves::FiniteRuns) });
                let what = format!("seed {seed}, {depth}, {method:?}");
                match reduced.verdict {
                    Verdict::Holds => {
                        n_known += 1;
                        assert_eq!(full.verdict, Verdict::Holds, "{what}");
                    }
                    Verdict::Violated(_) => assert!(matches!(full.verdict, Verdict::Violated(_)), "{what}"),
                    Verdict::Unknown(reason) => assert_eq!(reason, StopReason::Depth),
                }
            }
        }
    }
    assert!(n_known > ROUNDS, "{n_known}");
}

/// Some formulas without `X` over the atoms 0 and 1.
fn formulas() -> Vec<Ltl<u32>> {
    let [p, q] = [Ltl::Atom(0), Ltl::Atom(1)];
    let eventually = |a: &Ltl<u32>| Ltl::unary(UnaryOp::Eventually, a.clone());
    let always = |a: &Ltl<u32>| Ltl::unary(UnaryOp::Always, a.clone());
    let join = |op, a: Ltl<u32>, b: Ltl<u32>| Ltl::binary(op, a, b);
    vec![
        eventually(&p),
        always(&p.clone().negated()),
        always(&eventually(&p)),
        eventually(&always(&p)),
        join(BinaryOp::Until, p.clone(), q.clone()),
        always(&join(BinaryOp::Implies, p.clone(), eventually(&q))),
        join(BinaryOp::Implies, always(&eventually(&p)), always(&eventually(&q))),
        join(BinaryOp::Or, eventually(&always(&p)), always(&eventually(&q))),
    ]
}

fn forbidden(formula: &Ltl<u32>, goal: Goal) -> Forbidden {
    let automaton =
        logic::translate(&formula.clone().negated(), goal, &Patience::default()).expect("it is small");
    let atoms = vec![PredicateId(0), PredicateId(1)];
    Forbidden { automaton, atoms, fails_at: None, stutters: true, reason: Reason::AcceptanceCycle }
}

/// All ways to look for cycles that suit.
fn ways(automaton: &logic::Automaton, fairness: Fairness) -> Vec<Cycles> {
    let mut ways = Vec::new();
    for emptiness in [Emptiness::Weak, Emptiness::NdfsBasic, Emptiness::Ndfs, Emptiness::Scc] {
        let nested = matches!(emptiness, Emptiness::NdfsBasic | Emptiness::Ndfs);
        for flags in [Flags::NPlusOne, Flags::NPlusTwo] {
            let cycles = Cycles { emptiness, fairness, flags };
            let is_other = flags == Flags::NPlusTwo && !(nested && fairness == Fairness::Weak);
            if cycles.suits(automaton) && !is_other {
                ways.push(cycles);
            }
        }
    }
    ways
}

fn reduced_cycles(method: Method, fairness: Fairness) -> Options {
    let preserves = if fairness == Fairness::None { Preserves::InfiniteRuns } else { Preserves::FairRuns };
    options(Order::Depth, Some((method, preserves)))
}

#[test]
fn what_is_rejected_in_a_product_leaves_no_trace() {
    let properties: Vec<Forbidden> = formulas().iter().map(|f| forbidden(f, Goal::StateBased)).collect();
    for seed in 0..ROUNDS / 10 {
        let mut team = ToyProcesses::random(seed);
        // A runtime error ends the search as soon as it is seen.
        team.replace(Does::Fails, Does::Nothing);
        for (k, property) in properties.iter().enumerate() {
            for fairness in [Fairness::None, Fairness::Weak] {
                for cycles in ways(&property.automaton, fairness) {
                    let full = find_cycle(&team, property, &cycles, &options(Order::Depth, None));
                    for method in [Method::Ample, Method::Stubborn] {
                        let options = reduced_cycles(method, fairness);
                        let set = visited::numbered(&team, &options);
                        let mut kernel =
                            start(&team, property, &options, &*set).expect("there is an initial state");
                        kernel.ask_for(Proviso::Impossible);
                        let rejected = find_cycle_from(kernel, property, &cycles, &options);
                        assert_eq!(
                            shown(&rejected),
                            shown(&full),
                            "seed {seed}, {k}, {cycles:?}, {method:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn reduced_and_full_searches_agree_on_infinite_runs() {
    let goals = [Goal::Generalised, Goal::StateBased];
    let properties: Vec<Forbidden> =
        formulas().iter().flat_map(|f| goals.map(|goal| forbidden(f, goal))).collect();
    let (mut n_violated, mut n_reduced) = (0, 0);
    let mut n_searches = 0;
    for seed in 0..ROUNDS / 2 {
        let team = ToyProcesses::random(seed);
        for (k, property) in properties.iter().enumerate() {
            for fairness in [Fairness::None, Fairness::Weak] {
                let mut counts = METHODS.map(|_| None);
                for cycles in ways(&property.automaton, fairness) {
                    let full = find_cycle(&team, property, &cycles, &options(Order::Depth, None));
                    let reason = |findings: &Findings| match &findings.verdict {
                        Verdict::Violated(violation) => Some(violation.reason),
                        _ => None,
                    };
                    if reason(&full) == Some(Reason::RuntimeError) {
                        // It comes before, and whether it does is a matter of order.
                        continue;
                    }
                    for (method, counts) in METHODS.into_iter().zip(&mut counts) {
                        let reduced = find_cycle(&team, property, &cycles, &reduced_cycles(method, fairness));
                        let what = format!("seed {seed}, {k}, {cycles:?}, {method:?}: {team:?}");
                        if reason(&reduced) != Some(Reason::RuntimeError) {
                            assert_eq!(reason(&reduced), reason(&full), "{what}");
                        }
                        if reduced.complete && full.complete {
                            assert!(reduced.statistics.states <= full.statistics.states, "{what}");
                        }
                        if reduced.complete && fairness == Fairness::None {
                            // All algorithms go the same way, and what they do twice counts once.
                            let statistics = &reduced.statistics;
                            let own = (statistics.states, statistics.matched, statistics.reduced);
                            assert_eq!(*counts.get_or_insert(own), own, "{what}");
                        }
                        n_reduced += u32::from(reduced.statistics.reduced > 0);
                        n_violated += u32::from(reason(&full).is_some());
                        n_searches += 1;
                        replay(&team, &reduced, true);
                    }
                }
            }
        }
    }
    println!("{n_searches} searches, {n_violated} violated, {n_reduced} reduced");
    assert!(n_violated > n_searches / 10 && n_reduced > n_searches / 4);
}

/// The first process goes round in a circle that nobody watches; the second one could go to where it
/// is watched. All alone, the first would hide it.
#[test]
fn a_circle_does_not_hide_what_can_be_seen() {
    for circle in 1..4 {
        for swapped in [false, true] {
            let mut team = ignoring(circle);
            team.processes[1] = vec![vec![step(Does::Nothing, 1)], vec![step(Does::Nothing, 2)], vec![]];
            let mut watched = 1;
            if swapped {
                team.processes.swap(0, 1);
                watched = 0;
            }
            team.atoms = vec![(watched, 2), (watched, 2)];
            let never = Ltl::unary(UnaryOp::Always, Ltl::Atom(0).negated());
            for goal in [Goal::Generalised, Goal::StateBased] {
                let property = forbidden(&never, goal);
                for fairness in [Fairness::None, Fairness::Weak] {
                    for (cycles, method) in ways(&property.automaton, fairness)
                        .into_iter()
                        .flat_map(|cycles| METHODS.map(|method| (cycles, method)))
                    {
                        let found = find_cycle(&team, &property, &cycles, &reduced_cycles(method, fairness));
                        assert!(
                            matches!(found.verdict, Verdict::Violated(_)),
                            "{circle}, {cycles:?}, {method:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "does not suit")]
fn strong_fairness_is_not_reduced() {
    let team = ToyProcesses::random(0);
    let property = forbidden(&formulas()[0], Goal::Generalised);
    let cycles = Cycles { emptiness: Emptiness::Scc, fairness: Fairness::Strong, flags: Flags::None };
    find_cycle(&team, &property, &cycles, &reduced_cycles(Method::Ample, Fairness::Strong));
}

#[test]
#[should_panic(expected = "does not suit")]
fn what_the_automaton_sees_is_watched() {
    let team = ToyProcesses::random(0);
    let property = forbidden(&formulas()[0], Goal::Generalised);
    let cycles = Cycles::fastest(&property.automaton, Fairness::None);
    let mut options = reduced_cycles(Method::Ample, Fairness::None);
    options.reduction.iter_mut().for_each(|plan| plan.watched.clear());
    find_cycle(&team, &property, &cycles, &options);
}

/// Where a process may go round in circles inside a step, or has several outcomes, an event is found
/// again by the position of its action among everything enabled.
#[test]
fn a_failure_behind_a_subset_is_reported_as_it_happened() {
    let idle = vec![vec![step(Does::Nothing, 1)], vec![]];
    let choice = vec![
        vec![Local { does: Does::Nothing, to: vec![1, 2] }],
        vec![step(Does::Nothing, 3)],
        vec![step(Does::Nothing, 3), step(Does::Asserts, 3)],
        vec![],
    ];
    let team = ToyProcesses::new(vec![idle.clone(), idle, choice]);
    for order in ORDERS {
        for method in METHODS {
            let found = run(&team, &unwatched(order, method, Preserves::FiniteRuns));
            let Verdict::Violated(violation) = &found.verdict else { panic!("{order:?}, {method:?}") };
            assert_eq!(violation.reason, Reason::Assertion);
            let last = violation.trace.steps.last().expect("it takes steps");
            assert_eq!((last.action.actor.who.0, last.action.actor.transition % CHOICES), (2, 1));
            replay(&team, &found, false);
        }
    }
}

#[test]
fn predicates_are_seen_by_searches_that_keep_infinite_runs() {
    let mut n_smaller = 0;
    // The last one holds where the others, which are watched, both do.
    let wanted = [0, 1, 2].map(PredicateId).map(Watch::Reachable);
    for seed in 0..ROUNDS {
        let team = ToyProcesses::random(seed);
        for order in ORDERS {
            let full = watch(&team, &wanted, &options(order, None));
            for method in METHODS {
                let reduced = watch(&team, &wanted, &options(order, Some((method, Preserves::InfiniteRuns))));
                let reached = |watched: &Watched| {
                    let answers = watched.answers.iter();
                    answers.map(|answer| matches!(answer, Answer::Reached(_))).collect::<Vec<_>>()
                };
                assert_eq!(reached(&reduced), reached(&full), "seed {seed}, {order:?}, {method:?}");
                n_smaller += u64::from(reduced.statistics.states < full.statistics.states);
            }
        }
    }
    assert!(n_smaller > 100, "{n_smaller}");
}

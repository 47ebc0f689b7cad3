//! Random nets and random questions: what the binary and the searches answer is what the definitions say,
//! evaluated on all markings by the simplest means.
//!
//! `STUBBORN_ROUNDS` says how many nets, `STUBBORN_SEED` which one to start with; a difference names its
//! seed.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use logic::Goal;
use model::{Patience, PredicateId, Random};
use petri::{Formula, Net, NetModel, NetOptions, NetPlayer, Predicate, Sum, lola, pnml, semantics};
use por::{Method, Preserves, Reduction};
use replay::Evidence;
use search::{
    Answer, Checks, Cycles, Emptiness, Fairness, Flags, Forbidden, Limits, Options, Order, Reason,
    StopReason, Verdict, Watch,
};
use serde_json::Value;
use testkit::random::{branching, net, net_predicate};
use testkit::rounds::setting;

/// Nets with more markings are left out.
const MARKINGS: usize = 250;

/// All markings, and what each leads to: transitions and markings.
struct Graph {
    markings: Vec<Vec<u64>>,
    edges: Vec<Vec<(usize, usize)>>,
}

/// What becomes of a path that cannot go on.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Repeat,
    End,
}

impl Graph {
    /// None if there are too many markings.
    fn of(net: &Net) -> Option<Graph> {
        let mut graph = Graph { markings: vec![net.initial()], edges: Vec::new() };
        let mut numbers = HashMap::from([(net.initial(), 0)]);
        while graph.edges.len() < graph.markings.len() {
            let marking = graph.markings[graph.edges.len()].clone();
            let mut edges = Vec::new();
            for transition in net.transition_ids() {
                let Some(next) = semantics::fire(net, transition, &marking) else { continue };
                let fresh = graph.markings.len();
                let number = *numbers.entry(next.clone()).or_insert(fresh);
                if number == fresh {
                    graph.markings.push(next);
                }
                edges.push((transition.0 as usize, number));
            }
            graph.edges.push(edges);
            if graph.markings.len() > MARKINGS {
                return None;
            }
        }
        Some(graph)
    }

    fn all(&self, holds: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.markings.len()).map(holds).collect()
    }

    /// Which markings can be reached from one.
    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = self.all(|state| state == from);
        let mut work = vec![from];
        while let Some(state) = work.pop() {
            for &(_, next) in &self.edges[state] {
                if !std::mem::replace(&mut seen[next], true) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// Where a formula of branching time holds, operator by operator, each by its own definition as a least
    /// or greatest set.
    fn holds(&self, net: &Net, formula: &Formula, ends: Ends) -> Vec<bool> {
        let of = |inner: &Formula| self.holds(net, inner, ends);
        let (path, is_all) = match formula {
            Formula::Constant(value) => return self.all(|_| *value),
            Formula::Atom(_) => {
                return self.all(|s| semantics::holds(net, formula, &self.markings[s]).expect("small"));
            }
            Formula::Not(inner) => return of(inner).into_iter().map(|holds| !holds).collect(),
            Formula::And(inner) => {
                let inner: Vec<_> = inner.iter().map(of).collect();
                return self.all(|s| inner.iter().all(|truth| truth[s]));
            }
            Formula::Or(inner) => {
                let inner: Vec<_> = inner.iter().map(of).collect();
                return self.all(|s| inner.iter().any(|truth| truth[s]));
            }
            Formula::All(path) => (&**path, true),
            Formula::Exists(path) => (&**path, false),
            other => panic!("not of branching time: {other:?}"),
        };
        // What all next markings have, or some; and what is so where there is none.
        let next = |truth: &[bool], s: usize, none: bool| match &self.edges[s][..] {
            [] if ends == Ends::Repeat => truth[s],
            [] => none,
            edges if is_all => edges.iter().all(|&(_, n)| truth[n]),
            edges => edges.iter().any(|&(_, n)| truth[n]),
        };
        let fixed = |start: bool, step: &dyn Fn(&[bool], usize) -> bool| {
            let mut truth = self.all(|_| start);
            loop {
                let new = self.all(|s| step(&truth, s));
                if new == truth {
                    return truth;
                }
                truth = new;
            }
        };
        match path {
            Formula::Next(a) => {
                let a = of(a);
                self.all(|s| next(&a, s, is_all))
            }
            // On a path that ends nothing comes any more, and what was so all along is so always.
            Formula::Eventually(a) => {
                let a = of(a);
                fixed(false, &|truth, s| a[s] || next(truth, s, false))
            }
            Formula::Always(a) => {
                let a = of(a);
                fixed(true, &|truth, s| a[s] && next(truth, s, true))
            }
            Formula::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                fixed(false, &|truth, s| b[s] || a[s] && next(truth, s, false))
            }
            Formula::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                fixed(true, &|truth, s| b[s] && (a[s] || next(truth, s, true)))
            }
            state => of(state),
        }
    }

    fn is_dead(&self, state: usize) -> bool {
        self.edges[state].is_empty()
    }

    /// Whether a transition can fire again and again, whatever happens.
    fn is_live(&self, transition: usize) -> bool {
        (0..self.markings.len()).all(|state| {
            let seen = self.reachable(state);
            (0..seen.len()).any(|s| seen[s] && self.edges[s].iter().any(|&(t, _)| t == transition))
        })
    }

    fn greatest(&self, sum: &Sum) -> i128 {
        self.markings.iter().filter_map(|marking| semantics::value(sum, marking)).max().expect("one is there")
    }
}

fn all(path: Formula) -> Formula {
    Formula::All(Box::new(path))
}

fn eventually(formula: &Formula) -> Formula {
    Formula::Eventually(Box::new(formula.clone()))
}

fn always(formula: &Formula) -> Formula {
    Formula::Always(Box::new(formula.clone()))
}

/// What terminal components say about a predicate, and the opposite of some of it.
fn home_forms(p: &Formula) -> Vec<Formula> {
    let ef = |formula: &Formula| Formula::Exists(Box::new(eventually(formula)));
    let ag = |formula: &Formula| all(always(formula));
    let forms = [ag(&ef(p)), ef(&ag(p)), ag(&ef(&ag(p))), ef(&ag(&ef(p)))];
    let others = [ag(&ef(p)).negated(), ef(&ag(&p.clone().negated())).negated()];
    forms.into_iter().chain(others).collect()
}

/// Formulas of linear time with one of branching time that means the same if a run repeats its last marking.
fn twins(p: &Formula, q: &Formula) -> Vec<(Formula, Formula)> {
    let boxed = |formula: &Formula| Box::new(formula.clone());
    let until = Formula::Until(boxed(p), boxed(q));
    let release = Formula::Release(boxed(p), boxed(q));
    let next = Formula::Next(boxed(p));
    // p leads to q; infinitely often p; p until always q does not have a twin, p before next q has.
    let leads = Formula::Or(vec![p.clone().negated(), eventually(q)]);
    let leads_all = Formula::Or(vec![p.clone().negated(), all(eventually(q))]);
    vec![
        (eventually(p), all(eventually(p))),
        (always(p), all(always(p))),
        (until.clone(), all(until)),
        (release.clone(), all(release)),
        (next.clone(), all(next)),
        (always(&eventually(p)), all(always(&all(eventually(p))))),
        (always(&leads), all(always(&leads_all))),
        (Formula::Next(Box::new(always(p))), all(Formula::Next(Box::new(all(always(p)))))),
    ]
}

/// Asks the binary. Gives the results in order.
fn check(net: &Path, options: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_stubborn"))
        .args(["check", "--format", "json"])
        .arg(net)
        .args(options)
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{options:?}: {}", String::from_utf8_lossy(&output.stderr)));
    report["results"].as_array().unwrap_or_else(|| panic!("{options:?}: {report}")).clone()
}

fn text_of(net: &Net) -> String {
    let mut text = Vec::new();
    pnml::write(net, &mut text).expect("it can be written");
    String::from_utf8(text).expect("text")
}

#[test]
fn the_binary_answers_as_the_definitions_say() {
    let (first, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 60));
    let place = tempfile::tempdir().expect("a folder");
    let (file, formulas_file) = (place.path().join("net.pnml"), place.path().join("net.formula"));
    let (mut n_nets, mut n_answers, mut n_true) = (0, 0, 0);
    for seed in first..first + rounds {
        let prng = &mut Random::new(seed);
        let net = net(prng);
        let Some(graph) = Graph::of(&net) else { continue };
        n_nets += 1;
        let text = text_of(&net);
        std::fs::write(&file, &text).expect("it can be written");
        let (p, q) = (net_predicate(&net, prng, 2), net_predicate(&net, prng, 2));
        let mut asked = vec![];
        let atoms: Vec<Formula> = (0..6).map(|_| net_predicate(&net, prng, 1)).collect();
        asked.extend((0..12).map(|_| {
            let depth = 1 + prng.below(3);
            branching(&atoms, prng, depth)
        }));
        asked.extend([p.clone(), q.clone()].iter().flat_map(|p| {
            [Formula::Exists(Box::new(eventually(p))), all(always(p)), all(always(p)).negated()]
        }));
        asked.extend(home_forms(&p));
        let twins = twins(&p, &q);
        let written = |formula: &Formula| format!("FORMULA {};\n", lola::write_formula(formula, &net));
        let lines: String = asked.iter().chain(twins.iter().map(|(linear, _)| linear)).map(written).collect();
        std::fs::write(&formulas_file, &lines).expect("it can be written");
        let formulas = formulas_file.to_str().expect("text");
        for (rule, ends) in [("stutter", Ends::Repeat), ("end", Ends::End)] {
            let search = *prng.pick(&["dfs", "bfs", "reach"]);
            let threads = *prng.pick(&["1", "2"]);
            let mut options =
                vec!["--formula", formulas, "--ctl-deadlock", rule, "--search", search, "--threads", threads];
            if prng.chance(60) {
                options.extend(["--por", *prng.pick(&["none", "ample", "stubborn", "deletion", "weak"])]);
            }
            let results = check(&file, &options);
            assert_eq!(results.len(), asked.len() + twins.len());
            // Linear time knows only runs that repeat their last marking.
            let branching = asked.iter().map(|formula| (formula, ends));
            let linear = twins.iter().map(|(_, branching)| (branching, Ends::Repeat));
            for ((formula, ends), result) in branching.chain(linear).zip(&results) {
                let holds = graph.holds(&net, formula, ends)[0];
                let expected = if holds { "holds" } else { "violated" };
                assert_eq!(
                    result["verdict"],
                    expected,
                    "STUBBORN_SEED={seed} {options:?}\n{}\n{result:#}\n{text}",
                    lola::write_formula(formula, &net)
                );
                n_answers += 1;
                n_true += usize::from(holds);
            }
        }
        // Little to spend: questions that share an exploration are asked alone, too. Nothing becomes wrong.
        let limit = (1 + prng.below(graph.markings.len())).to_string();
        let results = check(&file, &["--formula", formulas, "--max-states", &limit]);
        for (formula, result) in
            asked.iter().zip(&results).filter(|(_, result)| result["verdict"] != "unknown")
        {
            let holds = graph.holds(&net, formula, Ends::Repeat)[0];
            let expected = if holds { "holds" } else { "violated" };
            assert_eq!(
                result["verdict"], expected,
                "STUBBORN_SEED={seed} {limit} states\n{result:#}\n{text}"
            );
            n_answers += 1;
        }
        n_answers += compare_globals(seed, &net, &graph, &file, prng);
    }
    println!("{n_nets} nets, {n_answers} answers, {n_true} formulas are true");
    assert!(n_answers as u64 > 40 * n_nets && n_nets * 4 > rounds, "{n_nets} nets are too few");
}

/// Everything that is asked without a formula, with a method of reduction. Gives the number of answers.
fn compare_globals(seed: u64, net: &Net, graph: &Graph, file: &Path, prng: &mut Random) -> usize {
    let sum = Sum::new(net.place_ids().map(|place| (place, *prng.pick(&[1, 1, -1, 2]))).collect(), 0);
    let sum = sum.expect("small numbers");
    let bound = lola::write_sum(&sum, net).to_string();
    let por = *prng.pick(&["none", "stubborn", "deletion", "weak"]);
    let options = ["--deadlock", "--explore", "--live", "t0", "--live", "all", "--home", "DEADLOCK"];
    let results = check(file, &[&options[..], &["--bounded", &bound, "--por", por]].concat());
    let context = format!("STUBBORN_SEED={seed} {por}\n{}", text_of(net));
    let n_states = graph.markings.len();
    let has_deadlock = (0..n_states).any(|state| graph.is_dead(state));
    let live: Vec<bool> = (0..net.transitions().len()).map(|transition| graph.is_live(transition)).collect();
    let is_home = (0..n_states).all(|state| {
        let seen = graph.reachable(state);
        (0..n_states).any(|s| seen[s] && graph.is_dead(s))
    });
    let expected = [
        ("deadlock", !has_deadlock),
        ("state-space", true),
        ("home_0", is_home),
        ("live_0", live[0]),
        ("live_1", live.iter().all(|live| *live)),
        ("bounded_0", true),
    ];
    for ((name, holds), result) in expected.iter().zip(&results) {
        assert_eq!(result["property"], *name, "{context}");
        assert_eq!(result["verdict"], if *holds { "holds" } else { "violated" }, "{name} {context}");
    }
    let n_edges: usize = graph.edges.iter().map(Vec::len).sum();
    let count = |name: &str| results[1][name].as_u64().expect("a number") as usize;
    let counted = (count("states"), count("edges"));
    // A method that is named leaves out what deadlocks do not need.
    let is_right = if por == "none" {
        counted == (n_states, n_edges)
    } else {
        counted.0 <= n_states && counted.1 <= n_edges
    };
    assert!(is_right, "{counted:?} instead of {n_states} and {n_edges}: {context}");
    assert_eq!(results[5]["value"].as_i64().map(i128::from), Some(graph.greatest(&sum)), "{bound} {context}");
    if has_deadlock {
        // The run that is shown is a run, and ends in a deadlock.
        let mut marking = net.initial();
        for step in results[0]["trace"]["steps"].as_array().expect("a run") {
            let id =
                net.transition_ids().find(|id| step["action"] == *net.transition(*id).name).expect("known");
            marking = semantics::fire(net, id, &marking).expect("it can fire");
        }
        let end = graph.markings.iter().position(|known| *known == marking).expect("it is reachable");
        assert!(graph.is_dead(end), "{context}");
    }
    if net.has_inhibitors() {
        return results.len();
    }
    // The contest's questions, in its own words.
    let folder = file.parent().expect("it has one");
    std::fs::copy(file, folder.join("model.pnml")).expect("it can be copied");
    let is_one_safe = graph.markings.iter().flatten().all(|tokens| *tokens <= 1);
    let stable =
        |place: usize| graph.markings.iter().all(|marking| marking[place] == graph.markings[0][place]);
    let fired: BTreeSet<usize> = graph.edges.iter().flatten().map(|(transition, _)| *transition).collect();
    let expected = [
        ("OneSafe", is_one_safe),
        ("StableMarking", (0..net.places().len()).any(stable)),
        ("QuasiLiveness", fired.len() == net.transitions().len()),
        ("Liveness", live.iter().all(|live| *live)),
        ("ReachabilityDeadlock", has_deadlock),
    ];
    for (examination, holds) in expected {
        let output = Command::new(env!("CARGO_BIN_EXE_stubborn"))
            .args(["mcc", "--examination", examination])
            .arg(folder)
            .output()
            .expect("it runs");
        let line = String::from_utf8(output.stdout).expect("text");
        let expected = format!("FORMULA {examination} {} ", if holds { "TRUE" } else { "FALSE" });
        assert!(line.starts_with(&expected), "{line} instead of {expected}: {context}");
    }
    results.len() + 5
}

/// Everything that a search can be told about its order.
fn orders() -> Vec<Options> {
    let options = |order, threads| Options { order, threads, patient: true, ..Options::default() };
    let one = [Order::Depth, Order::Breadth, Order::Any, Order::Guided].map(|order| options(order, 1));
    one.into_iter().chain([options(Order::Any, 2)]).collect()
}

#[test]
fn searches_answer_as_the_definitions_say() {
    let (first, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 150));
    let (mut n_nets, mut n_answers, mut n_reduced, mut n_missed) = (0, 0, 0, 0);
    for seed in first..first + rounds {
        let prng = &mut Random::new(seed ^ 0xabcd);
        let net = Arc::new(net(prng));
        let Some(graph) = Graph::of(&net) else { continue };
        n_nets += 1;
        let (p, q) = (net_predicate(&net, prng, 2), net_predicate(&net, prng, 1));
        let known = [p.clone(), q.clone(), p.clone().negated()];
        let predicates: Vec<Predicate> = known.iter().cloned().map(Predicate::Formula).collect();
        let mut model =
            NetModel::new(net.clone(), predicates.clone(), NetOptions::default(), &Patience::default())
                .expect("few tokens");
        let context = |what: &dyn std::fmt::Debug| {
            format!(
                "STUBBORN_SEED={seed} {what:?}\n{} | {}\n{}",
                lola::write_formula(&p, &net),
                lola::write_formula(&q, &net),
                text_of(&net)
            )
        };
        // Room for all tokens: what is looked at here is the search.
        let everything = Options { checks: Checks::NONE, ..Options::default() };
        while !search::run(&model, &everything).complete {
            model = model.widened(&Patience::default()).expect("few tokens");
        }
        let (p_holds, q_holds) = (graph.holds(&net, &p, Ends::Repeat), graph.holds(&net, &q, Ends::Repeat));
        let is_reachable = [p_holds.contains(&true), q_holds.contains(&true)];
        let has_deadlock = (0..graph.markings.len()).any(|state| graph.is_dead(state));
        for options in orders() {
            for method in [None, Some(Method::Stubborn), Some(Method::Deletion), Some(Method::Weak)] {
                let reduction = method.map(|method| Reduction {
                    method,
                    preserves: Preserves::Deadlocks,
                    watched: Vec::new(),
                });
                let options = Options { checks: Checks::DEADLOCK, reduction, ..options.clone() };
                let findings = search::run(&model, &options);
                let expected = matches!(findings.verdict, Verdict::Violated(_));
                assert_eq!(expected, has_deadlock, "{}", context(&(options.order, method)));
                n_answers += 1;
                n_reduced += usize::from(findings.statistics.states < graph.markings.len() as u64);
            }
            for (number, expected) in is_reachable.into_iter().enumerate() {
                let goal = PredicateId(number as u32);
                for method in [None, Some(Method::Stubborn)] {
                    let reduction = method.map(|method| Reduction {
                        method,
                        preserves: Preserves::Goal(goal),
                        watched: vec![goal],
                    });
                    let options = Options { reduction, ..options.clone() };
                    let watched = search::watch(&model, &[Watch::Reachable(goal)], &options);
                    let is_right = match &watched.answers[0] {
                        Answer::Reached(_) => expected,
                        Answer::Unreachable => !expected,
                        _ => false,
                    };
                    assert!(is_right, "{}", context(&(options.order, number, method)));
                    n_answers += 1;
                }
            }
        }
        // A walk says nothing but what it has seen.
        for (number, expected) in is_reachable.into_iter().enumerate() {
            let goal = PredicateId(number as u32);
            for method in [None, Some(Method::Stubborn)] {
                let reduction = method.map(|method| Reduction {
                    method,
                    preserves: Preserves::Goal(goal),
                    watched: vec![goal],
                });
                let limits = Limits { states: 20_000, ..Limits::default() };
                let options = Options {
                    order: Order::Walk,
                    seed,
                    reduction,
                    patient: true,
                    limits,
                    ..Options::default()
                };
                let watched = search::watch(&model, &[Watch::Reachable(goal)], &options);
                n_missed += match &watched.answers[0] {
                    Answer::Reached(trace) => {
                        let play = NetPlayer::start(&net, &predicates);
                        let replayed =
                            replay::replay(play, trace, &Evidence::Reaches(goal), &Patience::default());
                        assert!(expected && replayed.is_ok(), "{}", context(&(number, method, replayed)));
                        0
                    }
                    Answer::Unknown(StopReason::States) => usize::from(expected),
                    other => panic!("{}", context(other)),
                };
                n_answers += 1;
            }
        }
        for (linear, branching) in twins(&p, &q) {
            let expected = graph.holds(&net, &branching, Ends::Repeat)[0];
            for (how, holds) in decide_linear(&model, &linear, &known) {
                assert_eq!(
                    holds,
                    expected,
                    "{}",
                    context(&(lola::write_formula(&linear, &net).to_string(), how))
                );
                n_answers += 1;
            }
        }
    }
    println!(
        "{n_nets} nets, {n_answers} answers, {n_reduced} searches for deadlocks visited less, {n_missed} walks missed"
    );
    assert!(
        n_missed as u64 * 10 < n_nets
            && n_nets * 4 > rounds
            && n_answers as u64 > 100 * n_nets
            && n_reduced > 100
    );
}

/// Whether a formula of linear time holds, by every search that suits. The model knows these predicates.
fn decide_linear(model: &NetModel, linear: &Formula, known: &[Formula]) -> Vec<(String, bool)> {
    let (formula, atoms) = linear.linear().expect("it is of linear time").numbered();
    let number = |atom: &Formula| known.iter().position(|known| known == atom).expect("it is known");
    let atoms: Vec<PredicateId> = atoms.iter().map(|atom| PredicateId(number(atom) as u32)).collect();
    let mut answers = Vec::new();
    for goal in [Goal::Generalised, Goal::StateBased] {
        let automaton =
            logic::translate(&formula.clone().negated(), goal, &Patience::default()).expect("it is small");
        let forbidden = Forbidden {
            automaton,
            atoms: atoms.clone(),
            fails_at: None,
            stutters: true,
            reason: Reason::AcceptanceCycle,
        };
        for emptiness in
            [Emptiness::Weak, Emptiness::NdfsBasic, Emptiness::Ndfs, Emptiness::Scc, Emptiness::Cndfs]
        {
            let cycles = Cycles { emptiness, fairness: Fairness::None, flags: Flags::NPlusOne };
            if !cycles.suits(&forbidden.automaton) {
                continue;
            }
            for method in [None, Some(Method::Stubborn), Some(Method::Deletion)] {
                if method.is_some() && (formula.has_next() || emptiness == Emptiness::Cndfs) {
                    continue;
                }
                let plan =
                    |method| Reduction { method, preserves: Preserves::InfiniteRuns, watched: atoms.clone() };
                let threads = if emptiness == Emptiness::Cndfs { 2 } else { 1 };
                let options =
                    Options { reduction: method.map(plan), patient: true, threads, ..Options::default() };
                let holds = match search::find_cycle(model, &forbidden, &cycles, &options).verdict {
                    Verdict::Holds => true,
                    Verdict::Violated(_) => false,
                    Verdict::Unknown(stop) => panic!("there is no limit: {stop}"),
                };
                answers.push((format!("{goal:?} {emptiness:?} {method:?}"), holds));
            }
        }
    }
    answers
}

//! Branching time on random graphs, against fixpoints.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use logic::{Ctl, HomeForm, Quantifier};
use model::{PredicateId, Trace};

use super::*;
use crate::toy::Edge::{Asserts, Fails, Through, To};
use crate::toy::{FAILS, Toy};
use crate::{Evidence, Limits, Options, Reason};

type Formula = Ctl<PredicateId>;
type Set = BTreeSet<u64>;

struct Random(model::Random);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0.draw() % n
    }

    /// A graph with ends, loops and components, and three predicates.
    fn toy(&mut self) -> Toy {
        let n_nodes = 1 + self.below(12);
        let n_edges = 1 + self.below(3);
        let forward = self.below(2) == 0;
        let mut toy = Toy::default();
        for node in 0..n_nodes {
            let mut edges = Vec::new();
            for _ in 0..self.below(n_edges + 1) {
                let target = match self.below(4) {
                    0 => node,
                    1 | 2 if forward => (node + 1 + self.below(3)).min(n_nodes - 1),
                    _ => self.below(n_nodes),
                };
                edges.push(match self.below(6) {
                    0 => Asserts(target),
                    n => Through((n % 2) as usize, target),
                });
            }
            toy.edges.push(edges);
        }
        for _ in 0..3 {
            let (some, usually) = (2 + self.below(4), self.below(2) == 0);
            toy.values.push((0..n_nodes).map(|_| i64::from((self.below(some) != 0) == usually)).collect());
        }
        toy
    }

    fn formula(&mut self, height: u64) -> Formula {
        if height == 0 || self.below(10) == 0 {
            return match self.below(12) {
                0 => Ctl::Constant(true),
                1 => Ctl::Constant(false),
                n => Ctl::Atom(PredicateId((n % 3) as u32)),
            };
        }
        let quantifier = if self.below(2) == 0 { Quantifier::All } else { Quantifier::Exists };
        let mut operand = || Box::new(self.formula(height - 1));
        let [a, b] = [operand(), operand()];
        match self.below(10) {
            0 => Ctl::Not(a),
            1 => Ctl::And(vec![*a, *b]),
            2 => Ctl::Or(vec![*a, *b]),
            3 => Ctl::And((0..self.below(4)).map(|_| self.formula(height - 1)).collect()),
            4 => Ctl::Next(quantifier, a),
            5 => Ctl::Eventually(quantifier, a),
            6 => Ctl::Always(quantifier, a),
            7 => Ctl::Until(quantifier, a, b),
            8 => Ctl::WeakUntil(quantifier, a, b),
            _ => Ctl::Release(quantifier, a, b),
        }
    }
}

/// The nodes in which a formula holds, by fixpoints.
fn by_definition(toy: &Toy, formula: &Formula, deadlocks: Deadlocks) -> Set {
    let every = || 0..toy.edges.len() as u64;
    let next = |node: u64| -> Vec<u64> {
        let next: Vec<u64> = toy.next(node).collect();
        if next.is_empty() && deadlocks == Deadlocks::Stutter { vec![node] } else { next }
    };
    // What a path quantifier makes of a set of next nodes, if a path that ends counts as one or not.
    let pre = |quantifier: Quantifier, set: &Set, of_ends: bool| -> Set {
        let holds = |&node: &u64| match (next(node), quantifier) {
            (next, _) if next.is_empty() => of_ends,
            (next, Quantifier::All) => next.iter().all(|next| set.contains(next)),
            (next, Quantifier::Exists) => next.iter().any(|next| set.contains(next)),
        };
        every().filter(holds).collect()
    };
    let fixpoint = |from: Set, step: &dyn Fn(&Set) -> Set| {
        let mut set = from;
        loop {
            let after = step(&set);
            if after == set {
                return set;
            }
            set = after;
        }
    };
    let all: Set = every().collect();
    let of = |formula: &Formula| by_definition(toy, formula, deadlocks);
    match formula {
        Ctl::Constant(value) => {
            if *value {
                all
            } else {
                Set::new()
            }
        }
        Ctl::Atom(predicate) => {
            every().filter(|&node| toy.values[predicate.0 as usize][node as usize] != 0).collect()
        }
        Ctl::Not(a) => &all - &of(a),
        Ctl::And(operands) => operands.iter().fold(all, |set, operand| &set & &of(operand)),
        Ctl::Or(operands) => operands.iter().fold(Set::new(), |set, operand| &set | &of(operand)),
        Ctl::Next(q, a) => pre(*q, &of(a), *q == Quantifier::All),
        Ctl::Eventually(q, a) => {
            let a = of(a);
            fixpoint(Set::new(), &|set| &a | &pre(*q, set, false))
        }
        Ctl::Always(q, a) => {
            let a = of(a);
            fixpoint(all, &|set| &a & &pre(*q, set, true))
        }
        Ctl::Until(q, a, b) => {
            let (a, b) = (of(a), of(b));
            fixpoint(Set::new(), &|set| &b | &(&a & &pre(*q, set, false)))
        }
        Ctl::WeakUntil(q, a, b) => {
            let (a, b) = (of(a), of(b));
            fixpoint(all, &|set| &b | &(&a & &pre(*q, set, true)))
        }
        Ctl::Release(q, a, b) => {
            let (a, b) = (of(a), of(b));
            fixpoint(all, &|set| &b & &(&a | &pre(*q, set, true)))
        }
    }
}

/// A run on a toy: its nodes, and the place to which the last one leads back.
struct Walk<'t> {
    toy: &'t Toy,
    deadlocks: Deadlocks,
    nodes: Vec<u64>,
    lasso: Option<usize>,
}

impl Walk<'_> {
    fn new<'t>(toy: &'t Toy, deadlocks: Deadlocks, trace: &Trace) -> Walk<'t> {
        let mut nodes = toy.walk(trace).expect("it is a run");
        let stutters = trace.steps.iter().any(|step| step.is_stutter());
        assert!(!stutters || deadlocks == Deadlocks::Stutter);
        let lasso = trace.lasso.map(|lasso| {
            let at = trace.steps[..lasso.start].iter().filter(|step| step.observable).count();
            assert_eq!(nodes.pop(), Some(nodes[at]), "a lasso comes back");
            at
        });
        Walk { toy, deadlocks, nodes, lasso }
    }

    fn holds(&self, formula: &Formula, at: usize) -> bool {
        by_definition(self.toy, formula, self.deadlocks).contains(&self.nodes[at])
    }

    fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.nodes.len() { Some(at + 1) } else { self.lasso }
    }

    /// Whether nothing comes behind the end of the run.
    fn is_maximal(&self) -> bool {
        let ends = self.toy.edges[self.nodes[self.nodes.len() - 1] as usize].is_empty();
        self.lasso.is_some() || ends && self.deadlocks == Deadlocks::End
    }

    /// All places from one on, each one once.
    fn rest(&self, at: usize) -> impl Iterator<Item = usize> {
        let first = self.lasso.map_or(at, |lasso| lasso.min(at));
        (at..self.nodes.len()).chain(first..at)
    }

    /// Whether the run shows at a place why a formula holds there or does not. What one run cannot show
    /// counts as shown by being so.
    fn shows(&self, formula: &Formula, holds: bool, at: usize) -> bool {
        use Quantifier::{All, Exists};
        let truth = |value| Box::new(Ctl::Constant(value));
        if self.holds(formula, at) != holds {
            return false;
        }
        match formula {
            Ctl::Not(a) => self.shows(a, !holds, at),
            Ctl::And(operands) if holds => operands.iter().all(|a| self.holds(a, at)),
            Ctl::And(operands) => operands.iter().any(|a| self.shows(a, false, at)),
            Ctl::Or(operands) if !holds => operands.iter().all(|a| !self.holds(a, at)),
            Ctl::Or(operands) => operands.iter().any(|a| self.shows(a, true, at)),
            Ctl::Next(Exists, a) if holds => self.next(at).is_some_and(|next| self.shows(a, true, next)),
            Ctl::Next(All, a) if !holds => self.next(at).is_some_and(|next| self.shows(a, false, next)),
            Ctl::Eventually(q, a) => self.shows(&Ctl::Until(*q, truth(true), a.clone()), holds, at),
            Ctl::Always(q, a) => self.shows(&Ctl::Release(*q, truth(false), a.clone()), holds, at),
            Ctl::WeakUntil(q, a, b) => {
                let either = Box::new(Ctl::Or(vec![*a.clone(), *b.clone()]));
                self.shows(&Ctl::Release(*q, b.clone(), either), holds, at)
            }
            Ctl::Until(Exists, a, b) if holds => self.until((a, true), (b, true), at),
            Ctl::Release(All, a, b) if !holds => self.until((a, false), (b, false), at),
            Ctl::Until(All, a, b) if !holds => self.never((a, true), (b, true), at),
            Ctl::Release(Exists, a, b) if holds => self.never((a, false), (b, false), at),
            _ => true,
        }
    }

    /// Comes through `a` to `b`, and shows that.
    fn until(&self, a: (&Formula, bool), b: (&Formula, bool), at: usize) -> bool {
        let end = self.rest(at).find(|&k| self.shows(b.0, b.1, k));
        end.is_some_and(|end| self.rest(at).take_while(|&k| k != end).all(|k| self.holds(a.0, k) == a.1))
    }

    /// Never comes through `a` to `b`.
    fn never(&self, a: (&Formula, bool), b: (&Formula, bool), at: usize) -> bool {
        let end = self.rest(at).find(|&k| self.holds(a.0, k) != a.1);
        match end {
            Some(end) => {
                let before = self.rest(at).take_while(|&k| k != end).chain([end]);
                before.into_iter().all(|k| self.holds(b.0, k) != b.1)
            }
            None => self.is_maximal() && self.rest(at).all(|k| self.holds(b.0, k) != b.1),
        }
    }
}

/// Whether the outermost path quantifier of a formula is one of which a run shows something.
fn can_be_shown(formula: &Formula, holds: bool) -> bool {
    match formula {
        Ctl::Not(a) => can_be_shown(a, !holds),
        Ctl::Constant(_) | Ctl::Atom(_) | Ctl::And(_) | Ctl::Or(_) => false,
        Ctl::Next(q, _)
        | Ctl::Eventually(q, _)
        | Ctl::Always(q, _)
        | Ctl::Until(q, ..)
        | Ctl::WeakUntil(q, ..)
        | Ctl::Release(q, ..) => (*q == Quantifier::Exists) == holds,
    }
}

#[test]
fn formulas_hold_where_the_definition_says_and_runs_show_it() {
    let mut n_shown = 0;
    for seed in 0..4000 {
        let mut random = Random(model::Random::new(seed));
        let toy = random.toy();
        let options = Options::default();
        let mut space = Space::new(&toy, &options);
        let mut graph = space.graph().unwrap();
        for _ in 0..6 {
            let formula = random.formula(1 + seed % 4);
            for deadlocks in [Deadlocks::Stutter, Deadlocks::End] {
                let about = format!("seed {seed}, {deadlocks:?}, {:?}", formula);
                let holds = by_definition(&toy, &formula, deadlocks).contains(&0);
                let decided = check_ctl(&mut graph, &formula, deadlocks).unwrap();
                assert_eq!(decided.holds, holds, "{about}");
                if let Some(run) = &decided.run {
                    assert!(Walk::new(&toy, deadlocks, run).shows(&formula, holds, 0), "{about}: {run:?}");
                    n_shown += 1;
                }
                assert!(decided.run.is_some() || !can_be_shown(&formula, holds), "{about}");
            }
        }
    }
    assert!(n_shown > 5000, "{n_shown}");
}

#[test]
fn formulas_hold_everywhere_as_the_definition_says() {
    for seed in 0..2000 {
        let mut random = Random(model::Random::new(seed));
        let mut toy = random.toy();
        let n_nodes = toy.edges.len() as u64;
        let mut questions = Vec::new();
        for k in 0..8 {
            let formula = random.formula(1 + k % 4);
            for deadlocks in [Deadlocks::Stutter, Deadlocks::End] {
                // That the formula and a predicate with its truth agree in all states needs most of its labels.
                let truth = by_definition(&toy, &formula, deadlocks);
                let atom = Ctl::Atom(PredicateId(toy.values.len() as u32));
                toy.values.push((0..n_nodes).map(|node| i64::from(truth.contains(&node))).collect());
                let both = Ctl::And(vec![atom.clone(), formula.clone()]);
                let neither = Ctl::And(vec![atom.negated(), formula.clone().negated()]);
                let agree = Ctl::Or(vec![both, neither]);
                questions.push((Ctl::Always(Quantifier::All, Box::new(agree)), deadlocks));
            }
        }
        let options = Options::default();
        let mut space = Space::new(&toy, &options);
        let mut graph = space.graph().unwrap();
        for (formula, deadlocks) in questions {
            let decided = check_ctl(&mut graph, &formula, deadlocks).unwrap();
            assert!(decided.holds, "seed {seed}, {deadlocks:?}, {formula:?}");
        }
    }
}

#[test]
fn what_leads_back_to_the_path_is_true_with_it() {
    // A search for the last node leaves the circle 0, 1, 2 but for its first node before it gets there.
    let mut toy = Toy::new(vec![vec![To(1), To(3)], vec![To(2)], vec![To(0)], vec![]]);
    toy.values = vec![vec![0, 0, 0, 1]];
    let options = Options::default();
    let mut space = Space::new(&toy, &options);
    let mut graph = space.graph().unwrap();
    let ef = Ctl::Eventually(Quantifier::Exists, Box::new(Ctl::Atom(PredicateId(0))));
    let ag_ef = Ctl::Always(Quantifier::All, Box::new(ef));
    assert!(check_ctl(&mut graph, &ag_ef, Deadlocks::End).unwrap().holds);
}

#[test]
fn deadlocks_are_as_the_rules_say() {
    let mut toy = Toy::new(vec![vec![]]);
    toy.values = vec![vec![1]];
    let [p, not_p] = [Ctl::Atom(PredicateId(0)), Ctl::Atom(PredicateId(0)).negated()].map(Box::new);
    let options = Options::default();
    let mut space = Space::new(&toy, &options);
    let mut graph = space.graph().unwrap();
    let mut holds = |formula: Formula| {
        [Deadlocks::Stutter, Deadlocks::End].map(|rule| check_ctl(&mut graph, &formula, rule).unwrap().holds)
    };
    for quantifier in [Quantifier::All, Quantifier::Exists] {
        let end = quantifier == Quantifier::All;
        assert_eq!(holds(Ctl::Next(quantifier, p.clone())), [true, end]);
        assert_eq!(holds(Ctl::Next(quantifier, not_p.clone())), [false, end]);
        assert_eq!(holds(Ctl::Always(quantifier, p.clone())), [true; 2]);
        assert_eq!(holds(Ctl::Eventually(quantifier, not_p.clone())), [false; 2]);
    }
}

#[test]
fn only_what_is_needed_is_expanded() {
    let n = 100_000;
    let mut toy = Toy::new((0..n).map(|k| vec![To((k + 1) % n)]).collect());
    toy.values = vec![(0..n).map(|k| i64::from(k >= 50)).collect()];
    let p = Box::new(Ctl::Atom(PredicateId(0)));
    let options = Options::default();
    let mut space = Space::new(&toy, &options);
    let mut graph = space.graph().unwrap();
    for quantifier in [Quantifier::All, Quantifier::Exists] {
        let decided = check_ctl(&mut graph, &Ctl::Eventually(quantifier, p.clone()), Deadlocks::End).unwrap();
        assert!(decided.holds);
        assert_eq!(graph.statistics().states, 51);
    }
    // The whole circle, deep as it is.
    let always = Ctl::Always(Quantifier::All, Box::new(Ctl::Eventually(Quantifier::All, p)));
    assert!(check_ctl(&mut graph, &always, Deadlocks::End).unwrap().holds);
    assert_eq!(graph.statistics().states, n);
    assert!(is_reversible(&mut graph).unwrap().holds);
}

/// The nodes reachable from a node.
fn reachable(toy: &Toy, from: u64) -> Set {
    let mut reached = Set::from([from]);
    let mut pending = vec![from];
    while let Some(node) = pending.pop() {
        pending.extend(toy.next(node).filter(|&next| reached.insert(next)));
    }
    reached
}

/// Whether a run leads to a node from which on something is so everywhere.
fn leads_to(toy: &Toy, run: &Trace, holds: impl Fn(&Set) -> bool) -> bool {
    holds(&reachable(toy, *toy.walk(run).unwrap().last().unwrap()))
}

#[test]
fn home_properties_are_as_the_definition_says() {
    for seed in 0..4000 {
        let mut random = Random(model::Random::new(seed));
        let toy = random.toy();
        let options = Options::default();
        let mut space = Space::new(&toy, &options);
        let mut graph = space.graph().unwrap();
        let p = Ctl::Atom(PredicateId(0));
        let ag = |formula: Formula| Ctl::Always(Quantifier::All, Box::new(formula));
        let ef = |formula: Formula| Ctl::Eventually(Quantifier::Exists, Box::new(formula));
        for (form, formula) in [
            (HomeForm::AgEf, ag(ef(p.clone()))),
            (HomeForm::EfAg, ef(ag(p.clone()))),
            (HomeForm::AgEfAg, ag(ef(ag(p.clone())))),
            (HomeForm::EfAgEf, ef(ag(ef(p.clone())))),
        ] {
            let decided = home(&mut graph, PredicateId(0), form).unwrap();
            let expected = by_definition(&toy, &formula, Deadlocks::End).contains(&0);
            assert_eq!(decided.holds, expected, "seed {seed}, {form:?}");
            let is_phi = |node: &u64| toy.values[0][*node as usize] != 0;
            if let Some(run) = &decided.run {
                assert!(leads_to(&toy, run, |rest| match form {
                    HomeForm::AgEf => !rest.iter().any(is_phi),
                    HomeForm::EfAg => rest.iter().all(is_phi),
                    HomeForm::AgEfAg => !rest.iter().all(is_phi),
                    HomeForm::EfAgEf => rest.iter().any(is_phi),
                }));
            }
            assert_eq!(decided.run.is_some(), expected == matches!(form, HomeForm::EfAg | HomeForm::EfAgEf));
        }
    }
}

#[test]
fn liveness_and_relatives_are_as_the_definition_says() {
    let mut counts = [0; 3];
    for seed in 0..4000 {
        let toy = Random(model::Random::new(seed)).toy();
        let options = Options::default();
        let mut space = Space::new(&toy, &options);
        let mut graph = space.graph().unwrap();
        let all = reachable(&toy, 0);
        let is_possible =
            |nodes: &Set, k: usize| nodes.iter().any(|&node| toy.edges[node as usize].len() > k);
        let is_again = |k: usize| all.iter().all(|&node| is_possible(&reachable(&toy, node), k));

        let Transitions { possible, live } = transitions(&mut graph).unwrap();
        for k in 0..5 {
            assert_eq!(possible.contains(k), is_possible(&all, k), "seed {seed}, transition {k}");
            assert_eq!(live.contains(k), is_again(k), "seed {seed}, transition {k}");
        }
        for n in 0..4 {
            assert_eq!(
                is_quasi_live(&mut graph, n).unwrap(),
                (0..n).all(|k| possible.contains(k)),
                "seed {seed}"
            );
            let decided = is_live(&mut graph, n).unwrap();
            assert_eq!(decided.holds, (0..n).all(is_again), "seed {seed}");
            counts[0] += u32::from(decided.holds && n > 0);
            assert_eq!(decided.run.is_none(), decided.holds);
            if let Some(run) = &decided.run {
                assert!(leads_to(&toy, run, |rest| (0..n).any(|k| !is_possible(rest, k))), "seed {seed}");
            }
        }

        let decided = is_reversible(&mut graph).unwrap();
        assert_eq!(decided.holds, all.iter().all(|&node| reachable(&toy, node).contains(&0)), "seed {seed}");
        counts[1] += u32::from(decided.holds && all.len() > 1);
        assert!(decided.run.is_none_or(|run| leads_to(&toy, &run, |rest| !rest.contains(&0))));

        let decided = find_deadlock(&mut graph).unwrap();
        let is_dead = |&node: &u64| toy.edges[node as usize].is_empty();
        assert_eq!(decided.holds, all.iter().any(is_dead), "seed {seed}");
        counts[2] += u32::from(!decided.holds);
        assert_eq!(decided.run.is_some(), decided.holds);
        assert!(decided.run.is_none_or(|run| leads_to(&toy, &run, |rest| rest.iter().all(is_dead))));
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
}

#[test]
fn limits_give_no_answer_and_never_a_wrong_one() {
    let mut n_stopped = 0;
    for seed in 0..1500 {
        let mut random = Random(model::Random::new(seed));
        let toy = random.toy();
        let formula = random.formula(3);
        let holds = by_definition(&toy, &formula, Deadlocks::End).contains(&0);
        for states in 0..6 {
            let limits = Limits { states, ..Limits::default() };
            let options = Options { limits, ..Options::default() };
            let mut space = Space::new(&toy, &options);
            let decided = space.graph().and_then(|mut graph| {
                let again = check_ctl(&mut graph, &formula, Deadlocks::End);
                let decided = check_ctl(&mut graph, &formula, Deadlocks::End);
                assert_eq!(again, decided, "seed {seed}");
                decided
            });
            match decided {
                Ok(decided) => assert_eq!(decided.holds, holds, "seed {seed}, {states} states"),
                Err(obstacle) => {
                    assert_eq!(obstacle, Halt::Stop(StopReason::States));
                    n_stopped += 1;
                }
            }
        }
    }
    assert!(n_stopped > 1000, "{n_stopped}");
}

#[test]
fn time_memory_and_the_user_stop_a_search() {
    let n = 20_000;
    let mut toy = Toy::new((0..n).map(|k| vec![To((k + 1) % n)]).collect());
    toy.values = vec![vec![0; n as usize]];
    let never = Ctl::Eventually(Quantifier::Exists, Box::new(Ctl::Atom(PredicateId(0))));
    let ask = |options: &Options| {
        let mut space = Space::new(&toy, options);
        space.graph().and_then(|mut graph| check_ctl(&mut graph, &never, Deadlocks::End))
    };
    let limited = |limits| ask(&Options { limits, ..Options::default() });
    let time = Some(std::time::Duration::ZERO);
    let stopped = |stop| Err(Halt::Stop(stop));
    assert_eq!(limited(Limits { time, ..Limits::default() }), stopped(StopReason::Time));
    assert_eq!(limited(Limits { memory: 300_000, ..Limits::default() }), stopped(StopReason::Memory));
    let interrupt = Arc::new(AtomicBool::new(true));
    assert_eq!(ask(&Options { interrupt, ..Options::default() }), stopped(StopReason::Interrupted));
    // Also where everything is known already.
    let options = Options::default();
    let mut space = Space::new(&toy, &options);
    let mut graph = space.graph().unwrap();
    assert!(!check_ctl(&mut graph, &never, Deadlocks::End).unwrap().holds);
    options.interrupt.store(true, Ordering::Relaxed);
    assert_eq!(check_ctl(&mut graph, &never, Deadlocks::End), stopped(StopReason::Interrupted));
    assert_eq!(is_reversible(&mut graph), stopped(StopReason::Interrupted));
}

#[test]
fn what_fails_is_an_obstacle() {
    // An error lies behind 2; a predicate fails in 3.
    let mut toy = Toy::new(vec![vec![To(1), To(3)], vec![To(2)], vec![To(0), Fails], vec![To(0)]]);
    toy.values = vec![vec![0, 0, 1, 0], vec![0, 1, 1, FAILS]];
    let options = Options::default();
    let mut space = Space::new(&toy, &options);
    let mut graph = space.graph().unwrap();
    let eventually = |p| Ctl::Eventually(Quantifier::Exists, Box::new(Ctl::Atom(PredicateId(p))));
    assert!(check_ctl(&mut graph, &eventually(0), Deadlocks::End).unwrap().holds);
    assert!(check_ctl(&mut graph, &eventually(1), Deadlocks::End).unwrap().holds);
    let wrong = |obstacle: Halt| match obstacle {
        Halt::Wrong(violation) => *violation,
        Halt::Stop(stop) => panic!("{stop}"),
    };
    let action = wrong(is_reversible(&mut graph).unwrap_err());
    assert_eq!((action.reason, action.trace.depth()), (Reason::RuntimeError, 3));
    let always = Ctl::Always(Quantifier::All, Box::new(Ctl::Atom(PredicateId(1)).negated())).negated();
    let backwards = Toy {
        edges: toy.edges.iter().map(|edges| edges.iter().rev().copied().collect()).collect(),
        values: toy.values.clone(),
        ..Toy::default()
    };
    let mut space = Space::new(&backwards, &options);
    let predicate = wrong(check_ctl(&mut space.graph().unwrap(), &always, Deadlocks::End).unwrap_err());
    assert_eq!(predicate.trace.depth(), 1);
    assert!(matches!(predicate.evidence, Evidence::Failure(_)));
    assert!(matches!(Space::new(&Toy::default(), &options).graph(), Err(Halt::Wrong(_))));
}

//! Models of a user's own, made systems by `check::Plain`: the answers are those of a plain look at all states.

use check::answer::Outcome;
use check::question::{Kind, Recurrence};
use check::{Checks, Control, Options, Plain, Property, Question, System, answers};
use model::{
    Action, Actions, Actor, End, Failure, FailureKind, Location, Model, PredicateId, Random, Step, StepText,
    Successors, Variable,
};

/// A graph: the transitions lead from node to node; some fail.
#[derive(Clone)]
struct Graph {
    /// Source and target of each transition; without a target it is an assertion that fails.
    edges: Vec<(u64, Option<u64>)>,
    /// The nodes in which the only predicate holds.
    marked: Vec<u64>,
}

impl Graph {
    fn random(seed: u64) -> Graph {
        let mut prng = Random::new(seed);
        let n_nodes = 1 + prng.below(8) as u64;
        let node = |prng: &mut Random| prng.below(n_nodes as usize) as u64;
        let fails = seed.is_multiple_of(4);
        let edges = (0..prng.below(14))
            .map(|_| (node(&mut prng), (!fails || prng.chance(90)).then(|| node(&mut prng))))
            .collect();
        Graph { edges, marked: (0..2).map(|_| node(&mut prng)).collect() }
    }

    fn next(&self, from: u64) -> impl Iterator<Item = Option<u64>> {
        self.edges.iter().filter(move |edge| edge.0 == from).map(|edge| edge.1)
    }

    fn reachable(&self, from: u64) -> Vec<u64> {
        let mut found = vec![from];
        for at in 0.. {
            let Some(&node) = found.get(at) else { break };
            for next in self.next(node).flatten() {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        found
    }
}

impl Model for Graph {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        out.push(0);
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        let edges = self.edges.iter().enumerate().filter(|(_, edge)| edge.0 == state[0]);
        out.list.extend(edges.map(|(number, _)| Action::solo(Actor(0), number as u32)));
    }

    fn fire(&self, chosen: &Actions, _state: &[u64], out: &mut Successors) {
        for (index, action) in chosen.list.iter().enumerate() {
            match self.edges[action.actor.transition as usize].1 {
                Some(node) => out.push_state(chosen, index, &[node]),
                None => {
                    let detail = "fails".to_string();
                    let failure =
                        Failure { kind: FailureKind::DivisionByZero, location: Location::default(), detail };
                    out.push_failure(chosen, index, failure);
                }
            }
        }
    }

    fn predicate(&self, _predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        Ok(i64::from(self.marked.contains(&state[0])))
    }

    fn end(&self, _state: &[u64]) -> End {
        End::Invalid
    }

    fn describe(&self, step: &Step, _state: &[u64]) -> StepText {
        StepText { action: format!("edge {}", step.action.actor.transition), ..StepText::default() }
    }

    fn variables(&self, _state: &[u64]) -> Vec<Variable> {
        Vec::new()
    }
}

#[test]
fn own_models_are_answered() {
    let (mut n_violated, mut n_failing) = (0, 0);
    for seed in 0..400 {
        let graph = Graph::random(seed);
        let system = Plain::new(graph.clone(), graph.edges.len(), &["marked"]);
        let property = |name: &str, formula: &str| system.property(name, formula).unwrap();
        let asked = [
            Property::of_kind(Kind::Deadlock, Question::Deadlock),
            Property::of_kind(Kind::Safety, Question::Safety(Checks::SAFETY)),
            property("reach", "EF marked"),
            property("home", "AG EF marked"),
            property("never", "AG !marked"),
            Property::of_kind(Kind::Live, Question::Live(Recurrence::Again(None))),
        ];
        let reachable = graph.reachable(0);
        let fails = reachable.iter().any(|&node| graph.next(node).any(|next| next.is_none()));
        let stuck = reachable.iter().any(|&node| graph.next(node).next().is_none());
        let marks = |nodes: &[u64]| nodes.iter().any(|node| graph.marked.contains(node));
        let lives = |node: u64| {
            let later = graph.reachable(node);
            graph.edges.iter().all(|(from, _)| later.contains(from))
        };
        let expected = [
            !stuck,
            !stuck,
            marks(&reachable),
            reachable.iter().all(|&node| marks(&graph.reachable(node))),
            !marks(&reachable),
            reachable.iter().all(|&node| lives(node)),
        ];
        let found = answers(&system, &asked, &Options::default(), &Control::default()).unwrap();
        for ((answer, expected), property) in found.iter().zip(expected).zip(&asked) {
            let holds = answer.outcome == Outcome::Holds;
            // A runtime error violates what has no run without it.
            let is_right = holds == expected || fails && matches!(answer.outcome, Outcome::Violated(_));
            assert!(is_right, "{seed}: {}: {answer:?}", property.name);
            // Each run leads where it says.
            if let Some(run) = &answer.run {
                let mut play = system.play().unwrap();
                for taken in run.steps.iter().filter(|taken| !taken.step.is_stutter()) {
                    assert!(play.choices().actions.contains(&taken.step.action), "{seed}: {run:?}");
                    play.tell(&taken.step.action, taken.step.phase);
                }
            }
            n_violated += u64::from(!holds);
        }
        n_failing += u64::from(fails);
    }
    assert!(n_violated > 400 && n_violated < 2000 && n_failing > 20, "{n_violated}, {n_failing}");
}

#[test]
fn formulas_name_predicates() {
    let system = Plain::new(Graph::random(1), 0, &["marked", "other"]);
    let error = system.property("p", "AG (marked -> EF mistaken)").unwrap_err();
    assert_eq!((error.message.as_str(), error.span), ("there is no predicate `mistaken`", 17..25));
    assert_eq!(system.predicate("other"), Some(PredicateId(1)));
}

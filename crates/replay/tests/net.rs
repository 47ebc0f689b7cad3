//! Runs of nets: what they are said to show must be so.

use logic::Ltl;
use model::{Action, Actor, Fairness, Lasso, Patience, Phase, PredicateId, Run, Step, Trace};
use petri::{Fair, Net, NetBuilder, NetPlayer, Predicate, Sum, TransitionId};
use replay::{Evidence, Language, Unconfirmed};

fn trace(steps: &[TransitionId], start: Option<usize>) -> Trace {
    let step = |step: &TransitionId| Step {
        action: Action::solo(Actor(0), step.0),
        observable: true,
        phase: Phase::Normal,
    };
    Trace { steps: steps.iter().map(step).collect(), lasso: start.map(|start| Lasso { start }) }
}

/// The first predicate is the sum of all tokens, the second is always 1.
fn replay(net: &Net, trace: &Trace, evidence: &Evidence) -> Result<Run, Unconfirmed> {
    let one = Sum { constant: 1, ..Sum::default() };
    let predicates = [Predicate::Value(Sum::of_all(net)), Predicate::Value(one)];
    replay::replay(NetPlayer::start(net, &predicates), trace, evidence, &Patience::default())
}

/// t brings a token to p, unless it holds as many as forbid it; u takes one away.
fn net(forbidding: Option<u64>) -> (Net, TransitionId, TransitionId) {
    let mut net = NetBuilder::new("n");
    let p = net.place("p", 0);
    let (t, u) = (net.transition("t"), net.transition("u"));
    net.output(t, p, 1);
    net.input(p, u, 1);
    forbidding.into_iter().for_each(|weight| net.inhibitor(p, t, weight));
    (net.finish(), t, u)
}

#[test]
fn what_is_said_to_grow_for_ever_must_do_so() {
    let (free, t, u) = net(None);
    let grows = Evidence::Grows(PredicateId(0));
    let run = replay(&free, &trace(&[t, t], Some(1)), &grows).expect("it does");
    assert_eq!((run.steps.len(), run.loop_start), (2, Some(1)));
    for (steps, start) in [(&[t, t][..], None), (&[t, u], Some(0)), (&[t, u], Some(1)), (&[t], Some(1))] {
        assert!(replay(&free, &trace(steps, start), &grows).is_err(), "{steps:?} {start:?}");
    }
    assert!(replay(&free, &trace(&[t], Some(0)), &Evidence::Run).is_err(), "it does not lead back");
    let others = Evidence::Grows(PredicateId(1));
    assert!(replay(&free, &trace(&[t], Some(0)), &others).is_err(), "another sum does not grow");

    let (forbidden, t, _) = net(Some(5));
    assert!(replay(&forbidden, &trace(&[t], Some(0)), &grows).is_err(), "it ends with five tokens");
}

/// Nothing but t fires in the loop, and u wants to.
#[test]
fn a_loop_must_be_fair_to_the_transitions_that_want_it() {
    let net = |fair: Fair, takes_turns: bool| {
        let mut net = NetBuilder::new("n");
        let (p, q) = (net.place("p", 1), net.place("q", 0));
        let (t, back, u) = (net.transition("t"), net.transition("back"), net.transition("u"));
        net.transition_mut(u).fair = fair;
        for (from, transition, to) in [(p, t, q), (q, back, p)] {
            net.input(from, transition, 1);
            net.output(transition, to, 1);
        }
        net.input(p, u, 1);
        if !takes_turns {
            net.place_mut(q).initial = 1;
            net.place_mut(p).initial = 2;
        }
        net.finish()
    };
    let all = Evidence::Infinite {
        language: Language::Violating(Ltl::Constant(false)),
        atoms: Vec::new(),
        stutters: true,
        fairness: Fairness::None,
    };
    let lasso = trace(&[TransitionId(0), TransitionId(1)], Some(0));
    for (fair, takes_turns, is_fair) in [
        (Fair::No, false, true),
        (Fair::Weak, true, true),
        (Fair::Weak, false, false),
        (Fair::Strong, true, false),
    ] {
        let replayed = replay(&net(fair, takes_turns), &lasso, &all);
        assert_eq!(replayed.is_ok(), is_fair, "{fair:?} {takes_turns}: {replayed:?}");
        assert_eq!(matches!(replayed, Err(Unconfirmed::Unfair(_))), !is_fair);
    }
}

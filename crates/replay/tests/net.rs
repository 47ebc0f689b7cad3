//! Runs of nets: what they are said to show must be so.

use model::{Action, Actor, Lasso, Phase, Step, Trace};
use petri::{Net, NetBuilder, Sum, TransitionId};
use replay::net::{NetClaim, replay};

fn trace(steps: &[TransitionId], start: Option<usize>) -> Trace {
    let step = |step: &TransitionId| Step {
        action: Action::solo(Actor(0), step.0),
        observable: true,
        phase: Phase::Normal,
    };
    Trace { steps: steps.iter().map(step).collect(), lasso: start.map(|start| Lasso { start }) }
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
    let grows = NetClaim::Grows(Sum::of_all(&free));
    let run = replay(&free, &trace(&[t, t], Some(1)), &grows).expect("it does");
    assert_eq!((run.steps.len(), run.loop_start), (2, Some(1)));
    for (steps, start) in [(&[t, t][..], None), (&[t, u], Some(0)), (&[t, u], Some(1)), (&[t], Some(1))] {
        assert!(replay(&free, &trace(steps, start), &grows).is_err(), "{steps:?} {start:?}");
    }
    assert!(replay(&free, &trace(&[t], Some(0)), &NetClaim::Run).is_err(), "it does not lead back");
    let others = NetClaim::Grows(Sum { constant: 1, ..Sum::default() });
    assert!(replay(&free, &trace(&[t], Some(0)), &others).is_err(), "another sum does not grow");

    let (forbidden, t, _) = net(Some(5));
    assert!(replay(&forbidden, &trace(&[t], Some(0)), &grows).is_err(), "it ends with five tokens");
}

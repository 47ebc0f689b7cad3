//! What nets and predicates mean, written down as simply as possible. A marking has a number for each
//! place. Whatever is faster is compared with this.

use crate::formula::{Atom, Comparison, Formula, Sum};
use crate::net::{Net, TransitionId};

/// Whether a transition can fire.
pub fn is_enabled(net: &Net, transition: TransitionId, marking: &[u64]) -> bool {
    net.pre(transition).iter().all(|arc| marking[arc.place.0 as usize] >= arc.weight)
        && net.inhibitors(transition).iter().all(|arc| marking[arc.place.0 as usize] < arc.weight)
}

/// The marking to which a transition leads, if it can fire and no place gets more than [`u64::MAX`] tokens.
pub fn fire(net: &Net, transition: TransitionId, marking: &[u64]) -> Option<Vec<u64>> {
    let mut after = marking.to_vec();
    fire_in(net, transition, &mut after).map(|()| after)
}

/// Changes a marking to the one to which a transition leads. If there is none, the marking is of no use any more.
pub fn fire_in(net: &Net, transition: TransitionId, marking: &mut [u64]) -> Option<()> {
    if !is_enabled(net, transition, marking) {
        return None;
    }
    for arc in net.pre(transition) {
        marking[arc.place.0 as usize] -= arc.weight;
    }
    for arc in net.post(transition) {
        let tokens = &mut marking[arc.place.0 as usize];
        *tokens = tokens.checked_add(arc.weight)?;
    }
    Some(())
}

/// The marking from which a transition leads to this one, if there is one.
pub fn unfire(net: &Net, transition: TransitionId, marking: &[u64]) -> Option<Vec<u64>> {
    let mut before = marking.to_vec();
    for arc in net.post(transition) {
        let tokens = &mut before[arc.place.0 as usize];
        *tokens = tokens.checked_sub(arc.weight)?;
    }
    for arc in net.pre(transition) {
        let tokens = &mut before[arc.place.0 as usize];
        *tokens = tokens.checked_add(arc.weight)?;
    }
    is_enabled(net, transition, &before).then_some(before)
}

/// The value of a sum; none if it does not fit.
pub fn value(sum: &Sum, marking: &[u64]) -> Option<i128> {
    sum.terms.iter().try_fold(i128::from(sum.constant), |total, &(place, factor)| {
        total.checked_add(i128::from(factor) * i128::from(marking[place.0 as usize]))
    })
}

/// Whether a formula without path operators holds; none if it has some, or if a sum does not fit.
pub fn holds(net: &Net, formula: &Formula, marking: &[u64]) -> Option<bool> {
    match formula {
        Formula::Constant(constant) => Some(*constant),
        Formula::Atom(atom) => atom_holds(net, atom, marking),
        Formula::Not(inner) => holds(net, inner, marking).map(|inner| !inner),
        Formula::And(inner) => {
            inner.iter().try_fold(true, |all, inner| Some(all & holds(net, inner, marking)?))
        }
        Formula::Or(inner) => {
            inner.iter().try_fold(false, |any, inner| Some(any | holds(net, inner, marking)?))
        }
        _ => None,
    }
}

fn atom_holds(net: &Net, atom: &Atom, marking: &[u64]) -> Option<bool> {
    Some(match atom {
        Atom::Compare(sum, comparison) => {
            let value = value(sum, marking)?;
            match comparison {
                Comparison::AtMost => value <= 0,
                Comparison::Equal => value == 0,
                Comparison::Different => value != 0,
            }
        }
        Atom::Fireable(any) => any.iter().any(|&transition| is_enabled(net, transition, marking)),
        Atom::Deadlock => !net.transition_ids().any(|transition| is_enabled(net, transition, marking)),
        Atom::Initial => marking == net.initial(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::NetBuilder;

    #[test]
    fn firing_takes_brings_and_can_be_undone() {
        let mut net = NetBuilder::new("n");
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place(name, 3));
        let t = net.transition("t");
        net.input(p, t, 2);
        net.output(t, p, 1);
        net.output(t, q, 4);
        net.inhibitor(r, t, 2);
        let net = net.finish();
        assert_eq!(fire(&net, t, &[3, 3, 1]), Some(vec![2, 7, 1]));
        assert_eq!(fire(&net, t, &[1, 3, 1]), None);
        assert_eq!(fire(&net, t, &[3, 3, 2]), None);
        assert_eq!(fire(&net, t, &[3, u64::MAX - 3, 0]), None);
        assert_eq!(unfire(&net, t, &[2, 7, 1]), Some(vec![3, 3, 1]));
        assert_eq!(unfire(&net, t, &[0, 7, 1]), None);
        assert_eq!(unfire(&net, t, &[2, 3, 1]), None);
        assert_eq!(unfire(&net, t, &[2, 7, 2]), None);
    }
}

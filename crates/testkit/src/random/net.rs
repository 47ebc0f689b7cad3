//! Random small nets, and formulas about them.

use model::Random;
use petri::{Atom, Comparison, Formula, Net, NetBuilder, Sum};

/// A net with a few places and transitions, some with weights and inhibitors. It may be unbounded.
pub fn net(prng: &mut Random) -> Net {
    let mut net = NetBuilder::new("random");
    let n_places = 2 + prng.below(5);
    let places: Vec<_> =
        (0..n_places).map(|k| net.place(format!("p{k}"), *prng.pick(&[0, 0, 1, 1, 2, 3]))).collect();
    for k in 0..2 + prng.below(6) {
        let transition = net.transition(format!("t{k}"));
        for _ in 0..1 + prng.below(2) {
            net.input(*prng.pick(&places), transition, *prng.pick(&[1, 1, 1, 2]));
        }
        for _ in 0..prng.below(3) {
            net.output(transition, *prng.pick(&places), *prng.pick(&[1, 1, 1, 1, 2]));
        }
        if prng.chance(30) {
            let place = *prng.pick(&places);
            net.input(place, transition, *prng.pick(&[1, 2]));
            net.output(transition, place, *prng.pick(&[1, 2]));
        }
        if prng.chance(15) {
            net.inhibitor(*prng.pick(&places), transition, *prng.pick(&[1, 2, 3]));
        }
    }
    net.finish()
}

/// A net of parts, in each of which a token goes its way, alone or waiting for another part: much of what happens is
/// independent.
pub fn net_of_parts(prng: &mut Random) -> Net {
    let mut net = NetBuilder::new("parts");
    let mut all = Vec::new();
    for part in 0..2 + prng.below(2) {
        let places: Vec<_> = (0..2 + prng.below(2))
            .map(|k| net.place(format!("p{}", 3 * part + k), u64::from(k == 0)))
            .collect();
        for (k, pair) in places.windows(2).enumerate() {
            let transition = net.transition(format!("t{part}_{k}"));
            net.input(pair[0], transition, 1);
            net.output(transition, pair[1], 1);
            if let (Some(&other), true) = (all.first(), prng.chance(20)) {
                net.input(other, transition, 1);
                net.output(transition, other, 1);
            }
        }
        if prng.chance(30) {
            let transition = net.transition(format!("back{part}"));
            net.input(places[places.len() - 1], transition, 1);
            net.output(transition, places[0], 1);
        }
        all.extend(places);
    }
    net.finish()
}

/// A formula about one marking.
pub fn net_predicate(net: &Net, prng: &mut Random, depth: usize) -> Formula {
    let places: Vec<_> = net.place_ids().collect();
    let transitions: Vec<_> = net.transition_ids().collect();
    match prng.below(if depth == 0 { 6 } else { 10 }) {
        0 => Formula::Atom(Atom::Fireable(vec![*prng.pick(&transitions)])),
        1 if prng.chance(50) => Formula::Atom(Atom::Deadlock),
        1 => Formula::Atom(Atom::Initial),
        2..=5 => {
            let terms = (0..1 + prng.below(2)).map(|_| (*prng.pick(&places), *prng.pick(&[1, 1, -1, 2])));
            let sum = Sum::new(terms.collect(), prng.below(6) as i64 - 3).expect("small numbers");
            let comparison = *prng.pick(&[Comparison::AtMost, Comparison::Equal, Comparison::Different]);
            Formula::Atom(Atom::Compare(sum, comparison))
        }
        6 => net_predicate(net, prng, depth - 1).negated(),
        7 | 8 => Formula::And(vec![net_predicate(net, prng, depth - 1), net_predicate(net, prng, depth - 1)]),
        _ => Formula::Or(vec![net_predicate(net, prng, depth - 1), net_predicate(net, prng, depth - 1)]),
    }
}

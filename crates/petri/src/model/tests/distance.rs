//! Distances guide a search; all that is promised is where they are 0.

use super::*;
use crate::lola;

const GOAL: PredicateId = PredicateId(0);

#[test]
fn nothing_is_far_exactly_where_the_formula_holds() {
    let mut prng = Prng::new(33);
    let mut n_states = [0; 2];
    for _ in 0..1000 {
        let net = random_net(&mut prng);
        let formula = random_formula(&net, &mut prng, 3);
        let Some((model, space)) = explored(&net, vec![Predicate::Formula(formula.clone())]) else {
            continue;
        };
        for state in &space.states {
            let holds = model.predicate(GOAL, state) == Ok(1);
            assert_eq!(model.distance(GOAL, state) == 0, holds, "{formula:?} in {state:?} of {net:?}");
            n_states[usize::from(holds)] += 1;
        }
    }
    assert!(n_states.iter().all(|n| *n > 1000), "{n_states:?}");
}

#[test]
fn what_is_missing_is_counted() {
    let patience = Patience::default();
    let net = lola::read_net(
        "PLACE p, q, r; MARKING p: 3, r; TRANSITION t CONSUME p: 2, q: 4; PRODUCE r; TRANSITION u CONSUME p; PRODUCE q;",
        &patience,
    );
    let net = Arc::new(net.unwrap().expect("a net"));
    for (text, distance) in [
        ("p = 3 AND r > 0", 0),
        ("q >= 2", 2),
        ("p + 5 < q", 9),
        ("p = 1 AND q = 2", 4),
        ("p = 0 OR q = 2", 2),
        ("p != 3", 1),
        ("NOT (p > 1 AND r = 1)", 1),
        ("FIREABLE(t)", 4),
        ("NOT FIREABLE(u)", 1),
        ("DEADLOCK", 1),
        ("INITIAL", 0),
    ] {
        let goal = Predicate::Formula(lola::read_predicate(text, &net, &patience).unwrap().expect(text));
        let model =
            NetModel::new(net.clone(), vec![goal], NetOptions::default(), &patience).expect("few tokens");
        let mut state = Vec::new();
        model.initial(&mut state).expect("a state");
        assert_eq!(model.distance(GOAL, &state), distance, "{text}");
    }
}

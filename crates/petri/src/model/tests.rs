use std::collections::{HashMap, HashSet};

use model::{Actor, EnablingSets, Phase};
use search::{Checks, Method, Order, Preserves, Reduction, Verdict};

use super::*;
use crate::example::example;
use crate::formula::{Atom, Comparison, Formula};
use crate::growth::Growth;
use crate::net::{NetBuilder, Unit, Units};
use crate::semantics;

mod branching;
mod distance;
mod linear;
mod terminal;
mod towards;

struct Prng(model::Random);

impl Prng {
    fn new(seed: u64) -> Prng {
        Prng(model::Random::new(seed))
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0.draw() % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// With this limit, unbounded nets are soon found to be so.
const OPTIONS: NetOptions = NetOptions { token_limit: 20 };

/// Larger state spaces are not explored further.
const MOST_STATES: usize = 600;

fn random_builder(prng: &mut Prng) -> NetBuilder {
    let mut net = NetBuilder::new("random");
    let n_places = 2 + prng.below(6);
    let places = (0..n_places).map(|k| net.place(format!("p{k}"), prng.pick(&[0, 0, 1, 1, 2, 3])));
    let places = places.collect::<Vec<_>>();
    for k in 0..1 + prng.below(7) {
        let transition = net.transition(format!("t{k}"));
        let n_inputs = if prng.chance(5) { 0 } else { 1 + prng.below(2) };
        for _ in 0..n_inputs {
            net.input(prng.pick(&places), transition, prng.pick(&[1, 1, 1, 2]));
        }
        for _ in 0..prng.below(3) {
            net.output(transition, prng.pick(&places), prng.pick(&[1, 1, 1, 1, 2]));
        }
        if prng.chance(30) {
            // Something that is read, or taken in part.
            let place = prng.pick(&places);
            net.input(place, transition, prng.pick(&[1, 2]));
            net.output(transition, place, prng.pick(&[1, 2]));
        }
        if prng.chance(20) {
            net.inhibitor(prng.pick(&places), transition, prng.pick(&[1, 1, 2, 5]));
        }
    }
    net
}

fn random_net(prng: &mut Prng) -> Arc<Net> {
    Arc::new(random_builder(prng).finish())
}

fn random_sum(net: &Net, prng: &mut Prng) -> Sum {
    let places = net.place_ids().collect::<Vec<_>>();
    let terms = (0..1 + prng.below(3)).map(|_| (prng.pick(&places), prng.pick(&[1, 1, -1, 2, i64::MAX / 8])));
    Sum::new(terms.collect(), prng.below(7) as i64 - 3).unwrap()
}

fn random_formula(net: &Net, prng: &mut Prng, depth: u64) -> Formula {
    let transitions = net.transition_ids().collect::<Vec<_>>();
    match prng.below(if depth == 0 { 8 } else { 14 }) {
        0 => Formula::Constant(prng.chance(50)),
        1 | 2 => {
            let any = (0..1 + prng.below(2)).map(|_| prng.pick(&transitions));
            Formula::Atom(Atom::Fireable(any.collect()))
        }
        3 => Formula::Atom(prng.pick(&[&Atom::Deadlock, &Atom::Initial]).clone()),
        4..=7 => {
            let comparison = prng.pick(&[Comparison::AtMost, Comparison::Equal, Comparison::Different]);
            Formula::Atom(Atom::Compare(random_sum(net, prng), comparison))
        }
        8 | 9 => Formula::Not(Box::new(random_formula(net, prng, depth - 1))),
        junction => {
            let inner = (0..prng.below(4)).map(|_| random_formula(net, prng, depth - 1)).collect();
            if junction % 2 == 0 { Formula::And(inner) } else { Formula::Or(inner) }
        }
    }
}

fn new_model(net: &Arc<Net>, predicates: Vec<Predicate>) -> NetModel {
    NetModel::new(net.clone(), predicates, OPTIONS, &Patience::default()).unwrap()
}

/// The states of a model up to some number, each with its successors and their transitions as far as they
/// were computed; none if a place overflows.
struct Space {
    states: Vec<Vec<u64>>,
    edges: Vec<Vec<(u32, usize)>>,
    is_complete: bool,
}

fn explore(model: &NetModel) -> Option<Space> {
    let mut states = vec![Vec::new()];
    model.initial(&mut states[0]).unwrap();
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let (mut actions, mut successors) = (Actions::default(), Successors::recording());
    let mut edges = Vec::new();
    while edges.len() < states.len().min(MOST_STATES) {
        let state = states[edges.len()].clone();
        successors.clear();
        model.enabled(&state, &mut actions);
        model.fire(&actions, &state, &mut successors);
        if successors.abandoned {
            assert!(!model.overflowed().is_empty());
            return None;
        }
        assert_eq!(successors.outcomes.len(), actions.list.len());
        let mut expanded = Successors::default();
        let is_enabled = model.expand(&state, &mut Actions::default(), &mut expanded);
        assert_eq!((is_enabled, expanded.words), (!actions.list.is_empty(), successors.words.clone()));
        let mut row = Vec::new();
        for (outcome, action) in successors.outcomes.iter().zip(&actions.list) {
            let OutcomeKind::State(range) = &outcome.kind else { panic!("no bounds are promised") };
            assert_eq!(
                successors.steps_of(outcome),
                [Step { action: *action, observable: true, phase: Phase::Normal }]
            );
            let next = successors.state(range).to_vec();
            let new = states.len();
            let number = *numbers.entry(next.clone()).or_insert(new);
            if number == new {
                states.push(next);
            }
            row.push((action.actor.transition, number));
        }
        edges.push(row);
    }
    let is_complete = edges.len() == states.len();
    states.truncate(edges.len());
    Some(Space { states, edges, is_complete })
}

/// A model that is wide enough for the part of its state space that is explored; none if there are more
/// tokens than allowed.
fn explored(net: &Arc<Net>, predicates: Vec<Predicate>) -> Option<(NetModel, Space)> {
    let mut model = new_model(net, predicates);
    loop {
        match explore(&model) {
            Some(space) => return Some((model, space)),
            None => model = model.widened(&Patience::default()).ok()?,
        }
    }
}

fn enabled_by_definition(net: &Net, marking: &[u64]) -> Vec<u32> {
    let enabled = net.transition_ids().filter(|&transition| semantics::is_enabled(net, transition, marking));
    enabled.map(|transition| transition.0).collect()
}

#[test]
fn states_are_markings_and_firing_is_firing() {
    let (mut n_unbounded, mut n_widened, mut n_complete) = (0, 0, 0);
    for seed in 0..3000 {
        let net = random_net(&mut Prng::new(seed));
        let mut model = new_model(&net, Vec::new());
        let space = loop {
            if let Some(space) = explore(&model) {
                break Some(space);
            }
            let overflowed = model.overflowed();
            let most = |place: &PlaceId| match model.capacities[place.0 as usize] {
                Capacity::Guessed(most) => most,
                capacity => panic!("{capacity:?} has overflowed"),
            };
            assert!(overflowed.iter().all(|place| most(place) >= FIRST_GUESS));
            model = match model.widened(&Patience::default()) {
                Ok(wider) => wider,
                Err(NotModelled::Over(over)) => unreachable!("{over}"),
                Err(NotModelled::TooManyTokens(error)) => {
                    assert!(overflowed.contains(&error.place) && most(&error.place) == 20, "seed {seed}");
                    break None;
                }
            };
            n_widened += 1;
        };
        let Some(space) = space else {
            n_unbounded += 1;
            continue;
        };
        n_complete += u32::from(space.is_complete);
        let markings = space.states.iter().map(|state| model.marking(state)).collect::<Vec<_>>();
        assert_eq!(markings[0], net.initial());
        assert_eq!(markings.iter().collect::<HashSet<_>>().len(), markings.len(), "seed {seed}");
        for (marking, edges) in markings.iter().zip(&space.edges) {
            let transitions = edges.iter().map(|(transition, _)| *transition).collect::<Vec<_>>();
            assert_eq!(transitions, enabled_by_definition(&net, marking), "seed {seed} {marking:?}");
            for &(transition, next) in edges {
                let transition = TransitionId(transition);
                let after = semantics::fire(&net, transition, marking).unwrap();
                if next < markings.len() {
                    assert_eq!(markings[next], after, "seed {seed}");
                }
                assert_eq!(semantics::unfire(&net, transition, &after).as_ref(), Some(marking));
            }
        }
    }
    println!("{n_unbounded} unbounded, {n_widened} times widened, {n_complete} complete");
    assert!(n_unbounded > 100 && n_widened > 100 && n_complete > 1000);
}

#[test]
fn bounds_hold() {
    for seed in 0..3000 {
        let net = random_net(&mut Prng::new(seed));
        let Some((model, space)) = explored(&net, Vec::new()) else { continue };
        let bounds = Bounds::new(&net, &model.structure, &mut Patience::default().pace()).unwrap();
        for state in &space.states {
            for (tokens, bound) in model.marking(state).into_iter().zip(&bounds.proven) {
                assert!(bound.is_none_or(|bound| tokens <= bound), "seed {seed}");
            }
        }
    }
}

#[test]
fn wider_models_have_the_same_states() {
    let mut n_wider = 0;
    for seed in 0..1000 {
        let net = random_net(&mut Prng::new(seed));
        let Some((model, space)) = explored(&net, Vec::new()) else { continue };
        for place in net.place_ids() {
            model.note_fate(place, CROWDED);
        }
        let wider = model.widened(&Patience::default()).unwrap();
        let again = explore(&wider).unwrap();
        assert_eq!(space.edges, again.edges, "seed {seed}");
        assert!(space.states.iter().zip(&again.states).all(|(a, b)| model.marking(a) == wider.marking(b)));
        n_wider += u32::from(model.capacities != wider.capacities);
    }
    assert!(n_wider > 100);
}

#[test]
fn enabledness_does_not_depend_on_what_was_asked_before() {
    for seed in 0..300 {
        let mut prng = Prng::new(seed);
        let spaces = [random_net(&mut prng), random_net(&mut prng)].map(|net| explored(&net, Vec::new()));
        let spaces = spaces.into_iter().flatten().collect::<Vec<_>>();
        let (Some(_), mut actions) = (spaces.first(), Actions::default()) else { continue };
        for _ in 0..200 {
            let (model, space) = &spaces[prng.below(spaces.len() as u64) as usize];
            let state = &space.states[prng.below(space.states.len() as u64) as usize];
            model.enabled(state, &mut actions);
            let listed = actions.list.iter().map(|action| action.actor.transition).collect::<Vec<_>>();
            assert_eq!(listed, enabled_by_definition(&model.net, &model.marking(state)), "seed {seed}");
            match prng.below(4) {
                0 => actions.clear(),
                1 => actions.list.truncate(1),
                _ => {}
            }
        }
    }
}

/// A net that is large enough for changes to be followed instead of looking at everything.
#[test]
fn enabledness_follows_long_walks() {
    let mut builder = NetBuilder::new("many");
    let mut prng = Prng::new(7);
    let places = (0..200).map(|k| builder.place(format!("p{k}"), prng.pick(&[0, 1, 2]))).collect::<Vec<_>>();
    for k in 0..400 {
        let transition = builder.transition(format!("t{k}"));
        for _ in 0..2 {
            let weight = prng.pick(&[1, 1, 2]);
            builder.input(prng.pick(&places), transition, weight);
            builder.output(transition, prng.pick(&places), weight);
        }
        if prng.chance(20) {
            builder.inhibitor(prng.pick(&places), transition, 1 + prng.below(3));
        }
    }
    let net = Arc::new(builder.finish());
    let model = NetModel::new(net.clone(), Vec::new(), NetOptions::default(), &Patience::default()).unwrap();
    let (mut actions, mut successors) = (Actions::default(), Successors::default());
    let mut seen = vec![Vec::new()];
    model.initial(&mut seen[0]).unwrap();
    let mut state = seen[0].clone();
    let mut n_near = 0;
    for _ in 0..3000 {
        n_near += u32::from(actions.recall.owner != 0 && !model.is_far(&state, &actions.recall.state));
        model.enabled(&state, &mut actions);
        let listed = actions.list.iter().map(|action| action.actor.transition).collect::<Vec<_>>();
        assert_eq!(listed, enabled_by_definition(&net, &model.marking(&state)));
        if actions.list.is_empty() || prng.chance(3) {
            state.clone_from(&seen[prng.below(seen.len() as u64) as usize]);
            continue;
        }
        successors.clear();
        model.fire(&actions, &state, &mut successors);
        assert!(!successors.abandoned);
        let OutcomeKind::State(range) =
            &successors.outcomes[prng.below(actions.list.len() as u64) as usize].kind
        else {
            panic!("no bounds are promised")
        };
        state = successors.state(range).to_vec();
        seen.push(state.clone());
    }
    assert!(n_near > 2000, "{n_near}");
}

#[test]
fn predicates_have_the_values_of_the_definition() {
    use FailureKind::NumberTooLarge as TooLarge;
    let mut n_too_large = 0;
    for seed in 0..1000 {
        let mut prng = Prng::new(seed);
        let net = random_net(&mut prng);
        let formulas = (0..4).map(|_| random_formula(&net, &mut prng, 3)).collect::<Vec<_>>();
        let sums = (0..4).map(|_| random_sum(&net, &mut prng)).collect::<Vec<_>>();
        let predicates = formulas.iter().cloned().map(Predicate::Formula);
        let predicates = predicates.chain(sums.iter().cloned().map(Predicate::Value));
        let predicates = predicates.chain([Predicate::Most]).collect::<Vec<_>>();
        let n_predicates = predicates.len() as u32;
        let Some((model, space)) = explored(&net, predicates) else { continue };
        let at_most = |id: PredicateId| model.at_most(id).unwrap_or(i64::MAX);
        for state in &space.states {
            for id in (0..n_predicates).map(PredicateId) {
                let value = model.predicate(id, state).unwrap_or(i64::MIN);
                assert!(value <= at_most(id), "seed {seed}, {id:?}");
            }
            let first = net.initial().into_iter().chain(model.marking(state)).max().unwrap();
            assert_eq!(model.predicate(PredicateId(8), state), Ok(first as i64), "seed {seed}");
            let marking = model.marking(state);
            let value = |k: usize| model.predicate(PredicateId(k as u32), state).unwrap();
            for (k, formula) in formulas.iter().enumerate() {
                assert_eq!(
                    value(k),
                    semantics::holds(&net, formula, &marking).unwrap().into(),
                    "seed {seed}"
                );
            }
            for (k, sum) in sums.iter().enumerate() {
                let exact = semantics::value(sum, &marking).unwrap();
                let value = model.predicate(PredicateId(4 + k as u32), state);
                let kind = value.as_ref().map_err(|failure| failure.kind);
                assert_eq!(kind.copied(), i64::try_from(exact).map_err(|_| TooLarge), "seed {seed}");
                let told = value.err().is_none_or(|failure| failure.detail.contains(&exact.to_string()));
                n_too_large += usize::from(i64::try_from(exact).is_err());
                assert!(told, "seed {seed}");
            }
        }
    }
    assert!(n_too_large > 1000, "{n_too_large}");
}

/// Whatever does not fit into 64 bits is never taken for the nearest number that does.
#[test]
fn large_sums_are_exact() {
    let mut builder = NetBuilder::new("n");
    let [p, q] = [4, 0].map(|initial| builder.place("p", initial));
    let t = builder.transition("t");
    builder.input(p, t, 1);
    builder.output(t, q, 1);
    let net = Arc::new(builder.finish());
    let sum = |factor, constant| Sum::new(vec![(p, factor)], constant).unwrap();
    let half = 1 << 62;
    let model = new_model(
        &net,
        vec![
            Predicate::Value(sum(half, 0)),
            Predicate::Value(sum(half - 1, 3 - i64::MAX)),
            Predicate::Value(sum(-half, 0)),
            // 2^64 > 2^63 - 1, and is not equal to it.
            Predicate::Formula(Formula::Atom(Atom::Compare(sum(-half, i64::MAX), Comparison::AtMost))),
            Predicate::Formula(Formula::Atom(Atom::Compare(sum(half, -i64::MAX), Comparison::Equal))),
        ],
    );
    let mut state = Vec::new();
    model.initial(&mut state).unwrap();
    let value = |number| model.predicate(PredicateId(number), &state).map_err(|failure| failure.detail);
    let large = |exact| Err(format!("the sum has the value {exact}, which does not fit into 64 bits"));
    assert_eq!(value(0), large("18446744073709551616"));
    assert_eq!(value(1), large("9223372036854775808"));
    assert_eq!(value(2), large("-18446744073709551616"));
    assert_eq!((value(3), value(4)), (Ok(1), Ok(0)));
    let at_most = [0, 1, 2].map(|number| model.at_most(PredicateId(number)));
    assert_eq!(at_most, [None, None, Some(0)]);
}

#[test]
#[should_panic(expected = "no path operators")]
fn predicates_have_no_path_operators() {
    let formula = Formula::Eventually(Box::new(Formula::Constant(true)));
    new_model(&random_net(&mut Prng::new(1)), vec![Predicate::Formula(formula)]);
}

/// Whether the definition comes upon a marking with more tokens on a place than the net promises, if the
/// states before that are few enough.
fn breaks_a_promise(net: &Net) -> Option<bool> {
    let mut markings = vec![net.initial()];
    let mut seen = HashSet::from([net.initial()]);
    while let Some(marking) = markings.pop() {
        if net
            .place_ids()
            .any(|place| promise(net, place).is_some_and(|most| marking[place.0 as usize] > most))
        {
            return Some(true);
        }
        let next = net.transition_ids().filter_map(|transition| semantics::fire(net, transition, &marking));
        markings.extend(next.filter(|next| seen.insert(next.clone())));
        if seen.len() > 2000 {
            return None;
        }
    }
    Some(false)
}

#[test]
fn broken_promises_are_reported() {
    let (mut n_broken, mut n_kept) = (0, 0);
    for seed in 0..2000 {
        let mut prng = Prng::new(seed);
        let mut builder = random_builder(&mut prng);
        let n_places = builder.clone().finish().places().len() as u32;
        if prng.chance(30) {
            let places = (0..n_places).map(PlaceId).collect();
            builder.units(Units {
                list: vec![Unit { name: "u".into(), places, inner: Vec::new() }],
                root: 0,
                safe: true,
            });
        } else {
            for place in (0..n_places).map(PlaceId) {
                let place = builder.place_mut(place);
                place.bound = prng.chance(60).then(|| place.initial.max(prng.below(5)));
            }
        }
        let net = Arc::new(builder.finish());
        let Some(is_broken) = breaks_a_promise(&net) else { continue };
        let mut model = new_model(&net, Vec::new());
        let options = search::Options { checks: Checks::NONE, ..search::Options::default() };
        let findings = loop {
            let findings = search::run(&model, &options);
            if model.overflowed().is_empty() || !matches!(findings.verdict, Verdict::Unknown(_)) {
                break findings;
            }
            let Ok(wider) = model.widened(&Patience::default()) else { break findings };
            model = wider;
        };
        match findings.verdict {
            Verdict::Violated(violation) => {
                assert!(is_broken, "seed {seed}");
                let failure = violation.evidence.failure().unwrap();
                assert_eq!(failure.kind, FailureKind::BrokenBound);
                let mut marking = net.initial();
                for step in &violation.trace.steps {
                    let transition = TransitionId(step.action.actor.transition);
                    marking = semantics::fire(&net, transition, &marking).unwrap();
                }
                let exceeds = |&place: &PlaceId| {
                    promise(&net, place).is_some_and(|most| marking[place.0 as usize] > most)
                };
                let names = net.place_ids().filter(exceeds).map(|place| &net.place(place).name);
                assert!(names.into_iter().any(|name| failure.detail.contains(name)), "seed {seed}");
                n_broken += 1;
            }
            Verdict::Holds => {
                assert!(!is_broken, "seed {seed}");
                n_kept += 1;
            }
            Verdict::Unknown(_) => {}
        }
    }
    println!("{n_broken} broken, {n_kept} kept");
    assert!(n_broken > 100 && n_kept > 100);
}

#[test]
fn initial_markings_can_be_too_large() {
    let mut builder = NetBuilder::new("n");
    let place = builder.place("p", 21);
    let net = Arc::new(builder.clone().finish());
    let error = NetModel::new(net, Vec::new(), OPTIONS, &Patience::default()).err();
    let Some(NotModelled::TooManyTokens(error)) = error else { panic!("{error:?}") };
    assert_eq!((error.place, error.to_string().contains("`p`")), (place, true));
    builder.place_mut(place).initial = 3;
    builder.place_mut(place).bound = Some(2);
    let failure = new_model(&Arc::new(builder.finish()), Vec::new()).initial(&mut Vec::new()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::BrokenBound);
}

#[test]
fn steps_and_variables_have_the_names_of_the_net() {
    let net = Arc::new(example("ph", &[2]).unwrap());
    let model = new_model(&net, Vec::new());
    let mut state = Vec::new();
    model.initial(&mut state).unwrap();
    let step = Step { action: Action::solo(Actor(0), 1), observable: true, phase: Phase::Normal };
    assert_eq!(model.describe(&step, &state).action, "takeR_0");
    let variables = model.variables(&state);
    assert_eq!((variables.len(), &*variables[0].name, &variables[0].value), (10, "think_0", &Value::Int(1)));
}

#[test]
fn only_unbounded_nets_grow_for_ever() {
    let (mut n_bounded, mut n_growing) = (0, 0);
    for seed in 0..1500 {
        let net = random_net(&mut Prng::new(seed));
        let growth = Growth::find(&net, &Sum::of_all(&net), 20_000, &Patience::default());
        if explored(&net, Vec::new()).is_some_and(|(_, space)| space.is_complete) {
            assert_eq!(growth, None, "seed {seed}");
            n_bounded += 1;
        }
        let Some(growth) = growth else { continue };
        n_growing += 1;
        let mut marking = net.initial();
        let (before, repeated) = growth.run.split_at(growth.start);
        before.iter().for_each(|&step| semantics::fire_in(&net, step, &mut marking).unwrap());
        let start = marking.clone();
        for _ in 0..50 {
            repeated.iter().for_each(|&step| semantics::fire_in(&net, step, &mut marking).unwrap());
        }
        for (place, gain) in growth.gains(&net).expect("it was found") {
            assert_eq!(marking[place.0 as usize], start[place.0 as usize] + 50 * gain, "seed {seed}");
        }
    }
    println!("{n_bounded} bounded nets, {n_growing} that grow");
    assert!(n_bounded > 500 && n_growing > 200);
}

/// What the interface of independence asks for, by definition.
#[test]
fn independence_is_true() {
    let (mut n_pairs, mut n_obstacles) = (0_u64, 0_u64);
    for seed in 0..1500 {
        let mut prng = Prng::new(seed);
        let net = random_net(&mut prng);
        let formulas = (0..3).map(|_| random_formula(&net, &mut prng, 1)).collect::<Vec<_>>();
        let predicates = formulas.into_iter().map(Predicate::Formula);
        let predicates = predicates.chain([Predicate::Value(random_sum(&net, &mut prng))]).collect();
        let Some((model, space)) = explored(&net, predicates) else { continue };
        let watched = [PredicateId(prng.below(4) as u32)];
        let mut independence = model.independence(&watched, &Patience::default()).unwrap();
        let mut actions = Actions::default();
        for (state, edges) in space.states.iter().zip(&space.edges) {
            let marking = model.marking(state);
            let is_enabled = |t: u32, marking: &[u64]| semantics::is_enabled(&net, TransitionId(t), marking);
            let fire = |t: u32, marking: &[u64]| semantics::fire(&net, TransitionId(t), marking);
            model.enabled(state, &mut actions);
            independence.look(state, &actions);
            for (k, action) in actions.list.iter().enumerate() {
                assert_eq!(independence.moves_of(k), [action.actor.transition; 2]);
            }
            let moves = independence.moves().to_vec();
            for (t, one) in (0..).zip(&moves) {
                assert_eq!((one.group, one.here, one.enabled), (t, true, is_enabled(t, &marking)));
                if one.enabled {
                    let mut conflicts = Vec::new();
                    independence.conflicts(t, &mut conflicts);
                    let mut left = Vec::new();
                    independence.left_conflicts(t, &mut left);
                    for u in (0..moves.len() as u32).filter(|&u| u != t && is_enabled(u, &marking)) {
                        let both = fire(u, &marking).and_then(|after| fire(t, &after));
                        let swapped = fire(t, &marking).and_then(|after| fire(u, &after));
                        if !conflicts.contains(&u) {
                            assert!(both.is_some() && both == swapped, "seed {seed} {marking:?} {t} {u}");
                            n_pairs += 1;
                        }
                        if !left.contains(&u) {
                            assert!(both.is_none() || both == swapped, "seed {seed} {marking:?} {t} {u}");
                        }
                    }
                    let after = fire(t, &marking).unwrap();
                    let value = |marking: &[u64]| match &model.predicates()[watched[0].0 as usize] {
                        Predicate::Formula(formula) => {
                            i128::from(semantics::holds(&net, formula, marking).unwrap())
                        }
                        Predicate::Value(sum) => semantics::value(sum, marking).unwrap(),
                        Predicate::Most => marking.iter().copied().max().unwrap_or(0).into(),
                    };
                    assert!(one.visible || value(&after) == value(&marking), "seed {seed} {marking:?} {t}");
                } else {
                    let mut obstacles = EnablingSets::default();
                    independence.enabling_sets(t, &mut obstacles);
                    assert!(obstacles.iter().next().is_some(), "seed {seed} {marking:?} {t}");
                    for &(u, _) in edges {
                        let is_enabling = is_enabled(t, &fire(u, &marking).unwrap());
                        assert!(!is_enabling || obstacles.iter().all(|set| set.contains(&u)), "seed {seed}");
                        n_obstacles += u64::from(is_enabling);
                    }
                }
            }
        }
    }
    println!("{n_pairs} pairs, {n_obstacles} obstacles");
    assert!(n_pairs > 10_000 && n_obstacles > 1000);
}

fn reduced(method: Method) -> search::Options {
    let plan = Reduction { method, preserves: Preserves::Deadlocks, watched: Vec::new() };
    search::Options {
        checks: Checks::DEADLOCK,
        reduction: Some(plan),
        patient: true,
        ..search::Options::default()
    }
}

#[test]
fn reduced_searches_find_deadlocks() {
    let (mut n_deadlocks, mut n_saved) = (0, 0);
    for seed in 0..2000 {
        let net = random_net(&mut Prng::new(seed));
        let Some((model, space)) = explored(&net, Vec::new()).filter(|(_, space)| space.is_complete) else {
            continue;
        };
        let n_stuck = space.edges.iter().filter(|edges| edges.is_empty()).count() as u64;
        n_deadlocks += u32::from(n_stuck > 0);
        for method in Method::ALL {
            let options = search::Options { stop_after: None, ..reduced(method) };
            let findings = search::run(&model, &options);
            assert_eq!(findings.statistics.errors, n_stuck, "seed {seed} {method:?}");
            assert!(findings.statistics.states <= space.states.len() as u64);
            n_saved += space.states.len() as u64 - findings.statistics.states;
        }
    }
    println!("{n_deadlocks} nets with deadlocks, {n_saved} states saved");
    assert!(n_deadlocks > 100 && n_saved > 1000);
}

fn model_of(family: &str, sizes: &[u64]) -> NetModel {
    new_model(&Arc::new(example(family, sizes).unwrap()), Vec::new())
}

fn counts(model: &NetModel, options: &search::Options) -> (u64, u64) {
    let options = search::Options { stop_after: None, ..options.clone() };
    let findings = search::run(model, &options);
    assert!(findings.complete);
    // The initial state counts as an arrival.
    (findings.statistics.states, findings.statistics.transitions() - 1)
}

#[test]
fn examples_have_as_many_states_and_edges_as_is_known() {
    for (family, sizes, n_states, n_edges) in [
        ("ph", &[5][..], 242, 805),
        ("ph", &[8], 6560, 34_984),
        ("da-b", &[8], 2_368, 12_416),
        ("simple", &[2, 5], 55_447, 688_478),
        ("echo", &[2, 3], 2_628, 9_994),
    ] {
        let model = model_of(family, sizes);
        for order in [Order::Depth, Order::Breadth, Order::Any] {
            for threads in [1, 2] {
                let options =
                    search::Options { order, threads, checks: Checks::NONE, ..search::Options::default() };
                assert_eq!(counts(&model, &options), (n_states, n_edges), "{family} {sizes:?} {order:?}");
            }
        }
    }
}

#[test]
fn stubborn_sets_are_as_small_as_is_known() {
    let sizes = if cfg!(debug_assertions) { &[5, 8, 12][..] } else { &[5, 8, 12, 100] };
    for &n in sizes {
        let expected = (3 * n * n - 3 * n + 2, 4 * n * n - 3 * n);
        assert_eq!(counts(&model_of("ph", &[n]), &reduced(Method::Stubborn)), expected, "ph {n}");
    }
    for n in [5, 19, 50] {
        assert_eq!(
            counts(&model_of("da-a", &[n]), &reduced(Method::Stubborn)),
            (2 * n + 1, 4 * n),
            "da-a {n}"
        );
    }
    assert_eq!(counts(&model_of("da-b", &[10]), &reduced(Method::Stubborn)), (31, 50));
}

//! What terminal components show, on graphs that are reduced to them.

use logic::HomeForm;
use search::{Graph, Transitions, find_deadlock, home, is_live, is_quasi_live, is_reversible, transitions};

use super::*;
use crate::net::PlaceId;

/// A net of two parts that have nothing to do with each other: one of them is easily forgotten.
fn random_parts(prng: &mut Prng) -> Arc<Net> {
    let mut net = NetBuilder::new("parts");
    for part in 0..2 {
        let one = random_builder(prng).finish();
        let places: Vec<_> =
            one.places().iter().map(|place| (format!("{part}{}", place.name), place)).collect();
        let places: Vec<_> = places.into_iter().map(|(name, place)| net.place(name, place.initial)).collect();
        for id in one.transition_ids() {
            let transition = net.transition(format!("{part}{}", one.transition(id).name));
            for arc in one.pre(id) {
                net.input(places[arc.place.0 as usize], transition, arc.weight);
            }
            for arc in one.post(id) {
                net.output(transition, places[arc.place.0 as usize], arc.weight);
            }
            for arc in one.inhibitors(id) {
                net.inhibitor(places[arc.place.0 as usize], transition, arc.weight);
            }
        }
    }
    Arc::new(net.finish())
}

/// A net of parts that go round in circles, and may wait for each other.
fn random_circles(prng: &mut Prng) -> Arc<Net> {
    let mut net = NetBuilder::new("circles");
    let shared = net.place("shared", 1);
    for part in 0..2 + prng.below(2) {
        let n_places = 2 + prng.below(3) as usize;
        let places: Vec<_> =
            (0..n_places).map(|k| net.place(format!("p{part}_{k}"), u64::from(k == 0))).collect();
        let is_alone = prng.chance(50);
        for k in 0..n_places {
            let transition = net.transition(format!("t{part}_{k}"));
            net.input(places[k], transition, 1);
            net.output(transition, places[(k + 1) % n_places], 1);
            if !is_alone && k == 0 {
                net.input(shared, transition, 1);
            } else if !is_alone && k == 1 {
                net.output(transition, shared, 1);
            }
            if prng.chance(10) {
                // Something that may not come back.
                let other = net.transition(format!("u{part}_{k}"));
                net.input(places[k], other, 1);
                net.output(other, prng.pick(&places), 1);
            }
        }
    }
    Arc::new(net.finish())
}

fn is_marked(net: &Net, marking: &[u64]) -> Formula {
    let place = |(place, &tokens): (PlaceId, &u64)| {
        let sum = Sum { terms: vec![(place, 1)], constant: -(tokens as i64) };
        Formula::Atom(Atom::Compare(sum, Comparison::Equal))
    };
    Formula::And(net.place_ids().zip(marking).map(place).collect())
}

/// What can be reached from each state, that state included.
fn reached(space: &Space) -> Vec<Vec<usize>> {
    let from = |state: usize| {
        let mut found = vec![state];
        let mut seen = HashSet::from([state]);
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            at += 1;
            found.extend(space.edges[state].iter().map(|&(_, next)| next).filter(|&next| seen.insert(next)));
        }
        found
    };
    (0..space.states.len()).map(from).collect()
}

/// The state in which a run ends.
fn end(space: &Space, run: &model::Trace) -> usize {
    let mut state = 0;
    for step in &run.steps {
        let mut edges = space.edges[state].iter();
        let taken = edges.find(|(transition, _)| *transition == step.action.actor.transition);
        state = taken.expect("it is a run").1;
    }
    state
}

fn reduced_graph(method: Method) -> search::Options {
    let watched = vec![PredicateId(0), PredicateId(1)];
    let plan = Reduction { method, preserves: Preserves::Branching, watched };
    search::Options { reduction: Some(plan), patient: true, ..search::Options::default() }
}

/// Compares all that a graph says with the definitions.
fn compare(model: &NetModel, space: &Space, graph: &mut Graph<'_>, context: &str) {
    let reached = reached(space);
    let can = |state: usize, t: u32| {
        reached[state].iter().any(|&state| space.edges[state].iter().any(|&(transition, _)| transition == t))
    };
    let n_transitions = model.net().transitions().len();
    let live = |t: u32| (0..space.states.len()).all(|state| can(state, t));
    let Transitions { possible, live: found } = transitions(graph).unwrap();
    for t in 0..n_transitions as u32 {
        assert_eq!(possible.contains(t as usize), can(0, t), "t{t} {context}");
        assert_eq!(found.contains(t as usize), live(t), "t{t} {context}");
    }
    let is_possible = (0..n_transitions as u32).all(|t| can(0, t));
    assert_eq!(is_quasi_live(graph, n_transitions).unwrap(), is_possible, "{context}");
    let decided = is_live(graph, n_transitions).unwrap();
    assert_eq!(decided.holds, (0..n_transitions as u32).all(live), "{context}");
    if let Some(run) = &decided.run {
        let end = end(space, run);
        assert!((0..n_transitions as u32).any(|t| !can(end, t)), "{context}");
    }
    let decided = find_deadlock(graph).unwrap();
    assert_eq!(decided.holds, space.edges.iter().any(Vec::is_empty), "{context}");
    assert_eq!(is_reversible(graph).unwrap().holds, reached.iter().all(|all| all.contains(&0)), "{context}");
    for predicate in [PredicateId(0), PredicateId(1)] {
        let value = |state: usize| model.predicate(predicate, &space.states[state]).unwrap() != 0;
        let some = |state: usize| reached[state].iter().any(|&state| value(state));
        let all = |state: usize| reached[state].iter().all(|&state| value(state));
        // From everywhere one can come to where something is so from then on, or from somewhere.
        let everywhere = |holds: &dyn Fn(usize) -> bool| (0..space.states.len()).all(holds);
        let somewhere = |holds: &dyn Fn(usize) -> bool| (0..space.states.len()).any(holds);
        let ag_ef = |state: usize| reached[state].iter().all(|&state| some(state));
        let ef_ag = |state: usize| reached[state].iter().any(|&state| all(state));
        for (form, expected) in [
            (HomeForm::AgEf, everywhere(&some)),
            (HomeForm::EfAg, somewhere(&all)),
            (HomeForm::AgEfAg, everywhere(&ef_ag)),
            (HomeForm::EfAgEf, somewhere(&ag_ef)),
        ] {
            let decided = home(graph, predicate, form).unwrap();
            assert_eq!(decided.holds, expected, "{form:?} {predicate:?} {context}");
            if let Some(run) = &decided.run {
                let end = end(space, run);
                let is_shown = match form {
                    HomeForm::AgEf => !some(end),
                    HomeForm::EfAg => all(end),
                    HomeForm::AgEfAg => !ef_ag(end),
                    HomeForm::EfAgEf => ag_ef(end),
                };
                assert!(is_shown, "{form:?} {predicate:?} {context}");
            }
        }
    }
}

#[test]
fn reduced_graphs_have_all_terminal_components() {
    let rounds = std::env::var("STUBBORN_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1500);
    let (mut n_nets, mut n_smaller, mut n_live) = (0, 0, 0);
    for seed in 0..rounds {
        let mut prng = Prng::new(seed ^ 0x7e12);
        let net = match seed % 3 {
            0 => random_net(&mut prng),
            1 => random_parts(&mut prng),
            _ => random_circles(&mut prng),
        };
        let Some((model, space)) = explored(&net, Vec::new()) else { continue };
        if !space.is_complete || space.states.len() < 3 {
            continue;
        }
        // A single marking is easily missed.
        let one = model.marking(&space.states[prng.below(space.states.len() as u64) as usize]);
        let predicates = [random_formula(&net, &mut prng, 1), is_marked(&net, &one)];
        let (model, space) =
            explored(&net, predicates.map(Predicate::Formula).into()).expect("it was before");
        n_nets += 1;
        for method in Method::ALL {
            let mut place = search::Space::new(&model, &reduced_graph(method));
            let mut graph = place.graph().unwrap();
            let _ = transitions(&mut graph).unwrap();
            n_smaller += usize::from(graph.statistics().states < space.states.len() as u64);
            compare(&model, &space, &mut graph, &format!("seed {seed} {method:?} {net:?}"));
        }
        let live = (0..net.transitions().len() as u32)
            .filter(|t| space.edges.iter().flatten().any(|(transition, _)| transition == t));
        n_live += usize::from(live.count() > 1);
    }
    println!("{n_nets} nets, {n_smaller} smaller graphs");
    assert!(
        n_nets > rounds as usize / 8 && n_smaller > n_nets / 2 && n_live > n_nets / 4,
        "{n_nets} {n_smaller}"
    );
}

/// So many states and firings as the thesis has in the first phase of its method for home properties: nothing is
/// ignored in these nets.
#[test]
fn terminal_components_are_found_in_as_few_states_as_is_known() {
    let marked = |net: &Net, name: &str| {
        let place = net.place_ids().find(|id| net.place(*id).name == name).unwrap();
        let sum = Sum::new(vec![(place, 1)], -1).unwrap();
        Predicate::Formula(Formula::Atom(Atom::Compare(sum, Comparison::Equal)))
    };
    let sizes = |family: &str, n: u64, name: &str| {
        let net = Arc::new(example(family, &[n]).unwrap());
        let model = new_model(&net, vec![marked(&net, name), marked(&net, name)]);
        let mut place = search::Space::new(&model, &reduced_graph(Method::Stubborn));
        let mut graph = place.graph().unwrap();
        assert!(home(&mut graph, PredicateId(0), HomeForm::AgEf).unwrap().holds);
        (graph.statistics().states, graph.statistics().transitions() - 1)
    };
    for n in [5, 12] {
        assert_eq!(sizes("ph", n, "left_0"), (3 * n * n - 3 * n + 2, 4 * n * n - 3 * n), "ph {n}");
    }
    for n in [5, 20, 50] {
        assert_eq!(sizes("da-a", n, "read_0"), (2 * n + 1, 4 * n), "da-a {n}");
    }
}

/// Parts that go round in circles, each on its own: none of them must be forgotten.
#[test]
fn what_is_ignored_is_added() {
    let mut net = NetBuilder::new("circles");
    for part in 0..3 {
        let places: Vec<_> = (0..4).map(|k| net.place(format!("p{part}_{k}"), u64::from(k == 0))).collect();
        for k in 0..4 {
            let transition = net.transition(format!("t{part}_{k}"));
            net.input(places[k], transition, 1);
            net.output(transition, places[(k + 1) % 4], 1);
        }
    }
    let net = Arc::new(net.finish());
    let model = new_model(&net, vec![Predicate::Formula(Formula::Constant(true)); 2]);
    let mut place = search::Space::new(&model, &reduced_graph(Method::Stubborn));
    let mut graph = place.graph().unwrap();
    assert!(is_live(&mut graph, 12).unwrap().holds);
    // One after the other, not in all combinations.
    assert_eq!(graph.statistics().states, 10);
}

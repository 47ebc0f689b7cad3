//! UP and DOWN sets: by the definition, and what a search does with them.

use search::{Answer, Watch, watch};

use super::*;

const GOAL: PredicateId = PredicateId(0);

/// Whether some of the states can be reached from one without certain transitions.
fn leads_to(space: &Space, from: usize, without: &[u32], is_goal: &[bool]) -> bool {
    let (mut seen, mut work) = (HashSet::from([from]), vec![from]);
    while let Some(state) = work.pop() {
        if is_goal[state] {
            return true;
        }
        for &(transition, next) in &space.edges[state] {
            if !without.contains(&transition) && seen.insert(next) {
                work.push(next);
            }
        }
    }
    false
}

#[test]
fn no_way_to_a_goal_is_without_a_transition_of_each_set() {
    let mut prng = Prng::new(21);
    let (mut n_sets, mut n_small) = (0, 0);
    for _ in 0..2000 {
        let net = random_net(&mut prng);
        let formula = random_formula(&net, &mut prng, 2);
        let Some((model, space)) = explored(&net, vec![Predicate::Formula(formula)]) else { continue };
        if !space.is_complete {
            continue;
        }
        let is_goal: Vec<bool> =
            space.states.iter().map(|state| model.predicate(GOAL, state).unwrap() != 0).collect();
        let is_other: Vec<bool> = is_goal.iter().map(|is_goal| !is_goal).collect();
        let mut view = model.independence(&[], &Patience::default()).unwrap();
        let mut actions = Actions::default();
        for (number, state) in space.states.iter().enumerate() {
            // Where the predicate holds, what is looked for is that it fails.
            let is_end = if is_goal[number] { &is_other } else { &is_goal };
            model.enabled(state, &mut actions);
            view.look(state, &actions);
            let mut sets = EnablingSets::default();
            view.towards(GOAL, &mut sets);
            assert!(sets.iter().next().is_some(), "something is known about each formula");
            for set in sets.iter() {
                n_sets += 1;
                n_small += usize::from(set.len() < net.transitions().len());
                assert!(!leads_to(&space, number, set, is_end), "{set:?} in {state:?} of {net:?}");
            }
        }
    }
    assert!(n_sets > 5_000 && n_small > n_sets / 2, "{n_small} of {n_sets}");
}

fn towards_goal(order: Order) -> search::Options {
    let plan = Reduction { method: Method::Stubborn, preserves: Preserves::Goal(GOAL), watched: vec![GOAL] };
    search::Options { order, reduction: Some(plan), patient: true, ..search::Options::default() }
}

#[test]
fn goals_stay_in_reach_and_near() {
    let mut prng = Prng::new(22);
    let (mut n_reached, mut n_unreached, mut n_reduced) = (0, 0, 0);
    for _ in 0..3000 {
        let net = random_net(&mut prng);
        let formula = random_formula(&net, &mut prng, 2);
        let Some((model, space)) = explored(&net, vec![Predicate::Formula(formula)]) else { continue };
        if !space.is_complete {
            continue;
        }
        let wanted = [Watch::Reachable(GOAL)];
        let full = watch(&model, &wanted, &search::Options { order: Order::Breadth, ..Default::default() });
        for order in [Order::Breadth, Order::Depth, Order::Any] {
            let reduced = watch(&model, &wanted, &towards_goal(order));
            match (&full.answers[0], &reduced.answers[0]) {
                (Answer::Reached(far), Answer::Reached(near)) => {
                    n_reached += 1;
                    assert!(order != Order::Breadth || far.depth() == near.depth());
                }
                (Answer::Unreachable, Answer::Unreachable) => n_unreached += 1,
                (full, reduced) => panic!("{full:?}, but {reduced:?} with {order:?} in {net:?}"),
            }
            n_reduced += usize::from(reduced.statistics.states < full.statistics.states);
        }
    }
    assert!(
        n_reached > 1000 && n_unreached > 500 && n_reduced > 500,
        "{n_reached} {n_unreached} {n_reduced}"
    );
}

/// States and edges of a depth-first search for a goal, and the length of the way that is found. All successors of
/// a state are stored when it is expanded, so there are more states than on the way even if it leads straight there.
fn sizes(family: &str, size: u64, goal: impl Fn(&Net) -> Formula) -> (u64, u64, Option<u64>) {
    let net = Arc::new(example(family, &[size]).unwrap());
    let goal = goal(&net);
    let model =
        NetModel::new(net, vec![Predicate::Formula(goal)], NetOptions::default(), &Patience::default())
            .unwrap();
    let watched = watch(&model, &[Watch::Reachable(GOAL)], &towards_goal(Order::Depth));
    let length = match &watched.answers[0] {
        Answer::Reached(trace) => Some(trace.depth() as u64),
        _ => None,
    };
    (watched.statistics.states, watched.statistics.transitions() - 1, length)
}

fn marked(net: &Net, names: &[String]) -> Formula {
    let marked = |name: &String| {
        let place = net.place_ids().find(|id| net.place(*id).name == *name);
        let place = place.unwrap_or_else(|| panic!("no place {name}: {:?}", net.places()));
        Formula::Atom(Atom::Compare(Sum::new(vec![(place, -1)], 1).unwrap(), Comparison::AtMost))
    };
    Formula::And(names.iter().map(marked).collect())
}

fn numbered(name: &str, numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|k| format!("{name}_{k}")).collect()
}

#[test]
fn searches_for_goals_are_as_small_as_is_known() {
    for n in [5, 19, 100] {
        let two_write = |net: &Net| marked(net, &numbered("write", 0..2));
        assert_eq!(sizes("da-a", n, two_write), (2 * n + 1, 4 * n, None));
        let all_read = |net: &Net| marked(net, &numbered("read", 0..n));
        assert_eq!(sizes("da-a", n, all_read).2, Some(n));
    }
    // The shortest way has 3(n - 1) steps, that of the thesis 7n - 15.
    for n in [5, 20, 100] {
        let far = |net: &Net| marked(net, &numbered("right", 1..n));
        let (states, _, length) = sizes("ph", n, far);
        assert!(length.is_some_and(|length| length <= 7 * n - 15), "{length:?} steps in ph {n}");
        assert!(states < n * (7 * n - 14), "{states} states of ph {n}");
    }
    let neighbours_eat = |net: &Net| marked(net, &numbered("eat", 0..2));
    let (states, _, length) = sizes("ph", 8, neighbours_eat);
    assert!(length.is_none() && states < 6560, "{states} states of ph 8");
}

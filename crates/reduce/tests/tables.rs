//! Choices that depend on a single answer.

mod support;

use model::Actions;
use reduce::{Keeps, Method, Reducer};
use support::table::{Answer, Table};

/// What is chosen, by the places of the actions.
fn subsets(table: &Table, method: Method, keeps: Keeps) -> Vec<Vec<u32>> {
    let enabled = table.enabled();
    let mut chosen = Actions::default();
    let mut reducer = Reducer::new(Box::new(table.clone()), method, keeps);
    reducer.look(&[], &enabled);
    let mut found = Vec::new();
    while reducer.choose(found.len(), &enabled, &mut chosen) {
        found.push(chosen.list.iter().map(|action| action.actor.transition).collect());
    }
    found
}

/// An obstacle of two moves that cannot happen is better than one of a single move that can.
#[test]
fn enabled_moves_are_the_cost_of_an_obstacle() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(1, &[&[2], &[3, 4]]);
    table.action(2, &[0]);
    table.disabled(3, &[&[]]);
    table.disabled(4, &[&[]]);
    for method in [Method::Stubborn, Method::Weak] {
        assert_eq!(subsets(&table, method, Keeps::Deadlocks), [[0]], "{method:?}");
    }
}

/// Of two obstacles to a disabled move it is enough that one is of the group.
#[test]
fn one_obstacle_inside_of_the_group_makes_it_ample() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(0, &[&[2], &[0]]);
    table.action(1, &[0]);
    assert_eq!(subsets(&table, Method::Ample, Keeps::Deadlocks), [[0]]);
}

/// An action is chosen if either of its moves is.
#[test]
fn the_second_move_brings_its_action_along() {
    let mut table = Table::default();
    let other = table.action(0, &[]);
    let partner = table.action(1, &[other]);
    table.rendezvous(2, partner);
    // Move 2 is the second part of action 2; its conflicts are none.
    for method in [Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak] {
        assert_eq!(subsets(&table, method, Keeps::Deadlocks)[0], [2], "{method:?}");
    }
}

/// Moves 0 and 1 and moves 0 and 2 are two minimal sets, because of two obstacles to move 3, and each
/// of them is visible in turn: to find another set once one has been found would be too late.
#[test]
fn deletion_takes_away_what_is_visible_before_it_decides() {
    let mut table = Table::default();
    table.action(0, &[3]);
    table.action(1, &[0]);
    table.action(2, &[0]);
    table.disabled(3, &[&[1], &[2]]);
    for (visible, kept) in [(1, [0, 2]), (2, [0, 1])] {
        let mut table = table.clone();
        table.watch(visible);
        assert_eq!(subsets(&table, Method::Deletion, Keeps::InfiniteRuns), [kept]);
    }
}

/// The same, where what is visible is the partner's side of the action of move 1 or 2.
#[test]
fn deletion_takes_away_what_has_a_visible_partner() {
    for (first, kept) in [(1, [0, 2]), (2, [0, 1])] {
        let mut table = Table::default();
        table.action(0, &[3]);
        table.action(1, &[0]);
        table.action(2, &[0]);
        table.disabled(3, &[&[1], &[2]]);
        let partner = table.rendezvous(4, first);
        table.watch(partner);
        assert_eq!(subsets(&table, Method::Deletion, Keeps::InfiniteRuns), [kept]);
    }
}

/// Neither side of a rendezvous may be visible if infinite runs matter, or concern others if fairness does.
#[test]
fn both_sides_of_a_rendezvous_count() {
    let mut table = Table::default();
    table.action(0, &[]);
    table.action(1, &[]);
    let first = table.add(2, Answer::Conflicts(vec![]));
    let second = table.rendezvous(3, first);
    for method in [Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak] {
        let finds = |table: &Table, keeps| subsets(table, method, keeps).contains(&vec![2]);
        assert!(finds(&table, Keeps::InfiniteRuns) && finds(&table, Keeps::FairRuns), "{method:?}");
        for side in [first, second] {
            let (mut seen, mut exposed) = (table.clone(), table.clone());
            seen.watch(side);
            exposed.expose(side);
            assert!(finds(&seen, Keeps::FiniteRuns), "{method:?}");
            assert!(!finds(&seen, Keeps::InfiniteRuns), "{method:?}");
            assert!(!finds(&seen, Keeps::FairRuns), "{method:?}");
            assert!(finds(&exposed, Keeps::InfiniteRuns), "{method:?}");
            assert!(!finds(&exposed, Keeps::FairRuns), "{method:?}");
        }
    }
}

/// The higher group has three actions, the lower one two.
#[test]
fn fewest_actions_come_first() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.action(0, &[0]);
    table.action(1, &[3, 4]);
    table.action(1, &[2, 4]);
    table.action(1, &[2, 3]);
    for method in [Method::Ample, Method::Stubborn, Method::Weak] {
        assert_eq!(subsets(&table, method, Keeps::Deadlocks), [vec![0, 1], vec![2, 3, 4]], "{method:?}");
    }
}

/// Models need not list their groups in ascending order.
#[test]
fn groups_may_come_in_any_order() {
    let mut table = Table::default();
    for group in [1, 5, 3] {
        let first = table.action(group, &[]);
        table.disabled(group, &[&[first]]);
    }
    for method in [Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak] {
        assert_eq!(subsets(&table, method, Keeps::Deadlocks), [[1], [2], [0]], "{method:?}");
    }
}

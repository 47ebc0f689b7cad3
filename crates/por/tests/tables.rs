//! Choices that depend on a single answer.

mod support;

use model::Actions;
use por::{Effort, Method, Preserves, Reducer};
use support::table::{Answer, Table};

/// What is chosen, by the places of the actions.
fn subsets(table: &Table, method: Method, preserves: Preserves) -> Vec<Vec<u32>> {
    subsets_by(Effort::Thorough, table, method, preserves)
}

fn subsets_by(effort: Effort, table: &Table, method: Method, preserves: Preserves) -> Vec<Vec<u32>> {
    let enabled = table.enabled();
    let mut chosen = Actions::default();
    let mut reducer = Reducer::new(Box::new(table.clone()), method, preserves);
    reducer.look(&[], &enabled);
    let mut found = Vec::new();
    while reducer.choose(effort, found.len(), &enabled, &mut chosen) {
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
        assert_eq!(subsets(&table, method, Preserves::Deadlocks), [[0]], "{method:?}");
    }
}

/// Of two obstacles to a disabled move it is enough that one is of the group.
#[test]
fn one_obstacle_inside_of_the_group_makes_it_ample() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(0, &[&[2], &[0]]);
    table.action(1, &[0]);
    assert_eq!(subsets(&table, Method::Ample, Preserves::Deadlocks), [[0]]);
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
        assert_eq!(subsets(&table, method, Preserves::Deadlocks)[0], [2], "{method:?}");
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
        assert_eq!(subsets(&table, Method::Deletion, Preserves::InfiniteRuns), [kept]);
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
        assert_eq!(subsets(&table, Method::Deletion, Preserves::InfiniteRuns), [kept]);
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
        let finds = |table: &Table, preserves| subsets(table, method, preserves).contains(&vec![2]);
        assert!(finds(&table, Preserves::InfiniteRuns) && finds(&table, Preserves::FairRuns), "{method:?}");
        for side in [first, second] {
            let (mut seen, mut exposed) = (table.clone(), table.clone());
            seen.watch(side);
            exposed.expose(side);
            assert!(finds(&seen, Preserves::FiniteRuns), "{method:?}");
            assert!(!finds(&seen, Preserves::InfiniteRuns), "{method:?}");
            assert!(!finds(&seen, Preserves::FairRuns), "{method:?}");
            assert!(finds(&exposed, Preserves::InfiniteRuns), "{method:?}");
            assert!(!finds(&exposed, Preserves::FairRuns), "{method:?}");
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
        assert_eq!(subsets(&table, method, Preserves::Deadlocks), [vec![0, 1], vec![2, 3, 4]], "{method:?}");
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
        assert_eq!(subsets(&table, method, Preserves::Deadlocks), [[1], [2], [0]], "{method:?}");
    }
}

/// Moves 0 and 2 can be told apart although the search comes from 2: that 2 is on its way already is no
/// reason to let 1 wait for it.
#[test]
fn what_the_search_comes_from_is_not_in_every_set() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(1, &[&[2], &[3]]);
    table.action(2, &[0]);
    table.disabled(3, &[&[]]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::Deadlocks), [[0]]);
    // Without another obstacle they belong together, and there is nothing to choose.
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(1, &[&[2]]);
    table.action(2, &[0]);
    assert!(subsets(&table, Method::Stubborn, Preserves::Deadlocks).is_empty());
}

/// What keeps a disabled move from happening is in the set with it already, and so costs nothing: the move
/// for which it is asked, one that was reached on another way and leads back, and one to which that leads.
#[test]
fn what_is_in_the_set_anyway_costs_nothing() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(1, &[&[2], &[0]]);
    table.disabled(2, &[&[3]]);
    table.action(3, &[0]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::Deadlocks), [[0]]);

    let mut table = Table::default();
    table.action(5, &[1, 2]);
    table.action(4, &[0]);
    table.disabled(3, &[&[3], &[1]]);
    table.action(0, &[]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::Deadlocks), [vec![2], vec![0, 1]]);

    let mut table = Table::default();
    table.action(5, &[1]);
    table.action(4, &[0, 2]);
    table.disabled(3, &[&[3], &[0]]);
    table.action(0, &[]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::Deadlocks), [vec![2], vec![0, 1]]);
}

/// The search from move 4 follows the obstacle 2 of move 1, which looks cheap, and ends at what is visible.
/// Move 1 is open again after that: the search from move 0 follows its other obstacle.
#[test]
fn what_was_given_up_may_have_another_obstacle() {
    let mut table = Table::default();
    table.action(0, &[1]);
    table.disabled(1, &[&[2], &[0]]);
    table.disabled(2, &[&[3]]);
    let visible = table.action(3, &[]);
    table.watch(visible);
    table.action(4, &[1]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::InfiniteRuns), [[0]]);
}

/// Move 1 waits for 0, which is visible, or for 2, which belongs together with 3.
#[test]
fn no_obstacle_is_worse_than_one_that_ends_the_search() {
    let mut table = Table::default();
    let visible = table.action(0, &[]);
    table.watch(visible);
    table.disabled(1, &[&[0], &[2]]);
    table.action(2, &[3]);
    table.action(3, &[1]);
    assert_eq!(subsets(&table, Method::Stubborn, Preserves::InfiniteRuns), [[1, 2]]);
}

/// Before a process comes to a move it makes one that is here: it is enough that others do not concern
/// these.
#[test]
fn only_moves_that_are_here_make_a_process_ample() {
    let with = |add: fn(&mut Table, u32, &[&[u32]]) -> u32| {
        let mut table = Table::default();
        table.action(0, &[]);
        add(&mut table, 0, &[&[2]]);
        table.action(1, &[0]);
        table
    };
    assert_eq!(subsets(&with(Table::later), Method::Ample, Preserves::Deadlocks), [[0]]);
    assert!(subsets(&with(Table::disabled), Method::Ample, Preserves::Deadlocks).is_empty());
    // The process may meet with what it does later itself, but not with what others do.
    for (other, found) in [(1, &[vec![0]][..]), (3, &[])] {
        let mut table = Table::default();
        table.action(0, &[other]);
        table.later(0, &[&[2]]);
        table.action(1, &[0]);
        table.later(1, &[&[2]]);
        assert_eq!(subsets(&table, Method::Ample, Preserves::Deadlocks), found, "{other}");
    }
}

#[test]
fn only_moves_that_are_here_must_be_local() {
    let with = |add: fn(&mut Table, u32, &[&[u32]]) -> u32| {
        let mut table = Table::default();
        let own = table.action(0, &[]);
        add(&mut table, 0, &[&[]]);
        table.action(1, &[]);
        table.localize(own);
        table
    };
    assert_eq!(subsets(&with(Table::later), Method::Local, Preserves::Deadlocks), [[0]]);
    assert!(subsets(&with(Table::disabled), Method::Local, Preserves::Deadlocks).is_empty());
}

/// For all other methods a move that its process must come to first is disabled like any other one.
#[test]
fn what_comes_later_has_obstacles() {
    // Moves 1 and 2 are of a process that comes to 2, which conflicts with 0, by 1.
    let with = |obstacles: &[&[u32]]| {
        let mut table = Table::default();
        table.action(0, &[2]);
        table.action(1, &[]);
        table.later(1, obstacles);
        table.action(2, &[0]);
        table
    };
    for method in [Method::Stubborn, Method::Deletion, Method::Weak] {
        let found = subsets(&with(&[&[1]]), method, Preserves::Deadlocks);
        assert!(found.contains(&vec![1]) && !found.contains(&vec![0]), "{method:?}: {found:?}");
        let found = subsets(&with(&[&[1], &[]]), method, Preserves::Deadlocks);
        assert!(found.contains(&vec![1]) && found.contains(&vec![0]), "{method:?}: {found:?}");
    }
}

/// Moves 1 and 2 are a stubborn set of two processes, move 0 is what one process can do.
#[test]
fn what_is_quick_considers_single_processes() {
    let mut table = Table::default();
    table.action(0, &[]);
    table.action(1, &[2]);
    table.action(2, &[1]);
    for method in [Method::Stubborn, Method::Deletion, Method::Weak] {
        for preserves in [Preserves::Deadlocks, Preserves::FiniteRuns, Preserves::InfiniteRuns] {
            assert_eq!(subsets_by(Effort::Quick, &table, method, preserves), [vec![0]], "{method:?}");
            let found = subsets(&table, method, preserves);
            assert!(found.contains(&vec![0]) && found.contains(&vec![1, 2]), "{method:?}: {found:?}");
        }
    }
}

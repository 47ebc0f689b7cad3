//! Known sizes of reduced state spaces: Schmidt, "Explicit state space verification".

mod support;

use por::{Method, Preserves};
use support::explore::{explore_fully, explore_reduced};
use support::net::Net;

const METHODS: [Method; 5] = [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];

fn sizes(net: &Net, method: Method) -> (usize, usize) {
    let graph = explore_reduced(net, method, Preserves::Deadlocks, 0);
    (graph.states.len(), graph.n_edges())
}

#[test]
fn philosophers_need_quadratically_many_states() {
    for n in [5, 8, 12, 30] {
        let net = Net::philosophers(n);
        assert_eq!(sizes(&net, Method::Stubborn), (3 * n * n - 3 * n + 2, 4 * n * n - 3 * n), "{n}");
        let graph = explore_reduced(&net, Method::Stubborn, Preserves::Deadlocks, 0);
        assert_eq!(graph.deadlocks().len(), 1);
    }
}

#[test]
fn data_access_needs_linearly_many_states() {
    assert_eq!(sizes(&Net::data_access(19), Method::Stubborn), (39, 76));
    assert_eq!(sizes(&Net::data_access(50), Method::Stubborn), (101, 200));
    assert_eq!(sizes(&Net::readers_and_writers(10), Method::Stubborn), (31, 50));
}

#[test]
fn full_state_spaces_are_as_printed() {
    let full = |net: Net| explore_fully(&net, usize::MAX).map(|graph| (graph.states.len(), graph.n_edges()));
    assert_eq!(full(Net::philosophers(5)), Some((242, 805)));
    assert_eq!(full(Net::data_access(5)), Some((37, 170)));
    assert_eq!(full(Net::readers_and_writers(5)), Some((32 * 6 + 25, 32 * 10 + 5 * 5 * 16 + 50)));
}

#[test]
fn no_method_needs_more_than_everything() {
    for net in [Net::philosophers(6), Net::data_access(6), Net::readers_and_writers(4)] {
        let full = explore_fully(&net, usize::MAX).unwrap();
        for method in METHODS {
            let reduced = explore_reduced(&net, method, Preserves::Deadlocks, 0);
            assert_eq!(reduced.deadlocks(), full.deadlocks(), "{method:?}");
            assert!(reduced.states.len() <= full.states.len(), "{method:?}");
            assert!(reduced.n_edges() <= full.n_edges(), "{method:?}");
            println!("{method:?}: {} of {}", reduced.states.len(), full.states.len());
        }
    }
}

//! States mean the same to two interpreters of a program that have met its shapes in different orders.

mod support;

use ir::Interpreter;
use model::{Actions, Model, OutcomeKind, Successors};
use support::explore::reachable;

/// The state as `there` numbers its shape.
fn carried(state: &[u64], here: &Interpreter, there: &Interpreter) -> Vec<u64> {
    const NUMBER: u64 = u32::MAX as u64;
    let shape = here.shape((state[0] & NUMBER) as u32);
    let number = there.shape_number(&shape).expect("it is a shape of the program");
    let mut carried = state.to_vec();
    carried[0] = state[0] & !NUMBER | u64::from(number);
    carried
}

fn successors(interpreter: &Interpreter, state: &[u64]) -> Vec<Vec<u64>> {
    let (mut actions, mut out) = (Actions::default(), Successors::default());
    interpreter.enabled(state, &mut actions);
    interpreter.fire(&actions, state, &mut out);
    let states = out.outcomes.iter().filter_map(|outcome| match &outcome.kind {
        OutcomeKind::State(range) => Some(out.state(range).to_vec()),
        _ => None,
    });
    states.collect()
}

/// Processes are created in any order.
const ANY_ORDER: &str = "byte n;
proctype A() { skip }
proctype B() { chan c = [1] of { byte }; c!1 }
init { do :: n < 5 -> n++; run A() :: n < 5 -> n++; run B() :: n == 5 -> break od }";

#[test]
fn states_can_be_carried_from_one_interpreter_to_another() {
    let mut n_renumbered = 0;
    let any_order = support::lower("any order", ANY_ORDER.to_string()).expect("it is well-formed");
    let any_order = support::Named { name: "any order".to_string(), program: any_order };
    for named in support::programs().into_iter().chain([any_order]) {
        let (here, there) = (Interpreter::new(named.program.clone()), Interpreter::new(named.program));
        // From the last to the first: so whoever comes late here comes early there.
        for state in reachable(&here, 200).iter().rev() {
            let image = carried(state, &here, &there);
            n_renumbered += usize::from(image != *state);
            assert_eq!(carried(&image, &there, &here), *state, "{}", named.name);
            assert_eq!(here.variables(state), there.variables(&image), "{}", named.name);
            let mapped = successors(&here, state).into_iter().map(|next| carried(&next, &here, &there));
            assert!(mapped.eq(successors(&there, &image)), "{}", named.name);
        }
    }
    assert!(n_renumbered > 100, "{n_renumbered} states");
}

#[test]
fn what_is_no_shape_has_no_number() {
    for named in support::programs().into_iter().take(20) {
        let n_types = named.program.processes.len() as u32;
        let interpreter = Interpreter::new(named.program);
        assert_eq!(interpreter.shape_number(&[n_types]), None, "{}", named.name);
    }
}

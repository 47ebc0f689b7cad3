//! What is found out about a program before it runs: which channels are meant, and that it takes no longer than it should.

use std::time::{Duration, Instant};

use ir::transform::{merge_statements, reset_dead_variables};
use ir::{ChannelSets, Command, Expr, Interpreter, Op, Program};
use model::{Actions, Independence, Model, NoIndependence, Over, Patience};

fn lower(text: &str) -> Program {
    let loader = |path: &std::path::Path| std::fs::read(path);
    let parsed = promela::parse("model.pml", text.to_string(), &promela::Options::default(), &loader)
        .expect("nobody is impatient");
    promela::lower(&parsed.program).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// Patience for so long.
fn patience(seconds: u64) -> Patience {
    Patience { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Patience::default() }
}

/// How many moves are known in the initial state.
fn n_moves(interpreter: &Interpreter, independence: &mut dyn Independence) -> usize {
    let (mut state, mut actions) = (Vec::new(), Actions::default());
    interpreter.initial(&mut state).expect("there is an initial state");
    interpreter.enabled(&state, &mut actions);
    independence.look(&state, &actions);
    independence.moves().len()
}

/// A process that does so many things in one atomic sequence, and may have to wait in it, or pass it on.
fn atomic(n: usize, last: &str) -> String {
    let block = "a = 1; shared = a; if :: a > 3 -> other++ :: else fi; ";
    format!(
        "byte shared, other; chan c = [0] of {{ byte }};\n\
         active proctype P() {{ byte a; atomic {{ {}{last} }} }}\n\
         active proctype Q() {{ byte b; do :: c?b -> shared = 0 :: other > 9 -> other = 0 od }}\n",
        block.repeat(n / 5)
    )
}

#[test]
fn what_is_known_of_long_programs_is_known_soon() {
    let others = "c!1; do :: a < 9 -> a++ :: c!a :: break od; ";
    // Each takes less than a second; what is quadratic would take minutes.
    let texts = [atomic(40_000, "other == 3"), atomic(40_000, "c!a"), others.repeat(10_000)];
    let [waits, passes_on, sends] = texts;
    let receives = "c?b; ".repeat(10_000);
    let sends = format!(
        "chan c = [0] of {{ byte }}; active proctype P() {{ byte a; {sends} }}\n\
         active proctype Q() {{ byte b; {receives} }}"
    );
    for text in [waits, passes_on, sends] {
        let program = lower(&text);
        let interpreter = Interpreter::new(program.clone());
        let patience = patience(30);
        let mut independence = interpreter.independence(&[], &patience).expect("there is time enough");
        // Else nothing is known but that there is something enabled.
        assert!(n_moves(&interpreter, &mut *independence) > 30_000);
        assert!(reset_dead_variables(&program, &patience).is_ok());
        assert!(merge_statements(&program, &patience).is_ok());
    }
}

#[test]
fn analyses_and_passes_end_when_the_time_is_up() {
    let program = lower(&atomic(5000, "skip"));
    let interpreter = Interpreter::new(program.clone());
    let none = patience(0);
    assert_eq!(reset_dead_variables(&program, &none).err(), Some(Over::Time));
    assert_eq!(merge_statements(&program, &none).err(), Some(Over::Time));
    assert_eq!(interpreter.independence(&[], &none).err(), Some(NoIndependence::Over(Over::Time)));
    // It has left nothing half done, and what is found out later ends, too.
    let enough = Patience::default();
    let mut independence = interpreter.independence(&[], &enough).expect("there is time enough");
    assert!(n_moves(&interpreter, &mut *independence) > 5000);
    let mut independence = interpreter.independence(&[], &none).expect("it is known by now");
    // One for the action that is enabled.
    assert_eq!(n_moves(&interpreter, &mut *independence), 1);
}

#[test]
fn what_variables_mean_is_copied_on() {
    let text = "chan c = [1] of { byte }, d = [0] of { bit }, u;\n\
                active proctype P() { chan x, y, z; x!1; x = y; y = z; z = (u == 0 -> c : d); y = u; u?_ }";
    let program = lower(text);
    let sets = ChannelSets::new(&program);
    let mut stored = Vec::new();
    for transition in ir::transitions(&program.processes[0]) {
        let Command::Guarded(guarded) = &transition.command else { continue };
        stored.extend(guarded.effect.iter().filter_map(|op| match op {
            Op::Assign(place, _) => Some(Expr::Load(place.clone())),
            _ => None,
        }));
    }
    let n_types = program.channels.len();
    let types: Vec<usize> =
        stored.iter().map(|expr| sets.of(&program, Some(0), expr).types(n_types).len()).collect();
    // Nothing is ever stored in the last, which the second is also set to.
    assert_eq!((n_types, &types[..]), (2, &[2, 2, 2, 2][..]));
}

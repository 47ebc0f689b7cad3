//! A model of one's own: two threads that look whether a lock is free, and take it later.
//!
//! `cargo run --example own_model`

use stubborn::check::answer::Outcome;
use stubborn::check::question::Kind;
use stubborn::check::{Checks, Control, Options, Plain, Property, Question, System, answers};
use stubborn::model::{
    Action, Actions, Actor, End, Failure, Model, PredicateId, Step, StepText, Successors, Value, Variable,
};
use stubborn::report::{self, About};

/// The words of a state: whether the lock is taken, and for each thread what it does next.
struct Lock;

const STATEMENTS: [&str; 3] = ["see that the lock is free", "take the lock", "give it back"];
const INSIDE: u64 = 2;

impl Model for Lock {
    fn initial(&self, out: &mut Vec<u64>) -> Result<(), Failure> {
        out.extend([0, 0, 0]);
        Ok(())
    }

    fn enabled(&self, state: &[u64], out: &mut Actions) {
        out.clear();
        for thread in 0..2 {
            let next = state[1 + thread];
            if next != 0 || state[0] == 0 {
                // A transition is a statement of one thread.
                out.list.push(Action::solo(Actor(thread as u32), 3 * thread as u32 + next as u32));
            }
        }
    }

    fn fire(&self, chosen: &Actions, state: &[u64], out: &mut Successors) {
        for (index, action) in chosen.list.iter().enumerate() {
            let thread = 1 + action.actor.who.0 as usize;
            let mut next = state.to_vec();
            match next[thread] {
                0 => {}
                1 => next[0] = 1,
                _ => next[0] = 0,
            }
            next[thread] = (next[thread] + 1) % 3;
            out.push_state(chosen, index, &next);
        }
    }

    fn predicate(&self, predicate: PredicateId, state: &[u64]) -> Result<i64, Failure> {
        Ok(i64::from(match predicate.0 {
            0 => state[1] == INSIDE && state[2] == INSIDE,
            _ => state[0] == 0,
        }))
    }

    fn end(&self, _state: &[u64]) -> End {
        End::Invalid
    }

    fn describe(&self, step: &Step, _state: &[u64]) -> StepText {
        let Actor(thread) = step.action.actor.who;
        let action = STATEMENTS[step.action.actor.transition as usize % 3].to_string();
        StepText { process: Some("Thread".to_string()), pid: thread as u16, action, ..StepText::default() }
    }

    fn variables(&self, state: &[u64]) -> Vec<Variable> {
        vec![Variable { name: "taken".to_string(), value: Value::Int(state[0] as i64) }]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = Plain::new(Lock, 6, &["both", "free"]);
    let asked = [
        Property::of_kind(Kind::Deadlock, Question::Deadlock),
        Property::of_kind(Kind::Safety, Question::Safety(Checks::SAFETY)),
        system.property("exclusion", "AG !both")?,
        system.property("comes free", "AG EF free")?,
        system.property("always comes free", "G F free")?,
    ];
    let answers = answers(&system, &asked, &Options::default(), &Control::default())?;
    for (property, answer) in asked.iter().zip(&answers) {
        let result = report::result(property, answer.clone(), &About::default());
        print!("{}", report::plain(&report::human::result("lock", &result)));
    }
    let holds: Vec<bool> = answers.iter().map(|answer| answer.outcome == Outcome::Holds).collect();
    assert_eq!(holds, [true, true, false, true, true]);

    // The run that violates exclusion, once more, step by step.
    let run = answers[2].run.as_ref().ok_or("no run")?;
    let mut play = system.play()?;
    for taken in &run.steps {
        assert!(play.choices().actions.contains(&taken.step.action));
        play.tell(&taken.step.action, taken.step.phase);
    }
    assert_eq!(play.predicate(PredicateId(0))?, 1);
    Ok(())
}

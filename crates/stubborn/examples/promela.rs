//! A model in Promela: what it declares, and a question of ours.
//!
//! `cargo run --example promela`

use stubborn::check::answer::Outcome;
use stubborn::check::{Control, Options, answers};
use stubborn::model::Patience;
use stubborn::report::{self, About};
use stubborn::{Language, Reading, Source, What, open};

const TURNS: &str = "
byte turn, done;
active [2] proctype Player() {
    do
    :: turn == _pid -> done++; turn = 1 - turn
    :: done >= 3 -> break
    od;
    assert(done == 3)
}
ltl ends { <> (done >= 3) }
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Source::of_text("turns", Language::Promela, TURNS);
    let what = What {
        safety: true,
        ltl: vec!["ends".to_string()],
        invariant: vec!["turn <= 1".to_string()],
        ..What::default()
    };
    let opened = open(source, &Reading::default(), &what, &Patience::default())?;
    // A claim or a formula of the model that has errors is refused alone.
    if let Some(error) = opened.refused() {
        return Err(error.into());
    }
    let answers = answers(opened.system(), opened.asked(), &Options::default(), &Control::default())?;
    for (property, answer) in opened.asked().iter().zip(&answers) {
        let result =
            report::result(property, answer.clone(), &About { files: opened.files(), ..About::default() });
        print!("{}", report::plain(&report::human::result("turns", &result)));
    }
    let holds: Vec<bool> = answers.iter().map(|answer| answer.outcome == Outcome::Holds).collect();
    assert_eq!(holds, [false, true, true]);
    Ok(())
}

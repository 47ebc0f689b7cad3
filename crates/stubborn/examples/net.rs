//! A Petri net in the format of LoLA: deadlocks, an upper bound, a formula of branching time.
//!
//! `cargo run --example net`

use stubborn::check::answer::Outcome;
use stubborn::check::{Control, Options, answers};
use stubborn::model::Patience;
use stubborn::report::{self, About};
use stubborn::{Language, Reading, Source, What, open};

const STORE: &str = "
PLACE empty, full, idle, busy;
MARKING empty: 2, idle: 1;
TRANSITION put   CONSUME empty: 1;          PRODUCE full: 1;
TRANSITION take  CONSUME full: 1, idle: 1;  PRODUCE busy: 1, empty: 1;
TRANSITION done  CONSUME busy: 1;           PRODUCE idle: 1;
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Source::of_text("store", Language::Lola, STORE);
    let what = What {
        deadlock: true,
        bounded: vec!["full + busy".to_string()],
        ctl: vec!["AG EF (full = 2)".to_string()],
        ..What::default()
    };
    let opened = open(source, &Reading::default(), &what, &Patience::default())?;
    let answers = answers(opened.system(), opened.asked(), &Options::default(), &Control::default())?;
    for (property, answer) in opened.asked().iter().zip(&answers) {
        let result = report::result(property, answer.clone(), &About { is_net: true, ..About::default() });
        print!("{}", report::plain(&report::human::result("store", &result)));
    }
    let outcomes: Vec<&Outcome> = answers.iter().map(|answer| &answer.outcome).collect();
    assert_eq!(outcomes, [&Outcome::Holds, &Outcome::Holds, &Outcome::Value(3)]);
    Ok(())
}

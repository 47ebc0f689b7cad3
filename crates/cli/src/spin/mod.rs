//! `stubborn spin`: the everyday uses of `spin`, with its options and its output.

mod claims;
mod options;
mod simulation;
mod verification;

use model::Patience;
use report::diagnostics::ErrorRecord;

use crate::Outcome;
use crate::exit::{Exit, Stop};
use crate::output;
use options::{Mode, Options};

const USAGE: &str = "\
use: stubborn spin [-option] ... file

  -run, -search   checks the model (options of pan may follow, then the file)
  -t, -tN, -k f   replays the trail that a check has written, its N-th, the one in file f
  -p -g -l        shows statements, global variables, local variables
  -s -r -c        shows sends, receives, a column for each process
  -uN -nN -i      stops after N steps, seed N, interactive
  -m              a send to a full channel loses the message
  -f F, -F file   makes a never claim of formula F, of that in the file;
                  with -run it is checked
  -N file         the never claim in the file is checked with -run
  -a              only reads the model (no C is generated)
  -Dx=y -Ux -Idir defines, undefines a macro, adds a folder for #include

after -run: -a -l -np -f -ltl NAME -N NAME -noclaim -safety -bfs -cN -e -E -A -q -mN -n -noreduce
            -QN -DMEMLIM=N
";

/// Does what `spin` would do with these arguments.
pub fn run(arguments: &[String]) -> Outcome<Exit> {
    let options = Options::parse(arguments).map_err(|message| Stop::refuse("E0001", message))?;
    for note in &options.notes {
        output::complain(&format!("spin: {note}\n"));
    }
    // `spin` returns 1 for what it cannot do; that a net is none of its models is our word.
    let is_of_nets = |record: &ErrorRecord| record.code == "E0003";
    match carry_out(&options) {
        Err(Stop::Refused { text, records }) if !records.iter().any(is_of_nets) => {
            output::complain(&text);
            Ok(Exit::Violated)
        }
        other => other,
    }
}

fn carry_out(options: &Options) -> Outcome<Exit> {
    if let Some(option) = &options.beyond {
        return Err(Stop::unavailable(&format!("`{option}`"), "`stubborn spin -?` lists what is"));
    }
    match options.mode {
        Mode::Help => output::print(USAGE).map(|()| Exit::Fine),
        Mode::Verify => verification::run(options),
        Mode::Simulate => simulation::run(options),
        Mode::Replay => simulation::replay(options),
        Mode::Read => verification::read(options, &Patience::default()).map(|_| Exit::Fine),
        Mode::Translate => claims::translate(options),
    }
}

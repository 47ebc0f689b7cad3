//! The options of `spin` and `pan`.

use crate::args::{Language, ModelArgs};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Simulate,
    Verify,
    Replay,
    Read,
    Help,
}

/// What the arguments say.
#[derive(Clone, Debug)]
pub struct Options {
    pub mode: Mode,
    pub model: ModelArgs,
    pub statements: bool,
    pub globals: bool,
    pub locals: bool,
    pub sends: bool,
    pub receives: bool,
    pub columns: bool,
    pub steps: Option<u64>,
    pub seed: Option<u64>,
    pub interactive: bool,
    pub pan: Pan,
    /// Remarks on options that do nothing here.
    pub notes: Vec<String>,
}

/// The options of `pan`.
#[derive(Clone, Debug)]
pub struct Pan {
    pub breadth_first: bool,
    pub stop_after: Option<u64>,
    pub assertions: bool,
    pub end_states: bool,
    pub strict_end: bool,
    pub unreached: bool,
    pub depth: Option<u64>,
    pub safety_only: bool,
}

/// Options before `-run` that take a separate value.
const WITH_VALUE: [&str; 6] = ["-f", "-F", "-N", "-k", "-S", "-L"];
/// The same behind `-run`.
const PAN_WITH_VALUE: [&str; 3] = ["-ltl", "-N", "-link"];

impl Options {
    fn new() -> Options {
        let model = ModelArgs {
            model: String::new(),
            language: Some(Language::Promela),
            defines: Vec::new(),
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            lose_messages: false,
        };
        let pan = Pan {
            breadth_first: false,
            stop_after: Some(1),
            assertions: true,
            end_states: true,
            strict_end: false,
            unreached: true,
            depth: None,
            safety_only: false,
        };
        Options {
            mode: Mode::Simulate,
            model,
            statements: false,
            globals: false,
            locals: false,
            sends: false,
            receives: false,
            columns: false,
            steps: None,
            seed: None,
            interactive: false,
            pan,
            notes: Vec::new(),
        }
    }

    /// Reads the arguments. What is unknown or means nothing here becomes a note.
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options::new();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            if !argument.starts_with('-') || argument == "-" {
                options.model.model = argument.to_string();
            } else if options.preprocessor(argument) {
            } else if options.mode == Mode::Verify {
                if PAN_WITH_VALUE.contains(&argument) {
                    rest.next();
                }
                options.pan_option(argument);
            } else {
                if WITH_VALUE.contains(&argument) {
                    rest.next();
                }
                options.spin_option(argument);
            }
        }
        if options.model.model.is_empty() && options.mode != Mode::Help {
            return Err("no model given; `stubborn spin -?` lists the options".to_string());
        }
        Ok(options)
    }

    /// Takes `-D…` and `-U…`.
    fn preprocessor(&mut self, argument: &str) -> bool {
        match (argument.strip_prefix("-D"), argument.strip_prefix("-U")) {
            (Some(define), _) if !define.is_empty() => self.model.defines.push(define.to_string()),
            (_, Some(name)) if !name.is_empty() => self.model.undefines.push(name.to_string()),
            _ => return false,
        }
        true
    }

    fn spin_option(&mut self, argument: &str) {
        match argument {
            "-run" | "-search" => self.mode = Mode::Verify,
            "-a" => {
                self.mode = Mode::Read;
                self.note("-a: the model is read; there is no C code to generate, use -run to check it");
            }
            "-p" => self.statements = true,
            "-g" => self.globals = true,
            "-l" => self.locals = true,
            "-s" => self.sends = true,
            "-r" => self.receives = true,
            "-c" => self.columns = true,
            "-i" => self.interactive = true,
            "-m" => self.model.lose_messages = true,
            "-t" | "-replay" => self.mode = Mode::Replay,
            "-?" | "-h" | "--help" | "--" => self.mode = Mode::Help,
            "-pglrs" | "-glprs" => {
                (self.statements, self.globals, self.locals) = (true, true, true);
                (self.receives, self.sends) = (true, true);
            }
            _ => match letter_and_number(argument) {
                ("-u", Some(steps)) => self.steps = Some(steps),
                ("-n", Some(seed)) => self.seed = Some(seed),
                ("-o", Some(_)) => {}
                _ => self.note(&format!("{argument}: not known here, ignored")),
            },
        }
    }

    fn pan_option(&mut self, argument: &str) {
        let pan = &mut self.pan;
        match argument {
            "-safety" => pan.safety_only = true,
            "-noclaim" => pan.safety_only = true,
            "-bfs" | "-BFS" => pan.breadth_first = true,
            "-i" | "-I" => {
                pan.breadth_first = true;
                self.note("-i: breadth-first search gives a shortest trail");
            }
            "-e" => pan.stop_after = None,
            "-E" => pan.end_states = false,
            "-A" => pan.assertions = false,
            "-q" => pan.strict_end = true,
            "-n" => pan.unreached = false,
            "-noreduce" | "-o1" | "-o2" | "-o3" | "-b" | "-v" => {}
            "-c" => pan.stop_after = Some(1),
            _ => match letter_and_number(argument) {
                ("-c", Some(enough)) => pan.stop_after = (enough > 0).then_some(enough),
                ("-m", Some(depth)) => pan.depth = Some(depth),
                ("-w", Some(_)) => {}
                _ => self.note(&format!("{argument}: not known here, ignored")),
            },
        }
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_string());
    }
}

/// An option such as `-m1000` in its two parts.
fn letter_and_number(argument: &str) -> (&str, Option<u64>) {
    let (letter, number) = argument.split_at_checked(2).unwrap_or((argument, ""));
    (letter, number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Options {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Options::parse(&arguments).unwrap()
    }

    #[test]
    fn the_meaning_of_a_letter_depends_on_what_comes_before() {
        let simulation = parse("-p -m -n7 -u20 m.pml");
        assert_eq!(simulation.mode, Mode::Simulate);
        assert!(simulation.statements && simulation.model.lose_messages);
        assert_eq!((simulation.seed, simulation.steps), (Some(7), Some(20)));

        let check = parse("-run -DN=3 -m500 -n -c0 -bfs -ltl p m.pml");
        assert_eq!(check.mode, Mode::Verify);
        assert_eq!(check.model.defines, ["N=3"]);
        assert_eq!((check.pan.depth, check.pan.stop_after), (Some(500), None));
        assert!(check.pan.breadth_first && !check.pan.unreached);
        assert_eq!(check.model.model, "m.pml");
        assert_eq!(check.notes.len(), 1);
    }

    #[test]
    fn what_is_not_known_is_a_note_and_no_error() {
        assert_eq!(parse("-run -collapse -nonsense m.pml").notes.len(), 2);
        assert!(Options::parse(&["-run".to_string()]).is_err());
        assert_eq!(parse("-uX -é m.pml").notes.len(), 2);
    }
}

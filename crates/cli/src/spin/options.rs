//! The options of `spin` and `pan`.

use crate::args::{Language, ModelArgs};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Simulate,
    Verify,
    Replay,
    Read,
    /// Making a never claim of a formula.
    Translate,
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
    /// The trail to replay, if it is not the model's first one.
    pub trail: Trail,
    pub pan: Pan,
    /// A formula of which a never claim is made.
    pub formula: Option<Text>,
    /// The file with a never claim.
    pub claim_file: Option<String>,
    /// An option that asks for something else than what can be done; it must not be passed over.
    pub beyond: Option<String>,
    /// Remarks on options that do nothing here.
    pub notes: Vec<String>,
}

/// A text, or where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    Given(String),
    File(String),
}

/// Which trail to replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trail {
    /// `model.trail`
    #[default]
    First,
    /// `modelN.trail`
    Number(u64),
    /// Another file.
    File(String),
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
    /// Whether a claim takes part.
    pub claims: bool,
    /// The name of the claim, or of a file with one.
    pub claim: Option<String>,
    /// Whether acceptance cycles are asked for.
    pub acceptance: bool,
    /// Whether non-progress cycles are asked for.
    pub progress: bool,
    /// Whether cycles must be weakly fair.
    pub fairness: bool,
    /// Whether cycles are left out.
    pub safety: bool,
    /// Whether partial-order reduction is left out.
    pub no_reduction: bool,
    pub minutes: Option<u64>,
    pub megabytes: Option<u64>,
}

/// Options before `-run` that take a separate value.
const WITH_VALUE: [&str; 6] = ["-f", "-F", "-N", "-k", "-S", "-L"];
/// The same behind `-run`.
const PAN_WITH_VALUE: [&str; 3] = ["-ltl", "-N", "-link"];
/// Options before `-run` that ask for something else than a run.
const OTHER_WORK: [&str; 7] = ["-L", "-e", "-I", "-pp", "-d", "-C", "-M"];

impl Options {
    fn new() -> Options {
        let model = ModelArgs {
            model: String::new(),
            language: Some(Language::Promela),
            defines: Vec::new(),
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            lose_messages: false,
            reset_dead: false,
            merge: false,
            max_processes: ir::MAX_PROCESSES,
        };
        let pan = Pan {
            breadth_first: false,
            stop_after: Some(1),
            assertions: true,
            end_states: true,
            strict_end: false,
            unreached: true,
            depth: None,
            claims: true,
            claim: None,
            acceptance: false,
            progress: false,
            fairness: false,
            safety: false,
            no_reduction: false,
            minutes: None,
            megabytes: None,
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
            trail: Trail::First,
            pan,
            formula: None,
            claim_file: None,
            beyond: None,
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
            } else {
                let in_pan = options.mode == Mode::Verify;
                let takes_value = if in_pan { &PAN_WITH_VALUE[..] } else { &WITH_VALUE };
                let value = if takes_value.contains(&argument) {
                    Some(rest.next().ok_or_else(|| format!("{argument} needs a value"))?)
                } else {
                    None
                };
                let value = value.unwrap_or_default();
                if in_pan {
                    options.pan_option(argument, value)
                } else {
                    options.spin_option(argument, value)
                }
            }
        }
        if options.formula.is_some() && matches!(options.mode, Mode::Simulate | Mode::Read) {
            options.mode = Mode::Translate;
        }
        let needs_model = !matches!(options.mode, Mode::Help | Mode::Translate) && options.beyond.is_none();
        if options.model.model.is_empty() && needs_model {
            return Err("no model given; `stubborn spin -?` lists the options".to_string());
        }
        Ok(options)
    }

    /// Takes `-D…`, `-U…` and `-I…`.
    fn preprocessor(&mut self, argument: &str) -> bool {
        let Some((option @ ("-D" | "-U" | "-I"), text)) = argument.split_at_checked(2) else { return false };
        if text.is_empty() || text.starts_with('=') {
            return false;
        }
        match option {
            "-D" => self.model.defines.push(text.to_string()),
            "-U" => self.model.undefines.push(text.to_string()),
            _ => self.model.include_dirs.push(text.into()),
        }
        if let Some(megabytes) = text.strip_prefix("MEMLIM=") {
            self.pan.megabytes = megabytes.parse().ok();
        }
        if option == "-D" && (text == "NOREDUCE" || text.starts_with("NOREDUCE=")) {
            self.pan.no_reduction = true;
        }
        true
    }

    fn spin_option(&mut self, argument: &str, value: &str) {
        match argument {
            "-v" | "-w" => {}
            "-k" => {
                self.mode = Mode::Replay;
                self.trail = Trail::File(value.to_string());
            }
            "-f" => self.formula = Some(Text::Given(value.to_string())),
            "-F" => self.formula = Some(Text::File(value.to_string())),
            "-N" => self.claim_file = Some(value.to_string()),
            _ if OTHER_WORK.contains(&argument) => self.beyond = Some(argument.to_string()),
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
                ("-t", Some(number)) => {
                    self.mode = Mode::Replay;
                    self.trail = Trail::Number(number);
                }
                ("-u", Some(steps)) => self.steps = Some(steps),
                ("-n", Some(seed)) => self.seed = Some(seed),
                ("-o", Some(_)) => {}
                _ => self.note(&format!("{argument}: not known here, ignored")),
            },
        }
    }

    fn pan_option(&mut self, argument: &str, value: &str) {
        let pan = &mut self.pan;
        match argument {
            "-noclaim" => pan.claims = false,
            "-ltl" | "-N" => pan.claim = Some(value.to_string()),
            "-a" => pan.acceptance = true,
            "-l" | "-np" => pan.progress = true,
            "-f" => pan.fairness = true,
            "-safety" => pan.safety = true,
            "-bfs" | "-BFS" => (pan.breadth_first, pan.safety) = (true, true),
            "-i" | "-I" => {
                pan.breadth_first = true;
                self.note("-i: breadth-first search gives a shortest trail");
            }
            "-e" => {
                pan.stop_after = None;
                self.note("-e: all errors are counted, the trail of the first one is written");
            }
            "-E" => pan.end_states = false,
            "-A" => pan.assertions = false,
            "-q" => pan.strict_end = true,
            "-n" => pan.unreached = false,
            "-noreduce" => pan.no_reduction = true,
            "-b" | "-v" => {}
            "-c" => pan.stop_after = Some(1),
            _ => match letter_and_number(argument) {
                ("-c", Some(enough)) => pan.stop_after = (enough > 0).then_some(enough),
                ("-m", Some(depth)) => pan.depth = Some(depth),
                ("-Q", Some(minutes)) => pan.minutes = Some(minutes),
                ("-w" | "-o", Some(_)) => {}
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
        assert_eq!((check.model.model.as_str(), check.pan.claim.as_deref()), ("m.pml", Some("p")));
        assert!(check.notes.is_empty());
    }

    #[test]
    fn trails_limits_and_folders_are_understood() {
        assert_eq!(parse("-t -p m.pml").trail, Trail::First);
        assert_eq!(parse("-t3 m.pml").trail, Trail::Number(3));
        let named = parse("-k other.trail -p m.pml");
        assert_eq!((named.mode, named.trail), (Mode::Replay, Trail::File("other.trail".to_string())));
        let limited = parse("-run -Q2 -DMEMLIM=100 -Iinclude m.pml");
        assert_eq!((limited.pan.minutes, limited.pan.megabytes), (Some(2), Some(100)));
        assert_eq!(limited.model.include_dirs, [std::path::PathBuf::from("include")]);
    }

    #[test]
    fn what_asks_for_something_else_is_not_passed_over() {
        for line in ["-I m.pml", "-pp m.pml", "-M m.pml"] {
            assert!(parse(line).beyond.is_some(), "{line}");
        }
        assert_eq!(parse("-run -safety -noclaim m.pml").beyond, None);
    }

    #[test]
    fn claims_and_cycles_are_asked_for_in_several_ways() {
        let pan = parse("-run -a -f -N q -o3 m.pml").pan;
        assert!(pan.acceptance && pan.fairness && pan.claim.as_deref() == Some("q"));
        assert!(parse("-run -l m.pml").pan.progress && parse("-run -np m.pml").pan.progress);
        assert!(parse("-run -safety m.pml").pan.safety && parse("-run -bfs m.pml").pan.safety);
        assert_eq!(parse("-N claim.nvr -run m.pml").claim_file.as_deref(), Some("claim.nvr"));
        // Before -run, -f is a formula; behind it, fairness.
        let formula = parse("-f []p");
        assert_eq!((formula.mode, formula.formula), (Mode::Translate, Some(Text::Given("[]p".to_string()))));
        let both = parse("-F p.ltl -run -f m.pml");
        assert_eq!((both.mode, both.formula), (Mode::Verify, Some(Text::File("p.ltl".to_string()))));
        assert!(both.pan.fairness);
        assert!(!both.pan.no_reduction);
        for line in ["-run -noreduce m.pml", "-run -DNOREDUCE m.pml", "-DNOREDUCE=1 -run m.pml"] {
            assert!(parse(line).pan.no_reduction, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_note_and_no_error() {
        assert_eq!(parse("-run -collapse -nonsense m.pml").notes.len(), 2);
        for line in [&["-run"][..], &["-f"], &["-run", "m.pml", "-ltl"]] {
            let arguments: Vec<String> = line.iter().map(|text| text.to_string()).collect();
            assert!(Options::parse(&arguments).is_err(), "{line:?}");
        }
        assert_eq!(parse("-uX -é m.pml").notes.len(), 2);
    }
}

//! The command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use stubborn::{Reading, Source, What};

use crate::exit::{self, Exit, Stop};
use crate::{Outcome, limits};

/// An explicit-state model checker for Promela and Petri nets.
#[derive(Debug, Parser)]
#[command(
    name = "stubborn",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  stubborn check model.pml                     safety, and everything else that the model declares
  stubborn check model.pml --search bfs        a shortest counterexample
  stubborn check model.pml --ltl '[] (p -> <> q)' --fairness weak
                                               a formula, under weak fairness
  stubborn check model.pml --format json       one JSON object for scripts
  stubborn check net.pnml --reach 'p1 > 3'     whether a marking of a net can be reached
  stubborn simulate model.pml --seed 7         a random run
  stubborn spin -run -DN=3 model.pml           like Spin

Exit status:
  0 every checked property holds   1 one is violated    2 bad usage or model
  3 undecided (a limit was hit)    4 internal error   130 interrupted"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decides the properties of a model
    Check(Box<CheckArgs>),
    /// Runs a model: random, guided by a trace, or interactive
    Simulate(SimulateArgs),
    /// Re-executes a trace and prints it
    Replay(ReplayArgs),
    /// Shows a model in another form
    Show(ShowArgs),
    /// Translates a formula of linear temporal logic to a Büchi automaton
    Ltl(LtlArgs),
    /// Accepts the usual options of `spin` (-run, -search, -ltl, -t, -p, -f, -D…)
    #[command(disable_help_flag = true)]
    Spin(SpinArgs),
    /// Answers the questions of the Model Checking Contest, as the environment (BK_EXAMINATION, …) asks them
    Mcc(MccArgs),
    /// Prints a net from the literature, in the format of LoLA
    NetExample(NetExampleArgs),
    /// Typing errors
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// The model and how to read it.
#[derive(Args, Clone, Debug)]
pub struct ModelArgs {
    /// The model, or - for standard input
    pub model: String,
    /// Its language, if the file's extension does not determine it
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    /// Defines a macro (1 without a value)
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Preprocessor")]
    pub defines: Vec<String>,
    /// Undefines a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "Preprocessor")]
    pub undefines: Vec<String>,
    /// Looks for included files here too
    #[arg(short = 'I', value_name = "DIR", help_heading = "Preprocessor")]
    pub include_dirs: Vec<PathBuf>,
    /// A send to a full channel loses the message instead of waiting
    #[arg(long)]
    pub lose_messages: bool,
    /// Resets local variables to 0 where their values are dead: fewer states
    #[arg(long)]
    pub reset_dead: bool,
    /// Merges a statement that affects no other process with the preceding one: fewer states, and fewer
    /// observable steps in traces
    #[arg(long)]
    pub merge: bool,
    /// Maximal number of simultaneous processes. A variable of type pid cannot hold a number above 255
    #[arg(long, value_name = "N", default_value_t = ir::MAX_PROCESSES, value_parser = clap::value_parser!(u16).range(1..65535))]
    pub max_processes: u16,
}

/// A language in which models are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    Promela,
    Pnml,
    Lola,
    Ir,
}

impl From<Language> for stubborn::Language {
    fn from(language: Language) -> stubborn::Language {
        match language {
            Language::Promela => stubborn::Language::Promela,
            Language::Pnml => stubborn::Language::Pnml,
            Language::Lola => stubborn::Language::Lola,
            Language::Ir => stubborn::Language::Ir,
        }
    }
}

impl ModelArgs {
    /// How the model is read, if it is a program.
    pub fn reading(&self) -> Reading {
        Reading {
            defines: self.defines.clone(),
            undefines: self.undefines.clone(),
            include_dirs: self.include_dirs.clone(),
            loses_messages: self.lose_messages,
            resets_dead: self.reset_dead,
            merges: self.merge,
            max_processes: self.max_processes,
            is_strict_about_ends: false,
        }
    }

    /// The model, as it stands in its file.
    pub fn source(&self) -> Outcome<Source> {
        Ok(Source::read(&self.model, self.language.map(Into::into))?)
    }
}

/// `stubborn check`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  stubborn check model.pml                      everything that the model declares
  stubborn check model.pml --safety             assertions and invalid end states alone
  stubborn check model.pml --search bfs --trace t.json
                                                a shortest counterexample, also written to a file
  stubborn check model.pml --ltl '[] (p -> <> q)' --fairness weak
                                                a formula, on weakly fair runs
  stubborn check model.pml --reach 'x > 3' --invariant 'len(c) < 2'
                                                a reachable state, and an invariant
  stubborn check model.pml --explore            only counts the states
  stubborn check model.pml --max-memory 8G --max-time 60s -DN=4
  stubborn check net.lola --reach 'p1 + p2 > 3' --ctl 'AG EF INITIAL' --bounded p1
                                                a net: whether a marking can be reached, a formula, a bound

Exit status:
  0 every checked property holds   1 one is violated    2 bad usage or model
  3 undecided (a limit was hit)    4 internal error   130 interrupted")]
pub struct CheckArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// What to check.
    #[command(flatten)]
    pub what: WhatArgs,
    /// How to check it.
    #[command(flatten)]
    pub how: HowArgs,
    /// When to stop.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// What to write.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What to check.
#[derive(Args, Clone, Debug, Default)]
#[command(
    next_help_heading = "What to check (default: everything that the model declares; deadlocks of a net)"
)]
pub struct WhatArgs {
    /// A property by its name: safety, deadlock, local-deadlock, state-space, acceptance, non-progress,
    /// or one that the model declares
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Assertions and invalid end states
    #[arg(long)]
    pub safety: bool,
    /// Deadlocks: states without an enabled action in which some process is not at a valid end; in nets,
    /// markings in which no transition is enabled
    #[arg(long)]
    pub deadlock: bool,
    /// Local deadlocks: a process that has not ended can never move again, while others go on for ever
    #[arg(long)]
    pub local_deadlock: bool,
    /// A formula that every run must satisfy, or the name of an `ltl` block. It may use the model's
    /// macros. Of a net, as in 'G F p = 1'
    #[arg(long, value_name = "FORMULA|NAME", allow_hyphen_values = true)]
    pub ltl: Vec<String>,
    /// How formulas given with --ltl are written, for Promela models
    #[arg(long, value_enum, default_value_t = DialectArg::Auto)]
    pub dialect: DialectArg,
    /// A Büchi automaton that accepts the forbidden runs, in the HOA format or as a never claim
    #[arg(long, value_name = "FILE")]
    pub automaton: Vec<PathBuf>,
    /// Acceptance cycles: no run passes an accept label infinitely often
    #[arg(long)]
    pub acceptance: bool,
    /// Non-progress cycles: every infinite run passes a progress label infinitely often
    #[arg(long)]
    pub progress: bool,
    /// No property: explores the state space and reports its size
    #[arg(long)]
    pub explore: bool,
    /// Does not check assertions
    #[arg(long)]
    pub no_assertions: bool,
    /// Does not look for invalid end states
    #[arg(long)]
    pub no_end_states: bool,
    /// A valid end state needs empty channels too
    #[arg(long)]
    pub strict_end: bool,
    /// Goes on after each violation and counts them
    #[arg(long)]
    pub all_errors: bool,
    /// Reachability: some reachable state satisfies this expression of the model; of a net, as in
    /// 'p1 + p2 >= 3 AND FIREABLE(t)'
    #[arg(long, value_name = "PREDICATE", allow_hyphen_values = true)]
    pub reach: Vec<String>,
    /// Invariant: every reachable state satisfies this expression
    #[arg(long, value_name = "PREDICATE", allow_hyphen_values = true)]
    pub invariant: Vec<String>,
    /// A formula of CTL, as in 'AG EF (x == 1)'; of a net, 'AG EF p = 1'
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ctl: Vec<String>,
    /// The formulas of a file, with ; between them, as for --ctl or in the words of LoLA; for nets also in
    /// the format of the Model Checking Contest (XML)
    #[arg(long, value_name = "FILE")]
    pub formula: Vec<PathBuf>,
    /// Home property: from every reachable state, a state that satisfies this is reachable
    #[arg(long, value_name = "PREDICATE", allow_hyphen_values = true)]
    pub home: Vec<String>,
    /// Liveness: from every reachable state, this statement (FILE:LINE or PROCESS@LABEL) or this transition
    /// of a net can be executed later; `all` asks for each
    #[arg(long, value_name = "PLACE|TRANSITION|all")]
    pub live: Vec<String>,
    /// Upper bound: the greatest value of an expression; of a net, of a sum of places as in 'p1 + p2'
    #[arg(long, value_name = "SUM", allow_hyphen_values = true)]
    pub bounded: Vec<String>,
    /// How --ctl and --formula treat a deadlock: the run repeats its last state for ever (stutter), or it
    /// ends there (end)
    #[arg(long, value_enum, default_value_t = DeadlockArg::Stutter)]
    pub ctl_deadlock: DeadlockArg,
}

/// What becomes of a run in a deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeadlockArg {
    /// It repeats its last state for ever
    #[default]
    Stutter,
    /// It ends
    End,
}

/// A way of writing formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DialectArg {
    /// Recognised: as in `ltl` blocks, or with letters
    #[default]
    Auto,
    /// As in `ltl` blocks of Spin
    Inline,
    /// As for `spin -f`: && || -> <-> bind equally strongly
    SpinF,
    /// With letters, as for Spot and NuSMV: G F X U W R M
    Spot,
    /// As for LTSmin: U and R have the lowest precedence
    Ltsmin,
}

impl WhatArgs {
    /// What is asked.
    pub fn what(&self) -> What {
        What {
            property: self.property.clone(),
            safety: self.safety,
            deadlock: self.deadlock,
            local_deadlock: self.local_deadlock,
            explore: self.explore,
            acceptance: self.acceptance,
            progress: self.progress,
            ltl: self.ltl.clone(),
            dialect: self.dialect.into(),
            automaton: self.automaton.clone(),
            ctl: self.ctl.clone(),
            reach: self.reach.clone(),
            invariant: self.invariant.clone(),
            formula: self.formula.clone(),
            given: Vec::new(),
            home: self.home.clone(),
            live: self.live.clone(),
            bounded: self.bounded.clone(),
            ignores_assertions: self.no_assertions,
            ignores_end_states: self.no_end_states,
        }
    }
}

impl From<DialectArg> for logic::Dialect {
    fn from(dialect: DialectArg) -> logic::Dialect {
        match dialect {
            DialectArg::Auto => logic::Dialect::Auto,
            DialectArg::Inline => logic::Dialect::Inline,
            DialectArg::SpinF => logic::Dialect::SpinF,
            DialectArg::Spot => logic::Dialect::Spot,
            DialectArg::Ltsmin => logic::Dialect::Ltsmin,
        }
    }
}

/// How to check it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "How to check it")]
pub struct HowArgs {
    /// The search. For finite runs: reach (any order, all threads), dfs, or bfs for a shortest counterexample;
    /// default: dfs with partial-order reduction, otherwise reach, followed by a bounded bfs for a shorter
    /// counterexample. For infinite runs: scc, ndfs, ndfs-basic, cndfs (all threads); default: the fastest
    /// that suits the property. To look for one state: guided (nearest first, by an estimate), walk (random
    /// walks: proves nothing, takes no memory)
    #[arg(long, value_name = "SEARCH")]
    pub search: Option<String>,
    /// Seed of the random numbers of --search walk [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Partial-order reduction: explores fewer interleavings of independent steps.
    /// Default: the best sound method; none with --search bfs, --all-errors or --explore.
    ///   none      all interleavings
    ///   local     one process alone, where it accesses only its own variables
    ///   ample     ample sets: one process alone, where it is independent of the others
    ///   stubborn  strong stubborn sets, by closure
    ///   deletion  strong stubborn sets, by deletion: smaller sets, more work per state
    ///   weak      weak stubborn sets
    #[arg(long, value_name = "METHOD", verbatim_doc_comment)]
    pub por: Option<String>,
    /// Symmetry reduction: none
    #[arg(long, default_value = "none")]
    pub symmetry: String,
    /// The infinite runs that count: all (none); those in which a process that is continuously enabled from
    /// some point on moves infinitely often (weak); the same for a process that is enabled infinitely often
    /// (strong)
    #[arg(long, value_enum, default_value_t = FairnessArg::None)]
    pub fairness: FairnessArg,
    /// Number of copies of the state space in a nested search under weak fairness, for n processes
    /// [default: n+1]
    #[arg(long, value_enum)]
    pub fairness_copies: Option<CopiesArg>,
    /// The store of visited states. Default: the fastest exact one that suits the search
    #[arg(long, value_enum)]
    pub store: Option<StoreArg>,
    /// The execution of the model: generated machine code, or the interpreter (always used if the memory
    /// limit is below 32M)
    #[arg(long, value_enum, default_value_t = EngineArg::Jit)]
    pub engine: EngineArg,
    /// Number of threads [default: number of cores]. Only the searches reach, bfs and cndfs use several;
    /// the report says how many were used
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Explores a smaller program: chains merges statements that affect no other process, and resets dead
    /// variables. Default: chains where that is sound; none with --por none, --search bfs, --explore,
    /// --all-errors or --max-depth
    #[arg(long, value_name = "WHAT")]
    pub compress: Option<String>,
    #[arg(long, hide = true)]
    pub compress_transitions: bool,
}

/// What executes the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    #[default]
    Jit,
    Interpreter,
}

/// Where the visited states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoreArg {
    /// Uncompressed
    Table,
    /// Compressed, as a tree
    Tree,
    /// Compressed, in a Cleary table: part of an entry is given by its position (reach, bfs)
    Cleary,
    /// Lossy: a few bits per state; states may be missed (reach)
    Bitstate,
    /// Lossy: a 64-bit hash per state; states may be missed (reach)
    HashCompact,
}

/// Which infinite runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FairnessArg {
    None,
    Weak,
    Strong,
}

/// The copies of the states for weak fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CopiesArg {
    #[value(name = "n+1")]
    NPlusOne,
    #[value(name = "n+2")]
    NPlusTwo,
}

/// When to stop.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits (hitting one leaves the property undecided)")]
pub struct LimitArgs {
    /// Memory of the whole process, as in 8G [default: 80 % of the machine's memory]
    #[arg(long, value_name = "BYTES", value_parser = limits::parse_bytes)]
    pub max_memory: Option<u64>,
    /// Time for each property, as in 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::parse_time)]
    pub max_time: Option<Duration>,
    /// Number of states
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Number of observable steps from the initial state
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
}

/// What to write.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Writes the first trace of the report to a file, as JSON
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Only the verdict
    #[arg(short, long)]
    pub quiet: bool,
    /// No progress on standard error
    #[arg(long)]
    pub no_progress: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// One JSON object
    Json,
    /// For code scanning services
    Sarif,
    /// For build servers
    Junit,
    /// The summary of Spin, for Promela models
    Spin,
    /// The answers of the Model Checking Contest, for nets
    Mcc,
}

/// When to write colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// `stubborn simulate`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  stubborn simulate model.pml --seed 7          the same random run each time
  stubborn simulate model.pml --interactive     choose every step yourself
  stubborn simulate model.pml --guided t.json   the run that a check has written with --trace")]
pub struct SimulateArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Seed of the random choices [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Stops after this number of steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: u64,
    /// Asks for each step; undo is possible
    #[arg(long, conflicts_with = "seed")]
    pub interactive: bool,
    /// Follows a trace
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["seed", "interactive"])]
    pub guided: Option<PathBuf>,
    /// Only what the model prints
    #[arg(short, long)]
    pub quiet: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// `stubborn replay`
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The trace: a file written by --trace, or a report written with --format json
    pub trace: PathBuf,
    /// The form: text, JSON, a message sequence chart as text, or one for Mermaid
    #[arg(long, value_enum, default_value_t = TraceFormat::Human)]
    pub format: TraceFormat,
    /// A valid end state needs empty channels too
    #[arg(long)]
    pub strict_end: bool,
    /// The formula that the trace violates, if neither the model nor the trace has it
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,
    /// How formulas given with --ltl are written
    #[arg(long, value_enum, default_value_t = DialectArg::Auto)]
    pub dialect: DialectArg,
    /// The automaton that accepts the trace, if it is not in the model
    #[arg(long, value_name = "FILE")]
    pub automaton: Vec<PathBuf>,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

impl ReplayArgs {
    /// How the model is read, if it is a program.
    pub fn reading(&self) -> Reading {
        Reading { is_strict_about_ends: self.strict_end, ..self.model.reading() }
    }

    /// The properties that are not in the model.
    pub fn what(&self) -> What {
        let (ltl, automaton, dialect) = (self.ltl.clone(), self.automaton.clone(), self.dialect.into());
        What { ltl, automaton, dialect, ..What::default() }
    }
}

/// The form of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    Human,
    Json,
    Msc,
    Mermaid,
}

impl TraceFormat {
    /// The form of errors.
    pub fn of_errors(self) -> Format {
        if self == TraceFormat::Json { Format::Json } else { Format::Human }
    }

    /// The name of a form that is for runs of processes.
    pub fn of_processes(self) -> Option<&'static str> {
        match self {
            TraceFormat::Human | TraceFormat::Json => None,
            TraceFormat::Msc => Some("msc"),
            TraceFormat::Mermaid => Some("mermaid"),
        }
    }
}

/// `stubborn show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The form
    #[arg(long = "as", value_enum)]
    pub form: Form,
}

/// A form of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The intermediate form
    Ir,
    /// The automata of the process types, or a net, as a graph
    Dot,
    /// The automata of the process types, as `pan -d` prints them
    Automata,
    /// The automata of the process types, or a net, as JSON
    Json,
    /// A net as LoLA reads it
    Lola,
    /// A net as PNML
    Pnml,
    /// A net as JSON, too
    Net,
    #[value(hide = true)]
    Aut,
    #[value(hide = true)]
    Promela,
}

/// `stubborn ltl`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  stubborn ltl '[] (p -> <> q)'                 a generalised Büchi automaton, in the HOA format
  stubborn ltl 'G(p -> F q)' --negate --as never
                                                a never claim for the runs that violate it
  stubborn ltl 'p U (q && X r)' --as dot | dot -Tsvg -o automaton.svg")]
pub struct LtlArgs {
    /// The formula
    #[arg(allow_hyphen_values = true)]
    pub formula: String,
    /// The form
    #[arg(long = "as", value_enum, default_value_t = AutomatonForm::Hoa)]
    pub form: AutomatonForm,
    /// How the formula is written
    #[arg(long, value_enum, default_value_t = DialectArg::Auto)]
    pub dialect: DialectArg,
    /// Acceptance on states, with a single set
    #[arg(long)]
    pub state_based: bool,
    /// The runs that violate the formula instead of those that satisfy it
    #[arg(long)]
    pub negate: bool,
}

/// A form of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonForm {
    /// The Hanoi omega-automata format, version 1
    Hoa,
    /// A graph for Graphviz
    Dot,
    /// A never claim; as `spin -f`, of the runs that satisfy the formula (see --negate)
    Never,
    /// The formula alone, with all brackets
    Formula,
}

/// `stubborn mcc`
#[derive(Args, Debug)]
#[command(after_help = "\
The environment says what to do: BK_EXAMINATION which questions are asked, BK_TIME_CONFINEMENT how
many seconds there are, BK_MEMORY_CONFINEMENT how many megabytes. The folder has model.pnml and the
file of the examination's questions.

  BK_EXAMINATION=CTLFireability BK_TIME_CONFINEMENT=60 stubborn mcc Peterson-PT-2")]
pub struct MccArgs {
    /// The folder of the instance [default: the current one or, if there is no model in it, the one in it
    /// that BK_INPUT names]
    pub folder: Option<PathBuf>,
    /// The examination, instead of BK_EXAMINATION
    #[arg(long, value_name = "NAME")]
    pub examination: Option<String>,
    /// Number of threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
}

/// `stubborn net-example`
#[derive(Args, Debug)]
#[command(after_help = "\
Families:
  ph N         N philosophers who take one fork after the other
  da-a N       readers and writers of a database, with a queue in front of it
  da-b R [W]   readers and writers of a database
  simple D N   a grid of D dimensions and N vertices in each
  echo D N     the echo algorithm on such a grid

  stubborn net-example ph 10 | stubborn check - --language lola --explore")]
pub struct NetExampleArgs {
    /// The family: ph, da-a, da-b, simple, echo
    pub family: String,
    /// Its sizes
    pub sizes: Vec<u64>,
}

/// `stubborn spin`
#[derive(Args, Debug)]
pub struct SpinArgs {
    /// As for `spin`; -? lists what is understood
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

/// Reads the command line. Help, version and errors are dealt with here.
pub fn parse(arguments: &[String]) -> Result<Cli, Exit> {
    Cli::try_parse_from(arguments).map_err(|error| {
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            let _ = error.print();
            return Exit::Fine;
        }
        let text = error.render().ansi().to_string();
        let record =
            report::diagnostics::ErrorRecord::new("E0001", first_paragraph(&error.render().to_string()));
        exit::report(Stop::Refused { records: vec![record], text }, wanted_format(arguments))
    })
}

/// What clap says, in one line: the first line and the names that belong to it.
fn first_paragraph(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_string()
}

/// The form of the report that is wanted, for errors in the command line itself.
pub fn wanted_format(arguments: &[String]) -> Format {
    let joined = arguments.iter().find_map(|arg| arg.strip_prefix("--format="));
    let apart = arguments.windows(2).find(|pair| pair[0] == "--format").map(|pair| pair[1].as_str());
    joined.or(apart).and_then(|name| Format::from_str(name, false).ok()).unwrap_or(Format::Human)
}

/// The arguments of the process. Under the name `spin` the program behaves like it.
pub fn from_environment() -> Vec<String> {
    let mut arguments: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let name = arguments.first().and_then(|path| Path::new(path).file_stem());
    if name.is_some_and(|name| name == "spin") {
        arguments.insert(1, "spin".to_string());
    }
    arguments
}

/// Why there is no such command.
pub fn unknown(arguments: &[String]) -> Stop {
    let name = arguments.first().map_or("", String::as_str);
    let known = "check, simulate, replay, show, ltl, spin, mcc and net-example";
    Stop::refuse("E0001", format!("there is no command `{name}`; there are {known}"))
}

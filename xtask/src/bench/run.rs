//! Runs of the programs that are compared, in turns, so that what slows the machine down for a while
//! slows all of them down.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::Bench;
use super::models::Model;
use crate::checker::{Answer, Checker, Limits, Report};
use crate::place;
use crate::spin::{self, Pan, Purpose, Summary};

/// How pan is compiled: with room for large states and, where fairness counts, for 14 processes.
const FLAGS: [&str; 4] = ["-O2", "-DVECTORSZ=4096", "-DMEMLIM=16000", "-DNFAIR=4"];

/// What was measured of a program on a model: its fastest run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// `holds` or `violated`.
    pub verdict: String,
    /// States stored.
    pub states: u64,
    /// Arrivals.
    pub transitions: u64,
    /// Violations.
    pub errors: u64,
    /// Wall time, from outside.
    pub seconds: f64,
    /// Wall time of what had to be done before: `spin -a` and gcc.
    pub build_seconds: f64,
    /// The most memory held, from outside.
    pub peak_bytes: u64,
    /// How it was done, for those who read the results.
    pub method: Value,
    /// The wall times of all runs.
    pub every: Vec<f64>,
}

impl Run {
    /// Wall time with everything that had to be done before.
    pub fn total(&self) -> f64 {
        self.seconds + self.build_seconds
    }

    /// What a state costs in memory, beside what the program needs for no states at all.
    pub fn bytes_per_state(&self, empty: &Run) -> f64 {
        self.peak_bytes.saturating_sub(empty.peak_bytes) as f64 / self.states as f64
    }

    /// Whether it has visited the same states in the same number of ways, with the same verdict.
    pub fn same_counts(&self, other: &Run) -> bool {
        (&self.verdict, self.states, self.transitions) == (&other.verdict, other.states, other.transitions)
    }

    /// For the file of results.
    pub fn to_json(&self) -> Value {
        json!({"verdict": self.verdict, "states": self.states, "transitions": self.transitions,
               "errors": self.errors,
               "seconds": self.seconds, "build_seconds": self.build_seconds, "every_seconds": self.every,
               "peak_rss_bytes": self.peak_bytes, "method": self.method})
    }
}

impl From<Report> for Run {
    fn from(report: Report) -> Run {
        let method = &report.method;
        Run {
            verdict: report.verdict,
            states: report.states,
            transitions: report.transitions,
            errors: report.errors,
            seconds: report.seconds,
            build_seconds: 0.0,
            peak_bytes: report.peak_bytes,
            method: json!({"search": method.search, "por": method.por, "engine": method.engine,
                           "store": method.store, "threads": method.threads}),
            every: Vec::new(),
        }
    }
}

/// A call of `stubborn check`.
pub struct Ours<'a> {
    pub model: &'a Model,
    pub options: Vec<&'a str>,
    pub limits: Limits,
}

/// A program with its arguments, ready to be measured.
pub enum Contender<'a> {
    /// Ours.
    Ours(Ours<'a>),
    /// Spin's.
    Pan(&'a Fitted),
    /// The same, with `spin -a` and gcc each time.
    FromSource(&'a Fitted),
    /// Two of Spin's at once, which share nothing but the machine.
    TwoPans(&'a Fitted),
}

/// A compiled verifier whose stack and table fit the model. Its folder is removed with it.
pub struct Fitted {
    model: Model,
    purpose: Purpose,
    pan: Pan,
    arguments: Vec<String>,
}

impl Fitted {
    fn run(&self, limit: Duration) -> Result<Run, String> {
        run_pan(&self.pan, &self.arguments, limit)
    }
}

impl Drop for Fitted {
    fn drop(&mut self) {
        // What is left over is overwritten the next time.
        let _ = std::fs::remove_dir_all(folder(self.purpose));
    }
}

impl Bench<'_> {
    /// The limits of a run up to its verdict.
    pub fn limits(&self) -> Limits {
        Limits { time: Duration::from_secs(self.options.max_time), memory: 16 << 30, all_errors: false }
    }

    /// Our complete search of a model: all states, whatever is wrong with them. The search is named so
    /// that none for a shorter counterexample follows; it is the one that is chosen by default.
    pub fn complete<'m>(&self, model: &'m Model, threads: &'m str) -> Ours<'m> {
        let limits = Limits { all_errors: true, ..self.limits() };
        let options = vec!["--safety", "--por", "none", "--search", "reach", "--threads", threads];
        Ours { model, options, limits }
    }

    /// Our search for the first violation of safety, as it comes.
    pub fn by_default<'m>(&self, model: &'m Model) -> Ours<'m> {
        Ours { model, options: vec!["--safety"], limits: self.limits() }
    }

    /// Compiles a verifier and finds the depth and the table size that suit the model; says so if that
    /// fails. The arguments say what pan is to look for.
    pub fn fitted(&self, model: &Model, purpose: Purpose, asked: &[&str]) -> Option<Fitted> {
        self.spin.as_ref()?;
        let fitted = || {
            let pan = self.build(model, purpose)?;
            let arguments = fit(&pan, asked, self.limits().time)?;
            Ok(Fitted { model: model.clone(), purpose, pan, arguments })
        };
        let complain = |reason: &String| println!("{}: {}: {reason}", model.name, purpose.name());
        fitted().inspect_err(complain).ok()
    }

    fn build(&self, model: &Model, purpose: Purpose) -> Result<Pan, String> {
        let spin = self.spin.as_ref().ok_or("no Spin")?;
        let pan = spin.build_with(&model.file, &folder(purpose), purpose, model.defines, &FLAGS);
        pan.map_err(|refusal| refusal.to_string())
    }

    /// Measures all contenders in turns. One that fails gets no result; why is said.
    pub fn side_by_side<const N: usize>(
        &self,
        name: &str,
        contenders: [Option<Contender<'_>>; N],
    ) -> [Option<Run>; N] {
        let run = |contender: &Contender<'_>| self.once(contender);
        in_turns(self.options.repeat, &contenders, run)
            .map(|best| best?.inspect_err(|reason| println!("{name}: {reason}")).ok())
    }

    /// One run.
    fn once(&self, contender: &Contender<'_>) -> Result<Run, String> {
        match contender {
            Contender::Ours(ours) => self.ours(&self.checker, ours),
            Contender::Pan(fitted) => fitted.run(self.limits().time),
            Contender::TwoPans(fitted) => at_once(|| fitted.run(self.limits().time)),
            Contender::FromSource(fitted) => {
                let pan = self.build(&fitted.model, fitted.purpose)?;
                run_pan(&pan, &fitted.arguments, self.limits().time)
            }
        }
    }

    /// One run of ours, by itself or under another program.
    pub fn ours(&self, checker: &Checker, ours: &Ours<'_>) -> Result<Run, String> {
        let Ours { model, options, limits } = ours;
        let options = [model.defines, options, &self.options.passed_through()].concat();
        match checker.check_as_asked(&model.file, &options, *limits) {
            Answer::Result(report) if report.verdict == "unknown" => Err(format!("limit: {}", report.reason)),
            Answer::Result(report) if limits.all_errors && !report.complete => {
                Err("limit: not all states were visited".to_string())
            }
            Answer::Result(report) => Ok(report.into()),
            Answer::Refused(message) | Answer::Broken(message) => Err(message),
        }
    }
}

/// Runs something twice at the same time. The slower of both counts.
fn at_once(run: impl Fn() -> Result<Run, String> + Sync) -> Result<Run, String> {
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(&run);
        (run(), other.join().expect("runs do not panic"))
    });
    let (one, other) = (one?, other?);
    Ok(if one.seconds < other.seconds { other } else { one })
}

/// Runs the contenders one after the other, `repeat` times. The fastest run of each counts; one that
/// fails does not run again.
fn in_turns<C, const N: usize>(
    repeat: u32,
    contenders: &[Option<C>; N],
    mut run: impl FnMut(&C) -> Result<Run, String>,
) -> [Option<Result<Run, String>>; N] {
    let mut best: [Option<Result<Run, String>>; N] = [const { None }; N];
    for _ in 0..repeat.max(1) {
        for (contender, best) in contenders.iter().zip(&mut best) {
            let Some(contender) = contender else { continue };
            let so_far = match best.take() {
                Some(Ok(run)) => Some(run),
                Some(failed) => {
                    *best = Some(failed);
                    continue;
                }
                None => None,
            };
            *best = Some(run(contender).map(|next| faster(so_far, next)));
        }
    }
    best
}

/// The faster of two runs, what had to be done before included, with the times of all.
fn faster(so_far: Option<Run>, mut next: Run) -> Run {
    let mut every = so_far.as_ref().map_or_else(Vec::new, |run| run.every.clone());
    every.push(next.seconds);
    if let Some(run) = so_far
        && run.total() <= next.total()
    {
        next = run;
    }
    Run { every, ..next }
}

/// Where a verifier is compiled.
fn folder(purpose: Purpose) -> PathBuf {
    place::generated(&format!("bench-{}.work", purpose.name()))
}

fn run_pan(pan: &Pan, arguments: &[String], limit: Duration) -> Result<Run, String> {
    let outcome = pan.run(arguments, limit)?;
    let summary = spin::summary(&outcome);
    if let Some(reason) = summary.incomplete {
        return Err(format!("pan: {reason}"));
    }
    Ok(Run {
        verdict: if summary.errors > 0 { "violated" } else { "holds" }.to_string(),
        states: summary.states,
        transitions: summary.transitions,
        errors: summary.errors,
        seconds: outcome.seconds,
        build_seconds: pan.spin_seconds + pan.gcc_seconds,
        peak_bytes: outcome.peak_bytes,
        method: json!({"arguments": arguments}),
        every: Vec::new(),
    })
}

/// A stack that no model of ours fills at once, and a table for 16 million states.
const ROOM: Room = Room { depth: 1_000_000, bits: 24 };
/// A stack of this depth takes gigabytes.
const DEEPEST: u64 = 100_000_000;

/// The sizes that pan takes as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    /// `-m`: how deep its stack is.
    depth: u64,
    /// `-w`: two to this power is the size of its hash table.
    bits: u32,
}

impl Room {
    /// What a search needs that has ended with this summary: the depth that it has reached, and as many
    /// places in the table as there are states.
    fn for_search(summary: &Summary) -> Room {
        Room { depth: summary.depth + 10, bits: summary.states.next_power_of_two().trailing_zeros().max(10) }
    }

    /// The next to try after a search in this one, or the reason why there is none. None if it has come
    /// to its end.
    fn after(self, summary: &Summary) -> Result<Option<Room>, String> {
        match &summary.incomplete {
            Some(reason) if reason.contains("depth") && self.depth < DEEPEST => {
                Ok(Some(Room { depth: self.depth * 10, ..self }))
            }
            Some(reason) => Err(format!("pan: {reason}")),
            None => Ok(None),
        }
    }

    fn arguments(self, asked: &[&str]) -> Vec<String> {
        let sizes = [format!("-m{}", self.depth), format!("-w{}", self.bits)];
        asked.iter().map(|argument| argument.to_string()).chain(sizes).collect()
    }
}

/// The arguments with which pan's stack and table fit the model, found by runs that do not count.
fn fit(pan: &Pan, asked: &[&str], limit: Duration) -> Result<Vec<String>, String> {
    let mut room = ROOM;
    loop {
        let summary = spin::summary(&pan.run(&room.arguments(asked), limit)?);
        match room.after(&summary)? {
            Some(larger) => room = larger,
            None => return Ok(Room::for_search(&summary).arguments(asked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(states: u64, depth: u64, incomplete: Option<&str>) -> Summary {
        Summary { states, depth, incomplete: incomplete.map(str::to_string), ..Summary::default() }
    }

    #[test]
    fn the_table_has_a_place_for_each_state() {
        let bits = |states: u64| Room::for_search(&summary(states, 0, None)).bits;
        assert_eq!([1 << 20, (1 << 20) + 1, (1 << 21) - 1, 1 << 21].map(bits), [20, 21, 21, 21]);
        assert_eq!([0, 1, 1024, 1025].map(bits), [10, 10, 10, 11]);
    }

    #[test]
    fn the_stack_is_as_deep_as_the_search() {
        let room = Room::for_search(&summary(5000, 77, None));
        assert_eq!(room.arguments(&["-n", "-c0"]), ["-n", "-c0", "-m87", "-w13"]);
    }

    #[test]
    fn a_search_that_was_cut_gets_a_deeper_stack() {
        let cut = summary(10, 1_000_000, Some("error: max search depth too small"));
        assert_eq!(ROOM.after(&cut), Ok(Some(Room { depth: 10_000_000, ..ROOM })));
        assert!(Room { depth: DEEPEST, ..ROOM }.after(&cut).is_err());
        assert!(ROOM.after(&summary(10, 10, Some("out of memory"))).is_err());
        assert_eq!(ROOM.after(&summary(10, 10, None)), Ok(None));
    }

    #[test]
    fn contenders_run_in_turns_and_the_best_run_counts() {
        let mut order = Vec::new();
        let mut seconds = [3.0, 10.0, 1.0, 20.0, 2.0, 5.0].into_iter();
        let best = in_turns(3, &[Some('a'), None, Some('b')], |name| {
            order.push(*name);
            Ok(Run { seconds: seconds.next().unwrap_or(0.0), ..Run::default() })
        });
        assert_eq!(order, ['a', 'b', 'a', 'b', 'a', 'b']);
        let [Some(Ok(a)), None, Some(Ok(b))] = best else { panic!("two of three run") };
        assert_eq!((a.seconds, a.every), (1.0, vec![3.0, 1.0, 2.0]));
        assert_eq!((b.seconds, b.every), (5.0, vec![10.0, 20.0, 5.0]));
    }

    #[test]
    fn a_contender_that_fails_does_not_run_again() {
        let mut runs = 0;
        let best = in_turns(3, &[Some(())], |()| {
            runs += 1;
            if runs == 2 { Err("limit".to_string()) } else { Ok(Run::default()) }
        });
        assert_eq!(runs, 2);
        assert!(matches!(best, [Some(Err(_))]));
    }

    #[test]
    fn the_slower_of_two_at_once_counts() {
        let next = std::sync::atomic::AtomicU64::new(1);
        let run = || {
            let seconds = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as f64;
            Ok(Run { seconds, ..Run::default() })
        };
        assert_eq!(at_once(run).map(|run| run.seconds), Ok(2.0));
        assert!(at_once(|| Err("limit".to_string())).is_err());
    }

    #[test]
    fn the_empty_run_is_taken_off() {
        let run = |states, peak_bytes| Run { states, peak_bytes, ..Run::default() };
        assert_eq!(run(10, 1400).bytes_per_state(&run(1, 1000)), 40.0);
        assert_eq!(run(10, 900).bytes_per_state(&run(1, 1000)), 0.0);
    }
}

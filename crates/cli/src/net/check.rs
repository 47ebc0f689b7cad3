//! `stubborn check` for nets.

use std::sync::Arc;
use std::time::Instant;

use ::check::options::Search;
use ::check::prefer::Por;
use logic::Class;
use petri::{Net, Question};
use replay::Run;
use report::{PropertyResult, Report, Tokens, Verdict};
use search::{Deadlocks, Fairness, Order};

use crate::Outcome;
use crate::args::{CheckArgs, DeadlockArg, Format};
use crate::check::{self, catch_interrupts};
use crate::exit::{Exit, Stop};
use crate::how::{self, Wanted, is_lossy, store_arg_name};
use crate::input::Opened;
use crate::{files, limits, output};

use super::answers::{Answer, Decided, Shown};
use super::ask::{self, Asked};
use super::contest;
use super::decide::Decider;
use super::unbounded;

/// Checks a net and reports.
pub fn run(args: &CheckArgs, opened: Opened) -> Outcome<Exit> {
    let started = Instant::now();
    ask::refuse_of_programs(args)?;
    let wanted = Wanted::from_options(&args.how)?;
    refuse_of_programs(args, &wanted)?;
    if let Some(path) = &args.output.trace {
        files::expect_writable(path)?;
    }
    let (path, language) = (opened.path.clone(), opened.language.name());
    let net = super::read(opened)?;
    let asked = ask::from_options(&args.what, &net)?;
    refuse_of_seekers(&wanted, &asked)?;
    let memory = args.limits.max_memory.unwrap_or_else(limits::default_memory);
    let left = limits::of_process(memory).memory;
    // The search that suits it, unless another is named.
    let any = wanted.store.filter(|&store| is_lossy(store)).map(|_| Order::Any);
    let order = wanted.order.or(any);
    let name = asked.first().map_or("", |asked| &asked.name);
    let store = wanted.store.map(|store| how::store(store, order.unwrap_or(Order::Any), left, name));
    let interrupt = catch_interrupts();
    let decider = Decider {
        net: net.clone(),
        threads: wanted.threads,
        order,
        store: store.transpose()?.unwrap_or_default(),
        por: wanted.por,
        memory,
        time: args.limits.max_time,
        states: args.limits.max_states.unwrap_or(u64::MAX),
        ends: match args.what.ctl_deadlock {
            DeadlockArg::Stutter => Deadlocks::Stutter,
            DeadlockArg::End => Deadlocks::End,
        },
        interrupt: interrupt.clone(),
        show_progress: !args.output.quiet && !args.output.no_progress,
        seed: wanted.seed.unwrap_or(0),
        ..Decider::default()
    };
    let mut decided: Vec<Option<Decided>> = asked.iter().map(|asked| soon(&net, asked)).collect();
    let mut written = Ok(());
    let mut write = |asked: &Asked, answer: &Decided| {
        if args.output.format == Format::Mcc && written.is_ok() {
            written = output::print(&contest::line(asked, answer));
        }
    };
    asked.iter().zip(&decided).for_each(|(asked, known)| known.iter().for_each(|known| write(asked, known)));
    let open: Vec<usize> = (0..asked.len()).filter(|&at| decided[at].is_none()).collect();
    let questions: Vec<Asked> = open.iter().map(|&at| asked[at].clone()).collect();
    decider.decide(&questions, &mut |at, answer| {
        write(&questions[at], &answer);
        decided[open[at]] = Some(answer);
    });
    match written {
        // Who does not read the answers may still want the exit status.
        Ok(()) | Err(Stop::Unheard) => {}
        Err(stop) => return Err(stop),
    }
    let mut hint = None;
    let results = asked.iter().zip(decided).map(|(asked, decided)| {
        let mut decided = decided.ok_or_else(|| Stop::Internal(format!("no answer about {}", asked.name)))?;
        if has_no_end(&decided) {
            let known = hint.take().map_or_else(|| unbounded::hint(&net), Ok)?;
            decided.notes.extend(known.clone());
            hint = Some(known);
        }
        let mut result = result(&net, asked, decided)?;
        note_others(&mut result, &wanted);
        Ok(result)
    });
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        path,
        language,
        results: results.collect::<Outcome<Vec<_>>>()?,
        seconds: started.elapsed().as_secs_f64(),
        peak_rss_bytes: limits::peak_resident(),
    };
    check::write_and_exit(args, &report, &interrupt)
}

/// An answer that needs no search.
fn soon(net: &Arc<Net>, asked: &Asked) -> Option<Decided> {
    match &asked.question {
        Question::Bound(sum) => unbounded::decide(net, sum),
        _ => None,
    }
}

/// Whether a search has come to a limit.
fn has_no_end(decided: &Decided) -> bool {
    matches!(&decided.answer, Answer::Unknown(why) if ["memory", "time", "states", "tokens"].contains(&why.as_str()))
}

/// What would mean something else for a net, or nothing.
fn refuse_of_programs(args: &CheckArgs, wanted: &Wanted) -> Outcome<()> {
    let refused = if wanted.fairness != Fairness::None {
        "`--fairness`: all runs of a net count"
    } else if args.limits.max_depth.is_some() {
        "`--max-depth`: for nets there is no limit on the depth; use --max-states or --max-time"
    } else if args.output.format == Format::Spin {
        "`--format spin` is for programs, and this model is a net"
    } else {
        return Ok(());
    };
    Err(Stop::refuse("E0001", refused))
}

/// Refuses searches that look for one marking if there is none to be looked for.
fn refuse_of_seekers(wanted: &Wanted, asked: &[Asked]) -> Outcome<()> {
    let is_seeker = matches!(wanted.order, Some(Order::Guided | Order::Walk));
    let is_sought = |asked: &Asked| match &asked.question {
        Question::Formula(formula) => {
            matches!(formula.classify(), Class::Initial(_) | Class::Reachable { .. })
        }
        question => *question == Question::Deadlock,
    };
    match asked.iter().find(|asked| is_seeker && !is_sought(asked)) {
        Some(asked) => {
            let search = wanted.search.map_or("", Search::name);
            let message = format!(
                "`--search {search}` looks for one marking, and `{}` asks for more; it is for --deadlock, --reach, \
                 --invariant and formulas of the forms EF and AG",
                asked.name
            );
            Err(Stop::refuse("E0001", message))
        }
        None => Ok(()),
    }
}

/// Notes that the search, the store or the reduction was another than the user has asked for.
fn note_others(result: &mut PropertyResult, wanted: &Wanted) {
    let used = &result.method;
    if used.search == "none" {
        return;
    }
    let mut notes = Vec::new();
    if let Some(asked) = wanted.search.filter(|asked| asked.name() != used.search) {
        notes.push(format!("`--search {asked}` does not suit this property; {} was used", used.search));
    }
    if let Some(asked) = wanted.store.map(store_arg_name).filter(|asked| *asked != used.store) {
        notes.push(format!("`--store {asked}` does not suit this search; {} was used", used.store));
    }
    if let Por::Exactly(method) = wanted.por
        && method.name() != used.por
    {
        let used = if used.por == "none" {
            "nothing is left out".to_string()
        } else {
            format!("{} was used", used.por)
        };
        notes.push(format!("`--por {}` does not suit this property; {used}", method.name()));
    }
    result.notes.extend(notes);
}

fn result(net: &Net, asked: &Asked, decided: Decided) -> Outcome<PropertyResult> {
    let Decided { answer, counts, method, complete, notes } = decided;
    let mut result = PropertyResult {
        property: asked.name.clone(),
        kind: asked.kind,
        formula: asked.text.clone(),
        verdict: Verdict::Holds,
        reason: None,
        method,
        counts,
        edges: Some(counts.transitions.saturating_sub(1)),
        value: None,
        tokens: None,
        warnings: Vec::new(),
        notes,
        remarks: Vec::new(),
        run: None,
        failure: None,
        complete,
        unreached: Vec::new(),
    };
    match answer {
        Answer::Truth { holds, shown } => {
            if holds != asked.wanted {
                result.verdict = Verdict::Violated;
                result.counts.errors = 1;
                let reason =
                    if matches!(asked.kind, "deadlock" | "invariant") { asked.kind } else { "formula" };
                result.reason = Some(reason.to_string());
            }
            result.run = shown.map(|shown| replayed(net, &shown)).transpose()?;
        }
        Answer::Value(value) => result.value = Some(value),
        Answer::Unbounded(shown) => {
            result.verdict = Verdict::Violated;
            result.counts.errors = 1;
            result.reason = Some("unbounded".to_string());
            result.run = Some(replayed(net, &shown)?);
        }
        Answer::Tokens(tokens @ Tokens { in_place, in_all }) => {
            let noun = if in_place == 1 { "token" } else { "tokens" };
            result.remarks.push(format!("at most {in_place} {noun} in a place, {in_all} in all"));
            result.tokens = Some(tokens);
        }
        Answer::Unknown(reason) => {
            result.verdict = Verdict::Unknown;
            result.reason = Some(reason);
        }
    }
    Ok(result)
}

/// Checks a run independently of the search that found it.
pub fn replayed(net: &Net, shown: &Shown) -> Outcome<Run> {
    replay::net::replay(net, &shown.trace, &shown.claim).map_err(|mismatch| {
        Stop::Internal(format!("the run that shows an answer does not replay: {mismatch}"))
    })
}

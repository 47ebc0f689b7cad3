//! Checks that need the whole model.

use model::{Over, Pace};
use source::Span;

use crate::exclusive;
use crate::parse::Pending;
use crate::reports::Reports;
use crate::tree::Program;

/// Checks what could not be checked while reading.
pub(crate) fn check(
    program: &Program,
    pending: &Pending,
    reports: &mut Reports,
    pace: &mut Pace<'_>,
) -> Result<(), Over> {
    check_sends(pending, reports);
    check_runs(program, pending, reports);
    check_priorities(pending, reports);
    exclusive::check(program, reports, pace)?;
    if program.proctypes.iter().all(|proctype| proctype.active == 0) {
        let end = program.sources.files.first().map_or(0, |file| file.text.len() as u32);
        let span = program.proctypes.first().map_or(Span { start: end, end, ..Span::default() }, |p| p.span);
        reports
            .error("E0615", span, "no process starts with this model")
            .help("add an `init` process, or write `active` in front of a process type");
    }
    Ok(())
}

/// No channel at all takes a message of more fields than the widest.
fn check_sends(pending: &Pending, reports: &mut Reports) {
    let widest = pending.widest;
    for &(span, fields) in &pending.sends {
        if fields > widest {
            let message =
                format!("this message has {fields} fields, but no channel takes more than {widest}");
            reports.error("E0506", span, message);
        }
    }
}

fn check_runs(program: &Program, pending: &Pending, reports: &mut Reports) {
    for &(span, proctype, given) in &pending.runs {
        let index = proctype.0 as usize;
        let (Some(proctype), Some(&wanted)) = (program.proctypes.get(index), pending.parameters.get(index))
        else {
            continue;
        };
        if given != wanted {
            let message =
                format!("process type `{}` takes {wanted} arguments, but {given} are given", proctype.name);
            reports.error("E0507", span, message).related(proctype.span, "the process type");
        }
    }
}

fn check_priorities(pending: &Pending, reports: &mut Reports) {
    if let (Some(span), Some(rendezvous)) = (pending.priority, pending.rendezvous) {
        reports
            .error("E0607", span, "priorities cannot be combined with rendezvous channels")
            .related(rendezvous, "a rendezvous channel")
            .help("give the channel room for a message, or use `provided` clauses");
    }
}

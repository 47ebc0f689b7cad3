//! Looks whether `xr` and `xs` say the truth.
//!
//! `xr c` promises that one process only receives from `c`, `xs c` that one only sends to it. Nothing
//! here relies on that, but a promise that is broken tells of a mistake in the model. What counts as a
//! use is Spin's rule: `c?[…]`, `len`, `empty` and `full` depend on both ends, so they are receives and
//! sends at once; `nempty` is a receive, `nfull` a send, and the promise itself is a use, too.
//!
//! The processes are followed from those that start with the system along `run`, with the global
//! channels that they get as arguments. A channel that is not known for certain (an index that is no
//! constant, a variable that is set again, a channel out of a message) is left alone: no false alarm.

use std::collections::{BTreeMap, BTreeSet};

use model::{Over, Pace};
use source::Span;

use crate::reports::Reports;
use crate::tree::{
    ChannelOp, Expr, ExprKind, Init, Owner, Proctype, ProctypeId, Program, RecvArg, Sequence, Stmt, StmtKind,
    Type, VarId, VarRef,
};

/// With more different processes than this, nothing is said.
const MAX_PROCESSES: usize = 1000;

/// How many variables a channel is followed through.
const MAX_COPIES: usize = 16;

/// A global channel: the variable, and its element.
type Channel = (VarId, i32);

/// An end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Receive,
    Send,
}

/// What a name in a process type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Global(Channel),
    /// The parameter of that number.
    Parameter(usize),
}

/// How an end of a channel is used.
#[derive(Clone, Copy)]
struct Use {
    verb: &'static str,
    span: Span,
    /// Before the process has run any other.
    early: bool,
}

/// A promise.
struct Promise {
    place: Place,
    end: End,
    span: Span,
}

/// What matters of a process type.
#[derive(Default)]
struct Summary {
    promises: Vec<Promise>,
    /// One use of each kind: the first one that is not early.
    uses: BTreeMap<(Place, End), Use>,
    runs: BTreeSet<(ProctypeId, Vec<Option<Place>>)>,
}

/// A process: its type, and the channels that are its arguments, as far as they are known.
type Process = (ProctypeId, Vec<Option<Channel>>);

/// Warns of promises that others break.
pub(crate) fn check(program: &Program, reports: &mut Reports, pace: &mut Pace<'_>) -> Result<(), Over> {
    let mut assigned = BTreeSet::new();
    let mut promised = false;
    for proctype in &program.proctypes {
        each_stmt(&proctype.body.sequence, &mut |stmt| {
            promised |= matches!(stmt.kind, StmtKind::Exclusive { .. });
            note_assigned(stmt, &mut assigned);
        });
    }
    if !promised {
        return Ok(());
    }
    let summaries: Vec<Summary> =
        program.proctypes.iter().map(|proctype| Reader::read(program, &assigned, proctype)).collect();
    let Some(processes) = processes(program, &summaries, pace)? else { return Ok(()) };
    for process in &processes {
        for promise in &summaries[process.0.0 as usize].promises {
            pace.steps(processes.len())?;
            verify(program, &summaries, &processes, process, promise, reports);
        }
    }
    Ok(())
}

/// Visits all statements, the outer ones first.
fn each_stmt<'a>(sequence: &'a Sequence, visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in &sequence.stmts {
        each_inside(stmt, visit);
    }
}

fn each_inside<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Stmt)) {
    visit(stmt);
    match &stmt.kind {
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| each_stmt(option, visit));
        }
        StmtKind::Atomic(body)
        | StmtKind::DStep(body)
        | StmtKind::Block(body)
        | StmtKind::Inline { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::ForChan { body, .. } => each_stmt(body, visit),
        StmtKind::Unless { main, escape } => {
            each_inside(main, visit);
            each_inside(escape, visit);
        }
        _ => {}
    }
}

/// Visits the expressions of a statement, not those of statements inside it.
fn each_expr<'a>(program: &'a Program, stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Decl { vars, .. } => {
            for var in vars {
                if let Init::Expr(expr) = &program.vars[var.0 as usize].init {
                    expr.visit(visit);
                }
            }
        }
        StmtKind::Assign(var, expr) => {
            var.visit(visit);
            expr.visit(visit);
        }
        StmtKind::Condition(expr) | StmtKind::Printm(expr) | StmtKind::Assert(expr) => expr.visit(visit),
        StmtKind::Print { args, .. } => args.iter().for_each(|arg| arg.visit(visit)),
        StmtKind::Send { chan, args, .. } => {
            chan.visit(visit);
            args.iter().for_each(|arg| arg.visit(visit));
        }
        StmtKind::Receive { chan, args, .. } => {
            chan.visit(visit);
            args.iter().for_each(|arg| arg.visit(visit));
        }
        StmtKind::SetPriority(pid, priority) => {
            pid.visit(visit);
            priority.visit(visit);
        }
        StmtKind::For { var, from, to, .. } | StmtKind::Select { var, from, to, .. } => {
            var.visit(visit);
            from.visit(visit);
            to.visit(visit);
        }
        StmtKind::ForChan { var, chan, .. } => {
            var.visit(visit);
            chan.visit(visit);
        }
        _ => {}
    }
}

/// Adds the variables that a statement sets.
fn note_assigned(stmt: &Stmt, assigned: &mut BTreeSet<VarId>) {
    match &stmt.kind {
        StmtKind::Assign(var, _) | StmtKind::For { var, .. } | StmtKind::Select { var, .. } => {
            assigned.insert(var.var);
        }
        StmtKind::ForChan { var, fields, .. } => {
            assigned.insert(var.var);
            assigned.extend(fields.iter().map(|field| field.var));
        }
        StmtKind::Receive { args, .. } => assigned.extend(args.iter().filter_map(|arg| match arg {
            RecvArg::Store(var) => Some(var.var),
            RecvArg::Ignore | RecvArg::Match(_) => None,
        })),
        _ => {}
    }
}

/// Reads a process type.
struct Reader<'a> {
    program: &'a Program,
    assigned: &'a BTreeSet<VarId>,
    params: &'a [VarId],
    summary: Summary,
    /// No `run` can have been executed before the statement that is being read.
    early: bool,
}

impl<'a> Reader<'a> {
    fn read(program: &'a Program, assigned: &'a BTreeSet<VarId>, proctype: &'a Proctype) -> Summary {
        // A structure is passed field by field, so the numbers of arguments and parameters differ.
        let is_struct = |var: &VarId| matches!(program.vars[var.0 as usize].ty, Type::Struct(_));
        let params = if proctype.params.iter().any(is_struct) { &[][..] } else { &proctype.params[..] };
        let mut reader = Reader { program, assigned, params, summary: Summary::default(), early: false };
        // The clause is looked at all the time.
        proctype.provided.iter().for_each(|clause| clause.visit(&mut |expr| reader.expr(expr)));
        let mut jumps = false;
        each_stmt(&proctype.body.sequence, &mut |stmt| jumps |= matches!(stmt.kind, StmtKind::Goto(_)));
        reader.early = !jumps;
        each_stmt(&proctype.body.sequence, &mut |stmt| reader.stmt(stmt));
        let Reader { mut summary, .. } = reader;
        for Promise { place, end, span } in &summary.promises {
            let verb = if *end == End::Receive { "declares `xr` for" } else { "declares `xs` for" };
            let promise = Use { verb, span: *span, early: false };
            summary.uses.entry((*place, *end)).or_insert(promise);
        }
        summary
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        if matches!(stmt.kind, StmtKind::Do(_) | StmtKind::For { .. } | StmtKind::ForChan { .. }) {
            // What stands in front of a `run` in a loop also comes after it.
            let program = self.program;
            let early = &mut self.early;
            each_inside(stmt, &mut |inner| {
                each_expr(program, inner, &mut |expr| {
                    *early &= !matches!(expr.kind, ExprKind::Run { .. });
                });
            });
        }
        let program = self.program;
        each_expr(program, stmt, &mut |expr| self.expr(expr));
        match &stmt.kind {
            StmtKind::Exclusive { receive, chans } => {
                let end = if *receive { End::Receive } else { End::Send };
                for chan in chans {
                    if let Some(place) = self.place(chan) {
                        self.summary.promises.push(Promise { place, end, span: chan.span });
                    }
                }
            }
            StmtKind::Send { chan, .. } => self.add(chan, End::Send, "sends to", stmt.span),
            StmtKind::Receive { chan, .. } => self.add(chan, End::Receive, "receives from", stmt.span),
            StmtKind::ForChan { chan, .. } => {
                self.add(chan, End::Receive, "goes through", chan.span);
                self.add(chan, End::Send, "goes through", chan.span);
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Chan(op, chan) => {
                if *op != ChannelOp::Nfull {
                    self.add(chan, End::Receive, "tests", expr.span);
                }
                if *op != ChannelOp::Nempty {
                    self.add(chan, End::Send, "tests", expr.span);
                }
            }
            ExprKind::Poll { chan, .. } => {
                self.add(chan, End::Receive, "tests", expr.span);
                self.add(chan, End::Send, "tests", expr.span);
            }
            ExprKind::Run { proctype, args, .. } => {
                let place = |arg: &'a Expr| match &arg.kind {
                    ExprKind::Var(var) => self.place(var),
                    _ => None,
                };
                let args = args.iter().map(place).collect();
                self.summary.runs.insert((*proctype, args));
                self.early = false;
            }
            _ => {}
        }
    }

    fn add(&mut self, chan: &'a VarRef, end: End, verb: &'static str, span: Span) {
        let Some(place) = self.place(chan) else { return };
        let new = Use { verb, span, early: self.early };
        let known = self.summary.uses.entry((place, end)).or_insert(new);
        if known.early && !new.early {
            *known = new;
        }
    }

    /// The channel that is meant, if it is certain.
    fn place(&self, mut chan: &'a VarRef) -> Option<Place> {
        for _ in 0..MAX_COPIES {
            let var = &self.program.vars[chan.var.0 as usize];
            if var.ty != Type::Chan || self.assigned.contains(&chan.var) {
                return None;
            }
            if let Some(number) = self.params.iter().position(|&param| param == chan.var) {
                return Some(Place::Parameter(number));
            }
            let element = match (var.array, chan.index.as_deref()) {
                (None, _) => 0,
                (Some(_), Some(Expr { kind: ExprKind::Const(index), .. })) => *index,
                (Some(_), _) => return None,
            };
            match (&var.init, var.owner) {
                (Init::Chan(_), Owner::Global) => return Some(Place::Global((chan.var, element))),
                (Init::Expr(Expr { kind: ExprKind::Var(copied), .. }), _) => chan = copied,
                _ => return None,
            }
        }
        None
    }
}

/// The processes that there can be; none if there are too many.
fn processes(
    program: &Program,
    summaries: &[Summary],
    pace: &mut Pace<'_>,
) -> Result<Option<BTreeSet<Process>>, Over> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    for (number, proctype) in program.proctypes.iter().enumerate() {
        if proctype.active > 0 {
            open.push((ProctypeId(number as u32), vec![None; proctype.params.len()]));
        }
    }
    while let Some(process) = open.pop() {
        if found.contains(&process) {
            continue;
        }
        if found.len() == MAX_PROCESSES {
            return Ok(None);
        }
        for (proctype, args) in &summaries[process.0.0 as usize].runs {
            pace.steps(1 + args.len())?;
            let args = args.iter().map(|arg| arg.and_then(|place| channel(place, &process))).collect();
            open.push((*proctype, args));
        }
        found.insert(process);
    }
    Ok(Some(found))
}

/// The channel that a place is for a process.
fn channel(place: Place, process: &Process) -> Option<Channel> {
    match place {
        Place::Global(channel) => Some(channel),
        Place::Parameter(number) => process.1.get(number).copied().flatten(),
    }
}

/// Looks for another process that breaks a promise.
fn verify(
    program: &Program,
    summaries: &[Summary],
    processes: &BTreeSet<Process>,
    process: &Process,
    promise: &Promise,
    reports: &mut Reports,
) {
    let Some(promised) = channel(promise.place, process) else { return };
    let proctype = &program.proctypes[process.0.0 as usize];
    let name = channel_name(program, promised);
    let keyword = if promise.end == End::Receive { "xr" } else { "xs" };
    let said = format!("`{keyword} {}`", program.sources.text(promise.span));
    let help = format!("only one process can keep `{keyword}`; the reduction does not rely on it");
    if proctype.active > 1 && matches!(promise.place, Place::Global(_)) {
        let message =
            format!("{said}: {} processes `{}` start with the system", proctype.active, proctype.name);
        reports.warn("W0820", promise.span, message).related(proctype.span, "the process type").help(help);
        return;
    }
    for other in processes.iter().filter(|other| *other != process) {
        let summary = &summaries[other.0.0 as usize];
        // Who prepares a channel before running its only user is no second user.
        let starts_it = proctype.active == 0 && summary.runs.iter().any(|(run, _)| *run == process.0);
        let breaks = |(&(place, end), used): (&(Place, End), &Use)| {
            let is_used = end == promise.end && channel(place, other) == Some(promised);
            (is_used && !(used.early && starts_it)).then_some(*used)
        };
        if let Some(used) = summary.uses.iter().find_map(breaks) {
            let another = if other.0 == process.0 { "another " } else { "" };
            let user = match program.proctypes[other.0.0 as usize].name.as_str() {
                ":init:" => "init",
                user => user,
            };
            let message = format!("{said}: {another}`{user}` {} `{name}`, too", used.verb);
            reports.warn("W0820", promise.span, message).related(used.span, "the other use").help(help);
            return;
        }
    }
}

fn channel_name(program: &Program, (var, element): Channel) -> String {
    let var = &program.vars[var.0 as usize];
    if var.array.is_some() { format!("{}[{element}]", var.name) } else { var.name.clone() }
}

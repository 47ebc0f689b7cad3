//! One statement: whether it can be executed, and what it does.

use model::FailureKind;
use promela::tree::{Expr, ExprKind, RecvArg, StmtKind, VarRef};

use super::eval::{Creation, Result, World};
use super::observe::NOBODY;
use super::places::{Kind, PlaceId, Step};
use super::state::{State, truncate_message};
use super::trace::{Message, Verdict};

/// After so many statements a `d_step` counts as endless.
const MOST_IN_D_STEP: usize = 20_000;

/// What executing a statement leads to.
#[derive(Debug)]
pub struct Outcome {
    /// The state behind it, or the failure that ends the path.
    pub result: Result<State>,
    /// Failures on the way that do not end the path.
    pub failures: Vec<FailureKind>,
    /// Who holds atomicity now.
    pub holder: Option<usize>,
    /// Who has moved: one process, or both sides of a rendezvous.
    pub movers: Vec<usize>,
}

/// A message that is handed over in a rendezvous.
struct Handshake {
    channel: usize,
    message: Vec<i32>,
}

/// What became of a statement.
enum Done {
    /// It cannot be executed.
    Blocked,
    /// It has been executed.
    Yes,
    /// It sends, and needs a partner.
    Offers(Handshake),
}

impl<'m, 't> World<'m, 't> {
    /// Tries to execute the statement at `place` and to go on to where it leads. Nothing if it
    /// cannot be executed; a rendezvous has an outcome for each receive that takes the message.
    pub fn execute(mut self, place: PlaceId) -> Vec<Outcome> {
        let body = self.machine.body(&self.state, self.pid);
        let holder = body.places[place].atomic.then_some(self.pid);
        let done = match &body.places[place].kind {
            Kind::End => return self.remove().into_iter().collect(),
            Kind::DStep(_) => self.run_d_step(place, None),
            _ => self.try_statement(place, None),
        };
        match done {
            Ok(Done::Blocked) => Vec::new(),
            Ok(Done::Yes) => {
                self.process().place = body.target(place);
                vec![self.outcome(Ok(()), holder)]
            }
            Ok(Done::Offers(handshake)) => {
                self.process().place = body.target(place);
                self.hand_over(&handshake)
            }
            Err(failure) => vec![self.outcome(Err(failure), None)],
        }
    }

    fn outcome(mut self, result: Result<()>, holder: Option<usize>) -> Outcome {
        if self.machine.program.uses_last {
            self.state.last = self.pid as i32;
        }
        let movers = vec![self.pid];
        Outcome { result: result.map(|()| self.state), failures: self.failures, holder, movers }
    }

    /// Rule P1: only the youngest process is removed; its channels go with it.
    fn remove(mut self) -> Option<Outcome> {
        if self.pid + 1 != self.state.processes.len() {
            return None;
        }
        let process = self.state.processes.pop()?;
        self.state.channels.truncate(process.n_channels_before);
        Some(self.outcome(Ok(()), None))
    }

    /// Rules R1, R2: every other process that stands at a matching receive may take the message, and
    /// then it is the one that may hold atomicity. Nothing but a receive can be executed now, so
    /// only an escape that takes the message itself comes before the main part.
    fn hand_over(self, handshake: &Handshake) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let mut sent = self.clone();
        let shown = sent.show(true, handshake.channel, &handshake.message);
        for pid in (0..self.state.processes.len()).rev() {
            if pid == self.pid || self.machine.provided(&self.state, pid) != Ok(true) {
                continue;
            }
            let body = self.machine.body(&self.state, pid);
            let mut taken: Option<Option<PlaceId>> = None;
            for option in self.machine.moves_at(&self.state, pid) {
                if taken.is_some_and(|escape| escape.is_some() && escape != option.escape) {
                    break;
                }
                let mut world = sent.clone();
                world.pid = pid;
                world.timeout = false;
                let done = match &body.places[option.place].kind {
                    Kind::DStep(_) => world.run_d_step(option.place, Some(handshake)),
                    _ => world.try_statement(option.place, Some(handshake)),
                };
                if matches!(done, Ok(Done::Blocked)) {
                    continue;
                }
                taken = Some(option.escape);
                world.process().place = body.target(option.place);
                let holder = body.places[option.place].atomic.then_some(pid);
                let mut outcome = world.outcome(shown.and(done.map(|_| ())), holder);
                outcome.movers.push(self.pid);
                outcomes.push(outcome);
            }
        }
        outcomes
    }

    /// Rule A8: the first executable statement each time; only the first of all may block.
    fn run_d_step(&mut self, container: PlaceId, handshake: Option<&Handshake>) -> Result<Done> {
        let body = self.machine.body(&self.state, self.pid);
        let Kind::DStep(elements) = &body.places[container].kind else { unreachable!() };
        let mut here = body.rest(elements[0], false);
        let mut handshake = handshake;
        for n in 0..MOST_IN_D_STEP {
            let mut executed = None;
            for option in body.options(here) {
                let is_else = matches!(body.places[option.place].kind, Kind::Step(Step::Else));
                if n == 0 && self.moved && is_else {
                    continue;
                }
                match self.try_statement(option.place, handshake)? {
                    Done::Blocked => {}
                    Done::Offers(_) => return Err(FailureKind::RendezvousInDstep),
                    Done::Yes => {
                        executed = Some(option.place);
                        break;
                    }
                }
            }
            let Some(place) = executed else {
                return if n == 0 { Ok(Done::Blocked) } else { Err(FailureKind::BlockedInDstep) };
            };
            handshake = None;
            here = body.rest(body.behind(place).expect("a d_step is not the end"), false);
            if body.places[here].d_step != Some(container) {
                return Ok(Done::Yes);
            }
        }
        Err(FailureKind::EndlessLoop)
    }

    /// Executes the statement at a place, if it can be. With a handshake only a receive can.
    fn try_statement(&mut self, place: PlaceId, handshake: Option<&Handshake>) -> Result<Done> {
        let machine = self.machine;
        let step = match &machine.body(&self.state, self.pid).places[place].kind {
            Kind::Step(step) => *step,
            _ => Step::Skip, // a silent place that is a step here
        };
        if let Some(handshake) = handshake {
            return match step {
                Step::Basic(StmtKind::Receive { chan, args, peek: false, .. }) => {
                    self.take_over(chan, args, handshake)
                }
                _ => Ok(Done::Blocked),
            };
        }
        match step {
            Step::Skip | Step::Else => {}
            Step::Basic(statement) => return self.basic(statement),
            Step::Declare(var) => self.initialise(var, Creation::None)?,
            Step::Start(var, value) => {
                let value = self.eval(value)?;
                self.write(var, value)?;
            }
            Step::Pick(var, value) => self.write(var, value)?,
            Step::AtMost(var, bound) => return Ok(Done::when(self.read(var)? <= self.eval(bound)?)),
            Step::Below(var, bound) => return Ok(Done::when(self.read(var)? < self.eval(bound)?)),
            Step::Increment(var) => {
                let value = self.read(var)?;
                self.write(var, value.wrapping_add(1))?;
            }
            Step::CountFromZero(var) => self.write(&whole(var), 0)?,
            Step::CountBelowLen(var, chan) => {
                let channel = self.channel(chan)?;
                let len = self.state.channels[channel].messages.len() as i32;
                return Ok(Done::when(self.read(&whole(var))? < len));
            }
            Step::TakeMessage(chan, fields) => {
                let args: Vec<RecvArg> = fields.iter().cloned().map(RecvArg::Store).collect();
                return self.receive(chan, &args, false, false);
            }
            Step::PutBack(chan, fields) => {
                let value = |field: &VarRef| Expr { kind: ExprKind::Var(field.clone()), span: field.span };
                let args: Vec<Expr> = fields.iter().map(value).collect();
                return self.send(chan, &args, false);
            }
            Step::Count(var) => {
                let value = self.read(&whole(var))?;
                self.write(&whole(var), value.wrapping_add(1))?;
            }
        }
        Ok(Done::Yes)
    }

    fn basic(&mut self, statement: &StmtKind) -> Result<Done> {
        match statement {
            StmtKind::Assign(var, value) => {
                let value = self.eval(value)?;
                self.write(var, value)?;
            }
            StmtKind::Condition(condition) => return self.condition(condition),
            StmtKind::Print { args, .. } => {
                for arg in args {
                    self.eval(arg)?;
                }
            }
            StmtKind::Printm(arg) => {
                self.eval(arg)?;
            }
            StmtKind::Assert(condition) => {
                if self.eval(condition)? == 0 {
                    self.failures.push(FailureKind::Assertion);
                }
            }
            StmtKind::Send { chan, args, sorted } => return self.send(chan, args, *sorted),
            StmtKind::Receive { chan, args, random, peek } => {
                return self.receive(chan, args, *random, *peek);
            }
            StmtKind::SetPriority(pid, priority) => {
                let (pid, priority) = (self.eval(pid)?, self.eval(priority)?);
                if let Some(process) = self.state.processes.get_mut(pid as usize) {
                    process.priority = priority.clamp(1, 255);
                }
            }
            _ => unreachable!("not a basic statement"),
        }
        Ok(Done::Yes)
    }

    /// A condition may hold a `run`, which must not take effect unless the condition is true.
    fn condition(&mut self, condition: &Expr) -> Result<Done> {
        let mut trial = self.clone();
        let holds = trial.eval(condition)? != 0;
        if holds {
            *self = trial;
        }
        Ok(Done::when(holds))
    }

    /// Rules V2, V6, V7. What is sent is not looked at before there is room for it.
    fn send(&mut self, chan: &VarRef, args: &[Expr], sorted: bool) -> Result<Done> {
        let index = self.channel(chan)?;
        let capacity = self.state.channels[index].capacity as usize;
        let len = self.state.channels[index].messages.len();
        if capacity > 0 && len >= capacity {
            return Ok(Done::Blocked);
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.eval(arg)?);
        }
        let channel = &mut self.state.channels[index];
        if values.len() != channel.fields.len() {
            return Err(FailureKind::MessageArity);
        }
        let message = truncate_message(&channel.fields, &values);
        if capacity == 0 {
            return Ok(Done::Offers(Handshake { channel: index, message }));
        }
        let at = match sorted {
            true => channel.messages.iter().position(|other| values < *other).unwrap_or(len),
            false => len,
        };
        channel.messages.insert(at, message.clone());
        self.show(true, index, &message)?;
        Ok(Done::Yes)
    }

    fn receive(&mut self, chan: &VarRef, args: &[RecvArg], random: bool, peek: bool) -> Result<Done> {
        let index = self.channel(chan)?;
        if self.state.channels[index].capacity == 0 {
            return Ok(Done::Blocked);
        }
        let Some(found) = self.find_message(index, args, random)? else { return Ok(Done::Blocked) };
        let message = match peek {
            true => self.state.channels[index].messages[found].clone(),
            false => {
                let message = self.state.channels[index].messages.remove(found);
                self.show(false, index, &message)?;
                message
            }
        };
        self.take(args, &message)?;
        Ok(Done::Yes)
    }

    /// The second half of a rendezvous.
    fn take_over(&mut self, chan: &VarRef, args: &[RecvArg], handshake: &Handshake) -> Result<Done> {
        if self.channel(chan)? != handshake.channel {
            return Ok(Done::Blocked);
        }
        if args.len() != handshake.message.len() {
            return Err(FailureKind::MessageArity);
        }
        if !self.accepts(args, &handshake.message)? {
            return Ok(Done::Blocked);
        }
        self.show(false, handshake.channel, &handshake.message)?;
        self.take(args, &handshake.message)?;
        Ok(Done::Yes)
    }

    /// Shows a message to the `trace` or `notrace` declaration.
    fn show(&mut self, sent: bool, channel: usize, values: &[i32]) -> Result<()> {
        let Some(trace) = &self.machine.trace else { return Ok(()) };
        let message = Message { sent, channel: channel as i32 + 1, values };
        let verdict = trace.follow(&mut World { pid: NOBODY, ..self.clone() }, message)?;
        match verdict {
            Verdict::Fine(places) => self.state.trace = places,
            Verdict::Unexpected => self.failures.push(FailureKind::TraceMismatch),
            Verdict::Matched => {
                // What has happened once is not looked for again.
                self.state.trace.clear();
                self.failures.push(FailureKind::NotraceMatch);
            }
        }
        Ok(())
    }

    fn take(&mut self, args: &[RecvArg], message: &[i32]) -> Result<()> {
        for (arg, &value) in args.iter().zip(message) {
            if let RecvArg::Store(var) = arg {
                self.write(var, value)?;
            }
        }
        Ok(())
    }
}

impl Done {
    fn when(executable: bool) -> Done {
        if executable { Done::Yes } else { Done::Blocked }
    }
}

/// A reference to a variable without index and field.
fn whole(var: promela::tree::VarId) -> VarRef {
    VarRef { var, index: None, field: None, span: source::Span::default() }
}

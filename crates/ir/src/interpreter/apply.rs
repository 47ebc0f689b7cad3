//! Executing one step.

use model::{Action, Failure, FailureKind, Location, Patience, Phase};

use super::bits::write;
use super::eval::Env;
use super::monitor::{self, Observed, Seen};
use super::shape::LiveChannel;
use super::{Fault, Interpreter, NOBODY, Passing};
use crate::expr::{Op, Pattern, Piece, Place, Print, Receive, Send};
use crate::program::{Block, Comm, Command, Guarded, LocationId, MAX_CHANNELS, Transition};

type Result<T> = std::result::Result<T, Box<Fault>>;

/// A step being executed: the state that it changes, and what there is to say about it.
pub struct Execution<'a> {
    pub interpreter: &'a Interpreter,
    /// The state.
    pub words: &'a mut Vec<u64>,
    pub phase: Phase,
    /// Failures that do not end the path.
    pub failures: &'a mut Vec<Failure>,
    /// What the step prints, if somebody listens.
    pub output: Option<&'a mut String>,
    /// How long the step may take.
    pub patience: Option<&'a Patience>,
    /// Set if it took too long: the failure then means nothing.
    pub abandoned: bool,
    new_pid: u16,
    source: Location,
}

impl<'a> Execution<'a> {
    pub fn new(
        interpreter: &'a Interpreter,
        words: &'a mut Vec<u64>,
        phase: Phase,
        failures: &'a mut Vec<Failure>,
    ) -> Execution<'a> {
        Execution {
            interpreter,
            words,
            phase,
            failures,
            output: None,
            patience: None,
            abandoned: false,
            new_pid: 0,
            source: Location::default(),
        }
    }

    /// Executes an action's single step. Returns the process that holds atomicity afterwards.
    pub fn step(&mut self, action: &Action) -> std::result::Result<Option<u16>, Failure> {
        self.try_step(action).map_err(|fault| fault.at(self.source))
    }

    fn try_step(&mut self, action: &Action) -> Result<Option<u16>> {
        let transition = self.interpreter.transition(action.actor.transition);
        self.source = transition.source;
        let pid = action.actor.who.pid();
        self.env(pid).provided()?;
        self.check_deterministic(pid, action);
        let Some(partner) = action.partner() else {
            self.run_command(pid, transition, None)?;
            self.set_last(pid);
            return Ok(transition.chain.then_some(pid));
        };
        let Command::Guarded(Guarded { comm: Comm::Send(send), effect, .. }) = &transition.command else {
            unreachable!("a partner belongs to a send")
        };
        let passing = self.env(pid).passing(send)?;
        self.watch(true, passing.channel, &passing.message)?;
        self.effect(pid, effect)?;
        self.move_to(pid, transition.target);
        let receive = self.interpreter.transition(partner.transition);
        self.source = receive.source;
        let pid = partner.who.pid();
        self.env(pid).provided()?;
        self.run_command(pid, receive, Some(&passing))?;
        self.set_last(pid);
        Ok(receive.chain.then_some(pid))
    }

    /// In a process type that is declared deterministic, only the first executable statement may be
    /// taken.
    fn check_deterministic(&mut self, pid: u16, action: &Action) {
        let env = self.env(pid);
        if !env.template().deterministic {
            return;
        }
        let mut moves = Vec::new();
        env.moves(&mut moves);
        if moves.first().is_some_and(|first| first.actor != action.actor) {
            self.report(FailureKind::Nondeterminism, "a choice in a process type declared with D_proctype");
        }
    }

    /// Gives the variables of a new process, or the shared ones, their initial values.
    pub fn initialise(&mut self, pid: u16, ops: &[Op], source: Location) -> std::result::Result<(), Failure> {
        self.source = source;
        self.effect(pid, ops).map_err(|fault| fault.at(self.source))
    }

    /// Adds a process that runs from the start.
    pub fn start(&mut self, start: &crate::program::Start) -> std::result::Result<(), Failure> {
        self.source = self.interpreter.program.processes[start.process.0 as usize].source;
        self.create(start.process, &[], start.priority).map_err(|fault| fault.at(self.source))
    }

    fn env(&self, pid: u16) -> Env<'_> {
        Env {
            interpreter: self.interpreter,
            words: self.words,
            shape: self.interpreter.shape_of(self.words),
            pid,
            phase: self.phase,
            new_pid: self.new_pid,
            nested: 0,
        }
    }

    fn run_command(&mut self, pid: u16, transition: &Transition, passing: Option<&Passing>) -> Result<()> {
        match &transition.command {
            Command::Guarded(guarded) => self.guarded(pid, guarded, passing)?,
            Command::Else { .. } => {}
            Command::Terminate => {
                self.remove_youngest();
                return Ok(());
            }
            Command::Block(block) => self.block(pid, block, passing)?,
        }
        self.move_to(pid, transition.target);
        Ok(())
    }

    fn guarded(&mut self, pid: u16, guarded: &Guarded, passing: Option<&Passing>) -> Result<()> {
        for conjunct in &guarded.guard {
            self.env(pid).eval(conjunct)?;
        }
        match (&guarded.comm, passing) {
            (Comm::None, _) => {}
            (Comm::Send(send), _) => self.send(pid, send)?,
            (Comm::Receive(receive), Some(passing)) => {
                let env = self.env(pid);
                env.accepts(receive, passing, env.channel(passing.channel)?.1)?;
                self.watch(false, passing.channel, &passing.message)?;
                self.store(pid, receive, &passing.message)?;
            }
            (Comm::Receive(receive), None) => self.receive(pid, receive)?,
        }
        self.effect(pid, &guarded.effect)
    }

    /// Executes a block from its entry to its exit.
    fn block(&mut self, pid: u16, block: &Block, passing: Option<&Passing>) -> Result<()> {
        let entry = match passing {
            Some(passing) => self.env(pid).block_takes(&block.locations[0], passing)?,
            None => self.env(pid).first_ready(&block.locations[0], None)?,
        };
        let mut passing = passing;
        let mut next = entry.map(|k| &block.locations[0][k]);
        let mut watch = LoopWatch::default();
        while let Some(transition) = next {
            self.source = transition.source;
            match &transition.command {
                Command::Guarded(guarded) => self.guarded(pid, guarded, passing.take())?,
                Command::Else { .. } => {}
                Command::Terminate | Command::Block(_) => unreachable!("the verifier forbids it in a block"),
            }
            if transition.target == Block::EXIT {
                return Ok(());
            }
            if watch.repeats(self.words, transition.target.0) {
                return Err(Fault::boxed(FailureKind::EndlessLoop, "this d_step never ends".into()));
            }
            if watch.is_time_to_look() && self.patience.is_some_and(|patience| patience.is_over(0)) {
                self.abandoned = true;
                return Err(Fault::boxed(FailureKind::EndlessLoop, "not known to end".into()));
            }
            let location = &block.locations[transition.target.0 as usize];
            if let Some(first) = location.first() {
                self.source = first.source;
            }
            next = self.env(pid).first_ready(location, None)?.map(|k| &location[k]);
        }
        Err(Fault::boxed(FailureKind::BlockedInDstep, "a statement inside d_step cannot be executed".into()))
    }

    fn effect(&mut self, pid: u16, ops: &[Op]) -> Result<()> {
        for op in ops {
            match op {
                Op::Assign(place, value) => {
                    let value = self.env(pid).eval(value)?;
                    self.assign(pid, place, value)?;
                }
                Op::Run { process, args, priority } => {
                    let env = self.env(pid);
                    let args = args.iter().map(|arg| env.eval(arg)).collect::<Result<Vec<i32>>>()?;
                    self.create(*process, &args, *priority)?;
                }
                Op::Assert { condition, text, source } => {
                    if !self.env(pid).holds(condition)? {
                        let detail = text.clone();
                        self.failures.push(Failure {
                            kind: FailureKind::Assertion,
                            location: *source,
                            detail,
                        });
                    }
                }
                Op::SetPriority(process, priority) => {
                    let (process, priority) = (self.env(pid).eval(process)?, self.env(pid).eval(priority)?);
                    if !(1..=255).contains(&priority) {
                        let detail = format!("priority {priority} is not between 1 and 255");
                        return Err(Fault::boxed(FailureKind::PriorityOutOfRange, detail));
                    }
                    self.set_priority(process, priority);
                }
                Op::Print(print) => self.print(pid, print)?,
            }
        }
        Ok(())
    }

    fn assign(&mut self, pid: u16, place: &Place, value: i32) -> Result<()> {
        if let Some((base, offset)) = self.env(pid).address(place)? {
            write(self.words, base, offset, place.width, value);
        }
        Ok(())
    }

    fn send(&mut self, pid: u16, send: &Send) -> Result<()> {
        let env = self.env(pid);
        let passing = env.passing(send)?;
        let (live, channel) = env.channel(passing.channel)?;
        let live = *live;
        let len = env.len(&live, channel);
        if len >= channel.capacity {
            return Ok(());
        }
        let at = if send.sorted { env.sorted_position(send, &live, channel)? } else { len };
        let behind = (at..len).map(|k| env.message(&live, channel, k));
        let messages: Vec<Vec<i32>> = std::iter::once(passing.message).chain(behind).collect();
        self.put_messages(&live, at, &messages);
        write(self.words, live.start, 0, 8, len as i32 + 1);
        self.watch(true, passing.channel, &messages[0])
    }

    fn receive(&mut self, pid: u16, receive: &Receive) -> Result<()> {
        let env = self.env(pid);
        let id = env.eval(&receive.channel)?;
        let (live, channel) = env.channel(id)?;
        env.check_arity(receive.fields.len(), channel)?;
        let live = *live;
        let taken = env.matching(receive, &live, channel)?.expect("the receive is executable");
        let message = env.message(&live, channel, taken);
        if !receive.peek {
            let len = env.len(&live, channel);
            let empty = vec![0; channel.fields.len()];
            let behind = (taken + 1..len).map(|k| env.message(&live, channel, k));
            let messages: Vec<Vec<i32>> = behind.chain([empty]).collect();
            self.put_messages(&live, taken, &messages);
            write(self.words, live.start, 0, 8, len as i32 - 1);
            self.watch(false, id, &message)?;
        }
        self.store(pid, receive, &message)
    }

    /// Shows an event to the monitor.
    fn watch(&mut self, send: bool, channel: i32, message: &[i32]) -> Result<()> {
        let program = &self.interpreter.program;
        let Some(monitor) = &program.monitor else { return Ok(()) };
        let seen = monitor::observe(&self.env(NOBODY), monitor, &Observed { send, channel, message })?;
        match seen {
            Seen::Ignored => {}
            Seen::Followed(locations) => monitor::put(program, monitor, self.words, &locations),
            Seen::Matched => {
                let nowhere = vec![false; monitor.locations.len()];
                monitor::put(program, monitor, self.words, &nowhere);
                self.report(FailureKind::NotraceMatch, "the events have matched the notrace declaration");
            }
            Seen::Unexpected => {
                self.report(FailureKind::TraceMismatch, "the trace declaration does not allow this event");
            }
        }
        Ok(())
    }

    /// A failure behind which the path goes on.
    fn report(&mut self, kind: FailureKind, detail: &str) {
        self.failures.push(Failure { kind, location: self.source, detail: detail.to_string() });
    }

    /// Writes messages into a channel, from position `at` on.
    fn put_messages(&mut self, live: &LiveChannel, at: u32, messages: &[Vec<i32>]) {
        let channel = &self.interpreter.program.channels[live.channel.0 as usize];
        let layout = &channel.layout;
        for (k, message) in messages.iter().enumerate() {
            let base = layout.first + (at + k as u32) * layout.stride;
            for ((&value, &offset), field) in message.iter().zip(&layout.fields).zip(&channel.fields) {
                write(self.words, live.start, base + offset, field.width, value);
            }
        }
    }

    fn store(&mut self, pid: u16, receive: &Receive, message: &[i32]) -> Result<()> {
        for (pattern, &value) in receive.fields.iter().zip(message) {
            if let Pattern::Store(place) = pattern {
                self.assign(pid, place, value)?;
            }
        }
        Ok(())
    }

    fn create(&mut self, process: crate::program::ProcessId, args: &[i32], priority: u8) -> Result<()> {
        let interpreter = self.interpreter;
        let shape = self.words[0] as u32;
        let child = interpreter.shapes.child(&interpreter.program, shape, process).map_err(|kind| {
            let processes = interpreter.shapes.most_processes;
            let detail = format!("a state holds at most {processes} processes and {MAX_CHANNELS} channels");
            Fault::boxed(kind, detail)
        })?;
        let template = &interpreter.program.processes[process.0 as usize];
        let pid = interpreter.shapes.get(shape).processes.len() as u16;
        self.words.resize(interpreter.shapes.get(child).words as usize, 0);
        self.words[0] = (self.words[0] & !0xffff_ffff) | u64::from(child);
        let frame = interpreter.shapes.get(child).processes[pid as usize].frame;
        if let Some(slot) = template.priority {
            let slot = &template.frame.slots[slot as usize];
            write(self.words, frame, slot.offset, slot.width, i32::from(priority));
        }
        for (place, &value) in template.params.iter().zip(args) {
            self.assign(pid, place, value)?;
        }
        self.effect(pid, &template.init)?;
        self.new_pid = pid;
        Ok(())
    }

    fn remove_youngest(&mut self) {
        let parent = self.interpreter.shape_of(self.words).parent;
        self.words.truncate(self.interpreter.shapes.get(parent).words as usize);
        self.words[0] = (self.words[0] & !0xffff_ffff) | u64::from(parent);
    }

    fn move_to(&mut self, pid: u16, target: LocationId) {
        let instance = self.interpreter.shape_of(self.words).processes[pid as usize];
        let template = &self.interpreter.program.processes[instance.process.0 as usize];
        let pc = &template.frame.slots[template.pc as usize];
        write(self.words, instance.frame, pc.offset, pc.width, target.0 as i32);
    }

    fn set_last(&mut self, pid: u16) {
        if let Some(slot) = self.interpreter.program.last {
            let slot = &self.interpreter.program.globals.slots[slot as usize];
            write(self.words, 0, slot.offset, slot.width, i32::from(pid));
        }
    }

    fn set_priority(&mut self, pid: i32, priority: i32) {
        let shape = self.interpreter.shape_of(self.words);
        let Some(instance) = usize::try_from(pid).ok().and_then(|pid| shape.processes.get(pid)) else {
            return;
        };
        let template = &self.interpreter.program.processes[instance.process.0 as usize];
        if let Some(slot) = template.priority {
            let slot = &template.frame.slots[slot as usize];
            write(self.words, instance.frame, slot.offset, slot.width, priority);
        }
    }

    fn print(&mut self, pid: u16, print: &Print) -> Result<()> {
        let text = self.render(pid, print)?;
        if let Some(output) = self.output.as_deref_mut() {
            output.push_str(&text);
        }
        Ok(())
    }

    fn render(&self, pid: u16, print: &Print) -> Result<String> {
        let env = self.env(pid);
        let mut text = String::new();
        for piece in &print.pieces {
            if self.output.is_none() {
                // Nobody listens, but a value may fail to evaluate.
                piece.value().map_or(Ok(0), |expr| env.eval(expr))?;
                continue;
            }
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Decimal(expr) => text.push_str(&env.eval(expr)?.to_string()),
                Piece::Unsigned(expr) => text.push_str(&(env.eval(expr)? as u32).to_string()),
                Piece::Hex(expr) => text.push_str(&format!("{:x}", env.eval(expr)?)),
                Piece::Octal(expr) => text.push_str(&format!("{:o}", env.eval(expr)?)),
                Piece::Char(expr) => text.push(env.eval(expr)? as u8 as char),
                Piece::Name(expr, set) => text.push_str(&self.interpreter.name_of(*set, env.eval(expr)?)),
            }
        }
        Ok(text)
    }
}

/// Notices when a deterministic run of steps repeats itself (Brent's method: the state is compared
/// with one that is remembered anew after 1, 2, 4, 8, … steps).
#[derive(Default)]
pub struct LoopWatch {
    remembered: Vec<u64>,
    position: u32,
    steps: u64,
    next: u64,
    total: u64,
}

impl LoopWatch {
    /// Remembers states in memory that is already there.
    pub fn with_memory(remembered: Vec<u64>) -> LoopWatch {
        LoopWatch { remembered, ..LoopWatch::default() }
    }

    /// Gives the memory back.
    pub fn into_memory(self) -> Vec<u64> {
        self.remembered
    }

    /// Once in a while.
    pub fn is_time_to_look(&self) -> bool {
        self.total.is_multiple_of(1024)
    }

    pub fn repeats(&mut self, words: &[u64], position: u32) -> bool {
        if self.next > 0 && self.position == position && self.remembered == words {
            return true;
        }
        self.steps += 1;
        self.total += 1;
        if self.steps > self.next {
            self.next = (self.next * 2).max(16);
            self.steps = 0;
            self.position = position;
            self.remembered.clear();
            self.remembered.extend_from_slice(words);
        }
        false
    }
}

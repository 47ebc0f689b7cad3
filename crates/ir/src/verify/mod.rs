//! Whether a program is one that can be run.
//!
//! The interpreter, the analyses and whatever compiles programs index without asking: everything that
//! they rely on is checked here, once.

mod expr;
mod layout;

use model::Location;

use crate::program::{
    Block, ChannelId, Comm, Command, ControlLocation, Guarded, MAX_CHANNELS, Monitor, MonitorLocation,
    Process, Program, Transition,
};
use expr::Scope;

/// Checks a program.
///
/// # Errors
/// What is wrong with it, each with the place inside the program. A program for which this is not
/// empty must not be given to [`crate::Interpreter`]. It is the fault of whatever made the program,
/// not of the user's model.
pub fn verify(program: &Program) -> Result<(), Vec<String>> {
    let mut verifier = Verifier { program, context: Vec::new(), errors: Vec::new() };
    verifier.program();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

struct Verifier<'p> {
    program: &'p Program,
    /// Where we are, from the outside to the inside.
    context: Vec<String>,
    errors: Vec<String>,
}

impl<'p> Verifier<'p> {
    fn check(&mut self, is_good: bool, message: impl FnOnce() -> String) {
        if !is_good {
            let context: String = self.context.iter().map(|part| format!("{part}: ")).collect();
            self.errors.push(format!("{context}{}", message()));
        }
    }

    fn within(&mut self, context: String, check: impl FnOnce(&mut Self)) {
        self.context.push(context);
        check(self);
        self.context.pop();
    }

    fn program(&mut self) {
        let program = self.program;
        self.within("globals".into(), |verifier| verifier.globals());
        for (k, channel) in program.channels.iter().enumerate() {
            self.within(format!("channel #{k} '{}'", channel.name), |verifier| verifier.channel(channel));
        }
        self.channel_ids(&program.global_channels);
        let n_channels = program.global_channels.len();
        self.check(n_channels <= MAX_CHANNELS, || format!("{n_channels} shared channels are too many"));
        for (index, process) in program.processes.iter().enumerate() {
            self.within(format!("process '{}'", process.name), |verifier| verifier.process(index, process));
        }
        // Too many of them, or of their channels, is a failure of the model, not of the program.
        for start in &program.start {
            self.within("start".into(), |verifier| verifier.process_id(start.process));
        }
        self.within("init".into(), |verifier| verifier.init(&program.init, Scope::GLOBAL));
        if let Some(monitor) = &program.monitor {
            self.within("monitor".into(), |verifier| verifier.monitor(monitor));
        }
        for (k, predicate) in program.predicates.iter().enumerate() {
            self.within(format!("predicate {k}"), |verifier| {
                verifier.expr(&predicate.expr, Scope::GLOBAL, 0);
                verifier.source(predicate.source);
            });
        }
    }

    fn channel_ids(&mut self, channels: &[ChannelId]) {
        let count = self.program.channels.len();
        for channel in channels {
            self.check((channel.0 as usize) < count, || format!("there is no channel #{}", channel.0));
        }
    }

    fn process(&mut self, index: usize, process: &Process) {
        let scope = Scope::of(index);
        self.frame(process);
        self.channel_ids(&process.channels);
        self.source(process.source);
        for param in &process.params {
            self.within("params".into(), |verifier| verifier.param(param, scope));
        }
        self.within("init".into(), |verifier| verifier.init(&process.init, scope));
        if let Some(condition) = &process.provided {
            self.within("provided".into(), |verifier| verifier.expr(condition, scope, 0));
        }
        self.check(!process.locations.is_empty(), || "there is no location to start at".into());
        for (k, location) in process.locations.iter().enumerate() {
            self.within(format!("location {k}"), |verifier| {
                verifier.location(location, process.locations.len(), scope);
            });
        }
    }

    fn location(&mut self, location: &ControlLocation, n_locations: usize, scope: Scope) {
        self.source(location.source);
        for (k, transition) in location.transitions.iter().enumerate() {
            self.within(format!("transition {k}"), |verifier| {
                let target = transition.target.0;
                verifier.check((target as usize) < n_locations, || format!("there is no location {target}"));
                verifier.source(transition.source);
                match &transition.command {
                    Command::Guarded(guarded) => verifier.guarded(guarded, scope),
                    Command::Else { since } => verifier.since(*since, k),
                    Command::Terminate => {}
                    Command::Block(block) => verifier.block(block, scope),
                }
            });
        }
    }

    fn since(&mut self, since: u32, index: usize) {
        self.check(since as usize <= index, || format!("an else since {since} at position {index}"));
    }

    fn block(&mut self, block: &Block, scope: Scope) {
        self.check(!block.locations.is_empty(), || "a block without a location".into());
        for (l, transitions) in block.locations.iter().enumerate() {
            for (k, transition) in transitions.iter().enumerate() {
                self.within(format!("block location {l}, transition {k}"), |verifier| {
                    verifier.inner(transition, k, block.locations.len(), scope);
                });
            }
        }
    }

    /// A transition inside a block.
    fn inner(&mut self, transition: &Transition, k: usize, n_locations: usize, scope: Scope) {
        let target = transition.target;
        let is_good = target == Block::EXIT || (target.0 as usize) < n_locations;
        self.check(is_good, || format!("there is no location {} in the block", target.0));
        self.source(transition.source);
        match &transition.command {
            Command::Guarded(guarded) => self.guarded(guarded, scope),
            Command::Else { since } => self.since(*since, k),
            Command::Terminate => self.check(false, || "a process cannot end inside a block".into()),
            Command::Block(_) => self.check(false, || "a block inside a block".into()),
        }
    }

    fn guarded(&mut self, guarded: &Guarded, scope: Scope) {
        guarded.guard.iter().for_each(|conjunct| self.expr(conjunct, scope, 0));
        match &guarded.comm {
            Comm::None => {}
            Comm::Send(send) => {
                self.expr(&send.channel, scope, 0);
                send.fields.iter().for_each(|field| self.expr(field, scope, 0));
            }
            Comm::Receive(receive) => self.receive(receive, scope, 0),
        }
        self.effect(&guarded.effect, scope);
    }

    fn monitor(&mut self, monitor: &Monitor) {
        let n_locations = monitor.locations.len();
        self.source(monitor.source);
        self.location_set(monitor.slot, n_locations);
        monitor.scope.iter().for_each(|kind| self.expr(&kind.channel, Scope::GLOBAL, 0));
        let targets = |location: &MonitorLocation| {
            location.silent.iter().copied().chain(location.events.iter().map(|event| event.target)).collect()
        };
        let mut has_targets = true;
        for (k, location) in monitor.locations.iter().enumerate() {
            self.within(format!("location {k}"), |verifier| {
                let targets: Vec<u32> = targets(location);
                for target in targets {
                    let is_there = (target as usize) < n_locations;
                    verifier.check(is_there, || format!("there is no location {target}"));
                    has_targets &= is_there;
                }
                for event in &location.events {
                    let is_in_scope = monitor.scope.contains(&event.kind);
                    verifier.check(is_in_scope, || "an event that is not in the scope".into());
                    event.fields.iter().flatten().for_each(|field| verifier.expr(field, Scope::GLOBAL, 0));
                }
            });
        }
        self.check(n_locations > 0, || "there is no location to start at".into());
        if n_locations > 0 && has_targets {
            let starts_at_end =
                monitor.locations.iter().zip(monitor.start()).any(|(at, member)| at.end && member);
            let is_good = !monitor.forbidden || !starts_at_end;
            self.check(is_good, || "it is forbidden, and starts at an end".into());
        }
    }

    /// A slot that must have a bit for each location of the monitor.
    fn location_set(&mut self, slot: u32, n_locations: usize) {
        let Some(slot) = self.program.globals.slots.get(slot as usize) else {
            return self.check(false, || format!("there is no slot #{slot} for the locations"));
        };
        let has_bits = matches!(&slot.dims[..], [dim] if dim.len as usize == n_locations);
        let fits = has_bits && slot.width == 1 && !slot.signed;
        self.check(fits, || format!("the slot '{}' does not have a bit for each location", slot.name));
    }

    fn source(&mut self, source: Location) {
        let is_good = source.line == 0 || (source.file as usize) < self.program.files.len();
        self.check(is_good, || format!("there is no file {}", source.file));
    }
}

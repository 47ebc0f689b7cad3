//! What a process can do in a state.

use model::{Action, FailureKind, Party};

use super::eval::Env;
use super::{Fault, Passing};
use crate::expr::Send;
use crate::program::{Comm, Command, Guarded, Transition};

type Result<T> = std::result::Result<T, Box<Fault>>;

/// Whether a transition can be executed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    No,
    Alone,
    /// A rendezvous send: executable with a partner.
    WithPartner,
}

/// Takes the actions that are found.
pub trait Sink {
    /// Takes an action; returns false if no more are wanted.
    fn found(&mut self, action: Action) -> bool;
}

impl Sink for Vec<Action> {
    fn found(&mut self, action: Action) -> bool {
        self.push(action);
        true
    }
}

/// Only asks whether there is an action.
struct Any(bool);

impl Sink for Any {
    fn found(&mut self, _: Action) -> bool {
        self.0 = true;
        false
    }
}

impl Env<'_> {
    /// The actions of this process: none if its `provided` clause is false, or if a process of higher
    /// priority can move.
    ///
    /// A transition whose guard fails to evaluate is listed; executing it gives the failure. If the
    /// `provided` clause fails to evaluate, the first transition is listed for that.
    pub fn moves(&self, out: &mut Vec<Action>) {
        match self.provided() {
            Ok(false) => {}
            Ok(true) => {
                // If a process of higher priority fails to evaluate a guard, it is listed itself.
                if !self.is_outranked().unwrap_or(false) {
                    self.find_moves(out);
                }
            }
            Err(_) => {
                let (first, transitions) = self.interpreter.transitions(self.words, self.shape, self.pid);
                if !transitions.is_empty() {
                    out.push(Action::solo(self.pid.into(), first));
                }
            }
        }
    }

    /// Whether the process can do anything, priorities aside.
    pub fn can_move(&self) -> Result<bool> {
        let mut any = Any(false);
        if self.provided()? {
            self.find_moves(&mut any);
        }
        Ok(any.0)
    }

    pub fn provided(&self) -> Result<bool> {
        match &self.template().provided {
            Some(condition) => self.holds(condition),
            None => Ok(true),
        }
    }

    fn is_outranked(&self) -> Result<bool> {
        if !self.interpreter.program.priorities {
            return Ok(false);
        }
        let priority = |pid| self.interpreter.priority(self.words, self.shape, pid);
        let own = priority(self.pid);
        for other in 0..self.shape.processes.len() as u16 {
            if other != self.pid && priority(other) > own && self.of(other).can_move()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Walks the transitions of the current location in order. An executable escape shuts out what
    /// is listed behind it; `else` is executable if nothing before it was.
    fn find_moves(&self, out: &mut impl Sink) {
        let (first, transitions) = self.interpreter.transitions(self.words, self.shape, self.pid);
        let mut executable = None;
        let mut escape = None;
        for (k, transition) in transitions.iter().enumerate() {
            if escape.is_some() && escape != transition.escape {
                break;
            }
            let actor = Party { who: self.pid.into(), transition: first + k as u32 };
            let found = match self.ready(transition, executable) {
                Ok(Ready::No) => continue,
                Ok(Ready::Alone) | Err(_) => {
                    if !out.found(Action::solo(actor.who, actor.transition)) {
                        return;
                    }
                    true
                }
                Ok(Ready::WithPartner) => match self.find_partners(actor, transition, out) {
                    Some(found) => found,
                    None => return,
                },
            };
            if found {
                executable = Some(k as u32);
                escape = transition.escape;
            }
        }
    }

    /// Whether a transition can be executed. `executable` is the last one before it that can.
    pub fn ready(&self, transition: &Transition, executable: Option<u32>) -> Result<Ready> {
        match &transition.command {
            Command::Guarded(guarded) => self.ready_guarded(guarded),
            Command::Else { since } => {
                let blocked = executable.is_some_and(|last| last >= *since);
                Ok(if blocked { Ready::No } else { Ready::Alone })
            }
            Command::Terminate => {
                let youngest = self.pid as usize + 1 == self.shape.processes.len();
                Ok(if youngest { Ready::Alone } else { Ready::No })
            }
            Command::Block(block) => match self.first_ready(&block.locations[0], executable)? {
                Some(_) => Ok(Ready::Alone),
                None => Ok(Ready::No),
            },
        }
    }

    /// The transition of a block's location that is taken: the first that can be. `executable` is
    /// the last transition in front of the block that can be executed: an `else` with which the
    /// block starts then cannot.
    pub fn first_ready(&self, transitions: &[Transition], executable: Option<u32>) -> Result<Option<usize>> {
        for (k, transition) in transitions.iter().enumerate() {
            match self.ready(transition, executable)? {
                Ready::No => {}
                Ready::Alone => return Ok(Some(k)),
                Ready::WithPartner => {
                    let detail = "a rendezvous send inside d_step".to_string();
                    return Err(Fault::boxed(FailureKind::RendezvousInDstep, detail));
                }
            }
        }
        Ok(None)
    }

    fn ready_guarded(&self, guarded: &Guarded) -> Result<Ready> {
        for conjunct in &guarded.guard {
            if !self.holds(conjunct)? {
                return Ok(Ready::No);
            }
        }
        match &guarded.comm {
            Comm::None => Ok(Ready::Alone),
            Comm::Send(send) => {
                let (live, channel) = self.channel(self.eval(&send.channel)?)?;
                self.check_arity(send.fields.len(), channel)?;
                Ok(if channel.capacity == 0 {
                    Ready::WithPartner
                } else if self.len(live, channel) < channel.capacity || self.interpreter.program.lossy {
                    Ready::Alone
                } else {
                    Ready::No
                })
            }
            Comm::Receive(receive) => {
                let (live, channel) = self.channel(self.eval(&receive.channel)?)?;
                // As in Spin, the number of fields matters when there is a message.
                if self.len(live, channel) == 0 {
                    return Ok(Ready::No);
                }
                self.check_arity(receive.fields.len(), channel)?;
                Ok(if self.matching(receive, live, channel)?.is_some() { Ready::Alone } else { Ready::No })
            }
        }
    }

    /// Lists the rendezvous of a send with every receiver; says whether there is one, or none if
    /// the sink wants no more.
    fn find_partners(&self, actor: Party, transition: &Transition, out: &mut impl Sink) -> Option<bool> {
        let Command::Guarded(Guarded { comm: Comm::Send(send), .. }) = &transition.command else {
            unreachable!("only a guarded send waits for a partner")
        };
        let Ok(passing) = self.passing(send) else {
            return out.found(Action::solo(actor.who, actor.transition)).then_some(true);
        };
        let mut found = false;
        for pid in (0..self.shape.processes.len() as u16).rev().filter(|&pid| pid != self.pid) {
            let receiver = self.of(pid);
            let (first, transitions) = self.interpreter.transitions(self.words, self.shape, pid);
            let mut escape = None;
            for (k, transition) in transitions.iter().enumerate() {
                if escape.is_some() && escape != transition.escape {
                    break;
                }
                if receiver.can_take(transition, &passing).unwrap_or(true) {
                    if !receiver.provided().unwrap_or(true) {
                        break;
                    }
                    let partner = Party { who: pid.into(), transition: first + k as u32 };
                    if !out.found(Action { actor, partner }) {
                        return None;
                    }
                    found = true;
                    escape = transition.escape;
                }
            }
        }
        Some(found)
    }

    /// Whether a transition of this process takes a message that is handed over.
    pub fn can_take(&self, transition: &Transition, passing: &Passing) -> Result<bool> {
        match &transition.command {
            Command::Guarded(guarded) => self.guarded_takes(guarded, passing),
            Command::Block(block) => Ok(self.block_takes(&block.locations[0], passing)?.is_some()),
            Command::Else { .. } | Command::Terminate => Ok(false),
        }
    }

    /// The transition of a block's entry that takes a message that is handed over.
    pub fn block_takes(&self, entry: &[Transition], passing: &Passing) -> Result<Option<usize>> {
        for (k, transition) in entry.iter().enumerate() {
            if self.can_take(transition, passing)? {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    fn guarded_takes(&self, guarded: &Guarded, passing: &Passing) -> Result<bool> {
        let Comm::Receive(receive) = &guarded.comm else { return Ok(false) };
        let (_, channel) = self.channel(passing.channel)?;
        if !self.accepts(receive, passing, channel)? {
            return Ok(false);
        }
        for conjunct in &guarded.guard {
            if !self.holds(conjunct)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The message of a send, cut to the width of the channel's fields.
    pub fn passing(&self, send: &Send) -> Result<Passing> {
        let id = self.eval(&send.channel)?;
        let (_, channel) = self.channel(id)?;
        self.check_arity(send.fields.len(), channel)?;
        let mut message = Vec::with_capacity(send.fields.len());
        for (expr, field) in send.fields.iter().zip(&channel.fields) {
            let mut cell = [0];
            super::bits::write(&mut cell, 0, 0, field.width, self.eval(expr)?);
            message.push(super::bits::read(&cell, 0, 0, field.width, field.signed));
        }
        Ok(Passing { channel: id, message })
    }

    pub fn template(&self) -> &crate::program::Process {
        &self.interpreter.program.processes[self.instance().process.0 as usize]
    }
}

//! The value of an expression in a state.

use model::{FailureKind, Phase};

use super::bits::read;
use super::shape::{Instance, LiveChannel, Shape};
use super::{Fault, Interpreter, Passing};
use crate::expr::{Base, BinaryOp, ChannelOp, Expr, Mark, Pattern, Place, Receive, Send, UnaryOp};
use crate::program::{Channel, ProcessId};

/// What an expression is evaluated against: a state, and the process that asks.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    pub interpreter: &'a Interpreter,
    pub words: &'a [u64],
    pub shape: &'a Shape,
    /// The process that asks.
    pub pid: u16,
    /// In which `timeout` is true or not.
    pub phase: Phase,
    /// The process that `run` has just made.
    pub new_pid: u16,
    /// How many `enabled()` are being answered, one inside the other.
    pub nested: u16,
}

type Result<T> = std::result::Result<T, Box<Fault>>;

impl<'a> Env<'a> {
    pub fn instance(&self) -> &'a Instance {
        &self.shape.processes[self.pid as usize]
    }

    pub fn of(&self, pid: u16) -> Env<'a> {
        Env { pid, ..*self }
    }

    /// True if the expression is not zero.
    pub fn holds(&self, expr: &Expr) -> Result<bool> {
        Ok(self.eval(expr)? != 0)
    }

    pub fn eval(&self, expr: &Expr) -> Result<i32> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Load(place) => match self.address(place)? {
                Some((base, offset)) => read(self.words, base, offset, place.width, place.signed),
                None => 0,
            },
            Expr::Pid => i32::from(self.pid),
            Expr::NrProcesses => self.shape.processes.len() as i32,
            Expr::OwnChannel(k) => (self.instance().first_channel + k + 1) as i32,
            Expr::Timeout => i32::from(self.phase == Phase::Timeout),
            Expr::NewPid => i32::from(self.new_pid),
            Expr::Unary(op, operand) => unary(*op, self.eval(operand)?),
            Expr::Binary(BinaryOp::And, left, right) => i32::from(self.holds(left)? && self.holds(right)?),
            Expr::Binary(BinaryOp::Or, left, right) => i32::from(self.holds(left)? || self.holds(right)?),
            Expr::Binary(op, left, right) => binary(*op, self.eval(left)?, self.eval(right)?)?,
            Expr::Cond(condition, then, otherwise) => {
                self.eval(if self.holds(condition)? { then } else { otherwise })?
            }
            Expr::Channel(op, channel) => self.channel_op(*op, self.eval(channel)?)?,
            Expr::Poll(receive) => i32::from(self.poll(receive)?),
            Expr::Enabled(pid) => i32::from(self.enabled(self.eval(pid)?)?),
            Expr::PcValue(pid) => match self.process(self.eval(pid)?) {
                Some(pid) => self.interpreter.location(self.words, self.shape, pid).number as i32,
                None => 0,
            },
            Expr::PriorityOf(pid) => match self.process(self.eval(pid)?) {
                Some(pid) => self.interpreter.priority(self.words, self.shape, pid),
                None => 0,
            },
            Expr::At { process, pid, location } => match (self.remote(*process, pid.as_deref())?, location) {
                (Some(pid), Some(location)) => {
                    i32::from(self.interpreter.pc(self.words, self.shape, pid) == location.0)
                }
                _ => 0,
            },
            Expr::SomeAt(mark) => i32::from(self.some_at(*mark)),
        })
    }

    fn some_at(&self, mark: Mark) -> bool {
        (0..self.shape.processes.len() as u16).any(|pid| {
            let location = self.interpreter.location(self.words, self.shape, pid);
            match mark {
                Mark::Progress => location.progress,
                Mark::Accept => location.accept,
            }
        })
    }

    /// Where a place lies: a word and a number of bits. None if it belongs to a process that is
    /// not there.
    pub fn address(&self, place: &Place) -> Result<Option<(u32, u32)>> {
        let base = match &place.base {
            Base::Global => 0,
            Base::Frame => self.instance().frame,
            Base::Remote { process, pid } => match self.remote(*process, pid.as_deref())? {
                Some(pid) => self.shape.processes[pid as usize].frame,
                None => return Ok(None),
            },
        };
        let mut offset = place.offset;
        for (index, &(len, stride)) in place.indices.iter().zip(&place.dims) {
            let index = self.eval(index)?;
            if index < 0 || index as u32 >= len {
                let detail = format!("index {index} of an array of {len}");
                return Err(Fault::boxed(FailureKind::IndexOutOfRange, detail));
            }
            offset += index as u32 * stride;
        }
        Ok(Some((base, offset)))
    }

    /// The channel with the given number.
    pub fn channel(&self, id: i32) -> Result<(&'a LiveChannel, &'a Channel)> {
        let live = usize::try_from(id)
            .ok()
            .and_then(|id| id.checked_sub(1))
            .and_then(|index| self.shape.channels.get(index));
        match live {
            Some(live) => Ok((live, &self.interpreter.program.channels[live.channel.0 as usize])),
            None => {
                let what = if id == 0 {
                    "an uninitialised channel".into()
                } else {
                    format!("channel {id}, which does not exist")
                };
                Err(Fault::boxed(FailureKind::UninitialisedChannel, format!("use of {what}")))
            }
        }
    }

    /// The number of messages in a channel.
    pub fn len(&self, live: &LiveChannel, channel: &Channel) -> u32 {
        if channel.capacity == 0 { 0 } else { read(self.words, live.start, 0, 8, false) as u32 }
    }

    /// A part of a message.
    pub fn field(&self, live: &LiveChannel, channel: &Channel, message: u32, field: usize) -> i32 {
        let layout = &channel.layout;
        let offset = layout.first + message * layout.stride + layout.fields[field];
        read(self.words, live.start, offset, channel.fields[field].width, channel.fields[field].signed)
    }

    /// All parts of a message.
    pub fn message(&self, live: &LiveChannel, channel: &Channel, message: u32) -> Vec<i32> {
        (0..channel.fields.len()).map(|field| self.field(live, channel, message, field)).collect()
    }

    /// Where a sorted send puts its message: in front of the first greater one. As in Spin, its
    /// values are compared before they are cut to the width of the fields.
    pub fn sorted_position(&self, send: &Send, live: &LiveChannel, channel: &Channel) -> Result<u32> {
        let values = send.fields.iter().map(|field| self.eval(field)).collect::<Result<Vec<i32>>>()?;
        let len = self.len(live, channel);
        Ok((0..len).find(|&k| self.message(live, channel, k) > values).unwrap_or(len))
    }

    /// The message that a receive would take, if there is one. It has no more fields than the channel.
    pub fn matching(&self, receive: &Receive, live: &LiveChannel, channel: &Channel) -> Result<Option<u32>> {
        let len = self.len(live, channel);
        let candidates = if receive.random { len } else { len.min(1) };
        'messages: for message in 0..candidates {
            for (k, pattern) in receive.fields.iter().enumerate() {
                if let Pattern::Match(expr) = pattern
                    && self.field(live, channel, message, k) != self.eval(expr)?
                {
                    continue 'messages;
                }
            }
            return Ok(Some(message));
        }
        Ok(None)
    }

    /// Whether a receive takes a message that is handed over in a rendezvous.
    pub fn accepts(&self, receive: &Receive, passing: &Passing, channel: &Channel) -> Result<bool> {
        if self.eval(&receive.channel)? != passing.channel || receive.peek {
            return Ok(false);
        }
        self.check_arity(receive.fields.len(), channel)?;
        for (pattern, &value) in receive.fields.iter().zip(&passing.message) {
            if let Pattern::Match(expr) = pattern
                && value != self.eval(expr)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn check_arity(&self, given: usize, channel: &Channel) -> Result<()> {
        if given == channel.fields.len() {
            return Ok(());
        }
        let detail = format!("{given} fields, but '{}' carries {}", channel.name, channel.fields.len());
        Err(Fault::boxed(FailureKind::MessageArity, detail))
    }

    fn channel_op(&self, op: ChannelOp, id: i32) -> Result<i32> {
        let (live, channel) = self.channel(id)?;
        let len = self.len(live, channel);
        let full = channel.capacity > 0 && len >= channel.capacity;
        Ok(match op {
            ChannelOp::Len => len as i32,
            ChannelOp::Empty => i32::from(len == 0),
            ChannelOp::Nempty => i32::from(len > 0),
            ChannelOp::Full => i32::from(full),
            ChannelOp::Nfull => i32::from(!full),
        })
    }

    fn poll(&self, receive: &Receive) -> Result<bool> {
        let (live, channel) = self.channel(self.eval(&receive.channel)?)?;
        if channel.capacity == 0 {
            let detail = format!("poll of rendezvous channel '{}'", channel.name);
            return Err(Fault::boxed(FailureKind::PollOfRendezvous, detail));
        }
        // A poll may leave out the last fields.
        if receive.fields.len() > channel.fields.len() {
            self.check_arity(receive.fields.len(), channel)?;
        }
        Ok(self.matching(receive, live, channel)?.is_some())
    }

    fn enabled(&self, pid: i32) -> Result<bool> {
        let Some(other) = self.process(pid) else { return Ok(false) };
        if other == self.pid || self.nested as usize > self.shape.processes.len() {
            let detail = "enabled() about the process that asks".to_string();
            return Err(Fault::boxed(FailureKind::SelfReference, detail));
        }
        Env { nested: self.nested + 1, ..self.of(other) }.can_move()
    }

    /// The pid, if such a process lives.
    fn process(&self, pid: i32) -> Option<u16> {
        u16::try_from(pid).ok().filter(|&pid| (pid as usize) < self.shape.processes.len())
    }

    /// The instance of a template that a remote reference means.
    fn remote(&self, process: ProcessId, pid: Option<&Expr>) -> Result<Option<u16>> {
        let instances = &self.shape.processes;
        Ok(match pid {
            Some(pid) => {
                self.process(self.eval(pid)?).filter(|&pid| instances[pid as usize].process == process)
            }
            None => instances.iter().position(|instance| instance.process == process).map(|pid| pid as u16),
        })
    }
}

pub fn unary(op: UnaryOp, operand: i32) -> i32 {
    match op {
        UnaryOp::Neg => operand.wrapping_neg(),
        UnaryOp::Not => i32::from(operand == 0),
        UnaryOp::BitNot => !operand,
    }
}

/// C's arithmetic on 32-bit integers, wrapping where C leaves overflow undefined.
pub fn binary(op: BinaryOp, left: i32, right: i32) -> Result<i32> {
    Ok(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div | BinaryOp::Rem if right == 0 => {
            return Err(Fault::boxed(FailureKind::DivisionByZero, format!("{left} divided by zero")));
        }
        BinaryOp::Div => left.wrapping_div(right),
        BinaryOp::Rem => left.wrapping_rem(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitOr => left | right,
        BinaryOp::Lt => i32::from(left < right),
        BinaryOp::Le => i32::from(left <= right),
        BinaryOp::Gt => i32::from(left > right),
        BinaryOp::Ge => i32::from(left >= right),
        BinaryOp::Eq => i32::from(left == right),
        BinaryOp::Ne => i32::from(left != right),
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
        BinaryOp::Shl => left.wrapping_shl(right as u32),
        BinaryOp::Shr => left.wrapping_shr(right as u32),
    })
}

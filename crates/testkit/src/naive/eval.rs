//! Expressions, and reading and writing variables.

use model::FailureKind;
use promela::tree::{
    BinaryOp, ChannelOp, Expr, ExprKind, Init, Owner, RecvArg, Type, UnaryOp, VarId, VarRef,
};

use super::Machine;
use super::state::{
    Channel, Process, State, fields, new_channel, scalar_types, size_of_type, starts_with_value, truncate,
    truncate_element,
};

/// Evaluation can fail, and then the path ends.
pub type Result<T> = std::result::Result<T, FailureKind>;

/// The most processes, and the most channels (rule P5).
const MOST: usize = 255;

/// A process at work on a state of its own.
#[derive(Clone)]
pub struct World<'m, 't> {
    /// The program.
    pub machine: &'m Machine<'t>,
    /// The state.
    pub state: State,
    /// The process that acts.
    pub pid: usize,
    /// The value of `timeout`.
    pub timeout: bool,
    /// Something listed before it can be executed: then a `d_step` cannot start with `else`.
    pub moved: bool,
    /// Failures that do not end the path.
    pub failures: Vec<FailureKind>,
}

/// Where a variable's element lies.
struct Address {
    /// The process whose local it is.
    process: Option<usize>,
    offset: usize,
    ty: Type,
    in_array: bool,
}

impl<'m, 't> World<'m, 't> {
    /// The process at work.
    pub fn process(&mut self) -> &mut Process {
        &mut self.state.processes[self.pid]
    }

    /// The value of an expression. `run` in it takes effect.
    pub fn eval(&mut self, expr: &Expr) -> Result<i32> {
        Ok(match &expr.kind {
            ExprKind::Const(value) | ExprKind::Mtype(_, value) => *value,
            ExprKind::Var(var) => self.read(var)?,
            ExprKind::Pid => self.pid as i32,
            ExprKind::Last => self.state.last,
            ExprKind::NrPr => self.state.processes.len() as i32,
            ExprKind::Priority => self.process().priority,
            ExprKind::Timeout => i32::from(self.timeout),
            ExprKind::NonProgress => i32::from(!self.machine.some_at(&self.state, |place| place.progress)),
            ExprKind::Any => 0,
            ExprKind::Unary(op, operand) => {
                let value = self.eval(operand)?;
                match op {
                    UnaryOp::Neg => value.wrapping_neg(),
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::BitNot => !value,
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::Cond(condition, then, otherwise) => {
                if self.eval(condition)? != 0 {
                    self.eval(then)?
                } else {
                    self.eval(otherwise)?
                }
            }
            ExprKind::Run { proctype, args, priority } => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg)?);
                }
                self.create(proctype.0 as usize, &values, priority.unwrap_or(1))? as i32
            }
            ExprKind::Chan(op, chan) => self.channel_op(*op, chan)?,
            ExprKind::Poll { chan, args, random } => {
                let index = self.channel(chan)?;
                if self.state.channels[index].capacity == 0 {
                    return Err(FailureKind::PollOfRendezvous);
                }
                i32::from(self.find_message(index, args, *random)?.is_some())
            }
            ExprKind::Enabled(pid) => {
                let pid = self.eval(pid)?;
                self.enabled(pid)?
            }
            ExprKind::PcValue(pid) => {
                let pid = self.eval(pid)?;
                self.state.processes.get(pid as usize).map_or(0, |process| process.place as i32 + 1)
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.eval(pid)?;
                self.state.processes.get(pid as usize).map_or(0, |process| process.priority)
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let labelled = self.machine.bodies[proctype.0 as usize].labels[label.0 as usize];
                match self.remote(proctype.0 as usize, pid.as_deref())? {
                    Some(pid) => i32::from(Some(self.state.processes[pid].place) == labelled),
                    None => 0,
                }
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                match self.remote(proctype.0 as usize, pid.as_deref())? {
                    Some(pid) => {
                        let address = self.address(var, pid)?;
                        self.load(&address)
                    }
                    None => 0,
                }
            }
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<i32> {
        let left = self.eval(left)?;
        match op {
            BinaryOp::And if left == 0 => return Ok(0),
            BinaryOp::Or if left != 0 => return Ok(1),
            _ => {}
        }
        let right = self.eval(right)?;
        Ok(match op {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Sub => left.wrapping_sub(right),
            BinaryOp::Mul => left.wrapping_mul(right),
            BinaryOp::Div | BinaryOp::Rem if right == 0 => return Err(FailureKind::DivisionByZero),
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
            BinaryOp::And | BinaryOp::Or => i32::from(right != 0),
            BinaryOp::Shl => left.wrapping_shl(right as u32),
            BinaryOp::Shr => left.wrapping_shr(right as u32),
        })
    }

    fn channel_op(&mut self, op: ChannelOp, chan: &VarRef) -> Result<i32> {
        let index = self.channel(chan)?;
        let Channel { capacity, messages, .. } = &self.state.channels[index];
        let full = *capacity > 0 && messages.len() >= *capacity as usize;
        Ok(match op {
            ChannelOp::Len => messages.len() as i32,
            ChannelOp::Empty => i32::from(messages.is_empty()),
            ChannelOp::Nempty => i32::from(!messages.is_empty()),
            ChannelOp::Full => i32::from(full),
            ChannelOp::Nfull => i32::from(!full),
        })
    }

    /// Rule G7: whether the process has an executable statement, `provided` and priorities apart.
    fn enabled(&mut self, pid: i32) -> Result<i32> {
        if pid == self.pid as i32 {
            return Err(FailureKind::SelfReference);
        }
        if pid < 0 || pid as usize >= self.state.processes.len() {
            return Ok(0);
        }
        // Unlike Spin: see "Understood otherwise" in docs/differences.md.
        let may_move = self.machine.provided(&self.state, pid as usize)?;
        Ok(i32::from(may_move && !self.machine.own_steps(&self.state, pid as usize, self.timeout).is_empty()))
    }

    /// The process that a remote reference means.
    fn remote(&mut self, proctype: usize, pid: Option<&Expr>) -> Result<Option<usize>> {
        let Some(pid) = pid else {
            return Ok(self.state.processes.iter().position(|process| process.proctype == proctype));
        };
        let pid = self.eval(pid)?;
        let process = usize::try_from(pid).ok().and_then(|pid| self.state.processes.get(pid));
        Ok(process.filter(|process| process.proctype == proctype).map(|_| pid as usize))
    }

    /// The index of the channel that a variable holds.
    pub fn channel(&mut self, chan: &VarRef) -> Result<usize> {
        let number = self.read(chan)?;
        if number < 1 || number as usize > self.state.channels.len() {
            return Err(FailureKind::UninitialisedChannel);
        }
        Ok(number as usize - 1)
    }

    /// The message that a receive would take (rules V3, V6).
    pub fn find_message(&mut self, channel: usize, args: &[RecvArg], random: bool) -> Result<Option<usize>> {
        if args.len() != self.state.channels[channel].fields.len() {
            return Err(FailureKind::MessageArity);
        }
        let messages = self.state.channels[channel].messages.clone();
        let n_candidates = if random { messages.len() } else { messages.len().min(1) };
        for (k, message) in messages[..n_candidates].iter().enumerate() {
            if self.accepts(args, message)? {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// Whether a message has the values that a receive asks for.
    pub fn accepts(&mut self, args: &[RecvArg], message: &[i32]) -> Result<bool> {
        for (arg, &value) in args.iter().zip(message) {
            if let RecvArg::Match(expr) = arg
                && self.eval(expr)? != value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a variable.
    pub fn read(&mut self, var: &VarRef) -> Result<i32> {
        let address = self.address(var, self.pid)?;
        Ok(self.load(&address))
    }

    /// Assigns to a variable.
    pub fn write(&mut self, var: &VarRef, value: i32) -> Result<()> {
        if self.machine.program.vars[var.var.0 as usize].name == "_" {
            return Ok(());
        }
        let address = self.address(var, self.pid)?;
        self.store(&address, value);
        Ok(())
    }

    fn load(&self, address: &Address) -> i32 {
        match address.process {
            Some(pid) => self.state.processes[pid].locals[address.offset],
            None => self.state.globals[address.offset],
        }
    }

    fn store(&mut self, address: &Address, value: i32) {
        let value = match address.in_array {
            true => truncate_element(address.ty, value),
            false => truncate(address.ty, value),
        };
        match address.process {
            Some(pid) => self.state.processes[pid].locals[address.offset] = value,
            None => self.state.globals[address.offset] = value,
        }
    }

    /// Where a variable lies; a local is one of process `owner`.
    fn address(&mut self, var: &VarRef, owner: usize) -> Result<Address> {
        let program = self.machine.program;
        let process = match program.vars[var.var.0 as usize].owner {
            Owner::Global => None,
            _ => Some(owner),
        };
        let mut offset = 0;
        let mut here = var;
        loop {
            let decl = &program.vars[here.var.0 as usize];
            offset += self.machine.layout.offset(here.var).expect("the variable has a place");
            let index = match &here.index {
                Some(index) => self.eval(index)?,
                None => 0,
            };
            if index < 0 || index as u32 >= decl.array.unwrap_or(1) {
                return Err(FailureKind::IndexOutOfRange);
            }
            offset += index as usize * size_of_type(program, decl.ty);
            match &here.field {
                Some(field) => here = field,
                None => return Ok(Address { process, offset, ty: decl.ty, in_array: decl.array.is_some() }),
            }
        }
    }

    /// Adds a process (rules P2, P3). Its locals get their initial values one after the other.
    pub fn create(&mut self, proctype: usize, args: &[i32], priority: i32) -> Result<usize> {
        let machine = self.machine;
        let pid = self.state.processes.len();
        if pid >= MOST {
            return Err(FailureKind::TooManyProcesses);
        }
        let body = &machine.bodies[proctype];
        self.state.processes.push(Process {
            proctype,
            place: body.rest(body.start, body.places[body.start].atomic),
            locals: vec![0; machine.layout.n_locals[proctype]],
            priority,
            n_channels_before: self.state.channels.len(),
        });
        let creator = std::mem::replace(&mut self.pid, pid);
        let tree = &machine.program.proctypes[proctype];
        let types = scalar_types(machine.program, &tree.params);
        for (k, (&ty, &arg)) in types.iter().zip(args).enumerate() {
            self.process().locals[k] = truncate(ty, arg);
        }
        let mut result = Ok(());
        for &local in &tree.locals {
            let id = promela::tree::ProctypeId(proctype as u32);
            if starts_with_value(machine.program, id, local) {
                result = result.and_then(|()| self.initialise(local, Creation::Channels));
            }
        }
        self.pid = creator;
        result.map(|()| pid)
    }

    /// Gives a variable its initial value, all of it (rule C9, deviation D4).
    pub fn initialise(&mut self, var: VarId, creation: Creation) -> Result<()> {
        let program = self.machine.program;
        let process = match program.vars[var.0 as usize].owner {
            Owner::Global => None,
            _ => Some(self.pid),
        };
        let offset = self.machine.layout.offset(var).expect("the variable has a place");
        self.initialise_at(var, process, offset, creation)
    }

    fn initialise_at(
        &mut self,
        var: VarId,
        process: Option<usize>,
        offset: usize,
        creation: Creation,
    ) -> Result<()> {
        let program = self.machine.program;
        let decl = &program.vars[var.0 as usize];
        let size = size_of_type(program, decl.ty);
        let common = match &decl.init {
            Init::Expr(expr) => self.eval(expr)?,
            _ => 0,
        };
        for k in 0..decl.array.unwrap_or(1) as usize {
            let offset = offset + k * size;
            if let Type::Struct(typedef) = decl.ty {
                for &field in fields(program, typedef) {
                    let inside = self.machine.layout.offset(field).expect("the field has a place");
                    self.initialise_at(field, process, offset + inside, creation)?;
                }
                continue;
            }
            let value = match &decl.init {
                Init::None | Init::Expr(_) => common,
                Init::List(values) => *values.get(k).or(values.last()).unwrap_or(&0),
                Init::Chan(init) => match creation {
                    Creation::Channels => self.add_channel(new_channel(program, init))?,
                    Creation::None => continue,
                },
            };
            let address = Address { process, offset, ty: decl.ty, in_array: decl.array.is_some() };
            self.store(&address, value);
        }
        Ok(())
    }

    fn add_channel(&mut self, channel: Channel) -> Result<i32> {
        if self.state.channels.len() >= MOST {
            return Err(FailureKind::TooManyChannels);
        }
        self.state.channels.push(channel);
        Ok(self.state.channels.len() as i32)
    }
}

/// Whether channel initialisers make channels.
#[derive(Clone, Copy)]
pub enum Creation {
    /// They do: the variable is new.
    Channels,
    /// They do not: control passes the declaration.
    None,
}

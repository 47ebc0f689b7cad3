//! States and steps for people.

use model::{Message, Phase, Step, StepText, Value, Variable};

use super::apply::Execution;
use super::bits::read;
use super::eval::Env;
use super::{Interpreter, NOBODY};
use crate::layout::{Dim, Region, Slot};
use crate::program::{Comm, Command, Guarded, Meaning, Transition};

/// What a step does. `state` is the state before it.
pub fn step(interpreter: &Interpreter, step: &Step, state: &[u64]) -> StepText {
    let name = |pid: u16| {
        let process = interpreter.shape_of(state).processes.get(pid as usize)?.process;
        Some(interpreter.program.processes[process.0 as usize].name.clone())
    };
    let actor = step.action.actor;
    let pid = actor.who.pid();
    let transition = interpreter.transition(actor.transition);
    let receiver = step.action.partner().map(|partner| (partner, interpreter.transition(partner.transition)));
    let mut words = state.to_vec();
    let mut output = String::new();
    let mut failures = Vec::new();
    let mut execution = Execution::new(interpreter, &mut words, step.phase, &mut failures);
    execution.output = Some(&mut output);
    // A step that fails has still printed what it printed.
    let _ = execution.step(&step.action);
    StepText {
        process: name(pid),
        pid,
        partner: receiver.map(|(partner, _)| partner.who.pid()),
        partner_name: receiver.and_then(|(partner, _)| name(partner.who.pid())),
        file: interpreter.program.files.get(transition.source.file as usize).cloned().unwrap_or_default(),
        location: transition.source,
        action: transition.text.clone(),
        partner_action: receiver.map(|(_, receive)| (receive.source, receive.text.clone())),
        message: message(&interpreter.env(state, pid, step.phase), transition, receiver.is_some()),
        output,
    }
}

fn message(env: &Env<'_>, transition: &Transition, rendezvous: bool) -> Option<Message> {
    let Command::Guarded(Guarded { comm, .. }) = &transition.command else { return None };
    let (id, message, sent) = match comm {
        Comm::None => return None,
        Comm::Send(send) => {
            let passing = env.passing(send).ok()?;
            (passing.channel, passing.message, true)
        }
        Comm::Receive(receive) => {
            let id = env.eval(&receive.channel).ok()?;
            let (live, channel) = env.channel(id).ok()?;
            env.check_arity(receive.fields.len(), channel).ok()?;
            let taken = env.matching(receive, live, channel).ok()??;
            let message =
                (0..channel.fields.len()).map(|field| env.field(live, channel, taken, field)).collect();
            (id, message, false)
        }
    };
    let (_, channel) = env.channel(id).ok()?;
    let fields = message
        .iter()
        .zip(&channel.fields)
        .map(|(&value, field)| env.interpreter.value(field.meaning, value));
    Some(Message {
        channel: channel.name.clone(),
        id: id as u16,
        sent,
        received: rendezvous || !sent,
        fields: fields.collect(),
    })
}

/// The variables of a state that lie at least partly in the words that `wanted` picks.
pub fn variables(interpreter: &Interpreter, state: &[u64], wanted: &dyn Fn(u32) -> bool) -> Vec<Variable> {
    let program = &interpreter.program;
    let shape = interpreter.shape_of(state);
    let mut out = Vec::new();
    let mut teller = Teller { interpreter, state, wanted, out: &mut out };
    teller.region(0, &program.globals, "");
    for (pid, instance) in shape.processes.iter().enumerate() {
        let template = &program.processes[instance.process.0 as usize];
        teller.region(instance.frame, &template.frame, &format!("{}[{pid}].", template.name));
    }
    for index in 0..shape.channels.len() {
        teller.channel(index);
    }
    out
}

/// Collects the variables of a state.
struct Teller<'a> {
    interpreter: &'a Interpreter,
    state: &'a [u64],
    wanted: &'a dyn Fn(u32) -> bool,
    out: &'a mut Vec<Variable>,
}

impl Teller<'_> {
    fn region(&mut self, base: u32, region: &Region, prefix: &str) {
        if !(base..base + region.words()).any(|word| (self.wanted)(word)) {
            return;
        }
        for slot in region.slots.iter().filter(|slot| !slot.internal) {
            elements(&slot.dims, &mut Vec::new(), slot.offset, &mut |indices, offset| {
                if (self.wanted)(base + offset / 64) {
                    self.element(base, slot, prefix, indices, offset);
                }
            });
        }
    }

    fn element(&mut self, base: u32, slot: &Slot, prefix: &str, indices: &[u32], offset: u32) {
        let mut parts = slot.name.split("[]");
        let mut name = format!("{prefix}{}", parts.next().unwrap_or_default());
        for (index, part) in indices.iter().zip(parts) {
            name.push_str(&format!("[{index}]{part}"));
        }
        let value = read(self.state, base, offset, slot.width, slot.signed);
        let value = match slot.meaning {
            Meaning::Channel => channel_value(self.interpreter, self.state, value),
            meaning => self.interpreter.value(meaning, value),
        };
        // A channel under its own name is told by its contents.
        if slot.meaning != Meaning::Channel || value != Value::Name(name.clone()) {
            self.out.push(Variable { name, value });
        }
    }

    fn channel(&mut self, index: usize) {
        let env = self.interpreter.env(self.state, NOBODY, Phase::Normal);
        let live = &env.shape.channels[index];
        let channel = &self.interpreter.program.channels[live.channel.0 as usize];
        if !(live.start..live.start + channel.layout.words).any(|word| (self.wanted)(word)) {
            return;
        }
        let messages = (0..env.len(live, channel)).map(|message| {
            let values = env.message(live, channel, message).into_iter();
            values
                .zip(&channel.fields)
                .map(|(value, field)| self.interpreter.value(field.meaning, value))
                .collect()
        });
        let value = Value::Messages(messages.collect());
        self.out.push(Variable { name: channel_name(self.interpreter, self.state, index), value });
    }
}

/// `c` for a shared channel, `P[2].c` for one made with a process, with an index behind the name if
/// there are several of its type.
fn channel_name(interpreter: &Interpreter, state: &[u64], index: usize) -> String {
    let shape = interpreter.shape_of(state);
    let program = &interpreter.program;
    let name = |k: usize| &program.channels[shape.channels[k].channel.0 as usize].name;
    let owner = shape.processes.iter().rposition(|instance| instance.first_channel as usize <= index);
    let owner = owner.filter(|_| index >= program.global_channels.len());
    let first = owner.map_or(0, |pid| shape.processes[pid].first_channel as usize);
    let end = match owner {
        Some(pid) => {
            shape.processes.get(pid + 1).map_or(shape.channels.len(), |next| next.first_channel as usize)
        }
        None => program.global_channels.len(),
    };
    let same: Vec<usize> =
        (first..end).filter(|&k| shape.channels[k].channel == shape.channels[index].channel).collect();
    let base = match same.as_slice() {
        [_] => name(index).clone(),
        several => format!("{}[{}]", name(index), index - several[0]),
    };
    match owner {
        Some(pid) => {
            let process = shape.processes[pid].process.0 as usize;
            format!("{}[{pid}].{base}", program.processes[process].name)
        }
        None => base,
    }
}

/// The channel with a number, by its name.
fn channel_value(interpreter: &Interpreter, state: &[u64], number: i32) -> Value {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    match index.filter(|&index| index < interpreter.shape_of(state).channels.len()) {
        Some(index) => Value::Name(channel_name(interpreter, state, index)),
        None => Value::Int(i64::from(number)),
    }
}

/// The elements of an array: indices and offset of each.
fn elements(dims: &[Dim], indices: &mut Vec<u32>, offset: u32, visit: &mut dyn FnMut(&[u32], u32)) {
    let [dim, inner @ ..] = dims else {
        visit(indices, offset);
        return;
    };
    for k in 0..dim.len {
        indices.push(k);
        elements(inner, indices, offset + k * dim.stride, visit);
        indices.pop();
    }
}

impl Interpreter {
    fn value(&self, meaning: Meaning, value: i32) -> Value {
        match meaning {
            Meaning::Number | Meaning::Channel => Value::Int(i64::from(value)),
            Meaning::Name(set) => match self.find_name(set, value) {
                Some(name) => Value::Name(name.to_string()),
                None => Value::Int(i64::from(value)),
            },
        }
    }

    /// The name of a value in a set, or the value in decimal.
    pub(super) fn name_of(&self, set: u32, value: i32) -> String {
        self.find_name(set, value).map_or_else(|| value.to_string(), str::to_string)
    }

    fn find_name(&self, set: u32, value: i32) -> Option<&str> {
        let names = &self.program.names.get(set as usize)?.names;
        names.iter().find(|(_, v)| *v == value).map(|(name, _)| name.as_str())
    }
}

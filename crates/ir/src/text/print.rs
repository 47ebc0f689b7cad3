//! From programs to text.

use std::fmt::Write;

use model::Location;

use super::lex::quote;
use super::names::{
    CONJUNCT, Names, PC, PRIORITY, ProgramNames, UNARY, dense_strides, end_of_slot, is_free, is_path, is_word,
};
use crate::expr::Op;
use crate::layout::{GLOBALS_START, Region, Slot};
use crate::program::{
    Block, Channel, ChannelId, Comm, Command, ControlLocation, Event, EventKind, Guarded, Meaning, Monitor,
    Process, Program, Transition,
};

/// Writes a program down. [`super::parse()`] makes the same program of it, if it is one that
/// [`crate::verify()`] accepts.
pub fn print(program: &Program) -> String {
    let mut printer =
        Printer { names: ProgramNames::new(program), process: None, indent: 0, out: String::new() };
    printer.program(program);
    printer.out
}

pub struct Printer {
    pub names: ProgramNames,
    /// The template whose variables `.x` means.
    pub process: Option<u32>,
    indent: usize,
    out: String,
}

impl Printer {
    pub fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self, text: &str) {
        self.open_line();
        self.put(text);
        self.put("\n");
    }

    fn open_line(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// Writes what `body` writes between braces on lines of their own.
    fn braces(&mut self, body: impl FnOnce(&mut Printer)) {
        self.put("{\n");
        self.indent += 1;
        body(self);
        self.indent -= 1;
        self.open_line();
        self.put("}");
    }

    pub fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Printer, &T)) {
        for (k, one) in items.iter().enumerate() {
            if k > 0 {
                self.put(", ");
            }
            item(self, one);
        }
    }

    fn program(&mut self, program: &Program) {
        for file in &program.files {
            self.line(&format!("file {}", quote(file)));
        }
        for set in &program.names {
            let names = set.names.iter().map(|(name, value)| format!("{} = {value}", word_or_text(name)));
            let names: Vec<String> = names.collect();
            self.line(&format!("names {} {{ {} }}", quote(&set.name), names.join(", ")));
        }
        self.open_line();
        self.put("globals ");
        self.region(&program.globals, u64::from(GLOBALS_START));
        self.put("\n");
        program.channels.iter().for_each(|channel| self.channel(channel));
        self.channel_line("shared", &program.global_channels);
        self.flags(program);
        self.init(&program.init);
        if !program.start.is_empty() {
            self.put("start ");
            self.list(&program.start, |printer, start| {
                printer.process_name(start.process);
                if start.priority != 1 {
                    printer.put(&format!(" priority {}", start.priority));
                }
            });
            self.put("\n");
        }
        for (index, process) in program.processes.iter().enumerate() {
            self.put("\n");
            self.process(index, process);
        }
        program.monitor.iter().for_each(|monitor| self.monitor(monitor));
        for predicate in &program.predicates {
            self.put("predicate ");
            self.expr(&predicate.expr, 0);
            self.remark(&predicate.text, predicate.source);
            self.put("\n");
        }
    }

    fn flags(&mut self, program: &Program) {
        if let Some(last) = program.last {
            let slot = self.names.globals.reference(last);
            let line = format!("last {}", written(slot));
            self.line(&line);
        }
        if program.priorities {
            self.line("priorities");
        }
        if program.lossy {
            self.line("lossy");
        }
    }

    fn region(&mut self, region: &Region, start: u64) {
        let ends =
            region.slots.iter().map(|slot| end_of_slot(u64::from(slot.offset), slot.width, &slot.dims));
        if ends.fold(start, u64::max) != u64::from(region.bits) {
            self.put(&format!("bits {} ", region.bits));
        }
        self.braces(|printer| region.slots.iter().for_each(|slot| printer.slot(slot)));
    }

    fn slot(&mut self, slot: &Slot) {
        let lens = slot.dims.iter().map(|dim| format!("[{}]", dim.len));
        let mut line = if is_path(&slot.name, slot.dims.len()) {
            let parts: Vec<&str> = slot.name.split("[]").collect();
            let lens = lens.chain([String::new()]);
            parts.iter().zip(lens).map(|(part, len)| format!("{part}{len}")).collect()
        } else {
            format!("{}{}", quote(&slot.name), lens.collect::<String>())
        };
        let _ = write!(line, ": {}", type_name(slot.width, slot.signed, slot.meaning));
        let _ = write!(line, " @{}", slot.offset);
        let lens: Vec<u32> = slot.dims.iter().map(|dim| dim.len).collect();
        let strides: Vec<u64> = slot.dims.iter().map(|dim| u64::from(dim.stride)).collect();
        if strides != dense_strides(&lens, slot.width) {
            let strides: Vec<String> = strides.iter().map(u64::to_string).collect();
            let _ = write!(line, " stride {}", strides.join(", "));
        }
        line.push_str(if slot.internal { " internal;" } else { ";" });
        self.line(&line);
    }

    fn channel(&mut self, channel: &Channel) {
        let fields = channel.fields.iter().map(|field| type_name(field.width, field.signed, field.meaning));
        let fields: Vec<String> = fields.collect();
        let name = free_or_text(&channel.name);
        self.line(&format!("channel {name} [{}] of {{ {} }}", channel.capacity, fields.join(", ")));
    }

    fn channel_line(&mut self, word: &str, channels: &[ChannelId]) {
        if !channels.is_empty() {
            self.open_line();
            self.put(word);
            self.put(" ");
            self.list(channels, |printer, channel| {
                let name = printer.names.channels.quoted(channel.0);
                printer.put(&name);
            });
            self.put("\n");
        }
    }

    fn init(&mut self, ops: &[Op]) {
        if !ops.is_empty() {
            self.open_line();
            self.put("init ");
            self.braces(|printer| {
                for op in ops {
                    printer.open_line();
                    printer.op(op);
                    printer.put(";\n");
                }
            });
            self.put("\n");
        }
    }

    fn process(&mut self, index: usize, process: &Process) {
        self.put(&format!("process {} ", free_or_text(&process.name)));
        if process.deterministic {
            self.put("deterministic ");
        }
        self.put(&source(process.source));
        self.process = Some(index as u32);
        self.braces(|printer| printer.process_body(index, process));
        self.process = None;
        self.put("\n");
    }

    fn process_body(&mut self, index: usize, process: &Process) {
        self.open_line();
        self.put("frame ");
        self.region(&process.frame, 0);
        self.put("\n");
        let names = &self.names.frames[index];
        let mut lines = Vec::new();
        if default_slot(names, PC) != Some(process.pc) {
            lines.push(format!("pc {}", written(names.reference(process.pc))));
        }
        if default_slot(names, PRIORITY) != process.priority {
            let slot = process.priority.map_or("none".into(), |slot| written(names.reference(slot)));
            lines.push(format!("priority {slot}"));
        }
        lines.iter().for_each(|line| self.line(line));
        if !process.params.is_empty() {
            self.open_line();
            self.put("params ");
            self.list(&process.params, Printer::place);
            self.put("\n");
        }
        self.channel_line("channels", &process.channels);
        self.init(&process.init);
        if let Some(condition) = &process.provided {
            self.open_line();
            self.put("provided ");
            self.expr(condition, 0);
            self.put("\n");
        }
        self.locations(&process.locations);
    }

    fn monitor(&mut self, monitor: &Monitor) {
        self.put("\nmonitor ");
        if monitor.forbidden {
            self.put("forbidden ");
        }
        let slot = written(self.names.globals.reference(monitor.slot));
        self.put(&format!("slot {slot} "));
        self.put(&source(monitor.source));
        self.braces(|printer| {
            printer.scope(&monitor.scope);
            for (index, location) in monitor.locations.iter().enumerate() {
                printer.open_line();
                printer.put(&format!("location {index} "));
                printer.put(if location.end { "end " } else { "" });
                printer.put(if location.stop { "stop " } else { "" });
                printer.braces(|printer| {
                    location.silent.iter().for_each(|target| printer.line(&format!("-> {target};")));
                    location.events.iter().for_each(|event| printer.event(event));
                });
                printer.put("\n");
            }
        });
        self.put("\n");
    }

    fn scope(&mut self, scope: &[EventKind]) {
        if !scope.is_empty() {
            self.open_line();
            self.put("scope ");
            self.list(scope, |printer, kind| printer.event_kind(kind));
            self.put(";\n");
        }
    }

    fn event_kind(&mut self, kind: &EventKind) {
        self.expr(&kind.channel, UNARY);
        self.put(if kind.send { " !" } else { " ?" });
    }

    fn event(&mut self, event: &Event) {
        self.open_line();
        self.event_kind(&event.kind);
        self.put(" ");
        self.list(&event.fields, |printer, field| match field {
            Some(expr) => printer.expr(expr, 0),
            None => printer.put("_"),
        });
        self.put(&format!(" -> {}", event.target));
        if let Some(escape) = event.escape {
            self.put(&format!(" escape {escape}"));
        }
        self.put(";\n");
    }

    fn locations(&mut self, locations: &[ControlLocation]) {
        for (index, location) in locations.iter().enumerate() {
            self.open_line();
            self.put(&format!("location {index} "));
            if location.number as usize != index {
                self.put(&format!("#{} ", location.number));
            }
            location.labels.iter().for_each(|label| self.put(&format!("{} ", quote(label))));
            let marks =
                [(location.end, "end "), (location.progress, "progress "), (location.accept, "accept ")];
            marks.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| self.put(word));
            self.put(&source(location.source));
            self.transitions(&location.transitions);
        }
    }

    fn transitions(&mut self, transitions: &[Transition]) {
        self.braces(|printer| transitions.iter().for_each(|transition| printer.transition(transition)));
        self.put("\n");
    }

    fn transition(&mut self, transition: &Transition) {
        self.open_line();
        match &transition.command {
            Command::Guarded(guarded) => self.guarded(guarded),
            Command::Else { since: 0 } => self.put("else "),
            Command::Else { since } => self.put(&format!("else since {since} ")),
            Command::Terminate => self.put("terminate "),
            Command::Block(block) => self.block(block),
        }
        match transition.target {
            Block::EXIT => self.put("-> exit"),
            target => self.put(&format!("-> {}", target.0)),
        }
        if transition.chain {
            self.put(" chain");
        }
        if let Some(escape) = transition.escape {
            self.put(&format!(" escape {escape}"));
        }
        self.remark(&transition.text, transition.source);
        self.put(";\n");
    }

    fn block(&mut self, block: &Block) {
        self.put("block ");
        self.braces(|printer| {
            for (index, transitions) in block.locations.iter().enumerate() {
                printer.open_line();
                printer.put(&format!("location {index} "));
                printer.transitions(transitions);
            }
        });
        self.put(" ");
    }

    fn guarded(&mut self, guarded: &Guarded) {
        if !guarded.guard.is_empty() {
            self.put("[");
            for (k, conjunct) in guarded.guard.iter().enumerate() {
                self.put(if k > 0 { " && " } else { "" });
                self.expr(conjunct, CONJUNCT);
            }
            self.put("] ");
        }
        match &guarded.comm {
            Comm::None => {}
            Comm::Send(send) => {
                self.expr(&send.channel, UNARY);
                self.put(if send.sorted { " !! " } else { " ! " });
                self.list(&send.fields, |printer, field| printer.expr(field, 0));
                self.put(" ");
            }
            Comm::Receive(receive) => {
                self.receive(receive);
                self.put(" ");
            }
        }
        if !guarded.effect.is_empty() {
            self.put("{ ");
            for (k, op) in guarded.effect.iter().enumerate() {
                self.put(if k > 0 { "; " } else { "" });
                self.op(op);
            }
            self.put(" } ");
        }
    }
}

/// The slot with a name that only it has.
pub fn default_slot(names: &Names, name: &str) -> Option<u32> {
    names.find(name).filter(|(_, alone)| *alone).map(|(slot, _)| slot)
}

pub fn written((name, number): (&str, Option<u32>)) -> String {
    match number {
        Some(number) => format!("{name}#{number}"),
        None => name.to_string(),
    }
}

fn word_or_text(name: &str) -> String {
    if is_word(name) { name.to_string() } else { quote(name) }
}

fn free_or_text(name: &str) -> String {
    if is_word(name) && is_free(name) { name.to_string() } else { quote(name) }
}

fn type_name(width: u8, signed: bool, meaning: Meaning) -> String {
    let sign = if signed { "i" } else { "u" };
    match meaning {
        Meaning::Number => format!("{sign}{width}"),
        Meaning::Name(set) => format!("{sign}{width} names {set}"),
        Meaning::Channel => format!("{sign}{width} chan"),
    }
}

/// `@line:column ` or `@file:line:column `; nothing for no place.
pub fn source(place: Location) -> String {
    match place {
        Location { file: 0, line: 0, column: 0 } => String::new(),
        Location { file: 0, line, column } => format!("@{line}:{column} "),
        Location { file, line, column } => format!("@{file}:{line}:{column} "),
    }
}

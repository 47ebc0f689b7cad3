//! From text to programs.
//!
//! Names may be used in front of their declaration, so a text is read twice: first what declares
//! variables, channels and processes, then the rest.

use model::Location;

use super::declare::{declarations, item, skip_item};
use super::lex::{Token, lex};
use super::names::{Names, PC, PRIORITY, ProgramNames};
use super::parse_expr::find;
use super::print::default_slot;
use super::stream::{Result, Stream};
use crate::expr::{Base, Expr};
use crate::layout::Region;
use crate::program::{
    Block, ChannelId, Command, ControlLocation, Event, EventKind, Guarded, LocationId, Monitor,
    MonitorLocation, Predicate, Process, Program, Start, Transition,
};

/// Reads a program. It is well formed; whether it makes sense is for [`crate::verify()`] to say.
///
/// # Errors
/// The first place where the text is not in the form that [`super::print()`] writes.
pub fn parse(text: &str) -> Result<Program> {
    let tokens = lex(text)?;
    let declared = declarations(Stream::new(&tokens))?;
    let names = ProgramNames::new(&declared);
    let stream = Stream::new(&tokens);
    let mut parser =
        Parser { stream, declared: &declared, names: &names, process: None, nesting: 0, height: 0 };
    parser.program()
}

/// Reads an expression about a program that belongs to none of its processes, as its predicates are written.
///
/// # Errors
/// The first place where the text is not such an expression.
pub fn parse_condition(text: &str, program: &Program) -> Result<Expr> {
    let tokens = lex(text)?;
    let names = ProgramNames::new(program);
    let stream = Stream::new(&tokens);
    let mut parser =
        Parser { stream, declared: program, names: &names, process: None, nesting: 0, height: 0 };
    let expr = parser.expr()?;
    match parser.stream.peek() {
        Token::End => Ok(expr),
        _ => parser.stream.expected("an operator or the end of the expression"),
    }
}

/// Reads what uses names.
pub struct Parser<'t> {
    pub stream: Stream<'t>,
    /// What has been declared.
    pub declared: &'t Program,
    pub names: &'t ProgramNames,
    /// The template whose variables `.x` means.
    pub process: Option<usize>,
    /// How many expressions are being read, one inside the other.
    pub nesting: usize,
    /// The height of the highest expression read at this level.
    pub height: usize,
}

impl Parser<'_> {
    fn program(&mut self) -> Result<Program> {
        let mut program = self.declared.clone();
        let mut n_processes = 0;
        while *self.stream.peek() != Token::End {
            match item(&mut self.stream)? {
                "shared" => program.global_channels.extend(self.channels()?),
                "init" => program.init.extend(self.effect()?),
                "start" => program.start.extend(self.starts()?),
                "last" => program.last = Some(self.global_slot()?),
                "priorities" => program.priorities = true,
                "lossy" => program.lossy = true,
                "monitor" => program.monitor = Some(self.monitor()?),
                "predicate" => program.predicates.push(self.predicate()?),
                "process" => {
                    self.process = Some(n_processes);
                    self.process_body(&mut program.processes[n_processes])?;
                    self.process = None;
                    n_processes += 1;
                }
                _ => skip_item(&mut self.stream)?,
            }
            self.stream.take_sign(";");
        }
        Ok(program)
    }

    fn predicate(&mut self) -> Result<Predicate> {
        let expr = self.expr()?;
        let text = self.stream.text().unwrap_or_default();
        Ok(Predicate { expr, text, source: self.source()? })
    }

    fn starts(&mut self) -> Result<Vec<Start>> {
        let mut starts = Vec::new();
        loop {
            let process = self.process_name()?;
            starts.push(Start { process, priority: self.start_priority()? });
            if !self.stream.take_sign(",") {
                return Ok(starts);
            }
        }
    }

    /// The priority of a new process; 1 if nothing is said.
    pub fn start_priority(&mut self) -> Result<u8> {
        if self.stream.take_word("priority") { self.stream.small() } else { Ok(1) }
    }

    fn channels(&mut self) -> Result<Vec<ChannelId>> {
        let (names, count) = (&self.names.channels, self.declared.channels.len());
        self.stream.list(|stream| {
            let start = *stream;
            let name = if stream.is_sign("#") { String::new() } else { stream.word_or_text("a channel")? };
            let number = if stream.take_sign("#") { Some(stream.number()?) } else { None };
            find(names, ("channel", count), &name, number, start).map(ChannelId)
        })
    }

    /// A shared variable, as a slot.
    fn global_slot(&mut self) -> Result<u32> {
        let start = self.stream;
        let place = self.place()?;
        if place.base == Base::Global { Ok(place.slot) } else { start.expected("a shared variable") }
    }

    /// A variable as a slot: `x`, `a[]`, `t.f`, with its number if it needs one.
    fn slot(&mut self, names: &Names, region: &Region) -> Result<u32> {
        let start = self.stream;
        let mut name = String::new();
        if !self.stream.is_sign("#") {
            name.push_str(self.stream.word("a variable")?);
            loop {
                if self.stream.take_sign("[") {
                    self.stream.sign("]")?;
                    name.push_str("[]");
                } else if self.stream.take_sign(".") {
                    name.push('.');
                    name.push_str(self.stream.word("the name of a field")?);
                } else {
                    break;
                }
            }
        }
        let number = if self.stream.take_sign("#") { Some(self.stream.number()?) } else { None };
        find(names, ("variable", region.slots.len()), &name, number, start)
    }

    /// A variable of the frame, as a slot.
    fn frame_slot(&mut self, process: usize) -> Result<u32> {
        self.slot(&self.names.frames[process], &self.declared.processes[process].frame)
    }

    fn process_body(&mut self, process: &mut Process) -> Result<()> {
        let start = self.stream;
        let index = self.process.unwrap_or_default();
        self.stream.word_or_text("the name of a process")?;
        process.deterministic = self.stream.take_word("deterministic");
        process.source = self.source()?;
        self.stream.sign("{")?;
        let mut pc = default_slot(&self.names.frames[index], PC);
        process.priority = default_slot(&self.names.frames[index], PRIORITY);
        while !self.stream.take_sign("}") {
            match *self.stream.peek() {
                Token::Word("frame") => self.stream.skip_braces()?,
                Token::Word("location") => self.location(&mut process.locations)?,
                Token::Word("init") => {
                    self.stream.next();
                    process.init.extend(self.effect()?);
                }
                Token::Word("pc") => {
                    self.stream.next();
                    pc = Some(self.frame_slot(index)?);
                }
                Token::Word("priority") => {
                    self.stream.next();
                    let is_none = self.stream.take_word("none");
                    process.priority = if is_none { None } else { Some(self.frame_slot(index)?) };
                }
                Token::Word("params") => {
                    self.stream.next();
                    process.params.push(self.place()?);
                    while self.stream.take_sign(",") {
                        process.params.push(self.place()?);
                    }
                }
                Token::Word("channels") => {
                    self.stream.next();
                    process.channels.extend(self.channels()?);
                }
                Token::Word("provided") => {
                    self.stream.next();
                    process.provided = Some(self.expr()?);
                }
                _ => return self.stream.expected("a part of a process, such as 'location'"),
            }
            self.stream.take_sign(";");
        }
        match pc {
            Some(pc) => process.pc = pc,
            None => {
                return start
                    .error("this process has no variable for its location: '_p', or say which by 'pc'");
            }
        }
        Ok(())
    }

    fn monitor(&mut self) -> Result<Monitor> {
        let forbidden = self.stream.take_word("forbidden");
        if !self.stream.take_word("slot") {
            return self.stream.expected("'slot'");
        }
        let slot = self.slot(&self.names.globals, &self.declared.globals)?;
        let source = self.source()?;
        let (mut scope, mut locations) = (Vec::new(), Vec::new());
        self.stream.sign("{")?;
        if self.stream.take_word("scope") {
            scope.push(self.event_kind()?);
            while self.stream.take_sign(",") {
                scope.push(self.event_kind()?);
            }
            self.stream.sign(";")?;
        }
        while !self.stream.take_sign("}") {
            self.location_number(locations.len())?;
            let mut location = MonitorLocation {
                end: self.stream.take_word("end"),
                stop: self.stream.take_word("stop"),
                ..MonitorLocation::default()
            };
            self.stream.sign("{")?;
            while !self.stream.take_sign("}") {
                match self.stream.take_sign("->") {
                    true => location.silent.push(self.stream.number()?),
                    false => location.events.push(self.event()?),
                }
                self.stream.sign(";")?;
            }
            locations.push(location);
        }
        Ok(Monitor { forbidden, slot, scope, locations, source })
    }

    fn event_kind(&mut self) -> Result<EventKind> {
        let channel = self.channel()?;
        let send = self.stream.take_sign("!");
        if !send {
            self.stream.sign("?")?;
        }
        Ok(EventKind { send, channel })
    }

    fn event(&mut self) -> Result<Event> {
        let kind = self.event_kind()?;
        let mut fields = Vec::new();
        while !self.stream.is_sign("->") {
            let is_any = self.stream.take_word("_");
            fields.push(if is_any { None } else { Some(self.expr()?) });
            if !self.stream.take_sign(",") {
                break;
            }
        }
        self.stream.sign("->")?;
        let target = self.stream.number()?;
        Ok(Event { kind, fields, target, escape: self.escape()? })
    }

    /// Takes `location` and the number that comes next.
    fn location_number(&mut self, expected: usize) -> Result<()> {
        if !self.stream.take_word("location") {
            return self.stream.expected("'location' or '}'");
        }
        let before = self.stream;
        let number = self.stream.number()?;
        if number as usize != expected {
            return before.error(format!("locations are counted: here comes location {expected}"));
        }
        Ok(())
    }

    fn location(&mut self, locations: &mut Vec<ControlLocation>) -> Result<()> {
        self.location_number(locations.len())?;
        let mut location = ControlLocation { number: locations.len() as u32, ..ControlLocation::default() };
        if self.stream.take_sign("#") {
            location.number = self.stream.number()?;
        }
        loop {
            if let Some(label) = self.stream.text() {
                location.labels.push(label);
            } else if self.stream.take_word("end") {
                location.end = true;
            } else if self.stream.take_word("progress") {
                location.progress = true;
            } else if self.stream.take_word("accept") {
                location.accept = true;
            } else {
                break;
            }
        }
        location.source = self.source()?;
        location.transitions = self.transitions(false)?;
        locations.push(location);
        Ok(())
    }

    fn transitions(&mut self, in_block: bool) -> Result<Vec<Transition>> {
        self.stream.sign("{")?;
        let mut transitions = Vec::new();
        while !self.stream.take_sign("}") {
            transitions.push(self.transition(in_block)?);
            if !self.stream.take_sign(";") && !self.stream.is_sign("}") {
                return self.stream.expected("';' or '}'");
            }
        }
        Ok(transitions)
    }

    fn transition(&mut self, in_block: bool) -> Result<Transition> {
        let command = self.command(in_block)?;
        let mut target = LocationId(0);
        if command != Command::Terminate || self.stream.is_sign("->") {
            self.stream.sign("->")?;
            let before = self.stream;
            target = match self.stream.take_word("exit") {
                true if in_block => Block::EXIT,
                true => return before.error("only a block has an exit"),
                false => LocationId(self.stream.number()?),
            };
        }
        let chain = self.stream.take_word("chain");
        let escape = self.escape()?;
        let text = self.stream.text().unwrap_or_default();
        Ok(Transition { command, target, chain, escape, text, source: self.source()? })
    }

    fn escape(&mut self) -> Result<Option<u32>> {
        if self.stream.take_word("escape") { self.stream.number().map(Some) } else { Ok(None) }
    }

    fn command(&mut self, in_block: bool) -> Result<Command> {
        if self.stream.take_word("else") {
            let since = if self.stream.take_word("since") { self.stream.number()? } else { 0 };
            return Ok(Command::Else { since });
        }
        if !in_block && self.stream.take_word("terminate") {
            return Ok(Command::Terminate);
        }
        if !in_block && self.stream.take_word("block") {
            return self.block();
        }
        let mut guarded = Guarded::default();
        if self.stream.take_sign("[") {
            guarded.guard = self.conjuncts()?;
            self.stream.sign("]")?;
        }
        if !self.stream.is_sign("{") && !self.stream.is_sign("->") {
            guarded.comm = self.comm()?;
        }
        if self.stream.is_sign("{") {
            guarded.effect = self.effect()?;
        }
        Ok(Command::Guarded(guarded))
    }

    fn block(&mut self) -> Result<Command> {
        self.stream.sign("{")?;
        let mut locations = Vec::new();
        while !self.stream.take_sign("}") {
            self.location_number(locations.len())?;
            locations.push(self.transitions(true)?);
        }
        Ok(Command::Block(Block { locations }))
    }

    /// `@line:column`, `@file:line:column` or nothing.
    pub fn source(&mut self) -> Result<Location> {
        if !self.stream.take_sign("@") {
            return Ok(Location::default());
        }
        let start = self.stream;
        let first = self.stream.number()?;
        self.stream.sign(":")?;
        let second = self.stream.number()?;
        if !self.stream.take_sign(":") {
            return Ok(Location { file: 0, line: first, column: second });
        }
        let column = self.stream.number()?;
        match u16::try_from(first) {
            Ok(file) => Ok(Location { file, line: second, column }),
            Err(_) => start.error("there are at most 65536 files"),
        }
    }
}

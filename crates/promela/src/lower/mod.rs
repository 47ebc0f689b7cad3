//! The translation of a syntax tree to ir.
//!
//! Statements become a graph of elements ([`flow`]), in which atomic blocks and escapes are marked
//! ([`structure`]), the graph an automaton with Spin's locations ([`automaton`]), variables become
//! slots ([`regions`]), and the statements on the automaton's edges become guarded commands
//! ([`command`], [`expr`]). Formulas and never claims become properties over predicates
//! ([`property`], [`claim`], [`condition`]).
//!
//! State counts and the values of `pc_value` depend on which places of the text are locations of their own: where a
//! `goto` takes no step, or where the options of an `if` inside an `atomic` meet. That is why the translation goes
//! through the same graph of elements as Spin's. `cargo xtask conformance --automata` compares the result with the
//! automata that `pan -d` prints, location by location.

mod automaton;
mod claim;
mod command;
mod condition;
mod expr;
pub(crate) mod flow;
mod monitor;
mod property;
mod regions;
mod structure;

use ir::{Channel, ChannelId, ChannelLayout, ControlLocation, Expr, Field, Op, Region, Start};
use model::{Over, Pace, Patience, PredicateId};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use crate::reports::Refused;
use crate::tree::{Body, ChanInit, Program, StmtKind, Type, VarId};
use automaton::Automaton;
use regions::{Initialise, Path, RegionBuilder};

pub use claim::NeverClaim;
pub use property::{Property, PropertyKind};

/// A program and what is claimed about it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program, with the predicates of the properties.
    pub program: ir::Program,
    /// The never claims, then the formulas, each in textual order.
    pub properties: Vec<Property>,
    /// The claims and formulas that cannot be represented: they are not among the properties.
    pub refused: Vec<Refused>,
    /// What formulas that are conditions have become; none for one that has temporal operators.
    pub conditions: Vec<Option<PredicateId>>,
}

/// What cannot be represented, or a translation.
type Translated<T> = Result<T, Vec<Diagnostic>>;

/// Translates a program without its formulas and never claims, however long it takes.
///
/// # Errors
/// What cannot be represented, such as an array of a billion elements.
pub fn lower(program: &Program) -> Result<ir::Program, Vec<Diagnostic>> {
    let patience = Patience::default();
    let translate = |mut lowering: Lowering<'_, '_>| {
        let lowered = lowering.translate()?;
        Ok(lowering.unless_wrong(lowered))
    };
    lowering(program, &patience, translate).expect("nothing ends a patience without limits")
}

/// Translates a program together with its formulas and never claims.
///
/// # Errors
/// If it takes longer than there is patience; inside that, what cannot be represented, such as a formula over more
/// conditions than a word has bits.
pub fn lower_with_properties(
    program: &Program,
    patience: &Patience,
) -> Result<Result<Lowered, Vec<Diagnostic>>, Over> {
    let strictly = |mut lowered: Lowered| match lowered.refused.is_empty() {
        true => Ok(lowered),
        false => Err(lowered.refused.drain(..).flat_map(|refused| refused.diagnostics).collect()),
    };
    Ok(lower_with_conditions(program, 0, patience)?.and_then(strictly))
}

/// The same, if so many of the last formulas are conditions on one state, or numbers: each of these becomes one predicate,
/// and no property. Claims and formulas that cannot be represented are left out.
///
/// # Errors
/// If it takes longer than there is patience; inside that, what of the rest cannot be represented.
pub fn lower_with_conditions(
    program: &Program,
    n_conditions: usize,
    patience: &Patience,
) -> Result<Result<Lowered, Vec<Diagnostic>>, Over> {
    lowering(program, patience, |mut lowering| {
        let mut lowered = lowering.translate()?;
        let (formulas, conditions) = program.ltl.split_at(program.ltl.len().saturating_sub(n_conditions));
        let properties = lowering.properties(formulas)?;
        let conditions = conditions.iter().map(|condition| lowering.condition(condition));
        let conditions = conditions.collect::<Result<_, _>>()?;
        lowering.check_predicates();
        lowered.predicates = std::mem::take(&mut lowering.predicates);
        let refused = std::mem::take(&mut lowering.refused);
        Ok(lowering.unless_wrong(Lowered { program: lowered, properties, refused, conditions }))
    })
}

/// Goes on with what is needed for any translation, if there is nothing wrong so far.
fn lowering<'t, 'p, T>(
    program: &'t Program,
    patience: &'p Patience,
    go_on: impl FnOnce(Lowering<'t, 'p>) -> Result<Translated<T>, Over>,
) -> Result<Translated<T>, Over> {
    patience.check()?;
    let lowering = Lowering::new(program, patience)?;
    if lowering.errors.is_empty() { go_on(lowering) } else { Ok(Err(lowering.errors)) }
}

type Slots = FxHashMap<Path, u32>;

pub(crate) struct Lowering<'t, 'p> {
    program: &'t Program,
    pace: Pace<'p>,
    automata: Vec<Automaton<'t>>,
    trace: Option<Automaton<'t>>,
    /// The slot of the monitor's locations.
    event: Option<u32>,
    globals: (Region, Slots),
    frames: Vec<(Region, Slots)>,
    last: Option<u32>,
    channels: Vec<Channel>,
    /// The positions of those of each name.
    channels_named: FxHashMap<String, Vec<u32>>,
    /// The predicates of the properties, each one once.
    predicates: Vec<ir::Predicate>,
    errors: Vec<Diagnostic>,
    /// The claims and formulas with errors of their own.
    refused: Vec<Refused>,
}

/// The slot of the control location in every frame.
const PC: u32 = 0;
/// The slot of the priority, if there are priorities.
const PRIORITY: u32 = 1;

impl<'t, 'p> Lowering<'t, 'p> {
    /// Builds the automata and gives every variable its slot.
    fn new(program: &'t Program, patience: &'p Patience) -> Result<Lowering<'t, 'p>, Over> {
        let mut pace = patience.pace();
        let bodies = program.proctypes.iter().map(|proctype| &proctype.body);
        let automata = bodies.map(|body| automaton_of(program, body, &mut pace)).collect::<Result<_, _>>()?;
        let trace = program.trace.as_ref().map(|trace| automaton_of(program, &trace.body, &mut pace));
        let mut lowering = Lowering {
            program,
            pace,
            automata,
            trace: trace.transpose()?,
            event: None,
            globals: Default::default(),
            frames: Vec::new(),
            last: None,
            channels: Vec::new(),
            channels_named: FxHashMap::default(),
            predicates: Vec::new(),
            errors: Vec::new(),
            refused: Vec::new(),
        };
        lowering.lay_out()?;
        Ok(lowering)
    }

    fn unless_wrong<T>(self, result: T) -> Translated<T> {
        if self.errors.is_empty() { Ok(result) } else { Err(self.errors) }
    }

    /// Gives every variable its slot.
    fn lay_out(&mut self) -> Result<(), Over> {
        let mut globals = RegionBuilder::globals();
        if self.program.uses_last {
            self.last = Some(globals.internal("_last", 255));
        }
        if let Some(trace) = &self.trace {
            self.event = Some(globals.internal_set("_event", trace.locations.len() as u32));
        }
        self.globals = self.region(globals, &self.program.globals)?;
        for (process, proctype) in self.program.proctypes.iter().enumerate() {
            let mut frame = RegionBuilder::default();
            frame.internal("_p", self.automata[process].locations.len() as u32);
            if self.program.uses_priority {
                frame.internal("_priority", 255);
            }
            let vars: Vec<VarId> = proctype.params.iter().chain(&proctype.locals).copied().collect();
            let frame = self.region(frame, &vars)?;
            self.frames.push(frame);
        }
        Ok(())
    }

    fn region(&mut self, mut builder: RegionBuilder, vars: &[VarId]) -> Result<(Region, Slots), Over> {
        for &var in vars {
            self.pace.step()?;
            let decl = &self.program.vars[var.0 as usize];
            if decl.name != "_" && builder.add(self.program, var).is_none() {
                let message = format!("the variables up to '{}' take more than a state can hold", decl.name);
                self.errors.push(too_large(message, decl.span));
                break;
            }
        }
        Ok(builder.finish())
    }

    fn translate(&mut self) -> Result<ir::Program, Over> {
        let program = self.program;
        let mut global_channels = Vec::new();
        let mut init = Vec::new();
        for &var in &program.globals {
            let ops = self.initialisers(var, Initialise::New, &mut |lowering, name, chan| {
                global_channels.push(lowering.channel(name, chan)?);
                Some(Expr::Const(global_channels.len() as i32))
            })?;
            init.extend(ops);
        }
        if let (Some(_), Some(&var)) = (global_channels.get(ir::MAX_CHANNELS), program.globals.first()) {
            let message = format!("{} global channels, but a state holds at most 255", global_channels.len());
            self.errors.push(too_large(message, program.vars[var.0 as usize].span));
        }
        let trace = program.trace.as_ref().zip(self.trace.take()).zip(self.event);
        let monitor = trace.map(|((trace, automaton), slot)| self.monitor(trace, &automaton, slot));
        let monitor = monitor.transpose()?;
        let processes = 0..program.proctypes.len();
        let processes = processes.map(|process| self.process(process)).collect::<Result<_, _>>()?;
        let start = program.proctypes.iter().enumerate().flat_map(|(process, proctype)| {
            let priority = proctype.priority.unwrap_or(1).clamp(1, 255) as u8;
            let start = Start { process: ir::ProcessId(process as u32), priority };
            std::iter::repeat_n(start, proctype.active as usize)
        });
        Ok(ir::Program {
            files: program.sources.files.iter().map(|file| file.name.clone()).collect(),
            names: program
                .mtypes
                .iter()
                .map(|set| ir::NameSet {
                    name: set.name.clone().unwrap_or_default(),
                    names: set.names.clone(),
                })
                .collect(),
            globals: self.globals.0.clone(),
            channels: std::mem::take(&mut self.channels),
            global_channels,
            init,
            processes,
            start: start.collect(),
            last: self.last,
            priorities: program.uses_priority,
            lossy: false,
            monitor,
            predicates: Vec::new(),
        })
    }

    fn process(&mut self, process: usize) -> Result<ir::Process, Over> {
        let proctype = &self.program.proctypes[process];
        let mut channels = Vec::new();
        let mut init: Vec<Op> = Vec::new();
        let opening = opening_declarations(&proctype.body);
        for &var in &proctype.locals {
            let how = if opening.contains(&var) { Initialise::New } else { Initialise::ChannelsOnly };
            let ops = self.initialisers(var, how, &mut |lowering, name, chan| {
                channels.push(lowering.channel(name, chan)?);
                Some(Expr::OwnChannel(channels.len() as u32 - 1))
            })?;
            init.extend(ops);
        }
        let params = proctype.params.iter().flat_map(|&var| self.places(var)).collect();
        let locations = 0..self.automata[process].locations.len();
        let locations = locations.map(|k| self.location(process, k)).collect::<Result<_, _>>()?;
        Ok(ir::Process {
            name: proctype.name.clone(),
            frame: self.frames[process].0.clone(),
            pc: PC,
            priority: self.program.uses_priority.then_some(PRIORITY),
            params,
            channels,
            init,
            locations,
            provided: proctype.provided.as_ref().map(|condition| self.expr(condition)),
            deterministic: proctype.deterministic,
            source: self.program.locate(proctype.span),
        })
    }

    fn location(&mut self, process: usize, k: usize) -> Result<ControlLocation, Over> {
        let automaton = &self.automata[process];
        let elem = automaton.locations[k];
        let element = &automaton.flow.elements[elem];
        let labels = &self.program.proctypes[process].body.labels;
        let (marks, edges) = (automaton.marks[elem], automaton.edges[elem].clone());
        let location = ControlLocation {
            number: element.number,
            labels: element.labels.iter().map(|label| labels[label.0 as usize].name.clone()).collect(),
            end: marks.end,
            progress: marks.progress,
            accept: marks.accept,
            transitions: Vec::new(),
            source: self.program.locate(element.span),
        };
        let transitions =
            edges.iter().map(|edge| self.transition(process, edge)).collect::<Result<_, _>>()?;
        Ok(ControlLocation { transitions, ..location })
    }

    /// A channel type.
    fn channel(&mut self, name: &str, init: &ChanInit) -> Option<ChannelId> {
        let mut fields = Vec::new();
        for &ty in &init.fields {
            self.message_fields(ty, &mut fields);
        }
        // As in Spin, a bit that is the whole message takes a byte and holds what a byte holds.
        if let [field] = fields.as_mut_slice() {
            field.width = field.width.max(8);
        }
        let capacity = init.capacity;
        let Some(layout) = ChannelLayout::new(capacity, &fields).filter(|_| capacity <= 255) else {
            let message = format!("the channel '{name}' is too large");
            self.errors.push(too_large(message, init.span));
            return None;
        };
        let channel = Channel { name: name.to_string(), capacity, fields, layout };
        let alike = self.channels_named.entry(name.to_string()).or_default();
        let known = alike.iter().find(|index| self.channels[**index as usize] == channel);
        let index = known.copied().unwrap_or_else(|| {
            let index = self.channels.len() as u32;
            alike.push(index);
            self.channels.push(channel);
            index
        });
        Some(ChannelId(index))
    }

    /// The fields of a message; a typedef stands for its fields.
    fn message_fields(&self, ty: Type, out: &mut Vec<Field>) {
        match ty {
            Type::Struct(typedef) => {
                for &field in &self.program.typedefs[typedef.0 as usize].fields {
                    let decl = &self.program.vars[field.0 as usize];
                    for _ in 0..decl.array.unwrap_or(1) {
                        self.message_fields(decl.ty, out);
                    }
                }
            }
            _ => {
                let (width, signed) = regions::width(ty);
                out.push(Field { width, signed, meaning: regions::meaning(ty) });
            }
        }
    }
}

fn automaton_of<'t>(
    program: &'t Program,
    body: &'t Body,
    pace: &mut Pace<'_>,
) -> Result<Automaton<'t>, Over> {
    automaton::build(flow::build(program, body, pace)?, body, pace)
}

/// The variables whose declarations open a body.
fn opening_declarations(body: &Body) -> FxHashSet<VarId> {
    let stmts = body.sequence.stmts.iter();
    let opening = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Decl { vars, initial: true } => Some(vars),
        _ => None,
    });
    opening.flatten().copied().collect()
}

fn too_large(message: String, span: Span) -> Diagnostic {
    let mut error = Diagnostic::error("E0690", message).at(span);
    error.label(format!(
        "the limits are {} KiB of variables, {} channels, 255 messages in a channel",
        ir::MAX_REGION_BITS / 8 / 1024,
        ir::MAX_CHANNELS
    ));
    error
}

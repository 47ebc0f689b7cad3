//! What is known of each shape: made when the first state of the shape is met, kept for ever.

use std::sync::{Arc, OnceLock};

use ir::Interpreter;

use crate::abi::{Instance, LiveChannel, Loop, ShapeTable, record};
use crate::code::Code;
use crate::fused::Fused;
use crate::plan::Plan;

/// Processes of the same template that follow each other.
#[derive(Clone, Copy)]
pub struct Run {
    /// Writes the records of their actions.
    pub successors: Option<Loop>,
    /// Lists their actions.
    pub list: Option<Loop>,
    /// The youngest.
    pub first: *const Instance,
    /// The oldest.
    pub last: *const Instance,
}

/// A shape's table with what only the host needs.
pub struct Table {
    /// What generated code reads. It points into the other fields.
    pub shape: ShapeTable,
    /// The processes, by pid.
    pub instances: Box<[Instance]>,
    /// The processes in runs, youngest first.
    pub runs: Box<[Run]>,
    /// The most words that all records of a state can take.
    pub room: usize,
    /// The most actions that a state can have.
    pub n_actions: usize,
    /// The code for all processes at once.
    pub fused: Fused,
    _channels: Box<[LiveChannel]>,
    _receivers: Box<[*const Instance]>,
    _first_of: Box<[*const Instance]>,
    _grouped: Box<[*const Instance]>,
    _by_template: Box<[[*const *const Instance; 2]]>,
}

// SAFETY: the pointers lead to heap memory that the table owns and that nobody changes. The functions of runs are
// called only by who has the code.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// Describes a shape.
    pub fn new(interpreter: &Interpreter, code: &Code, number: u32) -> Table {
        let program = interpreter.program();
        let shape = interpreter.shape_by_number(number);
        let parent = interpreter.shape_by_number(shape.parent);
        let instances: Box<[Instance]> = shape
            .processes
            .iter()
            .enumerate()
            .map(|(pid, instance)| Instance {
                frame: instance.frame * 8,
                template: instance.process.0,
                pid: pid as u32,
                first_channel: instance.first_channel,
            })
            .collect();
        let channels: Box<[LiveChannel]> = shape
            .channels
            .iter()
            .map(|live| {
                let channel = &program.channels[live.channel.0 as usize];
                LiveChannel {
                    start: live.start * 8,
                    kind: live.channel.0,
                    capacity: channel.capacity,
                    arity: channel.fields.len() as u32,
                }
            })
            .collect();
        let of = |instance: &Instance| &code.limits.templates[instance.template as usize];
        let receivers: Box<[*const Instance]> = instances
            .iter()
            .rev()
            .filter(|instance| of(instance).most_met > 0)
            .map(|instance| instance as *const Instance)
            .collect();
        let first_of = (0..program.processes.len())
            .map(|template| {
                let first = instances.iter().find(|instance| instance.template as usize == template);
                first.map_or(std::ptr::null(), |instance| instance as *const Instance)
            })
            .collect::<Box<[*const Instance]>>();
        let mut grouped: Box<[*const Instance]> =
            instances.iter().rev().map(|instance| instance as *const Instance).collect();
        // SAFETY: the pointers lead into `instances`.
        grouped.sort_by_key(|&instance| unsafe { (*instance).template });
        let mut start = 0;
        let by_template: Box<[[*const *const Instance; 2]]> = (0..program.processes.len())
            .map(|template| {
                let is_one = |instance: &&Instance| instance.template as usize == template;
                let range = grouped[start..start + instances.iter().filter(is_one).count()].as_ptr_range();
                start += instances.iter().filter(is_one).count();
                [range.start, range.end]
            })
            .collect();
        let mut runs: Vec<Run> = Vec::new();
        for (pid, instance) in instances.iter().enumerate().rev() {
            let follows = instances.get(pid + 1).is_some_and(|younger| younger.template == instance.template);
            match runs.last_mut() {
                Some(run) if follows => run.last = instance,
                _ => runs.push(Run {
                    successors: code.successors[instance.template as usize],
                    list: code.list[instance.template as usize],
                    first: instance,
                    last: instance,
                }),
            }
        }
        let met: usize = instances.iter().map(|instance| of(instance).most_met).sum();
        let n_actions =
            instances.iter().map(|instance| of(instance).most_alone + of(instance).most_sends * met).sum();
        // A record that asks the host for something takes three words.
        let room = n_actions * (shape.words as usize + 1).max(3) + instances.len();
        let receivers_range = receivers.as_ptr_range();
        Table {
            shape: ShapeTable {
                instances: instances.as_ptr(),
                channels: channels.as_ptr(),
                receivers: receivers_range.start,
                receivers_end: receivers_range.end,
                by_template: by_template.as_ptr(),
                first_of: first_of.as_ptr(),
                whole: record::header(record::STATE, shape.words),
                truncated: record::header(record::STATE, parent.words),
                n_instances: instances.len() as u32,
                n_channels: channels.len() as u32,
                bytes: shape.words * 8,
                parent_bytes: parent.words * 8,
                parent: shape.parent,
            },
            instances,
            runs: runs.into(),
            room,
            n_actions,
            fused: Fused::default(),
            _channels: channels,
            _receivers: receivers,
            _first_of: first_of,
            _grouped: grouped,
            _by_template: by_template,
        }
    }
}

/// How many actions the processes of each template can have.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// By template.
    pub templates: Vec<TemplateLimits>,
}

/// How many actions a process of a template can have at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateLimits {
    /// On its own.
    pub most_alone: usize,
    /// Rendezvous sends, each with every transition that may receive.
    pub most_sends: usize,
    /// Transitions of a location that may receive in a rendezvous.
    pub most_met: usize,
}

impl Limits {
    /// Of the templates of a program.
    pub fn new(plan: &Plan) -> Limits {
        let templates = plan.templates.iter().map(|template| {
            let most = |count: &dyn Fn(&crate::plan::LocationPlan) -> usize| {
                template.locations.iter().map(count).max().unwrap_or(0)
            };
            TemplateLimits {
                most_alone: most(&|location| location.transitions.len()),
                most_sends: most(&|location| location.transitions.iter().filter(|t| t.meets).count()),
                most_met: most(&|location| location.transitions.iter().filter(|t| t.may_be_met).count()),
            }
        });
        Limits { templates: templates.collect() }
    }
}

/// The tables of all shapes met so far, by the shapes' numbers. Grows without a lock: part k holds the
/// tables 2^k - 1 to 2^(k+1) - 2.
pub struct Tables {
    parts: [OnceLock<Box<[Slot]>>; 32],
}

/// A table, once it is made.
type Slot = OnceLock<Arc<Table>>;

impl Default for Tables {
    fn default() -> Tables {
        Tables { parts: [const { OnceLock::new() }; 32] }
    }
}

impl Tables {
    /// The table of a shape; it is made if there is none.
    pub fn get(&self, shape: u32, make: impl FnOnce() -> Table) -> &Arc<Table> {
        let position = shape as usize + 1;
        let part = position.ilog2();
        let tables =
            self.parts[part as usize].get_or_init(|| (0..1usize << part).map(|_| OnceLock::new()).collect());
        tables[position - (1 << part)].get_or_init(|| Arc::new(make()))
    }
}

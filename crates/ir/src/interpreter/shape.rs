//! Shapes: which processes and channels a state holds, and where.
//!
//! Promela's processes end in the reverse order of their creation, and the channels of a process end with it. So the live
//! processes are a stack, and a shape is a path in a tree: `run` leads to a child, the end of a process to the parent.
//! Shapes are numbered in the order in which they are met, so their numbers differ from one run of the checker to the
//! next; `Model::shape` and `Model::shape_number` translate them for states that are used elsewhere.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use crate::program::{ChannelId, MAX_CHANNELS, MAX_PROCESSES, ProcessId, Program};
use model::FailureKind;

/// A process of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Its template.
    pub process: ProcessId,
    /// The first word of its frame.
    pub frame: u32,
    /// How many channels were there before its own.
    pub first_channel: u32,
}

/// A channel of a shape.
#[derive(Clone, Copy, Debug)]
pub struct LiveChannel {
    /// Its type.
    pub channel: ChannelId,
    /// Its first word.
    pub start: u32,
}

/// Which processes and channels live, oldest first, and where they lie in the state.
///
/// Processes end in the reverse order of their creation, and their channels with them: a shape is a
/// stack, and the shapes of a program form a tree.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The shape without the youngest process.
    pub parent: u32,
    /// The processes, by pid.
    pub processes: Box<[Instance]>,
    /// The channels; the one with the number k is at k - 1.
    pub channels: Box<[LiveChannel]>,
    /// The number of words of a state.
    pub words: u32,
}

/// All shapes met so far. Grows while states are explored; a shape's number never changes.
pub(crate) struct Shapes {
    /// The most processes of a shape.
    pub most_processes: u16,
    shapes: boxcar::Vec<Shape>,
    children: Mutex<FxHashMap<(u32, ProcessId), u32>>,
}

impl Shapes {
    /// The shape without processes.
    pub const ROOT: u32 = 0;

    pub fn new(program: &Program) -> Shapes {
        let mut words = program.globals.words().max(1);
        let mut channels = Vec::new();
        for &channel in &program.global_channels {
            channels.push(LiveChannel { channel, start: words });
            words += program.channels[channel.0 as usize].layout.words;
        }
        let root =
            Shape { parent: Shapes::ROOT, processes: Box::default(), channels: channels.into(), words };
        let shapes = boxcar::Vec::new();
        shapes.push(root);
        Shapes { most_processes: MAX_PROCESSES, shapes, children: Mutex::default() }
    }

    pub fn get(&self, shape: u32) -> &Shape {
        &self.shapes[shape as usize]
    }

    /// The shape with one more process.
    pub fn child(&self, program: &Program, shape: u32, process: ProcessId) -> Result<u32, FailureKind> {
        let mut children = self.children.lock().expect("no panic while shapes are extended");
        if let Some(&child) = children.get(&(shape, process)) {
            return Ok(child);
        }
        if self.get(shape).processes.len() >= usize::from(self.most_processes) {
            return Err(FailureKind::TooManyProcesses);
        }
        let child = self.shapes.push(grow(program, self.get(shape), shape, process)?) as u32;
        children.insert((shape, process), child);
        Ok(child)
    }
}

fn grow(program: &Program, parent: &Shape, id: u32, process: ProcessId) -> Result<Shape, FailureKind> {
    let template = &program.processes[process.0 as usize];
    if parent.channels.len() + template.channels.len() > MAX_CHANNELS {
        return Err(FailureKind::TooManyChannels);
    }
    let instance = Instance { process, frame: parent.words, first_channel: parent.channels.len() as u32 };
    let mut words = parent.words + template.frame.words();
    let mut channels = parent.channels.to_vec();
    for &channel in &template.channels {
        channels.push(LiveChannel { channel, start: words });
        words += program.channels[channel.0 as usize].layout.words;
    }
    let processes = parent.processes.iter().copied().chain([instance]).collect();
    Ok(Shape { parent: id, processes, channels: channels.into(), words })
}

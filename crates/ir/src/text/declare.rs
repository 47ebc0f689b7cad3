//! What declares variables, channels and processes.

use model::Location;

use super::lex::Token;
use super::names::{dense_strides, end_of_slot};
use super::stream::{Result, Stream};
use crate::layout::{Allocator, ChannelLayout, Dim, GLOBALS_START, Region, Size, Slot};
use crate::program::{Channel, Field, Meaning, NameSet, Process, Program};

/// The words with which the parts of a program start.
const ITEMS: [&str; 13] = [
    "channel",
    "file",
    "globals",
    "init",
    "last",
    "lossy",
    "monitor",
    "names",
    "predicate",
    "priorities",
    "process",
    "shared",
    "start",
];

/// Reads what declares names.
pub fn declarations(mut stream: Stream<'_>) -> Result<Program> {
    let mut program =
        Program { globals: Region { bits: GLOBALS_START, ..Region::default() }, ..Program::default() };
    while *stream.peek() != Token::End {
        match item(&mut stream)? {
            "file" => {
                let Some(file) = stream.text() else {
                    return stream.expected("the name of a file in quotes");
                };
                program.files.push(file);
            }
            "names" => program.names.push(name_set(&mut stream)?),
            "globals" => program.globals = region(&mut stream, u64::from(GLOBALS_START))?,
            "channel" => program.channels.push(channel(&mut stream)?),
            "process" => program.processes.push(process_head(&mut stream)?),
            _ => skip_item(&mut stream)?,
        }
        stream.take_sign(";");
    }
    Ok(program)
}

/// Takes the word with which an item starts.
pub fn item<'t>(stream: &mut Stream<'t>) -> Result<&'t str> {
    match stream.peek() {
        Token::Word(word) if ITEMS.contains(word) => {
            stream.next();
            Ok(word)
        }
        _ => stream.expected("a part of a program, such as 'globals' or 'process'"),
    }
}

/// Skips to the next item.
pub fn skip_item(stream: &mut Stream<'_>) -> Result<()> {
    loop {
        match stream.peek() {
            Token::Word(word) if ITEMS.contains(word) => return Ok(()),
            Token::End => return Ok(()),
            Token::Sign("{") => stream.skip_braces()?,
            Token::Sign("}") => return stream.expected("a part of a program"),
            _ => {
                stream.next();
            }
        }
    }
}

fn name_set(stream: &mut Stream<'_>) -> Result<NameSet> {
    let Some(name) = stream.text() else { return stream.expected("the name of a set of names in quotes") };
    stream.sign("{")?;
    let mut names = Vec::new();
    if !stream.is_sign("}") {
        names = stream.list(|stream| {
            let name = stream.word_or_text("a name")?;
            stream.sign("=")?;
            Ok((name, stream.constant()?))
        })?;
    }
    stream.sign("}")?;
    Ok(NameSet { name, names })
}

/// Reads the slots of a region that starts at the bit `start`.
fn region(stream: &mut Stream<'_>, start: u64) -> Result<Region> {
    let before = *stream;
    let bits = if stream.take_word("bits") { Some(stream.number()?) } else { None };
    stream.sign("{")?;
    let mut allocator = Allocator { bits: start };
    let mut slots = Vec::new();
    while !stream.take_sign("}") {
        slots.push(slot(stream, &mut allocator)?);
        if !stream.take_sign(";") && !stream.is_sign("}") {
            return stream.expected("';' or '}'");
        }
    }
    match bits.map_or(u32::try_from(allocator.bits), Ok) {
        Ok(bits) => Ok(Region { slots, bits }),
        Err(_) => before.error("these variables take too much room"),
    }
}

fn slot(stream: &mut Stream<'_>, allocator: &mut Allocator) -> Result<Slot> {
    let start = *stream;
    let (name, lens) = slot_name(stream)?;
    stream.sign(":")?;
    let Field { width, signed, meaning } = field(stream)?;
    let mut offset = None;
    let mut strides = dense_strides(&lens, width);
    let mut internal = false;
    loop {
        if stream.take_sign("@") {
            offset = Some(u64::from(stream.number()?));
        } else if stream.take_word("stride") {
            strides = stream.list(|stream| stream.number().map(u64::from))?;
        } else if stream.take_word("internal") {
            internal = true;
        } else {
            break;
        }
    }
    if strides.len() != lens.len() {
        return start.error("a stride for each dimension is needed");
    }
    let mut dims = Vec::new();
    for (&len, &stride) in lens.iter().zip(&strides) {
        let Ok(stride) = u32::try_from(stride) else { return start.error("this array is too large") };
        dims.push(Dim { len, stride });
    }
    let offset = offset.unwrap_or_else(|| allocator.place(Size::scalar(width)));
    allocator.bits = allocator.bits.max(end_of_slot(offset, width, &dims));
    let Ok(offset) = u32::try_from(offset) else { return start.error("this offset is too large") };
    Ok(Slot { name, offset, width, signed, dims, meaning, internal })
}

/// The name of a slot, with the lengths of its dimensions.
fn slot_name(stream: &mut Stream<'_>) -> Result<(String, Vec<u32>)> {
    let mut lens = Vec::new();
    if let Some(name) = stream.text() {
        while stream.take_sign("[") {
            lens.push(stream.number()?);
            stream.sign("]")?;
        }
        return Ok((name, lens));
    }
    let mut name = stream.word("the name of a variable")?.to_string();
    loop {
        if stream.take_sign("[") {
            lens.push(stream.number()?);
            stream.sign("]")?;
            name.push_str("[]");
        } else if stream.take_sign(".") {
            name.push('.');
            name.push_str(stream.word("the name of a field")?);
        } else {
            return Ok((name, lens));
        }
    }
}

/// A type and what its values stand for.
fn field(stream: &mut Stream<'_>) -> Result<Field> {
    let before = *stream;
    let word = stream.word("a type such as u8 or i16")?;
    let (sign, digits) = word.split_at(1);
    let width = digits.parse().ok().filter(|width| (1..=32).contains(width) && !digits.starts_with('+'));
    let (Some(width), "u" | "i") = (width, sign) else { return before.expected("a type such as u8 or i16") };
    let meaning = if stream.take_word("names") {
        Meaning::Name(stream.number()?)
    } else if stream.take_word("chan") {
        Meaning::Channel
    } else {
        Meaning::Number
    };
    Ok(Field { width, signed: sign == "i", meaning })
}

fn channel(stream: &mut Stream<'_>) -> Result<Channel> {
    let start = *stream;
    let name = stream.word_or_text("the name of a channel")?;
    stream.sign("[")?;
    let capacity = stream.number()?;
    stream.sign("]")?;
    if !stream.take_word("of") {
        return stream.expected("'of'");
    }
    stream.sign("{")?;
    let fields = if stream.is_sign("}") { Vec::new() } else { stream.list(field)? };
    stream.sign("}")?;
    match ChannelLayout::new(capacity, &fields) {
        Some(layout) => Ok(Channel { name, capacity, fields, layout }),
        None => start.error("this channel is too large"),
    }
}

/// Reads the name and the variables of a process and skips the rest.
fn process_head(stream: &mut Stream<'_>) -> Result<Process> {
    let name = stream.word_or_text("the name of a process")?;
    let mut body = *stream;
    stream.skip_braces()?;
    while !body.take_sign("{") {
        body.next();
    }
    if !body.take_word("frame") {
        return body.expected("'frame'");
    }
    let frame = region(&mut body, 0)?;
    Ok(Process {
        name,
        frame,
        pc: 0,
        priority: None,
        params: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        locations: Vec::new(),
        provided: None,
        deterministic: false,
        source: Location::default(),
    })
}

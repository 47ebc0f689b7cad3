//! The automaton that watches messages: a `trace` or `notrace` declaration.
//!
//! It is nondeterministic. A state of the program has a bit for each location of the automaton, and so holds the set of
//! all locations at which the automaton may be, silent steps taken: a choice that no event has decided yet stays open.
//!
//! A deterministic automaton would need one number in the state instead of the bits. It is not used, because which events
//! match depends on the values in messages (and on variables, where fields name them), so it can be exponentially large.
//! With bits nothing is constructed, and the size has no limit. A declaration that leaves no choice open has one bit set
//! in each state, and adds no more states than a number would.

use super::Fault;
use super::bits::{read, write};
use super::eval::Env;
use crate::program::{Event, Monitor, Program};

type Result<T> = std::result::Result<T, Box<Fault>>;

/// A message that is sent or received.
pub struct Observed<'a> {
    pub send: bool,
    pub channel: i32,
    pub message: &'a [i32],
}

/// What a monitor makes of a message.
pub enum Seen {
    /// It does not concern it.
    Ignored,
    /// Where it may be now: nowhere if it was finished already or can no longer match.
    Followed(Vec<bool>),
    /// A forbidden monitor has come to an end.
    Matched,
    /// It should not have been.
    Unexpected,
}

/// What the monitor of a state makes of a message.
pub fn observe(env: &Env<'_>, monitor: &Monitor, observed: &Observed<'_>) -> Result<Seen> {
    if !is_in_scope(env, monitor, observed)? {
        return Ok(Seen::Ignored);
    }
    let mut next = vec![false; monitor.locations.len()];
    for location in members(&env.interpreter.program, monitor, env.words) {
        let mut escape = None;
        for event in &monitor.locations[location].events {
            if escape.is_some() && escape != event.escape {
                break;
            }
            if fits(env, event, observed)? {
                next[event.target as usize] = true;
                escape = event.escape;
            }
        }
    }
    monitor.close(&mut next);
    let is_at_end = monitor.locations.iter().zip(&next).any(|(location, &member)| location.end && member);
    Ok(match monitor.forbidden {
        true if is_at_end => Seen::Matched,
        false if !next.contains(&true) => Seen::Unexpected,
        _ => Seen::Followed(next),
    })
}

fn is_in_scope(env: &Env<'_>, monitor: &Monitor, observed: &Observed<'_>) -> Result<bool> {
    let mut watched = false;
    for kind in &monitor.scope {
        watched |= kind.send == observed.send && env.eval(&kind.channel)? == observed.channel;
    }
    Ok(watched)
}

fn fits(env: &Env<'_>, event: &Event, observed: &Observed<'_>) -> Result<bool> {
    let message = observed.message;
    let mut fits = event.kind.send == observed.send
        && env.eval(&event.kind.channel)? == observed.channel
        && event.fields.len() == message.len();
    for (field, &value) in event.fields.iter().zip(message) {
        fits = fits && field.as_ref().map_or(Ok(value), |field| env.eval(field))? == value;
    }
    Ok(fits)
}

/// Whether the system may stop in a state, as far as the monitor is concerned.
pub fn may_stop(program: &Program, monitor: &Monitor, words: &[u64]) -> bool {
    let mut members = members(program, monitor, words).peekable();
    // A monitor that is nowhere is finished.
    members.peek().is_none() || members.any(|location| monitor.locations[location].stop)
}

/// The locations at which the monitor may be in a state.
fn members<'a>(
    program: &'a Program,
    monitor: &'a Monitor,
    words: &'a [u64],
) -> impl Iterator<Item = usize> + 'a {
    (0..monitor.locations.len())
        .filter(|&location| read(words, 0, bit(program, monitor, location), 1, false) != 0)
}

/// Stores where the monitor may be.
pub fn put(program: &Program, monitor: &Monitor, words: &mut [u64], locations: &[bool]) {
    for (location, &member) in locations.iter().enumerate() {
        write(words, 0, bit(program, monitor, location), 1, i32::from(member));
    }
}

/// The offset of the bit that says whether the monitor may be at a location.
fn bit(program: &Program, monitor: &Monitor, location: usize) -> u32 {
    let slot = &program.globals.slots[monitor.slot as usize];
    slot.offset + location as u32 * slot.dims[0].stride
}

//! Random small programs, which Spin accepts too; nets, and formulas.
//!
//! A program has a few process types with a few statements each over small values, so that most
//! have a small state space; the user of a program explores it with a limit and goes on to the next
//! seed if that is reached.

mod expr;
mod formula;
mod looping;
mod net;
mod outline;
mod property;
mod stmt;
mod trace;
mod unit;

use model::Random;

pub use formula::{branching, linear};
pub use looping::looping_program;
pub use net::{net, net_of_parts, net_predicate};
pub use outline::{Node, Outline, Unit};
pub use trace::trace_program;

/// Which parts of the language to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// `atomic`
    pub atomic: bool,
    /// `d_step`
    pub d_step: bool,
    /// Buffered channels, with sorted send, random receive, peek and poll.
    pub buffered: bool,
    /// Rendezvous channels.
    pub rendezvous: bool,
    /// Channels in messages and as parameters.
    pub channel_passing: bool,
    /// `goto` and labels.
    pub jumps: bool,
    /// `unless`
    pub unless: bool,
    /// `provided`
    pub provided: bool,
    /// Priorities; a program with them has no rendezvous channels, whatever else is asked for.
    pub priorities: bool,
    /// `timeout`
    pub timeout: bool,
    /// `run`
    pub run: bool,
    /// Declarations in the middle of a body.
    pub declarations: bool,
    /// `for` and `select`
    pub loops: bool,
    /// Inlines.
    pub inlines: bool,
    /// Typedefs and arrays.
    pub structures: bool,
    /// `_last`
    pub last: bool,
    /// Remote references to labels and variables.
    pub remote: bool,
    /// Receives into variables that are narrower than the field. Spin restores the message from the
    /// variable when it goes back, so its numbers are wrong then.
    pub narrow_receives: bool,
    /// `trace` and `notrace` declarations. Spin wants them to be deterministic.
    pub traces: bool,
    /// Run-time errors: index out of range, division by zero, a blocked `d_step`.
    pub errors: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Features =
        Features { errors: true, narrow_receives: true, traces: true, ..Features::COMPARABLE };

    /// Everything for which the numbers of different tools can be compared.
    pub const COMPARABLE: Features = Features {
        atomic: true,
        d_step: true,
        buffered: true,
        rendezvous: true,
        channel_passing: true,
        jumps: true,
        unless: true,
        provided: true,
        priorities: true,
        timeout: true,
        run: true,
        declarations: true,
        loops: true,
        inlines: true,
        structures: true,
        last: true,
        remote: true,
        narrow_receives: false,
        traces: false,
        errors: false,
    };

    /// Processes with variables, `if` and `do`, and nothing else.
    pub const NONE: Features = Features {
        atomic: false,
        d_step: false,
        buffered: false,
        rendezvous: false,
        channel_passing: false,
        jumps: false,
        unless: false,
        provided: false,
        priorities: false,
        timeout: false,
        run: false,
        declarations: false,
        loops: false,
        inlines: false,
        structures: false,
        last: false,
        remote: false,
        narrow_receives: false,
        traces: false,
        errors: false,
    };

    /// Leaves some of the features out, so that the others meet more often.
    fn thin(self, prng: &mut Random) -> Features {
        let mut keep = |on: bool| on && prng.chance(45);
        let mut some = Features {
            atomic: keep(self.atomic),
            d_step: keep(self.d_step),
            buffered: keep(self.buffered),
            rendezvous: keep(self.rendezvous),
            channel_passing: keep(self.channel_passing),
            jumps: keep(self.jumps),
            unless: keep(self.unless),
            provided: keep(self.provided),
            priorities: keep(self.priorities),
            timeout: keep(self.timeout),
            run: keep(self.run),
            declarations: keep(self.declarations),
            loops: keep(self.loops),
            inlines: keep(self.inlines),
            structures: keep(self.structures),
            last: keep(self.last),
            remote: keep(self.remote),
            narrow_receives: keep(self.narrow_receives),
            errors: keep(self.errors),
            traces: self.traces,
        };
        if some.priorities {
            if some.rendezvous && prng.chance(70) {
                some.priorities = false;
            } else {
                some.rendezvous = false;
            }
        }
        some
    }
}

/// A random program. The same seed and features always give the same one.
pub fn program(seed: u64, features: Features) -> Outline {
    let mut prng = Random::new(seed);
    let features = features.thin(&mut prng);
    let mut generator = unit::Generator::new(prng, features);
    let mut outline = generator.program();
    add_trace(seed, &generator, &mut outline);
    outline
}

/// The program that [`program`] gives, with `progress` and `accept` labels, formulas and never claims.
pub fn program_with_properties(seed: u64, features: Features) -> Outline {
    let mut prng = Random::new(seed);
    let features = features.thin(&mut prng);
    let mut generator = unit::Generator::new(prng, features);
    let mut outline = generator.program();
    generator.add_labels(&mut outline);
    generator.add_formulas(&mut outline, 4);
    generator.add_claims(&mut outline, 2);
    add_trace(seed, &generator, &mut outline);
    outline
}

/// Adds a `trace` declaration to some programs: not to most, because its errors would keep others from
/// being found. It is made from numbers of its own, so whatever else a seed gives is the same without it.
fn add_trace(seed: u64, program: &unit::Generator, outline: &mut Outline) {
    let mut prng = Random::new(!seed);
    if program.features.traces && prng.chance(30) {
        let mut generator = unit::Generator::new(prng, program.features);
        generator.globals.clone_from(&program.globals);
        generator.channels.clone_from(&program.channels);
        generator.add_trace(outline);
    }
}

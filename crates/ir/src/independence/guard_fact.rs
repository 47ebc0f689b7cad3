//! What may be true of variables and channels, and decides what must happen first.

use model::Fact;

use super::access::Cause;
use crate::interpreter::eval::Env;
use crate::program::{Comm, Guarded};

/// That a guard of a step is known to be false, or fails.
#[derive(Clone, Copy)]
pub struct GuardFact {
    pub number: u32,
    pub guard: usize,
    pub fails: bool,
}

impl From<GuardFact> for Fact {
    fn from(GuardFact { number, guard, fails }: GuardFact) -> Fact {
        Fact(u64::from(number) << 32 | (guard as u64) << 1 | u64::from(fails))
    }
}

impl From<Fact> for GuardFact {
    fn from(Fact(bits): Fact) -> GuardFact {
        GuardFact { number: (bits >> 32) as u32, guard: (bits as u32 >> 1) as usize, fails: bits & 1 == 1 }
    }
}

/// Whether a channel is in a state in which a step cannot happen, for the cause given.
pub fn is_channel_in_the_way(env: &Env<'_>, guarded: &Guarded, cause: Cause) -> bool {
    let channel = match &guarded.comm {
        Comm::None => return false,
        Comm::Send(send) => &send.channel,
        Comm::Receive(receive) => &receive.channel,
    };
    let Ok((live, channel)) = env.eval(channel).and_then(|id| env.channel(id)) else { return false };
    let len = env.len(live, channel);
    match (cause, &guarded.comm) {
        (Cause::NotFull, _) => len >= channel.capacity,
        (Cause::NotEmpty, _) => len == 0,
        (Cause::Matches, Comm::Receive(receive)) => {
            len > 0 && matches!(env.matching(receive, live, channel), Ok(None))
        }
        _ => false,
    }
}

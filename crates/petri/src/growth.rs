//! Runs that show that a net is unbounded.
//!
//! A run that comes by a marking and later by a greater one can do again what it has done in between, and again.
//! That is true with inhibitor arcs, too, as long as no place grows that forbids a transition of this part. Such
//! runs are looked for on random walks, short ones first. Where none is found, nothing is known.

use model::{Over, Pace, Patience, Random};

use crate::formula::Sum;
use crate::net::{Net, PlaceId, TransitionId};
use crate::semantics::{fire_in, is_enabled};

/// A run whose last part can be repeated for ever, with more tokens each time and fewer on no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The run.
    pub run: Vec<TransitionId>,
    /// Where the part begins.
    pub start: usize,
}

/// The first walks have so many steps, the longest so many.
const STEPS: std::ops::RangeInclusive<usize> = 16..=4096;

/// So many walks have the same length.
const WALKS: usize = 8;

/// The markings of a walk have no more numbers than these.
const MOST_NUMBERS: usize = 1 << 23;

impl Growth {
    /// Looks for a run that lets a sum grow for ever, as long as there is patience; `effort` is how many numbers of tokens
    /// are looked at.
    pub fn find(net: &Net, sum: &Sum, effort: u64, patience: &Patience) -> Option<Growth> {
        patience.check().ok()?;
        let most = (MOST_NUMBERS / net.places().len().max(1)).min(*STEPS.end());
        let mut search = Search { net, sum, effort, random: Random::new(1), pace: patience.pace() };
        let mut n_steps = most.min(*STEPS.start());
        while search.effort > 0 {
            for _ in 0..WALKS {
                if let Some(growth) = search.walk(n_steps).ok()? {
                    return Some(search.shortened(growth));
                }
            }
            n_steps = (2 * n_steps).min(most);
        }
        None
    }

    /// The places that have more tokens each time, by number, and how many more; none if that cannot go on for ever.
    pub fn gains(&self, net: &Net) -> Option<Vec<(PlaceId, u64)>> {
        let mut marking = net.initial();
        self.run[..self.start].iter().try_for_each(|&step| fire_in(net, step, &mut marking))?;
        let before = marking.clone();
        self.run[self.start..].iter().try_for_each(|&step| fire_in(net, step, &mut marking))?;
        gains(net, &self.run[self.start..], &before, &marking)
    }
}

/// What steps from one marking to another bring, if they can be repeated for ever.
fn gains(net: &Net, steps: &[TransitionId], before: &[u64], after: &[u64]) -> Option<Vec<(PlaceId, u64)>> {
    let more = net.place_ids().map(|place| {
        let gain = after[place.0 as usize].checked_sub(before[place.0 as usize]);
        gain.map(|gain| (place, gain))
    });
    let more = more.collect::<Option<Vec<_>>>()?;
    let grows = |place: PlaceId| more[place.0 as usize].1 > 0;
    let forbids = |&step: &TransitionId| net.inhibitors(step).iter().any(|arc| grows(arc.place));
    let gains: Vec<_> = more.iter().copied().filter(|(_, gain)| *gain > 0).collect();
    (!gains.is_empty() && !steps.iter().any(forbids)).then_some(gains)
}

struct Search<'a> {
    net: &'a Net,
    sum: &'a Sum,
    effort: u64,
    random: Random,
    pace: Pace<'a>,
}

impl Search<'_> {
    fn spend(&mut self, effort: usize) -> Result<(), Over> {
        self.effort = self.effort.saturating_sub(effort as u64);
        self.pace.steps(effort)
    }

    /// Whether the sum gains.
    fn lets_grow(&self, gains: Option<Vec<(PlaceId, u64)>>) -> bool {
        let gains = gains.unwrap_or_default();
        let known = |place| gains.binary_search_by_key(&place, |(gaining, _)| *gaining).ok();
        let gain = |place| known(place).map_or(0, |at| gains[at].1);
        let more = |&(place, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(gain(place));
        self.sum.terms.iter().map(more).sum::<i128>() > 0
    }

    /// Walks at random until a marking is greater than one before it.
    fn walk(&mut self, n_steps: usize) -> Result<Option<Growth>, Over> {
        let mut run = Vec::new();
        let mut marking = self.net.initial();
        self.spend(1 + marking.len())?;
        let mut markings = vec![(total(&marking), marking.clone())];
        while run.len() < n_steps && self.effort > 0 {
            let Some(step) = self.choose(&marking)? else { return Ok(None) };
            let fired = fire_in(self.net, step, &mut marking);
            if fired.is_none() {
                return Ok(None);
            }
            run.push(step);
            let tokens = total(&marking);
            for (start, (fewer, before)) in markings.iter().enumerate().rev() {
                self.spend(1)?;
                if *fewer >= tokens {
                    continue;
                }
                // Mostly, one of the first places tells.
                let n_alike =
                    before.iter().zip(&marking).take_while(|(before, after)| before <= after).count();
                self.spend(n_alike)?;
                if n_alike == marking.len()
                    && self.lets_grow(gains(self.net, &run[start..], before, &marking))
                {
                    return Ok(Some(Growth { run, start }));
                }
            }
            markings.push((tokens, marking.clone()));
            self.spend(marking.len())?;
        }
        Ok(None)
    }

    /// An enabled transition: the first from a random one on.
    fn choose(&mut self, marking: &[u64]) -> Result<Option<TransitionId>, Over> {
        let n = self.net.transitions().len();
        let first = if n == 0 { return Ok(None) } else { self.random.below(n) };
        let mut all = (first..n).chain(0..first).map(|number| TransitionId(number as u32));
        let position = all.position(|step| is_enabled(self.net, step, marking));
        self.spend(position.unwrap_or(n))?;
        Ok(position.map(|position| TransitionId(((first + position) % n) as u32)))
    }

    /// The same without steps that it does not need, as far as there is patience to find them.
    fn shortened(&mut self, mut growth: Growth) -> Growth {
        let n_numbers = growth.run.len() * self.net.places().len();
        if n_numbers.saturating_mul(growth.run.len()) > MOST_NUMBERS {
            return growth;
        }
        // Parts that lead back to where they begin can be long.
        for size in [8, 4, 2, 1] {
            for at in (0..growth.run.len()).rev() {
                let end = at + size;
                if end > growth.run.len() || (at < growth.start && growth.start < end) {
                    continue;
                }
                if self.pace.steps(self.net.places().len()).is_err() {
                    return growth;
                }
                let mut shorter = growth.clone();
                shorter.run.drain(at..end);
                shorter.start -= if at < growth.start { size } else { 0 };
                if self.lets_grow(shorter.gains(self.net)) {
                    growth = shorter;
                }
            }
        }
        growth
    }
}

fn total(marking: &[u64]) -> u128 {
    marking.iter().map(|&tokens| u128::from(tokens)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::NetBuilder;

    const EFFORT: u64 = 1 << 20;

    /// However many markings are compared for nothing.
    #[test]
    fn no_more_than_the_effort_is_spent() {
        let mut net = NetBuilder::new("n");
        let (p, q) = (net.place("p", u32::MAX.into()), net.place("q", 0));
        let t = net.transition("t");
        net.input(p, t, 1);
        net.output(t, q, 1);
        let net = net.finish();
        let patience = Patience::default();
        let mut search = Search {
            net: &net,
            sum: &Sum::of_all(&net),
            effort: 1 << 16,
            random: Random::new(1),
            pace: patience.pace(),
        };
        assert_eq!(search.walk(4096), Ok(None));
        assert_eq!(search.effort, 0);
    }

    #[test]
    fn the_part_that_is_repeated_is_short() {
        // After s, t and u bring a token to q each time; v only goes round.
        let mut net = NetBuilder::new("n");
        let [p, q, r, w] =
            ["p", "q", "r", "w"].map(|name| net.place(name, u64::from(name == "p" || name == "w")));
        let [s, t, u, v] = ["s", "t", "u", "v"].map(|name| net.transition(name));
        for (from, step, to) in [(p, s, r), (r, t, p), (p, u, r), (w, v, w)] {
            net.input(from, step, 1);
            net.output(step, to, 1);
        }
        net.output(t, q, 1);
        let net = net.finish();
        let growth = Growth::find(&net, &Sum::of_all(&net), EFFORT, &Patience::default())
            .expect("the net is unbounded");
        assert_eq!(growth.gains(&net), Some(vec![(q, 1)]));
        assert_eq!((growth.run.len() - growth.start, growth.run.len() <= 3), (2, true), "{growth:?}");
        let never = Sum { terms: vec![(p, 1)], constant: 0 };
        assert_eq!(Growth::find(&net, &never, EFFORT, &Patience::default()), None);
        let against = Sum { terms: vec![(q, -1)], constant: 0 };
        assert_eq!(Growth::find(&net, &against, EFFORT, &Patience::default()), None);
    }

    #[test]
    fn what_grows_must_not_forbid_what_is_repeated() {
        for (least, is_unbounded) in [(None, true), (Some(3), false)] {
            let mut net = NetBuilder::new("n");
            let p = net.place("p", 0);
            let t = net.transition("t");
            net.output(t, p, 1);
            least.into_iter().for_each(|weight| net.inhibitor(p, t, weight));
            let net = net.finish();
            assert_eq!(
                Growth::find(&net, &Sum::of_all(&net), EFFORT, &Patience::default()).is_some(),
                is_unbounded
            );
        }
    }

    #[test]
    fn nets_without_transitions_do_not_grow() {
        let mut net = NetBuilder::new("n");
        net.place("p", 1);
        let net = net.finish();
        assert_eq!(Growth::find(&net, &Sum::of_all(&net), EFFORT, &Patience::default()), None);
    }
}

//! Which transitions are enabled, given what was enabled in another state.
//!
//! A transition can get enabled only if a place now holds as many tokens as it needs and did not before, or
//! no longer as many as forbid it. It can get disabled only the other way round. So what is asked about a
//! place that has changed depends on how many tokens it had and has, and most transitions are not asked for.
//!
//! What was enabled in the state listed last is kept by the caller ([`Recall`], with its list of actions), so threads
//! share nothing. The work for a state depends on how much has changed, not on the size of the net. If two states have
//! little in common, all transitions are looked at.

use model::{BitSet, Recall};

use super::NetModel;

impl NetModel {
    /// Turns what is recalled to a state.
    pub(super) fn update(&self, state: &[u64], recall: &mut Recall) {
        if recall.owner != self.number || self.is_far(state, &recall.state) {
            self.look_everywhere(state, &mut recall.enabled);
            recall.owner = self.number;
            recall.state.clear();
            recall.state.extend_from_slice(state);
            return;
        }
        for (word, (known, &now)) in recall.state.iter_mut().zip(state).enumerate() {
            let before = std::mem::replace(known, now);
            let mut changed = before ^ now;
            while changed != 0 {
                let (place, field) = self.layout.owner(word, changed.trailing_zeros());
                changed &= !field.at_place(field.mask);
                let tokens = |word: u64| word >> field.shift & field.mask;
                self.look_at(place.0, tokens(before), tokens(now), state, &mut recall.enabled);
            }
        }
    }

    /// Whether so much has changed that it takes less time to look at everything.
    pub(super) fn is_far(&self, state: &[u64], known: &[u64]) -> bool {
        let changed = state.iter().zip(known).map(|(now, before)| (now ^ before).count_ones() as usize);
        changed.sum::<usize>() > self.n_near
    }

    fn look_everywhere(&self, state: &[u64], enabled: &mut BitSet) {
        let n_transitions = self.net.transitions().len();
        enabled.words_mut(n_transitions).fill(0);
        for transition in 0..n_transitions as u32 {
            self.look_for(transition, state, enabled);
        }
    }

    fn look_for(&self, transition: u32, state: &[u64], enabled: &mut BitSet) {
        if self.firing.is_enabled(transition, state) {
            enabled.insert(transition as usize);
        }
    }

    /// Looks at the transitions to which it matters that a place had so many tokens and has so many now.
    fn look_at(&self, place: u32, before: u64, now: u64, state: &[u64], enabled: &mut BitSet) {
        let (fewer, more) = (before.min(now), before.max(now));
        let crosses = |threshold: u64| fewer < threshold && threshold <= more;
        for &(transition, least) in self.structure.takers.get(place) {
            match crosses(least) {
                true if before < now => self.look_for(transition, state, enabled),
                true => enabled.remove(transition as usize),
                false => {}
            }
        }
        for &(transition, limit) in self.structure.inhibited.get(place) {
            match crosses(limit) {
                true if before < now => enabled.remove(transition as usize),
                true => self.look_for(transition, state, enabled),
                false => {}
            }
        }
    }
}

//! Where the transitions of a changed program come from.

use model::{Action, BitSet, Lasso, Lift, NO_PARTNER, Party, Spurious, Step, Trace};

/// A transition of the program before a change, which is part of one of the changed program. Whoever takes that takes
/// this one: the actor of an action, or its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Original {
    /// Its number in the program before the change.
    pub transition: u32,
    /// Whether somebody else takes part in it.
    pub role: Role,
}

/// Whether somebody else takes part in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nobody does.
    Alone,
    /// It sends: in an action of two, to the other one, who takes the receive as a part of the same action.
    Sends,
    /// It receives: in an action of two, from the other one, who takes the send as a part of the same action.
    Receives,
}

/// For each transition of a changed program those of the program before, in order.
///
/// Rows are of transitions, not of actions, because only a run shows who meets whom, and whether a message goes into a
/// channel or to somebody. In an action of one everything is taken alone. An action of two consists of what both do: the k-th rendezvous in the row of one is the k-th in the row of the other. What
/// each does alone in between is listed for one and then for the other: before the first rendezvous, the actor comes
/// first; behind one, the receiver, because an atomic chain goes on with it.
#[derive(Debug)]
pub struct Provenance(Option<Table>);

#[derive(Debug, Default)]
struct Table {
    originals: Vec<Original>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl Provenance {
    /// Each transition is the one with the same number.
    pub fn same() -> Provenance {
        Provenance(None)
    }

    /// A row for each transition of the changed program. What the program before has nothing for has an empty one.
    pub fn of(rows: impl IntoIterator<Item = Vec<Original>>) -> Provenance {
        let mut table = Table::default();
        for row in rows {
            table.originals.extend(row);
            table.ends.push(table.originals.len());
        }
        Provenance(Some(table))
    }
}

impl Table {
    fn row(&self, transition: u32) -> &[Original] {
        let number = transition as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.originals[start..self.ends[number]]
    }

    /// Adds the steps of which one consists. None if a rendezvous has but one side.
    fn lift(&self, step: &Step, out: &mut Vec<Step>) -> Option<()> {
        let Action { actor, partner } = step.action;
        if partner == NO_PARTNER {
            let parties = self.row(actor.transition).iter().map(|original| taken_by(actor, original));
            out.extend(parties.map(|party| step_of(step, party, NO_PARTNER)));
            return Some(());
        }
        let mut sides = [actor, partner].map(|party| Side { party, rest: self.row(party.transition) });
        loop {
            for side in &mut sides {
                while let Some(party) = side.next_if(Role::Alone) {
                    out.push(step_of(step, party, NO_PARTNER));
                }
            }
            let [one, other] = &mut sides;
            if one.rest.is_empty() && other.rest.is_empty() {
                return Some(());
            }
            // Who is to receive comes first from now on.
            if one.rest.first().is_some_and(|original| original.role == Role::Sends) {
                std::mem::swap(one, other);
            }
            let [receiver, sender] = &mut sides;
            let partner = receiver.next_if(Role::Receives)?;
            out.push(step_of(step, sender.next_if(Role::Sends)?, partner));
        }
    }
}

fn taken_by(party: Party, original: &Original) -> Party {
    Party { transition: original.transition, ..party }
}

/// A part of a step.
fn step_of(step: &Step, actor: Party, partner: Party) -> Step {
    Step { action: Action { actor, partner }, ..*step }
}

/// What is left of what one side of an action does.
struct Side<'t> {
    party: Party,
    rest: &'t [Original],
}

impl Side<'_> {
    /// The next transition, if it has the role.
    fn next_if(&mut self, role: Role) -> Option<Party> {
        let (next, rest) = self.rest.split_first()?;
        (next.role == role).then(|| {
            self.rest = rest;
            taken_by(self.party, next)
        })
    }
}

impl Lift for Provenance {
    fn lift(&self, run: Trace) -> Result<Trace, Spurious> {
        let Some(table) = &self.0 else { return Ok(run) };
        let mut steps = Vec::with_capacity(run.steps.len());
        let mut loop_start = None;
        for (number, step) in run.steps.iter().enumerate() {
            if run.lasso == Some(Lasso { start: number }) {
                loop_start = Some(steps.len());
            }
            if step.is_stutter() {
                steps.push(*step);
            } else {
                table.lift(step, &mut steps).ok_or(Spurious { step: number })?;
            }
        }
        let lasso = match run.lasso {
            None => None,
            Some(Lasso { start }) => {
                // To do nothing for ever is no run.
                let moved = loop_start.filter(|&moved| moved < steps.len());
                Some(Lasso { start: moved.ok_or(Spurious { step: start })? })
            }
        };
        Ok(Trace { steps, lasso })
    }

    fn executed(&self, executed: BitSet) -> BitSet {
        let Some(table) = &self.0 else { return executed };
        let mut originals = BitSet::default();
        for original in executed.iter().flat_map(|number| table.row(number as u32)) {
            originals.insert(original.transition as usize);
        }
        originals
    }
}

#[cfg(test)]
mod tests {
    use model::{Actor, Phase};

    use super::*;

    fn party(who: u32, transition: u32) -> Party {
        Party { who: Actor(who), transition }
    }

    fn step(actor: Party, partner: Party) -> Step {
        Step { action: Action { actor, partner }, observable: true, phase: Phase::Normal }
    }

    /// One process alone.
    fn solo(who: u32, transition: u32) -> Step {
        step(party(who, transition), NO_PARTNER)
    }

    /// The first sends to the second.
    fn both(sender: (u32, u32), receiver: (u32, u32)) -> Step {
        step(party(sender.0, sender.1), party(receiver.0, receiver.1))
    }

    fn original(role: Role, transition: u32) -> Original {
        Original { transition, role }
    }

    fn alone(transition: u32) -> Original {
        original(Role::Alone, transition)
    }

    fn lifted(provenance: &Provenance, steps: &[Step]) -> Result<Vec<Step>, Spurious> {
        provenance.lift(Trace { steps: steps.to_vec(), lasso: None }).map(|trace| trace.steps)
    }

    #[test]
    fn what_is_the_same_is_left_alone() {
        let trace = Trace { steps: vec![solo(3, 4), Step::STUTTER], lasso: Some(Lasso { start: 1 }) };
        let executed: BitSet = [4, 70].into_iter().fold(BitSet::default(), |mut set, number| {
            set.insert(number);
            set
        });
        assert_eq!(Provenance::same().lift(trace.clone()), Ok(trace));
        assert_eq!(Provenance::same().executed(executed.clone()), executed);
    }

    #[test]
    fn a_transition_is_split_into_those_of_which_it_was_made() {
        let provenance = Provenance::of([vec![alone(7), alone(3), alone(7)], vec![], vec![alone(0)]]);
        let steps = lifted(&provenance, &[solo(5, 2), solo(5, 1), solo(6, 0), Step::STUTTER]);
        assert_eq!(steps, Ok(vec![solo(5, 0), solo(6, 7), solo(6, 3), solo(6, 7), Step::STUTTER]));
        let mut executed = BitSet::default();
        executed.insert(0);
        executed.insert(1);
        assert_eq!(provenance.executed(executed).iter().collect::<Vec<_>>(), [3, 7]);
    }

    #[test]
    fn both_sides_of_a_rendezvous_take_what_is_theirs() {
        let sends = vec![alone(10), original(Role::Sends, 11), alone(12)];
        let receives = vec![alone(20), alone(21), original(Role::Receives, 22), alone(23)];
        let provenance = Provenance::of([sends, receives]);
        let steps = lifted(&provenance, &[both((4, 0), (9, 1))]);
        let before = [solo(4, 10), solo(9, 20), solo(9, 21)];
        let behind = [both((4, 11), (9, 22)), solo(9, 23), solo(4, 12)];
        assert_eq!(steps, Ok([before, behind].concat()));
    }

    #[test]
    fn who_has_received_may_answer_in_the_same_action() {
        let asks = vec![original(Role::Sends, 1), alone(2), original(Role::Receives, 3), alone(4)];
        let answers = vec![original(Role::Receives, 5), alone(6), original(Role::Sends, 7), alone(8)];
        let provenance = Provenance::of([asks, answers]);
        let steps = lifted(&provenance, &[both((1, 0), (0, 1))]);
        let there = [both((1, 1), (0, 5)), solo(0, 6), solo(1, 2)];
        let back = [both((0, 7), (1, 3)), solo(1, 4), solo(0, 8)];
        assert_eq!(steps, Ok([there, back].concat()));
    }

    #[test]
    fn half_a_rendezvous_is_no_step() {
        let provenance = Provenance::of([
            vec![original(Role::Sends, 1)],
            vec![alone(2)],
            vec![original(Role::Receives, 3)],
        ]);
        assert_eq!(lifted(&provenance, &[solo(0, 1), both((0, 0), (1, 1))]), Err(Spurious { step: 1 }));
        assert_eq!(lifted(&provenance, &[both((0, 0), (1, 0))]), Err(Spurious { step: 0 }));
        assert_eq!(lifted(&provenance, &[both((0, 2), (1, 2))]), Err(Spurious { step: 0 }));
        // Through a channel.
        assert_eq!(lifted(&provenance, &[solo(0, 0), solo(1, 2)]), Ok(vec![solo(0, 1), solo(1, 3)]));
        // The original action is the other way round.
        assert_eq!(lifted(&provenance, &[both((0, 2), (1, 0))]), Ok(vec![both((1, 1), (0, 3))]));
    }

    #[test]
    fn the_loop_begins_with_the_same_step() {
        let provenance = Provenance::of([vec![alone(0), alone(1)], vec![], vec![alone(2)]]);
        let lift = |steps: &[Step], start| {
            let trace = Trace { steps: steps.to_vec(), lasso: Some(Lasso { start }) };
            provenance.lift(trace).map(|trace| (trace.steps.len(), trace.lasso))
        };
        let steps = [solo(0, 0), solo(0, 1), solo(0, 0), solo(0, 2)];
        let starts = [0, 2, 2, 4];
        for (start, moved) in starts.into_iter().enumerate() {
            assert_eq!(lift(&steps, start), Ok((5, Some(Lasso { start: moved }))));
        }
        assert_eq!(lift(&[solo(0, 0), Step::STUTTER], 1), Ok((3, Some(Lasso { start: 2 }))));
        // Nothing is left of the loop.
        assert_eq!(lift(&[solo(0, 0), solo(0, 1)], 1), Err(Spurious { step: 1 }));
    }
}

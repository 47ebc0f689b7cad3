//! What must happen before a disabled move: the enabling sets of steps.

use model::{EnablingSets, Phase};

use super::Dependence;
use super::access::Cause;
use super::configuration::{Place, Question};
use super::guard_fact::{GuardFact, is_channel_in_the_way};
use crate::program::Command;

impl Dependence<'_> {
    /// What must happen before what only a process can reach changes: it must move.
    fn add_moves_of(&self, current: usize, pid: u16, but: u32, out: &mut EnablingSets) {
        self.here(current, pid).filter(|&other| other != but).for_each(|other| out.push(other));
        let location = self.locations[pid as usize];
        let others = self.configurations[current].departing(pid, location);
        others.iter().for_each(|&other| out.push(other));
    }

    /// What may make a false guard of a move true: also what may change one that fails and comes first.
    pub(super) fn add_guard(&mut self, current: usize, number: u32, guard: usize, out: &mut EnablingSets) {
        for earlier in 0..guard {
            if self.configurations[current].steps[number as usize].guards[earlier].fails {
                self.add_change(current, number, earlier, out);
            }
        }
        self.add_change(current, number, guard, out);
    }

    /// What may change a guard of a move.
    fn add_change(&mut self, current: usize, number: u32, guard: usize, out: &mut EnablingSets) {
        self.ask(current, number, Question::Enable(guard as u16), |other| out.push(other));
        if self.configurations[current].steps[number as usize].guards[guard].own {
            let pid = self.configurations[current].moves[number as usize].group as u16;
            self.add_moves_of(current, pid, number, out);
        }
    }

    /// Whether a guard of a disabled move is known to be false.
    pub(super) fn is_false(&mut self, current: usize, number: u32, guard: usize) -> bool {
        let configuration = &self.configurations[current];
        match configuration.steps[number as usize].guards[guard].cause {
            Cause::Provided | Cause::Conjunct(_) | Cause::NotFull | Cause::NotEmpty | Cause::Matches => {
                self.ask_fact(current, GuardFact { number, guard, fails: false })
            }
            // Who sends asks only for escapes that would take the message.
            Cause::Escape if configuration.offers(number) => false,
            Cause::Escape => {
                let Place { pid, location, position, .. } = configuration.places[number as usize];
                let escape = |position| self.transition(current, pid, location, position).escape;
                (0..position).any(|earlier| {
                    let first = number - position + earlier;
                    // That it takes part in a rendezvous of somebody else shuts nothing out.
                    let is_enabled =
                        configuration.moves[first as usize].enabled && !configuration.offers(first);
                    is_enabled && escape(earlier).is_some() && escape(earlier) != escape(position)
                })
            }
            Cause::Youngest => {
                let pid = configuration.places[number as usize].pid;
                (pid as usize) + 1 < self.locations.len()
            }
            // Known by the absence of others.
            Cause::Else | Cause::Entry | Cause::Channel | Cause::Message => false,
        }
    }

    /// Whether a guard of a move fails: one behind it would not be asked.
    fn fails(&mut self, current: usize, number: u32, guard: usize) -> bool {
        let known = &self.configurations[current].steps[number as usize].guards[guard];
        known.fails
            && known.expr.is_some()
            && self.ask_fact(current, GuardFact { number, guard, fails: true })
    }

    fn ask_fact(&mut self, current: usize, claim: GuardFact) -> bool {
        let is_true = self.is_true_in(current, claim);
        self.facts.push((claim.into(), is_true));
        is_true
    }

    /// Whether a claim about variables and channels is true in the state looked or glanced at.
    pub(super) fn is_true_in(&self, current: usize, GuardFact { number, guard, fails }: GuardFact) -> bool {
        let configuration = &self.configurations[current];
        let guard = &configuration.steps[number as usize].guards[guard];
        let Place { pid, location, position, .. } = configuration.places[number as usize];
        let env = self.interpreter.env(&self.state, pid, Phase::Normal);
        if fails {
            return guard.expr.is_some_and(|expr| env.holds(expr).is_err());
        }
        let guarded = match &self.transition(current, pid, location, position).command {
            Command::Guarded(guarded) => Some(guarded),
            _ => None,
        };
        match guard.cause {
            Cause::Provided => matches!(env.provided(), Ok(false)),
            Cause::Conjunct(index) => {
                let conjunct = &guarded.expect("a conjunct is part of a guard").guard[index as usize];
                matches!(env.holds(conjunct), Ok(false))
            }
            cause => guarded.is_some_and(|guarded| is_channel_in_the_way(&env, guarded, cause)),
        }
    }

    /// The enabling set of a disabled move that is here, none of whose guards is known to be false: what
    /// can be said only as a whole.
    pub(super) fn add_rest(&mut self, current: usize, number: u32, out: &mut EnablingSets) {
        let meets = self.configurations[current].meets(number);
        let mut found = meets;
        for guard in 0..self.configurations[current].steps[number as usize].guards.len() {
            let cause = self.configurations[current].steps[number as usize].guards[guard].cause;
            if matches!(cause, Cause::Else | Cause::Entry | Cause::Channel | Cause::Escape) {
                self.add_guard(current, number, guard, out);
                found = true;
            }
        }
        if meets {
            self.add_partners(current, number, out);
        }
        if !found {
            (0..self.configurations[current].moves.len() as u32).for_each(|other| out.push(other));
        }
    }

    /// What must happen before a side of a rendezvous, whose own guards are true, finds a partner.
    fn add_partners(&mut self, current: usize, number: u32, out: &mut EnablingSets) {
        let mut partners = Vec::new();
        self.ask(current, number, Question::Meet, |other| partners.push(other));
        partners.iter().for_each(|&other| out.push(other));
        self.add_message(current, number, out);
        for other in partners {
            if self.configurations[current].moves[other as usize].here {
                self.add_message(current, other, out);
            }
        }
    }

    /// What may change the message of a rendezvous, or what is asked of it.
    fn add_message(&mut self, current: usize, number: u32, out: &mut EnablingSets) {
        let guards = &self.configurations[current].steps[number as usize].guards;
        if let Some(guard) = guards.iter().position(|guard| guard.cause == Cause::Message) {
            self.add_guard(current, number, guard, out);
        }
    }

    /// The enabling sets of a move whose process stands elsewhere.
    pub(super) fn add_sets_elsewhere(&mut self, current: usize, number: u32, out: &mut EnablingSets) {
        let Place { pid, location, .. } = self.configurations[current].places[number as usize];
        if self.is_possible(current, number) {
            let arriving = self.configurations[current].arriving(pid, location).iter();
            arriving.filter(|&&other| self.is_possible(current, other)).for_each(|&other| out.push(other));
        }
        out.end();
        for guard in 0..self.configurations[current].steps[number as usize].guards.len() {
            if self.fails(current, number, guard) {
                break;
            }
            let known = &self.configurations[current].steps[number as usize].guards[guard];
            // What the process does on its way is not known.
            if !known.own && known.cause != Cause::Escape && self.is_false(current, number, guard) {
                self.add_guard(current, number, guard, out);
                out.end();
            }
        }
    }
}

//! Automata as Spin's never claims.

use crate::automaton::{Automaton, Guard, State};
use crate::print::guard_text;

/// The state that accepts everything. Nothing may stand behind it.
const ACCEPT_ALL: &str = "accept_all:\n\tskip\n";

/// Writes an automaton as a never claim, with a comment such as the formula from which it comes.
/// `names` are the texts of the atoms, which are Promela expressions.
///
/// A claim has one acceptance set, of states: there is none for an automaton with more sets, or with
/// marks on some edges of a state only.
pub fn never(automaton: &Automaton, names: &[String], comment: &str) -> Option<String> {
    if automaton.n_sets > 1 || !automaton.is_state_based() {
        return None;
    }
    let claim = Claim { automaton, names };
    let comment = comment.replace("*/", "* /");
    Some(format!("never {{ /* {comment} */\n{}}}\n", claim.states()))
}

struct Claim<'a> {
    automaton: &'a Automaton,
    names: &'a [String],
}

impl Claim<'_> {
    /// All states. Those that accept everything share a place: the end of the claim, which Spin takes
    /// for a violation. It starts in the first state.
    fn states(&self) -> String {
        let initial = self.automaton.initial as usize;
        let mut order: Vec<usize> = (0..self.automaton.states.len()).collect();
        order.retain(|state| *state != initial);
        order.insert(0, initial);
        let (ends, others): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|state| self.accepts_everything(*state));
        if ends.contains(&initial) {
            return ACCEPT_ALL.to_owned();
        }
        let states: String = others.into_iter().map(|state| self.state(state)).collect();
        if ends.is_empty() { states } else { states + ACCEPT_ALL }
    }

    fn state(&self, number: usize) -> String {
        let label = self.label(number);
        let edges = self.automaton.states[number].edges.iter();
        let options: String = edges
            .filter(|edge| !edge.guard.cubes.is_empty())
            .map(|edge| {
                let guard = guard_text(&edge.guard, self.names);
                format!("\t:: ({guard}) -> goto {}\n", self.label(edge.target as usize))
            })
            .collect();
        if options.is_empty() {
            format!("{label}:\n\tfalse;\n")
        } else {
            format!("{label}:\n\tdo\n{options}\tod;\n")
        }
    }

    /// The name of a state. Spin takes those that begin with `accept` as accepting.
    fn label(&self, number: usize) -> String {
        let prefix = if self.is_accepting(number) { "accept" } else { "T0" };
        if self.accepts_everything(number) {
            "accept_all".to_owned()
        } else if number == self.automaton.initial as usize {
            format!("{prefix}_init")
        } else {
            format!("{prefix}_S{number}")
        }
    }

    fn is_accepting(&self, number: usize) -> bool {
        let all_sets = self.automaton.all_sets();
        self.automaton.states[number].edges.iter().any(|edge| edge.accepts == all_sets)
    }

    /// Whether the state is accepting and never left.
    fn accepts_everything(&self, number: usize) -> bool {
        let State { edges } = &self.automaton.states[number];
        let stays = edges.iter().any(|edge| edge.target as usize == number && edge.guard == Guard::always());
        stays && self.is_accepting(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hoa;

    fn claim(hoa: &str) -> Option<String> {
        let (automaton, names) = hoa::read(hoa, &model::Patience::default()).unwrap().unwrap();
        never(&automaton, &names, "a comment /* in it */")
    }

    #[test]
    fn the_initial_state_comes_first() {
        let hoa = "HOA: v1 Start: 1 AP: 2 \"p\" \"x == 1\" Acceptance: 1 Inf(0) --BODY-- \
                   State: 0 {0} [1&!0 | 0] 0 State: 1 [t] 1 [!1] 0 [0] 2 State: 2 {0} [t] 2 \
                   State: 3 [f] 0 --END--";
        let expected = "never { /* a comment /* in it * / */\n\
                        T0_init:\n\
                        \tdo\n\
                        \t:: (true) -> goto T0_init\n\
                        \t:: (!(x == 1)) -> goto accept_S0\n\
                        \t:: (p) -> goto accept_all\n\
                        \tod;\n\
                        accept_S0:\n\
                        \tdo\n\
                        \t:: (p || (!p && (x == 1))) -> goto accept_S0\n\
                        \tod;\n\
                        T0_S3:\n\
                        \tfalse;\n\
                        accept_all:\n\
                        \tskip\n\
                        }\n";
        assert_eq!(claim(hoa).as_deref(), Some(expected));
    }

    #[test]
    fn a_claim_may_accept_everything() {
        let hoa = "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--";
        assert!(claim(hoa).unwrap().ends_with("*/\naccept_all:\n\tskip\n}\n"));
    }

    #[test]
    fn without_sets_all_states_accept() {
        let claim = claim("HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--");
        assert!(claim.unwrap().contains("accept_init:\n\tdo\n\t:: (p) -> goto accept_init\n"));
    }

    #[test]
    fn other_automata_have_no_claim() {
        let two_sets = "HOA: v1 Start: 0 Acceptance: 2 Inf(0)&Inf(1) --BODY-- State: 0 {0 1} [t] 0 --END--";
        assert_eq!(claim(two_sets), None);
        let on_edges = "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) --BODY-- \
                        State: 0 [0] 0 {0} [!0] 0 --END--";
        assert_eq!(claim(on_edges), None);
    }
}

//! The definition of stubborn sets, tried on every set of moves of a state.

use model::{Actions, EnablingSets, Independence};

/// The stubborn sets of a state, by the enabled actions that they allow, as bits.
pub struct Structure {
    pub strong: Vec<u64>,
    pub weak: Vec<u64>,
    pub n_moves: usize,
}

fn bits(moves: &[u32]) -> u64 {
    moves.iter().fold(0, |set, &number| set | 1 << number)
}

/// None if there are too many sets to try.
pub fn structure(independence: &mut dyn Independence, state: &[u64], enabled: &Actions) -> Option<Structure> {
    independence.look(state, enabled);
    let moves = independence.moves().to_vec();
    if moves.len() > 10 {
        return None;
    }
    let mut conflicts = Vec::new();
    let mut left = Vec::new();
    let mut obstacles: Vec<Vec<u64>> = Vec::new();
    for (number, part) in (0..).zip(&moves) {
        let (mut named, mut named_left, mut sets) = (Vec::new(), Vec::new(), EnablingSets::default());
        if part.enabled {
            independence.conflicts(number, &mut named);
            independence.left_conflicts(number, &mut named_left);
        } else {
            independence.enabling_sets(number, &mut sets);
        }
        conflicts.push(bits(&named));
        left.push(bits(&named_left));
        obstacles.push(sets.iter().map(bits).collect());
    }
    let actions: Vec<u64> =
        (0..enabled.list.len()).map(|action| bits(&independence.moves_of(action))).collect();
    let mut found = Structure { strong: Vec::new(), weak: Vec::new(), n_moves: moves.len() };
    for set in 0..1_u64 << moves.len() {
        let members = || (0..moves.len()).filter(|number| set >> number & 1 == 1);
        let mut enabled_members = members().filter(|&number| moves[number].enabled);
        let stuck = members()
            .filter(|&number| !moves[number].enabled)
            .all(|number| obstacles[number].iter().any(|obstacle| obstacle & !set == 0));
        if !stuck || enabled_members.clone().next().is_none() {
            continue;
        }
        let allowed = (0..).zip(&actions).filter(|(_, parts)| *parts & set != 0);
        let allowed = allowed.fold(0, |all, (action, _)| all | 1_u64 << action);
        if enabled_members.clone().all(|number| conflicts[number] & !set == 0) {
            found.strong.push(allowed);
        }
        if enabled_members.clone().all(|number| left[number] & !set == 0)
            && enabled_members.any(|number| conflicts[number] & !set == 0)
        {
            found.weak.push(allowed);
        }
    }
    Some(found)
}

//! Which locations a process can still come to.

use model::{Over, Pace};

use crate::analysis::target;
use crate::program::{ControlLocation, Process};

/// The locations of a process that can be reached from others, by strongly connected components.
///
/// The components are numbered in the order in which a depth-first search leaves them, so those that can be reached from one
/// are few ranges of numbers: a single one behind plain sequences, and one more for each place where ways meet again.
pub struct Reach {
    /// The component of each location.
    pub component: Vec<u32>,
    /// For each component, those that can be reached from it: ranges in order, with gaps between them.
    ranges: Vec<Box<[Range]>>,
}

/// The first and the last of it.
type Range = (u32, u32);

/// What a component leads to has so many ranges at most; then gaps are closed. More is taken for reachable, which is
/// the safe side, and memory stays linear for control flow without any structure.
const MANY_RANGES: usize = 64;

impl Reach {
    pub fn new(process: &Process, pace: &mut Pace<'_>) -> Result<Reach, Over> {
        let locations = process.locations.iter();
        let targets = |location: &ControlLocation| {
            location.transitions.iter().filter_map(target).map(|at| at as usize).collect()
        };
        Reach::by(&locations.map(targets).collect::<Vec<Vec<usize>>>(), pace)
    }

    /// `targets` says where the ways from each location lead.
    fn by(targets: &[Vec<usize>], pace: &mut Pace<'_>) -> Result<Reach, Over> {
        let parts = logic::components(targets.len(), |location, k| targets[location].get(k).copied());
        let mut leads_to: Vec<Vec<u32>> = vec![Vec::new(); parts.n];
        for (location, targets) in targets.iter().enumerate() {
            leads_to[parts.of[location]].extend(targets.iter().map(|&target| parts.of[target] as u32));
        }
        let mut ranges: Vec<Box<[Range]>> = Vec::with_capacity(parts.n);
        for (component, leads_to) in leads_to.iter_mut().enumerate() {
            leads_to.sort_unstable();
            leads_to.dedup();
            // Edges lead to the same component or to smaller numbers.
            let behind = leads_to.iter().filter(|&&other| other < component as u32);
            let mut all = vec![(component as u32, component as u32)];
            all.extend(behind.flat_map(|&other| &ranges[other as usize]));
            pace.steps(all.len())?;
            ranges.push(joined(all));
        }
        Ok(Reach { component: parts.of.into_iter().map(|component| component as u32).collect(), ranges })
    }

    /// Whether there is a way from one component to another.
    pub fn leads(&self, from: u32, to: u32) -> bool {
        let ranges = &self.ranges[from as usize];
        let next = ranges.partition_point(|&(_, last)| last < to);
        ranges.get(next).is_some_and(|&(first, _)| first <= to)
    }
}

/// Ranges in order, those that overlap or touch made one.
fn joined(mut all: Vec<Range>) -> Box<[Range]> {
    all.sort_unstable();
    let mut joined: Vec<Range> = Vec::new();
    for (first, last) in all {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    while joined.len() > MANY_RANGES {
        joined = joined.chunks(2).map(|pair| (pair[0].0, pair[pair.len() - 1].1)).collect();
    }
    joined.into()
}

#[cfg(test)]
mod tests {
    use model::{Patience, Random};

    use super::*;

    fn reach_by(targets: &[Vec<usize>]) -> Reach {
        Reach::by(targets, &mut Patience::default().pace()).expect("nobody is impatient")
    }

    /// What can be reached, by the definition.
    fn reachable(targets: &[Vec<usize>], start: usize) -> Vec<bool> {
        let mut seen = vec![false; targets.len()];
        let mut open = vec![start];
        seen[start] = true;
        while let Some(at) = open.pop() {
            for &target in &targets[at] {
                if !std::mem::replace(&mut seen[target], true) {
                    open.push(target);
                }
            }
        }
        seen
    }

    /// How many pairs of locations are wrong: not taken for reachable, and taken for it in vain.
    fn wrong(targets: &[Vec<usize>]) -> (usize, usize) {
        let reach = reach_by(targets);
        let (mut missed, mut in_vain) = (0, 0);
        for start in 0..targets.len() {
            for (end, is_reachable) in reachable(targets, start).into_iter().enumerate() {
                let said = reach.leads(reach.component[start], reach.component[end]);
                missed += usize::from(is_reachable && !said);
                in_vain += usize::from(!is_reachable && said);
            }
        }
        (missed, in_vain)
    }

    #[test]
    fn exactly_what_can_be_reached_is_said_to_be() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let n = 1 + random.below(40);
            let forwards = random.below(2) == 0;
            let mut target = |at: usize| {
                let first = if forwards { (at + 1).min(n - 1) } else { 0 };
                first + random.below(n - first)
            };
            let targets: Vec<Vec<usize>> =
                (0..n).map(|at| (0..at % 3).map(|_| target(at)).collect()).collect();
            assert_eq!(wrong(&targets), (0, 0), "{targets:?}");
        }
    }

    #[test]
    fn of_what_is_scattered_too_much_is_said_to_be_reachable_and_nothing_is_forgotten() {
        let mut random = Random::new(1);
        let n = 4 * MANY_RANGES;
        let mut leaves = || (n..2 * n).filter(|_| random.below(2) == 0).collect();
        let targets: Vec<Vec<usize>> =
            (0..2 * n).map(|at| if at < n { leaves() } else { Vec::new() }).collect();
        let (missed, in_vain) = wrong(&targets);
        assert_eq!(missed, 0);
        assert!(in_vain > 0);
        assert!(reach_by(&targets).ranges.iter().all(|ranges| ranges.len() <= MANY_RANGES));
    }

    #[test]
    fn ways_that_meet_again_need_few_ranges() {
        // 1000 choices, one behind the other.
        let mut targets: Vec<Vec<usize>> = Vec::new();
        for at in (0..3000).step_by(3) {
            targets.extend([vec![at + 1, at + 2], vec![at + 3], vec![at + 3]]);
        }
        targets.push(Vec::new());
        assert!(reach_by(&targets).ranges.iter().all(|ranges| ranges.len() <= 2));
    }
}

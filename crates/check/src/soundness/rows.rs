//! The rows. A sound row speaks of exactly what it names: whatever it does not mention must be off. A refusal speaks of every
//! setting that contains its values, and wins.
//!
//! Sources: `000`, `003` are the documents that the techniques come from (see `docs/seeds.md`), with their sections.

use model::Fairness;
use por::Preserves;

use super::value::Value::{
    AllErrors, Ample, AtomMayFail, Bound, Branching, BranchingX, Chains, Count, Deadlock, Deletion,
    DepthLimit, FollowsInVain, Last, Linear, LinearX, Local, ManyOutcomes, MayCount, MayFail, NoIndependence,
    Priorities, Promises, Reach, Reset, Safety, Shortest, Strong, Stubborn, Terminal, Towards, Weak,
    WeakSets,
};
use super::value::{Setting, Value};
use super::{Need, Note, Row, Status};

const fn one(value: Value) -> Setting {
    Setting::of(&[value])
}

const POR: Setting = Setting::of(&[Local, Ample, Stubborn, Deletion, WeakSets]);
const STRONG_SETS: Setting = Setting::of(&[Local, Ample, Stubborn, Deletion]);
const FINITE: Setting = Setting::of(&[Deadlock, Safety, Reach, Bound, Count]);
const INFINITE: Setting = Setting::of(&[Linear, LinearX]);
const GRAPH: Setting = Setting::of(&[Branching, BranchingX, Terminal]);
const FAIR: Setting = Setting::of(&[Weak, Strong]);

/// What is wanted beside the verdict: it decides which search and reduction are preferred, not what is sound.
const WANTS: Setting = Setting::of(&[AllErrors, Shortest, DepthLimit]);
/// What does not matter where everything is explored.
const ANYTHING: Setting = Setting::of(&[
    MayFail,
    ManyOutcomes,
    Priorities,
    Last,
    NoIndependence,
    Promises,
    Towards,
    AtomMayFail,
    FollowsInVain,
    MayCount,
    AllErrors,
    Shortest,
    DepthLimit,
    Reset,
]);
/// What does not matter to any reduction: a broken promise is noticed where it is broken, and where it is not, the sets
/// are those of the net.
const HARMLESS: Setting = WANTS.and(Setting::of(&[Promises, Towards, Reset]));
/// Of runs of programs. Relations between actions hold for all of their outcomes.
const IN_RUNS: Setting = HARMLESS.and(Setting::of(&[ManyOutcomes, Chains]));

const fn sound(
    id: &'static str,
    when: &'static [Setting],
    may: Setting,
    needs: &'static [Need],
    why: &'static str,
    source: &'static str,
) -> Row {
    Row { id, when, may, status: Status::Sound(needs), why, instead: None, source, witness: None }
}

const fn refusal(id: &'static str, when: &'static [Setting], status: Status, why: &'static str) -> Row {
    Row { id, when, may: Setting::NOTHING, status, why, instead: None, source: "", witness: None }
}

impl Row {
    const fn or(self, instead: &'static str) -> Row {
        Row { instead: Some(instead), ..self }
    }

    const fn from(self, source: &'static str) -> Row {
        Row { source, ..self }
    }

    const fn shown_by(self, witness: &'static str) -> Row {
        Row { witness: Some(witness), ..self }
    }
}

/// All rows: the refusals first, in the order in which they are told.
pub const ROWS: &[Row] = &[
    // Partial-order reduction.
    refusal(
        "por-priorities",
        &[one(Priorities), POR],
        Status::Unproved,
        "priorities: whether a process is enabled depends on all others",
    )
    .from("000 §10"),
    refusal("por-last", &[one(Last), POR], Status::Unproved, "_last: every step changes it").from("000 §10"),
    refusal(
        "por-unknown",
        &[one(NoIndependence), POR],
        Status::Unproved,
        "nothing is known about the independence of its actions",
    ),
    refusal(
        "por-next",
        &[one(LinearX), POR],
        Status::Unsound,
        "its formula has the operator X, and reduction preserves runs only up to stuttering",
    )
    .or("write the formula without X")
    .from("000 §9")
    .shown_by("tests/soundness/por-next.pml"),
    refusal(
        "por-followed",
        &[one(FollowsInVain), one(MayFail), POR],
        Status::Unsound,
        "the automaton has dead ends: how far it follows a run that it never accepts depends on stuttering, and a \
         runtime error on the way would count",
    )
    .shown_by("tests/reduction/hopeless-claim.pml"),
    refusal(
        "por-may-count",
        &[one(MayCount), POR],
        Status::Unproved,
        "reduction preserves runs only up to stuttering, and the automaton was not shown to be stutter-invariant",
    ),
    refusal(
        "por-atoms",
        &[one(AtomMayFail), POR],
        Status::Unsound,
        "an atom of the property may have no value in some states (a runtime error), and reduction does not preserve \
         in which states it is evaluated",
    )
    .shown_by("tests/soundness/por-atoms.pml"),
    refusal(
        "por-strong",
        &[one(Strong), POR],
        Status::Unproved,
        "no reduction is known that preserves strongly fair runs",
    )
    .or("use `--fairness weak`")
    .from("000 §9"),
    refusal(
        "por-terminal-weak-sets",
        &[one(Terminal), one(WeakSets)],
        Status::Unproved,
        "an action outside a weak set may be disabled by one inside it, and never occur again",
    )
    .or("use `--por stubborn`")
    .from("003 §13"),
    refusal(
        "por-outcomes",
        &[GRAPH, one(ManyOutcomes), POR],
        Status::Unproved,
        "an action may have several outcomes, and the sets that preserve branching are defined for actions with one",
    ),
    // Merged statements.
    refusal(
        "chains-next",
        &[one(LinearX), one(Chains)],
        Status::Unsound,
        "its formula has the operator X, and merging preserves runs only up to stuttering",
    )
    .from("004")
    .shown_by("tests/soundness/chains-next.pml"),
    refusal(
        "chains-followed",
        &[one(FollowsInVain), one(MayFail), one(Chains)],
        Status::Unsound,
        "the automaton has dead ends: how far it follows a run that it never accepts depends on stuttering, and a \
         runtime error on the way would count",
    )
    .shown_by("tests/soundness/chains-followed.pml"),
    refusal(
        "chains-may-count",
        &[one(MayCount), one(Chains)],
        Status::Unproved,
        "merging preserves runs only up to stuttering, and the automaton was not shown to be stutter-invariant",
    ),
    refusal(
        "chains-fair",
        &[FAIR, one(Chains)],
        Status::Unsound,
        "between two merged statements a process may offer no rendezvous, which disables its partners there, and \
         merging hides that",
    )
    .from("001, W")
    .shown_by("tests/soundness/chains-fair.pml"),
    refusal(
        "chains-branching",
        &[GRAPH, one(Chains)],
        Status::Unproved,
        "merging is not known to preserve branching",
    ),
    // Everything is explored.
    sound("whole-finite", &[FINITE], ANYTHING.with(Chains), &[], "every reachable state is visited", ""),
    sound("whole-linear", &[one(Linear)], ANYTHING.with(Chains), &[], "every run is explored", ""),
    sound("whole-next", &[one(LinearX)], ANYTHING, &[], "every run is explored", ""),
    sound(
        "whole-weak",
        &[INFINITE, one(Weak)],
        ANYTHING,
        &[Need::Fair(Fairness::Weak)],
        "a loop counts if each process moves in it or is disabled somewhere in it",
        "000 §5",
    ),
    sound(
        "whole-strong",
        &[INFINITE, one(Strong)],
        ANYTHING,
        &[Need::Fair(Fairness::Strong)],
        "a loop counts if each process moves in it or is disabled everywhere in it",
        "000 §5",
    ),
    sound("whole-graph", &[GRAPH], ANYTHING, &[], "the graph of all states is built", "003 §6"),
    // Partial-order reduction.
    sound(
        "por-deadlock",
        &[one(Deadlock), POR],
        IN_RUNS,
        &[Need::Keep(Preserves::Deadlocks)],
        "every run to a deadlock contains an action of each set, which can be moved to the front",
        "003 §13",
    ),
    sound(
        "por-deadlock-failing",
        &[one(Deadlock), POR, one(MayFail)],
        IN_RUNS,
        &[Need::Keep(Preserves::FiniteRuns)],
        "runtime errors are no deadlocks, but they count, so no action may be ignored for ever",
        "000 §2",
    ),
    sound(
        "por-safety",
        &[one(Safety), POR],
        IN_RUNS.with(MayFail),
        &[Need::Keep(Preserves::FiniteRuns)],
        "a failure depends on the actions that change its condition, and no action is ignored for ever",
        "000 §9",
    ),
    // What the user has named is a way of making state spaces small, and said to be one that keeps deadlocks.
    sound(
        "por-count",
        &[one(Count), POR],
        IN_RUNS.with(MayFail),
        &[Need::Keep(Preserves::Deadlocks)],
        "the states of a graph that preserves the deadlocks are counted; nothing else is claimed about it",
        "003 §13",
    ),
    sound(
        "por-goal",
        &[one(Reach), POR, one(Towards)],
        WANTS.with(Promises),
        &[Need::KeepGoal],
        "every run to the goal contains an action of each set, and a shortest one can begin with it",
        "003 §3",
    ),
    sound(
        "por-reach",
        &[one(Reach), POR],
        IN_RUNS.with(MayFail).without(Setting::of(&[Towards])),
        &[Need::Keep(Preserves::InfiniteRuns)],
        "every run to a state with the predicate has a representative through such a state: no action that changes the \
         predicate is ignored for ever",
        "000 §9",
    ),
    sound(
        "por-bound",
        &[one(Bound), POR],
        HARMLESS,
        &[Need::Whole],
        "nothing is left out: the greatest value may be in any state",
        "",
    ),
    sound(
        "por-linear",
        &[one(Linear), POR],
        IN_RUNS.with(MayFail).with(FollowsInVain),
        &[Need::Keep(Preserves::InfiniteRuns), Need::Path],
        "runs are preserved up to stuttering of the atoms, and every cycle has a fully expanded state",
        "000 §9",
    ),
    sound(
        "por-weak",
        &[one(Linear), POR, one(Weak)],
        HARMLESS.with(ManyOutcomes).with(MayFail).with(FollowsInVain),
        &[Need::Keep(Preserves::FairRuns), Need::OwnSets, Need::Path, Need::Fair(Fairness::Weak)],
        "the actions left out must not affect how long other processes have been enabled: each set belongs to one \
         process and changes the enabledness of no other",
        "000 §3, §9",
    ),
    sound(
        "por-branching",
        &[one(Branching), POR],
        WANTS.with(Promises).with(Towards),
        &[Need::Keep(Preserves::Branching)],
        "a set of one invisible action preserves branching, up to stuttering of the atoms",
        "003 §13",
    ),
    sound(
        "por-branching-next",
        &[one(BranchingX), POR, one(Towards)],
        WANTS.with(Promises),
        &[Need::Keep(Preserves::Branching), Need::WholeSteps],
        "where single steps are observed nothing is left out, except on the way to the goals of EF and AG",
        "003 §13",
    ),
    sound(
        "por-terminal",
        &[one(Terminal), STRONG_SETS],
        WANTS.with(Promises).with(Towards),
        &[Need::Keep(Preserves::Terminal), Need::Path],
        "strong sets lead into a part of each terminal component; actions that were ignored there are added",
        "003 §13",
    ),
];

/// What is sound and yet worth knowing.
pub const NOTES: &[Note] = &[Note {
    id: "por-all-errors",
    when: &[FINITE, POR, one(AllErrors)],
    text: "errors that differ only in the order of the preceding steps are not all counted",
}];

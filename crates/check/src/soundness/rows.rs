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
        "priorities: whether a process may move depends on all others",
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
        "its formula has the operator X, and reduction does not keep how often a state is repeated",
    )
    .or("write the formula without X")
    .from("000 §9")
    .shown_by("tests/soundness/por-next.pml"),
    refusal(
        "por-followed",
        &[one(FollowsInVain), one(MayFail), POR],
        Status::Unsound,
        "the automaton follows some runs that it does not accept, for as long as states are not repeated too often, \
         and a runtime error on the way would count",
    )
    .shown_by("tests/reduction/hopeless-claim.pml"),
    refusal(
        "por-may-count",
        &[one(MayCount), POR],
        Status::Unproved,
        "reduction does not keep how often a state is repeated, and that this does not matter to the automaton could \
         not be shown",
    ),
    refusal(
        "por-atoms",
        &[one(AtomMayFail), POR],
        Status::Unsound,
        "one of its conditions may have no value in some states (a runtime error), and reduction does not keep in \
         which of them it is looked at",
    )
    .shown_by("tests/soundness/por-atoms.pml"),
    refusal(
        "por-strong",
        &[one(Strong), POR],
        Status::Unproved,
        "it is not known how to reduce and keep the strongly fair runs",
    )
    .or("use `--fairness weak`")
    .from("000 §9"),
    refusal(
        "por-terminal-weak-sets",
        &[one(Terminal), one(WeakSets)],
        Status::Unproved,
        "what a weak set leaves out may be disabled by what is in it, and never happen again",
    )
    .or("use `--por stubborn`")
    .from("003 §13"),
    refusal(
        "por-outcomes",
        &[GRAPH, one(ManyOutcomes), POR],
        Status::Unproved,
        "an action of it may have several outcomes, and the sets that keep branches are for actions with one",
    ),
    // Merged statements.
    refusal(
        "chains-next",
        &[one(LinearX), one(Chains)],
        Status::Unsound,
        "its formula has the operator X, and merging does not keep how often a state is repeated",
    )
    .from("004")
    .shown_by("tests/soundness/chains-next.pml"),
    refusal(
        "chains-followed",
        &[one(FollowsInVain), one(MayFail), one(Chains)],
        Status::Unsound,
        "the automaton follows some runs that it does not accept, for as long as states are not repeated too often, \
         and a runtime error on the way would count",
    )
    .shown_by("tests/soundness/chains-followed.pml"),
    refusal(
        "chains-may-count",
        &[one(MayCount), one(Chains)],
        Status::Unproved,
        "merging does not keep how often a state is repeated, and that this does not matter to the automaton could not \
         be shown",
    ),
    refusal(
        "chains-fair",
        &[FAIR, one(Chains)],
        Status::Unsound,
        "where a process stands between two merged statements it may offer no rendezvous, so others are disabled there, \
         and merging hides that",
    )
    .from("001, W")
    .shown_by("tests/soundness/chains-fair.pml"),
    refusal(
        "chains-branching",
        &[GRAPH, one(Chains)],
        Status::Unproved,
        "it is not known that merging keeps the branches of runs",
    ),
    // Everything is explored.
    sound("whole-finite", &[FINITE], ANYTHING.with(Chains), &[], "every state that can be reached is looked at", ""),
    sound("whole-linear", &[one(Linear)], ANYTHING.with(Chains), &[], "every run is looked at", ""),
    sound("whole-next", &[one(LinearX)], ANYTHING, &[], "every run is looked at", ""),
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
    sound("whole-graph", &[GRAPH], ANYTHING, &[], "the whole graph is there", "003 §6"),
    // Partial-order reduction.
    sound(
        "por-deadlock",
        &[one(Deadlock), POR],
        IN_RUNS,
        &[Need::Keep(Preserves::Deadlocks)],
        "a run to a deadlock must take an action of each set, and can take it first",
        "003 §13",
    ),
    sound(
        "por-deadlock-failing",
        &[one(Deadlock), POR, one(MayFail)],
        IN_RUNS,
        &[Need::Keep(Preserves::FiniteRuns)],
        "runtime errors are no deadlocks, but count, so nothing may be postponed for ever",
        "000 §2",
    ),
    sound(
        "por-safety",
        &[one(Safety), POR],
        IN_RUNS.with(MayFail),
        &[Need::Keep(Preserves::FiniteRuns)],
        "a failure depends on what changes its conditions, and nothing is postponed for ever",
        "000 §9",
    ),
    // What the user has named is a way of making state spaces small, and said to be one that keeps deadlocks.
    sound(
        "por-count",
        &[one(Count), POR],
        IN_RUNS.with(MayFail),
        &[Need::Keep(Preserves::Deadlocks)],
        "what is counted is a state space that keeps the deadlocks, and nothing else is said about it",
        "003 §13",
    ),
    sound(
        "por-goal",
        &[one(Reach), POR, one(Towards)],
        WANTS.with(Promises),
        &[Need::KeepGoal],
        "every way to the goal has an action of each set, and a shortest one can begin with it",
        "003 §3",
    ),
    sound(
        "por-reach",
        &[one(Reach), POR],
        IN_RUNS.with(MayFail).without(Setting::of(&[Towards])),
        &[Need::Keep(Preserves::InfiniteRuns)],
        "a run to a state with the predicate has a representative that comes by such a state, too: what changes the \
         predicate is never postponed for ever",
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
        "runs are kept up to repetitions of what the property sees, and every loop has a state with all actions",
        "000 §9",
    ),
    sound(
        "por-weak",
        &[one(Linear), POR, one(Weak)],
        HARMLESS.with(ManyOutcomes).with(MayFail).with(FollowsInVain),
        &[Need::Keep(Preserves::FairRuns), Need::OwnSets, Need::Path, Need::Fair(Fairness::Weak)],
        "what is left out must not decide how long others have been enabled: the sets are of one process, and touch \
         nobody's enabledness",
        "000 §3, §9",
    ),
    sound(
        "por-branching",
        &[one(Branching), POR],
        WANTS.with(Promises).with(Towards),
        &[Need::Keep(Preserves::Branching)],
        "a set of one invisible action keeps the branches, up to repetitions of what the property sees",
        "003 §13",
    ),
    sound(
        "por-branching-next",
        &[one(BranchingX), POR, one(Towards)],
        WANTS.with(Promises),
        &[Need::Keep(Preserves::Branching), Need::WholeSteps],
        "where single steps are seen nothing is left out, but on the way to the goals of EF and AG",
        "003 §13",
    ),
    sound(
        "por-terminal",
        &[one(Terminal), STRONG_SETS],
        WANTS.with(Promises).with(Towards),
        &[Need::Keep(Preserves::Terminal), Need::Path],
        "strong sets lead into a part of each terminal component, in which what was ignored is added",
        "003 §13",
    ),
];

/// What is sound and yet worth knowing.
pub const NOTES: &[Note] = &[Note {
    id: "por-all-errors",
    when: &[FINITE, POR, one(AllErrors)],
    text: "of errors that differ only in the order of what led to them, not all are counted",
}];

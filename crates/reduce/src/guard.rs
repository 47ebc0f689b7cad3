//! Which reduction goes together with what else is asked for.
//!
//! A reduced state space is right about some questions and wrong about others. Here it is decided
//! which: a combination is sound, or is made so by what is demanded of the subsets ([`Keeps`]), or is
//! refused with the names of what does not go together. Without an explicit wish, what would be
//! refused is done unreduced. Whether the model itself allows reduction is its own answer
//! ([`model::Hindrance`]); what its actions depend on, `unless` and rendezvous included, is in the sets.

use std::fmt::Display;

use model::{Fairness, Hindrance, PredicateId};

use crate::{Keeps, Method, Plan};

impl Method {
    /// All methods, in the order of their power.
    pub const ALL: [Method; 5] =
        [Method::Local, Method::Ample, Method::Stubborn, Method::Deletion, Method::Weak];

    /// Whether everything in its sets stays enabled, whatever happens outside.
    pub fn is_strong(self) -> bool {
        self != Method::Weak
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Local => "local",
            Method::Ample => "ample",
            Method::Stubborn => "stubborn",
            Method::Deletion => "deletion",
            Method::Weak => "weak",
        }
    }
}

/// What the user says about reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// Nothing: the best that is sound.
    #[default]
    Best,
    /// It is not wanted.
    None,
    /// This method or no answer at all.
    Exactly(Method),
}

/// What is to be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Whether there are deadlocks.
    Deadlock,
    /// Whether there are deadlocks or failed assertions.
    Safety,
    /// How many states there are.
    StateSpace,
    /// What happens in terminal components: which actions are possible, which ones again and again.
    TerminalComponents,
    /// Whether there are infinite runs of some kind.
    InfiniteRuns(InfiniteRuns),
}

/// A property of infinite runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfiniteRuns {
    /// Whether it matters how often a state is repeated.
    pub repetitions: Repetitions,
    /// Which runs count.
    pub fairness: Fairness,
    /// The predicates on which it depends.
    pub watched: Vec<PredicateId>,
    /// Whether there may be states in which one of them has no value.
    pub may_fail: bool,
}

/// Whether it matters for a property how often a state is repeated in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetitions {
    /// It does not.
    DoNotMatter,
    /// The formula has the operator `X`.
    Next,
    /// It is not known that it does not matter to the automaton.
    NotShown,
    /// It matters for how long the automaton follows a run before it gives up, and with that which
    /// runtime errors count.
    Followed,
}

/// The order of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// It knows the path that it is on.
    #[default]
    Depth,
    /// It does not.
    Breadth,
    /// Each of its threads has a path of its own.
    Threads,
}

/// All that matters for reduction.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// What the user says.
    pub wish: Wish,
    /// What the property is called.
    pub property: &'a str,
    /// What is to be decided.
    pub subject: Subject,
    /// The order of the search.
    pub order: Order,
    /// Whether the search goes on after each violation.
    pub all_errors: bool,
    /// What in the model is in the way.
    pub hindrance: Option<Hindrance>,
    /// Whether a step of the model may end in a runtime error, which violates any property.
    pub may_fail: bool,
}

/// A combination that is sound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admitted {
    /// How to reduce, if at all.
    pub plan: Option<Plan>,
    /// What the user might like to know about that.
    pub note: Option<String>,
}

/// A combination that is not sound: what does not go together, why, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The message.
    pub message: String,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// What is in the way of reduction.
struct Obstacle {
    /// The other side of the combination.
    with: String,
    /// Why they do not go together.
    why: String,
    /// What helps, besides no reduction.
    instead: Option<&'static str>,
}

/// Decides whether and how to reduce.
///
/// # Errors
/// If the user has asked for a reduction that is not sound here.
pub fn admit(question: &Question<'_>) -> Result<Admitted, Refusal> {
    let method = match question.wish {
        Wish::None => return Ok(Admitted::default()),
        Wish::Best if is_unreduced_by_default(question) => return Ok(Admitted::default()),
        Wish::Best => None,
        Wish::Exactly(method) => Some(method),
    };
    match (obstacle(question), method) {
        (None, _) => Ok(plan(question, method)),
        (Some(obstacle), None) => {
            let note = format!("no partial-order reduction: {}", obstacle.why);
            Ok(Admitted { plan: None, note: Some(note) })
        }
        (Some(obstacle), Some(method)) => {
            let instead = obstacle.instead.map_or(String::new(), |instead| format!(", or {instead}"));
            let name = method.name();
            let Obstacle { with, why, .. } = obstacle;
            let message =
                format!("`--por {name}` with {with}: {why}; use `--por none`, or leave --por out{instead}");
            Err(Refusal { message })
        }
    }
}

/// Where reduction would take away what the user wants to see: the shortest counterexample, every
/// error, every state.
fn is_unreduced_by_default(question: &Question<'_>) -> bool {
    question.order == Order::Breadth || question.all_errors || question.subject == Subject::StateSpace
}

fn obstacle(question: &Question<'_>) -> Option<Obstacle> {
    if let Some(hindrance) = &question.hindrance {
        let why = format!("{}: {}", hindrance.feature, hindrance.why);
        return Some(Obstacle { with: "this model".to_string(), why, instead: None });
    }
    if question.subject == Subject::TerminalComponents {
        return obstacle_to_components(question);
    }
    let Subject::InfiniteRuns(runs) = &question.subject else { return None };
    let property = question.property;
    let about_property = |why: &str, instead| {
        Some(Obstacle { with: format!("the property `{property}`"), why: why.to_string(), instead })
    };
    match runs.repetitions {
        Repetitions::DoNotMatter => {}
        Repetitions::Next => {
            return about_property(
                "its formula has the operator X, and reduction does not keep how often a state is repeated",
                Some("write the formula without X"),
            );
        }
        Repetitions::Followed => {
            return about_property(
                "the automaton follows some runs that it does not accept, for as long as states are not \
                 repeated too often, and a runtime error on the way would count",
                None,
            );
        }
        Repetitions::NotShown => {
            return about_property(
                "reduction does not keep how often a state is repeated, and that this does not matter to the \
                 automaton could not be shown",
                None,
            );
        }
    }
    if runs.may_fail {
        return about_property(
            "one of its conditions may have no value in some states (a runtime error), and reduction does \
             not keep in which of them it is looked at",
            None,
        );
    }
    if question.order == Order::Threads {
        return Some(Obstacle {
            with: "`--search cndfs`".to_string(),
            why: "what may be left out in a state depends on the path of the search, and each thread has \
                  another one"
                .to_string(),
            instead: Some("use another search"),
        });
    }
    if runs.fairness == Fairness::Strong {
        return Some(Obstacle {
            with: "`--fairness strong`".to_string(),
            why: "it is not known how to reduce and keep the strongly fair runs".to_string(),
            instead: Some("use `--fairness weak`"),
        });
    }
    None
}

fn obstacle_to_components(question: &Question<'_>) -> Option<Obstacle> {
    if question.order == Order::Threads {
        return Some(Obstacle {
            with: "several threads".to_string(),
            why: "what is ignored is found on the path of the search, and each thread has another one"
                .to_string(),
            instead: None,
        });
    }
    let is_weak = matches!(question.wish, Wish::Exactly(method) if !method.is_strong());
    is_weak.then(|| Obstacle {
        with: "questions about terminal components".to_string(),
        why: "what a weak set leaves out may be disabled by what is in it, and never happen again"
            .to_string(),
        instead: Some("use `--por stubborn`"),
    })
}

/// The plan for a combination without obstacles.
fn plan(question: &Question<'_>, asked: Option<Method>) -> Admitted {
    let method = asked.unwrap_or(Method::Stubborn);
    let mut note = None;
    let keep = |method, keeps, watched: &[PredicateId]| Plan { method, keeps, watched: watched.to_vec() };
    let plan = match &question.subject {
        // Runtime errors are no deadlocks, but count.
        Subject::Deadlock if question.may_fail => keep(method, Keeps::FiniteRuns, &[]),
        Subject::Deadlock => keep(method, Keeps::Deadlocks, &[]),
        Subject::Safety => keep(method, Keeps::FiniteRuns, &[]),
        Subject::TerminalComponents => keep(method, Keeps::Terminal, &[]),
        Subject::StateSpace => {
            if question.may_fail {
                note = Some(format!(
                    "`--por {}` with `--explore` keeps deadlocks; runtime errors may be missed",
                    method.name()
                ));
            }
            keep(method, Keeps::Deadlocks, &[])
        }
        Subject::InfiniteRuns(runs) if runs.fairness == Fairness::None => {
            keep(method, Keeps::InfiniteRuns, &runs.watched)
        }
        // What others do must not decide how long a process has been enabled: the sets consist of what
        // one process can do.
        Subject::InfiniteRuns(runs) if method == Method::Local => {
            keep(method, Keeps::FairRuns, &runs.watched)
        }
        Subject::InfiniteRuns(runs) => {
            if let Some(asked) = asked.filter(|asked| *asked != Method::Ample) {
                let name = asked.name();
                note = Some(format!("`--por {name}` with `--fairness weak`: the sets are those of `ample`"));
            }
            keep(Method::Ample, Keeps::FairRuns, &runs.watched)
        }
    };
    if question.all_errors && !matches!(question.subject, Subject::InfiniteRuns(_)) {
        let name = method.name();
        note.get_or_insert(format!(
            "`--por {name}` with `--all-errors`: of errors that differ only in the \
                                    order of what led to them, not all are counted"
        ));
    }
    Admitted { plan: Some(plan), note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(wish: Wish, subject: Subject) -> Question<'static> {
        Question {
            wish,
            property: "p",
            subject,
            order: Order::Depth,
            all_errors: false,
            hindrance: None,
            may_fail: false,
        }
    }

    fn runs(repetitions: Repetitions, fairness: Fairness) -> InfiniteRuns {
        InfiniteRuns { repetitions, fairness, watched: vec![PredicateId(3)], may_fail: false }
    }

    fn infinite(repetitions: Repetitions, fairness: Fairness) -> Subject {
        Subject::InfiniteRuns(runs(repetitions, fairness))
    }

    fn subjects() -> [Subject; 5] {
        let formula = infinite(Repetitions::DoNotMatter, Fairness::None);
        [Subject::Deadlock, Subject::Safety, Subject::StateSpace, Subject::TerminalComponents, formula]
    }

    fn keeps(question: &Question<'_>) -> Option<(Method, Keeps)> {
        admit(question).unwrap().plan.map(|plan| (plan.method, plan.keeps))
    }

    /// What would be refused is done unreduced if nobody has asked for reduction, and is no question if
    /// it is not wanted.
    fn check_refused(question: &Question<'_>, parts: &[&str]) {
        for method in Method::ALL {
            let asked = Question { wish: Wish::Exactly(method), ..question.clone() };
            let message = admit(&asked).unwrap_err().to_string();
            for part in parts.iter().chain(&[method.name(), "--por none"]) {
                assert!(message.contains(part), "{message}");
            }
        }
        let best = admit(&Question { wish: Wish::Best, ..question.clone() }).unwrap();
        assert_eq!(best.plan, None);
        assert!(best.note.is_some_and(|note| note.starts_with("no partial-order reduction: ")));
        let unwanted = Question { wish: Wish::None, ..question.clone() };
        assert_eq!(admit(&unwanted), Ok(Admitted::default()));
    }

    #[test]
    fn threads_do_not_share_a_path() {
        let formula = infinite(Repetitions::DoNotMatter, Fairness::None);
        let threads = Question { order: Order::Threads, ..question(Wish::Best, formula) };
        check_refused(&threads, &["--search cndfs", "path"]);
        // For finite runs the proviso needs none.
        let safety = Question { order: Order::Threads, ..question(Wish::Best, Subject::Safety) };
        assert_eq!(keeps(&safety), Some((Method::Stubborn, Keeps::FiniteRuns)));
    }

    #[test]
    fn no_reduction_is_always_possible() {
        for subject in subjects() {
            assert_eq!(admit(&question(Wish::None, subject)), Ok(Admitted::default()));
        }
    }

    /// 000 §9: POR + safety; 003 §13: basic stubborn sets, and those without ignored actions.
    #[test]
    fn finite_runs_keep_what_their_property_needs() {
        for method in Method::ALL {
            let asked = |subject| question(Wish::Exactly(method), subject);
            assert_eq!(keeps(&asked(Subject::Deadlock)), Some((method, Keeps::Deadlocks)));
            assert_eq!(keeps(&asked(Subject::Safety)), Some((method, Keeps::FiniteRuns)));
            assert_eq!(keeps(&asked(Subject::StateSpace)), Some((method, Keeps::Deadlocks)));
        }
        let best = |subject| question(Wish::Best, subject);
        assert_eq!(keeps(&best(Subject::Deadlock)), Some((Method::Stubborn, Keeps::Deadlocks)));
        assert_eq!(keeps(&best(Subject::Safety)), Some((Method::Stubborn, Keeps::FiniteRuns)));
        assert_eq!(keeps(&best(Subject::StateSpace)), None);
    }

    /// 003 §13: strong sets, depth-first.
    #[test]
    fn terminal_components_need_strong_sets_and_a_path() {
        let question = question(Wish::Best, Subject::TerminalComponents);
        assert_eq!(keeps(&question), Some((Method::Stubborn, Keeps::Terminal)));
        for method in Method::ALL.into_iter().filter(|method| *method != Method::Weak) {
            let asked = Question { wish: Wish::Exactly(method), ..question.clone() };
            assert_eq!(keeps(&asked), Some((method, Keeps::Terminal)));
        }
        let weak = Question { wish: Wish::Exactly(Method::Weak), ..question.clone() };
        let message = admit(&weak).unwrap_err().to_string();
        assert!(message.contains("`--por weak`") && message.contains("`--por stubborn`"), "{message}");
        check_refused(&Question { order: Order::Threads, ..question }, &["threads", "path"]);
    }

    #[test]
    fn runtime_errors_violate_what_is_about_deadlocks() {
        let failing = |subject| Question { may_fail: true, ..question(Wish::Exactly(Method::Weak), subject) };
        assert_eq!(keeps(&failing(Subject::Deadlock)), Some((Method::Weak, Keeps::FiniteRuns)));
        // By contract the sets stay those for deadlocks; so that is said.
        let counted = admit(&failing(Subject::StateSpace)).unwrap();
        assert_eq!(counted.plan.map(|plan| plan.keeps), Some(Keeps::Deadlocks));
        assert!(counted.note.unwrap().contains("runtime errors may be missed"));
    }

    /// 000 §9: POR + LTL without X.
    #[test]
    fn formulas_without_next_keep_the_infinite_runs() {
        let subject = || infinite(Repetitions::DoNotMatter, Fairness::None);
        for method in Method::ALL {
            let admitted = admit(&question(Wish::Exactly(method), subject())).unwrap();
            let watched = vec![PredicateId(3)];
            assert_eq!(admitted.plan, Some(Plan { method, keeps: Keeps::InfiniteRuns, watched }));
            assert_eq!(admitted.note, None);
        }
        assert_eq!(keeps(&question(Wish::Best, subject())), Some((Method::Stubborn, Keeps::InfiniteRuns)));
    }

    #[test]
    fn repetitions_that_matter_are_refused() {
        let next = question(Wish::Best, infinite(Repetitions::Next, Fairness::None));
        check_refused(&next, &["`p`", "operator X", "without X"]);
        let automaton = question(Wish::Best, infinite(Repetitions::NotShown, Fairness::Weak));
        check_refused(&automaton, &["`p`", "automaton", "could not be shown"]);
        let followed = question(Wish::Best, infinite(Repetitions::Followed, Fairness::None));
        check_refused(&followed, &["`p`", "automaton", "runtime error"]);
    }

    #[test]
    fn conditions_without_a_value_are_refused() {
        let failing = InfiniteRuns { may_fail: true, ..runs(Repetitions::DoNotMatter, Fairness::None) };
        check_refused(&question(Wish::Best, Subject::InfiniteRuns(failing)), &["`p`", "runtime error"]);
    }

    /// 000 §9: POR + weak fairness, with and without rendezvous: repaired.
    #[test]
    fn weak_fairness_keeps_the_fair_runs_with_sets_of_one_process() {
        let subject = || infinite(Repetitions::DoNotMatter, Fairness::Weak);
        assert_eq!(keeps(&question(Wish::Best, subject())), Some((Method::Ample, Keeps::FairRuns)));
        for method in Method::ALL {
            let admitted = admit(&question(Wish::Exactly(method), subject())).unwrap();
            let used = if method == Method::Local { Method::Local } else { Method::Ample };
            let plan = admitted.plan.unwrap();
            assert_eq!((plan.method, plan.keeps), (used, Keeps::FairRuns));
            assert_eq!(admitted.note.is_some(), method != used, "{method:?}");
        }
    }

    #[test]
    fn strong_fairness_is_refused() {
        let subject = infinite(Repetitions::DoNotMatter, Fairness::Strong);
        check_refused(&question(Wish::Best, subject), &["`--fairness strong`", "`--fairness weak`"]);
    }

    /// 000 §10, 3: priorities, `_last`, whatever the model names.
    #[test]
    fn what_the_model_says_is_passed_on() {
        let hindrance = Some(Hindrance { feature: "priorities", why: "a step may block others" });
        for subject in subjects() {
            let best = Question { hindrance: hindrance.clone(), ..question(Wish::Best, subject.clone()) };
            if subject == Subject::StateSpace {
                assert_eq!(admit(&best), Ok(Admitted::default()));
            } else {
                check_refused(&best, &["this model", "priorities", "block others"]);
            }
        }
    }

    #[test]
    fn what_shows_all_or_the_shortest_is_reduced_on_demand_only() {
        for subject in subjects() {
            let plain = question(Wish::Best, subject);
            let breadth = Question { order: Order::Breadth, ..plain.clone() };
            let every = Question { all_errors: true, ..plain };
            for question in [breadth, every] {
                assert_eq!(admit(&question), Ok(Admitted::default()));
                let asked = Question { wish: Wish::Exactly(Method::Ample), ..question };
                assert!(admit(&asked).unwrap().plan.is_some());
            }
        }
        let every = Question { all_errors: true, ..question(Wish::Exactly(Method::Ample), Subject::Safety) };
        assert!(admit(&every).unwrap().note.unwrap().contains("--all-errors"));
    }
}

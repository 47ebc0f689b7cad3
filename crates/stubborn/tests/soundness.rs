//! What the table of what is sound admits is right: random programs and nets, random questions of every class, under every
//! combination of options; the answer is what the definition says about all states of the system. Each sound row must
//! have been used, and what it needs is needed: plans that do without go wrong somewhere, or are stopped by an assertion.
//!
//! `STUBBORN_ROUNDS` says how many systems, `STUBBORN_SEED` which one to start with; a difference names its seed.

use std::collections::{BTreeMap, BTreeSet};

use check::answer::{Outcome, Remark};
use check::options::{Deadlocks, Options, Search};
use check::plan::{Explored, Task};
use check::prefer::Por;
use check::question::{Forbidden, Kind, Property, Question, Recurrence, Time};
use check::soundness::{self, Need, ROWS, Setting, Value};
use check::{Answer, Control, Plan, System, plan, run};
use logic::{Class, Formula, Goal};
use model::{Fairness, Patience, PredicateId, Random};
use por::{Preserves, Reduction};
use replay::Language;
use stubborn::{Reading, Source, What, open};
use testkit::random::{
    Features, branching, linear, looping_program, net, net_of_parts, net_predicate, program_with_properties,
};
use testkit::rounds::setting;
use testkit::space::{Ends, Space};

/// Larger systems are left out.
const STATES: usize = 120;

/// Models on which plans go wrong that do without something.
const DELICATE: [&str; 3] = [
    // Somebody's steps are local and never end: an error of somebody else must not be postponed for ever.
    "active proctype Failing() { assert(false) } active proctype Busy() { bit x; do :: x = 1 - x od }",
    "byte z; active proctype Failing() { z = 1 / z } active proctype Busy() { bit x; do :: x = 1 - x od }",
    // What the two do is independent, and only the order tells whether both are there at a time.
    "byte x, y; active proctype P() { x = 1; x = 0 } active proctype Q() { y = 1; y = 0 } ltl p { [] (x + y != 2) }",
];

/// What the definition says.
#[derive(Clone, Debug, PartialEq)]
enum Expected {
    /// Whether it holds.
    Verdict(bool),
    /// A number.
    Value(i64),
    /// So many states and steps, if nothing is left out and nothing is changed.
    Size {
        states: u64,
        steps: u64,
        /// Those that must not be left out.
        stuck: u64,
    },
}

/// A question, the fairness with which it is asked, and the answer.
struct Asked {
    property: Property,
    fairness: Fairness,
    ends: Deadlocks,
    expected: Expected,
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    n_systems: u64,
    n_answers: u64,
    n_violated: u64,
    n_refused: u64,
    n_reduced: u64,
    /// Answers of smaller programs, for which nobody has asked.
    n_compressed: u64,
    /// Answers to questions that were asked together, and those of one exploration.
    n_together: u64,
    n_shared: u64,
    /// How often each row of the table, and of those that refuse, has decided.
    rows: BTreeMap<&'static str, u64>,
    /// For each row, what it needs, and whether it was noticed that a plan did without.
    needs: BTreeMap<(&'static str, String), bool>,
}

/// A system as it is searched.
struct Case<'a> {
    system: &'a dyn System,
    /// What every message begins with.
    context: String,
    is_changed: bool,
    prng: &'a mut Random,
}

impl Case<'_> {
    /// Asks a question in many ways.
    fn compare(&mut self, asked: &Asked, tally: &mut Tally) -> Result<(), String> {
        for options in options(asked, self.prng) {
            let how = format!("{:?} {:?} {:?}", options.por, options.search, options.fairness);
            let plan = match plan(self.system, &asked.property, &options, &Patience::default()) {
                Ok(plan) => plan,
                Err(_) => {
                    tally.n_refused += 1;
                    continue;
                }
            };
            if let Some(row) = plan.row {
                *tally.rows.entry(row.id).or_default() += 1;
            }
            let answer =
                self.answer(&asked.property, &plan, &options).map_err(|why| format!("{how}: {why}"))?;
            tally.n_answers += 1;
            tally.n_violated += u64::from(matches!(answer.outcome, Outcome::Violated(_)));
            tally.n_reduced += u64::from(answer.counts.reduced > 0);
            tally.n_compressed += u64::from(answer.method.compressed && !self.is_changed);
            self.expect(asked, &options, &answer)
                .map_err(|why| format!("{}\n{how}: {:?}: {why}\n{answer:?}", self.context, asked.property))?;
            self.do_without(asked, &plan, &options, tally);
        }
        Ok(())
    }

    /// Asks several questions at once: each has the answer, and a run if it has one alone.
    fn compare_together(&mut self, asked: &[Asked], tally: &mut Tally) -> Result<(), String> {
        let asked: Vec<&Asked> = asked
            .iter()
            .filter(|one| one.fairness == Fairness::None && one.ends == Deadlocks::Stutter)
            .collect();
        for _ in 0..if asked.is_empty() { 0 } else { 3 } {
            let methods = por::Method::ALL.into_iter().map(Por::Exactly);
            let methods: Vec<Por> = [Por::Best, Por::Best, Por::None].into_iter().chain(methods).collect();
            let searches = [None, None, Some(Search::Reach), Some(Search::Dfs), Some(Search::Bfs)];
            let options = Options {
                por: *self.prng.pick(&methods),
                search: *self.prng.pick(&searches),
                threads: 1 + self.prng.below(2),
                engine: check::options::Engine::Interpreter,
                ..Options::default()
            };
            let chosen: Vec<&Asked> = (0..3 + self.prng.below(8)).map(|_| *self.prng.pick(&asked)).collect();
            let planned =
                |asked: &&Asked| plan(self.system, &asked.property, &options, &Patience::default()).ok();
            let (chosen, plans): (Vec<&Asked>, Vec<Plan>) =
                chosen.into_iter().filter_map(|asked| Some((asked, planned(&asked)?))).unzip();
            let together: Vec<_> = chosen.iter().map(|asked| &asked.property).zip(&plans).collect();
            let mut answers = vec![None; together.len()];
            let mut tell = |at: usize, answer| answers[at] = Some(answer);
            let how = format!("{:?} {:?}, {} threads", options.por, options.search, options.threads);
            let say = |asked: &Asked, why: String| {
                let names: Vec<_> = chosen.iter().map(|asked| &asked.property.question).collect();
                format!("{}\n{how}: {:?}: {why}\namong {names:?}", self.context, asked.property)
            };
            run(self.system, &together, &options, &Control::default(), &mut tell)
                .map_err(|defect| say(chosen[0], defect.0))?;
            for ((asked, plan), answer) in chosen.iter().zip(&plans).zip(answers) {
                let answer = answer.ok_or_else(|| say(asked, "no answer".to_string()))?;
                self.expect(asked, &options, &answer)
                    .map_err(|why| say(asked, format!("{answer:?}: {why}")))?;
                let alone = self.answer(&asked.property, plan, &options)?;
                if alone.run.is_some() != answer.run.is_some() {
                    return Err(say(asked, format!("{alone:?} alone, {answer:?} together")));
                }
                let is_shared = answer.remarks.contains(&Remark::Shared);
                tally.n_together += 1;
                tally.n_shared += u64::from(is_shared);
            }
        }
        Ok(())
    }

    /// Answers by plans each of which does without something that its row needs.
    fn do_without(&self, asked: &Asked, plan: &Plan, options: &Options, tally: &mut Tally) {
        let Some(row) = plan.row else { return };
        for &need in row.needs() {
            let Some((plan, options)) = self.weakened(plan, options, need) else { continue };
            let is_noticed = tally.needs.entry((row.id, need.to_string())).or_default();
            if *is_noticed {
                continue;
            }
            let answer = || self.answer(&asked.property, &plan, &options);
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(answer));
            *is_noticed = match answer {
                Ok(Ok(answer)) => self.expect(asked, &options, &answer).is_err(),
                Ok(Err(_)) | Err(_) => true,
            };
        }
    }

    /// A plan that does without something. None if a search has no way of doing without.
    fn weakened(&self, plan: &Plan, options: &Options, need: Need) -> Option<(Plan, Options)> {
        let counts = matches!(plan.task, Task::Explore { conclusion: Explored::Counted, .. });
        let keeping = |preserves| {
            let reduction = plan.reduction.clone().map(|reduction| Reduction { preserves, ..reduction });
            let plan = Plan { reduction, ..plan.clone() };
            plan.reduction.is_some().then(|| (plan, options.clone()))
        };
        let has_goals = self.system.facts().values.has(Value::Towards);
        match need {
            // How many states are left is nobody's business, as long as no deadlock is missing.
            Need::Keep(Preserves::Deadlocks) if has_goals && !counts => {
                keeping(Preserves::Goal(PredicateId(0)))
            }
            Need::Keep(Preserves::FiniteRuns) | Need::KeepGoal => keeping(Preserves::Deadlocks),
            Need::Keep(Preserves::InfiniteRuns) => keeping(Preserves::FiniteRuns),
            Need::Keep(Preserves::FairRuns) => keeping(Preserves::InfiniteRuns),
            Need::Path if plan.row?.needs().contains(&Need::Keep(Preserves::InfiniteRuns)) => {
                Some((plan.clone(), Options { search: Some(Search::Cndfs), ..options.clone() }))
            }
            Need::Fair(_) => Some((plan.clone(), Options { fairness: Fairness::None, ..options.clone() })),
            // The sets for fair runs, and those of each kind of graph, are chosen where they are made, whatever a plan
            // says; there is one path only in the searches that have it; and no search for a greatest value leaves
            // anything out.
            Need::OwnSets | Need::Whole | Need::WholeSteps | Need::Path => None,
            Need::Keep(Preserves::Branching | Preserves::Terminal) => None,
            Need::Keep(Preserves::Deadlocks | Preserves::Goal(_)) => None,
        }
    }

    fn answer(&self, property: &Property, plan: &Plan, options: &Options) -> Result<Answer, String> {
        let mut found = None;
        let asked = [(property, plan)];
        run(self.system, &asked, options, &Control::default(), &mut |_, answer| found = Some(answer))
            .map_err(|defect| format!("{}: {}", self.context, defect.0))?;
        found.ok_or_else(|| "no answer".to_string())
    }

    fn expect(&self, asked: &Asked, options: &Options, answer: &Answer) -> Result<(), String> {
        let walks = options.search == Some(Search::Walk);
        let is_right = match (&asked.expected, &answer.outcome) {
            // A walk proves nothing.
            (Expected::Verdict(_), Outcome::Unknown(_)) if walks => true,
            (Expected::Verdict(holds), Outcome::Holds) => *holds,
            (Expected::Verdict(holds), Outcome::Violated(_)) => !holds,
            (Expected::Value(value), Outcome::Value(found)) => value == found,
            (&Expected::Size { states, steps, stuck }, Outcome::Holds | Outcome::Space(_)) => {
                let counts = &answer.counts;
                let (found, edges) = (counts.states, counts.transitions() - 1);
                if answer.method.por.is_some() || self.is_changed {
                    found <= states && (self.is_changed || found >= stuck)
                } else {
                    (found, edges) == (states, steps)
                }
            }
            _ => false,
        };
        if is_right { Ok(()) } else { Err(format!("instead of {:?}", asked.expected)) }
    }
}

/// Options under which a question is asked: with each method of reduction all searches that may suit.
fn options(asked: &Asked, prng: &mut Random) -> Vec<Options> {
    let methods = por::Method::ALL.into_iter().map(Por::Exactly);
    let searches = [None].into_iter().chain(Search::NAMED.into_iter().map(Some));
    // To look at an automaton takes longer than to search a small system.
    let has_automaton = matches!(&asked.property.question, Question::Forbidden(forbidden) if matches!(forbidden.runs, Language::Accepted(_)));
    let share = if has_automaton { 5 } else { 25 };
    let mut list = Vec::new();
    for por in [Por::Best, Por::None].into_iter().chain(methods) {
        for search in searches.clone() {
            if !prng.chance(share) {
                continue;
            }
            let with_threads = matches!(search, None | Some(Search::Reach | Search::Cndfs | Search::Bfs));
            let mut options = Options {
                por,
                search,
                fairness: asked.fairness,
                deadlocks: asked.ends,
                threads: if with_threads { 1 + prng.below(2) } else { 1 },
                seed: Some(1),
                engine: check::options::Engine::Interpreter,
                ..Options::default()
            };
            options.limits.states = if search == Some(Search::Walk) { 2_000 } else { u64::MAX };
            if asked.property.kind == Kind::Safety && prng.chance(30) {
                options.stop_after = None;
            }
            list.push(options);
        }
    }
    list
}

fn property(kind: Kind, question: Question) -> Property {
    Property::of_kind(kind, question)
}

fn plainly(property: Property, expected: Expected) -> Asked {
    Asked { property, fairness: Fairness::None, ends: Deadlocks::Stutter, expected }
}

/// Questions about formulas over predicates, which have values everywhere; no step fails.
fn formulas(space: &Space, atoms: &[PredicateId], prng: &mut Random) -> Vec<Asked> {
    let mut list = Vec::new();
    let numbers = atoms;
    let atoms: Vec<Formula<PredicateId>> = atoms.iter().copied().map(Formula::Atom).collect();
    let eventually = |inner| Formula::Eventually(Box::new(inner));
    let always = |inner| Formula::Always(Box::new(inner));
    let exists = |inner| Formula::Exists(Box::new(inner));
    let all = |inner| Formula::All(Box::new(inner));
    let p = prng.pick(&atoms).clone();
    let mut asked = vec![
        exists(eventually(p.clone())),
        all(always(p.clone())),
        all(always(exists(eventually(p.clone())))),
        exists(eventually(all(always(p.clone())))),
        all(always(exists(eventually(all(always(p.clone())))))),
        p,
    ];
    for &atom in numbers.iter().take(4) {
        if let Some(value) = space.greatest(atom) {
            let property = property(Kind::Bound, Question::Greatest(atom));
            list.push(plainly(property, Expected::Value(value)));
        }
    }
    for _ in 0..4 {
        let depth = 1 + prng.below(3);
        asked.push(branching(&atoms, prng, depth));
    }
    for formula in asked {
        let Some(ctl) = formula.branching() else { continue };
        for (ends, how) in [(Deadlocks::Stutter, Ends::Repeat), (Deadlocks::End, Ends::End)] {
            let expected = Expected::Verdict(space.holds(&ctl, how)[0]);
            let property = property(Kind::Ctl, Question::Formula(formula.clone(), Time::Branching));
            list.push(Asked { property, fairness: Fairness::None, ends, expected });
        }
    }
    for _ in 0..2 {
        let formula = linear(&atoms, prng, 2);
        let Some(Class::Linear { formula: ltl, wanted: true }) = formula.linear_class() else { continue };
        let (ltl, atoms) = ltl.flattened().numbered();
        let automaton = logic::translate(&ltl.clone().negated(), Goal::Generalised, &Patience::default());
        let automaton = automaton.expect("it is small");
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let violated = space.violates((&automaton, None), &atoms, true, fairness);
            let question = Question::Forbidden(Forbidden::violating(ltl.clone(), atoms.clone()));
            let expected = Expected::Verdict(!violated);
            let property = property(Kind::Ltl, question);
            list.push(Asked { property, fairness, ends: Deadlocks::Stutter, expected });
        }
    }
    list
}

/// Questions about everything that a system declares, and about its states.
fn declared(space: &Space, declared: &[Property], has_actors: bool) -> Vec<Asked> {
    let fails = space.fails(false);
    let is_stuck = space.is_stuck();
    let stuck = space.states.iter().filter(|state| state.end.is_some()).count() as u64;
    let size = Expected::Size { states: space.states.len() as u64, steps: space.n_steps() as u64, stuck };
    let mut list =
        vec![plainly(property(Kind::Deadlock, Question::Deadlock), Expected::Verdict(!fails && !is_stuck))];
    // With reduction, runtime errors may be missed by who only counts states; the report says so.
    if !fails {
        list.push(plainly(property(Kind::StateSpace, Question::StateSpace(Vec::new())), size));
        if has_actors {
            let expected = Expected::Verdict(!space.has_local_deadlock());
            list.push(plainly(property(Kind::LocalDeadlock, Question::LocalDeadlock), expected));
            let n_transitions =
                space.states.iter().flat_map(|state| &state.executed).max().map_or(0, |n| n + 1);
            for k in 0..n_transitions.min(3) {
                let some = vec![k, (3 * k + 1) % n_transitions];
                let expected = Expected::Verdict(space.recurs(&some));
                let question = Question::Live(Recurrence::Again(Some(vec![some])));
                list.push(plainly(property(Kind::Live, question), expected));
            }
        }
    }
    for property in declared {
        match &property.question {
            Question::Safety(_) => {
                let holds = !is_stuck && !space.fails(true);
                list.push(plainly(property.clone(), Expected::Verdict(holds)));
            }
            Question::Forbidden(forbidden) => {
                let automaton = match &forbidden.runs {
                    Language::Violating(formula) => {
                        let wanted = formula.clone().negated();
                        logic::translate(&wanted, Goal::Generalised, &Patience::default())
                            .expect("it is small")
                    }
                    Language::Accepted(automaton) => automaton.clone(),
                };
                for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                    let runs = (&automaton, forbidden.fails_at);
                    let violated = space.violates(runs, &forbidden.atoms, forbidden.stutters, fairness);
                    let (ends, expected) = (Deadlocks::Stutter, Expected::Verdict(!violated));
                    list.push(Asked { property: property.clone(), fairness, ends, expected });
                }
            }
            _ => {}
        }
    }
    list
}

/// The predicates on which properties depend.
fn atoms(properties: &[Property]) -> Vec<PredicateId> {
    let of = |property: &Property| match &property.question {
        Question::Forbidden(forbidden) => forbidden.atoms.clone(),
        _ => Vec::new(),
    };
    let atoms: BTreeSet<PredicateId> = properties.iter().flat_map(of).collect();
    atoms.into_iter().collect()
}

fn compare_program(text: &str, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let context = format!("STUBBORN_SEED={seed}\n{text}");
    let mut prng = Random::new(seed ^ 0x5eed);
    let changes = [(false, false), (false, true), (true, false), (true, true)];
    for (resets_dead, merges) in changes {
        let reading = Reading { resets_dead, merges, ..Reading::default() };
        let source = Source::of_text("random", stubborn::Language::Promela, text);
        let opened = open(source, &reading, &What::default(), &Patience::default());
        // A formula that is refused is no matter of this test.
        let Ok(opened) = opened else { return Ok(()) };
        let Some(space) = Space::of(opened.play(), STATES) else { return Ok(()) };
        let mut asked = declared(&space, opened.asked(), true);
        let atoms = atoms(opened.asked());
        let have_values =
            |atom: &PredicateId| space.states.iter().all(|state| state.values[atom.0 as usize].is_some());
        if !space.fails(false) && atoms.iter().all(have_values) && !atoms.is_empty() {
            asked.extend(formulas(&space, &atoms, &mut prng));
        }
        tally.n_systems += u64::from(!resets_dead && !merges);
        let is_changed = resets_dead || merges;
        let context = format!("{context}\nreset {resets_dead}, merge {merges}");
        let system = opened.system();
        let mut case = Case { system, context, is_changed, prng: &mut prng };
        asked.iter().try_for_each(|asked| case.compare(asked, tally))?;
        case.compare_together(&asked, tally)?;
    }
    Ok(())
}

fn compare_net(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut prng = Random::new(seed);
    let net = if seed.is_multiple_of(2) { net(&mut prng) } else { net_of_parts(&mut prng) };
    let mut text = Vec::new();
    petri::pnml::write(&net, &mut text).expect("it can be written");
    let predicate = |prng: &mut Random| {
        let predicate = net_predicate(&net, prng, 2);
        petri::lola::write_formula(&predicate, &net).to_string()
    };
    let what = What {
        reach: (0..3).map(|_| predicate(&mut prng)).collect(),
        live: vec!["all".to_string()],
        bounded: vec!["p0 + p1".to_string()],
        ..What::default()
    };
    let text = String::from_utf8(text).expect("text");
    let source = Source::of_text("random", stubborn::Language::Pnml, &text);
    let opened = open(source, &Reading::default(), &what, &Patience::default())
        .map_err(|error| format!("{error:?}\n{text}"))?;
    let Some(space) = Space::of(opened.play(), STATES) else { return Ok(()) };
    tally.n_systems += 1;
    let atoms: Vec<PredicateId> = (0..3).map(PredicateId).collect();
    let mut asked = declared(&space, &[], false);
    asked.extend(formulas(&space, &atoms, &mut prng));
    for property in opened.asked() {
        let expected = match &property.question {
            Question::Greatest(sum) => Expected::Value(space.greatest(*sum).expect("it has a value")),
            Question::Live(Recurrence::Again(_)) => Expected::Verdict(is_live(&space, &net)),
            _ => continue,
        };
        asked.push(plainly(property.clone(), expected));
    }
    let context = format!("STUBBORN_SEED={seed}\n{text}");
    let system = opened.system();
    let mut case = Case { system, context, is_changed: false, prng: &mut prng };
    asked.iter().try_for_each(|asked| case.compare(asked, tally))?;
    case.compare_together(&asked, tally)
}

/// Whether every transition can always fire again, later.
fn is_live(space: &Space, net: &petri::Net) -> bool {
    let fires = |state: usize, transition: u32| {
        space.states[state].steps.iter().any(|step| step.transition == transition)
    };
    (0..space.states.len()).all(|state| {
        let reachable = space.reachable(state);
        (0..net.transitions().len() as u32)
            .all(|transition| reachable.iter().any(|&later| fires(later, transition)))
    })
}

#[test]
fn what_is_admitted_is_right() {
    let (first, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 12));
    let mut tally = Tally::default();
    for text in DELICATE {
        compare_program(text, first, &mut tally).unwrap_or_else(|message| panic!("{message}"));
    }
    for seed in first..first + rounds {
        let random = program_with_properties(seed, Features::ALL).text();
        let compared = compare_program(&random, seed, &mut tally)
            .and_then(|()| compare_program(&looping_program(seed).text(), seed, &mut tally))
            .and_then(|()| compare_net(seed, &mut tally));
        if let Err(message) = compared {
            panic!("{message}");
        }
    }
    println!("{tally:?}");
    assert!(tally.n_systems > rounds, "{} systems are too few", tally.n_systems);
    assert!(tally.n_compressed > 100, "{tally:?}");
    assert!(tally.n_shared > 100 && tally.n_shared < tally.n_together, "{tally:?}");
    assert!(tally.n_violated * 10 > tally.n_answers && tally.n_violated * 10 < 9 * tally.n_answers);
    let unused = ROWS.iter().filter(|row| !row.refuses() && !tally.rows.contains_key(row.id));
    let unused: Vec<&str> = unused.map(|row| row.id).collect();
    assert!(unused.is_empty(), "rows that were never used: {unused:?}");
    let useless: Vec<_> = tally.needs.iter().filter(|(_, is_noticed)| !**is_noticed).collect();
    assert!(useless.is_empty(), "nothing goes wrong without this: {useless:?}");
    assert!(tally.needs.len() >= 10, "{:?}", tally.needs);
}

/// A refusal speaks of every setting with its values, whatever else is in it.
#[test]
fn refusals_refuse() {
    let all: Vec<Value> = soundness::VALUES.into_iter().map(|(value, ..)| value).collect();
    let mut prng = Random::new(setting("STUBBORN_SEED", 1));
    for row in ROWS.iter().filter(|row| row.refuses()) {
        for _ in 0..200 {
            let mut setting = Setting::NOTHING;
            for group in row.when {
                let values: Vec<Value> = group.values().collect();
                setting = setting.with(*prng.pick(&values));
            }
            for _ in 0..prng.below(4) {
                setting = setting.with(*prng.pick(&all));
            }
            assert!(soundness::judge(setting).is_err(), "{} lets {setting:?} through", row.id);
        }
    }
}

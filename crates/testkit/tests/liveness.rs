//! Infinite runs of random programs: every search, with and without fairness, says what the
//! definition says about the syntax tree, and every run that it finds is one. What is searched with what, reduction and
//! changes of the program included, is what the table of what is sound admits: each of its rows about linear time must
//! have been used.
//!
//! `STUBBORN_ROUNDS` says how many programs, `STUBBORN_SEED` which one to start with.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use check::prefer::{self, Por};
use check::soundness::{self, ROWS, Setting, Value};
use ir::transform::{Changed, merge_statements, reset_dead_variables};
use ir::{Expr, Failures, Interpreter, Mark, Player, Program, UnaryOp};
use logic::UnaryOp::{Always, Eventually};
use logic::{Automaton, Goal, Ltl};
use model::{FailureKind, Location, Model, Patience, PredicateId};
use por::{Method, Reduction};
use promela::tree::{self, Formula};
use promela::{Lowered, PropertyKind};
use replay::{Evidence, Language};
use search::{Cycles, Emptiness, Fairness, Flags, Forbidden, Options, Reason, Verdict, find_cycle};
use testkit::naive::{Limits, Moves, Observer, Position, State, TooLarge, Watcher};
use testkit::random::{Features, Outline, looping_program, program_with_properties};
use testkit::runs::{Edge, Graph};

const LIMITS: Limits = Limits { states: 150, chain_steps: 500 };

/// The states of a program, by the syntax tree.
struct Space {
    states: Vec<State>,
    moves: Vec<Moves>,
    /// Where the moves of each state lead.
    next: Vec<Vec<usize>>,
}

impl Space {
    /// Whether something in a state fails that is not an assertion.
    fn fails(&self, state: usize) -> bool {
        self.moves[state].failures.iter().any(|failure| *failure != FailureKind::Assertion)
    }
}

/// None if it is too large.
fn explore(observer: &Observer<'_>) -> Option<Space> {
    let first = observer.initial().ok()?;
    let mut known = HashMap::from([(first.clone(), 0)]);
    let mut space = Space { states: vec![first], moves: Vec::new(), next: Vec::new() };
    while space.moves.len() < space.states.len() {
        let moves = match observer.moves(&space.states[space.moves.len()]) {
            Ok(moves) if space.states.len() <= LIMITS.states => moves,
            Ok(_) | Err(TooLarge) => return None,
        };
        let mut next = Vec::new();
        for (state, _) in &moves.next {
            let n = known.len();
            let number = *known.entry(state.clone()).or_insert(n);
            if number == n {
                space.states.push(state.clone());
            }
            next.push(number);
        }
        space.next.push(next);
        space.moves.push(moves);
    }
    Some(space)
}

/// Somebody who reads the states of a run: where it can stand after a state, and in which acceptance
/// sets that step lies.
trait Reader {
    type At: Copy + Eq + Hash;
    fn start(&self) -> Self::At;
    fn read(&self, at: Self::At, state: usize) -> Option<Vec<(Self::At, u64)>>;
}

/// The runs of a program with somebody who reads them.
struct Product<At> {
    graph: Graph,
    /// Where the reader stands in each node.
    positions: Vec<At>,
    /// Whether something fails on the way.
    fails: bool,
}

/// None if some state cannot be read.
fn product<R: Reader>(space: &Space, reader: &R, all_sets: u64, stutters: bool) -> Option<Product<R::At>> {
    let mut fails = false;
    let mut graph = Graph { all_sets, ..Graph::default() };
    let mut nodes = vec![(0, reader.start())];
    let mut known = HashMap::from([(nodes[0], 0)]);
    while graph.edges.len() < nodes.len() {
        let (state, at) = nodes[graph.edges.len()];
        let moves = &space.moves[state];
        let movers = moves.next.iter().map(|(_, movers)| movers.clone());
        let mut ways: Vec<_> = space.next[state].iter().copied().zip(movers).collect();
        if moves.enabled.is_empty() && stutters {
            ways.push((state, Default::default()));
        }
        let mut edges = Vec::new();
        let taken = reader.read(at, state)?;
        fails |= space.fails(state) && !taken.is_empty();
        for (next, accepts) in taken {
            for (to, movers) in &ways {
                let n = nodes.len();
                let target = *known.entry((*to, next)).or_insert(n);
                if target == n {
                    nodes.push((*to, next));
                }
                edges.push(Edge { target, accepts, movers: movers.clone() });
            }
        }
        graph.edges.push(edges);
        graph.enabled.push(moves.enabled.clone());
    }
    Some(Product { graph, positions: nodes.into_iter().map(|(_, at)| at).collect(), fails })
}

/// An automaton over atoms whose values in each state are known.
struct Valued {
    automaton: Automaton,
    values: Vec<u64>,
}

impl Reader for Valued {
    type At = u32;

    fn start(&self) -> u32 {
        self.automaton.initial
    }

    fn read(&self, at: u32, state: usize) -> Option<Vec<(u32, u64)>> {
        let edges = self.automaton.states[at as usize].edges.iter();
        let taken = edges.filter(|edge| edge.guard.holds(self.values[state]));
        Some(taken.map(|edge| (edge.target, edge.accepts)).collect())
    }
}

/// A never claim, statement by statement.
struct Watching<'a, 't> {
    watcher: Watcher<'t>,
    observer: &'a Observer<'t>,
    states: &'a [State],
}

impl Reader for Watching<'_, '_> {
    type At = Position;

    fn start(&self) -> Position {
        self.watcher.start()
    }

    fn read(&self, at: Position, state: usize) -> Option<Vec<(Position, u64)>> {
        let next = self.watcher.step(at, self.observer, &self.states[state]).ok()?;
        let accepts = u64::from(self.watcher.accepts(at));
        Some(next.into_iter().map(|position| (position, accepts)).collect())
    }
}

/// A property of infinite runs, for the searches, and what the definition says about it.
struct Question {
    name: String,
    runs: Language,
    atoms: Vec<PredicateId>,
    fails_at: Option<u32>,
    stutters: bool,
    graph: Graph,
    /// Whether there is a violation by a finite run: the claim, or a step fails.
    fails: bool,
}

impl Question {
    fn automaton(&self, goal: Goal) -> Automaton {
        match &self.runs {
            Language::Violating(formula) => {
                logic::translate(&formula.clone().negated(), goal, &Patience::default()).expect("it is small")
            }
            Language::Accepted(automaton) => automaton.clone(),
        }
    }

    /// Whether there is a violation, for each fairness. Asks one search, without reduction, or all, as far as the table
    /// admits it for a program that was changed as `compression` says. The rows that were used are noted.
    fn ask(
        &self,
        interpreter: &Interpreter,
        compression: Setting,
        asks_all: bool,
        rows: &mut BTreeSet<&'static str>,
    ) -> Result<[bool; 3], String> {
        let generalised = self.automaton(Goal::Generalised);
        let mut answers = [false; 3];
        let setting = self.setting(interpreter).and(compression);
        for (k, fairness) in FAIRNESS.into_iter().enumerate() {
            answers[k] = self.fails || self.graph.has_accepted_run(fairness);
            let setting = setting.with_fairness(fairness);
            if soundness::judge(setting).is_err() {
                continue;
            }
            let fastest = Cycles::fastest(&generalised, fairness);
            let mut searches = vec![fastest, Cycles { emptiness: Emptiness::Scc, ..fastest }];
            if fairness != Fairness::Strong {
                for emptiness in [Emptiness::NdfsBasic, Emptiness::Ndfs] {
                    let n_plus_one = Cycles { emptiness, ..fastest };
                    searches.extend([n_plus_one, Cycles { flags: Flags::NPlusTwo, ..n_plus_one }]);
                }
            }
            if fairness == Fairness::None {
                searches.push(Cycles { emptiness: Emptiness::Cndfs, ..fastest });
            }
            if !asks_all {
                searches.truncate(1);
            }
            for (s, cycles) in searches.into_iter().enumerate() {
                let goal = if cycles.suits(&generalised) { Goal::Generalised } else { Goal::StateBased };
                // All ways of reduction with the first search, one with the others.
                let methods = match (asks_all, s) {
                    (false, _) => &[],
                    (true, 0) => &Method::ALL[..],
                    (true, _) => &[Method::Stubborn],
                };
                let wishes = methods.iter().map(|&method| Por::Exactly(method));
                for por in std::iter::once(Por::None).chain(wishes) {
                    let Ok(admitted) = prefer::reduction(setting, por, cycles.emptiness.into(), &self.atoms)
                    else {
                        continue;
                    };
                    rows.insert(admitted.row.id);
                    let found = self.search(interpreter, self.automaton(goal), &cycles, admitted.reduction);
                    if found != Ok(answers[k]) {
                        let (name, expected) = (&self.name, answers[k]);
                        return Err(format!(
                            "{name} {setting:?} {cycles:?} {por:?}: {expected} expected, {found:?}"
                        ));
                    }
                }
            }
        }
        Ok(answers)
    }

    /// What the table asks about: the kind of property, what is true of it, and of the program.
    fn setting(&self, interpreter: &Interpreter) -> Setting {
        let (has_next, has_dead_ends, may_count) = match &self.runs {
            Language::Violating(formula) => (formula.has_next(), false, false),
            Language::Accepted(automaton) => (
                false,
                !logic::has_no_dead_ends(automaton),
                !logic::is_stutter_invariant(automaton, &Patience::default()),
            ),
        };
        let failures = Failures::of(interpreter);
        let setting = Setting::of(&[if has_next { Value::LinearX } else { Value::Linear }])
            .with_if(Value::FollowsInVain, has_dead_ends)
            .with_if(Value::MayCount, may_count)
            .with_if(Value::AtomMayFail, self.atoms.iter().any(|&atom| failures.in_predicate(atom)))
            .with_if(Value::MayFail, failures.in_program());
        interpreter.hindrance().map_or(setting, |hindrance| setting.with(hindrance.into()))
    }

    /// Whether a search finds a violation, which must replay.
    fn search(
        &self,
        interpreter: &Interpreter,
        automaton: Automaton,
        cycles: &Cycles,
        reduction: Option<Reduction>,
    ) -> Result<bool, String> {
        let threads = if cycles.emptiness == Emptiness::Cndfs { 3 } else { 1 };
        let options = Options { reduction, threads, ..Options::default() };
        let (atoms, stutters, fails_at) = (self.atoms.clone(), self.stutters, self.fails_at);
        let forbidden = Forbidden {
            automaton: automaton.clone(),
            atoms,
            fails_at,
            stutters,
            reason: Reason::AcceptanceCycle,
        };
        let findings = find_cycle(interpreter, &forbidden, cycles, &options);
        let violation = match findings.verdict {
            Verdict::Holds => return Ok(false),
            Verdict::Violated(violation) => violation,
            Verdict::Unknown(stop) => return Err(stop.to_string()),
        };
        let atoms = self.atoms.clone();
        let evidence = match (&violation.evidence, self.fails_at) {
            (search::Evidence::Cycle, _) => {
                let fairness = cycles.fairness;
                Evidence::Infinite { language: self.runs.clone(), atoms, stutters, fairness }
            }
            (search::Evidence::Claim, Some(at)) => Evidence::Fails { automaton, atoms, at },
            (search::Evidence::Failure(failure), _) => Evidence::Failure(failure.clone()),
            (found, _) => return Err(format!("{found:?}")),
        };
        let play = Player::start(interpreter);
        let replayed = replay::replay(play, &violation.trace, &evidence, &Patience::default());
        replayed.map(|_| true).map_err(|mismatch| mismatch.to_string())
    }
}

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

/// A program with its states.
struct Subject<'a, 't> {
    observer: &'a Observer<'t>,
    space: Space,
}

impl<'t> Subject<'_, 't> {
    /// A formula of the tree; the search knows it as `runs`.
    fn formula(&self, property: &promela::Property, formula: &Ltl<u32>, tree: &Formula) -> Option<Question> {
        let mut exprs: Vec<tree::Expr> = Vec::new();
        let numbered = tree.clone().map(&mut |atom| {
            exprs.push(atom);
            exprs.len() as u32 - 1
        });
        if exprs.len() > logic::MAX_ATOMS {
            return None;
        }
        let value = |state: &State| {
            let mut bits = 0;
            for (k, expr) in exprs.iter().enumerate() {
                bits |= u64::from(self.observer.eval(expr, state).ok()? != 0) << k;
            }
            Some(bits)
        };
        let values = self.space.states.iter().map(value).collect::<Option<Vec<u64>>>()?;
        let automaton =
            logic::translate(&numbered.negated(), Goal::Generalised, &Patience::default()).ok()?;
        let all_sets = automaton.all_sets();
        let Product { graph, fails, .. } =
            product(&self.space, &Valued { automaton, values }, all_sets, true)?;
        Some(Question {
            name: property.name.clone(),
            runs: Language::Violating(formula.clone()),
            atoms: property.atoms.clone(),
            fails_at: None,
            stutters: true,
            graph,
            fails,
        })
    }

    fn claim(
        &self,
        property: &promela::Property,
        claim: &promela::NeverClaim,
        watcher: Watcher<'t>,
    ) -> Option<Question> {
        let watching = Watching { watcher, observer: self.observer, states: &self.space.states };
        let Product { graph, positions, fails } = product(&self.space, &watching, 1, true)?;
        Some(Question {
            name: property.name.clone(),
            runs: Language::Accepted(claim.automaton.clone()),
            atoms: property.atoms.clone(),
            fails_at: claim.fails_at,
            stutters: true,
            graph,
            fails: fails || positions.contains(&Position::Failed),
        })
    }

    /// The states with a label, and a formula about them.
    fn labels(
        &self,
        name: &str,
        predicate: PredicateId,
        formula: Ltl<u32>,
        holds: impl Fn(&State) -> bool,
        stutters: bool,
    ) -> Option<Question> {
        let values = self.space.states.iter().map(|state| u64::from(holds(state))).collect();
        let automaton =
            logic::translate(&formula.clone().negated(), Goal::Generalised, &Patience::default()).ok()?;
        let all_sets = automaton.all_sets();
        let Product { graph, fails, .. } =
            product(&self.space, &Valued { automaton, values }, all_sets, stutters)?;
        Some(Question {
            name: name.to_string(),
            runs: Language::Violating(formula),
            atoms: vec![predicate],
            fails_at: None,
            stutters,
            graph,
            fails,
        })
    }
}

/// How much was compared.
#[derive(Default, Debug)]
struct Tally {
    n_programs: u64,
    n_properties: u64,
    n_violated: [u64; 3],
    n_stuttering: u64,
    /// The rows of the table that were used.
    rows: BTreeSet<&'static str>,
}

/// Compares all properties of a program, unless it is too large.
fn compare(text: &str, tally: &mut Tally) -> Result<(), String> {
    let tree = testkit::parse(text)?;
    let lowered = promela::lower_with_properties(&tree, &Patience::default())
        .expect("there is time")
        .map_err(|errors| format!("{errors:?}"))?;
    let Lowered { mut program, properties, .. } = lowered;
    let observer = Observer::new(&tree, LIMITS);
    let Some(space) = explore(&observer) else { return Ok(()) };
    tally.n_stuttering += u64::from(space.moves.iter().any(|moves| moves.enabled.is_empty()));
    let mut add = |expr| {
        program.predicates.push(ir::Predicate { expr, text: String::new(), source: Location::default() });
        PredicateId(program.predicates.len() as u32 - 1)
    };
    let progress = Box::new(Expr::SomeAt(Mark::Progress));
    let non_progress = add(Expr::Unary(UnaryOp::Not, progress));
    let accept = add(Expr::SomeAt(Mark::Accept));
    let transformed = transformed(&program);
    let interpreter = Interpreter::new(program);
    let subject = Subject { observer: &observer, space };
    let mut questions = Vec::new();
    let (claims, formulas) = properties.split_at(tree.claims.len());
    for (property, claim) in claims.iter().zip(&tree.claims) {
        let PropertyKind::Never(lowered) = &property.kind else { panic!("a claim") };
        questions.push(subject.claim(property, lowered, Watcher::new(&tree, claim)));
    }
    for (property, ltl) in formulas.iter().zip(&tree.ltl) {
        let PropertyKind::Ltl { formula, .. } = &property.kind else { panic!("a formula") };
        questions.push(subject.formula(property, formula, &ltl.formula));
    }
    let never_again = Ltl::unary(Eventually, Ltl::unary(Always, Ltl::Atom(0).negated()));
    let is_accepting = |state: &State| observer.is_accepting(state);
    questions.push(subject.labels("acceptance", accept, never_again, is_accepting, true));
    let again = Ltl::unary(Always, Ltl::unary(Eventually, Ltl::Atom(0).negated()));
    let is_idle = |state: &State| !observer.is_progress(state);
    questions.push(subject.labels("progress", non_progress, again, is_idle, false));
    for question in questions.into_iter().flatten() {
        let answers = question.ask(&interpreter, Setting::NOTHING, true, &mut tally.rows)?;
        // It takes as long again.
        let is_their_turn = tally.n_programs.is_multiple_of(4);
        for (compression, interpreter) in transformed.iter().filter(|_| is_their_turn) {
            question.ask(interpreter, *compression, false, &mut tally.rows)?;
        }
        tally.n_properties += 1;
        answers.iter().zip(&mut tally.n_violated).for_each(|(found, n)| *n += u64::from(*found));
    }
    tally.n_programs += 1;
    Ok(())
}

/// The program with fewer states.
fn transformed(program: &Program) -> [(Setting, Interpreter); 3] {
    let apply = |pass: fn(&Program, &model::Patience) -> Changed, program: &Program| {
        let changed = pass(program, &model::Patience::default()).expect("nobody is impatient");
        changed.map_or_else(|| program.clone(), |(changed, _)| changed)
    };
    let reset = apply(reset_dead_variables, program);
    let merged = apply(merge_statements, program);
    let both = apply(merge_statements, &reset);
    let (resets, chains) = (Setting::of(&[Value::Reset]), Setting::of(&[Value::Chains]));
    [(resets, reset), (chains, merged), (resets.and(chains), both)]
        .map(|(compression, program)| (compression, Interpreter::new(program)))
}

fn compare_all(make: impl Fn(u64) -> Outline, rounds: u64) -> Tally {
    let (tally, rounds) = testkit::rounds::compare_all(make, rounds, compare);
    assert!(tally.n_programs * 4 > rounds, "only {} of {rounds} programs compared", tally.n_programs);
    assert!(tally.n_stuttering > 0, "no program ends");
    assert!(tally.n_violated.iter().all(|&n| n * 10 > tally.n_properties), "few violations");
    tally
}

#[test]
fn searches_for_infinite_runs_agree_with_the_definition_on_random_programs() {
    compare_all(|seed| program_with_properties(seed, Features::COMPARABLE), 400);
}

#[test]
fn they_agree_where_something_fails() {
    compare_all(|seed| program_with_properties(seed, Features::ALL), 300);
}

#[test]
fn they_agree_where_fairness_makes_a_difference() {
    let Tally { n_violated: [all, weak, strong], rows, .. } = compare_all(looping_program, 600);
    let linear = Setting::of(&[Value::Linear, Value::LinearX]);
    for row in ROWS.iter().filter(|row| !row.refuses() && !row.when[0].common(linear).is_empty()) {
        assert!(rows.contains(row.id), "nothing was searched by the row {}", row.id);
    }
    assert!(all > weak + 100 && weak > strong + 10, "fairness makes no difference: {all}, {weak}, {strong}");
}

/// A process may stay in front of a statement that concerns nobody, away from the label behind it.
#[test]
fn merging_does_not_hide_that_a_process_is_away_from_a_label() {
    let other = "active proctype B() { do :: y < 3 od }";
    for (label, formula) in [("progress", ""), ("L", "ltl p { [] (A@L) }"), ("accept", "")] {
        let text =
            format!("byte y; active proctype A() {{ {label}: do :: true -> skip od }} {other} {formula}");
        let mut tally = Tally::default();
        assert_eq!(compare(&text, &mut tally), Ok(()), "{label}");
        assert_eq!(tally.n_programs, 1);
    }
}

//! The graph of elements becomes an automaton: locations and the steps between them.
//!
//! A location is an element at which a process can stand. The steps of a plain element are its own;
//! those of a choice or a block are the first steps of its options, folded through choices inside
//! choices, with the escapes of `unless` in front.

use model::{Over, Pace};

use super::flow::{Chain, Elem, ElementKind, Flow, Group, has_meaning};
use crate::tree::{Body, Expr, ExprKind, StmtKind};

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The element whose statement is executed.
    pub statement: Elem,
    /// Where the process stands afterwards; none if it is gone.
    pub target: Option<Elem>,
    /// The atomic chain goes on.
    pub chain: bool,
    /// The escape that the step belongs to, by the element that it starts with.
    pub escape: Option<Elem>,
    /// For `else`: the first step of the location that counts.
    pub since: u32,
}

/// What labels say about a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub end: bool,
    pub progress: bool,
    pub accept: bool,
}

impl Marks {
    fn add(&mut self, other: Marks) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

/// The automaton of a body.
pub struct Automaton<'t> {
    pub flow: Flow<'t>,
    /// The steps of each element that is a location or the entry of a part of a `d_step`.
    pub edges: Vec<Vec<Edge>>,
    pub marks: Vec<Marks>,
    /// The locations in the order in which they are reached, the start first.
    pub locations: Vec<Elem>,
    /// The index in `locations` of each element.
    pub index: Vec<Option<u32>>,
}

/// Builds the automaton of a body.
pub fn build<'t>(flow: Flow<'t>, body: &Body, pace: &mut Pace<'_>) -> Result<Automaton<'t>, Over> {
    let n = flow.elements.len();
    let mut maker = Maker {
        flow,
        done: vec![false; n],
        first_steps: vec![None; n],
        marks: vec![Marks::default(); n],
        pace,
    };
    maker.set_marks(body);
    maker.sequence(maker.flow.body)?;
    maker.fold_choices()?;
    let lists = maker.pull_first_steps()?;
    let edges = maker.put_escapes_in_front(lists)?;
    let Maker { flow, marks, pace, .. } = maker;
    let start = skip_ahead(&flow, flow.first(flow.body), false, pace)?;
    let mut automaton = Automaton { flow, edges, marks, locations: Vec::new(), index: vec![None; n] };
    automaton.number_locations(start);
    Ok(automaton)
}

/// The first steps of an element, before choices are resolved.
#[derive(Clone, Debug)]
enum First {
    /// A plain element: one step, with the places where its escapes start.
    Step { edge: Edge, escapes: Vec<Elem> },
    /// A choice: where its options start.
    Options(Vec<Opt>),
}

#[derive(Clone, Copy, Debug)]
struct Opt {
    start: Elem,
    /// The first option of the innermost choice that it belongs to, by its position.
    group: u32,
}

/// For each element its first steps, with the places where the escapes of each start.
type StepLists = Vec<Vec<(Edge, Vec<Elem>)>>;

struct Maker<'t, 'p, 'q> {
    flow: Flow<'t>,
    done: Vec<bool>,
    first_steps: Vec<Option<First>>,
    marks: Vec<Marks>,
    pace: &'p mut Pace<'q>,
}

impl Maker<'_, '_, '_> {
    fn set_marks(&mut self, body: &Body) {
        for (elem, element) in self.flow.elements.iter().enumerate() {
            let marks = &mut self.marks[elem];
            marks.end = matches!(element.node, ElementKind::End);
            for label in &element.labels {
                let name = &body.labels[label.0 as usize].name;
                if has_meaning(name) {
                    marks.end |= name.starts_with("end");
                    marks.progress |= name.starts_with("progress");
                    marks.accept |= name.starts_with("accept");
                }
            }
        }
    }

    /// Finds the first steps of all elements of a chain, in order: whether a jump out of an atomic
    /// block breaks its chain is decided block by block, and matters for the elements that follow.
    fn sequence(&mut self, chain: Chain) -> Result<(), Over> {
        let mut at = self.flow.chains[chain].first;
        while let Some(elem) = at {
            self.pace.step()?;
            if !std::mem::replace(&mut self.done[elem], true) {
                self.element(elem)?;
            }
            if Some(elem) == self.flow.chains[chain].last {
                break;
            }
            at = self.flow.elements[elem].next;
        }
        Ok(())
    }

    fn element(&mut self, elem: Elem) -> Result<(), Over> {
        match self.flow.elements[elem].node.clone() {
            ElementKind::Unless(main, _) => self.sequence(main),
            ElementKind::Choice(options) => {
                let starts: Vec<Elem> = options
                    .iter()
                    .map(|&option| enter(&self.flow, self.flow.first(option)))
                    .filter(|&start| !self.is_never_executable(start))
                    .collect();
                self.first_steps[elem] = Some(choice(&starts));
                options.into_iter().try_for_each(|option| self.sequence(option))
            }
            ElementKind::Group(group, chain) => {
                self.break_chains(chain)?;
                let last = self.flow.chains[chain].last.expect("a chain has an element");
                self.flow.elements[last].next = self.flow.elements[elem].next;
                if group == Group::DStep {
                    self.plain(elem)?;
                } else {
                    let start = enter(&self.flow, self.flow.first(chain));
                    self.first_steps[elem] = Some(choice(&[start]));
                }
                self.sequence(chain)
            }
            _ => self.plain(elem),
        }
    }

    fn plain(&mut self, elem: Elem) -> Result<(), Over> {
        let element = &self.flow.elements[elem];
        let status = element.status;
        let atomic = status.atomic && !status.d_step;
        let next = self.flow.target(&element.node).or(element.next);
        let target = next.map(|next| skip_ahead(&self.flow, next, atomic, self.pace)).transpose()?;
        let edge = Edge { statement: elem, target, chain: atomic, escape: None, since: 0 };
        let escapes = match element.node {
            ElementKind::Join => Vec::new(),
            _ => element
                .escapes
                .iter()
                .map(|&escape| skip_ahead(&self.flow, self.flow.first(escape), atomic, self.pace))
                .collect::<Result<_, _>>()?,
        };
        let covered = element.escapes.clone();
        self.first_steps[elem] = Some(First::Step { edge, escapes });
        covered.into_iter().try_for_each(|escape| self.sequence(escape))
    }

    /// An option that starts with `false` is no option.
    fn is_never_executable(&self, start: Elem) -> bool {
        let element = &self.flow.elements[start];
        element.escapes.is_empty()
            && matches!(&element.node, ElementKind::Stmt(stmt)
                if matches!(&stmt.kind, StmtKind::Condition(Expr { kind: ExprKind::Const(0), .. })))
    }

    /// A jump from inside an atomic block to a place outside ends the chain; a jump from the end of
    /// one into another one keeps it.
    fn break_chains(&mut self, chain: Chain) -> Result<(), Over> {
        for elem in self.flow.up_to(chain, self.flow.chains[chain].extent, self.pace)? {
            if let Some(target) = self.flow.target(&self.flow.elements[elem].node) {
                let to = self.flow.elements[target].status;
                let inside = to.atomic || to.last;
                let status = &mut self.flow.elements[elem].status;
                if (status.atomic || status.last) && !inside {
                    status.atomic = false;
                    status.last = true;
                }
                if status.last && inside {
                    status.last = false;
                    status.atomic = true;
                }
            } else {
                match self.flow.elements[elem].node.clone() {
                    ElementKind::Choice(options) => {
                        options.into_iter().try_for_each(|option| self.break_chains(option))?;
                    }
                    ElementKind::Unless(main, escape) => {
                        self.break_chains(main)?;
                        self.break_chains(escape)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The options of a choice that starts an option of another choice become options of that one.
    /// What a label says of the inner choice then holds for its options.
    fn fold_choices(&mut self) -> Result<(), Over> {
        loop {
            let mut changed = false;
            for elem in 0..self.first_steps.len() {
                let Some(First::Options(options)) = self.first_steps[elem].clone() else { continue };
                let mut folded: Vec<Opt> = Vec::new();
                self.pace.steps(options.len())?;
                for option in options {
                    match &self.first_steps[option.start] {
                        Some(First::Options(inner)) => {
                            changed = true;
                            self.pace.steps(inner.len())?;
                            let base = folded.len() as u32;
                            folded.extend(inner.iter().map(|opt| Opt { group: base + opt.group, ..*opt }));
                            for opt in inner.clone() {
                                let marks = self.marks[option.start];
                                self.mark(opt.start, marks);
                            }
                        }
                        _ => folded.push(option),
                    }
                }
                self.first_steps[elem] = Some(First::Options(folded));
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn mark(&mut self, elem: Elem, marks: Marks) {
        if !self.flow.elements[elem].status.d_step {
            self.marks[elem].add(marks);
        }
    }

    /// Gives each choice the steps with which its options start.
    fn pull_first_steps(&mut self) -> Result<StepLists, Over> {
        let mut edges = Vec::with_capacity(self.first_steps.len());
        for elem in 0..self.first_steps.len() {
            edges.push(match self.first_steps[elem].clone() {
                None => Vec::new(),
                Some(First::Step { edge, escapes }) => vec![(edge, escapes)],
                Some(First::Options(options)) => self.pull(&options)?,
            });
        }
        Ok(edges)
    }

    fn pull(&mut self, options: &[Opt]) -> Result<Vec<(Edge, Vec<Elem>)>, Over> {
        self.pace.steps(options.len())?;
        let is_else = |elem: Elem| matches!(self.flow.elements[elem].node, ElementKind::Else);
        let several_elses = options.iter().filter(|option| is_else(option.start)).count() > 1;
        let mut out = Vec::with_capacity(options.len());
        for option in options {
            let Some(First::Step { edge, escapes }) = self.first_steps[option.start].clone() else {
                continue;
            };
            if let Some(target) = edge.target {
                let marks = self.marks[option.start];
                self.mark(target, marks);
            }
            let since = if several_elses { option.group } else { 0 };
            out.push((Edge { since, ..edge }, escapes));
        }
        Ok(out)
    }

    /// Prepends the first steps of the escapes, those of the outermost `unless` first.
    fn put_escapes_in_front(&mut self, mut lists: StepLists) -> Result<Vec<Vec<Edge>>, Over> {
        let mut order: Vec<Elem> = (0..lists.len()).collect();
        order.sort_by_key(|&elem| self.flow.elements[elem].number);
        for elem in order {
            if self.flow.elements[elem].status.d_step {
                continue;
            }
            let own = lists[elem].clone();
            for (_, escapes) in &own {
                for &start in escapes.iter().rev() {
                    for (step, further) in lists[start].clone() {
                        self.pace.steps(1 + lists[elem].len())?;
                        if lists[elem].iter().any(|(edge, _)| edge.statement == step.statement) {
                            continue;
                        }
                        lists[elem].insert(0, (Edge { escape: Some(start), ..step }, further));
                    }
                }
            }
            let shift = (lists[elem].len() - own.len()) as u32;
            for (edge, _) in
                lists[elem].iter_mut().filter(|(edge, _)| edge.escape.is_none() && edge.since > 0)
            {
                edge.since += shift;
            }
        }
        Ok(lists.iter().map(|list| list.iter().map(|(edge, _)| edge.clone()).collect()).collect())
    }
}

fn choice(starts: &[Elem]) -> First {
    First::Options(starts.iter().map(|&start| Opt { start, group: 0 }).collect())
}

/// Where an option starts: the first element that can have steps of its own.
fn enter(flow: &Flow<'_>, mut elem: Elem) -> Elem {
    loop {
        match (&flow.elements[elem].node, flow.elements[elem].next) {
            (ElementKind::Join, Some(next)) => elem = next,
            (ElementKind::Unless(main, _), _) => elem = flow.first(*main),
            _ => return elem,
        }
    }
}

/// Where a process stands when control arrives at an element: jumps and joins take no step. Inside an
/// atomic chain the last one before its end is a place of its own, still inside.
pub fn skip_ahead(flow: &Flow<'_>, mut elem: Elem, atomic: bool, pace: &mut Pace<'_>) -> Result<Elem, Over> {
    // A cycle of jumps has no place to stand but one of the jumps.
    for _ in 0..=flow.elements.len() {
        pace.step()?;
        let element = &flow.elements[elem];
        let next = match &element.node {
            ElementKind::Goto(_) | ElementKind::Break(_) => flow.target(&element.node),
            ElementKind::Join | ElementKind::Exit => element.next,
            ElementKind::Unless(main, _) => {
                elem = flow.first(*main);
                continue;
            }
            _ => None,
        };
        match next {
            Some(next) if !atomic || flow.elements[next].status.atomic => elem = next,
            _ => return Ok(elem),
        }
    }
    Ok(elem)
}

impl Automaton<'_> {
    fn number_locations(&mut self, start: Elem) {
        let mut stack = vec![start];
        while let Some(elem) = stack.pop() {
            if self.index[elem].is_some() {
                continue;
            }
            self.index[elem] = Some(self.locations.len() as u32);
            self.locations.push(elem);
            stack.extend(self.edges[elem].iter().rev().filter_map(|edge| edge.target));
        }
    }
}

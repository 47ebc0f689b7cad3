//! Statements become a graph of elements.
//!
//! The graph has one element per statement, in the order in which Spin numbers them (a compound
//! statement after its parts), because `pc_value` and state tables show these numbers. Atomic
//! blocks and escapes are marked by [`super::structure`], targets found by [`super::automaton`].

use model::{Over, Pace};
use source::Span;

use super::structure::{
    attach_escape, drop_redundant_skips, mark_atomic, separate_referenced_gotos, tie_ends,
};
use crate::tree::{Body, Expr, ExprKind, Init, LabelId, Program, Sequence, Stmt, StmtKind, VarId, VarRef};

/// Index of an element.
pub type Elem = usize;
/// Index of a chain of elements.
pub type Chain = usize;

/// What an element does.
#[derive(Clone, Debug)]
pub enum ElementKind<'t> {
    /// A statement that takes a step.
    Stmt(&'t Stmt),
    /// `skip`, put in where a label needs a place of its own.
    Skip,
    /// A declaration that control passes: its variable is set again.
    Declare(VarId),
    /// A part of `for` or `select`.
    Loop(LoopPart<'t>),
    /// `else`
    Else,
    /// `goto`
    Goto(LabelId),
    /// `break`: the number of the loop.
    Break(usize),
    /// The place where the options of a choice meet.
    Join,
    /// The place behind a loop.
    Exit,
    /// The end of the body.
    End,
    /// `if` or `do`.
    Choice(Vec<Chain>),
    /// `main unless escape`
    Unless(Chain, Chain),
    /// A block.
    Group(Group, Chain),
}

/// A step that `for` or `select` stands for.
#[derive(Clone, Copy, Debug)]
pub enum LoopPart<'t> {
    /// `var = value`
    Start(&'t VarRef, &'t Expr),
    /// `var <= value`
    Test(&'t VarRef, &'t Expr),
    /// `var < value`
    Below(&'t VarRef, &'t Expr),
    /// `var = var + 1`
    Next(&'t VarRef),
    /// `var = constant`
    Choose(&'t VarRef, i32),
    /// Of a loop over a channel: `counter = 0`, `counter < len(chan)`, `chan?var`, `chan!var`,
    /// `counter = counter + 1`.
    ChanStart(&'t Stmt),
    /// See [`LoopPart::ChanStart`].
    ChanTest(&'t Stmt),
    /// See [`LoopPart::ChanStart`].
    ChanReceive(&'t Stmt),
    /// See [`LoopPart::ChanStart`].
    ChanSend(&'t Stmt),
    /// See [`LoopPart::ChanStart`].
    ChanNext(&'t Stmt),
}

/// The kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Atomic,
    DStep,
    Plain,
}

/// Where an element stands with respect to atomic blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Status {
    /// The chain goes on behind this element.
    pub atomic: bool,
    /// The last element of an atomic block.
    pub last: bool,
    /// Inside a `d_step`.
    pub d_step: bool,
}

/// An element.
#[derive(Clone, Debug)]
pub struct Element<'t> {
    pub node: ElementKind<'t>,
    pub next: Option<Elem>,
    pub status: Status,
    /// The escapes that are tried before it, the outermost first.
    pub escapes: Vec<Chain>,
    pub labels: Vec<LabelId>,
    pub span: Span,
    /// Its number in its body, from 1.
    pub number: u32,
}

/// Elements one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Links {
    pub first: Option<Elem>,
    pub last: Option<Elem>,
    /// The last element that belongs to the chain's own statements.
    pub extent: Option<Elem>,
}

/// The graph of a body.
#[derive(Clone, Debug, Default)]
pub struct Flow<'t> {
    pub elements: Vec<Element<'t>>,
    pub chains: Vec<Links>,
    /// The element that carries each label.
    pub labels: Vec<Option<Elem>>,
    /// The element behind each loop.
    pub exits: Vec<Option<Elem>>,
    /// The chain of the whole body.
    pub body: Chain,
}

impl<'t> Flow<'t> {
    pub fn target(&self, node: &ElementKind<'t>) -> Option<Elem> {
        match node {
            ElementKind::Goto(label) => self.labels[label.0 as usize],
            ElementKind::Break(exit) => self.exits[*exit],
            _ => None,
        }
    }

    pub fn first(&self, chain: Chain) -> Elem {
        self.chains[chain].first.expect("a chain has an element")
    }

    /// The elements of a chain up to `end`.
    pub fn up_to(&self, chain: Chain, end: Option<Elem>, pace: &mut Pace<'_>) -> Result<Vec<Elem>, Over> {
        let mut out = Vec::new();
        let mut at = self.chains[chain].first;
        while let Some(elem) = at {
            pace.step()?;
            out.push(elem);
            if Some(elem) == end {
                break;
            }
            at = self.elements[elem].next;
        }
        Ok(out)
    }
}

/// Builds the graph of a body.
pub fn build<'t>(program: &'t Program, body: &'t Body, pace: &mut Pace<'_>) -> Result<Flow<'t>, Over> {
    let flow = Flow { labels: vec![None; body.labels.len()], ..Flow::default() };
    let mut builder = Builder { flow, program, body, open: Vec::new(), loops: Vec::new(), pace };
    let chain = builder.chain(|builder| {
        builder.statements(&body.sequence)?;
        let end = builder.element(ElementKind::End, body.end);
        builder.append(end);
        Ok(())
    })?;
    builder.flow.body = chain;
    let mut flow = builder.flow;
    separate_referenced_gotos(&mut flow, body);
    tie_ends(&mut flow);
    Ok(flow)
}

struct Builder<'t, 'p, 'q> {
    flow: Flow<'t>,
    program: &'t Program,
    body: &'t Body,
    /// The chains that are being built, innermost last.
    open: Vec<Links>,
    /// The numbers of the loops around, innermost last.
    loops: Vec<usize>,
    pace: &'p mut Pace<'q>,
}

/// A statement whose parts have been built.
enum Prepared<'t> {
    Simple(ElementKind<'t>),
    Choice {
        options: Vec<Chain>,
        exit: Option<usize>,
    },
    Unless {
        main: Chain,
        escape: Chain,
    },
    /// A declaration or the like: no element of its own.
    Nothing,
}

impl<'t> Builder<'t, '_, '_> {
    fn chain(&mut self, fill: impl FnOnce(&mut Self) -> Result<(), Over>) -> Result<Chain, Over> {
        self.open.push(Links::default());
        fill(self)?;
        let mut links = self.open.pop().expect("opened above");
        links.extent = links.last;
        self.flow.chains.push(links);
        Ok(self.flow.chains.len() - 1)
    }

    fn sequence(&mut self, sequence: &'t Sequence) -> Result<Chain, Over> {
        self.chain(|builder| builder.statements(sequence))
    }

    fn statements(&mut self, sequence: &'t Sequence) -> Result<(), Over> {
        for stmt in &sequence.stmts {
            self.pace.step()?;
            let prepared = self.prepare(stmt)?;
            self.attach(prepared, stmt.span, &stmt.labels)?;
        }
        Ok(())
    }

    fn element(&mut self, node: ElementKind<'t>, span: Span) -> Elem {
        let number = self.flow.elements.len() as u32 + 1;
        self.flow.elements.push(Element {
            node,
            next: None,
            status: Status::default(),
            escapes: Vec::new(),
            labels: Vec::new(),
            span,
            number,
        });
        self.flow.elements.len() - 1
    }

    fn append(&mut self, elem: Elem) {
        let mut links = *self.open.last().expect("a chain is open");
        self.link(&mut links, elem);
        *self.open.last_mut().expect("a chain is open") = links;
    }

    /// A jump that carries a label with a meaning gets a `skip` in front, which takes the label.
    fn link(&mut self, links: &mut Links, elem: Elem) {
        let is_jump = matches!(self.flow.elements[elem].node, ElementKind::Goto(_) | ElementKind::Break(_));
        let labels = &self.flow.elements[elem].labels;
        if is_jump && labels.iter().any(|label| has_meaning(&self.body.labels[label.0 as usize].name)) {
            let labels = std::mem::take(&mut self.flow.elements[elem].labels);
            let skip = self.element(ElementKind::Skip, self.flow.elements[elem].span);
            self.set_labels(skip, &labels);
            self.link(links, skip);
        }
        match links.last {
            Some(last) => self.flow.elements[last].next = Some(elem),
            None => links.first = Some(elem),
        }
        links.last = Some(elem);
    }

    fn append_to(&mut self, chain: Chain, elem: Elem) {
        let mut links = self.flow.chains[chain];
        self.link(&mut links, elem);
        self.flow.chains[chain] = links;
    }

    fn set_labels(&mut self, elem: Elem, labels: &[LabelId]) {
        self.flow.elements[elem].labels.extend_from_slice(labels);
        for label in labels {
            self.flow.labels[label.0 as usize] = Some(elem);
        }
    }

    /// Builds the parts of a statement.
    fn prepare(&mut self, stmt: &'t Stmt) -> Result<Prepared<'t>, Over> {
        Ok(match &stmt.kind {
            StmtKind::Exclusive { .. } => Prepared::Nothing,
            StmtKind::Decl { vars, initial } => {
                if !initial {
                    let has_value =
                        |var: &&VarId| !matches!(self.program.vars[var.0 as usize].init, Init::Chan(_));
                    for &var in vars.iter().filter(has_value).collect::<Vec<_>>() {
                        self.step(ElementKind::Declare(var), stmt.span);
                    }
                }
                Prepared::Nothing
            }
            StmtKind::Else => Prepared::Simple(ElementKind::Else),
            StmtKind::Goto(label) => Prepared::Simple(ElementKind::Goto(*label)),
            StmtKind::Break => Prepared::Simple(ElementKind::Break(
                *self.loops.last().expect("the parser allows no break elsewhere"),
            )),
            StmtKind::If(options) => {
                let options = self.options(options)?;
                Prepared::Choice { options, exit: None }
            }
            StmtKind::Do(options) => {
                let exit = self.open_loop();
                let options = self.options(options)?;
                self.loops.pop();
                Prepared::Choice { options, exit: Some(exit) }
            }
            StmtKind::For { .. } | StmtKind::ForChan { .. } => self.for_loop(stmt)?,
            StmtKind::Select { .. } => self.select(stmt)?,
            StmtKind::Atomic(sequence) => {
                let chain = self.sequence(sequence)?;
                mark_atomic(&mut self.flow, chain, false, self.pace)?;
                Prepared::Simple(ElementKind::Group(Group::Atomic, chain))
            }
            StmtKind::DStep(sequence) => {
                let chain = self.sequence(sequence)?;
                mark_atomic(&mut self.flow, chain, true, self.pace)?;
                Prepared::Simple(ElementKind::Group(Group::DStep, chain))
            }
            StmtKind::Block(sequence) | StmtKind::Inline { body: sequence, .. } => {
                Prepared::Simple(ElementKind::Group(Group::Plain, self.sequence(sequence)?))
            }
            StmtKind::Unless { main, escape } => self.unless(main, escape)?,
            _ => Prepared::Simple(ElementKind::Stmt(stmt)),
        })
    }

    /// Makes the element of a prepared statement and appends it to the open chain.
    fn attach(&mut self, prepared: Prepared<'t>, span: Span, labels: &[LabelId]) -> Result<(), Over> {
        match prepared {
            Prepared::Nothing => {}
            Prepared::Simple(node) => {
                let elem = self.element(node, span);
                self.set_labels(elem, labels);
                self.append(elem);
            }
            Prepared::Choice { options, exit } => {
                let elem = self.choice(options, exit, span);
                self.set_labels(elem, labels);
            }
            Prepared::Unless { main, escape } => {
                let elem = self.element(ElementKind::Unless(main, escape), span);
                let join = self.element(ElementKind::Join, span);
                self.append_to(main, join);
                self.append_to(escape, join);
                attach_escape(&mut self.flow, main, escape, self.pace)?;
                self.append(elem);
                self.append(join);
                self.set_labels(elem, labels);
            }
        }
        Ok(())
    }

    fn step(&mut self, node: ElementKind<'t>, span: Span) {
        let elem = self.element(node, span);
        self.append(elem);
    }

    /// A chain of steps.
    fn steps<const N: usize>(&mut self, nodes: [ElementKind<'t>; N], span: Span) -> Result<Chain, Over> {
        self.chain(|builder| {
            nodes.into_iter().for_each(|node| builder.step(node, span));
            Ok(())
        })
    }

    fn options(&mut self, options: &'t [Sequence]) -> Result<Vec<Chain>, Over> {
        let chains = options.iter().map(|option| self.sequence(option)).collect::<Result<Vec<Chain>, _>>()?;
        for &chain in &chains {
            drop_redundant_skips(&mut self.flow, chain);
        }
        Ok(chains)
    }

    /// `else` is tried last, wherever it stands.
    fn choice(&mut self, mut options: Vec<Chain>, exit: Option<usize>, span: Span) -> Elem {
        let elem = self.element(ElementKind::Choice(Vec::new()), span);
        let join = self.element(ElementKind::Join, span);
        let starts_with_else = |flow: &Flow<'_>, chain: Chain| {
            matches!(flow.elements[flow.first(chain)].node, ElementKind::Else)
        };
        options.sort_by_key(|&chain| starts_with_else(&self.flow, chain));
        for &option in &options {
            self.append_to(option, join);
        }
        self.flow.elements[elem].node = ElementKind::Choice(options);
        match exit {
            Some(exit) => {
                self.append(join);
                let behind = self.element(ElementKind::Exit, span);
                self.flow.exits[exit] = Some(behind);
                self.append(elem);
                self.append(behind);
            }
            None => {
                self.append(elem);
                self.append(join);
            }
        }
        elem
    }

    fn open_loop(&mut self) -> usize {
        self.flow.exits.push(None);
        self.loops.push(self.flow.exits.len() - 1);
        self.flow.exits.len() - 1
    }

    fn for_loop(&mut self, stmt: &'t Stmt) -> Result<Prepared<'t>, Over> {
        let span = stmt.span;
        let exit = self.open_loop();
        let (start, mut head, next, body) = match &stmt.kind {
            StmtKind::For { var, from, to, body } => {
                (LoopPart::Start(var, from), vec![LoopPart::Test(var, to)], LoopPart::Next(var), body)
            }
            StmtKind::ForChan { body, .. } => (
                LoopPart::ChanStart(stmt),
                vec![LoopPart::ChanTest(stmt), LoopPart::ChanReceive(stmt), LoopPart::ChanSend(stmt)],
                LoopPart::ChanNext(stmt),
                body,
            ),
            _ => unreachable!("called for loops only"),
        };
        self.step(ElementKind::Loop(start), span);
        let round = self.chain(|builder| {
            head.drain(..).for_each(|part| builder.step(ElementKind::Loop(part), span));
            builder.statements(body)?;
            builder.step(ElementKind::Loop(next), span);
            Ok(())
        })?;
        let end = self.steps([ElementKind::Else, ElementKind::Break(exit)], span)?;
        self.loops.pop();
        Ok(Prepared::Choice { options: vec![end, round], exit: Some(exit) })
    }

    fn select(&mut self, stmt: &'t Stmt) -> Result<Prepared<'t>, Over> {
        use crate::tree::SelectForm;
        let StmtKind::Select { var, from, to, form } = &stmt.kind else {
            unreachable!("called for select only")
        };
        let span = stmt.span;
        if let (SelectForm::Choice, ExprKind::Const(low), ExprKind::Const(high)) =
            (form, &from.kind, &to.kind)
        {
            let option = |value| self.steps([ElementKind::Loop(LoopPart::Choose(var, value))], span);
            let options = (*low..=*high).map(option).collect::<Result<_, _>>()?;
            return Ok(Prepared::Choice { options, exit: None });
        }
        self.step(ElementKind::Loop(LoopPart::Start(var, from)), span);
        let exit = self.open_loop();
        let round = [LoopPart::Below(var, to), LoopPart::Next(var)].map(ElementKind::Loop);
        let round = self.steps(round, span)?;
        let end = self.steps([ElementKind::Break(exit)], span)?;
        self.loops.pop();
        let options = match form {
            SelectForm::LoopBreakLast => vec![round, end],
            SelectForm::Choice | SelectForm::LoopBreakFirst => vec![end, round],
        };
        Ok(Prepared::Choice { options, exit: Some(exit) })
    }

    fn unless(&mut self, main: &'t Stmt, escape: &'t Stmt) -> Result<Prepared<'t>, Over> {
        let first = self.prepare(main)?;
        let second = self.prepare(escape)?;
        let escape_chain = match second {
            Prepared::Simple(ElementKind::Group(Group::Plain, chain)) if escape.labels.is_empty() => chain,
            other => self.chain(|builder| builder.attach(other, escape.span, &escape.labels))?,
        };
        Ok(match first {
            Prepared::Simple(ElementKind::Group(Group::Plain, chain)) if main.labels.is_empty() => {
                Prepared::Unless { main: chain, escape: escape_chain }
            }
            // The label belongs to the whole: a block around it takes the label.
            Prepared::Simple(ElementKind::Group(group, chain)) if !main.labels.is_empty() => {
                let whole = self.chain(|builder| {
                    let inner = Prepared::Unless { main: chain, escape: escape_chain };
                    builder.attach(inner, main.span, &[])
                })?;
                let elem = self.element(ElementKind::Group(group, whole), main.span);
                self.set_labels(elem, &main.labels);
                self.append(elem);
                Prepared::Nothing
            }
            other => {
                let chain = self.chain(|builder| builder.attach(other, main.span, &main.labels))?;
                Prepared::Unless { main: chain, escape: escape_chain }
            }
        })
    }
}

/// Whether a label says something about the location it stands on.
pub fn has_meaning(label: &str) -> bool {
    ["accept", "end", "progress"].iter().any(|prefix| label.starts_with(prefix))
}

//! From a body's statements to its places.

use promela::tree::{self, ExprKind, LabelId, Program, SelectForm, Sequence, Stmt, StmtKind, VarId};

use super::places::{Body, Kind, Place, PlaceId, Step};

/// Makes the places of a body.
pub fn build<'t>(program: &'t Program, body: &'t tree::Body) -> Body<'t> {
    let mut builder = Builder {
        program,
        tree: body,
        places: Vec::new(),
        labels: vec![None; body.labels.len()],
        atomic: false,
        d_step: None,
        exits: Vec::new(),
    };
    let mut elements = Vec::new();
    for stmt in &body.sequence.stmts {
        builder.stmt(stmt, &mut elements);
    }
    elements.push(builder.place(Kind::End));
    builder.link(&elements, None);
    builder.end_chains_at_jumps();
    Body { places: builder.places, labels: builder.labels, start: elements[0] }
}

struct Builder<'t> {
    program: &'t Program,
    tree: &'t tree::Body,
    places: Vec<Place<'t>>,
    labels: Vec<Option<PlaceId>>,
    /// Whether the statements being read lie in an `atomic`.
    atomic: bool,
    /// The `d_step` around them.
    d_step: Option<PlaceId>,
    /// The exits of the loops around them.
    exits: Vec<PlaceId>,
}

impl<'t> Builder<'t> {
    fn place(&mut self, kind: Kind<'t>) -> PlaceId {
        self.places.push(Place {
            kind,
            next: None,
            atomic: self.atomic,
            last: false,
            d_step: self.d_step,
            escapes: Vec::new(),
            labelled: false,
            end: false,
            progress: false,
            accept: false,
        });
        self.places.len() - 1
    }

    fn step(&mut self, step: Step<'t>) -> PlaceId {
        self.place(Kind::Step(step))
    }

    /// Puts places one after the other, and something behind them.
    fn link(&mut self, elements: &[PlaceId], behind: Option<PlaceId>) {
        let nexts = elements.iter().skip(1).copied().map(Some).chain([behind]);
        for (&element, next) in elements.iter().zip(nexts) {
            self.set_next(element, next);
        }
    }

    /// What is behind a block is also behind its last place.
    fn set_next(&mut self, element: PlaceId, next: Option<PlaceId>) {
        self.places[element].next = next;
        if let Kind::Block(inside) | Kind::DStep(inside) = &self.places[element].kind {
            let last = inside[inside.len() - 1];
            self.set_next(last, next);
        }
    }

    fn sequence(&mut self, sequence: &'t Sequence) -> Vec<PlaceId> {
        let mut elements = Vec::new();
        for stmt in &sequence.stmts {
            self.stmt(stmt, &mut elements);
        }
        if elements.is_empty() {
            elements.push(self.step(Step::Skip));
        }
        elements
    }

    /// Appends the places of a statement.
    fn stmt(&mut self, stmt: &'t Stmt, out: &mut Vec<PlaceId>) {
        if let StmtKind::Goto(_) | StmtKind::Break = stmt.kind
            && self.needs_place(&stmt.labels)
        {
            let skip = self.step(Step::Skip);
            self.set_labels(&stmt.labels, skip);
            out.push(skip);
            self.plain(stmt, out);
            return;
        }
        let place = self.plain(stmt, out);
        if let Some(place) = place {
            self.set_labels(&stmt.labels, place);
        }
    }

    /// A jump with such a label gets a `skip` in front, which carries it (rule C4).
    fn needs_place(&self, labels: &[LabelId]) -> bool {
        labels.iter().any(|label| {
            let label = &self.tree.labels[label.0 as usize];
            label.referenced
                || ["end", "accept", "progress"].iter().any(|prefix| label.name.starts_with(prefix))
        })
    }

    fn set_labels(&mut self, labels: &[LabelId], place: PlaceId) {
        for label in labels {
            self.labels[label.0 as usize] = Some(place);
            let name = &self.tree.labels[label.0 as usize].name;
            let place = &mut self.places[place];
            place.labelled = true;
            place.end |= name.starts_with("end");
            place.progress |= name.starts_with("progress");
            place.accept |= name.starts_with("accept");
        }
    }

    /// Appends the places of a statement; returns the one that carries its labels.
    fn plain(&mut self, stmt: &'t Stmt, out: &mut Vec<PlaceId>) -> Option<PlaceId> {
        let place = match &stmt.kind {
            StmtKind::Decl { vars, initial } => {
                if !initial {
                    self.declarations(vars, out);
                }
                return None;
            }
            StmtKind::Exclusive { .. } => return None,
            StmtKind::Else => self.step(Step::Else),
            StmtKind::Goto(label) => self.place(Kind::Goto(*label)),
            StmtKind::Break => {
                let exit = *self.exits.last().expect("break stands in a loop");
                self.place(Kind::Break(exit))
            }
            StmtKind::If(options) => {
                let options = options.iter().map(|option| self.option(option)).collect();
                return Some(self.choice(options, out));
            }
            StmtKind::Do(options) => {
                let exit = self.place(Kind::Exit);
                self.exits.push(exit);
                let options = options.iter().map(|option| self.option(option)).collect();
                return Some(self.repetition(options, out));
            }
            StmtKind::For { .. } | StmtKind::ForChan { .. } | StmtKind::Select { .. } => {
                return Some(self.counted(&stmt.kind, out));
            }
            StmtKind::Block(body) | StmtKind::Inline { body, .. } => self.block(body),
            StmtKind::Atomic(body) => self.atomic(body),
            StmtKind::DStep(body) => self.d_step(body),
            StmtKind::Unless { main, escape } => return Some(self.unless(stmt, main, escape, out)),
            basic => self.step(Step::Basic(basic)),
        };
        out.push(place);
        Some(place)
    }

    /// Rule C9: one step per variable, none for a channel with an initialiser.
    fn declarations(&mut self, vars: &'t [VarId], out: &mut Vec<PlaceId>) {
        for &var in vars {
            if !matches!(self.program.vars[var.0 as usize].init, tree::Init::Chan(_)) {
                let place = self.step(Step::Declare(var));
                out.push(place);
            }
        }
    }

    /// The places of an option. A `skip` right behind a `skip` or a print that is not the last
    /// statement is dropped (rule C8).
    fn option(&mut self, option: &'t Sequence) -> Vec<PlaceId> {
        let elements = self.sequence(option);
        let mut kept: Vec<PlaceId> = Vec::new();
        for (k, &element) in elements.iter().enumerate() {
            let follows_idle = kept.last().is_some_and(|&before| self.idles(before));
            let idle_skip = self.idles(element) && !self.is_print(element);
            if !(follows_idle && idle_skip && k + 1 < elements.len()) {
                kept.push(element);
            }
        }
        kept
    }

    fn idles(&self, place: PlaceId) -> bool {
        let place_ref = &self.places[place];
        let skips = match &place_ref.kind {
            Kind::Step(Step::Basic(StmtKind::Condition(condition))) => {
                matches!(condition.kind, ExprKind::Const(1))
            }
            Kind::Step(Step::Skip) => true,
            _ => self.is_print(place),
        };
        skips && !place_ref.labelled
    }

    fn is_print(&self, place: PlaceId) -> bool {
        matches!(
            self.places[place].kind,
            Kind::Step(Step::Basic(StmtKind::Print { .. } | StmtKind::Printm(_)))
        )
    }

    /// `if`: the choice, then a join behind it.
    fn choice(&mut self, options: Vec<Vec<PlaceId>>, out: &mut Vec<PlaceId>) -> PlaceId {
        let join = self.place(Kind::Join);
        for option in &options {
            self.link(option, Some(join));
        }
        let options = self.else_last(options);
        let choice = self.place(Kind::Choice(options));
        out.extend([choice, join]);
        choice
    }

    /// `do`: a join, the choice, then the exit. The exit is the innermost of `exits`.
    fn repetition(&mut self, options: Vec<Vec<PlaceId>>, out: &mut Vec<PlaceId>) -> PlaceId {
        let exit = self.exits.pop().expect("the loop has an exit");
        let join = self.place(Kind::Join);
        for option in &options {
            self.link(option, Some(join));
        }
        let options = self.else_last(options);
        let choice = self.place(Kind::Choice(options));
        out.extend([join, choice, exit]);
        choice
    }

    /// Rule G1: `else` is moved behind the other options.
    fn else_last(&self, options: Vec<Vec<PlaceId>>) -> Vec<Vec<PlaceId>> {
        let is_else = |option: &Vec<PlaceId>| matches!(self.places[option[0]].kind, Kind::Step(Step::Else));
        let (mut last, mut sorted): (Vec<_>, Vec<_>) = options.into_iter().partition(is_else);
        sorted.append(&mut last);
        sorted
    }

    /// `for` and `select`, written out (rules C11, C12).
    fn counted(&mut self, kind: &'t StmtKind, out: &mut Vec<PlaceId>) -> PlaceId {
        if let StmtKind::Select { var, from, to, form: SelectForm::Choice } = kind {
            let values = constant(from)..=constant(to);
            let options = values.map(|value| vec![self.step(Step::Pick(var, value))]).collect();
            return self.choice(options, out);
        }
        let exit = self.place(Kind::Exit);
        self.exits.push(exit);
        let (round, leave, leave_first) = match kind {
            StmtKind::For { var, from, to, body } => {
                out.push(self.step(Step::Start(var, from)));
                let mut round = vec![self.step(Step::AtMost(var, to))];
                round.extend(self.sequence(body));
                round.push(self.step(Step::Increment(var)));
                (round, vec![self.step(Step::Else), self.place(Kind::Break(exit))], false)
            }
            StmtKind::ForChan { fields, chan, counter, body, .. } => {
                out.push(self.step(Step::CountFromZero(*counter)));
                let mut round = vec![
                    self.step(Step::CountBelowLen(*counter, chan)),
                    self.step(Step::TakeMessage(chan, fields)),
                    self.step(Step::PutBack(chan, fields)),
                ];
                round.extend(self.sequence(body));
                round.push(self.step(Step::Count(*counter)));
                (round, vec![self.step(Step::Else), self.place(Kind::Break(exit))], false)
            }
            StmtKind::Select { var, from, to, form } => {
                out.push(self.step(Step::Start(var, from)));
                let round = vec![self.step(Step::Below(var, to)), self.step(Step::Increment(var))];
                (round, vec![self.place(Kind::Break(exit))], *form == SelectForm::LoopBreakFirst)
            }
            _ => unreachable!("called for loops only"),
        };
        let options = if leave_first { vec![leave, round] } else { vec![round, leave] };
        self.repetition(options, out)
    }

    fn block(&mut self, body: &'t Sequence) -> PlaceId {
        let elements = self.sequence(body);
        self.link(&elements, None);
        self.place(Kind::Block(elements))
    }

    /// Rule A2: an `atomic` inside another one, or inside a `d_step`, is a block.
    fn atomic(&mut self, body: &'t Sequence) -> PlaceId {
        if self.atomic || self.d_step.is_some() {
            return self.block(body);
        }
        self.atomic = true;
        let elements = self.sequence(body);
        self.atomic = false;
        self.link(&elements, None);
        self.end_chain_with(&elements);
        self.place(Kind::Block(elements))
    }

    /// The last place of an `atomic` ends the chain. If it is a block, that block's last place does.
    fn end_chain_with(&mut self, elements: &[PlaceId]) {
        let last = elements[elements.len() - 1];
        if let Kind::Block(inner) = &self.places[last].kind {
            let inner = inner.clone();
            self.end_chain_with(&inner);
        } else {
            self.places[last].atomic = false;
            self.places[last].last = true;
        }
    }

    fn d_step(&mut self, body: &'t Sequence) -> PlaceId {
        if self.d_step.is_some() {
            return self.block(body);
        }
        let container = self.place(Kind::DStep(Vec::new()));
        let atomic = std::mem::replace(&mut self.atomic, false);
        self.d_step = Some(container);
        let elements = self.sequence(body);
        self.d_step = None;
        self.atomic = atomic;
        self.link(&elements, None);
        self.places[container].kind = Kind::DStep(elements);
        container
    }

    /// `unless`: the place itself, then a join behind it. A label in front of a block that is the
    /// main part belongs to the whole.
    fn unless(
        &mut self,
        stmt: &'t Stmt,
        main: &'t Stmt,
        escape: &'t Stmt,
        out: &mut Vec<PlaceId>,
    ) -> PlaceId {
        let main_elements = self.part(main);
        let escape_elements = self.part(escape);
        let join = self.place(Kind::Join);
        self.link(&main_elements, Some(join));
        self.link(&escape_elements, Some(join));
        let kind = Kind::Unless { main: main_elements.clone(), escape: escape_elements };
        let unless = self.place(kind);
        self.attach(&main_elements, unless);
        if stmt.labels.is_empty() && main.labels.is_empty() {
            out.extend([unless, join]);
            return unless;
        }
        let elements = vec![unless, join];
        self.link(&elements, None);
        let block = self.place(Kind::Block(elements));
        self.set_labels(&main.labels, block);
        out.push(block);
        block
    }

    /// The places of the main part or the escape: a block stands for what is in it.
    fn part(&mut self, stmt: &'t Stmt) -> Vec<PlaceId> {
        if let StmtKind::Block(body) | StmtKind::Inline { body, .. } = &stmt.kind {
            return self.sequence(body);
        }
        let mut elements = Vec::new();
        self.stmt(stmt, &mut elements);
        elements
    }

    /// Lets the escape of `unless` be taken from these places and all inside them. It comes before
    /// the escapes that are there already, and covers them too (rule G3).
    fn attach(&mut self, elements: &[PlaceId], unless: PlaceId) {
        for &element in elements {
            self.attach_to(element, unless);
        }
    }

    fn attach_to(&mut self, element: PlaceId, unless: PlaceId) {
        if self.places[element].escapes.contains(&unless) {
            return;
        }
        for inner in self.places[element].escapes.clone() {
            if let Kind::Unless { escape, .. } = &self.places[inner].kind {
                let escape = escape.clone();
                self.attach(&escape, unless);
            }
        }
        self.places[element].escapes.insert(0, unless);
        let inside: Vec<PlaceId> = match &self.places[element].kind {
            Kind::Choice(options) => options.concat(),
            Kind::Block(elements) => elements.clone(),
            Kind::Unless { main, .. } => main.clone(),
            Kind::DStep(elements) => elements[..1].to_vec(),
            _ => Vec::new(),
        };
        self.attach(&inside, unless);
    }

    /// Rule A3: a jump out of an `atomic` ends the chain, one into an `atomic` keeps it alive.
    fn end_chains_at_jumps(&mut self) {
        for place in 0..self.places.len() {
            let target = match self.places[place].kind {
                Kind::Goto(label) => self.labels[label.0 as usize],
                Kind::Break(exit) => Some(exit),
                _ => None,
            };
            let Some(target) = target else { continue };
            let target_inside = self.places[target].atomic || self.places[target].last;
            let jump = &mut self.places[place];
            if jump.atomic && !target_inside {
                (jump.atomic, jump.last) = (false, true);
            } else if jump.last && target_inside {
                (jump.atomic, jump.last) = (true, false);
            }
        }
    }
}

/// The value of a bound that the parser knows to be constant.
fn constant(expr: &tree::Expr) -> i32 {
    match expr.kind {
        ExprKind::Const(value) | ExprKind::Mtype(_, value) => value,
        _ => unreachable!("a select in one step has constant bounds"),
    }
}

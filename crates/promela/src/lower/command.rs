//! Statements become guarded commands.

use ir::{BinaryOp, Block, Comm, Command, Expr, Guarded, LocationId, Op, Piece, Print, Transition};

use model::Over;
use rustc_hash::FxHashMap;

use super::Lowering;
use super::automaton::{Edge, skip_ahead};
use super::flow::{Elem, ElementKind, Group, LoopPart};
use super::regions::Initialise;
use crate::text;
use crate::tree::{self, ExprKind, MtypeId, RecvArg, Stmt, StmtKind, Type, VarRef};

impl Lowering<'_, '_> {
    /// The step of an edge, as a transition between locations of the process.
    pub fn transition(&mut self, process: usize, edge: &Edge) -> Result<Transition, Over> {
        self.pace.step()?;
        let target = edge.target.and_then(|target| self.automata[process].index[target]).unwrap_or(0);
        let command = self.command(process, edge)?;
        Ok(self.finish(process, edge, command, LocationId(target)))
    }

    fn finish(&self, process: usize, edge: &Edge, command: Command, target: LocationId) -> Transition {
        let automaton = &self.automata[process];
        let element = &automaton.flow.elements[edge.statement];
        let escape = edge.escape.map(|elem| automaton.flow.elements[elem].number);
        let body = &self.program.proctypes[process].body;
        let source = self.program.locate(element.span);
        let text = text::element(self.program, body, &element.node, source.line);
        Transition { command, target, chain: edge.chain, escape, text, source }
    }

    fn command(&mut self, process: usize, edge: &Edge) -> Result<Command, Over> {
        let element = &self.automata[process].flow.elements[edge.statement];
        Ok(match element.node.clone() {
            ElementKind::End => Command::Terminate,
            ElementKind::Else => Command::Else { since: edge.since },
            ElementKind::Group(Group::DStep, _) => Command::Block(self.block(process, edge.statement)?),
            ElementKind::Stmt(stmt) => Command::Guarded(self.statement(stmt)),
            ElementKind::Declare(var) => {
                let mut no_channel = |_: &mut Self, _: &str, _: &tree::ChanInit| None;
                Command::Guarded(effect(self.initialisers(var, Initialise::Again, &mut no_channel)?))
            }
            ElementKind::Loop(part) => Command::Guarded(self.loop_part(part)),
            _ => Command::Guarded(Guarded::default()),
        })
    }

    /// The inside of a `d_step`: a small automaton of its own.
    fn block(&mut self, process: usize, d_step: Elem) -> Result<Block, Over> {
        let flow = &self.automata[process].flow;
        let ElementKind::Group(_, chain) = flow.elements[d_step].node else {
            unreachable!("called for d_step")
        };
        let entry = skip_ahead(flow, flow.first(chain), false, &mut self.pace)?;
        let is_inside = |flow: &super::flow::Flow<'_>, elem: Elem| flow.elements[elem].status.d_step;
        let mut elems = vec![entry];
        let mut numbers = FxHashMap::from_iter([(entry, 0)]);
        let mut locations = Vec::new();
        while let Some(&elem) = elems.get(locations.len()) {
            let mut transitions = Vec::new();
            for edge in self.automata[process].edges[elem].clone() {
                self.pace.step()?;
                let flow = &self.automata[process].flow;
                let target = match edge.target.filter(|&target| is_inside(flow, target)) {
                    None => Block::EXIT,
                    Some(target) => {
                        let number = numbers.entry(target).or_insert_with(|| {
                            elems.push(target);
                            elems.len() as u32 - 1
                        });
                        LocationId(*number)
                    }
                };
                let command = self.command(process, &edge)?;
                transitions.push(self.finish(process, &edge, command, target));
            }
            locations.push(transitions);
        }
        Ok(Block { locations })
    }

    fn statement(&mut self, stmt: &Stmt) -> Guarded {
        match &stmt.kind {
            StmtKind::Condition(expr) => {
                let mut guard = Vec::new();
                self.conjuncts(expr, &mut guard);
                Guarded { guard, comm: Comm::None, effect: self.runs(expr) }
            }
            StmtKind::Assign(var, value) => {
                let mut ops = self.runs(value);
                let value = self.expr(value);
                ops.extend(self.var_place(var).map(|place| Op::Assign(place, value)));
                effect(ops)
            }
            StmtKind::Print { format, args } => effect(vec![Op::Print(self.format(format, args))]),
            StmtKind::Printm(value) => {
                let set = self.name_set(value);
                let piece = Piece::Name(self.expr(value), set);
                effect(vec![Op::Print(Print { pieces: vec![piece] })])
            }
            StmtKind::Assert(condition) => {
                let mut ops = self.runs(condition);
                ops.push(Op::Assert {
                    text: text::expr(self.program, condition),
                    condition: self.expr(condition),
                    source: self.program.locate(stmt.span),
                });
                effect(ops)
            }
            StmtKind::Send { chan, args, sorted } => {
                let channel = self.load(chan);
                let fields = args.iter().map(|arg| self.expr(arg)).collect();
                communicate(Comm::Send(ir::Send { channel, fields, sorted: *sorted }))
            }
            StmtKind::Receive { chan, args, random, peek } => {
                communicate(Comm::Receive(self.receive(chan, args, *random, *peek)))
            }
            StmtKind::SetPriority(process, priority) => {
                effect(vec![Op::SetPriority(self.expr(process), self.expr(priority))])
            }
            _ => unreachable!("compound statements and jumps have elements of their own"),
        }
    }

    fn loop_part(&mut self, part: LoopPart<'_>) -> Guarded {
        match part {
            LoopPart::Start(var, value) => {
                let value = self.expr(value);
                self.set(var, value)
            }
            LoopPart::Choose(var, value) => self.set(var, Expr::Const(value)),
            LoopPart::Next(var) => {
                let next = plus_one(self.load(var));
                self.set(var, next)
            }
            LoopPart::Test(var, bound) => test(BinaryOp::Le, self.load(var), self.expr(bound)),
            LoopPart::Below(var, bound) => test(BinaryOp::Lt, self.load(var), self.expr(bound)),
            LoopPart::ChanStart(stmt)
            | LoopPart::ChanTest(stmt)
            | LoopPart::ChanReceive(stmt)
            | LoopPart::ChanSend(stmt)
            | LoopPart::ChanNext(stmt) => self.channel_loop_part(part, stmt),
        }
    }

    fn channel_loop_part(&mut self, part: LoopPart<'_>, stmt: &Stmt) -> Guarded {
        let StmtKind::ForChan { fields, chan, counter, .. } = &stmt.kind else {
            unreachable!("a part of a loop over a channel")
        };
        let counter = VarRef { var: *counter, index: None, field: None, span: stmt.span };
        match part {
            LoopPart::ChanTest(_) => {
                let len = Expr::Channel(ir::ChannelOp::Len, Box::new(self.load(chan)));
                test(BinaryOp::Lt, self.load(&counter), len)
            }
            LoopPart::ChanReceive(_) => {
                let args: Vec<RecvArg> = fields.iter().cloned().map(RecvArg::Store).collect();
                communicate(Comm::Receive(self.receive(chan, &args, false, false)))
            }
            LoopPart::ChanSend(_) => {
                let channel = self.load(chan);
                let fields = fields.iter().map(|field| self.load(field)).collect();
                communicate(Comm::Send(ir::Send { channel, fields, sorted: false }))
            }
            LoopPart::ChanNext(_) => {
                let next = plus_one(self.load(&counter));
                self.set(&counter, next)
            }
            _ => self.set(&counter, Expr::Const(0)),
        }
    }

    fn set(&mut self, var: &VarRef, value: Expr) -> Guarded {
        effect(self.var_place(var).map(|place| Op::Assign(place, value)).into_iter().collect())
    }

    /// The `run` in an expression; the parser allows one.
    fn runs(&mut self, expr: &tree::Expr) -> Vec<Op> {
        let mut found = None;
        expr.visit(&mut |inner| {
            if let ExprKind::Run { .. } = inner.kind {
                found = Some(inner.clone());
            }
        });
        let Some(ExprKind::Run { proctype, args, priority }) = found.map(|expr| expr.kind) else {
            return Vec::new();
        };
        let args = args.iter().map(|arg| self.expr(arg)).collect();
        let priority = priority.unwrap_or(1).clamp(1, 255) as u8;
        vec![Op::Run { process: ir::ProcessId(proctype.0), args, priority }]
    }

    fn format(&mut self, format: &str, args: &[tree::Expr]) -> Print {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut args = args.iter();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => literal.push(match chars.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some(other) => other,
                    None => '\\',
                }),
                '%' => {
                    let letter =
                        chars.by_ref().find(|c| !c.is_ascii_digit() && !matches!(c, '-' | '.' | 'l'));
                    if letter == Some('%') {
                        literal.push('%');
                        continue;
                    }
                    let Some(arg) = args.next() else { continue };
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                    let set = self.name_set(arg);
                    let value = self.expr(arg);
                    pieces.push(match letter {
                        Some('e') => Piece::Name(value, set),
                        Some('c') => Piece::Char(value),
                        Some('u') => Piece::Unsigned(value),
                        Some('x') => Piece::Hex(value),
                        Some('o') => Piece::Octal(value),
                        _ => Piece::Decimal(value),
                    });
                }
                c => literal.push(c),
            }
        }
        pieces.push(Piece::Text(literal));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Print { pieces }
    }

    /// The set of names in which an expression's value is looked up.
    fn name_set(&self, expr: &tree::Expr) -> u32 {
        match &expr.kind {
            ExprKind::Mtype(MtypeId(set), _) => *set,
            ExprKind::Var(var) => {
                let mut last = var;
                while let Some(field) = &last.field {
                    last = field;
                }
                match self.program.vars[last.var.0 as usize].ty {
                    Type::Mtype(MtypeId(set)) => set,
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}

fn effect(effect: Vec<Op>) -> Guarded {
    Guarded { effect, ..Guarded::default() }
}

fn communicate(comm: Comm) -> Guarded {
    Guarded { comm, ..Guarded::default() }
}

fn test(op: BinaryOp, left: Expr, right: Expr) -> Guarded {
    Guarded { guard: vec![Expr::Binary(op, Box::new(left), Box::new(right))], ..Guarded::default() }
}

fn plus_one(value: Expr) -> Expr {
    Expr::Binary(BinaryOp::Add, Box::new(value), Box::new(Expr::Const(1)))
}

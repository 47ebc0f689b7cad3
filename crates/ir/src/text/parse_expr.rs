//! From text to effects and expressions.

use super::lex::Token;
use super::names::{CONJUNCT, Names, UNARY, operator};
use super::parse::Parser;
use super::stream::{Result, Stream};
use crate::expr::{
    Base, BinaryOp, ChannelOp, Expr, MAX_DEPTH, Mark, Op, Pattern, Piece, Place, Print, Receive, Send,
    UnaryOp,
};
use crate::layout::Region;
use crate::program::{Comm, LocationId, ProcessId};

/// How often the parser may be called inside itself. A parenthesis, an index and the like count twice.
const MAX_NESTING: usize = 400;

const BINARY_OPS: [BinaryOp; 18] = [
    BinaryOp::Or,
    BinaryOp::And,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::BitAnd,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
];

/// What stands for a variable or a process: `a[i].f#3`.
struct Reference<'t> {
    start: Stream<'t>,
    /// The name with `[]` for each index; empty for `#3`.
    name: String,
    number: Option<u32>,
    indices: Vec<Expr>,
}

impl<'t> Parser<'t> {
    /// An expression.
    pub fn expr(&mut self) -> Result<Expr> {
        let outer = std::mem::take(&mut self.height);
        self.enter()?;
        let mut expr = self.binary(1)?;
        if self.stream.take_sign("?") {
            let then = self.expr()?;
            self.stream.sign(":")?;
            expr = Expr::Cond(Box::new(expr), Box::new(then), Box::new(self.expr()?));
            self.grow()?;
        }
        self.nesting -= 1;
        self.height = self.height.max(outer);
        Ok(expr)
    }

    fn enter(&mut self) -> Result<()> {
        self.nesting += 1;
        let is_deep = self.nesting > MAX_NESTING;
        if is_deep { self.stream.error("this expression is nested too deeply") } else { Ok(()) }
    }

    /// Puts a node on top of the expressions read last.
    fn grow(&mut self) -> Result<()> {
        self.height += 1;
        if self.height > MAX_DEPTH { self.stream.error("this expression is too long") } else { Ok(()) }
    }

    /// The conjuncts of a guard.
    pub fn conjuncts(&mut self) -> Result<Vec<Expr>> {
        let mut conjuncts = vec![self.binary(CONJUNCT)?];
        while self.stream.take_sign("&&") {
            conjuncts.push(self.binary(CONJUNCT)?);
        }
        Ok(conjuncts)
    }

    fn parenthesised(&mut self) -> Result<Expr> {
        self.stream.sign("(")?;
        let expr = self.expr()?;
        self.stream.sign(")")?;
        Ok(expr)
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Expr> {
        let outer = std::mem::take(&mut self.height);
        let mut left = self.unary()?;
        while let Token::Sign(sign) = self.stream.peek() {
            let op = BINARY_OPS.into_iter().find(|op| operator(*op).1 == *sign);
            let Some(op) = op.filter(|op| operator(*op).0 >= least) else { break };
            self.stream.next();
            let right = self.binary(operator(op).0 + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
            self.grow()?;
        }
        self.height = self.height.max(outer);
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let outer = std::mem::take(&mut self.height);
        let mut ops = Vec::new();
        loop {
            ops.push(match self.stream.peek() {
                Token::Sign("-") if !self.is_negative_number() => UnaryOp::Neg,
                Token::Sign("!") => UnaryOp::Not,
                Token::Sign("~") => UnaryOp::BitNot,
                _ => break,
            });
            self.stream.next();
        }
        self.enter()?;
        let mut expr = self.primary()?;
        self.nesting -= 1;
        self.grow()?;
        for op in ops.into_iter().rev() {
            expr = Expr::Unary(op, Box::new(expr));
            self.grow()?;
        }
        self.height = self.height.max(outer);
        Ok(expr)
    }

    fn is_negative_number(&self) -> bool {
        let mut ahead = self.stream;
        ahead.take_sign("-") && matches!(ahead.peek(), Token::Number(_))
    }

    fn primary(&mut self) -> Result<Expr> {
        let before = self.stream;
        match self.stream.peek() {
            Token::Number(_) | Token::Sign("-") => self.stream.constant().map(Expr::Const),
            Token::Sign("(") => self.parenthesised(),
            Token::Sign("." | "#") => self.place().map(Expr::Load),
            Token::Text(_) => self.name(),
            Token::Word(word) => {
                self.stream.next();
                if let Some(expr) = self.built_in(word)? {
                    return Ok(expr);
                }
                self.stream = before;
                self.name()
            }
            _ => self.stream.expected("an expression"),
        }
    }

    /// What starts with a word of the language, if this one is.
    fn built_in(&mut self, word: &str) -> Result<Option<Expr>> {
        let boxed = |parser: &mut Self| parser.parenthesised().map(Box::new);
        Ok(Some(match word {
            "_pid" => Expr::Pid,
            "_nr_pr" => Expr::NrProcesses,
            "timeout" => Expr::Timeout,
            "new_pid" => Expr::NewPid,
            "own" => {
                self.stream.sign("(")?;
                let k = self.stream.number()?;
                self.stream.sign(")")?;
                Expr::OwnChannel(k)
            }
            "len" => Expr::Channel(ChannelOp::Len, boxed(self)?),
            "empty" => Expr::Channel(ChannelOp::Empty, boxed(self)?),
            "nempty" => Expr::Channel(ChannelOp::Nempty, boxed(self)?),
            "full" => Expr::Channel(ChannelOp::Full, boxed(self)?),
            "nfull" => Expr::Channel(ChannelOp::Nfull, boxed(self)?),
            "enabled" => Expr::Enabled(boxed(self)?),
            "pc_value" => Expr::PcValue(boxed(self)?),
            "priority" => Expr::PriorityOf(boxed(self)?),
            "some_at" => {
                self.stream.sign("(")?;
                let mark = match self.stream.take_word("progress") {
                    true => Mark::Progress,
                    false if self.stream.take_word("accept") => Mark::Accept,
                    false => return self.stream.expected("'progress' or 'accept'"),
                };
                self.stream.sign(")")?;
                Expr::SomeAt(mark)
            }
            "poll" => {
                self.stream.sign("(")?;
                let channel = self.channel()?;
                let Some(receive) = self.receive(channel)? else {
                    return self.stream.expected("'?' or '??'");
                };
                self.stream.sign(")")?;
                Expr::Poll(Box::new(receive))
            }
            _ => return Ok(None),
        }))
    }

    /// A shared variable, or something about another process.
    fn name(&mut self) -> Result<Expr> {
        let reference = self.reference()?;
        if !self.stream.take_sign("::") {
            return self.global(reference).map(Expr::Load);
        }
        let (process, pid) = self.instance(reference)?;
        if !self.stream.take_sign("@") {
            return self.remote(process, pid).map(Expr::Load);
        }
        let location = match self.stream.take_word("none") {
            true => None,
            false => Some(LocationId(self.stream.number()?)),
        };
        Ok(Expr::At { process, pid, location })
    }

    /// A variable.
    pub fn place(&mut self) -> Result<Place> {
        let start = self.stream;
        if self.stream.take_sign(".") {
            let Some(process) = self.process else { return start.error("there is no process here") };
            let reference = self.reference()?;
            let region = &self.declared.processes[process].frame;
            return resolve(Base::Frame, region, &self.names.frames[process], reference);
        }
        let reference = self.reference()?;
        if self.stream.take_sign("::") {
            let (process, pid) = self.instance(reference)?;
            return self.remote(process, pid);
        }
        self.global(reference)
    }

    fn global(&self, reference: Reference<'t>) -> Result<Place> {
        resolve(Base::Global, &self.declared.globals, &self.names.globals, reference)
    }

    fn remote(&mut self, process: ProcessId, pid: Option<Box<Expr>>) -> Result<Place> {
        let reference = self.reference()?;
        let region = &self.declared.processes[process.0 as usize].frame;
        let names = &self.names.frames[process.0 as usize];
        resolve(Base::Remote { process, pid }, region, names, reference)
    }

    fn reference(&mut self) -> Result<Reference<'t>> {
        let mut found =
            Reference { start: self.stream, name: String::new(), number: None, indices: Vec::new() };
        if let Some(text) = self.stream.text() {
            found.name = text;
        } else if !self.stream.is_sign("#") {
            found.name.push_str(self.stream.word("a name")?);
        }
        loop {
            if found.number.is_none() && self.stream.take_sign("#") {
                found.number = Some(self.stream.number()?);
            } else if self.stream.take_sign("[") {
                found.indices.push(self.expr()?);
                self.stream.sign("]")?;
                found.name.push_str(if found.name.is_empty() { "" } else { "[]" });
            } else if !found.name.is_empty() && self.stream.take_sign(".") {
                found.name.push('.');
                found.name.push_str(self.stream.word("a name")?);
            } else {
                return Ok(found);
            }
        }
    }

    /// A process, with the pid as its index.
    fn instance(&self, mut reference: Reference<'t>) -> Result<(ProcessId, Option<Box<Expr>>)> {
        if reference.indices.len() > 1 {
            return reference.start.error("a process has one pid");
        }
        let pid = reference.indices.pop().map(Box::new);
        let name = reference.name.strip_suffix("[]").unwrap_or(&reference.name);
        let what = ("process", self.declared.processes.len());
        let process = find(&self.names.processes, what, name, reference.number, reference.start)?;
        Ok((ProcessId(process), pid))
    }

    /// A process without a pid.
    pub fn process_name(&mut self) -> Result<ProcessId> {
        let reference = self.reference()?;
        let start = reference.start;
        match self.instance(reference)? {
            (process, None) => Ok(process),
            (_, Some(_)) => start.error("no pid is expected here"),
        }
    }

    /// The number of a channel, in front of `!` or `?`.
    pub fn channel(&mut self) -> Result<Expr> {
        self.binary(UNARY)
    }

    /// A send or a receive.
    pub fn comm(&mut self) -> Result<Comm> {
        let channel = self.channel()?;
        let sorted = self.stream.is_sign("!!");
        if sorted || self.stream.is_sign("!") {
            self.stream.next();
            let is_empty = self.stream.is_sign("->") || self.stream.is_sign("{");
            let fields = if is_empty { Vec::new() } else { self.exprs()? };
            return Ok(Comm::Send(Send { channel, fields, sorted }));
        }
        match self.receive(channel)? {
            Some(receive) => Ok(Comm::Receive(receive)),
            None => self.stream.expected("'!' or '?'"),
        }
    }

    fn receive(&mut self, channel: Expr) -> Result<Option<Receive>> {
        let random = self.stream.is_sign("??");
        if !random && !self.stream.is_sign("?") {
            return Ok(None);
        }
        self.stream.next();
        let peek = self.stream.take_sign("<");
        let mut fields = Vec::new();
        if !["->", "{", ")", ">"].into_iter().any(|sign| self.stream.is_sign(sign)) {
            fields.push(self.pattern()?);
            while self.stream.take_sign(",") {
                fields.push(self.pattern()?);
            }
        }
        if peek {
            self.stream.sign(">")?;
        }
        Ok(Some(Receive { channel, fields, random, peek }))
    }

    fn pattern(&mut self) -> Result<Pattern> {
        if self.stream.take_word("_") {
            return Ok(Pattern::Ignore);
        }
        if self.stream.take_word("eval") {
            return self.parenthesised().map(Pattern::Match);
        }
        if self.stream.is_sign("-") || matches!(self.stream.peek(), Token::Number(_)) {
            return self.stream.constant().map(|value| Pattern::Match(Expr::Const(value)));
        }
        self.place().map(Pattern::Store)
    }

    fn exprs(&mut self) -> Result<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        while self.stream.take_sign(",") {
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }

    /// Effects in braces.
    pub fn effect(&mut self) -> Result<Vec<Op>> {
        self.stream.sign("{")?;
        let mut ops = Vec::new();
        while !self.stream.take_sign("}") {
            ops.push(self.op()?);
            if !self.stream.take_sign(";") && !self.stream.is_sign("}") {
                return self.stream.expected("';' or '}'");
            }
        }
        Ok(ops)
    }

    fn op(&mut self) -> Result<Op> {
        if self.stream.take_word("run") {
            let process = self.process_name()?;
            self.stream.sign("(")?;
            let args = if self.stream.is_sign(")") { Vec::new() } else { self.exprs()? };
            self.stream.sign(")")?;
            return Ok(Op::Run { process, args, priority: self.start_priority()? });
        }
        if self.stream.take_word("assert") {
            let condition = self.expr()?;
            let text = self.stream.text().unwrap_or_default();
            return Ok(Op::Assert { condition, text, source: self.source()? });
        }
        if self.stream.take_word("priority") {
            let process = self.parenthesised()?;
            self.stream.sign("=")?;
            return Ok(Op::SetPriority(process, self.expr()?));
        }
        if self.stream.take_word("print") {
            let mut pieces = Vec::new();
            if !self.stream.is_sign(";") && !self.stream.is_sign("}") {
                pieces.push(self.piece()?);
                while self.stream.take_sign(",") {
                    pieces.push(self.piece()?);
                }
            }
            return Ok(Op::Print(Print { pieces }));
        }
        let place = self.place()?;
        self.stream.sign("=")?;
        Ok(Op::Assign(place, self.expr()?))
    }

    fn piece(&mut self) -> Result<Piece> {
        let before = self.stream;
        if let Some(text) = self.stream.text() {
            // The name of a process can be in quotes, too.
            if !["::", "[", "#"].into_iter().any(|sign| self.stream.is_sign(sign)) {
                return Ok(Piece::Text(text));
            }
            self.stream = before;
        }
        if self.stream.take_word("unsigned") {
            return self.parenthesised().map(Piece::Unsigned);
        }
        if self.stream.take_word("hex") {
            return self.parenthesised().map(Piece::Hex);
        }
        if self.stream.take_word("octal") {
            return self.parenthesised().map(Piece::Octal);
        }
        if self.stream.take_word("char") {
            return self.parenthesised().map(Piece::Char);
        }
        if self.stream.take_word("name") {
            let set = self.stream.number()?;
            return Ok(Piece::Name(self.parenthesised()?, set));
        }
        self.expr().map(Piece::Decimal)
    }
}

fn resolve(base: Base, region: &Region, names: &Names, reference: Reference<'_>) -> Result<Place> {
    let Reference { start, name, number, indices } = reference;
    let slot = find(names, ("variable", region.slots.len()), &name, number, start)?;
    let decl = &region.slots[slot as usize];
    if indices.len() != decl.dims.len() {
        return start.error(format!("{} indices, but {} dimensions", indices.len(), decl.dims.len()));
    }
    let dims = decl.dims.iter().map(|dim| (dim.len, dim.stride)).collect();
    Ok(Place { base, slot, indices, offset: decl.offset, width: decl.width, signed: decl.signed, dims })
}

/// The thing with the given name or number, of `what.1` such things.
pub fn find(
    names: &Names,
    what: (&str, usize),
    name: &str,
    number: Option<u32>,
    at: Stream<'_>,
) -> Result<u32> {
    let (what, count) = what;
    match (number, names.find(name)) {
        (Some(number), _) if number as usize >= count => at.error(format!("there is no {what} #{number}")),
        (Some(number), _) if !name.is_empty() && !names.is_named(number, name) => {
            at.error(format!("{what} #{number} is not called '{name}'"))
        }
        (Some(number), _) => Ok(number),
        (None, None) => at.error(format!("there is no {what} '{name}'")),
        (None, Some((first, false))) => {
            at.error(format!("there are several called '{name}': write '{name}#{first}' for the first"))
        }
        (None, Some((index, true))) => Ok(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_listed_once() {
        let mut signs: Vec<&str> = BINARY_OPS.iter().map(|op| operator(*op).1).collect();
        signs.sort_unstable();
        signs.dedup();
        assert_eq!(signs.len(), BINARY_OPS.len());
    }
}

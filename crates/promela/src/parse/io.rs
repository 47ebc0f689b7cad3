//! Sends, receives and prints.

use rustc_hash::FxHashSet;
use source::Span;

use super::expr::Whole;
use super::primary::runs;
use super::{Parse, Parser};
use crate::lex::{Keyword, Kind};
use crate::tree::{Expr, RecvArg, StmtKind, Type, UnaryOp, VarRef};

impl Parser<'_> {
    pub(super) fn check_chan(&mut self, chan: &VarRef) {
        let known = Some(self.innermost(chan).var) != self.unknown;
        if known && self.type_of(chan) != Type::Chan {
            let name = self.program.vars[self.innermost(chan).var.0 as usize].name.clone();
            self.error("E0509", chan.span, format!("`{name}` is not a channel"));
        }
    }

    pub(super) fn send(&mut self, chan: VarRef) -> Parse<StmtKind> {
        self.check_chan(&chan);
        let sorted = self.stream.bump().kind == Kind::BangBang;
        if sorted {
            self.refuse_sorted_in_trace(chan.span);
        }
        let mut args = Vec::new();
        let first = self.nested(Self::value_or_structure)?;
        self.add_value(&mut args, first);
        // `c!a(b, c)` is the same as `c!a,b,c`.
        if self.accept(Kind::LeftParen).is_some() {
            args.extend(self.values_list()?);
            self.expect(Kind::RightParen, "`)`")?;
        } else if self.accept(Kind::Comma).is_some() {
            args.extend(self.values_list()?);
        }
        if let Some(run) = args.iter().flat_map(runs).next() {
            self.error("E0611", run, "`run` cannot be used in a message");
        }
        let span = self.since(chan.span);
        self.pending.sends.push((span, args.len()));
        self.compare_arity(&chan, args.len(), span);
        Ok(StmtKind::Send { chan, args, sorted })
    }

    fn refuse_sorted_in_trace(&mut self, span: Span) {
        if self.state().kind == super::scope::BodyKind::Trace {
            self.error("E0613", span, "only plain sends and receives can be events of a trace");
        }
    }

    /// Spin takes messages with too many or too few fields, and fails when they are executed.
    fn compare_arity(&mut self, chan: &VarRef, given: usize, span: Span) {
        let Some((_, wanted)) = self.known_channel(chan) else { return };
        if given != wanted {
            let declared = self.program.vars[self.innermost(chan).var.0 as usize].span;
            let message = format!("messages of this channel have {wanted} fields, but {given} are given");
            self.warn("W0808", span, message).related(declared, "the channel");
        }
    }

    /// A receive, but not a poll.
    pub(super) fn receive(&mut self, chan: VarRef) -> Parse<StmtKind> {
        self.check_chan(&chan);
        let random = self.stream.bump().kind == Kind::QueryQuery;
        let peek = self.accept(Kind::Less).is_some();
        if random || peek {
            self.refuse_sorted_in_trace(chan.span);
        }
        let close = if peek { Kind::Greater } else { Kind::End };
        let args = self.nested(|parser| parser.receive_args(close))?;
        if peek {
            self.expect(Kind::Greater, "`>`")?;
        }
        self.check_receive(&chan, &args);
        Ok(StmtKind::Receive { chan, args, random, peek })
    }

    /// Fields of a receive: `a, b`, `a(b, c)` or `(a, b)`.
    pub(super) fn receive_args(&mut self, close: Kind) -> Parse<Vec<RecvArg>> {
        let mut args = Vec::new();
        let mut height = 0;
        loop {
            if self.at(close) && !args.is_empty() {
                break;
            }
            if self.accept(Kind::LeftParen).is_some() {
                args.extend(self.nested(|parser| parser.receive_args(Kind::RightParen))?);
                self.expect(Kind::RightParen, "`)`")?;
            } else {
                self.receive_arg(&mut args)?;
                height = height.max(self.height);
                if self.accept(Kind::LeftParen).is_some() {
                    args.extend(self.nested(|parser| parser.receive_args(Kind::RightParen))?);
                    self.expect(Kind::RightParen, "`)`")?;
                }
            }
            height = height.max(self.height);
            if self.accept(Kind::Comma).is_none() {
                break;
            }
        }
        self.height = height;
        Ok(args)
    }

    fn receive_arg(&mut self, args: &mut Vec<RecvArg>) -> Parse<()> {
        let token = self.stream.peek();
        match token.kind {
            Kind::Key(Keyword::Eval) => {
                self.stream.bump();
                self.expect(Kind::LeftParen, "`(`")?;
                let value = self.nested(Self::value_or_structure)?;
                self.expect(Kind::RightParen, "`)`")?;
                let mut values = Vec::new();
                self.add_value(&mut values, value);
                args.extend(values.into_iter().map(RecvArg::Match));
            }
            Kind::Minus => {
                self.stream.bump();
                let value = self.primary()?;
                args.push(RecvArg::Match(self.unary(UnaryOp::Neg, token.span, value)));
            }
            Kind::Name if self.name(token.text) == "_" => {
                self.stream.bump();
                args.push(RecvArg::Ignore);
            }
            Kind::Name => {
                let is_constant = self.find_var(token.text).is_none() && self.symbol(token.text).is_some();
                if is_constant {
                    args.push(RecvArg::Match(self.primary()?));
                    return Ok(());
                }
                if self.is_predefined(token.text) {
                    let name = self.name(token.text).to_owned();
                    let message = format!("`{name}` cannot be received into: it is compared instead");
                    let (right, is_written) = (format!("eval({name})"), self.is_written(token));
                    let report = self.warn("W0817", token.span, message).help(format!("write `{right}`"));
                    if is_written {
                        report.replace(token.span, right);
                    }
                    args.push(RecvArg::Match(self.primary()?));
                    return Ok(());
                }
                let var = self.var_ref(Whole::Structure)?;
                if self.can_expand(&var) {
                    args.extend(self.fields_of(var).into_iter().map(RecvArg::Store));
                }
            }
            Kind::Number | Kind::Char | Kind::Key(Keyword::True | Keyword::False | Keyword::Skip) => {
                args.push(RecvArg::Match(self.primary()?));
            }
            _ => return self.unexpected("a variable, a constant or `eval(…)`"),
        }
        Ok(())
    }

    pub(super) fn check_receive(&mut self, chan: &VarRef, args: &[RecvArg]) {
        let span = self.since(chan.span);
        self.compare_arity(chan, args.len(), span);
        let mut seen = FxHashSet::default();
        for arg in args {
            let RecvArg::Store(VarRef { var, index: None, field: None, span }) = arg else { continue };
            if !seen.insert(*var) && Some(*var) != self.unknown {
                let name = self.program.vars[var.0 as usize].name.clone();
                self.error("E0617", *span, format!("`{name}` is received into twice"));
            }
        }
    }

    pub(super) fn printf(&mut self) -> Parse<StmtKind> {
        let start = self.stream.bump().span;
        self.expect(Kind::LeftParen, "`(`")?;
        let format = self.expect(Kind::Str, "a string")?;
        let text = self.name(format.text);
        let text = text.strip_prefix('"').unwrap_or(text);
        let text = text.strip_suffix('"').unwrap_or(text).to_owned();
        let mut args: Vec<Expr> = Vec::new();
        while self.accept(Kind::Comma).is_some() {
            let arg = self.expression()?;
            self.refuse_run(&arg, "`printf`");
            args.push(arg);
        }
        self.expect(Kind::RightParen, "`,` or `)`")?;
        let wanted = conversions(&text);
        if wanted != args.len() {
            let message = format!("this format takes {wanted} values, but {} are given", args.len());
            let span = self.since(start);
            self.warn("W0802", span, message);
        }
        Ok(StmtKind::Print { format: text, args })
    }
}

/// How many values a format prints.
fn conversions(format: &str) -> usize {
    let mut count = 0;
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c == '%' && rest.next() != Some('%') {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn conversions_are_counted() {
        assert_eq!(conversions("%d and %e, 100%%\\n"), 2);
        assert_eq!(conversions("%"), 1);
    }
}

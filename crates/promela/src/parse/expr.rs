//! Expressions: operators, and references to variables.

use source::Span;

use super::{Failed, MAX_EXPRESSION_HEIGHT, Parse, Parser};
use crate::lex::{Kind, Token};
use crate::tree::{BinaryOp, Expr, ExprKind, Init, Type, UnaryOp, VarId, VarRef};

/// What may be left out of a reference to a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// Nothing: it must be a simple value.
    Nothing,
    /// The field: a structure stands for all its fields.
    Structure,
    /// The field or the index.
    Anything,
}

/// An operator between two operands, with its strength.
pub(super) fn binary_operator(kind: Kind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Kind::OrOr => (BinaryOp::Or, 2),
        Kind::AndAnd => (BinaryOp::And, 3),
        Kind::Pipe => (BinaryOp::BitOr, 5),
        Kind::Caret => (BinaryOp::BitXor, 6),
        Kind::Amp => (BinaryOp::BitAnd, 7),
        Kind::EqualEqual => (BinaryOp::Eq, 8),
        Kind::NotEqual => (BinaryOp::Ne, 8),
        Kind::Less => (BinaryOp::Lt, 9),
        Kind::LessEqual => (BinaryOp::Le, 9),
        Kind::Greater => (BinaryOp::Gt, 9),
        Kind::GreaterEqual => (BinaryOp::Ge, 9),
        Kind::ShiftLeft => (BinaryOp::Shl, 10),
        Kind::ShiftRight => (BinaryOp::Shr, 10),
        Kind::Plus => (BinaryOp::Add, 11),
        Kind::Minus => (BinaryOp::Sub, 11),
        Kind::Star => (BinaryOp::Mul, 12),
        Kind::Slash => (BinaryOp::Div, 12),
        Kind::Percent => (BinaryOp::Rem, 12),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression with a simple value.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let expr = self.value_or_structure()?;
        self.check_value(&expr);
        Ok(expr)
    }

    /// Reads an expression that may also name a structure, which stands for all its fields.
    pub(super) fn value_or_structure(&mut self) -> Parse<Expr> {
        let left = self.operand()?;
        self.operators(left, 0)
    }

    /// Reads on behind a first operand.
    pub(super) fn continued(&mut self, left: Expr) -> Parse<Expr> {
        let expr = self.operators(left, 0)?;
        self.check_value(&expr);
        Ok(expr)
    }

    /// Takes in operators that bind more strongly than `least`.
    fn operators(&mut self, mut left: Expr, least: u8) -> Parse<Expr> {
        loop {
            let token = self.stream.peek();
            let Some((op, strength)) = binary_operator(token.kind) else { return Ok(left) };
            if strength <= least {
                return Ok(left);
            }
            self.stream.bump();
            let left_height = self.height;
            let right = self.operand()?;
            let right = self.operators(right, strength)?;
            self.grow(left_height, token.span)?;
            left = self.binary(op, left, right);
        }
    }

    /// Notes that an operator joins the expression read last with one of the given height.
    pub(super) fn grow(&mut self, other: usize, span: Span) -> Parse<()> {
        self.height = self.height.max(other) + 1;
        if self.height <= MAX_EXPRESSION_HEIGHT {
            return Ok(());
        }
        let message =
            format!("this expression has more than {MAX_EXPRESSION_HEIGHT} operators above each other");
        self.error("E0302", span, message).help("use brackets to make it less deep");
        Err(Failed)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        self.check_value(&left);
        self.check_value(&right);
        self.refuse_chan_arithmetic(op, &left);
        self.refuse_chan_arithmetic(op, &right);
        if matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        ) {
            self.warn_half_negated(&left, &right);
        }
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    /// Spin knows no arithmetic on channels, but lets them be compared.
    fn refuse_chan_arithmetic(&mut self, op: BinaryOp, operand: &Expr) {
        use BinaryOp::*;
        if matches!(op, Add | Sub | Mul | Div | Rem | BitAnd | BitOr | BitXor | Shl | Shr)
            && self.is_chan(operand)
        {
            self.error("E0513", operand.span, "one cannot calculate with channels");
        }
    }

    /// `!x == 1` compares the negation of `x`, which is seldom meant.
    fn warn_half_negated(&mut self, left: &Expr, right: &Expr) {
        // In a formula, what is meant is never a comparison of two truths: there is `<->` for that.
        let compares_truths = !self.in_formula
            && matches!(right.kind, ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Const(0 | 1));
        if matches!(left.kind, ExprKind::Unary(UnaryOp::Not, _))
            && !compares_truths
            && self.program.sources.text(left.span).starts_with(['!', '¬'])
        {
            self.warn("W0809", left.span, "`!` applies to the left side of this comparison only")
                .help("write `!(a == b)` to negate the comparison");
        }
    }

    /// An operand with the operators in front of it.
    pub(super) fn operand(&mut self) -> Parse<Expr> {
        let token = self.stream.peek();
        let op = match token.kind {
            Kind::Minus => UnaryOp::Neg,
            Kind::Tilde => UnaryOp::BitNot,
            Kind::Bang | Kind::BangBang => UnaryOp::Not,
            _ => return self.primary(),
        };
        self.stream.bump();
        let operand = self.nested(Self::operand)?;
        self.grow(0, token.span)?;
        let negated = self.unary(op, token.span, operand);
        match token.kind {
            Kind::BangBang => Ok(self.unary(op, token.span, negated)),
            _ => Ok(negated),
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, start: Span, operand: Expr) -> Expr {
        self.check_value(&operand);
        if op != UnaryOp::Not && self.is_chan(&operand) {
            self.error("E0513", operand.span, "one cannot calculate with channels");
        }
        let span = start.to(operand.span);
        Expr { kind: ExprKind::Unary(op, Box::new(operand)), span }
    }

    pub(super) fn is_chan(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(var) if self.type_of(var) == Type::Chan)
    }

    /// The innermost reference: the field at the end.
    pub(super) fn innermost<'v>(&self, mut var: &'v VarRef) -> &'v VarRef {
        while let Some(field) = &var.field {
            var = field;
        }
        var
    }

    pub(super) fn type_of(&self, var: &VarRef) -> Type {
        self.program.vars[self.innermost(var).var.0 as usize].ty
    }

    /// What is known of the channel a reference stands for: its capacity and its fields.
    pub(super) fn known_channel(&self, chan: &VarRef) -> Option<(u32, usize)> {
        match &self.program.vars[self.innermost(chan).var.0 as usize].init {
            Init::Chan(init) => Some((init.capacity, self.count_fields(&init.fields))),
            _ => None,
        }
    }

    /// Reads a reference to a variable.
    pub(super) fn var_ref(&mut self, whole: Whole) -> Parse<VarRef> {
        let token = self.expect(Kind::Name, "a variable")?;
        let var = match self.find_var(token.text) {
            Some(var) => var,
            None => self.undeclared(token),
        };
        self.var_ref_of(var, token, whole)
    }

    /// Reads index and fields behind the name of a variable.
    pub(super) fn var_ref_of(&mut self, var: VarId, token: Token, whole: Whole) -> Parse<VarRef> {
        self.height = 1;
        let index = self.index(var, token, whole)?;
        let mut height = self.height;
        let field = self.field(var, token, whole, &mut height)?;
        self.height = height;
        Ok(VarRef { var, index, field, span: self.since(token.span) })
    }

    fn index(&mut self, var: VarId, token: Token, whole: Whole) -> Parse<Option<Box<Expr>>> {
        let array = self.program.vars[var.0 as usize].array;
        let known = Some(var) != self.unknown;
        let name = self.name(token.text).to_owned();
        if !self.at(Kind::LeftBracket) {
            let field_follows = self.at(Kind::Dot);
            if array.is_some() && known && (whole != Whole::Anything || field_follows) {
                let message = format!("`{name}` is an array and needs an index");
                self.error("E0502", token.span, message)
                    .help(format!("write `{name}[0]` for its first element"));
            }
            return Ok(None);
        }
        self.stream.bump();
        let index = self.nested(Self::expression)?;
        self.grow(0, token.span)?;
        self.expect(Kind::RightBracket, "`]`")?;
        if array.is_none() && known {
            // Spin takes `x[0]` for `x`.
            if !matches!(index.kind, ExprKind::Const(0)) {
                let message = format!("`{name}` is not an array");
                self.error("E0501", index.span, message).label("index");
            }
            return Ok(None);
        }
        Ok(known.then(|| Box::new(index)))
    }

    fn field(
        &mut self,
        var: VarId,
        token: Token,
        whole: Whole,
        height: &mut usize,
    ) -> Parse<Option<Box<VarRef>>> {
        let known = Some(var) != self.unknown;
        let ty = self.program.vars[var.0 as usize].ty;
        let name = self.name(token.text).to_owned();
        if !self.at(Kind::Dot) {
            if matches!(ty, Type::Struct(_)) && whole == Whole::Nothing {
                let message = format!("`{name}` is a structure and cannot be used as a value");
                self.error("E0504", token.span, message).help("name one of its fields");
            }
            return Ok(None);
        }
        self.stream.bump();
        let field_token = self.expect(Kind::Name, "the name of a field")?;
        let field = match ty {
            Type::Struct(id) => {
                let found = self.globals.fields.get(&(id, field_token.text)).copied();
                if found.is_none() {
                    let typedef = &self.program.typedefs[id.0 as usize];
                    let field_name = self.names.get(field_token.text);
                    let message = format!("type `{}` has no field `{field_name}`", typedef.name);
                    self.reports.error("E0406", field_token.span, message).related(typedef.span, "the type");
                }
                found
            }
            _ if known => {
                self.error("E0503", token.span, format!("`{name}` is not a structure and has no fields"));
                None
            }
            _ => None,
        };
        let field = field.unwrap_or_else(|| self.unknown_var());
        let inner = self.nested(|parser| parser.var_ref_of(field, field_token, whole))?;
        *height = (*height).max(self.height) + 1;
        Ok(Some(Box::new(inner)))
    }

    /// The simple variables that a reference stands for: all fields of a structure, in order.
    pub(super) fn fields_of(&self, var: VarRef) -> Vec<VarRef> {
        let Type::Struct(id) = self.type_of(&var) else { return vec![var] };
        let mut all = Vec::new();
        for &field in &self.program.typedefs[id.0 as usize].fields {
            let elements = self.program.vars[field.0 as usize].array;
            for element in 0..elements.unwrap_or(1) {
                let index = Expr { kind: ExprKind::Const(element as i32), span: var.span };
                let index = elements.map(|_| Box::new(index));
                let reference = VarRef { var: field, index, field: None, span: var.span };
                for inner in self.fields_of(reference) {
                    all.push(with_field(&var, inner));
                }
            }
        }
        all
    }
}

/// Puts a field behind the innermost reference.
fn with_field(outer: &VarRef, field: VarRef) -> VarRef {
    let field = match &outer.field {
        Some(inner) => with_field(inner, field),
        None => field,
    };
    VarRef { var: outer.var, index: outer.index.clone(), field: Some(Box::new(field)), span: outer.span }
}

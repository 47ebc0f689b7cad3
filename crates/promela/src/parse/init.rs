//! Initial values, channels and constants.

use source::Span;

use super::decl::Constant;
use super::scope::Shape;
use super::{Parse, Parser};
use crate::lex::{Keyword, Kind};
use crate::names::NameId;
use crate::tree::{BinaryOp, ChanInit, Expr, ExprKind, Init, Type, UnaryOp, VarId};

/// The most fields of a message, with typedefs expanded.
pub const MAX_MESSAGE_FIELDS: usize = 4096;

impl Parser<'_> {
    pub(super) fn initial_value(&mut self, name: NameId, ty: Type, array: Option<u32>) -> Parse<Init> {
        let Some(assign) = self.accept(Kind::Assign) else { return Ok(Init::None) };
        let name = self.name(name).to_owned();
        let init = match self.peek() {
            Kind::LeftBrace => self.initial_list(&name, array)?,
            Kind::LeftBracket => Init::Chan(self.channel()?),
            _ => {
                let value = self.expression()?;
                self.refuse_run(&value, "an initial value");
                self.check_assigned(ty, &value);
                Init::Expr(value)
            }
        };
        let span = self.since(assign.span);
        match (&init, ty) {
            (Init::Chan(_), Type::Chan) => Ok(init),
            (Init::Chan(_), _) => {
                self.error("E0510", span, format!("`{name}` is not a channel, but is initialised as one"));
                Ok(Init::None)
            }
            (_, Type::Struct(_)) => {
                let message = format!("`{name}` is a structure, so this initial value is ignored");
                self.warn("W0816", span, message).help("give initial values to the fields in the typedef");
                Ok(Init::None)
            }
            _ => Ok(init),
        }
    }

    /// `{ 1, 2, 3 }`
    fn initial_list(&mut self, name: &str, array: Option<u32>) -> Parse<Init> {
        let open = self.stream.bump().span;
        let mut values = Vec::new();
        loop {
            values.push(self.constant("a constant")?.value);
            if self.accept(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::RightBrace, "`,` or `}`")?;
        let span = self.since(open);
        match array {
            None => {
                self.error("E0510", span, format!("`{name}` is not an array, but is initialised as one"));
            }
            Some(size) if values.len() > size as usize => {
                let message =
                    format!("array `{name}` has {size} elements, but {} initial values", values.len());
                self.warn("W0815", span, message);
                values.truncate(size as usize);
            }
            Some(_) => {}
        }
        Ok(Init::List(values))
    }

    /// `[n] of { types }`
    fn channel(&mut self) -> Parse<ChanInit> {
        let start = self.stream.bump().span;
        let capacity = self.constant_or_variable("the number of messages")?;
        self.expect(Kind::RightBracket, "`]`")?;
        self.expect(Kind::Key(Keyword::Of), "`of`")?;
        self.expect(Kind::LeftBrace, "`{`")?;
        let mut fields = Vec::new();
        loop {
            let span = self.stream.peek().span;
            let ty = self.type_name()?;
            if self.is_message_type(ty) {
                fields.push(ty);
            } else {
                self.error("E0512", span, "this type cannot be part of a message")
                    .help("unsigned variables and arrays of structures are not allowed in messages");
            }
            if self.accept(Kind::Comma).is_none() {
                break;
            }
        }
        self.expect(Kind::RightBrace, "`,` or `}`")?;
        let span = self.since(start);
        let capacity = u32::try_from(capacity.value).ok().filter(|&n| n <= 255).unwrap_or_else(|| {
            self.reports.error("E0518", capacity.span, "a channel can hold 0 to 255 messages");
            1
        });
        let values = self.count_fields(&fields);
        if values > MAX_MESSAGE_FIELDS {
            let message = format!("messages can have at most {MAX_MESSAGE_FIELDS} fields");
            self.error("E0512", span, message);
            fields.clear();
        }
        self.pending.widest = self.pending.widest.max(values);
        if capacity == 0 {
            self.pending.rendezvous.get_or_insert(span);
        }
        Ok(ChanInit { capacity, fields, span })
    }

    /// How many values a message of these types has.
    pub(super) fn count_fields(&self, types: &[Type]) -> usize {
        types.iter().map(|&ty| self.values(ty)).fold(0, usize::saturating_add)
    }

    /// How many simple values a variable of a type holds.
    pub(super) fn values(&self, ty: Type) -> usize {
        match ty {
            Type::Struct(id) => self.globals.shapes[id.0 as usize].values,
            _ => 1,
        }
    }

    fn is_message_type(&self, ty: Type) -> bool {
        match ty {
            Type::Unsigned(_) => false,
            Type::Struct(id) => self.globals.shapes[id.0 as usize].in_messages,
            _ => true,
        }
    }

    /// What is to be known of a type with these fields.
    pub(super) fn shape(&self, fields: &[VarId]) -> Shape {
        let mut shape = Shape { values: 0, depth: 1, has_array: false, in_messages: true };
        for field in fields {
            let field = &self.program.vars[field.0 as usize];
            let elements = field.array.unwrap_or(1) as usize;
            shape.values = shape.values.saturating_add(self.values(field.ty).saturating_mul(elements));
            shape.has_array |= field.array.is_some();
            shape.in_messages &= self.is_message_type(field.ty);
            if let Type::Struct(id) = field.ty {
                let inner = &self.globals.shapes[id.0 as usize];
                shape.depth = shape.depth.max(inner.depth + 1);
                shape.has_array |= inner.has_array;
                shape.in_messages &= field.array.is_none();
            }
        }
        shape
    }

    /// An expression without variables.
    pub(super) fn constant(&mut self, what: &str) -> Parse<Constant> {
        let token = self.stream.peek();
        if matches!(
            token.kind,
            Kind::RightBracket | Kind::RightBrace | Kind::RightParen | Kind::Comma | Kind::Semi
        ) {
            return self.unexpected(what);
        }
        let expr = self.expression()?;
        let value = match evaluate(&expr) {
            Ok(value) => value,
            Err(span) => {
                let report = self.error("E0515", span, format!("{what} must be a constant"));
                report.help("use a number, a symbolic constant or a macro");
                1
            }
        };
        Ok(Constant { value, span: expr.span })
    }

    /// A constant, or a variable that stands for its initial value (Spin allows that).
    pub(super) fn constant_or_variable(&mut self, what: &str) -> Parse<Constant> {
        let token = self.stream.peek();
        if token.kind == Kind::Name
            && self.stream.peek_at(1).kind == Kind::RightBracket
            && let Some(var) = self.find_var(token.text)
        {
            self.stream.bump();
            let name = self.name(token.text).to_owned();
            let value = self.initial_constant(var).filter(|&value| value > 0).unwrap_or(8);
            let message = format!("variable `{name}` stands for a constant here, read as {value}");
            self.warn("W0806", token.span, message).help("use a macro for a constant");
            return Ok(Constant { value, span: token.span });
        }
        self.constant(what)
    }

    fn initial_constant(&self, var: VarId) -> Option<i32> {
        let var = &self.program.vars[var.0 as usize];
        match &var.init {
            Init::Expr(expr) if var.ty != Type::Chan => match expr.kind {
                ExprKind::Const(value) | ExprKind::Mtype(_, value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The value of an expression without variables, or the place of what is not constant in it.
pub(super) fn evaluate(expr: &Expr) -> Result<i32, Span> {
    let wrong = Err(expr.span);
    Ok(match &expr.kind {
        ExprKind::Const(value) | ExprKind::Mtype(_, value) => *value,
        ExprKind::Unary(op, a) => {
            let a = evaluate(a)?;
            match op {
                UnaryOp::Neg => a.wrapping_neg(),
                UnaryOp::Not => (a == 0) as i32,
                UnaryOp::BitNot => !a,
            }
        }
        ExprKind::Cond(a, b, c) => {
            if evaluate(a)? != 0 {
                evaluate(b)?
            } else {
                evaluate(c)?
            }
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (evaluate(a)?, evaluate(b)?);
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::Div if b == 0 => return wrong,
                BinaryOp::Rem if b == 0 => return wrong,
                BinaryOp::Div => a.wrapping_div(b),
                BinaryOp::Rem => a.wrapping_rem(b),
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitXor => a ^ b,
                BinaryOp::BitOr => a | b,
                BinaryOp::Lt => (a < b) as i32,
                BinaryOp::Le => (a <= b) as i32,
                BinaryOp::Gt => (a > b) as i32,
                BinaryOp::Ge => (a >= b) as i32,
                BinaryOp::Eq => (a == b) as i32,
                BinaryOp::Ne => (a != b) as i32,
                BinaryOp::And => (a != 0 && b != 0) as i32,
                BinaryOp::Or => (a != 0 || b != 0) as i32,
                BinaryOp::Shl => a.wrapping_shl(b as u32),
                BinaryOp::Shr => a.wrapping_shr(b as u32),
            }
        }
        _ => return wrong,
    })
}

//! Declarations of variables, types and symbolic constants.

use source::Span;

use super::scope::Symbol;
use super::{Failed, Parse, Parser};
use crate::lex::{Keyword, Kind};
use crate::names::NameId;
use crate::tree::{
    Init, Mtype, MtypeId, Owner, ProctypeId, Stmt, StmtKind, Type, Typedef, TypedefId, Var, VarId, Visibility,
};

/// The most values a variable may hold.
pub const MAX_VALUES: usize = 1 << 24;
/// How deep typedefs may be nested.
pub const MAX_TYPE_DEPTH: usize = 64;

/// A constant with its place.
pub(super) struct Constant {
    pub(super) value: i32,
    pub(super) span: Span,
}

impl Parser<'_> {
    /// Whether a declaration starts here.
    pub(super) fn at_declaration(&mut self) -> bool {
        use Keyword::*;
        let token = self.stream.peek();
        match token.kind {
            Kind::Key(
                Hidden | Show | Local | Bit | Bool | Byte | Pid | Short | Int | Unsigned | Mtype | Chan,
            ) => true,
            Kind::Name => {
                let local = self.body.as_ref().and_then(|body| body.find(token.text)).is_some();
                !local
                    && self.find_typedef(token.text).is_some()
                    && self.stream.peek_at(1).kind != Kind::Colon
            }
            _ => false,
        }
    }

    /// Reads a declaration; gives the declared variables.
    pub(super) fn declaration(&mut self) -> Parse<Vec<VarId>> {
        let owner = self.body.as_ref().map_or(Owner::Global, |body| body.owner());
        self.declaration_of(owner)
    }

    fn declaration_of(&mut self, owner: Owner) -> Parse<Vec<VarId>> {
        let start = self.stream.peek().span;
        let visibility = self.visibility();
        if self.at_key(Keyword::Mtype) && self.mtype_names(start)? {
            return Ok(Vec::new());
        }
        let ty = self.type_name()?;
        let mut vars = Vec::new();
        loop {
            vars.push(self.variable(ty, visibility, owner)?);
            if self.accept(Kind::Comma).is_none() {
                return Ok(vars);
            }
        }
    }

    fn visibility(&mut self) -> Visibility {
        let token = self.stream.peek();
        let visibility = match token.kind {
            Kind::Key(Keyword::Hidden) => {
                self.warn("W0801", token.span, "hidden variables are kept in the state all the same")
                    .help("Spin leaves them out, which makes its result depend on the order of the search");
                Visibility::Hidden
            }
            Kind::Key(Keyword::Show) => Visibility::Show,
            Kind::Key(Keyword::Local) => Visibility::Local,
            _ => return Visibility::Plain,
        };
        self.stream.bump();
        visibility
    }

    /// Reads a type. The width of an unsigned comes with the variable.
    pub(super) fn type_name(&mut self) -> Parse<Type> {
        let token = self.stream.peek();
        let ty = match token.kind {
            Kind::Key(Keyword::Bit) => Type::Bit,
            Kind::Key(Keyword::Bool) => Type::Bool,
            Kind::Key(Keyword::Byte) => Type::Byte,
            Kind::Key(Keyword::Pid) => Type::Pid,
            Kind::Key(Keyword::Short) => Type::Short,
            Kind::Key(Keyword::Int) => Type::Int,
            Kind::Key(Keyword::Unsigned) => Type::Unsigned(0),
            Kind::Key(Keyword::Chan) => Type::Chan,
            Kind::Key(Keyword::Mtype) => {
                self.stream.bump();
                let set = match self.accept(Kind::Colon) {
                    Some(_) => Some(self.expect_name("the name of a set of symbolic constants")?.0),
                    None => None,
                };
                return Ok(Type::Mtype(self.mtype_set(set)));
            }
            Kind::Name => match self.find_typedef(token.text) {
                Some(id) => Type::Struct(id),
                None => {
                    let message = format!("`{}` is not a type", self.name(token.text));
                    self.error("E0407", token.span, message);
                    return Err(Failed);
                }
            },
            _ => return self.unexpected("a type"),
        };
        self.stream.bump();
        Ok(ty)
    }

    fn mtype_set(&mut self, name: Option<NameId>) -> MtypeId {
        let next = MtypeId(self.program.mtypes.len() as u32);
        let id = *self.globals.mtypes.entry(name).or_insert(next);
        if id == next {
            let name = name.map(|name| self.names.get(name).to_owned());
            self.program.mtypes.push(Mtype { name, names: Vec::new() });
        }
        id
    }

    /// `mtype = { a, b }` or `mtype : set = { a, b }`; false if it is a declaration of variables.
    fn mtype_names(&mut self, start: Span) -> Parse<bool> {
        let named = self.stream.peek_at(1).kind == Kind::Colon;
        let ahead = if named { 3 } else { 1 };
        if !matches!(self.stream.peek_at(ahead).kind, Kind::Assign | Kind::LeftBrace) {
            return Ok(false);
        }
        let Type::Mtype(set) = self.type_name()? else { return Err(Failed) };
        self.accept(Kind::Assign);
        if self.body.is_some() {
            self.error("E0304", start, "symbolic constants must be declared outside of processes");
        }
        self.expect(Kind::LeftBrace, "`{`")?;
        let mut names = Vec::new();
        while let Some(token) = self.accept(Kind::Name) {
            names.push((token.text, token.span));
            while self.accept(Kind::Comma).is_some() {}
        }
        self.expect(Kind::RightBrace, "a name or `}`")?;
        let before = self.program.mtypes[set.0 as usize].names.len();
        if before + names.len() > 255 {
            self.error("E0518", self.since(start), "a set can have at most 255 symbolic constants");
            return Ok(true);
        }
        for (index, &(name, span)) in names.iter().enumerate() {
            // The last name of the list gets the lowest value.
            let value = (before + names.len() - index) as i32;
            self.declare_global(name, span, Symbol::Mtype(set, value));
            let name = self.name(name).to_owned();
            self.program.mtypes[set.0 as usize].names.push((name, value));
        }
        Ok(true)
    }

    /// A variable with its width, size and initial value.
    fn variable(&mut self, ty: Type, visibility: Visibility, owner: Owner) -> Parse<VarId> {
        let token = self.expect(Kind::Name, "the name of a variable")?;
        let (name, span) = (token.text, token.span);
        let ty = self.width(ty, name, span)?;
        let array = self.array_size(name, ty)?;
        let init = self.initial_value(name, ty, array)?;
        let var = Var { name: self.name(name).to_owned(), ty, array, init, visibility, owner, span };
        Ok(self.declare_var(name, var))
    }

    fn width(&mut self, ty: Type, name: NameId, span: Span) -> Parse<Type> {
        let name = self.name(name).to_owned();
        let Some(_) = self.accept(Kind::Colon) else {
            if ty == Type::Unsigned(0) {
                let message = format!("`{name}` is unsigned, but has no width");
                self.error("E0511", span, message).help(format!("write `unsigned {name} : 8` for 8 bits"));
                return Ok(Type::Unsigned(16));
            }
            return Ok(ty);
        };
        let width = self.constant("the width in bits")?;
        if !matches!(ty, Type::Unsigned(_)) {
            let message = format!("`{name}` has a width, but is not unsigned");
            self.error("E0511", width.span, message);
            return Ok(ty);
        }
        match u8::try_from(width.value) {
            Ok(bits @ 1..=31) => Ok(Type::Unsigned(bits)),
            _ => {
                self.error("E0511", width.span, "an unsigned variable can have 1 to 31 bits");
                Ok(Type::Unsigned(16))
            }
        }
    }

    fn array_size(&mut self, name: NameId, ty: Type) -> Parse<Option<u32>> {
        if self.accept(Kind::LeftBracket).is_none() {
            return Ok(None);
        }
        let size = self.constant_or_variable("the number of elements")?;
        self.expect(Kind::RightBracket, "`]`")?;
        if size.value > 0 && self.values(ty).saturating_mul(size.value as usize) <= MAX_VALUES {
            return Ok(Some(size.value as u32));
        }
        let message = format!("array `{}` cannot have {} elements", self.name(name), size.value);
        let values = match self.values(ty) {
            1 => String::new(),
            values => format!(", if each holds {values} values"),
        };
        let limit = format!("an array has 1 to {} elements{values}", MAX_VALUES / self.values(ty).max(1));
        self.error("E0505", size.span, message).label(limit);
        Ok(Some(1))
    }

    pub(super) fn typedef(&mut self) -> Parse<()> {
        self.stream.bump();
        let (name, span) = self.expect_name("the name of the type")?;
        let id = TypedefId(self.program.typedefs.len() as u32);
        self.expect(Kind::LeftBrace, "`{`")?;
        self.stream.in_sequence = true;
        let mut fields: Vec<VarId> = Vec::new();
        loop {
            while self.accept(Kind::Semi).is_some() {}
            if self.at(Kind::RightBrace) && !fields.is_empty() {
                break;
            }
            if !self.at_declaration() {
                return self.unexpected("a field");
            }
            for field in self.declaration_of(Owner::Field(id))? {
                self.add_field(id, field);
                fields.push(field);
            }
            if !self.at(Kind::Semi) && !self.at(Kind::RightBrace) {
                return self.unexpected("`;` or `}`");
            }
        }
        self.stream.bump();
        self.stream.in_sequence = false;
        let shape = self.shape(&fields);
        if shape.values > MAX_VALUES || shape.depth > MAX_TYPE_DEPTH {
            let message = format!("type `{}` is too large", self.name(name));
            self.error("E0505", span, message);
            return Ok(());
        }
        self.globals.shapes.push(shape);
        let typedef = Typedef { name: self.name(name).to_owned(), fields, span };
        self.program.typedefs.push(typedef);
        self.declare_global(name, span, Symbol::Typedef(id));
        self.stream.never_last.insert(name);
        Ok(())
    }

    fn add_field(&mut self, typedef: TypedefId, new: VarId) {
        let field = &self.program.vars[new.0 as usize];
        let name = self.names.intern(&field.name);
        if let Some(first) = self.globals.fields.insert((typedef, name), new) {
            let (span, first) = (field.span, self.program.vars[first.0 as usize].span);
            let message = format!("field `{}` is declared twice", field.name);
            self.error("E0402", span, message).related(first, "first declared here");
        }
    }

    /// The parameters of a process type.
    pub(super) fn parameters(&mut self, proctype: ProctypeId) -> Parse<Vec<VarId>> {
        let mut params = Vec::new();
        while !self.at(Kind::RightParen) {
            if !self.at_declaration() {
                let token = self.stream.peek();
                if token.kind == Kind::Name {
                    // Reports the unknown type.
                    self.type_name()?;
                }
                return self.unexpected("a parameter with its type");
            }
            params.extend(self.declaration()?);
            if self.accept(Kind::Semi).is_none() && !self.at(Kind::RightParen) {
                return self.unexpected("`;` or `)`");
            }
        }
        let mut values = 0;
        for &param in &params {
            self.check_parameter(param);
            let var = &self.program.vars[param.0 as usize];
            values += self.values(var.ty);
            let name = self.names.intern(&var.name);
            self.globals.remote_vars.insert((proctype, name), param);
        }
        self.pending.parameters.push(values);
        Ok(params)
    }

    fn check_parameter(&mut self, param: VarId) {
        let var = &self.program.vars[param.0 as usize];
        let (span, name) = (var.span, var.name.clone());
        if !matches!(var.init, Init::None) {
            self.error("E0517", span, format!("parameter `{name}` cannot have an initial value"));
        } else if var.array.is_some() {
            self.error("E0517", span, format!("parameter `{name}` cannot be an array"));
        } else if let Type::Struct(id) = var.ty
            && self.globals.shapes[id.0 as usize].has_array
        {
            let message = format!("parameter `{name}` cannot have a type with an array in it");
            self.error("E0517", span, message);
        }
    }

    /// A declaration among statements.
    pub(super) fn declaration_step(&mut self) -> Parse<Stmt> {
        let start = self.stream.peek().span;
        let vars = self.declaration()?;
        let initial = self.state().at_start;
        self.state().locals.extend(&vars);
        for &var in &vars {
            let var = &self.program.vars[var.0 as usize];
            if matches!(var.init, Init::Chan(_)) && !initial {
                let (span, message) =
                    (var.span, format!("channel `{}` is created with the process, not here", var.name));
                self.warn("W0805", span, message).help("declare it at the start of the process type");
            }
        }
        let kind = StmtKind::Decl { vars, initial };
        Ok(Stmt { labels: Vec::new(), kind, span: self.since(start) })
    }
}

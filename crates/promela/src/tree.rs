//! The syntax tree, with names resolved.
//!
//! The parser knows the scopes while it reads, so the tree holds ids of variables, types, labels
//! and process types instead of names. Inline calls are expanded (each expansion is a
//! [`StmtKind::Inline`] with its own variables and labels); `for`, `select`, `unless` and the
//! blocks are kept as written, so that a reader of the tree can follow the language's definition.

pub use ir::{BinaryOp, ChannelOp, UnaryOp};
use source::{Position, Sources, Span};

/// Index into [`Program::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// Index into [`Program::typedefs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypedefId(pub u32);

/// Index into [`Program::mtypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MtypeId(pub u32);

/// Index into [`Program::proctypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProctypeId(pub u32);

/// Index into [`Body::labels`] of the body in which it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The files it was read from.
    pub sources: Sources,
    /// The `mtype` sets, in the order of their first declaration.
    pub mtypes: Vec<Mtype>,
    /// The user-defined types.
    pub typedefs: Vec<Typedef>,
    /// All variables: globals, parameters, locals and fields of typedefs.
    pub vars: Vec<Var>,
    /// The global variables, in textual order.
    pub globals: Vec<VarId>,
    /// The process types and `init`, in textual order.
    pub proctypes: Vec<Proctype>,
    /// The never claims.
    pub claims: Vec<NeverClaim>,
    /// The `ltl` blocks.
    pub ltl: Vec<Ltl>,
    /// The `trace` or `notrace` declaration.
    pub trace: Option<EventTrace>,
    /// True if `_last` is named anywhere in the text, also in a claim or an `ltl` block.
    pub uses_last: bool,
    /// True if priorities are used anywhere (`priority`, `_priority`, `set_priority`, `get_priority`).
    pub uses_priority: bool,
}

impl Program {
    /// Where a stretch of the text starts.
    pub fn locate(&self, span: Span) -> model::Location {
        let Position { line, column } = self.sources.position(span);
        model::Location { file: span.file.0, line, column }
    }
}

/// A set of symbolic constants. The last name has the value 1, the first the highest.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The set's name; none for the unnamed set, which several declarations may extend.
    pub name: Option<String>,
    /// The names with their values, in textual order.
    pub names: Vec<(String, i32)>,
}

/// A user-defined type.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: String,
    /// Its fields, in textual order.
    pub fields: Vec<VarId>,
    /// Where it is declared.
    pub span: Span,
}

/// The type of a variable or of a message field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One bit.
    Bit,
    /// One bit, printed the same.
    Bool,
    /// 0 to 255.
    Byte,
    /// A process number: 0 to 255.
    Pid,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// Unsigned, of the given number of bits.
    Unsigned(u8),
    /// A symbolic constant.
    Mtype(MtypeId),
    /// The number of a channel.
    Chan,
    /// A user-defined type.
    Struct(TypedefId),
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Global.
    Global,
    /// A local or a parameter of a process type.
    Process(ProctypeId),
    /// A field of a user-defined type.
    Field(TypedefId),
    /// A local of an event trace, or of a claim that is refused for it.
    NeverClaim,
}

/// How a variable is to be treated in the state and in traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// As usual.
    #[default]
    Plain,
    /// `hidden`: Spin leaves it out of the state.
    Hidden,
    /// `show`: its changes are shown in charts.
    Show,
    /// `local`: used by one process only.
    Local,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name as declared.
    pub name: String,
    /// Its type; that of an element, if it is an array.
    pub ty: Type,
    /// The number of elements, if it is an array.
    pub array: Option<u32>,
    /// Its initial value.
    pub init: Init,
    /// Its prefix.
    pub visibility: Visibility,
    /// Where it lives.
    pub owner: Owner,
    /// Where it is declared.
    pub span: Span,
}

/// The initial value of a variable.
#[derive(Clone, Debug, Default)]
pub enum Init {
    /// Zero.
    #[default]
    None,
    /// An expression; for an array, of each element.
    Expr(Expr),
    /// Constants for the elements of an array; missing ones repeat the last.
    List(Vec<i32>),
    /// A new channel; for an array, one for each element.
    Chan(ChanInit),
}

/// The shape of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChanInit {
    /// How many messages it holds; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The types of the message fields, as written. A typedef stands for its fields in order.
    pub fields: Vec<Type>,
    /// Where it is written.
    pub span: Span,
}

/// A process type, or `init`.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`.
    pub name: String,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// All other locals, those of inner blocks and inline expansions included, in textual order.
    pub locals: Vec<VarId>,
    /// How many instances start with the system (1 for `init`).
    pub active: u32,
    /// The priority of those instances.
    pub priority: Option<i32>,
    /// The `provided` clause.
    pub provided: Option<Expr>,
    /// Declared with `D_proctype`.
    pub deterministic: bool,
    /// What it does.
    pub body: Body,
    /// Where it is declared (its name).
    pub span: Span,
}

/// A never claim.
#[derive(Clone, Debug)]
pub struct NeverClaim {
    /// Its name; `never`, `never_1`, … if it has none.
    pub name: String,
    /// The automaton, as statements.
    pub body: Body,
    /// Where it is declared.
    pub span: Span,
}

/// A `trace` or `notrace` declaration.
#[derive(Clone, Debug)]
pub struct EventTrace {
    /// True for `notrace`.
    pub forbidden: bool,
    /// The events, as sends and receives.
    pub body: Body,
    /// Where it is declared.
    pub span: Span,
}

/// An `ltl` block.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name; `ltl_0`, … if it has none.
    pub name: String,
    /// The formula.
    pub formula: Formula,
    /// Where it is declared.
    pub span: Span,
}

/// A formula of linear temporal logic over expressions without `!`, `&&` and `||` on top.
pub type Formula = logic::Ltl<Expr>;

/// The statements of a process type or of a claim.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The statements.
    pub sequence: Sequence,
    /// The labels set anywhere in it, in textual order.
    pub labels: Vec<Label>,
    /// The place of the closing brace.
    pub end: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it is set.
    pub span: Span,
    /// True if a remote reference names it, from anywhere in the text.
    pub referenced: bool,
}

/// Statements one after the other.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The statements; at least one in a correct program (declarations do not count).
    pub stmts: Vec<Stmt>,
}

/// A statement with the labels in front of it.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels, in textual order.
    pub labels: Vec<LabelId>,
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration. If `initial`, it opens the body of its process type and is done when the
    /// process is created; otherwise each variable without a channel initialiser is an assignment
    /// step of its own, taken every time control passes.
    Decl {
        /// The declared variables.
        vars: Vec<VarId>,
        /// Whether the values are set when the process is created.
        initial: bool,
    },
    /// An `xr` or `xs` assertion: the channels are read (sent to) by this process only.
    Exclusive {
        /// True for `xr`, false for `xs`.
        receive: bool,
        /// The channels.
        chans: Vec<VarRef>,
    },
    /// `place = value`, also `place++` and `place--`.
    Assign(VarRef, Expr),
    /// An expression as a statement: executable if it is not zero. `skip` is the constant 1.
    Condition(Expr),
    /// `else`
    Else,
    /// `printf`
    Print {
        /// The format, without the quotes, escapes as written.
        format: String,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `printm`
    Printm(Expr),
    /// `assert`
    Assert(Expr),
    /// `c!…` or, sorted, `c!!…`
    Send {
        /// The channel.
        chan: VarRef,
        /// The fields; a typedef variable is already expanded into its fields.
        args: Vec<Expr>,
        /// True for `!!`.
        sorted: bool,
    },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`
    Receive {
        /// The channel.
        chan: VarRef,
        /// The fields; a typedef variable is already expanded into its fields.
        args: Vec<RecvArg>,
        /// True for `??`: the first message that matches, not only the oldest.
        random: bool,
        /// True for `<…>`: the message stays in the channel.
        peek: bool,
    },
    /// `set_priority(pid, priority)`
    SetPriority(Expr, Expr),
    /// `goto label`
    Goto(LabelId),
    /// `break` out of the innermost `do`, `for` or `select` around it.
    Break,
    /// `if … fi`, with its options.
    If(Vec<Sequence>),
    /// `do … od`, with its options.
    Do(Vec<Sequence>),
    /// `for (var : from .. to) { body }`; over an array it is `0 .. n-1`.
    For {
        /// The variable that counts.
        var: VarRef,
        /// Its first value.
        from: Expr,
        /// Its last value, evaluated in every round.
        to: Expr,
        /// The loop's body.
        body: Sequence,
    },
    /// `for (var in chan) { body }`
    ForChan {
        /// The variable that takes each message: a typedef.
        var: VarRef,
        /// The same, expanded into its fields.
        fields: Vec<VarRef>,
        /// The channel.
        chan: VarRef,
        /// The hidden counter.
        counter: VarId,
        /// The loop's body.
        body: Sequence,
    },
    /// `select (var : from .. to)`
    Select {
        /// The variable.
        var: VarRef,
        /// The least value.
        from: Expr,
        /// The greatest value.
        to: Expr,
        /// How it is carried out.
        form: SelectForm,
    },
    /// `atomic { … }`
    Atomic(Sequence),
    /// `d_step { … }`
    DStep(Sequence),
    /// `{ … }`
    Block(Sequence),
    /// An expanded call of an inline: the same as a block.
    Inline {
        /// The inline's name.
        name: String,
        /// Its body, with the arguments put in.
        body: Sequence,
    },
    /// `main unless escape`
    Unless {
        /// The statement that goes on while the escape is not executable.
        main: Box<Stmt>,
        /// The statement that takes over.
        escape: Box<Stmt>,
    },
}

/// How `select` is carried out (rule C12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectForm {
    /// One step: a choice among assignments, one per value. Both bounds are constants.
    Choice,
    /// `var = from; do :: var < to -> var++ :: break od`
    LoopBreakLast,
    /// `var = from; do :: break :: var < to -> var++ od`
    LoopBreakFirst,
}

/// A reference to a variable: `x`, `a[i]`, `t.f`, `a[i].f[j]`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The variable.
    pub var: VarId,
    /// The index, if it is an array.
    pub index: Option<Box<Expr>>,
    /// The field, if the type is a typedef.
    pub field: Option<Box<VarRef>>,
    /// Where it stands.
    pub span: Span,
}

/// A field of a receive or of a poll.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// The value goes into a variable.
    Store(VarRef),
    /// The value is thrown away (`_`).
    Ignore,
    /// The value must be equal to that of an expression: a constant or `eval(…)`.
    Match(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression computes. All values are 32-bit signed integers.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Const(i32),
    /// A symbolic constant.
    Mtype(MtypeId, i32),
    /// The value of a variable.
    Var(VarRef),
    /// `_pid`
    Pid,
    /// `_last`
    Last,
    /// `_nr_pr`
    NrPr,
    /// `_priority`
    Priority,
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `_` as a field of a send in an event trace: any value.
    Any,
    /// An operator in front.
    Unary(UnaryOp, Box<Expr>),
    /// An operator in between.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(args)`; a typedef argument is already expanded into its fields.
    Run {
        /// What to run.
        proctype: ProctypeId,
        /// The arguments.
        args: Vec<Expr>,
        /// The priority, if given.
        priority: Option<i32>,
    },
    /// `len`, `empty`, … of a channel.
    Chan(ChannelOp, VarRef),
    /// `c?[…]` or `c??[…]`: whether the receive could be executed.
    Poll {
        /// The channel.
        chan: VarRef,
        /// The fields.
        args: Vec<RecvArg>,
        /// True for `??`.
        random: bool,
    },
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `pc_value(pid)`
    PcValue(Box<Expr>),
    /// `get_priority(pid)`
    GetPriority(Box<Expr>),
    /// `P[pid]@label`: whether that process stands at the label.
    RemoteLabel {
        /// The process type.
        proctype: ProctypeId,
        /// Which one; without it, the first instance.
        pid: Option<Box<Expr>>,
        /// The label, in that process type's body.
        label: LabelId,
    },
    /// `P[pid]:variable`
    RemoteVar {
        /// The process type.
        proctype: ProctypeId,
        /// Which one; without it, the first instance.
        pid: Option<Box<Expr>>,
        /// The variable, a local of that process type.
        var: VarRef,
    },
}

impl Expr {
    /// Visits this expression and the ones inside it.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Mtype(..)
            | ExprKind::Pid
            | ExprKind::Last
            | ExprKind::NrPr
            | ExprKind::Priority
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Any => {}
            ExprKind::Var(var) | ExprKind::Chan(_, var) => var.visit(visit),
            ExprKind::Unary(_, operand)
            | ExprKind::Enabled(operand)
            | ExprKind::PcValue(operand)
            | ExprKind::GetPriority(operand) => operand.visit(visit),
            ExprKind::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            ExprKind::Cond(condition, then, otherwise) => {
                condition.visit(visit);
                then.visit(visit);
                otherwise.visit(visit);
            }
            ExprKind::Run { args, .. } => args.iter().for_each(|arg| arg.visit(visit)),
            ExprKind::Poll { chan, args, .. } => {
                chan.visit(visit);
                args.iter().for_each(|arg| arg.visit(visit));
            }
            ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| pid.visit(visit)),
            ExprKind::RemoteVar { pid, var, .. } => {
                pid.iter().for_each(|pid| pid.visit(visit));
                var.visit(visit);
            }
        }
    }
}

impl Expr {
    /// Its truth as a formula: the operators `!`, `&&` and `||` become operators of the formula.
    pub fn into_formula(self) -> Formula {
        match self.kind {
            ExprKind::Const(value) => Formula::Constant(value != 0),
            ExprKind::Unary(UnaryOp::Not, operand) => operand.into_formula().negated(),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let op = if op == BinaryOp::And { logic::BinaryOp::And } else { logic::BinaryOp::Or };
                Formula::binary(op, left.into_formula(), right.into_formula())
            }
            _ => Formula::Atom(self),
        }
    }

    /// Visits this expression and the ones inside it that are evaluated whenever it is: neither the
    /// branches of a conditional expression nor the right sides of `&&` and `||`.
    pub fn visit_certain<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Unary(_, operand) | ExprKind::Cond(operand, ..) => operand.visit_certain(visit),
            ExprKind::Binary(op, left, right) => {
                left.visit_certain(visit);
                if !matches!(op, BinaryOp::And | BinaryOp::Or) {
                    right.visit_certain(visit);
                }
            }
            _ => {}
        }
    }
}

impl VarRef {
    /// Visits the expressions in the indices.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.index.iter().for_each(|index| index.visit(visit));
        self.field.iter().for_each(|field| field.visit(visit));
    }
}

impl RecvArg {
    /// Visits the expressions in it.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            RecvArg::Store(var) => var.visit(visit),
            RecvArg::Ignore => {}
            RecvArg::Match(expr) => expr.visit(visit),
        }
    }
}

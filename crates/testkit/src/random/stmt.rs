//! Random statements.

use super::outline::Node;
use super::unit::{Generator, Variable};

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Inside `d_step`.
    d_step: bool,
    /// At the start of an option, or at the start of a block there: no label, no `unless`, no second
    /// `else`.
    first: bool,
    /// Inside a loop that it may break out of.
    in_loop: bool,
    /// It may block (not inside a `d_step`, but for its first statement).
    may_block: bool,
    /// Inside the main part of an `unless`.
    guarded: bool,
    /// No `unless`: where the main part of one, or a block in it, starts with another one, Spin takes
    /// both escapes for one.
    no_unless: bool,
    /// Inside an inline: no labels, no declarations.
    inline: bool,
    /// How much deeper it may go.
    depth: usize,
}

impl Context {
    /// The body of a process type.
    pub fn body() -> Context {
        Context {
            d_step: false,
            first: false,
            in_loop: false,
            may_block: true,
            guarded: false,
            no_unless: false,
            inline: false,
            depth: 3,
        }
    }

    /// The body of an inline.
    pub fn inline() -> Context {
        Context { inline: true, first: true, depth: 1, ..Context::body() }
    }

    fn deeper(self) -> Context {
        Context { depth: self.depth - 1, ..self }
    }

    /// Past the first statement.
    fn later(self) -> Context {
        Context { first: false, no_unless: false, may_block: !self.d_step, ..self }
    }
}

fn line(text: impl Into<String>) -> Node {
    Node::Line(text.into())
}

impl Generator {
    /// Some statements, one after the other.
    pub fn sequence(&mut self, n: usize, context: Context) -> Vec<Node> {
        let n_locals = self.locals.len();
        let mut nodes = Vec::new();
        let mut here = context;
        for k in 0..n {
            let last = k + 1 == n;
            let node = self.statement(here, last && !nodes.is_empty());
            let node = self.labelled(node, here, nodes.is_empty());
            nodes.push(node);
            here = here.later();
            if self.budget == 0 {
                break;
            }
        }
        self.locals.truncate(n_locals);
        nodes
    }

    /// Puts a label in front of a statement, now and then.
    fn labelled(&mut self, node: Node, context: Context, at_start: bool) -> Node {
        let allowed =
            !context.d_step && !context.inline && !context.first && (!at_start || context.depth == 3);
        if !allowed || !self.prng.chance(if self.features.jumps { 25 } else { 6 }) {
            return node;
        }
        self.n_names += 1;
        let prefix = if self.features.jumps && self.prng.chance(60) { "L" } else { "end" };
        let label = format!("{prefix}{}", self.n_names);
        let labelled = match node {
            Node::Line(text) if !is_declaration(&text) && !text.starts_with("select") => {
                Node::Line(format!("{label}: {text}"))
            }
            Node::Choice { head, options } => Node::Choice { head: format!("{label}: {head}"), options },
            Node::Block { head, body } if !head.starts_with("for") => {
                Node::Block { head: format!("{label}: {head}"), body }
            }
            other => return other,
        };
        let jumps = matches!(&labelled, Node::Line(text) if text.contains("goto") || text.contains("break"));
        if !jumps {
            self.labels.push(label);
        }
        labelled
    }

    fn statement(&mut self, context: Context, may_jump: bool) -> Node {
        self.budget = self.budget.saturating_sub(1);
        if context.depth > 0
            && self.budget > 1
            && self.prng.chance(45)
            && let Some(node) = self.compound(context)
        {
            return node;
        }
        if may_jump && self.prng.chance(25) && !context.inline {
            if context.in_loop && self.prng.chance(50) {
                return line("break");
            }
            if self.features.jumps && !context.d_step {
                return line("goto @");
            }
        }
        if context.first && !context.d_step && !context.inline && self.prng.chance(6) {
            // A jump as a guard.
            if context.in_loop {
                return line("break");
            }
            if self.features.jumps {
                return line("goto @");
            }
        }
        if context.may_block && self.prng.chance(if context.first { 50 } else { 15 }) {
            return self.blocking(context);
        }
        self.simple(context)
    }

    /// A statement that can always be executed.
    fn simple(&mut self, context: Context) -> Node {
        match self.prng.below(20) {
            // Spin executes a d_step that starts with a print or an assertion in the middle of a
            // rendezvous of others.
            0..=3 if context.d_step && context.first => self.assignment(),
            0 => line("skip"),
            1 => {
                let value = self.expression(1);
                line(format!("printf(\"%d\\n\", {value})"))
            }
            2 | 3 => {
                let condition = self.condition(2);
                line(format!("assert({condition})"))
            }
            4 if self.features.run && !context.d_step && !self.children.is_empty() => self.run(),
            5 if self.features.priorities && !context.d_step => {
                line(format!("set_priority(_pid, {})", self.prng.range(1, 3)))
            }
            6 | 7 if !self.inlines.is_empty() && !context.inline => {
                let inline = self.prng.pick(&self.inlines).clone();
                let arg =
                    if self.prng.chance(50) { self.place().text } else { self.prng.below(3).to_string() };
                if context.d_step { self.assignment() } else { line(format!("{inline}({arg})")) }
            }
            8 | 9 if self.features.declarations && !context.d_step && !context.inline && !context.first => {
                self.declaration()
            }
            _ => self.assignment(),
        }
    }

    fn declaration(&mut self) -> Node {
        self.n_names += 1;
        let name = format!("d{}", self.n_names);
        if self.features.structures && self.prng.chance(10) {
            self.locals.push(Variable::new(format!("{name}[@]"), 8));
            return line(format!("byte {name}[2]"));
        }
        let (mut declaration, width) = self.scalar(&name);
        if declaration.ends_with(&name) && self.prng.chance(40) {
            let value = self.expression(1);
            declaration = format!("{declaration} = {value}");
        }
        self.locals.push(Variable::new(name, width));
        line(declaration)
    }

    fn assignment(&mut self) -> Node {
        let variable = self.place();
        let small = variable.is_small();
        let text = variable.text;
        line(match self.prng.below(8) {
            0 if small => format!("{text}++"),
            1 if small => format!("{text}--"),
            2 => format!("{text} = {text} ^ 1"),
            3 | 4 => format!("{text} = {}", self.prng.below(4)),
            5 if self.prng.chance(40) => format!("{text} = {}", self.prng.pick(&[256, 257, -1, 4])),
            _ if small => {
                let value = self.expression(2);
                format!("{text} = {value}")
            }
            _ => {
                let value = self.expression(1);
                format!("{text} = ({value} & 3)")
            }
        })
    }

    fn run(&mut self) -> Node {
        let child = self.prng.pick(&self.children.clone()).clone();
        let value = self.expression(1);
        let single: Vec<String> = self
            .channels
            .iter()
            .filter(|channel| channel.widths.len() == 1 && !channel.carries_channel)
            .map(|channel| channel.name.clone())
            .collect();
        let args = match child.takes_channel {
            true => format!("{}, {value}", self.prng.pick(&single)),
            false => value,
        };
        let priority = match self.features.priorities && self.prng.chance(50) {
            true => format!(" priority {}", self.prng.range(1, 3)),
            false => String::new(),
        };
        let run = format!("run {}({args}){priority}", child.name);
        // A bound on the number of processes keeps the state space small.
        let guard = line(format!("(_nr_pr < {})", self.prng.range(3, 4)));
        let call = match self.prng.below(4) {
            0 => line(format!("{} = {run}", self.place().text)),
            _ => line(run),
        };
        Node::Block { head: "atomic".into(), body: vec![guard, call] }
    }

    /// A statement that may have to wait.
    fn blocking(&mut self, context: Context) -> Node {
        let usable: Vec<_> = self
            .channels
            .iter()
            .filter(|channel| !(context.d_step && channel.capacity == 0))
            .cloned()
            .collect();
        if !usable.is_empty() && self.prng.chance(60) {
            let channel = self.prng.pick(&usable).clone();
            return self.communication(&channel, context);
        }
        if self.features.timeout && !context.d_step && self.prng.chance(15) {
            return line(*self.prng.pick(&["timeout", "(timeout || g0 == 1)", "(!timeout && g0 == 0)"]));
        }
        if self.features.remote && !context.d_step && !self.remote_labels.is_empty() && self.prng.chance(30) {
            let (process, label) = self.prng.pick(&self.remote_labels).clone();
            return line(format!("({process}@{label})"));
        }
        line(self.condition(2))
    }

    fn communication(&mut self, channel: &super::unit::Channel, context: Context) -> Node {
        let name = &channel.name;
        if channel.carries_channel {
            return self.channel_passing(name);
        }
        if self.prng.chance(10) {
            let question = *self.prng.pick(&["empty", "nempty", "full", "nfull"]);
            return line(format!("{question}({name})"));
        }
        let buffered = channel.capacity > 0;
        if self.prng.chance(50) {
            let args: Vec<String> = channel.widths.iter().map(|_| self.expression(1)).collect();
            let op = if buffered && self.prng.chance(20) { "!!" } else { "!" };
            return line(format!("{name}{op}{}", args.join(",")));
        }
        let mut args: Vec<String> = Vec::new();
        for &width in &channel.widths {
            let pattern = self.pattern(width);
            // Spin refuses a variable in two fields.
            let base = pattern.split(['[', '.']).next().unwrap_or_default().to_string();
            let twice = args.iter().any(|arg| arg.starts_with(&base));
            args.push(if twice { "_".into() } else { pattern });
        }
        let args = args.join(",");
        line(match self.prng.below(10) {
            0 if buffered => format!("{name}?<{args}>"),
            1 if buffered => format!("{name}??{args}"),
            2 if buffered && !context.first => format!("{name}?[{args}]"),
            3 if buffered && !context.first => format!("{name}??[{args}]"),
            4 if buffered => format!("{name}??<{args}>"),
            _ => format!("{name}?{args}"),
        })
    }

    /// A channel sent, or received and used at once.
    fn channel_passing(&mut self, name: &str) -> Node {
        let single: Vec<String> = self
            .channels
            .iter()
            .filter(|channel| channel.widths.len() == 1 && !channel.carries_channel)
            .map(|channel| channel.name.clone())
            .collect();
        let target = self.prng.pick(&single).clone();
        if self.prng.chance(50) || self.counters_only() {
            return line(format!("{name}!{target}"));
        }
        let use_it = if self.prng.chance(50) { "k0!1" } else { "k0?_" };
        Node::Block { head: String::new(), body: vec![line(format!("{name}?k0")), line(use_it)] }
    }

    /// Whether there is no `k0` in scope: in an inline.
    fn counters_only(&self) -> bool {
        self.counters.iter().any(|counter| counter == "p")
    }

    fn pattern(&mut self, width: u8) -> String {
        match self.prng.below(8) {
            0 => self.prng.below(3).to_string(),
            1 => format!("eval({})", self.place().text),
            2 => "_".into(),
            _ => {
                let variable = self.place();
                let fits = variable.width >= width || self.features.narrow_receives;
                if fits { variable.text } else { "_".into() }
            }
        }
    }

    /// A statement with statements inside.
    fn compound(&mut self, context: Context) -> Option<Node> {
        let inner = context.deeper();
        let plain = !context.d_step;
        Some(match self.prng.below(12) {
            0..=2 => self.selection(context),
            3 | 4 if plain => {
                let n = self.prng.range(1, 3);
                let inner = Context { in_loop: true, ..inner };
                let options = (0..n).map(|_| self.option(Context { first: true, ..inner })).collect();
                let options = self.with_else(options, context, Context { in_loop: true, ..inner });
                Node::Choice { head: "do".into(), options }
            }
            3 | 4 => self.counting_loop(),
            5 | 6 if self.features.atomic => self.block("atomic", inner),
            7 | 8 if self.features.d_step => {
                self.block("d_step", Context { d_step: true, first: true, in_loop: false, ..inner })
            }
            9 if self.features.unless && plain && !context.first && !context.inline && !context.no_unless => {
                self.unless(inner)
            }
            10 if self.features.loops && !context.inline && !context.first => self.counted(context),
            11 => self.block("", inner),
            _ => return None,
        })
    }

    fn block(&mut self, head: &str, inner: Context) -> Node {
        let n = self.prng.range(1, 3);
        let inner = Context { no_unless: inner.guarded, ..inner };
        Node::Block { head: head.into(), body: self.sequence(n, inner) }
    }

    fn selection(&mut self, context: Context) -> Node {
        let inner = context.deeper();
        let n = self.prng.range(1, 3);
        let mut options: Vec<Vec<Node>> =
            (0..n).map(|_| self.option(Context { first: true, ..inner })).collect();
        if context.d_step {
            // Every option starts with a condition, and one of them can be taken.
            for option in &mut options {
                let guard = self.condition(1);
                option.insert(0, line(guard));
            }
            if !context.may_block || self.prng.chance(50) {
                options.push(vec![line("else"), self.assignment()]);
            }
            return Node::Choice { head: "if".into(), options };
        }
        let options = self.with_else(options, context, inner);
        Node::Choice { head: "if".into(), options }
    }

    fn option(&mut self, context: Context) -> Vec<Node> {
        let context = if context.d_step { context.later() } else { context };
        let n = self.prng.range(1, 3);
        self.sequence(n, context)
    }

    /// Adds an `else`, unless the choice may be folded into another one.
    fn with_else(&mut self, mut options: Vec<Vec<Node>>, context: Context, inner: Context) -> Vec<Vec<Node>> {
        if !context.first && self.prng.chance(40) {
            let mut option = vec![line("else")];
            let n = self.prng.range(0, 2);
            option.extend(self.sequence(n, Context { first: false, ..inner }));
            let at = self.prng.range(0, options.len());
            options.insert(at, option);
        }
        options
    }

    /// A loop that ends, for `d_step`.
    fn counting_loop(&mut self) -> Node {
        let variable = self.place().text;
        let step = format!("{variable} = (({variable} & 3) + 1)");
        let again = vec![line(format!("({variable} >= 0 && {variable} < 3)")), line(step)];
        Node::Choice { head: "do".into(), options: vec![again, vec![line("else"), line("break")]] }
    }

    fn unless(&mut self, inner: Context) -> Node {
        let n = self.prng.range(1, 3);
        let main = self.sequence(n, Context { guarded: true, no_unless: true, ..inner });
        let mut escape = vec![self.blocking(Context { first: true, ..inner })];
        if let Node::Block { .. } = escape[0] {
            escape = vec![line(self.condition(1))];
        }
        if self.prng.chance(60) {
            let n = self.prng.range(1, 2);
            escape.extend(self.sequence(n, Context { first: false, in_loop: false, ..inner }.later()));
        }
        Node::Unless { main, escape }
    }

    fn counted(&mut self, context: Context) -> Node {
        let depth = context.depth;
        let counter = self.counters[(depth + 1) % 2].clone();
        let (low, high) = (self.prng.below(2), self.prng.range(0, 2));
        // Spin refuses a constant range that is empty.
        let computed = low > high || self.prng.chance(30);
        let high = if computed { format!("{high} + g0 * 0") } else { high.to_string() };
        if self.prng.chance(40) && !(computed && context.d_step) {
            return line(format!("select ({counter} : {low} .. {high})"));
        }
        let inner = Context { in_loop: true, ..context.deeper() };
        let inner =
            if context.d_step { Context { depth: 0, in_loop: false, ..inner }.later() } else { inner };
        let n = self.prng.range(1, 2);
        let body = self.sequence(n, Context { first: false, ..inner });
        Node::Block { head: format!("for ({counter} : {low} .. {high})"), body }
    }

    /// Gives every `goto` a target.
    pub fn settle_jumps(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            match node {
                Node::Line(text) if text.ends_with("goto @") => {
                    let target = match self.labels.is_empty() {
                        true => "skip".into(),
                        false => format!("goto {}", self.prng.pick(&self.labels)),
                    };
                    *text = text.replace("goto @", &target);
                }
                Node::Line(_) => {}
                Node::Choice { options, .. } => {
                    options.iter_mut().for_each(|option| self.settle_jumps(option))
                }
                Node::Block { body, .. } => self.settle_jumps(body),
                Node::Unless { main, escape } => {
                    self.settle_jumps(main);
                    self.settle_jumps(escape);
                }
            }
        }
    }
}

pub fn is_declaration(text: &str) -> bool {
    ["bit ", "bool ", "byte ", "short ", "int ", "unsigned ", "pid ", "chan "]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

//! Declarations and process types.

use super::outline::{Node, Outline, Unit};
use super::stmt::Context;
use model::Random;

use super::Features;

/// A variable that statements may use.
#[derive(Clone, Debug)]
pub struct Variable {
    /// How it is written; `@` stands for an index below 2.
    pub text: String,
    /// How many bits it has.
    pub width: u8,
}

impl Variable {
    pub fn new(text: impl Into<String>, width: u8) -> Variable {
        Variable { text: text.into(), width }
    }

    /// Whether its values lie between 0 and 255.
    pub fn is_small(&self) -> bool {
        self.width <= 8
    }
}

/// A channel that statements may use.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub capacity: usize,
    /// How many bits each field has.
    pub widths: Vec<u8>,
    /// The first field is a channel.
    pub carries_channel: bool,
}

/// A process type that is not active, to be run.
#[derive(Clone, Debug)]
pub struct Child {
    pub name: String,
    /// The first parameter is a channel with one field.
    pub takes_channel: bool,
}

/// What a program is made of while it is made.
pub struct Generator {
    pub prng: Random,
    pub features: Features,
    pub globals: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub mtypes: Vec<String>,
    pub children: Vec<Child>,
    pub inlines: Vec<String>,
    /// The labels that may be named from elsewhere: process type and label.
    pub remote_labels: Vec<(String, String)>,
    /// The variables of the process type being made.
    pub locals: Vec<Variable>,
    /// Variables that only loops count with.
    pub counters: Vec<String>,
    /// The labels set in it so far.
    pub labels: Vec<String>,
    /// How many more statements it may have.
    pub budget: usize,
    /// For names that must differ.
    pub n_names: usize,
}

impl Generator {
    pub fn new(prng: Random, features: Features) -> Generator {
        Generator {
            prng,
            features,
            globals: Vec::new(),
            channels: Vec::new(),
            mtypes: Vec::new(),
            children: Vec::new(),
            inlines: Vec::new(),
            remote_labels: Vec::new(),
            locals: Vec::new(),
            counters: Vec::new(),
            labels: Vec::new(),
            budget: 0,
            n_names: 0,
        }
    }

    pub fn program(&mut self) -> Outline {
        let mut outline = Outline::default();
        self.declare_globals(&mut outline);
        self.declare_channels(&mut outline);
        if self.features.inlines {
            let n = self.prng.range(1, 2);
            for k in 0..n {
                outline.units.push(self.inline(k));
            }
        }
        if self.features.run {
            let n = self.prng.range(1, 2);
            for k in 0..n {
                outline.units.push(self.child(k));
            }
        }
        let n_active = *self.prng.pick(&[1, 2, 2, 2, 3, 3]);
        for k in 0..n_active {
            outline.units.push(self.active(k, n_active));
        }
        outline
    }

    fn declare_globals(&mut self, outline: &mut Outline) {
        let n = self.prng.range(1, 3);
        for k in 0..n {
            let name = format!("g{k}");
            let (declaration, width) = self.scalar(&name);
            outline.globals.push(format!("{declaration};"));
            self.globals.push(Variable::new(name, width));
        }
        if self.prng.chance(30) {
            outline.globals.push("mtype = { A, B, C };".into());
            outline.globals.push("mtype m0 = B;".into());
            self.mtypes = ["A", "B", "C"].map(String::from).to_vec();
            self.globals.push(Variable::new("m0", 8));
        }
        if !self.features.structures {
            return;
        }
        if self.prng.chance(60) {
            let ty = *self.prng.pick(&["byte", "bit", "short", "bool"]);
            let init = *self.prng.pick(&["", "", " = 1", " = {1,0}"]);
            outline.globals.push(format!("{ty} a0[2]{init};"));
            self.globals.push(Variable::new("a0[@]", if ty == "short" { 16 } else { 8 }));
        }
        if self.prng.chance(60) {
            outline.globals.push("typedef T { byte f; bit h[2]; short s };".into());
            let array = self.prng.chance(40);
            outline.globals.push(format!("T t0{};", if array { "[2]" } else { "" }));
            let base = if array { "t0[@]" } else { "t0" };
            self.globals.push(Variable::new(format!("{base}.f"), 8));
            self.globals.push(Variable::new(format!("{base}.h[@]"), 8));
            self.globals.push(Variable::new(format!("{base}.s"), 16));
        }
    }

    /// A declaration of a scalar, and its width.
    pub fn scalar(&mut self, name: &str) -> (String, u8) {
        // With priorities, Spin leaves a part of the process out of the comparison if its last
        // variable is a bit field.
        let bits = !self.features.priorities || name.starts_with('g');
        let kind = if bits { self.prng.below(12) } else { self.prng.range(6, 12) };
        let init = match (self.prng.below(6), kind) {
            (0 | 1, 3 | 4) => " = -1",
            (0, 7..) => " = 255",
            (1, _) => " = 1",
            _ => "",
        };
        match kind {
            0 | 1 => (format!("bit {name}{init}"), 1),
            2 => (format!("bool {name}{init}"), 1),
            3 => (format!("short {name}{init}"), 16),
            4 => (format!("int {name}{init}"), 32),
            5 => (format!("unsigned {name} : 2{init}"), 2),
            6 => (format!("pid {name}"), 8),
            _ => (format!("byte {name}{init}"), 8),
        }
    }

    fn declare_channels(&mut self, outline: &mut Outline) {
        let mut declare = |this: &mut Generator, capacity: usize, fields: &[&str]| {
            let name = format!("c{}", this.channels.len());
            outline.globals.push(format!("chan {name} = [{capacity}] of {{{}}};", fields.join(", ")));
            let carries_channel = fields[0] == "chan";
            let width = |field: &&str| match *field {
                "short" => 16,
                "bit" | "bool" if fields.len() > 1 => 1,
                _ => 8,
            };
            let widths = fields.iter().map(width).collect();
            this.channels.push(Channel { name, capacity, widths, carries_channel });
        };
        let shapes: [&[&str]; 6] =
            [&["byte"], &["byte"], &["bit"], &["byte", "bit"], &["short", "byte"], &["bool", "byte"]];
        if self.features.buffered {
            for _ in 0..self.prng.range(1, 2) {
                let capacity = self.prng.range(1, 2);
                let fields = *self.prng.pick(&shapes);
                declare(self, capacity, fields);
            }
        }
        if self.features.rendezvous {
            for _ in 0..self.prng.range(1, 2) {
                let fields = *self.prng.pick(&shapes);
                declare(self, 0, fields);
            }
        }
        if self.features.channel_passing && self.channels.iter().any(|channel| channel.widths.len() == 1) {
            declare(self, 1, &["chan"]);
        }
    }

    fn start_unit(&mut self, budget: usize) {
        self.locals.clear();
        self.counters.clear();
        self.labels.clear();
        self.budget = budget;
    }

    fn inline(&mut self, k: usize) -> Unit {
        self.start_unit(3);
        self.counters.push("p".into());
        let n = self.prng.range(1, 2);
        let body = self.sequence(n, Context::inline());
        self.inlines.push(format!("f{k}"));
        Unit { head: format!("inline f{k}(p)"), clauses: Vec::new(), body }
    }

    fn child(&mut self, k: usize) -> Unit {
        self.start_unit(4);
        let single =
            self.channels.iter().any(|channel| channel.widths.len() == 1 && !channel.carries_channel);
        let takes_channel = self.features.channel_passing && single && self.prng.chance(60);
        let name = format!("R{k}");
        let types = [("byte", 8), ("bit", 1), ("short", 16)];
        let (ty, width) = if self.features.priorities { types[0] } else { *self.prng.pick(&types) };
        self.locals.push(Variable::new("p", width));
        let mut body = self.opening();
        let n = self.prng.range(1, 3);
        body.extend(self.sequence(n, Context::body()));
        if takes_channel {
            let line = if width < 8 || self.prng.chance(60) { "z!p" } else { "z?p" };
            let at = self.prng.range(body.len() - n.min(body.len()), body.len());
            body.insert(at, Node::Line(line.into()));
        }
        self.settle_jumps(&mut body);
        self.children.push(Child { name: name.clone(), takes_channel });
        let params = if takes_channel { format!("chan z; {ty} p") } else { format!("{ty} p") };
        Unit { head: format!("proctype {name}({params})"), clauses: self.clauses(false), body }
    }

    fn active(&mut self, k: usize, n_active: usize) -> Unit {
        self.start_unit(12 / n_active + 4);
        let name = format!("P{k}");
        let mut body = self.opening();
        let n = self.prng.range(2, 6);
        body.extend(self.sequence(n, Context::body()));
        self.settle_jumps(&mut body);
        let labels = std::mem::take(&mut self.labels);
        if k + 1 == n_active && n_active > 1 && self.prng.chance(10) {
            return Unit { head: "init".into(), clauses: Vec::new(), body };
        }
        self.remote_labels.extend(labels.into_iter().map(|label| (name.clone(), label)));
        let copies = if self.prng.chance(20) { "active [2]" } else { "active" };
        Unit { head: format!("{copies} proctype {name}()"), clauses: self.clauses(true), body }
    }

    /// Declarations at the start of a body.
    fn opening(&mut self) -> Vec<Node> {
        let mut lines = Vec::new();
        // With a local, the priority lies in the part of the process that Spin compares.
        if self.features.priorities || self.prng.chance(60) {
            let (mut declaration, width) = self.scalar("l0");
            if declaration.ends_with("l0") && self.prng.chance(30) {
                let value = self.expression(1);
                declaration = format!("{declaration} = {value}");
            }
            lines.push(Node::Line(declaration));
            self.locals.push(Variable::new("l0", width));
        }
        if self.features.loops {
            lines.push(Node::Line("byte i0, i1".into()));
            self.counters = vec!["i0".into(), "i1".into()];
        }
        if self.features.channel_passing {
            lines.push(Node::Line("chan k0".into()));
        }
        if self.features.buffered && self.prng.chance(15) {
            lines.push(Node::Line("chan own = [1] of {byte}".into()));
            lines.push(Node::Line("own!1".into()));
        }
        lines
    }

    fn clauses(&mut self, with_priority: bool) -> Vec<String> {
        let mut clauses = Vec::new();
        if self.features.priorities && with_priority && self.prng.chance(60) {
            clauses.push(format!("priority {}", self.prng.range(1, 3)));
        }
        if self.features.provided && self.prng.chance(40) {
            self.locals.clear();
            self.counters.clear();
            let errors = std::mem::replace(&mut self.features.errors, false);
            let condition = self.condition(1);
            self.features.errors = errors;
            clauses.push(format!("provided ({condition})"));
        }
        clauses
    }
}

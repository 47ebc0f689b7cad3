//! Random labels with a meaning, formulas and never claims.

use super::outline::{Node, Outline, Unit};
use super::stmt::is_declaration;
use super::unit::Generator;

const PREFIXES: [&str; 7] = ["[]", "<>", "[]<>", "<>[]", "!", "X", "! <>"];
const INFIXES: [&str; 8] = ["&&", "||", "->", "<->", "U", "W", "V", "U"];

impl Generator {
    /// Puts `progress` and `accept` labels in front of statements.
    pub fn add_labels(&mut self, outline: &mut Outline) {
        for unit in outline.units.iter_mut().filter(|unit| !unit.head.starts_with("inline")) {
            self.label_sequence(&mut unit.body, true);
        }
    }

    /// Spin knows no labels at the start of an option.
    fn label_sequence(&mut self, nodes: &mut [Node], is_body: bool) {
        for (k, node) in nodes.iter_mut().enumerate() {
            match node {
                Node::Line(line) if !is_declaration(line) && (is_body || k > 0) => self.label(line),
                Node::Line(_) => {}
                Node::Choice { head, options } => {
                    if is_body || k > 0 {
                        self.label(head);
                    }
                    options.iter_mut().for_each(|option| self.label_sequence(option, false));
                }
                Node::Block { head, body } => {
                    if head == "atomic" && (is_body || k > 0) {
                        self.label(head);
                    }
                    self.label_sequence(body, false);
                }
                Node::Unless { main, escape } => {
                    self.label_sequence(main, false);
                    self.label_sequence(escape, false);
                }
            }
        }
    }

    fn label(&mut self, text: &mut String) {
        if self.prng.chance(15) {
            let kind = *self.prng.pick(&["progress", "progress", "accept"]);
            self.n_names += 1;
            *text = format!("{kind}_{}: {text}", self.n_names);
        }
    }

    /// Appends `ltl` blocks.
    pub fn add_formulas(&mut self, outline: &mut Outline, n: usize) {
        self.forget_locals();
        let references = remote_variables(outline);
        for k in 0..n {
            let formula = match self.prng.below(3) {
                0 => format!("[] {}", self.atom(&references)),
                _ => self.formula(&references, 3),
            };
            let head = format!("ltl f{k}");
            outline.units.push(Unit { head, clauses: Vec::new(), body: vec![Node::Line(formula)] });
        }
    }

    /// Appends never claims.
    pub fn add_claims(&mut self, outline: &mut Outline, n: usize) {
        self.forget_locals();
        let references = remote_variables(outline);
        for k in 0..n {
            let body = self.claim(&references);
            outline.units.push(Unit { head: format!("never c{k}"), clauses: Vec::new(), body });
        }
    }

    fn forget_locals(&mut self) {
        self.locals.clear();
        self.counters.clear();
    }

    /// Always in brackets.
    fn formula(&mut self, references: &[String], depth: usize) -> String {
        if depth == 0 || self.prng.chance(25) {
            return self.atom(references);
        }
        if self.prng.chance(45) {
            let prefix = *self.prng.pick(&PREFIXES);
            return format!("({prefix} {})", self.formula(references, depth - 1));
        }
        let infix = *self.prng.pick(&INFIXES);
        let left = self.formula(references, depth - 1);
        format!("({left} {infix} {})", self.formula(references, depth - 1))
    }

    /// Something that a state says by itself, in brackets.
    fn atom(&mut self, references: &[String]) -> String {
        match self.prng.below(16) {
            0 | 1 => "(np_)".into(),
            2 if self.features.last => format!("(_last == {})", self.prng.below(3)),
            3 => format!("(enabled({}))", self.prng.below(4)),
            4 => format!("(_nr_pr {} {})", self.prng.pick(&["<", ">="]), self.prng.range(1, 3)),
            5 => "(timeout)".into(),
            6 if !self.channels.is_empty() => {
                let channel = self.prng.pick(&self.channels).name.clone();
                format!("(len({channel}) == {})", self.prng.below(3))
            }
            7 | 8 if !self.remote_labels.is_empty() => {
                let (process, label) = self.prng.pick(&self.remote_labels.clone()).clone();
                format!("({process}{}@{label})", self.pid())
            }
            9 | 10 if !references.is_empty() => {
                let (process, variable) =
                    self.prng.pick(references).split_once(':').expect("process and variable");
                format!("({process}{}:{variable} == {})", self.pid(), self.prng.below(2))
            }
            11 => format!("(!{})", self.condition(0)),
            // Whoever watches has no pid.
            _ => self.condition(1).replace("_pid", "1"),
        }
    }

    /// Which instance a remote reference means.
    fn pid(&mut self) -> String {
        if self.prng.chance(40) { String::new() } else { format!("[{}]", self.prng.below(4)) }
    }

    /// A few places with a choice each, and jumps between them.
    fn claim(&mut self, references: &[String]) -> Vec<Node> {
        let n = self.prng.range(1, 4);
        let label = |k: usize| if k % 2 == 1 { format!("accept_{k}") } else { format!("S{k}") };
        let labels: Vec<String> = (0..n).map(label).collect();
        let mut body: Vec<Node> = Vec::new();
        for label in &labels {
            let word = *self.prng.pick(&["do", "do", "if"]);
            let mut options: Vec<Vec<Node>> = Vec::new();
            for _ in 0..self.prng.range(1, 3) {
                options.push(self.claim_option(references, &labels, word == "do"));
            }
            if self.prng.chance(40) {
                options.push(vec![Node::Line("else".into()), self.jump(&labels)]);
            }
            body.push(Node::Choice { head: format!("{label}: {word}"), options });
        }
        if self.prng.chance(50) {
            body.push(Node::Line(self.atom(references)));
        }
        body
    }

    fn claim_option(&mut self, references: &[String], labels: &[String], in_loop: bool) -> Vec<Node> {
        let condition = match self.prng.chance(20) {
            true => Node::Line("skip".into()),
            false => Node::Line(self.atom(references)),
        };
        match self.prng.below(8) {
            0 if in_loop => vec![condition],
            1 if in_loop => vec![condition, Node::Line("break".into())],
            2 => {
                let condition_or_assertion = match self.prng.chance(50) {
                    true => self.atom(references),
                    false => format!("assert{}", self.atom(references)),
                };
                let body = vec![condition, Node::Line(condition_or_assertion)];
                vec![Node::Block { head: "atomic".into(), body }, self.jump(labels)]
            }
            3 => {
                let assertion = Node::Line(format!("assert{}", self.atom(references)));
                vec![condition, assertion]
            }
            4 => vec![condition, Node::Line(self.atom(references)), self.jump(labels)],
            _ => vec![condition, self.jump(labels)],
        }
    }

    fn jump(&mut self, labels: &[String]) -> Node {
        Node::Line(format!("goto {}", self.prng.pick(labels)))
    }
}

/// `P:l0` for every process type with a local of that name.
fn remote_variables(outline: &Outline) -> Vec<String> {
    let declares =
        |node: &Node| matches!(node, Node::Line(line) if is_declaration(line) && line.contains(" l0"));
    let with_local = outline.units.iter().filter(|unit| unit.body.iter().any(declares));
    let name = |unit: &Unit| {
        let (_, behind) = unit.head.split_once("proctype ")?;
        Some(format!("{}:l0", behind.split('(').next()?))
    };
    with_local.filter_map(name).collect()
}

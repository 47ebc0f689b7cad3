//! Random `trace` and `notrace` declarations, and programs that give them something to see.

use super::outline::{Node, Outline, Unit};
use super::unit::{Channel, Generator, Variable};
use model::Random;

use super::Features;

/// How often, in a hundred cases, a process does something.
#[derive(Clone, Copy)]
struct Manner {
    /// Sends rather than receives.
    sends: usize,
    /// May stay where it is for ever.
    stays: usize,
}

/// A random program of processes that send and receive small numbers, with a declaration. The same seed
/// always gives the same one.
pub fn trace_program(seed: u64) -> Outline {
    let mut generator = Generator::new(Random::new(seed), Features::NONE);
    let mut outline = Outline { globals: vec!["byte x;".into()], units: Vec::new() };
    generator.globals.push(Variable::new("x", 8));
    let n_processes = *generator.prng.pick(&[1, 2, 2, 3]);
    let stays = *generator.prng.pick(&[30, 100]);
    for k in 0..*generator.prng.pick(&[1, 1, 2]) {
        let capacity = if n_processes == 1 { 2 } else { *generator.prng.pick(&[0, 1, 1, 2]) };
        let (fields, widths) =
            if generator.prng.chance(80) { ("byte", vec![8]) } else { ("byte, bit", vec![8, 1]) };
        outline.globals.push(format!("chan q{k} = [{capacity}] of {{ {fields} }};"));
        generator.channels.push(Channel { name: format!("q{k}"), capacity, widths, carries_channel: false });
    }
    for k in 0..n_processes {
        // Some mostly send, the others mostly receive, or nobody would get far.
        let sends = if n_processes == 1 { 50 } else { 90 - 80 * (k % 2) };
        let mut body = generator.talk(2, Manner { sends, stays });
        if generator.prng.chance(75) {
            body = vec![Node::Choice {
                head: generator.with_end_label("do", stays, false),
                options: vec![body],
            }];
        }
        outline.units.push(Unit { head: format!("active proctype P{k}()"), clauses: Vec::new(), body });
    }
    generator.add_trace(&mut outline);
    outline
}

impl Generator {
    /// Statements that send and receive.
    fn talk(&mut self, depth: usize, manner: Manner) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.prng.range(1, 2 + depth) {
            nodes.push(match self.prng.below(10) {
                0 => Node::Line("x = 1 - x".into()),
                1 | 2 if depth > 0 => {
                    let head = *self.prng.pick(&["if", "do"]);
                    let options = (0..self.prng.range(1, 3)).map(|_| self.talk(depth - 1, manner)).collect();
                    Node::Choice { head: self.with_end_label(head, manner.stays, nodes.is_empty()), options }
                }
                3 if depth == 2 => Node::Block { head: "atomic".into(), body: self.talk(0, manner) },
                _ => {
                    let message = self.message(manner.sends, false);
                    Node::Line(self.with_end_label(&message, manner.stays, nodes.is_empty()))
                }
            });
        }
        nodes
    }

    /// Spin knows no labels at the start of an option.
    fn with_end_label(&mut self, text: &str, percent: usize, at_start: bool) -> String {
        if at_start || !self.prng.chance(percent) {
            return text.into();
        }
        self.n_names += 1;
        format!("end{}: {text}", self.n_names)
    }

    /// A send or a receive, of a process or of a declaration.
    fn message(&mut self, sends: usize, declared: bool) -> String {
        let channel = self.prng.pick(&self.channels).clone();
        let sent = self.prng.chance(sends);
        let small = self.globals.iter().find(|global| global.is_small() && !global.text.contains('@'));
        let variable = small.map_or_else(|| "1".into(), |global| global.text.clone());
        let mut fields = Vec::new();
        for k in 0..channel.widths.len() {
            fields.push(match self.prng.below(20) {
                _ if channel.carries_channel && k == 0 => "_".into(),
                // What a declaration compares with the value that the variable has then.
                0 if !sent => format!("eval({variable})"),
                0 => variable.clone(),
                1..=11 if declared || !sent => "_".into(),
                12..=15 if !declared && !sent && k == 0 => variable.clone(),
                _ => self.prng.below(2).to_string(),
            });
        }
        format!("{}{}{}", channel.name, if sent { "!" } else { "?" }, fields.join(","))
    }

    fn event(&mut self) -> String {
        self.message(50, true)
    }

    /// Adds a declaration over the channels that all processes share, if there are any.
    pub fn add_trace(&mut self, outline: &mut Outline) {
        if self.channels.is_empty() {
            return;
        }
        self.labels.clear();
        let head = *self.prng.pick(&["trace", "notrace"]);
        let depth = *self.prng.pick(&[1, 1, 2]);
        let mut body = self.events(depth, false);
        if self.prng.chance(50) {
            body = vec![self.at_any_time(body, head == "notrace")];
        } else if self.prng.chance(20) {
            // A label for a place of its own.
            body.push(Node::Line("end0:".into()));
        }
        self.settle_goto(&mut body);
        if head == "notrace" && !starts_with_event(&body) {
            body.insert(0, Node::Line(self.event()));
        }
        outline.units.push(Unit { head: head.into(), clauses: Vec::new(), body });
    }

    /// Lets anything happen until the events begin: what such declarations are for.
    fn at_any_time(&mut self, mut events: Vec<Node>, once: bool) -> Node {
        let mut options = Vec::new();
        for channel in &self.channels {
            let fields = vec!["_"; channel.widths.len()].join(",");
            options
                .extend(["!", "?"].map(|sign| vec![Node::Line(format!("{}{sign}{fields}", channel.name))]));
        }
        if once {
            events.push(Node::Line("break".into()));
        }
        let at = self.prng.below(options.len());
        options.insert(at, events);
        Node::Choice { head: "end0: do".into(), options }
    }

    /// Events one after the other, with choices, loops and jumps.
    fn events(&mut self, depth: usize, in_loop: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        let n = self.prng.range(1, 3);
        for k in 0..n {
            // In the middle, a jump makes the rest unreachable.
            let may_jump = if k + 1 == n { 30 } else { 4 };
            nodes.push(match self.prng.below(10) {
                0..=2 if depth > 0 => {
                    let head = *self.prng.pick(&["if", "do", "do"]);
                    let in_loop = in_loop || head == "do";
                    let options =
                        (0..self.prng.range(1, 3)).map(|_| self.events(depth - 1, in_loop)).collect();
                    Node::Choice { head: self.with_end_label(head, 60, nodes.is_empty()), options }
                }
                _ if self.prng.chance(may_jump) => match in_loop && self.prng.chance(60) {
                    true => Node::Line("break".into()),
                    false => Node::Line("goto @".into()),
                },
                9 => Node::Line(format!("{} unless {}", self.event(), self.event())),
                _ => Node::Line(self.labelled_event(k == 0)),
            });
        }
        nodes
    }

    /// Gives each `goto` a target; an event takes its place where there is no label.
    fn settle_goto(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            match node {
                Node::Line(text) if text == "goto @" => {
                    *text = match self.labels.is_empty() {
                        true => self.event(),
                        false => format!("goto {}", self.prng.pick(&self.labels)),
                    };
                }
                Node::Choice { options, .. } => {
                    options.iter_mut().for_each(|option| self.settle_goto(option))
                }
                _ => {}
            }
        }
    }

    fn labelled_event(&mut self, first: bool) -> String {
        let event = self.event();
        if first || self.prng.chance(70) {
            return event;
        }
        self.n_names += 1;
        let label = format!("{}{}", self.prng.pick(&["L", "end"]), self.n_names);
        self.labels.push(label.clone());
        format!("{label}: {event}")
    }
}

/// Whether no way leads past the first event without a message: a `notrace` that may end at once is refused.
fn starts_with_event(nodes: &[Node]) -> bool {
    match nodes.first() {
        Some(Node::Line(text)) => text.contains(['!', '?']),
        Some(Node::Choice { options, .. }) => options.iter().all(|option| starts_with_event(option)),
        _ => false,
    }
}

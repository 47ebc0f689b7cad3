//! A program as an outline: text at the leaves, structure where the shrinker cuts.

use std::fmt::Write;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Global declarations, one each.
    pub globals: Vec<String>,
    /// Inlines, process types and `init`.
    pub units: Vec<Unit>,
}

/// An inline, a process type or `init`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// All in front of the brace: `active proctype P()`.
    pub head: String,
    /// Clauses between head and brace that can be left out: `priority 2`, `provided (x == 1)`.
    pub clauses: Vec<String>,
    /// The body.
    pub body: Vec<Node>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A statement without statements inside, possibly with a label.
    Line(String),
    /// `if` or `do`.
    Choice {
        /// `if` or `do`, possibly with a label in front.
        head: String,
        /// The options.
        options: Vec<Vec<Node>>,
    },
    /// `{ … }` with something in front: nothing, `atomic`, `d_step`, `for (…)`.
    Block {
        /// What stands in front.
        head: String,
        /// The statements.
        body: Vec<Node>,
    },
    /// `{ … } unless { … }`
    Unless {
        /// The main part.
        main: Vec<Node>,
        /// The escape.
        escape: Vec<Node>,
    },
}

impl Outline {
    /// The program's text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for global in &self.globals {
            let _ = writeln!(out, "{global}");
        }
        for unit in &self.units {
            let _ = write!(out, "{}", unit.head);
            for clause in &unit.clauses {
                let _ = write!(out, " {clause}");
            }
            out.push_str(" {\n");
            write_sequence(&mut out, &unit.body, 1);
            out.push_str("}\n");
        }
        out
    }
}

fn write_sequence(out: &mut String, nodes: &[Node], depth: usize) {
    for (k, node) in nodes.iter().enumerate() {
        let _ = write!(out, "{:1$}", "", depth * 2);
        write_node(out, node, depth);
        out.push_str(if k + 1 < nodes.len() { ";\n" } else { "\n" });
    }
}

fn write_node(out: &mut String, node: &Node, depth: usize) {
    let indent = depth * 2;
    match node {
        Node::Line(line) => out.push_str(line),
        Node::Choice { head, options } => {
            let _ = writeln!(out, "{head}");
            for option in options {
                let _ = writeln!(out, "{:indent$}::", "");
                write_sequence(out, option, depth + 1);
            }
            let _ = write!(out, "{:indent$}{}", "", if head.ends_with("if") { "fi" } else { "od" });
        }
        Node::Block { head, body } => {
            let _ = writeln!(out, "{head} {{");
            write_sequence(out, body, depth + 1);
            let _ = write!(out, "{:indent$}}}", "");
        }
        Node::Unless { main, escape } => {
            out.push_str("{\n");
            write_sequence(out, main, depth + 1);
            let _ = writeln!(out, "{:indent$}}} unless {{", "");
            write_sequence(out, escape, depth + 1);
            let _ = write!(out, "{:indent$}}}", "");
        }
    }
}

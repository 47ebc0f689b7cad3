//! Makes a program that shows a fault smaller.
//!
//! Each round tries everything that can be left out or simplified, the largest first, and takes the
//! first that still shows the fault. A variant that no longer parses does not show it.

use crate::random::{Node, Outline};

/// The smallest program found that still `fails`. The given one must.
pub fn shrink(program: &Outline, mut fails: impl FnMut(&str) -> bool) -> Outline {
    let mut smallest = program.clone();
    loop {
        let found = variants(&smallest).into_iter().find(|variant| fails(&variant.text()));
        match found {
            Some(variant) => smallest = variant,
            None => return smallest,
        }
    }
}

/// Everything that is one step smaller.
fn variants(program: &Outline) -> Vec<Outline> {
    let mut out = Vec::new();
    for k in 0..program.units.len() {
        let mut variant = program.clone();
        variant.units.remove(k);
        out.push(variant);
    }
    for k in 0..program.globals.len() {
        let mut variant = program.clone();
        variant.globals.remove(k);
        out.push(variant);
    }
    for (k, unit) in program.units.iter().enumerate() {
        for clause in 0..unit.clauses.len() {
            let mut variant = program.clone();
            variant.units[k].clauses.remove(clause);
            out.push(variant);
        }
        if unit.head.contains("[2]") {
            let mut variant = program.clone();
            variant.units[k].head = unit.head.replace(" [2]", "");
            out.push(variant);
        }
        for body in smaller_sequences(&unit.body) {
            let mut variant = program.clone();
            variant.units[k].body = body;
            out.push(variant);
        }
    }
    out
}

fn smaller_sequences(nodes: &[Node]) -> Vec<Vec<Node>> {
    let mut out = Vec::new();
    let mut replace = |at: usize, by: Vec<Node>| {
        let mut variant = nodes.to_vec();
        variant.splice(at..=at, by);
        out.push(variant);
    };
    if nodes.len() > 1 {
        for at in 0..nodes.len() {
            replace(at, Vec::new());
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        match node {
            Node::Line(text) if text.contains(": ") => {
                let unlabelled = text.split_once(": ").map_or("skip", |(_, rest)| rest);
                replace(at, vec![Node::Line(unlabelled.into())]);
            }
            Node::Line(text) if text != "skip" => replace(at, vec![Node::Line("skip".into())]),
            Node::Line(_) => {}
            Node::Choice { head, options } => {
                for option in options {
                    replace(at, option.clone());
                }
                for options in smaller_lists(options) {
                    replace(at, vec![Node::Choice { head: head.clone(), options }]);
                }
            }
            Node::Block { head, body } => {
                replace(at, body.clone());
                for body in smaller_sequences(body) {
                    replace(at, vec![Node::Block { head: head.clone(), body }]);
                }
            }
            Node::Unless { main, escape } => {
                replace(at, main.clone());
                replace(at, escape.clone());
                for parts in smaller_lists(&[main.clone(), escape.clone()]) {
                    if let [main, escape] = parts.as_slice() {
                        replace(at, vec![Node::Unless { main: main.clone(), escape: escape.clone() }]);
                    }
                }
            }
        }
    }
    out
}

/// One sequence left out, or one made smaller.
fn smaller_lists(lists: &[Vec<Node>]) -> Vec<Vec<Vec<Node>>> {
    let mut out = Vec::new();
    if lists.len() > 1 {
        for k in 0..lists.len() {
            let mut variant = lists.to_vec();
            variant.remove(k);
            out.push(variant);
        }
    }
    for (k, list) in lists.iter().enumerate() {
        for smaller in smaller_sequences(list) {
            let mut variant = lists.to_vec();
            variant[k] = smaller;
            out.push(variant);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::random::{Features, program};

    #[test]
    fn what_does_not_matter_goes() {
        let seed = (0..).find(|&seed| program(seed, Features::NONE).text().contains("assert")).unwrap();
        let small = shrink(&program(seed, Features::NONE), |text| {
            text.contains("assert") && crate::parse(text).is_ok()
        });
        assert!(small.text().lines().count() < 7, "{}", small.text());
    }
}

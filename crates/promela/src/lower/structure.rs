//! What options, atomic blocks, escapes and jumps do to the graph of elements.

use model::{Over, Pace};

use super::flow::{Chain, Elem, Element, ElementKind, Flow, Group, Status};
use crate::tree::{Body, Expr, ExprKind, StmtKind};

/// Inside an option, a `skip` that directly follows another statement without effect is dropped,
/// unless it is the last.
pub fn drop_redundant_skips(flow: &mut Flow<'_>, chain: Chain) {
    let links = flow.chains[chain];
    let mut run = 0;
    let mut before: Option<Elem> = None;
    let mut at = links.first;
    while let Some(elem) = at {
        at = flow.elements[elem].next;
        let (is_skip, is_print) = match &flow.elements[elem].node {
            ElementKind::Stmt(stmt) => match &stmt.kind {
                StmtKind::Condition(Expr { kind: ExprKind::Const(1), .. }) => (true, false),
                StmtKind::Print { .. } | StmtKind::Printm(_) => (true, true),
                _ => (false, false),
            },
            ElementKind::Skip => (true, false),
            _ => (false, false),
        };
        if is_skip && flow.elements[elem].labels.is_empty() {
            run += 1;
            if run > 1 && !is_print && Some(elem) != links.last && Some(elem) != links.first {
                let before = before.expect("not the first");
                flow.elements[before].next = at;
                continue;
            }
        } else {
            run = 0;
        }
        before = Some(elem);
    }
}

/// Marks the elements of an atomic block or a `d_step`. Blocks inside lose their own atomicity, but
/// a `d_step` inside an atomic block is a step of it.
pub fn mark_atomic(flow: &mut Flow<'_>, chain: Chain, d_step: bool, pace: &mut Pace<'_>) -> Result<(), Over> {
    mark_all(flow, chain, d_step, pace)?;
    let last = flow.chains[chain].last.expect("a chain has an element");
    match flow.elements[last].node {
        ElementKind::Group(Group::Atomic | Group::Plain, inner) | ElementKind::Unless(inner, _) => {
            mark_atomic(flow, inner, d_step, pace)?;
        }
        _ => {
            flow.elements[last].status.atomic = false;
            flow.elements[last].status.last = true;
        }
    }
    Ok(())
}

fn mark_all(flow: &mut Flow<'_>, chain: Chain, d_step: bool, pace: &mut Pace<'_>) -> Result<(), Over> {
    for elem in flow.up_to(chain, flow.chains[chain].last, pace)? {
        let element = &mut flow.elements[elem];
        element.status.atomic = true;
        element.status.d_step |= d_step;
        let inner = match &mut element.node {
            ElementKind::Group(Group::DStep, _) if !d_step => Vec::new(),
            ElementKind::Group(group, inner) => {
                *group = Group::Plain;
                vec![*inner]
            }
            ElementKind::Choice(options) => options.clone(),
            ElementKind::Unless(main, escape) => vec![*main, *escape],
            _ => Vec::new(),
        };
        for chain in inner {
            mark_all(flow, chain, d_step, pace)?;
        }
    }
    Ok(())
}

/// Lets an escape cover all elements of a chain, and the escapes that already cover them.
pub fn attach_escape(
    flow: &mut Flow<'_>,
    chain: Chain,
    escape: Chain,
    pace: &mut Pace<'_>,
) -> Result<(), Over> {
    for elem in flow.up_to(chain, flow.chains[chain].extent, pace)? {
        cover(flow, elem, escape, pace)?;
    }
    Ok(())
}

fn cover(flow: &mut Flow<'_>, elem: Elem, escape: Chain, pace: &mut Pace<'_>) -> Result<(), Over> {
    pace.steps(1 + flow.elements[elem].escapes.len())?;
    if flow.elements[elem].escapes.contains(&escape) {
        return Ok(());
    }
    for inner in flow.elements[elem].escapes.clone() {
        attach_escape(flow, inner, escape, pace)?;
    }
    flow.elements[elem].escapes.insert(0, escape);
    match flow.elements[elem].node.clone() {
        ElementKind::Choice(options) => {
            for option in options {
                attach_escape(flow, option, escape, pace)?;
            }
        }
        ElementKind::Unless(main, _) | ElementKind::Group(Group::Atomic | Group::Plain, main) => {
            attach_escape(flow, main, escape, pace)?;
        }
        _ => {}
    }
    Ok(())
}

/// A `goto` whose label is the object of a remote reference gets a `skip` in front, which keeps the
/// label: otherwise no process would ever stand there.
pub fn separate_referenced_gotos(flow: &mut Flow<'_>, body: &Body) {
    for (label, info) in body.labels.iter().enumerate() {
        let Some(elem) = flow.labels[label] else { continue };
        let is_jump = matches!(flow.elements[elem].node, ElementKind::Goto(_) | ElementKind::Break(_));
        if !info.referenced || !is_jump {
            continue;
        }
        let added = flow.elements.len();
        let original = &mut flow.elements[elem];
        let jump = Element {
            node: std::mem::replace(&mut original.node, ElementKind::Skip),
            next: original.next,
            status: Status::default(),
            escapes: Vec::new(),
            labels: Vec::new(),
            span: original.span,
            number: added as u32 + 1,
        };
        original.next = Some(added);
        flow.elements.push(jump);
    }
}

/// Links the end of each block with what follows the block.
pub fn tie_ends(flow: &mut Flow<'_>) {
    for elem in (0..flow.elements.len()).rev() {
        let ElementKind::Group(_, chain) = flow.elements[elem].node else { continue };
        let Some(mut follow) = flow.elements[elem].next else { continue };
        while let (ElementKind::Join, Some(next)) = (&flow.elements[follow].node, flow.elements[follow].next)
        {
            follow = next;
        }
        let last = flow.chains[chain].last.expect("a chain has an element");
        match flow.elements[last].next {
            None => flow.elements[last].next = Some(follow),
            Some(jump)
                if matches!(flow.elements[jump].node, ElementKind::Goto(_) | ElementKind::Break(_)) =>
            {
                flow.chains[chain].last = Some(jump);
            }
            Some(_) => {}
        }
    }
}

//! `trace` and `notrace` declarations become monitors.

use ir::{Event, Expr, Monitor, MonitorLocation};

use super::Lowering;
use super::automaton::Automaton;
use super::flow::Node;
use crate::tree::{EventTrace, ExprKind, RecvArg, Stmt, StmtKind};

impl Lowering<'_> {
    /// The monitor of a declaration whose automaton is given; `slot` holds its location.
    pub fn monitor(&mut self, trace: &EventTrace, automaton: &Automaton<'_>, slot: u32) -> Monitor {
        let mut locations: Vec<MonitorLocation> = Vec::new();
        for &elem in &automaton.locations {
            let mut events = Vec::new();
            for edge in &automaton.edges[elem] {
                let target = edge.target.and_then(|target| automaton.index[target]);
                if let (Node::Stmt(stmt), Some(target)) =
                    (&automaton.flow.elements[edge.statement].node, target)
                {
                    events.extend(self.event(stmt, target));
                }
            }
            let end = matches!(automaton.flow.elements[elem].node, Node::End);
            locations.push(MonitorLocation { end, stop: automaton.marks[elem].end, events });
        }
        if !locations.iter().any(|location| location.end) {
            locations.push(MonitorLocation { end: true, stop: true, events: Vec::new() });
        }
        let source = self.program.sources.locate(trace.span);
        Monitor { forbidden: trace.forbidden, slot, locations, source }
    }

    fn event(&mut self, stmt: &Stmt, target: u32) -> Option<Event> {
        match &stmt.kind {
            StmtKind::Send { chan, args, .. } => {
                let channel = self.load(chan);
                let fields = args
                    .iter()
                    .map(|arg| (!matches!(arg.kind, ExprKind::Any)).then(|| self.expr(arg)))
                    .collect();
                Some(Event { send: true, channel, fields, target })
            }
            StmtKind::Receive { chan, args, .. } => {
                let channel = self.load(chan);
                let fields: Vec<Option<Expr>> = args
                    .iter()
                    .map(|arg| match arg {
                        RecvArg::Match(expr) => Some(self.expr(expr)),
                        RecvArg::Store(_) | RecvArg::Ignore => None,
                    })
                    .collect();
                Some(Event { send: false, channel, fields, target })
            }
            _ => None,
        }
    }
}

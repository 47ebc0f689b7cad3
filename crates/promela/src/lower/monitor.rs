//! `trace` and `notrace` declarations become monitors.

use ir::{Event, EventKind, Expr, Monitor, MonitorLocation};
use model::Over;
use source::Diagnostic;

use super::Lowering;
use super::automaton::{Automaton, Edge};
use super::flow::{Elem, ElementKind};
use crate::tree::{EventTrace, ExprKind, RecvArg, Stmt, StmtKind};

impl Lowering<'_, '_> {
    /// The monitor of a declaration whose automaton is given; `slot` holds its locations.
    pub fn monitor(
        &mut self,
        trace: &EventTrace,
        automaton: &Automaton<'_>,
        slot: u32,
    ) -> Result<Monitor, Over> {
        let source = self.program.locate(trace.span);
        let locations = automaton.locations.iter().map(|&elem| self.monitor_location(automaton, elem));
        let locations = locations.collect::<Result<_, _>>()?;
        let scope = self.scope(automaton)?;
        let monitor = Monitor { forbidden: trace.forbidden, slot, scope, locations, source };
        let at_start = monitor.locations.iter().zip(monitor.start());
        if trace.forbidden && at_start.into_iter().any(|(location, member)| location.end && member) {
            let message = "this declaration can end without any event";
            let mut error = Diagnostic::error("E0624", message).at(trace.span);
            error.label("every run would violate it");
            self.errors.push(error);
        }
        Ok(monitor)
    }

    /// What is done to which channel, in all parts of the declaration: also in those that cannot be reached.
    fn scope(&mut self, automaton: &Automaton<'_>) -> Result<Vec<EventKind>, Over> {
        let mut scope = Vec::new();
        for element in &automaton.flow.elements {
            self.pace.steps(1 + scope.len())?;
            if let ElementKind::Stmt(stmt) = element.node
                && let Some((kind, _)) = self.event(stmt)
                && !scope.contains(&kind)
            {
                scope.push(kind);
            }
        }
        Ok(scope)
    }

    fn monitor_location(&mut self, automaton: &Automaton<'_>, elem: Elem) -> Result<MonitorLocation, Over> {
        let end = matches!(automaton.flow.elements[elem].node, ElementKind::End);
        let mut location =
            MonitorLocation { end, stop: automaton.marks[elem].end, ..MonitorLocation::default() };
        for edge in &automaton.edges[elem] {
            self.pace.step()?;
            // Only the end leads nowhere.
            let Some(target) = edge.target.and_then(|target| automaton.index[target]) else { continue };
            match self.event_of(automaton, edge) {
                Some((kind, fields)) => {
                    let escape = edge.escape.map(|start| start as u32);
                    location.events.push(Event { kind, fields, target, escape });
                }
                // A jump, or a place that is there for a label only.
                None => location.silent.push(target),
            }
        }
        Ok(location)
    }

    fn event_of(&mut self, automaton: &Automaton<'_>, edge: &Edge) -> Option<(EventKind, Vec<Option<Expr>>)> {
        match automaton.flow.elements[edge.statement].node {
            ElementKind::Stmt(stmt) => self.event(stmt),
            _ => None,
        }
    }

    /// A send or a receive as an event, with what is said about its fields.
    fn event(&mut self, stmt: &Stmt) -> Option<(EventKind, Vec<Option<Expr>>)> {
        match &stmt.kind {
            StmtKind::Send { chan, args, .. } => {
                let channel = self.load(chan);
                let fields = args
                    .iter()
                    .map(|arg| (!matches!(arg.kind, ExprKind::Any)).then(|| self.expr(arg)))
                    .collect();
                Some((EventKind { send: true, channel }, fields))
            }
            StmtKind::Receive { chan, args, .. } => {
                let channel = self.load(chan);
                let fields = args
                    .iter()
                    .map(|arg| match arg {
                        RecvArg::Match(expr) => Some(self.expr(expr)),
                        RecvArg::Store(_) | RecvArg::Ignore => None,
                    })
                    .collect();
                Some((EventKind { send: false, channel }, fields))
            }
            _ => None,
        }
    }
}

//! What a process can do at a location: the transitions in order, escapes first, `else` last.

use cranelift_codegen::ir::types::I8;
use cranelift_codegen::ir::{Block, InstBuilder, JumpTableData, Value};
use cranelift_frontend::Variable;
use ir::{Command, Transition};

use super::{Emitter, View};

impl Emitter<'_> {
    /// A flag for each transition whose being executable matters to a later one.
    pub fn found_flags(&mut self, transitions: &[Transition]) -> Vec<Option<Variable>> {
        let asks = |transition: &Transition| match &transition.command {
            Command::Else { .. } => true,
            Command::Block(block) => {
                block.locations[0].iter().any(|inner| matches!(inner.command, Command::Else { .. }))
            }
            _ => false,
        };
        let last = transitions.iter().rposition(asks);
        transitions
            .iter()
            .enumerate()
            .map(|(k, transition)| {
                let matters = last.is_some_and(|last| k < last) || transition.escape.is_some();
                matters.then(|| {
                    let flag = self.b.declare_var(I8);
                    let no = self.b.ins().iconst(I8, 0);
                    self.b.def_var(flag, no);
                    flag
                })
            })
            .collect()
    }

    /// Leaves for `next` if an escape in front of a transition shuts it out.
    pub fn heed_escapes(
        &mut self,
        transitions: &[Transition],
        found: &[Option<Variable>],
        k: usize,
        next: Block,
    ) {
        for j in 0..k {
            let Some(escape) = transitions[j].escape else { continue };
            let shuts_out = transitions[j + 1..=k].iter().any(|other| other.escape != Some(escape));
            if shuts_out && let Some(flag) = found[j] {
                let flag = self.b.use_var(flag);
                self.leave_if(flag, next);
            }
        }
    }

    /// Notes that a transition was found to be executable.
    pub fn set_found(&mut self, flag: Option<Variable>) {
        if let Some(flag) = flag {
            let yes = self.b.ins().iconst(I8, 1);
            self.b.def_var(flag, yes);
        }
    }

    /// Goes to one of the blocks.
    pub fn switch(&mut self, number: Value, blocks: &[Option<Block>], otherwise: Block) {
        let default = self.b.func.dfg.block_call(otherwise, &[]);
        let calls: Vec<_> =
            blocks.iter().map(|block| self.b.func.dfg.block_call(block.unwrap_or(otherwise), &[])).collect();
        let table = self.b.create_jump_table(JumpTableData::new(default, &calls));
        self.b.ins().br_table(number, table);
    }

    /// Goes on if the process may move at all.
    pub fn test_provided(&mut self, view: &View, not_ready: Block) {
        let template = view.template.expect("a process moves");
        let plan = self.plan;
        if let Some(condition) = &plan.program.processes[template].provided {
            let condition = self.condition(view, condition);
            self.go_on_if(condition, not_ready);
        }
    }
}

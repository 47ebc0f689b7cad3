//! Expressions.
//!
//! [`Emitter::value`] gives a 32-bit number, [`Emitter::condition`] something to branch on. A failure
//! bails out; since that is always right, the order of evaluation is free, and `&&` and `||` need a
//! branch only if the right side can fail.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use ir::{BinaryOp, Expr, UnaryOp};

use super::{Emitter, Field, View};
use crate::abi;

impl Emitter<'_> {
    /// The value of an expression, as 32 bits.
    pub fn value(&mut self, view: &View, expr: &Expr) -> Value {
        if let Some(value) = self.plan.constant(expr) {
            return self.int32(value);
        }
        match expr {
            Expr::Const(_) => unreachable!("it is constant"),
            Expr::Load(place) => self.load_place(view, place),
            Expr::Pid => self.instance_field(view.instance(), std::mem::offset_of!(abi::Instance, pid)),
            Expr::NrProcesses => self.shape_field(I32, std::mem::offset_of!(abi::ShapeTable, n_instances)),
            Expr::OwnChannel(k) => {
                let offset = std::mem::offset_of!(abi::Instance, first_channel);
                let first = self.instance_field(view.instance(), offset);
                self.b.ins().iadd_imm_u(first, i64::from(*k) + 1)
            }
            Expr::Timeout if view.timeout => self.context_field(I32, Field::Timeout),
            Expr::Timeout => self.int32(0),
            Expr::Unary(UnaryOp::Neg, operand) => {
                let operand = self.value(view, operand);
                self.b.ins().ineg(operand)
            }
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let operand = self.value(view, operand);
                self.b.ins().bnot(operand)
            }
            Expr::Binary(op, left, right) if is_arithmetic(*op) => self.arithmetic(view, *op, left, right),
            Expr::Cond(condition, then, otherwise) => self.choice(view, condition, then, otherwise),
            Expr::Channel(op, channel) => self.ask_channel(view, *op, channel),
            Expr::At { process, pid, location } => {
                let Some(location) = location else { return self.int32(0) };
                let space = view.space(true);
                self.of_remote(view, *process, pid.as_deref(), &mut |emitter, instance| {
                    let frame = emitter.frame_of(space.words, instance);
                    let bits = emitter.pc_bits(process.0 as usize, frame, MemFlagsData::trusted());
                    let pc = emitter.read(bits);
                    let is_there = emitter.b.ins().icmp_imm_u(IntCC::Equal, pc, i64::from(location.0));
                    emitter.b.ins().uextend(I32, is_there)
                })
            }
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(..) | Expr::Poll(_) => {
                let condition = self.condition(view, expr);
                self.b.ins().uextend(I32, condition)
            }
            Expr::NewPid | Expr::Enabled(_) | Expr::PcValue(_) | Expr::PriorityOf(_) | Expr::SomeAt(_) => {
                unreachable!("the plan leaves it to the interpreter")
            }
        }
    }

    /// Whether an expression is true, as 0 or 1 in 8 bits.
    pub fn condition(&mut self, view: &View, expr: &Expr) -> Value {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(view, operand);
                self.b.ins().bxor_imm_u(operand, 1)
            }
            Expr::Binary(op, left, right) => {
                if let Some(comparison) = comparison(*op) {
                    let left = self.value(view, left);
                    if let Some(right) = self.plan.constant(right) {
                        return self.b.ins().icmp_imm_s(comparison, left, i64::from(right));
                    }
                    let right = self.value(view, right);
                    return self.b.ins().icmp(comparison, left, right);
                }
                match op {
                    BinaryOp::And | BinaryOp::Or => self.junction(view, *op, left, right),
                    _ => self.is_not_zero(view, expr),
                }
            }
            Expr::Poll(receive) => self.poll(view, receive),
            _ => self.is_not_zero(view, expr),
        }
    }

    fn is_not_zero(&mut self, view: &View, expr: &Expr) -> Value {
        let value = self.value(view, expr);
        self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0)
    }

    fn junction(&mut self, view: &View, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let left = self.condition(view, left);
        if !right.may_fail() {
            let right = self.condition(view, right);
            return match op {
                BinaryOp::And => self.b.ins().band(left, right),
                _ => self.b.ins().bor(left, right),
            };
        }
        let (other, done) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(done, cranelift_codegen::ir::types::I8);
        match op {
            BinaryOp::And => self.b.ins().brif(left, other, &[], done, &[left.into()]),
            _ => self.b.ins().brif(left, done, &[left.into()], other, &[]),
        };
        self.b.switch_to_block(other);
        let right = self.condition(view, right);
        self.b.ins().jump(done, &[right.into()]);
        self.b.switch_to_block(done);
        result
    }

    fn choice(&mut self, view: &View, condition: &Expr, then: &Expr, otherwise: &Expr) -> Value {
        let condition = self.condition(view, condition);
        if !then.may_fail() && !otherwise.may_fail() {
            let (then, otherwise) = (self.value(view, then), self.value(view, otherwise));
            return self.b.ins().select(condition, then, otherwise);
        }
        let [yes, no, done] = [(); 3].map(|()| self.b.create_block());
        let result = self.b.append_block_param(done, I32);
        self.b.ins().brif(condition, yes, &[], no, &[]);
        for (block, expr) in [(yes, then), (no, otherwise)] {
            self.b.switch_to_block(block);
            let value = self.value(view, expr);
            self.b.ins().jump(done, &[value.into()]);
        }
        self.b.switch_to_block(done);
        result
    }

    fn arithmetic(&mut self, view: &View, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let divisor = right;
        let left = self.value(view, left);
        let right = self.value(view, right);
        match op {
            BinaryOp::Add => self.b.ins().iadd(left, right),
            BinaryOp::Sub => self.b.ins().isub(left, right),
            BinaryOp::Mul => self.b.ins().imul(left, right),
            BinaryOp::BitAnd => self.b.ins().band(left, right),
            BinaryOp::BitXor => self.b.ins().bxor(left, right),
            BinaryOp::BitOr => self.b.ins().bor(left, right),
            // As in the interpreter, the amount counts modulo 32.
            BinaryOp::Shl => self.b.ins().ishl(left, right),
            BinaryOp::Shr => self.b.ins().sshr(left, right),
            BinaryOp::Div => {
                let (safe, is_minus_one) = self.safe_divisor(divisor, right);
                let quotient = self.b.ins().sdiv(left, safe);
                match is_minus_one {
                    None => quotient,
                    Some(is_minus_one) => {
                        let negated = self.b.ins().ineg(left);
                        self.b.ins().select(is_minus_one, negated, quotient)
                    }
                }
            }
            BinaryOp::Rem => {
                // The remainder by 1 is the remainder by -1.
                let (safe, _) = self.safe_divisor(divisor, right);
                self.b.ins().srem(left, safe)
            }
            _ => unreachable!("not arithmetic"),
        }
    }

    /// A divisor that is neither 0, which bails out, nor -1, which is replaced by 1: the smallest number
    /// divided by -1 would trap. Says whether it was -1, if that is possible.
    fn safe_divisor(&mut self, expr: &Expr, divisor: Value) -> (Value, Option<Value>) {
        if let Expr::Const(known) = expr
            && !(-1..=0).contains(known)
        {
            return (divisor, None);
        }
        self.bail_unless(divisor);
        let is_minus_one = self.b.ins().icmp_imm_s(IntCC::Equal, divisor, -1);
        let one = self.int32(1);
        let safe = self.b.ins().select(is_minus_one, one, divisor);
        (safe, Some(is_minus_one))
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    comparison(op).is_none() && !matches!(op, BinaryOp::And | BinaryOp::Or)
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Lt => IntCC::SignedLessThan,
        BinaryOp::Le => IntCC::SignedLessThanOrEqual,
        BinaryOp::Gt => IntCC::SignedGreaterThan,
        BinaryOp::Ge => IntCC::SignedGreaterThanOrEqual,
        BinaryOp::Eq => IntCC::Equal,
        BinaryOp::Ne => IntCC::NotEqual,
        _ => return None,
    })
}

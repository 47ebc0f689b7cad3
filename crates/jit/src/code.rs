//! Machine code: how it is made, and the functions by template.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};

use crate::abi::{Fire, Follow, Loop, PREDICATE_OK, Predicate, Whole};
use crate::emit::{Emitter, Product, Role, View, predicate_signature, whole_signature};
use crate::machine::Machine;
use crate::options::{Care, Purpose};
use crate::plan::Plan;
use crate::table::{Limits, Table};

/// The compiled functions of a program.
pub struct Code {
    /// What it is for.
    pub purpose: Purpose,
    /// How many actions there can be.
    pub limits: Limits,
    /// By template.
    pub successors: Vec<Option<Loop>>,
    /// By template.
    pub list: Vec<Option<Loop>>,
    /// By template.
    pub fire: Vec<Option<Fire>>,
    /// By template, as generated code calls it; null where there is none.
    pub follow: Box<[*const u8]>,
    /// By template.
    pub meet: Box<[*const u8]>,
    /// By template.
    pub take: Box<[*const u8]>,
    /// By number; none if the interpreter evaluates it.
    pub predicates: Vec<Option<Predicate>>,
    /// The size of the machine code.
    pub bytes: usize,
    machines: Vec<Machine>,
}

// SAFETY: the pointers lead to code that stays as it is until the machines are dropped with this struct.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// `follow` of a template.
    pub fn follow(&self, template: usize) -> Option<Follow> {
        let function = self.follow[template];
        // SAFETY: the table holds functions with this signature, or null.
        (!function.is_null()).then(|| unsafe { std::mem::transmute::<*const u8, Follow>(function) })
    }

    /// Compiles a program, on several threads: functions do not know each other.
    ///
    /// # Errors
    /// What the machine or Cranelift does not allow.
    pub fn compile(plan: &Plan, purpose: Purpose, care: Care) -> Result<Code, String> {
        let tasks = tasks(plan, purpose);
        let next = AtomicUsize::new(0);
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let n_threads = n_cores.min(MOST_THREADS).min(tasks.len().div_ceil(FEW_TASKS)).max(1);
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (1..n_threads).map(|_| scope.spawn(|| Part::compile(plan, care, &tasks, &next))).collect();
            let first = Part::compile(plan, care, &tasks, &next);
            let others = threads.into_iter().map(|thread| thread.join().expect("threads do not panic"));
            std::iter::once(first).chain(others).collect::<Result<_, String>>()
        })?;
        let n = plan.templates.len();
        let nothing = || vec![std::ptr::null::<u8>(); n].into_boxed_slice();
        let mut code = Code {
            purpose,
            limits: Limits::new(plan),
            successors: vec![None; n],
            list: vec![None; n],
            fire: vec![None; n],
            follow: nothing(),
            meet: nothing(),
            take: nothing(),
            predicates: vec![None; plan.program.predicates.len()],
            bytes: parts.iter().map(|part| part.bytes).sum(),
            machines: Vec::new(),
        };
        for part in parts {
            for (task, id) in part.functions {
                code.enter(task, part.module.get_finalized_function(id));
            }
            code.machines.push(part.machine);
        }
        Ok(code)
    }

    fn enter(&mut self, task: Task, function: *const u8) {
        // SAFETY: the functions were made with these signatures.
        unsafe {
            match task {
                Task::Function(t, role) => match role {
                    Role::Successors => {
                        self.successors[t] = Some(std::mem::transmute::<*const u8, Loop>(function));
                    }
                    Role::List => self.list[t] = Some(std::mem::transmute::<*const u8, Loop>(function)),
                    Role::Fire => self.fire[t] = Some(std::mem::transmute::<*const u8, Fire>(function)),
                    Role::Follow => self.follow[t] = function,
                    Role::Meet => self.meet[t] = function,
                    Role::Take => self.take[t] = function,
                },
                Task::Predicate(k) => {
                    self.predicates[k] = Some(std::mem::transmute::<*const u8, Predicate>(function));
                }
            }
        }
    }
}

/// Compiles the code for all processes of a shape at once. It has addresses of the table in it.
///
/// # Errors
/// What the machine or Cranelift does not allow.
pub fn compile_whole(plan: &Plan, table: &Arc<Table>) -> Result<(Whole, Machine), String> {
    let mut compiler = Compiler::new(plan, Care::Best)?;
    let convention = compiler.module.isa().default_call_conv();
    let id = compiler.define("whole", whole_signature(convention), &mut |emitter, arguments| {
        emitter.whole(table.clone(), arguments);
    })?;
    compiler.module.finalize_definitions().map_err(|error| error.to_string())?;
    let function = compiler.module.get_finalized_function(id);
    // SAFETY: the function was made with this signature.
    let whole = unsafe { std::mem::transmute::<*const u8, Whole>(function) };
    Ok((whole, compiler.machine))
}

/// More threads than these do not wait for less.
const MOST_THREADS: usize = 4;
/// For so few functions another thread does not pay.
const FEW_TASKS: usize = 4;

/// A function to compile.
#[derive(Clone, Copy)]
enum Task {
    /// Of a template.
    Function(usize, Role),
    Predicate(usize),
}

/// All functions that a program needs.
fn tasks(plan: &Plan, purpose: Purpose) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (t, template) in plan.templates.iter().enumerate() {
        let mut roles = Vec::new();
        match purpose {
            Purpose::Everything => roles.push(Role::Successors),
            Purpose::Chosen => roles.extend([Role::List, Role::Fire]),
        }
        if template.has_chains {
            roles.push(Role::Follow);
            // Where a chain has a choice, the host goes on, step by step.
            if purpose == Purpose::Everything {
                roles.extend([Role::List, Role::Fire]);
            }
        }
        if template.may_be_met {
            roles.extend([Role::Meet, Role::Take]);
        }
        tasks.extend(roles.into_iter().map(|role| Task::Function(t, role)));
    }
    let predicates = plan.program.predicates.iter().enumerate();
    let compiled = predicates.filter(|(_, predicate)| plan.can_eval(None, &predicate.expr));
    tasks.extend(compiled.map(|(k, _)| Task::Predicate(k)));
    tasks
}

/// What one thread has compiled.
struct Part {
    module: JITModule,
    machine: Machine,
    functions: Vec<(Task, FuncId)>,
    bytes: usize,
}

impl Part {
    /// Compiles tasks until there are no more.
    fn compile(plan: &Plan, care: Care, tasks: &[Task], next: &AtomicUsize) -> Result<Part, String> {
        let mut compiler = Compiler::new(plan, care)?;
        let mut functions = Vec::new();
        // Relaxed: the counter is all that is shared.
        while let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let id = match task {
                Task::Function(t, role) => compiler.function(t, role)?,
                Task::Predicate(k) => compiler.predicate(k)?,
            };
            functions.push((task, id));
        }
        compiler.module.finalize_definitions().map_err(|error| error.to_string())?;
        let Compiler { module, machine, bytes, .. } = compiler;
        Ok(Part { module, machine, functions, bytes })
    }
}

struct Compiler<'p> {
    plan: &'p Plan<'p>,
    module: JITModule,
    machine: Machine,
    context: cranelift_codegen::Context,
    memory: FunctionBuilderContext,
    bytes: usize,
}

impl<'p> Compiler<'p> {
    fn new(plan: &'p Plan<'p>, care: Care) -> Result<Compiler<'p>, String> {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        // How registers are found is what takes most of the time. The emitter leaves little to optimise.
        let (algorithm, level) = match care {
            Care::Quick => ("single_pass", "none"),
            Care::Best => ("backtracking", "speed"),
        };
        for (name, value) in [
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("opt_level", level),
            ("regalloc_algorithm", algorithm),
            ("enable_verifier", verify),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let isa = cranelift_native::builder()?
            .finish(settings::Flags::new(flags))
            .map_err(|error| error.to_string())?;
        let machine = Machine::new();
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.memory_provider(machine.provider());
        let module = JITModule::new(builder);
        let context = module.make_context();
        Ok(Compiler { plan, module, machine, context, memory: FunctionBuilderContext::new(), bytes: 0 })
    }

    fn function(&mut self, template: usize, role: Role) -> Result<FuncId, String> {
        let name = format!("{role:?}_{template}");
        let convention = self.module.isa().default_call_conv();
        self.define(&name, role.signature(convention), &mut |emitter, arguments| match role {
            Role::Successors => emitter.process_loop(template, arguments, Product::Record),
            Role::List => emitter.process_loop(template, arguments, Product::Action),
            Role::Fire => emitter.fire(template, arguments),
            Role::Follow => emitter.follow(template, arguments),
            Role::Meet => emitter.meet(template, arguments),
            Role::Take => emitter.take(template, arguments),
        })
    }

    fn predicate(&mut self, k: usize) -> Result<FuncId, String> {
        let convention = self.module.isa().default_call_conv();
        let plan = self.plan;
        self.define(&format!("predicate_{k}"), predicate_signature(convention), &mut |emitter, arguments| {
            let view = View::fixed(None, None, arguments[1], None);
            let value = emitter.value(&view, &plan.program.predicates[k].expr);
            let value = emitter.b.ins().uextend(I64, value);
            let value = emitter.b.ins().bor_imm_u(value, PREDICATE_OK as i64);
            emitter.b.ins().return_(&[value]);
        })
    }

    fn define(
        &mut self,
        name: &str,
        signature: cranelift_codegen::ir::Signature,
        body: &mut dyn FnMut(&mut Emitter, &[cranelift_codegen::ir::Value]),
    ) -> Result<FuncId, String> {
        let id = self
            .module
            .declare_function(name, Linkage::Local, &signature)
            .map_err(|error| error.to_string())?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let convention = self.module.isa().default_call_conv();
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.memory);
        let (mut emitter, arguments) = Emitter::new(self.plan, builder, convention);
        body(&mut emitter, &arguments);
        emitter.finish(self.module.target_config());
        self.module.define_function(id, &mut self.context).map_err(|error| format!("{name}: {error:?}"))?;
        self.bytes += self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        self.module.clear_context(&mut self.context);
        Ok(id)
    }
}

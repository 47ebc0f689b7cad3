//! Machine code: the module that holds it, and the functions by template.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};

use crate::abi::{Fire, Follow, Loop, PREDICATE_OK, Predicate};
use crate::emit::{Emitter, Product, Role, View, predicate_signature};
use crate::native::Purpose;
use crate::plan::Plan;
use crate::table::Limits;

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
    module: Option<JITModule>,
}

// SAFETY: the pointers lead to code that stays as it is until the module is dropped with this struct.
unsafe impl Send for Code {}
// SAFETY: as above; the module is only touched when it is dropped.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions are reachable through this struct only, and nobody has it any more.
            unsafe { module.free_memory() }
        }
    }
}

impl Code {
    /// `follow` of a template.
    pub fn follow(&self, template: usize) -> Option<Follow> {
        let function = self.follow[template];
        // SAFETY: the table holds functions with this signature, or null.
        (!function.is_null()).then(|| unsafe { std::mem::transmute::<*const u8, Follow>(function) })
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// What the machine or Cranelift does not allow.
    pub fn compile(plan: &Plan, purpose: Purpose) -> Result<Code, String> {
        let mut compiler = Compiler::new(plan)?;
        let n = plan.templates.len();
        let mut functions: Vec<(usize, Role, FuncId)> = Vec::new();
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
            for role in roles {
                functions.push((t, role, compiler.function(t, role)?));
            }
        }
        let mut predicates = Vec::new();
        for k in 0..plan.program.predicates.len() {
            let can = plan.can_eval(None, &plan.program.predicates[k].expr);
            predicates.push(if can { Some(compiler.predicate(k)?) } else { None });
        }
        compiler.module.finalize_definitions().map_err(|error| error.to_string())?;
        let module = compiler.module;
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
            predicates: Vec::new(),
            bytes: compiler.bytes,
            module: None,
        };
        for (t, role, id) in functions {
            let function = module.get_finalized_function(id);
            // SAFETY: the functions were made with these signatures.
            unsafe {
                match role {
                    Role::Successors => {
                        code.successors[t] = Some(std::mem::transmute::<*const u8, Loop>(function))
                    }
                    Role::List => code.list[t] = Some(std::mem::transmute::<*const u8, Loop>(function)),
                    Role::Fire => code.fire[t] = Some(std::mem::transmute::<*const u8, Fire>(function)),
                    Role::Follow => code.follow[t] = function,
                    Role::Meet => code.meet[t] = function,
                    Role::Take => code.take[t] = function,
                }
            }
        }
        code.predicates = predicates
            .into_iter()
            .map(|id| {
                let function = module.get_finalized_function(id?);
                // SAFETY: as above.
                Some(unsafe { std::mem::transmute::<*const u8, Predicate>(function) })
            })
            .collect();
        code.module = Some(module);
        Ok(code)
    }
}

struct Compiler<'p> {
    plan: &'p Plan<'p>,
    module: JITModule,
    context: cranelift_codegen::Context,
    memory: FunctionBuilderContext,
    bytes: usize,
}

impl<'p> Compiler<'p> {
    fn new(plan: &'p Plan<'p>) -> Result<Compiler<'p>, String> {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            // The emitter leaves little to optimise: it would only take time.
            ("opt_level", "none"),
            ("enable_verifier", verify),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let isa = cranelift_native::builder()?
            .finish(settings::Flags::new(flags))
            .map_err(|error| error.to_string())?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Ok(Compiler { plan, module, context, memory: FunctionBuilderContext::new(), bytes: 0 })
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

//! The memory of compiled functions.
//!
//! It outlives the module that has filled it, which holds much that nobody needs once the functions have addresses.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider, SystemMemoryProvider};
use cranelift_module::ModuleResult;

/// The memory of some functions, which is freed with this struct: nobody may call them later.
pub struct Machine(Pages);

impl Machine {
    pub fn new() -> Machine {
        Machine(Pages(Arc::new(Mutex::new(SystemMemoryProvider::new()))))
    }

    /// What a module takes its memory from.
    pub fn provider(&self) -> Box<dyn JITMemoryProvider + Send> {
        Box::new(Pages(self.0.0.clone()))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: whoever has the functions drops them with this struct.
        unsafe { self.0.free_memory() }
    }
}

/// The memory, as a module and the machine share it.
struct Pages(Arc<Mutex<SystemMemoryProvider>>);

impl Pages {
    fn lock(&self) -> MutexGuard<'_, SystemMemoryProvider> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JITMemoryProvider for Pages {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        self.lock().allocate(size, align, kind)
    }

    unsafe fn free_memory(&mut self) {
        // SAFETY: as the caller has it.
        unsafe { self.lock().free_memory() }
    }

    fn finalize(&mut self, branch_protection: BranchProtection) -> ModuleResult<()> {
        self.lock().finalize(branch_protection)
    }
}

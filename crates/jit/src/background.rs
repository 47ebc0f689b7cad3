//! Compiling beside the search.

use std::thread::{Builder, JoinHandle};

/// Starts to compile something, which need not be waited for.
///
/// # Errors
/// The system does not give a thread.
pub fn start(work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    // Expressions may lie deep inside each other.
    let thread = Builder::new().name("jit".to_string()).stack_size(64 << 20);
    let work = || {
        work();
        trim();
    };
    thread.spawn(work)
}

/// Gives back to the system what compiling has taken for a while. The allocator would keep it for threads to come. (As
/// `store` does, of which this crate knows nothing.)
fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it does not touch what is in use, and other threads may allocate meanwhile.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Compiles something. A panic is an error like others: the interpreter can do without code.
///
/// # Errors
/// As `compile` has it.
pub fn guard<T>(compile: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile));
    result.unwrap_or_else(|_| Err("the compiler has a bug".to_string()))
}

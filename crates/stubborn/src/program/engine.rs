//! What executes a program.

use std::sync::Arc;

use check::options::Engine;
use check::system::{Purpose, StageNeed};
use ir::Interpreter;
use jit::{Care, Native};
use model::Model;

/// With less memory there is no room to make code.
const LEAST_FOR_CODE: u64 = 32 << 20;

/// Which engine executes it.
pub fn engine(wanted: Engine, memory: Option<u64>) -> Engine {
    match memory {
        Some(bytes) if bytes < LEAST_FOR_CODE => Engine::Interpreter,
        _ => wanted,
    }
}

/// What executes it for a need. What is there before does until there is something better, which is not needed for short
/// searches.
pub fn executor(interpreter: &Arc<Interpreter>, need: &StageNeed) -> Arc<dyn Model> {
    /// So many states take about as long as it takes to make code.
    const SHORT: u64 = 1 << 14;
    let interpreter = interpreter.clone();
    if need.engine == Engine::Interpreter {
        return interpreter;
    }
    let begin_after = if need.before.is_some() { SHORT } else { 0 };
    let options = options(need);
    let options = jit::Options {
        begin_after,
        most_transitions: options.most_transitions.min(most_compiled(need)),
        ..options
    };
    let before = need.before.clone().unwrap_or_else(|| interpreter.clone());
    let quick: Arc<dyn Model> = Arc::new(Native::behind(before, interpreter.clone(), options));
    match need.purpose {
        // Shapes get better code by and by.
        Purpose::Everything => quick,
        Purpose::Chosen => {
            let options = jit::Options { care: Care::Best, begin_after: 4 * SHORT, ..options };
            Arc::new(Native::behind(quick, interpreter, options))
        }
    }
}

/// How many statements may be compiled while a search goes on: each takes some ten kilobytes meanwhile, which is to
/// be little beside the limit.
fn most_compiled(need: &StageNeed) -> usize {
    const BYTES_FOR_EACH: u64 = 1 << 20;
    let most = need.memory.map_or(u64::MAX, |bytes| bytes / BYTES_FOR_EACH);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// How code is made.
fn options(need: &StageNeed) -> jit::Options {
    let options = jit::Options::new(match need.purpose {
        Purpose::Everything => jit::Purpose::Everything,
        Purpose::Chosen => jit::Purpose::Chosen,
    });
    let most_fused = options.most_fused.min(most_compiled(need));
    jit::Options { most_fused, wait_for_fused: need.fills_cores, ..options }
}

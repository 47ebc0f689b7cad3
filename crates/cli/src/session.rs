//! A run of this program: how it is stopped, and what it says about the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::check::Control;
use ::check::options::Limits;
use model::Patience;
use report::diagnostics;
use stubborn::Warnings;

use crate::exit::{Exit, Stop};
use crate::output;

/// What a model is read and questions are answered with.
pub struct Session {
    /// What comes from outside.
    pub control: Control,
    /// How long it may take to read the model.
    pub patience: Patience,
}

impl Session {
    /// Begins, with Ctrl-C caught.
    pub fn start(limits: &Limits) -> Session {
        let control = Control { interrupt: catch_interrupts(), ..Control::default() };
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        let patience = Patience { deadline, ..control.patience(limits) };
        Session { control, patience }
    }

    /// How long it may take to write down what was found: a moment, when all else is over.
    pub fn patience_to_tell(&self) -> Patience {
        let moment = Instant::now() + Duration::from_secs(1);
        let deadline = self.patience.deadline.map(|deadline| deadline.max(moment));
        Patience { deadline, memory: None, ..self.patience.clone() }
    }

    /// Whether the user has stopped it.
    pub fn is_interrupted(&self) -> bool {
        self.patience.is_interrupted()
    }
}

/// A second signal that comes sooner than this is the first one again: `timeout` sends it to the
/// process and to its group.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// Sets a flag on Ctrl-C; the second time, the process ends at once.
fn catch_interrupts() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let mut first: Option<Instant> = None;
    // Without a handler Ctrl-C ends the process, which is bearable.
    let _ = ctrlc::set_handler(move || {
        // Relaxed: nothing but the flag is shared.
        set.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    flag
}

/// Shows what is wrong with properties of the model, for commands that do without them.
pub fn show_refused(refused: Option<stubborn::Error>) {
    if let Some(Stop::Refused { text, .. }) = refused.map(Stop::from) {
        output::complain(&text);
    }
}

/// Shows what is suspicious about a model.
pub fn show_warnings(warnings: &Warnings) {
    output::complain(&diagnostics::render(&warnings.sources, &warnings.diagnostics));
    warnings.others.iter().for_each(|text| output::complain(&format!("warning: {text}\n")));
}

/// The same, in one line each.
pub fn warnings(warnings: &Warnings) -> Vec<String> {
    let line = |diagnostic| diagnostics::one_line(&warnings.sources, diagnostic);
    warnings.diagnostics.iter().map(line).chain(warnings.others.iter().cloned()).collect()
}

//! How far the search is, on standard error, for those who wait at a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::check::Progress;

use crate::output;

/// Writes a line from time to time until it is dropped.
pub struct Ticker {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const PERIOD: Duration = Duration::from_millis(200);

impl Ticker {
    /// Starts, if standard error is a terminal.
    pub fn start(progress: Arc<Progress>) -> Ticker {
        let done = Arc::new(AtomicBool::new(false));
        let thread = std::io::stderr().is_terminal().then(|| {
            let done = done.clone();
            std::thread::spawn(move || tick(&progress, &done))
        });
        Ticker { done, thread }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // Relaxed: nothing but the flag passes between the threads.
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn tick(progress: &Progress, done: &AtomicBool) {
    let started = Instant::now();
    let mut written = false;
    loop {
        std::thread::park_timeout(PERIOD);
        if done.load(Ordering::Relaxed) {
            break;
        }
        let sample = progress.sample();
        let seconds = started.elapsed().as_secs_f64();
        let rate = sample.states as f64 / seconds / 1000.0;
        let megabytes = sample.bytes as f64 / 1e6;
        output::complain(&format!(
            "\r\x1b[K{} states, {rate:.0} thousand/s, depth {}, {megabytes:.0} MB, {seconds:.0} s",
            sample.states, sample.depth,
        ));
        written = true;
    }
    if written {
        output::complain("\r\x1b[K");
    }
}

//! Runs other programs, with a time limit, and measures them from outside.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use wait4::Wait4;

/// What a program did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Wall time.
    pub seconds: f64,
    /// The most memory that it held.
    pub peak_bytes: u64,
    /// Whether it was stopped because of the limit.
    pub timed_out: bool,
}

impl Outcome {
    /// Whether it ended well.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// The first line that tells what went wrong.
    pub fn complaint(&self) -> String {
        let lines = || self.stderr.lines().chain(self.stdout.lines()).filter(|line| !line.trim().is_empty());
        let tells = |line: &&str| line.to_lowercase().contains("error") || line.contains("expected");
        let line = lines().find(tells).or_else(|| lines().next());
        line.unwrap_or("no message").trim().to_string()
    }
}

/// Runs a program to its end or to the limit.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Outcome> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let stdout = child.stdout.take().map(|pipe| thread::spawn(|| read_all(pipe)));
    let stderr = child.stderr.take().map(|pipe| thread::spawn(|| read_all(pipe)));
    let (done, finished) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        let timed_out = finished.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        if timed_out {
            // Its number is still its own, unless it ended by itself in this very instant.
            let _ = kill_process(pid, Signal::KILL);
        }
        timed_out
    });
    let ended = child.wait4()?;
    let seconds = start.elapsed().as_secs_f64();
    drop(done);
    let timed_out = watchdog.join().unwrap_or(false);
    let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Outcome {
        code: ended.status.code(),
        stdout: text(stdout),
        stderr: text(stderr),
        seconds,
        peak_bytes: ended.rusage.maxrss,
        timed_out,
    })
}

fn read_all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was read before an error is still worth having.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// Works on all items with `jobs` threads, and passes each result on in the order of the items.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut pass_on: impl FnMut(&T, R),
) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.max(1) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    // Only the number must be unique; the results travel through the channel.
                    let k = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(k) else { break };
                    if sender.send((k, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = std::collections::BTreeMap::new();
        let mut due = 0;
        for (k, result) in receiver {
            waiting.insert(k, result);
            while let Some(result) = waiting.remove(&due) {
                pass_on(&items[due], result);
                due += 1;
            }
        }
    });
}

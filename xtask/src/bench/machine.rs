//! Where and when something was measured, and what with.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::spin::Spin;
use crate::{place, process};

/// What is worth knowing. Nothing in it tells whose machine it is.
pub struct Circumstances {
    date: String,
    commit: String,
    processor: String,
    cores: usize,
    memory_gigabytes: f64,
    kernel: String,
    spin: Option<String>,
    gcc: String,
}

impl Circumstances {
    /// Looks around.
    pub fn find(spin: Option<&Spin>) -> Circumstances {
        let kilobytes = field("/proc/meminfo", "MemTotal");
        let kilobytes: f64 = kilobytes.trim_end_matches(" kB").parse().unwrap_or(0.0);
        Circumstances {
            date: output("date", &["-u", "+%Y-%m-%d"]),
            commit: commit(),
            processor: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gigabytes: kilobytes * 1024.0 / 1e9,
            kernel: output("uname", &["-sr"]),
            spin: spin.map(|spin| spin.version.clone()),
            gcc: output("gcc", &["-dumpfullversion"]),
        }
    }

    /// For the file of results.
    pub fn to_json(&self) -> Value {
        json!({"date": self.date, "commit": self.commit, "processor": self.processor, "cores": self.cores,
               "memory_gigabytes": self.memory_gigabytes, "kernel": self.kernel, "spin": self.spin,
               "gcc": self.gcc})
    }

    /// For the head of a table.
    pub fn to_text(&self) -> String {
        let Circumstances { date, commit, processor, cores, memory_gigabytes, kernel, spin, gcc } = self;
        let spin = spin.as_ref().map_or("no Spin".to_string(), |version| format!("{version}, gcc {gcc}"));
        format!(
            "Measured on {date} at commit {commit}: {processor}, {cores} cores, {memory_gigabytes:.0} GB, \
             {kernel}; {spin}."
        )
    }
}

/// The commit, and whether something else was measured. The tables themselves do not count.
fn commit() -> String {
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"]);
    let changed = output("git", &["status", "--porcelain", "--", ".", ":!docs/performance.md"]);
    if changed.is_empty() { commit } else { format!("{commit}-dirty") }
}

/// The value of a field of a file of the kernel.
fn field(file: &str, key: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    line.split_once(':').map_or("unknown", |(_, value)| value.trim()).to_string()
}

/// What a program says.
fn output(program: &str, args: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(args).current_dir(place::workspace());
    let outcome = process::run(&mut command, Duration::from_secs(10));
    let said =
        outcome.ok().filter(|outcome| outcome.success()).map(|outcome| outcome.stdout.trim().to_string());
    said.unwrap_or_else(|| "unknown".to_string())
}

#[cfg(test)]
mod tests {
    use super::Circumstances;

    #[test]
    fn circumstances_are_told_in_a_line() {
        let mut here = Circumstances {
            date: "2026-01-02".to_string(),
            commit: "abc".to_string(),
            processor: "Fast".to_string(),
            cores: 2,
            memory_gigabytes: 24.96,
            kernel: "Linux 6".to_string(),
            spin: Some("Spin Version 6.5.2".to_string()),
            gcc: "13.3.0".to_string(),
        };
        let start = "Measured on 2026-01-02 at commit abc: Fast, 2 cores, 25 GB, Linux 6; ";
        assert_eq!(here.to_text(), format!("{start}Spin Version 6.5.2, gcc 13.3.0."));
        here.spin = None;
        assert_eq!(here.to_text(), format!("{start}no Spin."));
    }
}

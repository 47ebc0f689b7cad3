//! Limits: how they are written, and how much memory there is.

use std::time::Duration;

/// Reads a number of bytes: `4096`, `512M`, `8G`, `8GiB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let unit = unit.trim_end_matches("iB").trim_end_matches(['B', 'b']).to_ascii_uppercase();
    let shift = match unit.as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(format!("unknown unit `{unit}`; use K, M, G or T")),
    };
    Ok((number * (1u64 << shift) as f64) as u64)
}

/// Reads a time: `60`, `60s`, `5m`, `1.5h`, `500ms`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "" | "s" => number,
        "ms" => number / 1000.0,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("unknown unit `{unit}`; use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| "too long".to_string())
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, text[end..].trim()))
}

/// The memory that the process may take by default: 80 % of what the machine or its cgroup has. A
/// limit on the address space (`ulimit -v`) counts too.
pub fn default_memory() -> u64 {
    let machine = kilobytes("/proc/meminfo", "MemTotal:").unwrap_or(u64::MAX);
    let most = cgroup_limit().unwrap_or(u64::MAX).min(machine) / 10 * 8;
    address_space().map_or(most, |space| most.min(space))
}

/// What a limit on the address space leaves. Half of it: a table that grows needs the old and the
/// new place at the same time, and an allocation that fails ends the process.
fn address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit = line.split_whitespace().next()?.parse::<u64>().ok()?;
    let taken = kilobytes("/proc/self/status", "VmSize:")?;
    Some(resident() + limit.saturating_sub(taken) / 2)
}

/// The smallest limit of the cgroups that this process is in (version 2, then version 1).
fn cgroup_limit() -> Option<u64> {
    let read = |path: String| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/").to_string();
    let mut least = read("/sys/fs/cgroup/memory/memory.limit_in_bytes".to_string());
    let mut group = own.trim_end_matches('/');
    loop {
        let limit = read(format!("/sys/fs/cgroup{group}/memory.max"));
        least = least.into_iter().chain(limit).min();
        match group.rfind('/') {
            Some(at) => group = &group[..at],
            None => return least,
        }
    }
}

/// The memory that the process has now.
fn resident() -> u64 {
    ::check::resident().unwrap_or(0)
}

/// The most memory that the process had.
pub fn peak_resident() -> u64 {
    kilobytes("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// A line of a file of the `/proc` kind, `name   123 kB`, in bytes.
fn kilobytes(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("8G"), Ok(8 << 30));
        assert_eq!(parse_bytes("1.5k"), Ok(1536));
        assert_eq!(parse_bytes("2MiB"), Ok(2 << 20));
        assert!(parse_bytes("G").is_err());
        assert!(parse_bytes("3X").is_err());
        assert_eq!(parse_time("60"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        assert!(parse_time("5 days").is_err());
        assert!(parse_time("-1s").is_err());
    }

    #[test]
    fn there_is_some_memory() {
        assert!(default_memory() > 0);
    }
}

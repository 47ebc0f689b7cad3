//! What no compiler sees: which crate may rest on which, how long files are, where `unsafe` is allowed, under which
//! licences others' crates are.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::place;

/// The crates of ours on which each may rest. An arrow that is missing here is forbidden: `search` knows no language, `check`
/// no formalism, `report` decides nothing.
const EDGES: [(&str, &[&str]); 17] = [
    ("model", &[]),
    ("source", &[]),
    ("store", &[]),
    ("logic", &["model"]),
    ("ir", &["logic", "model", "source"]),
    ("jit", &["ir", "model"]),
    ("promela", &["ir", "logic", "model", "source"]),
    ("petri", &["logic", "model", "source"]),
    ("por", &["model"]),
    ("search", &["logic", "model", "por", "store"]),
    ("replay", &["logic", "model"]),
    ("check", &["logic", "model", "por", "replay", "search"]),
    ("stubborn", &["check", "ir", "jit", "logic", "model", "petri", "promela", "replay", "source"]),
    ("report", &["check", "model", "replay", "source"]),
    ("cli", &["check", "ir", "logic", "model", "petri", "promela", "replay", "report", "source", "stubborn"]),
    ("testkit", &["logic", "model", "petri", "promela", "source"]),
    ("xtask", &["check", "ir", "logic", "model", "petri", "promela", "search", "source", "testkit"]),
];

/// How long a file may be, its tests not counted.
const LONGEST: usize = 500;

/// Longer files, and why.
const LONG: [(&str, &str); 6] = [
    ("crates/cli/src/args.rs", "one table: every option with its help"),
    ("crates/promela/src/tree.rs", "one type for each construct of the language"),
    ("crates/promela/src/parse/stmt.rs", "one function for each statement of the language"),
    ("crates/store/src/coder.rs", "the hot path from successors to pairs, inlined as a whole"),
    ("crates/store/src/cleary_table.rs", "one table with its proofs; its parts share all invariants"),
    ("crates/jit/src/native.rs", "one model with its fallback"),
];

/// The crates in which `unsafe` is allowed.
const UNSAFE: [&str; 2] = ["store", "jit"];

/// Licences of others' crates; of alternatives one is enough.
const LICENCES: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "Unicode-3.0",
];

/// Checks everything. False if something is wrong, which is printed.
pub fn run() -> Result<bool, String> {
    let complaints = complaints()?;
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    Ok(complaints.is_empty())
}

fn complaints() -> Result<Vec<String>, String> {
    let packages = packages()?;
    let mut complaints = edges(&packages);
    complaints.extend(licences(&packages));
    complaints.extend(sources()?);
    Ok(complaints)
}

/// The packages that are built here, of ours and of others.
fn packages() -> Result<Vec<Value>, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host()?]);
    let output = cargo.current_dir(place::workspace()).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    metadata["packages"].as_array().cloned().ok_or_else(|| "cargo lists no packages".to_string())
}

fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "rustc does not say for which machine it compiles".to_string())
}

/// The name of a crate of ours, without the prefix; none if it is somebody else's.
fn ours(package: &Value) -> Option<&str> {
    let name = package["name"].as_str()?;
    (package["source"].is_null()).then(|| name.strip_prefix("stubborn-").unwrap_or(name))
}

/// The same for a package that is named only. That of the command line has a name like the library's, and nothing rests on it.
fn own_name(package: &str) -> Option<&str> {
    if package == "stubborn" { Some(package) } else { package.strip_prefix("stubborn-") }
}

fn edges(packages: &[Value]) -> Vec<String> {
    let allowed: BTreeMap<&str, &[&str]> = EDGES.into_iter().collect();
    let mut complaints = Vec::new();
    for package in packages {
        let Some(name) = ours(package) else { continue };
        let Some(allowed) = allowed.get(name) else {
            complaints.push(format!("{name}: a crate that the table of edges does not know"));
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        for dependency in dependencies.filter(|dependency| dependency["kind"].is_null()) {
            let target = dependency["name"].as_str().and_then(own_name);
            if let Some(target) = target.filter(|target| !allowed.contains(target)) {
                complaints.push(format!("{name} must not rest on {target}"));
            }
        }
    }
    complaints
}

fn licences(packages: &[Value]) -> Vec<String> {
    let others = packages.iter().filter(|package| ours(package).is_none());
    let refused = others.filter(|package| {
        let licence = package["license"].as_str().unwrap_or_default();
        !is_permissive(licence)
    });
    refused.map(|package| format!("{}: licence {}", package["name"], package["license"])).collect()
}

/// Whether a licence of ours is among the alternatives of an expression; what `AND` joins must all be.
fn is_permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], "");
    expression.split(" AND ").all(|part| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim())))
}

fn sources() -> Result<Vec<String>, String> {
    let root = place::workspace();
    let mut complaints = Vec::new();
    for (name, _) in EDGES {
        let folder = if name == "xtask" { root.join(name) } else { root.join("crates").join(name) };
        let main = ["src/lib.rs", "src/main.rs"]
            .map(|file| folder.join(file))
            .into_iter()
            .find(|file| file.is_file());
        let text = main.map(std::fs::read_to_string).transpose().map_err(|error| error.to_string())?;
        let text = text.ok_or_else(|| format!("{name}: neither lib.rs nor main.rs"))?;
        if !text.contains("#![forbid(unsafe_code)]") && !UNSAFE.contains(&name) {
            complaints.push(format!("{name}: unsafe code is not forbidden"));
        }
        lengths(&root, &folder.join("src"), &mut complaints)?;
    }
    for (file, _) in LONG {
        let text = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        if n_lines(&text) <= LONGEST {
            complaints.push(format!("{file} is not long any more: it need not be listed"));
        }
    }
    Ok(complaints)
}

/// Complains of long files below a folder.
fn lengths(root: &Path, folder: &Path, complaints: &mut Vec<String>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            lengths(root, &path, complaints)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test(&path) {
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let n = n_lines(&text);
            if n > LONGEST && !LONG.iter().any(|(listed, _)| *listed == name) {
                complaints.push(format!("{name}: {n} lines; is there a seam in it?"));
            }
        }
    }
    Ok(())
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}

/// The lines before the tests of a file.
fn n_lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_tidy() {
        let complaints = complaints().expect("cargo and rustc answer");
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    #[test]
    fn one_of_the_alternatives_must_be_permissive() {
        assert!(is_permissive("MIT/Apache-2.0"));
        assert!(is_permissive("(MIT OR GPL-3.0) AND Unicode-3.0"));
        assert!(!is_permissive("MIT AND GPL-3.0"));
        assert!(!is_permissive(""));
    }

    #[test]
    fn tests_are_not_counted() {
        assert_eq!(n_lines("a\nb\n#[cfg(test)]\nmod tests {}\n"), 2);
        assert!(is_test(Path::new("src/reduced_tests.rs")) && is_test(Path::new("src/model/tests/a.rs")));
        assert!(!is_test(Path::new("src/attests/contest.rs")));
    }
}

//! What no compiler sees: which crate may rest on which, how long files are, where `unsafe` is allowed, under which
//! licences others' crates are, how many versions of them, and what is written in one place only.

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
    ("stubborn", &["check", "ir", "jit", "logic", "model", "petri", "promela", "replay", "report", "source"]),
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

/// Crates of others of which there are two versions, because others of others ask for them.
const DOUBLE: [&str; 2] = ["bitflags", "hashbrown"];

/// Numbers by which random generators are known. There is one generator, in one file.
const GENERATORS: [&str; 4] = ["6364136223846793005", "1442695040888963407", "bf58476d1ce4e5b9", "5deece66d"];
const GENERATOR: &str = "crates/model/src/random.rs";

/// Keys are made where states are stored and where they come out of the store.
const KEYS: [&str; 2] = ["crates/search/src/kernel/arrivals.rs", "crates/store/"];

/// Crates in which outcomes, reasons and methods are values, never text: words are made in `report`.
const WORDLESS: [&str; 6] = [
    "crates/check/",
    "crates/stubborn/",
    "crates/search/",
    "crates/por/",
    "crates/cli/src/check.rs",
    "crates/model/",
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
    complaints.extend(versions(&packages));
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

/// Complains of crates of others of which there are several versions, unless that is known.
fn versions(packages: &[Value]) -> Vec<String> {
    let names = packages.iter().filter(|package| ours(package).is_none());
    let mut n_versions: BTreeMap<&str, u32> = BTreeMap::new();
    for name in names.filter_map(|package| package["name"].as_str()) {
        *n_versions.entry(name).or_default() += 1;
    }
    let double = n_versions.iter().filter(|(name, n)| **n > 1 && !DOUBLE.contains(name));
    let mut complaints: Vec<String> = double.map(|(name, n)| format!("{name}: {n} versions")).collect();
    let single = DOUBLE.into_iter().filter(|name| n_versions.get(name).is_none_or(|n| *n < 2));
    complaints.extend(single.map(|name| format!("{name} has one version: it need not be listed")));
    complaints
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
        files(&root, &folder, &mut complaints)?;
    }
    for (file, _) in LONG {
        let text = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
        if code(&text).count() <= LONGEST {
            complaints.push(format!("{file} is not long any more: it need not be listed"));
        }
    }
    Ok(complaints)
}

/// Complains of files below a folder.
fn files(root: &Path, folder: &Path, complaints: &mut Vec<String>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            files(root, &path, complaints)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            complaints.extend(generator(&name, &text));
            if !is_test(&path) {
                complaints.extend(length(&name, &text));
                complaints.extend(keys(&name, &text));
                complaints.extend(words(&name, &text));
            }
        }
    }
    Ok(())
}

/// Complains of a long file.
fn length(name: &str, text: &str) -> Option<String> {
    let n = code(text).count();
    let is_listed = LONG.iter().any(|(listed, _)| *listed == name);
    (n > LONGEST && !is_listed).then(|| format!("{name}: {n} lines; is there a seam in it?"))
}

/// Complains of a random generator that is not the one.
fn generator(name: &str, text: &str) -> Option<String> {
    let is_told = [GENERATOR, "xtask/src/tidy.rs"].contains(&name);
    let text = text.replace('_', "").to_ascii_lowercase();
    let is_there = GENERATORS.into_iter().any(|number| text.contains(number));
    (is_there && !is_told).then(|| format!("{name}: a random generator; there is `model::Random`"))
}

/// Complains of keys that are made elsewhere.
fn keys(name: &str, text: &str) -> Option<String> {
    let makes = code(text).any(|line| line.contains("Key::new(") || line.contains("Keys::new("));
    let is_told = KEYS.into_iter().any(|place| name.starts_with(place)) || name == "xtask/src/tidy.rs";
    (makes && !is_told).then(|| format!("{name}: makes keys; `Arrivals` does"))
}

/// Complains of decisions by words.
fn words(name: &str, text: &str) -> Option<String> {
    const TELLING: [&str; 4] = ["reason", "method", "outcome", "verdict"];
    let compares = |line: &&str| {
        let is_text = line.contains(" == \"") || line.contains(" != \"");
        is_text && TELLING.into_iter().any(|word| line.contains(word))
    };
    let is_wordless = WORDLESS.into_iter().any(|place| name.starts_with(place));
    let line = code(text).find(compares).filter(|_| is_wordless)?;
    Some(format!("{name}: compares text, where there are values: {}", line.trim()))
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}

/// The lines before the tests of a file.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"))
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
        assert_eq!(code("a\nb\n#[cfg(test)]\nmod tests {}\n").count(), 2);
        assert!(is_test(Path::new("src/reduced_tests.rs")) && is_test(Path::new("src/model/tests/a.rs")));
        assert!(!is_test(Path::new("src/attests/contest.rs")));
    }
    #[test]
    fn what_is_untidy_is_noticed() {
        let number = "let state = state.wrapping_mul(6_364_136_223_846_793_005);";
        assert!(generator("crates/search/src/a.rs", number).is_some());
        assert!(generator(GENERATOR, number).is_none());
        assert!(keys("crates/search/src/a.rs", "let key = Keys::new(words);").is_some());
        assert!(keys("crates/search/src/a.rs", "#[cfg(test)]\nlet key = Keys::new(words);").is_none());
        assert!(words("crates/check/src/a.rs", "if method.name() == \"reach\" {").is_some());
        assert!(words("crates/report/src/a.rs", "if method.name() == \"reach\" {").is_none());
        let twice = ["1.0.0", "2.0.0"]
            .map(|version| serde_json::json!({"name": "some", "version": version, "source": "registry"}));
        assert!(versions(&twice).iter().any(|complaint| complaint.starts_with("some: 2 versions")));
    }
}

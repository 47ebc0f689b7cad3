//! Which promises of `xr` and `xs` are said to be broken, and which are not.

use std::path::Path;

use promela::{Options, decode, parse};
use testkit::corpus::part;

const CHANNELS: &str = "chan c = [1] of { byte }; chan d = [1] of { byte }; chan a[2] = [1] of { byte };";

/// The warnings about promises in a model with the channels `c`, `d` and `a[2]`.
fn broken(text: &str) -> Vec<String> {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse("test.pml", format!("{CHANNELS}\n{text}"), &Options::default(), &missing)
        .expect("there is time")
        .accept();
    let warnings =
        parsed.unwrap_or_else(|rejected| panic!("{text}\n{:#?}", rejected.diagnostics)).diagnostics;
    warnings.into_iter().filter(|found| found.code == "W0820").map(|found| found.message).collect()
}

#[test]
fn promises_that_others_break_are_reported() {
    let with = |promise: &str, other: &str| {
        broken(&format!(
            "active proctype P() {{ byte x; {promise}; skip }} active proctype Q() {{ byte x; {other} }}"
        ))
    };
    assert_eq!(with("xr c", "c?x"), ["`xr c`: `Q` receives from `c`, too"]);
    assert_eq!(with("xr c", "if :: c??1 :: else fi"), ["`xr c`: `Q` receives from `c`, too"]);
    assert_eq!(with("xs c", "do :: atomic { d?x; c!x } od"), ["`xs c`: `Q` sends to `c`, too"]);
    assert_eq!(with("xr d, c", "c?<x>"), ["`xr c`: `Q` receives from `c`, too"]);
    assert_eq!(with("xr a[1]", "a[1]?x"), ["`xr a[1]`: `Q` receives from `a[1]`, too"]);
    // Tests depend on both ends.
    for test in ["len(c) == 1", "full(c)", "empty(c)", "c?[1]", "assert(d?[0] || c??[1])"] {
        assert_eq!(with("xr c", test), ["`xr c`: `Q` tests `c`, too"], "{test}");
        assert_eq!(with("xs c", test), ["`xs c`: `Q` tests `c`, too"], "{test}");
    }
    assert_eq!(with("xr c", "nempty(c)").len(), 1);
    assert_eq!(with("xs c", "nfull(c)").len(), 1);
    // Two cannot promise the same.
    let both = with("xr c", "xr c; skip");
    assert_eq!(both, ["`xr c`: `Q` declares `xr` for `c`, too", "`xr c`: `P` declares `xr` for `c`, too"]);
    let several = broken("active [3] proctype P() { xs c; c!1 }");
    assert_eq!(several, ["`xs c`: 3 processes `P` start with the system"]);
    let init = broken("proctype P() { byte x; xr c; c?x } init { byte x; run P(); c?x }");
    assert_eq!(init, ["`xr c`: `init` receives from `c`, too"]);
}

#[test]
fn channels_are_followed_through_arguments_and_copies() {
    let text = |args: &str| {
        format!(
            "proctype P(chan from) {{ byte x; xr from; from?x }}
             proctype Q(byte n; chan to) {{ byte x; to?x }}
             proctype R(chan on) {{ run Q(1, on) }}
             init {{ {args} }}"
        )
    };
    assert_eq!(broken(&text("run P(c); run Q(1, c)")), ["`xr from`: `Q` receives from `c`, too"]);
    assert_eq!(broken(&text("run P(a[1]); run R(a[1])")), ["`xr from`: `Q` receives from `a[1]`, too"]);
    assert_eq!(broken(&text("run P(c); run Q(1, d); run R(a[0])")), [""; 0]);
    let copy = "active proctype P() { chan mine = a[1]; byte x; xr mine; mine?x }
                active proctype Q() { byte x; a[1]?x }";
    assert_eq!(broken(copy), ["`xr mine`: `Q` receives from `a[1]`, too"]);
    // The same process type, but certainly another process.
    let ring =
        "proctype P(chan from, to) { byte x; xr from; from?x; to?x } init { run P(c, d); run P(d, c) }";
    let expected =
        ["`xr from`: another `P` receives from `c`, too", "`xr from`: another `P` receives from `d`, too"];
    assert_eq!(broken(ring), expected);
}

#[test]
fn promises_that_are_kept_or_unclear_are_not() {
    let fine = [
        // Each has its end.
        "active proctype P() { byte x; xr c; xs d; c?x; d!x; nempty(c); nfull(d) }
         active proctype Q() { byte x; xs c; xr d; c!1; d?x; nfull(c); nempty(d) }",
        // Its own tests, as long as nobody claims the other end.
        "active proctype P() { byte x; xr c; len(c) > 0; c?x } active proctype Q() { c!1 }",
        // Q never runs.
        "active proctype P() { byte x; xr c; c?x } proctype Q() { byte x; c?x }",
        // Nor does the one that promises.
        "proctype P() { byte x; xr c; c?x } active proctype Q() { byte x; c?x }",
        // Other elements, or maybe so.
        "active proctype P() { byte x; xr a[0]; a[0]?x } active proctype Q() { byte x; a[1]?x; a[x]?x }",
        "active proctype P() { byte x; xr a[x]; a[x]?x } active proctype Q() { byte x; a[0]?x }",
        "active [2] proctype P() { byte x; xr a[_pid]; a[_pid]?x }",
        // The variable may hold another channel by then.
        "chan e = [1] of { byte }; active proctype P() { byte x; xr e; e?x }
         active proctype Q() { byte x; e = c; e?x }",
        "proctype P(chan e) { byte x; xr e; e = d; e?x } active proctype Q() { byte x; run P(c); c?x }",
        "proctype P(chan e) { xr e; byte x; e?x } init { byte i; for (i : 0 .. 1) { run P(a[i]) } }",
        // A channel that each process has for itself.
        "active [2] proctype P() { chan e = [1] of { byte }; xr e, e; e!1 }",
        // The first message is there before anybody runs.
        "proctype P() { byte x; xs c; c!1 } init { c!0; atomic { run P() } }",
    ];
    for text in fine {
        assert_eq!(broken(text), [""; 0], "{text}");
    }
    // But not if it comes round again, or if P is there already.
    let again = "proctype P() { xs c; c!1 } init { do :: c!0; run P() od }";
    assert_eq!(broken(again), ["`xs c`: `init` sends to `c`, too"]);
    let already = "active proctype P() { xs c; c!1 } init { c!0; run P() }";
    assert_eq!(broken(already), ["`xs c`: `init` sends to `c`, too"]);
}

#[test]
fn too_many_processes_are_left_alone() {
    // Every subset of eleven parameters is d instead of c: more processes than are looked at.
    let params: Vec<String> = (0..11).map(|n| format!("p{n}")).collect();
    let runs = (0..11).map(|n| {
        let args: Vec<_> = (0..11).map(|m| if m == n { "d".to_owned() } else { format!("p{m}") }).collect();
        format!(":: run Q({})", args.join(", "))
    });
    let many = format!(
        "active proctype P() {{ byte x; xr c; c?x }}
         proctype Q(chan {}) {{ byte x; c?x; if {} fi }}
         init {{ run Q({}) }}",
        params.join(", "),
        runs.collect::<Vec<_>>().join(" "),
        ["c"; 11].join(", ")
    );
    assert_eq!(broken(&many), [""; 0]);
}

/// Of the public models only those break a promise of which Spin says so, too, when it runs them.
#[test]
fn public_models_keep_their_promises() {
    let Some(folder) = part("promela", "expected.tsv") else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut broken = Vec::new();
    let paths: std::collections::BTreeSet<&str> =
        table.lines().skip(1).filter_map(|row| row.split('\t').next()).collect();
    for path in paths {
        let file = folder.join(path);
        let text = decode("", std::fs::read(&file).unwrap()).unwrap_or_default();
        let parsed = parse(file.to_str().unwrap(), text, &Options::default(), &|path| std::fs::read(path))
            .expect("there is time")
            .accept();
        let warnings = parsed.map_or_else(|_| Vec::new(), |parsed| parsed.diagnostics);
        if warnings.iter().any(|found| found.code == "W0820") {
            broken.push(path);
        }
    }
    assert_eq!(broken, ["spin/Examples/cambridge.pml"]);
}

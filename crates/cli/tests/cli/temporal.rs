//! Properties of infinite runs, and formulas.

use serde_json::Value;

use super::{Place, code, text};

/// The results of a check, as JSON.
fn results(place: &Place, line: &str, arguments: &[&str]) -> Vec<Value> {
    let output = place.run_with(&format!("check --format json {line}"), arguments);
    let json: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    json["results"].as_array().expect("results").clone()
}

fn field<'a>(results: &'a [Value], name: &str) -> Vec<&'a str> {
    results.iter().map(|result| result[name].as_str().unwrap_or("-")).collect()
}

/// The complaint about arguments that must be refused.
fn refused(place: &Place, line: &str, arguments: &[&str]) -> String {
    let output = place.run_with(line, arguments);
    assert_eq!(code(&output), 2, "{line} {arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn everything_that_a_model_declares_is_checked() {
    let place = Place::new();
    place.write(
        "all.pml",
        b"byte x; ltl { [] (x < 3) } ltl named { <> (x == 2) }
          never { do :: x == 9 -> break :: else od }
          active proctype A() { accept: do :: x < 2 -> x++ :: else -> x = 0 od }",
    );
    let results = results(&place, "all.pml", &[]);
    assert_eq!(field(&results, "property"), ["safety", "never", "ltl_0", "named", "acceptance"]);
    assert_eq!(field(&results, "kind"), ["safety", "never", "ltl", "ltl", "acceptance"]);
    assert_eq!(field(&results, "verdict"), ["holds", "holds", "holds", "holds", "violated"]);
    assert_eq!(field(&results, "formula"), ["-", "-", "[] ((x<3))", "<> ((x==2))", "-"]);
    assert_eq!(field(&results, "reason")[4], "acceptance-cycle");
    let trace = &results[4]["trace"];
    assert!(trace["loop_start"].as_u64().unwrap() < trace["steps"].as_array().unwrap().len() as u64);
}

/// Three hundred processes pass a token around, and one can do something all the time.
#[test]
fn fairness_is_about_any_number_of_processes() {
    let place = Place::new();
    place.write(
        "ring.pml",
        b"short turn; bit idle; bool stop;
          proctype Member(short n) { do :: atomic { turn == n && !(stop && n == 270) -> turn = (n + 1) % 300 } od }
          init { short i; atomic { for (i : 0 .. 299) { run Member(i) } stop = STOP }
                 do :: idle = 1 - idle od }",
    );
    let check = |line: &str| {
        let [result] = &results(
            &place,
            &format!("ring.pml --max-processes 400 {line}"),
            &["--ltl", "[]<> (turn == 299)"],
        )[..] else {
            panic!()
        };
        (result["verdict"].as_str().unwrap().to_string(), result["trace"]["loop_start"].as_u64())
    };
    assert!(matches!(check("-DSTOP=false"), (verdict, Some(_)) if verdict == "violated"));
    for search in ["scc", "ndfs", "ndfs-basic"] {
        let fair = format!("--fairness weak --search {search}");
        assert_eq!(check(&format!("-DSTOP=false {fair}")), ("holds".to_string(), None), "{search}");
        let (verdict, start) = check(&format!("-DSTOP=true {fair}"));
        assert!(
            verdict == "violated" && start.is_some_and(|start| start > 270),
            "{search}: {verdict} {start:?}"
        );
    }
    assert_eq!(check("-DSTOP=false --fairness strong").0, "holds");
    assert_eq!(check("-DSTOP=true --fairness strong").0, "violated");
}

#[test]
fn a_run_that_ends_goes_on_with_its_last_state() {
    let place = Place::new();
    let [result] = &results(&place, "good.pml", &["--ltl", "<> (x == 9)"])[..] else { panic!() };
    let steps = result["trace"]["steps"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!((&last["process"], &last["pid"], &last["file"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(result["trace"]["loop_start"], steps.len() - 1);
    let shown = text(&place.run_with("check good.pml", &["--ltl", "<> (x == 9)"]).stdout);
    for part in [
        "good.pml: ltl_0 is violated: a run that ends violates the formula\n  <> ((x==9))\n",
        ", then the run has ended)\n",
        "     from here on, for ever:\n   6   (the run has ended: its last state is repeated)\n",
    ] {
        assert!(shown.contains(part), "no {part:?} in\n{shown}");
    }
    // Progress is asked of runs that do not end.
    assert_eq!(code(&place.run("check good.pml --progress")), 0);
    assert_eq!(place.check("large.pml --progress")["reason"], "non-progress-cycle");
    place.write("stop.pml", b"active proctype A() { end: accept: false }");
    assert!(text(&place.run("check stop.pml --acceptance").stdout).contains("(accept stutter)"));
    assert_eq!(code(&place.run("check good.pml --acceptance")), 0);
}

#[test]
fn fairness_is_in_the_method_and_in_the_headline() {
    let place = Place::new();
    for (fairness, verdict) in [("none", "violated"), ("weak", "holds"), ("strong", "holds")] {
        let result = place.check(&format!("waits.pml --ltl p --fairness {fairness}"));
        assert_eq!((&result["verdict"], &result["method"]["fairness"]), (&verdict.into(), &fairness.into()));
    }
    let shown = text(&place.run("check waits.pml --ltl p --fairness strong -q").stdout);
    assert_eq!(shown, "waits.pml: p holds under strong fairness\n");
    // Strong fairness is more than weak fairness: B is enabled again and again only.
    place.write(
        "lock.pml",
        b"bit taken; bool done; ltl p { <> done }
          active proctype A() { do :: atomic { !taken -> taken = 1 }; taken = 0 od }
          active proctype B() { atomic { !taken -> done = true } }",
    );
    for (options, verdict) in [("weak", "violated"), ("weak --search ndfs", "violated"), ("strong", "holds")]
    {
        let result = place.check(&format!("lock.pml --ltl p --fairness {options}"));
        assert_eq!(result["verdict"], verdict, "{options}");
    }
}

#[test]
fn every_search_gives_the_same_answer() {
    let place = Place::new();
    for model in ["waits.pml", "ltl.pml"] {
        let verdict = place.check(&format!("{model} --ltl p"))["verdict"].clone();
        for search in ["scc", "ndfs", "ndfs-basic"] {
            let result = place.check(&format!("{model} --ltl p --search {search}"));
            assert_eq!(
                (&result["verdict"], &result["method"]["search"]),
                (&verdict, &search.into()),
                "{model}"
            );
            assert_eq!(result["warnings"], serde_json::json!([]));
        }
    }
    for copies in ["n+1", "n+2"] {
        let options = format!("--search ndfs --fairness weak --fairness-copies {copies}");
        let result = place.check(&format!("waits.pml --ltl p {options}"));
        assert_eq!((&result["verdict"], &result["warnings"]), (&"holds".into(), &serde_json::json!([])));
    }
}

#[test]
fn a_search_that_does_not_suit_is_replaced_and_that_is_said() {
    let place = Place::new();
    let warning = |line: &str, k: usize| {
        let report = results(&place, line, &[]);
        report[k]["warnings"][0].as_str().unwrap_or_default().to_string()
    };
    assert!(
        warning("waits.pml --search ndfs", 0).contains("`--search ndfs` does not suit this property; dfs")
    );
    assert_eq!(warning("waits.pml --search ndfs", 1), "");
    assert!(warning("waits.pml --search bfs", 1).contains("`--search bfs` does not suit this property"));
    assert!(warning("waits.pml --ltl p --fairness-copies n+2", 0).contains("--fairness-copies"));
    let shown = text(&place.run("check waits.pml --search bfs").stdout);
    assert!(shown.contains("note: `--search bfs` does not suit this property"), "{shown}");
    let strong = refused(&place, "check waits.pml --search ndfs --fairness strong", &[]);
    assert!(strong.contains("E0001") && strong.contains("--search scc"), "{strong}");
}

#[test]
fn formulas_come_from_the_command_line() {
    let place = Place::new();
    place.write("macro.pml", b"#define two (x == 2)\nbyte x; active proctype A() { x = 1; x = 2 }");
    let formulas = ["--ltl", "<> two", "--ltl", "[] (x < 2)", "--ltl", "F(x = 1)"];
    let checked = results(&place, "macro.pml", &formulas[..4]);
    assert_eq!(field(&checked, "property"), ["ltl_0", "ltl_1"]);
    assert_eq!(field(&checked, "verdict"), ["holds", "violated"]);
    assert_eq!(checked[0]["formula"], "<> ((x==2))");
    // Together with a name, a flag and a named property.
    let mixed = results(&place, "waits.pml --ltl p --safety --property deadlock", &["--ltl", "G (x < 2)"]);
    assert_eq!(field(&mixed, "property"), ["deadlock", "safety", "p", "ltl_0"]);
    // Dialects read differently.
    let formula = ["--ltl", "x == 0 || x == 1 && x == 2"];
    assert_eq!(results(&place, "macro.pml", &formula)[0]["verdict"], "holds");
    let line = "macro.pml --dialect spin-f";
    assert_eq!(results(&place, line, &formula)[0]["verdict"], "violated");
    let warned = results(&place, line, &formula)[0]["warnings"][0].to_string();
    assert!(warned.contains("((x == 0) || (x == 1)) && (x == 2)"), "{warned}");
}

#[test]
fn errors_in_formulas_have_their_place_in_the_formula() {
    let place = Place::new();
    let deep = "! ".repeat(600) + "x";
    let long = "[] ".repeat(40_000) + "x";
    let many = (0..70).map(|k| format!("<> (x == {k})")).collect::<Vec<_>>().join(" && ");
    for (formula, error, column) in [
        ("", "E0011", Some(1)),
        ("  ", "E0011", None),
        ("[] (x", "E0011", Some(4)),
        ("[] x == 1", "E0011", Some(1)),
        ("[] (x == 1) -> <> (nosuch == 2)", "E0401", Some(20)),
        ("[] (x < 3) && q", "E0401", Some(15)),
        (&deep, "E0011", None),
        (&long, "E0011", None),
        (&many, "E0623", None),
        ("\"x) } ltl q { (x\"", "E0011", None),
    ] {
        let output = place.run_with("check good.pml --format json --ltl", &[formula]);
        assert_eq!(code(&output), 2, "{formula}");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let first = &json["errors"][0];
        assert_eq!((&first["code"], &first["file"]), (&error.into(), &"--ltl".into()), "{formula}");
        if let Some(column) = column {
            assert_eq!((&first["line"], &first["column"]), (&1.into(), &column.into()), "{formula}");
        }
        assert!(output.stderr.len() < 2000, "{}", text(&output.stderr));
    }
    let shown = refused(&place, "check good.pml", &["--ltl", "[] x == 1"]);
    assert!(shown.contains("1 | [] x == 1\n  | ^^^^^^^^^\n  |\n  = help: write `[] (x == 1)`\n"), "{shown}");
    let name = refused(&place, "check good.pml --ltl nosuch", &[]);
    assert!(name.contains("E0007") && name.contains("write `(nosuch)`"), "{name}");
    assert!(refused(&place, "check waits.pml --ltl safety", &[]).contains("there are: p"));
}

#[test]
fn automata_forbid_runs() {
    const CLAIM: &[u8] = b"never { do :: x == 2 -> break :: else od }";
    let place = Place::new();
    place.write("two.nvr", CLAIM);
    place.write("odd.hoa", &place.run_with("ltl", &["F \"x == 3\""]).stdout);
    let checked = results(&place, "good.pml --automaton two.nvr --automaton odd.hoa", &[]);
    assert_eq!(field(&checked, "property"), ["two", "odd"]);
    assert_eq!(field(&checked, "kind"), ["automaton", "automaton"]);
    assert_eq!(field(&checked, "reason"), ["never-claim", "never-claim"]);
    // People read what it is that forbids the run.
    place
        .write("claim.pml", &[&std::fs::read(place.folder.path().join("good.pml")).unwrap(), CLAIM].concat());
    for (line, explanation) in [
        (
            "good.pml --automaton odd.hoa",
            "odd is violated: the automaton accepts a run, however it goes on\n",
        ),
        ("claim.pml --property never", "never is violated: the never claim reaches its end\n"),
    ] {
        let headline = text(&place.run(&format!("check {line} -q")).stdout);
        assert!(headline.ends_with(explanation), "{headline}");
    }
    place.write("often.hoa", &place.run_with("ltl", &["G F \"x == 9\""]).stdout);
    assert_eq!(code(&place.run("check good.pml --automaton often.hoa")), 0);

    std::fs::create_dir(place.folder.path().join("folder.hoa")).unwrap();
    for (name, bytes, error) in [
        ("nosuch.hoa", None, "E0012"),
        ("folder.hoa", None, "E0012"),
        ("latin.hoa", Some(&b"HOA: \xe9"[..]), "E0012"),
        ("short.hoa", Some(b"HOA: v1\nStates: 2\nfoo"), "error[E0012]: expected a header or `--BODY--`, found `foo`\n --> short.hoa:3:1\n"),
        ("empty.nvr", Some(b""), "E0012"),
        ("twice.nvr", Some(b"never { skip } never { skip }"), "E0012"),
        ("process.nvr", Some(b"never { skip } active proctype Z() { x = 7 }"), "E0012"),
        ("unknown.nvr", Some(b"never {\n  do :: y == 1 -> break od }"), "unknown.nvr:2:9"),
        ("unknown.hoa", Some(b"HOA: v1 States: 1 Start: 0 AP: 1 \"y\" Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [0] 0 --END--"), "`y` is not declared"),
    ] {
        if let Some(bytes) = bytes {
            place.write(name, bytes);
        }
        let complaint = refused(&place, &format!("check good.pml --automaton {name}"), &[]);
        assert!(complaint.contains(error) && complaint.contains(name), "{name}: {complaint}");
    }
    // Formulas and automata speak of Promela.
    place.write("good.ir", &place.run("show good.pml --as ir").stdout);
    assert!(refused(&place, "check good.ir --automaton two.nvr", &[]).contains("E0004"));
}

#[test]
fn formulas_are_translated() {
    let place = Place::new();
    let ltl = |arguments: &[&str]| {
        let output = place.run_with("ltl", arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let hoa = ltl(&["[] (p -> <> q)"]);
    assert!(hoa.starts_with("HOA: v1\nname: \"G (p -> (F q))\"\n") && hoa.contains("AP: 2"), "{hoa}");
    assert!(ltl(&["G F p & G F q"]).contains("Acceptance: 2"));
    assert!(ltl(&["G F p & G F q", "--state-based"]).contains("Acceptance: 1 Inf(0)\nproperties: "));
    assert!(ltl(&["p U q", "--as", "dot"]).starts_with("digraph"));
    assert!(ltl(&["G p", "--as", "never", "--negate"]).starts_with("never { /* !(G p) */\n"));
    for (formula, dialect, read) in [
        ("a || b && c", "inline", "a | (b & c)"),
        ("a || b && c", "spin-f", "(a | b) & c"),
        ("a U b U c", "inline", "(a U b) U c"),
        ("a U b U c", "spot", "a U (b U c)"),
        ("a U b || c", "ltsmin", "a U (b | c)"),
        ("GFa -> b", "auto", "(G (F a)) -> b"),
        ("always a implies b", "auto", "(G a) -> b"),
    ] {
        assert_eq!(
            ltl(&[formula, "--dialect", dialect, "--as", "formula"]),
            format!("{read}\n"),
            "{dialect}"
        );
    }
    let warned = place.run_with("ltl", &["a -> b -> c"]);
    assert!(text(&warned.stderr).starts_with("warning: formula: "), "{}", text(&warned.stderr));

    let huge = (0..64).map(|k| format!("G F (a{k} U b{k})")).collect::<Vec<_>>().join(" && ");
    let wide = (0..70).map(|k| format!("a{k}")).collect::<Vec<_>>().join(" && ");
    for (formula, error) in [("", "E0011"), ("p U", "E0011"), (&huge, "E0010"), (&wide, "E0010")] {
        assert!(refused(&place, "ltl", &[formula]).contains(error), "{formula}");
    }
}

#[test]
fn a_condition_that_cannot_be_evaluated_is_a_runtime_error() {
    let place = Place::new();
    place.write("index.pml", b"byte a[2], i; active proctype A() { i = 1; i = 2 }");
    let formula = ["--ltl", "[] (a[i] == 0)"];
    let checked = results(&place, "index.pml --trace t.json", &formula);
    assert_eq!(
        (&checked[0]["reason"], &checked[0]["failure"]["file"]),
        (&"runtime-error".into(), &"--ltl".into())
    );
    assert_eq!(code(&place.run("replay index.pml t.json")), 0);
    assert_eq!(code(&place.run("check index.pml --safety")), 0);
}

#[test]
fn all_errors_are_not_promised_for_loops() {
    let place = Place::new();
    let result = place.check("waits.pml --ltl p --all-errors");
    assert_eq!(result["errors"], 1);
    let warning = result["warnings"][0].as_str().unwrap();
    assert!(warning.contains("ends with the first run"), "{warning}");
}

#[test]
fn a_formula_may_be_called_like_something_that_every_model_has() {
    let place = Place::new();
    place.write(
        "names.pml",
        b"byte x; active proctype P() { accept: do :: x = 1 - x od }
          ltl acceptance { [] (x <= 1) } ltl deadlock { [] (x == 0) } ltl safety { [] (x == 0) }",
    );
    let found = |arguments: &[&str]| {
        let results = results(&place, "names.pml", arguments);
        let pairs = field(&results, "kind").into_iter().zip(field(&results, "verdict"));
        pairs.map(|(kind, verdict)| format!("{kind} {verdict}")).collect::<Vec<String>>().join(", ")
    };
    assert_eq!(found(&["--acceptance"]), "acceptance violated");
    assert_eq!(found(&["--ltl", "acceptance"]), "ltl holds");
    assert_eq!(found(&["--deadlock"]), "deadlock holds");
    assert_eq!(found(&["--property", "safety"]), "safety holds, ltl violated");
    assert_eq!(found(&["--safety", "--ltl", "safety"]), "safety holds, ltl violated");
    assert_eq!(found(&[]), "safety holds, ltl holds, ltl violated, ltl violated, acceptance violated");
    for (arguments, shown) in [("--acceptance", "x = (1-x)"), ("--ltl safety", "x = (1-x)")] {
        place.run(&format!("check names.pml {arguments} --trace t.json"));
        let replayed = place.run("replay names.pml t.json");
        assert_eq!(code(&replayed), 0, "{arguments}: {}", text(&replayed.stderr));
        assert!(text(&replayed.stdout).contains(shown));
    }
}

/// Of a model with two bad properties.
const PARTLY: &[u8] = b"byte x; bool done;
active proctype P() { x = 1; done = true }
ltl good { <> done }
ltl bad { [] (y == 1) }
never wrong { do :: z == 1 -> break :: else od }";

#[test]
fn a_property_that_is_not_accepted_harms_no_other() {
    let place = Place::new();
    place.write("partly.pml", PARTLY);
    for line in ["--safety", "--property good", "--ltl good", "--explore", "--reach done"] {
        let output = place.run(&format!("check partly.pml {line}"));
        assert_eq!(code(&output), 0, "{line}: {}", text(&output.stderr));
        let warned = text(&output.stderr);
        assert!(warned.contains("`bad` cannot be checked") && warned.contains("`wrong` cannot"), "{warned}");
    }
    let output = place.run("check partly.pml --format json");
    assert_eq!(code(&output), 2);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> =
        json["results"].as_array().unwrap().iter().map(|one| one["property"].as_str().unwrap()).collect();
    assert_eq!(names, ["safety", "good"]);
    let lines: Vec<u64> =
        json["errors"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [5, 4]);
    let only = place.run("check partly.pml --property bad --format json");
    assert_eq!(code(&only), 2);
    let json: Value = serde_json::from_slice(&only.stdout).unwrap();
    assert_eq!((json["errors"].as_array().unwrap().len(), json.get("results")), (1, None));
    // What the user adds must be right.
    assert_eq!(code(&place.run_with("check partly.pml --safety --ltl", &["[] (q == 1)"])), 2);
    // Nothing else asks for properties.
    assert_eq!(code(&place.run("simulate partly.pml")), 0);
}

/// Leaving out a property must not leave out anything else.
#[test]
fn what_is_wrong_with_the_model_is_no_property_s_matter() {
    let place = Place::new();
    // What is behind a claim that breaks off is read.
    place.write(
        "behind.pml",
        b"byte x = 1;
never { do :: x == -> break; od; { if :: fi }; x @ }
byte y = 3; chan c = [1] of { byte }; trace { do :: c!1 od }
active proctype P() { c!1; assert(y != 3) }",
    );
    let output = place.run("check behind.pml --safety --quiet");
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    // The same error, once in a claim and once in a process, or the other way round.
    let (claim, process) = ("never { do :: wrong() od }\n", "active proctype P() { wrong() }\n");
    for (first, second) in [(claim, process), (process, claim)] {
        place.write("both.pml", format!("inline wrong() {{ z == 1 }}\n{first}{second}").as_bytes());
        assert_eq!(code(&place.run("check both.pml --safety")), 2, "{first}");
    }
    // So many errors that nothing behind them is read.
    let wrong: String = (0..60).map(|i| format!(":: a{i} == 1 -> skip\n")).collect();
    place.write(
        "many.pml",
        format!("never {{ do {wrong} od }}\nactive proctype P() {{ assert(false) }}").as_bytes(),
    );
    assert_eq!(code(&place.run("check many.pml --safety")), 2);
    // A claim whose end is unknown.
    place.write("open.pml", b"active proctype P() { skip } never { do :: skip od");
    assert_eq!(code(&place.run("check open.pml --safety")), 2);
}

/// What is wrong with the model is told of no property, however well that fits in.
#[test]
fn errors_of_the_translation_and_swallowed_parts_are_the_model_s() {
    let place = Place::new();
    let property = "ltl p { [] (x < 2) }";
    for (name, text) in [
        (
            "channel",
            "typedef T { int a[4000] }; byte x; chan c = [250] of { T }; active proctype P() { x = 1 }",
        ),
        (
            "swallow",
            "byte x; active proctype P() { x = 1 }
never a { do :: { x > 0 -> skip :: else od }
active proctype Q() { assert(false) }
never b { do :: { x > 0 -> skip } } :: else od }",
        ),
        ("formula", "byte x; ltl q { [] (x == 1 active proctype Q() { assert(false) } }"),
        (
            "mtype",
            "byte x; never { mtype = { zz, yy }; do :: skip od }
mtype = { a, b }; active proctype P() { assert(a == 2) }",
        ),
        (
            "twice",
            "byte x; never a { do :: skip od } never a { do :: skip od } active proctype P() { x = 1 }",
        ),
    ] {
        place.write("model.pml", format!("{text}\n{property}\n").as_bytes());
        for line in ["--safety", "--explore", "--property p", ""] {
            let output = place.run(&format!("check model.pml {line}"));
            assert_eq!(code(&output), 2, "{name} {line}: {}", text_of(&output));
        }
    }
    // What a refused property asks for is not asked of the model.
    let plain = "byte x; active [2] proctype P() { x = 1; x = 2; x = 0 }";
    place.write("plain.pml", plain.as_bytes());
    place.write("last.pml", format!("{plain} ltl l {{ [] (_last == 0 && nosuch == 1) }}").as_bytes());
    let states = |model: &str| place.check(&format!("{model} --explore"))["states"].clone();
    assert_eq!(states("plain.pml"), states("last.pml"));
}

fn text_of(output: &std::process::Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// A witness is one, whatever fails elsewhere; what no run decides is violated by what fails.
#[test]
fn runtime_errors_do_not_hide_witnesses() {
    let place = Place::new();
    place.write(
        "m.pml",
        b"byte x; byte a[2]; active proctype P() { x = 1; if :: x = 2; a[x] = 1 :: x = 7; x = 8 fi }",
    );
    for together in ["", "--safety", "--deadlock", "--bounded x", "--por none", "--search dfs --por none"] {
        for (asked, holds) in [("x == 8", true), ("x == 9", false)] {
            let line = format!("check m.pml {together} --quiet --format json --reach");
            let output = place.run_with(&line, &[asked]);
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            let results = json["results"].as_array().unwrap();
            let reach = results.iter().find(|one| one["property"] == "reach_0").unwrap();
            let expected = if holds { ("holds", Value::Null) } else { ("violated", "runtime-error".into()) };
            assert_eq!(
                (reach["verdict"].as_str().unwrap(), reach["reason"].clone()),
                expected,
                "{together} {asked}"
            );
        }
    }
}

/// Whatever a trace shows, its question is understood as it was asked.
#[test]
fn traces_of_questions_about_states_are_replayed() {
    let place = Place::new();
    place.write(
        "m.pml",
        b"byte x, F; byte a[2]; active proctype A() { F = 2; x = 3; S: a[x % 2] = 1; x = 9; a[x] = 1 }",
    );
    for (option, asked) in [
        ("--reach", "x == 77"),
        ("--reach", "F == 2"),
        ("--reach", "A@S"),
        ("--reach", "x > 2 // c"),
        ("--invariant", "~x == -2"),
        ("--invariant", "x == 9 -> x == 8 -> x == 9"),
        ("--home", "F == 2 && A@S"),
        ("--ctl", "AG \"F == 0\""),
        ("--bounded", "a[x]"),
        ("--bounded", "x"),
        ("--reach", "a[x] == 7"),
        ("--live", "A@S"),
    ] {
        let output = place.run_with("check m.pml --trace t.json --quiet", &[option, asked]);
        assert!(matches!(code(&output), 0 | 1), "{option} {asked}: {}", text_of(&output));
        let report = place.run_with("check m.pml --format json", &[option, asked]);
        place.write("r.json", &report.stdout);
        for file in ["t.json", "r.json"] {
            let replayed = place.run(&format!("replay m.pml {file}"));
            assert_eq!(code(&replayed), 0, "{option} {asked}: {}", text_of(&replayed));
        }
    }
}

#[test]
fn errors_of_properties_are_in_every_report() {
    let place = Place::new();
    place.write("m.pml", b"byte x; active proctype P() { x = 1 } ltl q { [] (nosuch < 1) }");
    let junit = text(&place.run("check m.pml --format junit").stdout);
    assert!(junit.contains("tests=\"2\" failures=\"0\" errors=\"1\"") && junit.contains("E0401"), "{junit}");
    let sarif: Value = serde_json::from_slice(&place.run("check m.pml --format sarif").stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "E0401");
    for line in ["spin -a m.pml", "spin -run m.pml", "spin m.pml"] {
        assert_eq!(code(&place.run(line)), 1, "{line}");
    }
    for line in ["simulate m.pml", "show m.pml --as ir"] {
        let output = place.run(line);
        assert_eq!(code(&output), 0, "{line}");
        assert!(text(&output.stderr).contains("nosuch"), "{line}");
    }
}

#[test]
fn files_of_formulas_have_lines_and_are_not_empty() {
    let place = Place::new();
    place.write("m.pml", b"byte x; active proctype P() { x = 1 }");
    place.write("empty", b" ;\n;");
    assert_eq!(code(&place.run("check m.pml --formula empty")), 2);
    for (formulas, line) in [("EF x == 1;\n\nAG (x < ;\nEF x", 3), ("EF x;\nEF (y == 1)", 2)] {
        place.write("f", formulas.as_bytes());
        let output = place.run("check m.pml --formula f --format json");
        assert_eq!(code(&output), 2);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["errors"][0]["line"], line, "{json}");
    }
    let noted = place.check("m.pml --home x==1 --max-depth 3");
    assert!(noted["warnings"][0].as_str().unwrap().contains("--max-depth"), "{noted}");
}

/// A statement that affects no other process makes `timeout` false while it is pending.
#[test]
fn merging_does_not_hide_that_timeout_is_false() {
    let place = Place::new();
    place.write("m.pml", b"active proctype P() { byte i; do :: timeout -> i = 1 - i od }");
    for options in ["", "--merge", "--merge --reset-dead", "--por none", "--fairness weak"] {
        for (formula, holds) in [("<>[] timeout", false), ("[]<> !timeout", true), ("[] timeout", false)] {
            let output = place.run_with(&format!("check m.pml --quiet {options} --ltl"), &[formula]);
            assert_eq!(code(&output), i32::from(!holds), "{formula} {options}: {}", text_of(&output));
        }
    }
}

/// Conditions of the user, with the model's macros, and what they are about.
#[test]
fn programs_are_asked_about_states() {
    let place = Place::new();
    place.write("steps.pml", b"#define far (x > 2)\nbyte x; active proctype P() { do :: x < 4 -> x++ :: x == 4 -> break od;\nfin: skip }");
    for (option, asked, holds) in [
        ("--reach", "far && x != 3", true),
        ("--reach", "x > 4", false),
        ("--invariant", "x <= 4", true),
        ("--invariant", "!far", false),
        ("--ctl", "AG (far -> AG far)", true),
        ("--ctl", "E[x < 2 U x == 3]", false),
        ("--home", "x == 4", true),
        ("--home", "x == 0", false),
        ("--live", "P@fin", false),
        ("--live", "steps.pml:2", false),
        ("--reach", "P@fin", true),
    ] {
        for how in ["", "--por none", "--engine interpreter"] {
            let output =
                place.run_with(&format!("check steps.pml --trace t.json --quiet {how}"), &[option, asked]);
            assert_eq!(code(&output), i32::from(!holds), "{option} {asked}: {}", text(&output.stderr));
        }
        if place.folder.path().join("t.json").exists() {
            let replayed = place.run("replay steps.pml t.json");
            assert_eq!(code(&replayed), 0, "{option} {asked}: {}", text(&replayed.stderr));
            std::fs::remove_file(place.folder.path().join("t.json")).unwrap();
        }
    }
    assert_eq!(place.check("steps.pml --bounded x+x")["value"], 8);
    for search in ["guided", "walk"] {
        let found =
            place.run_with(&format!("check steps.pml --quiet --search {search}"), &["--reach", "far"]);
        assert_eq!(code(&found), 0, "{search}: {}", text(&found.stderr));
    }
    place.write("questions", b"EF far; INVARIANT x <= 4;\nMAX(x); G (x < 9)");
    let output = place.run("check steps.pml --formula questions --quiet");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 4);
    for (option, wrong, code_and_place) in [
        ("--reach", "x >", "E0301"),
        ("--reach", "<> far", "E0011"),
        ("--invariant", "y == 1", "E0401"),
        ("--ctl", "AG F far", "E0011"),
        ("--ctl", "E[far U", "E0011"),
        ("--live", "steps.pml:99", "E0355"),
    ] {
        let output = place.run_with("check steps.pml", &[option, wrong]);
        assert_eq!(code(&output), 2, "{option} {wrong}");
        assert!(text(&output.stderr).contains(code_and_place), "{option} {wrong}: {}", text(&output.stderr));
    }
}

#[test]
fn processes_that_wait_for_each_other_beside_others_are_found() {
    let place = Place::new();
    place.write(
        "stuck.pml",
        b"bool a, b; byte z;
active proctype P() { a -> b = true }
active proctype Q() { b -> a = true }
active proctype R() { do :: z = 1 - z od }
active proctype Ended() { skip }
active proctype Waits() { end: z == 77 }",
    );
    let result = place.check("stuck.pml --local-deadlock");
    assert_eq!(
        (&result["property"], &result["reason"]),
        (&"local-deadlock".into(), &"local-deadlock".into())
    );
    let notes: Vec<&str> = result["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(notes.iter().any(|note| note.starts_with("P[0] can never move again")), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("Q[1] can never move again")), "{notes:?}");
    assert_eq!(notes.iter().filter(|note| note.contains("never move")).count(), 2, "{notes:?}");
    // Without the one that goes on it is a deadlock, and no local one.
    place.write("dead.pml", b"bool a; active proctype P() { a -> skip } active proctype Ended() { skip }");
    assert_eq!(place.check("dead.pml --local-deadlock")["verdict"], "holds");
    assert_eq!(place.check("dead.pml --deadlock")["verdict"], "violated");
}

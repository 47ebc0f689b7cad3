//! What the reports look like.

use check::answer::{Statement, Unreached};
use model::{
    Action, Actor, Change, Location, Message, Phase, Run, RunStep, Standing, Step, StepText, Value, Variable,
};
use replay::json::JsonFailure;
use report::spin::{self, ClaimChoice, Cycles};
use report::{Counts, Method, PropertyResult, Report, Verdict};

fn json(report: &Report) -> String {
    let mut text = Vec::new();
    report::json::write(report, &model::Patience::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn step(process: &str, pid: u16, line: u32, action: &str) -> RunStep {
    let text = StepText {
        process: Some(process.to_string()),
        pid,
        file: "m.pml".to_string(),
        location: Location { file: 0, line, column: 3 },
        action: action.to_string(),
        ..StepText::default()
    };
    let step = Step { action: Action::solo(pid.into(), line), observable: true, phase: Phase::Normal };
    RunStep { step, text, from: line, changes: Vec::new() }
}

fn message(channel: &str, value: i64, sent: bool, received: bool) -> Option<Message> {
    Some(Message { channel: channel.to_string(), id: 1, sent, received, fields: vec![Value::Int(value)] })
}

/// Two processes: a step, a rendezvous, a buffered send and its receive.
fn run() -> Run {
    let mut assign = step("P", 1, 4, "x = 1");
    assign.changes =
        vec![Change { name: "x".to_string(), before: Some(Value::Int(0)), after: Some(Value::Int(1)) }];
    let mut rendezvous = step("P", 1, 5, "c!7");
    rendezvous.text.partner = Some(0);
    rendezvous.text.partner_name = Some("Q".to_string());
    rendezvous.text.partner_action = Some((Location { file: 0, line: 9, column: 1 }, "c?y".to_string()));
    rendezvous.text.message = message("c", 7, true, true);
    let mut send = step("P", 1, 6, "d!8");
    send.text.message = message("d", 8, true, false);
    send.step.observable = false;
    let mut receive = step("Q", 0, 10, "d?y");
    receive.text.message = message("d", 8, false, true);
    let initial = vec![
        Variable { name: "x".to_string(), value: Value::Int(0) },
        Variable { name: "d".to_string(), value: Value::Messages(vec![vec![Value::Int(3)]]) },
    ];
    let standing = vec![Standing {
        pid: 1,
        process: "P".to_string(),
        file: "m.pml".to_string(),
        line: 7,
        number: 4,
        end: false,
        statements: vec!["(x==2)".to_string()],
    }];
    Run { initial, steps: vec![assign, rendezvous, send, receive], loop_start: None, standing }
}

fn result(verdict: Verdict, reason: Option<&str>) -> PropertyResult {
    let name = |name: &str| name.to_string();
    PropertyResult {
        property: name("safety"),
        kind: "safety",
        formula: None,
        verdict,
        reason: reason.map(name),
        method: Method {
            search: name("dfs"),
            por: name("none"),
            compress: None,
            symmetry: name("none"),
            fairness: name("none"),
            store: name("table"),
            engine: name("interpreter"),
            threads: 1,
        },
        counts: Counts {
            states: 10,
            matched: 5,
            transitions: 15,
            depth: 9,
            errors: u64::from(verdict == Verdict::Violated),
            store_bytes: 1000,
            seconds: 0.5,
            state_bytes: 28,
        },
        warnings: Vec::new(),
        notes: Vec::new(),
        remarks: Vec::new(),
        run: None,
        failure: None,
        complete: true,
        unreached: vec![Unreached {
            process: "P".to_string(),
            statements: vec![Statement {
                file: "m.pml".to_string(),
                line: 7,
                number: 4,
                text: "x = 1".to_string(),
            }],
            total: 5,
        }],
        edges: None,
        value: None,
        tokens: None,
    }
}

fn report(result: PropertyResult) -> Report {
    Report {
        version: "0.1.0",
        path: "m.pml".to_string(),
        language: "promela",
        results: vec![result],
        seconds: 0.75,
        errors: Vec::new(),
        peak_rss_bytes: 9_000_000,
    }
}

fn violated() -> PropertyResult {
    let failure = JsonFailure {
        kind: "assertion".to_string(),
        message: "(x>0)".to_string(),
        file: "m.pml".to_string(),
        line: 10,
        column: 3,
    };
    let result = result(Verdict::Violated, Some("assertion"));
    PropertyResult { run: Some(run()), failure: Some(failure), complete: false, ..result }
}

fn spin_summary(result: PropertyResult, options: &spin::Options) -> String {
    let report = report(result);
    spin::render(&report, &report.results, options)
}

/// Text without colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(|&c| c == 'm');
        } else {
            out.push(c);
        }
    }
    out
}

#[test]
fn people_read_verdict_trace_and_counts() {
    let text = plain(&report::human::render(&report(violated())));
    let expected = "\
m.pml: safety is violated: assertion violated: (x>0)
  at m.pml:10:3

trace (3 steps, 4 with those inside atomic sequences)
     initially d = [<3>]
   1   P(1)          m.pml:4   x = 1                x: 0 -> 1
   2   P(1) -> Q(0)  m.pml:5   c!7 -> c?y (line 9)
   3 | P(1)          m.pml:6   d!8
   4   Q(0)          m.pml:10  d?y

10 states, 5 matched, 15 transitions, depth 9
0.500 s (20 states/s), 1.0 kB in the store
search dfs, por none, symmetry none, fairness none, store table, engine interpreter, 1 thread

";
    assert_eq!(text, expected);
}

#[test]
fn people_read_who_is_stuck_and_what_was_never_executed() {
    let stuck = PropertyResult { failure: None, reason: Some("invalid-end-state".to_string()), ..violated() };
    let text = plain(&report::human::render(&report(stuck)));
    assert!(text.contains("at the end\n     P(1) at m.pml:7 waits for (x==2)\n"), "{text}");
    let text = plain(&report::human::render(&report(result(Verdict::Holds, None))));
    assert!(text.starts_with("m.pml: safety holds\n\n10 states"), "{text}");
    assert!(text.contains("never executed in P:\n  m.pml:7: x = 1\n"), "{text}");
}

#[test]
fn a_long_trace_is_shortened_for_people() {
    let mut long = violated();
    if let Some(run) = &mut long.run {
        run.steps = (1..=500).map(|line| step("P", 0, line, "skip")).collect();
    }
    let text = plain(&report::human::render(&report(long)));
    assert!(text.contains("… 380 steps left out"), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with("skip")).count(), 120);
}

#[test]
fn the_chart_has_a_lane_for_each_process() {
    let expected = "      Q(0)                  P(1)
   1  |                     x = 1
   2  c?7 <-----------------c!7
   3  |                     d!8 #1
   4  d?8 #1                |
";
    assert_eq!(report::charts::text(&run()), expected);
}

#[test]
fn the_mermaid_chart_links_sends_and_receives() {
    let expected = "\
sequenceDiagram
    participant L0 as Q(0)
    participant L1 as P(1)
    Note over L1: x = 1
    L1->>L0: c!7
    Note over L1: d!8 (1)
    L1-->>L0: d?8 (1)
";
    assert_eq!(report::charts::mermaid(&run()), expected);
}

#[test]
fn json_has_the_fields_of_the_contract_in_order() {
    let text = json(&report(violated()));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys =
        |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&json), "schema tool model results seconds peak_rss_bytes");
    let result = &json["results"][0];
    assert_eq!(
        keys(result),
        "property kind formula verdict reason method states matched transitions depth errors store_bytes \
         seconds warnings trace failure"
    );
    assert_eq!(keys(&result["method"]), "search por symmetry fairness store engine threads");
    assert_eq!(keys(&result["trace"]), "initial steps loop_start");
    let step = &result["trace"]["steps"][0];
    assert!(keys(step).starts_with("process pid partner line action observable changes"), "{}", keys(step));
    assert_eq!(step["changes"], serde_json::json!({"x": [0, 1]}));
    assert_eq!(result["trace"]["steps"][1]["partner"], 0);
    assert_eq!(result["trace"]["initial"]["d"], serde_json::json!([[3]]));
    assert_eq!(result["verdict"], "violated");
}

#[test]
fn the_spin_summary_has_the_lines_that_scripts_look_for() {
    let options = spin::Options { trail: Some("m.pml.trail".to_string()), ..Default::default() };
    let text = spin_summary(violated(), &options);
    for line in [
        // The rendezvous is two of Spin's steps.
        "pan:1: assertion violated (x>0) (at depth 4)\n",
        "pan: wrote m.pml.trail\n",
        "Warning: Search not completed\n",
        "Full statespace search for:\n\tnever claim         \t- (none specified)\n\tassertion violations\t+\n",
        "\tinvalid end states\t+\n",
        "State-vector 28 byte, depth reached 9, errors: 1\n",
        "       10 states, stored\n        5 states, matched\n       15 transitions (= stored+matched)\n",
        "pan: elapsed time 0.5 seconds\n",
    ] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    let text = spin_summary(result(Verdict::Holds, None), &spin::Options::default());
    assert!(text.contains("errors: 0\n"));
    let unreached = "unreached in proctype P\n\tm.pml:7, state 4, \"x = 1\"\n\t(1 of 5 states)\n";
    assert!(text.contains(unreached), "{text}");
}

#[test]
fn sarif_and_junit_tell_the_violation() {
    let sarif: serde_json::Value = serde_json::from_str(&report::sarif::render(&report(violated()))).unwrap();
    let entry = &sarif["runs"][0]["results"][0];
    assert_eq!(entry["ruleId"], "assertion");
    assert_eq!(entry["locations"][0]["physicalLocation"]["region"]["startLine"], 10);
    let flows = entry["codeFlows"][0]["threadFlows"].as_array().unwrap();
    assert_eq!(flows.len(), 2);
    assert_eq!(flows[0]["locations"][0]["executionOrder"], 4);

    let junit = report::junit::render(&report(violated()));
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert!(junit.contains("message=\"assertion violated: (x&gt;0)\""), "{junit}");
    let junit = report::junit::render(&report(result(Verdict::Unknown, Some("time"))));
    assert!(junit.contains("<error type=\"time\""), "{junit}");
}

#[test]
fn diagnostics_quote_the_source() {
    use source::{Diagnostic, Sources, Span};
    let mut sources = Sources::default();
    let file = sources.add("m.pml".to_string(), "byte x;\nactive proctype A() { y = 1 }\n".to_string());
    let span = |start, end| Span { file, start, end };
    let mut diagnostic = Diagnostic::error("E0401", "`y` is not declared").at(span(30, 31));
    diagnostic.label("not found").help("declare it").related(span(5, 6), "this one is");
    let text = plain(&report::diagnostics::render(&sources, std::slice::from_ref(&diagnostic)));
    for part in
        ["error[E0401]", "m.pml:2:23", "active proctype A() { y = 1 }", "not found", "help", "declare it"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let record = report::diagnostics::ErrorRecord::of(&sources, &diagnostic);
    assert_eq!((record.line, record.column), (Some(2), Some(23)));
    // A place behind the end, and one inside a character, do no harm.
    report::diagnostics::render(&sources, &[diagnostic.at(span(5000, 9000))]);
    let everywhere = Diagnostic::error("E0361", "no");
    assert_eq!(
        plain(&report::diagnostics::render(&sources, std::slice::from_ref(&everywhere))),
        "error[E0361]: no\n\n"
    );
    let record = report::diagnostics::ErrorRecord::of(&sources, &everywhere);
    assert_eq!((record.file, record.line, record.column), (None, None, None));
}

/// A run that ends after the steps of [`run`], or repeats the last two of them.
fn lasso(has_ended: bool) -> Run {
    let mut run = run();
    if has_ended {
        let text = StepText { action: "stutter".to_string(), ..StepText::default() };
        run.steps.push(RunStep { step: Step::STUTTER, text, from: 0, changes: Vec::new() });
    }
    run.loop_start = Some(if has_ended { run.steps.len() - 1 } else { 2 });
    run
}

fn cycle(kind: &'static str, reason: &str, run: Run) -> PropertyResult {
    let result = result(Verdict::Violated, Some(reason));
    let property = if kind == "ltl" { "p" } else { kind }.to_string();
    let formula = (kind == "ltl").then(|| "[] (<> ((x==0)))".to_string());
    PropertyResult { property, kind, formula, run: Some(run), complete: false, ..result }
}

#[test]
fn people_read_where_a_loop_starts() {
    let mut fair = cycle("ltl", "acceptance-cycle", lasso(false));
    fair.method.fairness = "weak".to_string();
    let text = plain(&report::human::render(&report(fair)));
    for part in [
        "m.pml: p is violated under weak fairness: a run violates the formula\n  [] (<> ((x==0)))\n",
        "trace (2 steps, then a loop of 1, 4 with those inside atomic sequences)\n",
        "(line 9)\n     from here on, for ever:\n   3 | P(1)",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains("at the end"), "{text}");
    let text = plain(&report::human::render(&report(cycle("acceptance", "acceptance-cycle", lasso(true)))));
    for part in [
        "acceptance is violated: a run ends at an accept label and stays there (accept stutter)\n",
        "trace (3 steps, then the run has ended, 5 with",
        "     from here on, for ever:\n   5   (the run has ended: its last state is repeated)\nat the end\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn the_start_of_a_loop_is_never_left_out() {
    for start in [0, 30, 45, 200, 415, 450, 499] {
        let steps = (1..=500).map(|line| step("P", 0, line, "skip")).collect();
        let run = Run { steps, loop_start: Some(start), ..Run::default() };
        let text = plain(&report::human::render(&report(cycle("ltl", "acceptance-cycle", run))));
        let lines: Vec<&str> = text.lines().collect();
        let mark = lines.iter().position(|line| line.ends_with("from here on, for ever:")).expect("a mark");
        assert!(lines[mark + 1].trim_start().starts_with(&format!("{} ", start + 1)), "{}", lines[mark + 1]);
        // What is shown and what is left out is everything.
        let shown = lines.iter().filter(|line| line.ends_with("skip")).count();
        let left_out = lines.iter().filter_map(|line| line.trim().strip_prefix("… ")?.split(' ').next());
        let left_out: usize = left_out.map(|number| number.parse::<usize>().unwrap()).sum();
        assert_eq!(shown + left_out, 500, "{text}");
        assert!(shown < 200, "{text}");
    }
}

#[test]
fn charts_show_loops_and_ends() {
    let text = report::charts::text(&lasso(true));
    assert!(
        text.ends_with(
            "      from here on, for ever:\n   5  (the run has ended: its last state is repeated)\n"
        )
    );
    assert!(text.starts_with("      Q(0)                  P(1)\n"), "{text}");
    assert!(report::charts::text(&lasso(false)).contains("c!7\n      from here on, for ever:\n   3  |"));
    let mermaid = report::charts::mermaid(&lasso(true));
    let end =
        "    loop for ever\n    Note over L0,L1: (the run has ended: its last state is repeated)\n    end\n";
    assert!(mermaid.ends_with(end), "{mermaid}");
    let mut nobody = lasso(true);
    (nobody.steps, nobody.loop_start) = (nobody.steps.split_off(4), Some(0));
    assert!(report::charts::mermaid(&nobody).contains("    %% (the run has ended"));
    assert!(report::charts::text(&nobody).contains("   1  (the run has ended"));
}

#[test]
fn the_spin_summary_tells_cycles_as_spin_does() {
    let claimed = |cycles| spin::Options {
        claim: ClaimChoice::Selected("p".to_string()),
        cycles,
        ..Default::default()
    };
    let alone = spin::Options { cycles: Cycles::Acceptance, ..Default::default() };
    for (result, options, line) in [
        // Two observable steps, one of them a rendezvous, and two steps of the claim.
        (
            cycle("ltl", "acceptance-cycle", lasso(false)),
            claimed(Cycles::Acceptance),
            "acceptance cycle (at depth 5)",
        ),
        (
            cycle("non-progress", "non-progress-cycle", lasso(false)),
            claimed(Cycles::NonProgress),
            "non-progress cycle (at depth 5)",
        ),
        (
            cycle("never", "never-claim", run()),
            claimed(Cycles::Disabled),
            "end state in claim reached (at depth 9)",
        ),
        (
            cycle("acceptance", "acceptance-cycle", lasso(false)),
            alone.clone(),
            "acceptance cycle (at depth 3)",
        ),
        (cycle("acceptance", "acceptance-cycle", lasso(true)), alone, "accept stutter (at depth 4)"),
    ] {
        let text = spin_summary(result, &options);
        assert!(text.starts_with(&format!("pan:1: {line}\n")), "no {line} in\n{text}");
    }
    let mut fair = cycle("ltl", "acceptance-cycle", lasso(false));
    fair.method.fairness = "weak".to_string();
    let text = spin_summary(fair, &claimed(Cycles::Acceptance));
    let checks = "\tnever claim         \t+ (p)\n\tassertion violations\t+ (if within scope of claim)\n\
                  \tacceptance   cycles \t+ (fairness enabled)\n\tinvalid end states\t- (disabled by never claim)\n";
    assert!(text.contains(checks), "{text}");
}

#[test]
fn services_are_told_where_a_loop_starts() {
    let sarif = |result| {
        let log: serde_json::Value = serde_json::from_str(&report::sarif::render(&report(result))).unwrap();
        log["runs"][0]["results"][0].clone()
    };
    let entry = sarif(cycle("ltl", "acceptance-cycle", lasso(false)));
    assert_eq!(entry["message"]["text"], "p: a run violates the formula; the loop starts with step 3");
    assert_eq!(entry["locations"][0]["physicalLocation"]["region"]["startLine"], 6);
    let entry = sarif(cycle("acceptance", "acceptance-cycle", lasso(true)));
    assert_eq!(entry["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
    let flows = entry["codeFlows"][0]["threadFlows"].as_array().unwrap();
    let steps: usize = flows.iter().map(|flow| flow["locations"].as_array().unwrap().len()).sum();
    assert_eq!((flows.len(), steps), (2, 4));
    let junit = report::junit::render(&report(cycle("ltl", "acceptance-cycle", lasso(true))));
    assert!(junit.contains("message=\"a run that ends violates the formula\""), "{junit}");
    assert!(junit.contains("from here on, for ever:"), "{junit}");
}

mod nets {
    //! Results about nets.

    use super::*;

    fn firing(transition: u32, name: &str, changes: &[(&str, i64, i64)]) -> RunStep {
        let change = |&(name, before, after): &(&str, i64, i64)| Change {
            name: name.to_string(),
            before: Some(Value::Int(before)),
            after: Some(Value::Int(after)),
        };
        RunStep {
            step: Step { action: Action::solo(Actor(0), transition), observable: true, phase: Phase::Normal },
            text: StepText { action: name.to_string(), ..StepText::default() },
            from: 0,
            changes: changes.iter().map(change).collect(),
        }
    }

    fn marking(n_places: usize) -> Vec<Variable> {
        (0..n_places).map(|k| Variable { name: format!("p{k}"), value: Value::Int((k % 2) as i64) }).collect()
    }

    fn about(kind: &'static str, verdict: Verdict, reason: Option<&str>) -> PropertyResult {
        PropertyResult {
            property: format!("{kind}_0"),
            kind,
            edges: Some(14),
            unreached: Vec::new(),
            ..result(verdict, reason)
        }
    }

    fn with_run(result: PropertyResult, n_places: usize) -> PropertyResult {
        let steps = vec![firing(0, "t", &[("p1", 1, 0), ("p2", 0, 1)]), firing(7, "longer", &[("p2", 1, 0)])];
        PropertyResult { run: Some(Run { initial: marking(n_places), steps, ..Run::default() }), ..result }
    }

    #[test]
    fn a_firing_has_a_transition_and_changes() {
        let shown = with_run(about("invariant", Verdict::Violated, Some("invariant")), 4);
        let text = plain(&report::human::render(&report(shown)));
        let expected = "\
m.pml: invariant_0 is violated: a marking is reachable in which it does not hold

trace (2 steps)
     initially p1 = 1, p3 = 1
   1   t       p1: 1 -> 0, p2: 0 -> 1
   2   longer  p2: 1 -> 0

10 states, 14 firings, depth 9
";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_witness_is_announced_only_where_it_is_shown() {
        let shown = || report(with_run(about("reach", Verdict::Holds, None), 4));
        let text = plain(&report::human::render(&shown()));
        assert!(text.starts_with("m.pml: reach_0 holds: this run shows it\n"), "{text}");
        assert!(text.contains("   1   t "), "{text}");
        assert_eq!(plain(&report::human::headlines(&shown())), "m.pml: reach_0 holds\n");
    }

    #[test]
    fn a_bound_is_shown_with_its_sum_if_that_is_short() {
        let bound = |formula: String| PropertyResult {
            value: Some(3),
            formula: Some(formula),
            ..about("bound", Verdict::Holds, None)
        };
        let short = report(bound("MAX(p1 + p2)".to_string()));
        assert_eq!(plain(&report::human::headlines(&short)), "m.pml: bound_0: MAX(p1 + p2) = 3\n");
        assert_eq!(plain(&report::human::render(&short)).matches("MAX").count(), 1);
        let sum = format!("MAX(p{})", " + p".repeat(50));
        let text = plain(&report::human::render(&report(bound(sum.clone()))));
        assert!(text.starts_with(&format!("m.pml: bound_0 = 3\n  {sum}\n")), "{text}");
        let json: serde_json::Value = serde_json::from_str(&json(&short)).unwrap();
        assert_eq!((&json["results"][0]["value"], &json["results"][0]["edges"]), (&3.into(), &14.into()));
    }

    #[test]
    fn a_large_marking_is_abridged_as_long_traces_are() {
        let shown = with_run(about("deadlock", Verdict::Violated, Some("deadlock")), 1000);
        let text = plain(&report::human::render(&report(shown.clone())));
        assert!(text.contains("p119 = 1, … and 440 more; `--trace FILE` writes them all\n"), "{text}");
        assert!(text.contains("in which no transition is enabled"), "{text}");
        let mut full = String::new();
        report::human::write_run(&mut full, shown.run.as_ref().unwrap(), report::human::Length::Full);
        assert!(full.contains("p999 = 1\n"), "{full}");
    }

    #[test]
    fn what_needs_no_search_has_no_counts() {
        let mut looked = about("ctl", Verdict::Violated, Some("formula"));
        looked.method.search = "none".to_string();
        let text = plain(&report::human::render(&report(looked)));
        let expected = "m.pml: ctl_0 is violated: the answer is no\n\ndecided by the initial state alone\n";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn reasons_are_explained() {
        for reason in [
            "tokens",
            "broken-bound",
            "mixed-logic",
            "formula-too-large",
            "too-many-atoms",
            "lossy-store",
            "may-miss",
        ] {
            let explanation = about("formula", Verdict::Unknown, Some(reason)).explanation().unwrap();
            assert!(explanation.len() > reason.len() && explanation != reason, "{explanation}");
        }
        for kind in ["reach", "home", "live", "ctl", "ltl", "formula", "global"] {
            let explanation = about(kind, Verdict::Violated, Some("formula")).explanation().unwrap();
            assert_ne!(explanation, "formula");
        }
    }

    #[test]
    fn firings_have_the_place_of_the_net_and_no_process() {
        let mut shown = with_run(about("ltl", Verdict::Violated, Some("formula")), 4);
        shown.run.as_mut().unwrap().loop_start = Some(1);
        let whole = report(shown);
        let log: serde_json::Value = serde_json::from_str(&report::sarif::render(&whole)).unwrap();
        let entry = &log["runs"][0]["results"][0];
        let uri = |place: &serde_json::Value| place["physicalLocation"]["artifactLocation"]["uri"].clone();
        assert_eq!(uri(&entry["locations"][0]), "m.pml");
        let steps = &entry["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(uri(&steps[0]["location"]), "m.pml");
        assert_eq!(steps[0]["location"]["message"]["text"], "t p1: 1 -> 0, p2: 0 -> 1");
        let junit = report::junit::render(&whole);
        assert!(
            junit.contains("<failure type=\"formula\" message=\"a run violates the formula\">"),
            "{junit}"
        );
        assert!(junit.contains("   1   t "), "{junit}");
        let json: serde_json::Value = serde_json::from_str(&json(&whole)).unwrap();
        let step = &json["results"][0]["trace"]["steps"][1];
        assert_eq!(step["process"], serde_json::Value::Null);
        assert_eq!((&step["action"], &step["transition"]), (&"longer".into(), &7.into()));
    }
}

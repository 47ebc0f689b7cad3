//! What is read out of a text.

use std::path::Path;

use promela::tree::*;
use promela::{Options, parse};

fn read(text: &str) -> Program {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    match parse("test.pml", text.to_owned(), &Options::default(), &missing).expect("there is time").accept() {
        Ok(parsed) => parsed.program,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

/// The statements of the first process type.
fn statements(text: &str) -> Vec<StmtKind> {
    let mut program = read(text);
    program.proctypes.remove(0).body.sequence.stmts.into_iter().map(|stmt| stmt.kind).collect()
}

fn refused(text: &str) -> Vec<&'static str> {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let rejected = parse("test.pml", text.to_owned(), &Options::default(), &missing)
        .expect("there is time")
        .accept()
        .expect_err(text);
    rejected.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn line_ends_stand_for_semicolons() {
    let count = |body: &str| statements(&format!("byte x; chan c = [1] of {{byte}}; init {{{body}}}")).len();
    assert_eq!(count("x = 1\nx = 2\n x++\nc!1\nc?x\n(x == 1)\nskip\n"), 7);
    assert_eq!(count("x == 1\n-> x = 2"), 2);
    assert_eq!(count("x = 1 +\n2"), 1);
    assert_eq!(count("assert(x ==\n 1\n)\nx = 1"), 2);
    assert_eq!(count("if\n:: x == 1\n:: else\nfi\nx = 1"), 2);
    assert_eq!(count("atomic { x = 1 } x = 2"), 2);
    assert_eq!(count("atomic\n{\nx = 1\n}\nunless\n{ x == 1 }\nx = 2"), 2);
    assert_eq!(count("x = 1 /* two\nlines */ x = 2"), 2);
    assert_eq!(count("x = 1;; x = 2; ;"), 2);
    assert_eq!(count("timeout\nx = 1"), 2);
    assert_eq!(refused("byte x; init { x = 1 x = 2 }"), ["E0301"]);
    assert_eq!(refused("byte x; init { x\n= 2 }"), ["E0301"]);
}

#[test]
fn a_macro_call_over_several_lines_ends_its_line() {
    let text = "#define SET(a, b) a = b\nbyte x; init { SET(x,\n1) x = 2 }";
    assert_eq!(statements(text).len(), 2);
}

#[test]
fn macros_are_expanded_as_in_c() {
    let value = |definitions: &str, expression: &str| {
        let program = read(&format!("{definitions}\nint x = {expression};\ninit {{ skip }}"));
        match &program.vars[0].init {
            Init::Expr(Expr { kind: ExprKind::Const(value), .. }) => *value,
            init => panic!("{init:?}"),
        }
    };
    assert_eq!(value("#define A B\n#define B 5", "A"), 5);
    assert_eq!(value("#define F(x) x\n#define G F", "G (7)"), 7);
    assert_eq!(value("#define CAT(a, b) a ## b", "CAT(1, 2)"), 12);
    assert_eq!(
        value("#define CAT(a, b) a ## b\n#define XCAT(a, b) CAT(a, b)\n#define N 4", "XCAT(N, N)"),
        44
    );
    assert_eq!(value("#define LAST(a, ...) __VA_ARGS__", "LAST(1, 2)"), 2);
    assert_eq!(value("#define F(x) G(x)\n#define G(x) x", "F(F(3))"), 3);
    assert_eq!(value("#define A 1\n#undef A\n#define A 2", "A"), 2);
    assert_eq!(
        value("#if defined(A) || (2 + 2 == 4 && !defined B)\n#define V 1\n#else\n#define V 2\n#endif", "V"),
        1
    );
    assert_eq!(value("#ifdef A\n#elif 0x10 == 16\n#define V 8\n#else\n#endif", "V"), 8);
    assert_eq!(value("#if 0\n#if 1\n#else\n#endif\ndon't \" mind\n#else\n#define V 3\n#endif", "V"), 3);
    assert_eq!(value("#define LONG 1\\\n2", "LONG /* c */"), 12);
}

#[test]
fn strings_are_not_expanded_but_made() {
    let text = "#define N 5\n#define SHOW(e) printf(#e \"\")\n#define S(e) #e\ninit { printf(\"N\"); printf(S(a  + \"b\")) }";
    let formats: Vec<String> = statements(text)
        .into_iter()
        .map(|stmt| match stmt {
            StmtKind::Print { format, .. } => format,
            stmt => panic!("{stmt:?}"),
        })
        .collect();
    assert_eq!(formats, ["N", "a + \\\"b\\\""]);
}

#[test]
fn recursive_macros_stop() {
    let text = "#define x x + 1\nint x; init { x == 1 }";
    assert_eq!(refused(text), ["E0301"]);
    assert_eq!(statements("#define skip skip\ninit { skip }").len(), 1);
}

#[test]
fn tokens_of_a_macro_have_the_place_of_its_use() {
    let program = read("#define SET x = 1\nbyte x; init {\n    SET\n}");
    let stmt = &program.proctypes[0].body.sequence.stmts[0];
    let place = program.locate(stmt.span);
    assert_eq!((place.line, place.column), (3, 5));
    assert_eq!(program.sources.text(stmt.span), "SET");
}

#[test]
fn included_files_are_found_beside_the_includer() {
    let load = |path: &Path| match path.to_str() {
        Some("models/inc/a.h") => Ok(b"#include \"b.h\"\n".to_vec()),
        Some("models/inc/b.h") => Ok(b"#define N 4\nbyte from_b;\n".to_vec()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let text = "#include \"inc/a.h\"\ninit { from_b = N }".to_owned();
    let program = parse("models/main.pml", text, &Options::default(), &load)
        .expect("there is time")
        .accept()
        .unwrap()
        .program;
    let var = &program.vars[program.globals[0].0 as usize];
    assert_eq!(program.sources.file(var.span.file).name, "models/inc/b.h");
    assert_eq!(program.sources.file(var.span.file).line(var.span.start), 2);
}

#[test]
fn the_command_line_defines_macros() {
    let options = Options {
        defines: vec![
            ("A".to_owned(), None),
            ("B".to_owned(), Some("2+3".to_owned())),
            ("C".to_owned(), None),
        ],
        undefines: vec!["C".to_owned()],
        include_dirs: vec!["lib".into()],
        ..Options::default()
    };
    let load = |path: &Path| match path.to_str() {
        Some("lib/c.h") => Ok(b"byte c;".to_vec()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let text = "#include <c.h>\n#if A == 1 && B == 5 && !defined(C)\ninit { c = 1 }\n#endif".to_owned();
    assert_eq!(
        parse("m.pml", text, &options, &load)
            .expect("there is time")
            .accept()
            .unwrap()
            .program
            .proctypes
            .len(),
        1
    );
}

#[test]
fn symbolic_constants_are_numbered_from_the_end() {
    let program = read("mtype = {A, B}; mtype = {C D}; mtype:s = {E, F}; init { skip }");
    let names: Vec<(&str, i32)> = program
        .mtypes
        .iter()
        .flat_map(|set| &set.names)
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    assert_eq!(names, [("A", 2), ("B", 1), ("C", 4), ("D", 3), ("E", 2), ("F", 1)]);
}

#[test]
fn select_takes_the_form_that_spin_gives_it() {
    let form = |text: &str| match statements(text).remove(0) {
        StmtKind::Select { form, .. } => form,
        StmtKind::Inline { mut body, .. } => match body.stmts.remove(0).kind {
            StmtKind::Select { form, .. } => form,
            stmt => panic!("{stmt:?}"),
        },
        stmt => panic!("{stmt:?}"),
    };
    assert_eq!(form("byte i; init { select(i : 1 .. 3) }"), SelectForm::Choice);
    assert_eq!(form("#define N 3\nbyte i; init { select(i : 1..N) }"), SelectForm::Choice);
    assert_eq!(form("byte i; init { select(i : 0 .. 33) }"), SelectForm::LoopBreakLast);
    assert_eq!(form("byte i_; init { select(i_ : 1 .. 3) }"), SelectForm::LoopBreakFirst);
    assert_eq!(form("#define N (3)\nbyte i; init { select(i : 1 .. N) }"), SelectForm::LoopBreakFirst);
    assert_eq!(form("int i; init { select(i : -1 .. 1) }"), SelectForm::LoopBreakFirst);
    assert_eq!(form("byte i, n; init { select(i : 1 .. n) }"), SelectForm::LoopBreakFirst);
    assert_eq!(form("byte i; inline f() { select(i : 1 .. 3) } init { f() }"), SelectForm::LoopBreakFirst);
}

#[test]
fn only_declarations_at_the_start_are_initial() {
    let initial = |text: &str| -> Vec<bool> {
        let flag = |stmt: StmtKind| match stmt {
            StmtKind::Decl { initial, .. } => Some(initial),
            _ => None,
        };
        statements(text).into_iter().filter_map(flag).collect()
    };
    assert_eq!(initial("init { byte a; byte b = 1; skip; byte c; }"), [true, true, false]);
    assert_eq!(initial("chan c = [1] of {byte}; init { xr c; byte a; c!1 }"), [true]);
    assert_eq!(initial("inline f() { skip } init { byte a; f(); byte b; skip }"), [true, false]);
    let StmtKind::Block(body) = statements("init { { byte a; skip } }").remove(0) else { panic!() };
    assert!(matches!(body.stmts[0].kind, StmtKind::Decl { initial: false, .. }));
}

#[test]
fn jumps_find_the_nearest_label() {
    let text = "init { goto A; { skip; goto A; A: skip }; { skip; goto B }; A: skip; B: skip; goto C; { skip; C: skip } }";
    let program = read(text);
    let body = &program.proctypes[0].body;
    let names: Vec<&str> = body.labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["A", "A", "B", "C"]);
    let mut jumps = Vec::new();
    fn collect(sequence: &Sequence, jumps: &mut Vec<u32>) {
        for stmt in &sequence.stmts {
            match &stmt.kind {
                StmtKind::Goto(label) => jumps.push(label.0),
                StmtKind::Block(body) => collect(body, jumps),
                _ => {}
            }
        }
    }
    collect(&body.sequence, &mut jumps);
    assert_eq!(jumps, [1, 0, 2, 3]);
}

#[test]
fn inlines_have_labels_and_variables_of_their_own() {
    let text = "byte x; inline f(v) { byte t = v; goto L; L: x = t } init { f(1); f(x + 2); L: skip }";
    let program = read(text);
    assert_eq!(program.proctypes[0].locals.len(), 2);
    assert_eq!(program.proctypes[0].body.labels.len(), 3);
    let call = &program.proctypes[0].body.sequence.stmts[1];
    assert_eq!(program.sources.text(call.span), "f(x + 2)");
    let StmtKind::Inline { body, .. } = &call.kind else { panic!() };
    assert!(matches!(body.stmts[1].kind, StmtKind::Goto(LabelId(1))));
}

#[test]
fn inlines_can_return_values() {
    let text = "byte x; inline g(a) { return a + 1 } inline f(a) { x = g(a) } init { x = g(1); f(2) }";
    let StmtKind::Inline { body, .. } = &statements(text)[0] else { panic!() };
    assert!(matches!(body.stmts[0].kind, StmtKind::Assign(..)));
}

#[test]
fn structures_are_expanded_in_messages() {
    let text = "typedef P { byte x; byte y[2] }; typedef T { P p; bit b }; T t; chan c = [1] of { T };\n\
                init { c!t; c?t; c!t.p,t.b; c?t.p.x(t.p.y[0], _, 0) }";
    let counts: Vec<usize> = statements(text)
        .iter()
        .map(|stmt| match stmt {
            StmtKind::Send { args, .. } => args.len(),
            StmtKind::Receive { args, .. } => args.len(),
            stmt => panic!("{stmt:?}"),
        })
        .collect();
    assert_eq!(counts, [4, 4, 4, 4]);
}

#[test]
fn references_to_other_processes_mark_labels() {
    let text = "active proctype P() { byte v; L: v = 1; M: skip } active proctype Q() { P@L; P[0]:v == 1 }\n\
                active proctype R() { (R[2]@N); N: skip } ltl { [] !P[0]@M }";
    let program = read(text);
    let referenced = |index: usize| -> Vec<bool> {
        program.proctypes[index].body.labels.iter().map(|label| label.referenced).collect()
    };
    assert_eq!(referenced(0), [true, true]);
    assert_eq!(referenced(2), [true]);
    let StmtKind::Condition(condition) = &program.proctypes[2].body.sequence.stmts[0].kind else { panic!() };
    assert!(matches!(condition.kind, ExprKind::RemoteLabel { label: LabelId(0), .. }));
    assert_eq!(refused("active proctype P() { L: skip } active proctype Q() { P@X }"), ["E0404"]);
}

#[test]
fn a_label_may_have_the_name_of_a_later_process_type() {
    assert_eq!(statements("active proctype P() { Q: skip } proctype Q() { skip }").len(), 1);
}

#[test]
fn break_in_an_escape_leaves_the_loop_around() {
    assert_eq!(statements("init { do :: { do :: skip -> skip od unless { break } } od }").len(), 1);
    assert_eq!(refused("init { do :: skip -> skip od unless { break } }"), ["E0601"]);
}

#[test]
fn formulas_group_as_in_spin() {
    let shape = |formula: &str| {
        let program = read(&format!("bool a, b, c; init {{ skip }} ltl {{ {formula} }}"));
        describe(&program.ltl[0].formula, &program)
    };
    assert_eq!(shape("[] a -> <> b"), "([] a -> <> b)");
    assert_eq!(shape("a U b U c"), "((a U b) U c)");
    assert_eq!(shape("[] a U b"), "([] a U b)");
    assert_eq!(shape("a -> b -> c"), "((a -> b) -> c)");
    assert_eq!(shape("<>a || []b && <>c"), "(<> a || ([] b && <> c))");
    assert_eq!(shape("a U b && c"), "((a U b) && c)");
    assert_eq!(shape("!<>a /\\ []b \\/ <>c"), "((!<> a && [] b) || <> c)");
    assert_eq!(shape("always a implies eventually b until c"), "([] a -> (<> b U c))");
    assert_eq!(shape("a <-> X b"), "(a <-> X b)");
    assert_eq!(shape("a W b V c"), "((a W b) V c)");
    assert_eq!(shape("□(a → ◇b) ∧ ○¬c ∨ a ↔ b"), "((([] (a -> <> b) && X !c) || a) <-> b)");
    assert_eq!(shape("[] (a && !b || c)"), "[] ((a && !b) || c)");
    assert_eq!(shape("[] (1 && !0)"), "[] (true && !false)");
    assert_eq!(shape("[] ((a && b) == c)"), "[] ((a && b) == c)");
}

fn describe(formula: &Formula, program: &Program) -> String {
    use logic::UnaryOp::{Always, Eventually, Next, Not};
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(expr) => program.sources.text(expr.span).to_owned(),
        Formula::Unary(op, a) => {
            let sign = match op {
                Not => "!",
                Next => "X ",
                Always => "[] ",
                Eventually => "<> ",
            };
            format!("{sign}{}", describe(a, program))
        }
        Formula::Binary(op, a, b) => {
            let sign = match op {
                logic::BinaryOp::And => "&&",
                logic::BinaryOp::Or => "||",
                logic::BinaryOp::Implies => "->",
                logic::BinaryOp::Equivalent => "<->",
                logic::BinaryOp::Until => "U",
                logic::BinaryOp::WeakUntil => "W",
                logic::BinaryOp::Release => "V",
                other => panic!("{other:?} has no sign here"),
            };
            format!("({} {sign} {})", describe(a, program), describe(b, program))
        }
    }
}

/// The reading that the warning about missing brackets shows, if there is one.
fn warned(formula: &str) -> Option<String> {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let text = format!("byte x; bool a, b, c; init {{ skip }} ltl {{ {formula} }}");
    let parsed = parse("test.pml", text, &Options::default(), &missing)
        .expect("there is time")
        .accept()
        .expect(formula);
    let warning = parsed.diagnostics.into_iter().find(|warning| warning.code == "W0818")?;
    warning.help
}

#[test]
fn formulas_that_are_easily_misread_are_pointed_out() {
    let reading = |formula: &str| warned(formula).unwrap_or_default();
    assert_eq!(reading("a -> b -> c"), "it means `(a -> b) -> c`");
    assert_eq!(reading("a U b U c"), "it means `(a U b) U c`");
    assert_eq!(reading("[] a U b"), "it means `([] a) U b`");
    assert_eq!(reading("! <> a U b"), "it means `!(<> a) U b`");
    assert_eq!(reading("<>a || b && <>c"), "it means `(<> a) || (b && (<> c))`");
    assert_eq!(reading("[] (c -> a -> <> b)"), "it means `[] ((c -> a) -> (<> b))`");
    for clear in [
        "[] a -> <> b",
        "(a -> b) -> c",
        "([] a) U b",
        "a || b && c",
        "!a U b",
        "a U (b U c)",
        "<>a || (b && <>c)",
        "<>a && <>b && <>c",
        "a U b && c",
    ] {
        assert_eq!(warned(clear), None, "{clear}");
    }
}

#[test]
fn texts_behind_the_model_know_its_macros() {
    let extra = |text: &str| {
        let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        let model = "#define p (x == 1)\nbyte x; active proctype P() { x = 1 }".to_owned();
        let extra = vec![("--ltl".to_owned(), text.to_owned()), ("b".to_owned(), "never { p }".to_owned())];
        parse("m.pml", model, &Options { extra, ..Options::default() }, &missing)
            .expect("there is time")
            .accept()
    };
    let program = extra("#define q (P@L)\nltl f { [] !p }").expect("a formula").program;
    assert_eq!((program.ltl.len(), program.claims.len()), (1, 1));
    assert_eq!(program.sources.files.len(), 3);
    assert_eq!(program.sources.file(program.claims[0].span.file).name, "b");
    let rejected = extra("\nltl f { [] nothing }").expect_err("an unknown name");
    let found = &rejected.diagnostics[0];
    let span = found.span.unwrap();
    let file = rejected.sources.file(span.file);
    assert_eq!((file.name.as_str(), file.line(span.start), found.code), ("--ltl", 2, "E0401"));
}

#[test]
fn a_temporal_operator_in_a_comparison_gets_a_fix() {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let text = "byte x; init { skip } ltl { []<> x + 1 == 7 }".to_owned();
    let rejected =
        parse("test.pml", text, &Options::default(), &missing).expect("there is time").accept().unwrap_err();
    assert_eq!(rejected.diagnostics[0].code, "E0609");
    assert_eq!(rejected.diagnostics[0].help.as_deref(), Some("write `[]<> (x + 1)`"));
}

#[test]
fn several_errors_are_reported_at_once() {
    let text = "init {\n  x = 1;\n  if :: fi;\n  goto L;\n  y!1\n}\nproctype P() { z = 2 }\nbyte b[0];";
    assert_eq!(refused(text), ["E0401", "E0303", "E0401", "E0404", "E0401", "E0505"]);
}

#[test]
fn reports_inside_an_inline_name_the_call() {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let text = "inline f(a) { a = 1 }\ninit { f(nothing) }".to_owned();
    let rejected =
        parse("test.pml", text, &Options::default(), &missing).expect("there is time").accept().unwrap_err();
    let found = &rejected.diagnostics[0];
    let line = |span| rejected.sources.position(span).line;
    assert_eq!((found.code, found.span.map(line)), ("E0401", Some(1)));
    assert_eq!(found.related.as_ref().map(|(span, _)| line(*span)), Some(2));
}

#[test]
fn what_can_be_understood_of_a_wrong_model_is_in_the_tree() {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let of = |text: &str| {
        let parsed =
            parse("test.pml", text.to_owned(), &Options::default(), &missing).expect("there is time");
        let names = parsed.program.proctypes.iter().map(|process| process.name.clone()).collect::<Vec<_>>();
        (names.join(" "), parsed.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>())
    };
    let (first, last) = ("byte x; active proctype A() { x = 1 }", "active proctype B() { x = 2 }");
    assert_eq!(of(&format!("{first} {last}")), ("A B".to_owned(), vec![]));
    assert_eq!(of(&format!("{first} proctype C() {{ y = 1 }} {last}")), ("A C B".to_owned(), vec!["E0401"]));
    assert_eq!(of(&format!("{first} byte y = ; {last}")), ("A B".to_owned(), vec!["E0301"]));
    // Of what the preprocessor has complained about, the parser says nothing more.
    assert_eq!(of(&format!("{first} byte y = 0x1; {last}")), ("A B".to_owned(), vec!["E0104"]));
    assert_eq!(of(&format!("{first}\n#include \"no\"\n{last}")), ("A B".to_owned(), vec!["E0203"]));
}

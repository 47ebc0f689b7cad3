//! No input makes the reader panic, hang or run out of stack: every limit is stated and refused.

use std::path::Path;

use model::{Patience, Random};
use promela::{MAX_EXPRESSION_HEIGHT, MAX_NESTING, Options, parse};

/// The code of the first error; tests run with 2 MiB of stack, as every thread does by default.
fn first_error(text: impl Into<String>) -> Option<&'static str> {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let result =
        parse("test.pml", text.into(), &Options::default(), &missing).expect("there is time").accept();
    result
        .err()
        .map(|rejected| rejected.diagnostics.iter().find(|found| found.code.starts_with('E')).unwrap().code)
}

#[test]
fn deep_nesting_is_refused() {
    let shapes = [
        ("", "{ ", "skip", " }"),
        ("", "if :: ", "skip", " fi"),
        ("", "do :: atomic { ", "skip", " } od"),
        ("", "for (x : 1 .. 2) { ", "skip", " }"),
        ("x = ", "(", "1", ")"),
        ("assert ", "- ", "1", ""),
        ("x = ", "a[", "0", "]"),
        ("x = ", "(x -> 1 : ", "1", ")"),
    ];
    for (head, open, inside, close) in shapes {
        let model = |times| {
            let nested = format!("{}{inside}{}", open.repeat(times), close.repeat(times));
            format!("byte a[2]; int x; init {{ {head}{nested} }}")
        };
        assert_eq!(first_error(model(MAX_NESTING / 4)), None, "{head}{open}");
        assert_eq!(first_error(model(10_000)), Some("E0302"), "{head}{open}");
    }
}

#[test]
fn the_deepest_tree_can_be_built_and_dropped() {
    let blocks = "{ if :: ".repeat(MAX_NESTING / 4);
    let closed = " fi }".repeat(MAX_NESTING / 4);
    let brackets = MAX_NESTING / 4;
    let chain = "1+".repeat(MAX_EXPRESSION_HEIGHT / brackets - 2);
    let value = format!("{}1{}", format!("{chain}(").repeat(brackets), ")".repeat(brackets));
    assert_eq!(first_error(format!("int x; init {{ {blocks} x = {value} {closed} }}")), None);
}

#[test]
fn long_expressions_are_refused() {
    let sum = |terms: usize| format!("int x; init {{ x = {} }}", vec!["1"; terms].join("+"));
    assert_eq!(first_error(sum(MAX_EXPRESSION_HEIGHT - 1)), None);
    assert_eq!(first_error(sum(100_000)), Some("E0302"));
    let formula =
        |terms: usize| format!("byte x; init {{ skip }} ltl {{ {} }}", vec!["(x==1)"; terms].join(" U "));
    assert_eq!(first_error(formula(MAX_EXPRESSION_HEIGHT / 2)), None);
    assert_eq!(first_error(formula(100_000)), Some("E0302"));
}

#[test]
fn large_sources_are_refused_at_once() {
    assert_eq!(first_error(" ".repeat(promela::MAX_SOURCE_BYTES + 1)), Some("E0107"));
    assert_eq!(first_error(format!("init {{ {} }}", "skip;".repeat(promela::MAX_TOKENS / 2))), Some("E0107"));
}

#[test]
fn expansions_that_explode_are_refused() {
    let doubling: String = (0..60).map(|i| format!("#define A{i} A{} A{}\n", i + 1, i + 1)).collect();
    assert_eq!(first_error(format!("{doubling}init {{ A0 }}")), Some("E0210"));
    let calls = |name: &str| format!("{}a{}", format!("{name}(").repeat(50), ")".repeat(50));
    let pasting = "#define P(x) x##x\n#define Q(x) P(x)\n";
    assert_eq!(first_error(format!("{pasting}init {{ {} }}", calls("Q"))), Some("E0210"));
    let quoting = "#define S(x) #x\n#define T(x) S(x x)\n";
    assert_eq!(first_error(format!("{quoting}init {{ printf({}) }}", calls("T"))), Some("E0210"));
    let inlines: String =
        (1..40).map(|i| format!("inline f{i}() {{ f{}(); f{}() }}\n", i - 1, i - 1)).collect();
    assert_eq!(first_error(format!("inline f0() {{ skip }}\n{inlines}init {{ f39() }}")), Some("E0107"));
    let types: String = (1..60).map(|i| format!("typedef T{i} {{ T{} a; T{} b }}\n", i - 1, i - 1)).collect();
    assert_eq!(first_error(format!("typedef T0 {{ byte a }}\n{types}T59 t; init {{ skip }}")), Some("E0505"));
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    let text = "#include \"test.pml\"\ninit { skip }";
    let result = parse("test.pml", text.to_owned(), &Options::default(), &|_| Ok(text.as_bytes().to_vec()))
        .expect("there is time")
        .accept();
    assert_eq!(result.unwrap_err().diagnostics[0].code, "E0204");
}

#[test]
fn at_most_fifty_errors_are_reported() {
    let text = format!("init {{ {} }}", "x = 1; y z; ".repeat(1000));
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let rejected =
        parse("test.pml", text, &Options::default(), &missing).expect("there is time").accept().unwrap_err();
    assert!((40..=60).contains(&rejected.diagnostics.len()), "{}", rejected.diagnostics.len());
}

#[test]
fn garbage_is_refused() {
    for text in [
        "",
        "}",
        "{",
        "init",
        "init {",
        "init { if",
        "init { if :: ",
        "proctype",
        "proctype P(",
        "ltl { [] ",
        "#",
        "##",
    ] {
        assert!(first_error(text).is_some(), "{text}");
    }
}

#[test]
fn the_highest_formulas_can_be_lowered() {
    let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    for operator in [" -> ", " <-> ", " && ", " || ! "] {
        let times = MAX_EXPRESSION_HEIGHT - 5;
        let formula = format!("(a[x] + x){}", format!("{operator}(a[x])").repeat(times));
        let text = format!("byte x, a[3]; active proctype P() {{ x = 1 }} ltl {{ [] ({formula}) }}");
        let parsed = parse("test.pml", text, &Options::default(), &missing)
            .expect("there is time")
            .accept()
            .expect(operator);
        let lowered = promela::lower_with_properties(&parsed.program, &Patience::default())
            .expect("there is time")
            .expect(operator);
        ir::verify(&lowered.program).expect(operator);
    }
}

/// Cuts, doubles and swaps pieces of models; a fixed generator makes it the same each time.
#[test]
fn mutated_models_do_not_panic() {
    let models = [
        include_str!("errors/E0514.pml"),
        "#define N 3\n#define F(a, ...) a ## N, #a\nmtype = { A, B }; typedef T { byte a; bit b[2] }; T t[2];\n\
         chan c = [2] of { T, mtype }; inline f(x, y) { byte z = x; L: y = z; goto L }\n\
         active [2] proctype P(byte p) priority 2 provided (p < N) {\n  byte i\n  do\n  :: i < 3 -> i++ unless { timeout }\n\
         :: c!t[i], A; c?t[0], eval(A)\n  :: d_step { f(1, i) } :: else -> break\n  od;\n for (i : 0 .. N) { select(i : 1 .. 3) }\n}\n\
         #if defined(N) && N > 2\nltl p { [] <> (P[0]@L -> P[1]:i == 2 U t[1].a) }\n#else\n#endif\ntrace { c!_, _ }\n\
         init { run P(1); printf(\"%d\\n\", len(c)); { c?[t[0], A] } }\nnever { do :: np_ od }\n",
        "byte x, a[3]; mtype = { A };\nactive proctype P() { byte i; L: x = 1; progress: x = 2 }\n\
         ltl f { [] (x < 3 -> a[x] == A) U (P@L || !(x != 1) && <> np_) }\n\
         never { S0: do :: a[x] == 1 -> goto accept_S1\n :: atomic { !(x == 1 || x > 2) -> assert(x < 7); x < 9 }\n\
         :: else od; accept_S1: { if :: x < 2 && P:i == 1 :: skip -> goto S0 fi } unless { timeout }; end: skip }\n",
    ];
    let mut numbers = Random::new(1);
    let mut random = move |limit: usize| numbers.below(limit.max(1));
    let missing = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let mut taken = 0;
    for round in 0..6000 {
        let mut bytes = models[round % models.len()].as_bytes().to_vec();
        for _ in 0..=random(6) {
            let (at, length) = (random(bytes.len()), random(12));
            let end = (at + length).min(bytes.len());
            let piece: Vec<u8> = bytes[at..end].to_vec();
            match random(4) {
                0 => drop(bytes.drain(at..end)),
                1 => drop(bytes.splice(at..at, piece)),
                2 => bytes.insert(at, b"(){}[];:,.=!?<>#\"'\\@\n"[random(21)]),
                _ => {
                    let to = random(bytes.len());
                    drop(bytes.splice(to..to, piece));
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Ok(parsed) =
            promela::parse("test.pml", text, &Options::default(), &missing).expect("there is time").accept()
            && let Ok(lowered) =
                promela::lower_with_properties(&parsed.program, &Patience::default()).expect("there is time")
        {
            taken += 1;
            ir::verify(&lowered.program).expect("what is lowered is in order");
        }
    }
    assert!(taken > 100, "only {taken} models are still models");
}

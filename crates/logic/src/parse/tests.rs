use super::*;
use crate::ltl::{BinaryOp, UnaryOp};
use crate::print::{Notation, print};
use std::path::{Path, PathBuf};

const DIALECTS: [Dialect; 4] = [Dialect::Inline, Dialect::SpinF, Dialect::Spot, Dialect::Ltsmin];

/// The formula with all brackets, in Spin's notation.
fn reading(text: &str, dialect: Dialect) -> String {
    match parse(text, dialect) {
        Ok(parsed) => print(&parsed.formula, Notation::Spin, &String::clone),
        Err(error) => panic!("`{text}` in {dialect:?}: {error}"),
    }
}

fn error(text: &str, dialect: Dialect) -> ParseError {
    match parse(text, dialect) {
        Ok(parsed) => panic!("`{text}` in {dialect:?} is {:?}", parsed.formula),
        Err(error) => error,
    }
}

fn warnings(text: &str, dialect: Dialect) -> Vec<String> {
    parse(text, dialect).unwrap().warnings.into_iter().map(|warning| warning.message).collect()
}

/// Checks the reading in each of [`DIALECTS`].
fn check(text: &str, readings: [&str; 4]) {
    for (dialect, expected) in DIALECTS.into_iter().zip(readings) {
        assert_eq!(reading(text, dialect), expected, "{text} in {dialect:?}");
    }
}

#[test]
fn precedence_differs_between_dialects() {
    check("a || b && c", ["a || (b && c)", "(a || b) && c", "a || (b && c)", "a || (b && c)"]);
    check("a -> b -> c", ["(a -> b) -> c", "(a -> b) -> c", "a -> (b -> c)", "(a -> b) -> c"]);
    check("p U q U r", ["(p U q) U r", "(p U q) U r", "p U (q U r)", "(p U q) U r"]);
    check("p U q && r", ["(p U q) && r", "(p U q) && r", "(p U q) && r", "p U (q && r)"]);
    check("p -> q U r", ["p -> (q U r)", "p -> (q U r)", "p -> (q U r)", "(p -> q) U r"]);
    check("a -> b <-> c", ["(a -> b) <-> c", "(a -> b) <-> c", "a -> (b <-> c)", "a -> (b <-> c)"]);
    check("a <-> b -> c", ["(a <-> b) -> c", "(a <-> b) -> c", "a <-> (b -> c)", "(a <-> b) -> c"]);
    check("a -> b && c", ["a -> (b && c)", "(a -> b) && c", "a -> (b && c)", "a -> (b && c)"]);
}

#[test]
fn operators_in_front_bind_most() {
    for dialect in DIALECTS {
        assert_eq!(reading("[] p U q", dialect), "([] p) U q");
        assert_eq!(reading("!p && q", dialect), "(!p) && q");
        assert_eq!(reading("[]<>p -> []<>q", dialect), "([] (<> p)) -> ([] (<> q))");
        assert_eq!(reading("X X p || q", dialect), "(X (X p)) || q");
    }
}

#[test]
fn spot_puts_xor_between_and_and_or() {
    assert_eq!(
        parse("a | b xor c & d", Dialect::Spot).unwrap().formula,
        parse("a | (b xor (c & d))", Dialect::Spot).unwrap().formula
    );
    assert_eq!(
        parse("a xor b | c", Dialect::Spot).unwrap().formula,
        parse("(a ^ b) | c", Dialect::Spot).unwrap().formula
    );
}

#[test]
fn words_and_unicode_mean_the_same_as_symbols() {
    for dialect in DIALECTS {
        assert_eq!(reading("always eventually p", dialect), "[] (<> p)");
        assert_eq!(reading("next (p until q)", dialect), "X (p U q)");
        assert_eq!(reading("p stronguntil q", dialect), "p U q");
        assert_eq!(reading("p weakuntil q", dialect), "p W q");
        assert_eq!(reading("p release q", dialect), "p V q");
        assert_eq!(reading("p implies q", dialect), "p -> q");
        assert_eq!(reading("p equivalent q", dialect), "p <-> q");
        assert_eq!(reading("□ (¬p ∨ ◇ ○ (q ∧ r))", dialect), "[] ((!p) || (<> (X (q && r))))");
        assert_eq!(reading("(p → q) ↔ (r 𝒰 s)", dialect), "(p -> q) <-> (r U s)");
        assert_eq!(reading("(p 𝒲 q) && (p ℛ q)", dialect), "(p W q) && (p V q)");
        assert_eq!(reading(r"p /\ (q \/ r)", dialect), "p && (q || r)");
    }
}

#[test]
fn spot_reads_letters_even_when_they_touch() {
    let spot = |text| reading(text, Dialect::Spot);
    assert_eq!(spot("GFa"), "[] (<> a)");
    assert_eq!(spot("G(Fp1 & Xp2)"), "[] ((<> p1) && (X p2))");
    assert_eq!(spot("(a)Ub"), "a U b");
    assert_eq!(spot("a UFXb"), "a U (<> (X b))");
    assert_eq!(spot("X1 & F0a"), "X1 && F0a");
    assert_eq!(spot("False | TRUE"), "false || true");
    assert_eq!(spot("a M b"), "!((!a) W (!b))");
    assert_eq!(spot("~a => b <=> c"), "(!a) -> (b <-> c)");
    assert_eq!(spot("a R b W c V d"), "a V (b W (c V d))");
    assert_eq!(spot("F\"x == 1\""), "<> (x == 1)");
    assert_eq!(spot(r#""say \"hi\" \\""#), r#"(say "hi" \)"#);
    assert_eq!(warnings("Flag", Dialect::Spot), ["`Flag` is read as `F lag`; put a name in double quotes"]);
    assert_eq!(warnings("XFflag", Dialect::Spot).len(), 1);
    assert!(warnings("GFp12", Dialect::Spot).is_empty());
}

#[test]
fn letters_are_names_elsewhere() {
    assert_eq!(reading("[] (G && F)", Dialect::Inline), "[] (G && F)");
    assert_eq!(reading("[] Flag", Dialect::Inline), "[] Flag");
    assert_eq!(reading("p R q", Dialect::Ltsmin), "p V q");
    let help = error("p R q", Dialect::Inline).help.unwrap();
    assert!(help.contains("`V`"), "{help}");
}

#[test]
fn constants() {
    for dialect in DIALECTS {
        assert_eq!(reading("true U (0 || 1)", dialect), "true U (false || true)");
        assert_eq!(reading("x == true", dialect), "(x == true)");
        assert_eq!(reading("[] 00", dialect), "[] false");
    }
}

#[test]
fn atoms_are_maximal_expressions() {
    let atoms = [
        "x + 1 < y",
        "a[i]",
        "a[b[i] + 1].f[2] == 3",
        "P[1]@label",
        "P[2]:var > 0",
        "P:var",
        "P[i + 1]:r.f",
        "len(c) >= 2",
        "empty(c)",
        "enabled(1)",
        "c?[msg]",
        "c??[msg, 1, eval(x)]",
        "_last == 2",
        "np_",
        "r.f",
        "(x+1) < 3",
        "2 * (x + (y)) == -z",
        "x << 2 != 1",
        "(a && b) == c",
        "x == (a || b)",
        "x<-1",
    ];
    for atom in atoms {
        for dialect in DIALECTS {
            let formula = |text: &str| parse(text, dialect).unwrap().formula;
            let leaf = || Ltl::Atom(atom.to_owned());
            assert_eq!(formula(atom), leaf(), "{atom} in {dialect:?}");
            assert_eq!(formula(&format!("( ({atom}) )")), leaf());
            let joined = Ltl::binary(BinaryOp::And, leaf(), Ltl::unary(UnaryOp::Always, leaf()));
            assert_eq!(formula(&format!("{atom} && [] ({atom})")), joined);
        }
    }
    assert_eq!(reading("x & 1 && !y", Dialect::Inline), "(x & 1) && (!y)");
    assert_eq!(reading("(x == 1) && (y)", Dialect::Inline), "(x == 1) && y");
}

#[test]
fn a_comparison_of_a_temporal_formula_is_an_error() {
    for dialect in [Dialect::Inline, Dialect::SpinF, Dialect::Auto] {
        let error = error("p && [] x == 1", dialect);
        assert_eq!(error.message, "a temporal formula cannot be an operand of `==`");
        assert_eq!(error.span, 5..14);
        assert_eq!(error.help.as_deref(), Some("write `[] (x == 1)`"));
    }
    assert_eq!(error("[]<> x > 2", Dialect::Inline).help.as_deref(), Some("write `[]<> (x > 2)`"));
    assert_eq!(error("always ! x + 1", Dialect::Inline).help.as_deref(), Some("write `always ! (x + 1)`"));
    for dialect in DIALECTS {
        assert_eq!(error("x == ([] y)", dialect).span, 0..11);
        assert_eq!(error("(p U q) == r", dialect).span, 0..12);
        assert!(error("a[[] x]", dialect).message.contains("[]"));
        error("-([] x)", dialect);
    }
    for dialect in [Dialect::Spot, Dialect::Ltsmin] {
        assert_eq!(reading("[] x == 1", dialect), "[] (x == 1)");
        assert_eq!(warnings("[] x == 1", dialect).len(), 1);
    }
}

#[test]
fn a_comparison_of_a_negation_is_doubtful() {
    let parsed = parse("! x == 1", Dialect::Inline).unwrap();
    assert_eq!(parsed.formula, Ltl::Atom("! x == 1".to_owned()));
    assert_eq!(
        parsed.warnings[0].message,
        "`!` binds more strongly than `==`; to negate the whole, write `! (x == 1)`"
    );
    assert_eq!(reading("! x == 1", Dialect::Ltsmin), "!(x == 1)");
    assert_eq!(warnings("! x == 1", Dialect::Ltsmin).len(), 1);
}

#[test]
fn operators_on_bits_are_doubtful_as_atoms() {
    assert_eq!(warnings("b U (a & b)", Dialect::Inline).len(), 1);
    assert_eq!(warnings("b U ~a", Dialect::Inline).len(), 1);
    assert_eq!(error("a & <> b", Dialect::Inline).help.as_deref(), Some("write `&&`"));
    assert!(warnings("b U (a & b) != 0", Dialect::Inline).is_empty());
    assert!(warnings("b U (a & b)", Dialect::Spot).is_empty());
}

#[test]
fn mixed_operators_are_shown_with_brackets() {
    let doubtful = [
        ("a || b && c", "a || (b && c)"),
        ("a -> b -> c", "(a -> b) -> c"),
        ("p U q U r", "(p U q) U r"),
        ("[] p U q", "([] p) U q"),
        ("p U q && r", "(p U q) && r"),
        ("p && q U r", "p && (q U r)"),
        ("[] p -> q", "([] p) -> q"),
        ("a -> b || c", "a -> (b || c)"),
        ("X p V q", "(X p) V q"),
    ];
    for (text, reading) in doubtful {
        let expected = format!("operators are mixed without brackets; this is read as `{reading}`");
        assert_eq!(warnings(text, Dialect::Inline), [expected]);
    }
    assert_eq!(
        warnings("a | b & x > 1", Dialect::Spot),
        ["operators are mixed without brackets; this is read as `a | (b & \"x > 1\")`"]
    );
    let clear = [
        "a && b && c",
        "a || b || !c",
        "a && b -> c",
        "[] (p -> <> q)",
        "[]<>p -> []<>q",
        "x == 1 && y + 2 < 3",
        "!p U !q",
        "(a || b) && c",
        "p U [] q",
        "<> p && q",
    ];
    for text in clear {
        for dialect in DIALECTS {
            assert!(warnings(text, dialect).is_empty(), "{text} in {dialect:?}");
        }
    }
}

#[test]
fn errors_point_at_the_place() {
    let cases = [
        ("", 0..0, "there is no formula"),
        ("p &&", 4..4, "the formula ends where an operand is expected"),
        ("p q", 2..3, "expected an operator, found `q`"),
        ("(p", 0..1, "this `(` is not closed"),
        ("p)", 1..2, "expected an operator, found `)`"),
        ("a[1", 1..2, "this `[` is not closed"),
        ("a[(1]", 4..5, "expected another bracket, found `]`"),
        ("[] U p", 3..4, "expected an operand, found `U`"),
        ("\"p", 0..2, "these quotes are not closed"),
        ("p && $x", 5..6, "expected an operand, found `$`"),
        ("r.1", 2..3, "expected a name, found `1`"),
        ("c?x", 2..3, "expected `[` and a message, found `x`"),
        ("x = 1", 2..3, "expected an operator, found `=`"),
        ("é", 0..2, "expected an operand, found `é`"),
    ];
    for (text, span, message) in cases {
        let error = error(text, Dialect::Inline);
        assert_eq!((error.span, error.message.as_str()), (span, message), "{text}");
    }
    assert!(error("p W q", Dialect::SpinF).help.unwrap().contains("U q"));
    assert!(error("x = 1", Dialect::Inline).help.unwrap().contains("=="));
    assert!(error("p => q", Dialect::Inline).help.unwrap().contains("->"));
}

#[test]
fn auto_tells_the_dialect_by_its_operators() {
    let cases = [
        ("[] p", Dialect::Inline),
        ("p U q", Dialect::Inline),
        ("X p", Dialect::Inline),
        ("always Ga", Dialect::Inline),
        ("[] (G -> <> F)", Dialect::Inline),
        ("Flag U Gate", Dialect::Inline),
        ("G p", Dialect::Spot),
        ("Fa", Dialect::Spot),
        ("GF(p)", Dialect::Spot),
        ("XXp1", Dialect::Spot),
        ("p R q", Dialect::Spot),
        ("p M q", Dialect::Spot),
        ("p xor q", Dialect::Spot),
        ("p => q", Dialect::Spot),
        ("p U (q & r)", Dialect::Spot),
        ("\"[]\" & G p", Dialect::Spot),
    ];
    for (text, dialect) in cases {
        assert_eq!(parse(text, Dialect::Auto).unwrap().dialect, dialect, "{text}");
    }
}

#[test]
fn height_is_limited() {
    for dialect in DIALECTS {
        let high = [
            "!".repeat(20_000) + "p",
            "[]".repeat(20_000) + "p",
            "p && ".repeat(20_000) + "p",
            "p -> ".repeat(20_000) + "p",
            "p U ".repeat(20_000) + "p",
            "(p U ".repeat(20_000) + "p" + &")".repeat(20_000),
        ];
        for text in high {
            let error = error(&text, dialect);
            assert!(error.message.contains("more than 500"), "{}", error.message);
        }
        let many_brackets = "(".repeat(20_000) + "p" + &")".repeat(20_000);
        assert_eq!(reading(&many_brackets, dialect), "p");
        assert!(error(&"(".repeat(20_000), dialect).message.contains("ends"));
        assert!(matches!(parse(&("-".repeat(20_000) + "p"), dialect).unwrap().formula, Ltl::Atom(_)));
        let highest = "[] ".repeat(MAX_HEIGHT) + "p";
        let formula = parse(&highest, dialect).unwrap().formula;
        assert!(parse(&print(&formula, Notation::Spin, &String::clone), dialect).is_ok());
    }
}

#[test]
fn long_texts_are_read_in_linear_time() {
    for dialect in DIALECTS {
        let sum = "x + ".repeat(50_000) + "x > 1";
        assert!(matches!(parse(&sum, dialect).unwrap().formula, Ltl::Atom(text) if text == sum));
        let name = "y".repeat(200_000);
        let mut balanced = format!("a[{}]", "(1)".repeat(50_000));
        for _ in 0..9 {
            balanced = format!("({balanced} U {name})");
        }
        assert!(parse(&balanced, dialect).is_ok());
        assert!(parse(&format!("a[{}", "[".repeat(1_000_000)), dialect).is_err());
        assert!(parse(&"\"".repeat(1_000_001), dialect).is_err());
    }
}

struct Random(model::Random);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn formula(&mut self, height: usize) -> Ltl<String> {
        let atoms =
            ["p", "q1", "x == 1", "len(c) > 2 + y", "P[1]@cs", "Flag", "c?[m]", "(a+b) < 3", "X", "U"];
        let unary = [UnaryOp::Not, UnaryOp::Next, UnaryOp::Always, UnaryOp::Eventually];
        let binary = [
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Implies,
            BinaryOp::Equivalent,
            BinaryOp::Until,
            BinaryOp::WeakUntil,
            BinaryOp::Release,
            BinaryOp::Xor,
            BinaryOp::StrongRelease,
        ];
        match self.below(if height == 0 { 2 } else { 8 }) {
            0 => Ltl::Constant(self.below(2) == 0),
            1 => Ltl::Atom(self.pick(&atoms).to_owned()),
            2..4 => Ltl::unary(self.pick(&unary), self.formula(height - 1)),
            _ => {
                let left = self.formula(height - 1);
                Ltl::binary(self.pick(&binary), left, self.formula(height - 1))
            }
        }
    }
}

/// Replaces the operators that Spin lacks.
fn for_spin(formula: Ltl<String>) -> Ltl<String> {
    match formula {
        Ltl::Unary(op, a) => Ltl::unary(op, for_spin(*a)),
        Ltl::Binary(BinaryOp::Xor, a, b) => {
            Ltl::binary(BinaryOp::Equivalent, for_spin(*a), for_spin(*b)).negated()
        }
        Ltl::Binary(BinaryOp::StrongRelease, a, b) => {
            let (a, b) = (for_spin(*a).negated(), for_spin(*b).negated());
            Ltl::binary(BinaryOp::WeakUntil, a, b).negated()
        }
        Ltl::Binary(op, a, b) => Ltl::binary(op, for_spin(*a), for_spin(*b)),
        leaf => leaf,
    }
}

#[test]
fn printed_formulas_are_read_back() {
    let mut random = Random(model::Random::new(1));
    for _ in 0..3000 {
        let formula = random.formula(6);
        let spot = print(&formula, Notation::Spot, &String::clone);
        let parsed = parse(&spot, Dialect::Spot).unwrap();
        assert_eq!(parsed.formula, formula, "{spot}");
        assert!(parsed.warnings.is_empty(), "{spot}: {:?}", parsed.warnings);

        let spin = print(&formula, Notation::Spin, &String::clone);
        let expected = for_spin(formula);
        for dialect in [Dialect::Inline, Dialect::Ltsmin] {
            let parsed = parse(&spin, dialect).unwrap();
            assert_eq!(parsed.formula, expected, "{spin}");
            assert!(parsed.warnings.is_empty(), "{spin}: {:?}", parsed.warnings);
        }
    }
}

#[test]
fn spins_replacements_mean_the_same() {
    let mut random = Random(model::Random::new(2));
    for _ in 0..2000 {
        let mut number = |text: String| text.len() as u32 % 3;
        let formula = random.formula(4);
        let replaced = for_spin(formula.clone()).map(&mut number);
        let formula = formula.map(&mut number);
        let word: Vec<u64> = (0..5).map(|_| random.below(8) as u64).collect();
        let (prefix, cycle) = word.split_at(random.below(4));
        assert_eq!(
            crate::lasso::holds(&formula, prefix, cycle),
            crate::lasso::holds(&replaced, prefix, cycle),
            "{formula:?} on {prefix:?} {cycle:?}"
        );
    }
}

#[test]
fn no_text_makes_the_parser_panic() {
    let mut random = Random(model::Random::new(3));
    let pieces = [
        "[]", "<>", "U", "V", "W", "X", "G", "F", "R", "M", "(", ")", "[", "]", "!", "~", "&&", "|", "->",
        "<->", "=>", "==", "<", "-", "+", "\"", "\\", "?", "??[", "@", ":", ".", ",", "p", "q1", "Fx", "12",
        " ", "□", "𝒰", "é", "\u{0}", "always", "xor", "not", "true", "False", "=", "$",
    ];
    for _ in 0..20_000 {
        let mut text = print(&random.formula(3), Notation::Spin, &String::clone);
        for _ in 0..random.below(6) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if random.below(2) == 0 {
                text.insert_str(at, random.pick(&pieces));
            } else if at < text.len() {
                text.remove(at);
            }
        }
        for dialect in DIALECTS.into_iter().chain([Dialect::Auto]) {
            match parse(&text, dialect) {
                Ok(parsed) => drop(print(&parsed.formula, Notation::Spot, &String::clone)),
                Err(error) => assert!(text.get(error.span).is_some(), "{text}"),
            }
        }
    }
}

/// The folder with public LTL formulas, if it is there.
fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("STUBBORN_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    Some(root.join("ltl")).filter(|folder| folder.is_dir())
}

#[test]
fn auto_reads_the_formulas_of_the_literature_like_spot() {
    let Some(folder) = corpus() else { return println!("skipped: there is no corpus of formulas") };
    let mut n_formulas = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let table = std::fs::read_to_string(&path).unwrap();
        for text in table.lines().skip(1).filter_map(|line| line.split('\t').next()) {
            let spot = parse(text, Dialect::Spot).unwrap_or_else(|error| panic!("{text}: {error}"));
            let auto = parse(text, Dialect::Auto).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(auto.formula, spot.formula, "{text}");
            n_formulas += 1;
        }
    }
    assert!(n_formulas > 200, "only {n_formulas} formulas");
}

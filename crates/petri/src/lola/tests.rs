use model::Patience;

use super::*;
use crate::reading::tests::place;
use crate::{
    Atom, Comparison, Fair, Formula, Net, NetBuilder, PlaceId, Property, Question, Read, Sum, TransitionId,
};

fn read_net(text: &str) -> Read<Net> {
    super::read_net(text, &Patience::default()).unwrap()
}

fn read_formula(text: &str, net: &Net) -> Read<Question> {
    super::read_formula(text, net, &Patience::default()).unwrap()
}

fn read_formulas(text: &str, net: &Net) -> Read<Vec<Property>> {
    super::read_formulas(text, net, &Patience::default()).unwrap()
}

fn read_predicate(text: &str, net: &Net) -> Read<Formula> {
    super::read_predicate(text, net, &Patience::default()).unwrap()
}

const EVERYTHING: &str = r#"
    { A comment { with another one inside } }
    /* And { another
       kind */
    PLACE p1;
      SAFE: p2, 3, a-b;
      SAFE 9: 4, "a name", "say ""no""", "PLACE";
    MARKING p1: 1, 4, p1, 4: 2;
    TRANSITION t1 CONSUME p1: 1; PRODUCE 4;
    TRANSITION p1 CONSUME 4; PRODUCE p1, p1, p1: 2;
    TRANSITION ^^ WEAK FAIR CONSUME; PRODUCE;
    TRANSITION */* STRONG FAIR CONSUME "a name": 7; PRODUCE ☃;
"#;

fn everything() -> Net {
    read_net(&EVERYTHING.replace('☃', "a-b")).unwrap()
}

/// Code, line and column of the error of a net.
fn net_error(text: &str) -> (&'static str, u32, u32) {
    let error = read_net(text).expect_err(text);
    assert!(!error.message.is_empty());
    let (line, column) = place(text, &error);
    (error.code, line, column)
}

fn net_text(net: &Net) -> String {
    let mut text = Vec::new();
    write_net(net, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn nets_are_read() {
    let net = everything();
    let names = net.places().iter().map(|place| &*place.name).collect::<Vec<_>>();
    assert_eq!(names, ["p1", "p2", "3", "a-b", "4", "a name", "say \"no\"", "PLACE"]);
    let bounds = net.places().iter().map(|place| place.bound).collect::<Vec<_>>();
    let (one, nine) = (Some(1), Some(9));
    assert_eq!(bounds, [None, one, one, one, nine, nine, nine, nine]);
    assert_eq!(net.initial(), [2, 0, 0, 0, 3, 0, 0, 0]);
    let transitions = net.transitions().iter().map(|t| (&*t.name, t.fair)).collect::<Vec<_>>();
    let expected = [("t1", Fair::No), ("p1", Fair::No), ("^^", Fair::Weak), ("*/*", Fair::Strong)];
    assert_eq!(transitions, expected);
    assert_eq!(net.post(TransitionId(1))[0].weight, 4);
    assert_eq!(net.pre(TransitionId(3))[0].weight, 7);
    assert_eq!(net.pre(TransitionId(2)), []);
}

#[test]
fn the_least_nets_are_read() {
    assert_eq!(read_net("PLACE MARKING;").unwrap(), Net::default());
    assert_eq!(read_net("\u{feff}PLACE;MARKING;").unwrap(), Net::default());
    let net = read_net("PLACE 1;MARKING;TRANSITION 2 CONSUME;PRODUCE;").unwrap();
    assert_eq!((net.places().len(), net.transitions().len()), (1, 1));
}

#[test]
fn nets_with_errors_are_refused_where_they_are_wrong() {
    for (code, line, column, text) in [
        ("E0350", 1, 1, ""),
        ("E0350", 1, 1, "p; MARKING;"),
        ("E0350", 1, 9, "PLACE p MARKING;"),
        ("E0350", 1, 9, "PLACE p,;"),
        ("E0350", 1, 7, "PLACE , p; MARKING;"),
        ("E0350", 1, 7, "PLACE WEAK; MARKING;"),
        ("E0350", 1, 12, "PLACE SAFE p; MARKING;"),
        ("E0350", 1, 14, "PLACE SAFE 1 p; MARKING;"),
        ("E0350", 2, 11, "PLACE p;\nMARKING p q;"),
        ("E0350", 1, 21, "PLACE p; MARKING p: p;"),
        ("E0350", 1, 19, "PLACE p; MARKING p"),
        ("E0350", 1, 19, "PLACE p; MARKING; TRANS t"),
        ("E0350", 1, 30, "PLACE p; MARKING; TRANSITION ; CONSUME"),
        ("E0350", 1, 32, "PLACE p; MARKING; TRANSITION t PRODUCE;"),
        ("E0350", 1, 37, "PLACE p; MARKING; TRANSITION t WEAK CONSUME;"),
        ("E0350", 1, 40, "PLACE p; MARKING; TRANSITION t CONSUME;"),
        ("E0351", 1, 1, "SORT s = [1, 2];"),
        ("E0351", 2, 3, "PLACE p\n  : phil; MARKING;"),
        ("E0351", 1, 32, "PLACE p; MARKING; TRANSITION t VAR x: phil;"),
        ("E0352", 1, 10, "PLACE p; { no end { } MARKING;"),
        ("E0352", 1, 10, "PLACE p; /* no end MARKING;"),
        ("E0352", 1, 7, "PLACE \"no end; MARKING;"),
        ("E0353", 1, 21, "PLACE p; MARKING p: -1;"),
        ("E0353", 1, 21, "PLACE p; MARKING p: 1x;"),
        ("E0353", 1, 21, "PLACE p; MARKING p: 9223372036854775808;"),
        ("E0353", 1, 42, "PLACE p; MARKING p: 9223372036854775807, p;"),
        ("E0354", 1, 13, "PLACE ä, p, ä; MARKING;"),
        ("E0354", 2, 12, "PLACE; MARKING; TRANSITION t CONSUME; PRODUCE;\nTRANSITION t CONSUME; PRODUCE;"),
        ("E0355", 1, 18, "PLACE p; MARKING q;"),
        ("E0355", 1, 40, "PLACE p; MARKING; TRANSITION t CONSUME q;"),
        ("E0356", 1, 27, "PLACE SAFE: p; MARKING p, p;"),
    ] {
        assert_eq!(net_error(text), (code, line, column), "{text}: {:?}", read_net(text));
    }
}

#[test]
fn nets_are_written_as_they_are_read() {
    let net = everything();
    assert_eq!(read_net(&net_text(&net)).unwrap(), net);
    assert_eq!(read_net(&net_text(&Net::default())).unwrap(), Net::default());
}

#[test]
fn inhibitor_arcs_cannot_be_written() {
    let mut builder = NetBuilder::new("");
    let (p, t) = (builder.place("p", 0), builder.transition("t"));
    builder.inhibitor(p, t, 1);
    let error = write_net(&builder.finish(), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("E0361"));
}

#[test]
fn large_nets_load_at_once() {
    let places = (0..100_000).map(|i| format!("p{i}")).collect::<Vec<_>>().join(",");
    let transition = |i| format!("TRANSITION t{i} CONSUME p{i}; PRODUCE p{}: 2;\n", (i + 1) % 100_000);
    let transitions = (0..100_000).map(transition).collect::<String>();
    let start = std::time::Instant::now();
    let net = read_net(&format!("PLACE {places}; MARKING p7: 5; {transitions}")).unwrap();
    assert_eq!(net.n_arcs(), 200_000);
    assert!(start.elapsed().as_secs() < 2);
}

fn small() -> Net {
    read_net(
        "PLACE a, b, c, F, 3, x-1, x, \"<=\";
         MARKING a: 2;
         TRANSITION t CONSUME a; PRODUCE b;
         TRANSITION r.[y=1] CONSUME; PRODUCE;",
    )
    .unwrap()
}

fn formula(text: &str) -> Formula {
    match read_formula(text, &small()) {
        Ok(Question::Formula(formula)) => formula,
        other => panic!("{text}: {other:?}"),
    }
}

/// What is read, in the one form in which formulas are written.
fn shown(text: &str) -> String {
    write_formula(&formula(text), &small()).to_string()
}

fn compare(terms: &[(u32, i64)], constant: i64, comparison: Comparison) -> Formula {
    let terms = terms.iter().map(|&(place, factor)| (PlaceId(place), factor)).collect();
    Formula::Atom(Atom::Compare(Sum { terms, constant }, comparison))
}

#[test]
fn comparisons_are_sums_against_0() {
    use Comparison::{AtMost, Different, Equal};
    for (text, terms, constant, comparison) in [
        ("a <= b", &[(0, 1), (1, -1)][..], 0, AtMost),
        ("a < b", &[(0, 1), (1, -1)], 1, AtMost),
        ("a >= b", &[(0, -1), (1, 1)], 0, AtMost),
        ("a > b", &[(0, -1), (1, 1)], 1, AtMost),
        ("a = b", &[(0, 1), (1, -1)], 0, Equal),
        ("a == 2", &[(0, 1)], -2, Equal),
        ("a != 2", &[(0, 1)], -2, Different),
        ("a <> 2", &[(0, 1)], -2, Different),
        ("a # 2", &[(0, 1)], -2, Different),
        ("1 = (a + b)", &[(0, -1), (1, -1)], 1, Equal),
        ("((a)) = (a)", &[], 0, Equal),
        ("3 * (a - 2 * b + 1) - a * 2 - -c <= 4 - 1", &[(0, 1), (1, -6), (2, 1)], 0, AtMost),
    ] {
        assert_eq!(formula(text), compare(terms, constant, comparison), "{text}");
    }
}

#[test]
fn operators_bind_as_in_lola() {
    for (text, expected) in [
        ("TRUE OR FALSE AND TRUE", "(TRUE OR (FALSE AND TRUE))"),
        ("TRUE || FALSE && !TRUE", "(TRUE OR (FALSE AND NOT TRUE))"),
        ("NOT a = 1 AND b = 1", "(NOT a = 1 AND b = 1)"),
        ("G a = 1 OR F b = 1", "(G a = 1 OR F b = 1)"),
        ("TRUE -> FALSE -> INITIAL", "(NOT (NOT TRUE OR FALSE) OR INITIAL)"),
        (
            "TRUE <-> FALSE -> TRUE",
            "((TRUE AND (NOT FALSE OR TRUE)) OR (NOT TRUE AND NOT (NOT FALSE OR TRUE)))",
        ),
        ("TRUE XOR FALSE", "((TRUE AND NOT FALSE) OR (NOT TRUE AND FALSE))"),
        ("E (a = 1 OR b = 1 U c = 1 AND DEADLOCK)", "E ((a = 1 OR b = 1) U (c = 1 AND DEADLOCK))"),
        ("E F a = 1 U b = 1", "(EF a = 1 U b = 1)"),
        ("ALLPATH (TRUE RELEASE FALSE)", "A (TRUE R FALSE)"),
        ("EXPATH (TRUE UNTIL FALSE)", "E (TRUE U FALSE)"),
        ("FORMULA EXPATH NEXTSTATE ALLPATH EVENTUALLY EXPATH ALWAYS TRUE;", "EXAFEG TRUE"),
        ("AGEF X TRUE", "AGEFX TRUE"),
        ("REACHABLE TRUE OR FALSE", "EF (TRUE OR FALSE)"),
        ("INVARIANT TRUE AND FALSE", "AG (TRUE AND FALSE)"),
        ("IMPOSSIBLE TRUE OR FALSE", "AG NOT (TRUE OR FALSE)"),
        ("(TRUE AND FALSE) AND (TRUE AND (FALSE))", "(TRUE AND FALSE AND TRUE AND FALSE)"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
        assert_eq!(shown(expected), expected, "{text}");
    }
}

#[test]
fn names_may_look_like_operators() {
    for (text, expected) in [
        ("F > 0", "1 <= F"),
        ("F F > 0", "F 1 <= F"),
        ("EF (1 = 2 * F)", "EF 1 = 2 * F"),
        ("\"F\"=1", "F = 1"),
        ("\"3\" = 3", "\"3\" = 3"),
        ("\"<=\"<=1", "\"<=\" <= 1"),
        ("x-1>0", "1 <= x-1"),
        ("x-2>0", "3 <= x"),
        ("x - 1 > 0", "2 <= x"),
        ("x-1-1=b", "x-1 = b + 1"),
        ("a=2&&b<=0->!(c!=1)", "(NOT (a = 2 AND b <= 0) OR NOT c != 1)"),
        ("FIREABLE(r.[y=1]) AND FIREABLE ( t )", "(FIREABLE(r.[y=1]) AND FIREABLE(t))"),
        ("/* first */ TRUE { last }", "TRUE"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
        assert_eq!(shown(expected), expected, "{text}");
    }
}

#[test]
fn bounds_are_questions_of_their_own() {
    let net = small();
    let Ok(Question::Bound(sum)) = read_formula("FORMULA MAX(2 * a - b - 3);", &net) else { panic!() };
    assert_eq!(sum, Sum { terms: vec![(PlaceId(0), 2), (PlaceId(1), -1)], constant: -3 });
    assert_eq!(write_sum(&sum, &net).to_string(), "2 * a - b - 3");
    let negative = Sum { terms: vec![(PlaceId(1), -1)], constant: 0 };
    assert_eq!(write_sum(&negative, &net).to_string(), "0 - b");
    assert_eq!(read_formula("MAX(0 - b)", &net), Ok(Question::Bound(negative)));
}

#[test]
fn several_formulas_are_numbered() {
    let several = |text| read_formulas(text, &small());
    let names = |text| several(text).unwrap().into_iter().map(|p| p.name).collect::<Vec<_>>();
    assert_eq!(names("EF TRUE"), ["formula_0"]);
    assert_eq!(names("FORMULA EF TRUE; : MAX(a) : AG FALSE;"), ["formula_0", "formula_1", "formula_2"]);
    assert_eq!(names("EF TRUE; AG FALSE"), ["formula_0", "formula_1"]);
    assert!(several("EF TRUE AG FALSE").is_err());
    assert!(several("").is_err());
    assert!(read_formula("EF TRUE; AG FALSE", &small()).is_err());
}

#[test]
fn predicates_have_no_temporal_operators() {
    let net = small();
    assert_eq!(read_predicate("a > 0 AND NOT DEADLOCK", &net), Ok(formula("a > 0 AND NOT DEADLOCK")));
    assert_eq!(read_predicate("a > 0 OR X b > 0", &net).unwrap_err().code, "E0357");
    assert_eq!(read_predicate("MAX(a)", &net).unwrap_err().code, "E0357");
}

#[test]
fn formulas_with_errors_are_refused_where_they_are_wrong() {
    for (code, line, column, text) in [
        ("E0352", 1, 6, "TRUE { AND"),
        ("E0353", 1, 5, "a = 9223372036854775808"),
        ("E0355", 2, 3, "EF\n (d > 0)"),
        ("E0355", 1, 1, "t > 0"),
        ("E0355", 1, 10, "FIREABLE(a)"),
        ("E0357", 1, 1, ""),
        ("E0357", 1, 4, "EF a"),
        ("E0357", 1, 1, "a AND TRUE"),
        ("E0357", 1, 1, "TRUE + 1 = 2"),
        ("E0357", 1, 1, "a = 1 = 1"),
        ("E0357", 1, 6, "(TRUE"),
        ("E0357", 1, 5, "TRUE)"),
        ("E0357", 1, 9, "TRUE AND"),
        ("E0357", 1, 10, "TRUE AND OR TRUE"),
        ("E0357", 1, 11, "a=1 U a=2 U a=3"),
        ("E0357", 1, 1, "EU TRUE"),
        ("E0357", 1, 10, "FIREABLE t"),
        ("E0357", 1, 5, "MAX(a = 1)"),
        ("E0357", 1, 5, "MAX a"),
        ("E0357", 1, 1, "AND"),
        ("E0357", 1, 2, "(;"),
        ("E0359", 1, 1, "a * b = 0"),
        ("E0359", 1, 5, "a = 9223372036854775807 + 1"),
        ("E0359", 1, 1, "a + 1 <= 0 - 9223372036854775807 - a - 1"),
        ("E0359", 1, 1, "9223372036854775807 * a + a = 0"),
        ("E0359", 1, 1, "9223372036854775807 * a > b"),
        ("E0359", 1, 5, "MAX(9223372036854775807 * a + b)"),
        ("E0359", 1, 5, "MAX(a - 9223372036854775807 - 1)"),
        ("E0360", 1, 9, "EF (a = oo)"),
    ] {
        let error = read_formula(text, &small()).expect_err(text);
        assert_eq!((error.code, place(text, &error)), (code, (line, column)), "{text}: {error}");
    }
}

#[test]
fn formulas_can_be_long_but_not_deep() {
    let net = small();
    let read = |text: String| read_formula(&text, &net).map(|_| ()).map_err(|error| error.code);
    let nest = |open: &str, inner: &str, close: &str, n| open.repeat(n) + inner + &close.repeat(n);
    assert_eq!(read(nest("(", "TRUE", ")", 400)), Ok(()));
    assert_eq!(read(nest("", "a=1", " AND a=1", 100_000)), Ok(()));
    assert_eq!(read(nest("", "a", "+a", 100_000) + " = 1"), Ok(()));
    let large = |text| assert_eq!(read(text), Err("E0358"));
    for n in [501, 100_000] {
        large(nest("(", "TRUE", ")", n));
        large(nest("NOT ", "TRUE", "", n));
        large(nest("- ", "a = 1", "", n));
        large(nest("AG", " TRUE", "", n));
        large(nest("AG ", "TRUE", "", n));
        large(nest("", "TRUE", " -> TRUE", n));
        large(nest("(TRUE U ", "TRUE", ")", n));
    }
    large(nest("", "TRUE", " XOR TRUE", 40));
}

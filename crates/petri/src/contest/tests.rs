//! Every element of property files, and what is wrong with some.

use model::Patience;

use super::*;
use crate::formula::{Atom, Comparison, Formula, Sum};
use crate::net::{Net, NetBuilder, PlaceId, TransitionId};
use crate::reading::{Read, tests::place};

fn read_properties(text: &str, net: &Net) -> Read<Vec<Property>> {
    super::read_properties(text, net, &Patience::default()).unwrap()
}

/// Places `p` and `q`, transitions `t` and `u`.
fn net() -> Net {
    let mut net = NetBuilder::new("n");
    net.place("p", 0);
    net.place("q", 0);
    net.transition("t");
    net.transition("u");
    net.finish()
}

fn document(formula: &str) -> String {
    format!(
        "<property-set xmlns='http://mcc.lip6.fr/'><property><id> x </id><description><place/></description>\
         <formula>\n{formula}\n</formula></property></property-set>"
    )
}

fn question(formula: &str) -> Question {
    let mut properties = read_properties(&document(formula), &net()).unwrap();
    assert_eq!(properties.len(), 1);
    let Property { name, question } = properties.remove(0);
    assert_eq!(name, "x");
    question
}

fn formula(text: &str) -> Formula {
    match question(text) {
        Question::Formula(formula) => formula,
        other => panic!("{other:?}"),
    }
}

fn error_in(text: &str) -> String {
    let error = read_properties(text, &net()).unwrap_err();
    let (line, column) = place(text, &error);
    format!("{} {line}:{column} {}", error.code, error.message)
}

/// The error in a formula: its first line is line 1.
fn error(formula: &str) -> String {
    let text = document(formula);
    let error = read_properties(&text, &net()).unwrap_err();
    let (line, column) = place(&text, &error);
    format!("{} {}:{column} {}", error.code, line - 1, error.message)
}

const T: &str = "<is-fireable><transition>t</transition></is-fireable>";
const U: &str = "<is-fireable><transition>u</transition></is-fireable>";

fn fireable(transitions: &[u32]) -> Formula {
    Formula::Atom(Atom::Fireable(transitions.iter().copied().map(TransitionId).collect()))
}

fn boxed(transition: u32) -> Box<Formula> {
    Box::new(fireable(&[transition]))
}

fn not(transition: u32) -> Formula {
    Formula::Not(boxed(transition))
}

#[test]
fn operators() {
    let one = |name| formula(&format!("<{name}>{T}</{name}>"));
    let two = |name| formula(&format!("<{name}>{T}{U}</{name}>"));
    let (t, u) = (fireable(&[0]), fireable(&[1]));
    assert_eq!(formula("<true/>"), Formula::Constant(true));
    assert_eq!(formula("<false></false>"), Formula::Constant(false));
    assert_eq!(formula("<deadlock/>"), Formula::Atom(Atom::Deadlock));
    assert_eq!(one("negation"), not(0));
    assert_eq!(one("all-paths"), Formula::All(boxed(0)));
    assert_eq!(one("exists-path"), Formula::Exists(boxed(0)));
    assert_eq!(one("next"), Formula::Next(boxed(0)));
    assert_eq!(one("finally"), Formula::Eventually(boxed(0)));
    assert_eq!(one("globally"), Formula::Always(boxed(0)));
    assert_eq!(two("conjunction"), Formula::And(vec![t.clone(), u.clone()]));
    assert_eq!(two("disjunction"), Formula::Or(vec![t.clone(), u.clone()]));
    assert_eq!(two("implication"), Formula::Or(vec![not(0), u.clone()]));
    let both = |a, b| Formula::And(vec![a, b]);
    assert_eq!(two("equivalence"), Formula::Or(vec![both(t.clone(), u.clone()), both(not(0), not(1))]));
    assert_eq!(two("exclusive-disjunction"), Formula::Or(vec![both(t, not(1)), both(not(0), u)]));
}

#[test]
fn until_has_two_named_sides() {
    let expected = Formula::Until(boxed(0), boxed(1));
    assert_eq!(formula(&format!("<until><before>{T}</before><reach>{U}</reach></until>")), expected);
    assert_eq!(formula(&format!("<until><reach>{U}</reach><before>{T}</before></until>")), expected);
    let twice = format!("<until><reach>{U}</reach><reach>{T}</reach></until>");
    assert_eq!(error(&twice), "E0334 1:1 <until> takes one <before> and one <reach>");
}

#[test]
fn one_of_several_transitions_is_fireable() {
    let transitions = ["u", "t", "u"].map(|name| format!("<transition>{name}</transition>")).concat();
    assert_eq!(formula(&format!("<is-fireable>{transitions}</is-fireable>")), fireable(&[0, 1]));
}

fn tokens(places: &[&str]) -> String {
    let places: String = places.iter().map(|place| format!("<place>{place}</place>")).collect();
    format!("<tokens-count>{places}</tokens-count>")
}

fn constant(n: &str) -> String {
    format!("<integer-constant> {n} </integer-constant>")
}

fn sum(terms: &[i64], constant: i64) -> Sum {
    let terms = (0..).map(PlaceId).zip(terms.iter().copied()).collect();
    Sum::new(terms, constant).unwrap()
}

#[test]
fn comparisons_are_with_zero() {
    let check = |name: &str, terms: &[i64], rest, comparison| {
        let text = format!("<integer-{name}>{}{}</integer-{name}>", tokens(&["p", "q"]), constant("3"));
        assert_eq!(formula(&text), Formula::Atom(Atom::Compare(sum(terms, rest), comparison)), "{name}");
    };
    check("le", &[1, 1], -3, Comparison::AtMost);
    check("lt", &[1, 1], -2, Comparison::AtMost);
    check("ge", &[-1, -1], 3, Comparison::AtMost);
    check("gt", &[-1, -1], 4, Comparison::AtMost);
    check("eq", &[1, 1], -3, Comparison::Equal);
    check("ne", &[1, 1], -3, Comparison::Different);
}

#[test]
fn numbers_are_sums() {
    let check = |text: &str, expected| {
        let text = format!("<integer-le>{text}{}</integer-le>", constant("0"));
        assert_eq!(formula(&text), Formula::Atom(Atom::Compare(expected, Comparison::AtMost)));
    };
    let (p, q, two) = (tokens(&["p"]), tokens(&["q", "p", "q"]), constant("-2"));
    check(&q, sum(&[1, 2], 0));
    check(&format!("<integer-sum>{p}{q}{two}</integer-sum>"), sum(&[2, 2], -2));
    check(&format!("<integer-difference>{p}{q}</integer-difference>"), sum(&[0, -2], 0));
    check(&format!("<integer-product>{q}{two}</integer-product>"), sum(&[-2, -4], 0));
    check(&format!("<integer-product>{two}{two}</integer-product>"), sum(&[], 4));
}

#[test]
fn bounds_are_questions_of_their_own() {
    let bound = "<place-bound><place>q</place><place>p</place></place-bound>";
    assert_eq!(question(bound), Question::Bound(sum(&[1, 1], 0)));
    assert_eq!(error(&format!("<negation>{bound}</negation>")), "E0334 1:1 <negation> takes one formula");
}

#[test]
fn names_must_be_there() {
    assert_eq!(
        error("<is-fireable>\n <transition>p</transition></is-fireable>"),
        "E0332 2:2 the net has no transition `p`"
    );
    assert_eq!(error("<place-bound>\n<place>t</place></place-bound>"), "E0331 2:1 the net has no place `t`");
}

#[test]
fn operands_must_fit() {
    let takes = |text: &str| error(text).strip_prefix("E0334 1:1 ").unwrap().to_owned();
    assert_eq!(takes("<negation/>"), "<negation> takes one formula");
    assert_eq!(takes(&format!("<finally>{T}{U}</finally>")), "<finally> takes one formula");
    assert_eq!(takes("<conjunction/>"), "<conjunction> takes formulas");
    assert_eq!(takes(&format!("<implication>{T}</implication>")), "<implication> takes two formulas");
    assert_eq!(takes("<tokens-count/>"), "<tokens-count> takes places");
    assert_eq!(takes("<is-fireable><true/></is-fireable>"), "<is-fireable> takes transitions");
    assert_eq!(takes(&format!("<integer-le>{T}{U}</integer-le>")), "<integer-le> takes two numbers");
    let p = tokens(&["p"]);
    assert_eq!(
        takes(&format!("<integer-product>{p}{p}</integer-product>")),
        "<integer-product> takes at most one number with tokens"
    );
    let whole = error(&format!("{T}{U}"));
    assert!(whole.starts_with("E0334") && whole.ends_with("takes one formula or one <place-bound>"));
    assert_eq!(error("<maybe/>"), "E0333 1:1 <maybe> is no known part of a formula");
}

#[test]
fn numbers_must_fit() {
    assert_eq!(error(&constant("many")), "E0335 1:1 `many` is no number that fits");
    assert_eq!(
        error(&constant("9223372036854775808")),
        "E0335 1:1 `9223372036854775808` is no number that fits"
    );
    let most = constant("9223372036854775807");
    let sum = format!("<integer-sum>{most}{most}</integer-sum>");
    assert_eq!(error(&sum), "E0335 1:1 a number gets too large");
    let greater = format!("<integer-gt>{}{most}</integer-gt>", constant("-1"));
    assert_eq!(error(&greater), "E0335 1:1 a number gets too large");
}

#[test]
fn formulas_are_bounded() {
    let nested = |n| format!("{}<true/>{}", "<negation>".repeat(n), "</negation>".repeat(n));
    assert!(matches!(formula(&nested(400)), Formula::Not(_)));
    let deep = error(&nested(100_000));
    assert!(deep.starts_with("E0336 1:") && deep.ends_with(" more than 500 elements inside each other"));
    let doubled = |n| format!("{}{T}{}", "<equivalence>".repeat(n), format!("{U}</equivalence>").repeat(n));
    assert!(matches!(formula(&doubled(8)), Formula::Or(_)));
    let too_large = " the formula gets too large if this is written out";
    assert!(error(&doubled(100)).ends_with(too_large));
    let many = format!("<conjunction>{}</conjunction>", doubled(12).repeat(200));
    assert!(error(&many).ends_with(too_large));
}

#[test]
fn properties_have_names_of_their_own_and_formulas() {
    let property = |inside| format!("<property>{inside}</property>");
    let file = |inside: &str| format!("<property-set>\n{inside}</property-set>");
    let formula = "<formula><true/></formula>";
    let error = |inside| error_in(&file(&property(inside)));
    assert_eq!(error(formula), "E0330 2:1 this property has no <id>");
    assert_eq!(error("<id>x</id>"), "E0330 2:1 the property `x` has no <formula>");
    let named = property(&format!("<id>x</id>{formula}"));
    assert_eq!(error_in(&file(&format!("{named}\n{named}"))), "E0337 3:1 there are two properties `x`");
    assert_eq!(error_in(""), "E0330 1:1 there is no <property-set>");
    assert_eq!(error_in("<pnml/>"), "E0330 1:1 <pnml> is no <property-set>");
    assert_eq!(read_properties("<property-set/>", &net()), Ok(vec![]));
    assert_eq!(
        error_in("<property-set>"),
        "E0310 1:15 this is no XML: the file ends before the end of <property-set>"
    );
}

#[test]
fn examinations_without_file_have_a_property() {
    let examinations =
        ["StateSpace", "ReachabilityDeadlock", "OneSafe", "StableMarking", "QuasiLiveness", "Liveness"];
    for examination in examinations {
        assert_eq!(global_property(examination).unwrap().name, examination);
    }
    assert!(WITH_FILE.iter().all(|examination| global_property(examination).is_none()));
}

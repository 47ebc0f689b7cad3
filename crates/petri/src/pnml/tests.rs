//! Small documents: what they mean, and what is wrong with them.

use model::Patience;

use super::*;
use crate::net::{Net, NetBuilder, TransitionId, Unit, Units};
use crate::reading::{Read, tests::place};

fn read(text: &str) -> Read<Net> {
    super::read(text, &Patience::default()).unwrap()
}

fn kind(text: &str) -> Read<Kind> {
    super::kind(text, &Patience::default()).unwrap()
}

/// A net of this content.
fn document(content: &str) -> String {
    let grammar = "http://www.pnml.org/version-2009/grammar/ptnet";
    format!("<pnml><net id='n' type='{grammar}'>\n{content}\n</net></pnml>")
}

fn net(content: &str) -> Net {
    read(&document(content)).unwrap()
}

/// The error in a net of this content: code, line after that of the net, column and message.
fn error(content: &str) -> String {
    let text = document(content);
    let error = read(&text).unwrap_err();
    let (line, column) = place(&text, &error);
    format!("{} {}:{column} {}", error.code, line - 1, error.message)
}

const P_AND_T: &str = "<place id='p'/><transition id='t'/>";

/// A net with one arc of this content between `p` and `t`.
fn with_arc(content: &str) -> Net {
    net(&format!("{P_AND_T}<arc id='a' source='p' target='t'>{content}</arc>"))
}

#[test]
fn arcs_may_come_first_and_weigh_one() {
    let content = "<arc id='a' source='t' target='q'/>
        <arc id='b' source='p' target='t'>
          <graphics/><inscription><graphics/><text> 2 </text></inscription></arc>
        <place id='q'/>
        <transition id='t'><name><text>q</text></name></transition>
        <place id='p'><name><text>7</text></name><initialMarking><text>\n3</text></initialMarking></place>";
    let mut expected = NetBuilder::new("n");
    let (q, p) = (expected.place("q", 0), expected.place("p", 3));
    let t = expected.transition("t");
    expected.output(t, q, 1);
    expected.input(p, t, 2);
    assert_eq!(net(content), expected.finish());
}

#[test]
fn pages_and_references_disappear() {
    let content = "<page id='one'><page id='inner'><place id='p'/></page>
          <referencePlace id='r' ref='s'/><referencePlace id='s' ref='p'/></page>
        <page id='two'><transition id='t'/><referenceTransition id='u' ref='t'/>
          <arc id='a' source='r' target='u'/></page>";
    assert_eq!(net(content), net(&format!("{P_AND_T}<arc id='a' source='p' target='t'/>")));
}

#[test]
fn prefixes_and_unknown_elements_do_not_matter() {
    let text = "<x:pnml xmlns:x='y'><x:net id='n'><x:place id='p'/><declaration><place id='q'/></declaration>
        <toolspecific tool='other'><structure/></toolspecific><x:transition id='t'/></x:net></x:pnml>";
    assert_eq!(read(text).unwrap(), net(P_AND_T));
}

#[test]
fn inhibitor_arcs_have_many_spellings() {
    let mut expected = NetBuilder::new("n");
    let (p, t) = (expected.place("p", 0), expected.transition("t"));
    expected.inhibitor(p, t, 1);
    let expected = expected.finish();
    assert_eq!(with_arc("<type value='inhibitor'/>"), expected);
    assert_eq!(with_arc("<type><text>inhibitor</text></type>"), expected);
    assert_eq!(with_arc("<arctype><text> inhibitor </text></arctype>"), expected);
    assert_eq!(net(&format!("{P_AND_T}<arc source='p' target='t' type='inhibitor'/>")), expected);
    assert_eq!(net(&format!("{P_AND_T}<inhibitorArc source='p' target='t'/>")), expected);
    assert_eq!(with_arc("<type value='normal'/>"), with_arc(""));
    let weight = "<inscription><value>Default,3</value></inscription>";
    let net = with_arc(&format!("<type value='inhibitor'/>{weight}"));
    assert_eq!(net.inhibitors(t)[0].weight, 3);
}

#[test]
fn read_arcs_ask_but_do_not_take() {
    let mut both = NetBuilder::new("n");
    let (p, t) = (both.place("p", 0), both.transition("t"));
    both.input(p, t, 1);
    both.output(t, p, 1);
    assert_eq!(with_arc("<type value='read'/>"), both.finish());
    let arc = |kind: &str, weight| {
        format!("<arc source='p' target='t'>{kind}<inscription><text>{weight}</text></inscription></arc>")
    };
    let three = net(&format!("{P_AND_T}{}{}", arc("<type value='test'/>", 3), arc("", 2)));
    assert_eq!((three.pre(t)[0].weight, three.post(t)[0].weight), (3, 1));
    let two = net(&format!("{P_AND_T}{}{}", arc("<type value='test'/>", 1), arc("", 2)));
    assert_eq!(two, net(&format!("{P_AND_T}{}", arc("", 2))));
    let reads = [1, 4, 2].map(|weight| arc("<type value='read'/>", weight)).concat();
    assert_eq!(net(&format!("{P_AND_T}{reads}")).pre(t)[0].weight, 4);
}

/// Units of this content, for the places `p` and `q`.
fn units(content: &str) -> String {
    format!(
        "<place id='p'/><place id='q'/>\n<toolspecific tool='nupn' version='1.1'><size/>{content}</toolspecific>"
    )
}

#[test]
fn units_are_a_tree() {
    let content = "<structure units='2' root='r' safe='true'>
        <unit id='i'><places>q</places><subunits/></unit>
        <unit id='r'><subunits> i </subunits><places>\np </places></unit></structure>";
    let net = net(&units(content));
    let [p, q] = [0, 1].map(crate::PlaceId);
    let unit = |name: &str, place, inner| Unit { name: name.into(), places: vec![place], inner };
    let list = vec![unit("i", q, vec![]), unit("r", p, vec![0])];
    assert_eq!(net.units, Some(Units { list, root: 1, safe: true }));
}

#[test]
fn units_that_are_no_tree_are_refused() {
    let unit = |id, places, inner| {
        format!("\n<unit id='{id}'><places>{places}</places><subunits>{inner}</subunits></unit>")
    };
    let bad =
        |list: &[String]| error(&units(&format!("\n<structure root='r'>{}</structure>", list.concat())));
    assert_eq!(bad(&[unit("i", "p q", "")]), "E0321 3:1 the root of the units, `r`, is not there");
    assert_eq!(bad(&[unit("r", "p q", ""), unit("r", "", "")]), "E0321 5:1 there is a second unit `r`");
    assert_eq!(bad(&[unit("r", "p q x", "")]), "E0321 4:1 the unit `r` has `x`, which is no place");
    assert_eq!(bad(&[unit("r", "p q p", "")]), "E0321 4:1 the place `p` is in the unit `r` again");
    assert_eq!(bad(&[unit("r", "p", "")]), "E0321 3:1 some place is in no unit");
    assert_eq!(bad(&[unit("r", "p q", "x")]), "E0321 4:1 the unit `r` has `x`, which is no unit");
    assert_eq!(bad(&[unit("r", "p q", "r")]), "E0321 4:1 the unit `r` is in the unit `r` again");
    let circle = [unit("r", "p q", ""), unit("i", "", "j"), unit("j", "", "i")];
    assert_eq!(bad(&circle), "E0321 3:1 some unit is not inside the root, `r`");
    let twice = units("\n<structure root='r'/>\n<structure root='r'/>");
    assert_eq!(error(&twice), "E0321 4:1 the units are given twice");
}

#[test]
fn nodes_need_ids_of_their_own() {
    assert_eq!(error("<place/>"), "E0314 1:1 <place> has no id");
    assert_eq!(error("<transition name='t'/>"), "E0314 1:1 <transition> has no id");
    assert_eq!(error("<referencePlace id='p'/>"), "E0314 1:1 <referencePlace> has no ref");
    assert_eq!(error("<arc id='a' source='p'/>"), "E0314 1:1 <arc> has no target");
    assert_eq!(error("<place id='p'/>\n <place id='p'/>"), "E0315 2:2 the id `p` is used twice");
    assert_eq!(error("<place id='p'/>\n<transition id='p'/>"), "E0315 2:1 the id `p` is used twice");
    assert_eq!(
        error("<place id='p'/><referencePlace id='p' ref='p'/>"),
        "E0315 1:16 the id `p` is used twice"
    );
}

#[test]
fn references_lead_to_nodes_of_their_kind() {
    let place = |id, to| format!("<referencePlace id='{id}' ref='{to}'/>");
    assert_eq!(error(&place("r", "x")), "E0316 1:1 `r` refers to `x`, which is not there");
    assert_eq!(error(&place("r", "r")), "E0317 1:1 the reference `r` refers to itself");
    let circle = [place("r", "s"), place("s", "u"), place("u", "s")].concat();
    assert!(error(&circle).starts_with("E0317"), "{}", error(&circle));
    let wrong = format!("{P_AND_T}\n{}", place("r", "t"));
    assert_eq!(error(&wrong), "E0317 2:1 `r` refers to `t`, which is no place");
    let wrong = format!("{P_AND_T}\n<referenceTransition id='r' ref='p'/>");
    assert_eq!(error(&wrong), "E0317 2:1 `r` refers to `p`, which is no transition");
}

#[test]
fn long_chains_of_references_are_followed() {
    let n = 20_000;
    let chain: String = (0..n).map(|i| format!("<referencePlace id='r{i}' ref='r{}'/>", i + 1)).collect();
    let content = format!("{chain}<place id='r{n}'/><transition id='t'/><arc source='r0' target='t'/>");
    assert_eq!(net(&content).n_arcs(), 1);
}

#[test]
fn arcs_join_places_and_transitions() {
    let arc = |source, target, kind: &str| {
        let nodes = "<place id='p'/><place id='q'/><transition id='t'/><transition id='u'/>";
        error(&format!("{nodes}\n<arc source='{source}' target='{target}'>\n{kind}</arc>"))
    };
    assert_eq!(arc("x", "t", ""), "E0316 2:1 the source of the arc, `x`, is not there");
    assert_eq!(arc("p", "x", ""), "E0316 2:1 the target of the arc, `x`, is not there");
    assert_eq!(arc("p", "q", ""), "E0318 2:1 an arc between two places");
    assert_eq!(arc("t", "u", ""), "E0318 2:1 an arc between two transitions");
    let inhibitor = "<type value='inhibitor'/>";
    assert_eq!(arc("t", "p", inhibitor), "E0318 2:1 an inhibitor arc from a transition to a place");
    assert_eq!(arc("p", "t", "<type value='reset'/>"), "E0319 3:1 arcs of type `reset` cannot be read");
}

#[test]
fn markings_and_weights_are_numbers() {
    let marking = |text| {
        error(&format!("<place id='p'>\n<initialMarking><text>{text}</text></initialMarking></place>"))
    };
    assert_eq!(marking("-1"), "E0320 2:17 the marking `-1` is negative");
    assert_eq!(marking("x"), "E0320 2:17 the marking `x` is no number");
    assert_eq!(marking(""), "E0320 2:17 the marking `` is no number");
    assert_eq!(marking("1.5"), "E0320 2:17 the marking `1.5` is no number");
    assert_eq!(marking("18446744073709551616"), "E0320 2:17 the marking `18446744073709551616` is too large");
    let weight = |text| error(&format!("<arc source='p' target='t'><inscription><text>{text}</text>"));
    assert_eq!(weight("0"), "E0320 1:41 an arc of weight 0 is no arc");
    assert_eq!(weight("-2"), "E0320 1:41 the weight `-2` is negative");
    let arc = |weight: u64, kind: &str| {
        let inscription = format!("<inscription><text>{weight}</text></inscription>");
        format!("<arc source='p' target='t'>{kind}{inscription}</arc>\n")
    };
    let [most, one] = [u64::MAX - 1, 1].map(|weight| arc(weight, ""));
    let whole = net(&format!("{P_AND_T}{most}{one}"));
    assert_eq!(whole.pre(TransitionId(0))[0].weight, u64::MAX);
    let too_much = error(&format!("{P_AND_T}\n{most}{one}{one}"));
    assert_eq!(too_much, "E0320 4:1 the weights of the arcs add up to more than 2^64 - 1");
    // Of these the smallest counts.
    let inhibitors = arc(u64::MAX, "<type value='inhibitor'/>").repeat(2);
    assert_eq!(net(&format!("{P_AND_T}{inhibitors}")).inhibitors(TransitionId(0))[0].weight, u64::MAX);
}

#[test]
fn capacities_are_refused() {
    let place = |n| format!("<place id='p'><capacity><value>Default,{n}</value></capacity></place>");
    assert_eq!(net(&place(0)).places().len(), 1);
    assert_eq!(error(&place(1)), "E0322 1:25 places with a capacity cannot be read");
}

#[test]
fn coloured_nets_are_recognised() {
    let text = |kind| format!("<pnml>\n<net id='n' type='http://www.pnml.org/version-2009/grammar/{kind}'>");
    for coloured in ["symmetricnet", "highlevelnet", "pt-hlpng"] {
        assert_eq!(kind(&text(coloured)), Ok(Kind::Coloured));
        let error = read(&text(coloured)).unwrap_err();
        assert_eq!((error.code, place(&text(coloured), &error).0), (COLOURED, 2));
    }
    assert_eq!(kind(&text("ptnet")), Ok(Kind::PlaceTransition));
    assert_eq!(kind("<pnml><net type='P/T net'>"), Ok(Kind::PlaceTransition));
    let unknown = kind(&text("timednet")).unwrap_err();
    assert_eq!((unknown.code, place(&text("timednet"), &unknown).0), ("E0312", 2));
    assert_eq!(error("<place id='p'><hlinitialMarking/></place>"), "E0313 1:15 coloured nets cannot be read");
}

#[test]
fn there_is_one_net() {
    let error = |text: &str| {
        let error = read(text).unwrap_err();
        let (line, column) = place(text, &error);
        format!("{line}:{column}: {error}")
    };
    assert_eq!(error("<nets/>"), "1:1: error[E0312]: <nets> is no <pnml>");
    assert_eq!(error(""), "1:1: error[E0312]: there is no net");
    assert_eq!(error("not at all"), "1:1: error[E0312]: there is no net");
    assert_eq!(error("<pnml/>"), "1:1: error[E0312]: there is no net");
    assert_eq!(error("<pnml><net id='a'/><net id='b'/></pnml>"), "1:20: error[E0312]: there is a second net");
    assert_eq!(kind("<pnml/>").unwrap_err().code, "E0312");
}

#[test]
fn deep_nesting_is_no_danger() {
    let n = 100_000;
    let pages = |inside| "<page>".repeat(n) + inside + &"</page>".repeat(n);
    assert_eq!(net(&pages(P_AND_T)), net(P_AND_T));
    assert!(error(&"<x>".repeat(n)).starts_with("E0310"));
}

#[test]
fn what_is_written_is_read_again() {
    let mut builder = NetBuilder::new("a <net>");
    let places = ["p", "a", "a_", "<&\"'>", " b\n\t\r", "ä"].map(|name| builder.place(name, 0));
    builder.place_mut(places[1]).initial = u64::MAX;
    let [t, u] = ["t", "u&u"].map(|name| builder.transition(name));
    builder.input(places[3], t, 2);
    builder.input(places[4], u, 1);
    builder.output(u, places[0], 7);
    builder.inhibitor(places[5], u, 1);
    builder.inhibitor(places[5], t, 4);
    let net = builder.finish();
    assert_eq!(again(&net), net);
}

fn again(net: &Net) -> Net {
    let mut out = Vec::new();
    write(net, &mut out).unwrap();
    read(std::str::from_utf8(&out).unwrap()).unwrap()
}

#[test]
fn units_are_written() {
    let mut builder = NetBuilder::new("n");
    let (p, q) = (builder.place("p", 1), builder.place("q&", 0));
    let unit = |name: &str, places: &[_], inner| Unit { name: name.into(), places: places.to_vec(), inner };
    let list = vec![unit("i", &[q, p], vec![]), unit("j", &[], vec![]), unit("r", &[], vec![1, 0])];
    builder.units(Units { list, root: 2, safe: true });
    let net = builder.clone().finish();
    assert_eq!(again(&net), net);
    builder.place("with blank", 0);
    let mut net = builder.finish();
    assert_eq!(again(&net).places(), net.places());
    net.units = None;
    assert_eq!(again(&net), net);
}

#[test]
fn a_transition_with_the_name_of_a_place_gets_another() {
    let mut builder = NetBuilder::new("n");
    let p = builder.place("p", 0);
    for name in ["p", "p_", "t"] {
        let transition = builder.transition(name);
        builder.input(p, transition, 1);
    }
    let net = again(&builder.finish());
    let names: Vec<&str> = net.transitions().iter().map(|transition| &*transition.name).collect();
    assert_eq!(names, ["p__", "p_", "t"]);
    assert_eq!(net.n_arcs(), 3);
}

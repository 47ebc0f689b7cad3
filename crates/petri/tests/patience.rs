//! Whatever may take long ends soon after its time is up, however large the net.

use std::fmt::{Debug, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Actions, Model, Over, Patience, Successors};
use petri::{
    Atom, Formula, Growth, Net, NetBuilder, NetModel, NetOptions, NotModelled, Predicate, Sum, contest, lola,
    pnml,
};

/// So many places, in rings of a thousand with two tokens each: nothing is known of them at once.
const N_PLACES: u32 = 300_000;

/// How long everything has.
const TIME: Duration = Duration::from_millis(50);

/// What may be done between two looks at the clock.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// And how long it may take.
const MOST: Duration = Duration::from_millis(800);

fn patience(time: Duration) -> Patience {
    Patience { deadline: Instant::now().checked_add(time), ..Patience::default() }
}

/// Checks that something is begun in vain when it is late, and ends soon if it has a little time.
fn check<T: Debug>(name: &str, work: impl Fn(&Patience) -> Result<T, Over>) {
    for time in [Duration::ZERO, TIME] {
        let start = Instant::now();
        let result = work(&patience(time));
        let taken = start.elapsed();
        println!("{name}: {taken:?} of {time:?}");
        // The clock is looked at now and then: what is done by the next look is done.
        let is_in_time = taken < TIME + BETWEEN_LOOKS && !time.is_zero();
        assert!(is_in_time || matches!(result, Err(Over::Time)), "{name} has ended in {taken:?}");
        assert!(taken < MOST, "{name} takes {taken:?}");
    }
}

fn ring_successor(place: u32) -> u32 {
    if place % 1000 == 999 || place + 1 == N_PLACES { place - place % 1000 } else { place + 1 }
}

fn rings() -> Net {
    let mut net = NetBuilder::new("rings");
    let places: Vec<_> =
        (0..N_PLACES).map(|k| net.place(format!("p{k}"), 2 * u64::from(k % 1000 == 0))).collect();
    for k in 0..N_PLACES {
        let transition = net.transition(format!("t{k}"));
        net.input(places[k as usize], transition, 1);
        net.output(transition, places[ring_successor(k) as usize], 1);
    }
    net.finish()
}

#[test]
fn readers_end() {
    let net = rings();
    let mut text = Vec::new();
    lola::write_net(&net, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    check("the format of LoLA", |patience| lola::read_net(&text, patience));
    let mut text = Vec::new();
    pnml::write(&net, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    check("PNML", |patience| pnml::read(&text, patience));
    let text = (1..N_PLACES).fold("AG p0".to_string(), |text, k| text + &format!("+p{k}")) + " > 0";
    check("a formula", |patience| lola::read_formula(&text, &net, patience));
    check("formulas", |patience| lola::read_formulas(&text, &net, patience));
    check("a predicate", |patience| lola::read_predicate(&text[3..], &net, patience));
    let mut text = "<property-set><property><id>p</id><formula><integer-le>\n\
        <integer-constant>0</integer-constant><integer-sum>\n"
        .to_string();
    for k in 0..N_PLACES {
        let _ = writeln!(text, "<tokens-count><place>p{k}</place></tokens-count>");
    }
    text.push_str("</integer-sum></integer-le></formula></property></property-set>");
    check("properties", |patience| contest::read_properties(&text, &net, patience));
    let properties = contest::read_properties(&text, &net, &Patience::default()).unwrap().unwrap();
    assert_eq!(properties.len(), 1);
}

/// What was made, if there was patience enough.
fn unless_over<T>(result: Result<T, NotModelled>) -> Result<T, Over> {
    result.map_err(|error| match error {
        NotModelled::Over(over) => over,
        NotModelled::TooManyTokens(tokens) => unreachable!("{tokens}"),
    })
}

#[test]
fn models_and_what_is_made_of_them_end() {
    let net = Arc::new(rings());
    let all = Predicate::Value(Sum::of_all(&net));
    let model = |patience: &Patience| {
        let model = NetModel::new(net.clone(), vec![all.clone()], NetOptions::default(), patience);
        unless_over(model)
    };
    check("a model", |patience| model(patience).map(|_| ()));
    let model = model(&Patience::default()).unwrap();
    check("a wider model", |patience| unless_over(model.widened(patience)).map(|_| ()));
    let start = Instant::now();
    assert_eq!(Growth::find(&net, &Sum::of_all(&net), u64::MAX, &patience(TIME)), None);
    assert!(start.elapsed() < MOST, "{:?}", start.elapsed());
}

/// A place that all transitions need and none takes from.
fn hub(n_transitions: u32) -> Arc<Net> {
    let mut net = NetBuilder::new("hub");
    let hub = net.place("c", 1);
    for k in 0..n_transitions {
        let (place, transition) = (net.place(format!("p{k}"), 0), net.transition(format!("t{k}")));
        net.input(hub, transition, 1);
        net.output(transition, hub, 1);
        net.output(transition, place, 1);
    }
    Arc::new(net.finish())
}

/// What all transitions of a net need is looked at once, not once for each of them.
#[test]
fn a_place_that_everybody_needs_costs_no_more_than_others() {
    let net = hub(90_000);
    let start = Instant::now();
    let any = Predicate::Formula(Formula::Atom(Atom::Fireable(net.transition_ids().collect())));
    let all = Predicate::Value(Sum::of_all(&net));
    let model =
        NetModel::new(net.clone(), vec![any, all], NetOptions::default(), &Patience::default()).unwrap();
    let (mut state, mut actions) = (Vec::new(), Actions::default());
    model.initial(&mut state).unwrap();
    model.enabled(&state, &mut actions);
    let mut independence =
        model.independence(&[model::PredicateId(0), model::PredicateId(1)], &Patience::default()).unwrap();
    independence.look(&state, &actions);
    for transition in 0..90_000 {
        let mut conflicts = Vec::new();
        independence.conflicts(transition, &mut conflicts);
        assert_eq!(conflicts, []);
    }
    println!("{:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

/// All successors of a state may be far more than fit.
#[test]
fn firing_ends() {
    let model = NetModel::new(hub(90_000), Vec::new(), NetOptions::default(), &Patience::default()).unwrap();
    let (mut state, mut actions) = (Vec::new(), Actions::default());
    model.initial(&mut state).unwrap();
    let start = Instant::now();
    let mut successors = Successors { patience: Some(patience(TIME)), ..Successors::default() };
    model.expand(&state, &mut actions, &mut successors);
    assert!(successors.abandoned && start.elapsed() < MOST, "{:?}", start.elapsed());
    let exceeded = |bytes: u64| bytes == 1;
    let memory = Some(model::MemoryLimit { bytes: 1, exceeded });
    let mut successors =
        Successors { patience: Some(Patience { memory, ..Patience::default() }), ..Successors::default() };
    model.expand(&state, &mut actions, &mut successors);
    assert!(successors.abandoned && successors.words.len() < 1 << 18, "{}", successors.words.len());
}

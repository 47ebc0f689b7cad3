//! Damaged files: they are read or refused with a place, and never bring the reader down. A net that is read
//! in spite of the damage is written and read again without loss.

use model::{Patience, Random};
use petri::{Net, Property, Read, contest, dot, pnml, xml};
use source::Rejected;

fn read_net(text: &str) -> Read<Net> {
    pnml::read(text, &Patience::default()).unwrap()
}

fn read_properties(text: &str, net: &Net) -> Read<Vec<Property>> {
    contest::read_properties(text, net, &Patience::default()).unwrap()
}

const NET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- Everything at least once. -->
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n&amp;n" type="http://www.pnml.org/version-2009/grammar/ptnet"><name><text>net</text></name>
<page id="one"><page id="two">
<place id="p"><initialMarking><text>12</text></initialMarking></place>
<place id="q&#228;"><graphics><position x="1" y="2"/></graphics></place>
<referencePlace id="r" ref="s"/><referencePlace id="s" ref="p"/></page>
<transition id="t"/><transition id="u"><name><text><![CDATA[<u>]]></text></name></transition>
<referenceTransition id="v" ref="t"/></page>
<arc id="a" source="r" target="v"><inscription><text>3</text></inscription></arc>
<arc id="b" source="t" target="q&#228;"/>
<arc id="c" source="p" target="u"><type value="inhibitor"/></arc>
<arc id="d" source="p" target="u"><arctype><text>read</text></arctype></arc>
<toolspecific tool="nupn" version="1.1"><size places="2" transitions="2" arcs="5"/>
<structure units="2" root="r" safe="true"><unit id="r"><places>p</places><subunits>i</subunits></unit>
<unit id="i"><places>qä</places><subunits/></unit></structure></toolspecific>
</net></pnml>
"#;

const PROPERTIES: &str = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
<property><id>n-00</id><description>no</description><formula><all-paths><until>
<before><equivalence><is-fireable><transition>t</transition><transition>u</transition></is-fireable>
<negation><deadlock/></negation></equivalence></before>
<reach><integer-le><integer-sum><tokens-count><place>p</place><place>q&#228;</place></tokens-count>
<integer-constant>-1</integer-constant></integer-sum>
<integer-product><integer-constant>2</integer-constant><tokens-count><place>p</place></tokens-count>
</integer-product></integer-le></reach></until></all-paths></formula></property>
<property><id>n-01</id><formula><place-bound><place>p</place></place-bound></formula></property>
</property-set>
"#;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

fn mutate(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let length = random.below(40).min(bytes.len() - at);
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = b"<>&;/'\"0-9 x\n"[random.below(13)],
            2 => drop(bytes.drain(at..at + length)),
            3 => bytes.extend_from_within(at..at + length),
            _ => {
                let part = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Checks that a net comes through in one piece, or that the error has a place in the file.
fn check_net(file: &[u8]) -> bool {
    let net = xml::decode("", file).and_then(|text| read_net(&text).map_err(|error| rejected(&text, *error)));
    match net {
        Ok(net) => {
            let mut written = Vec::new();
            pnml::write(&net, &mut written).expect("memory can be written to");
            let again = read_net(str::from_utf8(&written).expect("it is written so"));
            assert_eq!(again.as_ref(), Ok(&net), "{}", String::from_utf8_lossy(file));
            dot::write(&net, &mut written).expect("memory can be written to");
            true
        }
        Err(rejected) => check_error(&rejected, file),
    }
}

fn check_properties(file: &[u8], net: &Net) -> bool {
    let properties = xml::decode("", file)
        .and_then(|text| read_properties(&text, net).map_err(|error| rejected(&text, *error)));
    properties.map_or_else(|rejected| check_error(&rejected, file), |_| true)
}

fn rejected(text: &str, error: source::Diagnostic) -> Box<Rejected> {
    Box::new(Rejected::new("", text, error))
}

fn check_error(rejected: &Rejected, file: &[u8]) -> bool {
    let n_lines = file.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    let error = &rejected.diagnostics[0];
    let place = rejected.sources.position(error.span.expect("it has a place"));
    assert!((1..=n_lines).contains(&place.line) && place.column >= 1, "{error}");
    assert!(error.code.starts_with("E03") && !error.message.is_empty(), "{error}");
    false
}

#[test]
fn truncated_files_are_refused() {
    let net = read_net(NET).unwrap();
    for length in 0..NET.trim_end().len() {
        assert!(!check_net(&NET.as_bytes()[..length]), "{length}");
    }
    for length in 0..PROPERTIES.trim_end().len() {
        assert!(!check_properties(&PROPERTIES.as_bytes()[..length], &net), "{length}");
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let net = read_net(NET).unwrap();
    assert!(check_net(NET.as_bytes()) && check_properties(PROPERTIES.as_bytes(), &net));
    let (seed, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", 20_000));
    println!("STUBBORN_SEED={seed} STUBBORN_ROUNDS={rounds}");
    let (mut nets, mut properties) = (0, 0);
    for round in 0..rounds {
        let mut random = Random::new((seed + round).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        nets += u64::from(check_net(&mutate(NET, &mut random)));
        properties += u64::from(check_properties(&mutate(PROPERTIES, &mut random), &net));
    }
    println!("{nets} nets and {properties} property files could be read");
    assert!(rounds < 1000 || nets > rounds / 100 && properties > rounds / 100);
}

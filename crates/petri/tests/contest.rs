//! The instances of the Model Checking Contest in `../shared/corpus`: nets have as many places, transitions
//! and arcs as they should, all properties can be read, and what is written is read again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use model::Patience;
use petri::{Net, contest, pnml, xml};
use testkit::corpus::{part, table};

fn read_net(text: &str) -> petri::Read<Net> {
    pnml::read(text, &Patience::default()).unwrap()
}

/// The files of an instance by name.
fn unpack(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(std::fs::File::open(path).expect("it is listed")));
    let mut files = BTreeMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a path").file_name().map(|name| name.to_string_lossy().into_owned());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its content");
        files.insert(name.unwrap_or_default(), bytes);
    }
    files
}

/// The names of all properties of an instance, by examination.
fn properties(net: &Net, files: &BTreeMap<String, Vec<u8>>) -> HashSet<(String, String)> {
    let mut found = HashSet::new();
    for examination in contest::WITH_FILE {
        let file = xml::decode(examination, &files[&format!("{examination}.xml")]).expect("it is text");
        let properties = contest::read_properties(&file, net, &Patience::default())
            .unwrap()
            .unwrap_or_else(|e| panic!("{}: {e}", net.name));
        assert_eq!(properties.len(), 16, "{} {examination}", net.name);
        found.extend(properties.into_iter().map(|property| (examination.to_owned(), property.name)));
    }
    found
}

#[test]
fn instances_are_read() {
    let Some(folder) = part("mcc", "stats.tsv") else { return };
    let mut expected: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for row in table(&folder.join("expected.tsv")) {
        let [instance, examination, property, _] = <[String; 4]>::try_from(row).expect("four columns");
        expected.entry(instance).or_default().push((examination, property));
    }
    let (mut n_nets, mut n_coloured) = (0, 0);
    for row in table(&folder.join("stats.tsv")) {
        let [instance, coloured, places, transitions, arcs, ..] = &row[..] else { panic!("{row:?}") };
        let files = unpack(&folder.join(format!("{instance}.tgz")));
        let model = &*xml::decode(instance, &files["model.pnml"]).expect("it is text");
        if coloured == "TRUE" {
            assert_eq!(
                pnml::kind(model, &Patience::default()).unwrap(),
                Ok(pnml::Kind::Coloured),
                "{instance}"
            );
            assert_eq!(read_net(model).unwrap_err().code, pnml::COLOURED, "{instance}");
            n_coloured += 1;
            continue;
        }
        assert_eq!(
            pnml::kind(model, &Patience::default()).unwrap(),
            Ok(pnml::Kind::PlaceTransition),
            "{instance}"
        );
        let net = read_net(model).unwrap_or_else(|error| panic!("{instance}: {error}"));
        let sizes = [net.places().len(), net.transitions().len(), net.n_arcs()].map(|n| n.to_string());
        assert_eq!(sizes, [places.as_str(), transitions, arcs], "{instance}");
        assert_eq!(net.units.is_some(), row[8] == "1", "{instance}");
        let found = properties(&net, &files);
        for (examination, property) in &expected[instance] {
            match contest::global_property(examination) {
                Some(global) if examination == "StateSpace" => assert_eq!(&global.name, examination),
                Some(global) => assert_eq!(&global.name, property),
                None => {
                    let known = found.contains(&(examination.clone(), property.clone()));
                    assert!(known, "{instance} has no {property}");
                }
            }
        }
        let mut written = Vec::new();
        pnml::write(&net, &mut written).expect("memory can be written to");
        assert_eq!(read_net(str::from_utf8(&written).unwrap()).as_ref(), Ok(&net), "{instance}");
        n_nets += 1;
    }
    println!("{n_nets} nets, {n_coloured} coloured nets");
    assert!(n_nets > 0 && n_coloured > 0);
}

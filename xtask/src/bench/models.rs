//! What is measured: models, and temporal properties of models.

use std::path::PathBuf;

use crate::corpus::Claim;
use crate::place;

/// Where a model is.
#[derive(Clone, Copy)]
enum Home {
    Bundled(&'static str),
    Corpus(&'static str),
}

impl Home {
    /// The file, if it is there.
    fn locate(self) -> Option<PathBuf> {
        match self {
            Home::Bundled(name) => Some(place::workspace().join("models").join(name)),
            Home::Corpus(path) => Some(place::corpus().ok()?.join(path)).filter(|file| file.is_file()),
        }
    }
}

/// The models: a name, where it is, macros. Those of the corpus are left out where it is not there.
const MODELS: [(&str, Home, &[&str]); 20] = [
    ("peterson N=3", Home::Bundled("peterson.pml"), &["-DN=3"]),
    ("peterson N=4", Home::Bundled("peterson.pml"), &["-DN=4"]),
    ("philosophers N=7", Home::Bundled("philosophers.pml"), &["-DN=7"]),
    ("leader N=8", Home::Bundled("leader.pml"), &["-DN=8"]),
    ("alternating-bit", Home::Bundled("alternating-bit.pml"), &[]),
    ("snoopy", Home::Corpus("spin/Examples/snoopy.pml"), &[]),
    ("pftp", Home::Corpus("spin/Examples/LTL/pftp.pml"), &[]),
    ("sort", Home::Corpus("spin/Examples/sort.pml"), &[]),
    ("dtp", Home::Corpus("spin/Examples/dtp.pml"), &[]),
    ("cambridge", Home::Corpus("spin/Examples/cambridge.pml"), &[]),
    ("peterson3", Home::Corpus("ltsmin/examples/peterson3.pml"), &[]),
    ("i-protocol i3", Home::Corpus("spins/case_studies/i-protocol/code/spin/i3"), &[]),
    ("garp_ls", Home::Corpus("spins/case_studies/garp/garp-b/garp_ls"), &[]),
    ("qrcu", Home::Corpus("perfbook-rcu/CodeSamples/formal/promela/qrcu.spin"), &[]),
    ("brp.3", Home::Corpus("beem/brp.3.pm"), &[]),
    ("phils.4", Home::Corpus("beem/phils.4.pm"), &[]),
    ("peterson.4", Home::Corpus("beem/peterson.4.pm"), &[]),
    ("telephony.3", Home::Corpus("beem/telephony.3.pm"), &[]),
    ("szymanski.4", Home::Corpus("beem/szymanski.4.pm"), &[]),
    ("msmie.4", Home::Corpus("beem/msmie.4.pm"), &[]),
];

/// The properties: a name, the model, the claim. Those of the corpus are left out where it is not there.
const PROPERTIES: [(&str, Home, &str); 12] = [
    ("peterson3", Home::Corpus("ltsmin/examples/peterson3.pml"), "never"),
    ("garp_nl", Home::Corpus("spins/case_studies/garp/garp-b/garp_nl"), "never"),
    ("mobile1", Home::Corpus("spin/Examples/LTL/mobile1.pml"), "ltl"),
    ("mobile2", Home::Corpus("spin/Examples/LTL/mobile2.pml"), "ltl"),
    ("train", Home::Corpus("spin/Examples/LTL/train.pml"), "c1"),
    ("train", Home::Corpus("spin/Examples/LTL/train.pml"), "c5"),
    ("crossroad", Home::Corpus("misc/rkolovanov+promela-algorithms/models/crossroad.pml"), "safetyWN"),
    (
        "dijkstra",
        Home::Corpus("misc/rkolovanov+promela-algorithms/models/n-processes-dijkstra.pml"),
        "no_starvation",
    ),
    ("enq", Home::Corpus("misc/luizaalves+promela/enq.pml"), "prop2"),
    ("aio_notify", Home::Corpus("qemu/docs/spin/aio_notify_accept.promela"), "never"),
    ("brp", Home::Corpus("spins/case_studies/brp/brp.prm"), "never"),
    ("leader", Home::Corpus("spin/Examples/LTL/leader.pml"), "p1"),
];

/// A model that is there.
pub struct Model {
    pub name: &'static str,
    pub file: PathBuf,
    pub defines: &'static [&'static str],
}

/// A model that is there, and a property of its infinite runs.
pub struct Property {
    pub model: &'static str,
    pub file: PathBuf,
    claim: &'static str,
}

/// The models whose name contains a text.
pub fn models(filter: &str) -> Vec<Model> {
    let chosen = MODELS.into_iter().filter(|(name, ..)| name.contains(filter));
    let there =
        chosen.filter_map(|(name, home, defines)| Some(Model { name, file: located(name, home)?, defines }));
    there.collect()
}

/// The properties of models whose name contains a text.
pub fn properties(filter: &str) -> Vec<Property> {
    let chosen = PROPERTIES.into_iter().filter(|(model, ..)| model.contains(filter));
    let there = chosen
        .filter_map(|(model, home, claim)| Some(Property { model, file: located(model, home)?, claim }));
    there.collect()
}

/// The file of a model; says so if it is not there.
fn located(name: &str, home: Home) -> Option<PathBuf> {
    let file = home.locate();
    if file.is_none() {
        println!("{name}: skipped, no corpus");
    }
    file
}

impl Property {
    /// What is measured of it, each with a name: all runs, and the fair ones.
    pub fn variants(&self) -> [(String, Claim); 2] {
        ["", "+fair"].map(|suffix| {
            let claim = Claim { name: format!("{}{suffix}", self.claim), verdict: String::new() };
            (format!("{} {}", self.model, claim.name), claim)
        })
    }
}

/// What `pan` is asked about a property. End states are a property of their own. So are assertions,
/// but `-A` would hide what the claim of an invariant asserts too.
pub fn pan_options(claim: &Claim) -> Vec<&str> {
    [&["-a", "-E", "-n"], claim.pan_options().as_slice()].concat()
}

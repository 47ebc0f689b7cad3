//! What is measured: models, temporal properties of models, and models that grow.

use std::path::{Path, PathBuf};

use crate::corpus::Claim;
use crate::place;

/// Where a model is.
#[derive(Clone, Copy)]
enum Home {
    /// In this repository, with macros.
    Bundled(&'static str, &'static [&'static str]),
    /// In the corpus.
    Corpus(&'static str),
    /// In the corpus, with another value for a macro that it defines.
    Changed(&'static str, &'static str, &'static str),
    /// A net of the literature: its family and its sizes.
    Example(&'static str, &'static [u64]),
}
use Home::{Bundled, Changed, Corpus, Example};

/// The models of the large tables. Most have 0.8 to 10 million states; `snoopy` and `dtp` are here
/// because they are what everybody measures.
const MODELS: [(&str, Home); 27] = [
    ("peterson N=4", Bundled("peterson.pml", &["-DN=4"])),
    ("peterson4", Corpus("spins/case_studies/Tests/peterson4")),
    ("leader N=8", Bundled("leader.pml", &["-DN=8"])),
    ("leader", Corpus("spin/Examples/LTL/leader.pml")),
    ("snoopy", Corpus("spin/Examples/snoopy.pml")),
    ("pftp QSZ=4", Changed("spin/Examples/LTL/pftp.pml", "QSZ", "4")),
    ("sort N=8", Changed("spin/Examples/sort.pml", "N", "8")),
    ("i-protocol WIN=6", Changed("spins/case_studies/i-protocol/code/spin/i3", "WIN", "6")),
    ("brp", Corpus("spins/case_studies/brp/brp.prm")),
    ("philosophers N=9", Bundled("philosophers.pml", &["-DN=9"])),
    ("philo", Corpus("spins/case_studies/phils/philo.pml")),
    ("dtp", Corpus("spin/Examples/dtp.pml")),
    ("cambridge", Corpus("spin/Examples/cambridge.pml")),
    ("garp_ls", Corpus("spins/case_studies/garp/garp-b/garp_ls")),
    ("qrcu", Corpus("perfbook-rcu/CodeSamples/formal/promela/qrcu.spin")),
    ("at.3", Corpus("beem/at.3.pm")),
    ("bakery.5", Corpus("beem/bakery.5.pm")),
    ("brp.3", Corpus("beem/brp.3.pm")),
    ("fischer.4", Corpus("beem/fischer.4.pm")),
    ("iprotocol.3", Corpus("beem/iprotocol.3.pm")),
    ("lamport.5", Corpus("beem/lamport.5.pm")),
    ("leader_filters.5", Corpus("beem/leader_filters.5.pm")),
    ("msmie.4", Corpus("beem/msmie.4.pm")),
    ("peterson.4", Corpus("beem/peterson.4.pm")),
    ("protocols.4", Corpus("beem/protocols.4.pm")),
    ("szymanski.4", Corpus("beem/szymanski.4.pm")),
    ("telephony.3", Corpus("beem/telephony.3.pm")),
];

/// Models with fewer than 100 000 states.
const SMALL: [(&str, Home); 14] = [
    ("philosophers", Bundled("philosophers.pml", &[])),
    ("leader", Bundled("leader.pml", &[])),
    ("peterson N=3", Bundled("peterson.pml", &["-DN=3"])),
    ("leader0", Corpus("spin/Examples/leader0.pml")),
    ("snoopy", Corpus("spin/Examples/snoopy.pml")),
    ("i4", Corpus("ltsmin/examples/i4")),
    ("zune", Corpus("ltsmin/examples/zune.pml")),
    ("anderson.4", Corpus("beem/anderson.4.pm")),
    ("at.2", Corpus("beem/at.2.pm")),
    ("brp.2", Corpus("beem/brp.2.pm")),
    ("fischer.2", Corpus("beem/fischer.2.pm")),
    ("iprotocol.2", Corpus("beem/iprotocol.2.pm")),
    ("szymanski.2", Corpus("beem/szymanski.2.pm")),
    ("telephony.2", Corpus("beem/telephony.2.pm")),
];

/// The search of which instructions are counted, unless something else is said: complete, on one thread.
const COMPLETE: &[&str] = &["--safety", "--all-errors", "--por", "none", "--search", "reach"];
const REDUCED: &[&str] = &["--safety", "--por", "stubborn", "--search", "dfs"];

/// Searches whose instructions are counted: small, as counting is slow.
const COUNTED: [(&str, Home, &[&str]); 13] = [
    ("counters", Bundled("counters.pml", &["-DM=18"]), COMPLETE),
    ("mixing", Bundled("mixing.pml", &["-DM=47"]), COMPLETE),
    ("peterson N=3", Bundled("peterson.pml", &["-DN=3"]), COMPLETE),
    ("leader N=6", Bundled("leader.pml", &["-DN=6"]), COMPLETE),
    ("philosophers N=6", Bundled("philosophers.pml", &["-DN=6"]), COMPLETE),
    ("snoopy", Corpus("spin/Examples/snoopy.pml"), COMPLETE),
    ("reduced peterson N=3", Bundled("peterson.pml", &["-DN=3"]), REDUCED),
    ("reduced snoopy", Corpus("spin/Examples/snoopy.pml"), REDUCED),
    (
        "fair scc peterson N=3",
        Bundled("peterson.pml", &["-DN=3"]),
        &["--property", "entry", "--fairness", "weak", "--search", "scc"],
    ),
    (
        "fair ndfs peterson N=3",
        Bundled("peterson.pml", &["-DN=3"]),
        &["--property", "entry", "--fairness", "weak", "--search", "ndfs"],
    ),
    ("net ph 9", Example("ph", &[9]), &["--explore", "--por", "none", "--search", "reach"]),
    ("net ph 100 reach", Example("ph", &[100]), &["--reach", "ea_1 = 1 AND ea_2 = 1"]),
    ("net ph 8 ctl", Example("ph", &[8]), &["--ctl", "AG EF ea_1 = 1"]),
];

/// Next to nothing to search: what a program needs for itself.
const EMPTY: (&str, Home) = ("empty", Bundled("seeds/pairs.pml", &[]));

/// Models that grow: about 10^5, 10^6, 10^7, 3·10^7 and 10^8 states. The states of the first two keep
/// their length; those of the third get longer.
const FAMILIES: [(&str, &str, [&[&str]; 5]); 3] = [
    ("counters", "counters.pml", [&["-DM=18"], &["-DM=32"], &["-DM=56"], &["-DM=74"], &["-DM=100"]]),
    ("mixing", "mixing.pml", [&["-DM=47"], &["-DM=101"], &["-DM=211"], &["-DM=311"], &["-DM=463"]]),
    ("philosophers", "philosophers.pml", [&["-DN=7"], &["-DN=8"], &["-DN=9"], &["-DN=10"], &["-DN=11"]]),
];

/// The properties: a name, the model, the claim. Those of the corpus are left out where it is not there.
const PROPERTIES: [(&str, Home, &str); 12] = [
    ("peterson3", Corpus("ltsmin/examples/peterson3.pml"), "never"),
    ("garp_nl", Corpus("spins/case_studies/garp/garp-b/garp_nl"), "never"),
    ("mobile1", Corpus("spin/Examples/LTL/mobile1.pml"), "ltl"),
    ("mobile2", Corpus("spin/Examples/LTL/mobile2.pml"), "ltl"),
    ("train", Corpus("spin/Examples/LTL/train.pml"), "c1"),
    ("train", Corpus("spin/Examples/LTL/train.pml"), "c5"),
    ("crossroad", Corpus("misc/rkolovanov+promela-algorithms/models/crossroad.pml"), "safetyWN"),
    (
        "dijkstra",
        Corpus("misc/rkolovanov+promela-algorithms/models/n-processes-dijkstra.pml"),
        "no_starvation",
    ),
    ("enq", Corpus("misc/luizaalves+promela/enq.pml"), "prop2"),
    ("aio_notify", Corpus("qemu/docs/spin/aio_notify_accept.promela"), "never"),
    ("brp", Corpus("spins/case_studies/brp/brp.prm"), "never"),
    ("leader", Corpus("spin/Examples/LTL/leader.pml"), "p1"),
];

/// A model that is there.
#[derive(Clone)]
pub struct Model {
    pub name: &'static str,
    pub file: PathBuf,
    pub defines: &'static [&'static str],
}

/// A search whose instructions are counted.
pub struct Counted {
    pub model: Model,
    /// What is asked, and how it is to be answered.
    pub options: &'static [&'static str],
}

/// A model that is there, and a property of its infinite runs.
pub struct Property {
    pub model: Model,
    claim: &'static str,
}

/// The models of the large tables whose name contains a text.
pub fn large(filter: &str) -> Vec<Model> {
    located(&MODELS, filter)
}

/// The small models whose name contains a text.
pub fn small(filter: &str) -> Vec<Model> {
    located(&SMALL, filter)
}

/// The searches whose instructions are counted and whose name contains a text.
pub fn counted(filter: &str) -> Vec<Counted> {
    let chosen = COUNTED.into_iter().filter(|(name, ..)| name.contains(filter));
    let counted =
        chosen.filter_map(|(name, home, options)| Some(Counted { model: there(name, home)?, options }));
    counted.collect()
}

/// The model with next to no states.
pub fn empty() -> Result<Model, String> {
    let (name, home) = EMPTY;
    home.locate(name)
}

/// How far models grow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Up to 3·10^7 states.
    Large,
    /// Up to 10^8 states.
    Huge,
}

/// The models that grow and whose name contains a text, family by family, from small to large.
pub fn growing(filter: &str, growth: Growth) -> Vec<Model> {
    let chosen = FAMILIES.into_iter().filter(|(name, ..)| name.contains(filter));
    let family = |(name, file, sizes): (&'static str, &'static str, [&'static [&'static str]; 5])| {
        let kept = sizes.len() - usize::from(growth == Growth::Large);
        sizes.into_iter().take(kept).map(move |defines| Model { name, file: bundled(file), defines })
    };
    chosen.flat_map(family).collect()
}

/// The properties of models whose name contains a text.
pub fn properties(filter: &str) -> Vec<Property> {
    let chosen = PROPERTIES.into_iter().filter(|(model, ..)| model.contains(filter));
    let there = chosen.filter_map(|(name, home, claim)| Some(Property { model: there(name, home)?, claim }));
    there.collect()
}

fn located(models: &[(&'static str, Home)], filter: &str) -> Vec<Model> {
    let chosen = models.iter().filter(|(name, _)| name.contains(filter));
    chosen.filter_map(|&(name, home)| there(name, home)).collect()
}

/// A model; says so if it is not there.
fn there(name: &'static str, home: Home) -> Option<Model> {
    home.locate(name).inspect_err(|reason| println!("{name}: skipped, {reason}")).ok()
}

fn bundled(file: &str) -> PathBuf {
    place::workspace().join("models").join(file)
}

impl Home {
    /// The model, if its file is there.
    fn locate(self, name: &'static str) -> Result<Model, String> {
        let model = |file, defines| Model { name, file, defines };
        match self {
            Bundled(file, defines) => Ok(model(bundled(file), defines)),
            Corpus(path) => Ok(model(in_corpus(path)?, &[])),
            Changed(path, constant, value) => {
                Ok(model(changed_copy(name, &in_corpus(path)?, constant, value)?, &[]))
            }
            Example(family, sizes) => Ok(model(example(name, family, sizes)?, &[])),
        }
    }
}

fn in_corpus(path: &str) -> Result<PathBuf, String> {
    let file = place::corpus()?.join(path);
    if file.is_file() { Ok(file) } else { Err(format!("{path} is not in the corpus")) }
}

/// A net of the literature, as a file.
fn example(name: &str, family: &str, sizes: &[u64]) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("the net cannot be written: {error}");
    let net = petri::example::example(family, sizes).map_err(|error| error.message)?;
    let file = generated(name, "lola").map_err(failed)?;
    let mut text = Vec::new();
    petri::lola::write_net(&net, &mut text).map_err(failed)?;
    std::fs::write(&file, text).map_err(failed)?;
    Ok(file)
}

/// Where a model is put that is made.
fn generated(name: &str, ending: &str) -> std::io::Result<PathBuf> {
    let folder = place::generated("bench-models");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join(name.replace(' ', "-")).with_extension(ending))
}

/// A copy of a model in which a macro has another value.
fn changed_copy(name: &str, file: &Path, constant: &str, value: &str) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("cannot be copied: {error}");
    let text = std::fs::read_to_string(file).map_err(failed)?;
    let text = redefined(&text, constant, value).ok_or(format!("it does not define {constant}"))?;
    let copy = generated(name, "pml").map_err(failed)?;
    std::fs::write(&copy, text).map_err(failed)?;
    Ok(copy)
}

/// A text with another value in the line that defines a constant. None if there is no such line.
fn redefined(text: &str, constant: &str, value: &str) -> Option<String> {
    let defines = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next() == Some("#define") && words.next() == Some(constant)
    };
    let line = text.lines().find(defines)?;
    Some(text.replacen(line, &format!("#define {constant} {value}"), 1))
}

impl Property {
    /// What is measured of it, each with a name: all runs, and the fair ones.
    pub fn variants(&self) -> [(String, Claim); 2] {
        ["", "+fair"].map(|suffix| {
            let claim = Claim { name: format!("{}{suffix}", self.claim), verdict: String::new() };
            (format!("{} {}", self.model.name, claim.name), claim)
        })
    }
}

/// What `pan` is asked about a property. End states are a property of their own. So are assertions,
/// but `-A` would hide what the claim of an invariant asserts too.
pub fn pan_options(claim: &Claim) -> Vec<&str> {
    [&["-a", "-E", "-n"], claim.pan_options().as_slice()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_gets_another_value() {
        let text = "#define NO 1\n#define\tN\t7 /* processes */\nchan q[N];\n";
        let expected = "#define NO 1\n#define N 8\nchan q[N];\n";
        assert_eq!(redefined(text, "N", "8").as_deref(), Some(expected));
        assert_eq!(redefined(text, "M", "8"), None);
    }

    #[test]
    fn bundled_models_are_there() {
        let counted = COUNTED.map(|(name, home, _)| (name, home));
        let homes = MODELS.iter().chain(&SMALL).chain(&counted).chain([&EMPTY]);
        for (name, home) in homes.filter(|(_, home)| matches!(home, Bundled(..) | Example(..))) {
            assert!(home.locate(name).is_ok_and(|model| model.file.is_file()), "{name}");
        }
        for model in growing("", Growth::Huge) {
            assert!(model.file.is_file(), "{}", model.name);
        }
    }

    #[test]
    fn the_largest_size_is_only_for_the_patient() {
        let sizes = |growth| growing("counters", growth).len();
        assert_eq!((sizes(Growth::Large), sizes(Growth::Huge)), (4, 5));
    }
}

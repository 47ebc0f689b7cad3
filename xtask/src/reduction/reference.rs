//! What Spin and LTSmin achieve: states without and with reduction, measured once with both.

use crate::corpus::Row;

/// How a tool reduces a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// States without and with reduction.
    States(u64, u64),
    /// Only the factor between the two is known.
    Factor(f64),
}

impl Gain {
    /// How many times fewer states there are.
    pub fn factor(self) -> f64 {
        match self {
            Gain::States(full, reduced) => full as f64 / reduced as f64,
            Gain::Factor(factor) => factor,
        }
    }
}

/// A model and what others achieve on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What to call it.
    pub name: String,
    /// Its path below the corpus.
    pub path: String,
    /// Spin's ample sets, with its default merging of statements.
    pub spin: Option<Gain>,
    /// LTSmin's stubborn sets.
    pub ltsmin: Option<Gain>,
    /// The states without reduction and merging, where Spin has counted them: ours are the same, which
    /// is tested elsewhere. (LTSmin's are not for all models.)
    pub full: Option<u64>,
}

use Gain::{Factor, States};

/// A name, a path, and the gains of Spin and LTSmin.
type Measured = (&'static str, &'static str, Option<Gain>, Option<Gain>);

/// `sort` and `sort-copies` are one system written in two ways, and so are `leader0` and
/// `leader-copies`: Spin was measured on the first and LTSmin on the second of each.
const MEASURED: [Measured; 25] = [
    ("sort", "spin/Examples/sort.pml", Some(States(107_713, 135)), Some(States(659_683, 182))),
    (
        "sort-copies",
        "spins/case_studies/Tests/sort-copies",
        Some(States(107_713, 135)),
        Some(States(659_683, 182)),
    ),
    ("leader0", "spin/Examples/leader0.pml", Some(States(15_779, 97)), Some(States(41_692, 1_913))),
    (
        "leader-copies",
        "spins/case_studies/Tests/leader-copies",
        Some(States(15_779, 97)),
        Some(States(41_692, 1_913)),
    ),
    (
        "peterson4",
        "spins/case_studies/Tests/peterson4",
        Some(States(6_504_635, 533_083)),
        Some(States(12_645_068, 372_109)),
    ),
    (
        "philo",
        "spins/case_studies/phils/philo.pml",
        Some(States(1_640_881, 1_640_881)),
        Some(States(1_640_881, 129_510)),
    ),
    ("snoopy", "spin/Examples/snoopy.pml", Some(States(61_619, 9_343)), Some(States(91_920, 11_739))),
    (
        "i2",
        "spins/case_studies/i-protocol/code/spin/i2",
        Some(States(5_398_309, 1_347_168)),
        Some(States(14_309_427, 2_306_894)),
    ),
    (
        "public_subscribe.2",
        "beem/public_subscribe.2.pm",
        Some(States(3_533_882, 485_844)),
        Some(States(2_775_811, 1_607_645)),
    ),
    (
        "brp.prm",
        "spins/case_studies/brp/brp.prm",
        Some(States(431_424, 259_750)),
        Some(States(3_280_269, 966_597)),
    ),
    (
        "iprotocol.4",
        "beem/iprotocol.4.pm",
        Some(States(8_395_984, 3_717_388)),
        Some(States(3_072_517, 1_146_657)),
    ),
    (
        "szymanski.4",
        "beem/szymanski.4.pm",
        Some(States(2_178_111, 2_137_070)),
        Some(States(2_313_863, 1_115_721)),
    ),
    ("bakery.6", "beem/bakery.6.pm", Some(Factor(1.0)), Some(States(11_845_035, 11_065_489))),
    (
        "leader_filters.5",
        "beem/leader_filters.5.pm",
        Some(States(1_570_456, 1_512_626)),
        Some(States(1_400_176, 1_322_758)),
    ),
    ("dbm", "spins/case_studies/dbm/dbm.prm", Some(States(5_112, 5_112)), Some(States(5_112, 5_112))),
    ("pftp", "spin/Examples/LTL/pftp.pml", Some(States(144_813, 47_356)), None),
    ("dtp", "spin/Examples/dtp.pml", Some(Factor(5.0)), None),
    ("cambridge", "spin/Examples/cambridge.pml", Some(Factor(1.9)), None),
    ("i3", "spins/case_studies/i-protocol/code/spin/i3", Some(Factor(3.8)), None),
    ("peterson3", "spins/case_studies/Tests/peterson3", Some(States(25_362, 2_999)), None),
    ("smcs", "spins/case_studies/smcs/smcs.promela", Some(Factor(3.9)), None),
    ("x509", "spins/case_studies/x509/X.509.prm", Some(Factor(1.5)), None),
    ("at.4", "beem/at.4.pm", Some(Factor(1.0)), None),
    ("telephony.3", "beem/telephony.3.pm", Some(Factor(1.0)), None),
    ("msmie.4", "beem/msmie.4.pm", Some(Factor(1.0)), None),
];

/// The models that both tools were measured on, then the others of BEEM whose states Spin has
/// counted with and without reduction.
pub fn all(rows: &[Row]) -> Vec<Reference> {
    let full = |path: &str| rows.iter().find(|row| row.path == path).and_then(|row| row.states);
    let measured = MEASURED.iter().map(|&(name, path, spin, ltsmin)| Reference {
        name: name.to_string(),
        path: path.to_string(),
        spin,
        ltsmin,
        full: full(path),
    });
    let is_new = |row: &&Row| MEASURED.iter().all(|(_, path, ..)| *path != row.path);
    measured.chain(rows.iter().filter(is_new).filter_map(beem)).collect()
}

/// What the table of the corpus says of a BEEM model, if its complete search has come to an end.
fn beem(row: &Row) -> Option<Reference> {
    let file = row.path.strip_prefix("beem/")?;
    let reduced = row.note.split(&[' ', ';'][..]).find_map(|item| item.strip_prefix("spin_por_states="));
    let spin = States(row.states?, reduced?.parse().ok()?);
    let name = file.trim_end_matches(".pm").to_string();
    Some(Reference { name, path: row.path.clone(), spin: Some(spin), ltsmin: None, full: row.states })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::corpus;

    const TABLE: &str =
        "path\tspin_accepts\tsafety\terror_kind\tstates\ttransitions\tltl_or_claim\tnon_progress\tnote
beem/brp.1.pm\taccept\tviolated\tinvalid end state\t40710\t88175\t\t\tspin_por_states=26287
beem/at.5.pm\taccept\t\t\t\t\t\t\tlimit
beem/at.4.pm\taccept\tholds\t\t10\t20\t\t\tspin_por_states=5
other/x.pml\taccept\tholds\t\t10\t20\t\t\t";

    #[test]
    fn references_come_from_the_corpus_table() {
        let rows = corpus::parse(Path::new("."), TABLE);
        assert_eq!(rows.len(), 4);
        let references = all(&rows);
        assert_eq!(references.len(), MEASURED.len() + 1);
        let last = references.last().expect("there are some");
        let spin = Some(States(40710, 26287));
        let expected = Reference {
            name: "brp.1".to_string(),
            path: "beem/brp.1.pm".to_string(),
            spin,
            ltsmin: None,
            full: Some(40710),
        };
        assert_eq!(*last, expected);
        // What was measured with both tools is not replaced by the table.
        let at = references.iter().find(|reference| reference.name == "at.4").expect("it is there");
        assert_eq!(at.spin, Some(Factor(1.0)));
    }

    #[test]
    fn factors_are_full_by_reduced() {
        assert!((States(40, 16).factor() - 2.5).abs() < 1e-9);
        assert!((Factor(5.0).factor() - 5.0).abs() < 1e-9);
    }
}

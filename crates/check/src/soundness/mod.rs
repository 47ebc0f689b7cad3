//! What is sound together: one table, and what is not in it is refused.
//!
//! A setting has a value, or none, in each dimension: the class of the question, the runs that count, facts of the system
//! and of the property, what is wanted beside the verdict, the reduction, the changes of the model. Pairs are not enough:
//! two methods may each be sound with a third, and all three not. So the default is *no*, for the setting as a whole: a sound
//! row speaks of exactly what it names, and a new value is refused with everything until rows name it.
//!
//! Searches and stores are not argued about: rows *need*, searches and stores *provide* ([`crate::options`]).

mod doc;
mod rows;
mod value;

use std::fmt;

use model::Fairness;
use por::Preserves;

pub use doc::render;
pub use rows::{NOTES, ROWS};
pub use value::{Dimension, Setting, VALUES, Value};

/// What a sound row asks of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The sets that are explored keep this.
    Keep(Preserves),
    /// They keep a shortest run to the goal.
    KeepGoal,
    /// The sets consist of what one process can do: those of `local` or `ample`.
    OwnSets,
    /// Nothing is left out, although a method is named.
    Whole,
    /// Nothing is left out where single steps are seen.
    WholeSteps,
    /// The search knows the path that it is on, and there is one.
    Path,
    /// Only these runs count.
    Fair(Fairness),
}

/// The needs that not every search provides.
pub const ABILITIES: [Need; 3] = [Need::Path, Need::Fair(Fairness::Weak), Need::Fair(Fairness::Strong)];

/// Whether a setting is sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is, if the search does what is needed.
    Sound(&'static [Need]),
    /// It is not: there is a system about which it would be wrong.
    Unsound,
    /// Nobody knows.
    Unproved,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub id: &'static str,
    /// One value of each of these is in the setting.
    pub when: &'static [Setting],
    /// Of a sound row: values that may be in the setting or not.
    pub may: Setting,
    /// What it says.
    pub status: Status,
    /// Why.
    pub why: &'static str,
    /// Of a refusal: what helps, besides leaving an option out.
    pub instead: Option<&'static str>,
    /// Where it comes from.
    pub source: &'static str,
    /// Of a refusal: a model about which the setting is wrong.
    pub witness: Option<&'static str>,
}

/// Something that is worth knowing about sound settings.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// Its name.
    pub id: &'static str,
    /// One value of each of these is in the setting.
    pub when: &'static [Setting],
    /// What there is to know.
    pub text: &'static str,
}

impl Row {
    /// Whether it refuses.
    pub fn refuses(&self) -> bool {
        !matches!(self.status, Status::Sound(_))
    }

    /// What a search has to do.
    pub fn needs(&self) -> &'static [Need] {
        match self.status {
            Status::Sound(needs) => needs,
            Status::Unsound | Status::Unproved => &[],
        }
    }

    /// Whether it speaks of a setting.
    pub fn speaks_of(&self, setting: Setting) -> bool {
        let is_named = contains(self.when, setting);
        if self.refuses() {
            return is_named;
        }
        let named = self.when.iter().fold(Setting::NOTHING, |all, group| all.and(*group));
        is_named && setting.without(named).without(self.may).is_empty()
    }
}

fn contains(when: &[Setting], setting: Setting) -> bool {
    when.iter().all(|group| !group.common(setting).is_empty())
}

/// A setting that is not sound, or not known to be.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// The row that refuses; none if no row names the setting.
    pub row: Option<&'static Row>,
    /// The setting.
    pub setting: Setting,
}

/// The row that allows a setting.
///
/// # Errors
/// If a row refuses it, or none allows it.
pub fn judge(setting: Setting) -> Result<&'static Row, Refusal> {
    let speaking = |refuses| ROWS.iter().find(|row| row.refuses() == refuses && row.speaks_of(setting));
    match (speaking(true), speaking(false)) {
        (None, Some(row)) => Ok(row),
        (row, _) => Err(Refusal { row, setting }),
    }
}

/// What there is to know about a sound setting.
pub fn notes(setting: Setting) -> impl Iterator<Item = &'static Note> {
    NOTES.iter().filter(move |note| contains(note.when, setting))
}

impl Refusal {
    /// Why it is refused.
    pub fn why(&self) -> &'static str {
        self.row.map_or("this combination has not been shown to be sound", |row| row.why)
    }

    /// The value of an option that is refused, and what it does not go together with.
    fn sides(&self) -> (Option<Value>, Option<Value>) {
        let named = match self.row {
            Some(row) => {
                let groups = row.when.iter().filter_map(|group| group.common(self.setting).values().next());
                groups.collect::<Vec<_>>()
            }
            None => self.setting.values().collect(),
        };
        let of = |dimension| named.iter().copied().find(|value| value.dimension() == dimension);
        let option = of(Dimension::Por).or_else(|| of(Dimension::Compression));
        let other = named.into_iter().find(|value| Some(value.dimension()) != option.map(Value::dimension));
        (option, other)
    }

    /// The message for the user, about a property with this name.
    pub fn message(&self, property: &str) -> String {
        let (option, other) = self.sides();
        let with = match other.map(|value| (value, value.dimension())) {
            None | Some((_, Dimension::Class | Dimension::Property)) => format!("the property `{property}`"),
            Some((_, Dimension::System)) => "this model".to_string(),
            Some((value, _)) => flag(value),
        };
        let why = self.why();
        let Some(option) = option else { return format!("{with}: {why}") };
        let instead = self.row.and_then(|row| row.instead);
        let instead = instead.map_or(String::new(), |instead| format!(", or {instead}"));
        let leave_out = match option.dimension() {
            Dimension::Por => "use `--por none`, or leave --por out".to_string(),
            _ => format!("leave {} out", flag(option).trim_matches('`')),
        };
        format!("{} with {with}: {why}; {leave_out}{instead}", flag(option))
    }
}

/// The option of the command line that a value stands for.
fn flag(value: Value) -> String {
    match value.dimension() {
        Dimension::Por => format!("`--por {}`", value.name()),
        Dimension::Fairness => {
            format!("`--fairness {}`", if value == Value::Weak { "weak" } else { "strong" })
        }
        _ => match value {
            Value::Chains => "`--merge`".to_string(),
            Value::Reset => "`--reset-dead`".to_string(),
            Value::AllErrors => "`--all-errors`".to_string(),
            Value::DepthLimit => "`--max-depth`".to_string(),
            other => other.name().to_string(),
        },
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Need::Keep(Preserves::Deadlocks) => "keep deadlocks",
            Need::Keep(Preserves::FiniteRuns) => "keep finite runs",
            Need::Keep(Preserves::InfiniteRuns) => "keep infinite runs",
            Need::Keep(Preserves::FairRuns) => "keep weakly fair runs",
            Need::Keep(Preserves::Branching) => "keep branches",
            Need::Keep(Preserves::Terminal) => "keep terminal components",
            Need::Keep(Preserves::Goal(_)) | Need::KeepGoal => "keep a shortest run to the goal",
            Need::OwnSets => "sets of a single process",
            Need::Whole => "leave nothing out",
            Need::WholeSteps => "leave nothing out where steps are observed",
            Need::Path => "one path",
            Need::Fair(Fairness::None) => "all runs",
            Need::Fair(Fairness::Weak) => "weakly fair runs",
            Need::Fair(Fairness::Strong) => "strongly fair runs",
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All settings of at most so many values beside the class that are consistent: one value in each dimension of
    /// which there can be but one.
    fn settings() -> Vec<Setting> {
        let is_single =
            |dimension| matches!(dimension, Dimension::Class | Dimension::Fairness | Dimension::Por);
        let of = |wanted| VALUES.into_iter().filter(move |(_, dimension, _)| *dimension == wanted);
        let mut all: Vec<Setting> =
            of(Dimension::Class).map(|(value, ..)| Setting::NOTHING.with(value)).collect();
        for dimension in [
            Dimension::Fairness,
            Dimension::System,
            Dimension::Property,
            Dimension::Want,
            Dimension::Por,
            Dimension::Compression,
        ] {
            if is_single(dimension) {
                let more = |setting: &Setting| of(dimension).map(|(value, ..)| setting.with(value)).collect();
                let more: Vec<Setting> =
                    all.iter().flat_map(|setting| -> Vec<Setting> { more(setting) }).collect();
                all.extend(more);
            } else {
                for (value, ..) in of(dimension) {
                    let more: Vec<Setting> = all.iter().map(|setting| setting.with(value)).collect();
                    all.extend(more);
                }
            }
        }
        all
    }

    #[test]
    fn no_setting_has_two_sound_rows() {
        for setting in settings() {
            let sound = ROWS.iter().filter(|row| !row.refuses() && row.speaks_of(setting));
            let ids: Vec<&str> = sound.map(|row| row.id).collect();
            assert!(ids.len() < 2, "{setting:?}: {ids:?}");
        }
    }

    #[test]
    fn every_row_speaks_of_something_and_every_refusal_matters() {
        let settings = settings();
        for row in ROWS {
            let spoken_of: Vec<Setting> =
                settings.iter().copied().filter(|&one| row.speaks_of(one)).collect();
            assert!(!spoken_of.is_empty(), "{} speaks of nothing", row.id);
            let decides = |setting: &Setting| match judge(*setting) {
                Ok(judged) => judged.id == row.id,
                Err(refusal) => refusal.row.is_some_and(|judged| judged.id == row.id),
            };
            assert!(spoken_of.iter().any(decides), "{} never decides", row.id);
        }
    }

    #[test]
    fn names_of_rows_are_unique() {
        let mut ids: Vec<&str> =
            ROWS.iter().map(|row| row.id).chain(NOTES.iter().map(|note| note.id)).collect();
        ids.sort_unstable();
        let n_ids = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }

    #[test]
    fn what_no_row_names_is_refused() {
        let refused = judge(Setting::of(&[Value::Terminal, Value::Stubborn, Value::MayFail])).unwrap_err();
        assert!(refused.row.is_none());
        assert_eq!(
            refused.message("p"),
            "`--por stubborn` with the property `p`: this combination has not been shown to be sound; use `--por \
             none`, or leave --por out"
        );
    }

    #[test]
    fn a_refusal_names_both_sides_why_and_what_to_do() {
        let message = |values: &[Value]| judge(Setting::of(values)).unwrap_err().message("p");
        assert_eq!(
            message(&[Value::Linear, Value::Strong, Value::Ample]),
            "`--por ample` with `--fairness strong`: no reduction is known that preserves strongly fair runs; use \
             `--por none`, or leave --por out, or use `--fairness weak`"
        );
        assert_eq!(
            message(&[Value::LinearX, Value::Chains]),
            "`--merge` with the property `p`: its formula has the operator X, and merging preserves runs only up to \
             stuttering; leave --merge out"
        );
        let model = message(&[Value::Safety, Value::Priorities, Value::Local]);
        assert!(model.starts_with("`--por local` with this model: priorities: "), "{model}");
    }
}

//! Answers in words.

use check::Fairness;
use check::answer::{Answer, Method as How, Outcome, Remark};
use check::question::{Kind, Property};

use crate::data::{Counts, Method, PropertyResult, Tokens, Verdict};

/// What a report says about the system of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    /// What is suspicious about it, in one line each.
    pub warnings: &'a [String],
    /// The files that places in it refer to.
    pub files: &'a [String],
    /// Whether it is a net.
    pub is_net: bool,
}

/// What is reported about a property.
pub fn result(property: &Property, answer: Answer, about: &About<'_>) -> PropertyResult {
    let method = method(&answer.method);
    let (mut notes, mut remarks) = words(&answer, &method);
    notes.extend(stuck(&answer));
    let (verdict, reason) = match &answer.outcome {
        Outcome::Holds | Outcome::Value(_) | Outcome::Space(_) => (Verdict::Holds, None),
        Outcome::Violated(reason) => (Verdict::Violated, Some(reason.to_string())),
        Outcome::Unbounded => (Verdict::Violated, Some("unbounded".to_string())),
        Outcome::Unknown(why) => (Verdict::Unknown, Some(why.to_string())),
    };
    let value = match answer.outcome {
        Outcome::Value(value) => Some(value),
        _ => None,
    };
    let tokens = tokens(&answer);
    remarks.extend(tokens.map(|Tokens { in_place, in_all }| {
        let noun = if in_place == 1 { "token" } else { "tokens" };
        format!("at most {in_place} {noun} in a place, {in_all} in all")
    }));
    let statistics = &answer.counts;
    let counts = Counts {
        states: statistics.states,
        matched: statistics.matched,
        transitions: statistics.transitions(),
        depth: statistics.depth,
        errors: statistics.errors,
        store_bytes: statistics.store_bytes,
        seconds: statistics.seconds,
        state_bytes: statistics.state_bytes,
    };
    PropertyResult {
        property: property.name.clone(),
        kind: property.kind.name(),
        formula: property.text.clone(),
        verdict,
        reason,
        method,
        counts,
        warnings: about.warnings.to_vec(),
        notes,
        remarks,
        run: answer.run,
        failure: answer.failure.map(|failure| replay::json::failure(&failure, about.files)),
        complete: answer.complete,
        unreached: answer.unreached,
        edges: about.is_net.then(|| counts.transitions.saturating_sub(1)),
        value,
        tokens,
    }
}

/// The most tokens in a place and in all, if they were asked for.
pub(crate) fn tokens(answer: &Answer) -> Option<Tokens> {
    match answer.outcome {
        Outcome::Space(ref greatest) => match greatest[..] {
            [in_place, in_all] => Some(Tokens { in_place, in_all }),
            _ => None,
        },
        _ => None,
    }
}

fn method(how: &How) -> Method {
    let none = || "none".to_string();
    Method {
        search: how.search.map_or_else(none, |search| search.to_string()),
        por: how.por.map_or_else(none, |por| por.name().to_string()),
        compress: how.compressed.then_some("chains"),
        symmetry: none(),
        fairness: fairness(how.fairness).to_string(),
        store: how.store.map_or_else(none, |store| store.to_string()),
        engine: how.engine.name().to_string(),
        threads: how.threads as u32,
    }
}

/// The name of a fairness.
fn fairness(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
        Fairness::Strong => "strong",
    }
}

/// The remarks in words: what to know when reading the answer, and how it was found.
fn words(answer: &Answer, used: &Method) -> (Vec<String>, Vec<String>) {
    let (mut notes, mut remarks) = (Vec::new(), Vec::new());
    for remark in &answer.remarks {
        match remark {
            Remark::NotReduced(why) => remarks.push(format!("no partial-order reduction: {why}")),
            Remark::Row { por, counts_states, text } => {
                let with = if *counts_states { "--explore` " } else { "--all-errors`: " };
                remarks.push(format!("`--por {}` with `{with}{text}", por.name()));
            }
            Remark::SetsOfOneProcess(por) => remarks.push(format!(
                "`--por {}` with `--fairness weak`: the sets are those of `ample`",
                por.name()
            )),
            Remark::Shared => {
                remarks.push(
                    "several properties share this exploration; the figures are those of the whole exploration".to_string(),
                );
            }
            Remark::LittleSaved => {
                remarks.push("partial-order reduction was tried, and saved little".to_string())
            }
            // It is told with where they stand.
            Remark::Stuck(_) => {}
            other => notes.push(note(other, used)),
        }
    }
    (notes, remarks)
}

/// The processes that can never move again, and where they stand.
fn stuck(answer: &Answer) -> Vec<String> {
    let found = answer.remarks.iter().find_map(|remark| match remark {
        Remark::Stuck(actors) => Some(actors),
        _ => None,
    });
    let standing = answer.run.iter().flat_map(|run| &run.standing);
    let is_stuck = |pid: u16| found.is_some_and(|actors| actors.iter().any(|who| who.0 == u32::from(pid)));
    let place = |one: &model::Standing| {
        let (process, pid) = (one.process.trim_matches(':'), one.pid);
        format!("{process}[{pid}] can never move again; it stands at {}:{}", one.file, one.line)
    };
    standing.filter(|one| is_stuck(one.pid)).map(place).collect()
}

fn note(remark: &Remark, used: &Method) -> String {
    match remark {
        Remark::OtherSearch(named) => {
            format!("`--search {named}` does not suit this property; {} was used", used.search)
        }
        Remark::OtherStore(named) => {
            format!("`--store {named}` does not suit this search; {} was used", used.store)
        }
        Remark::OtherPor(named) if used.por == "none" => {
            format!("`--por {}` does not suit this property; no reduction was used", named.name())
        }
        Remark::OtherPor(named) => {
            format!("`--por {}` does not suit this property; {} was used", named.name(), used.por)
        }
        Remark::NoCopies => {
            "`--fairness-copies` is for `--search ndfs` with `--fairness weak` only".to_string()
        }
        Remark::NoDepthLimit => "`--max-depth` does not apply to this property".to_string(),
        Remark::FirstOnly => "the search ends with the first run that violates this property".to_string(),
        Remark::CutShort => {
            "a limit was reached: not all states were visited, there may be more errors".to_string()
        }
        Remark::Omission(probability) => format!(
            "the store keeps no states; the probability that some were missed is estimated as {probability:.1e}"
        ),
        Remark::AtLeast(value) => format!("the value is at least {value}"),
        Remark::UnfairRuns => {
            "the net has fair transitions, and the search is not restricted to fair runs".to_string()
        }
        Remark::NotReplayed => {
            "a run that violates the property was found; a limit was reached before it was executed again"
                .to_string()
        }
        Remark::Said(text) => text.clone(),
        Remark::Stuck(_)
        | Remark::Shared
        | Remark::NotReduced(_)
        | Remark::Row { .. }
        | Remark::SetsOfOneProcess(_)
        | Remark::LittleSaved => {
            unreachable!("this says how it was found")
        }
    }
}

/// The answer as the Model Checking Contest wants it: a line, or several about the state space.
pub fn contest(property: &Property, answer: &Answer) -> String {
    let name = &property.name;
    let sets = if answer.method.por.is_none() { "" } else { " STUBBORN_SETS" };
    let techniques = format!("TECHNIQUES EXPLICIT STATE_COMPRESSION{sets}");
    // The contest asks whether there is a deadlock, and we whether there is none.
    let asks_opposite = matches!(property.question, check::Question::Deadlock);
    let truth = |holds: bool| {
        format!("FORMULA {name} {} {techniques}\n", if holds != asks_opposite { "TRUE" } else { "FALSE" })
    };
    match &answer.outcome {
        Outcome::Holds => truth(true),
        Outcome::Violated(_) => truth(false),
        Outcome::Value(value) => format!("FORMULA {name} {value} {techniques}\n"),
        Outcome::Unknown(_) | Outcome::Space(_) if property.kind == Kind::StateSpace => {
            let Some(Tokens { in_place, in_all }) = tokens(answer) else {
                return "CANNOT_COMPUTE\n".to_string();
            };
            let (states, firings) = (answer.counts.states, answer.counts.transitions().saturating_sub(1));
            [
                format!("STATE_SPACE STATES {states} {techniques}\n"),
                format!("STATE_SPACE TRANSITIONS {firings} {techniques}\n"),
                format!("STATE_SPACE MAX_TOKEN_PER_MARKING {in_all} {techniques}\n"),
                format!("STATE_SPACE MAX_TOKEN_IN_PLACE {in_place} {techniques}\n"),
            ]
            .concat()
        }
        Outcome::Unbounded | Outcome::Unknown(_) | Outcome::Space(_) => {
            format!("FORMULA {name} CANNOT_COMPUTE\n")
        }
    }
}

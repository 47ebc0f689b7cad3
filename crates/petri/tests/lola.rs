//! The nets and formulas of LoLA's own tests, in `../shared/corpus`: they are read, they are written as
//! they are read, and for small nets what LoLA's tests expect is what a naive search finds.

mod explore;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use explore::Graph;
use model::{Patience, Random};
use petri::{Fair, Formula, Net, Property, Question, Read, lola};
use testkit::corpus::{files, part};

fn read_net(text: &str) -> Read<Net> {
    lola::read_net(text, &Patience::default()).unwrap()
}

fn read_formula(text: &str, net: &Net) -> Read<Question> {
    lola::read_formula(text, net, &Patience::default()).unwrap()
}

fn read_formulas(text: &str, net: &Net) -> Read<Vec<Property>> {
    lola::read_formulas(text, net, &Patience::default()).unwrap()
}

/// Larger nets take too long for a test.
const MARKINGS: usize = 60_000;

/// What LoLA's tests expect and cannot be: `EG` of something that is false in the initial marking, as another
/// of its tests says.
const DIFFERENT: [&str; 1] = ["EGAGEF p5 > 0"];

/// The contents of all files with an ending, by path.
fn texts(folder: &Path, endings: &[&str]) -> BTreeMap<PathBuf, String> {
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    files(folder, endings).into_iter().map(read).collect()
}

fn file_name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn written(net: &Net) -> String {
    let mut text = Vec::new();
    lola::write_net(net, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn formula_text(question: &Question, net: &Net) -> String {
    match question {
        Question::Formula(formula) => lola::write_formula(formula, net).to_string(),
        Question::Bound(sum) => format!("MAX({})", lola::write_sum(sum, net)),
        other => panic!("LoLA has no {other:?}"),
    }
}

#[test]
fn nets_are_read_and_written() {
    let Some(corpus) = part("lola", "expected.tsv") else { return };
    let mut refused = Vec::new();
    for (path, text) in texts(&corpus, &["lola"]) {
        match read_net(&text) {
            Ok(net) => assert_eq!(read_net(&written(&net)), Ok(net), "{}", path.display()),
            Err(error) => refused.push((path.strip_prefix(&corpus).unwrap().to_owned(), error.code)),
        }
    }
    let expected = [
        ("examples/echo/echo.lola", "E0351"),
        ("examples/phils/phils.lola", "E0351"),
        // Empty: it was a link.
        ("examples/phils/phils10.lola", "E0350"),
    ];
    assert_eq!(refused, expected.map(|(path, code)| (PathBuf::from(path), code)));
}

/// The nets of the examples with the formulas beside them.
#[test]
fn formulas_of_the_examples_are_read_and_written() {
    let Some(corpus) = part("lola", "expected.tsv") else { return };
    let formulas = texts(&corpus.join("examples"), &["formula"]);
    for (path, text) in &formulas {
        let name = file_name(path);
        let net = match name.strip_suffix(".formula").unwrap().split_once("-mutex-") {
            Some((_, n)) => format!("data-{n}x{n}.lola"),
            None => format!("{}.lola", name.split('_').next().unwrap()),
        };
        let net = read_net(&fs::read_to_string(path.with_file_name(net)).unwrap()).unwrap();
        match read_formula(text, &net) {
            Ok(question) => {
                let again = read_formula(&formula_text(&question, &net), &net);
                assert_eq!(again.as_ref(), Ok(&question), "{name}");
            }
            Err(error) => assert_eq!((error.code, text.contains("oo")), ("E0360", true), "{name}: {error}"),
        }
    }
    assert!(formulas.len() > 10);
}

/// A line of the table of what LoLA's tests expect.
struct Row {
    net: Net,
    question: Option<Question>,
    result: String,
    n_markings: Option<usize>,
    n_edges: Option<usize>,
    command: String,
}

/// What stands between quotes or blanks after an option.
fn option<'a>(command: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = command.split_once(option)?;
    match rest.trim_start_matches(['\'', '"']) {
        quoted if quoted.len() < rest.len() => quoted.split(['\'', '"']).next(),
        plain => plain.split(' ').next(),
    }
}

/// The rows whose nets and formulas are there.
fn rows(corpus: &Path) -> Vec<Row> {
    let files = texts(corpus, &["lola", "task"]);
    // Nets of the tests come after those of the examples, and win.
    let files = files.iter().map(|(path, text)| (file_name(path), &**text)).collect::<HashMap<_, _>>();
    let table = fs::read_to_string(corpus.join("expected.tsv")).unwrap();
    let mut rows = Vec::new();
    for line in table.lines().skip(1) {
        let cells = line.split('\t').collect::<Vec<_>>();
        let &[test, net, _, formula, result, n_markings, n_edges, _, command] = &cells[..] else {
            panic!("{line}");
        };
        let Some(net) = files.get(net).map(|text| read_net(text).unwrap()) else { continue };
        let given = option(command, "--formula=").or_else(|| option(command, "-f "));
        let formula = match given {
            _ if !formula.is_empty() => Some(formula),
            Some(file) if file.ends_with(".task") => match files.get(file) {
                Some(text) => Some(*text),
                None => continue,
            },
            given => given,
        };
        let question = match formula.map(|text| read_formula(text, &net)) {
            None => None,
            Some(Ok(question)) => Some(question),
            Some(Err(error)) if error.code == "E0360" => continue,
            Some(Err(error)) => panic!("{test}: {error}"),
        };
        let number = |cell: &str| cell.parse().ok();
        rows.push(Row {
            net,
            question,
            result: result.to_string(),
            n_markings: number(n_markings),
            n_edges: number(n_edges),
            command: command.to_string(),
        });
    }
    rows
}

#[test]
fn formulas_of_the_tests_are_read_and_written() {
    let Some(corpus) = part("lola", "expected.tsv") else { return };
    let rows = rows(&corpus);
    let mut n_formulas = 0;
    for row in &rows {
        if let Some(question) = &row.question {
            let text = formula_text(question, &row.net);
            assert_eq!(read_formula(&text, &row.net).as_ref(), Ok(question), "{text}");
            n_formulas += 1;
        }
    }
    println!("{n_formulas} formulas of {} rows", rows.len());
    assert!(n_formulas > 70);
}

#[test]
fn small_nets_are_as_lola_says() {
    let Some(corpus) = part("lola", "expected.tsv") else { return };
    let mut graphs = HashMap::new();
    let (mut n_sizes, mut n_results) = (0, 0);
    for row in rows(&corpus) {
        let Row { net, command, .. } = &row;
        let graph = graphs.entry(written(net)).or_insert_with(|| Graph::of(net, MARKINGS));
        let Some(graph) = graph else { continue };
        if row.question.is_none() && command.contains("--check=full") {
            let expected = (row.n_markings.unwrap_or(0), row.n_edges.unwrap_or(graph.n_edges()));
            assert_eq!((graph.markings.len(), graph.n_edges()), expected, "{command}");
            n_sizes += 1;
        }
        // Fair runs and automata are not what is evaluated here.
        let is_fair = net.transitions().iter().any(|transition| transition.fair != Fair::No);
        let Some(Question::Formula(formula)) = &row.question else { continue };
        if is_fair || row.result == "unknown" || DIFFERENT.iter().any(|known| command.contains(known)) {
            continue;
        }
        let on_all_paths = Formula::All(Box::new(formula.clone()));
        let truth = graph.holds(net, formula).or_else(|| graph.holds(net, &on_all_paths));
        let Some(truth) = truth else {
            println!("not of CTL: {}", lola::write_formula(formula, net));
            continue;
        };
        assert_eq!(if truth[0] { "yes" } else { "no" }, row.result, "{command}");
        n_results += 1;
    }
    println!("{n_sizes} sizes, {n_results} results");
    assert!(n_sizes >= 5 && n_results >= 35);
}

const NET: &str = "{ c } PLACE SAFE 3: a, \"b c\"; x-1, 4; /* d */ MARKING a: 2, 4;
    TRANSITION t WEAK FAIR CONSUME a: 2, \"b c\"; PRODUCE x-1: 3;
    TRANSITION ü STRONG FAIR CONSUME; PRODUCE 4;";

const FORMULA: &str = "FORMULA AGEF (a + 2 * x-1 >= 3 AND NOT FIREABLE(ü) XOR \"b c\" = 1 -> DEADLOCK) OR
    E (a<2 U !(INITIAL <-> TRUE)); : MAX(a - 3 * \"4\")";

/// Reads a text with a net, and one with a formula about a net: neither may panic, and what is read can be
/// written and read again.
fn survive(net_text: &str, formula: &str, net: &Net) {
    if let Ok(read) = read_net(net_text) {
        assert_eq!(read_net(&written(&read)), Ok(read));
    }
    for property in read_formulas(formula, net).unwrap_or_default() {
        let text = formula_text(&property.question, net);
        assert_eq!(read_formula(&text, net), Ok(property.question), "{text}");
    }
}

#[test]
fn no_text_makes_us_panic() {
    let net = read_net(NET).unwrap();
    assert_eq!(read_formulas(FORMULA, &net).unwrap().len(), 2);
    for text in [NET, FORMULA] {
        for (end, _) in text.char_indices() {
            survive(&text[..end], &text[..end], &net);
            survive(&text[end..], &text[end..], &net);
        }
        let pieces = text.split_inclusive([' ', ';', '(']).collect::<Vec<_>>();
        let mut random = Random::new(0x5eed);
        for _ in 0..20_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => drop(bytes.remove(at)),
                    2 => bytes[at] = b" ,;:(){}\"*/-0aA"[random.below(15)],
                    _ => drop(bytes.splice(at..at, pieces[random.below(pieces.len())].bytes())),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            survive(&text, &text, &net);
        }
    }
}

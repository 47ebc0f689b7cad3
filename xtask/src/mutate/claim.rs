//! Claims in models: found, so that they can be mutated, and added, so that there is something to check.

use std::ops::Range;

use model::Random;

use super::tokens;

/// The types of the variables that a claim can look at.
const TYPES: [&[u8]; 5] = [b"bit", b"bool", b"byte", b"short", b"int"];

/// How deep an added formula is at most.
const DEPTH: u32 = 4;

/// The first `ltl` block or claim, from its first word to the closing brace.
pub fn find(text: &[u8]) -> Option<Range<usize>> {
    let tokens = tokens(text);
    let starts = |token: &&Range<usize>| matches!(&text[(*token).clone()], b"ltl" | b"never");
    let start = tokens.iter().find(starts)?.start;
    let mut depth = 0;
    for token in tokens.iter().skip_while(|token| token.start < start) {
        match &text[token.clone()] {
            b"{" => depth += 1,
            b"}" if depth == 1 => return Some(start..token.end),
            b"}" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Puts a formula or a claim over the text's variables behind it.
pub fn add(mut text: Vec<u8>, prng: &mut Random) -> Vec<u8> {
    let variables = variables(&text);
    if variables.is_empty() {
        return text;
    }
    let claim = if prng.chance(60) {
        format!("\nltl added {{ {} }}\n", formula(&variables, DEPTH, prng))
    } else {
        never(&variables, prng)
    };
    text.extend(claim.into_bytes());
    text
}

/// The names that stand behind a type; local ones are among them.
fn variables(text: &[u8]) -> Vec<String> {
    let tokens = tokens(text);
    let declared = tokens.windows(2).filter(|pair| TYPES.contains(&&text[pair[0].clone()]));
    declared.map(|pair| String::from_utf8_lossy(&text[pair[1].clone()]).into_owned()).collect()
}

fn formula(variables: &[String], depth: u32, prng: &mut Random) -> String {
    if depth == 0 || prng.chance(20) {
        return condition(variables, prng);
    }
    let left = formula(variables, depth - 1, prng);
    if prng.chance(50) {
        let operator = prng.pick(&["!", "[]", "<>", "[]<>", "<>[]", "X"]);
        return format!("{operator} ({left})");
    }
    let right = formula(variables, depth - 1, prng);
    format!("({left}) {} ({right})", prng.pick(&["&&", "||", "->", "<->", "U", "W", "V"]))
}

fn condition(variables: &[String], prng: &mut Random) -> String {
    let name = prng.pick(variables);
    match prng.below(6) {
        0 => "true".to_string(),
        1 => "np_".to_string(),
        2 => name.clone(),
        _ => format!("({name} {} {})", prng.pick(&["==", "!=", "<", ">="]), prng.below(4)),
    }
}

/// A claim of the usual form: wait for something, then see something for ever.
fn never(variables: &[String], prng: &mut Random) -> String {
    let [first, second, third] = [(); 3].map(|()| condition(variables, prng));
    let end = prng.pick(&["od", "od; skip", ":: false -> break od"]);
    format!(
        "\nnever added {{ T0: do :: {first} -> goto accept :: {second} od; accept: do :: {third} -> skip {end} }}\n"
    )
}

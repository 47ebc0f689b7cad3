//! Mutations of texts.

mod claim;

use std::ops::Range;
use std::path::{Path, PathBuf};

use model::Random;

/// Words that mean something, to be put where they do not belong.
const WORDS: [&str; 48] = [
    "atomic {",
    "d_step {",
    "}",
    "do",
    "od",
    "if",
    "fi",
    "::",
    "else",
    "->",
    ";",
    "unless",
    "goto",
    "break",
    "run",
    "timeout",
    "(",
    ")",
    "[",
    "]",
    "chan",
    "mtype",
    "typedef",
    "proctype",
    "inline",
    "ltl",
    "never {",
    "trace {",
    "#define",
    "#include \"",
    "#if",
    "\\\n",
    "2147483648",
    "-1",
    "0",
    "255",
    "/*",
    "\"",
    "'",
    "_pid",
    "[]",
    "<>",
    "U",
    "W",
    "X",
    "&&",
    "accept:",
    "progress:",
];

/// Numbers at the edges of types.
const NUMBERS: [&str; 9] = ["0", "1", "2", "255", "256", "32768", "65536", "2147483647", "-1"];

/// A random mutant of a random file, and the file.
pub fn mutant<'a>(files: &'a [PathBuf], prng: &mut Random) -> Result<(&'a Path, Vec<u8>), String> {
    let path = prng.pick(files);
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let other: &PathBuf = prng.pick(files);
    let (mut text, other) = (read(path)?, read(other)?);
    if prng.chance(25) {
        text = claim::add(text, prng);
    }
    let in_claim = if prng.chance(25) { claim::find(&text) } else { None };
    let text = match in_claim {
        Some(range) => {
            let piece = mutated(text[range.clone()].to_vec(), &other, prng);
            text.splice(range, piece);
            text
        }
        None if prng.chance(20) => text,
        None => mutated(text, &other, prng),
    };
    Ok((path, text))
}

/// A text with some mutations; another text is a source of pieces.
pub fn mutated(mut text: Vec<u8>, other: &[u8], prng: &mut Random) -> Vec<u8> {
    let rounds = if prng.chance(60) { 1 } else { prng.range(2, 4) };
    for _ in 0..rounds {
        text = match prng.below(15) {
            0 => flip_bytes(text, prng),
            1 => {
                text.truncate(prng.below(text.len() + 1));
                text
            }
            2 => splice(text, other, prng),
            kind @ 3..=9 => change_tokens(text, kind, prng),
            10..=12 => exchange(text, |byte| byte.is_ascii_digit(), &NUMBERS, prng),
            _ => {
                exchange(text, |byte| b"+-*/%<>".contains(&byte), &["+", "-", "*", "/", "%", "<", ">"], prng)
            }
        };
    }
    text
}

fn flip_bytes(mut text: Vec<u8>, prng: &mut Random) -> Vec<u8> {
    for _ in 0..prng.range(1, 4) {
        if !text.is_empty() {
            let at = prng.below(text.len());
            text[at] ^= 1 << prng.below(8);
        }
    }
    text
}

/// The start of one text and the end of another.
fn splice(mut text: Vec<u8>, other: &[u8], prng: &mut Random) -> Vec<u8> {
    text.truncate(prng.below(text.len() + 1));
    text.extend_from_slice(&other[prng.below(other.len() + 1)..]);
    text
}

/// Removes, doubles, exchanges or replaces tokens, or puts in a word.
fn change_tokens(mut text: Vec<u8>, kind: usize, prng: &mut Random) -> Vec<u8> {
    let tokens = tokens(&text);
    if tokens.is_empty() {
        return text;
    }
    let first = prng.below(tokens.len());
    let last = (first + prng.below(4)).min(tokens.len() - 1);
    let range = tokens[first].start..tokens[last].end;
    let piece = text[range.clone()].to_vec();
    match kind {
        3 => drop(text.drain(range)),
        4 => drop(text.splice(range.end..range.end, [b" ".to_vec(), piece].concat())),
        5 => {
            let other = prng.pick(&tokens).clone();
            if other.start >= range.end {
                let moved = text[other.clone()].to_vec();
                text.splice(other, piece);
                text.splice(range, moved);
            }
        }
        6 | 8 | 9 => {
            // A name for a name, a number for a number: what comes out is often well-formed.
            let class = |token: &Range<usize>| {
                let byte = text[token.start];
                (byte.is_ascii_digit(), byte.is_ascii_alphabetic() || byte == b'_')
            };
            let token = tokens[first].clone();
            let alike: Vec<_> = tokens.iter().filter(|other| class(other) == class(&token)).collect();
            let other = text[(*prng.pick(&alike)).clone()].to_vec();
            text.splice(token, other);
        }
        7 => {
            // The same again and again: long lists, deep nesting.
            let times = prng.range(2, 300);
            text.splice(range, piece.repeat(times));
        }
        _ => {
            let word = format!(" {} ", prng.pick(&WORDS));
            text.splice(range.start..range.start, word.into_bytes());
        }
    }
    text
}

/// Puts one of `values` in the place of a token that starts with such a byte.
fn exchange(mut text: Vec<u8>, of: impl Fn(u8) -> bool, values: &[&str], prng: &mut Random) -> Vec<u8> {
    let tokens: Vec<_> = tokens(&text).into_iter().filter(|token| of(text[token.start])).collect();
    if !tokens.is_empty() {
        text.splice(prng.pick(&tokens).clone(), prng.pick(values).bytes());
    }
    text
}

/// Names and numbers, and single other characters.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length =
            if is_word(&text[at]) { text[at..].iter().take_while(|b| is_word(b)).count() } else { 1 };
        if !text[at].is_ascii_whitespace() {
            tokens.push(at..at + length);
        }
        at += length;
    }
    tokens
}

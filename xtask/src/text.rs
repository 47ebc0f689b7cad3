//! Statements as text, in a form that does not depend on who printed them.

use std::collections::BTreeMap;

/// The symbolic names of a model and their values.
pub type Names = BTreeMap<String, i32>;

/// Whether a statement that `pan -d` prints is the same as one of ours.
pub fn same(spin: &str, ours: &str, names: &Names) -> bool {
    let (theirs, ours) = (from_spin(spin, names), from_ours(ours, names));
    theirs == ours || resets_part(&theirs, &ours)
}

/// A declaration of an array in the middle: Spin resets element 0 and says so, we reset the whole. Of
/// a structure Spin resets the first field and says nothing.
fn resets_part(spin: &str, ours: &str) -> bool {
    let Some((name, value)) = ours.split_once('=') else { return false };
    spin.strip_prefix(name).and_then(|rest| rest.strip_prefix("[0]=")) == Some(value)
        || (spin.is_empty() && value == "0")
}

/// The common form of a statement that `pan -d` prints.
fn from_spin(text: &str, names: &Names) -> String {
    let mut text = common(text, names);
    if text.starts_with("goto:b") {
        return "break".to_string();
    }
    while let Some(at) = text.find(".p==") {
        let Some(replaced) = remote_label(&text, at) else { break };
        text = replaced;
    }
    if let Some(rest) = text.strip_prefix("printm(") {
        // The second argument is the number of the set of names.
        text = format!("printm({})", rest.split(',').next().unwrap_or_default());
    }
    match text.strip_prefix("priority=") {
        Some(value) => format!("set_priority(pid,{value})"),
        None => text,
    }
}

/// The common form of a statement that we print.
fn from_ours(text: &str, names: &Names) -> String {
    let text = common(text, names);
    let bytes = text.as_bytes();
    let is_name = |k: usize| bytes.get(k).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut quoted = false;
    let mut out = String::with_capacity(text.len());
    for (k, c) in text.char_indices() {
        quoted ^= c == '\'';
        let remote = c == ':' && k > 0 && (is_name(k - 1) || bytes[k - 1] == b']') && is_name(k + 1);
        out.push(if remote && !quoted { '.' } else { c });
    }
    out
}

/// `(P[1].p==L)` becomes `P[1]@L`; `at` is where `.p==` stands.
fn remote_label(text: &str, at: usize) -> Option<String> {
    let mut depth = 0;
    let open = text[..at].bytes().rposition(|b| {
        match b {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth > 0 => depth -= 1,
            b'(' => return true,
            _ => {}
        }
        false
    })?;
    let label = &text[at + ".p==".len()..];
    let close = label.find(')')?;
    Some(format!("{}{}@{}{}", &text[..open], &text[open + 1..at], &label[..close], &label[close + 1..]))
}

/// What both need: no spaces, one form of choices and of escaped quotes, values instead of symbolic
/// names, and names without what Spin takes for marks of a scope in front of them.
fn common(text: &str, names: &Names) -> String {
    let text = text.replace("\\\"", "\\'");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if c == '\'' {
            let piece = string(rest);
            out.push_str(piece);
            piece.len()
        } else if is_name(c) {
            let word = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
            out.push_str(&name(word, names));
            word.len()
        } else if rest.starts_with("->") {
            out.push('?');
            2
        } else {
            if !c.is_whitespace() {
                out.push(c);
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    out
}

/// The string at the start of a text, which ends at a quote that is not escaped.
fn string(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut k = 1;
    while k < bytes.len() && bytes[k] != b'\'' {
        k += if bytes[k] == b'\\' { 2 } else { 1 };
    }
    text.get(..=k).unwrap_or(text)
}

fn name(word: &str, names: &Names) -> String {
    if let Some(value) = names.get(word) {
        return value.to_string();
    }
    let plain = word.trim_start_matches(|c: char| c == '_' || c.is_ascii_digit());
    if plain.starts_with("f0r_t3mp") {
        return "counter".to_string();
    }
    if plain.is_empty() { word.to_string() } else { plain.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{Names, same};

    #[track_caller]
    fn agree(spin: &str, ours: &str) {
        let names = Names::from([("ack".to_string(), 2)]);
        assert!(same(spin, ours, &names), "{spin} and {ours}");
    }

    #[test]
    fn remote_references_agree() {
        agree("((P[(x+1)]._p==L)&&(Q[0].v==1))", "(P[(x+1)]@L && (Q[0]:v==1))");
    }

    #[test]
    fn choices_and_strings_agree() {
        agree("x = ( (a) ? (b) : (c) )", "x = ( (a) -> (b) : (c) )");
        agree("printf('a:b \\'c d\\'',2)", "printf('a:b \\\"c d\\\"',ack)");
    }

    #[test]
    fn jumps_and_resets_agree() {
        agree("goto :b12", "break");
        agree("a[0] = 0", "a = 0");
        agree("", "t = 0");
        agree("_priority = 3", "set_priority(_pid, 3)");
    }

    #[test]
    fn other_statements_differ() {
        assert!(!same("x = 1", "x = 2", &Names::new()));
        assert!(!same("printf('a b')", "printf('ab')", &Names::new()));
        assert!(!same("a[1] = 0", "a = 0", &Names::new()));
    }
}

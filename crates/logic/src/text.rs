//! Text in double quotes, as formulas, HOA and Graphviz have it: a backslash takes away the meaning of
//! the character behind it.

/// The text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// What stands between the quotes of a text that begins and ends with them.
pub(crate) fn unquoted(text: &str) -> String {
    let mut chars = text[1..text.len() - 1].chars();
    let mut result = String::new();
    while let Some(c) = chars.next() {
        result.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    result
}

/// How long the quoted text is that comes first, quotes included, if it ends.
pub(crate) fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// How long the text goes on with characters of a kind.
pub(crate) fn length_while(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_can_be_taken_off_again() {
        for text in ["", "a b", r#"say "hi""#, r"back\slash", r#"\""#, "é\n"] {
            let written = quoted(text);
            assert_eq!(quoted_length(&format!("{written} \"")), Some(written.len()));
            assert_eq!(unquoted(&written), text);
        }
        assert_eq!(quoted_length(r#""a\""#), None);
    }
}

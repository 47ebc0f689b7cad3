//! Puts tables into docs/performance.md, between `<!-- bench:NAME -->` and `<!-- end -->`.

use crate::place;

const END: &str = "<!-- end -->";

/// Replaces the tables that were measured, each with a name.
pub fn write<'a>(tables: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), String> {
    let path = place::workspace().join("docs/performance.md");
    let failed = |error: std::io::Error| format!("docs/performance.md: {error}");
    let mut text = std::fs::read_to_string(&path).map_err(failed)?;
    for (name, table) in tables {
        text = replaced(&text, name, table)?;
    }
    std::fs::write(&path, text).map_err(failed)
}

/// A text with something else between a table's markers.
fn replaced(text: &str, name: &str, table: &str) -> Result<String, String> {
    let start = format!("<!-- bench:{name} -->\n");
    let (before, rest) = text.split_once(&start).ok_or(format!("no marker {}", start.trim_end()))?;
    let (old, after) = rest.split_once(END).ok_or(format!("no {END} after {}", start.trim_end()))?;
    if old.contains("<!-- bench:") {
        return Err(format!("no {END} after {}", start.trim_end()));
    }
    Ok(format!("{before}{start}{}\n{END}{after}", table.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    const TEXT: &str =
        "# A\n<!-- bench:a -->\nold\nold\n<!-- end -->\nprose\n<!-- bench:b -->\n<!-- end -->\n";

    #[test]
    fn what_is_between_the_markers_is_replaced() {
        let text = replaced(TEXT, "a", "| new |\n").expect("there is a marker");
        let expected =
            "# A\n<!-- bench:a -->\n| new |\n<!-- end -->\nprose\n<!-- bench:b -->\n<!-- end -->\n";
        assert_eq!(text, expected);
        assert_eq!(replaced(&text, "a", "| new |\n").as_deref(), Ok(expected));
        let text = replaced(TEXT, "b", "x").expect("there is a marker");
        assert!(text.ends_with("<!-- bench:b -->\nx\n<!-- end -->\n"), "{text}");
    }

    #[test]
    fn a_missing_marker_is_noticed() {
        assert!(replaced(TEXT, "c", "x").is_err());
        assert!(replaced("<!-- bench:a -->\n", "a", "x").is_err());
        let open = "<!-- bench:a -->\n<!-- bench:b -->\n<!-- end -->\n";
        assert!(replaced(open, "a", "x").is_err());
    }

    #[test]
    fn the_document_has_all_markers() {
        let path = crate::place::workspace().join("docs/performance.md");
        let text = std::fs::read_to_string(path).expect("the document is there");
        for table in crate::bench::TABLES {
            assert!(replaced(&text, table.name, "").is_ok(), "{}", table.name);
        }
    }
}

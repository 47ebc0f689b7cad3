//! JUnit XML, for build servers: one test case per property.

use std::fmt::Write;

use crate::data::{PropertyResult, Report, Verdict};
use crate::diagnostics::ErrorRecord;
use crate::human::{Length, write_run};

/// Writes a report.
pub fn render(report: &Report) -> String {
    let count = |verdict| report.results.iter().filter(|result| result.verdict == verdict).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\">",
        escape(&report.path),
        report.results.len() + report.errors.len(),
        count(Verdict::Violated),
        count(Verdict::Unknown) + report.errors.len(),
        report.seconds,
    );
    for result in &report.results {
        write_case(&mut out, &report.path, result);
    }
    let path = escape(&report.path);
    for record in &report.errors {
        let (code, message) = (escape(&record.code), escape(&record.message));
        let _ = writeln!(out, "  <testcase classname=\"{path}\" name=\"{code}\" time=\"0\">");
        let all = escape(&record.one_line());
        let _ =
            writeln!(out, "    <error type=\"{code}\" message=\"{message}\">{all}</error>\n  </testcase>");
    }
    out.push_str("</testsuite>\n");
    out
}

fn write_case(out: &mut String, path: &str, result: &PropertyResult) {
    let _ = write!(
        out,
        "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escape(path),
        escape(&result.property),
        result.counts.seconds,
    );
    let element = match result.verdict {
        Verdict::Holds => {
            out.push_str("/>\n");
            return;
        }
        Verdict::Violated => "failure",
        Verdict::Unknown => "error",
    };
    let mut details = String::new();
    if let Some(run) = &result.run {
        // Build servers keep these files and show them whole.
        write_run(&mut details, run, Length::Short);
    }
    let _ = writeln!(
        out,
        ">\n    <{element} type=\"{}\" message=\"{}\">{}</{element}>\n  </testcase>",
        escape(result.reason.as_deref().unwrap_or_default()),
        escape(&result.explanation().unwrap_or_default()),
        escape(&details),
    );
}

/// Writes errors because of which nothing was checked: one test case that could not be run.
pub fn errors(records: &[ErrorRecord]) -> String {
    let file = records.iter().find_map(|record| record.file.as_deref()).unwrap_or("stubborn");
    let file = escape(file);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{file}\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0\">\n  \
         <testcase classname=\"{file}\" name=\"model\" time=\"0\">\n"
    );
    if let Some(first) = records.first() {
        let (code, message) = (escape(&first.code), escape(&first.message));
        let all: String = records.iter().map(|record| escape(&record.one_line())).collect();
        let _ = writeln!(out, "    <error type=\"{code}\" message=\"{message}\">{all}</error>");
    }
    out.push_str("  </testcase>\n</testsuite>\n");
    out
}

/// Text for XML: markup is escaped, colours and other control characters are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{1b}' => {
                // A colour ends with `m`.
                chars.by_ref().find(|&c| c == 'm');
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_case_with_all_messages() {
        let mut placed = ErrorRecord::new("E0301", "expected `<`");
        (placed.file, placed.line, placed.column) = (Some("a.pml".to_string()), Some(3), Some(7));
        let text = errors(&[placed, ErrorRecord::new("E0001", "usage")]);
        assert!(text.contains("<error type=\"E0301\" message=\"expected `&lt;`\">"), "{text}");
        assert!(text.contains("a.pml:3:7: E0301: expected `&lt;`\nE0001: usage\n</error>"), "{text}");
    }

    #[test]
    fn markup_and_colours_do_not_get_into_the_xml() {
        assert_eq!(escape("a<b & \"c\"\u{1b}[1mbold\u{1b}[0m\u{7}"), "a&lt;b &amp; &quot;c&quot;bold");
    }
}

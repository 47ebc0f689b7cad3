//! JUnit XML, for build servers: one test case per property.

use std::fmt::Write;

use crate::data::{PropertyResult, Report, Verdict};
use crate::human::{Length, write_run};

/// Writes a report.
pub fn render(report: &Report) -> String {
    let count = |verdict| report.results.iter().filter(|result| result.verdict == verdict).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\">",
        escape(&report.path),
        report.results.len(),
        count(Verdict::Violated),
        count(Verdict::Unknown),
        report.seconds,
    );
    for result in &report.results {
        write_case(&mut out, &report.path, result);
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
        write_run(&mut details, run, Length::Full);
    }
    let _ = writeln!(
        out,
        ">\n    <{element} type=\"{}\" message=\"{}\">{}</{element}>\n  </testcase>",
        escape(result.reason.as_deref().unwrap_or_default()),
        escape(&result.explanation().unwrap_or_default()),
        escape(&details),
    );
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
    fn markup_and_colours_do_not_get_into_the_xml() {
        assert_eq!(escape("a<b & \"c\"\u{1b}[1mbold\u{1b}[0m\u{7}"), "a&lt;b &amp; &quot;c&quot;bold");
    }
}

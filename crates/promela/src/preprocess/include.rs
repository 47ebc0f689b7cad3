//! `#include`.

use std::path::{Path, PathBuf};

use source::{FileId, Span};

use super::{MAX_FILES, MAX_INCLUDE_DEPTH, MAX_INCLUDED_BYTES, MAX_SOURCE_BYTES, Preprocessor};
use crate::decode::decode;
use crate::lex::{Kind, Token};

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, span: Span, rest: &[Token]) {
        let expanded;
        let rest = match rest.first() {
            Some(first) if first.kind == Kind::Name => {
                expanded = self.expand_apart(rest.to_vec());
                &expanded[..]
            }
            _ => rest,
        };
        let (path, quoted) = match rest.first().map(|first| (first.kind, first)) {
            Some((Kind::Str, first)) => (first.spelling(&self.names).trim_matches('"').to_owned(), true),
            Some((Kind::Less, first)) => {
                let close = rest.iter().position(|token| token.kind == Kind::Greater);
                let Some(close) = close else { return self.malformed(span, "this #include has no `>`") };
                let inside = Span { start: first.span.end, end: rest[close].span.start, ..first.span };
                (self.sources.text(inside).to_owned(), false)
            }
            _ => return self.malformed(span, "#include needs \"file\" or <file>"),
        };
        let span = rest.first().map_or(span, |first| span.to(first.span));
        if self.files.len() >= MAX_INCLUDE_DEPTH || self.sources.files.len() >= MAX_FILES {
            let message = format!(
                "files include each other more than {MAX_INCLUDE_DEPTH} deep or {MAX_FILES} times, at `{path}`"
            );
            self.reports.error("E0204", span, message).help("does a file include itself?");
            self.stopped = true;
            return;
        }
        match self.load(&path, quoted, span) {
            Ok(file) => {
                self.included_bytes += self.sources.file(file).text.len();
                if self.included_bytes > MAX_INCLUDED_BYTES {
                    self.report_too_large(span, self.included_bytes);
                }
                self.open(file);
            }
            Err(Some(reason)) => {
                let message = format!("cannot read the included file `{path}`: {reason}");
                self.reports.error("E0203", span, message);
            }
            Err(None) => {}
        }
    }

    /// Finds a file beside the one that includes it, or in the folders of the options.
    fn load(&mut self, name: &str, quoted: bool, span: Span) -> Result<FileId, Option<String>> {
        let including = self.files.last().map_or("", |open| self.sources.file(open.file).name.as_str());
        let beside =
            Path::new(including).parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let mut places: Vec<PathBuf> =
            self.options.include_dirs.iter().map(|folder| folder.join(name)).collect();
        places.insert(if quoted { 0 } else { places.len() }, beside);
        let mut reason = None;
        for path in places {
            if let Some(&file) = self.loaded.get(&path) {
                return Ok(file);
            }
            match (self.loader)(&path) {
                Ok(bytes) => return self.add_file(path, bytes, span),
                Err(error) => {
                    let text = error.to_string();
                    reason.get_or_insert(text.split(" (os error").next().unwrap_or_default().to_lowercase());
                }
            }
        }
        Err(Some(reason.unwrap_or_default()))
    }

    fn add_file(&mut self, path: PathBuf, bytes: Vec<u8>, span: Span) -> Result<FileId, Option<String>> {
        if !self.fits(bytes.len(), span) {
            return Err(None);
        }
        let name = path.display().to_string();
        let text = decode(&name, bytes).map_err(|rejected| {
            let wrong = &rejected.diagnostics[0];
            let at = wrong.span.map(|span| rejected.sources.position(span));
            let place = at.map_or(String::new(), |at| format!(" in line {}, column {}", at.line, at.column));
            self.reports.error(wrong.code, span, format!("`{name}`{place}: {}", wrong.message));
            None
        })?;
        let file = self.sources.add(name, text);
        self.loaded.insert(path, file);
        Ok(file)
    }

    /// Whether that many more bytes can be read; reports it if not.
    pub(super) fn fits(&mut self, bytes: usize, span: Span) -> bool {
        let total = self.sources.files.iter().map(|file| file.text.len()).sum::<usize>() + bytes;
        if total > MAX_SOURCE_BYTES {
            self.report_too_large(span, total);
        }
        total <= MAX_SOURCE_BYTES
    }

    pub(super) fn report_too_large(&mut self, span: Span, bytes: usize) {
        let limit = MAX_SOURCE_BYTES >> 20;
        let message = format!("the source has {bytes} bytes, more than the limit of {limit} MiB");
        self.reports.error("E0107", span, message);
        self.stopped = true;
    }
}

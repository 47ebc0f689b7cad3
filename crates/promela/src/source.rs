//! Source files and places in them.

/// Index into [`Sources::files`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u16);

/// A stretch of a source file, in bytes. A token that comes out of a macro has the place of the
/// outermost use of the macro.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The first byte behind it.
    pub end: u32,
}

impl Span {
    /// From the start of this stretch to the end of another one, if both lie in one file.
    pub fn to(self, end: Span) -> Span {
        if self.file == end.file && end.end >= self.start { Span { end: end.end, ..self } } else { self }
    }
}

/// The files of a model: the main one and what it includes.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The files; the main one is the first.
    pub files: Vec<SourceFile>,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its name, as given by the user or by `#include`.
    pub name: String,
    /// Its text.
    pub text: String,
    line_starts: Vec<u32>,
    /// Then a column is a difference of offsets, however long the line.
    ascii: bool,
}

impl SourceFile {
    /// Takes a text and finds its lines.
    pub fn new(name: String, text: String) -> SourceFile {
        let starts = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        let ascii = text.is_ascii();
        SourceFile { name, text, line_starts, ascii }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32
    }

    /// The column of a byte, in characters, from 1.
    pub fn column(&self, offset: u32) -> u32 {
        let start = self.line_starts[self.line(offset) as usize - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        if self.ascii {
            return (end - start) as u32 + 1;
        }
        self.text.get(start..end).map_or(1, |before| before.chars().count() as u32 + 1)
    }
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, name: String, text: String) -> FileId {
        let id = FileId(self.files.len() as u16);
        self.files.push(SourceFile::new(name, text));
        id
    }

    /// The file of a span.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span starts.
    pub fn locate(&self, span: Span) -> model::Location {
        let file = self.file(span.file);
        model::Location { file: span.file.0, line: file.line(span.start), column: file.column(span.start) }
    }
}

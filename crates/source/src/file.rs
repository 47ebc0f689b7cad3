//! Source files and places in them.

use std::ops::Range;

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
    /// A place in file 0.
    pub fn at(offset: usize) -> Span {
        Span::from(offset..offset)
    }

    /// From the start of this stretch to the end of another one, if both lie in one file.
    pub fn to(self, end: Span) -> Span {
        if self.file == end.file && end.end >= self.start { Span { end: end.end, ..self } } else { self }
    }
}

/// A stretch of file 0. What lies beyond the numbers that there are is at the last of them.
impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        let [start, end] = [range.start, range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Span { file: FileId(0), start, end }
    }
}

/// Where something stands in a file, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
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

    /// The column of a byte, in characters, from 1. A byte order mark is no character.
    pub fn column(&self, offset: u32) -> u32 {
        let start = self.line_starts[self.line(offset) as usize - 1] as usize;
        let end = self.text.floor_char_boundary(offset as usize);
        if self.ascii {
            return (end - start) as u32 + 1;
        }
        let before = &self.text[start..end];
        let before = if start == 0 { before.trim_start_matches('\u{feff}') } else { before };
        before.chars().count() as u32 + 1
    }
}

impl Sources {
    /// A single text.
    pub fn of(name: &str, text: impl Into<String>) -> Sources {
        Sources { files: vec![SourceFile::new(name.to_string(), text.into())] }
    }

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
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        Position { line: file.line(span.start), column: file.column(span.start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters() {
        let at = |text, at| {
            let Position { line, column } = Sources::of("", text).position(Span::at(at));
            (line, column)
        };
        assert_eq!(
            [0, 2, 3, 5, 6, 8, 9].map(|offset| at("ä\nöü\n", offset)),
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (3, 1), (3, 1)]
        );
        assert_eq!([3, 4].map(|offset| at("\u{feff}ab", offset)), [(1, 1), (1, 2)]);
        assert_eq!(
            [0, 1, 2, 3, 9].map(|offset| at("a\nb", offset)),
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2)]
        );
    }

    #[test]
    fn stretches_join_within_a_file() {
        let (first, second) = (Span::from(2..3), Span::from(5..7));
        assert_eq!(first.to(second), Span::from(2..7));
        assert_eq!(second.to(first), second);
        assert_eq!(first.to(Span { file: FileId(1), ..second }), first);
        assert_eq!(Sources::of("", "abcdefgh").text(first.to(second)), "cdefg");
    }
}

//! Where something stands: file, byte range, line and column.

use std::fmt;

/// A file of a [`Document`](crate::Document), by its order of loading.
///
/// The entry file is always number 0.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// The file a document was opened with.
    pub const ENTRY: FileId = FileId(0);

    /// The position in [`Document::files`](crate::Document::files).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A half-open range of bytes in one file, counted from the very start of the file (a byte order mark included).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// A range from `start` to `end`; an end before the start is moved to the start.
    pub const fn new(start: u32, end: u32) -> Span {
        Span {
            start,
            end: if end < start { start } else { end },
        }
    }

    /// The first byte.
    pub const fn start(self) -> usize {
        self.start as usize
    }

    /// The byte after the last one.
    pub const fn end(self) -> usize {
        self.end as usize
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the range holds no byte, as for a value that was left out in YAML.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as the standard library spells it.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start()..self.end()
    }
}

/// A range of bytes together with its file.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub span: Span,
}

impl Place {
    /// Puts a file and a span together.
    pub const fn new(file: FileId, span: Span) -> Place {
        Place { file, span }
    }
}

/// A line and a column as a person counts them: both start at 1, the column counts characters.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Narrows a byte offset. Sources are limited to less than 4 GiB before anything is parsed.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

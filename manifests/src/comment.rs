//! Comments of a YAML file. The tree does not keep them; they are found again in the text between the scalars.

use memchr::memchr_iter;

use crate::span::{Span, offset};
use crate::tree::{Raw, Syntax, Tag, Tree};

/// A comment, from its `#` to the end of the line.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Comment<'a> {
    /// The line it stands on, from 1.
    pub line: u32,
    /// Its bytes, `#` included.
    pub span: Span,
    /// The text behind the `#`, trimmed.
    pub text: &'a str,
    /// Whether nothing but white space stands before it on its line.
    pub alone: bool,
}

impl Tree {
    /// The comments of the file, in order. JSON has none. Costs a search for `#` over the whole text.
    ///
    /// ```
    /// use aon_manifest::{parse, ParseOptions};
    ///
    /// let text = "# head\na: 'x # no'  # aon-ignore: undeclared-choice legacy\nb: |\n  # no\n";
    /// let tree = parse("a.yaml", text, &ParseOptions::default());
    /// let comments = tree.comments();
    /// assert_eq!(comments.len(), 2);
    /// assert_eq!(comments[1].text, "aon-ignore: undeclared-choice legacy");
    /// assert_eq!((comments[1].line, comments[1].alone), (2, false));
    /// ```
    pub fn comments(&self) -> Vec<Comment<'_>> {
        if self.syntax() != Syntax::Yaml {
            return Vec::new();
        }
        let text = self.source.text();
        let bytes = text.as_bytes();
        let mut scalars = self.nodes.iter().filter(|raw| is_scalar(raw)).peekable();
        let mut found: Vec<Comment<'_>> = Vec::new();
        let mut behind = 0;
        for at in memchr_iter(b'#', bytes) {
            if at < behind {
                continue;
            }
            while scalars.peek().is_some_and(|raw| raw.end as usize <= at) {
                scalars.next();
            }
            let opens = at == 0
                || bytes.get(at - 1).is_some_and(u8::is_ascii_whitespace)
                || text.get(..at) == Some("\u{feff}");
            if !opens || scalars.peek().is_some_and(|raw| self.covers(raw, at)) {
                continue;
            }
            let rest = text.get(at..).unwrap_or("");
            let end = at + rest.find(['\n', '\r']).unwrap_or(rest.len());
            let line_start = text
                .get(..at)
                .and_then(|before| before.rfind('\n'))
                .map_or(0, |found| found + 1);
            let before = text.get(line_start..at).unwrap_or("");
            found.push(Comment {
                line: self.source.position(at).line,
                span: Span::new(offset(at), offset(end)),
                text: text.get(at + 1..end).unwrap_or("").trim(),
                alone: before.trim_start_matches('\u{feff}').trim().is_empty(),
            });
            behind = end;
        }
        found
    }

    /// Whether a scalar holds a byte. The header line of a block scalar may end in a comment.
    fn covers(&self, raw: &Raw, at: usize) -> bool {
        let (start, end) = (raw.start as usize, raw.end as usize);
        if at < start || at >= end {
            return false;
        }
        let written = self.source.text().get(start..end).unwrap_or("");
        let header_end = written.find('\n').unwrap_or(written.len());
        !(written.starts_with(['|', '>']) && at - start < header_end)
    }
}

fn is_scalar(raw: &Raw) -> bool {
    !matches!(raw.tag, Tag::Array | Tag::Object) && raw.end > raw.start
}

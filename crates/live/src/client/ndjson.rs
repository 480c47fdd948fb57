//! NDJSON: one JSON object per line.

use super::wire::{Fault, Item, LINE_LIMIT};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads lines from pieces of any size.
///
/// Empty lines and CRLF are accepted, a byte order mark at the start is skipped, a line over the limit is left out and
/// told. The last line may lack its end: an object that is closed is complete.
///
/// # Examples
///
/// ```
/// use aon_live::client::{Item, Ndjson};
///
/// let mut reader = Ndjson::new();
/// let mut lines = Vec::new();
/// for piece in [&b"{\"type\":\"sta"[..], b"tus\"}\r\n\n{\"type\":", b"\"result\"}"] {
///     reader.feed(piece, |item| if let Item::Event { json, .. } = item { lines.push(json.to_owned()) });
/// }
/// reader.finish(|item| if let Item::Event { json, .. } = item { lines.push(json.to_owned()) });
/// assert_eq!(lines, [r#"{"type":"status"}"#, r#"{"type":"result"}"#]);
/// ```
#[derive(Debug)]
pub struct Ndjson {
    line: Vec<u8>,
    limit: usize,
    /// Whether no line has ended yet, so that a byte order mark may stand at the start.
    first: bool,
    /// Whether the line at hand is over the limit and is skipped to its end.
    skipping: bool,
}

impl Default for Ndjson {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            limit: LINE_LIMIT,
            first: true,
            skipping: false,
        }
    }
}

impl Ndjson {
    /// A reader at the start of a body.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out lines longer than this many bytes.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Reads the next piece, and shows each line that it completes.
    pub fn feed(&mut self, mut piece: &[u8], mut each: impl FnMut(Item<'_>)) {
        while let Some(at) = piece.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = piece.split_at(at);
            self.keep(head, &mut each);
            self.line_ended(&mut each);
            piece = tail.get(1..).unwrap_or_default();
        }
        self.keep(piece, &mut each);
    }

    /// The body ended: what is left counts if it is a whole object, else it was cut and is dropped.
    pub fn finish(&mut self, mut each: impl FnMut(Item<'_>)) {
        let whole =
            serde_json::from_slice::<serde::de::IgnoredAny>(without_mark(&self.line, self.first))
                .is_ok();
        if whole {
            self.line_ended(&mut each);
        }
        self.line.clear();
    }

    fn keep(&mut self, bytes: &[u8], each: &mut impl FnMut(Item<'_>)) {
        if self.skipping {
            return;
        }
        if self.line.len() + bytes.len() > self.limit {
            self.skipping = true;
            self.line = Vec::new();
            each(Item::Bad(Fault::TooLong(self.limit)));
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn line_ended(&mut self, each: &mut impl FnMut(Item<'_>)) {
        let first = std::mem::replace(&mut self.first, false);
        if std::mem::replace(&mut self.skipping, false) {
            return;
        }
        let line = without_mark(&self.line, first);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        each(match std::str::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => Item::Alive,
            Ok(text) => Item::Event {
                json: text,
                id: None,
                name: None,
            },
            Err(_) => Item::Bad(Fault::NotUtf8),
        });
        self.line.clear();
    }
}

fn without_mark(line: &[u8], first: bool) -> &[u8] {
    match line.strip_prefix(BOM) {
        Some(rest) if first => rest,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item of a body in these pieces, in words.
    fn read(pieces: &[&[u8]], limit: usize) -> Vec<String> {
        let mut seen = Vec::new();
        let mut note = |item: Item<'_>| match item {
            Item::Event { json, .. } => seen.push(json.to_owned()),
            Item::Bad(fault) => seen.push(fault.to_string()),
            Item::Alive | Item::Retry(_) => {}
        };
        let mut reader = Ndjson::new().with_limit(limit);
        for piece in pieces {
            reader.feed(piece, &mut note);
        }
        reader.finish(&mut note);
        seen
    }

    #[test]
    fn a_body_reads_the_same_wherever_it_is_split() {
        let body = "\u{feff}{\"type\":\"status\",\"message\":\"grün 🌲\"}\r\n\n\r\n  \n{\"type\":\"result\",\"data\":\"\\n\"}\n"
            .as_bytes();
        let whole = read(&[body], 1024);
        assert_eq!(whole.len(), 2, "{whole:?}");
        assert!(whole[0].starts_with('{'), "the mark is not part of a line");
        let mut splits = 0;
        for at in 0..=body.len() {
            let (head, tail) = body.split_at(at);
            assert_eq!(read(&[head, tail], 1024), whole, "split at {at}");
            splits += 1;
        }
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(read(&bytes, 1024), whole, "byte by byte");
        assert!(splits > 80);
    }

    #[test]
    fn a_line_that_was_cut_is_dropped_and_a_whole_one_without_its_end_counts() {
        let whole = br#"{"type":"result","data":1}"#;
        assert_eq!(read(&[whole], 1024).len(), 1);
        for at in 0..whole.len() {
            assert!(read(&[&whole[..at]], 1024).is_empty(), "cut at {at}");
        }
    }

    #[test]
    fn what_is_not_text_or_too_long_is_told_and_the_next_line_is_read() {
        let long = vec![b'x'; 100];
        let seen = read(&[b"\xff\xfe\n", &long, &long, b"\n{}\n"], 120);
        assert_eq!(
            seen,
            [
                Fault::NotUtf8.to_string(),
                Fault::TooLong(120).to_string(),
                "{}".to_owned()
            ]
        );
    }

    #[test]
    fn a_line_of_one_mebibyte_in_small_pieces_is_one_line() {
        let text = format!(
            "{{\"type\":\"result\",\"data\":\"{}\"}}\n",
            "é".repeat(1 << 19)
        );
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(1021).collect();
        let seen = read(&pieces, LINE_LIMIT);
        assert_eq!(seen, [text.trim_end()]);
    }
}

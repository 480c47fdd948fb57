//! Server-sent events, as the HTML standard reads them.

use std::time::Duration;

use super::wire::{Fault, Item, LINE_LIMIT};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads events from pieces of any size.
///
/// # Examples
///
/// ```
/// use aon_live::client::{Item, Sse};
///
/// let mut reader = Sse::new();
/// let mut seen = Vec::new();
/// reader.feed(b":hb\n\nid: 7f-3\nevent: status\ndata: {\"type\":\"status\"}\n\n", |item| {
///     if let Item::Event { json, id, name } = item {
///         seen.push((json.to_owned(), id.map(str::to_owned), name.map(str::to_owned)));
///     }
/// });
/// assert_eq!(seen, [(r#"{"type":"status"}"#.to_owned(), Some("7f-3".to_owned()), Some("status".to_owned()))]);
/// ```
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing the standard says to remember"
)]
pub struct Sse {
    line: Vec<u8>,
    limit: usize,
    first: bool,
    skipping: bool,
    /// Whether the last byte was a carriage return, which a line feed may still belong to.
    after_return: bool,
    data: String,
    has_data: bool,
    /// Whether the event at hand is over the limit and is left out.
    spoilt: bool,
    name: String,
    /// The id of the last event that had one.
    id: String,
    /// Whether the event at hand has an id of its own.
    has_id: bool,
}

impl Default for Sse {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            limit: LINE_LIMIT,
            first: true,
            skipping: false,
            after_return: false,
            data: String::new(),
            has_data: false,
            spoilt: false,
            name: String::new(),
            id: String::new(),
            has_id: false,
        }
    }
}

impl Sse {
    /// A reader at the start of a body.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out events whose data is longer than this many bytes.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The id that a returning reader sends as `Last-Event-ID`; empty if there was none.
    pub fn last_event_id(&self) -> &str {
        &self.id
    }

    /// Reads the next piece, and shows each event that it completes.
    pub fn feed(&mut self, mut piece: &[u8], mut each: impl FnMut(Item<'_>)) {
        if std::mem::replace(&mut self.after_return, false) {
            if piece.is_empty() {
                self.after_return = true;
                return;
            }
            piece = piece.strip_prefix(b"\n").unwrap_or(piece);
        }
        while let Some(at) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, tail) = piece.split_at(at);
            self.keep(head, &mut each);
            self.line_ended(&mut each);
            piece = match tail {
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.keep(piece, &mut each);
    }

    fn keep(&mut self, bytes: &[u8], each: &mut impl FnMut(Item<'_>)) {
        if self.skipping {
            return;
        }
        // A little more than the data, for the name of the field.
        if self.line.len() + bytes.len() > self.limit.saturating_add(64) {
            self.skipping = true;
            self.line = Vec::new();
            self.spoil(each);
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn spoil(&mut self, each: &mut impl FnMut(Item<'_>)) {
        self.data = String::new();
        if !std::mem::replace(&mut self.spoilt, true) {
            each(Item::Bad(Fault::TooLong(self.limit)));
        }
    }

    fn line_ended(&mut self, each: &mut impl FnMut(Item<'_>)) {
        let first = std::mem::replace(&mut self.first, false);
        if std::mem::replace(&mut self.skipping, false) {
            return;
        }
        let bytes = std::mem::take(&mut self.line);
        let line = match bytes.strip_prefix(BOM) {
            Some(rest) if first => rest,
            _ => &bytes,
        };
        if line.is_empty() {
            self.dispatch(each);
        } else if line.starts_with(b":") {
            each(Item::Alive);
        } else {
            // The standard decodes with replacement; a line that is not text cannot be JSON anyway.
            let text = String::from_utf8_lossy(line);
            let (field, value) = text.split_once(':').unwrap_or((&text, ""));
            self.field(field, value.strip_prefix(' ').unwrap_or(value), each);
        }
        // The buffer is kept, so that a stream of small events allocates once.
        self.line = bytes;
        self.line.clear();
    }

    fn field(&mut self, field: &str, value: &str, each: &mut impl FnMut(Item<'_>)) {
        match field {
            "data" if self.data.len() + value.len() > self.limit => self.spoil(each),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.name),
            "id" if !value.contains('\0') => {
                value.clone_into(&mut self.id);
                self.has_id = !value.is_empty();
            }
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                if let Ok(wait) = value.parse() {
                    each(Item::Retry(Duration::from_millis(wait)));
                }
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, each: &mut impl FnMut(Item<'_>)) {
        if self.has_data && !self.spoilt {
            each(Item::Event {
                json: &self.data,
                id: self.has_id.then_some(self.id.as_str()),
                name: (!self.name.is_empty()).then_some(self.name.as_str()),
            });
        }
        self.data.clear();
        self.name.clear();
        self.has_data = false;
        self.has_id = false;
        self.spoilt = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]], limit: usize) -> Vec<String> {
        let mut seen = Vec::new();
        let mut reader = Sse::new().with_limit(limit);
        for piece in pieces {
            reader.feed(piece, |item| {
                seen.push(match item {
                    Item::Event { json, id, name } => format!("{json} {id:?} {name:?}"),
                    Item::Alive => "alive".to_owned(),
                    Item::Retry(wait) => format!("retry {}", wait.as_millis()),
                    Item::Bad(fault) => fault.to_string(),
                });
            });
        }
        seen
    }

    #[test]
    fn a_body_reads_the_same_wherever_it_is_split() {
        let body = "\u{feff}retry: 1000\n\n: hello\r\rid: e-1\r\nevent: status\r\ndata: {\"m\":\"🌲\"}\r\n\r\ndata:two\ndata: lines\n\n"
            .as_bytes();
        let whole = read(&[body], 1024);
        assert_eq!(
            whole,
            [
                "retry 1000",
                "alive",
                "{\"m\":\"🌲\"} Some(\"e-1\") Some(\"status\")",
                "two\nlines None None",
            ]
        );
        for at in 0..=body.len() {
            let (head, tail) = body.split_at(at);
            assert_eq!(read(&[head, tail], 1024), whole, "split at {at}");
            assert_eq!(read(&[head, b"", tail], 1024), whole, "and an empty piece");
        }
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(read(&bytes, 1024), whole, "byte by byte");
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        let event = |text: &str| read(&[text.as_bytes()], 1024);
        assert_eq!(
            event("data\n\n"),
            [" None None"],
            "a field without a colon is empty"
        );
        assert_eq!(event("data:  x\n\n"), [" x None None"], "one space goes");
        let mut reader = Sse::new();
        reader.feed(b"id: 1\n\ndata: x\n\n", |_| {});
        assert_eq!(reader.last_event_id(), "1", "an id outlives its event");
        assert_eq!(
            event("id: 1\nid\ndata: x\n\n"),
            ["x None None"],
            "an empty id resets"
        );
        assert_eq!(
            event("id: 1\nid: a\0b\ndata: x\n\n"),
            ["x Some(\"1\") None"],
            "an id with NUL does not count"
        );
        assert!(event("retry: 1s\nunknown: x\nDATA: x\n\n").is_empty());
        assert!(event("data: cut").is_empty());
        assert!(event("data: cut\n").is_empty(), "no empty line, no event");
    }

    #[test]
    fn an_event_over_the_limit_is_left_out_and_told_once() {
        let long = "x".repeat(200);
        let body = format!("data: {long}\ndata: {long}\n\ndata: y\n\n");
        assert_eq!(
            read(&[body.as_bytes()], 100),
            [Fault::TooLong(100).to_string(), "y None None".to_owned()]
        );
        let many = format!("{}\ndata: y\n\n", "data: 0123456789\n".repeat(20));
        assert_eq!(
            read(&[many.as_bytes()], 100).len(),
            2,
            "many lines count together"
        );
    }
}

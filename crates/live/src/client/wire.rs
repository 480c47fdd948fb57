//! What the readers of all channels have in common: they take pieces of any size and give items.

use std::time::Duration;

use super::ndjson::Ndjson;
use super::sse::Sse;

/// The most bytes of one event that a reader keeps by default.
pub const LINE_LIMIT: usize = 16 << 20;

/// What stands on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item<'a> {
    /// The JSON of an event, and the id the channel gives it. It was not parsed yet.
    Event {
        /// The JSON.
        json: &'a str,
        /// The id of the event, where the channel carries one beside it.
        id: Option<&'a str>,
        /// The name of the event, where the channel carries one beside it.
        name: Option<&'a str>,
    },
    /// A sign of life without content: a comment, an empty line.
    Alive,
    /// How long the server wants a reader to wait before it comes back.
    Retry(Duration),
    /// Something that is not an event. What follows it is read as if it were not there.
    Bad(Fault),
}

/// Why a line is not an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is longer than the reader keeps.
    #[error("an event is longer than {0} bytes and was left out")]
    TooLong(usize),
    /// It is not text.
    #[error("a line is not UTF-8 and was left out")]
    NotUtf8,
    /// It is not a JSON object with a `type`.
    #[error("a line is not a JSON object with a type and was left out")]
    NotAnEvent,
}

/// A reader of one body, by its media type.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reader {
    /// Lines.
    Ndjson(Ndjson),
    /// Server-sent events.
    Sse(Sse),
}

impl Reader {
    /// The reader for a media type, if it is that of a stream.
    pub fn of(content_type: &str, limit: usize) -> Option<Self> {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        let is = |name: &str| media.eq_ignore_ascii_case(name);
        if is("application/x-ndjson") || is("application/ndjson") || is("application/jsonl") {
            Some(Self::Ndjson(Ndjson::new().with_limit(limit)))
        } else if is("text/event-stream") {
            Some(Self::Sse(Sse::new().with_limit(limit)))
        } else {
            None
        }
    }

    /// Reads the next piece, and shows what it completes.
    pub fn feed(&mut self, piece: &[u8], each: impl FnMut(Item<'_>)) {
        match self {
            Self::Ndjson(reader) => reader.feed(piece, each),
            Self::Sse(reader) => reader.feed(piece, each),
        }
    }

    /// The body ended.
    pub fn finish(&mut self, each: impl FnMut(Item<'_>)) {
        match self {
            Self::Ndjson(reader) => reader.finish(each),
            // What no empty line completed is not an event.
            Self::Sse(_) => {}
        }
    }
}

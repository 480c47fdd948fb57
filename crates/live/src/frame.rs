//! The bytes of an event: made once, cut differently by each channel.

use std::sync::Arc;

use bytes::Bytes;

use crate::event::{Body, Header, write_body, write_header, write_reduced};
use crate::id::{Epoch, EventId, Seq, SessionId, TraceId};
use crate::time::WallMs;

/// One event as bytes: `event: <type>\ndata: <json>\nid: <id>\n\n`.
///
/// Server-sent events are the whole of it, a line of NDJSON is the object with the line end after it, a WebSocket message
/// the object alone. So an event is encoded once, whatever follows it.
#[derive(Clone, Debug)]
pub struct Frame {
    bytes: Bytes,
    start: u32,
    end: u32,
    seq: Seq,
    terminal: bool,
    /// The same event under the same number, for readers who may not see its details.
    reduced: Option<Arc<Self>>,
}

/// What the events of a session have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) session: SessionId,
    pub(crate) trace: TraceId,
    pub(crate) epoch: Epoch,
}

/// A body that is encoded, and waits for its number.
#[derive(Debug)]
pub(crate) struct Draft {
    kind: String,
    members: Vec<u8>,
    reduced: Option<Vec<u8>>,
    terminal: bool,
}

impl Draft {
    /// Encodes a body; secrets end here.
    pub(crate) fn of(body: &Body) -> Self {
        let mut members = Vec::with_capacity(128);
        write_body(&mut members, body);
        Self {
            kind: body.kind().to_owned(),
            members,
            reduced: write_reduced(body),
            terminal: body.is_terminal(),
        }
    }

    /// A body whose members are JSON already, each with a comma before it, and clean.
    pub(crate) fn raw(kind: &str, members: Vec<u8>) -> Self {
        Self {
            kind: kind.to_owned(),
            members,
            reduced: None,
            terminal: false,
        }
    }

    /// The word in `type`.
    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    /// The event with this number.
    pub(crate) fn number(&self, origin: &Origin, seq: Seq, at: WallMs) -> Frame {
        self.frame(origin, Some(seq), at)
    }

    /// The event without a number: a heartbeat, or a word to one reader.
    pub(crate) fn unnumbered(&self, origin: &Origin, at: WallMs) -> Frame {
        self.frame(origin, None, at)
    }

    fn frame(&self, origin: &Origin, seq: Option<Seq>, at: WallMs) -> Frame {
        let mut whole = self.encode(origin, seq, at, &self.members);
        if let Some(members) = &self.reduced {
            whole.reduced = Some(Arc::new(self.encode(origin, seq, at, members)));
        }
        whole
    }

    fn encode(&self, origin: &Origin, seq: Option<Seq>, at: WallMs, members: &[u8]) -> Frame {
        let id = seq.map(|seq| {
            let epoch = origin.epoch;
            EventId { epoch, seq }.to_string()
        });
        let mut out = Vec::with_capacity(members.len() + 280);
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(self.kind.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        let start = out.len();
        write_header(
            &mut out,
            &Header {
                kind: &self.kind,
                id: id.as_deref(),
                seq: seq.map(Seq::get),
                ts_ms: at.get(),
                trace_id: Some(origin.trace.digits().as_str()),
                session_id: Some(origin.session.digits().as_str()),
            },
        );
        out.extend_from_slice(members);
        out.push(b'}');
        let end = out.len();
        out.push(b'\n');
        if let Some(id) = &id {
            out.extend_from_slice(b"id: ");
            out.extend_from_slice(id.as_bytes());
            out.push(b'\n');
        }
        out.push(b'\n');
        Frame {
            bytes: Bytes::from(out.into_boxed_slice()),
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
            seq: seq.unwrap_or(Seq::ZERO),
            terminal: self.terminal,
            reduced: None,
        }
    }
}

impl Frame {
    /// A frame out of what a store kept: the object as JSON, its type and its number.
    pub fn restore(epoch: Epoch, seq: Seq, kind: &str, json: &[u8]) -> Self {
        let id = EventId { epoch, seq }.to_string();
        let mut out = Vec::with_capacity(json.len() + kind.len() + id.len() + 24);
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        let start = out.len();
        out.extend_from_slice(json);
        let end = out.len();
        out.extend_from_slice(b"\nid: ");
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(b"\n\n");
        Self {
            bytes: Bytes::from(out.into_boxed_slice()),
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
            seq,
            terminal: matches!(kind, "result" | "error"),
            reduced: None,
        }
    }

    /// The frame with what a store kept for readers who may not see details.
    #[must_use]
    pub fn with_reduced(mut self, reduced: Self) -> Self {
        self.reduced = Some(Arc::new(reduced));
        self
    }

    /// What readers see who may not see details, where that is something else: the same number, and less in it.
    pub fn reduced(&self) -> Option<&Self> {
        self.reduced.as_deref()
    }

    /// The event as a reader of that level sees it.
    pub(crate) fn seen(mut self, detail: bool) -> Self {
        if !detail {
            self.reduce();
        }
        self
    }

    /// Leaves out what only some readers see.
    pub(crate) fn reduce(&mut self) {
        if let Some(reduced) = self.reduced.take() {
            *self = Arc::unwrap_or_clone(reduced);
        }
    }

    /// A server-sent event.
    pub fn sse(&self) -> Bytes {
        self.bytes.clone()
    }

    /// [`Frame::sse`], handed on as it is: all readers hold these bytes, and counting them is where readers meet.
    pub(crate) fn into_sse(self) -> Bytes {
        self.bytes
    }

    /// A line of NDJSON, with its end.
    pub fn line(&self) -> Bytes {
        self.cut(self.end.saturating_add(1))
    }

    /// The object alone.
    pub fn json(&self) -> Bytes {
        self.cut(self.end)
    }

    /// The word in `type`.
    pub(crate) fn kind(&self) -> &[u8] {
        let end = (self.start as usize).saturating_sub("\ndata: ".len());
        self.bytes.get("event: ".len()..end).unwrap_or_default()
    }

    /// The number; zero where it has none.
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    /// Whether it is the last one of its session.
    pub const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// What it takes in memory, about.
    pub fn size(&self) -> usize {
        let reduced = self.reduced.as_ref().map_or(0, |reduced| reduced.size());
        self.bytes.len() + size_of::<Self>() + 32 + reduced
    }

    fn cut(&self, end: u32) -> Bytes {
        let (start, end) = (self.start as usize, end as usize);
        self.bytes.slice(start..end.min(self.bytes.len()))
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.seq == other.seq && self.bytes == other.bytes
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::event::{Event, Status};

    pub(crate) fn origin() -> Origin {
        Origin {
            session: SessionId::from_bytes([1; 16]),
            trace: TraceId::from_bytes([2; 16]).unwrap(),
            epoch: Epoch::new(10),
        }
    }

    pub(crate) fn frame(seq: u64, message: &str) -> Frame {
        let status = Status {
            message: message.to_owned(),
            ..Status::default()
        };
        let draft = Draft::of(&Body::Status(status));
        draft.number(&origin(), Seq::new(seq), WallMs(1_715_432_000_250))
    }

    pub(crate) fn last(seq: u64) -> Frame {
        let mut draft = Draft::raw("result", br#","status":200,"data":null"#.to_vec());
        draft.terminal = true;
        draft.number(&origin(), Seq::new(seq), WallMs(0))
    }

    #[test]
    fn one_encoding_serves_three_channels() {
        let frame = frame(7, "two\nlines");
        let json = String::from_utf8(frame.json().to_vec()).unwrap();
        assert_eq!(frame.line(), format!("{json}\n"));
        assert_eq!(
            frame.sse(),
            format!("event: status\ndata: {json}\nid: 0000000a-7\n\n")
        );
        let kept = Frame::restore(Epoch::new(10), Seq::new(7), "status", json.as_bytes());
        assert_eq!(kept, frame);
        assert_eq!(frame.kind(), b"status");
        let event = Event::from_slice(json.as_bytes()).unwrap();
        assert_eq!(event.envelope.id.as_deref(), Some("0000000a-7"));
        assert_eq!(event.envelope.seq, Some(7));
        assert!(!json.contains('\n'));
    }

    #[test]
    fn an_event_without_a_number_has_no_id() {
        let draft = Draft::raw("replay_complete", br#","last_seq":4"#.to_vec());
        let frame = draft.unnumbered(&origin(), WallMs(0));
        assert!(
            !String::from_utf8(frame.sse().to_vec())
                .unwrap()
                .contains("id: ")
        );
        let event = Event::from_slice(&frame.json()).unwrap();
        assert_eq!((event.envelope.id, event.envelope.seq), (None, None));
    }
}

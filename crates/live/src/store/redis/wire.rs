//! What travels over the channels between nodes: events behind their acknowledgement, and calls to look into something.
//!
//! These are hints. They may be lost, repeated and reordered; the log in the engine is what counts.

use bytes::{Buf as _, BufMut as _};

use crate::frame::Frame;
use crate::id::{Epoch, Seq, SessionId};

/// How many channels the sessions are spread over.
pub(super) const CHANNELS: usize = 16;

/// The number of a session's channel.
pub(super) fn number(id: SessionId) -> usize {
    usize::from(id.as_bytes()[1]) % CHANNELS
}

/// The channel with this number.
pub(super) fn named(prefix: &str, number: usize) -> String {
    format!("{prefix}c{number}")
}

/// The channel of a session.
pub(super) fn channel(prefix: &str, id: SessionId) -> String {
    named(prefix, number(id))
}

/// One thing a node says to the others.
#[derive(Debug)]
pub(super) enum Word<'a> {
    /// Events that are stored.
    Events(SessionId, Vec<Raw<'a>>),
    /// A letter waits for the owner of this session.
    Letter(SessionId),
    /// The answer to a letter.
    Reply(u128, Vec<u8>),
    /// The probe of a node.
    Probe,
}

/// An event that has no epoch yet: whoever follows the session knows it. A node that does not copies nothing.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) seq: Seq,
    kind: &'a str,
    json: &'a [u8],
    reduced: &'a [u8],
}

impl Raw<'_> {
    pub(super) fn frame(&self, epoch: Epoch) -> Frame {
        let frame = Frame::restore(epoch, self.seq, self.kind, self.json);
        if self.reduced.is_empty() {
            return frame;
        }
        frame.with_reduced(Frame::restore(epoch, self.seq, self.kind, self.reduced))
    }
}

pub(super) fn events(out: &mut Vec<u8>, id: SessionId, frames: &[Frame]) {
    out.put_u8(b'e');
    out.put_slice(id.as_bytes());
    out.put_u32(u32::try_from(frames.len()).unwrap_or(u32::MAX));
    for frame in frames {
        out.put_u64(frame.seq().get());
        let reduced = frame.reduced().map(Frame::json).unwrap_or_default();
        for part in [frame.kind(), &frame.json(), &reduced] {
            out.put_u32(u32::try_from(part.len()).unwrap_or(u32::MAX));
            out.put_slice(part);
        }
    }
}

pub(super) fn letter(id: SessionId) -> Vec<u8> {
    let mut out = vec![b'l'];
    out.put_slice(id.as_bytes());
    out
}

pub(super) fn reply(to: u128, text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'r'];
    out.put_u128(to);
    out.put_u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
    out.put_slice(text);
    out
}

pub(super) fn probe() -> Vec<u8> {
    vec![b'p']
}

/// Reads what was said. What cannot be read is left out: it was a hint.
pub(super) fn words(mut bytes: &[u8]) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    while let Some(word) = word(&mut bytes) {
        words.push(word);
    }
    words
}

fn word<'a>(bytes: &mut &'a [u8]) -> Option<Word<'a>> {
    Some(match bytes.try_get_u8().ok()? {
        b'e' => {
            let id = session(bytes)?;
            let count = bytes.try_get_u32().ok()?;
            let frames = (0..count).map(|_| raw(bytes));
            Word::Events(id, frames.collect::<Option<_>>()?)
        }
        b'l' => Word::Letter(session(bytes)?),
        b'r' => {
            let to = bytes.try_get_u128().ok()?;
            Word::Reply(to, part(bytes)?.to_vec())
        }
        b'p' => Word::Probe,
        _ => return None,
    })
}

fn session(bytes: &mut &[u8]) -> Option<SessionId> {
    let mut id = [0; 16];
    bytes.try_copy_to_slice(&mut id).ok()?;
    Some(SessionId::from_bytes(id))
}

fn raw<'a>(bytes: &mut &'a [u8]) -> Option<Raw<'a>> {
    Some(Raw {
        seq: Seq::new(bytes.try_get_u64().ok()?),
        kind: std::str::from_utf8(part(bytes)?).ok()?,
        json: part(bytes)?,
        reduced: part(bytes)?,
    })
}

fn part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = bytes.try_get_u32().ok()? as usize;
    let (part, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::tests::{frame, last};

    #[test]
    fn what_is_said_is_heard_and_what_is_cut_off_is_not() {
        let id = SessionId::from_bytes([9; 16]);
        let sent = [frame(1, "one"), last(2)];
        let mut said = Vec::new();
        events(&mut said, id, &sent);
        said.extend(letter(id));
        said.extend(reply(77, b"yes"));
        said.extend(probe());
        let heard = words(&said);
        let [
            Word::Events(of, raws),
            Word::Letter(to),
            Word::Reply(77, text),
            Word::Probe,
        ] = &*heard
        else {
            panic!("{heard:?}")
        };
        assert_eq!((*of, *to, &**text), (id, id, &b"yes"[..]));
        let frames: Vec<Frame> = raws.iter().map(|raw| raw.frame(Epoch::new(10))).collect();
        assert_eq!(frames, sent);
        assert!(frames[1].is_terminal());
        for cut in 0..said.len() {
            assert!(words(&said[..cut]).len() < heard.len());
        }
        assert!(words(b"\xff").is_empty());
    }
}

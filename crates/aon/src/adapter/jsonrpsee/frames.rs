//! Frames a web socket server sends (RFC 6455), cut just far enough to judge the small texts among them.
//!
//! A server does not mask, so a frame is a head of 2, 4 or 10 bytes and its payload. Everything that is no whole, plain and
//! short text passes unread: control frames, fragments, compressed and binary ones, and whatever is long.

/// The longest text that is looked into. What jsonrpsee says by itself has some 100 bytes and the id of the request.
pub(super) const LONGEST: usize = 4096;

/// A final text frame without extension bits.
const TEXT: u8 = 0x81;

/// What to do with the beginning of a frame.
#[derive(Debug, PartialEq)]
pub(super) enum Look {
    /// So many more bytes are needed before anything can be said.
    Needs(usize),
    /// It passes; with its head it has so many bytes.
    Passes(u64),
    /// A short text that is here as a whole: where its payload begins, and where it ends.
    Text(usize, usize),
}

/// Looks at bytes that begin with a frame.
pub(super) fn look(bytes: &[u8]) -> Look {
    let &[first, second, ref rest @ ..] = bytes else {
        return Look::Needs(2 - bytes.len());
    };
    let (head, length) = match second & 0x7f {
        126 => match rest.first_chunk() {
            Some(length) => (4, u64::from(u16::from_be_bytes(*length))),
            None => return Look::Needs(4 - bytes.len()),
        },
        127 => match rest.first_chunk() {
            Some(length) => (10, u64::from_be_bytes(*length)),
            None => return Look::Needs(10 - bytes.len()),
        },
        short => (2, u64::from(short)),
    };
    let masked = second & 0x80 != 0;
    match usize::try_from(length) {
        Ok(length) if first == TEXT && !masked && length <= LONGEST => {
            let end = head + length;
            match end.checked_sub(bytes.len()) {
                None | Some(0) => Look::Text(head, end),
                Some(missing) => Look::Needs(missing),
            }
        }
        _ => {
            let mask = if masked { 4 } else { 0 };
            Look::Passes(length.saturating_add(head as u64 + mask))
        }
    }
}

/// A text as one frame.
pub(super) fn text(payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(payload.len() + 10);
    frame.push(TEXT);
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short), _) if short < 126 => frame.push(short),
        (_, Ok(length)) => {
            frame.push(126);
            frame.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            frame.push(127);
            frame.extend_from_slice(&(payload.len() as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(payload);
    frame
}

/// The frames of one connection on their way out.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// So many bytes of the frame that is under way pass unread.
    passing: u64,
    /// The beginning of a short text, or of a head, of which the rest is not here yet.
    held: Vec<u8>,
}

/// What becomes of the first of the bytes that were written.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// At most so many are to be sent as they are; [`Frames::sent`] is told how many were.
    Send(usize),
    /// So many are taken; what is to be sent for them, if anything yet.
    Taken(usize, Option<Vec<u8>>),
}

impl Frames {
    /// Judges bytes; at most one frame is dealt with at a time. `replace` gets the payload of a short text.
    pub(super) fn next(
        &mut self,
        bytes: &[u8],
        replace: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
    ) -> Next {
        if self.held.is_empty() {
            if self.passing == 0 {
                match look(bytes) {
                    Look::Passes(all) => self.passing = all,
                    Look::Text(head, end) => match bytes.get(head..end).and_then(replace) {
                        Some(payload) => return Next::Taken(end, Some(text(&payload))),
                        None => self.passing = end as u64,
                    },
                    Look::Needs(_) => {
                        self.held.extend_from_slice(bytes);
                        return Next::Taken(bytes.len(), None);
                    }
                }
            }
            let all = usize::try_from(self.passing).unwrap_or(usize::MAX);
            return Next::Send(all.min(bytes.len()));
        }
        let mut taken = 0;
        loop {
            let decided = match look(&self.held) {
                Look::Needs(missing) => {
                    let rest = bytes.get(taken..).unwrap_or_default();
                    let more = rest.get(..missing).unwrap_or(rest);
                    if more.is_empty() {
                        return Next::Taken(taken, None);
                    }
                    self.held.extend_from_slice(more);
                    taken += more.len();
                    continue;
                }
                Look::Passes(all) => {
                    self.passing = all.saturating_sub(self.held.len() as u64);
                    None
                }
                Look::Text(head, end) => self.held.get(head..end).and_then(replace),
            };
            let held = std::mem::take(&mut self.held);
            let out = decided.map_or(held, |payload| text(&payload));
            return Next::Taken(taken, Some(out));
        }
    }

    /// So many bytes were sent as they are.
    pub(super) fn sent(&mut self, count: usize) {
        self.passing = self.passing.saturating_sub(count as u64);
    }

    /// What is held back, when nothing more will come.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests;

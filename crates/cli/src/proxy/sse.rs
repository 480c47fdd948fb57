//! Server-sent events on their way through: each passes as it came, unless the message in it is amended.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::{Response, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use tokio::time::{Instant, timeout_at};

use super::wire::{Body, BodyError};

/// An event longer than this passes unread.
const LONGEST: usize = 16 << 20;

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was closed, or its connection broke.
    Gone,
    /// It took longer than so many seconds.
    Late(u64),
}

/// Reads the messages of one exchange.
pub(super) trait Judge: Send {
    /// What takes the place of a message; `None` leaves it as it is.
    fn message(&mut self, message: &[u8]) -> Option<Vec<u8>>;

    /// A last message, for those who still wait. `resumable` says that the stream may go on elsewhere.
    fn ended(&mut self, how: Ended, resumable: bool) -> Option<Vec<u8>>;
}

/// A stream whose messages are read by a judge. `seconds` is how long it may take to answer; 0 is forever.
pub(super) fn judged(
    mut response: Response<Body>,
    judge: impl Judge + 'static,
    seconds: u64,
) -> Response<Body> {
    // What is amended has another length.
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.map(|body| stream_of(body, judge, seconds))
}

fn stream_of(body: Body, judge: impl Judge + 'static, seconds: u64) -> Body {
    let state = State {
        body: Some(body),
        judge,
        events: Events::default(),
        deadline: (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds)),
        seconds,
    };
    let frames = stream::unfold(state, |mut state| async move {
        let frame = state.next().await?;
        Some((frame, state))
    });
    StreamBody::new(frames).boxed_unsync()
}

struct State<J> {
    body: Option<Body>,
    judge: J,
    events: Events,
    deadline: Option<Instant>,
    seconds: u64,
}

impl<J: Judge> State<J> {
    async fn next(&mut self) -> Option<Result<Frame<Bytes>, BodyError>> {
        loop {
            let body = self.body.as_mut()?;
            let frame = match self.deadline {
                None => body.frame().await,
                Some(deadline) => {
                    let Ok(frame) = timeout_at(deadline, body.frame()).await else {
                        if let Some(last) = self.end(Ended::Late(self.seconds)) {
                            return Some(Ok(Frame::data(last)));
                        }
                        // It was answered; what else comes may take its time.
                        self.deadline = None;
                        continue;
                    };
                    frame
                }
            };
            let data = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => data,
                    Err(trailers) => return Some(Ok(trailers)),
                },
                Some(Err(error)) => {
                    let last = self.end(Ended::Gone).map(|last| Ok(Frame::data(last)));
                    self.body = None;
                    return last.or(Some(Err(error)));
                }
                None => {
                    // Half an event is not one: readers drop it, and what we add must not stick to it.
                    let left = self.events.left();
                    let out = self.end(Ended::Gone).unwrap_or(left);
                    self.body = None;
                    return (!out.is_empty()).then(|| Ok(Frame::data(out)));
                }
            };
            let out = self.judge(data);
            if !out.is_empty() {
                return Some(Ok(Frame::data(out)));
            }
        }
    }

    fn judge(&mut self, data: Bytes) -> Bytes {
        let judge = &mut self.judge;
        self.events.push(data, |message| judge.message(message))
    }

    /// The event that ends the stream, where somebody waits for one.
    fn end(&mut self, how: Ended) -> Option<Bytes> {
        let last = self.judge.ended(how, self.events.resumable)?;
        self.body = None;
        Some(event(&last).into())
    }
}

/// The first message that `find` takes; the rest of the stream is not read.
pub(super) async fn first<T>(
    body: &mut Body,
    limit: usize,
    mut find: impl FnMut(&[u8]) -> Option<T>,
) -> Option<T> {
    let (mut events, mut size) = (Events::default(), 0);
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        size += data.len();
        let mut found = None;
        events.push(data, |message| {
            found = found.take().or_else(|| find(message));
            None
        });
        if found.is_some() || size > limit {
            return found;
        }
    }
    None
}

/// Cuts a stream into events.
#[derive(Debug, Default)]
struct Events {
    part: BytesMut,
    /// An event had an id: a reader that was cut off may ask for the rest.
    resumable: bool,
}

impl Events {
    /// Takes bytes and gives those of the events that are complete.
    fn push(&mut self, data: Bytes, mut judge: impl FnMut(&[u8]) -> Option<Vec<u8>>) -> Bytes {
        if self.part.is_empty() && !data.windows(5).any(|part| part == b"data:") && ends(&data) {
            // Comments that keep a connection open.
            return data;
        }
        self.part.extend_from_slice(&data);
        let mut out = BytesMut::new();
        while let Some(end) = boundary(&self.part) {
            let event = self.part.split_to(end);
            self.resumable |= lines(&event).any(|line| line.starts_with(b"id"));
            match message(&event).and_then(|message| judge(&message)) {
                Some(amended) => out.extend_from_slice(&with_message(&event, &amended)),
                None => out.extend_from_slice(&event),
            }
        }
        if self.part.len() > LONGEST {
            out.extend_from_slice(&self.part.split());
        }
        out.freeze()
    }

    /// What came after the last event.
    fn left(&mut self) -> Bytes {
        self.part.split().freeze()
    }
}

fn ends(data: &[u8]) -> bool {
    boundary(data) == Some(data.len())
}

/// Where the first event ends: after its blank line.
fn boundary(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(at) = bytes.get(start..)?.iter().position(|byte| *byte == b'\n') {
        let line = bytes.get(start..start + at)?;
        let blank = line.is_empty() || line == b"\r";
        start += at + 1;
        if blank {
            return Some(start);
        }
    }
    None
}

fn lines(event: &[u8]) -> impl Iterator<Item = &[u8]> {
    event
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// The value of a `data` line.
fn data(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"data:")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// The message of an event: its `data` lines.
fn message(event: &[u8]) -> Option<Vec<u8>> {
    let found: Vec<&[u8]> = lines(event).filter_map(data).collect();
    (!found.is_empty()).then(|| found.join(&b'\n'))
}

/// The event with another message; its other lines stay.
fn with_message(event: &[u8], message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(event.len() + message.len());
    let mut told = false;
    for line in lines(event) {
        if data(line).is_some() {
            if told {
                continue;
            }
            told = true;
            out.extend_from_slice(b"data: ");
            out.extend_from_slice(message);
        } else {
            out.extend_from_slice(line);
        }
        out.push(b'\n');
    }
    // The last line ended the event already.
    out.pop();
    out
}

/// An event with this message.
pub(super) fn event(message: &[u8]) -> Vec<u8> {
    [b"event: message\ndata: ", message, b"\n\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(pieces: &[&[u8]]) -> Vec<u8> {
        let mut events = Events::default();
        let mut out = Vec::new();
        for piece in pieces {
            let judged = events.push(Bytes::copy_from_slice(piece), |message| {
                (message == b"{\"bad\":1}").then(|| b"{\"good\":1}".to_vec())
            });
            out.extend_from_slice(&judged);
        }
        out.extend_from_slice(&events.left());
        out
    }

    #[test]
    fn what_is_not_amended_passes_byte_by_byte_however_it_is_cut() {
        let stream = b": hello\n\nid: 7\r\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nretry: 5\n\ndata:\n\nleft over";
        assert_eq!(run(&[stream]), stream);
        for at in 0..stream.len() {
            assert_eq!(run(&[&stream[..at], &stream[at..]]), stream, "{at}");
        }
    }

    #[test]
    fn an_amended_message_keeps_the_other_lines_of_its_event() {
        let stream = b"id: 1\nevent: message\ndata: {\"bad\":1}\n\ndata: x\n\n";
        let wanted = b"id: 1\nevent: message\ndata: {\"good\":1}\n\ndata: x\n\n";
        assert_eq!(run(&[stream]), wanted);
        for at in 0..stream.len() {
            assert_eq!(run(&[&stream[..at], &stream[at..]]), wanted, "{at}");
        }
    }
}

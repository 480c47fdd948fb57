//! Bodies on their way through: passed frame by frame, or held long enough to be looked at.

use std::collections::VecDeque;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Incoming;

use super::upstream::Lost;

/// How long the rest of a failure may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Why a body broke.
pub(super) type BodyError = Box<dyn Error + Send + Sync>;
/// Any body.
pub(super) type Body = UnsyncBoxBody<Bytes, BodyError>;

/// A body that goes through untouched.
pub(super) fn untouched(body: Incoming) -> Body {
    body.map_err(Into::into).boxed_unsync()
}

/// These bytes.
pub(super) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Nothing.
pub(super) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// A body that was read as far as a limit allows.
pub(super) struct Held {
    frames: VecDeque<Frame<Bytes>>,
    /// What was read.
    pub(super) bytes: Bytes,
    /// What was not read because it is too long.
    rest: Option<Body>,
}

impl Held {
    /// Reads a body until it ends or is longer than the limit.
    pub(super) async fn read(mut body: Body, limit: usize) -> Result<Self, BodyError> {
        let mut frames = VecDeque::new();
        let mut size = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame?;
            size += frame.data_ref().map_or(0, Bytes::len);
            frames.push_back(frame);
            if size > limit {
                return Ok(Self {
                    bytes: joined(&frames),
                    frames,
                    rest: Some(body),
                });
            }
        }
        Ok(Self {
            bytes: joined(&frames),
            frames,
            rest: None,
        })
    }

    /// The same, for an answer: a failure has a few seconds, anything else as long as the operator says; 0 is forever.
    pub(super) async fn answer(
        body: Body,
        status: StatusCode,
        limits: (usize, usize),
        seconds: u64,
    ) -> Result<Self, Lost> {
        let failed = !status.is_success();
        let (limit, patience) = if failed {
            (limits.1, PATIENCE)
        } else {
            (limits.0, Duration::from_secs(seconds))
        };
        let reading = Self::read(body, limit);
        let read = if failed || seconds > 0 {
            tokio::time::timeout(patience, reading).await
        } else {
            Ok(reading.await)
        };
        match read {
            Ok(Ok(held)) => Ok(held),
            Ok(Err(_broken)) => Err(Lost::NotAnswered),
            Err(_elapsed) => Err(Lost::Late(patience.as_secs())),
        }
    }

    /// Whether it was read to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// The body as it came, the same frames in the same order.
    pub(super) fn into_body(self) -> Body {
        Replay {
            frames: self.frames,
            rest: self.rest,
        }
        .boxed_unsync()
    }
}

fn joined(frames: &VecDeque<Frame<Bytes>>) -> Bytes {
    let mut data = frames.iter().filter_map(Frame::data_ref);
    let (Some(first), second) = (data.next(), data.next()) else {
        return Bytes::new();
    };
    let Some(second) = second else {
        return first.clone();
    };
    let mut out = BytesMut::from(&first[..]);
    out.extend_from_slice(second);
    for piece in data {
        out.extend_from_slice(piece);
    }
    out.freeze()
}

struct Replay {
    frames: VecDeque<Frame<Bytes>>,
    rest: Option<Body>,
}

impl http_body::Body for Replay {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        if let Some(frame) = this.frames.pop_front() {
            return Poll::Ready(Some(Ok(frame)));
        }
        match &mut this.rest {
            Some(rest) => Pin::new(rest).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty()
            && self
                .rest
                .as_ref()
                .is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// The media type without its parameters, in lower case.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default().split(';').next();
    value.unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the body is in a form that nobody here can read.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_ENCODING)
        .is_some_and(|value| value != "identity")
}

/// Asks for an answer that can be read here: the messages of a protocol are short, and the server is near.
pub(super) fn readable(headers: &mut HeaderMap) {
    headers.remove(header::ACCEPT_ENCODING);
}

/// Headers of a body that takes the place of another.
pub(super) fn describe(headers: &mut HeaderMap, media: &'static str) {
    for name in [
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
        header::CONTENT_RANGE,
        header::ETAG,
        header::LAST_MODIFIED,
        header::TRAILER,
    ] {
        headers.remove(name);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
}

/// A message of our own.
pub(super) fn message(bytes: Vec<u8>, as_event: bool) -> Response<Body> {
    let (media, bytes) = if as_event {
        ("text/event-stream", super::sse::event(&bytes))
    } else {
        ("application/json", bytes)
    };
    let mut response = Response::new(full(bytes));
    *response.status_mut() = StatusCode::OK;
    describe(response.headers_mut(), media);
    response
}

/// Whether a caller reads only event streams.
pub(super) fn only_events(headers: &HeaderMap) -> bool {
    let mut accepted = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let text = accepted.by_ref().collect::<Vec<_>>().join(",");
    text.contains("text/event-stream") && !text.contains("json") && !text.contains("*/*")
}

//! What the layer keeps of a request, in case its answer is an error.
//!
//! This runs on every request, so it does next to nothing: one pass over the headers, and only where one of them
//! matters a reference to it, in a box that is used again. All parsing waits until there is an error.

use std::cell::RefCell;

use http::header::{ACCEPT, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Uri};

use super::accept::{self, Form};

static NAMES: [HeaderName; 3] = [
    ACCEPT,
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("traceparent"),
];

/// Up to here a pass over the headers is cheaper than looking three of them up.
const FEW: usize = 16;

/// The facts of a request, or nothing for one that is like most.
#[derive(Debug, Default)]
pub(super) struct Kept(Option<Box<Facts>>);

#[derive(Debug, Default)]
struct Facts {
    accept: Vec<u8>,
    request_id: Vec<u8>,
    trace_parent: Vec<u8>,
    path: Vec<u8>,
    head: bool,
}

impl Facts {
    /// Empties it; the buffers stay, unless a request made them large.
    fn clear(&mut self) {
        let Self {
            accept,
            request_id,
            trace_parent,
            path,
            head,
        } = self;
        *head = false;
        for buffer in [accept, request_id, trace_parent, path] {
            buffer.clear();
            if buffer.capacity() > LARGE {
                *buffer = Vec::new();
            }
        }
    }
}

thread_local! {
    /// Boxes of earlier requests, so that a request allocates none.
    #[expect(clippy::vec_box, reason = "the boxes are what is kept")]
    static SPARE: RefCell<Vec<Box<Facts>>> = const { RefCell::new(Vec::new()) };
}

/// How many boxes a thread keeps.
const SPARES: usize = 256;
/// A buffer over this is not kept.
const LARGE: usize = 1024;

impl Drop for Kept {
    #[inline]
    fn drop(&mut self) {
        if let Some(facts) = self.0.take() {
            give_back(facts);
        }
    }
}

#[cold]
fn give_back(mut facts: Box<Facts>) {
    facts.clear();
    // While a thread ends there is nowhere to keep it; then it is just dropped.
    let _: Result<(), _> = SPARE.try_with(|spare| {
        if let Ok(mut spare) = spare.try_borrow_mut()
            && spare.len() < SPARES
        {
            spare.push(facts);
        }
    });
}

#[cold]
#[expect(
    clippy::unnecessary_box_returns,
    reason = "it is the box of an earlier request"
)]
fn take_one() -> Box<Facts> {
    let spare = SPARE.try_with(|spare| spare.try_borrow_mut().ok()?.pop());
    spare.ok().flatten().unwrap_or_default()
}

impl Kept {
    /// What is worth keeping. `uri` is given where the configuration needs it.
    #[inline]
    pub(super) fn of(method: &Method, headers: &HeaderMap, uri: Option<&Uri>) -> Self {
        let mut kept = Self(None);
        if *method == Method::HEAD {
            kept.facts().head = true;
        }
        if let Some(uri) = uri {
            kept.facts().path.extend_from_slice(uri.path().as_bytes());
        }
        if headers.len() <= FEW {
            for (name, value) in headers {
                kept.look(name, value);
            }
        } else {
            for name in &NAMES {
                for value in headers.get_all(name) {
                    kept.look(name, value);
                }
            }
        }
        kept
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it runs for every header of every request; a call would double its cost"
    )]
    fn look(&mut self, name: &HeaderName, value: &HeaderValue) {
        // The length tells most names apart before any text is compared.
        let name = name.as_str();
        match name.len() {
            6 if name == "accept" && !accept::is_plain(value.as_bytes()) => self.keep_accept(value),
            11 if name == "traceparent" => copy(&mut self.facts().trace_parent, value),
            12 if name == "x-request-id" => copy(&mut self.facts().request_id, value),
            _ => {}
        }
    }

    #[cold]
    fn facts(&mut self) -> &mut Facts {
        self.0.get_or_insert_with(take_one)
    }

    /// Several `Accept` lines are one list.
    #[cold]
    fn keep_accept(&mut self, value: &HeaderValue) {
        let accept = &mut self.facts().accept;
        if !accept.is_empty() {
            accept.push(b',');
        }
        accept.extend_from_slice(value.as_bytes());
    }

    pub(super) fn is_head(&self) -> bool {
        self.0.as_ref().is_some_and(|facts| facts.head)
    }

    /// The path, where the configuration needs it.
    pub(super) fn path(&self) -> Option<&str> {
        text(&self.0.as_ref()?.path)
    }

    /// The form of an error.
    pub(super) fn form(&self) -> Form {
        match self.0.as_ref().and_then(|facts| text(&facts.accept)) {
            Some(accept) => accept::negotiate(accept),
            None => Form::Json,
        }
    }

    /// The id the request brought (P3): a well-formed `X-Request-Id`, or the trace id of a valid `traceparent`.
    pub(super) fn request_id(&self) -> Option<&str> {
        let facts = self.0.as_ref()?;
        if let Some(id) = text(&facts.request_id).filter(|id| is_request_id(id)) {
            return Some(id);
        }
        trace_id(text(&facts.trace_parent)?)
    }
}

/// Text that is there.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.is_empty())
}

/// Copies a header: cheaper than a reference to it, which may have to be counted first.
#[cold]
fn copy(buffer: &mut Vec<u8>, value: &HeaderValue) {
    buffer.clear();
    let bytes = value.as_bytes();
    // Longer than any id that is taken.
    buffer.extend_from_slice(bytes.get(..bytes.len().min(256)).unwrap_or(bytes));
}

/// Visible ASCII without quotes and backslashes, at most 128.
fn is_request_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 128
        && id.bytes().all(|b| {
            b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>')
        })
}

/// The trace id of a `traceparent`: `version-traceid-parentid-flags`, lower-case hex, neither id all zero.
fn trace_id(header: &str) -> Option<&str> {
    let mut parts = header.trim().split('-');
    let (version, trace, parent, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let set = |text: &str| text.bytes().any(|b| b != b'0');
    let known = hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    (known && hex(trace, 32) && set(trace) && hex(parent, 16) && set(parent) && hex(flags, 2))
        .then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn id(headers: &[(&'static str, &str)]) -> Option<String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let few = Kept::of(&Method::GET, &map, None);
        for at in 0..40 {
            let name: HeaderName = format!("x-{at}").parse().unwrap();
            map.insert(name, HeaderValue::from_static("x"));
        }
        let many = Kept::of(&Method::GET, &map, None);
        assert_eq!(few.request_id(), many.request_id());
        assert_eq!(few.form(), many.form());
        few.request_id().map(str::to_owned)
    }

    #[test]
    fn a_well_formed_id_wins_over_the_trace() {
        assert_eq!(
            id(&[("x-request-id", "abc-1"), ("traceparent", TRACE)]).as_deref(),
            Some("abc-1")
        );
        for bad in ["a b", "a\"b", "", &"x".repeat(129)] {
            assert_eq!(
                id(&[("x-request-id", bad), ("traceparent", TRACE)]).as_deref(),
                Some("4bf92f3577b34da6a3ce929d0e0e4736"),
                "{bad}"
            );
        }
        assert_eq!(id(&[]), None);
    }

    #[test]
    fn a_malformed_trace_parent_is_no_id() {
        for bad in [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
        ] {
            assert_eq!(id(&[("traceparent", bad)]), None, "{bad}");
        }
        assert!(
            id(&[(
                "traceparent",
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x"
            )])
            .is_some()
        );
    }

    #[test]
    fn several_accept_lines_are_one_list() {
        let mut map = HeaderMap::new();
        map.append(ACCEPT, HeaderValue::from_static("application/json;q=0.1"));
        map.append(ACCEPT, HeaderValue::from_static("text/html"));
        assert_eq!(Kept::of(&Method::GET, &map, None).form(), Form::Html);
    }
}

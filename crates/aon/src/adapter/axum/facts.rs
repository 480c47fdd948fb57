//! What the layer keeps of a request, in case its answer is an error.
//!
//! This runs on every request, so it does next to nothing: one pass over the names of the headers, and only where one of
//! them matters a copy of its value, in a box that is used again. All parsing waits until there is an error.

use std::cell::{Cell, RefCell};

use http::header::{ACCEPT, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Uri};

use super::accept::{self, Form};
use super::exchange::Reading;
use super::respond::Report;

// A name that is known while compiling is compared in two instructions.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Up to here a pass over the names is cheaper than looking three of them up.
const FEW: usize = 16;

/// The facts of a request, or nothing for one that is like most.
#[derive(Debug, Default)]
pub(super) struct Kept(Option<Box<Facts>>);

#[derive(Debug, Default)]
struct Facts {
    accept: Vec<u8>,
    path: Vec<u8>,
    request_id: Short<128>,
    trace_parent: Short<64>,
    head: bool,
    /// What a problem inside the layer has to say to the log.
    report: Option<Box<Report>>,
    after: Option<After>,
    /// Whether there is more than ids and a path.
    more: bool,
}

/// What the layer does once the inner future is over.
#[derive(Debug)]
pub(super) enum After {
    /// It reads the body of an error.
    Reading(Box<Reading>),
    /// There is nothing to do any more.
    Nothing,
}

/// Up to `N` bytes; what is longer is as good as absent, because no id is.
#[derive(Debug)]
struct Short<const N: usize> {
    length: u8,
    bytes: [u8; N],
}

impl<const N: usize> Default for Short<N> {
    fn default() -> Self {
        Self {
            length: 0,
            bytes: [0; N],
        }
    }
}

impl<const N: usize> Short<N> {
    fn set(&mut self, value: &HeaderValue) {
        let value = value.as_bytes();
        self.length = 0;
        if let Some(bytes) = self.bytes.get_mut(..value.len())
            && let Ok(length) = u8::try_from(value.len())
        {
            bytes.copy_from_slice(value);
            self.length = length;
        }
    }

    fn text(&self) -> Option<&str> {
        text(self.bytes.get(..usize::from(self.length))?)
    }
}

impl Facts {
    /// Empties it; the buffers stay, unless a request made them large.
    #[inline]
    fn clear(&mut self) {
        self.request_id.length = 0;
        self.trace_parent.length = 0;
        self.path.clear();
        if self.more || self.path.capacity() > LARGE {
            self.clear_more();
        }
    }

    fn clear_more(&mut self) {
        let Self {
            accept,
            path,
            request_id: _,
            trace_parent: _,
            head,
            report,
            after,
            more,
        } = self;
        *head = false;
        *report = None;
        *after = None;
        *more = false;
        for buffer in [accept, path] {
            buffer.clear();
            if buffer.capacity() > LARGE {
                *buffer = Vec::new();
            }
        }
    }
}

thread_local! {
    /// The box of an earlier request, so that a request allocates none.
    static SPARE: Cell<Option<Box<Facts>>> = const { Cell::new(None) };
    /// More of them, for requests that overlap.
    #[expect(clippy::vec_box, reason = "the boxes are what is kept")]
    static SPARES: RefCell<Vec<Box<Facts>>> = const { RefCell::new(Vec::new()) };
}

/// How many boxes a thread keeps.
const MOST: usize = 256;
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

// While a thread ends there is nowhere to keep a box; then it is just dropped.
#[inline(never)]
fn give_back(mut facts: Box<Facts>) {
    facts.clear();
    let before = SPARE.try_with(|spare| spare.replace(Some(facts)));
    if let Ok(Some(before)) = before {
        keep_more(before);
    }
}

#[cold]
fn keep_more(facts: Box<Facts>) {
    let _: Result<(), _> = SPARES.try_with(|spares| {
        if let Ok(mut spares) = spares.try_borrow_mut()
            && spares.len() < MOST
        {
            spares.push(facts);
        }
    });
}

#[inline]
fn take_one() -> Box<Facts> {
    match SPARE.try_with(Cell::take) {
        Ok(Some(facts)) => facts,
        Ok(None) | Err(_) => take_more(),
    }
}

#[cold]
fn take_more() -> Box<Facts> {
    let spare = SPARES.try_with(|spares| spares.try_borrow_mut().ok()?.pop());
    spare.ok().flatten().unwrap_or_default()
}

impl Kept {
    /// What is worth keeping. `uri` is given where the configuration needs it.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it runs for every request; a call would cost as much as two headers"
    )]
    pub(super) fn of(method: &Method, headers: &HeaderMap, uri: Option<&Uri>) -> Self {
        let mut kept = Self(None);
        if *method == Method::HEAD {
            kept.keep_head();
        }
        if let Some(uri) = uri {
            kept.keep_path(uri);
        }
        if headers.keys_len() > FEW {
            kept.look_up(headers);
            return kept;
        }
        for (name, value) in headers {
            if *name == ACCEPT {
                kept.keep(Name::Accept, value);
            } else if *name == X_REQUEST_ID {
                kept.keep(Name::RequestId, value);
            } else if *name == TRACEPARENT {
                kept.keep(Name::TraceParent, value);
            }
        }
        kept
    }

    #[inline]
    fn keep(&mut self, name: Name, value: &HeaderValue) {
        match name {
            Name::Accept if accept::is_plain(value.as_bytes()) => {}
            Name::Accept => self.keep_accept(value),
            Name::RequestId => self.keep_id(value),
            Name::TraceParent => self.keep_trace(value),
        }
    }

    /// For many headers.
    #[cold]
    fn look_up(&mut self, headers: &HeaderMap) {
        for (header, name) in [
            (ACCEPT, Name::Accept),
            (X_REQUEST_ID, Name::RequestId),
            (TRACEPARENT, Name::TraceParent),
        ] {
            for value in headers.get_all(header) {
                self.keep(name, value);
            }
        }
    }

    /// Whether the inner future must not be polled any more.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|facts| facts.after.is_some())
    }

    pub(super) fn set_after(&mut self, after: After) {
        self.more().after = Some(after);
    }

    pub(super) fn take_after(&mut self) -> Option<After> {
        self.0.as_mut()?.after.take()
    }

    /// Keeps a report; the one that was there is given back.
    pub(super) fn set_report(&mut self, report: Box<Report>) -> Option<Box<Report>> {
        self.more().report.replace(report)
    }

    pub(super) fn take_report(&mut self) -> Option<Box<Report>> {
        self.0.as_mut()?.report.take()
    }

    #[inline]
    fn facts(&mut self) -> &mut Facts {
        self.0.get_or_insert_with(take_one)
    }

    /// For what is kept besides ids and the path.
    fn more(&mut self) -> &mut Facts {
        let facts = self.facts();
        facts.more = true;
        facts
    }

    /// Several `Accept` lines are one list.
    #[cold]
    fn keep_accept(&mut self, value: &HeaderValue) {
        let accept = &mut self.more().accept;
        if !accept.is_empty() {
            accept.push(b',');
        }
        accept.extend_from_slice(value.as_bytes());
    }

    #[cold]
    fn keep_head(&mut self) {
        self.more().head = true;
    }

    #[inline(never)]
    fn keep_path(&mut self, uri: &Uri) {
        let path = uri.path().as_bytes();
        self.facts().path.extend_from_slice(path);
    }

    #[inline(never)]
    fn keep_id(&mut self, value: &HeaderValue) {
        self.facts().request_id.set(value);
    }

    #[inline(never)]
    fn keep_trace(&mut self, value: &HeaderValue) {
        self.facts().trace_parent.set(value);
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
        if let Some(id) = facts.request_id.text().filter(|id| is_request_id(id)) {
            return Some(id);
        }
        trace_id(facts.trace_parent.text()?)
    }
}

/// The headers that may matter.
#[derive(Clone, Copy)]
enum Name {
    Accept,
    RequestId,
    TraceParent,
}

/// Text that is there.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| !text.is_empty())
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

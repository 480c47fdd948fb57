//! What hooks are told: a problem that leaves, and a call of a tool or method that begins and ends. A hook that panics fails nothing.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A problem that leaves, for [`Door::on_problem`](super::Door::on_problem).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Emitted<'a> {
    /// Its code; empty when a foreign problem has none.
    pub code: &'a str,
    /// Its status.
    pub status: u16,
    /// The surface: `rest`, `human` for a page, `mcp`, `a2a`, `stream`, or that of an adapter of yours.
    pub surface: &'static str,
    /// The request id in the answer.
    pub request_id: &'a str,
    /// The trace of the request, where it brought one.
    pub trace_id: Option<&'a str>,
    /// Whether it ended a call that the hook of [`Door::around_calls`](super::Door::around_calls) sees end too.
    pub in_call: bool,
}

/// A call of a tool or method that begins, for [`Door::around_calls`](super::Door::around_calls).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Calling<'a> {
    /// The surface it came in on: `mcp`, `a2a`, or that of an adapter of yours.
    pub surface: &'static str,
    /// The method of the protocol, such as `tools/call`.
    pub method: &'a str,
    /// The tool or skill; empty where there is none.
    pub target: &'a str,
    /// The well-formed `traceparent` that the call brought.
    pub trace_parent: Option<&'a str>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a call is answered, fails, or is dropped"
)]
pub enum CallEnd<'a> {
    /// With a result.
    Answered,
    /// With a problem; this is its code.
    Failed(&'a str),
    /// Nobody waits for it any more.
    Abandoned,
}

/// What a hook wants to do when the call that it saw begin ends.
pub type AtEnd = Box<dyn FnOnce(CallEnd<'_>) + Send>;

pub(super) type Hook = dyn Fn(&Emitted<'_>) + Send + Sync;
pub(super) type CallHook = dyn Fn(&Calling<'_>) -> AtEnd + Send + Sync;

/// Runs a hook; one that panics must not turn the answer into a dropped connection.
pub(super) fn guarded<T>(hook: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(hook)).ok()
}

/// A call that has begun. Dropping it says that it was abandoned.
#[must_use = "dropping it says that the call was abandoned"]
pub struct OpenCall(Option<AtEnd>);

impl OpenCall {
    /// One that nobody watches.
    pub(crate) const fn unwatched() -> Self {
        Self(None)
    }

    pub(super) fn begin(hook: &CallHook, calling: &Calling<'_>) -> Self {
        Self(guarded(|| hook(calling)))
    }

    /// The call ended, with the code of its problem if it failed.
    pub fn end(mut self, code: Option<&str>) {
        self.tell(code.map_or(CallEnd::Answered, CallEnd::Failed));
    }

    fn tell(&mut self, end: CallEnd<'_>) {
        if let Some(at_end) = self.0.take() {
            guarded(|| at_end(end));
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.tell(CallEnd::Abandoned);
    }
}

impl fmt::Debug for OpenCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenCall")
    }
}

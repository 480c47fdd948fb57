//! The hook around calls of tools and methods: what began, and how it ended.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

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

#[derive(Clone)]
pub(super) struct CallHook(Arc<dyn Fn(&Calling<'_>) -> AtEnd + Send + Sync>);

impl CallHook {
    pub(super) fn new(hook: impl Fn(&Calling<'_>) -> AtEnd + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    pub(super) fn begin(&self, calling: &Calling<'_>) -> OpenCall {
        // A hook that panics must not fail the call.
        OpenCall(catch_unwind(AssertUnwindSafe(|| (self.0)(calling))).ok())
    }
}

impl fmt::Debug for CallHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallHook")
    }
}

/// A call that has begun. Dropping it says that it was abandoned.
#[must_use = "dropping it says that the call was abandoned"]
pub struct OpenCall(Option<AtEnd>);

impl OpenCall {
    /// One that nobody watches.
    pub(crate) const fn unwatched() -> Self {
        Self(None)
    }

    /// The call ended, with the code of its problem if it failed.
    pub fn end(mut self, code: Option<&str>) {
        self.tell(code.map_or(CallEnd::Answered, CallEnd::Failed));
    }

    fn tell(&mut self, end: CallEnd<'_>) {
        if let Some(at_end) = self.0.take() {
            let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| at_end(end)));
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

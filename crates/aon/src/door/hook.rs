//! The hook every problem calls on its way out.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

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

#[derive(Clone)]
pub(super) struct Hook(Arc<dyn Fn(&Emitted<'_>) + Send + Sync>);

impl Hook {
    pub(super) fn new(hook: impl Fn(&Emitted<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    pub(super) fn call(&self, emitted: &Emitted<'_>) {
        // A hook that panics must not turn the answer into a dropped connection.
        let _: Result<(), _> = catch_unwind(AssertUnwindSafe(|| (self.0)(emitted)));
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

//! The one event a failure writes: target `aon::problem`, a 5xx as an error, a 4xx as debug.

use std::borrow::Cow;

use aon_core::{Code, Problem, redact};

use super::occurrence::Private;
use super::{Emitted, Occurrence, Scope};

/// Whether anybody listens.
pub(super) fn is_wanted(status: u16) -> bool {
    if status >= 500 {
        tracing::enabled!(target: "aon::problem", tracing::Level::ERROR)
    } else {
        tracing::enabled!(target: "aon::problem", tracing::Level::DEBUG)
    }
}

/// The event of a problem that leaves.
pub(super) fn problem(emitted: &Emitted<'_>, failure: &dyn Loggable, scope: &Scope) {
    if is_wanted(emitted.status) {
        write(emitted, &failure.private(), scope, "");
    }
}

/// The event of a failure that something else took the place of.
pub(super) fn unsent(failure: &Occurrence, scope: &Scope) {
    let (status, problem) = (failure.status(), failure.problem());
    if is_wanted(status) {
        let emitted = Emitted {
            code: problem.code().map_or("", Code::as_str),
            status,
            surface: scope.surface(),
            request_id: problem.request_id().unwrap_or(scope.request_id()),
            trace_id: scope.trace_id(),
        };
        let note = " (not sent: another answer took its place)";
        write(&emitted, &Loggable::private(failure), scope, note);
    }
}

/// What the log can be told about.
pub(super) trait Loggable {
    fn private(&self) -> Cow<'_, Private>;
}

impl Loggable for Occurrence {
    fn private(&self) -> Cow<'_, Private> {
        match self.private() {
            Some(private) => Cow::Borrowed(private),
            None => Cow::Owned(Private::of(self.problem())),
        }
    }
}

/// An error that leaves at once.
impl<'e> Loggable for &'e (dyn Problem + 'e) {
    fn private(&self) -> Cow<'_, Private> {
        Cow::Owned(Private::of(*self))
    }
}

fn write(emitted: &Emitted<'_>, private: &Private, scope: &Scope, note: &str) {
    // Secrets stay out of the log too (L9).
    let message = redact::text(&private.message);
    let (cause, value) = (redact::text(&private.cause), redact::text(&private.value));
    let path = redact::text(scope.path());
    let Emitted {
        code,
        status,
        surface,
        request_id,
        trace_id,
    } = *emitted;
    let (method, trace_id) = (scope.method(), trace_id.unwrap_or_default());
    macro_rules! event {
        ($level:ident) => {
            tracing::$level!(
                target: "aon::problem",
                code, status, surface, request_id, trace_id, method, path = &*path, cause = &*cause, value = &*value,
                "{message}{note}"
            )
        };
    }
    if status >= 500 {
        event!(error);
    } else {
        event!(debug);
    }
}

/// What an edge found instead of a problem, for [`Occurrence::with_cause`]: the words the caller does not get to see.
#[cfg(any(feature = "axum", feature = "rmcp"))]
pub(crate) fn replaced(foreign: &[u8]) -> String {
    const MOST: usize = 2048;
    let text = String::from_utf8_lossy(foreign.get(..MOST).unwrap_or(foreign));
    text.trim().to_owned()
}

//! The one event a failure writes: target `aon::problem`, a 5xx as an error, a 4xx as debug.

use aon_core::{Problem, redact};

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

/// The event of a problem that leaves. Without words of its own the log gets those of the problem.
pub(super) fn problem(
    emitted: &Emitted<'_>,
    private: Option<&Private>,
    problem: &dyn Problem,
    scope: &Scope,
    note: &str,
) {
    if !is_wanted(emitted.status) {
        return;
    }
    match private {
        Some(private) => write(emitted, private, scope, note),
        None => write(emitted, &Private::of(problem), scope, note),
    }
}

/// The event of a failure that something else took the place of.
pub(super) fn unsent(failure: &Occurrence, scope: &Scope) {
    let made = failure.problem();
    let emitted = Emitted {
        code: failure.code(),
        status: failure.status(),
        surface: scope.surface(),
        request_id: made.request_id().unwrap_or(scope.request_id()),
        trace_id: scope.trace_id(),
        in_call: scope.in_call(),
    };
    let note = " (not sent: another answer took its place)";
    problem(&emitted, failure.private(), made, scope, note);
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
        in_call: _,
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

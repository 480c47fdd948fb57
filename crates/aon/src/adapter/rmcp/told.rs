//! What a server around a [`ProblemServer`](super::ProblemServer) asks of it, and learns from it.

use std::sync::{Arc, OnceLock};

use aon_core::ProblemDetails;

/// Put into the extensions of a request by a server around [`ProblemServer`](super::ProblemServer): it says how the answer
/// leaves, and learns the problem a call ended with, as its caller sees it.
///
/// ```
/// use aon::rmcp::Told;
///
/// let told = Told::in_full();
/// // context.extensions.insert(told.clone()); the call of the tool …
/// assert!(told.problem().is_none(), "the tool did not fail");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    in_full: bool,
    problem: OnceLock<ProblemDetails>,
}

impl Told {
    /// The answer leaves as every answer does.
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer does not leave as the body of its own request: it follows events in a stream, or is kept. So it is written
    /// out, and not left to the transport.
    pub fn in_full() -> Self {
        Self(Arc::new(Inner {
            in_full: true,
            problem: OnceLock::new(),
        }))
    }

    /// The problem the call ended with.
    pub fn problem(&self) -> Option<&ProblemDetails> {
        self.0.problem.get()
    }

    pub(super) fn is_in_full(&self) -> bool {
        self.0.in_full
    }

    pub(super) fn tell(&self, problem: impl FnOnce() -> ProblemDetails) {
        self.0.problem.get_or_init(problem);
    }
}

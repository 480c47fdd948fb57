//! One failure, as a value.

use std::fmt::{self, Write as _};

use aon_core::{Code, Json, Problem, ProblemDetails, Status};

use super::log;
use crate::builtin;

/// Any error of a program as the failure of a handler, a tool or a method: what `?` makes of it in a function that returns
/// `Result<T, Failure>`.
///
/// Types that derive `Problem` are failures by themselves; this is for functions that meet several of them, or a
/// [`ProblemDetails`] that came from elsewhere.
///
/// # Examples
///
/// ```
/// use aon::{Code, Failure, ProblemDetails, Status};
///
/// async fn handler() -> Result<String, Failure> {
///     let number: u32 = "7".parse().map_err(|_| ProblemDetails::new(Status::from_static(400), Code::from_static("bad")))?;
///     Ok(format!("{number}"))
/// }
/// # let _ = handler;
/// ```
pub type Failure = Occurrence;

/// One failure of one call: the problem, what only the log may see of it, and the arguments of the call.
///
/// It becomes what a caller sees when it [passes](super::Scope::pass) the door.
#[derive(Clone)]
pub struct Occurrence(
    // One pointer wide, so that a `Result` with it stays small.
    Box<Inner>,
);

#[derive(Clone)]
struct Inner {
    made: Made,
    private: Option<Private>,
    arguments: Option<Json>,
}

/// The problem as it was made, and where.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) problem: ProblemDetails,
    /// The name of its namespace in URNs, where an entry tells it.
    pub(super) urn: Option<&'static str>,
    pub(super) built_in: bool,
}

/// What only the log may see; redacted when it is logged.
#[derive(Clone, Debug)]
pub(super) struct Private {
    pub(super) message: String,
    pub(super) cause: String,
    pub(super) value: String,
}

impl Occurrence {
    /// A problem that is a value already, such as one from another service.
    pub fn new(problem: ProblemDetails) -> Self {
        Self(Box::new(Inner {
            made: Made {
                problem,
                urn: None,
                built_in: false,
            },
            private: None,
            arguments: None,
        }))
    }

    /// A problem that a framework or an adapter made: its type moves to the namespace of the program.
    pub fn built_in(problem: ProblemDetails) -> Self {
        let mut this = Self::new(problem);
        this.0.made.built_in = true;
        this
    }

    /// A failure of the program: what a derived conversion calls. Causes are written down if the log wants them.
    pub fn of(error: &dyn Problem) -> Self {
        let problem = error.to_problem();
        let status = problem.status().map_or(500, Status::as_u16);
        let mut this = Self::new(problem);
        this.0.made.urn = error.entry().map(|entry| entry.urn);
        this.0.private = log::is_wanted(status).then(|| Private::of(error));
        this
    }

    /// An error that must not be shown: the caller is told `internal` with status 500, and the log gets the error with its causes.
    /// `anyhow::Error`, `eyre::Report`, any `std::error::Error` and plain text will do.
    ///
    /// ```
    /// use aon::Failure;
    ///
    /// fn stock() -> Result<String, Failure> {
    ///     std::fs::read_to_string("/nowhere/stock").map_err(Failure::internal)
    /// }
    /// assert_eq!(stock().unwrap_err().problem().code().unwrap().as_str(), "internal");
    /// ```
    pub fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error = error.into();
        let mut this = Self::built_in(builtin::problem(&builtin::INTERNAL));
        this.0.private = log::is_wanted(500).then(|| Private {
            message: error.to_string(),
            cause: causes(error.source()),
            value: String::new(),
        });
        this
    }

    /// A request whose body could not be read to its end, as the error of its reader says: it is larger than the limit, stopped
    /// coming, or was cut off. For handlers and adapters that read bodies themselves.
    ///
    /// ```
    /// use aon::Failure;
    /// use http_body_util::{BodyExt as _, Full, Limited};
    ///
    /// async fn read(body: Full<bytes::Bytes>) -> Result<bytes::Bytes, Failure> {
    ///     let read = Limited::new(body, 4096).collect().await;
    ///     Ok(read.map_err(|error| Failure::unread(&*error, 4096))?.to_bytes())
    /// }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let failure = read(Full::from(vec![0; 5000])).await.unwrap_err();
    /// assert_eq!(failure.status(), 413);
    /// # });
    /// ```
    #[cfg(feature = "http")]
    pub fn unread(error: &(dyn std::error::Error + 'static), limit: usize) -> Self {
        builtin::unread(&error.to_string(), || Some(limit))
    }

    /// Something broke inside, as an adapter found it: the words are for the log.
    pub(crate) fn broken(what: &'static str, words: impl Into<String>) -> Self {
        Self::built_in(builtin::problem(&builtin::INTERNAL)).with_cause(what, words)
    }

    /// Sets what the log gets beside the problem, such as the words of a panic. It never reaches a caller.
    #[must_use]
    pub fn with_cause(mut self, message: impl Into<String>, cause: impl Into<String>) -> Self {
        self.0.private = Some(Private {
            message: message.into(),
            cause: cause.into(),
            value: String::new(),
        });
        self
    }

    /// Sets the arguments of the failed call, for a correction ([P11]).
    ///
    /// [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11
    #[must_use]
    pub fn with_arguments(mut self, arguments: Option<Json>) -> Self {
        self.0.arguments = arguments;
        self
    }

    /// The same failure with its problem changed.
    #[must_use]
    pub fn map(self, change: impl FnOnce(ProblemDetails) -> ProblemDetails) -> Self {
        let mut inner = *self.0;
        inner.made.problem = change(inner.made.problem);
        Self(Box::new(inner))
    }

    /// The problem as it was made: without ids, and not redacted. It is not for callers.
    pub fn problem(&self) -> &ProblemDetails {
        &self.0.made.problem
    }

    /// The code of its problem; empty where a foreign one has none.
    pub fn code(&self) -> &str {
        self.0.made.problem.code().map_or("", Code::as_str)
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.0.made.problem.status().map_or(500, Status::as_u16)
    }

    /// The arguments of the failed call.
    pub fn arguments(&self) -> Option<&Json> {
        self.0.arguments.as_ref()
    }

    pub(super) fn private(&self) -> Option<&Private> {
        self.0.private.as_ref()
    }

    pub(super) fn into_parts(self) -> (Made, Option<Private>, Option<Json>) {
        let Inner {
            made,
            private,
            arguments,
        } = *self.0;
        (made, private, arguments)
    }
}

/// What `?` does in a handler that returns `Result<T, Failure>`.
impl<P: Problem> From<P> for Occurrence {
    fn from(error: P) -> Self {
        Self::of(&error)
    }
}

impl Private {
    pub(super) fn of(problem: &dyn Problem) -> Self {
        let cause = causes(problem.source());
        if problem.entry().is_some() {
            return Self {
                message: problem.to_string(),
                cause,
                value: format!("{problem:?}"),
            };
        }
        // A problem that was received has no other words than its public ones.
        let problem = problem.to_problem();
        let words = problem.detail().or(problem.title()).unwrap_or_default();
        Self {
            message: words.to_owned(),
            cause,
            value: String::new(),
        }
    }
}

/// An error and what caused it, in one line.
fn causes(mut source: Option<&(dyn std::error::Error + 'static)>) -> String {
    let mut cause = String::new();
    while let Some(error) = source {
        if !cause.is_empty() {
            cause.push_str(": ");
        }
        // Writing into a String fails only when the Display does; what it wrote is kept.
        let _: fmt::Result = write!(cause, "{error}");
        source = error.source();
    }
    cause
}

/// The problem; what is private stays so.
impl fmt::Debug for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Occurrence")
            .field("problem", &self.0.made.problem)
            .field("built_in", &self.0.made.built_in)
            .finish_non_exhaustive()
    }
}

//! One failure, as a value.

use std::fmt::{self, Write as _};

use aon_core::{Json, Problem, ProblemDetails};

use super::log;

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
pub type Failure = Occurrence<'static>;

/// One failure of one call: the problem, what only the log may see of it, and the arguments of the call.
///
/// It becomes what a caller is told when it [passes](super::Scope::pass) the door.
pub struct Occurrence<'a> {
    problem: Subject<'a>,
    built_in: bool,
    private: Option<Private>,
    arguments: Option<Json>,
}

enum Subject<'a> {
    /// An error of the program, whose constant members need not be copied when it leaves at once.
    Borrowed(&'a dyn Problem),
    /// A value, with the name of its namespace in URNs where an entry tells it.
    Owned(ProblemDetails, Option<&'static str>),
}

/// What only the log may see; redacted when it is logged.
#[derive(Debug, Default)]
pub(super) struct Private {
    pub(super) message: String,
    pub(super) cause: String,
    pub(super) value: String,
}

impl<'a> Occurrence<'a> {
    /// A failure of the program: what a derived conversion calls.
    pub fn of(problem: &'a dyn Problem) -> Self {
        Self {
            problem: Subject::Borrowed(problem),
            built_in: false,
            private: None,
            arguments: None,
        }
    }

    /// Sets what the log is told beside the problem, such as the words of a panic. It never reaches a caller.
    #[must_use]
    pub fn with_cause(mut self, message: impl Into<String>, cause: impl Into<String>) -> Self {
        self.private = Some(Private {
            message: message.into(),
            cause: cause.into(),
            value: String::new(),
        });
        self
    }

    /// Sets the arguments of the failed call, for a correction (P11).
    #[must_use]
    pub fn with_arguments(mut self, arguments: Option<Json>) -> Self {
        self.arguments = arguments;
        self
    }

    /// The problem as it was made: without ids, and not redacted. It is not for callers.
    pub fn to_problem(&self) -> ProblemDetails {
        match &self.problem {
            Subject::Borrowed(problem) => problem.to_problem(),
            Subject::Owned(problem, _) => problem.clone(),
        }
    }

    /// The status.
    pub fn status(&self) -> u16 {
        let own = |problem: &ProblemDetails| problem.status().map_or(500, aon_core::Status::as_u16);
        match &self.problem {
            Subject::Borrowed(problem) => match problem.entry() {
                Some(entry) => entry.status,
                None => own(&problem.to_problem()),
            },
            Subject::Owned(problem, _) => own(problem),
        }
    }

    /// Whether a framework or an adapter made it, and its type moves to the namespace of the program.
    pub fn is_built_in(&self) -> bool {
        self.built_in
    }

    /// The arguments of the failed call.
    pub fn arguments(&self) -> Option<&Json> {
        self.arguments.as_ref()
    }

    /// The same without what it borrows; causes are written down if the log wants them.
    pub fn into_owned(self) -> Occurrence<'static> {
        let Self {
            problem,
            built_in,
            private,
            arguments,
        } = self;
        let (problem, private) = match problem {
            Subject::Borrowed(problem) => {
                let urn = problem.entry().map(|entry| entry.urn);
                let details = problem.to_problem();
                let status = details.status().map_or(500, aon_core::Status::as_u16);
                let private =
                    private.or_else(|| log::is_wanted(status).then(|| Private::of(problem)));
                (Subject::Owned(details, urn), private)
            }
            Subject::Owned(problem, urn) => (Subject::Owned(problem, urn), private),
        };
        Occurrence {
            problem,
            built_in,
            private,
            arguments,
        }
    }

    pub(super) fn private(&self) -> Option<&Private> {
        self.private.as_ref()
    }

    pub(super) fn borrowed(&self) -> Option<&'a dyn Problem> {
        match self.problem {
            Subject::Borrowed(problem) => Some(problem),
            Subject::Owned(..) => None,
        }
    }

    pub(super) fn urn(&self) -> Option<&'static str> {
        match &self.problem {
            Subject::Borrowed(problem) => problem.entry().map(|entry| entry.urn),
            Subject::Owned(_, urn) => *urn,
        }
    }
}

impl Occurrence<'static> {
    /// A problem that is a value already, such as one from another service.
    pub fn new(problem: ProblemDetails) -> Self {
        Self {
            problem: Subject::Owned(problem, None),
            built_in: false,
            private: None,
            arguments: None,
        }
    }

    /// A problem that a framework or an adapter made: its type moves to the namespace of the program.
    pub fn built_in(problem: ProblemDetails) -> Self {
        Self {
            built_in: true,
            ..Self::new(problem)
        }
    }
}

/// What `?` does in a handler that returns `Result<T, Failure>`.
impl<P: Problem> From<P> for Occurrence<'static> {
    fn from(error: P) -> Self {
        Occurrence::of(&error).into_owned()
    }
}

impl Private {
    pub(super) fn of(problem: &dyn Problem) -> Self {
        let mut cause = String::new();
        let mut source = problem.source();
        while let Some(error) = source {
            if !cause.is_empty() {
                cause.push_str(": ");
            }
            // Writing into a String fails only when the Display does; what it wrote is kept.
            let _: fmt::Result = write!(cause, "{error}");
            source = error.source();
        }
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

/// The problem; what is private stays so.
impl fmt::Debug for Occurrence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = self.to_problem();
        f.debug_struct("Occurrence")
            .field("problem", &problem)
            .field("built_in", &self.built_in)
            .finish_non_exhaustive()
    }
}

//! How a stream ended: three outcomes that cannot be taken for one another.

use std::fmt;

use aon::ProblemDetails;

use super::event::Received;

/// How a stream ended.
///
/// A result says that it worked, an error that it failed. A stream that ended in any other way was cut: whether the work was
/// done is not known.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever matches must decide about all three, and there will not be a fourth"
)]
pub enum Outcome {
    /// It worked.
    Result(Success),
    /// It failed, and this is the problem.
    Error(Failure),
    /// The end was not seen.
    Cut(Cut),
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    data: Box<str>,
    event: Option<Received>,
}

impl Success {
    /// The JSON of the result, byte for byte as the handler wrote it.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The terminal event; none if the server answered without a stream.
    pub fn event(&self) -> Option<&Received> {
        self.event.as_ref()
    }
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    problem: Box<ProblemDetails>,
    event: Option<Received>,
}

impl Failure {
    /// The problem, whole.
    pub fn problem(&self) -> &ProblemDetails {
        &self.problem
    }

    /// The terminal event; none if the server answered without a stream.
    pub fn event(&self) -> Option<&Received> {
        self.event.as_ref()
    }
}

/// Why the end was not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// No connection could be made, so nothing was sent and nothing was done.
    Unreachable(String),
    /// The stream was cut before it said where it goes on. The call is not repeated: it may have had effects.
    NoWayBack(String),
    /// The server answered 204: the session is over, and there is nothing after what was seen.
    Over,
    /// The server no longer knows the session, or hides it from this reader.
    Gone,
    /// The server refuses this reader.
    Refused(u16),
    /// So many attempts in a row brought nothing.
    GaveUp(u32),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "no connection: {why}"),
            Self::NoWayBack(why) => write!(
                f,
                "the stream was cut before it said where it continues: {why}"
            ),
            Self::Over => f.write_str("the session is over and its end is no longer available"),
            Self::Gone => f.write_str("the server no longer knows the session"),
            Self::Refused(status) => {
                write!(f, "the server refuses to continue: it answered {status}")
            }
            Self::GaveUp(attempts) => write!(f, "{attempts} attempts in a row to reconnect failed"),
        }
    }
}

impl Outcome {
    /// The outcome that a terminal event is.
    pub(super) fn of(event: Received) -> Self {
        if event.kind() == "error" {
            let problem = event.problem().unwrap_or_else(unknown);
            return Self::Error(Failure {
                problem: Box::new(problem),
                event: Some(event),
            });
        }
        // A falsy result is a result: 0, false, "" and null arrive as they are.
        let data = event.raw("data").unwrap_or("null").into();
        Self::Result(Success {
            data,
            event: Some(event),
        })
    }

    /// The outcome of an answer without a stream.
    pub(super) fn answered(status: u16, body: String) -> Self {
        if (200..400).contains(&status) {
            let event = None;
            let data = if body.is_empty() {
                "null".into()
            } else {
                body.into()
            };
            return Self::Result(Success { data, event });
        }
        let read = ProblemDetails::from_slice(body.as_bytes()).ok();
        let problem = read
            .filter(|problem| problem.status().is_some() || problem.code().is_some())
            .or_else(|| {
                ProblemDetails::from_slice(format!("{{\"status\":{status}}}").as_bytes()).ok()
            });
        Self::Error(Failure {
            problem: Box::new(problem.unwrap_or_else(unknown)),
            event: None,
        })
    }
}

fn unknown() -> ProblemDetails {
    ProblemDetails::new(
        aon::Status::from_static(500),
        aon::Code::from_static("internal"),
    )
}

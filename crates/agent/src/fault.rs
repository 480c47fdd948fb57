//! What goes wrong on the wires of the agents, and the shapes in which they say it ([W5]).
//!
//! [W5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w5

use aon::Problem;
use aon::door::{Door, Facts, Occurrence, Scope};
use aon_core::ProblemDetails;
use aon_core::json::ObjectWriter;

/// The problems of worker, provider and daemon.
#[derive(Debug, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum Fault {
    /// A line is not a JSON object.
    #[error("The line is not a JSON object: {reason}. Send one object per line.")]
    #[problem(status = 400, code = "invalid_json", title = "Not valid JSON")]
    MalformedRequest {
        /// What is wrong with it.
        #[problem(public)]
        reason: String,
    },
    /// A line is not text.
    #[error("The line is not valid UTF-8.")]
    #[problem(status = 400, title = "Not UTF-8")]
    InvalidUtf8,
    /// A line is longer than the limit.
    #[error("A line may have at most {limit} bytes.")]
    #[problem(status = 413, code = "too_large", title = "Too large")]
    LineTooLong {
        /// The limit.
        #[problem(extension)]
        limit: usize,
    },
    /// A request names an operation that does not exist.
    #[error("{0}")]
    #[problem(transparent)]
    UnknownOperation(Unknown),
    /// A request lacks a member.
    #[error("{operation} needs the member `{field}` ({expected}).")]
    #[problem(status = 422, title = "Missing member", code = "missing_field")]
    MissingField {
        /// The operation.
        #[problem(public)]
        operation: &'static str,
        /// The member.
        #[problem(extension)]
        field: &'static str,
        /// What it has to be.
        #[problem(public)]
        expected: &'static str,
    },
    /// A member of a request has the wrong type.
    #[error("The member `{field}` of {operation} must be {expected}.")]
    #[problem(status = 422, title = "Wrong member", code = "invalid_value")]
    InvalidField {
        /// The operation.
        #[problem(public)]
        operation: &'static str,
        /// The member.
        #[problem(extension)]
        field: &'static str,
        /// What it has to be.
        #[problem(public)]
        expected: &'static str,
    },
    /// There is no such session.
    #[error("This session does not exist, was closed or has expired. Create another one.")]
    #[problem(status = 404, title = "No such session")]
    SessionNotFound,
    /// The session generates already.
    #[error("This session is generating already. Wait for its end, or abort it.")]
    #[problem(status = 409, title = "Session busy", retry_after = 1)]
    SessionBusy,
    /// A request came on a connection that streams.
    #[error(
        "This connection is streaming. While it does, it only accepts abort and close_session of its own session; use another connection."
    )]
    #[problem(status = 409, title = "Connection busy")]
    ConnectionBusy,
    /// There are as many sessions as there may be.
    #[error("Too many sessions are open. Close one, or wait until one expires.")]
    #[problem(status = 503, title = "Too many sessions", retry_after = 1)]
    TooManySessions,
    /// There are as many connections as there may be.
    #[error("Too many connections are open.")]
    #[problem(status = 503, title = "Too many connections", retry_after = 1)]
    TooManyConnections,
    /// The process at the other end runs as somebody else.
    #[error("Only processes of the user that runs this worker may connect.")]
    #[problem(
        status = 403,
        title = "Not your worker",
        remediation(switch_user, message = "Connect as the user that runs the worker.")
    )]
    PeerNotAllowed,
    /// An operation took too long.
    #[error("{operation} did not finish within {seconds} seconds.")]
    #[problem(status = 504, title = "Timed out", code = "timed_out", retry_after = 1)]
    TimedOut {
        /// The operation.
        #[problem(extension)]
        operation: &'static str,
        /// How long it had.
        #[problem(extension)]
        seconds: u64,
    },
    /// The generator failed.
    #[error("The generator failed. The log of the worker has the details under the request id.")]
    #[problem(
        status = 502,
        title = "Generator failed",
        remediation(none, reason = no_public_equivalent_exists, message = "Report the request id to the operator of the worker.")
    )]
    BackendFailed {
        /// Why, for the log.
        cause: String,
    },
    /// The answer is too long for one line.
    #[error("The answer has more than {limit} bytes. Ask for it with \"stream\": true.")]
    #[problem(status = 500, title = "Answer too long", code = "answer_too_long")]
    AnswerTooLong {
        /// The limit.
        #[problem(extension)]
        limit: usize,
    },
    /// The program is going down.
    #[error("The worker is shutting down.")]
    #[problem(status = 503, title = "Shutting down", retry_after = 1)]
    ShuttingDown,
    /// Nobody listens at the socket.
    #[error("No worker answers at {path}: {reason}")]
    #[problem(status = 503, title = "No worker", retry_after = 5)]
    WorkerUnavailable {
        /// The socket.
        #[problem(public)]
        path: String,
        /// Why.
        #[problem(public)]
        reason: String,
    },
    /// The worker refused a request, in words.
    #[error("The worker refused: {words}")]
    #[problem(status = 502, title = "Worker refused")]
    WorkerRefused {
        /// What it said.
        #[problem(public)]
        words: String,
    },
    /// The worker refused a request, with a problem.
    #[error("{}", words(.0))]
    #[problem(transparent)]
    Foreign(ProblemDetails),
    /// The worker does not keep to the wire.
    #[error("The worker's answer is not valid: {reason}")]
    #[problem(
        status = 502,
        title = "Invalid worker answer",
        remediation(none, reason = no_public_equivalent_exists, message = "Run `aon check --worker` against it.")
    )]
    InvalidWorkerAnswer {
        /// What is wrong with it.
        #[problem(public)]
        reason: String,
    },
    /// The stream ended without its end.
    #[error("The stream was cut: the worker closed the connection without `stop` or `error`.")]
    #[problem(status = 502, title = "Stream cut", code = "worker_stream_cut")]
    StreamCut,
    /// A second action with effects in one iteration.
    #[error(
        "An iteration may do one action with effects, and {action} would be the second. Nothing was done; ask for it in the next iteration."
    )]
    #[problem(
        status = 409,
        title = "One effect per iteration",
        code = "effect_limit"
    )]
    EffectLimit {
        /// The action that was not done.
        #[problem(extension)]
        action: &'static str,
    },
    /// Somebody aborted the request.
    #[error("The request was aborted. Check what it did before you start it again.")]
    #[problem(status = 499, title = "Aborted", code = "aborted")]
    Aborted,
    /// A question that nobody has answered yet.
    #[error("A person has to answer this question.")]
    #[problem(status = 422, title = "Answer needed", pointer = "/answer")]
    AnswerNeeded,
    /// An answer that was not offered.
    #[error("The answer must be one of the options.")]
    #[problem(status = 422, title = "Not an option", pointer = "/answer")]
    NotAnOption {
        /// What was offered.
        #[problem(valid_values = "answer")]
        options: Vec<String>,
    },
    /// Another worker listens at the socket.
    #[error("Another worker listens at {path}. Stop it, or choose another socket.")]
    #[problem(status = 409, title = "Socket in use")]
    SocketInUse {
        /// The socket.
        #[problem(public)]
        path: String,
    },
    /// The socket cannot be made.
    #[error("The socket {path} cannot be created: {reason}")]
    #[problem(
        status = 500,
        title = "No socket",
        remediation(none, reason = auth_required_for_safety, message = "Choose a path in a directory that only you can write to.")
    )]
    SocketRefused {
        /// The socket.
        #[problem(public)]
        path: String,
        /// Why not.
        #[problem(public)]
        reason: String,
    },
}

/// An operation, method or route that does not exist: the same problem as on every other surface, with the nearest name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: &'static [&'static str],
}

impl Unknown {
    /// There is no `kind` with this name, but there are those that are known.
    pub(crate) fn new(kind: &'static str, name: &str, known: &'static [&'static str]) -> Self {
        Self {
            kind,
            name: name.chars().take(128).collect(),
            known,
        }
    }
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.to_problem().detail().unwrap_or_default())
    }
}

impl std::error::Error for Unknown {}

impl Problem for Unknown {
    fn entry(&self) -> Option<&'static aon_core::Entry> {
        None
    }

    fn to_problem(&self) -> ProblemDetails {
        aon::jsonrpc::unknown_operation(self.kind, &self.name, self.known.iter().copied())
    }
}

/// A failure that has passed the door: the words, and the problem beside them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Told {
    /// One sentence.
    pub words: String,
    /// The problem, without secrets.
    pub problem: ProblemDetails,
}

impl Told {
    /// Lets a failure out on a wire.
    pub fn of(failure: &Occurrence, door: &Door, surface: &'static str) -> Self {
        let scope = Scope::open(door, Facts::new(surface));
        let problem = scope.pass(failure.clone(), surface).into_problem();
        let words = words(&problem);
        Self { words, problem }
    }

    /// `{"ok": false, "error": "…", "problem": {…}}`, open for more members and without a line end.
    pub(crate) fn answer<'a>(&self, out: &'a mut Vec<u8>) -> ObjectWriter<'a> {
        let mut object = ObjectWriter::begin(out);
        object.boolean("ok", false);
        object.string("error", &self.words);
        object.value("problem", &self.problem);
        object
    }

    /// `{"type": "error", "message": "…", "problem": {…}}`, open for more members and without a line end.
    pub(crate) fn event<'a>(&self, out: &'a mut Vec<u8>) -> ObjectWriter<'a> {
        let mut object = ObjectWriter::begin(out);
        object.string("type", "error");
        object.string("message", &self.words);
        object.value("problem", &self.problem);
        object
    }
}

/// The sentence of a problem.
pub(crate) fn words(problem: &ProblemDetails) -> String {
    let words = problem.detail().or_else(|| problem.title());
    words.unwrap_or("The operation failed.").to_owned()
}

impl Fault {
    /// The failure, with what only the log may see.
    pub fn into_failure(self) -> Occurrence {
        let failure = Occurrence::of(&self);
        let failure = match self.field() {
            Some(field) => failure.map(|problem| problem.with_pointer(&format!("/{field}"), None)),
            None => failure,
        };
        match self {
            Self::UnknownOperation(_) => failure.map(|problem| problem.with_pointer("/type", None)),
            Self::BackendFailed { cause } => failure.with_cause("the generator failed", cause),
            _ => failure,
        }
    }

    const fn field(&self) -> Option<&'static str> {
        match self {
            Self::MissingField { field, .. } | Self::InvalidField { field, .. } => Some(field),
            _ => None,
        }
    }
}

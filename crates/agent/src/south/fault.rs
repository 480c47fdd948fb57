//! What southbound says when something is refused or fails, as problems like any other ([W5]).
//!
//! [W5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w5

use aon::Problem;

use crate::fault::Unknown;

/// The problems of southbound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Problem)]
#[non_exhaustive]
pub enum SouthFault {
    /// A request over HTTP without the five headers.
    #[error(
        "This request is not signed. Send X-Agent-Id, X-Key-Id, X-Timestamp, X-Nonce and X-Signature."
    )]
    #[problem(status = 401, title = "Signature missing", challenge = "AON-HMAC")]
    SignatureMissing,
    /// The signature is not that of a key of this agent. Unknown agents and keys look the same, so that nobody can probe for them.
    #[error(
        "The signature is not valid for this request. Check the agent, the key, and the string that was signed."
    )]
    #[problem(status = 401, title = "Signature invalid", challenge = "AON-HMAC")]
    SignatureInvalid,
    /// The time is too far away.
    #[error(
        "X-Timestamp is more than {window} seconds away from this machine's clock. Set the clock and sign again."
    )]
    #[problem(
        status = 401,
        code = "timestamp_outside_window",
        title = "Timestamp outside the window",
        challenge = "AON-HMAC"
    )]
    OutsideWindow {
        /// How far it may be away.
        #[problem(extension = "window_seconds")]
        window: u64,
    },
    /// The nonce was used before.
    #[error("This nonce was used before. Sign every request with a new one.")]
    #[problem(status = 401, title = "Nonce replayed", challenge = "AON-HMAC")]
    NonceReplayed,
    /// Too many nonces are remembered.
    #[error("This agent has sent too many requests. Send fewer, or wait.")]
    #[problem(status = 429, title = "Too many requests", retry_after = 60)]
    TooManyNonces,
    /// The agent is not on the list.
    #[error("This agent may not connect. Its id must be in the configuration of the server.")]
    #[problem(
        status = 403,
        title = "Agent not allowed",
        remediation(
            request_scope_elevation,
            message = "Ask the operator of this machine to add the agent."
        )
    )]
    AgentNotAllowed,
    /// The agent in the message is not the one that was identified.
    #[error("`agent_id` is not the agent of the certificate or of the key that signed.")]
    #[problem(status = 403, title = "Another agent's id")]
    AgentMismatch,
    /// An action before the handshake.
    #[error("The first message of a connection must be `hello`.")]
    #[problem(status = 403, title = "Hello expected")]
    HelloExpected,
    /// The versions have nothing in common.
    #[error("Version {version} is not supported. The major version must be {major}.")]
    #[problem(status = 422, title = "Unsupported version")]
    UnsupportedVersion {
        /// What was asked for.
        #[problem(public)]
        version: String,
        /// What is spoken.
        #[problem(public)]
        major: u64,
    },
    /// The method was not granted.
    #[error("`{method}` was not granted to this agent.")]
    #[problem(
        status = 403,
        title = "Capability not granted",
        remediation(
            request_scope_elevation,
            message = "Ask the operator of this machine to grant the capability to the agent."
        )
    )]
    CapabilityNotGranted {
        /// The method.
        #[problem(public)]
        method: String,
        /// What is granted.
        #[problem(valid_values = "method")]
        granted: Vec<String>,
    },
    /// The message is larger than the policy allows.
    #[error("The message is larger than {max_payload} bytes, which is the limit of the policy.")]
    #[problem(status = 413, code = "too_large", title = "Too large")]
    PayloadTooLarge {
        /// The limit.
        #[problem(extension)]
        max_payload: u64,
    },
    /// The message is not a JSON object.
    #[error("The message is not a JSON object: {reason}.")]
    #[problem(status = 400, code = "invalid_json", title = "Not valid JSON")]
    MessageUnreadable {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
    /// A member is missing.
    #[error("`{member}` is missing. It {expected}.")]
    #[problem(status = 422, code = "missing_field", title = "Missing field")]
    MemberMissing {
        /// The member.
        #[problem(extension = "member")]
        member: String,
        /// What it has to be.
        #[problem(public)]
        expected: String,
    },
    /// A member has a value that it cannot have.
    #[error("`{member}` {expected}.")]
    #[problem(status = 422, code = "invalid_value", title = "Invalid value")]
    MessageInvalid {
        /// The member.
        #[problem(extension = "member")]
        member: String,
        /// What it has to be.
        #[problem(public)]
        expected: String,
    },
    /// The method or the route does not exist.
    #[error("{0}")]
    #[problem(transparent)]
    UnknownOperation(Unknown),
    /// The route exists, but not with this method.
    #[error(
        "This route does not support this method; the Allow header lists the methods it supports."
    )]
    #[problem(status = 405, title = "Method not allowed")]
    MethodNotAllowed {
        /// The methods of the route.
        #[problem(valid_values = "method")]
        allowed: Vec<String>,
    },
    /// The id was used for another action.
    #[error("This `action_id` belongs to another action. Use a new id for a new action.")]
    #[problem(status = 422, title = "Action id reused")]
    ActionIdReused,
    /// The action is not done yet.
    #[error(
        "This action is still running. Ask again with the same `action_id`; it is not started twice."
    )]
    #[problem(status = 409, title = "Action running", retry_after = 1)]
    ActionRunning,
    /// The acting side stopped in between.
    #[error(
        "This action was started, and its outcome is unknown because the agent stopped before it was recorded. It is not run again."
    )]
    #[problem(
        status = 409,
        title = "Outcome unknown",
        remediation(none, reason = no_public_equivalent_exists, message = "Check whether it took effect, then send what is left to do under a new action_id.")
    )]
    OutcomeUnknown,
    /// There is no such action of this agent.
    #[error(
        "This agent has no action with this `action_id`, or it is older than what is remembered."
    )]
    #[problem(status = 404, title = "Action not found")]
    ActionNotFound,
    /// The ledger has no room.
    #[error(
        "No more actions can be remembered. Nothing is done that could not be recognised when it is repeated."
    )]
    #[problem(status = 503, title = "Ledger full", retry_after = 60)]
    LedgerFull,
    /// The ledger cannot be written.
    #[error("The ledger cannot be written, so nothing was done.")]
    #[problem(status = 503, title = "Ledger unavailable", retry_after = 5)]
    LedgerUnavailable,
    /// Too much at once.
    #[error("Too many actions run at once.")]
    #[problem(status = 503, title = "Too many actions", retry_after = 1)]
    TooManyActions,
    /// Somebody cancelled it.
    #[error(
        "The action was cancelled, and its processes were ended. Check what it did before you start it again."
    )]
    #[problem(status = 499, title = "Cancelled")]
    Cancelled,
    /// The program is not on the list.
    #[error("This program is not on the list of allowed commands.")]
    #[problem(status = 403, title = "Command not allowed")]
    CommandNotAllowed {
        /// What is allowed.
        #[problem(valid_values = "command")]
        allowed: Vec<String>,
    },
    /// An argument does not match.
    #[error("`/args/{index}` is not an argument that is allowed for this command.")]
    #[problem(status = 422, title = "Argument not allowed")]
    ArgumentNotAllowed {
        /// Which one.
        #[problem(extension)]
        index: u64,
        /// The pattern it has to match, where there is one at this place.
        #[problem(extension)]
        pattern: Option<String>,
    },
    /// The folder is not on the list.
    #[error("`cwd` is not a folder that is allowed for this command.")]
    #[problem(status = 403, title = "Folder not allowed")]
    CwdNotAllowed {
        /// What is allowed.
        #[problem(valid_values = "cwd")]
        allowed: Vec<String>,
    },
    /// The time-out is longer than the policy.
    #[error("`timeout` is longer than {exec} milliseconds, which is the limit of the policy.")]
    #[problem(status = 422, title = "Time-out too long")]
    TimeoutTooLong {
        /// The limit.
        #[problem(extension = "max_timeout")]
        exec: u64,
    },
    /// The program could not be started.
    #[error("The command could not be started: {reason}.")]
    #[problem(status = 500, title = "Command not started")]
    CommandNotStarted {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
    /// The program took too long.
    #[error("The command did not end within {timeout} milliseconds. Its process group was killed.")]
    #[problem(
        status = 504,
        title = "Command timed out",
        remediation(none, reason = no_public_equivalent_exists, message = "Check what the command did before you start it again with a longer time-out.")
    )]
    CommandTimedOut {
        /// How long it had.
        #[problem(extension)]
        timeout: u64,
    },
    /// The path is outside the roots.
    #[error("`path` is not inside a folder that this agent may change.")]
    #[problem(status = 403, title = "Path not allowed")]
    PathNotAllowed {
        /// The roots.
        #[problem(valid_values = "root")]
        roots: Vec<String>,
    },
    /// A link is in the way.
    #[error(
        "`path` goes through a symbolic link or a file that is not a folder. Links are not followed."
    )]
    #[problem(status = 403, title = "Path through a link")]
    PathThroughLink,
    /// It is not a regular file.
    #[error("`path` is not a regular file.")]
    #[problem(status = 422, title = "Not a file")]
    NotAFile,
    /// It does not exist.
    #[error("`path` does not exist.")]
    #[problem(status = 404, title = "File not found")]
    FileNotFound,
    /// It is too large, or not text.
    #[error("The file cannot be compared: {reason}.")]
    #[problem(status = 422, title = "File unusable")]
    FileUnusable {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
    /// The file system refused.
    #[error("The file cannot be read or written: {reason}.")]
    #[problem(status = 500, title = "File failed")]
    FileFailed {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
    /// The patch is not a unified diff of one file.
    #[error("`patch` is not a unified diff of one file: {reason}, at line {line} of the patch.")]
    #[problem(status = 422, code = "diff_malformed", title = "Diff malformed")]
    PatchMalformed {
        /// Why not.
        #[problem(public)]
        reason: String,
        /// Where.
        #[problem(extension)]
        line: u64,
    },
    /// The patch does not fit.
    #[error(
        "The patch does not fit the file at line {line}. Nothing was changed. Ask for a new diff."
    )]
    #[problem(status = 409, title = "Patch does not apply")]
    PatchDoesNotApply {
        /// The line of the file.
        #[problem(extension)]
        line: u64,
    },
    /// Somebody else changed the file.
    #[error(
        "The file was changed by somebody else meanwhile. Nothing was written. Ask for a new diff."
    )]
    #[problem(status = 409, title = "File changed")]
    FileChanged,
    /// The answer is too large for the wire.
    #[error("The other side sent an invalid answer: {reason}.")]
    #[problem(status = 502, title = "Answer unreadable")]
    AnswerUnreadable {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
    /// The answer is not signed by the side that was asked.
    #[error(
        "The answer is not signed by the side that was asked: {reason}. Whatever it says may come from somebody else. Ask again with the same `action_id`."
    )]
    #[problem(status = 502, title = "Answer not verified")]
    AnswerNotVerified {
        /// What is wrong with its signature.
        #[problem(public)]
        reason: String,
    },
    /// The other side did not answer in time.
    #[error(
        "The other side did not answer within {seconds} seconds. Ask again with the same `action_id`."
    )]
    #[problem(status = 504, title = "No answer in time", retry_after = 1)]
    AnswerLate {
        /// How long it had.
        #[problem(extension)]
        seconds: u64,
    },
    /// The action runs on another machine of the fleet.
    #[error(
        "This action runs on another machine of the fleet. Cancel it there; any machine tells where it is."
    )]
    #[problem(status = 409, title = "Action elsewhere", retry_after = 1)]
    ActionElsewhere,
    /// The other side cannot be reached.
    #[error("The other side cannot be reached: {reason}.")]
    #[problem(
        status = 502,
        code = "agent_unreachable",
        title = "Other side unreachable"
    )]
    Unreachable {
        /// Why not.
        #[problem(public)]
        reason: String,
    },
}

impl SouthFault {
    /// The member of the message that is wrong, where it is one.
    pub(crate) fn member(&self) -> Option<&str> {
        match self {
            Self::MemberMissing { member, .. } | Self::MessageInvalid { member, .. } => {
                Some(member)
            }
            _ => None,
        }
    }
}

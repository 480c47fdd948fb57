//! Problems as rmcp's results.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use ::rmcp::ErrorData;
use ::rmcp::handler::server::tool::IntoCallToolResult;
use ::rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject, MetaObject};
use aon_core::{Namespace, Problem, ProblemDetails};
use serde_json::Value;

use crate::surface::Call;
use crate::surface::mcp::{self, META_KEY, Mode};

tokio::task_local! {
    /// The call being served, where a [`ProblemServer`](super::ProblemServer) serves it.
    pub(super) static CURRENT: Current;
}

/// What a tool's failure is told about the call, and where it leaves its problem.
pub(super) struct Current {
    pub(super) request_id: String,
    pub(super) problem: Mutex<Option<ProblemDetails>>,
}

impl Current {
    pub(super) fn take(&self) -> Option<ProblemDetails> {
        self.problem
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// Leaves the problem for the server around this call; `false` when there is none.
pub(super) fn leave(problem: &ProblemDetails) -> bool {
    CURRENT
        .try_with(|current| {
            let mut slot = current
                .problem
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *slot = Some(problem.clone());
        })
        .is_ok()
}

/// Any error of a program as the failure of a tool: what `?` makes of it in a function that returns
/// `Result<T, Failure>`.
///
/// Types that derive `Problem` need it not; it is for functions with several of them, or with a
/// [`ProblemDetails`] that came from elsewhere.
#[derive(Debug)]
pub struct Failure(ProblemDetails);

impl Failure {
    /// The problem.
    pub fn problem(&self) -> &ProblemDetails {
        &self.0
    }
}

impl<P: Problem> From<P> for Failure {
    fn from(error: P) -> Self {
        Self(observed(&error))
    }
}

impl IntoCallToolResult for Failure {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(answer(&self.0))
    }
}

/// The result of a tool that failed with this error: what the derive calls.
///
/// The chain of causes goes to `tracing` with the request id; it never reaches the client (P9).
///
/// # Errors
///
/// None; the type is that of rmcp's trait.
pub fn call_tool_result<P: Problem + ?Sized>(error: &P) -> Result<CallToolResponse, ErrorData> {
    Ok(answer(&observed(error)))
}

/// A problem as a tool result.
pub fn to_result(problem: &ProblemDetails, call: &Call<'_>, mode: Mode) -> CallToolResult {
    let keyed = |key: &str, envelope| {
        let mut members = JsonObject::new();
        members.insert(key.to_owned(), envelope);
        members
    };
    match mode {
        Mode::Structured => {
            let (envelope, text) = mcp::tree_parts(problem, call);
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            result.structured_content = Some(Value::Object(keyed("error", envelope)));
            result
        }
        Mode::Meta => {
            let (envelope, text) = mcp::tree_parts(problem, call);
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            result.meta = Some(MetaObject(keyed(META_KEY, envelope)));
            result
        }
        Mode::TextOnly => {
            let mut json = b"{\"error\":".to_vec();
            let text = mcp::write_parts(problem, call, &mut json);
            json.push(b'}');
            let json = String::from_utf8(json).unwrap_or_default();
            CallToolResult::error(vec![ContentBlock::text(text), ContentBlock::text(json)])
        }
    }
}

/// The answer of a tool: final without a server of ours around it, a token with one.
fn answer(problem: &ProblemDetails) -> CallToolResponse {
    if leave(problem) {
        return CallToolResult::error(Vec::new()).into();
    }
    to_result(problem, &Call::default(), Mode::Structured).into()
}

/// The problem with its ids, and its causes in the log.
fn observed<P: Problem + ?Sized>(error: &P) -> ProblemDetails {
    let mut problem = error.to_problem();
    let id = CURRENT.try_with(|current| current.request_id.clone()).ok();
    if let Some(id) = id
        && problem.request_id().is_none()
    {
        let urn = error.entry().map_or("pspace", |entry| entry.urn);
        let namespace = Namespace::parse(urn).unwrap_or_default();
        problem = problem.with_request_id(&namespace, id);
    }
    let mut causes = String::new();
    let mut cause = error.source();
    while let Some(source) = cause {
        let _: std::fmt::Result = write!(causes, ": {source}");
        cause = source.source();
    }
    let code = problem.code().map_or("", aon_core::Code::as_str);
    let request_id = problem.request_id().unwrap_or_default();
    if problem
        .status()
        .is_none_or(aon_core::Status::is_server_error)
    {
        tracing::error!(code, request_id, "tool failed{causes}");
    } else {
        tracing::debug!(code, request_id, "tool refused{causes}");
    }
    problem
}

//! Failures as rmcp's results: placeholders inside, and written out at the edge.

use ::rmcp::ErrorData;
use ::rmcp::handler::server::tool::IntoCallToolResult;
use ::rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject, MetaObject};
use aon_core::{Problem, ProblemDetails};
use serde_json::{Value, json};

use crate::door::{self, Occurrence, Scope, Ticket};
use crate::surface::Call;
use crate::surface::mcp::{self, META_KEY, Mode};

/// The result of a tool that failed with this error: what the derive calls.
///
/// # Errors
///
/// None; the type is that of rmcp's trait.
pub fn call_tool_result<P: Problem>(error: &P) -> Result<CallToolResponse, ErrorData> {
    Occurrence::of(error).into_call_tool_result()
}

/// Inside of a [`ProblemServer`](super::ProblemServer) a placeholder; without one, the answer.
impl IntoCallToolResult for Occurrence {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(match door::hand_over("mcp", self) {
            Ok(ticket) => placeholder(ticket, Mode::default()),
            Err((scope, failure)) => written(&scope, failure, Mode::default()),
        }
        .into())
    }
}

/// The key of the ticket in the `_meta` of a placeholder.
pub(super) const TICKET: &str = "space.possibility/ticket";

/// A result that stands for a failure the scope keeps, and says how it is to be written.
pub(super) fn placeholder(ticket: Ticket, mode: Mode) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text("The tool failed.")]);
    let mut meta = JsonObject::new();
    meta.insert(TICKET.to_owned(), json!([ticket.number(), mode.as_str()]));
    result.meta = Some(MetaObject(meta));
    result
}

/// The ticket in such a result, and the mode.
pub(super) fn ticket(result: &CallToolResult) -> Option<(Ticket, Mode)> {
    ticket_in(result.meta.as_ref()?.0.get(TICKET)?)
}

/// The same of its JSON.
pub(super) fn ticket_in(value: &Value) -> Option<(Ticket, Mode)> {
    let ticket = Ticket::from_number(value.get(0)?.as_u64()?);
    Some((ticket, Mode::from_word(value.get(1)?.as_str()?)?))
}

/// The failure as rmcp's types, through the door.
pub(super) fn written(scope: &Scope, failure: Occurrence, mode: Mode) -> CallToolResult {
    let passed = scope.pass(failure, "mcp");
    to_result(passed.problem(), &passed.call(None), mode)
}

/// A problem as a tool result.
pub fn to_result(problem: &ProblemDetails, call: &Call<'_>, mode: Mode) -> CallToolResult {
    let keyed = |key: &str, envelope| {
        let mut members = JsonObject::new();
        members.insert(key.to_owned(), envelope);
        members
    };
    match mode {
        Mode::Structured | Mode::Meta => {
            let (envelope, text) = mcp::tree_parts(problem, call);
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            if mode == Mode::Meta {
                result.meta = Some(MetaObject(keyed(META_KEY, envelope)));
            } else {
                result.structured_content = Some(Value::Object(keyed("error", envelope)));
            }
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

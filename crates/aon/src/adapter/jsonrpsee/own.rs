//! What jsonrpsee reports by itself, as problems.

use ::jsonrpsee::types::error::{
    BATCHES_NOT_SUPPORTED_CODE, CALL_EXECUTION_FAILED_CODE, INTERNAL_ERROR_CODE,
    INVALID_PARAMS_CODE, INVALID_REQUEST_CODE, METHOD_NOT_FOUND_CODE, OVERSIZED_REQUEST_CODE,
    OVERSIZED_RESPONSE_CODE, PARSE_ERROR_CODE, SERVER_IS_BUSY_CODE, TOO_BIG_BATCH_REQUEST_CODE,
    TOO_BIG_BATCH_RESPONSE_CODE, TOO_MANY_SUBSCRIPTIONS_CODE, UNKNOWN_ERROR_CODE,
};
use aon_core::{Code, ProblemDetails, Status};

use crate::arguments::{self, Fault};
use crate::jsonrpc;
use crate::surface::a2a::{A2a, Profile};
use crate::surface::envelope::{self, A2A};
use crate::surface::{Surface, raw};

/// The problem of an error object; `None` for one a program made by itself, which is its own business.
pub(super) fn problem(
    error: &str,
    method: &str,
    known: &[String],
    params: Option<&str>,
) -> Option<ProblemDetails> {
    let data = raw::member(error, "data");
    let ours = data.is_some_and(|data| {
        envelope::is_envelope(data, &A2A)
            || raw::items(data)
                .is_some_and(|items| items.iter().any(|item| envelope::is_envelope(item, &A2A)))
    });
    if ours {
        return A2a::new(Profile::PSPACE).recover(error.as_bytes()).ok();
    }
    let number: i32 = raw::member(error, "code")?.parse().ok()?;
    let said = raw::member(error, "message")
        .and_then(raw::text)
        .unwrap_or_default();
    let more = data.and_then(raw::text);
    Some(match number {
        PARSE_ERROR_CODE => jsonrpc::parse_error(),
        INVALID_REQUEST_CODE => jsonrpc::invalid_request("The request is no JSON-RPC 2.0 request."),
        METHOD_NOT_FOUND_CODE => {
            jsonrpc::method_not_found(method, known.iter().map(String::as_str))
        }
        INVALID_PARAMS_CODE => {
            let words = more.as_deref().unwrap_or(&said);
            let params = params.and_then(|params| serde_json::from_str(params).ok());
            arguments::problem(&[Fault::from_message(&params.unwrap_or_default(), words)])?
        }
        BATCHES_NOT_SUPPORTED_CODE => own(
            400,
            "batches_not_supported",
            "Batches are not supported here.",
        ),
        TOO_MANY_SUBSCRIPTIONS_CODE => own(
            429,
            "too_many_subscriptions",
            "There are too many subscriptions on this connection.",
        ),
        OVERSIZED_REQUEST_CODE => own(
            413,
            "request_too_large",
            "The request is larger than is taken.",
        ),
        OVERSIZED_RESPONSE_CODE | TOO_BIG_BATCH_RESPONSE_CODE => own(
            500,
            "response_too_large",
            "The response is larger than may be sent; ask for less.",
        ),
        SERVER_IS_BUSY_CODE => own(503, "server_busy", "The server is busy; try again later."),
        TOO_BIG_BATCH_REQUEST_CODE => own(
            413,
            "batch_too_large",
            "The batch holds more requests than are taken.",
        ),
        INTERNAL_ERROR_CODE | CALL_EXECUTION_FAILED_CODE | UNKNOWN_ERROR_CODE => {
            tracing::error!(method, "method failed: {said}");
            internal()
        }
        _ => return None,
    })
}

pub(super) fn internal() -> ProblemDetails {
    own(
        500,
        "internal",
        "Something failed inside. The request id leads to it in the log.",
    )
}

pub(super) fn own(status: u16, code: &'static str, detail: &'static str) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(status), Code::from_static(code)).with_detail(detail)
}

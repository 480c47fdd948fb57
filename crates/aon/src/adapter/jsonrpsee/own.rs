//! What jsonrpsee reports by itself, as problems.

use ::jsonrpsee::types::error::{
    BATCHES_NOT_SUPPORTED_CODE, CALL_EXECUTION_FAILED_CODE, INTERNAL_ERROR_CODE,
    INVALID_PARAMS_CODE, INVALID_REQUEST_CODE, METHOD_NOT_FOUND_CODE, OVERSIZED_REQUEST_CODE,
    OVERSIZED_RESPONSE_CODE, PARSE_ERROR_CODE, SERVER_IS_BUSY_CODE, TOO_BIG_BATCH_REQUEST_CODE,
    TOO_BIG_BATCH_RESPONSE_CODE, TOO_MANY_SUBSCRIPTIONS_CODE, UNKNOWN_ERROR_CODE,
};

use crate::arguments::{self, Fault};
use crate::door::Occurrence;
use crate::surface::envelope::{self, A2A};
use crate::surface::raw;
use crate::{builtin, jsonrpc};

crate::builtin::entries! { "aon::jsonrpsee":
    /// The connection has as many subscriptions as it may have.
    TOO_MANY_SUBSCRIPTIONS = 429, "too_many_subscriptions", "Too many subscriptions", "There are too many subscriptions on this connection; end one first, or open another connection.",
        retry_after: 5;
    /// The response would be larger than the server may send.
    RESPONSE_TOO_LARGE = 500, "response_too_large", "Response too large", "The response is larger than the server may send; ask for less at once.";
    /// The server cannot take more requests at the moment.
    SERVER_BUSY = 503, "server_busy", "Server busy", "The server is busy; send the request again after the delay.",
        retry_after: 5;
}

/// What jsonrpsee says when a method wants more parameters than there are.
const NO_MORE: &str = "No more params";

/// The failure an error object of jsonrpsee tells; `None` for one a program made by itself, which is its own business, and for
/// one that is complete.
pub(super) fn failure(
    error: &str,
    method: &str,
    known: &[String],
    params: Option<&str>,
) -> Option<Occurrence> {
    let data = raw::member(error, "data");
    let complete = data.is_some_and(|data| {
        envelope::is_envelope(data, &A2A)
            || raw::items(data)
                .is_some_and(|items| items.iter().any(|item| envelope::is_envelope(item, &A2A)))
    });
    if complete {
        return None;
    }
    let number: i32 = raw::member(error, "code")?.parse().ok()?;
    let said = raw::member(error, "message")
        .and_then(raw::text)
        .unwrap_or_default();
    let more = data.and_then(raw::text);
    let problem = match number {
        PARSE_ERROR_CODE => jsonrpc::parse_error(),
        INVALID_REQUEST_CODE => {
            jsonrpc::invalid_request("The request is not a JSON-RPC 2.0 request.")
        }
        METHOD_NOT_FOUND_CODE => {
            jsonrpc::method_not_found(method, known.iter().map(String::as_str))
        }
        INVALID_PARAMS_CODE => {
            let words = more.as_deref().unwrap_or(&said);
            let params = params.unwrap_or("null");
            let fault = if words == NO_MORE {
                // The next one is missing, counted from zero as in a pointer.
                let given = raw::items(params).map_or(0, |given| given.len());
                Fault::from_serde("", &format!("missing field `{given}`"))
            } else {
                Fault::from_text(params, words)
            };
            arguments::problem(&[fault])?
        }
        BATCHES_NOT_SUPPORTED_CODE => jsonrpc::batches_not_supported(),
        TOO_MANY_SUBSCRIPTIONS_CODE => builtin::problem(&TOO_MANY_SUBSCRIPTIONS),
        OVERSIZED_REQUEST_CODE => more
            .as_deref()
            .and_then(limit)
            .map_or_else(|| builtin::too_large(None), jsonrpc::too_large),
        OVERSIZED_RESPONSE_CODE | TOO_BIG_BATCH_RESPONSE_CODE => {
            builtin::problem(&RESPONSE_TOO_LARGE)
        }
        SERVER_IS_BUSY_CODE => builtin::problem(&SERVER_BUSY),
        TOO_BIG_BATCH_REQUEST_CODE => more
            .as_deref()
            .and_then(limit)
            .map_or_else(jsonrpc::batch_too_large_here, jsonrpc::batch_too_large),
        INTERNAL_ERROR_CODE | CALL_EXECUTION_FAILED_CODE | UNKNOWN_ERROR_CODE => {
            return Some(Occurrence::broken("the method failed", said));
        }
        _ => return None,
    };
    Some(Occurrence::built_in(problem))
}

/// The limit jsonrpsee tells in words.
fn limit(words: &str) -> Option<usize> {
    words.strip_prefix("Exceeded max limit of ")?.parse().ok()
}

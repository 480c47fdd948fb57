//! What jsonrpsee answers over a web socket before any middleware is asked, as problems.

use ::jsonrpsee::types::error::{
    BATCHES_NOT_SUPPORTED_CODE, BATCHES_NOT_SUPPORTED_MSG, INVALID_REQUEST_CODE,
    INVALID_REQUEST_MSG, OVERSIZED_REQUEST_CODE, OVERSIZED_REQUEST_MSG, PARSE_ERROR_CODE,
    PARSE_ERROR_MSG, TOO_BIG_BATCH_REQUEST_CODE, TOO_BIG_BATCH_REQUEST_MSG,
};
use aon_core::{Json, Namespace};

use super::own;
use crate::adapter::ids;
use crate::jsonrpc;
use crate::surface::a2a::Profile;
use crate::surface::raw;

/// The numbers and the words of jsonrpsee for what is no request. Their problems are those of [`own::problem`].
const WORDS: &[(i32, &str)] = &[
    (PARSE_ERROR_CODE, PARSE_ERROR_MSG),
    (INVALID_REQUEST_CODE, INVALID_REQUEST_MSG),
    (BATCHES_NOT_SUPPORTED_CODE, BATCHES_NOT_SUPPORTED_MSG),
    (OVERSIZED_REQUEST_CODE, OVERSIZED_REQUEST_MSG),
    (TOO_BIG_BATCH_REQUEST_CODE, TOO_BIG_BATCH_REQUEST_MSG),
];

/// The text to send instead; `None` for whatever jsonrpsee did not say by itself.
pub(super) fn answer(text: &[u8], profile: &Profile) -> Option<Vec<u8>> {
    if !is_error(text) {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let response = raw::members(text)?;
    let error = raw::find(&response, "error")?;
    let said = raw::members(error)?;
    let number: i32 = raw::find(&said, "code")?.parse().ok()?;
    let words = raw::text(raw::find(&said, "message")?)?;
    // A limit is told in words; what a program adds is no text, or says something else.
    let plain = match raw::find(&said, "data") {
        None => true,
        Some(data) => own::limit(&raw::text(data)?).is_some(),
    };
    if !plain || !WORDS.contains(&(number, words.as_ref())) {
        return None;
    }
    let id = raw::find(&response, "id").filter(|id| *id != "null");
    let id = id.and_then(|id| Json::parse(id).ok());
    let mut problem =
        own::problem(error, "", &[], None)?.with_request_id(&Namespace::DEFAULT, ids::fresh());
    if number == PARSE_ERROR_CODE {
        // jsonrpsee also says so of JSON that is no object, and of an object that is no request and has no id.
        problem = problem.with_detail("The message is no JSON text in UTF-8, or no request.");
    }
    Some(jsonrpc::error_response(
        &problem,
        id.as_ref(),
        profile,
        None,
    ))
}

/// Whether a text begins as an error of jsonrpsee does. Of all others only the beginning and the id are read.
fn is_error(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(br#"{"jsonrpc":"2.0","id":"#) else {
        return false;
    };
    let id = match rest {
        [b'"', string @ ..] => {
            let mut escaped = false;
            let end = string.iter().position(|byte| {
                let ends = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            end.map(|end| end + 2)
        }
        _ => rest.iter().position(|byte| *byte == b','),
    };
    id.and_then(|id| rest.get(id..))
        .is_some_and(|rest| rest.starts_with(br#","error":{"code":-32"#))
}

#[cfg(test)]
mod tests;

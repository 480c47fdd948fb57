//! From bytes to requests.

use std::borrow::Cow;

use aon_core::{Json, ProblemDetails};

use super::{Incoming, Limits, Rejected, Request, invalid_params, invalid_request, too_large};
use crate::builtin;
use crate::surface::raw;

/// Reads a request or a batch.
///
/// # Errors
///
/// What to answer when it is neither.
pub fn parse(bytes: &[u8]) -> Result<Incoming, Rejected> {
    parse_within(bytes, Limits::default())
}

/// [`parse`] within limits of your own.
///
/// # Errors
///
/// What to answer when it is neither.
pub fn parse_within(bytes: &[u8], limits: Limits) -> Result<Incoming, Rejected> {
    let reject = |problem| Rejected { id: None, problem };
    if bytes.len() > limits.bytes {
        return Err(reject(too_large(limits.bytes)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: &serde_json::value::RawValue =
        serde_json::from_slice(bytes).map_err(|_no_json| reject(builtin::not_json(bytes)))?;
    let Some(items) = raw::items(value.get()) else {
        return request(value.get()).map(Incoming::Single);
    };
    if limits.batch == 0 {
        return Err(reject(super::batches_not_supported()));
    }
    if items.is_empty() {
        return Err(reject(invalid_request("A batch must not be empty.")));
    }
    if items.len() > limits.batch {
        return Err(reject(super::batch_too_large(limits.batch)));
    }
    Ok(Incoming::Batch(items.into_iter().map(request).collect()))
}

fn request(json: &str) -> Result<Request, Rejected> {
    let Some(members) = raw::members(json) else {
        return Err(Rejected {
            id: None,
            problem: invalid_request("A request must be an object."),
        });
    };
    let id = id(&members);
    let reject = |problem: ProblemDetails| Rejected {
        id: id.clone().ok().flatten(),
        problem,
    };
    let wrong =
        |pointer: &str, why: &str| reject(invalid_request(why).with_pointer(pointer, Some(why)));
    let id = match &id {
        Ok(id) => id.clone(),
        Err(NoId) => {
            return Err(wrong(
                "/id",
                "The id must be a string of at most 1024 bytes, a number or null.",
            ));
        }
    };
    let version = raw::find(&members, "jsonrpc").and_then(raw::text);
    if version.as_deref() != Some("2.0") {
        let problem = wrong("/jsonrpc", "The member jsonrpc must be \"2.0\".");
        return Err(Rejected {
            problem: problem.problem.with_valid_values("jsonrpc", ["2.0"]),
            ..problem
        });
    }
    let method = match raw::find(&members, "method").map(raw::text) {
        Some(Some(method)) => method.into_owned(),
        Some(None) => return Err(wrong("/method", "The method must be a string.")),
        None => return Err(wrong("/method", "The method is missing.")),
    };
    let params = match raw::find(&members, "params") {
        None => None,
        Some(params) if params.starts_with(['{', '[']) => {
            let params = Json::parse(params).map_err(|error| {
                let why = format!("The parameters are {error}.");
                reject(invalid_params(why.clone()).with_pointer("/params", Some(&why)))
            })?;
            Some(params)
        }
        Some(_) => {
            let why = "The parameters must be an object or an array.";
            return Err(reject(
                invalid_params(why).with_pointer("/params", Some(why)),
            ));
        }
    };
    Ok(Request { id, method, params })
}

/// The longest id, in bytes.
const LONGEST_ID: usize = 1024;

/// An id of a type JSON-RPC does not have, or too long.
#[derive(Clone, Copy)]
struct NoId;

fn id(members: &[(Cow<'_, str>, &str)]) -> Result<Option<Json>, NoId> {
    let Some(id) = raw::find(members, "id") else {
        return Ok(None);
    };
    // An id is sent back as it is, so it may not be long either.
    if id.starts_with(['{', '[', 't', 'f']) || id.len() > LONGEST_ID {
        return Err(NoId);
    }
    Json::parse(id).map(Some).map_err(|_no_json| NoId)
}

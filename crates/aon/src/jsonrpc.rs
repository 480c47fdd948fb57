//! JSON-RPC 2.0 for a server of your own, A2A or other: requests taken apart, and every way to fail as a problem.
//!
//! Nothing here knows a framework. [`parse`] turns bytes into requests, or into the problem to answer with;
//! [`error_response`] and [`success_response`] write what goes back; [`dispatch`] does all of it around a function of
//! yours. Batches, notifications, ids of every JSON type and text that is none are its business.
//!
//! # Examples
//!
//! ```
//! use aon::jsonrpc;
//! use aon::surface::a2a::Profile;
//! use aon::Json;
//!
//! let answer = |request: &jsonrpc::Request| match request.method() {
//!     "ping" => Ok(Json::from("pong")),
//!     other => Err(jsonrpc::method_not_found(other, ["ping"])),
//! };
//! let good = jsonrpc::dispatch(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &Profile::PSPACE, answer);
//! assert_eq!(good.as_deref(), Some(&br#"{"jsonrpc":"2.0","id":1,"result":"pong"}"#[..]));
//! let bad = jsonrpc::dispatch(br#"{"jsonrpc":"2.0","id":1,"method":"pign"}"#, &Profile::PSPACE, answer);
//! assert!(bad.is_some_and(|bytes| bytes.starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"#)));
//! ```

use aon_core::json::ObjectWriter;
use aon_core::{Entry, ExtensionName, Json, ProblemDetails, suggest};

use crate::builtin;
use crate::surface::a2a::{A2a, Profile};
use crate::surface::{Call, Surface};

mod own;
mod read;

#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
pub(crate) use own::ALL as TABLE;
pub use read::{parse, parse_within};

/// How much a reader takes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest request or batch, in bytes. 10 MiB unless set.
    pub bytes: usize,
    /// The most requests in a batch; with 0 batches are not taken at all. 100 unless set.
    pub batch: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 10 << 20,
            batch: 100,
        }
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    id: Option<Json>,
    method: String,
    params: Option<Json>,
}

impl Request {
    /// Its id; `None` for a notification, which is never answered.
    pub fn id(&self) -> Option<&Json> {
        self.id.as_ref()
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters: an object or an array.
    pub fn params(&self) -> Option<&Json> {
        self.params.as_ref()
    }
}

/// A request that is none, and what to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    id: Option<Json>,
    problem: ProblemDetails,
}

impl Rejected {
    #[cfg(feature = "rmcp")]
    pub(crate) fn new(id: Option<Json>, problem: ProblemDetails) -> Self {
        Self { id, problem }
    }

    /// The id to answer to, where one could be read.
    pub fn id(&self) -> Option<&Json> {
        self.id.as_ref()
    }

    /// What is wrong.
    pub fn problem(&self) -> &ProblemDetails {
        &self.problem
    }

    /// The id and the problem.
    pub fn into_parts(self) -> (Option<Json>, ProblemDetails) {
        (self.id, self.problem)
    }

    /// The response.
    pub fn response(&self, profile: &Profile) -> Vec<u8> {
        error_response(&self.problem, self.id.as_ref(), profile, None)
    }
}

/// What came in.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC 2.0 knows single requests and batches, and will not change"
)]
pub enum Incoming {
    /// One request.
    Single(Request),
    /// Several; each is answered by itself.
    Batch(Vec<Result<Request, Rejected>>),
}

/// Every problem that is made here, for the catalog of a program that serves JSON-RPC by itself.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    own::ALL.iter().copied()
}

/// The response of a request that failed. `params` are those of the request, for a correction (P11).
pub fn error_response(
    problem: &ProblemDetails,
    id: Option<&Json>,
    profile: &Profile,
    params: Option<&Json>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let call = Call {
        arguments: params,
        id,
    };
    A2a::new(profile.clone()).project(problem, &call, &mut out);
    out
}

/// The response of a request that succeeded.
pub fn success_response(result: &Json, id: Option<&Json>) -> Vec<u8> {
    let mut out = Vec::with_capacity(result.as_str().len() + 48);
    let mut response = ObjectWriter::begin(&mut out);
    response.string("jsonrpc", "2.0");
    response.raw("id", id.map_or("null", Json::as_str));
    response.json("result", result);
    response.end();
    out
}

/// Reads, calls the function once per request, and gives what to send back; `None` when nothing is to be sent, as
/// after a notification.
pub fn dispatch(
    bytes: &[u8],
    profile: &Profile,
    mut answer: impl FnMut(&Request) -> Result<Json, ProblemDetails>,
) -> Option<Vec<u8>> {
    let mut respond = |request: &Request| {
        let result = answer(request);
        let id = request.id.as_ref()?;
        Some(match result {
            Ok(result) => success_response(&result, Some(id)),
            Err(problem) => error_response(&problem, Some(id), profile, request.params()),
        })
    };
    match parse(bytes) {
        Err(rejected) => Some(rejected.response(profile)),
        Ok(Incoming::Single(request)) => respond(&request),
        Ok(Incoming::Batch(requests)) => {
            let responses = requests.iter().filter_map(|request| match request {
                Ok(request) => respond(request),
                Err(rejected) => Some(rejected.response(profile)),
            });
            batch_response(responses)
        }
    }
}

/// The responses of a batch in one; `None` when there are none.
pub fn batch_response(responses: impl IntoIterator<Item = Vec<u8>>) -> Option<Vec<u8>> {
    let mut out = vec![b'['];
    for response in responses {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&response);
    }
    let any = out.len() > 1;
    out.push(b']');
    any.then_some(out)
}

/// There is no such method, and the nearest there is.
pub fn method_not_found<'a>(
    method: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> ProblemDetails {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = suggest::nearest(method, known.iter().copied());
    let detail = match nearest {
        Some(nearest) => format!("There is no method of this name; did you mean \"{nearest}\"?"),
        None => "There is no method of this name.".to_owned(),
    };
    let mut problem = builtin::problem(&own::METHOD_NOT_FOUND).with_detail(detail);
    if !known.is_empty() {
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        problem = problem.with_valid_values("method", known);
    }
    match nearest {
        Some(nearest) => {
            let kept = problem.clone();
            problem
                .with_extension(ExtensionName::from_static("suggestion"), nearest)
                .unwrap_or(kept)
        }
        None => problem,
    }
}

/// The parameters cannot be used, and why.
pub fn invalid_params(why: impl Into<String>) -> ProblemDetails {
    builtin::problem(&own::INVALID_PARAMS).with_detail(why.into())
}

/// The bytes are no JSON.
pub fn parse_error() -> ProblemDetails {
    builtin::problem(&own::PARSE_ERROR)
}

/// It is JSON, but no request, and why.
pub fn invalid_request(why: impl Into<String>) -> ProblemDetails {
    builtin::problem(&own::INVALID_REQUEST).with_detail(why.into())
}

/// The request, or the batch, is larger than is taken.
pub fn too_large(limit: usize) -> ProblemDetails {
    builtin::problem(&own::REQUEST_TOO_LARGE)
        .with_detail(format!("At most {limit} bytes are taken."))
}

/// The same where the limit is somebody else's.
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
pub(crate) fn request_too_large() -> ProblemDetails {
    builtin::problem(&own::REQUEST_TOO_LARGE).with_detail("The request is larger than is taken.")
}

/// A batch of more requests than are taken.
pub fn batch_too_large(limit: usize) -> ProblemDetails {
    builtin::problem(&own::BATCH_TOO_LARGE)
        .with_detail(format!("At most {limit} requests are taken at once."))
}

/// The same where the limit is somebody else's.
#[cfg(feature = "jsonrpsee")]
pub(crate) fn batch_too_large_here() -> ProblemDetails {
    builtin::problem(&own::BATCH_TOO_LARGE)
        .with_detail("The batch holds more requests than are taken.")
}

/// A batch where there are none.
pub fn batches_not_supported() -> ProblemDetails {
    builtin::problem(&own::BATCHES_NOT_SUPPORTED)
}

/// The version a request names is not spoken here.
pub(crate) fn version_not_supported() -> ProblemDetails {
    builtin::problem(&own::VERSION_NOT_SUPPORTED)
}

#[cfg(test)]
mod tests;

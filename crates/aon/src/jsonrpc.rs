//! JSON-RPC 2.0 for a server of your own, A2A or other: requests taken apart, and every way to fail as a problem.
//!
//! [`parse`] turns bytes into requests, or into the problem to answer with; [`Scope::answer`] and [`success_response`]
//! write what goes back; [`dispatch`] does all of it around a function of yours. Every failure leaves through the
//! [`Scope`] of its message, so it is redacted, logged and counted like any other. `Endpoint`, with the feature `http`,
//! does it for an HTTP request: the headers decide the profile.
//!
//! The problems that are made here, such as [`method_not_found`], are of the default namespace;
//! [`Failure::built_in`](Occurrence::built_in) moves them to that of the door.
//!
//! # Examples
//!
//! ```
//! use aon::door::{Door, Facts, Scope};
//! use aon::{Json, jsonrpc};
//!
//! let answer = |request: &jsonrpc::Request| match request.method() {
//!     "ping" => Ok(Json::from("pong")),
//!     other => Err(jsonrpc::method_not_found(other, ["ping"])),
//! };
//! let scope = Scope::open(&Door::new(), Facts::new("a2a"));
//! let good = jsonrpc::dispatch(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &scope, answer);
//! assert_eq!(good.as_deref(), Some(&br#"{"jsonrpc":"2.0","id":1,"result":"pong"}"#[..]));
//! let bad = jsonrpc::dispatch(br#"{"jsonrpc":"2.0","id":1,"method":"pign"}"#, &scope, answer);
//! let bad = String::from_utf8(bad.expect("an answer"))?;
//! assert!(bad.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"There is no method `pign`. Did you mean `ping`?""#));
//! # Ok::<(), std::string::FromUtf8Error>(())
//! ```

use aon_core::json::ObjectWriter;
use aon_core::{Json, ProblemDetails, redact, suggest};

use crate::adapter::unwind;
use crate::builtin;
use crate::door::{self, Occurrence, Scope};
use crate::surface::Surface;
use crate::surface::a2a::{A2a, Profile};

#[cfg(feature = "http")]
mod http;
mod own;
mod read;

#[cfg(feature = "http")]
pub use self::http::{Endpoint, Exchange};
pub(crate) use own::ALL as TABLE;
pub use read::{parse, parse_within};

/// How much a reader takes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest request or batch, in bytes. [`BODY_LIMIT`](door::BODY_LIMIT) unless set.
    pub bytes: usize,
    /// The most requests in a batch; with 0 batches are not taken at all. 100 unless set.
    pub batch: usize,
}

impl Limits {
    /// The limits of a door, and batches as by default.
    pub fn of(door: &door::Door) -> Self {
        Self {
            bytes: door.body_limit(),
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: door::BODY_LIMIT,
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

    /// It as a failure that leaves.
    pub fn failure(&self) -> Occurrence {
        Occurrence::built_in(self.problem.clone())
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

/// What goes back, and the problem in it.
pub(crate) type Reply = (Vec<u8>, Option<ProblemDetails>);

pub(crate) fn refusal(scope: &Scope, failure: Occurrence, id: Option<&Json>) -> Reply {
    let passed = scope.pass(failure, "a2a");
    let mut body = Vec::with_capacity(1024);
    A2a::new(profile_of(scope)).project(passed.problem(), &passed.call(id), &mut body);
    (body, Some(passed.into_problem()))
}

/// The profile of the answers in a scope.
pub(crate) fn profile_of(scope: &Scope) -> Profile {
    scope.profile().cloned().unwrap_or(Profile::PSPACE)
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

/// Reads, calls the function once per request, inside the scope, and gives what to send back; `None` when nothing is to
/// be sent, as after a notification. A panic of the function is an internal error.
///
/// A failure that brings no arguments gets the parameters of its request, for a correction ([P11]).
///
/// [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11
pub fn dispatch<E: Into<Occurrence>>(
    bytes: &[u8],
    scope: &Scope,
    answer: impl FnMut(&Request) -> Result<Json, E>,
) -> Option<Vec<u8>> {
    reply(bytes, Limits::default(), scope, answer).map(|(body, _)| body)
}

pub(crate) fn reply<E: Into<Occurrence>>(
    bytes: &[u8],
    limits: Limits,
    scope: &Scope,
    mut answer: impl FnMut(&Request) -> Result<Json, E>,
) -> Option<Reply> {
    let refuse = |rejected: &Rejected| refusal(scope, rejected.failure(), rejected.id());
    let mut one = |request: &Request| {
        let watched = scope.begin_call(request.method(), "");
        let result = scope.run(|| unwind::catch(|| answer(request)));
        let result = match result {
            Ok(result) => result.map_err(Into::into),
            Err(words) => Err(Occurrence::broken("the method panicked", words)),
        };
        watched.end(result.as_ref().err().map(Occurrence::code));
        replied(scope, request, result)
    };
    match parse_within(bytes, limits) {
        Err(rejected) => Some(refuse(&rejected)),
        Ok(Incoming::Single(request)) => one(&request),
        Ok(Incoming::Batch(requests)) => {
            let replies = requests.iter().filter_map(|request| match request {
                Ok(request) => one(request),
                Err(rejected) => Some(refuse(rejected)),
            });
            let body = batch_response(replies.map(|(body, _)| body))?;
            Some((body, None))
        }
    }
}

/// What goes back to a request; a failure that brings no arguments gets the parameters. Nothing goes back to a notification.
fn replied(scope: &Scope, request: &Request, result: Result<Json, Occurrence>) -> Option<Reply> {
    let id = request.id.as_ref()?;
    Some(match result {
        Ok(result) => (success_response(&result, Some(id)), None),
        Err(failure) if failure.arguments().is_none() => {
            let failure = failure.with_arguments(request.params.clone());
            refusal(scope, failure, Some(id))
        }
        Err(failure) => refusal(scope, failure, Some(id)),
    })
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

/// The method does not exist; the nearest one is suggested.
pub fn method_not_found<'a>(
    method: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> ProblemDetails {
    unknown_operation("method", method, known)
}

/// The operation (a `method`, `tool`, `skill` or whatever it is called) does not exist; the nearest one is suggested.
pub fn unknown_operation<'a>(
    kind: &'static str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> ProblemDetails {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = suggest::nearest(name, known.iter().copied());
    let mut detail = format!("There is no {kind} `{}`.", redact::echo(name));
    if let Some(nearest) = nearest {
        detail = format!("{detail} Did you mean `{nearest}`?");
    }
    let problem = builtin::unknown_operation(kind, nearest).with_detail(detail);
    if known.is_empty() {
        return problem;
    }
    let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
    problem.with_valid_values(kind, known)
}

/// The parameters cannot be used, and why.
pub fn invalid_params(why: impl Into<String>) -> ProblemDetails {
    builtin::problem(&own::INVALID_PARAMS).with_detail(why.into())
}

/// The bytes are not JSON.
pub fn parse_error() -> ProblemDetails {
    builtin::invalid_json("it is not JSON text in UTF-8")
}

/// It is JSON, but no request, and why.
pub fn invalid_request(why: impl Into<String>) -> ProblemDetails {
    builtin::problem(&own::INVALID_REQUEST).with_detail(why.into())
}

/// The request, or the batch, is larger than is taken.
pub fn too_large(limit: usize) -> ProblemDetails {
    builtin::too_large(Some(limit))
}

/// The body has another media type than those that are taken.
pub fn unsupported_media_type() -> ProblemDetails {
    builtin::unsupported_media_type(&["application/json", "application/a2a+json"])
}

/// A batch of more requests than are taken.
pub fn batch_too_large(limit: usize) -> ProblemDetails {
    builtin::problem(&own::BATCH_TOO_LARGE)
        .with_detail(format!("A batch may hold at most {limit} requests."))
}

/// The same where the limit is somebody else's.
#[cfg(feature = "jsonrpsee")]
pub(crate) fn batch_too_large_here() -> ProblemDetails {
    builtin::problem(&own::BATCH_TOO_LARGE).with_detail("The batch holds too many requests.")
}

/// A batch where there are none.
pub fn batches_not_supported() -> ProblemDetails {
    builtin::problem(&own::BATCHES_NOT_SUPPORTED)
}

/// The version that a request names is not supported.
pub(crate) fn version_not_supported() -> ProblemDetails {
    builtin::problem(&own::VERSION_NOT_SUPPORTED)
}

#[cfg(test)]
mod tests;

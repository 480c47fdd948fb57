//! What becomes of JSON errors that were written by hand: the way into a service that has many of them already.

use std::borrow::Cow;
use std::time::Duration;

use aon_core::json::ObjectWriter;
use aon_core::{Code, ExtensionName, Json, ProblemDetails, Status, redact};
use serde_json::{Map, Value};

use crate::surface::raw;

mod entries;
mod names;
mod shapes;
mod words;

use words::Words;

/// What the layer does with a JSON error body that is not a problem.
///
/// | the handler wrote | `Replace` | `Keep` | `Adopt` |
/// | --- | --- | --- | --- |
/// | `{"error": "sold out"}` | the problem of its status | the same, with `type`, `title`, `status`, `code`, `request_id` and `instance` | a problem with the detail "sold out" |
/// | `{"error": {"code": "SOLD_OUT", "message": "…"}}` | likewise | likewise | a problem with the code `sold_out` and that detail |
/// | `{"errors": {"size": ["is too big"]}}` | likewise | likewise | a problem with `errors: [{"pointer": "#/size", …}]` |
///
/// `Adopt` knows the shapes of Rails, Django REST framework, Laravel, Spring, ASP.NET, Express, `NestJS`, `FastAPI`, JSON:API, GraphQL, `OAuth`, and
/// those of Google, Microsoft, AWS, Stripe, GitHub and others. Stack traces never pass.
///
/// Whatever is not sent is logged, redacted, under the request id. A body over 64 KiB is never taken apart.
///
/// # Examples
///
/// ```
/// use aon::axum::{Foreign, ProblemLayer};
/// use axum::{Json, Router, body::Body, routing::get};
/// use http::StatusCode;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// async fn sold_out() -> (StatusCode, Json<serde_json::Value>) {
///     (StatusCode::CONFLICT, Json(json!({"error": {"code": "SOLD_OUT", "message": "The show is sold out."}})))
/// }
///
/// let app = Router::new().route("/tickets", get(sold_out));
/// let app = ProblemLayer::new().with_foreign(Foreign::Adopt).wrap(app);
/// # use tower::ServiceExt;
/// let response = app.oneshot(http::Request::get("/tickets").body(Body::empty())?).await?;
/// aon::assert_problem!(response, status = 409, code = "sold_out", detail = "The show is sold out.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// The problem of the status takes its place.
    #[default]
    Replace,
    /// It stays, member for member, and gets what it lacks: `type`, `title`, `status`, `code`, `request_id` and `instance`. It is
    /// sent as `application/problem+json` unless one of its own members contradicts that, such as a `status` that is a word.
    /// Secrets are hidden.
    Keep,
    /// Its message, code and field errors become `detail`, `code` and `errors`; other members become extensions. Of a 5xx only
    /// the code is taken: what stands in there was often the text of an error nobody meant to show.
    Adopt,
}

/// The most extension members that are taken over, and how long each may be.
const MOST_MEMBERS: usize = 16;
const LONGEST_MEMBER: usize = 2048;
/// The longest delay that is taken over, in seconds.
const LONGEST_DELAY: f64 = 86_400.0;

/// The problem that a hand-written error stands for; `None` when nothing in it is known. `bare` is what its status alone says.
pub(super) fn adopt(bare: &ProblemDetails, body: &[u8]) -> Option<ProblemDetails> {
    let body = serde_json::from_slice(body).ok()?;
    let Words {
        code,
        type_uri,
        title,
        detail,
        errors,
        docs,
        mut more,
    } = shapes::read(&body)?;
    let status = bare.status().unwrap_or(Status::from_static(500));
    let mut problem = match code {
        Some(code) => coded(bare, status, code),
        None => bare.clone(),
    };
    if status.is_server_error() {
        return Some(problem);
    }
    if let Some(uri) = type_uri {
        problem = problem.with_type(uri);
    }
    // "Not Found" under a 404 says nothing; what the status says of itself is better.
    let phrase = ProblemDetails::new(status, Code::from_static("none"));
    let says_more = |text: &String| {
        !phrase
            .title()
            .is_some_and(|own| own.eq_ignore_ascii_case(text))
    };
    if let Some(title) = title.filter(says_more) {
        problem = problem.with_title(title);
    }
    if let Some(detail) = detail.filter(says_more) {
        problem = problem.with_detail(detail);
    }
    if let Some(docs) = docs {
        problem = problem.with_docs_url(docs);
    }
    if let Some(delay) = delay(&mut more) {
        problem = problem.with_retry_after(delay);
    }
    for (pointer, words) in &errors {
        problem = problem.with_pointer(pointer.as_str(), Some(words));
    }
    let more = more.into_iter().filter_map(|(name, value)| {
        let value = Json::of(&value).ok()?;
        let short = value.as_str().len() <= LONGEST_MEMBER;
        Some((ExtensionName::parse(name).ok()?, value)).filter(|_| short)
    });
    for (name, value) in more.take(MOST_MEMBERS) {
        problem = match problem.clone().with_extension(name, &value.to_value()) {
            Ok(extended) => extended,
            Err(_no_json) => problem,
        };
    }
    Some(problem)
}

/// The delay that the body names in seconds; some name fractions, and a caller must not come back too early.
fn delay(more: &mut Map<String, Value>) -> Option<Duration> {
    let name = ["retry_after", "retryAfter"]
        .into_iter()
        .find(|name| more.get(*name).is_some_and(Value::is_number))?;
    let seconds = more.get(name)?.as_f64()?;
    if !(0.0..=LONGEST_DELAY).contains(&seconds) {
        return None;
    }
    more.remove(name);
    Some(Duration::from_secs_f64(seconds.ceil()))
}

/// The problem of a code of the program: only the delay and the challenge of the bare one are still true.
fn coded(bare: &ProblemDetails, status: Status, code: Code) -> ProblemDetails {
    let mut problem = ProblemDetails::new(status, code);
    if let Some(delay) = bare.retry_after() {
        problem = problem.with_retry_after(delay);
    }
    if let Some(challenge) = bare.challenge() {
        problem = problem.with_challenge(&challenge);
    }
    match (status.is_server_error(), bare.detail()) {
        (true, Some(detail)) => problem.with_detail(detail.to_owned()),
        _ => problem,
    }
}

/// The code that a hand-written error names, for its type.
pub(super) fn code_of(body: &[u8]) -> Option<Code> {
    let body = serde_json::from_slice(body).ok()?;
    shapes::read(&body)?.code
}

/// A hand-written error with what it lacks, taken from the problem; `None` when it is not an object.
pub(super) fn complete(problem: &ProblemDetails, body: &[u8]) -> Option<Kept> {
    let text = std::str::from_utf8(body).ok()?;
    let members = raw::members(text)?;
    let lacks = |name: &str| raw::find(&members, name).is_none();
    let mut out = Vec::with_capacity(text.len() + 256);
    let mut object = ObjectWriter::begin(&mut out);
    let mut add = |name: &'static str, value: Option<&str>| {
        if let Some(value) = value.filter(|_| lacks(name)) {
            object.string(name, value);
        }
    };
    add("type", problem.type_uri().map(aon_core::UriRef::as_str));
    add("title", problem.title());
    add("code", problem.code().map(Code::as_str));
    add("request_id", problem.request_id());
    add("instance", problem.instance().map(aon_core::UriRef::as_str));
    if let Some(status) = problem.status().filter(|_| lacks("status")) {
        object.number("status", u64::from(status.as_u16()));
    }
    for (name, value) in &members {
        if let Ok(value) = Json::parse(value) {
            object.json(name, &value);
        }
    }
    object.end();
    let body = String::from_utf8(out).ok()?;
    let body = match redact::json_text(&body) {
        Cow::Borrowed(_) => body,
        Cow::Owned(hidden) => hidden,
    };
    let is_problem =
        ProblemDetails::read(body.as_bytes()).is_ok_and(|read| read.ignored.is_empty());
    Some(Kept { body, is_problem })
}

/// What stays of a hand-written error.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) body: String,
    /// Whether it can be read as a problem too.
    pub(super) is_problem: bool,
}

#[cfg(test)]
mod tests;

//! A problem as an HTTP response, and its one log event (P9).

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use axum_core::body::Body;
use axum_core::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use uuid::Uuid;

use aon_core::{Entry, Namespace, Problem, ProblemDetails, redact};

use crate::surface::rest;

/// `x-request-id`.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// `application/problem+json`.
pub(super) const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Any error of a program as the failure of a handler: what `?` makes of it in one that returns `Result<T, Failure>`.
///
/// Types that derive `Problem` need it not; it is for handlers that meet several of them, or a [`ProblemDetails`] that
/// came from elsewhere. (The framework's trait and `ProblemDetails` live in other crates, so the latter cannot be a
/// response by itself.)
///
/// # Examples
///
/// ```
/// use aon::axum::Failure;
/// use aon::{Code, ProblemDetails, Status};
///
/// async fn handler() -> Result<String, Failure> {
///     let number: u32 = "7".parse().map_err(|_| ProblemDetails::new(Status::from_static(400), Code::from_static("bad")))?;
///     Ok(format!("{number}"))
/// }
/// # let _ = handler;
/// ```
#[derive(Debug)]
pub struct Failure {
    problem: Box<dyn Problem + Send + Sync>,
    built_in: bool,
}

impl Failure {
    /// A problem the adapter made by itself: its type moves to the namespace of the layer.
    pub(super) fn built_in(problem: ProblemDetails) -> Self {
        Self {
            problem: Box::new(problem),
            built_in: true,
        }
    }

    /// The problem, without ids.
    pub fn to_problem(&self) -> ProblemDetails {
        self.problem.to_problem()
    }
}

impl<P: Problem + Send + Sync + 'static> From<P> for Failure {
    fn from(error: P) -> Self {
        Self {
            problem: Box::new(error),
            built_in: false,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        respond_erased(&*self.problem, self.built_in)
    }
}

/// The response of a problem: status line, headers and body of S2, with a request id.
pub fn respond<P: Problem>(problem: &P) -> Response {
    respond_erased(problem, false)
}

fn respond_erased(problem: &dyn Problem, built_in: bool) -> Response {
    let mut buffer = Uuid::encode_buffer();
    let fresh: &str = Uuid::now_v7().hyphenated().encode_lower(&mut buffer);
    let mut headers = HeaderMap::with_capacity(6);
    headers.insert(CONTENT_TYPE, MEDIA_TYPE);
    let mut body = Vec::new();
    let mut report = if let Some(entry) = problem.entry() {
        problem.write_json(Some(fresh), &mut body);
        if entry.json.is_some() && is_plain(entry) {
            set_plain(entry, &mut headers);
        } else {
            set_headers(&problem.to_problem(), &mut headers);
        }
        Report::of(problem, entry.status, entry.code, fresh, true)
    } else {
        let mut details = problem.to_problem();
        let generated = details.request_id().is_none();
        if generated {
            let namespace = namespace_of(&details);
            details = details.with_request_id(&namespace, fresh.to_owned());
        }
        details.write(&mut body);
        set_headers(&details, &mut headers);
        let status = details.status().map_or(500, aon_core::Status::as_u16);
        let code = details.code().map_or("", aon_core::Code::as_str);
        let id = details.request_id().unwrap_or(fresh);
        Report::of(problem, status, code, id, generated)
    };
    report.built_in = built_in;
    if let Ok(id) = HeaderValue::from_str(&report.request_id) {
        headers.insert(REQUEST_ID, id);
    }
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(report.status).unwrap_or_default();
    *response.headers_mut() = headers;
    report.hand_over();
    response
}

/// Whether the headers follow from the entry alone.
fn is_plain(entry: &Entry) -> bool {
    !matches!(entry.status, 401 | 403 | 405 | 415)
        && !entry.retry_after_varies
        && entry.challenge.is_none()
}

fn set_plain(entry: &Entry, headers: &mut HeaderMap) {
    let delay = entry.retry_after.map(|seconds| seconds.min(86_400));
    if let Some(seconds) = delay.or_else(|| rest::unknown_delay(entry.status)) {
        headers.insert(http::header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(url) = entry.docs_url {
        let mut link = String::with_capacity(url.len() + 16);
        link.push('<');
        link.push_str(url);
        link.push_str(">; rel=\"help\"");
        if url.is_ascii()
            && let Ok(link) = HeaderValue::try_from(link)
        {
            headers.insert(http::header::LINK, link);
        } else {
            set_headers(&entry.to_problem(), headers);
        }
    }
}

/// Sets what the problem lowers to, where the header is not there already.
pub(super) fn set_headers(problem: &ProblemDetails, headers: &mut HeaderMap) {
    for (name, value) in rest::headers(problem) {
        let name = HeaderName::from_static(name);
        // Nothing to allow means that nothing is known here; a router around this may know.
        if !value.is_empty()
            && let Ok(value) = HeaderValue::try_from(value)
            && !headers.contains_key(&name)
        {
            headers.insert(name, value);
        }
    }
}

/// The namespace a problem's type was minted in, as far as its type tells.
pub(super) fn namespace_of(problem: &ProblemDetails) -> Namespace {
    let parse = || {
        let prefix = problem
            .type_uri()?
            .as_str()
            .strip_suffix(problem.code()?.as_str())?;
        let name = prefix.strip_suffix("://problem/").unwrap_or(prefix);
        match Namespace::parse(name) {
            Ok(namespace) => Some(namespace),
            Err(_no_name) => Namespace::parse(prefix).ok(),
        }
    };
    parse().unwrap_or(Namespace::DEFAULT)
}

/// What is known about a problem that became a response, until the final request id is known and it can be logged.
#[derive(Debug)]
pub(super) struct Report {
    /// The id in the response.
    pub(super) request_id: String,
    /// Whether the id was made up here and may be replaced by that of the request.
    pub(super) generated: bool,
    /// Whether the adapter made the problem by itself.
    pub(super) built_in: bool,
    /// The status line.
    pub(super) status: u16,
    /// The code; empty when there is none.
    pub(super) code: String,
    private: Option<Private>,
}

/// What only the log may see.
#[derive(Debug)]
struct Private {
    message: String,
    chain: String,
    value: String,
}

impl Report {
    fn of(problem: &dyn Problem, status: u16, code: &str, id: &str, generated: bool) -> Self {
        let private = is_wanted(status).then(|| {
            let mut chain = String::new();
            let mut source = problem.source();
            while let Some(cause) = source {
                if !chain.is_empty() {
                    chain.push_str(": ");
                }
                // Writing into a String fails only when the Display does; what it wrote is kept.
                let _: std::fmt::Result = write!(chain, "{cause}");
                source = cause.source();
            }
            Private {
                message: clean(problem.to_string()),
                chain: clean(chain),
                value: clean(format!("{problem:?}")),
            }
        });
        Self {
            request_id: id.to_owned(),
            generated,
            built_in: false,
            status,
            code: code.to_owned(),
            private,
        }
    }

    /// A report of a failure that was no value: a panic, or what a framework answered by itself.
    pub(super) fn of_text(status: u16, code: &str, id: &str, message: &str, private: &str) -> Self {
        Self {
            request_id: id.to_owned(),
            generated: false,
            built_in: false,
            status,
            code: code.to_owned(),
            private: is_wanted(status).then(|| Private {
                message: message.to_owned(),
                chain: clean(private.to_owned()),
                value: String::new(),
            }),
        }
    }

    /// Gives it to the layer around this call, or logs it where there is none.
    fn hand_over(self) {
        if LAYER.get() == OUTSIDE {
            self.emit(None);
            return;
        }
        LAYER.set(LEFT_ONE);
        if let Some(unsent) = LEFT.replace(Some(Box::new(self))) {
            unsent.emit(None);
        }
    }

    /// The one event of this failure: 5xx as an error, 4xx as debug.
    pub(super) fn emit(&self, request_id: Option<&str>) {
        let Some(Private {
            message,
            chain,
            value,
        }) = &self.private
        else {
            return;
        };
        let request_id = request_id.unwrap_or(&self.request_id);
        let (status, code) = (self.status, &*self.code);
        if status >= 500 {
            tracing::error!(target: "aon::problem", code, status, request_id, cause = %chain, value = %value, "{message}");
        } else {
            tracing::debug!(target: "aon::problem", code, status, request_id, cause = %chain, value = %value, "{message}");
        }
    }
}

fn is_wanted(status: u16) -> bool {
    if status >= 500 {
        tracing::enabled!(target: "aon::problem", tracing::Level::ERROR)
    } else {
        tracing::enabled!(target: "aon::problem", tracing::Level::DEBUG)
    }
}

/// Secrets stay out of the log too (L9).
fn clean(text: String) -> String {
    match redact::text(&text) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(cleaned) => cleaned,
    }
}

thread_local! {
    static LAYER: Cell<u8> = const { Cell::new(OUTSIDE) };
    static LEFT: RefCell<Option<Box<Report>>> = const { RefCell::new(None) };
}

/// No layer is around: a report is logged at once.
const OUTSIDE: u8 = 0;
/// A layer is around, and will look for a report.
const INSIDE: u8 = 1;
/// A layer is around, and a report is waiting for it.
const LEFT_ONE: u8 = 2;

/// The inside of a layer, while it polls what is in it. Reports made meanwhile are for this layer; one that waits from
/// before, for a layer around it, stays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    before: u8,
}

impl Inside {
    #[inline]
    pub(super) fn enter() -> Self {
        Self {
            before: LAYER.replace(INSIDE),
        }
    }

    /// Whether a report is waiting in [`Inside::report`].
    #[inline]
    pub(super) fn leave(self) -> bool {
        LAYER.replace(self.before) == LEFT_ONE
    }

    /// The report that was left.
    pub(super) fn report() -> Option<Box<Report>> {
        LEFT.take()
    }
}

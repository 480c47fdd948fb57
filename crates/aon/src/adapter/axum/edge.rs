//! Where an error response leaves the program: from the response as it came to the one that goes.

use axum_core::body::Body;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::response::Parts;
use http::{Method, Response, StatusCode};
use http_body::Body as _;

use aon_core::{Code, ProblemDetails, Status};

use super::adopt::{self, Foreign};
use super::answer::{self, vary_on_accept};
use super::foreign;
use super::form::Form;
use super::layer::{Config, Passthrough};
use super::media::{Media, misnamed_problem, speaks_json_rpc};
use super::respond::Logged;
use crate::builtin::extended;
use crate::door::current::Around;
use crate::door::{Door, Facts, Occurrence, Scope, Ticket};

/// Larger bodies are not read.
const SMALL: u64 = 64 * 1024;

/// The edge of one request.
pub(super) struct Edge<'c> {
    pub(super) scope: Scope,
    pub(super) config: &'c Config,
}

pub(super) enum Step {
    Done(Box<Response<Body>>),
    Read(Box<Reading>),
}

/// A body of known, small length on its way in.
#[derive(Debug)]
pub(super) struct Reading {
    parts: Parts,
    pub(super) body: Body,
    pub(super) bytes: Vec<u8>,
    media: Media,
}

/// Marks what a layer sent, so that a layer around it neither changes nor logs it again.
#[derive(Clone, Copy)]
struct Sent;

impl<'c> Edge<'c> {
    pub(super) fn new(around: &mut Option<Around>, config: &'c Config) -> Self {
        let scope = match around {
            Some(around) => around.open(),
            None => Scope::open(&Door::new(), Facts::new("rest")),
        };
        Self { scope, config }
    }

    /// Looks at the head of the response and decides whether its body must be read.
    pub(super) fn begin(self, response: Response<Body>) -> Step {
        let (mut parts, body) = response.into_parts();
        if let Some(ticket) = parts.extensions.remove::<Ticket>()
            && let Some(failure) = self.scope.redeem(ticket)
        {
            return done(self.send(parts, failure));
        }
        let marked = parts.extensions.get::<Passthrough>().is_some()
            || parts.extensions.get::<Sent>().is_some();
        let media = Media::of(&parts.headers);
        if marked || media == Media::Protocol {
            return done(Response::from_parts(parts, body));
        }
        match body.size_hint().exact() {
            Some(0) if media == Media::Problem => {
                // The headers of a problem, in answer to HEAD.
                done(Response::from_parts(parts, body))
            }
            Some(length @ 1..=SMALL) => Step::Read(Box::new(Reading {
                parts,
                body,
                bytes: Vec::with_capacity(usize::try_from(length).unwrap_or(0)),
                media,
            })),
            _ if media == Media::Problem || (media == Media::Json && self.keeps()) => {
                done(Response::from_parts(parts, body))
            }
            length => {
                // Dropped, not read: whatever it says, and however long it would go on.
                drop(body);
                let unread = match length {
                    Some(0) => "a response without a body".to_owned(),
                    Some(length) => format!("a body of {length} bytes, which was not read"),
                    None => "a stream, which was not read".to_owned(),
                };
                done(self.replace(parts, None, unread))
            }
        }
    }

    /// Goes on once the body is there.
    pub(super) fn finish(self, reading: Reading) -> Response<Body> {
        let Reading {
            parts,
            body: _,
            bytes,
            media,
        } = reading;
        let text = std::str::from_utf8(&bytes).ok();
        let words = || crate::door::replaced(&bytes);
        match media {
            Media::Problem => self.foreign_problem(parts, bytes),
            Media::Json if speaks_json_rpc(&bytes) => {
                Response::from_parts(parts, Body::from(bytes))
            }
            Media::Json => match misnamed_problem(&bytes, parts.status) {
                Some(problem) => self.send(parts, Occurrence::new(problem)),
                None => self.hand_written(parts, bytes),
            },
            Media::Text => self.replace(parts, text, words()),
            Media::Protocol | Media::Other => self.replace(parts, None, words()),
        }
    }

    /// The answer to a panic: its message goes to the log and nowhere else.
    pub(super) fn panicked(self, message: String) -> Response<Body> {
        let failure = Occurrence::broken("a handler panicked", message);
        let (mut parts, ()) = Response::new(()).into_parts();
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        self.send(parts, failure)
    }

    /// A problem that came as one: untouched apart from missing ids ([S3]), and that only where nothing would be lost.
    ///
    /// [S3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s3
    fn foreign_problem(self, parts: Parts, bytes: Vec<u8>) -> Response<Body> {
        let Ok(reading) = ProblemDetails::read(&bytes) else {
            // It says it is one, but nobody can read it.
            let words = crate::door::replaced(&bytes);
            return self.replace(parts, None, words);
        };
        let problem = reading.problem;
        let complete = problem.request_id().is_some() && problem.instance().is_some();
        if parts.extensions.get::<Logged>().is_none() {
            self.scope.witness(&problem, "rest");
        }
        if complete || !reading.ignored.is_empty() {
            return Response::from_parts(parts, Body::from(bytes));
        }
        let id = problem.request_id().unwrap_or(self.scope.request_id());
        let (namespace, id) = (self.scope.door().namespace(), id.to_owned());
        let problem = problem.with_request_id(namespace, id);
        answer::write(parts, &problem, Form::Json, None, self.is_head())
    }

    /// A JSON error of the program's own, as the layer was told to take it.
    fn hand_written(self, mut parts: Parts, bytes: Vec<u8>) -> Response<Body> {
        let words = crate::door::replaced(&bytes);
        let bare = foreign::problem(&parts, None, self.scope.path(), self.config);
        match self.config.foreign {
            Foreign::Replace => self.replace(parts, None, words),
            Foreign::Adopt => match adopt::adopt(&bare, &bytes) {
                Some(problem) => {
                    let failure = Occurrence::built_in(problem);
                    self.send(
                        parts,
                        failure.with_cause("a hand-written error was adopted", words),
                    )
                }
                None => self.replace(parts, None, words),
            },
            Foreign::Keep => {
                let bare = match (adopt::code_of(&bytes), bare.status()) {
                    (Some(code), Some(status)) => ProblemDetails::new(status, code),
                    _ => bare,
                };
                let failure =
                    Occurrence::built_in(bare).with_cause("a hand-written error was kept", words);
                let problem = self.scope.pass(failure, "rest").into_problem();
                let body = match adopt::complete(&problem, &bytes) {
                    Some(kept) => {
                        if kept.is_problem {
                            parts
                                .headers
                                .insert(CONTENT_TYPE, answer::media_type(Form::Json));
                        }
                        kept.body.into_bytes()
                    }
                    None => bytes,
                };
                parts.headers.remove(CONTENT_LENGTH);
                answer::set_id(problem.request_id().unwrap_or_default(), &mut parts.headers);
                parts.extensions.insert(Sent);
                Response::from_parts(parts, Body::from(body))
            }
        }
    }

    fn keeps(&self) -> bool {
        self.config.foreign == Foreign::Keep
    }

    /// A problem in place of a response that is not one; the words that were there go to the log.
    fn replace(self, parts: Parts, text: Option<&str>, words: String) -> Response<Body> {
        let problem = foreign::problem(&parts, text, self.scope.path(), self.config);
        let failure = Occurrence::built_in(problem).with_cause(
            "the framework or a foreign service answered with an error",
            words,
        );
        self.send(parts, failure)
    }

    /// Lets a failure out, in the form the caller accepts.
    fn send(self, parts: Parts, failure: Occurrence) -> Response<Body> {
        let form = Form::of(&self.scope.accept());
        let mut problem = self.scope.pass(failure, form.surface()).into_problem();
        let mut parts = parts;
        if problem.status().is_some_and(Status::is_server_error)
            && let Some(since) = self.config.legacy_since(self.scope.path())
        {
            problem = with_legacy(problem);
            if let Ok(value) = http::HeaderValue::try_from(format!("@{since}")) {
                parts.headers.insert("deprecation", value);
            }
        }
        vary_on_accept(&mut parts.headers);
        parts.extensions.insert(Sent);
        let brand = self.config.brand.as_ref();
        answer::write(parts, &problem, form, brand, self.is_head())
    }

    fn is_head(&self) -> bool {
        self.scope.method() == Method::HEAD.as_str()
    }
}

/// The transitional member of [S4].
///
/// [S4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s4
fn with_legacy(problem: ProblemDetails) -> ProblemDetails {
    let error = serde_json::json!({
        "code": problem.code().map_or("internal", Code::as_str),
        "message": problem.detail().or(problem.title()).unwrap_or_default(),
        "request_id": problem.request_id().unwrap_or_default(),
    });
    extended(problem, "error", Some(error))
}

fn done(response: Response<Body>) -> Step {
    Step::Done(Box::new(response))
}

//! One failed exchange: from the response as it came to the problem that leaves.

use std::time::SystemTime;

use super::respond::{self, REQUEST_ID, Report};
use aon_core::{Namespace, NextAction, ProblemDetails, Remediation, Status, UriRef, redact};
use axum_core::body::Body;
use http::header::{self, HeaderMap, HeaderValue};
use http::response::Parts;
use http::{Response, StatusCode};
use http_body::Body as _;
use uuid::Uuid;

use super::accept::Form;
use super::amend::{
    extended, missing_scope, renamed, retry_after, vary_on_accept, with_legacy, with_new_id, words,
};
use super::facts::Kept;
use super::layer::{Emitted, Passthrough};
use super::media::{Media, misnamed_problem, speaks_json_rpc};
use super::settings::Config;
use super::{framework, known};
use crate::surface::human;

/// Larger bodies are not read.
const SMALL: u64 = 64 * 1024;

#[derive(Debug)]
pub(super) struct Exchange<'c> {
    config: &'c Config,
    facts: Kept,
    report: Option<Box<Report>>,
}

pub(super) enum Step {
    Done(Box<Response<Body>>),
    Read(Box<Reading>),
}

/// A body of known, small length on its way in.
#[derive(Debug)]
pub(super) struct Reading {
    facts: Kept,
    report: Option<Box<Report>>,
    parts: Parts,
    pub(super) body: Body,
    pub(super) bytes: Vec<u8>,
    media: Media,
}

impl<'c> Exchange<'c> {
    pub(super) fn new(config: &'c Config, facts: Kept, report: Option<Box<Report>>) -> Self {
        Self {
            config,
            facts,
            report,
        }
    }

    /// Looks at the head of the response and decides whether its body must be read.
    pub(super) fn begin(mut self, response: Response<Body>) -> Step {
        let (parts, body) = response.into_parts();
        if parts.extensions.get::<Passthrough>().is_some() {
            self.log(None);
            return done(Response::from_parts(parts, body));
        }
        let media = Media::of(&parts.headers);
        let length = body.size_hint().exact();
        let small = length.is_some_and(|length| length > 0 && length <= SMALL);
        let ours = self.is_ours(&parts.headers);
        if !ours {
            self.drop_report();
        }
        match media {
            Media::Problem if ours && !self.must_change() => {
                return done(self.pass(parts, body, true));
            }
            Media::Problem if length == Some(0) => return done(self.without_body(parts)),
            Media::Problem | Media::Json | Media::Text if small => {}
            Media::Problem | Media::Protocol => {
                self.log(None);
                return done(Response::from_parts(parts, body));
            }
            Media::Json | Media::Text | Media::Other => {
                // Dropped, not read: whatever it says, and however long it would go on.
                drop(body);
                return done(self.replace(parts, None));
            }
        }
        let bytes = Vec::with_capacity(usize::try_from(length.unwrap_or(0)).unwrap_or(0));
        Step::Read(Box::new(Reading {
            facts: self.facts,
            report: self.report,
            parts,
            body,
            bytes,
            media,
        }))
    }

    /// Goes on once the body is there.
    pub(super) fn finish(config: &'c Config, reading: Reading) -> Response<Body> {
        let Reading {
            facts,
            report,
            parts,
            body: _,
            bytes,
            media,
        } = reading;
        let this = Self::new(config, facts, report);
        match media {
            Media::Problem => this.known_problem(parts, bytes),
            Media::Json if speaks_json_rpc(&bytes) => {
                this.log(None);
                Response::from_parts(parts, Body::from(bytes))
            }
            Media::Json => match misnamed_problem(&bytes, parts.status) {
                Some(problem) => {
                    let form = this.facts.form();
                    this.send(parts, problem, form, true)
                }
                None => this.replace(parts, None),
            },
            Media::Text | Media::Protocol | Media::Other => this.replace(parts, Some(&bytes)),
        }
    }

    /// The answer to a panic: its message goes to the log and nowhere else.
    pub(super) fn panicked(mut self, message: &str) -> Response<Body> {
        self.drop_report();
        let problem = framework::problem(&framework::INTERNAL, &self.config.namespace);
        self.report = Some(Box::new(Report::of_text(
            500,
            framework::INTERNAL.code,
            "",
            "a handler panicked",
            message,
        )));
        let (mut parts, ()) = Response::new(()).into_parts();
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        let form = self.facts.form();
        self.send(parts, problem, form, true)
    }

    /// Whether the response is the one the report is about.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let id = headers.get(REQUEST_ID).map(HeaderValue::as_bytes);
        self.report
            .as_ref()
            .is_some_and(|report| id == Some(report.request_id.as_bytes()))
    }

    fn must_change(&self) -> bool {
        let brought = self.facts.request_id().is_some();
        let report = self.report.as_deref();
        (brought && report.is_some_and(|report| report.generated))
            || self.must_rename()
            || self.facts.form() != Form::Json
            || (report.is_some_and(|report| report.status >= 500) && self.legacy_since().is_some())
    }

    /// Whether the type of the problem is one of ours, and the layer has a namespace for those.
    fn must_rename(&self) -> bool {
        let built_in = self.report.as_ref().is_some_and(|report| report.built_in);
        built_in && self.config.namespace != Namespace::DEFAULT
    }

    fn legacy_since(&self) -> Option<u64> {
        self.config.legacy_since(self.facts.path()?)
    }

    /// A problem that came as one.
    fn known_problem(self, parts: Parts, bytes: Vec<u8>) -> Response<Body> {
        let ours = self.report.is_some();
        let Ok(reading) = ProblemDetails::read(&bytes) else {
            // It says it is one, but nobody can read it.
            return self.replace(parts, None);
        };
        let complete =
            reading.problem.request_id().is_some() && reading.problem.instance().is_some();
        if ours {
            let form = self.facts.form();
            return self.send(parts, reading.problem, form, true);
        }
        if complete {
            self.hook(&reading.problem, Form::Json);
            return Response::from_parts(parts, Body::from(bytes));
        }
        // Untouched apart from the ids (S3), and that only where nothing would be lost.
        if !reading.ignored.is_empty() {
            self.hook(&reading.problem, Form::Json);
            return Response::from_parts(parts, Body::from(bytes));
        }
        self.send(parts, reading.problem, Form::Json, false)
    }

    /// A response whose problem was left out because the request was HEAD: its headers are what there is.
    fn without_body(mut self, mut parts: Parts) -> Response<Body> {
        let form = self.facts.form();
        let brought = self.facts.request_id().map(str::to_owned);
        if let Some(id) =
            brought.filter(|_| self.report.as_ref().is_some_and(|report| report.generated))
            && let Ok(value) = HeaderValue::from_str(&id)
        {
            parts.headers.insert(REQUEST_ID, value);
            if let Some(report) = &mut self.report {
                report.request_id = id;
            }
            parts.headers.remove(header::CONTENT_LENGTH);
        }
        if self.report.is_some() && form != Form::Json {
            parts.headers.insert(header::CONTENT_TYPE, media_type(form));
            parts.headers.remove(header::CONTENT_LENGTH);
        }
        let negotiated = self.report.is_some();
        self.pass(parts, Body::empty(), negotiated)
    }

    /// Lets the body be.
    fn pass(self, mut parts: Parts, body: Body, negotiated: bool) -> Response<Body> {
        if negotiated {
            vary_on_accept(&mut parts.headers);
        }
        self.log(None);
        if let (Some(hook), Some(report)) = (&self.config.hook, &self.report) {
            hook.call(&Emitted {
                code: &report.code,
                status: report.status,
                surface: "rest",
                request_id: &report.request_id,
            });
        }
        Response::from_parts(parts, body)
    }

    /// A problem in the place of what is none.
    fn replace(self, parts: Parts, text: Option<&[u8]>) -> Response<Body> {
        let namespace = &self.config.namespace;
        let number = parts.status.as_u16();
        let status = Status::new(number).unwrap_or(Status::from_static(500));
        let text = text.and_then(|text| std::str::from_utf8(text).ok());
        let parameters = match self.facts.path() {
            Some(path) if number == 400 => self.config.routes.parameters(path),
            _ => Vec::new(),
        };
        let mut problem = text
            .and_then(|text| known::problem(number, text, &parameters, namespace))
            .unwrap_or_else(|| self.bare(status, &parts.headers, text));
        if let Some(delay) = retry_after(&parts.headers, now()) {
            problem = problem.with_retry_after(delay);
        }
        let challenge = parts.headers.get(header::WWW_AUTHENTICATE);
        if let Some(Ok(challenge)) = challenge.map(HeaderValue::to_str)
            && matches!(number, 401 | 403)
        {
            if let Some(scope) = missing_scope(challenge) {
                problem = problem.with_remediation(
                    Remediation::request_scope_elevation()
                        .with_message("Ask for credentials with this scope, then repeat the call.")
                        .with_next_action(NextAction::required_scope(scope.to_owned())),
                );
            }
            problem = problem.with_challenge(challenge);
        }
        let form = self.facts.form();
        self.send(parts, problem, form, true)
    }

    /// The problem of a status, with what the headers and the route table add.
    fn bare(&self, status: Status, headers: &HeaderMap, text: Option<&str>) -> ProblemDetails {
        let namespace = &self.config.namespace;
        let mut problem = match status.as_u16() {
            404 => self.not_found(
                text.is_none_or(str::is_empty) && !headers.contains_key(header::CONTENT_TYPE),
            ),
            405 => {
                let mut methods = words(headers.get(header::ALLOW));
                if let Some(path) = self.facts.path().filter(|_| methods.is_empty()) {
                    methods = self.config.routes.methods(path).to_vec();
                }
                let problem = framework::problem(&framework::METHOD_NOT_ALLOWED, namespace);
                if methods.is_empty() {
                    problem
                } else {
                    problem
                        .with_detail(format!("This route answers to {}.", methods.join(", ")))
                        .with_valid_values("method", methods)
                }
            }
            415 => {
                let accepted = words(headers.get(header::ACCEPT));
                let problem = framework::problem(&framework::UNSUPPORTED_MEDIA_TYPE, namespace);
                if accepted.is_empty() {
                    problem.with_detail("The body has a Content-Type that is not understood here.")
                } else {
                    problem
                        .with_detail(format!(
                            "The body must have the Content-Type {}.",
                            accepted.join(" or ")
                        ))
                        .with_valid_values("content-type", accepted)
                }
            }
            _ => framework::bare(status, namespace),
        };
        if self.config.foreign_detail
            && !status.is_server_error()
            && let Some(text) = text.map(str::trim)
            && !text.is_empty()
            && text.len() <= 500
            && !text.contains(char::is_control)
        {
            problem = problem.with_detail(redact::text(text).into_owned());
        }
        problem
    }

    /// A 404 that nobody explained: with a route table, one without a route is told from one a handler gave.
    fn not_found(&self, silent: bool) -> ProblemDetails {
        let namespace = &self.config.namespace;
        let routes = &self.config.routes;
        let path = self.facts.path();
        match path.filter(|_| !routes.is_empty()) {
            Some(path) if routes.serves(path) => {
                framework::problem(&framework::NOT_FOUND, namespace)
            }
            Some(path) => {
                let problem = framework::problem(&framework::ROUTE_NOT_FOUND, namespace);
                let Some(meant) = routes.nearest(path) else {
                    return problem;
                };
                let problem = problem
                    .with_detail(format!(
                        "There is no route with this path. Did you mean {meant}?"
                    ))
                    .with_valid_values("path", [meant.to_owned()]);
                extended(problem, "suggestion", meant)
            }
            None if silent => framework::problem(&framework::ROUTE_NOT_FOUND, namespace),
            None => framework::problem(&framework::NOT_FOUND, namespace),
        }
    }

    /// Sends a problem with its ids, in the form that was asked for. Headers of the response that was there survive.
    fn send(
        mut self,
        mut parts: Parts,
        mut problem: ProblemDetails,
        form: Form,
        negotiated: bool,
    ) -> Response<Body> {
        if self.must_rename() {
            problem = renamed(problem, &self.config.namespace);
        }
        let generated = self.report.as_ref().is_some_and(|report| report.generated);
        let brought = self.facts.request_id();
        if let (true, Some(id)) = (generated, brought) {
            problem = with_new_id(problem, id);
        } else {
            let kept = problem.request_id().map(str::to_owned);
            let id = kept
                .or_else(|| brought.map(str::to_owned))
                .unwrap_or_else(|| Uuid::now_v7().to_string());
            let namespace = if self.report.is_some() || problem.type_uri().is_none() {
                self.config.namespace.clone()
            } else {
                respond::namespace_of(&problem)
            };
            problem = problem.with_request_id(&namespace, id);
        }
        if let (Some(base), None, true) = (
            &self.config.docs,
            problem.docs_url(),
            is_framework(&problem),
        ) && let Some(code) = problem.code()
            && let Ok(url) = UriRef::parse(format!("{base}{code}"))
        {
            problem = problem.with_docs_url(url);
        }
        if parts.status.is_server_error()
            && let Some(since) = self.legacy_since()
        {
            problem = with_legacy(problem);
            if let Ok(value) = HeaderValue::try_from(format!("@{since}")) {
                parts.headers.insert("deprecation", value);
            }
        }

        let headers = &mut parts.headers;
        for replaced in [
            header::CONTENT_LENGTH,
            header::CONTENT_ENCODING,
            header::CONTENT_RANGE,
            header::TRANSFER_ENCODING,
            header::ETAG,
            header::LAST_MODIFIED,
            header::TRAILER,
        ] {
            headers.remove(replaced);
        }
        respond::set_headers(&problem, headers);
        let id = problem.request_id().unwrap_or_default().to_owned();
        if let Ok(value) = HeaderValue::from_str(&id) {
            headers.insert(REQUEST_ID, value);
        }
        headers.insert(header::CONTENT_TYPE, media_type(form));
        if negotiated {
            vary_on_accept(headers);
        }
        let body = match form {
            Form::Json => problem.to_vec(),
            Form::Markdown => human::Markdown::new().render(&problem).into_bytes(),
            Form::Html => {
                headers.insert(
                    header::CONTENT_SECURITY_POLICY,
                    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"),
                );
                human::page(&problem).into_bytes()
            }
        };
        if form != Form::Json {
            headers.insert(
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            );
        }
        if self.report.is_none() {
            let code = problem.code().map_or("", aon_core::Code::as_str);
            let report = Report::of_text(
                parts.status.as_u16(),
                code,
                &id,
                "the framework or a foreign service answered with an error",
                "",
            );
            self.report = Some(Box::new(report));
        }
        self.log(Some(&id));
        self.hook(&problem, form);
        // HEAD has the headers of GET, and nothing else.
        let body = if self.facts.is_head() {
            parts
                .headers
                .insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
            Body::empty()
        } else {
            Body::from(body)
        };
        Response::from_parts(parts, body)
    }

    fn hook(&self, problem: &ProblemDetails, form: Form) {
        let Some(hook) = &self.config.hook else {
            return;
        };
        hook.call(&Emitted {
            code: problem.code().map_or("", aon_core::Code::as_str),
            status: problem.status().map_or(500, Status::as_u16),
            surface: if form == Form::Json { "rest" } else { "human" },
            request_id: problem.request_id().unwrap_or_default(),
        });
    }

    fn log(&self, id: Option<&str>) {
        if let Some(report) = &self.report {
            report.emit(id);
        }
    }

    /// A report about a response that is not the one that leaves.
    fn drop_report(&mut self) {
        if let Some(report) = self.report.take() {
            report.emit(self.facts.request_id());
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a date to try again is a delay only as seen from now; nothing else here depends on the clock"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

fn done(response: Response<Body>) -> Step {
    Step::Done(Box::new(response))
}

fn media_type(form: Form) -> HeaderValue {
    HeaderValue::from_static(match form {
        Form::Json => crate::surface::rest::MEDIA_TYPE,
        Form::Html => "text/html; charset=utf-8",
        Form::Markdown => "text/markdown; charset=utf-8",
    })
}

fn is_framework(problem: &ProblemDetails) -> bool {
    problem
        .code()
        .is_some_and(|code| framework::all().any(|entry| entry.code == code.as_str()))
}

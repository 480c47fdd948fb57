//! MCP over streamable HTTP: calls are checked before they leave, and answers are amended, in one body or in a stream.

use std::sync::Arc;
use std::time::Duration;

use aon::ProblemDetails;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use serde_json::Value;

use super::clean;
use super::desk::{Head, Pending};
use super::judge;
use super::observe::Observer;
use super::relay::list_request;
use super::sse::{self, Ended, Judge};
use super::tools::next_cursor;
use super::upstream::{Lost, Upstream};
use super::wire::{self, Body, Held};

mod sessions;

use sessions::{Session, Sessions};

/// A longer message passes unread.
const LONGEST: usize = 16 << 20;
/// An error body longer than this is not read.
const SMALL: usize = 64 * 1024;
/// As many pages of a list of tools are read.
const MOST_PAGES: usize = 64;
/// How long the list of tools may take.
const LIST_PATIENCE: Duration = Duration::from_secs(20);

/// The proxy of one MCP server.
#[derive(Debug)]
pub(super) struct Mcp {
    upstream: Upstream,
    sessions: Sessions,
}

/// What a message of the client is to us.
enum Asked {
    /// Nothing of ours.
    Other,
    /// For a page of the list of tools.
    List { id: Value, first: bool },
    /// A call of a tool.
    Call(Pending),
}

impl Mcp {
    pub(super) fn new(upstream: Upstream, observer: Observer) -> Self {
        Self {
            upstream,
            sessions: Sessions::new(observer),
        }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let here = request.uri().path().trim_end_matches('/') == self.upstream.target.path;
        if !here || request.headers().contains_key(header::UPGRADE) {
            return self.untouched(request).await;
        }
        if request.method() == Method::POST {
            let (parts, body) = request.into_parts();
            return self.post(parts, wire::untouched(body)).await;
        }
        let session = self.sessions.of(request.headers());
        if request.method() == Method::DELETE {
            self.sessions.forget(request.headers());
        }
        let stream = request.method() == Method::GET;
        match self.upstream.pass(request).await {
            Ok(response) if stream && is_stream(&response) => {
                let judge = Listener { session };
                sse::judged(response, judge, 0)
            }
            Ok(response) => clean::response(response).await,
            Err(lost) => failed(&lost),
        }
    }

    async fn untouched(&self, request: Request<Incoming>) -> Response<Body> {
        match self.upstream.pass(request).await {
            Ok(response) => clean::response(response).await,
            Err(lost) => failed(&lost),
        }
    }

    async fn post(&self, mut parts: Parts, body: Body) -> Response<Body> {
        let Ok(held) = Held::read(body, LONGEST).await else {
            return status(StatusCode::BAD_REQUEST);
        };
        let session = self.sessions.of(&parts.headers);
        let message = Some(&held.bytes)
            .filter(|bytes| held.is_whole() && mentions_tools(bytes))
            .and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
        let asked = message.as_ref().map_or(Asked::Other, asked);
        if let (Asked::Call(call), Some(message)) = (&asked, &message) {
            if session.is_due() {
                self.list(&parts, message, &session).await;
            }
            if let Some(answer) = session.desk().refusal(call) {
                return wire::message(answer, wire::only_events(&parts.headers));
            }
        }
        let events = wire::only_events(&parts.headers);
        wire::readable(&mut parts.headers);
        let request = Request::from_parts(parts, held.into_body());
        let sent = self.upstream.send(request).await;
        let mut exchange = Exchange { session, asked };
        let response = match sent {
            Ok(response) => response.map(wire::untouched),
            Err(lost) => {
                return match exchange.lost(&lost) {
                    Some(answer) => wire::message(answer, events),
                    None => failed(&lost),
                };
            }
        };
        if wire::is_encoded(response.headers()) {
            return clean::response(response).await;
        }
        if response.status().is_success() && is_stream(&response) {
            let seconds = self.upstream.timeout;
            return sse::judged(response, exchange, seconds);
        }
        amended(response, &mut exchange, events, self.upstream.timeout).await
    }

    /// Reads the list of tools in the name of a call.
    async fn list(&self, parts: &Parts, message: &Value, session: &Arc<Session>) {
        let _one_at_a_time = session.listing.lock().await;
        if !session.is_due() {
            return;
        }
        let meta = message.pointer("/params/_meta");
        let mut cursor: Option<String> = None;
        for page in 0..MOST_PAGES {
            let asked = list_request("aon-proxy", cursor.as_deref(), meta);
            let answer = tokio::time::timeout(LIST_PATIENCE, self.page(parts, asked)).await;
            let Ok(Some(answer)) = answer else {
                // Whoever may not list may still call; the next call asks again.
                return;
            };
            let Some(result) = answer.get("result") else {
                session.refused_list();
                return;
            };
            session.desk().listed(result, page == 0);
            cursor = next_cursor(result).map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        session.listed();
    }

    /// One page: the message that answers.
    async fn page(&self, parts: &Parts, asked: Vec<u8>) -> Option<Value> {
        let mut request = Request::new(wire::full(asked));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = parts.uri.clone();
        *request.version_mut() = parts.version;
        let headers = request.headers_mut();
        *headers = parts.headers.clone();
        for name in [
            "content-length",
            "mcp-name",
            "last-event-id",
            "accept-encoding",
            "expect",
        ] {
            headers.remove(name);
        }
        if headers.contains_key("mcp-method") {
            headers.insert("mcp-method", HeaderValue::from_static("tools/list"));
        }
        let response = self.upstream.send(request).await.ok()?;
        let response = response.map(wire::untouched);
        if !response.status().is_success() || wire::is_encoded(response.headers()) {
            return None;
        }
        let stream = is_stream(&response);
        let mut body = response.into_body();
        if !stream {
            let held = Held::read(body, LONGEST).await.ok()?;
            return serde_json::from_slice(&held.bytes).ok();
        }
        sse::first(&mut body, LONGEST, |message| {
            let value = serde_json::from_slice::<Value>(message).ok()?;
            (value.get("id")? == "aon-proxy").then_some(value)
        })
        .await
    }
}

/// Whether a message may be about tools.
fn mentions_tools(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains("tools/"))
}

fn asked(message: &Value) -> Asked {
    let id = message.get("id").filter(|id| !id.is_null());
    match (message.get("method").and_then(Value::as_str), id) {
        (Some("tools/list"), Some(id)) => Asked::List {
            id: id.clone(),
            first: message.pointer("/params/cursor").is_none(),
        },
        (Some("tools/call"), Some(_)) => Asked::Call(Pending::of(message, 0)),
        _ => Asked::Other,
    }
}

fn is_stream(response: &Response<Body>) -> bool {
    wire::media_type(response.headers()) == "text/event-stream"
        && !wire::is_encoded(response.headers())
}

/// One request of the client and what comes back for it.
struct Exchange {
    session: Arc<Session>,
    asked: Asked,
}

impl Exchange {
    /// The answer of our own where the server has none.
    fn lost(&mut self, lost: &Lost) -> Option<Vec<u8>> {
        self.answered(problem_of(lost))
    }

    fn answered(&mut self, problem: ProblemDetails) -> Option<Vec<u8>> {
        match std::mem::replace(&mut self.asked, Asked::Other) {
            Asked::Call(call) => Some(self.session.desk().answer(&call, problem)),
            Asked::Other | Asked::List { .. } => None,
        }
    }
}

impl Exchange {
    fn one(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        let head = serde_json::from_slice::<Head<'_>>(message).ok()?;
        if let Some(method) = head.method {
            self.session.notified(method.get());
            return None;
        }
        let answers = head
            .id
            .and_then(|id| serde_json::from_str::<Value>(id.get()).ok())
            .unwrap_or_default();
        match &self.asked {
            Asked::Call(call) if call.id == answers => {
                let amended = self.session.desk().amended(call, &head);
                self.asked = Asked::Other;
                amended
            }
            Asked::List { id, first } if *id == answers => {
                let page = head
                    .result
                    .and_then(|page| serde_json::from_str(page.get()).ok());
                if let Some(page) = page {
                    self.session.desk().listed(&page, *first);
                    self.session.listed();
                }
                self.asked = Asked::Other;
                clean::answer(&head)
            }
            _ => clean::answer(&head),
        }
    }
}

impl Judge for Exchange {
    fn message(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        clean::each(message, |one| self.one(one))
    }

    fn ended(&mut self, how: Ended, resumable: bool) -> Option<Vec<u8>> {
        if how == Ended::Gone && resumable {
            // The answer may come on another stream.
            if let Asked::Call(call) = &self.asked {
                self.session.expect(call.clone());
            }
            return None;
        }
        self.answered(match how {
            Ended::Gone => judge::gone(),
            Ended::Late(seconds) => judge::late(seconds),
        })
    }
}

/// The stream a client listens on: notifications, and answers to calls whose own stream was cut.
struct Listener {
    session: Arc<Session>,
}

impl Listener {
    fn one(&self, message: &[u8]) -> Option<Vec<u8>> {
        let head = serde_json::from_slice::<Head<'_>>(message).ok()?;
        if let Some(method) = head.method {
            self.session.notified(method.get());
            return None;
        }
        match self.session.expected(head.id?.get()) {
            Some(call) => self.session.desk().amended(&call, &head),
            None => clean::answer(&head),
        }
    }
}

impl Judge for Listener {
    fn message(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        clean::each(message, |one| self.one(one))
    }

    fn ended(&mut self, _how: Ended, _resumable: bool) -> Option<Vec<u8>> {
        None
    }
}

/// A whole answer, amended. A status that means something to the protocol stays; a server in trouble answers no call.
async fn amended(
    response: Response<Body>,
    exchange: &mut Exchange,
    events: bool,
    seconds: u64,
) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let held = match Held::answer(body, parts.status, (LONGEST, SMALL), seconds).await {
        Ok(held) => held,
        Err(lost) => {
            return match exchange.lost(&lost) {
                Some(answer) => wire::message(answer, events),
                None => failed(&lost),
            };
        }
    };
    if !held.is_whole() && parts.status.is_success() {
        return Response::from_parts(parts, held.into_body());
    }
    if let Some(amended) = exchange.message(&held.bytes) {
        wire::describe(&mut parts.headers, "application/json");
        return Response::from_parts(parts, wire::full(amended));
    }
    let status = parts.status;
    let trouble = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    let nonsense = status.is_success() && !judge::is_message(&held.bytes);
    if (trouble || nonsense)
        && let Asked::Call(_) = exchange.asked
    {
        let problem = if nonsense {
            judge::nonsense()
        } else {
            judge::of_status(status.as_u16(), &parts.headers, &held.bytes)
        };
        if let Some(answer) = exchange.answered(problem) {
            return wire::message(answer, events);
        }
    }
    if held.is_whole() {
        clean::whole(parts, held)
    } else {
        clean::by_status(parts, &held.bytes)
    }
}

/// The problem of an answer that did not come.
pub(super) fn problem_of(lost: &Lost) -> ProblemDetails {
    match lost {
        Lost::NotSent => judge::unreachable(),
        Lost::NotAnswered => judge::gone(),
        Lost::Late(seconds) => judge::late(*seconds),
    }
}

/// What is not a call has no envelope of its own: a problem, as HTTP tells it.
pub(super) fn failed(lost: &Lost) -> Response<Body> {
    let problem = problem_of(lost);
    let code = problem.status().map_or(502, aon::Status::as_u16);
    let mut response = Response::new(wire::full(problem.to_vec()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
    wire::describe(response.headers_mut(), aon::surface::rest::MEDIA_TYPE);
    response
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(wire::empty());
    *response.status_mut() = status;
    response
}

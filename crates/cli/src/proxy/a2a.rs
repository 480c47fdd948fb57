//! A2A over JSON-RPC: errors get their envelope, in one body or in a stream, and the agent card names the proxy.

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::surface::Surface as _;
use aon::surface::a2a::A2a as Surface;
use aon::surface::a2a::{DataForm, Profile, Profiles};
use aon::{Json, ProblemDetails, redact};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::clean;
use super::desk::{Head, beside, error_of, words};
use super::judge::{self, Failed};
use super::mcp::{failed, problem_of};
use super::observe::{self, Observer};
use super::sse::{self, Ended, Judge};
use super::tools::Tools;
use super::upstream::{Lost, Upstream};
use super::wire::{self, Body, Held};

/// A longer message passes unread.
const LONGEST: usize = 16 << 20;
const SMALL: usize = 64 * 1024;
/// Where an agent tells of itself.
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
/// The methods of JSON-RPC, of 0.3 and of 1.0.
const METHODS: [&str; 21] = [
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
    "tasks/pushNotificationConfig/list",
    "tasks/pushNotificationConfig/delete",
    "agent/getAuthenticatedExtendedCard",
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

/// The proxy of one agent.
#[derive(Debug)]
pub(super) struct A2a {
    upstream: Upstream,
    observer: Observer,
    door: Door,
    profiles: Profiles,
    /// The address of the proxy.
    here: String,
}

impl A2a {
    pub(super) fn new(upstream: Upstream, observer: Observer, here: &str) -> Self {
        Self {
            upstream,
            observer,
            door: Door::new(),
            profiles: Profiles::new(),
            here: here.to_owned(),
        }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path();
        if request.method() == Method::GET && CARDS.iter().any(|card| path.ends_with(card)) {
            return self.card(request).await;
        }
        let here = path.trim_end_matches('/') == self.upstream.target.path;
        if !here || request.method() != Method::POST {
            return match self.upstream.pass(request).await {
                Ok(response) => clean::response(response).await,
                Err(lost) => failed(&lost),
            };
        }
        let (mut parts, body) = request.into_parts();
        let Ok(held) = Held::read(wire::untouched(body), LONGEST).await else {
            return failed(&Lost::NotAnswered);
        };
        let message = serde_json::from_slice::<Value>(&held.bytes).unwrap_or_default();
        let mut exchange = self.exchange(&message, &parts.headers, parts.uri.query());
        let events = wire::only_events(&parts.headers);
        wire::readable(&mut parts.headers);
        let sent = self
            .upstream
            .send(Request::from_parts(parts, held.into_body()))
            .await;
        let response = match sent {
            Ok(response) => response.map(wire::untouched),
            Err(lost) => {
                return match exchange.answered(problem_of(&lost)) {
                    Some(answer) => wire::message(answer, events),
                    None => failed(&lost),
                };
            }
        };
        if wire::is_encoded(response.headers()) {
            return clean::response(response).await;
        }
        let media = wire::media_type(response.headers());
        if response.status().is_success() && media == "text/event-stream" {
            let seconds = self.upstream.timeout;
            return sse::judged(response, exchange, seconds);
        }
        amended(response, &mut exchange, events, self.upstream.timeout).await
    }

    fn exchange(&self, message: &Value, headers: &HeaderMap, query: Option<&str>) -> Exchange {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let version =
            text("a2a-version").or_else(|| query.and_then(aon::surface::a2a::version_in_query));
        let extensions = text("a2a-extensions").or_else(|| text("x-a2a-extensions"));
        let profile = self
            .profiles
            .pick(version, extensions)
            .unwrap_or_else(|_unknown| self.profiles.newest())
            .clone();
        let method = message
            .get("method")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let id = message.get("id").filter(|id| !id.is_null()).cloned();
        if id.is_some() {
            self.observer.called(method);
        }
        Exchange {
            id,
            answered: false,
            method: method.to_owned(),
            params: message.get("params").cloned().unwrap_or_else(|| json!({})),
            profile,
            observer: self.observer.clone(),
            door: self.door.clone(),
        }
    }

    /// The agent card, with the proxy's address where the server's was. One that is signed stays as it is.
    async fn card(&self, request: Request<Incoming>) -> Response<Body> {
        let response = match self.upstream.pass(request).await {
            Ok(response) => response,
            Err(lost) => return failed(&lost),
        };
        if !response.status().is_success() || wire::is_encoded(response.headers()) {
            return clean::response(response).await;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(held) = Held::read(body, LONGEST).await else {
            return failed(&Lost::NotAnswered);
        };
        let card = serde_json::from_slice::<Value>(&held.bytes)
            .ok()
            .filter(|_| held.is_whole());
        let Some(mut card) = card else {
            return Response::from_parts(parts, held.into_body());
        };
        self.observer.listed(&card);
        let signed = card
            .get("signatures")
            .is_some_and(|signed| !signed.is_null());
        if signed || !readdressed(&mut card, &self.upstream.target.origin(), &self.here) {
            return Response::from_parts(parts, held.into_body());
        }
        wire::describe(&mut parts.headers, "application/json");
        Response::from_parts(parts, wire::full(card.to_string()))
    }
}

/// Puts one origin in the place of another wherever a card says `url`; whether it did.
fn readdressed(card: &mut Value, from: &str, to: &str) -> bool {
    let mut changed = false;
    let moved = |url: &str| {
        let rest = url.strip_prefix(from)?;
        let whole = rest.is_empty() || rest.starts_with(['/', '?', '#']);
        whole.then(|| format!("{to}{rest}"))
    };
    let mut places = vec![card.get_mut("url")];
    let card = match places.pop().flatten() {
        Some(Value::String(url)) => {
            if let Some(new) = moved(url) {
                *url = new;
                changed = true;
            }
            card
        }
        _ => card,
    };
    for list in ["additionalInterfaces", "supportedInterfaces"] {
        let interfaces = card.get_mut(list).and_then(Value::as_array_mut);
        for interface in interfaces.into_iter().flatten() {
            if let Some(Value::String(url)) = interface.get_mut("url")
                && let Some(new) = moved(url)
            {
                *url = new;
                changed = true;
            }
        }
    }
    changed
}

/// One request and what comes back for it.
struct Exchange {
    /// `None` for a notification.
    id: Option<Value>,
    answered: bool,
    method: String,
    params: Value,
    profile: Profile,
    observer: Observer,
    door: Door,
}

impl Exchange {
    fn lost(&mut self, lost: &Lost) -> Option<Vec<u8>> {
        self.answered(problem_of(lost))
    }

    /// An answer of our own, where somebody waits.
    fn answered(&mut self, problem: ProblemDetails) -> Option<Vec<u8>> {
        let id = self.id.clone().filter(|_| !self.answered)?;
        self.answered = true;
        let failure = self.failure(problem);
        let id = Json::of(&id).ok();
        let at = aon::surface::Call {
            arguments: failure.arguments(),
            id: id.as_ref(),
        };
        let mut out = Vec::new();
        Surface::new(self.profile.clone()).project(failure.problem(), &at, &mut out);
        Some(out)
    }

    /// The problem through the door: without secrets, with its ids, and counted.
    fn failure(&self, problem: ProblemDetails) -> Occurrence {
        let facts = Facts::new("a2a").with_path(self.method.clone());
        let scope = Scope::open(&self.door, facts);
        let arguments = Json::of(&self.params).ok();
        let occurrence = Occurrence::built_in(problem).with_arguments(arguments.clone());
        let problem = scope.pass(occurrence, "a2a").into_problem();
        let actionable = observe::is_actionable(&problem);
        self.observer
            .failed(&self.method, &self.params, &problem, actionable);
        Occurrence::new(problem).with_arguments(arguments)
    }

    /// An error keeps its number and words, and gets the envelope beside the data it has. Secrets stay here.
    fn amended(&self, id: &Value, mut error: Value) -> Option<Vec<u8>> {
        if is_ours(error.get("data")) {
            return None;
        }
        redact::json(&mut error);
        let data = error.get("data").cloned().unwrap_or_default();
        let message = error.get("message").and_then(Value::as_str);
        let number = error.get("code").and_then(Value::as_i64);
        let problem = self.problem(
            number.unwrap_or_default(),
            message.unwrap_or_default(),
            &words(&error),
        );
        let failure = self.failure(problem);
        let at = aon::surface::Call {
            arguments: failure.arguments(),
            id: None,
        };
        let mut out = Vec::new();
        let whole = Surface::new(self.profile.clone());
        let object = Surface::new(self.profile.clone().with_data(DataForm::Object));
        let empty = data.is_null() || data.as_str().is_some_and(str::is_empty);
        let shape = if empty { &whole } else { &object };
        shape.write_data(failure.problem(), &at, &mut out);
        let ours = serde_json::from_slice::<Value>(&out).unwrap_or_default();
        error["data"] = beside(data, ours);
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
        Some(answer.to_string().into_bytes())
    }

    fn problem(&self, number: i64, message: &str, words: &str) -> ProblemDetails {
        if number == -32601 {
            return aon::jsonrpc::unknown_operation("method", &self.method, METHODS);
        }
        let kind = i32::try_from(number)
            .ok()
            .and_then(|number| self.profile.kind_of_number(number));
        let tools = Tools::default();
        let told = Failed {
            tool: &self.method,
            arguments: &self.params,
            status: kind.map(aon::surface::a2a::Kind::status),
            text: words,
            tools: &tools,
        }
        .problem();
        let code = kind.map(aon::surface::a2a::Kind::code);
        let (Some(code), Some(status)) = (code, told.status()) else {
            return told;
        };
        let mut problem = ProblemDetails::new(status, aon::Code::from_static(code))
            .with_title(status.phrase())
            .with_detail(message.chars().take(1024).collect::<String>());
        for pointer in told.field_paths() {
            problem = problem.with_pointer(&pointer, None);
        }
        for (field, values) in told.valid_values().iter() {
            problem = problem.with_valid_values(field.to_owned(), values);
        }
        match told.retry_after() {
            Some(delay) => problem.with_retry_after(delay),
            None => problem,
        }
    }
}

/// Whether an agent speaks for itself already.
fn is_ours(data: Option<&Value>) -> bool {
    let Some(data) = data else {
        return false;
    };
    let ours =
        |value: &Value| value.get("schema").and_then(Value::as_str) == Some("pspace.a2a.error.v1");
    ours(data) || data.as_array().is_some_and(|items| items.iter().any(ours))
}

impl Exchange {
    fn one(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        let head = serde_json::from_slice::<Head<'_>>(message).ok()?;
        if head.method.is_some() {
            return None;
        }
        let own = head
            .id
            .and_then(|own| serde_json::from_str::<Value>(own.get()).ok())
            .unwrap_or_default();
        let answers = self
            .id
            .as_ref()
            .is_some_and(|id| own.is_null() || own == *id);
        if !answers {
            return clean::answer(&head);
        }
        if let Some(error) = head.error {
            let error = error_of(error);
            self.answered = true;
            return self.amended(&own, error).or_else(|| clean::answer(&head));
        }
        if head.result.is_some() && !self.answered {
            // A stream goes on after its first result, and may still fail.
            self.observer.succeeded(&self.method, &self.params);
            self.answered = true;
        }
        None
    }
}

impl Judge for Exchange {
    fn message(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        clean::each(message, |one| self.one(one))
    }

    fn ended(&mut self, how: Ended, _resumable: bool) -> Option<Vec<u8>> {
        self.answered(match how {
            Ended::Gone => judge::gone(),
            Ended::Late(seconds) => judge::late(seconds),
        })
    }
}

/// A whole answer, amended. A status that means something to HTTP stays; an agent in trouble answers no call.
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
    let trouble = parts.status.is_server_error() || parts.status == StatusCode::TOO_MANY_REQUESTS;
    let nonsense = parts.status.is_success() && !judge::is_message(&held.bytes);
    if (trouble || nonsense) && !exchange.answered {
        let problem = if nonsense {
            judge::nonsense()
        } else {
            judge::of_status(parts.status.as_u16(), &parts.headers, &held.bytes)
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

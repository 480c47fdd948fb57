//! Requests: JSON-RPC at the address of the agent, HTTP+JSON below it, and the card where agents have it.

use aon::door::Occurrence;
use aon::jsonrpc::{Exchange, Incoming, Request as RpcRequest};
use aon::surface::Surface as _;
use aon::surface::a2a::Profile;
use aon::surface::a2a::status::{HttpJson, MEDIA_TYPE};
use aon::{Failure, Json};
use axum::Router;
use axum::body::Body;
use axum::routing::{any, get, post};
use bytes::Bytes;
use http::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_NONE_MATCH, LAST_MODIFIED,
};
use http::request::Parts;
use http::{Method as Verb, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use serde_json::{Map, Value};

use super::fault::AgentFault;
use super::method::{Answer, Method};
use super::push::Verb as Push;
use super::stream::{Reply, Wrap};
use super::{Agent, Asked, CardText, WELL_KNOWN};
use crate::access::Caller;
use crate::fault::Fault;
use crate::glass::stream_headers;
use crate::id::{Cursor, TraceId};
use crate::surface::a2a::{Dialect, SESSION_EXTENSION, camel};

impl Agent {
    /// The routes of the agent: its card, JSON-RPC at its address, and HTTP+JSON below it.
    pub fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let path = self.0.path.trim_end_matches('/').to_owned();
        let (agent, card) = (self.clone(), self.clone());
        let all = move |request: Request<Body>| {
            let agent = agent.clone();
            async move { agent.serve(request).await }
        };
        let mut router = Router::new()
            .route(
                WELL_KNOWN,
                get(async move |request: Request<Body>| card.serve(request).await),
            )
            .route(&format!("{path}/"), post(all.clone()).get(all.clone()))
            .route(&format!("{path}/{{*rest}}"), any(all.clone()));
        if !path.is_empty() {
            router = router.route(&path, post(all.clone()).get(all));
        }
        router
    }

    async fn serve(&self, request: Request<Body>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let limit = self.0.endpoint.limits().bytes;
        let mut response = match Limited::new(body, limit).collect().await {
            Ok(body) => self.handle(&parts, &body.to_bytes()).await.map(Body::new),
            Err(error) => self.0.endpoint.open(&parts).unread(&*error).map(Body::from),
        };
        response.extensions_mut().insert(aon::axum::Passthrough);
        response
    }

    /// Answers one request, for servers that are not axum: its head and its body come in, a response goes out. The body of the
    /// response is whole, or a stream of pieces.
    pub async fn handle(&self, parts: &Parts, body: &[u8]) -> Response<Reply> {
        let path = parts.uri.path();
        if path.ends_with(WELL_KNOWN) {
            return self.show_card(parts);
        }
        let own = self.0.path.trim_end_matches('/');
        let rest = path
            .strip_prefix(own)
            .unwrap_or(path)
            .trim_start_matches('/');
        let mut response = if rest.is_empty() && parts.method == Verb::GET {
            // Whoever only looks finds out what this is.
            return self.show_card(parts);
        } else if rest.is_empty() {
            self.rpc(parts, body).await
        } else {
            self.rest(parts, rest, body).await
        };
        echo(&parts.headers, response.headers_mut());
        response
    }

    fn show_card(&self, parts: &Parts) -> Response<Reply> {
        let CardText { text, tag, since } = &*self.0.card_text;
        let known = parts
            .headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|line| line.to_str().ok());
        let known = known.flat_map(|line| line.split(',')).any(|each| {
            let each = each.trim();
            each == "*" || each.trim_start_matches("W/") == tag
        });
        let mut response = Response::new(Reply::whole(if known {
            Bytes::new()
        } else {
            Bytes::from(text.clone())
        }));
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=60"));
        for (name, value) in [(ETAG, tag), (LAST_MODIFIED, since)] {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
        response
    }

    fn asked(
        &self,
        parts: &Parts,
        exchange: &Exchange,
        caller: Option<Caller>,
        dialect: Dialect,
    ) -> Asked {
        let header = |name: &str| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let environment = self.0.hub.0.settings.environment;
        Asked {
            dialect,
            detail: Caller::sees_detail(caller.as_ref(), environment),
            caller,
            scope: exchange.scope().clone(),
            trace: header("traceparent").and_then(TraceId::of_traceparent),
            cursor: header("last-event-id")
                .filter(|id| !id.is_empty())
                .map(Cursor::parse),
        }
    }

    async fn rpc(&self, parts: &Parts, body: &[u8]) -> Response<Reply> {
        let exchange = self.0.endpoint.open(parts);
        if parts.method != Verb::POST {
            let mut response = exchange
                .refuse(&Occurrence::built_in(wrong_verb(&["POST"])), b"")
                .map(Reply::whole);
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            response
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let caller = match self.0.hub.caller(parts) {
            Ok(caller) => caller,
            Err(fault) => {
                // The credentials of the request itself: what clients renew them by is the status.
                let mut response = exchange
                    .refuse(&Occurrence::of(&fault), body)
                    .map(Reply::whole);
                *response.status_mut() = StatusCode::UNAUTHORIZED;
                return response;
            }
        };
        match exchange.read(body) {
            Err(refused) => refused.map(Reply::whole),
            Ok(Incoming::Single(request)) => {
                match self.call(parts, &exchange, caller, &request).await {
                    Ok(Answer::Whole(value)) => exchange
                        .outcome::<Failure>(&request, Ok(Json::from(&value)))
                        .map(Reply::whole),
                    Err(failure) => {
                        let response = exchange.outcome(&request, Err(failure));
                        if reads_only_events(parts, &request) {
                            as_event(response)
                        } else {
                            response.map(Reply::whole)
                        }
                    }
                    Ok(Answer::Stream(source)) => {
                        let id = request
                            .id()
                            .cloned()
                            .unwrap_or_else(|| Json::from(&Value::Null));
                        let dialect = dialect_of(&request);
                        let mut response = Response::new(source.into_reply(Wrap::Rpc(id, dialect)));
                        stream_headers(response.headers_mut(), crate::accept::SSE);
                        exchange.echo(response.headers_mut());
                        response
                    }
                }
            }
            Ok(Incoming::Batch(requests)) => {
                let mut answers = Vec::with_capacity(requests.len());
                for request in &requests {
                    answers.push(match request {
                        Err(rejected) => exchange.rejected(rejected),
                        Ok(request) => {
                            let answer = self.call(parts, &exchange, caller.clone(), request).await;
                            let outcome = match answer {
                                Ok(Answer::Whole(value)) => Ok(Json::from(&value)),
                                Ok(Answer::Stream(_)) => Err(AgentFault::StreamInBatch.failure()),
                                Err(failure) => Err(failure),
                            };
                            exchange.outcome(request, outcome)
                        }
                    });
                }
                exchange.batch(answers).map(Reply::whole)
            }
        }
    }

    async fn call(
        &self,
        parts: &Parts,
        exchange: &Exchange,
        caller: Option<Caller>,
        request: &RpcRequest,
    ) -> Result<Answer, Failure> {
        let official = exchange
            .scope()
            .profile()
            .is_some_and(|profile| profile.name() == "a2a-1.0");
        let (method, dialect) = Method::find(request.method(), official)?;
        let mut params = request.params().map_or(Value::Null, Json::to_value);
        if dialect == Dialect::V10 {
            proto_names(&mut params);
        }
        let asked = self.asked(parts, exchange, caller, dialect);
        self.ask(method, &asked, &params).await
    }

    async fn rest(&self, parts: &Parts, rest: &str, body: &[u8]) -> Response<Reply> {
        let exchange = self.0.endpoint.open(parts);
        let outcome = self.rest_answer(parts, rest, body, &exchange).await;
        let media = if names_a2a(&parts.headers) {
            MEDIA_TYPE
        } else {
            "application/json"
        };
        let mut response = match outcome {
            Ok(Answer::Whole(value)) => {
                let mut response = Response::new(Reply::whole(value.to_string()));
                response
                    .headers_mut()
                    .insert(CONTENT_TYPE, HeaderValue::from_static(media));
                response
            }
            Ok(Answer::Stream(source)) => {
                let mut response = Response::new(source.into_reply(Wrap::Plain));
                stream_headers(response.headers_mut(), crate::accept::SSE);
                response
            }
            Err(failure) => {
                let passed = exchange.scope().pass(exchange.honest(failure), "a2a");
                let surface = HttpJson::new(Profile::A2A_1_0);
                let mut out = Vec::new();
                surface.project(passed.problem(), &passed.call(None), &mut out);
                let mut response = Response::new(Reply::whole(out));
                *response.status_mut() =
                    StatusCode::from_u16(surface.http_status(passed.problem()))
                        .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let headers = response.headers_mut();
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
                for (name, value) in Profile::A2A_1_0.http_headers(passed.problem()) {
                    if let Ok(value) = HeaderValue::from_str(&value) {
                        headers.insert(HeaderName::from_static(name), value);
                    }
                }
                let verbs = place(rest).map(|(_, verbs)| verbs).unwrap_or_default();
                let verbs: Vec<&str> = verbs.into_iter().map(|(verb, _)| verb).collect();
                if !verbs.is_empty()
                    && !verbs.contains(&parts.method.as_str())
                    && let Ok(value) = HeaderValue::from_str(&verbs.join(", "))
                {
                    headers.insert(ALLOW, value);
                }
                response
            }
        };
        exchange.echo(response.headers_mut());
        response
    }

    async fn rest_answer(
        &self,
        parts: &Parts,
        rest: &str,
        body: &[u8],
        exchange: &Exchange,
    ) -> Result<Answer, Failure> {
        if let Some(refused) = exchange.refused() {
            return Err(Failure::built_in(refused.problem().clone()));
        }
        let caller = self
            .0
            .hub
            .caller(parts)
            .map_err(|fault| Occurrence::of(&fault))?;
        let mut asked = self.asked(parts, exchange, caller, Dialect::V10);
        let (method, ids) = route(&parts.method, rest)?;
        let mut params = if parts.method == Verb::POST && !body.is_empty() {
            match serde_json::from_slice(body) {
                Ok(Value::Object(members)) => members,
                Ok(_) => return Err(super::fault::invalid("", "the body must be an object")),
                Err(_) => return Err(Failure::built_in(aon::jsonrpc::parse_error())),
            }
        } else if method == Method::Send || method == Method::Stream {
            return Err(super::fault::invalid("/message", "message is required"));
        } else {
            query(parts.uri.query().unwrap_or_default())
        };
        if let Some(last) = params.remove("lastEventId")
            && asked.cursor.is_none()
        {
            asked.cursor = last.as_str().map(Cursor::parse);
        }
        for (name, id) in ids {
            params.insert(name.to_owned(), Value::from(id));
        }
        let mut params = Value::Object(params);
        proto_names(&mut params);
        self.ask(method, &asked, &params).await
    }
}

/// Which ids stand in an address, and what is asked for by each method.
type Place<'a> = (Vec<(&'static str, &'a str)>, Vec<(&'static str, Method)>);

/// What an address below that of the agent asks for.
fn place(rest: &str) -> Option<Place<'_>> {
    let steps: Vec<&str> = rest.split('/').collect();
    let get = |method| [("GET", method)].into();
    let post = |method| [("POST", method)].into();
    let about = |task| vec![("id", task)];
    Some(match steps.as_slice() {
        ["message:send"] => (Vec::new(), post(Method::Send)),
        ["message:stream"] => (Vec::new(), post(Method::Stream)),
        ["tasks"] => (Vec::new(), get(Method::List)),
        ["extendedAgentCard"] => (Vec::new(), get(Method::ExtendedCard)),
        ["tasks", task] => match task.rsplit_once(':') {
            Some((task, "cancel")) => (about(task), post(Method::Cancel)),
            // 1.0.1 says both.
            Some((task, "subscribe")) => {
                let either = ["GET", "POST"].map(|verb| (verb, Method::Subscribe));
                (about(task), either.into())
            }
            _ => (about(task), get(Method::Get)),
        },
        ["tasks", task, "pushNotificationConfigs"] => {
            let verbs = [("GET", Push::List), ("POST", Push::Create)];
            let verbs = verbs.map(|(verb, push)| (verb, Method::Push(push)));
            (vec![("taskId", task)], verbs.into())
        }
        ["tasks", task, "pushNotificationConfigs", config] => {
            let verbs = [("GET", Push::Get), ("DELETE", Push::Delete)];
            let verbs = verbs.map(|(verb, push)| (verb, Method::Push(push)));
            (vec![("taskId", task), ("id", config)], verbs.into())
        }
        _ => return None,
    })
}

/// What is asked for, and the ids in the address.
type Route = (Method, Vec<(&'static str, String)>);

fn route(verb: &Verb, rest: &str) -> Result<Route, Failure> {
    let Some((ids, verbs)) = place(rest) else {
        let known = [
            "message:send",
            "message:stream",
            "tasks",
            "extendedAgentCard",
        ];
        let problem = aon::jsonrpc::unknown_operation("operation", rest, known);
        return Err(Failure::built_in(problem));
    };
    let found = verbs.iter().find(|(name, _)| verb.as_str() == *name);
    let Some((_, method)) = found else {
        let verbs: Vec<&str> = verbs.iter().map(|(verb, _)| *verb).collect();
        return Err(Failure::built_in(wrong_verb(&verbs)));
    };
    let ids = ids.into_iter().map(|(name, id)| (name, decoded(id)));
    Ok((*method, ids.collect()))
}

fn wrong_verb(verbs: &[&str]) -> aon_core::ProblemDetails {
    use aon_core::Problem as _;
    Fault::MethodNotAllowed {
        methods: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
    }
    .to_problem()
}

/// `ProtoJSON` takes the names of the protocol's own definition too: `history_length` for `historyLength`.
fn proto_names(params: &mut Value) {
    fn rename(object: &mut Value) {
        let Some(members) = object.as_object_mut() else {
            return;
        };
        let names: Vec<String> = members
            .keys()
            .filter(|name| name.contains('_'))
            .cloned()
            .collect();
        for name in names {
            let own = camel(&name);
            if let Some(value) = members
                .remove(&name)
                .filter(|_| !members.contains_key(&own))
            {
                members.insert(own, value);
            }
        }
    }
    rename(params);
    for place in [
        "/configuration",
        "/configuration/taskPushNotificationConfig",
        "/message",
    ] {
        params.pointer_mut(place).into_iter().for_each(rename);
    }
    let parts = params
        .pointer_mut("/message/parts")
        .and_then(Value::as_array_mut);
    parts.into_iter().flatten().for_each(rename);
}

/// The parameters of a query, each of the type it looks like.
fn query(query: &str) -> Map<String, Value> {
    let mut params = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name), decoded(&value.replace('+', " ")));
        let typed = match &*name {
            "pageSize" | "historyLength" => value.parse::<i64>().map(Value::from).ok(),
            "includeArtifacts" => value.parse::<bool>().map(Value::from).ok(),
            _ => None,
        };
        params.insert(name, typed.unwrap_or(Value::from(value)));
    }
    params
}

/// Text of an address; what is not encoded well stays as it is.
fn decoded(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = digit(bytes.get(at + 1)).zip(digit(bytes.get(at + 2)));
        let code = code.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        if let Some(code) = code.filter(|_| *byte == b'%') {
            out.push(code);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn names_a2a(headers: &HeaderMap) -> bool {
    let mut lines = headers
        .get_all(ACCEPT)
        .iter()
        .chain(headers.get_all(CONTENT_TYPE));
    lines.any(|line| line.to_str().is_ok_and(|line| line.contains(MEDIA_TYPE)))
}

fn dialect_of(request: &RpcRequest) -> Dialect {
    if request.method().contains('/') {
        Dialect::V03
    } else {
        Dialect::V10
    }
}

/// Whether the error of a stream must be an event of it. The clients of 0.3 itself read nothing else where they expect a stream; those
/// of 1.0 that speak 0.3 name the version, and keep the class of an error that is a response.
fn reads_only_events(parts: &Parts, request: &RpcRequest) -> bool {
    let streams = Method::find(request.method(), false).is_ok_and(|(method, dialect)| {
        dialect == Dialect::V03 && matches!(method, Method::Stream | Method::Subscribe)
    });
    let names = |media: &str| {
        let mut lines = parts.headers.get_all(ACCEPT).iter();
        lines.any(|line| line.to_str().is_ok_and(|line| line.contains(media)))
    };
    streams
        && parts
            .headers
            .get("a2a-version")
            .is_none_or(HeaderValue::is_empty)
        && names(crate::accept::SSE)
        && !names("application/json")
}

/// An error as the only event of a stream; the answer to a notification stays empty.
fn as_event(response: Response<Vec<u8>>) -> Response<Reply> {
    let mut response = response.map(|body| match body.as_slice() {
        [] => body,
        error => [b"data: ", error, b"\n\n"].concat(),
    });
    if !response.body().is_empty() {
        stream_headers(response.headers_mut(), crate::accept::SSE);
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response.map(Reply::whole)
}

/// Says that tasks are sessions, where that was asked for.
fn echo(asked: &HeaderMap, headers: &mut HeaderMap) {
    for name in ["a2a-extensions", "x-a2a-extensions"] {
        let lines = asked
            .get_all(name)
            .iter()
            .filter_map(|line| line.to_str().ok());
        let wanted = lines
            .flat_map(|line| line.split(','))
            .any(|uri| uri.trim() == SESSION_EXTENSION);
        if !wanted {
            continue;
        }
        let name = HeaderName::from_static(name);
        let others = headers
            .get(&name)
            .and_then(|line| line.to_str().ok())
            .map(|line| format!("{line}, "));
        let all = format!("{}{SESSION_EXTENSION}", others.unwrap_or_default());
        if let Ok(value) = HeaderValue::from_str(&all) {
            headers.insert(name, value);
        }
    }
}

//! A2A over JSON-RPC: each request picks its profile, each skill is an operation.

use aon::jsonrpc::{self, Incoming, Rejected, Request};
use aon::surface::a2a::{A2a, EXTENSION_URI, Profile, is_activated};
use aon::surface::{Call, Surface};
use aon::{Json, Namespace, Problem, ProblemDetails};
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use serde_json::{Value, json};
use std::sync::Arc;

use self::message::{Dialect, Skill};
use super::domain::Store;
use super::ids;
use super::rpc::RpcError;
use super::serve::limits;

mod message;

/// The methods that are answered, in both spellings.
const METHODS: [&str; 6] = [
    "SendMessage",
    "GetTask",
    "CancelTask",
    "ListTasks",
    "message/send",
    "tasks/get",
];

/// What the headers of one HTTP request decide.
struct Exchange {
    surface: A2a,
    request_id: String,
    /// The headers that activated our extension, to be echoed. A client of 0.3 may send both spellings.
    echo: Vec<&'static str>,
}

/// A JSON-RPC answer, and the HTTP facts it wants.
struct Reply {
    body: Vec<u8>,
    status: u16,
    headers: Vec<(&'static str, String)>,
}

impl Reply {
    fn of(body: Vec<u8>) -> Self {
        Self {
            body,
            status: 200,
            headers: Vec::new(),
        }
    }
}

/// Answers `POST /a2a`.
pub(crate) async fn handle(
    State(store): State<Arc<Store>>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let (exchange, refused) = Exchange::of(&uri, &headers);
    let limit = limits().bytes;
    let Ok(bytes) = axum::body::to_bytes(body, limit).await else {
        let problem = jsonrpc::too_large(limit);
        return exchange.respond(Some(exchange.fail(&problem, &Call::default())));
    };
    let refused = refused.or_else(|| {
        let media = foreign_media(&headers)?;
        let problem = RpcError::ContentTypeNotSupported { media }.to_problem();
        Some(
            problem.with_valid_values("content-type", ["application/json", "application/a2a+json"]),
        )
    });
    match refused {
        Some(problem) => exchange.respond(Some(exchange.turn_away(&problem, &bytes))),
        None => exchange.respond(exchange.answer(&store, &bytes)),
    }
}

impl Exchange {
    /// Reads the headers; the problem, if they name a version there is not.
    fn of(uri: &Uri, headers: &HeaderMap) -> (Self, Option<ProblemDetails>) {
        // A list may stand on several lines.
        let asked = |name: &str| {
            let mut lines = headers.get_all(name).iter();
            lines.find_map(|line| line.to_str().ok().filter(|line| is_activated(Some(line))))
        };
        let echo: Vec<&'static str> = ["a2a-extensions", "x-a2a-extensions"]
            .into_iter()
            .filter(|name| asked(name).is_some())
            .collect();
        let extensions = echo.first().and_then(|name| asked(name));
        let version = headers.get("a2a-version");
        let version = version.and_then(|value| value.to_str().ok());
        let version = version.or_else(|| Profile::version_in_query(uri.query()?));
        let (profile, refused) = match Profile::for_request(version, extensions) {
            Ok(profile) => (profile, None),
            Err(problem) => (Profile::A2A_1_0, Some(problem)),
        };
        let exchange = Self {
            surface: A2a::new(profile),
            request_id: ids::request_id(Some(headers)),
            echo,
        };
        (exchange, refused)
    }

    /// The answer to a body: one, a batch of them, or none to notifications.
    fn answer(&self, store: &Store, bytes: &[u8]) -> Option<Reply> {
        match jsonrpc::parse_within(bytes, limits()) {
            Ok(Incoming::Single(request)) => self.one(store, &request),
            Ok(Incoming::Batch(requests)) => {
                let replies: Vec<Reply> = requests
                    .iter()
                    .filter_map(|request| match request {
                        Ok(request) => self.one(store, request),
                        Err(rejected) => Some(self.refuse(rejected)),
                    })
                    .collect();
                join(replies)
            }
            Err(rejected) => Some(self.refuse(&rejected)),
        }
    }

    /// The answer to a request whose headers are refused: to its id, where it has one.
    fn turn_away(&self, problem: &ProblemDetails, bytes: &[u8]) -> Reply {
        let id = match jsonrpc::parse_within(bytes, limits()) {
            Ok(Incoming::Single(request)) => request.id().cloned(),
            Ok(Incoming::Batch(_)) => None,
            Err(rejected) => rejected.id().cloned(),
        };
        let call = Call {
            id: id.as_ref(),
            ..Call::default()
        };
        self.fail(problem, &call)
    }

    fn refuse(&self, rejected: &Rejected) -> Reply {
        let call = Call {
            id: rejected.id(),
            ..Call::default()
        };
        self.fail(rejected.problem(), &call)
    }

    fn one(&self, store: &Store, request: &Request) -> Option<Reply> {
        let outcome = self.run(store, request);
        let id = request.id()?;
        Some(match outcome {
            Ok(result) => Reply::of(jsonrpc::success_response(&Json::from(&result), Some(id))),
            Err(failure) => {
                let call = Call {
                    arguments: failure.arguments.as_ref(),
                    id: Some(id),
                };
                self.fail(&failure.problem, &call)
            }
        })
    }

    fn run(&self, store: &Store, request: &Request) -> Result<Value, Failure> {
        let params = request.params().map_or(Value::Null, Json::to_value);
        let Some(dialect) = Dialect::of(request.method()) else {
            return other_method(request.method(), &params);
        };
        let Skill { operation, data } = message::skill(&params).map_err(|problem| Failure {
            problem,
            // A name of a skill that is nearly right is corrected in the part that holds it.
            arguments: message::data(&params).map(Json::from),
        })?;
        let mut arguments = data.clone();
        if let Value::Object(members) = &mut arguments {
            members.remove("skill");
        }
        let result = operation
            .call(store, &arguments)
            .map_err(|problem| Failure {
                problem,
                arguments: Some(Json::from(data)),
            })?;
        Ok(dialect.reply(&self.request_id, &result))
    }

    fn fail(&self, problem: &ProblemDetails, call: &Call<'_>) -> Reply {
        let problem = problem
            .clone()
            .with_request_id(&Namespace::DEFAULT, self.request_id.clone());
        let mut body = Vec::new();
        self.surface.project(&problem, call, &mut body);
        let profile = self.surface.profile();
        Reply {
            body,
            status: profile.http_status(&problem),
            headers: profile.http_headers(&problem),
        }
    }

    fn respond(&self, reply: Option<Reply>) -> Response {
        let mut response = Response::new(Body::empty());
        if let Some(reply) = reply {
            *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
            let headers = response.headers_mut();
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            );
            for (name, value) in reply.headers {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    headers.insert(HeaderName::from_static(name), value);
                }
            }
            *response.body_mut() = Body::from(Bytes::from(reply.body));
        } else {
            *response.status_mut() = StatusCode::ACCEPTED;
        }
        for name in &self.echo {
            response.headers_mut().insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(EXTENSION_URI),
            );
        }
        response.extensions_mut().insert(aon::axum::Passthrough);
        response
    }
}

/// Why a request failed, and the arguments a correction is derived from.
struct Failure {
    problem: ProblemDetails,
    arguments: Option<Json>,
}

impl From<ProblemDetails> for Failure {
    fn from(problem: ProblemDetails) -> Self {
        Self {
            problem,
            arguments: None,
        }
    }
}

/// Methods besides sending a message: there are no tasks here, and what is optional is not offered.
fn other_method(method: &str, params: &Value) -> Result<Value, Failure> {
    let error = match method {
        "GetTask" | "tasks/get" | "CancelTask" | "tasks/cancel" | "SubscribeToTask"
        | "tasks/resubscribe" => {
            let id = params.get("id").and_then(Value::as_str);
            match id {
                Some(_) => RpcError::TaskNotFound,
                None => {
                    return Err(message::missing("/id", "the id of the task is required").into());
                }
            }
        }
        "ListTasks" => {
            return Ok(json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0}));
        }
        "SendStreamingMessage" | "message/stream" => RpcError::UnsupportedOperation,
        "GetExtendedAgentCard" | "agent/getAuthenticatedExtendedCard" => {
            RpcError::ExtendedAgentCardNotConfigured
        }
        _ if method.contains("ushNotification") => RpcError::PushNotificationNotSupported,
        _ => {
            return Err(jsonrpc::method_not_found(method, METHODS).into());
        }
    };
    Err(error.to_problem().into())
}

/// A media type that is no JSON; none at all is taken for JSON.
fn foreign_media(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().unwrap_or("?");
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let json = essence.is_empty()
        || essence == "application/json"
        || essence == "application/json-rpc"
        || essence.ends_with("+json");
    (!json).then_some(essence)
}

fn join(replies: Vec<Reply>) -> Option<Reply> {
    jsonrpc::batch_response(replies.into_iter().map(|reply| reply.body)).map(Reply::of)
}

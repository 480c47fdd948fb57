//! The HTTP middleware: what never reaches a method.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::jsonrpsee::core::BoxError;
use ::jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use aon_core::{Json, Namespace, ProblemDetails};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tower_layer::Layer;
use tower_service::Service;

use super::own;
use crate::adapter::ids;
use crate::builtin;
use crate::jsonrpc::{self, Incoming, Limits};
use crate::surface::a2a::{EXTENSION_URI, Profile, is_activated};
use crate::surface::raw;

/// The id of the HTTP request, for the errors of its methods.
#[derive(Clone, Debug)]
pub(super) struct RequestId(pub(super) String);

/// The layer for `set_http_middleware`.
///
/// On a web socket the profile is picked once, by the request that opens it.
///
/// # Examples
///
/// ```
/// use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
/// use jsonrpsee::core::middleware::RpcServiceBuilder;
/// use jsonrpsee::server::ServerBuilder;
///
/// let server = ServerBuilder::new()
///     .set_http_middleware(tower::ServiceBuilder::new().layer(HttpProblemLayer::new()))
///     .set_rpc_middleware(RpcServiceBuilder::new().layer(ProblemLayer::new()));
/// # let _ = server;
/// ```
#[derive(Clone, Debug, Default)]
pub struct HttpProblemLayer {
    limits: Limits,
    profile: Option<Profile>,
}

impl HttpProblemLayer {
    /// Picks the profile of each request by its headers, and takes as much as [`Limits`] says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one profile for all requests, whatever their headers.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Sets how much is taken.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl<S> Layer<S> for HttpProblemLayer {
    type Service = HttpProblemService<S>;

    fn layer(&self, service: S) -> HttpProblemService<S> {
        HttpProblemService {
            service,
            settings: self.clone(),
        }
    }
}

/// The service [`HttpProblemLayer`] makes.
#[derive(Clone, Debug)]
pub struct HttpProblemService<S> {
    service: S,
    settings: HttpProblemLayer,
}

impl<S, B> Service<HttpRequest<B>> for HttpProblemService<S>
where
    S: Service<HttpRequest, Response = HttpResponse, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = HttpResponse;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: HttpRequest<B>) -> Self::Future {
        let mut service = self.service.clone();
        let settings = self.settings.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let headers = &parts.headers;
            let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
            let echo = activated(headers);
            let asked = echo.first().map(|_| EXTENSION_URI);
            let version = text("a2a-version")
                .or_else(|| parts.uri.query().and_then(Profile::version_in_query));
            let picked = match settings.profile {
                Some(profile) => Ok(profile),
                None => Profile::for_request(version, asked),
            };
            let request_id = ids::of(headers);
            let profile = match picked {
                Ok(profile) => profile,
                Err(problem) => {
                    let id = id_of(body, settings.limits).await;
                    let profile = Profile::A2A_1_0;
                    return Ok(response(problem, id.as_ref(), request_id, &profile, &echo));
                }
            };
            if parts.method != Method::POST || headers.contains_key(header::UPGRADE) {
                parts.extensions.insert(profile.clone());
                let body = HttpBody::new(body.map_err(Into::into));
                let answered = service.call(HttpRequest::from_parts(parts, body)).await?;
                return Ok(repaired(answered, request_id, &profile, &echo));
            }
            if !is_json(headers) {
                let problem = bare(415).with_valid_values(
                    "content-type",
                    ["application/json", "application/a2a+json"],
                );
                let id = id_of(body, settings.limits).await;
                return Ok(response(problem, id.as_ref(), request_id, &profile, &echo));
            }
            let bytes = match Limited::new(body, settings.limits.bytes).collect().await {
                Ok(collected) => collected.to_bytes(),
                Err(error) => {
                    let problem = if error.is::<LengthLimitError>() {
                        jsonrpc::too_large(settings.limits.bytes)
                    } else {
                        jsonrpc::invalid_request("The request could not be read to its end.")
                    };
                    return Ok(response(problem, None, request_id, &profile, &echo));
                }
            };
            let batch = match jsonrpc::parse_within(&bytes, settings.limits) {
                Ok(incoming) => matches!(incoming, Incoming::Batch(_)),
                Err(rejected) => {
                    let (id, problem) = rejected.into_parts();
                    return Ok(response(problem, id.as_ref(), request_id, &profile, &echo));
                }
            };
            // jsonrpsee takes no other spelling of JSON.
            let json = HeaderValue::from_static("application/json");
            parts.headers.insert(header::CONTENT_TYPE, json);
            parts.extensions.insert(profile.clone());
            parts.extensions.insert(RequestId(request_id.clone()));
            let body = HttpBody::from(bytes.to_vec());
            let answered = service.call(HttpRequest::from_parts(parts, body)).await?;
            let answered = if batch {
                whole(answered, &request_id, &profile).await?
            } else {
                answered
            };
            Ok(repaired(answered, request_id, &profile, &echo))
        })
    }
}

/// The id of the request in a body that is not looked at otherwise, so that the refusal reaches who asked.
async fn id_of<B>(body: B, limits: Limits) -> Option<Json>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let bytes = Limited::new(body, limits.bytes).collect().await.ok()?;
    match jsonrpc::parse_within(&bytes.to_bytes(), limits) {
        Ok(Incoming::Single(request)) => request.id().cloned(),
        Ok(Incoming::Batch(_)) => None,
        Err(rejected) => rejected.id().cloned(),
    }
}

/// The headers that activate our extension, to be echoed; a list may stand on several lines.
fn activated(headers: &HeaderMap) -> Vec<&'static str> {
    let names = ["a2a-extensions", "x-a2a-extensions"].into_iter();
    let asks = |name: &&'static str| {
        let mut lines = headers.get_all(*name).iter();
        lines.any(|line| is_activated(line.to_str().ok()))
    };
    names.filter(asks).collect()
}

/// The answer to a batch: one error for all of it never went through the methods, and is no problem yet.
async fn whole(
    answered: HttpResponse,
    request_id: &str,
    profile: &Profile,
) -> Result<HttpResponse, BoxError> {
    let (parts, body) = answered.into_parts();
    let bytes = body.collect().await?.to_bytes();
    let error = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| raw::member(text, "error"));
    let problem = error.and_then(|error| own::problem(error, "", &[], None));
    let body = match problem {
        Some(problem) => {
            let problem = with_id(problem, request_id.to_owned());
            jsonrpc::error_response(&problem, None, profile, None)
        }
        None => bytes.to_vec(),
    };
    let mut answered = HttpResponse::from_parts(parts, HttpBody::from(body));
    answered.headers_mut().remove(header::CONTENT_LENGTH);
    Ok(answered)
}

fn with_id(problem: ProblemDetails, request_id: String) -> ProblemDetails {
    if problem.request_id().is_some() {
        return problem;
    }
    problem.with_request_id(&Namespace::DEFAULT, request_id)
}

/// A plain answer of the transport as a problem; anything else as it is.
fn repaired(
    mut answered: HttpResponse,
    request_id: String,
    profile: &Profile,
    echo: &[&'static str],
) -> HttpResponse {
    let status = answered.status().as_u16();
    let json = is_json(answered.headers());
    if (400..600).contains(&status) && !json {
        return response(bare(status), None, request_id, profile, echo);
    }
    for name in echo {
        set(&mut answered, name, EXTENSION_URI);
    }
    answered
}

fn response(
    problem: ProblemDetails,
    id: Option<&Json>,
    request_id: String,
    profile: &Profile,
    echo: &[&'static str],
) -> HttpResponse {
    let problem = with_id(problem, request_id);
    let body = jsonrpc::error_response(&problem, id, profile, None);
    let mut response = HttpResponse::new(HttpBody::from(body));
    let status = profile.http_status(&problem);
    if let Ok(status) = StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    set(&mut response, "content-type", "application/json");
    for (name, value) in profile.http_headers(&problem) {
        set(&mut response, name, &value);
    }
    for name in echo {
        set(&mut response, name, EXTENSION_URI);
    }
    response
}

fn set(response: &mut HttpResponse, name: &str, value: &str) {
    let name = http::HeaderName::from_bytes(name.as_bytes());
    if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
        response.headers_mut().insert(name, value);
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    matches!(
        essence.as_str(),
        "application/json"
            | "application/json-rpc"
            | "application/jsonrequest"
            | "application/a2a+json"
    )
}

/// The problem of a status the transport answered with.
fn bare(status: u16) -> ProblemDetails {
    match builtin::ALL.iter().find(|entry| entry.status == status) {
        Some(entry) if status != 422 => builtin::problem(entry),
        _ if status == 413 => jsonrpc::request_too_large(),
        _ if status < 500 => jsonrpc::invalid_request("The transport does not take the request."),
        _ => builtin::problem(&builtin::INTERNAL),
    }
}

//! REST by its document: what it refuses is answered before it leaves, and errors become problems. Streams, uploads, upgrades and trailers
//! pass untouched.

use std::path::Path;

use aon::axum::ProblemLayer;
use aon::door::{Door, Facts, Occurrence, Scope};
use aon::{ProblemDetails, arguments};
use http::request::Parts;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header,
};
use hyper::body::Incoming;
use serde_json::Value;

use super::clean;
use super::mcp::problem_of;
use super::observe::Observer;
use super::upstream::Upstream;
use super::wire::{self, Body, Held};
use super::{judge as words, observe};
use crate::fault::Fault;

mod document;
mod judge;
mod request;
mod schema;

use document::{Api, Operation};
use request::Given;

/// A longer request body passes unchecked.
const LONGEST: usize = 1 << 20;
/// So much of an error body is read.
const SMALL: usize = 64 * 1024;

/// The proxy of one API.
#[derive(Debug)]
pub(super) struct Rest {
    upstream: Upstream,
    observer: Observer,
    api: Api,
    layer: ProblemLayer,
    door: Door,
}

/// What is kept of a request for the time its answer comes.
struct Kept<'a> {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    operation: Option<&'a Operation>,
    arguments: Value,
}

impl Kept<'_> {
    /// What it is counted as.
    fn name(&self) -> &str {
        self.operation
            .map_or("(not in the document)", |operation| &operation.name)
    }
}

impl Rest {
    pub(super) fn new(
        upstream: Upstream,
        observer: Observer,
        document: &Path,
    ) -> Result<Self, Fault> {
        let document = crate::generate::open(document)?;
        let api = Api::read(&document, &upstream.target.path)?;
        let layer = ProblemLayer::new().with_routes(api.templates());
        Ok(Self {
            upstream,
            observer,
            api,
            layer,
            door: Door::new(),
        })
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let mut kept = Kept {
            operation: self.api.find(method.as_str(), uri.path()),
            headers: request.headers().clone(),
            arguments: Value::Null,
            method,
            uri,
        };
        let upgrade = kept.headers.contains_key(header::UPGRADE);
        let sent = match kept.operation.filter(|_| !upgrade) {
            None => self.upstream.pass(request).await,
            Some(operation) => {
                let (parts, body) = request.into_parts();
                match self
                    .checked(&mut kept, operation, &parts, wire::untouched(body))
                    .await
                {
                    Ok(body) => {
                        let request = Request::from_parts(parts, body);
                        let sent = self.upstream.send(request).await;
                        sent.map(|response| response.map(wire::untouched))
                    }
                    Err(refused) => return *refused,
                }
            }
        };
        self.observer.called(kept.name());
        let response = match sent {
            Ok(response) => response,
            Err(lost) => return self.problem(&kept, problem_of(&lost), None),
        };
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            return self.failed(&kept, response).await;
        }
        // Of two requests that the document does not have, nobody knows whether they are the same.
        if kept.operation.is_some() {
            self.observer.succeeded(kept.name(), &kept.arguments);
        }
        response
    }

    /// The body of a request the document does not refuse, else the answer.
    async fn checked(
        &self,
        kept: &mut Kept<'_>,
        operation: &Operation,
        parts: &Parts,
        body: Body,
    ) -> Result<Body, Box<Response<Body>>> {
        let given = Given::of(operation, parts, self.api.rest_of(parts.uri.path()));
        let refuse = |kept: &Kept<'_>, problem| {
            self.observer.called(kept.name());
            Err(Box::new(self.problem(kept, problem, None)))
        };
        if let Some(problem) = operation.refuses_media(&parts.headers, &body) {
            return refuse(kept, problem);
        }
        let json = operation.json_schema(&parts.headers);
        let Some(schema) = json.filter(|_| !wire::is_encoded(&parts.headers)) else {
            kept.arguments = given.arguments;
            return match arguments::problem(&given.faults) {
                Some(problem) => refuse(kept, problem),
                None => Ok(body),
            };
        };
        let held = match Held::read(body, LONGEST).await {
            Ok(held) => held,
            Err(_broken) => {
                let problem = words::problem(400, "body_unreadable")
                    .with_detail("The body could not be read completely.");
                return refuse(kept, problem);
            }
        };
        if !held.is_whole() {
            kept.arguments = given.arguments;
            return Ok(held.into_body());
        }
        match given.with_body(schema, &held.bytes) {
            Ok(given) => {
                kept.arguments = given.arguments;
                match arguments::problem(&given.faults) {
                    Some(problem) => refuse(kept, problem),
                    None => Ok(held.into_body()),
                }
            }
            Err(problem) => refuse(kept, problem),
        }
    }

    /// An error of the server as a problem, where it is not one that says enough already.
    async fn failed(&self, kept: &Kept<'_>, response: Response<Body>) -> Response<Body> {
        if kept.method == Method::HEAD {
            return response;
        }
        if judge::is_protocol(response.headers())
            || judge::is_page_for_people(&kept.headers, response.headers())
        {
            return clean::response(response).await;
        }
        let encoded = wire::is_encoded(response.headers());
        let (parts, body) = response.into_parts();
        let read = tokio::time::timeout(wire::PATIENCE, Held::read(body, SMALL)).await;
        let Some(Ok(held)) = read.ok().filter(|_| !encoded) else {
            // The words are lost; the status is not.
            let problem = self
                .layer
                .read(&parts, self.api.rest_of(kept.uri.path()), b"");
            let problem = judge::unpromised(problem, &kept.method, &parts.headers);
            return self.problem(kept, problem, Some(parts));
        };
        if judge::says_enough(&parts.headers, &held.bytes) {
            return clean::whole(parts, held);
        }
        let failed = judge::Failed {
            api: &self.api,
            layer: &self.layer,
            operation: kept.operation,
            base: self.api.base_of(kept.uri.path()),
            path: self.api.rest_of(kept.uri.path()),
            arguments: &kept.arguments,
        };
        let problem = failed.problem(&parts, &held.bytes);
        let problem = judge::unpromised(problem, &kept.method, &parts.headers);
        self.problem(kept, problem, Some(parts))
    }

    /// A problem through the door, in the place of what the response held.
    fn problem(
        &self,
        kept: &Kept<'_>,
        problem: ProblemDetails,
        parts: Option<http::response::Parts>,
    ) -> Response<Body> {
        let facts = Facts::of_http("rest", &kept.method, &kept.uri, &kept.headers);
        let scope = Scope::open(&self.door, facts);
        let problem = scope
            .pass(Occurrence::built_in(problem), "rest")
            .into_problem();
        let actionable = observe::is_actionable(&problem);
        self.observer
            .failed(kept.name(), &kept.arguments, &problem, actionable);
        let mut response = match parts {
            Some(parts) => Response::from_parts(parts, wire::empty()),
            None => Response::new(wire::empty()),
        };
        let status = aon::surface::rest::status(&problem);
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        wire::describe(headers, aon::surface::rest::MEDIA_TYPE);
        for (name, value) in aon::surface::rest::headers(&problem) {
            let name = HeaderName::from_static(name);
            if let Ok(value) = HeaderValue::try_from(value)
                && !value.is_empty()
                && !headers.contains_key(&name)
            {
                headers.insert(name, value);
            }
        }
        let body = problem.to_vec();
        if kept.method == Method::HEAD {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        } else {
            *response.body_mut() = wire::full(body);
        }
        response
    }
}

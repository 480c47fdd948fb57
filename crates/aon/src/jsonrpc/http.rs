//! JSON-RPC over HTTP: the headers of a request decide its profile, and what goes back has a status and headers.

use std::error::Error;
use std::sync::Arc;

use aon_core::Json;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode};

use super::{Incoming, Limits, Reply, Request};
use crate::adapter::{self, media_type};
use crate::door::{Door, Facts, Occurrence, Scope};
use crate::surface::a2a::{EXTENSION_URI, Profiles, is_activated, version_in_query};

/// An HTTP endpoint for JSON-RPC, such as that of an A2A agent.
///
/// # Examples
///
/// ```
/// use aon::jsonrpc::{self, Endpoint};
///
/// let endpoint = Endpoint::new();
/// let (parts, body) = http::Request::post("/a2a")
///     .header("content-type", "application/json")
///     .header("a2a-version", "1.0")
///     .body(br#"{"jsonrpc":"2.0","id":1,"method":"Ping"}"#)?
///     .into_parts();
/// let answer = |request: &jsonrpc::Request| Err(jsonrpc::method_not_found(request.method(), ["SendMessage"]));
/// let response = endpoint.open(&parts).answer(body, answer);
/// assert_eq!(response.status(), 200);
/// assert!(response.body().starts_with(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"#));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Endpoint {
    door: Door,
    profiles: Profiles,
    limits: Limits,
    skills: Arc<[String]>,
}

impl Endpoint {
    /// One with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the door failures leave through: namespace, limits, hook.
    #[must_use]
    pub fn with_door(mut self, door: Door) -> Self {
        self.limits.bytes = door.body_limit();
        self.door = door;
        self
    }

    /// Sets which profile a request gets.
    #[must_use]
    pub fn with_profiles(mut self, profiles: Profiles) -> Self {
        self.profiles = profiles;
        self
    }

    /// Names the skills of the agent: a problem that recommends another does not say so.
    #[must_use]
    pub fn with_skills<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Self {
        self.skills = ids.into_iter().map(Into::into).collect();
        self
    }

    /// How much is taken.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Opens the scope of a request, before its body is read.
    pub fn open(&self, parts: &Parts) -> Exchange {
        let text = |name: &str| parts.headers.get(name).and_then(|line| line.to_str().ok());
        let echo = activated(&parts.headers);
        let asked = echo.first().map(|_| EXTENSION_URI);
        let version = text("a2a-version").or_else(|| version_in_query(parts.uri.query()?));
        let (profile, refused) = match self.profiles.pick(version, asked) {
            Ok(profile) => (profile, None),
            Err(problem) => (self.profiles.newest(), Some(problem)),
        };
        let refused = refused.or_else(|| {
            let foreign = parts.method == http::Method::POST && !is_json(&parts.headers);
            foreign.then(super::unsupported_media_type)
        });
        let facts = Facts::of_http("a2a", &parts.method, &parts.uri, &parts.headers);
        Exchange {
            scope: Scope::open(&self.door, facts.with_profile(profile.clone())),
            limits: self.limits,
            skills: Arc::clone(&self.skills),
            refused: refused.map(Occurrence::built_in),
            echo,
        }
    }
}

/// One HTTP request to an [`Endpoint`].
#[derive(Debug)]
pub struct Exchange {
    scope: Scope,
    limits: Limits,
    skills: Arc<[String]>,
    refused: Option<Occurrence>,
    echo: Vec<&'static str>,
}

impl Exchange {
    /// The scope of the request.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Why its headers will not do; `None` when they will.
    pub fn refused(&self) -> Option<&Occurrence> {
        self.refused.as_ref()
    }

    /// The answer to a body: the function is called once per request, inside the scope.
    pub fn answer<E: Into<Occurrence>>(
        &self,
        body: &[u8],
        mut answer: impl FnMut(&Request) -> Result<Json, E>,
    ) -> Response<Vec<u8>> {
        if let Some(failure) = &self.refused {
            return self.refuse(failure, body);
        }
        let honest = |request: &Request| answer(request).map_err(|error| self.honest(error.into()));
        self.respond(super::reply(body, self.limits, &self.scope, honest))
    }

    /// Reads a body, for a server that answers by and by: a request, a batch, or what to send back at once.
    ///
    /// # Errors
    ///
    /// With the refusal, where the headers will not do or the body is not JSON-RPC.
    pub fn read(&self, body: &[u8]) -> Result<Incoming, Box<Response<Vec<u8>>>> {
        if let Some(failure) = &self.refused {
            return Err(Box::new(self.refuse(failure, body)));
        }
        super::parse_within(body, self.limits)
            .map_err(|rejected| Box::new(self.rejected(&rejected)))
    }

    /// The answer to one request that was read; to a notification it is empty.
    pub fn outcome<E: Into<Occurrence>>(
        &self,
        request: &Request,
        outcome: Result<Json, E>,
    ) -> Response<Vec<u8>> {
        let outcome = outcome.map_err(|failure| self.honest(failure.into()));
        self.respond(super::replied(&self.scope, request, outcome))
    }

    /// The answer to one request of a batch that is not a request.
    pub fn rejected(&self, rejected: &super::Rejected) -> Response<Vec<u8>> {
        let reply = super::refusal(&self.scope, rejected.failure(), rejected.id());
        self.respond(Some(reply))
    }

    /// The answers of a batch in one.
    pub fn batch(&self, answers: impl IntoIterator<Item = Response<Vec<u8>>>) -> Response<Vec<u8>> {
        let bodies = answers.into_iter().map(Response::into_body);
        let body = super::batch_response(bodies.filter(|body| !body.is_empty()));
        self.respond(body.map(|body| (body, None)))
    }

    /// The failure without the skill it recommends, when the agent is known not to have it.
    pub fn honest(&self, failure: Occurrence) -> Occurrence {
        let skill = failure.problem().a2a_skill();
        let there = skill.is_none_or(|skill| self.skills.iter().any(|id| id == skill.as_str()));
        if there || self.skills.is_empty() {
            return failure;
        }
        failure.map(aon_core::ProblemDetails::without_a2a_skill)
    }

    /// The answer to a request that is not served, to the id in its body where there is one.
    pub fn refuse(&self, failure: &Occurrence, body: &[u8]) -> Response<Vec<u8>> {
        let id = match super::parse_within(body, self.limits) {
            Ok(Incoming::Single(request)) => request.id().cloned(),
            Ok(Incoming::Batch(_)) => None,
            Err(rejected) => rejected.id().cloned(),
        };
        self.respond(Some(super::refusal(
            &self.scope,
            failure.clone(),
            id.as_ref(),
        )))
    }

    /// The answer to a body that could not be read to its end: it is larger than the limit, stopped coming, or was cut off. What is
    /// left of it is not read, so the connection is closed.
    pub fn unread(&self, error: &(dyn Error + 'static)) -> Response<Vec<u8>> {
        let failure = Occurrence::unread(error, self.limits.bytes);
        let mut response = self.refuse(&failure, b"");
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
        response
    }

    fn respond(&self, reply: Option<Reply>) -> Response<Vec<u8>> {
        let mut response = Response::new(Vec::new());
        let Some((body, problem)) = reply else {
            *response.status_mut() = StatusCode::ACCEPTED;
            self.echo(response.headers_mut());
            return response;
        };
        *response.body_mut() = body;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.echo(headers);
        if let Some(problem) = problem {
            let profile = super::profile_of(&self.scope);
            for (name, value) in profile.http_headers(&problem) {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    headers.insert(HeaderName::from_static(name), value);
                }
            }
            let status = StatusCode::from_u16(profile.http_status(&problem));
            *response.status_mut() = status.unwrap_or(StatusCode::OK);
        }
        response
    }

    /// Says which extension is active, by each name it was asked for.
    pub fn echo(&self, headers: &mut HeaderMap) {
        for name in &self.echo {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(EXTENSION_URI),
            );
        }
    }
}

/// The headers that activate our extension; a list may stand on several lines.
fn activated(headers: &HeaderMap) -> Vec<&'static str> {
    let names = ["a2a-extensions", "x-a2a-extensions"].into_iter();
    let asks = |name: &&'static str| {
        let mut lines = headers.get_all(*name).iter();
        lines.any(|line| is_activated(line.to_str().ok()))
    };
    names.filter(asks).collect()
}

/// Whether the body says that it is JSON; one that says nothing is taken for it.
fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).is_none_or(|media| {
        adapter::is_json(&media)
            || matches!(&*media, "application/json-rpc" | "application/jsonrequest")
    })
}

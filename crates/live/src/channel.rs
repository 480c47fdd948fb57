//! The routes of a hub: sessions over HTTP and WebSocket, and `/.well-known/aon`.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, VARY};
use http::request::Parts;
use http::{Method, StatusCode};
use serde_json::json;

use crate::accept;
use crate::access::Caller;
use crate::clock::milliseconds;
use crate::event::{RESERVED, VERSION};
use crate::fault::Fault;
use crate::glass::stream_headers;
use crate::hub::Hub;
use crate::hub::inbox::Letter;
use crate::hub::live::{Live, Stop};
use crate::id::{Cursor, SessionId};
use crate::settings::Profile;

mod body;
pub(crate) mod feed;
pub(crate) mod heal;
mod state;
pub(crate) mod ticket;
mod ws;

use feed::{Feed, Format};
pub(crate) use heal::answered;
#[cfg(feature = "client")]
pub(crate) use heal::in_words;
use ticket::Ticket;

/// Where a program says that it speaks the protocol.
pub(crate) const WELL_KNOWN: &str = "/.well-known/aon";

impl Hub {
    /// The routes of the hub: sessions under `/aon/sessions`, and `/.well-known/aon`.
    ///
    /// | route | what |
    /// | --- | --- |
    /// | `GET /aon/sessions/{id}` | state and outcome as JSON |
    /// | `DELETE /aon/sessions/{id}` | cancel |
    /// | `GET /aon/sessions/{id}/events` | server-sent events, or NDJSON when that is asked for |
    /// | `GET /aon/sessions/{id}/ws` | WebSocket |
    /// | `POST /aon/sessions/{id}/tickets` | a ticket for one connection of a browser |
    /// | `POST /aon/sessions/{id}/healing/{request}` | a person's answer to a step that cannot repair itself |
    /// | `GET /aon/health` | 200 when sessions can be kept and followed, 503 with the reason otherwise |
    /// | `GET /.well-known/aon` | version, limits, event types |
    pub fn routes<S>(&self) -> Router<S> {
        let at = |rest: &str| format!("{}/sessions/{{id}}{rest}", self.0.settings.prefix);
        Router::new()
            .route(&at(""), get(show).delete(cancel))
            .route(&at("/events"), get(events))
            .route(&at("/ws"), get(ws::follow))
            .route(&at("/tickets"), post(issue))
            .route(&at("/healing"), post(heal::answer_only).get(heal::list))
            .route(
                &at("/healing/{request}"),
                post(heal::answer).get(heal::show),
            )
            .route(&format!("{}/health", self.0.settings.prefix), get(health))
            .route(WELL_KNOWN, get(well_known))
            .with_state(self.clone())
    }

    /// The session of a request, if it is there and its caller may see it. What is not there and what is not theirs
    /// look the same.
    async fn visible(&self, id: &str, parts: &Parts) -> Result<(Arc<Live>, Option<Ticket>), Fault> {
        // A look at the headers uses nothing up, so a ticket does not count there.
        let ticket = ticket::presented(parts).filter(|_| parts.method != Method::HEAD);
        let Some(secret) = ticket else {
            // Bad credentials are refused before anybody looks whether there is such a session.
            let caller = self.caller(parts)?;
            let live = self.there(SessionId::parse(id)).await?;
            let sees = Caller::may_see(caller.as_ref(), live.owner.as_ref());
            return if sees {
                Ok((live, None))
            } else {
                Err(Fault::SessionNotFound)
            };
        };
        let id = SessionId::parse(id).ok_or(Fault::SessionNotFound)?;
        let ticket = self.redeem(&secret, id, ticket::origin(parts)).await;
        let live = self.there(Some(id)).await?;
        // Whoever shows a ticket is judged by it: a wrong one is not made good by holding the id.
        let ticket = ticket.ok_or(Fault::SessionNotFound)?;
        ticket::used(&live);
        Ok((live, Some(ticket)))
    }

    async fn there(&self, id: Option<SessionId>) -> Result<Arc<Live>, Fault> {
        let id = id.ok_or(Fault::SessionNotFound)?;
        self.find(id).await.ok_or_else(|| {
            // What cannot be looked up now may be there.
            if self.trouble().is_some() {
                Fault::StoreUnavailable
            } else {
                Fault::SessionNotFound
            }
        })
    }

    pub(crate) fn caller(&self, parts: &Parts) -> Result<Option<Caller>, Fault> {
        let admitted = self.0.settings.identify.admit(parts);
        admitted.map_err(|_bad| Fault::InvalidToken)
    }

    /// Who reads, as far as it matters to what is shown: a ticket shows no more than everybody sees.
    fn viewer(&self, parts: &Parts, ticket: Option<Ticket>) -> Option<Caller> {
        ticket.map_or_else(|| self.caller(parts).ok().flatten(), |_| None)
    }
}

async fn show(State(hub): State<Hub>, Path(id): Path<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match hub.visible(&id, &parts).await {
        Ok((live, _)) => json_response(StatusCode::OK, state::of(&hub, &live).await),
        Err(fault) => fault.into_response(),
    }
}

async fn cancel(State(hub): State<Hub>, Path(id): Path<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match hub.visible(&id, &parts).await {
        Ok((live, None)) if live.is_elsewhere() && !live.has_ended() => {
            match hub.write_to(live.origin.session, &Letter::Cancel).await {
                // It is stored, so whoever runs the session gets it.
                Ok(_) | Err(Fault::NodeSilent) => {
                    json_response(StatusCode::ACCEPTED, state::of(&hub, &live).await)
                }
                Err(fault) => fault.into_response(),
            }
        }
        Ok((live, None)) => {
            let open = !live.has_ended();
            live.stop(Stop::Cancelled);
            let status = if open {
                StatusCode::ACCEPTED
            } else {
                StatusCode::OK
            };
            json_response(status, state::of(&hub, &live).await)
        }
        // A ticket is for reading.
        Ok((_, Some(_))) => Fault::SessionNotFound.into_response(),
        Err(fault) => fault.into_response(),
    }
}

async fn events(State(hub): State<Hub>, Path(id): Path<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let streamed = match accept::stream(&parts.headers) {
        Some(lines) => followed(&hub, &id, &parts, lines).await,
        None => Err(Fault::StreamNotAcceptable),
    };
    let mut response = streamed.unwrap_or_else(IntoResponse::into_response);
    let vary = HeaderValue::from_static("accept");
    response.headers_mut().append(VARY, vary);
    response
}

async fn followed(hub: &Hub, id: &str, parts: &Parts, lines: bool) -> Result<Response, Fault> {
    let (live, ticket) = hub.visible(id, parts).await?;
    let viewer = hub.viewer(parts, ticket);
    let cursor = cursor(parts, "last_event_id");
    let format = if lines { Format::Lines } else { Format::Sse };
    let origin = ticket.map(|ticket| (ticket, ticket::origin(parts)));
    let Some(feed) = Feed::reader(hub, &live, &cursor, format, origin).await? else {
        // What ends a browser's attempts to come back.
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let body = if parts.method == Method::HEAD {
        Body::empty()
    } else {
        feed.seen_by(viewer.as_ref()).into_body()
    };
    let mut response = Response::new(body);
    let media = if lines { accept::NDJSON } else { accept::SSE };
    stream_headers(response.headers_mut(), media);
    Ok(response)
}

async fn issue(State(hub): State<Hub>, Path(id): Path<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let live = match hub.visible(&id, &parts).await {
        Ok((live, None)) => live,
        Ok((_, Some(_))) => return Fault::SessionNotFound.into_response(),
        Err(fault) => return fault.into_response(),
    };
    let now = hub.0.clock.now();
    let id = live.origin.session;
    let origin = ticket::origin(&parts);
    let issued = hub.issue(&live, origin, now.tick, ticket::LIFETIME).await;
    let Some(secret) = issued else {
        return Fault::TooManyTickets.into_response();
    };
    let body = json!({
        "ticket": secret,
        "expires_at": now.wall.seconds_after(ticket::LIFETIME),
        "scope": "read",
        "sse_url": format!("{}?ticket={secret}", hub.address(id, "/events")),
        "ws_url": format!("{}?ticket={secret}", hub.address(id, "/ws")),
    });
    json_response(StatusCode::CREATED, body.to_string())
}

async fn health(State(hub): State<Hub>) -> Response {
    if let Some(why) = hub.trouble() {
        let unhealthy = Fault::Unhealthy {
            node: hub.node().map(str::to_owned),
            trouble: aon_core::redact::text(&why).into_owned(),
        };
        return unhealthy.into_response();
    }
    let durability = hub.0.store.durability().as_str();
    let body = json!({"status": "ok", "node": hub.node(), "durability": durability});
    json_response(StatusCode::OK, body.to_string())
}

async fn well_known(State(hub): State<Hub>) -> Response {
    let settings = &hub.0.settings;
    let at = |rest: &str| format!("{}{}/sessions/{{id}}{rest}", settings.base, settings.prefix);
    let body = json!({
        "versions": [VERSION],
        "media_type": accept::NDJSON,
        "durability": hub.0.store.durability().as_str(),
        "event_types": RESERVED,
        "channels": ["ndjson", "sse", "websocket"],
        "state_url": at(""),
        "sse_url": at("/events"),
        "ws_url": at("/ws"),
        "tickets_url": at("/tickets"),
        "patch_url": at("/healing"),
        "profile": match settings.profile { Profile::Standard => "standard", Profile::EachSecond => "each_second" },
        "heartbeat_ms": milliseconds(settings.heartbeat),
        "limits": {
            "ring_events": settings.ring_events,
            "ring_bytes": settings.ring_bytes,
            "events_per_request": settings.events,
            "events_per_second": settings.events_per_second,
            "retention_ms": milliseconds(settings.retention),
            "lifetime_ms": milliseconds(settings.lifetime),
            "result_bytes": settings.max_result,
            "sessions": settings.sessions,
            "readers": settings.readers,
            "readers_per_session": settings.readers_per_session,
            "stalled_ms": milliseconds(settings.stalled),
        },
    });
    json_response(StatusCode::OK, body.to_string())
}

/// The claim of a reader: the header of server-sent events before the query.
fn cursor(parts: &Parts, parameter: &str) -> Cursor {
    let header = parts.headers.get("last-event-id");
    if let Some(id) = header.filter(|id| !id.is_empty()) {
        return Cursor::parse(&String::from_utf8_lossy(id.as_bytes()));
    }
    // Either name does on either channel.
    let asked = query(parts, parameter)
        .or_else(|| query(parts, "since"))
        .or_else(|| query(parts, "last_event_id"));
    asked.map_or(Cursor::Start, |id| Cursor::parse(&id))
}

/// A parameter of the query.
fn query(parts: &Parts, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(parts.uri.query()?.as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    Some(value.into_owned())
}

fn json_response(status: StatusCode, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

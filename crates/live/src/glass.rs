//! The layer: one handler, two modes.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use aon::door::{Door, Facts, Scope};
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::response::IntoResponse as _;
use http::header::{HeaderName, HeaderValue, UPGRADE, VARY};
use http::{HeaderMap, Method, Request, Response, Uri};
use tower_layer::Layer;
use tower_service::Service;

use crate::accept::{Mode, Streamed, decide, streamed};
use crate::fault::Fault;
use crate::hub::Hub;
use crate::id::TraceId;
use crate::session::{Route, Session};
use crate::store::WhenGone;

mod again;
mod black;
mod caught;
mod driver;
mod head;
mod open;
mod upload;
mod work;

pub(crate) use again::run_again;
use black::Black;
pub use open::Refusal;
pub(crate) use open::stream_headers;

/// What becomes of the work when its caller leaves before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDisconnect {
    /// It goes on, and its outcome can be read from the session: the default but for GET.
    Continue,
    /// It is cancelled: the default for GET.
    Cancel,
    /// It is cancelled unless somebody else follows the session.
    CancelIfUnwatched,
}

impl OnDisconnect {
    fn from_word(word: &str) -> Option<Self> {
        match word.trim() {
            "continue" => Some(Self::Continue),
            "cancel" => Some(Self::Cancel),
            "cancel-if-unwatched" => Some(Self::CancelIfUnwatched),
            _ => None,
        }
    }
}

/// Makes every handler under it a black box by default, and a glass box for callers that ask for it by name.
///
/// Put it on the routes whose work is worth watching, inside the layers that authenticate, limit and answer 404, so
/// that those answers stay plain HTTP in both modes:
///
/// ```
/// use aon::axum::ProblemLayer;
/// use aon_live::{GlassBox, Hub};
/// use axum::{Router, routing::get};
///
/// let hub = Hub::new();
/// let app: Router = Router::new()
///     .route("/report", get(async || "\"done\""))
///     .layer(GlassBox::new(&hub))
///     .merge(hub.routes())
///     .layer(ProblemLayer::new());
/// # let _ = app;
/// ```
#[derive(Clone, Debug)]
pub struct GlassBox {
    hub: Hub,
    rules: Rules,
    map: Option<Arc<head::Map>>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own that a route turns on by a method"
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    deadline: Option<Duration>,
    time_limit: Option<Duration>,
    on_disconnect: Option<OnDisconnect>,
    report: bool,
    lenient: bool,
    settle: Duration,
    waits: bool,
    /// The types of a route whose stream is server-sent events.
    sse: Option<&'static [&'static str]>,
    when_gone: Option<WhenGone>,
    local_status: bool,
    restarts: bool,
}

impl GlassBox {
    /// The layer of a hub.
    pub fn new(hub: &Hub) -> Self {
        Self {
            hub: hub.clone(),
            rules: Rules {
                deadline: Some(Duration::from_secs(30)),
                time_limit: None,
                on_disconnect: None,
                report: false,
                lenient: false,
                settle: Duration::from_millis(20),
                waits: false,
                sse: None,
                when_gone: None,
                local_status: false,
                restarts: false,
            },
            map: None,
        }
    }

    /// How long a black box waits before it answers 504 with the session in which the work goes on: 30 seconds.
    #[must_use]
    pub const fn deadline(mut self, deadline: Option<Duration>) -> Self {
        self.rules.deadline = deadline;
        self
    }

    /// How long the work of a glass box may take; then it is dropped, and the stream ends with `timed_out`. Unlimited
    /// unless set.
    #[must_use]
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.rules.time_limit = Some(limit);
        self
    }

    /// What becomes of the work when its caller leaves. `AON-On-Disconnect` of a request overrules it.
    #[must_use]
    pub const fn on_disconnect(mut self, policy: OnDisconnect) -> Self {
        self.rules.on_disconnect = Some(policy);
        self
    }

    /// Adds `X-AON-Report` to every black box, and not only to those that ask by `AON-Report: summary`.
    #[must_use]
    pub const fn report(mut self) -> Self {
        self.rules.report = true;
        self
    }

    /// Waits for a person's answer in a black box too, instead of failing at once when a step cannot be repaired: for routes
    /// whose callers are patient and whose answers come over a webhook or from an operator.
    #[must_use]
    pub const fn ask_in_black_box(mut self) -> Self {
        self.rules.waits = true;
        self
    }

    /// Streams server-sent events of these types, and no others, to every caller that accepts them: for protocols that are a
    /// response of `text/event-stream`. A caller that names `application/x-ndjson` gets the glass box, and one that accepts
    /// JSON alone the black box. The header `AON-Session` says where the whole session is.
    ///
    /// ```
    /// use aon_live::{GlassBox, Hub};
    ///
    /// let layer = GlassBox::new(&Hub::new()).server_sent_events(&["token", "done", "error"]);
    /// # let _ = layer;
    /// ```
    #[must_use]
    pub const fn server_sent_events(mut self, types: &'static [&'static str]) -> Self {
        self.rules.sse = Some(types);
        self
    }

    /// What becomes of the glass boxes of these routes while the store of the hub does not answer; as the store says unless set.
    #[must_use]
    pub const fn when_gone(mut self, when_gone: WhenGone) -> Self {
        self.rules.when_gone = Some(when_gone);
        self
    }

    /// Does not store the `status` events of these routes: they have no number, are shown to those who follow the session on this
    /// machine at the moment, and not to readers that come later. For routes that say how it goes many times a second.
    #[must_use]
    pub const fn local_status(mut self) -> Self {
        self.rules.local_status = true;
        self
    }

    /// These routes may be run again: when the machine that ran a session is gone, the one that finds it asks the hook of
    /// [`Settings::restart`](crate::Settings::restart) to go on with it. Method and address of the request are kept with the session.
    #[must_use]
    pub const fn restarts(mut self) -> Self {
        self.rules.restarts = true;
        self
    }

    /// Answers JSON where nothing is acceptable, instead of 406.
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.rules.lenient = true;
        self
    }

    /// How long the stream waits for an extractor to refuse the request, once its body was read and nothing was
    /// published: 20 milliseconds.
    #[must_use]
    pub const fn settle(mut self, settle: Duration) -> Self {
        self.rules.settle = settle;
        self
    }
}

impl<S> Layer<S> for GlassBox {
    type Service = GlassService<S>;

    fn layer(&self, inner: S) -> GlassService<S> {
        GlassService {
            inner,
            hub: self.hub.clone(),
            rules: self.rules,
            map: self.map.clone(),
        }
    }
}

/// What [`GlassBox`] makes of a service.
#[derive(Clone, Debug)]
pub struct GlassService<S> {
    inner: S,
    hub: Hub,
    rules: Rules,
    map: Option<Arc<head::Map>>,
}

impl<S> Service<Request<Body>> for GlassService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if self.is_not_ours(&request) {
            let uri = (request.method() == Method::OPTIONS).then(|| request.uri().clone());
            let inner = Box::pin(self.inner.call(request));
            let Some(uri) = uri else {
                return ResponseFuture(State::Bare(inner));
            };
            let options = head::options(inner, self.map.clone(), uri);
            return ResponseFuture(State::Glass(Box::pin(options)));
        }
        let (mut mode, sse) = self.rules.mode(request.headers());
        if mode == Mode::Neither && self.rules.lenient {
            mode = Mode::BlackBox;
        }
        if mode == Mode::Neither {
            return answer(Fault::NotAcceptable.into_response(), Mode::BlackBox);
        }
        if request.method() == Method::HEAD {
            return match self.identified(request) {
                Ok((request, _)) => self.head(mode, request.uri().clone()),
                Err(fault) => answer(fault.into_response(), Mode::BlackBox),
            };
        }
        let headers = request.headers();
        let trace = headers
            .get("traceparent")
            .and_then(|header| TraceId::of_traceparent(header.to_str().ok()?));
        if mode == Mode::BlackBox {
            let report = self.rules.report
                || headers
                    .get("aon-report")
                    .is_some_and(|wanted| wanted != "none");
            let on_disconnect = self.on_disconnect(&request);
            let (mut request, owner) = match self.identified(request) {
                Ok(identified) => identified,
                Err(fault) => return answer(fault.into_response(), Mode::BlackBox),
            };
            let session = Session::black(&self.hub, trace, owner).waiting(self.rules.waits);
            let session = session.of(Route::in_memory());
            // That of a layer around this one is not the handler's any more.
            if let Some(outer) = request.extensions_mut().get_mut::<Session>() {
                outer.clone_from(&session);
            }
            let inner = session.run(|| self.inner.call(request));
            let black = Black::new(
                inner,
                session,
                &self.hub,
                self.rules.deadline,
                report,
                on_disconnect,
            );
            return ResponseFuture(State::Black(black));
        }
        let room = match self.hub.reserve(self.rules.when_gone) {
            Ok(room) => room,
            Err(fault) => return answer(fault.into_response(), Mode::BlackBox),
        };
        let (scope, layered) = scope(&request);
        let start = open::Start {
            hub: self.hub.clone(),
            rules: self.rules,
            on_disconnect: self.on_disconnect(&request),
            scope: scope.clone(),
            layered,
            sse,
            matched: request.extensions().get::<MatchedPath>().is_some(),
        };
        let route = self.rules.route(&request);
        let (watched, upload) = upload::watch(&mut request);
        let (mut request, owner) = match self.identified(watched) {
            Ok(identified) => identified,
            Err(fault) => return answer(fault.into_response(), Mode::BlackBox),
        };
        let session = Session::glass(&self.hub, room, trace, owner).of(route);
        request.extensions_mut().insert(session.clone());
        let inner = scope.run(|| session.run(|| self.inner.call(request)));
        // The handler may go on in a task of its own, and its scope goes with it.
        let own = session.clone();
        let inner = Box::pin(async move { scope.enter(own.enter(inner)).await });
        ResponseFuture(State::Glass(Box::pin(open::open(
            inner, session, upload, start,
        ))))
    }
}

impl Rules {
    /// What is said about the session of a request.
    fn route(&self, request: &Request<Body>) -> Route {
        let again = || format!("{} {}", request.method(), request.uri());
        Route {
            when_gone: self.when_gone,
            local_status: self.local_status,
            again: self.restarts.then(again),
        }
    }

    /// The mode of a request, and the types of its stream where that is server-sent events.
    fn mode(&self, headers: &HeaderMap) -> (Mode, Option<&'static [&'static str]>) {
        let Some(types) = self.sse else {
            return (decide(headers), None);
        };
        match streamed(headers) {
            Streamed::Sse => (Mode::GlassBox, Some(types)),
            Streamed::Lines => (Mode::GlassBox, None),
            Streamed::Json => (Mode::BlackBox, None),
            Streamed::Neither => (Mode::Neither, None),
        }
    }
}

impl<S> GlassService<S> {
    /// HEAD never runs the handler.
    fn head<F>(&self, mode: Mode, uri: Uri) -> ResponseFuture<F> {
        let Some(map) = self.map.clone() else {
            let (response, mode) = head::answer(mode, None);
            return answer(response, mode);
        };
        ResponseFuture(State::Glass(Box::pin(async move {
            let (mut response, mode) = head::answer(mode, map.methods(&uri).await);
            stamp(response.headers_mut(), mode);
            response
        })))
    }

    /// Requests that have no modes: the hub's own routes, upgrades, and methods without a payload.
    fn is_not_ours(&self, request: &Request<Body>) -> bool {
        let path = request.uri().path();
        let method = request.method();
        path == crate::channel::WELL_KNOWN
            || path
                .strip_prefix(&*self.hub.0.settings.prefix)
                .is_some_and(|rest| rest.starts_with("/sessions/"))
            || [Method::OPTIONS, Method::CONNECT, Method::TRACE].contains(method)
            || request
                .headers()
                .get(UPGRADE)
                .is_some_and(|to| to.as_bytes().eq_ignore_ascii_case(b"websocket"))
    }

    fn on_disconnect(&self, request: &Request<Body>) -> OnDisconnect {
        let asked = request.headers().get("aon-on-disconnect");
        asked
            .and_then(|word| OnDisconnect::from_word(word.to_str().ok()?))
            .or(self.rules.on_disconnect)
            .unwrap_or(if request.method() == Method::GET {
                OnDisconnect::Cancel
            } else {
                OnDisconnect::Continue
            })
    }

    fn identified(
        &self,
        request: Request<Body>,
    ) -> Result<(Request<Body>, Option<crate::Caller>), Fault> {
        let settings = &self.hub.0.settings;
        if !settings.knows_callers {
            return Ok((request, None));
        }
        let (parts, body) = request.into_parts();
        let owner = settings.identify.admit(&parts);
        let owner = owner.map_err(|_bad| Fault::InvalidToken)?;
        Ok((Request::from_parts(parts, body), owner))
    }
}

/// The scope of a request, and whether a layer is around that writes what it is handed.
fn scope(request: &Request<Body>) -> (Scope, bool) {
    if let Some(scope) = Scope::current().filter(|scope| scope.surface() == "rest") {
        return (scope, true);
    }
    let (method, uri) = (request.method(), request.uri());
    let facts = Facts::of_http("rest", method, uri, request.headers());
    (Scope::open(&Door::new(), facts), false)
}

/// The headers of both modes.
const MODE: HeaderName = HeaderName::from_static("aon-mode");
const VERSION: HeaderName = HeaderName::from_static("aon-version");
const TRACE: HeaderName = HeaderName::from_static("aon-trace-id");
/// Where the session is that has the events and the outcome.
const SESSION: HeaderName = HeaderName::from_static("aon-session");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Says which trace it belongs to.
fn stamp_trace(headers: &mut HeaderMap, trace: TraceId) {
    if let Ok(trace) = HeaderValue::from_str(trace.digits().as_str()) {
        headers.insert(TRACE, trace);
    }
}

/// Says which mode it was, and that it depends on `Accept`.
fn stamp(headers: &mut HeaderMap, mode: Mode) {
    headers.append(VARY, HeaderValue::from_static("accept"));
    let word = if mode == Mode::GlassBox {
        "glass-box"
    } else {
        "black-box"
    };
    headers.insert(MODE, HeaderValue::from_static(word));
    headers.insert(VERSION, HeaderValue::from_static("1"));
}

fn answer<F>(mut response: Response<Body>, mode: Mode) -> ResponseFuture<F> {
    stamp(response.headers_mut(), mode);
    ResponseFuture(State::Ready(Some(response)))
}

/// The answer, later.
#[derive(Debug)]
pub struct ResponseFuture<F>(State<F>);

#[expect(
    clippy::large_enum_variant,
    reason = "axum puts it into a box anyway, and the large one is the usual one"
)]
enum State<F> {
    Ready(Option<Response<Body>>),
    Bare(Pin<Box<F>>),
    Black(Black<F>),
    Glass(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

impl<F> std::fmt::Debug for State<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "ready",
            Self::Bare(_) => "bare",
            Self::Black(_) => "black box",
            Self::Glass(_) => "glass box",
        })
    }
}

impl<F> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<Body>, Infallible>> + Send + 'static,
{
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Ready(response) => Poll::Ready(Ok(response.take().unwrap_or_default())),
            State::Bare(inner) => inner.as_mut().poll(cx),
            State::Black(black) => black.poll(cx).map(Ok),
            State::Glass(glass) => glass.as_mut().poll(cx).map(Ok),
        }
    }
}

//! What a handler holds.

use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aon_core::Severity;
use aon_core::json::ObjectWriter;
use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Serialize;
use tokio::sync::Notify;

use crate::access::Caller;
use crate::event::{ApplicationEvent, Body, EventName, clean, may_be_used};
use crate::frame::Draft;
use crate::heal::{Asker, AuditSink, Flights};
use crate::hub::live::Live;
use crate::hub::{Hub, Room};
use crate::id::{SessionId, TraceId};
use crate::machine::session::Weight;
use crate::report::Tally;
use crate::sync::{Mutex, locked};

mod build;
mod current;
mod route;

pub use build::{HealingEvent, IntentEvent, StatusEvent};
pub(crate) use route::Route;

/// The session of a request: take it as an argument of a handler, pass it down, clone it, use it from blocking code.
///
/// In a black box nobody reads along, and publishing costs next to nothing; so a handler says what it does without
/// asking who listens. Events are published when the chain ends:
///
/// ```
/// # async fn handler(session: aon_live::Session) {
/// use aon_live::Severity;
/// use std::time::Duration;
///
/// session.intent("create_user").issue("invalid_schema").decision("apply_semantic_mapping");
/// session.healing(Severity::Medium, "refresh_token").description("The token had expired.").metadata("attempt", &1);
/// session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
/// # }
/// ```
#[derive(Clone)]
pub struct Session(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    hub: Option<Hub>,
    glass: bool,
    trace: Option<TraceId>,
    owner: Option<Caller>,
    live: OnceLock<Arc<Live>>,
    /// Its place in the hub until it is open.
    room: Mutex<Option<Room>>,
    /// What is published as soon as it is open, before anything of the handler's.
    opening: OnceLock<Draft>,
    begun: AtomicBool,
    beginning: Notify,
    tally: Mutex<Tally>,
    /// Whether questions to people are waited for where nobody reads.
    waits: AtomicBool,
    flights: Flights,
    route: OnceLock<Route>,
}

impl Session {
    /// A session that nobody reads: for tests, jobs and commands.
    pub fn detached() -> Self {
        Self::make(None, false, None, None)
    }

    pub(crate) fn black(hub: &Hub, trace: Option<TraceId>, owner: Option<Caller>) -> Self {
        Self::make(Some(hub.clone()), false, trace, owner)
    }

    pub(crate) fn glass(
        hub: &Hub,
        room: Room,
        trace: Option<TraceId>,
        owner: Option<Caller>,
    ) -> Self {
        let session = Self::make(Some(hub.clone()), true, trace, owner);
        session.placed(room);
        session
    }

    /// Gives it a place in the hub, for when it opens.
    pub(crate) fn placed(&self, room: Room) {
        *locked(&self.0.room) = Some(room);
    }

    fn make(hub: Option<Hub>, glass: bool, trace: Option<TraceId>, owner: Option<Caller>) -> Self {
        Self(Arc::new(Shared {
            hub,
            glass,
            trace,
            owner,
            live: OnceLock::new(),
            room: Mutex::default(),
            opening: OnceLock::new(),
            begun: AtomicBool::new(false),
            beginning: Notify::new(),
            tally: Mutex::default(),
            waits: AtomicBool::new(false),
            flights: Flights::default(),
            route: OnceLock::new(),
        }))
    }

    /// Says that the work has begun: from here on every failure is an event of the stream, and none a plain response.
    /// Publishing anything says so too.
    pub fn begin(&self) {
        if self.0.glass && !self.0.begun.load(Ordering::Acquire) {
            self.open();
            self.0.begun.store(true, Ordering::Release);
            self.0.beginning.notify_waiters();
        }
    }

    /// `intent_analysis`: the input was understood in a way that changes what is done.
    pub fn intent(&self, original: impl AsRef<str>) -> IntentEvent<'_> {
        IntentEvent::new(self, original.as_ref())
    }

    /// `healing`: something is being repaired.
    pub fn healing(&self, severity: Severity, action: impl AsRef<str>) -> HealingEvent<'_> {
        HealingEvent::new(self, severity, action.as_ref())
    }

    /// `status`: how it goes.
    pub fn status(&self, message: impl AsRef<str>) -> StatusEvent<'_> {
        StatusEvent::new(self, message.as_ref())
    }

    /// An event of your own; what it carries travels in `data`.
    ///
    /// A name that belongs to the protocol does not compile:
    ///
    /// ```compile_fail
    /// #[derive(serde::Serialize)]
    /// struct Mine;
    /// impl aon_live::ApplicationEvent for Mine { const TYPE: &'static str = "result"; }
    /// aon_live::Session::detached().emit(&Mine);
    /// ```
    pub fn emit<E: ApplicationEvent>(&self, event: &E) {
        const {
            assert!(
                may_be_used(E::TYPE),
                "the type of an event is lower case and not one of the protocol's"
            );
        }
        self.own(E::TYPE, event);
    }

    /// An event whose name is known only at run time.
    pub fn emit_named<T: Serialize + ?Sized>(&self, name: &EventName, data: &T) {
        self.own(name.as_str(), data);
    }

    /// An event of your own whose members stand beside `type`, for a protocol that has them there. Those of the envelope
    /// are the hub's, and what is not an object travels in `data`.
    ///
    /// ```
    /// use aon_live::{ApplicationEvent, Session};
    ///
    /// #[derive(serde::Serialize)]
    /// struct Token { text: String }
    /// impl ApplicationEvent for Token { const TYPE: &'static str = "token"; }
    ///
    /// Session::detached().emit_flat(&Token { text: "olá".to_owned() }); // {"type":"token",…,"text":"olá"}
    /// ```
    pub fn emit_flat<E: ApplicationEvent>(&self, event: &E) {
        const {
            assert!(
                may_be_used(E::TYPE),
                "the type of an event is lower case and not one of the protocol's"
            );
        }
        if !self.is_read() {
            self.count(None);
            return;
        }
        let members = flat(event);
        self.begin();
        if let Some(live) = self.0.live.get() {
            live.publish(&Draft::raw(E::TYPE, members), Weight::Application);
        }
    }

    /// An event of your own that comes right before the `result` when the handler succeeds, and not at all when it fails: for
    /// a protocol whose last word has another name. Its members stand beside `type`. The last one counts.
    pub fn conclude_with<E: ApplicationEvent>(&self, event: &E) {
        const {
            assert!(
                may_be_used(E::TYPE),
                "the type of an event is lower case and not one of the protocol's"
            );
        }
        if self.is_read() {
            self.begin();
            if let Some(live) = self.0.live.get() {
                live.close_with(Draft::raw(E::TYPE, flat(event)));
            }
        }
    }

    /// Where the session is: state and outcome as JSON, with `/events`, `/ws` and `/healing` under it. A black box has none.
    pub fn address(&self) -> Option<String> {
        let (hub, live) = (self.0.hub.as_ref()?, self.0.live.get()?);
        Some(hub.address(live.origin.session, ""))
    }

    fn own<T: Serialize + ?Sized>(&self, kind: &str, data: &T) {
        if !self.is_read() {
            self.count(None);
            return;
        }
        let draft = draft(kind, data);
        self.begin();
        if let Some(live) = self.0.live.get() {
            live.publish(&draft, Weight::Application);
        }
    }

    /// Says what is published as soon as the session is open: what it is, to another protocol.
    pub(crate) fn opening_with<T: Serialize + ?Sized>(self, kind: &str, data: &T) -> Self {
        // There is one such event, and it is said while the session is made.
        let _: Result<(), Draft> = self.0.opening.set(draft(kind, data));
        self
    }

    pub(crate) fn publish(&self, body: &Body, weight: Weight) {
        self.begin();
        let Some(live) = self.0.live.get() else {
            return;
        };
        let stays = self.0.route.get().is_some_and(|route| route.local_status);
        if stays && weight == Weight::Status {
            live.publish_aside(body);
        } else {
            live.publish_body(body, weight);
        }
    }

    /// Says what its route says about it.
    pub(crate) fn of(self, route: Route) -> Self {
        // There is one route, and it is said while the session is made.
        let _: Result<(), Route> = self.0.route.set(route);
        self
    }

    /// The session of work that another machine began.
    pub(crate) fn resumed(hub: &Hub, live: &Arc<Live>, route: Route) -> Self {
        let owner = live.owner.clone();
        let this = Self::make(Some(hub.clone()), true, Some(live.origin.trace), owner).of(route);
        // It is new, so this is the first.
        let _: Result<(), Arc<Live>> = this.0.live.set(Arc::clone(live));
        this.begin();
        this
    }

    /// Waits until everything that was published so far is stored. Whether this node still has the session.
    pub(crate) async fn stored(&self) -> bool {
        match self.live() {
            Some(live) => live.stored().await,
            None => true,
        }
    }

    /// Whether anybody may read what is published.
    pub(crate) fn is_read(&self) -> bool {
        self.0.glass || self.0.live.get().is_some()
    }

    /// Whether somebody measures.
    pub(crate) fn is_observed(&self) -> bool {
        self.0.hub.as_ref().is_some_and(|hub| hub.0.is_observed())
    }

    /// A step of this session, where somebody measures.
    pub(crate) fn stepping<'s>(&self, step: &'s str) -> Option<crate::observer::Stepping<'s>> {
        let hub = self.0.hub.as_ref()?;
        crate::observer::Stepping::begin(hub, step, self.trace_id())
    }

    /// Tells whoever measures of an event that nobody reads.
    pub(crate) fn tell(&self, body: &Body) {
        if let Some(hub) = &self.0.hub {
            hub.0.tell_body(body, self.0.trace);
        }
    }

    /// Takes note of an event that nobody reads.
    pub(crate) fn count(&self, healed_by: Option<&str>) {
        if self.0.hub.is_some() {
            locked(&self.0.tally).add(healed_by);
        }
    }

    /// Takes note that the last repair nobody reads of did not help.
    pub(crate) fn count_failed(&self) {
        if self.0.hub.is_some() {
            locked(&self.0.tally).failed();
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        locked(&self.0.tally).clone()
    }

    /// Opens the session in the hub, or gives the one that is open.
    pub(crate) fn open(&self) -> Option<&Arc<Live>> {
        let hub = self.0.hub.as_ref()?;
        let open = || {
            let room = locked(&self.0.room).take();
            let route = self.0.route.get_or_init(Route::default);
            let live = hub.open(
                room,
                self.0.trace,
                self.0.owner.clone(),
                self.0.glass,
                route,
            );
            if let Some(opening) = self.0.opening.get() {
                live.publish(opening, Weight::Kept);
            }
            live
        };
        Some(self.0.live.get_or_init(open))
    }

    pub(crate) fn live(&self) -> Option<&Arc<Live>> {
        self.0.live.get()
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.0.begun.load(Ordering::Acquire)
    }

    /// Waits until something was published.
    pub(crate) async fn begun(&self) {
        loop {
            let waiting = self.0.beginning.notified();
            if self.has_begun() {
                return;
            }
            waiting.await;
        }
    }

    /// Waits for answers of people in a black box too.
    pub(crate) fn waiting(self, waits: bool) -> Self {
        self.0.waits.store(waits, Ordering::Relaxed);
        self
    }

    pub(crate) fn waits(&self) -> bool {
        self.0.waits.load(Ordering::Relaxed)
    }

    pub(crate) fn flights(&self) -> &Flights {
        &self.0.flights
    }

    /// Opens the session, so that others find it.
    pub(crate) fn opened(&self) -> Option<Arc<Live>> {
        self.begin();
        self.open().map(Arc::clone)
    }

    /// Where an answer to a question goes.
    pub(crate) fn patch_url(&self, question: &str) -> Option<String> {
        let (hub, live) = (self.0.hub.as_ref()?, self.0.live.get()?);
        Some(hub.address(live.origin.session, &format!("/healing/{question}")))
    }

    /// Who else asks people, for every session of the hub.
    pub(crate) fn askers(&self) -> Vec<Arc<dyn Asker>> {
        let hub = self.0.hub.as_ref();
        hub.map_or_else(Vec::new, |hub| hub.0.settings.askers.clone())
    }

    pub(crate) fn audit(&self) -> Option<Arc<dyn AuditSink>> {
        self.0.hub.as_ref()?.0.settings.audit.clone()
    }

    /// The id, once the session is open; a black box has none.
    pub fn id(&self) -> Option<SessionId> {
        self.0.live.get().map(|live| live.origin.session)
    }

    /// The trace the request belongs to, as far as it is known.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.0
            .live
            .get()
            .map(|live| live.origin.trace)
            .or(self.0.trace)
    }

    /// Waits until somebody cancels the session, or the server goes down. A handler that watches has a few seconds to
    /// end with an outcome of its own; one that does not is dropped at once.
    pub async fn cancelled(&self) {
        if let Some(live) = self.watched() {
            live.stopped().await;
        } else if self.0.glass {
            self.begun().await;
            if let Some(live) = self.watched() {
                live.stopped().await;
            }
        } else {
            pending::<()>().await;
        }
    }

    /// Whether somebody cancelled the session: for blocking code, between two pieces of work.
    pub fn is_cancelled(&self) -> bool {
        self.watched().is_some_and(|live| live.is_stopped())
    }

    fn watched(&self) -> Option<&Arc<Live>> {
        let live = self.0.live.get();
        if let Some(live) = live {
            live.watch();
        }
        live
    }
}

/// The longest members of one event; what is longer is shortened and says so.
const LONGEST: usize = 64 * 1024;

/// An event of the program's own, without secrets.
pub(crate) fn draft<T: Serialize + ?Sized>(kind: &str, data: &T) -> Draft {
    let mut members = Vec::with_capacity(128);
    let mut object = ObjectWriter::resume(&mut members);
    clean(&mut object, "data", data);
    if members.len() > LONGEST {
        members = format!(
            r#","data":null,"truncated":true,"original_bytes":{}"#,
            members.len()
        )
        .into_bytes();
    }
    Draft::raw(kind, members)
}

/// Without the layer around it the session is a detached one: handlers work everywhere.
impl<S: Send + Sync> FromRequestParts<S> for Session {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let found = parts.extensions.get::<Self>().cloned();
        Ok(found.unwrap_or_else(Self::current))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.id()).finish()
    }
}

/// The members of an event, clean, each with a comma before it, but for those of the envelope.
fn flat<T: Serialize + ?Sized>(event: &T) -> Vec<u8> {
    const ENVELOPE: [&str; 7] = [
        "type",
        "id",
        "seq",
        "timestamp",
        "ts_ms",
        "trace_id",
        "session_id",
    ];
    let mut members = Vec::with_capacity(128);
    let mut object = ObjectWriter::resume(&mut members);
    match serde_json::to_value(event) {
        Ok(serde_json::Value::Object(known)) => {
            let own = known
                .iter()
                .filter(|(name, _)| !ENVELOPE.contains(&&***name));
            for (name, value) in own {
                let plain = name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
                if plain {
                    secretless(&mut object, name, value);
                }
            }
        }
        Ok(other) => clean(&mut object, "data", &other),
        Err(error) => object.display("data", format_args!("[no JSON form: {error}]")),
    }
    members
}

/// A member without secrets, which are known by the name of the member too.
fn secretless(object: &mut ObjectWriter<'_>, name: &str, value: &serde_json::Value) {
    let mut alone = serde_json::Map::new();
    alone.insert(name.to_owned(), value.clone());
    let text = serde_json::Value::Object(alone).to_string();
    let text = aon_core::redact::json_text(&text);
    let shown: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    match shown.as_ref().and_then(|shown| shown.get(name)) {
        Some(shown) => object.value(name, shown),
        None => object.string(name, "[redacted]"),
    }
}

/// Milliseconds of a delay.
fn delay(duration: Duration) -> u64 {
    crate::clock::milliseconds(duration)
}

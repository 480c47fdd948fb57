//! What the routes share, and the routes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aon::axum::ProblemLayer;
use aon_live::{GlassBox, Hub, Profile, Session};
use aon_observe::log::{Logger, events};
use aon_observe::{Force, Questions, Telemetry};
use axum::Router;
use axum::response::Html;
use axum::routing::{get, post};

use crate::library::{Answers, Plainly};
use crate::queue::Queue;
use crate::{chat, class};

/// How a school is set up.
pub struct Settings {
    /// How long one piece of a lesson takes, and the pause after it.
    pub pace: Duration,
    /// Where it is measured.
    pub telemetry: Telemetry,
    /// Where it is logged.
    pub log: Logger,
    /// Whether decisions may be forced.
    pub force: Force,
    /// Where answers come from.
    pub answers: Box<dyn Answers>,
    /// Whether latencies have their names in milliseconds too.
    pub milliseconds: bool,
}

impl Settings {
    /// The usual ones, silent, with decisions as the judge makes them.
    pub fn new() -> Self {
        let telemetry = Telemetry::new();
        Self {
            pace: Duration::from_secs(2),
            force: Force::by_environment(&telemetry, None, None),
            telemetry,
            log: Logger::new(std::io::sink()),
            answers: Box::new(Plainly),
            milliseconds: false,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

/// The service. Clones are the same.
#[derive(Clone)]
pub struct School(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) settings: Settings,
    pub(crate) questions: Questions,
    pub(crate) hub: Hub,
    classes: Mutex<BTreeMap<String, Arc<Class>>>,
}

/// A lesson that is being held.
pub(crate) struct Class {
    pub(crate) session: Session,
    pub(crate) queue: Mutex<Queue>,
}

impl School {
    /// A school with its hub.
    pub fn new(settings: Settings) -> Self {
        let hub = aon_live::Settings::new()
            .profile(Profile::EachSecond)
            .observe(settings.telemetry.clone());
        let mut questions = settings.telemetry.questions();
        if settings.milliseconds {
            questions = questions.with_milliseconds();
        }
        Self(Arc::new(Inner {
            questions,
            settings,
            hub: Hub::with(hub),
            classes: Mutex::default(),
        }))
    }

    /// The hub, to end it.
    pub fn hub(&self) -> &Hub {
        &self.0.hub
    }

    /// Everything it serves.
    pub fn routes(&self) -> Router {
        let telemetry = &self.0.settings.telemetry;
        let app = Router::new()
            .route("/class", post(class::teach))
            .layer(GlassBox::new(&self.0.hub))
            .route("/chat/send", post(chat::send))
            .with_state(self.clone())
            .route("/", get(async || Html(include_str!("page.html"))))
            .merge(self.0.hub.routes())
            .merge(telemetry.routes())
            .merge(telemetry.live_page(|_| true))
            .layer(telemetry.layer());
        ProblemLayer::new().with_door(telemetry.door()).wrap(app)
    }

    pub(crate) fn enter(&self, id: String, class: Arc<Class>) {
        self.0
            .classes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, class);
    }

    pub(crate) fn leave(&self, id: &str) {
        self.0
            .classes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(id);
    }

    pub(crate) fn class(&self, id: &str) -> Option<Arc<Class>> {
        self.0
            .classes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }
}

impl Inner {
    /// Runs one node of the graph: logged before and after, and measured.
    pub(crate) fn node<T, E: std::fmt::Display>(
        &self,
        node: &'static str,
        class: &Class,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let session = class.id();
        self.log(class, events::graph_invoke_start(node, &session));
        let start = Instant::now();
        let result = run();
        let took = start.elapsed();
        let ms = milliseconds(took);
        self.questions.node(node, took, class.trace().as_deref());
        match &result {
            Ok(_) => self.log(class, events::graph_invoke_success(node, ms)),
            Err(error) => self.log(
                class,
                events::graph_invoke_error(node, &error.to_string(), ms),
            ),
        }
        result
    }

    /// Logs a line with the ids of the lesson.
    pub(crate) fn log(&self, class: &Class, record: aon_observe::log::Record) {
        let mut record = record.session(class.id());
        if let Some(trace) = class.trace() {
            record = record.trace(trace);
        }
        self.settings.log.write(&record);
    }
}

impl Class {
    pub(crate) fn id(&self) -> String {
        self.session
            .id()
            .map(|id| id.to_string())
            .unwrap_or_default()
    }

    pub(crate) fn trace(&self) -> Option<String> {
        self.session.trace_id().map(|trace| trace.to_string())
    }
}

pub(crate) fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

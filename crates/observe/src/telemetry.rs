//! The one value that everything reports to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use aon::Door;
use aon::axum::ProblemLayer;
use aon::door::{AtEnd, CallEnd, Calling, Emitted};
use aon_live::id::TraceId;
use aon_live::observer::WeakHub;
use axum::Router;
use axum::response::IntoResponse as _;
use axum::routing::get;
use http::header::{ACCEPT, CONTENT_TYPE};
use prometheus_client::registry::Registry;

use crate::bounded::{MOST_SERIES, Trace, Word, among, word};
use crate::clock::{seconds, wall_ms};
use crate::metrics::{Metrics, SURFACES};
use crate::names::OTHER;
use crate::text;

/// Where problems, hubs, repairs, agents and logs report to, and where `/metrics` reads. Clones are the same value.
///
/// ```
/// use aon::axum::ProblemLayer;
/// use aon_live::{Hub, Settings};
/// use aon_observe::Telemetry;
/// use axum::Router;
///
/// let telemetry = Telemetry::new();
/// let hub = Hub::with(Settings::new().observe(telemetry.clone()));
/// let app: Router = Router::new()
///     .merge(hub.routes())
///     .merge(telemetry.routes())
///     .layer(telemetry.layer())
///     .layer(ProblemLayer::new().with_door(telemetry.door()));
/// # let _ = app;
/// ```
#[derive(Clone)]
pub struct Telemetry(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    registry: Mutex<Registry>,
    pub(crate) metrics: Metrics,
    codes: BTreeMap<Box<str>, Word>,
    pub(crate) hubs: Mutex<Vec<WeakHub>>,
    pub(crate) asked: Mutex<BTreeMap<String, Asked>>,
    pub(crate) milliseconds: OnceLock<crate::questions::Milliseconds>,
    #[cfg(feature = "otlp")]
    pub(crate) spans: OnceLock<crate::otlp::Spans>,
}

/// A request that waits for a person.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) at: u64,
    pub(crate) trace: Option<TraceId>,
    #[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "only spans say it"))]
    pub(crate) step: Option<String>,
}

/// How a [`Telemetry`] is made.
#[derive(Clone, Debug)]
pub struct Builder {
    codes: Vec<String>,
    series: usize,
}

impl Builder {
    /// Codes that are labels of their own, beside those of the catalog. Every other one is counted as `other`.
    #[must_use]
    pub fn codes<T: Into<String>>(mut self, codes: impl IntoIterator<Item = T>) -> Self {
        self.codes.extend(codes.into_iter().map(Into::into));
        self
    }

    /// The most series of one metric: 1000. Beyond, reports go to the series whose labels are `other`.
    #[must_use]
    pub const fn series(mut self, most: usize) -> Self {
        self.series = most;
        self
    }

    /// The value.
    pub fn build(self) -> Telemetry {
        let mut registry = Registry::default();
        let metrics = Metrics::register(&mut registry, self.series);
        let codes = self.codes.into_iter().take(MOST_SERIES).map(|code| {
            let label = word(&code);
            (code.into_boxed_str(), label)
        });
        Telemetry(Arc::new(Inner {
            registry: Mutex::new(registry),
            metrics,
            codes: codes.collect(),
            hubs: Mutex::default(),
            asked: Mutex::default(),
            milliseconds: OnceLock::new(),
            #[cfg(feature = "otlp")]
            spans: OnceLock::new(),
        }))
    }
}

impl Telemetry {
    /// One that knows the codes of the program's catalog.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// One with settings of your own.
    pub fn builder() -> Builder {
        let records = aon::catalog::all().problems;
        Builder {
            codes: records.into_iter().map(|record| record.code).collect(),
            series: MOST_SERIES,
        }
    }

    /// A door that reports every problem, for the layers and servers of all surfaces.
    pub fn door(&self) -> Door {
        self.watch(Door::new())
    }

    /// The same for a door of yours. It has one hook of each kind, so one that is set already is replaced; call
    /// [`Telemetry::problem`] and [`Telemetry::call`] from yours to have both.
    pub fn watch(&self, door: Door) -> Door {
        let telemetry = self.clone();
        let calls = self.clone();
        door.on_problem(move |problem| telemetry.problem(problem))
            .around_calls(move |calling| calls.call(calling))
    }

    /// A problem left the program.
    pub fn problem(&self, problem: &Emitted<'_>) {
        let code = self.0.codes.get(problem.code);
        let labels = [
            ("code", code.cloned().unwrap_or(Word::Borrowed(OTHER))),
            ("surface", among(problem.surface, SURFACES).into()),
            ("status", status(problem.status)),
        ];
        let series = self.0.metrics.problems.at(&labels);
        match problem.trace_id {
            Some(trace) => drop(series.inc_by(1, exemplar(trace), None)),
            // Without a trace the last one stays.
            None => drop(
                series
                    .inner()
                    .fetch_add(1, std::sync::atomic::Ordering::Relaxed),
            ),
        }
        #[cfg(feature = "otlp")]
        if let Some(spans) = self.0.spans.get() {
            spans.problem(problem);
        }
    }

    /// A call of a tool or method begins; what comes back wants to know how it ended.
    pub fn call(&self, calling: &Calling<'_>) -> AtEnd {
        let (telemetry, start) = (self.clone(), crate::clock::start());
        let surface = among(calling.surface, SURFACES);
        let trace = calling.trace_parent.and_then(trace_of).map(str::to_owned);
        #[cfg(feature = "otlp")]
        let span = self.0.spans.get().map(|spans| spans.call(calling));
        Box::new(move |end| {
            let outcome = match end {
                CallEnd::Answered => "ok",
                CallEnd::Failed(_) => "failed",
                CallEnd::Abandoned => "abandoned",
            };
            let labels = [("surface", surface.into()), ("outcome", outcome.into())];
            let series = telemetry.0.metrics.calls.at(&labels);
            let took = start.elapsed().as_secs_f64();
            series.observe(took, trace.as_deref().and_then(exemplar), None);
            #[cfg(feature = "otlp")]
            if let (Some(spans), Some(span)) = (telemetry.0.spans.get(), span) {
                spans.call_ended(span, end);
            }
        })
    }

    /// An action of an agent ended, such as `command.exec` with `ok`.
    pub fn action(&self, method: &str, outcome: &str, took: Duration, trace_id: Option<&str>) {
        let metrics = &self.0.metrics;
        metrics
            .actions
            .at(&[("method", word(method)), ("outcome", word(outcome))])
            .inc();
        let duration = metrics.action_duration.at(&[("method", word(method))]);
        duration.observe(took.as_secs_f64(), trace_id.and_then(exemplar), None);
        #[cfg(feature = "otlp")]
        if let Some(spans) = self.0.spans.get() {
            spans.action(method, outcome, took, trace_id);
        }
    }

    /// Adds metrics of your own to `/metrics`.
    ///
    /// ```
    /// use aon_observe::Telemetry;
    /// use aon_observe::prometheus_client::metrics::counter::Counter;
    ///
    /// let telemetry = Telemetry::new();
    /// let orders: Counter = Counter::default();
    /// telemetry.register(|registry| registry.register("orders", "Orders that came in", orders.clone()));
    /// orders.inc();
    /// assert!(telemetry.open_metrics().contains("orders_total 1\n"));
    /// ```
    pub fn register(&self, add: impl FnOnce(&mut Registry)) {
        add(&mut self
            .0
            .registry
            .lock()
            .unwrap_or_else(PoisonError::into_inner));
    }

    /// Everything as OpenMetrics, with exemplars.
    pub fn open_metrics(&self) -> String {
        self.0.refresh(wall_ms());
        let registry = self
            .0
            .registry
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut out = String::with_capacity(16 * 1024);
        // Writing to a string does not fail.
        let _: fmt::Result = prometheus_client::encoding::text::encode(&mut out, &registry);
        out
    }

    /// Everything in the Prometheus text format, for older readers.
    pub fn prometheus(&self) -> String {
        text::prometheus(&self.open_metrics())
    }

    /// All of it around a router, in one line: `/metrics`, requests, and problems through [`Telemetry::door`]. For a router
    /// that has neither a layer for problems nor `/metrics` yet; a hub in it is told with `Settings::observe`.
    ///
    /// ```
    /// use aon_observe::Telemetry;
    /// use axum::{Router, routing::get};
    ///
    /// let app: Router = Telemetry::new().around(Router::new().route("/report", get(async || "\"done\"")));
    /// # let _ = app;
    /// ```
    ///
    /// # Panics
    ///
    /// As axum does when the router has a route for `GET /metrics` already.
    pub fn around(&self, app: Router) -> Router {
        let app = app.merge(self.routes()).layer(self.layer());
        ProblemLayer::new().with_door(self.door()).wrap(app)
    }

    /// `GET /metrics`: OpenMetrics for those who ask for it by name, the Prometheus text format for everybody else. It has
    /// no access control of its own: mount it where only your collector gets.
    pub fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let telemetry = self.clone();
        let metrics = async move |headers: http::HeaderMap| {
            let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
            if text::wants_open_metrics(accept) {
                (
                    [(CONTENT_TYPE, text::OPEN_METRICS)],
                    telemetry.open_metrics(),
                )
                    .into_response()
            } else {
                ([(CONTENT_TYPE, text::PROMETHEUS)], telemetry.prometheus()).into_response()
            }
        };
        Router::new().route("/metrics", get(metrics))
    }
}

impl Inner {
    /// Sets what is read and not counted.
    fn refresh(&self, now: u64) {
        let (mut open, mut kept, mut bytes, mut interval) = (0_usize, 0_usize, 0_usize, None);
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.retain(|hub| {
            let Some(stats) = hub.stats() else {
                return false;
            };
            open += stats.open;
            kept += stats.sessions;
            bytes += stats.bytes;
            interval = interval.max(hub.heartbeat_ms());
            true
        });
        drop(hubs);
        let metrics = &self.metrics;
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        metrics.sessions_open.set(number(open));
        metrics.sessions_kept.set(number(kept));
        metrics.ring_bytes.set(number(bytes));
        metrics
            .heartbeat_interval
            .set(seconds(interval.unwrap_or(0)));
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = asked.values().map(|asked| asked.at).min();
        metrics.human_open.set(number(asked.len()));
        metrics
            .human_oldest
            .set(oldest.map_or(0.0, |at| seconds(now.saturating_sub(at))));
    }
}

/// The trace id of a `traceparent`, where it is one.
pub(crate) fn trace_of(parent: &str) -> Option<&str> {
    let (version, rest) = parent.split_once('-')?;
    let (trace, rest) = rest.split_once('-')?;
    let span = rest.split('-').next()?;
    let fine = version.len() == 2 && version != "ff" && trace.len() == 32 && span.len() == 16;
    fine.then_some(trace)
}

/// The labels of an exemplar; what is not a trace id is left out, and so is the one of zeros, which means none.
pub(crate) fn exemplar(trace: &str) -> Option<Trace> {
    let fine = trace.len() <= 64
        && trace.bytes().all(|byte| byte.is_ascii_hexdigit())
        && trace.bytes().any(|byte| byte != b'0');
    fine.then(|| [("trace_id", trace.to_owned())])
}

/// A status as a label: 400 to 599 as they are.
fn status(status: u16) -> Word {
    if (400..600).contains(&status) {
        Word::Owned(status.to_string())
    } else {
        Word::Borrowed(OTHER)
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telemetry")
    }
}

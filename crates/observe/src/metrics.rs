//! The metrics of this crate and their registration: one field each, in the order of [`names`](crate::names).

use std::sync::atomic::AtomicU64;

use aon_live::event::RESERVED;
use aon_live::observer::Channel;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::exemplar::{CounterWithExemplar, HistogramWithExemplars};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use crate::bounded::{Bounded, Trace, counts, patience, seconds, traced};
use crate::names::{self, OTHER};

/// A number with a fraction.
type Level = Gauge<f64, AtomicU64>;

#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) problems: Bounded<3, CounterWithExemplar<Trace>>,
    pub(crate) requests: Bounded<4, HistogramWithExemplars<Trace>>,
    pub(crate) calls: Bounded<2, HistogramWithExemplars<Trace>>,
    pub(crate) sessions_started: Counter,
    pub(crate) sessions_open: Gauge,
    pub(crate) sessions_kept: Gauge,
    pub(crate) session_duration: [(&'static str, HistogramWithExemplars<Trace>); 2],
    /// By type of the protocol, and one for those of the program.
    pub(crate) events: Vec<(&'static str, Counter)>,
    pub(crate) events_left_out: Counter,
    pub(crate) readers: [Gauge; 4],
    pub(crate) reader_lag: [Histogram; 4],
    pub(crate) gaps: Bounded<2, Counter>,
    pub(crate) ring_bytes: Gauge,
    pub(crate) heartbeats: [Counter; 4],
    pub(crate) last_heartbeat: [Level; 4],
    pub(crate) heartbeat_interval: Level,
    pub(crate) steps: Bounded<2, HistogramWithExemplars<Trace>>,
    pub(crate) healings: Bounded<2, Counter>,
    pub(crate) human_requests: Bounded<1, Counter>,
    pub(crate) human_open: Gauge,
    pub(crate) human_oldest: Level,
    pub(crate) human_wait: Bounded<1, HistogramWithExemplars<Trace>>,
    pub(crate) actions: Bounded<2, Counter>,
    pub(crate) action_duration: Bounded<1, HistogramWithExemplars<Trace>>,
    pub(crate) forced: Bounded<1, Counter>,
    pub(crate) log_lines: Bounded<1, Counter>,
    pub(crate) log_dropped: Bounded<1, Counter>,
    pub(crate) questions: [Counter; 5],
    pub(crate) latency_now: HistogramWithExemplars<Trace>,
    pub(crate) latency_classify: HistogramWithExemplars<Trace>,
    pub(crate) latency_node: Bounded<1, HistogramWithExemplars<Trace>>,
    pub(crate) sse_open: Gauge,
}

/// What events of the program are counted as.
pub(crate) const APPLICATION: &str = "application";

impl Metrics {
    /// All of them, registered.
    pub(crate) fn register(registry: &mut Registry, most: usize) -> Self {
        let refused = Counter::default();
        let mut put = Put(registry);
        // Fields are filled in the order of the table, which is that of the registry.
        let problems = put.family(
            names::PROBLEMS,
            Bounded::new(&refused, most, traced as fn() -> _),
        );
        let requests = put.family(
            names::REQUESTS,
            Bounded::new(&refused, most, seconds as fn() -> _),
        );
        let calls = put.family(
            names::CALLS,
            Bounded::new(&refused, most, seconds as fn() -> _),
        );
        let sessions_started = put.one(names::SESSIONS_STARTED);
        let sessions_open = put.one(names::SESSIONS_OPEN);
        let sessions_kept = put.one(names::SESSIONS_KEPT);
        let by_outcome: Bounded<1, _> = put.family(
            names::SESSION_DURATION,
            Bounded::new(&refused, most, seconds as fn() -> _),
        );
        let session_duration =
            ["result", "error"].map(|word| (word, by_outcome.at(&[("outcome", word.into())])));
        let by_type: Bounded<1, Counter> = put.family(
            names::EVENTS,
            Bounded::new(&refused, most, Counter::default as fn() -> _),
        );
        let kinds = RESERVED.iter().copied().chain([APPLICATION]);
        let events = kinds
            .map(|word| (word, by_type.at(&[("type", word.into())])))
            .collect();
        let events_left_out = put.one(names::EVENTS_LEFT_OUT);
        let readers = put.channels(names::READERS, &refused, Gauge::default);
        let reader_lag = put.channels(names::READER_LAG, &refused, counts);
        let plain = Counter::default as fn() -> Counter;
        let gaps: Bounded<2, Counter> =
            put.family(names::GAPS, Bounded::new(&refused, most, plain));
        // There from the start: a rate does not see the first step of a series that begins with it.
        for channel in Channel::ALL {
            let reason = "evicted";
            gaps.at(&[
                ("channel", channel.as_str().into()),
                ("reason", reason.into()),
            ]);
        }
        let ring_bytes = put.one(names::RING_BYTES);
        let heartbeats = put.channels(names::HEARTBEATS, &refused, Counter::default);
        let last_heartbeat = put.channels(names::LAST_HEARTBEAT, &refused, Level::default);
        let heartbeat_interval = put.one(names::HEARTBEAT_INTERVAL);
        let steps = put.family(
            names::STEPS,
            Bounded::new(&refused, most, patience as fn() -> _),
        );
        let healings = put.family(names::HEALINGS, Bounded::new(&refused, most, plain));
        let human_requests = put.family(names::HUMAN_REQUESTS, Bounded::new(&refused, most, plain));
        let human_open = put.one(names::HUMAN_OPEN);
        let human_oldest = put.one(names::HUMAN_OLDEST);
        let human_wait = put.family(
            names::HUMAN_WAIT,
            Bounded::new(&refused, most, patience as fn() -> _),
        );
        let actions = put.family(names::ACTIONS, Bounded::new(&refused, most, plain));
        let action_duration = put.family(
            names::ACTION_DURATION,
            Bounded::new(&refused, most, seconds as fn() -> _),
        );
        let forced = put.family(names::FORCED, Bounded::new(&refused, most, plain));
        let log_lines = put.family(names::LOG_LINES, Bounded::new(&refused, most, plain));
        let log_dropped = put.family(names::LOG_DROPPED, Bounded::new(&refused, most, plain));
        put.put(names::SERIES_REFUSED, refused.clone());
        let questions = [
            names::QUESTIONS,
            names::QUESTIONS_NOW,
            names::QUESTIONS_PAUSE,
            names::QUESTIONS_END,
            names::QUESTIONS_FAILED,
        ]
        .map(|metric| put.one(metric));
        let latency_now = seconds();
        put.put(names::LATENCY_NOW, latency_now.clone());
        let latency_classify = seconds();
        put.put(names::LATENCY_CLASSIFY, latency_classify.clone());
        let latency_node = put.family(
            names::LATENCY_NODE,
            Bounded::new(&refused, most, seconds as fn() -> _),
        );
        let sse_open = put.one(names::SSE_OPEN);
        Self {
            problems,
            requests,
            calls,
            sessions_started,
            sessions_open,
            sessions_kept,
            session_duration,
            events,
            events_left_out,
            readers,
            reader_lag,
            gaps,
            ring_bytes,
            heartbeats,
            last_heartbeat,
            heartbeat_interval,
            steps,
            healings,
            human_requests,
            human_open,
            human_oldest,
            human_wait,
            actions,
            action_duration,
            forced,
            log_lines,
            log_dropped,
            questions,
            latency_now,
            latency_classify,
            latency_node,
            sse_open,
        }
    }

    /// The counter of an event type.
    pub(crate) fn event(&self, kind: &str) -> Option<&Counter> {
        let known = self.events.iter().find(|(word, _)| *word == kind);
        known.or(self.events.last()).map(|(_, counter)| counter)
    }
}

/// The place of a channel in the arrays.
pub(crate) fn index(channel: Channel) -> usize {
    Channel::ALL
        .iter()
        .position(|it| *it == channel)
        .unwrap_or(0)
}

struct Put<'r>(&'r mut Registry);

impl Put<'_> {
    fn put(&mut self, metric: names::Metric, value: impl Metric) {
        self.0.register(metric.name, metric.help, value);
    }

    fn one<M: Metric + Clone + Default>(&mut self, metric: names::Metric) -> M {
        let value = M::default();
        self.put(metric, value.clone());
        value
    }

    fn family<const N: usize, M>(
        &mut self,
        metric: names::Metric,
        bounded: Bounded<N, M>,
    ) -> Bounded<N, M>
    where
        M: Clone
            + prometheus_client::encoding::EncodeMetric
            + prometheus_client::metrics::TypedMetric
            + Metric,
    {
        debug_assert_eq!(metric.labels.len(), N, "{}", metric.name);
        self.put(metric, bounded.family.clone());
        bounded
    }

    /// One series for each channel, there from the start.
    fn channels<M>(&mut self, metric: names::Metric, refused: &Counter, new: fn() -> M) -> [M; 4]
    where
        M: Clone
            + prometheus_client::encoding::EncodeMetric
            + prometheus_client::metrics::TypedMetric
            + Metric,
    {
        let bounded: Bounded<1, M> =
            self.family(metric, Bounded::new(refused, Channel::ALL.len(), new));
        Channel::ALL.map(|channel| bounded.at(&[("channel", channel.as_str().into())]))
    }
}

/// Labels of a problem.
pub(crate) const SURFACES: &[&str] = &[
    "rest",
    "human",
    "mcp",
    "a2a",
    "stream",
    "worker",
    "daemon",
    "southbound",
];
/// Labels of a repair: what became of it.
pub(crate) const HEALING_OUTCOMES: &[&str] = &[
    "attempted",
    "succeeded",
    "healed",
    "failed",
    "skipped",
    "exhausted",
];
/// Labels of a request to a person.
pub(crate) const HUMAN_OUTCOMES: &[&str] = &[
    "asked",
    "accepted",
    "consumed",
    "denied",
    "expired",
    "offered_again",
];
/// Labels of a request.
pub(crate) const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// The class of a status.
pub(crate) fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => OTHER,
    }
}

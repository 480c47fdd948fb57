//! Every name that leaves this crate: metrics, their labels, attributes of spans. They stand in one place because they are a
//! contract with dashboards, and because conventions change.

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Only grows. On the wire its name ends in `_total`.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Buckets, sum and count.
    Histogram,
}

impl Kind {
    /// The word in the table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One metric: the table of the documentation and the registry are made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metric {
    /// Its name, without `_total`.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
    /// Whether traces are attached to it as exemplars.
    pub exemplars: bool,
}

impl Metric {
    /// The name on the wire.
    pub fn wire_name(&self) -> String {
        match self.kind {
            Kind::Counter => format!("{}_total", self.name),
            Kind::Gauge | Kind::Histogram => self.name.to_owned(),
        }
    }
}

macro_rules! metrics {
    ($($constant:ident = $kind:ident $name:literal [$($label:literal),*] $help:literal $($exemplars:ident)?;)*) => {
        $(
            #[doc = $help]
            pub(crate) const $constant: Metric = Metric {
                name: $name,
                kind: Kind::$kind,
                labels: &[$($label),*],
                help: $help,
                exemplars: metrics!(@ $($exemplars)?),
            };
        )*
        /// Every metric, in the order of the documentation.
        pub const METRICS: &[Metric] = &[$($constant),*];
    };
    (@) => { false };
    (@ exemplars) => { true };
}

metrics! {
    PROBLEMS = Counter "aon_problems" ["code", "surface", "status"] "Problems that left the program, by code of the catalog, surface and status" exemplars;
    REQUESTS = Histogram "aon_http_request_duration_seconds" ["method", "route", "status", "mode"] "Time until the head of an answer, by method, route template, class of the status and mode" exemplars;
    CALLS = Histogram "aon_call_duration_seconds" ["surface", "outcome"] "How long calls of tools and methods took, by surface and outcome" exemplars;
    SESSIONS_STARTED = Counter "aon_sessions_started" [] "Sessions that were opened";
    SESSIONS_OPEN = Gauge "aon_sessions_open" [] "Sessions that have not ended";
    SESSIONS_KEPT = Gauge "aon_sessions_kept" [] "Sessions that can be read, ended ones included";
    SESSION_DURATION = Histogram "aon_session_duration_seconds" ["outcome"] "Time from the first event of a session to its end" exemplars;
    EVENTS = Counter "aon_events" ["type"] "Events that were published, by type of the protocol; those of the program are `application`";
    EVENTS_LEFT_OUT = Counter "aon_events_left_out" [] "Events that were left out because a request published too many";
    READERS = Gauge "aon_readers" ["channel"] "Readers that are connected";
    READER_LAG = Histogram "aon_reader_lag_events" ["channel"] "Events that were waiting for a reader when it joined, or after it was sent some";
    GAPS = Counter "aon_gaps" ["channel", "reason"] "Losses that readers learned of";
    RING_BYTES = Gauge "aon_ring_bytes" [] "Bytes of events that are kept for late readers";
    HEARTBEATS = Counter "aon_heartbeats" ["channel"] "Heartbeats that were sent";
    LAST_HEARTBEAT = Gauge "aon_last_heartbeat_timestamp_seconds" ["channel"] "When a reader was last sent a heartbeat, or an event in its place";
    HEARTBEAT_INTERVAL = Gauge "aon_heartbeat_interval_seconds" [] "After how much silence a heartbeat is due";
    STEPS = Histogram "aon_step_duration_seconds" ["step", "outcome"] "How long a step took, with its attempts and waits" exemplars;
    HEALINGS = Counter "aon_healings" ["action", "outcome"] "Repairs, by what was done and what became of it";
    HUMAN_REQUESTS = Counter "aon_human_requests" ["outcome"] "Requests to a person; `asked` counts them all, the others what became of them";
    HUMAN_OPEN = Gauge "aon_human_requests_open" [] "Requests that wait for a person";
    HUMAN_OLDEST = Gauge "aon_human_requests_oldest_seconds" [] "How long the oldest open request waits for a person";
    HUMAN_WAIT = Histogram "aon_human_wait_seconds" ["outcome"] "How long a request waited for a person" exemplars;
    ACTIONS = Counter "aon_actions" ["method", "outcome"] "Actions of agents, by method and outcome";
    ACTION_DURATION = Histogram "aon_action_duration_seconds" ["method"] "How long an action took" exemplars;
    FORCED = Counter "aon_forced_decisions" ["route"] "Decisions that a test forced";
    LOG_LINES = Counter "aon_log_lines" ["level"] "Lines of the log that were written";
    LOG_DROPPED = Counter "aon_log_dropped" ["event"] "Debug lines that sampling left out";
    SERIES_REFUSED = Counter "aon_series_refused" [] "Reports whose labels went to `other` because a metric had its most series";
    QUESTIONS = Counter "perguntas_totais" [] "Questions that came in";
    QUESTIONS_NOW = Counter "perguntas_chat_now" [] "Questions that were answered at once";
    QUESTIONS_PAUSE = Counter "perguntas_pause" [] "Questions that waited for a pause";
    QUESTIONS_END = Counter "perguntas_end_topic" [] "Questions that waited for the end of the topic";
    QUESTIONS_FAILED = Counter "perguntas_erros" [] "Questions that ended in an error";
    LATENCY_NOW = Histogram "latencia_resposta_chat_now_seconds" [] "Time to answer a question at once" exemplars;
    LATENCY_CLASSIFY = Histogram "latencia_classificacao_seconds" [] "Time to classify a question" exemplars;
    LATENCY_NODE = Histogram "latencia_no_seconds" ["node"] "Time of one node of the graph" exemplars;
    SSE_OPEN = Gauge "sse_conexoes_ativas" [] "Connections that read server-sent events";
}

/// What stands for everything that is not in a closed set.
pub const OTHER: &str = "other";

/// The table of the documentation.
pub fn table() -> String {
    let mut out = String::from(
        "| metric | kind | labels | says | exemplars |\n| --- | --- | --- | --- | --- |\n",
    );
    for metric in METRICS {
        let labels: Vec<String> = metric.labels.iter().map(|it| format!("`{it}`")).collect();
        out.push_str("| `");
        out.push_str(&metric.wire_name());
        out.push_str("` | ");
        out.push_str(metric.kind.as_str());
        out.push_str(" | ");
        out.push_str(&labels.join(", "));
        out.push_str(" | ");
        out.push_str(metric.help);
        out.push_str(if metric.exemplars {
            " | trace |\n"
        } else {
            " | |\n"
        });
    }
    out
}

/// Attributes of spans, as the semantic conventions name them, and ours beside.
#[cfg(feature = "otlp")]
pub(crate) mod attribute {
    pub(crate) const ERROR_TYPE: &str = "error.type";
    pub(crate) const PROBLEM_CODE: &str = "aon.problem.code";
    pub(crate) const SESSION: &str = "session.id";
    pub(crate) const METHOD: &str = "http.request.method";
    pub(crate) const ROUTE: &str = "http.route";
    pub(crate) const STATUS: &str = "http.response.status_code";
    pub(crate) const SURFACE: &str = "aon.surface";
    pub(crate) const ACTION: &str = "aon.healing.action";
    pub(crate) const ATTEMPT: &str = "aon.attempt";
    pub(crate) const OUTCOME: &str = "aon.outcome";
    pub(crate) const STEP: &str = "aon.step";
    pub(crate) const MCP_METHOD: &str = "mcp.method.name";
    pub(crate) const TOOL: &str = "gen_ai.tool.name";
    pub(crate) const OPERATION: &str = "gen_ai.operation.name";
    pub(crate) const RPC_METHOD: &str = "rpc.method";
    pub(crate) const RPC_STATUS: &str = "rpc.response.status_code";
}

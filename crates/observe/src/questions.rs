//! Metrics of an application that answers questions, by the names its authors gave them.

use std::time::Duration;

use prometheus_client::metrics::exemplar::HistogramWithExemplars;

use crate::bounded::{Trace, word};
use crate::telemetry::{Telemetry, exemplar};

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Routed {
    /// It was answered at once.
    ChatNow,
    /// It waits for a pause.
    Pause,
    /// It waits for the end of the topic.
    EndTopic,
    /// Anything else.
    Other,
}

/// Counters and latencies of questions: [`Telemetry::questions`].
#[derive(Clone, Debug)]
pub struct Questions {
    telemetry: Telemetry,
    milliseconds: bool,
}

/// The latencies in milliseconds: registered once, however many ask for them.
pub(crate) type Milliseconds = [HistogramWithExemplars<Trace>; 3];

impl Telemetry {
    /// Metrics of an application that answers questions.
    ///
    /// ```
    /// use aon_observe::{Routed, Telemetry};
    ///
    /// let telemetry = Telemetry::new();
    /// telemetry.questions().asked(Routed::ChatNow);
    /// assert!(telemetry.open_metrics().contains("perguntas_chat_now_total 1\n"));
    /// ```
    pub fn questions(&self) -> Questions {
        Questions {
            telemetry: self.clone(),
            milliseconds: false,
        }
    }
}

impl Questions {
    /// Adds the latencies under their names in milliseconds too. Prometheus measures in seconds, and its linter says so of
    /// every other unit; this is for dashboards that exist already.
    #[must_use]
    pub fn with_milliseconds(mut self) -> Self {
        self.milliseconds = true;
        self.telemetry.0.milliseconds.get_or_init(|| {
            let all = [(); 3].map(|()| HistogramWithExemplars::new(BUCKETS.into_iter()));
            self.telemetry.register(|registry| {
                for (name, histogram) in NAMES.into_iter().zip(&all) {
                    registry.register(name, "The same in milliseconds", histogram.clone());
                }
            });
            all
        });
        self
    }

    /// A question came in and was routed.
    pub fn asked(&self, routed: Routed) {
        let [all, now, pause, end, _] = &self.telemetry.0.metrics.questions;
        all.inc();
        match routed {
            Routed::ChatNow => drop(now.inc()),
            Routed::Pause => drop(pause.inc()),
            Routed::EndTopic => drop(end.inc()),
            Routed::Other => {}
        }
    }

    /// A question ended in an error.
    pub fn failed(&self) {
        let [.., failed] = &self.telemetry.0.metrics.questions;
        failed.inc();
    }

    /// A question was answered at once.
    pub fn answered(&self, took: Duration, trace_id: Option<&str>) {
        let series = &self.telemetry.0.metrics.latency_now;
        self.observe(0, series, took, trace_id);
    }

    /// A question was classified.
    pub fn classified(&self, took: Duration, trace_id: Option<&str>) {
        let series = &self.telemetry.0.metrics.latency_classify;
        self.observe(1, series, took, trace_id);
    }

    /// A node of the graph has run.
    pub fn node(&self, node: &str, took: Duration, trace_id: Option<&str>) {
        let series = self
            .telemetry
            .0
            .metrics
            .latency_node
            .at(&[("node", word(node))]);
        self.observe(2, &series, took, trace_id);
    }

    fn observe(
        &self,
        which: usize,
        series: &HistogramWithExemplars<Trace>,
        took: Duration,
        trace_id: Option<&str>,
    ) {
        series.observe(took.as_secs_f64(), trace_id.and_then(exemplar), None);
        let all = self.telemetry.0.milliseconds.get();
        if let Some(alias) = all
            .filter(|_| self.milliseconds)
            .and_then(|all| all.get(which))
        {
            alias.observe(
                took.as_secs_f64() * 1000.0,
                trace_id.and_then(exemplar),
                None,
            );
        }
    }
}

/// The names that were given in milliseconds.
const NAMES: [&str; 3] = [
    "latencia_resposta_chat_now_ms",
    "latencia_classificacao_ms",
    "latencia_no_ms",
];

const BUCKETS: [f64; 13] = [
    1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 15000.0,
];

//! What agents push, as metrics: the numbers of a payload, bounded.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aon_agent::south::TelemetrySink;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use serde_json::{Map, Value};

/// The most series.
const MOST: usize = 1000;
/// The most series of one agent, so that none takes the place of the others.
const EACH: usize = 100;
/// The longest name.
const LONGEST: usize = 64;

type Labels = [(&'static str, String); 2];

/// The last value of each number that an agent pushed.
pub(crate) struct Gauges {
    values: Family<Labels, Gauge<f64, AtomicU64>>,
    known: Mutex<BTreeSet<Labels>>,
    refused: Counter,
    telemetry: aon_observe::Telemetry,
}

impl Gauges {
    pub(crate) fn new(telemetry: &aon_observe::Telemetry) -> Self {
        let values = Family::<Labels, Gauge<f64, AtomicU64>>::default();
        let refused = Counter::default();
        telemetry.register(|registry| {
            let help = "The last number that an agent pushed under a name";
            registry.register("aon_agent_telemetry", help, values.clone());
            let help = "Numbers that were not taken because an agent pushed too many names, or one that is none";
            registry.register("aon_agent_telemetry_refused", help, refused.clone());
        });
        Self {
            values,
            known: Mutex::default(),
            refused,
            telemetry: telemetry.clone(),
        }
    }
}

impl TelemetrySink for Gauges {
    fn acted(&self, method: &str, outcome: &str, took: Duration, trace: Option<&str>) {
        self.telemetry.action(method, outcome, took, trace);
    }

    fn push(&self, agent: &str, _: Option<&str>, payload: &Map<String, Value>) {
        for (name, value) in payload {
            let Some(value) = value.as_f64() else {
                continue;
            };
            if name.is_empty() || name.len() > LONGEST || name.contains(char::is_control) {
                self.refused.inc();
                continue;
            }
            let labels = [("agent", agent.to_owned()), ("name", name.clone())];
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let of_agent = || known.iter().filter(|[(_, of), _]| of == agent).count();
            if known.contains(&labels) || known.len() < MOST && of_agent() < EACH {
                known.insert(labels.clone());
                self.values.get_or_create(&labels).set(value);
            } else {
                self.refused.inc();
            }
        }
    }
}

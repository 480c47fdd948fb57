//! What agents push, as metrics: the numbers of a payload, bounded.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aon_agent::south::TelemetrySink;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use serde_json::{Map, Value};

/// The most series.
const MOST: usize = 1000;
/// The longest name.
const LONGEST: usize = 64;

type Labels = [(&'static str, String); 2];

/// The last value of each number that an agent pushed.
pub(crate) struct Gauges {
    values: Family<Labels, Gauge<f64, AtomicU64>>,
    known: Mutex<BTreeSet<Labels>>,
    telemetry: aon_observe::Telemetry,
}

impl Gauges {
    pub(crate) fn new(telemetry: &aon_observe::Telemetry) -> Self {
        let values = Family::<Labels, Gauge<f64, AtomicU64>>::default();
        telemetry.register(|registry| {
            let help = "The last number that an agent pushed under a name";
            registry.register("aon_agent_telemetry", help, values.clone());
        });
        Self {
            values,
            known: Mutex::default(),
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
            let Some(value) = value.as_f64().filter(|_| name.len() <= LONGEST) else {
                continue;
            };
            let labels = [("agent", agent.to_owned()), ("name", name.clone())];
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.contains(&labels) || known.len() < MOST {
                known.insert(labels.clone());
                self.values.get_or_create(&labels).set(value);
            }
        }
    }
}

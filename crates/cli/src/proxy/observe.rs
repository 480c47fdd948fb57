//! What failed and how it was recovered: the way from the proxy to a server that speaks for itself.

use std::collections::BTreeMap;

use aon::ProblemDetails;
use aon::catalog::Catalog;
use serde::Serialize;
use serde_json::{Value, json};

/// As many tools, and kinds of failure for each, are kept: memory stays flat.
const MOST: usize = 1000;

/// What was seen.
#[derive(Debug, Default, Serialize)]
pub(super) struct Observed {
    tools: BTreeMap<String, Seen>,
}

#[derive(Debug, Default, Serialize)]
struct Seen {
    calls: u64,
    failures: BTreeMap<String, Kind>,
    /// The failure the next success recovers from.
    #[serde(skip)]
    open: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Kind {
    status: u16,
    count: u64,
    /// A field, values, a tool or a delay was named.
    actionable: u64,
    /// The next call of the tool succeeded.
    recovered: u64,
    title: String,
    /// One of them, without secrets.
    sample: Value,
}

impl Observed {
    pub(super) fn called(&mut self, tool: &str) {
        if let Some(seen) = self.of(tool) {
            seen.calls += 1;
        }
    }

    pub(super) fn failed(&mut self, tool: &str, problem: &ProblemDetails, actionable: bool) {
        let code = problem
            .code()
            .map_or("unknown", aon::Code::as_str)
            .to_owned();
        let Some(seen) = self.of(tool) else {
            return;
        };
        seen.open = Some(code.clone());
        if seen.failures.len() >= MOST && !seen.failures.contains_key(&code) {
            return;
        }
        let kind = seen.failures.entry(code).or_default();
        if kind.count == 0 {
            kind.status = problem.status().map_or(500, aon::Status::as_u16);
            problem
                .title()
                .unwrap_or_default()
                .clone_into(&mut kind.title);
            kind.sample = serde_json::from_slice(&problem.to_vec()).unwrap_or_default();
        }
        kind.count += 1;
        kind.actionable += u64::from(actionable);
    }

    pub(super) fn succeeded(&mut self, tool: &str) {
        let Some(seen) = self.tools.get_mut(tool) else {
            return;
        };
        if let Some(kind) = seen
            .open
            .take()
            .and_then(|code| seen.failures.get_mut(&code))
        {
            kind.recovered += 1;
        }
    }

    fn of(&mut self, tool: &str) -> Option<&mut Seen> {
        if self.tools.len() >= MOST && !self.tools.contains_key(tool) {
            return None;
        }
        Some(self.tools.entry(tool.to_owned()).or_default())
    }

    /// What failed, as JSON.
    pub(super) fn failures(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// A draft of the catalog the server would have: each kind of failure once.
    pub(super) fn catalog(&self) -> Option<String> {
        let mut records: BTreeMap<&str, Value> = BTreeMap::new();
        for seen in self.tools.values() {
            for (code, kind) in &seen.failures {
                records.entry(code).or_insert_with(|| {
                    json!({
                        "code": code, "status": kind.status, "type": format!("pspace://problem/{code}"),
                        "title": kind.title, "detail": kind.sample.get("detail"), "extensions": [],
                        "origin": {"package": "observed", "type": "Observed", "variant": code},
                    })
                });
            }
        }
        let records: Vec<Value> = records.into_values().collect();
        let draft = json!({"version": 1, "problems": records}).to_string();
        // Read and written by the catalog itself, so that the draft is one.
        Catalog::parse(&draft).ok().map(|catalog| catalog.to_json())
    }
}

//! What failed and how it was recovered: the way from the proxy to a server that speaks for itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aon::ProblemDetails;
use aon::catalog::Catalog;
use serde::Serialize;
use serde_json::{Value, json};

mod keep;

pub(super) use keep::{Keeper, Manifest};

/// As many operations, and kinds of failure for each, are kept: memory stays flat.
const MOST: usize = 1000;
/// As many ways out of one kind of failure are told apart.
const MOST_WAYS: usize = 32;
/// Arguments longer than this are not kept to be compared with those of the next call.
const LONGEST: usize = 16 * 1024;

/// What was seen.
#[derive(Debug, Default, Serialize)]
struct Observed {
    operations: BTreeMap<String, Seen>,
    /// The manifest of the server as it gave it: its list of tools, or its agent card.
    #[serde(skip)]
    manifest: Option<Value>,
    /// How often anything changed, and the manifest.
    #[serde(skip)]
    version: (u64, u64),
}

#[derive(Debug, Default, Serialize)]
struct Seen {
    calls: u64,
    failures: BTreeMap<String, Kind>,
    /// The failure the next success recovers from, and the arguments that failed.
    #[serde(skip)]
    open: Option<(String, Option<Value>)>,
}

#[derive(Debug, Default, Serialize)]
struct Kind {
    status: u16,
    count: u64,
    /// A field, values, a tool or a delay was named.
    actionable: u64,
    /// The next call of the operation succeeded.
    recovered: u64,
    /// What that call had changed, by the names of its arguments.
    how: BTreeMap<String, u64>,
    title: String,
    /// One of them, without secrets.
    sample: Value,
}

/// A handle on what was seen, for every connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Observer(Arc<Mutex<Observed>>);

impl Observer {
    fn seen(&self) -> MutexGuard<'_, Observed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn called(&self, operation: &str) {
        let mut all = self.seen();
        all.version.0 += 1;
        if let Some(seen) = all.of(operation) {
            seen.calls += 1;
        }
    }

    /// The manifest of the server.
    pub(super) fn listed(&self, manifest: &Value) {
        let mut all = self.seen();
        if all.manifest.as_ref() != Some(manifest) {
            all.manifest = Some(manifest.clone());
            all.version.0 += 1;
            all.version.1 += 1;
        }
    }

    pub(super) fn failed(
        &self,
        operation: &str,
        arguments: &Value,
        problem: &ProblemDetails,
        actionable: bool,
    ) {
        let code = problem
            .code()
            .map_or("unknown", aon::Code::as_str)
            .to_owned();
        let mut all = self.seen();
        let Some(seen) = all.of(operation) else {
            return;
        };
        let short = arguments.to_string().len() <= LONGEST;
        seen.open = Some((code.clone(), short.then(|| arguments.clone())));
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

    pub(super) fn succeeded(&self, operation: &str, arguments: &Value) {
        let mut all = self.seen();
        let Some(seen) = all.operations.get_mut(operation) else {
            return;
        };
        let Some((code, before)) = seen.open.take() else {
            return;
        };
        let Some(kind) = seen.failures.get_mut(&code) else {
            return;
        };
        kind.recovered += 1;
        let how = way(before.as_ref(), arguments);
        if kind.how.len() < MOST_WAYS || kind.how.contains_key(&how) {
            *kind.how.entry(how).or_default() += 1;
        }
    }

    /// What failed, as JSON.
    pub(super) fn failures(&self) -> String {
        serde_json::to_string_pretty(&*self.seen()).unwrap_or_default()
    }

    /// The manifest of the server, where it was seen.
    pub(super) fn manifest(&self) -> Option<Value> {
        self.seen().manifest.clone()
    }

    /// Numbers that change when anything was seen, and when the manifest changed.
    fn version(&self) -> (u64, u64) {
        self.seen().version
    }

    /// A draft of the catalog the server would have: each kind of failure once.
    pub(super) fn catalog(&self) -> Option<String> {
        let all = self.seen();
        let mut records: BTreeMap<&str, Value> = BTreeMap::new();
        for seen in all.operations.values() {
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

impl Observed {
    fn of(&mut self, operation: &str) -> Option<&mut Seen> {
        if self.operations.len() >= MOST && !self.operations.contains_key(operation) {
            return None;
        }
        Some(self.operations.entry(operation.to_owned()).or_default())
    }
}

/// What the call that succeeded had changed. Names only: values belong to the caller.
fn way(before: Option<&Value>, after: &Value) -> String {
    let Some(before) = before else {
        return "changed".to_owned();
    };
    if before == after {
        return "sent again".to_owned();
    }
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        return "changed".to_owned();
    };
    let names = old
        .keys()
        .chain(new.keys().filter(|name| !old.contains_key(*name)));
    let changed = names.filter(|name| old.get(*name) != new.get(*name));
    let changed: Vec<String> = changed
        .take(8)
        .map(|name| format!("/{}", aon::pointer::escape(name)))
        .collect();
    format!("changed {}", changed.join(" "))
}

/// Whether a caller can act on a problem: a field, values, a tool or a delay is named.
pub(super) fn is_actionable(problem: &ProblemDetails) -> bool {
    let endpoint = problem.extensions().get("choices_endpoint").is_some();
    endpoint
        || !problem.field_paths().is_empty()
        || !problem.valid_values().is_empty()
        || problem.mcp_tool().is_some()
        || problem.retry_after().is_some()
}

//! One record per answer: who, what paths, fingerprints, outcome, trace. No values.

use std::fmt;

use aon_core::redact;
use serde::Serialize;

/// What became of one answer of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// Unix time in milliseconds.
    pub ts_ms: u64,
    /// The question.
    pub request_id: String,
    /// The step.
    pub step: String,
    /// The session, where there is one.
    pub session_id: Option<String>,
    /// The trace, where there is one.
    pub trace_id: Option<String>,
    /// Who answered, where that is known.
    pub who: Option<String>,
    /// How the answer came: `post`, `websocket`, `terminal`, `webhook`.
    pub channel: String,
    /// `patch`, `retry` or `deny`; `unread` where it could not be read.
    pub answer: &'static str,
    /// `accepted`, `denied`, `repeated`, or why it was refused.
    pub outcome: String,
    /// The JSON Pointers it names.
    pub paths: Vec<String>,
    /// The fingerprint of the answer.
    pub patch_hash: String,
    /// The fingerprint of the payload before.
    pub before_hash: String,
    /// The fingerprint of the payload after, where it was changed.
    pub after_hash: Option<String>,
}

/// Where audit records go, beside `tracing` (target `aon::audit`).
pub trait AuditSink: Send + Sync + 'static {
    /// Takes one record. It must not block for long: the answer waits.
    fn record(&self, record: &AuditRecord);
}

impl<F: Fn(&AuditRecord) + Send + Sync + 'static> AuditSink for F {
    fn record(&self, record: &AuditRecord) {
        self(record);
    }
}

impl fmt::Debug for dyn AuditSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditSink")
    }
}

/// How many paths a record names.
const PATHS: usize = 64;

impl AuditRecord {
    /// Takes secrets out of what a sender chose.
    pub(super) fn clean(mut self) -> Self {
        self.paths.truncate(PATHS);
        for path in &mut self.paths {
            *path = redact::echo(path).into_owned();
        }
        for text in [&mut self.who, &mut self.session_id, &mut self.trace_id]
            .into_iter()
            .flatten()
            .chain([&mut self.step, &mut self.channel])
        {
            *text = redact::text(text).into_owned();
        }
        self
    }

    /// Tells the log.
    pub(super) fn log(&self) {
        tracing::info!(
            target: "aon::audit",
            request_id = %self.request_id,
            step = %self.step,
            session_id = self.session_id.as_deref().unwrap_or_default(),
            trace_id = self.trace_id.as_deref().unwrap_or_default(),
            who = self.who.as_deref().unwrap_or_default(),
            channel = %self.channel,
            answer = self.answer,
            outcome = %self.outcome,
            paths = %self.paths.join(" "),
            patch_hash = %self.patch_hash,
            before_hash = %self.before_hash,
            after_hash = self.after_hash.as_deref().unwrap_or_default(),
            "an answer to a healing request"
        );
    }
}

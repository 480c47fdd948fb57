//! Events that are built in a chain and published at its end.

#![expect(
    clippy::return_self_not_must_use,
    reason = "an event is published by letting it go: `session.status(\"…\");` is how it is meant"
)]

use std::time::Duration;

use aon_core::Severity;
use serde::Serialize;

use super::{Session, delay};
use crate::event::{Body, Healing, IntentAnalysis, Members, Status};
use crate::machine::session::Weight;

/// The longest text of an event; what is longer ends in an ellipsis.
const LONGEST_TEXT: usize = 4096;
/// The longest metadata of an event.
const LONGEST_METADATA: usize = 32 * 1024;

/// `intent_analysis`, published when it goes out of scope.
#[derive(Debug)]
pub struct IntentEvent<'a> {
    session: &'a Session,
    body: Option<IntentAnalysis>,
}

/// `healing`, published when it goes out of scope.
#[derive(Debug)]
pub struct HealingEvent<'a> {
    session: &'a Session,
    body: Option<Healing>,
    /// Whether it was counted as a repair in a report, which is all that a black box shows.
    counted: bool,
}

/// `status`, published when it goes out of scope.
#[derive(Debug)]
pub struct StatusEvent<'a> {
    session: &'a Session,
    body: Option<Status>,
}

impl<'a> IntentEvent<'a> {
    pub(super) fn new(session: &'a Session, original: &str) -> Self {
        let read = session.is_read();
        if !read {
            session.count(None);
        }
        let body = read.then(|| IntentAnalysis {
            original_intent: short(original),
            ..IntentAnalysis::default()
        });
        Self { session, body }
    }

    /// What is in the way.
    pub fn issue(mut self, issue: impl AsRef<str>) -> Self {
        if let Some(body) = &mut self.body {
            body.detected_issue = Some(short(issue.as_ref()));
        }
        self
    }

    /// What is done about it.
    pub fn decision(mut self, decision: impl AsRef<str>) -> Self {
        if let Some(body) = &mut self.body {
            body.decision = Some(short(decision.as_ref()));
        }
        self
    }
}

impl<'a> HealingEvent<'a> {
    pub(super) fn new(session: &'a Session, severity: Severity, action: &str) -> Self {
        let read = session.is_read();
        if !read {
            session.count(Some(action));
        }
        // Repairs are measured whether or not anybody reads along.
        let body = (read || session.is_observed()).then(|| Healing {
            severity,
            action: short(action),
            description: None,
            metadata: Members::new(),
        });
        Self {
            session,
            body,
            counted: !read,
        }
    }

    /// The same for people.
    pub fn description(mut self, description: impl AsRef<str>) -> Self {
        if let Some(body) = &mut self.body {
            body.description = Some(short(description.as_ref()));
        }
        self
    }

    /// One more thing to know: attempt, provider, outcome. What has no JSON form is left out. A repair whose `outcome` is
    /// `failed` is not one that the report of a black box counts as healed.
    pub fn metadata<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Self {
        if self.counted && name == "outcome" {
            let failed = serde_json::to_value(value).is_ok_and(|outcome| outcome == "failed");
            if failed {
                self.counted = false;
                self.session.count_failed();
            }
        }
        if let Some(body) = &mut self.body
            && let Ok(value) = serde_json::to_value(value)
        {
            body.metadata.insert(name.to_owned(), value);
        }
        self
    }
}

impl<'a> StatusEvent<'a> {
    pub(super) fn new(session: &'a Session, message: &str) -> Self {
        let read = session.is_read();
        if !read {
            session.count(None);
        }
        let body = read.then(|| Status {
            message: short(message),
            ..Status::default()
        });
        Self { session, body }
    }

    /// How long it may take.
    pub fn estimated_delay(mut self, duration: Duration) -> Self {
        if let Some(body) = &mut self.body {
            body.estimated_delay_ms = Some(delay(duration));
        }
        self
    }

    /// A word for programs, such as `processing`.
    pub fn phase(mut self, phase: impl AsRef<str>) -> Self {
        if let Some(body) = &mut self.body {
            body.phase = Some(short(phase.as_ref()));
        }
        self
    }

    /// How far it is, from 0 to 1.
    pub fn progress(mut self, progress: f64) -> Self {
        if let Some(body) = &mut self.body {
            body.progress = progress.is_finite().then(|| progress.clamp(0.0, 1.0));
        }
        self
    }
}

impl Drop for IntentEvent<'_> {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            self.session
                .publish(&Body::IntentAnalysis(body), Weight::Analysis);
        }
    }
}

impl Drop for HealingEvent<'_> {
    fn drop(&mut self) {
        if let Some(mut body) = self.body.take() {
            let size = serde_json::to_string(&body.metadata).map_or(0, |text| text.len());
            if size > LONGEST_METADATA {
                body.metadata = Members::from_iter([
                    ("truncated".to_owned(), true.into()),
                    ("original_bytes".to_owned(), size.into()),
                ]);
            }
            let body = Body::Healing(body);
            if self.session.is_read() {
                self.session.publish(&body, Weight::Kept);
            } else {
                self.session.tell(&body);
            }
        }
    }
}

impl Drop for StatusEvent<'_> {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            self.session.publish(&Body::Status(body), Weight::Status);
        }
    }
}

/// The text, or its beginning and an ellipsis.
fn short(text: &str) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let end = (0..=LONGEST_TEXT)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    let mut short = text.get(..end).unwrap_or_default().to_owned();
    short.push('…');
    short
}

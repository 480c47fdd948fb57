//! What came back instead of a result, on whatever surface.

use aon_core::{Json, MachineHints, ProblemDetails, RemediationType};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Effect;

/// How an answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "it was sent or it was not")]
pub enum Lost {
    /// The call never left: no connection.
    NotSent,
    /// It was sent, and no whole answer came.
    NotAnswered,
}

/// A failure as the caller sees it: the envelope where there is one, else what the protocol alone tells.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The problem: ours, plain RFC 9457, or none.
    pub(super) problem: Option<ProblemDetails>,
    /// Whether the problem is an envelope: it says more than RFC 9457 alone.
    pub(super) envelope: bool,
    pub(super) status: Option<u16>,
    /// The delay of the transport, `Retry-After`.
    pub(super) delay: Option<u64>,
    /// What `WWW-Authenticate` asks for.
    pub(super) challenge: Option<String>,
    /// Words of the server, to be read as a fault of the arguments.
    pub(super) text: Option<String>,
    /// `corrected_args`, `corrected_params`.
    pub(super) corrected: Option<Value>,
    pub(super) lost: Option<Lost>,
}

impl Seen {
    /// No answer.
    pub fn lost(lost: Lost) -> Self {
        Self {
            lost: Some(lost),
            ..Self::default()
        }
    }

    /// The problem, where one could be read.
    pub fn problem(&self) -> Option<&ProblemDetails> {
        self.problem.as_ref()
    }

    /// The status: that of the problem, or of the transport.
    pub fn status(&self) -> Option<u16> {
        let told = self.problem.as_ref().and_then(ProblemDetails::status);
        told.map(aon_core::Status::as_u16).or(self.status)
    }

    /// What tells this failure from another, whatever its words and the arguments.
    pub(super) fn fingerprint(&self) -> String {
        match (&self.problem, &self.lost) {
            (_, Some(lost)) => format!("{lost:?}"),
            (Some(problem), None) if self.envelope => {
                MachineHints::of(problem).fingerprint.to_string()
            }
            _ => format!(
                "{:?} {}",
                self.status(),
                self.text.as_deref().unwrap_or_default()
            ),
        }
    }

    pub(super) fn remediation(&self) -> Option<RemediationType> {
        let remediation = self.problem.as_ref()?.remediation()?;
        Some(remediation.kind().kind())
    }

    pub(super) fn next_action(&self, part: &str) -> Option<&str> {
        let remediation = self.problem.as_ref()?.remediation()?;
        remediation.next_action()?.part(part)
    }

    /// The words of the server: the detail or text, and the message of the remediation.
    pub(super) fn words(&self) -> String {
        let remediation = self.problem.as_ref().and_then(ProblemDetails::remediation);
        let message = remediation.and_then(|remediation| remediation.message());
        let words = [self.text.as_deref(), message];
        words.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    pub(super) fn extension(&self, name: &str) -> Option<Value> {
        let extensions = self.problem.as_ref()?.extensions();
        extensions.get(name).map(Json::to_value)
    }

    /// The scopes that an extension names, a text or a list of them.
    pub(super) fn scopes(&self) -> Option<String> {
        let names = ["required_scope", "required_scopes", "scope", "scopes"];
        names.iter().find_map(|name| match self.extension(name)? {
            Value::String(scope) => Some(scope),
            Value::Array(scopes) => {
                let scopes: Option<Vec<&str>> = scopes.iter().map(Value::as_str).collect();
                scopes.map(|scopes| scopes.join(" "))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        })
    }

    pub(super) fn suggestion(&self) -> Option<String> {
        match self.extension("suggestion") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// JSON Pointers of the fields the problem names.
    pub(super) fn named(&self) -> Vec<String> {
        let named = self.problem.as_ref().map(ProblemDetails::field_paths);
        named.unwrap_or_default()
    }

    /// Whether the server is known not to have carried the call out: a status of the client's own, or never sent. A time-out
    /// tells nothing.
    pub(super) fn refused(&self) -> bool {
        match (self.lost, self.status()) {
            (Some(Lost::NotSent), _) => true,
            (None, Some(status)) => (400..500).contains(&status) && status != 408,
            (Some(Lost::NotAnswered), _) | (None, None) => false,
        }
    }

    /// The delay that is told, in milliseconds.
    pub(super) fn delay(&self) -> Option<u64> {
        let own = self.problem.as_ref().and_then(ProblemDetails::retry_after);
        let own = own.map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        own.or(self.delay)
    }

    /// Whether the envelope says that the same call may be sent again. Where nobody knows whether the call had its effect, a
    /// delay alone does not say so.
    pub(super) fn says_repeat(&self) -> bool {
        let Some(problem) = self.problem.as_ref().filter(|_| self.envelope) else {
            return false;
        };
        if self.remediation() == Some(RemediationType::WaitForProvisioning) {
            return true;
        }
        // What was refused for the rate or the moment was not done, and may be sent again.
        let refused_for_now = matches!(self.status(), Some(425 | 429));
        let undone = self.refused() || self.status() == Some(503);
        refused_for_now || (undone && problem.retry_after().is_some())
    }

    /// Whether a call of this effect may be sent again as it is.
    pub(super) fn may_repeat(&self, effect: Effect) -> bool {
        effect != Effect::Unsafe || self.says_repeat() || self.lost == Some(Lost::NotSent)
    }

    /// Whether the failure may pass by itself.
    pub(super) fn passing(&self) -> bool {
        self.lost.is_some()
            || matches!(self.status(), Some(408 | 425 | 429 | 500 | 502 | 503 | 504))
    }
}

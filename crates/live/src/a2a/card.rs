//! The agent card, in one document for clients of 1.0 and of 0.3.

use std::fmt;
use std::sync::Arc;

use aon::Failure;
use aon::surface::a2a::extension_declaration;
use serde_json::{Value, json};

use super::{Agent, AgentFault, Asked, Inner, Skill};
use crate::access::Caller;
use crate::surface::a2a::{Dialect, SESSION_EXTENSION};

/// What a caller that is known reads in the card beside what everybody reads.
#[derive(Clone)]
pub(super) struct Extend(pub(super) Arc<Change>);

type Change = dyn Fn(&Caller, &mut Value) + Send + Sync;

impl fmt::Debug for Extend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Extend")
    }
}

impl Agent {
    /// The card: what 1.0 and 0.3 want to read in it, with the skills of this agent.
    pub fn card(&self) -> Value {
        self.0.card()
    }

    /// The card as its caller may read it.
    pub(super) fn extended_card(&self, asked: &Asked) -> Result<Value, Failure> {
        let fault = match (&self.0.extended, &asked.caller) {
            (Some(extend), Some(caller)) => {
                let mut card = self.card();
                (extend.0)(caller, &mut card);
                return Ok(card);
            }
            (Some(_), None) => AgentFault::CallerUnknown,
            (None, _) if asked.dialect == Dialect::V03 => {
                AgentFault::ExtendedAgentCardNotConfigured
            }
            (None, _) => AgentFault::NoExtendedCard,
        };
        Err(fault.failure())
    }
}

impl Inner {
    pub(super) fn card(&self) -> Value {
        let inner = self;
        let interface = |binding: &str, version: &str| json!({"url": inner.url, "protocolBinding": binding, "protocolVersion": version});
        let skills: Vec<Value> = inner.skills.iter().map(skill).collect();
        let modes = |of: fn(&Skill) -> &[String]| {
            let mut all: Vec<&str> = inner
                .skills
                .iter()
                .flat_map(of)
                .map(String::as_str)
                .collect();
            all.sort_unstable();
            all.dedup();
            json!(all)
        };
        let mut extensions = vec![extension_declaration().to_value(), session_extension()];
        extensions.extend(inner.extensions.iter().cloned());
        let mut card = json!({
            "name": inner.name,
            "description": inner.description,
            "version": inner.version,
            "protocolVersion": "0.3.0",
            "url": inner.url,
            "preferredTransport": "JSONRPC",
            "supportedInterfaces": [
                interface("JSONRPC", "1.0"),
                interface("HTTP+JSON", "1.0"),
                interface("JSONRPC", "0.3"),
            ],
            "capabilities": {
                "streaming": true,
                "pushNotifications": inner.push.is_some(),
                "extendedAgentCard": inner.extended.is_some(),
                "extensions": extensions,
            },
            "defaultInputModes": modes(|skill| &skill.input_modes),
            "defaultOutputModes": modes(|skill| &skill.output_modes),
            "skills": skills,
        });
        if inner.extended.is_some() {
            card["supportsAuthenticatedExtendedCard"] = json!(true);
        }
        for (name, value) in &inner.more {
            card[name] = value.clone();
        }
        card
    }
}

fn skill(skill: &Skill) -> Value {
    let mut entry = json!({
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "tags": skill.tags,
        "inputModes": skill.input_modes,
        "outputModes": skill.output_modes,
    });
    if !skill.examples.is_empty() {
        entry["examples"] = json!(skill.examples);
    }
    entry
}

/// What the card says about tasks that are sessions.
fn session_extension() -> Value {
    json!({
        "uri": SESSION_EXTENSION,
        "description": "A task is a session: its metadata names the session and its addresses, every update names its event, and \
            SubscribeToTask with the header Last-Event-ID goes on after that event, also when the task has ended meanwhile. \
            Where that is no longer kept, the stream begins with the task as it is now.",
        "required": false,
        "params": {"resume": "Last-Event-ID", "gap": "snapshot"},
    })
}

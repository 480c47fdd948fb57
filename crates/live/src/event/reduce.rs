//! What readers see who may not see details ([L8]): the same event under the same number, with less in it.
//!
//! [L8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l8

use aon_core::json::ObjectWriter;

use super::Body;

/// The members of an event without its details; `None` where every reader sees the same.
///
/// Of `intent_analysis` the decision is left where it is one word, of `healing` how bad it was and the action.
pub(crate) fn write_reduced(body: &Body) -> Option<Vec<u8>> {
    let mut members = Vec::with_capacity(64);
    let mut object = ObjectWriter::resume(&mut members);
    match body {
        Body::IntentAnalysis(intent) => {
            if let Some(decision) = intent.decision.as_deref().filter(|word| is_word(word)) {
                object.string("decision", decision);
            }
        }
        Body::Healing(healing) => {
            object.string("severity", healing.severity.as_str());
            let action = Some(healing.action.as_str()).filter(|word| is_word(word));
            object.string("action", action.unwrap_or("healing"));
        }
        Body::Session(_)
        | Body::Status(_)
        | Body::InteractiveHealingRequest(_)
        | Body::InteractiveHealingResult(_)
        | Body::Gap(_)
        | Body::ReplayComplete(_)
        | Body::Heartbeat(_)
        | Body::Result(_)
        | Body::Error(_)
        | Body::Other(_) => return None,
    }
    object.boolean("reduced", true);
    Some(members)
}

/// A name that a program gives to what it does, and not a sentence or a value.
fn is_word(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    !text.is_empty() && text.len() <= 40 && text.bytes().all(fits)
}

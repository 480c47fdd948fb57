//! Names of event types that a program adds.

use std::fmt;

/// The types of the protocol; a program's own events have other names.
pub const RESERVED: &[&str] = &[
    "session",
    "intent_analysis",
    "healing",
    "status",
    "interactive_healing_request",
    "interactive_healing_result",
    "gap",
    "replay_complete",
    "heartbeat",
    "ticket",
    "result",
    "error",
];

/// The name of an event type of one's own: `[a-z][a-z0-9_.-]*`, at most 64 bytes, not one of [`RESERVED`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventName(String);

/// Why a text is not an [`EventName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidEventName {
    /// It is not `[a-z][a-z0-9_.-]*` of at most 64 bytes.
    Malformed,
    /// It is one of the protocol's own types.
    Reserved,
}

impl EventName {
    /// Checks a name that is known only at run time. One that is known while compiling goes into
    /// [`ApplicationEvent::TYPE`](super::ApplicationEvent::TYPE).
    ///
    /// # Errors
    ///
    /// When the text is malformed or reserved.
    pub fn parse(text: &str) -> Result<Self, InvalidEventName> {
        if !well_formed(text) {
            return Err(InvalidEventName::Malformed);
        }
        if is_reserved(text) {
            return Err(InvalidEventName::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for InvalidEventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str(
                "an event type starts with a lower-case letter, goes on with a-z, 0-9, `_`, `.` or `-`, and has at most 64 bytes",
            ),
            Self::Reserved => write!(
                f,
                "this event type belongs to the protocol; take a name other than {}",
                RESERVED.join(", ")
            ),
        }
    }
}

impl std::error::Error for InvalidEventName {}

/// Whether a program may use the name; usable while compiling.
pub(crate) const fn may_be_used(name: &str) -> bool {
    well_formed(name) && !is_reserved(name)
}

const fn well_formed(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > 64 || !bytes[0].is_ascii_lowercase() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        let byte = bytes[at];
        let fits = byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || matches!(byte, b'_' | b'.' | b'-');
        if !fits {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_reserved(name: &str) -> bool {
    let mut at = 0;
    while at < RESERVED.len() {
        if same(RESERVED[at].as_bytes(), name.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_protocol_are_taken() {
        for name in RESERVED {
            assert_eq!(EventName::parse(name), Err(InvalidEventName::Reserved));
        }
        for name in ["log", "lesson", "insert", "done", "a.b-c_9"] {
            assert!(EventName::parse(name).is_ok(), "{name}");
        }
        for name in ["", "A", "9a", "a b", "a\n", "é", &"a".repeat(65)] {
            assert_eq!(EventName::parse(name), Err(InvalidEventName::Malformed));
        }
    }
}

//! Fingerprints of documents: they tell whether two are equal, and nobody can try values against them, because they are
//! keyed by the process.

use serde_json::Value;

use super::key::keyed;

/// The fingerprint of a document.
pub(super) fn of(document: &Value) -> String {
    // Members are kept in the order of their names, so equal documents have equal texts.
    format!("{:032x}", keyed(document.to_string().as_bytes()))
}

/// The fingerprint of some bytes.
pub(super) fn bytes(bytes: &[u8]) -> String {
    format!("{:032x}", keyed(bytes))
}

//! The smallest files of each kind, and JSON as the types of rmcp.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A PNG of one pixel.
pub(crate) const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// A WAV without samples.
pub(crate) const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// A fixture is JSON in the words of the protocol; the types of rmcp are read from it.
pub(crate) fn typed<T: DeserializeOwned>(fixture: Value) -> T {
    let text = fixture.to_string();
    serde_json::from_value(fixture)
        .unwrap_or_else(|error| panic!("a fixture is wrong: {error}: {text}"))
}

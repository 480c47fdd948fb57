//! The id of a request (P3): what the caller brought, or a new one.

use http::HeaderMap;

/// The `X-Request-Id`, the trace id of a `traceparent`, or a new UUID of version 7.
pub(crate) fn of(headers: &HeaderMap) -> String {
    brought(headers).unwrap_or_else(fresh)
}

/// A new one.
pub(crate) fn fresh() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// What the caller brought.
pub(crate) fn brought(headers: &HeaderMap) -> Option<String> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let fits =
        |id: &&str| !id.is_empty() && id.len() <= 128 && id.bytes().all(|b| b.is_ascii_graphic());
    header("x-request-id")
        .filter(fits)
        .map(str::to_owned)
        .or_else(|| header("traceparent").and_then(trace_id))
}

/// The trace id of a W3C `traceparent`.
pub(crate) fn trace_id(parent: &str) -> Option<String> {
    let id = parent.split('-').nth(1)?;
    let valid = id.len() == 32
        && id.bytes().all(|b| b.is_ascii_hexdigit())
        && id.bytes().any(|b| b != b'0');
    valid.then(|| id.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_caller_brought_comes_first() {
        let mut headers = HeaderMap::new();
        let trace = "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01";
        headers.insert("traceparent", trace.parse().unwrap());
        assert_eq!(of(&headers), "4bf92f3577b34da6a3ce929d0e0e4736");
        headers.insert("x-request-id", "abc-1".parse().unwrap());
        assert_eq!(of(&headers), "abc-1");
        headers.insert("x-request-id", "has space".parse().unwrap());
        headers.remove("traceparent");
        assert_eq!(of(&headers).as_bytes()[14], b'7');
    }
}

//! The id of a request (P3): what the caller brought, or a new one.

use http::HeaderMap;
use uuid::Uuid;

/// The `X-Request-Id`, the trace id of a `traceparent`, or a new UUID of version 7.
pub(crate) fn request_id(headers: Option<&HeaderMap>) -> String {
    let header = |name: &str| headers?.get(name)?.to_str().ok();
    let given = header("x-request-id").filter(|id| {
        !id.is_empty() && id.len() <= 128 && id.bytes().all(|byte| byte.is_ascii_graphic())
    });
    if let Some(id) = given {
        return id.to_owned();
    }
    let trace = header("traceparent").and_then(|parent| {
        let id = parent.split('-').nth(1)?;
        let good = id.len() == 32
            && id.bytes().all(|byte| byte.is_ascii_hexdigit())
            && id.bytes().any(|byte| byte != b'0');
        good.then(|| id.to_ascii_lowercase())
    });
    trace.unwrap_or_else(|| Uuid::now_v7().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_caller_brought_comes_first() {
        let mut headers = HeaderMap::new();
        let trace = "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01";
        headers.insert("traceparent", trace.parse().unwrap());
        assert_eq!(
            request_id(Some(&headers)),
            "4bf92f3577b34da6a3ce929d0e0e4736"
        );
        headers.insert("x-request-id", "abc-1".parse().unwrap());
        assert_eq!(request_id(Some(&headers)), "abc-1");
        headers.insert("x-request-id", "has space".parse().unwrap());
        headers.remove("traceparent");
        assert_eq!(request_id(Some(&headers)).len(), 36);
        assert_eq!(request_id(None).as_bytes()[14], b'7');
    }
}

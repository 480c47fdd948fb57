//! The ids a request may bring ([P3]): one grammar for its name, one for its trace.
//!
//! [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3

/// The longest request id.
pub const MAX_REQUEST_ID: usize = 128;

/// Whether a text may be a request id: 1 to 128 visible ASCII characters, none of ``"'`\<>``.
///
/// Such an id stands in a header, in a log line, in JSON and on a page as it is, so nothing has to be escaped on its way.
///
/// ```
/// use aon_core::ids::is_request_id;
///
/// assert!(is_request_id("0198c0de-0000-7000-8000-000000000001") && is_request_id("req/42+a=b"));
/// assert!(!is_request_id("") && !is_request_id("a b") && !is_request_id("<b>") && !is_request_id("größe"));
/// ```
pub const fn is_request_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > MAX_REQUEST_ID {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_graphic()
            || matches!(bytes[at], b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>')
        {
            return false;
        }
        at += 1;
    }
    true
}

/// The trace id in a W3C `traceparent`, `version-traceid-parentid-flags` in lower-case hexadecimal; `None` where it is not valid.
///
/// Read as the recommendation says: version `ff` is invalid, version `00` has nothing behind the flags, a later version may
/// have more behind another dash, and neither id is all zero.
///
/// ```
/// use aon_core::ids::trace_id;
///
/// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// assert_eq!(trace_id(parent), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
/// assert_eq!(trace_id(&parent.to_uppercase()), None);
/// ```
pub fn trace_id(traceparent: &str) -> Option<&str> {
    let (fixed, rest) = traceparent.split_at_checked(55)?;
    let mut parts = fixed.split('-');
    let (version, trace, parent, _flags) = (
        hex(parts.next()?, 2)?,
        hex(parts.next()?, 32)?,
        hex(parts.next()?, 16)?,
        hex(parts.next()?, 2)?,
    );
    let known = match version {
        "ff" => false,
        "00" => rest.is_empty(),
        _ => rest.is_empty() || rest.starts_with('-'),
    };
    let set = |id: &str| id.bytes().any(|byte| byte != b'0');
    (known && set(trace) && set(parent)).then_some(trace)
}

/// The id a request brought ([P3]): a well-formed `X-Request-Id`, or else the trace id of a valid `traceparent`.
///
/// An id that looks like a secret is not taken: it would stand in every answer and every log line.
///
/// ```
/// use aon_core::ids::brought;
///
/// let trace = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
/// assert_eq!(brought(Some("abc-1"), trace), Some("abc-1"));
/// assert_eq!(brought(Some("a b"), trace), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
/// assert_eq!(brought(None, None), None);
/// ```
///
/// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
pub fn brought<'a>(request_id: Option<&'a str>, traceparent: Option<&'a str>) -> Option<&'a str> {
    let fits = |id: &&str| is_request_id(id) && !crate::redact::is_secret_id(id);
    request_id.filter(fits).or_else(|| trace_id(traceparent?))
}

fn hex(text: &str, length: usize) -> Option<&str> {
    let digits = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (text.len() == length && digits).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn a_malformed_trace_parent_is_refused() {
        let bad = [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473ö-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-",
        ];
        for header in bad {
            assert_eq!(trace_id(header), None, "{header}");
        }
        assert_eq!(bad.len(), 14);
    }

    #[test]
    fn a_later_version_may_say_more() {
        for header in [
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02-what",
        ] {
            assert_eq!(trace_id(header), Some(TRACE), "{header}");
        }
    }

    #[test]
    fn an_id_that_looks_like_a_secret_is_not_taken() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        assert!(is_request_id(&token));
        assert_eq!(brought(Some(&token), None), None);
        assert!(!is_request_id(&"x".repeat(MAX_REQUEST_ID + 1)));
        assert!(is_request_id(&"x".repeat(MAX_REQUEST_ID)));
    }
}

//! What a problem lowers to beside its JSON: the native headers of HTTP ([S2]).
//!
//! [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2

use std::fmt::Write as _;

use aon_core::{Parts, ProblemDetails, RemediationType};

/// The headers a problem lowers to, besides `Content-Type` ([S2]): name in lower case, and a value that is safe to
/// send.
///
/// [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2
pub fn headers(problem: &ProblemDetails) -> Vec<(&'static str, String)> {
    let Parts {
        type_uri: _,
        title: _,
        status,
        detail: _,
        instance: _,
        code: _,
        request_id: _,
        valid_values,
        remediation,
        docs_url,
        mcp_tool: _,
        a2a_skill: _,
        extensions: _,
    } = problem.parts();
    let status = status.map_or(500, aon_core::Status::as_u16);
    let mut headers = Vec::new();
    let scope = remediation
        .filter(|remediation| remediation.kind().kind() == RemediationType::RequestScopeElevation)
        .and_then(|remediation| remediation.next_action()?.part("required_scope"));
    match (status, problem.challenge(), scope) {
        (_, Some(challenge), _) => headers.push(("www-authenticate", visible(&challenge))),
        (403, None, Some(scope)) => {
            let scope = quoted(scope);
            headers.push((
                "www-authenticate",
                format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\""),
            ));
        }
        (401, None, Some(scope)) => headers.push((
            "www-authenticate",
            format!("Bearer scope=\"{}\"", quoted(scope)),
        )),
        (401, None, None) => headers.push(("www-authenticate", "Bearer".to_owned())),
        _ => {}
    }
    if status == 405 {
        let methods = valid_values.of("method").unwrap_or_default();
        let mut allow = String::new();
        for method in methods {
            let separator = if allow.is_empty() { "" } else { ", " };
            // Writing into a String cannot fail.
            let _: std::fmt::Result = write!(allow, "{separator}{}", method.value());
        }
        headers.push(("allow", visible(&allow)));
    }
    if status == 415 {
        let accepted = valid_values
            .of("content-type")
            .or_else(|| valid_values.of("content_type"))
            .unwrap_or_default();
        let accepted: Vec<String> = accepted
            .iter()
            .map(|choice| choice.value().to_string())
            .collect();
        if !accepted.is_empty() {
            headers.push(("accept", visible(&accepted.join(", "))));
        }
    }
    let delay = problem.retry_after().map(|delay| delay.as_secs());
    if let Some(seconds) = delay.or_else(|| unknown_delay(status)) {
        headers.push(("retry-after", seconds.to_string()));
    }
    if let Some(url) = docs_url {
        headers.push(("link", format!("<{}>; rel=\"help\"", ascii(url.as_str()))));
    }
    headers
}

/// What `Retry-After` says where the status wants one ([S2]) and the problem knows no delay. The body does not repeat it: it is a
/// rule of politeness, not knowledge.
///
/// [S2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s2
pub(crate) fn unknown_delay(status: u16) -> Option<u64> {
    matches!(status, 429 | 503).then_some(5)
}

/// Text that may stand in a header: visible ASCII and spaces.
fn visible(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .collect()
}

fn quoted(text: &str) -> String {
    visible(text).replace(['"', '\\'], "")
}

/// A URI reference in ASCII: letters of other scripts are percent-encoded.
fn ascii(uri: &str) -> String {
    let mut out = String::with_capacity(uri.len());
    for c in uri.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                // Writing into a String cannot fail.
                let _: std::fmt::Result = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aon_core::{Code, NextAction, Remediation, Status, UriRef};

    use super::*;

    fn problem(status: u16) -> ProblemDetails {
        ProblemDetails::new(Status::from_static(status), Code::from_static("some_code"))
    }

    #[test]
    fn remediation_lowers_to_headers() {
        let scope = Remediation::request_scope_elevation()
            .with_next_action(NextAction::required_scope("a:b \"c\""));
        assert_eq!(
            headers(&problem(403).with_remediation(scope)),
            [(
                "www-authenticate",
                "Bearer error=\"insufficient_scope\", scope=\"a:b c\"".to_owned()
            )]
        );
        assert_eq!(
            headers(&problem(401)),
            [("www-authenticate", "Bearer".to_owned())]
        );
        assert_eq!(
            headers(&problem(405).with_valid_values("method", ["GET", "HEAD"])),
            [("allow", "GET, HEAD".to_owned())]
        );
        assert_eq!(
            headers(&problem(503).with_retry_after(Duration::from_millis(1500))),
            [("retry-after", "2".to_owned())]
        );
        for wanted in [429, 503] {
            assert_eq!(
                headers(&problem(wanted)),
                [("retry-after", "5".to_owned())],
                "{wanted} has one even where no delay is known"
            );
        }
        let docs = UriRef::parse("https://x/ö#y").unwrap();
        assert_eq!(
            headers(&problem(404).with_docs_url(docs)),
            [("link", "<https://x/%C3%B6#y>; rel=\"help\"".to_owned())]
        );
    }

    #[test]
    fn no_header_value_can_split_the_response() {
        let hostile = problem(401).with_challenge("Bearer\r\nSet-Cookie: x=1");
        assert_eq!(
            headers(&hostile),
            [("www-authenticate", "BearerSet-Cookie: x=1".to_owned())]
        );
    }
}

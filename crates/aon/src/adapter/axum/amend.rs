//! Small changes to a problem and its headers on the way out.

use std::time::Duration;

use aon_core::{ExtensionName, Namespace, ProblemDetails, UriRef};
use http::header::{self, HeaderMap, HeaderValue};

/// Adds `Accept` to `Vary`, once.
pub(super) fn vary_on_accept(headers: &mut HeaderMap) {
    let there = headers.get_all(header::VARY).iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value.split(',').any(|name| {
                matches!(name.trim(), "*") || name.trim().eq_ignore_ascii_case("accept")
            })
        })
    });
    if !there {
        headers.append(header::VARY, HeaderValue::from_static("accept"));
    }
}

/// Replaces the id that was made up by the one the request brought.
pub(super) fn with_new_id(problem: ProblemDetails, id: &str) -> ProblemDetails {
    let old = problem.request_id().unwrap_or_default();
    let instance = problem
        .instance()
        .map(|uri| uri.as_str().to_owned())
        .filter(|uri| !old.is_empty() && uri.ends_with(old));
    let encoded = Namespace::DEFAULT.instance_of(id);
    let encoded = encoded.rsplit_once(":request:").map_or(id, |(_, id)| id);
    let instance = instance.and_then(|uri| {
        let start = uri.strip_suffix(old)?;
        UriRef::parse(format!("{start}{encoded}")).ok()
    });
    let problem = match instance {
        Some(uri) => problem.with_instance(uri),
        None => problem,
    };
    problem.with_request_id(&Namespace::DEFAULT, id.to_owned())
}

/// The transitional member of S4.
pub(super) fn with_legacy(problem: ProblemDetails) -> ProblemDetails {
    let error = serde_json::json!({
        "code": problem.code().map_or("internal", aon_core::Code::as_str),
        "message": problem.detail().or(problem.title()).unwrap_or_default(),
        "request_id": problem.request_id().unwrap_or_default(),
    });
    extended(problem, "error", &error)
}

pub(super) fn extended<T: serde::Serialize + ?Sized>(
    problem: ProblemDetails,
    name: &'static str,
    value: &T,
) -> ProblemDetails {
    let unchanged = problem.clone();
    problem
        .with_extension(ExtensionName::from_static(name), value)
        .unwrap_or(unchanged)
}

/// The words of a comma-separated header.
pub(super) fn words(value: Option<&HeaderValue>) -> Vec<String> {
    let text = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `Retry-After` in seconds.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    text.parse().ok().map(Duration::from_secs)
}

/// The scope a challenge of RFC 6750 asks for: `Bearer error="insufficient_scope", scope="a b"`.
pub(super) fn missing_scope(challenge: &str) -> Option<&str> {
    if !challenge.contains("insufficient_scope") {
        return None;
    }
    let at = challenge.to_ascii_lowercase().find("scope=\"")?;
    let (scope, _) = challenge.get(at + 7..)?.split_once('"')?;
    Some(scope).filter(|scope| !scope.is_empty())
}

#[cfg(test)]
mod tests {
    use super::missing_scope;

    #[test]
    fn the_scope_of_a_challenge_is_found() {
        let challenge = r#"Bearer realm="x", error="insufficient_scope", scope="a b""#;
        assert_eq!(missing_scope(challenge), Some("a b"));
        for other in [
            r#"Bearer scope="a""#,
            r#"Bearer error="insufficient_scope""#,
            r#"Bearer error="insufficient_scope", scope=""#,
            r#"Bearer error="insufficient_scope", scope="""#,
        ] {
            assert_eq!(missing_scope(other), None, "{other}");
        }
    }
}

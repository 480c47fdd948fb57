//! The problem that a foreign error response stands for: by its text where that is a framework's own, else by its status,
//! its headers and the route table.

use std::time::{Duration, SystemTime};

use aon_core::{NextAction, ProblemDetails, Remediation, Status, redact};
use http::header::{self, HeaderMap, HeaderValue};
use http::response::Parts;

use super::layer::Config;
use super::{framework, known};
use crate::adapter::listed;
use crate::builtin;

pub(super) fn problem(
    parts: &Parts,
    text: Option<&str>,
    path: &str,
    config: &Config,
) -> ProblemDetails {
    let number = parts.status.as_u16();
    let parameters = match number {
        400 => config.routes.parameters(path),
        _ => Vec::new(),
    };
    let mut problem = text
        .and_then(|text| known::problem(number, text, &parameters))
        .unwrap_or_else(|| of_status(parts, text, path, config));
    if let Some(delay) = retry_after(&parts.headers, now()) {
        problem = problem.with_retry_after(delay);
    }
    let challenge = parts.headers.get(header::WWW_AUTHENTICATE);
    if let Some(Ok(challenge)) = challenge.map(HeaderValue::to_str)
        && matches!(number, 401 | 403)
    {
        if let Some(scope) = missing_scope(challenge) {
            problem = problem.with_remediation(
                Remediation::request_scope_elevation()
                    .with_message("Ask for credentials with this scope, then repeat the call.")
                    .with_next_action(NextAction::required_scope(scope.to_owned())),
            );
        }
        problem = problem.with_challenge(challenge);
    }
    problem
}

fn of_status(parts: &Parts, text: Option<&str>, path: &str, config: &Config) -> ProblemDetails {
    let headers = &parts.headers;
    let status = Status::new(parts.status.as_u16()).unwrap_or(Status::from_static(500));
    let problem = match status.as_u16() {
        404 => {
            let silent =
                text.is_none_or(str::is_empty) && !headers.contains_key(header::CONTENT_TYPE);
            not_found(silent, path, config)
        }
        405 => {
            let mut methods = listed(headers, &header::ALLOW);
            if methods.is_empty() {
                methods = config.routes.methods(path).to_vec();
            }
            builtin::method_not_allowed(methods)
        }
        413 => builtin::too_large(config.limit),
        415 => {
            let accepted = listed(headers, &header::ACCEPT);
            let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
            builtin::unsupported_media_type(&accepted)
        }
        _ => framework::bare(status),
    };
    let shown = text.map(str::trim).filter(|text| {
        config.foreign_detail
            && !status.is_server_error()
            && !text.is_empty()
            && text.len() <= 500
            && !text.contains(char::is_control)
    });
    match shown {
        Some(text) => problem.with_detail(redact::text(text).into_owned()),
        None => problem,
    }
}

/// A 404 that nobody explained: with a route table, one without a route is told from one a handler gave.
fn not_found(silent: bool, path: &str, config: &Config) -> ProblemDetails {
    let routes = &config.routes;
    let exists = if routes.is_empty() {
        !silent
    } else {
        routes.serves(path)
    };
    if exists {
        return builtin::problem(&framework::NOT_FOUND);
    }
    let nearest = routes.nearest(path);
    let problem = builtin::unknown_operation("route", nearest);
    match nearest {
        Some(nearest) => problem.with_valid_values("path", [nearest.to_owned()]),
        None => problem,
    }
}

/// `Retry-After` as a delay: seconds, or a date as seen from `now`. A date that has passed is not a delay.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = httpdate::parse_http_date(text).ok()?;
    Some(then.duration_since(now).unwrap_or_default())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a date to try again is a delay only as seen from now; nothing else here depends on the clock"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

/// The scope a challenge of RFC 6750 asks for: `Bearer error="insufficient_scope", scope="a b"`.
fn missing_scope(challenge: &str) -> Option<&str> {
    if !challenge.contains("insufficient_scope") {
        return None;
    }
    let at = challenge.to_ascii_lowercase().find("scope=\"")?;
    let (scope, _) = challenge.get(at + 7..)?.split_once('"')?;
    Some(scope).filter(|scope| !scope.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_delay_from_now() {
        let mut headers = HeaderMap::new();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_700);
        let mut delay = |value: &'static str| {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(value));
            retry_after(&headers, now).map(|delay| delay.as_secs())
        };
        assert_eq!(delay("Sun, 06 Nov 1994 08:49:37 GMT"), Some(77));
        assert_eq!(delay("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(delay("120"), Some(120));
        assert_eq!(delay("soon"), None);
    }

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

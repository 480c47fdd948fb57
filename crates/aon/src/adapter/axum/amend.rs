//! Small changes to a problem and its headers on the way out.

use std::time::{Duration, SystemTime};

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

/// `Retry-After` as a delay: seconds, or a date as seen from `now`. A date that has passed is no delay at all.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = Duration::from_secs(seconds_of_date(text)?);
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(then.saturating_sub(now))
}

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7); the obsolete forms are not read.
fn seconds_of_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let words: Vec<&str> = text.split_once(", ")?.1.split(' ').collect();
    let [day, month, year, clock, "GMT"] = words.as_slice() else {
        return None;
    };
    let number = |word: &str, length: usize, range: std::ops::RangeInclusive<u64>| {
        let number = word.parse().ok().filter(|_| word.len() == length)?;
        range.contains(&number).then_some(number)
    };
    let day = number(day, 2, 1..=31)?;
    let month = (1..)
        .zip(MONTHS)
        .find_map(|(number, name)| (name == *month).then_some(number))?;
    let year = number(year, 4, 1970..=9999)?;
    let clock: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = clock.as_slice() else {
        return None;
    };
    let hour = number(hour, 2, 0..=23)?;
    let minute = number(minute, 2, 0..=59)?;
    let second = number(second, 2, 0..=60)?;
    // Days since 1970, with years that begin in March, so that a leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The problem with its type, and the instance it has, in another namespace.
pub(super) fn renamed(problem: ProblemDetails, namespace: &Namespace) -> ProblemDetails {
    let uri = problem
        .code()
        .and_then(|code| UriRef::parse(namespace.type_of(code.as_str())).ok());
    let instance = problem
        .request_id()
        .and_then(|id| UriRef::parse(namespace.instance_of(id)).ok());
    let problem = match uri {
        Some(uri) => problem.with_type(uri),
        None => problem,
    };
    match instance {
        Some(uri) => problem.with_instance(uri),
        None => problem,
    }
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
    use super::*;

    #[test]
    fn a_date_is_a_delay_from_now() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Thu, 29 Feb 2024 23:59:60 GMT", Some(1_709_251_200)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 06 Nov 1994 24:00:00 GMT", None),
            ("Sun, 00 Nov 1994 00:00:00 GMT", None),
            ("Mon, 01 Jan 0000 00:00:00 GMT", None),
            ("", None),
        ] {
            assert_eq!(seconds_of_date(text), seconds, "{text}");
        }
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

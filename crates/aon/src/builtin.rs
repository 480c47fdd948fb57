//! What the adapters answer by themselves, as catalog entries like any other ([D4]).
//!
//! Every adapter has one table, written with [`entries!`]. What two of them can say stands here, once: a code has one
//! entry, whoever emits it. A program that declares one of these codes itself replaces the entry
//! (see [`Catalog`](crate::catalog::Catalog)).
//!
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

/// Declares a table: a static per entry with its record in the program's own section, and the list `ALL`. [`all`] must
/// name the table. The texts must do without quotes and backslashes, because they become JSON as they are.
///
/// One line is: name, status, code, title, detail (with holes for what varies), then as far as they apply the remediation and its
/// words, the delay of one that is worth repeating, and the extensions an occurrence may have. A mistake that the caller can
/// correct has no remediation: what to correct stands in the detail, the errors and the valid values ([P5]).
///
/// [P5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p5
macro_rules! entries {
    ($of:literal: $(
        $(#[doc = $summary:literal])+
        $name:ident = $status:literal, $code:literal, $title:literal, $detail:literal
        $(=> $kind:ident $(($reason:ident))? $message:literal)?
        $(, retry_after: $seconds:literal)?
        $(, extensions: [$first:literal $(, $more:literal)*])?;
    )+) => {
        $(
            $(#[doc = $summary])+
            pub(crate) static $name: aon_core::Entry = {
                const SUMMARY: &str = concat!($($summary),+).trim_ascii();
                $(
                    const REMEDIATION: &str = concat!(
                        r#"{"type":""#, stringify!($kind),
                        $(r#"","reason":""#, stringify!($reason),)?
                        r#"","message":""#, $message, r#"","auto_fix_available":false}"#,
                    );
                    static REMEDY: aon_core::Remediation = aon_core::Remediation::constant(
                        $crate::builtin::kind!($kind $($reason)?),
                        Some($message),
                        None,
                        None,
                        false,
                        REMEDIATION,
                    );
                )?
                aon_core::__embed! { RECORD [
                    concat!(
                        r#"{"code":""#, $code, r#"","status":"#, $status,
                        r#","type":"pspace://problem/"#, $code, r#"","title":""#, $title,
                        r#"","detail":""#, $detail, r#"","summary":""#,
                    ),
                    SUMMARY,
                    "\"",
                    $($crate::builtin::first!(r#","remediation":"#, $kind), REMEDIATION,)?
                    concat!(
                        $(r#","retry_after":"#, $seconds,)?
                        r#","extensions":["#, $("\"", $first, "\"", $(",\"", $more, "\"",)*)?
                        r#"],"origin":{"package":"aon","type":""#, $of, r#"","variant":""#, $code, r#""}}"#,
                    )
                ] }
                aon_core::Entry {
                    detail: $detail,
                    summary: SUMMARY,
                    $(remediation: $crate::builtin::first!(Some(&REMEDY), $kind),)?
                    $(retry_after: Some($seconds),)?
                    $(extensions: &[$first $(, $more)*],)?
                    origin: aon_core::Origin { package: "aon", type_name: $of, variant: $code },
                    embedded: RECORD,
                    ..aon_core::Entry::new($code, $status, concat!("pspace://problem/", $code), $title)
                }
            };
        )+

        /// The whole table.
        pub(crate) static ALL: &[&aon_core::Entry] = &[$(&$name,)+];
    };
}

/// The first of two, to say something once where a part of a pattern was given.
macro_rules! first {
    ($first:expr, $second:ident) => {
        $first
    };
}

/// The kind of a remediation by its word on the wire.
macro_rules! kind {
    (request_scope_elevation) => {
        aon_core::RemediationKind::RequestScopeElevation
    };
    (switch_user) => {
        aon_core::RemediationKind::SwitchUser
    };
    (none no_public_equivalent_exists) => {
        aon_core::RemediationKind::None(aon_core::NoneReason::NoPublicEquivalentExists)
    };
    (none not_yet_implemented) => {
        aon_core::RemediationKind::None(aon_core::NoneReason::NotYetImplemented)
    };
}

pub(crate) use {entries, first, kind};

#[cfg(feature = "http")]
use crate::door::Occurrence;

entries! { "aon":
    /// A field of the input is missing.
    MISSING_FIELD = 422, "missing_field", "Missing field", "{pointer} is missing.";
    /// A field of the input is not known.
    UNKNOWN_FIELD = 422, "unknown_field", "Unknown field", "{pointer} is not a known field.", extensions: ["suggestion"];
    /// A field of the input has a value it cannot have.
    INVALID_VALUE = 422, "invalid_value", "Invalid value", "{pointer} must be {expected}.",
        extensions: ["expected", "received", "suggestion"];
    /// The request has no valid credentials.
    UNAUTHORIZED = 401, "unauthorized", "Not authenticated", "The request has no valid credentials."
        => switch_user "Authenticate as the WWW-Authenticate header asks, then send the request again.";
    /// The credentials are valid, but do not allow this.
    FORBIDDEN = 403, "forbidden", "Not allowed", "These credentials do not allow this request."
        => request_scope_elevation "Use credentials that allow this request, or ask for the scope it needs.";
    /// The route exists, but not with this method.
    METHOD_NOT_ALLOWED = 405, "method_not_allowed", "Method not allowed", "This route supports {methods}.";
    /// None of the formats the request accepts can be made.
    NOT_ACCEPTABLE = 406, "not_acceptable", "Not acceptable", "No format in the Accept header is available here; accept another format, or leave the header out.";
    /// The service does not accept the media type of the body.
    UNSUPPORTED_MEDIA_TYPE = 415, "unsupported_media_type", "Unsupported media type", "The body must have the Content-Type {accepted}.";
    /// Too many requests in a short time.
    TOO_MANY_REQUESTS = 429, "too_many_requests", "Too many requests", "Too many requests in a short time; send this one again after the delay.",
        retry_after: 5;
    /// The service cannot answer now.
    SERVICE_UNAVAILABLE = 503, "service_unavailable", "Service unavailable", "The service cannot answer now; send the request again after the delay.",
        retry_after: 5;
    /// There is no operation of this name: no such route, tool, skill or method.
    UNKNOWN_OPERATION = 404, "unknown_operation", "No such operation", "There is no {kind} with this name.", extensions: ["suggestion"];
    /// The body or message is not valid JSON.
    INVALID_JSON = 400, "invalid_json", "Not valid JSON", "The body is not valid JSON: {why}.";
    /// The body ended early or could not be received.
    BODY_UNREADABLE = 400, "body_unreadable", "Body could not be read", "The body could not be read completely; send the request again with its whole body.";
    /// The request took too long.
    REQUEST_TIMEOUT = 408, "request_timeout", "Request timed out", "The request was not finished in time; send it again, or ask for less at once.",
        retry_after: 1;
    /// The body or message is larger than the limit.
    TOO_LARGE = 413, "too_large", "Too large", "The body is larger than the limit of {limit} bytes.", extensions: ["limit"];
    /// Something went wrong inside the service. Its log has the details under the request id.
    INTERNAL = 500, "internal", "Internal error", "Something went wrong inside the service. Its log has the details under the request id.";
}

/// The problem of an entry, its detail too where that has no holes.
pub(crate) fn problem(entry: &aon_core::Entry) -> aon_core::ProblemDetails {
    let problem = entry.to_problem();
    if entry.detail.contains('{') {
        problem
    } else {
        problem.with_detail(entry.detail)
    }
}

/// The entry that stands for a status of a transport alone.
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
pub(crate) fn of_status(status: u16) -> Option<&'static aon_core::Entry> {
    let general = [401, 403, 406, 408, 415, 429, 503].contains(&status);
    let mut found = ALL.iter().copied().filter(|entry| entry.status == status);
    found.next().filter(|_| general)
}

/// There is no `kind` (route, tool, skill, method) with this name; the nearest one is suggested on every surface.
pub(crate) fn unknown_operation(kind: &str, nearest: Option<&str>) -> aon_core::ProblemDetails {
    let detail = match nearest {
        Some(nearest) => format!("There is no such {kind}; the nearest is {nearest}."),
        None => format!("There is no such {kind}."),
    };
    extended(
        problem(&UNKNOWN_OPERATION).with_detail(detail),
        "suggestion",
        nearest,
    )
}

/// The body or message is larger than `limit` bytes; `None` where somebody else's limit is not known.
pub(crate) fn too_large(limit: Option<usize>) -> aon_core::ProblemDetails {
    let detail = match limit {
        Some(limit) => format!("The body is larger than the limit of {limit} bytes."),
        None => "The body is larger than this service accepts.".to_owned(),
    };
    extended(problem(&TOO_LARGE).with_detail(detail), "limit", limit)
}

/// A body that could not be read to its end: too large, no longer coming, or cut off. `why` is what its reader says, `limit` how
/// much it reads.
#[cfg(feature = "http")]
pub(crate) fn unread(why: &str, limit: impl FnOnce() -> Option<usize>) -> Occurrence {
    let problem = if why == "length limit exceeded" {
        too_large(limit())
    } else if stopped_coming(why) {
        problem(&REQUEST_TIMEOUT)
    } else {
        problem(&BODY_UNREADABLE)
    };
    Occurrence::built_in(problem).with_cause("the body could not be read to its end", why)
}

/// Whether a body could not be read because it stopped coming, in the words of tower-http.
#[cfg(feature = "http")]
pub(crate) fn stopped_coming(why: &str) -> bool {
    why.ends_with("data was not received within the designated timeout")
}

/// The body or message is not valid JSON. `why` must not repeat any of it.
pub(crate) fn invalid_json(why: &str) -> aon_core::ProblemDetails {
    problem(&INVALID_JSON).with_detail(format!("The body is not valid JSON: {why}."))
}

/// The same of bytes that could not be read, whoever tried. What `serde_json` says about syntax never repeats the text.
pub(crate) fn not_json(bytes: &[u8]) -> aon_core::ProblemDetails {
    if bytes.trim_ascii().is_empty() {
        return empty_body();
    }
    // Each way to read has words of its own; those of the tree say most.
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Err(error) => invalid_json(&error.to_string()),
        Ok(_) => invalid_json("it is not JSON text in UTF-8"),
    }
}

/// There is no body where JSON is wanted.
pub(crate) fn empty_body() -> aon_core::ProblemDetails {
    problem(&INVALID_JSON).with_detail("The body is empty; it must be a JSON value.")
}

/// The body must have one of these media types.
pub(crate) fn unsupported_media_type(accepted: &[&str]) -> aon_core::ProblemDetails {
    let problem = problem(&UNSUPPORTED_MEDIA_TYPE);
    if accepted.is_empty() {
        return problem.with_detail("This service does not accept the Content-Type of the body.");
    }
    let detail = format!(
        "The body must have the Content-Type {}.",
        accepted.join(" or ")
    );
    let accepted = accepted.iter().map(|media| (*media).to_owned());
    problem
        .with_detail(detail)
        .with_valid_values("content-type", accepted)
}

/// The route exists, but not with this method; `supported` is empty where nobody knows the others.
#[cfg(any(feature = "axum", feature = "rmcp", feature = "jsonrpsee"))]
pub(crate) fn method_not_allowed(supported: Vec<String>) -> aon_core::ProblemDetails {
    let problem = problem(&METHOD_NOT_ALLOWED);
    if supported.is_empty() {
        return problem.with_detail("This route does not support the method of the request.");
    }
    problem
        .with_detail(format!("This route supports {}.", supported.join(", ")))
        .with_valid_values("method", supported)
}

/// The problem with an extension, where there is a value.
pub(crate) fn extended<T: serde::Serialize>(
    problem: aon_core::ProblemDetails,
    name: &'static str,
    value: Option<T>,
) -> aon_core::ProblemDetails {
    let Some(value) = value else {
        return problem;
    };
    let kept = problem.clone();
    problem
        .with_extension(aon_core::ExtensionName::from_static(name), &value)
        .unwrap_or(kept)
}

/// The tables of all adapters that are there.
pub(crate) fn all() -> impl Iterator<Item = &'static aon_core::Entry> {
    static TABLES: &[&[&aon_core::Entry]] = &[
        ALL,
        #[cfg(feature = "axum")]
        crate::axum::TABLE,
        crate::jsonrpc::TABLE,
        #[cfg(feature = "rmcp")]
        crate::rmcp::TABLE,
        #[cfg(feature = "jsonrpsee")]
        crate::jsonrpsee::TABLE,
    ];
    TABLES.iter().copied().flatten().copied()
}

#[cfg(test)]
mod tests {
    use aon_core::catalog::{Catalog, Record, section};

    #[test]
    fn the_record_in_the_program_is_that_of_the_entry() {
        for entry in super::all() {
            let embedded = entry.embedded.map(|embedded| section::records(embedded.0));
            assert_eq!(embedded, Some(vec![Record::of(entry)]), "{}", entry.code);
        }
    }

    /// What a caller can do nothing about, and what is worth repeating: everything else is a mistake it can correct ([P5]).
    ///
    /// [P5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p5
    #[test]
    fn every_remediation_is_honest() {
        use aon_core::{MachineHints, RemediationType};

        let (mut none, mut waits) = (0, 0);
        for entry in super::all() {
            let problem = super::problem(entry);
            let hints = MachineHints::of(&problem);
            let kind = entry.remediation.map(|remedy| remedy.kind().kind());
            match kind {
                Some(RemediationType::None) => {
                    let nobody = entry.status >= 500 || matches!(entry.status, 410 | 451);
                    assert!(nobody && !hints.retryable, "{}", entry.code);
                    none += 1;
                }
                Some(RemediationType::WaitForProvisioning) => {
                    panic!("{} provisions nothing", entry.code);
                }
                _ => {}
            }
            let overload = matches!(entry.status, 408 | 425 | 429 | 502..=504);
            assert_eq!(
                entry.retry_after.is_some() && hints.retryable,
                overload || entry.status == 423,
                "{}",
                entry.code
            );
            waits += usize::from(overload);
            assert!(!entry.summary.starts_with(' '), "{}", entry.code);
        }
        assert!(waits > 0 && none > 0);
    }

    #[test]
    fn no_code_stands_in_two_tables() {
        let entries: Vec<_> = super::all().collect();
        let catalog = Catalog::new(entries.iter().copied());
        assert_eq!(catalog.duplicates(), []);
        assert_eq!(catalog.problems.len(), entries.len());
    }
}

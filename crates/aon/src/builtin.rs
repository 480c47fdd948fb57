//! What the adapters answer by themselves, as catalog entries like any other (D4).
//!
//! Every adapter has one table, written with [`entries!`]. What two of them can say stands here, once: a code has one
//! entry, whoever emits it. A program that declares one of these codes itself replaces the entry
//! (see [`Catalog`](crate::catalog::Catalog)).

/// Declares a table: a static per entry with its record in the program's own section, and the list `ALL`. [`all`] must
/// name the table. The texts must do without quotes and backslashes, because they become JSON as they are.
///
/// One line is: name, status, code, title, detail (with holes for what varies), the type of remediation and what to do,
/// and the extensions an occurrence may have.
macro_rules! entries {
    ($of:literal: $(
        $(#[doc = $summary:literal])+
        $name:ident = $status:literal, $code:literal, $title:literal, $detail:literal,
        $kind:ident $(($reason:ident))? $message:literal
        $(, extensions: [$first:literal $(, $more:literal)*])?;
    )+) => {
        $(
            $(#[doc = $summary])+
            pub(crate) static $name: aon_core::Entry = {
                const SUMMARY: &str = concat!($($summary),+).trim_ascii();
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
                aon_core::__embed! { RECORD [
                    concat!(
                        r#"{"code":""#, $code, r#"","status":"#, $status,
                        r#","type":"pspace://problem/"#, $code, r#"","title":""#, $title,
                        r#"","detail":""#, $detail, r#"","summary":""#,
                    ),
                    SUMMARY,
                    r#"","remediation":"#,
                    REMEDIATION,
                    concat!(
                        r#","extensions":["#, $("\"", $first, "\"", $(",\"", $more, "\"",)*)?
                        r#"],"origin":{"package":"aon","type":""#, $of, r#"","variant":""#, $code, r#""}}"#,
                    )
                ] }
                aon_core::Entry {
                    detail: $detail,
                    summary: SUMMARY,
                    remediation: Some(&REMEDY),
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

/// The kind of a remediation by its word on the wire.
macro_rules! kind {
    (wait_for_provisioning) => {
        aon_core::RemediationKind::WaitForProvisioning
    };
    (request_scope_elevation) => {
        aon_core::RemediationKind::RequestScopeElevation
    };
    (switch_user) => {
        aon_core::RemediationKind::SwitchUser
    };
    (none no_public_equivalent_exists) => {
        aon_core::RemediationKind::None(aon_core::NoneReason::NoPublicEquivalentExists)
    };
    (none auth_required_for_safety) => {
        aon_core::RemediationKind::None(aon_core::NoneReason::AuthRequiredForSafety)
    };
    (none not_yet_implemented) => {
        aon_core::RemediationKind::None(aon_core::NoneReason::NotYetImplemented)
    };
}

pub(crate) use {entries, kind};

entries! { "aon":
    /// A field of the input is missing.
    MISSING_FIELD = 422, "missing_field", "Missing field", "{pointer} is missing.",
        none(no_public_equivalent_exists) "Add the fields named in errors, then repeat the call.";
    /// A field of the input is not known.
    UNKNOWN_FIELD = 422, "unknown_field", "Unknown field", "{pointer} is not known here.",
        none(no_public_equivalent_exists) "Leave out or rename the fields named in errors, then repeat the call.",
        extensions: ["suggestion"];
    /// A field of the input has a value it cannot have.
    INVALID_VALUE = 422, "invalid_value", "Invalid value", "{pointer} must be {expected}.",
        none(no_public_equivalent_exists) "Correct the fields named in errors, then repeat the call.",
        extensions: ["expected", "received", "suggestion"];
    /// The request carries no valid credentials.
    UNAUTHORIZED = 401, "unauthorized", "Not authenticated", "The request carries no valid credentials.",
        switch_user "Authenticate as WWW-Authenticate says, then send the request again.";
    /// The credentials are valid, but do not allow this.
    FORBIDDEN = 403, "forbidden", "Not allowed", "These credentials do not allow this request.",
        none(auth_required_for_safety) "Ask somebody who may grant it, or use credentials that allow this request.";
    /// The route exists, but not with this method.
    METHOD_NOT_ALLOWED = 405, "method_not_allowed", "Method not allowed", "This route does not answer to this method.",
        none(no_public_equivalent_exists) "Use one of the methods in Allow.";
    /// None of the formats the request accepts can be made.
    NOT_ACCEPTABLE = 406, "not_acceptable", "Not acceptable", "None of the accepted formats is available here.",
        none(no_public_equivalent_exists) "Send an Accept header that names a format of this operation, or none.";
    /// The body has a media type that is not understood here.
    UNSUPPORTED_MEDIA_TYPE = 415, "unsupported_media_type", "Unsupported media type", "The body must have the Content-Type {accepted}.",
        none(no_public_equivalent_exists) "Send the body in a media type of this operation, and name it in Content-Type.";
    /// Too many requests in a short time.
    TOO_MANY_REQUESTS = 429, "too_many_requests", "Too many requests", "Too many requests in a short time.",
        wait_for_provisioning "Wait as long as Retry-After says, or a while, then send the request again.";
    /// The service cannot answer now.
    SERVICE_UNAVAILABLE = 503, "service_unavailable", "Service unavailable", "The service cannot answer now.",
        wait_for_provisioning "Wait as long as Retry-After says, or a while, then send the request again.";
    /// There is no operation of this name: no such route, tool, skill or method.
    UNKNOWN_OPERATION = 404, "unknown_operation", "No such operation", "There is no {kind} of this name.",
        none(no_public_equivalent_exists) "Use one of the operations that are documented; suggestion is the nearest one where it is known.",
        extensions: ["suggestion"];
    /// The body or message is not valid JSON.
    INVALID_JSON = 400, "invalid_json", "Not valid JSON", "The body is not valid JSON: {why}.",
        none(no_public_equivalent_exists) "Send JSON text in UTF-8.";
    /// The body or message is larger than is taken.
    TOO_LARGE = 413, "too_large", "Too large", "The body is larger than {limit} bytes, which is the limit here.",
        none(no_public_equivalent_exists) "Send a smaller body, or several requests.",
        extensions: ["limit"];
    /// Something failed inside. What, is in the log under the request id.
    INTERNAL = 500, "internal", "Internal error", "Something failed inside. The request id leads to it in the log.",
        none(no_public_equivalent_exists) "Report the request id to whoever runs this service.";
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

/// There is no `kind` (route, tool, skill, method) of this name, and the nearest there is, wherever it was asked for.
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
        Some(limit) => format!("The body is larger than {limit} bytes, which is the limit here."),
        None => "The body is larger than the limit here.".to_owned(),
    };
    extended(problem(&TOO_LARGE).with_detail(detail), "limit", limit)
}

/// The body or message is not valid JSON. `why` must not repeat any of it.
pub(crate) fn invalid_json(why: &str) -> aon_core::ProblemDetails {
    problem(&INVALID_JSON).with_detail(format!("The body is not valid JSON: {why}."))
}

/// The body must have one of these media types.
pub(crate) fn unsupported_media_type(accepted: &[&str]) -> aon_core::ProblemDetails {
    let problem = problem(&UNSUPPORTED_MEDIA_TYPE);
    if accepted.is_empty() {
        return problem.with_detail("The body has a Content-Type that is not understood here.");
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
        #[cfg(any(feature = "axum", feature = "rmcp", feature = "jsonrpsee"))]
        ALL,
        #[cfg(feature = "axum")]
        crate::axum::TABLE,
        #[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
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

    #[test]
    fn every_entry_says_what_to_do() {
        for entry in super::all() {
            let remediation = entry.remediation.map(|remedy| remedy.to_json().to_string());
            assert!(
                remediation.is_some_and(|json| json.contains("message")),
                "{}",
                entry.code
            );
            assert!(!entry.summary.starts_with(' '), "{}", entry.code);
        }
    }

    #[test]
    fn no_code_stands_in_two_tables() {
        let entries: Vec<_> = super::all().collect();
        let catalog = Catalog::new(entries.iter().copied());
        assert_eq!(catalog.duplicates(), []);
        assert_eq!(catalog.problems.len(), entries.len());
    }
}

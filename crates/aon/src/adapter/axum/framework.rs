//! What a framework answers by itself, as catalog entries like any other.

use aon_core::{Entry, Namespace, Origin, ProblemDetails, Status, UriRef};

/// Declares the table once: the statics and the list.
macro_rules! entries {
    ($($(#[doc = $summary:literal])+ $name:ident = $status:literal, $code:literal, $title:literal, $detail:literal $(, $field:ident: $value:expr)*;)+) => {
        $(
            pub(super) static $name: Entry = Entry {
                detail: $detail,
                summary: concat!($($summary),+),
                origin: Origin { package: "aon", type_name: "aon::axum", variant: $code },
                $($field: $value,)*
                ..Entry::new($code, $status, concat!("pspace://problem/", $code), $title)
            };
        )+

        /// Every problem the layer and the extractors can make out of what the framework answered.
        pub(super) static ALL: &[&Entry] = &[$(&$name,)+];
    };
}

entries! {
    /// The request is malformed in a way nothing more is known about.
    BAD_REQUEST = 400, "bad_request", "Bad request", "The request could not be understood.";
    /// The body is not the format it claims to be.
    INVALID_BODY = 400, "invalid_body", "Malformed body", "The body is not valid {format}.";
    /// The body ended early or could not be received.
    BODY_UNREADABLE = 400, "body_unreadable", "Body could not be read", "The body could not be read to its end.";
    /// A query parameter is missing or has a value it cannot have.
    INVALID_QUERY = 400, "invalid_query", "Invalid query", "{parameter} has a value it cannot have.";
    /// A part of the path has a value it cannot have.
    INVALID_PATH = 400, "invalid_path", "Invalid path", "{parameter} has a value it cannot have.";
    /// A header the operation needs is missing or malformed.
    INVALID_HEADER = 400, "invalid_header", "Invalid header", "The header {name} is missing or malformed.";
    /// The upgrade to a web socket was asked for the wrong way.
    INVALID_UPGRADE = 400, "invalid_upgrade", "Invalid upgrade", "The request is no valid WebSocket handshake.";
    /// The request carries no valid credentials.
    UNAUTHORIZED = 401, "unauthorized", "Not authenticated", "The request carries no valid credentials.";
    /// Payment is required.
    PAYMENT_REQUIRED = 402, "payment_required", "Payment required", "The request needs a payment first.";
    /// The credentials are valid, but do not allow this.
    FORBIDDEN = 403, "forbidden", "Not allowed", "These credentials do not allow this request.";
    /// The route exists, but not what was asked for there.
    NOT_FOUND = 404, "not_found", "Not found", "There is nothing here.";
    /// No route has this path.
    ROUTE_NOT_FOUND = 404, "route_not_found", "No such route", "There is no route with this path.", extensions: &["suggestion"];
    /// The route exists, but not with this method.
    METHOD_NOT_ALLOWED = 405, "method_not_allowed", "Method not allowed", "This route does not answer to this method.";
    /// None of the formats the request accepts can be made.
    NOT_ACCEPTABLE = 406, "not_acceptable", "Not acceptable", "None of the accepted formats is available here.";
    /// The request took too long.
    REQUEST_TIMEOUT = 408, "request_timeout", "Request timed out", "The request was not finished in time.";
    /// The request contradicts the present state.
    CONFLICT = 409, "conflict", "Conflict", "The request contradicts the present state.";
    /// What was here is gone for good.
    GONE = 410, "gone", "Gone", "What was here is gone.";
    /// The request must say how long its body is.
    LENGTH_REQUIRED = 411, "length_required", "Length required", "The request must carry Content-Length.";
    /// A condition in the headers did not hold.
    PRECONDITION_FAILED = 412, "precondition_failed", "Precondition failed", "A condition in the headers does not hold.";
    /// The body is larger than allowed.
    BODY_TOO_LARGE = 413, "body_too_large", "Body too large", "The body is larger than allowed here.";
    /// The address is longer than allowed.
    URI_TOO_LONG = 414, "uri_too_long", "Address too long", "The address is longer than allowed.";
    /// The body has a media type that is not understood here.
    UNSUPPORTED_MEDIA_TYPE = 415, "unsupported_media_type", "Unsupported media type", "The body must have the Content-Type {accepted}.";
    /// The range cannot be served.
    RANGE_NOT_SATISFIABLE = 416, "range_not_satisfiable", "Range not satisfiable", "The range lies outside of the content.";
    /// The request is well-formed, but its content is not valid.
    UNPROCESSABLE_CONTENT = 422, "unprocessable_content", "Unprocessable content", "The content of the request is not valid.";
    /// A field of the body is missing.
    MISSING_FIELD = 422, "missing_field", "Missing field", "{pointer} is missing.";
    /// A field of the body is not known.
    UNKNOWN_FIELD = 422, "unknown_field", "Unknown field", "{pointer} is not known here.", extensions: &["suggestion"];
    /// A field of the body has a value it cannot have.
    INVALID_VALUE = 422, "invalid_value", "Invalid value", "{pointer} must be {expected}.", extensions: &["expected", "received", "suggestion"];
    /// The resource is locked.
    LOCKED = 423, "locked", "Locked", "The resource is locked.";
    /// The request may be replayed and is not taken yet.
    TOO_EARLY = 425, "too_early", "Too early", "The request came too early to be safe.";
    /// Another protocol is needed.
    UPGRADE_REQUIRED = 426, "upgrade_required", "Upgrade required", "This needs another protocol.";
    /// The request must carry a condition.
    PRECONDITION_REQUIRED = 428, "precondition_required", "Precondition required", "The request must carry a condition such as If-Match.";
    /// Too many requests in a short time.
    TOO_MANY_REQUESTS = 429, "too_many_requests", "Too many requests", "Too many requests in a short time.";
    /// The headers are larger than allowed.
    HEADERS_TOO_LARGE = 431, "headers_too_large", "Headers too large", "The headers are larger than allowed.";
    /// Not available for legal reasons.
    LEGAL_REASONS = 451, "unavailable_for_legal_reasons", "Unavailable for legal reasons", "This is not available for legal reasons.";
    /// Something failed inside. What, is in the log under the request id.
    INTERNAL = 500, "internal", "Internal error", "Something failed inside. The request id leads to it in the log.";
    /// The operation is not implemented.
    NOT_IMPLEMENTED = 501, "not_implemented", "Not implemented", "This is not implemented.";
    /// A service behind this one answered nonsense.
    BAD_GATEWAY = 502, "bad_gateway", "Bad gateway", "A service this one depends on gave no valid answer.";
    /// The service cannot answer now.
    SERVICE_UNAVAILABLE = 503, "service_unavailable", "Service unavailable", "The service cannot answer now.";
    /// A service behind this one did not answer in time.
    GATEWAY_TIMEOUT = 504, "gateway_timeout", "Gateway timeout", "A service this one depends on did not answer in time.";
}

/// The entry for a bare status; `None` for one the table does not have.
pub(super) fn of_status(status: u16) -> Option<&'static Entry> {
    ALL.iter()
        .copied()
        .find(|entry| entry.status == status && is_general(entry))
}

/// Whether an entry stands for its status alone.
fn is_general(entry: &Entry) -> bool {
    !matches!(
        entry.code,
        "invalid_body"
            | "body_unreadable"
            | "invalid_query"
            | "invalid_path"
            | "invalid_header"
            | "invalid_upgrade"
            | "route_not_found"
            | "missing_field"
            | "unknown_field"
            | "invalid_value"
    )
}

/// The problem of an entry, its type in `namespace`; the detail is the entry's, where it has no holes.
pub(super) fn problem(entry: &Entry, namespace: &Namespace) -> ProblemDetails {
    let mut problem = entry.to_problem();
    if !entry.detail.contains('{') {
        problem = problem.with_detail(entry.detail);
    }
    in_namespace(problem, entry.code, namespace)
}

/// The problem of a status nothing more is known about.
pub(super) fn bare(status: Status, namespace: &Namespace) -> ProblemDetails {
    match of_status(status.as_u16()) {
        Some(entry) => problem(entry, namespace),
        None if status.is_server_error() => ProblemDetails::in_namespace(
            namespace,
            status,
            aon_core::Code::from_static("server_error"),
        ),
        None => ProblemDetails::in_namespace(
            namespace,
            status,
            aon_core::Code::from_static("client_error"),
        ),
    }
}

fn in_namespace(problem: ProblemDetails, code: &str, namespace: &Namespace) -> ProblemDetails {
    if *namespace == Namespace::DEFAULT {
        return problem;
    }
    match UriRef::parse(namespace.type_of(code)) {
        Ok(uri) => problem.with_type(uri),
        Err(_bad) => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_each_general_status_stands_once() {
        let mut codes: Vec<&str> = ALL.iter().map(|entry| entry.code).collect();
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count);
        let mut general: Vec<u16> = ALL
            .iter()
            .filter(|entry| is_general(entry))
            .map(|entry| entry.status)
            .collect();
        let count = general.len();
        general.dedup();
        assert_eq!(general.len(), count);
        for status in 400..600 {
            let status = Status::from_static(status);
            let problem = bare(status, &Namespace::parse("acme").unwrap());
            assert_eq!(problem.status(), Some(status));
            assert!(
                problem
                    .type_uri()
                    .unwrap()
                    .as_str()
                    .starts_with("acme://problem/")
            );
        }
    }
}

//! What a framework answers by itself, as catalog entries like any other.

use aon_core::{Code, Entry, ProblemDetails, Status};

pub(super) use crate::builtin::{BODY_UNREADABLE, INTERNAL, REQUEST_TIMEOUT};

// The first entry of a status stands for that status alone.
crate::builtin::entries! { "aon::axum":
    /// The request is malformed in a way nothing more is known about.
    BAD_REQUEST = 400, "bad_request", "Bad request", "The request could not be understood; compare it with the documentation of this operation.";
    /// The body is not the format it claims to be.
    INVALID_BODY = 400, "invalid_body", "Malformed body", "The body is not valid {format}.";
    /// A query parameter is missing or has a value it cannot have.
    INVALID_QUERY = 400, "invalid_query", "Invalid query", "{parameter} has an invalid value.";
    /// A part of the path has a value it cannot have.
    INVALID_PATH = 400, "invalid_path", "Invalid path", "{parameter} has an invalid value.";
    /// A header the operation needs is missing or malformed.
    INVALID_HEADER = 400, "invalid_header", "Invalid header", "The header {name} is missing or malformed.";
    /// The handshake of a web socket is not valid.
    INVALID_UPGRADE = 400, "invalid_upgrade", "Invalid upgrade", "The request is not a valid WebSocket handshake; this service speaks version 13.";
    /// Payment is required.
    PAYMENT_REQUIRED = 402, "payment_required", "Payment required", "The request needs a payment first; settle it with the operator of this service.";
    /// The route exists, but not what was asked for there.
    NOT_FOUND = 404, "not_found", "Not found", "Nothing was found here; check the names and ids in the path.";
    /// A proxy on the way requires credentials.
    PROXY_AUTHENTICATION_REQUIRED = 407, "proxy_authentication_required", "Proxy authentication required", "A proxy on the way requires credentials."
        => switch_user "Authenticate as the Proxy-Authenticate header asks, then send the request again.";
    /// The request conflicts with the current state.
    CONFLICT = 409, "conflict", "Conflict", "The request conflicts with the current state; read that state, then decide whether to send the request again.";
    /// What was here is gone for good.
    GONE = 410, "gone", "Gone", "What was here is gone."
        => none(no_public_equivalent_exists) "Stop asking for it; it will not come back.";
    /// The request must say how long its body is.
    LENGTH_REQUIRED = 411, "length_required", "Length required", "The request must carry Content-Length.";
    /// A condition in the headers did not hold.
    PRECONDITION_FAILED = 412, "precondition_failed", "Precondition failed", "A condition in the headers does not hold; read the current state and its ETag, then send the new condition.";
    /// The address is longer than allowed.
    URI_TOO_LONG = 414, "uri_too_long", "Address too long", "The address is longer than allowed; shorten the query.";
    /// The range cannot be served.
    RANGE_NOT_SATISFIABLE = 416, "range_not_satisfiable", "Range not satisfiable", "The range is outside the content; Content-Range gives its length.";
    /// The Expect header cannot be met.
    EXPECTATION_FAILED = 417, "expectation_failed", "Expectation failed", "This service cannot meet the Expect header; send the request without it.";
    /// The request reached a server that does not answer for its host.
    MISDIRECTED_REQUEST = 421, "misdirected_request", "Misdirected request", "This server does not answer for that host; use a new connection to the host.";
    /// The request is well-formed, but its content is not valid.
    UNPROCESSABLE_CONTENT = 422, "unprocessable_content", "Unprocessable content", "The content of the request is not valid; compare it with the documentation of this operation.";
    /// The resource is locked.
    LOCKED = 423, "locked", "Locked", "The resource is locked; send the request again when the lock is gone.",
        retry_after: 5;
    /// Another request this one depends on failed.
    FAILED_DEPENDENCY = 424, "failed_dependency", "Failed dependency", "A request this one depends on failed; fix that one first.";
    /// The request came before it was safe from being replayed.
    TOO_EARLY = 425, "too_early", "Too early", "The request came too early to be safe; send it again once the connection is set up.",
        retry_after: 1;
    /// Another protocol is needed.
    UPGRADE_REQUIRED = 426, "upgrade_required", "Upgrade required", "This needs the protocol that the Upgrade header names.";
    /// The request must carry a condition.
    PRECONDITION_REQUIRED = 428, "precondition_required", "Precondition required", "The request must carry a condition: read the current state and send its ETag as If-Match.";
    /// The headers are larger than allowed.
    HEADERS_TOO_LARGE = 431, "headers_too_large", "Headers too large", "The headers are larger than allowed; cookies are the usual cause.";
    /// Not available for legal reasons.
    LEGAL_REASONS = 451, "unavailable_for_legal_reasons", "Unavailable for legal reasons", "This is not available for legal reasons."
        => none(no_public_equivalent_exists) "Ask the operator of this service.";
    /// The operation is not implemented.
    NOT_IMPLEMENTED = 501, "not_implemented", "Not implemented", "This is not implemented."
        => none(not_yet_implemented) "Use another operation.";
    /// A service this one depends on sent an invalid answer.
    BAD_GATEWAY = 502, "bad_gateway", "Bad gateway", "A service this one depends on sent an invalid answer; send the request again after the delay.",
        retry_after: 5;
    /// A service this one depends on did not answer in time.
    GATEWAY_TIMEOUT = 504, "gateway_timeout", "Gateway timeout", "A service this one depends on did not answer in time; send the request again after the delay.",
        retry_after: 5;
    /// The version of HTTP is not supported.
    HTTP_VERSION_NOT_SUPPORTED = 505, "http_version_not_supported", "HTTP version not supported", "This version of HTTP is not supported; use HTTP/1.1 or HTTP/2.";
    /// The service has no room left to finish the request.
    INSUFFICIENT_STORAGE = 507, "insufficient_storage", "Insufficient storage", "The service has no room left to finish the request."
        => none(no_public_equivalent_exists) "Report the request id to the operator of this service.";
    /// The service found a loop while it handled the request.
    LOOP_DETECTED = 508, "loop_detected", "Loop detected", "The service found a loop while it handled the request."
        => none(no_public_equivalent_exists) "Report the request id to the operator of this service.";
    /// The network wants credentials.
    NETWORK_AUTHENTICATION_REQUIRED = 511, "network_authentication_required", "Network authentication required", "The network requires you to sign in first."
        => switch_user "Sign in to the network, then send the request again.";
}

/// The entry for a bare status; `None` for one the tables do not have. The first of a status stands for it alone.
pub(super) fn of_status(status: u16) -> Option<&'static Entry> {
    let mut all = ALL.iter().chain(crate::builtin::ALL).copied();
    all.find(|entry| entry.status == status)
}

/// The problem of a status nothing more is known about.
pub(super) fn bare(status: Status) -> ProblemDetails {
    if let Some(entry) = of_status(status.as_u16()) {
        return crate::builtin::problem(entry);
    }
    let (code, like) = if status.is_server_error() {
        ("server_error", &INTERNAL)
    } else {
        ("client_error", &BAD_REQUEST)
    };
    ProblemDetails::new(status, Code::from_static(code)).with_detail(like.detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_the_problem_that_says_no_more_than_it() {
        let code = |status| of_status(status).map(|entry| entry.code);
        assert_eq!(code(400), Some("bad_request"));
        assert_eq!(code(404), Some("not_found"));
        assert_eq!(code(413), Some("too_large"));
        assert_eq!(code(422), Some("unprocessable_content"));
        assert_eq!(code(500), Some("internal"));
        for status in 400..600 {
            let status = Status::from_static(status);
            let problem = bare(status);
            assert_eq!(problem.status(), Some(status));
            assert!(problem.detail().is_none_or(|detail| !detail.contains('{')));
        }
    }
}

//! What a framework answers by itself, as catalog entries like any other.

use aon_core::{Code, Entry, ProblemDetails, Status};

pub(super) use crate::builtin::{INTERNAL, METHOD_NOT_ALLOWED};

crate::builtin::entries! { "aon::axum":
    /// The request is malformed in a way nothing more is known about.
    BAD_REQUEST = 400, "bad_request", "Bad request", "The request could not be understood.",
        none(no_public_equivalent_exists) "Compare the request with the documentation of this operation, then send it again.";
    /// The body is not the format it claims to be.
    INVALID_BODY = 400, "invalid_body", "Malformed body", "The body is not valid {format}.",
        none(no_public_equivalent_exists) "Send a body that is well-formed and has the media type of its Content-Type.";
    /// The body ended early or could not be received.
    BODY_UNREADABLE = 400, "body_unreadable", "Body could not be read", "The body could not be read to its end.",
        wait_for_provisioning "Send the request again, with its whole body.";
    /// A query parameter is missing or has a value it cannot have.
    INVALID_QUERY = 400, "invalid_query", "Invalid query", "{parameter} has a value it cannot have.",
        none(no_public_equivalent_exists) "Correct the parameters named in errors, then send the request again.";
    /// A part of the path has a value it cannot have.
    INVALID_PATH = 400, "invalid_path", "Invalid path", "{parameter} has a value it cannot have.",
        none(no_public_equivalent_exists) "Correct the parts of the path named in errors, then send the request again.";
    /// A header the operation needs is missing or malformed.
    INVALID_HEADER = 400, "invalid_header", "Invalid header", "The header {name} is missing or malformed.",
        none(no_public_equivalent_exists) "Send the header that detail names, well-formed.";
    /// The upgrade to a web socket was asked for the wrong way.
    INVALID_UPGRADE = 400, "invalid_upgrade", "Invalid upgrade", "The request is no valid WebSocket handshake.",
        none(no_public_equivalent_exists) "Open the connection with a WebSocket client, version 13.";
    /// Payment is required.
    PAYMENT_REQUIRED = 402, "payment_required", "Payment required", "The request needs a payment first.",
        none(no_public_equivalent_exists) "Settle the payment with whoever runs this service.";
    /// The route exists, but not what was asked for there.
    NOT_FOUND = 404, "not_found", "Not found", "There is nothing here.",
        none(no_public_equivalent_exists) "Check the names and ids in the path; list what exists if there is an operation for it.";
    /// A proxy on the way wants credentials.
    PROXY_AUTHENTICATION_REQUIRED = 407, "proxy_authentication_required", "Proxy wants credentials", "A proxy on the way wants credentials.",
        switch_user "Authenticate as Proxy-Authenticate says, then send the request again.";
    /// The request took too long.
    REQUEST_TIMEOUT = 408, "request_timeout", "Request timed out", "The request was not finished in time.",
        wait_for_provisioning "Send the request again; ask for less at once if it happens again.";
    /// The request contradicts the present state.
    CONFLICT = 409, "conflict", "Conflict", "The request contradicts the present state.",
        none(no_public_equivalent_exists) "Read the present state, then decide whether the request is still meant.";
    /// What was here is gone for good.
    GONE = 410, "gone", "Gone", "What was here is gone.",
        none(no_public_equivalent_exists) "Stop asking for it; it does not come back.";
    /// The request must say how long its body is.
    LENGTH_REQUIRED = 411, "length_required", "Length required", "The request must carry Content-Length.",
        none(no_public_equivalent_exists) "Send the body with a Content-Length.";
    /// A condition in the headers did not hold.
    PRECONDITION_FAILED = 412, "precondition_failed", "Precondition failed", "A condition in the headers does not hold.",
        none(no_public_equivalent_exists) "Read the present state and its ETag, then send the request with the new condition.";
    /// The address is longer than allowed.
    URI_TOO_LONG = 414, "uri_too_long", "Address too long", "The address is longer than allowed.",
        none(no_public_equivalent_exists) "Shorten the query, or send it as a body where the operation allows that.";
    /// The range cannot be served.
    RANGE_NOT_SATISFIABLE = 416, "range_not_satisfiable", "Range not satisfiable", "The range lies outside of the content.",
        none(no_public_equivalent_exists) "Ask for a range inside the length that Content-Range tells, or without one.";
    /// The Expect header cannot be met.
    EXPECTATION_FAILED = 417, "expectation_failed", "Expectation failed", "The Expect header cannot be met here.",
        none(no_public_equivalent_exists) "Send the request without Expect.";
    /// The request reached a server that does not answer for its host.
    MISDIRECTED_REQUEST = 421, "misdirected_request", "Misdirected request", "This server does not answer for that host.",
        none(no_public_equivalent_exists) "Send the request over a new connection to the host it names.";
    /// The request is well-formed, but its content is not valid.
    UNPROCESSABLE_CONTENT = 422, "unprocessable_content", "Unprocessable content", "The content of the request is not valid.",
        none(no_public_equivalent_exists) "Compare the content with the documentation of this operation, then send it again.";
    /// The resource is locked.
    LOCKED = 423, "locked", "Locked", "The resource is locked.",
        wait_for_provisioning "Wait until the lock is gone, then send the request again.";
    /// Another request this one depends on failed.
    FAILED_DEPENDENCY = 424, "failed_dependency", "Failed dependency", "A request this one depends on failed.",
        none(no_public_equivalent_exists) "Repair the request this one depends on first.";
    /// The request may be replayed and is not taken yet.
    TOO_EARLY = 425, "too_early", "Too early", "The request came too early to be safe.",
        wait_for_provisioning "Send the request again once the connection is set up.";
    /// Another protocol is needed.
    UPGRADE_REQUIRED = 426, "upgrade_required", "Upgrade required", "This needs another protocol.",
        none(no_public_equivalent_exists) "Use the protocol that Upgrade names.";
    /// The request must carry a condition.
    PRECONDITION_REQUIRED = 428, "precondition_required", "Precondition required", "The request must carry a condition such as If-Match.",
        none(no_public_equivalent_exists) "Read the present state and send its ETag as If-Match.";
    /// The headers are larger than allowed.
    HEADERS_TOO_LARGE = 431, "headers_too_large", "Headers too large", "The headers are larger than allowed.",
        none(no_public_equivalent_exists) "Send fewer or shorter headers; cookies are the usual cause.";
    /// Not available for legal reasons.
    LEGAL_REASONS = 451, "unavailable_for_legal_reasons", "Unavailable for legal reasons", "This is not available for legal reasons.",
        none(no_public_equivalent_exists) "Ask whoever runs this service.";
    /// The operation is not implemented.
    NOT_IMPLEMENTED = 501, "not_implemented", "Not implemented", "This is not implemented.",
        none(not_yet_implemented) "Use another operation.";
    /// A service behind this one answered nonsense.
    BAD_GATEWAY = 502, "bad_gateway", "Bad gateway", "A service this one depends on gave no valid answer.",
        wait_for_provisioning "Wait a while, then send the request again.";
    /// A service behind this one did not answer in time.
    GATEWAY_TIMEOUT = 504, "gateway_timeout", "Gateway timeout", "A service this one depends on did not answer in time.",
        wait_for_provisioning "Wait a while, then send the request again.";
    /// The version of HTTP is not spoken here.
    HTTP_VERSION_NOT_SUPPORTED = 505, "http_version_not_supported", "HTTP version not supported", "This version of HTTP is not spoken here.",
        none(no_public_equivalent_exists) "Use HTTP/1.1 or HTTP/2.";
    /// There is no room to do it.
    INSUFFICIENT_STORAGE = 507, "insufficient_storage", "Insufficient storage", "There is no room to finish the request.",
        none(no_public_equivalent_exists) "Report the request id to whoever runs this service.";
    /// The request ran in circles.
    LOOP_DETECTED = 508, "loop_detected", "Loop detected", "The request ran in circles.",
        none(no_public_equivalent_exists) "Report the request id to whoever runs this service.";
    /// The network wants credentials.
    NETWORK_AUTHENTICATION_REQUIRED = 511, "network_authentication_required", "Network wants credentials", "The network wants credentials first.",
        none(auth_required_for_safety) "Sign in to the network, then send the request again.";
}

/// Everything the layer and the extractors can say.
pub(super) fn all() -> impl Iterator<Item = &'static Entry> {
    crate::builtin::ALL.iter().chain(ALL).copied()
}

/// The entry for a bare status; `None` for one the table does not have.
pub(super) fn of_status(status: u16) -> Option<&'static Entry> {
    all().find(|entry| entry.status == status && is_general(entry))
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
            | "invalid_json"
            | "unknown_operation"
            | "missing_field"
            | "unknown_field"
            | "invalid_value"
    )
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
    let problem = ProblemDetails::new(status, Code::from_static(code));
    match like.remediation {
        Some(remediation) => problem.with_remediation(remediation.clone()),
        None => problem,
    }
    .with_detail(like.detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_each_general_status_stands_once() {
        let mut codes: Vec<&str> = all().map(|entry| entry.code).collect();
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count);
        let mut general: Vec<u16> = all()
            .filter(|entry| is_general(entry))
            .map(|entry| entry.status)
            .collect();
        let count = general.len();
        general.sort_unstable();
        general.dedup();
        assert_eq!(general.len(), count);
        for status in 400..600 {
            let status = Status::from_static(status);
            let problem = bare(status);
            assert_eq!(problem.status(), Some(status));
            assert!(problem.remediation().is_some());
        }
    }
}

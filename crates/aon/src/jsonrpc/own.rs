//! What can be wrong with a request before a method sees it.

crate::builtin::entries! { "aon::jsonrpc":
    /// The bytes are no JSON, or no UTF-8.
    PARSE_ERROR = 400, "parse_error", "Not JSON", "The request is no JSON text in UTF-8.",
        none(no_public_equivalent_exists) "Send one JSON-RPC 2.0 request as JSON text in UTF-8.";
    /// It is JSON, but no request.
    INVALID_REQUEST = 400, "invalid_request", "Not a JSON-RPC request", "{why}",
        none(no_public_equivalent_exists) "Send an object with jsonrpc 2.0, a method, and an id that is a string or a number.";
    /// There is no such method.
    METHOD_NOT_FOUND = 404, "method_not_found", "No such method", "There is no method of this name.",
        none(no_public_equivalent_exists) "Call one of the methods in valid_values; suggestion is the nearest one where it is known.",
        extensions: ["suggestion"];
    /// The parameters do not have the form the method wants.
    INVALID_PARAMS = 422, "invalid_params", "Invalid parameters", "{why}",
        none(no_public_equivalent_exists) "Correct the parameters as detail says, then repeat the call.";
    /// The request is larger than is taken.
    REQUEST_TOO_LARGE = 413, "request_too_large", "Request too large", "At most {limit} bytes are taken.",
        none(no_public_equivalent_exists) "Send less at once.";
    /// The batch holds more requests than are taken.
    BATCH_TOO_LARGE = 413, "batch_too_large", "Batch too large", "At most {limit} requests are taken at once.",
        none(no_public_equivalent_exists) "Send the requests in smaller batches.";
    /// Batches are not taken at all.
    BATCHES_NOT_SUPPORTED = 400, "batches_not_supported", "No batches", "Batches are not taken here.",
        none(no_public_equivalent_exists) "Send one message at a time.";
    /// The protocol version the request names is not spoken here.
    VERSION_NOT_SUPPORTED = 400, "version_not_supported", "Protocol version not supported", "This version of the protocol is not supported.",
        none(no_public_equivalent_exists) "Name one of the versions in valid_values.";
}

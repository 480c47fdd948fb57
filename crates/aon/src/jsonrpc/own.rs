//! What can be wrong with a request before a method sees it.

crate::builtin::entries! { "aon::jsonrpc":
    /// It is JSON, but not a request.
    INVALID_REQUEST = 400, "invalid_request", "Not a JSON-RPC request", "{why}";
    /// The parameters do not have the form the method wants.
    INVALID_PARAMS = 422, "invalid_params", "Invalid parameters", "{why}";
    /// The batch holds too many requests.
    BATCH_TOO_LARGE = 413, "batch_too_large", "Batch too large", "A batch may hold at most {limit} requests; send smaller batches.";
    /// The server does not support batches.
    BATCHES_NOT_SUPPORTED = 400, "batches_not_supported", "No batches", "Batches are not supported here; send one message at a time.";
    /// The protocol version that the request names is not supported.
    VERSION_NOT_SUPPORTED = 400, "version_not_supported", "Protocol version not supported", "This version of the protocol is not supported.";
}

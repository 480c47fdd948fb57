//! The tables of the built-in profiles. Each line stands once: what it is about, number, kind, reason.

use std::borrow::Cow;

use super::{Kind, On, Rule};

macro_rules! rules {
    ($($domain:ident $on:ident($key:expr) => $number:literal $kind:ident $($reason:literal)?;)+) => {
        &[$(rules!(@rule $domain rules!(@on $on $key), $number, Kind::$kind $(, $reason)?),)+]
    };
    (@on code $key:expr) => { On::Code(Cow::Borrowed($key)) };
    (@on status $key:expr) => { On::Status($key) };
    (@on task $key:expr) => { On::TaskStatus($key) };
    (@on class $key:expr) => { On::Class($key) };
    (@rule own $on:expr, $number:expr, $kind:expr) => { Rule::new($on, $number, $kind) };
    (@rule ours $on:expr, $number:expr, $kind:expr, $reason:expr) => { Rule::new($on, $number, $kind).fixed($reason, false) };
    (@rule a2a $on:expr, $number:expr, $kind:expr, $reason:expr) => { Rule::new($on, $number, $kind).fixed($reason, true) };
}

/// What JSON-RPC 2.0 itself reports; every profile starts with it.
pub(super) static JSON_RPC_CODES: &[Rule] = rules! {
    ours code("invalid_json")      => -32_700 ParseError     "PARSE_ERROR";
    ours code("unknown_operation") => -32_601 MethodNotFound "METHOD_NOT_FOUND";
};

/// The standard numbers of JSON-RPC 2.0; every profile ends with them.
pub(super) static JSON_RPC: &[Rule] = rules! {
    ours status(422) => -32_602 InvalidParams "INVALID_PARAMS";
    own  class(4)    => -32_600 InvalidRequest;
    ours class(5)    => -32_603 Internal "INTERNAL";
};

/// The contract's own numbers ([S6]).
///
/// [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6
pub(super) static PSPACE: &[Rule] = rules! {
    a2a  code("task_not_found") => -32_003 TaskNotFound            "TASK_NOT_FOUND";
    ours status(401)            => -32_001 AuthenticationRequired  "UNAUTHENTICATED";
    ours status(403)            => -32_004 AuthorizationFailed     "PERMISSION_DENIED";
    own  status(409)            => -32_005 InvalidTaskState;
    a2a  status(415)            => -32_007 ContentTypeNotSupported "CONTENT_TYPE_NOT_SUPPORTED";
    ours status(429)            => -32_008 RateLimitExceeded       "RATE_LIMIT_EXCEEDED";
    a2a  status(501)            => -32_009 OperationNotSupported   "UNSUPPORTED_OPERATION";
    ours status(503)            => -32_010 ResourceUnavailable     "RESOURCE_UNAVAILABLE";
};

/// What A2A 1.0 adds to 0.3 (its section 5.4).
pub(super) static V1_0: &[Rule] = rules! {
    a2a code("extension_support_required") => -32_008 ExtensionSupportRequired "EXTENSION_SUPPORT_REQUIRED";
    a2a code("version_not_supported")      => -32_009 VersionNotSupported      "VERSION_NOT_SUPPORTED";
};

/// The official numbers of A2A up to 0.3. Where A2A has none: a standard number of JSON-RPC, because official clients drop
/// what comes with a number they do not know. The kind and the code tell such errors apart.
pub(super) static V0_3: &[Rule] = rules! {
    a2a  code("task_not_found")                     => -32_001 TaskNotFound                   "TASK_NOT_FOUND";
    a2a  code("task_not_cancelable")                => -32_002 TaskNotCancelable              "TASK_NOT_CANCELABLE";
    a2a  code("push_notification_not_supported")    => -32_003 PushNotificationNotSupported   "PUSH_NOTIFICATION_NOT_SUPPORTED";
    a2a  code("unsupported_operation")              => -32_004 OperationNotSupported          "UNSUPPORTED_OPERATION";
    a2a  code("content_type_not_supported")         => -32_005 ContentTypeNotSupported        "CONTENT_TYPE_NOT_SUPPORTED";
    a2a  code("invalid_agent_response")             => -32_006 InvalidAgentResponse           "INVALID_AGENT_RESPONSE";
    a2a  code("extended_agent_card_not_configured") => -32_007 ExtendedAgentCardNotConfigured "EXTENDED_AGENT_CARD_NOT_CONFIGURED";
    ours code("invalid_request")                    => -32_600 InvalidRequest                 "INVALID_REQUEST";
    a2a  task(409)                                  => -32_004 OperationNotSupported          "UNSUPPORTED_OPERATION";
    ours status(400)                                => -32_602 InvalidParams                  "INVALID_PARAMS";
    ours status(401)                                => -32_600 AuthenticationRequired         "UNAUTHENTICATED";
    ours status(403)                                => -32_600 AuthorizationFailed            "PERMISSION_DENIED";
    own  status(404)                                => -32_600 NotFound;
    own  status(409)                                => -32_600 InvalidTaskState;
    a2a  status(415)                                => -32_005 ContentTypeNotSupported        "CONTENT_TYPE_NOT_SUPPORTED";
    ours status(429)                                => -32_603 RateLimitExceeded              "RATE_LIMIT_EXCEEDED";
    a2a  status(501)                                => -32_004 OperationNotSupported          "UNSUPPORTED_OPERATION";
    a2a  status(502)                                => -32_006 InvalidAgentResponse           "INVALID_AGENT_RESPONSE";
    ours status(503)                                => -32_603 ResourceUnavailable            "RESOURCE_UNAVAILABLE";
};

/// For a problem that no rule is about; the classes leave no room for one.
pub(super) static FALLBACK: Rule = Rule::new(On::Class(5), -32_603, Kind::Internal);

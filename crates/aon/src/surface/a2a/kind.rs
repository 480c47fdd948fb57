//! What went wrong, as A2A and JSON-RPC name it.

use std::fmt;

/// Declares the kinds once: name, the code they have when nothing else says it, and the status they stand for.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $code:literal, $status:literal, $grpc:literal;)+) => {
        /// A stable name for what went wrong. The number on the wire belongs to a [`Profile`](super::Profile), the
        /// name does not change with it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(clippy::exhaustive_enums, reason = "every profile must be able to place each of them")]
        pub enum Kind { $($(#[$doc])* $kind,)+ }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// The name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => stringify!($kind),)+ }
            }

            /// The code of a problem of which nothing but the kind is known.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$kind => $code,)+ }
            }

            /// The status of a problem of which nothing but the kind is known.
            pub const fn status(self) -> u16 {
                match self { $(Self::$kind => $status,)+ }
            }

            /// The `google.rpc.Code` of the kind, by name.
            pub const fn grpc(self) -> &'static str {
                match self { $(Self::$kind => $grpc,)+ }
            }
        }
    };
}

kinds! {
    /// The request is not JSON.
    ParseError, "invalid_json", 400, "INVALID_ARGUMENT";
    /// The request is not a request of this protocol, or a 4xx without a kind of its own.
    InvalidRequest, "invalid_request", 400, "INVALID_ARGUMENT";
    /// There is no such method.
    MethodNotFound, "unknown_operation", 404, "UNIMPLEMENTED";
    /// The parameters are wrong.
    InvalidParams, "invalid_params", 422, "INVALID_ARGUMENT";
    /// The caller must say who it is.
    AuthenticationRequired, "authentication_required", 401, "UNAUTHENTICATED";
    /// The caller may not do this.
    AuthorizationFailed, "authorization_failed", 403, "PERMISSION_DENIED";
    /// It is not there.
    NotFound, "not_found", 404, "NOT_FOUND";
    /// There is no such task, or not for this caller.
    TaskNotFound, "task_not_found", 404, "NOT_FOUND";
    /// The task cannot be cancelled any more.
    TaskNotCancelable, "task_not_cancelable", 409, "FAILED_PRECONDITION";
    /// The state of the task, or of what it works on, is in the way.
    InvalidTaskState, "invalid_task_state", 409, "FAILED_PRECONDITION";
    /// The agent sends no push notifications.
    PushNotificationNotSupported, "push_notification_not_supported", 400, "FAILED_PRECONDITION";
    /// The operation is not supported, or not on this task.
    OperationNotSupported, "unsupported_operation", 501, "FAILED_PRECONDITION";
    /// The media type is not supported.
    ContentTypeNotSupported, "unsupported_media_type", 415, "INVALID_ARGUMENT";
    /// Another agent answered with something unusable.
    InvalidAgentResponse, "invalid_agent_response", 502, "INTERNAL";
    /// The agent has no extended card.
    ExtendedAgentCardNotConfigured, "extended_agent_card_not_configured", 400, "FAILED_PRECONDITION";
    /// The client must support an extension.
    ExtensionSupportRequired, "extension_support_required", 400, "FAILED_PRECONDITION";
    /// The protocol version is not supported.
    VersionNotSupported, "version_not_supported", 400, "FAILED_PRECONDITION";
    /// Too many requests.
    RateLimitExceeded, "rate_limit_exceeded", 429, "RESOURCE_EXHAUSTED";
    /// Not available now.
    ResourceUnavailable, "resource_unavailable", 503, "UNAVAILABLE";
    /// Our own fault.
    Internal, "internal", 500, "INTERNAL";
}

impl Kind {
    /// The kind with that name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use aon_core::{Code, Status};

    use super::*;

    #[test]
    fn every_kind_there_and_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_word(kind.as_str()), Some(*kind));
            assert!(Code::parse(kind.code()).is_ok());
            assert!(Status::new(kind.status()).is_ok());
        }
    }
}

//! A2A over HTTP+JSON: `google.rpc.Status` (A2A 1.0 section 11.6, AIP-193), not problem+json.
//!
//! | member | on the wire |
//! | --- | --- |
//! | all of [P1] | the second of `error.details`, as in JSON-RPC |
//! | kind | `error.status`, a `google.rpc.Code` by name |
//! | status | the status line and `error.code`; for the errors A2A defines, the status its section 5.4 gives them |
//!
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use aon_core::json::ObjectWriter;
use aon_core::{Code, ProblemDetails, Status};

use super::{Kind, Profile, details, read};
use crate::surface::{Call, RecoverError, Surface};

/// The media type of A2A over HTTP+JSON since 1.0.1.
pub const MEDIA_TYPE: &str = "application/a2a+json";

/// The HTTP+JSON binding of A2A: the body of an error response.
#[derive(Clone, Debug)]
pub struct HttpJson {
    profile: Profile,
}

impl HttpJson {
    /// With that profile; its kinds count, its numbers do not appear.
    pub const fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// The status line.
    pub fn http_status(&self, problem: &ProblemDetails) -> u16 {
        let own = problem.status().map_or(500, Status::as_u16);
        let rule = self.profile.rule(problem);
        match rule.kind() {
            Kind::TaskNotFound => 404,
            // The Content-Type of the request itself is HTTP's own matter (RFC 9110, section 15.5.16).
            Kind::ContentTypeNotSupported
                if problem.code().map(Code::as_str) == Some("unsupported_media_type") =>
            {
                own
            }
            Kind::InvalidAgentResponse if rule.is_official() => 500,
            Kind::TaskNotCancelable
            | Kind::PushNotificationNotSupported
            | Kind::OperationNotSupported
            | Kind::ContentTypeNotSupported
            | Kind::ExtendedAgentCardNotConfigured
            | Kind::ExtensionSupportRequired
            | Kind::VersionNotSupported
            | Kind::ParseError
            | Kind::InvalidParams => 400,
            Kind::InvalidRequest
            | Kind::MethodNotFound
            | Kind::AuthenticationRequired
            | Kind::AuthorizationFailed
            | Kind::NotFound
            | Kind::InvalidTaskState
            | Kind::InvalidAgentResponse
            | Kind::RateLimitExceeded
            | Kind::ResourceUnavailable
            | Kind::Internal => own,
        }
    }
}

impl Default for HttpJson {
    fn default() -> Self {
        Self::new(Profile::A2A_1_0)
    }
}

impl Surface for HttpJson {
    fn name(&self) -> &'static str {
        "a2a-http"
    }

    fn project(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
        let correction = call.correction(problem);
        out.reserve(2048);
        let mut response = ObjectWriter::begin(out);
        response.object("error", |error| {
            error.number("code", u64::from(self.http_status(problem)));
            error.string("status", self.profile.rule(problem).kind().grpc());
            error.string("message", &details::whole_message(problem));
            let out = error.key("details");
            details::write(problem, &self.profile, correction.as_ref(), true, out);
        });
        response.end();
    }

    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        read::recover(wire, &self.profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_the_specification_have_its_status() {
        let surface = HttpJson::default();
        for (status, code, http, grpc) in [
            (404, "task_not_found", 404, "NOT_FOUND"),
            (409, "task_not_cancelable", 400, "FAILED_PRECONDITION"),
            (501, "later", 400, "FAILED_PRECONDITION"),
            (415, "media", 400, "INVALID_ARGUMENT"),
            (415, "unsupported_media_type", 415, "INVALID_ARGUMENT"),
            (502, "upstream", 500, "INTERNAL"),
            (422, "bad", 400, "INVALID_ARGUMENT"),
            (401, "who", 401, "UNAUTHENTICATED"),
            (403, "no", 403, "PERMISSION_DENIED"),
            (429, "slow", 429, "RESOURCE_EXHAUSTED"),
            (503, "down", 503, "UNAVAILABLE"),
            (500, "oops", 500, "INTERNAL"),
        ] {
            let problem = ProblemDetails::new(Status::from_static(status), Code::from_static(code));
            let mut out = Vec::new();
            surface.project(&problem, &Call::default(), &mut out);
            let wire: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(wire["error"]["code"], http, "{code}");
            assert_eq!(wire["error"]["status"], grpc, "{code}");
            assert_eq!(wire["error"]["details"][1]["status"], status, "{code}");
            assert_eq!(surface.recover(&out).unwrap(), problem);
        }
    }
}

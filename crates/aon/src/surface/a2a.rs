//! A2A: a JSON-RPC error whose data carries the problem ([S6]).
//!
//! | member | on the wire |
//! | --- | --- |
//! | all of [P1] | the envelope: `error.data` itself, or the second entry of it; `docs_url` is called `documentation_uri` |
//! | `detail`, or `title` | also `error.message` |
//! | `status`, `code` | also `error.code`, by the rules of the [`Profile`] |
//! | `a2a_skill` | also `suggested_skills[0]` |
//! | the failed call's parameters | `corrected_params`, where a correction is clear ([P11]) |
//! | derived | `schema`, `surface`, `machine_hints` ([P10]) |
//!
//! Nothing is lost. Official clients read only what the specification defines, so the profiles `a2a-1.0` and
//! `a2a-0.3` send an array with `google.rpc.ErrorInfo` first, ours second, and `BadRequest`, `RetryInfo`, `Help` and
//! `RequestInfo` where they apply.
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11
//! [P10]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p10

use aon_core::json::ObjectWriter;
use aon_core::{MachineHints, ProblemDetails};

use super::correct::Correction;
use super::envelope::{self, A2A};
use super::{Call, RecoverError, Surface};

mod card;
mod details;
mod kind;
mod profile;
mod profiles;
mod read;
pub mod status;
mod tables;

pub use card::{extension_declaration, extension_declaration_with_skills, skill_schema};
pub use kind::Kind;
pub use profile::{DataForm, EXTENSION_URI, HttpPolicy, On, Profile, Rule};
pub use profiles::{Profiles, is_activated, version_in_query};

/// The A2A surface: a whole JSON-RPC response.
///
/// # Examples
///
/// ```
/// use aon::surface::a2a::{A2a, Profile};
/// use aon::surface::{Call, Surface};
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("task_not_found"));
/// let (ours, official) = (A2a::default(), A2a::new(Profile::A2A_1_0));
/// let (mut a, mut b) = (Vec::new(), Vec::new());
/// ours.project(&problem, &Call::default(), &mut a);
/// official.project(&problem, &Call::default(), &mut b);
/// assert!(a.starts_with(br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32003,"message":"Not Found","data":{"#));
/// assert!(b.starts_with(br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Not Found","data":[{"#));
/// assert_eq!(ours.recover(&b)?, problem);
/// # Ok::<(), aon::surface::RecoverError>(())
/// ```
#[derive(Clone, Debug)]
pub struct A2a {
    profile: Profile,
}

impl A2a {
    /// The surface with that profile.
    pub const fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// Appends the error object alone: `{"code", "message", "data"}`.
    pub fn write_error(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
        let mut error = ObjectWriter::begin(out);
        let number = self.profile.rule(problem).number();
        error.raw("code", &number.to_string());
        error.string("message", &self.message(problem));
        self.write_data(problem, call, error.key("data"));
        error.end();
    }

    /// The message: the detail or title; where clients show little else, with what to do about it.
    pub fn message(&self, problem: &ProblemDetails) -> String {
        if self.profile.has_whole_message() {
            return details::whole_message(problem);
        }
        details::message(problem, self.profile.data() == DataForm::Array)
    }

    /// Appends what stands in `data`.
    pub fn write_data(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
        let correction = call.correction(problem);
        match self.profile.data() {
            DataForm::Array => {
                details::write(problem, &self.profile, correction.as_ref(), false, out);
            }
            DataForm::Object => {
                let mut data = ObjectWriter::begin(out);
                let corrected = correction.as_ref().map(Correction::arguments);
                let hints = MachineHints::of(problem);
                envelope::write(&mut data, &A2A, problem, corrected, &hints);
                data.end();
            }
        }
    }
}

impl Default for A2a {
    fn default() -> Self {
        Self::new(Profile::PSPACE)
    }
}

impl Surface for A2a {
    fn name(&self) -> &'static str {
        A2A.surface
    }

    fn project(&self, problem: &ProblemDetails, call: &Call<'_>, out: &mut Vec<u8>) {
        out.reserve(2048);
        let mut response = ObjectWriter::begin(out);
        response.string("jsonrpc", "2.0");
        // An id of any other type is none (JSON-RPC 2.0 section 5).
        let id = call.id.map_or("null", aon_core::Json::as_str);
        let id = if id.starts_with(['{', '[', 't', 'f']) {
            "null"
        } else {
            id
        };
        response.raw("id", id);
        self.write_error(problem, call, response.key("error"));
        response.end();
    }

    /// Reads a response or an error object, data as array or object, and the HTTP form; an envelope decides before
    /// `ErrorInfo`, and a name before a number.
    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        read::recover(wire, &self.profile)
    }
}

#[cfg(test)]
mod tests;

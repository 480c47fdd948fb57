//! The problem taken apart, for projections.

use crate::{Code, Extensions, Remediation, SkillId, Status, ToolName, UriRef, ValidValues};

/// Every member of a problem, borrowed.
///
/// Exhaustive on purpose: a projection takes it apart field by field and never with `..`, so that a
/// new member breaks the build of every surface until somebody decides what becomes of it ([S1]).
///
/// [S1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s1
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a new member must break every projection (S1)"
)]
pub struct Parts<'a> {
    /// `type`.
    pub type_uri: Option<&'a UriRef>,
    /// `title`.
    pub title: Option<&'a str>,
    /// `status`.
    pub status: Option<Status>,
    /// `detail`.
    pub detail: Option<&'a str>,
    /// `instance`.
    pub instance: Option<&'a UriRef>,
    /// `code`.
    pub code: Option<&'a Code>,
    /// `request_id`.
    pub request_id: Option<&'a str>,
    /// `valid_values`; empty means absent.
    pub valid_values: &'a ValidValues,
    /// `remediation`.
    pub remediation: Option<&'a Remediation>,
    /// `docs_url`.
    pub docs_url: Option<&'a UriRef>,
    /// `mcp_tool`.
    pub mcp_tool: Option<&'a ToolName>,
    /// `a2a_skill`.
    pub a2a_skill: Option<&'a SkillId>,
    /// Everything else, in order.
    pub extensions: &'a Extensions,
}

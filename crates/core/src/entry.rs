//! The static description of one problem a program can emit ([D4]).
//!
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

use crate::{
    Choice, ChoiceValue, Code, ProblemDetails, Remediation, SkillId, Status, ToolName, UriRef,
};

/// One catalog entry: everything about a problem that does not change from one occurrence to the next.
///
/// The derive writes one per variant; for a hand-written [`Problem`](crate::Problem) start with
/// [`Entry::new`] in a `static` and set the fields that apply.
///
/// # Examples
///
/// ```
/// use aon_core::Entry;
///
/// static OUT_OF_CREDIT: Entry = Entry {
///     docs_url: Some("https://example.com/docs/credit"),
///     ..Entry::new("out_of_credit", 402, "acme://problem/out_of_credit", "Out of credit")
/// };
/// assert_eq!(OUT_OF_CREDIT.to_problem().status().map(|s| s.as_u16()), Some(402));
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the derive and hand-written statics fill it in; core and derive share one version"
)]
pub struct Entry {
    /// `code`.
    pub code: &'static str,
    /// `status`.
    pub status: u16,
    /// `type`.
    pub type_uri: &'static str,
    /// `title`.
    pub title: &'static str,
    /// The namespace's name in `urn:<name>:request:…`.
    pub urn: &'static str,
    /// `detail` as a template, as its author wrote it; empty when it is not known.
    pub detail: &'static str,
    /// What it means, for the documentation: the doc comment.
    pub summary: &'static str,
    /// `docs_url`.
    pub docs_url: Option<&'static str>,
    /// `mcp_tool`.
    pub mcp_tool: Option<&'static str>,
    /// `a2a_skill`.
    pub a2a_skill: Option<&'static str>,
    /// `remediation`.
    pub remediation: Option<&'static Remediation>,
    /// `valid_values`, as far as they are known before run time.
    pub valid_values: &'static [FieldValues],
    /// JSON Pointers of the fields it is about.
    pub pointers: &'static [&'static str],
    /// When to try again, in seconds.
    pub retry_after: Option<u64>,
    /// Whether a delay is set at run time.
    pub retry_after_varies: bool,
    /// The challenge of a 401.
    pub challenge: Option<&'static str>,
    /// Extension members the occurrences carry.
    pub extensions: &'static [&'static str],
    /// What they are on the wire, where it is known: `boolean`, `integer`, `number`, `string`, and `[]` behind it for a list.
    pub extension_types: &'static [(&'static str, &'static str)],
    /// Where it was declared.
    pub origin: Origin,
    /// The constant members as JSON, escaped while compiling.
    #[doc(hidden)]
    pub json: Option<EntryJson>,
    /// The record the program carries for `aon catalog`; see [`crate::catalog::section`].
    #[doc(hidden)]
    pub embedded: Option<Embedded>,
}

/// The values of one field in an [`Entry`].
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the derive and hand-written statics fill it in"
)]
pub struct FieldValues {
    /// The field.
    pub field: &'static str,
    /// Its values; empty when they are only known at run time, or stand in `json` alone because they are not text.
    pub choices: &'static [Choice],
    /// All values as a JSON array.
    pub json: &'static str,
    /// Whether they are only known at run time.
    pub varies: bool,
}

impl FieldValues {
    /// The values known before run time.
    pub fn values(&self) -> Cow<'static, [Choice]> {
        if self.choices.is_empty() {
            let values: Vec<Value> = serde_json::from_str(self.json).unwrap_or_default();
            let primitive = |value| match value {
                Value::String(text) => Some(ChoiceValue::Text(text.into())),
                Value::Number(number) => Some(ChoiceValue::Number(number)),
                Value::Bool(value) => Some(ChoiceValue::Bool(value)),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            };
            let values = values.into_iter().filter_map(primitive);
            values.map(Choice::from).collect()
        } else {
            Cow::Borrowed(self.choices)
        }
    }
}

/// Bytes in the section of the program that `aon catalog` reads.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[expect(
    clippy::exhaustive_structs,
    reason = "only the derive builds it; core and derive share one version"
)]
pub struct Embedded(pub &'static [u8]);

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// Where an [`Entry`] was declared.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the derive and hand-written statics fill it in"
)]
pub struct Origin {
    /// The package.
    pub package: &'static str,
    /// The type.
    pub type_name: &'static str,
    /// The variant; empty for a struct.
    pub variant: &'static str,
}

/// Constant members, as the derive escaped them. Each starts with a comma and is empty when absent.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "only the derive builds it; core and derive share one version"
)]
pub struct EntryJson {
    /// `"type":…,"title":…,"status":…` without a leading comma.
    pub head: &'static str,
    /// `,"code":…`
    pub code: &'static str,
    /// `,"remediation":…`
    pub remediation: &'static str,
    /// `,"docs_url":…,"mcp_tool":…,"a2a_skill":…`
    pub tail: &'static str,
    /// `,"retry_after":…,"challenge":…`
    pub advice: &'static str,
}

impl Entry {
    /// An entry with the four members every type must document (RFC 9457 section 4).
    ///
    /// # Panics
    ///
    /// When the status or the code is malformed; in a `static` that is a compile error.
    pub const fn new(
        code: &'static str,
        status: u16,
        type_uri: &'static str,
        title: &'static str,
    ) -> Self {
        // Dropping a const-built Code is not possible in a const fn; forgetting borrowed text costs nothing.
        std::mem::forget(Code::from_static(code));
        let _checked = Status::from_static(status);
        Self {
            code,
            status,
            type_uri,
            title,
            urn: "pspace",
            detail: "",
            summary: "",
            docs_url: None,
            mcp_tool: None,
            a2a_skill: None,
            remediation: None,
            valid_values: &[],
            pointers: &[],
            retry_after: None,
            retry_after_varies: false,
            challenge: None,
            extensions: &[],
            extension_types: &[],
            origin: Origin {
                package: "",
                type_name: "",
                variant: "",
            },
            json: None,
            embedded: None,
        }
    }

    /// Whether a text is one of the constants of this entry. Of what the derive wrote, they were looked at while compiling.
    pub(crate) fn vouches_for(&self, text: &str) -> bool {
        let own = [
            Some(self.title),
            Some(self.type_uri),
            Some(self.code),
            self.docs_url,
            self.mcp_tool,
            self.a2a_skill,
            self.challenge,
        ];
        let same = |own: &str| std::ptr::eq(own, text);
        self.json.is_some() && own.into_iter().flatten().any(same) || self.is_constant_detail(text)
    }

    /// Whether this is the detail of every occurrence.
    pub(crate) fn is_constant_detail(&self, text: &str) -> bool {
        self.json.is_some() && self.detail == text && !text.contains(['{', '}'])
    }

    /// The problem without what an occurrence adds: no detail, no ids, no run-time members.
    pub fn to_problem(&self) -> ProblemDetails {
        let mut inner = crate::details::Inner {
            type_uri: Some(UriRef::trusted(self.type_uri)),
            title: Some(Cow::Borrowed(self.title)),
            status: Status::new(self.status).ok(),
            code: Code::parse(self.code).ok(),
            remediation: self.remediation.cloned(),
            docs_url: self.docs_url.map(UriRef::trusted),
            mcp_tool: self.mcp_tool.and_then(|tool| ToolName::parse(tool).ok()),
            a2a_skill: self.a2a_skill.and_then(|skill| SkillId::parse(skill).ok()),
            ..crate::details::Inner::default()
        };
        for values in self.valid_values {
            if !values.varies {
                inner
                    .valid_values
                    .set_static(values.field, values.values(), values.json);
            }
        }
        let mut problem = ProblemDetails::from_inner(inner);
        if let Some(seconds) = self.retry_after {
            problem = problem.with_retry_after(std::time::Duration::from_secs(seconds));
        }
        if let Some(challenge) = self.challenge {
            problem = problem.with_challenge(challenge);
        }
        problem
    }
}

/// The form it has in a catalog document.
impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::catalog::Record::of(self).serialize(serializer)
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut origin = serializer.serialize_struct("Origin", 3)?;
        origin.serialize_field("package", self.package)?;
        origin.serialize_field("type", self.type_name)?;
        origin.serialize_field("variant", self.variant)?;
        origin.end()
    }
}

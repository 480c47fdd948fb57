//! The one canonical value ([P1]) and its strict builder.
//!
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::ids::is_request_id;
use crate::json::ObjectWriter;
use crate::remediation::is_followable;
use crate::{
    AutoFix, Choice, Code, Entry, ExtensionName, Extensions, InvalidJson, Json, Namespace, Parts,
    Pointer, Remediation, SkillId, Status, ToolName, UriRef, ValidValues,
};

/// A problem: RFC 9457 and the members an agent needs to recover ([P1]).
///
/// One pointer wide, so a `Result` that carries it stays small. What is built is correct: every
/// setter takes a checked type. What is read from outside goes through [`ProblemDetails::read`],
/// which is lenient.
///
/// # Examples
///
/// ```
/// use aon_core::{Choice, Code, ProblemDetails, Remediation, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
///     .with_detail("auth_ux must be \"hosted\" or \"custom\".")
///     .with_valid_values("auth_ux", ["hosted", "custom"]);
/// assert_eq!(
///     problem.to_string(),
///     r#"{"type":"pspace://problem/invalid_auth_ux","title":"Unprocessable Content","status":422,"detail":"auth_ux must be \"hosted\" or \"custom\".","code":"invalid_auth_ux","valid_values":{"auth_ux":["hosted","custom"]}}"#
/// );
/// ```
///
/// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
#[derive(Clone, PartialEq)]
pub struct ProblemDetails {
    pub(crate) inner: Box<Inner>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inner {
    pub(crate) type_uri: Option<UriRef>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) status: Option<Status>,
    pub(crate) detail: Option<Cow<'static, str>>,
    pub(crate) instance: Option<UriRef>,
    pub(crate) code: Option<Code>,
    pub(crate) request_id: Option<Cow<'static, str>>,
    pub(crate) valid_values: ValidValues,
    pub(crate) remediation: Option<Remediation>,
    pub(crate) docs_url: Option<UriRef>,
    pub(crate) mcp_tool: Option<ToolName>,
    pub(crate) a2a_skill: Option<SkillId>,
    pub(crate) extensions: Extensions,
    pub(crate) made_of: MadeOf,
}

/// The entry a problem was made of, for whoever looks at it later; it says nothing more than the members do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MadeOf(pub(crate) Option<&'static Entry>);

impl PartialEq for MadeOf {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// The extension that says when to try again, in whole seconds.
const RETRY_AFTER: ExtensionName = ExtensionName::from_static("retry_after");
/// The extension that names the fields it is about: `[{pointer, detail}]` (RFC 9457 section 3).
pub(crate) const ERRORS: ExtensionName = ExtensionName::from_static("errors");
/// The extension with the challenge of a 401.
const CHALLENGE: ExtensionName = ExtensionName::from_static("challenge");

impl ProblemDetails {
    /// A problem with that status and code, in the default namespace; the title is the status phrase.
    pub fn new(status: Status, code: Code) -> Self {
        Self::in_namespace(&Namespace::DEFAULT, status, code)
    }

    /// A problem with that status and code, its type in `namespace` ([P3]).
    ///
    /// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
    pub fn in_namespace(namespace: &Namespace, status: Status, code: Code) -> Self {
        Self::from_inner(Inner {
            type_uri: UriRef::parse(namespace.type_of(code.as_str())).ok(),
            title: Some(Cow::Borrowed(status.phrase())),
            status: Some(status),
            code: Some(code),
            ..Inner::default()
        })
    }

    pub(crate) fn from_inner(inner: Inner) -> Self {
        Self {
            inner: Box::new(inner),
        }
    }

    /// Sets `type`.
    #[must_use]
    pub fn with_type(mut self, uri: UriRef) -> Self {
        self.inner.type_uri = Some(uri);
        self
    }

    /// Sets `title`: the same for every occurrence of the type.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.inner.title = Some(title.into());
        self
    }

    /// Sets `detail`: what happened this time. It is public; keep internals out.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.inner.detail = Some(detail.into());
        self
    }

    /// Sets `instance`.
    #[must_use]
    pub fn with_instance(mut self, uri: UriRef) -> Self {
        self.inner.instance = Some(uri);
        self
    }

    /// Sets `request_id`, and `instance` to `urn:<namespace>:request:<request_id>` where none is set ([P3]).
    /// An id that does not follow the grammar is not taken, see [`crate::ids::is_request_id`].
    ///
    /// [P3]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p3
    #[must_use]
    pub fn with_request_id(
        mut self,
        namespace: &Namespace,
        id: impl Into<Cow<'static, str>>,
    ) -> Self {
        let id = id.into();
        if is_request_id(&id) {
            if self.inner.instance.is_none() {
                self.inner.instance = Some(UriRef::encoded(namespace.instance_of(&id)));
            }
            self.inner.request_id = Some(id);
        }
        self
    }

    /// Sets the allowed values of a field ([P4]).
    ///
    /// [P4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p4
    #[must_use]
    pub fn with_valid_values<T: Into<Choice>>(
        mut self,
        field: impl Into<Cow<'static, str>>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let choices: Vec<Choice> = values.into_iter().map(Into::into).collect();
        self.inner.valid_values.set(field, choices);
        self
    }

    /// Sets the remediation; it claims no automatic fix (see [`ProblemDetails::with_auto_fix`]).
    #[must_use]
    pub fn with_remediation(mut self, remediation: Remediation) -> Self {
        let mut remediation = remediation;
        if remediation.auto_fix_available() {
            remediation.set_auto_fix(false);
        }
        self.inner.remediation = Some(remediation);
        self
    }

    /// Sets a remediation the platform can perform by itself, with the action that does ([P8]).
    ///
    /// The action is set on the problem too: an automatic fix without one cannot be written down.
    ///
    /// ```compile_fail
    /// # use aon_core::{Code, ProblemDetails, Remediation, Status};
    /// # let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"));
    /// problem.with_auto_fix(Remediation::switch_user());
    /// ```
    ///
    /// [P8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p8
    #[must_use]
    pub fn with_auto_fix(mut self, remediation: Remediation, fix: AutoFix) -> Self {
        let mut remediation = remediation;
        remediation.set_auto_fix(true);
        match fix {
            AutoFix::Tool(tool) => self.inner.mcp_tool = Some(tool),
            AutoFix::Skill(skill) => self.inner.a2a_skill = Some(skill),
            AutoFix::Endpoint(url) => remediation.set_fix_endpoint(url),
        }
        self.inner.remediation = Some(remediation);
        self.settle_auto_fix();
        self
    }

    /// Sets `docs_url`.
    #[must_use]
    pub fn with_docs_url(mut self, url: UriRef) -> Self {
        self.inner.docs_url = Some(url);
        self
    }

    /// Takes `mcp_tool` away, where the tool does not exist; a fix it promised goes with it ([P8]).
    ///
    /// [P8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p8
    #[must_use]
    pub fn without_mcp_tool(mut self) -> Self {
        self.inner.mcp_tool = None;
        self.settle_auto_fix();
        self
    }

    /// Takes `a2a_skill` away, where the skill does not exist; a fix it promised goes with it ([P8]).
    ///
    /// [P8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p8
    #[must_use]
    pub fn without_a2a_skill(mut self) -> Self {
        self.inner.a2a_skill = None;
        self.settle_auto_fix();
        self
    }

    /// Sets `mcp_tool`.
    #[must_use]
    pub fn with_mcp_tool(mut self, tool: ToolName) -> Self {
        self.inner.mcp_tool = Some(tool);
        self
    }

    /// Sets `a2a_skill`.
    #[must_use]
    pub fn with_a2a_skill(mut self, skill: SkillId) -> Self {
        self.inner.a2a_skill = Some(skill);
        self
    }

    /// Sets an extension member.
    ///
    /// # Errors
    ///
    /// When the value has no JSON form.
    pub fn with_extension<T: Serialize + ?Sized>(
        mut self,
        name: impl Into<ExtensionName>,
        value: &T,
    ) -> Result<Self, InvalidJson> {
        let value = Json::of(value)?;
        self.inner.extensions.set(&name.into(), value);
        Ok(self)
    }

    /// Says when to try again: the extension `retry_after`, in seconds, rounded up, at most a day.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        let seconds = retry_seconds(delay);
        self.inner
            .extensions
            .set(&RETRY_AFTER, Json::from(&Value::from(seconds)));
        self
    }

    /// Names a field it is about, by JSON Pointer, and what is wrong there: one entry of `errors`.
    #[must_use]
    pub fn with_pointer(mut self, pointer: &str, detail: Option<&str>) -> Self {
        let mut out = Vec::with_capacity(128);
        match self.inner.extensions.get(ERRORS.as_str()).map(Json::as_str) {
            Some(errors) if errors.len() > 2 && errors.starts_with('[') => {
                out.extend_from_slice(errors.strip_suffix(']').unwrap_or(errors).as_bytes());
                out.push(b',');
            }
            _ => out.push(b'['),
        }
        let mut entry = ObjectWriter::begin(&mut out);
        entry.display("pointer", crate::pointer::to_fragment(pointer));
        if let Some(detail) = detail {
            entry.string("detail", detail);
        }
        entry.end();
        out.push(b']');
        let errors = String::from_utf8(out).unwrap_or_default();
        if let Ok(errors) = Json::parse(&errors) {
            self.inner.extensions.set(&ERRORS, errors);
        }
        self
    }

    /// Sets the challenge of a 401: the extension `challenge`, sent as `WWW-Authenticate` on REST.
    #[must_use]
    pub fn with_challenge(mut self, challenge: &str) -> Self {
        self.inner.extensions.set(&CHALLENGE, Json::from(challenge));
        self
    }

    /// Everything, borrowed, for a projection: take it apart without `..` ([S1]).
    ///
    /// [S1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s1
    pub fn parts(&self) -> Parts<'_> {
        let Inner {
            type_uri,
            title,
            status,
            detail,
            instance,
            code,
            request_id,
            valid_values,
            remediation,
            docs_url,
            mcp_tool,
            a2a_skill,
            extensions,
            made_of: _,
        } = &*self.inner;
        Parts {
            type_uri: type_uri.as_ref(),
            title: title.as_deref(),
            status: *status,
            detail: detail.as_deref(),
            instance: instance.as_ref(),
            code: code.as_ref(),
            request_id: request_id.as_deref(),
            valid_values,
            remediation: remediation.as_ref(),
            docs_url: docs_url.as_ref(),
            mcp_tool: mcp_tool.as_ref(),
            a2a_skill: a2a_skill.as_ref(),
            extensions,
        }
    }

    /// `type`.
    pub fn type_uri(&self) -> Option<&UriRef> {
        self.inner.type_uri.as_ref()
    }

    /// `title`.
    pub fn title(&self) -> Option<&str> {
        self.inner.title.as_deref()
    }

    /// `status`.
    pub fn status(&self) -> Option<Status> {
        self.inner.status
    }

    /// `detail`.
    pub fn detail(&self) -> Option<&str> {
        self.inner.detail.as_deref()
    }

    /// `instance`.
    pub fn instance(&self) -> Option<&UriRef> {
        self.inner.instance.as_ref()
    }

    /// `code`.
    pub fn code(&self) -> Option<&Code> {
        self.inner.code.as_ref()
    }

    /// `request_id`.
    pub fn request_id(&self) -> Option<&str> {
        self.inner.request_id.as_deref()
    }

    /// `valid_values`.
    pub fn valid_values(&self) -> &ValidValues {
        &self.inner.valid_values
    }

    /// `remediation`.
    pub fn remediation(&self) -> Option<&Remediation> {
        self.inner.remediation.as_ref()
    }

    /// `docs_url`.
    pub fn docs_url(&self) -> Option<&UriRef> {
        self.inner.docs_url.as_ref()
    }

    /// `mcp_tool`.
    pub fn mcp_tool(&self) -> Option<&ToolName> {
        self.inner.mcp_tool.as_ref()
    }

    /// `a2a_skill`.
    pub fn a2a_skill(&self) -> Option<&SkillId> {
        self.inner.a2a_skill.as_ref()
    }

    /// The extension members.
    pub fn extensions(&self) -> &Extensions {
        &self.inner.extensions
    }

    /// When to try again, from the extension `retry_after` (seconds), at most a day.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self
            .inner
            .extensions
            .get(RETRY_AFTER.as_str())?
            .to_value()
            .as_f64()?;
        (seconds.is_finite() && seconds >= 0.0)
            .then(|| Duration::from_secs_f64(seconds.ceil().min(DAY)))
    }

    /// The challenge of a 401, from the extension `challenge`.
    pub fn challenge(&self) -> Option<String> {
        self.inner.extensions.get(CHALLENGE.as_str())?.read().ok()
    }

    /// JSON Pointers of the fields it is about: those in `errors`, or else the fields with valid values.
    pub fn field_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        if let Some(Value::Array(errors)) = self
            .inner
            .extensions
            .get(ERRORS.as_str())
            .map(Json::to_value)
        {
            for error in &errors {
                let Some(pointer) = error.get("pointer").and_then(Value::as_str) else {
                    continue;
                };
                let pointer = crate::pointer::of_fragment(pointer);
                if !paths.iter().any(|kept| *kept == pointer) {
                    paths.push(pointer.into_owned());
                }
            }
        }
        if paths.is_empty() {
            for (field, _) in self.inner.valid_values.iter() {
                paths.push(Pointer::of_key(field).into());
            }
        }
        paths
    }

    /// An automatic fix is only claimed while the action it promises is named ([P8]).
    ///
    /// [P8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p8
    pub(crate) fn settle_auto_fix(&mut self) -> bool {
        let Inner {
            mcp_tool,
            a2a_skill,
            remediation,
            ..
        } = &mut *self.inner;
        let Some(remediation) = remediation else {
            return true;
        };
        let honest = !remediation.auto_fix_available()
            || mcp_tool.is_some()
            || a2a_skill.is_some()
            || remediation
                .next_action()
                .and_then(|action| action.part("endpoint_url"))
                .is_some_and(is_followable);
        if !honest {
            remediation.set_auto_fix(false);
        }
        honest
    }
}

impl fmt::Debug for ProblemDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProblemDetails {self}")
    }
}

/// The canonical JSON.
impl fmt::Display for ProblemDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_vec()))
    }
}

/// A problem is an error too: `?` works with it.
impl std::error::Error for ProblemDetails {}

const DAY: f64 = 86_400.0;

pub(crate) fn retry_seconds(delay: Duration) -> u64 {
    let whole = delay.as_secs();
    whole
        .saturating_add(u64::from(delay.subsec_nanos() > 0))
        .min(86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_pointer_wide() {
        assert_eq!(size_of::<ProblemDetails>(), size_of::<usize>());
        assert_eq!(size_of::<Option<ProblemDetails>>(), size_of::<usize>());
    }

    #[test]
    fn a_retry_delay_is_rounded_up_and_bounded() {
        let at = |delay| {
            ProblemDetails::new(Status::from_static(429), Code::from_static("slow"))
                .with_retry_after(delay)
                .retry_after()
        };
        assert_eq!(at(Duration::from_millis(1)), Some(Duration::from_secs(1)));
        assert_eq!(at(Duration::from_secs(5)), Some(Duration::from_secs(5)));
        assert_eq!(at(Duration::MAX), Some(Duration::from_secs(86_400)));
    }

    #[test]
    fn field_paths_come_from_errors_or_else_from_valid_values() {
        let base = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
            .with_valid_values("a/b", ["x"]);
        assert_eq!(base.field_paths(), ["/a~1b"]);
        assert_eq!(
            base.with_pointer("/user/age", Some("too low"))
                .field_paths(),
            ["/user/age"]
        );
    }
}

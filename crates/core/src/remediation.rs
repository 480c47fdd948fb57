//! What the caller can do about it.

use std::borrow::Cow;
use std::fmt;

use crate::example::ExampleRequest;
use crate::json::scan::{Scan, ScanError};
use crate::json::{ObjectWriter, WriteObject};
use crate::text::borrowed;
use crate::{Extensions, Json, UriRef, redact};

/// Declares a closed set of words once: the enum, its words, both directions, and the whole list.
macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident, $reason:literal { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(clippy::exhaustive_enums, reason = $reason)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every member of the set, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The member with that word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|member| member.as_str() == word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use closed_set;

closed_set! {
    /// The types of remediation, without what `none` carries.
    RemediationType, "P5 closes the set" {
        /// Wait until a resource exists, then repeat the call.
        WaitForProvisioning = "wait_for_provisioning",
        /// Ask for a wider scope, then repeat the call.
        RequestScopeElevation = "request_scope_elevation",
        /// Act as another user.
        SwitchUser = "switch_user",
        /// Register a domain of one's own first.
        RegisterCustomDomain = "register_custom_domain",
        /// Nothing the caller can do.
        None = "none",
    }
}

closed_set! {
    /// Why there is nothing the caller can do.
    NoneReason, "P5 closes the set" {
        /// No public operation does this.
        NoPublicEquivalentExists = "no_public_equivalent_exists",
        /// A person must authenticate; a program must not work around it.
        AuthRequiredForSafety = "auth_required_for_safety",
        /// It does not exist yet.
        NotYetImplemented = "not_yet_implemented",
    }
}

/// A type of remediation together with what it demands: `none` cannot be without its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P5 closes the set")]
pub enum RemediationKind {
    /// See [`RemediationType::WaitForProvisioning`].
    WaitForProvisioning,
    /// See [`RemediationType::RequestScopeElevation`].
    RequestScopeElevation,
    /// See [`RemediationType::SwitchUser`].
    SwitchUser,
    /// See [`RemediationType::RegisterCustomDomain`].
    RegisterCustomDomain,
    /// See [`RemediationType::None`].
    None(NoneReason),
}

impl RemediationKind {
    /// The type alone.
    pub const fn kind(self) -> RemediationType {
        match self {
            Self::WaitForProvisioning => RemediationType::WaitForProvisioning,
            Self::RequestScopeElevation => RemediationType::RequestScopeElevation,
            Self::SwitchUser => RemediationType::SwitchUser,
            Self::RegisterCustomDomain => RemediationType::RegisterCustomDomain,
            Self::None(_) => RemediationType::None,
        }
    }

    /// The reason, for `none`.
    pub const fn reason(self) -> Option<NoneReason> {
        match self {
            Self::None(reason) => Some(reason),
            Self::WaitForProvisioning
            | Self::RequestScopeElevation
            | Self::SwitchUser
            | Self::RegisterCustomDomain => None,
        }
    }

    /// Type and reason together; `None` for a forbidden combination.
    pub const fn of(kind: RemediationType, reason: Option<NoneReason>) -> Option<Self> {
        match (kind, reason) {
            (RemediationType::None, Some(reason)) => Some(Self::None(reason)),
            (RemediationType::WaitForProvisioning, None) => Some(Self::WaitForProvisioning),
            (RemediationType::RequestScopeElevation, None) => Some(Self::RequestScopeElevation),
            (RemediationType::SwitchUser, None) => Some(Self::SwitchUser),
            (RemediationType::RegisterCustomDomain, None) => Some(Self::RegisterCustomDomain),
            (_, _) => None,
        }
    }
}

/// The next safe action ([P6]). At least one part is present: start from one of the constructors.
///
/// [P6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p6
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NextAction {
    endpoint_xri: Option<Cow<'static, str>>,
    endpoint_url: Option<Cow<'static, str>>,
    required_scope: Option<Cow<'static, str>>,
    guide_xri: Option<Cow<'static, str>>,
    other: Extensions,
}

macro_rules! next_action_parts {
    ($($(#[$doc:meta])* $part:ident, $with:ident;)+) => {
        impl NextAction {
            $(
                $(#[$doc])*
                pub fn $part(value: impl Into<Cow<'static, str>>) -> Self {
                    Self::default().$with(value)
                }
            )+
            $(
                #[doc = concat!("Adds `", stringify!($part), "`.")]
                #[must_use]
                pub fn $with(mut self, value: impl Into<Cow<'static, str>>) -> Self {
                    self.$part = Some(value.into());
                    self
                }
            )+
        }
    };
}

next_action_parts! {
    /// An operation, by its XRI.
    endpoint_xri, with_endpoint_xri;
    /// An operation, by its URL or path template.
    endpoint_url, with_endpoint_url;
    /// The scope to ask for.
    required_scope, with_required_scope;
    /// A guide, by its XRI.
    guide_xri, with_guide_xri;
}

impl NextAction {
    #[doc(hidden)]
    pub const fn constant(parts: [Option<&'static str>; 4]) -> Self {
        let [endpoint_xri, endpoint_url, required_scope, guide_xri] = parts;
        Self {
            endpoint_xri: borrowed(endpoint_xri),
            endpoint_url: borrowed(endpoint_url),
            required_scope: borrowed(required_scope),
            guide_xri: borrowed(guide_xri),
            other: Extensions::NONE,
        }
    }

    /// Name and text of each part that is present, in wire order.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("endpoint_xri", &self.endpoint_xri),
            ("endpoint_url", &self.endpoint_url),
            ("required_scope", &self.required_scope),
            ("guide_xri", &self.guide_xri),
        ]
        .into_iter()
        .filter_map(|(name, part)| Some((name, part.as_deref()?)))
    }

    /// The text of one part, by its wire name.
    pub fn part(&self, name: &str) -> Option<&str> {
        self.parts()
            .find(|(part, _)| *part == name)
            .map(|(_, text)| text)
    }

    fn write_members(&self, object: &mut impl WriteObject) {
        for (name, text) in self.parts() {
            object.string(name, text);
        }
        self.other.write(object);
    }

    fn read(
        scan: &mut Scan<'_>,
        ignored: &mut dyn FnMut(String),
    ) -> Result<Option<Self>, ScanError> {
        let mut action = Self::default();
        let object = scan.object(|name, scan| {
            let slot = match &*name {
                "endpoint_xri" => &mut action.endpoint_xri,
                "endpoint_url" => &mut action.endpoint_url,
                "required_scope" => &mut action.required_scope,
                "guide_xri" => &mut action.guide_xri,
                _ => {
                    action.other.keep_raw(name, scan.raw()?, ignored);
                    return Ok(());
                }
            };
            *slot = scan.owned()?;
            if slot.is_none() {
                ignored(format!("remediation.next_action.{name} must be a string"));
            }
            Ok(())
        })?;
        if !object {
            ignored("remediation.next_action must be an object".to_owned());
        } else if action.parts().next().is_none() {
            ignored("remediation.next_action names no action".to_owned());
        } else {
            return Ok(Some(action));
        }
        Ok(None)
    }
}

/// What makes a fix automatic: the action that performs it ([P8]).
///
/// Only a problem that names one of these can claim `auto_fix_available`.
///
/// [P8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p8
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "P8 names the three actions")]
pub enum AutoFix {
    /// The MCP tool that fixes it; becomes `mcp_tool`.
    Tool(crate::ToolName),
    /// The A2A skill that fixes it; becomes `a2a_skill`.
    Skill(crate::SkillId),
    /// The endpoint that fixes it; becomes `next_action.endpoint_url`.
    Endpoint(Cow<'static, str>),
}

/// The remediation of a problem ([P5]).
///
/// # Examples
///
/// ```
/// use aon_core::{NextAction, NoneReason, Remediation};
///
/// let wait = Remediation::wait_for_provisioning().with_message("Retry in a few seconds.");
/// let scope = Remediation::request_scope_elevation().with_next_action(NextAction::required_scope("orders:write"));
/// let nothing = Remediation::none(NoneReason::NotYetImplemented);
/// assert_eq!(nothing.reason(), Some(NoneReason::NotYetImplemented));
/// # let _ = (wait, scope);
/// ```
///
/// `none` without a reason does not compile:
///
/// ```compile_fail
/// aon_core::Remediation::none();
/// ```
///
/// [P5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p5
#[derive(Clone, Debug)]
pub struct Remediation {
    kind: RemediationKind,
    message: Option<Cow<'static, str>>,
    next_action: Option<NextAction>,
    example_request: Option<ExampleRequest>,
    auto_fix: bool,
    other: Extensions,
    json: Option<&'static str>,
}

impl Remediation {
    /// A remediation of that kind.
    pub const fn new(kind: RemediationKind) -> Self {
        Self {
            kind,
            message: None,
            next_action: None,
            example_request: None,
            auto_fix: false,
            other: Extensions::NONE,
            json: None,
        }
    }

    /// Wait until a resource exists, then repeat the call.
    pub const fn wait_for_provisioning() -> Self {
        Self::new(RemediationKind::WaitForProvisioning)
    }

    /// Ask for a wider scope, then repeat the call.
    pub const fn request_scope_elevation() -> Self {
        Self::new(RemediationKind::RequestScopeElevation)
    }

    /// Act as another user.
    pub const fn switch_user() -> Self {
        Self::new(RemediationKind::SwitchUser)
    }

    /// Register a domain of one's own first.
    pub const fn register_custom_domain() -> Self {
        Self::new(RemediationKind::RegisterCustomDomain)
    }

    /// Nothing the caller can do, and why.
    pub const fn none(reason: NoneReason) -> Self {
        Self::new(RemediationKind::None(reason))
    }

    /// What the derive writes; the text in `json` is the whole object, escaped while compiling.
    #[doc(hidden)]
    pub const fn constant(
        kind: RemediationKind,
        message: Option<&'static str>,
        next_action: Option<NextAction>,
        example_request: Option<ExampleRequest>,
        auto_fix: bool,
        json: &'static str,
    ) -> Self {
        Self {
            kind,
            message: borrowed(message),
            next_action,
            example_request,
            auto_fix,
            other: Extensions::NONE,
            json: Some(json),
        }
    }

    /// Says in words what to do.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = Some(message.into());
        self.json = None;
        self
    }

    /// Names the next safe action.
    #[must_use]
    pub fn with_next_action(mut self, action: NextAction) -> Self {
        let names_one = action.parts().next().is_some();
        self.next_action = names_one.then_some(action);
        self.json = None;
        self
    }

    /// Shows a request that works.
    #[must_use]
    pub fn with_example_request(mut self, example: ExampleRequest) -> Self {
        self.example_request = Some(example);
        self.json = None;
        self
    }

    pub(crate) fn set_auto_fix(&mut self, fix: bool) {
        self.auto_fix = fix;
        self.json = None;
    }

    pub(crate) fn set_fix_endpoint(&mut self, url: Cow<'static, str>) {
        let action = self.next_action.take().unwrap_or_default();
        self.next_action = Some(action.with_endpoint_url(url));
        self.json = None;
    }

    /// Type and reason.
    pub const fn kind(&self) -> RemediationKind {
        self.kind
    }

    /// The reason, for `none`.
    pub const fn reason(&self) -> Option<NoneReason> {
        self.kind.reason()
    }

    /// What to do, in words.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The next safe action.
    pub const fn next_action(&self) -> Option<&NextAction> {
        self.next_action.as_ref()
    }

    /// A request that works.
    pub const fn example_request(&self) -> Option<&ExampleRequest> {
        self.example_request.as_ref()
    }

    /// Whether the platform can do it by itself.
    pub const fn auto_fix_available(&self) -> bool {
        self.auto_fix
    }

    /// Members this version does not know, as they were read.
    pub const fn other(&self) -> &Extensions {
        &self.other
    }

    /// Hides secrets in what is said. The example was cleaned when it was built, and what the derive wrote, while compiling.
    pub(crate) fn redact(&mut self) {
        if self.json.is_some() {
            return;
        }
        if let Some(message) = &mut self.message {
            redact::clean(message);
        }
        if let Some(action) = &mut self.next_action {
            let NextAction {
                endpoint_xri,
                endpoint_url,
                required_scope,
                guide_xri,
                other,
            } = action;
            for part in [endpoint_xri, endpoint_url, required_scope, guide_xri] {
                part.as_mut().map(redact::clean);
            }
            other.redact();
        }
        self.other.redact();
    }

    pub(crate) fn write(&self, object: &mut impl WriteObject, key: &str) {
        object.object(key, self.json, |object| self.write_members(object));
    }

    fn write_members(&self, object: &mut impl WriteObject) {
        object.string("type", self.kind.kind().as_str());
        object.text("reason", self.kind.reason().map(NoneReason::as_str));
        object.text("message", self.message());
        if let Some(action) = &self.next_action {
            object.object("next_action", None, |object| action.write_members(object));
        }
        if let Some(example) = &self.example_request {
            object.object("example_request", None, |object| {
                example.write_members(object);
            });
        }
        object.boolean("auto_fix_available", self.auto_fix);
        self.other.write(object);
    }

    /// The whole object as JSON.
    pub fn to_json(&self) -> Json {
        if let Some(json) = self.json {
            return Json::trusted(json);
        }
        let mut out = Vec::with_capacity(256);
        let mut object = ObjectWriter::begin(&mut out);
        self.write_members(&mut object);
        object.end();
        let text = String::from_utf8(out).unwrap_or_default();
        Json::from_valid(&text).unwrap_or(Json::trusted("null"))
    }

    /// Reads leniently: a bad part is left out and named, an unknown type makes it absent.
    /// An `auto_fix_available` is believed only later, when the action it promises is known.
    pub(crate) fn read(
        scan: &mut Scan<'_>,
        ignored: &mut dyn FnMut(String),
    ) -> Result<Option<Self>, ScanError> {
        let (mut kind, mut reason, mut typed) = (None, None, false);
        let mut read = Self::none(NoneReason::NotYetImplemented);
        let object = scan.object(|name, scan| {
            match &*name {
                "type" => {
                    typed = true;
                    kind = word(
                        scan,
                        RemediationType::from_word,
                        "remediation.type",
                        ignored,
                    )?;
                }
                "reason" => {
                    reason = word(scan, NoneReason::from_word, "remediation.reason", ignored)?;
                }
                "message" => {
                    read.message = scan.owned()?;
                    if read.message.is_none() {
                        ignored("remediation.message must be a string".to_owned());
                    }
                }
                "next_action" => read.next_action = NextAction::read(scan, ignored)?,
                "example_request" => read.example_request = ExampleRequest::read(scan, ignored)?,
                "auto_fix_available" => match scan.raw()? {
                    "true" => read.auto_fix = true,
                    "false" => read.auto_fix = false,
                    _ => ignored("remediation.auto_fix_available must be a boolean".to_owned()),
                },
                _ => read.other.keep_raw(name, scan.raw()?, ignored),
            }
            Ok(())
        })?;
        if !object || !typed {
            let needs = if object {
                "needs a type"
            } else {
                "must be an object"
            };
            ignored(format!("remediation {needs}"));
            return Ok(None);
        }
        let Some(kind) = kind else { return Ok(None) };
        if kind != RemediationType::None && reason.is_some() {
            ignored(format!(
                "remediation.reason goes only with type none, not {kind}"
            ));
            reason = None;
        }
        let Some(kind) = RemediationKind::of(kind, reason) else {
            ignored("remediation of type none needs a reason".to_owned());
            return Ok(None);
        };
        read.kind = kind;
        Ok(Some(read))
    }
}

/// What was pre-escaped says the same as the parts, so it does not count.
impl PartialEq for Remediation {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.message == other.message
            && self.next_action == other.next_action
            && self.example_request == other.example_request
            && self.auto_fix == other.auto_fix
            && self.other == other.other
    }
}

impl serde::Serialize for Remediation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn word<T>(
    scan: &mut Scan<'_>,
    from: fn(&str) -> Option<T>,
    member: &str,
    ignored: &mut dyn FnMut(String),
) -> Result<Option<T>, ScanError> {
    let found = scan.text()?.and_then(|text| from(&text));
    if found.is_none() {
        ignored(format!("{member} is not one of the known words"));
    }
    Ok(found)
}

/// Whether a text can be followed: not empty, no control characters.
pub(crate) fn is_followable(url: &str) -> bool {
    !url.is_empty() && UriRef::parse(url.replace(['{', '}'], "")).is_ok()
}

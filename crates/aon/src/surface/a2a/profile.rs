//! Profiles: which number, which form of `data`, which HTTP status. All of it is data ([S6]).
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6

use std::borrow::Cow;

use aon_core::{Code, ProblemDetails, Status};

use super::{Kind, tables};

/// The extension the envelope is declared as in an agent card, and activated by.
pub const EXTENSION_URI: &str = "https://possibility.space/a2a/extensions/problem/v1";

/// What a rule looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum On {
    /// The code of the problem.
    Code(Cow<'static, str>),
    /// This status, of a problem whose code starts with `task_`.
    TaskStatus(u16),
    /// This status.
    Status(u16),
    /// Any status of this class: 4 or 5. A problem without a status is of class 5.
    Class(u16),
}

impl On {
    fn matches(&self, status: Option<Status>, code: Option<&Code>) -> bool {
        let status = status.map(Status::as_u16);
        match self {
            Self::Code(wanted) => code.is_some_and(|code| code.as_str() == wanted),
            Self::TaskStatus(wanted) => {
                status == Some(*wanted)
                    && code.is_some_and(|code| code.as_str().starts_with("task_"))
            }
            Self::Status(wanted) => status == Some(*wanted),
            Self::Class(wanted) => status.unwrap_or(500) / 100 == *wanted,
        }
    }
}

/// One line of a profile's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    on: On,
    number: i32,
    kind: Kind,
    reason: Option<&'static str>,
    official: bool,
}

impl Rule {
    /// A rule for problems with that code.
    pub fn code(code: impl Into<Cow<'static, str>>, number: i32, kind: Kind) -> Self {
        Self::new(On::Code(code.into()), number, kind)
    }

    /// A rule for problems with that status.
    pub const fn status(status: u16, number: i32, kind: Kind) -> Self {
        Self::new(On::Status(status), number, kind)
    }

    /// A rule; its `ErrorInfo` has the problem's own code as reason, in our domain.
    pub const fn new(on: On, number: i32, kind: Kind) -> Self {
        Self {
            on,
            number,
            kind,
            reason: None,
            official: false,
        }
    }

    /// A rule with a fixed reason; `official` says that the specification defines it.
    pub(super) const fn fixed(mut self, reason: &'static str, official: bool) -> Self {
        self.reason = Some(reason);
        self.official = official;
        self
    }

    /// The JSON-RPC number.
    pub const fn number(&self) -> i32 {
        self.number
    }

    /// The kind.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The fixed reason of `ErrorInfo`, if it has one.
    pub const fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Whether the A2A specification defines this error, so that its domain is `a2a-protocol.org`.
    pub const fn is_official(&self) -> bool {
        self.official
    }
}

/// The form of `error.data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataForm {
    /// The envelope itself.
    Object,
    /// An array of typed objects: `ErrorInfo` first, the envelope second.
    Array,
}

/// Which HTTP status a JSON-RPC error travels with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpPolicy {
    /// 200, apart from 401 and 403.
    AuthenticationOnly,
    /// 200, always: some clients throw the body of any other status away. The headers carry the challenge all the same.
    Always200,
    /// The status of the problem.
    AsProblem,
}

/// How problems become A2A errors. The built-in ones are constants, and every part can be replaced.
///
/// # Examples
///
/// One line gives a table of your own:
///
/// ```
/// use aon::surface::a2a::{Kind, Profile, Rule};
///
/// let profile = Profile::PSPACE.with_rule(Rule::code("quota_used_up", -31_050, Kind::RateLimitExceeded));
/// # let problem = aon::ProblemDetails::new(aon::Status::from_static(403), aon::Code::from_static("quota_used_up"));
/// assert_eq!(profile.rule(&problem).number(), -31_050);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    name: Cow<'static, str>,
    own: Vec<Rule>,
    tables: [&'static [Rule]; 2],
    data: DataForm,
    http: HttpPolicy,
    /// Whether the message says all that is needed to act: some clients show nothing else.
    whole_message: bool,
}

impl Profile {
    /// The contract's own numbers; `data` is the envelope.
    pub const PSPACE: Self = Self::built_in("pspace", [tables::PSPACE, &[]], DataForm::Object);

    /// A2A 1.0: the official numbers; `data` is an array.
    pub const A2A_1_0: Self =
        Self::built_in("a2a-1.0", [tables::V1_0, tables::V0_3], DataForm::Array);

    /// A2A 0.3: the official numbers of that version; `data` is an array.
    ///
    /// The official Python client shows the message of such an error and nothing else, so it also names the code, the
    /// valid values and the documentation.
    pub const A2A_0_3: Self = {
        let mut profile = Self::built_in("a2a-0.3", [&[], tables::V0_3], DataForm::Array);
        profile.whole_message = true;
        profile
    };

    /// The built-in profiles.
    pub const BUILT_IN: [Self; 3] = [Self::PSPACE, Self::A2A_1_0, Self::A2A_0_3];

    const fn built_in(name: &'static str, tables: [&'static [Rule]; 2], data: DataForm) -> Self {
        Self {
            name: Cow::Borrowed(name),
            own: Vec::new(),
            tables,
            data,
            http: HttpPolicy::Always200,
            whole_message: false,
        }
    }

    /// A profile of your own: it knows the standard JSON-RPC numbers and nothing else yet.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        let mut profile = Self::built_in("", [&[], &[]], DataForm::Object);
        profile.name = name.into();
        profile
    }

    /// Puts a rule before all others.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.own.insert(0, rule);
        self
    }

    /// Sets the form of `data`.
    #[must_use]
    pub const fn with_data(mut self, data: DataForm) -> Self {
        self.data = data;
        self
    }

    /// Sets the HTTP status policy.
    #[must_use]
    pub const fn with_http(mut self, http: HttpPolicy) -> Self {
        self.http = http;
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The form of `data`.
    pub const fn data(&self) -> DataForm {
        self.data
    }

    /// Whether the message says all that is needed to act.
    pub(super) const fn has_whole_message(&self) -> bool {
        self.whole_message
    }

    /// Every rule, in the order they are tried.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        let [newer, common] = self.tables;
        self.own
            .iter()
            .chain(tables::JSON_RPC_CODES)
            .chain(newer)
            .chain(common)
            .chain(tables::JSON_RPC)
    }

    /// The rule for a problem. There always is one.
    pub fn rule(&self, problem: &ProblemDetails) -> &Rule {
        let (status, code) = (problem.status(), problem.code());
        self.rules()
            .find(|rule| rule.on.matches(status, code))
            .unwrap_or(&tables::FALLBACK)
    }

    /// The kind a bare number stands for here; the widest reading where several share it.
    pub fn kind_of_number(&self, number: i32) -> Option<Kind> {
        let with_number = || self.rules().filter(|rule| rule.number == number);
        with_number()
            .find(|rule| matches!(rule.on, On::Class(_)))
            .or_else(|| with_number().next())
            .map(Rule::kind)
    }

    /// The HTTP status a JSON-RPC error travels with.
    pub fn http_status(&self, problem: &ProblemDetails) -> u16 {
        let status = problem.status().map_or(500, Status::as_u16);
        match self.http {
            HttpPolicy::AuthenticationOnly if matches!(status, 401 | 403) => status,
            HttpPolicy::AuthenticationOnly | HttpPolicy::Always200 => 200,
            HttpPolicy::AsProblem => status,
        }
    }

    /// The HTTP headers that go with it: the challenge and the delay.
    pub fn http_headers(&self, problem: &ProblemDetails) -> Vec<(&'static str, String)> {
        let mut headers = crate::surface::rest::headers(problem);
        headers.retain(|(name, _)| matches!(*name, "www-authenticate" | "retry-after"));
        headers
    }
}

/// The domain of the default namespace.
pub(super) const DEFAULT_DOMAIN: &str = "possibility.space";

/// The domain of `ErrorInfo` for errors the specification does not define, that of the namespace in `type`: the host of a URI prefix, or the name of a short one. That of the default
/// namespace is its own.
pub(super) fn domain_of(problem: &ProblemDetails) -> &str {
    let uri = problem.type_uri().map_or("", aon_core::UriRef::as_str);
    let Some((scheme, rest)) = uri.split_once("://") else {
        return DEFAULT_DOMAIN;
    };
    match scheme {
        "http" | "https" => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            host.rsplit('@').next().unwrap_or_default()
        }
        "pspace" => DEFAULT_DOMAIN,
        name => name,
    }
}

#[cfg(test)]
mod tests;

//! What a test expects of a problem.

use std::fmt::Write as _;

use aon_core::{Choice, Json, ProblemDetails};
use serde::Serialize;
use serde_json::Value;

use super::subject::Observed;

/// What [`assert_problem!`](crate::assert_problem) expects.
#[derive(Debug, Default)]
pub struct Expected {
    checks: Vec<Check>,
}

/// One thing to look at: a JSON Pointer into the problem as it is sent, and what must stand there.
#[derive(Debug)]
struct Check {
    place: String,
    wanted: Wanted,
}

#[derive(Debug)]
enum Wanted {
    Equal(Value),
    /// A text with this in it.
    Text(String),
    /// Choices with these values.
    Values(Vec<Value>),
    /// Among the fields it is about.
    Field(String),
    Nothing,
    /// A header of the response.
    Header(String),
}

macro_rules! members {
    ($($(#[doc = $doc:literal])+ $name:ident($ty:ty) at $place:literal;)+) => {
        impl Expected {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $name(self, expected: $ty) -> Self {
                    let expected = serde_json::to_value(expected).unwrap_or_default();
                    self.check_at($place, Wanted::Equal(expected))
                }
            )+
        }
    };
}

members! {
    /// The status.
    status(u16) at "/status";
    /// The code.
    code(impl Serialize) at "/code";
    /// The title.
    title(impl Serialize) at "/title";
    /// The type.
    type_uri(impl Serialize) at "/type";
    /// The detail.
    detail(impl Serialize) at "/detail";
    /// The request id.
    request_id(impl Serialize) at "/request_id";
    /// The type of the remediation, such as `wait_for_provisioning`.
    remediation(impl Serialize) at "/remediation/type";
    /// The scope to ask for.
    required_scope(impl Serialize) at "/remediation/next_action/required_scope";
    /// When to try again, in seconds.
    retry_after(u64) at "/retry_after";
    /// The documentation.
    docs_url(impl Serialize) at "/docs_url";
    /// The MCP tool.
    mcp_tool(impl Serialize) at "/mcp_tool";
    /// The A2A skill.
    a2a_skill(impl Serialize) at "/a2a_skill";
}

impl Expected {
    /// No expectations yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A part of the detail.
    #[must_use]
    pub fn detail_contains(self, part: impl Into<String>) -> Self {
        self.check_at("/detail", Wanted::Text(part.into()))
    }

    /// A part of the remediation's message.
    #[must_use]
    pub fn message_contains(self, part: impl Into<String>) -> Self {
        self.check_at("/remediation/message", Wanted::Text(part.into()))
    }

    /// A field it is about, as a JSON Pointer.
    #[must_use]
    pub fn pointer(self, pointer: impl Into<String>) -> Self {
        self.check_at("pointers", Wanted::Field(pointer.into()))
    }

    /// The allowed values of a field, in their order.
    #[must_use]
    pub fn valid_values<T: Into<Choice>>(
        self,
        field: &str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(Into::into);
        let values = values.map(|choice: Choice| choice.value().to_value());
        let place = format!("/valid_values/{}", aon_core::pointer::escape(field));
        self.check_at(place, Wanted::Values(values.collect()))
    }

    /// An extension member.
    #[must_use]
    pub fn extension<T: Serialize>(self, name: &str, value: T) -> Self {
        let value = Json::of(&value).map_or(Value::Null, |json| json.to_value());
        let place = aon_core::Pointer::field(name);
        self.check_at(place, Wanted::Equal(value))
    }

    /// A header of the response.
    #[must_use]
    pub fn header(self, name: &str, value: impl Into<String>) -> Self {
        self.check_at(name.to_ascii_lowercase(), Wanted::Header(value.into()))
    }

    /// A member that must not be there.
    #[must_use]
    pub fn absent(self, member: &str) -> Self {
        self.check_at(aon_core::Pointer::field(member), Wanted::Nothing)
    }

    fn check_at(mut self, place: impl Into<String>, wanted: Wanted) -> Self {
        let place = place.into();
        self.checks.push(Check { place, wanted });
        self
    }

    /// Fails with every difference at once, or gives the problem.
    #[doc(hidden)]
    #[track_caller]
    #[expect(clippy::panic, reason = "a failed assertion of a test")]
    pub fn check(self, observed: Observed) -> ProblemDetails {
        let mut lines = String::new();
        for fault in &observed.faults {
            // Writing into a String cannot fail.
            let _: std::fmt::Result = write!(lines, "\n  {fault}");
        }
        let Some(problem) = &observed.problem else {
            panic!("this is not a problem:{lines}\nit was:\n{}", observed.raw)
        };
        let tree = serde_json::to_value(problem).unwrap_or_default();
        for check in &self.checks {
            if let Some((expected, got)) = check.difference(problem, &tree, &observed.headers) {
                let place = check.place.trim_start_matches('/').replace('/', ".");
                let _: std::fmt::Result = write!(
                    lines,
                    "\n  {place}\n    expected {expected}\n    got      {got}"
                );
            }
        }
        if !lines.is_empty() {
            let pretty = serde_json::to_string_pretty(problem).unwrap_or_default();
            panic!("this is not the expected problem:{lines}\nit was:\n{pretty}")
        }
        problem.clone()
    }
}

impl Check {
    /// What was expected and what is there, where they differ.
    fn difference(
        &self,
        problem: &ProblemDetails,
        tree: &Value,
        headers: &[(String, String)],
    ) -> Option<(String, String)> {
        let there = tree.pointer(&self.place);
        let shown = there.map_or_else(|| "nothing".to_owned(), Value::to_string);
        let (same, expected, got) = match &self.wanted {
            Wanted::Equal(value) => (there == Some(value), value.to_string(), shown),
            Wanted::Nothing => (there.is_none(), "nothing".to_owned(), shown),
            Wanted::Text(part) => {
                let text = there.and_then(Value::as_str);
                let same = text.is_some_and(|text| text.contains(part));
                (same, format!("something with {part:?}"), shown)
            }
            Wanted::Values(values) => {
                let choices = there.and_then(Value::as_array).into_iter().flatten();
                let same = choices
                    .map(|choice| choice.get("value").unwrap_or(choice))
                    .eq(values);
                (same, Value::from(values.clone()).to_string(), shown)
            }
            Wanted::Field(pointer) => {
                let paths = problem.field_paths();
                let same = paths.contains(pointer);
                let shown = match paths.as_slice() {
                    [] => "nothing".to_owned(),
                    paths => format!("{paths:?}"),
                };
                (same, format!("{pointer:?} among them"), shown)
            }
            Wanted::Header(value) => {
                let named = headers.iter().filter(|(name, _)| *name == self.place);
                let found: Vec<&str> = named.map(|(_, value)| &**value).collect();
                let same = found.contains(&&**value);
                (same, format!("{value:?}"), format!("{found:?}"))
            }
        };
        (!same).then_some((expected, got))
    }
}

//! What a test expects of a problem.

use std::fmt::Write as _;
use std::time::Duration;

use aon_core::{Choice, Json, ProblemDetails};
use serde::Serialize;

use super::subject::Observed;

/// What [`assert_problem!`](crate::assert_problem) expects.
#[derive(Debug, Default)]
pub struct Expected {
    checks: Vec<Check>,
}

/// One thing to look at: its name, what it must be, and how to find what it is.
struct Check {
    what: String,
    expected: String,
    find: Box<dyn Fn(&Observed) -> Found>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.what, self.expected)
    }
}

/// What was found, shown the way the expectation is.
enum Found {
    /// As expected.
    Same,
    /// Something else.
    Other(String),
}

const NOTHING: &str = "nothing";

impl Expected {
    /// No expectations yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The status.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        self.equal("status", status.to_string(), |problem| {
            problem.status().map(|status| status.to_string())
        })
    }

    /// The code.
    #[must_use]
    pub fn code(self, code: impl AsRef<str>) -> Self {
        self.text("code", code.as_ref(), |problem| {
            problem.code().map(|code| code.as_str().to_owned())
        })
    }

    /// The title.
    #[must_use]
    pub fn title(self, title: impl AsRef<str>) -> Self {
        self.text("title", title.as_ref(), |problem| {
            problem.title().map(str::to_owned)
        })
    }

    /// The type.
    #[must_use]
    pub fn type_uri(self, uri: impl AsRef<str>) -> Self {
        self.text("type", uri.as_ref(), |problem| {
            problem.type_uri().map(|uri| uri.as_str().to_owned())
        })
    }

    /// The detail.
    #[must_use]
    pub fn detail(self, detail: impl AsRef<str>) -> Self {
        self.text("detail", detail.as_ref(), |problem| {
            problem.detail().map(str::to_owned)
        })
    }

    /// A part of the detail.
    #[must_use]
    pub fn detail_contains(self, part: impl AsRef<str>) -> Self {
        self.contains("detail", part.as_ref(), |problem| {
            problem.detail().map(str::to_owned)
        })
    }

    /// The request id.
    #[must_use]
    pub fn request_id(self, id: impl AsRef<str>) -> Self {
        self.text("request_id", id.as_ref(), |problem| {
            problem.request_id().map(str::to_owned)
        })
    }

    /// The type of the remediation, such as `wait_for_provisioning`.
    #[must_use]
    pub fn remediation(self, kind: impl AsRef<str>) -> Self {
        self.text("remediation.type", kind.as_ref(), |problem| {
            Some(problem.remediation()?.kind().kind().as_str().to_owned())
        })
    }

    /// A part of the remediation's message.
    #[must_use]
    pub fn message_contains(self, part: impl AsRef<str>) -> Self {
        self.contains("remediation.message", part.as_ref(), |problem| {
            Some(problem.remediation()?.message()?.to_owned())
        })
    }

    /// The scope to ask for.
    #[must_use]
    pub fn required_scope(self, scope: impl AsRef<str>) -> Self {
        self.text("required_scope", scope.as_ref(), |problem| {
            let action = problem.remediation()?.next_action()?;
            action.part("required_scope").map(str::to_owned)
        })
    }

    /// When to try again, in seconds.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.equal("retry_after", format!("{seconds} s"), |problem| {
            let delay: Duration = problem.retry_after()?;
            Some(format!("{} s", delay.as_secs()))
        })
    }

    /// The documentation.
    #[must_use]
    pub fn docs_url(self, url: impl AsRef<str>) -> Self {
        self.text("docs_url", url.as_ref(), |problem| {
            problem.docs_url().map(|url| url.as_str().to_owned())
        })
    }

    /// The MCP tool.
    #[must_use]
    pub fn mcp_tool(self, tool: impl AsRef<str>) -> Self {
        self.text("mcp_tool", tool.as_ref(), |problem| {
            problem.mcp_tool().map(|tool| tool.as_str().to_owned())
        })
    }

    /// The A2A skill.
    #[must_use]
    pub fn a2a_skill(self, skill: impl AsRef<str>) -> Self {
        self.text("a2a_skill", skill.as_ref(), |problem| {
            problem.a2a_skill().map(|skill| skill.as_str().to_owned())
        })
    }

    /// A field it is about, as a JSON Pointer.
    #[must_use]
    pub fn pointer(self, pointer: impl Into<String>) -> Self {
        let pointer = pointer.into();
        let wanted = pointer.clone();
        self.check_with(
            "pointers",
            format!("{pointer:?} among them"),
            move |observed| {
                let paths = observed.problem.as_ref().map(ProblemDetails::field_paths);
                match paths.unwrap_or_default() {
                    paths if paths.contains(&wanted) => Found::Same,
                    paths if paths.is_empty() => Found::Other(NOTHING.to_owned()),
                    paths => Found::Other(format!("{paths:?}")),
                }
            },
        )
    }

    /// The allowed values of a field, in their order.
    #[must_use]
    pub fn valid_values<T: Into<Choice>>(
        self,
        field: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let field = field.into();
        let values: Vec<_> = values
            .into_iter()
            .map(|value| value.into().value().clone())
            .collect();
        let shown = |values: &mut dyn Iterator<Item = serde_json::Value>| {
            values.collect::<serde_json::Value>().to_string()
        };
        let expected = shown(&mut values.iter().map(aon_core::ChoiceValue::to_value));
        self.check_with(format!("valid_values.{field}"), expected, move |observed| {
            let problem = observed.problem.as_ref();
            let Some(choices) = problem.and_then(|problem| problem.valid_values().of(&field))
            else {
                return Found::Other(NOTHING.to_owned());
            };
            if choices.iter().map(Choice::value).eq(&values) {
                Found::Same
            } else {
                Found::Other(shown(
                    &mut choices.iter().map(|choice| choice.value().to_value()),
                ))
            }
        })
    }

    /// An extension member.
    #[must_use]
    pub fn extension<T: Serialize>(self, name: impl Into<String>, value: T) -> Self {
        let name = name.into();
        let expected = Json::of(&value).unwrap_or_else(|error| Json::from(&*error.to_string()));
        self.check_with(name.clone(), expected.to_string(), move |observed| {
            let problem = observed.problem.as_ref();
            match problem.and_then(|problem| problem.extensions().get(&name)) {
                Some(found) if *found == expected => Found::Same,
                Some(found) => Found::Other(found.to_string()),
                None => Found::Other(NOTHING.to_owned()),
            }
        })
    }

    /// A header of the response.
    #[must_use]
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into().to_ascii_lowercase(), value.into());
        let expected = format!("{value:?}");
        self.check_with(format!("header {name}"), expected, move |observed| {
            let found = observed.headers.iter().filter(|(kept, _)| *kept == name);
            let found: Vec<&str> = found.map(|(_, value)| &**value).collect();
            match &found[..] {
                found if found.contains(&&*value) => Found::Same,
                [] => Found::Other(NOTHING.to_owned()),
                found => Found::Other(format!("{found:?}")),
            }
        })
    }

    /// A member that must not be there.
    #[must_use]
    pub fn absent(self, member: impl Into<String>) -> Self {
        let member = member.into();
        self.check_with(member.clone(), NOTHING.to_owned(), move |observed| {
            let problem = observed.problem.as_ref().map(ProblemDetails::to_string);
            let tree: serde_json::Value = problem
                .and_then(|json| serde_json::from_str(&json).ok())
                .unwrap_or_default();
            match tree.get(&member) {
                None => Found::Same,
                Some(value) => Found::Other(value.to_string()),
            }
        })
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
        for check in &self.checks {
            if observed.problem.is_none() {
                break;
            }
            if let Found::Other(found) = (check.find)(&observed) {
                let _: std::fmt::Result = write!(
                    lines,
                    "\n  {}\n    expected {}\n    got      {found}",
                    check.what, check.expected
                );
            }
        }
        match observed.problem {
            Some(problem) if lines.is_empty() => problem,
            Some(problem) => {
                let pretty = serde_json::to_string_pretty(&problem).unwrap_or_default();
                panic!("this is not the expected problem:{lines}\nit was:\n{pretty}")
            }
            None => panic!("this is not a problem:{lines}\nit was:\n{}", observed.raw),
        }
    }

    fn text(
        self,
        what: &str,
        expected: &str,
        find: impl Fn(&ProblemDetails) -> Option<String> + 'static,
    ) -> Self {
        self.equal(what, format!("{expected:?}"), move |problem| {
            find(problem).map(|found| format!("{found:?}"))
        })
    }

    fn equal(
        self,
        what: &str,
        expected: String,
        find: impl Fn(&ProblemDetails) -> Option<String> + 'static,
    ) -> Self {
        let wanted = expected.clone();
        self.check_with(what, expected, move |observed| {
            match observed.problem.as_ref().and_then(&find) {
                Some(found) if found == wanted => Found::Same,
                Some(found) => Found::Other(found),
                None => Found::Other(NOTHING.to_owned()),
            }
        })
    }

    fn contains(
        self,
        what: &str,
        part: &str,
        find: impl Fn(&ProblemDetails) -> Option<String> + 'static,
    ) -> Self {
        let wanted = part.to_owned();
        self.check_with(
            what,
            format!("something with {part:?}"),
            move |observed| match observed.problem.as_ref().and_then(&find) {
                Some(found) if found.contains(&wanted) => Found::Same,
                Some(found) => Found::Other(format!("{found:?}")),
                None => Found::Other(NOTHING.to_owned()),
            },
        )
    }

    fn check_with(
        mut self,
        what: impl Into<String>,
        expected: String,
        find: impl Fn(&Observed) -> Found + 'static,
    ) -> Self {
        self.checks.push(Check {
            what: what.into(),
            expected,
            find: Box::new(find),
        });
        self
    }
}

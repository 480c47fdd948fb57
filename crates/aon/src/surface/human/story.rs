//! What / Why / Try this: where each part of a problem goes.

use aon_core::{
    Choice, Json, NextAction, NoneReason, Parts, ProblemDetails, Remediation, RemediationKind,
    UriRef,
};
use serde_json::Value;

/// A problem told to a person, before it takes a form.
///
/// Texts are as the problem has them: a form escapes them its own way. Build forms of your own on it.
///
/// # Examples
///
/// ```
/// use aon::surface::human::Story;
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"));
/// assert_eq!(Story::of(&problem).what, "Not Found (404 gone)");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Story {
    /// The title, with status and code.
    pub what: String,
    /// The title alone.
    pub title: String,
    /// What happened, and where.
    pub why: Vec<Remark>,
    /// What to do about it.
    pub tries: Vec<Remark>,
    /// What support will ask for, and members this form has no words for.
    pub facts: Vec<(String, String)>,
}

/// One statement of a [`Story`].
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a form must place every kind of statement"
)]
pub enum Remark {
    /// A sentence, or several lines.
    Text(String),
    /// A field and what is wrong with it.
    Field {
        /// The field, as a JSON Pointer.
        pointer: String,
        /// What is wrong.
        detail: String,
    },
    /// The values a field may have.
    Values {
        /// The field.
        field: String,
        /// The values, each with its words.
        values: Vec<(String, Option<String>)>,
    },
    /// A named value, such as a scope or a tool.
    Named {
        /// The name.
        label: &'static str,
        /// The value.
        value: String,
    },
    /// An address to read on.
    Link {
        /// What it is.
        label: &'static str,
        /// The address; followable only when it is a web address.
        url: String,
        /// Whether it is a web address.
        web: bool,
    },
    /// A request that works: the request line with its headers, and the body.
    Example {
        /// `METHOD path` and a line per header.
        head: String,
        /// The body, as JSON.
        body: Option<String>,
    },
}

impl Story {
    /// Tells a problem.
    pub fn of(problem: &ProblemDetails) -> Self {
        let Parts {
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
        } = problem.parts();
        let title = title
            .or_else(|| status.map(aon_core::Status::phrase))
            .unwrap_or("Unknown problem")
            .to_owned();
        let marks: Vec<String> = status
            .map(|status| status.to_string())
            .into_iter()
            .chain(code.map(|code| code.as_str().to_owned()))
            .collect();
        let what = if marks.is_empty() {
            title.clone()
        } else {
            format!("{title} ({})", marks.join(" "))
        };

        let mut why = Vec::new();
        if let Some(detail) = detail.filter(|detail| !detail.trim().is_empty()) {
            why.push(Remark::Text(detail.to_owned()));
        }
        let mut facts = Vec::new();
        let mut challenge = None;
        for (name, value) in extensions.iter() {
            match (name, value.to_value()) {
                ("errors", Value::Array(errors)) => why.extend(fields(&errors, detail)),
                ("challenge", Value::String(text)) => challenge = Some(text),
                ("retry_after", Value::Number(_)) => {}
                (_, Value::String(text)) => facts.push((name.to_owned(), text)),
                (_, _) => facts.push((name.to_owned(), value.as_str().to_owned())),
            }
        }

        let mut tries = Vec::new();
        if let Some(remediation) = remediation {
            tries.extend(remedy(remediation));
        }
        for (field, choices) in valid_values.iter() {
            tries.push(Remark::Values {
                field: field.to_owned(),
                values: choices.iter().map(told).collect(),
            });
        }
        let delay = problem.retry_after();
        let named = [
            (
                "try again after",
                delay.map(|delay| format!("{} s", delay.as_secs())),
            ),
            ("authenticate with", challenge),
            ("MCP tool", mcp_tool.map(ToString::to_string)),
            ("A2A skill", a2a_skill.map(ToString::to_string)),
        ];
        tries.extend(named.into_iter().filter_map(|(label, value)| {
            let value = value?;
            Some(Remark::Named { label, value })
        }));
        if let Some(remediation) = remediation {
            if remediation.auto_fix_available() {
                tries.push(Remark::Text(
                    "The platform can apply this fix by itself.".to_owned(),
                ));
            }
            if let Some(example) = remediation.example_request() {
                let mut head = format!("{} {}", example.method(), example.path());
                for (name, value) in example.headers() {
                    head.push('\n');
                    head.push_str(name);
                    head.push_str(": ");
                    head.push_str(value);
                }
                tries.push(Remark::Example {
                    head,
                    body: example.body().map(|body| body.as_str().to_owned()),
                });
            }
        }
        if let Some(url) = docs_url {
            tries.push(Remark::Link {
                label: "read more",
                url: url.as_str().to_owned(),
                web: url.is_web_url(),
            });
        }

        // The default instance repeats the request id.
        let instance = instance
            .map(UriRef::as_str)
            .filter(|uri| request_id.is_none_or(|id| !uri.ends_with(&format!(":request:{id}"))));
        let known = [
            ("request", request_id),
            ("type", type_uri.map(UriRef::as_str)),
            ("instance", instance),
        ];
        let known = known
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        Self {
            what,
            title,
            why,
            tries,
            facts: known.chain(facts).collect(),
        }
    }
}

/// The fields in `errors`; one whose words equal the detail adds only its place.
fn fields<'a>(
    errors: &'a [Value],
    detail: Option<&'a str>,
) -> impl Iterator<Item = Remark> + use<'a> {
    errors.iter().filter_map(move |error| {
        let pointer = error.get("pointer")?.as_str()?;
        let pointer = aon_core::pointer::of_fragment(pointer);
        let words = error
            .get("detail")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Some(Remark::Field {
            pointer: if pointer.is_empty() {
                "(whole body)"
            } else {
                &*pointer
            }
            .to_owned(),
            detail: if detail == Some(words) {
                String::new()
            } else {
                words.to_owned()
            },
        })
    })
}

fn told(choice: &Choice) -> (String, Option<String>) {
    let words = match (choice.label(), choice.description()) {
        (Some(label), Some(description)) => Some(format!("{label}: {description}")),
        (Some(words), None) | (None, Some(words)) => Some(words.to_owned()),
        (None, None) => None,
    };
    (choice.value().to_string(), words)
}

fn remedy(remediation: &Remediation) -> Vec<Remark> {
    let mut remarks = vec![Remark::Text(match remediation.message() {
        Some(message) => message.to_owned(),
        None => sentence(remediation.kind(), remediation.next_action()).to_owned(),
    })];
    let Some(action) = remediation.next_action() else {
        return remarks;
    };
    for (name, text) in action.parts() {
        let label = match name {
            "endpoint_xri" => "operation",
            "endpoint_url" => "endpoint",
            "required_scope" => "required scope",
            _ => "guide",
        };
        remarks.push(Remark::Named {
            label,
            value: text.to_owned(),
        });
    }
    for (name, value) in remediation.other().iter() {
        remarks.push(Remark::Text(format!("{name}: {}", plain(value))));
    }
    remarks
}

fn plain(value: &Json) -> String {
    match value.to_value() {
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.as_str().to_owned()
        }
    }
}

/// What a type of remediation says when its author wrote no message.
fn sentence(kind: RemediationKind, action: Option<&NextAction>) -> &'static str {
    match kind {
        RemediationKind::WaitForProvisioning => {
            "Wait until the resource is ready, then repeat the request."
        }
        RemediationKind::RequestScopeElevation
            if action.is_some_and(|action| action.part("required_scope").is_none()) =>
        {
            "Follow the action below, then repeat the request."
        }
        RemediationKind::RequestScopeElevation => "Ask for a wider scope, then repeat the request.",
        RemediationKind::SwitchUser => "Sign in as another user, then repeat the request.",
        RemediationKind::RegisterCustomDomain => {
            "Register a domain of your own first, then repeat the request."
        }
        RemediationKind::None(NoneReason::NoPublicEquivalentExists) => {
            "There is nothing you can do: no public operation does this."
        }
        RemediationKind::None(NoneReason::AuthRequiredForSafety) => {
            "A person has to sign in; a program must not work around it."
        }
        RemediationKind::None(NoneReason::NotYetImplemented) => {
            "There is nothing you can do yet: this is not implemented."
        }
    }
}

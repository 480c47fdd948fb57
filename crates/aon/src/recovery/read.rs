//! From the wire to what was seen: envelopes of every surface, plain RFC 9457, plain text, bare statuses.

use aon_core::{Json, ProblemDetails};
use serde_json::Value;

use super::Seen;
use crate::surface::Surface as _;
use crate::surface::a2a::{A2a, Profile};
use crate::surface::mcp::{self, Mcp};

/// Texts of a server longer than this are cut: nothing in them is a fault of an argument.
const LONGEST_TEXT: usize = 4096;

impl Seen {
    /// A response with an error status: its headers, names in lower case, and its body.
    pub fn rest<'a>(
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: &[u8],
    ) -> Self {
        let mut seen = Self {
            status: Some(status),
            ..Self::default()
        };
        seen.read_headers(headers);
        match ProblemDetails::from_slice(body) {
            Ok(problem) if says_something(&problem) => seen.set_problem(problem, None),
            _ => seen.text = text_in(body),
        }
        seen
    }

    /// An MCP response or bare tool result; `None` when it is not a failure.
    pub fn mcp(wire: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(wire).ok()?;
        let mut seen = Self::default();
        let carries = if let Some(error) = value.get("error").filter(|error| error.is_object()) {
            let number = error.get("code").and_then(Value::as_i64);
            seen.status = number.map(status_of_number);
            seen.text = text_of(error.get("message"));
            error.get("data").is_some_and(Value::is_object)
        } else {
            let result = value.get("result").unwrap_or(&value);
            if result.get("isError") != Some(&Value::Bool(true)) {
                return None;
            }
            let blocks = result.get("content").and_then(Value::as_array);
            let first = blocks.and_then(|blocks| blocks.iter().find_map(|block| block.get("text")));
            seen.text = text_of(first);
            true
        };
        let envelope = std::str::from_utf8(wire).ok().and_then(mcp::find);
        let envelope = envelope.filter(|_| carries);
        let envelope = envelope.and_then(|found| serde_json::from_str::<Value>(&found).ok());
        if let Some(envelope) = &envelope
            && let Ok(problem) = Mcp::default().recover(wire)
        {
            seen.corrected = envelope.get("corrected_args").cloned();
            seen.set_problem(problem, Some(envelope));
        } else if let Some(text) = &seen.text
            && let Ok(problem) = ProblemDetails::from_slice(text.as_bytes())
            && says_something(&problem)
        {
            seen.set_problem(problem, None);
        }
        Some(seen)
    }

    /// A JSON-RPC response of an A2A agent, with the status and headers it came with; `None` when it is not a failure.
    pub fn a2a<'a>(
        status: u16,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: &[u8],
    ) -> Option<Self> {
        let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let error = value.get("error").filter(|error| error.is_object());
        if error.is_none() && status < 400 {
            return None;
        }
        let mut seen = Self {
            status: (status >= 400).then_some(status),
            ..Self::default()
        };
        seen.read_headers(headers);
        let Some(error) = error else {
            seen.text = text_in(body);
            return Some(seen);
        };
        seen.text = text_of(error.get("message"));
        let data = error.get("data");
        let entries: Vec<&Value> = match data {
            Some(Value::Array(entries)) => entries.iter().collect(),
            Some(data) => vec![data],
            None => Vec::new(),
        };
        let ours = entries.into_iter().find(|entry| is_rich(entry));
        let corrected = ours.and_then(|ours| ours.get("corrected_params"));
        seen.corrected = corrected.cloned();
        if let Ok(problem) = A2a::new(Profile::A2A_1_0).recover(body) {
            if data.is_some() {
                seen.set_problem(problem, ours);
                seen.envelope = ours.is_some();
            } else if seen.status.is_none() {
                // A bare number tells a status, and no more than that.
                seen.status = problem.status().map(aon_core::Status::as_u16);
            }
        }
        Some(seen)
    }

    fn set_problem(&mut self, problem: ProblemDetails, envelope: Option<&Value>) {
        self.envelope = problem.code().is_some()
            || problem.remediation().is_some()
            || !problem.valid_values().is_empty()
            || envelope.is_some_and(is_rich);
        if let Some(detail) = problem.detail() {
            self.text = Some(detail.to_owned());
        }
        let told = problem.extensions().get("corrected").map(Json::to_value);
        self.corrected = self.corrected.take().or(told);
        self.problem = Some(problem);
    }

    fn read_headers<'a>(&mut self, headers: impl IntoIterator<Item = (&'a str, &'a str)>) {
        for (name, value) in headers {
            match name {
                "retry-after" => {
                    let digits = value.trim();
                    let is_number =
                        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                    // More than can be counted is longer than anybody waits.
                    let seconds = digits.parse::<u64>().unwrap_or(u64::MAX);
                    self.delay = is_number.then(|| seconds.saturating_mul(1000));
                }
                "www-authenticate" => self.challenge = Some(value.to_owned()),
                _ => {}
            }
        }
    }
}

/// The status a number of JSON-RPC stands for.
fn status_of_number(number: i64) -> u16 {
    match number {
        -32_602 => 422,
        -32_601 => 404,
        -32_700 | -32_600 => 400,
        _ => 500,
    }
}

fn says_something(problem: &ProblemDetails) -> bool {
    problem.status().is_some()
        || problem.code().is_some()
        || problem.title().is_some()
        || problem.detail().is_some()
}

/// Whether an object says more than RFC 9457 alone.
fn is_rich(value: &Value) -> bool {
    [
        "schema",
        "valid_values",
        "remediation",
        "machine_hints",
        "code",
    ]
    .iter()
    .any(|name| value.get(name).is_some())
}

fn text_of(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    Some(cut(text).to_owned())
}

/// Words in a body that is not a problem: the text itself, or the usual members of an error object.
fn text_in(body: &[u8]) -> Option<String> {
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        let places = [
            "/message",
            "/error/message",
            "/error",
            "/detail",
            "/error_description",
        ];
        let found = places
            .iter()
            .find_map(|place| value.pointer(place)?.as_str());
        return found.map(|text| cut(text).to_owned());
    }
    let text = String::from_utf8_lossy(body);
    let text = cut(text.trim());
    (!text.is_empty()).then(|| text.to_owned())
}

fn cut(text: &str) -> &str {
    match text.char_indices().find(|(at, _)| *at >= LONGEST_TEXT) {
        Some((at, _)) => text.get(..at).unwrap_or_default(),
        None => text,
    }
}

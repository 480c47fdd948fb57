//! A request held against its operation: the arguments it gives, and what is wrong with them.

use aon::ProblemDetails;
use aon::arguments::{self, Fault};
use aon_manifest::model::Location;
use http::request::Parts;
use serde_json::{Map, Value, json};

use super::document::{Operation, Parameter};
use crate::proxy::judge;

/// What a request gives.
#[derive(Debug)]
pub(super) struct Given {
    /// Everything by name, as the arguments of one call.
    pub(super) arguments: Value,
    pub(super) faults: Vec<Fault>,
}

impl Given {
    /// The parameters of a request; `path` is as the document writes it.
    pub(super) fn of(operation: &Operation, parts: &Parts, path: &str) -> Self {
        let mut arguments = Map::new();
        let query = parts.uri.query().unwrap_or_default();
        for parameter in &operation.parameters {
            let texts: Vec<String> = match parameter.location {
                Location::Path => operation
                    .in_path(path)
                    .filter(|(name, _)| *name == parameter.name)
                    .map(|(_, value)| decoded(value, false))
                    .collect(),
                Location::Query => pairs(query)
                    .filter(|(name, _)| *name == parameter.name)
                    .map(|(_, value)| value)
                    .collect(),
                _ => {
                    let values = parts.headers.get_all(parameter.name.as_str()).iter();
                    let values = values.filter_map(|value| value.to_str().ok());
                    values.map(str::to_owned).collect()
                }
            };
            if let Some(value) = value(parameter, texts) {
                arguments.insert(parameter.name.clone(), value);
            }
        }
        let arguments = Value::Object(arguments);
        Self {
            faults: arguments::check(&arguments, &operation.schema),
            arguments,
        }
    }

    /// With a body of JSON.
    pub(super) fn with_body(
        mut self,
        schema: &Value,
        bytes: &[u8],
    ) -> Result<Self, ProblemDetails> {
        let body: Value = match serde_json::from_slice(bytes) {
            Ok(body) => body,
            Err(error) => {
                let place = format!(
                    "The body is not valid JSON: it breaks off or goes wrong at line {}, column {}.",
                    error.line(),
                    error.column()
                );
                return Err(judge::problem(400, "invalid_body").with_detail(place));
            }
        };
        self.faults.extend(arguments::check(&body, schema));
        if let (Value::Object(all), Value::Object(body)) = (&mut self.arguments, body) {
            for (name, value) in body {
                all.entry(name).or_insert(value);
            }
        }
        Ok(self)
    }
}

/// The value that texts stand for.
fn value(parameter: &Parameter, texts: Vec<String>) -> Option<Value> {
    let is_array = parameter.kinds.iter().any(|kind| kind == "array");
    if !is_array {
        // Where a name comes several times, each server reads another one.
        return texts.first().map(|text| scalar(&parameter.kinds, text));
    }
    if texts.is_empty() {
        return None;
    }
    let texts: Vec<String> = match parameter.separator {
        Some(separator) => texts
            .iter()
            .flat_map(|text| text.split(separator))
            .map(|text| text.trim().to_owned())
            .collect(),
        None => texts,
    };
    let items = texts.iter().map(|text| scalar(&parameter.of_items, text));
    Some(Value::Array(items.collect()))
}

/// A text as the kind of value that is asked for. One that is not of that kind stays a text, which is what is wrong with it.
fn scalar(kinds: &[String], text: &str) -> Value {
    let takes = |kind: &str| kinds.iter().any(|own| own == kind);
    if (takes("integer") || takes("number"))
        && let Ok(Value::Number(number)) = serde_json::from_str(text)
    {
        return Value::Number(number);
    }
    match text {
        "true" | "false" if takes("boolean") => json!(text == "true"),
        _ => json!(text),
    }
}

/// Names and values of a query.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name, true), decoded(value, true))
        })
}

/// A text without its percent signs.
fn decoded(text: &str, plus: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = bytes
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (hex, *byte) {
            (Some(value), _) => {
                out.push(value);
                at += 2;
            }
            (None, b'+') if plus => out.push(b' '),
            (None, byte) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

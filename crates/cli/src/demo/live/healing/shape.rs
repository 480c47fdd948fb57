//! What the members of a payload have to look like, as a script says it.

use aon::{Choice, ChoiceValue, ProblemDetails, arguments};
use regex_lite::Regex;
use serde_json::{Map, Value, json};

/// The members by name.
#[derive(Debug, Default)]
pub(super) struct Shape {
    schema: Value,
    patterns: Vec<(String, Regex)>,
}

/// The longest pattern.
const LONGEST: usize = 1000;

impl Shape {
    /// Reads `{"userId": {"pattern": "^u[0-9]+$"}}`; what JSON Schema says about types, enums and limits counts too. Where it
    /// cannot be read, the name of the member and why.
    pub(super) fn read(members: &Map<String, Value>) -> Result<Self, (String, String)> {
        let mut patterns = Vec::new();
        let mut properties = Map::new();
        for (name, wanted) in members {
            let Value::Object(wanted) = wanted else {
                return Err((
                    name.clone(),
                    "what a member has to be is an object".to_owned(),
                ));
            };
            let mut wanted = wanted.clone();
            if let Some(pattern) = wanted.get("pattern") {
                let text = pattern.as_str().filter(|text| text.len() <= LONGEST);
                let pattern = text.and_then(|text| Regex::new(text).ok());
                let Some(pattern) = pattern else {
                    return Err((
                        name.clone(),
                        "pattern is not a regular expression".to_owned(),
                    ));
                };
                patterns.push((name.clone(), pattern));
                wanted.entry("type").or_insert(json!("string"));
            }
            properties.insert(name.clone(), Value::Object(wanted));
        }
        Ok(Self {
            schema: json!({"type": "object", "properties": properties}),
            patterns,
        })
    }

    /// The names of the members.
    pub(super) fn names(&self) -> Vec<String> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.map_or_else(Vec::new, |members| members.keys().cloned().collect())
    }

    /// The members that have to be one of a few values.
    pub(super) fn choices(&self) -> Vec<(String, Vec<Choice>)> {
        let primitive = |value: &Value| match value {
            Value::String(text) => Some(Choice::from(text.clone())),
            Value::Number(number) => Some(Choice::from(ChoiceValue::Number(number.clone()))),
            Value::Bool(value) => Some(Choice::from(*value)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let of = |(name, wanted): (&String, &Value)| {
            let values = wanted.get("enum")?.as_array()?;
            Some((name.clone(), values.iter().filter_map(primitive).collect()))
        };
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().filter_map(of).collect()
    }

    /// Whether a payload looks like that.
    pub(super) fn check(&self, payload: &Value) -> Result<(), ProblemDetails> {
        if self.schema.is_null() {
            return Ok(());
        }
        if let Some(problem) = arguments::problem(&arguments::check(payload, &self.schema)) {
            return Err(problem);
        }
        for (name, pattern) in &self.patterns {
            let text = payload.get(name).and_then(Value::as_str);
            if text.is_some_and(|text| !pattern.is_match(text)) {
                let pointer = format!("/{}", aon::pointer::escape(name));
                let detail = format!("{name} does not match the pattern {}.", pattern.as_str());
                return Err(super::super::script::invalid(&pointer, &detail));
            }
        }
        Ok(())
    }
}

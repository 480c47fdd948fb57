//! JSON Schema of the envelope (feature `schema`).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{Choice, Choices, ProblemDetails};

impl JsonSchema for ProblemDetails {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ProblemDetails")
    }

    fn schema_id() -> Cow<'static, str> {
        Cow::Borrowed("aon_core::ProblemDetails")
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let schema = serde_json::from_str::<serde_json::Value>(include_str!("problem.schema.json"));
        let schema = schema.ok().and_then(|schema| Schema::try_from(schema).ok());
        schema.unwrap_or_default()
    }
}

/// The schema of a closed set: an `enum`, or a `oneOf` of constants where the values have words of their own.
///
/// `#[derive(Choices)]` with `#[choice(schema)]` uses it to implement `JsonSchema`; for a type that has its own, name it in
/// `#[schemars(schema_with = "…")]`.
///
/// # Examples
///
/// ```
/// use aon_core::{Choice, Choices, choices_schema};
///
/// struct Region;
///
/// impl Choices for Region {
///     const NAME: &'static str = "region";
///     const CHOICES: &'static [Choice] =
///         &[Choice::constant("eu", None, None), Choice::constant("us", None, None)];
///     const JSON: &'static str = r#"["eu","us"]"#;
/// }
/// assert_eq!(
///     choices_schema::<Region>().to_value(),
///     serde_json::json!({"type": "string", "enum": ["eu", "us"]})
/// );
/// ```
pub fn choices_schema<T: Choices>() -> Schema {
    let values = || T::CHOICES.iter().map(|choice| choice.value().to_value());
    let mut schema = Schema::default();
    if values().all(|value| value.is_string()) {
        schema.insert("type".to_owned(), "string".into());
    }
    let worded = |choice: &Choice| choice.label().is_some() || choice.description().is_some();
    if !T::CHOICES.iter().any(worded) {
        schema.insert("enum".to_owned(), values().collect());
        return schema;
    }
    let one = |choice: &Choice| {
        let mut one = serde_json::Map::new();
        one.insert("const".to_owned(), choice.value().to_value());
        if let Some(label) = choice.label() {
            one.insert("title".to_owned(), label.into());
        }
        if let Some(description) = choice.description() {
            one.insert("description".to_owned(), description.into());
        }
        serde_json::Value::Object(one)
    };
    schema.insert("oneOf".to_owned(), T::CHOICES.iter().map(one).collect());
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoneReason, RemediationType};

    #[test]
    fn the_schema_knows_every_word_of_the_closed_sets() {
        let schema = schemars::schema_for!(ProblemDetails).to_value();
        let words = |member: &str| {
            let place = format!("/properties/remediation/properties/{member}/enum");
            schema.pointer(&place).cloned().unwrap_or_default()
        };
        let types = RemediationType::ALL.iter().map(|kind| kind.as_str());
        let reasons = NoneReason::ALL.iter().map(|reason| reason.as_str());
        assert_eq!(words("type"), types.collect::<serde_json::Value>());
        assert_eq!(words("reason"), reasons.collect::<serde_json::Value>());
    }
}

//! Closed sets: values, labels, parsing, schema (D2).

use aon::{Choice, Choices, Problem};
use schemars::JsonSchema;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, aon::Choices)]
pub enum AuthUx {
    Hosted,
    Custom,
}

/// The set itself has words; they are not those of a value.
#[derive(Debug, PartialEq, aon::Choices)]
#[choice(schema)]
enum Worded {
    /// Hosted by us.
    ///
    /// Your users see our page.
    Hosted,
    /// Only a label
    HTTPOnly = 7,
    #[choice(rename = "x-custom", label = "Custom", description = "Yours.")]
    Custom,
    Plain,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, aon::Choices)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Renamed {
    VeryLong,
    #[serde(rename = "short", alias = "s")]
    Brief,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    Both,
    #[serde(rename(serialize = "sent"))]
    #[choice(rename = "ours")]
    Ours,
    #[serde(skip)]
    Hidden,
}

#[derive(Debug, serde::Serialize, aon::Choices)]
#[serde(rename_all(serialize = "SCREAMING_SNAKE_CASE"))]
#[choice(schema)]
enum Loud {
    VeryLoud,
}

fn values<T: Choices>() -> Vec<String> {
    T::CHOICES
        .iter()
        .map(|choice| choice.value().to_string())
        .collect()
}

fn json_of<T: Choices>() -> serde_json::Value {
    let written = serde_json::to_value(T::CHOICES).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(T::JSON).unwrap(),
        written
    );
    assert_eq!(T::JSON, serde_json::to_string(T::CHOICES).unwrap());
    written
}

#[test]
fn values_are_snake_case_and_serde_renames_count() {
    assert_eq!(values::<AuthUx>(), ["hosted", "custom"]);
    assert_eq!(
        values::<Worded>(),
        ["hosted", "http_only", "x-custom", "plain"]
    );
    assert_eq!(values::<Renamed>(), ["very-long", "short", "in", "ours"]);
    assert_eq!(values::<Loud>(), ["VERY_LOUD"]);
    assert_eq!(<AuthUx as Choices>::NAME, "auth_ux");
    assert_eq!(AuthUx::ALL, [AuthUx::Hosted, AuthUx::Custom]);
    assert_eq!(AuthUx::Custom.as_str(), "custom");
    assert_eq!(Renamed::Hidden.as_str(), "hidden");
    const WORD: &str = AuthUx::Hosted.as_str();
    assert_eq!(WORD, "hosted");
}

#[test]
fn serde_reads_what_the_choices_say() {
    // Every value that is offered is read by serde as the variant it names, and what is not offered is refused by both.
    let offered = values::<Renamed>();
    assert!(offered.len() > 2, "{offered:?}");
    for value in offered {
        let parsed: Renamed = value.parse().unwrap();
        let read: Renamed = serde_json::from_value(json!(value)).unwrap();
        assert_eq!(read, parsed);
        assert_eq!(parsed.as_str(), value);
    }
    for value in ["VeryLong", "very_long", "Short"] {
        assert!(serde_json::from_value::<Renamed>(json!(value)).is_err());
        assert!(value.parse::<Renamed>().is_err(), "{value}");
    }
}

#[test]
fn doc_comments_are_labels() {
    assert_eq!(json_of::<AuthUx>(), json!(["hosted", "custom"]));
    assert_eq!(
        json_of::<Worded>(),
        json!([
            {"value": "hosted", "label": "Hosted by us", "description": "Your users see our page."},
            {"value": "http_only", "label": "Only a label"},
            {"value": "x-custom", "label": "Custom", "description": "Yours."},
            "plain",
        ])
    );
}

#[test]
fn parsing_is_exact_and_its_error_is_a_problem() {
    for ux in AuthUx::ALL {
        assert_eq!(ux.as_str().parse::<AuthUx>().as_ref(), Ok(ux));
    }
    for (given, meant) in [
        ("Hosted", Some("hosted")),
        ("custm", Some("custom")),
        ("other", None),
        ("", None),
    ] {
        let error = given.parse::<AuthUx>().unwrap_err();
        assert_eq!(error.suggestion(), meant);
        let problem = error.to_problem();
        assert_eq!(
            problem.valid_values().of("auth_ux").map(<[Choice]>::len),
            Some(2)
        );
        let told = problem
            .extensions()
            .get("suggestion")
            .map(|json| json.to_value());
        assert_eq!(told, meant.map(|word| json!(word)));
        assert_eq!(problem.status().map(|status| status.as_u16()), Some(422));
    }
    assert!("hidden".parse::<Renamed>().is_err());
}

#[test]
fn values_become_choices() {
    assert_eq!(Choice::from(AuthUx::Hosted), Choice::new("hosted"));
    assert_eq!(Choice::from(&AuthUx::Custom), Choice::new("custom"));
}

#[test]
fn the_schema_is_the_same_set() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Request {
        loud: Loud,
        #[schemars(schema_with = "auth_ux")]
        ux: AuthUx,
    }

    fn auth_ux(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        aon::choices_schema::<AuthUx>()
    }

    let schema = schemars::schema_for!(Request).to_value();
    assert_eq!(
        schema["properties"],
        json!({
            "loud": {"type": "string", "enum": ["VERY_LOUD"]},
            "ux": {"type": "string", "enum": ["hosted", "custom"]},
        })
    );
    assert_eq!(
        aon::choices_schema::<Worded>().to_value(),
        json!({"type": "string", "oneOf": [
            {"const": "hosted", "title": "Hosted by us", "description": "Your users see our page."},
            {"const": "http_only", "title": "Only a label"},
            {"const": "x-custom", "title": "Custom", "description": "Yours."},
            {"const": "plain"},
        ]})
    );
}

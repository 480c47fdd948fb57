use serde_json::json;

use super::*;
use crate::surface::correct::Correction;

fn words(arguments: &Value, schema: &Value) -> Vec<String> {
    check(arguments, schema)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "minLength": 1},
            "auth_ux": {"$ref": "#/$defs/AuthUx"},
            "seats": {"type": "integer", "minimum": 1, "maximum": 100},
            "size": {"type": ["integer", "null"], "enum": [1, 2, 3, null]},
            "tags": {"type": "array", "items": {"oneOf": [{"const": "a", "description": "first"}, {"const": "b"}]}},
            "nested": {"type": "object", "properties": {"deep": {"anyOf": [{"$ref": "#/$defs/AuthUx"}, {"type": "null"}]}}, "additionalProperties": false}
        },
        "required": ["id", "auth_ux"],
        "$defs": {"AuthUx": {"type": "string", "enum": ["hosted", "custom"]}}
    })
}

#[test]
fn good_arguments_have_no_fault() {
    let good = json!({"id": "p", "auth_ux": "hosted", "seats": 5, "size": null, "tags": ["a", "b"], "nested": {"deep": null}, "other": 1});
    assert_eq!(words(&good, &schema()), Vec::<String>::new());
}

#[test]
fn every_fault_is_found_at_once_with_its_place() {
    let bad = json!({"auth_ux": "Hosted", "seats": "5", "size": 4, "tags": ["a", "c"], "nested": {"deep": "x", "more": 1}});
    assert_eq!(
        words(&bad, &schema()),
        [
            "/id is missing.",
            "/auth_ux must be \"hosted\" or \"custom\".",
            "/nested/deep must be \"hosted\" or \"custom\".",
            "/nested/more is not known here; known are \"deep\".",
            "/seats must be a whole number, not a string.",
            "/size must be 1, 2 or 3.",
            "/tags/1 must be \"a\" or \"b\".",
        ]
    );
    let low = json!({"id": "", "auth_ux": "hosted", "seats": 0});
    assert_eq!(
        words(&low, &schema()),
        [
            "/id must be at least 1 characters long.",
            "/seats must be at least 1."
        ]
    );
}

#[test]
fn arguments_of_another_kind_are_told_so() {
    for other in [json!([]), json!("x"), json!(null), json!(5), json!(true)] {
        let faults = words(&other, &schema());
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with("The value must be an object, not "));
    }
}

#[test]
fn the_problem_leads_to_a_correction() {
    let bad = json!({"id": "p", "auth_ux": "Hosted", "seats": 5});
    let problem = problem(&check(&bad, &schema())).unwrap();
    assert_eq!(problem.code().unwrap().as_str(), "invalid_value");
    assert_eq!(problem.valid_values().of("auth_ux").unwrap().len(), 2);
    let correction = Correction::of(&problem, &json(&bad).unwrap()).unwrap();
    assert_eq!(correction.arguments().to_value()["auth_ux"], "hosted");
}

#[test]
fn choices_keep_the_words_of_the_schema() {
    let faults = check(
        &json!({"id": "p", "auth_ux": "hosted", "tags": ["x"]}),
        &schema(),
    );
    let problem = problem(&faults).unwrap();
    let choices = problem.valid_values().of("tags").unwrap();
    assert_eq!(choices[0].description(), Some("first"));
}

#[test]
fn no_message_repeats_a_value() {
    let secret = "sk_live_very_secret";
    let bad = json!({"id": {secret: secret}, "auth_ux": secret, "seats": secret});
    let problem = problem(&check(&bad, &schema())).unwrap();
    assert!(!problem.to_string().contains(secret));
    for message in [
        "unknown variant `sk_live_very_secret`, expected `a` or `b`",
        "invalid type: string \"sk_live_very_secret\", expected u32 at line 1 column 9",
        "invalid value: string \"sk_live_very_secret\", expected a date",
    ] {
        let fault = Fault::from_serde("/a", message);
        assert!(!fault.to_string().contains(secret), "{fault}");
    }
}

#[test]
fn what_serde_says_is_understood() {
    let cases = [
        ("missing field `id`", "/x/id is missing."),
        (
            "unknown field `idd`, expected `id`",
            "/x/idd is not known here; known are \"id\".",
        ),
        (
            "unknown variant `z`, expected one of `a`, `b`, `c`",
            "/x must be \"a\", \"b\" or \"c\".",
        ),
        (
            "invalid type: string \"5\", expected u32",
            "/x must be a whole number from 0 to 4294967295, not a string.",
        ),
        (
            "invalid value: integer `256`, expected u8",
            "/x must be a whole number from 0 to 255.",
        ),
        (
            "invalid type: string \"5\", expected f64",
            "/x must be a number, not a string.",
        ),
        (
            "invalid type: floating point `1.5`, expected u8",
            "/x must be a whole number from 0 to 255.",
        ),
        ("too late at line 1 column 3", "/x: too late"),
        (
            "no access with Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
            "/x: no access with Bearer [redacted]",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(Fault::from_serde("/x", message).to_string(), expected);
    }
}

#[test]
fn a_word_serde_did_not_take_is_found_where_it_stands_once() {
    let message = "unknown variant `x`, expected `a` or `b`";
    let place = |arguments: Value| {
        Fault::from_message(&arguments, message)
            .pointer()
            .to_owned()
    };
    assert_eq!(place(json!({"p": [{"q": "x"}], "r": "y"})), "/p/0/q");
    assert_eq!(place(json!({"p": "x", "r": "x"})), "");
    assert_eq!(place(json!({"p": "y"})), "");
}

#[test]
fn hostile_schemas_and_values_end() {
    let cyclic = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    assert_eq!(words(&json!({}), &cyclic), Vec::<String>::new());
    let tree = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({"a": deep});
    }
    assert!(words(&deep, &tree).len() <= 1);
    // Every branch of every level would be looked at, without a limit.
    let branching = json!({"anyOf": [{"properties": {"a": {"$ref": "#"}, "b": {"type": "string"}}}, {"properties": {"a": {"$ref": "#"}, "b": {"type": "null"}}}]});
    let mut deep = json!({"b": 1});
    for _ in 0..50 {
        deep = json!({"a": deep, "b": 1});
    }
    assert!(words(&deep, &branching).len() <= 32);
    let many: Value = (0..1000)
        .map(|n| (format!("x{n}"), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert_eq!(
        words(&many, &json!({"additionalProperties": false})).len(),
        32
    );
}

#[test]
fn a_wrong_tag_names_every_branch() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "card"}, "last4": {"type": "string"}}, "required": ["kind", "last4"]},
        {"type": "object", "properties": {"kind": {"const": "invoice"}, "days": {"type": "integer"}}, "required": ["kind", "days"]},
    ]});
    let faults = check(&json!({"kind": "invoic", "days": 3}), &schema);
    let problem = problem(&faults).unwrap();
    assert_eq!(
        problem.detail(),
        Some(r#"/kind must be "card" or "invoice"."#)
    );
    let right = check(&json!({"kind": "invoice", "days": "x"}), &schema);
    assert_eq!(right.len(), 1);
    assert_eq!(right[0].pointer(), "/days");
}

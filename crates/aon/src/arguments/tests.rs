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
            "/nested/more is not a known field; known fields: \"deep\".",
            "/seats must be a whole number from 1 to 100, not a string.",
            "/size must be 1, 2 or 3.",
            "/tags/1 must be \"a\" or \"b\".",
        ]
    );
    let low = json!({"id": "", "auth_ux": "hosted", "seats": 0});
    assert_eq!(
        words(&low, &schema()),
        [
            "/id must be at least 1 character long.",
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
    let correction = Correction::of(&problem, &aon_core::Json::of(&bad).unwrap()).unwrap();
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
            "/x/idd is not a known field; known fields: \"id\".",
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
            "/x must be at most 255.",
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

/// What schemars makes of an enum with data, of one with a tag inside, and of one without a tag.
fn alternatives() -> Value {
    json!({
        "properties": {
            "shape": {"oneOf": [
                {"const": "point", "description": "nothing but a place"},
                {"type": "string", "enum": ["line", "plane"]},
                {"type": "object", "properties": {"circle": {"type": "object", "properties": {"radius": {"type": "number"}}, "required": ["radius"]}}, "required": ["circle"], "additionalProperties": false},
                {"type": "object", "properties": {"poly": {"type": "array", "items": {"type": "integer"}}}, "required": ["poly"], "additionalProperties": false},
            ]},
            "pay": {"anyOf": [{"$ref": "#/$defs/Pay"}, {"type": "null"}]},
            "who": {"anyOf": [
                {"type": "integer", "format": "uint64", "minimum": 0},
                {"type": "object", "properties": {"name": {"type": "string"}, "ux": {"enum": ["hosted", "custom"]}}, "required": ["name", "ux"]},
            ]},
        },
        "$defs": {"Pay": {"oneOf": [
            {"type": "object", "properties": {"type": {"const": "card"}, "number": {"type": "string"}}, "required": ["type", "number"]},
            {"type": "object", "properties": {"type": {"const": "bank"}, "iban": {"type": "string"}, "speed": {"enum": ["slow", "fast"]}}, "required": ["type", "iban", "speed"]},
            {"type": "object", "properties": {"type": {"const": "cash"}}, "required": ["type"]},
        ]}},
    })
}

#[test]
fn of_several_forms_the_one_that_was_meant_tells() {
    let cases = [
        (
            json!({"shape": "Point"}),
            r#"/shape must be "point", "line" or "plane"."#,
        ),
        (
            json!({"shape": 5}),
            "/shape must be a string or an object, not an integer.",
        ),
        (
            json!({"shape": {"circle": {"radius": "2"}}}),
            "/shape/circle/radius must be a number, not a string.",
        ),
        (
            json!({"shape": {"cirlce": {}}}),
            r#"/shape/cirlce is not a known field; known fields: "circle" and "poly"."#,
        ),
        (
            json!({"shape": {"poly": [1, 2.5]}}),
            "/shape/poly/1 must be a whole number.",
        ),
        (
            json!({"pay": {"type": "cards", "number": "1"}}),
            r#"/pay/type must be "card", "bank" or "cash"."#,
        ),
        (
            json!({"pay": {"number": "1"}}),
            r#"/pay/type is missing; it must be "card", "bank" or "cash"."#,
        ),
        (
            json!({"pay": {"type": "bank", "speed": "Fast"}}),
            r#"/pay/iban is missing. /pay/speed must be "slow" or "fast"."#,
        ),
        (
            json!({"pay": {"type": "card", "number": 1}}),
            "/pay/number must be a string, not an integer.",
        ),
        (
            json!({"pay": "card"}),
            "/pay must be an object, not a string.",
        ),
        (
            json!({"who": "x"}),
            "/who must be a whole number from 0 to 18446744073709551615 or an object, not a string.",
        ),
        (json!({"who": -4}), "/who must be at least 0."),
        (
            json!({"who": {"name": "x"}}),
            r#"/who/ux is missing; it must be "hosted" or "custom"."#,
        ),
        (
            json!({"who": {"name": "x", "ux": "Hosted"}}),
            r#"/who/ux must be "hosted" or "custom"."#,
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(
            words(&given, &alternatives()).join(" "),
            expected,
            "{given}"
        );
    }
    for good in [
        json!({"shape": "line", "pay": null, "who": 3}),
        json!({"shape": {"circle": {"radius": 2}}, "pay": {"type": "cash"}}),
    ] {
        assert_eq!(words(&good, &alternatives()), Vec::<String>::new());
    }
}

#[test]
fn a_value_serde_did_not_take_is_found_by_what_it_is() {
    let place = |arguments: Value, message: &str| {
        Fault::from_message(&arguments, message)
            .pointer()
            .to_owned()
    };
    let text = "invalid type: string \"tr\\\"ue\", expected a boolean";
    assert_eq!(place(json!({"a": {"b": "tr\"ue"}, "c": "x"}), text), "/a/b");
    let number = "invalid value: integer `-1`, expected u32";
    assert_eq!(place(json!({"a": [-1], "b": 1}), number), "/a/0");
    assert_eq!(place(json!({"a": -1, "b": -1}), number), "");
    let fraction = "invalid type: floating point `2.0`, expected u32";
    assert_eq!(place(json!({"a": 2.0, "b": 2}), fraction), "/a");
    let null = "invalid type: null, expected f32";
    assert_eq!(place(json!({"a": null}), null), "/a");
    // The whole may be what is refused.
    let map = "invalid type: map, expected a tuple of size 2";
    assert_eq!(place(json!({"a": {}}), map), "");
}

#[cfg(feature = "jsonrpsee")]
#[test]
fn what_was_read_last_tells_the_place() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Ux {
        Hosted,
        Custom,
    }
    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its reading is looked at")]
        ux: Ux,
        #[expect(dead_code, reason = "only its reading is looked at")]
        seats: u8,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Outer {
        #[expect(dead_code, reason = "only its reading is looked at")]
        all: Vec<Inner>,
        #[expect(dead_code, reason = "only its reading is looked at")]
        on: bool,
    }

    for (text, expected) in [
        (
            r#"{"all":[{"ux":"hosted","seats":1},{"ux":"Custom","seats":1}],"on":true}"#,
            "/all/1/ux",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":1},{"ux":3,"seats":1}],"on":true}"#,
            "/all/1/ux",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":1},{"ux":"custom"}],"on":true}"#,
            "/all/1/seats",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":1},{}],"on":true}"#,
            "/all/1/ux",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":"1"}],"on":"1"}"#,
            "/all/0/seats",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":300}],"on":true}"#,
            "/all/0/seats",
        ),
        (
            r#"{"all":[{"ux":"hosted","seats":1,"more":[{"x":1}]}],"on":true}"#,
            "/all/0/more",
        ),
        (r#"{"all":{"ux":"hosted"},"on":true}"#, "/all"),
        (
            r#"{"all": [ {"ux":"hosted","seats":[1]}],"on":true}"#,
            "/all/0/seats",
        ),
        (r#"{ "all" : [ ] , "on" : null }"#, "/on"),
        (r#"{"all":[]}"#, "/on"),
        ("{}", "/all"),
    ] {
        let error = serde_json::from_str::<Outer>(text).unwrap_err().to_string();
        assert_eq!(
            Fault::from_text(text, &error).pointer(),
            expected,
            "{error}"
        );
    }
}

#[test]
fn numbers_and_booleans_in_texts_are_corrected_within_their_limits() {
    let schema = json!({"properties": {
        "seats": {"type": "integer", "minimum": 1, "maximum": 100},
        "port": {"type": "integer", "format": "uint16", "minimum": 0},
        "ratio": {"type": ["number", "null"]},
        "on": {"type": "boolean"},
        "name": {"type": "string"},
    }});
    for (given, expected) in [
        (json!({"seats": "5"}), Some(json!({"seats": 5}))),
        (json!({"seats": " 100 "}), Some(json!({"seats": 100}))),
        (json!({"seats": "101"}), None),
        (json!({"seats": "-5"}), None),
        (json!({"seats": "5.5"}), None),
        (json!({"seats": "five"}), None),
        (json!({"seats": ""}), None),
        (json!({"seats": "0x5"}), None),
        (json!({"seats": 2.0}), Some(json!({"seats": 2}))),
        (json!({"seats": 2.5}), None),
        (json!({"seats": 101}), None),
        (json!({"seats": true}), None),
        (json!({"port": "65535"}), Some(json!({"port": 65535}))),
        (json!({"port": "65536"}), None),
        (json!({"ratio": "1.5"}), Some(json!({"ratio": 1.5}))),
        (json!({"ratio": "NaN"}), None),
        (json!({"on": "True"}), Some(json!({"on": true}))),
        (json!({"on": " false"}), Some(json!({"on": false}))),
        (json!({"on": "yes"}), None),
        (json!({"on": 1}), None),
        (json!({"on": null}), None),
        (json!({"name": 5}), None),
        (json!({"seats": "5", "on": "true"}), None),
    ] {
        let faults = super::schema::check(&given, &schema, true);
        let problem = problem(&faults).unwrap();
        let correction = Correction::of(&problem, &aon_core::Json::of(&given).unwrap());
        let corrected = correction.map(|correction| correction.arguments().to_value());
        assert_eq!(corrected, expected, "{given}");
    }
}

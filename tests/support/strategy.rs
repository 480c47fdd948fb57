//! Random problems: everything a reader can keep, not only what a program would write.

use aon_core::{NoneReason, ProblemDetails, RemediationType};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A problem with any subset of members, kept by the lenient reader.
pub fn problem() -> impl Strategy<Value = ProblemDetails> {
    document().prop_map(|document| {
        ProblemDetails::from_slice(document.to_string().as_bytes())
            .expect("a JSON object within the limits is a problem")
    })
}

/// The JSON of a problem, valid member by member.
pub fn document() -> impl Strategy<Value = Value> {
    let standard = (
        prop::option::of(uri()),
        prop::option::of(text()),
        prop::option::of(400..600_u16),
        prop::option::of(text()),
        prop::option::of(uri()),
        prop::option::of("[a-z][a-z0-9_]{0,20}"),
        prop::option::of("[A-Za-z0-9._:-]{1,40}"),
    );
    let ours = (
        prop::option::of(valid_values()),
        prop::option::of(remediation()),
        prop::option::of("https://[a-z]{1,8}\\.example/[a-z/]{0,12}(#[a-z-]{1,8})?"),
        prop::option::of("[A-Za-z0-9_.-]{1,30}"),
        prop::option::of("[A-Za-z0-9_./-]{1,30}"),
        prop::collection::vec((name(), value()), 0..5),
    );
    (standard, ours).prop_map(|(standard, ours)| {
        let (type_uri, title, status, detail, instance, code, request_id) = standard;
        let (valid_values, remediation, docs_url, mcp_tool, a2a_skill, extensions) = ours;
        let mut members = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        put("type", type_uri.map(Value::from));
        put("title", title.map(Value::from));
        put("status", status.map(Value::from));
        put("detail", detail.map(Value::from));
        put("instance", instance.map(Value::from));
        put("code", code.map(Value::from));
        put("request_id", request_id.map(Value::from));
        put("valid_values", valid_values);
        put("remediation", remediation);
        put("docs_url", docs_url.map(Value::from));
        put("mcp_tool", mcp_tool.map(Value::from));
        put("a2a_skill", a2a_skill.map(Value::from));
        for (name, value) in extensions {
            if !aon_core::STANDARD_MEMBERS.contains(&name.as_str()) {
                put(&name, Some(value));
            }
        }
        Value::Object(members)
    })
}

/// Any JSON, a few levels deep.
pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Text with everything text can have.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,40}",
        any::<String>(),
        Just("</script><b>\u{0}\u{7f}\u{202e}\u{200b}\"\\\r\n\t".to_owned()),
        "[\\PC]{0,20}",
    ]
}

fn uri() -> impl Strategy<Value = String> {
    prop_oneof![
        "https://[a-z]{1,8}\\.example/[a-z0-9/]{0,12}(#[a-z-]{1,8})?",
        "urn:[a-z]{2,8}:[a-z0-9:]{1,12}",
        "tag:[a-z]{1,8}\\.example,2026:[a-z]{1,8}",
        "/[a-z0-9/]{0,12}(\\?[a-z]=[0-9])?",
        Just("about:blank".to_owned()),
    ]
}

/// Names of extensions, those the surfaces use themselves among them.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z][a-z0-9_]{2,12}",
        1 => text(),
        1 => prop::sample::select(vec![
            "schema", "surface", "suggested_tools", "suggested_skills", "corrected_args", "corrected_params",
            "machine_hints", "documentation_uri", "extensions", "@type", "kind", "errors", "retry_after", "challenge",
        ]).prop_map(str::to_owned),
    ]
}

fn valid_values() -> impl Strategy<Value = Value> {
    let primitive = prop_oneof![
        text().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from)
    ];
    let choice = (
        primitive,
        prop::option::of(text()),
        prop::option::of(text()),
    )
        .prop_map(|(value, label, description)| {
            if label.is_none() && description.is_none() {
                return value;
            }
            let mut choice = Map::new();
            choice.insert("value".to_owned(), value);
            if let Some(label) = label {
                choice.insert("label".to_owned(), label.into());
            }
            if let Some(description) = description {
                choice.insert("description".to_owned(), description.into());
            }
            Value::Object(choice)
        });
    prop::collection::vec((text(), prop::collection::vec(choice, 0..5)), 1..4).prop_map(|fields| {
        Value::Object(
            fields
                .into_iter()
                .map(|(field, choices)| (field, Value::from(choices)))
                .collect(),
        )
    })
}

fn remediation() -> impl Strategy<Value = Value> {
    let kinds: Vec<(&str, Option<&str>)> = RemediationType::ALL
        .iter()
        .flat_map(|kind| match kind {
            RemediationType::None => NoneReason::ALL
                .iter()
                .map(|reason| (kind.as_str(), Some(reason.as_str())))
                .collect(),
            other => vec![(other.as_str(), None)],
        })
        .collect();
    let action = prop::collection::vec(
        (
            prop::sample::select(vec![
                "endpoint_xri",
                "endpoint_url",
                "required_scope",
                "guide_xri",
                "later_part",
            ]),
            text(),
        ),
        0..4,
    );
    let example = (
        "(GET|POST|PATCH)",
        "/[a-z{}/]{0,16}",
        prop::option::of(value()),
    )
        .prop_map(|(method, path, body)| match body {
            Some(body) => json!({"method": method, "path": path, "body": body}),
            None => json!({"method": method, "path": path}),
        });
    (
        prop::sample::select(kinds),
        prop::option::of(text()),
        prop::option::of(action),
        prop::option::of(example),
        any::<bool>(),
    )
        .prop_map(|((kind, reason), message, action, example, fix)| {
            let mut members = Map::new();
            members.insert("type".to_owned(), kind.into());
            if let Some(reason) = reason {
                members.insert("reason".to_owned(), reason.into());
            }
            if let Some(message) = message {
                members.insert("message".to_owned(), message.into());
            }
            if let Some(action) = action {
                members.insert(
                    "next_action".to_owned(),
                    action
                        .into_iter()
                        .map(|(part, text)| (part.to_owned(), Value::from(text)))
                        .collect(),
                );
            }
            if let Some(example) = example {
                members.insert("example_request".to_owned(), example);
            }
            members.insert("auto_fix_available".to_owned(), fix.into());
            Value::Object(members)
        })
}

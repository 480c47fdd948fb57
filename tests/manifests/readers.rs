//! Every reader on documents put together at random from the words of all formats.

use aon_manifest::{Document, Format, NoFiles, ReadOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words that mean something to at least one reader.
const WORDS: &[&str] = &[
    "$ref",
    "$schema",
    "openapi",
    "swagger",
    "info",
    "title",
    "version",
    "paths",
    "/a/{id}",
    "get",
    "post",
    "parameters",
    "name",
    "in",
    "schema",
    "type",
    "enum",
    "oneOf",
    "anyOf",
    "allOf",
    "items",
    "properties",
    "required",
    "responses",
    "200",
    "404",
    "4XX",
    "default",
    "content",
    "application/problem+json",
    "example",
    "examples",
    "value",
    "requestBody",
    "operations",
    "id",
    "method",
    "path",
    "error_responses",
    "status",
    "code",
    "remediation",
    "next_action",
    "valid_values",
    "mcp",
    "a2a",
    "tool",
    "skill",
    "expose",
    "tools",
    "inputSchema",
    "skills",
    "capabilities",
    "result",
    "components",
    "schemas",
    "A",
    "definitions",
    "slug",
    "x-aon-errors",
    "x-aon-code",
    "choices_endpoint",
    "x-choices-endpoint",
    "const",
    "verify",
    "_meta",
    "aon/errors",
    "webhooks",
    "callbacks",
    "discriminator",
    "propertyName",
    "mapping",
    "$id",
    "$dynamicRef",
    "$dynamicAnchor",
    "servers",
    "url",
    "$anchor",
    "surfaces",
    "self_healing_score",
    "additionalProperties",
    "<<",
];

fn any_document() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        prop::sample::select(WORDS).prop_map(Value::from),
        prop::sample::select(vec![
            "#",
            "#/",
            "#/components/schemas/A",
            "#/definitions/A",
            "#A",
            "b.yaml#/x",
            "../x",
            "http://x",
            "object",
            "string",
            "3.1.0"
        ])
        .prop_map(Value::from),
    ];
    let leaf = prop_oneof![4 => text, 1 => Just(Value::Null), 1 => any::<bool>().prop_map(Value::from), 1 => (0..600i64).prop_map(Value::from)];
    leaf.prop_recursive(7, 120, 8, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            3 => prop::collection::btree_map(prop::sample::select(WORDS), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())),
        ]
    })
}

/// Asks everything the model can be asked.
fn exercise(document: &Document) -> usize {
    let mut asked = 0;
    for api in document.apis() {
        asked += api.slug().len() + api.surfaces().len() + api.schemas().len();
        for usage in api.properties() {
            asked +=
                usize::from(usage.property.is_required()) + usage.property.schema.carriers().len();
            asked += usage.property.schema.all_properties().len();
        }
        for input in api.inputs() {
            asked += input.examples().len() + input.name().len() + usize::from(input.is_required());
            asked += input
                .carriers()
                .iter()
                .map(|carrier| carrier.choices().len() + usize::from(carrier.is_literal()))
                .sum::<usize>();
            asked +=
                input.name_node.pointer().len() + input.description().map_or(0, |text| text.len());
        }
        for operation in api.operations.iter().chain(api.outgoing()) {
            asked += operation.name().len()
                + operation.surfaces().len()
                + operation.anchor.pointer().len();
            for error in &operation.errors {
                asked += usize::from(error.has_envelope())
                    + usize::from(error.has_schema())
                    + error.anchor().pointer().len();
            }
        }
        for operation in &api.operations {
            if let Some(path) = operation.path {
                assert!(api.operation_at(None, &path).is_some());
            }
        }
        for issue in &api.issues {
            asked += issue.to_string().len();
        }
    }
    asked
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_reader_panics_whatever_it_is_given(value in any_document(), format in prop::sample::select(Format::ALL)) {
        let options = ReadOptions::default().with_format(format);
        let text = serde_json::to_string_pretty(&value).unwrap();
        let document = Document::open("a.json", text.clone(), &options, &NoFiles);
        prop_assert_eq!(document.apis().len(), 1);
        exercise(&document);
        exercise(&Document::from_text("a.yaml", &text));
    }

    #[test]
    fn order_of_members_does_not_change_what_is_found(value in any_document()) {
        let mut wrapped = json!({"openapi": "3.1.0", "paths": {"/a": {"post": {"operationId": "x"}}}});
        wrapped["paths"]["/a"]["post"]["requestBody"] = json!({"content": {"application/json": {"schema": value}}});
        let forward = Document::from_text("a.json", &wrapped.to_string());
        let reversed = Document::from_text("a.json", &reverse(&wrapped));
        let names = |document: &Document| -> Vec<String> {
            let mut names: Vec<_> = document.apis()[0].inputs().iter().map(|input| format!("{} {}", input.node.pointer(), input.carriers().len())).collect();
            names.sort();
            names
        };
        prop_assert_eq!(names(&forward), names(&reversed));
    }
}

/// The same value with the members of every object in reverse order.
fn reverse(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .rev()
                .map(|(key, value)| format!("{}: {}", json!(key), reverse(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(reverse).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

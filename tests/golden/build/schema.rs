//! JSON Schema validators on everything that is or holds a schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{all_built, outputs};

#[test]
fn json_schemas_are_valid_and_accept_their_examples() {
    let (mut built, mut examples, mut types) = (BTreeSet::new(), 0, 0);
    for output in outputs("json-schema") {
        for (file, text) in &output.files {
            let name = format!("{}: {file}", output.case);
            let schema: Value = serde_json::from_str(text).unwrap();
            jsonschema::draft202012::meta::validate(&schema)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            for (definition, inner) in sampled(schema["$defs"].as_object().unwrap()) {
                let mut whole = schema.clone();
                whole["$ref"] = Value::from(format!("#/$defs/{definition}"));
                let validator = jsonschema::draft202012::new(&whole)
                    .unwrap_or_else(|error| panic!("{name}: {definition}: {error}"));
                types += 1;
                for example in inner["examples"].as_array().into_iter().flatten() {
                    assert!(
                        validator.is_valid(example),
                        "{name}: {definition} refuses its own example {example}"
                    );
                    examples += 1;
                }
            }
            built.insert((output.case.clone(), file.clone()));
        }
    }
    assert!(
        types > 100 && examples > 20,
        "{types} types, {examples} examples"
    );
    all_built("json-schema", &built);
}

#[test]
fn the_schemas_of_tools_are_valid_and_accept_errors() {
    let error =
        serde_json::json!({"error": {"type": "a:b", "title": "T", "status": 422, "code": "c"}});
    let (mut inputs, mut outputs_seen) = (0, 0);
    for output in outputs("mcp") {
        let list: Value = serde_json::from_str(&output.files["tools.json"]).unwrap();
        for tool in list["tools"].as_array().unwrap() {
            let name = format!("{}: {}", output.case, tool["name"]);
            let input = &tool["inputSchema"];
            assert_eq!(input["type"], "object", "{name}");
            jsonschema::draft202012::meta::validate(input)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            jsonschema::draft202012::new(input).unwrap_or_else(|error| panic!("{name}: {error}"));
            inputs += 1;
            if let Some(schema) = tool.get("outputSchema") {
                assert_eq!(schema["type"], "object", "{name}");
                let validator = jsonschema::draft202012::new(schema)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(
                    validator.is_valid(&error),
                    "{name}: the output schema refuses an error"
                );
                assert!(
                    !validator.is_valid(&serde_json::json!(5)),
                    "{name}: the output schema accepts everything"
                );
                outputs_seen += 1;
            }
        }
    }
    assert!(
        inputs > 300 && outputs_seen > 10,
        "{inputs} inputs, {outputs_seen} outputs"
    );
}

/// All definitions, or some of them where there are so many alike that compiling each with all the others takes minutes.
fn sampled(
    definitions: &serde_json::Map<String, Value>,
) -> impl Iterator<Item = (&String, &Value)> {
    definitions.iter().step_by(1 + definitions.len() / 100)
}

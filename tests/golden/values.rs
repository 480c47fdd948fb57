//! What a schema says about values is checked by what is generated from it: the same table of good and bad values goes through zod
//! on node, pydantic on Python, serde, and the written JSON Schema.

use std::fs;
use std::process::Command;

use aon_tests::place;
use serde_json::Value;

use crate::build::{node, project, run, rust, write};
use crate::cases;

fn table() -> serde_json::Map<String, Value> {
    let text = fs::read_to_string(cases::golden().join("build/values.json")).unwrap();
    match serde_json::from_str(&text).unwrap() {
        Value::Object(table) => table,
        other => panic!("{other}"),
    }
}

fn listed<'v>(values: &'v Value, word: &str) -> &'v [Value] {
    values[word].as_array().unwrap()
}

fn count() -> usize {
    let table = table();
    let all = table
        .values()
        .map(|values| listed(values, "good").len() + listed(values, "bad").len());
    let all = all.sum();
    assert!(all > 100, "the table has only {all} values");
    all
}

#[test]
fn zod_takes_the_good_values_and_refuses_the_bad_ones() {
    let Some(tools) = place::tools("typescript", "node/node_modules/typescript") else {
        return;
    };
    let folder = project("values-typescript");
    let golden = cases::golden().join("values/typescript");
    for file in cases::files_below(&golden) {
        let name = file.file_name().unwrap();
        write(&folder.join(name), &fs::read_to_string(&file).unwrap());
    }
    node::settle(&folder, &tools);
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let out = run(
        Command::new("node")
            .arg(cases::golden().join("build/values.mjs"))
            .arg(folder.join("out"))
            .arg(cases::golden().join("build/values.json")),
        "zod",
    );
    assert_eq!(out.trim(), count().to_string());
    println!("golden: zod: {} values", out.trim());
}

#[test]
fn pydantic_takes_the_good_values_and_refuses_the_bad_ones() {
    let Some(tools) = place::tools("python", "venv/bin/python") else {
        return;
    };
    let out = run(
        Command::new(tools.join("venv/bin/python"))
            .arg(cases::golden().join("build/values.py"))
            .arg(cases::golden().join("values/python"))
            .arg(cases::golden().join("build/values.json")),
        "pydantic",
    );
    assert_eq!(out.trim(), count().to_string());
    println!("golden: pydantic: {} values", out.trim());
}

/// Serde checks shapes and not bounds, so only the types that differ in shape are tried.
#[test]
fn serde_takes_the_good_values_and_refuses_the_bad_shapes() {
    let shapes = [
        "Pet",
        "NamedPet",
        "ReachableContact",
        "Either",
        "SmallOrLarge",
        "Tree",
        "Expression",
    ];
    let folder = project("values-rust");
    let (all, _) = rust::crate_of_all("values-rust");
    assert_eq!(all, folder);
    let mut body = String::new();
    let mut tried = 0;
    for (name, values) in table() {
        if !shapes.contains(&name.as_str()) {
            continue;
        }
        for good in listed(&values, "good") {
            body.push_str(&format!("good::<types::{name}>({:?});\n", good.to_string()));
            tried += 1;
        }
        for bad in listed(&values, "bad") {
            if bad["name"] == "" {
                continue;
            }
            body.push_str(&format!("bad::<types::{name}>({:?});\n", bad.to_string()));
            tried += 1;
        }
    }
    assert!(tried > 25);
    let main = format!(
        "use golden::values::api::types;
use serde_json::Value;
fn good<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) {{
    let found: T = serde_json::from_str(text).unwrap_or_else(|error| panic!(\"{{text}}: {{error}}\"));
    let before: Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&found).unwrap(), before);
}}
fn bad<T: serde::de::DeserializeOwned>(text: &str) {{
    assert!(serde_json::from_str::<T>(text).is_err(), \"{{text}} is taken\");
}}
fn main() {{
{body}}}
"
    );
    write(&folder.join("src/main.rs"), &main);
    run(&mut rust::cargo(&folder, "run"), "serde");
    println!("golden: serde: {tried} values");
}

#[test]
fn the_json_schema_takes_the_good_values_and_refuses_the_bad_ones() {
    let text = fs::read_to_string(cases::golden().join("values/json-schema/schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let mut tried = 0;
    for (name, values) in table() {
        let mut whole = schema.clone();
        whole["$ref"] = Value::from(format!("#/$defs/{name}"));
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&whole)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for good in listed(&values, "good") {
            assert!(validator.is_valid(good), "{name} refuses {good}");
            tried += 1;
        }
        for bad in listed(&values, "bad") {
            assert!(!validator.is_valid(bad), "{name} takes {bad}");
            tried += 1;
        }
    }
    assert_eq!(tried, count());
}

//! The generated Rust derives a catalog; as errors of a manifest it says what the manifest said.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use aon_codegen::{Options, Tree, lower};
use aon_core::catalog::Catalog;

use crate::build::{outputs, run, rust, write};
use crate::cases;

/// What a manifest says about an error, by code. `null` values are those only known at run time.
fn errors(api: &aon_codegen::Api) -> BTreeMap<String, String> {
    let all = api.problems.iter().map(|problem| {
        let record = &problem.record;
        let mut json = Tree::object([("status", Tree::from(record.status))]);
        json.set("type", &record.type_uri);
        json.set("title", &record.title);
        for member in [
            "valid_values",
            "remediation",
            "docs_url",
            "mcp_tool",
            "a2a_skill",
        ] {
            json.set_some(member, problem.example.get(member).cloned());
        }
        (record.code.clone(), json.to_pretty())
    });
    all.collect()
}

#[test]
fn the_catalog_of_the_generated_rust_equals_the_errors_of_the_manifest() {
    let (folder, _) = rust::crate_of_all("round-trip");
    let mut main = String::from("fn main() {\n");
    let with_problems: Vec<String> = outputs("rust")
        .iter()
        .filter(|output| output.files["api/problems.rs"].contains("pub enum ApiProblem"))
        .map(|output| output.case.clone())
        .collect();
    for case in &with_problems {
        let _ = writeln!(
            main,
            "    std::fs::write(\"{case}.json\", aon::catalog::Catalog::of::<golden::{case}::api::problems::ApiProblem>().to_json()).unwrap();"
        );
    }
    main.push_str("}\n");
    write(&folder.join("src/main.rs"), &main);
    run(
        &mut rust::cargo(&folder, "run"),
        "the program of generated Rust",
    );
    let mut compared = 0;
    for case in cases::all().into_iter().chain([cases::many()]) {
        let name = case.name.replace('-', "_");
        if !with_problems.contains(&name) {
            continue;
        }
        let catalog =
            Catalog::parse(&fs::read_to_string(folder.join(format!("{name}.json"))).unwrap())
                .unwrap();
        let back = lower(&[], Some(&catalog), &Options::default()).unwrap();
        let (expected, actual) = (errors(&case.api()), errors(&back));
        for (code, expected) in &expected {
            // Negative numbers have no literal in an attribute; they are handed over at run time.
            if code == "bad_level" {
                continue;
            }
            assert_eq!(actual.get(code), Some(expected), "{name}: {code}");
            compared += 1;
        }
        assert_eq!(expected.len(), actual.len(), "{name}");
    }
    assert!(compared > 70, "only {compared} problems were compared");
    println!("golden: round trip: {compared} problems");
}

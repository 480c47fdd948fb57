//! `$ref`: local, across files, round in circles, and where it must not go.

use std::collections::BTreeMap;
use std::io;

use aon_manifest::{Document, IssueKind, NoFiles, ReadOptions};

use crate::kinds;

fn open(entry: &str, files: &[(&str, &str)], options: &ReadOptions) -> Document {
    let files: BTreeMap<String, String> = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    let text = files
        .get(entry)
        .expect("the entry is among the files")
        .clone();
    Document::open(entry, text, options, &files)
}

#[test]
fn references_across_files_end_at_the_right_place() {
    let document = open(
        "spec/api.yaml",
        &[
            (
                "spec/api.yaml",
                "openapi: 3.1.0\npaths:\n  /pets:\n    $ref: paths/pets.yaml#/pets\n",
            ),
            (
                "spec/paths/pets.yaml",
                "pets:\n  get:\n    operationId: list\n    parameters:\n      - $ref: '#/shared/kind'\n    responses:\n      '200':\n        content:\n          application/json:\n            schema: {$ref: ../models/pet.yaml}\nshared:\n  kind: {name: kind, in: query, schema: {$ref: '../models/kind.json#/definitions/Kind'}}\n",
            ),
            (
                "spec/models/pet.yaml",
                "type: object\nproperties:\n  parent: {$ref: '#'}\n  kind: {$ref: './kind.json#/definitions/Kind'}\n",
            ),
            (
                "spec/models/kind.json",
                r#"{"definitions": {"Kind": {"type": "string", "enum": ["cat", "dog"]}}}"#,
            ),
        ],
        &ReadOptions::default(),
    );
    assert!(document.issues().is_empty(), "{:?}", document.issues());
    assert_eq!(document.files().len(), 4);
    let apis = document.apis();
    let operation = &apis[0].operations[0];
    assert_eq!(operation.name(), "list");
    assert_eq!(operation.path.unwrap().as_str(), "/pets");
    let parameter = operation.parameter("kind").unwrap();
    let carriers = parameter.carriers();
    assert_eq!(carriers.len(), 1);
    let file = document.file(carriers[0].node.file()).unwrap();
    assert_eq!(file.source().name(), "spec/models/kind.json");
    assert_eq!(carriers[0].node.pointer(), "/definitions/Kind/enum");
    let properties = apis[0].properties();
    let names: Vec<_> = properties
        .iter()
        .map(|usage| (usage.property.name(), usage.in_request, usage.in_response))
        .collect();
    assert_eq!(names, [("parent", false, true), ("kind", false, true)]);
}

#[test]
fn references_that_lead_nowhere_are_reported_where_they_stand() {
    let schema = |reference: &str| {
        format!(
            "openapi: 3.1.0\npaths: {{}}\ncomponents:\n  schemas:\n    A: {{$ref: '{reference}'}}\n"
        )
    };
    let cases = [
        ("#/components/schemas/Nope", IssueKind::DanglingRef),
        ("#nowhere", IssueKind::DanglingRef),
        ("#/components/schemas/A", IssueKind::CircularRef),
        ("https://example.com/a.json", IssueKind::RefToUrl),
        ("file:///etc/passwd", IssueKind::RefToUrl),
        ("//example.com/a.json", IssueKind::RefToUrl),
        ("../secret.yaml", IssueKind::RefOutsideRoot),
        ("/etc/passwd", IssueKind::RefOutsideRoot),
        ("a/../../secret.yaml#/x", IssueKind::RefOutsideRoot),
        ("%2e%2e/secret.yaml", IssueKind::RefOutsideRoot),
        ("missing.yaml", IssueKind::UnreadableRef),
    ];
    for (reference, expected) in cases {
        let document = Document::open(
            "api.yaml",
            schema(reference),
            &ReadOptions::default(),
            &NoFiles,
        );
        let issues = document.issues();
        assert_eq!(kinds(issues.iter().copied()), [expected], "{reference}");
        assert_eq!(issues[0].start().line, 5, "{reference}");
        let schemas = document.apis()[0].schemas();
        assert_eq!(schemas.len(), 1);
        assert!(schemas[0].1.carriers().is_empty());
    }
}

#[test]
fn a_file_outside_the_root_is_never_asked_for_unless_allowed() {
    let text = "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {A: {$ref: ../shared/a.yaml}}}\n";
    let refuse = |_: &str| -> io::Result<Vec<u8>> { panic!("the loader was asked") };
    let document = Document::open("api/spec.yaml", text, &ReadOptions::default(), &refuse);
    assert_eq!(kinds(document.issues()), [IssueKind::RefOutsideRoot]);
    let files = BTreeMap::from([("shared/a.yaml".to_owned(), "type: string".to_owned())]);
    for options in [
        ReadOptions::default().with_root(""),
        ReadOptions::default().with_outside_root(true),
    ] {
        let document = Document::open("api/spec.yaml", text, &options, &files);
        assert!(document.issues().is_empty(), "{:?}", document.issues());
    }
}

#[test]
fn circles_between_files_are_legal_and_loaded_once() {
    let document = open(
        "a.yaml",
        &[
            (
                "a.yaml",
                "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {A: {properties: {b: {$ref: 'b.yaml'}}}}}\n",
            ),
            (
                "b.yaml",
                "properties: {a: {$ref: 'a.yaml#/components/schemas/A'}, self: {$ref: './b.yaml'}}\n",
            ),
        ],
        &ReadOptions::default(),
    );
    assert!(document.issues().is_empty(), "{:?}", document.issues());
    assert_eq!(document.files().len(), 2);
}

#[test]
fn references_in_examples_mean_nothing() {
    let text = "openapi: 3.1.0\npaths: {}\ncomponents:\n  schemas:\n    A:\n      example: {x: {$ref: '#/nope'}}\n      properties:\n        $ref: {type: string}\n        example: {$ref: '#/really/nope'}\n";
    let document = Document::from_text("a.yaml", text);
    assert_eq!(kinds(document.issues()), [IssueKind::DanglingRef]);
    assert_eq!(document.issues()[0].start().line, 9);
}

#[test]
fn schemas_of_mcp_tools_are_documents_of_their_own() {
    let text = r##"{"tools": [
        {"name": "a", "inputSchema": {"properties": {"mode": {"$ref": "#/$defs/Mode"}}, "$defs": {"Mode": {"enum": ["x", "y"]}}}},
        {"name": "b", "inputSchema": {"properties": {"mode": {"$ref": "#/$defs/Mode"}}, "$defs": {"Mode": {"enum": ["z"]}}}}
    ]}"##;
    let document = Document::from_text("tools.json", text);
    assert!(document.issues().is_empty());
    let apis = document.apis();
    let values = |index: usize| -> Vec<&str> {
        let operation = &apis[0].operations[index];
        operation.parameters[0].carriers()[0]
            .choices()
            .iter()
            .map(|choice| choice.value.text())
            .collect()
    };
    assert_eq!((values(0), values(1)), (vec!["x", "y"], vec!["z"]));
}

#[test]
fn anchors_and_pointers_through_references_resolve() {
    let text = "openapi: 3.1.0\npaths: {}\ncomponents:\n  schemas:\n    A: {$anchor: first, properties: {x: {enum: [1]}}}\n    B: {$ref: '#first'}\n    C: {$ref: '#/components/schemas/B/properties/x'}\n    D: {$ref: '#/components/schemas/%41/properties/x'}\n";
    let document = Document::from_text("a.yaml", text);
    assert!(document.issues().is_empty(), "{:?}", document.issues());
    for name in ["C", "D"] {
        let apis = document.apis();
        let schema = apis[0]
            .schemas()
            .into_iter()
            .find(|(own, _)| own.as_str() == name)
            .unwrap()
            .1;
        assert_eq!(schema.carriers().len(), 1, "{name}");
    }
}

//! Input that cannot be generated from is refused with the places it is about.

use aon_codegen::{LowerError, LowerIssueKind, Options, lower, targets};
use aon_manifest::Document;

fn refuse(name: &str, text: &str) -> LowerError {
    let document = Document::from_text(name, text);
    match lower(&document.apis(), None, &Options::default()) {
        Err(error) => error,
        Ok(api) => panic!(
            "{name} was accepted with {} operations",
            api.operations.len()
        ),
    }
}

#[test]
fn two_operations_of_one_name_get_a_number_and_a_note_with_both_places() {
    let (first, second) = (
        "  - { id: list_pets, method: GET, path: /a }\n",
        "  - { id: listPets, method: GET, path: /b }\n",
    );
    for (text, lines) in [
        (
            format!("{first}{second}"),
            ["4:11 /operations/1", "3:11 /operations/0"],
        ),
        (
            format!("{second}{first}"),
            ["3:11 /operations/0", "4:11 /operations/1"],
        ),
    ] {
        let document = Document::from_text("a.aon.yaml", &format!("slug: a\noperations:\n{text}"));
        let api = lower(&document.apis(), None, &Options::default()).unwrap();
        let names: Vec<(&str, &str)> = api
            .operations
            .iter()
            .map(|operation| (operation.id.as_str(), operation.camel.as_str()))
            .collect();
        assert_eq!(
            names,
            [("listPets", "listPets"), ("list_pets", "listPets2")]
        );
        let [note] = api.notes.as_slice() else {
            panic!("{:?}", api.notes);
        };
        assert_eq!(note.kind, LowerIssueKind::Collision);
        for (place, line) in note.places.iter().zip(lines) {
            assert_eq!(place, &format!("a.aon.yaml:{line}/id"));
        }
        assert!(note.help.contains("aon.toml"), "{note}");
    }
}

#[test]
fn an_id_that_stands_twice_is_reported_with_both_places() {
    let error = refuse(
        "a.aon.yaml",
        "slug: a\noperations:\n  - { id: a, method: GET, path: /a }\n  - { id: a, method: GET, path: /b }\n",
    );
    assert_eq!(error.issues()[0].kind, LowerIssueKind::Collision);
    assert_eq!(error.issues()[0].places.len(), 2);
}

#[test]
fn schemas_of_one_name_get_a_number_and_a_note_whatever_their_order() {
    let schemas = [
        "    nullTime: {type: string}\n",
        "    NullTime: {type: string, nullable: true}\n",
        "    NullTime2: {type: integer}\n",
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let list: String = order.iter().map(|at| schemas[*at]).collect();
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{list}"
        );
        let document = Document::from_text("a.yaml", &text);
        let api = lower(&document.apis(), None, &Options::default()).unwrap();
        let names: Vec<(&str, &str)> = api
            .types
            .iter()
            .filter_map(|definition| Some((definition.wire.as_deref()?, definition.name.as_str())))
            .collect();
        // The one that is spelled that way keeps the name, and the number is one that nobody has.
        assert_eq!(
            names,
            [
                ("NullTime", "NullTime"),
                ("NullTime2", "NullTime2"),
                ("nullTime", "NullTime3")
            ]
        );
        assert_eq!(api.notes.len(), 1, "{:?}", api.notes);
        assert_eq!(api.notes[0].places.len(), 2, "{}", api.notes[0]);
    }
}

#[test]
fn a_manifest_that_leaves_the_type_out_means_that_of_the_catalog() {
    let catalog = r#"{"version": 1, "problems": [
        {"code": "gone", "status": 410, "type": "parcel://problem/gone", "title": "Gone",
         "origin": {"package": "parcel", "type": "Error", "variant": "Gone"}}]}"#;
    let catalog = aon_core::catalog::Catalog::parse(catalog).unwrap();
    let manifest = |more: &str| {
        let text = format!(
            "slug: a\noperations:\n  - {{ id: a, method: GET, path: /a, error_responses: [{{status: 410, code: gone{more}}}, {{status: 409, code: busy}}] }}\n"
        );
        let document = Document::from_text("a.aon.yaml", &text);
        lower(&document.apis(), Some(&catalog), &Options::default())
    };
    let api = manifest("").unwrap();
    let types: Vec<&str> = api
        .problems
        .iter()
        .map(|problem| problem.record.type_uri.as_str())
        .collect();
    assert_eq!(types, ["parcel://problem/busy", "parcel://problem/gone"]);
    // One that says something else still contradicts.
    let error = manifest(", type: 'https://a.example/gone'").err().unwrap();
    assert_eq!(error.issues()[0].kind, LowerIssueKind::Collision, "{error}");
}

#[test]
fn one_code_with_two_statuses_is_reported_with_both_places() {
    let error = refuse(
        "a.aon.yaml",
        "slug: a
operations:
  - { id: a, method: GET, path: /a, error_responses: [{status: 404, code: gone}] }
  - { id: b, method: GET, path: /b, error_responses: [{status: 410, code: gone}] }
",
    );
    let issue = &error.issues()[0];
    assert_eq!(
        (issue.kind, issue.places.len()),
        (LowerIssueKind::Collision, 2)
    );
    assert!(
        issue.message.contains("404") && issue.message.contains("410"),
        "{issue}"
    );
}

#[test]
fn two_operations_of_one_method_and_path_are_refused_where_they_have_no_place() {
    let text = "slug: a\noperations:\n  - { id: list, method: GET, path: /pets }\n  - { id: find, method: GET, path: /pets }\n";
    let document = Document::from_text("a.aon.yaml", text);
    let api = lower(&document.apis(), None, &Options::default()).unwrap();
    for target in targets() {
        let refused = !target.refusals(&api).is_empty();
        assert_eq!(
            refused,
            target.name().starts_with("openapi"),
            "{}",
            target.name()
        );
    }
    let [issue] = api.shared_routes.as_slice() else {
        panic!("{:?}", api.shared_routes);
    };
    assert_eq!(issue.kind, LowerIssueKind::Collision);
    assert!(
        issue.places[0].starts_with("a.aon.yaml:4:")
            && issue.places[1].starts_with("a.aon.yaml:3:"),
        "{issue}"
    );
    assert!(issue.message.contains("`GET /pets`"), "{issue}");
}

#[test]
fn two_documents_that_contradict_each_other_are_reported_with_both_places() {
    let (a, b) = (
        Document::from_text(
            "a.aon.yaml",
            "slug: a\noperations:\n  - { id: list, method: GET, path: /pets }\n",
        ),
        Document::from_text(
            "b.yaml",
            "openapi: 3.1.0\nx-aon-api: a\ninfo: {title: A, version: '1'}\npaths:\n  /cats:\n    get:\n      operationId: list\n      responses: {}\n",
        ),
    );
    let apis: Vec<_> = a.apis().into_iter().chain(b.apis()).collect();
    let error = lower(&apis, None, &Options::default()).err().unwrap();
    let issue = &error.issues()[0];
    let places = issue.places.join(" ");
    assert_eq!(issue.kind, LowerIssueKind::Collision);
    assert!(
        places.contains("a.aon.yaml:3:") && places.contains("b.yaml:"),
        "{issue}"
    );
    assert!(
        issue.message.contains("`GET /pets`") && issue.message.contains("`GET /cats`"),
        "{issue}"
    );
}

#[test]
fn references_to_nothing_are_reported() {
    let error = refuse(
        "a.yaml",
        "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    A: {$ref: '#/components/schemas/B'}\n",
    );
    assert!(
        error.issues()[0].places[0].starts_with("a.yaml:6:"),
        "{error}"
    );
}

#[test]
fn recursion_without_an_end_is_reported() {
    let schemas = [
        "A: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/A'}}}",
        "A: {type: object, required: [b], properties: {b: {$ref: '#/components/schemas/B'}}}\n    B: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/A'}}}",
        "A: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}\n    B: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/A'}}}",
        "A: {$ref: '#/components/schemas/B'}\n    B: {$ref: '#/components/schemas/A'}",
        "A: {allOf: [{$ref: '#/components/schemas/A'}]}",
    ];
    for schema in schemas {
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    {schema}\n"
        );
        let error = refuse("a.yaml", &text);
        assert!(
            error.issues()[0].places[0].starts_with("a.yaml:6:"),
            "{schema}: {error}"
        );
    }
}

#[test]
fn problems_that_break_the_contract_are_reported() {
    let broken = [
        "status: 422, code: Bad-Code",
        "status: 200, code: fine",
        "status: 422, code: a, remediation: {type: none}",
        "status: 422, code: a, remediation: {type: pray}",
        "status: 422, code: a, remediation: {type: switch_user, auto_fix_available: true}",
        "status: 422, code: a, docs_url: not a url",
        "status: 422, code: a, docs_url: /relative",
        "status: 422, code: a, mcp_tool: 'no tool'",
        "status: 422, code: a, valid_values: [a, b]",
        "status: 422, code: a, remediation: {type: switch_user, example_request: {method: GET, path: /a, headers: {Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789}}}",
    ];
    for error in broken {
        let text = format!(
            "slug: a\noperations:\n  - {{ id: a, method: GET, path: /a, error_responses: [{{{error}}}] }}\n"
        );
        let found = refuse("a.aon.yaml", &text);
        assert!(
            found.issues()[0].places[0].starts_with("a.aon.yaml:3:"),
            "{error}: {found}"
        );
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let error = refuse(
        "a.aon.yaml",
        "slug: a
operations:
  - { id: a, method: GET, path: /a, error_responses: [{status: 404, code: A}, {status: 404, code: B}] }
  - { id: a, method: GET, path: /b }
",
    );
    assert_eq!(error.issues().len(), 3, "{error}");
}

#[test]
fn a_text_that_is_no_manifest_is_refused() {
    for text in [
        "{",
        "a: [",
        "slug: a\nslug: a\noperations: []",
        "openapi: 3.1.0\npaths: []",
    ] {
        let document = Document::from_text("a.aon.yaml", text);
        if document.apis().is_empty() {
            // Nothing is left to generate from, and the document says why.
            assert!(!document.issues().is_empty(), "{text}");
            continue;
        }
        let error = refuse("a.aon.yaml", text);
        assert!(!error.issues()[0].places.is_empty(), "{text}");
    }
}

#[test]
fn the_types_that_a_catalog_tells_reach_the_clients() {
    let catalog = r#"{"version": 1, "problems": [
        {"code": "too_poor", "status": 402, "type": "bank://problem/too_poor", "title": "Too poor",
         "extensions": ["balance", "accounts", "advice"], "extension_types": {"balance": "integer", "accounts": "string[]"},
         "origin": {"package": "bank", "type": "Error", "variant": "TooPoor"}}]}"#;
    let catalog = aon_core::catalog::Catalog::parse(catalog).unwrap();
    let api = lower(&[], Some(&catalog), &Options::default()).unwrap();
    let files = crate::cases::emit(&api);
    let text = |target: &str| -> String {
        let files = &files[target];
        files.iter().map(|file| file.contents()).collect()
    };
    for (target, members) in [
        (
            "typescript",
            [
                "balance: z.int()",
                "accounts: z.array(z.string())",
                "advice: z.unknown()",
            ],
        ),
        (
            "python",
            ["balance: int", "accounts: list[str]", "advice: typing.Any"],
        ),
        (
            "rust",
            [
                "balance: ::std::option::Option<i64>",
                "Option<::std::vec::Vec<::std::string::String>>",
                "advice: ::std::option::Option<::serde_json::Value>",
            ],
        ),
    ] {
        let text = text(target);
        for member in members {
            assert!(text.contains(member), "{target} has no `{member}`:\n{text}");
        }
    }
}

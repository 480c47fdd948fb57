//! What holds for every manifest.

use aon_lint::score::{ApiScore, Dimension, Report};
use aon_lint::{Settings, lint};
use aon_manifest::Document;
use aon_tests::place;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A native manifest out of parts, each of which may be good, bad or absent.
fn manifest() -> impl Strategy<Value = Value> {
    let parameter = prop_oneof![
        Just(json!({"name": "mode", "in": "query", "type": "string"})),
        Just(
            json!({"name": "mode", "in": "query", "type": "string", "description": "Must be one of \"a\" or \"b\"."})
        ),
        Just(json!({"name": "mode", "in": "query", "type": "string", "enum": ["a", "b"]})),
        Just(
            json!({"name": "mode", "in": "query", "type": "string", "enum": ["a", "b"], "default": "a"})
        ),
        Just(
            json!({"name": "mode", "in": "query", "type": "string", "enum": ["a", "a"], "default": "c"})
        ),
        Just(
            json!({"name": "zone", "in": "query", "type": "string", "required": true, "choices_endpoint": "/op0"})
        ),
        Just(json!({"name": "text", "in": "query", "type": "string"})),
    ];
    let remediation = prop_oneof![
        Just(Value::Null),
        Just(json!({"type": "none"})),
        Just(json!({"type": "none", "reason": "no_public_equivalent_exists"})),
        Just(json!({"type": "switch_user", "next_action": {"endpoint_url": "/op0"}})),
        Just(
            json!({"type": "switch_user", "next_action": {"endpoint_url": "/nowhere"}, "auto_fix_available": true})
        ),
        Just(json!({"type": "magic", "message": "Try again."})),
        Just(json!({"type": "switch_user", "example_request": {"method": "GET", "path": "/op0"}})),
    ];
    let error = (
        prop::sample::select(vec![400, 404, 422, 503]),
        any::<[bool; 4]>(),
        remediation,
    )
        .prop_map(|(status, [coded, typed, valued, shown], remediation)| {
            let mut error = json!({"status": status});
            if coded {
                error["code"] = json!(format!("e{status}"));
            }
            if typed {
                error["type"] = json!(format!("pspace://problem/e{status}"));
            }
            if valued {
                error["valid_values"] = json!({"mode": ["a", "b"]});
            }
            if shown {
                error["example"] = json!({"status": status, "errors": [{"pointer": "/mode"}]});
            }
            if !remediation.is_null() {
                error["remediation"] = remediation;
            }
            error
        });
    let operation = (
        prop::collection::vec(parameter, 0..3),
        prop::collection::vec(error, 0..4),
        any::<[bool; 4]>(),
    );
    (prop::collection::vec(operation, 0..5), any::<[bool; 2]>()).prop_map(
        |(operations, [documented, defaulted])| {
            let operations: Vec<Value> = operations
                .into_iter()
                .enumerate()
                .map(
                    |(at, (parameters, errors, [tool, skill, verified, hidden]))| {
                        let mut operation = json!({
                            "id": format!("op{at}"), "method": "GET", "path": format!("/op{at}"),
                            "parameters": parameters, "error_responses": errors,
                        });
                        if tool {
                            operation["mcp"] = json!({"expose": true, "tool": format!("op{at}")});
                        }
                        if skill {
                            operation["a2a"] = json!({"skill": format!("op{at}")});
                        }
                        if verified {
                            operation["verify"] = json!("op0");
                        }
                        if hidden {
                            operation["visibility"] = json!("internal");
                        }
                        operation
                    },
                )
                .collect();
            let mut manifest = json!({"slug": "random", "operations": operations});
            if documented {
                manifest["docs_url"] = json!("https://docs.example.com");
            }
            if defaulted {
                manifest["remediation_default"] =
                    json!({"type": "none", "reason": "auth_required_for_safety"});
            }
            manifest
        },
    )
}

fn of(manifest: &Value) -> ApiScore {
    super::only("random.aon.json", &manifest.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn levels_and_points_are_in_range_and_always_explained(manifest in manifest()) {
        let api = of(&manifest);
        prop_assert!(api.points <= 100);
        for (_, score) in api.scores.iter() {
            prop_assert!(score.level.is_none_or(|level| level <= 4));
            prop_assert_eq!(score.level.is_none(), score.reason.is_some());
            prop_assert_eq!(score.missing.is_some(), score.level.is_some_and(|level| level < 4));
        }
        let passes = api.scores.iter().all(|(_, score)| score.level.is_none_or(|level| level >= 3));
        prop_assert_eq!(api.passes, passes);
    }

    #[test]
    fn the_order_of_operations_errors_and_parameters_does_not_matter(manifest in manifest(), turn in 0usize..5) {
        let mut turned = manifest.clone();
        let operations = turned["operations"].as_array_mut().unwrap();
        operations.reverse();
        let middle = turn % operations.len().max(1);
        operations.rotate_left(middle);
        for operation in operations {
            operation["error_responses"].as_array_mut().unwrap().reverse();
            operation["parameters"].as_array_mut().unwrap().reverse();
        }
        prop_assert_eq!(super::levels(&of(&manifest)), super::levels(&of(&turned)));
    }

    #[test]
    fn an_operation_less_well_described_never_raises_a_score(manifest in manifest()) {
        let mut with = manifest.clone();
        with["operations"].as_array_mut().unwrap().push(json!({
            "id": "bare", "method": "POST", "path": "/bare",
            "parameters": [{"name": "mode", "in": "body", "type": "string"}],
        }));
        let (before, after) = (of(&manifest), of(&with));
        prop_assert!(!after.passes);
        for dimension in [Dimension::D1, Dimension::D2, Dimension::D5] {
            if let (Some(before), Some(after)) = (before.level(dimension), after.level(dimension)) {
                prop_assert!(after <= before, "{dimension}: {before} to {after}");
            }
        }
    }

    #[test]
    fn a_finding_that_is_fixed_never_lowers_a_score(manifest in manifest()) {
        let text = serde_json::to_string_pretty(&manifest).unwrap();
        let before = super::only("random.aon.json", &text);
        let document = Document::from_text("random.aon.json", &text);
        for finding in lint(&document, &Settings::default().with_pedantic(true)).findings {
            let Some(fix) = &finding.repair else {
                continue;
            };
            let mut fixed = text.clone();
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start()));
            for edit in edits {
                fixed.replace_range(edit.span.range(), &edit.replacement);
            }
            assert_not_lower(&before, &super::only("random.aon.json", &fixed), finding.code);
        }
    }
}

/// What a person would do about each finding, by hand: the repair is always at least as good.
#[test]
fn what_is_missing_can_be_added_without_lowering_anything() {
    let mut manifest = json!({"slug": "orders", "operations": [
        {"id": "list_orders", "method": "GET", "path": "/orders", "parameters": [{"name": "status", "in": "query", "type": "string"}]},
        {"id": "read_order", "method": "GET", "path": "/orders/{id}"},
    ]});
    let error =
        json!({"status": 422, "code": "invalid_status", "type": "pspace://problem/invalid_status"});
    let steps: Vec<(&str, Value)> = vec![
        (
            "/operations/0/parameters/0/description",
            json!("Must be one of \"open\" or \"closed\"."),
        ),
        ("/operations/0/parameters/0/enum", json!(["open", "closed"])),
        ("/operations/0/parameters/0/default", json!("open")),
        ("/operations/0/error_responses", json!([{"status": 422}])),
        ("/operations/1/error_responses", json!([{"status": 404}])),
        ("/operations/0/error_responses/0", error),
        (
            "/operations/1/error_responses/0",
            json!({"status": 404, "code": "no_order", "type": "pspace://problem/no_order"}),
        ),
        (
            "/operations/0/error_responses/0/valid_values",
            json!({"status": ["open", "closed"]}),
        ),
        (
            "/operations/0/error_responses/0/example",
            json!({"code": "invalid_status", "errors": [{"pointer": "/status"}]}),
        ),
        (
            "/operations/1/error_responses/0/example",
            json!({"code": "no_order"}),
        ),
        (
            "/operations/0/error_responses/0/remediation",
            json!({"type": "switch_user"}),
        ),
        (
            "/operations/0/error_responses/0/remediation/next_action",
            json!({"endpoint_url": "/orders"}),
        ),
        (
            "/operations/0/error_responses/0/remediation/example_request",
            json!({"method": "GET", "path": "/orders"}),
        ),
        (
            "/operations/1/error_responses/0/remediation",
            json!({"type": "none", "reason": "no_public_equivalent_exists"}),
        ),
        (
            "/operations/0/mcp",
            json!({"expose": true, "tool": "list_orders"}),
        ),
        ("/operations/0/a2a", json!({"skill": "list_orders"})),
        (
            "/operations/1/mcp",
            json!({"expose": true, "tool": "read_order"}),
        ),
        ("/operations/1/a2a", json!({"skill": "read_order"})),
        ("/docs_url", json!("https://docs.example.com")),
        ("/operations/0/verify", json!("read_order")),
        (
            "/operations/0/error_responses/0/mcp_tool",
            json!("list_orders"),
        ),
        (
            "/operations/0/error_responses/0/remediation/auto_fix_available",
            json!(true),
        ),
    ];
    let mut before = of(&manifest);
    let mut raised = 0;
    for (pointer, value) in steps {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = manifest.pointer_mut(parent).unwrap();
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        let after = of(&manifest);
        assert_not_lower(&before, &after, pointer);
        raised += usize::from(after.points > before.points);
        before = after;
    }
    assert!(raised >= 8, "only {raised} steps raised a level");
    assert_eq!(
        super::levels(&before),
        [Some(4), Some(4), Some(4), Some(3), Some(4)]
    );
}

fn assert_not_lower(before: &ApiScore, after: &ApiScore, what: &str) {
    for dimension in Dimension::ALL {
        let (old, new) = (before.level(*dimension), after.level(*dimension));
        assert!(
            new.is_none() || (old.is_some() && new >= old) || (old.is_none() && new >= Some(3)),
            "{what}: {dimension} fell from {old:?} to {new:?}"
        );
    }
}

#[test]
fn an_empty_manifest_is_not_perfect() {
    let texts = [
        "slug: empty\noperations: []\n",
        "slug: empty\nversion: 1.0.0\n",
        "{\"openapi\": \"3.1.0\", \"paths\": {}}",
        "{\"tools\": []}",
    ];
    for text in texts {
        let api = super::only("empty.yaml", text);
        assert_eq!(super::levels(&api), [Some(0); 5], "{text}");
        assert!(!api.passes && api.points == 0);
        assert!(
            api.missing(Dimension::D1)
                .unwrap()
                .what
                .contains("no operation")
        );
    }
    assert!(
        !Report::new(Vec::new(), Vec::new()).corpus.passes,
        "no API at all does not pass either"
    );
}

#[test]
fn a_score_that_a_manifest_states_itself_counts_for_nothing() {
    let plain = super::only(
        "a.aon.yaml",
        "slug: a\noperations:\n  - { id: x, method: GET, path: /x }\n",
    );
    let stated = super::only(
        "a.aon.yaml",
        "slug: a\nself_healing_score: { D1: 4, D2: 4 }\noperations:\n  - { id: x, method: GET, path: /x }\n",
    );
    assert_eq!(super::levels(&plain), super::levels(&stated));
}

#[test]
fn every_document_of_the_real_corpus_gets_a_score() {
    let Some(corpus) = place::corpus("score properties") else {
        return;
    };
    let mut open = vec![corpus];
    let mut scored = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let small = || std::fs::metadata(&path).is_ok_and(|file| file.len() < 300_000);
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ending == "json" || ending == "yaml" || ending == "yml")
                && small()
                && scored < 400
            {
                let document = Document::open(
                    &path.to_string_lossy(),
                    std::fs::read(&path).unwrap(),
                    &Default::default(),
                    &aon_manifest::NoFiles,
                );
                for api in aon_lint::score::score(&document, &Settings::default()) {
                    scored += 1;
                    assert_eq!(api.scores.iter().count(), 5);
                    assert!(!api.passes, "{} passes, which is hard to believe", api.file);
                }
            }
        }
    }
    place::say(&format!("count: score of {scored} real documents"));
    assert!(scored > 50);
}

//! Beside each level stands how far it is; and the score asks what the rules ask.

use std::fs;

use aon_lint::score::{ApiScore, Dimension, score};
use aon_lint::{Config, Settings, lint};
use aon_manifest::Document;
use aon_tests::place;

/// An OpenAPI document with these operations and nothing else.
fn openapi(paths: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{ title: Shop API, version: '1' }}\npaths:\n{paths}")
}

fn shown(api: &ApiScore, dimension: Dimension) -> String {
    api.scores
        .get(dimension)
        .map(|score| score.shown_decimal())
        .unwrap_or_default()
}

#[test]
fn one_input_in_hundreds_does_not_look_like_nothing() {
    let mut paths = String::from("  /items:\n    get:\n      parameters:\n");
    for at in 0..761 {
        paths.push_str(&format!(
            "        - {{ name: p{at}, in: query, required: true, schema: {{ type: string, enum: [a, b] }} }}\n"
        ));
    }
    for name in ["first", "second"] {
        paths.push_str(&format!(
            "        - {{ name: {name}, in: query, description: 'Must be one of `a` or `b`.', schema: {{ type: string }} }}\n"
        ));
    }
    paths.push_str("      responses: { '200': { description: OK } }\n");
    let api = super::only("shop.yaml", &openapi(&paths));
    assert_eq!(api.level(Dimension::D1), Some(1));
    assert_eq!(shown(&api, Dimension::D1), "2.9");
    let lines = &api.scores.get(Dimension::D1).unwrap().lines;
    assert!(
        lines[1].counted.starts_with("761 of 763"),
        "{}",
        lines[1].counted
    );
}

#[test]
fn a_choice_endpoint_resolves_for_the_rule_exactly_when_it_resolves_for_the_score() {
    let mut answers = [0, 0];
    for endpoint in [
        "/regions",
        "list_regions",
        "GET /regions",
        "https://api.example.com/regions",
        "https://elsewhere.example.org/regions",
        "/nowhere",
        "list_nothing",
        "/orders",
        "POST /orders",
    ] {
        let text = format!(
            "slug: shop\nbase_url: https://api.example.com\noperations:\n  - id: create_order\n    method: POST\n    path: /orders\n    parameters:\n      - {{ name: region, in: body, type: string, required: true, choices_endpoint: '{endpoint}' }}\n  - {{ id: list_regions, method: GET, path: /regions }}\n"
        );
        let document = Document::from_text("shop.aon.yaml", &text);
        let reported = lint(&document, &Settings::default())
            .findings
            .iter()
            .any(|finding| finding.rule == "choice-endpoint-unresolved");
        let level = super::only("shop.aon.yaml", &text).level(Dimension::D1);
        assert_eq!(reported, level == Some(2), "{endpoint}: {level:?}");
        answers[usize::from(reported)] += 1;
    }
    assert!(answers.iter().all(|count| *count >= 3), "{answers:?}");
}

#[test]
fn what_the_rules_about_carriers_report_keeps_the_third_level_from_holding() {
    for (carrier, rule) in [
        ("enum: []", "empty-choice-set"),
        ("enum: [a, a]", "repeated-choice"),
        ("enum: [a, 1]", "choice-of-wrong-type"),
        ("enum: [a, b], default: c", "choice-default-outside-set"),
        (
            "enum: [a, b], choices_endpoint: /orders",
            "choice-with-two-carriers",
        ),
        ("enum: [a, b], default: a", ""),
    ] {
        let text = format!(
            "slug: shop\noperations:\n  - id: list_orders\n    method: GET\n    path: /orders\n    parameters:\n      - {{ name: mode, in: query, type: string, required: true, {carrier} }}\n"
        );
        let api = super::only("shop.aon.yaml", &text);
        let missing = api.missing(Dimension::D1).expect("something is missing");
        if rule.is_empty() {
            assert_eq!(api.level(Dimension::D1), Some(3));
        } else {
            assert_eq!(
                (api.level(Dimension::D1), missing.rule_name.as_str()),
                (Some(2), rule),
                "{carrier}"
            );
        }
    }
}

#[test]
fn a_default_response_counts_for_what_it_says() {
    let with = |default: &str| {
        let paths = format!(
            "  /items:\n    post:\n      responses: {{ '200': {{ description: OK }}, default: {default} }}\n"
        );
        super::only("shop.yaml", &openapi(&paths))
    };
    let bare = with("{ description: Unexpected error }");
    assert_eq!(bare.level(Dimension::D2), Some(0));
    let typed = with(
        "{ description: An error, content: { application/json: { schema: { type: object } } } }",
    );
    assert_eq!(typed.level(Dimension::D2), Some(1));
    assert_eq!(shown(&typed, Dimension::D2), "2.0");
    let problem = with(
        "{ description: Check the order and send it again, content: { application/problem+json: { schema: { type: object } } } }",
    );
    assert_eq!(problem.level(Dimension::D2), Some(2));
    assert_eq!(problem.level(Dimension::D3), Some(1));
}

const REST: &str = "  /items:\n    get:\n      operationId: list_items\n      responses: { '200': { description: OK } }\n";

#[test]
fn an_api_that_declares_itself_rest_only_is_not_asked_for_parity() {
    let plain = super::only("shop.yaml", &openapi(REST));
    assert_eq!(plain.level(Dimension::D5), Some(0));
    let missing = plain.missing(Dimension::D5).expect("two surfaces");
    assert!(
        missing.fix.contains("`x-aon-surfaces` with `[rest]`"),
        "{}",
        missing.fix
    );
    for declared in [
        "[rest]",
        "rest",
        "[rest, human]",
        "{ rest: true, mcp: false }",
    ] {
        let text = format!("x-aon-surfaces: {declared}\n{}", openapi(REST));
        let api = super::only("shop.yaml", &text);
        let score = api.scores.get(Dimension::D5).expect("a score");
        assert_eq!(score.level, None, "{declared}");
        let reason = score.reason.as_deref().unwrap_or("");
        for part in ["REST", "`x-aon-surfaces`", "`x-aon-mcp`", "`x-aon-a2a`"] {
            assert!(reason.contains(part), "{reason}");
        }
    }
    for declared in ["[rest, mcp]", "[mcp]", "[]"] {
        let text = format!("x-aon-surfaces: {declared}\n{}", openapi(REST));
        let api = super::only("shop.yaml", &text);
        assert_eq!(api.level(Dimension::D5), Some(0), "{declared}");
    }
    let exposed = REST.replace(
        "operationId: list_items",
        "operationId: list_items\n      x-aon-mcp: { tool: list_items }",
    );
    let text = format!("x-aon-surfaces: [rest]\n{}", openapi(&exposed));
    assert_eq!(
        super::only("shop.yaml", &text).level(Dimension::D5),
        Some(1),
        "a tool is a tool, whatever is declared"
    );
}

#[test]
fn the_configuration_can_say_that_files_are_rest_only() {
    let config = Config::parse("[score]\nrest-only = [\"legacy/*.yaml\"]\n").expect("settings");
    let settings = config.settings(None);
    for (name, level) in [("legacy/shop.yaml", None), ("shop.yaml", Some(0))] {
        let document = Document::from_text(name, &openapi(REST));
        assert_eq!(
            score(&document, &settings)[0].level(Dimension::D5),
            level,
            "{name}"
        );
    }
}

#[test]
fn advice_speaks_the_language_of_the_document() {
    let paths = "  /items:\n    post:\n      operationId: create_item\n      parameters:\n        - { name: mode, in: query, description: 'Must be one of `a` or `b`.', schema: { type: string } }\n      responses: { '200': { description: OK }, '422': { description: Wrong } }\n";
    let api = super::only("shop.yaml", &openapi(paths));
    let mut advice = 0;
    for (dimension, score) in api.scores.iter() {
        for missing in score.steps.iter().flat_map(|step| &step.first) {
            advice += 1;
            for native in [
                "`choices_endpoint`",
                "`docs_url`",
                "`valid_values`",
                "`mcp`",
                "`a2a`",
                "`remediation`",
                "`verify`",
                "`code`",
                "`mcp.tool`",
            ] {
                assert!(
                    !missing.fix.contains(native),
                    "{dimension} {}: {}",
                    missing.level,
                    missing.fix
                );
            }
        }
    }
    assert!(advice >= 15, "only {advice}");
    let native = super::only(
        "shop.aon.yaml",
        "slug: shop\noperations:\n  - { id: a, method: POST, path: /a, error_responses: [{ status: 404 }] }\n",
    );
    let fix = &native.missing(Dimension::D3).expect("advice").fix;
    assert!(fix.contains("`docs_url`"), "{fix}");
}

/// One document of each provider, so that nobody counts often.
#[test]
fn real_documents_are_told_apart() {
    let Some(corpus) = place::corpus("score decimals") else {
        return;
    };
    let folder = corpus.join("openapi/guru");
    let Ok(entries) = fs::read_dir(&folder) else {
        place::say("skipped: score decimals, the corpus has no such folder");
        return;
    };
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    names.dedup_by_key(|name| name.split('_').next().unwrap_or("").to_owned());
    let mut all = [const { Vec::new() }; 5];
    let mut whole = Vec::new();
    for name in &names {
        let text = fs::read_to_string(folder.join(name)).expect("a document");
        for api in score(&Document::from_text(name, &text), &Settings::default()) {
            whole.push(api.decimal);
            for (at, dimension) in Dimension::ALL.iter().enumerate() {
                let (level, decimal) = (api.level(*dimension), api.decimal(*dimension));
                assert_eq!(level.is_none(), decimal.is_none());
                if let (Some(level), Some(decimal)) = (level, decimal) {
                    assert!(
                        decimal.hundredths() >= u16::from(level) * 100,
                        "{name} {dimension}"
                    );
                    assert_eq!(
                        decimal.hundredths() == 400,
                        level == 4,
                        "{name} {dimension}"
                    );
                    all[at].push(decimal);
                }
            }
        }
    }
    let quarter = |list: &mut Vec<aon_lint::score::Decimal>, at: usize| {
        list.sort();
        list[(list.len() - 1) * at / 4]
    };
    for (at, dimension) in Dimension::ALL.iter().enumerate() {
        let of = |list: &mut Vec<_>| [0, 1, 2, 3, 4].map(|part| quarter(list, part).to_string());
        place::say(&format!(
            "count: {dimension} {} of {} documents, quartiles {:?}",
            all[at].len(),
            whole.len(),
            of(&mut all[at])
        ));
    }
    assert!(whole.len() >= 60);
    for at in [0, 1] {
        let (low, high) = (quarter(&mut all[at], 1), quarter(&mut all[at], 3));
        assert!(
            high.hundredths() >= low.hundredths() + 100,
            "half of the documents are within {low} and {high}"
        );
    }
    let mut distinct = whole.clone();
    distinct.sort();
    distinct.dedup();
    assert!(
        distinct.len() > 60,
        "only {} different sums",
        distinct.len()
    );
}

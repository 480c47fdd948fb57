//! A mistake costs its own line, not the file: what stands behind it is read, and several mistakes are several issues.

use std::time::Instant;

use aon_manifest::{Document, IssueKind, Severity};
use serde_json::json;

use crate::{check_tree, parse};

#[test]
fn what_stands_behind_a_mistake_in_yaml_is_read() {
    let cases = [
        (
            "a: foo: bar\nz: 1\n",
            "1:7",
            json!({"a": "foo: bar", "z": 1}),
        ),
        (
            "a:\n  b: 1\n   c: 2\nz: 1\n",
            "3:5",
            json!({"a": {"b": 1}, "z": 1}),
        ),
        (
            "a:\n    b: 1\n  c: 2\nz: 1\n",
            "3:3",
            json!({"a": {"b": 1}, "z": 1}),
        ),
        (
            "a:\n  b 1\n  c: 2\n  d: 4\nz: 1\n",
            "3:4",
            json!({"a": {"c": 2, "d": 4}, "z": 1}),
        ),
        (
            "a:\n  b: [1, 2\n  c: 3\ny: 4\nz: 1\n",
            "3:4",
            json!({"a": {"b": null, "c": 3}, "y": 4, "z": 1}),
        ),
        (
            "a: \"unclosed\nb: 2\nz: 1\n",
            "1:4",
            json!({"a": null, "b": 2, "z": 1}),
        ),
        ("a: 'it's'\nz: 1\n", "1:8", json!({"a": "it", "z": 1})),
        (
            "a:\n\tb: 1\n\tc:\n\t\td: 2\nz: 1\n",
            "2:2",
            json!({"a": {"b": 1, "c": {"d": 2}}, "z": 1}),
        ),
        (
            "a:\n  - x\n y: 2\nz: 1\n",
            "3:2",
            json!({"a": ["x"], "z": 1}),
        ),
        ("a: 1\n- b\nz: 1\n", "2:3", json!({"a": 1, "z": 1})),
        ("a: {b: [1, 2}\nz: 1\n", "1:13", json!({"a": null, "z": 1})),
        (
            "a: \"bad \\q escape\"\nz: 1\n",
            "1:4",
            json!({"a": null, "z": 1}),
        ),
        (
            "tags: [\n  a,\n  b: {,\n  c\n]\nz: 1\n",
            "3:7",
            json!({"tags": ["a", {"b": "c"}], "z": 1}),
        ),
        ("%YAML 9.9\nz: 1\n", "2:1", json!({"z": 1})),
        ("ä: ö: ü\r\nz: 1\r\n", "1:5", json!({"ä": "ö: ü", "z": 1})),
    ];
    for (text, place, expected) in cases {
        let tree = parse("a.yaml", text);
        check_tree(&tree, true);
        let places: Vec<_> = tree
            .issues()
            .iter()
            .map(|issue| issue.start().to_string())
            .collect();
        assert_eq!(places, [place], "{text}");
        assert_eq!(tree.root().unwrap().to_json(), expected, "{text}");
    }
}

#[test]
fn what_stands_behind_a_mistake_in_json_is_read() {
    let cases = [
        ("{\"a\": 1 \"z\": 1}", json!({"a": 1, "z": 1})),
        ("{\"a\": [1,], \"z\": 1}", json!({"a": [1], "z": 1})),
        (
            "{\"a\": \"Pets,\n  \"z\": 1\n}",
            json!({"a": "Pets", "z": 1}),
        ),
        (
            "{\"a\": [\"x,\n  \"y\"],\n \"z\": 1\n}",
            json!({"a": ["x", "y"], "z": 1}),
        ),
        ("{\"a: 1,\n \"z\": 1}", json!({"a": 1, "z": 1})),
        ("{\"a\": \"x\ny\", \"z\": 1}", json!({"a": "x\ny", "z": 1})),
        ("{\"a\" 1, \"z\": 1}", json!({"a": 1, "z": 1})),
        (
            "{\"a\": {\"c\": 2], \"z\": 1}",
            json!({"a": {"c": 2}, "z": 1}),
        ),
        ("{\"a\": 'x, y', \"z\": 1}", json!({"a": "'x, y'", "z": 1})),
        ("{\"a\": {\"z\": 1", json!({"a": {"z": 1}})),
    ];
    for (text, expected) in cases {
        let tree = parse("a.json", text);
        check_tree(&tree, true);
        assert_eq!(tree.issues().len(), 1, "{text}: {:?}", tree.issues());
        assert_eq!(tree.root().unwrap().to_json(), expected, "{text}");
    }
}

#[test]
fn several_mistakes_are_several_issues() {
    let text =
        "a: @x\nb: [1\nc: 2\nd: *none\ne:\n  f: 1\n   g: 2\nh: h: h\nz: 1\n---\ny: ]\nz: 2\n";
    let tree = parse("a.yaml", text);
    let lines: Vec<_> = tree
        .issues()
        .iter()
        .map(|issue| issue.start().line)
        .collect();
    assert_eq!(lines, [1, 3, 4, 7, 8, 11]);
    let values: Vec<_> = tree
        .roots()
        .map(|root| root.get("z").unwrap().as_i64())
        .collect();
    assert_eq!(values, [Some(1), Some(2)]);
    let text = "{\"a\": 1 \"b\": tru, \"c\": [1 2],\n \"d\": \"x,\n \"z\": 1,}";
    let tree = parse("a.json", text);
    assert_eq!(tree.issues().len(), 5, "{:?}", tree.issues());
    assert_eq!(tree.root().unwrap().get("z").unwrap().as_i64(), Some(1));
}

#[test]
fn tabs_are_one_mistake_and_unprintable_characters_another() {
    let text = "a:\n\t- name: x\n\t\tin: y\n\t- b: 1\nz: 1\n";
    let tree = parse("a.yaml", text);
    assert_eq!(tree.issues().len(), 1, "{:?}", tree.issues());
    assert_eq!(tree.root().unwrap().at("/a/1/b").unwrap().as_i64(), Some(1));
    let tree = parse(
        "a.yaml",
        format!("a: {{b: x\0y}}\nc: {}\nz: 1\n", "words ".repeat(40)),
    );
    assert_eq!(tree.issues().len(), 1);
    assert!(
        tree.issues()[0].message().contains("U+0000"),
        "{}",
        tree.issues()[0]
    );
    assert_eq!(tree.root().unwrap().get("z").unwrap().as_i64(), Some(1));
}

#[test]
fn what_was_begun_is_kept_when_nothing_else_is_there() {
    for text in ["{", "[1, 2", "{a: [", "a: [1,\n  2"] {
        let tree = parse("a.yaml", text);
        let kinds: Vec<_> = tree.issues().iter().map(|issue| issue.kind()).collect();
        assert_eq!(kinds, [IssueKind::Truncated], "{text}");
        assert!(tree.root().is_some(), "{text}");
    }
}

#[test]
fn depth_is_no_mistake_to_get_past() {
    for text in [format!("a: {}", "[".repeat(9_000)), "{a: ".repeat(9_000)] {
        let tree = parse("a.yaml", text);
        let kinds: Vec<_> = tree.issues().iter().map(|issue| issue.kind()).collect();
        assert_eq!(kinds, [IssueKind::TooDeep]);
    }
}

const YAML: &str = "\
openapi: 3.1.0 # ä
info: {title: \"Pets\", version: '1'}
paths:
  /pets:
    get:
      operationId: list
      parameters:
        - name: kind
          in: query
          schema: &kind {type: string, enum: [cat, dog]}
        - {name: mode, in: query, schema: *kind}
      responses:
        '200':
          description: |
            All of them.
            In order.
  /pets/{id}:
    delete:
      operationId: drop
";

const JSON: &str = r#"{
  "openapi": "3.1.0",
  "info": {"title": "Päts", "version": "1"},
  "paths": {
    "/pets": {
      "get": {"operationId": "list", "parameters": [
        {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["cat", "dog"]}},
        {"name": "mode", "in": "query", "schema": {"type": ["string", "null"]}}
      ]}
    },
    "/pets/{id}": {"delete": {"operationId": "drop", "deprecated": true, "x-cost": -1.5e3}}
  }
}
"#;

/// Reads a text in every way, and says how many operations and inputs came out.
fn found(name: &str, text: &str) -> usize {
    let document = Document::from_text(name, text);
    check_tree(document.entry(), true);
    let mut count = 0;
    for api in document.apis() {
        count += api.operations.len() + api.inputs().len();
    }
    count
}

#[test]
fn every_beginning_of_a_document_is_read() {
    let start = Instant::now();
    for (name, whole) in [("a.yaml", YAML), ("a.json", JSON)] {
        let all = found(name, whole);
        assert_eq!(all, 4, "{name}");
        let mut last = 0;
        for (end, _) in whole.char_indices() {
            last = found(name, &whole[..end]);
        }
        assert!(last >= all - 1, "{name}: {last}");
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_lost_or_doubled_character_costs_little() {
    let start = Instant::now();
    for (name, whole) in [("a.yaml", YAML), ("a.json", JSON)] {
        let (mut kept, mut tries, mut worst) = (0, 0, 0);
        for (at, c) in whole.char_indices() {
            let behind = at + c.len_utf8();
            for text in [
                format!("{}{}", &whole[..at], &whole[behind..]),
                format!("{}{c}{}", &whole[..behind], &whole[behind..]),
                format!("{}\t{}", &whole[..at], &whole[at..]),
            ] {
                let document = Document::from_text(name, &text);
                let errors = document.entry().issues().iter();
                let errors = errors.filter(|issue| issue.severity() == Severity::Error);
                worst = worst.max(errors.count());
                kept += found(name, &text);
                tries += 1;
            }
        }
        let share = f64::from(u32::try_from(kept).unwrap()) / f64::from(tries * 4);
        println!("measure: {name} keeps {share:.3} of what it says, with at most {worst} issues");
        assert!(share > 0.88, "{name}: {share}");
        assert!(worst <= 10, "{name}: {worst}");
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

#[test]
fn a_large_document_full_of_mistakes_does_not_take_long() {
    let start = Instant::now();
    let line = "  - {name: kind, in: query}\n";
    let text = format!(
        "parameters:\n{}",
        format!("{}bad: [\n", line.repeat(100)).repeat(200)
    );
    let tree = parse("a.yaml", text);
    assert!(!tree.issues().is_empty());
    let tree = parse("a.yaml", "a: \"\n".repeat(50_000));
    assert!(!tree.issues().is_empty());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

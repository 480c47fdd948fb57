//! The facts of YAML that people trip over.

use aon_manifest::{Document, IssueKind, Kind, Syntax};
use proptest::prelude::*;
use serde_json::json;

use crate::{check_tree, kinds, parse};

#[test]
fn scalars_keep_their_exact_source() {
    let text = "plain: some words # c\nsingle: 'it''s'   # c\ndouble: \"a\\tb\" \nanchored: &x \"q\"\ntagged: !!str 12\nlit: |\n  one\n  two\n\nfold: >-\n  a\n  b\nmulti: one\n  two\nlast: end";
    let tree = parse("a.yaml", text);
    check_tree(&tree, true);
    assert!(tree.issues().is_empty(), "{:?}", tree.issues());
    let root = tree.root().unwrap();
    let expected = [
        ("plain", "some words", "some words"),
        ("single", "'it''s'", "it's"),
        ("double", "\"a\\tb\"", "a\tb"),
        ("anchored", "\"q\"", "q"),
        ("tagged", "12", "12"),
        ("lit", "|\n  one\n  two", "one\ntwo\n"),
        ("fold", ">-\n  a\n  b", "a b"),
        ("multi", "one\n  two", "one two"),
        ("last", "end", "end"),
    ];
    for (key, written, value) in expected {
        let node = root.get(key).unwrap();
        assert_eq!(node.source_text(), written, "{key}");
        assert_eq!(node.as_str(), Some(value), "{key}");
        assert_eq!(node.key().unwrap().source_text(), key);
    }
    assert_eq!(root.source_text(), text);
}

#[test]
fn collections_end_with_their_last_child() {
    let text = "a:\n  - b: 1\n    c: [x, {y: z}] # flow\n  - d\n\n# comment\ne:\n- 1\n- 2\nf: {}\n";
    let tree = parse("a.yaml", text);
    let root = tree.root().unwrap();
    assert_eq!(
        root.get("a").unwrap().source_text(),
        "- b: 1\n    c: [x, {y: z}] # flow\n  - d"
    );
    assert_eq!(root.at("/a/0/c").unwrap().source_text(), "[x, {y: z}]");
    assert_eq!(
        root.at("/a/0").unwrap().source_text(),
        "b: 1\n    c: [x, {y: z}]"
    );
    assert_eq!(root.get("e").unwrap().source_text(), "- 1\n- 2");
    assert_eq!(root.get("f").unwrap().source_text(), "{}");
    check_tree(&tree, true);
    let tree = parse("a.yaml", "a:\n- - x\n  - y\n- -5\nb:\n  - - z\n");
    let root = tree.root().unwrap();
    assert_eq!(root.get("a").unwrap().source_text(), "- - x\n  - y\n- -5");
    assert_eq!(root.at("/a/0").unwrap().source_text(), "- x\n  - y");
    assert_eq!(root.at("/b").unwrap().source_text(), "- - z");
    assert_eq!(root.at("/b/0").unwrap().source_text(), "- z");
}

#[test]
fn norway_is_a_country() {
    let tree = parse(
        "a.yaml",
        "[NO, no, off, yes, y, true, False, ~, null, 012, 0x1F, 1_000, 1.5, .inf, 2024-01-01, '1', 12:30]",
    );
    let root = tree.root().unwrap();
    let kinds: Vec<_> = root.items().map(|item| item.kind()).collect();
    use Kind::{Bool, Null, Number, String};
    assert_eq!(
        kinds,
        [
            String, String, String, String, String, Bool, Bool, Null, Null, Number, Number, String,
            Number, Number, String, String, String
        ]
    );
    assert_eq!(root.item(9).unwrap().as_i64(), Some(12));
    assert_eq!(root.item(10).unwrap().as_i64(), Some(31));
}

#[test]
fn keys_are_names_whatever_they_look_like() {
    let tree = parse("a.yaml", "200: ok\ntrue: yes\n? null\n: x\n'404': no\n~: y");
    let root = tree.root().unwrap();
    for key in ["200", "true", "null", "404", "~"] {
        assert!(root.get(key).is_some(), "{key}");
    }
    assert_eq!(root.get("200").unwrap().pointer(), "/200");
}

#[test]
fn duplicate_keys_are_reported_and_the_last_one_counts() {
    let tree = parse("a.yaml", "a: 1\nb: 2\na: 3\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::DuplicateKey]);
    assert_eq!(tree.issues()[0].start().to_string(), "3:1");
    assert_eq!(tree.root().unwrap().get("a").unwrap().as_i64(), Some(3));
}

#[test]
fn merge_keys_bring_in_what_is_not_there() {
    let text = "base: &base {a: 1, b: 2}\nother: &other {b: 5, c: 6}\none:\n  <<: *base\n  b: 3\nmany:\n  <<: [*base, *other]\nplain:\n  '<<': text\n";
    let tree = parse("a.yaml", text);
    assert!(tree.issues().is_empty());
    let root = tree.root().unwrap();
    assert_eq!(root.get("one").unwrap().to_json(), json!({"b": 3, "a": 1}));
    assert_eq!(
        root.get("many").unwrap().to_json(),
        json!({"a": 1, "b": 2, "c": 6})
    );
    assert_eq!(root.at("/many/c").unwrap().as_i64(), Some(6));
    assert_eq!(root.get("plain").unwrap().to_json(), json!({"<<": "text"}));
    // What an alias brings in is the node behind the anchor.
    assert_eq!(root.at("/one/a").unwrap().pointer(), "/base/a");
}

#[test]
fn aliases_stand_for_their_anchor_and_must_not_go_round() {
    let tree = parse("a.yaml", "a: &x [1, 2]\nb: *x\n*x : key\n");
    assert_eq!(tree.root().unwrap().get("b").unwrap().len(), 2);
    let tree = parse("a.yaml", "a: &x [1, *x]\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::UnknownAlias]);
    let tree = parse("a.yaml", "a: *nowhere\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::UnknownAlias]);
    let tree = parse("a.yaml", "a: &x\n  <<: *x\n  b: 1\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::UnknownAlias]);
    assert_eq!(tree.root().unwrap().at("/a/b").unwrap().as_i64(), Some(1));
}

#[test]
fn line_endings_and_a_byte_order_mark_do_not_move_anything() {
    let text = "\u{feff}ä: \"ü\"\r\nb:\r\n  - ö x\r\n  - |\r\n    line\r\nc: 1\r\n";
    let tree = parse("a.yaml", text);
    check_tree(&tree, true);
    assert!(tree.issues().is_empty(), "{:?}", tree.issues());
    let root = tree.root().unwrap();
    assert_eq!(root.get("ä").unwrap().source_text(), "\"ü\"");
    assert_eq!(root.at("/b/0").unwrap().source_text(), "ö x");
    let c = root.get("c").unwrap();
    assert_eq!(c.source_text(), "1");
    assert_eq!(tree.source().position(c.span().start()).to_string(), "6:4");
}

#[test]
fn several_documents_are_several_apis() {
    let text = "slug: a\nversion: 1\noperations: []\n---\nslug: b\nversion: 2\noperations: [{id: x}]\n---\njust: data\n";
    let document = Document::from_text("all.yaml", text);
    let slugs: Vec<_> = document.apis().iter().map(|api| api.slug()).collect();
    assert_eq!(slugs, ["a", "b"]);
    assert_eq!(document.entry().roots().count(), 3);
}

#[test]
fn after_a_broken_document_the_next_one_is_read() {
    let tree = parse("a.yaml", "a: [1, 2\n---\nb: ok\n");
    assert!(!tree.issues().is_empty());
    let last = tree.roots().last().unwrap();
    assert_eq!(last.get("b").unwrap().as_str(), Some("ok"));
}

#[test]
fn tabs_are_named_as_the_cause() {
    let tree = parse("a.yaml", "a:\n\tb: 1\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::Syntax]);
    assert!(
        tree.issues()[0].message().contains("tab"),
        "{}",
        tree.issues()[0]
    );
    assert_eq!(tree.issues()[0].start().line, 2);
}

#[test]
fn what_was_read_before_a_mistake_stays() {
    let tree = parse("a.yaml", "a: 1\nb: {c: 2}\nd: \"unclosed\n");
    let issue = &tree.issues()[0];
    assert!(
        matches!(issue.kind(), IssueKind::Truncated | IssueKind::Syntax),
        "{issue}"
    );
    assert_eq!(tree.root().unwrap().at("/b/c").unwrap().as_i64(), Some(2));
}

#[test]
fn a_collection_as_a_key_is_refused_by_name() {
    let tree = parse("a.yaml", "{[1, 2]: x, b: 3}\n");
    assert_eq!(kinds(tree.issues()), [IssueKind::ComplexKey]);
    assert_eq!(tree.root().unwrap().get("b").unwrap().as_i64(), Some(3));
    let tree = parse("a.yaml", "? {a: 1}\n: x\n? - 1\n  - 2\n: y\nb: 3\n");
    assert_eq!(
        kinds(tree.issues()),
        [IssueKind::ComplexKey, IssueKind::ComplexKey]
    );
    assert_eq!(tree.root().unwrap().get("b").unwrap().as_i64(), Some(3));
}

#[test]
fn a_flow_mapping_without_quotes_is_yaml() {
    let tree = parse("a.yaml", "{a: 1, b: [x]}");
    assert_eq!(tree.syntax(), Syntax::Yaml);
    assert!(tree.issues().is_empty());
    assert_eq!(tree.root().unwrap().to_json(), json!({"a": 1, "b": ["x"]}));
    assert_eq!(parse("stdin", "{a: 1}").syntax(), Syntax::Yaml);
    assert_eq!(parse("a.yaml", "{\"a\": 1}").syntax(), Syntax::Json);
}

#[test]
fn brackets_may_close_at_the_indentation_of_their_key() {
    let text = "definitions:\n  Port:\n    type: object\n    example: {\n      \"Private\": 80,\n      \"Public\": [\n        1,\n        2\n      ]\n    }\n  Next:\n    type: string\n    enum: [\n      \"a\",\n      \"b\"\n    ]\nlast: end\n";
    let tree = parse("a.yaml", text);
    assert!(tree.issues().is_empty(), "{:?}", tree.issues());
    let root = tree.root().unwrap();
    assert_eq!(
        root.to_json(),
        json!({
            "definitions": {
                "Port": {"type": "object", "example": {"Private": 80, "Public": [1, 2]}},
                "Next": {"type": "string", "enum": ["a", "b"]},
            },
            "last": "end",
        })
    );
    // What stands behind keeps its place.
    let last = root.get("last").unwrap();
    assert_eq!(last.source_text(), "end");
    assert_eq!(last.span().start(), text.rfind("end").unwrap());
    check_tree(&tree, true);
}

#[test]
fn values_left_out_have_a_place() {
    let tree = parse("a.yaml", "a:\nb: \nc:\n  - \n  - x\n");
    let root = tree.root().unwrap();
    for pointer in ["/a", "/b", "/c/0"] {
        let node = root.at(pointer).unwrap();
        assert!(
            node.is_null() && node.span().is_empty(),
            "{pointer} {node:?}"
        );
    }
    assert_eq!(root.get("a").unwrap().span().start(), 2);
    check_tree(&tree, true);
}

#[test]
fn comments_are_found_between_scalars() {
    let text = "# one\na: \"# no\" # two\nb: | # three\n  # no\n  text\nc: x#no\n  # four\nd: [1, # five\n  2]\n";
    let tree = parse("a.yaml", text);
    let comments: Vec<_> = tree
        .comments()
        .iter()
        .map(|comment| (comment.line, comment.text, comment.alone))
        .collect();
    assert_eq!(
        comments,
        [
            (1, "one", true),
            (2, "two", false),
            (3, "three", false),
            (7, "four", true),
            (8, "five", false)
        ]
    );
}

proptest! {
    #[test]
    fn nearly_yaml_never_panics(text in r#"([a-c]|[\-:,?#&*!|>'"%@`{}\[\]\t \n~<é]|<<: \*a|&a |\*a|---\n|  |\r\n){0,60}"#) {
        check_tree(&parse("a.yaml", text), true);
    }

    #[test]
    fn plain_scalars_equal_their_source(words in prop::collection::vec("[a-zäé日][a-zäé日 ]{0,8}[a-z]", 1..20)) {
        let text: String = words.iter().enumerate().map(|(n, word)| format!("k{n}:  {word}   # c\n")).collect();
        let tree = parse("a.yaml", text);
        prop_assert!(tree.issues().is_empty());
        for (n, word) in words.iter().enumerate() {
            let node = tree.root().unwrap().get(&format!("k{n}")).unwrap();
            prop_assert_eq!(node.source_text(), word);
            prop_assert_eq!(node.text(), word);
        }
    }
}

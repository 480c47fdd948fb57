//! The JSON parser, beside serde_json and on broken text.

use aon_manifest::{IssueKind, Kind};
use proptest::prelude::*;
use serde_json::Value;

use crate::{check_tree, kinds, parse};

#[test]
fn values_keep_their_exact_places() {
    let text = "{\n  \"a\\u0062\": [1, -2.5e3, true, null, \"x\\ny\"],\n  \"é\": \"ü\"\n}";
    let tree = parse("a.json", text);
    check_tree(&tree, true);
    assert!(tree.issues().is_empty());
    let root = tree.root().unwrap();
    let list = root.get("ab").unwrap();
    let written: Vec<_> = list.items().map(|item| item.source_text()).collect();
    assert_eq!(written, ["1", "-2.5e3", "true", "null", "\"x\\ny\""]);
    assert_eq!(list.item(4).unwrap().as_str(), Some("x\ny"));
    assert_eq!(list.key().unwrap().source_text(), "\"a\\u0062\"");
    assert_eq!(list.pointer(), "/ab");
    assert_eq!(root.get("é").unwrap().as_str(), Some("ü"));
    assert_eq!(root.source_text(), text);
    assert_eq!(
        tree.source()
            .position(root.get("é").unwrap().span().start())
            .to_string(),
        "3:8"
    );
}

#[test]
fn broken_text_gives_every_mistake_and_what_can_be_read() {
    let cases: &[(&str, &[IssueKind], &str)] = &[
        ("{\"a\": 1,}", &[IssueKind::TrailingComma], r#"{"a":1}"#),
        ("[1, 2,]", &[IssueKind::TrailingComma], "[1,2]"),
        (
            "{\"a\": 1 \"b\": 2}",
            &[IssueKind::Syntax],
            r#"{"a":1,"b":2}"#,
        ),
        ("[1 2]", &[IssueKind::Syntax], "[1,2]"),
        ("{\"a\": }", &[IssueKind::Syntax], r#"{"a":null}"#),
        ("{\"a\" 1}", &[IssueKind::Syntax], r#"{"a":1}"#),
        ("{\"a\"}", &[IssueKind::Syntax], r#"{"a":null}"#),
        (
            "{\"a\": [1, 2}",
            &[IssueKind::Syntax, IssueKind::Truncated],
            r#"{"a":[1,2]}"#,
        ),
        (
            "{\"a\": tru, \"b\": 01, \"c\": nul}",
            &[IssueKind::Syntax, IssueKind::Syntax, IssueKind::Syntax],
            r#"{"a":"tru","b":"01","c":"nul"}"#,
        ),
        ("{\"a\": 1} x", &[IssueKind::TrailingContent], r#"{"a":1}"#),
        ("{} {}", &[IssueKind::TrailingContent], "{}"),
        (
            "// hi\n{\"a\": /* x */ 1}",
            &[IssueKind::Comment],
            r#"{"a":1}"#,
        ),
        (
            "{\"a\": 1, \"a\": 2}",
            &[IssueKind::DuplicateKey],
            r#"{"a":2}"#,
        ),
        (
            "[\"\\ud800\"]",
            &[IssueKind::LoneSurrogate],
            "[\"\u{fffd}\"]",
        ),
        (
            "[\"\\udc00\\ud800\"]",
            &[IssueKind::LoneSurrogate, IssueKind::LoneSurrogate],
            "[\"\u{fffd}\u{fffd}\"]",
        ),
        ("[\"a\tb\"]", &[IssueKind::Syntax], "[\"a\\tb\"]"),
        ("[\"\\x\"]", &[IssueKind::Syntax], "[\"\\\\x\"]"),
        (
            "{\"a\": [1, {\"b\": \"c",
            &[IssueKind::Truncated],
            r#"{"a":[1,{"b":null}]}"#,
        ),
        ("{\"a\": 'x'}", &[IssueKind::Syntax], r#"{"a":"'x'"}"#),
    ];
    for (text, expected, value) in cases {
        let tree = parse("a.json", *text);
        check_tree(&tree, false);
        assert_eq!(
            kinds(tree.issues()),
            *expected,
            "{text}: {:?}",
            tree.issues()
        );
        let wanted: Value = serde_json::from_str(value).unwrap();
        assert_eq!(tree.root().unwrap().to_json(), wanted, "{text}");
    }
    assert!(cases.len() > 15);
}

#[test]
fn the_place_of_a_mistake_is_exact() {
    let tree = parse("a.json", "{\n  \"a\": 1,\n  \"b\": oops\n}");
    let issue = &tree.issues()[0];
    assert_eq!(
        issue.to_string(),
        "a.json:3:8: `oops` is not a JSON value (strings need double quotes)"
    );
    assert_eq!((issue.end().line, issue.end().column), (3, 12));
}

#[test]
fn a_byte_order_mark_is_no_content() {
    let tree = parse("a.json", "\u{feff}{\"a\": 1}");
    assert!(tree.issues().is_empty());
    let a = tree.root().unwrap().get("a").unwrap();
    assert_eq!(a.source_text(), "1");
    assert_eq!(tree.source().position(a.span().start()).to_string(), "1:7");
}

#[test]
fn duplicate_keys_are_found_in_large_objects_and_the_last_one_counts() {
    let mut text = String::from("{");
    for n in 0..500 {
        text.push_str(&format!("\"k{n}\": {n}, "));
    }
    text.push_str("\"k7\": \"again\"}");
    let tree = parse("a.json", text);
    assert_eq!(kinds(tree.issues()), [IssueKind::DuplicateKey]);
    assert!(tree.issues()[0].message().contains("`k7`"));
    let root = tree.root().unwrap();
    assert_eq!(root.get("k7").unwrap().as_str(), Some("again"));
    assert_eq!(root.get("k499").unwrap().as_i64(), Some(499));
    assert!(root.get("k500").is_none());
    assert_eq!(root.members().count(), 501);
}

#[test]
fn numbers_are_kept_as_written() {
    let tree = parse(
        "a.json",
        "[1e400, 18446744073709551615, -0, 1.0, 12345678901234567890123]",
    );
    let root = tree.root().unwrap();
    assert!(root.items().all(|item| item.kind() == Kind::Number));
    assert_eq!(root.item(1).unwrap().to_json(), Value::from(u64::MAX));
    assert_eq!(root.item(4).unwrap().text(), "12345678901234567890123");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e15f64..1e15).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..20)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_writes_is_read_back(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let tree = parse("a.json", text);
        check_tree(&tree, true);
        prop_assert!(tree.issues().is_empty(), "{:?}", tree.issues());
        prop_assert_eq!(tree.root().unwrap().to_json(), value);
    }

    #[test]
    fn both_parsers_agree_on_what_is_json(text in r#"[\[\]{},:"\\0-9a-z.+\- \nEu]{0,40}"#) {
        let tree = parse("a.json", text.clone());
        check_tree(&tree, false);
        let errors = tree.issues().iter().any(|issue| !matches!(issue.kind(), IssueKind::DuplicateKey));
        match serde_json::from_str::<Value>(&text) {
            // serde_json refuses numbers that are too large for it, and half surrogates.
            Err(error) if error.to_string().contains("out of range") => {}
            Err(_) => prop_assert!(errors, "{} was accepted", text),
            Ok(value) => {
                prop_assert!(!errors, "{}: {:?}", text, tree.issues());
                prop_assert_eq!(tree.root().unwrap().to_json(), value);
            }
        }
    }

    #[test]
    fn cut_and_mutated_json_never_panics(value in any_json(), cut in any::<prop::sample::Index>(), byte in any::<u8>(), at in any::<prop::sample::Index>()) {
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap();
        bytes.truncate(cut.index(bytes.len()) + 1);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        check_tree(&parse("a.json", bytes.clone()), true);
        check_tree(&parse("a.yaml", bytes), true);
    }
}

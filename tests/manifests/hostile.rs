//! Input that wants to do harm ends in a clear error, quickly.

use std::time::Instant;

use aon_manifest::{Document, IssueKind, ParseOptions, ReadOptions, Severity};

use crate::{check_tree, kinds, parse};

#[test]
fn every_hostile_input_ends_in_a_clear_error() {
    let deep = 10_000;
    let cases: Vec<(&str, &str, Vec<u8>, IssueKind)> = vec![
        ("empty", "a.yaml", Vec::new(), IssueKind::Empty),
        ("blank", "a.json", b" \n\t\n".to_vec(), IssueKind::Empty),
        (
            "only comments",
            "a.yaml",
            b"# nothing\n# here\n".to_vec(),
            IssueKind::Empty,
        ),
        (
            "utf-16le",
            "a.json",
            utf16("{\"a\": 1}", true, true),
            IssueKind::WideEncoding,
        ),
        (
            "utf-16be",
            "a.yaml",
            utf16("openapi: 3.1.0", false, true),
            IssueKind::WideEncoding,
        ),
        (
            "utf-16 without a mark",
            "a.json",
            utf16("{\"a\": 1}", true, false),
            IssueKind::WideEncoding,
        ),
        (
            "zip",
            "a.yaml",
            b"PK\x03\x04\x14\x00\x00\x00".to_vec(),
            IssueKind::Binary,
        ),
        (
            "gzip",
            "a.json",
            b"\x1f\x8b\x08\x00".to_vec(),
            IssueKind::Binary,
        ),
        (
            "noise",
            "a.yaml",
            (0..4000u32).map(|n| (n * 7919 % 251) as u8).collect(),
            IssueKind::Binary,
        ),
        (
            "latin-1",
            "a.yaml",
            b"title: caf\xe9\n".to_vec(),
            IssueKind::InvalidUtf8,
        ),
        (
            "truncated json",
            "a.json",
            b"{\"openapi\": \"3.1.0\", \"paths\": {".to_vec(),
            IssueKind::Truncated,
        ),
        (
            "truncated yaml",
            "a.yaml",
            b"a: {b: [1, 2".to_vec(),
            IssueKind::Truncated,
        ),
        (
            "deep json arrays",
            "a.json",
            "[".repeat(deep).into_bytes(),
            IssueKind::TooDeep,
        ),
        (
            "deep json objects",
            "a.json",
            "{\"a\":".repeat(deep).into_bytes(),
            IssueKind::TooDeep,
        ),
        (
            "deep yaml flow",
            "a.yaml",
            format!("a: {}", "[".repeat(deep)).into_bytes(),
            IssueKind::TooDeep,
        ),
        (
            "deep yaml block",
            "a.yaml",
            (0..2_000)
                .map(|n| format!("{}a:\n", " ".repeat(n)))
                .collect::<String>()
                .into_bytes(),
            IssueKind::TooDeep,
        ),
        (
            "deep yaml sequence",
            "a.yaml",
            "- ".repeat(deep).into_bytes(),
            IssueKind::TooDeep,
        ),
        (
            "alias bomb",
            "a.yaml",
            laughs().into_bytes(),
            IssueKind::AliasBomb,
        ),
        (
            "merge bomb",
            "a.yaml",
            merges().into_bytes(),
            IssueKind::AliasBomb,
        ),
        (
            "alias ladder",
            "a.yaml",
            ladder().into_bytes(),
            IssueKind::TooDeep,
        ),
        ("tab", "a.yaml", b"a:\n\t- b\n".to_vec(), IssueKind::Syntax),
        (
            "only a scalar",
            "a.yaml",
            b"hello".to_vec(),
            IssueKind::UnknownFormat,
        ),
        (
            "only a number",
            "a.json",
            b"42".to_vec(),
            IssueKind::UnknownFormat,
        ),
        (
            "nul in json",
            "a.json",
            b"{\"openapi\": \"3.1.0\", \"a\": \"x\x00y\"}".to_vec(),
            IssueKind::Syntax,
        ),
    ];
    for (what, name, bytes, expected) in &cases {
        let start = Instant::now();
        let document = Document::open(
            name,
            bytes.clone(),
            &ReadOptions::default(),
            &aon_manifest::NoFiles,
        );
        let issues = document.issues();
        let found = kinds(issues.iter().copied());
        assert!(found.contains(expected), "{what}: {found:?}");
        assert!(
            issues
                .iter()
                .any(|issue| issue.severity() == Severity::Error),
            "{what}"
        );
        check_tree(document.entry(), false);
        for api in document.apis() {
            let _ = (api.inputs(), api.surfaces(), api.slug());
        }
        assert!(
            start.elapsed().as_secs() < 5,
            "{what} took {:?}",
            start.elapsed()
        );
    }
    println!("{} hostile inputs", cases.len());
    assert!(cases.len() > 20);
}

#[test]
fn sizes_are_limited_and_the_limit_can_be_set() {
    let options = ParseOptions::default().with_max_bytes(100);
    let tree = aon_manifest::parse("a.json", vec![b' '; 101], &options);
    assert_eq!(kinds(tree.issues()), [IssueKind::TooLarge]);
    assert!(tree.issues()[0].message().contains("100"));
    let tree = aon_manifest::parse("a.json", b"{}".to_vec(), &options);
    assert!(tree.issues().is_empty());
}

#[test]
fn fifty_megabytes_of_brackets_or_words_do_not_hang() {
    let start = Instant::now();
    for name in ["a.json", "a.yaml"] {
        for unit in ["[", "{", "\"", "a: ", "&a ", "- "] {
            let tree = parse(name, unit.repeat(2_000_000 / unit.len()));
            assert!(!tree.issues().is_empty(), "{unit} as {name}");
        }
    }
    let big = format!(
        "{{\"openapi\": \"3.1.0\", \"paths\": {{}}, \"x\": [{}0]}}",
        "1234567, ".repeat(50 << 20 >> 3)
    );
    let tree = parse("a.json", big);
    assert!(tree.issues().is_empty());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn many_mistakes_are_not_all_listed() {
    let tree = parse("a.json", format!("[{}]", "oops, ".repeat(100_000)));
    assert_eq!(tree.issues().len(), 101);
    assert!(kinds(tree.issues()).contains(&IssueKind::TooManyIssues));
    let text: String = (0..5_000).map(|_| "a: 1\n").collect();
    let tree = parse("a.yaml", text);
    assert!(tree.issues().len() <= 101);
}

#[test]
fn keys_made_to_collide_do_not_slow_the_index_down() {
    let text: String = (0..60_000)
        .map(|n| format!("\"{:08}{:08}\": {n},\n", n, 59_999 - n))
        .collect();
    let start = Instant::now();
    let tree = parse("a.json", format!("{{{}\"end\": 0}}", text));
    assert!(tree.issues().is_empty());
    let root = tree.root().unwrap();
    for n in (0..60_000).step_by(7) {
        assert_eq!(
            root.get(&format!("{:08}{:08}", n, 59_999 - n))
                .unwrap()
                .as_i64(),
            Some(n)
        );
    }
    assert!(start.elapsed().as_secs() < 10);
}

#[test]
fn a_hundred_thousand_mistakes_on_one_line_do_not_take_long() {
    let start = Instant::now();
    let tree = parse(
        "a.json",
        format!("{{{}\"ä\": 1}}", "\"ä\": 1,".repeat(100_000)),
    );
    assert_eq!(tree.issues().len(), 101);
    let tree = parse("a.yaml", "[\n---\n".repeat(100_000));
    assert_eq!(tree.issues().len(), 101);
    let many = "---\nopenapi: 3.1.0\nx: {$ref: '#/nope'}\n".repeat(3_000);
    assert!(Document::from_text("a.yaml", &many).issues().len() >= 3_000);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

fn utf16(text: &str, little: bool, mark: bool) -> Vec<u8> {
    let units = mark
        .then_some(0xfeff)
        .into_iter()
        .chain(text.encode_utf16());
    units
        .flat_map(|unit| {
            if little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        })
        .collect()
}

/// Every line stands for ten of the line before.
fn laughs() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let list = vec![format!("*a{}", n - 1); 10].join(", ");
        text.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    text
}

fn merges() -> String {
    let mut text = String::from("a0: &a0 {x: 1}\n");
    for n in 1..40 {
        text.push_str(&format!(
            "a{n}: &a{n}\n  <<: [*a{0}, *a{0}]\n  k{n}: 1\n",
            n - 1
        ));
    }
    text
}

/// No bomb by number, but as deep as it is long.
fn ladder() -> String {
    let mut text = String::from("a0: &a0 {x: 1}\n");
    for n in 1..3_000 {
        text.push_str(&format!("a{n}: &a{n}\n  <<: *a{}\n", n - 1));
    }
    text
}

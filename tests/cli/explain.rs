//! `aon explain`: offline, with a near miss.

use crate::run::{Folder, aon, aon_in, snapshot};

#[test]
fn a_code_is_explained_in_each_format() {
    for (name, args) in [
        ("explain", &["explain", "invalid_auth_ux"][..]),
        (
            "explain-type",
            &["explain", "pspace://problem/still_provisioning"],
        ),
        (
            "explain-json",
            &["explain", "invalid_auth_ux", "--format", "json"],
        ),
        (
            "explain-markdown",
            &["explain", "invalid_auth_ux", "--format", "markdown"],
        ),
    ] {
        let run = snapshot(name, args, "");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}");
    }
    let page = aon(&["explain", "invalid_auth_ux", "--format", "html"], "");
    assert_eq!(page.code, 0);
    assert!(page.out.starts_with("<!doctype html>") || page.out.starts_with("<!DOCTYPE html>"));
}

#[test]
fn every_code_of_the_catalog_is_explained() {
    let catalog: serde_json::Value =
        serde_json::from_str(&aon(&["catalog"], "").out).expect("a catalog");
    let codes: Vec<&str> = catalog["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter_map(|problem| problem["code"].as_str())
        .collect();
    assert!(codes.len() > 25, "{codes:?}");
    for code in &codes {
        let run = aon(&["explain", code], "");
        assert_eq!(run.code, 0, "{code}: {}", run.err);
        for heading in ["What", "Why"] {
            assert!(run.out.contains(heading), "{code}: {}", run.out);
        }
    }
    println!("codes explained: {}", codes.len());
}

#[test]
fn every_clause_of_the_contract_is_explained() {
    let text = std::fs::read_to_string(aon_tests::place::root().join("docs/contract.md"))
        .expect("the contract");
    let numbers: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    assert!(numbers.len() > 60, "{numbers:?}");
    for number in &numbers {
        let run = aon(&["explain", number], "");
        assert_eq!(run.code, 0, "{number}: {}", run.err);
        assert!(run.out.starts_with(&format!("{number}\n\n")), "{}", run.out);
    }
    let run = aon(&["explain", "s5", "--format", "markdown"], "");
    assert!(run.out.contains("`structuredContent.error`"), "{}", run.out);
    assert_eq!(aon(&["explain", "S99"], "").code, 2);
    println!("clauses explained: {}", numbers.len());
}

#[test]
fn a_near_miss_is_suggested() {
    let run = snapshot("explain-near", &["explain", "invalid_auth_uxx"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("invalid_auth_ux?"));
    let run = aon(&["explain", "nothing_like_any_of_them_at_all"], "");
    assert_eq!(run.code, 2);
    assert!(!run.err.contains("Did you mean"));
}

#[test]
fn a_lint_rule_is_explained_by_name_and_code() {
    let by_name = aon(&["explain", "undeclared-choice"], "");
    assert_eq!((by_name.code, by_name.err.as_str()), (0, ""));
    assert!(
        by_name.out.starts_with("# undeclared-choice (AON101)"),
        "{}",
        by_name.out
    );
    assert_eq!(aon(&["explain", "aon101"], "").out, by_name.out);
    assert_eq!(
        aon(&["lint", "--explain", "undeclared-choice"], "").out,
        by_name.out
    );
    let json = aon(&["explain", "undeclared-choice", "--format", "json"], "");
    let rule: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(rule["code"], "AON101");
    let run = aon(&["explain", "undeclared-choise"], "");
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("Did you mean undeclared-choice?"),
        "{}",
        run.err
    );
    let run = aon(&["explain", "undeclared-choice", "--format", "html"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("markdown"), "{}", run.err);
}

#[test]
fn the_lock_file_of_the_project_is_found_upwards() {
    let folder = Folder::new("explain-lock");
    folder.write(
        "aon.catalog.json",
        r#"{"version":1,"problems":[{"code":"own_code","status":418,"type":"x://problem/own_code","title":"Own"}]}"#,
    );
    let inner = folder.0.join("a/b");
    std::fs::create_dir_all(&inner).expect("folders");
    let run = aon_in(&inner, &["explain", "own_code"], b"");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Own"));
    let other = folder.write("other.json", r#"{"version":1,"problems":[]}"#);
    let run = aon_in(&inner, &["explain", "own_code", "--catalog", &other], b"");
    assert_eq!(run.code, 2);
    folder.write("aon.catalog.json", "{ broken");
    let run = aon_in(&inner, &["explain", "own_code"], b"");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("aon.catalog.json"), "{}", run.err);
}

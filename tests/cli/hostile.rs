//! Files that cannot be read, and files that want to do harm, through the linter and the scorer.

use std::fs;

use aon_tests::place;
use serde_json::Value;

use crate::run::{Folder, Run, aon_in};

/// One finding of `undeclared-choice`, and nothing else.
const GOOD: &str = "slug: auth\noperations:\n  - id: update_auth\n    method: PATCH\n    path: /auth\n    parameters:\n      - { name: auth_ux, in: body, type: string }\n";

fn lint(folder: &Folder, paths: &[&str]) -> (Run, Value) {
    let mut args = vec!["lint", "--format", "json"];
    args.extend(paths);
    let run = aon_in(&folder.0, &args, b"");
    let report = serde_json::from_str(&run.out)
        .unwrap_or_else(|error| panic!("{error}: {} {}", run.out, run.err));
    (run, report)
}

/// File and rule of every finding.
fn found(report: &Value) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().expect("findings");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    findings
        .iter()
        .map(|finding| {
            assert!(finding["line"].as_u64() >= Some(1) && finding["column"].as_u64() >= Some(1));
            assert!(!text(&finding["message"]).is_empty() && !text(&finding["fix"]).is_empty());
            (text(&finding["file"]), text(&finding["rule"]))
        })
        .collect()
}

#[cfg(unix)]
#[test]
fn what_cannot_be_opened_does_not_stop_the_rest() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = Folder::new("unread");
    folder.write("good.aon.yaml", GOOD);
    fs::write(
        folder.0.join("noise.yaml"),
        [0_u8, 159, 146, 150].repeat(50),
    )
    .expect("a file");
    // A part of another document is not a manifest, and nothing is wrong with that.
    folder.write("part.yaml", "operations: &a {$ref: missing.yaml}\n");
    symlink("nowhere.yaml", folder.0.join("gone.yaml")).expect("a link");
    symlink("round.json", folder.0.join("round.json")).expect("a link");
    symlink(".", folder.0.join("again")).expect("a link");
    folder.write("locked.yaml", GOOD);
    let locked = folder.0.join("locked.yaml");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("permissions");
    let mut unread = vec!["gone.yaml", "noise.yaml", "round.json"];
    if fs::File::open(&locked).is_err() {
        unread.push("locked.yaml");
    } else {
        place::say("skipped: a file without permission, because this user may read everything");
        fs::remove_file(&locked).expect("the file goes");
    }
    unread.sort_unstable();
    place::say(&format!(
        "count: {} files that cannot be opened",
        unread.len()
    ));

    let (run, report) = lint(&folder, &["."]);
    assert_eq!(run.code, 2, "{}", run.err);
    let all = found(&report);
    let of = |rule: &str| -> Vec<&str> {
        let some = all.iter().filter(|(_, own)| own == rule);
        some.map(|(file, _)| file.as_str()).collect()
    };
    assert_eq!(of("unreadable-manifest"), unread);
    assert_eq!(of("undeclared-choice"), ["good.aon.yaml"]);

    // The same files by name, and one that never was.
    let (run, report) = lint(&folder, &["good.aon.yaml", "gone.yaml", "never.yaml"]);
    assert_eq!(run.code, 2, "{}", run.err);
    let mut files: Vec<_> = found(&report).into_iter().map(|(file, _)| file).collect();
    files.sort_unstable();
    assert_eq!(files, ["gone.yaml", "good.aon.yaml", "never.yaml"]);

    let run = aon_in(
        &folder.0,
        &["score", "--format", "json", ".", "never.yaml"],
        b"",
    );
    assert_eq!(run.code, 2, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["apis"][0]["slug"], "auth");
    for name in unread.iter().chain(&["never.yaml"]) {
        assert!(
            run.err.contains(&format!("not read: {name}")),
            "{name}: {}",
            run.err
        );
    }
}

#[test]
fn hostile_documents_end_in_a_finding_with_its_place() {
    let deep = 10_000;
    let openapi = |rest: &str| {
        format!("openapi: 3.1.0\ninfo: {{title: Pets, version: '1'}}\npaths: {{}}\n{rest}")
            .into_bytes()
    };
    let refers = |target: &str| {
        openapi(&format!(
            "components: {{schemas: {{Pet: {{$ref: '{target}'}}}}}}\n"
        ))
    };
    let utf16: Vec<u8> = "\u{feff}openapi: 3.1.0\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let list = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    let cases: Vec<(&str, Vec<u8>, i32, &str)> = vec![
        (
            "cut.json",
            br#"{"tools": [{"name": "list_pets"}"#.to_vec(),
            2,
            "unreadable-manifest",
        ),
        (
            "zip.yaml",
            b"PK\x03\x04\x14\x00\x00\x00".to_vec(),
            2,
            "unreadable-manifest",
        ),
        ("wide.yaml", utf16, 2, "unreadable-manifest"),
        (
            "latin.yaml",
            b"openapi: 3.1.0\ninfo: {title: caf\xe9}\n".to_vec(),
            2,
            "unreadable-manifest",
        ),
        ("empty.yaml", Vec::new(), 2, "unreadable-manifest"),
        (
            "tabs.yaml",
            b"openapi: 3.1.0\npaths:\n\t/pets: {}\n".to_vec(),
            2,
            "unreadable-manifest",
        ),
        ("twice.yaml", openapi("paths: {}\n"), 1, "duplicate-key"),
        ("bomb.yaml", openapi(&bomb), 2, "unreadable-manifest"),
        (
            "deep.json",
            "[".repeat(deep).into_bytes(),
            2,
            "unreadable-manifest",
        ),
        (
            "deep.yaml",
            openapi(&format!(
                "x-deep: {}{}\n",
                "[".repeat(deep),
                "]".repeat(deep)
            )),
            2,
            "unreadable-manifest",
        ),
        (
            "nowhere.yaml",
            refers("#/components/schemas/Cat"),
            1,
            "unresolved-reference",
        ),
        (
            "itself.yaml",
            refers("#/components/schemas/Pet"),
            1,
            "unresolved-reference",
        ),
        (
            "url.yaml",
            refers("https://example.com/pet.yaml"),
            1,
            "unresolved-reference",
        ),
        (
            "outside.yaml",
            refers("../../etc/passwd"),
            1,
            "unresolved-reference",
        ),
    ];
    let folder = Folder::new("hostile");
    for (name, bytes, code, rule) in &cases {
        fs::write(folder.0.join(name), bytes).expect("a file");
        let (run, report) = lint(&folder, &[name]);
        assert_eq!(run.code, *code, "{name}: {}", run.out);
        let all = found(&report);
        assert!(
            all.iter().any(|(file, own)| file == name && own == rule),
            "{name}: {all:?}"
        );
        assert!(run.err.is_empty(), "{name}: {}", run.err);
        assert_eq!(
            &fs::read(folder.0.join(name)).expect("the file"),
            bytes,
            "{name}"
        );
    }
    // Nothing of it is changed by a repair either, and together they end like the worst of them.
    let run = aon_in(&folder.0, &["lint", "--fix", "."], b"");
    assert_eq!(run.code, 2, "{}", run.err);
    for (name, bytes, _, _) in &cases {
        assert_eq!(
            &fs::read(folder.0.join(name)).expect("the file"),
            bytes,
            "{name}"
        );
    }
    place::say(&format!(
        "count: {} hostile documents through the linter",
        cases.len()
    ));
}

#[test]
fn fifty_megabytes_are_checked_and_more_than_the_limit_is_refused() {
    let folder = Folder::new("large");
    let words = "All pets of the shop. ".repeat(5_000);
    let mut text = String::from(
        "{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"Pets\", \"version\": \"1\"}, \"paths\": {\n",
    );
    for number in 0..460 {
        let comma = if number == 0 { "" } else { ",\n" };
        text.push_str(&format!("{comma}\"/p{number}\": {{\"get\": {{\"operationId\": \"p{number}\", \"description\": \"{words}\"}}}}"));
    }
    text.push_str("}}\n");
    assert!(text.len() > 50_000_000 && text.len() < 60_000_000);
    folder.write("large.json", &text);
    let (run, report) = lint(&folder, &["large.json"]);
    assert_eq!(
        (run.code, report["summary"]["files"].as_u64()),
        (0, Some(1)),
        "{}",
        run.out
    );
    let padding = " ".repeat(20_000_000);
    folder.write("larger.json", &format!("{text}{padding}"));
    let (run, report) = lint(&folder, &["larger.json"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        found(&report),
        [("larger.json".to_owned(), "unreadable-manifest".to_owned())]
    );
    place::say("count: 2 documents of more than 50 MB");
}

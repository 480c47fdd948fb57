//! Deferral (contract R4): baselines, `aon.toml`, and remarks in place.

use crate::program::{BAD, Folder, PLACE};

#[test]
fn a_baseline_is_written_read_and_reported_when_stale() {
    let folder = Folder::new("baseline", &[("a.aon.yaml", BAD), ("b.aon.yaml", BAD)]);
    let run = folder.lint(&["--write-baseline", "known.json", "--issue", "T-1"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.read("known.json").contains("\"issue\": \"T-1\""));
    let known = ["--baseline", "known.json"];
    assert!(folder.found(&known).is_empty());
    // Lines above do not matter.
    folder.write("a.aon.yaml", &format!("# a remark\n\n{BAD}"));
    assert!(folder.found(&known).is_empty());
    // What is repaired makes its entry stale, also when only this file is named; the other file was not looked at.
    folder.write(
        "a.aon.yaml",
        &format!("{BAD}        enum: [narrow, wide]\n"),
    );
    for args in [&known[..], &["--baseline", "known.json", "a.aon.yaml"]] {
        assert_eq!(
            folder.found(args),
            ["stale-deferral /entries/0"],
            "{args:?}"
        );
    }
    assert!(
        folder
            .found(&["--baseline", "known.json", "b.aon.yaml"])
            .is_empty()
    );
    // A file that is gone is stale when its folder was looked at.
    std::fs::remove_file(folder.0.join("a.aon.yaml")).expect("it goes");
    assert_eq!(
        folder.found(&["--baseline", "known.json", "."]),
        ["stale-deferral /entries/0"]
    );
    // Writing again keeps what was said about the others.
    let run = folder.lint(&["--write-baseline", "known.json", "--issue", "T-2"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = folder.read("known.json");
    assert!(
        text.contains("T-1") && !text.contains("T-2") && !text.contains("a.aon.yaml"),
        "{text}"
    );
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let folder = Folder::new(
        "baseline-bad",
        &[
            ("a.aon.yaml", BAD),
            ("known.json", "{\"entries\": [{\"rule\": \"no-such\"}]}"),
        ],
    );
    let run = folder.lint(&["--baseline", "known.json"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`no-such` is not a rule"), "{}", run.err);
}

#[test]
fn an_expired_entry_sets_nothing_aside() {
    for (expires, found) in [
        ("2999-01-01", &[][..]),
        ("2020-01-01", &["expired-deferral ", PLACE][..]),
    ] {
        let config = format!(
            "[[ignore]]\nfiles = [\"a.aon.yaml\"]\nrules = [\"undeclared-choice\"]\nissue = \"T-1\"\nexpires = {expires}\n"
        );
        let folder = Folder::new("expiry", &[("a.aon.yaml", BAD), ("aon.toml", &config)]);
        let mut all = folder.found(&["a.aon.yaml"]);
        all.sort();
        assert_eq!(all, found, "{expires}");
    }
}

#[test]
fn the_configuration_is_found_upwards() {
    let config = "[lint]\nexclude = [\"old/**\"]\nnames = [\"flavour\"]\nopen-names = [\"width\"]\n\n[rules]\nduplicate-operation-id = \"off\"\n";
    let flavour = BAD
        .replace("width", "flavour")
        .replace("Must be one of narrow or wide.", "The flavour.");
    let twice = "operations:\n  - id: a\n  - id: a\n";
    let folder = Folder::new(
        "config",
        &[
            ("aon.toml", config),
            ("api/a.aon.yaml", BAD),
            ("api/b.aon.yaml", &flavour),
            ("api/c.aon.yaml", twice),
            ("old/d.aon.yaml", BAD),
        ],
    );
    assert_eq!(
        folder.found(&[]),
        [PLACE],
        "own names count, open names and excluded files do not"
    );
    let inner = Folder(folder.0.join("api"));
    assert_eq!(inner.found(&[]), [PLACE]);
    assert_eq!(
        inner.found(&["--no-config"]).len(),
        2,
        "the width and the second id"
    );
    for (level, code) in [("error", 1), ("warning", 0), ("off", 0)] {
        inner.write(
            "aon.toml",
            &format!("[rules]\nundeclared-choice = \"{level}\"\n"),
        );
        let run = inner.lint(&["a.aon.yaml"]);
        assert_eq!(run.code, code, "{level}: {}", run.out);
        assert!(
            level == "off" || run.out.contains(level),
            "{level}: {}",
            run.out
        );
    }
    inner.write("aon.toml", "[rules]\nundeclared-choise = \"off\"\n");
    let run = inner.lint(&["a.aon.yaml"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("did you mean `undeclared-choice`?"),
        "{}",
        run.err
    );
}

#[test]
fn an_entry_of_the_configuration_is_stale_when_all_it_names_was_looked_at() {
    let config = "[[ignore]]\nfiles = [\"api/good.aon.yaml\"]\nrules = [\"undeclared-choice\"]\nreason = \"old\"\n";
    let good = BAD.replace("type: string", "type: string\n        enum: [narrow, wide]");
    let folder = Folder::new(
        "stale-config",
        &[
            ("aon.toml", config),
            ("api/good.aon.yaml", &good),
            ("api/other.aon.yaml", &good),
        ],
    );
    assert_eq!(folder.found(&[]), ["stale-deferral "]);
    assert_eq!(folder.found(&["api/good.aon.yaml"]), ["stale-deferral "]);
    assert!(folder.found(&["api/other.aon.yaml"]).is_empty());
    let inner = Folder(folder.0.join("api"));
    assert_eq!(
        inner.found(&["good.aon.yaml"]),
        ["stale-deferral "],
        "also from below"
    );
    folder.write("aon.toml", &config.replace("api/good.aon.yaml", "api/**"));
    assert_eq!(folder.found(&[]), ["stale-deferral "]);
    assert!(
        folder.found(&["api/good.aon.yaml"]).is_empty(),
        "the pattern may mean others"
    );
}

#[test]
fn a_remark_in_place_needs_a_reason_when_strict() {
    for (remark, relaxed, strict) in [
        (
            "# aon-ignore: undeclared-choice until the widths are settled",
            &[][..],
            &[][..],
        ),
        (
            "# aon-ignore: undeclared-choice",
            &[][..],
            &[PLACE, "unexplained-deferral"][..],
        ),
        (
            "# aon-ignore: undeclared-choise typo",
            &[PLACE, "unknown-deferred-rule"],
            &[PLACE, "unknown-deferred-rule"],
        ),
        (
            "# aon-ignore: duplicate-key nothing here",
            &[PLACE, "stale-deferral"],
            &[PLACE, "stale-deferral"],
        ),
    ] {
        let text = BAD.replace(
            "      - name: width",
            &format!("      {remark}\n      - name: width"),
        );
        let folder = Folder::new("inline", &[("a.aon.yaml", &text)]);
        for (args, wanted) in [
            (&["a.aon.yaml"][..], relaxed),
            (&["--strict", "a.aon.yaml"], strict),
        ] {
            let mut found = folder.found(args);
            found.sort();
            assert_eq!(found.len(), wanted.len(), "{remark}, {args:?}: {found:?}");
            for (found, wanted) in found.iter().zip({
                let mut wanted = wanted.to_vec();
                wanted.sort_unstable();
                wanted
            }) {
                assert!(
                    found.starts_with(wanted),
                    "{remark}, {args:?}: {found}, not {wanted}"
                );
            }
        }
    }
}

#[test]
fn strict_makes_errors_of_warnings() {
    let text = BAD
        .replace("width", "mode")
        .replace("Must be one of narrow or wide.", "How.");
    let folder = Folder::new("strict", &[("a.aon.yaml", &text)]);
    for (args, severity, code) in [
        (&["--format", "json"][..], "warning", 0),
        (&["--format", "json", "--fail-on", "warning"], "warning", 1),
        (&["--format", "json", "--strict"], "error", 1),
        (&["--format", "json", "--strict-native"], "error", 1),
        (
            &["--format", "json", "--strict", "--fail-on", "never"],
            "error",
            0,
        ),
    ] {
        let run = folder.lint(args);
        assert_eq!(run.code, code, "{args:?}");
        assert!(
            run.out.contains(&format!("\"severity\": \"{severity}\"")),
            "{}",
            run.out
        );
    }
}

#[test]
fn json_says_it_in_the_object() {
    let parameter = |ignore: &str| {
        format!(
            r#"{{"operations": [{{"id": "a", "parameters": [{{"name": "mode", "type": "string", "x-aon-ignore": {ignore}}}]}}]}}"#
        )
    };
    for ignore in [
        r#""undeclared-choice not settled""#,
        r#"["undeclared-choice not settled"]"#,
        r#"{"undeclared-choice": "not settled"}"#,
        r#"{"rule": "undeclared-choice", "reason": "not settled"}"#,
        r#"[{"rule": "AON101", "reason": "not settled"}]"#,
    ] {
        let folder = Folder::new("inline-json", &[("a.aon.json", &parameter(ignore))]);
        assert!(folder.found(&["--strict"]).is_empty(), "{ignore}");
    }
}

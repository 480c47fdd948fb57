//! `action.yml`: its inputs are flags the linter has, and its script does what it says.

use std::fs;

use aon_manifest::{Document, Node};
use aon_tests::place;

use crate::program;

fn action() -> Document {
    let text = fs::read_to_string(place::root().join("action.yml")).unwrap();
    Document::from_text("action.yml", &text)
}

fn root(document: &Document) -> Node<'_> {
    document.entry().root().expect("action.yml is YAML")
}

/// The step that runs the linter: its script.
fn script(document: &Document) -> &str {
    let steps = root(document).at("/runs/steps").unwrap();
    steps
        .items()
        .find(|step| step.get_str("id") == Some("lint"))
        .and_then(|step| step.get_str("run"))
        .expect("a step with the id lint")
}

#[test]
fn inputs_are_described_used_and_flags_of_the_linter() {
    let document = action();
    assert!(
        document.entry().issues().is_empty(),
        "{:?}",
        document.entry().issues()
    );
    let root = root(&document);
    assert_eq!(root.at("/runs/using").unwrap().text(), "composite");
    let help = program::written_by(&["lint", "--help"]);
    let script = script(&document);
    let whole = document.entry().source().text();
    let mut flags = 0;
    for input in root.get("inputs").unwrap().members() {
        let name = input.key.text();
        let value = input.value;
        assert!(value.get_str("description").is_some(), "{name}");
        assert!(value.get("default").is_some(), "{name}");
        assert!(
            whole.contains(&format!("inputs.{name} ")),
            "{name} is used nowhere"
        );
        let flag = format!("--{name}");
        if ["paths", "sarif-file", "upload-sarif", "working-directory"].contains(&name) {
            continue;
        }
        assert!(help.contains(&flag), "{flag} is not a flag of the linter");
        assert!(script.contains(&flag), "{flag} is not passed on");
        flags += 1;
    }
    // And the other way round: what the script passes is a flag.
    for word in script.split(|c: char| c.is_whitespace() || "()\"=".contains(c)) {
        if word.len() > 2 && word.starts_with("--") {
            assert!(help.contains(word), "{word} is not a flag of the linter");
        }
    }
    assert!(flags >= 7, "only {flags} inputs are flags");
    for step in root.at("/runs/steps").unwrap().items() {
        let runs = step.get("run").is_some();
        assert!(runs != step.get("uses").is_some());
        assert_eq!(runs, step.get_str("shell") == Some("bash"));
    }
    place::say(&format!("count: action.yml: {flags} inputs are flags"));
}

#[cfg(unix)]
#[test]
fn the_script_annotates_and_fails_and_writes_sarif() {
    use std::process::Command;

    let document = action();
    let folder = program::folder("action");
    let path = program::path_with_aon_lint(&folder);
    fs::write(
        folder.join("bad.aon.yaml"),
        "operations:\n  - id: a\n    parameters: [{ name: auth_ux, in: query, type: string }]\n",
    )
    .unwrap();
    let defaults: Vec<(String, String)> = root(&document)
        .get("inputs")
        .unwrap()
        .members()
        .map(|input| {
            let name = format!("AON_{}", input.key.text().to_uppercase().replace('-', "_"));
            (name, input.value.get("default").unwrap().text().to_owned())
        })
        .collect();
    let run = |changes: &[(&str, &str)]| {
        let said = folder.join("output");
        fs::write(&said, "").unwrap();
        let output = Command::new("bash")
            .args([
                "--noprofile",
                "--norc",
                "-e",
                "-o",
                "pipefail",
                "-c",
                script(&document),
            ])
            .current_dir(&folder)
            .env("PATH", &path)
            .env("GITHUB_OUTPUT", &said)
            .envs(defaults.iter().cloned())
            .envs(changes.iter().copied())
            .output()
            .unwrap();
        (output, fs::read_to_string(&said).unwrap())
    };
    // Warnings alone do not fail a job that did not ask for it.
    let (output, said) = run(&[("AON_PATHS", "bad.aon.yaml")]);
    assert_eq!(output.status.code(), Some(0), "{}", program::said(&output));
    assert!(
        program::said(&output).contains("::warning file=bad.aon.yaml,line=3"),
        "{}",
        program::said(&output)
    );
    assert_eq!(said, "exit-code=0\n");
    let (output, said) = run(&[("AON_PATHS", "bad.aon.yaml"), ("AON_STRICT", "true")]);
    assert_eq!(output.status.code(), Some(1), "{}", program::said(&output));
    assert!(
        program::said(&output).contains("::error file=bad.aon.yaml,line=3"),
        "{}",
        program::said(&output)
    );
    assert_eq!(said, "exit-code=1\n");

    let (output, said) = run(&[("AON_FORMAT", "sarif"), ("AON_STRICT", "true")]);
    assert_eq!(output.status.code(), Some(0), "{}", program::said(&output));
    assert_eq!(said, "sarif-file=aon-lint.sarif\nexit-code=1\n");
    let sarif = fs::read_to_string(folder.join("aon-lint.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["version"], "2.1.0");

    let (output, said) = run(&[("AON_FORMAT", "srif")]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said, "exit-code=2\n");
}

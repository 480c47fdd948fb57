//! `aon score` as a person runs it: files in, report and exit code out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("aon-score-{name}-{}", std::process::id()));
        let folder = Folder(path);
        fs::create_dir_all(&folder.0).expect("a folder for the test");
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(path, text).expect("a file for the test");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn aon(folder: &Path, args: &[&str], input: &str) -> Run {
    use std::io::Write as _;
    let mut child = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .arg("score")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    Run {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

const NOTES: &str = "slug: notes\ntitle: Notes\noperations:\n  - id: read_note\n    method: GET\n    path: /notes/{id}\n    error_responses:\n      - { status: 404, code: no_note }\n";
const TOOLS: &str = r#"{"x-aon-api": "notes", "tools": [{"name": "read_note", "inputSchema": {"type": "object"}}]}"#;

#[test]
fn a_folder_is_scored_and_its_documents_are_joined() {
    let folder = Folder::new(
        "folder",
        &[
            ("notes.aon.yaml", NOTES),
            ("tools.json", TOOLS),
            ("package.json", "{\"name\": \"x\"}"),
        ],
    );
    let run = aon(&folder.0, &["--format", "json", "."], "");
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["apis"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        report["apis"][0]["files"],
        serde_json::json!(["notes.aon.yaml", "tools.json"])
    );
    assert_eq!(report["apis"][0]["scores"]["D5"]["level"], 1);
    assert_eq!(report["apis"][0]["title"], "Notes");
    let table = aon(&folder.0, &[], "");
    assert!(
        table.out.contains("Notes")
            && table.out.contains("D5 parity")
            && !table.out.contains('\u{1b}'),
        "{}",
        table.out
    );
}

#[test]
fn a_group_in_the_configuration_joins_files() {
    let tools = TOOLS.replace("\"x-aon-api\": \"notes\", ", "");
    let folder = Folder::new(
        "group",
        &[
            ("notes.aon.yaml", NOTES),
            ("mcp/tools.json", &tools),
            (
                "aon.toml",
                "[score.groups]\npad = ['notes.aon.yaml', 'mcp/*.json']\n",
            ),
        ],
    );
    let run = aon(&folder.0, &["--format", "json"], "");
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (
            report["corpus"]["apis"].as_u64(),
            report["apis"][0]["slug"].as_str()
        ),
        (Some(1), Some("pad"))
    );
    folder.write("aon.toml", "[score.groups]\npad = 7\n");
    let run = aon(&folder.0, &["--format", "json"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("aon.toml"), "{}", run.err);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_scored() {
    let files = [
        ("a.yaml", NOTES),
        ("broken.yaml", "openapi: 3.1.0\npaths: {\n"),
        ("broken.json", "{\"openapi\": \"3.1.0\", \"paths\": {"),
        ("binary.kno", "\u{0}\u{1}"),
    ];
    let folder = Folder::new("broken", &files);
    let run = aon(&folder.0, &["--format", "json", ".", "missing.yaml"], "");
    assert_eq!(run.code, 2);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["apis"].as_array().map(Vec::len), Some(1));
    let unread: Vec<&str> = report["unread"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["file"].as_str().expect("a file"))
        .collect();
    assert_eq!(
        unread,
        ["binary.kno", "broken.json", "broken.yaml", "missing.yaml"]
    );
    assert!(run.err.contains("missing.yaml"));
    let named = Folder::new("named", &[("a.yaml", NOTES), ("other.json", "{\"x\": 1}")]);
    assert_eq!(
        aon(&named.0, &["a.yaml", "other.json"], "").code,
        2,
        "a file that is named must be a manifest"
    );
    assert_eq!(
        aon(&named.0, &["."], "").code,
        0,
        "a file in a folder need not be one"
    );
    let empty = Folder::new("empty", &[]);
    let run = aon(&empty.0, &[], "");
    assert_eq!((run.code, run.err.contains("no manifest")), (2, true));
}

#[test]
fn exit_codes_follow_the_threshold_and_the_comparison() {
    let folder = Folder::new("exit", &[("notes.aon.yaml", NOTES)]);
    assert_eq!(aon(&folder.0, &["--fail-under", "0"], "").code, 0);
    assert_eq!(aon(&folder.0, &["--fail-under", "1"], "").code, 1);
    assert_eq!(aon(&folder.0, &["--fail-under", "5"], "").code, 2);
    assert_eq!(
        aon(
            &folder.0,
            &["--output", "old.report", "--format", "json"],
            ""
        )
        .code,
        0
    );
    fs::rename(folder.0.join("old.report"), folder.0.join("old.txt")).expect("a new name");
    assert_eq!(
        aon(
            &folder.0,
            &["--compare", "old.txt", "--fail-on-regression"],
            ""
        )
        .code,
        0
    );
    folder.write(
        "notes.aon.yaml",
        &NOTES.replace("404, code: no_note", "404"),
    );
    let run = aon(&folder.0, &["--compare", "old.txt"], "");
    assert_eq!(run.code, 0);
    assert!(run.out.contains("Notes D2: level 2 → 1 ("), "{}", run.out);
    assert_eq!(
        aon(
            &folder.0,
            &["--compare", "old.txt", "--fail-on-regression"],
            ""
        )
        .code,
        1
    );
    assert_eq!(aon(&folder.0, &["--compare", "notes.aon.yaml"], "").code, 2);
    assert_eq!(aon(&folder.0, &["--fail-on-regression"], "").code, 2);
}

#[test]
fn every_format_and_question_is_answered() {
    let folder = Folder::new("formats", &[("notes.aon.yaml", NOTES)]);
    for (args, wanted) in [
        (vec!["--format", "html"], "<svg class=\"radar\""),
        (vec!["--format", "markdown"], "| Notes |"),
        (vec!["--format", "badge"], "<svg xmlns"),
        (vec!["--explain", "D3"], "D3 remediation"),
        (vec!["--explain", "parity"], "D5 parity"),
        (vec!["--next"], "next steps"),
        (vec!["--next", "--format", "json"], "\"next\""),
        (vec!["--color", "always"], "\u{1b}["),
    ] {
        let run = aon(&folder.0, &args, "");
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        assert!(run.out.contains(wanted), "{args:?}: {}", run.out);
    }
    let run = aon(&folder.0, &["--explain", "D9"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("D9"), "{}", run.err);
    let run = aon(
        &folder.0,
        &["-", "--stdin-filename", "x.aon.yaml", "--format", "json"],
        NOTES,
    );
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["apis"][0]["file"], "x.aon.yaml");
}

#[test]
fn the_order_of_arguments_does_not_matter() {
    let folder = Folder::new("order", &[("notes.aon.yaml", NOTES), ("tools.json", TOOLS)]);
    let one = aon(
        &folder.0,
        &["--format", "json", "notes.aon.yaml", "tools.json"],
        "",
    );
    let other = aon(
        &folder.0,
        &["--format", "json", "tools.json", "notes.aon.yaml"],
        "",
    );
    assert_eq!(one.out, other.out);
}

//! `.pre-commit-hooks.yaml` with the real `pre-commit`.

use std::fs;

use aon_manifest::{Document, Node};
use aon_tests::place;

/// The members of a hook that a local configuration repeats.
const COPIED: &[&str] = &["id", "name", "entry", "files"];

fn hooks() -> Document {
    let text = fs::read_to_string(place::root().join(".pre-commit-hooks.yaml")).unwrap();
    Document::from_text(".pre-commit-hooks.yaml", &text)
}

fn list(document: &Document) -> Vec<Node<'_>> {
    document.entry().root().unwrap().items().collect()
}

#[test]
fn every_hook_runs_the_linter_and_knows_the_names_of_manifests() {
    let document = hooks();
    let hooks = list(&document);
    assert!(hooks.len() >= 3);
    for hook in &hooks {
        for member in COPIED.iter().chain(&["description", "language"]) {
            assert!(hook.get_str(member).is_some(), "{member} is missing");
        }
        let mut words = hook.get_str("entry").unwrap().split(' ');
        let expected = match hook.get_str("language") {
            Some("system") => "aon-lint",
            Some("script") => "crates/cli/pre-commit.sh",
            other => panic!("{other:?} is tried by nobody"),
        };
        assert_eq!(words.next(), Some(expected));
        let help = crate::program::written_by(&["lint", "--help"]);
        for flag in words {
            assert!(help.contains(flag), "{flag} is no flag of the linter");
        }
        assert_eq!(hook.get_str("files"), hooks[0].get_str("files"));
    }
}

#[cfg(unix)]
#[test]
fn the_script_builds_once_and_then_checks() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use crate::program::{aon, folder, said};

    // A checkout whose cargo puts the program under test where a build would.
    let folder = folder("script");
    let script = folder.join("crates/cli/pre-commit.sh");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::copy(place::root().join("crates/cli/pre-commit.sh"), &script).unwrap();
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let cargo = format!(
        "#!/bin/sh\necho \"$PWD $*\" >> ../built\nmkdir -p target/release\nprintf '#!/bin/sh\\nexec {} lint \"$@\"\\n' > target/release/aon-lint\nchmod +x target/release/aon-lint\n",
        aon().display()
    )
    .replace("../built", folder.join("built").to_str().unwrap());
    fs::write(bin.join("cargo"), cargo).unwrap();
    fs::set_permissions(bin.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let work = folder.join("work");
    fs::create_dir_all(&work).unwrap();
    fs::write(
        work.join("a.aon.yaml"),
        "operations:\n  - id: a\n    parameters: [{ name: auth_ux, in: query, type: string }]\n",
    )
    .unwrap();
    for _ in 0..2 {
        let output = Command::new(&script)
            .args(["--format", "json", "a.aon.yaml"])
            .current_dir(&work)
            .env(
                "PATH",
                format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()),
            )
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["findings"][0]["file"], "a.aon.yaml");
    }
    let built = fs::read_to_string(folder.join("built")).unwrap();
    assert_eq!(built.lines().count(), 1, "{built}");
    assert!(built.starts_with(folder.to_str().unwrap()), "{built}");
    assert!(
        built.contains("--package aon-cli --bin aon-lint"),
        "{built}"
    );
}

#[cfg(unix)]
#[test]
fn a_commit_with_an_undeclared_choice_is_refused_and_the_fixed_one_passes() {
    use std::process::{Command, Output};

    use crate::program::{folder, path_with_aon_lint, said};

    const BAD: &str = "operations:\n  - id: update\n    method: PATCH\n    path: /auth\n    parameters:\n      - { name: auth_ux, in: query, type: string }\n";

    let Some(tools) = place::tools("the hooks with pre-commit", "venv/bin/pre-commit") else {
        place::say("skipped: the hooks with pre-commit, the tools are not there; run .ci/tools");
        return;
    };
    let folder = folder("hooks");
    let path = path_with_aon_lint(&folder);
    let repository = folder.join("repository");
    fs::create_dir_all(&repository).unwrap();
    let run = |program: &str, args: &[&str]| -> Output {
        Command::new(program)
            .args(args)
            .current_dir(&repository)
            .env("PATH", &path)
            .env("PRE_COMMIT_HOME", folder.join("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap()
    };
    let fine = |output: Output| {
        assert!(output.status.success(), "{}", said(&output));
    };
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        run("git", &[&who[..], args].concat())
    };

    // The installed hook as a local one: the same entry and files, in the form a project writes.
    let document = hooks();
    let hook = list(&document)
        .into_iter()
        .find(|hook| hook.get_str("language") == Some("system"))
        .expect("a hook for an installed program");
    let mut config = "repos:\n- repo: local\n  hooks:\n  - language: system\n".to_owned();
    for member in COPIED {
        let value = serde_json::to_string(hook.get_str(member).unwrap()).unwrap();
        config += &format!("    {member}: {value}\n");
    }
    fs::write(repository.join(".pre-commit-config.yaml"), config).unwrap();
    let pre_commit = tools.join("venv/bin/pre-commit");
    let pre_commit = pre_commit.to_str().unwrap();
    fine(git(&["init", "--quiet"]));
    fine(run(
        pre_commit,
        &[
            "validate-manifest",
            place::root()
                .join(".pre-commit-hooks.yaml")
                .to_str()
                .unwrap(),
        ],
    ));
    fine(run(pre_commit, &["install"]));

    fs::write(repository.join("auth.aon.yaml"), BAD).unwrap();
    fs::write(repository.join("notes.yaml"), "kind: [\n").unwrap();
    fine(git(&["add", "-A"]));
    let refused = git(&["commit", "--quiet", "-m", "bad"]);
    assert!(!refused.status.success(), "the commit was not refused");
    let text = said(&refused);
    assert!(
        text.contains("undeclared-choice") && text.contains("auth.aon.yaml"),
        "{text}"
    );
    assert!(!text.contains("notes.yaml"), "{text}");

    let good = BAD.replace("type: string", "type: string, enum: [hosted, custom]");
    fs::write(repository.join("auth.aon.yaml"), good).unwrap();
    fine(git(&["add", "-A"]));
    fine(git(&["commit", "--quiet", "-m", "good"]));
    let log = git(&["log", "--format=%s"]);
    assert_eq!(said(&log).trim(), "good");
    place::say("count: the hooks with pre-commit: 1 commit refused, 1 accepted");
}

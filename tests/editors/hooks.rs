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
        let language = hook.get_str("language");
        assert!(
            matches!(language, Some("system" | "python")),
            "{language:?} is tried by nobody"
        );
        assert_eq!(words.next(), Some("aon-lint"));
        let help = crate::program::written_by(&["lint", "--help"]);
        for flag in words {
            assert!(help.contains(flag), "{flag} is not a flag of the linter");
        }
        assert_eq!(hook.get_str("files"), hooks[0].get_str("files"));
    }
}

#[test]
fn the_hooks_install_the_wheel_of_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |file: &str| fs::read_to_string(place::root().join(file)).unwrap();
    let hooks = read("pyproject.toml");
    assert!(
        hooks.contains(&format!("dependencies = [\"aon-cli=={version}\"]")),
        "{hooks}"
    );
    assert!(
        hooks.contains(&format!("version = \"{version}\"")),
        "{hooks}"
    );
    assert!(read("crates/cli/pyproject.toml").contains("name = \"aon-cli\""));
    // What `aon init` writes names the tag of this version too.
    for file in ["hook.yaml", "workflow.yml"] {
        let text = read(&format!("crates/cli/src/commands/init/{file}"));
        assert!(text.contains(&format!("v{version}")), "{file}");
    }
}

/// A published wheel is there in seconds; until then it is the one that `.ci/install` has built.
#[cfg(unix)]
#[test]
fn the_first_run_with_the_wheel_takes_seconds() {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use crate::program::{folder, said};

    let suite = "the hook with a wheel";
    let Some(tools) = place::tools(suite, "venv/bin/pre-commit") else {
        return;
    };
    let wheels = place::target().join("wheels");
    if !wheels.is_dir() {
        place::say(&format!(
            "skipped: {suite}, there is no wheel; run .ci/install wheel"
        ));
        return;
    }
    let folder = folder("wheel");
    let git = |place: &std::path::Path, args: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(args)
            .current_dir(place)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        said(&output).trim().to_owned()
    };
    let (hooks, repository) = (folder.join("hooks"), folder.join("repository"));
    for place in [&hooks, &repository] {
        fs::create_dir_all(place).unwrap();
        git(place, &["init", "--quiet"]);
    }
    fs::create_dir_all(hooks.join("packaging/python")).unwrap();
    for file in [
        ".pre-commit-hooks.yaml",
        "pyproject.toml",
        "packaging/python/hooks.py",
    ] {
        fs::copy(place::root().join(file), hooks.join(file)).unwrap();
    }
    git(&hooks, &["add", "-A"]);
    git(&hooks, &["commit", "--quiet", "-m", "hooks"]);
    let revision = git(&hooks, &["rev-parse", "HEAD"]);
    let config = format!(
        "repos:\n  - repo: {}\n    rev: {revision}\n    hooks: [{{ id: aon-lint }}]\n",
        hooks.display()
    );
    fs::write(repository.join(".pre-commit-config.yaml"), config).unwrap();
    fs::write(
        repository.join("a.aon.yaml"),
        "operations:\n  - id: a\n    parameters: [{ name: auth_ux, in: query, type: string }]\n",
    )
    .unwrap();
    git(&repository, &["add", "-A"]);
    let start = Instant::now();
    let output = Command::new(tools.join("venv/bin/pre-commit"))
        .arg("run")
        .current_dir(&repository)
        .env("PRE_COMMIT_HOME", folder.join("home"))
        .env("PIP_FIND_LINKS", &wheels)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE")
        .output()
        .unwrap();
    let taken = start.elapsed();
    assert!(
        said(&output).contains("undeclared-choice"),
        "{}",
        said(&output)
    );
    place::say(&format!(
        "measure: first run of the hook: {:.1} s",
        taken.as_secs_f64()
    ));
    assert!(taken < Duration::from_secs(15), "it took {taken:?}");
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

//! `aon init`: writes what is missing, never what is there, and says both.

use std::fs;

use crate::run::{Folder, aon, aon_in};

const FILES: [&str; 3] = [
    "aon.toml",
    ".pre-commit-config.yaml",
    ".github/workflows/aon.yml",
];

#[test]
fn an_empty_repository_gets_all_files_and_they_are_what_their_readers_want() {
    let folder = Folder::new("init-empty");
    let run = aon_in(&folder.0, &["init"], b"");
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    for file in FILES {
        assert!(run.out.contains(&format!("wrote    {file}")), "{}", run.out);
        assert!(folder.0.join(file).is_file(), "{file}");
    }
    // The settings are read by the linter and by the generator.
    fs::write(
        folder.0.join("a.aon.yaml"),
        "slug: a\noperations:\n  - { id: a, method: GET, path: /a }\n",
    )
    .expect("a manifest");
    let lint = aon_in(&folder.0, &["lint", "a.aon.yaml"], b"");
    assert!(lint.code <= 1, "{}", lint.err);
    let made = aon_in(
        &folder.0,
        &["gen", "--target", "python", "--out", "out", "a.aon.yaml"],
        b"",
    );
    assert_eq!(made.code, 0, "{}", made.err);
}

#[test]
fn what_is_there_is_kept_and_what_to_add_is_said() {
    let folder = Folder::new("init-there");
    let own = "repos: []\n";
    fs::write(folder.0.join(".pre-commit-config.yaml"), own).expect("a file");
    fs::write(folder.0.join("aon.toml"), "# mine\n").expect("a file");
    let run = aon_in(&folder.0, &["init"], b"");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("kept     aon.toml"), "{}", run.out);
    assert!(
        run.out.contains("kept     .pre-commit-config.yaml"),
        "{}",
        run.out
    );
    assert!(run.out.contains("- id: aon-lint"), "{}", run.out);
    assert!(
        run.out.contains("wrote    .github/workflows/aon.yml"),
        "{}",
        run.out
    );
    let read = |file: &str| fs::read_to_string(folder.0.join(file)).expect("a file");
    assert_eq!(read(".pre-commit-config.yaml"), own);
    assert_eq!(read("aon.toml"), "# mine\n");

    // A second run changes nothing.
    let before = FILES.map(read);
    let again = aon_in(&folder.0, &["init"], b"");
    assert_eq!(again.code, 0);
    assert!(!again.out.contains("wrote"), "{}", again.out);
    assert_eq!(FILES.map(read), before);
}

#[test]
fn what_is_not_a_folder_is_wrong_usage() {
    let run = aon(&["init", "no-such-folder"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("no-such-folder"), "{}", run.err);
}

#[test]
fn what_to_add_to_a_hook_file_is_indented_as_the_file_is() {
    let folder = Folder::new("init-indent");
    let path = folder.0.join(".pre-commit-config.yaml");
    let own = "repos:\n- repo: https://github.com/psf/black\n  rev: 24.1.0\n  hooks:\n  - id: black\n# aon-lint may come later\n";
    fs::write(&path, own).expect("a file");
    let run = aon_in(&folder.0, &["init"], b"");
    assert!(
        run.out
            .contains("under `repos`:\n\n- repo: https://github.com/aon-rs/aon\n  rev: v"),
        "{}",
        run.out
    );
    // The hook is not there yet, and the last line does not say that it is.
    assert!(
        run.out.contains("Next: add what is shown above"),
        "{}",
        run.out
    );
    let (_, addition) = run.out.split_once("`repos`:\n\n").expect("an addition");
    let (addition, _) = addition.split_once("\n\n").expect("its end");
    fs::write(&path, format!("{own}{addition}\n")).expect("a file");
    let again = aon_in(&folder.0, &["init"], b"");
    assert!(
        again
            .out
            .contains(".pre-commit-config.yaml: it runs aon-lint already"),
        "{}",
        again.out
    );
}

#[test]
fn a_repository_whose_own_workflow_runs_the_linter_gets_no_second_one() {
    let folder = Folder::new("init-workflow");
    let workflows = folder.0.join(".github/workflows");
    fs::create_dir_all(&workflows).expect("a folder");
    let own = "on: push\njobs:\n  lint:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npx aon-lint api\n";
    fs::write(workflows.join("checks.yml"), own).expect("a file");
    let run = aon_in(&folder.0, &["init"], b"");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out
            .contains("kept     .github/workflows/checks.yml: it runs aon-lint already"),
        "{}",
        run.out
    );
    assert!(!workflows.join("aon.yml").exists());
}

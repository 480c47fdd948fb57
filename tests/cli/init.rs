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

//! Completions and manual pages: they are there, they name everything, and the shells take them.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use aon_tests::place;

use crate::program::{folder, said, written_by};

/// The commands that `aon --help` lists.
fn commands() -> Vec<String> {
    let help = written_by(&["--help"]);
    let list = help
        .split("Commands:\n")
        .nth(1)
        .expect("a list of commands");
    let names: Vec<String> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    names
}

#[test]
fn completions_name_every_command_and_flag() {
    let commands = commands();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = written_by(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        let script = written_by(&["completions", shell, "--for", "aon-lint"]);
        for flag in ["stdin-filename", "explain", "watch"] {
            assert!(script.contains(flag), "{shell}: {flag}");
        }
    }
    place::say(&format!(
        "count: completions: 5 shells, {} commands",
        commands.len()
    ));
}

#[test]
fn shells_accept_the_scripts() {
    let mut accepted = 0;
    for shell in ["bash", "zsh", "fish"] {
        for program in ["aon", "aon-lint"] {
            let script = written_by(&["completions", shell, "--for", program]);
            let started = Command::new(shell)
                .args(["-n", "/dev/stdin"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            let Ok(mut child) = started else {
                place::say(&format!(
                    "skipped: completions in {shell}, it is not installed"
                ));
                continue;
            };
            child
                .stdin
                .take()
                .unwrap()
                .write_all(script.as_bytes())
                .unwrap();
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{shell}: {}", said(&output));
            accepted += 1;
        }
    }
    place::say(&format!(
        "count: completions: {accepted} scripts accepted by their shells"
    ));
    assert!(accepted > 0, "no shell is installed");
}

#[test]
fn bash_completes_a_command() {
    let script = written_by(&["completions", "bash"]);
    let test = format!(
        "{script}\nCOMP_WORDS=(aon explai) COMP_CWORD=1\n_aon aon explai aon\necho \"${{COMPREPLY[@]}}\"\n"
    );
    let output = Command::new("bash").args(["-c", &test]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "explain",
        "{}",
        said(&output)
    );
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let commands = commands();
    let page = written_by(&["man"]);
    assert!(page.contains(".TH aon 1"), "{page}");
    for command in commands.iter().filter(|command| *command != "help") {
        assert!(
            page.contains(&format!("aon\\-{command}(1)")),
            "{command} is not in the page"
        );
        let own = written_by(&["man", command]);
        assert!(own.contains(".SH OPTIONS"), "{command}");
    }
    assert_eq!(
        written_by(&["man", "catalog", "diff"]),
        written_by(&["man", "aon-catalog-diff"])
    );

    let folder = folder("man");
    let written = written_by(&["man", "--out", folder.to_str().unwrap()]);
    let files = fs::read_dir(&folder).unwrap().count();
    assert_eq!(written.lines().count(), files);
    assert!(files > commands.len(), "{files} pages");
    place::say(&format!("count: manual: {files} pages"));
}

#[test]
fn an_unknown_page_or_shell_is_a_problem_with_the_nearest_word() {
    for (args, meant) in [
        (["man", "explian"], "Did you mean explain?"),
        (["completions", "bsh"], "bash"),
    ] {
        let output = Command::new(crate::program::aon())
            .args(args)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(meant), "{}", said(&output));
    }
}

//! Every command of the chapters that are walked through step by step, run in order, in an empty folder.
//!
//! A block `console` holds commands behind `$ ` and what they print; `…` stands for any text, a line of it for any lines. A command that
//! ends in `&` goes on in the background, and what stands below it is waited for. A block that says `file=` is a file. Ports are exchanged for free ones.
//!
//! `cargo run` and `cargo test` start what the suites have built from the same file. `AON_BOOK_CARGO=1` lets cargo build it in the folder
//! instead, which takes minutes the first time.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs};

use aon_tests::place;

use crate::fences::{Fence, fences};

/// The chapters whose commands are run.
const PAGES: [&str; 7] = [
    "../README.md",
    "getting-started.md",
    "agents.md",
    "api-owners.md",
    "how-to/generate-a-client.md",
    "how-to/keep-codes-stable.md",
    "how-to/read-the-book-offline.md",
];

/// Commands that `.ci/install` runs, because they build everything anew.
const INSTALLED: [&str; 1] = ["cargo install --path crates/cli"];

/// The ports of the book.
const PORTS: [&str; 3] = ["8787", "8788", "3000"];

#[test]
fn the_commands_of_the_book_do_what_it_says() {
    let mut ran = 0;
    for name in PAGES {
        let text = fs::read_to_string(place::root().join("docs").join(name)).expect(name);
        let fences = fences(&text);
        let mut walk = Walk::new(name);
        let before = ran;
        for fence in &fences {
            match (fence.language(), fence.file()) {
                (_, Some(file)) => walk.write(file, &fence.text),
                ("console", None) => ran += walk.run(fence),
                _ => {}
            }
        }
        assert!(ran > before, "{name} has no commands");
    }
    assert!(ran >= 25, "only {ran} commands");
    place::say(&format!(
        "count: commands of the book, {ran} on {} pages",
        PAGES.len()
    ));
}

#[test]
fn the_program_of_the_first_chapter_is_the_one_that_is_built() {
    let text = fs::read_to_string(place::root().join("docs/getting-started.md")).expect("it");
    let shown = fences(&text);
    let shown = shown
        .iter()
        .find(|fence| fence.file() == Some("shop/src/main.rs"))
        .expect("the program");
    let built = fs::read_to_string(place::root().join("tests/book/shop.rs")).expect("it");
    assert_eq!(
        shown.text, built,
        "docs/getting-started.md and tests/book/shop.rs differ"
    );
}

#[test]
fn what_another_script_runs_is_run_there() {
    let script = fs::read_to_string(place::root().join(".ci/install")).expect("the script");
    for command in INSTALLED {
        let (program, rest) = command.split_once(" --").expect("an option");
        assert!(
            script.contains(program) && script.contains(&format!("--{rest}")),
            "{command}"
        );
    }
}

/// One reader who walks through a page.
struct Walk {
    page: &'static str,
    root: PathBuf,
    /// Where the reader is.
    folder: PathBuf,
    path: String,
    ports: Vec<(&'static str, String)>,
    running: Vec<Child>,
}

impl Walk {
    fn new(page: &'static str) -> Self {
        let name = page.replace(['/', '.'], "-");
        let root = env::temp_dir().join(format!("aon-book-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).expect("a folder");
        let ports: Vec<_> = PORTS.iter().map(|port| (*port, free_port())).collect();
        let mut walk = Self {
            page,
            folder: root.clone(),
            path: format!(
                "{}:{}",
                root.join("bin").display(),
                env::var("PATH").unwrap_or_default()
            ),
            root,
            ports,
            running: Vec::new(),
        };
        walk.install();
        walk
    }

    /// The programs as they are called when they are installed.
    fn install(&mut self) {
        let aon = env!("CARGO_BIN_EXE_aon-under-test");
        let shop = env!("CARGO_BIN_EXE_shop");
        self.program("aon", &format!("exec '{aon}' \"$@\""));
        self.program("aon-lint", &format!("exec '{aon}' lint \"$@\""));
        if env::var_os("AON_BOOK_CARGO").is_some() {
            return;
        }
        // The one that runs this suite, so that nothing is built anew.
        let cargo = env::var("CARGO").expect("cargo runs the suites");
        let port = |of: &str| {
            let found = self.ports.iter().find(|(own, _)| *own == of);
            found.expect("a port of the book").1.clone()
        };
        let (port, demo) = (port("3000"), port("8787"));
        // The programs of the README are built beside the suites, from the same features.
        let script = format!(
            r#"case "$*" in
'run --release -- demo') exec '{aon}' demo --port {demo} ;;
'run --release -- '*) shift 3; exec '{aon}' "$@" ;;
'run -p aon-examples --bin '*) cd '{project}' && '{cargo}' build --quiet --workspace --all-features --bin "$5" && ADDRESS=127.0.0.1:{port} exec "$(dirname '{aon}')/$5" ;;
esac
case "$1" in
run) mkdir -p target/debug && cp '{shop}' target/debug/shop && exec target/debug/shop 127.0.0.1:{port} ;;
test) cd '{project}' && exec '{cargo}' test --quiet --workspace --all-features --bin shop ;;
*) exec '{cargo}' "$@" ;;
esac"#,
            project = place::root().display()
        );
        self.program("cargo", &script);
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.root.join("bin").join(name);
        fs::create_dir_all(self.root.join("bin")).expect("a folder");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    }

    /// The text with the ports of this walk.
    fn here(&self, text: &str) -> String {
        self.ports
            .iter()
            .fold(text.to_owned(), |text, (own, free)| {
                text.replace(&format!(":{own}"), &format!(":{free}"))
                    .replace(&format!("--port {own}"), &format!("--port {free}"))
            })
    }

    /// Writes a file of the page. The end of a `Cargo.toml` takes the place of the one that `cargo new` wrote.
    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        let mut text = self.here(text);
        if file.ends_with("Cargo.toml") {
            let start = fs::read_to_string(&path).expect("cargo new wrote it");
            let start = start.split("[dependencies]").next().unwrap_or_default();
            let aon = format!("path = \"{}\"", place::root().join("crates/aon").display());
            let git = r#"git = "https://github.com/aon-rs/aon""#;
            assert!(text.contains(git), "{}: no {git}", self.page);
            text = format!("{start}{}\n[workspace]\n", text.replace(git, &aon));
        }
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        if file.ends_with("Cargo.toml") {
            self.resolves(&path);
        }
    }

    /// The dependencies of the page exist, with these features.
    fn resolves(&self, manifest: &Path) {
        fs::copy(
            place::root().join("Cargo.lock"),
            manifest.with_file_name("Cargo.lock"),
        )
        .expect("the versions that are here");
        let metadata = |offline: &[&str]| {
            Command::new(env::var("CARGO").expect("cargo runs the suites"))
                .args(["metadata", "--format-version=1", "--manifest-path"])
                .arg(manifest)
                .args(offline)
                .output()
                .expect("cargo runs")
        };
        // Where only this workspace was built, crates of other platforms are not on the disk yet.
        let output = Some(metadata(&["--offline"]))
            .filter(|output| output.status.success())
            .unwrap_or_else(|| metadata(&[]));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", self.page);
    }

    /// Runs the commands of a block, and returns how many there were.
    fn run(&mut self, fence: &Fence) -> usize {
        let mut steps: Vec<(String, Vec<String>)> = Vec::new();
        for line in fence.text.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push((command.to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(self.here(line)),
                (None, None) => panic!("{}:{}: no command", self.page, fence.line),
            }
        }
        for (command, wanted) in &steps {
            let place = format!("{}:{}: $ {command}", self.page, fence.line);
            if INSTALLED.contains(&command.as_str()) {
                continue;
            }
            if let Some(folder) = command.strip_prefix("cd ") {
                self.folder = self.folder.join(folder);
                assert!(self.folder.is_dir(), "{place}");
                continue;
            }
            let command = self.here(command);
            let said = match command.strip_suffix(" &") {
                Some(command) => self.start(command, wanted.len(), &place),
                None => self.finish(&command, &place),
            };
            let lines: Vec<&str> = said.lines().collect();
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            assert!(
                fits(&wanted, &lines),
                "{place}\n--- the book\n{}\n--- came\n{said}",
                wanted.join("\n")
            );
        }
        steps.len()
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(command)
            .current_dir(&self.folder)
            .env("PATH", &self.path)
            .env("COLUMNS", "200")
            .stdin(Stdio::null());
        shell
    }

    /// A finding is exit code 1, and what the book shows then; anything above is a failure.
    fn finish(&self, command: &str, place: &str) -> String {
        let output = self.shell(command).output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code().is_some_and(|code| code <= 1),
            "{place}\n{}\n{said}{errors}",
            output.status
        );
        said + &errors
    }

    /// Starts a program, and returns its first lines.
    fn start(&mut self, command: &str, lines: usize, place: &str) -> String {
        let mut child = self
            .shell(&format!("exec {command}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        self.running.push(child);
        let (told, heard) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = told.send(line);
            }
        });
        let wait = Duration::from_secs(if env::var_os("AON_BOOK_CARGO").is_some() {
            900
        } else {
            // A program of the README may have to be built.
            240
        });
        let said: Vec<String> = (0..lines)
            .map(|_| {
                heard
                    .recv_timeout(wait)
                    .unwrap_or_else(|error| panic!("{place}: {error}"))
            })
            .collect();
        said.join("\n")
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener
        .local_addr()
        .expect("its number")
        .port()
        .to_string()
}

/// Whether the lines are those of the book.
fn fits(wanted: &[&str], lines: &[&str]) -> bool {
    match (wanted.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => {
            fits(rest, lines)
                || lines
                    .split_first()
                    .is_some_and(|(_, lines)| fits(wanted, lines))
        }
        (Some((first, rest)), Some((line, lines))) => line_fits(first, line) && fits(rest, lines),
        _ => false,
    }
}

/// `a…b` fits every line that starts with `a` and ends with `b`; parts in between must come in order.
fn line_fits(wanted: &str, line: &str) -> bool {
    let mut parts = wanted.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    last.map_or(rest.is_empty(), |last| line.ends_with(last))
}

#[test]
fn the_marks_stand_for_any_text() {
    assert!(line_fits("a … c", "a b c"));
    assert!(line_fits("{…\"x\":1…}", "{\"y\":2,\"x\":1,\"z\":3}"));
    assert!(!line_fits("{…\"x\":1…}", "{\"y\":2}"));
    assert!(!line_fits("a", "ab"));
    assert!(fits(&["…", "b", "…"], &["a", "b", "c"]));
    assert!(!fits(&["…", "b"], &["a", "c"]));
    assert!(!fits(&[], &["a"]));
}

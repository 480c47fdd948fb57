//! Starts `aon lint` in a folder of its own.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use aon_tests::place;

/// What one run left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// The findings of a run with `--format json`, as `rule pointer`.
    pub fn found(&self) -> Vec<String> {
        let report: serde_json::Value = serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err));
        report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|finding| {
                format!(
                    "{} {}",
                    finding["rule"].as_str().unwrap_or(""),
                    finding["pointer"].as_str().unwrap_or("")
                )
            })
            .collect()
    }
}

/// The program `aon`.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aon-under-test"));
    command
        .arg("lint")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS");
    command
}

/// A clean folder below the build directory, with files in it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = place::target().join("lint-suite").join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).expect("an old folder goes");
        }
        fs::create_dir_all(&path).expect("a folder for the test");
        let folder = Folder(fs::canonicalize(path).expect("it is there"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file for the test");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("the file is there")
    }

    /// Runs `aon lint` here.
    pub fn lint(&self, args: &[&str]) -> Run {
        self.lint_with(args, "")
    }

    /// Runs `aon lint` here, with something on standard input.
    pub fn lint_with(&self, args: &[&str], input: &str) -> Run {
        let mut child = program()
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("standard input is piped");
        let input = input.to_owned();
        let feeder = std::thread::spawn(move || {
            // A program that does not read its input closes the pipe; that is its right.
            let _ = stdin.write_all(input.as_bytes());
        });
        let output = child.wait_with_output().expect("the program ends");
        feeder.join().expect("the feeder ends");
        Run {
            code: output.status.code().expect("the program was not killed"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Runs `aon lint --format json` here and gives the findings.
    pub fn found(&self, args: &[&str]) -> Vec<String> {
        let all: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
        self.lint(&all).found()
    }
}

/// A native manifest with one parameter that has to be guessed.
pub const BAD: &str = "\
operations:
  - id: list_boards
    method: GET
    path: /boards
    parameters:
      - name: width
        in: query
        type: string
        description: Must be one of narrow or wide.
";

/// The pointer of that parameter.
pub const PLACE: &str = "undeclared-choice /operations/0/parameters/0";

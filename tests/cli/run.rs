//! Starts the program and keeps everything it said.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aon_tests::golden;

/// What one run of the program left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The program under test.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_aon-under-test"))
}

/// Runs `aon` with these arguments in `folder`, with `input` on standard input.
pub fn aon_in(folder: &Path, args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(program())
        .args(args)
        .current_dir(folder)
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe; that is its right.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    Run {
        code: output.status.code().expect("the program was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// Runs a script of the shell in which `$AON` is the program. The code of a program that was killed is -1.
pub fn in_shell(folder: &Path, script: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).env("AON", program());
    ended(shell.current_dir(folder))
}

/// Runs `aon` as a user without rights, if the machine lets this one do so.
pub fn aon_as_nobody(folder: &Path, args: &[&str]) -> Option<Run> {
    use std::os::unix::process::CommandExt as _;
    let nobody = |program: &mut Command| {
        program.current_dir(folder).uid(65_534).gid(65_534);
    };
    let mut probe = Command::new(program());
    nobody(&mut probe);
    // The build directory of the suite may be closed to everybody else.
    probe.arg("--version").output().ok()?;
    let mut program = Command::new(program());
    nobody(&mut program);
    Some(ended(program.args(args)))
}

fn ended(command: &mut Command) -> Run {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// Runs `aon` where no project is around.
pub fn aon(args: &[&str], input: &str) -> Run {
    aon_in(&std::env::temp_dir(), args, input.as_bytes())
}

/// Compares everything a run left behind with a golden file.
pub fn snapshot(name: &str, args: &[&str], input: &str) -> Run {
    let run = aon(args, input);
    let mut text = format!("$ aon {}\nexit {}\n", args.join(" "), run.code);
    for (heading, body) in [("stdout", &run.out), ("stderr", &run.err)] {
        let end = if body.is_empty() || body.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        write!(text, "--- {heading}\n{body}{end}").expect("writing into text");
    }
    let file = aon_tests::place::root()
        .join("tests/cli/golden")
        .join(format!("{name}.txt"));
    golden::check(&file, &text);
    run
}

/// A folder of its own for one test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("aon-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file for the test");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! `aon agent worker`, as an operator starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::Folder;

pub struct Program {
    child: Child,
    pub ready: String,
}

impl Program {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut ready = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        out.read_line(&mut ready).expect("a line");
        Self { child, ready }
    }

    pub fn terminate(mut self) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        self.child.wait().expect("it ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn aon() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aon-under-test"));
    command.env_remove("FAZAI_GEMMA_SOCK");
    command
}

fn ask(path: &Path, line: &str) -> Vec<Value> {
    let mut stream = UnixStream::connect(path).expect("somebody listens");
    writeln!(stream, "{line}").expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("shut");
    BufReader::new(stream)
        .lines()
        .map(|line| serde_json::from_str(&line.expect("text")).expect("JSON"))
        .collect()
}

#[test]
fn the_socket_comes_from_the_option_or_the_environment() {
    let folder = Folder::new();
    for by_option in [true, false] {
        let path = folder.socket();
        let mut command = aon();
        command.args(["agent", "worker"]);
        if by_option {
            command.arg("--socket").arg(&path);
        } else {
            command.env("FAZAI_GEMMA_SOCK", &path);
        }
        let program = Program::start(&mut command);
        assert_eq!(
            program.ready,
            format!("ready {} backend=echo\n", path.display())
        );
        assert_eq!(ask(&path, r#"{"type":"status"}"#)[0]["status"], "running");
        let second = aon()
            .args(["agent", "worker", "--socket"])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(second.status.code(), Some(3));
        let said = String::from_utf8_lossy(&second.stderr);
        assert!(said.contains("Another worker listens"), "{said}");
        assert!(program.terminate().success());
        assert!(!path.exists());
    }
}

#[test]
fn a_killed_worker_leaves_a_socket_that_the_next_one_replaces() {
    let folder = Folder::new();
    let path = folder.socket();
    let start = || {
        Program::start(
            aon()
                .args(["agent", "worker", "--quiet", "--socket"])
                .arg(&path),
        )
    };
    drop(start());
    assert!(path.exists(), "kill -9 leaves it");
    let next = start();
    assert_eq!(ask(&path, r#"{"type":"status"}"#)[0]["ok"], true);
    drop(next);
}

#[test]
fn a_program_with_arguments_is_a_backend_and_anything_else_is_refused() {
    let folder = Folder::new();
    let path = folder.socket();
    let mut command = aon();
    command
        .args(["agent", "worker", "--backend", "command:tr", "--socket"])
        .arg(&path)
        .args(["--", "a-z", "A-Z"]);
    let program = Program::start(&mut command);
    assert!(
        program.ready.ends_with("backend=command:tr\n"),
        "{}",
        program.ready
    );
    let created = ask(&path, r#"{"type":"create_session","params":{}}"#);
    let session = created[0]["session_id"].as_str().unwrap();
    let lines = ask(
        &path,
        &format!(r#"{{"type":"generate","session_id":"{session}","prompt":"loud"}}"#),
    );
    assert_eq!(crate::support::text(&lines), "LOUD");
    drop(program);
    for bad in ["shout", "command:", "shell:ls"] {
        let output = aon()
            .args(["agent", "worker", "--backend", bad, "--json"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad}");
        let problem: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert!(problem["valid_values"]["backend"].is_array(), "{problem}");
    }
    // A program that cannot be run is told at once, and not to the first caller.
    for arguments in [
        ["worker", "--backend", "command:/nonexistent/model"],
        ["worker", "--backend", "command:cat -n"],
        ["daemon", "--fallback", "command:aon-not-a-program"],
        ["daemon", "--action", "shell=/etc/passwd"],
    ] {
        let output = aon().arg("agent").args(arguments).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {words}");
        assert!(words.contains(arguments[1]), "{words}");
    }
}

#[tokio::test]
async fn an_abort_ends_what_the_program_started_too() {
    let folder = Folder::new();
    let (program, alive) = (folder.path().join("model.sh"), folder.path().join("alive"));
    let script = format!(
        "#!/bin/sh\n(while :; do echo x >> '{}'; sleep 0.05; done) &\nwhile :; do printf 'tok '; sleep 0.02; done\n",
        alive.display()
    );
    std::fs::write(&program, script).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("its mode");
    let worker = crate::support::serve(aon_agent::worker::Command::new(&program));
    let mut reader = worker.client().await;
    let session = worker.client().await.session("{}").await;
    let ask = |operation: &str| {
        format!(r#"{{"type":"{operation}","session_id":"{session}","prompt":"x"}}"#)
    };
    reader.send(&ask("generate")).await;
    let size = || std::fs::metadata(&alive).map_or(0, |file| file.len());
    crate::support::soon("the program's child works", || size() > 0).await;
    assert_eq!(
        worker.client().await.ask(&ask("abort")).await["aborted"],
        true
    );
    let lines = reader.rest().await;
    assert_eq!(lines.last().expect("an end")["reason"], "aborted");
    // What was on its way may still be written.
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let before = size();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(size(), before, "the child of the program still works");
}

#[test]
fn the_metrics_of_a_daemon_say_whether_its_worker_is_there() {
    let folder = Folder::new();
    let path = folder.socket();
    let worker = Program::start(
        aon()
            .args(["agent", "worker", "--quiet", "--socket"])
            .arg(&path),
    );
    let daemon = Program::start(
        aon()
            .args(["agent", "daemon", "--quiet", "--port", "0", "--worker"])
            .arg(&path),
    );
    let address = daemon.ready.split(' ').nth(1).expect("an address");
    let address = address.trim_start_matches("http://").to_owned();
    let until = |line: &str| {
        let begun = std::time::Instant::now();
        while begun.elapsed() < std::time::Duration::from_secs(30) {
            let mut stream = std::net::TcpStream::connect(&address).expect("connected");
            write!(stream, "GET /metrics HTTP/1.0\r\nhost: x\r\n\r\n").expect("sent");
            let mut text = String::new();
            std::io::Read::read_to_string(&mut stream, &mut text).expect("read");
            if text.lines().any(|known| known == line) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("{line} never came");
    };
    until("aon_worker_up 1");
    drop(worker);
    until("aon_worker_up 0");
}

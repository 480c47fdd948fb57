//! Servers on free ports, one-shot HTTP, outside programs.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aon_observe::log::Logger;
use aon_observe::sample::Budget;
use aon_observe::{Force, Telemetry};
use aon_tests::{outside, place};
use tutor::{School, Settings};

/// Nothing here takes longer.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// The answer to a request: status, head, body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// Sends one request and reads the answer to its end.
pub fn send(port: u16, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .expect("a status");
    let head = head.to_ascii_lowercase();
    let body = if head.contains("transfer-encoding: chunked") {
        whole(body)
    } else {
        body.to_owned()
    };
    Answer { status, head, body }
}

/// A body that came in chunks.
fn whole(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = rest.get(..size).filter(|_| size > 0) else {
            break;
        };
        body.push_str(chunk);
        chunks = rest.get(size + 2..).unwrap_or_default();
    }
    body
}

pub const JSON: &str = "content-type: application/json\r\n";
pub const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// A program that runs as long as this value is there.
pub struct Program {
    pub port: u16,
    _stdin: ChildStdin,
    child: Child,
}

impl Program {
    /// Starts a program whose first line of output holds its address. A shell around it ends it when we are gone.
    pub fn start(command: &[&OsStr]) -> Self {
        let mut child = Command::new("sh")
            .args([
                "-c",
                r#""$@" </dev/null & server=$!; cat >/dev/null; kill "$server""#,
                "sh",
            ])
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("an output"));
        let mut ready = String::new();
        output.read_line(&mut ready).expect("a line");
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        let address = ready
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let address = address.unwrap_or_else(|| panic!("no address in {ready:?}"));
        let port = address
            .trim_end_matches('/')
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        Self {
            port: port.expect("a port"),
            _stdin: child.stdin.take().expect("an input"),
            child,
        }
    }

    /// The demo, measured.
    pub fn demo(more: &[&str]) -> Self {
        let mut command: Vec<&OsStr> = [
            env!("CARGO_BIN_EXE_aon-under-test"),
            "demo",
            "--port",
            "0",
            "--metrics",
        ]
        .map(OsStr::new)
        .to_vec();
        command.extend(more.iter().map(OsStr::new));
        Self::start(&command)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

/// What a log wrote.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the lines").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("the lines").clone()).expect("text")
    }

    pub fn records(&self) -> Vec<serde_json::Value> {
        self.text()
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
            })
            .collect()
    }
}

/// The teaching example on a free port, in a runtime of its own.
pub struct Lesson {
    pub port: u16,
    pub telemetry: Telemetry,
    pub lines: Lines,
    _runtime: tokio::runtime::Runtime,
}

impl Lesson {
    pub fn start(pace: Duration) -> Self {
        Self::with(pace, |_| {})
    }

    pub fn with(pace: Duration, change: impl FnOnce(&mut Settings)) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let lines = Lines::default();
        let telemetry = Telemetry::new();
        let mut settings = Settings::new();
        settings.pace = pace;
        settings.log = Logger::builder()
            .telemetry(&telemetry)
            .budget(Budget::per_second(1000))
            .to(lines.clone());
        settings.force = Force::by_environment(&telemetry, Some("allow"), Some("test"));
        settings.telemetry = telemetry.clone();
        change(&mut settings);
        let school = School::new(settings);
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let port = listener.local_addr().expect("an address").port();
        runtime.spawn(async move { axum::serve(listener, school.routes()).await });
        Self {
            port,
            telemetry,
            lines,
            _runtime: runtime,
        }
    }

    /// Begins a lesson and leaves it running; its id.
    pub fn begin(&self) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let head = "POST /class HTTP/1.1\r\nhost: x\r\naccept: application/x-ndjson\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("sent");
        let mut text = String::new();
        let mut bytes = [0; 512];
        loop {
            let read = stream.read(&mut bytes).expect("bytes");
            text.push_str(&String::from_utf8_lossy(&bytes[..read]));
            if let Some(at) = text.find("\"session_id\":\"") {
                let id = &text[at + 14..];
                if id.len() > 32 {
                    return id[..id.find('"').expect("its end")].to_owned();
                }
            }
        }
    }

    /// Asks a question.
    pub fn ask(&self, session: &str, more: serde_json::Value) -> (u16, serde_json::Value) {
        let mut body = serde_json::json!({"sessionId": session, "participantId": "ann"});
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        let answer = send(self.port, "POST", "/chat/send", JSON, &body.to_string());
        (
            answer.status,
            serde_json::from_str(&answer.body).unwrap_or_default(),
        )
    }
}

/// A program of the system, or a loud line.
pub fn program(suite: &str, name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin";
    let found = path
        .split(':')
        .map(|folder| PathBuf::from(folder).join(name))
        .find(|file| file.is_file());
    if found.is_none() {
        place::say(&format!(
            "skipped: {suite}, there is no {name}; .ci/tools installs it"
        ));
    }
    found
}

/// Runs a program with this input; whether it succeeded, and what it said.
pub fn run(command: &mut Command, input: &str) -> (bool, String) {
    let output = outside::output(command, input).expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

/// Tries until it is so, or time is up.
pub fn until<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(
            start.elapsed() < PATIENCE,
            "{what}: not within {PATIENCE:?}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

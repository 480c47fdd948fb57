//! A worker in the process, and a client that knows nothing but lines.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aon_agent::worker::{Backend, Worker};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A folder of its own, removed with what is in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aon-agent-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    /// A socket in a folder that is not there yet.
    pub fn socket(&self) -> PathBuf {
        self.0.join("run/w.sock")
    }

    pub fn path(&self) -> &Path {
        std::fs::create_dir_all(&self.0).expect("a folder");
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A worker that serves.
pub struct Serving {
    pub path: PathBuf,
    pub folder: Folder,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

pub fn serve(backend: impl Backend) -> Serving {
    serve_with(Worker::new(backend))
}

pub fn serve_with(worker: Worker) -> Serving {
    let folder = Folder::new();
    let path = folder.socket();
    let socket = worker.bind(&path).expect("a socket");
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(socket.serve(async {
        let _ = stopped.await;
    }));
    Serving {
        path,
        folder,
        stop: Some(stop),
        task,
    }
}

impl Serving {
    pub async fn client(&self) -> Client {
        Client::connect(&self.path).await
    }

    pub async fn stop(mut self) -> Folder {
        drop(self.stop.take());
        (&mut self.task).await.expect("it ends by itself");
        self.folder
    }
}

/// A connection that speaks lines.
pub struct Client {
    pub stream: BufReader<UnixStream>,
}

const PATIENCE: Duration = Duration::from_secs(20);

impl Client {
    pub async fn connect(path: &Path) -> Self {
        let stream = UnixStream::connect(path).await.expect("somebody listens");
        Self {
            stream: BufReader::new(stream),
        }
    }

    pub async fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).await.expect("sent");
    }

    /// The next line, or nothing at the end.
    pub async fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line);
        let length = timeout(PATIENCE, read).await.expect("in time");
        match length {
            Ok(0) => None,
            Ok(_) => {
                Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub async fn ask(&mut self, line: &str) -> Value {
        self.send(line).await;
        self.line().await.expect("an answer")
    }

    pub async fn session(&mut self, params: &str) -> String {
        let asked = format!(r#"{{"type":"create_session","params":{params}}}"#);
        let answer = self.ask(&asked).await;
        answer["session_id"].as_str().expect("an id").to_owned()
    }

    /// All lines up to the end of the connection.
    pub async fn rest(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.line().await {
            lines.push(line);
        }
        lines
    }
}

/// The text of a stream.
pub fn text(lines: &[Value]) -> String {
    let tokens = lines.iter().filter(|line| line["type"] == "token");
    tokens
        .map(|line| line["text"].as_str().expect("a text"))
        .collect()
}

/// Holds that a refusal has words, and the problem beside them.
pub fn refused(answer: &Value, code: &str) {
    assert_eq!(answer["ok"], false, "{answer}");
    assert!(
        answer["error"]
            .as_str()
            .is_some_and(|words| !words.is_empty()),
        "{answer}"
    );
    assert_eq!(answer["problem"]["code"], code, "{answer}");
    assert!(
        answer["problem"]["status"].as_u64() >= Some(400),
        "{answer}"
    );
    assert!(answer["problem"]["request_id"].is_string(), "{answer}");
}

/// Waits until it holds; how long that took.
pub async fn soon(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    started.elapsed()
}

/// The program, if this machine has it.
pub fn tool(suite: &str, name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        aon_tests::place::say(&format!("skipped: {suite}, {name} is not there"));
    }
    found
}

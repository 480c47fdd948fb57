//! Starting a server, ours or somebody else's, and what the system says about it.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A hub that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Floor,
    Ours,
    /// Ours on `aon::axum::serve`, which keeps no buffer for what a caller may send later.
    Served,
    /// Ours, with an observer.
    Measured,
    Nchan,
    BetterSse,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "ours",
            Self::Served => "ours, served by aon::axum::serve",
            Self::Measured => "measured",
            Self::Nchan => "nchan 1.3.6",
            Self::BetterSse => "better-sse 0.16",
        }
    }

    /// Line ends of one event, but for those of chunks.
    pub const fn lines(self) -> u64 {
        match self {
            Self::Nchan => 3,
            _ => 4,
        }
    }

    /// Whether it is a hub of ours, whose sessions say where they are.
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Ours | Self::Served | Self::Measured)
    }

    /// Whether it is installed.
    pub fn is_there(self) -> bool {
        match self {
            Self::Floor | Self::Ours | Self::Served | Self::Measured => true,
            Self::Nchan => PathBuf::from(NCHAN).exists(),
            Self::BetterSse => better_sse().is_some(),
        }
    }
}

const NCHAN: &str = "/usr/lib/nginx/modules/ngx_nchan_module.so";

fn better_sse() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("AON_BETTER_SSE")?);
    folder.join("node_modules/better-sse").exists().then_some(folder)
}

/// A server in a process of its own.
pub struct Server {
    child: Child,
    pub port: u16,
    folder: Option<PathBuf>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // nginx ends its workers when it is asked to, and not when it is killed.
            drop(Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status());
            drop(self.child.wait());
            drop(std::fs::remove_dir_all(folder));
        } else {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

pub fn start(kind: Kind) -> Server {
    match kind {
        Kind::Floor | Kind::Ours | Kind::Served | Kind::Measured => {
            let mut command = Command::new(std::env::current_exe().expect("our own path"));
            command.args(["serve", kind.name()]);
            told(command)
        }
        Kind::Nchan => nchan(),
        Kind::BetterSse => {
            let folder = better_sse().expect("it is there");
            let script = folder.join("bench.mjs");
            std::fs::write(&script, SCRIPT).expect("a script");
            let mut command = Command::new("node");
            command.arg(script).env("WORDS", super::server::json(1));
            told(command)
        }
    }
}

/// A server that says its port.
fn told(mut command: Command) -> Server {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a server");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its port");
    Server { child, port: line.trim().parse().expect("a port"), folder: None }
}

const SCRIPT: &str = r#"
import { createServer } from "node:http";
import { createChannel, createSession } from "better-sse";
const channel = createChannel();
let go = () => {};
const started = new Promise((resolve) => (go = resolve));
const server = createServer(async (request, response) => {
  const [, what, rate, seconds] = request.url.split("/");
  if (what === "events") return channel.register(await createSession(request, response));
  if (what === "go") { go(); return response.end(); }
  response.writeHead(200).flushHeaders();
  response.write("{}\n");
  await started;
  const begin = performance.now();
  for (let n = 1; n <= rate * seconds; n += 1) {
    const wait = begin + (n * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const event = JSON.parse(process.env.WORDS);
    event.seq = n;
    channel.broadcast(event, "status", { eventId: `0000000a-${n}` });
  }
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"#;

fn nchan() -> Server {
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let folder = std::env::temp_dir().join(format!("aon-bench-nchan-{port}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let at = folder.display();
    let configuration = format!(
        "load_module {NCHAN};\nworker_processes 2;\ndaemon off;\npid {at}/pid;\nerror_log {at}/error.log;\n\
         events {{ worker_connections 8192; }}\n\
         http {{\n access_log off;\n client_body_temp_path {at}/body;\n proxy_temp_path {at}/proxy;\n fastcgi_temp_path {at}/f;\n uwsgi_temp_path {at}/u;\n scgi_temp_path {at}/s;\n\
         server {{\n listen 127.0.0.1:{port};\n keepalive_requests 1000000;\n\
         location = /pub {{ nchan_publisher; nchan_channel_id one; nchan_message_buffer_length 256; }}\n\
         location = /events {{ nchan_subscriber eventsource; nchan_channel_id one; nchan_subscriber_first_message newest; }}\n }}\n}}\n"
    );
    let path = folder.join("nginx.conf");
    std::fs::write(&path, configuration).expect("a configuration");
    let child = Command::new("nginx").arg("-c").arg(&path).stderr(Stdio::null()).spawn().expect("nginx");
    for _ in 0..200 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Server { child, port, folder: Some(folder) }
}

impl Server {
    /// The process and its workers.
    fn processes(&self) -> Vec<u32> {
        let own = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
        std::iter::once(own).chain(children).collect()
    }

    /// CPU time of all its threads so far, in microseconds.
    pub fn cpu(&self) -> f64 {
        let of = |pid: u32| {
            let threads = std::fs::read_dir(format!("/proc/{pid}/task")).expect("its threads");
            let spent = threads.filter_map(|thread| {
                // One that has just ended has none any more.
                let spent = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
                spent.split_whitespace().next()?.parse::<f64>().ok()
            });
            spent.sum::<f64>()
        };
        self.processes().into_iter().map(of).sum::<f64>() / 1000.0
    }

    /// Resident memory in KiB.
    pub fn memory(&self) -> f64 {
        let of = |pid: u32| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("its figures");
            let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
            line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0)
        };
        self.processes().into_iter().map(of).sum()
    }
}

/// Sends a request, and gives the connection with what came first.
pub async fn ask(port: u16, head: &str) -> (TcpStream, Vec<u8>) {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    socket.write_all(format!("{head}\r\nhost: x\r\n\r\n").as_bytes()).await.expect("sent");
    let mut got = vec![0; 16 * 1024];
    let length = socket.read(&mut got).await.expect("an answer");
    got.truncate(length);
    (socket, got)
}

/// Reads on until the session event is there; the address of its events.
pub async fn sse_url(socket: &mut TcpStream, mut first: Vec<u8>) -> String {
    while !first.windows(9).any(|word| word == b"\"sse_url\"") {
        let mut more = [0; 4096];
        let length = socket.read(&mut more).await.expect("the first event");
        first.extend_from_slice(&more[..length]);
    }
    let text = String::from_utf8_lossy(&first).into_owned();
    let at = text.split("\"sse_url\":\"").nth(1).unwrap_or_default();
    at.split('"').next().unwrap_or_default().to_owned()
}

/// Line ends that do not belong to chunks.
pub fn lines(bytes: &[u8]) -> u64 {
    let plain = bytes.iter().filter(|byte| **byte == b'\n').count();
    let ends = bytes.iter().filter(|byte| **byte == b'\r').count();
    (plain - ends.min(plain)) as u64
}

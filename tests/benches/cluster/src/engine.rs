//! A real engine with its replica, and the plainest client there is.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub struct Engine {
    child: Child,
    pub port: u16,
    folder: std::path::PathBuf,
}

impl Engine {
    pub fn start(replica_of: Option<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        drop(listener);
        let folder = std::env::temp_dir().join(format!("aon-bench-{port}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = std::env::var("AON_ENGINE").unwrap_or_else(|_| "redis-server".to_owned());
        let mut command = Command::new(program);
        command
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            // No rewriting of the file in the middle of one of two sides that are compared.
            .args(["--auto-aof-rewrite-percentage", "0"])
            .args([
                "--appendonly",
                "yes",
                "--repl-diskless-sync-delay",
                "0",
                "--dir",
            ])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        if let Some(primary) = replica_of {
            command.args(["--replicaof", &format!("127.0.0.1 {primary}")]);
        }
        let this = Self {
            child: command.spawn().expect("the engine starts"),
            port,
            folder,
        };
        let up = if replica_of.is_some() {
            "master_link_status:up"
        } else {
            "role:master"
        };
        for _ in 0..200 {
            let said = Client::try_to(port).map(|mut client| client.info("replication"));
            if said.is_some_and(|said| said.contains(up)) {
                return this;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the engine does not answer");
    }

    /// Microseconds of CPU that it has used, and bytes of memory that it uses.
    pub fn used(&self) -> (f64, f64) {
        let mut client = Client::try_to(self.port).expect("it answers");
        let cpu = client.info("cpu");
        let memory = client.info("memory");
        let number = |text: &str, name: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok())
                .expect("a figure")
        };
        let cpu = number(&cpu, "used_cpu_sys:") + number(&cpu, "used_cpu_user:");
        (cpu * 1e6, number(&memory, "used_memory:"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _: std::io::Result<()> = self.child.kill();
        let _: std::io::Result<_> = self.child.wait();
        let _: std::io::Result<()> = std::fs::remove_dir_all(&self.folder);
    }
}

/// Commands in, answers out.
pub struct Client {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Client {
    pub fn try_to(port: u16) -> Option<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_nodelay(true).ok()?;
        let answers = BufReader::new(stream.try_clone().ok()?);
        Some(Self { stream, answers })
    }

    fn info(&mut self, part: &str) -> String {
        let mut out = Vec::new();
        command(&mut out, &[b"INFO", part.as_bytes()]);
        self.send(&out);
        self.answer()
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("it reads");
    }

    /// The next answer: of an array its last element.
    pub fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        let rest = line[1..].trim_end().to_owned();
        match line.as_bytes()[0] {
            b'*' => {
                let count: usize = rest.parse().expect("a number");
                (0..count).map(|_| self.answer()).last().unwrap_or_default()
            }
            b'$' if rest != "-1" => {
                let mut text = vec![0; rest.parse::<usize>().expect("a number") + 2];
                self.answers.read_exact(&mut text).expect("its bytes");
                String::from_utf8_lossy(&text).into_owned()
            }
            b'-' => panic!("the engine refused: {rest}"),
            _ => rest,
        }
    }
}

/// Writes a command.
pub fn command(out: &mut Vec<u8>, words: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words {
        out.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}

//! A worker's socket against W1 and W5.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::{Ask, Table, clip, holds};

mod streams;
mod tcp;

/// A worker that is probed.
pub(crate) struct Probe<'a> {
    path: &'a Path,
    limit: Duration,
    pub(super) table: Table,
}

/// One connection.
struct Wire {
    stream: UnixStream,
    rest: Vec<u8>,
    limit: Duration,
}

/// What came instead of what was expected.
type Held = Result<(), String>;

/// Probes the worker at a socket.
///
/// # Errors
///
/// When nobody listens there.
pub(crate) async fn probe(path: &Path, limit: Duration) -> io::Result<Table> {
    let mut probe = Probe {
        path,
        limit,
        table: Table::new("worker"),
    };
    drop(probe.connect().await?);
    probe.modes();
    tcp::probe(&mut probe).await;
    probe.answers().await;
    probe.refusals().await;
    streams::probe(&mut probe).await;
    Ok(probe.table)
}

impl Probe<'_> {
    async fn connect(&self) -> io::Result<Wire> {
        Ok(Wire {
            stream: UnixStream::connect(self.path).await?,
            rest: Vec::new(),
            limit: self.limit,
        })
    }

    fn claim(
        &mut self,
        clause: &'static str,
        what: &str,
        sent: &str,
        fix: &'static str,
        held: Held,
    ) {
        let ask = Ask::contract(clause, what).sent(sent).fix(fix);
        self.table.judge(ask, held);
    }

    /// Who may use the socket.
    fn modes(&mut self) {
        let mode = |path: &Path| std::fs::metadata(path).map(|file| file.mode() & 0o777);
        let socket = mode(self.path).map_err(|error| error.to_string());
        let held = socket.and_then(|mode| holds(is_closed(mode), || format!("mode {mode:04o}")));
        self.claim(
            "W1",
            "the socket is closed to other users (0600)",
            "",
            "set the mode of the socket before anybody can connect",
            held,
        );
        let parent = self
            .path
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        let parent =
            mode(parent.unwrap_or_else(|| Path::new("."))).map_err(|error| error.to_string());
        let held = parent.and_then(|mode| holds(is_closed(mode), || format!("mode {mode:04o}")));
        let ask = Ask::practice(
            "SPEC 3",
            "the directory of the socket is closed to other users (0700)",
        );
        self.table
            .judge(ask.fix("make a directory of its own with mode 0700"), held);
    }

    async fn one(&self, line: &[u8]) -> Result<Value, String> {
        let mut wire = self.connect().await.map_err(|error| error.to_string())?;
        wire.send(line).await?;
        wire.object().await
    }

    async fn answers(&mut self) {
        let sent = r#"{"type":"status"}"#;
        let held = self.one(sent.as_bytes()).await.and_then(|answer| {
            holds(
                answer["ok"] == true && answer["status"] == "running",
                || clip(&answer.to_string()),
            )
        });
        self.claim(
            "W1",
            "status answers ok and says `running`",
            sent,
            "answer {\"ok\": true, \"status\": \"running\"}",
            held,
        );
        let sent = r#"{"type":"create_session","params":{}}"#;
        let created = self.one(sent.as_bytes()).await;
        let held = created.and_then(|answer| {
            let id = answer.get("session_id");
            let named =
                id.is_some_and(|id| id.as_str().is_some_and(|id| !id.is_empty()) || id.is_number());
            holds(answer["ok"] == true && named, || clip(&answer.to_string()))
        });
        self.claim(
            "W1",
            "create_session answers ok and a session_id",
            sent,
            "answer {\"ok\": true, \"session_id\": \"…\"}",
            held,
        );
        let sent = r#"{"id":7,"method":"status","params":{},"timestamp":"2026-01-01T00:00:00Z"}"#;
        let held = self
            .one(sent.as_bytes())
            .await
            .and_then(|answer| holds(answer["ok"] == true, || clip(&answer.to_string())));
        let ask = Ask::practice(
            "SPEC notes",
            "the later shape {id, method, params, timestamp} is understood",
        );
        self.table.judge(ask.sent(sent), held);
    }

    async fn refusals(&mut self) {
        let bad: [(&str, &[u8]); 7] = [
            ("a line that is not JSON", b"nonsense"),
            ("an unknown operation", br#"{"type":"aon_check"}"#),
            (
                "create_session without params",
                br#"{"type":"create_session"}"#,
            ),
            (
                "abort of an unknown session",
                br#"{"type":"abort","session_id":"aon-check"}"#,
            ),
            (
                "close_session of an unknown session",
                br#"{"type":"close_session","session_id":"aon-check"}"#,
            ),
            (
                "generate in an unknown session",
                br#"{"type":"generate","session_id":"aon-check","prompt":"x","stream":true}"#,
            ),
            (
                "a line with a NUL byte after a valid request",
                b"{\"type\":\"status\"}\0{",
            ),
        ];
        let mut without = None;
        for (what, line) in bad {
            let sent = String::from_utf8_lossy(line).replace('\0', "\\0");
            let answer = self.one(line).await;
            let held = answer.as_ref().map_err(Clone::clone).and_then(|answer| {
                let plain = answer["ok"] == false && answer["error"].is_string();
                let event = answer["type"] == "error" && answer["message"].is_string();
                holds(plain || event, || clip(&answer.to_string()))
            });
            if let Ok(answer) = &answer
                && held.is_ok()
                && !answer["problem"].is_object()
            {
                without.get_or_insert((sent.clone(), clip(&answer.to_string())));
            }
            self.claim(
                "W1",
                &format!("{what} is refused with ok: false and error"),
                &sent,
                "answer {\"ok\": false, \"error\": \"…\"}",
                held,
            );
        }
        let held = without
            .as_ref()
            .map_or(Ok(()), |(_, came)| Err(came.clone()));
        let sent = without.map(|(sent, _)| sent).unwrap_or_default();
        self.claim(
            "W5",
            "a refusal carries the problem beside its words",
            &sent,
            "add the member `problem`, an RFC 9457 object",
            held,
        );
        // No worker has to remember a line without an end.
        let held = async {
            let mut wire = self.connect().await.map_err(|error| error.to_string())?;
            let long = vec![b'x'; 3 << 20];
            let sent = timeout(self.limit, wire.stream.write_all(&long)).await;
            if sent.is_err() {
                return Err("it neither reads nor refuses".to_owned());
            }
            match timeout(self.limit.min(Duration::from_secs(3)), wire.raw()).await {
                Err(_waits) => Err("it waits for more".to_owned()),
                Ok(_) => self.one(br#"{"type":"status"}"#).await.map(drop),
            }
        };
        let held = held.await;
        self.claim(
            "W1",
            "a line of 3 MiB without an end is refused or cut off",
            "3 MiB of x",
            "limit a line to 1 MiB",
            held,
        );
    }

    /// A new session.
    async fn session(&self, params: &str) -> Result<String, String> {
        let line = format!(r#"{{"type":"create_session","params":{params}}}"#);
        let answer = self.one(line.as_bytes()).await?;
        match answer.get("session_id") {
            Some(Value::String(id)) => Ok(id.clone()),
            Some(Value::Number(id)) => Ok(id.to_string()),
            _ => Err(clip(&answer.to_string())),
        }
    }
}

impl Wire {
    async fn send(&mut self, line: &[u8]) -> Result<(), String> {
        let mut whole = line.to_vec();
        whole.push(b'\n');
        let sent = timeout(self.limit, self.stream.write_all(&whole)).await;
        sent.map_err(|_late| "it does not read".to_owned())?
            .map_err(|error| error.to_string())
    }

    /// The next line without its end, or nothing when the connection is closed.
    async fn line(&mut self) -> Result<Option<Vec<u8>>, String> {
        loop {
            if let Some(at) = self.rest.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.rest.drain(..=at).collect();
                line.pop();
                return Ok(Some(line));
            }
            let read = timeout(self.limit, self.raw()).await;
            match read.map_err(|_late| format!("nothing within {} s", self.limit.as_secs()))? {
                Ok(0) if self.rest.is_empty() => return Ok(None),
                Ok(0) => {
                    return Err(format!(
                        "a line that was cut: {}",
                        clip(&String::from_utf8_lossy(&self.rest))
                    ));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    async fn raw(&mut self) -> io::Result<usize> {
        self.rest.reserve(16 * 1024);
        self.stream.read_buf(&mut self.rest).await
    }

    /// The next line as an object.
    async fn object(&mut self) -> Result<Value, String> {
        let line = self
            .line()
            .await?
            .ok_or("the connection was closed without an answer")?;
        serde_json::from_slice(&line).map_err(|_text| clip(&String::from_utf8_lossy(&line)))
    }
}

/// Whether a mode gives nothing to anybody but the owner.
const fn is_closed(mode: u32) -> bool {
    mode.trailing_zeros() >= 6
}

/// How long something took.
async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let started = Instant::now();
    (work.await, started.elapsed())
}

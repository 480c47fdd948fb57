//! The client of a worker's socket ([W1]): ours, or any that keeps to the wire.
//!
//! One connection per request, so that an abort never waits for the stream it ends.
//!
//! ```no_run
//! # async fn run() -> Result<(), aon_agent::Fault> {
//! use aon_agent::provider::Provider;
//! use serde_json::Map;
//!
//! let provider = Provider::new("/run/fazai/gemma.sock");
//! let session = provider.create_session(Map::new()).await?;
//! let mut stream = provider.generate(&session, "Say hello.").await?;
//! while let Some(text) = stream.next().await? {
//!     // a piece of the text, blanks and all
//! #   drop(text);
//! }
//! provider.close_session(&session).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [W1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#w1

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, sleep, timeout};

use crate::fault::Fault;
use crate::line::{LONGEST, Line, Lines};
use crate::worker::wire::Request;

mod read;

pub use read::Item;

/// A client of a worker. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Provider {
    path: PathBuf,
    times: Times,
}

/// How long a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// For a worker that is not there, or does not accept: 5 seconds, with several tries.
    pub connect: Duration,
    /// For an answer that is not a stream: 30 seconds.
    pub answer: Duration,
    /// For the next line of a stream: 120 seconds.
    pub token: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(30),
            token: Duration::from_secs(120),
        }
    }
}

/// The first pause before another try, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// How a worker is, as it says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Whether it says `running`.
    pub running: bool,
    /// Everything it says.
    pub members: Map<String, Value>,
}

impl Provider {
    /// A client of the worker at this socket. Nothing is opened before something is asked.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            times: Times::default(),
        }
    }

    /// Changes how long it waits.
    ///
    /// ```
    /// use aon_agent::provider::Provider;
    /// use std::time::Duration;
    ///
    /// let provider = Provider::new("w.sock").times(|times| times.token = Duration::from_secs(30));
    /// # let _ = provider;
    /// ```
    #[must_use]
    pub fn times(mut self, change: impl FnOnce(&mut Times)) -> Self {
        change(&mut self.times);
        self
    }

    /// The socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the worker is.
    ///
    /// # Errors
    ///
    /// When it is not there, refuses, or answers something else.
    pub async fn status(&self) -> Result<WorkerStatus, Fault> {
        let members = self.ask(&Request::Status, "status").await?;
        Ok(WorkerStatus {
            running: members.get("status").and_then(Value::as_str) == Some("running"),
            members,
        })
    }

    /// Creates a session and gives its id.
    ///
    /// # Errors
    ///
    /// When the worker is not there, refuses, or answers without an id.
    pub async fn create_session(&self, params: Map<String, Value>) -> Result<String, Fault> {
        let request = Request::CreateSession { params };
        let answer = self.ask(&request, "create_session").await?;
        match answer.get("session_id") {
            Some(Value::String(id)) => Ok(id.clone()),
            // Some workers count their sessions.
            Some(Value::Number(id)) => Ok(id.to_string()),
            _ => Err(Fault::InvalidWorkerAnswer {
                reason: "create_session was answered without a session_id".to_owned(),
            }),
        }
    }

    /// Starts to generate.
    ///
    /// # Errors
    ///
    /// When the worker is not there. What it refuses is the first thing the stream says.
    pub async fn generate(&self, session: &str, prompt: &str) -> Result<Generation, Fault> {
        let request = Request::Generate {
            session_id: session.to_owned(),
            prompt: prompt.to_owned(),
            stream: true,
        };
        let (read, write) = self.send(&request).await?;
        Ok(Generation {
            lines: Lines::new(read, LONGEST),
            _write: write,
            wait: self.times.token,
            over: false,
            peeked: None,
        })
    }

    /// Ends what the session is generating.
    ///
    /// # Errors
    ///
    /// When the worker is not there, or refuses.
    pub async fn abort(&self, session: &str) -> Result<(), Fault> {
        let session_id = session.to_owned();
        self.ask(&Request::Abort { session_id }, "abort").await?;
        Ok(())
    }

    /// Ends a session.
    ///
    /// # Errors
    ///
    /// When the worker is not there, or refuses.
    pub async fn close_session(&self, session: &str) -> Result<(), Fault> {
        let session_id = session.to_owned();
        let request = Request::CloseSession { session_id };
        self.ask(&request, "close_session").await?;
        Ok(())
    }

    /// Sends a request that has one answer, and waits for it.
    async fn ask(
        &self,
        request: &Request,
        operation: &'static str,
    ) -> Result<Map<String, Value>, Fault> {
        let (read, write) = self.send(request).await?;
        let mut lines = Lines::new(read, LONGEST);
        let answer = async {
            loop {
                match lines.next().await.map_err(|error| self.lost(&error))? {
                    Line::Whole(line) | Line::Cut(line) if line.trim_ascii().is_empty() => {}
                    Line::Whole(line) | Line::Cut(line) => return read::answer(&line),
                    Line::TooLong => return Err(Fault::LineTooLong { limit: LONGEST }),
                    Line::End => {
                        return Err(Fault::InvalidWorkerAnswer {
                            reason: format!("{operation} was not answered"),
                        });
                    }
                }
            }
        };
        let answer = timeout(self.times.answer, answer).await;
        drop(write);
        answer.unwrap_or_else(|_late| {
            let seconds = self.times.answer.as_secs();
            Err(Fault::TimedOut { operation, seconds })
        })
    }

    /// Connects and writes a request.
    async fn send(&self, request: &Request) -> Result<(OwnedReadHalf, OwnedWriteHalf), Fault> {
        let mut line = serde_json::to_vec(request).map_err(|error| Fault::MalformedRequest {
            reason: error.to_string(),
        })?;
        line.push(b'\n');
        if line.len() > LONGEST {
            return Err(Fault::LineTooLong { limit: LONGEST });
        }
        let (read, mut write) = self.connect().await?.into_split();
        match timeout(self.times.answer, write.write_all(&line)).await {
            Ok(Ok(())) => Ok((read, write)),
            // It may have answered before it closed: what it said is worth more than that it did.
            Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok((read, write)),
            Ok(Err(error)) => Err(self.lost(&error)),
            Err(_late) => Err(Fault::TimedOut {
                operation: "sending a request",
                seconds: self.times.answer.as_secs(),
            }),
        }
    }

    /// Connects; a worker that is not there, or starts again, is tried several times.
    async fn connect(&self) -> Result<UnixStream, Fault> {
        let until = Instant::now() + self.times.connect;
        let (mut pause, longest) = PAUSES;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let error = match timeout(left, UnixStream::connect(&self.path)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => error,
                Err(_late) => io::ErrorKind::TimedOut.into(),
            };
            let again = matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::WouldBlock
                    | io::ErrorKind::Interrupted
            );
            if !again || Instant::now() + pause >= until {
                return Err(self.lost(&error));
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }

    fn lost(&self, error: &io::Error) -> Fault {
        Fault::WorkerUnavailable {
            path: self.path.display().to_string(),
            reason: error.to_string(),
        }
    }
}

/// A stream of text. Dropping it closes the connection, and a worker of ours then ends the generation.
#[derive(Debug)]
pub struct Generation {
    lines: Lines<OwnedReadHalf>,
    // Kept, because some workers take a half-closed connection for a closed one.
    _write: OwnedWriteHalf,
    wait: Duration,
    over: bool,
    /// What was looked at and not taken.
    peeked: Option<Item>,
}

impl Generation {
    /// The next piece of text, and nothing at the end. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// What the worker said when it failed; a stream that was cut, or is silent for too long.
    pub async fn next(&mut self) -> Result<Option<String>, Fault> {
        Ok(self.item().await?.map(|item| match item {
            Item::Token(text) => text,
            // What is not for people is still part of what was said.
            Item::Other(object) => Value::Object(object).to_string(),
        }))
    }

    /// The next line: text, or an object that is neither token nor end.
    ///
    /// # Errors
    ///
    /// As [`Generation::next`].
    pub async fn item(&mut self) -> Result<Option<Item>, Fault> {
        if let Some(item) = self.peeked.take() {
            return Ok(Some(item));
        }
        if self.over {
            return Ok(None);
        }
        let item = self.line().await;
        if !matches!(item, Ok(Some(_))) {
            self.over = true;
        }
        item
    }

    /// Waits for the first line and leaves it where it is: whether the worker refuses.
    pub(crate) async fn peek(&mut self) -> Result<(), Fault> {
        self.peeked = self.item().await?;
        Ok(())
    }

    async fn line(&mut self) -> Result<Option<Item>, Fault> {
        loop {
            let Ok(line) = timeout(self.wait, self.lines.next()).await else {
                let seconds = self.wait.as_secs();
                let operation = "the next token of generate";
                return Err(Fault::TimedOut { operation, seconds });
            };
            let line = match line {
                // A worker that fell over closes the connection, or the system does it with an error.
                Err(_) | Ok(Line::End) => return Err(Fault::StreamCut),
                Ok(Line::TooLong) => return Err(Fault::LineTooLong { limit: LONGEST }),
                Ok(Line::Whole(line)) => line,
                // Text without a line end was cut somewhere; an event is whole or it is not one.
                Ok(Line::Cut(line)) => match read::line(&line) {
                    read::Read::Item(_) => return Err(Fault::StreamCut),
                    _ => line,
                },
            };
            match read::line(&line) {
                read::Read::Item(item) => return Ok(Some(item)),
                read::Read::Stop => return Ok(None),
                read::Read::Failed(fault) => return Err(*fault),
                read::Read::Nothing => {}
            }
        }
    }
}

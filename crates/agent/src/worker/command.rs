//! The backend that runs a program: the prompt on its standard input, tokens from its standard output.

use std::ffi::OsString;
use std::process::Stdio;

use futures_util::stream;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdout};
use tokio::time::{sleep, timeout};

use super::backend::{Ask, Backend, Tokens};
use crate::fault::Fault;
use crate::group::{Group, LINGER};
use crate::text::Decoder;

/// Runs a program for each generation, without a shell.
///
/// What it writes are the tokens, as they come; a character that is split over two writes arrives whole. It ends the stream
/// by ending; another exit code than 0 is a failure.
///
/// It runs in a process group of its own: an abort ends the program and everything it started, and so does its own end.
///
/// The program finds the session in `AON_SESSION_ID` and the parameters of the session, as JSON, in `AON_PARAMS`.
#[derive(Clone, Debug)]
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    name: String,
}

/// How much is read at once.
const PIECE: usize = 8 * 1024;

/// How much of what a program says about itself is kept for the log.
const LONGEST_COMPLAINT: u64 = 4 * 1024;

impl Command {
    /// Runs this program.
    pub fn new(program: impl Into<OsString>) -> Self {
        let program = program.into();
        let name = format!("command:{}", program.to_string_lossy());
        Self {
            program,
            arguments: Vec::new(),
            name,
        }
    }

    /// With these arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    fn start(&self, ask: &Ask) -> std::io::Result<(Child, Group)> {
        let params = Value::Object(ask.params.clone()).to_string();
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .env("AON_SESSION_ID", &ask.session_id)
            .env("AON_PARAMS", params)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Group::start(&mut command)
    }
}

impl Backend for Command {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, ask: Ask) -> Tokens {
        let started = self.start(&ask);
        let run = match started {
            Ok((child, group)) => State::Running(Running::new(child, group, ask.prompt)),
            Err(error) => State::Failed(format!("{} cannot be started: {error}", self.name)),
        };
        Box::pin(stream::unfold(run, |state| async move {
            match state {
                State::Running(running) => running.token().await,
                State::Failed(cause) => Some((
                    Err(Fault::BackendFailed { cause }.into_failure()),
                    State::Over,
                )),
                State::Over => None,
            }
        }))
    }
}

enum State {
    Running(Box<Running>),
    Failed(String),
    Over,
}

/// A program that runs. Dropping it ends the program, and what it started.
struct Running {
    child: Child,
    group: Group,
    from: Option<ChildStdout>,
    /// Whether the program is gone; what it wrote may still be in the pipe.
    ended: bool,
    decoder: Decoder,
    complaint: tokio::task::JoinHandle<String>,
}

type Item = Result<String, aon::door::Failure>;

impl Running {
    fn new(mut child: Child, group: Group, prompt: String) -> Box<Self> {
        if let Some(mut to) = child.stdin.take() {
            tokio::spawn(async move {
                // A program that does not want to know its prompt closes its input.
                let _: std::io::Result<()> = to.write_all(prompt.as_bytes()).await;
            });
        }
        let from = child.stderr.take();
        let complaint = tokio::spawn(async move {
            let mut kept = Vec::new();
            if let Some(mut from) = from {
                let mut first = (&mut from).take(LONGEST_COMPLAINT);
                let _: std::io::Result<usize> = first.read_to_end(&mut kept).await;
                // The rest is read too, so that the program never waits for it.
                let _: std::io::Result<u64> =
                    tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
            }
            String::from_utf8_lossy(&kept).into_owned()
        });
        Box::new(Self {
            from: child.stdout.take(),
            child,
            group,
            ended: false,
            decoder: Decoder::default(),
            complaint,
        })
    }

    async fn token(mut self: Box<Self>) -> Option<(Item, State)> {
        let mut piece = vec![0; PIECE];
        while let Some(from) = &mut self.from {
            let read = tokio::select! {
                biased;
                read = from.read(&mut piece) => read,
                _status = self.child.wait(), if !self.ended => {
                    // What it left behind ends with it, and does not keep the stream open.
                    self.ended = true;
                    self.group.kill();
                    continue;
                }
                () = sleep(LINGER), if self.ended => Ok(0),
            };
            match read {
                Ok(0) => {
                    self.from = None;
                    let rest = self.decoder.finish();
                    if !rest.is_empty() {
                        return Some((Ok(rest), State::Running(self)));
                    }
                }
                Ok(length) => {
                    let text = self.decoder.push(&piece[..length]);
                    if !text.is_empty() {
                        return Some((Ok(text), State::Running(self)));
                    }
                }
                Err(error) => return failed(format!("its output cannot be read: {error}")),
            }
        }
        match self.child.wait().await {
            Ok(status) if status.success() => None,
            Ok(status) => {
                // Something it started may keep the pipe open.
                let said = timeout(LINGER, &mut self.complaint).await;
                let complaint = said.ok().and_then(Result::ok).unwrap_or_default();
                failed(format!("{status}: {complaint}"))
            }
            Err(error) => failed(format!("its end cannot be waited for: {error}")),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is the next item of a stream")]
fn failed(cause: String) -> Option<(Item, State)> {
    let failure = Fault::BackendFailed { cause }.into_failure();
    Some((Err(failure), State::Over))
}

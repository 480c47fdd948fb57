//! One client: requests in, answers and one stream out.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aon::door::Failure;
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::net::unix::{ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::Shared;
use super::backend::{Ask, Backend, Tokens};
use super::outlet::Outlet;
use super::table::Begun;
use super::wire::{
    Incoming, Request, StopReason, write_error, write_ok, write_refusal, write_stop, write_token,
};
use crate::fault::{Fault, Told};
use crate::line::{Line, Lines};

/// Tokens that are ready at once are written together, up to this.
const TOGETHER: usize = 16 * 1024;

/// After so many tokens the clock is looked at.
const UNCHECKED: usize = 64;

/// A token waits no longer than this for others to be written with.
const FRESH: Duration = Duration::from_millis(2);

/// How long the last line of a stream may take that was ended from outside.
const LAST_LINE: Duration = Duration::from_secs(2);

/// How often a client that sends nothing more is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Serves one client until it leaves, is silent for too long, or its stream has ended.
pub(super) async fn serve(mut stream: UnixStream, shared: &Shared, down: watch::Receiver<bool>) {
    let (read, write) = stream.split();
    let mut connection = Connection {
        shared,
        lines: Lines::new(read, shared.limits.line),
        out: Outlet::new(write),
        down,
    };
    // What fails here is the socket, and then nobody is there to be told.
    if let Err(error) = connection.run().await {
        tracing::debug!(target: "aon::agent", %error, "a connection broke");
    }
    connection.out.close().await;
}

struct Connection<'a> {
    shared: &'a Shared,
    lines: Lines<ReadHalf<'a>>,
    out: Outlet<WriteHalf<'a>>,
    down: watch::Receiver<bool>,
}

/// What comes after a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Request,
    Close,
}

/// How a stream ended.
enum End {
    /// Everything was said, or somebody stopped it.
    Stop(Option<StopReason>),
    Failed(Failure),
    /// Nobody reads it.
    Gone,
}

impl Connection<'_> {
    async fn run(&mut self) -> io::Result<()> {
        loop {
            let Some(line) = self.request().await? else {
                return Ok(());
            };
            if self.handle(&line).await? == Next::Close {
                return Ok(());
            }
        }
    }

    /// The next request, or nothing when there will be none.
    async fn request(&mut self) -> io::Result<Option<Vec<u8>>> {
        let limits = &self.shared.limits;
        loop {
            let begun = tokio::select! {
                biased;
                _ = self.down.wait_for(|down| *down) => return Ok(None),
                begun = timeout(limits.idle, self.lines.begun()) => begun,
            };
            match begun {
                Ok(begun) => begun?,
                Err(_idle) => return Ok(None),
            }
            let Ok(line) = timeout(limits.transfer, self.lines.next()).await else {
                let fault = Fault::TimedOut {
                    operation: "reading a request",
                    seconds: limits.transfer.as_secs(),
                };
                self.refuse(None, fault.into_failure(), false).await?;
                return Ok(None);
            };
            let line = line?;
            match line {
                Line::End => return Ok(None),
                Line::TooLong => {
                    let limit = limits.line;
                    let fault = Fault::LineTooLong { limit };
                    self.refuse(None, fault.into_failure(), false).await?;
                    return Ok(None);
                }
                Line::Whole(line) | Line::Cut(line) => {
                    if !line.trim_ascii().is_empty() {
                        return Ok(Some(line));
                    }
                }
            }
        }
    }

    async fn handle(&mut self, line: &[u8]) -> io::Result<Next> {
        let Incoming {
            id,
            request,
            streams,
        } = Incoming::read(line);
        let id = id.as_ref();
        let answered = match request {
            Ok(Request::Generate {
                session_id,
                prompt,
                stream,
            }) => return self.generate(id, session_id, prompt, stream).await,
            Ok(Request::CreateSession { params }) => self.create(params).map(|created| {
                write_ok(&mut self.out.lines, id, |answer| {
                    answer.string("session_id", &created);
                });
            }),
            Ok(Request::Abort { session_id }) => {
                let aborted = self.shared.table().abort(self.shared.now(), &session_id);
                aborted.map(|aborted| {
                    write_ok(&mut self.out.lines, id, |answer| {
                        answer.boolean("aborted", aborted);
                    });
                })
            }
            Ok(Request::CloseSession { session_id }) => {
                let closed = self.shared.table().close(self.shared.now(), &session_id);
                closed.map(|()| write_ok(&mut self.out.lines, id, |_| {}))
            }
            Ok(Request::Status) => {
                self.status(id);
                Ok(())
            }
            Err(fault) => Err(fault),
        };
        match answered {
            Ok(()) => {
                self.flush().await?;
                Ok(Next::Request)
            }
            Err(fault) => {
                self.refuse(id, fault.into_failure(), streams).await?;
                // A client that asked for a stream waits for its end.
                Ok(if streams { Next::Close } else { Next::Request })
            }
        }
    }

    fn create(&self, params: serde_json::Map<String, Value>) -> Result<String, Fault> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| Fault::BackendFailed {
            cause: format!("the system gave no random numbers: {error}"),
        })?;
        let id = aon_live::id::SessionId::from_bytes(random).to_string();
        let now = self.shared.now();
        self.shared.table().create(now, id.clone(), params)?;
        Ok(id)
    }

    fn status(&mut self, id: Option<&Value>) {
        let (shared, now) = (self.shared, self.shared.now());
        let (sessions, generating) = shared.table().count(now);
        write_ok(&mut self.out.lines, id, |answer| {
            answer.string("status", "running");
            answer.string("version", env!("CARGO_PKG_VERSION"));
            answer.string("backend", shared.backend.name());
            answer.number("sessions", sessions as u64);
            answer.number("generating", generating as u64);
            let connections = shared.connections.load(Ordering::Relaxed);
            answer.number("connections", connections as u64);
            answer.number("uptime_ms", now);
        });
    }

    async fn generate(
        &mut self,
        id: Option<&Value>,
        session: String,
        prompt: String,
        streams: bool,
    ) -> io::Result<Next> {
        let shared = self.shared;
        let begun = shared.table().begin(shared.now(), &session);
        let Begun { params, stop } = match begun {
            Ok(begun) => begun,
            Err(fault) => {
                self.refuse(id, fault.into_failure(), streams).await?;
                return Ok(if streams { Next::Close } else { Next::Request });
            }
        };
        let over = Over {
            shared,
            session: session.clone(),
            stop: stop.clone(),
        };
        let ask = Ask::new(session, prompt).with_params(params);
        tracing::debug!(target: "aon::agent", session_id = %ask.session_id, "generating");
        let mut run = Run {
            session: ask.session_id.clone(),
            tokens: caught(shared.backend.as_ref(), ask),
            stop,
            limit: Box::pin(sleep(shared.limits.operation)),
            text: (!streams).then(String::new),
        };
        let end = self.pump(id, &mut run).await?;
        // The generator ends before anybody learns that the stream has.
        let text = run.text.take();
        drop(run);
        drop(over);
        if let (Some(text), End::Stop(reason)) = (text, &end) {
            write_ok(&mut self.out.lines, id, |answer| {
                answer.string("text", &text);
                if let Some(reason) = reason {
                    answer.string("reason", reason.as_str());
                }
            });
            self.flush().await?;
            return Ok(Next::Request);
        }
        match end {
            End::Gone => return Ok(Next::Close),
            End::Stop(reason) => {
                if reason.is_some() {
                    self.out.take_back();
                }
                write_stop(&mut self.out.lines, id, reason);
            }
            End::Failed(failure) => {
                let told = Told::of(&failure, &shared.door, "worker");
                if streams {
                    write_error(&mut self.out.lines, id, &told);
                } else {
                    write_refusal(&mut self.out.lines, id, &told, false);
                }
            }
        }
        // A client that does not read was waited for already.
        let last = timeout(LAST_LINE.max(shared.limits.transfer), self.out.flush()).await;
        last.unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into()))?;
        Ok(if streams { Next::Close } else { Next::Request })
    }

    /// Carries tokens from the generator to the client until one of them, or somebody else, ends it.
    async fn pump(&mut self, id: Option<&Value>, run: &mut Run) -> io::Result<End> {
        let limit = self.shared.limits.line;
        let (mut unchecked, mut written) = (0, Instant::now());
        loop {
            let item = match run.tokens.next().now_or_never() {
                Some(item) => item,
                None => match self.wait(id, run).await? {
                    Ok(item) => item,
                    Err(end) => return Ok(end),
                },
            };
            match item {
                None => return Ok(End::Stop(None)),
                Some(Err(failure)) => return Ok(End::Failed(failure)),
                Some(Ok(token)) => {
                    if let Some(text) = &mut run.text {
                        text.push_str(&token);
                        if text.len() > limit {
                            return Ok(End::Failed(Fault::AnswerTooLong { limit }.into_failure()));
                        }
                    } else {
                        write_token(&mut self.out.lines, id, &token);
                    }
                }
            }
            unchecked += 1;
            let due = unchecked % UNCHECKED == 0 && written.elapsed() >= FRESH;
            if due || self.out.lines.len() >= TOGETHER || run.is_stopped() {
                if let Some(end) = self.deliver(run).await? {
                    return Ok(end);
                }
                written = Instant::now();
                // A generator that never waits would keep everybody else waiting.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Waits for the next token, with everything written that there was before.
    async fn wait(
        &mut self,
        id: Option<&Value>,
        run: &mut Run,
    ) -> io::Result<Result<Option<Result<String, Failure>>, End>> {
        if let Some(end) = self.deliver(run).await? {
            return Ok(Err(end));
        }
        loop {
            tokio::select! {
                biased;
                end = ended(&mut run.stop, &mut self.down, &mut run.limit, self.shared) => return Ok(Err(end)),
                item = run.tokens.next() => return Ok(Ok(item)),
                line = self.lines.next(), if !self.lines.has_ended() => {
                    if let Some(end) = self.meanwhile(line?, id, &run.session).await? {
                        return Ok(Err(end));
                    }
                }
                () = sleep(LOOK), if self.lines.has_ended() => {
                    if self.out.is_gone().await {
                        return Ok(Err(End::Gone));
                    }
                }
            }
        }
    }

    /// Writes what waits, unless the stream is ended meanwhile or the client does not read.
    async fn deliver(&mut self, run: &mut Run) -> io::Result<Option<End>> {
        // Mostly the socket takes everything at once, and nobody has ended anything.
        let goes_on = !run.is_stopped()
            && !self.down.has_changed().unwrap_or(true)
            && Instant::now() < run.limit.deadline();
        if goes_on && let Some(written) = self.out.flush().now_or_never() {
            return written.map(|()| None);
        }
        let transfer = self.shared.limits.transfer;
        tokio::select! {
            biased;
            end = ended(&mut run.stop, &mut self.down, &mut run.limit, self.shared) => Ok(Some(end)),
            written = timeout(transfer, self.out.flush()) => match written {
                Ok(written) => written.map(|()| None),
                Err(_late) => Ok(Some(End::Gone)),
            },
        }
    }

    /// A request on a connection that streams.
    async fn meanwhile(
        &mut self,
        line: Line,
        id: Option<&Value>,
        session: &str,
    ) -> io::Result<Option<End>> {
        let line = match line {
            Line::Whole(line) | Line::Cut(line) if !line.trim_ascii().is_empty() => line,
            Line::TooLong => {
                let limit = self.shared.limits.line;
                return Ok(Some(End::Failed(
                    Fault::LineTooLong { limit }.into_failure(),
                )));
            }
            Line::Whole(_) | Line::Cut(_) | Line::End => return Ok(None),
        };
        let incoming = Incoming::read(&line);
        let shared = self.shared;
        let now = shared.now();
        match incoming.request {
            // The end of the stream is the answer.
            Ok(Request::Abort { session_id }) if session_id == session => {
                let _: Result<bool, Fault> = shared.table().abort(now, &session_id);
            }
            Ok(Request::CloseSession { session_id }) if session_id == session => {
                let _: Result<(), Fault> = shared.table().close(now, &session_id);
            }
            Ok(_) => {
                let id = incoming.id.as_ref().or(id);
                let failure = Fault::ConnectionBusy.into_failure();
                self.refuse(id, failure, false).await?;
            }
            Err(fault) => {
                self.refuse(incoming.id.as_ref(), fault.into_failure(), false)
                    .await?;
            }
        }
        Ok(None)
    }

    async fn refuse(
        &mut self,
        id: Option<&Value>,
        failure: Failure,
        streams: bool,
    ) -> io::Result<()> {
        let told = Told::of(&failure, &self.shared.door, "worker");
        write_refusal(&mut self.out.lines, id, &told, streams);
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        let written = timeout(self.shared.limits.transfer, self.out.flush()).await;
        written.unwrap_or_else(|_late| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// The tokens of a backend; a panic in it is a failure like any other.
fn caught(backend: &dyn Backend, ask: Ask) -> Tokens {
    let failed = |panic: Box<dyn Any + Send>| {
        let words = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let cause = format!("it panicked: {}", words.unwrap_or("without a word"));
        Fault::BackendFailed { cause }.into_failure()
    };
    // What a panic left behind is dropped unread, so nothing broken is seen again.
    match catch_unwind(AssertUnwindSafe(|| backend.generate(ask))) {
        Ok(tokens) => {
            let tokens = AssertUnwindSafe(tokens).catch_unwind();
            Box::pin(tokens.map(move |item| item.unwrap_or_else(|panic| Err(failed(panic)))))
        }
        Err(panic) => {
            let failure = Err(failed(panic));
            Box::pin(futures_util::stream::once(async { failure }))
        }
    }
}

/// One generation.
struct Run {
    session: String,
    tokens: Tokens,
    stop: watch::Receiver<Option<StopReason>>,
    limit: Pin<Box<Sleep>>,
    /// What was said so far, where the answer is not a stream.
    text: Option<String>,
}

impl Run {
    /// Whether somebody may have ended it.
    fn is_stopped(&self) -> bool {
        self.stop.has_changed().unwrap_or(true)
    }
}

/// Waits until the stream is ended from outside.
async fn ended(
    stop: &mut watch::Receiver<Option<StopReason>>,
    down: &mut watch::Receiver<bool>,
    limit: &mut Pin<Box<Sleep>>,
    shared: &Shared,
) -> End {
    tokio::select! {
        biased;
        stopped = stop.wait_for(Option::is_some) => {
            // Without a sender the session is gone.
            let reason = stopped.ok().and_then(|reason| *reason);
            End::Stop(Some(reason.unwrap_or(StopReason::Closed)))
        }
        _ = down.wait_for(|down| *down) => End::Failed(Fault::ShuttingDown.into_failure()),
        () = limit => End::Failed(Fault::TimedOut {
            operation: "generate",
            seconds: shared.limits.operation.as_secs(),
        }.into_failure()),
    }
}

/// Gives the session free when a generation is over, however it ended.
struct Over<'a> {
    shared: &'a Shared,
    session: String,
    stop: watch::Receiver<Option<StopReason>>,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let now = self.shared.now();
        self.shared.table().finish(now, &self.session, &self.stop);
    }
}

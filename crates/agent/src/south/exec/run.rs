//! Running a command: its own process group, bounded output, an end in any case.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::{Instant, sleep_until, timeout};

use super::{Plan, launch};
use crate::group::{Group, LINGER};
use crate::south::fault::SouthFault;

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// The longest reason of a launcher.
const LONGEST_REASON: u64 = 1024;

/// The program that lowers the limits and becomes the command.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    before: Vec<OsString>,
}

impl Launcher {
    /// A program that hands the arguments after `before` to [`launch::become_command`].
    pub fn new(program: PathBuf, before: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            program,
            before: before.into_iter().map(Into::into).collect(),
        }
    }
}

/// Which output a piece is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a process has two outputs")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a command ends in one of these ways"
)]
pub enum End {
    /// With an exit code, and the signal where one ended it.
    Exited(i32, Option<i32>),
    /// It took too long.
    TimedOut,
    /// Somebody cancelled it.
    Cancelled,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
}

/// One output: its beginning, and how much there was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// What was kept.
    pub text: String,
    /// Bytes in all.
    pub bytes: u64,
    /// Whether there was more than is kept.
    pub truncated: bool,
    /// Whether something was not UTF-8, and was replaced.
    pub lossy: bool,
}

/// Runs a command. `tell` hears each piece of output as it comes, as far as output is kept.
///
/// # Errors
///
/// When it cannot be started. Whatever happens later is how it ended.
pub async fn run(
    launcher: &Launcher,
    plan: &Plan,
    most: usize,
    cancelled: impl Future<Output = ()>,
    tell: impl Fn(Stream, &str),
) -> Result<Ran, SouthFault> {
    let failed = |reason: String| SouthFault::CommandNotStarted { reason };
    let not_started = |error: &io::Error| failed(error.kind().to_string());
    let user = match &plan.user {
        None => None,
        Some(name) => {
            let passwd = passwd().map_err(|error| not_started(&error))?;
            let known = launch::user(&passwd, name);
            Some(known.ok_or_else(|| failed(format!("the user {name} does not exist")))?)
        }
    };
    for path in [&plan.program, &plan.cwd] {
        let found = std::fs::metadata(path);
        found.map_err(|error| failed(format!("{path}: {}", error.kind())))?;
    }
    // The launcher says here why it could not become the command; nothing comes when it did.
    let (told, tells) = UnixStream::pair().map_err(|error| not_started(&error))?;
    let mut command = Command::new(&launcher.program);
    command
        .args(&launcher.before)
        .args(launch::arguments(&plan.limits, user))
        .arg(&plan.program)
        .args(&plan.args)
        .env_clear()
        .envs(&plan.env)
        .current_dir(&plan.cwd)
        .stdin(Stdio::from(OwnedFd::from(tells)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (mut child, group) = Group::start(&mut command).map_err(|error| not_started(&error))?;
    // With it goes our copy of the launcher's end.
    drop(command);
    let deadline = Instant::now() + Duration::from_millis(plan.timeout);
    let mut stdout = Reader::new(child.stdout.take(), Stream::Stdout, most);
    let mut stderr = Reader::new(child.stderr.take(), Stream::Stderr, most);
    let end = {
        let mut reading =
            std::pin::pin!(async { tokio::join!(stdout.read(&tell), stderr.read(&tell)) });
        let mut cancelled = std::pin::pin!(cancelled);
        let mut read = false;
        let end = loop {
            tokio::select! {
                _ = &mut reading, if !read => read = true,
                status = child.wait() => break status.map_or(End::Exited(-1, None), exited),
                () = sleep_until(deadline) => break End::TimedOut,
                () = &mut cancelled => break End::Cancelled,
            }
        };
        // What it left behind in its group ends with it, and so do its pipes.
        group.kill();
        if !read {
            let _closed = timeout(LINGER, &mut reading).await;
        }
        end
    };
    // A killed child is waited for, so that it does not stay as a zombie.
    let _reaped = timeout(LINGER, child.wait()).await;
    let why = reason(told).await;
    if !why.is_empty() {
        return Err(failed(format!("{}: {why}", plan.program)));
    }
    Ok(Ran {
        end,
        stdout: stdout.finish(),
        stderr: stderr.finish(),
    })
}

/// What the launcher said before it ended; nothing where it became the command.
async fn reason(told: UnixStream) -> String {
    let mut why = Vec::new();
    let reading = async {
        told.set_nonblocking(true)?;
        let mut told = tokio::net::UnixStream::from_std(told)?.take(LONGEST_REASON);
        told.read_to_end(&mut why).await
    };
    // Its end is closed when it becomes the command, and when it ends.
    let _said: Result<io::Result<usize>, _> = timeout(LINGER, reading).await;
    String::from_utf8_lossy(&why).into_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the machine's users are read where a command starts"
)]
fn passwd() -> io::Result<String> {
    std::fs::read_to_string("/etc/passwd")
}

fn exited(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal();
    // As shells say it.
    let code = status.code().or_else(|| signal.map(|signal| 128 + signal));
    End::Exited(code.unwrap_or(-1), signal)
}

struct Reader<R> {
    from: Option<R>,
    stream: Stream,
    most: usize,
    kept: Vec<u8>,
    told: usize,
    bytes: u64,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    const fn new(from: Option<R>, stream: Stream, most: usize) -> Self {
        Self {
            from,
            stream,
            most,
            kept: Vec::new(),
            told: 0,
            bytes: 0,
        }
    }

    /// Reads to the end. What is beyond the limit is read and forgotten, so that the command does not wait for ever.
    async fn read(&mut self, tell: &impl Fn(Stream, &str)) {
        let Some(mut from) = self.from.take() else {
            return;
        };
        let mut piece = vec![0; PIECE];
        while let Ok(count) = from.read(&mut piece).await
            && count > 0
        {
            self.bytes += count as u64;
            let room = self.most.saturating_sub(self.kept.len()).min(count);
            self.kept.extend(piece.get(..room).unwrap_or_default());
            self.tell(tell);
        }
    }

    /// Tells what is new, without the beginning of a character whose rest has not come.
    fn tell(&mut self, tell: &impl Fn(Stream, &str)) {
        let new = self.kept.get(self.told..).unwrap_or_default();
        let whole = match std::str::from_utf8(new) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => new.len(),
        };
        if let Some(new) = new.get(..whole).filter(|new| !new.is_empty()) {
            tell(self.stream, &String::from_utf8_lossy(new));
            self.told += whole;
        }
    }

    fn finish(mut self) -> Output {
        let truncated = self.bytes > self.kept.len() as u64;
        if truncated {
            // The limit may have cut a character.
            let cut = std::str::from_utf8(&self.kept).map_or_else(
                |error| error.error_len().is_none().then_some(error.valid_up_to()),
                |_| None,
            );
            self.kept.truncate(cut.unwrap_or(self.kept.len()));
        }
        let (text, lossy) = match String::from_utf8(self.kept) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        Output {
            text,
            bytes: self.bytes,
            truncated,
            lossy,
        }
    }
}

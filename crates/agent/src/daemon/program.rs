//! A handler that runs a program: what `--action NAME=PROGRAM` brings.

use std::ffi::OsString;
use std::pin::pin;
use std::process::Stdio;

use aon::door::Failure;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::actions::{Acting, ActionKind, Call, Handler, Stream, Voice};
use crate::fault::Fault;
use crate::group::{Group, LINGER};
use crate::text::Decoder;

/// How much of each output a result repeats, in bytes.
const KEPT: usize = 64 * 1024;

/// Runs a program for each action, without a shell: the action as JSON on its standard input, and what it writes as
/// `exec_log`. The result has its exit code, and the first 64 KiB of each output.
///
/// What a program for `research` writes to its standard output is also a `research_result`, if it is `{"docs": [{"title", "url"}]}` in
/// JSON, or the list alone.
///
/// It runs in a process group of its own, which ends with the program.
/// The program decides what it does with a `command` or a tool. It finds the id of the action in `AON_ACTION_ID`.
#[derive(Clone, Debug)]
pub struct Program {
    program: OsString,
}

impl Program {
    /// Runs this program.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
        }
    }

    async fn run(&self, call: Call, voice: Voice) -> Result<Value, Failure> {
        let failed = |cause: String| Fault::BackendFailed { cause }.into_failure();
        let mut command = tokio::process::Command::new(&self.program);
        command
            .env("AON_ACTION_ID", &call.action_id)
            .env("AON_SESSION_ID", &call.session_id)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (mut child, group) = Group::start(&mut command).map_err(|error| {
            failed(format!(
                "{} cannot be started: {error}",
                self.program.display()
            ))
        })?;
        let (kind, mut object) = (call.kind, call.members);
        object.insert("action".to_owned(), kind.as_str().into());
        object.insert("action_id".to_owned(), call.action_id.into());
        if let Some(mut to) = child.stdin.take() {
            let line = format!("{}\n", Value::Object(object));
            tokio::spawn(async move {
                // A program that does not want to know closes its input.
                let _: std::io::Result<()> = to.write_all(line.as_bytes()).await;
            });
        }
        let (from, complaints) = (child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Heard::default(), Heard::default());
        let status = {
            let mut reading = pin!(async {
                tokio::join!(
                    out.hear(from, Stream::Stdout, &voice),
                    err.hear(complaints, Stream::Stderr, &voice)
                )
            });
            let mut read = false;
            let status = loop {
                tokio::select! {
                    _ = &mut reading, if !read => read = true,
                    status = child.wait() => break status,
                }
            };
            // What it left behind ends with it, and so do its pipes.
            group.kill();
            if !read {
                let _closed = timeout(LINGER, &mut reading).await;
            }
            status
        };
        let status =
            status.map_err(|error| failed(format!("its end cannot be waited for: {error}")))?;
        if kind == ActionKind::Research
            && let Some(docs) = documents(&out.text)
        {
            voice.research_result(docs);
        }
        let mut result =
            json!({ "exit_code": status.code(), "stdout": out.text, "stderr": err.text });
        if out.truncated || err.truncated {
            result["truncated"] = Value::Bool(true);
        }
        Ok(result)
    }
}

/// The documents that a program for `research` wrote.
fn documents(text: &str) -> Option<Vec<Value>> {
    let mut found: Value = serde_json::from_str(text).ok()?;
    let docs = match &mut found {
        Value::Object(members) => members.remove("docs")?,
        _ => found,
    };
    match docs {
        Value::Array(docs) => Some(docs),
        _ => None,
    }
}

/// What a program wrote: its beginning.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    truncated: bool,
}

impl Heard {
    /// Tells what comes as it comes, and keeps the beginning.
    async fn hear(&mut self, from: Option<impl AsyncRead + Unpin>, stream: Stream, voice: &Voice) {
        let Some(mut from) = from else {
            return;
        };
        let mut decoder = Decoder::default();
        let mut piece = vec![0; 8 * 1024];
        // A pipe that breaks has ended.
        while let Ok(length) = from.read(&mut piece).await
            && length > 0
        {
            self.tell(&decoder.push(&piece[..length]), stream, voice);
        }
        self.tell(&decoder.finish(), stream, voice);
    }

    fn tell(&mut self, text: &str, stream: Stream, voice: &Voice) {
        voice.exec_log(stream, text);
        if self.text.len() + text.len() > KEPT {
            self.truncated = true;
        }
        if !self.truncated {
            self.text.push_str(text);
        }
    }
}

impl Handler for Program {
    fn act(&self, call: Call, voice: Voice) -> Acting<'_> {
        Box::pin(self.run(call, voice))
    }
}

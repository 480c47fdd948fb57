//! A handler that runs a program: what `--action NAME=PROGRAM` brings.

use std::ffi::OsString;
use std::process::Stdio;

use aon::door::Failure;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use super::actions::{Acting, Call, Handler, Stream, Voice};
use crate::fault::Fault;
use crate::group::Group;
use crate::text::Decoder;

/// Runs a program for each action, without a shell: the action as JSON on its standard input, and what it writes as
/// `exec_log`. The result has its exit code.
///
/// It runs in a process group of its own, which ends with the action.
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
        let (mut child, _group) = Group::start(&mut command).map_err(|error| {
            failed(format!(
                "{} cannot be started: {error}",
                self.program.display()
            ))
        })?;
        let mut object = call.members;
        object.insert("action".to_owned(), call.kind.as_str().into());
        object.insert("action_id".to_owned(), call.action_id.into());
        if let Some(mut to) = child.stdin.take() {
            let line = format!("{}\n", Value::Object(object));
            tokio::spawn(async move {
                // A program that does not want to know closes its input.
                let _: std::io::Result<()> = to.write_all(line.as_bytes()).await;
            });
        }
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (out, err) = tokio::join!(
            tell(out, Stream::Stdout, &voice),
            tell(err, Stream::Stderr, &voice)
        );
        out.and(err)
            .map_err(|error| failed(format!("its output cannot be read: {error}")))?;
        let status = child.wait().await;
        let status =
            status.map_err(|error| failed(format!("its end cannot be waited for: {error}")))?;
        Ok(json!({ "exit_code": status.code() }))
    }
}

async fn tell(
    from: Option<impl AsyncRead + Unpin>,
    stream: Stream,
    voice: &Voice,
) -> std::io::Result<()> {
    let Some(mut from) = from else {
        return Ok(());
    };
    let mut decoder = Decoder::default();
    let mut piece = vec![0; 8 * 1024];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            voice.exec_log(stream, &decoder.finish());
            return Ok(());
        }
        voice.exec_log(stream, &decoder.push(&piece[..length]));
    }
}

impl Handler for Program {
    fn act(&self, call: Call, voice: Voice) -> Acting<'_> {
        Box::pin(self.run(call, voice))
    }
}

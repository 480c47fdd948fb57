//! Programs of others that are run to their end.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing that a suite runs takes longer.
const LIMIT: Duration = Duration::from_secs(300);

/// What a command says with this input. Node sometimes waits for a thread of its own when it ends, for ever: one that takes longer than five
/// minutes is ended and tried once more.
///
/// # Errors
///
/// It cannot be started, or took too long twice.
pub fn output(command: &mut Command, input: &str) -> io::Result<Output> {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    for _ in 0..2 {
        if let Some(output) = once(command.spawn()?, input)? {
            return Ok(output);
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

fn once(mut child: Child, input: &str) -> io::Result<Option<Output>> {
    let (mut stdin, input) = (child.stdin.take(), input.to_owned());
    thread::spawn(move || {
        stdin
            .as_mut()
            .map(|stdin| stdin.write_all(input.as_bytes()))
    });
    let out = read(child.stdout.take());
    let err = read(child.stderr.take());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    };
    let all = |reading: thread::JoinHandle<Vec<u8>>| reading.join().unwrap_or_default();
    Ok(Some(Output {
        status,
        stdout: all(out),
        stderr: all(err),
    }))
}

fn read(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut said = Vec::new();
        let read = pipe.map(|mut pipe| pipe.read_to_end(&mut said));
        if let Some(Err(why)) = read {
            said.extend_from_slice(why.to_string().as_bytes());
        }
        said
    })
}

//! Streams of a worker: their lines, their end, several clients, abort.

use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{sleep, timeout};

use super::{Held, Probe, Wire, timed};
use crate::check::{Ask, clip, holds};

/// What makes the echo of our worker, and of many test workers, long and slow; others do not know these.
const LONG: &str = r#"{"delay_ms":5,"repeat":100000}"#;

/// How soon an abort has to work.
const SOON: Duration = Duration::from_millis(100);

/// What is asked for where the stream has to last.
const PROMPT: &str = "Count from 1 to 100000, one number per line. ";

/// What a stream said.
#[derive(Default)]
struct Stream {
    text: String,
    /// Lines that are an object but neither token nor end.
    strange: Vec<String>,
    /// The ends, and what came after the first.
    ends: Vec<Value>,
    after: Vec<String>,
    closed: bool,
}

fn request(session: &str, prompt: &str) -> String {
    let prompt = Value::from(prompt);
    format!(r#"{{"type":"generate","session_id":"{session}","prompt":{prompt},"stream":true}}"#)
}

pub(super) async fn probe(probe: &mut Probe<'_>) {
    plain(probe).await;
    split(probe).await;
    let lasting = several(probe).await;
    abort(probe, lasting).await;
    slow(probe).await;
    leave(probe).await;
    closed(probe).await;
}

async fn read(wire: &mut Wire, most: usize) -> Result<Stream, String> {
    let mut stream = Stream::default();
    let mut lines = 0;
    while let Some(line) = wire.line().await? {
        lines += 1;
        if lines > most {
            break;
        }
        let shown = || clip(&String::from_utf8_lossy(&line));
        if !stream.ends.is_empty() {
            stream.after.push(shown());
            continue;
        }
        match serde_json::from_slice::<Value>(&line) {
            Ok(event @ Value::Object(_)) => match event["type"].as_str() {
                Some("token") if event["text"].is_string() => {
                    stream
                        .text
                        .push_str(event["text"].as_str().unwrap_or_default());
                }
                Some("stop" | "error") => {
                    stream.ends.push(event);
                    // What follows the end follows at once, or the connection is closed.
                    match timeout(Duration::from_secs(2), wire.line()).await {
                        Ok(Ok(None)) => stream.closed = true,
                        Ok(Ok(Some(more))) => {
                            stream.after.push(clip(&String::from_utf8_lossy(&more)));
                        }
                        Ok(Err(_)) | Err(_) => {}
                    }
                    return Ok(stream);
                }
                _ => stream.strange.push(shown()),
            },
            _ => match std::str::from_utf8(&line) {
                Ok(text) => stream.text.push_str(text),
                Err(_torn) => stream.strange.push(shown()),
            },
        }
    }
    Ok(stream)
}

async fn start(probe: &Probe<'_>, params: &str, prompt: &str) -> Result<(String, Wire), String> {
    let session = probe.session(params).await?;
    let mut wire = probe.connect().await.map_err(|error| error.to_string())?;
    wire.send(request(&session, prompt).as_bytes()).await?;
    Ok((session, wire))
}

async fn plain(probe: &mut Probe<'_>) {
    let stream = async {
        let (_, mut wire) = start(probe, "{}", "Say hello.").await?;
        read(&mut wire, 100_000).await
    };
    let stream = stream.await;
    let sent = request("…", "Say hello.");
    let on = |check: &dyn Fn(&Stream) -> Held| match &stream {
        Ok(stream) => check(stream),
        Err(why) => Err(why.clone()),
    };
    let known = on(&|stream| match stream.strange.first() {
        None => Ok(()),
        Some(line) => Err(line.clone()),
    });
    let ended = on(&|stream| {
        holds(
            stream.ends.first().is_some_and(|end| end["type"] == "stop"),
            || {
                stream
                    .ends
                    .first()
                    .map_or("no end".to_owned(), |end| clip(&end.to_string()))
            },
        )
    });
    let closed = on(&|stream| holds(stream.closed, || "it stays open".to_owned()));
    let last = on(&|stream| {
        stream
            .after
            .first()
            .map_or(Ok(()), |line| Err(line.clone()))
    });
    probe.claim(
        "W1",
        "a stream is tokens, as {type: token, text} or lines of text",
        &sent,
        "write {\"type\": \"token\", \"text\": \"…\"}",
        known,
    );
    probe.claim(
        "W1",
        "a stream ends with {type: stop}",
        &sent,
        "write {\"type\": \"stop\"} as the last line",
        ended,
    );
    probe.claim(
        "W1",
        "nothing comes after the end of a stream",
        &sent,
        "write the end once, and last",
        last,
    );
    probe.claim(
        "W1",
        "the connection is closed after `stop`",
        &sent,
        "close it: clients wait for that",
        closed,
    );
}

async fn split(probe: &mut Probe<'_>) {
    const TEXT: &str = " olá 世界 😀";
    let held = async {
        let session = probe.session("{}").await?;
        let mut wire = probe.connect().await.map_err(|error| error.to_string())?;
        let mut line = request(&session, TEXT).into_bytes();
        line.push(b'\n');
        // Inside of the first character that has two bytes.
        let at = line
            .iter()
            .position(|byte| *byte == 0xc3)
            .map_or(1, |at| at + 1);
        for part in [&line[..at], &line[at..]] {
            wire.stream
                .write_all(part)
                .await
                .map_err(|error| error.to_string())?;
            sleep(Duration::from_millis(50)).await;
        }
        let stream = read(&mut wire, 100_000).await?;
        let stopped = stream.ends.first().is_some_and(|end| end["type"] == "stop");
        holds(stopped, || {
            stream
                .ends
                .first()
                .map_or("no end".to_owned(), |end| clip(&end.to_string()))
        })?;
        // An echo says what it understood.
        let echoes = stream.text.contains('世') || stream.text.contains("ol");
        holds(!echoes || stream.text.contains(TEXT.trim()), || {
            clip(&stream.text)
        })?;
        holds(!stream.text.contains('\u{fffd}'), || clip(&stream.text))
    };
    let held = held.await;
    probe.claim(
        "W1",
        "a request whose characters are split over two writes is read whole",
        TEXT,
        "decode a line when it is complete, not each piece",
        held,
    );
}

/// Whether a second client is served while a first one streams; and whether streams last long enough to tell.
async fn several(probe: &mut Probe<'_>) -> bool {
    let what = "a second client is served while a first one streams";
    let asked = async {
        let (session, mut first) = start(probe, LONG, PROMPT).await?;
        first.line().await?.ok_or("the stream has no lines")?;
        let mut wire = probe.connect().await.map_err(|error| error.to_string())?;
        wire.limit = probe.limit.min(Duration::from_secs(3));
        wire.send(br#"{"type":"status"}"#).await?;
        let answered = wire.object().await.map(drop);
        // It has to be streaming still, or nothing was shown.
        let streams =
            first.rest.is_empty() || !String::from_utf8_lossy(&first.rest).contains("\"stop\"");
        let abort = format!(r#"{{"type":"abort","session_id":"{session}"}}"#);
        drop(first);
        let _: Result<Value, String> = timeout(Duration::from_secs(2), probe.one(abort.as_bytes()))
            .await
            .unwrap_or_else(|_late| Err(String::new()));
        Ok::<_, String>((answered, streams))
    };
    match asked.await {
        Ok((answered, streams)) if streams || answered.is_err() => {
            probe.claim(
                "W1",
                what,
                r#"{"type":"status"}"#,
                "serve each connection in a task or thread of its own",
                answered,
            );
            streams
        }
        Ok(_) => {
            probe
                .table
                .untested("W1", what, "the stream was over too soon");
            false
        }
        Err(why) => {
            probe.claim(
                "W1",
                what,
                "",
                "serve each connection in a task or thread of its own",
                Err(why),
            );
            false
        }
    }
}

async fn abort(probe: &mut Probe<'_>, lasting: bool) {
    let what = "abort from a second connection ends a stream within 100 ms";
    if !lasting {
        probe
            .table
            .untested("W1", what, "no stream lasted long enough");
        return;
    }
    let mut held = Err("no try was made".to_owned());
    // A busy machine may be late once.
    for _ in 0..3 {
        held = aborted(probe, false).await;
        if held.is_ok() {
            break;
        }
    }
    probe.claim(
        "W1",
        what,
        r#"{"type":"abort","session_id":"…"}"#,
        "share the sessions between connections, and look at them between two tokens",
        held,
    );
    let held = aborted(probe, true).await;
    let ask = Ask::practice("SPEC 1", "abort on the streaming connection works too");
    probe
        .table
        .judge(ask.fix("go on reading while a stream is written"), held);
}

async fn aborted(probe: &Probe<'_>, same: bool) -> Held {
    let (session, mut first) = start(probe, LONG, PROMPT).await?;
    first.line().await?.ok_or("the stream has no lines")?;
    let abort = format!(r#"{{"type":"abort","session_id":"{session}"}}"#);
    let limit = Duration::from_secs(3);
    let ended = async {
        if same {
            first.send(abort.as_bytes()).await?;
        }
        while let Some(line) = first.line().await? {
            let end = serde_json::from_slice::<Value>(&line);
            if end.is_ok_and(|end| end["type"] == "stop" || end["type"] == "error") {
                return Ok(());
            }
        }
        Err("the connection was closed without an end".to_owned())
    };
    let told = async {
        if same {
            return Ok(());
        }
        let answer = probe.one(abort.as_bytes()).await?;
        holds(answer["ok"] == true, || clip(&answer.to_string()))
    };
    let both = async { tokio::join!(ended, told) };
    let (both, took) = timed(timeout(limit, both)).await;
    let (ended, told) = both.map_err(|_late| format!("it goes on after {} s", limit.as_secs()))?;
    told?;
    ended?;
    holds(took <= SOON || same, || {
        format!("it took {} ms", took.as_millis())
    })
}

/// A client that reads late gets every line whole.
async fn slow(probe: &mut Probe<'_>) {
    let what = "a client that reads slowly gets every line whole";
    let prompt = "0123456789 ".repeat(4000);
    let asked = async {
        let (_, mut wire) = start(probe, r#"{"repeat":20}"#, &prompt).await?;
        sleep(Duration::from_millis(300)).await;
        read(&mut wire, 1_000_000).await
    };
    let stream = asked.await;
    // One that repeats the prompt repeats all of it; what another says is not known.
    let whole = |text: &str| text.len().is_multiple_of(prompt.len()) || !text.starts_with("0123");
    let told = match &stream {
        Ok(stream)
            if stream.text.len() < 300_000
                && whole(&stream.text)
                && stream.strange.is_empty()
                && !stream.ends.is_empty() =>
        {
            probe.table.untested(
                "W1",
                what,
                "the worker did not say enough to fill the socket",
            );
            return;
        }
        Ok(stream) => match stream.strange.first() {
            Some(torn) => Err(torn.clone()),
            None => holds(!stream.ends.is_empty(), || "no end".to_owned()).and_then(|()| {
                holds(whole(&stream.text), || {
                    "some of the text is missing".to_owned()
                })
            }),
        },
        Err(why) => Err(why.clone()),
    };
    probe.claim(
        "W1",
        what,
        "a prompt of 44 KB, repeated",
        "write until everything is written; a write may take less than it is given",
        told,
    );
}

/// A client that leaves ends its own stream and nothing else.
async fn leave(probe: &mut Probe<'_>) {
    let held = async {
        let (_, mut wire) = start(probe, LONG, PROMPT).await?;
        wire.line().await?.ok_or("the stream has no lines")?;
        drop(wire);
        sleep(Duration::from_millis(200)).await;
        let answer = probe.one(br#"{"type":"status"}"#).await?;
        holds(answer["ok"] == true, || clip(&answer.to_string()))
    };
    let held = held.await;
    probe.claim(
        "W1",
        "the worker survives a client that leaves in the middle of a stream",
        "",
        "ignore SIGPIPE, and take a failed write for a client that is gone",
        held,
    );
}

/// A closed session cannot be used.
async fn closed(probe: &mut Probe<'_>) {
    let held = async {
        let session = probe.session("{}").await?;
        let close = format!(r#"{{"type":"close_session","session_id":"{session}"}}"#);
        let answer = probe.one(close.as_bytes()).await?;
        holds(answer["ok"] == true, || clip(&answer.to_string()))?;
        let answer = probe.one(request(&session, "x").as_bytes()).await?;
        holds(answer["ok"] == false || answer["type"] == "error", || {
            clip(&answer.to_string())
        })
    };
    let held = held.await;
    probe.claim(
        "W1",
        "close_session ends a session, which cannot generate any more",
        "",
        "forget the session",
        held,
    );
}

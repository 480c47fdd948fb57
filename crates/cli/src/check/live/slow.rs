//! L5: a reader that stops reading slows nobody down.

use std::future::pending;
use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::sync::watch;

use super::channels::paths_of;
use super::stream::{Seen, Stream};
use super::{NDJSON, Operation};
use crate::check::{Probe, holds};
use crate::http::Call;

const SSE: &str = "text/event-stream";
/// How many connections take nothing.
const STUCK: usize = 3;
/// As much as no connection holds without being read.
const PLENTY: usize = 2 << 20;

/// On a playground, or on an operation that says enough: readers that take nothing, and one that reads.
pub(super) async fn probe(probe: &mut Probe<'_>, operation: &Operation, plays: bool) {
    let what = "a reader that stops reading slows nobody down";
    if operation.method == Method::GET {
        let why = "the caller of a GET who leaves may cancel it";
        return probe.table.untested("L5", what, why);
    }
    let loud = if plays {
        let steps = json!([
            {"do": "status", "message": "working"},
            {"do": "sleep", "ms": 300},
            {"do": "burst", "count": 900, "message": format!("event {{n}} {}", "word ".repeat(600))},
        ]);
        Operation::playground(operation.path.clone(), &steps)
    } else {
        operation.clone()
    };
    match ended(probe, &loud).await {
        Ok(bytes) if bytes < PLENTY => {
            let why = "the operation says too little to fill a connection";
            probe.table.untested("L5", what, why);
        }
        Ok(_) => probe.table.claim("L5", what, Ok(())),
        Err(why) => probe.table.claim("L5", what, Err(why)),
    }
}

/// Follows the operation beside readers that take nothing, to its end; how much it said.
async fn ended(probe: &Probe<'_>, operation: &Operation) -> Result<usize, String> {
    let call = operation.asking(Some(NDJSON));
    let (first, session) = watch::channel(None);
    let reads = probe.client.capture(&call, |body| {
        let line = body.split(|byte| *byte == b'\n').next();
        if let Some(line) = line.filter(|line| line.len() < body.len()) {
            first.send_if_modified(|known| {
                let new = known.is_none();
                known.get_or_insert_with(|| String::from_utf8_lossy(line).into_owned());
                new
            });
        }
        false
    });
    let capture = tokio::select! {
        captured = reads => captured.map_err(|error| error.to_string())?,
        why = stuck(probe, session) => return Err(why),
    };
    let stream = Stream::read(&capture);
    holds(stream.terminal().is_some(), || {
        format!("beside {STUCK} connections that take nothing it does not come to its end")
    })?;
    Ok(capture.pieces.iter().map(|(_, piece)| piece.len()).sum())
}

/// Opens connections to the session that take nothing, and holds them; why it could not.
async fn stuck(probe: &Probe<'_>, mut session: watch::Receiver<Option<String>>) -> String {
    let line = match session.wait_for(Option::is_some).await {
        Ok(line) => line.clone().unwrap_or_default(),
        // Nobody will say it any more; the other side knows why.
        Err(_closed) => return pending().await,
    };
    let paths = Seen::of(&line, Duration::ZERO).and_then(|session| paths_of(probe, &session));
    let Some(paths) = paths else {
        return "there is no session event".to_owned();
    };
    let mut held = Vec::new();
    for _ in 0..STUCK {
        let call = Call::get(&paths.sse).with("accept", SSE);
        match probe.client.ask_and_leave_unread(&call).await {
            Ok(wire) => held.push(wire),
            Err(error) => return error.to_string(),
        }
    }
    pending().await
}

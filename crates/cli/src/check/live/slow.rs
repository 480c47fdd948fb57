//! L5: a reader that does not read slows nobody.

use http::Method;
use serde_json::json;

use super::channels::{paths, read};
use super::stream::Stream;
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
    let what = "a reader that does not read slows nobody";
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
    let head = probe
        .client
        .capture(&call, |body| body.contains(&b'\n'))
        .await;
    let head = head.map_err(|error| error.to_string())?;
    let begun = Stream::read(&head);
    let paths = paths(probe, &begun).ok_or("there is no session event")?;
    let mut stuck = Vec::new();
    for _ in 0..STUCK {
        let call = Call::get(&paths.sse).with("accept", SSE);
        let wire = probe.client.ask_and_leave_unread(&call).await;
        stuck.push(wire.map_err(|error| error.to_string())?);
    }
    let stream = read(probe, &paths.sse, SSE, None).await?;
    drop(stuck);
    holds(stream.terminal().is_some(), || {
        format!("{STUCK} connections take nothing, and a reader that reads does not see the end")
    })?;
    let shown: usize = stream.events.iter().map(|event| event.json.len()).sum();
    // What the ring let go of was said too.
    let last = stream.numbered().filter_map(super::stream::Seen::seq).max();
    let count = stream.numbered().count().max(1);
    let all = usize::try_from(last.unwrap_or(0)).unwrap_or(count);
    Ok(shown / count * all)
}

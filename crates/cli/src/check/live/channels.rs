//! L5: every channel shows the same events; a reader resumes exactly; what is lost is told.

use http::Method;

use super::stream::{Seen, Stream};
use super::{NDJSON, Operation};
use crate::check::{Probe, clip, holds};
use crate::http::Call;

const SSE: &str = "text/event-stream";
const EVICTED: &str = "a cursor older than the ring is answered by a gap";

/// Where a session is read, as paths of the target.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) sse: String,
    ws: String,
    pub(super) state: String,
}

/// Reads the session of `stream` again on every channel.
pub(super) async fn probe(
    probe: &mut Probe<'_>,
    operation: &Operation,
    stream: &Stream,
    plays: bool,
) {
    let what = "the addresses in the session event work as they are";
    let Some(paths) = paths(probe, stream) else {
        return probe.table.claim(
            "L5",
            what,
            Err("they are not on this host, or not there".to_owned()),
        );
    };
    let sse = match read(probe, &paths.sse, SSE, None).await {
        Ok(sse) => sse,
        Err(why) => return probe.table.claim("L5", what, Err(why)),
    };
    probe.table.claim("L5", what, Ok(()));
    probe.table.claim(
        "L5",
        "SSE shows the same events in the same order",
        same(stream, &sse),
    );
    probe.table.claim(
        "L5",
        "SSE has event, data and id on every event",
        framed(&sse),
    );
    probe.table.claim(
        "L5",
        "SSE ends after the terminal event",
        sse.ends_once().and_then(|()| sse.closes()),
    );
    let lines = read(probe, &paths.sse, NDJSON, None).await;
    let lines = lines.and_then(|lines| same(stream, &lines));
    probe.table.claim(
        "L5",
        "the same address answers lines of JSON when that is asked for",
        lines,
    );
    socket(probe, &paths, stream).await;
    resume(probe, &paths, &sse).await;
    gaps(probe, &paths, &sse, plays).await;
    late(probe, &paths, stream).await;
    state(probe, &paths).await;
    beside(probe, operation).await;
}

fn paths(probe: &Probe<'_>, stream: &Stream) -> Option<Paths> {
    paths_of(probe, stream.events.first()?)
}

pub(super) fn paths_of(probe: &Probe<'_>, session: &Seen) -> Option<Paths> {
    let path = |name: &str| {
        let url = session.text(name)?;
        // Host and port decide; the scheme of a WebSocket is another word for the same.
        let url = url.replacen("ws", "http", usize::from(url.starts_with("ws")));
        let query = url.split_once('?').map(|(_, query)| query.to_owned());
        let path = probe
            .client
            .target
            .path_of(url.split('?').next().unwrap_or_default())?;
        Some(query.map_or(path.clone(), |query| format!("{path}?{query}")))
    };
    Some(Paths {
        sse: path("sse_url")?,
        ws: path("ws_url")?,
        state: path("state_url")?,
    })
}

async fn read(
    probe: &Probe<'_>,
    path: &str,
    accept: &str,
    since: Option<&str>,
) -> Result<Stream, String> {
    let mut call = Call::get(path).with("accept", accept);
    if let Some(since) = since {
        call = call.with("last-event-id", since);
    }
    let capture = probe
        .client
        .capture(&call, |_| false)
        .await
        .map_err(|error| error.to_string())?;
    holds(
        capture.status == 200 && capture.media_type() == accept,
        || {
            format!(
                "GET {path} answered {} with {:?}",
                capture.status,
                capture.media_type()
            )
        },
    )?;
    Ok(Stream::read(&capture))
}

/// The numbered events of both are the same; the ring of the second may have lost its front.
fn same(one: &Stream, two: &Stream) -> Result<(), String> {
    let first = two
        .numbered()
        .next()
        .and_then(Seen::seq)
        .ok_or("no event is numbered")?;
    let kept: Vec<&Seen> = one
        .numbered()
        .filter(|event| event.seq() >= Some(first))
        .collect();
    let seen: Vec<&Seen> = two.numbered().collect();
    for (ours, theirs) in kept.iter().zip(&seen) {
        holds(ours.members == theirs.members, || {
            format!("{} here, {} there", clip(&ours.json), clip(&theirs.json))
        })?;
    }
    // Whoever asks for nothing gets the oldest that is kept; only a claim can be disappointed.
    holds(kept.len() == seen.len(), || {
        format!("{} events here, {} there", kept.len(), seen.len())
    })?;
    Ok(())
}

fn framed(sse: &Stream) -> Result<(), String> {
    for event in &sse.events {
        let name = event.name.as_deref().unwrap_or_default();
        holds(name == event.kind(), || {
            format!("event: {name:?} beside the type {:?}", event.kind())
        })?;
        let Some(seq) = event.seq() else {
            holds(event.id.is_none(), || {
                format!("{} has an id, and no number", event.kind())
            })?;
            continue;
        };
        let id = event.id.as_deref().unwrap_or_default();
        let fits = id
            .rsplit_once('-')
            .is_some_and(|(epoch, number)| !epoch.is_empty() && number == seq.to_string());
        holds(fits, || format!("id: {id:?} is not <epoch>-{seq}"))?;
    }
    Ok(())
}

async fn socket(probe: &mut Probe<'_>, paths: &Paths, stream: &Stream) {
    let what = "WebSocket shows the same events in the same order";
    let messages = match probe.client.socket(&paths.ws, None).await {
        Ok(messages) => messages,
        Err(why) => return probe.table.claim("L5", what, Err(why)),
    };
    let read = |messages: &[String]| -> Result<Stream, String> {
        let events = messages.iter().map(|text| {
            Seen::of(text, stream.ended_at)
                .ok_or_else(|| format!("a message is not one event: {}", clip(text)))
        });
        Ok(Stream {
            events: events.collect::<Result<_, _>>()?,
            ..stream.clone()
        })
    };
    let whole = read(&messages);
    let result = whole
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|whole| same(stream, whole));
    probe.table.claim("L5", what, result);
    let Some((since, next)) = whole.ok().and_then(|whole| middle(&whole)) else {
        return probe
            .table
            .untested("L5", "WebSocket resumes", "there are too few events");
    };
    let joint = if paths.ws.contains('?') { '&' } else { '?' };
    let query = probe
        .client
        .socket(&format!("{}{joint}since={since}", paths.ws), None)
        .await;
    let message = format!("{{\"type\":\"resume\",\"since\":\"{since}\"}}");
    let said = probe.client.socket(&paths.ws, Some(&message)).await;
    for (what, answer) in [
        ("WebSocket resumes after ?since=", query),
        ("WebSocket resumes after a message of type resume", said),
    ] {
        let result = answer.and_then(|messages| read(&messages)?.counted(Some(next)));
        probe.table.claim("L5", what, result);
    }
}

/// An event in the middle: the id of the one before, and its number.
fn middle(stream: &Stream) -> Option<(String, u64)> {
    let numbered: Vec<&Seen> = stream.numbered().collect();
    let before = numbered.get(numbered.len().checked_sub(2)? / 2)?;
    let id = before
        .id
        .clone()
        .or_else(|| before.text("id").map(str::to_owned))?;
    Some((id, before.seq()? + 1))
}

async fn resume(probe: &mut Probe<'_>, paths: &Paths, sse: &Stream) {
    let Some((since, next)) = middle(sse) else {
        return probe.table.untested(
            "L5",
            "Last-Event-ID resumes exactly",
            "there are too few events",
        );
    };
    let by_header = read(probe, &paths.sse, SSE, Some(&since)).await;
    let by_header = by_header.and_then(|stream| stream.counted(Some(next)));
    probe
        .table
        .claim("L5", "Last-Event-ID resumes exactly after it", by_header);
    let joint = if paths.sse.contains('?') { '&' } else { '?' };
    let path = format!("{}{joint}last_event_id={since}", paths.sse);
    let by_query = read(probe, &path, SSE, None)
        .await
        .and_then(|stream| stream.counted(Some(next)));
    probe
        .table
        .claim("L5", "last_event_id in the query does the same", by_query);
}

/// A claim that the ring cannot keep is answered by a gap, never silently.
async fn gaps(probe: &mut Probe<'_>, paths: &Paths, sse: &Stream, plays: bool) {
    let first = sse.numbered().next();
    let epoch = first.and_then(|event| {
        event
            .id
            .as_deref()?
            .rsplit_once('-')
            .map(|(epoch, _)| epoch.to_owned())
    });
    let Some(epoch) = epoch else {
        return probe.table.untested(
            "L5",
            "a loss is announced by a gap",
            "there are no ids to claim",
        );
    };
    let other: String = epoch
        .chars()
        .map(|c| if c == '0' { '1' } else { '0' })
        .collect();
    let oldest = first.and_then(Seen::seq).unwrap_or(1);
    let mut claims = vec![
        (
            "a cursor of another epoch is answered by a gap",
            format!("{other}-1"),
            "epoch",
        ),
        (
            "a cursor from the future is answered by a gap",
            format!("{epoch}-999999"),
            "ahead",
        ),
    ];
    if oldest > 2 {
        claims.push((EVICTED, format!("{epoch}-1"), "evicted"));
    } else if !plays {
        let why = "the ring still holds the whole session";
        probe.table.untested("L5", EVICTED, why);
    }
    for (what, since, reason) in claims {
        let result = read(probe, &paths.sse, SSE, Some(&since)).await;
        let result = result.and_then(|stream| gap(&stream, reason, oldest));
        probe.table.claim("L5", what, result);
    }
}

/// The stream starts with a gap for this reason, and goes on with the oldest event that is kept.
fn gap(stream: &Stream, reason: &str, oldest: u64) -> Result<(), String> {
    let first = stream.events.first().ok_or("the stream is empty")?;
    holds(first.kind() == "gap", || {
        format!("the first event is {:?}", first.kind())
    })?;
    let given = first.text("reason").unwrap_or_default();
    holds(given == reason, || {
        format!("the reason is {given:?}, expected {reason}")
    })?;
    holds(first.seq().is_none(), || "the gap is numbered".to_owned())?;
    stream.counted(Some(oldest))
}

/// On a playground: a session that is longer than its ring.
pub(super) async fn overrun(probe: &mut Probe<'_>, operation: &Operation) {
    let steps = serde_json::json!([{"do": "burst", "count": 900, "message": "event {n}"}]);
    let call = Operation::playground(operation.path.clone(), &steps).asking(Some(NDJSON));
    let result = async {
        let long = probe.client.capture(&call, |_| false).await;
        let long = Stream::read(&long.map_err(|error| error.to_string())?);
        let session = long.events.first().ok_or("the stream is empty")?;
        let id = session
            .text("id")
            .ok_or("the session event has no id")?
            .to_owned();
        let paths = paths(probe, &long).ok_or("there is no session event")?;
        let kept = read(probe, &paths.sse, SSE, None).await?;
        let oldest = kept.numbered().next().and_then(Seen::seq).unwrap_or(1);
        if oldest <= 2 {
            return Ok(false);
        }
        let resumed = read(probe, &paths.sse, SSE, Some(&id)).await?;
        gap(&resumed, "evicted", oldest).map(|()| true)
    };
    match result.await {
        Ok(true) => probe.table.claim("L5", EVICTED, Ok(())),
        Ok(false) => probe
            .table
            .untested("L5", EVICTED, "the ring holds 900 events"),
        Err(why) => probe.table.claim("L5", EVICTED, Err::<(), String>(why)),
    }
}

async fn late(probe: &mut Probe<'_>, paths: &Paths, stream: &Stream) {
    let what = "a reader that has seen the end gets 204";
    let end = stream
        .terminal()
        .and_then(|end| end.text("id").map(str::to_owned));
    let end = match end {
        Some(end) => Some(end),
        // A server whose events carry their id on SSE only.
        None => read(probe, &paths.sse, SSE, None)
            .await
            .ok()
            .and_then(|sse| sse.terminal()?.id.clone()),
    };
    match end {
        Some(end) => {
            let call = Call::get(&paths.sse)
                .with("accept", SSE)
                .with("last-event-id", end);
            let result = match probe.client.capture(&call, |_| true).await {
                Ok(answer) => holds(answer.status == 204, || format!("status {}", answer.status)),
                Err(error) => Err(error.to_string()),
            };
            probe.table.claim("L5", what, result);
        }
        None => probe.table.untested("L5", what, "the end has no id"),
    }
    let id = stream
        .events
        .first()
        .and_then(|session| session.text("session_id"))
        .unwrap_or_default()
        .to_owned();
    let what = "a session that does not exist is 404, as a problem";
    if id.is_empty() || !paths.sse.contains(&id) {
        return probe.table.untested(
            "L5",
            what,
            "the address does not hold the id of the session",
        );
    }
    let other: String = id
        .chars()
        .map(|c| if c == '0' { '1' } else { '0' })
        .collect();
    let call = Call::get(paths.sse.replace(&id, &other)).with("accept", SSE);
    let result = match probe.client.capture(&call, |_| true).await {
        Ok(answer) => holds(
            answer.status == 404 && answer.media_type() == "application/problem+json",
            || {
                format!(
                    "status {}, content-type {:?}",
                    answer.status,
                    answer.content_type()
                )
            },
        ),
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("L5", what, result);
}

async fn state(probe: &mut Probe<'_>, paths: &Paths) {
    let result = match probe
        .client
        .capture(&Call::new(Method::GET, &paths.state), |_| false)
        .await
    {
        Ok(answer) => {
            let json = serde_json::from_slice::<serde_json::Value>(&answer.body());
            holds(
                answer.status == 200 && json.is_ok_and(|json| json.is_object()),
                || {
                    format!(
                        "status {}, content-type {:?}",
                        answer.status,
                        answer.content_type()
                    )
                },
            )
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim(
        "L5",
        "state_url answers with state and outcome as JSON",
        result,
    );
}

/// A second reader that comes while the work goes on sees everything, and hears when it is live.
async fn beside(probe: &mut Probe<'_>, operation: &Operation) {
    let what = "a reader who joins while it runs sees everything, in order";
    let call = operation.asking(Some(NDJSON));
    let head = probe
        .client
        .capture(&call, |body| body.contains(&b'\n'))
        .await;
    let Ok(head) = head else {
        return probe
            .table
            .untested("L5", what, "the glass box did not answer");
    };
    let begun = Stream::read(&head);
    let Some(paths) = paths(probe, &begun) else {
        return probe
            .table
            .untested("L5", what, "there is no session event");
    };
    if begun.terminal().is_some() {
        return probe
            .table
            .untested("L5", what, "the operation ends at once");
    }
    if operation.method == Method::GET {
        // The reader of a GET that leaves takes the work with it, unless the route says otherwise.
        return probe
            .table
            .untested("L5", what, "the caller of a GET who leaves may cancel it");
    }
    let result = read(probe, &paths.sse, SSE, None).await.and_then(|stream| {
        // What a small ring has lost by now is announced.
        let first = stream.events.first();
        let lost = first.filter(|event| event.kind() == "gap");
        let from = lost.map_or(Some(1), |gap| gap.number("oldest"));
        stream.counted(from)?;
        stream.ends_once()?;
        holds(
            stream
                .events
                .iter()
                .any(|event| event.kind() == "replay_complete"),
            || "there is no replay_complete between what was and what is".to_owned(),
        )
    });
    probe.table.claim("L5", what, result);
}

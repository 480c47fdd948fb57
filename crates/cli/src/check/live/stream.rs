//! A captured stream, taken apart, and the clauses that one stream must hold. Pure: each is tested on text.

use std::time::Duration;

use aon::ProblemDetails;
use aon_live::client::{Item, Reader};
use serde_json::{Map, Value};

use crate::check::{clip, holds};
use crate::http::{Capture, End};

/// One event as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) at: Duration,
    /// The JSON, byte for byte.
    pub(super) json: String,
    pub(super) members: Map<String, Value>,
    /// On SSE: the id beside the event.
    pub(super) id: Option<String>,
    /// On SSE: the name beside the event.
    pub(super) name: Option<String>,
}

impl Seen {
    pub(super) fn of(json: &str, at: Duration) -> Option<Self> {
        Some(Self {
            at,
            json: json.to_owned(),
            members: serde_json::from_str(json).ok()?,
            id: None,
            name: None,
        })
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name)?.as_str()
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.members.get(name)?.as_u64()
    }

    pub(super) fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    pub(super) fn seq(&self) -> Option<u64> {
        self.number("seq")
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self.kind(), "result" | "error")
    }

    /// The notes of a channel carry no number: they are made for one reader.
    pub(super) fn is_note(&self) -> bool {
        let heartbeat = self.kind() == "status" && self.text("message") == Some("heartbeat");
        matches!(
            self.kind(),
            "gap" | "replay_complete" | "heartbeat" | "ticket"
        ) || heartbeat
    }

    fn named(&self) -> String {
        let seq = self
            .seq()
            .map_or_else(|| "without seq".to_owned(), |seq| format!("seq {seq}"));
        format!("{} ({seq})", self.kind())
    }
}

/// A stream of events, and what was wrong with its lines.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) events: Vec<Seen>,
    pub(super) faults: Vec<String>,
    pub(super) end: End,
    pub(super) ended_at: Duration,
}

impl Stream {
    pub(super) fn read(capture: &Capture) -> Self {
        let (mut events, mut faults) = (Vec::new(), Vec::new());
        if let Some(mut reader) = Reader::of(capture.content_type(), usize::MAX >> 1) {
            let sse = matches!(reader, Reader::Sse(_));
            for (at, piece) in &capture.pieces {
                reader.feed(piece, |item| take(item, *at, sse, &mut events, &mut faults));
            }
            let before = events.len();
            reader.finish(|item| take(item, capture.ended_at, sse, &mut events, &mut faults));
            if events.len() > before {
                faults.push("the last line has no end".to_owned());
            }
        }
        Self {
            events,
            faults,
            end: capture.end,
            ended_at: capture.ended_at,
        }
    }

    /// The numbered events.
    pub(super) fn numbered(&self) -> impl Iterator<Item = &Seen> {
        self.events.iter().filter(|event| event.seq().is_some())
    }

    pub(super) fn terminal(&self) -> Option<&Seen> {
        self.events.iter().find(|event| event.is_terminal())
    }

    /// Every line is one JSON object with a type.
    pub(super) fn lines(&self) -> Result<(), String> {
        self.faults
            .first()
            .map_or(Ok(()), |fault| Err(fault.clone()))?;
        let nameless = self
            .events
            .iter()
            .find(|event| event.text("type").is_none());
        nameless.map_or(Ok(()), |event| {
            Err(format!("an event has no type: {}", clip(&event.json)))
        })
    }

    /// The first event says where the session is.
    pub(super) fn opens(&self) -> Result<(), String> {
        let first = self.events.first().ok_or("the stream is empty")?;
        holds(first.kind() == "session", || {
            format!("the first event is {:?}", first.kind())
        })?;
        let members = [
            "session_id",
            "trace_id",
            "sse_url",
            "ws_url",
            "patch_url",
            "state_url",
            "expires_at",
            "version",
            "durability",
        ];
        let absent = members
            .iter()
            .find(|name| !first.members.contains_key(**name));
        absent.map_or(Ok(()), |name| {
            Err(format!("the session event lacks {name}"))
        })?;
        let durability = first.text("durability").unwrap_or_default();
        holds(
            matches!(durability, "memory" | "replicated" | "fsync"),
            || format!("durability is {durability:?}; memory, replicated and fsync are known"),
        )
    }

    /// Exactly one terminal event, and nothing after it.
    pub(super) fn ends_once(&self) -> Result<(), String> {
        let ends: Vec<&Seen> = self
            .events
            .iter()
            .filter(|event| event.is_terminal())
            .collect();
        let words = || {
            ends.iter()
                .map(|event| event.kind())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match ends.as_slice() {
            [] => {
                let how = match self.end {
                    End::Clean => "ended",
                    End::Broken => "broke",
                    End::Open => "was still open when the time ran out",
                };
                Err(format!("the stream {how} without a result or an error"))
            }
            [end] => {
                let last = self.events.last().map_or("", |event| event.kind());
                holds(self.events.last().is_some_and(Seen::is_terminal), || {
                    format!("{last:?} comes after {:?}", end.kind())
                })
            }
            _ => Err(format!("{} terminal events: {}", ends.len(), words())),
        }
    }

    /// The connection is closed after the terminal event.
    pub(super) fn closes(&self) -> Result<(), String> {
        holds(self.end == End::Clean, || match self.end {
            End::Broken => "the connection broke".to_owned(),
            _ => "the stream stays open after its end".to_owned(),
        })
    }

    /// What every event has (L3).
    pub(super) fn envelopes(&self) -> Result<(), String> {
        for event in &self.events {
            let bad = |why: &str| Err(format!("{}: {why}", event.named()));
            let Some(stamp) = event.number("timestamp") else {
                return bad("no timestamp in whole seconds");
            };
            if stamp >= 100_000_000_000 {
                return bad(
                    "timestamp is in milliseconds; it is unix seconds, and ts_ms has the milliseconds",
                );
            }
            match event.number("ts_ms") {
                Some(ms) if ms / 1000 == stamp => {}
                Some(_) => return bad("ts_ms and timestamp say different times"),
                None => return bad("no ts_ms"),
            }
            if event.text("session_id").is_none() {
                return bad("no session_id");
            }
        }
        holds(!self.events.is_empty(), || "there are no events".to_owned())
    }

    /// One trace id of 32 hexadecimal digits on every event; the one the caller brought.
    pub(super) fn traced(&self, brought: &str) -> Result<(), String> {
        for event in &self.events {
            let given = event.text("trace_id").unwrap_or_default();
            holds(given == brought, || {
                format!(
                    "{}: trace_id is {given:?}, the traceparent said {brought}",
                    event.named()
                )
            })?;
        }
        holds(!self.events.is_empty(), || "there are no events".to_owned())
    }

    /// Numbers from `first`, one by one; the notes of a channel have none.
    pub(super) fn counted(&self, first: Option<u64>) -> Result<(), String> {
        let mut next = first;
        for event in &self.events {
            match (event.seq(), event.is_note()) {
                (None, true) => {}
                (Some(_), true) => {
                    return Err(format!(
                        "{} is numbered and would evict history",
                        event.named()
                    ));
                }
                (None, false) => return Err(format!("{} has no seq", event.named())),
                (Some(seq), false) => {
                    if let Some(next) = next {
                        holds(seq == next, || format!("seq is {seq}, expected {next}"))?;
                    }
                    next = Some(seq + 1);
                }
            }
        }
        holds(self.numbered().next().is_some(), || {
            "no event is numbered".to_owned()
        })
    }

    /// The members the types of L4 promise.
    pub(super) fn typed(&self) -> Result<(), String> {
        for event in &self.events {
            let wants = |names: &[&str]| {
                let absent = names.iter().find(|name| event.text(name).is_none());
                absent.map_or(Ok(()), |name| {
                    Err(format!("{} lacks {name}", event.named()))
                })
            };
            match event.kind() {
                "status" => wants(&["message"])?,
                // Without its details for readers who may not see them.
                "intent_analysis" if event.members.contains_key("reduced") => {}
                "intent_analysis" => wants(&["original_intent"])?,
                "healing" => {
                    wants(&["severity", "action"])?;
                    let severity = event.text("severity").unwrap_or_default();
                    holds(
                        matches!(severity, "low" | "medium" | "high" | "critical"),
                        || format!("{}: severity is {severity:?}", event.named()),
                    )?;
                }
                "error" => error(event)?,
                "result" => holds(event.members.contains_key("data"), || {
                    "the result has no data".to_owned()
                })?,
                _ => {}
            }
        }
        Ok(())
    }

    /// No silence longer than two signs of life and a half: `Ok(None)` if there was never a silence to judge.
    pub(super) fn heartbeats(&self) -> Result<Option<Duration>, String> {
        let interval = self
            .events
            .first()
            .and_then(|event| event.number("heartbeat_ms"));
        let interval = Duration::from_millis(interval.unwrap_or(15_000));
        let window = interval.mul_f64(2.5);
        let times = self
            .events
            .iter()
            .map(|event| event.at)
            .chain([self.ended_at]);
        let times: Vec<Duration> = times.collect();
        let longest = times.windows(2).map(|pair| match pair {
            [a, b] => b.saturating_sub(*a),
            _ => Duration::ZERO,
        });
        let longest = longest.max().unwrap_or_default();
        holds(longest <= window, || {
            format!(
                "{} ms of silence; expected a sign of life every {} ms",
                longest.as_millis(),
                interval.as_millis()
            )
        })?;
        let heard = self.events.iter().any(Seen::is_note);
        Ok((heard && longest >= interval / 2).then_some(longest))
    }
}

fn take(item: Item<'_>, at: Duration, sse: bool, events: &mut Vec<Seen>, faults: &mut Vec<String>) {
    match item {
        Item::Event { json, id, name } => match Seen::of(json, at) {
            Some(seen) => events.push(Seen {
                id: id.map(str::to_owned),
                name: name.map(str::to_owned),
                ..seen
            }),
            None => faults.push(format!("not a JSON object: {}", clip(json))),
        },
        Item::Alive if !sse => faults.push("an empty line".to_owned()),
        Item::Bad(fault) => faults.push(fault.to_string()),
        _ => {}
    }
}

/// The terminal `error` carries the problem whole, and the words for whoever reads no problems.
fn error(event: &Seen) -> Result<(), String> {
    let absent = ["code", "message", "trace_id"]
        .iter()
        .find(|name| event.text(name).is_none());
    absent.map_or(Ok(()), |name| Err(format!("the error event lacks {name}")))?;
    let problem = event
        .members
        .get("problem")
        .ok_or("the error event lacks the problem")?;
    let read =
        ProblemDetails::read(problem.to_string().as_bytes()).map_err(|error| error.to_string())?;
    holds(read.ignored.is_empty(), || read.ignored.join("; "))?;
    let status = problem.get("status").and_then(Value::as_u64);
    holds(status.is_some() && status == event.number("status"), || {
        "the error event does not say the status the black box would have".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(lines: &[&str]) -> Stream {
        let events = lines.iter().enumerate().map(|(at, line)| {
            let at = Duration::from_millis(at as u64 * 10);
            Seen::of(line, at).unwrap()
        });
        Stream {
            events: events.collect(),
            faults: Vec::new(),
            end: End::Clean,
            ended_at: Duration::from_millis(100),
        }
    }

    #[test]
    fn the_end_is_one_event_and_the_last() {
        let (status, result, error) = (
            r#"{"type":"status"}"#,
            r#"{"type":"result"}"#,
            r#"{"type":"error"}"#,
        );
        assert_eq!(stream(&[status, result]).ends_once(), Ok(()));
        for bad in [
            &[status][..],
            &[result, status],
            &[error, result],
            &[result, result],
        ] {
            assert!(stream(bad).ends_once().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn numbers_go_up_one_by_one_and_notes_have_none() {
        let (one, two, four) = (
            r#"{"type":"a","seq":1}"#,
            r#"{"type":"a","seq":2}"#,
            r#"{"type":"a","seq":4}"#,
        );
        let beat = r#"{"type":"status","message":"heartbeat"}"#;
        assert_eq!(stream(&[one, beat, two]).counted(Some(1)), Ok(()));
        for bad in [
            &[one, four][..],
            &[two],
            &[one, one],
            &[one, r#"{"type":"a"}"#],
            &[],
        ] {
            assert!(stream(bad).counted(Some(1)).is_err(), "{bad:?}");
        }
        let numbered = r#"{"type":"heartbeat","seq":2}"#;
        assert!(stream(&[one, numbered]).counted(Some(1)).is_err());
    }

    #[test]
    fn times_are_seconds_and_milliseconds() {
        let good = r#"{"type":"a","timestamp":1715432000,"ts_ms":1715432000250,"session_id":"s"}"#;
        assert_eq!(stream(&[good]).envelopes(), Ok(()));
        for bad in [
            r#"{"type":"a","timestamp":1715432000250,"ts_ms":1715432000250,"session_id":"s"}"#,
            r#"{"type":"a","timestamp":1715432000,"session_id":"s"}"#,
            r#"{"type":"a","timestamp":1715432001,"ts_ms":1715432000250,"session_id":"s"}"#,
            r#"{"type":"a","timestamp":1715432000,"ts_ms":1715432000250}"#,
        ] {
            assert!(stream(&[bad]).envelopes().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_long_silence_is_a_missing_sign_of_life() {
        let mut quiet = stream(&[
            r#"{"type":"session","heartbeat_ms":100}"#,
            r#"{"type":"result"}"#,
        ]);
        assert_eq!(quiet.heartbeats(), Ok(None));
        quiet.events[1].at = Duration::from_millis(251);
        assert!(quiet.heartbeats().is_err());
    }
}

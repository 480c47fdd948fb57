//! A session of the fixture: a list of events that readers follow by index.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::defect::Defect;

/// How often a sign of life comes. Whoever waits gives up after two and a half of it, which a busy machine does not use up.
pub const BEAT: Duration = Duration::from_millis(1000);
/// How many events are kept.
pub const RING: usize = 8;

pub struct Session {
    pub id: String,
    pub epoch: String,
    pub trace: String,
    defect: Defect,
    events: Mutex<Vec<(u64, String, Value)>>,
    pub newest: watch::Sender<u64>,
    /// How far each reader is, for the server that waits for the slowest.
    pub readers: Mutex<Vec<watch::Receiver<u64>>>,
}

impl Session {
    pub fn new(number: u64, trace: String, defect: Defect) -> Self {
        Self {
            id: format!("{number:032x}"),
            epoch: format!("{:08x}", 0x5eed_0000 + number),
            trace,
            defect,
            events: Mutex::new(Vec::new()),
            newest: watch::Sender::new(0),
            readers: Mutex::default(),
        }
    }

    /// The members of the envelope, around a body.
    pub fn event(&self, kind: &str, seq: Option<u64>, body: &Value) -> Value {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a clock")
            .as_millis() as u64;
        let mut event = Map::new();
        event.insert("type".into(), kind.into());
        if let Some(seq) = seq.filter(|_| self.defect != Defect::NoSeq) {
            event.insert("id".into(), format!("{}-{seq}", self.epoch).into());
            event.insert("seq".into(), seq.into());
        }
        let stamp = if self.defect == Defect::Milliseconds {
            now
        } else {
            now / 1000
        };
        event.insert("timestamp".into(), stamp.into());
        event.insert("ts_ms".into(), now.into());
        let trace = if self.defect == Defect::OwnTrace {
            "0af7651916cd43dd8448eb211c80319c"
        } else {
            &self.trace
        };
        event.insert("trace_id".into(), trace.into());
        event.insert("session_id".into(), self.id.clone().into());
        for (name, value) in body.as_object().expect("a body is an object") {
            event.insert(name.clone(), value.clone());
        }
        Value::Object(event)
    }

    pub fn push(&self, kind: &str, body: &Value) {
        let mut events = self.events.lock().expect("a lock");
        let seq = *self.newest.borrow() + 1;
        let mut event = self.event(kind, Some(seq), body);
        if kind == "result" {
            // Numbers stay as the handler wrote them; a tree would change 0.10.
            event["data"] = Value::Null;
        }
        events.push((seq, kind.to_owned(), event));
        let over = events.len().saturating_sub(RING);
        events.drain(..over);
        drop(events);
        self.newest.send_replace(seq);
    }

    /// Waits until every reader that is there has come near the newest.
    pub async fn wait_for_the_slowest(&self) {
        let near = self.newest.borrow().saturating_sub(RING as u64 / 2);
        let readers = self.readers.lock().expect("a lock").clone();
        for mut reader in readers {
            // One that left is not waited for.
            let _ = reader.wait_for(|seen| *seen >= near).await;
        }
    }

    /// What is kept after `seq`, and the oldest number kept.
    pub fn after(&self, seq: u64) -> (u64, Vec<(u64, String, Value)>) {
        let mut events = self.events.lock().expect("a lock");
        let oldest = events.first().map_or(1, |(seq, _, _)| *seq);
        let kept = events
            .iter()
            .filter(|(number, _, _)| *number > seq)
            .cloned()
            .collect();
        if self.defect == Defect::ConsumedByOneReader {
            events.retain(|(number, kind, _)| *number <= 1 || kind == "result");
        }
        (oldest, kept)
    }

    /// A sign of life.
    pub fn beat(&self) -> Value {
        let newest = *self.newest.borrow();
        let seq = (self.defect == Defect::NumberedHeartbeat).then_some(newest + 1);
        self.event(
            "status",
            seq,
            &json!({"message": "heartbeat", "last_seq": newest}),
        )
    }

    pub fn opened(&self) -> Value {
        let base = format!("/aon/sessions/{}", self.id);
        json!({
            "version": 1, "durability": "memory", "expires_at": 4_102_444_800_u64, "heartbeat_ms": BEAT.as_millis() as u64,
            "sse_url": format!("{base}/events"), "ws_url": format!("{base}/ws"),
            "patch_url": format!("{base}/healing"), "state_url": base,
        })
    }
}

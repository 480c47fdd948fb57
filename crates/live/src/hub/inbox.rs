//! What comes from other nodes: answers of people, cancelling, and sessions whose node is gone.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use aon::door::{Door, Facts, Scope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::live::{Live, Stop};
use super::{Hub, Inner};
use crate::a2a::Errand;
use crate::event::{Body, Status};
use crate::fault::Fault;
use crate::frame::{Draft, Origin};
use crate::glass::run_again;
use crate::id::{Seq, SessionId};
use crate::outcome;
use crate::restart::{OWNERS, Orphan, Work};
use crate::session::{Route, Session};
use crate::store::{Durability, Inbox, Log, Posted};
use crate::sync::locked;

/// What one node writes to another about a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Letter {
    /// Somebody cancels it.
    Cancel,
    /// Which questions are open.
    List,
    /// What a question says.
    Show { request_id: String },
    /// Somebody answers.
    Answer(Box<Said>),
    /// A message of A2A to the task that it is.
    Message(Box<Spoken>),
    /// Something about the addresses that are told of a task of A2A.
    Push(Box<Errand>),
}

/// A message of A2A, as another node took it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Spoken {
    /// The message, in the words of 1.0.
    pub(crate) message: Value,
    pub(crate) context_id: String,
    pub(crate) who: Option<String>,
}

/// An answer of a person, as another node took it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Which question; the only one where it does not say.
    pub(crate) request_id: Option<String>,
    /// A patch.
    pub(crate) patch: Option<String>,
    /// An answer in words.
    pub(crate) words: Option<String>,
    /// What it is based on.
    pub(crate) base: Option<String>,
    pub(crate) who: Option<String>,
    /// Whether it came over WebSocket.
    pub(crate) socket: bool,
}

/// What is written back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    /// What whoever asked is given.
    pub(crate) body: Option<Value>,
    /// Why not, as JSON.
    pub(crate) problem: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) op_index: Option<usize>,
}

#[derive(Debug)]
struct OfHub(Weak<Inner>);

impl Hub {
    /// Asks whoever runs a session.
    pub(crate) async fn write_to(&self, id: SessionId, letter: &Letter) -> Result<Written, Fault> {
        let letter = serde_json::to_vec(letter).unwrap_or_default();
        match self.0.store.post(id, letter).wait().await {
            Posted::Answered(answer) => {
                serde_json::from_slice(&answer).map_err(|_garbled| Fault::NodeSilent)
            }
            Posted::Waiting => Err(Fault::NodeSilent),
            Posted::Unknown => Err(Fault::StoreUnavailable),
            Posted::Nowhere => Err(Fault::SessionElsewhere),
        }
    }
}

impl Hub {
    /// Asks the hook of the program for work to go on with; nothing where it is not to be asked.
    fn again(
        &self,
        id: SessionId,
        log: &Arc<dyn Log>,
        owners: u64,
    ) -> Option<(Arc<Live>, Option<Work>)> {
        let hook = self.0.settings.restart.clone()?;
        let (method, uri) = Orphan::read(log.about().again.as_deref()?)?;
        if owners > OWNERS {
            return None;
        }
        let newest = log.tail().get().newest;
        let live = Arc::new(Live::taken(id, Arc::clone(log), newest, &self.0));
        locked(&self.0.table).insert(Arc::clone(&live));
        let route = Route {
            again: log.about().again.clone(),
            ..Route::default()
        };
        let orphan = Orphan {
            session: Session::resumed(self, &live, route),
            id,
            method,
            uri,
            owner: log.about().owner.clone(),
            owners,
        };
        if newest == Seq::default() {
            live.publish_kept(&Body::Session(self.opened(&live)));
        }
        live.publish_kept(&Body::Status(Status {
            message: "The machine of this session is gone; another one goes on with it.".to_owned(),
            phase: Some("restarted".to_owned()),
            ..Status::default()
        }));
        self.start_pulse();
        let work = hook.restart(orphan);
        Some((live, work))
    }
}

/// The inbox of a hub.
pub(super) fn of(hub: &Hub) -> Arc<dyn Inbox> {
    Arc::new(OfHub(Arc::downgrade(&hub.0)))
}

impl Inbox for OfHub {
    fn letter(
        &self,
        id: SessionId,
        letter: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Vec<u8>> + Send>> {
        let hub = self.0.upgrade().map(Hub);
        Box::pin(async move {
            let letter = serde_json::from_slice::<Letter>(&letter).ok();
            let live = hub.as_ref().and_then(|hub| locked(&hub.0.table).get(id));
            let written = match (live, letter) {
                (Some(live), Some(Letter::Cancel)) => {
                    live.stop(Stop::Cancelled);
                    Written {
                        body: Some(json!({})),
                        ..Written::default()
                    }
                }
                (Some(live), Some(letter)) => crate::channel::answered(&live, letter).await,
                (None, _) | (_, None) => Written::default(),
            };
            serde_json::to_vec(&written).unwrap_or_default()
        })
    }

    fn orphaned(
        &self,
        id: SessionId,
        log: Arc<dyn Log>,
        owners: u64,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let hub = self.0.upgrade();
        Box::pin(async move {
            let Some(hub) = hub else { return };
            if let Some((live, work)) = Hub(Arc::clone(&hub)).again(id, &log, owners) {
                if let Some(work) = work {
                    run_again(&live, work);
                } else {
                    live.fail(&Fault::SessionOrphaned);
                    live.stored().await;
                }
                return;
            }
            let about = log.about();
            let origin = Origin {
                session: id,
                trace: about.trace,
                epoch: about.epoch,
            };
            let facts = Facts::new("stream").with_request_id(origin.trace.to_string());
            let scope = Scope::open(&Door::new(), facts);
            let newest = log.tail().get().newest;
            let mut drafts = Vec::new();
            // Its node went before it had stored anything. Every log begins with `session`, whoever begins it.
            if newest == Seq::default() {
                let live = Live::elsewhere(id, Arc::clone(&log), &hub);
                let opened = Hub(Arc::clone(&hub)).opened(&live);
                drafts.push(Draft::of(&Body::Session(opened)));
            }
            drafts.push(Draft::of(&outcome::failed(&Fault::SessionOrphaned, &scope)));
            let wall = hub.clock.now().wall;
            let mut at = newest;
            let frames = drafts.iter().map(|draft| {
                at = at.next();
                draft.number(&origin, at, wall)
            });
            let appended = log.append(frames.collect()).wait().await;
            tracing::warn!(session = %id, ?appended, "a session was orphaned");
        })
    }

    fn stores(&self, stores: bool) {
        let Some(hub) = self.0.upgrade() else { return };
        let (durability, message) = if stores {
            let message = "Everything is stored again.";
            (hub.store.durability(), message)
        } else {
            let message = "The store does not answer; the session goes on in memory.";
            (Durability::Memory, message)
        };
        let open = locked(&hub.table).all_open();
        for live in open.iter().filter(|live| live.goes_on) {
            live.publish_kept(&Body::Status(Status {
                message: message.to_owned(),
                phase: Some("durability".to_owned()),
                durability: Some(durability.as_str().to_owned()),
                ..Status::default()
            }));
        }
    }
}

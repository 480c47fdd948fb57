//! A store for several machines, over the protocol of Redis: Redis from 7.0 on, and Valkey.
//!
//! Every session is a stream whose ids are the numbers of its events, and a hash that says whose it is. A script appends; its owner
//! alone may. An event counts as stored when the script has answered and, where [`RedisSettings::replicas`] says so, when that
//! many replicas have it. Until then nobody is shown it, the response of the request itself included.
//!
//! Readers on other nodes are told by pub/sub, with the events in the message; a hole is filled by reading, and the end of the log
//! is read again at every sign of life. So a message that is lost delays and loses nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use redis::cmd;
use tokio::sync::mpsc;

use super::{About, Answer, Durability, Inbox, Log, Posted, Store, WhenGone};
use crate::clock::{Clock, milliseconds};
use crate::frame::Frame;
use crate::id::{Seq, SessionId};
use crate::machine::follow::Input;
use crate::machine::ring::RingLimits;
use crate::sync::{Mutex, locked};

mod address;
mod calls;
mod ear;
mod engine;
mod health;
mod heart;
mod letters;
mod link;
mod log;
mod outage;
mod owner;
mod script;
mod wire;
mod writer;

pub use address::{BadAddress, RedisSettings};
pub use engine::Engine;

use calls::Calls;
use health::Pulse;
use link::{Link, bytes};
use log::{PAGE, RedisLog, Wanted};
use script::{Keys, READ, Run};
use wire::Raw;
use writer::Job;

/// How long a question of a request is asked before the engine counts as gone.
const PATIENCE: Duration = Duration::from_secs(4);

/// Keeps sessions in an engine that speaks the protocol of Redis, so that every node serves every session.
#[derive(Clone)]
pub struct Redis(Arc<Shared>);

/// What a session takes in the engine.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "these are the limits of a session"
)]
pub struct Keep {
    /// So many events.
    pub events: usize,
    /// So many bytes of events.
    pub bytes: usize,
    /// For so long while it is open.
    pub open: Duration,
    /// For so long after its end.
    pub ended: Duration,
}

/// What is to be done on the connection of the writer.
#[derive(Debug)]
enum Work {
    /// Its events begin behind this number.
    Create(Seq),
    Append(Vec<Frame>),
    Remove,
}

/// What all parts know.
#[derive(Debug)]
struct Rules {
    prefix: String,
    /// This process, among all that ever were.
    node: String,
    /// Where this node alone listens.
    channel: String,
    /// The sessions of this node.
    own: Vec<u8>,
    /// The key of the nodes that have sessions.
    owners: Vec<u8>,
    limits: RingLimits,
    open_ms: u64,
    ended_ms: u64,
    lease_ms: u64,
    says: Durability,
    gone: WhenGone,
}

struct Shared {
    rules: Arc<Rules>,
    link: Link,
    calls: Calls,
    jobs: mpsc::UnboundedSender<Job>,
    said: mpsc::UnboundedSender<(String, Vec<u8>)>,
    pulse: Pulse,
    /// What runs once there is a runtime to run it.
    idle: Mutex<Option<Idle>>,
    running: AtomicBool,
    held: AtomicUsize,
    clock: Clock,
    inbox: OnceLock<Arc<dyn Inbox>>,
    letters: letters::Letters,
    own: Mutex<BTreeMap<SessionId, Arc<RedisLog>>>,
    followed: Mutex<BTreeMap<SessionId, Weak<RedisLog>>>,
}

struct Idle {
    asked: calls::Asked,
    jobs: mpsc::UnboundedReceiver<Job>,
    said: mpsc::UnboundedReceiver<(String, Vec<u8>)>,
}

impl Redis {
    /// A store at this place. Connections are made when something is asked of it.
    pub fn new(settings: RedisSettings, keep: Keep) -> Self {
        let mut random = [0; 8];
        if let Err(error) = getrandom::fill(&mut random) {
            tracing::error!(%error, "the system gave no random numbers");
        }
        let node = format!("{}-{:016x}", settings.node, u64::from_be_bytes(random));
        let prefix = settings.prefix.clone();
        let rules = Arc::new(Rules {
            channel: format!("{prefix}n:{node}"),
            own: format!("{prefix}own:{node}").into_bytes(),
            owners: format!("{prefix}nodes:owners").into_bytes(),
            node,
            prefix,
            limits: RingLimits {
                events: keep.events.max(1),
                bytes: keep.bytes,
            },
            open_ms: milliseconds(keep.open.saturating_add(keep.ended)).max(1),
            ended_ms: milliseconds(keep.ended).max(1),
            lease_ms: milliseconds(settings.lease),
            says: settings.says(),
            gone: settings.gone,
        });
        let (calls, asked) = Calls::new();
        let (jobs, jobs_in) = mpsc::unbounded_channel();
        let (said, said_in) = mpsc::unbounded_channel();
        let shared = Shared {
            rules,
            link: Link::new(settings),
            calls,
            jobs,
            said,
            pulse: Pulse::default(),
            idle: Mutex::new(Some(Idle {
                asked,
                jobs: jobs_in,
                said: said_in,
            })),
            running: AtomicBool::new(false),
            held: AtomicUsize::new(0),
            clock: Clock::start(),
            inbox: OnceLock::new(),
            letters: letters::Letters::default(),
            own: Mutex::default(),
            followed: Mutex::default(),
        };
        let this = Self(Arc::new(shared));
        this.0.start();
        this
    }
}

impl Shared {
    /// Starts what runs, unless it does or there is nothing to run it.
    fn start(self: &Arc<Self>) {
        if self.running.load(Ordering::Acquire) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let Some(idle) = locked(&self.idle).take() else {
            return;
        };
        self.running.store(true, Ordering::Release);
        let (link, rules, pulse) = (&self.link, &self.rules, &self.pulse);
        let mark = format!("{}mark:{}", rules.prefix, rules.node).into_bytes();
        runtime.spawn(calls::run(link.clone(), idle.asked, pulse.clone(), mark));
        runtime.spawn(writer::run(
            link.clone(),
            Arc::clone(rules),
            idle.jobs,
            self.said.clone(),
            pulse.clone(),
        ));
        runtime.spawn(owner::keep(
            Arc::downgrade(self),
            link.clone(),
            Arc::clone(rules),
        ));
        runtime.spawn(outage::watch(Arc::downgrade(self), pulse.outages()));
        runtime.spawn(ear::speak(link.clone(), idle.said));
        runtime.spawn(ear::listen(
            link.clone(),
            Arc::clone(rules),
            Arc::downgrade(self),
            self.said.downgrade(),
            pulse.clone(),
        ));
    }

    fn write(&self, job: Job) {
        // The task lives as long as the store does.
        let _: Result<(), _> = self.jobs.send(job);
    }

    fn holds(&self, before: usize, after: usize) {
        if after >= before {
            self.held.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.held.fetch_sub(before - after, Ordering::Relaxed);
        }
    }

    fn own(&self, id: SessionId) -> Option<Arc<RedisLog>> {
        locked(&self.own).get(&id).map(Arc::clone)
    }

    fn followed(&self, id: SessionId) -> Option<Arc<RedisLog>> {
        locked(&self.followed).get(&id).and_then(Weak::upgrade)
    }

    /// A log that this node has, whoever owns it.
    fn known(&self, id: SessionId) -> Option<Arc<RedisLog>> {
        let own = self.own(id).filter(|log| !log.is_gone());
        own.or_else(|| self.followed(id))
    }

    fn keys(&self, id: SessionId) -> Keys {
        Keys::of(&self.rules.prefix, id)
    }

    /// Reads a run. Waits for the engine; nothing when the session is gone.
    async fn read(&self, id: SessionId, from: Seq, most: usize) -> Option<Run> {
        let keys = self.keys(id);
        let mut call = READ.call(&[&keys.events, &keys.meta]);
        call.arg(from.get()).arg(most);
        Run::read(&self.calls.ask(call).await?)
    }

    /// Reads what a follower wants, until it wants nothing more.
    async fn serve(&self, log: &RedisLog, mut wanted: Vec<Wanted>) {
        while let Some((number, from)) = wanted.pop() {
            let run = self.read(log.id, from, PAGE).await;
            let input = Input::Page(number, run.map(Run::looked));
            wanted.extend(log.happened(self.clock.tick(), input));
        }
    }

    fn serve_later(self: &Arc<Self>, log: Arc<RedisLog>, wanted: Vec<Wanted>) {
        if wanted.is_empty() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let shared = Arc::clone(self);
            runtime.spawn(async move { shared.serve(&log, wanted).await });
        }
    }

    /// The logs of a session that another node writes: the one its readers follow, and the one that was taken from here.
    fn foreign(&self, id: SessionId) -> impl Iterator<Item = Arc<RedisLog>> {
        let lost = self.own(id).filter(|log| !log.is_ours());
        lost.into_iter().chain(self.followed(id))
    }

    /// Reads the end of a log again.
    fn refresh(self: &Arc<Self>, id: SessionId) {
        for log in self.foreign(id) {
            let now = self.clock.tick();
            let mut wanted = log.begin(now);
            wanted.extend(log.happened(now, Input::Claimed));
            self.serve_later(log, wanted);
        }
    }

    fn refresh_all(self: &Arc<Self>) {
        let mut ids: Vec<SessionId> = locked(&self.followed).keys().copied().collect();
        let own = locked(&self.own);
        ids.extend(own.values().filter(|log| !log.is_ours()).map(|log| log.id));
        drop(own);
        for id in ids {
            self.refresh(id);
        }
    }

    /// Another node says that these are stored.
    fn told(self: &Arc<Self>, id: SessionId, events: &[Raw<'_>]) {
        for log in self.foreign(id) {
            let wanted = log.told(self.clock.tick(), events);
            self.serve_later(log, wanted);
        }
    }

    /// Follows a session of another node.
    async fn follow(self: Arc<Self>, id: SessionId) -> Option<Arc<RedisLog>> {
        let run = tokio::time::timeout(PATIENCE, self.read(id, Seq::FIRST, PAGE));
        let run = run.await.ok().flatten()?;
        let (log, mut wanted) = {
            let mut followed = locked(&self.followed);
            let known = followed.get(&id).and_then(Weak::upgrade);
            if let Some(log) = known.filter(|log| !log.is_gone()) {
                return Some(log);
            }
            followed.retain(|_, log| log.strong_count() > 0);
            let shared = Arc::downgrade(&self);
            let about = run.about.clone();
            let log = Arc::new(RedisLog::new(id, about, None, &self.rules, shared));
            let wanted = log.begin(self.clock.tick());
            followed.insert(id, Arc::downgrade(&log));
            (log, wanted)
        };
        // It is heard of from here on. What came between the reading and the hearing is read again.
        if let Some((number, _)) = wanted.pop() {
            let input = Input::Page(number, Some(run.looked()));
            wanted.extend(log.happened(self.clock.tick(), input));
        }
        wanted.extend(log.happened(self.clock.tick(), Input::Claimed));
        self.serve(&log, wanted).await;
        Some(log)
    }
}

impl Store for Redis {
    fn create(&self, id: SessionId, about: About) -> Option<Arc<dyn Log>> {
        let shared = &self.0;
        shared.start();
        let log = {
            let mut own = locked(&shared.own);
            if own.contains_key(&id) {
                return None;
            }
            let hold = Some(format!("{}:1", shared.rules.node));
            let weak = Arc::downgrade(shared);
            let log = RedisLog::new(id, about, hold, &shared.rules, weak);
            let log = Arc::new(log);
            own.insert(id, Arc::clone(&log));
            log
        };
        shared.write(Job {
            log: Arc::clone(&log),
            work: Work::Create(Seq::ZERO),
            reply: None,
        });
        Some(log)
    }

    fn open(&self, id: SessionId) -> Answer<Option<Arc<dyn Log>>> {
        self.0.start();
        if let Some(log) = self.0.known(id).filter(|log| !log.is_gone()) {
            return Answer::Now(Some(log));
        }
        let following = Arc::clone(&self.0).follow(id);
        Answer::Later(Box::pin(async move {
            following.await.map(|log| log as Arc<dyn Log>)
        }))
    }

    fn remove(&self, id: SessionId) -> Answer<()> {
        let Some(log) = locked(&self.0.own).remove(&id) else {
            return Answer::Now(());
        };
        log.vanish();
        let (reply, done) = tokio::sync::oneshot::channel();
        self.0.write(Job {
            log,
            work: Work::Remove,
            reply: Some(reply),
        });
        Answer::Later(Box::pin(async move {
            // Nobody is left to ask where there is no answer.
            let _: Result<_, _> = done.await;
        }))
    }

    fn once(&self, key: [u8; 16], milliseconds: u64) -> Answer<bool> {
        self.0.start();
        let shared = Arc::clone(&self.0);
        Answer::Later(Box::pin(async move {
            let mut set = cmd("SET");
            set.arg(shared.key(b'o', &key)).arg(1).arg("NX");
            set.arg("PX").arg(milliseconds.max(1));
            let said = tokio::time::timeout(PATIENCE, shared.calls.ask_once(set)).await;
            // Better refuse than take twice.
            matches!(said, Ok(Some(redis::Value::Okay)))
        }))
    }

    fn put(&self, key: [u8; 32], value: Vec<u8>, milliseconds: u64) -> Answer<bool> {
        self.0.start();
        if milliseconds == 0 {
            return Answer::Now(true);
        }
        let shared = Arc::clone(&self.0);
        Answer::Later(Box::pin(async move {
            let mut set = cmd("SET");
            set.arg(shared.key(b'k', &key)).arg(value);
            set.arg("PX").arg(milliseconds);
            let said = tokio::time::timeout(PATIENCE, shared.calls.ask(set)).await;
            matches!(said, Ok(Some(redis::Value::Okay)))
        }))
    }

    fn take(&self, key: [u8; 32]) -> Answer<Option<Vec<u8>>> {
        self.0.start();
        let shared = Arc::clone(&self.0);
        Answer::Later(Box::pin(async move {
            let mut take = cmd("GETDEL");
            take.arg(shared.key(b'k', &key));
            let said = tokio::time::timeout(PATIENCE, shared.calls.ask_once(take)).await;
            Some(bytes(said.ok().flatten().as_ref())?.to_vec())
        }))
    }

    fn held(&self) -> usize {
        self.0.held.load(Ordering::Relaxed)
    }

    fn durability(&self) -> Durability {
        self.0.rules.says
    }

    fn attend(&self, inbox: Arc<dyn Inbox>) {
        // A store serves one hub; the first is it.
        let _: Result<(), _> = self.0.inbox.set(inbox);
        self.0.start();
    }

    fn post(&self, id: SessionId, letter: Vec<u8>) -> Answer<Posted> {
        let shared = Arc::clone(&self.0);
        Answer::Later(Box::pin(async move { shared.post(id, letter).await }))
    }

    fn trouble(&self) -> Option<String> {
        self.0.pulse.broken()
    }

    fn keeps(&self) -> bool {
        self.0.pulse.stores()
    }

    fn when_gone(&self) -> WhenGone {
        self.0.rules.gone
    }

    fn node(&self) -> Option<&str> {
        Some(&self.0.rules.node)
    }

    fn close(&self) -> Answer<()> {
        let shared = Arc::clone(&self.0);
        Answer::Later(Box::pin(async move { shared.close().await }))
    }
}

impl Shared {
    fn key(&self, kind: u8, key: &[u8]) -> Vec<u8> {
        let mut name = self.rules.prefix.clone().into_bytes();
        name.push(kind);
        name.push(b':');
        name.extend_from_slice(key);
        name
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redis").field(&self.0).finish()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("node", &self.rules.node)
            .field("link", &self.link)
            .finish_non_exhaustive()
    }
}

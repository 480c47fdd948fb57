//! A ledger that several machines share, over the protocol of Redis (Redis from 7.0 on, and Valkey).
//!
//! The rules are those of [`Ledger`](super::ledger::Ledger), in scripts that run at the engine, so that one id is done once by all
//! machines together. What a script wrote is replicated to as many replicas as the address says (`?replicas=1`) before anything is
//! done. A machine holds a lease on its name; what ran on a machine that is gone is `unknown` once the lease is over, or at once
//! when a process of the same name starts again.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use aon_live::store::{Engine, RedisSettings};
use tokio::time::Instant;

use super::keep::{Book, KeepError, Later, Stored, UsedNonce};
use super::ledger::{ActionKey, Limits, Line, RequestHash, State, Verdict};
use super::nonce::REMEMBERED;
use super::sign::{hex, unhex};

macro_rules! script {
    ($name:ident, $file:literal) => {
        const $name: &str = concat!(
            include_str!("fleet/common.lua"),
            include_str!(concat!("fleet/", $file))
        );
    };
}

script!(BEGIN, "begin.lua");
script!(END, "end.lua");
script!(LOOK, "look.lua");
script!(ALIVE, "alive.lua");
script!(NONCE, "nonce.lua");

/// How long a request waits for an engine that does not answer.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long an answer that was made is kept trying to be stored before its caller gets it unstored.
const INSIST: Duration = Duration::from_secs(15);

/// For how long a line is taken back that may have been stored and was not run.
const TAKE_BACK: Duration = Duration::from_secs(30);

/// How many old lines are forgotten with one write.
const FORGET: &[u8] = b"64";

/// A ledger in an engine that several machines share.
pub struct RedisBook(Arc<Shared>);

struct Shared {
    engine: Engine,
    /// What every key begins with.
    fleet: String,
    node: String,
    /// This process, among all that had its name.
    life: String,
    limits: Limits,
    /// The actions that run here, by the token that their line has.
    running: Mutex<BTreeMap<ActionKey, String>>,
    /// What could not be told to the engine, by token: it is told when the engine is back.
    owed: Mutex<BTreeMap<String, Owed>>,
}

/// The end of a line: an answer, `unknown`, or that it was never begun.
#[derive(Clone, Debug)]
struct Owed {
    key: ActionKey,
    token: String,
    state: &'static str,
    answer: Option<Stored>,
    /// Until when it is told again: a question that was given up may reach the engine later than what takes it back.
    until: Option<Instant>,
}

impl fmt::Debug for RedisBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisBook")
            .field("fleet", &self.0.fleet)
            .field("node", &self.0.node)
            .finish_non_exhaustive()
    }
}

impl RedisBook {
    /// Opens the ledger of a fleet as one of its machines. A process that had the same name before is fenced, and what ran in it is
    /// unknown from now on.
    ///
    /// # Errors
    ///
    /// When a name is not one, or the engine does not answer.
    pub async fn open(
        settings: RedisSettings,
        fleet: &str,
        node: Option<&str>,
        limits: Limits,
    ) -> Result<Self, KeepError> {
        let life = random()?;
        let node = node.unwrap_or(&life).to_owned();
        for name in [fleet, &node] {
            if !super::wire::good_id(name) || name.contains(['{', '}']) {
                return Err(KeepError::new(&format!("{name:?} is not a valid name")));
            }
        }
        let engine = Engine::start(settings);
        let engine = engine.ok_or_else(|| KeepError::new("there is no runtime to run it"))?;
        let shared = Arc::new(Shared {
            fleet: format!("{}south:{{{fleet}}}:", engine.prefix()),
            engine,
            node,
            life,
            limits,
            running: Mutex::default(),
            owed: Mutex::default(),
        });
        shared.alive(true).await?;
        tokio::spawn(keep_alive(Arc::downgrade(&shared), shared.engine.lease()));
        Ok(Self(shared))
    }
}

/// Renews the lease, and tells what is owed, until the ledger is dropped.
async fn keep_alive(shared: Weak<Shared>, lease: Duration) {
    loop {
        tokio::time::sleep(lease / 3).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        if let Err(error) = shared.alive(false).await {
            tracing::warn!(%error, node = shared.node, "the lease of this machine cannot be renewed");
        }
        let all: Vec<Owed> = shared.owed().values().cloned().collect();
        for owed in all {
            let told = shared.tell(&owed, PATIENCE).await.is_some();
            if told && owed.until.is_none_or(|until| until < Instant::now()) {
                shared.owed().remove(&owed.token);
            }
        }
    }
}

fn random() -> Result<String, KeepError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| KeepError::new(&error))?;
    Ok(hex(&random))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is one insertion or removal, so a panic leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn owed(&self) -> MutexGuard<'_, BTreeMap<String, Owed>> {
        locked(&self.owed)
    }

    fn key(&self, what: &str, agent: &str, name: &str) -> String {
        // Neither has a blank in it, because the readers of the wire refuse that.
        format!("{}{what}:{agent} {name}", self.fleet)
    }

    fn gone(&self) -> KeepError {
        let why = self.engine.broken();
        KeepError::new(why.as_deref().unwrap_or("the engine does not answer"))
    }

    async fn eval(
        &self,
        script: &str,
        key: &str,
        arguments: &[&[u8]],
        patience: Duration,
    ) -> Option<Vec<Vec<u8>>> {
        let keys = [self.fleet.as_str(), key];
        self.engine.eval(script, &keys, arguments, patience).await
    }

    async fn alive(&self, begins: bool) -> Result<(), KeepError> {
        let lease = self.engine.lease().as_millis().to_string();
        let begins: &[u8] = if begins { b"1" } else { b"0" };
        let arguments = [
            self.node.as_bytes(),
            self.life.as_bytes(),
            lease.as_bytes(),
            begins,
        ];
        let said = self.eval(ALIVE, &self.fleet, &arguments, PATIENCE).await;
        match word(said.as_deref()) {
            Some(b"ok") => Ok(()),
            Some(_) => Err(self.fenced()),
            None => Err(self.gone()),
        }
    }

    fn fenced(&self) -> KeepError {
        KeepError::new(&format!("another process has the name {} now", self.node))
    }

    /// Tells the engine how a line ends: whether it was in time. `None` when there was no answer.
    async fn tell(&self, owed: &Owed, patience: Duration) -> Option<bool> {
        let line = self.key("a", &owed.key.agent, &owed.key.action);
        let (status, body) = match &owed.answer {
            Some(answer) => (answer.status.to_string(), answer.body.as_bytes()),
            None => (String::new(), &b""[..]),
        };
        let arguments = [
            owed.token.as_bytes(),
            owed.state.as_bytes(),
            status.as_bytes(),
            body,
        ];
        let said = self.eval(END, &line, &arguments, patience).await;
        Some(word(said.as_deref())? == b"ok")
    }

    async fn begin(
        &self,
        key: &ActionKey,
        hash: &RequestHash,
        now: u64,
    ) -> Result<Verdict, KeepError> {
        let token = random()?;
        let line = self.key("a", &key.agent, &key.action);
        let Limits {
            retention,
            lines,
            bytes,
        } = self.limits;
        let numbers = [
            now,
            now.saturating_sub(retention),
            lines as u64,
            bytes,
            u64::try_from(self.engine.lease().as_millis()).unwrap_or(u64::MAX),
        ];
        let [now, old, lines, bytes, lease] = numbers.map(|number| number.to_string());
        let hash = hex(hash);
        let arguments = [
            hash.as_bytes(),
            now.as_bytes(),
            self.node.as_bytes(),
            self.life.as_bytes(),
            token.as_bytes(),
            old.as_bytes(),
            lines.as_bytes(),
            bytes.as_bytes(),
            FORGET,
            lease.as_bytes(),
        ];
        let said = self.eval(BEGIN, &line, &arguments, PATIENCE).await;
        let verdict = match word(said.as_deref()) {
            Some(b"run") => Verdict::Run,
            Some(b"running") => Verdict::Running,
            Some(b"replay") => Verdict::Replay,
            Some(b"unknown") => Verdict::Unknown,
            Some(b"reused") => Verdict::Reused,
            Some(b"full") => Verdict::Full,
            Some(_) => return Err(self.fenced()),
            None => {
                // It may have been stored. Nothing is done, so it is taken back as soon as that can be said.
                let owed = Owed {
                    key: key.clone(),
                    token: token.clone(),
                    state: "",
                    answer: None,
                    until: Instant::now().checked_add(TAKE_BACK),
                };
                self.owed().insert(token, owed);
                return Err(self.gone());
            }
        };
        if verdict == Verdict::Run {
            locked(&self.running).insert(key.clone(), token);
        }
        Ok(verdict)
    }

    async fn end(&self, key: &ActionKey, answer: Option<Stored>) -> Result<(), KeepError> {
        let Some(token) = locked(&self.running).remove(key) else {
            return Ok(());
        };
        let state = if answer.is_some() { "done" } else { "unknown" };
        let owed = Owed {
            key: key.clone(),
            token,
            state,
            answer,
            until: None,
        };
        match self.tell(&owed, INSIST).await {
            Some(true) => Ok(()),
            Some(false) => Err(KeepError::new(
                "the fleet took this machine for gone, so the outcome is recorded as unknown",
            )),
            None => {
                self.owed().insert(owed.token.clone(), owed);
                Err(self.gone())
            }
        }
    }
}

/// What a script says in one word.
fn word(said: Option<&[Vec<u8>]>) -> Option<&[u8]> {
    Some(said?.first()?.as_slice())
}

fn line(said: &[Vec<u8>]) -> Option<(Line, Option<Stored>)> {
    let [hash, state, since, status, body] = said else {
        return None;
    };
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let hash: RequestHash = unhex(&text(hash)?)?.try_into().ok()?;
    let state = match state.as_slice() {
        b"running" => State::Running,
        b"done" => State::Done,
        b"unknown" => State::Unknown,
        _ => return None,
    };
    let answer = match state {
        State::Done => Some(Stored::new(text(status)?.parse().ok()?, text(body)?)),
        State::Running | State::Unknown => None,
    };
    let since = text(since)?.parse().ok()?;
    Some((Line::new(hash, state, since, body.len() as u64), answer))
}

impl Book for RedisBook {
    fn begin<'a>(
        &'a self,
        key: &'a ActionKey,
        hash: &'a RequestHash,
        _: Option<UsedNonce>,
        now: u64,
    ) -> Later<'a, Verdict> {
        Box::pin(self.0.begin(key, hash, now))
    }

    fn end<'a>(&'a self, key: &'a ActionKey, answer: Option<Stored>) -> Later<'a, ()> {
        Box::pin(self.0.end(key, answer))
    }

    fn look<'a>(&'a self, key: &'a ActionKey) -> Later<'a, Option<(Line, Option<Stored>)>> {
        Box::pin(async move {
            let shared = &self.0;
            let name = shared.key("a", &key.agent, &key.action);
            let said = shared.eval(LOOK, &name, &[], PATIENCE).await;
            let said = said.ok_or_else(|| shared.gone())?;
            if said.is_empty() {
                return Ok(None);
            }
            let damaged = || KeepError::new("a line of the ledger is damaged");
            line(&said).map(Some).ok_or_else(damaged)
        })
    }

    fn nonces(&self) -> Vec<UsedNonce> {
        // They are in the engine.
        Vec::new()
    }

    fn take<'a>(&'a self, used: &'a UsedNonce) -> Later<'a, bool> {
        Box::pin(async move {
            let shared = &self.0;
            let name = shared.key("nonce", &used.agent, &used.nonce);
            let (token, seconds) = (random()?, REMEMBERED.to_string());
            let arguments = [token.as_bytes(), seconds.as_bytes()];
            let said = shared.eval(NONCE, &name, &arguments, PATIENCE).await;
            let said = word(said.as_deref()).ok_or_else(|| shared.gone())?;
            Ok(said == b"new")
        })
    }
}

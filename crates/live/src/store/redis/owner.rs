//! The lease of this node, and the sessions of nodes that have lost theirs.
//!
//! A node has one lease for all of its sessions, so that ten thousand sessions cost as much as one. The engine counts it. When it is
//! over, whichever node notices first takes the sessions over one by one: each gets the next term, and from there on its old owner
//! is fenced.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use redis::{Value, cmd};

use super::heart::Heart;
use super::link::{Link, bytes, number, text};
use super::log::RedisLog;
use super::script::{CLAIM, about};
use super::{Rules, Shared};
use crate::id::{Seq, SessionId, Term};
use crate::machine::lease::{Ask, Input, Lease, LeaseRules, Reply};
use crate::store::Log as _;
use crate::sync::{Mutex, locked};
use crate::time::Tick;

/// Keeps the lease, and looks after the sessions of others, as long as the store is there.
///
/// Each goes on by itself: taking over the sessions of another node may take longer than a lease, and must not cost this node its own.
pub(super) async fn keep(shared: Weak<Shared>, link: Link, rules: Arc<Rules>) {
    let Some(now) = shared.upgrade().map(|store| store.clock.tick()) else {
        return;
    };
    // The first renewal is due at once.
    let lease = Lease::claim(LeaseRules::of(rules.lease_ms), Term::default(), now);
    let lease = Mutex::new(lease);
    tokio::join!(
        renew(&shared, Heart::new(link, &rules), &rules, &lease),
        look(&shared, &rules, &lease),
    );
}

async fn renew(shared: &Weak<Shared>, mut heart: Heart, rules: &Rules, lease: &Mutex<Lease>) {
    let now = || shared.upgrade().map(|store| store.clock.tick());
    while let Some(started) = now() {
        let call = {
            let mut lease = locked(lease);
            lease.handle(started, Input::Tick);
            lease.poll()
        };
        if let Some(call) = call {
            let entered = match call.ask {
                Ask::Claim { .. } | Ask::Renew(_) => heart.beat(rules).await,
                Ask::Release(_) => Some(false),
            };
            let Some(store) = shared.upgrade() else {
                return;
            };
            if entered == Some(true) {
                store.look_for_losses();
            }
            let reply = match entered {
                Some(_) => Reply::Held(Term::FIRST),
                None => Reply::Unknown,
            };
            locked(lease).handle(store.clock.tick(), Input::Replied(call.number, reply));
        }
        let until = locked(lease).deadline().unwrap_or(started);
        let Some(now) = now() else { return };
        let wait = until.since(now).clamp(10, rules.lease_ms / 3 + 1);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

async fn look(shared: &Weak<Shared>, rules: &Rules, lease: &Mutex<Lease>) {
    let mut missing = BTreeMap::new();
    while let Some(store) = shared.upgrade() {
        let alive = locked(lease).may_act(store.clock.tick()).is_some();
        if alive && store.inbox.get().is_some() {
            store.look_around(rules, &mut missing).await;
        } else {
            // An idle node, too, has to notice that the engine is gone, and that it is back.
            let _: Option<Value> = store.asked(cmd("PING")).await;
        }
        drop(store);
        tokio::time::sleep(Duration::from_millis(rules.lease_ms / 3 + 1)).await;
    }
}

impl Rules {
    pub(super) fn named(&self, what: &str, node: &str) -> Vec<u8> {
        format!("{}{what}:{node}", self.prefix).into_bytes()
    }
}

impl Shared {
    /// How long a question about leases may take: a late answer is none.
    fn soon(&self) -> Duration {
        Duration::from_millis(self.rules.lease_ms / 2)
    }

    async fn asked(&self, command: redis::Cmd) -> Option<Value> {
        let asked = tokio::time::timeout(self.soon(), self.calls.ask(command));
        asked.await.ok().flatten()
    }

    /// Looks whether other nodes are alive, and takes over the sessions of those that are not.
    ///
    /// A node has to be missing for a third of a lease. When the engine was away for longer than a lease, nobody has one, and the first
    /// node that is back must not end the sessions of those that are about to be.
    async fn look_around(self: &Arc<Self>, rules: &Rules, missing: &mut BTreeMap<String, Tick>) {
        let mut all = cmd("SUNION");
        all.arg(self.rules.named("nodes", "all")).arg(&rules.owners);
        let nodes = members(self.asked(all).await);
        for node in nodes.into_iter().filter(|node| *node != rules.node) {
            let mut alive = cmd("EXISTS");
            alive.arg(self.rules.named("lease", &node));
            if number(self.asked(alive).await.as_ref()) != Some(0) {
                missing.remove(&node);
                continue;
            }
            let now = self.clock.tick();
            let since = *missing.entry(node.clone()).or_insert(now);
            if now.since(since) < rules.lease_ms / 3 {
                continue;
            }
            let mut left = cmd("SMEMBERS");
            left.arg(self.rules.named("own", &node));
            let Some(left) = self.asked(left).await else {
                return;
            };
            let left = members(Some(left));
            if left.is_empty() {
                for known in [&self.rules.named("nodes", "all"), &rules.owners] {
                    let mut forget = cmd("SREM");
                    forget.arg(known).arg(&node);
                    self.asked(forget).await;
                }
                missing.remove(&node);
            }
            let mut claims = Vec::new();
            for id in left.iter().filter_map(|id| SessionId::parse(id)) {
                let shared = Arc::clone(self);
                let node = node.clone();
                claims.push(tokio::spawn(async move { shared.claim(id, &node).await }));
                if claims.len() >= 64 {
                    join(&mut claims).await;
                }
            }
            join(&mut claims).await;
        }
    }

    /// Takes a session over and gives it an end, unless somebody else did.
    async fn claim(self: &Arc<Self>, id: SessionId, from: &str) {
        let keys = self.keys(id);
        let me = &self.rules.node;
        let lease = self.rules.named("lease", from);
        let old = self.rules.named("own", from);
        let mut claim = CLAIM.call(&[&keys.meta, &lease, &old, &self.rules.own]);
        claim.arg(from).arg(me).arg(id.digits().as_str());
        claim.arg(fresh_epoch());
        let Some(Value::Array(said)) = self.asked(claim).await else {
            return;
        };
        let taken = number(said.first()) == Some(0);
        let (Some(term), Some(newest), Some(about)) = (
            number(said.get(1)).filter(|_| taken),
            number(said.get(2)).and_then(|newest| u64::try_from(newest).ok()),
            bytes(said.get(3)).and_then(about),
        ) else {
            return;
        };
        tracing::warn!(session = %id, owner = from, term, "the node of a session is gone; this one has taken it over");
        let hold = Some(format!("{me}:{term}"));
        let log = RedisLog::new(id, about, hold, &self.rules, Arc::downgrade(self));
        log.skip_to(Seq::new(newest));
        let log = Arc::new(log);
        locked(&self.own).insert(id, Arc::clone(&log));
        if let Some(inbox) = self.inbox.get() {
            let owners = u64::try_from(term).unwrap_or_default().saturating_sub(1);
            inbox.orphaned(id, Arc::clone(&log) as _, owners).await;
        }
        // It has its end, or is in the table of the hub; the engine keeps it as long as it is to be kept.
        if log.tail().get().ended {
            locked(&self.own).remove(&id);
            let mut forget = cmd("SREM");
            forget.arg(&self.rules.own).arg(id.digits().as_str());
            self.asked(forget).await;
        }
    }

    /// Gives back the lease, so that nobody has to wait for its end.
    pub(super) async fn close(&self) {
        let mut gone = cmd("DEL");
        gone.arg(self.rules.named("lease", &self.rules.node));
        self.asked(gone).await;
    }
}

/// A numbering that nobody knows yet.
fn fresh_epoch() -> u32 {
    let mut random = [0; 4];
    if let Err(error) = getrandom::fill(&mut random) {
        tracing::error!(%error, "the system gave no random numbers");
    }
    u32::from_be_bytes(random)
}

fn members(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(all) | Value::Set(all)) => {
            all.iter().filter_map(|one| text(Some(one))).collect()
        }
        _ => Vec::new(),
    }
}

async fn join(claims: &mut Vec<tokio::task::JoinHandle<()>>) {
    for claim in claims.drain(..) {
        // One that panicked has said so.
        let _: Result<_, _> = claim.await;
    }
}

//! The lease of this node, and the sessions of nodes that have lost theirs.
//!
//! A node has one lease for all of its sessions, so that ten thousand sessions cost as much as one. The engine counts it. When it is
//! over, whichever node notices first takes the sessions over one by one: each gets the next term, and from there on its old owner
//! is fenced.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use redis::{Value, cmd};

use super::link::{bytes, number, text};
use super::log::RedisLog;
use super::script::{CLAIM, about};
use super::{Rules, Shared};
use crate::id::{Seq, SessionId, Term};
use crate::machine::lease::{Ask, Input, Lease, LeaseRules, Reply};
use crate::store::Log as _;
use crate::sync::locked;
use crate::time::Tick;

/// Keeps the lease, and looks after the sessions of others, as long as the store is there.
pub(super) async fn keep(shared: Weak<Shared>, rules: Arc<Rules>) {
    let mut lease = None;
    let mut missing = BTreeMap::new();
    loop {
        let Some(store) = shared.upgrade() else {
            return;
        };
        let now = store.clock.tick();
        let lease = lease.get_or_insert_with(|| {
            // The first renewal is due at once.
            Lease::claim(LeaseRules::of(rules.lease_ms), Term::default(), now)
        });
        lease.handle(now, Input::Tick);
        while let Some(call) = lease.poll() {
            let held = match call.ask {
                Ask::Claim { .. } | Ask::Renew(_) => store.renew(&rules).await,
                Ask::Release(_) => true,
            };
            let reply = if held {
                Reply::Held(Term::FIRST)
            } else {
                Reply::Unknown
            };
            lease.handle(store.clock.tick(), Input::Replied(call.number, reply));
        }
        if lease.may_act(store.clock.tick()).is_some() && store.inbox.get().is_some() {
            store.look_around(&rules, &mut missing).await;
        }
        let until = lease.deadline().unwrap_or(now);
        let wait = until
            .since(store.clock.tick())
            .clamp(10, rules.lease_ms / 3 + 1);
        drop(store);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

impl Shared {
    fn named(&self, what: &str, node: &str) -> Vec<u8> {
        format!("{}{what}:{node}", self.rules.prefix).into_bytes()
    }

    /// How long a question about leases may take: a late answer is none.
    fn soon(&self) -> Duration {
        Duration::from_millis(self.rules.lease_ms / 2)
    }

    async fn asked(&self, command: redis::Cmd) -> Option<Value> {
        let asked = tokio::time::timeout(self.soon(), self.calls.ask(command));
        asked.await.ok().flatten()
    }

    /// This node is alive for the length of a lease.
    async fn renew(&self, rules: &Rules) -> bool {
        let mut enter = cmd("SADD");
        enter.arg(self.named("nodes", "all")).arg(&rules.node);
        let mut renew = cmd("SET");
        renew.arg(self.named("lease", &rules.node)).arg(1);
        renew.arg("PX").arg(rules.lease_ms);
        let (entered, renewed) = tokio::join!(self.asked(enter), self.asked(renew));
        if matches!(entered, Some(Value::Int(1))) {
            self.look_for_losses();
        }
        entered.is_some() && matches!(renewed, Some(Value::Okay))
    }

    /// Looks whether other nodes are alive, and takes over the sessions of those that are not.
    ///
    /// A node has to be missing for a third of a lease. When the engine was away for longer than a lease, nobody has one, and the first
    /// node that is back must not end the sessions of those that are about to be.
    async fn look_around(self: &Arc<Self>, rules: &Rules, missing: &mut BTreeMap<String, Tick>) {
        let mut all = cmd("SUNION");
        all.arg(self.named("nodes", "all")).arg(&rules.owners);
        let nodes = members(self.asked(all).await);
        for node in nodes.into_iter().filter(|node| *node != rules.node) {
            let mut alive = cmd("EXISTS");
            alive.arg(self.named("lease", &node));
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
            left.arg(self.named("own", &node));
            let Some(left) = self.asked(left).await else {
                return;
            };
            let left = members(Some(left));
            if left.is_empty() {
                for known in [&self.named("nodes", "all"), &rules.owners] {
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
        let lease = self.named("lease", from);
        let old = self.named("own", from);
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
        let log = RedisLog::new(id, about, hold, self.rules.limits, Arc::downgrade(self));
        log.skip_to(Seq::new(newest));
        let log = Arc::new(log);
        locked(&self.own).insert(id, Arc::clone(&log));
        if let Some(inbox) = self.inbox.get() {
            let owners = u64::try_from(term).unwrap_or_default().saturating_sub(1);
            inbox.orphaned(id, Arc::clone(&log) as _, owners).await;
        }
        // It has its end, or is in the table of the hub; the engine keeps it as long as it is to be kept.
        if log.tail().borrow().ended {
            locked(&self.own).remove(&id);
            let mut forget = cmd("SREM");
            forget.arg(&self.rules.own).arg(id.digits().as_str());
            self.asked(forget).await;
        }
    }

    /// Gives back the lease, so that nobody has to wait for its end.
    pub(super) async fn close(&self) {
        let mut gone = cmd("DEL");
        gone.arg(self.named("lease", &self.rules.node));
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

//! A node that is alive keeps its sessions, however much else it has to do and however slow a replica is.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon_live::Frame;
use aon_live::id::{Epoch, Seq, SessionId, TraceId};
use aon_live::store::{About, Appended, Inbox, Keep, Log, Redis, RedisSettings, Store};
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_millis(600);
const EPOCH: Epoch = Epoch::new(7);

/// Takes sessions over, and takes its time for each.
#[derive(Debug, Default)]
struct Slow {
    each: Duration,
    taken: Mutex<Vec<SessionId>>,
}

impl Slow {
    fn of(each: Duration) -> Arc<Self> {
        let taken = Mutex::default();
        Arc::new(Self { each, taken })
    }

    fn taken(&self) -> Vec<SessionId> {
        self.taken.lock().expect("nobody panicked").clone()
    }
}

impl Inbox for Slow {
    fn letter(&self, _: SessionId, _: Vec<u8>) -> Pin<Box<dyn Future<Output = Vec<u8>> + Send>> {
        Box::pin(async { Vec::new() })
    }

    fn orphaned(
        &self,
        id: SessionId,
        _: Arc<dyn Log>,
        _: u64,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.taken.lock().expect("nobody panicked").push(id);
        Box::pin(sleep(self.each))
    }
}

fn store(engine: &Engine, replicas: u32) -> Redis {
    let url = format!("redis://127.0.0.1:{}?replicas={replicas}", engine.port);
    let keep = Keep {
        events: 64,
        bytes: 1 << 20,
        open: Duration::from_secs(600),
        ended: Duration::from_secs(60),
    };
    let settings = RedisSettings::new(&url).expect("an address");
    Redis::new(settings.lease(LEASE), keep)
}

/// A new session of this store, with one event.
async fn session(store: &Redis) -> (SessionId, Arc<dyn Log>) {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    let id = SessionId::from_bytes(bytes);
    let trace = TraceId::from_bytes([3; 16]).expect("not zero");
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    let now = u64::try_from(now.expect("after 1970").as_millis()).expect("before the end of time");
    let log = store
        .create(id, About::new(EPOCH, trace, now))
        .expect("new");
    assert!(append(&*log, 1).await, "its first event is stored");
    (id, log)
}

async fn append(log: &dyn Log, seq: u64) -> bool {
    let json = format!(r#"{{"type":"status","seq":{seq}}}"#);
    let frame = Frame::restore(EPOCH, Seq::new(seq), "status", json.as_bytes());
    matches!(log.append(vec![frame]).wait().await, Appended::Acked { .. })
}

/// Waits until this node has taken over that many sessions.
async fn takes(slow: &Slow, count: usize) {
    for _ in 0..200 {
        if slow.taken().len() >= count {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{count} sessions were not taken over in ten seconds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_takes_sessions_over_for_longer_than_a_lease_keeps_its_own() {
    let mut kept = 0;
    for (_, program) in engines("a slow take-over") {
        let engine = Engine::start(&program, None);
        // A node whose runtime ends is as silent as one that was killed.
        let dying = tokio::runtime::Runtime::new().expect("a runtime");
        let gone = {
            let _inside = dying.enter();
            store(&engine, 0)
        };
        let lost = dying.spawn(async move { session(&gone).await.0 });
        let lost = lost.await.expect("a session");
        dying.shutdown_background();

        let (busy, slow) = (store(&engine, 0), Slow::of(LEASE * 4));
        let (own, log) = session(&busy).await;
        busy.attend(Arc::clone(&slow) as _);
        takes(&slow, 1).await;
        assert_eq!(slow.taken(), [lost]);

        let (third, watching) = (store(&engine, 0), Slow::of(Duration::ZERO));
        third.attend(Arc::clone(&watching) as _);
        sleep(LEASE * 4).await;
        assert_eq!(watching.taken(), [], "{own} and {lost} have an owner");
        assert!(append(&*log, 2).await, "its owner goes on");
        kept += 2;
    }
    say(&format!(
        "count: {kept} sessions stayed with a node that was busy for four leases"
    ));
}

/// Two nodes, and a replica that stops for several leases.
async fn stops(program: &Path) {
    let primary = Engine::start(program, None);
    let replica = Engine::start(program, Some(primary.port));
    let (one, other) = (store(&primary, 1), store(&primary, 1));
    let inboxes = [Slow::of(Duration::ZERO), Slow::of(Duration::ZERO)];
    let (_, log) = session(&one).await;
    let (_, others) = session(&other).await;
    one.attend(Arc::clone(&inboxes[0]) as _);
    other.attend(Arc::clone(&inboxes[1]) as _);
    sleep(LEASE * 2).await;
    replica.signal("STOP");
    sleep(LEASE * 6).await;
    replica.signal("CONT");
    sleep(LEASE * 6).await;
    for inbox in &inboxes {
        assert_eq!(inbox.taken(), [], "both nodes live");
    }
    assert!(append(&*log, 2).await, "its owner goes on");
    assert!(append(&*others, 2).await, "its owner goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_stops_for_several_leases_costs_no_node_its_sessions() {
    let mut kept = 0;
    for (_, program) in engines("a replica that stops") {
        stops(&program).await;
        kept += 2;
    }
    say(&format!(
        "count: {kept} sessions stayed with their nodes while a replica stopped"
    ));
}

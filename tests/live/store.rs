//! The contract of a store, held for every implementation there is.

use std::sync::Arc;
use std::time::Duration;

use aon_live::id::{Epoch, Seq, SessionId, TraceId};
use aon_live::store::{About, Answer, Appended, Budget, Log, Memory, Store, Tail};
use aon_live::{Frame, Hub, Settings};

use super::support::*;

const EPOCH: Epoch = Epoch::new(7);

fn frame(seq: u64, kind: &str, words: &str) -> Frame {
    let json = format!(r#"{{"type":"{kind}","seq":{seq},"message":"{words}"}}"#);
    Frame::restore(EPOCH, Seq::new(seq), kind, json.as_bytes())
}

fn status(seq: u64) -> Frame {
    frame(seq, "status", &format!("event {seq}"))
}

fn about() -> About {
    About::new(
        EPOCH,
        TraceId::from_bytes([3; 16]).unwrap(),
        1_715_432_000_250,
    )
}

fn id(n: u8) -> SessionId {
    SessionId::from_bytes([n; 16])
}

async fn append(log: &dyn Log, frames: Vec<Frame>) -> Appended {
    log.append(frames).wait().await
}

async fn numbers(log: &dyn Log, from: u64) -> Vec<u64> {
    let page = log
        .page(Seq::new(from), Budget::default())
        .wait()
        .await
        .unwrap();
    page.frames.iter().map(|frame| frame.seq().get()).collect()
}

/// The suite: a store that keeps `ring` events of a session.
pub async fn suite(store: impl Store, ring: u64) {
    let acked = |n| Appended::Acked {
        newest: Seq::new(n),
    };

    // What was acknowledged is in every later page; numbers are contiguous.
    let log = store.create(id(1), about()).expect("a new session");
    assert_eq!(append(&*log, vec![status(1)]).await, acked(1));
    assert_eq!(append(&*log, vec![status(2), status(3)]).await, acked(3));
    let again = store.open(id(1)).wait().await.expect("it is there");
    assert_eq!((again.about(), log.about()), (&about(), &about()));
    assert_eq!(numbers(&*again, 1).await, [1, 2, 3]);
    assert_eq!(append(&*log, vec![status(5)]).await, Appended::Fenced);
    // A batch is there whole or not at all.
    assert_eq!(
        append(&*log, vec![status(4), status(6)]).await,
        Appended::Fenced
    );
    assert_eq!(numbers(&*log, 1).await, [1, 2, 3]);

    // The same bytes again are acknowledged again; other bytes are not.
    assert_eq!(append(&*log, vec![status(3)]).await, acked(3));
    assert_eq!(
        append(&*log, vec![frame(3, "status", "other")]).await,
        Appended::Fenced
    );
    assert_eq!(append(&*log, vec![status(3), status(4)]).await, acked(4));

    // Only the front is trimmed, exactly; a page names what there is.
    for seq in 5..=ring + 3 {
        assert_eq!(append(&*log, vec![status(seq)]).await, acked(seq));
    }
    let page = log
        .page(Seq::FIRST, Budget::default())
        .wait()
        .await
        .unwrap();
    assert_eq!(
        (page.oldest.get(), page.newest.get(), page.ended),
        (4, ring + 3, false)
    );
    assert_eq!(page.epoch, EPOCH);
    assert_eq!(numbers(&*log, 1).await, (4..=ring + 3).collect::<Vec<_>>());
    assert_eq!(numbers(&*log, ring + 2).await[0], ring + 2);
    assert_eq!(numbers(&*log, ring + 4).await, [] as [u64; 0]);
    let two = log
        .page(Seq::FIRST, Budget::new(2, usize::MAX))
        .wait()
        .await
        .unwrap();
    assert_eq!(two.frames.len(), 2);

    // A reader that waits misses nothing, and the tail is never ahead of a page.
    let mut tail = log.tail();
    let waiting = tokio::spawn(async move {
        tail.changed().await.unwrap();
        tail.get()
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(append(&*log, vec![status(ring + 4)]).await, acked(ring + 4));
    let seen = tokio::time::timeout(Duration::from_secs(5), waiting)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        seen,
        Tail {
            newest: Seq::new(ring + 4),
            ended: false
        }
    );

    // A nudge wakes and moves nothing.
    let mut tail = log.tail();
    let before = tail.get();
    let waiting = tokio::spawn(async move {
        tail.changed().await.unwrap();
        tail.get()
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    log.nudge();
    let woken = tokio::time::timeout(Duration::from_secs(5), waiting).await;
    assert_eq!(woken.unwrap().unwrap(), before);

    // One end, then nothing; it stays whatever is trimmed.
    let end = ring + 5;
    assert_eq!(
        append(&*log, vec![frame(end, "result", "")]).await,
        acked(end)
    );
    assert_eq!(
        append(&*log, vec![frame(end, "result", "")]).await,
        acked(end)
    );
    assert_eq!(append(&*log, vec![status(end + 1)]).await, Appended::Closed);
    assert_eq!(
        append(&*log, vec![frame(end + 1, "error", "")]).await,
        Appended::Closed
    );
    assert!(log.tail().get().ended);
    log.shrink(0);
    assert_eq!(numbers(&*log, end - 1).await, [end - 1, end]);

    // Ids are taken once; reading creates nothing; what is gone stays gone.
    assert!(store.create(id(1), about()).is_none());
    assert!(store.open(id(2)).wait().await.is_none());
    assert!(store.open(id(2)).wait().await.is_none());
    assert!(store.held() > 0);
    store.remove(id(1)).wait().await;
    assert!(store.open(id(1)).wait().await.is_none());
    assert!(
        log.page(Seq::FIRST, Budget::default())
            .wait()
            .await
            .is_none()
    );
    assert_eq!(append(&*log, vec![status(end + 1)]).await, Appended::Gone);
    assert_eq!(store.held(), 0);

    // Two sessions do not see each other.
    let (a, b) = (
        store.create(id(3), about()).unwrap(),
        store.create(id(4), about()).unwrap(),
    );
    append(&*a, vec![status(1)]).await;
    assert_eq!(numbers(&*b, 1).await, [] as [u64; 0]);
    assert_eq!(append(&*b, vec![status(1), status(2)]).await, acked(2));
    assert_eq!(numbers(&*a, 1).await, [1]);

    // A session that belongs to somebody does so for whoever opens it.
    let owned = about().owned_by("ann");
    store.create(id(5), owned.clone()).unwrap();
    assert_eq!(*store.open(id(5)).wait().await.unwrap().about(), owned);

    // What was put is taken once, and not after its time.
    assert!(store.put([1; 32], b"one".to_vec(), 60_000).wait().await);
    assert!(store.put([2; 32], b"two".to_vec(), 0).wait().await);
    assert_eq!(
        store.take([1; 32]).wait().await.as_deref(),
        Some(&b"one"[..])
    );
    for nothing in [[1; 32], [2; 32], [3; 32]] {
        assert_eq!(store.take(nothing).wait().await, None);
    }

    // First is said once.
    assert!(store.once([1; 16], 60_000).wait().await);
    assert!(!store.once([1; 16], 60_000).wait().await);
    assert!(store.once([2; 16], 60_000).wait().await);
    assert!(store.once([3; 16], 0).wait().await);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(
        store.once([3; 16], 0).wait().await,
        "forgotten after its time"
    );
}

#[tokio::test]
async fn memory_keeps_the_contract() {
    let mut held = 0;
    for ring in 3..=8 {
        suite(Memory::new(usize::try_from(ring).unwrap(), 1 << 20), ring).await;
        held += 1;
    }
    assert_eq!(held, 6);
    // What is let go of in memory is gone.
    let store = Memory::new(8, 1 << 20);
    let log = store.create(id(1), about()).unwrap();
    append(&*log, (1..=4).map(status).collect()).await;
    log.shrink(0);
    assert_eq!(numbers(&*log, 1).await, [4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_and_a_writer_at_full_speed_lose_nothing_untold() {
    accounting(Memory::new(64, 1 << 20), 20_000).await;
}

/// What every reader received and was told it lost is all there was.
pub async fn accounting(store: impl Store, count: u64) {
    let log = store.create(id(1), about()).unwrap();
    let mut readers = Vec::new();
    for _ in 0..8 {
        let log = store.open(id(1)).wait().await.unwrap();
        readers.push(tokio::spawn(async move {
            let mut tail = log.tail();
            let (mut next, mut received, mut lost) = (1, 0, 0);
            loop {
                let seen = tail.see();
                let page = log
                    .page(Seq::new(next), Budget::new(16, 4096))
                    .wait()
                    .await
                    .unwrap();
                assert!(page.newest >= seen.newest, "the tail is not ahead");
                if page.oldest.get() > next {
                    lost += page.oldest.get() - next;
                    next = page.oldest.get();
                }
                for frame in &page.frames {
                    assert_eq!(frame.seq().get(), next);
                    next += 1;
                    received += 1;
                }
                if page.ended && next > page.newest.get() {
                    return received + lost;
                }
                if page.frames.is_empty() {
                    tail.changed().await.unwrap();
                }
            }
        }));
    }
    for seq in 1..=count {
        append(&*log, vec![status(seq)]).await;
        if seq % 512 == 0 {
            tokio::task::yield_now().await;
        }
    }
    append(&*log, vec![frame(count + 1, "result", "")]).await;
    for reader in readers {
        let total = tokio::time::timeout(Duration::from_secs(60), reader)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(total, count + 1, "received and told lost is all there was");
    }
}

/// A store that answers after a while, as one on another machine would.
#[derive(Debug)]
struct Distant {
    memory: Memory,
}

#[derive(Debug)]
struct DistantLog {
    log: Arc<dyn Log>,
    queue: tokio::sync::mpsc::UnboundedSender<(Vec<Frame>, tokio::sync::oneshot::Sender<Appended>)>,
}

const DISTANCE: Duration = Duration::from_millis(30);

impl Distant {
    fn reach(log: Arc<dyn Log>) -> Arc<dyn Log> {
        let (queue, mut waiting) = tokio::sync::mpsc::unbounded_channel::<(
            Vec<Frame>,
            tokio::sync::oneshot::Sender<Appended>,
        )>();
        let far = Arc::clone(&log);
        tokio::spawn(async move {
            while let Some((frames, reply)) = waiting.recv().await {
                tokio::time::sleep(DISTANCE).await;
                let appended = far.append(frames).wait().await;
                // Nobody has to wait for the answer.
                let _: Result<(), Appended> = reply.send(appended);
            }
        });
        Arc::new(DistantLog { log, queue })
    }
}

impl Log for DistantLog {
    fn append(&self, frames: Vec<Frame>) -> Answer<Appended> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let sent = self.queue.send((frames, reply)).is_ok();
        Answer::Later(Box::pin(async move {
            if sent {
                answer.await.unwrap_or(Appended::Unknown)
            } else {
                Appended::Gone
            }
        }))
    }

    fn page(&self, from: Seq, budget: Budget) -> Answer<Option<aon_live::store::Page>> {
        let page = self.log.page(from, budget);
        Answer::Later(Box::pin(page.wait()))
    }

    fn tail(&self) -> aon_live::store::TailReceiver {
        self.log.tail()
    }

    fn nudge(&self) {
        self.log.nudge();
    }

    fn about(&self) -> &About {
        self.log.about()
    }

    fn held(&self) -> usize {
        self.log.held()
    }

    fn shrink(&self, bytes: usize) {
        self.log.shrink(bytes);
    }
}

impl Store for Distant {
    fn create(&self, id: SessionId, about: About) -> Option<Arc<dyn Log>> {
        self.memory.create(id, about).map(Self::reach)
    }

    fn open(&self, id: SessionId) -> Answer<Option<Arc<dyn Log>>> {
        let open = self.memory.open(id);
        Answer::Later(Box::pin(async move { open.wait().await.map(Self::reach) }))
    }

    fn remove(&self, id: SessionId) -> Answer<()> {
        Answer::Later(Box::pin(self.memory.remove(id).wait()))
    }

    fn once(&self, key: [u8; 16], milliseconds: u64) -> Answer<bool> {
        Answer::Later(Box::pin(self.memory.once(key, milliseconds).wait()))
    }

    fn put(&self, key: [u8; 32], value: Vec<u8>, milliseconds: u64) -> Answer<bool> {
        Answer::Later(Box::pin(self.memory.put(key, value, milliseconds).wait()))
    }

    fn take(&self, key: [u8; 32]) -> Answer<Option<Vec<u8>>> {
        Answer::Later(Box::pin(self.memory.take(key).wait()))
    }

    fn held(&self) -> usize {
        self.memory.held()
    }

    fn durability(&self) -> aon_live::store::Durability {
        aon_live::store::Durability::Replicated
    }
}

#[tokio::test]
async fn a_store_that_answers_later_keeps_the_contract_too() {
    suite(
        Distant {
            memory: Memory::new(5, 1 << 20),
        },
        5,
    )
    .await;
}

#[tokio::test]
async fn nothing_is_shown_before_its_store_has_acknowledged_it() {
    let store = Distant {
        memory: Memory::new(256, 1 << 20),
    };
    let server = serve(Hub::with(Settings::new().store(store))).await;
    let start = tokio::time::Instant::now();
    let mut reply = server.post("/users", &[NDJSON], r#"{"name":"ann"}"#).await;
    let mut events = Vec::new();
    while let Some(event) = reply.event().await {
        events.push(event);
        let earliest = DISTANCE * u32::try_from(events.len()).unwrap();
        assert!(
            start.elapsed() >= earliest,
            "{} events after {:?}",
            events.len(),
            start.elapsed()
        );
    }
    check_stream(&events);
    assert_eq!(
        kinds(&events),
        ["session", "intent_analysis", "healing", "status", "result"]
    );
    assert_eq!(events[0]["durability"], "replicated");
}

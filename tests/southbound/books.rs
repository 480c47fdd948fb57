//! One suite for every place the ledger can be: a file of this machine, Redis, Valkey. Then what only a fleet has.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aon_agent::south::fleet::RedisBook;
use aon_agent::south::keep::{Book, FileBook, Stored, UsedNonce};
use aon_agent::south::ledger::{ActionKey, Limits, State, Verdict};
use aon_live::store::RedisSettings;
use aon_tests::engine::{Engine, engines};
use aon_tests::place::say;

use crate::support::Folder;

const LIMITS: Limits = Limits {
    retention: 1000,
    lines: 3,
    bytes: 100,
};

/// A place for a ledger, which can be left and opened again.
enum Shelf {
    File(PathBuf),
    Shared(String, String),
}

impl Shelf {
    async fn open(&self, limits: Limits, now: u64) -> Arc<dyn Book> {
        match self {
            Self::File(path) => loop {
                // The one before lets go of the file when its last write is done.
                match FileBook::open(path, limits, now) {
                    Ok(book) => return Arc::new(book),
                    Err(error) => assert!(error.to_string().contains("already open"), "{error}"),
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            },
            Self::Shared(url, fleet) => Arc::new(machine(url, fleet, "one", limits).await),
        }
    }
}

async fn machine(url: &str, fleet: &str, node: &str, limits: Limits) -> RedisBook {
    let settings = RedisSettings::new(url).expect("an address");
    let book = RedisBook::open(settings, fleet, Some(node), limits).await;
    book.expect("a ledger")
}

fn key(action: &str) -> ActionKey {
    ActionKey::new("ops-1", action)
}

async fn begin(book: &dyn Book, action: &str, hash: u8, now: u64) -> Verdict {
    let verdict = book.begin(&key(action), &[hash; 32], None, now).await;
    verdict.expect("it answers")
}

async fn end(book: &dyn Book, action: &str, answer: &str) {
    let stored = book.end(&key(action), Some(Stored::new(200, answer))).await;
    stored.expect("stored");
}

/// What every ledger does. How many statements were checked.
async fn holds(shelf: &Shelf, name: &str) -> usize {
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    let before = CHECKS.load(Ordering::Relaxed);
    macro_rules! same {
        ($left:expr, $right:expr) => {
            assert_eq!($left, $right, "{name}");
            CHECKS.fetch_add(1, Ordering::Relaxed);
        };
    }
    let book = shelf.open(LIMITS, 0).await;
    same!(begin(&*book, "a", 1, 0).await, Verdict::Run);
    same!(begin(&*book, "a", 1, 1).await, Verdict::Running);
    same!(begin(&*book, "a", 2, 1).await, Verdict::Reused);
    end(&*book, "a", "{\"n\":\"\u{e9}\"}").await;
    same!(begin(&*book, "a", 1, 2).await, Verdict::Replay);
    same!(begin(&*book, "a", 2, 2).await, Verdict::Reused);
    let (line, answer) = book
        .look(&key("a"))
        .await
        .expect("it answers")
        .expect("a line");
    same!(
        (line.state, line.since, line.hash),
        (State::Done, 0, [1; 32])
    );
    same!(answer, Some(Stored::new(200, "{\"n\":\"\u{e9}\"}")));
    same!(book.look(&key("nobody")).await.expect("it answers"), None);
    // Two agents may use one id.
    let other = ActionKey::new("ops-2", "a");
    let verdict = book.begin(&other, &[2; 32], None, 2).await;
    same!(verdict.expect("it answers"), Verdict::Run);
    let refused = Stored::new(409, "{}");
    book.end(&other, Some(refused.clone()))
        .await
        .expect("stored");
    let (_, answer) = book
        .look(&other)
        .await
        .expect("it answers")
        .expect("a line");
    same!(answer, Some(refused));
    // A third one runs when the program dies. It is unknown from then on, and an answer that comes late changes nothing.
    same!(begin(&*book, "c", 1, 3).await, Verdict::Run);
    same!(begin(&*book, "d", 1, 3).await, Verdict::Full);
    let dead = match shelf {
        Shelf::File(_) => {
            drop(book);
            None
        }
        Shelf::Shared(..) => Some(book),
    };
    let book = shelf.open(LIMITS, 4).await;
    if let Some(dead) = dead {
        let late = dead.end(&key("c"), Some(Stored::new(200, "{}"))).await;
        same!(late.is_err(), true);
        // Its life is over: it may not begin anything.
        same!(
            dead.begin(&key("x"), &[1; 32], None, 4).await.is_err(),
            true
        );
    }
    same!(begin(&*book, "c", 1, 4).await, Verdict::Unknown);
    let (line, _) = book
        .look(&key("c"))
        .await
        .expect("it answers")
        .expect("a line");
    same!(line.state, State::Unknown);
    same!(begin(&*book, "a", 1, 4).await, Verdict::Replay);
    // What is older than the retention makes room, the oldest first.
    same!(begin(&*book, "d", 1, 1000).await, Verdict::Full);
    same!(begin(&*book, "d", 1, 1001).await, Verdict::Run);
    same!(
        book.look(&key("a")).await.expect("it answers").is_none(),
        true
    );
    // What runs is not forgotten, however old it is.
    same!(begin(&*book, "e", 1, 5000).await, Verdict::Run);
    let (line, _) = book
        .look(&key("d"))
        .await
        .expect("it answers")
        .expect("a line");
    same!(line.state, State::Running);
    // Nobody knows: said so, and it stays so.
    book.end(&key("d"), None).await.expect("stored");
    let (line, _) = book
        .look(&key("d"))
        .await
        .expect("it answers")
        .expect("a line");
    same!(line.state, State::Unknown);
    // Bytes are bounded too.
    end(&*book, "e", &"x".repeat(100)).await;
    same!(begin(&*book, "f", 1, 5001).await, Verdict::Full);
    same!(begin(&*book, "f", 1, 6002).await, Verdict::Run);
    // One of many gets it.
    drop(book);
    let book = shelf.open(Limits::DEFAULT, 7000).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let book = Arc::clone(&book);
        tasks.spawn(async move { begin(&*book, "race", 9, 7000).await });
    }
    let verdicts = tasks.join_all().await;
    let run = verdicts.iter().filter(|verdict| **verdict == Verdict::Run);
    same!(run.count(), 1);
    CHECKS.load(Ordering::Relaxed) - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_ledger_keeps_to_the_same_rules() {
    let folder = Folder::new();
    let checks = holds(&Shelf::File(folder.path("ledger.redb")), "file").await;
    say(&format!("count: {checks} rules of a ledger in a file"));
    for (name, program) in engines("southbound ledger") {
        let engine = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}", engine.port);
        let checks = holds(&Shelf::Shared(url, "suite".to_owned()), name).await;
        assert!(checks > 20, "{checks}");
        say(&format!("count: {checks} rules of a ledger in {name}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machines_of_a_fleet_do_an_action_once() {
    for (name, program) in engines("southbound fleet") {
        let engine = Engine::start(&program, None);
        let url = format!("redis://127.0.0.1:{}?lease_ms=600", engine.port);
        let one = Arc::new(machine(&url, "web", "one", Limits::DEFAULT).await);
        let two = Arc::new(machine(&url, "web", "two", Limits::DEFAULT).await);
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..400 {
            let book = Arc::clone(if number % 2 == 0 { &one } else { &two });
            tasks.spawn(async move { begin(&*book, &format!("a{}", number / 4), 1, 1).await });
        }
        let run = tasks.join_all().await;
        let run = run.iter().filter(|verdict| **verdict == Verdict::Run);
        assert_eq!(run.count(), 100, "{name}");
        // Another fleet at the same engine knows nothing of it.
        let other = machine(&url, "mail", "one", Limits::DEFAULT).await;
        assert_eq!(begin(&other, "a1", 1, 1).await, Verdict::Run);
        // A nonce is good once for all machines together.
        let used = UsedNonce {
            agent: "ops-1".to_owned(),
            nonce: "n".to_owned(),
            until: 0,
        };
        let taken = [
            one.take(&used).await,
            two.take(&used).await,
            one.take(&used).await,
        ];
        assert_eq!(
            taken.map(|taken| taken.expect("it answers")),
            [true, false, false],
            "{name}"
        );
        // A machine that is gone: what it ran is unknown after its lease, and a lease is renewed while it lives.
        let gone = machine(&url, "web", "three", Limits::DEFAULT).await;
        assert_eq!(begin(&gone, "g", 1, 1).await, Verdict::Run);
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(
            begin(&*one, "g", 1, 1).await,
            Verdict::Running,
            "{name}: it lives"
        );
        drop(gone);
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(begin(&*one, "g", 1, 1).await, Verdict::Unknown, "{name}");
        // The one that lives ends its own.
        let ends = one
            .look(&key("a0"))
            .await
            .expect("it answers")
            .expect("a line");
        assert_eq!(ends.0.state, State::Running, "{name}");
        say(&format!(
            "count: 400 questions to two machines with {name}, 100 done once"
        ));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_that_dies_loses_nothing_that_was_begun() {
    for (name, program) in engines("southbound failover") {
        let mut primary = Engine::start(&program, None);
        let replica = Engine::start(&program, Some(primary.port));
        let (first, second) = (primary.port, replica.port);
        let url = format!("redis://127.0.0.1:{first},127.0.0.1:{second}?replicas=1&lease_ms=8000");
        let book = machine(&url, "web", "one", Limits::DEFAULT).await;
        for number in 0..50 {
            let action = format!("a{number}");
            assert_eq!(begin(&book, &action, 1, 1).await, Verdict::Run);
            if number % 2 == 0 {
                end(&book, &action, "{}").await;
            }
        }
        primary.kill();
        // Nothing can be remembered now, so nothing may be done.
        let refused = book.begin(&key("b"), &[1; 32], None, 1).await;
        assert!(refused.is_err(), "{name}");
        replica.promote();
        // Its own replica comes back as one.
        primary.start_again(Some(second));
        let mut seen = (0, 0);
        for number in 0..50 {
            match begin(&book, &format!("a{number}"), 1, 1).await {
                Verdict::Replay => seen.0 += 1,
                Verdict::Running => seen.1 += 1,
                other => panic!("{name}: a{number} is {other:?}"),
            }
        }
        assert_eq!(seen, (25, 25), "{name}");
        // What may have been stored while nobody answered is taken back; then it can be done.
        let mut verdict = Verdict::Running;
        for _ in 0..100 {
            verdict = book
                .begin(&key("b"), &[1; 32], None, 1)
                .await
                .unwrap_or(Verdict::Running);
            if verdict == Verdict::Run {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(verdict, Verdict::Run, "{name}");
        say(&format!(
            "count: 50 actions over a failover of {name}, 25 done and 25 running kept"
        ));
    }
}

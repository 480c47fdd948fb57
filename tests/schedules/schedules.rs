//! The hub and its ring under schedules that shuttle picks: at every lock another thread may go on.
//!
//! `AON_SCHEDULES` says how many schedules each test tries; a failure prints the one that failed, to be replayed.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aon_live::id::{Epoch, Seq, SessionId, TraceId};
use aon_live::store::{About, Appended, Budget, Log, Memory, Store};
use aon_live::{Frame, Hub, Session, Settings};
use shuttle::future::block_on;
use shuttle::thread;

const EPOCH: Epoch = Epoch::new(7);
const ID: SessionId = SessionId::from_bytes([1; 16]);
/// Events of a session before its end.
const EVENTS: u64 = 6;

/// Runs a scenario under random schedules, and under ones that change the thread at few places.
fn explore(name: &str, scenario: impl Fn() + Send + Sync + Clone + 'static) {
    let count = std::env::var("AON_SCHEDULES").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(2_000);
    shuttle::check_random(scenario.clone(), count);
    shuttle::check_pct(scenario, count, 3);
    println!("count: {} schedules of {name}", count * 2);
}

fn about() -> About {
    About::new(EPOCH, TraceId::from_bytes([3; 16]).expect("a trace"), 0)
}

fn frame(seq: u64, kind: &str, words: &str) -> Frame {
    let json = format!(r#"{{"type":"{kind}","seq":{seq},"message":"{words}"}}"#);
    Frame::restore(EPOCH, Seq::new(seq), kind, json.as_bytes())
}

fn append(log: &dyn Log, frame: Frame) -> Appended {
    block_on(log.append(vec![frame]).wait())
}

fn write(log: &dyn Log) {
    for seq in 1..=EVENTS {
        append(log, frame(seq, "status", "x"));
    }
    append(log, frame(EVENTS + 1, "result", ""));
}

/// Reads as a feed does: the tail is seen first and the page read then. What it got, and what it was told to have lost.
async fn read(log: &dyn Log) -> Option<(u64, u64)> {
    let mut tail = log.tail();
    let (mut next, mut got, mut lost) = (1, 0, 0);
    loop {
        let seen = tail.see();
        let page = log.page(Seq::new(next), Budget::new(2, usize::MAX)).wait().await?;
        assert!(page.newest >= seen.newest, "the tail is never ahead of a page");
        if page.oldest.get() > next {
            lost += page.oldest.get() - next;
            next = page.oldest.get();
        }
        for frame in &page.frames {
            assert_eq!(frame.seq().get(), next, "in order, without a hole");
            next += 1;
            got += 1;
        }
        if page.ended && next > page.newest.get() {
            return Some((got, lost));
        }
        if page.frames.is_empty() {
            tail.changed().await.expect("a log that is there");
        }
    }
}

#[test]
fn readers_see_all_there_was_or_are_told_what_they_lost() {
    explore("a writer and two readers", || {
        let store = Memory::new(3, 1 << 20);
        let log = store.create(ID, about()).expect("a log");
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let log = Arc::clone(&log);
                thread::spawn(move || block_on(read(&*log)))
            })
            .collect();
        write(&*log);
        for reader in readers {
            let (got, lost) = reader.join().expect("a reader").expect("a log that is there");
            assert_eq!(got + lost, EVENTS + 1);
            assert!(got >= 1, "the end is always seen");
        }
    });
}

#[test]
fn signs_of_life_wake_and_hide_nothing() {
    explore("a writer, a reader and nudges", || {
        let store = Memory::new(3, 1 << 20);
        let log = store.create(ID, about()).expect("a log");
        let reader = Arc::clone(&log);
        let reader = thread::spawn(move || block_on(read(&*reader)));
        let pulse = Arc::clone(&log);
        let pulse = thread::spawn(move || (0..3).for_each(|_| pulse.nudge()));
        write(&*log);
        let (got, lost) = reader.join().expect("a reader").expect("a log that is there");
        assert_eq!(got + lost, EVENTS + 1);
        pulse.join().expect("a pulse");
    });
}

#[test]
fn readers_that_move_or_leave_take_no_wake_up_from_others() {
    explore("a writer, a reader that moves to another task and one that leaves", || {
        let store = Memory::new(3, 1 << 20);
        let log = store.create(ID, about()).expect("a log");
        let leaves = Arc::clone(&log);
        let leaves = thread::spawn(move || {
            for _ in 0..2 {
                let _: Poll<_> = leaves.tail().poll_changed(&Context::from_waker(Waker::noop()));
            }
        });
        let moves = Arc::clone(&log);
        let moves = thread::spawn(move || {
            let mut tail = moves.tail();
            let _: Poll<_> = tail.poll_changed(&Context::from_waker(Waker::noop()));
            block_on(tail.wait_for(|tail| tail.ended)).expect("a log that is there")
        });
        let reader = Arc::clone(&log);
        let reader = thread::spawn(move || block_on(read(&*reader)));
        write(&*log);
        let (got, lost) = reader.join().expect("a reader").expect("a log that is there");
        assert_eq!(got + lost, EVENTS + 1);
        assert_eq!(moves.join().expect("a reader that moves").newest.get(), EVENTS + 1);
        leaves.join().expect("a reader that leaves");
    });
}

#[test]
fn of_two_writers_of_one_number_one_is_taken() {
    explore("two writers of the same numbers", || {
        let store = Memory::new(8, 1 << 20);
        let log = store.create(ID, about()).expect("a log");
        let writers: Vec<_> = ["a", "b"]
            .map(|words| {
                let log = Arc::clone(&log);
                thread::spawn(move || {
                    let taken = |seq| append(&*log, frame(seq, "status", words));
                    (1..=3).filter(|seq| matches!(taken(*seq), Appended::Acked { .. })).count()
                })
            })
            .into();
        let taken: usize = writers.into_iter().map(|writer| writer.join().expect("a writer")).sum();
        let page = block_on(log.page(Seq::FIRST, Budget::default()).wait()).expect("a log that is there");
        assert_eq!(page.frames.len(), taken, "what was acknowledged is there, once");
    });
}

#[test]
fn what_is_removed_is_gone_for_everybody_and_holds_nothing() {
    explore("a writer, a reader and a removal", || {
        let store = Arc::new(Memory::new(3, 1 << 20));
        let log = store.create(ID, about()).expect("a log");
        let reader = Arc::clone(&log);
        let reader = thread::spawn(move || block_on(read(&*reader)));
        let remover = Arc::clone(&store);
        let remover = thread::spawn(move || block_on(remover.remove(ID).wait()));
        write(&*log);
        remover.join().expect("a removal");
        // It saw the end before, or learnt that it is gone; it does not wait for ever.
        if let Some((got, lost)) = reader.join().expect("a reader") {
            assert_eq!(got + lost, EVENTS + 1);
        }
        assert_eq!(store.held(), 0);
    });
}

#[test]
fn a_ticket_and_a_key_are_good_for_one() {
    explore("two who take one ticket", || {
        let store = Arc::new(Memory::new(3, 1 << 20));
        assert!(block_on(store.put([1; 32], b"it".to_vec(), 60_000).wait()));
        let takers: Vec<_> = (0..2)
            .map(|_| {
                let store = Arc::clone(&store);
                thread::spawn(move || {
                    let taken = block_on(store.take([1; 32]).wait()).is_some();
                    let first = block_on(store.once([1; 16], 60_000).wait());
                    (taken, first)
                })
            })
            .collect();
        let won: Vec<_> = takers.into_iter().map(|taker| taker.join().expect("a taker")).collect();
        assert_eq!(won.iter().filter(|(taken, _)| *taken).count(), 1);
        assert_eq!(won.iter().filter(|(_, first)| *first).count(), 1);
    });
}

#[test]
fn a_session_has_one_order_and_one_end_whoever_publishes() {
    explore("two publishers and two ends of one session", || {
        let store = Arc::new(Memory::new(64, 1 << 20));
        let hub = Hub::with(Settings::new().store(Arc::clone(&store)));
        let session = aon_live::scheduled(&hub);
        let id = session.id().expect("an open session");
        let publish = |session: &Session, name: &'static str| {
            let session = session.clone();
            thread::spawn(move || {
                session.status(name);
                session.status(name);
                aon_live::ended(&session)
            })
        };
        let log = block_on(store.open(id).wait()).expect("a log");
        let reader = Arc::clone(&log);
        let reader = thread::spawn(move || block_on(read(&*reader)));
        let ends = [publish(&session, "a"), publish(&session, "b")].map(|one| one.join().expect("a publisher"));
        assert_eq!(ends.iter().filter(|ended| **ended).count(), 1, "one end");
        let (got, lost) = reader.join().expect("a reader").expect("a log that is there");
        let page = block_on(log.page(Seq::FIRST, Budget::default()).wait()).expect("a log that is there");
        assert_eq!((got, lost), (page.frames.len() as u64, 0));
        let ends = page.frames.iter().filter(|frame| frame.is_terminal()).count();
        assert_eq!((ends, page.frames.last().is_some_and(Frame::is_terminal)), (1, true));
        // Two statuses of the one that ended it, at least.
        assert!((4..=6).contains(&page.frames.len()), "{}", page.frames.len());
    });
}

/// The check has teeth: a reader that looks at the tail after the page misses what came in between, and waits for ever.
#[test]
fn a_reader_that_looks_in_the_wrong_order_is_caught() {
    let wrong = || {
        let store = Memory::new(3, 1 << 20);
        let log = store.create(ID, about()).expect("a log");
        let reader = Arc::clone(&log);
        let reader = thread::spawn(move || {
            block_on(async move {
                let mut tail = reader.tail();
                loop {
                    let page = reader.page(Seq::FIRST, Budget::default()).wait().await.expect("a log");
                    if page.ended {
                        return;
                    }
                    tail.see();
                    tail.changed().await.expect("a log that is there");
                }
            });
        });
        append(&*log, frame(1, "result", ""));
        reader.join().expect("a reader");
    };
    let caught = std::panic::catch_unwind(|| shuttle::check_random(wrong, 2_000));
    assert!(caught.is_err(), "no schedule of 2000 lost a wake-up");
}

//! Random publishers and readers against the full log: every view is the log in order, its holes exactly those told.

use proptest::prelude::*;

use super::reader::{Item, Reader, Then};
use super::ring::{Budget, Ring, RingLimits};
use crate::event::{Gap, GapReason};
use crate::frame::Frame;
use crate::frame::tests::{frame, last};
use crate::id::{Cursor, Epoch, EventId, Seq};
use crate::time::Tick;

const EPOCH: Epoch = Epoch::new(10);

#[derive(Clone, Debug)]
enum Step {
    Publish,
    End,
    Join { claim: Claim },
    Read { reader: usize, budget: usize },
    Shrink,
    Hold { on: bool },
}

#[derive(Clone, Debug)]
enum Claim {
    Start,
    Seen(u64),
    OtherEpoch(u64),
    Nonsense,
}

/// A reader as the model sees it: everything it was shown, in order.
struct Follower {
    reader: Reader,
    cursor: Cursor,
    joined_at: u64,
    shown: Vec<Shown>,
    done: bool,
    reads: u64,
}

#[derive(Clone, Debug)]
enum Shown {
    Event(u64, String),
    Gap(Gap),
    Live(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Publish),
        1 => Just(Step::End),
        2 => claim().prop_map(|claim| Step::Join { claim }),
        6 => (0..8_usize, 1..4_usize).prop_map(|(reader, budget)| Step::Read { reader, budget }),
        1 => Just(Step::Shrink),
        1 => any::<bool>().prop_map(|on| Step::Hold { on }),
    ]
}

fn claim() -> impl Strategy<Value = Claim> {
    prop_oneof![
        Just(Claim::Start),
        (0..40_u64).prop_map(Claim::Seen),
        (0..9_u64).prop_map(Claim::OtherEpoch),
        Just(Claim::Nonsense),
    ]
}

fn cursor(claim: &Claim) -> Cursor {
    let at = |epoch, seq| {
        Cursor::After(EventId {
            epoch,
            seq: Seq::new(seq),
        })
    };
    match claim {
        Claim::Start => Cursor::Start,
        Claim::Seen(seq) => at(EPOCH, *seq),
        Claim::OtherEpoch(seq) => at(Epoch::new(77), *seq),
        Claim::Nonsense => Cursor::parse("what?"),
    }
}

fn event(frame: &Frame) -> Shown {
    let json = String::from_utf8(frame.json().to_vec()).unwrap();
    Shown::Event(frame.seq().get(), json)
}

impl Follower {
    fn read(&mut self, ring: &Ring, budget: usize) {
        if self.done {
            return;
        }
        let page = ring.page(self.reader.next(), Budget::new(budget, usize::MAX));
        self.reads += 1;
        let shown = &mut self.shown;
        // Minutes pass between two looks, so that nobody is closed for being slow.
        let now = Tick(self.reads * 100_000);
        let page = match self.reader.take_whole(page) {
            Ok((frames, then)) => {
                shown.extend(frames.iter().map(event));
                self.done = matches!(then, Then::End | Then::Slow);
                return;
            }
            Err(page) => page,
        };
        let then = self.reader.take(page, now, &mut |item| {
            shown.push(match item {
                Item::Frame(frame) => event(&frame),
                Item::Gap(gap) => Shown::Gap(gap),
                Item::ReplayComplete(seq) => Shown::Live(seq.get()),
            });
        });
        self.done = matches!(then, Then::End | Then::Slow);
    }

    /// What was shown, and what was told to be lost, is the log from the cursor on.
    fn check(&self, log: &[String]) {
        let count = log.len() as u64;
        let mut next = match &self.cursor {
            Cursor::After(id) if id.epoch == EPOCH && id.seq.get() <= self.joined_at => {
                id.seq.get() + 1
            }
            Cursor::Start => 1,
            // Told by a gap with its reason, before anything else.
            Cursor::After(_) | Cursor::Foreign(_) => {
                let Some(Shown::Gap(gap)) = self.shown.first() else {
                    assert!(self.shown.is_empty());
                    return;
                };
                let ahead = matches!(&self.cursor, Cursor::After(id) if id.epoch == EPOCH);
                let reason = if ahead {
                    GapReason::Ahead
                } else {
                    GapReason::Epoch
                };
                assert_eq!(gap.reason, reason);
                assert_eq!(gap.requested, self.cursor.to_string());
                0
            }
        };
        let mut live = 0;
        let mut ended = false;
        for (at, shown) in self.shown.iter().enumerate() {
            assert!(!ended, "nothing follows the end");
            match shown {
                Shown::Gap(gap) => {
                    assert!(gap.newest <= count && gap.oldest <= gap.newest + 1);
                    if at == 0 && next == 0 {
                        next = gap.oldest;
                    } else {
                        assert_eq!(gap.reason, GapReason::Evicted);
                        assert_eq!(gap.requested, format!("{EPOCH}-{}", next - 1));
                        assert!(gap.oldest > next, "a gap is a loss");
                        next = gap.oldest;
                    }
                }
                Shown::Event(seq, json) => {
                    // Between the claim and the first page the ring may have moved on: that is told too.
                    assert_eq!(*seq, next, "in order, without a hole, {:?}", self.shown);
                    assert_eq!(json, &log[usize::try_from(seq - 1).unwrap()]);
                    next += 1;
                    ended = json.contains("\"type\":\"result\"");
                }
                Shown::Live(seq) => {
                    live += 1;
                    assert_eq!(*seq, self.joined_at);
                    assert!(next > self.joined_at, "the past comes first");
                }
            }
        }
        assert!(live <= 1);
        // Who had seen the end already is shown nothing.
        let past = self.shown.is_empty() && next > count;
        assert_eq!(
            self.done,
            ended || past,
            "it ends with the end and not before"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_view_is_the_log_with_its_losses_told(
        events in 3..=8_usize,
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut ring = Ring::new(EPOCH, RingLimits { events, bytes: usize::MAX });
        let mut log: Vec<String> = Vec::new();
        let mut ended = false;
        let mut followers: Vec<Follower> = vec![Follower {
            reader: Reader::responder(Seq::FIRST),
            cursor: Cursor::Start,
            joined_at: 0,
            shown: Vec::new(),
            done: false,
            reads: 0,
        }];
        for step in steps {
            match step {
                Step::Publish | Step::End => {
                    let end = matches!(step, Step::End) && !log.is_empty();
                    let seq = log.len() as u64 + 1;
                    let made = if end { last(seq) } else { frame(seq, &format!("event {seq}")) };
                    let json = String::from_utf8(made.json().to_vec()).unwrap();
                    prop_assert_eq!(ring.push(made).is_ok(), !ended);
                    if !ended {
                        log.push(json);
                    }
                    ended |= end;
                }
                Step::Join { claim } => {
                    if followers.len() < 8 {
                        let cursor = cursor(&claim);
                        let reader = Reader::join(&cursor, EPOCH, ring.newest());
                        followers.push(Follower { reader, cursor, joined_at: ring.newest().get(), shown: Vec::new(), done: false, reads: 0 });
                    }
                }
                Step::Read { reader, budget } => {
                    if let Some(follower) = followers.get_mut(reader) {
                        follower.read(&ring, budget);
                    }
                }
                Step::Shrink => ring.shrink(0),
                Step::Hold { on } => ring.hold(on.then(|| followers[0].reader.next())),
            }
        }
        if !ended && !log.is_empty() {
            let made = last(log.len() as u64 + 1);
            log.push(String::from_utf8(made.json().to_vec()).unwrap());
            ring.push(made).unwrap();
        }
        for follower in &mut followers {
            while !log.is_empty() && !follower.done {
                let before = follower.shown.len();
                follower.read(&ring, 2);
                prop_assert!(follower.done || follower.shown.len() > before, "it makes progress");
            }
            if !log.is_empty() {
                follower.check(&log);
            }
        }
    }
}

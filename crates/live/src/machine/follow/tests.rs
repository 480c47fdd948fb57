use proptest::prelude::*;

use super::*;
use crate::frame::tests::{frame, last};

const EPOCH: Epoch = Epoch::new(10);
const OTHER: Epoch = Epoch::new(11);
const RULES: FollowRules = FollowRules {
    heartbeat: 1000,
    patience: 200,
    stash: 3,
};

fn all(follow: &mut Follow) -> Vec<Output> {
    std::iter::from_fn(|| follow.poll()).collect()
}

fn looked(frames: Vec<Frame>, newest: u64) -> Looked {
    Looked {
        epoch: EPOCH,
        oldest: Seq::FIRST,
        newest: Seq::new(newest),
        frames,
    }
}

fn begun(count: u64) -> Follow {
    let mut follow = Follow::new(RULES, EPOCH, None, Tick(0));
    assert_eq!(all(&mut follow), [Output::Read(1, Seq::FIRST)]);
    let frames: Vec<Frame> = (1..=count).map(|seq| frame(seq, "x")).collect();
    follow.handle(Tick(10), Input::Page(1, Some(looked(frames, count))));
    assert_eq!(all(&mut follow).len() as u64, count);
    follow
}

fn wake(follow: &mut Follow, seq: u64) -> Vec<Output> {
    follow.handle(Tick(20), Input::Wake(EPOCH, frame(seq, "x")));
    all(follow)
}

#[test]
fn a_hole_is_read_and_what_is_repeated_is_not_shown_again() {
    let mut follow = begun(2);
    assert_eq!(wake(&mut follow, 3), [Output::Show(frame(3, "x"))]);
    assert_eq!(wake(&mut follow, 3), []);
    assert_eq!(wake(&mut follow, 1), []);
    assert_eq!(wake(&mut follow, 6), [Output::Read(2, Seq::new(3))]);
    assert_eq!(wake(&mut follow, 5), []);
    let frames = (3..=5).map(|seq| frame(seq, "x")).collect();
    follow.handle(Tick(30), Input::Page(2, Some(looked(frames, 5))));
    let shown: Vec<Output> = (4..=6).map(|seq| Output::Show(frame(seq, "x"))).collect();
    assert_eq!(all(&mut follow), shown);
}

#[test]
fn a_lost_wake_up_delays_until_the_next_heartbeat_and_loses_nothing() {
    let mut follow = begun(1);
    assert_eq!(follow.deadline(), Some(Tick(1000)));
    follow.handle(Tick(1000), Input::Tick);
    assert_eq!(all(&mut follow), [Output::Read(2, Seq::new(1))]);
    // No answer: again.
    follow.handle(Tick(1100), Input::Failed(2));
    follow.handle(Tick(1199), Input::Tick);
    assert_eq!(all(&mut follow), []);
    follow.handle(Tick(1200), Input::Tick);
    assert_eq!(all(&mut follow), [Output::Read(3, Seq::new(1))]);
    let frames = vec![frame(1, "x"), last(2)];
    follow.handle(Tick(1210), Input::Page(3, Some(looked(frames, 2))));
    assert_eq!(all(&mut follow), [Output::Show(last(2)), Output::End]);
    assert_eq!((follow.is_over(), follow.deadline()), (true, None));
}

#[test]
fn a_late_page_is_not_a_loss() {
    let mut follow = begun(2);
    follow.handle(Tick(1010), Input::Tick);
    all(&mut follow);
    wake(&mut follow, 3);
    wake(&mut follow, 4);
    follow.handle(
        Tick(1020),
        Input::Page(2, Some(looked(vec![frame(2, "x")], 2))),
    );
    assert_eq!(all(&mut follow), []);
}

#[test]
fn who_was_the_owner_goes_on_after_what_it_showed() {
    let mut follow = Follow::new(RULES, EPOCH, Some(frame(4, "x")), Tick(0));
    assert_eq!(all(&mut follow), [Output::Read(1, Seq::new(4))]);
    let frames = vec![frame(4, "x"), last(5)];
    follow.handle(Tick(10), Input::Page(1, Some(looked(frames, 5))));
    assert_eq!(all(&mut follow), [Output::Show(last(5)), Output::End]);
}

#[test]
fn a_claim_is_settled_by_a_read_that_was_sent_after_it() {
    let mut follow = begun(2);
    follow.handle(Tick(20), Input::Claimed);
    assert_eq!(all(&mut follow), [Output::Read(2, Seq::new(2))]);
    let claimed = follow.reads();
    follow.handle(Tick(30), Input::Claimed);
    assert_eq!((claimed, follow.answered()), (2, 1));
    assert_eq!(all(&mut follow), []);
    let page = looked(vec![frame(2, "x")], 2);
    follow.handle(Tick(40), Input::Page(2, Some(page)));
    assert_eq!(all(&mut follow), [Output::Read(3, Seq::new(2))]);
}

#[test]
fn a_store_that_lost_what_was_shown_begins_a_new_numbering() {
    let shorter = looked(vec![], 1);
    let different = looked(vec![frame(2, "other bytes")], 3);
    for page in [shorter, different] {
        let mut follow = begun(2);
        follow.handle(Tick(1010), Input::Tick);
        all(&mut follow);
        follow.handle(Tick(1020), Input::Page(2, Some(page.clone())));
        assert_eq!(all(&mut follow), [Output::Restart(EPOCH)]);
        assert_eq!(wake(&mut follow, 3), [Output::Read(3, Seq::new(2))]);
        follow.handle(Tick(1030), Input::Page(3, Some(page)));
        assert_eq!(all(&mut follow), [Output::Restart(EPOCH)]);
        follow.handle(Tick(2020), Input::Tick);
        assert_eq!(all(&mut follow), [Output::Read(4, Seq::new(2))]);
        let fresh = Looked {
            epoch: OTHER,
            ..looked(vec![frame(1, "y")], 1)
        };
        follow.handle(Tick(2030), Input::Page(4, Some(fresh)));
        let began = [
            Output::Began(OTHER, Seq::FIRST),
            Output::Show(frame(1, "y")),
        ];
        assert_eq!(all(&mut follow), began);
        assert_eq!(follow.epoch(), OTHER);
    }
}

#[test]
fn what_was_trimmed_is_told_and_gone_is_gone() {
    let mut follow = begun(2);
    follow.handle(Tick(1010), Input::Tick);
    all(&mut follow);
    let trimmed = Looked {
        oldest: Seq::new(5),
        ..looked(vec![frame(5, "x")], 5)
    };
    follow.handle(Tick(1020), Input::Page(2, Some(trimmed)));
    let told = [
        Output::Trimmed(Seq::new(3), Seq::new(4)),
        Output::Show(frame(5, "x")),
    ];
    assert_eq!(all(&mut follow), told);
    follow.handle(Tick(2020), Input::Tick);
    all(&mut follow);
    follow.handle(Tick(2030), Input::Page(3, None));
    assert_eq!(all(&mut follow), [Output::Gone]);
}

proptest! {
    /// Wake-ups in any order, lost and repeated; pages late, lost and trimmed: the log in order, its holes exactly those told.
    #[test]
    fn what_is_shown_is_the_log_with_its_losses_told(
        steps in prop::collection::vec((0..300_u64, 0..8_u8, 0..6_u64), 1..150),
    ) {
        let mut follow = Follow::new(RULES, EPOCH, None, Tick(0));
        let (mut now, mut newest, mut oldest, mut expected) = (0, 0_u64, 1_u64, 1_u64);
        let mut asked: Option<(u64, Seq)> = None;
        let settle = (0..40).map(|_| (300, 7, 0));
        let count = steps.len();
        for (at, (wait, what, which)) in steps.into_iter().chain(settle).enumerate() {
            now += wait;
            let ended = at >= count;
            if at == count {
                newest += 1;
            }
            let made = |seq: u64| if ended && seq == newest { last(seq) } else { frame(seq, "x") };
            match what {
                0..=2 if !ended => newest += 1,
                3 | 4 => {
                    // Any of the last ones, in any order.
                    let seq = newest.saturating_sub(which);
                    if seq >= oldest {
                        follow.handle(Tick(now), Input::Wake(EPOCH, made(seq)));
                    }
                }
                5 => oldest = oldest.max(newest.saturating_sub(which)).max(1),
                6 => asked = None,
                _ => {
                    if let Some((number, from)) = asked.take() {
                        let from = from.get().max(oldest);
                        let frames = (from..=newest.min(from + 3)).map(made).collect();
                        let page = Looked { oldest: Seq::new(oldest), ..looked(frames, newest) };
                        follow.handle(Tick(now), Input::Page(number, Some(page)));
                    }
                }
            }
            follow.handle(Tick(now), Input::Tick);
            while let Some(output) = follow.poll() {
                match output {
                    Output::Read(number, from) => asked = Some((number, from)),
                    Output::Show(frame) => {
                        prop_assert_eq!(frame.seq().get(), expected);
                        expected += 1;
                    }
                    Output::Trimmed(from, to) => {
                        prop_assert_eq!(from.get(), expected);
                        prop_assert!(to.get() < oldest);
                        expected = to.get() + 1;
                    }
                    Output::End => {}
                    Output::Restart(_) | Output::Began(..) | Output::Gone => prop_assert!(false, "{:?}", output),
                }
            }
        }
        prop_assert!(follow.is_over());
        prop_assert_eq!(expected, newest + 1);
    }
}

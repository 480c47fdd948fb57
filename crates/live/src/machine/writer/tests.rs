use proptest::prelude::*;

use super::*;
use crate::frame::tests::{frame, last};

const RULES: WriterRules = WriterRules {
    patience: 100,
    gone: 1000,
    when_gone: WhenGone::Wait,
    pending: 10,
    batch: 4,
};

fn writer(when_gone: WhenGone) -> Writer {
    Writer::new(WriterRules { when_gone, ..RULES }, Term::FIRST)
}

fn all(writer: &mut Writer) -> Vec<Output> {
    std::iter::from_fn(|| writer.poll()).collect()
}

fn numbers(outputs: &[Output]) -> Vec<(char, u64)> {
    let mut numbers = Vec::new();
    for output in outputs {
        match output {
            Output::Store(append) => {
                numbers.extend(append.frames.iter().map(|frame| ('s', frame.seq().get())));
            }
            Output::Show(frame) => numbers.push(('!', frame.seq().get())),
            Output::ShowUnstored(frame) => numbers.push(('?', frame.seq().get())),
            Output::Gone => numbers.push(('g', 0)),
            Output::Back => numbers.push(('b', 0)),
            Output::Stop(_) => numbers.push(('x', 0)),
        }
    }
    numbers
}

fn publish(writer: &mut Writer, now: u64, seq: u64) {
    writer.handle(Tick(now), Input::Publish(frame(seq, "x")));
}

#[test]
fn nothing_is_shown_before_it_is_acknowledged_and_what_waits_goes_together() {
    let mut writer = writer(WhenGone::Wait);
    for seq in 1..=6 {
        publish(&mut writer, 0, seq);
    }
    assert_eq!(numbers(&all(&mut writer)), [('s', 1)]);
    writer.handle(Tick(5), Input::Replied(1, Reply::Acked));
    assert_eq!(
        numbers(&all(&mut writer)),
        [('!', 1), ('s', 2), ('s', 3), ('s', 4), ('s', 5)]
    );
    writer.handle(Tick(6), Input::Replied(1, Reply::Acked));
    assert_eq!(all(&mut writer), [], "an answer counts once");
    writer.handle(Tick(9), Input::Replied(2, Reply::Acked));
    writer.handle(Tick(9), Input::Replied(3, Reply::Acked));
    assert_eq!(writer.pending(), 0);
    assert_eq!(writer.deadline(), None);
}

#[test]
fn without_an_answer_the_same_is_sent_again_and_the_bytes_decide() {
    for (stored, shown) in [(frame(1, "x"), true), (frame(1, "somebody else"), false)] {
        let mut writer = writer(WhenGone::Wait);
        publish(&mut writer, 0, 1);
        let first = all(&mut writer);
        publish(&mut writer, 10, 2);
        writer.handle(Tick(20), Input::Replied(1, Reply::Unknown));
        writer.handle(Tick(99), Input::Tick);
        assert_eq!(all(&mut writer), []);
        writer.handle(Tick(100), Input::Tick);
        assert_eq!(all(&mut writer), first, "neither more nor less");
        writer.handle(Tick(120), Input::Replied(1, Reply::Exists(vec![stored])));
        let then = numbers(&all(&mut writer));
        if shown {
            assert_eq!(then, [('!', 1), ('s', 2)]);
        } else {
            assert_eq!(then, [('x', 0)]);
            assert_eq!(writer.stopped(), Some(Stop::Fenced));
        }
    }
}

#[test]
fn when_the_store_is_gone_a_route_waits_or_goes_on() {
    let mut patient = writer(WhenGone::Wait);
    let mut hasty = writer(WhenGone::GoOn);
    for writer in [&mut patient, &mut hasty] {
        publish(writer, 0, 1);
        writer.handle(Tick(999), Input::Tick);
        all(writer);
        writer.handle(Tick(1000), Input::Tick);
    }
    assert_eq!(numbers(&all(&mut patient)), [('g', 0)]);
    assert_eq!(numbers(&all(&mut hasty)), [('g', 0), ('?', 1)]);
    publish(&mut hasty, 1001, 2);
    assert_eq!(numbers(&all(&mut hasty)), [('?', 2)]);
    hasty.handle(Tick(2000), Input::Replied(1, Reply::Acked));
    assert_eq!(numbers(&all(&mut hasty)), [('s', 2)], "shown once");
    hasty.handle(Tick(2001), Input::Replied(2, Reply::Acked));
    assert_eq!(numbers(&all(&mut hasty)), [('b', 0)]);
    publish(&mut hasty, 2002, 3);
    assert_eq!(numbers(&all(&mut hasty)), [('s', 3)]);
    for seq in 2..=11 {
        publish(&mut patient, 3000, seq);
    }
    assert_eq!(patient.stopped(), Some(Stop::Full));
}

proptest! {
    /// Requests and answers are lost, late and repeated: the log has every number once, and what was shown is in it.
    #[test]
    fn what_is_shown_is_in_the_log_and_in_its_order(
        steps in prop::collection::vec((0..60_u64, 0..6_u8), 1..200),
    ) {
        let mut writer = writer(WhenGone::Wait);
        let mut log: Vec<Frame> = Vec::new();
        let mut shown: Vec<Frame> = Vec::new();
        let mut wire: VecDeque<Append> = VecDeque::new();
        let mut back: VecDeque<(u64, Reply)> = VecDeque::new();
        let (mut now, mut seq) = (0, 0);
        let total = steps.len() as u64;
        let settle = (0..400).map(|_| (50, 4));
        for (at, (wait, what)) in steps.into_iter().chain(settle).enumerate() {
            now += wait;
            match what {
                0 if writer.pending() < 9 => {
                    seq += 1;
                    publish(&mut writer, now, seq);
                }
                1 => drop(wire.pop_front()),
                2 => drop(back.pop_front()),
                3 => {
                    let again = wire.front().cloned();
                    wire.extend(again);
                }
                _ => {}
            }
            if what >= 4
                && let Some(append) = wire.pop_front()
            {
                let first = append.frames[0].seq().get();
                let held = usize::try_from(first - 1).unwrap();
                let reply = if held < log.len() {
                    Reply::Exists(log[held..(held + append.frames.len()).min(log.len())].to_vec())
                } else {
                    prop_assert_eq!(held, log.len(), "numbers are contiguous");
                    log.extend(append.frames);
                    Reply::Acked
                };
                back.push_back((append.number, reply));
            }
            if what >= 4
                && let Some((number, reply)) = back.pop_front()
            {
                writer.handle(Tick(now), Input::Replied(number, reply));
            }
            writer.handle(Tick(now), Input::Tick);
            if at as u64 == total {
                seq += 1;
                writer.handle(Tick(now), Input::Publish(last(seq)));
            }
            for output in all(&mut writer) {
                match output {
                    Output::Store(append) => wire.push_back(append),
                    Output::Show(frame) => shown.push(frame),
                    Output::Gone | Output::Back => {}
                    Output::ShowUnstored(_) | Output::Stop(_) => prop_assert!(false, "{output:?}"),
                }
            }
            prop_assert_eq!(&log[..shown.len()], &shown[..]);
        }
        prop_assert_eq!(shown.len() as u64, seq);
    }
}

use proptest::prelude::*;

use super::*;

fn offered(
    sampler: &mut Sampler<u32>,
    now: u64,
    weight: Weight,
    event: &str,
    trace: Option<&str>,
    line: u32,
) -> Vec<u32> {
    let mut written = Vec::new();
    sampler.offer(now, weight, event, trace, line, &mut |line| {
        written.push(line);
    });
    written
}

#[test]
fn a_second_has_a_budget_for_each_event() {
    let mut sampler = Sampler::new(Budget::per_second(3));
    let mut written = 0;
    for line in 0..100 {
        written += offered(&mut sampler, 5_000, Weight::Debug, "a", None, line).len();
    }
    assert_eq!(written, 3);
    assert_eq!(
        offered(&mut sampler, 5_000, Weight::Debug, "b", None, 1),
        [1],
        "another event has its own"
    );
    assert_eq!(
        offered(&mut sampler, 6_000, Weight::Debug, "a", None, 2),
        [2],
        "and so has another second"
    );
    assert_eq!(sampler.losses(6_000).unwrap().get("a"), Some(&97));
    assert_eq!(
        sampler.losses(9_000),
        None,
        "what was said is not said again"
    );
}

#[test]
fn what_shares_a_trace_with_an_error_is_written_before_it_and_after_it() {
    let mut sampler = Sampler::new(Budget::per_second(1));
    assert_eq!(
        offered(&mut sampler, 0, Weight::Debug, "a", Some("t1"), 0),
        [0]
    );
    assert!(offered(&mut sampler, 1, Weight::Debug, "a", Some("t1"), 1).is_empty());
    assert!(offered(&mut sampler, 2, Weight::Debug, "a", Some("t2"), 2).is_empty());
    assert!(offered(&mut sampler, 3, Weight::Debug, "a", Some("t1"), 3).is_empty());
    assert_eq!(
        offered(&mut sampler, 4, Weight::Error, "boom", Some("t1"), 4),
        [1, 3, 4]
    );
    assert_eq!(
        offered(&mut sampler, 5, Weight::Debug, "a", Some("t1"), 5),
        [5],
        "its trace has failed"
    );
    assert_eq!(sampler.waiting(), 1);
    assert_eq!(
        sampler.close().get("a"),
        Some(&1),
        "the other trace did not fail"
    );
}

#[test]
fn the_buffer_and_the_names_are_bounded() {
    let budget = Budget {
        per_second: 0,
        held: 4,
        events: 2,
        traces: 2,
        ..Budget::default()
    };
    let mut sampler = Sampler::new(budget);
    for line in 0..1000 {
        let text = line.to_string();
        assert!(offered(&mut sampler, 0, Weight::Debug, &text, Some(&text), line).is_empty());
        offered(
            &mut sampler,
            0,
            Weight::Error,
            "e",
            Some(&format!("x{text}")),
            line,
        );
        assert!(sampler.waiting() <= 4 && sampler.failed.len() <= 2 && sampler.spent.len() <= 3);
    }
    let losses = sampler.losses(5000).unwrap();
    assert!(losses.len() <= 3, "{losses:?}");
    assert_eq!(losses.values().sum::<u64>(), 996);
}

proptest! {
    /// Nothing is lost in silence: what was offered was written, waits, or was counted. Errors are always written, and a debug
    /// line is written whenever its trace fails while the line can still be there.
    #[test]
    fn everything_that_was_offered_is_accounted_for(
        steps in prop::collection::vec((0_u64..400, 0_u8..3, 0_u8..4, 0_u8..5), 1..400),
        per_second in 0_u32..4,
        held in 0_usize..20,
    ) {
        let budget = Budget { per_second, held, window_ms: 2000, ..Budget::default() };
        let mut sampler = Sampler::new(budget);
        let (mut now, mut written) = (0, Vec::new());
        let mut errors = Vec::new();
        let mut by_second: BTreeMap<(u64, u8), u32> = BTreeMap::new();
        for (line, (wait, weight, event, trace)) in steps.iter().enumerate() {
            now += wait;
            let weight = [Weight::Debug, Weight::Plain, Weight::Error][usize::from(*weight)];
            let trace = (*trace > 0).then(|| trace.to_string());
            let before = written.len();
            sampler.offer(now, weight, &event.to_string(), trace.as_deref(), line, &mut |line| written.push(line));
            if weight == Weight::Error { errors.push(line); }
            if weight == Weight::Debug && trace.is_none() && written.len() > before {
                *by_second.entry((now / 1000, *event)).or_default() += 1;
            }
        }
        prop_assert!(by_second.values().all(|lines| *lines <= per_second));
        prop_assert!(errors.iter().all(|line| written.contains(line)));
        let mut once = written.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), written.len(), "no line twice");
        let lost: u64 = sampler.close().values().sum();
        prop_assert_eq!(written.len() as u64 + lost, steps.len() as u64);
    }
}

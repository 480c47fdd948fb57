//! One test per rule of a consumer.

use super::*;

const URLS: &str = r#""sse_url":"/s/events","ws_url":"/s/ws""#;

fn event(kind: &str, seq: u64, more: &str) -> Input {
    let more = if more.is_empty() {
        String::new()
    } else {
        format!(",{more}")
    };
    let json = format!(r#"{{"type":"{kind}","session_id":"s","seq":{seq},"id":"e-{seq}"{more}}}"#);
    Input::Event(Received::read(&json, None, None).unwrap())
}

fn unnumbered(kind: &str, more: &str) -> Input {
    let json = format!(r#"{{"type":"{kind}","session_id":"s"{more}}}"#);
    Input::Event(Received::read(&json, None, None).unwrap())
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A reader whose call was answered and whose session is known.
fn started(rules: Rules) -> Follow {
    let mut follow = Follow::call(rules, ms(0));
    follow.handle(ms(1), 0.0, Input::Opened);
    follow.handle(ms(2), 0.0, event("session", 1, URLS));
    assert!(matches!(follow.poll(), Some(Output::Show(_))));
    follow
}

fn drain(follow: &mut Follow) -> Vec<Output> {
    std::iter::from_fn(|| follow.poll()).collect()
}

fn outcome(outputs: &[Output]) -> Option<&Outcome> {
    outputs.iter().find_map(|output| match output {
        Output::End(outcome) => Some(outcome),
        _ => None,
    })
}

#[test]
fn result_error_and_cut_are_three_outcomes() {
    let mut follow = started(Rules::default());
    follow.handle(ms(3), 0.0, event("result", 2, r#""data": 0.10"#));
    let outputs = drain(&mut follow);
    let Some(Outcome::Result(success)) = outcome(&outputs) else {
        panic!("{outputs:?}")
    };
    assert_eq!(success.data(), "0.10", "byte for byte");
    assert!(outputs.contains(&Output::Close));

    let mut follow = started(Rules::default());
    follow.handle(
        ms(3),
        0.0,
        event(
            "error",
            2,
            r#""code":"x","message":"m","problem":{"status":422,"code":"x"}"#,
        ),
    );
    let outputs = drain(&mut follow);
    let Some(Outcome::Error(failure)) = outcome(&outputs) else {
        panic!("{outputs:?}")
    };
    assert_eq!(
        failure.problem().to_string(),
        r#"{"status":422,"code":"x"}"#
    );

    let mut follow = Follow::call(Rules::default(), ms(0));
    follow.handle(ms(1), 0.0, Input::Opened);
    follow.handle(ms(2), 0.0, Input::Lost("end".to_owned()));
    let outputs = drain(&mut follow);
    assert_eq!(
        outcome(&outputs),
        Some(&Outcome::Cut(Cut::NoWayBack("end".to_owned())))
    );
}

#[test]
fn a_falsy_result_is_a_result() {
    for data in ["0", "false", "\"\"", "null", "[]", "{}"] {
        let mut follow = started(Rules::default());
        follow.handle(ms(3), 0.0, event("result", 2, &format!("\"data\":{data}")));
        match outcome(&drain(&mut follow)) {
            Some(Outcome::Result(success)) => assert_eq!(success.data(), data),
            other => panic!("{data}: {other:?}"),
        }
    }
}

#[test]
fn nothing_counts_after_the_end() {
    let mut follow = started(Rules::default());
    follow.handle(ms(3), 0.0, event("result", 2, r#""data":1"#));
    drain(&mut follow);
    for late in [
        event("error", 3, ""),
        event("result", 4, ""),
        Input::Lost("x".to_owned()),
        Input::Tick,
    ] {
        follow.handle(ms(60_000), 0.0, late);
        assert_eq!(drain(&mut follow), []);
    }
    assert_eq!(follow.deadline(), None);
}

#[test]
fn waits_double_from_half_a_second_to_five_and_are_spread() {
    let rules = Rules::default();
    let full: Vec<u64> = (1..=6)
        .map(|attempt| rules.wait(attempt, 1.0).as_millis().try_into().unwrap())
        .collect();
    assert_eq!(full, [500, 1000, 2000, 4000, 5000, 5000]);
    for attempt in 1..40 {
        let (least, most) = (rules.wait(attempt, 0.0), rules.wait(attempt, 1.0));
        assert_eq!(least * 2, most, "attempt {attempt}");
        assert!(rules.wait(attempt, 0.5) > least && most <= ms(5000));
    }
}

#[test]
fn a_lost_reader_comes_back_after_the_last_event_it_saw() {
    for (channel, url) in [
        (Channel::Sse, "/s/events"),
        (Channel::Ndjson, "/s/events"),
        (Channel::WebSocket, "/s/ws"),
    ] {
        let mut follow = started(Rules {
            channel,
            ..Rules::default()
        });
        follow.handle(ms(10), 0.0, event("status", 2, ""));
        drain(&mut follow);
        follow.handle(ms(20), 1.0, Input::Lost("reset".to_owned()));
        assert_eq!(follow.deadline(), Some(ms(520)));
        follow.handle(ms(519), 0.0, Input::Tick);
        assert!(matches!(
            drain(&mut follow).as_slice(),
            [Output::Tell(Notice::Waiting { attempt: 1, .. })]
        ));
        follow.handle(ms(520), 0.0, Input::Tick);
        let expected = Opening {
            channel,
            url: url.to_owned(),
            since: Some("e-2".to_owned()),
        };
        assert_eq!(drain(&mut follow), [Output::Open(expected)]);
    }
}

#[test]
fn attempts_that_bring_nothing_count_and_one_that_brings_an_event_starts_again() {
    let mut follow = started(Rules {
        attempts: 3,
        ..Rules::default()
    });
    let mut now = ms(10);
    let mut waits = Vec::new();
    for round in 0..2 {
        for _ in 0..3 {
            follow.handle(now, 1.0, Input::Lost("refused".to_owned()));
            let wait = follow.deadline().unwrap().checked_sub(now).unwrap();
            waits.push(wait.as_millis());
            now = follow.deadline().unwrap();
            follow.handle(now, 1.0, Input::Tick);
            follow.handle(now, 1.0, Input::Opened);
        }
        follow.handle(now, 1.0, event("status", 2 + round, ""));
    }
    assert_eq!(waits, [500, 1000, 2000, 500, 1000, 2000]);
    drain(&mut follow);
    for _ in 0..4 {
        follow.handle(now, 1.0, Input::Lost("refused".to_owned()));
        if let Some(until) = follow.deadline() {
            now = until;
        }
        follow.handle(now, 1.0, Input::Tick);
    }
    assert_eq!(
        outcome(&drain(&mut follow)),
        Some(&Outcome::Cut(Cut::GaveUp(3)))
    );
}

#[test]
fn the_window_is_two_and_a_half_intervals() {
    let second = Rules {
        interval: Duration::from_secs(1),
        ..Rules::default()
    };
    assert_eq!(second.window(), ms(2500));
    let mut follow = started(second);
    follow.handle(ms(2400), 0.0, Input::Alive);
    follow.handle(ms(4899), 0.0, Input::Tick);
    assert_eq!(drain(&mut follow), []);
    follow.handle(ms(4900), 0.0, Input::Tick);
    assert!(matches!(
        drain(&mut follow).as_slice(),
        [Output::Close, Output::Tell(Notice::Waiting { .. })]
    ));
    // What the connection says after it was given up does not count.
    follow.handle(ms(4901), 0.0, event("result", 2, r#""data":1"#));
    assert_eq!(drain(&mut follow), []);
}

#[test]
fn a_session_says_how_often_it_gives_a_sign_of_life() {
    let mut follow = Follow::call(Rules::default(), ms(0));
    assert_eq!(
        follow.deadline(),
        None,
        "a call may take as long as it takes to answer"
    );
    follow.handle(ms(0), 0.0, Input::Opened);
    assert_eq!(follow.deadline(), Some(ms(37_500)));
    follow.handle(
        ms(0),
        0.0,
        event("session", 1, &format!(r#"{URLS},"heartbeat_ms":1000"#)),
    );
    assert_eq!(follow.deadline(), Some(ms(2500)));
}

#[test]
fn an_event_is_shown_once() {
    let mut follow = started(Rules::default());
    for seq in [2, 1, 2, 3, 2, 3] {
        follow.handle(ms(5), 0.0, event("status", seq, ""));
    }
    let shown: Vec<u64> = drain(&mut follow)
        .iter()
        .filter_map(|output| match output {
            Output::Show(event) => event.seq(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(shown, [2, 3]);
}

#[test]
fn heartbeats_are_shown_each_time_and_move_no_cursor() {
    let mut follow = started(Rules::default());
    for _ in 0..2 {
        follow.handle(
            ms(5),
            0.0,
            unnumbered("status", r#","message":"heartbeat","last_seq":1"#),
        );
    }
    assert_eq!(drain(&mut follow).len(), 2);
    assert_eq!(follow.cursor().as_deref(), Some("e-1"));
}

#[test]
fn a_gap_is_told_and_a_hole_nobody_told_of_too() {
    let mut follow = started(Rules::default());
    follow.handle(
        ms(5),
        0.0,
        unnumbered(
            "gap",
            r#","requested":"e-1","oldest":7,"newest":9,"reason":"evicted""#,
        ),
    );
    follow.handle(ms(5), 0.0, event("status", 7, ""));
    let outputs = drain(&mut follow);
    let gap = Notice::Gap {
        requested: Some("e-1".to_owned()),
        oldest: Some(7),
        reason: "evicted".to_owned(),
    };
    assert!(outputs.contains(&Output::Tell(gap)), "{outputs:?}");
    assert!(
        !outputs
            .iter()
            .any(|output| matches!(output, Output::Tell(Notice::Hole { .. })))
    );
    follow.handle(ms(6), 0.0, event("status", 10, ""));
    assert_eq!(
        drain(&mut follow).first(),
        Some(&Output::Tell(Notice::Hole { from: 8, to: 9 }))
    );
}

#[test]
fn a_new_epoch_is_told_and_its_numbers_count_from_the_start() {
    let mut follow = started(Rules::default());
    follow.handle(ms(3), 0.0, event("status", 9, ""));
    drain(&mut follow);
    let json = r#"{"type":"status","session_id":"s","seq":2,"id":"f-2"}"#;
    follow.handle(
        ms(5),
        0.0,
        Input::Event(Received::read(json, None, None).unwrap()),
    );
    let outputs = drain(&mut follow);
    let told = Notice::Epoch {
        from: "e".to_owned(),
        to: "f".to_owned(),
    };
    assert_eq!(outputs.first(), Some(&Output::Tell(told)));
    assert!(matches!(outputs.get(1), Some(Output::Show(_))));
    assert_eq!(follow.cursor().as_deref(), Some("f-2"));
}

#[test]
fn the_answers_204_and_404_are_final_and_a_busy_server_is_asked_again() {
    let cases = [
        (204, Some(Cut::Over)),
        (404, Some(Cut::Gone)),
        (410, Some(Cut::Gone)),
        (401, Some(Cut::Refused(401))),
        (429, None),
        (503, None),
    ];
    for (status, cut) in cases {
        let mut follow = started(Rules::default());
        follow.handle(ms(5), 0.0, Input::Lost("reset".to_owned()));
        follow.handle(ms(600), 0.0, Input::Tick);
        drain(&mut follow);
        follow.handle(ms(601), 0.0, Input::Answered(status, String::new()));
        let outputs = drain(&mut follow);
        assert_eq!(
            outcome(&outputs),
            cut.map(Outcome::Cut).as_ref(),
            "{status}"
        );
        let waits = outputs
            .iter()
            .any(|output| matches!(output, Output::Tell(Notice::Waiting { attempt: 2, .. })));
        assert_eq!(waits, matches!(status, 429 | 503), "{status}");
    }
}

#[test]
fn an_answer_without_a_stream_is_an_outcome_too() {
    let answered = |status, body: &str| {
        let mut follow = Follow::call(Rules::default(), ms(0));
        follow.handle(ms(1), 0.0, Input::Answered(status, body.to_owned()));
        outcome(&drain(&mut follow)).cloned()
    };
    assert!(
        matches!(answered(200, "{\"id\":1}"), Some(Outcome::Result(success)) if success.data() == "{\"id\":1}")
    );
    assert!(
        matches!(answered(204, ""), Some(Outcome::Result(success)) if success.data() == "null")
    );
    for (body, code) in [(r#"{"status":422,"code":"bad"}"#, "bad"), ("oops", "")] {
        let Some(Outcome::Error(failure)) = answered(422, body) else {
            panic!("{body}")
        };
        assert_eq!(
            failure.problem().status().map(aon::Status::as_u16),
            Some(422)
        );
        assert_eq!(failure.problem().code().map_or("", aon::Code::as_str), code);
    }
}

#[test]
fn done_closes_a_stream_that_is_not_a_session_and_no_other() {
    let mut follow = started(Rules::default());
    follow.handle(ms(3), 0.0, event("done", 2, r#""reason":"x""#));
    assert_eq!(outcome(&drain(&mut follow)), None);
    let mut follow = Follow::call(Rules::default(), ms(0));
    follow.handle(ms(1), 0.0, Input::Opened);
    let done = Received::read(r#"{"reason":"final"}"#, None, Some("done")).unwrap();
    follow.handle(ms(2), 0.0, Input::Event(done));
    assert!(matches!(
        outcome(&drain(&mut follow)),
        Some(Outcome::Result(_))
    ));
}

#[test]
fn a_stream_that_names_no_session_goes_on_where_it_was_read() {
    let mut follow = Follow::call(Rules::default(), ms(0))
        .with_fallback(Channel::Sse, "http://h/events".to_owned());
    follow.handle(ms(1), 0.0, Input::Opened);
    let log = Received::read(r#"{"level":"info"}"#, Some("x-4"), Some("log")).unwrap();
    follow.handle(ms(2), 0.0, Input::Event(log));
    follow.handle(ms(3), 1.0, Input::Lost("reset".to_owned()));
    follow.handle(ms(503), 0.0, Input::Tick);
    let outputs = drain(&mut follow);
    let Some(Output::Open(opening)) = outputs.last() else {
        panic!("{outputs:?}")
    };
    assert_eq!(
        (opening.url.as_str(), opening.since.as_deref()),
        ("http://h/events", Some("x-4"))
    );
}

#[test]
fn a_server_may_ask_for_a_longer_first_wait_but_not_for_more_than_the_longest() {
    let mut follow = started(Rules::default());
    follow.handle(ms(5), 0.0, Input::Retry(ms(1000)));
    follow.handle(ms(10), 1.0, Input::Lost("x".to_owned()));
    assert_eq!(follow.deadline(), Some(ms(1010)));
    let mut follow = started(Rules::default());
    follow.handle(ms(5), 0.0, Input::Retry(ms(3_600_000)));
    follow.handle(ms(10), 1.0, Input::Lost("x".to_owned()));
    assert_eq!(follow.deadline(), Some(ms(5010)));
}

#[test]
fn a_ticket_for_the_way_back_replaces_the_one_that_was_used_and_is_not_shown() {
    let url = "/s/events?ticket=old&x=1".to_owned();
    let mut follow = Follow::session(Rules::default(), Channel::Sse, url, None, ms(0));
    drain(&mut follow);
    follow.handle(ms(1), 0.0, Input::Opened);
    follow.handle(ms(2), 0.0, unnumbered("ticket", r#","ticket":"new""#));
    assert_eq!(drain(&mut follow), []);
    follow.handle(ms(3), 1.0, Input::Lost("reset".to_owned()));
    follow.handle(ms(600), 0.0, Input::Tick);
    let outputs = drain(&mut follow);
    let Some(Output::Open(opening)) = outputs.last() else {
        panic!("{outputs:?}")
    };
    assert_eq!(opening.url, "/s/events?x=1&ticket=new");
}

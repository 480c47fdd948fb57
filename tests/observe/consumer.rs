//! The rules of whoever reads a stream, one test each: how to come back, when to give up on silence, answers once, the end.

use std::time::{Duration, Instant};

use aon_live::client::{Channel, Follow, Input, Output, Received, Request, Rules, Step};
use serde_json::json;
use tutor::follow::{Notebook, rules};

use crate::support::{Lesson, send, until};

fn read(json: &str) -> Received {
    Received::read(json, None, None).expect("an event")
}

fn drain(follow: &mut Follow) -> Vec<Output> {
    std::iter::from_fn(|| follow.poll()).collect()
}

#[test]
fn a_reader_comes_back_after_half_a_second_doubling_to_five() {
    let waits: Vec<u64> = (1..=7)
        .map(|attempt| Rules::default().wait(attempt, 1.0).as_millis() as u64)
        .collect();
    assert_eq!(waits, [500, 1000, 2000, 4000, 5000, 5000, 5000]);
    // The machine of the client waits as long as the rules say.
    let mut follow = Follow::session(
        rules(),
        Channel::Sse,
        "http://x/events".to_owned(),
        None,
        Duration::ZERO,
    );
    drain(&mut follow);
    let (mut now, mut seen) = (Duration::ZERO, Vec::new());
    for _ in 0..6 {
        follow.handle(now, 1.0, Input::Lost("cut".to_owned()));
        drain(&mut follow);
        let due = follow.deadline().expect("it comes back");
        seen.push((due - now).as_millis() as u64);
        now = due;
        follow.handle(now, 1.0, Input::Tick);
        assert!(
            drain(&mut follow)
                .iter()
                .any(|output| matches!(output, Output::Open(_)))
        );
    }
    assert_eq!(seen, [500, 1000, 2000, 4000, 5000, 5000]);
}

#[test]
fn two_and_a_half_seconds_of_silence_are_a_dead_connection() {
    assert_eq!(rules().window(), Duration::from_millis(2500));
    let mut follow = Follow::session(
        rules(),
        Channel::Sse,
        "http://x/events".to_owned(),
        None,
        Duration::ZERO,
    );
    drain(&mut follow);
    follow.handle(Duration::ZERO, 0.0, Input::Opened);
    drain(&mut follow);
    follow.handle(Duration::from_millis(2400), 0.0, Input::Tick);
    assert!(!drain(&mut follow).contains(&Output::Close));
    follow.handle(
        Duration::from_millis(2400),
        0.0,
        Input::Event(read(r#"{"type":"heartbeat","ts":1,"uptimeMs":1}"#)),
    );
    follow.handle(Duration::from_millis(4800), 0.0, Input::Tick);
    assert!(
        !drain(&mut follow).contains(&Output::Close),
        "a heartbeat counts"
    );
    follow.handle(Duration::from_millis(5000), 0.0, Input::Tick);
    assert!(drain(&mut follow).contains(&Output::Close));
}

#[tokio::test]
async fn heartbeats_come_at_once_and_each_second() {
    let lesson = tokio::task::spawn_blocking(|| Lesson::start(Duration::from_millis(900)))
        .await
        .unwrap();
    let id = lesson.begin();
    let url = format!("http://127.0.0.1:{}/aon/sessions/{id}/events", lesson.port);
    let mut rules = rules();
    rules.channel = Channel::Sse;
    let mut tail = Request::get(&url).unwrap().rules(rules).send();
    let (start, mut beats) = (Instant::now(), Vec::new());
    while beats.len() < 4 {
        match tail.next().await {
            Step::Event(event) if event.kind() == "heartbeat" => {
                assert!(
                    event.member::<u64>("ts").is_some()
                        && event.member::<u64>("uptimeMs").is_some()
                );
                beats.push(start.elapsed());
            }
            Step::End(_) => break,
            _ => {}
        }
    }
    assert!(
        beats.len() >= 3 && beats[0] < Duration::from_millis(800),
        "{beats:?}"
    );
    assert!(
        beats
            .windows(2)
            .all(|two| two[1] - two[0] < Duration::from_millis(2500)),
        "{beats:?}"
    );
    tokio::task::spawn_blocking(move || drop(lesson))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_insert_that_comes_twice_is_shown_once_and_done_ends_it_with_the_offset_kept() {
    let lesson = tokio::task::spawn_blocking(|| Lesson::start(Duration::from_millis(200)))
        .await
        .unwrap();
    let id = lesson.begin();
    let ask = |text: &str| {
        lesson
            .ask(
                &id,
                json!({"text": text, "questionId": "q-1", "forceRoute": "CHAT_NOW"}),
            )
            .0
    };
    assert_eq!((ask("What is a ring?"), ask("What is a ring?")), (200, 200));
    let url = format!("http://127.0.0.1:{}/aon/sessions/{id}/events", lesson.port);
    let mut tail = Request::get(&url).unwrap().rules(rules()).send();
    let (mut notebook, mut inserts) = (Notebook::default(), 0);
    loop {
        match tail.next().await {
            Step::Event(event) => {
                inserts += usize::from(event.kind() == "insert");
                if !notebook.take(&event) {
                    break;
                }
            }
            Step::End(outcome) => panic!("the end before done: {outcome:?}"),
            _ => {}
        }
    }
    assert_eq!(inserts, 2, "the server said it twice");
    assert_eq!(notebook.answers.len(), 1, "the reader shows it once");
    assert_eq!(
        (notebook.done.as_deref(), notebook.lessons.len()),
        (Some("completed"), 4)
    );
    let offset = notebook.offset.clone().expect("an offset");
    // Whoever comes back with it gets what follows, and nothing twice.
    let lines = "accept: application/x-ndjson\r\n";
    let path = format!("/aon/sessions/{id}/events?last_event_id={offset}");
    let rest = tokio::task::spawn_blocking({
        let port = lesson.port;
        move || {
            until("the end", || {
                let rest = send(port, "GET", &path, lines, "").body;
                rest.contains("\"type\":\"result\"").then_some(rest)
            })
        }
    })
    .await
    .unwrap();
    assert!(
        !rest.contains("\"lesson\"") && !rest.contains("\"insert\"") && !rest.contains("\"done\""),
        "{rest}"
    );
    tokio::task::spawn_blocking(move || drop(lesson))
        .await
        .unwrap();
}

//! What every reader saw, what the log held afterwards, what was done: and a checker over all of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use aon_tests::place::say;
use serde_json::Value;

/// What one reader of a session saw, in the order in which it saw it, over all its connections.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub session: String,
    pub events: Vec<Value>,
    /// Whether it saw the end.
    pub ended: bool,
}

#[derive(Clone, Default)]
pub struct History(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    views: Vec<View>,
    /// The log of a session as a node read it at the end.
    logs: BTreeMap<String, Vec<Value>>,
    /// Answers that were accepted: by session and question, how often.
    accepted: BTreeMap<(String, String), usize>,
}

/// What the checker counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub shown_but_missing: usize,
    pub duplicates: usize,
    pub order_broken: usize,
    pub without_an_end: usize,
    pub answers_applied_twice: usize,
}

impl History {
    pub fn saw(&self, view: View) {
        self.0.lock().unwrap().views.push(view);
    }

    pub fn log(&self, session: &str, events: Vec<Value>) {
        self.0
            .lock()
            .unwrap()
            .logs
            .insert(session.to_owned(), events);
    }

    /// The sender of an answer was told that it was accepted.
    pub fn accepted(&self, session: &str, question: &str) {
        let mut all = self.0.lock().unwrap();
        *all.accepted
            .entry((session.to_owned(), question.to_owned()))
            .or_default() += 1;
    }

    /// Sessions whose log was not read yet: a log is kept for a while only.
    pub fn sessions(&self) -> Vec<String> {
        let all = self.0.lock().unwrap();
        let mut sessions: Vec<String> = all.views.iter().map(|view| view.session.clone()).collect();
        sessions.retain(|session| !all.logs.contains_key(session));
        sessions.sort();
        sessions.dedup();
        sessions
    }

    /// Goes through everything.
    pub fn check(&self, accident: &str, rounds: usize) -> Verdict {
        let all = self.0.lock().unwrap();
        let mut verdict = Verdict::default();
        let mut seen = 0;
        for view in &all.views {
            let log = all.logs.get(&view.session);
            let kept: BTreeMap<u64, &Value> = log
                .into_iter()
                .flatten()
                .filter_map(|event| Some((event["seq"].as_u64()?, event)))
                .collect();
            let mut last = 0;
            for event in &view.events {
                let Some(seq) = event["seq"].as_u64() else {
                    continue;
                };
                seen += 1;
                if seq == last {
                    verdict.duplicates += 1;
                } else if seq != last + 1 {
                    say(&format!("order: {} has {seq} after {last}", view.session));
                    verdict.order_broken += 1;
                }
                last = last.max(seq);
                if kept.get(&seq) != Some(&event) {
                    say(&format!(
                        "missing: {} showed {event}, the log has {:?}",
                        view.session,
                        kept.get(&seq)
                    ));
                    verdict.shown_but_missing += 1;
                }
            }
            let terminal =
                |event: &Value| matches!(event["type"].as_str(), Some("result" | "error"));
            let log_ended = log.is_some_and(|log| log.last().is_some_and(terminal));
            if !view.ended || !log_ended {
                say(&format!(
                    "no end: {} ({} events seen, {} in the log, the last {:?})",
                    view.session,
                    view.events.len(),
                    kept.len(),
                    log.and_then(|log| log.last())
                ));
                verdict.without_an_end += 1;
            }
        }
        // In the log an answer is accepted once per question and consumed once.
        for (session, log) in &all.logs {
            let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for event in log
                .iter()
                .filter(|event| event["type"] == "interactive_healing_result")
            {
                let id = event["request_id"].as_str().unwrap_or_default();
                let outcome = event["outcome"].as_str().unwrap_or_default();
                *counts.entry((id, outcome)).or_default() += 1;
            }
            let twice = counts.values().filter(|count| **count > 1).count();
            verdict.answers_applied_twice += twice;
            // Whoever was told that an answer was accepted finds it in the log.
            for ((of, question), _) in all.accepted.iter().filter(|((of, _), _)| of == session) {
                if !counts.contains_key(&(question.as_str(), "accepted")) {
                    say(&format!("accepted and lost: {of} {question}"));
                    verdict.shown_but_missing += 1;
                }
            }
        }
        say(&format!(
            "count: {accident}: {rounds} rounds, {} sessions, {} readers, {seen} events seen, {} answers accepted; \
             shown but missing {}, duplicates {}, order broken {}, without an end {}, answers applied twice {}",
            all.logs.len(),
            all.views.len(),
            all.accepted.len(),
            verdict.shown_but_missing,
            verdict.duplicates,
            verdict.order_broken,
            verdict.without_an_end,
            verdict.answers_applied_twice,
        ));
        assert!(
            seen > 0 && !all.logs.is_empty(),
            "a run that saw nothing proves nothing"
        );
        verdict
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let event = |seq: u64, kind: &str| serde_json::json!({"seq": seq, "type": kind});
    let log = vec![event(1, "session"), event(2, "status"), event(3, "result")];
    let verdict = |events: Vec<Value>, ended: bool, log: &[Value]| {
        let history = History::default();
        history.saw(View {
            session: "s".to_owned(),
            events,
            ended,
        });
        history.log("s", log.to_vec());
        history.check("a planted mistake", 1)
    };
    assert_eq!(verdict(log.clone(), true, &log), Verdict::default());
    let lost = verdict(log.clone(), true, &log[..2]);
    assert_eq!((lost.shown_but_missing, lost.without_an_end), (1, 1));
    let twice = vec![
        event(1, "session"),
        event(1, "session"),
        event(2, "status"),
        event(3, "result"),
    ];
    assert_eq!(verdict(twice, true, &log).duplicates, 1);
    let hole = vec![event(1, "session"), event(3, "result")];
    assert_eq!(verdict(hole, true, &log).order_broken, 1);
    assert_eq!(verdict(log[..2].to_vec(), false, &log).without_an_end, 1);
}

//! Steps without a server: strategies in order, one key for all attempts, and nothing left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use aon::{Code, Failure, ProblemDetails, Status};
use aon_live::Session;
use aon_live::heal::{
    Answer, Ask, Asker, Asking, Backoff, Breaker, Correct, Failed, Fallback, Question, Refresh,
    Remedy, Rename, Reply, Responder, Strategy, step,
};
use serde::Deserialize;
use serde_json::{Value, json};

fn problem(status: u16, code: &'static str) -> ProblemDetails {
    ProblemDetails::new(Status::new(status).unwrap(), Code::from_static(code))
}

fn quick(attempts: u32) -> Backoff {
    Backoff::attempts(attempts).waits(Duration::from_millis(1), Duration::from_millis(3))
}

#[derive(Debug, Deserialize, PartialEq)]
struct NewUser {
    name: String,
    email: String,
}

#[tokio::test]
async fn a_step_is_tried_again_as_often_as_it_may_with_one_key() {
    for (failures, expected) in [(0, true), (1, true), (3, true), (4, false)] {
        let mut keys = Vec::new();
        let outcome = step("fetch", json!({"n": 1}))
            .heal(quick(3))
            .run(|_: Value, attempt| {
                keys.push(attempt.idempotency_key().to_string());
                let fails = attempt.number() <= failures;
                async move {
                    if fails {
                        Err(problem(503, "busy"))
                    } else {
                        Ok(attempt.number())
                    }
                }
            })
            .await;
        assert_eq!(outcome.is_ok(), expected, "{failures}");
        assert!(keys.windows(2).all(|two| two[0] == two[1]));
        assert_eq!(keys.len(), usize::try_from(failures.min(3)).unwrap() + 1);
        if let Err(failure) = outcome {
            let told = failure.problem().to_string();
            assert!(
                told.contains(r#""tried":[{"action":"retry_with_backoff","attempt":1"#),
                "{told}"
            );
        }
    }
}

#[tokio::test]
async fn only_what_may_succeed_later_is_tried_again_and_a_wait_is_honoured() {
    for (status, runs) in [
        (400, 1),
        (401, 1),
        (404, 1),
        (409, 1),
        (422, 1),
        (500, 1),
        (501, 1),
        (429, 3),
        (503, 3),
        (504, 3),
    ] {
        let mut count = 0;
        let outcome: Result<(), Failure> = step("fetch", ())
            .heal(quick(2))
            .run(|_: Value, _| {
                count += 1;
                async move { Err(problem(status, "failing")) }
            })
            .await;
        assert!(outcome.is_err());
        assert_eq!(count, runs, "{status}");
    }
    let start = Instant::now();
    let waited = step("fetch", ())
        .heal(quick(1))
        .run(async |_: Value, attempt| match attempt.number() {
            1 => Err(problem(429, "slow_down").with_retry_after(Duration::from_secs(1))),
            _ => Ok(()),
        })
        .await;
    assert!(waited.is_ok() && start.elapsed() >= Duration::from_secs(1));
    let mut count = 0;
    let impatient: Result<(), Failure> = step("fetch", ())
        .heal(quick(5))
        .run(|_: Value, _| {
            count += 1;
            async { Err(problem(503, "busy").with_retry_after(Duration::from_secs(3600))) }
        })
        .await;
    assert!(impatient.is_err());
    assert_eq!(count, 1);
}

#[tokio::test]
async fn members_are_renamed_where_one_reading_is_possible() {
    let store = async |payload: Value| {
        step("store_user", payload)
            .heal(Rename::into::<NewUser>())
            .run(async |user: NewUser, _| Ok::<_, ProblemDetails>(user))
            .await
    };
    let user = store(json!({"name": "Ann", "mail": "a@b.c"}))
        .await
        .unwrap();
    assert_eq!(user.email, "a@b.c");
    for payload in [
        json!({"name": "Ann", "mail": "a", "e_mail": "b"}),
        json!({"name": "Ann"}),
        json!({"name": "Ann", "address": "a"}),
        json!({"name": "Ann", "mail": 5}),
    ] {
        let failure = store(payload.clone()).await.unwrap_err();
        assert_eq!(failure.status(), 422, "{payload}");
    }
}

#[tokio::test]
async fn a_wrong_value_is_corrected_by_what_the_problem_says_is_valid() {
    let run = async |given: &str| {
        step("configure", json!({"auth_ux": given}))
            .heal(Correct::new())
            .run(async |payload: Value, _| {
                let ux = payload["auth_ux"].as_str().unwrap().to_owned();
                if ["hosted", "custom"].contains(&ux.as_str()) {
                    return Ok(ux);
                }
                Err(problem(422, "invalid_auth_ux")
                    .with_valid_values("auth_ux", ["hosted", "custom"]))
            })
            .await
    };
    assert_eq!(run("Hosted").await.ok().as_deref(), Some("hosted"));
    assert_eq!(run("custm").await.ok().as_deref(), Some("custom"));
    assert!(run("magic").await.is_err());
}

#[tokio::test]
async fn a_credential_is_renewed_once_for_all_who_wait_for_it() {
    let renewals = Arc::new(AtomicU32::new(0));
    let session = Session::detached();
    let token = Arc::new(AtomicU32::new(0));
    let steps = (0..20).map(|_| {
        let (renewals, token, session) = (renewals.clone(), token.clone(), session.clone());
        async move {
            session
                .step("call", ())
                .heal(Refresh::new(|| {
                    let (renewals, token) = (renewals.clone(), token.clone());
                    async move {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        renewals.fetch_add(1, Ordering::SeqCst);
                        token.store(1, Ordering::SeqCst);
                        Ok::<(), ()>(())
                    }
                }))
                .run(|_: Value, _| {
                    let held = token.load(Ordering::SeqCst);
                    async move {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        if held == 1 {
                            Ok(())
                        } else {
                            Err(problem(401, "token_expired"))
                        }
                    }
                })
                .await
        }
    });
    let outcomes = futures_util::future::join_all(steps).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(renewals.load(Ordering::SeqCst), 1);
    // Who is refused with the new one is not helped by another.
    let mut runs = 0;
    let refused: Result<(), Failure> = session
        .step("call", ())
        .heal(Refresh::new(async || Ok::<(), ()>(())))
        .run(|_: Value, _| {
            runs += 1;
            async { Err(problem(401, "token_expired")) }
        })
        .await;
    assert!(refused.is_err());
    assert_eq!(runs, 2);
}

#[tokio::test]
async fn something_else_is_better_than_nothing() {
    let kept = step("rates", ())
        .heal(quick(1))
        .heal(Fallback::value(7))
        .run(async |_: Value, _| Err::<i32, _>(problem(503, "x")))
        .await;
    assert_eq!(kept.ok(), Some(7));
    let other = step("rates", json!({"n": 3}))
        .heal(Fallback::body(async |payload: Value| {
            Ok(payload["n"].as_i64())
        }))
        .run(async |_: Value, _| Err::<Option<i64>, _>(problem(500, "x")))
        .await;
    assert_eq!(other.ok().flatten(), Some(3));
}

#[tokio::test]
async fn a_service_that_does_not_work_is_left_alone_for_a_while() {
    let breaker = Breaker::new(3, Duration::from_millis(80));
    let mut runs = 0;
    let mut codes = Vec::new();
    for _ in 0..6 {
        let outcome: Result<(), Failure> = step("call", ())
            .through(&breaker)
            .run(|_: Value, _| {
                runs += 1;
                async { Err(problem(503, "down")) }
            })
            .await;
        codes.push(outcome.unwrap_err().problem().code().unwrap().to_string());
    }
    assert_eq!(runs, 3);
    assert_eq!(
        codes,
        [
            "down",
            "down",
            "down",
            "circuit_open",
            "circuit_open",
            "circuit_open"
        ]
    );
    tokio::time::sleep(Duration::from_millis(120)).await;
    let back = step("call", ())
        .through(&breaker)
        .run(async |_: Value, _| Ok::<_, ProblemDetails>(1))
        .await;
    assert!(back.is_ok());
    // What the caller did wrong says nothing about the service.
    for _ in 0..10 {
        let outcome: Result<(), Failure> = step("call", ())
            .through(&breaker)
            .run(async |_: Value, _| Err(problem(422, "bad")))
            .await;
        assert_eq!(outcome.unwrap_err().status(), 422);
    }
}

#[tokio::test]
async fn what_a_breaker_refused_is_not_healed() {
    let breaker = Breaker::new(2, Duration::from_secs(60));
    let outcome: Result<(), Failure> = step("call", ())
        .through(&breaker)
        .heal(quick(2))
        .run(async |_: Value, _| Err(problem(503, "down")))
        .await;
    let failure = outcome.unwrap_err();
    assert_eq!(failure.problem().code().unwrap().as_str(), "circuit_open");
    let told: Value = serde_json::from_str(&failure.problem().to_string()).unwrap();
    let outcomes: Vec<&Value> = told["healing"]["tried"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tried| &tried["outcome"])
        .collect();
    assert_eq!(outcomes, ["failed", "failed"], "{told}");
}

struct Restart {
    times: u32,
}

impl<R: Send> Strategy<R> for Restart {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        if failed.times("restart") >= usize::try_from(self.times).unwrap() {
            return Remedy::decline();
        }
        Remedy::retry("restart").because("It was restarted.")
    }
}

#[tokio::test]
async fn a_strategy_of_ones_own_is_one_method() {
    let healed = step("call", ())
        .heal(Restart { times: 2 })
        .run(async |_: Value, attempt| {
            if attempt.number() < 3 {
                Err(problem(500, "broken"))
            } else {
                Ok(())
            }
        })
        .await;
    assert!(healed.is_ok());
    // One that never gives up is stopped.
    let mut runs = 0;
    let endless: Result<(), Failure> = step("call", ())
        .heal(Restart { times: u32::MAX })
        .run(|_: Value, _| {
            runs += 1;
            async { Err(problem(500, "broken")) }
        })
        .await;
    assert!(endless.is_err());
    assert_eq!(runs, 100);
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_dropped_and_counts_as_failed() {
    struct Noted(Arc<AtomicU32>);
    impl Drop for Noted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicU32::new(0));
    let outcome: Result<(), Failure> = step("slow", ())
        .heal(quick(2))
        .time_limit(Duration::from_millis(20))
        .run(|_: Value, _| {
            let noted = Noted(dropped.clone());
            async move {
                let _noted = noted;
                std::future::pending::<Result<(), ProblemDetails>>().await
            }
        })
        .await;
    let failure = outcome.unwrap_err();
    assert_eq!(failure.problem().code().unwrap().as_str(), "step_timed_out");
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}

/// Somebody who answers what was prepared, one after the other.
struct Scripted(std::sync::Mutex<Vec<&'static str>>);

impl Asker for Scripted {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let by = Responder::new("terminal").known("ann");
            loop {
                let next = self.0.lock().unwrap().pop();
                let Some(text) = next else {
                    return std::future::pending().await;
                };
                if text == "deny" {
                    return Reply::new(Answer::Deny, by);
                }
                if let Ok(answer) = question.read(text.as_bytes(), &by) {
                    return Reply::new(answer, by);
                }
            }
        })
    }
}

#[tokio::test]
async fn a_person_is_asked_without_a_server_too() {
    let run = async |answers: Vec<&'static str>| {
        let mut answers = answers;
        answers.reverse();
        step(
            "store_user",
            json!({"name": "Ann", "email": "bad", "role": "viewer"}),
        )
        .ask(
            Ask::about(["/email"])
                .within(Duration::from_millis(200))
                .through(Scripted(answers.into())),
        )
        .run(async |user: NewUser, _| {
            if user.email.contains('@') {
                Ok(user.email)
            } else {
                Err(problem(422, "invalid_email").with_pointer("/email", None))
            }
        })
        .await
    };
    let good = r#"[{"op":"replace","path":"/email","value":"a@b.c"}]"#;
    assert_eq!(run(vec![good]).await.ok().as_deref(), Some("a@b.c"));
    let refused_first = vec![
        "nonsense",
        r#"[{"op":"replace","path":"/role","value":"admin"}]"#,
        r#"[{"op":"replace","path":"/email","value":5}]"#,
        good,
    ];
    assert_eq!(run(refused_first).await.ok().as_deref(), Some("a@b.c"));
    let again = vec![
        r#"[{"op":"replace","path":"/email","value":"still bad"}]"#,
        good,
    ];
    assert_eq!(run(again).await.ok().as_deref(), Some("a@b.c"));
    for (answers, code) in [
        (vec!["deny"], "healing_denied"),
        (vec![], "healing_timeout"),
    ] {
        let failure = run(answers).await.unwrap_err();
        assert_eq!(failure.problem().code().unwrap().as_str(), code);
        let told = failure.problem().to_string();
        assert!(
            told.contains(r#""cause":{"code":"invalid_email""#),
            "{told}"
        );
    }
}

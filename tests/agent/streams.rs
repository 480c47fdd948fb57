//! Streams: who ends them, how fast, and who waits for whom.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aon_agent::provider::Provider;
use aon_agent::worker::{Ask, Backend, Command, Echo, Tokens, Worker};
use futures_util::stream;
use serde_json::{Map, Value};

use crate::support::{refused, serve, serve_with, soon, text};

/// Tokens without end, counted, and a flag that says that nobody wants more.
#[derive(Clone, Debug, Default)]
struct Endless {
    begun: Arc<AtomicBool>,
    made: Arc<AtomicUsize>,
    dropped: Arc<AtomicBool>,
    /// Between two tokens.
    pause: Duration,
}

struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Backend for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    fn generate(&self, _: Ask) -> Tokens {
        self.begun.store(true, Ordering::SeqCst);
        self.dropped.store(false, Ordering::SeqCst);
        let (made, pause) = (Arc::clone(&self.made), self.pause);
        let flag = Flag(Arc::clone(&self.dropped));
        Box::pin(stream::unfold(flag, move |flag| {
            let made = Arc::clone(&made);
            async move {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                made.fetch_add(1, Ordering::SeqCst);
                Some((Ok("word ".to_owned()), flag))
            }
        }))
    }
}

/// Says nothing, fails, or panics.
#[derive(Clone, Copy, Debug)]
enum Bad {
    Silent,
    Failing,
    Panicking,
    PanickingAtOnce,
}

impl Backend for Bad {
    fn name(&self) -> &str {
        "bad"
    }

    fn generate(&self, _: Ask) -> Tokens {
        match self {
            Self::Silent => Box::pin(stream::pending()),
            Self::Failing => {
                let secret = "the key sk_live_4eC39HqLyjWDarjtT1zdp7dc was refused";
                let problem = aon::ProblemDetails::new(
                    aon::Status::from_static(503),
                    aon::Code::from_static("model_overloaded"),
                );
                let failure = aon::Failure::new(problem.with_detail(secret));
                Box::pin(stream::iter([Ok("one".to_owned()), Err(failure)]))
            }
            Self::Panicking => Box::pin(stream::poll_fn(|_| panic!("password=hunter2secret"))),
            Self::PanickingAtOnce => panic!("password=hunter2secret"),
        }
    }
}

fn generate(session: &str) -> String {
    format!(r#"{{"type":"generate","session_id":"{session}","prompt":"x","stream":true}}"#)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abort_from_another_connection_ends_a_stream_within_100_ms() {
    let mut slowest = Duration::ZERO;
    for pause in [0, 1, 20, 5000] {
        let endless = Endless {
            pause: Duration::from_millis(pause),
            ..Endless::default()
        };
        let worker = serve(endless.clone());
        let mut client = worker.client().await;
        let session = client.session("{}").await;
        client.send(&generate(&session)).await;
        // Else the second connection may be heard first, and then it is the one that generates.
        soon("the generator runs", || {
            endless.begun.load(Ordering::SeqCst)
        })
        .await;
        if pause < 1000 {
            client.line().await.expect("a token");
        }
        let reading = tokio::spawn(async move {
            let lines = client.rest().await;
            (lines, Instant::now())
        });
        let mut other = worker.client().await;
        let busy = other.ask(&generate(&session)).await;
        assert_eq!(busy["problem"]["code"], "session_busy");
        let mut other = worker.client().await;
        let asked = Instant::now();
        let answer = other
            .ask(&format!(r#"{{"type":"abort","session_id":"{session}"}}"#))
            .await;
        assert_eq!(
            (&answer["ok"], &answer["aborted"]),
            (&true.into(), &true.into())
        );
        let (lines, ended) = reading.await.unwrap();
        let took = ended.duration_since(asked);
        assert!(
            took < Duration::from_millis(100),
            "{took:?} with pauses of {pause} ms"
        );
        slowest = slowest.max(took);
        let last = lines.last().expect("an end");
        assert_eq!(last.to_string(), r#"{"reason":"aborted","type":"stop"}"#);
        assert_eq!(
            lines.iter().filter(|line| line["type"] != "token").count(),
            1
        );
        soon("the generator is dropped", || {
            endless.dropped.load(Ordering::SeqCst)
        })
        .await;
        // The session can be used again.
        let mut again = worker.client().await;
        again.send(&generate(&session)).await;
        if pause < 1000 {
            assert_eq!(again.line().await.unwrap()["type"], "token");
        }
    }
    aon_tests::place::say(&format!("count: the slowest of 4 aborts took {slowest:?}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abort_on_the_streaming_connection_works_too() {
    let worker = serve(Endless {
        pause: Duration::from_millis(5),
        ..Endless::default()
    });
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client.send(&generate(&session)).await;
    client.line().await.expect("a token");
    // Anything else has to wait for another connection.
    client.send(r#"{"id":9,"type":"status"}"#).await;
    loop {
        let line = client.line().await.unwrap();
        if line.get("ok").is_some() {
            refused(&line, "connection_busy");
            assert_eq!(line["id"], 9);
            break;
        }
    }
    client
        .send(&format!(r#"{{"type":"abort","session_id":"{session}"}}"#))
        .await;
    let lines = client.rest().await;
    assert_eq!(lines.last().unwrap()["reason"], "aborted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_session_ends_its_stream() {
    let worker = serve(Endless {
        pause: Duration::from_millis(5),
        ..Endless::default()
    });
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client.send(&generate(&session)).await;
    client.line().await.expect("a token");
    let mut other = worker.client().await;
    let closed = other
        .ask(&format!(
            r#"{{"type":"close_session","session_id":"{session}"}}"#
        ))
        .await;
    assert_eq!(closed["ok"], true);
    assert_eq!(client.rest().await.last().unwrap()["reason"], "closed");
    assert_eq!(other.ask(r#"{"type":"status"}"#).await["sessions"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_holds_up_its_generator_and_nobody_else() {
    let endless = Endless::default();
    let worker = serve(endless.clone());
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client.send(&generate(&session)).await;
    // The generator stands still once the socket is full.
    let mut last = usize::MAX;
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let made = endless.made.load(Ordering::SeqCst);
        if made > 0 && made == last {
            break;
        }
        last = made;
    }
    let held = endless.made.load(Ordering::SeqCst);
    assert!(
        held < 50_000,
        "{held} tokens were made for a client that reads none"
    );
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(endless.made.load(Ordering::SeqCst), held);
    // Others are served meanwhile, and an abort is not held up either.
    let mut other = worker.client().await;
    assert_eq!(other.ask(r#"{"type":"status"}"#).await["generating"], 1);
    let asked = Instant::now();
    other
        .ask(&format!(r#"{{"type":"abort","session_id":"{session}"}}"#))
        .await;
    soon("the generator is dropped", || {
        endless.dropped.load(Ordering::SeqCst)
    })
    .await;
    let took = asked.elapsed();
    assert!(took < Duration::from_millis(100), "{took:?}");
    // No line is torn: what was begun is whole, and then comes the end.
    let lines = client.rest().await;
    assert_eq!(lines.last().unwrap()["reason"], "aborted");
    assert!(lines.len() <= held + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_gone_ends_its_generation_and_one_that_only_stopped_sending_does_not() {
    for pause in [0, 10_000] {
        let endless = Endless {
            pause: Duration::from_millis(pause),
            ..Endless::default()
        };
        let worker = serve(endless.clone());
        let mut client = worker.client().await;
        let session = client.session("{}").await;
        client.send(&generate(&session)).await;
        let started = Instant::now();
        while worker.client().await.ask(r#"{"type":"status"}"#).await["generating"] != 1 {
            assert!(started.elapsed() < Duration::from_secs(5));
        }
        drop(client);
        let took = soon("the generator is dropped", || {
            endless.dropped.load(Ordering::SeqCst)
        })
        .await;
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
    let worker = serve(Echo);
    let mut client = worker.client().await;
    let session = client.session(r#"{"delay_ms":40}"#).await;
    let prompt = "one two three four five six";
    client
        .send(&format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":"{prompt}"}}"#
        ))
        .await;
    let stream = client.stream.get_mut();
    tokio::io::AsyncWriteExt::shutdown(stream).await.unwrap();
    let lines = client.rest().await;
    assert_eq!(text(&lines), prompt);
    assert_eq!(lines.last().unwrap()["type"], "stop");
}

#[tokio::test]
async fn silence_failure_and_panic_end_in_an_error_with_its_problem() {
    for (bad, code, tokens) in [
        (Bad::Silent, "timed_out", 0),
        (Bad::Failing, "model_overloaded", 1),
        (Bad::Panicking, "backend_failed", 0),
        (Bad::PanickingAtOnce, "backend_failed", 0),
    ] {
        let worker = serve_with(
            Worker::new(bad).limits(|limits| limits.operation = Duration::from_millis(200)),
        );
        let mut client = worker.client().await;
        let session = client.session("{}").await;
        client.send(&generate(&session)).await;
        let lines = client.rest().await;
        assert_eq!(lines.len(), tokens + 1, "{bad:?}: {lines:?}");
        let last = lines.last().unwrap();
        assert_eq!(
            (&last["type"], &last["problem"]["code"]),
            (&"error".into(), &code.into())
        );
        assert!(
            last["message"]
                .as_str()
                .is_some_and(|words| !words.is_empty())
        );
        let wire = last.to_string();
        assert!(
            !wire.contains("sk_live") && !wire.contains("hunter2"),
            "{wire}"
        );
        // One answer where no stream was asked for.
        let mut client = worker.client().await;
        let asked = format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":"x","stream":false}}"#
        );
        let answer = client.ask(&asked).await;
        refused(&answer, code);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_stream_at_once() {
    let worker = serve(Echo);
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..100 {
        let mut client = worker.client().await;
        clients.spawn(async move {
            let session = client.session(r#"{"delay_ms":1,"repeat":5}"#).await;
            let prompt = format!("client {number} says olá ");
            client
                .send(&format!(
                    r#"{{"type":"generate","session_id":"{session}","prompt":"{prompt}"}}"#
                ))
                .await;
            assert_eq!(text(&client.rest().await), prompt.repeat(5));
        });
    }
    let mut count = 0;
    while let Some(done) = clients.join_next().await {
        done.unwrap();
        count += 1;
    }
    assert_eq!(count, 100);
    aon_tests::place::say(&format!("count: {count} clients at once"));
}

#[tokio::test]
async fn a_worker_that_goes_down_says_so() {
    let worker = serve(Endless {
        pause: Duration::from_millis(5),
        ..Endless::default()
    });
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client.send(&generate(&session)).await;
    client.line().await.expect("a token");
    let path = worker.path.clone();
    let _folder = worker.stop().await;
    let lines = client.rest().await;
    assert_eq!(lines.last().unwrap()["problem"]["code"], "shutting_down");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_program_makes_the_tokens_and_no_character_is_torn() {
    let script =
        r#"printf ' ol\303'; sleep 0.05; printf '\241 \344'; sleep 0.05; printf '\270\226 '; cat"#;
    let worker = serve(Command::new("sh").args(["-c", script]));
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client
        .send(&format!(
            r#"{{"type":"generate","session_id":"{session}","prompt":"the prompt 😀\n"}}"#
        ))
        .await;
    let lines = client.rest().await;
    assert_eq!(text(&lines), " olá 世 the prompt 😀\n");
    assert!(lines.len() > 3, "they came as they were written: {lines:?}");
    for (program, script) in [
        ("sh", "echo password=hunter2secret >&2; exit 3"),
        ("/nowhere/program", ""),
    ] {
        let worker = serve(Command::new(program).args(["-c", script]));
        let mut client = worker.client().await;
        let session = client.session("{}").await;
        client.send(&generate(&session)).await;
        let lines = client.rest().await;
        assert_eq!(lines.last().unwrap()["problem"]["code"], "backend_failed");
        assert!(!format!("{lines:?}").contains("hunter2"));
    }
}

/// A program that leaves another one behind, which holds its output open.
#[tokio::test]
async fn a_stream_ends_with_its_program_and_so_does_what_it_left_behind() {
    let worker = serve(Command::new("sh").args(["-c", "sleep 60 & echo $!"]));
    let mut client = worker.client().await;
    let session = client.session("{}").await;
    client.send(&generate(&session)).await;
    let begun = Instant::now();
    let lines = client.rest().await;
    assert_eq!(lines.last().unwrap()["type"], "stop", "{lines:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let left = std::path::PathBuf::from(format!("/proc/{}", text(&lines).trim()));
    let state = || std::fs::read_to_string(left.join("stat")).unwrap_or_default();
    soon("what was left behind ends", || {
        !left.exists() || state().contains(") Z ")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abort_ends_the_program() {
    let worker = serve(Command::new("sh").args(["-c", "echo $$; exec sleep 60"]));
    let provider = Provider::new(&worker.path);
    let session = provider.create_session(Map::new()).await.unwrap();
    let mut stream = provider.generate(&session, "").await.unwrap();
    let pid = stream.next().await.unwrap().unwrap();
    let alive = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
    if !alive.exists() {
        aon_tests::place::say("skipped: abort of a program, there is no /proc");
        return;
    }
    provider.abort(&session).await.unwrap();
    assert_eq!(stream.next().await.unwrap(), None);
    let state = || std::fs::read_to_string(alive.join("stat")).unwrap_or_default();
    soon("the program ends", || {
        !alive.exists() || state().contains(") Z ")
    })
    .await;
}

#[tokio::test]
async fn the_provider_knows_our_worker() {
    let worker = serve(Echo);
    let provider = Provider::new(&worker.path);
    let status = provider.status().await.unwrap();
    assert!(status.running);
    assert_eq!(status.members["backend"], "echo");
    let params = Map::from_iter([("delay_ms".to_owned(), Value::from(1))]);
    let session = provider.create_session(params).await.unwrap();
    let mut stream = provider.generate(&session, " olá  世界 ").await.unwrap();
    let mut said = String::new();
    while let Some(text) = stream.next().await.unwrap() {
        said += &text;
    }
    assert_eq!(said, " olá  世界 ");
    assert_eq!(stream.next().await.unwrap(), None);
    provider.close_session(&session).await.unwrap();
    let gone = provider.close_session(&session).await.unwrap_err();
    assert_eq!(
        aon::Problem::to_problem(&gone).code().unwrap().as_str(),
        "session_not_found"
    );
    let mut refused = provider.generate(&session, "x").await.unwrap();
    let refused = refused.next().await.unwrap_err();
    assert_eq!(
        aon::Problem::to_problem(&refused)
            .status()
            .unwrap()
            .as_u16(),
        404
    );
}

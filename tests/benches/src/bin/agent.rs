//! What the agents cost: a token of the worker beside a plain line server, and signed actions beside the commits of the store.
//!
//! `agent worker [TOKENS]` and `agent southbound [ACTIONS]` print their tables; without arguments both are printed.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use aon_agent::south::Acting;
use aon_agent::south::client::HttpClient;
use aon_agent::south::config::Config;
use aon_agent::south::exec::Launcher;
use aon_agent::south::http::{BySignature, KeyRing, router};
use aon_agent::south::keep::{Book as _, FileBook};
use aon_agent::south::keys::Keys;
use aon_agent::south::ledger::{ActionKey, Limits};
use aon_agent::worker::{Ask, Backend, Tokens, Worker};
use aon_live::{Hub, Settings};
use axum::body::Body;
use futures_util::StreamExt as _;
use serde::Serialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};
use tokio::net::{UnixListener, UnixStream};
use tower::ServiceExt as _;

const ROUNDS: usize = 9;

/// Words, as fast as they are taken; or one at a time, as a model says them.
#[derive(Clone, Copy, Debug)]
struct Words {
    count: u64,
    waits: bool,
}

impl Backend for Words {
    fn name(&self) -> &str {
        "words"
    }

    fn generate(&self, _: Ask) -> Tokens {
        let Self { count, waits } = *self;
        let (mut said, mut waited) = (0, false);
        Box::pin(futures_util::stream::poll_fn(move |context| {
            if waits && !waited {
                waited = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            waited = false;
            said += 1;
            Poll::Ready((said <= count).then(|| Ok(" word".to_owned())))
        }))
    }
}

/// The least that streams tokens: a task for each connection, the same words, serde, one buffer.
async fn plain(listener: UnixListener, words: Words) {
    #[derive(Serialize)]
    struct Token<'a> {
        r#type: &'static str,
        text: &'a str,
    }
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.expect("a request");
            let asked: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            let prompt = asked["prompt"].as_str().expect("a prompt");
            let mut tokens = words.generate(Ask::new("plain", prompt));
            let mut out = BufWriter::with_capacity(16 * 1024, stream.into_inner());
            let mut bytes = Vec::new();
            while let Some(Ok(text)) = tokens.next().await {
                bytes.clear();
                serde_json::to_writer(&mut bytes, &Token { r#type: "token", text: &text }).expect("JSON");
                bytes.push(b'\n');
                out.write_all(&bytes).await.expect("sent");
                if words.waits {
                    out.flush().await.expect("sent");
                }
            }
            out.write_all(b"{\"type\":\"stop\"}\n").await.expect("sent");
            out.flush().await.expect("sent");
        });
    }
}

/// How long a stream takes, to its last line.
async fn read(path: &Path, session: &str, count: u64) -> Duration {
    let mut stream = UnixStream::connect(path).await.expect("connected");
    let asked = format!("{{\"type\":\"generate\",\"session_id\":\"{session}\",\"prompt\":\"x\"}}\n");
    let started = Instant::now();
    stream.write_all(asked.as_bytes()).await.expect("sent");
    let (mut lines, mut piece) = (0_u64, vec![0; 64 * 1024]);
    loop {
        let length = stream.read(&mut piece).await.expect("read");
        if length == 0 {
            assert_eq!(lines, count + 1);
            return started.elapsed();
        }
        lines += piece[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
}

async fn session(path: &Path) -> String {
    let mut stream = BufReader::new(UnixStream::connect(path).await.expect("connected"));
    stream.write_all(b"{\"type\":\"create_session\",\"params\":{}}\n").await.expect("sent");
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("an answer");
    let answer: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    answer["session_id"].as_str().expect("a session").to_owned()
}

async fn worker(folder: &Path, tokens: u64) {
    println!("\n| worker, {tokens} tokens | µs per token | tokens/s | a plain line server, µs | ratio (at most 1.3) |\n| --- | ---: | ---: | ---: | ---: |");
    for (name, waits, count) in [("as fast as they are read", false, tokens), ("one at a time", true, tokens / 4)] {
        let words = Words { count, waits };
        let ours = folder.join(format!("ours-{waits}.sock"));
        let socket = Worker::new(words).bind(&ours).expect("a socket");
        tokio::spawn(socket.serve(std::future::pending()));
        let theirs = folder.join(format!("plain-{waits}.sock"));
        tokio::spawn(plain(UnixListener::bind(&theirs).expect("a socket"), words));
        let id = session(&ours).await;
        let (mut best, mut ratios) = ((f64::MAX, f64::MAX), Vec::new());
        for _ in 0..ROUNDS {
            let each = |took: Duration| took.as_secs_f64() * 1e6 / count as f64;
            let (a, b) = (each(read(&ours, &id, count).await), each(read(&theirs, "plain", count).await));
            best = (best.0.min(a), best.1.min(b));
            ratios.push(a / b);
        }
        ratios.sort_by(f64::total_cmp);
        println!("| {name} | {:.3} | {:.0} | {:.3} | {:.2} |", best.0, 1e6 / best.0, best.1, ratios[ROUNDS / 2]);
    }
}

/// Runs `most` tasks, so many at once: how many there are in a second.
async fn rate<F>(most: usize, at_once: usize, work: impl Fn(usize) -> F + Send + Sync + 'static) -> f64
where
    F: Future<Output = ()> + Send,
{
    let work = Arc::new(work);
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..at_once {
        let work = Arc::clone(&work);
        tasks.spawn(async move {
            for number in (lane..most).step_by(at_once) {
                work(number).await;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("it ends");
    }
    most as f64 / begun.elapsed().as_secs_f64()
}

async fn southbound(folder: &Path, most: usize) {
    let book = |name: &str| {
        let book = FileBook::open(&folder.join(name), Limits { lines: usize::MAX, ..Limits::DEFAULT }, 0);
        Arc::new(book.expect("a store"))
    };
    let commits = |book: Arc<FileBook>, most: usize, at_once: usize| {
        rate(most, at_once, move |number| {
            let book = Arc::clone(&book);
            async move {
                let key = ActionKey::new("ops-1", number.to_string());
                book.begin(&key, &[0; 32], None, 1).await.expect("stored");
            }
        })
    };
    let mut keys = Keys::default();
    let key = keys.rotate("ops-1", [7; 40], 1);
    let text = format!(
        "[ledger]\npath = \"x\"\n[http]\nlisten = \"127.0.0.1:0\"\nkeys = \"x\"\n[[agent]]\nid = \"ops-1\"\n[policy]\nwaiting = 100000\n"
    );
    let config = Config::parse(&text).expect("a configuration");
    let hub = Hub::with(Settings::new().identify(BySignature));
    let launcher = Launcher::new("/bin/false".into(), [""; 0]);
    let acting = Acting::new(&config, book("actions.redb"), launcher, &hub, ()).expect("it acts");
    let app = router(&acting, &KeyRing::new(keys));
    let client = HttpClient::new("http://x", "ops-1", &key.id, &key.secret).expect("a client");
    let mut table = Vec::new();
    for round in 0..3 {
        let single = commits(book(&format!("single-{round}.redb")), most / 20, 1).await;
        let grouped = commits(book(&format!("grouped-{round}.redb")), most, 256).await;
        let (app, client) = (app.clone(), client.clone());
        let actions = rate(most, 256, move |number| {
            let (app, client) = (app.clone(), client.clone());
            async move {
                let push = json!({ "method": "telemetry.push", "action_id": format!("a-{round}-{number}"), "payload": {} });
                let signed = client.sign("POST", "/southbound", push.to_string().as_bytes()).expect("signed");
                let mut request = http::Request::post("/southbound").body(Body::from(signed.body)).expect("a request");
                request.headers_mut().extend(signed.headers);
                let response = app.oneshot(request).await.expect("an answer");
                assert_eq!(response.status(), 200);
            }
        });
        table.push((actions.await, single, grouped));
    }
    table.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (actions, single, grouped) = table[1];
    println!("\n| southbound, {most} actions | per second |\n| --- | ---: |");
    println!("| signed actions, 256 at once, two durable writes each | {actions:.0} |");
    println!("| commits of the store, one after the other | {single:.0} |");
    println!("| ratio (at least 0.7) | {:.2} |", actions / single);
    println!("| single writes of the store, 256 at once, committed in groups | {grouped:.0} |");
    println!("| ratio | {:.2} |", actions / grouped);
}

fn folder() -> PathBuf {
    let path = std::env::temp_dir().join(format!("aon-bench-agent-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("its mode");
    path
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (which, count) = (arguments.next(), arguments.next().and_then(|count| count.parse().ok()));
    let folder = folder();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let all: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async {
        if which.as_deref() != Some("southbound") {
            worker(&folder, count.unwrap_or(500_000)).await;
        }
        if which.as_deref() != Some("worker") {
            southbound(&folder, count.map_or(20_000, |count| count as usize)).await;
        }
    });
    runtime.block_on(all);
    std::fs::remove_dir_all(&folder).expect("removed");
}

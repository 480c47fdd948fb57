//! What a token costs beside a plain line server, in the same run.
//!
//! `AON_SPEED=1 cargo test --release -p aon-tests --test agent speed -- --nocapture` measures; without it a short run shows that both say the
//! same.

use std::path::Path;
use std::time::{Duration, Instant};

use aon_agent::worker::{Ask, Backend as _, Echo};
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter,
};
use tokio::net::{UnixListener, UnixStream};

use crate::support::{Folder, serve};

/// The least that streams tokens: one task per connection, the same generator, one buffer.
async fn plain(listener: UnixListener, repeat: u64) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            let asked: serde_json::Value = serde_json::from_str(&line).unwrap();
            let params = json!({ "repeat": repeat }).as_object().unwrap().clone();
            let prompt = asked["prompt"].as_str().unwrap();
            let mut tokens = Echo.generate(Ask::new("plain", prompt).with_params(params));
            let mut out = BufWriter::with_capacity(16 * 1024, stream.into_inner());
            while let Some(Ok(text)) = tokens.next().await {
                let mut line =
                    serde_json::to_vec(&json!({ "type": "token", "text": text })).unwrap();
                line.push(b'\n');
                out.write_all(&line).await.unwrap();
            }
            out.write_all(b"{\"type\":\"stop\"}\n").await.unwrap();
            out.flush().await.unwrap();
        });
    }
}

/// How long a stream takes, and how many lines it has.
async fn read(path: &Path, session: &str) -> (Duration, usize) {
    let mut stream = UnixStream::connect(path).await.unwrap();
    let asked =
        format!("{{\"type\":\"generate\",\"session_id\":\"{session}\",\"prompt\":\" word\"}}\n");
    let started = Instant::now();
    stream.write_all(asked.as_bytes()).await.unwrap();
    let (mut lines, mut piece) = (0, vec![0; 64 * 1024]);
    loop {
        let length = stream.read(&mut piece).await.unwrap();
        if length == 0 {
            return (started.elapsed(), lines);
        }
        lines += piece[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_costs_about_what_a_plain_line_server_takes_for_it() {
    let long = std::env::var_os("AON_SPEED").is_some();
    let repeat: u64 = if long { 500_000 } else { 5_000 };
    let worker = serve(Echo);
    let session = worker
        .client()
        .await
        .session(&json!({ "repeat": repeat }).to_string())
        .await;
    let folder = Folder::new();
    let path = folder.path().join("plain.sock");
    let server = tokio::spawn(plain(UnixListener::bind(&path).unwrap(), repeat));
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    // In turn, and the best of each: what else the machine does is in none of them.
    for _ in 0..5 {
        let (took, lines) = read(&worker.path, &session).await;
        assert_eq!(lines as u64, repeat + 1);
        ours = ours.min(took);
        let (took, lines) = read(&path, "plain").await;
        assert_eq!(lines as u64, repeat + 1);
        theirs = theirs.min(took);
    }
    server.abort();
    #[allow(clippy::cast_precision_loss, reason = "a figure for people")]
    let each = |took: Duration| took.as_secs_f64() * 1e6 / repeat as f64;
    let ratio = each(ours) / each(theirs);
    aon_tests::place::say(&format!(
        "count: {:.2} µs per token ({:.0} tokens/s), a plain line server {:.2} µs; {ratio:.2} of it{}",
        each(ours),
        1e6 / each(ours),
        each(theirs),
        if cfg!(debug_assertions) {
            ", not optimised"
        } else {
            ""
        }
    ));
    if long && !cfg!(debug_assertions) {
        assert!(ratio <= 1.3, "{ratio:.2}");
    }
}

//! Other shapes of load: many sessions with one reader each, many readers that join at once, and nobody doing anything.

use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;

use super::peers::{Kind, ask, lines, sse_url, start};
use super::server::KEPT;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Many sessions, each with the response of its request as the only reader, two events a second each.
pub fn many(sessions: usize, seconds: u64) {
    println!("\n| {sessions} sessions × 1 reader × 2 events/s | CPU µs per delivery | delivered % | KiB per session and connection |");
    println!("| --- | ---: | ---: | ---: |");
    let mut rows: Vec<(Kind, Vec<(f64, f64, f64)>)> = vec![(Kind::Floor, Vec::new()), (Kind::Ours, Vec::new())];
    for _ in 0..2 {
        for (kind, runs) in &mut rows {
            runs.push(runtime().block_on(one_of_many(*kind, sessions, seconds)));
        }
    }
    for (kind, runs) in rows {
        let best = runs.iter().map(|run| run.0).fold(f64::MAX, f64::min);
        let delivered = runs.iter().map(|run| run.1).fold(100.0, f64::min);
        println!("| {} | {best:.2} | {delivered:.1} | {:.1} |", kind.name(), runs[0].2);
    }
}

async fn one_of_many(kind: Kind, sessions: usize, seconds: u64) -> (f64, f64, f64) {
    let server = start(kind);
    let before = server.memory();
    let path = if kind.is_ours() { "publish" } else { "own" };
    let head = format!("POST /{path}/2/{seconds} HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0");
    let mut sockets = Vec::new();
    for _ in 0..sessions {
        sockets.push(ask(server.port, &head).await.0);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let memory = (server.memory() - before) / sessions as f64;
    let expected = 2 * seconds;
    let tasks: Vec<_> = sockets
        .into_iter()
        .map(|mut socket| {
            tokio::spawn(async move {
                let mut seen = 0;
                let mut buffer = vec![0; 8 * 1024];
                while seen < expected {
                    let read = tokio::time::timeout(Duration::from_secs(5), socket.read(&mut buffer)).await;
                    let Ok(Ok(length @ 1..)) = read else { break };
                    seen += lines(&buffer[..length]);
                }
                seen
            })
        })
        .collect();
    let start = server.cpu();
    drop(ask(server.port, "POST /go HTTP/1.1\r\ncontent-length: 0").await);
    let mut delivered = 0;
    for task in tasks {
        delivered += task.await.expect("a reader").min(expected);
    }
    let spent = server.cpu() - start;
    let all = (sessions as u64 * expected) as f64;
    (spent / delivered.max(1) as f64, delivered as f64 / all * 100.0, memory)
}

/// Many readers join one session at once, and each is shown all that is kept.
pub fn storm(joiners: usize) {
    println!("\n| {joiners} joiners × {KEPT} events at once | CPU µs per event | ms until all had all | delivered % |");
    println!("| --- | ---: | ---: | ---: |");
    let mut rows: Vec<(Kind, Vec<(f64, f64, f64)>)> = vec![(Kind::Floor, Vec::new()), (Kind::Ours, Vec::new())];
    for _ in 0..3 {
        for (kind, runs) in &mut rows {
            runs.push(runtime().block_on(one_storm(*kind, joiners)));
        }
    }
    for (kind, mut runs) in rows {
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let delivered = runs.iter().map(|run| run.2).fold(100.0, f64::min);
        println!("| {} | {:.3} ({:.3}–{:.3}) | {:.0} | {delivered:.1} |", kind.name(), runs[1].0, runs[0].0, runs[2].0, runs[1].1);
    }
}

async fn one_storm(kind: Kind, joiners: usize) -> (f64, f64, f64) {
    let server = start(kind);
    let mut path = "/full".to_owned();
    let mut open = None;
    if kind.is_ours() {
        let (mut socket, first) = ask(server.port, "POST /full HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0").await;
        path = sse_url(&mut socket, first).await;
        open = Some(socket);
    }
    let head = format!("GET {path} HTTP/1.1\r\naccept: text/event-stream");
    let (cpu, start) = (server.cpu(), Instant::now());
    let tasks: Vec<_> = (0..joiners)
        .map(|_| {
            let (port, head) = (server.port, head.clone());
            tokio::spawn(async move {
                let (mut socket, first) = ask(port, &head).await;
                let mut seen = lines(&first);
                let mut buffer = vec![0; 64 * 1024];
                while seen < KEPT * 4 {
                    let read = tokio::time::timeout(Duration::from_secs(5), socket.read(&mut buffer)).await;
                    let Ok(Ok(length @ 1..)) = read else { break };
                    seen += lines(&buffer[..length]);
                }
                (seen / 4).min(KEPT)
            })
        })
        .collect();
    let mut delivered = 0;
    for task in tasks {
        delivered += task.await.expect("a reader");
    }
    let (took, spent) = (start.elapsed(), server.cpu() - cpu);
    drop(open);
    let all = (joiners as u64 * KEPT) as f64;
    (spent / delivered.max(1) as f64, took.as_secs_f64() * 1e3, delivered as f64 / all * 100.0)
}

/// What a reader and a session take while nothing happens.
pub fn idle(count: usize) {
    println!("\n| {count} idle, KiB each | resident | on the heap | of it in pieces of 8 KiB |\n| --- | ---: | ---: | ---: |");
    let shapes = [("reader of one session", "/events", true), ("session with its response", "/own/1/1", false)];
    let mut pieces = Vec::new();
    for (what, floor, readers) in shapes {
        for (kind, path) in [(Kind::Floor, floor), (Kind::Ours, "/publish/1/1"), (Kind::Served, "/publish/1/1")] {
            let resident = runtime().block_on(resting(kind, path, count, readers, false)).0;
            let held = runtime().block_on(resting(kind, path, count, readers, true)).1;
            let kib = |held: &[(usize, f64)]| held.iter().map(|(size, many)| *size as f64 * many / 1024.0).sum::<f64>();
            let buffers: Vec<_> = held.iter().copied().filter(|(size, _)| *size == 8192).collect();
            println!("| {what}, {} | {resident:.1} | {:.1} | {:.1} |", kind.name(), kib(&held), kib(&buffers));
            let list: Vec<_> = held.iter().map(|(size, many)| format!("{size}{}", if *many > 1.5 { format!(" × {many:.0}") } else { String::new() })).collect();
            pieces.push(format!("{what}, {}: {}", kind.name(), list.join(", ")));
        }
    }
    println!("\nPieces of memory, in steps of 16 bytes:\n");
    pieces.iter().for_each(|line| println!("- {line}"));
}

/// KiB of resident memory for each, and what each holds on the heap, by size.
async fn resting(kind: Kind, path: &str, count: usize, readers: bool, account: bool) -> (f64, Vec<(usize, f64)>) {
    let server = start(kind);
    let mut head = format!("POST {path} HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0");
    let mut held = Vec::new();
    if readers {
        let mut events = "/events".to_owned();
        if kind.is_ours() {
            let (mut socket, first) = ask(server.port, &head).await;
            events = sse_url(&mut socket, first).await;
            held.push(socket);
        }
        head = format!("GET {events} HTTP/1.1\r\naccept: text/event-stream");
    }
    if account {
        drop(ask(server.port, "POST /account HTTP/1.1\r\ncontent-length: 0").await);
    }
    let before = server.memory();
    for _ in 0..count {
        held.push(ask(server.port, &head).await.0);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let resident = (server.memory() - before) / count as f64;
    let mut sizes = Vec::new();
    if account {
        let (_, text) = ask(server.port, "GET /account HTTP/1.1").await;
        let text = String::from_utf8_lossy(&text).into_owned();
        let json = text.split("\r\n\r\n").nth(1).unwrap_or_default();
        let all: Vec<(usize, i64)> = serde_json::from_str(json).expect("an account");
        let each = |many: i64| many as f64 / count as f64;
        sizes = all.into_iter().map(|(size, many)| (size, each(many))).filter(|(_, many)| *many > 0.5).collect();
    }
    (resident, sizes)
}

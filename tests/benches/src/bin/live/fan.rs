//! One session, many readers: what a delivery costs.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::peers::{Kind, ask, lines, sse_url, start};
use super::server::{json, paced};

struct Fan {
    cpu: f64,
    delivered: f64,
    per_read: f64,
    memory: f64,
}

/// All deliveries of one run, and what they cost the server.
async fn fan(kind: Kind, readers: usize, rate: u64, seconds: u64) -> Fan {
    let server = start(kind);
    let port = server.port;
    let mut publisher = None;
    let mut path = "/events".to_owned();
    if kind != Kind::Nchan {
        let publish = format!("POST /publish/{rate}/{seconds} HTTP/1.1\r\naccept: application/x-ndjson\r\ncontent-length: 0");
        let (mut socket, first) = ask(port, &publish).await;
        if kind.is_ours() {
            path = sse_url(&mut socket, first).await;
        }
        publisher = Some(socket);
    }
    let before = server.memory();
    let mut sockets = Vec::new();
    for _ in 0..readers {
        let (socket, _) = ask(port, &format!("GET {path} HTTP/1.1\r\naccept: text/event-stream")).await;
        sockets.push(socket);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let memory = (server.memory() - before) / readers as f64;
    let expected = rate * seconds;
    let per_event = kind.lines();
    let mut tasks = Vec::new();
    for mut socket in sockets {
        tasks.push(tokio::spawn(async move {
            let (mut seen, mut reads) = (0_u64, 0_u64);
            let mut buffer = vec![0; 32 * 1024];
            while seen < expected * per_event {
                let read = tokio::time::timeout(Duration::from_secs(5), socket.read(&mut buffer)).await;
                let Ok(Ok(length @ 1..)) = read else { break };
                reads += 1;
                seen += lines(&buffer[..length]);
            }
            (seen / per_event, reads)
        }));
    }
    let start = server.cpu();
    match publisher {
        Some(mut publisher) => {
            tokio::spawn(async move {
                let mut buffer = vec![0; 64 * 1024];
                while let Ok(1..) = publisher.read(&mut buffer).await {}
            });
            drop(ask(port, "POST /go HTTP/1.1\r\ncontent-length: 0").await);
        }
        None => drop(tokio::spawn(post(port, rate, seconds))),
    }
    let (mut delivered, mut reads) = (0, 0);
    for task in tasks {
        let (events, read) = task.await.expect("a reader");
        delivered += events;
        reads += read;
    }
    let spent = server.cpu() - start;
    let all = (readers as u64 * expected) as f64;
    Fan {
        cpu: spent / delivered.max(1) as f64,
        delivered: delivered as f64 / all * 100.0,
        per_read: delivered as f64 / reads.max(1) as f64,
        memory,
    }
}

/// Publishes from outside, over one connection that stays open.
async fn post(port: u16, rate: u64, seconds: u64) {
    let socket = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let (mut from, mut to) = socket.into_split();
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(1..) = from.read(&mut buffer).await {}
    });
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut n = 0;
        paced(rate, seconds, || {
            n += 1;
            // Nobody has to be there any more.
            let _: Result<(), _> = sender.send(n);
        })
        .await;
    });
    while let Some(n) = receiver.recv().await {
        let body = json(n);
        let text = format!("POST /pub HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        if to.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
    // The readers decide when it is over.
    tokio::time::sleep(Duration::from_secs(60)).await;
}

pub fn table(kinds: &[Kind], readers: usize, seconds: u64, rates: &[u64]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!("\n| {readers} readers | hub | CPU µs per delivery | events per read | delivered % | KiB per reader |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for rate in rates {
        let mut measured: Vec<(Kind, Vec<Fan>)> = kinds.iter().copied().filter(|kind| kind.is_there()).map(|kind| (kind, Vec::new())).collect();
        for round in 0..3 {
            for (kind, runs) in &mut measured {
                // The others are there to be seen beside, and once is enough for that.
                if round == 0 || !matches!(kind, Kind::Nchan | Kind::BetterSse) {
                    runs.push(runtime.block_on(fan(*kind, readers, *rate, seconds)));
                }
            }
        }
        for (kind, mut runs) in measured {
            runs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
            let least = runs.iter().map(|run| run.delivered).fold(100.0, f64::min);
            let run = &runs[runs.len() / 2];
            let (low, high) = (runs[0].cpu, runs[runs.len() - 1].cpu);
            println!(
                "| {rate} ev/s | {} | {:.2} ({low:.2}–{high:.2}) | {:.1} | {least:.1} | {:.1} |",
                kind.name(), run.cpu, run.per_read, run.memory
            );
        }
    }
}

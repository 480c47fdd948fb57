//! Several machines: what the engine does for us, and what it could do.
//!
//! ```text
//! cargo run --release -p aon-bench-cluster             with redis-server; AON_ENGINE names another program
//! cargo run --release -p aon-bench-cluster append      one of append, another, watched, memory, four
//! ```

mod engine;
mod four;
#[allow(dead_code)]
#[path = "../../../scale/model.rs"]
mod model;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aon_live::Frame;
use aon_live::id::{Epoch, Seq, SessionId, TraceId};
use aon_live::store::{About, Appended, Keep, Log, Memory, Redis, RedisSettings, Store};
use engine::{Client, Engine, command};
use futures_util::future::join_all;

const EPOCH: Epoch = Epoch::new(7);
/// Events of the two rates, sessions they belong to, and how many go together.
const EVENTS: u64 = 61_440;
const SESSIONS: u64 = 64;
const GROUP: u64 = 512;
const ROUNDS: u64 = 9;

fn json(seq: u64) -> String {
    let head = format!(r#"{{"type":"status","id":"00000007-{seq}","seq":{seq},"message":""#);
    let fill = "x".repeat(303 - head.len());
    format!(r#"{head}{fill}"}}"#)
}

fn frame(seq: u64) -> Frame {
    Frame::restore(EPOCH, Seq::new(seq), "status", json(seq).as_bytes())
}

fn about() -> About {
    let trace = TraceId::from_bytes([3; 16]).expect("not zero");
    About::new(EPOCH, trace, 1_715_432_000_250)
}

fn id(round: u64, n: u64) -> SessionId {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&round.to_be_bytes());
    bytes[8..].copy_from_slice(&n.to_be_bytes());
    SessionId::from_bytes(bytes)
}

fn store(primary: &Engine, replicas: u32, prefix: &str) -> Redis {
    let url = format!(
        "redis://127.0.0.1:{}?replicas={replicas}&prefix={prefix}:",
        primary.port
    );
    let keep = Keep {
        events: 256,
        bytes: 1 << 20,
        open: Duration::from_secs(3600),
        ended: Duration::from_secs(60),
    };
    Redis::new(RedisSettings::new(&url).expect("an address"), keep)
}

/// The append script alone, in pipelines with a `WAIT` behind each: events a second.
fn plain(primary: &Engine, round: u64) -> f64 {
    let append = include_str!("../../../../crates/live/src/store/redis/append.lua");
    let create = include_str!("../../../../crates/live/src/store/redis/create.lua");
    let mut client = Client::try_to(primary.port).expect("it answers");
    let mut names = Vec::new();
    for script in [append, create] {
        let mut out = Vec::new();
        command(&mut out, &[b"SCRIPT", b"LOAD", script.as_bytes()]);
        client.send(&out);
        names.push(client.answer().trim().to_owned());
    }
    // As long as those of the store.
    let hold = format!("node-{round:016x}:1");
    let keys = |n: u64| {
        let id = id(round, n);
        (format!("rate:{{{id}}}e"), format!("rate:{{{id}}}m"))
    };
    for n in 0..SESSIONS {
        let (_, meta) = keys(n);
        let mut out = Vec::new();
        let words: [&[u8]; 12] = [
            b"EVALSHA",
            names[1].as_bytes(),
            b"3",
            meta.as_bytes(),
            b"p:own",
            b"p:nodes",
            hold.as_bytes(),
            b"{}",
            b"3600000",
            b"id",
            b"0",
            b"me",
        ];
        command(&mut out, &words);
        client.send(&out);
        client.answer();
    }
    let start = Instant::now();
    for group in 0..EVENTS / GROUP {
        let mut out = Vec::with_capacity(512 * 1024);
        for at in 0..GROUP {
            let number = group * GROUP + at;
            let (events, meta) = keys(number % SESSIONS);
            let seq = number / SESSIONS + 1;
            let (seq_text, json) = (seq.to_string(), json(seq));
            let words: [&[u8]; 14] = [
                b"EVALSHA",
                names[0].as_bytes(),
                b"2",
                events.as_bytes(),
                meta.as_bytes(),
                hold.as_bytes(),
                b"3600000",
                b"60000",
                b"256",
                b"1048576",
                seq_text.as_bytes(),
                b"status",
                json.as_bytes(),
                b"",
            ];
            command(&mut out, &words);
        }
        command(&mut out, &[b"WAIT", b"1", b"1000"]);
        client.send(&out);
        for _ in 0..GROUP {
            client.answer();
        }
        assert_eq!(client.answer(), "1", "the replica has it");
    }
    EVENTS as f64 / start.elapsed().as_secs_f64()
}

/// The same events through the store, acknowledged one by one: events a second.
async fn ours(store: &Redis, round: u64) -> f64 {
    let logs: Vec<Arc<dyn Log>> = (0..SESSIONS)
        .map(|n| store.create(id(round, n), about()).expect("a new session"))
        .collect();
    let start = Instant::now();
    let each = EVENTS / SESSIONS;
    let writing = logs.into_iter().map(|log| {
        tokio::spawn(async move {
            let mut seq = 1;
            while seq <= each {
                let window: Vec<_> = (seq..(seq + 32).min(each + 1))
                    .map(|seq| log.append(vec![frame(seq)]))
                    .collect();
                seq += window.len() as u64;
                for answer in window {
                    assert!(matches!(answer.wait().await, Appended::Acked { .. }));
                }
            }
        })
    });
    for done in join_all(writing).await {
        done.expect("it ends");
    }
    EVENTS as f64 / start.elapsed().as_secs_f64()
}

/// Publishes that many events a second over so many sessions that another node follows: milliseconds from publishing to the reader, and
/// microseconds of the engine's CPU for each event.
async fn across(
    primary: &Engine,
    sessions: u64,
    rate: u64,
    seconds: u64,
    prefix: &str,
) -> (f64, f64, f64) {
    let (here, there) = (store(primary, 1, prefix), store(primary, 1, prefix));
    let mut logs = Vec::new();
    for n in 0..sessions {
        logs.push(here.create(id(1, n), about()).expect("a new session"));
    }
    let first: Vec<_> = logs.iter().map(|log| log.append(vec![frame(1)])).collect();
    for answer in first {
        answer.wait().await;
    }
    let mut followed = Vec::new();
    for n in 0..sessions {
        followed.push(there.open(id(1, n)).wait().await.expect("it is there"));
    }
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let total = rate * seconds;
    let (said, mut heard) = tokio::sync::mpsc::unbounded_channel();
    for (n, log) in followed.iter().enumerate() {
        let (said, mut tail) = (said.clone(), log.tail());
        tokio::spawn(async move {
            let mut last = tail.see().newest.get();
            while tail.changed().await.is_ok() {
                let now = Instant::now();
                let newest = tail.see().newest.get();
                for seq in last + 1..=newest {
                    if said.send((n, seq, now)).is_err() {
                        return;
                    }
                }
                last = newest;
            }
        });
    }
    let before = primary.used().0;
    let mut sent = std::collections::HashMap::new();
    let mut clock = tokio::time::interval(Duration::from_micros(1_000_000 / rate));
    for number in 0..total {
        clock.tick().await;
        let (n, seq) = ((number % sessions) as usize, number / sessions + 2);
        sent.insert((n, seq), Instant::now());
        let answer = logs[n].append(vec![frame(seq)]);
        tokio::spawn(answer.wait());
    }
    let mut late = Vec::new();
    while late.len() < total as usize {
        let heard = tokio::time::timeout(Duration::from_secs(10), heard.recv()).await;
        let (n, seq, at) = heard.expect("in time").expect("an event");
        late.push(at.duration_since(sent[&(n, seq)]).as_secs_f64() * 1e3);
    }
    let cpu = (primary.used().0 - before) / total as f64;
    late.sort_by(f64::total_cmp);
    (late[late.len() / 2], late[late.len() * 99 / 100], cpu)
}

fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("linux");
    text.split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<f64>().ok())
        .expect("pages")
        * 4096.0
}

const COUNT: u64 = 2000;

fn twenty() -> Vec<Frame> {
    (1..=20).map(frame).collect()
}

/// Bytes for a session of 20 events in memory. Asked first, because what was freed before would be used again.
async fn embedded() -> f64 {
    let before = resident();
    let embedded = Memory::new(256, 1 << 20);
    let logs: Vec<_> = (0..COUNT)
        .map(|n| embedded.create(id(9, n), about()).expect("new"))
        .collect();
    for log in &logs {
        log.append(twenty()).wait().await;
    }
    (resident() - before) / COUNT as f64
}

/// Bytes for the same session in the engine.
async fn in_engine(primary: &Engine) -> f64 {
    let engine = store(primary, 0, "mem");
    let before = primary.used().1;
    let kept: Vec<_> = (0..COUNT)
        .map(|n| engine.create(id(9, n), about()).expect("new"))
        .collect();
    let answers: Vec<_> = kept.iter().map(|log| log.append(twenty())).collect();
    for answer in answers {
        answer.wait().await;
    }
    (primary.used().1 - before) / COUNT as f64
}

fn middle(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Both ways of appending in turn, and what each event costs whom.
async fn append(primary: &Engine, replica: &Engine) {
    let through = store(primary, 1, "rate");
    let (mut plains, mut owns, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (script, plain) = costs(primary, replica, async {
            tokio::task::block_in_place(|| plain(primary, round))
        })
        .await;
        let (own, ours) = costs(primary, replica, ours(&through, 100 + round)).await;
        println!(
            "round {round}: script alone {script:.0}/s ({plain}), through the store {own:.0}/s ({ours}), ratio {:.2}",
            own / script
        );
        plains.push(script);
        owns.push(own);
        ratios.push(own / script);
    }
    println!(
        "append: {:.0}/s through the store, {:.0}/s by the script alone, ratio {:.2}",
        middle(owns),
        middle(plains),
        middle(ratios)
    );
}

/// What something gives, and the CPU of an event: this process, the primary, its replica.
async fn costs<T>(
    primary: &Engine,
    replica: &Engine,
    what: impl Future<Output = T>,
) -> (T, String) {
    let used = || [four::cpu(), primary.used().0, replica.used().0];
    let before = used();
    let given = what.await;
    let after = used();
    let each = |at: usize| (after[at] - before[at]) / EVENTS as f64;
    let text = format!(
        "client {:.1} µs, primary {:.1} µs, replica {:.1} µs",
        each(0),
        each(1),
        each(2)
    );
    (given, text)
}

#[tokio::main]
async fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    // Before anything else: what was freed would be used again.
    let here = embedded().await;
    let primary = Engine::start(None);
    let replica = Engine::start(Some(primary.port));
    if wanted("append") {
        append(&primary, &replica).await;
    }
    if wanted("another") {
        let (half, most, _) = across(&primary, 50, 1000, 5, "late").await;
        println!("another node, 1000 events/s: p50 {half:.2} ms, p99 {most:.2} ms");
    }
    if wanted("watched") {
        let (mut fews, mut manys) = (Vec::new(), Vec::new());
        for round in 0..3 {
            let (_, _, few) = across(&primary, 50, 1000, 8, &format!("few{round}")).await;
            let (_, _, many) = across(&primary, 5000, 1000, 8, &format!("many{round}")).await;
            fews.push(few);
            manys.push(many);
        }
        let (few, many) = (middle(fews), middle(manys));
        println!(
            "engine for each event: {few:.1} µs with 50 watched sessions, {many:.1} µs with 5000, ratio {:.2}",
            many / few
        );
    }
    if wanted("memory") {
        let there = in_engine(&primary).await;
        println!(
            "a session of 20 events: {there:.0} bytes in the engine, {here:.0} bytes in memory"
        );
    }
    if wanted("four") {
        for rate in [10, 40] {
            four::check(&primary, rate).await;
        }
    }
}

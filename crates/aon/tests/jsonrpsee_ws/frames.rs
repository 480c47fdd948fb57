//! All other bytes pass as they are, in order and at the client's pace.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::raw::{Client, FIN, PING, PONG, TEXT, handshake, request};
use crate::server::serve;

#[tokio::test]
async fn responses_of_every_size_are_unchanged() {
    let server = serve(|config| config).await;
    let mut client = Client::open(server.address).await;
    let around = [125, 126, 4096, 8192, 65_535, 65_536].into_iter();
    let sizes = around.flat_map(|size: usize| size - 45..size + 3);
    for size in sizes.chain([0, 1, 1 << 20, 5 << 20]) {
        client.send(request("fill", json!([size]))).await;
        let (first, payload) = client.next().await;
        assert_eq!(first, FIN | TEXT);
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#,
            "x".repeat(size)
        );
        assert!(payload == expected.as_bytes(), "{size}");
    }
    let bad = client.exchange("{").await;
    assert_eq!(bad["error"]["data"]["code"], "parse_error");
}

#[tokio::test]
async fn fragments_and_pings_are_served() {
    let server = serve(|config| config).await;
    let mut client = Client::open(server.address).await;
    let whole = request("add", json!([1, 2]));
    let (one, two) = whole.as_bytes().split_at(9);
    client.frame(TEXT, one).await;
    client.frame(FIN | PING, b"are you there").await;
    client.frame(0, b"").await;
    client.frame(FIN, two).await;
    assert_eq!(client.next().await, (FIN | PONG, b"are you there".to_vec()));
    assert_eq!(client.json().await["result"], 3);
    // No request, in fragments.
    client.frame(TEXT, b"{").await;
    client.frame(FIN, b"{").await;
    let told = client.json().await;
    assert_eq!(told["error"]["data"]["code"], "parse_error");
    client.frame(FIN | PONG, b"unasked").await;
    client.works().await;
}

#[tokio::test]
async fn the_pings_of_the_server_reach_the_client() {
    let server = serve(|config| {
        let often = jsonrpsee::server::PingConfig::new().ping_interval(Duration::from_millis(20));
        config.enable_ws_ping(often)
    })
    .await;
    let mut client = Client::open(server.address).await;
    for _ in 0..5 {
        assert_eq!(client.next().await, (FIN | PING, Vec::new()));
        client.frame(FIN | PONG, b"").await;
    }
}

#[tokio::test]
async fn notifications_stay_in_order_between_problems() {
    const COUNT: usize = 500;
    let server = serve(|config| config).await;
    let mut client = Client::open(server.address).await;
    let opened = client.exchange(request("ticks", json!([COUNT, 30]))).await;
    assert!(opened["result"].is_number(), "{opened}");
    let (mut ticks, mut problems, mut sums) = (0, 0, 0);
    for turn in 0..COUNT + 200 {
        if turn < 100 {
            client.send("{").await;
            client.send(request("add", json!([1, 2]))).await;
        }
        let told = client.json().await;
        if told["method"] == "tick" {
            assert_eq!(told["params"]["result"][0], ticks, "{told}");
            ticks += 1;
        } else if told["result"] == 3 {
            sums += 1;
        } else {
            assert_eq!(told["error"]["data"]["code"], "parse_error", "{told}");
            problems += 1;
        }
    }
    assert_eq!((ticks, problems, sums), (COUNT, 100, 100));
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_server_back() {
    const COUNT: usize = 20_000;
    let server = serve(|config| config.set_message_buffer_capacity(8)).await;
    let mut client = Client::open(server.address).await;
    let opened = client
        .exchange(request("ticks", json!([COUNT, 3000])))
        .await;
    assert!(opened["result"].is_number(), "{opened}");
    // Until nothing is written any more.
    let mut before = usize::MAX;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = server.written.load(Ordering::SeqCst);
        if now == before {
            break;
        }
        before = now;
    }
    assert!(before < COUNT / 2, "{before} messages of 3 kB were taken");
    let mut next = 0;
    while next < COUNT {
        let told: Value = client.json().await;
        assert_eq!(told["params"]["result"][0], next);
        next += 1;
    }
    client.works().await;
}

/// soketto brings no compression; an offer must not be taken, or problems could not be told.
#[tokio::test]
async fn compression_is_not_agreed_upon() {
    let server = serve(|config| config).await;
    let offer = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n";
    let (stream, head) = handshake(server.address, offer).await;
    assert!(head.starts_with("http/1.1 101"), "{head}");
    assert!(!head.contains("sec-websocket-extensions"), "{head}");
    let mut client = Client { stream };
    let told = client.exchange("{").await;
    assert_eq!(told["error"]["data"]["code"], "parse_error");
}

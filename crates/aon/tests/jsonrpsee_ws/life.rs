//! Connections begin and end as they do without the layer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Handle;

use crate::raw::{CLOSE, Client, FIN, handshake, request};
use crate::server::{serve, serve_one_by_hand};

/// Waits until a condition holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..1000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(holds(), "{what}");
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_tasks() {
    let server = serve(|config| config).await;
    let idle = tasks();
    // Politely, in the middle of a frame, in the middle of a subscription, and before the first word.
    let mut polite = Client::open(server.address).await;
    polite.works().await;
    polite.frame(FIN | CLOSE, &1000_u16.to_be_bytes()).await;
    assert_eq!(polite.next().await, (FIN | CLOSE, vec![3, 232]));
    assert!(polite.is_over().await);
    let mut rude = Client::open(server.address).await;
    rude.stream.write_all(&[0x81, 0xfe, 1]).await.unwrap();
    drop(rude);
    let mut listening = Client::open(server.address).await;
    listening.exchange(request("ticks", json!([1, 1]))).await;
    assert!(tasks() > idle);
    drop(listening);
    let silent = Client::open(server.address).await;
    drop(silent);
    let (stream, _) = handshake(server.address, "").await;
    drop(stream);
    until("the subscription is told", || {
        server.written.load(Ordering::SeqCst) == usize::MAX
    })
    .await;
    until("no task is left", || tasks() == idle).await;
    Client::open(server.address).await.works().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_clients_at_once() {
    let server = serve(|config| config.max_connections(200)).await;
    let idle = tasks();
    let mut clients = Vec::new();
    for _ in 0..200 {
        clients.push(Client::open(server.address).await);
    }
    for client in &mut clients {
        client.send("{").await;
    }
    for client in &mut clients {
        let told = client.json().await;
        assert_eq!(told["error"]["data"]["code"], "parse_error");
        client.works().await;
    }
    drop(clients);
    until("no task is left", || tasks() == idle).await;
}

#[tokio::test]
async fn the_server_takes_as_many_connections_as_it_may() {
    let server = serve(|config| config.max_connections(1)).await;
    let version = "Sec-WebSocket-Version: 13\r\n";
    let mut client = Client::open(server.address).await;
    let busy = tasks();
    for _ in 0..3 {
        let (stream, head) = handshake(server.address, version).await;
        assert!(!head.starts_with("http/1.1 101"), "{head}");
        assert!(head.contains("application/json"), "{head}");
        // What was refused leaves nothing behind, though its connection is open.
        until("one task for the connection", || tasks() <= busy + 1).await;
        drop(stream);
        until("no task is left", || tasks() == busy).await;
    }
    client.works().await;
    drop(client);
    for _ in 0..500 {
        let (stream, head) = handshake(server.address, version).await;
        if head.starts_with("http/1.1 101") {
            Client { stream }.works().await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the place of a client that left stays taken");
}

#[tokio::test]
async fn a_server_that_stops_says_good_bye() {
    let server = serve(|config| config).await;
    let mut client = Client::open(server.address).await;
    client.works().await;
    client.exchange("{").await;
    server.handle.stop().unwrap();
    assert_eq!(client.next().await, (FIN | CLOSE, vec![3, 232]));
    assert!(client.is_over().await);
    tokio::time::timeout(Duration::from_secs(20), server.handle.stopped())
        .await
        .unwrap();
}

#[tokio::test]
async fn what_other_layers_know_of_a_request_is_kept() {
    let server = serve(|config| config).await;
    let mut client = Client::open(server.address).await;
    let told = client.exchange(request("who", json!([]))).await;
    assert_eq!(told["result"], "outer, numbered: true");
}

#[tokio::test]
async fn a_program_that_accepts_by_itself_is_told_of_the_end() {
    let (address, session) = serve_one_by_hand().await;
    let mut client = Client::open(address).await;
    let told = client.exchange("{").await;
    assert_eq!(told["error"]["data"]["code"], "parse_error");
    client.works().await;
    assert!(!session.is_finished());
    drop(client);
    tokio::time::timeout(Duration::from_secs(20), session)
        .await
        .unwrap()
        .unwrap();
}

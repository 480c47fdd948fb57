//! The servers under test, each a child process: the floor and ours.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use aon_benches::heap;
use aon_live::{GlassBox, Hub, Session, Settings};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use tokio::net::TcpListener;
use tokio::sync::{Notify, broadcast};

use super::peers::Kind;

pub const WORDS: &str = "a line of progress that is about as long as those of the measurements this one is compared with, so that frames have some 330 bytes";
/// Events that a joiner of the storm is shown at once.
pub const KEPT: u64 = 256;

#[derive(Clone)]
struct Floor {
    sender: broadcast::Sender<Bytes>,
    go: Arc<Notify>,
}

/// Serves until the parent kills it.
pub fn serve(which: &str) {
    heap::stop_counting();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let go = Arc::new(Notify::new());
        let app = if which == Kind::Floor.name() { floor(&go) } else { ours(&go, which == Kind::Measured.name()) };
        let app = app
            .route("/go", post(async move || go.notify_waiters()))
            .route("/account", post(async || heap::keep_account()).get(async || Json(heap::held())));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        if which == Kind::Served.name() {
            return aon::axum::serve(listener, app).await.expect("a server");
        }
        // So that no connection has a copy of all routes.
        axum::serve(listener, app.into_make_service()).await.expect("a server");
    });
}

fn ours(go: &Arc<Notify>, measured: bool) -> Router {
    // As much room for who falls behind as the floor has.
    let mut settings = Settings::new().ring_events(4096).ring_bytes(8 << 20);
    settings = settings.events(u64::MAX).events_per_second(u64::MAX).heartbeat(Duration::from_secs(600));
    if measured {
        settings = settings.observe(aon_observe::Telemetry::new());
    }
    let hub = Hub::with(settings);
    let (gate, other) = (Arc::clone(go), Arc::clone(go));
    Router::new()
        .route(
            "/publish/{rate}/{seconds}",
            post(async move |session: Session, Path((rate, seconds)): Path<(u64, u64)>| {
                session.begin();
                gate.notified().await;
                paced(rate, seconds, || drop(session.status(WORDS))).await;
                Json(rate * seconds)
            }),
        )
        .route(
            "/full",
            post(async move |session: Session| {
                (1..KEPT).for_each(|_| drop(session.status(WORDS)));
                other.notified().await;
                Json(KEPT)
            }),
        )
        .layer(GlassBox::new(&hub))
        .merge(hub.routes())
}

/// The least one can do: a frame that is encoded once, a channel, and nothing kept.
fn floor(go: &Arc<Notify>) -> Router {
    let (sender, _) = broadcast::channel(4096);
    let floor = Floor { sender, go: Arc::clone(go) };
    Router::new()
        .route("/publish/{rate}/{seconds}", post(floor_publish))
        .route("/own/{rate}/{seconds}", post(floor_own))
        .route("/events", get(floor_events))
        .route("/full", get(floor_full))
        .with_state(floor)
}

pub async fn paced(rate: u64, seconds: u64, mut publish: impl FnMut()) {
    let mut clock = tokio::time::interval(Duration::from_nanos(1_000_000_000 / rate));
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    for _ in 0..rate * seconds {
        clock.tick().await;
        publish();
    }
}

pub fn json(n: u64) -> String {
    format!(
        r#"{{"type":"status","id":"0000000a-{n}","seq":{n},"timestamp":1715432000,"ts_ms":1715432000250,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","session_id":"4bf92f3577b34da6a3ce929d0e0e4736","message":"{WORDS}"}}"#
    )
}

fn frame(n: u64) -> Bytes {
    Bytes::from(format!("event: status\ndata: {}\nid: 0000000a-{n}\n\n", json(n)))
}

async fn floor_publish(State(floor): State<Floor>, Path((rate, seconds)): Path<(u64, u64)>) -> Response {
    // The headers go out at once, as ours do.
    let body = stream::once(async move {
        floor.go.notified().await;
        let mut n = 0;
        paced(rate, seconds, || {
            n += 1;
            drop(floor.sender.send(frame(n)));
        })
        .await;
        Ok::<_, Infallible>(Bytes::from_static(b"done"))
    });
    Response::new(Body::from_stream(body))
}

/// A stream of its own for each caller, as lines.
async fn floor_own(State(floor): State<Floor>, Path((rate, seconds)): Path<(u64, u64)>) -> Response {
    let (sender, receiver) = broadcast::channel(64);
    tokio::spawn(async move {
        floor.go.notified().await;
        let mut n = 0;
        paced(rate, seconds, || {
            n += 1;
            drop(sender.send(Bytes::from(format!("{}\n", json(n)))));
        })
        .await;
    });
    let first = stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b"{}\n")) });
    Response::new(Body::from_stream(first.chain(received(receiver))))
}

async fn floor_events(State(floor): State<Floor>) -> Response {
    let mut response = Response::new(Body::from_stream(received(floor.sender.subscribe())));
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("text/event-stream"));
    response
}

/// All that is kept, in one piece that was made before, and then nothing.
async fn floor_full() -> Response {
    static ALL: std::sync::LazyLock<Bytes> =
        std::sync::LazyLock::new(|| (1..=KEPT).map(frame).fold(Vec::new(), |all, one| [all, one.to_vec()].concat()).into());
    let all = stream::once(async { Ok::<_, Infallible>(ALL.clone()) });
    Response::new(Body::from_stream(all.chain(stream::pending())))
}

fn received(frames: broadcast::Receiver<Bytes>) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(frames, |mut frames| async move {
        let frame = frames.recv().await.ok()?;
        Some((Ok(frame), frames))
    })
}

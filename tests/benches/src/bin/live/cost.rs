//! What a request costs in either mode, and what a publish costs: in the process, without a socket.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use aon_live::{GlassBox, Hub, Session, Settings, Severity};
use axum::body::Body;
use axum::routing::get;
use axum::{Json, Router};
use http::Request;
use tower_service::Service as _;

async fn work(session: Session) -> Json<[u32; 3]> {
    session.intent("create_user").issue("invalid_schema").decision("apply_semantic_mapping");
    session.healing(Severity::Medium, "refresh_token").description("The token had expired.");
    session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
    Json([1, 2, 3])
}

async fn bare() -> Json<[u32; 3]> {
    Json([1, 2, 3])
}

/// Nanoseconds (10th percentile of rounds) and allocations of one request that is answered to its end.
fn request_cost(runtime: &tokio::runtime::Runtime, mut app: Router, accept: &str) -> (f64, f64) {
    let mut rounds = Vec::new();
    let mut allocations = 0;
    let times = 2_000;
    for _ in 0..30 {
        let requests: Vec<_> = (0..times)
            .map(|_| Request::get("/work").header("accept", accept).body(Body::empty()).expect("a request"))
            .collect();
        let before = aon_benches::allocations();
        let start = Instant::now();
        runtime.block_on(async {
            for request in requests {
                let response = app.call(request).await.unwrap_or_else(|never: Infallible| match never {});
                let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
                black_box(body);
            }
        });
        rounds.push(start.elapsed().as_nanos() as f64 / f64::from(times));
        allocations = aon_benches::allocations() - before;
    }
    rounds.sort_by(f64::total_cmp);
    (rounds[rounds.len() / 10], allocations as f64 / f64::from(times))
}

pub fn requests() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let hub = || Hub::with(Settings::new().sessions(100));
    let plain = Router::new().route("/work", get(bare));
    let identity = Router::new().route("/work", get(bare)).layer(tower_layer::Identity::new());
    let black = Router::new().route("/work", get(bare)).layer(GlassBox::new(&hub()));
    let speaking = Router::new().route("/work", get(work)).layer(GlassBox::new(&hub()));
    println!("| request | ns | allocations |\n| --- | ---: | ---: |");
    for (name, app, accept) in [
        ("bare handler", plain, "*/*"),
        ("with a layer that does nothing", identity, "*/*"),
        ("black box", black.clone(), "*/*"),
        ("black box, three events nobody reads", speaking.clone(), "*/*"),
        ("glass box, no event of its own", black, "application/x-ndjson"),
        ("glass box, three events", speaking, "application/x-ndjson"),
    ] {
        let (nanos, allocations) = request_cost(&runtime, app.with_state(()), accept);
        println!("| {name} | {nanos:.0} | {allocations:.1} |");
    }
}

/// One publish, readers aside: what is encoded, numbered, kept and told.
pub fn publish() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let hub = Hub::with(Settings::new().events(u64::MAX).events_per_second(u64::MAX));
    let app = Router::new()
        .route(
            "/work",
            get(async |session: Session| {
                let mut rounds = Vec::new();
                for _ in 0..200 {
                    let start = Instant::now();
                    for _ in 0..1000 {
                        session.status("Waiting for rate limit backoff...").estimated_delay(Duration::from_millis(200));
                    }
                    rounds.push(start.elapsed().as_nanos() as f64 / 1000.0);
                }
                rounds.sort_by(f64::total_cmp);
                Json(rounds[20])
            }),
        )
        .layer(GlassBox::new(&hub));
    let mut app = app.with_state(());
    let request = Request::get("/work").header("accept", "application/x-ndjson").body(Body::empty()).expect("a request");
    let text = runtime.block_on(async {
        let response = app.call(request).await.unwrap_or_else(|never: Infallible| match never {});
        axum::body::to_bytes(response.into_body(), 1 << 26).await.expect("a body")
    });
    let text = String::from_utf8_lossy(&text);
    let nanos = text.lines().last().and_then(|line| line.rsplit(':').next()).unwrap_or_default();
    println!("\none publish with encoding and redaction: {} ns", nanos.trim_end_matches('}'));
}

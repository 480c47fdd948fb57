//! Signed actions that do nothing, with durability on, beside the commits of the store alone.
//!
//! `AON_SPEED=10000 cargo test --release -p aon-tests --test southbound speed` for a longer run.

use std::sync::Arc;
use std::time::Instant;

use aon_agent::south::Acting;
use aon_agent::south::client::HttpClient;
use aon_agent::south::config::Config;
use aon_agent::south::exec::Launcher;
use aon_agent::south::http::{BySignature, KeyRing, router};
use aon_agent::south::keep::{Book as _, FileBook};
use aon_agent::south::keys::Keys;
use aon_agent::south::ledger::{ActionKey, Limits, Verdict};
use aon_live::{Hub, Settings};
use aon_tests::place::say;
use axum::body::Body;
use serde_json::json;
use tower::ServiceExt as _;

use crate::support::{Folder, config, rotate};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn speed_of_signed_actions_beside_the_commits_of_the_store() {
    let most: usize = std::env::var("AON_SPEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2000);
    let folder = Folder::new();
    let alone = FileBook::open(&folder.path("alone.redb"), Limits::DEFAULT, 0).expect("a store");
    let commits = 200.min(most);
    let begun = Instant::now();
    for number in 0..commits {
        let key = ActionKey::new("ops-1", number.to_string());
        assert_eq!(
            alone.begin(&key, &[0; 32], None, 1).await.expect("stored"),
            Verdict::Run
        );
    }
    let commits = commits as f64 / begun.elapsed().as_secs_f64();
    let (id, secret) = rotate(&folder, "ops-1");
    let keys = Keys::parse(&std::fs::read_to_string(folder.path("keys.toml")).expect("keys"))
        .expect("keys");
    let config = Config::parse(&config(&folder, "")).expect("a configuration");
    let book = FileBook::open(&folder.path("ledger.redb"), Limits::DEFAULT, 0).expect("a store");
    let hub = Hub::with(Settings::new().identify(BySignature));
    let acting = Acting::new(
        &config,
        Arc::new(book),
        Launcher::new("/bin/false".into(), [""; 0]),
        &hub,
        (),
    )
    .expect("it acts");
    let app = router(&acting, &KeyRing::new(keys));
    let client = Arc::new(HttpClient::new("http://x", "ops-1", &id, &secret).expect("a client"));
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..128 {
        let (app, client) = (app.clone(), Arc::clone(&client));
        tasks.spawn(async move {
            for number in (lane..most).step_by(128) {
                let push = json!({ "method": "telemetry.push", "action_id": format!("a-{number}"), "payload": {} });
                let signed = client.sign("POST", "/southbound", push.to_string().as_bytes()).expect("signed");
                let mut request = http::Request::post("/southbound").body(Body::from(signed.body)).expect("a request");
                request.headers_mut().extend(signed.headers);
                let response = app.clone().oneshot(request).await.expect("an answer");
                assert_eq!(response.status(), 200);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("joined");
    }
    let actions = most as f64 / begun.elapsed().as_secs_f64();
    let ratio = actions / commits;
    say(&format!(
        "count: {actions:.0} signed actions per second, {commits:.0} commits of the store alone, {ratio:.2}x"
    ));
    assert!(ratio >= 0.7, "{ratio:.2}");
}

//! What a handler logs becomes `status`, where a program opts in.

use aon_live::{GlassBox, Hub, StatusLayer};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

use super::support::*;

#[tokio::test]
async fn what_a_handler_logs_is_shown_to_those_who_watch() {
    let subscriber = tracing_subscriber::registry().with(StatusLayer::new(tracing::Level::INFO));
    // For the whole program: nothing else in this suite logs inside a handler.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let hub = Hub::new();
    let app = axum::Router::new()
        .route(
            "/",
            axum::routing::post(async || {
                tracing::info!(rows = 3, "read the table");
                tracing::debug!("too quiet to be shown");
                let inner = tracing::info_span!("inside");
                async { tracing::warn!("password=hunter2secret") }
                    .instrument(inner)
                    .await;
                let task = tokio::spawn(async { tracing::info!("from a task") }.in_current_span());
                task.await.unwrap();
                axum::Json(1)
            }),
        )
        .layer(GlassBox::new(&hub));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let events = request(address, "POST", "/", &[NDJSON], "")
        .await
        .events()
        .await;
    check_stream(&events);
    let words: Vec<&str> = events
        .iter()
        .filter_map(|event| event["message"].as_str())
        .collect();
    assert_eq!(
        words,
        [
            "read the table rows=3",
            "password=[redacted]",
            "from a task"
        ]
    );
    assert!(events[1..4].iter().all(|event| event["phase"] == "log"));
    let black = request(address, "POST", "/", &[], "").await;
    assert_eq!(black.text().await, "1");
}

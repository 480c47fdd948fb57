//! The playground of the live protocol: a route whose body says what happens, ready-made routes, and a page to watch it.

use std::time::Duration;

use aon_live::{Environment, GlassBox, Hub, Jwt, Settings};
use aon_observe::Telemetry;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::response::Html;
use axum::routing::{get, post};

mod healing;
mod play;
mod ready;
mod script;

/// The largest script.
const LARGEST: usize = 1 << 20;

/// A hub for people who try things: signs of life come each second, and bursts are not thinned out.
///
/// Without a secret it is a place to develop in: everybody sees everything. With one it is a place of production, and the
/// roles of a token decide.
pub(crate) fn hub(
    ring: usize,
    secret: Option<&str>,
    audience: &str,
    telemetry: Option<&Telemetry>,
) -> Hub {
    let mut settings = Settings::new()
        .ring_events(ring)
        .events(20_000)
        .events_per_second(20_000)
        .heartbeat(Duration::from_secs(1))
        .lifetime(Duration::from_secs(600))
        .retention(Duration::from_secs(300));
    if let Some(telemetry) = telemetry {
        settings = settings.observe(telemetry.clone());
    }
    Hub::with(match secret {
        None => settings.environment(Environment::Development),
        Some(secret) => settings
            .environment(Environment::Production)
            .identify(Jwt::secret(secret.as_bytes(), audience).audience("aon-demo")),
    })
}

/// The playground, the ready-made routes, the page, and the routes of the hub.
pub(crate) fn routes(hub: &Hub, ring: usize) -> Router {
    let page = include_str!("live/page.html").replace("__RING__", &ring.to_string());
    let boxes = Router::new()
        .route("/play", post(play::play))
        .route("/live/users", post(ready::create_user))
        .route("/live/deploy", post(ready::deploy))
        .route("/live/report", get(ready::report))
        .layer(DefaultBodyLimit::max(LARGEST));
    GlassBox::new(hub)
        .wrap(boxes)
        .route("/live", get(async move || Html(page.clone())))
        .merge(hub.routes())
}

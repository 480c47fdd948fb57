//! The playground of the live protocol: a route whose body says what happens, ready-made routes, and a page to watch it.

use std::time::Duration;

use aon_live::{GlassBox, Hub, Settings};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::response::Html;
use axum::routing::{get, post};

mod play;
mod ready;
mod script;

/// The largest script.
const LARGEST: usize = 1 << 20;

/// A hub for people who try things: signs of life come each second, and bursts are not thinned out.
pub(crate) fn hub(ring: usize) -> Hub {
    let settings = Settings::new()
        .ring_events(ring)
        .events(20_000)
        .events_per_second(20_000)
        .heartbeat(Duration::from_secs(1))
        .lifetime(Duration::from_secs(600))
        .retention(Duration::from_secs(300));
    Hub::with(settings)
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

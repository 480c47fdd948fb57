//! The playground of the live protocol: a route whose body says what happens, ready-made routes, and a page to watch it.

use std::time::Duration;

use aon_live::restart::{Orphan, Work};
use aon_live::store::RedisSettings;
use aon_live::{Environment, GlassBox, Hub, Jwt, Settings};
use aon_observe::Telemetry;
use axum::Router;
use axum::response::{Html, IntoResponse as _};
use axum::routing::{get, post};

use crate::args::Demo;
use crate::fault::Fault;

mod healing;
mod play;
mod ready;
mod script;

pub(super) use play::called as play;

/// A hub for people who try things: signs of life come each second, and bursts are not thinned out.
///
/// Without a secret it is a place to develop in: everybody sees everything. With one it is a place of production, and the
/// roles of a token decide.
pub(crate) fn hub(args: &Demo, telemetry: Option<&Telemetry>) -> Result<Hub, Fault> {
    let mut settings = Settings::new()
        .ring_events(args.ring)
        .events(20_000)
        .events_per_second(20_000)
        .heartbeat(Duration::from_secs(1))
        .lifetime(Duration::from_secs(600))
        .retention(Duration::from_secs(300));
    settings = settings.restart(again);
    if let Some(telemetry) = telemetry {
        settings = settings.observe(telemetry.clone());
    }
    if let Some(url) = &args.redis {
        let redis = RedisSettings::new(url).map_err(|bad| {
            Fault::usage(bad.to_string(), "aon demo --redis redis://127.0.0.1:6379")
        })?;
        settings = settings.redis(redis.node(args.node.as_deref().unwrap_or("demo")));
    }
    Ok(Hub::with(match args.jwt_secret.as_deref() {
        None => settings.environment(Environment::Development),
        Some(secret) => settings
            .environment(Environment::Production)
            .identify(Jwt::secret(secret.as_bytes(), &args.jwt_audience).audience("aon-demo")),
    }))
}

/// Counting may begin again on another node.
fn again(orphan: Orphan) -> Option<Work> {
    let wanted = ready::Wanted::of(&orphan.uri)?;
    (orphan.uri.path() == ready::COUNT).then(|| {
        let work = async move {
            ready::count_to(&orphan.session, wanted)
                .await
                .into_response()
        };
        Box::pin(work) as Work
    })
}

/// The playground, the ready-made routes, the page, and the routes of the hub.
pub(crate) fn routes(hub: &Hub, ring: usize) -> Router {
    let page = include_str!("live/page.html").replace("__RING__", &ring.to_string());
    let boxes = Router::new()
        .route("/play", post(play::play))
        .route("/live/users", post(ready::create_user))
        .route("/live/deploy", post(ready::deploy))
        .route("/live/report", get(ready::report));
    let counts = Router::new().route(ready::COUNT, get(ready::count));
    GlassBox::new(hub)
        .wrap(boxes)
        .merge(GlassBox::new(hub).restarts().wrap(counts))
        .route("/live", get(async move || Html(page.clone())))
        .merge(hub.routes())
}

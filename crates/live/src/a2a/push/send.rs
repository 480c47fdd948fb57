//! Telling an address: one notification after the other, each tried a few times.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio::time::{sleep, timeout};

use super::{Config, Push};
use crate::event::Event;
use crate::hub::live::Live;
use crate::id::Seq;
use crate::store::Budget;
use crate::surface::a2a::{Dialect, Tracker, Update};

/// How long an address may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long is waited before each further attempt.
const WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(8),
];
/// After how many notifications in a row that did not arrive an address is told nothing more.
const VAIN: u32 = 5;

/// A notification on its way.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Notification {
    /// Where it goes. The operator allows its origin.
    pub url: String,
    /// With what.
    pub headers: HeaderMap,
    /// JSON.
    pub body: Vec<u8>,
}

/// An attempt that is under way.
pub type Delivering<'a> = Pin<Box<dyn Future<Output = Result<u16, String>> + Send + 'a>>;

/// How notifications reach their addresses: over HTTP, or through something of your own.
pub trait Deliver: Send + Sync + 'static {
    /// Posts it, and gives the status of the answer. It must not follow a redirect: only the address itself is allowed.
    fn deliver<'a>(&'a self, notification: &'a Notification) -> Delivering<'a>;
}

/// Over HTTP, one connection for each.
#[cfg(feature = "client")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Post;

#[cfg(feature = "client")]
impl Deliver for Post {
    fn deliver<'a>(&'a self, notification: &'a Notification) -> Delivering<'a> {
        let Notification { url, headers, body } = notification.clone();
        Box::pin(async move {
            let posted = crate::client::call(http::Method::POST, &url, headers, body).await;
            posted.map(|answer| answer.status)
        })
    }
}

/// Follows a task and tells an address what becomes of it, until its end.
pub(super) async fn follow(live: Arc<Live>, mut tracker: Tracker, push: Push, config: Arc<Config>) {
    let mut tail = live.log.tail();
    let mut vain = 0;
    loop {
        tail.see();
        let next = Seq::new(tracker.seq() + 1);
        let Some(page) = live.log.page(next, Budget::default()).wait().await else {
            return;
        };
        let mut updates = Vec::new();
        if page.oldest > next {
            // The address was too slow. What it was not told is in the task.
            tracker.skip_to(page.oldest.get().saturating_sub(1));
            updates.push(Update::Task(Box::new(tracker.seen(config.detail))));
        }
        let over = page.frames.is_empty() && tail.get().ended;
        for frame in page.frames {
            if let Ok(event) = Event::from_slice(&frame.seen(config.detail).json()) {
                updates.extend(told(&tracker.apply(&event), &tracker, config.dialect()));
            }
        }
        for update in &updates {
            if post(&push, &config, update).await {
                vain = 0;
            } else {
                vain += 1;
                if vain >= VAIN {
                    tracing::warn!(task = %live.origin.session, "nothing more is sent to an address for push notifications");
                    return;
                }
            }
        }
        if over || tracker.task().status.state.is_terminal() {
            return;
        }
        if tail.changed().await.is_err() {
            return;
        }
    }
}

/// What is posted of the updates of an event: each in 1.0, and in 0.3 the whole task when its status has changed.
fn told(updates: &[Update], tracker: &Tracker, dialect: Dialect) -> Vec<Update> {
    let task = || Update::Task(Box::new(tracker.task().clone()));
    match dialect {
        Dialect::V10 => updates.to_vec(),
        Dialect::V03 => {
            let changed = updates.iter().any(|update| update.state().is_some());
            changed.then(task).into_iter().collect()
        }
    }
}

/// Whether it arrived, in the end.
async fn post(push: &Push, config: &Config, update: &Update) -> bool {
    let dialect = config.dialect();
    let mut headers = HeaderMap::new();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(match dialect {
            Dialect::V10 => aon::surface::a2a::status::MEDIA_TYPE,
            Dialect::V03 => "application/json",
        }),
    );
    let authorization = config.authorization().map(|value| (AUTHORIZATION, value));
    // The specification does not name the header; each of the official servers has one of these.
    let token = ["x-a2a-notification-token", "a2a-notification-token"].map(HeaderName::from_static);
    let token = config
        .token()
        .into_iter()
        .flat_map(|value| token.clone().map(|name| (name, value.to_owned())));
    for (name, value) in authorization.into_iter().chain(token) {
        if let Ok(mut value) = HeaderValue::from_str(&value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    let notification = Notification {
        url: config.url().to_owned(),
        headers,
        body: update.to_json(dialect).to_string().into_bytes(),
    };
    let mut waits = WAITS.into_iter();
    loop {
        let attempt = timeout(PATIENCE, push.deliver.deliver(&notification)).await;
        let why = match attempt {
            Ok(Ok(200..=299)) => return true,
            Ok(Ok(status)) => format!("it answered {status}"),
            Ok(Err(why)) => why,
            Err(_elapsed) => "it took too long".to_owned(),
        };
        let Some(wait) = waits.next() else {
            tracing::warn!(why = %aon_core::redact::text(&why), "a push notification did not arrive");
            return false;
        };
        sleep(wait).await;
    }
}

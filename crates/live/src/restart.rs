//! Going on with a session whose machine is gone.

use std::future::Future;
use std::pin::Pin;

use axum::body::Body;
use http::{Method, Request, Response, Uri};

use crate::id::SessionId;
use crate::session::Session;

/// The work that goes on, and how it ends.
pub type Work = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Runs work again whose machine is gone: a function of an [`Orphan`] that gives a future, or nothing where the session is to end
/// with `session_orphaned`.
///
/// It is asked for sessions of routes with [`GlassBox::restarts`](crate::GlassBox::restarts) alone. What the machine that is gone did
/// before is done: restart only what may be done twice.
///
/// ```
/// use aon_live::restart::{Orphan, Work};
/// use aon_live::{Hub, Session, Settings};
/// use axum::response::IntoResponse as _;
///
/// async fn report(session: Session) -> &'static str {
///     session.status("counting");
///     "\"42\""
/// }
///
/// let again = |orphan: Orphan| match orphan.uri.path() {
///     "/report" => Some(Box::pin(async { report(orphan.session).await.into_response() }) as Work),
///     _ => None,
/// };
/// let hub = Hub::with(Settings::new().restart(again));
/// # let _ = hub;
/// ```
pub trait Restart: Send + Sync + 'static {
    /// The work, or nothing.
    fn restart(&self, orphan: Orphan) -> Option<Work>;
}

impl<F: Fn(Orphan) -> Option<Work> + Send + Sync + 'static> Restart for F {
    fn restart(&self, orphan: Orphan) -> Option<Work> {
        self(orphan)
    }
}

/// A session whose machine is gone, and which this one has taken over.
#[derive(Debug)]
#[non_exhaustive]
pub struct Orphan {
    /// The session. What is published goes on behind what its readers saw.
    pub session: Session,
    /// Its id.
    pub id: SessionId,
    /// The method of the request that began it.
    pub method: Method,
    /// Its address.
    pub uri: Uri,
    /// Whose it is; nobody's where its caller was anonymous.
    pub owner: Option<String>,
    /// How many machines had it before: 1 when it is run again for the first time.
    pub owners: u64,
}

impl Orphan {
    /// The request that began it, without headers and body, for a router that has no glass box around it.
    pub fn request(&self) -> Request<Body> {
        let mut request = Request::new(Body::empty());
        request.method_mut().clone_from(&self.method);
        request.uri_mut().clone_from(&self.uri);
        request.extensions_mut().insert(self.session.clone());
        request
    }

    /// Reads what was kept about the request: `GET /reports/7`.
    pub(crate) fn read(kept: &str) -> Option<(Method, Uri)> {
        let (method, uri) = kept.split_once(' ')?;
        Some((method.parse().ok()?, uri.parse().ok()?))
    }
}

/// How many machines may have had a session that is run again: work that kills its machine must not kill them all.
pub(crate) const OWNERS: u64 = 3;

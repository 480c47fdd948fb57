//! The body of a request, watched: when it was read to its end, or put aside, the extractors are done with it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::Request;
use http_body::{Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// How long a handler that keeps the body unread is given before the stream starts all the same.
const BOUND: Duration = Duration::from_secs(1);

/// What is known about the body from outside.
#[derive(Debug, Default)]
pub(super) struct Upload {
    done: AtomicBool,
    /// Whether the handler waits for more of it.
    arriving: AtomicBool,
    changed: Notify,
}

impl Upload {
    /// Waits until nobody wants more of the body, and then for `settle`.
    pub(super) async fn settled(&self, settle: Duration) {
        while !self.done.load(Ordering::Acquire) {
            let changed = self.changed.notified();
            if self.done.load(Ordering::Acquire) {
                break;
            }
            let idle = timeout(BOUND, changed).await.is_err();
            if idle && !self.arriving.load(Ordering::Acquire) {
                break;
            }
        }
        sleep(settle).await;
    }

    fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.changed.notify_one();
    }
}

/// Puts a watched body into the request.
pub(super) fn watch(request: &mut Request<Body>) -> (Request<Body>, Arc<Upload>) {
    let upload = Arc::new(Upload::default());
    let request = std::mem::take(request);
    let watched = Arc::clone(&upload);
    let request = request.map(|body| {
        Body::new(Watched {
            body,
            upload: watched,
        })
    });
    (request, upload)
}

#[derive(Debug)]
struct Watched {
    body: Body,
    upload: Arc<Upload>,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.upload
            .arriving
            .store(polled.is_pending(), Ordering::Release);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.upload.finish();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.upload.finish();
    }
}

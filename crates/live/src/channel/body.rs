//! A feed as the body of a response.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use axum::body::Body as HttpBody;
use bytes::Bytes;
use http_body::{Body, Frame};

use super::feed::Feed;
use crate::hub::live::Live;
use crate::hub::live::audience::{Outlet, Stalled};

impl Feed {
    /// The feed as the body of a response. One that nobody reads is ended from outside, but for the response of the
    /// request itself, which is told its losses and its end whenever it reads again.
    pub(crate) fn into_body(self) -> HttpBody {
        let (live, responds) = self.follows();
        let live = Arc::clone(live);
        let outlet = Arc::new(Outlet::new(self));
        let watched = (!responds).then(|| live.audience.watch(&outlet));
        HttpBody::new(Piped {
            outlet,
            live: Arc::downgrade(&live),
            watched,
        })
    }
}

/// What hyper holds: a way to the outlet, and nothing that keeps a session alive.
#[derive(Debug)]
struct Piped {
    outlet: Arc<Outlet>,
    live: Weak<Live>,
    watched: Option<u64>,
}

impl Body for Piped {
    type Data = Bytes;
    type Error = Stalled;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Stalled>>> {
        let polled = self.outlet.poll(cx);
        polled.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.outlet.is_over()
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        if let (Some(live), Some(key)) = (self.live.upgrade(), self.watched) {
            live.audience.forget(key);
        }
    }
}

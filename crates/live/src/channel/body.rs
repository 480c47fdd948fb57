//! A feed as the body of a response.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body as HttpBody;
use bytes::Bytes;
use http_body::{Body, Frame};

use super::feed::Feed;
use crate::hub::live::audience::Outlet;

impl Feed {
    /// The feed as the body of a response. One that nobody reads is ended from outside, but for the response of the
    /// request itself, which is told its losses and its end whenever it reads again.
    pub(crate) fn into_body(mut self) -> HttpBody {
        let outlet = self.outlet();
        HttpBody::new(Piped {
            before: self.retry(),
            watched: outlet.map(|outlet| (self.audience().watch(&outlet), outlet)),
            feed: self,
        })
    }
}

/// What hyper holds. The feed lies in it and not behind it: with a thousand readers, each further place in memory is what a
/// delivery costs.
#[derive(Debug)]
struct Piped {
    feed: Feed,
    /// What comes before everything else.
    before: Option<Bytes>,
    /// How it is seen from outside, and under which key.
    watched: Option<(u64, Arc<Outlet>)>,
}

/// Nobody reads.
#[derive(Debug, thiserror::Error)]
#[error("the reader did not read, and was ended")]
struct Stalled;

impl Body for Piped {
    type Data = Bytes;
    type Error = Stalled;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Stalled>>> {
        let this = &mut *self;
        if this.watched.as_ref().is_some_and(|(_, it)| it.is_ended()) {
            return Poll::Ready(Some(Err(Stalled)));
        }
        let polled = this.feed.poll_piece(&mut this.before, cx);
        if let Some((_, outlet)) = &this.watched {
            outlet.asked(this.feed.progress().0);
        }
        polled.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.feed.progress().1
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        if let Some((key, _)) = &self.watched {
            self.feed.audience().forget(*key);
        }
    }
}

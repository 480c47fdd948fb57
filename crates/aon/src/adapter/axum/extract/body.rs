//! Taking in a body within its limit, and telling the limit.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use ::axum::RequestExt;
use ::axum::body::to_bytes;
use axum_core::body::Body;
use axum_core::extract::Request;
use bytes::Bytes;
use http::Extensions;
use http_body::Body as _;

use crate::builtin;
use crate::door::Failure;

/// The whole body, within the limit of `DefaultBodyLimit`.
pub(super) async fn whole(request: Request) -> Result<Bytes, Failure> {
    let declared = request.body().size_hint().upper();
    let (parts, body) = request.with_limited_body().into_parts();
    let limit = || limit(&parts.extensions, declared);
    let read = to_bytes(body, usize::MAX).await;
    read.map_err(|error| builtin::unread(&error.to_string(), limit))
}

/// The limit, which axum keeps to itself: the longest body that would have been taken. Looked for up to 64 MiB.
fn limit(extensions: &Extensions, declared: Option<u64>) -> Option<usize> {
    const LARGEST: usize = 64 << 20;
    let declared = declared.and_then(|length| usize::try_from(length).ok());
    let (mut taken, mut refused) = (0, declared.unwrap_or(LARGEST).min(LARGEST));
    if is_taken(extensions, refused) {
        return None;
    }
    while refused - taken > 1 {
        let middle = taken + (refused - taken) / 2;
        if is_taken(extensions, middle) {
            taken = middle;
        } else {
            refused = middle;
        }
    }
    Some(taken)
}

/// Whether a body of this length would be taken; nothing in it is looked at.
fn is_taken(extensions: &Extensions, length: usize) -> bool {
    let mut request = Request::new(Body::from(vec![0; length]));
    *request.extensions_mut() = extensions.clone();
    let read = to_bytes(request.into_limited_body(), usize::MAX);
    let read = pin!(read).poll(&mut Context::from_waker(Waker::noop()));
    matches!(read, Poll::Ready(Ok(_)))
}

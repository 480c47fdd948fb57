//! Running somebody's code so that a panic in it does not get out.

use std::any::Any;
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
use std::{pin::pin, task::Poll};

/// Runs the function, or gives the words of its panic for the log.
pub(crate) fn catch<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic left behind is dropped unread, so nothing broken is seen again.
    catch_unwind(AssertUnwindSafe(function)).map_err(|panic| words(panic.as_ref()))
}

/// Runs the future to its end, or to its panic, of which the words are given back for the log.
#[cfg(any(feature = "rmcp", feature = "jsonrpsee"))]
pub(super) async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(
        move |context| match catch(|| future.as_mut().poll(context)) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(words) => Poll::Ready(Err(words)),
        },
    )
    .await
}

fn words(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

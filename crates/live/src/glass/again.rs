//! Work that another machine began, run to its end here.

use std::convert::Infallible;
use std::sync::Arc;

use aon::door::{Door, Facts, Scope};

use super::caught::Caught;
use super::driver;
use crate::hub::live::Live;
use crate::restart::Work;

/// Runs it; the session has ended when it is over.
pub(crate) fn run_again(live: &Arc<Live>, work: Work) {
    let facts = Facts::new("stream").with_request_id(live.origin.trace.to_string());
    let scope = Scope::open(&Door::new(), facts);
    let around = scope.clone();
    let inner = Box::pin(async move { Ok::<_, Infallible>(around.enter(work).await) });
    let caught = Caught {
        inner,
        span: tracing::Span::none(),
    };
    let unfinished = driver::Unfinished(Arc::clone(live));
    tokio::spawn(driver::drive(caught, unfinished, scope, None));
}

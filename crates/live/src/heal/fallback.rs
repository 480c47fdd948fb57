//! Something else instead: a value, or another way to get one.

use std::fmt;
use std::future::Future;

use aon::Failure;
use serde_json::Value;

use super::strategy::{Failed, Remedy, Strategy};

/// Gives something else when everything before it declined.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// use aon::{Code, ProblemDetails, Status};
/// use aon_live::heal::{Fallback, step};
///
/// let rate = step("exchange_rate", "EUR")
///     .heal(Fallback::value(1.08))
///     .run(async |_currency: String, _| Err(ProblemDetails::new(Status::from_static(503), Code::from_static("no_rates"))))
///     .await;
/// assert_eq!(rate.ok(), Some(1.08));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Fallback<F> {
    other: F,
    used: bool,
}

/// A value that was given beforehand.
#[derive(Clone, Debug)]
pub struct Given<R>(Option<R>);

/// Another body.
#[derive(Clone, Debug)]
pub struct Other<F>(F);

impl<R> Fallback<Given<R>> {
    /// A value.
    pub const fn value(value: R) -> Self {
        Self {
            other: Given(Some(value)),
            used: false,
        }
    }
}

impl<F> Fallback<Other<F>> {
    /// Another body; it gets the payload as it is.
    pub const fn body(other: F) -> Self {
        Self {
            other: Other(other),
            used: false,
        }
    }
}

impl<R: Send> Strategy<R> for Fallback<Given<R>> {
    async fn heal(&mut self, _: &mut Failed<'_>) -> Remedy<R> {
        match self.other.0.take() {
            Some(value) => {
                Remedy::give("fallback", value).because("A value that was kept is used.")
            }
            None => Remedy::decline(),
        }
    }
}

impl<R, F, Fut> Strategy<R> for Fallback<Other<F>>
where
    R: Send,
    F: FnMut(Value) -> Fut + Send,
    Fut: Future<Output = Result<R, Failure>> + Send,
{
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        if self.used {
            return Remedy::decline();
        }
        self.used = true;
        match (self.other.0)(failed.payload().clone()).await {
            Ok(value) => Remedy::give("fallback", value).because("Another way was taken."),
            Err(failure) => {
                let code = failure.problem().code().map_or("", aon_core::Code::as_str);
                failed.tried("fallback", &format!("The other way failed too: {code}."));
                Remedy::decline()
            }
        }
    }
}

impl<F> fmt::Debug for Fallback<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").finish_non_exhaustive()
    }
}

//! Trying again after a while.

use std::time::Duration;

use super::strategy::{Failed, Remedy, Strategy};
use crate::clock::milliseconds;
use crate::machine::backoff::Waits;

const ACTION: &str = "retry_with_backoff";

/// Tries again, after waits that double and are spread by chance; only where the problem says that it may help.
///
/// `retry_after` of a problem is honoured: it is waited for at least so long. Where that is longer than 30 seconds
/// ([`Backoff::patience`]) nothing is tried.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    attempts: u32,
    used: u32,
    waits: Waits,
}

impl Backoff {
    /// Tries again at most so often.
    pub const fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            used: 0,
            waits: Waits {
                first: 100,
                most: 5_000,
                patience: 30_000,
            },
        }
    }

    /// The ceiling of the first wait (100 ms), and the highest one (5 s).
    #[must_use]
    pub fn waits(mut self, first: Duration, most: Duration) -> Self {
        self.waits.first = milliseconds(first);
        self.waits.most = milliseconds(most);
        self
    }

    /// The longest `retry_after` that is waited for: 30 seconds.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.waits.patience = milliseconds(patience);
        self
    }
}

impl<R: Send> Strategy<R> for Backoff {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        let hints = failed.hints();
        if !hints.retryable || self.used >= self.attempts {
            return Remedy::decline();
        }
        let wait = self
            .waits
            .wait(self.used + 1, hints.retry_after_ms, failed.random());
        let Some(wait) = wait else {
            failed.tried(ACTION, "The wait that is asked for is too long.");
            return Remedy::decline();
        };
        self.used += 1;
        Remedy::retry(ACTION).after(Duration::from_millis(wait))
    }
}

//! The clock of southbound, read in one place.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix milliseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "the shell reads the clock and gives the time to what decides"
)]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

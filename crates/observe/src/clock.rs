//! The one place of this crate that asks what time it is.

#[cfg(feature = "otlp")]
use std::time::Duration;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Unix time in milliseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "logs, spans and exemplars carry the time of day, and this is where it enters"
)]
pub(crate) fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// A moment to measure from.
#[expect(
    clippy::disallowed_methods,
    reason = "durations are measured, and this is where that begins"
)]
pub(crate) fn start() -> Instant {
    Instant::now()
}

/// Milliseconds as seconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of this century are exact in a double"
)]
pub(crate) fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// A time of day.
#[cfg(feature = "otlp")]
pub(crate) fn system(milliseconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds)
}

/// Milliseconds of a duration.
#[cfg(feature = "otlp")]
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

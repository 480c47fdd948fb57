//! The clocks of the hub: the one place of this crate that asks what time it is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::time::{Now, Tick, WallMs};

/// Reads both clocks. Ticks follow tokio's, so that a test that pauses time pauses them too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            tick: self.tick(),
            wall: wall(),
        }
    }

    pub(crate) fn tick(&self) -> Tick {
        Tick(milliseconds(self.start.elapsed()))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "events carry the time of day, and this is where it enters"
)]
fn wall() -> WallMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    WallMs(since.map_or(0, milliseconds))
}

pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

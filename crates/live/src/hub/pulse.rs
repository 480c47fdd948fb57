//! What happens by the clock, for all sessions together: signs of life, readers that do not read, sessions that are over.
//!
//! One task for the whole hub, so that a reader has no timer of its own and costs nothing while nothing happens.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::live::Stop;
use super::{Hub, Inner};
use crate::clock::milliseconds;
use crate::fault::Fault;
use crate::settings::{Profile, Settings};
use crate::sync::locked;
use crate::time::Tick;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Pulse {
    beats: AtomicBool,
    /// When everything but the signs of life was looked after last.
    kept: AtomicU64,
    /// When all sessions beat together next.
    together: AtomicU64,
}

/// How often the hub looks: often enough that silence is never longer than it says.
fn step(settings: &Settings) -> Duration {
    let shorter = settings.heartbeat.min(settings.stalled) / 8;
    shorter.clamp(Duration::from_millis(5), SECOND)
}

impl Hub {
    /// Starts the pulse, unless it beats.
    pub(crate) fn start_pulse(&self) {
        if self.0.pulse.beats.load(Ordering::Relaxed) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            // Without a runtime there is nobody who could follow; the first who does starts it.
            return;
        };
        if self.0.pulse.beats.swap(true, Ordering::Relaxed) {
            return;
        }
        let beating = Beating(Arc::downgrade(&self.0));
        let step = step(&self.0.settings);
        runtime.spawn(async move {
            let mut clock = tokio::time::interval(step);
            clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                clock.tick().await;
                let Some(hub) = beating.0.upgrade() else {
                    break;
                };
                Self(hub).beat(step);
            }
        });
    }

    fn beat(&self, step: Duration) {
        let now = self.0.clock.now();
        let due = self.due(now.tick, milliseconds(step));
        for live in locked(&self.0.table).followed() {
            if due(live.said()) {
                live.beat(&self.0.settings, now);
            }
        }
        let pulse = &self.0.pulse;
        let rare = SECOND.min(self.0.settings.stalled / 8);
        if now.tick.since(Tick(pulse.kept.load(Ordering::Relaxed))) < milliseconds(rare) {
            return;
        }
        pulse.kept.store(now.tick.0, Ordering::Relaxed);
        self.sweep();
        self.expire(now.tick);
        let stalled = milliseconds(self.0.settings.stalled);
        for live in locked(&self.0.table).followed() {
            live.end_stalled(now.tick, stalled);
        }
    }

    /// Whether a sign of life is due for who said something last at that time.
    fn due(&self, now: Tick, step: u64) -> impl Fn(Tick) -> bool {
        let settings = &self.0.settings;
        let interval = milliseconds(settings.heartbeat);
        let together = &self.0.pulse.together;
        let mut all = false;
        if settings.profile == Profile::EachSecond {
            let next = Tick(together.load(Ordering::Relaxed));
            all = now.plus(step / 2) >= next;
            if all {
                // In step with the clock, unless that was lost.
                let on_time = now.since(next) < interval;
                let from = if on_time { next } else { now };
                together.store(from.plus(interval).0, Ordering::Relaxed);
            }
        }
        let by_silence = settings.profile == Profile::Standard;
        move |said| all || by_silence && now.plus(step).since(said) > interval
    }

    /// Ends sessions that are open for too long.
    fn expire(&self, now: Tick) {
        let lifetime = milliseconds(self.0.settings.lifetime);
        let late = locked(&self.0.table).open_before(now, lifetime);
        for live in late {
            live.stop(Stop::Expired);
            live.fail(&Fault::SessionExpired);
        }
    }
}

/// The task, which may end with its runtime while the hub goes on in another one.
struct Beating(Weak<Inner>);

impl Drop for Beating {
    fn drop(&mut self) {
        if let Some(hub) = self.0.upgrade() {
            hub.pulse.beats.store(false, Ordering::Relaxed);
        }
    }
}

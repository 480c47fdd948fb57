//! A circuit breaker that many steps share.

use std::sync::Arc;
use std::time::Duration;

use aon::Failure;
use aon_core::{Category, Status};

use super::fault::HealFault;
use crate::clock::{Clock, milliseconds};
use crate::machine::breaker::Circuit;
use crate::sync::{Mutex, locked};

/// Spares a service that does not work: after so many failures in a row, steps fail at once for a while; then one attempt
/// decides. Clones are the same breaker: keep one for each service.
#[derive(Clone, Debug)]
pub struct Breaker {
    circuit: Arc<Mutex<Circuit>>,
    clock: Clock,
}

impl Breaker {
    /// Opens after so many failures in a row, and rests for so long.
    pub fn new(failures: u32, rest: Duration) -> Self {
        Self {
            circuit: Arc::new(Mutex::new(Circuit::new(
                failures.max(1),
                milliseconds(rest),
            ))),
            clock: Clock::start(),
        }
    }

    pub(super) fn ask(&self) -> Result<(), Failure> {
        locked(&self.circuit)
            .ask(self.clock.tick())
            .map_err(|wait| {
                let retry_after = Duration::from_millis(wait);
                Failure::from(HealFault::CircuitOpen { retry_after })
            })
    }

    /// What became of an attempt. Only what says that the service does not work counts against it.
    pub(super) fn tell(&self, failure: Option<&Failure>) {
        let broken = failure.is_some_and(|failure| {
            let status = failure.problem().status();
            matches!(
                Category::of_status(status.unwrap_or(Status::from_static(500))),
                Category::Availability | Category::Internal | Category::RateLimit
            )
        });
        locked(&self.circuit).tell(self.clock.tick(), !broken);
    }
}

//! A circuit breaker: after so many failures in a row nothing is tried for a while, then one attempt decides.

use crate::time::Tick;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Tick,
    },
    /// One attempt is under way, and decides.
    Probing {
        since: Tick,
    },
}

/// The state of one breaker that decides.
#[derive(Debug)]
pub(crate) struct Circuit {
    threshold: u32,
    /// How long nothing is tried, in milliseconds.
    rest: u64,
    state: State,
}

impl Circuit {
    pub(crate) const fn new(threshold: u32, rest: u64) -> Self {
        Self {
            threshold,
            rest,
            state: State::Closed { failures: 0 },
        }
    }

    /// Asks whether an attempt may be made; if not, how many milliseconds to wait.
    pub(crate) fn ask(&mut self, now: Tick) -> Result<(), u64> {
        match self.state {
            State::Closed { .. } => Ok(()),
            State::Open { until } if now < until => Err(until.since(now)),
            // An attempt that never came back decides nothing; after another rest the next one may.
            State::Probing { since } if now.since(since) < self.rest => {
                Err(self.rest.saturating_sub(now.since(since)).max(1))
            }
            State::Open { .. } | State::Probing { .. } => {
                self.state = State::Probing { since: now };
                Ok(())
            }
        }
    }

    /// What became of an attempt: whether the other side worked.
    pub(crate) fn tell(&mut self, now: Tick, worked: bool) {
        let open = State::Open {
            until: now.plus(self.rest),
        };
        self.state = match self.state {
            _ if worked => State::Closed { failures: 0 },
            State::Closed { failures } if failures + 1 < self.threshold => State::Closed {
                failures: failures + 1,
            },
            State::Closed { .. } | State::Probing { .. } => open,
            State::Open { until } => State::Open { until },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_rests_and_lets_one_attempt_decide() {
        let mut circuit = Circuit::new(3, 1000);
        for _ in 0..3 {
            assert_eq!(circuit.ask(Tick(0)), Ok(()));
            circuit.tell(Tick(0), false);
        }
        assert_eq!(circuit.ask(Tick(400)), Err(600));
        assert_eq!(circuit.ask(Tick(1000)), Ok(()));
        assert_eq!(circuit.ask(Tick(1000)), Err(1000), "one at a time");
        circuit.tell(Tick(1100), false);
        assert_eq!(circuit.ask(Tick(1200)), Err(900));
        assert_eq!(circuit.ask(Tick(2100)), Ok(()));
        circuit.tell(Tick(2100), true);
        assert_eq!(circuit.ask(Tick(2100)), Ok(()));
        assert_eq!(circuit.ask(Tick(2100)), Ok(()));
    }

    #[test]
    fn failures_that_are_not_in_a_row_do_not_count_and_a_lost_attempt_blocks_nobody_for_ever() {
        let mut circuit = Circuit::new(2, 1000);
        for _ in 0..10 {
            circuit.tell(Tick(0), false);
            circuit.tell(Tick(0), true);
        }
        assert_eq!(circuit.ask(Tick(0)), Ok(()));
        circuit.tell(Tick(0), false);
        circuit.tell(Tick(0), false);
        assert_eq!(circuit.ask(Tick(1000)), Ok(()));
        assert_eq!(circuit.ask(Tick(2000)), Ok(()));
    }
}

//! How long to wait before another attempt: exponential, with full jitter from a number that is given.

/// The rules of waiting, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waits {
    /// The ceiling of the first wait; it doubles with each.
    pub(crate) first: u64,
    /// The highest ceiling.
    pub(crate) most: u64,
    /// The longest wait a server may ask for; longer ones are not waited for.
    pub(crate) patience: u64,
}

impl Waits {
    /// The wait before the attempt after `failures` failures. `None` when the server asks for more than there is
    /// patience for.
    pub(crate) fn wait(self, failures: u32, retry_after: Option<u64>, random: u64) -> Option<u64> {
        let doubled = self.first.saturating_mul(
            1_u64
                .checked_shl(failures.saturating_sub(1))
                .unwrap_or(u64::MAX),
        );
        let ceiling = doubled.min(self.most);
        // The whole width of the wait is chance, so that many callers do not come back together.
        let jitter = random % ceiling.saturating_add(1);
        match retry_after {
            Some(asked) if asked > self.patience => None,
            Some(asked) => Some(asked.saturating_add(jitter.min(asked / 10))),
            None => Some(jitter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: Waits = Waits {
        first: 100,
        most: 5000,
        patience: 30_000,
    };

    #[test]
    fn waits_double_up_to_a_ceiling_and_are_spread_below_it() {
        let ceilings = [100, 200, 400, 800, 1600, 3200, 5000, 5000];
        for (failures, ceiling) in (1..).zip(ceilings) {
            let waits: Vec<u64> = (0..=ceiling)
                .filter_map(|random| WAITS.wait(failures, None, random))
                .collect();
            assert_eq!(waits.iter().min(), Some(&0));
            assert_eq!(waits.iter().max(), Some(&ceiling));
        }
        assert!(WAITS.wait(u32::MAX, None, u64::MAX).is_some());
    }

    #[test]
    fn what_the_server_asks_for_is_waited_for_or_nothing_is() {
        for random in 0..1000 {
            let wait = WAITS.wait(1, Some(2000), random).unwrap();
            assert!((2000..=2200).contains(&wait), "{wait}");
        }
        assert_eq!(WAITS.wait(1, Some(30_001), 0), None);
    }
}

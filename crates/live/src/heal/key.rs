//! Numbers nobody can guess, without asking the system for each: keys of steps, names of questions, chance of waits.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Serialize, Serializer};

/// Keyed once per process from the system's randomness.
static SEEDS: LazyLock<(RandomState, RandomState)> =
    LazyLock::new(|| (RandomState::new(), RandomState::new()));
static COUNT: AtomicU64 = AtomicU64::new(1);

/// The key of a step: the same for all its attempts, so that the other side can tell a repeat from a second call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(u128);

impl IdempotencyKey {
    /// A key that no other step of this or another process has.
    pub(crate) fn fresh() -> Self {
        Self(keyed(&moment()))
    }
}

/// A number that depends on a value, and on what only this process knows.
pub(super) fn keyed<T: std::hash::Hash + ?Sized>(value: &T) -> u128 {
    let (one, other) = &*SEEDS;
    let (high, low) = (one.hash_one(value), other.hash_one(value));
    (u128::from(high) << 64) | u128::from(low)
}

/// A name for somebody who gave none, the same for the same credential and telling nothing of it.
#[cfg(feature = "jwt")]
pub(crate) fn unnamed(credential: &str) -> String {
    format!("token:{:032x}", keyed(credential.as_bytes()))
}

/// The next moment of this process: later ones are larger.
pub(super) fn moment() -> u64 {
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// A number for chance.
pub(super) fn random() -> u64 {
    SEEDS.0.hash_one(moment())
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for IdempotencyKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_are_equal() {
        let keys: std::collections::BTreeSet<String> = (0..10_000)
            .map(|_| IdempotencyKey::fresh().to_string())
            .collect();
        assert_eq!(keys.len(), 10_000);
        assert!(keys.iter().all(|key| key.len() == 32));
    }
}

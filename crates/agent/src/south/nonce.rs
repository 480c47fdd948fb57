//! Nonces that were used: each is good once.

use std::collections::BTreeSet;

/// How long a nonce is remembered, in seconds: longer than the window is wide on both sides.
pub const REMEMBERED: u64 = 2 * super::sign::WINDOW;

/// What became of a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a nonce is new, known or too many")]
pub enum Seen {
    /// It was new and is remembered now.
    New,
    /// It was used before.
    Before,
    /// There is no room to remember it.
    Full,
}

/// The nonces of all agents, bounded.
#[derive(Debug)]
pub struct Nonces {
    seen: BTreeSet<(String, String)>,
    by_time: BTreeSet<(u64, String, String)>,
    most: usize,
}

impl Nonces {
    /// Remembers so many.
    pub fn new(most: usize) -> Self {
        Self {
            seen: BTreeSet::new(),
            by_time: BTreeSet::new(),
            most,
        }
    }

    /// Uses a nonce up.
    pub fn take(&mut self, agent: &str, nonce: &str, now: u64) -> Seen {
        self.forget(now);
        let key = (agent.to_owned(), nonce.to_owned());
        if self.seen.contains(&key) {
            return Seen::Before;
        }
        if self.seen.len() >= self.most {
            return Seen::Full;
        }
        self.by_time
            .insert((now + REMEMBERED, key.0.clone(), key.1.clone()));
        self.seen.insert(key);
        Seen::New
    }

    fn forget(&mut self, now: u64) {
        while let Some((until, _, _)) = self.by_time.first()
            && *until < now
        {
            if let Some((_, agent, nonce)) = self.by_time.pop_first() {
                self.seen.remove(&(agent, nonce));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_good_once_and_for_one_agent() {
        let mut nonces = Nonces::new(3);
        assert_eq!(nonces.take("a", "1", 100), Seen::New);
        assert_eq!(nonces.take("a", "1", 100), Seen::Before);
        assert_eq!(nonces.take("b", "1", 100), Seen::New);
        assert_eq!(nonces.take("a", "1", 700), Seen::Before);
        assert_eq!(nonces.take("a", "2", 700), Seen::New);
        assert_eq!(nonces.take("a", "3", 700), Seen::Full);
        // By then its signature is outside the window on either side.
        assert_eq!(nonces.take("a", "1", 701), Seen::New);
    }
}

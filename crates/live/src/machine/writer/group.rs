//! Group commit: what many sessions want stored while a group is under way goes together in the next one.

use std::collections::VecDeque;

/// How much goes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRules {
    /// At most that many.
    pub items: usize,
    /// Nothing further once that many bytes are in.
    pub bytes: usize,
    /// How many groups may be under way.
    pub flights: usize,
}

impl Default for GroupRules {
    fn default() -> Self {
        Self {
            items: 256,
            bytes: 512 * 1024,
            flights: 1,
        }
    }
}

/// What waits for one connection. There is no timer in it: a group is as large as the store is slow.
#[derive(Debug)]
pub struct Group<T> {
    rules: GroupRules,
    waiting: VecDeque<(T, usize)>,
    flying: usize,
}

impl<T> Group<T> {
    /// Nothing waits.
    pub const fn new(rules: GroupRules) -> Self {
        Self {
            rules,
            waiting: VecDeque::new(),
            flying: 0,
        }
    }

    /// Takes one more, of that many bytes.
    pub fn push(&mut self, item: T, bytes: usize) {
        self.waiting.push_back((item, bytes));
    }

    /// A group has come back, whatever became of it.
    pub const fn landed(&mut self) {
        self.flying = self.flying.saturating_sub(1);
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The next group, in the order in which its parts came.
    pub fn poll(&mut self) -> Option<Vec<T>> {
        if self.flying >= self.rules.flights.max(1) || self.waiting.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let mut group = Vec::new();
        while let Some((_, size)) = self.waiting.front() {
            let full = group.len() >= self.rules.items || bytes + size > self.rules.bytes;
            if full && !group.is_empty() {
                break;
            }
            bytes += size;
            group.extend(self.waiting.pop_front().map(|(item, _)| item));
        }
        self.flying += 1;
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_a_group_flies_goes_together_in_the_next_one() {
        let mut group = Group::new(GroupRules {
            items: 4,
            bytes: 100,
            flights: 1,
        });
        assert_eq!(group.poll(), None);
        for item in 0..7 {
            group.push(item, 10);
        }
        assert_eq!(group.poll(), Some(vec![0, 1, 2, 3]));
        assert_eq!(group.poll(), None);
        group.push(7, 1000);
        group.landed();
        assert_eq!(group.poll(), Some(vec![4, 5, 6]));
        group.landed();
        assert_eq!(
            group.poll(),
            Some(vec![7]),
            "one that is too large goes alone"
        );
        group.landed();
        assert_eq!((group.poll(), group.waiting()), (None, 0));
    }
}

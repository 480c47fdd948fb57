//! Which debug lines are written: a budget per second and event; what shares a trace with an error is kept. Pure: time comes
//! in as an argument.

use std::collections::{BTreeMap, VecDeque};

use crate::names::OTHER;

/// How many debug lines there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Lines of one event in one second: 10.
    pub per_second: u32,
    /// Lines that are held back in case their trace fails: 2000.
    pub held: usize,
    /// How long a line is held back, and how long a trace that failed is shown whole, in milliseconds: 10 000.
    pub window_ms: u64,
    /// Traces that failed and are kept in mind: 1000.
    pub traces: usize,
    /// Events that have a budget of their own: 256. Others share one.
    pub events: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            per_second: 10,
            held: 2000,
            window_ms: 10_000,
            traces: 1000,
            events: 256,
        }
    }
}

impl Budget {
    /// So many lines of one event in one second, and the defaults.
    pub fn per_second(lines: u32) -> Self {
        Self {
            per_second: lines,
            ..Self::default()
        }
    }
}

/// How much a line matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sampling knows these three")]
pub enum Weight {
    /// Sampled.
    Debug,
    /// Always written.
    Plain,
    /// Always written, and everything of its trace too.
    Error,
}

/// The rules, and the lines that wait.
#[derive(Debug)]
pub struct Sampler<T> {
    budget: Budget,
    spent: BTreeMap<String, Spent>,
    held: VecDeque<Held<T>>,
    /// Until when a trace that failed is shown whole.
    failed: BTreeMap<String, u64>,
    dropped: BTreeMap<String, u64>,
    said: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    second: u64,
    lines: u32,
}

#[derive(Debug)]
struct Held<T> {
    trace: String,
    event: String,
    at: u64,
    line: T,
}

impl<T> Sampler<T> {
    /// With this budget.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            spent: BTreeMap::new(),
            held: VecDeque::new(),
            failed: BTreeMap::new(),
            dropped: BTreeMap::new(),
            said: 0,
        }
    }

    /// Takes a line; `write` gets those that are to be written now, in order. `now` is in milliseconds.
    pub fn offer(
        &mut self,
        now: u64,
        weight: Weight,
        event: &str,
        trace: Option<&str>,
        line: T,
        write: &mut impl FnMut(T),
    ) {
        self.expire(now);
        match (weight, trace) {
            (Weight::Plain, _) | (Weight::Error, None) => write(line),
            (Weight::Error, Some(trace)) => {
                self.release(trace, write);
                self.remember(now, trace);
                write(line);
            }
            (Weight::Debug, trace) => {
                let failed = trace.is_some_and(|trace| self.failed.contains_key(trace));
                if failed || self.spend(now, event) {
                    write(line);
                } else if let Some(trace) = trace.filter(|_| self.budget.held > 0) {
                    if self.held.len() >= self.budget.held {
                        self.drop_oldest();
                    }
                    self.held.push_back(Held {
                        trace: trace.to_owned(),
                        event: event.to_owned(),
                        at: now,
                        line,
                    });
                } else {
                    self.lose(event);
                }
            }
        }
    }

    /// What was left out since this was asked last, by event; at most once in a second.
    pub fn losses(&mut self, now: u64) -> Option<BTreeMap<String, u64>> {
        self.expire(now);
        if self.dropped.is_empty() || now < self.said.saturating_add(1000) {
            return None;
        }
        self.said = now;
        Some(std::mem::take(&mut self.dropped))
    }

    /// Gives up what is held, and says everything that was left out.
    pub fn close(&mut self) -> BTreeMap<String, u64> {
        while !self.held.is_empty() {
            self.drop_oldest();
        }
        std::mem::take(&mut self.dropped)
    }

    /// Lines that wait.
    pub fn waiting(&self) -> usize {
        self.held.len()
    }

    fn spend(&mut self, now: u64, event: &str) -> bool {
        let known = self.spent.contains_key(event) || self.spent.len() < self.budget.events;
        let spent = self
            .spent
            .entry(if known { event } else { OTHER }.to_owned())
            .or_default();
        let second = now / 1000;
        if spent.second != second {
            *spent = Spent { second, lines: 0 };
        }
        let has = spent.lines < self.budget.per_second;
        spent.lines += u32::from(has);
        has
    }

    fn release(&mut self, trace: &str, write: &mut impl FnMut(T)) {
        let (of_it, others) = std::mem::take(&mut self.held)
            .into_iter()
            .partition::<VecDeque<_>, _>(|held| held.trace == trace);
        self.held = others;
        for held in of_it {
            write(held.line);
        }
    }

    fn remember(&mut self, now: u64, trace: &str) {
        if self.failed.len() >= self.budget.traces && !self.failed.contains_key(trace) {
            let oldest = self.failed.iter().min_by_key(|(_, until)| **until);
            if let Some(oldest) = oldest.map(|(trace, _)| trace.clone()) {
                self.failed.remove(&oldest);
            }
        }
        self.failed
            .insert(trace.to_owned(), now.saturating_add(self.budget.window_ms));
    }

    fn expire(&mut self, now: u64) {
        let window = self.budget.window_ms;
        while self
            .held
            .front()
            .is_some_and(|held| held.at.saturating_add(window) < now)
        {
            self.drop_oldest();
        }
        self.failed.retain(|_, until| *until >= now);
    }

    fn drop_oldest(&mut self) {
        if let Some(held) = self.held.pop_front() {
            self.lose(&held.event);
        }
    }

    fn lose(&mut self, event: &str) {
        let known = self.dropped.contains_key(event) || self.dropped.len() < self.budget.events;
        *self
            .dropped
            .entry(if known { event } else { OTHER }.to_owned())
            .or_default() += 1;
    }
}

#[cfg(test)]
mod tests;

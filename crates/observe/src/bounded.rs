//! A family of series that cannot grow without end.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::exemplar::{CounterWithExemplar, HistogramWithExemplars};
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::histogram::Histogram;

use crate::names::OTHER;

/// The most series of one metric: beyond, everything goes to `other`.
pub const MOST_SERIES: usize = 1000;
/// The longest value of a label.
const LONGEST: usize = 100;

/// The value of a label.
pub(crate) type Word = Cow<'static, str>;
/// Names and values.
pub(crate) type Labels<const N: usize> = [(&'static str, Word); N];
/// The trace that an exemplar points at.
pub(crate) type Trace = [(&'static str, String); 1];

/// Series by their labels, at most [`MOST_SERIES`] and one for the rest.
#[derive(Debug)]
pub(crate) struct Bounded<const N: usize, M, C = fn() -> M> {
    pub(crate) family: Family<Labels<N>, M, C>,
    most: usize,
    /// How many there are; held while one is added, so that the limit is exact.
    adding: Arc<Mutex<usize>>,
    refused: Counter,
}

impl<const N: usize, M, C: Clone> Clone for Bounded<N, M, C> {
    fn clone(&self) -> Self {
        Self {
            family: self.family.clone(),
            most: self.most,
            adding: Arc::clone(&self.adding),
            refused: self.refused.clone(),
        }
    }
}

impl<const N: usize, M: Clone, C: MetricConstructor<M>> Bounded<N, M, C> {
    pub(crate) fn new(refused: &Counter, most: usize, constructor: C) -> Self {
        Self {
            family: Family::new_with_constructor(constructor),
            most,
            adding: Arc::default(),
            refused: refused.clone(),
        }
    }

    /// The series of these labels, or that of the rest.
    pub(crate) fn at(&self, labels: &Labels<N>) -> M {
        if let Some(known) = self.family.get(labels) {
            return known.clone();
        }
        let mut count = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.family.get(labels).is_some();
        if known || *count < self.most {
            *count += usize::from(!known);
            return self.family.get_or_create_owned(labels);
        }
        drop(count);
        self.refused.inc();
        let rest: Labels<N> = std::array::from_fn(|at| {
            let name = labels.get(at).map_or("", |(name, _)| *name);
            (name, Cow::Borrowed(OTHER))
        });
        self.family.get_or_create_owned(&rest)
    }
}

/// A value that came from outside, as far as it may be a label: a short word.
pub(crate) fn word(text: &str) -> Word {
    let fine = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '{' | '}' | ':' | '*')
    };
    if text.is_empty() || text.len() > LONGEST || !text.chars().all(fine) {
        return Cow::Borrowed(OTHER);
    }
    Cow::Owned(text.to_owned())
}

/// The word of a closed set that a text is, or `other`.
pub(crate) fn among(text: &str, set: &'static [&'static str]) -> &'static str {
    set.iter()
        .find(|word| **word == text)
        .copied()
        .unwrap_or(OTHER)
}

/// Seconds, from half a millisecond to a minute.
pub(crate) fn seconds() -> HistogramWithExemplars<Trace> {
    HistogramWithExemplars::new(SECONDS.into_iter())
}

/// Seconds that people take.
pub(crate) fn patience() -> HistogramWithExemplars<Trace> {
    HistogramWithExemplars::new(
        [
            0.1, 0.5, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0,
        ]
        .into_iter(),
    )
}

/// Numbers of events.
pub(crate) fn counts() -> Histogram {
    Histogram::new([
        0.0, 1.0, 4.0, 16.0, 64.0, 128.0, 256.0, 1024.0, 4096.0, 16384.0,
    ])
}

pub(crate) fn traced() -> CounterWithExemplar<Trace> {
    CounterWithExemplar::default()
}

const SECONDS: [f64; 15] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

//! Measuring without trusting a noisy machine: every case runs in the same rounds as its base, and the
//! ratio is the median over rounds. Allocations are counted, which does not depend on the machine at all.

pub mod by_hand;
pub mod example;
pub mod heap;
pub mod process;

use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub use heap::Counting;

/// How many allocations there were so far.
pub fn allocations() -> u64 {
    heap::ALLOCATIONS.load(Ordering::Relaxed)
}

/// One thing to measure. It returns how many bytes it made, so that nothing is optimised away.
pub struct Case<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// What runs.
    pub run: Box<dyn Fn() -> usize + 'a>,
}

impl<'a> Case<'a> {
    /// A case of that name.
    pub fn new(name: &'a str, run: impl Fn() -> usize + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// One line of a table.
pub struct Line {
    /// The case.
    pub name: String,
    /// Nanoseconds for one run: the 10th percentile over rounds.
    pub nanos: f64,
    /// The median over rounds of this case against the first.
    pub ratio: f64,
    /// Allocations and reallocations of one run.
    pub allocations: (u64, u64),
    /// Bytes it made.
    pub bytes: usize,
}

/// Runs all cases interleaved; the first one is the base.
pub fn compare(cases: &[Case<'_>], rounds: usize, iterations: usize) -> Vec<Line> {
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    for round in 0..rounds + 5 {
        for (case, times) in cases.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..iterations {
                black_box((case.run)());
            }
            if round >= 5 {
                times.push(start.elapsed().as_nanos() as f64 / iterations as f64);
            }
        }
    }
    let base = times[0].clone();
    cases
        .iter()
        .zip(times)
        .map(|(case, times)| {
            let ratios: Vec<f64> = times.iter().zip(&base).map(|(time, base)| time / base).collect();
            let before = (heap::ALLOCATIONS.load(Ordering::Relaxed), heap::REALLOCATIONS.load(Ordering::Relaxed));
            let bytes = black_box((case.run)());
            let after = (heap::ALLOCATIONS.load(Ordering::Relaxed), heap::REALLOCATIONS.load(Ordering::Relaxed));
            Line {
                name: case.name.to_owned(),
                nanos: percentile(times, 10),
                ratio: percentile(ratios, 50),
                allocations: (after.0 - before.0, after.1 - before.1),
                bytes,
            }
        })
        .collect()
}

/// Prints a table in Markdown.
pub fn print(title: &str, lines: &[Line]) {
    println!("\n{title}\n");
    println!("| case | ns | ratio | allocations / reallocations | bytes |");
    println!("| --- | --- | --- | --- | --- |");
    for line in lines {
        let (allocations, reallocations) = line.allocations;
        println!(
            "| {} | {:.0} | {:.2} | {allocations} / {reallocations} | {} |",
            line.name, line.nanos, line.ratio, line.bytes
        );
    }
}

/// Fails the run when a promise does not hold.
pub fn promise(lines: &[Line], name: &str, most: f64) {
    let line = lines.iter().find(|line| line.name == name).unwrap_or_else(|| panic!("no case {name}"));
    let verdict = if line.ratio <= most { "held" } else { "BROKEN" };
    println!("\npromise: {name} ≤ {most}: {:.2}, {verdict}", line.ratio);
}

fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * percent / 100]
}

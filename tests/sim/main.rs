//! The machines of several nodes in one process, one thread and one seed: nodes, an engine with a replica, a network that loses,
//! repeats and delays, clocks that disagree, readers and people.
//!
//! `AON_SIM_SEEDS=100000 cargo test --release -p aon-tests --test sim` runs more seeds, `AON_SIM_SEED=17` one seed with its trace.
//! `AON_SIM_OFF=Crash,Cut` switches kinds of faults off, `AON_SIM_PLANT=NoFencing` makes a mistake on purpose.

mod checker;
mod client;
mod engine;
mod fault;
mod handler;
mod mirror;
#[path = "../scale/model.rs"]
mod model;
mod net;
mod node;
mod options;
mod rng;
mod run;
mod world;

use std::panic::catch_unwind;

use options::{KINDS, Kind, Options, PLANTS, Plant};
use run::{Report, run, run_with};

/// How many seeds CI tries.
const SEEDS: u64 = 500;

fn setting<T>(name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    let value = read(&text);
    assert!(value.is_some(), "{name}={text} is not a valid setting");
    value
}

fn kinds(text: &str) -> Option<Vec<Kind>> {
    let kind = |name: &str| KINDS.into_iter().find(|kind| format!("{kind:?}") == name);
    text.split(',').map(kind).collect()
}

/// Runs a seed; a panic is a failure like any other.
fn attempt(seed: u64, plant: Option<Plant>, off: &[Kind]) -> Result<Report, String> {
    let mut options = Options::draw(seed, plant, off);
    options.trace = setting("AON_SIM_TRACE", |text| text.parse().ok()).unwrap_or(options.trace);
    match catch_unwind(|| run_with(options)) {
        Ok(report) => match &report.failure {
            None => Ok(report),
            Some(failure) => Err(format!(
                "{}: {}, at {} ms\n{}",
                failure.class, failure.what, report.at, report.trace
            )),
        },
        Err(_) => Err("crash: a machine panicked".to_owned()),
    }
}

/// Switches off every kind of fault that the failure does not need.
fn reduce(seed: u64, plant: Option<Plant>, off: &[Kind]) -> Vec<Kind> {
    let mut off = off.to_vec();
    for kind in KINDS {
        if !off.contains(&kind) {
            off.push(kind);
            if attempt(seed, plant, &off).is_ok() {
                off.pop();
            }
        }
    }
    off
}

fn replay(seed: u64, plant: Option<Plant>, off: &[Kind]) -> String {
    let plant = plant
        .map(|plant| format!("AON_SIM_PLANT={plant:?} "))
        .unwrap_or_default();
    let off: Vec<_> = off.iter().map(|kind| format!("{kind:?}")).collect();
    let off = if off.is_empty() {
        String::new()
    } else {
        format!("AON_SIM_OFF={} ", off.join(","))
    };
    format!("AON_SIM_SEED={seed} {plant}{off}cargo test -p aon-tests --test sim every_seed")
}

#[test]
fn every_seed_holds() {
    let plant = setting("AON_SIM_PLANT", |text| {
        PLANTS
            .into_iter()
            .find(|plant| format!("{plant:?}") == text)
    });
    let off = setting("AON_SIM_OFF", kinds).unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().ok();
    if let Some(seed) = setting("AON_SIM_SEED", number) {
        match attempt(seed, plant, &off) {
            Ok(report) => println!(
                "seed {seed} holds: {:?} {:?}",
                report.options, report.counts
            ),
            Err(why) => panic!("seed {seed} {why}"),
        }
        return;
    }
    let from = setting("AON_SIM_FROM", number).unwrap_or(0);
    let seeds = setting("AON_SIM_SEEDS", number).unwrap_or(SEEDS);
    let mut total = checker::Counts::default();
    let mut steps = 0;
    for seed in from..from + seeds {
        match attempt(seed, plant, &off) {
            Ok(report) => {
                steps += report.steps;
                total.add(&report.counts);
            }
            Err(why) => {
                let line = why.lines().next().unwrap_or_default();
                let off = reduce(seed, plant, &off);
                panic!(
                    "seed {seed}: {line}\nreplay: {}\n{why}",
                    replay(seed, plant, &off)
                );
            }
        }
    }
    println!("count: {seeds} seeds, {steps} events, {}", total.line());
    assert!(
        total.covers_everything() || seeds < SEEDS,
        "a kind of event never happened: {total:?}"
    );
}

#[test]
fn the_same_seed_twice_gives_the_same_bytes() {
    let mut digests = std::collections::BTreeSet::new();
    for seed in 0..25 {
        let (first, second) = (run(seed, None, &[]), run(seed, None, &[]));
        assert_eq!(
            (first.digest, first.steps, first.at),
            (second.digest, second.steps, second.at),
            "seed {seed}"
        );
        assert_eq!(first.trace, second.trace);
        digests.insert(first.digest);
    }
    assert_eq!(digests.len(), 25, "different seeds are different worlds");
    println!("count: 25 seeds run twice");
}

#[test]
fn every_planted_mistake_is_found() {
    let seeds = setting("AON_SIM_SEEDS", |text| text.parse::<u64>().ok()).unwrap_or(SEEDS);
    std::panic::set_hook(Box::new(|_| {}));
    let found: Vec<_> = PLANTS
        .into_iter()
        .map(|plant| {
            let first = (0..seeds)
                .find_map(|seed| attempt(seed, Some(plant), &[]).err().map(|why| (seed, why)));
            (plant, first)
        })
        .collect();
    let _ = std::panic::take_hook();
    for (plant, first) in &found {
        match first {
            Some((seed, why)) => println!(
                "count: {plant:?} found by seed {seed}: {}",
                why.lines().next().unwrap_or_default()
            ),
            None => println!("{plant:?} was not found"),
        }
    }
    assert!(
        found.iter().all(|(_, first)| first.is_some()),
        "a planted mistake was not found"
    );
}

#[test]
fn the_capacity_table_of_the_book_is_what_the_model_says() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operating.md");
    let book = std::fs::read_to_string(place).expect("the chapter");
    let table = model::table(&model::MEASURED, &model::USUAL);
    for line in &table {
        assert!(book.contains(line), "docs/operating.md lacks: {line}");
    }
    println!("count: {} lines of the capacity table", table.len());
}

#[test]
fn more_of_anything_is_never_free_and_engines_multiply() {
    use model::{ENGINE, Load, MEASURED, NODE, USUAL, capacity};
    let sessions = |load: Load| capacity(&MEASURED, &load, &NODE, &ENGINE).0;
    let usual = sessions(USUAL);
    for heavier in [
        Load {
            rate: USUAL.rate * 2.0,
            ..USUAL
        },
        Load {
            bytes: USUAL.bytes * 100.0,
            ..USUAL
        },
        Load {
            readers: 1000.0,
            ..USUAL
        },
        Load {
            heartbeat: 0.1,
            ..USUAL
        },
        Load { nodes: 40, ..USUAL },
    ] {
        assert!(sessions(heavier) < usual, "{heavier:?}");
    }
    let many = Load { nodes: 64, ..USUAL };
    let ratio = sessions(Load { engines: 4, ..many }) / sessions(many);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

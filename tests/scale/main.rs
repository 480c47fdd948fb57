//! How many sessions, readers and events n nodes and their engines carry, what breaks first, and what more engines give.
//!
//! ```text
//! cargo run --release -p aon-tests --bin scale                      the tables of docs/operating.md
//! cargo run --release -p aon-tests --bin scale -- --rate 20 --readers 10 --nodes 8 --engines 2
//! ```

mod model;

use model::{ENGINE, Load, MEASURED, NODE, USUAL, capacity, needs, table};

const USAGE: &str = "scale [--nodes N] [--engines N] [--rate EVENTS/S] [--bytes N] [--readers N] [--life S] [--kept S] [--ring N] [--heartbeat S] [--lease S]";

fn main() {
    let mut load = USUAL;
    let mut given = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .and_then(|value| value.parse::<f64>().ok())
            .filter(|value| *value > 0.0);
        let Some(value) = value else {
            eprintln!("`{word}` wants a number above zero.\n{USAGE}");
            std::process::exit(2);
        };
        let whole = value.round() as u32;
        match word.as_str() {
            "--nodes" => load.nodes = whole.max(1),
            "--engines" => load.engines = whole.max(1),
            "--rate" => load.rate = value,
            "--bytes" => load.bytes = value,
            "--readers" => load.readers = value,
            "--life" => load.life = value,
            "--kept" => load.kept = value,
            "--ring" => load.ring = value,
            "--heartbeat" => load.heartbeat = value,
            "--lease" => load.lease = value,
            _ => {
                eprintln!("`{word}` is not an option.\n{USAGE}");
                std::process::exit(2);
            }
        }
        given |= matches!(word.as_str(), "--nodes" | "--engines");
    }
    if given {
        one(&load);
    } else {
        for line in table(&MEASURED, &load) {
            println!("{line}");
        }
    }
}

fn one(load: &Load) {
    let (sessions, limit) = capacity(&MEASURED, load, &NODE, &ENGINE);
    let used = needs(&MEASURED, load, sessions);
    println!(
        "{} nodes of {} cores, {} engines",
        load.nodes, NODE.cores, load.engines
    );
    println!("sessions open at once  {sessions:>12.0}");
    println!("events a second        {:>12.0}", sessions * load.rate);
    println!(
        "deliveries a second    {:>12.0}",
        sessions * load.rate * (load.readers + 1.0)
    );
    println!("what runs out first    {:>12}", limit.name());
    println!(
        "each engine: {:.2} of a core, {:.0} MB, {:.0} MB/s",
        used.engine_cpu,
        used.engine_memory / 1e6,
        used.engine_network / 1e6
    );
    println!(
        "each node: {:.2} cores, {:.0} MB",
        used.node_cpu,
        used.node_memory / 1e6
    );
}

//! What the glass box costs: a request in either mode, a publish, and a delivery to each of many readers.
//!
//! `live` prints the tables. `live fan READERS SECONDS RATE…` measures deliveries alone: the server is a child process, its CPU
//! time inside of the measured window is divided by what all readers received, and the floor (axum with `tokio::broadcast` and a
//! frame that is encoded once) runs interleaved with ours. nchan (Debian: `libnginx-mod-nchan`) and better-sse (npm, found in
//! `$AON_BETTER_SSE/node_modules`) are in the same table where they are installed.

use aon_benches::Counting;
use peers::Kind;

mod cost;
mod fan;
mod peers;
mod server;
mod shapes;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What is compared.
const HUBS: [Kind; 5] = [Kind::Floor, Kind::Ours, Kind::Served, Kind::Nchan, Kind::BetterSse];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| -> u64 { text.parse().expect("a number") };
    // Without figures a table is the one of the documentation.
    match &words[..] {
        ["serve", which] => server::serve(which),
        ["fan"] => fan(),
        ["fan", readers, seconds, rates @ ..] => {
            let rates: Vec<u64> = rates.iter().map(|rate| number(rate)).collect();
            fan::table(&HUBS, number(readers) as usize, number(seconds), &rates);
        }
        // What measuring adds: the same hub with and without an observer, interleaved.
        ["measured", readers, seconds, rates @ ..] => {
            let rates: Vec<u64> = rates.iter().map(|rate| number(rate)).collect();
            fan::table(&[Kind::Ours, Kind::Measured], number(readers) as usize, number(seconds), &rates);
        }
        ["requests"] => cost::requests(),
        ["publish"] => cost::publish(),
        ["many"] => shapes::many(5000, 6),
        ["many", sessions, seconds] => shapes::many(number(sessions) as usize, number(seconds)),
        ["storm"] => shapes::storm(1000),
        ["storm", joiners] => shapes::storm(number(joiners) as usize),
        ["idle"] => shapes::idle(1000),
        ["idle", count] => shapes::idle(number(count) as usize),
        [] => {
            cost::requests();
            cost::publish();
            fan();
            shapes::many(5000, 6);
            shapes::storm(1000);
            shapes::idle(1000);
        }
        other => panic!("{other:?}: requests, publish, fan, measured, many, storm or idle"),
    }
}

fn fan() {
    fan::table(&HUBS, 1000, 4, &[20, 100, 400]);
}

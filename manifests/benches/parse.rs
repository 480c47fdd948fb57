//! Times the parse of the files given on the command line: `cargo bench -p aon-manifest --bench parse -- FILE…`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench reads files and a clock, and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use aon_manifest::{Document, NoFiles, ParseOptions, ReadOptions, parse};

fn main() {
    for name in std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
    {
        let bytes = match std::fs::read(&name) {
            Ok(bytes) => bytes,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let (mut best, mut nodes, mut issues) = (f64::MAX, 0, 0);
        for _ in 0..5 {
            let copy = bytes.clone();
            let start = Instant::now();
            let tree = black_box(parse(&name, copy, &ParseOptions::default()));
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            nodes = tree.node_count();
            issues = tree.issues().len();
        }
        println!(
            "{name}: {} bytes, {nodes} nodes, {issues} issues",
            bytes.len()
        );
        println!("  parse {best:8.2} ms");
        let (mut open, mut read, mut walk) = (f64::MAX, f64::MAX, f64::MAX);
        let mut counts = (0, 0);
        for _ in 0..5 {
            let copy = bytes.clone();
            let start = Instant::now();
            let document = Document::open(&name, copy, &ReadOptions::default(), &NoFiles);
            let opened = Instant::now();
            let apis = document.apis();
            let done = Instant::now();
            let inputs: usize = apis.iter().map(|api| black_box(api.inputs()).len()).sum();
            walk = walk.min(done.elapsed().as_secs_f64() * 1e3);
            open = open.min((opened - start).as_secs_f64() * 1e3);
            read = read.min((done - opened).as_secs_f64() * 1e3);
            counts = (apis.iter().map(|api| api.operations.len()).sum(), inputs);
        }
        let (operations, inputs) = counts;
        println!("  open  {open:8.2} ms (parse and links)");
        println!("  read  {read:8.2} ms ({operations} operations)");
        println!("  walk  {walk:8.2} ms ({inputs} inputs)");
        println!("  peak  {} kB", peak());
    }
}

/// Peak resident memory of this process in kB, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1))
        .unwrap_or("?")
        .to_owned()
}

//! A problem as rmcp's own types, which hold a `serde_json::Value`: ours beside rmcp's default, and every way through the door, in
//! instructions (callgrind).
//!
//! Without arguments it runs itself under `valgrind --tool=callgrind`, once per case, and prints a table. The cost of one
//! result, made and dropped, is the difference between two runs of different length.

use std::hint::black_box;
use std::process::Command;

use aon::door::{Door, Facts, Occurrence, Scope};
use aon::rmcp::to_result;
use aon::surface::a2a::A2a;
use aon::surface::mcp::{Mcp, Mode};
use aon::surface::{Call, Surface};
use aon::{Namespace, Problem, ProblemDetails, redact};
use aon_benches::by_hand::{hand_written_a2a, hand_written_mcp, rmcp_result};
use aon_benches::example::AuthError;
use aon_benches::{Counting, allocations};
use rmcp::model::CallToolResult;
use serde_json::Value;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ID: &str = "0198c0de-0000-7000-8000-000000000001";

const CASES: [&str; 17] = [
    "problem alone",
    "copy of a ready tree",
    "derived problem → `CallToolResult`",
    "rmcp `structured_error(Value)`",
    "derived problem → `CallToolResult` → bytes",
    "rmcp `structured_error(Value)` → bytes",
    "derived problem → MCP bytes",
    "nothing",
    "derived problem → REST bytes",
    "derived problem → REST bytes, redacted",
    "derived problem → axum response",
    "hand-written struct → MCP bytes",
    "derived problem → MCP bytes through the door",
    "hand-written struct → A2A bytes",
    "derived problem → A2A bytes",
    "derived problem → A2A bytes through the door",
    "the door alone",
];

fn problem(error: &AuthError) -> ProblemDetails {
    error.to_problem().with_request_id(&Namespace::DEFAULT, ID)
}

fn ours(error: &AuthError) -> CallToolResult {
    to_result(&problem(error), &Call::default(), Mode::Structured)
}

/// As an adapter sends it: redacted, logged if somebody listens, projected.
fn through(error: &AuthError, surface: &dyn Surface) -> Vec<u8> {
    let scope = Scope::open(&Door::new(), Facts::new("mcp").with_request_id(ID));
    scope.answer(Occurrence::of(error), surface, None)
}

fn run(case: &str, times: u64) {
    let error = AuthError::InvalidAuthUx { id: black_box("01KS13QXWZF99YFC5VR2ZX3M6P").to_owned() };
    let ready: Value = ours(&error).structured_content.unwrap();
    assert_eq!(Some(&ready), rmcp_result(&error, ID).structured_content.as_ref());
    for _ in 0..times {
        let error = black_box(&error);
        match case {
            "problem alone" => drop(black_box(problem(error))),
            "copy of a ready tree" => drop(black_box(black_box(&ready).clone())),
            "derived problem → `CallToolResult`" => drop(black_box(ours(error))),
            "rmcp `structured_error(Value)`" => drop(black_box(rmcp_result(error, ID))),
            "derived problem → `CallToolResult` → bytes" => drop(black_box(serde_json::to_vec(&ours(error)))),
            "rmcp `structured_error(Value)` → bytes" => drop(black_box(serde_json::to_vec(&rmcp_result(error, ID)))),
            "derived problem → MCP bytes" => {
                let mut out = Vec::new();
                Mcp::default().project(&problem(error), &Call::default(), &mut out);
                drop(black_box(out));
            }
            "nothing" => {}
            "derived problem → REST bytes" => {
                let mut out = Vec::new();
                error.write_json(Some(ID), &mut out);
                drop(black_box(out));
            }
            "derived problem → REST bytes, redacted" => {
                let mut out = Vec::new();
                redact::write(error, redact::Policy::default(), Some(ID), &mut out);
                drop(black_box(out));
            }
            "derived problem → axum response" => drop(black_box(aon::axum::respond(error))),
            "hand-written struct → MCP bytes" => drop(black_box(hand_written_mcp(error, ID))),
            "derived problem → MCP bytes through the door" => drop(black_box(through(error, &Mcp::default()))),
            "hand-written struct → A2A bytes" => drop(black_box(hand_written_a2a(error, ID))),
            "derived problem → A2A bytes" => {
                let mut out = Vec::new();
                A2a::default().project(&problem(error), &Call::default(), &mut out);
                drop(black_box(out));
            }
            "derived problem → A2A bytes through the door" => drop(black_box(through(error, &A2a::default()))),
            "the door alone" => {
                let scope = Scope::open(&Door::new(), Facts::new("mcp").with_request_id(ID));
                drop(black_box(scope.pass(Occurrence::of(error), "mcp")));
            }
            case => panic!("no case {case}"),
        }
    }
}

fn instructions(case: &str) -> f64 {
    let count = |times: u64| -> f64 {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().expect("our own path"))
            .args([case, &times.to_string()])
            .output()
            .expect("valgrind");
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|line| line.contains("Collected")).unwrap_or_else(|| panic!("{text}"));
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a count")
    };
    (count(3000) - count(1000)) / 2000.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [case, times] = &arguments[..] {
        run(case, times.parse().expect("a number"));
        return;
    }
    println!("| case | instructions | allocations |\n| --- | ---: | ---: |");
    let mut costs = Vec::new();
    for case in CASES {
        let cost = instructions(case);
        run(case, 0);
        let before = allocations();
        run(case, 0);
        let idle = allocations() - before;
        let before = allocations();
        run(case, 100);
        println!("| {case} | {cost:.0} | {} |", (allocations() - before - idle) / 100);
        costs.push(cost);
    }
    println!("\nrmcp's types: {:.2} times as fast as rmcp's default; to bytes {:.2}", costs[3] / costs[2], costs[5] / costs[4]);
    println!("past rmcp's types: {:.2} times as fast to bytes", costs[5] / costs[6]);
    println!("redacted REST bytes: {:.2} of plain ones", costs[9] / costs[8]);
    println!("through the door: MCP bytes {:.2}, A2A bytes {:.2} of a hand-written struct", costs[12] / costs[11], costs[15] / costs[13]);
    println!("a ready tree copied, without any text: {:.2}", costs[3] / costs[1]);
}

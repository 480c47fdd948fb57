//! `aon check` against servers that get one thing wrong, each mistake as somebody made it.
//!
//! The clients, ours and the generated ones, follow the good one through a network that breaks.
//!
//! The server is written apart from `aon-live`, so that the probe and the hub cannot agree on the same mistake.

mod accept;
mod clients;
mod defect;
mod proxy;
mod server;
mod session;

use std::process::Command;

use serde_json::Value;

use defect::Defect;

/// The rows of the table for a server with this defect.
fn check(defect: Defect, runtime: &tokio::runtime::Runtime, method: &str) -> Vec<Value> {
    let port = runtime.block_on(server::start(defect));
    let output = Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args([
            "check",
            &format!("http://127.0.0.1:{port}"),
            "--surface",
            "live",
            "--format",
            "json",
            "--timeout",
            "5",
        ])
        .args(["--live", &format!("{method} /work")])
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{defect:?}: {error}\n{text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let rows = report["checks"].as_array().expect("rows").clone();
    assert!(rows.len() > 25, "{defect:?}: only {} rows", rows.len());
    let failed = rows.iter().any(|row| row["outcome"] == "fail");
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{defect:?}");
    rows
}

fn failed(rows: &[Value]) -> Vec<String> {
    let failed = rows.iter().filter(|row| row["outcome"] == "fail");
    failed
        .map(|row| {
            format!(
                "{}: {}",
                row["what"].as_str().unwrap_or_default(),
                row["why"]
            )
        })
        .collect()
}

#[test]
fn a_server_that_gets_everything_right_passes() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for method in ["POST", "GET"] {
        let rows = check(Defect::None, &runtime, method);
        assert_eq!(failed(&rows), Vec::<String>::new(), "{method}");
        let passed = rows.iter().filter(|row| row["outcome"] == "pass").count();
        assert!(
            passed > 25,
            "{method}: only {passed} rows passed: {rows:#?}"
        );
    }
}

#[test]
fn each_defect_is_caught_by_its_row() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let runtime = &runtime;
    let mut caught = 0;
    // They mostly wait for each other's silences, so several run at once.
    for some in Defect::ALL.chunks(9) {
        std::thread::scope(|scope| {
            let runs: Vec<_> = some
                .iter()
                .map(|(defect, row)| {
                    let method = if *defect == Defect::HeadRunsTheHandler {
                        "GET"
                    } else {
                        "POST"
                    };
                    (
                        defect,
                        row,
                        scope.spawn(move || failed(&check(*defect, runtime, method))),
                    )
                })
                .collect();
            for (defect, row, run) in runs {
                let rows = run.join().expect("the check ran");
                assert!(
                    rows.iter().any(|failed| failed.contains(row)),
                    "{defect:?} is not told by {row:?}: {rows:#?}"
                );
                caught += 1;
            }
        });
    }
    println!("live check: {caught} defects were caught");
    assert_eq!(caught, Defect::ALL.len());
}

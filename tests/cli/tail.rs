//! `aon tail`: what it shows, and what its exit code says.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use serde_json::Value;

use crate::demo::Demo;
use crate::proxy;
use crate::run::{aon, in_shell, program};

const SCRIPT: &str = r#"{"payload":{"id":"usr_123","share":0.10},"steps":[
  {"do":"status","message":"working","estimated_delay_ms":200},
  {"do":"intent_analysis","original_intent":"create_user","detected_issue":"invalid_schema","decision":"map"},
  {"do":"healing","severity":"medium","action":"refresh_token","metadata":{"attempt":1}},
  {"do":"sleep","ms":300},
  {"do":"healing","severity":"medium","action":"refresh_token","metadata":{"attempt":2}},
  {"do":"sleep","ms":300},
  {"do":"event","type":"lesson","data":{"lessonId":"l1"}}]}"#;

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/play")
}

#[test]
fn a_result_is_plain_lines_in_a_pipe_and_exit_code_zero() {
    let demo = Demo::start();
    let run = aon(&["tail", "-d", SCRIPT, &url(demo.port)], "");
    assert_eq!(run.code, 0, "{} {}", run.out, run.err);
    let told = [
        "session",
        "status    working (about 200 ms)",
        "intent    create_user: invalid_schema → map",
        "healing   refresh_token (medium, attempt 1)",
        "healing   refresh_token (medium, attempt 2)",
        "lesson    {\"lessonId\":\"l1\"}",
        "result    after",
        "\"share\": 0.10",
    ];
    let mut from = 0;
    for words in told {
        let at = run.out[from..]
            .find(words)
            .unwrap_or_else(|| panic!("no {words:?} after {from} in {}", run.out));
        from += at;
    }
    assert!(
        !run.out.contains('\u{1b}') && !run.out.contains('\r'),
        "{:?}",
        run.out
    );
    assert_eq!(run.err, "");
}

#[test]
fn an_error_is_what_why_try_this_and_exit_code_one() {
    let demo = Demo::start();
    let script = r#"{"steps":[{"do":"status","message":"x"},{"do":"problem","problem":{"status":409,"title":"Still being made","code":"still_provisioning","detail":"It is not ready.","remediation":{"type":"wait_for_provisioning","message":"Wait five seconds."}}}]}"#;
    let run = aon(&["tail", "-d", script, &url(demo.port)], "");
    assert_eq!(run.code, 1, "{} {}", run.out, run.err);
    for words in ["Still being made", "It is not ready.", "Wait five seconds."] {
        assert!(run.err.contains(words), "no {words:?} in {}", run.err);
    }
    let refused = aon(&["tail", "-d", "{", &url(demo.port)], "");
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("not valid JSON"), "{}", refused.err);
}

#[test]
fn with_json_standard_output_holds_the_events_and_nothing_else() {
    let demo = Demo::start();
    let run = aon(
        &[
            "tail",
            "--json",
            "-X",
            "POST",
            "-H",
            "content-type: application/json",
            "-d",
            SCRIPT,
            &url(demo.port),
        ],
        "",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let events: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "session",
            "status",
            "intent_analysis",
            "healing",
            "healing",
            "lesson",
            "result"
        ]
    );
    assert!(
        run.out.contains("\"share\":0.10"),
        "the bytes are those of the server"
    );
    let session = events[0]["sse_url"].as_str().expect("an address");
    let since = events[2]["id"].as_str().expect("an id");
    let again = aon(
        &[
            "tail",
            "--json",
            "--since",
            since,
            &format!("http://127.0.0.1:{}{session}", demo.port),
        ],
        "",
    );
    let rest: Vec<u64> = again
        .out
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["seq"].as_u64())
        .collect();
    assert_eq!((again.code, rest), (0, vec![4, 5, 6, 7]), "{}", again.err);
    let ws = events[0]["ws_url"].as_str().expect("an address");
    let socket = aon(
        &[
            "tail",
            "--json",
            &format!("ws://127.0.0.1:{}{ws}", demo.port),
        ],
        "",
    );
    assert_eq!(
        (
            socket.code,
            socket
                .out
                .lines()
                .filter(|line| line.contains("\"seq\""))
                .count()
        ),
        (0, 7),
        "{}",
        socket.err
    );
}

#[test]
fn it_comes_back_by_itself_on_every_channel() {
    let demo = Demo::start();
    for channel in ["ndjson", "sse", "ws"] {
        let proxy = proxy::start(demo.port, vec![1400, 900]);
        let run = aon(
            &["tail", "-d", SCRIPT, "--channel", channel, &url(proxy)],
            "",
        );
        assert_eq!(run.code, 0, "{channel}: {} {}", run.out, run.err);
        for words in [
            "cut       ",
            "resumed",
            "attempt 1)",
            "attempt 2)",
            "lesson",
            "result",
        ] {
            assert!(
                run.out.contains(words),
                "{channel}: no {words:?} in {}",
                run.out
            );
        }
        assert_eq!(
            run.out.matches("lesson    ").count(),
            1,
            "{channel}: {}",
            run.out
        );
    }
}

#[test]
fn a_cut_has_an_exit_code_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = [0; 2048];
            let _ = stream.read(&mut head);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n{\"type\":\"status\",\"seq\":1,\"message\":\"a\\u001b[2Jb\"}\ngarbage\n");
        }
    });
    let run = aon(&["tail", "-X", "POST", &url(port)], "");
    assert_eq!(run.code, 4, "{} {}", run.out, run.err);
    assert!(
        run.out.contains("a·[2Jb"),
        "a server cannot draw on the terminal: {:?}",
        run.out
    );
    assert!(run.out.contains("garbage"), "{}", run.out);
    assert!(
        run.err.contains("The stream was cut") && run.err.contains("may be done"),
        "{}",
        run.err
    );
    let json = aon(&["tail", "--json", "-X", "POST", &url(port)], "");
    assert_eq!(json.code, 4);
    let problem: Value =
        serde_json::from_str(json.err.lines().last().unwrap_or_default()).expect("a problem");
    assert_eq!(problem["code"], "stream_cut");
}

#[test]
fn a_black_box_is_an_outcome_too_and_what_never_began_has_codes_of_its_own() {
    let demo = Demo::start();
    let run = aon(
        &["tail", &format!("127.0.0.1:{}/possibilities", demo.port)],
        "",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\"id\": \"acme\""), "{}", run.out);
    assert_eq!(aon(&["tail", "http://127.0.0.1:1/x"], "").code, 3);
    for args in [
        &["tail", "ftp://x/"][..],
        &["tail", "-H", "nonsense", "http://127.0.0.1:1/"],
        &["tail", "-X", "a b", "http://127.0.0.1:1/"],
        &["tail", "-d", "@/nowhere/at/all", "http://127.0.0.1:1/"],
        &["tail"],
    ] {
        assert_eq!(aon(args, "").code, 2, "{args:?}");
    }
}

#[test]
fn in_a_terminal_healing_is_one_changing_line_and_there_are_colours() {
    let has_script = Command::new("script")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_script {
        return aon_tests::place::say("skipped: aon tail in a terminal, there is no script(1)");
    }
    let demo = Demo::start();
    std::fs::write(std::env::temp_dir().join("aon-tail-script.json"), SCRIPT).expect("a file");
    let command = format!(
        "{} tail -d @aon-tail-script.json {}",
        program().display(),
        url(demo.port)
    );
    let run = in_shell(
        &std::env::temp_dir(),
        &format!("TERM=xterm script -qec '{command}' /dev/null"),
    );
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(
        run.out.contains("\u{1b}[33m"),
        "healing is yellow: {:?}",
        run.out
    );
    // The first attempt was only ever a line that changes; the last one stays.
    let settled: Vec<&str> = run
        .out
        .split("\r\n")
        .filter(|line| line.contains("refresh_token"))
        .collect();
    assert!(
        settled
            .last()
            .is_some_and(|line| line.contains("attempt 2")),
        "{settled:?}"
    );
    assert!(
        run.out.contains("\u{1b}[2K") || run.out.contains("\u{1b}[K"),
        "a line was drawn again: {:?}",
        run.out
    );
}

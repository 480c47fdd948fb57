//! Hostile lines on standard input: the server answers or ignores each, and goes on.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::PROGRAM;

#[test]
fn lines_that_are_no_requests_do_not_end_the_server() {
    let mut child = Command::new(PROGRAM)
        .args(["demo", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the demo starts");
    let mut input = child.stdin.take().expect("standard input");
    let output = BufReader::new(child.stdout.take().expect("standard output"));
    let (sender, answers) = mpsc::channel::<Value>();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let Ok(answer) = serde_json::from_str(&line) else {
                continue;
            };
            if sender.send(answer).is_err() {
                return;
            }
        }
    });
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}}});
    writeln!(input, "{initialize}").expect("written");
    assert_eq!(
        wait_for(&answers, &json!(0))["result"]["protocolVersion"],
        "2025-11-25"
    );
    writeln!(
        input,
        "{}",
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
    )
    .expect("written");

    let long = format!(
        r#"{{"jsonrpc":"2.0","id":"long","method":"{}"}}"#,
        "x".repeat(1024 * 1024)
    )
    .into_bytes();
    let lines: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"hello".to_vec(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1}".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"[".repeat(20_000),
        long,
    ];
    let count = lines.len();
    for (at, line) in lines.into_iter().enumerate() {
        input.write_all(&line).expect("written");
        input.write_all(b"\n").expect("written");
        let id = json!(format!("after {at}"));
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "update_possibility_auth", "arguments": {"id": "acme", "auth_ux": "Hosted"}}});
        writeln!(input, "{call}").expect("written");
        let answer = wait_for(&answers, &id);
        let code = &answer["result"]["structuredContent"]["error"]["code"];
        assert_eq!(code, "invalid_auth_ux", "after line {at}: {answer}");
    }
    drop(input);
    assert!(
        child.wait().expect("it ends").success(),
        "it ends well when its input ends"
    );
    place::say(&format!("count: hostile lines on standard input, {count}"));
}

fn wait_for(answers: &mpsc::Receiver<Value>, id: &Value) -> Value {
    loop {
        let answer = answers
            .recv_timeout(Duration::from_secs(60))
            .unwrap_or_else(|_| panic!("no answer to {id}"));
        if answer["id"] == *id {
            return answer;
        }
        let text = answer.to_string();
        for number in 32001..=32019 {
            assert!(!text.contains(&format!("-{number}")), "-{number} in {text}");
        }
    }
}

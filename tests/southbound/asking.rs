//! `aon agent call`: the side that asks, on both wires.

use std::io::Write as _;
use std::process::{Output, Stdio};

use aon_tests::place::say;
use serde_json::Value;

use crate::certificates::with_certificates;
use crate::support::{Setup, aon};

fn call(setup: &Setup, url: &str, more: &[&str], input: Option<&str>) -> Output {
    let path = |name: &str| setup.folder.text(name);
    let mut command = aon();
    command.args(["agent", "call", url, "--agent", "ops-1"]);
    if url.starts_with("http") {
        command.args(["--keys", &path("keys.toml")]);
    } else {
        command.args([
            "--cert",
            &path("ops-1.pem"),
            "--key",
            &path("ops-1.key"),
            "--ca",
            &path("ca.pem"),
        ]);
    }
    let mut child = command
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut to = child.stdin.take().expect("piped");
    to.write_all(input.unwrap_or_default().as_bytes())
        .expect("sent");
    drop(to);
    child.wait_with_output().expect("it ends")
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}{words}"));
    text.lines().map(line).collect()
}

#[test]
fn a_message_is_sent_and_its_answer_written() {
    let setup = with_certificates("");
    let mut tried = 0;
    for url in [setup.server.http.clone(), setup.server.websocket.clone()] {
        let echo = r#"{"method":"command.exec","command":"/bin/echo","args":["hi"]}"#;
        // It makes an id where there is none, and a new one each time.
        let ids: Vec<String> = (0..2)
            .map(|_| {
                let output = call(&setup, &url, &[echo], None);
                let said = lines(&output);
                assert_eq!(
                    (output.status.code(), &said[0]["stdout"]),
                    (Some(0), &"hi\n".into()),
                    "{said:?}"
                );
                said[0]["action_id"].as_str().expect("an id").to_owned()
            })
            .collect();
        assert_ne!(ids[0], ids[1]);
        // From standard input, with an id: the second time it is the same answer.
        let named = format!(
            r#"{{"method":"command.exec","action_id":"n-{tried}","command":"/bin/echo","args":["x"]}}"#
        );
        assert!(
            lines(&call(&setup, &url, &["-"], Some(&named)))[0]
                .get("replayed")
                .is_none()
        );
        assert_eq!(
            lines(&call(&setup, &url, &["-"], Some(&named)))[0]["replayed"],
            true
        );
        let hello = lines(&call(
            &setup,
            &url,
            &[r#"{"method":"hello","agent_id":"ops-1"}"#],
            None,
        ));
        assert_eq!(hello[0]["policy"]["max_payload"], 1_048_576, "{hello:?}");
        // A failure is written, and is exit code 1.
        let output = call(
            &setup,
            &url,
            &[r#"{"method":"command.exec","command":"/bin/sh"}"#],
            None,
        );
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(lines(&output)[0]["problem"]["code"], "command_not_allowed");
        let output = call(&setup, &url, &[r#"{"method":"command.exce"}"#], None);
        let said = lines(&output);
        assert_eq!(said[0]["problem"]["code"], "unknown_operation", "{said:?}");
        assert_eq!(said[0]["problem"]["suggestion"], "command.exec", "{said:?}");
        // The policy holds on this side: nothing is sent.
        let long = r#"{"method":"command.exec","command":"/bin/echo","timeout":120001}"#;
        let output = call(&setup, &url, &[long], None);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && words.contains("timeout"),
            "{words}"
        );
        tried += 7;
    }
    // The output of a command while it runs.
    setup
        .folder
        .script("append.sh", "echo one; sleep 0.3; echo two >&2");
    let follow = format!(
        r#"{{"method":"command.exec","command":"{}","args":["x"]}}"#,
        setup.folder.text("append.sh")
    );
    let said = lines(&call(
        &setup,
        &setup.server.websocket,
        &["--follow", &follow],
        None,
    ));
    let logs: Vec<_> = said
        .iter()
        .filter(|line| line["type"] == "exec_log")
        .collect();
    assert_eq!(logs.len(), 2, "{said:?}");
    assert_eq!(
        (&logs[1]["stream"], &logs[1]["chunk"]),
        (&"stderr".into(), &"two\n".into())
    );
    assert_eq!(said.last().expect("an answer")["exit_code"], 0);
    // Usage.
    for (url, more, wanted) in [
        ("ftp://x", vec!["{}"], "wss://"),
        (&*setup.server.http, vec!["not json"], "MESSAGE"),
        (
            "http://127.0.0.1:9",
            vec![
                "--retries",
                "0",
                "{\"method\":\"hello\",\"agent_id\":\"ops-1\"}",
            ],
            "reached",
        ),
    ] {
        let output = call(&setup, url, &more, None);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && words.contains(wanted),
            "{url}: {words}"
        );
        tried += 1;
    }
    say(&format!("count: {tried} messages by aon agent call"));
}

//! How the demo starts, says so, and ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::demo::Demo;
use crate::http::send;
use crate::run::program;

#[test]
fn it_says_when_it_is_ready_and_stops_when_asked() {
    let mut demo = Demo::start();
    let base = format!("http://127.0.0.1:{}", demo.port);
    assert_eq!(
        demo.ready,
        format!(
            "ready {base} rest={base} mcp={base}/mcp a2a={base}/a2a card={base}/.well-known/agent-card.json live={base}/live\n"
        )
    );
    let page = send(demo.port, "GET", "/", &[], b"");
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-type")
            .is_some_and(|kind| kind.starts_with("text/html"))
    );
    assert!(
        !page.text().contains("__DATA__") && page.text().contains("possibility_auth_configuration")
    );
    let stopped = Command::new("kill")
        .arg(demo.child.id().to_string())
        .status()
        .expect("kill");
    assert!(stopped.success());
    let status = demo.child.wait().expect("the demo ends");
    assert_eq!(status.code(), Some(0));
    let mut rest = String::new();
    demo.child
        .stdout
        .as_mut()
        .expect("piped")
        .read_to_string(&mut rest)
        .expect("text");
    assert_eq!(rest, "");
}

#[test]
fn a_port_in_use_is_a_problem() {
    let demo = Demo::start();
    let run = crate::run::aon(&["demo", "--port", &demo.port.to_string()], "");
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.contains("--port 0"), "{}", run.err);
}

#[test]
fn mcp_is_served_on_standard_input_too() {
    let mut child = Command::new(program())
        .args(["demo", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the demo starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut ask = |message: Value| {
        writeln!(stdin, "{message}").expect("the demo reads");
        message.get("id").map(|_| {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("a line");
            serde_json::from_str::<Value>(&line).expect("JSON")
        })
    };
    let hello = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})).expect("an answer");
    assert_eq!(hello["result"]["serverInfo"]["name"], "aon-demo");
    ask(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let failed = ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "update_possibility_auth", "arguments": {"id": "x", "auth_ux": "Custom"}}})).expect("an answer");
    let error = &failed["result"]["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["corrected_args"]["auth_ux"]),
        (&json!("invalid_auth_ux"), &json!("custom"))
    );
    drop(stdin);
    assert_eq!(
        child.wait().expect("it ends with its input").code(),
        Some(0)
    );
}

#[test]
fn the_book_names_every_id_that_fails() {
    let book = std::fs::read_to_string(aon_tests::place::root().join("docs/command-line.md"))
        .expect("the page");
    let page = send(Demo::start().port, "GET", "/", &[], b"").text();
    let (_, data) = page
        .split_once("id=\"data\">")
        .expect("the data of the page");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let ids = data["ids"].as_array().expect("ids");
    assert!(ids.len() >= 9);
    for entry in ids {
        let [id, code] = ["id", "code"].map(|name| entry[name].as_str().expect("text"));
        let line = format!("| {} | `{code}` |", entry["status"]);
        assert!(
            book.lines()
                .any(|text| text.contains(&format!("`{id}`")) && text.ends_with(&line)),
            "{id}: {line}"
        );
    }
    for operation in data["operations"].as_array().expect("operations") {
        for name in ["tool", "skill"] {
            assert!(
                book.contains(operation[name].as_str().expect("text")),
                "{operation}"
            );
        }
    }
}

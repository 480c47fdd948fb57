//! `aon lsp` without a client: bytes in, bytes out. Nothing that is sent ends the session before `exit`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::program;

/// Sends bytes, closes the input, and gives the messages that came back and the exit code.
fn talk(bytes: &[u8]) -> (Vec<Value>, i32) {
    let mut child = Command::new(program::aon())
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || {
        // A server that ended closes the pipe.
        let _ = stdin.write_all(&bytes);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let mut rest = std::str::from_utf8(&output.stdout).unwrap();
    let mut messages = Vec::new();
    while let Some((head, tail)) = rest.split_once("\r\n\r\n") {
        let length = head.strip_prefix("Content-Length: ").unwrap();
        let (body, after) = tail.split_at(length.parse().unwrap());
        messages.push(serde_json::from_str(body).unwrap());
        rest = after;
    }
    assert_eq!(rest, "");
    (messages, output.status.code().unwrap())
}

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn session(messages: &[Value]) -> (Vec<Value>, i32) {
    talk(
        &messages
            .iter()
            .flat_map(|message| framed(&message.to_string()))
            .collect::<Vec<_>>(),
    )
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}})
}

fn shutdown() -> [Value; 2] {
    [
        json!({"jsonrpc": "2.0", "id": "end", "method": "shutdown"}),
        json!({"jsonrpc": "2.0", "method": "exit"}),
    ]
}

#[test]
fn exit_codes_follow_the_protocol() {
    let [end, exit] = shutdown();
    assert_eq!(session(&[initialize(), end.clone(), exit.clone()]).1, 0);
    assert_eq!(
        session(&[initialize(), end]).1,
        0,
        "the input ended after shutdown"
    );
    assert_eq!(session(&[initialize(), exit.clone()]).1, 1);
    assert_eq!(session(&[exit]).1, 1);
    assert_eq!(session(&[]).1, 1);
}

#[test]
fn requests_out_of_turn_are_problems() {
    let [end, exit] = shutdown();
    let hover = json!({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}});
    let (answers, code) = session(&[hover.clone(), initialize(), end, hover, exit]);
    assert_eq!(code, 0);
    let numbers: Vec<&Value> = answers
        .iter()
        .map(|answer| &answer["error"]["code"])
        .collect();
    assert_eq!(
        numbers,
        [&json!(-32002), &Value::Null, &Value::Null, &json!(-32600)]
    );
    assert_eq!(answers[0]["error"]["data"]["code"], "early_request");
    assert_eq!(answers[3]["error"]["data"]["code"], "late_request");
    assert_eq!(answers[3]["error"]["data"]["status"], 409);
}

#[test]
fn parameters_that_do_not_fit_are_problems_that_say_why() {
    let ask = |id: usize, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let mut messages = vec![initialize()];
    let cases = [
        ("textDocument/hover", json!({"textDocument": 7})),
        (
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///a b"}, "position": {"line": 0, "character": 0}}),
        ),
        (
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///a"}, "position": {"line": -1, "character": 0}}),
        ),
        ("textDocument/codeAction", Value::Null),
        ("textDocument/codeAction", json!([])),
    ];
    for (at, (method, params)) in cases.iter().enumerate() {
        messages.push(ask(at, method, params.clone()));
    }
    messages.extend(shutdown());
    let (answers, code) = session(&messages);
    assert_eq!((code, answers.len()), (0, cases.len() + 2));
    for (answer, (method, _)) in answers.iter().skip(1).zip(&cases) {
        let problem = &answer["error"]["data"];
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(problem["code"], "unfit_parameters", "{answer}");
        assert_eq!(problem["status"], 422);
        assert!(
            problem["detail"].as_str().unwrap().contains(method),
            "{answer}"
        );
    }
}

#[test]
fn malformed_messages_are_answered_and_the_session_goes_on() {
    let mut bytes = framed(&initialize().to_string());
    let bad: &[&[u8]] = &[
        b"Content-Length: 5\r\n\r\n{oops",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 13\r\n\r\n[{\"id\":  1}  ]",
        b"\r\nContent-Length: 8\r\n\r\n{\"id\":9}",
        b"Content-Length: -1\r\n\r\n",
        b"no header at all\r\n\r\n",
    ];
    for message in bad {
        bytes.extend_from_slice(message);
    }
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    bytes.extend(framed(&deep));
    let quiet = [
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 1}}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
            {"uri": "not a uri", "languageId": "", "version": 1, "text": ""}}}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument":
            {"uri": "file:///unknown.yaml", "version": 1}, "contentChanges": []}}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///unknown.yaml"}}}),
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}),
        json!({"jsonrpc": "2.0", "method": "no/such/notification"}),
    ];
    for message in quiet.iter().chain(&shutdown()) {
        bytes.extend(framed(&message.to_string()));
    }
    let (messages, code) = talk(&bytes);
    assert_eq!(code, 0);
    let errors: Vec<_> = messages
        .iter()
        .filter(|message| message.get("error").is_some())
        .collect();
    assert_eq!(errors.len(), bad.len() + 1, "{messages:?}");
    for error in &errors {
        let number = error["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&number), "{error}");
        assert!(
            error["error"]["data"]["remediation"]["message"].is_string(),
            "{error}"
        );
    }
    assert!(errors.iter().any(|error| error["id"] == 9));
    assert_eq!(messages.last().unwrap()["id"], "end");
}

#[test]
fn hostile_documents_end_in_findings() {
    let mut messages = vec![initialize()];
    let texts = [
        "\u{0}\u{1}\u{2}".to_owned(),
        "[".repeat(10_000),
        format!("openapi: 3.1.0\n{}", "a:\n ".repeat(2_000)),
        "a: &a [x]\nb: &b [*a, *a]\noperations: [*b, *b]\n".to_owned(),
        "\u{feff}{\"openapi\": \"3.1.0\", \"paths\": ".to_owned(),
        String::new(),
    ];
    for (at, text) in texts.iter().enumerate() {
        let document = json!({"uri": format!("file:///hostile/{at}.aon.yaml"), "languageId": "yaml", "version": 1, "text": text});
        messages.push(json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
        messages.push(json!({"jsonrpc": "2.0", "id": at, "method": "textDocument/hover", "params": {
            "textDocument": {"uri": document["uri"]}, "position": {"line": 4_000_000_000_u32, "character": 4_000_000_000_u32}}}));
    }
    messages.extend(shutdown());
    let (answers, code) = session(&messages);
    assert_eq!(code, 0);
    let published: Vec<_> = answers
        .iter()
        .filter(|answer| answer["method"] == "textDocument/publishDiagnostics")
        .collect();
    assert_eq!(published.len(), texts.len(), "{answers:?}");
    assert!(
        !published[0]["params"]["diagnostics"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

//! An A2A agent that was written without us.

use axum::response::Response;
use serde_json::{Value, json};

use super::{Proxy, Upstream, answer, send};

fn agent(line: &str, parts: &http::request::Parts, body: &[u8]) -> Response {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = |error: Value| {
        let body = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
        answer(200, "application/json", body.to_string())
    };
    if line == "GET /.well-known/agent-card.json" {
        let host = parts.headers["host"].to_str().unwrap();
        let card = json!({"name": "x", "url": format!("http://{host}/a2a"), "provider": {"url": "https://elsewhere.example"}, "skills": []});
        return answer(200, "application/json", card.to_string());
    }
    match message["method"].as_str() {
        Some("message/sned") => error(json!({"code": -32601, "message": "Method not found"})),
        Some("tasks/get") => error(json!({"code": -32001, "message": "Task t-1 not found"})),
        Some("message/send") => error(
            json!({"code": -32602, "message": "Invalid params", "data": [{"type": "missing", "loc": ["message", "parts"], "msg": "Field required", "input": {"token": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}}]}),
        ),
        Some("message/stream") => {
            let body = json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "it broke"}});
            answer(200, "text/event-stream", format!("data: {body}\n\n"))
        }
        Some("tasks/cancel") => answer(502, "text/html", "<h1>Bad gateway</h1>"),
        _ => answer(200, "application/json", body.to_vec()),
    }
}

#[test]
fn errors_keep_their_number_and_get_an_envelope() {
    let upstream = Upstream::start(agent);
    let url = format!("http://127.0.0.1:{}/a2a", upstream.port);
    let proxy = Proxy::start(&["--a2a", &url]);
    let call = |method: &str, version: &str| {
        let body = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": {"id": "t-1"}});
        let headers = [
            ("Content-Type", "application/json"),
            ("A2A-Version", version),
        ];
        send(
            proxy.port,
            "POST /a2a",
            &headers,
            body.to_string().as_bytes(),
        )
    };
    let task = call("tasks/get", "0.3").json();
    assert_eq!(task["error"]["code"], -32001);
    let data = task["error"]["data"]
        .as_array()
        .expect("the array of the protocol")
        .clone();
    let ours = data
        .iter()
        .find(|entry| entry["schema"] == "pspace.a2a.error.v1")
        .expect("ours");
    assert_eq!(
        (&ours["code"], &ours["status"]),
        (&json!("task_not_found"), &json!(404)),
        "{task}"
    );
    let method = call("message/sned", "0.3").json();
    assert!(
        method["error"]["data"]
            .to_string()
            .contains("\"suggestion\":\"message/send\""),
        "{method}"
    );
    let params = call("message/send", "0.3").json();
    let data = params["error"]["data"].as_array().expect("an array");
    assert_eq!(
        (data.len(), &data[0]["type"]),
        (2, &json!("missing")),
        "the agent's own data stays first"
    );
    assert!(!params.to_string().contains("ghp_"), "{params}");
    assert_eq!(
        data[1]["machine_hints"]["field_paths"],
        json!(["/message/parts"]),
        "{params}"
    );
    let stream = call("message/stream", "0.3").event();
    assert_eq!(stream["error"]["code"], -32603);
    assert!(stream["error"]["data"].is_array(), "{stream}");
    let broken = call("tasks/cancel", "0.3");
    assert_eq!((broken.status(), &broken.json()["id"]), (200, &json!("a")));
    assert!(
        broken.json()["error"]["data"]
            .to_string()
            .contains("upstream_unavailable")
    );
    let card = send(proxy.port, "GET /.well-known/agent-card.json", &[], b"").json();
    assert_eq!(card["url"], format!("http://127.0.0.1:{}/a2a", proxy.port));
    assert_eq!(card["provider"]["url"], "https://elsewhere.example");
    let other = send(
        proxy.port,
        "POST /a2a",
        &[],
        b"{ \"id\":1 , \"method\":\"x\"}",
    );
    assert_eq!(other.body, b"{ \"id\":1 , \"method\":\"x\"}");
}

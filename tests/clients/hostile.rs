//! Requests that no honest client sends: each gets its problem, and the server stays up.

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::http::{self, Answer};

const NEW: [(&str, &str); 4] = [
    ("content-type", "application/json"),
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "tools/call"),
    ("mcp-name", "update_possibility_auth"),
];
const OLD: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("mcp-protocol-version", "2025-11-25"),
];
const JSON: [(&str, &str); 1] = [("content-type", "application/json")];
/// A2A with our extension, where the data is the problem itself.
const OURS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("a2a-extensions", crate::demo::EXTENSION),
];

/// Bodies that are wrong before any surface looks at them.
fn broken_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str, depth: usize| {
        format!("{}1{}", open.repeat(depth), close.repeat(depth)).into_bytes()
    };
    vec![
        ("nothing", Vec::new()),
        ("spaces", b"   \n".to_vec()),
        ("half an object", br#"{"jsonrpc":"2.0","#.to_vec()),
        (
            "bytes that are not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(),
        ),
        ("an overlong encoding", b"{\"id\":\"\xc0\xaf\"}".to_vec()),
        (
            "a lone surrogate",
            br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#.to_vec(),
        ),
        ("a byte order mark", b"\xef\xbb\xbf{}".to_vec()),
        ("a NUL", b"\0".to_vec()),
        ("two documents", b"{} {}".to_vec()),
        ("words", b"hello".to_vec()),
        ("NaN", b"NaN".to_vec()),
        ("a comment", b"// hi\n{}".to_vec()),
        ("deep arrays", deep("[", "]", 10_000)),
        ("deep objects", deep("{\"a\":", "}", 10_000)),
        ("unclosed arrays", b"[".repeat(100_000)),
    ]
}

#[test]
fn broken_bodies_are_refused_everywhere() {
    let mut cases = 0;
    for (name, body) in broken_bodies() {
        let answer = demo().send("PATCH", "/possibilities/acme/auth", &JSON, &body);
        assert_rest_problem(&answer, &[400, 422], &format!("{name} on REST"));
        for headers in [&NEW[..], &OLD[..]] {
            let answer = demo().send("POST", "/mcp", headers, &body);
            let error = assert_rpc_problem(&answer, &format!("{name} on MCP"));
            assert_mcp_number(&error, name);
        }
        for headers in [
            vec![],
            vec![("a2a-version", "1.0")],
            vec![("a2a-version", "0.3")],
        ] {
            let headers = [&JSON[..], &headers].concat();
            let answer = demo().send("POST", "/a2a", &headers, &body);
            assert_rpc_problem(&answer, &format!("{name} on A2A"));
        }
        demo().assert_alive(name);
        cases += 6;
    }
    assert!(cases > 0);
    place::say(&format!("count: broken bodies, {cases} requests"));
}

#[test]
fn json_that_is_no_request_is_refused() {
    let bodies = [
        json!(null),
        json!(true),
        json!(5),
        json!("text"),
        json!([]),
        json!([1, 2]),
        json!({}),
        json!({"id": 1, "method": "tools/call"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "tools/call"}),
        json!({"jsonrpc": 2.0, "id": 1, "method": "tools/call"}),
        json!({"jsonrpc": "2.0", "id": 1}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 5}),
        json!({"jsonrpc": "2.0", "id": 1, "method": null}),
    ];
    let mut cases = 0;
    for body in &bodies {
        let text = body.to_string();
        let answer = demo().send("POST", "/mcp", &OLD, text.as_bytes());
        let error = assert_rpc_problem(&answer, &format!("{text} on MCP"));
        assert_mcp_number(&error, &text);
        let answer = demo().send("POST", "/a2a", &OURS, text.as_bytes());
        if body.as_array().is_some_and(|batch| !batch.is_empty()) {
            let replies = answer.json();
            assert_eq!(
                replies.as_array().map(Vec::len),
                Some(2),
                "{text}: {replies}"
            );
        } else {
            let error = assert_rpc_problem(&answer, &format!("{text} on A2A"));
            assert_eq!(error["code"], -32600, "{text}: {error}");
        }
        cases += 2;
    }
    assert!(cases > 0);
    place::say(&format!(
        "count: JSON that is not a request, {cases} requests"
    ));
}

#[test]
fn parameters_by_position_are_refused_for_what_they_are() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#;
    for headers in [&OLD[..], &NEW[..]] {
        let answer = demo().send("POST", "/mcp", headers, body.as_bytes());
        let error = assert_rpc_problem(&answer, body);
        assert_eq!((answer.status, &error["code"]), (400, &json!(-32602)));
        assert_eq!(error["data"]["code"], "invalid_params", "{error}");
        assert_eq!(error["data"]["errors"][0]["pointer"], "#/params", "{error}");
    }
    // The form of JSON-RPC, but not of MCP.
    let body = r#"{"jsonrpc":"2.0","id":1,"error":5}"#;
    let answer = demo().send("POST", "/mcp", &OLD, body.as_bytes());
    let error = assert_rpc_problem(&answer, body);
    assert_eq!(error["data"]["status"], answer.status, "{error}");
    assert_eq!(error["data"]["code"], "invalid_request", "{error}");
}

#[test]
fn the_profile_is_picked_from_every_place_it_can_stand() {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {"messageId": "m", "role": "ROLE_USER",
        "parts": [{"data": {"skill": "possibility_auth_configuration", "id": "acme", "auth_ux": "Hosted"}}]}}});
    let body = call.to_string();
    let uri = aon::surface::a2a::EXTENSION_URI;
    let official = |path: &str, headers: &[(&str, &str)]| {
        let headers = [&JSON[..], headers].concat();
        let answer = demo().send("POST", path, &headers, body.as_bytes());
        answer.json()["error"]["data"].is_array()
    };
    // The specification: an absent version means 0.3.
    assert!(official("/a2a", &[]));
    assert!(!official("/a2a", &[("a2a-extensions", uri)]));
    assert!(official("/a2a", &[("a2a-version", "1.0")]));
    assert!(official("/a2a?A2A-Version=1.0", &[]));
    assert!(official("/a2a?x=1&a2a-version=0.3", &[]));
    for name in ["a2a-extensions", "x-a2a-extensions"] {
        let lines = [
            ("a2a-version", "1.0"),
            (name, "https://example.com/x"),
            (name, uri),
        ];
        assert!(!official("/a2a", &lines), "{name}");
    }
}

#[test]
fn ids_of_every_json_type_are_kept_or_refused() {
    let ids = [
        ("1", true),
        ("0", true),
        ("-7", true),
        ("9007199254740993", true),
        ("\"a\"", true),
        ("\"\"", true),
        ("\"\\u00e9 \\\"q\\\"\"", true),
        ("true", false),
        ("[1]", false),
        ("{\"a\":1}", false),
    ];
    let mut cases = 0;
    for (id, legal) in ids {
        let call = |method: &str, params: Value| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
        };
        let a2a = call(
            "SendMessage",
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": {"skill": "possibility_auth_configuration", "id": "acme", "auth_ux": "Hosted"}}]}}),
        );
        let mcp = call(
            "tools/call",
            json!({"name": "update_possibility_auth", "arguments": {"id": "acme", "auth_ux": "Hosted"}}),
        );
        for (path, body) in [("/a2a", a2a), ("/mcp", mcp)] {
            let answer = demo().send("POST", path, &OLD, body.as_bytes());
            let told = answer.json();
            if legal {
                let wanted: Value = serde_json::from_str(id).expect("an id");
                assert_eq!(told["id"], wanted, "{path}: {told}");
                let text = told.to_string();
                assert!(text.contains("invalid_auth_ux"), "{path}, id {id}: {told}");
            } else {
                assert_eq!(told["id"], Value::Null, "{path}: {told}");
                assert_eq!(told["error"]["code"], -32600, "{path}: {told}");
            }
            cases += 1;
        }
    }
    // A number that no float holds is kept to the letter on A2A.
    let body = r#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"Nothing"}"#;
    let answer = demo().send("POST", "/a2a", &OURS, body.as_bytes());
    assert!(
        answer.text().contains(r#""id":12345678901234567890123"#),
        "{}",
        answer.text()
    );
    cases += 1;
    place::say(&format!("count: ids of every JSON type, {cases} requests"));
}

#[test]
fn large_and_deep_arguments_get_their_problem() {
    let mut cases = 0;
    // Below the limit of a request: read, and refused for what it is. Above: refused for its size.
    for (size, fits) in [
        (1900 * 1024, true),
        (2 * 1024 * 1024, false),
        (3 * 1024 * 1024, false),
    ] {
        let long = "x".repeat(size);
        let arguments = json!({"id": "acme", "auth_ux": long});
        let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_possibility_auth", "arguments": arguments}});
        let answer = demo().send("POST", "/mcp", &OLD, mcp.to_string().as_bytes());
        let told = answer.json();
        let error = if fits {
            &told["result"]["structuredContent"]["error"]
        } else {
            &told["error"]["data"]
        };
        assert_eq!(
            error["code"],
            if fits { "invalid_auth_ux" } else { "too_large" },
            "{size}: {}",
            error
        );
        assert!(
            answer.body.len() < 16 * 1024,
            "{size}: the answer repeats what was sent"
        );

        let data =
            json!({"skill": "possibility_auth_configuration", "id": "acme", "auth_ux": long});
        let a2a = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}}});
        let answer = demo().send("POST", "/a2a", &OURS, a2a.to_string().as_bytes());
        let error = answer.json()["error"]["data"].clone();
        assert_eq!(
            error["code"],
            if fits { "invalid_auth_ux" } else { "too_large" },
            "{size}: {error}"
        );
        assert!(
            answer.body.len() < 16 * 1024,
            "{size}: the answer repeats what was sent"
        );

        let answer = demo().send(
            "PATCH",
            "/possibilities/acme/auth",
            &JSON,
            json!({"auth_ux": long}).to_string().as_bytes(),
        );
        assert_rest_problem(&answer, &[413, 422], "a long value on REST");
        assert!(
            answer.body.len() < 16 * 1024,
            "{size}: the answer repeats what was sent"
        );
        cases += 3;
    }
    let mut deep = json!("hosted");
    for _ in 0..100 {
        deep = json!({"a": [deep]});
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_possibility_auth", "arguments": {"id": "acme", "auth_ux": deep}}});
    let answer = demo().send("POST", "/mcp", &OLD, call.to_string().as_bytes());
    assert!(answer.text().contains("\"code\""), "{}", answer.text());
    let many: serde_json::Map<String, Value> = (0..20_000)
        .map(|at| (format!("field{at}"), json!(at)))
        .collect();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_possibility_auth", "arguments": many}});
    let answer = demo().send("POST", "/mcp", &OLD, call.to_string().as_bytes());
    assert_eq!(
        answer.json()["result"]["structuredContent"]["error"]["code"],
        "missing_field"
    );
    cases += 2;
    demo().assert_alive("large requests");
    place::say(&format!(
        "count: large and deep arguments, {cases} requests"
    ));
}

#[test]
fn missing_and_wrong_headers_get_their_problem() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let call = |meta: Option<&Value>| {
        let mut params = json!({"name": "update_possibility_auth", "arguments": {"id": "acme", "auth_ux": "Hosted"}});
        if let Some(meta) = meta {
            params["_meta"] = meta.clone();
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
    };
    let without = |name: &str| -> Vec<(&str, &str)> {
        NEW.into_iter().filter(|(own, _)| *own != name).collect()
    };
    let with = |name: &'static str, value: &'static str| -> Vec<(&str, &str)> {
        without(name).into_iter().chain([(name, value)]).collect()
    };
    let mut cases = 0;
    for (name, headers) in [
        ("no method header", without("mcp-method")),
        ("no name header", without("mcp-name")),
        ("another method", with("mcp-method", "tools/list")),
        ("another name", with("mcp-name", "list_possibilities")),
        (
            "an unknown version",
            with("mcp-protocol-version", "1999-01-01"),
        ),
        (
            "a foreign origin",
            [&NEW[..], &[("origin", "https://evil.example")]].concat(),
        ),
        ("another media type", with("content-type", "text/plain")),
    ] {
        let answer = demo().send("POST", "/mcp", &headers, call(Some(&meta)).as_bytes());
        assert!(
            (400..500).contains(&answer.status),
            "{name}: {} {}",
            answer.status,
            answer.text()
        );
        assert_says_why(&answer, name);
        cases += 1;
    }
    let answer = demo().send("POST", "/mcp", &NEW, call(None).as_bytes());
    assert!(
        answer.status == 400 && answer.json()["error"]["code"] == -32602,
        "no _meta: {}",
        answer.text()
    );
    for (name, path, method) in [
        ("DELETE", "/a2a", "DELETE"),
        ("PUT", "/a2a", "PUT"),
        ("PUT", "/mcp", "PUT"),
    ] {
        let answer = demo().send(method, path, &JSON, b"");
        assert_rest_problem(&answer, &[405], name);
        assert!(
            answer.header("allow").is_some(),
            "{name}: {:?}",
            answer.headers
        );
        cases += 1;
    }
    let answer = demo().send(
        "POST",
        "/a2a",
        &[("content-type", "text/plain"), ("a2a-version", "1.0")],
        b"{}",
    );
    assert_eq!(answer.json()["error"]["code"], -32005, "{}", answer.text());
    let answer = demo().send(
        "POST",
        "/a2a",
        &[
            ("content-type", "application/json"),
            ("a2a-version", "99.0"),
        ],
        b"{}",
    );
    assert_eq!(answer.json()["error"]["code"], -32009, "{}", answer.text());
    cases += 3;
    // No content type at all, and a head that is not UTF-8.
    let answer = demo().send(
        "POST",
        "/a2a",
        &[],
        br#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#,
    );
    assert_rpc_problem(&answer, "no content type");
    let mut bytes = format!(
        "PATCH /possibilities/acme/auth HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n",
        demo().port
    )
    .into_bytes();
    bytes.extend_from_slice(b"x-request-id: \xff\xfe\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{\"auth_ux\":\"Hosted\"}");
    let answer = http::raw(demo().port, &bytes);
    assert_rest_problem(&answer, &[422], "an id that is not text");
    demo().assert_alive("wrong headers");
    cases += 2;
    place::say(&format!(
        "count: missing and wrong headers, {cases} requests"
    ));
}

#[test]
fn batches_are_answered_one_by_one_or_refused() {
    let one = |id: u32, auth_ux: &str| {
        let data =
            json!({"skill": "possibility_auth_configuration", "id": "acme", "auth_ux": auth_ux});
        json!({"jsonrpc": "2.0", "id": id, "method": "SendMessage", "params": {"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}}})
    };
    let notification = json!({"jsonrpc": "2.0", "method": "SendMessage", "params": {}});
    let batch = json!([one(1, "Hosted"), one(2, "custom"), notification, {"jsonrpc": "2.0", "id": 3, "method": "Nothing"}]);
    let replies = demo()
        .send("POST", "/a2a", &OURS, batch.to_string().as_bytes())
        .json();
    let replies = replies.as_array().expect("a batch");
    assert_eq!(replies.len(), 3, "{replies:?}");
    assert_eq!(replies[0]["error"]["data"]["code"], "invalid_auth_ux");
    assert!(replies[1]["result"].is_object());
    assert_eq!(replies[2]["error"]["code"], pspace_method_not_found());
    let answer = demo().send("POST", "/a2a", &OURS, notification.to_string().as_bytes());
    assert!(
        answer.status == 202 && answer.body.is_empty(),
        "a notification: {}",
        answer.text()
    );
    let many: Vec<Value> = (0..1000).map(|id| one(id, "custom")).collect();
    let answer = demo().send("POST", "/a2a", &OURS, json!(many).to_string().as_bytes());
    assert_rpc_problem(&answer, "a thousand requests at once");
    let answer = demo().send("POST", "/mcp", &OLD, batch.to_string().as_bytes());
    let error = assert_rpc_problem(&answer, "a batch on MCP");
    assert_mcp_number(&error, "a batch on MCP");
    place::say("count: batches, 4 requests");
}

/// An unknown method: the contract's table has no row for it, so it is a 404 like any other.
fn pspace_method_not_found() -> Value {
    let answer = demo().send(
        "POST",
        "/a2a",
        &JSON,
        br#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#,
    );
    let number = answer.json()["error"]["code"].clone();
    assert!(
        [json!(-32600), json!(-32601)].contains(&number),
        "{}",
        answer.text()
    );
    number
}

fn assert_rest_problem(answer: &Answer, statuses: &[u16], place: &str) {
    assert!(
        statuses.contains(&answer.status),
        "{place}: {} {}",
        answer.status,
        answer.text()
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json"),
        "{place}: {}",
        answer.text()
    );
    let problem = answer.json();
    assert_eq!(problem["status"], answer.status, "{place}: {problem}");
    assert!(
        problem["code"].is_string() && problem["request_id"].is_string(),
        "{place}: {problem}"
    );
}

/// A JSON-RPC error that carries the problem, and nothing else.
fn assert_rpc_problem(answer: &Answer, place: &str) -> Value {
    let mut body = answer.json();
    // An array is a batch, also when what is in it is not a request.
    if let Value::Array(replies) = &mut body {
        assert_eq!(replies.len(), 1, "{place}: {replies:?}");
        body = replies.remove(0);
    }
    assert_eq!(body["jsonrpc"], "2.0", "{place}: {body}");
    let error = &body["error"];
    assert!(error["code"].is_i64(), "{place}: {body}");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{place}: {body}"
    );
    let data = &error["data"];
    let envelope = if data.is_array() { &data[1] } else { data };
    assert!(
        envelope["code"].is_string() && envelope["request_id"].is_string(),
        "{place}: {body}"
    );
    assert!(
        envelope["schema"].is_string() && envelope["detail"].is_string(),
        "{place}: {body}"
    );
    // What the caller can correct is not beyond remedy.
    assert_ne!(envelope["remediation"]["type"], "none", "{place}: {body}");
    error.clone()
}

/// Some reason in words: the transport of rmcp refuses these before our code sees them.
fn assert_says_why(answer: &Answer, place: &str) {
    let body = answer.json();
    let told = body["error"]["message"]
        .as_str()
        .or_else(|| body["detail"].as_str());
    assert!(told.is_some_and(|text| !text.is_empty()), "{place}: {body}");
}

/// S5: on MCP only the numbers of JSON-RPC and of MCP itself.
fn assert_mcp_number(error: &Value, place: &str) {
    let number = error["code"].as_i64().expect("a number");
    let known = [
        -32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022,
    ];
    assert!(known.contains(&number), "{place}: {error}");
}

//! Requests to the demo that are none, and what leaves it then.

use serde_json::{Value, json};

use crate::demo::Demo;
use crate::http::send;

#[test]
fn malformed_requests_are_problems_on_every_surface() {
    let demo = Demo::start();
    let json_type = [("content-type", "application/json")];
    let large = format!("{{\"auth_ux\":\"{}\"}}", "x".repeat(3 << 20));
    let mut seen = 0;
    for (body, status) in [
        (&b"{\"auth_ux\":"[..], 400),
        (b"[1]", 422),
        (b"\"x\"", 422),
        (b"{\"auth_ux\":\"\xff\"}", 400),
        (b"", 400),
        (large.as_bytes(), 413),
    ] {
        let answer = send(
            demo.port,
            "PATCH",
            "/possibilities/x/auth",
            &json_type,
            body,
        );
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(answer.json()["status"], status);
        seen += 1;
    }
    let csv = send(
        demo.port,
        "PATCH",
        "/possibilities/x/auth",
        &[("content-type", "text/csv")],
        b"a",
    );
    assert_eq!(
        (csv.status, csv.json()["status"].as_u64()),
        (415, Some(415))
    );
    let near = send(demo.port, "GET", "/possibilites", &[], b"");
    assert_eq!(near.status, 404);
    assert!(near.text().contains("/possibilities"), "{}", near.text());

    for (body, number) in [
        ("{", -32700),
        ("", -32700),
        ("[]", -32600),
        ("5", -32600),
        ("{\"foo\":1}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMesage\"}",
            -32601,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\"}",
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":[]}",
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"parts\":[]}}}",
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"parts\":[{\"data\":[1]}]}}}",
            -32602,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"data\":{\"skill\":\"possibility_auth_configuratio\"}}]}}}",
            -32601,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\",\"params\":{\"id\":\"x\"}}",
            -32001,
        ),
    ] {
        let answer = demo.a2a(&[("a2a-version", "1.0")], body);
        let json = answer.json();
        assert_eq!(json["error"]["code"], number, "{body}: {json}");
        assert_eq!(json["error"]["data"][1]["surface"], "a2a", "{body}");
        assert_eq!(answer.status, 200, "{body}");
        seen += 1;
    }

    for (body, status, number) in [
        ("{", 400, -32700),
        ("[]", 400, -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"tools/list\"}",
            400,
            -32600,
        ),
    ] {
        let answer = send(demo.port, "POST", "/mcp", &json_type, body.as_bytes());
        assert_eq!(answer.status, status, "{}", answer.text());
        let json = answer.json();
        assert_eq!(json["error"]["code"], number, "{body}");
        assert_eq!(json["error"]["data"]["surface"], "mcp", "{body}");
        seen += 1;
    }
    for arguments in [json!([1]), json!("x"), json!(5)] {
        let mcp = demo.legacy_tool("update_possibility_auth", &arguments);
        assert_eq!(
            mcp["result"]["structuredContent"]["error"]["code"], "invalid_value",
            "{mcp}"
        );
        seen += 1;
    }
    let mcp = demo.legacy_tool("update_posibility_auth", &json!({}));
    let error = &mcp["result"]["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["suggestion"]),
        (
            &json!("unknown_operation"),
            &json!("update_possibility_auth")
        )
    );
    assert_eq!(seen, 25);
}

#[test]
fn nothing_internal_is_ever_shown() {
    let demo = Demo::start();
    for id in ["broken", "crash"] {
        let arguments = json!({"id": id, "auth_ux": "custom"});
        let rest = demo
            .rest(
                "PATCH",
                &format!("/possibilities/{id}/auth"),
                &json!({"auth_ux": "custom"}),
            )
            .text();
        let page = send(
            demo.port,
            "GET",
            &format!("/possibilities/{id}/auth"),
            &[("accept", "text/html")],
            b"",
        )
        .text();
        let mcp = demo.tool("update_possibility_auth", &arguments).to_string();
        let a2a = demo
            .skill(Some("1.0"), "possibility_auth_configuration", &arguments)
            .text();
        for text in [rest, page, mcp, a2a] {
            for secret in ["hunter2", "db-3", "10.0.0.12", "panicked", ".rs"] {
                assert!(!text.contains(secret), "{id} shows {secret}: {text}");
            }
        }
    }
}

#[test]
fn batches_and_notifications_are_answered_as_json_rpc_says() {
    let demo = Demo::start();
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"nope"},{"jsonrpc":"2.0","method":"nope"},7,{"jsonrpc":"2.0","id":"z","method":"ListTasks"}]"#;
    let answers = demo.a2a(&[], batch).json();
    let answers = answers.as_array().expect("an array");
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["error"]["code"], -32601);
    assert_eq!(
        (&answers[1]["id"], &answers[1]["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    assert_eq!(answers[2]["result"]["tasks"], json!([]));
    let quiet = demo.a2a(&[], r#"{"jsonrpc":"2.0","method":"nope"}"#);
    assert!(quiet.body.is_empty());
    let too_many = format!(
        "[{}]",
        vec![r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#; 101].join(",")
    );
    assert_eq!(
        demo.a2a(&[], &too_many).json()["error"]["data"][1]["code"],
        "batch_too_large"
    );
}

#[test]
fn the_extension_is_declared_activated_and_echoed() {
    let demo = Demo::start();
    let card = send(demo.port, "GET", "/.well-known/agent-card.json", &[], b"").json();
    let uri = card["capabilities"]["extensions"][0]["uri"]
        .as_str()
        .expect("a URI")
        .to_owned();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#;
    let answer = demo.a2a(&[("a2a-version", "1.0"), ("a2a-extensions", &uri)], body);
    assert_eq!(answer.header("a2a-extensions"), Some(uri.as_str()));
    assert!(answer.json()["error"]["data"].is_object());
    let answer = demo.a2a(&[("a2a-version", "1.0")], body);
    assert_eq!(answer.header("a2a-extensions"), None);
    assert!(answer.json()["error"]["data"].is_array());
    let skills: Vec<&str> = card["skills"]
        .as_array()
        .expect("skills")
        .iter()
        .filter_map(|skill| skill["id"].as_str())
        .collect();
    assert!(skills.contains(&"possibility_auth_configuration"));
    // What the headers say is refused, and still answered to whom it was asked by.
    for version in ["2.0", "9.9", "x"] {
        let answer = demo.a2a(&[("a2a-version", version)], body).json();
        assert_eq!(
            (&answer["error"]["code"], &answer["id"]),
            (&json!(-32009), &json!(1))
        );
    }
    let near = demo.skill(None, "possibility_auth_lookups", &json!({"id": "p1"}));
    assert_eq!(
        near.json()["error"]["data"]["corrected_params"],
        json!({"id": "p1", "skill": "possibility_auth_lookup"})
    );
    let foreign = [("a2a-version", "1.0"), ("content-type", "text/plain")];
    let answer = send(demo.port, "POST", "/a2a", &foreign, body.as_bytes()).json();
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(-32005), &json!(1))
    );
}

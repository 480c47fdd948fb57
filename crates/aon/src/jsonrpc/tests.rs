use serde_json::{Value, json};

use super::*;
use crate::door::{Door, Facts};

fn serve(bytes: &[u8]) -> Option<Value> {
    let answer = |request: &Request| match request.method() {
        "echo" => Ok(request.params().cloned().unwrap_or(Json::from(""))),
        "set" => Err(invalid_params("auth_ux must be one of the valid values.")
            .with_valid_values("auth_ux", ["hosted", "custom"])),
        other => Err(method_not_found(other, ["echo", "set"])),
    };
    let facts = Facts::new("a2a").with_profile(Profile::A2A_1_0);
    let scope = Scope::open(&Door::new(), facts);
    let out = dispatch(bytes, &scope, answer)?;
    Some(serde_json::from_slice(&out).unwrap())
}

fn error(bytes: &[u8]) -> (Value, i64, String) {
    let response = serve(bytes).unwrap();
    let error = &response["error"];
    assert_eq!(response["jsonrpc"], "2.0");
    assert_eq!(
        error["data"][1]["schema"], "pspace.a2a.error.v1",
        "{response}"
    );
    (
        response["id"].clone(),
        error["code"].as_i64().unwrap(),
        error["data"][1]["code"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn every_malformed_request_gets_its_problem_and_its_number() {
    let cases: &[(&[u8], Value, i64, &str)] = &[
        (b"", Value::Null, -32700, "invalid_json"),
        (b"{", Value::Null, -32700, "invalid_json"),
        (b"\xff\xfe", Value::Null, -32700, "invalid_json"),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"e"} x"#,
            Value::Null,
            -32700,
            "invalid_json",
        ),
        (b"5", Value::Null, -32600, "invalid_request"),
        (b"null", Value::Null, -32600, "invalid_request"),
        (b"\"x\"", Value::Null, -32600, "invalid_request"),
        (b"[]", Value::Null, -32600, "invalid_request"),
        (b"{}", Value::Null, -32600, "invalid_request"),
        (br#"{"foo":1}"#, Value::Null, -32600, "invalid_request"),
        (
            br#"{"id":1,"method":"echo"}"#,
            json!(1),
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"1.0","id":"a","method":"echo"}"#,
            json!("a"),
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1}"#,
            json!(1),
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            json!(1),
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":true,"method":"echo"}"#,
            Value::Null,
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":[1],"method":"echo"}"#,
            Value::Null,
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":{},"method":"echo"}"#,
            Value::Null,
            -32600,
            "invalid_request",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":5}"#,
            json!(1),
            -32602,
            "invalid_params",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":"x"}"#,
            json!(1),
            -32602,
            "invalid_params",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"ehco"}"#,
            json!(1),
            -32601,
            "unknown_operation",
        ),
    ];
    for (bytes, id, number, code) in cases {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(
            error(bytes),
            (id.clone(), *number, (*code).to_owned()),
            "{text}"
        );
    }
}

#[test]
fn ids_of_every_legal_type_come_back() {
    for id in [
        "1",
        "-1",
        "1.5",
        "\"a\\u0000\"",
        "null",
        "12345678901234567890",
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":[1]}}"#);
        let response = serve(request.as_bytes()).unwrap();
        assert_eq!(response["id"], serde_json::from_str::<Value>(id).unwrap());
        assert_eq!(response["result"], json!([1]));
    }
}

#[test]
fn notifications_are_never_answered() {
    for method in ["echo", "nonsense", "set"] {
        let notification = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
        assert_eq!(serve(notification.as_bytes()), None);
        assert_eq!(serve(format!("[{notification}]").as_bytes()), None);
    }
}

#[test]
fn a_batch_is_answered_one_by_one() {
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}},5,{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":"x","method":"nope"}]"#;
    let responses = serve(batch).unwrap();
    let responses = responses.as_array().unwrap();
    assert_eq!(responses.len(), 3);
    assert_eq!(responses[0]["result"], json!({"a": 1}));
    assert_eq!(responses[1]["error"]["code"], -32600);
    assert_eq!(responses[2]["error"]["code"], -32601);
    let many = format!("[{}]", vec!["1"; 101].join(","));
    assert_eq!(error(many.as_bytes()).2, "batch_too_large");
}

#[test]
fn failures_carry_the_correction_of_their_parameters() {
    let response =
        serve(br#"{"jsonrpc":"2.0","id":1,"method":"set","params":{"auth_ux":"HOSTED"}}"#).unwrap();
    assert_eq!(
        response["error"]["data"][1]["corrected_params"],
        json!({"auth_ux": "hosted"})
    );
}

#[test]
fn size_and_depth_are_limited() {
    let limits = Limits {
        bytes: 100,
        ..Limits::default()
    };
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(100)
    );
    let rejected = parse_within(long.as_bytes(), limits).unwrap_err();
    assert_eq!(rejected.problem().status().unwrap().as_u16(), 413);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert_eq!(
        error(deep.as_bytes()),
        (json!(1), -32602, "invalid_params".to_owned())
    );
    // An id is sent back whole, quotes included.
    for (length, taken) in [(1022, true), (1023, false)] {
        let id = "i".repeat(length);
        let named = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"echo","params":[]}}"#);
        assert_eq!(
            serve(named.as_bytes()).unwrap()["result"].is_array(),
            taken,
            "{length}"
        );
    }
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":["{}"]}}"#,
        "x".repeat(1 << 20)
    );
    assert!(serve(large.as_bytes()).unwrap()["result"].is_array());
}

#[test]
fn the_nearest_method_is_named() {
    let problem = method_not_found("SendMesage", ["SendMessage", "GetTask"]);
    assert_eq!(
        problem.extensions().get("suggestion"),
        Some(&Json::from("SendMessage"))
    );
    assert_eq!(
        problem.detail(),
        Some("There is no method `SendMesage`. Did you mean `SendMessage`?")
    );
    let long = method_not_found(&"x".repeat(500_000), ["SendMessage"]);
    assert!(long.to_vec().len() < 1024, "{long}");
}

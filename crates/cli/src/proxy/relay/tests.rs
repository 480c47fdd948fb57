use serde_json::{Value, json};

use aon::surface::mcp::META_KEY;

use super::*;

fn list() -> Value {
    json!({"tools": [
        {"name": "order", "inputSchema": {"type": "object", "properties": {
            "size": {"enum": ["small", "large"]},
            "carrier": {"type": "string", "description": "Who ships it. One of 'post', 'courier' or 'pickup'."},
        }, "required": ["size"]}},
        {"name": "strict_order", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
        {"name": "get_parcel", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}},
        {"name": "list_parcels", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
    ]})
}

/// A relay that knows the tools.
fn relay() -> Relay {
    let mut relay = Relay::new(5, Observer::default());
    relay.desk.listed(&list(), true);
    relay
}

fn call(id: u64, tool: &str, arguments: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}).to_string().into_bytes()
}

fn error(id: u64, text: &str) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}], "isError": true}}).to_string().into_bytes()
}

/// The one line that went to the client.
fn told(out: &[Out]) -> Value {
    match out {
        [Out::Client(line)] => serde_json::from_slice(line).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn envelope(out: &[Out]) -> Value {
    told(out)["result"]["structuredContent"]["error"].clone()
}

#[test]
fn what_is_not_a_call_passes_byte_by_byte() {
    let mut relay = relay();
    for line in [
        &b"{ \"method\":\"ping\" , \"id\":1}\r\n"[..],
        b"not json\n",
        b"\xff\xfe\n",
        b"[]\n",
    ] {
        assert_eq!(
            relay.client_line(line.to_vec(), 0),
            [Out::Server(line.to_vec())]
        );
        assert_eq!(
            relay.server_line(line.to_vec(), 0),
            [Out::Client(line.to_vec())]
        );
    }
    let good = call(1, "order", &json!({"size": "small"}));
    assert_eq!(relay.client_line(good.clone(), 0), [Out::Server(good)]);
    let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#.to_vec();
    assert_eq!(relay.server_line(answer.clone(), 0), [Out::Client(answer)]);
}

#[test]
fn arguments_the_schema_refuses_are_answered_before_they_leave() {
    let mut relay = relay();
    let out = relay.client_line(call(1, "order", &json!({"size": "Large"})), 0);
    let error = envelope(&out);
    assert_eq!(error["corrected_args"], json!({"size": "large"}));
    assert_eq!(error["valid_values"]["size"], json!(["small", "large"]));
    assert_eq!(told(&out)["id"], 1);
}

#[test]
fn the_list_is_asked_for_before_the_first_call() {
    let mut relay = Relay::new(0, Observer::default());
    let first = call(1, "order", &json!({"size": "Large"}));
    let asked = relay.client_line(first, 0);
    let [Out::Server(asked)] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    let asked: Value = serde_json::from_slice(asked).unwrap();
    assert_eq!(asked["method"], "tools/list");
    assert_eq!(
        relay.client_line(call(2, "order", &json!({"size": "small"})), 0),
        []
    );
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": list()})
        .to_string()
        .into_bytes();
    let out = relay.server_line(answer, 0);
    assert_eq!(out.len(), 2);
    assert!(matches!(&out[0], Out::Client(_)) && matches!(&out[1], Out::Server(_)));
}

#[test]
fn a_server_that_lists_nothing_is_left_alone() {
    let mut relay = Relay::new(0, Observer::default());
    let line = call(1, "order", &json!({"size": "Large"}));
    relay.client_line(line.clone(), 0);
    let refused =
        br#"{"jsonrpc":"2.0","id":"aon-proxy-1","error":{"code":-32601,"message":"no"}}"#.to_vec();
    assert_eq!(relay.server_line(refused, 0), [Out::Server(line)]);
}

#[test]
fn values_that_a_description_lists_are_told_when_the_server_refuses_others() {
    let mut relay = relay();
    relay.client_line(
        call(1, "order", &json!({"size": "small", "carrier": "Courier"})),
        0,
    );
    let out = relay.server_line(error(1, "carrier Courier is not supported"), 0);
    let problem = envelope(&out);
    assert_eq!(
        problem["valid_values"]["carrier"],
        json!(["post", "courier", "pickup"])
    );
    assert_eq!(problem["corrected_args"]["carrier"], "courier");
    let first = &told(&out)["result"]["content"][0]["text"];
    assert_eq!(
        first, "carrier Courier is not supported",
        "the server's own words stay"
    );
}

#[test]
fn words_are_read_for_their_kind_and_secrets_leave_them() {
    let mut relay = relay();
    let cases = [
        ("Parcel p-77 not found", 404, "not_found"),
        ("Rate limit reached for key", 429, "too_many_requests"),
        ("EACCES: permission denied, open '/x'", 403, "forbidden"),
        ("expected string, received number", 422, "invalid_value"),
        // What went wrong inside the server is not a refusal: the call may have had its effect.
        ("nobody expected this", 500, "tool_failed"),
        ("Reset of the subnetwork broke", 500, "tool_failed"),
        ("it broke", 500, "tool_failed"),
    ];
    for (id, (text, status, code)) in (10..).zip(cases) {
        relay.client_line(call(id, "get_parcel", &json!({"id": "p-77"})), 0);
        let problem = envelope(&relay.server_line(error(id, text), 0));
        assert_eq!(
            (&problem["status"], &problem["code"]),
            (&json!(status), &json!(code)),
            "{text}"
        );
    }
    relay.client_line(call(20, "get_parcel", &json!({"id": "p-77"})), 0);
    let out = relay.server_line(
        error(
            20,
            "p-77 not found, Authorization: Bearer abcdefghijklmnop1234567890",
        ),
        0,
    );
    assert!(
        !told(&out)
            .to_string()
            .contains("abcdefghijklmnop1234567890"),
        "{out:?}"
    );
    assert_eq!(envelope(&out)["mcp_tool"], "list_parcels");
    assert_eq!(
        envelope(&out)["machine_hints"]["field_paths"],
        json!(["/id"])
    );
}

#[test]
fn issues_of_zod_and_pydantic_are_read() {
    let mut relay = relay();
    let zod = r#"MCP error -32602: Invalid arguments: [{"code":"invalid_enum_value","options":["a","b"],"path":["mode"],"message":"Invalid enum value"}]"#;
    relay.client_line(call(1, "strict_order", &json!({"mode": "A"})), 0);
    let out = relay.server_line(error(1, zod), 0);
    let meta = &told(&out)["result"]["_meta"][META_KEY];
    assert_eq!(
        meta["corrected_args"],
        json!({"mode": "a"}),
        "a declared output schema is kept"
    );
    assert!(told(&out)["result"].get("structuredContent").is_none());
    let pydantic = "1 validation error for call[x]\nmode\n  Input should be 'a' or 'b' [type=literal_error, input_value='A', input_type=str]";
    relay.client_line(call(2, "list_parcels", &json!({"mode": "A"})), 0);
    assert_eq!(
        envelope(&relay.server_line(error(2, pydantic), 0))["corrected_args"],
        json!({"mode": "a"})
    );
}

#[test]
fn errors_of_the_protocol_keep_their_number() {
    let mut relay = relay();
    relay.client_line(call(1, "oder", &json!({})), 0);
    let line =
        br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Tool oder not found"}}"#
            .to_vec();
    let out = relay.server_line(line, 0);
    assert_eq!(told(&out)["error"]["code"], -32602);
    assert_eq!(told(&out)["error"]["data"]["suggestion"], "order");
}

#[test]
fn whoever_waits_is_told_of_a_time_out_and_of_a_server_that_went() {
    let mut relay = relay();
    relay.client_line(call(1, "list_parcels", &json!({})), 0);
    assert_eq!(relay.expired(4_999), []);
    assert_eq!(envelope(&relay.expired(5_000))["status"], 504);
    let late = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#.to_vec();
    assert_eq!(
        relay.server_line(late, 5_500),
        [],
        "one request has one answer"
    );
    relay.client_line(call(2, "list_parcels", &json!({})), 6_000);
    assert_eq!(envelope(&relay.gone())["code"], "server_gone");
    assert_eq!(relay.gone(), []);
}

#[test]
fn what_was_observed_is_a_catalog_and_says_what_recovered() {
    let mut relay = relay();
    relay.client_line(call(1, "order", &json!({"size": "Large"})), 0);
    relay.client_line(call(2, "order", &json!({"size": "large"})), 0);
    relay.server_line(
        br#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#.to_vec(),
        0,
    );
    let seen: Value = serde_json::from_str(&relay.desk.observer.failures()).unwrap();
    let kind = &seen["operations"]["order"]["failures"]["invalid_value"];
    assert_eq!(
        (&kind["count"], &kind["recovered"], &kind["actionable"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(kind["how"], json!({"changed /size": 1}));
    let catalog = aon::catalog::Catalog::parse(&relay.desk.observer.catalog().unwrap()).unwrap();
    assert_eq!(catalog.problems.len(), 1);
}

#[test]
fn memory_does_not_grow_with_the_number_of_calls() {
    let mut relay = relay();
    for id in 0..10_000 {
        relay.client_line(call(id, "list_parcels", &json!({})), id);
        relay.server_line(error(id, "it broke"), id);
        relay.client_line(call(id, "list_parcels", &json!({})), id);
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        relay.client_line(cancelled.to_string().into_bytes(), id);
    }
    assert!(relay.calls.is_empty() && relay.lists.is_empty() && relay.waiting.is_empty());
}

#[test]
fn calls_do_not_wait_for_a_list_that_never_comes_or_never_ends() {
    let good = call(1, "order", &json!({"size": "small"}));
    for timeout in [0, 5] {
        let mut relay = Relay::new(timeout, Observer::default());
        assert_eq!(relay.client_line(good.clone(), 0).len(), 1);
        assert_eq!(relay.expired(4_999), []);
        assert_eq!(relay.expired(LIST_PATIENCE), [Out::Server(good.clone())]);
        // The list comes after all, and nobody asked for it.
        let late = json!({"jsonrpc": "2.0", "id": "aon-proxy-1", "result": list()});
        assert_eq!(relay.server_line(late.to_string().into_bytes(), 1), []);
    }
    let mut relay = Relay::new(0, Observer::default());
    let mut out = relay.client_line(good.clone(), 0);
    for page in 1..=MOST_PAGES {
        assert!(matches!(out.as_slice(), [Out::Server(line)] if *line != good));
        let page = json!({"jsonrpc": "2.0", "id": format!("aon-proxy-{page}"), "result": {"tools": [], "nextCursor": "more"}});
        out = relay.server_line(page.to_string().into_bytes(), 0);
    }
    assert_eq!(out, [Out::Server(good)]);
}

//! Starts every example as its user would, and talks to it.

#[path = "run.rs"]
mod run;

use serde_json::{Value, json};

use run::{Program, output};

#[test]
fn plain_shows_one_failure_in_three_envelopes() {
    let (code, said, _) = output(env!("CARGO_BIN_EXE_plain"), &[]);
    assert_eq!(code, 0);
    let wires: Vec<(String, Value)> = said
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(surface, wire)| (surface.to_owned(), serde_json::from_str(wire).unwrap()))
        .collect();
    let [(rest, one), (mcp, two), (a2a, three)] = &wires[..] else {
        panic!("{said}");
    };
    assert_eq!([rest.as_str(), mcp, a2a], ["rest", "mcp", "a2a"]);
    assert_eq!(
        one["valid_values"],
        json!({"shipping": ["standard", "express"]})
    );
    let tool = &two["structuredContent"]["error"];
    assert_eq!(tool["corrected_args"]["shipping"], "express");
    assert_eq!(
        three["error"]["data"]["corrected_params"]["shipping"],
        "express"
    );
    for wire in [one, tool, &three["error"]["data"]] {
        assert_eq!(wire["code"], "invalid_shipping");
        assert_eq!(wire["request_id"], "req-1");
    }
}

#[test]
fn cli_says_what_why_and_what_to_try() {
    let cli = env!("CARGO_BIN_EXE_cli");
    let (code, said, _) = output(cli, &["express"]);
    assert_eq!((code, said.as_str()), (0, "It leaves by express mail.\n"));
    let (code, _, told) = output(cli, &["expres"]);
    assert_eq!(code, 2);
    assert!(
        told.contains("What\n") && told.contains("did you mean \"express\"?"),
        "{told}"
    );
    let (code, _, told) = output(cli, &[]);
    assert_eq!(code, 2);
    assert!(told.contains("shipping: standard, express"), "{told}");
}

#[test]
fn axum_answers_every_error_with_a_problem() {
    let program = Program::start(env!("CARGO_BIN_EXE_axum"));
    let order = json!({"item": "chair", "quantity": 2, "shipping": "express"});
    let answer = program.post("/orders", &order.to_string());
    assert_eq!((answer.status, answer.json()), (200, order));

    let lamp = json!({"item": "lamp", "quantity": 2, "shipping": "express"});
    let problem = program.post("/orders", &lamp.to_string()).problem(409);
    assert_eq!(
        (&problem["code"], &problem["item"]),
        (&json!("out_of_stock"), &json!("lamp"))
    );

    // Every wrong field at once, with the values that would do.
    let problem = program
        .post("/orders", r#"{"quantity":"two","shipping":"expres"}"#)
        .problem(422);
    let mut fields: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["#/item", "#/quantity", "#/shipping"], "{problem}");
    assert_eq!(
        problem["valid_values"]["shipping"],
        json!(["standard", "express"]),
        "{problem}"
    );

    let problem = program.get("/orders/seven").problem(400);
    assert_eq!(problem["errors"][0]["pointer"], "#/id", "{problem}");
    let problem = program.get("/orders?limit=many").problem(400);
    assert_eq!(problem["errors"][0]["pointer"], "#/limit", "{problem}");

    // The nearest route, and the methods of one.
    let problem = program.get("/order").problem(404);
    assert_eq!(problem["suggestion"], "/orders", "{problem}");
    let problem = program.send("DELETE", "/orders", &[], "").problem(405);
    assert_eq!(
        problem["valid_values"]["method"].as_array().unwrap().len(),
        3,
        "{problem}"
    );

    // The cause is in the log under the request id, and nowhere else.
    let answer = program.get("/orders/8");
    let problem = answer.problem(503);
    assert!(!answer.body.contains("db-1"), "{}", answer.body);
    let id = problem["request_id"].as_str().unwrap();
    let log = program.stop();
    let line = log
        .lines()
        .find(|line| line.contains(id))
        .unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains("disk 3 of node db-1 failed"), "{line}");
}

#[test]
fn rmcp_on_standard_input_and_output_corrects_arguments() {
    let answers = run::lines(
        env!("CARGO_BIN_EXE_rmcp-stdio"),
        &[
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            call(
                1,
                "create_order",
                &json!({"item": "chair", "quantity": 2, "shipping": "expres"}),
            ),
            call(
                2,
                "create_order",
                &json!({"item": "lamp", "quantity": 2, "shipping": "express"}),
            ),
            call(3, "create_orders", &json!({})),
        ],
        4,
    );
    assert_tools(|id| answers.iter().find(|answer| answer["id"] == id).unwrap()["result"].clone());
}

#[test]
fn rmcp_over_http_corrects_arguments() {
    let program = Program::start(env!("CARGO_BIN_EXE_rmcp-http"));
    let calls = [
        call(
            1,
            "create_order",
            &json!({"item": "chair", "quantity": 2, "shipping": "expres"}),
        ),
        call(
            2,
            "create_order",
            &json!({"item": "lamp", "quantity": 2, "shipping": "express"}),
        ),
        call(3, "create_orders", &json!({})),
    ];
    assert_tools(|id| {
        let call = calls.iter().find(|call| call["id"] == id).unwrap();
        mcp(&program, call)["result"].clone()
    });
    let broken = program.send("POST", "/mcp", &MCP, "{");
    assert_eq!(
        broken.json()["error"]["data"]["code"],
        "invalid_json",
        "{}",
        broken.body
    );
}

#[test]
fn jsonrpsee_answers_with_problems() {
    let program = Program::start(env!("CARGO_BIN_EXE_jsonrpsee"));
    let call = |method: &str, params: Value| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        program.post("/", &request.to_string()).json()
    };
    assert_eq!(
        call("create_order", json!({"item": "chair", "quantity": 2}))["result"],
        "2 × chair"
    );
    let error = call("create_order", json!({"item": "lamp", "quantity": 2}));
    assert_eq!(error["error"]["data"]["code"], "out_of_stock", "{error}");
    let error = call("create_order", json!({"item": "chair"}));
    assert_eq!(
        error["error"]["data"]["errors"][0]["pointer"], "#/quantity",
        "{error}"
    );
    let error = call("create_ordr", json!({}));
    assert_eq!(
        error["error"]["data"]["suggestion"], "create_order",
        "{error}"
    );
}

#[test]
fn a2a_answers_with_problems() {
    let program = Program::start(env!("CARGO_BIN_EXE_a2a"));
    assert_agent(&program, "quantity");
    // One that reports is a task, and a session that anyone with its id may read.
    let many = send_message(&program, &json!({"item": "chair", "quantity": 20}));
    let task = &many["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{many}");
    let id = task["id"].as_str().unwrap_or_default();
    let session = program.get(&format!("/aon/sessions/{id}")).json();
    assert_eq!(session["outcome"]["data"], "20 × chair", "{session}");
}

#[test]
fn the_service_says_the_same_on_three_surfaces() {
    let program = Program::start(env!("CARGO_BIN_EXE_service"));
    let lamp = json!({"item": "lamp", "quantity": 2, "shipping": "express"});
    let rest = program.post("/orders", &lamp.to_string()).problem(409);
    let tool =
        mcp(&program, &call(1, "create_order", &lamp))["result"]["structuredContent"]["error"]
            .clone();
    let agent = send_message(&program, &lamp)["error"]["data"].clone();
    for wire in [&rest, &tool, &agent] {
        for member in [
            "code",
            "type",
            "title",
            "status",
            "detail",
            "remediation",
            "item",
        ] {
            assert_eq!(wire[member], rest[member], "{member}: {wire}");
        }
    }
    assert_eq!(rest["type"], "shop://problem/out_of_stock");
    assert_agent(&program, "quantity");
    // The limit is one, and told.
    let long = "x".repeat(70_000);
    let problem = program.post("/orders", &format!("\"{long}\"")).problem(413);
    assert_eq!(problem["limit"], 64 << 10, "{problem}");
}

/// What a client of MCP sends over HTTP.
const MCP: [(&str, &str); 3] = [
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
    ("mcp-protocol-version", "2025-06-18"),
];

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn mcp(program: &Program, message: &Value) -> Value {
    program
        .send("POST", "/mcp", &MCP, &message.to_string())
        .json()
}

fn assert_tools(result: impl Fn(u32) -> Value) {
    let bad = result(1);
    assert_eq!(bad["isError"], true, "{bad}");
    let error = &bad["structuredContent"]["error"];
    assert_eq!(error["corrected_args"]["shipping"], "express", "{bad}");
    assert_eq!(
        result(2)["structuredContent"]["error"]["code"],
        "out_of_stock"
    );
    assert_eq!(
        result(3)["structuredContent"]["error"]["suggestion"],
        "create_order"
    );
}

fn send_message(program: &Program, data: &Value) -> Value {
    let message = json!({"messageId": "m1", "role": "ROLE_USER", "parts": [{"data": data}]});
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let headers = [("content-type", "application/json"), ("a2a-version", "1.0")];
    let answer = program
        .send("POST", "/a2a", &headers, &request.to_string())
        .json();
    // In 1.0 the envelope is one of several details.
    let mut answer = answer;
    if let Some(details) = answer["error"]["data"].as_array() {
        let envelope = details
            .iter()
            .find(|detail| detail.get("code").is_some())
            .cloned();
        answer["error"]["data"] = envelope.unwrap_or_default();
    }
    answer
}

fn assert_agent(program: &Program, missing: &str) {
    let card = program.get("/.well-known/agent-card.json");
    assert_eq!(card.json()["skills"][0]["id"], "create_order");
    let good = json!({"item": "chair", "quantity": 2, "shipping": "express"});
    assert!(send_message(program, &good)["result"]["message"]["parts"][0].is_object());
    let error = send_message(
        program,
        &json!({"item": "lamp", "quantity": 2, "shipping": "express"}),
    );
    assert_eq!(error["error"]["data"]["code"], "out_of_stock", "{error}");
    let error = send_message(program, &json!({"item": "chair", "shipping": "express"}));
    let place = format!("#/{missing}");
    assert_eq!(
        error["error"]["data"]["errors"][0]["pointer"], place,
        "{error}"
    );
}

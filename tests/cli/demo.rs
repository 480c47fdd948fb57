//! The demo over real TCP: every failure on every surface, with the same content.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::{Answer, send};
use crate::run::program;

/// A running demo, stopped at the end of the test.
pub struct Demo {
    child: Child,
    pub port: u16,
    pub ready: String,
}

impl Demo {
    pub fn start() -> Self {
        let mut child = Command::new(program())
            .args(["demo", "--port", "0"])
            .env("RUST_BACKTRACE", "0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the demo starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().expect("standard output is piped"))
            .read_line(&mut ready)
            .expect("a line");
        let port = ready
            .split_whitespace()
            .nth(1)
            .and_then(|url| url.rsplit(':').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no address in {ready:?}"));
        Self { child, port, ready }
    }

    fn rest(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        send(
            self.port,
            method,
            path,
            &headers,
            body.to_string().as_bytes(),
        )
    }

    /// A tool call in the newer era, and its result or error.
    fn tool(&self, name: &str, arguments: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}});
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", name),
        ];
        send(
            self.port,
            "POST",
            "/mcp",
            &headers,
            body.to_string().as_bytes(),
        )
        .json()
    }

    fn legacy_tool(&self, name: &str, arguments: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let headers = [
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        send(
            self.port,
            "POST",
            "/mcp",
            &headers,
            body.to_string().as_bytes(),
        )
        .json()
    }

    pub fn a2a(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        send(self.port, "POST", "/a2a", &all, body.as_bytes())
    }

    /// A skill call, in the words of the version.
    fn skill(&self, version: Option<&str>, skill: &str, arguments: &Value) -> Answer {
        let mut data = json!({"skill": skill});
        for (name, value) in arguments.as_object().expect("an object") {
            data[name] = value.clone();
        }
        let (method, message) = if version == Some("1.0") {
            (
                "SendMessage",
                json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]}),
            )
        } else {
            (
                "message/send",
                json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "data", "data": data}]}),
            )
        };
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}});
        match version {
            Some(version) => self.a2a(&[("a2a-version", version)], &body.to_string()),
            None => self.a2a(&[], &body.to_string()),
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every failing call: arguments, status, code, and the number of the contract.
fn failures() -> Vec<(Value, u16, &'static str, i64)> {
    let call = |id: &str, auth_ux: Value| json!({"id": id, "auth_ux": auth_ux});
    vec![
        (call("42", json!("Hosted")), 422, "invalid_auth_ux", -32602),
        (call("42", json!("")), 422, "invalid_auth_ux", -32602),
        (
            call("missing", json!("magic")),
            422,
            "invalid_auth_ux",
            -32602,
        ),
        (call("42", json!(5)), 422, "wrong_argument_type", -32602),
        (call("42", json!(null)), 422, "wrong_argument_type", -32602),
        (json!({"id": "42"}), 422, "missing_argument", -32602),
        (
            json!({"id": "42", "auth_ux": "custom", "auth_u": 1}),
            422,
            "unknown_argument",
            -32602,
        ),
        (
            call("missing", json!("custom")),
            404,
            "possibility_not_found",
            -32600,
        ),
        (
            call("private", json!("custom")),
            401,
            "sign_in_required",
            -32001,
        ),
        (
            call("read-only", json!("custom")),
            403,
            "missing_scope",
            -32004,
        ),
        (
            call("provisioning", json!("custom")),
            409,
            "still_provisioning",
            -32005,
        ),
        (
            call("no-domain", json!("custom")),
            409,
            "custom_domain_missing",
            -32005,
        ),
        (
            call("busy", json!("custom")),
            429,
            "too_many_changes",
            -32008,
        ),
        (call("broken", json!("custom")), 503, "storage", -32010),
        (
            call("retired", json!("custom")),
            410,
            "possibility_retired",
            -32600,
        ),
        (call("crash", json!("custom")), 500, "internal", -32603),
    ]
}

/// What must be equal on all, by the name REST has for it.
fn content(problem: &Value) -> Value {
    let mut problem = problem.clone();
    let members = problem
        .as_object_mut()
        .unwrap_or_else(|| panic!("no object"));
    if let Some(uri) = members.remove("documentation_uri") {
        members.insert("docs_url".to_owned(), uri);
    }
    for own in [
        "schema",
        "surface",
        "suggested_tools",
        "suggested_skills",
        "corrected_args",
        "corrected_params",
        "machine_hints",
        "@type",
        "request_id",
        "instance",
    ] {
        members.remove(own);
    }
    problem
}

#[test]
fn the_same_failure_has_the_same_content_on_every_surface() {
    let demo = Demo::start();
    let mut compared = 0;
    for (arguments, status, code, number) in failures() {
        let mut body = arguments.clone();
        let id = body
            .as_object_mut()
            .and_then(|members| members.remove("id"))
            .expect("an id");
        let path = format!("/possibilities/{}/auth", id.as_str().expect("text"));
        let rest = demo.rest("PATCH", &path, &body);
        assert_eq!(rest.status, status, "{code}: {}", rest.text());
        assert_eq!(
            rest.header("content-type"),
            Some("application/problem+json")
        );
        let problem = rest.json();
        assert_eq!(problem["code"], code);
        assert_eq!(problem["status"], status);
        assert!(problem["request_id"].is_string() && problem["instance"].is_string());
        assert!(
            problem["remediation"]["type"].is_string() || status == 500,
            "{code}"
        );

        for mcp in [
            demo.tool("update_possibility_auth", &arguments),
            demo.legacy_tool("update_possibility_auth", &arguments),
        ] {
            let result = &mcp["result"];
            assert_eq!(result["isError"], true, "{code}: {mcp}");
            let error = &result["structuredContent"]["error"];
            assert_eq!(error["schema"], "pspace.mcp.error.v1");
            assert_eq!(content(error), content(&problem), "{code} on MCP");
            assert!(error["request_id"].is_string());
            let text = result["content"][0]["text"]
                .as_str()
                .expect("text for the model");
            assert!(text.contains(code), "{text}");
            compared += 1;
        }

        let answer = demo.skill(None, "possibility_auth_configuration", &arguments);
        let a2a = answer.json();
        assert_eq!(a2a["error"]["code"], number, "{code}: {a2a}");
        assert_eq!(a2a["error"]["data"]["schema"], "pspace.a2a.error.v1");
        assert_eq!(
            content(&a2a["error"]["data"]),
            content(&problem),
            "{code} on A2A"
        );
        let http = if matches!(status, 401 | 403) {
            status
        } else {
            200
        };
        assert_eq!(answer.status, http, "{code}");
        compared += 1;

        for version in ["1.0", "0.3"] {
            let answer = demo.skill(Some(version), "possibility_auth_configuration", &arguments);
            let a2a = answer.json();
            let details = a2a["error"]["data"]
                .as_array()
                .unwrap_or_else(|| panic!("no array: {a2a}"));
            assert_eq!(
                details[0]["@type"],
                "type.googleapis.com/google.rpc.ErrorInfo"
            );
            assert_eq!(details[1]["schema"], "pspace.a2a.error.v1");
            assert_eq!(
                content(&details[1]),
                content(&problem),
                "{code} on A2A {version}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, failures().len() * 5);
    println!("failures compared with REST: {compared}");
}

#[test]
fn native_mechanisms_carry_the_remediation() {
    let demo = Demo::start();
    let patch = |id: &str| {
        demo.rest(
            "PATCH",
            &format!("/possibilities/{id}/auth"),
            &json!({"auth_ux": "custom"}),
        )
    };
    assert_eq!(
        patch("private").header("www-authenticate"),
        Some("Bearer realm=\"pspace\"")
    );
    assert_eq!(
        patch("read-only").header("www-authenticate"),
        Some("Bearer error=\"insufficient_scope\", scope=\"pspace:possibility.write\"")
    );
    assert_eq!(patch("provisioning").header("retry-after"), Some("5"));
    assert_eq!(patch("busy").header("retry-after"), Some("30"));
    assert!(patch("broken").header("retry-after").is_some());
    let wrong = demo.rest("DELETE", "/possibilities/x/auth", &json!({}));
    assert_eq!(wrong.status, 405);
    let allow = wrong.header("allow").expect("Allow");
    assert!(allow.contains("PATCH") && allow.contains("GET"), "{allow}");
    let bad = demo.rest("PATCH", "/possibilities/x/auth", &json!({"auth_ux": "z"}));
    assert!(
        bad.header("link")
            .is_some_and(|link| link.contains("rel=\"help\""))
    );
    let denied = demo.skill(
        Some("1.0"),
        "possibility_auth_configuration",
        &json!({"id": "private", "auth_ux": "custom"}),
    );
    assert_eq!(
        (denied.status, denied.header("www-authenticate")),
        (401, Some("Bearer realm=\"pspace\""))
    );
    let busy = demo.skill(
        Some("1.0"),
        "possibility_auth_configuration",
        &json!({"id": "busy", "auth_ux": "custom"}),
    );
    assert_eq!((busy.status, busy.header("retry-after")), (200, Some("30")));
}

#[test]
fn a_clear_mistake_is_corrected_and_an_unclear_one_is_not() {
    let demo = Demo::start();
    for (given, meant) in [
        ("Hosted", Some("hosted")),
        ("HOSTED ", Some("hosted")),
        ("custm", Some("custom")),
        ("magic", None),
    ] {
        let arguments = json!({"id": "42", "auth_ux": given});
        let mcp = demo.tool("update_possibility_auth", &arguments);
        let corrected = &mcp["result"]["structuredContent"]["error"]["corrected_args"];
        assert_eq!(
            corrected.get("auth_ux").and_then(Value::as_str),
            meant,
            "{given}"
        );
        let a2a = demo
            .skill(None, "possibility_auth_configuration", &arguments)
            .json();
        let corrected = &a2a["error"]["data"]["corrected_params"];
        assert_eq!(
            corrected.get("auth_ux").and_then(Value::as_str),
            meant,
            "{given}"
        );
        if meant.is_some() {
            assert_eq!(corrected["id"], "42");
            let again = demo.tool(
                "update_possibility_auth",
                &mcp["result"]["structuredContent"]["error"]["corrected_args"],
            );
            assert_eq!(again["result"]["isError"], false, "{again}");
        }
    }
}

#[test]
fn valid_input_succeeds_on_every_surface_and_is_kept() {
    let demo = Demo::start();
    let wanted = json!({"id": "shop", "auth_ux": "custom"});
    let rest = demo.rest(
        "PATCH",
        "/possibilities/shop/auth",
        &json!({"auth_ux": "custom"}),
    );
    assert_eq!((rest.status, rest.json()), (200, wanted.clone()));
    let mcp = demo.tool("get_possibility_auth", &json!({"id": "shop"}));
    assert_eq!(mcp["result"]["structuredContent"], wanted);
    let hosted = json!({"id": "shop", "auth_ux": "hosted"});
    let a2a = demo
        .skill(None, "possibility_auth_configuration", &hosted)
        .json();
    assert_eq!(a2a["result"]["kind"], "message");
    assert_eq!(
        a2a["result"]["parts"][0],
        json!({"kind": "data", "data": hosted})
    );
    let a2a = demo
        .skill(
            Some("1.0"),
            "possibility_auth_lookup",
            &json!({"id": "shop"}),
        )
        .json();
    assert_eq!(a2a["result"]["message"]["role"], "ROLE_AGENT");
    assert_eq!(a2a["result"]["message"]["parts"][0]["data"], hosted);
    let mcp = demo.tool("update_possibility_auth", &wanted);
    assert_eq!(
        (
            &mcp["result"]["isError"],
            &mcp["result"]["structuredContent"]
        ),
        (&json!(false), &wanted)
    );
    let list = demo.rest("GET", "/possibilities", &json!({})).json();
    assert!(
        list["possibilities"]
            .as_array()
            .expect("a list")
            .contains(&wanted)
    );
}

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
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"parts\":[{\"data\":{\"skill\":\"possibility_auth_configuratio\"}}]}}}",
            -32602,
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
            mcp["result"]["structuredContent"]["error"]["code"], "arguments_not_an_object",
            "{mcp}"
        );
        seen += 1;
    }
    let mcp = demo.legacy_tool("update_posibility_auth", &json!({}));
    let error = &mcp["result"]["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["suggestion"]),
        (&json!("unknown_tool"), &json!("update_possibility_auth"))
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
        vec![r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#; 51].join(",")
    );
    assert_eq!(
        demo.a2a(&[], &too_many).json()["error"]["data"]["code"],
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
    for version in ["2.0", "9.9", "x"] {
        assert_eq!(
            demo.a2a(&[("a2a-version", version)], body).json()["error"]["code"],
            -32009
        );
    }
}

#[test]
fn it_says_when_it_is_ready_and_stops_when_asked() {
    let mut demo = Demo::start();
    let base = format!("http://127.0.0.1:{}", demo.port);
    assert_eq!(
        demo.ready,
        format!(
            "ready {base} rest={base} mcp={base}/mcp a2a={base}/a2a card={base}/.well-known/agent-card.json\n"
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

//! Every failure of the demo on every surface, with the same content.

use serde_json::{Value, json};

use crate::demo::Demo;

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
        (call("42", json!(5)), 422, "invalid_value", -32602),
        (call("42", json!(null)), 422, "invalid_value", -32602),
        (json!({"id": "42"}), 422, "missing_field", -32602),
        (
            json!({"id": "42", "auth_ux": "custom", "auth_u": 1}),
            422,
            "unknown_field",
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
            problem["remediation"]["type"].is_string()
                || status == 500
                || problem["retry_after"].is_u64()
                || problem["errors"][0]["pointer"].is_string(),
            "{code}: neither a remediation, a delay nor a place to correct"
        );
        assert!(
            problem["retry_after"].is_null() || problem["remediation"]["type"] != "none",
            "{code}: what can be sent again says that nothing can be done"
        );

        let modern = demo.tool("update_possibility_auth", &arguments);
        assert_eq!(modern["result"]["resultType"], "complete", "{code}");
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
        // The official clients drop the body of a 401 or 403, and with it the problem.
        assert_eq!(answer.status, 200, "{code}");
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
        (200, Some("Bearer realm=\"pspace\""))
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

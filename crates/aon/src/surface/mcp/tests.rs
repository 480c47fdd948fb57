use aon_core::{Code, Json, Remediation, Status, ToolName, UriRef};

use super::*;

fn canonical() -> ProblemDetails {
    ProblemDetails::new(
        Status::from_static(422),
        Code::from_static("invalid_auth_ux"),
    )
    .with_title("Invalid auth_ux")
    .with_detail("auth_ux must be one of \"hosted\" or \"custom\".")
    .with_valid_values("auth_ux", ["hosted", "custom"])
    .with_remediation(
        Remediation::request_scope_elevation()
            .with_message("Set auth_ux to \"hosted\" or \"custom\", then retry."),
    )
    .with_docs_url(UriRef::parse("https://possibility.space/docs#auth-ux").unwrap())
    .with_mcp_tool(ToolName::from_static("update_possibility_auth"))
}

fn project(problem: &ProblemDetails, mode: Mode, arguments: Option<&str>) -> serde_json::Value {
    let arguments = arguments.map(|text| Json::parse(text).unwrap());
    let call = Call {
        arguments: arguments.as_ref(),
        ..Call::default()
    };
    let mut out = Vec::new();
    Mcp::new(mode).project(problem, &call, &mut out);
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn a_model_can_act_on_the_text_alone() {
    let wire = project(
        &canonical(),
        Mode::Structured,
        Some(r#"{"id":"p1","auth_ux":"Hosted"}"#),
    );
    assert_eq!(
        wire["content"][0]["text"],
        "Invalid auth_ux (422 invalid_auth_ux)\n\
         auth_ux must be one of \"hosted\" or \"custom\".\n\
         Valid values: auth_ux = \"hosted\", \"custom\"\n\
         Did you mean: auth_ux = \"hosted\"?\n\
         Try this: Set auth_ux to \"hosted\" or \"custom\", then retry.\n\
         Tool: update_possibility_auth\n\
         Docs: https://possibility.space/docs#auth-ux"
    );
    assert_eq!(wire["isError"], true);
    let error = &wire["structuredContent"]["error"];
    assert_eq!(error["corrected_args"]["auth_ux"], "hosted");
    assert_eq!(error["suggested_tools"][0], "update_possibility_auth");
    assert_eq!(error["schema"], "pspace.mcp.error.v1");
    assert_eq!(error["surface"], "mcp");
    assert_eq!(error["machine_hints"]["field_paths"][0], "/auth_ux");
    assert_eq!(
        error["documentation_uri"],
        "https://possibility.space/docs#auth-ux"
    );
    assert!(error.get("docs_url").is_none());
}

#[test]
fn every_mode_is_read_back_alone_and_inside_a_response() {
    let problem = canonical();
    for mode in Mode::ALL {
        assert_eq!(Mode::from_word(mode.as_str()), Some(mode));
        let wire = project(&problem, mode, None);
        assert_eq!(
            wire.get("structuredContent").is_some(),
            mode == Mode::Structured
        );
        assert_eq!(wire.get("_meta").is_some(), mode == Mode::Meta);
        let blocks = wire["content"].as_array().unwrap().len();
        assert_eq!(blocks, if mode == Mode::TextOnly { 2 } else { 1 });
        let response = serde_json::json!({"jsonrpc": "2.0", "id": 7, "result": wire.clone()});
        for wire in [wire, response] {
            let read = Mcp::default().recover(wire.to_string().as_bytes());
            assert_eq!(read.unwrap(), problem, "{mode:?}");
        }
    }
}

#[test]
fn a_protocol_error_with_the_envelope_in_data_is_read_too() {
    let problem = canonical();
    let mut data = Vec::new();
    write_envelope(&problem, &Call::default(), &mut data);
    let data: serde_json::Value = serde_json::from_slice(&data).unwrap();
    let wire = serde_json::json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "m", "data": data}});
    assert_eq!(
        Mcp::default().recover(wire.to_string().as_bytes()).unwrap(),
        problem
    );
}

#[test]
fn the_text_keeps_to_its_share_whatever_the_problem() {
    let long = "word ".repeat(40_000);
    let many: Vec<String> = (0..5000).map(|n| format!("value_{n}")).collect();
    for problem in [
        ProblemDetails::from_slice(b"{}").unwrap(),
        canonical(),
        canonical().with_detail(long.clone()),
        canonical().with_title("é".repeat(9000)),
        canonical().with_valid_values("auth_ux", many),
        canonical().with_remediation(Remediation::switch_user().with_message(long)),
    ] {
        let mut envelope = Vec::new();
        write_envelope(&problem, &Call::default(), &mut envelope);
        let text = write_parts(&problem, &Call::default(), &mut Vec::new());
        assert!(!text.is_empty());
        assert!(text.len() * 10 <= envelope.len() * 6, "{text}");
    }
}

#[test]
fn a_long_detail_does_not_crowd_out_what_to_do() {
    let problem = canonical().with_detail("x".repeat(100_000));
    let text = write_parts(&problem, &Call::default(), &mut Vec::new());
    for needed in [
        "Invalid auth_ux",
        "\"custom\"",
        "Try this: Set",
        "Tool: update",
    ] {
        assert!(text.contains(needed), "{needed}");
    }
}

#[test]
fn what_is_no_error_is_refused() {
    for wire in [
        "",
        "[]",
        "{}",
        "null",
        r#"{"content":[]}"#,
        r#"{"content":[{"type":"text","text":"hello"}],"isError":true}"#,
        r#"{"structuredContent":{"error":"text"},"content":5}"#,
        r#"{"result":{"result":{}}}"#,
    ] {
        assert!(Mcp::default().recover(wire.as_bytes()).is_err(), "{wire}");
    }
    assert!(Mcp::default().recover(b"\xff{}").is_err());
}

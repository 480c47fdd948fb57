use std::time::Duration;

use aon_core::{Code, Json, Namespace, Remediation, SkillId, Status, UriRef};
use serde_json::Value;

use super::*;

fn canonical() -> ProblemDetails {
    ProblemDetails::new(
        Status::from_static(422),
        Code::from_static("invalid_auth_ux"),
    )
    .with_title("Invalid auth_ux")
    .with_detail("auth_ux must be one of \"hosted\" or \"custom\".")
    .with_request_id(&Namespace::DEFAULT, "r-1")
    .with_valid_values("auth_ux", ["hosted", "custom"])
    .with_remediation(Remediation::request_scope_elevation().with_message("Set auth_ux."))
    .with_docs_url(UriRef::parse("https://possibility.space/docs#auth-ux").unwrap())
    .with_a2a_skill(SkillId::from_static("possibility_auth_configuration"))
}

fn project(surface: &A2a, problem: &ProblemDetails, id: &str) -> Value {
    let arguments = Json::parse(r#"{"auth_ux":"HOSTED"}"#).unwrap();
    let id = Json::parse(id).unwrap();
    let call = Call {
        arguments: Some(&arguments),
        id: Some(&id),
    };
    let mut out = Vec::new();
    surface.project(problem, &call, &mut out);
    assert_eq!(surface.recover(&out).unwrap(), *problem);
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn the_default_is_the_contract() {
    let wire = project(&A2a::default(), &canonical(), "7");
    assert_eq!(wire["id"], 7);
    assert_eq!(wire["error"]["code"], -32_602);
    let data = &wire["error"]["data"];
    assert_eq!(data["schema"], "pspace.a2a.error.v1");
    assert_eq!(data["surface"], "a2a");
    assert_eq!(data["corrected_params"]["auth_ux"], "hosted");
    assert_eq!(
        data["suggested_skills"][0],
        "possibility_auth_configuration"
    );
    assert_eq!(
        data["documentation_uri"],
        "https://possibility.space/docs#auth-ux"
    );
    assert_eq!(data["machine_hints"]["category"], "validation");
}

#[test]
fn the_official_form_has_error_info_first_and_each_type_once() {
    let problem = canonical().with_retry_after(Duration::from_secs(3));
    for profile in [Profile::A2A_1_0, Profile::A2A_0_3] {
        let wire = project(&A2a::new(profile), &problem, "\"x\"");
        let data = wire["error"]["data"].as_array().unwrap();
        let types: Vec<&str> = data
            .iter()
            .map(|entry| entry["@type"].as_str().unwrap())
            .collect();
        assert_eq!(
            types,
            [
                "type.googleapis.com/google.rpc.ErrorInfo",
                "possibility.space/pspace.a2a.error.v1",
                "type.googleapis.com/google.rpc.BadRequest",
                "type.googleapis.com/google.rpc.RetryInfo",
                "type.googleapis.com/google.rpc.Help",
                "type.googleapis.com/google.rpc.RequestInfo",
            ]
        );
        let info = &data[0];
        assert_eq!(info["reason"], "INVALID_PARAMS");
        assert_eq!(info["domain"], "possibility.space");
        assert_eq!(info["metadata"]["code"], "invalid_auth_ux");
        assert_eq!(info["metadata"]["kind"], "InvalidParams");
        assert_eq!(info["metadata"]["valid_values"], "auth_ux: hosted, custom");
        assert_eq!(info["metadata"]["retry_after"], "3s");
        assert!(
            info["metadata"]
                .as_object()
                .unwrap()
                .values()
                .all(Value::is_string)
        );
        let violation = &data[2]["fieldViolations"][0];
        assert_eq!(violation["field"], "auth_ux");
        assert_eq!(violation["description"], "must be one of: hosted, custom");
        assert_eq!(data[3]["retryDelay"], "3s");
    }
}

#[test]
fn reasons_follow_the_grammar_for_every_status_and_code() {
    let mut seen = 0;
    for status in 400..600 {
        for code in ["x", "some_code_", "task_done", "a1", &"long_".repeat(25)] {
            let problem = ProblemDetails::new(
                Status::from_static(status),
                Code::parse(code.to_owned()).unwrap(),
            );
            let wire = project(&A2a::new(Profile::A2A_1_0), &problem, "null");
            let reason = wire["error"]["data"][0]["reason"].as_str().unwrap();
            assert!(reason.len() >= 3 && reason.len() <= 63, "{reason}");
            assert!(
                reason.starts_with(|c: char| c.is_ascii_uppercase()),
                "{reason}"
            );
            assert!(!reason.ends_with('_'), "{reason}");
            seen += 1;
        }
    }
    assert_eq!(seen, 1000);
}

#[test]
fn ids_of_every_type_are_answered() {
    for (given, answered) in [
        ("1", "1"),
        ("-2.5", "-2.5"),
        ("\"a\"", "\"a\""),
        ("null", "null"),
        ("true", "null"),
        ("[1]", "null"),
        ("{\"a\":1}", "null"),
    ] {
        let wire = project(&A2a::default(), &canonical(), given);
        assert_eq!(wire["id"].to_string(), answered, "{given}");
    }
}

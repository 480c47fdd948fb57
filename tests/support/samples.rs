//! Named problems that every surface is shown.

use std::time::Duration;

use aon_core::{
    AutoFix, Choice, Code, ExampleRequest, ExtensionName, Json, Namespace, NextAction, NoneReason,
    ProblemDetails, Remediation, SkillId, Status, ToolName, UriRef,
};

/// Each sample with its name, which is also the name of its golden files.
pub fn all() -> Vec<(&'static str, ProblemDetails)> {
    let json = |text| Json::parse(text).expect("sample JSON");
    let uri = |text: &'static str| UriRef::parse(text).expect("sample URI");
    vec![
        (
            "canonical",
            problem(422, "invalid_auth_ux")
                .with_title("Invalid auth_ux")
                .with_detail("auth_ux must be one of \"hosted\" or \"custom\".")
                .with_request_id(&Namespace::DEFAULT, "0198c0de-0000-7000-8000-000000000001")
                .with_valid_values("auth_ux", ["hosted", "custom"])
                .with_remediation(
                    Remediation::request_scope_elevation()
                        .with_message("Set auth_ux to \"hosted\" or \"custom\", then retry.")
                        .with_next_action(
                            NextAction::endpoint_url("/possibilities/{id}/auth")
                                .with_guide_xri("pspace://guide:branded-oidc-login"),
                        )
                        .with_example_request(
                            ExampleRequest::new("PATCH", "/possibilities/{id}/auth")
                                .with_body(json(r#"{"auth_ux":"custom"}"#)),
                        ),
                )
                .with_docs_url(uri("https://possibility.space/docs/guides/branded-oidc-login#auth-ux"))
                .with_mcp_tool(ToolName::from_static("update_possibility_auth"))
                .with_a2a_skill(SkillId::from_static("possibility_auth_configuration")),
        ),
        ("bare", problem(500, "internal")),
        (
            "empty",
            ProblemDetails::from_slice(b"{}").expect("an empty object is a problem without members"),
        ),
        (
            "waiting",
            problem(409, "still_provisioning")
                .with_detail("possibility p1 is still being provisioned")
                .with_remediation(Remediation::wait_for_provisioning())
                .with_retry_after(Duration::from_secs(5)),
        ),
        (
            "unauthenticated",
            problem(401, "token_expired")
                .with_detail("The token has expired.")
                .with_challenge("Bearer realm=\"possibilities\", error=\"invalid_token\"")
                .with_remediation(Remediation::none(NoneReason::AuthRequiredForSafety)),
        ),
        (
            "missing_scope",
            problem(403, "missing_scope").with_detail("This needs the scope auth:write.").with_remediation(
                Remediation::request_scope_elevation().with_next_action(NextAction::required_scope("auth:write")),
            ),
        ),
        (
            "rate_limited",
            problem(429, "rate_limited").with_detail("Too many requests.").with_retry_after(Duration::from_secs(30)),
        ),
        (
            "not_available",
            problem(503, "storage_unavailable")
                .with_detail("storage failed")
                .with_remediation(Remediation::none(NoneReason::NotYetImplemented)),
        ),
        ("task_not_found", problem(404, "task_not_found").with_detail("There is no such task.")),
        ("unsupported_media_type", problem(415, "unsupported_media_type").with_valid_values("content-type", ["application/json"])),
        ("not_implemented", problem(501, "not_implemented").with_detail("Not there yet.")),
        (
            "labelled_values",
            problem(422, "bad_plan")
                .with_valid_values("plan", [Choice::new("free").with_label("Free"), Choice::new("pro").with_label("Pro").with_description("For \"teams\"")])
                .with_valid_values("seats", [1, 5, 10])
                .with_valid_values("annual", [true])
                .with_pointer("/billing/plan", Some("no such plan"))
                .with_pointer("/billing/seats", None),
        ),
        (
            "automatic_fix",
            problem(422, "stale_domain").with_detail("The domain is not registered.").with_auto_fix(
                Remediation::register_custom_domain().with_message("Register the domain."),
                AutoFix::Tool(ToolName::from_static("register_domain")),
            ),
        ),
        (
            "extensions",
            problem(402, "out_of_credit")
                .with_detail("Your balance is 30.")
                .with_extension(ExtensionName::from_static("balance"), &30).expect("a number")
                .with_extension(ExtensionName::from_static("accounts"), &["/account/12345", "/account/67890"]).expect("a list"),
        ),
        (
            "colliding_extensions",
            ProblemDetails::from_slice(
                br#"{"title":"t","status":418,"schema":1,"surface":"x","suggested_tools":["a"],"documentation_uri":{"b":[1.50]},"corrected_args":null,"machine_hints":false,"extensions":{"x":1},"@type":"y","ab":0}"#,
            )
            .expect("valid"),
        ),
        (
            "hostile_text",
            problem(400, "hostile")
                .with_title("<script>alert(1)</script>")
                .with_detail("line one\nline two\u{0}\u{1b}[31m\u{202e}\u{200b} \"quoted\" \\ </script> & 'x' é 日本 \u{1f600}")
                .with_valid_values("a\"b/~c", ["x\ny"]),
        ),
        (
            "foreign",
            ProblemDetails::from_slice(
                br#"{"type":"https://example.com/probs/out-of-credit#now","title":"You do not have enough credit.","detail":"Your current balance is 30, but that costs 50.","instance":"/account/12345/msgs/abc","balance":30,"accounts":["/account/12345"]}"#,
            )
            .expect("the example of RFC 9457"),
        ),
    ]
}

fn problem(status: u16, code: &'static str) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(status), Code::from_static(code))
}

//! The canonical use, as written in the documentation.

use aon::Problem;
use serde_json::json;

#[derive(Debug, Clone, Copy, aon::Choices)]
pub enum AuthUx {
    Hosted,
    Custom,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub enum OtherError {
    #[error("there is no possibility {id}")]
    #[problem(status = 404)]
    NoSuchPossibility {
        #[problem(extension)]
        id: String,
        row: u64,
    },
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub enum AuthError {
    #[error("auth_ux must be one of \"hosted\" or \"custom\".")]
    #[problem(
        status = 422,
        title = "Invalid auth_ux",
        valid_values(auth_ux = AuthUx),
        remediation(
            request_scope_elevation,
            message = "Set auth_ux to \"hosted\" or \"custom\", then retry.",
            next_action(endpoint_url = "/possibilities/{id}/auth", guide_xri = "pspace://guide:branded-oidc-login"),
            example_request(method = "PATCH", path = "/possibilities/{id}/auth", body = r#"{"auth_ux":"custom"}"#),
        ),
        docs_url = "https://possibility.space/docs/guides/branded-oidc-login#auth-ux",
        mcp_tool = "update_possibility_auth",
        a2a_skill = "possibility_auth_configuration",
    )]
    InvalidAuthUx { given: String },

    #[error("possibility {id} is still being provisioned")]
    #[problem(
        status = 409,
        code = "still_provisioning",
        retry_after = 5,
        remediation(wait_for_provisioning)
    )]
    StillProvisioning {
        #[problem(extension)]
        id: String,
    },

    #[error("storage failed")]
    #[problem(status = 503, remediation(none, reason = not_yet_implemented))]
    Storage(#[from] std::io::Error),

    #[error(transparent)]
    #[problem(transparent)]
    Other(#[from] OtherError),
}

pub(crate) fn every_variant() -> Vec<AuthError> {
    vec![
        AuthError::InvalidAuthUx {
            given: "s3cret".to_owned(),
        },
        AuthError::StillProvisioning {
            id: "p\"7\n".to_owned(),
        },
        AuthError::from(std::io::Error::other("disk sda1 is gone")),
        AuthError::from(OtherError::NoSuchPossibility {
            id: "p8".to_owned(),
            row: 77_001,
        }),
    ]
}

fn body(problem: &impl Problem) -> serde_json::Value {
    let mut out = Vec::new();
    problem.write_json(None, &mut out);
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn the_first_variant_says_everything_in_order() {
    let given = AuthError::InvalidAuthUx {
        given: "branded".to_owned(),
    };
    let mut out = Vec::new();
    given.write_json(Some("0190"), &mut out);
    let expected = concat!(
        r#"{"type":"pspace://problem/invalid_auth_ux","title":"Invalid auth_ux","status":422,"#,
        r#""detail":"auth_ux must be one of \"hosted\" or \"custom\".","instance":"urn:pspace:request:0190","#,
        r#""code":"invalid_auth_ux","request_id":"0190","valid_values":{"auth_ux":["hosted","custom"]},"#,
        r#""remediation":{"type":"request_scope_elevation","#,
        r#""message":"Set auth_ux to \"hosted\" or \"custom\", then retry.","#,
        r#""next_action":{"endpoint_url":"/possibilities/{id}/auth","guide_xri":"pspace://guide:branded-oidc-login"},"#,
        r#""example_request":{"method":"PATCH","path":"/possibilities/{id}/auth","body":{"auth_ux":"custom"}},"#,
        r#""auto_fix_available":false},"#,
        r#""docs_url":"https://possibility.space/docs/guides/branded-oidc-login#auth-ux","#,
        r#""mcp_tool":"update_possibility_auth","a2a_skill":"possibility_auth_configuration"}"#,
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn the_others_carry_what_their_attributes_say() {
    let [_, waiting, storage, other] = <[AuthError; 4]>::try_from(every_variant()).unwrap();
    assert_eq!(
        body(&waiting),
        json!({
            "type": "pspace://problem/still_provisioning", "title": "Still provisioning", "status": 409,
            "detail": "possibility p\"7\n is still being provisioned", "code": "still_provisioning",
            "remediation": {"type": "wait_for_provisioning", "auto_fix_available": false},
            "retry_after": 5, "id": "p\"7\n",
        })
    );
    assert_eq!(
        body(&storage),
        json!({
            "type": "pspace://problem/storage", "title": "Storage", "status": 503,
            "detail": "storage failed", "code": "storage",
            "remediation": {"type": "none", "reason": "not_yet_implemented", "auto_fix_available": false},
        })
    );
    assert_eq!(
        body(&other),
        json!({
            "type": "pspace://problem/no_such_possibility", "title": "No such possibility", "status": 404,
            "detail": "there is no possibility p8", "code": "no_such_possibility", "id": "p8",
        })
    );
}

#[test]
fn the_catalog_holds_own_and_forwarded_entries() {
    let catalog = aon::catalog::Catalog::of::<AuthError>();
    let codes: Vec<&str> = catalog
        .problems
        .iter()
        .map(|record| record.code.as_str())
        .collect();
    assert_eq!(
        codes,
        [
            "invalid_auth_ux",
            "no_such_possibility",
            "still_provisioning",
            "storage"
        ]
    );
    let record = catalog.find("invalid_auth_ux").unwrap();
    assert_eq!(record.origin.package, "aon-tests");
    assert_eq!(record.origin.type_name, "AuthError");
    assert_eq!(record.origin.variant, "InvalidAuthUx");
}

//! The example of the README, with one public field in its detail.

/// How people log in.
#[derive(Debug, Clone, Copy, aon::Choices)]
pub enum AuthUx {
    Hosted,
    Custom,
}

#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub enum AuthError {
    #[error("auth_ux of possibility {id} must be one of \"hosted\" or \"custom\".")]
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
    InvalidAuthUx {
        #[problem(public)]
        id: String,
    },
}

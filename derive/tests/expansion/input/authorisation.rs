#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "acme")]
pub enum AuthError {
    /// The value is none of those allowed.
    #[error("auth_ux must be \"hosted\" or \"custom\", not {given}")]
    #[problem(
        status = 422,
        detail = "auth_ux must be \"hosted\" or \"custom\".",
        valid_values(auth_ux = super::choices::AuthUx),
        pointer = "/auth_ux",
        remediation(switch_user, message = "Set it, then retry.")
    )]
    InvalidAuthUx { given: String },

    #[error("{id} is still being made")]
    #[problem(status = 409, retry_after = 5)]
    StillProvisioning {
        #[problem(extension)]
        id: String,
    },

    #[error(transparent)]
    #[problem(transparent)]
    Choice(#[from] aon::InvalidChoice),
}

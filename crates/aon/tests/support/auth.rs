//! A server with one tool, whose argument comes from a closed set.

use aon::rmcp::Parameters;
use rmcp::{schemars, tool, tool_router};

#[derive(Clone, Copy, Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AuthUx {
    Hosted,
    Custom,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Update {
    auth_ux: AuthUx,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Auth;

#[tool_router(server_handler)]
impl Auth {
    #[tool(description = "Sets how people log in")]
    async fn update_auth(&self, Parameters(update): Parameters<Update>) -> String {
        format!("{:?}", update.auth_ux)
    }
}

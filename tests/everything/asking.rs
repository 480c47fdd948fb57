//! A server that asks the person behind the client, on a path of its own.

use aon::rmcp::Parameters;
use aon::{Code, Failure, ProblemDetails, Status};
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

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Plan {
    team: Team,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Team {
    seats: u32,
}

/// Two tools with a closed set each: one in a type, one in the program.
#[derive(Clone, Copy, Debug)]
pub struct Asking;

#[tool_router(server_handler)]
impl Asking {
    #[tool(description = "Sets how people log in")]
    async fn update_auth(&self, Parameters(update): Parameters<Update>) -> String {
        format!("{:?}", update.auth_ux)
    }

    #[tool(description = "Sets how many people a team has")]
    async fn set_seats(&self, Parameters(plan): Parameters<Plan>) -> Result<String, Failure> {
        let seats = plan.team.seats;
        if matches!(seats, 5 | 10 | 50) {
            return Ok(seats.to_string());
        }
        let problem =
            ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_seats"));
        Err(problem
            .with_detail("A team has 5, 10 or 50 seats.")
            .with_valid_values("seats", [5, 10, 50])
            .with_pointer("/team/seats", None)
            .into())
    }
}

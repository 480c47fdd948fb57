#[derive(Debug, thiserror::Error, aon::Problem)]
#[error("it failed")]
#[problem(
    status = 403,
    title = "Password: hunter2hunter2",
    valid_values(key = ["AKIAQYLPMN5HFIQR7BBB"]),
    remediation(
        request_scope_elevation,
        message = "Call it with Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543",
        next_action(endpoint_url = "https://app:hunter2@example.com/scopes"),
    ),
)]
struct Bad;

fn main() {}

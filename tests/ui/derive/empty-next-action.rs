#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, remediation(switch_user, next_action()))]
    Failed,
}

fn main() {}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(switch_user, reason = not_yet_implemented))]
    Failed,
}

fn main() {}

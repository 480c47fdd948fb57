#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 503, remediation(switch_user, auto_fix))]
    Failed,
}

fn main() {}

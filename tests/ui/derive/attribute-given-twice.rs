#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "acme", namespace = "acme")]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, code = "one")]
    #[problem(code = "two", status = 501)]
    Failed,
    #[error("it failed")]
    #[problem(status = 500, remediation(switch_user, message = "a", message = "b"))]
    FailedToo,
}

fn main() {}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, remediation(switch_user, example_request(body = "{}")))]
    Failed,
    #[error("it failed")]
    #[problem(status = 500, remediation(switch_user, example_request(method = "get", path = "/x", headers("A", "b"))))]
    FailedToo,
}

fn main() {}

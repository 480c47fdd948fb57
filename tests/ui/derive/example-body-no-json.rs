#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(status = 500, remediation(switch_user, example_request(method = "POST", path = "/x", body = "{a: 1}")))]
    Failed,
}

fn main() {}

#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(
        status = 503,
        remediation(
            switch_user,
            mesage = "do it",
            next_action(endpont_url = "/x"),
            example_request(method = "GET", path = "/x", boddy = "{}"),
        ),
    )]
    Failed,
}

fn main() {}

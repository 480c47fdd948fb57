#[derive(Debug, thiserror::Error, aon::Problem)]
enum Bad {
    #[error("it failed")]
    #[problem(
        status = 500,
        remediation(
            switch_user,
            example_request(
                method = "POST",
                path = "/x?access_token=8f14e45fceea167a5a36dedd4bea2543",
                headers("Authorization" = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz"),
                body = r#"{"password":"hunter2hunter2"}"#,
            ),
        ),
    )]
    Failed,
}

fn main() {}

//! Calls a running demo with the generated client: values and problems arrive as what they are.

mod api;

use api::client::{Client, Error};
use api::problems::ClientProblem;
use api::types::{
    AuthUx, GetPossibilityAuthPath, GetPossibilityAuthRequest, UpdatePossibilityAuthBody,
    UpdatePossibilityAuthPath, UpdatePossibilityAuthRequest,
};

fn update(id: &str) -> UpdatePossibilityAuthRequest {
    UpdatePossibilityAuthRequest {
        path: UpdatePossibilityAuthPath { id: id.to_owned() },
        body: Some(UpdatePossibilityAuthBody {
            auth_ux: Some(AuthUx::Custom),
        }),
    }
}

fn read(id: &str) -> GetPossibilityAuthRequest {
    GetPossibilityAuthRequest {
        path: GetPossibilityAuthPath { id: id.to_owned() },
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let base = std::env::args().nth(1).expect("an address");
    let client = Client::new(base).with_header(
        reqwest::header::HeaderName::from_static("x-request-id"),
        reqwest::header::HeaderValue::from_static("calls-of-the-client"),
    );
    let mut made = 0;
    let good = client.update_possibility_auth(&update("42")).await;
    assert_eq!(good.expect("a value").auth_ux, AuthUx::Custom);
    let again = client.get_possibility_auth(&read("42")).await;
    assert_eq!(again.expect("a value").auth_ux, AuthUx::Custom);
    client.list_possibilities().await.expect("a value");
    made += 3;
    for (id, code, status) in [
        ("missing", "possibility_not_found", 404),
        ("private", "sign_in_required", 401),
        ("provisioning", "still_provisioning", 409),
        ("read-only", "missing_scope", 403),
        ("broken", "storage", 503),
    ] {
        let failed = client.update_possibility_auth(&update(id)).await;
        let error = failed.expect_err(id);
        let problem = error.as_problem().expect("a problem").details();
        assert_eq!(problem.code().map(aon::Code::as_str), Some(code));
        assert_eq!(problem.status().map(|status| status.as_u16()), Some(status));
        made += 1;
    }
    let missing = client.update_possibility_auth(&update("missing")).await;
    let Err(Error::Problem(problem)) = missing else {
        panic!("{missing:?}");
    };
    assert!(matches!(*problem, ClientProblem::PossibilityNotFound(_)));
    // What would lead to another path is not sent.
    for id in ["", ".", ".."] {
        let refused = client.get_possibility_auth(&read(id)).await;
        assert!(matches!(refused, Err(Error::Request(_))), "{refused:?}");
        made += 1;
    }
    let odd = client.get_possibility_auth(&read("a/b?c#d é")).await;
    assert!(odd.is_ok(), "the id is one part of the path: {odd:?}");
    println!("calls made: {}", made + 2);
}

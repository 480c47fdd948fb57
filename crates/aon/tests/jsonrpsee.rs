//! The jsonrpsee adapter, seen over HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails loudly and reads better with values"
)]

use aon::Door;
use aon::jsonrpsee::{HttpProblemLayer, ProblemLayer};
use aon::surface::a2a::{EXTENSION_URI, Profile};
use http_body_util::BodyExt;
use jsonrpsee::core::middleware::RpcServiceBuilder;
use jsonrpsee::server::{
    BatchRequestConfig, HttpBody, HttpRequest, RpcModule, ServerBuilder, stop_channel,
};
use jsonrpsee::types::ErrorObjectOwned;
use serde_json::{Value, json};
use tower::ServiceExt;

#[derive(Debug, thiserror::Error, aon::Problem)]
enum AuthError {
    #[error("auth_ux must be one of \"hosted\" or \"custom\".")]
    #[problem(status = 422, title = "Invalid auth_ux")]
    InvalidAuthUx {
        #[problem(valid_values)]
        auth_ux: Vec<&'static str>,
    },
    #[error("log in first")]
    #[problem(status = 401, challenge = "Bearer")]
    LogIn,
    #[error("storage failed")]
    #[problem(status = 503, retry_after = 5)]
    Storage(#[from] std::io::Error),
}

fn methods() -> RpcModule<()> {
    let mut module = RpcModule::new(());
    module
        .register_method("set_auth", |params, (), _| {
            let given: Value = params.parse().unwrap_or_default();
            match given["auth_ux"].as_str() {
                Some("hosted" | "custom") => Ok("done"),
                _ => Err(AuthError::InvalidAuthUx {
                    auth_ux: vec!["hosted", "custom"],
                }),
            }
        })
        .unwrap();
    module
        .register_method("log_in", |_, (), _| Err::<(), _>(AuthError::LogIn))
        .unwrap();
    module
        .register_async_method("storage", |_, _, _| async {
            Err::<(), _>(AuthError::from(std::io::Error::other("password=hunter2")))
        })
        .unwrap();
    module
        .register_method("add", |params, (), _| {
            let (a, b): (u32, u32) = params.parse()?;
            Ok::<_, ErrorObjectOwned>(a + b)
        })
        .unwrap();
    module
        .register_method("second", |params, (), _| {
            let mut params = params.sequence();
            params.next::<u32>()?;
            params.next::<u32>()
        })
        .unwrap();
    module
        .register_async_method("panics", |_, _, _| async {
            assert!(std::hint::black_box(false), "secret words");
            1
        })
        .unwrap();
    module
        .register_method("large", |_, (), _| "x".repeat(100_000))
        .unwrap();
    module
        .register_method("own", |_, (), _| {
            Err::<(), _>(ErrorObjectOwned::owned(-1234, "mine", Some("data")))
        })
        .unwrap();
    module
}

struct Answer {
    status: u16,
    headers: http::HeaderMap,
    body: Value,
}

async fn post(body: impl Into<Vec<u8>>, headers: &[(&str, &str)]) -> Answer {
    send("POST", HttpBody::from(body.into()), headers).await
}

async fn send(method: &str, body: HttpBody, headers: &[(&str, &str)]) -> Answer {
    let small = Door::new().with_body_limit(20_000);
    let (stop, _handle) = stop_channel();
    let module = methods();
    let rpc = ProblemLayer::new().with_methods(module.method_names());
    let service = ServerBuilder::new()
        .set_config(
            jsonrpsee::server::ServerConfig::builder()
                .max_response_body_size(50_000)
                .set_batch_request_config(BatchRequestConfig::Limit(5))
                .build(),
        )
        .set_http_middleware(
            tower::ServiceBuilder::new().layer(HttpProblemLayer::new().with_door(small)),
        )
        .set_rpc_middleware(RpcServiceBuilder::new().layer(rpc))
        .to_service_builder()
        .build(module, stop);
    let mut request = HttpRequest::builder().method(method);
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body).unwrap();
    let response = service.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    }
}

/// With our extension, so that the data is the problem itself.
async fn ours(body: impl Into<Vec<u8>>, headers: &[(&str, &str)]) -> Answer {
    let mut headers = headers.to_vec();
    headers.push(("a2a-extensions", EXTENSION_URI));
    post(body, &headers).await
}

fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

#[tokio::test]
async fn an_error_of_a_method_leaves_with_its_correction() {
    let bad = request("set_auth", json!({"auth_ux": "Hosted"}));
    let answer = ours(bad.clone(), &[]).await;
    let error = &answer.body["error"];
    assert_eq!(error["code"], -32602);
    assert_eq!(error["data"]["corrected_params"]["auth_ux"], "hosted");
    assert_eq!(error["data"]["code"], "invalid_auth_ux");
    let official = post(bad, &[("a2a-version", "1.0")]).await;
    assert_eq!(official.body["error"]["data"][1]["code"], "invalid_auth_ux");
    assert_eq!(
        official.body["error"]["data"][0]["reason"],
        "INVALID_PARAMS"
    );
    let good = ours(request("set_auth", json!({"auth_ux": "hosted"})), &[]).await;
    assert_eq!(good.body["result"], "done");
}

#[tokio::test]
async fn the_profile_follows_the_headers() {
    for (headers, number) in [
        (vec![], -32600),
        (vec![("a2a-extensions", EXTENSION_URI)], -32001),
        (vec![("a2a-version", "1.0")], -32600),
        (vec![("a2a-version", "0.3")], -32600),
        (
            vec![("a2a-version", "1.0"), ("a2a-extensions", EXTENSION_URI)],
            -32001,
        ),
    ] {
        let answer = post(request("log_in", json!({})), &headers).await;
        assert_eq!(answer.body["error"]["code"], number, "{headers:?}");
        let echoed = answer.headers.get("a2a-extensions").is_some();
        let asked = headers.iter().any(|(name, _)| *name == "a2a-extensions");
        assert_eq!(echoed, asked);
    }
    // A list may stand on several lines, and each name is echoed that was used.
    let lines = [
        ("a2a-extensions", "https://example.com/other"),
        ("x-a2a-extensions", "https://example.com/other"),
        ("x-a2a-extensions", EXTENSION_URI),
        ("a2a-version", "1.0"),
    ];
    let answer = post(request("log_in", json!({})), &lines).await;
    assert_eq!(answer.body["error"]["code"], -32001);
    assert_eq!(answer.headers["x-a2a-extensions"], EXTENSION_URI);
    assert!(answer.headers.get("a2a-extensions").is_none());
    let unknown = post(request("log_in", json!({})), &[("a2a-version", "9.9")]).await;
    assert_eq!(unknown.body["error"]["code"], -32009);
    assert_eq!(unknown.body["id"], 1);
    assert_eq!(
        unknown.body["error"]["data"][1]["valid_values"]["A2A-Version"][0],
        "1.0"
    );
}

#[tokio::test]
async fn what_jsonrpsee_reports_by_itself_leaves_as_a_problem() {
    let cases: Vec<(Vec<u8>, i64, &str)> = vec![
        (b"{".to_vec(), -32700, "invalid_json"),
        (b"\xff".to_vec(), -32700, "invalid_json"),
        (b"5".to_vec(), -32600, "invalid_request"),
        (b"{\"foo\":1}".to_vec(), -32600, "invalid_request"),
        (b"[]".to_vec(), -32600, "invalid_request"),
        (
            request("set_aut", json!({})).into(),
            -32601,
            "unknown_operation",
        ),
        (
            request("add", json!(["x", 1])).into(),
            -32602,
            "invalid_value",
        ),
        (request("add", json!([1])).into(), -32602, "invalid_value"),
        (
            request("large", json!([])).into(),
            -32603,
            "response_too_large",
        ),
        (request("panics", json!([])).into(), -32603, "internal"),
        (vec![b' '; 30_000], -32600, "too_large"),
    ];
    for (body, number, code) in cases {
        let answer = ours(body.clone(), &[]).await;
        let text = String::from_utf8_lossy(&body)
            .chars()
            .take(80)
            .collect::<String>();
        assert_eq!(answer.status, 200, "{text}");
        assert_eq!(
            answer.body["error"]["code"], number,
            "{text} {}",
            answer.body
        );
        assert_eq!(answer.body["error"]["data"]["code"], code, "{text}");
        assert!(!answer.body.to_string().contains("secret"));
        let data = &answer.body["error"]["data"];
        assert!(data["request_id"].is_string(), "{text} {data}");
        assert!(data["detail"].is_string(), "{text} {data}");
        // Each can be corrected, or sent again where that is safe, so none says that nobody can do anything (P5).
        assert_eq!(data.get("remediation"), None, "{text} {data}");
    }
    let brought = ours(b"{".to_vec(), &[("x-request-id", "r-7")]).await;
    assert_eq!(brought.body["error"]["data"]["request_id"], "r-7");
    let brought = ours(request("panics", json!([])), &[("x-request-id", "r-8")]).await;
    assert_eq!(brought.body["error"]["data"]["request_id"], "r-8");
    let one = request("add", json!([1, 2]));
    let six = format!("[{one},{one},{one},{one},{one},{one}]");
    let refused = ours(six, &[("x-request-id", "r-9")]).await;
    assert_eq!(refused.body["error"]["data"]["code"], "batch_too_large");
    assert_eq!(refused.body["error"]["data"]["request_id"], "r-9");
    let nearest = ours(request("set_aut", json!({})), &[]).await;
    assert_eq!(nearest.body["error"]["data"]["suggestion"], "set_auth");
    let media = ours(
        request("add", json!([1, 2])),
        &[("content-type", "text/plain")],
    )
    .await;
    assert_eq!(media.body["error"]["data"]["status"], 415);
    assert_eq!(media.body["id"], 1);
    let few = ours(request("second", json!([1])), &[]).await;
    assert_eq!(few.body["error"]["data"]["code"], "missing_field");
    assert_eq!(few.body["error"]["data"]["errors"][0]["pointer"], "#/1");
    let a2a = ours(
        request("add", json!([1, 2])),
        &[("content-type", "application/a2a+json")],
    )
    .await;
    assert_eq!(a2a.body["result"], 3);
}

#[tokio::test]
async fn another_method_of_http_is_told_the_one_that_works() {
    let extension = [("a2a-extensions", EXTENSION_URI)];
    for method in ["GET", "PUT", "DELETE"] {
        let answer = send(method, HttpBody::empty(), &extension).await;
        let data = &answer.body["error"]["data"];
        assert_eq!(data["code"], "method_not_allowed", "{method} {data}");
        assert_eq!(data["detail"], "This route supports POST.", "{method}");
        assert_eq!(data["valid_values"]["method"], json!(["POST"]), "{method}");
    }
}

/// A body of which nothing comes.
struct Stalled;

impl http_body::Body for Stalled {
    type Data = bytes::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<bytes::Bytes>, Self::Error>>> {
        std::task::Poll::Pending
    }
}

#[tokio::test]
async fn a_body_that_stops_coming_is_a_timeout_as_it_is_on_rest() {
    let patience = std::time::Duration::from_millis(20);
    let body = HttpBody::new(tower_http::timeout::TimeoutBody::new(patience, Stalled));
    let answer = send("POST", body, &[("a2a-extensions", EXTENSION_URI)]).await;
    let data = &answer.body["error"]["data"];
    assert_eq!(
        (&data["code"], &data["status"]),
        (&json!("request_timeout"), &json!(408)),
        "{data}"
    );
    assert_eq!(data["machine_hints"]["retryable"], true, "{data}");
    assert_eq!(answer.headers["connection"], "close");
    let large = ours(vec![b' '; 30_000], &[]).await;
    assert_eq!(large.headers["connection"], "close");
}

#[tokio::test]
async fn an_error_a_program_made_by_itself_stays_its_own() {
    let answer = ours(request("own", json!([])), &[]).await;
    assert_eq!(
        answer.body["error"],
        json!({"code": -1234, "message": "mine", "data": "data"})
    );
}

#[tokio::test]
async fn causes_stay_inside_and_delays_go_out() {
    let answer = ours(request("storage", json!([])), &[]).await;
    assert_eq!(answer.body["error"]["code"], -32010);
    assert_eq!(
        answer.body["error"]["data"]["machine_hints"]["retry_after_ms"],
        5000
    );
    assert!(!answer.body.to_string().contains("hunter2"));
}

#[tokio::test]
async fn a_batch_is_answered_one_by_one() {
    let batch = format!(
        "[{},7,{},{}]",
        request("add", json!([1, 2])),
        request("nothing", json!([])),
        r#"{"jsonrpc":"2.0","method":"add"}"#
    );
    let answer = ours(batch, &[]).await;
    let all = answer.body.as_array().unwrap();
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[0]["result"], 3);
    assert_eq!(all[1]["error"]["data"]["code"], "invalid_request");
    assert_eq!(all[2]["error"]["data"]["code"], "unknown_operation");
}

#[test]
fn the_derive_gives_the_conversion() {
    let error = ErrorObjectOwned::from(AuthError::LogIn);
    assert_eq!(
        error.code(),
        Profile::PSPACE
            .rule(&aon::Problem::to_problem(&AuthError::LogIn))
            .number()
    );
    assert!(error.data().unwrap().get().contains("pspace.a2a.error.v1"));
}

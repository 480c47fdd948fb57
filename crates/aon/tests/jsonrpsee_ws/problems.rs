//! What is no request gets its problem (S6), and the connection goes on.

use jsonrpsee::server::{BatchRequestConfig, ServerConfigBuilder};
use serde_json::{Value, json};

use crate::raw::{BINARY, Client, FIN, TEXT, handshake, post, request};
use crate::server::{serve, serve_without_rpc_layer};

fn small(config: ServerConfigBuilder) -> ServerConfigBuilder {
    config
        .max_request_body_size(2000)
        .set_batch_request_config(BatchRequestConfig::Limit(5))
}

fn batch(count: usize) -> String {
    let one = request("add", json!([1, 2]));
    format!("[{}]", vec![one; count].join(","))
}

/// S6: the number of JSON-RPC, the code, and a remediation to act on.
fn assert_problem(told: &Value, number: i64, code: &str) {
    assert_eq!(told["jsonrpc"], "2.0", "{told}");
    assert_eq!(told["error"]["code"], number, "{told}");
    let data = &told["error"]["data"];
    assert_eq!(data["code"], code, "{told}");
    assert!(data["remediation"]["message"].is_string(), "{told}");
    assert!(data["request_id"].is_string(), "{told}");
    assert!(data["detail"].is_string(), "{told}");
}

#[tokio::test]
async fn over_a_web_socket_all_get_their_problem() {
    let server = serve(small).await;
    let mut client = Client::open(server.address).await;
    let cases: Vec<(Vec<u8>, i64, &str)> = vec![
        (b"{".to_vec(), -32700, "parse_error"),
        (b"x".to_vec(), -32700, "parse_error"),
        (b"".to_vec(), -32700, "parse_error"),
        (b"[".to_vec(), -32700, "parse_error"),
        (b"[1,".to_vec(), -32700, "parse_error"),
        (b"\xff\xfe".to_vec(), -32700, "parse_error"),
        (b"{\"method\":\"\xff\"}".to_vec(), -32700, "parse_error"),
        ([&[b' '; 200][..], b"{"].concat(), -32700, "parse_error"),
        // An object without an id, and JSON that is no object, are the same to jsonrpsee.
        (b"{}".to_vec(), -32700, "parse_error"),
        (b"{\"method\":5}".to_vec(), -32700, "parse_error"),
        (b"5".to_vec(), -32700, "parse_error"),
        (b"[]".to_vec(), -32600, "invalid_request"),
        (b"{\"id\":1}".to_vec(), -32600, "invalid_request"),
        (
            b"{\"id\":1,\"method\":5}".to_vec(),
            -32600,
            "invalid_request",
        ),
        (batch(6).into(), -32600, "batch_too_large"),
        (vec![b'x'; 2001], -32600, "request_too_large"),
        (vec![b'x'; 200_000], -32600, "request_too_large"),
    ];
    for (frame, number, code) in cases {
        for opcode in [TEXT, BINARY] {
            client.frame(FIN | opcode, &frame).await;
            assert_problem(&client.json().await, number, code);
            client.works().await;
        }
    }
    let unknown = client.exchange(request("refuses", json!([]))).await;
    assert_problem(&unknown, -32601, "method_not_found");
    assert_eq!(unknown["error"]["data"]["suggestion"], "refuse");
    let mixed = format!("[7,{}]", request("nothing", json!([])));
    let mixed = client.exchange(mixed).await;
    assert_eq!(mixed[0]["error"]["data"]["code"], "invalid_request");
    assert_eq!(mixed[1]["error"]["data"]["code"], "method_not_found");
    client.works().await;
    server.handle.stop().unwrap();
}

#[tokio::test]
async fn batches_that_are_off_are_refused_with_their_problem() {
    let server =
        serve(|config| config.set_batch_request_config(BatchRequestConfig::Disabled)).await;
    let mut client = Client::open(server.address).await;
    for frame in [batch(2), "[]".to_owned(), "[".to_owned()] {
        let told = client.exchange(frame).await;
        assert_problem(&told, -32600, "batches_not_supported");
        client.works().await;
    }
}

#[tokio::test]
async fn the_problem_is_the_one_http_tells() {
    let server = serve(small).await;
    let mut client = Client::open(server.address).await;
    for frame in [
        b"{".to_vec(),
        b"[".to_vec(),
        b"\xff".to_vec(),
        b"[]".to_vec(),
        b"{\"id\":7}".to_vec(),
        batch(6).into(),
    ] {
        let socket = client.exchange(&frame).await;
        let http = post(server.address, &frame).await;
        assert_eq!(socket["id"], http["id"], "{http}");
        assert_eq!(socket["error"]["code"], http["error"]["code"], "{http}");
        for member in ["code", "status", "type", "title", "remediation", "schema"] {
            let (socket, http) = (&socket["error"]["data"], &http["error"]["data"]);
            assert_eq!(socket[member], http[member], "{member} of {http}");
        }
    }
    // The limits are the server's own, and told.
    let long = client.exchange(vec![b'x'; 3000]).await;
    let detail = long["error"]["data"]["detail"].as_str().unwrap();
    assert!(detail.contains("2000"), "{detail}");
    let many = client.exchange(batch(6)).await;
    let detail = many["error"]["data"]["detail"].as_str().unwrap();
    assert!(detail.contains('5'), "{detail}");
}

#[tokio::test]
async fn ids_are_answered_to() {
    let server = serve(small).await;
    let mut client = Client::open(server.address).await;
    for id in [
        json!(0),
        json!("a\"b\\"),
        json!("ü"),
        json!(u64::MAX),
        Value::Null,
    ] {
        let told = client.exchange(json!({"id": id}).to_string()).await;
        assert_eq!(told["id"], id);
        assert_problem(&told, -32600, "invalid_request");
    }
}

#[tokio::test]
async fn the_profile_is_that_of_the_request_that_opened_the_socket() {
    let server = serve(small).await;
    let mut client = Client::open_with(server.address, "A2A-Version: 1.0\r\n").await;
    for frame in ["{".to_owned(), request("refuses", json!([]))] {
        let told = client.exchange(frame).await;
        let data = told["error"]["data"].as_array().unwrap();
        assert!(
            data[0]["@type"].as_str().unwrap().contains("ErrorInfo"),
            "{told}"
        );
        assert!(data[1]["code"].is_string(), "{told}");
    }
    let mixed = format!("[7,{}]", request("add", json!([1, 2])));
    let mixed = client.exchange(mixed).await;
    let refused = &mixed[0]["error"]["data"][1];
    assert_eq!(refused["code"], "invalid_request", "{mixed}");
    let (_, head) = handshake(
        server.address,
        "Sec-WebSocket-Version: 13\r\nA2A-Version: 9\r\n",
    )
    .await;
    assert!(!head.starts_with("http/1.1 101"), "{head}");
}

#[tokio::test]
async fn what_a_program_says_stays_as_it_is() {
    let server = serve(small).await;
    let mut client = Client::open(server.address).await;
    // A result that looks like an error of jsonrpsee inside.
    let inside =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}});
    let told = client.exchange(request("echo", inside.clone())).await;
    assert_eq!(told, json!({"jsonrpc": "2.0", "id": 1, "result": inside}));
    let own = client
        .exchange(request("refuse", json!([-1234, "mine"])))
        .await;
    assert_eq!(own["error"], json!({"code": -1234, "message": "mine"}));

    let server = serve_without_rpc_layer().await;
    let mut client = Client::open(server.address).await;
    for (number, words) in [(-32600, "mine"), (-32700, "no"), (-32000, "x")] {
        let own = client
            .exchange(request("refuse", json!([number, words])))
            .await;
        assert_eq!(own["error"], json!({"code": number, "message": words}));
    }
    let unknown = client.exchange(request("nothing", json!([]))).await;
    assert_eq!(
        unknown["error"],
        json!({"code": -32601, "message": "Method not found"})
    );
    assert_problem(&client.exchange("{").await, -32700, "parse_error");
}

#[tokio::test]
async fn a_handshake_that_is_none_gets_its_problem() {
    let server = serve(small).await;
    for headers in ["", "Sec-WebSocket-Version: 8\r\n"] {
        let (mut stream, head) = handshake(server.address, headers).await;
        assert!(!head.starts_with("http/1.1 101"), "{head}");
        assert!(head.contains("application/json"), "{head}");
        let length = head.split("content-length: ").nth(1).unwrap();
        let length = length.split("\r\n").next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        tokio::io::AsyncReadExt::read_exact(&mut stream, &mut body)
            .await
            .unwrap();
        let told: Value = serde_json::from_slice(&body).unwrap();
        assert_problem(&told, -32600, "invalid_request");
    }
}

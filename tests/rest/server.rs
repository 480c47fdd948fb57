//! A real server on a real socket.

use std::convert::Infallible;
use std::net::SocketAddr;

use aon::axum::ProblemLayer;
use aon::{Code, ProblemDetails, Status};
use axum::Router;
use axum::body::Bytes;
use axum::routing::{get as on_get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn panics() -> Result<(), Infallible> {
    panic!("on the wire")
}

async fn serve() -> SocketAddr {
    let app = Router::new()
        .route("/ok", on_get(async || "ok"))
        .route(
            "/own",
            on_get(async || {
                aon::Failure::from(ProblemDetails::new(
                    Status::from_static(409),
                    Code::from_static("busy"),
                ))
            }),
        )
        .route("/panic", on_get(panics))
        .route(
            "/bytes",
            post(async |_: Bytes| "ok").layer(axum::extract::DefaultBodyLimit::max(8)),
        )
        .layer(ProblemLayer::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// Sends bytes, reads to the end of the connection.
async fn talk(address: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_ascii_lowercase(), body.to_owned())
}

fn length(head: &str) -> Option<usize> {
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))?;
    line.parse().ok()
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_nothing_else() {
    let address = serve().await;
    for path in ["/own", "/nope", "/panic"] {
        let ask = |method: &str| {
            format!(
                "{method} {path} HTTP/1.1\r\nhost: x\r\nx-request-id: r\r\nconnection: close\r\n\r\n"
            )
        };
        let (head, body) = talk(address, &ask("HEAD")).await;
        assert_eq!(body, "", "{path}");
        let (get_head, get_body) = talk(address, &ask("GET")).await;
        assert_eq!(head.lines().next(), get_head.lines().next());
        assert!(
            head.contains("content-type: application/problem+json"),
            "{head}"
        );
        assert!(
            head.contains("x-request-id: r\r\n") || head.ends_with("x-request-id: r"),
            "{head}"
        );
        assert_eq!(length(&get_head), Some(get_body.len()));
        assert!(
            length(&head).is_none_or(|length| length == get_body.len()),
            "{head}\n{get_body}"
        );
        ProblemDetails::from_slice(get_body.as_bytes()).unwrap();
    }
    let (head, _) = talk(
        address,
        "HEAD /own HTTP/1.1\r\nhost: x\r\naccept: text/html\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert!(head.contains("content-type: text/html"), "{head}");
}

#[tokio::test]
async fn a_chunked_body_over_the_limit() {
    let address = serve().await;
    let (head, body) = talk(
        address,
        "POST /bytes HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
    )
    .await;
    assert!(head.starts_with("http/1.1 413"), "{head}");
    let problem = ProblemDetails::from_slice(body.as_bytes()).unwrap();
    assert_eq!(problem.code().unwrap().as_str(), "too_large");
}

#[tokio::test]
async fn a_panic_is_an_answer_and_the_connection_lives() {
    let address = serve().await;
    let (head, rest) = talk(
        address,
        "GET /panic HTTP/1.1\r\nhost: x\r\n\r\nGET /ok HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    )
    .await;
    assert!(head.starts_with("http/1.1 500"), "{head}");
    assert!(
        rest.contains("\"code\":\"internal\"") && !rest.contains("on the wire"),
        "{rest}"
    );
    assert!(
        rest.contains("HTTP/1.1 200 OK") && rest.ends_with("ok"),
        "{rest}"
    );
}

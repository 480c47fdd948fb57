//! A REST API that was written without us, by its document.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use aon_tests::place;
use axum::response::Response;
use serde_json::{Value, json};

use super::{Proxy, Upstream, answer, raw, send};

const DOCUMENT: &str = r##"
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example/v1}]
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      responses: {"200": {description: ok}}
    post:
      operationId: createPet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses:
        "201": {description: made}
        "409": {description: The name is taken.}
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok}, "404": {description: There is no such pet.}}
  /pets/{id}/photo:
    put:
      operationId: putPhoto
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      requestBody: {content: {image/png: {}, multipart/form-data: {}}}
      responses: {"204": {description: ok}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name, kind]
      additionalProperties: false
      properties:
        id: {type: string, readOnly: true}
        name: {type: string, minLength: 1}
        kind: {type: string, enum: [cat, dog]}
        colour: {type: string, description: "Its colour. One of 'black', 'white' or 'grey'."}
        parent: {$ref: "#/components/schemas/Pet"}
        age: {type: integer, nullable: true}
"##;

fn document(name: &str) -> PathBuf {
    let path = place::target().join(format!("proxy-{name}-{}.yaml", std::process::id()));
    fs::write(&path, DOCUMENT).unwrap();
    path
}

fn before(upstream: &Upstream, name: &str, options: &[&str]) -> Proxy {
    let url = format!("http://127.0.0.1:{}/v1", upstream.port);
    let file = document(name);
    let mut all = vec!["--rest", &url, "--manifest", file.to_str().unwrap()];
    all.extend(options);
    Proxy::start(&all)
}

fn pets(line: &str, parts: &http::request::Parts, body: &[u8]) -> Response {
    let json = |status, value: Value| answer(status, "application/json", value.to_string());
    match line {
        "GET /v1/pets?limit=7" => Response::builder()
            .header("Content-Type", "application/json")
            .header("X-Total-Count", "1")
            .header("Set-Cookie", "a=1")
            .header("Set-Cookie", "b=2")
            .body(r#"[ {"id" : "p1"} ]"#.into())
            .unwrap(),
        "POST /v1/pets" => {
            let pet: Value = serde_json::from_slice(body).unwrap();
            match pet["name"].as_str().unwrap() {
                "taken" => json(
                    409,
                    json!({"error": {"code": "NAME_TAKEN", "message": "The name taken is used."}}),
                ),
                "fast" => json(
                    422,
                    json!({"detail": [{"type": "literal_error", "loc": ["body", "colour"], "msg": "Input should be 'black', 'white' or 'grey'", "ctx": {"expected": "'black', 'white' or 'grey'"}}]}),
                ),
                "page" => answer(
                    500,
                    "text/html",
                    "<html><h1>Oops</h1>database pets at 10.0.0.1, password=hunter2secret</html>",
                ),
                "plain" => answer(400, "text/plain", "colour Black is not supported"),
                "busy" => {
                    let mut busy = answer(503, "text/plain", "come back later");
                    busy.headers_mut()
                        .insert("retry-after", "7".parse().unwrap());
                    busy
                }
                "gone" => answer(503, "text/plain", ""),
                "own" => answer(
                    422,
                    "application/problem+json",
                    r#"{ "status":422, "title":"Own", "code":"own_code" }"#,
                ),
                _ => answer(201, "application/json", body.to_vec()),
            }
        }
        "GET /v1/pets/p78" | "GET /v1/unknown" => answer(503, "text/plain", ""),
        "GET /v1/pets/p77" => answer(404, "text/plain", "no pet p77"),
        "DELETE /v1/pets" => answer(405, "text/plain", ""),
        "GET /v1/petz" => answer(404, "text/plain", "not found"),
        "PUT /v1/pets/p1/photo" => json(
            200,
            json!({"bytes": body.len(), "media": parts.headers["content-type"].to_str().unwrap()}),
        ),
        "GET /v1/pets/stream" => answer(409, "text/event-stream", "data: x\n\n"),
        _ => answer(200, "text/plain", line.to_owned()),
    }
}

fn post(proxy: &Proxy, body: &Value) -> super::Answer {
    let headers = [("Content-Type", "application/json")];
    send(
        proxy.port,
        "POST /v1/pets",
        &headers,
        body.to_string().as_bytes(),
    )
}

#[test]
fn what_succeeds_is_the_same_and_what_the_document_does_not_know_passes() {
    let upstream = Upstream::start(pets);
    let proxy = before(&upstream, "same", &[]);
    for line in [
        "GET /v1/pets?limit=7",
        "GET /v1/pets?tags=1&tags=b",
        "GET /other?x=%20y",
        "PROPFIND /v1/pets",
    ] {
        let (there, here) = (
            send(upstream.port, line, &[], b""),
            send(proxy.port, line, &[], b""),
        );
        assert_eq!(here.body, there.body, "{line}");
        let mut heads = [&there.head, &here.head].map(|head| {
            let lines = head
                .lines()
                .filter(|line| !line.to_ascii_lowercase().starts_with("date"));
            let mut lines: Vec<String> = lines.map(str::to_owned).collect();
            lines.sort();
            lines
        });
        let (there, here) = heads.split_at_mut(1);
        assert_eq!(here[0], there[0], "{line}");
    }
    let own = post(&proxy, &json!({"name": "own", "kind": "cat"}));
    assert_eq!(
        own.body, br#"{ "status":422, "title":"Own", "code":"own_code" }"#,
        "a problem with a code is left alone"
    );
}

#[test]
fn what_the_document_refuses_never_leaves() {
    let upstream = Upstream::start(pets);
    let proxy = before(&upstream, "refused", &[]);
    let cat = post(&proxy, &json!({"name": "Tom", "kind": "Cat", "age": null}));
    assert_eq!(cat.status(), 422);
    assert_eq!(cat.header("content-type"), Some("application/problem+json"));
    assert_eq!(cat.json()["valid_values"]["kind"], json!(["cat", "dog"]));
    assert_eq!(cat.json()["suggestion"], "cat");
    let unknown = post(
        &proxy,
        &json!({"name": "Tom", "kind": "cat", "color": "black"}),
    );
    assert_eq!(
        (&unknown.json()["code"], &unknown.json()["suggestion"]),
        (&json!("unknown_field"), &json!("colour"))
    );
    let nested = post(
        &proxy,
        &json!({"name": "Tom", "kind": "cat", "parent": {"name": "", "kind": "dog"}}),
    );
    assert_eq!(nested.json()["errors"][0]["pointer"], "#/parent/name");
    let limit = send(proxy.port, "GET /v1/pets?limit=lots", &[], b"");
    assert_eq!(
        (limit.status(), &limit.json()["errors"][0]["pointer"]),
        (422, &json!("#/limit"))
    );
    let json = [("Content-Type", "application/json")];
    assert_eq!(
        send(proxy.port, "POST /v1/pets", &json, b"{\"name\": ").json()["code"],
        "invalid_body"
    );
    assert_eq!(
        send(proxy.port, "POST /v1/pets", &json, b"").json()["code"],
        "missing_body"
    );
    let text = send(
        proxy.port,
        "POST /v1/pets",
        &[("Content-Type", "text/plain")],
        b"a cat",
    );
    assert_eq!(
        (text.status(), &text.json()["valid_values"]["content-type"]),
        (415, &json!(["application/json"]))
    );
    assert_eq!(upstream.calls(), 0, "{:?}", upstream.got);
    let good = post(
        &proxy,
        &json!({"name": "Tom", "kind": "cat", "parent": {"name": "Ada", "kind": "cat"}}),
    );
    assert_eq!((good.status(), upstream.calls()), (201, 1));
}

#[test]
fn errors_become_problems_that_keep_the_words() {
    let upstream = Upstream::start(pets);
    let observed = place::target().join(format!("proxy-rest-observed-{}", std::process::id()));
    let proxy = before(
        &upstream,
        "errors",
        &["--observe", observed.to_str().unwrap()],
    );
    let named = |name: &str| {
        post(
            &proxy,
            &json!({"name": name, "kind": "cat", "colour": "Black"}),
        )
    };
    let taken = named("taken");
    assert_eq!(
        (taken.status(), taken.header("content-type")),
        (409, Some("application/problem+json"))
    );
    assert_eq!(
        (&taken.json()["code"], &taken.json()["detail"]),
        (&json!("name_taken"), &json!("The name taken is used."))
    );
    let fast = named("fast").json();
    assert_eq!(fast["errors"][0]["pointer"], "#/colour", "{fast}");
    assert_eq!(
        fast["valid_values"]["colour"],
        json!(["black", "white", "grey"])
    );
    let plain = named("plain").json();
    assert_eq!(
        plain["valid_values"]["colour"],
        json!(["black", "white", "grey"]),
        "what the description lists: {plain}"
    );
    assert_eq!(plain["detail"], "colour Black is not supported");
    let page = named("page").json();
    let detail = page["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("Oops database") && !detail.contains("hunter2secret"),
        "{detail}"
    );
    let busy = named("busy");
    assert_eq!(
        (busy.header("retry-after"), &busy.json()["retry_after"]),
        (Some("7"), &json!(7)),
        "{busy:?}"
    );
    let gone = named("gone").json();
    assert!(
        gone["retry_after"].is_null()
            && gone["detail"]
                .as_str()
                .unwrap()
                .starts_with("The server failed."),
        "nobody said that a call that does something may be repeated: {gone}"
    );
    let gone = send(proxy.port, "GET /v1/pets/p78", &[], b"").json();
    assert_eq!(gone["retry_after"], 5, "reading again does no harm: {gone}");
    assert_eq!(send(proxy.port, "GET /v1/unknown", &[], b"").status(), 503);
    assert_eq!(send(proxy.port, "GET /v1/another", &[], b"").status(), 200);
    let missing = send(proxy.port, "GET /v1/pets/p77", &[], b"").json();
    assert_eq!(
        (
            &missing["choices_endpoint"],
            &missing["errors"][0]["pointer"]
        ),
        (&json!("/v1/pets"), &json!("#/id")),
        "{missing}"
    );
    assert_eq!(missing["title"], "There is no such pet.");
    let method = send(proxy.port, "DELETE /v1/pets", &[], b"").json();
    assert_eq!(method["valid_values"]["method"], json!(["GET", "POST"]));
    let route = send(proxy.port, "GET /v1/petz", &[], b"").json();
    assert_eq!(route["suggestion"], "/pets", "{route}");
    assert_eq!(named("fine").status(), 201);
    let stream = send(proxy.port, "GET /v1/pets/stream", &[], b"");
    assert_eq!(stream.body, b"data: x\n\n", "a stream is left alone");
    proxy.stop();
    let read = |name: &str| fs::read_to_string(observed.join(name)).unwrap();
    let failures: Value = serde_json::from_str(&read("failures.json")).unwrap();
    let made = &failures["operations"]["createPet"];
    assert_eq!(
        (&made["calls"], &made["failures"]["name_taken"]["count"]),
        (&json!(7), &json!(1)),
        "{failures}"
    );
    let unknown =
        &failures["operations"]["(not in the document)"]["failures"]["service_unavailable"];
    assert_eq!(
        (&unknown["count"], &unknown["recovered"]),
        (&json!(1), &json!(0)),
        "another request is not the same one sent again: {failures}"
    );
    assert!(!read("failures.json").contains("hunter2secret"));
    assert!(
        aon::catalog::Catalog::parse(&read("catalog.json"))
            .unwrap()
            .problems
            .len()
            > 4
    );
    let lint = std::process::Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args(["lint", "--baseline"])
        .arg(observed.join("lint-baseline.json"))
        .arg(document("errors"))
        .output()
        .unwrap();
    assert_eq!(
        lint.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&lint.stdout)
    );
    fs::remove_dir_all(&observed).unwrap();
}

#[test]
fn uploads_of_any_size_pass() {
    let upstream = Upstream::start(pets);
    let proxy = before(&upstream, "uploads", &[]);
    let photo = vec![0xff; 8 << 20];
    let headers = [("Content-Type", "multipart/form-data; boundary=x")];
    let told = send(proxy.port, "PUT /v1/pets/p1/photo", &headers, &photo).json();
    assert_eq!(
        told,
        json!({"bytes": photo.len(), "media": "multipart/form-data; boundary=x"})
    );
    let long = json!({"name": "x".repeat(2 << 20), "kind": "Cat"});
    assert_eq!(
        post(&proxy, &long).status(),
        201,
        "what is too long to be held passes"
    );
}

/// A server that answers with these bytes, piece by piece, and gives back what it read before.
fn scripted(
    pieces: &'static [&'static [u8]],
) -> (u16, std::thread::JoinHandle<(Vec<u8>, TcpStream)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        for piece in pieces {
            stream.write_all(piece).unwrap();
            std::thread::sleep(Duration::from_millis(150));
        }
        (head, stream)
    });
    (port, thread)
}

fn before_port(port: u16, name: &str, options: &[&str]) -> Proxy {
    let url = format!("http://127.0.0.1:{port}/v1");
    let file = document(name);
    let mut all = vec!["--rest", &url, "--manifest", file.to_str().unwrap()];
    all.extend(options);
    Proxy::start(&all)
}

#[test]
fn streams_come_as_they_are_sent() {
    let (port, server) = scripted(&[
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"8\r\ndata: 1\n\r\n",
        b"8\r\ndata: 2\n\r\n",
        b"0\r\n\r\n",
    ]);
    let proxy = before_port(port, "streams", &[]);
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port)).unwrap();
    stream
        .write_all(b"GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let (mut all, mut some) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&all).contains("data: 1") {
        let read = stream.read(&mut some).unwrap();
        all.extend_from_slice(&some[..read]);
    }
    assert!(
        !String::from_utf8_lossy(&all).contains("data: 2"),
        "the first event waits for nothing"
    );
    server.join().unwrap();
}

#[test]
fn trailers_pass() {
    let (port, server) = scripted(&[
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Checksum\r\n\r\n5\r\nhello\r\n",
        b"0\r\nX-Checksum: abc\r\n\r\n",
    ]);
    let proxy = before_port(port, "trailers", &[]);
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port)).unwrap();
    stream
        .write_all(
            b"GET /v1/pets HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: close, TE\r\n\r\n",
        )
        .unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    assert!(
        all.to_ascii_lowercase().contains("x-checksum: abc\r\n"),
        "{all}"
    );
    let (head, _) = server.join().unwrap();
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    assert!(head.contains("te: trailers"), "{head}");
}

#[test]
fn an_upgrade_becomes_a_tunnel() {
    let (port, server) = scripted(&[
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
    ]);
    let proxy = before_port(port, "upgrade", &[]);
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.port)).unwrap();
    stream
        .write_all(
            b"GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
        )
        .unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    assert!(
        head.starts_with("HTTP/1.1 101") && head.to_lowercase().contains("upgrade: echo"),
        "{head}"
    );
    let (_, mut behind) = server.join().unwrap();
    stream.write_all(b"ping\x00\xff").unwrap();
    let mut got = [0; 6];
    behind.read_exact(&mut got).unwrap();
    behind.write_all(&got).unwrap();
    let mut back = [0; 6];
    stream.read_exact(&mut back).unwrap();
    assert_eq!(&back, b"ping\x00\xff");
}

#[test]
fn a_server_that_is_gone_or_late_is_a_problem_that_says_what_is_known() {
    let proxy = before_port(1, "gone", &[]);
    let gone = send(proxy.port, "GET /v1/pets", &[], b"");
    assert_eq!(
        (gone.status(), &gone.json()["code"]),
        (502, &json!("server_unreachable"))
    );
    let (port, server) = scripted(&[]);
    std::thread::spawn(move || drop(server.join()));
    let proxy = before_port(port, "cut", &[]);
    let cut = send(proxy.port, "GET /v1/pets", &[], b"").json();
    assert_eq!(cut["code"], "server_gone", "{cut}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = before_port(
        silent.local_addr().unwrap().port(),
        "late",
        &["--timeout", "1"],
    );
    let late = send(proxy.port, "GET /v1/pets", &[], b"");
    assert_eq!(
        (late.status(), &late.json()["code"]),
        (504, &json!("upstream_timeout"))
    );
    let hostile = raw(proxy.port, b"GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx");
    assert_eq!(hostile.status(), 400, "two lengths are nobody's request");
}

#[test]
fn a_document_that_is_not_one_is_a_clear_error() {
    let path = place::target().join(format!("proxy-not-{}.yaml", std::process::id()));
    fs::write(&path, "hello: world\n").unwrap();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args([
            "proxy",
            "--port",
            "0",
            "--rest",
            "http://127.0.0.1:1",
            "--manifest",
        ])
        .arg(&path)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("is not a valid OpenAPI document"), "{told}");
    fs::remove_file(&path).unwrap();
}

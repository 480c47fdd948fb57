//! Who may read, who may heal, who may see detail: tokens, roles, and two views of one event.

use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::heal::Ask;
use aon_live::{Environment, GlassBox, Hub, Identify as _, Jwt, Session, Settings, Severity};
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use futures_util::StreamExt as _;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use super::race::{email, patch};
use super::support::{NDJSON, Reply, request};
use super::token::{AUDIENCE, SECRET, bearer, claims, now, signed, unsigned};

async fn work(session: Session) -> Result<Json<Value>, aon::Failure> {
    session
        .intent("create_user for ann")
        .issue("the schema of 2019")
        .decision("apply_semantic_mapping");
    session
        .healing(Severity::Medium, "refresh_token")
        .description("Renewed at auth.internal.")
        .metadata("provider", "auth.internal");
    session.status("working");
    let stored = session
        .step("store_user", json!({"email": "bad"}))
        .ask(Ask::about(["/email"]).within(Duration::from_secs(5)))
        .run(async |payload: Value, _| {
            if payload["email"] != "bad" {
                return Ok(payload);
            }
            Err(aon::ProblemDetails::new(
                aon::Status::from_static(422),
                aon::Code::from_static("bad_email"),
            ))
        })
        .await?;
    Ok(Json(stored))
}

async fn serve(settings: Settings) -> std::net::SocketAddr {
    let hub = Hub::with(settings);
    let app = Router::new()
        .route("/work", post(work))
        .layer(GlassBox::new(&hub))
        .merge(hub.routes())
        .layer(ProblemLayer::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

fn guarded() -> Settings {
    Settings::new().identify(Jwt::secret(SECRET.as_bytes(), AUDIENCE))
}

async fn open(address: std::net::SocketAddr, headers: &[&str]) -> (Reply, Vec<Value>, Value) {
    let headers: Vec<&str> = headers.iter().copied().chain([NDJSON]).collect();
    let mut reply = request(address, "POST", "/work", &headers, "{}").await;
    assert_eq!(reply.status, 200);
    let mut before = Vec::new();
    loop {
        let event = reply.event().await.expect("a question");
        before.push(event.clone());
        if event["type"] == "interactive_healing_request" {
            return (reply, before, event);
        }
    }
}

#[tokio::test]
async fn a_token_that_is_not_good_is_refused_wherever_it_is_shown() {
    let address = serve(guarded()).await;
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let good = claims("ann", &[]);
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        claims
    };
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let none = unsigned(&json!({"alg": "none"}), &good);
    let bad = [
        (
            "another secret",
            signed(&header, &good, "another-secret-of-the-same-length.."),
        ),
        ("no exp", signed(&header, &without("exp"), SECRET)),
        ("no aud", signed(&header, &without("aud"), SECRET)),
        (
            "expired",
            signed(&header, &with("exp", json!(now() - 1)), SECRET),
        ),
        (
            "of another audience",
            signed(&header, &with("aud", json!("somebody-else")), SECRET),
        ),
        (
            "not yet",
            signed(&header, &with("nbf", json!(now() + 600)), SECRET),
        ),
        (
            "another algorithm",
            signed(&json!({"alg": "HS512"}), &good, SECRET),
        ),
        (
            "of a public key",
            signed(&json!({"alg": "RS256"}), &good, SECRET),
        ),
        (
            "with what has to be understood",
            signed(
                &json!({"alg": "HS256", "crit": ["b64"], "b64": true}),
                &good,
                SECRET,
            ),
        ),
        ("unsigned", format!("{none}.")),
        ("unsigned, with a seal", format!("{none}.AAAA")),
        ("cut", signed(&header, &good, SECRET)[..80].to_owned()),
        ("empty", String::new()),
        ("not a token", "a.b.c".to_owned()),
        ("huge", "x".repeat(60_000)),
    ];
    let ann = bearer("ann", &["heal"]);
    let (_stream, before, question) = open(address, &[&ann]).await;
    let state = before[0]["state_url"].as_str().unwrap();
    let url = question["patch_url"].as_str().unwrap();
    for (what, token) in &bad {
        let line = format!("authorization: Bearer {token}");
        for accept in [NDJSON, "accept: application/json"] {
            let refused = request(address, "POST", "/work", &[&line, accept], "{}").await;
            if *what == "huge" && refused.status == 431 {
                continue;
            }
            assert_eq!(refused.status, 401, "{what}");
            assert!(refused.header("www-authenticate").is_some(), "{what}");
            let problem = refused.json().await;
            assert_eq!(problem["code"], "invalid_token");
            assert!(token.is_empty() || !problem.to_string().contains(token.as_str()));
        }
        for (method, path) in [("GET", state), ("GET", &*format!("{state}/events"))] {
            assert!(
                [401, 431].contains(&request(address, method, path, &[&line], "").await.status),
                "{what} {path}"
            );
        }
        assert!(
            [401, 431].contains(&patch(address, url, &email("x"), &[&line]).await.status),
            "{what}"
        );
    }
    let basic = request(
        address,
        "POST",
        "/work",
        &["authorization: Basic eDp5", NDJSON],
        "{}",
    )
    .await;
    assert_eq!(basic.status, 401);
    // Two callers are none.
    let eve = bearer("eve", &[]);
    for both in [[&*ann, &*eve], [&*eve, &*ann]] {
        let both = [both[0], both[1], NDJSON];
        let refused = request(address, "POST", "/work", &both, "{}").await;
        assert_eq!(refused.status, 401);
    }
    println!(
        "count: {} kinds of bad tokens refused on four ways",
        bad.len()
    );
}

#[test]
fn an_empty_secret_is_nobodys_secret() {
    let token = signed(&json!({"alg": "HS256"}), &claims("ann", &["operator"]), "");
    let request = http::Request::get("/").header("authorization", format!("Bearer {token}"));
    let (parts, ()) = request.body(()).unwrap().into_parts();
    assert!(Jwt::secret(b"", AUDIENCE).admit(&parts).is_err());
}

#[tokio::test]
async fn only_who_may_heal_heals_and_strangers_see_nothing() {
    let address = serve(guarded()).await;
    let (ann, viewer, bob, root) = (
        bearer("ann", &["heal"]),
        bearer("ann", &[]),
        bearer("bob", &["heal"]),
        bearer("root", &["operator"]),
    );
    let (stream, before, question) = open(address, &[&viewer]).await;
    let url = question["patch_url"].as_str().unwrap();
    for (who, status) in [(Some(&bob), 404), (None, 404), (Some(&viewer), 403)] {
        let headers: Vec<&str> = who.iter().map(|line| line.as_str()).collect();
        assert_eq!(
            patch(address, url, &email("x@b.c"), &headers).await.status,
            status,
            "{who:?}"
        );
    }
    // A ticket is for reading.
    let tickets = format!("{}/tickets", before[0]["state_url"].as_str().unwrap());
    let ticket = request(address, "POST", &tickets, &[&ann], "")
        .await
        .json()
        .await;
    let with_ticket = format!("{url}?ticket={}", ticket["ticket"].as_str().unwrap());
    let refused = patch(address, &with_ticket, &email("x@b.c"), &[])
        .await
        .status;
    assert!([403, 404].contains(&refused), "{refused}");
    assert_eq!(
        patch(address, url, &email("ann@b.c"), &[&ann]).await.status,
        200
    );
    assert_eq!(
        stream.events().await.last().unwrap()["data"]["email"],
        "ann@b.c"
    );
    let (_stream, _, question) = open(address, &[&viewer]).await;
    assert_eq!(
        patch(
            address,
            question["patch_url"].as_str().unwrap(),
            &email("r@b.c"),
            &[&root]
        )
        .await
        .status,
        200
    );
    // A scope does, where roles are for something else.
    let scoped =
        json!({"sub": "ann", "scope": "read heal", "aud": [AUDIENCE, "other"], "exp": now() + 60});
    let scoped = format!(
        "authorization: Bearer {}",
        signed(&json!({"alg": "HS256"}), &scoped, SECRET)
    );
    let (_stream, _, question) = open(address, &[&viewer]).await;
    assert_eq!(
        patch(
            address,
            question["patch_url"].as_str().unwrap(),
            &email("s@b.c"),
            &[&scoped]
        )
        .await
        .status,
        200
    );
}

/// The events of a session without the end, as somebody sees it.
async fn seen(address: std::net::SocketAddr, before: &[Value], who: &str, sse: bool) -> Vec<Value> {
    let url = before[0]["sse_url"].as_str().unwrap();
    if sse {
        let reply = request(address, "GET", url, &[who, "accept: text/event-stream"], "").await;
        return reply
            .all_sse()
            .await
            .into_iter()
            .map(|(_, data, _)| data)
            .collect();
    }
    request(address, "GET", url, &[who, NDJSON], "")
        .await
        .events()
        .await
}

#[tokio::test]
async fn details_are_for_admins_and_the_numbers_are_the_same_for_everybody() {
    let address = serve(guarded()).await;
    let (ann, admin) = (bearer("ann", &["heal"]), bearer("ann", &["admin"]));
    let (stream, mut log, question) = open(address, &[&ann]).await;
    assert_eq!(
        patch(
            address,
            question["patch_url"].as_str().unwrap(),
            &email("a@b.c"),
            &[&ann]
        )
        .await
        .status,
        200
    );
    log.extend(stream.events().await);
    for secret in ["create_user for ann", "the schema of 2019", "auth.internal"] {
        assert!(!format!("{log:?}").contains(secret), "{secret}");
    }
    assert_eq!(
        (&log[1]["type"], &log[1]["decision"]),
        (&json!("intent_analysis"), &json!("apply_semantic_mapping"))
    );
    assert_eq!(
        (&log[2]["severity"], &log[2]["action"]),
        (&json!("medium"), &json!("refresh_token"))
    );
    assert_eq!(log[3]["message"], "working");
    for sse in [false, true] {
        let (plain, full) = (
            seen(address, &log, &ann, sse).await,
            seen(address, &log, &admin, sse).await,
        );
        let ids = |events: &[Value]| -> Vec<(Value, Value, Value)> {
            events
                .iter()
                .map(|event| {
                    (
                        event["seq"].clone(),
                        event["id"].clone(),
                        event["type"].clone(),
                    )
                })
                .collect()
        };
        assert_eq!(ids(&plain), ids(&full));
        assert_eq!(plain.len(), log.len());
        assert_eq!(full[1]["original_intent"], "create_user for ann");
        assert_eq!(full[2]["metadata"]["provider"], "auth.internal");
        assert!(!format!("{plain:?}").contains("auth.internal"));
    }
    let url = format!("ws://{address}{}", log[0]["ws_url"].as_str().unwrap());
    for (who, shown) in [(&ann, false), (&admin, true)] {
        let mut call = format!("{url}?since=0").into_client_request().unwrap();
        let value = who.trim_start_matches("authorization: ");
        call.headers_mut()
            .insert("authorization", value.parse().unwrap());
        let (socket, _) = tokio_tungstenite::connect_async(call).await.unwrap();
        let text: Vec<String> = socket
            .filter_map(async |message| Some(message.ok()?.into_text().ok()?.to_string()))
            .collect()
            .await;
        assert_eq!(text.concat().contains("auth.internal"), shown);
    }
    // Who says nothing is in production, and nobody is an admin there.
    for (settings, shown) in [
        (Settings::new(), false),
        (Settings::new().environment(Environment::Development), true),
    ] {
        let address = serve(settings).await;
        let (_stream, log, _) = open(address, &[]).await;
        assert_eq!(format!("{log:?}").contains("auth.internal"), shown);
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let address = serve(guarded()).await;
    let mut short = claims("ann", &["heal"]);
    short["exp"] = json!(now() + 2);
    let short = signed(&json!({"alg": "HS256"}), &short, SECRET);
    let line = format!("authorization: Bearer {short}");
    let (stream, before, _) = open(address, &[&line]).await;
    let sse = request(
        address,
        "GET",
        before[0]["sse_url"].as_str().unwrap(),
        &[&line, "accept: text/event-stream"],
        "",
    )
    .await;
    let mut call = format!(
        "ws://{address}{}?since=0",
        before[0]["ws_url"].as_str().unwrap()
    )
    .into_client_request()
    .unwrap();
    call.headers_mut()
        .insert("authorization", format!("Bearer {short}").parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(call).await.unwrap();
    let start = std::time::Instant::now();
    let rest = stream.events().await;
    assert!(
        rest.iter()
            .all(|event| event["type"] != "error" && event["type"] != "result"),
        "cut, and not ended: {rest:?}"
    );
    sse.all_sse().await;
    let mut code = None;
    while let Some(Ok(message)) = socket.next().await {
        if let tokio_tungstenite::tungstenite::Message::Close(Some(frame)) = message {
            code = Some(u16::from(frame.code));
        }
    }
    assert_eq!(code, Some(4401));
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
    // The work goes on, and another token reads on.
    let fresh = bearer("ann", &["heal"]);
    let state = request(
        address,
        "GET",
        before[0]["state_url"].as_str().unwrap(),
        &[&fresh],
        "",
    )
    .await
    .json()
    .await;
    assert_eq!(state["state"], "open");
}

#[tokio::test]
async fn keys_of_a_set_are_found_by_their_name_and_stay_with_their_algorithm() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let key = BASE64.encode(pair.public_key().as_ref());
    let set = json!({"keys": [
        {"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": key},
        {"kty": "OKP", "crv": "Ed25519", "kid": "two", "x": BASE64.encode(Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap().public_key().as_ref())},
    ]});
    let jwt = Jwt::jwks(&set.to_string(), AUDIENCE)
        .unwrap()
        .roles_claim("realm_access.roles")
        .issuer("https://id.example");
    let address = serve(Settings::new().identify(jwt)).await;
    let claims = json!({"sub": "ann", "aud": AUDIENCE, "exp": now() + 60, "iss": "https://id.example", "realm_access": {"roles": ["admin"]}});
    let mint = |header: Value, claims: &Value| {
        let text = unsigned(&header, claims);
        let seal = pair.sign(text.as_bytes());
        format!(
            "authorization: Bearer {text}.{}",
            BASE64.encode(seal.as_ref())
        )
    };
    let good = mint(json!({"alg": "EdDSA", "kid": "one"}), &claims);
    let (_stream, log, _) = open(address, &[&good]).await;
    assert!(
        format!("{log:?}").contains("auth.internal"),
        "an admin by a claim inside of a claim"
    );
    let mut foreign = claims.clone();
    foreign["iss"] = json!("https://other.example");
    // The public key of a set is public: nobody may use it as a secret.
    let confused = format!(
        "authorization: Bearer {}",
        signed(&json!({"alg": "HS256", "kid": "one"}), &claims, &key)
    );
    for bad in [
        mint(json!({"alg": "EdDSA", "kid": "two"}), &claims),
        mint(json!({"alg": "EdDSA", "kid": "three"}), &claims),
        mint(json!({"alg": "EdDSA"}), &claims),
        mint(json!({"alg": "EdDSA", "kid": "one"}), &foreign),
        confused,
    ] {
        assert_eq!(
            request(address, "POST", "/work", &[&bad, NDJSON], "{}")
                .await
                .status,
            401
        );
    }
    for bad in [
        "",
        "{}",
        r#"{"keys":[]}"#,
        r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#,
    ] {
        assert!(Jwt::jwks(bad, AUDIENCE).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_neither_follows_nor_heals() {
    let address = serve(Settings::new().origins(["https://app.example"])).await;
    let (_stream, before, question) = open(address, &[]).await;
    let own = format!("http://{address}");
    for (origin, status) in [
        ("https://evil.example", 403),
        ("null", 403),
        ("https://app.example", 101),
        (&*own, 101),
    ] {
        let origin = format!("origin: {origin}");
        let headers = [
            "upgrade: websocket",
            "connection: upgrade",
            "sec-websocket-version: 13",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
            &origin,
        ];
        let followed = request(
            address,
            "GET",
            before[0]["ws_url"].as_str().unwrap(),
            &headers,
            "",
        )
        .await
        .status;
        assert_eq!(followed, status, "{origin}");
        if status == 403 {
            assert_eq!(
                patch(
                    address,
                    question["patch_url"].as_str().unwrap(),
                    &email("x@b.c"),
                    &[&origin]
                )
                .await
                .status,
                403
            );
        }
    }
}

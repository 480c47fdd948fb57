//! Attacks on signed requests: each is refused before anything of the message is read.

use aon_agent::south::client::{HttpClient, SignedRequest};
use aon_tests::place::say;
use serde_json::{Value, json};

use crate::support::{Setup, exec, rotate, setup};

async fn send(setup: &Setup, request: SignedRequest) -> (u16, String) {
    let (status, headers, body) = setup.client.send(request).await.expect("an answer");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    if status == 401 {
        assert!(headers.contains_key("www-authenticate"));
    }
    let code = body
        .pointer("/problem/code")
        .and_then(Value::as_str)
        .unwrap_or("none");
    (status, code.to_owned())
}

fn now() -> u64 {
    aon_agent::south::clock::now() / 1000
}

/// What somebody on the way changes.
type Change = fn(&mut SignedRequest);

#[tokio::test]
async fn what_was_changed_after_signing_is_refused() {
    let setup = setup("");
    let body = exec("a-1", "/bin/echo", &["hi"]).to_string();
    let sign = || {
        setup
            .client
            .sign("POST", "/southbound?b=2&a=1", body.as_bytes())
            .expect("signed")
    };
    let good = sign();
    assert_eq!(send(&setup, good.clone()).await.0, 200);
    let mut tried = 0;
    let invalid = (401, "signature_invalid".to_owned());
    // The same request again: its nonce is used up, although its action would only be replayed.
    assert_eq!(send(&setup, good).await, (401, "nonce_replayed".to_owned()));
    let changes: [(&str, Change); 6] = [
        ("body", |request| {
            request.body = request
                .body
                .iter()
                .map(|byte| if *byte == b'h' { b'H' } else { *byte })
                .collect()
        }),
        ("path", |request| {
            request.path = "/southbound/actions/a-1".to_owned()
        }),
        ("query", |request| {
            request.path = "/southbound?b=2&a=2".to_owned()
        }),
        ("no query", |request| {
            request.path = "/southbound".to_owned()
        }),
        ("method", |request| request.method = "PUT".to_owned()),
        ("agent", |request| {
            request
                .headers
                .insert("x-agent-id", "boss".parse().expect("a value"));
        }),
    ];
    for (what, change) in changes {
        let mut request = sign();
        change(&mut request);
        assert_eq!(send(&setup, request).await, invalid, "{what}");
        tried += 1;
    }
    // Reordered pairs are the same query.
    let mut request = sign();
    request.path = "/southbound?a=1&b=2".to_owned();
    assert_eq!(send(&setup, request).await.0, 200);
    for (what, timestamp, wanted) in [
        ("old", now() - 302, "timestamp_outside_window"),
        ("future", now() + 302, "timestamp_outside_window"),
    ] {
        let request = setup
            .client
            .sign_with("POST", "/southbound", body.as_bytes(), timestamp, what)
            .expect("signed");
        assert_eq!(
            send(&setup, request).await,
            (401, wanted.to_owned()),
            "{what}"
        );
        tried += 1;
    }
    for header in [
        "x-agent-id",
        "x-key-id",
        "x-timestamp",
        "x-nonce",
        "x-signature",
    ] {
        let mut request = sign();
        request.headers.remove(header);
        assert_eq!(
            send(&setup, request).await,
            (401, "signature_missing".to_owned()),
            "{header}"
        );
        tried += 1;
    }
    // What is not signed is not read: neither is it JSON, nor is its size looked at beyond the limit.
    let mut request = sign();
    request.headers.remove("x-signature");
    request.body = b"{".to_vec();
    assert_eq!(send(&setup, request).await.1, "signature_missing");
    let large = vec![b' '; 1_048_577];
    let request = setup
        .client
        .sign("POST", "/southbound", &large)
        .expect("signed");
    assert_eq!(send(&setup, request).await, (413, "too_large".to_owned()));
    say(&format!("count: {} attacks on signed requests", tried + 3));
}

#[tokio::test]
async fn a_key_that_was_rotated_out_is_no_longer_good() {
    let setup = setup("");
    let second = rotate(&setup.folder, "ops-1");
    let newer =
        HttpClient::new(&setup.server.http, "ops-1", &second.0, &second.1).expect("a client");
    let ready = async |client: &HttpClient, good: bool| {
        for _ in 0..50 {
            let answer = client
                .call(&json!({ "method": "hello", "agent_id": "ops-1" }).to_string())
                .await;
            // A refusal cannot be signed with a key that is not good.
            if answer.is_ok() == good {
                return true;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        false
    };
    assert!(
        ready(&newer, true).await,
        "the new key is used without a restart"
    );
    assert!(
        ready(&setup.client, true).await,
        "the one before is still good"
    );
    rotate(&setup.folder, "ops-1");
    assert!(ready(&setup.client, false).await, "the first is gone");
    assert!(ready(&newer, true).await, "the second is still good");
}

#[tokio::test]
async fn a_nonce_stays_used_up_after_a_restart() {
    let setup = setup("");
    let body = exec("a-1", "/bin/echo", &["hi"]).to_string();
    let request = setup
        .client
        .sign("POST", "/southbound", body.as_bytes())
        .expect("signed");
    assert_eq!(send(&setup, request.clone()).await.0, 200);
    let Setup {
        server,
        folder,
        key,
        ..
    } = setup;
    server.kill();
    let server = crate::support::Server::start(&folder.path("agent.toml"));
    let client = HttpClient::new(&server.http, "ops-1", &key.0, &key.1).expect("a client");
    let again = Setup {
        server,
        client,
        key,
        folder,
    };
    assert_eq!(
        send(&again, request).await,
        (401, "nonce_replayed".to_owned())
    );
}

/// CVE-2020-11651: methods of the inside could be called without authentication.
#[tokio::test]
async fn nobody_is_let_in_who_is_not_on_the_list() {
    let setup = setup("");
    // A key whose agent is not in the configuration, because it was removed there.
    let gone = setup.other("removed-1");
    let answer = gone
        .call(&exec("x", "/bin/echo", &[]).to_string())
        .await
        .expect("an answer");
    assert_eq!(
        (answer.status, crate::support::code(&answer)),
        (403, "agent_not_allowed")
    );
    // Every route asks for a signature, those of the hub too.
    for path in [
        "/southbound",
        "/southbound/actions/x",
        "/aon/sessions/0",
        "/.well-known/aon",
        "/metrics",
        "/",
        "/_prep_auth_info",
    ] {
        let request = SignedRequest {
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: Default::default(),
            body: Vec::new(),
        };
        assert_eq!(
            send(&setup, request).await,
            (401, "signature_missing".to_owned()),
            "{path}"
        );
    }
    for method in ["_prep_auth_info", "ping", "clear.publish", "__proto__", ""] {
        let answer = setup
            .call(json!({ "method": method, "action_id": "x" }))
            .await;
        assert_eq!(
            crate::support::code(&answer),
            "unknown_operation",
            "{method}"
        );
    }
    // What was not granted is not done.
    let weak = setup.other("ops-2");
    let answer = weak
        .call(&exec("x", "/bin/echo", &[]).to_string())
        .await
        .expect("an answer");
    assert_eq!(
        (answer.status, crate::support::code(&answer)),
        (403, "capability_not_granted")
    );
    let push =
        json!({ "method": "telemetry.push", "action_id": "t-1", "payload": { "load": 1.5 } });
    assert_eq!(
        weak.call(&push.to_string())
            .await
            .expect("an answer")
            .status,
        200
    );
    // Another agent's id in `hello`.
    let answer = weak
        .call(&json!({ "method": "hello", "agent_id": "ops-1" }).to_string())
        .await
        .expect("an answer");
    assert_eq!(
        (answer.status, crate::support::code(&answer)),
        (403, "agent_mismatch")
    );
}

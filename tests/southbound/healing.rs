//! `"heal": true`: a person is asked for other arguments, over the session of the action.

use std::time::Duration;

use aon_agent::south::Answer;
use aon_agent::south::client::HttpClient;
use serde_json::{Value, json};

use crate::certificates::{open, with_certificates};
use crate::support::{Setup, code, exec};

/// Starts an action whose argument is not allowed, and waits for its question: where to answer, the question, and the call.
async fn question(setup: &Setup, id: &str) -> (String, Value, tokio::task::JoinHandle<Answer>) {
    let append = setup.folder.text("append.sh");
    let mut message = exec(id, &append, &["NOT ALLOWED"]);
    message["heal"] = json!(true);
    message["stream"] = json!(true);
    let message = message.as_object().expect("an object").clone();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut client = open(setup, "ops-1").await.expect("connected");
    let welcome = client.hello("ops-1").await.expect("an answer");
    welcome.expect("welcome");
    let asked = tokio::spawn(async move {
        let event = |event: &serde_json::Map<String, Value>| {
            if event["type"] == "interactive_healing_request" {
                let _ = tell.send(Value::Object(event.clone()));
            }
        };
        client.call(&message, event).await.expect("an answer")
    });
    let question = tokio::time::timeout(Duration::from_secs(10), told.recv()).await;
    let question = question.expect("in time").expect("a question");
    let url = question["patch_url"]
        .as_str()
        .expect("an address")
        .to_owned();
    (url, question, asked)
}

async fn answer(client: &HttpClient, url: &str, kind: &str, body: &Value) -> (u16, Value) {
    let mut request = client
        .sign("POST", url, body.to_string().as_bytes())
        .expect("signed");
    request
        .headers
        .insert("content-type", kind.parse().expect("a value"));
    let (status, _, body) = client.send(request).await.expect("an answer");
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

const PATCH: &str = "application/json-patch+json";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_corrects_arguments_that_are_not_allowed() {
    let setup = with_certificates("");
    let (url, question, asked) = question(&setup, "h-1").await;
    assert!(
        question.to_string().contains("argument_not_allowed"),
        "{question}"
    );
    // Somebody else is not asked; another program cannot be put in; what is still not allowed is asked for again.
    let stranger = setup.other("ops-2");
    let good = json!([{ "op": "replace", "path": "/args/0", "value": "healed" }]);
    assert_eq!(answer(&stranger, &url, PATCH, &good).await.0, 404);
    let other = json!([{ "op": "replace", "path": "/command", "value": "/bin/sh" }]);
    let (status, refused) = answer(&setup.client, &url, PATCH, &other).await;
    assert!((400..500).contains(&status), "{refused}");
    let bad = json!([{ "op": "replace", "path": "/args/0", "value": "STILL; not" }]);
    let (status, _) = answer(&setup.client, &url, PATCH, &bad).await;
    assert!(status == 200 || (400..500).contains(&status), "{status}");
    let mut accepted = false;
    for _ in 0..50 {
        let (status, body) = answer(&setup.client, &url, PATCH, &good).await;
        if status == 200 {
            accepted = true;
            break;
        }
        assert!(
            status == 409 || status == 404 || status == 422,
            "{status} {body}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(accepted, "the good answer is taken");
    let done = asked.await.expect("joined");
    assert_eq!(
        (done.status, &done.body["exit_code"]),
        (200, &json!(0)),
        "{}",
        done.text()
    );
    let effects = std::fs::read_to_string(setup.folder.path("effects")).expect("effects");
    assert_eq!(effects, "healed\n", "what a person wrote, once");
    // The id stands for what was asked, not for what it became.
    let mut same = exec("h-1", &setup.folder.text("append.sh"), &["NOT ALLOWED"]);
    same["heal"] = json!(true);
    assert_eq!(setup.call(same).await.body["replayed"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_is_denied_ends_the_action() {
    let setup = with_certificates("");
    let (url, _, asked) = question(&setup, "h-2").await;
    let (status, _) = answer(
        &setup.client,
        &url,
        "application/json",
        &json!({ "deny": true }),
    )
    .await;
    assert_eq!(status, 200);
    let answer = asked.await.expect("joined");
    assert_eq!(code(&answer), "argument_not_allowed");
    assert!(!setup.folder.path("effects").exists(), "nothing was done");
    // Without `heal` it is refused at once.
    let append = setup.folder.text("append.sh");
    let refused = setup.call(exec("h-3", &append, &["NOT ALLOWED"])).await;
    assert_eq!(code(&refused), "argument_not_allowed");
}

//! Somebody between the two sides. The side that asks believes nothing that is not signed for its own request, and goes on.
//!
//! CVE-2022-22934: what a server sent was not signed, so it could be replaced. CVE-2022-22935: whoever played the server could stop
//! an agent. CVE-2022-22936: old messages could be sent again.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use aon_agent::south::SouthFault;
use aon_agent::south::client::HttpClient;
use aon_tests::place::say;

use crate::support::{aon, exec, rotate, setup};

/// What is done to the bytes of an answer; `seen` has all that came before.
type Change = Box<dyn Fn(String, &[String]) -> String + Send>;

/// Passes connections on, and changes the answers.
struct Between {
    url: String,
    changes: Arc<Mutex<VecDeque<Change>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Between {
    fn new(to: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let changes: Arc<Mutex<VecDeque<Change>>> = Arc::default();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (next, kept) = (Arc::clone(&changes), Arc::clone(&seen));
        let to = to.trim_start_matches("http://").to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut from) = stream else { return };
                let request = read(&mut from);
                let mut server = TcpStream::connect(&to).expect("the server");
                server.write_all(request.as_bytes()).expect("sent");
                let answer = read(&mut server);
                let change = next.lock().expect("locked").pop_front();
                let mut seen = kept.lock().expect("locked");
                let sent = match change {
                    Some(change) => change(answer.clone(), &seen),
                    None => answer.clone(),
                };
                seen.push(answer);
                let _gone = from.write_all(sent.as_bytes());
            }
        });
        Self { url, changes, seen }
    }

    fn then(&self, change: impl Fn(String, &[String]) -> String + Send + 'static) {
        self.changes
            .lock()
            .expect("locked")
            .push_back(Box::new(change));
    }
}

/// One message with its body.
fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 65536];
    loop {
        let count = stream.read(&mut piece).expect("read");
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_lowercase();
            let length = length.split("content-length: ").nth(1);
            let length: usize = length
                .and_then(|rest| rest.split("\r\n").next()?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        if count == 0 {
            return text;
        }
    }
}

fn without(header: &str, answer: &str) -> String {
    let keep = |line: &&str| !line.to_lowercase().starts_with(header);
    let lines: Vec<&str> = answer.split("\r\n").filter(keep).collect();
    lines.join("\r\n")
}

fn forged(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cve_2022_22934_a_changed_answer_is_not_believed() {
    let setup = setup("");
    let between = Between::new(&setup.server.http);
    let client = HttpClient::new(&between.url, "ops-1", &setup.key.0, &setup.key.1);
    let client = client.expect("a client");
    let message = exec("v-1", "/bin/echo", &["the truth"]).to_string();
    // Untouched, through the same stranger.
    let answer = client.call(&message).await.expect("verified");
    assert_eq!(answer.body["stdout"], "the truth\n");
    let body = r#"{"ok":true,"exit_code":0,"stdout":"a lie\n","stderr":""}"#;
    let changes: Vec<(&str, Change)> = vec![
        (
            "body",
            Box::new(|answer, _| answer.replace("the truth", "a lie    ")),
        ),
        (
            "status",
            Box::new(|answer, _| answer.replacen("200 OK", "500 No", 1)),
        ),
        (
            "no signature",
            Box::new(|answer, _| without("x-signature", &answer)),
        ),
        (
            "no signature at all",
            Box::new(move |_, _| forged("200 OK", body)),
        ),
        (
            "another signature",
            Box::new(|answer, _| {
                without("x-signature", &answer).replacen(
                    "\r\n",
                    &format!("\r\nx-signature: v1={}\r\n", "0".repeat(64)),
                    1,
                )
            }),
        ),
        ("an old answer", Box::new(|_, seen| seen[0].clone())),
        (
            "a refusal",
            Box::new(|_, _| {
                forged(
                    "401 Unauthorized",
                    r#"{"ok":false,"error":"gone","problem":{"status":401,"code":"signature_invalid"}}"#,
                )
            }),
        ),
    ];
    let tried = changes.len();
    for (what, change) in changes {
        between.then(change);
        let refused = client.call(&message).await;
        assert!(
            matches!(refused, Err(SouthFault::AnswerNotVerified { .. })),
            "{what}: {refused:?}"
        );
    }
    // A side that does not sign is believed only where that was asked for, and a wrong signature never.
    let trusting = client.clone().trusting();
    between.then(|answer, _| without("x-signature", &answer));
    assert_eq!(
        trusting.call(&message).await.expect("an answer").status,
        200
    );
    between.then(|answer, _| answer.replace("the truth", "a lie    "));
    assert!(trusting.call(&message).await.is_err());
    // Refusals of the real side are signed too, once it knows who asks.
    let refused = client
        .call(&exec("v-2", "/bin/false", &[]).to_string())
        .await;
    assert_eq!(refused.expect("verified").status, 403);
    assert!(between.seen.lock().expect("locked").len() > tried);
    say(&format!(
        "count: {} answers that were changed on the way",
        tried + 1
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cve_2022_22935_who_plays_the_server_stops_nobody() {
    let setup = setup("");
    let between = Between::new(&setup.server.http);
    // Two lies, a connection that ends in the middle, then the truth.
    between.then(|_, _| {
        forged(
            "401 Unauthorized",
            r#"{"ok":false,"error":"you are removed"}"#,
        )
    });
    between.then(|_, _| {
        forged(
            "200 OK",
            r#"{"ok":true,"policy":{"timeouts":{"exec":1},"max_payload":1}}"#,
        )
    });
    between.then(|answer, _| answer[..answer.len() / 2].to_owned());
    let message = exec("w-1", &setup.folder.text("append.sh"), &["once"]).to_string();
    let output = tokio::task::spawn_blocking({
        let (url, keys) = (between.url.clone(), setup.folder.text("keys.toml"));
        move || {
            aon()
                .args([
                    "agent",
                    "call",
                    &url,
                    "--agent",
                    "ops-1",
                    "--keys",
                    &keys,
                    "--retries",
                    "8",
                    &message,
                ])
                .output()
                .expect("it runs")
        }
    });
    let output = output.await.expect("joined");
    let (text, words) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{text}{words}");
    assert!(text.contains(r#""exit_code":0"#), "{text}");
    let effects = std::fs::read_to_string(setup.folder.path("effects")).expect("effects");
    assert_eq!(effects, "once\n");
    assert!(between.changes.lock().expect("locked").is_empty());
    say("count: 3 answers by somebody else, 1 effect");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cve_2022_22936_what_was_heard_cannot_be_said_again() {
    let setup = setup("");
    let append = setup.folder.text("append.sh");
    let mut tried = 0;
    let message = exec("r-1", &append, &["once"]).to_string();
    let heard = setup
        .client
        .sign("POST", "/southbound", message.as_bytes())
        .expect("signed");
    let (status, headers, body) = setup.client.send(heard.clone()).await.expect("an answer");
    assert_eq!(status, 200);
    for _ in 0..3 {
        let (status, replayed, body) = setup.client.send(heard.clone()).await.expect("an answer");
        assert_eq!(status, 401, "{}", String::from_utf8_lossy(&body));
        // Nothing signed comes back: it could be given to the one who asked, who would believe that nothing was done.
        assert!(!replayed.contains_key("x-signature"));
        tried += 1;
    }
    // With a nonce of one's own, a time of one's own, another id, or as another kind of request.
    for (header, value) in [
        ("x-nonce", "fresh"),
        ("x-timestamp", "1999999999"),
        ("idempotency-key", "r-2"),
    ] {
        let mut changed = heard.clone();
        changed
            .headers
            .insert(header, value.parse().expect("a value"));
        let (status, ..) = setup.client.send(changed).await.expect("an answer");
        assert_eq!(status, 401, "{header}");
        tried += 1;
    }
    // An answer is not a request, and belongs to its own nonce.
    let nonce = heard.headers["x-nonce"].to_str().expect("text");
    assert!(setup.client.verify(status, &headers, &body, nonce).is_ok());
    assert!(
        setup
            .client
            .verify(status, &headers, &body, "another")
            .is_err()
    );
    let effects = std::fs::read_to_string(setup.folder.path("effects")).expect("effects");
    assert_eq!(effects, "once\n");
    say(&format!("count: {tried} requests that were said again"));
}

/// CVE-2016-9639: a deleted agent kept its access through the id that somebody else got.
#[tokio::test]
async fn cve_2016_9639_a_revoked_key_does_not_come_back_with_its_id() {
    let setup = setup("");
    let hello = r#"{"method":"hello","agent_id":"ops-1"}"#;
    assert!(setup.client.call(hello).await.is_ok());
    let keys = setup.folder.text("keys.toml");
    let revoke = |more: &[&str]| {
        let output = aon()
            .args([
                "agent", "keys", "revoke", "--keys", &keys, "--agent", "ops-1",
            ])
            .args(more)
            .output()
            .expect("it runs");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    assert!(!revoke(&["--key", "unknown"]).0);
    let (done, text) = revoke(&[]);
    assert!(done && text.contains(&setup.key.0), "{text}");
    assert!(!revoke(&[]).0, "there is none left");
    // The id is given to somebody else, with a key of its own.
    let (id, secret) = rotate(&setup.folder, "ops-1");
    let newer = HttpClient::new(&setup.server.http, "ops-1", &id, &secret).expect("a client");
    for _ in 0..50 {
        if newer.call(hello).await.is_ok() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(newer.call(hello).await.is_ok());
    let old = setup
        .client
        .sign("POST", "/southbound", hello.as_bytes())
        .expect("signed");
    let (status, ..) = setup.client.send(old).await.expect("an answer");
    assert_eq!(status, 401, "the one before is not let in");
}

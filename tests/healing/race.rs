//! Many answers at once: one is taken, whatever way they come, and nothing is half applied.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_live::heal::{Ask, AuditRecord};
use aon_live::{Environment, GlassBox, Hub, Session, Settings};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::support::{NDJSON, Reply, request};

/// A program whose one operation needs a person.
pub struct Asking {
    pub address: std::net::SocketAddr,
    pub audit: Arc<Mutex<Vec<AuditRecord>>>,
    pub attempts: Arc<Mutex<Vec<Value>>>,
}

async fn store(
    session: Session,
    attempts: Arc<Mutex<Vec<Value>>>,
    payload: Value,
    ask: Ask,
) -> Result<Json<Value>, aon::Failure> {
    let stored = session
        .step("store_user", payload)
        .ask(ask)
        .run(|payload: Value, _| {
            attempts.lock().unwrap().push(payload.clone());
            let good = payload["email"]
                .as_str()
                .is_some_and(|email| email.contains('@'));
            async move {
                if good {
                    return Ok(payload);
                }
                let problem = aon::ProblemDetails::new(
                    aon::Status::from_static(422),
                    aon::Code::from_static("invalid_email"),
                );
                Err(problem
                    .with_pointer("/email", None)
                    .with_valid_values("plan", ["free", "team"]))
            }
        })
        .await?;
    Ok(Json(stored))
}

impl Asking {
    pub async fn start(
        settings: Settings,
        ask: impl Fn() -> Ask + Clone + Send + Sync + 'static,
        change: impl FnOnce(GlassBox) -> GlassBox,
    ) -> Self {
        let audit = Arc::new(Mutex::new(Vec::new()));
        let attempts = Arc::new(Mutex::new(Vec::new()));
        let sink = audit.clone();
        let hub = Hub::with(
            settings
                .environment(Environment::Development)
                .audit(move |record: &AuditRecord| sink.lock().unwrap().push(record.clone())),
        );
        let seen = attempts.clone();
        let handler = post(move |session: Session, Json(payload): Json<Value>| {
            store(session, seen.clone(), payload, ask())
        });
        let app = Router::new()
            .route("/users", handler)
            .layer(change(GlassBox::new(&hub)))
            .merge(hub.routes())
            .layer(ProblemLayer::new());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            address,
            audit,
            attempts,
        }
    }

    pub async fn plain(within: Duration) -> Self {
        Self::start(
            Settings::new(),
            move || Ask::about(["/email"]).within(within),
            |layer| layer,
        )
        .await
    }

    /// Starts the operation and reads up to the question.
    pub async fn ask(&self, headers: &[&str]) -> (Reply, Vec<Value>, Value) {
        let payload =
            json!({"email": "bad", "role": "viewer", "password": "hunter2secret"}).to_string();
        let headers: Vec<&str> = headers.iter().copied().chain([NDJSON]).collect();
        let mut reply = request(self.address, "POST", "/users", &headers, &payload).await;
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
}

/// Sends a patch to a question.
pub async fn patch(
    address: std::net::SocketAddr,
    url: &str,
    patch: &str,
    headers: &[&str],
) -> Reply {
    use tokio::io::AsyncWriteExt as _;
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let mut head = format!(
        "POST {url} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n",
        patch.len()
    );
    if !headers
        .iter()
        .any(|header| header.starts_with("content-type"))
    {
        head.push_str("content-type: application/json-patch+json\r\n");
    }
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(patch.as_bytes()).await.unwrap();
    Reply::read(socket, false).await
}

pub fn email(value: &str) -> String {
    json!([{"op": "replace", "path": "/email", "value": value}]).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_thousand_answers_at_once_one_is_taken() {
    let server = Asking::plain(Duration::from_secs(20)).await;
    let (stream, _, question) = server.ask(&[]).await;
    let url = question["patch_url"].as_str().unwrap().to_owned();
    let address = server.address;
    let mut sent = tokio::task::JoinSet::new();
    // As many connections at once as the system takes without dropping some.
    let places = Arc::new(tokio::sync::Semaphore::new(200));
    for n in 0..1000 {
        let (url, places) = (url.clone(), places.clone());
        sent.spawn(async move {
            let _place = places.acquire().await.unwrap();
            // Every tenth of them is not good.
            let text = if n % 10 == 0 {
                "[{\"op\":\"replace\",\"path\":\"/role\",\"value\":\"admin\"}]".to_owned()
            } else {
                email(&format!("a{n}@b.c"))
            };
            (n, patch(address, &url, &text, &[]).await.status)
        });
        if n % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let answers = sent.join_all().await;
    let count = |status: u16| answers.iter().filter(|(_, got)| *got == status).count();
    assert_eq!(
        count(200),
        1,
        "{:?}",
        answers.iter().map(|(_, status)| status).collect::<Vec<_>>()
    );
    assert_eq!(count(200) + count(409) + count(422), 1000);
    let (winner, _) = answers.iter().find(|(_, status)| *status == 200).unwrap();
    let events = stream.events().await;
    let result = events.last().unwrap();
    assert_eq!(result["data"]["email"], format!("a{winner}@b.c"));
    assert_eq!(result["data"]["role"], "viewer");
    let taken = events
        .iter()
        .filter(|event| event["outcome"] == "accepted")
        .count();
    assert_eq!(taken, 1);
    let attempts = server.attempts.lock().unwrap().clone();
    assert_eq!(
        attempts.len(),
        2,
        "the failed step alone ran again, and once"
    );
    let audit = server.audit.lock().unwrap();
    assert_eq!(audit.len(), 1000);
    assert_eq!(
        audit
            .iter()
            .filter(|record| record.outcome == "accepted")
            .count(),
        1
    );
    println!(
        "count: 1000 concurrent answers, one accepted, {} conflicts, {} refused",
        count(409),
        count(422)
    );
}

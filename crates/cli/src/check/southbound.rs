//! The side of southbound that acts: W3 to W5, on any implementation. Nothing is run or changed.

use aon_agent::south::client::{HttpClient, SignedRequest, WsClient};
use aon_agent::south::{Answer, SouthFault, clock};
use serde_json::{Map, Value, json};

use super::{Ask, Row, Table, clip, holds};
use crate::commands::agent::south::Wire;

/// What is far enough outside the window.
const LATE: u64 = 3600;

/// Asks what must be answered, and what must be refused.
pub(crate) async fn probe(wire: &Wire) -> Result<Vec<Row>, SouthFault> {
    let mut table = Table::new("southbound");
    match wire {
        Wire::Http(client) => over_http(&mut table, client).await?,
        Wire::Ws(url, tls, agent) => {
            let connect = async || WsClient::open(url, std::sync::Arc::clone(tls)).await;
            over_websocket(&mut table, agent, &connect).await?;
        }
    }
    Ok(table.rows)
}

/// An id that nobody used.
fn fresh() -> String {
    let mut random = [0; 8];
    // Without randomness the time has to do: a repeat is answered as such.
    let _none = getrandom::fill(&mut random);
    format!(
        "aon-check-{}-{:016x}",
        clock::now(),
        u64::from_ne_bytes(random)
    )
}

fn push(id: &str, figure: u64) -> Map<String, Value> {
    let message =
        json!({ "method": "telemetry.push", "action_id": id, "payload": { "aon_check": figure } });
    message.as_object().cloned().unwrap_or_default()
}

/// The answer is refused, in the shape of the specification.
fn refused(answer: &Answer, status: Option<u16>) -> Result<(), String> {
    let problem = answer.body.get("problem");
    let shape = answer.body.get("ok") == Some(&Value::Bool(false));
    holds(shape, || {
        format!("{} {}", answer.status, clip(&answer.text()))
    })?;
    let words = answer
        .body
        .get("error")
        .and_then(Value::as_str)
        .unwrap_or_default();
    holds(!words.is_empty(), || "`error` has no words".to_owned())?;
    let told = problem.and_then(|problem| problem.get("status")?.as_u64());
    holds(told == Some(u64::from(answer.status)), || {
        format!("`problem.status` is {told:?}, the answer {}", answer.status)
    })?;
    let code = problem.and_then(|problem| problem.get("code")?.as_str());
    holds(code.is_some(), || "`problem.code` is missing".to_owned())?;
    holds(status.is_none_or(|status| status == answer.status), || {
        format!("{} {}", answer.status, clip(words))
    })
}

/// The signature without its second half.
fn cut_signature(request: &mut SignedRequest) {
    let signature = request.headers.get("x-signature").cloned();
    let half = signature
        .as_ref()
        .and_then(|signature| signature.to_str().ok())
        .and_then(|signature| signature.get(..signature.len() / 2 + 1))
        .and_then(|half| http::HeaderValue::from_str(half).ok());
    if let Some(half) = half {
        request.headers.insert("x-signature", half);
    }
}

/// All of them are refused, and none says more than another.
fn alike(answers: &[Answer]) -> Result<(), String> {
    let said = |answer: &Answer| {
        let problem = answer.body.get("problem").cloned().unwrap_or_default();
        let words = answer.body.get("error").cloned();
        (answer.status, problem.get("code").cloned(), words)
    };
    for answer in answers {
        refused(answer, Some(401))?;
    }
    let differs = answers
        .windows(2)
        .find(|two| said(&two[0]) != said(&two[1]));
    differs.map_or(Ok(()), |two| {
        Err(format!(
            "{} and {}",
            clip(&two[0].text()),
            clip(&two[1].text())
        ))
    })
}

fn welcome(answer: &Map<String, Value>) -> Result<(), String> {
    let number = |path: &str| {
        Value::Object(answer.clone())
            .pointer(path)
            .and_then(Value::as_u64)
    };
    holds(answer.get("ok") == Some(&Value::Bool(true)), || {
        clip(&Value::Object(answer.clone()).to_string())
    })?;
    for path in ["/policy/timeouts/exec", "/policy/max_payload"] {
        holds(number(path).is_some_and(|number| number > 0), || {
            format!("`{path}` is not a number")
        })?;
    }
    Ok(())
}

fn replayed(first: &Answer, again: &Answer) -> Result<(), String> {
    let mut body = again.body.clone();
    let flag = body.remove("replayed");
    holds(flag == Some(Value::Bool(true)), || {
        format!("`replayed` is missing: {}", clip(&again.text()))
    })?;
    holds(body == first.body, || {
        format!("another answer: {}", clip(&again.text()))
    })
}

/// What must not be done, whoever asks.
fn forbidden() -> [(&'static str, Map<String, Value>); 5] {
    let exec = |command: &str, args: Value| json!({ "method": "command.exec", "action_id": fresh(), "command": command, "args": args });
    let apply = |path: &str| json!({ "method": "file.apply", "action_id": fresh(), "path": path, "patch": "@@ -1 +1 @@\n-a\n+b\n" });
    [
        (
            "a program that is not on the list is refused",
            exec("/nonexistent/aon-check", json!([])),
        ),
        (
            "a program without an absolute path is refused",
            exec("aon-check-not-a-program", json!([])),
        ),
        (
            "a path with `..` is refused",
            apply("/etc/../etc/aon-check"),
        ),
        ("a relative path is refused", apply("aon-check")),
        (
            "an unknown method is refused",
            json!({ "method": "aon.check", "action_id": fresh() }),
        ),
    ]
    .map(|(what, message)| (what, message.as_object().cloned().unwrap_or_default()))
}

async fn over_http(table: &mut Table, client: &HttpClient) -> Result<(), SouthFault> {
    // What is not signed is judged in a row of its own.
    let client = &client.clone().trusting();
    let hello = Value::Object(client.hello_message()).to_string();
    let answer = client.call(&hello).await?;
    table.claim(
        "W3",
        "`hello` is answered with a policy",
        welcome(&answer.body),
    );
    let limit = answer
        .body
        .get("policy")
        .and_then(|policy| policy.get("max_payload")?.as_u64())
        .unwrap_or(1 << 20);
    let send = async |request: SignedRequest| -> Result<Answer, SouthFault> {
        let (status, _, body) = client.send(request).await?;
        Ok(Answer::read(status, &body))
    };
    let sign = || client.sign("POST", "/southbound", hello.as_bytes());
    let ask = Ask::practice("W3", "an answer is signed with the key of its request");
    let ask =
        ask.fix("sign status, SHA-256 of the body, timestamp, nonce and agent id of the request");
    table.judge(ask, signed_answer(client, sign()?).await);
    let mut changes: Vec<(&str, SignedRequest)> = Vec::new();
    let mut add = |what, change: &dyn Fn(&mut SignedRequest)| -> Result<(), SouthFault> {
        let mut request = sign()?;
        change(&mut request);
        changes.push((what, request));
        Ok(())
    };
    for header in [
        "x-agent-id",
        "x-key-id",
        "x-timestamp",
        "x-nonce",
        "x-signature",
    ] {
        add(
            "a request that is not signed whole is refused",
            &|request| drop(request.headers.remove(header)),
        )?;
    }
    add("a changed body is refused", &|request| {
        request.body.push(b' ');
    })?;
    add("a changed query is refused", &|request| {
        request.path.push_str("?a=1");
    })?;
    add("what is not signed is not parsed", &|request| {
        request.headers.remove("x-signature");
        request.body = b"{".to_vec();
    })?;
    add("half a signature is refused", &|request| {
        cut_signature(request);
    })?;
    let now = clock::now() / 1000;
    for (what, time) in [
        ("an old timestamp is refused", now.saturating_sub(LATE)),
        ("a timestamp of the future is refused", now + LATE),
    ] {
        changes.push((
            what,
            client.sign_with("POST", "/southbound", hello.as_bytes(), time, &fresh())?,
        ));
    }
    for (what, request) in changes {
        table.claim("W3", what, refused(&send(request).await?, Some(401)));
    }
    let mut refusals = Vec::new();
    for (header, value) in [
        ("x-agent-id", "aon-check-nobody"),
        ("x-key-id", "aon-check-no-key"),
        ("x-nonce", "aon-check-another-nonce"),
    ] {
        let mut request = sign()?;
        request
            .headers
            .insert(header, http::HeaderValue::from_static(value));
        refusals.push(send(request).await?);
    }
    table.claim(
        "W3",
        "an unknown agent, an unknown key and a wrong signature are answered alike",
        alike(&refusals),
    );
    let body = hello.as_bytes();
    let mut sorted = client.sign("POST", "/southbound?a=1&b=2", body)?;
    "/southbound?b=2&a=1".clone_into(&mut sorted.path);
    let answer = send(sorted).await?;
    let held = holds(answer.status != 401, || {
        format!("401 {}", clip(&answer.text()))
    });
    table.claim(
        "W3",
        "the order of a query is not part of its signature",
        held,
    );
    let once = sign()?;
    send(once.clone()).await?;
    table.claim(
        "W3",
        "a nonce is good once",
        refused(&send(once).await?, Some(401)),
    );
    let large = vec![b' '; usize::try_from(limit).unwrap_or(1 << 20) + 1];
    let large = send(client.sign("POST", "/southbound", &large)?).await;
    let verdict = large
        .map_err(|fault| fault.to_string())
        .and_then(|answer| refused(&answer, Some(413)));
    table.claim(
        "W3",
        "a message over the limit of the policy is refused",
        verdict,
    );
    let other = r#"{"method":"hello","agent_id":"aon-check-somebody-else"}"#;
    table.claim(
        "W3",
        "`hello` with another agent's id is refused",
        refused(&client.call(other).await?, None),
    );
    let mut version = client.hello_message();
    version.insert("version".to_owned(), "999.0.0".into());
    let answer = client.call(&Value::Object(version).to_string()).await?;
    table.claim(
        "W3",
        "another major version is refused",
        refused(&answer, None),
    );
    let text = |message: &Map<String, Value>| Value::Object(message.clone()).to_string();
    for (what, message) in forbidden() {
        table.claim(
            "W3",
            what,
            refused(&client.call(&text(&message)).await?, None),
        );
    }
    let id = fresh();
    let first = client.call(&text(&push(&id, 1))).await?;
    if first.status >= 400 {
        table.untested(
            "W4",
            "an id is done once",
            "`telemetry.push` is not granted to this agent",
        );
    } else {
        let again = client.call(&text(&push(&id, 1))).await?;
        table.claim(
            "W4",
            "the same id with the same request has the same answer, `replayed`",
            replayed(&first, &again),
        );
        let other = client.call(&text(&push(&id, 2))).await?;
        table.claim(
            "W4",
            "the same id with another request is refused",
            refused(&other, Some(422)),
        );
    }
    let broken = client.call("{").await?;
    table.claim(
        "W5",
        "a message that is not JSON is a problem",
        refused(&broken, None),
    );
    let mut unnamed = push(&id, 1);
    unnamed.remove("action_id");
    let missing = client.call(&text(&unnamed)).await?;
    table.claim(
        "W5",
        "an action without an id is a problem",
        refused(&missing, None),
    );
    Ok(())
}

/// Whether the answer to a request is signed, for this request.
async fn signed_answer(client: &HttpClient, request: SignedRequest) -> Result<(), String> {
    let nonce = request.headers.get("x-nonce").cloned();
    let nonce = nonce.as_ref().and_then(|nonce| nonce.to_str().ok());
    let sent = client.send(request).await;
    let (status, headers, body) = sent.map_err(|fault| fault.to_string())?;
    holds(headers.contains_key("x-signature"), || {
        "X-Signature is missing".to_owned()
    })?;
    let verdict = client.verify(status, &headers, &body, nonce.unwrap_or_default());
    verdict.map_err(|fault| fault.to_string())
}

async fn over_websocket<F>(table: &mut Table, agent: &str, connect: &F) -> Result<(), SouthFault>
where
    F: AsyncFn() -> Result<WsClient, SouthFault>,
{
    let mut early = connect().await?;
    early
        .say(Value::Object(push(&fresh(), 1)).to_string())
        .await?;
    table.claim(
        "W3",
        "an action before `hello` is refused",
        refused(&early.hear(|_| {}).await?, None),
    );
    let mut other = connect().await?;
    let verdict = match other.hello("aon-check-somebody-else").await? {
        Ok(_) => Err("it was welcomed".to_owned()),
        Err(answer) => refused(&answer, None),
    };
    table.claim(
        "W3",
        "`hello` with an id that the certificate does not have is refused",
        verdict,
    );
    let mut client = connect().await?;
    let limit = match client.hello(agent).await? {
        Ok(welcomed) => {
            let body = serde_json::to_value(&welcomed)
                .ok()
                .and_then(|body| body.as_object().cloned());
            table.claim(
                "W3",
                "`hello` is answered with a policy",
                welcome(&body.unwrap_or_default()),
            );
            welcomed.policy.max_payload
        }
        Err(answer) => {
            table.claim(
                "W3",
                "`hello` is answered with a policy",
                Err(clip(&answer.text())),
            );
            return Ok(());
        }
    };
    for (what, message) in forbidden() {
        table.claim(
            "W3",
            what,
            refused(&client.call(&message, |_| {}).await?, None),
        );
    }
    let id = fresh();
    let first = client.call(&push(&id, 1), |_| {}).await?;
    if first.status >= 400 {
        table.untested(
            "W4",
            "an id is done once",
            "`telemetry.push` is not granted to this agent",
        );
    } else {
        let again = client.call(&push(&id, 1), |_| {}).await?;
        table.claim(
            "W4",
            "the same id with the same request has the same answer, `replayed`",
            replayed(&first, &again),
        );
        let other = client.call(&push(&id, 2), |_| {}).await?;
        table.claim(
            "W4",
            "the same id with another request is refused",
            refused(&other, Some(422)),
        );
    }
    client.say("{".to_owned()).await?;
    table.claim(
        "W5",
        "a message that is not JSON is a problem",
        refused(&client.hear(|_| {}).await?, None),
    );
    client
        .say(" ".repeat(usize::try_from(limit).unwrap_or(1 << 20) + 1))
        .await?;
    let verdict = match client.hear(|_| {}).await {
        Ok(answer) => refused(&answer, Some(413)),
        // Closing at once is good too.
        Err(_closed) => Ok(()),
    };
    table.claim(
        "W3",
        "a message over the limit of the policy is refused",
        verdict,
    );
    Ok(())
}

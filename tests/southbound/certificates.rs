//! Certificates: who is let in over WebSocket, and a client in Python.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use aon_agent::south::client::WsClient;
use aon_agent::south::tls;
use aon_tests::place::{say, tools};
use serde_json::{Value, json};

use crate::support::{Folder, Setup, code, setup_in};

/// Makes an authority and certificates with `openssl`.
fn openssl(folder: &Folder, args: &[&str]) {
    let output = Command::new("openssl")
        .args(args)
        .current_dir(folder.path(""))
        .output()
        .expect("openssl");
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn authority(folder: &Folder, name: &str) {
    openssl(
        folder,
        &[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-keyout",
            &format!("{name}.key"),
            "-out",
            &format!("{name}.pem"),
            "-subj",
            &format!("/CN={name}"),
        ],
    );
}

fn certificate(
    folder: &Folder,
    file: &str,
    common: &str,
    alternative: Option<&str>,
    ca: &str,
    days: &str,
) {
    let request = format!("{file}.csr");
    openssl(
        folder,
        &[
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            &format!("{file}.key"),
            "-out",
            &request,
            "-subj",
            &format!("/CN={common}"),
        ],
    );
    let extension = alternative.map_or_else(
        || "basicConstraints=CA:FALSE".to_owned(),
        |name| format!("subjectAltName={name}"),
    );
    let extensions = folder.write(&format!("{file}.ext"), &extension);
    openssl(
        folder,
        &[
            "x509",
            "-req",
            "-in",
            &request,
            "-CA",
            &format!("{ca}.pem"),
            "-CAkey",
            &format!("{ca}.key"),
            "-CAcreateserial",
            "-days",
            days,
            "-extfile",
            &extensions.display().to_string(),
            "-out",
            &format!("{file}.pem"),
        ],
    );
    let key = folder.path(&format!("{file}.key"));
    std::fs::set_permissions(key, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("its mode");
}

pub fn with_certificates(more: &str) -> Setup {
    let folder = Folder::new();
    authority(&folder, "ca");
    authority(&folder, "other-ca");
    certificate(
        &folder,
        "server",
        "localhost",
        Some("DNS:localhost,IP:127.0.0.1"),
        "ca",
        "2",
    );
    certificate(&folder, "ops-1", "ops-1", None, "ca", "2");
    let websocket = format!(
        "[websocket]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{}\"\nkey = \"{}\"\nclient_ca = \"{}\"\n{more}",
        folder.text("server.pem"),
        folder.text("server.key"),
        folder.text("ca.pem"),
    );
    setup_in(folder, &websocket)
}

pub async fn open(
    setup: &Setup,
    certificate: &str,
) -> Result<WsClient, aon_agent::south::SouthFault> {
    let read = |name: String| std::fs::read(setup.folder.path(&name)).expect("read");
    let own = tls::Own {
        certificate: &read(format!("{certificate}.pem")),
        key: &read(format!("{certificate}.key")),
    };
    let config = tls::client(own, &read("ca.pem".to_owned())).expect("certificates");
    WsClient::open(&setup.server.websocket, Arc::clone(&config)).await
}

#[tokio::test]
async fn only_certificates_of_the_authority_connect_and_say_who_they_are() {
    let setup = with_certificates("");
    certificate(&setup.folder, "stranger", "ops-1", None, "other-ca", "2");
    certificate(&setup.folder, "expired", "ops-1", None, "ca", "-1");
    certificate(
        &setup.folder,
        "by-name",
        "whatever",
        Some("DNS:ops-2,URI:aon:boss"),
        "ca",
        "2",
    );
    certificate(&setup.folder, "unlisted", "ops-9", None, "ca", "2");
    let mut tried = 0;
    // Wrong authority, expired: with TLS 1.3 the refusal may come with the first read.
    for name in ["stranger", "expired"] {
        let refused = match open(&setup, name).await {
            Err(_) => true,
            Ok(mut client) => client.hello("ops-1").await.is_err(),
        };
        assert!(refused, "{name}");
        tried += 1;
    }
    // No certificate at all.
    let address = setup.server.websocket.trim_start_matches("wss://");
    let output = Command::new("curl")
        .args([
            "-s",
            "-m",
            "5",
            "--cacert",
            &setup.folder.text("ca.pem"),
            &format!("https://{address}/"),
        ])
        .output()
        .expect("curl");
    assert!(!output.status.success() && output.stdout.is_empty());
    tried += 1;
    let mut client = open(&setup, "ops-1").await.expect("connected");
    let welcome = client
        .hello("ops-1")
        .await
        .expect("an answer")
        .expect("welcome");
    assert_eq!(welcome.policy.max_payload, 1_048_576);
    for (name, agent, wanted) in [
        ("ops-1", "ops-2", "agent_mismatch"),
        ("by-name", "whatever", "agent_mismatch"),
        ("by-name", "ops-1", "agent_mismatch"),
        ("unlisted", "ops-9", "agent_not_allowed"),
    ] {
        let mut client = open(&setup, name).await.expect("connected");
        let refused = client
            .hello(agent)
            .await
            .expect("an answer")
            .expect_err("refused");
        assert_eq!(code(&refused), wanted, "{name} as {agent}");
        assert!(
            client.hear(|_| {}).await.is_err(),
            "the connection is closed"
        );
        tried += 1;
    }
    for agent in ["ops-2", "aon:boss"] {
        let mut client = open(&setup, "by-name").await.expect("connected");
        let answer = client.hello(agent).await.expect("an answer");
        assert_eq!(
            answer.is_ok(),
            agent == "ops-2",
            "{agent} is not on the list, its name is good"
        );
    }
    // An action before `hello`.
    let mut client = open(&setup, "ops-1").await.expect("connected");
    client
        .say(crate::support::exec("h-1", "/bin/echo", &[]).to_string())
        .await
        .expect("sent");
    assert_eq!(
        code(&client.hear(|_| {}).await.expect("an answer")),
        "hello_expected"
    );
    say(&format!("count: {} connections refused", tried + 1));
}

/// CVE-2016-9639: whoever used an old id again inherited its access. A pinned certificate is not replaced by one of the same name.
#[tokio::test]
async fn a_pinned_certificate_cannot_be_replaced_by_one_of_the_same_name() {
    let folder = Folder::new();
    authority(&folder, "ca");
    certificate(
        &folder,
        "server",
        "localhost",
        Some("IP:127.0.0.1"),
        "ca",
        "2",
    );
    certificate(&folder, "pinned", "pinned", None, "ca", "2");
    certificate(&folder, "again", "pinned", None, "ca", "2");
    let output = Command::new("openssl")
        .args([
            "x509",
            "-in",
            "pinned.pem",
            "-noout",
            "-fingerprint",
            "-sha256",
        ])
        .current_dir(folder.path(""))
        .output()
        .expect("openssl");
    let print = String::from_utf8_lossy(&output.stdout);
    let print = print
        .split('=')
        .next_back()
        .unwrap_or_default()
        .trim()
        .replace(':', "");
    let more = format!(
        "[websocket]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{}\"\nkey = \"{}\"\nclient_ca = \"{}\"\n[[agent]]\nid = \"pinned\"\ncertificates = [\"{print}\"]\n",
        folder.text("server.pem"),
        folder.text("server.key"),
        folder.text("ca.pem"),
    );
    let setup = setup_in(folder, &more);
    assert!(
        open(&setup, "pinned")
            .await
            .expect("connected")
            .hello("pinned")
            .await
            .expect("an answer")
            .is_ok()
    );
    let refused = open(&setup, "again")
        .await
        .expect("connected")
        .hello("pinned")
        .await
        .expect("an answer");
    assert_eq!(code(&refused.expect_err("refused")), "agent_not_allowed");
}

#[tokio::test]
async fn output_streams_and_a_repeat_waits() {
    let setup = with_certificates("");
    setup
        .folder
        .script("append.sh", "echo one; sleep 1; echo two");
    let append = setup.folder.text("append.sh");
    let mut first = open(&setup, "ops-1").await.expect("connected");
    let mut second = open(&setup, "ops-1").await.expect("connected");
    for client in [&mut first, &mut second] {
        client
            .hello("ops-1")
            .await
            .expect("an answer")
            .expect("welcome");
    }
    let mut message = crate::support::exec("s-1", &append, &["x"]);
    message["stream"] = json!(true);
    let Value::Object(message) = message else {
        unreachable!()
    };
    let mut events = Vec::new();
    let asked = first.call(&message, |event| events.push(event.clone()));
    let repeat = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        second.call(&message, |_| {}).await
    };
    let (answer, repeat) = tokio::join!(asked, repeat);
    let (answer, repeat) = (answer.expect("an answer"), repeat.expect("an answer"));
    assert_eq!(answer.body["stdout"], "one\ntwo\n");
    assert_eq!(
        (&repeat.body["replayed"], &repeat.body["stdout"]),
        (&json!(true), &json!("one\ntwo\n"))
    );
    let chunks: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "exec_log")
        .map(|event| &event["chunk"])
        .collect();
    assert_eq!(chunks, ["one\n", "two\n"]);
    assert!(events.iter().all(|event| event["action_id"] == "s-1"));
    // The side that asks keeps to the policy too.
    let mut long = message.clone();
    long.insert("timeout".to_owned(), json!(120_001));
    assert!(matches!(
        first.call(&long, |_| {}).await,
        Err(aon_agent::south::SouthFault::TimeoutTooLong { .. })
    ));
    // Cancelled from another connection.
    setup.folder.script("append.sh", "sleep 30");
    let slow =
        json!({ "method": "command.exec", "action_id": "s-2", "command": append, "args": ["x"] });
    let Value::Object(slow) = slow else {
        unreachable!()
    };
    let asked = first.call(&slow, |_| {});
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let cancel = json!({ "method": "action.cancel", "action_id": "s-2" });
        second
            .call(cancel.as_object().expect("an object"), |_| {})
            .await
    };
    let (answer, cancelled) = tokio::join!(asked, cancel);
    assert_eq!(code(&answer.expect("an answer")), "cancelled");
    assert_eq!(cancelled.expect("an answer").body["cancelled"], true);
}

#[tokio::test]
async fn a_python_client_with_a_certificate_is_served() {
    let Some(tools) = tools("southbound with Python", "venv/bin/python") else {
        return;
    };
    let setup = with_certificates("");
    let script = setup.folder.write("client.py", include_str!("client.py"));
    let output = Command::new(tools.join("venv/bin/python"))
        .arg(script)
        .arg(&setup.server.websocket)
        .current_dir(setup.folder.path(""))
        .output()
        .expect("python");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("8 checks"), "{text}");
    say(&format!("count: {} by a Python client", text.trim()));
}

//! What actions do, once.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use aon_tests::place::say;
use serde_json::{Value, json};

use crate::support::{code, exec, setup};

#[tokio::test]
async fn the_shapes_are_those_of_the_specification() {
    let setup = setup("[metrics]\nlisten = \"127.0.0.1:0\"\n");
    let hello = json!({ "method": "hello", "agent_id": "ops-1", "name": "x", "version": "1.2.3",
        "capabilities": ["command.exec", "file.diff"], "timestamp": "2026-11-18T00:00:00Z" });
    let answer = setup.call(hello).await;
    assert_eq!(answer.body["ok"], true);
    assert_eq!(
        answer.body["policy"],
        json!({ "timeouts": { "exec": 120_000 }, "max_payload": 1_048_576 })
    );
    assert_eq!(
        answer.body["capabilities"],
        json!(["command.exec", "file.diff"])
    );
    let old = setup
        .call(json!({ "method": "hello", "agent_id": "ops-1", "version": "2.0.0" }))
        .await;
    assert_eq!(code(&old), "unsupported_version");
    let answer = setup
        .call(exec("e-1", "/bin/echo", &["a b", "$HOME"]))
        .await;
    let text = answer.text();
    assert_eq!(
        (&answer.body["ok"], &answer.body["exit_code"]),
        (&json!(true), &json!(0)),
        "{text}"
    );
    assert_eq!(
        (&answer.body["stdout"], &answer.body["stderr"]),
        (&json!("a b $HOME\n"), &json!("")),
        "{text}"
    );
    // `type` for `method`, members in `params`, a key in a header: the same action.
    let same = json!({ "type": "command.exec", "id": 7, "timestamp": "x", "params": { "args": ["a b", "$HOME"], "action_id": "e-1", "command": "/bin/echo" } });
    let answer = setup.call(same).await;
    assert_eq!(
        (&answer.body["replayed"], &answer.body["id"]),
        (&json!(true), &json!(7))
    );
    let mut request = setup
        .client
        .sign(
            "POST",
            "/southbound",
            br#"{"method":"command.exec","command":"/bin/echo","args":["a b","$HOME"]}"#,
        )
        .expect("signed");
    request
        .headers
        .insert("idempotency-key", "e-1".parse().expect("a value"));
    let (status, _, body) = setup.client.send(request).await.expect("an answer");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((status, &body["replayed"]), (200, &json!(true)));
    let push = json!({ "method": "telemetry.push", "action_id": "t-1", "payload": { "load": 2.5, "password": "hunter2" }, "ts": "2026-11-18T00:00:00Z" });
    let answer = setup.call(push).await;
    assert_eq!((answer.status, &answer.body["ok"]), (200, &json!(true)));
    let metrics = Command::new("curl")
        .args(["-s", &setup.server.metrics])
        .output()
        .expect("curl");
    let metrics = String::from_utf8_lossy(&metrics.stdout).into_owned();
    assert!(
        metrics.contains(r#"aon_agent_telemetry{agent="ops-1",name="load"} 2.5"#),
        "{metrics}"
    );
    assert!(!metrics.contains("hunter2"));
    // What became of every action is counted, by method and outcome.
    for (method, outcome) in [
        ("command.exec", "ok"),
        ("command.exec", "replayed"),
        ("telemetry.push", "ok"),
    ] {
        let series = format!(r#"aon_actions_total{{method="{method}",outcome="{outcome}"}} "#);
        assert!(metrics.contains(&series), "{series}: {metrics}");
    }
    assert!(
        metrics.contains(r#"aon_action_duration_seconds_count{method="command.exec"} "#),
        "{metrics}"
    );
    // So is every problem, on a surface of its own.
    let series = r#"aon_problems_total{code="unsupported_version",surface="southbound",status="#;
    assert!(metrics.contains(series), "{metrics}");
    // One agent cannot take the place of the others, and a name is no way to write metrics.
    let many: serde_json::Map<String, Value> =
        (0..500).map(|n| (format!("n{n}"), json!(n))).collect();
    let push = |id: &str, payload: Value| json!({ "method": "telemetry.push", "action_id": id, "payload": payload });
    setup.call(push("t-2", Value::Object(many))).await;
    let evil = json!({ "a\"} 1\n# EOF\n": 1, "b\"\\": 2, "": 3, "load": 3 });
    setup.call(push("t-3", evil)).await;
    let metrics = Command::new("curl")
        .args(["-s", &setup.server.metrics])
        .output()
        .expect("curl");
    let metrics = String::from_utf8_lossy(&metrics.stdout).into_owned();
    let series = metrics
        .lines()
        .filter(|line| line.starts_with("aon_agent_telemetry{"));
    assert_eq!(series.count(), 100, "{metrics}");
    assert!(metrics.contains(r#"name="load"} 3"#) && !metrics.contains("EOF"));
    assert!(
        metrics.contains("aon_agent_telemetry_refused_total 404"),
        "{metrics}"
    );
}

#[tokio::test]
async fn what_is_left_out_or_empty_is_taken_as_it_is_meant() {
    let setup = setup("");
    let mut message = exec("n-1", "/bin/echo", &["x"]);
    assert_eq!(setup.call(message.clone()).await.status, 200);
    message["cwd"] = Value::Null;
    message["timeout"] = Value::Null;
    let answer = setup.call(message).await;
    assert_eq!(answer.body["replayed"], true, "{}", answer.text());
    let mut message = exec("n-2", "/bin/echo", &[]);
    message["timeout"] = json!(0);
    assert_eq!(code(&setup.call(message).await), "invalid_value");
    // What is wrong is named.
    for (message, code, member) in [
        (
            json!({ "method": "command.exec", "action_id": "n-5", "command": "/bin/echo", "args": "x" }),
            "invalid_value",
            "args",
        ),
        (
            json!({ "method": "command.exec", "action_id": "n-5", "command": 5, "args": [] }),
            "invalid_value",
            "command",
        ),
        (
            json!({ "method": "command.exec", "action_id": "n-5" }),
            "missing_field",
            "command",
        ),
        (
            json!({ "method": "command.exec", "command": "/bin/echo" }),
            "missing_field",
            "action_id",
        ),
        (
            json!({ "method": "telemetry.push", "action_id": 5, "payload": {} }),
            "invalid_value",
            "action_id",
        ),
        (json!({ "action_id": "n-5" }), "missing_field", "method"),
    ] {
        let answer = setup.call(message).await;
        let problem = &answer.body["problem"];
        assert_eq!(
            (&problem["code"], &problem["member"]),
            (&json!(code), &json!(member)),
            "{}",
            answer.text()
        );
        assert_eq!(problem["errors"][0]["pointer"], format!("#/{member}"));
    }
    // A diff without a difference applies, and changes nothing.
    let path = setup.folder.write("files/same.conf", "a\n");
    let before = std::fs::metadata(&path).expect("there");
    let path = path.display().to_string();
    let diff = json!({ "method": "file.diff", "action_id": "n-3", "path": path, "want": "a\n" });
    let patch = setup.call(diff).await.body["patch"].clone();
    assert_eq!(patch, "");
    let apply = json!({ "method": "file.apply", "action_id": "n-4", "path": path, "patch": patch });
    assert_eq!(setup.call(apply).await.body["applied"], true);
    let after = std::fs::metadata(&path).expect("there");
    assert_eq!(before.ino(), after.ino());
    // A route with another method is a problem too.
    for (method, path, allowed) in [
        ("PUT", "/southbound", "POST"),
        ("GET", "/southbound", "POST"),
        ("POST", "/southbound/actions/x", "GET, DELETE"),
    ] {
        let request = setup.client.sign(method, path, b"").expect("signed");
        let (status, headers, body) = setup.client.send(request).await.expect("an answer");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(
            (status, &body["problem"]["code"]),
            (405, &json!("method_not_allowed"))
        );
        assert_eq!(headers["allow"], allowed);
    }
}

#[tokio::test]
async fn an_id_is_done_once() {
    let setup = setup("");
    let append = setup.folder.text("append.sh");
    let first = setup.call(exec("x-1", &append, &["one"])).await;
    assert_eq!(first.status, 200, "{}", first.text());
    for _ in 0..3 {
        let again = setup.call(exec("x-1", &append, &["one"])).await;
        let mut body = again.body.clone();
        assert_eq!(body.remove("replayed"), Some(json!(true)));
        assert_eq!(body, first.body);
    }
    let other = setup.call(exec("x-1", &append, &["two"])).await;
    assert_eq!((other.status, code(&other)), (422, "action_id_reused"));
    assert_eq!(
        std::fs::read_to_string(setup.folder.path("effects")).expect("effects"),
        "one\n"
    );
    // A running one: 409 with Retry-After, and the same answer later.
    let slow = exec("x-2", "/bin/sleep", &["1"]);
    let client = setup.client.clone();
    let text = slow.to_string();
    let running = tokio::spawn(async move { client.call(&text).await.expect("an answer") });
    tokio::time::sleep(Duration::from_millis(400)).await;
    let request = setup
        .client
        .sign("POST", "/southbound", slow.to_string().as_bytes())
        .expect("signed");
    let (status, headers, body) = setup.client.send(request).await.expect("an answer");
    assert_eq!(status, 409, "{}", String::from_utf8_lossy(&body));
    assert!(headers.contains_key("retry-after"));
    assert_eq!(running.await.expect("joined").status, 200);
    assert_eq!(setup.call(slow).await.body["replayed"], true);
    // Two agents may use one id.
    let boss = setup.other("boss");
    let answer = boss
        .call(&exec("x-1", &append, &["three"]).to_string())
        .await
        .expect("an answer");
    assert_eq!((answer.status, answer.body.get("replayed")), (200, None));
    // Across a restart.
    let again = setup.folder.path("agent.toml");
    let (key, http) = (setup.key.clone(), setup.server.http.clone());
    let crate::support::Setup { server, folder, .. } = setup;
    server.kill();
    let server = crate::support::Server::start(&again);
    assert_ne!(server.http, http);
    let client = aon_agent::south::client::HttpClient::new(&server.http, "ops-1", &key.0, &key.1)
        .expect("a client");
    let answer = client
        .call(&exec("x-1", &append, &["one"]).to_string())
        .await
        .expect("an answer");
    assert_eq!(answer.body["replayed"], true);
    assert_eq!(
        std::fs::read_to_string(folder.path("effects")).expect("effects"),
        "one\nthree\n"
    );
}

#[tokio::test]
async fn a_command_has_no_shell_no_environment_and_an_end() {
    let setup = setup("");
    let answer = setup.call(exec("c-1", "/usr/bin/env", &[])).await;
    assert_eq!(
        answer.body["stdout"], "LANG=C\n",
        "nothing of the server's environment"
    );
    for (command, args, wanted) in [
        ("echo", &[][..], "command_not_allowed"),
        ("./echo", &[], "command_not_allowed"),
        ("/bin/../bin/echo", &[], "command_not_allowed"),
        ("/bin/sh", &["-c", "id"], "command_not_allowed"),
        ("/bin/sleep", &["1; id"], "argument_not_allowed"),
        ("/bin/sleep", &["1\n2"], "argument_not_allowed"),
        ("/bin/echo", &["a\nb"], "argument_not_allowed"),
        ("/bin/echo", &["a\u{0}b"], "argument_not_allowed"),
        ("/bin/sleep", &[], "argument_not_allowed"),
    ] {
        let answer = setup.call(exec("refused", command, args)).await;
        assert_eq!(code(&answer), wanted, "{command} {args:?}");
    }
    let mut message = exec("c-2", "/usr/bin/env", &[]);
    message["cwd"] = json!("/etc");
    assert_eq!(code(&setup.call(message).await), "cwd_not_allowed");
    let mut message = exec("c-3", "/bin/sleep", &["30"]);
    message["timeout"] = json!(300);
    let begun = Instant::now();
    let answer = setup.call(message.clone()).await;
    assert_eq!((answer.status, code(&answer)), (504, "command_timed_out"));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(
        setup.call(message).await.body["replayed"],
        true,
        "a failure is an answer too"
    );
    let mut message = exec("c-4", "/bin/sleep", &["1"]);
    message["timeout"] = json!(120_001);
    assert_eq!(code(&setup.call(message).await), "timeout_too_long");
}

#[tokio::test]
async fn a_file_is_changed_exactly_or_not_at_all() {
    let setup = setup("");
    let file = setup.folder.path("files/app.conf");
    let old = "# settings\nport = 80\nhost = a\n".to_owned() + &"filler\n".repeat(20) + "end";
    std::fs::write(&file, &old).expect("written");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).expect("mode");
    let path = file.display().to_string();
    let want = old
        .replace("port = 80", "port = 8080")
        .replace("end", "END\n");
    let diff = json!({ "method": "file.diff", "action_id": "d-1", "path": path, "want": want });
    let answer = setup.call(diff).await;
    let patch = answer.body["patch"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", answer.text()))
        .to_owned();
    // `patch` takes it.
    let copy = setup.folder.write("copy", &old);
    let diff_file = setup.folder.write("the.patch", &patch);
    match Command::new("patch")
        .args(["-s", "-i"])
        .arg(&diff_file)
        .arg(&copy)
        .status()
    {
        Ok(status) => {
            assert!(status.success());
            assert_eq!(std::fs::read_to_string(&copy).expect("read"), want);
        }
        Err(_) => say("skipped: patch is not installed"),
    }
    let before = std::fs::metadata(&file).expect("there");
    let apply = |id: &str, patch: &str| json!({ "method": "file.apply", "action_id": id, "path": path, "patch": patch });
    let answer = setup.call(apply("p-1", &patch)).await;
    assert_eq!(
        (&answer.body["ok"], &answer.body["applied"]),
        (&json!(true), &json!(true)),
        "{}",
        answer.text()
    );
    assert_eq!(std::fs::read_to_string(&file).expect("read"), want);
    let after = std::fs::metadata(&file).expect("there");
    assert_eq!(
        (after.mode(), after.uid(), after.gid()),
        (before.mode(), before.uid(), before.gid())
    );
    // Not twice, not shifted.
    let answer = setup.call(apply("p-2", &patch)).await;
    assert_eq!(
        (answer.status, code(&answer)),
        (409, "patch_does_not_apply")
    );
    std::fs::write(&file, format!("new first line\n{old}")).expect("written");
    let answer = setup.call(apply("p-3", &patch)).await;
    assert_eq!(code(&answer), "patch_does_not_apply");
    assert_eq!(
        std::fs::read_to_string(&file).expect("read"),
        format!("new first line\n{old}")
    );
    assert_eq!(
        code(&setup.call(apply("p-4", "nonsense")).await),
        "diff_malformed"
    );
    // Secrets are hidden unless asked for.
    std::fs::write(&file, "a\n").expect("written");
    let mut diff = json!({ "method": "file.diff", "action_id": "d-2", "path": path, "want": "a\npassword = hunter2secret\n" });
    let answer = setup.call(diff.clone()).await;
    assert!(
        !answer.text().contains("hunter2secret"),
        "{}",
        answer.text()
    );
    assert_eq!(answer.body["redacted"], true);
    diff["reveal"] = json!(true);
    diff["action_id"] = json!("d-3");
    assert!(setup.call(diff).await.text().contains("hunter2secret"));
    // A new file, and no temporary ones are left.
    let new = setup.folder.text("files/new.conf");
    let answer = setup
        .call(json!({ "method": "file.diff", "action_id": "d-4", "path": new, "want": "x\n" }))
        .await;
    let answer = setup.call(json!({ "method": "file.apply", "action_id": "p-5", "path": new, "patch": answer.body["patch"] })).await;
    assert_eq!(answer.body["applied"], true, "{}", answer.text());
    let names = std::fs::read_dir(setup.folder.path("files"))
        .expect("a folder")
        .count();
    assert_eq!(names, 2);
}

/// CVE-2020-11652: a path could leave its folder.
#[tokio::test]
async fn nothing_outside_the_folders_is_read_or_written() {
    let setup = setup("");
    let secret = setup.folder.write("secret", "untouched\n");
    std::fs::create_dir(setup.folder.path("files/sub")).expect("a folder");
    symlink(&secret, setup.folder.path("files/link")).expect("a link");
    symlink(setup.folder.path(""), setup.folder.path("files/up")).expect("a link");
    symlink("/etc", setup.folder.path("files/etc")).expect("a link");
    Command::new("mkfifo")
        .arg(setup.folder.path("files/pipe"))
        .status()
        .expect("mkfifo");
    let files = setup.folder.text("files");
    let mut tried = 0;
    for path in [
        format!("{files}/../secret"),
        format!("{files}/sub/../../secret"),
        format!("{files}/./../secret"),
        format!("{files}//../secret"),
        format!("{files}/link"),
        format!("{files}/up/secret"),
        format!("{files}/etc/passwd"),
        format!("{files}/pipe"),
        format!("{files}/sub"),
        format!("{files}\u{0}/x"),
        format!("{files}x/secret"),
        files.clone(),
        "secret".to_owned(),
        "/etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        String::new(),
    ] {
        for method in ["file.diff", "file.apply"] {
            let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-untouched\n+changed\n";
            let answer = setup.call(json!({ "method": method, "action_id": format!("f-{tried}"), "path": path, "want": "x\n", "patch": patch })).await;
            assert!(answer.status >= 400, "{method} {path}: {}", answer.text());
            assert!(!answer.text().contains("untouched"), "{path}");
            tried += 1;
        }
    }
    assert_eq!(
        std::fs::read_to_string(&secret).expect("read"),
        "untouched\n"
    );
    say(&format!("count: {tried} paths refused"));
}

#[tokio::test]
async fn a_link_that_is_swapped_in_meanwhile_is_never_followed() {
    let setup = setup("");
    let secret = setup.folder.write("secret", "a\n");
    let file = setup.folder.path("files/victim");
    let sub = setup.folder.path("files/sub");
    let outside = setup.folder.path("outside");
    std::fs::create_dir_all(&outside).expect("a folder");
    std::fs::write(outside.join("victim"), "a\n").expect("written");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let swapper = {
        let (stop, file, secret, sub, outside) = (
            stop.clone(),
            file.clone(),
            secret.clone(),
            sub.clone(),
            outside.clone(),
        );
        std::thread::spawn(move || {
            let mut swaps = 0_u64;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = std::fs::remove_file(&file);
                let _ = if swaps.is_multiple_of(2) {
                    symlink(&secret, &file)
                } else {
                    std::fs::write(&file, "a\n")
                };
                let _ = std::fs::remove_file(&sub);
                let _ = std::fs::remove_dir_all(&sub);
                if swaps.is_multiple_of(2) {
                    let _ = symlink(&outside, &sub);
                } else if std::fs::create_dir(&sub).is_ok() {
                    let _ = std::fs::write(sub.join("victim"), "a\n");
                }
                if swaps % 2 == 1 {
                    std::thread::sleep(Duration::from_millis(swaps % 23));
                }
                swaps += 1;
            }
            swaps
        })
    };
    let patch = "--- a/victim\n+++ b/victim\n@@ -1 +1 @@\n-a\n+changed\n";
    let (mut applied, mut refused) = (0, 0);
    for number in 0..150 {
        let path = if number % 2 == 0 {
            file.display().to_string()
        } else {
            sub.join("victim").display().to_string()
        };
        let answer = setup.call(json!({ "method": "file.apply", "action_id": format!("s-{number}"), "path": path, "patch": patch })).await;
        if answer.status == 200 {
            applied += 1
        } else {
            refused += 1
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let swaps = swapper.join().expect("joined");
    assert_eq!(std::fs::read_to_string(&secret).expect("read"), "a\n");
    assert_eq!(
        std::fs::read_to_string(outside.join("victim")).expect("read"),
        "a\n"
    );
    assert!(swaps > 0 && applied + refused == 150);
    say(&format!(
        "count: {swaps} swaps against 150 patches: {applied} applied inside, {refused} refused"
    ));
}

#[tokio::test]
async fn an_action_is_a_session() {
    let setup = setup("");
    setup.folder.script(
        "append.sh",
        "echo first; sleep 0.5; echo second >&2; sleep 20",
    );
    let append = setup.folder.text("append.sh");
    let text = exec("w-1", &append, &["x"]).to_string();
    let client = setup.client.clone();
    let running = tokio::spawn(async move { client.call(&text).await.expect("an answer") });
    let mut session = None;
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let state = setup
            .call(json!({ "method": "action.state", "action_id": "w-1" }))
            .await;
        if let Some(Value::String(url)) = state.body.get("session_url") {
            assert_eq!(state.body["state"], "running");
            session = Some(url.clone());
            break;
        }
    }
    let session = session.expect("a session");
    // Somebody else's key does not open it; an operator's does.
    let get = |path: &str| setup.client.sign("GET", path, b"").expect("signed");
    let stranger = setup.other("ops-2");
    let (status, _, _) = stranger
        .send(stranger.sign("GET", &session, b"").expect("signed"))
        .await
        .expect("an answer");
    assert_eq!(status, 404);
    let (status, _, body) = setup.client.send(get(&session)).await.expect("an answer");
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    // It is cancelled like any session, and its events say what it wrote.
    let cancel = setup.client.sign("DELETE", &session, b"").expect("signed");
    let (status, _, _) = setup.client.send(cancel).await.expect("an answer");
    assert!(status < 300, "{status}");
    let answer = running.await.expect("joined");
    assert_eq!((answer.status, code(&answer)), (499, "cancelled"));
    assert_eq!(answer.body["stdout"], "first\n");
    let (_, _, body) = setup
        .client
        .send(get(&format!("{session}/events")))
        .await
        .expect("an answer");
    let events = String::from_utf8_lossy(&body);
    assert!(
        events.contains("exec_log") && events.contains("first"),
        "{events}"
    );
    // The glass box over HTTP: the output while it runs, then the end.
    setup.folder.script("append.sh", "echo live");
    let mut request = setup
        .client
        .sign(
            "POST",
            "/southbound",
            exec("w-2", &append, &["y"]).to_string().as_bytes(),
        )
        .expect("signed");
    request
        .headers
        .insert("accept", "application/x-ndjson".parse().expect("a value"));
    let (_, _, body) = setup.client.send(request).await.expect("an answer");
    let body = String::from_utf8_lossy(&body).into_owned();
    let types: Vec<Value> = body
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["type"].clone())
        .collect();
    assert_eq!(types.first(), Some(&json!("session")), "{body}");
    assert!(types.contains(&json!("exec_log")), "{body}");
    assert_eq!(types.last(), Some(&json!("result")), "{body}");
}

//! The cases of the A2A test kit about tasks, streams and lists, written by hand, over every binding; and what hostile callers try.

use std::collections::BTreeSet;
use std::time::Duration;

use aon_tests::place;
use serde_json::{Value, json};

use crate::demo::demo;
use crate::http::Answer;

const SESSION: &str = aon_live::a2a::SESSION_EXTENSION;

/// How a client speaks to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    Rpc10,
    Rpc03,
    Http,
}

const BINDINGS: [Binding; 3] = [Binding::Rpc10, Binding::Rpc03, Binding::Http];

impl Binding {
    fn send(self, method: &str, params: &Value, headers: &[(&str, &str)]) -> Answer {
        let version = if self == Self::Rpc03 { "0.3" } else { "1.0" };
        let mut all = vec![
            ("content-type", "application/json"),
            ("a2a-version", version),
        ];
        all.extend_from_slice(headers);
        let id = params["id"].as_str().unwrap_or_default();
        let (verb, path) = match (self, method) {
            (Self::Http, "SendMessage") => ("POST", "/a2a/message:send".to_owned()),
            (Self::Http, "SendStreamingMessage") => ("POST", "/a2a/message:stream".to_owned()),
            (Self::Http, "GetTask") => ("GET", format!("/a2a/tasks/{id}{}", query(params))),
            (Self::Http, "ListTasks") => ("GET", format!("/a2a/tasks{}", query(params))),
            (Self::Http, "CancelTask") => ("POST", format!("/a2a/tasks/{id}:cancel")),
            (Self::Http, "SubscribeToTask") => ("GET", format!("/a2a/tasks/{id}:subscribe")),
            (Self::Http, other) => panic!("{other} has no address here"),
            (Self::Rpc10 | Self::Rpc03, _) => ("POST", "/a2a".to_owned()),
        };
        let name = match (self, method) {
            (Self::Rpc03, "SendMessage") => "message/send",
            (Self::Rpc03, "SendStreamingMessage") => "message/stream",
            (Self::Rpc03, "GetTask") => "tasks/get",
            (Self::Rpc03, "ListTasks") => "tasks/list",
            (Self::Rpc03, "CancelTask") => "tasks/cancel",
            (Self::Rpc03, "SubscribeToTask") => "tasks/resubscribe",
            (_, method) => method,
        };
        let body = match self {
            Self::Http if verb == "GET" => String::new(),
            Self::Http => params.to_string(),
            Self::Rpc10 | Self::Rpc03 => {
                json!({"jsonrpc": "2.0", "id": 7, "method": name, "params": params}).to_string()
            }
        };
        demo().send(verb, &path, &all, body.as_bytes())
    }

    fn message(self, id: &str, part: Value, more: &Value) -> Value {
        let mut message = json!({"messageId": id, "role": "ROLE_USER", "parts": [part]});
        if self == Self::Rpc03 {
            message["role"] = json!("user");
            message["kind"] = json!("message");
            let kind = if message["parts"][0].get("text").is_some() {
                "text"
            } else {
                "data"
            };
            message["parts"][0]["kind"] = json!(kind);
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        json!({"message": message})
    }

    /// The document an answer holds.
    fn result(self, answer: &Answer) -> Value {
        let body = answer.json();
        assert!(body.get("error").is_none(), "{self:?}: {body}");
        if self == Self::Http {
            body
        } else {
            body["result"].clone()
        }
    }

    /// The task in the answer to a message.
    fn task(self, answer: &Answer) -> Value {
        let result = self.result(answer);
        let task = if self == Self::Rpc03 {
            result
        } else {
            result["task"].clone()
        };
        assert!(task["id"].is_string(), "{self:?}: no task: {task}");
        task
    }

    /// The objects of a stream, each with the id of its event.
    fn events(self, answer: &Answer) -> Vec<(Option<String>, Value)> {
        assert_eq!(answer.status, 200, "{self:?}: {}", answer.text());
        assert_eq!(
            answer.header("content-type"),
            Some("text/event-stream"),
            "{}",
            answer.text()
        );
        let text = answer.text();
        let events = text.split("\n\n").filter(|block| block.contains("data: "));
        let read = events.map(|block| {
            let line = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name).map(str::to_owned))
            };
            let data: Value = serde_json::from_str(&line("data: ").expect("data")).expect("JSON");
            let object = if self == Self::Http {
                data
            } else {
                data["result"].clone()
            };
            (line("id: "), object)
        });
        read.collect()
    }

    fn kind(self, object: &Value) -> String {
        if self == Self::Rpc03 {
            return object["kind"].as_str().unwrap_or_default().to_owned();
        }
        let name = object
            .as_object()
            .and_then(|members| members.keys().next().cloned());
        match name.as_deref() {
            Some("statusUpdate") => "status-update".to_owned(),
            Some("artifactUpdate") => "artifact-update".to_owned(),
            other => other.unwrap_or_default().to_owned(),
        }
    }

    fn inside(self, object: &Value) -> Value {
        if self == Self::Rpc03 {
            return object.clone();
        }
        object
            .as_object()
            .and_then(|members| members.values().next().cloned())
            .unwrap_or_default()
    }

    fn state(self, word: &str) -> String {
        if self == Self::Rpc03 {
            return word.to_owned();
        }
        format!("TASK_STATE_{}", word.to_ascii_uppercase().replace('-', "_"))
    }

    /// The number and the reason of a refusal; over HTTP the reason alone.
    fn refusal(self, answer: &Answer) -> (i64, String) {
        let error = &answer.json()["error"];
        let infos = if self == Self::Http {
            &error["details"]
        } else {
            &error["data"]
        };
        let reason = infos[0]["reason"].as_str().unwrap_or_default().to_owned();
        (error["code"].as_i64().unwrap_or(0), reason)
    }
}

fn query(params: &Value) -> String {
    let pairs = params
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "id");
    let pairs = pairs.map(|(name, value)| {
        format!(
            "{name}={}",
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        )
    });
    format!("?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn guided(auth_ux: &str) -> Value {
    json!({"data": {"skill": "possibility_auth_guided", "id": "acme", "auth_ux": auth_ux}})
}

#[test]
fn a_task_from_its_message_to_its_end() {
    let mut count = 0;
    for binding in BINDINGS {
        let sent = binding.message(
            "tck-complete-task-1",
            json!({"text": "hello"}),
            &json!({"contextId": "kept by hand"}),
        );
        let task = binding.task(&binding.send("SendMessage", &sent, &[]));
        assert_eq!(
            task["status"]["state"],
            binding.state("completed"),
            "{task}"
        );
        assert_eq!(task["contextId"], "kept by hand");
        assert_eq!(task["artifacts"][0]["parts"][0]["text"], "Hello from TCK");
        assert_eq!(task["metadata"][SESSION]["sessionId"], task["id"]);
        let by_id = json!({"id": task["id"]});
        let got = binding.result(&binding.send("GetTask", &by_id, &[]));
        assert_eq!(got["history"][0]["messageId"], "tck-complete-task-1");
        assert_eq!(got["status"], task["status"]);
        let bare = binding.result(&binding.send(
            "GetTask",
            &json!({"id": task["id"], "historyLength": 0}),
            &[],
        ));
        assert!(bare.get("history").is_none(), "{bare}");
        // The session is there for everybody who follows sessions.
        let path = format!("/aon/sessions/{}", task["id"].as_str().expect("an id"));
        assert_eq!(
            demo().send("GET", &path, &[], b"").json()["state"],
            "result"
        );
        // It has ended: nothing more can be said to it, asked of it or done to it.
        let more = binding.message(
            "m2",
            json!({"text": "more"}),
            &json!({"taskId": task["id"]}),
        );
        assert_eq!(
            binding.refusal(&binding.send("SendMessage", &more, &[])).1,
            "UNSUPPORTED_OPERATION"
        );
        assert_eq!(
            binding.refusal(&binding.send("CancelTask", &by_id, &[])).1,
            "TASK_NOT_CANCELABLE"
        );
        assert_eq!(
            binding
                .refusal(&binding.send("SubscribeToTask", &by_id, &[]))
                .1,
            "UNSUPPORTED_OPERATION"
        );
        count += 1;
    }
    assert!(count > 0);
    place::say(&format!("count: tasks over {count} bindings"));
}

#[test]
fn a_question_is_answered_by_the_next_message() {
    for binding in BINDINGS {
        let sent = binding.message("m1", guided("magic"), &json!({}));
        let task = binding.task(&binding.send("SendMessage", &sent, &[]));
        assert_eq!(
            task["status"]["state"],
            binding.state("input-required"),
            "{task}"
        );
        let said = &task["status"]["message"]["parts"];
        assert!(
            said[0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("hosted")),
            "{said}"
        );
        assert_eq!(said[1]["data"]["allowedPatchPaths"], json!(["/auth_ux"]));
        let more = |part: Value, named: &Value| {
            let mut named = named.clone();
            named["taskId"] = task["id"].clone();
            binding.send("SendMessage", &binding.message("m2", part, &named), &[])
        };
        // Another conversation, another field, a question that does not exist: refused, and the question stays open.
        assert_eq!(
            binding
                .refusal(&more(
                    json!({"text": "hosted"}),
                    &json!({"contextId": "other"})
                ))
                .1,
            "INVALID_PARAMS"
        );
        assert_eq!(
            binding
                .refusal(&more(json!({"data": {"id": "other"}}), &json!({})))
                .1,
            "INVALID_PARAMS"
        );
        let gone = json!({"metadata": {"request_id": "gone"}});
        assert_eq!(
            binding.refusal(&more(json!({"text": "hosted"}), &gone)).1,
            "UNSUPPORTED_OPERATION"
        );
        let done = binding.task(&more(json!({"text": "hosted"}), &json!({})));
        assert_eq!(
            done["status"]["state"],
            binding.state("completed"),
            "{done}"
        );
        assert_eq!(
            done["artifacts"][0]["parts"][0]["data"]["auth_ux"],
            "hosted"
        );
        let said = done["history"].as_array().map_or(0, Vec::len);
        assert_eq!(said, 3, "a message, a question, an answer: {done}");
    }
    place::say(&format!(
        "count: questions over {} bindings",
        BINDINGS.len()
    ));
}

#[test]
fn a_missing_right_is_auth_required() {
    for (id, binding) in [("private", Binding::Rpc10), ("read-only", Binding::Rpc03)] {
        let part =
            json!({"data": {"skill": "possibility_auth_guided", "id": id, "auth_ux": "custom"}});
        let task = binding.task(&binding.send(
            "SendMessage",
            &binding.message("m", part, &json!({})),
            &[],
        ));
        assert_eq!(
            task["status"]["state"],
            binding.state("auth-required"),
            "{task}"
        );
        let no = binding.message(
            "m2",
            json!({"data": {"deny": true}}),
            &json!({"taskId": task["id"]}),
        );
        let ended = binding.task(&binding.send("SendMessage", &no, &[]));
        assert_eq!(ended["status"]["state"], binding.state("failed"), "{ended}");
        let problem = &ended["status"]["message"]["parts"][1]["data"];
        assert_eq!(problem["schema"], "pspace.a2a.error.v1");
    }
    place::say("count: tasks that wait for a right, 2");
}

fn rollout(steps: u32, fails: bool) -> Value {
    json!({"data": {"skill": "possibility_rollout", "id": "acme", "steps": steps, "fails": fails}})
}

#[test]
fn a_stream_begins_with_the_task_and_can_be_resumed() {
    for binding in BINDINGS {
        let sent = binding.message("m", rollout(3, true), &json!({}));
        let whole = binding.events(&binding.send("SendStreamingMessage", &sent, &[]));
        assert_eq!(binding.kind(&whole[0].1), "task");
        let task = binding.inside(&whole[0].1);
        let last = binding.inside(&whole[whole.len() - 1].1);
        assert_eq!(last["status"]["state"], binding.state("failed"), "{last}");
        let problem = &last["status"]["message"]["parts"][1]["data"];
        assert_eq!(
            (&problem["code"], &problem["status"]),
            (&json!("rollout_failed"), &json!(503))
        );
        if binding == Binding::Rpc03 {
            assert_eq!(last["final"], true);
        }
        // From every event on: the task as it was then, and exactly what followed.
        let mut resumed = 0;
        for (at, (id, _)) in whole.iter().enumerate().take(whole.len() - 1) {
            let Some(id) = id else { continue };
            let answer = binding.send(
                "SubscribeToTask",
                &json!({"id": task["id"]}),
                &[("last-event-id", id)],
            );
            let rest = binding.events(&answer);
            assert_eq!(binding.kind(&rest[0].1), "task");
            let (seen, wanted): (Vec<_>, Vec<_>) =
                (rest[1..].iter().collect(), whole[at + 1..].iter().collect());
            assert_eq!(seen, wanted, "{binding:?} after {id}");
            resumed += 1;
        }
        assert!(resumed >= 4, "{binding:?}: {resumed}");
        let end = whole[whole.len() - 1].0.as_deref().expect("an id");
        let over = binding.send(
            "SubscribeToTask",
            &json!({"id": task["id"]}),
            &[("last-event-id", end)],
        );
        assert_eq!(binding.refusal(&over).1, "UNSUPPORTED_OPERATION");
    }
    place::say(&format!(
        "count: streams resumed over {} bindings",
        BINDINGS.len()
    ));
}

#[test]
fn two_follow_one_task_and_it_is_cancelled() {
    for binding in BINDINGS {
        let mut sent = binding.message("m", rollout(300, false), &json!({}));
        sent["configuration"] = if binding == Binding::Rpc03 {
            json!({"blocking": false})
        } else {
            json!({"returnImmediately": true})
        };
        let task = binding.task(&binding.send("SendMessage", &sent, &[]));
        let by_id = json!({"id": task["id"]});
        let followers: Vec<_> = (0..2)
            .map(|_| {
                let by_id = by_id.clone();
                std::thread::spawn(move || {
                    binding.events(&binding.send("SubscribeToTask", &by_id, &[]))
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        let cancelled = binding.result(&binding.send("CancelTask", &by_id, &[]));
        assert_eq!(
            cancelled["status"]["state"],
            binding.state("canceled"),
            "{cancelled}"
        );
        for follower in followers {
            let events = follower.join().expect("a stream");
            assert_eq!(binding.kind(&events[0].1), "task");
            assert!(
                events
                    .iter()
                    .any(|(_, event)| binding.kind(event) == "artifact-update")
            );
            let last = binding.inside(&events[events.len() - 1].1);
            assert_eq!(last["status"]["state"], binding.state("canceled"), "{last}");
        }
    }
    place::say(&format!(
        "count: tasks cancelled over {} bindings",
        BINDINGS.len()
    ));
}

#[test]
fn lists_are_filtered_paged_and_checked() {
    for binding in BINDINGS {
        let context = format!("listed-{binding:?}");
        for at in 0..5 {
            let id = if at == 4 {
                "tck-input-required-9".to_owned()
            } else {
                format!("tck-complete-task-{at}")
            };
            let sent = binding.message(&id, json!({"text": "x"}), &json!({"contextId": context}));
            binding.task(&binding.send("SendMessage", &sent, &[]));
        }
        let list = |more: &Value| {
            let mut params = json!({"contextId": context});
            for (name, value) in more.as_object().into_iter().flatten() {
                params[name] = value.clone();
            }
            binding.result(&binding.send("ListTasks", &params, &[]))
        };
        let all = list(&json!({}));
        assert_eq!(
            (&all["totalSize"], &all["nextPageToken"]),
            (&json!(5), &json!("")),
            "{all}"
        );
        assert!(
            all["tasks"]
                .as_array()
                .into_iter()
                .flatten()
                .all(|task| task.get("artifacts").is_none())
        );
        let times: Vec<&str> = all["tasks"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|task| task["status"]["timestamp"].as_str())
            .collect();
        assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
        let mut seen = BTreeSet::new();
        let mut token = String::new();
        for page in 0..3 {
            let more = if token.is_empty() {
                json!({"pageSize": 2})
            } else {
                json!({"pageSize": 2, "pageToken": token})
            };
            let page_of = list(&more);
            assert_eq!(
                page_of["pageSize"],
                if page == 2 { 1 } else { 2 },
                "{page_of}"
            );
            for task in page_of["tasks"].as_array().into_iter().flatten() {
                assert!(seen.insert(task["id"].to_string()), "twice: {task}");
            }
            token = page_of["nextPageToken"]
                .as_str()
                .expect("a token")
                .to_owned();
        }
        assert_eq!((seen.len(), &*token), (5, ""));
        let waiting = list(&json!({"status": binding.state("input-required")}));
        assert_eq!(waiting["totalSize"], 1, "{waiting}");
        assert_eq!(
            list(&json!({"statusTimestampAfter": "2099-01-01T00:00:00Z"}))["totalSize"],
            0
        );
        assert_eq!(
            list(&json!({"includeArtifacts": true, "status": binding.state("completed")}))["tasks"]
                [0]["artifacts"][0]["artifactId"],
            "result"
        );
        for hostile in [
            json!({"status": "banana"}),
            json!({"pageSize": -1}),
            json!({"pageSize": 0}),
            json!({"pageSize": 101}),
            json!({"pageToken": "not-a-token"}),
            json!({"pageToken": "x".repeat(5000)}),
            json!({"historyLength": -1}),
            json!({"statusTimestampAfter": "yesterday"}),
            json!({"contextId": "x".repeat(5000)}),
        ] {
            let answer = binding.send("ListTasks", &hostile, &[]);
            assert_eq!(
                binding.refusal(&answer).1,
                "INVALID_PARAMS",
                "{binding:?}: {hostile}: {}",
                answer.text()
            );
        }
    }
    place::say(&format!("count: lists over {} bindings", BINDINGS.len()));
}

#[test]
fn parts_of_every_kind_go_both_ways() {
    let binding = Binding::Rpc10;
    for (id, member, value) in [
        (
            "tck-artifact-text-1",
            "text",
            json!("Generated text content"),
        ),
        (
            "tck-artifact-file-url-1",
            "url",
            json!("https://example.com/output.txt"),
        ),
        (
            "tck-artifact-file-1",
            "raw",
            json!("R2VuZXJhdGVkIGZpbGUgY29udGVudA=="),
        ),
        (
            "tck-artifact-data-1",
            "data",
            json!({"key": "value", "count": 42}),
        ),
    ] {
        let task = binding.task(&binding.send(
            "SendMessage",
            &binding.message(id, json!({"text": "x"}), &json!({})),
            &[],
        ));
        assert_eq!(task["artifacts"][0]["parts"][0][member], value, "{task}");
    }
    let old = Binding::Rpc03;
    let task = old.task(&old.send(
        "SendMessage",
        &old.message("tck-artifact-file-2", json!({"text": "x"}), &json!({})),
        &[],
    ));
    let part = &task["artifacts"][0]["parts"][0];
    assert_eq!(
        (&part["kind"], &part["file"]["name"]),
        (&json!("file"), &json!("output.txt"))
    );
    let direct = binding.result(&binding.send(
        "SendMessage",
        &binding.message("tck-message-response-1", json!({"text": "x"}), &json!({})),
        &[],
    ));
    assert_eq!(direct["message"]["role"], "ROLE_AGENT");
    assert!(direct["message"]["contextId"].is_string());
    let rejected = binding.task(&binding.send(
        "SendMessage",
        &binding.message("tck-reject-task-1", json!({"text": "x"}), &json!({})),
        &[],
    ));
    assert_eq!(rejected["status"]["state"], "TASK_STATE_REJECTED");
    place::say("count: parts there and back, 7");
}

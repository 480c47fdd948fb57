//! What healing costs: a step that succeeds, a patch of three operations, and the redaction of an event.
//!
//! `healing` prints the table. Each case stands beside the bare calls it is made of.

use std::hint::black_box;
use std::time::Duration;

use aon_benches::{Case, Counting, compare};
use aon_live::heal::{AllowList, Ask, Backoff, Patch, PatchRules, Rename, step};
use futures_util::FutureExt as _;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(serde::Deserialize)]
struct NewUser {
    name: String,
    email: String,
}

async fn store(user: NewUser) -> Result<usize, aon::Failure> {
    Ok(user.name.len() + user.email.len())
}

const PATCH: &[u8] = br#"[{"op":"test","path":"/name","value":"Ann"},{"op":"replace","path":"/email","value":"ann@example.com"},{"op":"add","path":"/plan","value":"team"}]"#;
const EVENT: &str = r#"{"type":"healing","severity":"medium","action":"refresh_token","description":"The token had expired; a new one was negotiated.","metadata":{"step":"store_user","attempt":1,"outcome":"healed","code":"token_expired"}}"#;

fn table(title: &str, lines: Vec<aon_benches::Line>) {
    println!("\n| {title} | ns | against the bare calls | allocations |\n| --- | --- | --- | --- |");
    for line in lines {
        println!("| {} | {:.0} | {:.2} | {} + {} |", line.name, line.nanos, line.ratio, line.allocations.0, line.allocations.1);
    }
}

fn main() {
    let payload = json!({"name": "Ann", "email": "ann@example.com"});
    let bare = || {
        let value = serde_json::to_value(&payload).expect("JSON");
        let user = <NewUser as serde::Deserialize>::deserialize(&value).expect("a user");
        store(user).now_or_never().expect("ready").expect("stored")
    };
    let plain = || {
        let run = step("store_user", &payload).run(async |user: NewUser, _| store(user).await);
        run.now_or_never().expect("ready").expect("stored")
    };
    let healed = || {
        let run = step("store_user", &payload)
            .heal(Backoff::attempts(3))
            .heal(Rename::into::<NewUser>())
            .time_limit(Duration::from_secs(1))
            .run(async |user: NewUser, attempt| {
                black_box(attempt.idempotency_key());
                store(user).await
            });
        run.now_or_never().expect("ready").expect("stored")
    };
    let unlimited = || {
        let run = step("store_user", &payload)
            .heal(Backoff::attempts(3))
            .heal(Rename::into::<NewUser>())
            .run(async |user: NewUser, attempt| {
                black_box(attempt.idempotency_key());
                store(user).await
            });
        run.now_or_never().expect("ready").expect("stored")
    };
    let asking = || {
        let run = step("store_user", &payload)
            .heal(Backoff::attempts(3))
            .ask(Ask::about(["/email"]).within(Duration::from_secs(120)))
            .run(async |user: NewUser, _| store(user).await);
        run.now_or_never().expect("ready").expect("stored")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    table(
        "a step that succeeds",
        compare(
            &[
                Case::new("payload, type and body alone", bare),
                Case::new("`step`", plain),
                Case::new("with two strategies and a key", unlimited),
                Case::new("with a time limit too", healed),
                Case::new("with a question that is never asked", asking),
            ],
            60,
            2_000,
        ),
    );

    let document = json!({"name": "Ann", "email": "ann", "role": "viewer", "tags": ["a", "b"], "home": {"city": "x"}});
    let mut rules = PatchRules::default();
    rules.allow = AllowList::parse(["/name", "/email", "/plan"]).expect("pointers");
    let by_hand = || {
        let operations: Vec<Value> = serde_json::from_slice(PATCH).expect("JSON");
        let mut copy = document.clone();
        for operation in &operations {
            let path = operation["path"].as_str().expect("a path").trim_start_matches('/');
            if operation["op"] != "test" {
                copy[path] = operation["value"].clone();
            }
        }
        copy.as_object().map_or(0, serde_json::Map::len)
    };
    let guarded = || {
        let patch = Patch::read(PATCH, &rules).expect("a patch");
        let patched = patch.apply(&document, &rules).expect("applied");
        patched.as_object().map_or(0, serde_json::Map::len)
    };
    table(
        "a patch of three operations",
        compare(&[Case::new("read and set by hand, unchecked", by_hand), Case::new("read, guarded and applied", guarded)], 60, 1_000),
    );

    table(
        "redaction of an event of 230 bytes",
        compare(
            &[
                Case::new("reading it as JSON", || serde_json::from_str::<Value>(EVENT).map_or(0, |value| value.as_object().map_or(0, serde_json::Map::len))),
                Case::new("redacting it", || aon::redact::json_text(EVENT).len()),
            ],
            60,
            5_000,
        ),
    );
}

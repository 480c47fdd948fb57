//! A2A: each operation is a skill, and some skills take their time, ask, and can be watched. The server of `aon-live` does the
//! rest, as it does for any program.

use std::sync::Arc;
use std::time::Duration;

use aon::{Door, Failure};
use aon_live::a2a::{Agent, Artifact, Made, Part, Push, Skill};
use aon_live::heal::Ask;
use aon_live::{Caller, Hub, Session};
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain::Store;
use super::operation::{OPERATIONS, Operation};
use crate::args::Demo;

mod kit;

/// The demo as an A2A agent at `base`.
pub(crate) fn agent(hub: &Hub, base: &str, args: &Demo, store: &Arc<Store>, door: Door) -> Agent {
    let mut agent = Agent::new(
        hub,
        "AON demo",
        "Sets how people sign in to possibilities. Every failure says what happened, why, and what to try.",
        format!("{base}/a2a"),
    )
    .version(env!("CARGO_PKG_VERSION"))
    .door(door);
    for operation in &OPERATIONS {
        agent = agent.skill(skill(operation, Arc::clone(store)));
    }
    let origins = origins(args);
    if !origins.is_empty() {
        agent = agent.push(Push::to(origins));
    }
    if args.jwt_secret.is_some() {
        agent = agent
            .card_member("securitySchemes", bearer())
            .extended_card(greet);
    }
    let guided = guided(Arc::clone(store));
    agent
        .skill(guided)
        .skill(rollout())
        .fallback(kit::conversation())
        .build()
}

/// Where notifications may go: a caller that reaches the loopback interface of this machine may be called there.
fn origins(args: &Demo) -> Vec<String> {
    let near = [
        "http://127.0.0.1:*",
        "http://localhost:*",
        "http://[::1]:*",
        "https://example.com",
    ];
    let near = near.into_iter().filter(|_| args.host.is_loopback());
    near.map(str::to_owned)
        .chain(args.push.iter().cloned())
        .collect()
}

/// How callers are known, in the words of 1.0 and of 0.3.
fn bearer() -> Value {
    json!({"bearer": {
        "httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"},
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
    }})
}

/// The extended card says as whom its reader is known, and what that allows.
fn greet(caller: &Caller, card: &mut Value) {
    let rights = [
        (caller.admin, "see details"),
        (caller.healer || caller.operator, "answer questions"),
        (caller.operator, "follow everybody's tasks"),
    ];
    let rights = rights.into_iter().filter(|(has, _)| *has);
    let mut rights: Vec<&str> = rights.map(|(_, right)| right).collect();
    rights.insert(0, "follow and cancel your own tasks");
    let description = card["description"].as_str().unwrap_or_default();
    let known = aon::redact::echo(&caller.subject);
    card["description"] = json!(format!(
        "{description} You are known as {known} and may {}.",
        rights.join(", ")
    ));
}

const TAGS: [&str; 2] = ["possibilities", "sign-in"];
const JSON: [&str; 1] = ["application/json"];

/// The skill of an operation: it answers at once.
fn skill(operation: &'static Operation, store: Arc<Store>) -> Skill {
    let mut example = json!({"skill": operation.skill});
    for argument in operation.arguments {
        let value = argument.choices.last();
        let value = value.map_or_else(|| json!("acme"), |choice| choice.value().to_value());
        example[argument.name] = value;
    }
    let call = move |_: Session, arguments: Value| {
        let store = Arc::clone(&store);
        async move { operation.call(&store, &arguments) }
    };
    Skill::new(operation.skill, operation.title, operation.summary, call)
        .tags(TAGS)
        .examples([example.to_string()])
        .input_modes(JSON)
        .output_modes(JSON)
}

/// The same as a task that asks: whatever is wrong with the sign-in page, a person may say what is right.
fn guided(store: Arc<Store>) -> Skill {
    let call = move |session: Session, arguments: Value| {
        let store = Arc::clone(&store);
        async move {
            session.status("Setting the sign-in page.");
            let operation = &OPERATIONS[0];
            session
                .step("update_sign_in", &arguments)
                .ask(
                    Ask::about(["/auth_ux"])
                        .showing(["/id"])
                        .within(Duration::from_secs(120)),
                )
                .run(async |arguments: Value, _| operation.call(&store, &arguments))
                .await
        }
    };
    Skill::new(
        "possibility_auth_guided",
        "Update sign-in, and ask",
        "Sets how people sign in to a possibility, and asks where it cannot go on.",
        call,
    )
    .tags(TAGS)
    .examples([r#"{"skill":"possibility_auth_guided","id":"acme","auth_ux":"Hosted"}"#])
    .input_modes(["application/json", "text/plain"])
}

/// What a rollout is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rollout {
    id: String,
    /// How many steps it takes, of a fifth of a second each.
    #[serde(default = "five")]
    steps: u32,
    /// Whether it fails at its last step.
    #[serde(default)]
    fails: bool,
}

const fn five() -> u32 {
    5
}

/// A task that takes its time: to watch, to leave, to come back to, and to cancel.
fn rollout() -> Skill {
    let call = async |session: Session, rollout: Rollout| -> Result<Value, Failure> {
        let steps = rollout.steps.clamp(1, 300);
        for step in 1..=steps {
            session
                .status(format!("Step {step} of {steps}."))
                .progress(f64::from(step) / f64::from(steps));
            let part = Part::text(format!("step {step} of {}\n", rollout.id));
            let made = Made::new(Artifact::new("log", vec![part]));
            let made = if step > 1 { made.append() } else { made };
            session.emit(&if step < steps { made.open() } else { made });
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        if rollout.fails {
            let detail = format!(
                "The rollout of {} failed at its last step.",
                aon::redact::echo(&rollout.id)
            );
            let problem = aon::ProblemDetails::new(
                aon::Status::from_static(503),
                aon::Code::from_static("rollout_failed"),
            );
            return Err(problem.with_detail(detail).into());
        }
        Ok(json!({"id": rollout.id, "steps": steps}))
    };
    Skill::new(
        "possibility_rollout",
        "Roll out",
        "Rolls the sign-in page of a possibility out, step by step.",
        call,
    )
    .tags(["possibilities", "long-running"])
    .examples([r#"{"skill":"possibility_rollout","id":"acme","steps":10}"#])
    .input_modes(JSON)
    .output_modes(["application/json", "text/plain"])
}

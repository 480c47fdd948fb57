//! A careless call that recovers, step by step: the recovering client against the demo itself.

use std::sync::Arc;

use aon::door::{Door, Facts, Scope};
use aon::recovery::{self, Allowed, Budget, Call, Decision, Effect, Seen, Transport};
use aon::surface::Surface as _;
use aon::surface::mcp::Mcp;
use aon::{Failure, Json, jsonrpc};
use axum::extract::State;
use axum::response::Html;
use axum::routing::{get, post};
use axum::{Json as Body, Router};
use serde_json::{Value, json};

use super::domain::Store;
use super::operation::OPERATIONS;

/// The page, and what it asks.
pub(crate) fn routes() -> Router<Arc<Store>> {
    Router::new()
        .route("/recover", get(async || Html(include_str!("recover.html"))))
        .route("/recover/run", post(run))
}

/// Makes a call as an agent would, and answers with everything that happened.
async fn run(
    State(store): State<Arc<Store>>,
    aon::axum::Json(call): aon::axum::Json<Call>,
) -> Body<Value> {
    let known: Vec<recovery::Operation> = OPERATIONS
        .iter()
        .map(|operation| {
            let effect = if operation.read_only {
                Effect::Safe
            } else {
                Effect::Idempotent
            };
            recovery::Operation::new(operation.tool, effect).with_schema(operation.input_schema())
        })
        .collect();
    let mut tools = Tools {
        store,
        clock: 0,
        log: Vec::new(),
    };
    let mut owner = Owner;
    let ended = recovery::recover(
        call,
        &known,
        Allowed::default(),
        Budget::default(),
        &mut tools,
        &mut owner,
    )
    .await;
    let decisions: Vec<Value> = ended.decisions.iter().map(told).collect();
    Body(json!({"calls": tools.log, "decisions": decisions, "result": ended.result}))
}

fn told(decision: &Decision) -> Value {
    json!({"rule": decision.rule, "step": decision.step, "because": decision.because})
}

/// The operations, called as tools. Waiting takes no time here.
struct Tools {
    store: Arc<Store>,
    clock: u64,
    log: Vec<Value>,
}

impl Tools {
    fn call(&self, call: &Call) -> Result<Value, Failure> {
        let found = OPERATIONS
            .iter()
            .find(|operation| operation.tool == call.operation);
        if let Some(operation) = found {
            return operation.call(&self.store, &call.arguments);
        }
        let names = OPERATIONS.iter().map(|operation| operation.tool);
        let problem = jsonrpc::unknown_operation("tool", &call.operation, names);
        Err(Failure::built_in(problem))
    }
}

impl Transport for Tools {
    async fn send(&mut self, call: &Call) -> Result<Value, Seen> {
        let failure = match self.call(call) {
            Ok(value) => {
                self.log.push(json!({"call": call, "result": value}));
                return Ok(value);
            }
            Err(failure) => failure,
        };
        let failure = failure.with_arguments(Json::of(&call.arguments).ok());
        let scope = Scope::open(&Door::new(), Facts::new("mcp"));
        let passed = scope.pass(failure, "mcp");
        let mut wire = Vec::new();
        Mcp::default().project(passed.problem(), &passed.call(None), &mut wire);
        let result = serde_json::from_slice::<Value>(&wire).unwrap_or_default();
        self.log.push(json!({"call": call, "failed": result}));
        Err(Seen::mcp(&wire).unwrap_or_default())
    }

    async fn fetch(&mut self, _url: &str) -> Option<Value> {
        None
    }

    async fn wait(&mut self, millis: u64) {
        self.clock = self.clock.saturating_add(millis);
    }

    fn now(&self) -> u64 {
        self.clock
    }
}

/// Nobody is asked: what is not clear is given up.
struct Owner;

impl recovery::Caller for Owner {}

//! One scenario, one surface, one arm: what it came to.

use std::collections::BTreeMap;
use std::sync::Arc;

use aon::recovery::{self, Budget, Call};
use serde::Serialize;
use serde_json::Value;
use tokio::net::TcpListener;

use super::client::{Client, Owner, Surface};
use super::scenario::{Recoverable, Scenario};
use super::server::{self, Arm};
use super::world::{World, same};

/// What a run came to.
#[derive(Clone, Debug, Serialize)]
pub struct Ran {
    pub scenario: String,
    pub about: String,
    pub kind: String,
    pub tags: BTreeMap<String, String>,
    pub recoverable: bool,
    /// It is answered as a success: no envelope helps there.
    pub implicit: bool,
    pub surface: &'static str,
    pub arm: &'static str,
    /// The effect the caller wanted is there, and the caller knows.
    pub recovered: bool,
    /// The state is one that nobody wanted.
    pub wrong_effect: bool,
    /// The caller took a wrong answer for a result.
    pub fooled: bool,
    /// Calls after the first.
    pub calls: usize,
    /// Times the owner was asked to choose.
    pub asked: usize,
    pub bytes: usize,
    /// Why, step by step.
    pub steps: Vec<String>,
}

/// Runs a scenario. The careless call alone is made first on a world of its own: what it does by itself is not the client's doing.
pub async fn run(scenario: &Scenario, surface: Surface, arm: Arm) -> Result<Ran, String> {
    let alone = Arc::new(World::new(scenario.clone()));
    alone.identify(&format!(
        "{}; {}",
        scenario.caller.user,
        scenario.caller.scopes.join(" ")
    ));
    let _ = alone.call(&scenario.call.operation, &scenario.call.arguments);
    let by_itself = alone.state();

    let world = Arc::new(World::new(scenario.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let app = server::app(&world, arm);
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });

    let careless = scenario.call.clone();
    let call = Call::new(careless.operation.clone(), careless.arguments.clone());
    let mut client = Client::new(
        surface,
        arm == Arm::GlassBox,
        address,
        careless,
        Arc::clone(&world.clock),
    );
    let mut owner = Owner {
        caller: scenario.caller.clone(),
        identity: Arc::clone(&client.identity),
        asked: 0,
    };
    owner.sign();
    let known = client.discover().await;
    // What the caller has, it may ask for beside what it lacks.
    let scopes = scenario.caller.scopes.iter().cloned();
    let mut allowed = scenario.caller.allowed.clone();
    allowed.scopes.extend(scopes);
    let ended = recovery::recover(
        call,
        &known,
        allowed,
        Budget::default(),
        &mut client,
        &mut owner,
    )
    .await;
    serving.abort();

    let state = world.state();
    let wanted = scenario.recovered.state.as_ref().unwrap_or(&scenario.state);
    let right_result = ended.result.as_ref().is_some_and(|result| {
        let mut wanted = scenario.recovered.result.iter();
        wanted.all(|(pointer, value)| {
            result
                .pointer(pointer)
                .is_some_and(|found| same(found, value))
        })
    });
    let right_state = same(&state, wanted);
    let harmless = [wanted, &scenario.state, &by_itself]
        .into_iter()
        .chain(&scenario.recovered.harmless);
    let harmless: Vec<&Value> = harmless.collect();
    if let Some(mistake) = world.mistake().or_else(|| alone.mistake()) {
        return Err(format!("`{}`: {mistake}", scenario.name));
    }
    Ok(Ran {
        implicit: scenario.is_implicit(),
        scenario: scenario.name.clone(),
        kind: scenario.kind.clone(),
        tags: scenario.tags.clone(),
        about: scenario.about.clone(),
        recoverable: match scenario.recoverable {
            Recoverable::Yes => true,
            Recoverable::GlassBox => arm == Arm::GlassBox,
            Recoverable::No => false,
        },
        surface: surface.name(),
        arm: arm.name(),
        recovered: right_result && right_state,
        wrong_effect: !harmless.iter().any(|harmless| same(harmless, &state)),
        fooled: ended.result.is_some() && !(right_result && right_state),
        calls: client.calls.saturating_sub(1),
        asked: owner.asked,
        bytes: client.bytes,
        steps: ended
            .decisions
            .into_iter()
            .map(|decision| decision.because)
            .collect(),
    })
}

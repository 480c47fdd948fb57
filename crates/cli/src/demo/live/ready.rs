//! Ready-made operations to watch: one that repairs its input, one that takes its time, one that fails.

use std::time::Duration;

use aon_live::{Session, Severity};
use axum::Json;
use axum::extract::Query;
use axum::http::Uri;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

/// What can go wrong here.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(super) enum LiveError {
    /// A role that does not exist.
    #[error("{role:?} is not a role.")]
    #[problem(
        status = 422,
        code = "unknown_role",
        title = "Unknown role",
        valid_values(role = ["viewer", "editor", "admin"]),
    )]
    UnknownRole {
        #[problem(public)]
        role: String,
    },

    /// The warehouse does not answer.
    #[error("the warehouse did not answer three times")]
    #[problem(
        status = 503,
        code = "warehouse_unreachable",
        title = "Warehouse unreachable",
        retry_after = 30
    )]
    WarehouseUnreachable,
}

/// Creates a user; an old name for a member is understood.
pub(super) async fn create_user(
    session: Session,
    Json(user): Json<Value>,
) -> Result<Json<Value>, LiveError> {
    let name = match (user.get("name"), user.get("user_name")) {
        (None, Some(old)) => {
            session
                .intent("create_user")
                .issue("invalid_schema")
                .decision("apply_semantic_mapping");
            session
                .healing(Severity::Low, "rename_member")
                .description("user_name is called name now.")
                .metadata("attempt", &1);
            old.clone()
        }
        (name, _) => name.cloned().unwrap_or_else(|| "somebody".into()),
    };
    session
        .status("Waiting for rate limit backoff...")
        .estimated_delay(Duration::from_millis(200));
    sleep(Duration::from_millis(200)).await;
    let role = user.get("role").and_then(Value::as_str).unwrap_or("viewer");
    if !["viewer", "editor", "admin"].contains(&role) {
        return Err(LiveError::UnknownRole {
            role: role.to_owned(),
        });
    }
    Ok(Json(
        json!({"id": "usr_123", "name": name, "role": role, "status": "created"}),
    ))
}

/// Takes a few seconds and says how far it is.
pub(super) async fn deploy(session: Session) -> Json<Value> {
    let stages = [
        "fetching the image",
        "starting two instances",
        "checking their health",
        "moving the traffic",
    ];
    session.intent("deploy").decision("rolling_update");
    for (done, stage) in (0_u32..).zip(stages) {
        for part in 0..5_u32 {
            let progress = f64::from(done * 5 + part) / 20.0;
            drop(session.status(stage).progress(progress));
            sleep(Duration::from_millis(120)).await;
        }
        if done == 1 {
            for attempt in 1..=3 {
                session
                    .healing(Severity::Medium, "restart_instance")
                    .description("An instance did not come up.")
                    .metadata("attempt", &attempt);
                sleep(Duration::from_millis(250)).await;
            }
        }
    }
    drop(session.status("done").progress(1.0));
    Json(json!({"version": "v42", "instances": 2}))
}

/// Tries three times, and fails.
pub(super) async fn report(session: Session) -> Result<Json<Value>, LiveError> {
    for attempt in 1..=3 {
        session
            .healing(Severity::High, "retry_with_backoff")
            .description("The warehouse does not answer.")
            .metadata("attempt", &attempt);
        sleep(Duration::from_millis(200 << attempt)).await;
    }
    Err(LiveError::WarehouseUnreachable)
}

/// Where counting is.
pub(super) const COUNT: &str = "/live/count";

/// How far to count, and how long each number takes.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Wanted {
    #[serde(default = "ten")]
    to: u32,
    #[serde(default = "quarter")]
    ms: u64,
}

const fn ten() -> u32 {
    10
}

const fn quarter() -> u64 {
    250
}

impl Wanted {
    /// What an address asks for.
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        Some(Query::try_from_uri(uri).ok()?.0)
    }
}

/// Counts, and says each number. It may be done twice, so another node begins it again when the one that counted is gone.
pub(super) async fn count(session: Session, Query(wanted): Query<Wanted>) -> Json<Value> {
    count_to(&session, wanted).await
}

pub(super) async fn count_to(session: &Session, wanted: Wanted) -> Json<Value> {
    let to = wanted.to.min(1000);
    for number in 1..=to {
        drop(
            session
                .status(format!("counted to {number}"))
                .progress(f64::from(number) / f64::from(to)),
        );
        sleep(Duration::from_millis(wanted.ms.min(5000))).await;
    }
    Json(json!({"counted": to}))
}

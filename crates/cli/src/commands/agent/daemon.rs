//! `aon agent daemon`.

use std::path::PathBuf;
use std::time::Duration;

use aon::axum::ProblemLayer;
use aon_agent::daemon::{self, ActionKind, Program};
use aon_agent::provider::Provider;
use aon_live::{Hub, OnDisconnect, Patient};
use aon_observe::Telemetry;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::TcpListener;
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::args::{Daemon, Leaving};
use super::find;
use super::worker::{backend, socket};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::{Stop, base, runtime};

/// How long open connections may take to end once the program was asked to stop.
const GRACE: Duration = Duration::from_secs(2);

/// How often the worker is asked whether it is there.
const WATCH: Duration = Duration::from_secs(5);

/// How long it may take to say so.
const PROMPT: Duration = Duration::from_secs(1);

/// How long a caller may take for its request, and for reading what is sent to it.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn run(args: &Daemon, output: &mut Output) -> Result<u8, Fault> {
    let mut daemon = daemon::Daemon::new(socket(args.worker.as_ref()))
        .limits(|limits| {
            limits.iterations = args.iterations;
            limits.run = Duration::from_secs(args.timeout);
            limits.answer = Duration::from_secs(args.answer_timeout);
        })
        .on_disconnect(match args.on_disconnect {
            Leaving::Continue => OnDisconnect::Continue,
            Leaving::Cancel => OnDisconnect::Cancel,
            Leaving::CancelIfUnwatched => OnDisconnect::CancelIfUnwatched,
        });
    if args.fallback != "off" {
        daemon = daemon.fallback(backend("--fallback", &args.fallback, &[])?);
    }
    for action in &args.action {
        let (kind, program) = handler(action)?;
        daemon = daemon.handled_by(kind, program);
    }
    super::log::start(args.quiet);
    let (host, port) = (args.host, args.port);
    runtime()?.block_on(async {
        let listener = TcpListener::bind((host, port))
            .await
            .map_err(|source| Fault::refused(format!("listening on {host}:{port}"), &source))?;
        let address = listener
            .local_addr()
            .map_err(|source| Fault::refused("listening", &source))?;
        let asked = Stop::listen()?;
        let base = base(address);
        let telemetry = Telemetry::new();
        let hub = Hub::with(daemon::Daemon::hub_settings().observe(telemetry.clone()));
        let problems = ProblemLayer::new().with_door(telemetry.door());
        tokio::spawn(watch(socket(args.worker.as_ref()), telemetry.clone()));
        let acted = telemetry.clone();
        let app = daemon
            .on_acted(move |done| {
                acted.action(done.kind.as_str(), done.outcome, done.took, done.trace_id);
            })
            .routes_behind(&hub, problems)
            .layer(RequestBodyTimeoutLayer::new(PATIENCE))
            .merge(telemetry.routes())
            .layer(telemetry.layer());
        output.line(format!(
            "ready {base} generate={base}/agent/generate status={base}/agent/status metrics={base}/metrics"
        ))?;
        output.flush()?;
        let stopped = async move {
            asked.asked().await;
            hub.shutdown(GRACE / 2).await;
        };
        aon::axum::serve(Patient::new(listener, PATIENCE), app)
            .with_patience(PATIENCE)
            .with_grace(GRACE)
            .with_graceful_shutdown(stopped)
            .await
            .map_err(|source| Fault::refused("serving", &source))?;
        Ok(exit::OK)
    })
}

/// Tells the metrics whether the worker answers, for as long as the daemon runs.
async fn watch(path: PathBuf, telemetry: Telemetry) {
    let up = Gauge::<i64>::default();
    telemetry.register(|registry| {
        let help = "Whether the worker of the daemon answers: 1 or 0";
        registry.register("aon_worker_up", help, up.clone());
    });
    let provider = Provider::new(path).times(|times| {
        times.connect = PROMPT;
        times.answer = PROMPT;
    });
    loop {
        up.set(i64::from(provider.status().await.is_ok()));
        tokio::time::sleep(WATCH).await;
    }
}

/// `shell=PROGRAM`: an action, and what does it.
fn handler(text: &str) -> Result<(ActionKind, Program), Fault> {
    let known = text
        .split_once('=')
        .filter(|(_, program)| !program.is_empty());
    let known = known.and_then(|(name, program)| Some((ActionKind::from_word(name)?, program)));
    match known {
        Some((kind, program)) => {
            find::program("--action", program.as_ref())?;
            Ok((kind, Program::new(program)))
        }
        None => Err(Fault::InvalidUsage {
            message: format!("--action {text:?} is not an action and a program"),
            hint: "Name it like this: --action shell=./run-command".to_owned(),
            valid: Some((
                "action".to_owned(),
                ActionKind::ALL
                    .map(|kind| format!("{kind}=PROGRAM"))
                    .to_vec(),
            )),
        }),
    }
}

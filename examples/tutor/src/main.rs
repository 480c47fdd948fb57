//! Serves the lesson: `cargo run -p aon-example-tutor -- [--port 8788] [--pace-ms 2000] [--json] [--milliseconds]`.

use std::error::Error;
use std::io::IsTerminal as _;
use std::time::Duration;

use aon_observe::log::{Form, LogLayer, Logger};
use aon_observe::{FORCE_VARIABLE, Force, Telemetry};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tutor::{School, Settings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = given.iter().position(|word| word == name)?;
        given.get(at + 1)
    };
    let port: u16 = value("--port").map_or(Ok(8788), |port| port.parse())?;
    let pace: u64 = value("--pace-ms").map_or(Ok(2000), |pace| pace.parse())?;
    let telemetry = Telemetry::new();
    let pretty = std::io::stderr().is_terminal() && !given.iter().any(|word| word == "--json");
    let form = if pretty { Form::Colour } else { Form::Json };
    let log = Logger::builder()
        .form(form)
        .telemetry(&telemetry)
        .to(std::io::stderr());
    // Problems are told to `tracing`; they go to the same log.
    let problems = Targets::new()
        .with_target("aon::problem", LevelFilter::DEBUG)
        .with_default(LevelFilter::WARN);
    tracing_subscriber::registry()
        .with(LogLayer::new(log.clone()).with_filter(problems))
        .try_init()?;
    let variable = |name: &str| std::env::var(name).ok();
    let force = Force::by_environment(
        &telemetry,
        variable(FORCE_VARIABLE).as_deref(),
        variable("AON_ENV").as_deref(),
    );
    let school = School::new(Settings {
        pace: Duration::from_millis(pace),
        telemetry,
        log: log.clone(),
        force,
        milliseconds: given.iter().any(|word| word == "--milliseconds"),
        ..Settings::default()
    });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("ready http://{}", listener.local_addr()?);
    let hub = school.hub().clone();
    let asked = async move {
        // Without a way to listen the program runs until it is ended from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        hub.shutdown(Duration::from_secs(1)).await;
    };
    axum::serve(listener, school.routes())
        .with_graceful_shutdown(asked)
        .await?;
    log.flush();
    Ok(())
}

//! `aon check`: a running server against the clauses (L12).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::args::{Check, Only, Probed, ReportFormat};
#[cfg(unix)]
use crate::check::southbound;
use crate::check::{Duty, Found, Outcome, Probe, Row, Table, a2a, live, mcp, parity, rest};
use crate::exit;
use crate::fault::Fault;
use crate::http::{Call, Client, Target};
use crate::output::Output;

/// Probes and writes the table; a failed clause is exit code 1.
pub(crate) fn run(args: &Check, output: &mut Output) -> Result<u8, Fault> {
    #[cfg(unix)]
    if let Some(url) = &args.southbound {
        let wire = crate::commands::agent::south::Wire::new(url, &args.reach)?;
        let rows = crate::server::runtime()?.block_on(southbound::probe(&wire));
        return write(args, &rows.map_err(Fault::South)?, url, output);
    }
    if let Some(path) = &args.worker {
        return worker(args, path, output);
    }
    let url = args.daemon.as_deref().or(args.url.as_deref());
    let target = Target::parse(url.unwrap_or_default())
        .map_err(|why| Fault::usage(why, "Name it like this: aon check http://127.0.0.1:8787"))?;
    let client = Client {
        target,
        limit: Duration::from_secs(args.timeout),
        headers: super::heal::headers(&args.header)?,
    };
    let found = Found {
        route: args.route.as_deref().map(route).transpose()?,
        ..Found::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the network", &source))?;
    let mut rows = if args.daemon.is_some() {
        runtime.block_on(agent(&client))?
    } else {
        runtime.block_on(probe(args, &client, found))?
    };
    if !args.only.is_empty() {
        rows.retain(|row| args.only.iter().any(|only| covers(*only, row)));
    }
    write(args, &rows, &client.target.to_string(), output)
}

/// Writes the table; a failed clause is exit code 1.
fn write(args: &Check, rows: &[Row], title: &str, output: &mut Output) -> Result<u8, Fault> {
    match args.format {
        ReportFormat::Human => human(rows, title, output)?,
        ReportFormat::Json => json(rows, title, output)?,
    }
    let failed = count(rows, Outcome::Fail) > 0;
    let passed = count(rows, Outcome::Pass) > 0;
    Ok(if failed || !passed {
        exit::FOUND
    } else {
        exit::OK
    })
}

/// Probes the socket of a worker.
#[cfg(unix)]
fn worker(args: &Check, path: &std::path::Path, output: &mut Output) -> Result<u8, Fault> {
    let limit = Duration::from_secs(args.timeout);
    let table = crate::server::runtime()?.block_on(crate::check::worker::probe(path, limit));
    let title = path.display().to_string();
    let table = table.map_err(|error| Fault::Unreachable {
        url: title.clone(),
        reason: error.to_string(),
    })?;
    write(args, &table.rows, &title, output)
}

#[cfg(not(unix))]
fn worker(_: &Check, _: &std::path::Path, _: &mut Output) -> Result<u8, Fault> {
    Err(Fault::usage(
        "a worker has a Unix socket, which this system does not have",
        "Run it on Linux or macOS.",
    ))
}

/// Probes a daemon.
async fn agent(client: &Client) -> Result<Vec<Row>, Fault> {
    let status = Call::get(format!("{}/agent/status", client.target.path));
    if let Err(error) = client.send(&status).await {
        return Err(Fault::Unreachable {
            url: client.target.to_string(),
            reason: error.to_string(),
        });
    }
    let mut probe = Probe {
        client,
        table: Table::new("daemon"),
    };
    crate::check::daemon::probe(&mut probe).await;
    Ok(probe.table.rows)
}

fn covers(only: Only, row: &Row) -> bool {
    match (only, row.duty) {
        (Only::Rfc, Duty::Protocol) => row.surface == "rest",
        (Only::Mcp, Duty::Protocol) => row.surface == "mcp",
        (Only::A2a, Duty::Protocol) => row.surface == "a2a",
        (Only::Contract, Duty::Contract) => true,
        _ => false,
    }
}

/// Why a clause that nobody promised is untested.
const NOT_SPOKEN: &str = "the server does not speak the contract";

/// What nobody promised cannot be broken: where no answer carries anything of the contract, its clauses are untested. The
/// live protocol is probed only where it was promised or named.
fn forgive(rows: &mut [Row]) {
    for row in rows {
        if row.surface != "live" && row.duty == Duty::Contract && row.outcome == Outcome::Fail {
            row.outcome = Outcome::Untested;
            row.why = format!(
                "{NOT_SPOKEN} ({}); `--only contract` judges it anyway",
                std::mem::take(&mut row.came)
            );
            row.expected.clear();
            row.fix = Cow::Borrowed("");
        }
    }
}

fn route(text: &str) -> Result<(String, String), Fault> {
    let parts = text.split_once([' ', ':']);
    match parts.map(|(method, path)| (method.trim(), path.trim())) {
        Some((method, path)) if !method.is_empty() && path.starts_with('/') => {
            Ok((method.to_ascii_uppercase(), path.to_owned()))
        }
        _ => Err(Fault::usage(
            format!("--route {text:?} is not a method and a path"),
            "Name it like this: --route 'PATCH /orders/1'",
        )),
    }
}

/// The operation that was named for the live protocol.
fn operation(args: &Check) -> Result<Option<live::Operation>, Fault> {
    let Some(text) = &args.live else {
        return Ok(None);
    };
    let (method, path) = route(text)?;
    let method = http::Method::from_bytes(method.as_bytes()).map_err(|_invalid| {
        Fault::usage(
            format!("{method:?} is not a method"),
            "Name it like this: --live 'POST /users'",
        )
    })?;
    let body = args.live_body.clone();
    Ok(Some(live::Operation { method, path, body }))
}

async fn probe(args: &Check, client: &Client, mut found: Found) -> Result<Vec<Row>, Fault> {
    let base = format!("{}/", client.target.path);
    if let Err(error) = client.send(&Call::get(base)).await {
        return Err(Fault::Unreachable {
            url: client.target.to_string(),
            reason: error.to_string(),
        });
    }
    let open = |surface| Probe {
        client,
        table: Table::new(surface),
    };
    // A clause of the contract may stand on any surface.
    let needed = |surface| {
        let all = args.only.is_empty() || args.only.contains(&Only::Contract);
        all || args.only.iter().any(|only| only.surface() == Some(surface))
    };
    let wants = |surface| args.surface.contains(&surface) && needed(surface);
    let mut speaks = args.only.contains(&Only::Contract);
    let mut rows = Vec::new();
    let mut agents = Vec::new();
    if wants(Probed::Mcp) {
        let mut probe = open("mcp");
        let default = if client.target.path.ends_with("/mcp") {
            client.target.path.clone()
        } else {
            format!("{}/mcp", client.target.path)
        };
        let path = args.mcp.clone().unwrap_or(default);
        mcp::probe(&mut probe, &path, args.mcp.is_some(), &mut found).await;
        speaks |= probe.table.speaks_contract;
        agents.append(&mut probe.table.rows);
    }
    if wants(Probed::A2a) {
        let mut probe = open("a2a");
        a2a::probe(&mut probe, args.a2a.as_deref(), &mut found).await;
        speaks |= probe.table.speaks_contract;
        agents.append(&mut probe.table.rows);
    }
    found.learn_route();
    if wants(Probed::Rest) {
        let mut probe = open("rest");
        rest::probe(&mut probe, &found).await;
        speaks |= probe.table.speaks_contract;
        rows.append(&mut probe.table.rows);
    }
    rows.append(&mut agents);
    if wants(Probed::Live) {
        let mut probe = open("live");
        live::probe(&mut probe, operation(args)?).await;
        rows.append(&mut probe.table.rows);
    }
    if args
        .surface
        .iter()
        .filter(|surface| **surface != Probed::Live)
        .count()
        > 1
    {
        let mut probe = open("all");
        parity::probe(&mut probe, &found).await;
        rows.append(&mut probe.table.rows);
    }
    if !speaks {
        forgive(&mut rows);
    }
    Ok(rows)
}

fn count(rows: &[Row], outcome: Outcome) -> usize {
    rows.iter().filter(|row| row.outcome == outcome).count()
}

fn human(rows: &[Row], title: &str, output: &mut Output) -> Result<(), Fault> {
    output.line(format!("{title}\n"))?;
    // A column for each duty; the source stands in the one that it is of.
    let width = |duty: Duty| {
        let sources = rows.iter().filter(|row| row.duty == duty);
        let longest = sources.map(|row| row.source.chars().count()).max();
        longest.unwrap_or(0).max(duty.as_str().len())
    };
    let widths = Duty::ALL.map(width);
    let columns = |told: &dyn Fn(Duty) -> &'static str| {
        let mut line = String::new();
        for (duty, width) in Duty::ALL.into_iter().zip(widths) {
            let _: std::fmt::Result = write!(line, "{:<width$}  ", told(duty));
        }
        line
    };
    output.line(format!(
        "{:<8}  {:<4}  {}what",
        "outcome",
        "on",
        columns(&Duty::as_str)
    ))?;
    let mut before = "";
    let (forgiven, told): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.why.starts_with(NOT_SPOKEN));
    for row in told {
        let source = columns(&|duty| if duty == row.duty { row.source } else { "" });
        let mut line = format!(
            "{:<8}  {:<4}  {source}{}",
            row.outcome.as_str(),
            row.surface,
            row.what
        );
        let why = if row.why == before {
            "as above"
        } else {
            &row.why
        };
        if !row.why.is_empty() {
            let _: std::fmt::Result = write!(line, ": {why}");
        }
        before = &row.why;
        output.line(line)?;
        if !matches!(row.outcome, Outcome::Fail | Outcome::Advice) {
            continue;
        }
        let told = [
            ("sent", row.sent.as_str()),
            ("came", &row.came),
            // Where nobody wrote more, the row itself says what was expected.
            (
                "expected",
                if row.expected == row.what {
                    ""
                } else {
                    &row.expected
                },
            ),
            ("fix", &row.fix),
        ];
        for (name, text) in told.into_iter().filter(|(_, text)| !text.is_empty()) {
            output.line(format!("          {name:<8}  {text}"))?;
        }
    }
    output.line("")?;
    if !forgiven.is_empty() {
        output.line(format!(
            "{} clauses of the contract were not judged, because the server does not promise it. `--only contract` judges them anyway.",
            forgiven.len()
        ))?;
    }
    for duty in Duty::ALL {
        let own: Vec<Row> = rows
            .iter()
            .filter(|row| row.duty == duty)
            .cloned()
            .collect();
        if own.is_empty() {
            continue;
        }
        let (bad, word) = match duty {
            Duty::Practice => (Outcome::Advice, "with advice"),
            Duty::Protocol | Duty::Contract => (Outcome::Fail, "failed"),
        };
        output.line(format!(
            "{:<8}  {} passed, {} {word}, {} could not be tested",
            duty.as_str(),
            count(&own, Outcome::Pass),
            count(&own, bad),
            count(&own, Outcome::Untested)
        ))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    url: String,
    passed: usize,
    failed: usize,
    advice: usize,
    untested: usize,
    checks: &'a [Row],
}

fn json(rows: &[Row], title: &str, output: &mut Output) -> Result<(), Fault> {
    let report = Report {
        version: 2,
        url: title.to_owned(),
        passed: count(rows, Outcome::Pass),
        failed: count(rows, Outcome::Fail),
        advice: count(rows, Outcome::Advice),
        untested: count(rows, Outcome::Untested),
        checks: rows,
    };
    output.line(serde_json::to_string_pretty(&report).unwrap_or_default())
}

//! `aon check`: a running server against the clauses (L12).

use std::time::Duration;

use serde::Serialize;

use crate::args::{Check, Probed, ReportFormat};
use crate::check::{Found, Outcome, Probe, Row, Table, a2a, live, mcp, parity, rest};
use crate::exit;
use crate::fault::Fault;
use crate::http::{Call, Client, Target};
use crate::output::Output;

/// Probes and writes the table; a failed clause is exit code 1.
pub(crate) fn run(args: &Check, output: &mut Output) -> Result<u8, Fault> {
    let target = Target::parse(&args.url)
        .map_err(|why| Fault::usage(why, "Name it like this: aon check http://127.0.0.1:8787"))?;
    let client = Client {
        target,
        limit: Duration::from_secs(args.timeout),
    };
    let found = Found {
        route: args.route.as_deref().map(route).transpose()?,
        ..Found::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Fault::refused("starting the network", &source))?;
    let rows = runtime.block_on(probe(args, &client, found))?;
    match args.format {
        ReportFormat::Human => human(&rows, &client, output)?,
        ReportFormat::Json => json(&rows, &client, output)?,
    }
    let failed = count(&rows, Outcome::Fail) > 0;
    let passed = count(&rows, Outcome::Pass) > 0;
    Ok(if failed || !passed {
        exit::FOUND
    } else {
        exit::OK
    })
}

fn route(text: &str) -> Result<(String, String), Fault> {
    let parts = text.split_once([' ', ':']);
    match parts.map(|(method, path)| (method.trim(), path.trim())) {
        Some((method, path)) if !method.is_empty() && path.starts_with('/') => {
            Ok((method.to_ascii_uppercase(), path.to_owned()))
        }
        _ => Err(Fault::usage(
            format!("--route {text:?} is no method and path"),
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
    let wants = |surface| args.surface.contains(&surface);
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
        agents.append(&mut probe.table.rows);
    }
    if wants(Probed::A2a) {
        let mut probe = open("a2a");
        a2a::probe(&mut probe, args.a2a.as_deref(), &mut found).await;
        agents.append(&mut probe.table.rows);
    }
    found.learn_route();
    if wants(Probed::Rest) {
        let mut probe = open("rest");
        rest::probe(&mut probe, &found).await;
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
    Ok(rows)
}

fn count(rows: &[Row], outcome: Outcome) -> usize {
    rows.iter().filter(|row| row.outcome == outcome).count()
}

fn human(rows: &[Row], client: &Client, output: &mut Output) -> Result<(), Fault> {
    output.line(format!("{}\n", client.target))?;
    let width = rows
        .iter()
        .map(|row| row.what.chars().count())
        .max()
        .unwrap_or(0);
    output.line(
        format!(
            "{:<8} {:<4} {:<6} {:<width$}",
            "outcome", "on", "clause", "what"
        )
        .trim_end(),
    )?;
    for row in rows {
        let line = format!(
            "{:<8} {:<4} {:<6} {:<width$} {}",
            row.outcome.as_str(),
            row.surface,
            row.clause,
            row.what,
            row.why
        );
        output.line(line.trim_end())?;
    }
    output.line(format!(
        "\n{} passed, {} failed, {} could not be tested",
        count(rows, Outcome::Pass),
        count(rows, Outcome::Fail),
        count(rows, Outcome::Untested)
    ))
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    url: String,
    passed: usize,
    failed: usize,
    untested: usize,
    checks: &'a [Row],
}

fn json(rows: &[Row], client: &Client, output: &mut Output) -> Result<(), Fault> {
    let report = Report {
        version: 1,
        url: client.target.to_string(),
        passed: count(rows, Outcome::Pass),
        failed: count(rows, Outcome::Fail),
        untested: count(rows, Outcome::Untested),
        checks: rows,
    };
    output.line(serde_json::to_string_pretty(&report).unwrap_or_default())
}

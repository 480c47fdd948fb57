//! The recovery bench: how often a client without a model recovers, beside the same calls on plain errors (V3).
//!
//! `cargo run --release -p aon-tests --bin recovery -- [--surface S] [--arm A] [--scenarios DIR] [--json] [--svg FILE] [--only NAME]`

use std::path::PathBuf;
use std::process::ExitCode;

mod client;
mod load;
mod report;
mod run;
mod scenario;
mod server;
mod world;

use client::Surface;
use server::Arm;

#[derive(Debug, Default)]
struct Args {
    surfaces: Vec<Surface>,
    arms: Vec<Arm>,
    folder: Option<PathBuf>,
    only: Option<String>,
    json: bool,
    steps: bool,
    svg: Option<PathBuf>,
}

const USAGE: &str = "recovery [--surface rest|mcp|a2a] [--arm plain|rfc9457|envelope|glass-box] [--scenarios DIR] [--only NAME] [--steps] [--json] [--svg FILE]";

fn args() -> Result<Args, String> {
    let mut args = Args::default();
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        let mut value = || given.next().ok_or(format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--surface" => {
                let name = value()?;
                let found = Surface::ALL
                    .into_iter()
                    .find(|surface| surface.name() == name);
                args.surfaces
                    .push(found.ok_or(format!("`{name}` is not rest, mcp or a2a"))?);
            }
            "--arm" => {
                let name = value()?.replace('-', " ");
                let found = Arm::ALL.into_iter().find(|arm| arm.name() == name);
                args.arms.push(found.ok_or(format!(
                    "`{name}` is not plain, rfc9457, envelope or glass-box"
                ))?);
            }
            "--scenarios" => args.folder = Some(value()?.into()),
            "--only" => args.only = Some(value()?),
            "--svg" => args.svg = Some(value()?.into()),
            "--json" => args.json = true,
            "--steps" => args.steps = true,
            "--help" | "-h" => return Err(USAGE.to_owned()),
            other => return Err(format!("`{other}` is not an option\n{USAGE}")),
        }
    }
    if args.surfaces.is_empty() {
        args.surfaces = Surface::ALL.to_vec();
    }
    if args.arms.is_empty() {
        args.arms = Arm::ALL.to_vec();
    }
    Ok(args)
}

fn main() -> ExitCode {
    let done = args().and_then(bench);
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Whether there was no wrong effect.
fn bench(args: Args) -> Result<bool, String> {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/recovery/scenarios"));
    let folder = args.folder.clone().unwrap_or(own);
    let load::Loaded {
        mut scenarios,
        warnings,
    } = load::read_all(&folder)?;
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
    if let Some(only) = &args.only {
        scenarios.retain(|scenario| scenario.name == *only);
        if scenarios.is_empty() {
            return Err(format!(
                "{}: no scenario is called `{only}`",
                folder.display()
            ));
        }
    }
    // What panics is a part of the scenarios.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let runs = runtime.block_on(all(&scenarios, &args))?;
    let surfaces: Vec<&str> = args.surfaces.iter().map(|surface| surface.name()).collect();
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&runs).map_err(|error| error.to_string())?
        );
    } else {
        if args.steps {
            for ran in &runs {
                let end = if ran.recovered {
                    "recovered"
                } else if ran.fooled {
                    "FOOLED"
                } else {
                    "gave up"
                };
                println!(
                    "{} {} {}: {end}, {} calls{}",
                    ran.scenario,
                    ran.surface,
                    ran.arm,
                    ran.calls,
                    if ran.wrong_effect {
                        " WRONG EFFECT"
                    } else {
                        ""
                    }
                );
                for step in &ran.steps {
                    println!("    {step}");
                }
            }
        }
        println!(
            "{} scenarios\n\n{}",
            scenarios.len(),
            report::markdown(&runs, &surfaces)
        );
    }
    if let Some(file) = &args.svg {
        std::fs::write(file, report::svg(&runs, &surfaces))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(runs.iter().all(|ran| !ran.wrong_effect))
}

async fn all(scenarios: &[scenario::Scenario], args: &Args) -> Result<Vec<run::Ran>, String> {
    let mut runs = Vec::new();
    for scenario in scenarios {
        for surface in &args.surfaces {
            for arm in &args.arms {
                // The glass box is a protocol of HTTP handlers: on the other surfaces it would be the arm before it.
                if *arm == Arm::GlassBox && *surface != Surface::Rest {
                    continue;
                }
                runs.push(run::run(scenario, *surface, *arm).await?);
            }
        }
    }
    Ok(runs)
}

//! `aon agent keys`.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use aon_agent::south::clock;
use aon_agent::south::keys::Keys;
use serde_json::json;

use super::args::{Keys as Args, KeysCommand, Revoke, Rotate};
use super::{private, read_text, unusable};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<u8, Fault> {
    match &args.command {
        KeysCommand::Rotate(args) => rotate(args, output),
        KeysCommand::Revoke(args) => revoke(args, output),
    }
}

fn revoke(args: &Revoke, output: &mut Output) -> Result<u8, Fault> {
    let path = &args.keys;
    private(path)?;
    let mut keys = Keys::parse(&read_text(path)?).map_err(|error| unusable(path, error))?;
    let retired = keys.revoke(&args.agent, args.key.as_deref());
    if retired.is_empty() {
        return Err(unusable(
            path,
            format!("it has no such key of {}", args.agent),
        ));
    }
    write(path, &keys.write()).map_err(|source| Fault::unwritable(path, &source))?;
    let active = keys.of(&args.agent);
    let shown = json!({ "agent": args.agent, "retired": retired, "active": active });
    output.line(shown.to_string())?;
    Ok(exit::OK)
}

fn rotate(args: &Rotate, output: &mut Output) -> Result<u8, Fault> {
    let path = &args.keys;
    let valid = (1..=128).contains(&args.agent.len())
        && args.agent.bytes().all(|byte| byte.is_ascii_graphic());
    if !valid {
        return Err(Fault::usage(
            format!("{:?} is not a valid agent id", args.agent),
            "Use 1 to 128 visible characters without spaces.",
        ));
    }
    let mut keys = if path.exists() {
        private(path)?;
        Keys::parse(&read_text(path)?).map_err(|error| unusable(path, error))?
    } else {
        Keys::default()
    };
    let mut random = [0; 40];
    getrandom::fill(&mut random)
        .map_err(|error| Fault::refused("making a key", &std::io::Error::other(error)))?;
    let new = keys.rotate(&args.agent, random, clock::now() / 1000);
    write(path, &keys.write()).map_err(|source| Fault::unwritable(path, &source))?;
    let shown = json!({
        "agent": args.agent,
        "key_id": new.id,
        "secret": new.secret,
        "retired": new.retired,
        "active": keys.of(&args.agent),
    });
    output.line(shown.to_string())?;
    Ok(exit::OK)
}

/// Whole or not at all, and closed to others from the first moment.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // What failed first is what counts.
        let _left = std::fs::remove_file(&temporary);
    }
    written
}

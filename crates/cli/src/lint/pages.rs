//! `--explain` and `--rules`.

use aon_lint::{Rule, rules};
use serde_json::{Value, json};

use super::args::FormatName;
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;

/// Whether a rule has, or had, this name or code.
pub(crate) fn knows(wanted: &str) -> bool {
    rules::find(wanted).is_some() || retired(wanted).is_some()
}

fn retired(wanted: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    rules::RETIRED
        .iter()
        .find(|(code, name, _)| code.eq_ignore_ascii_case(wanted) || *name == wanted)
}

/// Writes a rule for a program.
pub(crate) fn explain_json(wanted: &str, output: &mut Output) -> Result<u8, Fault> {
    match rules::find(wanted) {
        Some(rule) => {
            let mut row = row(rule);
            row["documentation"] = rule.docs().trim().into();
            output.line(serde_json::to_string_pretty(&row).unwrap_or_default())?;
            Ok(exit::OK)
        }
        None => explain(wanted, output),
    }
}

fn row(rule: &Rule) -> Value {
    json!({
        "code": rule.code(),
        "name": rule.name(),
        "category": rule.category().name(),
        "severity": rule.category().severity(),
        "stage": rule.stage().as_str(),
        "summary": rule.summary(),
        "why": rule.why(),
    })
}

/// Writes the page of a rule.
pub(crate) fn explain(wanted: &str, output: &mut Output) -> Result<u8, Fault> {
    if let Some(rule) = rules::find(wanted) {
        output.write(aon_lint::docs::page(rule).as_bytes())?;
        return Ok(exit::OK);
    }
    if let Some((code, name, reason)) = retired(wanted) {
        output.line(format!("{code} {name} is gone: {reason}"))?;
        return Ok(exit::OK);
    }
    let known = rules::ALL
        .iter()
        .flat_map(|rule| [rule.name(), rule.code()]);
    let hint = aon::suggest::nearest(wanted, known).map_or_else(
        || "`aon-lint --rules` lists the rules.".to_owned(),
        |meant| format!("Did you mean {meant}? `aon-lint --rules` lists the rules."),
    );
    Err(Fault::usage(format!("there is no rule {wanted}"), hint))
}

/// Lists the rules.
pub(super) fn list(format: FormatName, output: &mut Output) -> Result<u8, Fault> {
    if format == FormatName::Json {
        let rows: Vec<_> = rules::ALL.iter().map(|rule| row(rule)).collect();
        output.line(json!({ "version": 1, "rules": rows }).to_string())?;
        return Ok(exit::OK);
    }
    let width = rules::ALL
        .iter()
        .map(|rule| rule.name().len())
        .max()
        .unwrap_or(0);
    for rule in rules::ALL {
        output.line(format!(
            "{}  {:width$}  {:7}  {}",
            rule.code(),
            rule.name(),
            rule.category().severity().as_str(),
            rule.summary()
        ))?;
    }
    Ok(exit::OK)
}

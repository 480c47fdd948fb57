//! From here to 4, in one dimension.

use std::fmt::Write as _;

use super::card::ApiScore;
use super::table::{Dimension, RUBRIC, TOP};

/// Tells for each API how one dimension gets from its level to the top.
pub fn explain(dimension: Dimension, apis: &[ApiScore]) -> String {
    let mut text = format!(
        "{dimension} {}\n\n  0  {}\n",
        dimension.title(),
        dimension.zero()
    );
    for line in RUBRIC.iter().filter(|line| line.dimension == dimension) {
        put(&mut text, format_args!("  {}  {}\n", line.level, line.says));
    }
    for api in apis {
        let Some(score) = api.scores.get(dimension) else {
            continue;
        };
        put(
            &mut text,
            format_args!("\n{} ({})\n", api.title, api.files.join(", ")),
        );
        let Some(level) = score.level else {
            let reason = score.reason.as_deref().unwrap_or("it does not apply");
            put(&mut text, format_args!("  not applicable: {reason}\n"));
            continue;
        };
        put(
            &mut text,
            format_args!("  is at level {level}, {} of 4.0\n", score.shown_decimal()),
        );
        for line in &score.lines {
            let mark = if line.holds { "✓" } else { "✗" };
            put(
                &mut text,
                format_args!("  {mark} {}  {}\n", line.level, line.counted),
            );
        }
        if level == TOP {
            text.push_str("  nothing is missing\n");
            continue;
        }
        for step in score.steps.iter().filter(|step| step.level > level) {
            if step.count == 0 {
                put(&mut text, format_args!("  {} holds already\n", step.level));
                continue;
            }
            let times = if step.count == 1 {
                "1 thing".to_owned()
            } else {
                format!("{} things", step.count)
            };
            put(
                &mut text,
                format_args!("  for {}: {times} missing\n", step.level),
            );
            for missing in &step.first {
                put(
                    &mut text,
                    format_args!(
                        "     {}:{}:{}  {}\n       {}\n       fix: {}  [{} {}]\n",
                        missing.file,
                        missing.line,
                        missing.column,
                        missing.pointer,
                        missing.what,
                        missing.fix,
                        missing.rule,
                        missing.rule_name
                    ),
                );
            }
            let rest = step.count.saturating_sub(step.first.len());
            if rest > 0 {
                put(&mut text, format_args!("     and {rest} more\n"));
            }
        }
    }
    text
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _: std::fmt::Result = text.write_fmt(what);
}

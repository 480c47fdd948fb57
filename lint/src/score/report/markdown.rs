//! For pull requests and wikis.

use super::put;
use crate::score::{Comparison, Dimension, NextStep, Report};

/// Writes the report as Markdown.
pub fn markdown(
    report: &Report,
    comparison: Option<&Comparison>,
    next: Option<&[NextStep]>,
) -> String {
    let corpus = &report.corpus;
    let mut text = String::from("# Maturity\n\n");
    let verdict = if corpus.passes {
        "passes"
    } else {
        "does not pass"
    };
    put!(
        text,
        "The corpus {verdict}: {} of {} APIs have every applicable dimension at level {} or higher. {} of 4.0 on average.\n\n\
         Each cell says how far the API is, from 0.0 to 4.0, and in brackets the level that holds as a whole.\n\n",
        corpus.passed,
        corpus.apis,
        corpus.threshold,
        corpus.decimal
    );
    text.push_str("| API |");
    for dimension in Dimension::ALL {
        put!(text, " {dimension} {} |", dimension.title());
    }
    text.push_str(" all | passes |\n|---|--:|--:|--:|--:|--:|--:|---|\n");
    for api in &report.apis {
        put!(text, "| {} |", cell(&report.label(api)));
        for (_, score) in api.scores.iter() {
            match score.level {
                Some(level) => put!(text, " {} ({level}) |", score.shown_decimal()),
                None => text.push_str(" n/a |"),
            }
        }
        put!(
            text,
            " {} | {} |\n",
            api.decimal,
            if api.passes { "yes" } else { "no" }
        );
    }
    put_moves(&mut text, comparison);
    if let Some(next) = next {
        text.push_str(
            "\n## Next steps\n\n| step | raises | edits | APIs | rule |\n|---|--:|--:|--:|---|\n",
        );
        for step in next {
            put!(
                text,
                "| {} level {}: {} | {} | {} | {} | {} |\n",
                step.dimension,
                step.level,
                cell(&step.fix),
                step.levels,
                step.edits,
                step.apis,
                step.rule
            );
        }
    }
    text.push_str("\n## What is missing\n");
    for api in &report.apis {
        let missing: Vec<_> = api
            .scores
            .iter()
            .filter_map(|(dimension, score)| Some((dimension, score.missing.as_ref()?)))
            .collect();
        if missing.is_empty() {
            continue;
        }
        put!(text, "\n### {}\n\n", cell(&report.label(api)));
        for (dimension, missing) in missing {
            put!(
                text,
                "- **{dimension} to level {}**: {} (`{}:{}`, {}). {}.\n",
                missing.level,
                cell(&missing.what),
                code(&missing.file),
                missing.line,
                missing.rule,
                sentence(&cell(&missing.fix))
            );
        }
    }
    if !corpus.patterns.is_empty() {
        text.push_str("\n## Patterns\n\n| dimension | not reached | APIs | places | rule |\n|---|---|--:|--:|---|\n");
        for pattern in &corpus.patterns {
            put!(
                text,
                "| {} | level {}: {} | {} | {} | {} |\n",
                pattern.dimension,
                pattern.level,
                cell(&pattern.says),
                pattern.apis,
                pattern.count,
                pattern.rule
            );
        }
    }
    if !report.unread.is_empty() {
        text.push_str("\n## Not read\n\n");
        for unread in &report.unread {
            put!(
                text,
                "- `{}`: {}\n",
                code(&unread.file),
                cell(&unread.reason)
            );
        }
    }
    text
}

fn put_moves(text: &mut String, comparison: Option<&Comparison>) {
    let Some(comparison) = comparison else {
        return;
    };
    text.push_str("\n## Progress\n\n");
    for moved in &comparison.moved {
        let mark = match moved.is_better() {
            Some(true) => "better",
            Some(false) if moved.regression => "**worse**",
            Some(false) => "lower",
            None => "changed",
        };
        put!(
            text,
            "- {} {}: {} ({mark})\n",
            cell(&moved.title),
            moved.dimension,
            moved.shown()
        );
    }
    for slug in &comparison.added {
        put!(text, "- {} is new\n", cell(slug));
    }
    for slug in &comparison.removed {
        put!(text, "- {} is gone\n", cell(slug));
    }
    if comparison.moved.is_empty() && comparison.added.is_empty() && comparison.removed.is_empty() {
        text.push_str("Nothing moved.\n");
    }
}

/// A text that stays in its cell and starts no markup of its own. Backquotes that we wrote ourselves stay.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.push(' '),
            '<' => safe.push_str("&lt;"),
            '|' | '*' | '[' | ']' | '\\' => {
                safe.push('\\');
                safe.push(c);
            }
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

fn code(text: &str) -> String {
    text.replace(['`', '\n', '\r'], "'")
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

//! For people: one file, nothing from outside, readable on a phone and in the dark.

mod cards;
mod radar;

use super::{escape, put};
use crate::score::{ApiScore, Comparison, Dimension, NextStep, Report, TOP};

/// Writes the report as one HTML page. Every text of a document is escaped, and the page loads nothing.
pub fn html(report: &Report, comparison: Option<&Comparison>, next: Option<&[NextStep]>) -> String {
    let mut page = String::new();
    put!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Maturity report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    head(&mut page, report);
    heat_map(&mut page, report, comparison);
    if report.apis.len() > 1 {
        spread(&mut page, report);
    }
    if let Some(comparison) = comparison {
        movement(&mut page, comparison);
    }
    if let Some(next) = next {
        steps(&mut page, next);
    }
    patterns(&mut page, report);
    cards::cards(&mut page, report);
    unread(&mut page, report);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn head(page: &mut String, report: &Report) {
    let corpus = &report.corpus;
    let (class, verdict) = if corpus.passes {
        ("yes", "passes")
    } else {
        ("no", "does not pass")
    };
    let name = match report.apis.as_slice() {
        [only] => escape(&only.title),
        _ => "Maturity report".to_owned(),
    };
    put!(
        page,
        "<div class=\"head\"><h1>{name}</h1><span class=\"verdict {class}\">{verdict}</span></div>\n"
    );
    put!(
        page,
        "<p class=\"soft\">Conversational and self-healing on five dimensions, derived from the manifests alone. The decimal says how far an API is, \
         from 0.0 to {TOP}.0; a level holds only when all of it holds. An API passes when every dimension that applies is at level {} or higher.</p>\n",
        corpus.threshold
    );
    let operations: usize = report.apis.iter().map(|api| api.operations).sum();
    page.push_str("<div class=\"tiles\">\n");
    for (value, label) in [
        (format!("{} / {}", corpus.passed, corpus.apis), "APIs pass"),
        (
            format!("{} / {TOP}.0", corpus.decimal),
            if corpus.apis == 1 {
                "all dimensions together"
            } else {
                "on average"
            },
        ),
        (operations.to_string(), "operations looked at"),
        (report.unread.len().to_string(), "files not read"),
    ] {
        put!(
            page,
            "<div class=\"tile\"><b>{value}</b><span class=\"soft\">{label}</span></div>\n"
        );
    }
    page.push_str("</div>\n");
}

fn heat_map(page: &mut String, report: &Report, comparison: Option<&Comparison>) {
    page.push_str(
        "<h2>Heat map</h2>\n<div class=\"panel\"><table class=\"heat\"><thead><tr><th>API</th>",
    );
    for dimension in Dimension::ALL {
        put!(
            page,
            "<th class=\"dim\" title=\"{0}\">{dimension} <span>{0}</span></th>",
            dimension.title()
        );
    }
    page.push_str("<th class=\"dim\">all</th></tr></thead>\n<tbody>\n");
    for (at, api) in report.apis.iter().enumerate() {
        put!(
            page,
            "<tr><td class=\"name\"><a href=\"#api-{at}\">{}</a></td>",
            escape(&report.label(api))
        );
        for (dimension, score) in api.scores.iter() {
            match (score.level, score.decimal) {
                (Some(level), Some(decimal)) => put!(
                    page,
                    "<td class=\"cell shade\" style=\"--d:{decimal}\">{decimal}{}<small>level {level}</small></td>",
                    progress(comparison, api, dimension)
                ),
                _ => page.push_str("<td class=\"cell na\">n/a</td>"),
            }
        }
        put!(page, "<td class=\"all\">{}</td></tr>\n", api.decimal);
    }
    page.push_str("</tbody></table>\n<div class=\"legend\"><span>0.0</span><span class=\"ramp\"></span><span>4.0</span>");
    page.push_str("<span class=\"na\">n/a: nothing to measure</span></div></div>\n");
}

/// How far a decimal moved since the earlier report.
fn progress(comparison: Option<&Comparison>, api: &ApiScore, dimension: Dimension) -> String {
    let moved = comparison.and_then(|comparison| {
        comparison.moved.iter().find(|moved| {
            (&moved.file, &moved.slug) == (&api.file, &api.slug)
                && moved.dimension == dimension.name()
        })
    });
    let numbers = moved.and_then(|moved| moved.decimal_before.zip(moved.decimal_after));
    let Some((before, after)) = numbers else {
        return String::new();
    };
    let (before, after) = (before.hundredths(), after.hundredths());
    let by = after.abs_diff(before);
    let (class, sign) = if after < before {
        ("down", '−')
    } else {
        ("up", '+')
    };
    format!(
        " <i class=\"{class}\">{sign}{}.{:02}</i>",
        by / 100,
        by % 100
    )
}

fn spread(page: &mut String, report: &Report) {
    page.push_str("<h2>Distribution</h2>\n<div class=\"panel\"><div class=\"spread\">\n");
    for dimension in Dimension::ALL {
        let distribution = report.corpus.distribution.get(*dimension);
        put!(
            page,
            "<span>{dimension} <span class=\"soft\">{}</span></span><div class=\"stack\">",
            dimension.title()
        );
        // One piece for each half of a level; the complete ones are with those of 3.5 and more.
        let mut halves = [0_usize; 2 * TOP as usize];
        for decimal in report.apis.iter().filter_map(|api| api.decimal(*dimension)) {
            let at = usize::from(decimal.hundredths() / 50).min(halves.len() - 1);
            if let Some(count) = halves.get_mut(at) {
                *count += 1;
            }
        }
        for (at, count) in halves.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (from, middle) = (at * 5, at * 50 + 25);
            put!(
                page,
                "<span class=\"shade\" style=\"flex:{count};--d:{}.{:02}\" title=\"from {}.{}: {count}\">{count}</span>",
                middle / 100,
                middle % 100,
                from / 10,
                from % 10
            );
        }
        let absent = distribution.not_applicable;
        if absent > 0 {
            put!(
                page,
                "<span class=\"na\" style=\"flex:{absent}\" title=\"n/a: {absent}\">{absent}</span>"
            );
        }
        let mean = distribution.mean.map(|mean| mean.to_string());
        put!(
            page,
            "</div><span class=\"soft\">{}</span>\n",
            mean.map_or_else(|| "n/a".to_owned(), |mean| format!("mean {mean}"))
        );
    }
    page.push_str("</div></div>\n");
}

fn movement(page: &mut String, comparison: &Comparison) {
    page.push_str("<h2>Progress</h2>\n<div class=\"panel\"><table class=\"plain\"><tbody>\n");
    for moved in &comparison.moved {
        let (class, word) = match moved.is_better() {
            Some(true) => ("yes", "better"),
            Some(false) if moved.regression => ("no", "worse"),
            Some(false) => ("mid", "lower"),
            None => ("mid", "changed"),
        };
        put!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"num\">{}</td><td><span class=\"verdict {class}\">{word}</span></td></tr>\n",
            escape(&moved.title),
            moved.dimension,
            moved.shown()
        );
    }
    for (list, word) in [(&comparison.added, "new"), (&comparison.removed, "gone")] {
        for slug in list {
            put!(
                page,
                "<tr><td>{}</td><td></td><td></td><td>{word}</td></tr>\n",
                escape(slug)
            );
        }
    }
    if comparison.moved.is_empty() && comparison.added.is_empty() && comparison.removed.is_empty() {
        page.push_str("<tr><td>Nothing moved.</td></tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

fn steps(page: &mut String, next: &[NextStep]) {
    page.push_str("<h2>Next steps</h2>\n<div class=\"panel\"><table class=\"plain\"><thead><tr><th>step</th><th class=\"num\">levels</th><th class=\"num\">edits</th><th class=\"num\">APIs</th></tr></thead><tbody>\n");
    for step in next {
        put!(
            page,
            "<tr><td><b>{} level {}</b> {}<br><span class=\"soft\">{} <code>{}</code></span></td><td class=\"num\">+{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>\n",
            step.dimension,
            step.level,
            prose(&step.fix),
            prose(&step.says),
            escape(&step.rule),
            step.levels,
            step.edits,
            step.apis
        );
    }
    page.push_str("</tbody></table></div>\n");
}

fn patterns(page: &mut String, report: &Report) {
    if report.corpus.patterns.is_empty() {
        return;
    }
    page.push_str("<h2>Patterns</h2>\n<div class=\"panel\"><table class=\"plain\"><thead><tr><th>what is not reached</th><th>rule</th><th class=\"num\">APIs</th><th class=\"num\">places</th></tr></thead><tbody>\n");
    for pattern in &report.corpus.patterns {
        put!(
            page,
            "<tr><td><b>{} level {}</b> {}</td><td><code>{} {}</code></td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>\n",
            pattern.dimension,
            pattern.level,
            prose(&pattern.says),
            escape(&pattern.rule),
            escape(&pattern.rule_name),
            pattern.apis,
            pattern.count
        );
    }
    page.push_str("</tbody></table></div>\n");
}

fn unread(page: &mut String, report: &Report) {
    if report.unread.is_empty() {
        return;
    }
    page.push_str("<h2>Not read</h2>\n<div class=\"panel\"><table class=\"plain\"><tbody>\n");
    for unread in &report.unread {
        put!(
            page,
            "<tr><td><code>{}</code></td><td>{}</td></tr>\n",
            escape(&unread.file),
            escape(&unread.reason)
        );
    }
    page.push_str("</tbody></table></div>\n");
}

/// Escapes a sentence and sets what stands in backquotes as code.
fn prose(text: &str) -> String {
    let mut shown = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            put!(shown, "<code>{}</code>", escape(part));
        } else {
            shown.push_str(&escape(part));
        }
    }
    shown
}

const STYLE: &str = include_str!("html/style.css");

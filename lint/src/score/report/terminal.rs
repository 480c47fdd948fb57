//! For a terminal: a table with bars, then what is missing.

use unicode_width::UnicodeWidthStr;

use super::put;
use crate::score::{ApiScore, Comparison, Dimension, NextStep, Report, Score, TOP};

/// What to show, and how.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether what is missing is listed for every API; otherwise only when there are few.
    pub verbose: bool,
}

impl Shown {
    /// With colours or without.
    #[must_use]
    pub fn with_colour(mut self, colour: bool) -> Shown {
        self.colour = colour;
        self
    }

    /// Everything for every API.
    #[must_use]
    pub fn with_verbose(mut self, verbose: bool) -> Shown {
        self.verbose = verbose;
        self
    }
}

/// Writes the report as text.
pub fn terminal(
    report: &Report,
    comparison: Option<&Comparison>,
    next: Option<&[NextStep]>,
    shown: Shown,
) -> String {
    let mut page = Page {
        text: String::new(),
        colour: shown.colour,
    };
    page.table(report);
    if shown.verbose || (next.is_none() && report.apis.len() <= FEW) {
        for api in &report.apis {
            page.missing(api);
        }
    }
    if report.apis.len() > 1 {
        page.corpus(report);
    }
    if let Some(next) = next {
        page.next(next);
    }
    if let Some(comparison) = comparison {
        page.comparison(comparison);
    }
    for unread in &report.unread {
        let line = format!("not read: {}: {}", line(&unread.file), line(&unread.reason));
        page.line(&line, RED);
    }
    page.verdict(report);
    page.text
}

struct Page {
    text: String,
    colour: bool,
}

impl Page {
    fn table(&mut self, report: &Report) {
        let widest = report
            .apis
            .iter()
            .map(|api| line(&report.label(api)).width())
            .max()
            .unwrap_or(0);
        let width = widest.clamp(8, WIDEST);
        put!(self.text, "  {:<width$}", "api");
        for dimension in Dimension::ALL {
            let head = format!("{dimension} {}", dimension.title());
            put!(self.text, "  {head:<CELL$}");
        }
        self.text.push_str("  all  points\n");
        for api in &report.apis {
            let (mark, colour) = if api.passes {
                ("✓", GREEN)
            } else {
                ("✗", RED)
            };
            self.paint(mark, colour);
            let slug = fit(&line(&report.label(api)), width);
            put!(self.text, " {slug}");
            for (_, score) in api.scores.iter() {
                self.text.push_str("  ");
                self.bar(score);
            }
            put!(self.text, "  {}  {:>6}\n", api.decimal, api.points);
        }
        if !report.apis.is_empty() {
            let key =
                "  each cell: how far from 0.0 to 4.0, then the level that holds as a whole\n";
            self.paint(key, GREY);
        }
        if report.apis.is_empty() {
            self.text.push_str("  no API was found\n");
        }
    }

    fn bar(&mut self, score: &Score) {
        let (Some(level), Some(decimal)) = (score.level, score.decimal) else {
            let cell = format!("{:<CELL$}", "···· n/a");
            return self.paint(&cell, GREY);
        };
        let mut bar = String::new();
        for at in 0..u16::from(TOP) {
            let eighths = (decimal.hundredths().saturating_sub(at * 100).min(100) * 8) / 100;
            bar.push(*EIGHTHS.get(usize::from(eighths)).unwrap_or(&'█'));
        }
        let step = usize::from(decimal.hundredths() / 50);
        self.paint(&bar, SHADES.get(step).copied().unwrap_or(GREEN));
        let rest = CELL - usize::from(TOP);
        put!(self.text, "{:<rest$}", format!(" {decimal} level {level}"));
    }

    fn missing(&mut self, api: &ApiScore) {
        let lacks =
            |(_, score): &(Dimension, &Score)| score.missing.is_some() || score.reason.is_some();
        if !api.scores.iter().any(|entry| lacks(&entry)) {
            return;
        }
        put!(self.text, "\n{}\n", line(&api.title));
        for (dimension, score) in api.scores.iter() {
            if let Some(reason) = &score.reason {
                let text = format!("  {dimension} n/a  {reason}");
                self.line(&text, GREY);
            }
            let (Some(level), Some(missing)) = (score.level, &score.missing) else {
                continue;
            };
            put!(
                self.text,
                "  {dimension} {} level {level} → {}  {}",
                score.shown_decimal(),
                missing.level,
                line(&missing.what)
            );
            if missing.count > 1 {
                put!(self.text, " ({} in all)", missing.count);
            }
            put!(self.text, "\n");
            let place = format!(
                "           {}:{}:{}  {}",
                line(&missing.file),
                missing.line,
                missing.column,
                line(&missing.pointer)
            );
            self.line(&place, BLUE);
            put!(
                self.text,
                "           fix: {}  [{} {}]\n",
                line(&missing.fix),
                missing.rule,
                missing.rule_name
            );
        }
    }

    fn corpus(&mut self, report: &Report) {
        let corpus = &report.corpus;
        self.text
            .push_str("\nlevels              0     1     2     3     4   n/a   mean\n");
        for dimension in Dimension::ALL {
            let distribution = corpus.distribution.get(*dimension);
            put!(self.text, "  {dimension} {:<11}", dimension.title());
            for count in distribution.levels {
                put!(self.text, " {count:>5}");
            }
            let mean = distribution
                .mean
                .map_or_else(|| "n/a".to_owned(), |mean| mean.to_string());
            put!(self.text, " {:>5} {mean:>6}\n", distribution.not_applicable);
        }
        if !corpus.worst.is_empty() {
            self.text.push_str("\nworst gaps\n");
            for gap in &corpus.worst {
                put!(
                    self.text,
                    "  {} {}  {}: {}",
                    gap.dimension,
                    gap.decimal,
                    line(&gap.title),
                    line(&gap.what)
                );
                if gap.count > 1 {
                    put!(self.text, " ({} in all)", gap.count);
                }
                put!(self.text, "\n");
            }
        }
        if !corpus.patterns.is_empty() {
            self.text.push_str("\npatterns\n");
            for pattern in &corpus.patterns {
                put!(
                    self.text,
                    "  {} APIs stop before {} level {}: {}  [{} {}]\n",
                    pattern.apis,
                    pattern.dimension,
                    pattern.level,
                    pattern.says,
                    pattern.rule,
                    pattern.rule_name
                );
            }
        }
    }

    fn next(&mut self, next: &[NextStep]) {
        self.text
            .push_str("\nnext steps, the most levels for the least work first\n");
        if next.is_empty() {
            self.text.push_str("  nothing is left to do\n");
        }
        for (at, step) in next.iter().enumerate() {
            put!(
                self.text,
                "  {:>2}. +{} level{} with {} edit{} in {} API{}: {} {}, {}\n      {}  [{} {}]\n",
                at + 1,
                step.levels,
                plural(step.levels),
                step.edits,
                plural(step.edits),
                step.apis,
                plural(step.apis),
                step.dimension,
                step.level,
                step.says,
                line(&step.fix),
                step.rule,
                step.rule_name
            );
            for place in &step.places {
                let place = format!(
                    "      {}:{}:{}  {}",
                    line(&place.file),
                    place.line,
                    place.column,
                    line(&place.pointer)
                );
                self.line(&place, BLUE);
            }
        }
    }

    fn comparison(&mut self, comparison: &Comparison) {
        self.text.push_str("\nprogress\n");
        for moved in &comparison.moved {
            let text = format!(
                "  {} {}: {}",
                line(&moved.title),
                moved.dimension,
                moved.shown()
            );
            let colour = match moved.is_better() {
                Some(true) => GREEN,
                Some(false) if moved.regression => RED,
                Some(false) => YELLOW,
                None => GREY,
            };
            self.line(&text, colour);
        }
        for slug in &comparison.added {
            put!(self.text, "  {} is new\n", line(slug));
        }
        for slug in &comparison.removed {
            put!(self.text, "  {} is gone\n", line(slug));
        }
        if comparison.moved.is_empty()
            && comparison.added.is_empty()
            && comparison.removed.is_empty()
        {
            self.text.push_str("  nothing moved\n");
        }
    }

    fn verdict(&mut self, report: &Report) {
        let corpus = &report.corpus;
        let text = format!(
            "\n{} of {} API{} pass: every applicable dimension at {} or higher",
            corpus.passed,
            corpus.apis,
            plural(corpus.apis),
            corpus.threshold
        );
        self.line(&text, if corpus.passes { GREEN } else { RED });
    }

    fn line(&mut self, text: &str, colour: &str) {
        self.paint(text, colour);
        self.text.push('\n');
    }

    fn paint(&mut self, text: &str, colour: &str) {
        if self.colour {
            put!(self.text, "\u{1b}[{colour}m{text}\u{1b}[0m");
        } else {
            self.text.push_str(text);
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A text of the document on one line, without anything a terminal would obey.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Cuts or pads a text to a width.
fn fit(text: &str, width: usize) -> String {
    let mut shown = text.to_owned();
    while shown.width() > width {
        shown.pop();
    }
    if shown.len() < text.len() {
        shown.pop();
        shown.push('…');
    }
    let pad = width.saturating_sub(shown.width());
    shown.extend(std::iter::repeat_n(' ', pad));
    shown
}

/// Up to how many APIs what is missing is listed without being asked.
const FEW: usize = 12;
const WIDEST: usize = 40;
const CELL: usize = 16;
const EIGHTHS: [char; 9] = ['░', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// From red to green, one for each half of a level.
const SHADES: [&str; 9] = [
    "31", "38;5;202", "38;5;208", "38;5;214", "33", "38;5;190", "38;5;154", "38;5;118", "32",
];
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const BLUE: &str = "36";
const GREY: &str = "90";

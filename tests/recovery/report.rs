//! The runs as a table, as JSON, and as a plot.

use std::fmt::Write as _;

use super::run::Ran;

/// The runs that a line of a table is about.
pub struct Group<'a>(pub Vec<&'a Ran>);

impl Group<'_> {
    fn of<'a>(runs: &'a [Ran], keep: impl Fn(&Ran) -> bool) -> Group<'a> {
        Group(runs.iter().filter(|ran| keep(ran)).collect())
    }

    /// Percent recovered within so many further calls, of what can be recovered.
    pub fn within(&self, calls: usize) -> f64 {
        let able = self.0.iter().filter(|ran| ran.recoverable);
        let (mut all, mut good) = (0.0, 0.0);
        for ran in able {
            all += 1.0;
            good += f64::from(u8::from(ran.recovered && ran.calls <= calls));
        }
        if all == 0.0 {
            f64::NAN
        } else {
            100.0 * good / all
        }
    }

    pub fn wrong(&self) -> usize {
        self.0.iter().filter(|ran| ran.wrong_effect).count()
    }

    fn fooled(&self) -> usize {
        self.0.iter().filter(|ran| ran.fooled).count()
    }

    fn mean(&self, value: impl Fn(&Ran) -> usize) -> f64 {
        let sum: usize = self.0.iter().map(|ran| value(ran)).sum();
        sum as f64 / self.0.len().max(1) as f64
    }

    fn able(&self) -> usize {
        self.0.iter().filter(|ran| ran.recoverable).count()
    }
}

pub const ARMS: [&str; 4] = ["plain", "rfc9457", "envelope", "glass box"];

fn percent(value: f64) -> String {
    if value.is_nan() {
        "–".to_owned()
    } else {
        format!("{value:.1} %")
    }
}

/// Explicit failures that can be recovered, and the rest.
pub fn is_explicit(ran: &Ran) -> bool {
    !ran.implicit
}

/// Markdown: by surface and arm, then by kind.
pub fn markdown(runs: &[Ran], surfaces: &[&str]) -> String {
    let mut out = String::new();
    out.push_str("Explicit failures that can be recovered from, and what it cost; all runs count for wrong effects.\n\n");
    out.push_str("| surface | arm | scenarios | within 1 call | within 2 | within 3 | wrong effects | calls (mean) | bytes (mean) | choices asked |\n");
    out.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for surface in surfaces {
        for arm in ARMS {
            let all = Group::of(runs, |ran| ran.surface == *surface && ran.arm == arm);
            let group = Group::of(runs, |ran| {
                ran.surface == *surface && ran.arm == arm && is_explicit(ran)
            });
            if group.0.is_empty() {
                continue;
            }
            let _ = writeln!(
                out,
                "| {surface} | {arm} | {} | {} | {} | {} | {} | {:.2} | {:.0} | {:.2} |",
                group.able(),
                percent(group.within(1)),
                percent(group.within(2)),
                percent(group.within(3)),
                all.wrong(),
                group.mean(|ran| ran.calls),
                group.mean(|ran| ran.bytes),
                group.mean(|ran| ran.asked),
            );
        }
    }
    let mut kinds: Vec<&str> = runs.iter().map(|ran| ran.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    out.push_str("\nBy kind, all surfaces, recovered within two further calls:\n\n| kind | scenarios | plain | rfc9457 | envelope | glass box | wrong effects |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for kind in kinds {
        let cell = |arm: &str| {
            percent(Group::of(runs, |ran| ran.kind == kind && ran.arm == arm).within(2))
        };
        let all = Group::of(runs, |ran| ran.kind == kind);
        let mut names: Vec<&str> = all.0.iter().map(|ran| ran.scenario.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let [plain, rfc, ours, glass] = ARMS.map(cell);
        let _ = writeln!(
            out,
            "| {kind} | {} | {plain} | {rfc} | {ours} | {glass} | {} |",
            names.len(),
            all.wrong()
        );
    }
    let implicit = Group::of(runs, |ran| !is_explicit(ran) && ran.arm == "envelope");
    if !implicit.0.is_empty() {
        let _ = writeln!(
            out,
            "\nImplicit failures (a success with a wrong body): {} runs with the envelope, {} taken for a result. No envelope helps there: nothing failed.",
            implicit.0.len(),
            implicit.fooled()
        );
    }
    let hopeless = Group::of(runs, |ran| {
        !ran.recoverable && is_explicit(ran) && ran.arm == "envelope"
    });
    if !hopeless.0.is_empty() {
        let gave_up = hopeless
            .0
            .iter()
            .filter(|ran| !ran.fooled && !ran.wrong_effect)
            .count();
        let _ = writeln!(
            out,
            "\nFailures nobody can recover from: {} runs with the envelope, {gave_up} given up without harm.",
            hopeless.0.len()
        );
    }
    out
}

/// A bar for each arm and surface: recovered within two further calls.
pub fn svg(runs: &[Ran], surfaces: &[&str]) -> String {
    let colours = ["#9aa0a6", "#5f8dd3", "#1f9d6b", "#0b6e4f"];
    let (left, bar, gap, group) = (60, 34, 6, 210);
    let width = left + group * surfaces.len() + 20;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 300\" font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"Recovered within two further calls, by surface and arm\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for line in [0, 25, 50, 75, 100] {
        let y = 240 - 2 * line;
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" x2=\"{width}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#555\">{line} %</text>",
            left - 8,
            y + 4
        );
    }
    for (at, surface) in surfaces.iter().enumerate() {
        let start = left + group * at + 16;
        for (arm, colour) in ARMS.iter().zip(colours) {
            let set = Group::of(runs, |ran| {
                ran.surface == *surface && ran.arm == *arm && is_explicit(ran)
            });
            let share = set.within(2);
            if share.is_nan() {
                continue;
            }
            let index = ARMS
                .iter()
                .position(|known| known == arm)
                .unwrap_or_default();
            let (x, height) = (start + index * (bar + gap), 2.0 * share);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{:.1}\" width=\"{bar}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{surface}, {arm}: {share:.1} %</title></rect><text x=\"{}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#333\" font-size=\"10\">{share:.0}</text>",
                240.0 - height,
                x + bar / 2,
                236.0 - height
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"258\" text-anchor=\"middle\" fill=\"#333\">{surface}</text>",
            start + 2 * (bar + gap)
        );
    }
    for (at, (arm, colour)) in ARMS.iter().zip(colours).enumerate() {
        let x = left + at * 120;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"274\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"284\" fill=\"#333\">{arm}</text>",
            x + 18
        );
    }
    out.push_str("</svg>\n");
    out
}

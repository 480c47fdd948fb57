//! A small picture for a README.

use super::{escape, put};
use crate::score::{Report, TOP};

/// Writes the badge as SVG: how far the corpus is, or its one API.
///
/// ```
/// use aon_lint::score::{Report, report::badge};
///
/// let svg = badge(&Report::new(Vec::new(), Vec::new()));
/// assert!(svg.starts_with("<svg") && svg.contains("no API"));
/// ```
pub fn badge(report: &Report) -> String {
    let levels = || {
        report
            .apis
            .iter()
            .flat_map(|api| api.scores.iter())
            .filter_map(|(_, score)| score.level)
    };
    let lowest = levels().min();
    let value = match lowest {
        None => "no API".to_owned(),
        Some(_) if report.corpus.passes => format!("passes · {}", report.corpus.decimal),
        Some(_) if report.apis.len() == 1 => {
            format!("{} of {TOP}.0", report.corpus.decimal)
        }
        Some(_) => format!(
            "{} of {} pass · {}",
            report.corpus.passed, report.corpus.apis, report.corpus.decimal
        ),
    };
    let colour = match lowest {
        None => "#6b7280",
        Some(_) if report.corpus.passes => "#15803d",
        Some(_) => match report.corpus.decimal.hundredths() {
            300.. => "#4d7c0f",
            200.. => "#a16207",
            100.. => "#c2410c",
            _ => "#b91c1c",
        },
    };
    let label = "self-healing";
    let (left, right) = (width(label), width(&value));
    let whole = left + right;
    let mut svg = String::new();
    put!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{label}: {value}\">\n",
        value = escape(&value)
    );
    put!(svg, "<title>{label}: {}</title>\n", escape(&value));
    put!(
        svg,
        "<clipPath id=\"r\"><rect width=\"{whole}\" height=\"20\" rx=\"4\"/></clipPath>\n"
    );
    put!(
        svg,
        "<g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"#374151\"/><rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/></g>\n"
    );
    put!(
        svg,
        "<g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,Geneva,DejaVu Sans,sans-serif\" font-size=\"11\"><text x=\"{}\" y=\"14\">{label}</text><text x=\"{}\" y=\"14\">{}</text></g>\n</svg>\n",
        left / 2,
        left + right / 2,
        escape(&value)
    );
    svg
}

/// Room for a text of 11 pixels, with a margin on both sides.
fn width(text: &str) -> usize {
    text.chars().count() * 7 + 12
}

//! The registry as text: OpenMetrics as the client library writes it, and from that the older Prometheus format, which has no
//! exemplars and says `_total` in the head of a counter too.

use std::borrow::Cow;

/// The media type of OpenMetrics.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The media type of the older format.
pub const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether an `Accept` asks for OpenMetrics by name.
pub(crate) fn wants_open_metrics(accept: Option<&str>) -> bool {
    accept.is_some_and(|accept| {
        accept.split(',').any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let named = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("application/openmetrics-text"));
            named && !parts.any(refuses)
        })
    })
}

/// Whether a parameter is a weight of nothing: `q=0`, `Q = 0.000`.
fn refuses(part: &str) -> bool {
    part.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0_f32)
    })
}

/// OpenMetrics as the Prometheus text format.
pub(crate) fn prometheus(open: &str) -> String {
    let mut out = String::with_capacity(open.len());
    let mut help: Option<(&str, &str)> = None;
    for line in open.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ');
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap_or((rest, "untyped"));
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "unknown" => ("", "untyped"),
                other => ("", other),
            };
            if let Some((_, text)) = help.take().filter(|(of, _)| *of == name) {
                push(&mut out, &["# HELP ", name, suffix, " ", text]);
            }
            push(&mut out, &["# TYPE ", name, suffix, " ", kind]);
        } else if !line.starts_with('#') {
            push(&mut out, &[&without_exemplar(line)]);
        }
    }
    out
}

fn push(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
    out.push('\n');
}

/// A sample without what points at a trace. A brace or a number sign inside of a label's value is neither.
fn without_exemplar(line: &str) -> Cow<'_, str> {
    let after_labels = match (line.find('{'), line.find(' ')) {
        (Some(brace), Some(space)) if brace < space => end_of_labels(line, brace),
        _ => 0,
    };
    let rest = line.get(after_labels..).unwrap_or_default();
    match rest.find(" # ") {
        Some(at) => Cow::Owned(line.get(..after_labels + at).unwrap_or(line).to_owned()),
        None => Cow::Borrowed(line),
    }
}

fn end_of_labels(line: &str, brace: usize) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in line.bytes().enumerate().skip(brace) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'}' if !quoted => return at + 1,
            _ => {}
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_format_has_no_exemplars_and_names_counters_whole() {
        let open = "# HELP a_b Says a.\n# TYPE a_b counter\na_b_total{x=\"} # {\\\"\"} 3 # {trace_id=\"1\"} 1.0\n\
                    # HELP g G.\n# TYPE g gauge\n# UNIT g s\ng 1\n# EOF\n";
        assert_eq!(
            prometheus(open),
            "# HELP a_b_total Says a.\n# TYPE a_b_total counter\na_b_total{x=\"} # {\\\"\"} 3\n# HELP g G.\n# TYPE g gauge\ng 1\n"
        );
    }

    #[test]
    fn open_metrics_is_sent_to_those_who_name_it() {
        for (accept, wanted) in [
            (None, false),
            (Some("*/*"), false),
            (Some("text/plain"), false),
            (
                Some("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
                true,
            ),
            (Some("application/openmetrics-text;q=0, text/plain"), false),
            (
                Some("application/openmetrics-text; Q=0.000, text/plain"),
                false,
            ),
            (Some("Application/OpenMetrics-Text; version=1.0.0"), true),
        ] {
            assert_eq!(wants_open_metrics(accept), wanted, "{accept:?}");
        }
    }
}

//! Which mode a request asks for (L1). Pure: the header in, the decision out.

use http::HeaderMap;
use http::header::ACCEPT;

/// What a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The final payload alone.
    BlackBox,
    /// The stream.
    GlassBox,
    /// Nothing we make is acceptable: 406.
    Neither,
}

/// The media type of the stream.
pub(crate) const NDJSON: &str = "application/x-ndjson";
/// The media type of server-sent events.
pub(crate) const SSE: &str = "text/event-stream";

/// One element of `Accept` that is well-formed.
#[derive(Clone, Copy, Debug)]
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// Thousandths.
    weight: u16,
}

/// How good the best match of a representation is: none, by a wildcard, or by name.
#[derive(Clone, Copy, Default)]
struct Match {
    specific: u8,
    weight: u16,
}

const ANY: u8 = 1;
const GROUP: u8 = 2;
const NAME: u8 = 3;

impl Match {
    /// The most specific range decides; of two equally specific ones the larger weight.
    fn meet(&mut self, specific: u8, weight: u16) {
        if specific > self.specific {
            *self = Self { specific, weight };
        } else if specific == self.specific {
            self.weight = self.weight.max(weight);
        }
    }
}

/// Decides by the header lines of a request. A wildcard never opens the box.
pub(crate) fn decide(headers: &HeaderMap) -> Mode {
    let mut lines = headers.get_all(ACCEPT).iter();
    match (lines.next(), lines.next()) {
        // Most requests look like this.
        (None, _) => return Mode::BlackBox,
        (Some(line), None) if line == "*/*" || line == "application/json" => return Mode::BlackBox,
        (Some(line), None) if line == NDJSON => return Mode::GlassBox,
        _ => {}
    }
    let lines = headers.get_all(ACCEPT).iter();
    mode(lines.filter_map(|line| line.to_str().ok()))
}

fn mode<'a>(lines: impl Iterator<Item = &'a str>) -> Mode {
    let (mut json, mut ndjson) = (Match::default(), Match::default());
    let mut any = false;
    for range in lines.flat_map(ranges) {
        any = true;
        let Range {
            kind,
            subtype,
            weight,
        } = range;
        let application = kind.eq_ignore_ascii_case("application");
        if kind == "*" && subtype == "*" {
            json.meet(ANY, weight);
        } else if application && subtype == "*" {
            json.meet(GROUP, weight);
        } else if application && one_of(subtype, &["json", "problem+json"]) {
            json.meet(NAME, weight);
        } else if application && one_of(subtype, &["x-ndjson", "ndjson", "jsonl"]) {
            ndjson.meet(NAME, weight);
        }
    }
    if !any {
        return Mode::BlackBox;
    }
    let named = ndjson.weight > 0;
    if named && (ndjson.weight, ndjson.specific) > (json.weight, json.specific) {
        Mode::GlassBox
    } else if json.weight > 0 {
        Mode::BlackBox
    } else {
        Mode::Neither
    }
}

/// Which of the two streams a reader of a session asks for: `None` where neither is acceptable.
pub(crate) fn stream(headers: &HeaderMap) -> Option<bool> {
    let (mut sse, mut ndjson) = (Match::default(), Match::default());
    let mut any = false;
    let lines = headers.get_all(ACCEPT).iter();
    for range in lines.filter_map(|line| line.to_str().ok()).flat_map(ranges) {
        any = true;
        let is = |kind: &str| range.kind.eq_ignore_ascii_case(kind);
        if range.kind == "*" && range.subtype == "*" {
            sse.meet(ANY, range.weight);
            ndjson.meet(ANY, range.weight);
        } else if is("text") && one_of(range.subtype, &["event-stream"]) {
            sse.meet(NAME, range.weight);
        } else if is("text") && range.subtype == "*" {
            sse.meet(GROUP, range.weight);
        } else if is("application") && one_of(range.subtype, &["x-ndjson", "ndjson", "jsonl"]) {
            ndjson.meet(NAME, range.weight);
        } else if is("application") && range.subtype == "*" {
            ndjson.meet(GROUP, range.weight);
        }
    }
    if !any {
        return Some(false);
    }
    let lines = ndjson.weight > 0 && (ndjson.weight, ndjson.specific) > (sse.weight, sse.specific);
    (lines || sse.weight > 0).then_some(lines)
}

fn one_of(subtype: &str, names: &[&str]) -> bool {
    names.iter().any(|name| subtype.eq_ignore_ascii_case(name))
}

/// The elements of a header line; a malformed one is skipped.
fn ranges(line: &str) -> impl Iterator<Item = Range<'_>> {
    split(line, ',').filter_map(range)
}

fn range(element: &str) -> Option<Range<'_>> {
    let mut parts = split(element, ';');
    let (kind, subtype) = parts.next()?.trim_matches([' ', '\t']).split_once('/')?;
    if !is_token(kind) || !is_token(subtype) || (kind == "*" && subtype != "*") {
        return None;
    }
    let mut weight = 1000;
    for parameter in parts {
        let Some((name, value)) = parameter.split_once('=') else {
            // An empty parameter is allowed to stand there, a bare word is not.
            if parameter.trim_matches([' ', '\t']).is_empty() {
                continue;
            }
            return None;
        };
        let (name, value) = (
            name.trim_matches([' ', '\t']),
            value.trim_matches([' ', '\t']),
        );
        if !is_token(name) || !(is_token(value) || is_quoted(value)) {
            return None;
        }
        if name.eq_ignore_ascii_case("q") {
            weight = thousandths(value)?;
            break;
        }
    }
    Some(Range {
        kind,
        subtype,
        weight,
    })
}

/// `0`, `0.123`, `1`, `1.000`: at most three decimals, at most one.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut value = 0;
    for at in 0..3 {
        let digit = decimals.as_bytes().get(at).map_or(0, |byte| byte - b'0');
        value = value * 10 + u16::from(digit);
    }
    match (whole, value) {
        ("0", value) => Some(value),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

fn is_quoted(text: &str) -> bool {
    text.len() >= 2 && text.starts_with('"') && text.ends_with('"')
}

/// Splits at a separator that does not stand in quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        if escaped {
            escaped = false;
        } else if quoted && c == '\\' {
            escaped = true;
        } else if c == '"' {
            quoted = !quoted;
        }
        !quoted && c == separator
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(accept: &str) -> Mode {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        decide(&headers)
    }

    #[test]
    fn the_decided_cases() {
        use Mode::{BlackBox, GlassBox, Neither};
        for (accept, mode) in [
            ("", BlackBox),
            ("*/*", BlackBox),
            ("application/*", BlackBox),
            ("application/json", BlackBox),
            ("application/problem+json", BlackBox),
            ("application/x-ndjson", GlassBox),
            ("APPLICATION/X-NDJSON", GlassBox),
            ("application/ndjson", GlassBox),
            ("application/jsonl", GlassBox),
            ("application/x-ndjson; charset=utf-8", GlassBox),
            ("application/x-ndjson;q=0.1", GlassBox),
            ("application/x-ndjson, */*", GlassBox),
            ("*/*, application/x-ndjson", GlassBox),
            ("application/x-ndjson, application/*", GlassBox),
            ("application/json, application/x-ndjson", BlackBox),
            ("application/x-ndjson, application/json", BlackBox),
            ("application/json;q=0.5, application/x-ndjson", GlassBox),
            ("application/json, application/x-ndjson;q=0.9", BlackBox),
            ("application/x-ndjson;q=0.5, */*", BlackBox),
            ("application/x-ndjson;q=0", Neither),
            ("application/json, application/x-ndjson;q=0", BlackBox),
            ("*/*, application/x-ndjson;q=0", BlackBox),
            ("*/*;q=1, application/json;q=0", Neither),
            ("application/json;q=0, application/x-ndjson", GlassBox),
            ("text/html", Neither),
            ("text/event-stream", Neither),
            ("text/html, */*;q=0.1", BlackBox),
            ("*/*;q=0", Neither),
            ("application/x-ndjson;q=1.001", BlackBox),
            ("application/x-ndjson;q=0.1234, text/html", Neither),
            ("application/x-ndjson;q=x, application/json;q=0.1", BlackBox),
            ("garbage", BlackBox),
            ("*/json, application/x-ndjson", GlassBox),
            (
                "application/json;a=\"b,c;q=0\", application/x-ndjson;q=0.2",
                BlackBox,
            ),
            (" , ,application/x-ndjson ;q=1.000;ext=1, ", GlassBox),
        ] {
            assert_eq!(of(accept), mode, "{accept}");
        }
        let mut two = HeaderMap::new();
        two.append(ACCEPT, "application/json;q=0.2".parse().unwrap());
        two.append(ACCEPT, "application/x-ndjson".parse().unwrap());
        assert_eq!(decide(&two), GlassBox);
    }

    #[test]
    fn every_combination_agrees_with_a_slow_reference() {
        let weights = [None, Some(0), Some(300), Some(1000)];
        let names = ["application/json", NDJSON, "*/*", "application/*"];
        let mut cases = 0;
        let mut each = vec![vec![]];
        for name in names {
            let mut more = Vec::new();
            for chosen in &each {
                for weight in weights {
                    let mut next: Vec<(&str, u16)> = chosen.clone();
                    next.extend(weight.map(|weight| (name, weight)));
                    more.push(next);
                }
            }
            each = more;
        }
        for chosen in each {
            let header: Vec<String> = chosen
                .iter()
                .map(|(name, weight)| format!("{name};q={}", f64::from(*weight) / 1000.0))
                .collect();
            let weight = |name: &str| chosen.iter().find(|(n, _)| *n == name).map(|(_, w)| *w);
            let json = weight("application/json")
                .or_else(|| weight("application/*"))
                .or_else(|| weight("*/*"))
                .unwrap_or(0);
            let by_name = weight("application/json").is_some();
            let ndjson = weight(NDJSON).unwrap_or(0);
            let expected = if chosen.is_empty() {
                Mode::BlackBox
            } else if ndjson > 0 && (ndjson > json || ndjson == json && !by_name) {
                Mode::GlassBox
            } else if json > 0 {
                Mode::BlackBox
            } else {
                Mode::Neither
            };
            assert_eq!(of(&header.join(", ")), expected, "{header:?}");
            cases += 1;
        }
        assert_eq!(cases, 256);
    }

    #[test]
    fn readers_of_a_session_choose_between_two_streams() {
        let of = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            stream(&headers)
        };
        assert_eq!(stream(&HeaderMap::new()), Some(false));
        assert_eq!(of("text/event-stream"), Some(false));
        assert_eq!(of("*/*"), Some(false));
        assert_eq!(of(NDJSON), Some(true));
        assert_eq!(
            of("application/x-ndjson, text/event-stream;q=0.5"),
            Some(true)
        );
        assert_eq!(of("application/x-ndjson, */*"), Some(true));
        assert_eq!(of("text/html"), None);
        assert_eq!(of("text/event-stream;q=0"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_header_is_too_strange(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..4)) {
            let mut headers = HeaderMap::new();
            for line in &lines {
                if let Ok(value) = http::HeaderValue::from_bytes(line) {
                    headers.append(ACCEPT, value);
                }
            }
            let mode = decide(&headers);
            let names = lines.iter().any(|line| {
                let line = line.to_ascii_lowercase();
                line.windows(6).any(|word| word == b"ndjson") || line.windows(5).any(|word| word == b"jsonl")
            });
            prop_assert!(names || mode != Mode::GlassBox);
        }

        #[test]
        fn the_box_opens_only_by_name(header in r#"(application|text|\*)/(json|x-ndjson|\*|html)(;q=(0|1|0\.[0-9]{1,3}))?(, (application|text|\*)/(json|x-ndjson|\*|html)(;q=(0|1|0\.[0-9]{1,3}))?){0,4}"#) {
            prop_assert!(of(&header) != Mode::GlassBox || header.contains("application/x-ndjson"));
        }
    }
}

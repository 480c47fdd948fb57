//! Which mode a request asks for ([L1]). Pure: the header in, the decision out.
//!
//! [L1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l1

use aon::accept::{Accept, Range};
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
    fn meet(&mut self, specific: u8, range: &Range) {
        let weight = range.weight();
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
    mode(&accepted(headers))
}

fn accepted(headers: &HeaderMap) -> Accept {
    // Bytes that are not text spoil the member of the list they stand in, and no other.
    let lines = headers.get_all(ACCEPT).iter();
    let lines: Vec<_> = lines
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .collect();
    Accept::parse(lines.iter().map(|line| &**line))
}

fn mode(accept: &Accept) -> Mode {
    if accept.ranges().is_empty() {
        return Mode::BlackBox;
    }
    let (mut json, mut ndjson, mut problem) = <(Match, Match, Match)>::default();
    for range in accept.ranges() {
        match (range.kind(), range.subtype()) {
            ("*", "*") => json.meet(ANY, range),
            ("application", "*") => json.meet(GROUP, range),
            ("application", "json") => json.meet(NAME, range),
            ("application", "problem+json") => problem.meet(NAME, range),
            ("application", "x-ndjson" | "ndjson" | "jsonl") => ndjson.meet(NAME, range),
            _ => {}
        }
    }
    let named = ndjson.weight > 0;
    if named && (ndjson.weight, ndjson.specific) > (json.weight, json.specific) {
        Mode::GlassBox
    } else if json.weight > 0 || problem.weight > 0 {
        // Whoever accepts the failures of a black box accepts it, but does not prefer it to a stream.
        Mode::BlackBox
    } else {
        Mode::Neither
    }
}

/// What a route sends that streams unless somebody does not want a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streamed {
    /// Server-sent events.
    Sse,
    /// The glass box.
    Lines,
    /// The final payload alone.
    Json,
    /// Nothing we make is acceptable: 406.
    Neither,
}

/// Decides for a route that streams server-sent events unless NDJSON is named and wins, or no stream is acceptable.
pub(crate) fn streamed(headers: &HeaderMap) -> Streamed {
    match stream(headers) {
        Some(true) => Streamed::Lines,
        Some(false) => Streamed::Sse,
        None => match decide(headers) {
            Mode::BlackBox => Streamed::Json,
            Mode::GlassBox => Streamed::Lines,
            Mode::Neither => Streamed::Neither,
        },
    }
}

/// Which of the two streams a reader of a session asks for: `None` where neither is acceptable.
pub(crate) fn stream(headers: &HeaderMap) -> Option<bool> {
    let accept = accepted(headers);
    if accept.ranges().is_empty() {
        return Some(false);
    }
    let (mut sse, mut ndjson) = (Match::default(), Match::default());
    for range in accept.ranges() {
        match (range.kind(), range.subtype()) {
            ("*", "*") => {
                sse.meet(ANY, range);
                ndjson.meet(ANY, range);
            }
            ("text", "*") => sse.meet(GROUP, range),
            ("text", "event-stream") => sse.meet(NAME, range),
            ("application", "*") => ndjson.meet(GROUP, range),
            ("application", "x-ndjson" | "ndjson" | "jsonl") => ndjson.meet(NAME, range),
            _ => {}
        }
    }
    let lines = ndjson.weight > 0 && (ndjson.weight, ndjson.specific) > (sse.weight, sse.specific);
    (lines || sse.weight > 0).then_some(lines)
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
            ("application/problem+json;q=0", Neither),
            ("application/x-ndjson, application/problem+json", GlassBox),
            (
                "application/problem+json, application/x-ndjson;q=0.5",
                GlassBox,
            ),
            (
                "application/x-ndjson;q=0, application/problem+json",
                BlackBox,
            ),
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
        let strange = |line: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, http::HeaderValue::from_bytes(line).unwrap());
            headers
        };
        for (line, mode) in [
            (&b"application/x-ndjson, \xff\xfe/x"[..], GlassBox),
            (b"\xff, application/x-ndjson;q=0.5", GlassBox),
            (b"application/x-ndjson\xff, text/html", Neither),
            (b"\xff", BlackBox),
        ] {
            assert_eq!(decide(&strange(line)), mode, "{line:?}");
        }
        let reader = stream(&strange(b"application/x-ndjson, \xff/x"));
        assert_eq!(reader, Some(true));
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
        fn the_box_opens_only_by_name(header in r"(application|text|\*)/(json|x-ndjson|\*|html)(;q=(0|1|0\.[0-9]{1,3}))?(, (application|text|\*)/(json|x-ndjson|\*|html)(;q=(0|1|0\.[0-9]{1,3}))?){0,4}") {
            prop_assert!(of(&header) != Mode::GlassBox || header.contains("application/x-ndjson"));
        }
    }
}

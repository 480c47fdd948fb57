//! L1: which box a request gets, and who decides.

use futures_util::{StreamExt as _, stream};
use http::Method;

use super::{NDJSON, Operation};
use crate::check::{Probe, holds};
use crate::http::{Call, Capture, NoAnswer};

/// What a request should get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Black,
    Glass,
    /// Nothing fits: 406, as a problem.
    Neither,
}

/// A row, and the values of `Accept` it is about.
const ROWS: [(&str, Expected, &[&str]); 8] = [
    (
        "JSON, an empty and a wildcard Accept get the black box",
        Expected::Black,
        &[
            "application/json",
            "",
            "*/*",
            "application/*",
            "application/json, application/x-ndjson",
        ],
    ),
    (
        "a caller that names application/x-ndjson gets the glass box",
        Expected::Glass,
        &[
            NDJSON,
            "Application/X-NDJSON",
            "application/x-ndjson, */*",
            "application/json;q=0.5, application/x-ndjson",
        ],
    ),
    (
        "q=0 excludes",
        Expected::Black,
        &[
            "application/json, application/x-ndjson;q=0",
            "*/*, application/x-ndjson;q=0.000",
        ],
    ),
    (
        "the higher q wins",
        Expected::Black,
        &[
            "application/x-ndjson;q=0.1, application/json",
            "application/x-ndjson; q=0.5, application/json ;q=0.8",
        ],
    ),
    (
        "a wildcard never opens the box",
        Expected::Neither,
        &["*/*, application/json;q=0", "*/*;q=1, application/json;q=0"],
    ),
    (
        "a media type is compared whole",
        Expected::Neither,
        &[
            "application/x-ndjson-not",
            "text/x-ndjson",
            "text/plain;x=\"application/x-ndjson\"",
        ],
    ),
    (
        "406 is a problem, and only when nothing fits",
        Expected::Neither,
        &["image/png", "application/x-ndjson;q=0, image/png"],
    ),
    (
        "a malformed part of Accept is skipped",
        Expected::Glass,
        &[";;;, application/x-ndjson", ", , application/x-ndjson"],
    ),
];

/// How many calls are under way at a time: each may be slow, and none depends on another.
const AT_ONCE: usize = 6;

/// One question: the row it belongs to, how it is named, what is sent and what is due.
type Question = (&'static str, String, Call, Expected);

fn questions(operation: &Operation) -> Vec<Question> {
    let mut all = vec![(
        "without Accept it is the black box",
        "no Accept".to_owned(),
        operation.asking(None),
        Expected::Black,
    )];
    for (what, expected, values) in ROWS {
        for accept in values {
            let call = operation.asking(Some(accept));
            all.push((what, format!("Accept: {accept}"), call, expected));
        }
    }
    let lines = operation
        .call()
        .with("accept", "application/json;q=0.1")
        .with("accept", NDJSON);
    all.push((
        "several lines of Accept count together",
        "two lines of Accept".to_owned(),
        lines,
        Expected::Glass,
    ));
    all
}

/// Asks in every way, and looks at what came.
pub(super) async fn probe(probe: &mut Probe<'_>, operation: &Operation) {
    let client = &probe.client;
    let questions = questions(operation);
    // Which box it is shows with the first piece; the stream need not be read to its end.
    let answers = questions
        .iter()
        .map(|(_, _, call, _)| client.capture(call, |_| true));
    let answers = stream::iter(answers).buffered(AT_ONCE);
    let answers: Vec<Result<Capture, NoAnswer>> = answers.collect().await;
    let mut seen: Vec<(String, Capture)> = Vec::new();
    let mut rows: Vec<(&str, Result<(), String>)> = Vec::new();
    for ((what, named, _, expected), answer) in questions.into_iter().zip(answers) {
        let one = match answer {
            Ok(capture) => {
                let judged = verdict(&capture, &named, expected);
                seen.push((named, capture));
                judged
            }
            Err(error) => Err(format!("{named}: {error}")),
        };
        match rows.last_mut() {
            Some((row, result)) if *row == what => {
                *result = std::mem::replace(result, Ok(())).and(one);
            }
            _ => rows.push((what, one)),
        }
    }
    for (what, result) in rows {
        probe.table.claim("L1", what, result);
    }
    probe
        .table
        .claim("L1", "every answer says Vary: Accept", every(&seen, varies));
    probe.table.claim(
        "L1",
        "every answer says its mode and version",
        every(&seen, echoes),
    );
    head(probe, operation, &seen).await;
}

fn verdict(capture: &Capture, named: &str, expected: Expected) -> Result<(), String> {
    let media = capture.media_type();
    let got = match (capture.status, media.as_str()) {
        (406, _) => Expected::Neither,
        (_, "application/x-ndjson") => Expected::Glass,
        _ => Expected::Black,
    };
    // A problem is JSON, or the page for people where a wildcard lets it.
    let for_people = media == "text/html" && named.contains("*/*");
    let problem = got != Expected::Neither || media == "application/problem+json" || for_people;
    let status = capture.status;
    holds(got == expected, || {
        let word = |what| match what {
            Expected::Black => "the black box",
            Expected::Glass => "the glass box",
            Expected::Neither => "406",
        };
        format!(
            "{named}: expected {}, got {} ({status}, {media})",
            word(expected),
            word(got)
        )
    })?;
    holds(problem, || {
        format!("{named}: the 406 is {media:?}, not a problem")
    })
}

fn every(
    seen: &[(String, Capture)],
    rule: fn(&Capture) -> Result<(), String>,
) -> Result<(), String> {
    seen.iter()
        .try_for_each(|(named, capture)| rule(capture).map_err(|why| format!("{named}: {why}")))
}

fn varies(capture: &Capture) -> Result<(), String> {
    let lines = capture
        .headers
        .get_all("vary")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let names = lines.flat_map(|line| line.split(',')).map(str::trim);
    let said = names
        .into_iter()
        .any(|name| name == "*" || name.eq_ignore_ascii_case("accept"));
    holds(said, || "there is no Vary: Accept".to_owned())
}

fn echoes(capture: &Capture) -> Result<(), String> {
    if capture.status == 406 {
        return Ok(());
    }
    let glass = capture.media_type() == NDJSON;
    let expected = if glass { "glass-box" } else { "black-box" };
    let mode = capture.header("aon-mode").unwrap_or_default();
    holds(mode == expected, || {
        format!("AON-Mode is {mode:?}, expected {expected}")
    })?;
    let version = capture.header("aon-version").unwrap_or_default();
    holds(version == "1", || {
        format!("AON-Version is {version:?}, expected 1")
    })
}

/// HEAD must not do the work. Where nothing else shows it, the time does.
async fn head(probe: &mut Probe<'_>, operation: &Operation, seen: &[(String, Capture)]) {
    const SLOW: u128 = 300;
    let what = "HEAD never runs the handler";
    let mut call = operation.asking(Some("application/json"));
    call.method = Method::HEAD;
    let answer = match probe.client.capture(&call, |_| false).await {
        Ok(answer) => answer,
        Err(error) => return probe.table.claim("L1", what, Err(error.to_string())),
    };
    if answer.status == 405 || answer.status == 404 {
        return probe.table.claim("L1", what, Ok(()));
    }
    let black = seen
        .iter()
        .filter(|(_, capture)| capture.media_type() != NDJSON && capture.status == 200);
    let work = black
        .map(|(_, capture)| capture.head_at.as_millis())
        .min()
        .unwrap_or_default();
    let took = answer.head_at.as_millis();
    if took * 2 >= SLOW && took * 2 >= work && work >= SLOW {
        let why = format!("it takes {took} ms, and the work takes {work} ms");
        return probe.table.claim("L1", what, Err(why));
    }
    if work < SLOW {
        return probe
            .table
            .untested("L1", what, "the operation is too quick to tell");
    }
    probe.table.claim("L1", what, Ok(()));
}

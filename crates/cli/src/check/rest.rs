//! REST: what HTTP and RFC 9457 demand, and what the contract promises on every error (S2, S3).

use aon::ProblemDetails;
use http::Method;
use serde_json::Value;

use crate::check::{Ask, Found, Probe, clip, holds, short};
use crate::http::{Answer, Call};

mod standard;

const NOWHERE: &str = "/aon-check/no-such-route";
const REQUEST_ID: &str = "aon-check-018f6b8a-2c42";
/// What RFC 9457 and P1 call the members, in the order they are written in.
const ORDER: [&str; 12] = [
    "type",
    "title",
    "status",
    "detail",
    "instance",
    "code",
    "request_id",
    "valid_values",
    "remediation",
    "docs_url",
    "mcp_tool",
    "a2a_skill",
];

/// Probes the surface; `found` may name an operation that takes a body.
pub(crate) async fn probe(probe: &mut Probe<'_>, found: &Found) {
    let nowhere = format!("{}{NOWHERE}", probe.client.target.path);
    if let Some(answer) = unknown_route(probe, &nowhere).await {
        ids(probe, &nowhere).await;
        head(probe, &nowhere, &answer).await;
        negotiation(probe, &nowhere, answer.status).await;
    }
    wrong_method(probe, found).await;
    bodies(probe, found).await;
    let agents_only = found.mcp || found.endpoint.is_some();
    standard::judge(&mut probe.table, agents_only);
    probe.table.leaks();
}

const PROBLEM: &str = "application/problem+json";

async fn unknown_route(probe: &mut Probe<'_>, nowhere: &str) -> Option<Answer> {
    let sent = format!("GET {nowhere}");
    let ask = Ask::contract("S3", "an unknown route answers with a problem").sent(&sent);
    let answer = match probe.client.send(&Call::get(nowhere)).await {
        Ok(answer) => answer,
        Err(error) => {
            probe.table.skip(ask, error.to_string());
            return None;
        }
    };
    if answer.status < 400 {
        let why = format!(
            "GET {nowhere} answered {}, so there is no unknown route here",
            answer.status
        );
        probe.table.skip(ask, why);
        return None;
    }
    probe.table.saw(&sent, &answer);
    let body = answer.json();
    let has_code = body
        .as_ref()
        .is_some_and(|body| body.get("code").is_some_and(Value::is_string));
    probe.table.speaks_contract |= has_code && answer.media_type() == PROBLEM;
    probe.table.judge(
        ask.expects("application/problem+json, with the status of the status line")
            .fix("put a layer around the router that turns every error into a problem"),
        is_problem(&answer),
    );
    shape(probe, "unknown route", &answer, body.as_ref());
    Some(answer)
}

/// A 4xx or 5xx, problem+json, an object, and the status line says what the body says.
fn is_problem(answer: &Answer) -> Result<(), String> {
    holds(answer.status >= 400, || format!("status {}", answer.status))?;
    let media = answer.media_type();
    holds(media == "application/problem+json", || {
        format!("content-type is {media:?}, not application/problem+json")
    })?;
    let body = answer
        .json()
        .ok_or_else(|| format!("not JSON: {}", clip(&String::from_utf8_lossy(&answer.body))))?;
    let status = body.get("status").and_then(Value::as_u64);
    holds(status == Some(u64::from(answer.status)), || {
        let said = body
            .get("status")
            .map_or_else(|| "nothing".to_owned(), short);
        format!(
            "the status line says {}, the body says {said}",
            answer.status
        )
    })
}

/// The members of one problem, clause by clause.
fn shape(probe: &mut Probe<'_>, which: &str, answer: &Answer, body: Option<&Value>) {
    let Some(body) = body else {
        return probe.table.untested(
            "P1",
            format!("{which}: members"),
            "there is no JSON body to look at",
        );
    };
    let table = &mut probe.table;
    table.claim(
        "P1",
        format!("{which}: every member has its type"),
        match ProblemDetails::read(&answer.body) {
            Ok(reading) => holds(reading.ignored.is_empty(), || reading.ignored.join("; ")),
            Err(error) => Err(error.to_string()),
        },
    );
    table.claim(
        "P1",
        format!("{which}: the members are in order"),
        in_order(&answer.body),
    );
    table.claim(
        "P1",
        format!("{which}: absent members are left out, not null"),
        no_null(body),
    );
    for (clause, member) in [
        ("P3", "type"),
        ("P1", "title"),
        ("P2", "code"),
        ("P3", "request_id"),
        ("P3", "instance"),
    ] {
        table.claim(
            clause,
            format!("{which}: `{member}` is there"),
            holds(body.get(member).is_some_and(Value::is_string), || {
                format!("no {member} in {}", short(body))
            }),
        );
    }
    if let (Some(code), Some(uri)) = (
        body.get("code").and_then(Value::as_str),
        body.get("type").and_then(Value::as_str),
    ) {
        table.claim(
            "P3",
            format!("{which}: `type` names the code"),
            holds(uri.ends_with(code), || {
                format!("{uri} does not end in {code}")
            }),
        );
    }
}

fn in_order(body: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(body);
    let names = member_names(&text).ok_or_else(|| "the body is not a JSON object".to_owned())?;
    let places: Vec<usize> = names
        .iter()
        .map(|name| {
            ORDER
                .iter()
                .position(|known| known == name)
                .unwrap_or(ORDER.len())
        })
        .collect();
    holds(places.is_sorted(), || names.join(", "))
}

/// The names of the members at the top, in the order they are written in.
fn member_names(json: &str) -> Option<Vec<String>> {
    struct Names(Vec<String>);

    impl<'de> serde::Deserialize<'de> for Names {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct InOrder;

            impl<'de> serde::de::Visitor<'de> for InOrder {
                type Value = Names;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<Names, A::Error> {
                    let mut names = Vec::new();
                    while let Some((name, serde::de::IgnoredAny)) = map.next_entry::<String, _>()? {
                        names.push(name);
                    }
                    Ok(Names(names))
                }
            }

            deserializer.deserialize_map(InOrder)
        }
    }

    serde_json::from_str::<Names>(json)
        .ok()
        .map(|names| names.0)
}

fn no_null(body: &Value) -> Result<(), String> {
    let Value::Object(members) = body else {
        return Err("the body is not a JSON object".to_owned());
    };
    let null = ORDER
        .iter()
        .find(|name| members.get(**name).is_some_and(Value::is_null));
    null.map_or(Ok(()), |name| Err(format!("{name} is null")))
}

async fn ids(probe: &mut Probe<'_>, nowhere: &str) {
    let what = "the X-Request-Id of a request is its request_id";
    let call = Call::get(nowhere).with("x-request-id", REQUEST_ID);
    match probe.client.send(&call).await {
        Ok(answer) => {
            let given = answer
                .json()
                .and_then(|body| body.get("request_id")?.as_str().map(str::to_owned));
            probe.table.claim(
                "P3",
                what,
                holds(given.as_deref() == Some(REQUEST_ID), || match given {
                    Some(given) => format!("request_id is {given:?}"),
                    None => "there is no request_id".to_owned(),
                }),
            );
        }
        Err(error) => probe.table.untested("P3", what, error.to_string()),
    }
}

async fn head(probe: &mut Probe<'_>, nowhere: &str, get: &Answer) {
    let ask = Ask::protocol(
        "RFC 9110 §9.3.2",
        "HEAD answers as GET does, without a body",
    )
    .sent(format!("HEAD {nowhere}"))
    .expects(format!(
        "status {}, {:?}, no body",
        get.status,
        get.media_type()
    ))
    .fix("let HEAD run through the same handlers as GET");
    match probe.client.send(&Call::new(Method::HEAD, nowhere)).await {
        // Whoever does not serve HEAD may say so.
        Ok(answer) if matches!(answer.status, 405 | 501) && get.status != answer.status => {
            let why = format!("HEAD is not served here: status {}", answer.status);
            probe.table.skip(ask, why);
        }
        Ok(answer) => {
            let same = holds(answer.status == get.status, || {
                format!("status {}", answer.status)
            })
            .and_then(|()| {
                // HEAD may leave out what GET would send.
                let media = answer.media_type();
                holds(media.is_empty() || media == get.media_type(), || {
                    format!("content-type is {media:?}")
                })
            })
            .and_then(|()| holds(answer.body.is_empty(), || "there is a body".to_owned()));
            probe.table.judge(ask, same);
        }
        Err(error) => probe.table.judge(ask, Err(error.to_string())),
    }
}

async fn negotiation(probe: &mut Probe<'_>, nowhere: &str, status: u16) {
    let cases = [
        ("application/json", "application/problem+json"),
        ("image/png", "application/problem+json"),
        ("text/html", "text/html"),
        ("text/markdown", "application/problem+json"),
        (
            "text/html;q=0.1, application/json",
            "application/problem+json",
        ),
    ];
    for (accept, wanted) in cases {
        let what = format!("Accept: {accept} gets {wanted}, never 406");
        let ask = Ask::contract("S2", what).sent(format!("GET {nowhere} (Accept: {accept})"));
        let call = Call::get(nowhere).with("accept", accept);
        let result = match probe.client.send(&call).await {
            Ok(answer) => {
                probe
                    .table
                    .saw(format!("GET {nowhere} as {accept}"), &answer);
                holds(answer.status == status, || {
                    format!("status {} instead of {status}", answer.status)
                })
                .and_then(|()| {
                    let media = answer.media_type();
                    holds(media == wanted, || format!("content-type is {media:?}"))
                })
                .and_then(|()| vary(&answer))
            }
            Err(error) => Err(error.to_string()),
        };
        probe.table.judge(ask, result);
    }
}

fn vary(answer: &Answer) -> Result<(), String> {
    let named = answer.headers.get_all("vary").iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value
                .split(',')
                .any(|name| name.trim() == "*" || name.trim().eq_ignore_ascii_case("accept"))
        })
    });
    holds(named, || "Vary does not name Accept".to_owned())
}

async fn wrong_method(probe: &mut Probe<'_>, found: &Found) {
    let allow = Ask::protocol(
        "RFC 9110 §15.5.6",
        "a 405 names the methods that are allowed",
    )
    .fix("send Allow with every 405");
    let problem = Ask::contract("S2", "a wrong method answers with a problem");
    let base = probe.client.target.path.clone();
    let mut calls = vec![
        (Method::PATCH, format!("{base}/")),
        (Method::PATCH, "/.well-known/agent-card.json".to_owned()),
    ];
    // An operation that was named is real: only a method that changes nothing may be tried on it.
    let named = found.route.as_ref();
    calls.extend(named.map(|(_, path)| (Method::TRACE, parameterless(path))));
    for (method, path) in calls {
        let Ok(answer) = probe.client.send(&Call::new(method.clone(), &path)).await else {
            continue;
        };
        if answer.status != 405 {
            continue;
        }
        let sent = format!("{method} {path}");
        probe.table.saw(&sent, &answer);
        let allowed = answer.header("allow").unwrap_or_default().to_owned();
        let has_allow = holds(!allowed.is_empty(), || "405 without Allow".to_owned());
        probe.table.judge(allow.sent(&sent), has_allow);
        return probe.table.judge(problem.sent(&sent), is_problem(&answer));
    }
    let why = "no path was met that answers 405";
    probe.table.skip(allow, why);
    probe.table.skip(problem, why);
}

async fn bodies(probe: &mut Probe<'_>, found: &Found) {
    let cases: [(&'static str, &str, &str, Vec<u8>); 5] = [
        (
            "broken JSON",
            "application/json",
            "400 or 422",
            b"{\"a\": ".to_vec(),
        ),
        (
            "JSON that is not an object",
            "application/json",
            "400 or 422",
            b"[1,2]".to_vec(),
        ),
        (
            "text that is not UTF-8",
            "application/json",
            "400 or 422",
            b"{\"a\":\"\xff\"}".to_vec(),
        ),
        ("a foreign content type", "text/csv", "415", b"a,b".to_vec()),
        ("a body of 3 MiB", "application/json", "413", large()),
    ];
    let Some((method, template)) = &found.route else {
        for (case, ..) in &cases {
            let why = "no operation with a body is known; name one with --route 'PATCH /path'";
            probe
                .table
                .untested("S3", format!("{case} is a problem"), why);
        }
        return;
    };
    let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
    let path = &parameterless(template);
    for (case, media, wanted, body) in cases {
        let ask = Ask::contract("S3", format!("{case} is a problem ({wanted})"))
            .sent(format!("{method} {path} with {case} as {media}"));
        let call = Call::new(method.clone(), path)
            .with("content-type", media)
            .with_body(body);
        let result = match probe.client.send(&call).await {
            Ok(answer) => {
                probe
                    .table
                    .saw(format!("{method} {path} with {case}"), &answer);
                let status = answer.status.to_string();
                is_problem(&answer).and_then(|()| {
                    holds(wanted.split(" or ").any(|known| known == status), || {
                        format!("status {status}")
                    })
                })
            }
            Err(error) => Err(error.to_string()),
        };
        probe.table.judge(ask, result);
    }
}

/// The path with something in place of each `{name}`.
fn parameterless(template: &str) -> String {
    let mut path = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        let Some((_, after)) = after.split_once('}') else {
            break;
        };
        path.push_str("aon-check");
        rest = after;
    }
    path.push_str(rest);
    path
}

fn large() -> Vec<u8> {
    let mut body = b"{\"a\":\"".to_vec();
    body.resize(3 << 20, b'x');
    body.extend_from_slice(b"\"}");
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_are_filled() {
        assert_eq!(parameterless("/a/{id}/b/{x}"), "/a/aon-check/b/aon-check");
        assert_eq!(parameterless("/a"), "/a");
    }

    #[test]
    fn order_and_null_are_judged_on_the_wire() {
        assert!(in_order(br#"{"type":"a","status":4,"code":"x","zeta":1,"alpha":2}"#).is_ok());
        assert!(in_order(br#"{"status":4,"type":"a"}"#).is_err());
        assert!(in_order(br#"{"zeta":1,"type":"a"}"#).is_err());
        assert!(no_null(&serde_json::json!({"type": null})).is_err());
        assert!(no_null(&serde_json::json!({"own": null})).is_ok());
    }
}

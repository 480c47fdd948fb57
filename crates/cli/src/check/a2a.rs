//! The A2A clauses: numbers and data per protocol version, the agent card, the extension (S6).

use aon::surface::a2a::EXTENSION_URI;
use serde_json::{Value, json};

use crate::check::{Found, Probe, clip, envelope, holds, short};
use crate::http::{Answer, Call};

const SCHEMA: &str = "pspace.a2a.error.v1";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// Which table of numbers an answer is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    /// Our extension: the numbers of the contract, data is the object.
    Contract,
    /// No `A2A-Version`, which means 0.3.
    Absent,
    /// `A2A-Version: 0.3`.
    V03,
    /// `A2A-Version: 1.0`.
    V10,
}

impl Profile {
    const ALL: [Self; 4] = [Self::Contract, Self::Absent, Self::V03, Self::V10];

    const fn header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Contract => Some(("a2a-extensions", EXTENSION_URI)),
            Self::Absent => None,
            Self::V03 => Some(("a2a-version", "0.3")),
            Self::V10 => Some(("a2a-version", "1.0")),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Contract => "our extension",
            Self::Absent => "no version",
            Self::V03 => "0.3",
            Self::V10 => "1.0",
        }
    }

    /// The method that sends a message.
    const fn send(self) -> &'static str {
        match self {
            Self::V10 => "SendMessage",
            Self::Contract | Self::Absent | Self::V03 => "message/send",
        }
    }

    const fn get_task(self) -> &'static str {
        match self {
            Self::V10 => "GetTask",
            Self::Contract | Self::Absent | Self::V03 => "tasks/get",
        }
    }

    /// The number of a task that is not there.
    const fn task_not_found(self) -> i64 {
        match self {
            Self::Contract => -32003,
            Self::Absent | Self::V03 | Self::V10 => -32001,
        }
    }
}

/// Probes the agent; `path` overrides what its card says.
pub(crate) async fn probe(probe: &mut Probe<'_>, path: Option<&str>, found: &mut Found) {
    let card = card(probe).await;
    let endpoint = match (path, &card) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(card)) => endpoint(probe, card),
        (None, None) => Some(format!("{}/a2a", probe.client.target.path)),
    };
    let Some(endpoint) = endpoint else {
        let why = "the card names no JSON-RPC interface on this host; name it with --a2a PATH";
        return probe.table.untested("S6", "JSON-RPC errors", why);
    };
    let first = rpc(
        probe,
        &endpoint,
        Profile::Contract,
        &request(1, "aon/check", &json!({})),
    )
    .await;
    if let Err(why) = &first
        && path.is_none()
        && card.is_none()
    {
        return probe
            .table
            .untested("S6", "JSON-RPC errors", format!("{endpoint}: {why}"));
    }
    let extension = card.as_ref().and_then(extension);
    for profile in Profile::ALL {
        standard_failures(probe, &endpoint, profile).await;
    }
    malformed(probe, &endpoint).await;
    ids(probe, &endpoint).await;
    version(probe, &endpoint).await;
    activation(probe, &endpoint, extension.as_deref()).await;
    found.endpoint = Some(endpoint);
    found.skills = card.as_ref().map(skills).unwrap_or_default();
    probe.table.leaks();
}

async fn card(probe: &mut Probe<'_>) -> Option<Value> {
    let what = "the agent card is published and complete";
    let mut seen = String::new();
    for path in CARDS {
        match probe.client.send(&Call::get(path)).await {
            Ok(answer) if answer.status == 200 => {
                let Some(card) = answer.json().filter(Value::is_object) else {
                    seen = format!("{path} is no JSON object");
                    continue;
                };
                probe.table.claim("S6", what, complete(&card));
                let declared = extension(&card)
                    .map(drop)
                    .ok_or_else(|| "capabilities.extensions names no error envelope".to_owned());
                probe.table.claim(
                    "S6",
                    "the card declares the envelope as an extension",
                    declared,
                );
                return Some(card);
            }
            Ok(answer) => seen = format!("{path} answered {}", answer.status),
            Err(error) => seen = error.to_string(),
        }
    }
    probe.table.untested("S6", what, seen);
    None
}

fn complete(card: &Value) -> Result<(), String> {
    for member in ["name", "description", "version"] {
        holds(card.get(member).is_some_and(Value::is_string), || {
            format!("no {member}")
        })?;
    }
    for member in ["skills", "defaultInputModes", "defaultOutputModes"] {
        holds(card.get(member).is_some_and(Value::is_array), || {
            format!("no {member}")
        })?;
    }
    holds(
        card.get("capabilities").is_some_and(Value::is_object),
        || "no capabilities".to_owned(),
    )?;
    for skill in card
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        for member in ["id", "name", "description", "tags"] {
            holds(skill.get(member).is_some(), || {
                format!("a skill without {member}")
            })?;
        }
    }
    let placed = card.get("supportedInterfaces").is_some() || card.get("url").is_some();
    holds(placed, || "no supportedInterfaces and no url".to_owned())
}

/// The extension that declares the envelope: by its URI, or by the schema it names.
fn extension(card: &Value) -> Option<String> {
    card.pointer("/capabilities/extensions")?
        .as_array()?
        .iter()
        .find(|extension| {
            let uri = extension.get("uri").and_then(Value::as_str);
            let schema = extension.pointer("/params/schema").and_then(Value::as_str);
            uri == Some(EXTENSION_URI) || schema == Some(SCHEMA)
        })
        .and_then(|extension| extension.get("uri")?.as_str().map(str::to_owned))
}

fn skills(card: &Value) -> Vec<String> {
    let list = card.get("skills").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|skill| skill.get("id")?.as_str())
        .map(str::to_owned)
        .collect()
}

fn endpoint(probe: &Probe<'_>, card: &Value) -> Option<String> {
    let interfaces = card.get("supportedInterfaces").and_then(Value::as_array);
    let listed = interfaces.into_iter().flatten().filter(|interface| {
        interface.get("protocolBinding").and_then(Value::as_str) == Some("JSONRPC")
    });
    listed
        .filter_map(|interface| interface.get("url")?.as_str())
        .chain(card.get("url").and_then(Value::as_str))
        .find_map(|url| probe.client.target.path_of(url))
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn post(endpoint: &str, profile: Profile, body: String) -> Call {
    let call = Call::new(http::Method::POST, endpoint).with_json(body);
    match profile.header() {
        Some((name, value)) => call.with(name, value),
        None => call,
    }
}

async fn rpc(
    probe: &mut Probe<'_>,
    endpoint: &str,
    profile: Profile,
    body: &Value,
) -> Result<(Answer, Value), String> {
    let call = post(endpoint, profile, body.to_string());
    let answer = probe
        .client
        .send(&call)
        .await
        .map_err(|error| error.to_string())?;
    let json = answer
        .json()
        .filter(|json| json.get("jsonrpc").is_some())
        .ok_or_else(|| {
            let text = String::from_utf8_lossy(&answer.body);
            format!("status {} and no JSON-RPC: {}", answer.status, clip(&text))
        })?;
    probe.table.saw(format!("A2A {}", profile.name()), &answer);
    Ok((answer, json))
}

async fn standard_failures(probe: &mut Probe<'_>, endpoint: &str, profile: Profile) {
    let name = profile.name();
    let cases = [
        ("an unknown method", "aon/check", json!({}), -32601),
        (
            "parameters without a message",
            profile.send(),
            json!({}),
            -32602,
        ),
        (
            "parameters that are no object",
            profile.send(),
            json!([1]),
            -32602,
        ),
        (
            "a task that does not exist",
            profile.get_task(),
            json!({"id": "aon-check-no-such-task"}),
            profile.task_not_found(),
        ),
    ];
    for (case, method, params, wanted) in cases {
        let what = format!("{name}: {case} is {wanted} with the envelope");
        let outcome = match rpc(probe, endpoint, profile, &request(7, method, &params)).await {
            Ok((answer, body)) => number(&body, wanted)
                .and_then(|error| data(error, profile))
                .and_then(|()| {
                    holds(answer.status == 200, || {
                        format!("HTTP status {}: clients drop the body", answer.status)
                    })
                })
                .and_then(|()| {
                    holds(body.get("id") == Some(&json!(7)), || {
                        "the id is lost".to_owned()
                    })
                }),
            Err(why) => Err(why),
        };
        probe.table.claim("S6", what, outcome);
    }
}

fn number(body: &Value, wanted: i64) -> Result<&Value, String> {
    let error = body
        .get("error")
        .ok_or_else(|| format!("no error: {}", short(body)))?;
    let code = error.get("code").and_then(Value::as_i64);
    holds(code == Some(wanted), || match code {
        Some(code) => format!("the number is {code}"),
        None => "there is no number".to_owned(),
    })?;
    holds(
        error
            .get("message")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty()),
        || "no message".to_owned(),
    )?;
    Ok(error)
}

/// The shape of `error.data`: the object, or the array with `ErrorInfo` first.
fn data(error: &Value, profile: Profile) -> Result<(), String> {
    let data = error.get("data").ok_or_else(|| "no data".to_owned())?;
    if profile == Profile::Contract {
        return envelope::check(data, SCHEMA, "a2a");
    }
    let details = data
        .as_array()
        .ok_or_else(|| format!("data is no array: {}", short(data)))?;
    let kind = |detail: &Value| {
        detail
            .get("@type")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    holds(
        details.iter().all(|detail| kind(detail).contains('/')),
        || "an entry without @type".to_owned(),
    )?;
    holds(
        details
            .first()
            .is_some_and(|first| kind(first) == ERROR_INFO),
        || "the first entry is no ErrorInfo".to_owned(),
    )?;
    let infos = details
        .iter()
        .filter(|detail| kind(detail) == ERROR_INFO)
        .count();
    holds(infos == 1, || format!("{infos} ErrorInfos"))?;
    let info = details.first().unwrap_or(&Value::Null);
    for member in ["reason", "domain"] {
        holds(info.get(member).is_some_and(Value::is_string), || {
            format!("ErrorInfo without {member}")
        })?;
    }
    let strings = info.get("metadata").and_then(Value::as_object);
    holds(
        strings.is_none_or(|metadata| metadata.values().all(Value::is_string)),
        || "ErrorInfo.metadata holds more than strings".to_owned(),
    )?;
    let ours = details.iter().find(|detail| kind(detail).ends_with(SCHEMA));
    let ours = ours.ok_or_else(|| format!("no entry of type …/{SCHEMA}"))?;
    envelope::check(ours, SCHEMA, "a2a")
}

async fn malformed(probe: &mut Probe<'_>, endpoint: &str) {
    let cases = [
        ("broken JSON", "{\"jsonrpc\": ", -32700),
        ("an object that is no request", "{\"foo\": 1}", -32600),
        ("an empty batch", "[]", -32600),
    ];
    for (case, body, wanted) in cases {
        let what = format!("{case} is {wanted} with the envelope");
        let call = post(endpoint, Profile::V10, body.to_owned());
        let outcome = match probe.client.send(&call).await {
            Ok(answer) => {
                probe.table.saw(format!("A2A with {case}"), &answer);
                let json = answer.json().unwrap_or(Value::Null);
                number(&json, wanted)
                    .and_then(|error| data(error, Profile::V10))
                    .and_then(|()| {
                        holds(json.get("id") == Some(&Value::Null), || {
                            "the id is not null".to_owned()
                        })
                    })
            }
            Err(error) => Err(error.to_string()),
        };
        probe.table.claim("S6", what, outcome);
    }
}

async fn ids(probe: &mut Probe<'_>, endpoint: &str) {
    for id in [
        json!("a-b"),
        json!(0),
        json!(9_007_199_254_740_991_u64),
        json!(""),
    ] {
        let what = format!("the id {id} comes back as it was");
        let mut body = request(0, "aon/check", &json!({}));
        body["id"] = id.clone();
        let outcome = match rpc(probe, endpoint, Profile::V10, &body).await {
            Ok((_, json)) => holds(json.get("id") == Some(&id), || {
                json.get("id").map_or_else(|| "nothing".to_owned(), short)
            }),
            Err(why) => Err(why),
        };
        probe.table.claim("S6", what, outcome);
    }
}

async fn version(probe: &mut Probe<'_>, endpoint: &str) {
    let what = "an unknown A2A-Version is -32009 with the envelope";
    let body = request(3, "SendMessage", &json!({}));
    let call = Call::post(endpoint, &body).with("a2a-version", "9.9");
    let outcome = match probe.client.send(&call).await {
        Ok(answer) => {
            probe.table.saw("A2A with an unknown version", &answer);
            let json = answer.json().unwrap_or(Value::Null);
            number(&json, -32009)
                .and_then(|error| data(error, Profile::V10))
                .and_then(|()| {
                    let id = json.get("id").unwrap_or(&Value::Null);
                    holds(id == 3, || {
                        format!("the id of the request is 3, not {}", short(id))
                    })
                })
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("S6", what, outcome);
}

async fn activation(probe: &mut Probe<'_>, endpoint: &str, extension: Option<&str>) {
    let what = "an activated extension is echoed, and the data is the object";
    let Some(uri) = extension else {
        return probe.table.untested("S6", what, "the card declares none");
    };
    let body = request(4, "aon/check", &json!({}));
    let call = Call::post(endpoint, &body)
        .with("a2a-version", "1.0")
        .with("a2a-extensions", uri);
    let outcome = match probe.client.send(&call).await {
        Ok(answer) => {
            let echoed = answer
                .header("a2a-extensions")
                .unwrap_or_default()
                .to_owned();
            holds(echoed.split(',').any(|part| part.trim() == uri), || {
                format!("A2A-Extensions is {echoed:?}")
            })
            .and_then(|()| {
                let json = answer.json().unwrap_or(Value::Null);
                let error = number(&json, -32601)?;
                data(error, Profile::Contract)
            })
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.claim("S6", what, outcome);
}

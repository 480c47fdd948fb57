//! A2A: the numbers of each version are the protocol's, the envelope is the contract's (S6).

use aon::surface::a2a::EXTENSION_URI;
use serde_json::{Value, json};

use crate::check::{Ask, Found, Probe, clip, envelope, holds, short};
use crate::http::{Answer, Call};

const SCHEMA: &str = "pspace.a2a.error.v1";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// Which version of the protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// No `A2A-Version`, which means 0.3.
    Absent,
    /// `A2A-Version: 0.3`.
    V03,
    /// `A2A-Version: 1.0`.
    V10,
}

impl Version {
    const ALL: [Self; 3] = [Self::Absent, Self::V03, Self::V10];

    const fn header(self) -> Option<&'static str> {
        match self {
            Self::Absent => None,
            Self::V03 => Some("0.3"),
            Self::V10 => Some("1.0"),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Absent => "no version",
            Self::V03 => "0.3",
            Self::V10 => "1.0",
        }
    }

    /// Where its numbers stand.
    const fn source(self) -> &'static str {
        match self {
            Self::Absent | Self::V03 => "A2A 0.3 §8",
            Self::V10 => "A2A 1.0 §5.4",
        }
    }

    /// The method that sends a message.
    const fn send(self) -> &'static str {
        match self {
            Self::V10 => "SendMessage",
            Self::Absent | Self::V03 => "message/send",
        }
    }

    const fn get_task(self) -> &'static str {
        match self {
            Self::V10 => "GetTask",
            Self::Absent | Self::V03 => "tasks/get",
        }
    }

    /// Whether a card says that it is spoken.
    fn is_promised(self, card: Option<&Value>) -> bool {
        let wanted = match self {
            Self::Absent | Self::V03 => "0.3",
            Self::V10 => "1.",
        };
        let of = |value: &Value| {
            let version = value.get("protocolVersion").and_then(Value::as_str);
            version.is_some_and(|version| version.starts_with(wanted))
        };
        let listed = card.and_then(|card| card.get("supportedInterfaces")?.as_array());
        card.is_some_and(of) || listed.into_iter().flatten().any(of)
    }
}

const NO_TASK: &str = "aon-check-no-such-task";

/// Probes the agent; `path` overrides what its card says.
pub(crate) async fn probe(probe: &mut Probe<'_>, path: Option<&str>, found: &mut Found) {
    let card = card(probe).await;
    let endpoint = match (path, &card) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(card)) => endpoint(probe, card),
        (None, None) => Some(format!("{}/a2a", probe.client.target.path)),
    };
    let spoken = Ask::protocol("A2A 1.0 §9", "the server answers with JSON-RPC");
    let Some(endpoint) = endpoint else {
        let why = "the card names no JSON-RPC interface on this host; name it with --a2a PATH";
        return probe.table.skip(spoken, why);
    };
    let first = request(1, "aon/check", &json!({}));
    let spoken = spoken.sent(format!("POST {endpoint} {first}"));
    match rpc(probe, &endpoint, Version::V10, &first).await {
        Ok(_) => probe.table.judge(spoken, Ok(())),
        Err(why) if path.is_some() || card.is_some() => {
            let fix = "answer JSON-RPC where the card says that it is served";
            return probe.table.judge(spoken.fix(fix), Err(why));
        }
        Err(why) => return probe.table.skip(spoken, format!("{endpoint}: {why}")),
    }
    let extension = card.as_ref().and_then(extension);
    for version in Version::ALL {
        standard_failures(probe, &endpoint, version, card.as_ref()).await;
    }
    malformed(probe, &endpoint).await;
    ids(probe, &endpoint).await;
    unknown_version(probe, &endpoint).await;
    activation(probe, &endpoint, extension.as_deref()).await;
    found.endpoint = Some(endpoint);
    found.skills = card.as_ref().map(skills).unwrap_or_default();
    probe.table.leaks();
}

async fn card(probe: &mut Probe<'_>) -> Option<Value> {
    let ask = Ask::protocol("A2A 1.0 §8", "the agent card is published and complete")
        .fix("fill in the members that the card must have");
    let mut seen = String::new();
    for path in CARDS {
        match probe.client.send(&Call::get(path)).await {
            Ok(answer) if answer.status == 200 => {
                let Some(card) = answer.json().filter(Value::is_object) else {
                    seen = format!("{path} is not a JSON object");
                    continue;
                };
                probe
                    .table
                    .judge(ask.sent(format!("GET {path}")), complete(&card));
                let declared = extension(&card);
                probe.table.speaks_contract |= declared.is_some();
                probe.table.judge(
                    Ask::contract("S6", "the card declares the envelope as an extension")
                        .sent(format!("GET {path}"))
                        .fix("list the extension in capabilities.extensions of the card"),
                    declared.map(drop).ok_or_else(|| {
                        "capabilities.extensions does not name the error envelope".to_owned()
                    }),
                );
                return Some(card);
            }
            Ok(answer) => seen = format!("{path} answered {}", answer.status),
            Err(error) => seen = error.to_string(),
        }
    }
    probe.table.skip(ask, seen);
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

fn post(endpoint: &str, version: Version, body: String) -> Call {
    let call = Call::new(http::Method::POST, endpoint).with_json(body);
    match version.header() {
        Some(version) => call.with("a2a-version", version),
        None => call,
    }
}

async fn rpc(
    probe: &mut Probe<'_>,
    endpoint: &str,
    version: Version,
    body: &Value,
) -> Result<(Answer, Value), String> {
    let call = post(endpoint, version, body.to_string());
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
            format!("status {} without JSON-RPC: {}", answer.status, clip(&text))
        })?;
    probe.table.saw(format!("POST {endpoint} {body}"), &answer);
    Ok((answer, json))
}

/// Why a version is not judged: the server does not speak it, and its card does not say so.
async fn unspoken(
    probe: &mut Probe<'_>,
    endpoint: &str,
    version: Version,
    card: Option<&Value>,
) -> Option<String> {
    if version != Version::Absent && version.is_promised(card) {
        return None;
    }
    let body = request(6, version.get_task(), &json!({"id": NO_TASK}));
    let (_, json) = rpc(probe, endpoint, version, &body).await.ok()?;
    let code = json.pointer("/error/code").and_then(Value::as_i64);
    match code {
        Some(-32009) => Some("the server says that it does not speak this version".to_owned()),
        Some(-32601) => Some(format!(
            "the server does not know {}, the method of this version",
            version.get_task()
        )),
        _ => None,
    }
}

async fn standard_failures(
    probe: &mut Probe<'_>,
    endpoint: &str,
    version: Version,
    card: Option<&Value>,
) {
    let name = version.name();
    let cases: [(&str, &str, Value, &[i64], &'static str); 4] = [
        (
            "an unknown method",
            "aon/check",
            json!({}),
            &[-32601],
            "JSON-RPC 2.0 §5.1",
        ),
        (
            "parameters without a message",
            version.send(),
            json!({}),
            &[-32602],
            "JSON-RPC 2.0 §5.1",
        ),
        (
            "parameters that are not an object",
            version.send(),
            json!([1]),
            &[-32602, -32600],
            "JSON-RPC 2.0 §5.1",
        ),
        (
            "a task that does not exist",
            version.get_task(),
            json!({"id": NO_TASK}),
            // Without a version the contract lets a program keep the numbers of its own profile.
            if matches!(version, Version::Absent) {
                &[-32001, -32003]
            } else {
                &[-32001]
            },
            version.source(),
        ),
    ];
    let unspoken = unspoken(probe, endpoint, version, card).await;
    for (case, method, params, wanted, source) in cases {
        let body = request(7, method, &params);
        let header = version
            .header()
            .map_or_else(String::new, |version| format!(" (A2A-Version: {version})"));
        let sent = format!("POST {endpoint}{header} {body}");
        let numbers = wanted
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" or ");
        let number_ask = Ask::protocol(source, format!("{name}: {case} has its number"))
            .sent(&sent)
            .expects(format!("error.code {numbers}"))
            .fix("answer with the number of the specification; clients choose the exception by it");
        let id_ask = Ask::protocol("JSON-RPC 2.0 §5", format!("{name}: {case} keeps the id"))
            .sent(&sent)
            .fix("copy the id of the request into the answer");
        let status_ask = Ask::practice("A2A 1.0 §9.5", format!("{name}: {case} is HTTP 200"))
            .sent(&sent)
            .fix("answer JSON-RPC errors with HTTP 200; clients drop the body of other statuses");
        let form_ask = Ask::protocol("A2A 1.0 §9.5", format!("{name}: {case} has typed details"))
            .sent(&sent)
            .expects("error.data is an array of objects with @type")
            .fix("put details into an array, each with its @type");
        let envelope_ask = Ask::contract("S6", format!("{name}: {case} carries the envelope"))
            .sent(&sent)
            .expects("error.data holds the problem, its schema and machine_hints");
        if let Some(why) = &unspoken {
            probe.table.skip(number_ask, why);
            probe.table.skip(envelope_ask, why);
            continue;
        }
        let (answer, json) = match rpc(probe, endpoint, version, &body).await {
            Ok(answered) => answered,
            Err(why) => {
                probe.table.judge(number_ask, Err(why));
                continue;
            }
        };
        probe.table.judge(number_ask, number(&json, wanted));
        let id = json.get("id").unwrap_or(&Value::Null);
        probe
            .table
            .judge(id_ask, holds(id == 7, || format!("id {}", short(id))));
        probe.table.judge(
            status_ask,
            holds(answer.status == 200, || {
                format!("HTTP status {}", answer.status)
            }),
        );
        let data = json.pointer("/error/data");
        match data {
            _ if version != Version::V10 => {}
            Some(data) => probe.table.judge(form_ask, typed(data)),
            None => probe.table.skip(form_ask, "the error has no data"),
        }
        let found = enveloped(data);
        probe.table.speaks_contract |= found.is_ok();
        probe.table.judge(envelope_ask, found);
    }
}

/// Whether the error has one of these numbers, and a message.
fn number(body: &Value, wanted: &[i64]) -> Result<(), String> {
    let error = body
        .get("error")
        .ok_or_else(|| format!("not an error: {}", short(body)))?;
    let code = error.get("code").and_then(Value::as_i64);
    holds(
        code.is_some_and(|code| wanted.contains(&code)),
        || match code {
            Some(code) => format!("error.code {code}"),
            None => "an error without a number".to_owned(),
        },
    )?;
    let message = error.get("message").and_then(Value::as_str);
    holds(message.is_some_and(|text| !text.is_empty()), || {
        "an error without a message".to_owned()
    })
}

/// Whether the details are a list of objects that say what they are.
fn typed(data: &Value) -> Result<(), String> {
    let details = data
        .as_array()
        .ok_or_else(|| format!("data is not an array: {}", short(data)))?;
    let is_typed = |detail: &Value| detail.get("@type").is_some_and(Value::is_string);
    holds(details.iter().all(is_typed), || {
        "an entry without @type".to_owned()
    })
}

/// The envelope, as the object itself or as an entry behind the first `ErrorInfo`.
fn enveloped(data: Option<&Value>) -> Result<(), String> {
    let data = data.ok_or_else(|| "an error without data".to_owned())?;
    let Some(details) = data.as_array() else {
        return envelope::check(data, SCHEMA, "a2a");
    };
    let kind = |detail: &Value| {
        let kind = detail.get("@type").and_then(Value::as_str);
        kind.unwrap_or_default().to_owned()
    };
    let ours = details.iter().find(|detail| kind(detail).ends_with(SCHEMA));
    let ours = ours.ok_or_else(|| format!("no entry of type …/{SCHEMA}"))?;
    let first = details.first().unwrap_or(&Value::Null);
    holds(kind(first) == ERROR_INFO, || {
        "the first entry is not an ErrorInfo".to_owned()
    })?;
    let infos = details.iter().filter(|detail| kind(detail) == ERROR_INFO);
    let infos = infos.count();
    holds(infos == 1, || format!("{infos} ErrorInfos"))?;
    for member in ["reason", "domain"] {
        holds(first.get(member).is_some_and(Value::is_string), || {
            format!("ErrorInfo without {member}")
        })?;
    }
    let strings = first.get("metadata").and_then(Value::as_object);
    holds(
        strings.is_none_or(|metadata| metadata.values().all(Value::is_string)),
        || "ErrorInfo.metadata holds more than strings".to_owned(),
    )?;
    envelope::check(ours, SCHEMA, "a2a")
}

async fn malformed(probe: &mut Probe<'_>, endpoint: &str) {
    let cases = [
        ("broken JSON", "{\"jsonrpc\": ", -32700),
        ("an object that is not a request", "{\"foo\": 1}", -32600),
        ("an empty batch", "[]", -32600),
    ];
    for (case, body, wanted) in cases {
        let sent = format!("POST {endpoint} {body}");
        let number_ask = Ask::protocol("JSON-RPC 2.0 §5.1", format!("{case} has its number"))
            .sent(&sent)
            .expects(format!("error.code {wanted}, id null"))
            .fix("answer what cannot be read with the numbers of JSON-RPC");
        let envelope_ask = Ask::contract("S6", format!("{case} carries the envelope")).sent(&sent);
        let call = post(endpoint, Version::V10, body.to_owned());
        let answer = match probe.client.send(&call).await {
            Ok(answer) => answer,
            Err(error) => {
                probe.table.judge(number_ask, Err(error.to_string()));
                continue;
            }
        };
        probe.table.saw(sent, &answer);
        let json = answer.json().unwrap_or(Value::Null);
        let id = json.get("id").cloned().unwrap_or(Value::Null);
        let judged = number(&json, &[wanted])
            .and_then(|()| holds(id.is_null(), || format!("id {}", short(&id))));
        probe.table.judge(number_ask, judged);
        probe
            .table
            .judge(envelope_ask, enveloped(json.pointer("/error/data")));
    }
}

async fn ids(probe: &mut Probe<'_>, endpoint: &str) {
    for id in [
        json!("a-b"),
        json!(0),
        json!(9_007_199_254_740_991_u64),
        json!(""),
    ] {
        let mut body = request(0, "aon/check", &json!({}));
        body["id"] = id.clone();
        let ask = Ask::protocol(
            "JSON-RPC 2.0 §5",
            format!("the id {id} comes back as it was"),
        )
        .sent(format!("POST {endpoint} {body}"))
        .fix("copy the id of the request into the answer");
        let outcome = match rpc(probe, endpoint, Version::V10, &body).await {
            Ok((_, json)) => holds(json.get("id") == Some(&id), || {
                json.get("id").map_or_else(|| "nothing".to_owned(), short)
            }),
            Err(why) => Err(why),
        };
        probe.table.judge(ask, outcome);
    }
}

async fn unknown_version(probe: &mut Probe<'_>, endpoint: &str) {
    let body = request(3, "SendMessage", &json!({}));
    let sent = format!("POST {endpoint} (A2A-Version: 9.9) {body}");
    let number_ask = Ask::protocol("A2A 1.0 §3.6", "an unknown A2A-Version has its number")
        .sent(&sent)
        .expects("error.code -32009, with the id of the request")
        .fix("answer versions that you do not support with VersionNotSupportedError");
    let envelope_ask =
        Ask::contract("S6", "an unknown A2A-Version carries the envelope").sent(&sent);
    let call = Call::post(endpoint, &body).with("a2a-version", "9.9");
    let answer = match probe.client.send(&call).await {
        Ok(answer) => answer,
        Err(error) => return probe.table.judge(number_ask, Err(error.to_string())),
    };
    probe.table.saw(sent, &answer);
    let json = answer.json().unwrap_or(Value::Null);
    let code = json.pointer("/error/code").and_then(Value::as_i64);
    if code == Some(-32601) {
        let why = "the server does not speak 1.0, which introduced versions";
        probe.table.skip(number_ask, why);
        return probe.table.skip(envelope_ask, why);
    }
    let id = json.get("id").cloned().unwrap_or(Value::Null);
    let judged =
        number(&json, &[-32009]).and_then(|()| holds(id == 3, || format!("id {}", short(&id))));
    probe.table.judge(number_ask, judged);
    probe
        .table
        .judge(envelope_ask, enveloped(json.pointer("/error/data")));
}

async fn activation(probe: &mut Probe<'_>, endpoint: &str, extension: Option<&str>) {
    let ask = Ask::contract(
        "S6",
        "an activated extension is echoed, and the data is the object",
    );
    let Some(uri) = extension else {
        return probe.table.skip(ask, "the card does not declare it");
    };
    let body = request(4, "aon/check", &json!({}));
    let ask = ask.sent(format!("POST {endpoint} (A2A-Extensions: {uri}) {body}"));
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
                number(&json, &[-32601])?;
                let data = json.pointer("/error/data").unwrap_or(&Value::Null);
                envelope::check(data, SCHEMA, "a2a")
            })
        }
        Err(error) => Err(error.to_string()),
    };
    probe.table.judge(ask, outcome);
}

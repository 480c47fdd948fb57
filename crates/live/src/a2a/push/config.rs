//! The configuration of a push notification: what is read, what is kept, and what is told of it.

use aon::Failure;
use http::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Errand, Verb};
use crate::a2a::fault::{AgentFault, invalid};
use crate::a2a::send::fresh;
use crate::a2a::{Agent, Asked};
use crate::surface::a2a::{Dialect, kind};

/// An address that is to be told, and how it knows that it is we.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Config {
    pub(super) id: String,
    url: String,
    token: Option<String>,
    scheme: Option<String>,
    credentials: Option<String>,
    /// Whether it is told in the words of 0.3.
    old: bool,
    /// Whether whoever named it sees details.
    pub(super) detail: bool,
}

/// The longest of each.
const ID: usize = 128;
const URL: usize = 2048;
const SECRET: usize = 4096;
const SCHEME: usize = 64;

impl Config {
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn dialect(&self) -> Dialect {
        if self.old { Dialect::V03 } else { Dialect::V10 }
    }

    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The value of the header `Authorization`.
    pub(super) fn authorization(&self) -> Option<String> {
        let (scheme, credentials) = (self.scheme.as_deref()?, self.credentials.as_deref()?);
        Some(format!("{scheme} {credentials}"))
    }

    /// What is told of it: everything but its secrets.
    pub(super) fn shown(&self) -> Value {
        let mut shown = json!({"id": self.id, "url": self.url});
        if let Some(scheme) = &self.scheme {
            shown["scheme"] = json!(scheme);
        }
        shown
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Reads what is asked, and about which task.
pub(super) fn read(
    verb: Verb,
    params: &Value,
    dialect: Dialect,
) -> Result<(String, Errand), Failure> {
    let Some(members) = params.as_object() else {
        return Err(invalid(
            "",
            &format!("params must be an object, not {}", kind(params)),
        ));
    };
    let old = dialect == Dialect::V03;
    let task_place = if old && verb != Verb::Create {
        "id"
    } else {
        "taskId"
    };
    let task = text(members, task_place, "", ID)?.ok_or_else(|| {
        let reason = format!("{task_place} is required: the id of the task");
        invalid(&format!("/{task_place}"), &reason)
    })?;
    let id_place = if old {
        "pushNotificationConfigId"
    } else {
        "id"
    };
    let id = || text(members, id_place, "", ID);
    let required = || {
        let reason = format!("{id_place} is required: the id of the configuration");
        invalid(&format!("/{id_place}"), &reason)
    };
    let errand = match verb {
        Verb::Create => {
            let (given, place) = if old {
                let given = members
                    .get("pushNotificationConfig")
                    .unwrap_or(&Value::Null);
                (given, "/pushNotificationConfig")
            } else {
                (params, "")
            };
            let config = Box::new(config(given, place, dialect)?);
            Errand::Create { config }
        }
        Verb::Get if old => Errand::Get { id: id()? },
        Verb::Get => Errand::Get {
            id: Some(id()?.ok_or_else(required)?),
        },
        Verb::List => {
            page(members)?;
            Errand::List
        }
        Verb::Delete => Errand::Delete {
            id: id()?.ok_or_else(required)?,
        },
    };
    Ok((task, errand))
}

/// A list is one page, as there are never more than fit.
fn page(members: &Map<String, Value>) -> Result<(), Failure> {
    let size = members.get("pageSize").filter(|size| !size.is_null());
    if size.is_some_and(|size| size.as_u64().is_none()) {
        return Err(invalid("/pageSize", "pageSize must be a number, 0 or more"));
    }
    match text(members, "pageToken", "", ID)? {
        None => Ok(()),
        Some(_) => Err(invalid(
            "/pageToken",
            "pageToken must be the nextPageToken of an answer; this list has one page",
        )),
    }
}

/// The configuration that comes with a message.
pub(crate) fn inline(
    agent: &Agent,
    configuration: &Map<String, Value>,
    asked: &Asked,
) -> Result<Option<Config>, Failure> {
    for name in ["taskPushNotificationConfig", "pushNotificationConfig"] {
        let given = configuration.get(name).filter(|given| !given.is_null());
        if let Some(given) = given {
            let Some(push) = &agent.0.push else {
                return Err(AgentFault::PushNotificationNotSupported.failure());
            };
            let place = format!("/configuration/{name}");
            let mut config = config(given, &place, asked.dialect)?;
            config.detail = asked.detail;
            return if push.allows(&config.url) {
                Ok(Some(config))
            } else {
                Err(not_allowed_at(&format!("{place}/url")))
            };
        }
    }
    Ok(None)
}

fn config(given: &Value, place: &str, dialect: Dialect) -> Result<Config, Failure> {
    let Some(members) = given.as_object() else {
        let reason = format!("the configuration must be an object, not {}", kind(given));
        return Err(invalid(place, &reason));
    };
    let url = text(members, "url", place, URL)?.ok_or_else(|| {
        invalid(
            &format!("{place}/url"),
            "url is required: where notifications are sent",
        )
    })?;
    let token = secret(members, "token", place)?;
    let (mut scheme, mut credentials) = (None, None);
    if let Some(given) = members
        .get("authentication")
        .filter(|given| !given.is_null())
    {
        let place = format!("{place}/authentication");
        let Some(members) = given.as_object() else {
            let reason = format!("authentication must be an object, not {}", kind(given));
            return Err(invalid(&place, &reason));
        };
        let named = match members.get("schemes") {
            // A client of 0.3 names several, and has credentials for one.
            Some(Value::Array(schemes)) if members.get("scheme").is_none() => schemes.first(),
            _ => members.get("scheme"),
        };
        let known = named
            .and_then(Value::as_str)
            .filter(|scheme| is_token(scheme));
        let known = known.ok_or_else(|| {
            let (name, example) = match dialect {
                Dialect::V03 => ("schemes", "[\"Bearer\"]"),
                Dialect::V10 => ("scheme", "\"Bearer\""),
            };
            let reason =
                format!("{name} must name a scheme of HTTP authentication, such as {example}");
            invalid(&format!("{place}/{name}"), &reason)
        })?;
        scheme = Some(known.to_owned());
        credentials = secret(members, "credentials", &place)?;
    }
    Ok(Config {
        id: text(members, "id", place, ID)?.unwrap_or_else(|| match dialect {
            Dialect::V10 => fresh(),
            // There it is set: a second one without an id takes the place of the first.
            Dialect::V03 => "default".to_owned(),
        }),
        url,
        token,
        scheme,
        credentials,
        old: dialect == Dialect::V03,
        detail: false,
    })
}

/// A text that is there and not empty.
fn text(
    members: &Map<String, Value>,
    name: &str,
    place: &str,
    longest: usize,
) -> Result<Option<String>, Failure> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= longest => {
            Ok(Some(text.clone()).filter(|text| !text.is_empty()))
        }
        Some(_) => {
            let reason = format!("{name} must be a text of at most {longest} bytes");
            Err(invalid(&format!("{place}/{name}"), &reason))
        }
    }
}

/// A text that goes out in a header.
fn secret(
    members: &Map<String, Value>,
    name: &str,
    place: &str,
) -> Result<Option<String>, Failure> {
    let found = text(members, name, place, SECRET)?;
    if found
        .as_deref()
        .is_some_and(|text| HeaderValue::from_str(text).is_err())
    {
        let reason = format!("{name} must be a text that can stand in a header of HTTP");
        return Err(invalid(&format!("{place}/{name}"), &reason));
    }
    Ok(found)
}

/// Whether it is a token of HTTP.
fn is_token(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= SCHEME && text.bytes().all(fits)
}

pub(super) fn not_allowed(dialect: Dialect) -> Failure {
    not_allowed_at(match dialect {
        Dialect::V03 => "/pushNotificationConfig/url",
        Dialect::V10 => "/url",
    })
}

/// Which origins are allowed is not told: the names of an operator's own network are nobody's business.
pub(super) fn not_allowed_at(place: &str) -> Failure {
    invalid(
        place,
        "url is not an address that this agent may call. Its operator lists the origins that notifications may go to; ask for yours to be added, or \
            follow the task with SubscribeToTask",
    )
}

/// An answer in the words of a version.
pub(super) fn answer(verb: Verb, told: &Value, task: &str, dialect: Dialect) -> Value {
    match (verb, dialect) {
        (Verb::Create | Verb::Get, _) => one(told, task, dialect),
        (Verb::List, _) => {
            let all = told.as_array().into_iter().flatten();
            let all: Vec<Value> = all.map(|told| one(told, task, dialect)).collect();
            match dialect {
                Dialect::V10 => json!({"configs": all, "nextPageToken": ""}),
                Dialect::V03 => Value::Array(all),
            }
        }
        (Verb::Delete, Dialect::V10) => json!({}),
        (Verb::Delete, Dialect::V03) => Value::Null,
    }
}

fn one(told: &Value, task: &str, dialect: Dialect) -> Value {
    let mut config = json!({"id": told["id"], "url": told["url"]});
    if let Some(scheme) = told.get("scheme") {
        config["authentication"] = match dialect {
            Dialect::V10 => json!({"scheme": scheme}),
            Dialect::V03 => json!({"schemes": [scheme]}),
        };
    }
    match dialect {
        Dialect::V10 => {
            config["taskId"] = json!(task);
            config
        }
        Dialect::V03 => json!({"taskId": task, "pushNotificationConfig": config}),
    }
}

//! JSON-RPC 2.0 requests as they come: one or a batch, with ids kept to the letter.

use std::collections::BTreeMap;

use aon::Json;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::demo::rpc::RpcError;

/// One request. Without an id it is a notification.
pub(crate) struct Request {
    pub(crate) id: Option<Json>,
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// One request, or what is wrong with it and the id to say so under.
type Read = Result<Request, (Option<Json>, RpcError)>;

/// What a body holds.
pub(crate) enum Incoming {
    One(Read),
    Batch(Vec<Read>),
}

/// Reads a body.
pub(crate) fn parse(bytes: &[u8]) -> Result<Incoming, RpcError> {
    let raw: &RawValue = serde_json::from_slice(bytes).map_err(|error| RpcError::ParseError {
        reason: error.to_string(),
    })?;
    if !raw.get().starts_with('[') {
        return Ok(Incoming::One(one(raw)));
    }
    let requests: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|error| RpcError::ParseError {
            reason: error.to_string(),
        })?;
    if requests.is_empty() {
        return Err(RpcError::InvalidRequest {
            reason: "the batch is empty",
        });
    }
    Ok(Incoming::Batch(requests.into_iter().map(one).collect()))
}

fn one(raw: &RawValue) -> Read {
    let invalid = |id: Option<Json>, reason| Err((id, RpcError::InvalidRequest { reason }));
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(raw.get()) else {
        return invalid(None, "it is no object");
    };
    let id = match members.get("id").map(|raw| raw.get()) {
        None => None,
        Some(text)
            if text.starts_with(['"', '-', 'n'])
                || text.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            match Json::parse(text) {
                Ok(id) => Some(id),
                Err(_) => return invalid(None, "the id is no JSON"),
            }
        }
        Some(_) => return invalid(None, "the id is neither a string nor a number"),
    };
    let text = |name: &str| {
        members
            .get(name)
            .and_then(|raw| serde_json::from_str::<String>(raw.get()).ok())
    };
    if text("jsonrpc").as_deref() != Some("2.0") {
        return invalid(id, "jsonrpc is not \"2.0\"");
    }
    let Some(method) = text("method") else {
        return invalid(id, "there is no method");
    };
    let params = match members.get("params") {
        Some(raw) => match serde_json::from_str(raw.get()) {
            Ok(params) => params,
            Err(_) => return invalid(id, "the params are nested too deep"),
        },
        None => Value::Null,
    };
    Ok(Request { id, method, params })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Read {
        match parse(body.as_bytes()) {
            Ok(Incoming::One(read)) => read,
            Ok(Incoming::Batch(_)) => panic!("one was expected"),
            Err(error) => Err((None, error)),
        }
    }

    #[test]
    fn ids_are_kept_to_the_letter() {
        for id in [
            "1",
            "\"a\"",
            "null",
            "-7",
            "1.50",
            "12345678901234567890123",
            "\"\"",
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            let request = read(&body).ok().unwrap();
            assert_eq!(request.id.unwrap().as_str(), id);
        }
        assert!(
            read(r#"{"jsonrpc":"2.0","method":"m"}"#)
                .ok()
                .unwrap()
                .id
                .is_none()
        );
    }

    #[test]
    fn what_is_no_request_says_why() {
        for (body, wanted) in [
            (r#"{"foo":1}"#, "jsonrpc"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, "id"),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, "id"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "jsonrpc"),
            ("5", "object"),
            ("[]", "empty"),
            ("{", "JSON"),
            ("", "JSON"),
        ] {
            let (_, error) = read(body).err().unwrap();
            assert!(error.to_string().contains(wanted), "{body}: {error}");
        }
    }
}

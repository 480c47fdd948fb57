//! Messages as bytes: a header, an empty line, JSON.
//!
//! A message that cannot be read is answered and forgotten; the session goes on with the next one.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Map, Value, json};

/// What the editor said.
#[derive(Debug)]
pub(super) enum Incoming {
    /// Something that wants an answer.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// Something that wants none.
    Notification { method: String, params: Value },
    /// An answer to something we asked.
    Answer,
    /// Bytes that are not JSON.
    Unreadable(String),
    /// JSON that is not a message; with its id, when it has one.
    Malformed { id: Value, reason: String },
}

/// The next message; none at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length: Option<u64> = None;
    let mut started = false;
    loop {
        let Some(line) = header(input)? else {
            return Ok(None);
        };
        let line = line.trim_ascii();
        if line.is_empty() {
            match length {
                Some(length) => return body(input, length).map(Some),
                None if started => {
                    return Ok(Some(Incoming::Unreadable(
                        "the header has no Content-Length".to_owned(),
                    )));
                }
                None => continue,
            }
        }
        started = true;
        let text = String::from_utf8_lossy(line);
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// One line of the header, cut where no header is that long.
fn header(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.take(MAX_HEADER).read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    if length > MAX_BODY {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(Incoming::Unreadable(format!(
            "{skipped} bytes are more than the {MAX_BODY} a message may have"
        )));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    Ok(parse(&bytes))
}

fn parse(bytes: &[u8]) -> Incoming {
    let mut message: Map<String, Value> = match serde_json::from_slice(bytes) {
        Ok(Value::Object(message)) => message,
        Ok(_) => {
            return Incoming::Malformed {
                id: Value::Null,
                reason: "a message is a JSON object".to_owned(),
            };
        }
        Err(error) => return Incoming::Unreadable(error.to_string()),
    };
    let id = message.remove("id");
    let params = message.remove("params").unwrap_or(Value::Null);
    match (id, message.remove("method")) {
        (Some(id @ (Value::String(_) | Value::Number(_))), Some(Value::String(method))) => {
            Incoming::Request { id, method, params }
        }
        (None, Some(Value::String(method))) => Incoming::Notification { method, params },
        (Some(_), None) if message.contains_key("result") || message.contains_key("error") => {
            Incoming::Answer
        }
        (id, Some(Value::String(_))) => Incoming::Malformed {
            id: Value::Null,
            reason: format!(
                "an id is text or a number, not {}",
                id.unwrap_or(Value::Null)
            ),
        },
        (id, _) => Incoming::Malformed {
            id: id
                .filter(|id| id.is_string() || id.is_number())
                .unwrap_or(Value::Null),
            reason: "there is no method".to_owned(),
        },
    }
}

/// Writes a message.
pub(super) fn write(out: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    out.flush()
}

/// Something the editor is told.
pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Something the editor is asked.
pub(super) fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// The answer to a request.
pub(super) fn response(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

const MAX_HEADER: u64 = 8 * 1024;
const MAX_BODY: u64 = 256 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut seen = Vec::new();
        while let Some(message) = read(&mut input).unwrap() {
            seen.push(match message {
                Incoming::Request { id, method, .. } => format!("request {id} {method}"),
                Incoming::Notification { method, .. } => format!("notification {method}"),
                Incoming::Answer => "answer".to_owned(),
                Incoming::Unreadable(_) => "unreadable".to_owned(),
                Incoming::Malformed { id, .. } => format!("malformed {id}"),
            });
        }
        seen
    }

    fn framed(bodies: &[&str]) -> Vec<u8> {
        let frame = |body: &&str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        bodies.iter().map(frame).collect::<String>().into_bytes()
    }

    #[test]
    fn a_bad_message_does_not_end_the_session() {
        let bytes = framed(&[
            r#"{"id":1,"method":"a"}"#,
            "{oops",
            "[1]",
            r#"{"id":null,"method":"b"}"#,
            r#"{"id":7}"#,
            r#"{"id":"x","result":null}"#,
            r#"{"method":"ä"}"#,
        ]);
        assert_eq!(
            all(&bytes),
            [
                "request 1 a",
                "unreadable",
                "malformed null",
                "malformed null",
                "malformed 7",
                "answer",
                "notification ä"
            ]
        );
    }

    #[test]
    fn headers_are_lenient_and_a_missing_length_is_said() {
        let mut bytes =
            b"Content-Type: x\r\n\r\ngarbage\ncontent-length : 14\n\n{\"method\":\"a\"}".to_vec();
        assert_eq!(all(&bytes), ["unreadable", "notification a"]);
        bytes.truncate(bytes.len() - 3);
        assert_eq!(all(&bytes), ["unreadable", "unreadable"]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, &request("1", "ä/𝄞", &json!({}))).unwrap();
        write(&mut bytes, &notification("n", &Value::Null)).unwrap();
        write(&mut bytes, &response(&json!(3), &Value::Null)).unwrap();
        assert_eq!(
            all(&bytes),
            ["request \"1\" ä/𝄞", "notification n", "answer"]
        );
    }
}

use ::jsonrpsee::core::server::MethodResponse;
use ::jsonrpsee::types::error::{
    ErrorCode, reject_too_big_batch_request, reject_too_big_batch_response, reject_too_big_request,
};
use ::jsonrpsee::types::{ErrorObject, ErrorObjectOwned, Id};
use serde_json::{Value, json};

use super::*;

/// An error as jsonrpsee writes it.
fn said(id: Id<'_>, error: impl Into<ErrorObject<'static>>) -> String {
    MethodResponse::error(id, error.into())
        .as_json()
        .get()
        .to_owned()
}

fn told(text: &str) -> Option<Value> {
    let out = answer(text.as_bytes(), &Profile::PSPACE)?;
    Some(serde_json::from_slice(&out).unwrap())
}

#[test]
fn what_jsonrpsee_says_by_itself_is_told_in_full() {
    let off = ErrorObject::borrowed(BATCHES_NOT_SUPPORTED_CODE, BATCHES_NOT_SUPPORTED_MSG, None);
    let cases: [(ErrorObject<'static>, i64, &str, &str); 5] = [
        (ErrorCode::ParseError.into(), -32700, "parse_error", ""),
        (
            ErrorCode::InvalidRequest.into(),
            -32600,
            "invalid_request",
            "",
        ),
        (off, -32600, "batches_not_supported", ""),
        (
            reject_too_big_request(77),
            -32600,
            "request_too_large",
            "77",
        ),
        (
            reject_too_big_batch_request(5),
            -32600,
            "batch_too_large",
            "5",
        ),
    ];
    for (error, number, code, limit) in cases {
        let told = told(&said(Id::Null, error)).unwrap();
        assert_eq!(told["jsonrpc"], "2.0");
        assert_eq!(told["id"], Value::Null);
        assert_eq!(told["error"]["code"], number, "{told}");
        let data = &told["error"]["data"];
        assert_eq!(data["code"], code, "{told}");
        assert!(data["detail"].as_str().unwrap().contains(limit), "{told}");
        assert!(data["remediation"]["message"].is_string(), "{told}");
        assert!(data["request_id"].is_string(), "{told}");
    }
}

#[test]
fn ids_come_back_as_they_were() {
    for id in [
        Id::Number(0),
        Id::Number(u64::MAX),
        Id::Str("".into()),
        Id::Str("a\"b\\".into()),
        Id::Str("\\\\\",\"error\":{".into()),
        Id::Str("ü☃\u{1}".into()),
        Id::Str("x".repeat(3000).into()),
    ] {
        let told = told(&said(id.clone(), ErrorCode::InvalidRequest)).unwrap();
        assert_eq!(told["id"], serde_json::to_value(&id).unwrap());
        assert_eq!(told["error"]["data"]["code"], "invalid_request");
    }
}

#[test]
fn whatever_else_leaves_stays_as_it_is() {
    let bare = said(Id::Null, ErrorCode::ParseError);
    let own = |number, words: &'static str, data: Option<Value>| {
        said(Id::Number(1), ErrorObjectOwned::owned(number, words, data))
    };
    let problem = answer(bare.as_bytes(), &Profile::PSPACE).unwrap();
    let cases = [
        String::new(),
        "{".to_owned(),
        format!("[{bare}]"),
        format!(" {bare}"),
        bare[..bare.len() - 1].to_owned(),
        format!("{bare}x"),
        String::from_utf8(problem).unwrap(),
        json!({"jsonrpc": "2.0", "id": 1, "result": bare}).to_string(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{bare}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"tick","params":{bare}}}"#),
        r#"{"jsonrpc":"2.0","id":"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"abc"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"abc\","error":{"code":-32700}}"#.to_owned(),
        // What a program says with these numbers is its own.
        own(-32700, "mine", None),
        own(-32600, "Invalid request", Some(json!({"mine": true}))),
        own(-32600, "Invalid request", Some(json!("mine"))),
        own(
            -32007,
            "Request is too big",
            Some(json!("Exceeded max limit of fun")),
        ),
        own(-1234, "Parse error", None),
        // What a middleware was asked about.
        said(Id::Number(1), ErrorCode::MethodNotFound),
        said(Id::Number(1), ErrorCode::InvalidParams),
        said(Id::Number(1), ErrorCode::InternalError),
        said(Id::Number(1), ErrorCode::ServerIsBusy),
        said(Id::Null, reject_too_big_batch_response(5)),
    ];
    for text in cases {
        assert_eq!(told(&text), None, "{text}");
    }
    assert_eq!(
        answer(
            b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"error\":{\"code\":-32700}}",
            &Profile::PSPACE
        ),
        None
    );
}

//! The errors of services and frameworks, adopted. What is expected was written down before it was tried.

use aon::axum::ProblemLayer;
use serde_json::Value;

/// Each line is a body, and the code, the sentence and the fields it is read as.
fn all_read_well(cases: &str) -> usize {
    let (parts, ()) = axum::http::Response::builder()
        .status(409)
        .header("content-type", "application/json")
        .body(())
        .unwrap()
        .into_parts();
    let layer = ProblemLayer::new();
    let (mut covered, mut wrong) = (0, Vec::new());
    for line in cases.trim().lines() {
        let columns: Vec<&str> = line.split(" |").map(str::trim).collect();
        let [body, code, says, fields] = columns[..] else {
            panic!("{line}");
        };
        let problem = layer.read(&parts, "/orders", body.as_bytes());
        let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found: Vec<String> = wire["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| format!("{}={}", text(&one["pointer"]), text(&one["detail"])))
            .collect();
        let read = (text(&wire["code"]), text(&wire["detail"]), found.join(","));
        if read != (code.to_owned(), says.to_owned(), fields.to_owned()) {
            wrong.push(format!("{body}\n    {read:?}\n    {wire}"));
        }
        covered += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    covered
}

#[test]
fn errors_of_services_are_read_well() {
    let covered = all_read_well(
        r#"
{"timestamp":"2026-05-01T10:00:00.000+00:00","status":400,"error":"Bad Request","message":"Validation failed for object='order'. Error count: 2","errors":[{"codes":["NotBlank.order.name"],"arguments":[{"codes":["order.name"]}],"defaultMessage":"must not be blank","objectName":"order","field":"name","rejectedValue":"","bindingFailure":false,"code":"NotBlank"},{"defaultMessage":"must be greater than 0","objectName":"order","field":"qty","code":"Positive"}],"path":"/orders"} | conflict | Validation failed for object='order'. Error count: 2 | #/name=must not be blank,#/qty=must be greater than 0
{"items":[{},{"qty":["A valid integer is required."]}],"non_field_errors":["Total is too high."]} | conflict | items/1/qty: A valid integer is required. Total is too high. | #/items/1/qty=A valid integer is required.,#=Total is too high.
{"detail":[{"type":"string_too_short","loc":["query","q"],"msg":"String should have at least 3 characters","input":"a","ctx":{"min_length":3},"url":"https://errors.pydantic.dev/2.9/v/string_too_short"},{"type":"missing","loc":["body","lines",0,"qty"],"msg":"Field required","input":{}}]} | conflict | q: String should have at least 3 characters; lines/0/qty: Field required | #/q=String should have at least 3 characters,#/lines/0/qty=Field required
{"message":"API rate limit exceeded for 1.2.3.4.","documentation_url":"https://docs.github.com/rest/rate-limit"} | conflict | API rate limit exceeded for 1.2.3.4. |
{"error":{"code":403,"message":"Cloud Storage API has not been used in project 7 before.","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","domain":"googleapis.com","metadata":{"service":"storage.googleapis.com"}}]}} | permission_denied | Cloud Storage API has not been used in project 7 before. |
{"errors":[{"message":"Cannot query field \"x\" on type \"Query\".","locations":[{"line":1,"column":3}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}],"data":null} | graphql_validation_failed | Cannot query field "x" on type "Query". |
{"errors":"[API] Invalid API key or access token"} | conflict | [API] Invalid API key or access token |
{"error":{"message":"Error validating access token.","type":"OAuthException","code":190,"error_subcode":463,"fbtrace_id":"A1"}} | o_auth_exception | Error validating access token. |
{"name":"UNPROCESSABLE_ENTITY","message":"The requested action could not be performed.","debug_id":"b1a2","details":[{"field":"/purchase_units/0/amount","value":"x","issue":"MISSING_REQUIRED_PARAMETER","description":"A required field is missing."}],"links":[{"href":"https://developer.paypal.com/x","rel":"information_link"}]} | unprocessable_entity | The requested action could not be performed. | #/purchase_units/0/amount=A required field is missing.
{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}} | insufficient_quota | You exceeded your current quota. |
{"errorMessage":"User exists with same username"} | conflict | User exists with same username |
{"type":"https://symfony.com/errors/validation","title":"Validation Failed","status":422,"detail":"name: This value should not be blank.","violations":[{"propertyPath":"name","title":"This value should not be blank.","template":"This value should not be blank.","parameters":{"{{ value }}":"\"\""},"type":"urn:uuid:c1051bb4-d103-4f74-8988-acbcafc7fdc3"}]} | validation | name: This value should not be blank. | #/name=This value should not be blank.
{"code":101,"error":"Object not found."} | conflict | Object not found. |
{"error":{"code":"SY/530","message":{"lang":"en","value":"Resource not found for segment 'Orders'"}}} | conflict | Resource not found for segment 'Orders' |
{"object":"error","status":400,"code":"validation_error","message":"body failed validation: body.parent should be defined.","request_id":"r1"} | validation_error | body failed validation: body.parent should be defined. |
{"message":"Not enough stock","errorCode":"STOCK_LOW","fields":{"qty":"only 3 are left"}} | stock_low | Not enough stock | #/qty=only 3 are left
"#,
    );
    assert!(covered > 12, "{covered}");
}

#[test]
fn errors_of_more_services_are_read_well() {
    let covered = all_read_well(
        r#"
{"status":409,"error":"Conflict"} | conflict | The request conflicts with the current state; read that state, then decide whether to send the request again. |
{"message":"The name field is required. (and 1 more error)","errors":{"name":["The name field is required."],"lines.0.qty":["The lines.0.qty field must be an integer."]}} | conflict | The name field is required. (and 1 more error) | #/lines/0/qty=The lines.0.qty field must be an integer.,#/name=The name field is required.
{"statusCode":400,"error":"Bad Request","message":"Invalid request payload input","validation":{"source":"payload","keys":["name"]}} | conflict | Invalid request payload input |
{"error":{"code":"card_declined","decline_code":"insufficient_funds","doc_url":"https://stripe.com/docs/error-codes/card-declined","message":"Your card has insufficient funds.","param":"source","type":"card_error"}} | card_declined | Your card has insufficient funds. | #/source=Your card has insufficient funds.
{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"} | resource_not_found_exception | Requested resource not found |
{"code":20404,"message":"The requested resource /Calls/CA1.json was not found","more_info":"https://www.twilio.com/docs/errors/20404","status":404} | conflict | The requested resource /Calls/CA1.json was not found |
{"title":"Invalid Request","detail":"One or more parameters to your request was invalid.","type":"https://api.twitter.com/2/problems/invalid-request","errors":[{"parameters":{"ids":["abc"]},"message":"The `ids` query parameter value [abc] is not valid"}]} | invalid_request | One or more parameters to your request was invalid. | #=The `ids` query parameter value [abc] is not valid
{"errors":[{"code":34,"message":"Sorry, that page does not exist."}]} | conflict | Sorry, that page does not exist. |
{"error":{"json":{"message":"No such order","code":-32004,"data":{"code":"NOT_FOUND","httpStatus":404,"path":"order.find"}}}} | not_found | No such order |
{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: Field required"},"request_id":"req_011"} | invalid_request_error | max_tokens: Field required |
{"responseStatus":{"errorCode":"ValidationException","message":"'Name' must not be empty.","errors":[{"errorCode":"NotEmpty","fieldName":"Name","message":"'Name' must not be empty."}]}} | validation_exception | 'Name' must not be empty. | #/Name='Name' must not be empty.
{"error":"not_found","reason":"missing"} | not_found | missing |
{"success":false,"errors":[{"code":1003,"message":"Invalid or missing zone id."}],"messages":[],"result":null} | conflict | Invalid or missing zone id. |
{"sys":{"type":"Error","id":"NotFound"},"message":"The resource could not be found.","requestId":"r1"} | conflict | The resource could not be found. |
{"Fault":{"Error":[{"Message":"Duplicate Name Exists Error","Detail":"The name supplied already exists.","code":"6240","element":"Name"}],"type":"ValidationFault"}} | validation_fault | Duplicate Name Exists Error |
"#,
    );
    assert!(covered > 12, "{covered}");
}

#[test]
fn nothing_a_caller_may_read_is_lost() {
    let (parts, ()) = axum::http::Response::builder()
        .status(404)
        .header("content-type", "application/json")
        .body(())
        .unwrap()
        .into_parts();
    let read = |body: &str| -> Value {
        let problem = ProblemLayer::new().read(&parts, "/calls", body.as_bytes());
        serde_json::from_str(&problem.to_string()).unwrap()
    };
    let wire = read(r#"{"code":20404,"message":"No such call","account":"a1","status":404}"#);
    assert_eq!(
        (&wire["error_code"], &wire["account"]),
        (&20404.into(), &"a1".into())
    );
    let wire = read(r#"{"error":{"code":404,"message":"No such call"}}"#);
    assert!(wire.get("error_code").is_none(), "{wire}");
}

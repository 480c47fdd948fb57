//! The common shapes, each as its framework writes it.

use aon_core::{Code, ProblemDetails, Status};
use serde_json::{Value, json};

use super::{adopt, complete};

fn bare(status: u16) -> ProblemDetails {
    ProblemDetails::new(Status::from_static(status), Code::from_static("bare"))
}

#[test]
fn the_common_shapes_become_detail_code_and_errors() {
    let errors = |pairs: &[(&str, &str)]| -> Value {
        pairs
            .iter()
            .map(|(pointer, detail)| json!({"pointer": pointer, "detail": detail}))
            .collect()
    };
    let none = Value::Null;
    let mut covered = 0;
    for (body, detail, code, fields) in [
        (json!({"error": "x"}), "x", "bare", none.clone()),
        (
            json!({"error": "Sold out."}),
            "Sold out.",
            "bare",
            none.clone(),
        ),
        (
            json!({"error": {"code": "sold_out", "message": "Sold out."}}),
            "Sold out.",
            "sold_out",
            none.clone(),
        ),
        (
            json!({"message": "Sold out."}),
            "Sold out.",
            "bare",
            none.clone(),
        ),
        (
            json!({"message": "Sold out.", "code": "SOLD_OUT"}),
            "Sold out.",
            "sold_out",
            none.clone(),
        ),
        (
            json!({"success": false, "error_code": "soldOut", "msg": "Sold out."}),
            "Sold out.",
            "sold_out",
            none.clone(),
        ),
        // OAuth 2.0
        (
            json!({"error": "invalid_grant", "error_description": "The code is over."}),
            "The code is over.",
            "invalid_grant",
            none.clone(),
        ),
        // FastAPI
        (
            json!({"detail": "Sold out."}),
            "Sold out.",
            "bare",
            none.clone(),
        ),
        (
            json!({"detail": [{"type": "missing", "loc": ["body", "items", 0, "size"], "msg": "Field required", "input": {}}]}),
            "Field required",
            "bare",
            errors(&[("#/items/0/size", "Field required")]),
        ),
        // NestJS
        (
            json!({"statusCode": 400, "message": ["email must be an email", "age must be a number"], "error": "Bad Request"}),
            "email must be an email; age must be a number",
            "bare",
            errors(&[
                ("#", "email must be an email"),
                ("#", "age must be a number"),
            ]),
        ),
        (
            json!({"statusCode": 409, "message": "Sold out.", "error": "Conflict"}),
            "Sold out.",
            "bare",
            none.clone(),
        ),
        // Rails, Laravel, ASP.NET
        (
            json!({"message": "The given data was invalid.", "errors": {"email": ["is taken", "is too long"], "items.0.size": ["is bad"]}}),
            "The given data was invalid.",
            "bare",
            errors(&[
                ("#/email", "is taken"),
                ("#/email", "is too long"),
                ("#/items/0/size", "is bad"),
            ]),
        ),
        (
            json!({"errors": ["Name can't be blank"]}),
            "Name can't be blank",
            "bare",
            errors(&[("#", "Name can't be blank")]),
        ),
        // Express and friends
        (
            json!({"errors": [{"type": "field", "msg": "Invalid value", "path": "items[0].size", "location": "body"}]}),
            "Invalid value",
            "bare",
            errors(&[("#/items/0/size", "Invalid value")]),
        ),
        (
            json!({"errors": [{"field": "a", "message": "is bad"}, {"field": "b", "message": "is worse"}]}),
            "a: is bad; b: is worse",
            "bare",
            errors(&[("#/a", "is bad"), ("#/b", "is worse")]),
        ),
        // JSON:API
        (
            json!({"errors": [{"status": "422", "code": "TOO_BIG", "title": "Too big", "detail": "The size is too big.",
                "source": {"pointer": "/data/attributes/size"}}]}),
            "The size is too big.",
            "too_big",
            errors(&[("#/data/attributes/size", "The size is too big.")]),
        ),
        // GraphQL
        (
            json!({"errors": [{"message": "Sold out.", "path": ["order"], "extensions": {"code": "SOLD_OUT"}}]}),
            "Sold out.",
            "sold_out",
            errors(&[("#/order", "Sold out.")]),
        ),
        // Google
        (
            json!({"error": {"code": 400, "message": "Bad size.", "status": "INVALID_ARGUMENT",
                "details": [{"fieldViolations": [{"field": "order.size", "description": "is too big"}]}]}}),
            "Bad size.",
            "invalid_argument",
            errors(&[("#/order/size", "is too big")]),
        ),
        // Stripe
        (
            json!({"error": {"type": "card_error", "code": "card_declined", "message": "Declined."}}),
            "Declined.",
            "card_declined",
            none.clone(),
        ),
        // Spring
        (
            json!({"timestamp": "2026-01-01T00:00:00Z", "status": 404, "error": "Not Found", "message": "No such order.", "path": "/x"}),
            "No such order.",
            "bare",
            none.clone(),
        ),
        // AWS
        (
            json!({"__type": "com.acme#NoSuchOrder", "message": "None."}),
            "None.",
            "no_such_order",
            none,
        ),
        // RFC 7807's own example of names
        (
            json!({"message": "No.", "invalid-params": [{"name": "age", "reason": "must be positive"}]}),
            "No.",
            "bare",
            errors(&[("#/age", "must be positive")]),
        ),
    ] {
        let bytes = body.to_string();
        let problem = adopt(&bare(422), bytes.as_bytes()).unwrap_or_else(|| panic!("{body}"));
        let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
        assert_eq!(wire["detail"], detail, "{body}");
        assert_eq!(wire["code"], code, "{body}");
        assert_eq!(wire["errors"], fields, "{body}");
        assert_eq!(wire["status"], 422, "{body}");
        covered += 1;
    }
    assert!(covered > 20);
}

#[test]
fn other_members_become_extensions_and_a_heading_becomes_the_title() {
    let body = json!({"message": "Sold out.", "error": "Gone fishing", "order_id": 7, "a-b": 1, "status": 409, "none": null});
    let problem = adopt(&bare(409), body.to_string().as_bytes()).unwrap();
    let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
    assert_eq!(wire["order_id"], 7);
    assert_eq!(wire["title"], "Gone fishing");
    assert!(
        wire.get("a-b").is_none() && wire.get("none").is_none(),
        "{wire}"
    );
}

#[test]
fn what_is_not_understood_is_not_adopted() {
    for body in [
        "{}",
        "[]",
        "7",
        "null",
        "\"text\"",
        "{",
        r#"{"data": {"id": 1}}"#,
        r#"{"error": {}}"#,
        r#"{"error": null}"#,
        r#"{"errors": []}"#,
        r#"{"message": "  "}"#,
        r#"{"status": "error"}"#,
        r#"{"status": "ERROR"}"#,
    ] {
        assert!(adopt(&bare(400), body.as_bytes()).is_none(), "{body}");
    }
}

#[test]
fn of_a_server_error_only_the_code_is_taken() {
    let body = json!({"code": "DB_DOWN", "message": "connect to 10.0.0.7 failed", "host": "db-3"});
    let bare = bare(503).with_detail("The service cannot answer now.");
    let wire = adopt(&bare, body.to_string().as_bytes())
        .unwrap()
        .to_string();
    assert!(
        wire.contains("\"code\":\"db_down\"") && wire.contains("cannot answer now"),
        "{wire}"
    );
    assert!(
        !wire.contains("10.0.0.7") && !wire.contains("db-3"),
        "{wire}"
    );
}

#[test]
fn limits_hold_for_what_is_taken_over() {
    let many: Vec<Value> = (0..500)
        .map(|at| json!({"field": format!("f{at}"), "message": "m".repeat(2000)}))
        .collect();
    let mut body = json!({"message": "x".repeat(5000), "errors": many});
    for at in 0..100 {
        body[format!("member_{at}")] = json!("y");
    }
    body["long"] = json!("z".repeat(10_000));
    let problem = adopt(&bare(400), body.to_string().as_bytes()).unwrap();
    let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
    assert_eq!(wire["errors"].as_array().unwrap().len(), 32);
    assert_eq!(wire["detail"].as_str().unwrap().chars().count(), 501);
    assert!(wire.get("long").is_none());
    assert!(
        wire.as_object().unwrap().len() < 30,
        "{}",
        wire.as_object().unwrap().len()
    );
    // Deep nests end.
    let deep = format!(
        "{}{{\"message\":\"m\"}}{}",
        "{\"error\":".repeat(100),
        "}".repeat(100)
    );
    assert!(adopt(&bare(400), deep.as_bytes()).is_none());
}

#[test]
fn what_is_kept_is_kept_to_the_letter_and_completed() {
    let problem = bare(409).with_request_id(&aon_core::Namespace::DEFAULT, "r1".to_owned());
    let body = br#"{"error":{"b":1.10,"a":[1,2]},"title":"Mine","n":12345678901234567890}"#;
    let kept = complete(&problem, body).unwrap();
    assert!(
        kept.body
            .contains(r#""error":{"b":1.10,"a":[1,2]},"title":"Mine","n":12345678901234567890}"#),
        "{}",
        kept.body
    );
    let wire: Value = serde_json::from_str(&kept.body).unwrap();
    assert_eq!(wire["type"], "pspace://problem/bare");
    assert_eq!(
        (&wire["status"], &wire["request_id"]),
        (&json!(409), &json!("r1"))
    );
    assert!(kept.is_problem);
    assert_eq!(kept.body.matches("\"title\"").count(), 1);
    // A status that is a word is still the program's own; then it is not a problem by the letter.
    let kept = complete(&problem, br#"{"status":"error","message":"no"}"#).unwrap();
    assert!(!kept.is_problem && kept.body.contains(r#""status":"error""#));
    assert!(complete(&problem, b"[1]").is_none() && complete(&problem, b"{").is_none());
    let kept = complete(
        &problem,
        br#"{"message":"postgres://app:hunter2@db refused"}"#,
    )
    .unwrap();
    assert!(!kept.body.contains("hunter2"), "{}", kept.body);
}

/// What each of these says in the end: code, detail or title, and the fields as `pointer=words`.
#[test]
fn errors_of_well_known_services_read_well() {
    let cases = r#"
{"email":["Enter a valid address."],"non_field_errors":["Passwords differ."]} | bare | email: Enter a valid address. Passwords differ. | #/email=Enter a valid address.,#=Passwords differ.
{"address":{"city":["This field is required."]},"items":[{},{"size":["Not a number."]}]} | bare | address/city: This field is required. items/1/size: Not a number. | #/address/city=This field is required.,#/items/1/size=Not a number.
{"size":["can't be blank"]} | bare | size: can't be blank | #/size=can't be blank
{"errors":"No such order"} | bare | No such order |
{"errors":{"base":["Order is closed"],"title":["can't be blank"]}} | bare | Order is closed; title: can't be blank | #=Order is closed,#/title=can't be blank
{"message":"Validation failed","error":"Bad Request","errors":[{"codes":["NotNull.order.size"],"defaultMessage":"must not be null","objectName":"order","field":"size","code":"NotNull"}]} | bare | Validation failed | #/size=must not be null
{"name":"ValidationError","_message":"Order validation failed","message":"Order: size is required.","errors":{"size":{"name":"ValidatorError","message":"is required","kind":"required","path":"size"}}} | validation_error | Order: size is required. | #/size=is required
{"errors":[{"detail":"Size is too big.","source":{"pointer":"/data/attributes/size"}},{"detail":"Name is short.","source":{"parameter":"name"}}]} | bare | data/attributes/size: Size is too big. name: Name is short. | #/data/attributes/size=Size is too big.,#/name=Name is short.
{"error":{"errors":[{"domain":"global","reason":"notFound","message":"No such file"}],"code":404,"message":"No such file"}} | not_found | No such file |
{"error":{"type":"invalid_request_error","code":"parameter_missing","message":"Missing: amount.","param":"amount"}} | parameter_missing | Missing: amount. | #/amount=Missing: amount.
{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]} | bare | Validation Failed | #/title=Missing field
{"ok":false,"error":"channel_not_found"} | channel_not_found | Channel not found |
{"error":{"code":"BadArgument","message":"Two errors","details":[{"code":"NullValue","target":"Phone","message":"must not be null"},{"code":"BadValue","target":"Address","message":"is not valid"}]}} | bad_argument | Two errors | #/Phone=must not be null,#/Address=is not valid
{"type":"https://tools.ietf.org/html/rfc7231#section-6.5.1","title":"Validation errors occurred.","errors":{"$.size":["is not a number"]}} | bare | size: is not a number | #/size=is not a number
{"type":"https://api.example.com/problems/sold-out","title":"Sold out","detail":"No seats are left."} | sold_out | No seats are left. |
{"errors":{"detail":"No such order"}} | bare | No such order |
{"hydra:title":"An error occurred","hydra:description":"size: must be smaller","violations":[{"propertyPath":"size","message":"must be smaller"}]} | bare | size: must be smaller | #/size=must be smaller
{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index"}],"type":"index_not_found_exception","reason":"no such index"}} | index_not_found_exception | no such index |
{"kind":"Status","status":"Failure","message":"pods \"x\" not found","reason":"NotFound","details":{"name":"x","kind":"pods"},"code":404} | not_found | pods "x" not found |
{"success":false,"error":{"issues":[{"code":"invalid_type","path":["size"],"message":"Required"}],"name":"ZodError"}} | zod_error | Required | #/size=Required
{"formErrors":["Passwords differ"],"fieldErrors":{"size":["Required"]}} | bare | size: Required; Passwords differ | #/size=Required,#=Passwords differ
{"Message":"The request is invalid.","ModelState":{"order.size":["is required"]}} | bare | The request is invalid. | #/order/size=is required
{"Error":{"Code":"NoSuchKey","Message":"The key does not exist."}} | no_such_key | The key does not exist. |
{"title":"Constraint Violation","violations":[{"field":"create.size","message":"must be positive"}]} | bare | create/size: must be positive | #/create/size=must be positive
{"data":null,"error":{"name":"ValidationError","message":"size is bad","details":{"errors":[{"path":["size"],"message":"size is bad"}]}}} | validation_error | size is bad | #/size=size is bad
[{"message":"No such column","errorCode":"INVALID_FIELD","fields":["Name"]}] | invalid_field | No such column | #/Name=No such column
{"errorMessages":["Issue does not exist"],"errors":{}} | bare | Issue does not exist | #=Issue does not exist
{"error":"RecordInvalid","description":"Record errors","details":{"base":[{"description":"Subject: cannot be blank"}]}} | record_invalid | Record errors | #=Subject: cannot be blank
{"code":50035,"message":"Invalid Form Body","errors":{"size":{"_errors":[{"code":"REQUIRED","message":"is required"}]}}} | bare | Invalid Form Body | #/size=is required
{"status":"fail","data":{"title":"A title is required"}} | bare | title: A title is required | #/title=A title is required
{"err":"no such size"} | bare | no such size |
{"error":{"errors":[{"domain":"global","reason":"invalidParameter","message":"Invalid value '-1'.","locationType":"parameter","location":"maxResults"}],"code":400,"message":"Invalid value '-1'."}} | invalid_parameter | Invalid value '-1'. | #/maxResults=Invalid value '-1'.
{"kind":"Status","status":"Failure","message":"Pod is invalid","reason":"Invalid","details":{"name":"web","kind":"Pod","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers[0].image"}]},"code":422} | invalid | Pod is invalid | #/spec/containers/0/image=Required value
{"code":422,"errors":{"json":{"quantity":["Missing data."]}},"status":"Unprocessable Entity"} | bare | quantity: Missing data. | #/quantity=Missing data.
{"sys":{"type":"Error"},"message":"Validation error","details":{"errors":[{"name":"required","path":["fields","title"],"details":"The title is required"}]}} | bare | Validation error | #/fields/title=The title is required
{"error":{"code":400,"message":"EMAIL_EXISTS","errors":[{"message":"EMAIL_EXISTS","domain":"global","reason":"invalid"}]}} | email_exists | Email exists |
{"fault":{"faultstring":"Invalid API call","detail":{"errorcode":"keymanagement.service.invalid"}}} | keymanagement_service_invalid | Invalid API call |
{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"required","diagnostics":"A name is required."}]} | required | A name is required. |
{"errorCode":"E0000001","errorSummary":"Api validation failed: login","errorCauses":[{"errorSummary":"login: is taken"}]} | e0000001 | Api validation failed: login | #=login: is taken
{"scimType":"mutability","detail":"Attribute id cannot be changed","status":"400"} | mutability | Attribute id cannot be changed |
{"errors":[{"message":"The name has to be unique.","extensions":{"field":"name","code":"RECORD_NOT_UNIQUE"}}]} | record_not_unique | The name has to be unique. | #/name=The name has to be unique.
"#;
    let mut covered = 0;
    for line in cases.trim().lines() {
        let parts: Vec<&str> = line.split(" |").map(str::trim).collect();
        let [body, code, says, fields] = parts[..] else {
            panic!("{line}");
        };
        let problem = adopt(&bare(409), body.as_bytes()).unwrap_or_else(|| panic!("{body}"));
        let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
        let said = wire["detail"].as_str().or(wire["title"].as_str());
        assert_eq!(said, Some(says), "{body}");
        assert_eq!(wire["code"], code, "{body}");
        let found: Vec<String> = wire["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| {
                let text = |name: &str| one[name].as_str().unwrap().to_owned();
                format!("{}={}", text("pointer"), text("detail"))
            })
            .collect();
        assert_eq!(found.join(","), fields, "{body}");
        covered += 1;
    }
    assert!(covered > 25, "{covered}");
}

#[test]
fn what_repeats_the_status_gives_way_to_what_the_status_says() {
    let bare = bare(404).with_detail("There is nothing at this address.");
    for body in [
        r#"{"status":404,"error":"Not Found"}"#,
        r#"{"errors":{"detail":"Not Found"}}"#,
        r#"{"error":"not found","message":""}"#,
    ] {
        let problem = adopt(&bare, body.as_bytes()).unwrap();
        assert_eq!(problem.detail(), bare.detail(), "{body}");
        assert_eq!(problem.title(), bare.title(), "{body}");
    }
}

#[test]
fn a_link_to_an_explanation_is_the_documentation_and_a_type_of_its_own_is_kept() {
    for name in [
        "doc_url",
        "documentation_url",
        "more_info",
        "docs_url",
        "error_uri",
        "link",
    ] {
        let body = json!({"message": "Sold out.", name: "https://example.com/e"});
        let problem = adopt(&bare(409), body.to_string().as_bytes()).unwrap();
        let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
        assert_eq!(wire["docs_url"], "https://example.com/e", "{name}");
    }
    let body = json!({"type": "https://example.com/problems/sold-out", "detail": "No seats."});
    let problem = adopt(&bare(409), body.to_string().as_bytes()).unwrap();
    assert_eq!(
        problem.type_uri().map(aon_core::UriRef::as_str),
        Some("https://example.com/problems/sold-out")
    );
}

#[test]
fn the_inside_of_a_program_is_not_shown() {
    for body in [
        json!({"message": "No.", "stack": "Error: at /srv/app.js:3"}),
        json!({"message": "No.", "exception": "RuntimeException", "file": "/srv/app.php", "line": 3, "trace": [{"file": "/srv/x.php"}]}),
        json!({"status": 404, "error": "Not Found", "traces": {"Application Trace": [{"trace": "/srv/app.rb:3"}]}}),
        json!({"error": {"message": "No.", "data": {"code": "X", "stack": "at /srv/trpc.ts"}}}),
        json!({"error": {"message": "No.", "innererror": {"type": "E", "stackTrace": "at /srv/a.cs"}}}),
    ] {
        let wire = adopt(&bare(400), body.to_string().as_bytes())
            .unwrap()
            .to_string();
        assert!(!wire.contains("/srv/"), "{body}\n{wire}");
    }
}

#[test]
fn a_delay_in_the_body_is_the_delay_of_the_problem() {
    for (delay, seconds) in [(json!(64.57), json!(65)), (json!(3), json!(3))] {
        let body = json!({"message": "You are being rate limited.", "retry_after": delay});
        let problem = adopt(&bare(429), body.to_string().as_bytes()).unwrap();
        let wire: Value = serde_json::from_str(&problem.to_string()).unwrap();
        assert_eq!(wire["retry_after"], seconds);
    }
    let body = json!({"message": "Later.", "retry_after": -1});
    let problem = adopt(&bare(429), body.to_string().as_bytes()).unwrap();
    assert_eq!(problem.retry_after(), bare(429).retry_after());
}

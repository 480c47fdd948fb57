//! Sentences that look like a complete list of values and are not, and lists whose values are hard to write: `--fix` writes an `enum` only
//! where it is sure, and then every value comes back as it was told.

use aon_lint::{Safety, Settings, apply, lint};
use aon_manifest::Document;
use aon_tests::place;
use serde_json::{Value, json};

/// What the schema says besides, and the description.
const NEVER: &[(&str, &str)] = &[
    // The sentence is about something else, or about each of several values.
    (
        r#"{"type": "string"}"#,
        "The address. The scheme must be one of `http`, `https`.",
    ),
    (
        r#"{"type": "string"}"#,
        "The scheme\nmust be one of `http`, `https`.",
    ),
    (
        r#"{"type": "string"}"#,
        "The parent. Its type must be one of `page`, `space`.",
    ),
    (
        r#"{"type": "string"}"#,
        "The current status is checked. It must be one of `draft`, `open`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must have one of the roles `admin`, `owner`, `editor`.",
    ),
    (
        r#"{"type": "string"}"#,
        "The extension must be one of `png`, `jpg`, `gif`.",
    ),
    (
        r#"{"type": "string"}"#,
        "The file. Allowed formats: `png`, `jpg`, `gif`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Order must be in one of `draft`, `open`.",
    ),
    (r#"{"type": "string"}"#, "Must contain one of `a`, `b`."),
    (r#"{"type": "string"}"#, "Must end in one of `abc`, `def`."),
    (
        r#"{"type": "string"}"#,
        "Must begin with one of: `abc`, `def`, `ghi`.",
    ),
    (r#"{"type": "string"}"#, "Must match one of `abc`, `def`."),
    (r#"{"type": "string"}"#, "Cannot be one of `abc`, `def`."),
    (
        r#"{"type": "string"}"#,
        "Can't be one of: `abc`, `def`, `ghi`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be different from one of `abc`, `def`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must contain at least one of `x1`, `y2`, `z3`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Target language must be one of `en`, `de`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Every entry must be one of `red`, `green`.",
    ),
    (
        r#"{"type": "string", "example": "red"}"#,
        "Each one must be one of `red`, `green`.",
    ),
    (
        r#"{"type": "string", "default": "id"}"#,
        "At least one of `id`, `name`, `size`.",
    ),
    (r#"{"type": "string"}"#, "Must be one of `Null`, `x`."),
    // The word may stand for no value.
    (
        r#"{"type": "string"}"#,
        "Allowed values are `null`, `zero`, `one`.",
    ),
    (
        r#"{"type": "string"}"#,
        "One of `narrow`, `wide`, or `null`.",
    ),
    (r#"{"type": "integer"}"#, "Must be one of 1 to 10."),
    (r#"{"type": "integer"}"#, "Must be between 1 and 10."),
    (
        r#"{"type": "integer"}"#,
        "Allowed values are 1, 2, ..., 10.",
    ),
    (r#"{"type": "integer"}"#, "Allowed values: 1-10, 20-30."),
    (
        r#"{"type": "integer", "minimum": 3}"#,
        "Must be one of 1, 2 or 5.",
    ),
    (
        r#"{"type": "string"}"#,
        "Valid units are `m`, `h` and `d`, as in `5m`.",
    ),
    (
        r#"{"type": "string"}"#,
        "A number followed by one of `m`, `h` or `d`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of `asc` or `desc`, prefixed with the field name.",
    ),
    (
        r#"{"type": "string", "default": "medium"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "example": "medium"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "examples": ["narrow", "huge"]}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "default": "Narrow"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. Case-insensitive.",
    ),
    (
        r#"{"type": "string", "pattern": "^[A-Z]+$"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "format": "uri"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "maxLength": 4}"#,
        "Must be one of narrow or wide.",
    ),
    (r#"{"type": "string"}"#, "Must be one of narrow, wide, etc."),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide or another size.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide or a custom width.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide or a number of pixels.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of our widths, e.g. narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide if `kind` is `page`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide, except for pages.",
    ),
    (
        r#"{"type": "string"}"#,
        "Comma-separated list. Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one or more of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must not be one of narrow or wide.",
    ),
    (r#"{"type": "string"}"#, "Cannot be one of narrow or wide."),
    (
        r#"{"type": "string"}"#,
        "Either `start_date` or `end_date` must be given.",
    ),
    (
        r#"{"type": "string"}"#,
        "Currently must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. `full` is in beta.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. Pages may also be full.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of `narrow` or `wide`. Use `full` for pages.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide, or empty.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide, or null.",
    ),
    (r#"{"type": "string"}"#, "Must be one of true or false."),
    (r#"{"type": "string"}"#, "Must be one of yes or no."),
    (r#"{"type": "string"}"#, "Must be one of 1, 2 or 5."),
    (r#"{"type": "integer"}"#, "Must be one of low, high."),
    (r#"{"type": "integer"}"#, "Must be one of 0.5 or 1.5."),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, Narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of the widths in the list of narrow or wide things.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of `{width}` or `{height}`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of http://a.example or http://b.example.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of `narrow`, `wide` or `*`, wildcards allowed.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide, depending on your plan.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. The value full is deprecated.",
    ),
    (r#"{"type": "string"}"#, "At least one of narrow or wide."),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow paper or wide paper.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of in progress or done.",
    ),
    (
        r#"{"type": "string"}"#,
        "A cron expression. Must be one of daily or hourly.",
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed filters are form_id, user_id.",
    ),
    (
        r#"{"type": "string"}"#,
        "Supported image formats: jpeg, png, gif.",
    ),
    (r#"{"type": "object"}"#, "Must be one of narrow or wide."),
    (
        r#"{"type": ["string", "integer"]}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values include narrow and wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Some of the allowed values are narrow and wide.",
    ),
    (r#"{"type": "string"}"#, "Must be one of narrow, wide or"),
    (
        r#"{"type": "string", "pattern": "^[0-9./]+$"}"#,
        "Each octet must be `0`-`255` and the mask must be between `1` and `32`.",
    ),
    (
        r#"{"type": "integer"}"#,
        "Select a value between `10` and `7200`.",
    ),
    (
        r#"{"type": "string"}"#,
        "[Output Only] Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string", "readOnly": true}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "array", "items": {"type": "string"}}"#,
        "Each must be one of narrow or wide.",
    ),
    (r#"{"type": "integer"}"#, "Must be one of -1 or greater."),
    (r#"{"type": "integer"}"#, "Allowed values: 0, 1 or more."),
    (
        r#"{"type": "string"}"#,
        "Must be one of `a/b` or `c/d` in the form `x/y`.",
    ),
    (
        r#"{"type": "string"}"#,
        "Valid values are ISO codes such as de or fr.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of the values returned by GET /widths, narrow or wide for instance.",
    ),
    (
        r#"{"type": "string"}"#,
        "Valid values are not started, in progress or done.",
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values: very low, low or high.",
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values: the name of a region, us or eu.",
    ),
    (
        r#"{"type": "string"}"#,
        "The most common allowed values are narrow and wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide unless it is omitted.",
    ),
    (
        r#"{"type": "string"}"#,
        "Until version 2 must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be either an id or one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide or the id of a width.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of 10px, 20px or any other size.",
    ),
    (r#"{"type": "integer"}"#, "Must be one of 1, 2, up to 10."),
    (r#"{"type": "string"}"#, "Must be one of a through f."),
    (r#"{"type": "string"}"#, "Must be one of a, b, c ... z."),
    (r#"{"type": "string"}"#, "Must be one of a-z or 0-9."),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow (n) or wide (w).",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow (alias: slim) or wide.",
    ),
    (
        r#"{"type": "integer"}"#,
        "Must be one of 1 (low), 2 (high) or negative for none.",
    ),
    (
        r#"{"type": "string", "const": "narrow"}"#,
        "Must be one of narrow or wide.",
    ),
    (
        r#"{"type": "integer"}"#,
        "Bitmask. Must be one of 1, 2 or 4, or their sum.",
    ),
    (
        r#"{"type": "string"}"#,
        "When kind is page, must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "For pages, must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "In API version 1, allowed values are narrow, wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of the following, or a locale: narrow, wide.",
    ),
    (
        r#"{"type": "integer", "example": 3}"#,
        "Must be one of 1, 2 or 5.",
    ),
    (
        r#"{"type": "string", "examples": {"a": {"value": "huge"}}}"#,
        "Must be one of narrow, wide or full.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of <b>narrow</b>, <b>wide</b>, or <a href='x'>others</a>.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of [narrow](x), [wide](y) or [these](z).",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of `narrow wide` or `full`, separated by spaces.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide, full and so on.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of name or date, with a leading minus for descending order.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of name or date. Put - before it to sort down.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide, several are joined by commas.",
    ),
    (
        r#"{"type": "string"}"#,
        "As of today must be one of narrow or wide.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. New values may be added.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide. More will follow.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide; full is planned.",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide\\n\\nFor pages: full or none",
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow or wide for pages and full for books.",
    ),
];

/// The same, and the values that must be written.
const EXACT: &[(&str, &str, &str)] = &[
    (
        r#"{"type": "string"}"#,
        "Must be one of narrow, wide or full.",
        r#"["narrow", "wide", "full"]"#,
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values are `on`, `off`, `auto`.",
        r#"["on", "off", "auto"]"#,
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values are `true`, `zero`, `one`.",
        r#"["true", "zero", "one"]"#,
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values are `text/plain`, `text/html`, `image/png`.",
        r#"["text/plain", "text/html", "image/png"]"#,
    ),
    (
        r#"{"type": "integer"}"#,
        "Must be one of 1, 2 or 5.",
        r#"[1, 2, 5]"#,
    ),
    (
        r#"{"type": "string"}"#,
        "Allowed values are `no`, `se`, `dk`.",
        r#"["no", "se", "dk"]"#,
    ),
    (
        r#"{"type": ["string", "null"]}"#,
        "Must be one of narrow, wide or full.",
        r#"["narrow", "wide", "full", null]"#,
    ),
    (
        r#"{"type": "string", "default": "wide"}"#,
        "Must be one of narrow, wide or full.",
        r#"["narrow", "wide", "full"]"#,
    ),
    (
        r#"{"type": "string"}"#,
        "Must be one of « narrow », « wide ».",
        r#"["narrow", "wide"]"#,
    ),
];

/// A document with one input, as JSON and as YAML in block style.
fn documents(schema: &str, description: &str) -> [(&'static str, String); 2] {
    let mut width: Value = serde_json::from_str(schema).expect("a schema");
    width["description"] = json!(description);
    let body = json!({"type": "object", "properties": {"width": width}});
    let text = json!({
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"post": {
            "operationId": "a",
            "requestBody": {"content": {"application/json": {"schema": body}}},
            "responses": {"200": {"description": "ok"}}
        }}}
    });
    let mut yaml = String::new();
    block(&text, 0, &mut yaml);
    [
        ("a.json", serde_json::to_string_pretty(&text).expect("JSON")),
        ("a.yaml", yaml),
    ]
}

fn block(value: &Value, indent: usize, out: &mut String) {
    for (key, value) in value.as_object().expect("an object") {
        out.push_str(&format!("{:indent$}{}:", "", json!(key)));
        if value.as_object().is_some_and(|object| !object.is_empty()) {
            out.push('\n');
            block(value, indent + 2, out);
        } else {
            out.push_str(&format!(" {value}\n"));
        }
    }
}

/// The `enum` that stands there after the safe fixes.
fn fixed(name: &str, text: &str) -> Option<Value> {
    let document = Document::from_text(name, text);
    let mut edits = Vec::new();
    for finding in lint(&document, &Settings::default()).findings {
        if let Some(fix) = finding.repair.filter(|fix| fix.safety == Safety::Safe) {
            edits.extend(fix.edits);
        }
    }
    let after = Document::from_text(name, &apply(text, &edits));
    let root = after.entry().root().expect("a document").to_json();
    let width = root
        .pointer("/paths/~1a/post/requestBody/content/application~1json/schema/properties/width");
    let width = width.expect("the input is still there").clone();
    let found = width.get("enum").or_else(|| width.pointer("/items/enum"));
    found.cloned()
}

#[test]
fn what_is_not_a_complete_list_is_never_written() {
    let mut wrong = Vec::new();
    for (schema, description) in NEVER {
        for (name, text) in documents(schema, description) {
            if let Some(values) = fixed(name, &text) {
                wrong.push(format!("{name} {schema} {description:?}: {values}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(NEVER.len() > 90);
    place::say(&format!(
        "count: sentences that are not lists {}",
        NEVER.len()
    ));
}

#[test]
fn what_is_written_comes_back_as_it_was_told() {
    for (schema, description, wanted) in EXACT {
        let wanted: Value = serde_json::from_str(wanted).expect("values");
        for (name, text) in documents(schema, description) {
            assert_eq!(
                fixed(name, &text),
                Some(wanted.clone()),
                "{name} {schema} {description:?}"
            );
        }
    }
    assert!(EXACT.len() >= 8);
    place::say(&format!(
        "count: lists written and read back {}",
        EXACT.len() * 2
    ));
}

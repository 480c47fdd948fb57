//! The words that other formats say with what a native manifest says.

use std::fmt::Write as _;

use aon_manifest::extension::{EXTENSIONS, Place, RELATED};

use super::cell;

pub(super) fn page() -> String {
    let mut page = String::from(
        "# Extensions\n\n\
         An OpenAPI, MCP or A2A document can say everything that a [native manifest](manifest.md) says. In OpenAPI and Swagger a member such as \
         `docs_url` is written `x-aon-docs-url`. In a tool list and an agent card the same key works, and so does `aon/docs_url` in `_meta` (MCP) \
         or `metadata` (A2A).\n\n\
         | in OpenAPI | in `_meta` or `metadata` | native member | on | what it says |\n|---|---|---|---|---|\n",
    );
    for word in EXTENSIONS {
        let _ = writeln!(
            page,
            "| [`{}`](#{}) | `{}` | `{}` | {} | {} |",
            word.vendor,
            word.vendor,
            word.meta,
            word.native,
            places(word.on),
            cell(word.says)
        );
    }
    page.push_str(
        "\nThe document is its root or its `info`. Without extensions an OpenAPI response gets its code, type and remediation from the examples of its \
         `application/problem+json` body, or from the constants in the schema of that body. `x-aon-generated` is written by `aon gen` and says from \
         what a document was made.\n\n## Words of others\n\n| word | on | what it says |\n|---|---|---|\n",
    );
    for related in RELATED {
        let words: Vec<String> = related
            .words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            words.join(", "),
            places(related.on),
            cell(related.says)
        );
    }
    page.push_str("\n## Examples\n\nEach is read by a test, with the word and without it.\n");
    for word in EXTENSIONS {
        example(&mut page, word.vendor, word.example, word.on);
    }
    for related in RELATED {
        if let Some(word) = related.words.first() {
            example(&mut page, word, related.example, related.on);
        }
    }
    page
}

fn example(page: &mut String, word: &str, value: &str, on: &[Place]) {
    let place = on.first().copied().unwrap_or(Place::Anything);
    let _ = write!(
        page,
        "\n### {word}\n\n```yaml\n{}```\n",
        word_document(word, value, place)
    );
}

fn places(on: &[Place]) -> String {
    let names: Vec<&str> = on.iter().map(|place| place.name()).collect();
    names.join(", ")
}

/// A small document with the word at its place.
pub fn word_document(word: &str, value: &str, place: Place) -> String {
    if place == Place::Tool {
        return format!(
            "tools:\n  - name: create_note\n    inputSchema: {{ type: object }}\n    {word}: {value}\n"
        );
    }
    document(Some((place, &format!("{word}: {value}"))), needs_enum(word))
}

/// Whether a word speaks about an `enum` beside it.
fn needs_enum(word: &str) -> bool {
    word.to_ascii_lowercase().contains("descriptions")
        || word.starts_with("x-enum-")
        || word == "x-ms-enum"
}

/// A small OpenAPI document, with a line more in one of its objects.
pub fn document(more: Option<(Place, &str)>, with_enum: bool) -> String {
    let line = |place: Place, indent: &str| match more {
        Some((own, text)) if own == place => format!("{indent}{text}\n"),
        _ => String::new(),
    };
    // Something to set aside.
    let prose = match more {
        Some((Place::Anything, _)) => "          description: Must be one of `red` or `blue`.\n",
        _ => "",
    };
    let set = if with_enum {
        "            enum: [red, blue]\n"
    } else {
        ""
    };
    format!(
        "openapi: 3.0.3\ninfo: {{ title: Notes, version: '1' }}\n{}paths:\n  /notes:\n{}    post:\n      operationId: create_note\n{}      parameters:\n        - name: colour\n          in: query\n{prose}{}{}          schema:\n            type: string\n{set}{}      responses:\n        '201': {{ description: The note is written }}\n        '409':\n          description: The note is locked\n{}",
        line(Place::Document, ""),
        line(Place::Path, "    "),
        line(Place::Operation, "      "),
        line(Place::Parameter, "          "),
        line(Place::Anything, "          "),
        line(Place::Schema, "            "),
        line(Place::Response, "          "),
    )
}

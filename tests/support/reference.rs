//! The pages of `docs/reference`, written from the tables that the code itself reads.

mod extensions;
mod manifest;
mod settings;

pub use extensions::{document, word_document};
pub use manifest::{EXAMPLE, Field, fields};

/// The name of each page under `docs/reference`, and its text.
pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("README.md", index()),
        ("aon-toml.md", settings::page()),
        ("extensions.md", extensions::page()),
        ("manifest.md", manifest::page()),
    ]
}

fn index() -> String {
    "# Reference\n\n\
     - [The native manifest](manifest.md), field by field\n\
     - [Extensions](extensions.md): the words that OpenAPI, MCP and A2A documents say the same with\n\
     - [`aon.toml`](aon-toml.md), setting by setting\n\
     - [JSON Schemas](../schema) of the reports, and [of the manifest](../../manifests/schema/aon-manifest.schema.json)\n\n\
     `cargo regen` writes these pages from the code, and their examples are run with the tests.\n"
        .to_owned()
}

/// A text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

//! What `aon.toml` says about generated code: `[gen]` with `header`, `[gen.names]` and `[gen.docs]`.

use aon_codegen::Options;
use aon_lint::Setting;

use crate::args::Gen;
use crate::config;
use crate::fault::Fault;

/// The settings that code generation reads, for the reference page.
pub const SETTINGS: &[Setting] = &[
    Setting {
        table: "gen",
        key: "header",
        takes: "text, or a list of lines",
        default: "none",
        says: "Lines at the top of every generated file, such as a licence.",
        example: "header = \"Copyright the pet shop.\"",
    },
    Setting {
        table: "gen.names",
        key: "<name in the document>",
        takes: "an identifier",
        default: "made from the document",
        says: "What a schema, an operation or a code is called in generated code.",
        example: "listPets = \"AllPets\"",
    },
];

/// The options of the settings file that was named, or of the nearest `aon.toml`.
pub(super) fn options(args: &Gen) -> Result<Options, Fault> {
    let Some(file) = config::read(args.config.as_deref(), &args.paths)? else {
        return Ok(Options::default());
    };
    let bad = |what: String| {
        Fault::usage(
            format!("{}: {what}", file.path.display()),
            "Write [gen] with `header = \"…\"`, [gen.names] with `\"name in the document\" = \"NewName\"`, and [gen.docs] with `logo` and `stylesheet`.",
        )
    };
    let table: toml::Table = file
        .text
        .parse()
        .map_err(|error: toml::de::Error| bad(error.to_string()))?;
    let mut options = Options::default();
    let Some(section) = table.get("gen") else {
        return Ok(options);
    };
    let section = section
        .as_table()
        .ok_or_else(|| bad("`gen` is not a table".to_owned()))?;
    for (key, value) in section {
        match (key.as_str(), value) {
            ("header", toml::Value::String(header)) => options = options.with_header(header),
            ("header", toml::Value::Array(lines)) => {
                for line in lines {
                    let line = line
                        .as_str()
                        .ok_or_else(|| bad("`header` is text or a list of lines".to_owned()))?;
                    options = options.with_header(line);
                }
            }
            ("names", toml::Value::Table(names)) => {
                for (from, name) in names {
                    let name = name.as_str().filter(|name| is_name(name));
                    let name = name.ok_or_else(|| {
                        bad(format!("the new name of `{from}` is not an identifier"))
                    })?;
                    options = options.with_name(from, name);
                }
            }
            ("docs", toml::Value::Table(docs)) => {
                for (key, value) in docs {
                    options = match (key.as_str(), value.as_str()) {
                        ("logo", Some(address)) => options.with_logo(address),
                        ("stylesheet", Some(address)) => options.with_stylesheet(address),
                        _ => {
                            return Err(bad(format!(
                                "`gen.docs.{key}` is unknown or has the wrong type"
                            )));
                        }
                    };
                }
            }
            _ => {
                return Err(bad(format!("`gen.{key}` is unknown or has the wrong type")));
            }
        }
    }
    Ok(options)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

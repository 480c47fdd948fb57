//! The vendor extensions that let OpenAPI, MCP and A2A documents say what a native manifest says.
//!
//! `docs/reference/extensions.md` is written from the tables here.
//!
//! In OpenAPI and Swagger a native member `docs_url` is written `x-aon-docs-url`. In an MCP tool list and an agent card the
//! same key works, and so does `aon/docs_url` in `_meta` (MCP) or `metadata`.

use crate::format::Format;
use crate::model::Text;
use crate::node::Node;
use crate::tree::Raw;

/// A member of the native manifest, and how other formats spell it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The member of the native manifest.
    pub native: &'static str,
    /// The key in OpenAPI and Swagger; it also works in a tool list and a card.
    pub vendor: &'static str,
    /// The key in `_meta` of a tool list and `metadata` of a card.
    pub meta: &'static str,
    /// The objects it is read on.
    pub on: &'static [Place],
    /// What it says.
    pub says: &'static str,
    /// A value, as YAML on one line.
    pub example: &'static str,
}

/// A word of others that the readers or the rules understand as well.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Related {
    /// Its spellings.
    pub words: &'static [&'static str],
    /// The objects it is read on.
    pub on: &'static [Place],
    /// What it says.
    pub says: &'static str,
    /// A value for the first spelling, as YAML on one line.
    pub example: &'static str,
}

/// An object of a document that can be extended.
#[expect(
    clippy::exhaustive_enums,
    reason = "the readers look at exactly these objects"
)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// The root or `info` of OpenAPI, the root of a tool list or a card.
    Document,
    /// A path item of OpenAPI, for all its operations.
    Path,
    /// An operation, a tool or a skill.
    Operation,
    /// A tool or a skill, but not an operation of OpenAPI.
    Tool,
    /// A response of OpenAPI.
    Response,
    /// A parameter, or the schema of one.
    Parameter,
    /// A schema.
    Schema,
    /// Any object.
    Anything,
}

impl Place {
    /// The words in reference pages.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Document => "document",
            Place::Path => "path item",
            Place::Operation => "operation",
            Place::Tool => "tool or skill",
            Place::Response => "response",
            Place::Parameter => "parameter",
            Place::Schema => "schema",
            Place::Anything => "any object",
        }
    }
}

macro_rules! extensions {
    ($($name:ident = $native:literal $vendor:literal $meta:literal on [$($place:ident),*] as $example:literal $says:literal,)*) => {
        $(pub(super) const $name: Extension = Extension {
            native: $native, vendor: $vendor, meta: $meta, on: &[$(Place::$place),*], says: $says, example: $example,
        };)*

        /// Every member that other formats can say, in the order of the native manifest.
        pub const EXTENSIONS: &[Extension] = &[$($name,)*];
    };
}

extensions! {
    API = "slug" "x-aon-api" "aon/api" on [Document] as "notes"
        "The short name by which documents about one API are joined.",
    ID = "id" "x-aon-id" "aon/id" on [Document] as "api-7f3a"
        "An id of the API that never changes.",
    VISIBILITY = "visibility" "x-aon-visibility" "aon/visibility" on [Document, Path, Operation] as "internal"
        "Who may see it: `public`, or any other word for restricted.",
    SURFACES = "surfaces" "x-aon-surfaces" "aon/surfaces" on [Document] as "[rest]"
        "The surfaces the API is meant to have: `rest`, `mcp`, `a2a`, `human`. `[rest]` declares that it stays on REST only.",
    REMEDIATION_DEFAULT = "remediation_default" "x-aon-remediation-default" "aon/remediation_default" on [Document] as "{ type: none, reason: auth_required_for_safety }"
        "What to do about an error that has no remediation of its own.",
    ERRORS = "error_responses" "x-aon-errors" "aon/errors" on [Response, Tool] as "[{ code: note_locked, type: \"https://example.com/problems/note_locked\" }]"
        "The errors that a response stands for, or that a tool or skill can end in: a list with the members of `error_responses[]`.",
    MCP = "mcp" "x-aon-mcp" "aon/mcp" on [Operation] as "{ expose: true, tool: create_note }"
        "How the operation is exposed as an MCP tool: `{expose, tool}`, or just the name of the tool.",
    A2A = "a2a" "x-aon-a2a" "aon/a2a" on [Operation] as "{ skill: create_note }"
        "How the operation is exposed as an A2A skill: `{skill}`, or just the name of the skill.",
    VERIFY = "verify" "x-aon-verify" "aon/verify" on [Operation] as "read_note"
        "The operation that shows whether this one had its effect.",
    CODE = "code" "x-aon-code" "aon/code" on [Response] as "note_locked"
        "The code of the error.",
    TYPE = "type" "x-aon-type" "aon/type" on [Response] as "https://example.com/problems/note_locked"
        "The type URI of the error.",
    TITLE = "title" "x-aon-title" "aon/title" on [Response] as "The note is locked"
        "What went wrong, in a few words.",
    DOCS_URL = "docs_url" "x-aon-docs-url" "aon/docs_url" on [Document, Operation, Response] as "https://docs.example.com/notes"
        "The page that explains the API, the operation or the error to people.",
    MCP_TOOL = "mcp_tool" "x-aon-mcp-tool" "aon/mcp_tool" on [Response, Operation] as "unlock_note"
        "On a response: the MCP tool that helps. On an operation: the tool it is exposed as.",
    A2A_SKILL = "a2a_skill" "x-aon-a2a-skill" "aon/a2a_skill" on [Response, Operation] as "unlock_note"
        "On a response: the A2A skill that helps. On an operation: the skill it is exposed as.",
    VALID_VALUES = "valid_values" "x-aon-valid-values" "aon/valid_values" on [Response] as "{ colour: [red, blue] }"
        "The allowed values by field.",
    REMEDIATION = "remediation" "x-aon-remediation" "aon/remediation" on [Response] as "{ type: switch_user, message: Ask the owner of the note. }"
        "What the caller can do, with the members of `remediation`.",
}

/// Words of other tools, and words about the document itself.
pub const RELATED: &[Related] = &[
    Related {
        words: &[
            "x-choices-endpoint",
            "x-aon-choices-endpoint",
            "choices_endpoint",
        ],
        on: &[Place::Parameter, Place::Schema],
        says: "Where the current values can be read: a path or the id of an operation. A carrier like `enum`, for sets that change.",
        example: "/colours",
    },
    Related {
        words: &["x-extensible-enum"],
        on: &[Place::Schema, Place::Parameter],
        says: "The values known today, of a set that may grow. Counts as an `enum`.",
        example: "[red, blue]",
    },
    Related {
        words: &["x-enum-varnames", "x-enumNames", "x-enum-names"],
        on: &[Place::Schema],
        says: "A name for each value of the `enum` beside it. Without an `enum` it tells that there is a closed set.",
        example: "[Red, Blue]",
    },
    Related {
        words: &["x-enum-descriptions", "x-enumDescriptions"],
        on: &[Place::Schema],
        says: "A description for each value of the `enum` beside it.",
        example: "[like a rose, like the sea]",
    },
    Related {
        words: &["x-ms-enum"],
        on: &[Place::Schema],
        says: "Names and descriptions of the values, in `values[]` with `value`, `name` and `description`. Without an `enum` it tells that there is a closed set.",
        example: "{ name: Colour, values: [{ value: red, name: Red }] }",
    },
    Related {
        words: &["x-enum"],
        on: &[Place::Schema],
        says: "Values that nothing enforces; the linter asks for an `enum`.",
        example: "[red, blue]",
    },
    Related {
        words: &["x-example"],
        on: &[Place::Schema],
        says: "An example value, as Swagger 2.0 documents write it.",
        example: "red",
    },
    Related {
        words: &["x-nullable"],
        on: &[Place::Schema],
        says: "Whether `null` is a value too. Swagger 2.0 has no word of its own for it; later versions have `nullable`.",
        example: "true",
    },
    Related {
        words: &["x-internal"],
        on: &[Place::Operation],
        says: "`true` restricts the operation, as `x-aon-visibility: internal` does.",
        example: "true",
    },
    Related {
        words: &["x-webhooks"],
        on: &[Place::Document],
        says: "Calls that the server makes, in documents before OpenAPI 3.1.",
        example: "{ noted: { post: { responses: { '200': { description: OK } } } } }",
    },
    Related {
        words: &["x-aon-ignore"],
        on: &[Place::Anything],
        says: "Sets findings about the object aside: `rule reason`, a list of such texts, or `{rule: reason}`. YAML can say the same in a comment, `# aon-ignore: rule reason`.",
        example: "undeclared-choice every colour is allowed",
    },
    Related {
        words: &["x-aon-score", "x-self-healing-score"],
        on: &[Place::Document, Place::Operation],
        says: "Is reported: a manifest never states its own score.",
        example: "4",
    },
];

/// How a format spells a member of the native manifest, as advice names it.
///
/// A member without an extension keeps its name.
///
/// ```
/// use aon_manifest::{Format, extension};
///
/// assert_eq!(extension::spelled(Format::OpenApi, "docs_url"), "`x-aon-docs-url`");
/// assert_eq!(extension::spelled(Format::OpenApi, "choices_endpoint"), "`x-choices-endpoint`");
/// assert_eq!(extension::spelled(Format::Mcp, "verify"), "`aon/verify` in `_meta`");
/// assert_eq!(extension::spelled(Format::Native, "docs_url"), "`docs_url`");
/// ```
pub fn spelled(format: Format, native: &str) -> String {
    let known = EXTENSIONS.iter().find(|own| own.native == native);
    match (format, known) {
        (Format::Native, _) => format!("`{native}`"),
        (_, None) if native == "choices_endpoint" => "`x-choices-endpoint`".to_owned(),
        (_, None) => format!("`{native}`"),
        (Format::OpenApi | Format::Swagger, Some(own)) => format!("`{}`", own.vendor),
        (Format::Mcp, Some(own)) => format!("`{}` in `_meta`", own.meta),
        (Format::A2a, Some(own)) => format!("`{}` in `metadata`", own.meta),
    }
}

impl Extension {
    /// The value on an object of a foreign format.
    pub(super) fn get<'a>(&self, node: Node<'a>) -> Option<Node<'a>> {
        if !node.has_flag(Raw::EXTENDED) {
            return None;
        }
        let own = node.get(self.vendor);
        let meta = || {
            node.get("_meta")
                .or_else(|| node.get("metadata"))
                .and_then(|meta| meta.get(self.meta))
        };
        own.or_else(meta).filter(|value| !value.is_null())
    }

    /// The value as text.
    pub(super) fn text<'a>(&self, node: Node<'a>) -> Option<Text<'a>> {
        Text::of(self.get(node)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_spellings_follow_one_rule() {
        assert!(EXTENSIONS.len() > 15);
        for extension in EXTENSIONS {
            let plain = match extension.native {
                "slug" => "api",
                "error_responses" => "errors",
                other => other,
            };
            assert_eq!(
                extension.vendor,
                format!("x-aon-{}", plain.replace('_', "-"))
            );
            assert_eq!(extension.meta, format!("aon/{plain}"));
        }
    }
}

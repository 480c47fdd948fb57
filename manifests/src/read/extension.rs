//! The vendor extensions that let OpenAPI, MCP and A2A documents say what a native manifest says.
//!
//! In OpenAPI and Swagger a native member `docs_url` is written `x-aon-docs-url`. In an MCP tool list and an agent card the
//! same key works, and so does `aon/docs_url` in `_meta` (MCP) or `metadata`.

use crate::model::Text;
use crate::node::Node;
use crate::tree::Raw;

/// A native member and its spelling as an extension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extension {
    pub(super) native: &'static str,
    pub(super) vendor: &'static str,
    meta: &'static str,
}

macro_rules! extensions {
    ($($name:ident = $native:literal $vendor:literal $meta:literal,)*) => {
        $(pub(super) const $name: Extension = Extension { native: $native, vendor: $vendor, meta: $meta };)*

        #[cfg(test)]
        const ALL: &[Extension] = &[$($name,)*];
    };
}

extensions! {
    API = "slug" "x-aon-api" "aon/api",
    ID = "id" "x-aon-id" "aon/id",
    VISIBILITY = "visibility" "x-aon-visibility" "aon/visibility",
    SURFACES = "surfaces" "x-aon-surfaces" "aon/surfaces",
    REMEDIATION_DEFAULT = "remediation_default" "x-aon-remediation-default" "aon/remediation_default",
    ERRORS = "error_responses" "x-aon-errors" "aon/errors",
    MCP = "mcp" "x-aon-mcp" "aon/mcp",
    A2A = "a2a" "x-aon-a2a" "aon/a2a",
    VERIFY = "verify" "x-aon-verify" "aon/verify",
    CODE = "code" "x-aon-code" "aon/code",
    TYPE = "type" "x-aon-type" "aon/type",
    TITLE = "title" "x-aon-title" "aon/title",
    DOCS_URL = "docs_url" "x-aon-docs-url" "aon/docs_url",
    MCP_TOOL = "mcp_tool" "x-aon-mcp-tool" "aon/mcp_tool",
    A2A_SKILL = "a2a_skill" "x-aon-a2a-skill" "aon/a2a_skill",
    VALID_VALUES = "valid_values" "x-aon-valid-values" "aon/valid_values",
    REMEDIATION = "remediation" "x-aon-remediation" "aon/remediation",
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
        assert!(ALL.len() > 15);
        for extension in ALL {
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

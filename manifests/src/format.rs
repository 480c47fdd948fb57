//! Which sort of manifest a document is.

use std::fmt;
use std::str::FromStr;

use crate::node::Node;

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The formats that are read.
        #[expect(clippy::exhaustive_enums, reason = "a new format is a new reader, and every match should notice")]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Format { $($(#[$doc])* $variant,)* }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$variant,)*];

            /// The name used on command lines and in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Format::$variant => $name,)* }
            }
        }

        impl FromStr for Format {
            type Err = InvalidFormat;

            fn from_str(text: &str) -> Result<Format, InvalidFormat> {
                match text { $($name => Ok(Format::$variant),)* _ => Err(InvalidFormat { given: text.to_owned() }) }
            }
        }
    };
}

formats! {
    /// The native manifest (`.aon.yaml`, `.aon.json`, `.kno`).
    Native = "native",
    /// OpenAPI 3.0, 3.1 and later.
    OpenApi = "openapi",
    /// Swagger 2.0.
    Swagger = "swagger",
    /// The answer of an MCP server to `tools/list`.
    Mcp = "mcp",
    /// An A2A agent card, 0.3 or 1.0.
    A2a = "a2a",
}

impl Format {
    /// Finds out the format of a document from its content, with the file's name as a hint. None for everything else, such
    /// as a file of schemas that others refer to.
    ///
    /// ```
    /// use aon_manifest::{parse, Format, ParseOptions};
    ///
    /// let tree = parse("x.json", br#"{"tools": []}"#.to_vec(), &ParseOptions::default());
    /// assert_eq!(Format::detect(tree.root().unwrap(), "x.json"), Some(Format::Mcp));
    /// ```
    pub fn detect(root: Node<'_>, name: &str) -> Option<Format> {
        if root.get("openapi").is_some() {
            return Some(Format::OpenApi);
        }
        if root.get("swagger").is_some() {
            return Some(Format::Swagger);
        }
        if has_native_name(name) {
            return Some(Format::Native);
        }
        if mcp_tools(root).is_some() {
            return Some(Format::Mcp);
        }
        if a2a_card(root).is_some() {
            return Some(Format::A2a);
        }
        let operations = root
            .get("operations")
            .is_some_and(|node| node.is_array() || node.is_object());
        let schema = root.get_str("$schema").unwrap_or("");
        let declared = schema.contains("aon-manifest")
            || schema.starts_with("aon@")
            || schema.starts_with("kno@");
        let headed = root.get("slug").is_some()
            && (root.get("version").is_some() || root.get("operations").is_some());
        (operations || declared || headed).then_some(Format::Native)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format name that is not in the list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidFormat {
    given: String,
}

impl fmt::Display for InvalidFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a manifest format; the formats are",
            self.given
        )?;
        for format in Format::ALL {
            write!(f, " {format}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidFormat {}

/// The list of tools: bare, in `{tools}`, or in a JSON-RPC answer.
pub(crate) fn mcp_tools(root: Node<'_>) -> Option<Node<'_>> {
    if root.is_array() {
        let first = root.item(0)?;
        return is_tool(first).then_some(root);
    }
    let tools = root
        .get("tools")
        .or_else(|| root.get("result")?.get("tools"))?;
    let fits = tools.is_array()
        && tools
            .items()
            .next()
            .is_none_or(|tool| tool.get("name").is_some());
    // A card or manifest may also have a member named `tools`.
    let fits = fits && root.get("operations").is_none() && root.get("skills").is_none();
    fits.then_some(tools)
}

fn is_tool(node: Node<'_>) -> bool {
    node.get("name").is_some()
        && (node.get("inputSchema").is_some() || node.get("input_schema").is_some())
}

/// The card: bare, or in a JSON-RPC answer.
pub(crate) fn a2a_card(root: Node<'_>) -> Option<Node<'_>> {
    let is_card = |node: Node<'_>| {
        let skills = node.get("skills").is_some_and(Node::is_array);
        let marks = [
            "protocolVersion",
            "supportedInterfaces",
            "capabilities",
            "defaultInputModes",
            "preferredTransport",
        ];
        skills
            && node.get("operations").is_none()
            && marks.iter().any(|mark| node.get(mark).is_some())
    };
    if is_card(root) {
        return Some(root);
    }
    root.get("result").filter(|result| is_card(*result))
}

fn has_native_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".kno", ".aon.yaml", ".aon.yml", ".aon.json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
        }
        assert!(
            "raml"
                .parse::<Format>()
                .unwrap_err()
                .to_string()
                .contains("openapi")
        );
    }
}

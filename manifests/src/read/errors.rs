//! Errors from the three places where they can be described: an entry, extensions of a response, and example bodies.

use super::extension::{
    A2A_SKILL, CODE, DOCS_URL, ERRORS, Extension, MCP_TOOL, REMEDIATION, TITLE, TYPE, VALID_VALUES,
};
use crate::model::{Content, ErrorResponse, Example, Remediation, Status, Text};
use crate::node::Node;

/// An entry with native names: of `error_responses`, or of `x-aon-errors` outside a response.
pub(super) fn from_entry<'a>(node: Node<'a>, status: Option<Node<'a>>) -> ErrorResponse<'a> {
    let status_node = status.or_else(|| node.get("status"));
    let facts = Facts {
        entry: Some(node),
        response: None,
        body: None,
    };
    let mut error = facts.read(node, node, status_node);
    error.native = true;
    let named = node
        .get("examples")
        .into_iter()
        .flat_map(Node::items)
        .map(|value| Example { name: None, value });
    error.examples = node
        .get("example")
        .map(|value| Example { name: None, value })
        .into_iter()
        .chain(named)
        .collect();
    if error.valid_values.is_none() {
        error.valid_values = error
            .examples
            .iter()
            .find_map(|example| example.value.get("valid_values"));
    }
    error
}

/// The errors of one response: its `x-aon-errors`, else one for each code its examples or schema show, else one.
pub(super) fn from_response<'a>(
    response: Node<'a>,
    status: Node<'a>,
    contents: &[Content<'a>],
) -> Vec<ErrorResponse<'a>> {
    let examples: Vec<Example<'a>> = contents
        .iter()
        .flat_map(|content| content.examples.iter().copied())
        .collect();
    let finish = |mut error: ErrorResponse<'a>, own: &[Example<'a>]| {
        error.contents = contents.to_vec();
        error.examples = own.to_vec();
        error
    };
    let find_body = |code: Option<&str>| {
        let coded =
            |example: &&Example<'a>| example.value.get_str("code") == code && code.is_some();
        examples.iter().find(coded).map(|example| example.value)
    };
    if let Some(entries) = ERRORS.get(response) {
        let entries = entries.items().filter(|entry| entry.is_object());
        return entries
            .map(|entry| {
                let body = find_body(entry.get_str("code"));
                let facts = Facts {
                    entry: Some(entry),
                    response: None,
                    body,
                };
                let mut own: Vec<Example<'a>> = entry
                    .get("example")
                    .map(|value| Example { name: None, value })
                    .into_iter()
                    .collect();
                own.extend(
                    examples
                        .iter()
                        .filter(|example| body == Some(example.value)),
                );
                finish(facts.read(entry, response, Some(status)), &own)
            })
            .collect();
    }
    let problems: Vec<&Content<'a>> = contents
        .iter()
        .filter(|content| content.is_problem())
        .collect();
    let bodies: Vec<Example<'a>> = problems
        .iter()
        .flat_map(|content| content.examples.iter().copied())
        .filter(|example| example.value.is_object())
        .collect();
    let mut codes: Vec<&str> = Vec::new();
    let mut errors = Vec::new();
    if CODE.get(response).is_none() {
        for body in bodies
            .iter()
            .filter(|body| body.value.get_str("code").is_some())
        {
            let code = body.value.get_str("code").unwrap_or("");
            if codes.contains(&code) {
                continue;
            }
            codes.push(code);
            let facts = Facts {
                entry: None,
                response: Some(response),
                body: Some(body.value),
            };
            errors.push(finish(
                facts.read(response, response, Some(status)),
                &[*body],
            ));
        }
    }
    if !errors.is_empty() {
        return errors;
    }
    let facts = Facts {
        entry: None,
        response: Some(response),
        body: bodies.first().map(|body| body.value),
    };
    let mut base = finish(facts.read(response, response, Some(status)), &examples);
    if base.code.is_some() {
        return vec![base];
    }
    let Constants { codes, types } = constants(&problems);
    if codes.is_empty() {
        // A server that keeps RFC 9457 alone has no codes; one type is as good a name.
        if let [only] = types.as_slice() {
            base.type_uri = base.type_uri.or(Some(*only));
        }
        return vec![base];
    }
    let with = |(code, type_uri): (Text<'a>, Option<Text<'a>>)| ErrorResponse {
        code: Some(code),
        type_uri: base.type_uri.or(type_uri),
        ..base.clone()
    };
    codes.into_iter().map(with).collect()
}

/// What the schema of a problem says about its name.
#[derive(Default)]
struct Constants<'a> {
    /// The codes, each with its type where there is only one.
    codes: Vec<(Text<'a>, Option<Text<'a>>)>,
    types: Vec<Text<'a>>,
}

/// The codes and types that the schema of a problem allows.
fn constants<'a>(problems: &[&Content<'a>]) -> Constants<'a> {
    let mut found = Constants::default();
    let Some(schema) = problems.iter().find_map(|content| content.schema) else {
        return found;
    };
    let mut variants: Vec<_> = schema
        .resolved()
        .branches("oneOf")
        .chain(schema.resolved().branches("anyOf"))
        .collect();
    variants.push(schema);
    for variant in variants {
        let properties = variant.every_property();
        let values = |name: &str| -> Vec<Text<'a>> {
            // Branches of an `allOf` name a member again to narrow it: `code` is a text in the common part, and one word here.
            let named = properties.iter().filter(|property| property.name() == name);
            let narrow = named.map(|property| {
                let literal = property.schema.constant().into_iter();
                let listed = property.schema.enumeration().into_iter();
                let all = literal.chain(listed.flat_map(Node::items));
                all.filter_map(Text::of).collect::<Vec<_>>()
            });
            narrow
                .filter(|values| !values.is_empty())
                .min_by_key(Vec::len)
                .unwrap_or_default()
        };
        let types = values("type");
        let type_uri = match types.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        let codes = values("code").into_iter();
        found.codes.extend(codes.map(|code| (code, type_uri)));
        found.types.extend(types);
    }
    found
}

/// The places where the facts of one error may stand, nearest first.
#[derive(Clone, Copy)]
struct Facts<'a> {
    /// An object with native names.
    entry: Option<Node<'a>>,
    /// An object with `x-aon-` names.
    response: Option<Node<'a>>,
    /// An example of the body.
    body: Option<Node<'a>>,
}

impl<'a> Facts<'a> {
    fn get(self, extension: Extension) -> Option<Node<'a>> {
        let entry = self.entry.and_then(|node| {
            node.get(extension.native)
                .or_else(|| node.get(extension.vendor))
        });
        let response = || self.response.and_then(|node| extension.get(node));
        let body = || self.body.and_then(|node| node.get(extension.native));
        entry
            .or_else(response)
            .or_else(body)
            .filter(|node| !node.is_null())
    }

    fn text(self, extension: Extension) -> Option<Text<'a>> {
        Text::of(self.get(extension)?)
    }

    fn read(
        self,
        node: Node<'a>,
        response: Node<'a>,
        status_node: Option<Node<'a>>,
    ) -> ErrorResponse<'a> {
        let described = self.entry.unwrap_or(response);
        ErrorResponse {
            node,
            response,
            status_node,
            status: status_node.and_then(|status| Status::parse(status.text())),
            code: self.text(CODE),
            type_uri: self.text(TYPE),
            title: self.text(TITLE),
            description: described
                .get("description")
                .or_else(|| response.get("description"))
                .and_then(Text::of),
            docs_url: self.text(DOCS_URL),
            mcp_tool: self.text(MCP_TOOL),
            a2a_skill: self.text(A2A_SKILL),
            valid_values: self.get(VALID_VALUES),
            remediation: self.get(REMEDIATION).map(Remediation::read),
            examples: Vec::new(),
            contents: Vec::new(),
            native: false,
        }
    }
}

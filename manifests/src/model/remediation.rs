//! What a caller can do about an error (contract P5 to P8), as written; nothing is validated here.

use super::text::Text;
use crate::node::Node;

/// A remediation block.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Remediation<'a> {
    /// The block.
    pub node: Node<'a>,
    /// `type`.
    pub kind: Option<Text<'a>>,
    /// `reason`.
    pub reason: Option<Text<'a>>,
    /// `message`.
    pub message: Option<Text<'a>>,
    /// `next_action`.
    pub next_action: Option<NextAction<'a>>,
    /// `example_request`.
    pub example_request: Option<ExampleRequest<'a>>,
    /// `auto_fix_available`, when it is a bool.
    pub auto_fix_available: Option<bool>,
    /// Where that is written.
    pub auto_fix_node: Option<Node<'a>>,
}

impl<'a> Remediation<'a> {
    /// Reads a block. A plain text stands for its `type`.
    pub fn read(node: Node<'a>) -> Remediation<'a> {
        let auto_fix_node = node.get("auto_fix_available");
        Remediation {
            node,
            kind: if node.is_object() {
                Text::member(node, "type")
            } else {
                Text::of(node)
            },
            reason: Text::member(node, "reason"),
            message: Text::member(node, "message"),
            next_action: node
                .get("next_action")
                .filter(|node| !node.is_null())
                .map(NextAction::read),
            example_request: node
                .get("example_request")
                .filter(|node| node.is_object())
                .map(ExampleRequest::read),
            auto_fix_available: auto_fix_node.and_then(Node::as_bool),
            auto_fix_node,
        }
    }

    /// Whether it is an honest `none`: no action exists, and the reason is given.
    pub fn is_none_with_reason(&self) -> bool {
        self.kind.is_some_and(|kind| kind.as_str() == "none") && self.reason.is_some()
    }
}

/// Where to go next.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct NextAction<'a> {
    /// The block.
    pub node: Node<'a>,
    /// `endpoint_xri`.
    pub endpoint_xri: Option<Text<'a>>,
    /// `endpoint_url`. A plain text as the whole block is taken for it.
    pub endpoint_url: Option<Text<'a>>,
    /// `required_scope`.
    pub required_scope: Option<Text<'a>>,
    /// `guide_xri`.
    pub guide_xri: Option<Text<'a>>,
}

impl<'a> NextAction<'a> {
    fn read(node: Node<'a>) -> NextAction<'a> {
        NextAction {
            node,
            endpoint_xri: Text::member(node, "endpoint_xri"),
            endpoint_url: if node.is_object() {
                Text::member(node, "endpoint_url")
            } else {
                Text::of(node)
            },
            required_scope: Text::member(node, "required_scope"),
            guide_xri: Text::member(node, "guide_xri"),
        }
    }
}

/// A call that would succeed.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct ExampleRequest<'a> {
    /// The block.
    pub node: Node<'a>,
    /// `method`.
    pub method: Option<Text<'a>>,
    /// `path`.
    pub path: Option<Text<'a>>,
    /// `headers`.
    pub headers: Option<Node<'a>>,
    /// `body`.
    pub body: Option<Node<'a>>,
}

impl<'a> ExampleRequest<'a> {
    fn read(node: Node<'a>) -> ExampleRequest<'a> {
        ExampleRequest {
            node,
            method: Text::member(node, "method"),
            path: Text::member(node, "path"),
            headers: node.get("headers"),
            body: node.get("body"),
        }
    }
}

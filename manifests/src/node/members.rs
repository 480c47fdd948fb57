//! The children of a node, one after the other.

use super::Node;
use crate::tree::{Tag, Tree};

/// A key and its value.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The key. Read it with [`Node::text`].
    pub key: Node<'a>,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Member<'a> {
    /// The text of the key.
    pub fn name(&self) -> &'a str {
        self.key.text()
    }

    pub(super) fn is_merge(&self) -> bool {
        self.key.raw().tag == Tag::Plain && self.key.text() == "<<"
    }
}

/// The items of an array; see [`Node::items`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    pub(super) tree: &'a Tree,
    pub(super) at: u32,
    pub(super) end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at = self.tree.raw(at).next.max(at + 1);
        Some(Node::new(self.tree, at))
    }
}

/// The members of an object; see [`Node::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    pub(super) tree: &'a Tree,
    pub(super) at: u32,
    pub(super) end: u32,
    pub(super) merged: Option<std::vec::IntoIter<Member<'a>>>,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        if let Some(merged) = &mut self.merged {
            return merged.next();
        }
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at = self.tree.raw(at + 1).next.max(at + 2);
        Some(Member {
            key: Node {
                tree: self.tree,
                id: at,
            },
            value: Node::new(self.tree, at + 1),
        })
    }
}

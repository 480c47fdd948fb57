//! A string with its place.

use std::fmt;
use std::ops::Deref;

use crate::node::{Kind, Node};
use crate::span::Place;

/// A text of the source that knows where it stands. It is used like a `&str`.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Text<'a>(Node<'a>);

impl<'a> Text<'a> {
    /// Takes a string, number or bool as text. Version numbers and status codes are often written without quotes.
    pub fn of(node: Node<'a>) -> Option<Text<'a>> {
        matches!(node.kind(), Kind::String | Kind::Number | Kind::Bool).then_some(Text(node))
    }

    /// Takes the text of a member.
    pub(crate) fn member(node: Node<'a>, key: &str) -> Option<Text<'a>> {
        Text::of(node.get(key)?)
    }

    /// The text of the first of several members that exists.
    pub(crate) fn first(node: Node<'a>, keys: &[&str]) -> Option<Text<'a>> {
        keys.iter().find_map(|key| Text::member(node, key))
    }

    /// The text.
    pub fn as_str(&self) -> &'a str {
        self.0.text()
    }

    /// The node.
    pub fn node(&self) -> Node<'a> {
        self.0
    }

    /// File and bytes.
    pub fn place(&self) -> Place {
        self.0.place()
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.text()
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

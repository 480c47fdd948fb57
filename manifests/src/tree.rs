//! The document tree: one flat list of nodes in source order, for JSON and YAML alike.
//!
//! A node is 24 bytes. Children follow their parent directly, every node knows the index behind its subtree, and strings
//! without escapes are not copied: they are read out of the source text. Object members are two nodes, key then value.

use crate::issue::Issue;
use crate::keyword;
use crate::node::Node;
use crate::source::Source;
use crate::span::{Span, offset};

/// One parsed file.
///
/// ```
/// use aon_manifest::{parse, ParseOptions};
///
/// let tree = parse("pets.yaml", b"pets: [cat, dog]".to_vec(), &ParseOptions::default());
/// let pets = tree.root().and_then(|root| root.get("pets")).unwrap();
/// assert_eq!(pets.len(), 2);
/// assert_eq!(pets.item(1).unwrap().pointer(), "/pets/1");
/// ```
#[derive(Debug)]
pub struct Tree {
    pub(crate) source: Source,
    pub(crate) syntax: Syntax,
    pub(crate) nodes: Vec<Raw>,
    pub(crate) owned: Owned,
    pub(crate) roots: Vec<u32>,
    pub(crate) indexes: Vec<KeyIndex>,
    pub(crate) refs: Vec<u32>,
    /// Keys named `discriminator`.
    pub(crate) discriminators: Vec<u32>,
    pub(crate) issues: Vec<Issue>,
    pub(crate) facts: Facts,
}

/// What a parser notices in passing, so that most files need no search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Whether any reference leads out of the file.
    pub(crate) leads_out: bool,
    /// Whether there is a member `x-aon-ignore`.
    pub(crate) ignores: bool,
    /// Whether there is a vendor extension about an enum.
    pub(crate) vendor_enums: bool,
}

impl Tree {
    /// The text it was parsed from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Which grammar it was parsed with.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The first document of the file; none when nothing could be read.
    pub fn root(&self) -> Option<Node<'_>> {
        self.roots().next()
    }

    /// All documents of the file. Only YAML can have more than one.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        self.roots.iter().map(|id| Node::new(self, *id))
    }

    /// What was wrong with the text.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Whether any object has a member `x-aon-ignore`. Most files have none, and then nobody has to search for one.
    pub fn has_ignores(&self) -> bool {
        self.facts.ignores
    }

    /// Whether any object has a vendor extension about an enum, such as `x-enum` or `x-ms-enum`.
    pub fn has_vendor_enums(&self) -> bool {
        self.facts.vendor_enums
    }

    /// The number of nodes; every [`Node::index`] is below it, so a plain vector can hold facts per node.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node at an index, as given by [`Node::index`].
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        (index < self.nodes.len()).then(|| Node::new(self, offset(index)))
    }

    /// Everything that refers to something, in source order: the string values of members named `$ref` or `$dynamicRef`, and
    /// of the `mapping` of a discriminator.
    pub fn ref_nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.refs.iter().map(|id| Node::new(self, *id))
    }

    /// The smallest node whose span holds a byte offset, keys included.
    pub fn node_at(&self, at: usize) -> Option<Node<'_>> {
        let mut found = self.roots().find(|root| holds(root.span(), at))?;
        'deeper: loop {
            let (first, end) = (found.id + 1, self.raw(found.id).next);
            let mut id = first;
            while id < end {
                let raw = self.raw(id);
                if holds(raw.span(), at) {
                    if raw.tag == Tag::Alias {
                        break 'deeper;
                    }
                    found = Node::new(self, id);
                    continue 'deeper;
                }
                id = raw.next.max(id + 1);
            }
            break;
        }
        Some(found)
    }

    pub(crate) fn raw(&self, id: u32) -> Raw {
        self.nodes.get(id as usize).copied().unwrap_or(Raw::NULL)
    }

    /// The text of a scalar node: the decoded string, or the source of a number and the like.
    pub(crate) fn scalar_text(&self, raw: Raw) -> &str {
        if raw.flags & Raw::KEYWORD != 0 {
            return keyword::of(raw.data);
        }
        let text = self.source.text();
        match raw.tag {
            Tag::Quoted => text
                .get(raw.start as usize + 1..(raw.end as usize).saturating_sub(1))
                .unwrap_or(""),
            Tag::Owned => self.owned.get(raw.data),
            Tag::Plain | Tag::Null | Tag::Bool | Tag::Number => {
                text.get(raw.start as usize..raw.end as usize).unwrap_or("")
            }
            Tag::Array | Tag::Object | Tag::Alias => "",
        }
    }

    pub(crate) fn index_of(&self, object: u32) -> Option<&KeyIndex> {
        let at = self
            .indexes
            .binary_search_by_key(&object, |index| index.object)
            .ok()?;
        self.indexes.get(at)
    }
}

fn holds(span: Span, at: usize) -> bool {
    span.start() <= at && at < span.end().max(span.start() + 1)
}

/// The grammar of a file.
#[expect(
    clippy::exhaustive_enums,
    reason = "a third grammar would be a new parser, and everybody should notice"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Syntax {
    /// JSON as in RFC 8259.
    Json,
    /// YAML 1.2 with the core schema.
    Yaml,
}

/// How a node is stored.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Tag {
    Null,
    Bool,
    Number,
    /// A string whose value is exactly its source text.
    Plain,
    /// A string whose value is its source text without the quotes.
    Quoted,
    /// A string whose value had to be decoded; `data` is its place in `Tree::owned`.
    Owned,
    Array,
    Object,
    /// A YAML alias; `data` is the node it stands for, which is never an alias.
    Alias,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Raw {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The index behind the last node of this subtree.
    pub(crate) next: u32,
    pub(crate) parent: u32,
    /// Children (array), members (object), truth (bool), index (owned), target (alias); of any other key its hash.
    pub(crate) data: u32,
    pub(crate) tag: Tag,
    pub(crate) flags: u8,
    /// The names of an object's members, a bit for each hash (see [`Raw::name`]). Most questions for a member are answered here.
    pub(crate) names: u16,
}

impl Raw {
    pub(crate) const NO_PARENT: u32 = u32::MAX;
    /// The node is a member's key.
    pub(crate) const KEY: u8 = 1;
    /// The object has a YAML merge key.
    pub(crate) const MERGE: u8 = 2;
    /// The scalar was written with quotes or as a block, so it is a string whatever it looks like.
    pub(crate) const STYLED: u8 = 4;
    /// The object has a key twice.
    pub(crate) const DUPLICATES: u8 = 8;
    /// The object has a `$ref` that is a string.
    pub(crate) const REFERENCE: u8 = 16;
    /// The object has a key of ours: `x-aon-…`, `_meta`, `metadata`, or one that ends in `score` or `scores`.
    pub(crate) const EXTENDED: u8 = 32;
    /// The node is a key that many documents have; its text stands in a table as well.
    pub(crate) const KEYWORD: u8 = 64;
    /// The object has a vendor extension about an enum.
    pub(crate) const VENDOR_ENUM: u8 = 128;

    const NULL: Raw = Raw {
        start: 0,
        end: 0,
        next: u32::MAX,
        parent: Raw::NO_PARENT,
        data: 0,
        tag: Tag::Null,
        flags: 0,
        names: 0,
    };

    /// The bit in `names` of a key with this hash.
    pub(crate) const fn name(hash: u32) -> u16 {
        1 << (hash & 15)
    }

    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// Strings that had to be decoded, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    text: String,
    ends: Vec<u32>,
}

impl Owned {
    /// Keeps a string and gives its number.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.seal()
    }

    /// The text to which the next string is appended.
    pub(crate) fn open(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends the string that was appended, and gives its number.
    pub(crate) fn seal(&mut self) -> u32 {
        self.ends.push(offset(self.text.len()));
        offset(self.ends.len() - 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Forgets all but so many.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        let end = self.ends.last().copied().unwrap_or_default();
        self.text.truncate(end as usize);
    }

    pub(crate) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let end = self.ends.get(number).copied().unwrap_or_default();
        let before = number.checked_sub(1);
        let start = before.and_then(|before| self.ends.get(before).copied());
        let start = start.unwrap_or_default();
        self.text.get(start as usize..end as usize).unwrap_or("")
    }
}

/// The keys of one large object, sorted by hash.
#[derive(Debug)]
pub(crate) struct KeyIndex {
    pub(crate) object: u32,
    pub(crate) keys: Vec<KeyHash>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHash {
    pub(crate) hash: u32,
    pub(crate) key: u32,
}

/// Objects with more members than this get an index at parse time.
pub(crate) const INDEXED_FROM: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Raw>() <= 24);
    }
}

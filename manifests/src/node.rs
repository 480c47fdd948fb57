//! A place in the tree, to walk and to ask.

mod members;
mod value;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

pub use self::members::{Items, Member, Members};
use crate::keyword;
use crate::span::{FileId, Place, Span};
use crate::tree::{INDEXED_FROM, KeyHash, Raw, Tag, Tree};

/// One value (or key) of a document. A node is two words wide and is copied freely.
///
/// YAML aliases are looked through: a node reached through `*name` *is* the node behind `&name`, with that one's span and
/// pointer. Merge keys (`<<`) are looked through by [`Node::get`] and [`Node::members`].
///
/// ```
/// use aon_manifest::{parse, Kind, ParseOptions};
///
/// let tree = parse("a.json", br#"{"pets": [{"name": "Rex"}]}"#.to_vec(), &ParseOptions::default());
/// let name = tree.root().unwrap().at("/pets/0/name").unwrap();
/// assert_eq!(name.kind(), Kind::String);
/// assert_eq!(name.as_str(), Some("Rex"));
/// assert_eq!(name.source_text(), "\"Rex\"");
/// assert_eq!(name.key().unwrap().as_str(), Some("name"));
/// assert_eq!(name.pointer(), "/pets/0/name");
/// ```
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) id: u32,
}

impl<'a> Node<'a> {
    pub(crate) fn new(tree: &'a Tree, id: u32) -> Node<'a> {
        let raw = tree.raw(id);
        Node {
            tree,
            id: if raw.tag == Tag::Alias { raw.data } else { id },
        }
    }

    pub(crate) fn raw(self) -> Raw {
        self.tree.raw(self.id)
    }

    /// Whether an object has a flag, or may have it through a merge key.
    #[inline]
    pub(crate) fn has_flag(self, flag: u8) -> bool {
        let raw = self.tree.nodes.get(self.id as usize);
        raw.is_some_and(|raw| raw.flags & (flag | Raw::MERGE) != 0)
    }

    /// Whether it may have a vendor extension about an enum, such as `x-enum` or `x-ms-enum`. Most objects have none, and then
    /// nobody has to search.
    pub fn may_have_vendor_enum(self) -> bool {
        self.has_flag(Raw::VENDOR_ENUM)
    }

    /// The tree it belongs to.
    pub fn tree(self) -> &'a Tree {
        self.tree
    }

    /// Its number in the tree, below [`Tree::node_count`]. Numbers rise in source order.
    pub fn index(self) -> usize {
        self.id as usize
    }

    /// Its file.
    pub fn file(self) -> FileId {
        self.tree.source.file()
    }

    /// Its bytes in the source, quotes and brackets included.
    pub fn span(self) -> Span {
        self.raw().span()
    }

    /// Its file and bytes.
    pub fn place(self) -> Place {
        Place::new(self.file(), self.span())
    }

    /// Exactly what stands in the source.
    pub fn source_text(self) -> &'a str {
        self.tree.source.slice(self.span())
    }

    /// What sort of value it is.
    pub fn kind(self) -> Kind {
        match self.raw().tag {
            Tag::Null | Tag::Alias => Kind::Null,
            Tag::Bool => Kind::Bool,
            Tag::Number => Kind::Number,
            Tag::Plain | Tag::Quoted | Tag::Owned => Kind::String,
            Tag::Array => Kind::Array,
            Tag::Object => Kind::Object,
        }
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.raw().tag == Tag::Object
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.raw().tag == Tag::Array
    }

    /// Whether it is null, written or left out.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether it is the key of a member.
    pub fn is_key(self) -> bool {
        self.raw().flags & Raw::KEY != 0
    }

    /// The value of a string. Keys are strings only when they look like one; see [`Node::text`].
    pub fn as_str(self) -> Option<&'a str> {
        let raw = self.raw();
        matches!(raw.tag, Tag::Plain | Tag::Quoted | Tag::Owned).then(|| self.tree.scalar_text(raw))
    }

    /// The text of any scalar: the decoded string, or the source of a number, bool or null. Empty for collections.
    ///
    /// This is what keys are compared by, so that `200:` in YAML is found as `"200"`.
    pub fn text(self) -> &'a str {
        self.tree.scalar_text(self.raw())
    }

    /// The value of a bool.
    pub fn as_bool(self) -> Option<bool> {
        let raw = self.raw();
        (raw.tag == Tag::Bool).then_some(raw.data != 0)
    }

    /// The value of a number that is a whole one and fits.
    pub fn as_i64(self) -> Option<i64> {
        if self.raw().tag != Tag::Number {
            return None;
        }
        let text = self.text();
        if let Ok(value) = text.parse() {
            return Some(value);
        }
        match text.get(..2) {
            Some("0x") => text
                .get(2..)
                .and_then(|digits| i64::from_str_radix(digits, 16).ok()),
            Some("0o") => text
                .get(2..)
                .and_then(|digits| i64::from_str_radix(digits, 8).ok()),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn as_f64(self) -> Option<f64> {
        if self.raw().tag != Tag::Number {
            return None;
        }
        let text = self.text();
        match text.trim_start_matches(['+', '-']) {
            ".inf" | ".Inf" | ".INF" if text.starts_with('-') => Some(f64::NEG_INFINITY),
            ".inf" | ".Inf" | ".INF" => Some(f64::INFINITY),
            ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
            #[expect(
                clippy::cast_precision_loss,
                reason = "hexadecimal and octal numbers of this size do not occur"
            )]
            other if other.starts_with("0x") || other.starts_with("0o") => {
                self.as_i64().map(|value| value as f64)
            }
            _ => text.parse().ok(),
        }
    }

    /// Whether a YAML scalar was written with quotes or as a block. Always true for JSON strings.
    pub fn is_quoted(self) -> bool {
        let raw = self.raw();
        raw.tag == Tag::Quoted || raw.flags & Raw::STYLED != 0
    }

    /// Items of an array or members of an object, merged ones not counted; 0 for scalars.
    pub fn len(self) -> usize {
        let raw = self.raw();
        if matches!(raw.tag, Tag::Array | Tag::Object) {
            raw.data as usize
        } else {
            0
        }
    }

    /// Whether there are no items or members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of an array; nothing for everything else.
    pub fn items(self) -> Items<'a> {
        let raw = self.raw();
        let end = if raw.tag == Tag::Array { raw.next } else { 0 };
        Items {
            tree: self.tree,
            at: self.id + 1,
            end,
        }
    }

    /// One item of an array.
    pub fn item(self, index: usize) -> Option<Node<'a>> {
        self.items().nth(index)
    }

    /// The members of an object in source order, duplicates included, then those a merge key brings in.
    pub fn members(self) -> Members<'a> {
        let raw = self.raw();
        if raw.tag != Tag::Object {
            return Members {
                tree: self.tree,
                at: 0,
                end: 0,
                merged: None,
            };
        }
        if raw.flags & Raw::MERGE != 0 {
            let mut all = Vec::new();
            self.collect_merged(&mut all);
            return Members {
                tree: self.tree,
                at: 0,
                end: 0,
                merged: Some(all.into_iter()),
            };
        }
        self.own_members()
    }

    /// The value of a member. Of duplicates the last one counts, as in every common JSON and YAML library.
    #[inline]
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        self.get_hashed(key, keyword::hash(key.as_bytes()))
    }

    /// The same for a key whose hash is known.
    #[inline]
    pub(crate) fn get_hashed(self, key: &str, hash: u32) -> Option<Node<'a>> {
        let at = self.find(key, hash)?;
        Some(Node::new(self.tree, at + 1))
    }

    /// A member with its key.
    #[inline]
    pub fn member(self, key: &str) -> Option<Member<'a>> {
        // Here, because the key is a literal as a rule, and then its hash is known when the program is compiled.
        let hash = keyword::hash(key.as_bytes());
        self.find(key, hash).map(|key| Member {
            key: Node {
                tree: self.tree,
                id: key,
            },
            value: Node::new(self.tree, key + 1),
        })
    }

    /// The place of a member's key.
    #[inline]
    fn find(self, key: &str, hash: u32) -> Option<u32> {
        let raw = self.tree.nodes.get(self.id as usize)?;
        if raw.names & Raw::name(hash) == 0 {
            return None;
        }
        self.find_hashed(key, hash)
    }

    fn find_hashed(self, key: &str, hash: u32) -> Option<u32> {
        let raw = self.raw();
        if raw.tag != Tag::Object {
            return None;
        }
        let own = if raw.data as usize > INDEXED_FROM {
            self.find_indexed(key, hash)
        } else {
            self.find_linear(key, hash, raw)
        };
        if own.is_none() && raw.flags & Raw::MERGE != 0 {
            // What a merge key brings in stands in the same file.
            return self
                .merge_sources()
                .into_iter()
                .find_map(|source| source.find_hashed(key, hash));
        }
        own
    }

    /// The string value of a member.
    pub fn get_str(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// Follows a JSON Pointer (RFC 6901) from here. The empty pointer is this node.
    pub fn at(self, pointer: &str) -> Option<Node<'a>> {
        let mut node = self;
        if pointer.is_empty() {
            return Some(node);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            node = node.child(token)?;
        }
        Some(node)
    }

    pub(crate) fn child(self, token: &str) -> Option<Node<'a>> {
        match self.raw().tag {
            Tag::Object if memchr::memchr(b'~', token.as_bytes()).is_some() => {
                self.get(&token.replace("~1", "/").replace("~0", "~"))
            }
            Tag::Object => self.get(token),
            Tag::Array => self.item(token.parse().ok()?),
            _ => None,
        }
    }

    /// The array or object around this node; none for a root.
    pub fn parent(self) -> Option<Node<'a>> {
        let parent = self.raw().parent;
        (parent != Raw::NO_PARENT).then_some(Node {
            tree: self.tree,
            id: parent,
        })
    }

    /// The root of the document this node stands in.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        let mut node = self;
        while let Some(parent) = node.parent() {
            node = parent;
        }
        node
    }

    /// The key of the member whose value this is.
    pub fn key(self) -> Option<Node<'a>> {
        let parent = self.parent()?;
        if !parent.is_object() || self.is_key() {
            return None;
        }
        Some(Node {
            tree: self.tree,
            id: self.id.checked_sub(1)?,
        })
    }

    /// The value of the member whose key this is.
    pub fn value(self) -> Option<Node<'a>> {
        self.is_key().then(|| Node::new(self.tree, self.id + 1))
    }

    /// The span of the whole member, key and value; for everything else the node's own span.
    pub fn member_span(self) -> Span {
        let (first, last) = match (self.key(), self.value()) {
            (Some(key), _) => (key.span(), self.span()),
            (None, Some(_)) => (self.span(), self.tree.raw(self.id + 1).span()),
            (None, None) => (self.span(), self.span()),
        };
        Span::new(
            crate::span::offset(first.start()),
            crate::span::offset(last.end().max(first.end())),
        )
    }

    /// The JSON Pointer from the root. A key has the pointer of its member.
    pub fn pointer(self) -> String {
        let mut tokens: Vec<Cow<'a, str>> = Vec::with_capacity(16);
        let mut node = self;
        while let Some(parent) = node.parent() {
            if parent.is_object() {
                let key = if node.is_key() {
                    node
                } else {
                    Node {
                        tree: self.tree,
                        id: node.id.saturating_sub(1),
                    }
                };
                tokens.push(escape(key.text()));
            } else {
                let index = Items {
                    tree: self.tree,
                    at: parent.id + 1,
                    end: node.id,
                }
                .count();
                tokens.push(Cow::Owned(index.to_string()));
            }
            node = parent;
        }
        let mut pointer = String::with_capacity(tokens.iter().map(|token| token.len() + 1).sum());
        for token in tokens.iter().rev() {
            pointer.push('/');
            pointer.push_str(token);
        }
        pointer
    }

    fn own_members(self) -> Members<'a> {
        Members {
            tree: self.tree,
            at: self.id + 1,
            end: self.raw().next,
            merged: None,
        }
    }

    fn find_linear(self, key: &str, hash: u32, raw: Raw) -> Option<u32> {
        let mut at = self.id + 1;
        let mut found = None;
        let nodes = self.tree.nodes.as_slice();
        while at < raw.next
            && let Some([name, value, ..]) = nodes.get(at as usize..)
        {
            if self.is_named(name, key, hash) {
                found = Some(at);
                if raw.flags & Raw::DUPLICATES == 0 {
                    break;
                }
            }
            at = value.next.max(at + 2);
        }
        found
    }

    /// Whether a member's key reads like this. Other keys are told apart by their hash, without a look at the text, which lies
    /// far away in memory.
    fn is_named(self, name: &Raw, key: &str, hash: u32) -> bool {
        (name.data == hash || name.tag == Tag::Owned) && self.tree.scalar_text(*name) == key
    }

    fn find_indexed(self, key: &str, hash: u32) -> Option<u32> {
        let index = self.tree.index_of(self.id)?;
        let from = index.keys.partition_point(|entry| entry.hash < hash);
        let same: &[KeyHash] = index.keys.get(from..)?;
        let same = same.iter().take_while(|entry| entry.hash == hash);
        // Equal keys are sorted by place, so the last one is the last one in the source.
        let found = same
            .filter(|entry| Node::new(self.tree, entry.key).text() == key)
            .last()?;
        Some(found.key)
    }

    fn merge_sources(self) -> Vec<Node<'a>> {
        let mut sources = Vec::new();
        for member in self.own_members().filter(Member::is_merge) {
            if member.value.is_array() {
                sources.extend(member.value.items());
            } else {
                sources.push(member.value);
            }
        }
        sources.retain(|source| source.is_object());
        sources
    }

    fn collect_merged(self, all: &mut Vec<Member<'a>>) {
        all.extend(self.own_members().filter(|member| !member.is_merge()));
        let mut known: BTreeSet<&str> = all.iter().map(Member::name).collect();
        for source in self.merge_sources() {
            all.extend(
                source
                    .members()
                    .filter(|member| known.insert(member.name())),
            );
        }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} {}:{}",
            self.kind(),
            self.tree.source.name(),
            self.tree.source.position(self.span().start())
        )
    }
}

impl PartialEq for Node<'_> {
    /// Whether both are the same place, not whether both have the same value; see [`Node::same_value`] for that.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

/// The sorts of values.
#[expect(clippy::exhaustive_enums, reason = "JSON has exactly these")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Kind {
    /// `null`, also a YAML value that was left out.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number; its text is kept as written.
    Number,
    /// A string.
    String,
    /// A list.
    Array,
    /// An object with members in source order.
    Object,
}

/// Escapes one token of a JSON Pointer.
pub(crate) fn escape(token: &str) -> Cow<'_, str> {
    let special = |rest: &str| memchr::memchr2(b'~', b'/', rest.as_bytes());
    let Some(mut at) = special(token) else {
        return Cow::Borrowed(token);
    };
    let mut escaped = String::with_capacity(token.len() + 8);
    let mut rest = token;
    loop {
        let (plain, behind) = rest.split_at(at);
        escaped.push_str(plain);
        escaped.push_str(if behind.starts_with('~') { "~0" } else { "~1" });
        rest = behind.get(1..).unwrap_or("");
        let Some(next) = special(rest) else {
            break;
        };
        at = next;
    }
    escaped.push_str(rest);
    Cow::Owned(escaped)
}

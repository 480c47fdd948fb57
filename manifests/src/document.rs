//! A manifest with everything it refers to.

mod links;
mod resources;

use std::collections::BTreeMap;
use std::io;

use self::links::Links;
use crate::format::Format;
use crate::issue::{Issue, IssueKind};
use crate::keyword;
use crate::model::Api;
use crate::node::{Kind, Node};
use crate::parse::{ParseOptions, parse_file};
use crate::span::{FileId, Span};
use crate::tree::{Raw, Tree};

/// One entry file and every file it reaches through `$ref`, parsed and linked.
///
/// Opening never fails: what is wrong is listed in [`Document::issues`], and [`Document::apis`] gives what could be read.
///
/// ```
/// use aon_manifest::Document;
///
/// let text = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get:\n      operationId: listPets\n";
/// let document = Document::from_text("pets.yaml", text);
/// let api = &document.apis()[0];
/// assert_eq!(api.title.unwrap().as_str(), "Pets");
/// assert_eq!(api.operations[0].name(), "listPets");
/// ```
#[derive(Debug)]
pub struct Document {
    trees: Vec<Tree>,
    formats: Vec<Option<Format>>,
    links: Links,
    issues: Vec<Issue>,
}

impl Document {
    /// Reads a file. `name` is its path with `/` separators; it decides how relative `$ref`s are resolved and is shown in
    /// messages. `loader` is asked for referenced files.
    pub fn open(
        name: &str,
        bytes: impl Into<Vec<u8>>,
        options: &ReadOptions,
        loader: &dyn Loader,
    ) -> Document {
        let tree = parse_file(FileId::ENTRY, name, bytes.into(), &options.parse);
        let formats: Vec<_> = tree
            .roots()
            .map(|root| options.format.or_else(|| Format::detect(root, name)))
            .collect();
        let mut issues = Vec::new();
        if formats.iter().all(Option::is_none) && tree.root().is_some() {
            issues.push(Issue::new(
                tree.source(),
                tree.root().map_or_else(Span::default, first_line),
                IssueKind::UnknownFormat,
                "this is neither an AON manifest nor OpenAPI, Swagger, an MCP tool list or an A2A card",
                "name the format, or add the member that marks it (`operations`, `openapi`, `swagger`, `tools`, `skills`)",
            ));
        }
        let mut document = Document {
            trees: vec![tree],
            formats,
            links: Links::default(),
            issues,
        };
        let resources = links::load(&mut document, options, loader);
        links::resolve(&mut document, resources);
        document
    }

    /// Reads a text with default options and without other files.
    pub fn from_text(name: &str, text: &str) -> Document {
        Document::open(name, text, &ReadOptions::default(), &NoFiles)
    }

    /// The parsed files; the entry file is the first.
    pub fn files(&self) -> &[Tree] {
        &self.trees
    }

    /// One parsed file.
    pub fn file(&self, id: FileId) -> Option<&Tree> {
        self.trees.get(id.index())
    }

    /// The entry file.
    pub fn entry(&self) -> &Tree {
        // `open` is the only constructor and always puts one tree in.
        &self.trees[0]
    }

    /// The format of the first document of the entry file; none when it is not a manifest.
    pub fn format(&self) -> Option<Format> {
        self.formats.first().copied().flatten()
    }

    /// The APIs of the entry file: one for each YAML document in it that is a manifest.
    pub fn apis(&self) -> Vec<Api<'_>> {
        let roots = self.entry().roots().zip(&self.formats);
        roots
            .filter_map(|(root, format)| format.map(|format| crate::read::read(self, root, format)))
            .collect()
    }

    /// Everything that is wrong with the text and the references, in the order of files and places.
    ///
    /// What a reader finds wrong with the shape of a manifest is in [`Api::issues`].
    pub fn issues(&self) -> Vec<&Issue> {
        let mut all: Vec<&Issue> = self
            .trees
            .iter()
            .flat_map(Tree::issues)
            .chain(&self.issues)
            .collect();
        all.sort_by_key(|issue| (issue.place(), issue.kind()));
        all
    }

    /// Follows `$ref`: the node itself when it has none, otherwise the node at the end of the chain. None when the chain leads
    /// nowhere or round in a circle.
    #[inline]
    pub fn resolve<'a>(&'a self, node: Node<'a>) -> Option<Node<'a>> {
        if !node.has_flag(Raw::REFERENCE) {
            return Some(node);
        }
        self.resolve_reference(node)
    }

    fn resolve_reference<'a>(&'a self, node: Node<'a>) -> Option<Node<'a>> {
        let mut node = node;
        for _ in 0..MAX_HOPS {
            let Some(reference) = reference(node) else {
                return Some(node);
            };
            node = self.target(reference)?;
        }
        None
    }

    /// What the string value of a `$ref` points at, one step.
    pub fn target<'a>(&'a self, reference: Node<'a>) -> Option<Node<'a>> {
        self.links.target(self, reference)
    }

    pub(crate) fn format_of(&self, root: Node<'_>) -> Option<Format> {
        let roots = &self.entry().roots;
        let at = roots
            .binary_search(&root.id)
            .ok()
            .filter(|_| root.file() == FileId::ENTRY)?;
        self.formats.get(at).copied().flatten()
    }
}

/// The string value of `$ref` in an object. `$dynamicRef` is taken for the same: what it means depends on the way there, and
/// nearly always it is the schema that it names.
#[inline]
pub(crate) fn reference(node: Node<'_>) -> Option<Node<'_>> {
    if node.has_flag(Raw::REFERENCE) {
        find_reference(node)
    } else {
        None
    }
}

fn find_reference(node: Node<'_>) -> Option<Node<'_>> {
    // As a rule it is the only member, whose key and value follow the object.
    if let Some([own, key, ..]) = node.tree.nodes.get(node.id as usize..)
        && own.data == 1
        && key.flags & Raw::KEYWORD != 0
        && key.data == REF
    {
        let value = Node::new(node.tree, node.id + 2);
        return (value.kind() == Kind::String).then_some(value);
    }
    let is_text = |value: &Node<'_>| value.as_str().is_some();
    let named = node.get("$ref").filter(is_text);
    named.or_else(|| node.get("$dynamicRef").filter(is_text))
}

/// The first line of a node, so that a message about a whole file does not underline all of it.
pub(crate) fn first_line(node: Node<'_>) -> Span {
    let start = node.span().start();
    let len = node.source_text().lines().next().map_or(0, str::len);
    Span::new(crate::span::offset(start), crate::span::offset(start + len))
}

const REF: u32 = keyword::hash(b"$ref");

/// How many `$ref`s in a row are followed.
pub(crate) const MAX_HOPS: usize = 64;

/// How a document is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    parse: ParseOptions,
    format: Option<Format>,
    root: Option<String>,
    outside_root: bool,
}

impl ReadOptions {
    /// Limits of the parsers.
    #[must_use]
    pub fn with_parse(mut self, parse: ParseOptions) -> ReadOptions {
        self.parse = parse;
        self
    }

    /// Takes the document for this format, whatever it looks like.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> ReadOptions {
        self.format = Some(format);
        self
    }

    /// References may reach files in this directory and below. Unless set it is the directory of the entry file.
    #[must_use]
    pub fn with_root(mut self, root: impl Into<String>) -> ReadOptions {
        self.root = Some(root.into());
        self
    }

    /// Lets references leave the root.
    #[must_use]
    pub fn with_outside_root(mut self, allowed: bool) -> ReadOptions {
        self.outside_root = allowed;
        self
    }
}

/// Brings the bytes of referenced files. This package never touches a file system or a network itself.
///
/// The path is already tidied (no `.` or `..` inside) and lies in the root by its text. A loader on a file system that has
/// symbolic links should check the real path as well, and should not read more than it is willing to hold.
///
/// A closure is a loader, and so is a map from names to texts:
///
/// ```
/// use std::collections::BTreeMap;
/// use aon_manifest::{Document, ReadOptions};
///
/// let files = BTreeMap::from([("pet.yaml".to_owned(), "type: object\n".to_owned())]);
/// let text = "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {Pet: {$ref: pet.yaml}}}\n";
/// let document = Document::open("api.yaml", text, &ReadOptions::default(), &files);
/// assert_eq!(document.files().len(), 2);
/// assert!(document.issues().is_empty());
/// ```
pub trait Loader {
    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// Any reason why there are none; the text of the error is shown to the user.
    fn load(&self, path: &str) -> io::Result<Vec<u8>>;
}

impl<F: Fn(&str) -> io::Result<Vec<u8>>> Loader for F {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        self(path)
    }
}

impl Loader for BTreeMap<String, String> {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        self.get(path)
            .map(|text| text.clone().into_bytes())
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

/// A loader for documents that may not refer to other files.
#[expect(
    clippy::exhaustive_structs,
    reason = "there is nothing to add to nothing"
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "other files are not read in this mode",
        ))
    }
}

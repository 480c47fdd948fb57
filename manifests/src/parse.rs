//! From bytes to a tree.

mod decode;
mod json;
mod scalar;
mod yaml;

use crate::issue::{Issue, IssueKind};
use crate::source::Source;
use crate::span::{FileId, Span};
use crate::tree::{Facts, Owned, Syntax, Tree};

/// Limits of the parsers.
///
/// ```
/// let options = aon_manifest::ParseOptions::default().with_max_bytes(1 << 20);
/// assert_eq!(options.max_bytes(), 1 << 20);
/// ```
#[expect(
    clippy::struct_field_names,
    reason = "all three are upper limits, and that is the point"
)]
#[derive(Clone, Debug)]
pub struct ParseOptions {
    max_bytes: usize,
    max_depth: usize,
    max_expanded_nodes: u64,
}

impl ParseOptions {
    /// A file may have this many bytes (64 MiB unless set; never more than 2 GiB).
    #[must_use]
    pub fn with_max_bytes(mut self, max: usize) -> ParseOptions {
        self.max_bytes = max.min(1 << 31);
        self
    }

    /// Arrays and objects may be nested this deep (256 unless set; never more than 1024).
    #[must_use]
    pub fn with_max_depth(mut self, max: usize) -> ParseOptions {
        self.max_depth = max.clamp(1, 1024);
        self
    }

    /// With all YAML aliases written out a document may have this many nodes (4 million unless set), in addition to what the
    /// document has without aliases.
    #[must_use]
    pub fn with_max_expanded_nodes(mut self, max: u64) -> ParseOptions {
        self.max_expanded_nodes = max;
        self
    }

    /// The largest file that is read.
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The deepest nesting that is read.
    pub fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// The largest number of nodes aliases may add.
    pub fn max_expanded_nodes(&self) -> u64 {
        self.max_expanded_nodes
    }
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions {
            max_bytes: 64 << 20,
            max_depth: 256,
            max_expanded_nodes: 4_000_000,
        }
    }
}

/// Parses one file. This never fails as a whole: what could be read is in the tree, what could not is in [`Tree::issues`].
///
/// JSON is chosen when the text starts with `{` or `[`, or when the name ends in `.json`; everything else is YAML. A text that
/// starts like JSON but is a YAML flow collection (`{a: 1}`) is read as YAML, unless the name says JSON.
///
/// ```
/// use aon_manifest::{parse, IssueKind, ParseOptions};
///
/// let tree = parse("cut.json", b"{\"a\": [1, 2".to_vec(), &ParseOptions::default());
/// assert_eq!(tree.issues()[0].kind(), IssueKind::Truncated);
/// assert_eq!(tree.root().unwrap().at("/a/1").unwrap().as_i64(), Some(2));
/// ```
pub fn parse(name: &str, bytes: impl Into<Vec<u8>>, options: &ParseOptions) -> Tree {
    parse_file(FileId::ENTRY, name, bytes.into(), options)
}

pub(crate) fn parse_file(file: FileId, name: &str, bytes: Vec<u8>, options: &ParseOptions) -> Tree {
    let text = match decode::decode(bytes, options) {
        Ok(text) => text,
        Err(refusal) => {
            let source = Source::new(file, name, refusal.kept);
            let issue = Issue::new(
                &source,
                refusal.span,
                refusal.kind,
                refusal.message,
                refusal.help,
            );
            return empty(source, issue);
        }
    };
    let source = Source::new(file, name, text);
    let start = if source.text().starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let content = source.text().get(start..).unwrap_or("");
    let Some(first) = content.bytes().find(|byte| !byte.is_ascii_whitespace()) else {
        let issue = nothing(&source);
        return empty(source, issue);
    };
    let named_json = has_extension(name, "json");
    let mut source = source;
    if named_json || matches!(first, b'{' | b'[') {
        let parts = json::parse(&source, start, options);
        let tree = parts.into_tree(source, Syntax::Json);
        if named_json || tree.issues.is_empty() || !looks_like_flow_yaml(&tree, name) {
            return tree;
        }
        source = tree.source;
    }
    let parts = yaml::parse(&source, start, options);
    let mut tree = parts.into_tree(source, Syntax::Yaml);
    if tree.roots.is_empty() && tree.issues.is_empty() {
        // Comments only.
        tree.issues.push(nothing(&tree.source));
    }
    tree
}

fn nothing(source: &Source) -> Issue {
    Issue::new(
        source,
        Span::default(),
        IssueKind::Empty,
        "there is nothing in the file",
        "write a manifest into it, or leave it out",
    )
}

/// A text that opens like JSON and breaks JSON's grammar: YAML if its name says so, or if the first key has no quotes.
fn looks_like_flow_yaml(tree: &Tree, name: &str) -> bool {
    if has_extension(name, "yaml") || has_extension(name, "yml") || has_extension(name, "kno") {
        return tree
            .issues
            .iter()
            .any(|issue| issue.kind() != IssueKind::DuplicateKey);
    }
    let opening = tree
        .source
        .text()
        .trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let inside = opening.get(1..).unwrap_or("").trim_start();
    let broken = tree
        .issues
        .iter()
        .any(|issue| issue.kind() == IssueKind::Syntax);
    broken && inside.starts_with(|c: char| c.is_alphabetic())
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

fn empty(source: Source, issue: Issue) -> Tree {
    Tree {
        source,
        syntax: Syntax::Yaml,
        nodes: Vec::new(),
        owned: Owned::default(),
        roots: Vec::new(),
        indexes: Vec::new(),
        refs: Vec::new(),
        discriminators: Vec::new(),
        issues: vec![issue],
        facts: Facts::default(),
    }
}

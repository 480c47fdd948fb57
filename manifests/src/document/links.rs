//! Where every `$ref` leads, found out once for all readers.

use std::collections::BTreeMap;

use super::resources::Resources;
use super::{Document, Loader, MAX_HOPS, ReadOptions, reference};
use crate::builder::shorten;
use crate::format::Format;
use crate::issue::{Issue, IssueKind};
use crate::keyword;
use crate::node::Node;
use crate::parse::parse_file;
use crate::path;
use crate::span::{FileId, offset};
use crate::tree::{Raw, Tag, Tree};
use memchr::{memchr, memrchr};

/// The target of every `$ref`, per file and sorted by the node of the reference.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// For references to other files: the file, by node.
    files: Vec<Vec<(u32, FileId)>>,
    targets: Vec<Vec<Link>>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    file: u32,
    node: u32,
}

impl Links {
    pub(super) fn target<'a>(
        &self,
        document: &'a Document,
        reference: Node<'a>,
    ) -> Option<Node<'a>> {
        let links = self.targets.get(reference.file().index())?;
        let raw = reference.raw();
        let at = match raw.tag {
            // Its number was noted there; see `resolve`.
            Tag::Plain | Tag::Quoted => raw.data as usize,
            _ => links
                .binary_search_by_key(&reference.id, |link| link.from)
                .ok()?,
        };
        let link = links.get(at).filter(|link| link.from == reference.id)?;
        let tree = document.trees.get(link.file as usize)?;
        (link.node != u32::MAX).then(|| Node::new(tree, link.node))
    }

    fn file(&self, reference: Node<'_>) -> Option<FileId> {
        let files = self.files.get(reference.file().index())?;
        let at = files
            .binary_search_by_key(&reference.id, |(node, _)| *node)
            .ok()?;
        files.get(at).map(|(_, file)| *file)
    }
}

/// Loads every file that is referred to, file by file until nothing new comes up. Gives the addresses that were looked for.
pub(super) fn load(
    document: &mut Document,
    options: &ReadOptions,
    loader: &dyn Loader,
) -> Resources {
    let mut resources = Resources::default();
    let root = match &options.root {
        Some(root) => root.clone(),
        None => path::directory(document.entry().source().name()).to_owned(),
    };
    let entry_name = path::join("", document.entry().source().name());
    let mut known: BTreeMap<String, Option<FileId>> =
        BTreeMap::from([(entry_name, Some(FileId::ENTRY))]);
    let mut total = document.entry().source().text().len();
    let mut at = 0;
    while let Some(tree) = document.trees.get(at) {
        let mut found: Vec<(u32, FileId)> = Vec::new();
        let mut issues = Vec::new();
        let mut loaded: Vec<Tree> = Vec::new();
        // Most files only refer to themselves, which was noticed while they were parsed.
        let references = tree.facts.leads_out.then(|| tree.ref_nodes());
        for reference in references.into_iter().flatten() {
            let text = reference.text();
            let (file, _) = split(text);
            if file.is_empty() {
                continue;
            }
            if path::is_url(file)
                || is_name(reference) && !path::has_extension(file)
                || component(document, reference).is_some()
                || resources.named_here(reference, file).is_some()
            {
                continue;
            }
            let name = path::join(tree.source().name(), &path::percent_decode(file));
            if let Some(id) = known.get(&name) {
                match id {
                    Some(id) => found.push((reference.id, *id)),
                    None => issues.extend(complain(
                        reference,
                        IssueKind::UnreadableRef,
                        format!("the file `{}` could not be read", shorten(&name)),
                        "see the first reference to it",
                    )),
                }
                continue;
            }
            if !options.outside_root && !path::is_inside(&name, &root) {
                issues.extend(complain(
                    reference,
                    IssueKind::RefOutsideRoot,
                    format!("`{}` lies outside the root directory", shorten(text)),
                    "move the file into the root, or allow references to leave it",
                ));
                continue;
            }
            let next = document.trees.len() + loaded.len();
            if next >= MAX_FILES || total > options.parse.max_bytes().saturating_mul(4) {
                issues.extend(complain(
                    reference,
                    IssueKind::TooLarge,
                    format!("more than {next} files or too many bytes in all"),
                    "split the document",
                ));
                break;
            }
            match loader.load(&name) {
                Ok(bytes) => {
                    total += bytes.len();
                    let id = FileId(offset(next));
                    loaded.push(parse_file(id, &name, bytes, &options.parse));
                    found.push((reference.id, id));
                    known.insert(name, Some(id));
                }
                Err(error) => {
                    issues.extend(complain(
                        reference,
                        IssueKind::UnreadableRef,
                        format!("the file `{}` could not be read: {error}", shorten(&name)),
                        "correct the path, or add the file",
                    ));
                    known.insert(name, None);
                }
            }
        }
        document.links.files.push(found);
        document.issues.append(&mut issues);
        document.trees.append(&mut loaded);
        at += 1;
    }
    resources
}

/// Finds the node behind every reference, and complains about those that lead nowhere.
pub(super) fn resolve(document: &mut Document, resources: Resources) {
    let mut issues = Vec::new();
    let mut targets = Vec::with_capacity(document.trees.len());
    let mut finder = Finder {
        document,
        resources,
        nearby: Vec::new(),
        anchors: BTreeMap::new(),
        recent: Vec::new(),
    };
    for tree in &document.trees {
        finder.begin(tree);
        let mut links = Vec::with_capacity(tree.refs.len());
        for reference in tree.ref_nodes() {
            let target = finder.recall(reference);
            if target.is_none() {
                issues.extend(lost(document, reference));
            }
            links.push(Link {
                from: reference.id,
                file: target.map_or(0, |node| node.file().0),
                node: target.map_or(u32::MAX, |node| node.id),
            });
        }
        targets.push(links);
    }
    document.links.targets = targets;
    for (tree, links) in document.trees.iter_mut().zip(&document.links.targets) {
        for (number, link) in links.iter().enumerate() {
            if let Some(raw) = tree.nodes.get_mut(link.from as usize)
                && matches!(raw.tag, Tag::Plain | Tag::Quoted)
            {
                raw.data = offset(number);
            }
        }
    }
    for (tree, links) in document.trees.iter().zip(&document.links.targets) {
        // Only a target that is itself a reference can lead back.
        let onward = links.iter().filter(|link| {
            let target = document.trees.get(link.file as usize);
            target
                .is_some_and(|tree| tree.raw(link.node).flags & (Raw::REFERENCE | Raw::MERGE) != 0)
        });
        for reference in onward
            .map(|link| Node::new(tree, link.from))
            .filter(|reference| goes_round(document, *reference))
        {
            let text = shorten(reference.text());
            issues.extend(complain(
                reference,
                IssueKind::CircularRef,
                format!("`{text}` only leads back to itself"),
                "let one of the references end in something real",
            ));
        }
    }
    document.issues.append(&mut issues);
}

/// What to say about a reference that leads nowhere. Nothing when its file was not read, because that was said already.
fn lost(document: &Document, reference: Node<'_>) -> Option<Issue> {
    let text = reference.text();
    let (file, _) = split(text);
    if path::is_url(file) {
        return complain(
            reference,
            IssueKind::RefToUrl,
            format!("`{}` is a URL, and nothing is fetched", shorten(text)),
            "copy the document beside this one and refer to the copy",
        );
    }
    let unread = !file.is_empty() && document.links.file(reference).is_none();
    if unread && (path::has_extension(file) || !is_name(reference)) {
        return None;
    }
    complain(
        reference,
        IssueKind::DanglingRef,
        format!("`{}` points at nothing", shorten(text)),
        "correct the reference, or add what it names",
    )
}

/// Whether a discriminator's mapping gives the name of a schema, not the place of one.
fn is_name(reference: Node<'_>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    reference.text().chars().all(plain)
        && reference
            .key()
            .is_some_and(|key| !matches!(key.text(), "$ref" | "$dynamicRef"))
}

/// The schema that a mapping names.
fn component<'a>(document: &'a Document, reference: Node<'a>) -> Option<Node<'a>> {
    if !is_name(reference) {
        return None;
    }
    let roots = [Some(reference.root()), document.entry().root()];
    roots.into_iter().flatten().find_map(|root| {
        let modern = root.get("components").and_then(|all| all.get("schemas"));
        let mut tables = [modern, root.get("definitions")].into_iter().flatten();
        tables.find_map(|table| table.get(reference.text()))
    })
}

fn goes_round(document: &Document, from: Node<'_>) -> bool {
    let mut at = from;
    for _ in 0..MAX_HOPS {
        let Some(next) = document.target(at).and_then(reference) else {
            return false;
        };
        at = next;
    }
    true
}

/// Finds what references mean, and remembers what helps with the next one.
struct Finder<'a> {
    document: &'a Document,
    resources: Resources,
    /// Tables that references named things in lately: root, pointer, and the node there.
    nearby: Vec<(Node<'a>, String, Node<'a>)>,
    /// The `$anchor`s of the files that were searched for some; a name can come again in another schema with an `$id`.
    anchors: BTreeMap<FileId, BTreeMap<&'a str, Vec<Node<'a>>>>,
    /// References of this file whose text alone says what they mean, by the hash of the text. Documents repeat theirs often.
    recent: Vec<Option<(&'a str, Node<'a>)>>,
}

impl<'a> Finder<'a> {
    /// Starts with another file. Where it has several roots, or schemas that are documents of their own, texts are not enough.
    fn begin(&mut self, tree: &Tree) {
        self.recent.clear();
        let mcp = |root| self.document.format_of(root) == Some(Format::Mcp);
        if tree.roots.len() == 1 && !tree.root().is_some_and(mcp) {
            let room = (tree.refs.len() / 4).next_power_of_two();
            self.recent.resize(room.min(MAX_RECENT), None);
        }
    }

    /// What a reference of the current file means.
    fn recall(&mut self, reference: Node<'a>) -> Option<Node<'a>> {
        let text = reference.text();
        match self.recent.get(self.slot(text)) {
            Some(Some((known, node))) if *known == text => Some(*node),
            _ => self.find(reference, 0),
        }
    }

    /// The place of a text in `recent`.
    fn slot(&self, text: &str) -> usize {
        keyword::hash(text.as_bytes()) as usize & self.recent.len().wrapping_sub(1)
    }

    /// What a reference means, when it was itself met `hops` references deep.
    fn find(&mut self, reference: Node<'a>, hops: usize) -> Option<Node<'a>> {
        let (file, fragment) = split(reference.text());
        let decoded;
        let fragment = if memchr(b'%', fragment.as_bytes()).is_some() {
            decoded = path::percent_decode(fragment);
            decoded.as_str()
        } else {
            fragment
        };
        let mut tree = reference.tree;
        if !file.is_empty() {
            if let Some(named) = component(self.document, reference) {
                return Some(named);
            }
            let named = if path::is_url(file) {
                self.resources.named_anywhere(self.document, file)
            } else {
                self.resources.named_here(reference, file)
            };
            if let Some(named) = named {
                return self.inside(named, fragment);
            }
            tree = self.document.file(self.document.links.file(reference)?)?;
        }
        let own = std::ptr::eq(reference.tree, tree);
        let root = if own && tree.roots.len() > 1 {
            reference.root()
        } else {
            tree.root()?
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let scope = if own { reference } else { root };
            return self.anchor(scope, fragment);
        }
        if own
            && let Some(base) = schema_root(self.document, reference, root)
            && let Some(found) = base.at(fragment)
        {
            return Some(found);
        }
        // Where every document has tables of its own, the innermost one is meant.
        let scoped = file.is_empty() && (fragment.is_empty() || fragment.starts_with("/$defs/"));
        if scoped
            && let Some(base) = self.resources.around(reference)
            && let Some(found) = base.at(fragment)
        {
            return Some(found);
        }
        if let Some(found) = self.follow(root, fragment) {
            if hops == 0 && file.is_empty() && !scoped {
                let slot = self.slot(reference.text());
                if let Some(recent) = self.recent.get_mut(slot) {
                    *recent = Some((reference.text(), found));
                }
            }
            return Some(found);
        }
        if file.is_empty()
            && let Some(base) = self.resources.around(reference)
            && let Some(found) = base.at(fragment)
        {
            return Some(found);
        }
        self.follow_through(root, fragment, hops)
    }

    /// What a fragment means in a schema that has an address.
    fn inside(&mut self, schema: Node<'a>, fragment: &str) -> Option<Node<'a>> {
        if fragment.is_empty() || fragment.starts_with('/') {
            return schema.at(fragment);
        }
        self.anchor(schema, fragment)
    }

    /// The schema with this `$anchor`: the one in the same schema with an `$id`, else the first of the file.
    fn anchor(&mut self, scope: Node<'a>, name: &str) -> Option<Node<'a>> {
        let tree = scope.tree;
        let anchors = self
            .anchors
            .entry(tree.source().file())
            .or_insert_with(|| collect_anchors(tree));
        let found = anchors.get(name)?;
        let near = self.resources.around(scope);
        let same = found
            .iter()
            .find(|anchor| self.resources.around(**anchor) == near);
        same.or_else(|| found.first()).copied()
    }

    /// Follows a pointer. Most name something in one of a few tables such as `/components/schemas`, so those are kept.
    fn follow(&mut self, root: Node<'a>, pointer: &str) -> Option<Node<'a>> {
        let last = memrchr(b'/', pointer.as_bytes());
        let parts = last.and_then(|at| Some((pointer.get(..at)?, pointer.get(at + 1..)?)));
        let Some((table, name)) = parts else {
            return root.at(pointer);
        };
        let known = self
            .nearby
            .iter()
            .find(|(base, path, _)| *base == root && path == table);
        if let Some((_, _, node)) = known {
            return node.child(name);
        }
        let node = root.at(table)?;
        if self.nearby.len() >= 8 {
            self.nearby.remove(0);
        }
        self.nearby.push((root, table.to_owned(), node));
        node.child(name)
    }

    /// Follows a pointer whose longest part that exists is itself a reference.
    fn follow_through(&mut self, root: Node<'a>, pointer: &str, hops: usize) -> Option<Node<'a>> {
        if hops > 8 {
            return None;
        }
        let mut cut = pointer.len();
        while let Some(at) = pointer.get(..cut).and_then(|head| head.rfind('/')) {
            if let Some(node) = root.at(pointer.get(..at)?) {
                let behind = self.find(reference(node)?, hops + 1)?;
                let rest = pointer.get(at..)?;
                return behind
                    .at(rest)
                    .or_else(|| self.follow_through(behind, rest, hops + 1));
            }
            cut = at;
        }
        None
    }
}

/// The schema a reference of an MCP tool is relative to: every `inputSchema` is a document of its own.
fn schema_root<'a>(document: &Document, reference: Node<'a>, root: Node<'a>) -> Option<Node<'a>> {
    if document.format_of(root) != Some(Format::Mcp) {
        return None;
    }
    let mut node = reference;
    loop {
        let key = node.key().map_or("", Node::text);
        if matches!(
            key,
            "inputSchema" | "outputSchema" | "input_schema" | "output_schema"
        ) {
            return Some(node);
        }
        node = node.parent()?;
    }
}

fn collect_anchors(tree: &Tree) -> BTreeMap<&str, Vec<Node<'_>>> {
    let mut anchors: BTreeMap<&str, Vec<Node<'_>>> = BTreeMap::new();
    for index in 0..tree.node_count() {
        let Some(key) = tree.node(index).filter(|node| node.is_key()) else {
            continue;
        };
        if matches!(key.text(), "$anchor" | "$dynamicAnchor")
            && let (Some(name), Some(owner)) = (key.value().and_then(Node::as_str), key.parent())
        {
            anchors.entry(name).or_default().push(owner);
        }
    }
    anchors
}

/// An issue about a reference, unless the reference stands in an example or another literal value.
fn complain(reference: Node<'_>, kind: IssueKind, message: String, help: &str) -> Option<Issue> {
    (!is_literal(reference)).then(|| {
        Issue::new(
            reference.tree.source(),
            reference.span(),
            kind,
            message,
            help,
        )
    })
}

/// Whether a node is part of a literal value, where a member named `$ref` means nothing.
fn is_literal(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent() {
        if let Some(key) = node.key().map(Node::text) {
            let literal = matches!(key, "example" | "default" | "const" | "enum" | "value")
                || key.starts_with("x-") && !key.starts_with("x-aon-");
            let is_name = parent.key().is_some_and(|key| {
                matches!(
                    key.text(),
                    "properties"
                        | "patternProperties"
                        | "schemas"
                        | "$defs"
                        | "definitions"
                        | "mapping"
                )
            });
            // An example object may be a reference itself; below its value everything is literal.
            if literal && !is_name && !(key == "example" && reference(node).is_some()) {
                return true;
            }
        }
        node = parent;
    }
    false
}

fn split(text: &str) -> (&str, &str) {
    match text.strip_prefix('#') {
        Some(fragment) => ("", fragment),
        None => text.split_once('#').unwrap_or((text, "")),
    }
}

/// How many references are remembered at once.
const MAX_RECENT: usize = 1024;

const MAX_FILES: usize = 20_000;

//! Schemas with an address of their own (`$id` of JSON Schema, `$self` of OpenAPI), and the anchors inside them.
//!
//! Few documents have any, so nothing is looked for before a reference asks.

use std::collections::BTreeMap;

use memchr::memmem;

use super::Document;
use crate::node::Node;
use crate::path;
use crate::span::FileId;
use crate::tree::Tree;

/// What was found so far, by file.
#[derive(Debug, Default)]
pub(super) struct Resources {
    files: BTreeMap<FileId, Vec<Resource>>,
    /// The addresses of all files; filled when somebody refers to a URL.
    addresses: Option<BTreeMap<String, (FileId, u32)>>,
}

/// An object with an address.
#[derive(Debug)]
struct Resource {
    node: u32,
    /// The address, joined to that of the resource around it.
    address: String,
}

impl Resources {
    /// The schema of the same file that a reference names by its address.
    pub(super) fn named_here<'a>(&mut self, reference: Node<'a>, file: &str) -> Option<Node<'a>> {
        let tree = reference.tree();
        let own = self.of(tree);
        if own.is_empty() {
            return None;
        }
        let base = around(own, reference).map_or(tree.source().name(), |own| &own.address);
        let address = join(base, file);
        let named = own.iter().find(|own| own.address == address)?;
        Some(Node::new(tree, named.node))
    }

    /// The schema of any file whose address is this URL.
    pub(super) fn named_anywhere<'a>(
        &mut self,
        document: &'a Document,
        url: &str,
    ) -> Option<Node<'a>> {
        if self.addresses.is_none() {
            let mut all = BTreeMap::new();
            for tree in &document.trees {
                let file = tree.source().file();
                for own in self.of(tree) {
                    all.entry(own.address.clone()).or_insert((file, own.node));
                }
            }
            self.addresses = Some(all);
        }
        let (file, node) = self.addresses.as_ref()?.get(url)?;
        Some(Node::new(document.file(*file)?, *node))
    }

    /// The innermost object with an address that a node stands in.
    pub(super) fn around<'a>(&mut self, node: Node<'a>) -> Option<Node<'a>> {
        let own = around(self.of(node.tree()), node)?;
        Some(Node::new(node.tree(), own.node))
    }

    fn of(&mut self, tree: &Tree) -> &[Resource] {
        self.files
            .entry(tree.source().file())
            .or_insert_with(|| collect(tree))
    }
}

fn collect(tree: &Tree) -> Vec<Resource> {
    let text = tree.source().text().as_bytes();
    if memmem::find(text, b"$id").is_none() && memmem::find(text, b"$self").is_none() {
        return Vec::new();
    }
    let mut found: Vec<Resource> = Vec::new();
    for index in 0..tree.node_count() {
        let Some(key) = tree.node(index).filter(|node| node.is_key()) else {
            continue;
        };
        let (Some(own), Some(owner)) = (key.value().and_then(Node::as_str), key.parent()) else {
            continue;
        };
        let says = key.text() == "$id" || key.text() == "$self" && owner.parent().is_none();
        let own = own.trim_end_matches('#');
        if !says || own.is_empty() || own.starts_with('#') {
            continue;
        }
        // Its key may stand behind a child that has an address too, so the owner itself must not count.
        let outer = owner.parent().and_then(|outer| around(&found, outer));
        let base = outer.map_or(tree.source().name(), |outer| &outer.address);
        let address = join(base, own);
        found.push(Resource {
            node: owner.id,
            address,
        });
    }
    found.sort_by_key(|own| own.node);
    found
}

fn around<'r>(resources: &'r [Resource], node: Node<'_>) -> Option<&'r Resource> {
    let holds = |own: &&Resource| {
        own.node <= node.id && node.id < node.tree().raw(own.node).next.max(own.node + 1)
    };
    resources.iter().filter(holds).max_by_key(|own| own.node)
}

/// Joins a reference to the address it is relative to (RFC 3986, section 5.2, as far as schemas use it).
fn join(base: &str, reference: &str) -> String {
    if path::is_url(reference) && !reference.starts_with("//") {
        return reference.to_owned();
    }
    if !path::is_url(base) {
        return path::join(base, &path::percent_decode(reference));
    }
    let Some((scheme, rest)) = base.split_once("://") else {
        // A `urn:` has no directory to be relative to.
        return reference.to_owned();
    };
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    let (host, from) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let from = if from.is_empty() { "/" } else { from };
    format!("{scheme}://{host}{}", path::join(from, reference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_joined_to_addresses() {
        let cases = [
            ("https://a.example/s/pet", "dog", "https://a.example/s/dog"),
            (
                "https://a.example/s/pet",
                "../x/dog",
                "https://a.example/x/dog",
            ),
            ("https://a.example/s/pet", "/dog", "https://a.example/dog"),
            ("https://a.example", "dog", "https://a.example/dog"),
            (
                "https://a.example/s",
                "//b.example/d",
                "https://b.example/d",
            ),
            ("https://a.example/s", "urn:x:y", "urn:x:y"),
            ("urn:x:y", "dog", "dog"),
            ("spec/api.yaml", "pet", "spec/pet"),
        ];
        for (base, reference, expected) in cases {
            assert_eq!(join(base, reference), expected, "{base} {reference}");
        }
    }
}

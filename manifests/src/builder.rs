//! Puts the nodes of a tree together while a parser runs.

use crate::issue::{Issue, IssueKind};
use crate::keyword;
use crate::source::Source;
use crate::span::{Span, offset};
use crate::tree::{Facts, INDEXED_FROM, KeyHash, KeyIndex, Owned, Raw, Syntax, Tag, Tree};

/// What both parsers share: the node list, the stack of open collections, duplicate keys, and the limits.
#[derive(Debug)]
pub(crate) struct Builder<'s> {
    pub(crate) source: &'s Source,
    pub(crate) nodes: Vec<Raw>,
    owned: Owned,
    roots: Vec<u32>,
    indexes: Vec<KeyIndex>,
    refs: Vec<u32>,
    /// Keys named `discriminator`.
    discriminators: Vec<u32>,
    issues: Vec<Issue>,
    frames: Vec<Frame>,
    keys: Vec<KeyHash>,
    pending_ref: bool,
    facts: Facts,
}

/// An open collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) id: u32,
    pub(crate) object: bool,
    /// Items of an array, members of an object.
    pub(crate) count: u32,
    keys_from: u32,
    /// The keys so far, a bit for each hash, and whether two of them share one.
    bits: u64,
    shared: bool,
    /// Nodes under this one with aliases written out.
    pub(crate) expanded: u64,
    /// Levels under this one with aliases written out.
    pub(crate) height: u32,
}

impl Frame {
    /// Takes note of a key.
    fn note(&mut self, hash: u32) {
        let bit = 1 << (hash & 63);
        self.shared |= self.bits & bit != 0;
        self.bits |= bit;
    }

    /// The keys in fewer bits, for [`Raw::names`].
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the upper bits were laid over the lower ones"
    )]
    fn names(&self) -> u16 {
        let half = self.bits | (self.bits >> 32);
        (half | (half >> 16)) as u16
    }
}

impl<'s> Builder<'s> {
    pub(crate) fn new(source: &'s Source) -> Builder<'s> {
        Builder {
            source,
            nodes: Vec::with_capacity(source.text().len() / 24 + 16),
            owned: Owned::default(),
            roots: Vec::new(),
            indexes: Vec::new(),
            refs: Vec::new(),
            discriminators: Vec::new(),
            issues: Vec::new(),
            frames: Vec::new(),
            keys: Vec::new(),
            pending_ref: false,
            facts: Facts::default(),
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Where the open collection at a depth starts, counted from the outermost.
    pub(crate) fn start_of(&self, depth: usize) -> Option<usize> {
        let frame = self.frames.get(depth)?;
        let raw = self.nodes.get(frame.id as usize)?;
        Some(raw.start as usize)
    }

    /// The bytes of the last node, if it is a string.
    pub(crate) fn last_string(&self) -> Option<(usize, usize)> {
        let last = self.nodes.last()?;
        matches!(last.tag, Tag::Quoted | Tag::Owned)
            .then_some((last.start as usize, last.end as usize))
    }

    /// Gives the last node, a string, another end and text.
    pub(crate) fn shorten_last(&mut self, end: usize, text: &str) {
        let data = self.own(text);
        let Some(last) = self.nodes.last_mut() else {
            return;
        };
        last.end = offset(end);
        last.tag = Tag::Owned;
        last.data = data;
        last.flags &= !Raw::KEYWORD;
        if last.flags & Raw::KEY != 0
            && let Some(key) = self.keys.last_mut()
        {
            key.hash = keyword::hash(text.as_bytes());
            if let Some(frame) = self.frames.last_mut() {
                frame.note(key.hash);
            }
        }
    }

    /// How far it is, with nothing open; see [`Builder::reset`].
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            owned: self.owned.len(),
            roots: self.roots.len(),
            indexes: self.indexes.len(),
            refs: self.refs.len(),
            discriminators: self.discriminators.len(),
            issues: self.issues.len(),
        }
    }

    /// Forgets everything behind a mark.
    pub(crate) fn reset(&mut self, mark: &Mark) {
        self.nodes.truncate(mark.nodes);
        self.owned.truncate(mark.owned);
        self.roots.truncate(mark.roots);
        self.indexes.truncate(mark.indexes);
        self.refs.truncate(mark.refs);
        self.discriminators.truncate(mark.discriminators);
        self.issues.truncate(mark.issues);
        self.frames.clear();
        self.keys.clear();
        self.pending_ref = false;
    }

    /// Keeps a decoded string and gives its number.
    pub(crate) fn own(&mut self, text: &str) -> u32 {
        self.owned.push(text)
    }

    /// Where a string is put together piece by piece; [`Builder::seal_owned`] makes it one.
    pub(crate) fn owned_text(&mut self) -> &mut String {
        self.owned.open()
    }

    /// Gives the string that was put together its number.
    pub(crate) fn seal_owned(&mut self) -> u32 {
        self.owned.seal()
    }

    /// Adds a scalar or an alias as a value.
    pub(crate) fn leaf(&mut self, tag: Tag, start: usize, end: usize, data: u32, flags: u8) -> u32 {
        let id = self.push(tag, start, end, data, flags);
        if self.pending_ref {
            self.pending_ref = false;
            if matches!(tag, Tag::Plain | Tag::Quoted | Tag::Owned) {
                self.refs.push(id);
                self.facts.leads_out |= !self.text_of(id).starts_with('#');
                if let Some(frame) = self.frames.last()
                    && let Some(raw) = self.nodes.get_mut(frame.id as usize)
                {
                    raw.flags |= Raw::REFERENCE;
                }
            }
        }
        match self.frames.last_mut() {
            Some(frame) => {
                if !frame.object {
                    frame.count += 1;
                }
                frame.expanded += 1;
            }
            None => self.roots.push(id),
        }
        id
    }

    /// Adds a member's key.
    pub(crate) fn key(&mut self, tag: Tag, start: usize, end: usize, data: u32, flags: u8) -> u32 {
        let source = self.source.text().as_bytes();
        let text = match tag {
            Tag::Owned => self.owned.get(data).as_bytes(),
            Tag::Quoted => source
                .get(start + 1..end.saturating_sub(1))
                .unwrap_or_default(),
            _ => source.get(start..end).unwrap_or_default(),
        };
        let hash = keyword::hash(text);
        let (mut flags, mut flag) = (flags | Raw::KEY, 0);
        let (mut pending_ref, mut discriminator) = (false, false);
        match text.len() {
            4 => pending_ref = text == b"$ref",
            11 => pending_ref = text == b"$dynamicRef",
            13 => discriminator = text == b"discriminator",
            _ => {}
        }
        self.pending_ref = pending_ref;
        if tag != Tag::Owned && keyword::is_one(hash, text) {
            flags |= Raw::KEYWORD;
        } else {
            match text {
                b"x-aon-ignore" => self.facts.ignores = true,
                b"x-enum" | b"x-ms-enum" | b"x-enumNames" | b"x-enum-names"
                | b"x-enum-varnames" => {
                    self.facts.vendor_enums = true;
                    flag = Raw::VENDOR_ENUM;
                }
                _ => {}
            }
            flag |= match text {
                b"<<" if tag == Tag::Plain => Raw::MERGE,
                [b'x', b'-', b'a', b'o', b'n', b'-', ..]
                | b"_meta"
                | b"metadata"
                | [.., b'c', b'o', b'r', b'e']
                | [.., b'c', b'o', b'r', b'e', b's'] => Raw::EXTENDED,
                _ => 0,
            };
        }
        let data = if tag == Tag::Owned { data } else { hash };
        let id = self.push(tag, start, end, data, flags);
        if discriminator {
            self.discriminators.push(id);
        }
        self.keys.push(KeyHash { hash, key: id });
        if let Some(frame) = self.frames.last_mut() {
            frame.count += 1;
            frame.expanded += 1;
            frame.note(hash);
            if flag != 0
                && let Some(raw) = self.nodes.get_mut(frame.id as usize)
            {
                raw.flags |= flag;
            }
        }
        id
    }

    /// Opens an array or object.
    pub(crate) fn open(&mut self, object: bool, start: usize) -> u32 {
        let tag = if object { Tag::Object } else { Tag::Array };
        let id = self.push(tag, start, start, 0, 0);
        self.pending_ref = false;
        match self.frames.last_mut() {
            Some(frame) if !frame.object => frame.count += 1,
            Some(_) => {}
            None => self.roots.push(id),
        }
        self.frames.push(Frame {
            id,
            object,
            count: 0,
            keys_from: offset(self.keys.len()),
            bits: 0,
            shared: false,
            expanded: 1,
            height: 1,
        });
        id
    }

    /// Closes the innermost collection.
    pub(crate) fn close(&mut self, end: usize) -> Option<Frame> {
        let frame = self.frames.pop()?;
        let next = offset(self.nodes.len());
        if let Some(raw) = self.nodes.get_mut(frame.id as usize) {
            raw.end = offset(end).max(raw.start);
            raw.next = next;
            raw.data = frame.count;
            raw.names = frame.names();
            if raw.flags & Raw::MERGE != 0 {
                // A merge key may bring in any name.
                raw.names = u16::MAX;
            }
        }
        if frame.object {
            self.settle_keys(frame);
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.expanded = parent.expanded.saturating_add(frame.expanded);
            parent.height = parent.height.max(frame.height + 1);
        }
        Some(frame)
    }

    /// Finds duplicate keys of a closed object, and keeps the sorted hashes of a large one as its index.
    fn settle_keys(&mut self, frame: Frame) {
        let from = frame.keys_from as usize;
        let keys = self.keys.get(from..).unwrap_or(&[]);
        if keys.len() <= INDEXED_FROM {
            // Two equal keys share a bit; most objects have none that do.
            let mut rest = if frame.shared { keys } else { &[] };
            let mut twice = None;
            while let Some((last, before)) = rest.split_last() {
                if let Some(first) = before
                    .iter()
                    .find(|key| key.hash == last.hash && self.same_key(key.key, last.key))
                {
                    twice = Some((first.key, last.key));
                    break;
                }
                rest = before;
            }
            if let Some((first, second)) = twice {
                self.report_duplicate(frame.id, first, second);
            }
        } else {
            let mut sorted = keys.to_vec();
            sorted.sort_unstable_by_key(|key| (u64::from(key.hash) << 32) | u64::from(key.key));
            let mut twice = Vec::new();
            for same in sorted.chunk_by(|a, b| a.hash == b.hash) {
                for (at, second) in same.iter().enumerate().skip(1) {
                    let before = same.get(..at).unwrap_or(&[]).iter().rev();
                    let mut equal = before.filter(|first| self.same_key(first.key, second.key));
                    twice.extend(equal.next().map(|first| (first.key, second.key)));
                }
            }
            for (first, second) in twice {
                self.report_duplicate(frame.id, first, second);
            }
            self.indexes.push(KeyIndex {
                object: frame.id,
                keys: sorted,
            });
        }
        self.keys.truncate(from);
    }

    fn same_key(&self, a: u32, b: u32) -> bool {
        self.text_of(a) == self.text_of(b)
    }

    fn text_of(&self, id: u32) -> &str {
        let Some(raw) = self.nodes.get(id as usize) else {
            return "";
        };
        let (start, end) = (raw.start as usize, raw.end as usize);
        match raw.tag {
            Tag::Owned => self.owned.get(raw.data),
            Tag::Quoted => self
                .source
                .text()
                .get(start + 1..end.saturating_sub(1))
                .unwrap_or(""),
            _ => self.source.text().get(start..end).unwrap_or(""),
        }
    }

    fn report_duplicate(&mut self, object: u32, first: u32, second: u32) {
        if let Some(raw) = self.nodes.get_mut(object as usize) {
            raw.flags |= Raw::DUPLICATES;
        }
        if self.is_overrun() {
            return;
        }
        // Several merge keys are common in YAML and say what they mean.
        if self.text_of(second) == "<<"
            && self
                .nodes
                .get(second as usize)
                .is_some_and(|raw| raw.tag == Tag::Plain)
        {
            return;
        }
        let line = self
            .nodes
            .get(first as usize)
            .map_or(0, |raw| self.source.position(raw.start as usize).line);
        let key = shorten(self.text_of(second));
        let span = self
            .nodes
            .get(second as usize)
            .map_or_else(Span::default, |raw| raw.span());
        self.report(
            span,
            IssueKind::DuplicateKey,
            format!("the key `{key}` was already given in line {line}"),
            "keep one of the two; until then the last one counts",
        );
    }

    /// Adds an issue. Beyond a hundred only one more line says that there are more.
    pub(crate) fn report(
        &mut self,
        span: Span,
        kind: IssueKind,
        message: impl Into<String>,
        help: &str,
    ) {
        match self.issues.len() {
            0..MAX_ISSUES => self
                .issues
                .push(Issue::new(self.source, span, kind, message, help)),
            MAX_ISSUES => self.issues.push(Issue::new(
                self.source,
                span,
                IssueKind::TooManyIssues,
                "there are more mistakes than this report lists",
                "fix the ones above first",
            )),
            _ => {}
        }
    }

    pub(crate) fn is_overrun(&self) -> bool {
        self.issues.len() > MAX_ISSUES
    }

    pub(crate) fn finish(mut self, end: usize) -> Parts {
        while !self.frames.is_empty() {
            self.balance();
            self.close(end);
        }
        self.add_mappings();
        self.indexes.sort_unstable_by_key(|index| index.object);
        if self.nodes.capacity() > self.nodes.len() * 2 {
            self.nodes.shrink_to_fit();
        }
        self.issues.sort_by_key(super::issue::Issue::place);
        Parts {
            nodes: self.nodes,
            owned: self.owned,
            roots: self.roots,
            indexes: self.indexes,
            refs: self.refs,
            discriminators: self.discriminators,
            issues: self.issues,
            facts: self.facts,
        }
    }

    /// What the `mapping` of a discriminator names is referred to like by `$ref`.
    fn add_mappings(&mut self) {
        let mut found = Vec::new();
        for key in self.discriminators.iter().copied() {
            let mapping = self
                .children(key + 1)
                .find(|key| self.text_of(*key) == "mapping");
            let names = mapping.into_iter().flat_map(|key| self.children(key + 1));
            found.extend(names.map(|key| key + 1).filter(|id| {
                let tag = self.nodes.get(*id as usize).map(|raw| raw.tag);
                matches!(tag, Some(Tag::Plain | Tag::Quoted | Tag::Owned))
            }));
        }
        if !found.is_empty() {
            let mut texts = found.iter().map(|id| self.text_of(*id));
            self.facts.leads_out |= texts.any(|text| !text.starts_with('#'));
            self.refs.append(&mut found);
            #[expect(
                clippy::stable_sort_primitive,
                reason = "it is quick with two sorted runs"
            )]
            self.refs.sort();
        }
    }

    /// The keys of an object; nothing for everything else.
    fn children(&self, object: u32) -> impl Iterator<Item = u32> {
        let raw = self.nodes.get(object as usize);
        let end = raw
            .filter(|raw| raw.tag == Tag::Object)
            .map_or(0, |raw| raw.next);
        let mut at = object + 1;
        std::iter::from_fn(move || {
            let key = (at < end).then_some(at)?;
            let value = self.nodes.get(key as usize + 1)?;
            at = value.next.max(key + 2);
            Some(key)
        })
    }

    /// Gives a key without a value a null, so that members always come in pairs.
    pub(crate) fn balance(&mut self) {
        let Some(last) = self.nodes.last().copied() else {
            return;
        };
        if last.flags & Raw::KEY != 0 {
            self.leaf(Tag::Null, last.end as usize, last.end as usize, 0, 0);
        }
    }

    fn push(&mut self, tag: Tag, start: usize, end: usize, data: u32, flags: u8) -> u32 {
        let id = offset(self.nodes.len());
        let parent = self.frames.last().map_or(Raw::NO_PARENT, |frame| frame.id);
        self.nodes.push(Raw {
            start: offset(start),
            end: offset(end),
            next: id + 1,
            parent,
            data,
            tag,
            flags,
            names: 0,
        });
        id
    }
}

/// The lengths of all lists of a builder.
#[derive(Debug)]
pub(crate) struct Mark {
    nodes: usize,
    owned: usize,
    roots: usize,
    indexes: usize,
    refs: usize,
    discriminators: usize,
    issues: usize,
}

/// What a finished builder leaves behind.
#[derive(Debug)]
pub(crate) struct Parts {
    nodes: Vec<Raw>,
    owned: Owned,
    roots: Vec<u32>,
    indexes: Vec<KeyIndex>,
    refs: Vec<u32>,
    discriminators: Vec<u32>,
    issues: Vec<Issue>,
    facts: Facts,
}

impl Parts {
    #[cfg(test)]
    pub(crate) fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// All nodes, each with its decoded text.
    #[cfg(test)]
    pub(crate) fn described(&self) -> impl Iterator<Item = (Raw, &str)> {
        let text = |raw: Raw| {
            if raw.tag == Tag::Owned {
                self.owned.get(raw.data)
            } else {
                ""
            }
        };
        self.nodes.iter().map(move |raw| (*raw, text(*raw)))
    }

    pub(crate) fn into_tree(self, source: Source, syntax: Syntax) -> Tree {
        let Parts {
            nodes,
            owned,
            roots,
            indexes,
            refs,
            discriminators,
            issues,
            facts,
        } = self;
        Tree {
            source,
            syntax,
            nodes,
            owned,
            roots,
            indexes,
            refs,
            discriminators,
            issues,
            facts,
        }
    }
}

/// A piece of user text short enough for a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(60)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

const MAX_ISSUES: usize = 100;

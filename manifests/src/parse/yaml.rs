//! YAML 1.2: the events of `saphyr-parser` put into our own tree.

mod around;
mod cursor;

use std::collections::BTreeMap;

use memchr::memmem;
use saphyr_parser::{Event, Parser, ScalarStyle, Span as EventSpan, StrInput, Tag as YamlTag};

use self::cursor::Cursor;
use crate::builder::{Builder, Parts, shorten};
use crate::issue::IssueKind;
use crate::parse::{ParseOptions, scalar};
use crate::source::Source;
use crate::span::{Span, offset};
use crate::tree::{Raw, Tag};

/// Parses every document of the text. After a mistake it goes on with the next document.
pub(crate) fn parse(source: &Source, start: usize, options: &ParseOptions) -> Parts {
    let mut builder = Builder::new(source);
    let mut from = start;
    while let Some(text) = source.text().get(from..) {
        let mut yaml = Yaml {
            builder,
            cursor: Cursor::new(text, from),
            options,
            anchors: BTreeMap::new(),
            frames: Vec::new(),
            last_end: from,
        };
        let stop = yaml.run(text);
        builder = yaml.into_builder();
        let Stop::Mistake(at) = stop else { break };
        if builder.is_overrun() {
            break;
        }
        let searched = at.saturating_sub(1).max(from);
        let rest = source.text().as_bytes().get(searched..).unwrap_or(&[]);
        let Some(next) = memmem::find(rest, b"\n---") else {
            break;
        };
        from = searched + next + 1;
    }
    let end = source.text().trim_end().len();
    builder.finish(end)
}

struct Yaml<'s, 'o> {
    builder: Builder<'s>,
    cursor: Cursor<'s>,
    options: &'o ParseOptions,
    anchors: BTreeMap<usize, Anchor>,
    frames: Vec<Open>,
    last_end: usize,
}

/// How a run over the events ended.
enum Stop {
    /// At the end of the text, or at a limit.
    End,
    /// At a mistake; the text may go on with another document behind it.
    Mistake(usize),
}

/// What YAML wants to know about an open collection.
struct Open {
    anchor: usize,
    flow: bool,
    /// An object whose next child is a key.
    wants_key: bool,
}

/// A complete node with an anchor.
struct Anchor {
    node: u32,
    expanded: u64,
    height: u32,
}

impl<'s> Yaml<'s, '_> {
    fn run(&mut self, text: &'s str) -> Stop {
        let mut parser: Parser<'s, StrInput<'s>> = Parser::new_from_str(text);
        while let Some(next) = parser.next_event() {
            let (event, span) = match next {
                Ok(next) => next,
                Err(error) => {
                    let at = self.cursor.byte(error.marker().index());
                    let (kind, message, help) =
                        around::explain(error.info(), self.builder.source.text(), at);
                    let end = (at + 1).min(self.builder.source.text().len());
                    self.report(at, end, kind, message, help);
                    return Stop::Mistake(at);
                }
            };
            let go_on = match event {
                Event::Scalar(value, style, anchor, tag) => {
                    self.scalar(&value, style, anchor, tag.as_deref(), span)
                }
                Event::MappingStart(anchor, _) => {
                    if self.wants_key() {
                        self.complex_key(&mut parser, span)
                    } else {
                        self.open(true, anchor, span)
                    }
                }
                Event::SequenceStart(anchor, _) => {
                    if self.wants_key() {
                        self.complex_key(&mut parser, span)
                    } else {
                        self.open(false, anchor, span)
                    }
                }
                Event::MappingEnd | Event::SequenceEnd => self.close(span),
                Event::Alias(anchor) => self.alias(anchor, span),
                Event::DocumentStart(_) | Event::DocumentEnd => {
                    self.anchors.clear();
                    true
                }
                Event::Nothing | Event::StreamStart | Event::StreamEnd => true,
            };
            if !go_on {
                return Stop::End;
            }
        }
        Stop::End
    }

    fn into_builder(mut self) -> Builder<'s> {
        while !self.frames.is_empty() {
            self.builder.balance();
            self.builder.close(self.last_end);
            self.frames.pop();
        }
        self.builder
    }

    fn wants_key(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.wants_key)
    }

    /// Notes that a key or a value of the current object is complete.
    fn turn(&mut self, was_key: bool) {
        if let Some(frame) = self.frames.last_mut()
            && self.builder.top().is_some_and(|top| top.object)
        {
            frame.wants_key = !was_key;
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&YamlTag>,
        span: EventSpan,
    ) -> bool {
        let key = self.wants_key();
        let (mut start, mut end) = self.cursor.span(span);
        let text = self.builder.source.text();
        if anchor > 0 || tag.is_some() {
            start = around::skip_properties(text, start, end);
        }
        if value.is_empty() && style == ScalarStyle::Plain {
            // Left out: the parser gives the place of whatever comes next.
            start = if key {
                start
            } else {
                around::behind_colon(text, self.last_end)
            };
            end = start;
        }
        if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
            // The parser's span goes on over white space and a comment behind the quote.
            end = around::closing_quote(text, start).unwrap_or(end);
        }
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            // The parser's span starts with the content; the header belongs to the value.
            start = around::block_header(text, self.last_end, start);
            end = start + text.get(start..end).unwrap_or("").trim_end().len();
        }
        let written = text.get(start..end).unwrap_or("");
        let styled = style != ScalarStyle::Plain;
        let (mut node_tag, mut data) = match style {
            ScalarStyle::Plain => scalar::resolve(value),
            _ => (Tag::Plain, 0),
        };
        if let Some(tag) = tag {
            (node_tag, data) = tagged(tag, value, node_tag, data);
        }
        let mut flags = if styled { Raw::STYLED } else { 0 };
        if key && node_tag != Tag::Plain && !styled {
            // A key is a name whatever it looks like; only `<<` must stay recognisable.
            node_tag = Tag::Plain;
            data = 0;
        }
        if node_tag == Tag::Plain && written != value {
            let inner = written.get(1..written.len().saturating_sub(1));
            if styled && inner == Some(value) && written.starts_with(['"', '\'']) {
                node_tag = Tag::Quoted;
                flags = 0;
            } else {
                node_tag = Tag::Owned;
                data = self.builder.own(value);
            }
        }
        let id = if key {
            self.builder.key(node_tag, start, end, data, flags)
        } else {
            self.builder.leaf(node_tag, start, end, data, flags)
        };
        if anchor > 0 {
            self.anchors.insert(
                anchor,
                Anchor {
                    node: id,
                    expanded: 1,
                    height: 0,
                },
            );
        }
        self.last_end = end;
        self.turn(key);
        true
    }

    fn open(&mut self, object: bool, anchor: usize, span: EventSpan) -> bool {
        let (mut start, end) = self.cursor.span(span);
        let text = self.builder.source.text();
        if anchor > 0
            || text
                .get(start..end)
                .is_some_and(|text| text.starts_with(['&', '!']))
        {
            start = around::skip_properties(text, start, text.len());
        }
        if !object && self.builder.top().is_some_and(|top| top.object) {
            start = around::sequence_start(text, start);
        }
        if self.builder.depth() >= self.options.max_depth() {
            return self.too_deep(start);
        }
        let flow = text
            .get(start..)
            .is_some_and(|text| text.starts_with(['{', '[']));
        self.builder.open(object, start);
        self.frames.push(Open {
            anchor,
            flow,
            wants_key: object,
        });
        self.last_end = start;
        true
    }

    fn close(&mut self, span: EventSpan) -> bool {
        let Some(open) = self.frames.pop() else {
            return true;
        };
        let (at, _) = self.cursor.span(span);
        let closes = matches!(
            self.builder.source.text().as_bytes().get(at),
            Some(b']' | b'}')
        );
        // A block collection ends with its last child, not where the next token happens to stand.
        let end = if open.flow && closes {
            at + 1
        } else {
            self.last_end
        };
        let Some(frame) = self.builder.close(end) else {
            return true;
        };
        self.last_end = end;
        if open.anchor > 0 {
            self.anchors.insert(
                open.anchor,
                Anchor {
                    node: frame.id,
                    expanded: frame.expanded,
                    height: frame.height,
                },
            );
        }
        self.turn(false);
        self.within_budget(end)
    }

    fn alias(&mut self, anchor: usize, span: EventSpan) -> bool {
        let key = self.wants_key();
        let (start, end) = self.cursor.span(span);
        self.last_end = end;
        let Some(&Anchor {
            node,
            expanded,
            height,
        }) = self.anchors.get(&anchor)
        else {
            self.report(
                start,
                end,
                IssueKind::UnknownAlias,
                "an alias stands inside the node it names".to_owned(),
                "name a node that is complete before the alias",
            );
            if key {
                self.builder.key(Tag::Plain, start, end, 0, 0);
            } else {
                self.builder.leaf(Tag::Null, start, end, 0, 0);
            }
            self.turn(key);
            return true;
        };
        if key {
            let target = self.builder.nodes.get(node as usize).copied();
            let name = target.map_or("", |raw| {
                self.builder
                    .source
                    .text()
                    .get(raw.start as usize..raw.end as usize)
                    .unwrap_or("")
            });
            let name = name.trim_matches(['"', '\'']).to_owned();
            let data = self.builder.own(&name);
            self.builder.key(Tag::Owned, start, end, data, Raw::STYLED);
        } else {
            self.builder.leaf(Tag::Alias, start, end, node, 0);
            if let Some(top) = self.builder.top_mut() {
                top.expanded = top.expanded.saturating_add(expanded);
                top.height = top.height.max(height + 1);
            }
            if self.builder.depth() + height as usize > self.options.max_depth() {
                return self.too_deep(start);
            }
        }
        self.turn(key);
        self.within_budget(start)
    }

    /// Reads over a collection that is used as a key, and keeps its source text as the key.
    fn complex_key(&mut self, parser: &mut Parser<'s, StrInput<'s>>, span: EventSpan) -> bool {
        let (start, _) = self.cursor.span(span);
        let mut depth = 1usize;
        let mut end = start;
        while depth > 0 {
            let Some(Ok((event, span))) = parser.next_event() else {
                break;
            };
            match event {
                Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
                Event::MappingEnd | Event::SequenceEnd => depth -= 1,
                _ => {}
            }
            if depth > self.options.max_depth() {
                return self.too_deep(start);
            }
            end = self.cursor.span(span).1;
        }
        let text = self.builder.source.text();
        end = start + text.get(start..end).unwrap_or("").trim_end().len();
        let shown = shorten(text.get(start..end).unwrap_or(""));
        self.report(
            start,
            end,
            IssueKind::ComplexKey,
            format!("`{shown}` is a collection used as a key"),
            "use a string as the key",
        );
        let data = self.builder.own(&shown);
        self.builder.key(Tag::Owned, start, end, data, Raw::STYLED);
        self.last_end = end;
        self.turn(true);
        true
    }

    fn within_budget(&mut self, at: usize) -> bool {
        let own = self.builder.nodes.len() as u64;
        let limit = self.options.max_expanded_nodes().saturating_add(own);
        if self.builder.top().is_none_or(|top| top.expanded <= limit) {
            return true;
        }
        self.report(
            at,
            at,
            IssueKind::AliasBomb,
            format!("with its aliases written out the document has more than {limit} nodes"),
            "use fewer aliases of aliases; nothing behind this place was read",
        );
        false
    }

    fn too_deep(&mut self, at: usize) -> bool {
        self.report(
            at,
            at + 1,
            IssueKind::TooDeep,
            format!(
                "arrays and objects are nested more than {} deep",
                self.options.max_depth()
            ),
            "flatten the document; nothing behind this place was read",
        );
        false
    }

    fn report(&mut self, start: usize, end: usize, kind: IssueKind, message: String, help: &str) {
        self.builder
            .report(Span::new(offset(start), offset(end)), kind, message, help);
    }
}

/// What an explicit core tag makes of a scalar. Tags we do not know change nothing.
fn tagged(tag: &YamlTag, value: &str, plain: Tag, data: u32) -> (Tag, u32) {
    let known = tag.is_yaml_core_schema() || tag.handle.is_empty() && tag.suffix == "!";
    match tag.suffix.as_str() {
        "str" | "binary" | "!" if known => (Tag::Plain, 0),
        "null" if known => (Tag::Null, 0),
        "int" | "float" if known && scalar::is_number(value) => (Tag::Number, 0),
        "bool" if known => match scalar::resolve(value) {
            (Tag::Bool, truth) => (Tag::Bool, truth),
            _ => (plain, data),
        },
        _ => (plain, data),
    }
}

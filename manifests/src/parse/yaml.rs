//! YAML 1.2: the events of `saphyr-parser` put into our own tree.

mod around;
mod common;
mod cursor;
mod repair;

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memmem;
use saphyr_parser::{Event, Parser, ScalarStyle, Span as EventSpan, StrInput, Tag as YamlTag};

use self::cursor::Cursor;
use self::repair::Budget;
use crate::builder::{Builder, Parts, shorten};
use crate::issue::IssueKind;
use crate::parse::{ParseOptions, scalar};
use crate::source::Source;
use crate::span::{Span, offset};
use crate::tree::{Raw, Tag};

/// Parses every document of the text. After a mistake it goes on with what is whole, or else with the next document.
pub(crate) fn parse(source: &Source, start: usize, options: &ParseOptions) -> Parts {
    let mut builder = Builder::new(source);
    let before = builder.mark();
    let end = source.text().trim_end().len();
    if common::read(&mut builder, source.text(), start, options).is_some() {
        return builder.finish(end);
    }
    builder.reset(&before);
    general(builder, source, start, options).finish(end)
}

/// Parses with `saphyr-parser`.
fn general<'s>(
    mut builder: Builder<'s>,
    source: &'s Source,
    start: usize,
    options: &ParseOptions,
) -> Builder<'s> {
    let mut text = Cow::Borrowed(source.text());
    let mut budget = Budget::new(&text);
    let mut from = start;
    let mut tabs = false;
    while from <= text.len() {
        let before = builder.mark();
        let mut yaml = Yaml {
            builder,
            text: &text,
            cursor: Cursor::new(text.get(from..).unwrap_or(""), from),
            options,
            anchors: BTreeMap::new(),
            frames: Vec::new(),
            last_end: from,
        };
        let stop = yaml.run(from);
        builder = yaml.into_builder();
        let Stop::Mistake(mistake) = stop else { break };
        if let Some(joined) = repair::join_flow(&text, from, &mistake, &mut budget) {
            builder.reset(&before);
            text = Cow::Owned(joined);
            continue;
        }
        let repaired = (mistake.kind != IssueKind::TooDeep)
            .then(|| repair::repair(&text, from, &mistake, &mut budget))
            .flatten();
        if repaired.is_some() {
            builder.reset(&before);
        }
        let at = mistake.at;
        let span = Span::new(offset(at), offset((at + 1).min(text.len())));
        let open = repaired.as_ref().and_then(|repaired| repaired.open);
        let line = open.map_or(0, |open| source.position(open).line);
        let mut message = mistake.message;
        if line > 0 && line != source.position(at).line {
            message = format!("{message}; something opened in line {line} is not closed");
        }
        // Where tabs indent, what looks wrong behind the first one mostly is not.
        if !tabs {
            builder.report(span, mistake.kind, message, mistake.help);
        }
        tabs |= mistake.tab;
        if builder.is_overrun() {
            break;
        }
        if let Some(repaired) = repaired {
            text = Cow::Owned(repaired.text);
            continue;
        }
        let searched = at.saturating_sub(1).max(from);
        let rest = text.as_bytes().get(searched..).unwrap_or(&[]);
        let Some(next) = memmem::find(rest, b"\n---") else {
            break;
        };
        from = searched + next + 1;
    }
    builder
}

struct Yaml<'s, 't, 'o> {
    builder: Builder<'s>,
    /// The text of the file, with blanks where mistakes were.
    text: &'t str,
    cursor: Cursor<'t>,
    options: &'o ParseOptions,
    anchors: BTreeMap<usize, Anchor>,
    frames: Vec<Open>,
    last_end: usize,
}

/// How a run over the events ended.
enum Stop {
    /// At the end of the text, or at a limit.
    End,
    /// At a mistake.
    Mistake(Mistake),
}

/// Where the parser gave up, and why.
struct Mistake {
    at: usize,
    kind: IssueKind,
    message: String,
    help: &'static str,
    /// Whether tabs are to blame.
    tab: bool,
    /// The outermost bracket that was open.
    flow: Option<usize>,
    /// The quote that was open.
    quote: Option<usize>,
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

impl<'s, 't> Yaml<'s, 't, '_> {
    fn run(&mut self, from: usize) -> Stop {
        let text = self.text.get(from..).unwrap_or("");
        let mut parser: Parser<'t, StrInput<'t>> = Parser::new_from_str(text);
        while let Some(next) = parser.next_event() {
            let (event, span) = match next {
                Ok(next) => next,
                Err(error) => {
                    let at = self.cursor.byte(error.marker().index());
                    return Stop::Mistake(self.mistake(error.info(), at));
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
                Event::MappingEnd | Event::SequenceEnd => self.close(),
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

    fn mistake(&self, info: &str, at: usize) -> Mistake {
        let (mut kind, mut message, mut help) = around::explain(info, self.text, at);
        // Frames and open collections go together, so the first one with a bracket is as deep in both.
        let outer = self.frames.iter().position(|frame| frame.flow);
        let flow = outer.and_then(|depth| self.builder.start_of(depth + self.outside()));
        let at_end = self
            .text
            .get(at..)
            .is_none_or(|rest| rest.trim().is_empty());
        if let Some(open) = flow.filter(|_| at_end && kind == IssueKind::Syntax) {
            let place = self.builder.source.position(open);
            kind = IssueKind::Truncated;
            message = format!("the text ends inside the bracket that was opened at {place}");
            help = "close it; or the file was cut off, then write or fetch it again";
        }
        let value = around::behind_colon(self.text, self.last_end);
        let rest = self.text.get(value..).unwrap_or("");
        let skipped = rest.len()
            - rest
                .trim_start_matches([' ', '\t', '\r', '\n', '-', ','])
                .len();
        let quote = Some(value + skipped).filter(|at| {
            let quoted = matches!(self.text.as_bytes().get(*at), Some(b'"' | b'\''));
            quoted && info.contains("quoted scalar")
        });
        Mistake {
            at,
            kind,
            tab: message.contains("a tab is used"),
            message,
            help,
            flow,
            quote,
        }
    }

    /// Collections the builder has open that do not belong to this run.
    fn outside(&self) -> usize {
        self.builder.depth().saturating_sub(self.frames.len())
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
        let text = self.text;
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
        let text = self.text;
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

    fn close(&mut self) -> bool {
        let Some(open) = self.frames.pop() else {
            return true;
        };
        // A block collection ends with its last child, and the event of a closing bracket may stand elsewhere.
        let bracket = open.flow.then(|| {
            let depth = self.builder.depth().saturating_sub(1);
            let start = self.builder.start_of(depth).unwrap_or_default();
            around::closing_bracket(self.text, self.last_end.max(start + 1))
        });
        let end = bracket.flatten().unwrap_or(self.last_end);
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
                "an alias is inside the node it names".to_owned(),
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
                self.text
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
    fn complex_key(&mut self, parser: &mut Parser<'t, StrInput<'t>>, span: EventSpan) -> bool {
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
        let text = self.text;
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
            "use fewer aliases of aliases; nothing after this place was read",
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
            "flatten the document; nothing after this place was read",
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

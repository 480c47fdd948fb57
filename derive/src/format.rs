//! Format strings: which fields a message shows, because callers may read none that is private (P9).

use std::collections::BTreeSet;

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// A field, as far as a format string cares.
pub(crate) struct FieldView {
    /// Its name, or its index as text.
    pub(crate) name: String,
    pub(crate) public: bool,
    /// Whether it is the source of the error, which can never be public.
    pub(crate) source: bool,
}

/// How the public detail is written.
#[derive(Debug)]
pub(crate) enum Detail {
    /// The `Display` text as it is.
    Display,
    /// Constant text.
    Text(String),
    /// A format string over public fields.
    Format {
        format: String,
        args: Vec<Shown>,
        /// The fields that must be bound, by index.
        binds: BTreeSet<usize>,
    },
}

/// One argument of a [`Detail::Format`]: a field, and how it is formatted.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) index: usize,
    pub(crate) plain: bool,
    pub(crate) debug: bool,
}

#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    Hole { arg: Arg, spec: String },
}

#[derive(Debug, PartialEq)]
enum Arg {
    Next,
    Index(usize),
    Name(String),
}

/// The detail of a type whose `Display` comes from this format string.
///
/// # Errors
///
/// A message for each field in it that callers must not see.
pub(crate) fn of_display(
    format: &str,
    args: TokenStream,
    fields: &[FieldView],
) -> Result<Detail, Vec<String>> {
    let pieces = pieces(format);
    if let Some(text) = pieces.as_deref().and_then(only_text) {
        return Ok(Detail::Text(text));
    }
    if fields.iter().all(|field| field.public) {
        return Ok(Detail::Display);
    }
    let args = Args::read(args, fields);
    let mut shown = Mentions::default();
    let mut next = 0;
    match pieces {
        Some(pieces) => {
            for piece in pieces {
                if let Piece::Hole { arg, spec } = piece {
                    // A width or precision that is itself an argument may be anything.
                    shown.opaque |= spec.contains(['$', '*']);
                    shown.add(args.of(arg, &mut next, fields));
                }
            }
        }
        None => shown.opaque = true,
    }
    let wrong: Vec<String> = shown
        .fields
        .iter()
        .filter_map(|&index| fields.get(index).filter(|field| !field.public))
        .map(refusal)
        .collect();
    if !wrong.is_empty() {
        Err(wrong)
    } else if shown.opaque {
        Err(vec![format!(
            "it is not clear which fields this message shows, and not all of them are public; {INSTEAD}"
        )])
    } else {
        Ok(Detail::Display)
    }
}

/// The way out that is always there.
const INSTEAD: &str = "give callers a text of their own: `#[problem(detail = \"…\")]`";

fn refusal(field: &FieldView) -> String {
    let name = &field.name;
    if field.source {
        format!(
            "`{name}` is the source of the error, which callers never see; leave it out of the message, or {INSTEAD}"
        )
    } else {
        format!(
            "field `{name}` is private, and callers read this message; mark the field `#[problem(extension)]` or \
             `#[problem(public)]`, or {INSTEAD}"
        )
    }
}

/// The detail given in our own attribute: only public fields, by name or index.
///
/// # Errors
///
/// A message for each hole that cannot be filled.
pub(crate) fn of_attribute(format: &str, fields: &[FieldView]) -> Result<Detail, Vec<String>> {
    let Some(pieces) = pieces(format) else {
        return Err(vec![
            "a brace is not closed; write `{{` or `}}` for a brace".to_owned(),
        ]);
    };
    if let Some(text) = only_text(&pieces) {
        return Ok(Detail::Text(text));
    }
    let mut out = Writer::default();
    let mut wrong = Vec::new();
    for piece in pieces {
        let (name, spec) = match piece {
            Piece::Text(text) => {
                out.text(&text);
                continue;
            }
            Piece::Hole { spec, .. } if spec.contains(['$', '*']) => {
                wrong.push("a width or precision here is a number".to_owned());
                continue;
            }
            Piece::Hole { arg: Arg::Next, .. } => {
                wrong.push("`{}` names no field; write its name between the braces".to_owned());
                continue;
            }
            Piece::Hole {
                arg: Arg::Index(index),
                spec,
            } => (index.to_string(), spec),
            Piece::Hole {
                arg: Arg::Name(name),
                spec,
            } => (name, spec),
        };
        match fields.iter().position(|field| field.name == name) {
            Some(index) if fields.get(index).is_some_and(|field| field.public) => {
                out.hole(index, &spec);
            }
            Some(_) => wrong.push(format!(
                "field `{name}` is private; mark it `#[problem(public)]` or leave it out of the detail"
            )),
            None => {
                let public = fields.iter().filter(|field| field.public);
                let names = public.map(|field| field.name.as_str());
                let hint = aon_core::suggest::nearest(&name, names)
                    .map_or_else(String::new, |word| format!("; did you mean `{word}`?"));
                wrong.push(format!("there is no field `{name}`{hint}"));
            }
        }
    }
    if wrong.is_empty() {
        Ok(out.finish())
    } else {
        Err(wrong)
    }
}

fn only_text(pieces: &[Piece]) -> Option<String> {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Hole { .. } => return None,
        }
    }
    Some(out)
}

/// Takes a format string apart; `None` when its braces do not match.
fn pieces(format: &str) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, tail) = rest.split_at(at);
        text.push_str(before);
        if let Some(after) = tail.strip_prefix("{{") {
            text.push('{');
            rest = after;
        } else if let Some(after) = tail.strip_prefix("}}") {
            text.push('}');
            rest = after;
        } else {
            let (hole, after) = tail.strip_prefix('{')?.split_once('}')?;
            if !text.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut text)));
            }
            found.push(hole_of(hole));
            rest = after;
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    Some(found)
}

fn hole_of(hole: &str) -> Piece {
    let (arg, spec) = hole.split_once(':').unwrap_or((hole, ""));
    let arg = arg.trim();
    let arg = match arg.parse() {
        _ if arg.is_empty() => Arg::Next,
        Ok(index) => Arg::Index(index),
        Err(_) => Arg::Name(arg.strip_prefix("r#").unwrap_or(arg).to_owned()),
    };
    Piece::Hole {
        arg,
        spec: spec.trim_end().to_owned(),
    }
}

/// Which fields an argument after the format string shows.
#[derive(Clone, Default)]
struct Mentions {
    fields: BTreeSet<usize>,
    /// Whether it reaches fields in a way that cannot be followed.
    opaque: bool,
}

#[derive(Default)]
struct Args {
    positional: Vec<Mentions>,
    named: Vec<(String, Mentions)>,
}

impl Args {
    fn read(tokens: TokenStream, fields: &[FieldView]) -> Self {
        let mut args = Self::default();
        let mut part: Vec<TokenTree> = Vec::new();
        let comma = TokenTree::Punct(Punct::new(',', Spacing::Alone));
        for token in tokens.into_iter().chain([comma]) {
            if !matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
                part.push(token);
                continue;
            }
            let tokens = std::mem::take(&mut part);
            match tokens.as_slice() {
                [] => {}
                [TokenTree::Ident(name), TokenTree::Punct(equals), value @ ..]
                    if equals.as_char() == '=' && equals.spacing() == Spacing::Alone =>
                {
                    let shown = Mentions::read(value.iter().cloned().collect(), fields);
                    args.named.push((crate::attr::unraw(name), shown));
                }
                _ => args
                    .positional
                    .push(Mentions::read(tokens.into_iter().collect(), fields)),
            }
        }
        args
    }

    fn of(&self, arg: Arg, next: &mut usize, fields: &[FieldView]) -> Mentions {
        let field = |name: &str| {
            let index = fields.iter().position(|field| field.name == name);
            index.map(|index| Mentions {
                fields: BTreeSet::from([index]),
                opaque: false,
            })
        };
        let positional = |index: usize| {
            let opaque = || Mentions {
                opaque: true,
                ..Mentions::default()
            };
            self.positional.get(index).cloned().unwrap_or_else(opaque)
        };
        match arg {
            Arg::Next => {
                *next += 1;
                positional(*next - 1)
            }
            Arg::Index(index) => field(&index.to_string()).unwrap_or_else(|| positional(index)),
            Arg::Name(name) => {
                let named = self.named.iter().find(|(known, _)| *known == name);
                // What is neither is a constant in scope, or a mistake the compiler reports at the Display.
                named
                    .map(|(_, shown)| shown.clone())
                    .or_else(|| field(&name))
                    .unwrap_or_default()
            }
        }
    }
}

impl Mentions {
    fn add(&mut self, other: Self) {
        self.fields.extend(other.fields);
        self.opaque |= other.opaque;
    }

    fn read(tokens: TokenStream, fields: &[FieldView]) -> Self {
        let mut read = Self::default();
        let mut before: Option<TokenTree> = None;
        let mut rest = tokens.into_iter().peekable();
        while let Some(token) = rest.next() {
            let starts = match &before {
                None => true,
                Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '?' | '.'),
                Some(_) => false,
            };
            let after_dot =
                matches!(&before, Some(TokenTree::Punct(punct)) if punct.as_char() == '.');
            before = Some(token.clone());
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '.' && starts => {
                    if let Some(TokenTree::Ident(_) | TokenTree::Literal(_)) = rest.peek() {
                        let name = rest.next().map(|name| name.to_string()).unwrap_or_default();
                        read.shorthand(&name, fields);
                        before = Some(TokenTree::Ident(ident("field")));
                    }
                }
                TokenTree::Ident(word) if !after_dot => {
                    read.word(&crate::attr::unraw(&word), fields);
                }
                TokenTree::Group(group) => read.add(Self::read(group.stream(), fields)),
                // An inline capture in a nested `format!` cannot be followed.
                TokenTree::Literal(literal) => read.opaque |= literal.to_string().contains('{'),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
        read
    }

    /// `.field`, `.0` or, as one token, `.0.1`.
    fn shorthand(&mut self, name: &str, fields: &[FieldView]) {
        let first = name.split_once('.').map_or(name, |(first, _)| first);
        let first = first.strip_prefix("r#").unwrap_or(first);
        match fields.iter().position(|field| field.name == first) {
            Some(index) => {
                self.fields.insert(index);
            }
            None => self.opaque = true,
        }
    }

    /// A bare word may be a bound field: `id`, or `_0` for a tuple.
    fn word(&mut self, word: &str, fields: &[FieldView]) {
        self.opaque |= word == "self";
        let name = word.strip_prefix('_').unwrap_or(word);
        let index = fields
            .iter()
            .position(|field| field.name == word || (is_index(&field.name) && field.name == name));
        self.fields.extend(index);
    }
}

#[derive(Default)]
struct Writer {
    format: String,
    args: Vec<Shown>,
    binds: BTreeSet<usize>,
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.format
            .push_str(&text.replace('{', "{{").replace('}', "}}"));
    }

    fn hole(&mut self, index: usize, spec: &str) {
        let colon = if spec.is_empty() { "" } else { ":" };
        let at = self.args.len();
        self.format.extend(["{", &at.to_string(), colon, spec, "}"]);
        self.binds.insert(index);
        self.args.push(Shown {
            index,
            plain: spec.is_empty(),
            debug: spec.ends_with('?'),
        });
    }

    fn finish(self) -> Detail {
        let Self {
            format,
            args,
            binds,
        } = self;
        Detail::Format {
            format,
            args,
            binds,
        }
    }
}

/// The name a field is bound to in a format string: its own, or `_0`.
pub(crate) fn binding(field: &str) -> Ident {
    if is_index(field) {
        Ident::new(&format!("_{field}"), Span::call_site())
    } else {
        ident(field)
    }
}

fn is_index(field: &str) -> bool {
    field.starts_with(|c: char| c.is_ascii_digit())
}

/// An identifier, raw where it has to be.
fn ident(name: &str) -> Ident {
    syn::parse_str::<Ident>(name).unwrap_or_else(|_keyword| {
        if name.is_empty() || matches!(name, "self" | "Self" | "super" | "crate" | "_") {
            return Ident::new("__unknown", Span::call_site());
        }
        syn::parse_str::<Ident>(&format!("r#{name}"))
            .unwrap_or_else(|_odd| Ident::new("__unknown", Span::call_site()))
    })
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn fields(list: &[(&str, bool)]) -> Vec<FieldView> {
        let view = |(name, public): &(&str, bool)| FieldView {
            name: (*name).to_owned(),
            public: *public,
            source: *name == "source",
        };
        list.iter().map(view).collect()
    }

    /// What a message is taken for: text, the display as it is, or the fields that must not be in it.
    fn told(format: &str, args: TokenStream, list: &[(&str, bool)]) -> String {
        match of_display(format, args, &fields(list)) {
            Ok(Detail::Display) => "display".to_owned(),
            Ok(Detail::Text(text)) => format!("text {text}"),
            Ok(Detail::Format { format, .. }) => format!("format {format}"),
            Err(messages) => {
                let names = messages
                    .iter()
                    .filter_map(|message| message.split('`').nth(1));
                names.collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn private_fields_are_found_however_they_are_written() {
        let list = [
            ("id", true),
            ("key", false),
            ("type", false),
            ("source", false),
        ];
        let unclear = "#[problem(detail = \"…\")]";
        let cases = [
            ("nothing {{here}}", quote!(), "text nothing {here}"),
            ("{id}", quote!(), "display"),
            ("{id} {key}", quote!(), "key"),
            ("{id:>4} {key:?} {type}", quote!(), "key type"),
            ("{source}", quote!(), "source"),
            ("{} and {}", quote!(, .id.len(), .key.len()), "key"),
            ("{x}", quote!(, x = short(.key)), "key"),
            ("{x}", quote!(, x = short(&.id)), "display"),
            ("{}", quote!(, key), "key"),
            ("{}", quote!(, self), unclear),
            ("{} {}", quote!(, .id.key, 3 + 4), "display"),
            ("{id:key$}", quote!(), unclear),
            ("{0}", quote!(, format!("{key}")), unclear),
            ("{:.*}", quote!(, 3, .id), unclear),
            ("{LIMIT}", quote!(), "display"),
            ("{", quote!(), unclear),
        ];
        for (format, args, expected) in cases {
            assert_eq!(told(format, args, &list), expected, "{format}");
        }
        assert_eq!(told("{}", quote!(, self), &[("id", true)]), "display");
    }

    #[test]
    fn tuple_fields_are_known_by_index() {
        let list = [("0", true), ("1", false)];
        assert_eq!(told("{0} {1}", quote!(), &list), "1");
        assert_eq!(told("{} {}", quote!(, .0.1, _1), &list), "1");
        assert_eq!(told("{}", quote!(, _0), &list), "display");
    }

    #[test]
    fn our_own_detail_takes_public_fields_only() {
        let list = fields(&[("id", true), ("key", false)]);
        assert!(of_attribute("{id} of {id:?}", &list).is_ok());
        for bad in ["{key}", "{di}", "{}", "{id:1$}", "{id"] {
            assert_eq!(
                of_attribute(bad, &list).map_err(|e| e.len()).err(),
                Some(1),
                "{bad}"
            );
        }
    }
}

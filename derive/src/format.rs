//! Format strings: which fields a detail shows, and the same text without the private ones (P9).

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A field, as far as a format string cares.
pub(crate) struct FieldView {
    /// Its name, or its index as text.
    pub(crate) name: String,
    pub(crate) public: bool,
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

/// One argument of a [`Detail::Format`].
#[derive(Debug)]
pub(crate) enum Shown {
    /// A field, with the trait that formats it: the last character of its format, if any.
    Field {
        index: usize,
        plain: bool,
        debug: bool,
    },
    /// An expression over bound fields.
    Expr(TokenStream),
}

/// What stands in the place of a private field.
pub(crate) const PRIVATE: &str = "[private]";

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

/// The detail of a type whose `Display` comes from this format string; `None` when the string is too odd to tell.
pub(crate) fn of_display(format: &str, args: TokenStream, fields: &[FieldView]) -> Option<Detail> {
    let pieces = pieces(format)?;
    if let Some(text) = only_text(&pieces) {
        return Some(Detail::Text(text));
    }
    let args = Args::read(args, fields);
    let mut out = Writer::default();
    let mut next = 0;
    let mut hidden = false;
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.text(&text),
            Piece::Hole { arg, spec } => {
                if spec.contains('*') {
                    return None;
                }
                let target = args.target(arg, &mut next, fields);
                // A width or precision that is itself an argument may be anything.
                let safe = !spec.contains('$') && target.public(fields);
                if safe {
                    out.hole(target, &spec);
                } else {
                    hidden = true;
                    out.text(PRIVATE);
                }
            }
        }
    }
    Some(if hidden {
        out.finish()
    } else {
        Detail::Display
    })
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
                out.hole(Target::Field(index), &spec);
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

/// What a hole shows.
enum Target {
    Field(usize),
    Expr(Expr),
}

impl Target {
    fn public(&self, fields: &[FieldView]) -> bool {
        let is_public = |index: &usize| fields.get(*index).is_some_and(|field| field.public);
        match self {
            Self::Field(index) => is_public(index),
            Self::Expr(expr) => !expr.opaque && expr.mentions.iter().all(is_public),
        }
    }
}

/// An argument after the format string, its `.field` shorthand written out.
#[derive(Clone, Default)]
struct Expr {
    tokens: TokenStream,
    mentions: BTreeSet<usize>,
    /// Whether it reaches fields in a way that cannot be followed.
    opaque: bool,
}

#[derive(Default)]
struct Args {
    positional: Vec<Expr>,
    named: Vec<(String, Expr)>,
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
                    let expr = Expr::read(value.iter().cloned().collect(), fields);
                    args.named.push((crate::attr::unraw(name), expr));
                }
                _ => args
                    .positional
                    .push(Expr::read(tokens.into_iter().collect(), fields)),
            }
        }
        args
    }

    fn target(&self, arg: Arg, next: &mut usize, fields: &[FieldView]) -> Target {
        let field = |name: &str| fields.iter().position(|field| field.name == name);
        let positional = |index: usize| {
            let opaque = || Expr {
                opaque: true,
                ..Expr::default()
            };
            Target::Expr(self.positional.get(index).cloned().unwrap_or_else(opaque))
        };
        match arg {
            Arg::Next => {
                *next += 1;
                positional(*next - 1)
            }
            Arg::Index(index) => match field(&index.to_string()) {
                Some(field) => Target::Field(field),
                None => positional(index),
            },
            Arg::Name(name) => {
                if let Some((_, expr)) = self.named.iter().find(|(known, _)| *known == name) {
                    return Target::Expr(expr.clone());
                }
                match field(&name) {
                    Some(field) => Target::Field(field),
                    // A constant in scope, or a mistake the compiler reports at the Display.
                    None => Target::Expr(Expr::read(TokenTree::Ident(ident(&name)).into(), fields)),
                }
            }
        }
    }
}

impl Expr {
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
                TokenTree::Punct(punct) if punct.as_char() == '.' && starts => match rest.peek() {
                    Some(TokenTree::Ident(_) | TokenTree::Literal(_)) => {
                        let name = rest.next().map(|name| name.to_string()).unwrap_or_default();
                        read.shorthand(&name, fields);
                        before = Some(TokenTree::Ident(ident("field")));
                    }
                    _ => read.tokens.extend([TokenTree::Punct(punct)]),
                },
                TokenTree::Ident(word) => {
                    if !after_dot {
                        read.word(&crate::attr::unraw(&word), fields);
                    }
                    read.tokens.extend([TokenTree::Ident(word)]);
                }
                TokenTree::Group(group) => {
                    let inner = Self::read(group.stream(), fields);
                    read.mentions.extend(inner.mentions);
                    read.opaque |= inner.opaque;
                    let mut copy = proc_macro2::Group::new(group.delimiter(), inner.tokens);
                    copy.set_span(group.span());
                    read.tokens.extend([TokenTree::Group(copy)]);
                }
                TokenTree::Literal(literal) => {
                    // An inline capture in a nested `format!` cannot be followed.
                    read.opaque |= literal.to_string().contains('{');
                    read.tokens.extend([TokenTree::Literal(literal)]);
                }
                other @ TokenTree::Punct(_) => read.tokens.extend([other]),
            }
        }
        read
    }

    /// `.field`, `.0` or, as one token, `.0.1`.
    fn shorthand(&mut self, name: &str, fields: &[FieldView]) {
        let (first, more) = match name.split_once('.') {
            Some((first, more)) => (first, Some(more)),
            None => (name, None),
        };
        let first = first.strip_prefix("r#").unwrap_or(first);
        match fields.iter().position(|field| field.name == first) {
            Some(index) => {
                self.mentions.insert(index);
                self.tokens.extend([TokenTree::Ident(binding(first))]);
            }
            None => self.opaque = true,
        }
        if let Some(Ok(index)) = more.map(str::parse::<usize>) {
            self.tokens.extend([
                TokenTree::Punct(Punct::new('.', Spacing::Alone)),
                TokenTree::Literal(Literal::usize_unsuffixed(index)),
            ]);
        }
    }

    /// A bare word may be a bound field: `id`, or `_0` for a tuple.
    fn word(&mut self, word: &str, fields: &[FieldView]) {
        self.opaque |= word == "self";
        let name = word.strip_prefix('_').unwrap_or(word);
        let index = fields
            .iter()
            .position(|field| field.name == word || (is_index(&field.name) && field.name == name));
        self.mentions.extend(index);
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

    fn hole(&mut self, target: Target, spec: &str) {
        let colon = if spec.is_empty() { "" } else { ":" };
        let at = self.args.len();
        self.format.extend(["{", &at.to_string(), colon, spec, "}"]);
        self.args.push(match target {
            Target::Field(index) => {
                self.binds.insert(index);
                Shown::Field {
                    index,
                    plain: spec.is_empty(),
                    debug: spec.ends_with('?'),
                }
            }
            Target::Expr(expr) => {
                self.binds.extend(expr.mentions);
                Shown::Expr(expr.tokens)
            }
        });
    }

    fn finish(self) -> Detail {
        let Self {
            format,
            args,
            binds,
        } = self;
        match pieces(&format).and_then(|pieces| only_text(&pieces)) {
            Some(text) => Detail::Text(text),
            None => Detail::Format {
                format,
                args,
                binds,
            },
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
        };
        list.iter().map(view).collect()
    }

    fn shown(format: &str, args: TokenStream, list: &[(&str, bool)]) -> String {
        match of_display(format, args, &fields(list)) {
            None => "odd".to_owned(),
            Some(Detail::Display) => "display".to_owned(),
            Some(Detail::Text(text)) => format!("text {text}"),
            Some(Detail::Format { format, .. }) => format!("format {format}"),
        }
    }

    #[test]
    fn private_fields_are_found_however_they_are_written() {
        let list = [("id", true), ("key", false), ("type", false)];
        let cases = [
            ("nothing {{here}}", quote!(), "text nothing {here}"),
            ("{id}", quote!(), "display"),
            ("{id} {key}", quote!(), "format {0} [private]"),
            (
                "{id:>4} {key:?} {type}",
                quote!(),
                "format {0:>4} [private] [private]",
            ),
            ("{key}", quote!(), "text [private]"),
            (
                "{} and {}",
                quote!(, .id.len(), .key.len()),
                "format {0} and [private]",
            ),
            ("{x}", quote!(, x = short(.key)), "text [private]"),
            ("{x}", quote!(, x = short(&.id)), "display"),
            ("{}", quote!(, key), "text [private]"),
            ("{}", quote!(, self), "text [private]"),
            ("{} {}", quote!(, .id.key, 3 + 4), "display"),
            ("{id:key$}", quote!(), "text [private]"),
            ("{0}", quote!(, format!("{key}")), "text [private]"),
            ("{:.*}", quote!(, 3, .id), "odd"),
            ("{LIMIT}", quote!(), "display"),
            ("{", quote!(), "odd"),
        ];
        for (format, args, expected) in cases {
            assert_eq!(shown(format, args, &list), expected, "{format}");
        }
    }

    #[test]
    fn tuple_fields_are_known_by_index() {
        let list = [("0", true), ("1", false)];
        assert_eq!(shown("{0} {1}", quote!(), &list), "format {0} [private]");
        assert_eq!(
            shown("{} {}", quote!(, .0.1, _1), &list),
            "format {0} [private]"
        );
        assert_eq!(shown("{}", quote!(, _0), &list), "display");
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

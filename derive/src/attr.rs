//! From tokens to attributes as written. Every literal keeps its place.

use aon_core::suggest::nearest;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, LitInt, LitStr, Meta, Token, Type};

use crate::errors::Errors;

pub(crate) mod problem;
pub(crate) mod remediation;

/// Text from a string literal.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) span: Span,
}

impl From<LitStr> for Text {
    fn from(literal: LitStr) -> Self {
        Self {
            value: literal.value(),
            span: literal.span(),
        }
    }
}

/// `name`, `name = …` or `name(…)`.
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// What follows the name of an [`Item`].
pub(crate) enum Value {
    Nothing,
    Equals(TokenStream),
    List(TokenStream),
}

/// Something that may be given once. What was given but could not be read is not missing.
pub(crate) struct Once<T> {
    value: Option<T>,
    given: Option<Span>,
    excused: Option<Span>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            value: None,
            given: None,
            excused: None,
        }
    }
}

impl<T> Once<T> {
    /// Takes the value; a second one is a mistake.
    pub(crate) fn set(&mut self, item: &Item, value: Option<T>, errors: &mut Errors) {
        if self.given.is_some() {
            errors.at(item.span, format!("`{}` is given twice", item.name));
        } else {
            self.given = Some(item.span);
            self.value = value;
        }
    }

    /// A misspelt item stands for this one: it is not missing.
    pub(crate) fn excuse(&mut self, item: &Item) {
        self.excused = Some(item.span);
    }

    pub(crate) fn take(self) -> Option<T> {
        self.value
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Where it was given.
    pub(crate) fn given(&self) -> Option<Span> {
        self.given.or(self.excused)
    }
}

/// The items of every attribute with that name.
pub(crate) fn items_of(attrs: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Item> {
    let mut found = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        match &attr.meta {
            Meta::List(list) => found.extend(items(list.tokens.clone(), errors)),
            Meta::Path(path) => errors.on(path, format!("expected `#[{name}(…)]`")),
            Meta::NameValue(pair) => errors.on(pair, format!("expected `#[{name}(…)]`")),
        }
    }
    found
}

/// Items separated by commas; a broken one does not hide the others.
pub(crate) fn items(tokens: TokenStream, errors: &mut Errors) -> Vec<Item> {
    let mut found = Vec::new();
    for part in split(tokens) {
        match item(part) {
            Ok(item) => found.push(item),
            Err(error) => errors.syntax(error),
        }
    }
    found
}

fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(token);
                }
            }
        }
    }
    // A comma at the end is fine; one after another is not.
    if parts.last().is_some_and(Vec::is_empty) {
        parts.pop();
    }
    parts
}

fn item(part: Vec<TokenTree>) -> syn::Result<Item> {
    let mut tokens = part.into_iter();
    let name = match tokens.next() {
        Some(TokenTree::Ident(name)) => name,
        Some(other) => {
            return Err(syn::Error::new(
                other.span(),
                "expected the name of an attribute",
            ));
        }
        None => {
            return Err(syn::Error::new(
                Span::call_site(),
                "expected an attribute before `,`",
            ));
        }
    };
    let span = name.span();
    let next = tokens.next();
    let rest: TokenStream = tokens.collect();
    let value = match next {
        None => Value::Nothing,
        Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => {
            if rest.is_empty() {
                let message = format!("expected a value after `{name} =`");
                return Err(syn::Error::new(punct.span(), message));
            }
            Value::Equals(rest)
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            if !rest.is_empty() {
                return Err(syn::Error::new_spanned(rest, "expected `,`"));
            }
            Value::List(group.stream())
        }
        Some(other) => {
            let message = format!("expected `=`, `(` or `,` after `{name}`");
            return Err(syn::Error::new(other.span(), message));
        }
    };
    Ok(Item {
        name: unraw(&name),
        span,
        value,
    })
}

impl Item {
    /// `name = "text"`.
    pub(crate) fn text(&self, errors: &mut Errors) -> Option<Text> {
        let expected = format!("expected `{} = \"…\"`", self.name);
        self.equals::<LitStr>(&expected, errors).map(Text::from)
    }

    /// `name = 5`.
    pub(crate) fn number(&self, errors: &mut Errors) -> Option<(u64, Span)> {
        let expected = format!("expected `{} = …` with a whole number", self.name);
        let literal = self.equals::<LitInt>(&expected, errors)?;
        match literal.base10_parse() {
            Ok(number) => Some((number, literal.span())),
            Err(error) => {
                errors.syntax(error);
                None
            }
        }
    }

    /// `name` alone.
    pub(crate) fn flag(&self, errors: &mut Errors) -> Option<()> {
        if matches!(self.value, Value::Nothing) {
            return Some(());
        }
        errors.at(
            self.span,
            format!("`{}` stands alone, without a value", self.name),
        );
        None
    }

    /// `name(…)`.
    pub(crate) fn list(&self, errors: &mut Errors) -> Option<TokenStream> {
        if let Value::List(tokens) = &self.value {
            return Some(tokens.clone());
        }
        errors.at(self.span, format!("expected `{}(…)`", self.name));
        None
    }

    /// `name = "a"`, `name = ["a", "b"]` or `name("a", "b")`.
    pub(crate) fn texts(&self, errors: &mut Errors) -> Option<Vec<Text>> {
        let parsed = match &self.value {
            Value::Equals(tokens) => one_or_more.parse2(tokens.clone()),
            Value::List(tokens) => {
                Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(tokens.clone())
            }
            Value::Nothing => Err(syn::Error::new(self.span, "")),
        };
        match parsed {
            Ok(literals) => Some(literals.into_iter().map(Text::from).collect()),
            Err(error) => {
                let expected = format!("expected `{0} = \"…\"` or `{0}(\"…\", \"…\")`", self.name);
                errors.at(error.span(), expected);
                None
            }
        }
    }

    /// `name = value` of a type that can be parsed.
    pub(crate) fn equals<T: Parse>(&self, expected: &str, errors: &mut Errors) -> Option<T> {
        let Value::Equals(tokens) = &self.value else {
            errors.at(self.span, expected);
            return None;
        };
        let parsed = syn::parse2(tokens.clone()).ok();
        if parsed.is_none() {
            errors.on(tokens, expected);
        }
        parsed
    }

    /// A name nobody knows here; gives the one that was probably meant.
    pub(crate) fn unknown<'a>(
        &self,
        place: &str,
        known: &[&'a str],
        errors: &mut Errors,
    ) -> Option<&'a str> {
        let meant = nearest(&self.name, known.iter().copied());
        let hint = match meant {
            Some(word) => format!("did you mean `{word}`?"),
            None => format!("expected one of {}", listed(known)),
        };
        errors.at(
            self.span,
            format!("unknown {place} `{}`; {hint}", self.name),
        );
        meant
    }
}

fn one_or_more(input: ParseStream<'_>) -> syn::Result<Punctuated<LitStr, Token![,]>> {
    if input.peek(syn::token::Bracket) {
        let content;
        syn::bracketed!(content in input);
        return Punctuated::parse_terminated(&content);
    }
    let mut one = Punctuated::new();
    one.push_value(input.parse()?);
    Ok(one)
}

/// The values of one field in `valid_values(…)`.
pub(crate) struct Values {
    pub(crate) field: Text,
    pub(crate) source: Source,
}

/// Where constant values come from.
pub(crate) enum Source {
    /// A type that implements `Choices`.
    Type(Box<Type>),
    /// Literals, in brackets.
    Literals(Vec<syn::Lit>, Span),
}

impl Parse for Values {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let field = if input.peek(LitStr) {
            Text::from(input.parse::<LitStr>()?)
        } else {
            let name: Ident = syn::ext::IdentExt::parse_any(input)?;
            Text {
                value: unraw(&name),
                span: name.span(),
            }
        };
        input.parse::<Token![=]>()?;
        let source = if input.peek(syn::token::Bracket) {
            let content;
            let bracket = syn::bracketed!(content in input);
            let literals = Punctuated::<syn::Lit, Token![,]>::parse_terminated(&content)?;
            Source::Literals(literals.into_iter().collect(), bracket.span.join())
        } else {
            Source::Type(input.parse()?)
        };
        Ok(Self { field, source })
    }
}

/// `valid_values(field = Type, other = ["a", "b"])`.
pub(crate) fn valid_values(item: &Item, errors: &mut Errors) -> Option<Vec<Values>> {
    let tokens = item.list(errors)?;
    match Punctuated::<Values, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(values) if values.is_empty() => {
            errors.at(item.span, "`valid_values` names no field");
            None
        }
        Ok(values) => Some(values.into_iter().collect()),
        Err(error) => {
            let message =
                "expected `valid_values(field = Type)` or `valid_values(field = [\"a\", \"b\"])`";
            errors.at(error.span(), message);
            None
        }
    }
}

/// Words for a message: `` `a`, `b` or `c` ``.
pub(crate) fn listed(words: &[&str]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let separator = match at {
            0 => "",
            _ if at + 1 == words.len() => " or ",
            _ => ", ",
        };
        out.push_str(separator);
        out.push('`');
        out.push_str(word);
        out.push('`');
    }
    out
}

/// The identifier without `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#")
        .map_or_else(|| text.clone(), str::to_owned)
}

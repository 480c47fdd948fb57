//! Bytes: what is neither JSON nor a form, and the files of a form.

use super::{Api, Facets, Operation, Shape, Type};
use crate::json::Tree;

impl Type {
    /// Any bytes: a string of `format: binary`.
    pub(crate) fn binary() -> Type {
        Type::Text(Facets::of([Some(("format", Tree::from("binary")))]))
    }

    /// Whether its values are any bytes.
    pub fn is_binary(&self) -> bool {
        matches!(self, Type::Text(facets) if facets.text("format") == Some("binary"))
    }
}

impl Operation {
    /// The members of a form that are files, by name; the empty name where the whole body is bytes.
    pub fn files<'a>(&'a self, api: &'a Api) -> Vec<&'a str> {
        let request = self.parts.and_then(|id| api.definition(id));
        let Some(Shape::Object(request)) = request.map(|request| &request.shape) else {
            return Vec::new();
        };
        let Some(body) = request.fields.iter().find(|field| *field.wire == *"body") else {
            return Vec::new();
        };
        let (body, definition) = api.behind(&body.shape);
        if body.is_binary() {
            return vec![""];
        }
        let Some(Shape::Object(form)) = definition.map(|definition| &definition.shape) else {
            return Vec::new();
        };
        let is_file = |shape: &Type| {
            let own = api.behind(shape).0;
            if let Type::List(item, _) | Type::Nullable(item) = own {
                api.behind(item).0.is_binary()
            } else {
                own.is_binary()
            }
        };
        let files = form.fields.iter().filter(|field| is_file(&field.shape));
        files.map(|field| &*field.wire).collect()
    }
}

/// What a body is to a program, by its media type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Medium {
    /// JSON or a form: what its schema says.
    Typed,
    /// Written for people or for another parser: a text.
    Text,
    /// Anything else: bytes.
    Bytes,
}

impl Medium {
    pub(crate) fn of(media: Option<&str>) -> Medium {
        let media = media.unwrap_or("").to_ascii_lowercase();
        let essence = media.split(';').next().unwrap_or("").trim();
        let has = |words: &[&str]| words.iter().any(|word| essence.contains(word));
        if matches!(essence, "" | "*/*" | "application/x-www-form-urlencoded")
            || essence.starts_with("multipart/")
            || essence.ends_with("/json")
            || essence.ends_with("+json")
        {
            Medium::Typed
        } else if essence.starts_with("text/")
            || has(&[
                "json", "xml", "yaml", "toml", "csv", "script", "graphql", "sql",
            ])
        {
            Medium::Text
        } else {
            Medium::Bytes
        }
    }
}

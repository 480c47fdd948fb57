//! Operations and their answers.

use std::collections::BTreeSet;

use super::{Type, TypeId};

/// An operation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Operation {
    /// Its id, as written, or made of method and path.
    pub id: String,
    /// Its id as a type: `UpdateAuth`.
    pub pascal: String,
    /// Its id as a value in TypeScript: `updateAuth`.
    pub camel: String,
    /// Its id as a function: `update_auth`.
    pub snake: String,
    /// The HTTP method in upper case.
    pub method: Option<String>,
    /// The path.
    pub path: Option<String>,
    /// A short line about it.
    pub summary: String,
    /// More about it.
    pub description: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Its documentation.
    pub docs_url: Option<String>,
    /// Everything a caller sends, as one object; none when nothing is sent.
    pub request: Option<TypeId>,
    /// The same with `path`, `query`, `headers`, `cookies` and `body` apart, for what is called over HTTP.
    pub parts: Option<TypeId>,
    /// The named type that the body is, where it is one as it stands.
    pub body: Option<Type>,
    /// The media type of its body.
    pub media_type: Option<String>,
    /// Whether the body must be sent.
    pub body_required: bool,
    /// Its answers that are not errors, sorted by status.
    pub responses: Vec<Response>,
    /// The codes of its problems, sorted.
    pub problems: Vec<String>,
    /// The MCP tool it is exposed as.
    pub tool: Option<String>,
    /// The A2A skill it is exposed as.
    pub skill: Option<String>,
}

impl Operation {
    /// A line for people: the summary, else the first sentence of the description, else the id.
    pub fn title(&self) -> &str {
        if !self.summary.is_empty() {
            return &self.summary;
        }
        let line = self.description.lines().next().unwrap_or("");
        let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
        if sentence.is_empty() {
            &self.id
        } else {
            sentence
        }
    }

    /// The names between braces in its path, each once.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        let mut seen = BTreeSet::new();
        let path = self.path.as_deref().unwrap_or("");
        let parts = path
            .split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}').map(|(name, _)| name));
        parts.filter(move |name| seen.insert(*name))
    }

    /// The types of the bodies of its good answers, each once, and whether an answer may come without one.
    pub fn answers(&self) -> (Vec<&Type>, bool) {
        let mut bodies: Vec<&Type> = Vec::new();
        let mut empty = false;
        for response in &self.responses {
            if !response.status.starts_with('2') {
                continue;
            }
            match response.value.as_ref().or(response.body.as_ref()) {
                Some(body) if !bodies.contains(&body) => bodies.push(body),
                Some(_) => {}
                None => empty = true,
            }
        }
        (bodies, empty)
    }

    /// Whether it only reads. Unknown without a method.
    pub fn reads_only(&self) -> Option<bool> {
        self.method
            .as_deref()
            .map(|method| matches!(method, "GET" | "HEAD" | "OPTIONS" | "QUERY" | "TRACE"))
    }
}

/// An answer that is not an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status as OpenAPI writes it: `200`, `2XX`, `default`.
    pub status: String,
    /// What it means.
    pub description: String,
    /// The media type of the body.
    pub media_type: Option<String>,
    /// The type of the body.
    pub body: Option<Type>,
    /// What a program gets in its place, where the body is neither JSON nor a form.
    pub value: Option<Type>,
}

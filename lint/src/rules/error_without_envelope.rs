//! AON201.

use std::collections::{BTreeMap, BTreeSet};

use aon_manifest::Node;
use aon_manifest::model::{Content, ErrorResponse, Schema, Status};

use crate::engine::{Findings, Subject};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A 4xx or 5xx response that is not a problem document.
    ///
    /// ## Why
    ///
    /// An error format of its own, typed or free text, has to be learned for each API; a problem document (RFC 9457) says which failure it
    /// is and what to do next in members that every client knows.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       operationId: listPets
    ///       responses:
    ///         "404":
    ///           description: There are none
    ///           content: { text/plain: { schema: { type: string } } }
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// openapi: 3.1.0
    /// info: { title: Pets, version: "1" }
    /// paths:
    ///   /pets:
    ///     get:
    ///       operationId: listPets
    ///       responses:
    ///         "404":
    ///           description: There are none
    ///           x-aon-code: no_pets
    ///           content: { application/problem+json: { schema: { type: object } } }
    /// ```
    "error-without-envelope" { code: "AON201", category: Errors, stage: Stable, check: Check::Api(check) }
}

/// Whether a failure is answered with something else than a problem document.
pub(crate) fn lacks_envelope(error: &ErrorResponse<'_>) -> bool {
    !error.native && !error.has_envelope() && error.status.is_some_and(Status::is_error)
}

/// Error responses that one change would repair.
struct Cause<'a> {
    /// The shared schema, or the first response.
    node: Node<'a>,
    mark: Node<'a>,
    schema: Option<&'a str>,
    body: Option<String>,
    count: usize,
    places: Vec<String>,
}

/// One finding for each schema that stands for errors, and one for all responses of a media type without such a schema.
fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    let mut causes: Vec<Cause<'a>> = Vec::new();
    let mut known: BTreeMap<(usize, usize, String), usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for operation in &subject.api.operations {
        for error in operation
            .errors
            .iter()
            .filter(|error| lacks_envelope(error))
        {
            let place = (error.response.file().index(), error.response.index());
            if !seen.insert((place, error.anchor().index())) {
                continue;
            }
            let content = error.contents.first();
            let body = || content.map(Content::essence);
            let schema = content
                .and_then(|content| content.schema)
                .filter(|schema| schema.reference().is_some());
            let node = schema.map(|schema| schema.resolved().node());
            let key = match node {
                Some(node) => (node.file().index() + 1, node.index(), String::new()),
                None => (0, 0, body().unwrap_or_default()),
            };
            let at = *known.entry(key).or_insert(causes.len());
            if at == causes.len() {
                causes.push(Cause {
                    node: node.unwrap_or(error.response),
                    mark: node.map_or(error.anchor(), |node| node.key().unwrap_or(node)),
                    schema: schema.and_then(Schema::reference_name),
                    body: body(),
                    count: 0,
                    places: Vec::new(),
                });
            }
            let Some(cause) = causes.get_mut(at) else {
                continue;
            };
            cause.count += 1;
            if cause.places.len() < FIRST {
                let status = error
                    .status
                    .map(|status| status.to_string())
                    .unwrap_or_default();
                cause
                    .places
                    .push(format!("{status} of `{}`", operation.name()));
            }
        }
    }
    for cause in causes {
        let places = cause.places.join(", ");
        let more = if cause.count > FIRST { ", …" } else { "" };
        let responses = if cause.count == 1 {
            "1 error response".to_owned()
        } else {
            format!("{} error responses", cause.count)
        };
        let message = match (cause.schema, &cause.body) {
            (Some(schema), Some(body)) => {
                format!("`{schema}` (`{body}`) stands for a problem in {responses}: {places}{more}")
            }
            (None, Some(body)) => format!(
                "{responses} `{body}` instead of a problem: {places}{more}",
                responses = if cause.count == 1 {
                    format!("{responses} is")
                } else {
                    format!("{responses} are")
                }
            ),
            (_, None) => format!(
                "{responses} no body: {places}{more}",
                responses = if cause.count == 1 {
                    format!("{responses} has")
                } else {
                    format!("{responses} have")
                }
            ),
        };
        findings
            .report(cause.node, message)
            .mark(cause.mark)
            .label("no `application/problem+json`")
            .fix("describe the body as `application/problem+json`");
    }
}

/// How many places a finding names.
const FIRST: usize = 3;

//! The documents of one API side by side, and the scoring of them.

use std::collections::BTreeMap;

use aon_manifest::model::{ErrorResponse, Operation, Remediation, Surface, Text, Verify};
use aon_manifest::{Api, Document, Format, Node, extension};

use super::blame::MANIFEST;
use super::card::{ApiScore, Score, Scores};
use super::choices::{self, Choice};
use super::decimal::Decimal;
use super::evidence::{Held, LineScore, Missing, Shortfall, Step};
use super::table::{Dimension, RUBRIC};
use super::words;
use crate::failures;
use crate::settings::Settings;

/// Scores each API of a document by itself.
///
/// ```
/// use aon_lint::Settings;
/// use aon_lint::score::{Dimension, score};
/// use aon_manifest::Document;
///
/// let text = "
/// slug: auth
/// operations:
///   - id: update_auth
///     method: PATCH
///     path: /auth
///     parameters:
///       - { name: auth_ux, in: body, type: string, required: true, enum: [hosted, custom] }
///     error_responses:
///       - { status: 422, code: invalid_auth_ux, type: 'pspace://problem/invalid_auth_ux' }
/// ";
/// let scores = score(&Document::from_text("auth.aon.yaml", text), &Settings::default());
/// assert_eq!(scores[0].level(Dimension::D1), Some(3));
/// assert_eq!(scores[0].level(Dimension::D2), Some(3));
/// assert_eq!(scores[0].level(Dimension::D5), Some(0));
/// assert!(scores[0].missing(Dimension::D5).unwrap().what.contains("only on REST"));
/// ```
pub fn score(document: &Document, settings: &Settings) -> Vec<ApiScore> {
    let apis = document.apis();
    apis.iter()
        .map(|api| score_together(&[api], settings))
        .collect()
}

/// Scores documents that describe one API as one. Their order does not matter.
pub fn score_together<'a>(apis: &[&'a Api<'a>], settings: &Settings) -> ApiScore {
    score_group(&Group::new(apis, settings))
}

/// The same without the places of the steps above the next one, so that the scores of many APIs fit into little memory.
pub fn score_briefly<'a>(apis: &[&'a Api<'a>], settings: &Settings) -> ApiScore {
    let mut group = Group::new(apis, settings);
    group.brief = true;
    score_group(&group)
}

fn score_group(group: &Group<'_>) -> ApiScore {
    let scores = Dimension::ALL
        .iter()
        .map(|dimension| group.score(*dimension));
    let files = group.apis.iter().map(|api| api.node.tree().source().name());
    let title = group.apis.iter().find_map(|api| api.title);
    let slug = group.apis.iter().find(|api| api.slug.is_some());
    let slug = slug.or(group.apis.first()).map(|api| api.slug());
    ApiScore::new(
        files.map(str::to_owned).collect(),
        slug.unwrap_or_default(),
        title.map(|title| title.as_str().to_owned()),
        group.operations.len(),
        Scores::from_list(scores.collect()),
    )
}

/// What the predicates of the rubric look at.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) apis: Vec<&'a Api<'a>>,
    pub(super) operations: Vec<Joined<'a>>,
    pub(super) choices: Vec<Choice<'a>>,
    /// Whether the API is meant to stay on REST, and does.
    pub(super) rest_only: bool,
    /// Whether only the first missing thing is kept.
    brief: bool,
}

/// One operation, as each document of the group describes it.
#[derive(Debug)]
pub(super) struct Joined<'a> {
    pub(super) members: Vec<Member<'a>>,
    surfaces: Vec<Surface>,
}

/// An operation of one document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub(super) api: usize,
    pub(super) operation: &'a Operation<'a>,
}

/// One error an operation can answer with, and what to do about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant<'a> {
    /// Its operation, as an index into [`Group::operations`].
    pub(super) at: usize,
    /// The format of the document that describes it.
    pub(super) format: Format,
    pub(super) operation: &'a Operation<'a>,
    pub(super) error: &'a ErrorResponse<'a>,
    /// Its own remediation, else the default.
    pub(super) remediation: Option<Remediation<'a>>,
}

impl<'a> Group<'a> {
    fn new(apis: &[&'a Api<'a>], settings: &Settings) -> Group<'a> {
        let mut apis = apis.to_vec();
        apis.sort_by_key(|api| {
            let source = api.node.tree().source();
            (api.format, source.name(), api.node.span())
        });
        let mut group = Group {
            operations: join(&apis),
            choices: choices::find(&apis, settings),
            apis,
            rest_only: false,
            brief: false,
        };
        group.settle_surfaces();
        group.rest_only = group.stays_on_rest(settings);
        group
    }

    fn score(&self, dimension: Dimension) -> Score {
        if self.operations.is_empty() {
            return self.score_of_nothing(dimension);
        }
        if let Some(reason) = dimension.not_applicable(self) {
            return Score::not_applicable(reason);
        }
        let rubric = RUBRIC.iter().filter(|line| line.dimension == dimension);
        let (mut level, mut broken) = (0, false);
        let mut lines = Vec::new();
        let mut evidence = Vec::new();
        let mut missing = None;
        let mut steps = Vec::new();
        for line in rubric {
            let tally = (line.check)(self);
            broken = broken || !tally.holds();
            let counted = tally.told(line.counts);
            lines.push(LineScore {
                level: line.level,
                says: line.says.to_owned(),
                holds: tally.holds(),
                share: tally.share(),
                counted: counted.clone(),
            });
            if !broken {
                level = line.level;
                evidence.push(Held {
                    level,
                    says: line.says.to_owned(),
                    held: counted,
                });
            } else if evidence.is_empty() {
                evidence.push(Held {
                    level: 0,
                    says: dimension.zero().to_owned(),
                    held: counted,
                });
            }
            let count = tally.wanting();
            let mut places = tally
                .shortfalls
                .iter()
                .filter(|_| count > 0)
                .map(|shortfall| Missing::new(line.level, line.says, count, shortfall));
            let first: Vec<Missing> = if self.brief {
                if broken && missing.is_none() {
                    missing = places.next();
                }
                Vec::new()
            } else {
                places.collect()
            };
            if broken && missing.is_none() {
                missing = first.first().cloned();
            }
            steps.push(Step {
                level: line.level,
                count,
                first,
            });
        }
        Score::measured(level, lines, evidence, missing, steps)
    }

    /// A manifest without operations proves nothing, so it is not spared by N/A.
    fn score_of_nothing(&self, dimension: Dimension) -> Score {
        let mut missing = None;
        let mut lines = Vec::new();
        let mut steps = Vec::new();
        for line in RUBRIC.iter().filter(|line| line.dimension == dimension) {
            let shortfall = self.apis.first().map(|api| Shortfall {
                node: api.node,
                what: "the manifest describes no operation".to_owned(),
                rule: MANIFEST,
                fix: "describe the operations with their parameters and errors".to_owned(),
            });
            let first =
                shortfall.map(|shortfall| Missing::new(line.level, line.says, 1, &shortfall));
            missing = missing.or_else(|| first.clone());
            lines.push(LineScore {
                level: line.level,
                says: line.says.to_owned(),
                holds: false,
                share: Decimal::default(),
                counted: NOTHING.to_owned(),
            });
            steps.push(Step {
                level: line.level,
                count: 1,
                first: first.into_iter().collect(),
            });
        }
        let evidence = vec![Held {
            level: 0,
            says: dimension.zero().to_owned(),
            held: NOTHING.to_owned(),
        }];
        Score::measured(0, lines, evidence, missing, steps)
    }

    /// Whether a document (`surfaces`, `x-aon-surfaces`) or the configuration says that the API is for REST only. One that has
    /// a tool or a skill all the same is measured.
    fn stays_on_rest(&self, settings: &Settings) -> bool {
        let declared = || self.apis.iter().map(|api| api.declares());
        let rest = declared().any(|surfaces| surfaces.contains(Surface::Rest));
        let agents = declared()
            .any(|surfaces| surfaces.contains(Surface::Mcp) || surfaces.contains(Surface::A2a));
        let configured = self
            .apis
            .iter()
            .any(|api| settings.is_rest_only(api.node.tree().source().name()));
        let exposed = self.operations.iter().any(Joined::is_on_agent_surface);
        (rest || configured) && !agents && !exposed
    }

    /// The format of a document of the group, for advice in its own words.
    pub(super) fn format(&self, api: usize) -> Format {
        self.apis.get(api).map_or(Format::Native, |api| api.format)
    }

    /// How the group's first document spells a member of the native manifest.
    pub(super) fn spelled(&self, native: &str) -> String {
        extension::spelled(self.format(0), native)
    }

    /// Where a tool list or a card is among the documents, it decides what is on that surface; a promise elsewhere does not.
    fn settle_surfaces(&mut self) {
        let has = |format| self.apis.iter().any(|api| api.format == format);
        let (listed, carded) = (has(Format::Mcp), has(Format::A2a));
        let formats: Vec<Format> = self.apis.iter().map(|api| api.format).collect();
        for joined in &mut self.operations {
            let of = |format: Format| {
                joined
                    .members
                    .iter()
                    .any(|member| formats.get(member.api) == Some(&format))
            };
            let on = |surface| {
                joined
                    .members
                    .iter()
                    .any(|member| member.operation.surfaces().contains(surface))
            };
            let real = [
                (Surface::Rest, on(Surface::Rest)),
                (
                    Surface::Mcp,
                    if listed {
                        of(Format::Mcp)
                    } else {
                        on(Surface::Mcp)
                    },
                ),
                (
                    Surface::A2a,
                    if carded {
                        of(Format::A2a)
                    } else {
                        on(Surface::A2a)
                    },
                ),
            ];
            let real = real.into_iter().filter(|(_, on)| *on);
            joined.surfaces = real.map(|(surface, _)| surface).collect();
        }
    }

    /// Every listed error, operation by operation; `default` is among them.
    pub(super) fn variants(&self) -> impl Iterator<Item = Variant<'a>> + '_ {
        let default = |api: usize| {
            let own = self.apis.get(api).and_then(|api| api.remediation_default);
            own.or_else(|| self.apis.iter().find_map(|api| api.remediation_default))
        };
        let members = self
            .operations
            .iter()
            .enumerate()
            .flat_map(|(at, joined)| joined.members.iter().map(move |member| (at, member)));
        members.flat_map(move |(at, member)| {
            let fallback = default(member.api);
            let format = self.format(member.api);
            let operation = member.operation;
            operation.errors.iter().map(move |error| Variant {
                at,
                format,
                operation,
                error,
                remediation: error.remediation_or(fallback),
            })
        })
    }

    /// Errors with a status in 400..=599, and each `default` that says something.
    pub(super) fn failures(&self) -> impl Iterator<Item = Variant<'a>> + '_ {
        self.variants().filter(Variant::is_error)
    }

    /// Operations that can fail and do not say how.
    pub(super) fn silent(&self) -> impl Iterator<Item = &Joined<'a>> {
        self.operations
            .iter()
            .filter(|joined| !joined.is_harmless() && !joined.lists_failure())
    }

    /// The node to point at when the API as a whole is meant.
    pub(super) fn anchor(&self) -> Option<Node<'a>> {
        let api = self.apis.first()?;
        Some(api.title.map_or(api.node, |title| title.node()))
    }
}

impl<'a> Joined<'a> {
    /// The member to speak of.
    pub(super) fn first(&self) -> Option<&'a Operation<'a>> {
        self.members.first().map(|member| member.operation)
    }

    pub(super) fn name(&self) -> String {
        self.first()
            .map_or_else(String::new, |operation| operation.name().into_owned())
    }

    /// Whether outsiders may use it; one document that restricts it is enough.
    pub(super) fn is_public(&self) -> bool {
        self.members.iter().all(|member| member.operation.public)
    }

    pub(super) fn is_on(&self, surface: Surface) -> bool {
        self.surfaces.contains(&surface)
    }

    /// Whether an agent can reach it.
    pub(super) fn is_on_agent_surface(&self) -> bool {
        self.is_on(Surface::Mcp) || self.is_on(Surface::A2a)
    }

    /// Whether it reads and takes nothing, so that a caller can do nothing wrong.
    pub(super) fn is_harmless(&self) -> bool {
        let harmless = |member: &Member<'_>| {
            let operation = member.operation;
            let bare = operation.parameters.is_empty() && operation.request_body.is_none();
            failures::is_harmless(operation) || (operation.method.is_none() && bare)
        };
        self.is_on(Surface::Rest) && self.members.iter().all(harmless)
    }

    /// Whether a document shows a request by example: the body, or everything that is required.
    pub(super) fn shows_request(&self) -> bool {
        self.members.iter().any(|member| {
            let operation = member.operation;
            let mut bodies = operation
                .request_body
                .iter()
                .flat_map(|body| &body.contents);
            let body = bodies.any(|content| {
                let written = content.schema.is_some_and(|schema| {
                    let schema = schema.resolved();
                    let mut properties = schema.properties();
                    !schema.examples().is_empty()
                        || properties.any(|property| !property.schema.examples().is_empty())
                });
                written || !content.examples.is_empty()
            });
            let mut required = operation
                .parameters
                .iter()
                .filter(|parameter| parameter.required)
                .peekable();
            let parameters = operation.request_body.is_none()
                && required.peek().is_some()
                && required.all(|parameter| !parameter.examples().is_empty());
            body || parameters
        })
    }

    /// Whether a document says how it can fail.
    pub(super) fn lists_failure(&self) -> bool {
        self.members
            .iter()
            .any(|member| failures::lists_failure(member.operation))
    }

    pub(super) fn verify(&self) -> Option<Verify<'a>> {
        self.members
            .iter()
            .find_map(|member| member.operation.verify)
    }

    /// Every name it goes by: ids, tools, skills.
    pub(super) fn names(&self) -> impl Iterator<Item = Text<'a>> + '_ {
        self.members.iter().flat_map(|member| {
            let operation = member.operation;
            let tool = operation
                .mcp
                .filter(|mcp| mcp.expose)
                .and_then(|mcp| mcp.tool);
            [operation.id, tool, operation.skill()]
                .into_iter()
                .flatten()
        })
    }
}

impl Variant<'_> {
    pub(super) fn is_error(&self) -> bool {
        failures::is_failure(self.error)
    }

    pub(super) fn is_client_error(&self) -> bool {
        failures::is_client_failure(self.error)
    }

    /// How its document spells a member of an error. Entries in a tool list or a card have native names.
    pub(super) fn spelled(&self, native: &str) -> String {
        match self.format {
            Format::OpenApi | Format::Swagger => extension::spelled(self.format, native),
            Format::Native | Format::Mcp | Format::A2a => format!("`{native}`"),
        }
    }

    /// How messages call it: `update_auth 422 invalid_auth_ux`.
    pub(super) fn name(&self) -> String {
        let mut name = self.operation.name().into_owned();
        if let Some(status) = self.error.status {
            name = format!("{name} {status}");
        }
        match self.error.code {
            Some(code) => format!("{name} {code}"),
            None => name,
        }
    }
}

/// Puts the operations of several documents side by side: those with the same method and path, or with a name in common.
fn join<'a>(apis: &[&'a Api<'a>]) -> Vec<Joined<'a>> {
    let alone = |api: usize, operation: &'a Operation<'a>| Joined {
        members: vec![Member { api, operation }],
        surfaces: Vec::new(),
    };
    let mut found: Vec<Joined<'a>> = Vec::new();
    let mut keys: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, api) in apis.iter().enumerate() {
        let mut added: Vec<(String, usize)> = Vec::new();
        for operation in &api.operations {
            if apis.len() == 1 {
                found.push(alone(at, operation));
                continue;
            }
            let own = join_keys(operation);
            let mut fits: Vec<usize> = own
                .iter()
                .filter_map(|key| keys.get(key))
                .flatten()
                .copied()
                .collect();
            fits.sort_unstable();
            fits.dedup();
            if fits.is_empty() {
                fits.push(found.len());
                found.push(alone(at, operation));
            } else {
                for index in &fits {
                    if let Some(joined) = found.get_mut(*index) {
                        joined.members.push(Member { api: at, operation });
                    }
                }
            }
            for key in own {
                added.extend(fits.iter().map(|index| (key.clone(), *index)));
            }
        }
        // Operations of one document are never taken for each other, so its keys count from the next document on.
        for (key, index) in added {
            let known = keys.entry(key).or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    found
}

fn join_keys(operation: &Operation<'_>) -> Vec<String> {
    let tool = operation.tool_name();
    let names = operation
        .id
        .map(|id| id.node().text())
        .into_iter()
        .chain(tool.as_deref())
        .chain(operation.skill().map(|skill| skill.node().text()));
    let mut keys: Vec<String> = names
        .map(words::plain)
        .filter(|name| !name.is_empty())
        .collect();
    if let (Some(method), Some(path)) = (operation.method, operation.path) {
        keys.push(format!(
            "{} {}",
            method.as_str(),
            words::shape_of_path(&path)
        ));
    }
    keys.sort();
    keys.dedup();
    keys
}

const NOTHING: &str = "no operation is described";

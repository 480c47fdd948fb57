//! From manifests and a catalog to the [`Api`] that targets work from.
//!
//! Here everything is decided that can go wrong: references are followed, names are chosen, contradictions are found. All mistakes
//! are collected and reported together, each with the places it is about.

mod choices;
mod cycles;
mod extensions;
mod facets;
mod fields;
mod gather;
mod issue;
mod keys;
mod media;
mod naming;
mod operations;
mod pattern;
mod problems;
mod requests;
mod servers;
mod types;
mod unions;

use std::collections::BTreeMap;

use aon_core::catalog::Catalog;
use aon_manifest::{Severity, model};

pub use self::issue::{LowerError, LowerIssue, LowerIssueKind};
use crate::ir::Api;
use crate::target::Options;

/// Makes one API of the documents that describe it, and of the catalog of the program that serves it.
///
/// The documents are taken for descriptions of the same API: operations with the same id, tool or skill are one. The order of
/// documents, operations and members does not change the result.
///
/// # Errors
///
/// Everything that is wrong with the input: what a reader could not make sense of, references to nothing, names that collide,
/// types that no value can have, problems that break the contract.
pub fn lower(
    apis: &[model::Api<'_>],
    catalog: Option<&Catalog>,
    options: &Options,
) -> Result<Api, LowerError> {
    let mut issues = Vec::new();
    let mut apis: Vec<&model::Api<'_>> = apis.iter().collect();
    apis.sort_by_key(|api| (api.format, api.node.tree().source().name()));
    for api in &apis {
        let found = api.document.issues().into_iter().chain(&api.issues);
        issues.extend(
            found
                .filter(|issue| issue.severity() == Severity::Error)
                .map(LowerIssue::of_reader),
        );
    }
    if !issues.is_empty() {
        return Err(LowerError::new(issues));
    }

    let mut types = types::Types::new(&apis);
    let drafts = operations::collect(&apis, &mut types, &mut issues);
    types.settle();
    types.report(&mut issues);
    let mut notes = Vec::new();
    let mut problems = problems::collect(&apis, catalog, &drafts, options, &mut issues, &mut notes);
    let naming::Named {
        definitions,
        nodes,
        map,
        mut taken,
    } = naming::decide(types, options, &mut notes);
    let mut shared_routes = Vec::new();
    let mut operations = operations::finish(
        drafts,
        &map,
        options,
        &mut issues,
        &mut shared_routes,
        &mut notes,
    );
    let requests = requests::split(&definitions, &mut operations, &mut taken);
    for problem in &mut problems {
        let code = &problem.record.code;
        let users = operations
            .iter()
            .filter(|operation| operation.problems.contains(code));
        problem.operations = users.map(|operation| operation.id.clone()).collect();
    }
    let definitions = cycles::mark(definitions, &nodes, &mut issues);

    let mut sources: Vec<String> = apis
        .iter()
        .map(|api| file_name(api.node.tree().source().name()))
        .collect();
    sources.sort();
    sources.dedup();
    let text = |pick: fn(&model::Api<'_>) -> Option<String>| apis.iter().find_map(|api| pick(api));
    let mut servers: Vec<String> = Vec::new();
    for server in apis.iter().flat_map(|api| servers::of(api)) {
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    let slug = apis
        .first()
        .map(|api| api.slug())
        .or_else(|| program(catalog?))
        .filter(|slug| !slug.is_empty())
        .unwrap_or_else(|| "api".to_owned());
    let api = Api {
        title: text(|api| api.title.map(|text| text.as_str().to_owned()))
            .unwrap_or_else(|| slug.clone()),
        slug,
        version: text(|api| api.version.map(|text| text.as_str().to_owned())).unwrap_or_default(),
        description: text(|api| api.purpose.map(|text| text.as_str().trim().to_owned()))
            .unwrap_or_default(),
        servers,
        docs_url: text(|api| api.docs_url.map(|text| text.as_str().to_owned())),
        sources,
        types: definitions,
        requests,
        operations,
        problems,
        shared_routes,
        notes,
    };
    if issues.is_empty() {
        Ok(api)
    } else {
        Err(LowerError::new(issues))
    }
}

/// The package that a catalog is about: the one that declares most of its problems, the framework's own aside.
fn program(catalog: &Catalog) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in &catalog.problems {
        if !record.origin.is_built_in() {
            *counts.entry(&record.origin.package).or_default() += 1;
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, count)| **count);
    let first = || Some(catalog.problems.first()?.origin.package.as_str());
    most.map(|(package, _)| *package)
        .or_else(first)
        .map(str::to_owned)
}

/// The last part of a path: what a header may tell without telling where somebody keeps their files.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

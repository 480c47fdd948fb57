//! Where the parts of a remediation lead, and which words are closed.

use aon_manifest::model::{ErrorResponse, Operation, Remediation, Surface};
use aon_manifest::{Api, Format};

/// The remediation types of contract P5.
pub(crate) const REMEDIATION_TYPES: &[&str] = &[
    "wait_for_provisioning",
    "request_scope_elevation",
    "switch_user",
    "register_custom_domain",
    "none",
];

/// The reasons of contract P5.
pub(crate) const NONE_REASONS: &[&str] = &[
    "no_public_equivalent_exists",
    "auth_required_for_safety",
    "not_yet_implemented",
];

/// Where an address leads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Target {
    /// To an operation of this API.
    Operation,
    /// Out of this API, so nothing can be said.
    Outside,
    /// Nowhere.
    Missing,
}

/// The operation that `METHOD /path`, `/path`, `https://…` or an id leads to.
pub(crate) fn operation<'s, 'a>(api: &'s Api<'a>, text: &str) -> Option<&'s Operation<'a>> {
    let (method, path) = parts(text);
    api.operation(path)
        .or_else(|| api.operation_at(method, path))
}

/// Follows the same.
pub(crate) fn endpoint(api: &Api<'_>, text: &str) -> Target {
    if operation(api, text).is_some() {
        return Target::Operation;
    }
    let (_, path) = parts(text);
    let absolute = path.contains("://");
    let own = absolute
        && api
            .servers
            .iter()
            .any(|server| path.starts_with(server.trim_end_matches('/')));
    if absolute && !own {
        return Target::Outside;
    }
    // A description without paths, such as an agent card, cannot resolve a path.
    let has_paths = api
        .operations
        .iter()
        .any(|operation| operation.path.is_some());
    if path.starts_with('/') && !has_paths {
        return Target::Outside;
    }
    Target::Missing
}

fn parts(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((method, path)) => (Some(method), path.trim()),
        None => (None, text),
    }
}

/// What to do about an address that leads nowhere.
pub(crate) fn advice(api: &Api<'_>, given: &str) -> String {
    let paths = api
        .operations
        .iter()
        .filter_map(|operation| operation.path)
        .map(|path| path.node().text());
    match aon_core::suggest::nearest(given, paths) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "describe that operation, or name one that exists".to_owned(),
    }
}

/// Every remediation that is written in the manifest, the default included.
pub(crate) fn remediations<'a>(api: &Api<'a>) -> impl Iterator<Item = Remediation<'a>> {
    let own = api
        .operations
        .iter()
        .flat_map(|operation| &operation.errors)
        .filter_map(|error| error.remediation);
    own.chain(api.remediation_default)
}

/// Whether an error is described with the contract in mind, so that its parts can be asked for.
pub(crate) fn speaks_aon(error: &ErrorResponse<'_>) -> bool {
    error.code.is_some()
        && (error.native
            || error.remediation.is_some()
            || error.docs_url.is_some()
            || error.mcp_tool.is_some()
            || error.a2a_skill.is_some()
            || error.valid_values.is_some())
}

/// Whether an API has an agent surface, or says that it wants one. Rules about tools and skills are silent about the others.
pub(crate) fn wants_agents(api: &Api<'_>) -> bool {
    let agents = [Surface::Mcp, Surface::A2a];
    let declared = api.declared_surfaces.is_some_and(|node| {
        let named =
            |text: &str| Surface::parse(text).is_some_and(|surface| agents.contains(&surface));
        node.items().any(|item| named(item.text()))
            || node
                .members()
                .any(|member| named(member.name()) && member.value.as_bool() != Some(false))
    });
    let native = api.format == Format::Native && api.declared_surfaces.is_none();
    native
        || declared
        || agents
            .iter()
            .any(|surface| api.surfaces().contains(*surface))
}

#[cfg(test)]
mod tests {
    use aon_core::{NoneReason, RemediationType};

    use super::*;

    #[test]
    fn the_words_are_those_of_the_problem() {
        let types: Vec<_> = RemediationType::ALL
            .iter()
            .map(|word| word.as_str())
            .collect();
        assert_eq!(types, REMEDIATION_TYPES);
        let reasons: Vec<_> = NoneReason::ALL.iter().map(|word| word.as_str()).collect();
        assert_eq!(reasons, NONE_REASONS);
    }
}

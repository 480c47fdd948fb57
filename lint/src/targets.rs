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
    api.operation(path).or_else(|| at(api, method, path))
}

/// The operation that lists choices. It is read, so a path without a method means GET.
pub(crate) fn lister<'s, 'a>(api: &'s Api<'a>, text: &str) -> Option<&'s Operation<'a>> {
    let (method, path) = parts(text);
    api.operation(path)
        .or_else(|| at(api, method.or(Some("GET")), path))
}

/// Follows what [`operation`] follows.
pub(crate) fn endpoint(api: &Api<'_>, text: &str) -> Target {
    follow(api, text, operation(api, text).is_some())
}

/// Follows a `choices_endpoint`.
pub(crate) fn choices(api: &Api<'_>, text: &str) -> Target {
    follow(api, text, lister(api, text).is_some())
}

fn at<'s, 'a>(api: &'s Api<'a>, method: Option<&str>, path: &str) -> Option<&'s Operation<'a>> {
    if path.is_empty() || !is_ours(api, path) {
        return None;
    }
    api.operation_at(method, path)
}

fn follow(api: &Api<'_>, text: &str, found: bool) -> Target {
    if found {
        return Target::Operation;
    }
    let (_, path) = parts(text);
    if path.contains("://") && !is_own_address(api, path) {
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

/// Whether an address is relative, or has the host of one of our servers; without a known host every one may be ours.
fn is_ours(api: &Api<'_>, address: &str) -> bool {
    let Some(host) = host(address) else {
        return true;
    };
    let mut known = api
        .servers
        .iter()
        .filter_map(|server| self::host(server.as_str()))
        .peekable();
    known.peek().is_none() || known.any(|own| own.eq_ignore_ascii_case(host))
}

/// Whether an absolute address has the host of one of our servers for certain.
fn is_own_address(api: &Api<'_>, address: &str) -> bool {
    let own = |server: &str| match (host(server), host(address)) {
        (Some(own), Some(host)) => own.eq_ignore_ascii_case(host),
        _ => false,
    };
    api.servers.iter().any(|server| own(server.as_str()))
}

fn host(address: &str) -> Option<&str> {
    let rest = address.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty()).then_some(host)
}

fn parts(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, path)) if !word.contains('/') => (Some(word), path.trim()),
        _ => (None, text),
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

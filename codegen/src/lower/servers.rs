//! Where an API is served.

use aon_manifest::Node;
use aon_manifest::model::Api;

/// The base addresses, with each variable at its default: nothing that is generated could be called at `https://{region}.example.com`.
pub(super) fn of(api: &Api<'_>) -> Vec<String> {
    if let Some(host) = api.node.get("host").and_then(Node::as_str) {
        let schemes = api.node.get("schemes");
        let listed = || schemes.into_iter().flat_map(Node::items).map(Node::text);
        let safe = listed().find(|scheme| *scheme == "https");
        let scheme = safe.or_else(|| listed().next()).unwrap_or("https");
        let path = api.node.get("basePath").map_or("", Node::text);
        return vec![format!("{scheme}://{host}{}", path.trim_end_matches('/'))];
    }
    let listed = api.node.get("servers");
    let addresses = api.servers.iter().map(|address| {
        let mut servers = listed.into_iter().flat_map(Node::items);
        let server = servers.find(|server| server.get("url") == Some(address.node()));
        let variables = server.and_then(|server| server.get("variables"));
        let variables = variables.into_iter().flat_map(Node::members);
        variables.fold(address.as_str().to_owned(), |text, variable| match variable
            .value
            .get("default")
        {
            Some(value) => text.replace(&format!("{{{}}}", variable.name()), value.text()),
            None => text,
        })
    });
    addresses.collect()
}

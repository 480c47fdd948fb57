//! The route table a program names, and the route that was probably meant.

use std::collections::BTreeMap;
use std::fmt::Debug;

use aon_core::suggest;

/// Known routes, as templates such as `/clusters/{id}`, each with its methods where they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes(Vec<Route>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Route {
    template: String,
    methods: Vec<String>,
}

impl From<String> for Route {
    fn from(template: String) -> Self {
        Self {
            template,
            methods: Vec::new(),
        }
    }
}

impl Routes {
    pub(super) fn add(&mut self, route: Route) {
        let known = self.0.iter().any(|kept| kept.template == route.template);
        if route.template.starts_with('/') && !known {
            self.0.push(route);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a known route serves the path, so that a 404 came from its handler.
    pub(super) fn serves(&self, path: &str) -> bool {
        self.0.iter().any(|route| fits(&route.template, path))
    }

    /// The methods of the route that serves the path, where they are known.
    pub(super) fn methods(&self, path: &str) -> &[String] {
        let route = self.0.iter().find(|route| fits(&route.template, path));
        route.map_or(&[], |route| &route.methods)
    }

    /// The route that `path` unambiguously means.
    pub(super) fn nearest(&self, path: &str) -> Option<&str> {
        let path = path.get(..path.len().min(1024)).unwrap_or(path);
        let path = match path.trim_end_matches('/') {
            "" => path,
            trimmed => trimmed,
        };
        let filled: Vec<(String, &str)> = self
            .0
            .iter()
            .map(|Route { template, .. }| (fill(template, path), &**template))
            .collect();
        let find = |meant: &str| {
            filled
                .iter()
                .find(|(text, _)| text == meant)
                .map(|(_, route)| *route)
        };
        if let Some(meant) = suggest::nearest(path, filled.iter().map(|(text, _)| &**text)) {
            return find(meant);
        }
        // A prefix too many or too few: /clusters for /v1/clusters.
        let mut ends = self.0.iter().map(|route| &*route.template).filter(|route| {
            path.len() > 1 && (route.ends_with(path) || (route.len() > 1 && path.ends_with(route)))
        });
        match (ends.next(), ends.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}

/// The routes of an axum router, as far as its `Debug` form lists them; none when that form ever changes.
pub(super) fn of_router(router: &impl Debug) -> Vec<Route> {
    let text = format!("{router:?}");
    let text = text.split(", fallback_router:").next().unwrap_or_default();
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    let mut methods: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for part in text.split("RouteId(").skip(1) {
        let Some((id, rest)) = part.split_once("): ") else {
            continue;
        };
        if let Some((path, _)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            paths.insert(id, path);
        } else if let Some((_, allow)) = rest.split_once("allow_header: Bytes(b\"")
            && let Some((allow, _)) = allow.split_once('"')
        {
            methods.insert(id, allow.split(',').map(str::to_owned).collect());
        }
    }
    let mut routes: Vec<Route> = paths
        .into_iter()
        .filter(|(_, path)| path.starts_with('/') && !path.contains("__private__axum"))
        .map(|(id, path)| Route {
            template: path.to_owned(),
            methods: methods.remove(id).unwrap_or_default(),
        })
        .collect();
    routes.sort();
    routes
}

impl Routes {
    /// Names and values of the parameters in a path that is served; where several routes fit, of the one with the fewest.
    pub(super) fn parameters<'a>(&'a self, path: &'a str) -> Vec<(&'a str, &'a str)> {
        let of_route = |route: &'a Route| -> Vec<(&'a str, &'a str)> {
            let pairs = route.template.split('/').zip(path.split('/'));
            pairs
                .filter(|(segment, _)| is_parameter(segment) && !is_rest(segment))
                .map(|(segment, value)| (segment.trim_matches(['{', '}', ':']), value))
                .collect()
        };
        let fitting = self.0.iter().filter(|route| fits(&route.template, path));
        fitting
            .map(of_route)
            .min_by_key(Vec::len)
            .unwrap_or_default()
    }
}

fn is_parameter(segment: &str) -> bool {
    (segment.starts_with('{') && segment.ends_with('}')) || segment.starts_with(':')
}

fn is_rest(segment: &str) -> bool {
    segment.starts_with("{*") || segment.starts_with('*')
}

fn fits(route: &str, path: &str) -> bool {
    let mut given = path.split('/');
    for segment in route.split('/') {
        if is_rest(segment) {
            return given.next().is_some_and(|rest| !rest.is_empty());
        }
        match given.next() {
            Some(text) if is_parameter(segment) && !text.is_empty() => {}
            Some(text) if text == segment => {}
            _ => return false,
        }
    }
    given.next().is_none()
}

/// The template with what the path has in the places of its parameters.
fn fill(route: &str, path: &str) -> String {
    let given: Vec<&str> = path.split('/').collect();
    let mut filled: Vec<&str> = Vec::new();
    for (at, segment) in route.split('/').enumerate() {
        if is_rest(segment) {
            filled.extend(given.iter().skip(at));
            break;
        }
        match given.get(at) {
            Some(text) if is_parameter(segment) && !text.is_empty() => filled.push(*text),
            _ => filled.push(segment),
        }
    }
    filled.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Routes {
        let mut routes = Routes::default();
        for route in [
            "/",
            "/v1/clusters",
            "/v1/clusters/{id}",
            "/possibilities/{id}/auth",
            "/files/{*path}",
        ] {
            routes.add(Route::from(route.to_owned()));
        }
        routes
    }

    #[test]
    fn the_nearest_route() {
        let routes = table();
        for (path, meant) in [
            ("/v1/cluster", Some("/v1/clusters")),
            ("/v1/Clusters/", Some("/v1/clusters")),
            ("/clusters", Some("/v1/clusters")),
            ("/v1/clusers/42", Some("/v1/clusters/{id}")),
            ("/possibilites/7/auth", Some("/possibilities/{id}/auth")),
            ("/possibilities/7/oauth", Some("/possibilities/{id}/auth")),
            ("/something/else", None),
            ("", None),
        ] {
            assert_eq!(routes.nearest(path), meant, "{path}");
        }
    }

    #[test]
    fn a_served_path_is_told_from_an_unknown_one() {
        let routes = table();
        for path in ["/", "/v1/clusters", "/v1/clusters/9", "/files/a/b"] {
            assert!(routes.serves(path), "{path}");
        }
        for path in ["/v1", "/v1/clusters/", "/v1/clusters/9/x", "/files"] {
            assert!(!routes.serves(path), "{path}");
        }
    }

    #[test]
    fn an_axum_router_tells_its_routes() {
        let inner = ::axum::Router::<()>::new().route("/b", ::axum::routing::get(async || "b"));
        let router = ::axum::Router::<()>::new()
            .route(
                "/a/{id}",
                ::axum::routing::get(async || "a").delete(async || "a"),
            )
            .fallback(async || "other")
            .nest("/in", inner);
        let routes = of_router(&router);
        let listed: Vec<(&str, String)> = routes
            .iter()
            .map(|route| (&*route.template, route.methods.join(" ")))
            .collect();
        assert_eq!(
            listed,
            [
                ("/a/{id}", "GET HEAD DELETE".to_owned()),
                ("/in/b", "GET HEAD".to_owned())
            ]
        );
    }
}

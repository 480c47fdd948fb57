//! What is known of a request before anybody serves it.

use crate::surface::a2a::Profile;

/// Plain facts of one request or message, from which a [`Scope`](super::Scope) is opened. Nothing is parsed before somebody
/// asks.
///
/// # Examples
///
/// ```
/// use aon::door::{Door, Facts, Scope};
///
/// let facts = Facts::new("mcp").with_trace_parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
/// let scope = Scope::open(&Door::new(), facts);
/// assert_eq!(scope.request_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
/// ```
#[derive(Clone, Debug)]
pub struct Facts {
    pub(super) surface: &'static str,
    pub(super) request_id: Text,
    pub(super) trace_parent: Text,
    pub(super) accept: Text,
    pub(super) method: Text,
    pub(super) path: Text,
    pub(super) profile: Option<Box<Profile>>,
}

impl Facts {
    /// Nothing but the surface the request came in on: `rest`, `mcp`, `a2a`, or one of yours.
    pub const fn new(surface: &'static str) -> Self {
        Self {
            surface,
            request_id: Text::None,
            trace_parent: Text::None,
            accept: Text::None,
            method: Text::None,
            path: Text::None,
            profile: None,
        }
    }

    /// The id the request brought, such as its `X-Request-Id`. One that is not well-formed is not taken.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Text::owned(id);
        self
    }

    /// The `traceparent` the request brought. One that is not well-formed is not taken.
    #[must_use]
    pub fn with_trace_parent(mut self, header: impl Into<String>) -> Self {
        self.trace_parent = Text::owned(header);
        self
    }

    /// The `Accept` of the request; several lines are joined with commas.
    #[must_use]
    pub fn with_accept(mut self, header: impl Into<String>) -> Self {
        self.accept = Text::owned(header);
        self
    }

    /// What was asked for, for the log: the HTTP method, or that of JSON-RPC.
    #[must_use]
    pub fn with_method(mut self, method: impl Into<String>) -> Self {
        self.method = Text::owned(method);
        self
    }

    /// Where it was asked for, for the log: a path, or the name of a tool or skill.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Text::owned(path);
        self
    }

    /// The A2A profile of the answer.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = Some(Box::new(profile));
        self
    }

    /// The surface the request came in on.
    pub fn surface(&self) -> &'static str {
        self.surface
    }
}

/// Text of a request, without a copy where its owner shares it.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    None,
    Owned(Box<str>),
    #[cfg(feature = "http")]
    Header(http::HeaderValue),
    #[cfg(feature = "http")]
    Method(http::Method),
    #[cfg(feature = "http")]
    Path(http::uri::PathAndQuery),
}

impl Text {
    fn owned(text: impl Into<String>) -> Self {
        Self::Owned(text.into().into_boxed_str())
    }

    pub(super) fn get(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Owned(text) => Some(text),
            #[cfg(feature = "http")]
            Self::Header(value) => value.to_str().ok(),
            #[cfg(feature = "http")]
            Self::Method(method) => Some(method.as_str()),
            #[cfg(feature = "http")]
            Self::Path(path) => Some(path.path()),
        }
    }
}

#[cfg(feature = "axum")]
pub(crate) use of_http::Kept;

#[cfg(feature = "http")]
mod of_http {
    use http::header::{ACCEPT, HeaderName, HeaderValue};
    #[cfg(feature = "axum")]
    use http::uri::PathAndQuery;
    use http::{HeaderMap, Method, Uri};

    use super::{Facts, Text};

    // A name that is known while compiling is compared in two instructions.
    const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
    const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

    /// What the layer keeps of a request in case it fails. Most succeed, and most of those bring nothing but a method and a path,
    /// so that nothing is allocated for them.
    #[cfg(feature = "axum")]
    #[derive(Debug)]
    pub(crate) enum Kept {
        Plain(Method, Option<PathAndQuery>),
        Facts(Box<Facts>),
    }

    #[cfg(feature = "axum")]
    impl Kept {
        #[inline]
        pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
            let told = headers.iter().any(|(name, value)| {
                *name == ACCEPT && value != "*/*" || *name == X_REQUEST_ID || *name == TRACEPARENT
            });
            if told {
                return Self::facts(method, uri, headers);
            }
            Self::Plain(method.clone(), uri.path_and_query().cloned())
        }

        #[inline(never)]
        fn facts(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
            Self::Facts(Box::new(Facts::of_http("rest", method, uri, headers)))
        }

        pub(crate) fn take(&mut self) -> Facts {
            match std::mem::replace(self, Self::Plain(Method::GET, None)) {
                Self::Facts(facts) => *facts,
                Self::Plain(method, path) => Facts {
                    method: Text::Method(method),
                    path: path.map_or(Text::None, Text::Path),
                    ..Facts::new("rest")
                },
            }
        }
    }

    impl Facts {
        /// The facts of an HTTP request. Values are shared, not copied, and only those that matter.
        #[inline]
        pub fn of_http(
            surface: &'static str,
            method: &Method,
            uri: &Uri,
            headers: &HeaderMap,
        ) -> Self {
            let mut facts = Self::new(surface);
            facts.method = Text::Method(method.clone());
            if let Some(path) = uri.path_and_query() {
                facts.path = Text::Path(path.clone());
            }
            // One pass over a few names is cheaper than three look-ups.
            for (name, value) in headers {
                if *name == ACCEPT {
                    facts.add_accept(value);
                } else if *name == X_REQUEST_ID {
                    facts.request_id = Text::Header(value.clone());
                } else if *name == TRACEPARENT {
                    facts.trace_parent = Text::Header(value.clone());
                }
            }
            facts
        }

        /// Several lines are one list.
        #[inline]
        fn add_accept(&mut self, value: &HeaderValue) {
            self.accept = match self.accept.get() {
                None => Text::Header(value.clone()),
                Some(before) => {
                    let more = value.to_str().unwrap_or_default();
                    Text::owned(format!("{before},{more}"))
                }
            };
        }
    }
}

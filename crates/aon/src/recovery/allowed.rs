//! What the caller allows a server to make it do, and how much.

use serde::{Deserialize, Serialize};

use super::Effect;

/// What the caller allows.
///
/// By default a failed call may be corrected and repeated, operations that only read may be called, and the server the call
/// went to may be read; no scope, no other user, no other host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Allowed {
    /// Hosts, with their port where they have one, that may be read besides the one the call went to.
    pub hosts: Vec<String>,
    /// Operations that may be called although they do something.
    pub operations: Vec<String>,
    /// Scopes that may be asked for.
    pub scopes: Vec<String>,
    /// Whether another user may be acted as.
    pub users: bool,
    /// The top-level arguments that may be changed; `None` allows each that a problem names.
    pub fields: Option<Vec<String>>,
    /// The most an operation that was not named in `operations` may do.
    pub effects: Effect,
}

impl Default for Allowed {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            operations: Vec::new(),
            scopes: Vec::new(),
            users: false,
            fields: None,
            effects: Effect::Safe,
        }
    }
}

impl Allowed {
    /// Whether the argument at a pointer may be changed.
    pub(super) fn field(&self, pointer: &str) -> bool {
        let Some(fields) = &self.fields else {
            return true;
        };
        let first = aon_core::pointer::tokens(pointer).next();
        first.is_some_and(|first| fields.iter().any(|field| *field == first))
    }

    /// Whether an operation of this effect may be called.
    pub(super) fn operation(&self, name: &str, effect: Effect) -> bool {
        effect <= self.effects || self.operations.iter().any(|known| known == name)
    }

    /// Whether each of some scopes may be asked for.
    pub(super) fn scope(&self, scopes: &str) -> bool {
        let mut words = scopes.split_whitespace();
        words.all(|word| self.scopes.iter().any(|known| known == word))
    }

    /// Whether a place may be read: relative to the server, or on a host that was named.
    pub(super) fn url(&self, url: &str) -> bool {
        let Some((scheme, rest)) = url.split_once("://") else {
            // `//host/path` is another host; `mailto:x` is not a place to read.
            return url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
        };
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        matches!(scheme, "http" | "https")
            && !authority.contains('@')
            && self
                .hosts
                .iter()
                .any(|host| host.eq_ignore_ascii_case(authority))
    }
}

/// How much a recovery may spend, after the call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Budget {
    /// Further calls, those for help among them.
    pub calls: u32,
    /// Milliseconds, waiting included.
    pub millis: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            calls: 6,
            millis: 60_000,
        }
    }
}

impl Budget {
    /// So many further calls, and so many milliseconds.
    pub const fn new(calls: u32, millis: u64) -> Self {
        Self { calls, millis }
    }
}

//! Whose a session is ([L8]): a small trait from a request to who sent it.
//!
//! [L8]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l8

use std::fmt;

use http::request::Parts;

use crate::settings::Environment;

#[cfg(feature = "jwt")]
pub(crate) mod jwt;

/// Who sent a request, as far as the program knows.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The name that owns sessions; the tenant belongs in it where there are tenants.
    pub subject: String,
    /// Whether it may follow and cancel everybody's sessions.
    pub operator: bool,
    /// Whether it may answer for a step that cannot repair itself; reading does not give that right.
    pub healer: bool,
    /// Whether it sees the details of `intent_analysis` and `healing` in production.
    pub admin: bool,
    /// Unix seconds: its streams end then.
    pub expires_at: Option<u64>,
}

impl Caller {
    /// An ordinary caller.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            operator: false,
            healer: false,
            admin: false,
            expires_at: None,
        }
    }

    /// A caller who may follow and cancel everybody's sessions.
    #[must_use]
    pub const fn operator(mut self) -> Self {
        self.operator = true;
        self
    }

    /// A caller who may answer for steps that cannot repair themselves, in the sessions it may see.
    #[must_use]
    pub const fn healer(mut self) -> Self {
        self.healer = true;
        self
    }

    /// A caller who sees details in production, and may heal.
    #[must_use]
    pub const fn admin(mut self) -> Self {
        self.admin = true;
        self.healer = true;
        self
    }

    /// A caller whose right ends at that time, in unix seconds.
    #[must_use]
    pub const fn until(mut self, expires_at: u64) -> Self {
        self.expires_at = Some(expires_at);
        self
    }

    /// Whether it may answer for a session of that owner, which it may see.
    pub(crate) fn may_heal(caller: Option<&Self>, owner: Option<&Self>) -> bool {
        // Whoever holds the id of an anonymous caller's session is as good as that caller.
        owner.is_none() || caller.is_some_and(|caller| caller.healer || caller.operator)
    }

    /// Whether it sees details.
    pub(crate) fn sees_detail(caller: Option<&Self>, environment: Environment) -> bool {
        environment == Environment::Development || caller.is_some_and(|caller| caller.admin)
    }

    /// Whether it may see a session of that owner.
    pub(crate) fn may_see(caller: Option<&Self>, owner: Option<&Self>) -> bool {
        match (caller, owner) {
            // Whoever holds the id of an anonymous caller's session may follow it.
            (_, None) => true,
            (Some(caller), Some(owner)) => caller.operator || caller.subject == owner.subject,
            (None, Some(_)) => false,
        }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            self.subject,
            if self.operator { " (operator)" } else { "" }
        )
    }
}

/// From a request to who sent it. `None` is an anonymous caller; refusing bad credentials is the business of the layer
/// that checks them, around this one.
pub trait Identify: Send + Sync + 'static {
    /// Who sent it.
    fn identify(&self, request: &Parts) -> Option<Caller>;

    /// The same for credentials that can be wrong: then the request is refused with 401. Without credentials a caller is
    /// anonymous.
    ///
    /// # Errors
    ///
    /// When there are credentials, and they are not good.
    fn admit(&self, request: &Parts) -> Result<Option<Caller>, BadCredentials> {
        Ok(self.identify(request))
    }
}

/// Credentials that are not good. Why is for the log, and not for whoever showed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadCredentials;

impl fmt::Display for BadCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the credentials are not good")
    }
}

impl std::error::Error for BadCredentials {}

impl BadCredentials {
    /// Credentials that are not good.
    pub const fn new() -> Self {
        Self
    }
}

impl Default for BadCredentials {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Fn(&Parts) -> Option<Caller> + Send + Sync + 'static> Identify for F {
    fn identify(&self, request: &Parts) -> Option<Caller> {
        self(request)
    }
}

/// Everybody is anonymous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nobody;

impl Identify for Nobody {
    fn identify(&self, _: &Parts) -> Option<Caller> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_open_to_its_owner_and_to_operators() {
        let (ann, bob) = (Caller::new("ann"), Caller::new("bob"));
        let root = Caller::new("root").operator();
        let sees = |caller, owner| Caller::may_see(caller, owner);
        assert!(sees(Some(&ann), Some(&ann)));
        assert!(sees(Some(&root), Some(&ann)));
        assert!(!sees(Some(&bob), Some(&ann)));
        assert!(!sees(None, Some(&ann)));
        assert!(sees(None, None) && sees(Some(&bob), None));
    }
}

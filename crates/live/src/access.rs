//! Whose a session is (L8): a small trait from a request to who sent it.

use std::fmt;

use http::request::Parts;

/// Who sent a request, as far as the program knows.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The name that owns sessions; the tenant belongs in it where there are tenants.
    pub subject: String,
    /// Whether it may follow and cancel everybody's sessions.
    pub operator: bool,
}

impl Caller {
    /// An ordinary caller.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            operator: false,
        }
    }

    /// A caller who may follow and cancel everybody's sessions.
    #[must_use]
    pub const fn operator(mut self) -> Self {
        self.operator = true;
        self
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

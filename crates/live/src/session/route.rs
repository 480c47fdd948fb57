//! What the route of a session says about it.

use crate::store::WhenGone;

#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    /// What happens while the store does not answer; as the store says unless set.
    pub(crate) when_gone: Option<WhenGone>,
    /// `status` events stay on the machine that says them.
    pub(crate) local_status: bool,
    /// The request, where another machine may run it again.
    pub(crate) again: Option<String>,
}

impl Route {
    /// Goes on whatever happens to the store.
    pub(crate) const fn in_memory() -> Self {
        Self {
            when_gone: Some(WhenGone::Memory),
            local_status: false,
            again: None,
        }
    }
}

//! One store for several hubs.

use std::sync::Arc;

use super::{About, Answer, Durability, Inbox, Log, Posted, Store, WhenGone};
use crate::id::SessionId;

/// A store in an `Arc` is the same store: several hubs keep their sessions in it, and each serves those of the others.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn create(&self, id: SessionId, about: About) -> Option<Arc<dyn Log>> {
        (**self).create(id, about)
    }

    fn open(&self, id: SessionId) -> Answer<Option<Arc<dyn Log>>> {
        (**self).open(id)
    }

    fn remove(&self, id: SessionId) -> Answer<()> {
        (**self).remove(id)
    }

    fn once(&self, key: [u8; 16], milliseconds: u64) -> Answer<bool> {
        (**self).once(key, milliseconds)
    }

    fn put(&self, key: [u8; 32], value: Vec<u8>, milliseconds: u64) -> Answer<bool> {
        (**self).put(key, value, milliseconds)
    }

    fn take(&self, key: [u8; 32]) -> Answer<Option<Vec<u8>>> {
        (**self).take(key)
    }

    fn held(&self) -> usize {
        (**self).held()
    }

    fn durability(&self) -> Durability {
        (**self).durability()
    }

    fn attend(&self, inbox: Arc<dyn Inbox>) {
        (**self).attend(inbox);
    }

    fn post(&self, id: SessionId, letter: Vec<u8>) -> Answer<Posted> {
        (**self).post(id, letter)
    }

    fn trouble(&self) -> Option<String> {
        (**self).trouble()
    }

    fn keeps(&self) -> bool {
        (**self).keeps()
    }

    fn when_gone(&self) -> WhenGone {
        (**self).when_gone()
    }

    fn node(&self) -> Option<&str> {
        (**self).node()
    }

    fn close(&self) -> Answer<()> {
        (**self).close()
    }
}

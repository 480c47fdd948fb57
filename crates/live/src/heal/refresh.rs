//! A new credential, once, for all who wait for one.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aon_core::Status;

use super::key;
use super::strategy::{Failed, Remedy, Strategy};
use crate::session::Session;
use crate::sync::{Mutex, locked};

const ACTION: &str = "refresh_token";

/// On a 401, renews the credential once and runs the step again.
///
/// Steps of one session that stand at the same place of the program share one renewal: who fails while it is under way waits for
/// it, and who failed with the old credential does not renew again. Across sessions, keep one `Refresh` and give clones
/// of it to the steps.
#[derive(Clone)]
pub struct Refresh<F> {
    renew: F,
    flight: Option<Arc<Flight>>,
    site: &'static Location<'static>,
    used: bool,
}

/// One renewal at a time.
#[derive(Debug, Default)]
struct Flight {
    turn: tokio::sync::Mutex<()>,
    /// The moment of the last one; attempts have moments too.
    done: AtomicU64,
}

/// The renewals of a session, by their place in the program.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<Vec<(&'static Location<'static>, Arc<Flight>)>>);

impl Flights {
    fn at(&self, site: &'static Location<'static>) -> Arc<Flight> {
        let mut all = locked(&self.0);
        if let Some((_, flight)) = all.iter().find(|(known, _)| *known == site) {
            return Arc::clone(flight);
        }
        let flight = Arc::<Flight>::default();
        all.push((site, Arc::clone(&flight)));
        flight
    }
}

impl<F, Fut, E> Refresh<F>
where
    F: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<(), E>> + Send,
{
    /// A way to renew the credential.
    #[track_caller]
    pub fn new(renew: F) -> Self {
        Self {
            renew,
            flight: None,
            site: Location::caller(),
            used: false,
        }
    }

    /// The same, to be cloned into steps of different sessions, which then share each renewal.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.flight = Some(Arc::default());
        self
    }
}

impl<R, F, Fut, E> Strategy<R> for Refresh<F>
where
    R: Send,
    F: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<(), E>> + Send,
    E: Send,
{
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        let refused = failed.problem().status().map(Status::as_u16) == Some(401);
        if !refused || self.used {
            return Remedy::decline();
        }
        self.used = true;
        let site = self.site;
        let flight = self.flight.get_or_insert_with(|| {
            let flights = failed.session.map(Session::flights);
            flights.map_or_else(Arc::default, |flights| flights.at(site))
        });
        // Dropped in the middle, the turn is given back and the next one renews.
        let turn = flight.turn.lock().await;
        // Renewed after the attempt had begun: it failed with the old credential.
        if flight.done.load(Ordering::Acquire) > failed.began {
            drop(turn);
            return Remedy::retry(ACTION).because("Another step had renewed the credential.");
        }
        if (self.renew)().await.is_err() {
            drop(turn);
            failed.tried(ACTION, "The credential could not be renewed.");
            return Remedy::decline();
        }
        flight.done.store(key::moment(), Ordering::Release);
        drop(turn);
        Remedy::retry(ACTION).because("The credential was renewed.")
    }
}

impl<F> fmt::Debug for Refresh<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refresh").finish_non_exhaustive()
    }
}

//! Tickets: single-use, short-lived rights to read one session, for browsers, which cannot send headers on a stream.

use std::fmt::Write as _;

use http::header::ORIGIN;
use http::request::Parts;

use crate::hub::Hub;
use crate::hub::live::Live;
use crate::id::SessionId;
use crate::sync::locked;
use crate::time::Tick;

/// How long a ticket is good, in milliseconds.
pub(crate) const LIFETIME: u64 = 30_000;
/// How many tickets of one session may be good at a time.
const PER_SESSION: usize = 32;

/// The longest origin that a ticket is bound to.
const LONGEST_ORIGIN: usize = 256;

/// What a ticket gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket;

/// Until when the tickets are good that a session gave out here. Time comes in as an argument.
#[derive(Debug, Default)]
pub(crate) struct Issued(Vec<Tick>);

impl Issued {
    /// Whether one more may be given out.
    fn admit(&mut self, now: Tick, lifetime: u64) -> bool {
        self.0.retain(|until| *until > now);
        let room = self.0.len() < PER_SESSION;
        if room {
            self.0.push(now.plus(lifetime));
        }
        room
    }

    /// One was used: another may take its place.
    fn used(&mut self) {
        self.0.pop();
    }
}

impl Hub {
    /// Gives out a ticket, which whoever shares the store takes. `None` when too many are out, or the system has no
    /// randomness to give.
    pub(super) async fn issue(
        &self,
        live: &Live,
        origin: Option<&str>,
        now: Tick,
        lifetime: u64,
    ) -> Option<String> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        if !locked(&live.tickets).admit(now, lifetime) {
            return None;
        }
        let mut right = live.origin.session.as_bytes().to_vec();
        right.extend_from_slice(origin.unwrap_or_default().as_bytes());
        let kept = self.0.store.put(secret, right, lifetime).wait().await;
        kept.then(|| written(&secret))
    }

    /// Uses a ticket up, whatever it is shown for: one that was tried elsewhere is spent too.
    pub(super) async fn redeem(
        &self,
        secret: &str,
        session: SessionId,
        origin: Option<&str>,
    ) -> Option<Ticket> {
        let right = self.0.store.take(bytes(secret)?).wait().await?;
        let meant = right.strip_prefix(session.as_bytes())?;
        // A browser does not name the origin of a page in every request to that same origin.
        let fits = meant.is_empty() || origin.is_none_or(|origin| origin.as_bytes() == meant);
        fits.then_some(Ticket)
    }
}

/// The origin of the page a request comes from, where a browser says it.
pub(super) fn origin(parts: &Parts) -> Option<&str> {
    let origin = parts.headers.get(ORIGIN)?.to_str().ok()?;
    Some(origin).filter(|origin| origin.len() <= LONGEST_ORIGIN)
}

/// Gives back the room of a ticket that was used.
pub(super) fn used(live: &Live) {
    locked(&live.tickets).used();
}

fn written(secret: &[u8; 32]) -> String {
    let mut text = String::with_capacity(64);
    for byte in secret {
        // Writing into a string does not fail.
        let _: std::fmt::Result = write!(text, "{byte:02x}");
    }
    text
}

/// The ticket in a request: in the query, or as a subprotocol `ticket.<…>` of a WebSocket.
pub(super) fn presented(parts: &Parts) -> Option<String> {
    let protocols = parts.headers.get_all("sec-websocket-protocol").iter();
    let offered = protocols
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .find_map(|word| word.trim().strip_prefix("ticket."))
        .map(str::to_owned);
    offered.or_else(|| super::query(parts, "ticket"))
}

fn bytes(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut out = [0; 32];
    for (at, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_are_out() {
        let mut issued = Issued::default();
        let given =
            |issued: &mut Issued, now| (0..100).filter(|_| issued.admit(now, LIFETIME)).count();
        assert_eq!(given(&mut issued, Tick(0)), PER_SESSION);
        issued.used();
        assert_eq!(given(&mut issued, Tick(1)), 1);
        assert_eq!(given(&mut issued, Tick(LIFETIME)), PER_SESSION - 1);
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let secret = std::array::from_fn(|at| u8::try_from(at * 7).unwrap());
        assert_eq!(bytes(&written(&secret)), Some(secret));
        for wrong in ["", "zz", &"0".repeat(63), &"+f".repeat(32), &"é".repeat(32)] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}

//! Tickets: single-use, short-lived rights to read one session, for browsers, which cannot send headers on a stream.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::request::Parts;

use crate::id::SessionId;
use crate::time::Tick;

/// How long a ticket is good, in milliseconds.
pub(crate) const LIFETIME: u64 = 30_000;
/// How many unused tickets one session may have.
const PER_SESSION: usize = 32;
/// How many unused tickets there may be.
const ALL: usize = 65_536;

/// What a ticket gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket;

/// The tickets that are out. Time comes in as an argument.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    out: BTreeMap<[u8; 32], (SessionId, Tick)>,
}

impl Tickets {
    /// Makes a ticket; `None` when too many are out, or the system has no randomness to give.
    pub(crate) fn issue(&mut self, session: SessionId, now: Tick, lifetime: u64) -> Option<String> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        self.admit(secret, session, now, lifetime)
    }

    fn admit(
        &mut self,
        secret: [u8; 32],
        session: SessionId,
        now: Tick,
        lifetime: u64,
    ) -> Option<String> {
        let of_session = self
            .out
            .values()
            .filter(|(id, until)| *id == session && *until > now);
        if of_session.count() >= PER_SESSION {
            return None;
        }
        if self.out.len() >= ALL {
            self.sweep(now);
        }
        if self.out.len() >= ALL {
            return None;
        }
        self.out.insert(secret, (session, now.plus(lifetime)));
        let mut text = String::with_capacity(64);
        for byte in secret {
            // Writing into a string does not fail.
            let _: std::fmt::Result = write!(text, "{byte:02x}");
        }
        Some(text)
    }

    /// Uses a ticket up, whatever it is shown for: one that was tried elsewhere is spent too.
    pub(crate) fn take(&mut self, secret: &str, session: SessionId, now: Tick) -> Option<Ticket> {
        let (id, until) = self.out.remove(&bytes(secret)?)?;
        (id == session && now < until).then_some(Ticket)
    }

    /// Forgets what can no longer be used.
    pub(crate) fn sweep(&mut self, now: Tick) {
        self.out.retain(|_, (_, until)| *until > now);
    }
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

    const ANN: SessionId = SessionId::from_bytes([1; 16]);
    const BOB: SessionId = SessionId::from_bytes([2; 16]);

    #[test]
    fn a_ticket_is_good_once_for_its_session_and_for_a_while() {
        let mut tickets = Tickets::default();
        let now = Tick(1000);
        let ticket = tickets.issue(ANN, now, LIFETIME).unwrap();
        assert_eq!(tickets.take(&ticket, ANN, now), Some(Ticket));
        assert_eq!(tickets.take(&ticket, ANN, now), None, "used");
        let stolen = tickets.issue(ANN, now, LIFETIME).unwrap();
        assert_eq!(tickets.take(&stolen, BOB, now), None, "of another session");
        assert_eq!(
            tickets.take(&stolen, ANN, now),
            None,
            "spent by the attempt"
        );
        let late = tickets.issue(ANN, now, LIFETIME).unwrap();
        assert_eq!(tickets.take(&late, ANN, now.plus(LIFETIME)), None, "late");
        for wrong in ["", "zz", &"0".repeat(64), &"é".repeat(32)] {
            assert_eq!(tickets.take(wrong, ANN, now), None);
        }
    }

    #[test]
    fn only_so_many_are_out() {
        let mut tickets = Tickets::default();
        let issued = (0..100)
            .filter_map(|_| tickets.issue(ANN, Tick(0), LIFETIME))
            .count();
        assert_eq!(issued, PER_SESSION);
        assert!(tickets.issue(BOB, Tick(0), LIFETIME).is_some());
        assert!(tickets.issue(ANN, Tick(LIFETIME), LIFETIME).is_some());
    }
}

//! Names of things: sessions, traces, numberings, and places in them.

use std::fmt;

use serde::{Serialize, Serializer};

/// A session: 128 random bits, written as 32 hexadecimal digits.
///
/// Anyone who holds the id of an anonymous caller's session may follow it, so it comes from the system's generator and from
/// nowhere else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId([u8; 16]);

/// A W3C trace id: 32 hexadecimal digits, not all zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId([u8; 16]);

/// The identity of one numbering: two events with the same number and different epochs are different events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u32);

/// The number of an event in its session, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u64);

/// The count of a session's owners, from 1: it grows with each, and the store takes nothing from an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u64);

/// The id of an event, `<epoch>-<seq>`: the same on every channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "L3 says what an id is made of")]
pub struct EventId {
    /// The numbering.
    pub epoch: Epoch,
    /// The place in it.
    pub seq: Seq,
}

/// What a reader claims to have seen last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a claim is nothing, an id, or a text that is not one"
)]
pub enum Cursor {
    /// Nothing yet: absent, empty, `0` or `earliest`.
    #[default]
    Start,
    /// Everything up to this event.
    After(EventId),
    /// A text that is not an id of ours, shortened.
    Foreign(String),
}

/// The longest cursor that is echoed.
const LONGEST_CURSOR: usize = 64;

impl SessionId {
    /// The id made of these bytes; take them from a generator nobody can guess.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Reads 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        hex16(text).map(Self)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl TraceId {
    /// The smallest one, for want of a better.
    pub(crate) const fn least() -> Self {
        Self([1; 16])
    }

    /// The id made of these bytes; `None` when all are zero.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        (bytes != [0; 16]).then_some(Self(bytes))
    }

    /// Reads 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        hex16(text).and_then(Self::from_bytes)
    }

    /// The trace id of a `traceparent` header.
    pub fn of_traceparent(header: &str) -> Option<Self> {
        Self::parse(aon_core::ids::trace_id(header)?)
    }
}

impl Epoch {
    /// The epoch with these bits.
    pub const fn new(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl Seq {
    /// Before the first event.
    pub const ZERO: Self = Self(0);
    /// The number of the first event.
    pub const FIRST: Self = Self(1);

    /// The number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Term {
    /// Of the node that made the session.
    pub const FIRST: Self = Self(1);

    /// The count.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// That of the next owner.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl EventId {
    /// Reads `<8 hexadecimal digits>-<number>`.
    pub fn parse(text: &str) -> Option<Self> {
        let (epoch, seq) = text.split_once('-')?;
        let plain = epoch.len() == 8
            && epoch.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !seq.is_empty()
            && seq.bytes().all(|byte| byte.is_ascii_digit());
        if !plain {
            return None;
        }
        Some(Self {
            epoch: Epoch(u32::from_str_radix(epoch, 16).ok()?),
            // Digits alone fail only by being too many, and no event is that far ahead.
            seq: Seq(seq.parse().unwrap_or(u64::MAX)),
        })
    }
}

impl Cursor {
    /// Reads what a reader sent as `Last-Event-ID`, in the query, or in a message. Nothing is refused: a text that is
    /// not an id of ours is answered with a `gap`.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() || text == "0" || text == "earliest" {
            return Self::Start;
        }
        EventId::parse(text).map_or_else(
            || {
                let kept = text.chars().filter(char::is_ascii_graphic);
                Self::Foreign(kept.take(LONGEST_CURSOR).collect())
            },
            Self::After,
        )
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("0"),
            Self::After(id) => id.fmt(f),
            Self::Foreign(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.epoch, self.seq)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Seq {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

macro_rules! hexadecimal {
    ($name:ident) => {
        impl $name {
            /// The 32 digits, without an allocation.
            pub fn digits(&self) -> Digits {
                Digits::of(self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.digits().as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.digits().as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.digits().as_str())
            }
        }
    };
}

hexadecimal!(SessionId);
hexadecimal!(TraceId);

/// 32 hexadecimal digits on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Digits([u8; 32]);

impl Digits {
    fn of(bytes: [u8; 16]) -> Self {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [b'0'; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
            if let [high, low] = pair {
                *high = HEX[usize::from(byte >> 4)];
                *low = HEX[usize::from(byte & 15)];
            }
        }
        Self(digits)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

fn hex16(text: &str) -> Option<[u8; 16]> {
    let text = text.as_bytes();
    if text.len() != 32 {
        return None;
    }
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        if pair.starts_with('+') {
            return None;
        }
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_written() {
        let id = EventId {
            epoch: Epoch::new(0x1a2b),
            seq: Seq::new(7),
        };
        assert_eq!(id.to_string(), "00001a2b-7");
        assert_eq!(EventId::parse("00001a2b-7"), Some(id));
        assert_eq!(Cursor::parse(" 00001a2b-7 "), Cursor::After(id));
        for text in ["", "0", "earliest"] {
            assert_eq!(Cursor::parse(text), Cursor::Start);
        }
        for text in ["7", "-7", "00001a2b-", "00001a2b-+7", "+0001a2b-7", "é"] {
            assert!(matches!(Cursor::parse(text), Cursor::Foreign(_)), "{text}");
        }
        let far = EventId {
            epoch: Epoch::new(0x1a2b),
            seq: Seq::new(u64::MAX),
        };
        let digits = format!("00001a2b-{}", "9".repeat(30));
        assert_eq!(Cursor::parse(&digits), Cursor::After(far));
        assert!(Cursor::parse(&"x".repeat(10_000)).to_string().len() <= LONGEST_CURSOR);
    }

    #[test]
    fn a_traceparent_gives_its_trace_id_or_nothing() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let given = |header: &str| TraceId::of_traceparent(header).map(|id| id.to_string());
        for header in [
            format!("00-{trace}-00f067aa0ba902b7-01"),
            format!("cc-{trace}-00f067aa0ba902b7-01-what-comes-later"),
        ] {
            assert_eq!(given(&header).as_deref(), Some(trace), "{header}");
        }
        for header in [
            String::new(),
            trace.to_owned(),
            format!("ff-{trace}-00f067aa0ba902b7-01"),
            format!("00-{trace}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{trace}-00f067aa0ba902b7"),
            format!("00-{trace}-00f067aa0ba902b7-01-more"),
        ] {
            assert_eq!(given(&header), None, "{header}");
        }
    }
}

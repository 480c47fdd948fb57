//! The status of a problem: 400..=599, nothing else can be built.

use std::fmt;

use serde::{Serialize, Serializer};

/// An error status, 400 to 599 ([P2]).
///
/// # Examples
///
/// ```
/// use aon_core::Status;
///
/// assert_eq!(Status::new(422)?.phrase(), "Unprocessable Content");
/// assert!(Status::new(200).is_err());
/// # Ok::<(), aon_core::InvalidStatus>(())
/// ```
///
/// [P2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p2
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(u16);

impl Status {
    /// Checks the number.
    ///
    /// # Errors
    ///
    /// When it is outside 400..=599.
    pub const fn new(number: u16) -> Result<Self, InvalidStatus> {
        if number >= 400 && number <= 599 {
            Ok(Self(number))
        } else {
            Err(InvalidStatus(number as u64))
        }
    }

    /// A status known while compiling; a wrong one does not compile in a `const`.
    ///
    /// # Panics
    ///
    /// When the number is outside 400..=599.
    #[expect(
        clippy::panic,
        reason = "meant for constants, where the panic is a compile error"
    )]
    pub const fn from_static(number: u16) -> Self {
        match Self::new(number) {
            Ok(status) => status,
            Err(_) => panic!("status must be 400..=599"),
        }
    }

    /// The number.
    pub const fn as_u16(self) -> u16 {
        self.0
    }

    /// Whether the server is at fault (5xx).
    pub const fn is_server_error(self) -> bool {
        self.0 >= 500
    }

    /// The phrase registered for this number, or that of its class.
    pub const fn phrase(self) -> &'static str {
        match self.0 {
            401 => "Unauthorized",
            402 => "Payment Required",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            406 => "Not Acceptable",
            407 => "Proxy Authentication Required",
            408 => "Request Timeout",
            409 => "Conflict",
            410 => "Gone",
            411 => "Length Required",
            412 => "Precondition Failed",
            413 => "Content Too Large",
            414 => "URI Too Long",
            415 => "Unsupported Media Type",
            416 => "Range Not Satisfiable",
            417 => "Expectation Failed",
            421 => "Misdirected Request",
            422 => "Unprocessable Content",
            423 => "Locked",
            424 => "Failed Dependency",
            425 => "Too Early",
            426 => "Upgrade Required",
            428 => "Precondition Required",
            429 => "Too Many Requests",
            431 => "Request Header Fields Too Large",
            451 => "Unavailable For Legal Reasons",
            501 => "Not Implemented",
            502 => "Bad Gateway",
            503 => "Service Unavailable",
            504 => "Gateway Timeout",
            505 => "HTTP Version Not Supported",
            506 => "Variant Also Negotiates",
            507 => "Insufficient Storage",
            508 => "Loop Detected",
            511 => "Network Authentication Required",
            400..=499 => "Bad Request",
            _ => "Internal Server Error",
        }
    }
}

impl TryFrom<u16> for Status {
    type Error = InvalidStatus;

    fn try_from(number: u16) -> Result<Self, InvalidStatus> {
        Self::new(number)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.0)
    }
}

/// A number that is not an error status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidStatus(pub(crate) u64);

impl fmt::Display for InvalidStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {} is not an error status; use 400..=599", self.0)
    }
}

impl std::error::Error for InvalidStatus {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_error_statuses_can_be_built() {
        for number in [0, 99, 100, 200, 399, 600, 9999] {
            assert!(Status::new(number).is_err(), "{number}");
        }
        for number in 400..=599 {
            assert!(!Status::from_static(number).phrase().is_empty());
        }
    }
}

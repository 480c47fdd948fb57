//! The status of a response as a manifest writes it.

use std::fmt;

/// A status: one code, a class such as `4XX`, or `default`.
#[expect(
    clippy::exhaustive_enums,
    reason = "OpenAPI knows exactly these three spellings"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Status {
    /// One code.
    Code(u16),
    /// All codes that start with this digit.
    Class(u8),
    /// Whatever is not listed.
    Default,
}

impl Status {
    /// Reads `404`, `4XX`, `4xx` or `default`.
    pub fn parse(text: &str) -> Option<Status> {
        if let [a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] = text.as_bytes() {
            let digit = |byte: &u8| u16::from(byte - b'0');
            return Some(Status::Code(digit(a) * 100 + digit(b) * 10 + digit(c)));
        }
        let text = text.trim();
        if text.eq_ignore_ascii_case("default") {
            return Some(Status::Default);
        }
        match text.as_bytes() {
            [digit @ b'1'..=b'5', b'x' | b'X', b'x' | b'X'] => Some(Status::Class(digit - b'0')),
            [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9'] => text.parse().ok().map(Status::Code),
            _ => None,
        }
    }

    /// Whether it is in 400..=499.
    pub fn is_client_error(self) -> bool {
        matches!(self, Status::Code(400..=499) | Status::Class(4))
    }

    /// Whether it is in 500..=599.
    pub fn is_server_error(self) -> bool {
        matches!(self, Status::Code(500..=599) | Status::Class(5))
    }

    /// Whether it is in 400..=599. `default` is not, because it covers successes as well.
    pub fn is_error(self) -> bool {
        self.is_client_error() || self.is_server_error()
    }

    /// The code, when it is exactly one.
    pub fn code(self) -> Option<u16> {
        match self {
            Status::Code(code) => Some(code),
            Status::Class(_) | Status::Default => None,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Code(code) => write!(f, "{code}"),
            Status::Class(digit) => write!(f, "{digit}XX"),
            Status::Default => f.write_str("default"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_as_written() {
        assert_eq!(Status::parse("404"), Some(Status::Code(404)));
        assert_eq!(Status::parse("5xx"), Some(Status::Class(5)));
        assert_eq!(Status::parse("Default"), Some(Status::Default));
        assert_eq!(Status::parse("4044"), None);
        assert_eq!(Status::parse("x-note"), None);
        assert!(Status::Class(4).is_client_error() && !Status::Default.is_error());
        assert_eq!(Status::Class(5).to_string(), "5XX");
    }
}

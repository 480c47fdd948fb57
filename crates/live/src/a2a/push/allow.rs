//! Where an operator lets notifications go.

use http::Uri;

/// An origin: what an operator allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    secure: bool,
    host: String,
    /// Every one where it is not there.
    port: Option<u16>,
}

impl Allowed {
    /// Reads `https://hooks.example.com`, `http://127.0.0.1:8080` or `http://localhost:*`.
    pub(super) fn read(origin: &str) -> Option<Self> {
        let origin = origin.trim_end_matches('/');
        let (origin, every) = match origin.strip_suffix(":*") {
            Some(origin) => (origin, true),
            None => (origin, false),
        };
        let address = Address::read(origin)?;
        (address.rest.is_empty() || address.rest == "/").then(|| Self {
            secure: address.secure,
            host: address.host,
            port: (!every).then_some(address.port),
        })
    }

    /// Whether an address is one of that origin.
    pub(super) fn covers(&self, url: &str) -> bool {
        Address::read(url).is_some_and(|address| {
            self.secure == address.secure
                && self.host == address.host
                && self.port.is_none_or(|port| port == address.port)
        })
    }
}

/// An address taken apart, in the one way in which it is called too.
struct Address {
    secure: bool,
    host: String,
    port: u16,
    rest: String,
}

impl Address {
    fn read(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let secure = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?;
        // Credentials would go into the log of whoever is called, and hide which host it is.
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        // A port that is not a number would be taken for none.
        let named = authority.as_str().len() > authority.host().len();
        if named && authority.port_u16().is_none() {
            return None;
        }
        Some(Self {
            secure,
            host: authority.host().to_ascii_lowercase(),
            port: authority
                .port_u16()
                .unwrap_or(if secure { 443 } else { 80 }),
            rest: uri
                .path_and_query()
                .map_or("", http::uri::PathAndQuery::as_str)
                .to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_covers_its_addresses_and_no_others() {
        let allowed = [
            "https://hooks.example.com",
            "http://127.0.0.1:*",
            "http://[::1]:9",
        ]
        .map(|origin| Allowed::read(origin).unwrap());
        let covered = |url: &str| allowed.iter().any(|allowed| allowed.covers(url));
        for url in [
            "https://hooks.example.com/a?b=c",
            "https://HOOKS.example.com:443/",
            "http://127.0.0.1/x",
            "http://127.0.0.1:8080/x",
            "http://[::1]:9/x",
        ] {
            assert!(covered(url), "{url}");
        }
        for url in [
            "http://hooks.example.com/",
            "https://hooks.example.com:8443/",
            "https://hooks.example.com.evil.example/",
            "https://evil.example/hooks.example.com",
            "https://hooks.example.com@evil.example/",
            "https://evil.example#@hooks.example.com/",
            "https://evil.example\\@hooks.example.com/",
            "https://hooks.example.com:/",
            "https://hooks.example.com:x/",
            "https://hooks.example.com./",
            "https://127.0.0.1/",
            "http://127.0.0.1@169.254.169.254/",
            "http://2130706433/",
            "http://127.1/",
            "http://0/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::1]:10/",
            "http://localhost/",
            "ftp://127.0.0.1/",
            "file:///etc/passwd",
            "//127.0.0.1/",
            "127.0.0.1",
            "",
        ] {
            assert!(!covered(url), "{url}");
        }
    }

    #[test]
    fn what_is_not_an_origin_allows_nothing() {
        for origin in [
            "",
            "*",
            "https://",
            "hooks.example.com",
            "https://a.example/path",
            "https://u@a.example",
            "ftp://a.example",
        ] {
            assert_eq!(Allowed::read(origin), None, "{origin}");
        }
    }
}

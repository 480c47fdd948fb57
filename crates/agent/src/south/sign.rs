//! Signatures over HTTP: the canonical string, and who may say it (`X-Signature: v1=<hex>`).
//!
//! Six lines are signed: method, path with the query sorted, the SHA-256 of the body in hex, timestamp, nonce, agent id. They are
//! joined by a line feed, without one at the end. Nothing of the body is looked at before the signature was checked. The answer is
//! signed with the same key: [`Reply`].

use std::fmt::Write as _;

use http::HeaderMap;
use ring::{digest, hmac};

use super::fault::SouthFault;
use super::keys::Keys;

/// How far a timestamp may be away, in seconds.
pub const WINDOW: u64 = 300;

/// The longest id, key id or nonce.
const LONGEST: usize = 128;

/// The five headers of a signed request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the headers are the contract")]
pub struct Signed {
    /// `X-Agent-Id`.
    pub agent: String,
    /// `X-Key-Id`.
    pub key: String,
    /// `X-Timestamp`, unix seconds.
    pub timestamp: u64,
    /// `X-Nonce`.
    pub nonce: String,
    /// `X-Signature`, without `v1=`.
    pub signature: Vec<u8>,
}

impl Signed {
    /// Reads the headers.
    ///
    /// # Errors
    ///
    /// When one is missing, is there twice, or cannot be what it should be.
    pub fn read(headers: &HeaderMap) -> Result<Self, SouthFault> {
        let text = |name: &str| {
            let mut all = headers.get_all(name).iter();
            let first = all.next().and_then(|value| value.to_str().ok());
            match (first, all.next()) {
                (Some(text), None) if plain(text) => Ok(text),
                _ => Err(SouthFault::SignatureMissing),
            }
        };
        let timestamp = text("x-timestamp")?;
        let digits = timestamp.bytes().all(|byte| byte.is_ascii_digit());
        let timestamp = timestamp.parse().ok().filter(|_| digits);
        let signature = text("x-signature")?.strip_prefix("v1=").and_then(unhex);
        Ok(Self {
            agent: text("x-agent-id")?.to_owned(),
            key: text("x-key-id")?.to_owned(),
            timestamp: timestamp.ok_or(SouthFault::SignatureMissing)?,
            nonce: text("x-nonce")?.to_owned(),
            signature: signature.ok_or(SouthFault::SignatureMissing)?,
        })
    }
}

/// Something visible, not too long, that cannot begin a line of its own.
fn plain(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What is signed of a request.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "what is signed is the contract")]
pub struct Subject<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// The path, as it was sent.
    pub path: &'a str,
    /// The query, as it was sent and without the question mark.
    pub query: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

impl Subject<'_> {
    /// The six lines.
    pub fn canonical(&self, timestamp: u64, nonce: &str, agent: &str) -> String {
        let mut text = format!("{}\n{}", self.method, self.path);
        if let Some(query) = self.query.filter(|query| !query.is_empty()) {
            // The pairs are sorted as they are written: decoding would give two queries one signature.
            let mut pairs: Vec<&str> = query.split('&').collect();
            pairs.sort_unstable();
            text.push('?');
            text.push_str(&pairs.join("&"));
        }
        let body = digest::digest(&digest::SHA256, self.body);
        let body = hex(body.as_ref());
        // Writing to a string cannot fail.
        let _written = write!(text, "\n{body}\n{timestamp}\n{nonce}\n{agent}");
        text
    }

    /// The signature, as it is sent.
    pub fn sign(&self, secret: &[u8], timestamp: u64, nonce: &str, agent: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let tag = hmac::sign(&key, self.canonical(timestamp, nonce, agent).as_bytes());
        format!("v1={}", hex(tag.as_ref()))
    }

    /// Checks time and signature; the nonce is for the caller to remember, because only a good signature uses it up.
    ///
    /// # Errors
    ///
    /// When the time is outside the window, or no active key of the agent made the signature.
    pub fn verify(&self, signed: &Signed, keys: &Keys, now: u64) -> Result<(), SouthFault> {
        let canonical = self.canonical(signed.timestamp, &signed.nonce, &signed.agent);
        // An unknown key is compared too, so that the time tells nobody which agents there are.
        let secret = keys.secret(&signed.agent, &signed.key);
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.unwrap_or(&[0; 32]));
        let good = hmac::verify(&key, canonical.as_bytes(), &signed.signature).is_ok();
        if !good || secret.is_none() {
            return Err(SouthFault::SignatureInvalid);
        }
        if now.abs_diff(signed.timestamp) > WINDOW {
            return Err(SouthFault::OutsideWindow { window: WINDOW });
        }
        Ok(())
    }
}

/// What is signed of an answer: five lines, of which the first is a number, so that no answer can pass for a request.
///
/// The nonce is that of the request. So an answer belongs to one request, and an old one cannot be given again.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "what is signed is the contract")]
pub struct Reply<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: &'a [u8],
    /// `X-Timestamp` of the answer, unix seconds.
    pub timestamp: u64,
    /// `X-Nonce` of the request.
    pub nonce: &'a str,
    /// `X-Agent-Id` of the request.
    pub agent: &'a str,
}

impl Reply<'_> {
    /// The five lines.
    pub fn canonical(&self) -> String {
        let body = hex(digest::digest(&digest::SHA256, self.body).as_ref());
        let Self {
            status,
            timestamp,
            nonce,
            agent,
            ..
        } = self;
        format!("{status}\n{body}\n{timestamp}\n{nonce}\n{agent}")
    }

    /// The signature, as it is sent.
    pub fn sign(&self, secret: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let tag = hmac::sign(&key, self.canonical().as_bytes());
        format!("v1={}", hex(tag.as_ref()))
    }

    /// Whether this is its signature.
    pub fn is_signed(&self, secret: &[u8], signature: &str) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let tag = signature.strip_prefix("v1=").and_then(unhex);
        tag.is_some_and(|tag| hmac::verify(&key, self.canonical().as_bytes(), &tag).is_ok())
    }
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    })
}

/// Bytes of hex, in either case.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        })
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = &[7; 32];

    fn keys() -> Keys {
        let text = format!(
            "[[key]]\nagent = \"ops-1\"\nid = \"k1\"\nsecret = \"{}\"\ncreated = 1",
            hex(SECRET)
        );
        Keys::parse(&text).unwrap_or_default()
    }

    fn signed(subject: &Subject<'_>) -> Signed {
        let signature = subject.sign(SECRET, 1000, "n1", "ops-1");
        Signed {
            agent: "ops-1".to_owned(),
            key: "k1".to_owned(),
            timestamp: 1000,
            nonce: "n1".to_owned(),
            signature: unhex(signature.trim_start_matches("v1=")).unwrap_or_default(),
        }
    }

    const SUBJECT: Subject<'_> = Subject {
        method: "POST",
        path: "/southbound",
        query: Some("b=2&a=1"),
        body: b"{}",
    };

    #[test]
    fn the_canonical_string_is_the_documented_one() {
        assert_eq!(
            SUBJECT.canonical(1000, "n1", "ops-1"),
            "POST\n/southbound?a=1&b=2\n44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n1000\nn1\nops-1"
        );
    }

    #[test]
    fn every_change_breaks_the_signature() {
        let good = signed(&SUBJECT);
        assert_eq!(SUBJECT.verify(&good, &keys(), 1000), Ok(()));
        // The order of the query is not part of it.
        let sorted = Subject {
            query: Some("a=1&b=2"),
            ..SUBJECT
        };
        assert_eq!(sorted.verify(&good, &keys(), 1000), Ok(()));
        let subjects = [
            Subject {
                method: "PUT",
                ..SUBJECT
            },
            Subject {
                path: "/southbound/",
                ..SUBJECT
            },
            Subject {
                path: "/%73outhbound",
                ..SUBJECT
            },
            Subject {
                query: Some("b=2&a=2"),
                ..SUBJECT
            },
            Subject {
                query: Some("b=2&a=1&a=1"),
                ..SUBJECT
            },
            Subject {
                query: None,
                ..SUBJECT
            },
            Subject {
                body: b"{} ",
                ..SUBJECT
            },
        ];
        for subject in subjects {
            let verdict = subject.verify(&good, &keys(), 1000);
            assert_eq!(verdict, Err(SouthFault::SignatureInvalid), "{subject:?}");
        }
        let others = [
            Signed {
                agent: "ops-2".to_owned(),
                ..good.clone()
            },
            Signed {
                key: "k2".to_owned(),
                ..good.clone()
            },
            Signed {
                timestamp: 1001,
                ..good.clone()
            },
            Signed {
                nonce: "n2".to_owned(),
                ..good.clone()
            },
            Signed {
                signature: good.signature[..31].to_vec(),
                ..good.clone()
            },
            Signed {
                signature: Vec::new(),
                ..good.clone()
            },
        ];
        for other in others {
            let verdict = SUBJECT.verify(&other, &keys(), 1000);
            assert_eq!(verdict, Err(SouthFault::SignatureInvalid), "{other:?}");
        }
    }

    #[test]
    fn an_answer_belongs_to_one_request() {
        let reply = Reply {
            status: 200,
            body: b"{}",
            timestamp: 1000,
            nonce: "n1",
            agent: "ops-1",
        };
        assert_eq!(
            reply.canonical(),
            "200\n44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n1000\nn1\nops-1"
        );
        let signature = reply.sign(SECRET);
        assert!(reply.is_signed(SECRET, &signature));
        let changed = [
            Reply {
                status: 500,
                ..reply
            },
            Reply {
                body: b"{ }",
                ..reply
            },
            Reply {
                timestamp: 1001,
                ..reply
            },
            Reply {
                nonce: "n2",
                ..reply
            },
            Reply {
                agent: "ops-2",
                ..reply
            },
        ];
        for other in changed {
            assert!(!other.is_signed(SECRET, &signature), "{other:?}");
        }
        assert!(!reply.is_signed(&[8; 32], &signature));
        for other in ["", "v1=", "v1=00", &signature[3..], &signature[..20]] {
            assert!(!reply.is_signed(SECRET, other), "{other}");
        }
    }

    #[test]
    fn the_window_has_two_ends() {
        let good = signed(&SUBJECT);
        for (now, inside) in [(700, true), (699, false), (1300, true), (1301, false)] {
            assert_eq!(SUBJECT.verify(&good, &keys(), now).is_ok(), inside, "{now}");
        }
    }

    #[test]
    fn headers_are_read_once_and_plainly() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-agent-id", "ops-1"),
            ("x-key-id", "k1"),
            ("x-timestamp", "1000"),
            ("x-nonce", "n1"),
            ("x-signature", "v1=00ff"),
        ] {
            headers.insert(name, http::HeaderValue::from_static(value));
        }
        assert!(Signed::read(&headers).is_ok());
        for (name, value) in [
            ("x-timestamp", "+1000"),
            ("x-timestamp", "1e3"),
            ("x-signature", "00ff"),
            ("x-signature", "v1=0"),
            ("x-signature", "v1=zz"),
            ("x-agent-id", "ops 1"),
            ("x-nonce", ""),
        ] {
            let mut bad = headers.clone();
            bad.insert(name, http::HeaderValue::from_static(value));
            assert!(Signed::read(&bad).is_err(), "{name}: {value}");
        }
        headers.append("x-agent-id", http::HeaderValue::from_static("ops-2"));
        assert!(Signed::read(&headers).is_err());
    }
}

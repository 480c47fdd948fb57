//! Tokens made by hand, so that bad ones can be made too.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::hmac;
use serde_json::{Value, json};

pub const SECRET: &str = "a-secret-of-thirty-two-bytes-or-more";
pub const AUDIENCE: &str = "aon";

/// Seconds since 1970.
pub fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// The claims of somebody with these roles, for a minute.
pub fn claims(subject: &str, roles: &[&str]) -> Value {
    json!({"sub": subject, "roles": roles, "aud": AUDIENCE, "exp": now() + 60})
}

/// A header line with a good token.
pub fn bearer(subject: &str, roles: &[&str]) -> String {
    format!(
        "authorization: Bearer {}",
        signed(
            &json!({"alg": "HS256", "typ": "JWT"}),
            &claims(subject, roles),
            SECRET
        )
    )
}

pub fn signed(header: &Value, claims: &Value, secret: &str) -> String {
    let text = unsigned(header, claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let seal = hmac::sign(&key, text.as_bytes());
    format!("{text}.{}", BASE64.encode(seal.as_ref()))
}

pub fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| BASE64.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

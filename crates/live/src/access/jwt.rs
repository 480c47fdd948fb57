//! Callers by JSON Web Token (feature `jwt`): algorithms pinned by their key, `exp` and `aud` required, roles from a claim.

use std::fmt;

use http::header::AUTHORIZATION;
use http::request::Parts;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::Value;

use super::{BadCredentials, Caller, Identify};

mod ring;

/// From a bearer token to its caller.
///
/// A token that is not good is refused with 401; without one a caller is anonymous. The role `admin` sees details in production and
/// may heal, `operator` may follow and heal everybody's sessions, `heal` (or `healer`) may heal what it can see; words of the
/// claim `scope` count as roles.
///
/// ```
/// use aon_live::{Hub, Jwt, Settings};
///
/// let hub = Hub::with(Settings::new().identify(Jwt::secret(b"not-a-real-secret-but-long-enough", "orders-api")));
/// # let _ = hub;
/// ```
pub struct Jwt {
    keys: Vec<Key>,
    audiences: Vec<String>,
    issuer: Option<String>,
    /// The way to the roles, step by step.
    roles: Vec<String>,
}

struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    verifies: DecodingKey,
}

/// Why a set of keys cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtError(String);

impl fmt::Display for JwtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JwtError {}

impl Jwt {
    /// Tokens signed with a secret that both sides know (HS256), for this audience. Nobody knows an empty one, so no token is
    /// good then.
    pub fn secret(secret: &[u8], audience: impl Into<String>) -> Self {
        let key = (!secret.is_empty()).then(|| Key {
            id: None,
            algorithm: Algorithm::HS256,
            verifies: DecodingKey::from_secret(secret),
        });
        Self::with(key.into_iter().collect(), audience.into())
    }

    /// Tokens signed with one of the keys of a JSON Web Key Set, for this audience. Each key is good for one algorithm: the one it
    /// names, if it is of its kind, or the first of its kind (RS256, ES256, ES384, `EdDSA`). Secrets and keys that encrypt are not
    /// taken.
    ///
    /// # Errors
    ///
    /// When the text is not a key set, or holds no key that can be used.
    pub fn jwks(json: &str, audience: impl Into<String>) -> Result<Self, JwtError> {
        let set: JwkSet = serde_json::from_str(json)
            .map_err(|error| JwtError(format!("this is not a JSON Web Key Set: {error}")))?;
        let keys: Vec<Key> = set.keys.iter().filter_map(Key::of).collect();
        if keys.is_empty() {
            return Err(JwtError(
                "the key set has no key for RS256 to RS512, PS256 to PS512, ES256, ES384 or EdDSA"
                    .to_owned(),
            ));
        }
        Ok(Self::with(keys, audience.into()))
    }

    fn with(keys: Vec<Key>, audience: String) -> Self {
        ring::install();
        Self {
            keys,
            audiences: vec![audience],
            issuer: None,
            roles: vec!["roles".to_owned()],
        }
    }

    /// Another audience that is taken too.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Who has to have issued the token.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Where the roles are: `roles`, or a path such as `realm_access.roles`.
    #[must_use]
    pub fn roles_claim(mut self, path: &str) -> Self {
        self.roles = path.split('.').map(str::to_owned).collect();
        self
    }

    fn verify(&self, token: &str) -> Option<Caller> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        // What has to be understood is not understood here (RFC 7515, 4.1.11).
        if header.crit.is_some() {
            return None;
        }
        // Keys of different kinds may share a name (RFC 7517, 4.5).
        let named = |key: &&Key| {
            header.kid.is_some() && key.id == header.kid && key.algorithm == header.alg
        };
        let key = match self.keys.as_slice() {
            // A single key needs no name, but must not have another one.
            [only] => Some(only)
                .filter(|only| header.kid.is_none() || only.id.is_none() || only.id == header.kid),
            keys => keys.iter().find(named),
        }?;
        // The key says which algorithm it is for, and never the token.
        if header.alg != key.algorithm {
            return None;
        }
        let mut validation = Validation::new(key.algorithm);
        validation.algorithms = vec![key.algorithm];
        validation.set_required_spec_claims(&["exp", "aud"]);
        validation.set_audience(&self.audiences);
        validation.validate_nbf = true;
        validation.leeway = 0;
        if let Some(issuer) = &self.issuer {
            validation.set_issuer(&[issuer]);
            validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        }
        let decoded = jsonwebtoken::decode::<Value>(token, &key.verifies, &validation);
        Some(self.caller(&decoded.ok()?.claims, token))
    }

    fn caller(&self, claims: &Value, token: &str) -> Caller {
        // A token without a subject owns what it opened, and nothing else.
        let subject = claims.get("sub").and_then(Value::as_str);
        let subject = subject.map_or_else(|| crate::heal::unnamed(token), str::to_owned);
        let mut at = Some(claims);
        for step in &self.roles {
            at = at.and_then(|at| at.get(step));
        }
        let mut roles: Vec<&str> = match at {
            Some(Value::Array(roles)) => roles.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(role)) => role.split_whitespace().collect(),
            _ => Vec::new(),
        };
        if let Some(scope) = claims.get("scope").and_then(Value::as_str) {
            // A scope gives the right to heal; who sees details is a matter of roles.
            roles.extend(scope.split_whitespace().filter(|word| *word == "heal"));
        }
        let has = |wanted: &str| roles.contains(&wanted);
        let mut caller = Caller::new(subject);
        if has("admin") {
            caller = caller.admin();
        }
        if has("operator") {
            caller = caller.operator();
        }
        if has("heal") || has("healer") {
            caller = caller.healer();
        }
        let number = |value: &Value| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a time after 1970, cut to seconds"
            )]
            let cut = |seconds: f64| seconds as u64;
            value.as_u64().or_else(|| value.as_f64().map(cut))
        };
        caller.expires_at = claims.get("exp").and_then(number);
        caller
    }
}

impl Key {
    fn of(jwk: &Jwk) -> Option<Self> {
        // A key that encrypts signs nothing.
        if jwk.common.public_key_use == Some(PublicKeyUse::Encryption) {
            return None;
        }
        // The first is meant by a key that names none; another one than these is not of its kind.
        let fit: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => &[
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
                EllipticCurve::P256 => &[Algorithm::ES256],
                EllipticCurve::P384 => &[Algorithm::ES384],
                EllipticCurve::P521 | EllipticCurve::Ed25519 | _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(_) => &[Algorithm::EdDSA],
            // A secret does not belong into a set that is published.
            AlgorithmParameters::OctetKey(_) | _ => return None,
        };
        let algorithm = match jwk.common.key_algorithm {
            None => fit.first().copied()?,
            Some(said) => said
                .to_string()
                .parse()
                .ok()
                .filter(|said| fit.contains(said))?,
        };
        Some(Self {
            id: jwk.common.key_id.clone(),
            algorithm,
            verifies: DecodingKey::from_jwk(jwk).ok()?,
        })
    }
}

impl Identify for Jwt {
    fn identify(&self, request: &Parts) -> Option<Caller> {
        self.admit(request).ok().flatten()
    }

    fn admit(&self, request: &Parts) -> Result<Option<Caller>, BadCredentials> {
        let mut lines = request.headers.get_all(AUTHORIZATION).iter();
        let header = match (lines.next(), lines.next()) {
            (None, _) => return Ok(None),
            (Some(header), None) => header,
            // Which of two callers is meant is not for us to choose.
            (Some(_), Some(_)) => return Err(BadCredentials),
        };
        let text = header.to_str().map_err(|_not_text| BadCredentials)?;
        let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(BadCredentials);
        }
        let caller = self.verify(token.trim());
        caller.map(Some).ok_or(BadCredentials)
    }
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt")
            .field("audiences", &self.audiences)
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

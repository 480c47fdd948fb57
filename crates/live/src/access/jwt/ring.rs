//! The signatures of tokens through `ring`, which the TLS of this workspace brings already.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an algorithm that is not named here is refused"
)]

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error as TokenError, ErrorKind};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::{hmac, signature};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs it, unless the program has chosen another one.
pub(super) fn install() {
    let _: Result<(), _> = PROVIDER.install_default();
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "the provider of jsonwebtoken asks for this signature"
)]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, TokenError> {
    Ok(Box::new(Checker {
        algorithm: *algorithm,
        key: key.clone(),
    }))
}

/// Only secrets sign here: who holds private keys has a program of its own for that.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the provider of jsonwebtoken asks for this signature"
)]
fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>, TokenError> {
    let hash = hash(*algorithm).ok_or(ErrorKind::InvalidAlgorithm)?;
    Ok(Box::new(Stamp {
        algorithm: *algorithm,
        key: hmac::Key::new(hash, key.as_bytes()),
    }))
}

const fn hash(algorithm: Algorithm) -> Option<hmac::Algorithm> {
    match algorithm {
        Algorithm::HS256 => Some(hmac::HMAC_SHA256),
        Algorithm::HS384 => Some(hmac::HMAC_SHA384),
        Algorithm::HS512 => Some(hmac::HMAC_SHA512),
        _ => None,
    }
}

struct Stamp {
    algorithm: Algorithm,
    key: hmac::Key,
}

impl Signer<Vec<u8>> for Stamp {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(hmac::sign(&self.key, message).as_ref().to_vec())
    }
}

impl JwtSigner for Stamp {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

struct Checker {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Checker {
    fn verify(&self, message: &[u8], seal: &Vec<u8>) -> Result<(), Error> {
        let bad = |_| Error::new();
        if let Some(hash) = hash(self.algorithm) {
            let secret = self.key.try_get_as_bytes().map_err(|_kind| Error::new())?;
            return hmac::verify(&hmac::Key::new(hash, secret), message, seal).map_err(bad);
        }
        match (self.algorithm, self.key.kind()) {
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => {
                signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key)
                    .verify(message, seal)
                    .map_err(bad)
            }
            (Algorithm::ES384, DecodingKeyKind::SecretOrDer(key)) => {
                signature::UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, key)
                    .verify(message, seal)
                    .map_err(bad)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(key)) => {
                signature::UnparsedPublicKey::new(&signature::ED25519, key)
                    .verify(message, seal)
                    .map_err(bad)
            }
            (algorithm, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let parameters: &signature::RsaParameters = match algorithm {
                    Algorithm::RS256 => &signature::RSA_PKCS1_2048_8192_SHA256,
                    Algorithm::RS384 => &signature::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::RS512 => &signature::RSA_PKCS1_2048_8192_SHA512,
                    Algorithm::PS256 => &signature::RSA_PSS_2048_8192_SHA256,
                    Algorithm::PS384 => &signature::RSA_PSS_2048_8192_SHA384,
                    Algorithm::PS512 => &signature::RSA_PSS_2048_8192_SHA512,
                    _ => return Err(Error::new()),
                };
                signature::RsaPublicKeyComponents { n, e }
                    .verify(parameters, message, seal)
                    .map_err(bad)
            }
            _ => Err(Error::new()),
        }
    }
}

impl JwtVerifier for Checker {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

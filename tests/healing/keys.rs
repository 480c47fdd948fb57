//! Tokens of every algorithm, by the keys of a set; and those that only pretend.

use std::process::Command;

use aon_live::{Identify as _, Jwt};
use aon_tests::place;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{
    self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

use super::token::{AUDIENCE, claims, signed, unsigned};

/// Makes a signature over bytes.
type Sign = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A key that signs, and what is published of it.
struct Signer {
    algorithm: &'static str,
    jwk: Value,
    /// The public key in the forms in which people hold it: each may be tried as a secret.
    public: Vec<String>,
    sign: Sign,
}

impl Signer {
    fn mint(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let seal = (self.sign)(text.as_bytes());
        format!("{text}.{}", BASE64.encode(seal))
    }

    fn header(&self) -> Value {
        json!({"alg": self.algorithm, "typ": "JWT", "kid": self.algorithm})
    }
}

fn openssl(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("aon-keys-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("key.der");
    std::fs::write(&file, input).unwrap();
    let mut command = Command::new("openssl");
    command.args(arguments);
    if !input.is_empty() {
        command.arg("-in").arg(&file);
    }
    let output = command.output();
    std::fs::remove_dir_all(&folder).unwrap();
    output
        .ok()
        .filter(|output| output.status.success())
        .map(|output| output.stdout)
}

fn rsa() -> Vec<Signer> {
    let generate = ["genpkey", "-algorithm", "RSA", "-outform", "DER"];
    let Some(der) = openssl(&generate, b"") else {
        place::say("skipped: keys of RSA, there is no openssl; .ci/tools installs it");
        return Vec::new();
    };
    let pem = openssl(&["pkey", "-inform", "DER", "-pubout"], &der).unwrap();
    let pem = String::from_utf8(pem).unwrap();
    let kinds: [(&str, &'static dyn signature::RsaEncoding); 6] = [
        ("RS256", &signature::RSA_PKCS1_SHA256),
        ("RS384", &signature::RSA_PKCS1_SHA384),
        ("RS512", &signature::RSA_PKCS1_SHA512),
        ("PS256", &signature::RSA_PSS_SHA256),
        ("PS384", &signature::RSA_PSS_SHA384),
        ("PS512", &signature::RSA_PSS_SHA512),
    ];
    let of = |(algorithm, padding): (&'static str, &'static dyn signature::RsaEncoding)| {
        // Which of the two forms is written depends on the version.
        let pair = RsaKeyPair::from_pkcs8(&der).or_else(|_| RsaKeyPair::from_der(&der));
        let pair = pair.unwrap();
        let RsaPublicKeyComponents::<Vec<u8>> { n, e } = pair.public().into();
        let (n, e) = (BASE64.encode(n), BASE64.encode(e));
        Signer {
            algorithm,
            jwk: json!({"kty": "RSA", "kid": algorithm, "alg": algorithm, "use": "sig", "n": n, "e": e}),
            public: vec![pem.clone(), pem.trim().to_owned(), n],
            sign: Box::new(move |text| {
                let mut seal = vec![0; pair.public().modulus_len()];
                pair.sign(padding, &SystemRandom::new(), text, &mut seal)
                    .unwrap();
                seal
            }),
        }
    };
    kinds.into_iter().map(of).collect()
}

fn elliptic() -> Vec<Signer> {
    let kinds = [
        (
            "ES256",
            "P-256",
            &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        ),
        (
            "ES384",
            "P-384",
            &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
        ),
    ];
    let of = |(algorithm, curve, kind)| {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, key.as_ref(), &random).unwrap();
        // A byte that says how it is written, and two numbers.
        let point = pair.public_key().as_ref().to_vec();
        let (x, y) = point[1..].split_at((point.len() - 1) / 2);
        let (x, y) = (BASE64.encode(x), BASE64.encode(y));
        Signer {
            algorithm,
            public: vec![BASE64.encode(&point), x.clone()],
            jwk: json!({"kty": "EC", "crv": curve, "kid": algorithm, "x": x, "y": y}),
            sign: Box::new(move |text| pair.sign(&random, text).unwrap().as_ref().to_vec()),
        }
    };
    kinds.into_iter().map(of).collect()
}

fn edwards() -> Signer {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
    let x = BASE64.encode(pair.public_key().as_ref());
    Signer {
        algorithm: "EdDSA",
        public: vec![x.clone()],
        jwk: json!({"kty": "OKP", "crv": "Ed25519", "kid": "EdDSA", "x": x}),
        sign: Box::new(move |text| pair.sign(text).as_ref().to_vec()),
    }
}

/// Who a token is of; nobody if it is refused.
fn admitted(jwt: &Jwt, token: &str) -> Option<String> {
    let request = http::Request::get("/").header("authorization", format!("Bearer {token}"));
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let caller = jwt.admit(&parts).ok()?;
    Some(caller.expect("a token was shown").subject)
}

#[test]
fn every_algorithm_is_taken_from_its_own_key_and_from_no_other() {
    let signers: Vec<Signer> = rsa()
        .into_iter()
        .chain(elliptic())
        .chain([edwards()])
        .collect();
    let mut keys: Vec<Value> = signers.iter().map(|signer| signer.jwk.clone()).collect();
    // Keys that cannot be used do not make the others useless.
    keys.push(json!({"kty": "EC", "crv": "secp256k1", "kid": "coin", "x": "AA", "y": "AA"}));
    keys.push(
        json!({"kty": "oct", "kid": "open", "k": "c2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXMuLi4u"}),
    );
    keys.push(json!({"kty": "new", "kid": "new"}));
    let jwt = Jwt::jwks(&json!({"keys": keys}).to_string(), AUDIENCE).unwrap();
    let claims = claims("ann", &["heal"]);
    let (mut good, mut bad) = (0, 0);
    let mut refuse = |what: String, token: &str| {
        assert_eq!(admitted(&jwt, token), None, "{what}");
        bad += 1;
    };
    for signer in &signers {
        let name = signer.algorithm;
        let token = signer.mint(&signer.header(), &claims);
        assert_eq!(admitted(&jwt, &token).as_deref(), Some("ann"), "{name}");
        good += 1;
        let text = unsigned(&signer.header(), &claims);
        let seal = token.rsplit('.').next().unwrap();
        refuse(format!("{name}, no seal"), &format!("{text}."));
        refuse(format!("{name}, a cut seal"), &token[..token.len() - 4]);
        refuse(format!("{name}, only two parts"), &text);
        let other = unsigned(&signer.header(), &super::token::claims("root", &["admin"]));
        refuse(format!("{name}, other claims"), &format!("{other}.{seal}"));
        let none = unsigned(&json!({"alg": "none", "kid": name}), &claims);
        for seal in ["", seal] {
            refuse(format!("{name}, none"), &format!("{none}.{seal}"));
        }
        for cased in ["None", "NONE", "nOnE", ""] {
            let header = json!({"alg": cased, "kid": name});
            refuse(format!("{name}, {cased}"), &signer.mint(&header, &claims));
        }
        // What is published of a key is not a secret.
        for public in &signer.public {
            for algorithm in ["HS256", "HS384", "HS512"] {
                let header = json!({"alg": algorithm, "kid": name});
                let what = format!("{name} as a secret of {algorithm}");
                refuse(what, &signed(&header, &claims, public));
            }
        }
        for other in &signers {
            if other.algorithm != name {
                let lie = json!({"alg": other.algorithm, "kid": name});
                let what = format!("{name} called {}", other.algorithm);
                refuse(what, &signer.mint(&lie, &claims));
                let borrowed = json!({"alg": name, "kid": other.algorithm});
                let what = format!("{name} with the key of {}", other.algorithm);
                refuse(what, &signer.mint(&borrowed, &claims));
            }
        }
        let brought = json!({"alg": name, "kid": "mine", "jwk": signer.jwk, "jku": "https://evil.example/keys"});
        let what = format!("{name} with a key that it brought");
        refuse(what, &signer.mint(&brought, &claims));
    }
    let secret = "secret-of-thirty-two-bytes....";
    refuse(
        "a secret of the set".to_owned(),
        &signed(&json!({"alg": "HS256", "kid": "open"}), &claims, secret),
    );
    // A set may have keys of different kinds under one name.
    let shared: Vec<Value> = keys
        .iter()
        .map(|key| {
            let mut key = key.clone();
            key["kid"] = json!("shared");
            key
        })
        .collect();
    let same = Jwt::jwks(&json!({"keys": shared}).to_string(), AUDIENCE).unwrap();
    for signer in &signers {
        let header = json!({"alg": signer.algorithm, "kid": "shared"});
        let token = signer.mint(&header, &claims);
        assert_eq!(admitted(&same, &token).as_deref(), Some("ann"), "{header}");
        let lie = json!({"alg": "HS256", "kid": "shared"});
        assert_eq!(admitted(&same, &signer.mint(&lie, &claims)), None);
    }
    // A set is no use when its keys are of another kind than they say, or do not sign.
    for signer in &signers {
        for (member, value) in [
            ("alg", "HS256"),
            ("alg", "none"),
            ("alg", "RSA-OAEP"),
            ("use", "enc"),
        ] {
            let mut key = signer.jwk.clone();
            key[member] = json!(value);
            let set = json!({"keys": [key]}).to_string();
            assert!(Jwt::jwks(&set, AUDIENCE).is_err(), "{set}");
            bad += 1;
        }
    }
    assert!(good >= 3);
    println!("count: {good} algorithms taken, {bad} tokens and keys refused");
}

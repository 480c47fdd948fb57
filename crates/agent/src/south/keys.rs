//! The keys that sign: at most two active ones of each agent, so that one can be replaced without a pause.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::sign::{hex, unhex};

/// How many keys of an agent are good at once.
pub const ACTIVE: usize = 2;

/// The shortest secret, in bytes.
const SHORTEST: usize = 16;

/// All keys of a side, as they are in its file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    #[serde(default, rename = "key")]
    all: Vec<Key>,
}

/// One key. Its secret is not shown.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Key {
    agent: String,
    id: String,
    #[serde(with = "in_hex")]
    secret: Vec<u8>,
    /// Unix seconds.
    created: u64,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.id, self.agent)
    }
}

/// A key that was made just now: the only time its secret is shown.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewKey {
    /// Its id.
    pub id: String,
    /// Its secret, in hex.
    pub secret: String,
    /// The ids of the keys that are no longer good.
    pub retired: Vec<String>,
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Why a file of keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKeys {
    /// It is not a file of keys.
    #[error("it is not a file of keys: {0}")]
    Unreadable(#[from] toml::de::Error),
    /// An agent has too many.
    #[error("agent {0} has more than {ACTIVE} keys; remove the oldest")]
    TooMany(String),
    /// Two keys have one id.
    #[error("agent {0} has two keys with the id {1}")]
    Twice(String, String),
    /// A secret can be guessed.
    #[error("the secret of key {1} of agent {0} is shorter than {SHORTEST} bytes")]
    TooShort(String, String),
}

impl Keys {
    /// Reads a file of keys.
    ///
    /// # Errors
    ///
    /// When it is not one, or breaks its rules.
    pub fn parse(text: &str) -> Result<Self, InvalidKeys> {
        let keys: Self = toml::from_str(text)?;
        for (index, key) in keys.all.iter().enumerate() {
            let Key { agent, id, .. } = key;
            let same = keys.all.iter().skip(index + 1);
            if same.clone().filter(|other| other.agent == *agent).count() >= ACTIVE {
                return Err(InvalidKeys::TooMany(agent.clone()));
            }
            if same
                .clone()
                .any(|other| (&other.agent, &other.id) == (agent, id))
            {
                return Err(InvalidKeys::Twice(agent.clone(), id.clone()));
            }
            if key.secret.len() < SHORTEST {
                return Err(InvalidKeys::TooShort(agent.clone(), id.clone()));
            }
        }
        Ok(keys)
    }

    /// The file again.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The secret of a key, when it is active.
    pub fn secret(&self, agent: &str, id: &str) -> Option<&[u8]> {
        let key = self
            .all
            .iter()
            .find(|key| key.agent == agent && key.id == id);
        key.map(|key| key.secret.as_slice())
    }

    /// The ids of the keys of an agent, the oldest first.
    pub fn of(&self, agent: &str) -> Vec<&str> {
        let own = self.all.iter().filter(|key| key.agent == agent);
        own.map(|key| key.id.as_str()).collect()
    }

    /// Takes keys of an agent away: one, or all of them. The ids of those that are gone.
    pub fn revoke(&mut self, agent: &str, id: Option<&str>) -> Vec<String> {
        let goes = |key: &Key| key.agent == agent && id.is_none_or(|id| key.id == id);
        let gone = self.all.iter().filter(|key| goes(key));
        let gone = gone.map(|key| key.id.clone()).collect();
        self.all.retain(|key| !goes(key));
        gone
    }

    /// Gives an agent a new key. The newest of the others stays good until the next time; older ones are gone.
    pub fn rotate(&mut self, agent: &str, random: [u8; 40], now: u64) -> NewKey {
        let (id, secret) = random.split_at(8);
        let key = Key {
            agent: agent.to_owned(),
            id: format!("k{now}-{}", hex(&id[..4])),
            secret: secret.to_vec(),
            created: now,
        };
        let own = self.all.iter().filter(|key| key.agent == agent).count();
        let mut excess = (own + 1).saturating_sub(ACTIVE);
        let mut retired = Vec::new();
        self.all.retain(|key| {
            let goes = key.agent == agent && excess > 0;
            if goes {
                excess -= 1;
                retired.push(key.id.clone());
            }
            !goes
        });
        let new = NewKey {
            id: key.id.clone(),
            secret: hex(&key.secret),
            retired,
        };
        self.all.push(key);
        new
    }
}

mod in_hex {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::hex(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        super::unhex(&text).ok_or_else(|| D::Error::custom("a secret is written in hex"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_are_good_and_the_third_ends_the_first() {
        let mut keys = Keys::default();
        let first = keys.rotate("ops-1", [1; 40], 10);
        let second = keys.rotate("ops-1", [2; 40], 20);
        assert!(second.retired.is_empty());
        assert!(keys.secret("ops-1", &first.id).is_some());
        assert!(keys.secret("ops-1", &second.id).is_some());
        let other = keys.rotate("ops-2", [4; 40], 25);
        let third = keys.rotate("ops-1", [3; 40], 30);
        assert_eq!(third.retired, std::slice::from_ref(&first.id));
        assert!(keys.secret("ops-1", &first.id).is_none());
        assert!(keys.secret("ops-2", &other.id).is_some());
        let again = Keys::parse(&keys.write()).map(|keys| keys.write());
        assert_eq!(again.ok(), Some(keys.write()));
    }

    #[test]
    fn a_file_with_a_short_secret_or_three_keys_is_refused() {
        let key = |id: &str, secret: &str| {
            format!("[[key]]\nagent = \"a\"\nid = \"{id}\"\nsecret = \"{secret}\"\ncreated = 1\n")
        };
        let long = "00".repeat(32);
        assert!(Keys::parse(&key("k", &long)).is_ok());
        assert!(Keys::parse(&key("k", "00ff")).is_err());
        assert!(Keys::parse(&(key("k", &long) + &key("k", &long))).is_err());
        let three = key("1", &long) + &key("2", &long) + &key("3", &long);
        assert!(Keys::parse(&three).is_err());
        assert!(!format!("{:?}", Keys::parse(&key("k", &long))).contains("0000"));
    }
}

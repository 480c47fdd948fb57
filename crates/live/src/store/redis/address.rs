//! Where the engine is, and how it is used.

use std::time::Duration;

use crate::store::{Durability, WhenGone};

/// Where the engine is, and how it is used.
///
/// ```
/// use aon_live::store::RedisSettings;
/// use std::time::Duration;
///
/// let one = RedisSettings::new("redis://127.0.0.1:6379")?;
/// // A primary and a replica: whichever is the primary at the moment is used.
/// let two = RedisSettings::new("redis://10.0.0.1:6379,10.0.0.2:6379?replicas=1")?.lease(Duration::from_secs(5));
/// // Three sentinels that know the primary.
/// let three = RedisSettings::new("redis://10.0.0.1:26379,10.0.0.2:26379,10.0.0.3:26379?sentinel=mymaster&replicas=1")?;
/// # let _ = (one, two, three);
/// # Ok::<(), aon_live::store::BadAddress>(())
/// ```
#[derive(Clone)]
pub struct RedisSettings {
    pub(super) hosts: Vec<(String, u16)>,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: i64,
    pub(super) sentinel: Option<String>,
    pub(super) replicas: u32,
    pub(super) lease: Duration,
    pub(super) gone: WhenGone,
    pub(super) node: String,
    pub(super) prefix: String,
    pub(super) durability: Option<Durability>,
}

/// An address that is not one of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{address}` is not the address of an engine: {why}. Write redis://HOST:PORT, or several hosts with commas between them"
)]
pub struct BadAddress {
    address: String,
    why: String,
}

impl RedisSettings {
    /// Reads `redis://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][/DATABASE][?replicas=N&sentinel=NAME&lease_ms=N&prefix=TEXT&when_gone=memory]`.
    ///
    /// # Errors
    ///
    /// When it is not such an address; the password is not in the message.
    pub fn new(url: &str) -> Result<Self, BadAddress> {
        let rest = url
            .strip_prefix("redis://")
            .or_else(|| url.strip_prefix("valkey://"));
        let (before, after) = rest.map_or((None, ""), |rest| match rest.rsplit_once('@') {
            Some((who, rest)) => (Some(who), rest),
            None => (None, rest),
        });
        let bad = |why: String| BadAddress {
            // Whatever stands before the last `@` may be a password.
            address: url
                .rsplit_once('@')
                .map_or(url, |(_, rest)| rest)
                .chars()
                .take(120)
                .collect(),
            why,
        };
        if rest.is_none() {
            return Err(bad("it does not begin with redis://".to_owned()));
        }
        let (place, query) = after.split_once('?').unwrap_or((after, ""));
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        let mut settings = Self {
            hosts: Vec::new(),
            user: None,
            password: None,
            database: 0,
            sentinel: None,
            replicas: 0,
            lease: Duration::from_secs(5),
            gone: WhenGone::default(),
            node: "node".to_owned(),
            prefix: "aon:".to_owned(),
            durability: None,
        };
        if let Some(who) = before {
            let (user, password) = who.split_once(':').unwrap_or(("", who));
            settings.user = (!user.is_empty()).then(|| user.to_owned());
            settings.password = Some(password.to_owned());
        }
        if !database.is_empty() {
            let number = database.parse().ok();
            settings.database =
                number.ok_or_else(|| bad(format!("the database `{database}` is not a number")))?;
        }
        for host in hosts.split(',') {
            // An IPv6 address stands in brackets.
            let (name, port) = match host.rsplit_once(':') {
                Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
                _ => (host, None),
            };
            let port = match port {
                Some(port) => port.parse().ok(),
                None => Some(6379),
            };
            let port =
                port.ok_or_else(|| bad(format!("`{host}` has a port that is not a number")))?;
            let name = name.trim_start_matches('[').trim_end_matches(']');
            if name.is_empty() {
                return Err(bad("a host is empty".to_owned()));
            }
            settings.hosts.push((name.to_owned(), port));
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let number = || {
                let read = value.parse::<u32>().ok();
                read.ok_or_else(|| bad(format!("`{name}` is not a number")))
            };
            match name {
                "replicas" => settings.replicas = number()?,
                "lease_ms" => settings = settings.lease(Duration::from_millis(number()?.into())),
                "sentinel" => settings.sentinel = Some(value.to_owned()),
                "prefix" => value.clone_into(&mut settings.prefix),
                "when_gone" => {
                    settings.gone = match value {
                        "refuse" => WhenGone::Refuse,
                        "memory" => WhenGone::Memory,
                        _ => return Err(bad("`when_gone` is refuse or memory".to_owned())),
                    };
                }
                _ => {
                    return Err(bad(format!(
                        "`{name}` is not a setting; there are replicas, sentinel, lease_ms, prefix and when_gone"
                    )));
                }
            }
        }
        Ok(settings)
    }

    /// How many replicas have to have an event before it counts as stored: none. With one, the loss of the primary loses
    /// nothing that anybody was shown.
    #[must_use]
    pub const fn replicas(mut self, replicas: u32) -> Self {
        self.replicas = replicas;
        self
    }

    /// For how long a node that is not heard of keeps its sessions: 5 seconds. After it another node ends them.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(100));
        self
    }

    /// What happens to glass boxes while the engine does not answer, where their route does not say.
    #[must_use]
    pub const fn when_gone(mut self, gone: WhenGone) -> Self {
        self.gone = gone;
        self
    }

    /// The name of this node, for people. Two nodes with one name do not disturb each other.
    #[must_use]
    pub fn node(mut self, name: &str) -> Self {
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        self.node = name.chars().filter(plain).take(40).collect();
        self
    }

    /// What the keys in the engine begin with: `aon:`. Nodes with the same prefix belong together.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.prefix);
        self
    }

    /// What the `session` event says, where the operator knows better: `fsync` for an engine with `appendfsync always`.
    #[must_use]
    pub const fn durability(mut self, durability: Durability) -> Self {
        self.durability = Some(durability);
        self
    }

    pub(super) const fn says(&self) -> Durability {
        match (self.durability, self.replicas) {
            (Some(said), _) => said,
            (None, 0) => Durability::Memory,
            (None, _) => Durability::Replicated,
        }
    }
}

impl std::fmt::Debug for RedisSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the password.
        f.debug_struct("RedisSettings")
            .field("hosts", &self.hosts)
            .field("sentinel", &self.sentinel)
            .field("replicas", &self.replicas)
            .field("lease", &self.lease)
            .field("gone", &self.gone)
            .field("node", &self.node)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_a_bad_one_says_why() {
        let one = RedisSettings::new("redis://localhost").unwrap();
        assert_eq!(one.hosts, [("localhost".to_owned(), 6379)]);
        assert_eq!(one.says(), Durability::Memory);
        let all = "redis://ann:s3cret@[::1]:7000,b:7001/2?replicas=1&sentinel=main&lease_ms=900&prefix=x:";
        let all = RedisSettings::new(all).unwrap();
        assert_eq!(
            all.hosts,
            [("::1".to_owned(), 7000), ("b".to_owned(), 7001)]
        );
        assert_eq!((all.database, all.replicas, &*all.prefix), (2, 1, "x:"));
        assert_eq!(all.sentinel.as_deref(), Some("main"));
        assert_eq!(all.lease, Duration::from_millis(900));
        assert_eq!(all.says(), Durability::Replicated);
        assert!(!format!("{all:?}").contains("s3cret"));
        for (url, why) in [
            ("http://localhost", "does not begin with"),
            ("redis://", "host is empty"),
            ("redis://a:b", "port"),
            ("redis://a,", "host is empty"),
            ("redis://a/x", "database"),
            ("redis://a?replicas=x", "replicas"),
            ("redis://a?color=red", "color"),
            ("redis://u:s3cret@a?color=red", "color"),
        ] {
            let error = RedisSettings::new(url).unwrap_err().to_string();
            assert!(error.contains(why), "{url}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}

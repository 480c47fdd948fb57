//! A connection to whichever engine is the primary at the moment.

use std::time::Duration;

use redis::aio::{ConnectionLike as _, MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo as _, Pipeline, RedisError,
    Value, cmd,
};

use super::address::RedisSettings;
use super::script;
use crate::machine::backoff::Waits;

/// How long a connection may take, and how long an answer.
const CONNECT: Duration = Duration::from_millis(1500);
pub(super) const ANSWER: Duration = Duration::from_millis(2500);

/// Attempts come quickly at first, because a replica is promoted within a second or two.
const WAITS: Waits = Waits {
    first: 40,
    most: 1000,
    patience: 0,
};

/// Why the engine could not be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("{0}")]
    Engine(#[from] RedisError),
    #[error("what this node says does not come back")]
    Deaf,
    #[error("{0}")]
    Refused(String),
    #[error("none of {0} is the primary")]
    NoPrimary(usize),
    #[error("{got} of {wanted} replicas have it")]
    Replicas { got: i64, wanted: u32 },
    #[error("the engine sent an unexpected answer")]
    Strange,
}

/// Makes connections.
#[derive(Clone, Debug)]
pub(super) struct Link(std::sync::Arc<RedisSettings>);

impl Link {
    pub(super) fn new(settings: RedisSettings) -> Self {
        Self(std::sync::Arc::new(settings))
    }

    fn client(&self, host: &str, port: u16, database: i64) -> Result<Client, Broken> {
        let place = ConnectionAddr::Tcp(host.to_owned(), port).into_connection_info()?;
        let mut inner = place.redis_settings().clone().set_db(database);
        if let Some(user) = &self.0.user {
            inner = inner.set_username(user);
        }
        if let Some(password) = &self.0.password {
            inner = inner.set_password(password);
        }
        Ok(Client::open(place.set_redis_settings(inner))?)
    }

    async fn open(client: &Client) -> Result<MultiplexedConnection, Broken> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(ANSWER));
        let connection = client.get_multiplexed_async_connection_with_config(&config);
        Ok(connection.await?)
    }

    /// Where the engine may be: as it was said, or as a sentinel says.
    async fn places(&self) -> Vec<(String, u16)> {
        let Some(name) = &self.0.sentinel else {
            return self.0.hosts.clone();
        };
        for (host, port) in &self.0.hosts {
            let Ok(client) = self.client(host, *port, 0) else {
                continue;
            };
            let Ok(mut sentinel) = Self::open(&client).await else {
                continue;
            };
            let mut ask = cmd("SENTINEL");
            ask.arg("get-master-addr-by-name").arg(name);
            let place: Result<(String, u16), _> = ask.query_async(&mut sentinel).await;
            if let Ok(place) = place {
                return vec![place];
            }
        }
        Vec::new()
    }

    /// The primary. One that says so and has fewer replicas than have to have every event is taken only where there is no
    /// other: after a failover it may be the old one, which nobody follows any more.
    async fn primary(&self) -> Result<(Client, MultiplexedConnection), Broken> {
        let places = self.places().await;
        let mut lonely = None;
        let mut error = Broken::NoPrimary(places.len());
        for (host, port) in places {
            let client = self.client(&host, port, self.0.database)?;
            let mut connection = match Self::open(&client).await {
                Ok(connection) => connection,
                Err(broken) => {
                    error = broken;
                    continue;
                }
            };
            let role = match cmd("ROLE").query_async::<Value>(&mut connection).await {
                Ok(role) => role,
                Err(broken) => {
                    error = broken.into();
                    continue;
                }
            };
            let Value::Array(role) = role else { continue };
            if text(role.first()) != Some("master".to_owned()) {
                continue;
            }
            let followers = match role.get(2) {
                Some(Value::Array(followers)) => followers.len(),
                _ => 0,
            };
            if followers >= self.0.replicas as usize {
                return Ok((client, connection));
            }
            lonely.get_or_insert((client, connection));
        }
        lonely.ok_or(error)
    }

    /// A connection to the primary, which knows our scripts.
    pub(super) async fn connect(&self) -> Result<MultiplexedConnection, Broken> {
        let (_, mut connection) = self.primary().await?;
        let mut load = Pipeline::new();
        for script in script::ALL {
            load.cmd("SCRIPT").arg("LOAD").arg(script.code);
        }
        load.exec_async(&mut connection).await?;
        Ok(connection)
    }

    pub(super) async fn subscriber(&self) -> Result<PubSub, Broken> {
        let (client, _) = self.primary().await?;
        let connected = tokio::time::timeout(CONNECT, client.get_async_pubsub()).await;
        Ok(connected.map_err(|_late| Broken::NoPrimary(1))??)
    }

    pub(super) fn wants(&self) -> u32 {
        self.0.replicas
    }
}

/// Sends commands together, with `WAIT` behind them where replicas have to have what they wrote. What comes back is known to be
/// stored as promised.
pub(super) async fn together(
    connection: &mut MultiplexedConnection,
    pipeline: &mut Pipeline,
    replicas: u32,
) -> Result<Vec<Value>, Broken> {
    let count = pipeline.len();
    if replicas > 0 {
        pipeline.cmd("WAIT").arg(replicas).arg(WAIT_MS);
    }
    let mut values = connection
        .req_packed_commands(pipeline, 0, pipeline.len())
        .await?;
    if replicas == 0 {
        return Ok(values);
    }
    let mut got = number(values.pop().as_ref());
    // The connection remembers up to where its replicas have to be.
    let mut rounds = 0;
    while got.is_some_and(|got| got < i64::from(replicas)) && rounds < 2 {
        rounds += 1;
        let again = cmd("WAIT")
            .arg(replicas)
            .arg(WAIT_MS)
            .query_async::<Value>(connection)
            .await?;
        got = number(Some(&again));
    }
    match got {
        Some(got) if got >= i64::from(replicas) && values.len() == count => Ok(values),
        Some(got) => Err(Broken::Replicas {
            got,
            wanted: replicas,
        }),
        None => Err(Broken::Strange),
    }
}

/// Less than an answer may take.
const WAIT_MS: u32 = 1000;

/// How long to wait after that many failures.
pub(super) async fn pause(failures: u32) {
    let mut random = [0; 8];
    // Without chance everybody waits for the ceiling.
    let _: Result<(), getrandom::Error> = getrandom::fill(&mut random);
    let wait = WAITS.wait(failures.max(1), None, u64::from_le_bytes(random));
    let wait = wait.unwrap_or(WAITS.most).max(5);
    tokio::time::sleep(Duration::from_millis(wait)).await;
}

/// Whether an answer of the engine says that it cannot be used now, and not that the command was wrong.
pub(super) fn refused(value: &Value) -> Option<String> {
    if let Value::ServerError(error) = value {
        return Some(error.to_string());
    }
    None
}

pub(super) fn number(value: Option<&Value>) -> Option<i64> {
    match value {
        Some(Value::Int(number)) => Some(*number),
        Some(Value::BulkString(text)) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    match value {
        Some(Value::BulkString(text)) => String::from_utf8(text.clone()).ok(),
        Some(Value::SimpleString(text)) => Some(text.clone()),
        _ => None,
    }
}

pub(super) fn bytes(value: Option<&Value>) -> Option<&[u8]> {
    match value {
        Some(Value::BulkString(bytes)) => Some(bytes),
        _ => None,
    }
}

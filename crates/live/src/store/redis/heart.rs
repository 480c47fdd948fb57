//! The lease of this node, on a connection of its own: a renewal waits for nothing else that is asked or stored.

use std::time::Duration;

use redis::aio::{ConnectionLike as _, MultiplexedConnection};
use redis::{Pipeline, Value};

use super::Rules;
use super::link::{Link, number};

/// Says that this node is alive.
pub(super) struct Heart {
    link: Link,
    connection: Option<MultiplexedConnection>,
    lease: Vec<u8>,
    all: Vec<u8>,
}

impl Heart {
    pub(super) fn new(link: Link, rules: &Rules) -> Self {
        Self {
            link,
            connection: None,
            lease: rules.named("lease", &rules.node),
            all: rules.named("nodes", "all"),
        }
    }

    /// This node is alive for the length of a lease: whether the engine did not know it before. Nothing where that is not certain; the
    /// engine may count the lease all the same.
    pub(super) async fn beat(&mut self, rules: &Rules) -> Option<bool> {
        let mut connection = match self.connection.take() {
            Some(open) => open,
            None => self.link.connect().await.ok()?,
        };
        let mut pipeline = Pipeline::with_capacity(3);
        pipeline.cmd("SADD").arg(&self.all).arg(&rules.node);
        pipeline.cmd("SET").arg(&self.lease).arg(1);
        pipeline.arg("PX").arg(rules.lease_ms);
        let wanted = self.link.wants();
        if wanted > 0 {
            // Once, and not for long: a replica that is slow must not keep the next renewal from the primary.
            pipeline.cmd("WAIT").arg(wanted);
            pipeline.arg((rules.lease_ms / 6).max(1));
        }
        let asked = connection.req_packed_commands(&pipeline, 0, pipeline.len());
        let patience = Duration::from_millis(rules.lease_ms / 3);
        let said = tokio::time::timeout(patience, asked).await.ok()?.ok()?;
        let entered = number(said.first())?;
        let renewed = matches!(said.get(1), Some(Value::Okay));
        let followed = wanted == 0 || number(said.get(2))? >= i64::from(wanted);
        if !renewed || !followed {
            // It may not be the primary any more. The next renewal looks for the one that is.
            return None;
        }
        self.connection = Some(connection);
        Some(entered == 1)
    }
}

//! What a task makes while it runs.

use serde::Serialize;
use serde_json::json;

use super::{Artifact, Dialect};
use crate::event::ApplicationEvent;

/// Something a task made, or a piece of it: publish it with [`Session::emit`](crate::Session::emit), and it is an artifact update
/// on A2A and an event of your own everywhere else.
///
/// ```
/// use aon_live::a2a::{Artifact, Made, Part};
///
/// # let session = aon_live::Session::detached();
/// session.emit(&Made::new(Artifact::new("report", vec![Part::text("first ")])).open());
/// session.emit(&Made::new(Artifact::new("report", vec![Part::text("second")])).append());
/// ```
#[derive(Clone, Debug)]
pub struct Made {
    artifact: Artifact,
    append: bool,
    last_chunk: bool,
}

impl Made {
    /// All of it.
    pub fn new(artifact: Artifact) -> Self {
        Self {
            artifact,
            append: false,
            last_chunk: true,
        }
    }

    /// More follows.
    #[must_use]
    pub const fn open(mut self) -> Self {
        self.last_chunk = false;
        self
    }

    /// It goes on with what has the same id.
    #[must_use]
    pub const fn append(mut self) -> Self {
        self.append = true;
        self
    }
}

impl Serialize for Made {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({
            "artifact": self.artifact.to_json(Dialect::V10),
            "append": self.append,
            "last_chunk": self.last_chunk,
        })
        .serialize(serializer)
    }
}

impl ApplicationEvent for Made {
    const TYPE: &'static str = "artifact";
}

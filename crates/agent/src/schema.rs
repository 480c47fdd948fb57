//! JSON Schema of the messages (feature `schema`).

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use crate::daemon::wire as daemon_wire;
use crate::worker::wire::{Answer, Event, Request};

/// The schema of a line on the socket of a worker: a request, an answer, or an event of a stream.
pub fn worker() -> Value {
    let mut generator = SchemaGenerator::default();
    let parts = [
        generator.subschema_for::<Request>(),
        generator.subschema_for::<Answer>(),
        generator.subschema_for::<Event>(),
    ];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Worker",
        "description": "One line on the socket of a worker: a request of a client, an answer, or an event of a stream.",
        "anyOf": parts,
        "$defs": generator.take_definitions(true),
    })
}

/// The schema of what a daemon sends and takes: events of a stream, and bodies of requests.
pub fn daemon() -> Value {
    let mut generator = SchemaGenerator::default();
    let event = generator.subschema_for::<daemon_wire::Event>();
    generator.subschema_for::<daemon_wire::NewSession>();
    generator.subschema_for::<daemon_wire::Generate>();
    generator.subschema_for::<daemon_wire::Abort>();
    let mut schema = event.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        object.insert("title".to_owned(), json!("Daemon"));
        object.insert(
            "description".to_owned(),
            json!(
                "One event of `POST /agent/generate`. The bodies of the requests are in `$defs`."
            ),
        );
        object.insert("$defs".to_owned(), json!(generator.take_definitions(true)));
    }
    schema
}

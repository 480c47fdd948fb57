//! Arguments of a tool: read, or told what is wrong with them.

use std::borrow::Cow;

use ::rmcp::ErrorData;
use ::rmcp::handler::server::common::FromContextPart;
use ::rmcp::handler::server::tool::ToolCallContext;
use ::rmcp::schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use aon_core::{Json, Pointer, ProblemDetails};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::{self, Fault};
use crate::builtin;
use crate::door::{self, Occurrence, Ticket};
use crate::surface::mcp;

/// What rmcp's router takes for bad arguments rather than for a broken request.
pub(super) const PREFIX: &str = "failed to deserialize parameters:";

/// The arguments of a tool call, like rmcp's extractor of the same name; arguments it cannot read become a problem
/// with JSON Pointers and valid values.
///
/// It must be called `Parameters` in the signature of the tool: rmcp's macro takes the input schema from the
/// argument of that name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is taken apart in the signature of a tool"
)]
pub struct Parameters<P>(pub P);

impl<P: JsonSchema> JsonSchema for Parameters<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::json_schema(generator)
    }
}

impl<S, P> FromContextPart<ToolCallContext<'_, S>> for Parameters<P>
where
    P: DeserializeOwned + JsonSchema,
{
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let given = Value::Object(context.arguments.take().unwrap_or_default());
        match read(&given) {
            Ok(value) => Ok(Self(value)),
            Err(problem) => {
                let failure = Occurrence::built_in(problem).with_arguments(Json::of(&given).ok());
                let words = match door::hand_over("mcp", failure) {
                    // rmcp's router keeps nothing but the words.
                    Ok(ticket) => ticket.number().to_string(),
                    Err((scope, failure)) => {
                        let passed = scope.pass(failure, "mcp");
                        mcp::text(passed.problem(), &passed.call(None))
                    }
                };
                Err(ErrorData::invalid_params(format!("{PREFIX} {words}"), None))
            }
        }
    }
}

/// The ticket in the words of such a refusal.
pub(super) fn ticket(words: &str) -> Option<Ticket> {
    let number = words.strip_prefix(PREFIX)?.trim().parse().ok()?;
    Some(Ticket::from_number(number))
}

fn read<P: DeserializeOwned + JsonSchema>(given: &Value) -> Result<P, ProblemDetails> {
    serde_path_to_error::deserialize(given).map_err(|error| {
        let schema = SchemaSettings::draft2020_12()
            .into_generator()
            .into_root_schema_for::<P>();
        let path = pointer(error.path());
        problem(given, schema.as_value(), &path, &error.inner().to_string())
    })
}

/// The problem of arguments that could not be read: what the schema tells, or else what serde said.
pub(super) fn problem(given: &Value, schema: &Value, path: &str, message: &str) -> ProblemDetails {
    let mut faults = arguments::check_strictly(given, schema);
    let place = arguments::place::within(given, path, message);
    let said = Fault::from_serde(&place, message);
    match faults.as_mut_slice() {
        [] => faults.push(said),
        // The program knows the order of its fields, the schema does not.
        [only] if only.pointer() == said.pointer() && only.is_unknown() && said.is_unknown() => {
            *only = said;
        }
        _ => {}
    }
    arguments::problem(&faults).unwrap_or_else(|| builtin::problem(&builtin::INTERNAL))
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;

    let mut pointer = Pointer::ROOT;
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push(&index.to_string()),
            Segment::Map { key } => pointer.push(key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer.into()
}

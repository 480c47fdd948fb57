//! Arguments of a tool: read, or told what is wrong with them.

use std::borrow::Cow;

use ::rmcp::ErrorData;
use ::rmcp::handler::server::common::FromContextPart;
use ::rmcp::handler::server::tool::ToolCallContext;
use ::rmcp::schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use aon_core::{Json, ProblemDetails};
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
                        mcp::write_parts(passed.problem(), &passed.call(None), &mut Vec::new())
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
    P::deserialize(given).map_err(|error| {
        let schema = SchemaSettings::draft2020_12()
            .into_generator()
            .into_root_schema_for::<P>();
        let said = arguments::faults::<P>(given, arguments::ROUNDS, &error);
        problem(given, schema.as_value(), said)
    })
}

/// The problem of arguments that could not be read: what the schema tells, or else what the program's own type said.
pub(super) fn problem(given: &Value, schema: &Value, said: Vec<Fault>) -> ProblemDetails {
    let mut faults = arguments::check_strictly(given, schema);
    // The program knows the order of its fields, the schema does not.
    let same_name = matches!((&*faults, &*said), ([one], [other])
        if one.pointer() == other.pointer() && one.is_unknown() && other.is_unknown());
    if faults.is_empty() || same_name {
        faults = said;
    }
    arguments::problem(&faults).unwrap_or_else(|| builtin::problem(&builtin::INTERNAL))
}

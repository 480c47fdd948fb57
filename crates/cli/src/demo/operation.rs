//! The operations by the names each surface has for them. This table is the one set of handlers.

use aon::{Choice, Choices, Failure};
use serde_json::{Value, json};

use super::domain::{self, AuthError, AuthUx, Store};
use super::input::{self, Argument};

/// One operation, on every surface.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) title: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) skill: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) read_only: bool,
    run: fn(&Store, &[&str]) -> Result<Value, AuthError>,
    output: fn() -> Value,
}

const ID: Argument = Argument {
    name: "id",
    description: "The id of the possibility.",
    choices: &[],
};

/// Every operation.
pub(crate) static OPERATIONS: [Operation; 3] = [
    Operation {
        title: "Update sign-in",
        summary: "Sets how people sign in to a possibility: on the hosted page or on a custom one.",
        method: "PATCH",
        path: "/possibilities/{id}/auth",
        tool: "update_possibility_auth",
        skill: "possibility_auth_configuration",
        arguments: &[
            ID,
            Argument {
                name: "auth_ux",
                description: "The sign-in page: \"hosted\" or \"custom\".",
                choices: AuthUx::CHOICES,
            },
        ],
        read_only: false,
        run: |store, arguments| match arguments {
            [id, auth_ux, ..] => Ok(json!(domain::update_auth(store, id, auth_ux)?)),
            _ => Ok(Value::Null),
        },
        output: auth_schema,
    },
    Operation {
        title: "Look up sign-in",
        summary: "Says how people sign in to a possibility.",
        method: "GET",
        path: "/possibilities/{id}/auth",
        tool: "get_possibility_auth",
        skill: "possibility_auth_lookup",
        arguments: &[ID],
        read_only: true,
        run: |store, arguments| match arguments {
            [id, ..] => Ok(json!(domain::find_auth(store, id)?)),
            _ => Ok(Value::Null),
        },
        output: auth_schema,
    },
    Operation {
        title: "List possibilities",
        summary: "Lists the possibilities and how people sign in to them.",
        method: "GET",
        path: "/possibilities",
        tool: "list_possibilities",
        skill: "possibility_listing",
        arguments: &[],
        read_only: true,
        run: |store, _| Ok(json!({"possibilities": domain::list(store)?})),
        output: || {
            json!({
                "type": "object",
                "properties": {"possibilities": {"type": "array", "items": auth_schema()}},
                "required": ["possibilities"],
            })
        },
    },
];

impl Operation {
    /// Reads the arguments and runs it.
    pub(crate) fn call(&self, store: &Store, arguments: &Value) -> Result<Value, Failure> {
        let texts = input::read(self.arguments, arguments).map_err(Failure::built_in)?;
        Ok((self.run)(store, &texts)?)
    }

    /// JSON Schema of the arguments.
    pub(crate) fn input_schema(&self) -> Value {
        input::schema(self.arguments)
    }

    /// JSON Schema of what it answers with.
    pub(crate) fn output_schema(&self) -> Value {
        (self.output)()
    }
}

fn value(choice: &Choice) -> Value {
    choice.value().to_value()
}

fn auth_schema() -> Value {
    let values: Vec<Value> = AuthUx::CHOICES.iter().map(value).collect();
    json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "auth_ux": {"type": "string", "enum": values}},
        "required": ["id", "auth_ux"],
    })
}

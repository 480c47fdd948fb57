//! Everything a caller hands in, in one list.

use std::collections::BTreeSet;

use super::Api;
use super::carrier::Carrier;
use super::parameter::{Location, Parameter};
use super::schema::{Schema, Types};
use super::text::Text;
use super::walk;
use crate::node::Node;

/// A parameter, or a property of a request schema.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The node of the name, to point at.
    pub name_node: Node<'a>,
    /// The object that describes it: the parameter, or the schema of the property.
    pub node: Node<'a>,
    /// Where it is sent.
    pub location: Location,
    /// Its schema.
    pub schema: Schema<'a>,
    /// The first operation that takes it, as an index into [`Api::operations`].
    pub operation: Option<usize>,
    required: Required<'a>,
    parameter: Option<Parameter<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Required<'a> {
    Known(bool),
    By(Schema<'a>),
}

impl<'a> Input<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name_node.text()
    }

    /// Whether it must be sent.
    pub fn is_required(&self) -> bool {
        match self.required {
            Required::Known(required) => required,
            Required::By(owner) => owner.requires(self.name()),
        }
    }

    /// The schema that lists the property; none for parameters. Its other properties are the neighbours.
    pub fn owner(&self) -> Option<Schema<'a>> {
        match self.required {
            Required::Known(_) => None,
            Required::By(owner) => Some(owner),
        }
    }

    /// The parameter, when it is one.
    pub fn parameter(&self) -> Option<&Parameter<'a>> {
        self.parameter.as_ref()
    }

    /// Its types.
    pub fn types(&self) -> Types {
        self.schema.types()
    }

    /// Its description.
    pub fn description(&self) -> Option<Text<'a>> {
        match &self.parameter {
            Some(parameter) => parameter.description,
            None => self.schema.description(),
        }
    }

    /// Its example values.
    pub fn examples(&self) -> Vec<Node<'a>> {
        match &self.parameter {
            Some(parameter) => parameter.examples(),
            None => self.schema.examples(),
        }
    }

    /// All carriers of its allowed values.
    pub fn carriers(&self) -> Vec<Carrier<'a>> {
        match &self.parameter {
            Some(parameter) => parameter.carriers(),
            None => self.schema.carriers(),
        }
    }
}

/// Three numbers in one, which is compared at once.
fn packed((file, node, words): (usize, usize, usize)) -> u128 {
    (file as u128) << 80 | (node as u128) << 40 | words as u128
}

pub(super) fn inputs<'a>(api: &Api<'a>) -> Vec<Input<'a>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, operation) in api.operations.iter().enumerate() {
        for parameter in &operation.parameters {
            let Some(name_node) = parameter.name_node else {
                continue;
            };
            // With words of its own at the reference it may be something else.
            let words = parameter.description.map(|text| text.node().index());
            let words = words.map_or(0, |index| index + 1);
            let place = (parameter.node.file().index(), parameter.node.index(), words);
            if !seen.insert(packed(place)) {
                continue;
            }
            found.push(Input {
                name_node,
                node: parameter.node,
                location: parameter.location,
                schema: parameter.schema,
                operation: Some(index),
                required: Required::Known(parameter.required),
                parameter: Some(parameter.clone()),
            });
        }
    }
    let properties = walk::request_properties(api);
    found.reserve(properties.len());
    for usage in properties {
        let property = usage.property;
        // What only the server sets is not handed in, even where a request schema mentions it.
        if property.schema.is_read_only() {
            continue;
        }
        found.push(Input {
            name_node: property.key,
            node: property.schema.node(),
            location: Location::Property,
            schema: property.schema,
            operation: usage.operation,
            required: Required::By(property.owner),
            parameter: None,
        });
    }
    found
}

//! Whole values: converting and comparing.

use super::{Kind, Node};

impl Node<'_> {
    /// The same value as `serde_json` knows it. Costly; meant for small values such as examples and defaults.
    pub fn to_json(self) -> serde_json::Value {
        use serde_json::Value;
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool => Value::Bool(self.as_bool().unwrap_or_default()),
            Kind::Number => self
                .as_i64()
                .map(Value::from)
                .or_else(|| self.text().parse::<u64>().map(Value::from).ok())
                .or_else(|| self.as_f64().map(Value::from))
                .unwrap_or_default(),
            Kind::String => Value::String(self.text().to_owned()),
            Kind::Array => Value::Array(self.items().map(Node::to_json).collect()),
            Kind::Object => Value::Object(
                self.members()
                    .map(|member| (member.key.text().to_owned(), member.value.to_json()))
                    .collect(),
            ),
        }
    }

    /// Whether two nodes hold the same value, whatever the layout. Members may stand in any order.
    pub fn same_value(self, other: Node<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool, Kind::Bool) => self.as_bool() == other.as_bool(),
            (Kind::Number, Kind::Number) => {
                self.text() == other.text() || self.as_f64() == other.as_f64()
            }
            (Kind::String, Kind::String) => self.text() == other.text(),
            (Kind::Array, Kind::Array) => {
                self.len() == other.len()
                    && self
                        .items()
                        .zip(other.items())
                        .all(|(a, b)| a.same_value(b))
            }
            (Kind::Object, Kind::Object) => {
                let within = |a: Node<'_>, b: Node<'_>| {
                    a.members().all(|member| {
                        b.get(member.key.text())
                            .is_some_and(|value| value.same_value(member.value))
                    })
                };
                self.members().count() == other.members().count() && within(self, other)
            }
            _ => false,
        }
    }
}

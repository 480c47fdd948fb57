//! Whole values: converting and comparing.

use super::{Kind, Node};
use crate::tree::{Raw, Tag};

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

    /// Visits every string of at least `shortest` bytes at or under this node, keys left out. Shorter ones and everything else
    /// are passed over without a look at the text.
    pub fn each_string(self, shortest: usize, visit: &mut dyn FnMut(Self)) {
        let end = self.raw().next;
        let mut id = self.id;
        while id < end {
            let raw = self.tree.raw(id);
            let quotes = match raw.tag {
                Tag::Quoted => Some(2),
                Tag::Plain => Some(0),
                Tag::Owned => None,
                // What stands behind an alias was complete before it, so this ends.
                Tag::Alias => {
                    Node::new(self.tree, id).each_string(shortest, visit);
                    id += 1;
                    continue;
                }
                _ => {
                    id += 1;
                    continue;
                }
            };
            let long = match quotes {
                Some(quotes) => (raw.end - raw.start) as usize >= shortest + quotes,
                None => self.tree.scalar_text(raw).len() >= shortest,
            };
            if long && raw.flags & Raw::KEY == 0 {
                visit(Node { id, ..self });
            }
            id += 1;
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

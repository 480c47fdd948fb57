//! Where an API can be reached.

use super::Api;
use crate::node::Node;

macro_rules! surfaces {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A surface an API can have.
        #[expect(clippy::exhaustive_enums, reason = "the contract names the surfaces a manifest can describe")]
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Surface { $($(#[$doc])* $variant,)* }

        impl Surface {
            /// All surfaces.
            pub const ALL: &'static [Surface] = &[$(Surface::$variant,)*];

            /// The name in manifests and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Surface::$variant => $name,)* }
            }

            /// Reads a name.
            pub fn parse(text: &str) -> Option<Surface> {
                let text = text.to_ascii_lowercase();
                match text.as_str() { $($name => Some(Surface::$variant),)* _ => None }
            }
        }
    };
}

surfaces! {
    /// HTTP.
    Rest = "rest",
    /// The Model Context Protocol.
    Mcp = "mcp",
    /// Agent to agent.
    A2a = "a2a",
    /// Pages and texts for people.
    Human = "human",
}

/// A set of surfaces.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Surfaces(u8);

impl Surfaces {
    /// Whether a surface is in the set.
    pub fn contains(self, surface: Surface) -> bool {
        self.0 & (1 << surface as u8) != 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The surfaces in the set.
    pub fn iter(self) -> impl Iterator<Item = Surface> {
        Surface::ALL
            .iter()
            .copied()
            .filter(move |surface| self.contains(*surface))
    }

    pub(crate) fn add(&mut self, surface: Surface) {
        self.0 |= 1 << surface as u8;
    }
}

pub(super) fn of_api(api: &Api<'_>) -> Surfaces {
    let mut surfaces = Surfaces::default();
    for operation in &api.operations {
        operation
            .surfaces()
            .iter()
            .for_each(|surface| surfaces.add(surface));
    }
    let declares_human = declared(api).contains(Surface::Human);
    let documented = api.docs_url.is_some()
        || api.operations.iter().any(|operation| {
            operation.docs_url.is_some()
                || operation
                    .errors
                    .iter()
                    .any(|error| error.docs_url.is_some())
        });
    if declares_human || documented {
        surfaces.add(Surface::Human);
    }
    surfaces
}

pub(super) fn declared(api: &Api<'_>) -> Surfaces {
    let mut surfaces = Surfaces::default();
    let named = api.declared_surfaces.into_iter().flat_map(names);
    named
        .filter_map(Surface::parse)
        .for_each(|surface| surfaces.add(surface));
    surfaces
}

/// The names in `surfaces: rest`, `surfaces: [rest, mcp]` or `surfaces: {rest: true, mcp: false}`.
fn names(node: Node<'_>) -> impl Iterator<Item = &str> {
    let single = Some(node.text()).filter(|_| !node.is_object() && !node.is_array());
    let listed = single.into_iter().chain(node.items().map(Node::text));
    let switched = node
        .members()
        .filter(|member| member.value.as_bool() != Some(false))
        .map(|member| member.name());
    listed.chain(switched)
}

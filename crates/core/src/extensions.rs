//! Members beyond the standard ones, in order, to the letter.

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::json::WriteObject;
use crate::{ExtensionName, Json, redact};

/// Extension members: what a program adds, and what a reader met and did not know ([P1], [P2]).
///
/// # Examples
///
/// ```
/// use aon_core::{Code, ExtensionName, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(402), Code::from_static("out_of_credit"))
///     .with_extension(ExtensionName::from_static("balance"), &30)?;
/// assert_eq!(problem.extensions().get("balance").map(|json| json.as_str()), Some("30"));
/// # Ok::<(), aon_core::InvalidJson>(())
/// ```
///
/// [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1
/// [P2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p2
#[derive(Clone, Debug, Default)]
pub struct Extensions(Vec<(String, Json)>);

impl Extensions {
    /// No member at all.
    pub const NONE: Self = Self(Vec::new());

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(kept, _)| kept == name)
            .map(|(_, value)| value)
    }

    /// Members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Sets a member; one of that name keeps its place.
    pub(crate) fn set(&mut self, name: &ExtensionName, value: Json) {
        self.keep(name.as_str().to_owned(), value);
    }

    /// Keeps a member a reader met, whatever its name; the last of a repeated name counts.
    pub(crate) fn keep(&mut self, name: String, value: Json) {
        match self.0.iter_mut().find(|(kept, _)| *kept == name) {
            Some(kept) => kept.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Keeps a member a reader met, from its JSON text; what nests too deep is named instead.
    pub(crate) fn keep_raw(
        &mut self,
        name: Cow<'_, str>,
        raw: &str,
        ignored: &mut dyn FnMut(String),
    ) {
        match Json::from_valid(raw) {
            Ok(value) => self.keep(name.into_owned(), value),
            Err(error) => ignored(format!("{name} is {error}")),
        }
    }

    /// Hides secrets, by name and by value, and those that are names.
    pub(crate) fn redact(&mut self) {
        for (name, value) in &mut self.0 {
            if let Some(hidden) = redact::member(name, value) {
                *value = hidden;
            }
            if let Cow::Owned(hidden) = redact::text(name) {
                *name = hidden;
            }
        }
    }

    /// Cuts texts that are too long.
    pub(crate) fn shorten(&mut self) {
        for (_, value) in &mut self.0 {
            if let Some(short) = redact::shortened(value) {
                *value = short;
            }
        }
    }

    pub(crate) fn write(&self, object: &mut impl WriteObject) {
        for (name, value) in &self.0 {
            object.json(name, value);
        }
    }
}

/// Equal when the same members have the same values; their order is not part of the meaning.
impl PartialEq for Extensions {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self
                .0
                .iter()
                .all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Serialize for Extensions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

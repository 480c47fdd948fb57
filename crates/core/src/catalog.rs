//! The catalog: every problem a program can emit, as a document ([D4]).
//!
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Entry, Json, Namespace, Problem};

pub mod section;

/// The version of the document this crate writes.
pub const VERSION: u32 = 1;

/// A catalog as it is written to a lock file: sorted by code, stable from one build to the next.
///
/// # Examples
///
/// ```
/// use aon_core::InvalidChoice;
/// use aon_core::catalog::Catalog;
///
/// let catalog = Catalog::of::<InvalidChoice>();
/// assert_eq!(catalog.problems.len(), 1);
/// assert_eq!(Catalog::parse(&catalog.to_json())?, catalog);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Catalog {
    /// The version of the document.
    pub version: u32,
    /// The problems, sorted by code, then by type.
    pub problems: Vec<Record>,
}

impl Catalog {
    /// A catalog of these entries.
    pub fn new(entries: impl IntoIterator<Item = &'static Entry>) -> Self {
        Self::from_records(entries.into_iter().map(Record::of))
    }

    /// A catalog of these records: sorted, and each once. A code the program declares itself stands in the place of one
    /// that comes with an adapter.
    pub fn from_records(records: impl IntoIterator<Item = Record>) -> Self {
        let mut problems: Vec<Record> = records.into_iter().collect();
        let declared: BTreeSet<String> = problems
            .iter()
            .filter(|record| !record.origin.is_built_in())
            .map(|record| record.code.clone())
            .collect();
        problems.retain(|record| !(record.origin.is_built_in() && declared.contains(&record.code)));
        problems.sort_by(|a, b| a.key().cmp(&b.key()));
        problems.dedup();
        // Two of our packages may say the same thing; then the first speaks for both.
        problems.dedup_by(|next, kept| {
            let ours = next.origin.is_built_in() && kept.origin.is_built_in();
            let apart = next.origin.package != kept.origin.package;
            ours && apart && (&next.code, next.status) == (&kept.code, kept.status)
        });
        Self {
            version: VERSION,
            problems,
        }
    }

    /// The catalog of a program with that namespace: what comes with an adapter stands in it too, and so do the types of crates that
    /// say none.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &Namespace) -> Self {
        for record in &mut self.problems {
            let default = Namespace::DEFAULT.type_of(&record.code);
            if record.type_uri == default {
                record.type_uri = namespace.type_of(&record.code);
            }
        }
        self
    }

    /// The catalog of one type and the types it forwards to.
    pub fn of<P: Problem>() -> Self {
        let mut entries = Vec::new();
        P::entries(&mut |entry| entries.push(entry));
        Self::new(entries)
    }

    /// Reads the document.
    ///
    /// # Errors
    ///
    /// When it is not a catalog.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// The document, indented, with a final newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The record of a code.
    pub fn find(&self, code: &str) -> Option<&Record> {
        self.problems.iter().find(|record| record.code == code)
    }

    /// Codes that stand for different problems: each with the places that declare it.
    pub fn duplicates(&self) -> Vec<(&str, Vec<&RecordOrigin>)> {
        let mut found: Vec<(&str, Vec<&RecordOrigin>)> = Vec::new();
        for record in &self.problems {
            match found.last_mut() {
                Some((code, places)) if *code == record.code => places.push(&record.origin),
                _ => found.push((&record.code, vec![&record.origin])),
            }
        }
        found.retain(|(_, places)| places.len() > 1);
        found
    }
}

/// One problem of a [`Catalog`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::exhaustive_structs,
    reason = "whoever compares two must take a new member into account"
)]
pub struct Record {
    /// `code`.
    pub code: String,
    /// `status`.
    pub status: u16,
    /// `type`.
    #[serde(rename = "type")]
    pub type_uri: String,
    /// `title`.
    pub title: String,
    /// `detail` as a template.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What it means, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// `valid_values` by field; `null` where they are only known at run time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub valid_values: BTreeMap<String, Option<Vec<serde_json::Value>>>,
    /// `remediation`, as on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation: Option<serde_json::Value>,
    /// `docs_url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// `mcp_tool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// `a2a_skill`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2a_skill: Option<String>,
    /// JSON Pointers of the fields it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
    /// When to try again, in seconds; `null` where it is only known at run time.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub retry_after: Option<Option<u64>>,
    /// The challenge of a 401.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// Extension members the occurrences carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// What they are on the wire, where it is known: `boolean`, `integer`, `number`, `string`, and `[]` behind it for a list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extension_types: BTreeMap<String, String>,
    /// Where it was declared.
    #[serde(default)]
    pub origin: RecordOrigin,
}

/// Where a [`Record`] was declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordOrigin {
    /// The package.
    pub package: String,
    /// The type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The variant; empty for a struct.
    #[serde(default)]
    pub variant: String,
}

impl RecordOrigin {
    /// Whether it comes with an adapter of this library, such as the 404 of a router, and not from the program.
    pub fn is_built_in(&self) -> bool {
        matches!(&*self.package, "aon" | "aon-rs" | "aon-live" | "aon-agent")
    }
}

impl Record {
    /// The record of an entry.
    pub fn of(entry: &Entry) -> Self {
        let text = |part: Option<&str>| part.map(str::to_owned);
        let list = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
        Self {
            code: entry.code.to_owned(),
            status: entry.status,
            type_uri: entry.type_uri.to_owned(),
            title: entry.title.to_owned(),
            detail: entry.detail.to_owned(),
            summary: entry.summary.to_owned(),
            valid_values: entry
                .valid_values
                .iter()
                .map(|values| {
                    let choices = || {
                        let values = values.values();
                        let tree = |choice| {
                            Json::of(choice).map_or(serde_json::Value::Null, |json| json.to_value())
                        };
                        values.iter().map(tree).collect()
                    };
                    (values.field.to_owned(), (!values.varies).then(choices))
                })
                .collect(),
            remediation: entry
                .remediation
                .map(|remediation| remediation.to_json().to_value()),
            docs_url: text(entry.docs_url),
            mcp_tool: text(entry.mcp_tool),
            a2a_skill: text(entry.a2a_skill),
            pointers: list(entry.pointers),
            retry_after: match (entry.retry_after, entry.retry_after_varies) {
                (Some(seconds), _) => Some(Some(seconds)),
                (None, true) => Some(None),
                (None, false) => None,
            },
            challenge: text(entry.challenge),
            extensions: list(entry.extensions),
            extension_types: entry
                .extension_types
                .iter()
                .map(|(name, shape)| ((*name).to_owned(), (*shape).to_owned()))
                .collect(),
            origin: RecordOrigin {
                package: entry.origin.package.to_owned(),
                type_name: entry.origin.type_name.to_owned(),
                variant: entry.origin.variant.to_owned(),
            },
        }
    }

    fn key(&self) -> (&str, &str, &str, &str, &str) {
        (
            &self.code,
            &self.type_uri,
            &self.origin.package,
            &self.origin.type_name,
            &self.origin.variant,
        )
    }
}

/// Tells a member that is `null` from one that is absent.
#[expect(
    clippy::option_option,
    reason = "absent and null differ in the document"
)]
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(deserializer).map(Some)
}

//! Old names and near misses in the payload, set right where nothing else can be meant ([P11]).
//!
//! [P11]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p11

use aon::surface::correct::Correction;
use aon_core::{Category, Json};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::strategy::{Failed, Remedy, Strategy};
use crate::machine::rename::{Renamed, into, to_fields};

/// Gives members of the payload the names the program expects now: `mail` becomes `email`. Where two readings are possible
/// nothing is renamed.
#[derive(Clone, Debug)]
pub struct Rename {
    how: How,
    used: bool,
}

#[derive(Clone, Debug)]
enum How {
    Type(fn(&Value) -> Option<Renamed>),
    Fields(Vec<String>),
}

impl Rename {
    /// The names of a type: it is asked what it misses, at every depth.
    pub fn into<T: DeserializeOwned>() -> Self {
        Self {
            how: How::Type(into::<T>),
            used: false,
        }
    }

    /// Names that are known only at run time. One that is not there is given to the one member that can be meant.
    pub fn to_fields(fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            how: How::Fields(fields.into_iter().map(Into::into).collect()),
            used: false,
        }
    }
}

impl<R: Send> Strategy<R> for Rename {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        if self.used || failed.hints().category != Category::Validation {
            return Remedy::decline();
        }
        let renamed = match &self.how {
            How::Type(rename) => rename(failed.payload()),
            How::Fields(fields) => {
                let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
                to_fields(failed.payload(), &fields)
            }
        };
        let Some(Renamed { document, names }) = renamed else {
            return Remedy::decline();
        };
        self.used = true;
        let changed = names.iter().map(|(old, new)| format!("{old} → {new}"));
        Remedy::retry("rename_member")
            .because("Members had names that are not used any more.")
            .with_payload(document, changed)
    }
}

/// Replaces a wrong value by the one that is unambiguously meant: what `corrected_args` would say, applied.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Correct {
    used: u32,
}

/// How often one step is corrected.
const CORRECTIONS: u32 = 4;

impl Correct {
    /// Corrections by what the problem says is valid.
    pub const fn new() -> Self {
        Self { used: 0 }
    }
}

impl<R: Send> Strategy<R> for Correct {
    async fn heal(&mut self, failed: &mut Failed<'_>) -> Remedy<R> {
        if self.used >= CORRECTIONS || failed.hints().category != Category::Validation {
            return Remedy::decline();
        }
        let corrected = Json::of(failed.payload())
            .ok()
            .and_then(|payload| Correction::of(failed.problem(), &payload));
        let Some(correction) = corrected else {
            return Remedy::decline();
        };
        self.used += 1;
        let changed: Vec<String> = correction
            .replaced()
            .map(|(pointer, _)| pointer.to_owned())
            .collect();
        Remedy::retry("correct_value")
            .because("A value was near enough to one that is valid.")
            .with_payload(correction.arguments().to_value(), changed)
    }
}

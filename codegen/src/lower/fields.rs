//! What the fields of an object are called in each language.

use crate::ir::Field;
use crate::names;

/// Sorts fields and gives each its name in each language.
///
/// A name that every language takes as it is stays. The others are put into the case of the language; where that is a name
/// that another field has, a number follows.
pub(super) fn named_fields(mut fields: Vec<Field>) -> Vec<Field> {
    if !fields.is_sorted_by(|a, b| a.wire <= b.wire) {
        fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    }
    let odd: Vec<usize> = (0..fields.len())
        .filter(|at| {
            fields
                .get(*at)
                .is_some_and(|field| !names::is_plain_field(&field.wire))
        })
        .collect();
    let mut given: Vec<(String, String)> = Vec::with_capacity(odd.len());
    for at in &odd {
        let Some(field) = fields.get(*at) else {
            continue;
        };
        let has = |name: &str| {
            names::is_plain_field(name)
                && fields
                    .binary_search_by(|other| (*other.wire).cmp(name))
                    .is_ok()
        };
        let rust = free(names::rust_field(&field.wire), |name| {
            has(name) || given.iter().any(|(rust, _)| rust == name)
        });
        let python = free(names::python_field(&field.wire), |name| {
            has(name) || given.iter().any(|(_, python)| python == name)
        });
        given.push((rust, python));
    }
    for (at, (rust, python)) in odd.into_iter().zip(given) {
        if let Some(field) = fields.get_mut(at) {
            field.rare().names = Some((rust, python));
        }
    }
    fields
}

/// The name, or the name with the lowest number that nobody has.
fn free(name: String, taken: impl Fn(&str) -> bool) -> String {
    if !taken(&name) {
        return name;
    }
    let plain = name.trim_start_matches("r#").trim_end_matches('_');
    let gap = if plain.ends_with(|c: char| c.is_ascii_digit()) {
        "_"
    } else {
        ""
    };
    let numbered = (2_usize..).map(|number| format!("{plain}{gap}{number}"));
    numbered
        .into_iter()
        .find(|name| !taken(name))
        .unwrap_or_default()
}

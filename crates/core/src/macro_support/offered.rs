//! An `Option` that feeds `valid_values`: of a list, of something that leads to a list, or of one value.
//!
//! A call finds the first of the three traits that fits, because it takes one reference less each time. `None` means that
//! the member is absent.

use std::ops::Deref;

use crate::{Choice, Members};

/// The field.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "only the derive builds it")]
pub struct Offered<'a, T>(pub &'a T);

/// The `Option` holds a list.
pub trait List {
    /// Adds the values.
    fn offer(&self, members: &mut Members<'_>, field: &'static str);
}

impl<'a, T> List for &&Offered<'a, Option<T>>
where
    &'a T: IntoIterator<Item: Into<Choice>>,
{
    fn offer(&self, members: &mut Members<'_>, field: &'static str) {
        if let Some(values) = self.0 {
            members.valid_values(field, values);
        }
    }
}

/// The `Option` holds what points at a list, such as a `Cow` or an `Arc`.
pub trait ListBehind {
    /// Adds the values.
    fn offer(&self, members: &mut Members<'_>, field: &'static str);
}

impl<'a, T> ListBehind for &Offered<'a, Option<T>>
where
    T: Deref,
    &'a T::Target: IntoIterator<Item: Into<Choice>>,
{
    fn offer(&self, members: &mut Members<'_>, field: &'static str) {
        if let Some(values) = self.0 {
            members.valid_values(field, &**values);
        }
    }
}

/// The `Option` holds one value.
pub trait One {
    /// Adds the value.
    fn offer(&self, members: &mut Members<'_>, field: &'static str);
}

impl<'a, T> One for Offered<'a, Option<T>>
where
    &'a T: Into<Choice>,
{
    fn offer(&self, members: &mut Members<'_>, field: &'static str) {
        if let Some(value) = self.0 {
            members.valid_values(field, [value]);
        }
    }
}

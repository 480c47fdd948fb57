//! Extractors whose rejections are full problems: no text to parse back.

#![expect(
    clippy::exhaustive_structs,
    reason = "extractors are taken apart in the arguments of handlers"
)]

mod body;
#[cfg(feature = "schema")]
mod checked;
mod json;
mod path;
mod query;

#[cfg(feature = "schema")]
pub use checked::Checked;
pub use json::Json;
pub use path::Path;
pub use query::Query;

/// Lets a wrapper be used like what it wraps.
macro_rules! transparent {
    ($name:ident) => {
        impl<T> std::ops::Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }

        impl<T> std::ops::DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut T {
                &mut self.0
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(inner: T) -> Self {
                Self(inner)
            }
        }
    };
}

use transparent;

//! Extractors whose rejections are full problems: no text to parse back.

use aon_core::Namespace;
use axum_core::extract::rejection::BytesRejection;
use axum_core::response::IntoResponse;

use super::framework;
use super::respond::Failure;

mod json;
mod path;
mod query;

pub use json::Json;
pub use path::Path;
pub use query::Query;

/// What a body that could not be taken in stands for.
fn of_bytes(rejection: BytesRejection) -> Failure {
    let status = rejection.into_response().status();
    let entry = if status == http::StatusCode::PAYLOAD_TOO_LARGE {
        &framework::BODY_TOO_LARGE
    } else {
        &framework::BODY_UNREADABLE
    };
    Failure::built_in(framework::problem(entry, &Namespace::DEFAULT))
}

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

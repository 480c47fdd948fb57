//! What the macros' output names. Not part of the public interface: it changes without notice.

pub use std::borrow::Cow;
pub use std::convert::{From, Into};
pub use std::error::Error;
pub use std::fmt;
pub use std::format_args;
pub use std::iter::IntoIterator;
pub use std::ops::FnMut;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str, u8, usize};
pub use std::result::Result::{self, Err, Ok};
pub use std::str::FromStr;
pub use std::vec::Vec;

pub use aon_core::canary::{CannotFill, Fills, HasSpecimens, Probe, Specimen, Specimens};
pub use aon_core::catalog::section::Said;
pub use aon_core::macro_support::{Challenge, Delay, Shown, assemble, offered};
pub use aon_core::{__embed as embed, __join as join};
pub use aon_core::{
    Choice, Choices, Embedded, Entry, EntryJson, ExampleRequest, FieldValues, InvalidChoice,
    Members, NextAction, NoneReason, Origin, Problem, ProblemDetails, Remediation, RemediationKind,
};
#[cfg(feature = "schema")]
pub use schemars;
pub use serde::Serialize;

pub use crate::{
    __impl_axum as impl_axum, __impl_jsonrpsee as impl_jsonrpsee, __impl_rmcp as impl_rmcp,
    __impl_schema as impl_schema, __package as package, __register as register,
    __say_namespace as say_namespace,
};

/// What a crate that says no namespace has; the macros find it when there is no such module at the root of the crate.
pub mod __aon_namespace {
    /// What stands before the code in a type.
    pub const PREFIX: &str = "pspace://problem/";
    /// The name in URNs.
    pub const URN: &str = "pspace";
}

/// The package a macro is used in.
#[doc(hidden)]
#[macro_export]
macro_rules! __package {
    () => {
        match ::core::option_env!("CARGO_PKG_NAME") {
            $crate::__private::Some(name) => name,
            $crate::__private::None => "",
        }
    };
}

/// The entries of every deriving type that is linked in.
#[cfg(feature = "catalog")]
#[linkme::distributed_slice]
pub static TYPES: [fn(&mut dyn FnMut(&'static Entry))];

/// The namespaces that the crates of the program say.
#[cfg(any(feature = "catalog", feature = "http"))]
#[linkme::distributed_slice]
pub static NAMESPACES: [Said];

#[cfg(any(feature = "catalog", feature = "http"))]
pub use linkme;

/// Makes a namespace known to the program: to the edges at run time, and to `aon catalog` in the file.
#[cfg(any(feature = "catalog", feature = "http"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __say_namespace {
    ($record:literal) => {
        const RANK: u8 = if ::core::option_env!("CARGO_BIN_NAME").is_some() {
            2
        } else if ::core::option_env!("CARGO_PRIMARY_PACKAGE").is_some() {
            1
        } else {
            0
        };
        $crate::__private::embed! { RECORD [
            $record,
            match RANK { 2 => "2", 1 => "1", _ => "0" },
            "}"
        ] }
        #[$crate::__private::linkme::distributed_slice($crate::__private::NAMESPACES)]
        #[linkme(crate = $crate::__private::linkme)]
        static SAID: $crate::__private::Said = $crate::__private::Said {
            prefix: PREFIX,
            urn: URN,
            rank: RANK,
            embedded: RECORD,
        };
    };
}

#[cfg(not(any(feature = "catalog", feature = "http")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __say_namespace {
    ($record:literal) => {};
}

/// Adds a type to the catalog of the program.
#[cfg(feature = "catalog")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($ty:ty) => {
        #[$crate::__private::linkme::distributed_slice($crate::__private::TYPES)]
        #[linkme(crate = $crate::__private::linkme)]
        static __TYPE: fn(&mut dyn $crate::__private::FnMut(&'static $crate::__private::Entry)) =
            <$ty as $crate::__private::Problem>::entries;
    };
}

#[cfg(not(feature = "catalog"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($ty:ty) => {};
}

/// The response of axum, for a deriving type: `[generics] [type] [where clause]`.
#[cfg(feature = "axum")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_axum {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {
        impl $($generics)* $crate::__private::axum_core::response::IntoResponse for $($ty)* $($bounds)* {
            fn into_response(self) -> $crate::__private::axum_core::response::Response {
                $crate::axum::respond(&self)
            }
        }
    };
}

#[cfg(feature = "axum")]
pub use axum_core;

#[cfg(not(feature = "axum"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_axum {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {};
}

/// The result of rmcp, for a deriving type: `[generics] [type] [where clause]`.
#[cfg(feature = "rmcp")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_rmcp {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {
        impl $($generics)* $crate::rmcp::__IntoCallToolResult for $($ty)* $($bounds)* {
            fn into_call_tool_result(
                self,
            ) -> $crate::__private::Result<$crate::rmcp::__CallToolResponse, $crate::rmcp::__ErrorData> {
                $crate::rmcp::call_tool_result(&self)
            }
        }
    };
}

#[cfg(not(feature = "rmcp"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_rmcp {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {};
}

/// The error object of jsonrpsee, for a deriving type: `[generics] [type] [where clause]`.
#[cfg(feature = "jsonrpsee")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_jsonrpsee {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {
        impl $($generics)* $crate::__private::From<$($ty)*> for $crate::jsonrpsee::__ErrorObjectOwned $($bounds)* {
            fn from(error: $($ty)*) -> Self {
                $crate::jsonrpsee::error_object(&error)
            }
        }
    };
}

#[cfg(not(feature = "jsonrpsee"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_jsonrpsee {
    ([$($generics:tt)*] [$($ty:tt)*] [$($bounds:tt)*]) => {};
}

/// The JSON Schema of a closed set.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_schema {
    ($ty:ty, $name:literal) => {
        impl $crate::__private::schemars::JsonSchema for $ty {
            fn inline_schema() -> $crate::__private::bool {
                true
            }

            fn schema_name() -> $crate::__private::Cow<'static, $crate::__private::str> {
                $crate::__private::Cow::Borrowed($name)
            }

            fn schema_id() -> $crate::__private::Cow<'static, $crate::__private::str> {
                $crate::__private::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    $name
                ))
            }

            fn json_schema(
                _generator: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::choices_schema::<Self>()
            }
        }
    };
}

#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_schema {
    ($ty:ty, $name:literal) => {
        ::core::compile_error!("`#[choice(schema)]` needs the feature `schema` of `aon`");
    };
}

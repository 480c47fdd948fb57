//! The catalog: every problem a program can emit, as a document ([D4]).
//!
//! Three ways lead to it, and none needs a list to maintain:
//!
//! - [`Catalog::of`] for one type and what it forwards to;
//! - `all`, with the feature `catalog`, for every deriving type of the program, in whatever crate;
//! - `aon catalog PROGRAM` on the command line, which reads the [`section`] of a built program without running it.
//!
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

pub use aon_core::catalog::{Catalog, Record, RecordOrigin, VERSION, section};

/// The catalog of the program: the entries of every type that derives `Problem`, from every crate that is linked in, and
/// of what the adapters that are turned on say by themselves.
///
/// # Examples
///
/// ```standalone_crate
/// #[derive(Debug, thiserror::Error, aon::Problem)]
/// #[error("the quota is used up")]
/// #[problem(status = 429, retry_after = 60)]
/// struct OutOfQuota;
///
/// assert!(aon::catalog::all().find("out_of_quota").is_some());
/// assert_eq!(aon::catalog::all().duplicates(), []);
/// ```
#[cfg(feature = "catalog")]
pub fn all() -> Catalog {
    let mut entries: Vec<_> = built_in().collect();
    for visit in crate::__private::TYPES {
        visit(&mut |entry| entries.push(entry));
    }
    Catalog::new(entries).in_namespace(crate::program_namespace())
}

/// What the adapters that are turned on say by themselves, such as the 404 of a router. It is part of `all`.
///
/// # Examples
///
/// ```
/// let entries: Vec<_> = aon::catalog::built_in().collect();
/// assert!(entries.iter().all(|entry| !entry.title.is_empty()));
/// ```
pub fn built_in() -> impl Iterator<Item = &'static aon_core::Entry> {
    crate::builtin::all()
}

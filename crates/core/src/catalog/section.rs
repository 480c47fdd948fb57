//! The catalog inside a program: how records are framed in its own section of the binary ([D4]).
//!
//! The derive puts one record per variant into the section [`NAME`] and points at it from the
//! [`Entry`](crate::Entry), so the linker keeps a record exactly when the program can emit the problem. `aon catalog`
//! reads the section without running the program.
//!
//! | bytes | meaning |
//! | --- | --- |
//! | 4 | `AON1` |
//! | 4 | length of what follows, little endian |
//! | length | a [`Record`] as JSON |
//!
//! Records follow each other; zeros between them are padding of the linker.
//!
//! [D4]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d4

use serde::Deserialize;

use super::Record;
use crate::Namespace;
use crate::macro_support::{fill, joined_len};

/// The name of the section in an ELF file.
pub const NAME: &str = "aon_catalog";
/// The name of the section in a Mach-O file, in the segment `__DATA`.
pub const NAME_MACHO: &str = "aon_catalog";
/// The name of the section in a PE file, where eight bytes are all there is.
pub const NAME_PE: &str = ".aoncat";

const MAGIC: &[u8; 4] = b"AON1";
const HEAD: usize = 8;

/// The records in the bytes of a section. What cannot be read is passed over: the next record starts at its mark.
///
/// # Examples
///
/// ```
/// use aon_core::catalog::section;
///
/// const PARTS: &[&str] = &[r#"{"code":"gone","status":410,"#, r#""type":"","title":""}"#];
/// let bytes = section::frame::<{ section::framed_len(PARTS) }>(PARTS);
/// let records = section::records(&bytes);
/// assert_eq!(records.first().map(|record| record.code.as_str()), Some("gone"));
/// ```
pub fn records(section: &[u8]) -> Vec<Record> {
    framed(section)
}

/// The namespaces that the crates of a program say, with [`Declared::rank`]; see [`of_program`].
pub fn namespaces(section: &[u8]) -> Vec<Declared> {
    framed(section)
}

/// The namespace a crate says for itself, as it stands in the section.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "only the macro `namespace!` builds it; core and derive share one version"
)]
pub struct Said {
    /// What stands before the code in a type.
    pub prefix: &'static str,
    /// The name in URNs.
    pub urn: &'static str,
    /// Who says it: 2 for a binary, 1 for a package of the workspace that was built, 0 for any other.
    pub rank: u8,
    /// The same in the section.
    #[doc(hidden)]
    pub embedded: Option<crate::Embedded>,
}

/// [`Said`], as read from a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declared {
    /// What stands before the code in a type.
    pub namespace: String,
    /// The name in URNs.
    pub urn: String,
    /// See [`Said::rank`].
    pub rank: u8,
}

/// The namespace of a program: that of its binary, or else of its own packages, or else of the packages it uses. Where several
/// of the same rank disagree, it is the default.
pub fn of_program<'a>(said: impl IntoIterator<Item = (&'a str, &'a str, u8)>) -> Namespace {
    let mut best: Option<(u8, Option<(&str, &str)>)> = None;
    for (prefix, urn, rank) in said {
        let name = Some((prefix, urn));
        best = match best {
            Some((kept, _)) if kept > rank => best,
            Some((kept, other)) if kept == rank && other != name => Some((rank, None)),
            _ => Some((rank, name)),
        };
    }
    match best {
        Some((_, Some((prefix, urn)))) => Namespace::known(prefix, urn),
        Some((_, None)) | None => Namespace::DEFAULT,
    }
}

/// Every framed value of that kind.
fn framed<T: for<'a> Deserialize<'a>>(section: &[u8]) -> Vec<T> {
    let mut found = Vec::new();
    let mut rest = section;
    while let Some(at) = rest.windows(MAGIC.len()).position(|window| window == MAGIC) {
        let framed = rest.get(at + MAGIC.len()..).unwrap_or_default();
        match framed_record(framed) {
            Some((record, used)) => {
                found.push(record);
                rest = framed.get(used..).unwrap_or_default();
            }
            None => rest = framed,
        }
    }
    found
}

/// The record after a mark, and how many bytes it takes.
fn framed_record<T: for<'a> Deserialize<'a>>(framed: &[u8]) -> Option<(T, usize)> {
    let (length, body) = framed.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let record = serde_json::from_slice(body.get(..length)?).ok()?;
    Some((record, length + 4))
}

/// The bytes [`frame`] needs for these parts of one record.
#[doc(hidden)]
pub const fn framed_len(parts: &[&str]) -> usize {
    HEAD + joined_len(parts)
}

/// One framed record, put together from parts while compiling. `N` is [`framed_len`] of the parts.
#[doc(hidden)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a record is written in a source file, far from 4 GiB"
)]
pub const fn frame<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut out = [0; N];
    let (head, rest) = out.split_at_mut(HEAD);
    let (magic, length) = head.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    length.copy_from_slice(&((N - HEAD) as u32).to_le_bytes());
    fill(rest, parts);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &[&str] = &[
        r#"{"code":"a","status":404,"#,
        r#""type":"t:AON1","title":"AON1"}"#,
    ];
    const LENGTH: usize = framed_len(PARTS);
    static FRAMED: [u8; LENGTH] = frame(PARTS);

    #[test]
    fn records_are_found_between_padding_and_rubbish() {
        let mut bytes = vec![0; 3];
        bytes.extend_from_slice(&FRAMED);
        bytes.extend_from_slice(&[0; 9]);
        bytes.extend_from_slice(&FRAMED);
        bytes.extend_from_slice(b"AON1\xff\xff\xff\xff not a record");
        bytes.extend_from_slice(b"AON1\x02\x00\x00\x00[]");
        bytes.extend_from_slice(&FRAMED);
        bytes.extend_from_slice(b"AON1\x05");
        let codes: Vec<String> = records(&bytes).into_iter().map(|r| r.code).collect();
        assert_eq!(codes, ["a", "a", "a"]);
    }

    #[test]
    fn the_namespace_of_a_program_is_that_of_its_binary() {
        let (binary, own, other) = (("b:", "b", 2), ("o:", "o", 1), ("x:", "x", 0));
        let of = |said: &[(&'static str, &'static str, u8)]| {
            let namespace = of_program(said.iter().copied());
            namespace.type_prefix().to_owned()
        };
        assert_eq!(of(&[other, own, binary]), "b:");
        assert_eq!(of(&[binary, own, other]), "b:");
        assert_eq!(of(&[other, own]), "o:");
        assert_eq!(of(&[own, own, other]), "o:");
        assert_eq!(of(&[other, ("y:", "y", 0)]), "pspace://problem/");
        assert_eq!(of(&[other, ("y:", "y", 0), own]), "o:");
        assert_eq!(of(&[]), "pspace://problem/");
    }

    #[test]
    fn namespaces_and_records_stand_side_by_side() {
        const SAID: &[&str] = &[r#"{"namespace":"a:","urn":"a","rank":2}"#];
        let said: [u8; framed_len(SAID)] = frame(SAID);
        let bytes = [&said[..], &FRAMED[..]].concat();
        assert_eq!(records(&bytes).len(), 1);
        let read: Vec<String> = namespaces(&bytes)
            .into_iter()
            .map(|d| d.namespace)
            .collect();
        assert_eq!(read, ["a:"]);
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert_eq!(records(&[]), []);
        assert_eq!(records(b"AON"), []);
    }
}

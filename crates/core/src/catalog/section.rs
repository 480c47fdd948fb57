//! The catalog inside a program: how records are framed in its own section of the binary (D4).
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

use super::Record;

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
fn framed_record(framed: &[u8]) -> Option<(Record, usize)> {
    let (length, body) = framed.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let record = serde_json::from_slice(body.get(..length)?).ok()?;
    Some((record, length + 4))
}

/// The bytes [`frame`] needs for these parts of one record.
#[doc(hidden)]
pub const fn framed_len(parts: &[&str]) -> usize {
    let mut length = HEAD;
    let mut at = 0;
    while at < parts.len() {
        length += parts[at].len();
        at += 1;
    }
    length
}

/// One framed record, put together from parts while compiling. `N` is [`framed_len`] of the parts.
#[doc(hidden)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a record is written in a source file, far from 4 GiB"
)]
pub const fn frame<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut out = [0; N];
    let (head, mut rest) = out.split_at_mut(HEAD);
    let (magic, length) = head.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    length.copy_from_slice(&((N - HEAD) as u32).to_le_bytes());
    let mut at = 0;
    while at < parts.len() {
        let (part, left) = rest.split_at_mut(parts[at].len());
        part.copy_from_slice(parts[at].as_bytes());
        rest = left;
        at += 1;
    }
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
    fn nothing_is_found_in_nothing() {
        assert_eq!(records(&[]), []);
        assert_eq!(records(b"AON"), []);
    }
}

//! A file that was generated, and how one can tell whether a person changed it since.

use std::borrow::Cow;

/// A file: where it goes below the folder of its target, and what stands in it.
///
/// When the contents hold the mark `aon-hash: 0000000000000000` (the stamp of [`Options::stamp`](crate::Options::stamp) does), the
/// zeros are replaced by a hash of everything else. [`Origin::of`] reads it back.
///
/// ```
/// use aon_codegen::{GeneratedFile, Origin};
///
/// let file = GeneratedFile::new("a.txt", "aon-hash: 0000000000000000\nhello\n");
/// assert_eq!(Origin::of(file.contents()), Origin::Untouched);
/// assert_eq!(Origin::of(&file.contents().replace("hello", "hallo")), Origin::Edited);
/// assert_eq!(Origin::of("hello\n"), Origin::Foreign);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GeneratedFile {
    path: String,
    contents: String,
}

impl GeneratedFile {
    /// A file. The path has `/` between its parts and stays below its folder: other parts are dropped.
    pub fn new(path: &str, contents: impl Into<String>) -> GeneratedFile {
        let path: Vec<&str> = path
            .split(['/', '\\'])
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let mut contents = contents.into();
        if let Some(at) = contents.find(BLANK_MARK) {
            let hash = format!("{MARK}{:016x}", hash(&contents));
            contents.replace_range(at..at + BLANK_MARK.len(), &hash);
        }
        GeneratedFile {
            path: path.join("/"),
            contents,
        }
    }

    /// Where it goes, with `/` between the parts.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What stands in it.
    pub fn contents(&self) -> &str {
        &self.contents
    }

    /// What stands in it, taken out.
    pub fn into_contents(self) -> String {
        self.contents
    }

    /// The same file in a folder.
    #[must_use]
    pub fn below(self, folder: &str) -> GeneratedFile {
        GeneratedFile {
            path: format!("{folder}/{}", self.path),
            contents: self.contents,
        }
    }
}

/// Where a file that lies in the way comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the mark is there and right, there and wrong, or not there"
)]
pub enum Origin {
    /// We wrote it, and nobody changed it.
    Untouched,
    /// We wrote it, and somebody changed it.
    Edited,
    /// We did not write it.
    Foreign,
}

impl Origin {
    /// Tells by the mark. Line ends that a version control system changed do not count as a change.
    pub fn of(contents: &str) -> Origin {
        let contents = if contents.contains('\r') {
            Cow::Owned(contents.replace("\r\n", "\n"))
        } else {
            Cow::Borrowed(contents)
        };
        let Some(at) = contents.find(MARK) else {
            return Origin::Foreign;
        };
        let digits = at + MARK.len();
        let Some(written) = contents.get(digits..digits + 16) else {
            return Origin::Foreign;
        };
        let Ok(written) = u64::from_str_radix(written, 16) else {
            return Origin::Foreign;
        };
        let mut blank = contents.into_owned();
        blank.replace_range(at..digits + 16, BLANK_MARK);
        if hash(&blank) == written {
            Origin::Untouched
        } else {
            Origin::Edited
        }
    }
}

/// FNV-1a over words of eight bytes. It is meant to notice a change, not to keep an attacker out.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        mixed ^ (mixed >> 29)
    };
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let seed = 0xcbf2_9ce4_8422_2325 ^ u64::try_from(text.len()).unwrap_or(u64::MAX);
    let hash = words
        .iter()
        .fold(seed, |hash, word| step(hash, u64::from_le_bytes(*word)));
    rest.iter()
        .fold(hash, |hash, byte| step(hash, u64::from(*byte)))
}

const MARK: &str = "aon-hash: ";

pub(crate) const BLANK_MARK: &str = "aon-hash: 0000000000000000";

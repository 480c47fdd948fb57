//! From bytes to text, or to a sentence that names what the bytes are.

use crate::issue::IssueKind;
use crate::parse::ParseOptions;
use crate::span::{Span, offset};

/// Why bytes were not taken as text.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: IssueKind,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: &'static str,
    /// The part that could be read, so that the place can be shown.
    pub(crate) kept: String,
}

pub(crate) fn decode(bytes: Vec<u8>, options: &ParseOptions) -> Result<String, Refusal> {
    if bytes.len() > options.max_bytes() {
        let message = format!(
            "the file has {} bytes, more than the limit of {}",
            bytes.len(),
            options.max_bytes()
        );
        let mut refusal = refuse(
            IssueKind::TooLarge,
            message,
            "split the file, or raise the limit",
        );
        // Enough to see what it is.
        let head = bytes.get(..bytes.len().min(HEAD)).unwrap_or(&bytes);
        refusal.kept = String::from_utf8_lossy(head).into_owned();
        return Err(refusal);
    }
    if let Some(name) = wide_encoding(&bytes) {
        return Err(refuse(
            IssueKind::WideEncoding,
            format!("the file is {name} text, and only UTF-8 is read"),
            "save it as UTF-8",
        ));
    }
    if let Some(name) = binary(&bytes) {
        return Err(refuse(
            IssueKind::Binary,
            format!("the file is {name}, not JSON or YAML text"),
            "give the text file that describes the API",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        let byte = bytes.get(at).copied().unwrap_or_default();
        bytes.truncate(at);
        Refusal {
            kind: IssueKind::InvalidUtf8,
            span: Span::new(offset(at), offset(at)),
            message: format!("the byte 0x{byte:02x} at offset {at} is not UTF-8"),
            help: "save the file as UTF-8; Latin-1 and Windows encodings are not read",
            kept: String::from_utf8(bytes).unwrap_or_default(),
        }
    })
}

fn refuse(kind: IssueKind, message: String, help: &'static str) -> Refusal {
    Refusal {
        kind,
        span: Span::default(),
        message,
        help,
        kept: String::new(),
    }
}

fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] => Some("UTF-16 (little-endian)"),
        [0xfe, 0xff, ..] => Some("UTF-16 (big-endian)"),
        [0, 0, 0, b, ..] if *b != 0 => Some("UTF-32"),
        [a, 0, 0, 0, ..] if *a != 0 => Some("UTF-32"),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some("UTF-16 (little-endian)"),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some("UTF-16 (big-endian)"),
        _ => None,
    }
}

fn binary(bytes: &[u8]) -> Option<&'static str> {
    for (magic, name) in MAGIC {
        if bytes.starts_with(magic) {
            return Some(name);
        }
    }
    let head = bytes.get(..bytes.len().min(8192)).unwrap_or(bytes);
    // A text may carry a stray NUL somewhere, which the parsers report with its place; a binary file has one early or many.
    let nuls = memchr::memchr_iter(0, head).count();
    (nuls > 0 && std::str::from_utf8(bytes).is_err() || nuls * 20 > head.len())
        .then_some("a binary file")
}

/// How much is kept of a file that is too large.
const HEAD: usize = 4096;

const MAGIC: [(&[u8], &str); 9] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ\x90", "a program (PE)"),
    (b"BZh", "a bzip2 archive"),
];

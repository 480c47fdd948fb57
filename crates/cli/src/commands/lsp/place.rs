//! Addresses of documents as paths, and back.

use std::path::PathBuf;
use std::str::FromStr;

use lsp_types::Uri;

/// The path behind a `file:` address; none for an address of anything else.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let start = rest.find('/')?;
    let (host, path) = rest.split_at(start);
    if !matches!(host, "" | "localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = decoded(path)?;
    // `/c:/folder` is `c:/folder`.
    let bytes = path.as_bytes();
    let drive = matches!(bytes, [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    let path = if drive { path.get(1..)? } else { &path };
    Some(PathBuf::from(path))
}

/// The name a document is read under: its path with `/`, or the last part of its address.
pub(super) fn name(uri: &Uri) -> String {
    if let Some(path) = path(uri) {
        return path.to_string_lossy().replace('\\', "/");
    }
    let text = uri.as_str();
    let last = text.rsplit(['/', ':']).next().unwrap_or(text);
    decoded(last).unwrap_or_else(|| last.to_owned())
}

/// The address of a path.
pub(super) fn uri(path: &str) -> Option<Uri> {
    let mut text = String::from("file://");
    if !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            for half in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(u32::from(half), 16).map(|c| c.to_ascii_uppercase()));
            }
        }
    }
    Uri::from_str(&text).ok()
}

/// Undoes percent-encoding; none when what comes out is not text.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            let value = digit()? * 16 + digit()?;
            out.push(u8::try_from(value).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        for text in ["/a/b.yaml", "/über uns/a#b%20.yaml", "/a+b/[c].json"] {
            let uri = uri(text).unwrap();
            assert_eq!(path(&uri), Some(PathBuf::from(text)), "{}", uri.as_str());
            assert_eq!(name(&uri), text);
        }
    }

    #[test]
    fn addresses_of_other_things_have_a_name_but_no_path() {
        let parse = |text: &str| Uri::from_str(text).unwrap();
        assert_eq!(path(&parse("untitled:Untitled-1")), None);
        assert_eq!(name(&parse("untitled:Untitled-1")), "Untitled-1");
        assert_eq!(name(&parse("git:/repo/a.aon.yaml")), "a.aon.yaml");
        assert_eq!(path(&parse("file://server/share/a.yaml")), None);
        assert_eq!(
            path(&parse("file:///c%3A/a.yaml")),
            Some(PathBuf::from("c:/a.yaml"))
        );
        assert_eq!(path(&parse("file:///a/%FF.yaml")), None);
    }
}

//! Names of files: joining, tidying, and staying inside a root. Names use `/`; nothing here asks a file system.

/// Joins a reference to the name of the file it stands in, and removes `.` and `..`.
pub(crate) fn join(from: &str, reference: &str) -> String {
    let base = if is_absolute(reference) {
        ""
    } else {
        directory(from)
    };
    let rooted = is_absolute(reference) || is_absolute(base);
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split(['/', '\\']).chain(reference.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(".."),
            },
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if rooted && !has_drive(&joined) {
        format!("/{joined}")
    } else {
        joined
    }
}

/// The part of a name before the last `/`; empty when there is none.
pub(crate) fn directory(name: &str) -> &str {
    name.rfind(['/', '\\']).map_or("", |at| {
        if at == 0 {
            "/"
        } else {
            name.get(..at).unwrap_or("")
        }
    })
}

/// Whether a tidied name lies in a root directory, by its text alone.
pub(crate) fn is_inside(name: &str, root: &str) -> bool {
    let root = join("", root);
    if root.is_empty() {
        return !name.starts_with("..") && !is_absolute(name);
    }
    if root == "/" {
        return name.starts_with('/');
    }
    name.strip_prefix(root.as_str())
        .is_some_and(|rest| rest.starts_with('/'))
}

fn is_absolute(name: &str) -> bool {
    name.starts_with(['/', '\\']) || has_drive(name)
}

fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Whether a reference names a host or scheme instead of a file.
pub(crate) fn is_url(reference: &str) -> bool {
    if reference.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = reference.split_once(':') else {
        return false;
    };
    scheme.len() > 1
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Whether the last part of a name ends in `.yaml`, `.yml` or `.json`.
pub(crate) fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Decodes `%41` and the like. Bytes that do not form UTF-8 leave the text as it was.
///
/// ```
/// assert_eq!(aon_manifest::percent_decode("a%7Bid%7D%"), "a{id}%");
/// ```
pub fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'%'
            && let [high, low, after @ ..] = tail
            && let (Some(high), Some(low)) = (
                char::from(*high).to_digit(16),
                char::from(*low).to_digit(16),
            )
        {
            bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_and_tidied() {
        assert_eq!(
            join("spec/api.yaml", "./models/pet.yaml"),
            "spec/models/pet.yaml"
        );
        assert_eq!(
            join("spec/paths/pets.yaml", "../models/pet.yaml"),
            "spec/models/pet.yaml"
        );
        assert_eq!(join("api.yaml", "../../etc/passwd"), "../../etc/passwd");
        assert_eq!(join("/a/b/c.yaml", "../../../../d"), "/d");
        assert_eq!(join("/a/b/c.yaml", "/etc/passwd"), "/etc/passwd");
        assert_eq!(join("C:/a/b.yaml", "c.yaml"), "C:/a/c.yaml");
    }

    #[test]
    fn inside_is_decided_by_whole_directories() {
        assert!(is_inside("spec/models/pet.yaml", "spec"));
        assert!(!is_inside("specials/pet.yaml", "spec"));
        assert!(!is_inside("../pet.yaml", ""));
        assert!(!is_inside("/etc/passwd", ""));
        assert!(is_inside("/home/a/x", "/home/a/"));
        assert!(!is_inside("/home/ab/x", "/home/a"));
    }

    #[test]
    fn urls_and_drives_are_told_apart() {
        assert!(is_url("https://example.com/x.json"));
        assert!(is_url("//example.com/x.json"));
        assert!(is_url("file:///etc/passwd"));
        assert!(!is_url("C:\\x.json"));
        assert!(!is_url("models/a.json"));
    }

    #[test]
    fn percent_signs_are_decoded_where_they_can_be() {
        assert_eq!(percent_decode("a%7Bid%7D%"), "a{id}%");
        assert_eq!(percent_decode("%ff"), "%ff");
    }
}

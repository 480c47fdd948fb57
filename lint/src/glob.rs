//! File patterns of `aon.toml`: `*` within a folder, `**` across folders, `?` for one character.

/// Whether a path with `/` matches a pattern. A pattern without `/` is tried on the file name alone, and a pattern that names
/// a folder matches everything in it.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    let path = path.trim_start_matches("./");
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = pattern.strip_suffix('/').unwrap_or(pattern);
    (!pattern.contains('/') && fits(pattern.as_bytes(), name.as_bytes()))
        || fits(pattern.as_bytes(), path.as_bytes())
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Matches with one step back to the last star of each kind, so the time is bounded by the product of both lengths.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    while t < path.len() {
        let rest = pattern.get(p..).unwrap_or_default();
        if rest.starts_with(b"**") {
            p += 2;
            // `**/` also matches no folder at all.
            if pattern.get(p) == Some(&b'/') {
                p += 1;
            }
            deep = Some((p, t));
            star = None;
            continue;
        }
        match (rest.first(), path.get(t)) {
            (Some(b'*'), _) => {
                p += 1;
                star = Some((p, t));
                continue;
            }
            (Some(b'?'), Some(byte)) if *byte != b'/' => {
                p += 1;
                t += 1;
                continue;
            }
            (Some(a), Some(b)) if a == b => {
                p += 1;
                t += 1;
                continue;
            }
            _ => {}
        }
        if let Some((back, from)) = star
            && path.get(from) != Some(&b'/')
        {
            star = Some((back, from + 1));
            (p, t) = (back, from + 1);
        } else if let Some((back, from)) = deep {
            deep = Some((back, from + 1));
            star = None;
            (p, t) = (back, from + 1);
        } else {
            return false;
        }
    }
    pattern
        .get(p..)
        .is_none_or(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_people_expect() {
        for (pattern, path) in [
            ("*.yaml", "api/pets.yaml"),
            ("api/*.yaml", "api/pets.yaml"),
            ("api/**", "api/a/b/c.json"),
            ("**/gen/*.json", "x/y/gen/a.json"),
            ("**/gen/*.json", "gen/a.json"),
            ("legacy/", "legacy/x/y.yaml"),
            ("legacy", "legacy/x.yaml"),
            ("p?ts.json", "pets.json"),
            ("./api/x.yaml", "api/x.yaml"),
            ("**", "a"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("api/*.yaml", "api/v1/pets.yaml"),
            ("*.yaml", "pets.json"),
            ("legacy", "legacy2/x.yaml"),
            ("a?b", "a/b"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        assert!(!matches(
            &"*a".repeat(30),
            &"a".repeat(200).replace("aa", "ab")
        ));
    }
}

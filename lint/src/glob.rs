//! File patterns of `aon.toml`: `*` within a folder, `**` across folders, `?` for one character.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of files, put together once. A name that is not a pattern at all stands for itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    patterns: Vec<String>,
    set: GlobSet,
}

impl Files {
    /// Of paths from the folder of `aon.toml`. A pattern without `/` is tried on the file name alone, and one that names a folder
    /// matches everything in it.
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        Self::put_together(patterns, |plain| {
            let folder = plain.trim_end_matches('/');
            let anywhere = (!plain.contains('/')).then(|| format!("**/{plain}"));
            let mut all = vec![plain.to_owned(), format!("{folder}/**")];
            all.extend(anywhere);
            all
        })
    }

    /// Of paths as they were given: a pattern is tried on the whole and on its end, folder by folder.
    pub(crate) fn ending(patterns: Vec<String>) -> Self {
        Self::put_together(patterns, |plain| vec![format!("**/{plain}")])
    }

    fn put_together(patterns: Vec<String>, variants: impl Fn(&str) -> Vec<String>) -> Self {
        let mut set = GlobSetBuilder::new();
        for pattern in &patterns {
            let pattern = pattern.replace('\\', "/");
            for variant in variants(pattern.trim_start_matches("./")) {
                let escaped = globset::escape(&variant);
                let build = |text: &str| GlobBuilder::new(text).literal_separator(true).build();
                if let Ok(glob) = build(&variant).or_else(|_| build(&escaped)) {
                    set.add(glob);
                }
            }
        }
        let set = set.build().unwrap_or_default();
        Self { patterns, set }
    }

    /// Whether one of them means this file.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.replace('\\', "/");
        self.set.is_match(path.trim_start_matches("./"))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns as they are written.
    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Files::new(vec![pattern.to_owned()]).has(path)
    }

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

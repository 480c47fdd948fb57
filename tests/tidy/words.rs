//! Plain English: the worst patterns are refused wherever a user can read them. The list is that of `docs/contributing.md`.

use std::fs;
use std::path::{Path, PathBuf};

use aon_tests::place;

/// Words that are not used, and what to write instead.
struct Pattern {
    words: &'static [&'static str],
    instead: &'static str,
    /// Right before this word they are fine.
    unless_after: &'static [&'static str],
    /// Right after this word they are fine.
    unless_before: &'static [&'static str],
    /// Whether rustdoc is looked at too; strings and pages always are.
    everywhere: bool,
}

const PATTERNS: [Pattern; 10] = [
    Pattern {
        words: &["is no", "are no", "was no", "were no"],
        instead: "is not a valid …",
        unless_after: &["there"],
        unless_before: &[
            "longer",
            "more",
            "need",
            "one",
            "other",
            "reason",
            "substitute",
            "way",
        ],
        everywhere: true,
    },
    Pattern {
        words: &[
            "need it not",
            "needs it not",
            "need them not",
            "need not it",
        ],
        instead: "does not need it",
        unless_after: &[],
        unless_before: &[],
        everywhere: true,
    },
    Pattern {
        words: &[
            "such a one",
            "of those there are",
            "the nearest there is",
            "the ones there are",
            "lists what there is",
        ],
        instead: "name the thing",
        unless_after: &[],
        unless_before: &[],
        everywhere: true,
    },
    Pattern {
        words: &[
            "who minds",
            "who asks for",
            "who comes",
            "who wants",
            "who needs it",
            "who uses",
        ],
        instead: "if you …, or: a caller that …",
        unless_after: &["person", "those", "people", "anyone", "user", "everyone"],
        unless_before: &[],
        everywhere: true,
    },
    Pattern {
        words: &["applicable is it", "what is none", "stands in none"],
        instead: "the usual order of words",
        unless_after: &[],
        unless_before: &[],
        everywhere: true,
    },
    Pattern {
        words: &["spoken here", "taken here", "understood here", "known here"],
        instead: "is not supported, is unknown",
        unless_after: &[],
        unless_before: &[],
        everywhere: true,
    },
    Pattern {
        words: &["whoever"],
        instead: "a caller that …, anyone who …",
        unless_after: &[],
        unless_before: &[],
        everywhere: false,
    },
    Pattern {
        words: &["is told", "are told", "was told", "were told"],
        instead: "say who says it: the answer names …",
        unless_after: &[],
        unless_before: &["apart"],
        everywhere: false,
    },
    Pattern {
        words: &["put right", "put it right"],
        instead: "fix, correct",
        unless_after: &[],
        unless_before: &[],
        everywhere: false,
    },
    Pattern {
        words: &["inside of", "outside of", "for ever"],
        instead: "inside, outside, forever",
        unless_after: &["the"],
        unless_before: &[],
        everywhere: false,
    },
];

/// What stands in a text, as far as a user can read it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Rustdoc,
    Literal,
}

#[test]
fn what_people_read_is_plain_english() {
    let mut counts = [0_usize; 3];
    let mut found = Vec::new();
    for path in files() {
        let text = fs::read_to_string(&path).expect("a file");
        let name = path
            .strip_prefix(place::root())
            .unwrap_or(&path)
            .display()
            .to_string();
        for (line, kind, words) in readable(&name, &text) {
            counts[kind as usize] += 1;
            for (bad, instead) in refused(kind, &words) {
                found.push(format!("{name}:{line}: \"{bad}\": write {instead}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "docs/contributing.md has the list of words:\n{}",
        found.join("\n")
    );
    let [pages, rustdoc, literals] = counts;
    assert!(
        pages > 2000 && rustdoc > 4000 && literals > 2000,
        "{counts:?}"
    );
    place::say(&format!(
        "count: plain English, {pages} lines of pages, {rustdoc} of rustdoc, {literals} texts in code, {} patterns",
        PATTERNS
            .iter()
            .map(|pattern| pattern.words.len())
            .sum::<usize>()
    ));
}

#[test]
fn the_list_of_words_is_in_the_documentation() {
    let page = fs::read_to_string(place::root().join("docs/contributing.md")).expect("the page");
    for pattern in &PATTERNS {
        assert!(
            pattern.words.iter().any(|words| page.contains(words)),
            "docs/contributing.md does not name {:?}",
            pattern.words
        );
    }
}

#[test]
fn the_patterns_find_what_they_are_for_and_nothing_else() {
    let bad = |kind, text| refused(kind, text).len();
    assert_eq!(bad(Kind::Literal, "`std::io::Error` is no problem"), 1);
    assert_eq!(bad(Kind::Rustdoc, "Types that derive it need it not."), 1);
    assert_eq!(bad(Kind::Page, "Who minds puts the layer around."), 1);
    assert_eq!(bad(Kind::Page, "There is no such route."), 0);
    assert_eq!(
        bad(Kind::Page, "It is no longer kept, and this is noted."),
        0
    );
    assert_eq!(bad(Kind::Page, "A person who asks for it."), 0);
    assert_eq!(bad(Kind::Rustdoc, "whoever called"), 0);
    assert_eq!(bad(Kind::Literal, "Ask whoever runs it"), 1);
    assert_eq!(bad(Kind::Page, "It says how to put it right."), 1);
    let python = readable("a/runtime.py", "raise ValueError(f\"it is no {name}\")");
    assert!(python.iter().any(|(_, kind, words)| bad(*kind, words) == 1));
    let code = "//! One is no two.\n// is no x\nlet a = \"this is no b\"; // is no y\n#[cfg(test)]\nmod tests { \"is no z\" }";
    let seen: Vec<_> = readable("a/src/b.rs", code)
        .into_iter()
        .map(|(line, _, words)| (line, words))
        .collect();
    assert_eq!(
        seen,
        [
            (1, "One is no two.".to_owned()),
            (3, "this is no b".to_owned())
        ]
    );
}

/// The patterns that a text holds.
fn refused(kind: Kind, text: &str) -> Vec<(&'static str, &'static str)> {
    let text = text.to_lowercase();
    let mut found = Vec::new();
    for pattern in &PATTERNS {
        if kind == Kind::Rustdoc && !pattern.everywhere {
            continue;
        }
        for words in pattern.words {
            let hit = text.match_indices(words).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + words.len()..]);
                let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
                edge(before.chars().next_back())
                    && edge(after.chars().next())
                    && !pattern
                        .unless_after
                        .iter()
                        .any(|word| before.trim_end().ends_with(word))
                    && !pattern
                        .unless_before
                        .iter()
                        .any(|word| after.trim_start().starts_with(word))
            });
            if hit {
                found.push((*words, pattern.instead));
            }
        }
    }
    found
}

/// The lines a user can read: all of a page, and the documentation and the strings of a source file up to its tests.
fn readable(name: &str, text: &str) -> Vec<(usize, Kind, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        // What generated clients are made of.
        if name.ends_with(".py") || name.ends_with(".ts") {
            found.push((at + 1, Kind::Rustdoc, line.to_owned()));
            continue;
        }
        if !name.ends_with(".rs") {
            fenced ^= trimmed.starts_with("```");
            // The list of words itself quotes what it refuses.
            let quoted = name.ends_with("contributing.md") && trimmed.starts_with("| \"");
            if !(fenced || quoted || trimmed.is_empty()) {
                found.push((at + 1, Kind::Page, line.to_owned()));
            }
            continue;
        }
        if trimmed == "#[cfg(test)]" {
            break;
        }
        let words = trimmed
            .strip_prefix("//!")
            .or_else(|| trimmed.strip_prefix("///"));
        if let Some(words) = words {
            found.push((at + 1, Kind::Rustdoc, words.trim().to_owned()));
        } else if !trimmed.starts_with("//") && !trimmed.starts_with("reason = ") {
            found.extend(
                strings(line)
                    .into_iter()
                    .map(|words| (at + 1, Kind::Literal, words)),
            );
        }
    }
    found
}

/// What stands in quotes in a line, if it has a space in it.
fn strings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    let mut escaped = false;
    for c in line.chars() {
        match (&mut open, c) {
            (Some(text), _) if escaped => {
                text.push(c);
                escaped = false;
            }
            (Some(_), '\\') => escaped = true,
            (Some(_), '"') => found.extend(open.take()),
            (Some(text), _) => text.push(c),
            (None, '"') => open = Some(String::new()),
            (None, _) => {}
        }
    }
    // A string that goes on in the next line.
    found.extend(open);
    found.retain(|text| text.contains(' '));
    found
}

/// Sources and pages. Texts of other people, which the linter and the redactor are tried on, are left out.
fn files() -> Vec<PathBuf> {
    let mut files = vec![
        place::root().join("README.md"),
        place::root().join("crates/cli/contract.md"),
    ];
    for folder in ["crates", "codegen", "derive", "lint", "manifests", "docs"] {
        collect(&place::root().join(folder), &mut files);
    }
    files.retain(|path| {
        let name = path.to_string_lossy().replace('\\', "/");
        let foreign = [
            "/lint/src/choice/",
            "/redact/innocent.rs",
            "/redact/corpus.rs",
            "/redact/unseen.rs",
            "/tests/",
            "/tests.rs",
        ];
        let inside = name
            .strip_prefix(&*place::root().to_string_lossy())
            .unwrap_or(&name);
        !foreign.iter().any(|part| inside.contains(part))
    });
    files.sort();
    files.dedup();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|ending| ["rs", "md", "py", "ts"].iter().any(|own| ending == *own))
        {
            files.push(path);
        }
    }
}

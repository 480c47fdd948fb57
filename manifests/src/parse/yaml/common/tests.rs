//! Whatever the reader of common YAML accepts, the general parser reads the same way (contract M1).

#![expect(
    clippy::disallowed_methods,
    reason = "the texts to compare are files: the examples, and the corpus where it is there"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::super::general;
use super::read;
use crate::builder::{Builder, Parts};
use crate::parse::ParseOptions;
use crate::source::Source;
use crate::span::FileId;

/// Whether the text is of the common kind. Panics when the two parsers differ.
fn agrees(text: &str) -> bool {
    let options = ParseOptions::default();
    let source = Source::new(FileId::ENTRY, "a.yaml", text.to_owned());
    let mut builder = Builder::new(&source);
    if read(&mut builder, source.text(), 0, &options).is_none() {
        return false;
    }
    let found = builder.finish(text.trim_end().len());
    let expected = general(Builder::new(&source), &source, 0, &options);
    let expected = expected.finish(text.trim_end().len());
    if let Some(difference) = difference(&source, &found, &expected) {
        panic!("{difference}\nin\n{text}");
    }
    true
}

fn difference(source: &Source, found: &Parts, expected: &Parts) -> Option<String> {
    let list = |parts: &Parts| {
        parts
            .issues()
            .iter()
            .map(|issue| issue.message().to_owned())
            .collect::<Vec<_>>()
    };
    if list(found) != list(expected) {
        return Some(format!(
            "found {:?}, expected {:?}",
            list(found),
            list(expected)
        ));
    }
    let mut pairs = found.described().zip(expected.described());
    let different = pairs.find(|(found, expected)| found != expected);
    if let Some((found, expected)) = different {
        let at = expected.0.start as usize;
        return Some(format!(
            "found {found:?}, expected {expected:?} at {:?}",
            source.position(at)
        ));
    }
    (found.described().count() != expected.described().count())
        .then(|| "another number of nodes".to_owned())
}

/// Texts of the common kind, each with what is easy to get wrong.
const COMMON: &[&str] = &[
    "a: 1\n",
    "---\na: 1\n",
    "--- # head\na: 1",
    "a:\nb:\n",
    "a:",
    "a:\n- 1\n- 2\nb: 3\n",
    "a:\n  - 1\n  -\n  - x: 1\n    y: 2\n  - - 1\n    - 2\nb: c\n",
    "- a: 1\n  b:\n  - 2\n-\n- c\n",
    "a: one\n  two\n\n  three # four\nb: x\n",
    "a:\n  one\n two\nb: 1\n",
    "a: b:c #d\nhttp://x: y#z\n",
    "a: 'it''s'\n\"b\\n\": \"c\\u00e9\\\n   d\n\n  e \\\n\n  f\"\n",
    "a: 'x\n  y'\nb: \"\n  z \"\n",
    "a: |\n  one\n   two\n\n  three\n\nb: |-\n  x\nc: |+\n  y\n\n\nd: >\n  f\n  g\n\n  h\n   i\n  j\n",
    "- |\n one\n-   >-\n   two\n\n\n   three\n",
    "a: |\n\n  one\n# comment\nb: 1\n",
    "a: []\nb: {}\nc: [1, two, 'three', [x], {y: z}]\nd: {\"a\":1, b: [ ], 'c': {d: e}}\n",
    "a: [1,\n  2,\n\n  3\n  ]\nb: 1\n",
    "# head\n\na:   # behind\n\n  # before\n  b: 1\n  # after\nc: 2   # end\n",
    "a: -1\nb: - x\n  y\nc: ?x\nd: :x\n",
    "é: ü\n‘a’: [é, ü]\nb: |\n  é\n",
    "a: 1\na: 2\n",
    "<<: 1\n$ref: '#/a'\n",
    "a: |\n x",
    "a: |-\n x",
    "- >+\n x\n  y",
    "a: |2\n   x\n  y\nb: >1-\n\n  x\n y\nc: |+9\n          z\n",
    "a: [x: 1, 'y': [z], \"w\":2]\nb: [1, 2,]\nc: {d: 1, }\n",
    "a: [[a , ], { b: [ ], c: {}, } , ]\n",
    "? a\n: b\n? c\n: d: 1\n  e: 2\n? f\n: - g\n  - h\ni:\n  ? j\n  : k\n",
    "a: true\nb: ~\nc: null\nd: 0x1F\ne: 1.5\nf: \"1\"\n",
];

#[test]
fn common_texts_are_read_like_by_the_general_parser() {
    let mut accepted = 0;
    for text in COMMON {
        accepted += usize::from(agrees(text));
    }
    // `b: - x` is a mistake, and there to show that one is left to the other parser.
    assert_eq!(accepted, COMMON.len() - 1);
}

#[test]
fn everything_else_is_left_to_the_general_parser() {
    let texts = [
        "",
        "# only\n",
        "a",
        "{a: 1}",
        "a: &x 1\n",
        "a: *x\n",
        "a: !!str 1\n",
        "%YAML 1.2\n---\na: 1\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\n",
        "? a\n\n: b\n",
        "? a\n  b\n: c\n",
        "a:\t1\n",
        "\ta: 1\n",
        "a: 1\r\nb: 2\r\n",
        "a: b: c\n",
        "a: 'x\nb: 1\n",
        "a: [1, 2\n",
        "a: [,]\n",
        "a: [x: ]\n",
        "a: {b}\n",
        "a: @x\n",
        "a:\n  b: 1\n c: 2\n",
        "- a\nb: 1\n",
        "a: 'x' y\n",
        "a: b # c\n  d\n",
        "a: |\n  x\n ",
        "\u{feff}a: 1\n",
        "a: \"\\q\"\n",
        "a: \"\\ud800\"\n",
        "a\u{0}: 1\n",
        "a:\n    b: 1\n  - c\n",
    ];
    for text in texts {
        assert!(!agrees(text), "{text:?}");
    }
}

/// Lines that are put together at random, with what is easy to get wrong.
const PIECES: &[&str] = &[
    "a:",
    "b: 1",
    "c: x y",
    "- d",
    "-",
    "- e: 1",
    "- - f",
    "'g': 'h'",
    "\"i\\t\": \"j\"",
    "k: |",
    "l: >-",
    "m: |+",
    "text",
    "more text # note",
    "# note",
    "",
    " ",
    "n: [1, 2]",
    "o: {p: q}",
    "r: [",
    "]",
    "s: 'open",
    "end'",
    "t: \"open",
    "end\"",
    "u: v:w",
    "x #y",
    "é: ü",
    "- |",
    "- >",
    "- [a, 'b']",
    "z: # note",
    "key: a: b",
    "- 'x': y",
    "---",
    "tab\tinside",
    "\t",
    "a : b",
    "a:b",
    "q: 'it''s'",
    "w: \"a\\\n",
    "- \"x\"",
    "'x'",
    "\"y\" # z",
    "{a: b}",
    "? x",
    ": y",
    ": y: z",
    "- |2",
    "a: >1+",
    "b: [x: y, 'z':1,]",
    "[a, ]",
    "[[a , ], { b: [ ], c: {}, } , ]",
    "{ a: b , }",
    "&a b",
    "- !t x",
    "1,",
    "a, b",
    "a: -",
    "b: - c",
    "\\",
    "#",
    "- # n",
    "a: 'b' 'c'",
    "x: \"é\\u00e9\"",
    "  deep: 1",
    "v: {\"a\":1}",
];

/// Numbers without meaning, the same in every run unless `AON_SEED` says another start.
struct Dice(u64);

impl Dice {
    fn new() -> Dice {
        Dice(number("AON_SEED").unwrap_or(7))
    }

    fn below(&mut self, limit: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// How often a test repeats itself, unless `AON_ROUNDS` says it.
fn rounds(usual: u64) -> u64 {
    number("AON_ROUNDS").unwrap_or(usual)
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn random_texts_are_read_like_by_the_general_parser() {
    let rounds = rounds(40_000);
    let mut dice = Dice::new();
    let mut accepted = 0;
    for _ in 0..rounds {
        let mut text = String::new();
        let mut indent = 0_usize;
        for _ in 0..=dice.below(9) {
            match dice.below(6) {
                0 => indent = 0,
                1 => indent += 1,
                2 | 3 => indent += 2,
                4 => indent = indent.saturating_sub(2),
                _ => {}
            }
            text.extend(std::iter::repeat_n(' ', indent));
            text.push_str(PIECES[dice.below(PIECES.len())]);
            text.push('\n');
        }
        if dice.below(4) == 0 {
            text.pop();
        }
        accepted += u64::from(agrees(&text));
    }
    assert!(
        accepted * 50 > rounds,
        "only {accepted} of {rounds} texts were of the common kind"
    );
}

#[test]
fn changed_examples_are_read_like_by_the_general_parser() {
    let mut files = Vec::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    collect(&examples, &mut files);
    // `AON_YAML` names a folder with more.
    collect(
        Path::new(&env::var("AON_YAML").unwrap_or_default()),
        &mut files,
    );
    let small = |path: &PathBuf| {
        fs::read_to_string(path)
            .ok()
            .filter(|text| text.len() < 20_000)
    };
    let texts: Vec<String> = files.iter().filter_map(small).collect();
    assert!(texts.len() >= 8, "{} examples", texts.len());
    let rounds = rounds(4_000);
    let mut dice = Dice::new();
    let mut accepted = 0;
    for _ in 0..rounds {
        let text = texts
            .get(dice.below(texts.len()))
            .map_or("", String::as_str);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=dice.below(3) {
            let at = dice.below(lines.len().max(1));
            let other = lines.get(dice.below(lines.len().max(1))).cloned();
            match (dice.below(6), other, lines.get_mut(at)) {
                (0, _, Some(_)) => drop(lines.remove(at)),
                (1, Some(other), Some(_)) => lines.insert(at, other),
                (2, _, Some(line)) => line.insert(0, ' '),
                (3, _, Some(line)) => *line = line.strip_prefix(' ').unwrap_or(line).to_owned(),
                (_, _, Some(line)) => {
                    let piece = [
                        ":", ": ", " #", "#", "'", "\"", "-", "- ", "[", "]", "{", "}", ",", "|",
                        ">", "\\", "?", "&a", "*a", "!", "\t", " ", "\n", "é", "---", "%", "@",
                        "~",
                    ][dice.below(28)];
                    let mut place = dice.below(line.len() + 1);
                    while !line.is_char_boundary(place) {
                        place -= 1;
                    }
                    line.insert_str(place, piece);
                }
                _ => {}
            }
        }
        let mut text = lines.join("\n");
        if dice.below(2) == 0 {
            text.push('\n');
        }
        accepted += u64::from(agrees(&text));
    }
    assert!(
        accepted * 10 > rounds,
        "only {accepted} of {rounds} texts were of the common kind"
    );
}

#[test]
fn real_documents_are_read_like_by_the_general_parser() {
    let given = env::var_os("AON_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let corpus = given.unwrap_or(beside);
    let mut files = Vec::new();
    collect(&corpus, &mut files);
    if files.is_empty() {
        println!("skipped: there is no corpus");
        return;
    }
    let (mut accepted, mut bytes) = (0, 0);
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        if agrees(&text) {
            accepted += 1;
            bytes += text.len();
        } else {
            println!("left to the general parser: {}", file.display());
        }
    }
    println!(
        "{accepted} of {} YAML documents are of the common kind, {bytes} bytes",
        files.len()
    );
    assert!(
        accepted * 10 > files.len() * 9,
        "{accepted} of {}",
        files.len()
    );
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml")
        {
            files.push(path);
        }
    }
}

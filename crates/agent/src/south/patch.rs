//! Unified diffs: made so that `patch` applies them, and applied exactly or not at all.
//!
//! No fuzz and no search: a hunk fits at the line it names, or the patch is refused and nothing changes.

use std::fmt::Write as _;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use super::fault::SouthFault;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// The diff from one text to another; empty when they are equal. After the deadline it is longer than it has to be, and right.
pub fn diff(path: &str, old: Option<&str>, new: &str, deadline: Option<Instant>) -> String {
    let before = old.unwrap_or_default();
    let name = path.trim_start_matches('/');
    if before == new {
        return match old {
            Some(_) => String::new(),
            // No hunk can say this; git and `patch` know these lines.
            None => format!(
                "diff --git a/{name} b/{name}\nnew file mode 100644\nindex 0000000..e69de29\n"
            ),
        };
    }
    let from = old.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{name}"));
    let mut patch = format!("--- {from}\n+++ b/{name}\n");
    // A line ends with a line feed and with nothing else: so `patch` reads them.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (old, new) = (lines(before), lines(new));
    let changes = capture_diff_slices_deadline(Algorithm::Patience, &old, &new, deadline);
    for hunk in group_diff_ops(changes, AROUND) {
        write_hunk(&mut patch, &hunk, &old, &new);
    }
    patch
}

fn write_hunk(patch: &mut String, hunk: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let range = |start: usize, end: usize| match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    };
    let was = range(first.old_range().start, last.old_range().end);
    let is = range(first.new_range().start, last.new_range().end);
    // Writing to a string cannot fail.
    let _written = writeln!(patch, "@@ -{was} +{is} @@");
    let mut write = |mark, lines: Option<&[&str]>| {
        for line in lines.unwrap_or_default() {
            patch.push(mark);
            patch.push_str(line);
            if !line.ends_with('\n') {
                patch.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    for change in hunk {
        if let DiffOp::Equal { .. } = change {
            write(' ', old.get(change.old_range()));
        } else {
            write('-', old.get(change.old_range()));
            write('+', new.get(change.new_range()));
        }
    }
}

/// The diff without its secrets, where it has any. It does not apply any more.
pub fn redacted(patch: &str) -> Option<String> {
    let lines = || {
        patch
            .split_inclusive('\n')
            .map(|line| line.split_at_checked(1).unwrap_or(("", line)))
    };
    let hidden: Vec<_> = lines()
        .map(|(mark, text)| (mark, aon_core::redact::text(text)))
        .collect();
    let block: String = hidden.iter().map(|(_, text)| &**text).collect();
    // A secret over several lines, such as a private key, is seen only in the whole. Then no line is shown.
    if aon_core::redact::text(&block) != block {
        let marks = lines().map(|(mark, text)| match mark {
            "@" => format!("{mark}{text}"),
            mark => format!("{mark}[redacted]\n"),
        });
        return Some(marks.collect());
    }
    let differs = lines()
        .zip(&hidden)
        .any(|((_, text), (_, clean))| text != clean);
    differs.then(|| {
        hidden
            .iter()
            .flat_map(|(mark, text)| [*mark, text])
            .collect()
    })
}

/// Whether a patch makes a file that does not exist.
pub fn creates(patch: &str) -> bool {
    // Lines of a file have a mark before them, so that none of them begins like the first or the last of these.
    let has = |start: &str| patch.lines().any(|line| line.starts_with(start));
    has(NEW_FILE) || has("--- /dev/null") && has("@@ -0,0 ")
}

/// What git says of a file that does not exist yet, and all it says of one that is empty.
const NEW_FILE: &str = "new file mode ";

/// The text with the patch applied.
///
/// # Errors
///
/// When the patch is malformed, or does not fit.
pub fn apply(old: &str, patch: &str) -> Result<String, SouthFault> {
    let mut lines = Numbered::new(patch);
    let empty = skip_header(&mut lines)?;
    let source: Vec<&str> = old.split_inclusive('\n').collect();
    let mut result = String::with_capacity(old.len() + patch.len());
    let mut done = 0;
    let mut hunks = 0_usize;
    while let Some((number, line)) = lines.next() {
        if line.trim_end().is_empty() && lines.rest_is_empty() {
            break;
        }
        let hunk = Hunk::parse(line).ok_or_else(|| malformed("a hunk was expected", number))?;
        hunks += 1;
        // `-0,0` and `-5,0` name the line before.
        let start = if hunk.old == 0 {
            hunk.start
        } else {
            hunk.start.saturating_sub(1)
        };
        if start < done || start > source.len() || (hunk.start == 0 && hunk.old > 0) {
            return Err(does_not_fit(start));
        }
        source
            .get(done..start)
            .unwrap_or_default()
            .iter()
            .for_each(|line| result.push_str(line));
        done = start;
        let (mut old_left, mut new_left) = (hunk.old, hunk.new);
        while old_left > 0 || new_left > 0 {
            let (number, line) = lines
                .next()
                .ok_or_else(|| malformed("the last hunk is too short", number))?;
            let (mark, text) = line.split_at_checked(1).unwrap_or((" ", line));
            // Some tools cut the space of an empty context line.
            let (mark, text) = if line == "\n" || line == "\r\n" {
                (" ", line)
            } else {
                (mark, text)
            };
            let text = if lines.no_newline() {
                text.strip_suffix('\n').unwrap_or(text)
            } else {
                text
            };
            match mark {
                " " if old_left > 0 && new_left > 0 => {
                    expect(&source, done, text)?;
                    result.push_str(text);
                    (done, old_left, new_left) = (done + 1, old_left - 1, new_left - 1);
                }
                "-" if old_left > 0 => {
                    expect(&source, done, text)?;
                    (done, old_left) = (done + 1, old_left - 1);
                }
                "+" if new_left > 0 => {
                    result.push_str(text);
                    new_left -= 1;
                }
                _ => return Err(malformed("a line does not belong to its hunk", number)),
            }
        }
    }
    if hunks == 0 && !empty {
        return Err(malformed("there is no hunk", 1));
    }
    source
        .get(done..)
        .unwrap_or_default()
        .iter()
        .for_each(|line| result.push_str(line));
    // A line without an end can only be the last one.
    Ok(result)
}

fn expect(source: &[&str], at: usize, text: &str) -> Result<(), SouthFault> {
    match source.get(at) {
        Some(line) if *line == text => Ok(()),
        _ => Err(does_not_fit(at)),
    }
}

/// What may stand before the hunks: names of one file, and what git adds. Whether it makes an empty file, and no hunk follows.
fn skip_header(lines: &mut Numbered<'_>) -> Result<bool, SouthFault> {
    let (mut names, mut makes) = (0, false);
    while let Some(line) = lines.peek() {
        if line.starts_with("@@ ") {
            return Ok(false);
        }
        let number = lines.number;
        let known = ["diff --git ", "index ", "--- ", "+++ ", NEW_FILE];
        if !known.iter().any(|start| line.starts_with(start)) {
            return Err(malformed("the header has an unknown line", number));
        }
        names += usize::from(line.starts_with("+++ "));
        makes |= line.starts_with(NEW_FILE);
        if names > 1 || line.trim_end() == "+++ /dev/null" {
            return Err(malformed(
                "one file can be changed, and none removed",
                number,
            ));
        }
        lines.next();
    }
    if makes && names == 0 {
        return Ok(true);
    }
    Err(malformed("there is no hunk", lines.number))
}

fn malformed(reason: &str, line: usize) -> SouthFault {
    SouthFault::PatchMalformed {
        reason: reason.to_owned(),
        line: line as u64,
    }
}

const fn does_not_fit(at: usize) -> SouthFault {
    SouthFault::PatchDoesNotApply {
        line: at as u64 + 1,
    }
}

/// `@@ -start,old +start,new @@`.
#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    start: usize,
    old: usize,
    new: usize,
}

impl Hunk {
    fn parse(line: &str) -> Option<Self> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let (start, old) = range(old)?;
        let (_, new) = range(new)?;
        Some(Self { start, old, new })
    }
}

fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| {
        let digits =
            !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

/// Lines with their ends and numbers.
struct Numbered<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Numbered<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            number: 1,
        }
    }

    fn peek(&self) -> Option<&'a str> {
        self.rest.split_inclusive('\n').next()
    }

    fn rest_is_empty(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// Whether the line after the current one says that it has no end.
    fn no_newline(&self) -> bool {
        self.peek().is_some_and(|line| line.starts_with('\\'))
    }
}

impl<'a> Iterator for Numbered<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.peek()?;
            self.rest = self.rest.get(line.len()..).unwrap_or_default();
            let number = self.number;
            self.number += 1;
            // `\ No newline at end of file` belongs to the line before it.
            if !line.starts_with('\\') {
                return Some((number, line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there(old: &str, new: &str) {
        let patch = diff("/etc/x", Some(old), new, None);
        if old == new {
            assert_eq!(patch, "");
        } else {
            assert_eq!(apply(old, &patch).as_deref(), Ok(new), "{patch}");
        }
    }

    #[test]
    fn what_is_made_applies() {
        let texts = [
            "",
            "a",
            "a\n",
            "a\nb\n",
            "b\na\n",
            "a\r\nb\r\n",
            "\n\n",
            "a\n\nb",
            "@@ -1 +1 @@\n",
            "-x\n+y\n",
            "\\ n\n",
            "a\rb\rc",
            "a\rb\n",
            "\r",
            "x\u{2028}y\u{b}z\u{85}\n",
        ];
        for old in texts {
            for new in texts {
                there(old, new);
            }
        }
        let long: Vec<String> = (0..200).map(|line| format!("line {line}\n")).collect();
        let long = long.concat();
        let changed = long
            .replace("line 3\n", "")
            .replace("line 77\n", "77\nnew\n")
            .replace("line 199\n", "end");
        there(&long, &changed);
        there(&changed, &long);
    }

    #[test]
    fn a_file_that_is_not_there_yet_can_be_made() {
        for new in ["", "a", "a\n", "a\rb\r"] {
            let patch = diff("/etc/x", None, new, None);
            assert!(creates(&patch), "{patch}");
            assert_eq!(apply("", &patch).as_deref(), Ok(new), "{patch}");
        }
        assert!(!creates(&diff("/etc/x", Some(""), "a\n", None)));
        assert!(apply("", "new file mode 100644\n+++ b/x\n").is_err());
    }

    #[test]
    fn a_late_diff_is_right_too() {
        let old: Vec<String> = (0..2000).map(|line| format!("{}\n", line % 7)).collect();
        let new: Vec<String> = (0..2000).map(|line| format!("{}\n", line % 11)).collect();
        let (old, new) = (old.concat(), new.concat());
        let past = tokio::time::Instant::now().into_std();
        let patch = diff("x", Some(&old), &new, Some(past));
        assert_eq!(apply(&old, &patch).as_ref(), Ok(&new));
    }

    #[test]
    fn secrets_are_hidden() {
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\n";
        for (secret, needle) in [
            ("password = hunter2secret\n", "hunter2secret"),
            (key, "MIIEvQIBADANBgkq"),
        ] {
            let patch = diff("x", Some("a\n"), &format!("a\nport = 80\n{secret}"), None);
            assert!(patch.contains(needle));
            let hidden = redacted(&patch).unwrap_or_default();
            assert!(
                hidden.contains("[redacted]") && !hidden.contains(needle),
                "{hidden}"
            );
        }
        assert_eq!(redacted(&diff("x", Some("a\n"), "b\n", None)), None);
    }

    #[test]
    fn nothing_fits_elsewhere() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let patch = diff("x", Some(old), &old.replace("d\n", "D\n"), None);
        // The same lines one further down are not the same place.
        assert_eq!(
            apply(&format!("0\n{old}"), &patch),
            Err(SouthFault::PatchDoesNotApply { line: 1 })
        );
        assert_eq!(
            apply(&old.replace("c\n", "C\n"), &patch),
            Err(SouthFault::PatchDoesNotApply { line: 3 })
        );
        // Neither is what was changed already.
        assert!(apply(&old.replace("d\n", "D\n"), &patch).is_err());
    }

    #[test]
    fn broken_patches_are_refused() {
        for patch in [
            "",
            "hello",
            "--- a/x\n+++ b/x\n",
            "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "--- a/x\n+++ b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "@@ -1 +1 @@\n-a\n",
            "@@ -1 +1 @@\n-a\n+b\n+c\n",
            "@@ -1,99999999999999999999 +1 @@\n-a\n+b\n",
            "@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n",
            "@@ -1,-1 +1 @@\n",
            "@@ -0,1 +1 @@\n-a\n+b\n",
        ] {
            assert!(apply("a\n", patch).is_err(), "{patch}");
        }
    }
}

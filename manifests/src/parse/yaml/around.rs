//! Small looks at the text around an event, and the parser's complaints in words that say what to do.

use memchr::{memchr, memchr2};

use crate::issue::IssueKind;

/// Kind, message and help for a complaint of the parser at a byte offset.
pub(super) fn explain(info: &str, text: &str, at: usize) -> (IssueKind, String, &'static str) {
    let at_end = text.get(at..).is_none_or(|rest| rest.trim().is_empty());
    let line_start = text
        .get(..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |found| found + 1);
    let line = text
        .get(line_start..)
        .unwrap_or("")
        .lines()
        .next()
        .unwrap_or("");
    let indent_has_tab = line
        .bytes()
        .take_while(u8::is_ascii_whitespace)
        .any(|byte| byte == b'\t');
    let what = |text: &str| text.to_owned();
    if info.contains("unknown anchor") {
        return (
            IssueKind::UnknownAlias,
            what("an alias names an anchor that does not exist"),
            "define it before with `&name`",
        );
    }
    let speaks_of_tabs = info
        .split(|c: char| !c.is_alphabetic())
        .any(|word| matches!(word, "tab" | "tabs"));
    if info.contains("unprintable character") {
        let found = text.get(at..).and_then(|rest| rest.chars().next());
        let shown = found.map_or(0, u32::from);
        return (
            IssueKind::Syntax,
            format!("U+{shown:04X} is not allowed in YAML"),
            "remove it, or write it as an escape in double quotes",
        );
    }
    if indent_has_tab || speaks_of_tabs {
        return (
            IssueKind::Syntax,
            what("a tab is used for indentation"),
            "indent with spaces; YAML does not allow tabs there",
        );
    }
    if info.contains("quoted scalar") && at_end
        || info.contains("end of stream")
        || info.contains("unexpected eof")
    {
        return (
            IssueKind::Truncated,
            format!("the text ends too early: {info}"),
            "close what is open; the file seems to be cut off",
        );
    }
    if info.contains("recursion limit") {
        return (
            IssueKind::TooDeep,
            what("flow collections are nested too deep"),
            "flatten the document",
        );
    }
    let help = if info.contains("expected key")
        || info.contains("':'")
        || info.contains("block mapping")
    {
        "check the indentation of this line and the one above, and quote a value that holds `: `"
    } else if info.contains("flow") || info.contains("',' or") {
        "check that every `[` and `{` is closed and that items are separated by commas"
    } else if info.contains("mapping values are not allowed") {
        "quote a value that holds `: `, or move the mapping to its own line"
    } else {
        "check the indentation, quotes and colons around this line"
    };
    if at_end && info.contains("flow") {
        return (
            IssueKind::Truncated,
            format!("the text ends too early: {info}"),
            help,
        );
    }
    (IssueKind::Syntax, info.to_owned(), help)
}

/// The offset behind anchors, tags, white space and comments in front of a node.
pub(super) fn skip_properties(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        match bytes.get(at) {
            Some(b'&' | b'!') => {
                while at < end
                    && bytes
                        .get(at)
                        .is_some_and(|byte| !byte.is_ascii_whitespace())
                {
                    at += 1;
                }
            }
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'#') => {
                while at < end && bytes.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
            _ => break,
        }
    }
    at
}

/// Behind the colon or dash that follows `at` on its line; `at` itself when there is none.
pub(super) fn behind_colon(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or(&[]);
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b':' | b'-' => return at + index + 1,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => break,
        }
    }
    at
}

/// Behind the quote that closes the quoted scalar at `start`.
pub(super) fn closing_quote(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let double = *bytes.get(start)? == b'"';
    let mut at = start + 1;
    loop {
        let rest = bytes.get(at..)?;
        if double {
            let found = memchr2(b'"', b'\\', rest)?;
            if rest.get(found) == Some(&b'"') {
                return Some(at + found + 1);
            }
            at += found + 2;
        } else {
            let found = memchr(b'\'', rest)?;
            if rest.get(found + 1) != Some(&b'\'') {
                return Some(at + found + 1);
            }
            at += found + 2;
        }
    }
}

/// Behind the bracket that closes a collection whose last child ends at `from`.
pub(super) fn closing_bracket(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_properties(text, from, text.len());
    if bytes.get(at) == Some(&b',') {
        at = skip_properties(text, at + 1, text.len());
    }
    matches!(bytes.get(at), Some(b']' | b'}')).then_some(at + 1)
}

/// The `|` or `>` that opens a block scalar whose content starts at `content`; it stands somewhere behind `from`.
pub(super) fn block_header(text: &str, from: usize, content: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let behind = skip_properties(text, at, content);
        let sign = matches!(bytes.get(behind), Some(b':' | b'-' | b'?'));
        at = behind + usize::from(sign);
        if !sign || at >= content {
            break;
        }
    }
    if matches!(bytes.get(at), Some(b'|' | b'>')) {
        at
    } else {
        content
    }
}

/// The first dash of a block sequence that is the value of a key. When it is not indented the parser announces it behind its
/// first dash.
pub(super) fn sequence_start(text: &str, start: usize) -> usize {
    let before = text
        .get(..start)
        .unwrap_or("")
        .trim_end_matches([' ', '\t']);
    if before.ends_with('-') {
        before.len() - 1
    } else {
        start
    }
}

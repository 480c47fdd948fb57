//! Text that shows what it is made of.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Makes visible what would not show, or would mislead.
///
/// That is: control characters, bidirectional controls, zero-width and other invisible characters, as `\u{202e}`. Line
/// ends become `\n`.
///
/// # Examples
///
/// ```
/// use aon::surface::human::visible;
///
/// assert_eq!(visible("user\u{202e}gpj.exe\u{1b}[2J"), "user\\u{202e}gpj.exe\\u{1b}[2J");
/// assert_eq!(visible("plain"), "plain");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_tricky) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_tricky(c) => {
                // Writing into a String cannot fail.
                let _: std::fmt::Result = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The lines of a text: a line end may stay where the form gives every line its place.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end_matches(['\n', '\r'])
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
}

fn is_tricky(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xad | 0x34f
                | 0x61c
                | 0x115f..=0x1160
                | 0x17b4..=0x17b5
                | 0x180b..=0x180f
                | 0x200b..=0x200f
                | 0x2028..=0x202e
                | 0x2060..=0x206f
                | 0x3164
                | 0xfe00..=0xfe0f
                | 0xfeff
                | 0xffa0
                | 0xfff0..=0xfffb
                | 0x1d173..=0x1d17a
                | 0xe0000..=0xe0fff
        )
}

/// How many columns of a terminal a character takes; near enough to wrap by.
pub(super) fn columns(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x1ab0..=0x1aff | 0x20d0..=0x20ff => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_gets_through() {
        for code in (0..0x20)
            .chain(0x7f..=0x9f)
            .chain(0x200b..=0x200f)
            .chain(0x202a..=0x202e)
            .chain(0x2060..=0x2069)
            .chain([0xad, 0x61c, 0xfeff, 0xe0041])
        {
            let c = char::from_u32(code).unwrap();
            let text = format!("a{c}b");
            let shown = visible(&text);
            assert!(!shown.contains(c), "{code:x}");
            assert!(shown.starts_with("a\\") && shown.ends_with('b'), "{shown}");
        }
        assert_eq!(visible("naïve 日本 🙂"), "naïve 日本 🙂");
    }
}

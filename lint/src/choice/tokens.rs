//! Cuts a description into words, marked literals and punctuation.
//!
//! Descriptions are Markdown, HTML, or neither, often mixed. What matters here is which pieces are marked as literals (code,
//! quotes, bold), where sentences end, and what is a bullet.

use std::borrow::Cow;

/// A piece of a description. Offsets point into the plain text, so the list of tokens can be used again for the next one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it stands in the text of a link.
    pub(super) link: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Word,
    /// A literal in code, quotes or bold.
    Code,
    Quote,
    Bold,
    Comma,
    Semicolon,
    Colon,
    /// The end of a sentence.
    Stop,
    /// An empty line or something like it.
    Paragraph,
    Line,
    Bullet,
    Pipe,
    Slash,
    Open,
    Close,
    /// A dash or an arrow between a value and its meaning.
    Dash,
    Ellipsis,
}

impl Kind {
    pub(super) fn is_literal(self) -> bool {
        matches!(self, Kind::Code | Kind::Quote | Kind::Bold)
    }

    pub(super) fn ends_sentence(self) -> bool {
        matches!(self, Kind::Stop | Kind::Paragraph)
    }
}

/// Replaces HTML by the Markdown that means the same, where it matters. Nothing is copied when there is no HTML.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'<', b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let taken = if after.starts_with('<') {
            tag(after, &mut out)
        } else {
            entity(after, &mut out)
        };
        rest = after.get(taken..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Takes one tag off the front and says how long it was.
fn tag(text: &str, out: &mut String) -> usize {
    let Some(end) = text.get(1..).and_then(|inner| inner.find('>')) else {
        out.push('<');
        return 1;
    };
    let inner = text.get(1..=end).unwrap_or("");
    let closing = inner.starts_with('/');
    let name: &str = inner
        .trim_start_matches('/')
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or("");
    let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is(&["code", "tt", "kbd", "samp", "pre"]) {
        out.push('`');
    } else if is(&["b", "strong"]) {
        out.push_str("**");
    } else if is(&["li"]) {
        out.push_str(if closing { "\n" } else { "\n* " });
    } else if is(&["br", "tr", "dt", "dd"]) {
        out.push('\n');
    } else if is(&[
        "p", "ul", "ol", "div", "table", "dl", "h1", "h2", "h3", "h4", "h5",
    ]) {
        out.push_str("\n\n");
    } else if is(&[
        "em", "i", "u", "a", "span", "td", "th", "tbody", "thead", "sup", "sub", "font", "small",
    ]) {
        out.push(' ');
    } else {
        // A placeholder such as `<branch name>` is not markup.
        out.push('<');
        return 1;
    }
    end + 2
}

fn entity(text: &str, out: &mut String) -> usize {
    let Some(end) = text.bytes().take(10).position(|b| b == b';') else {
        out.push('&');
        return 1;
    };
    let name = text.get(1..end).unwrap_or("");
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" | "ldquo" | "rdquo" => '"',
        "apos" | "lsquo" | "rsquo" => '\'',
        "nbsp" => ' ',
        "mdash" | "ndash" | "minus" => '–',
        "hellip" => '…',
        _ => {
            let number =
                name.strip_prefix('#')
                    .and_then(|digits| match digits.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok(),
                        None => digits.parse().ok(),
                    });
            let Some(c) = number.and_then(char::from_u32) else {
                out.push('&');
                return 1;
            };
            c
        }
    };
    out.push(c);
    end + 1
}

/// Cuts the text into tokens, which replace what was in `out`.
pub(super) fn tokenise(text: &str, out: &mut Vec<Token>) {
    out.clear();
    let mut cutter = Cutter {
        text,
        bytes: text.as_bytes(),
        at: 0,
        out,
        link: None,
    };
    cutter.run();
}

struct Cutter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    out: &'t mut Vec<Token>,
    /// Where the text of the current link ends, and where the link itself does.
    link: Option<(usize, usize)>,
}

impl Cutter<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            if let Some((text_end, link_end)) = self.link
                && self.at >= text_end
            {
                self.at = link_end;
                self.link = None;
                continue;
            }
            match byte {
                b'\n' => self.line_break(),
                b'`' => self.code(),
                b'*' if self.peek(1) == Some(b'*') => self.bold(),
                b'*' | b'+' if self.starts_line() && self.space_behind(1) => {
                    self.push(Kind::Bullet, 1);
                }
                b'"' => self.quote('"', 1),
                b'\'' if self.opens_quote() => self.quote('\'', 1),
                b' ' | b'\t' | b'\r' | b'*' | b'\'' => self.at += 1,
                // A quoted paragraph.
                b'>' if self.starts_line() => self.at += 1,
                b'[' => self.bracket(),
                b'(' | b'{' => self.push(Kind::Open, 1),
                b')' | b']' | b'}' => self.push(Kind::Close, 1),
                b',' => self.push(Kind::Comma, 1),
                b';' => self.push(Kind::Semicolon, 1),
                b':' => self.push(Kind::Colon, 1),
                b'|' => self.push(Kind::Pipe, 1),
                b'/' => self.push(Kind::Slash, 1),
                b'!' | b'?' => self.push(Kind::Stop, 1),
                b'.' if self.rest().starts_with("...") => self.push(Kind::Ellipsis, 3),
                b'.' if !self.peek(1).is_some_and(|b| b.is_ascii_alphanumeric()) => {
                    self.push(Kind::Stop, 1);
                }
                b'-' | b'=' if self.peek(1) == Some(b'>') => self.push(Kind::Dash, 2),
                b'-' if self.starts_line() && self.space_behind(1) => self.push(Kind::Bullet, 1),
                b'-' | b'=' if self.space_behind(1) => self.push(Kind::Dash, 1),
                b'a'..=b'z' | b'A'..=b'Z' => self.word(),
                b'0'..=b'9' if self.starts_line() && self.numbered() => {}
                _ => self.other(),
            }
        }
    }

    fn other(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return;
        };
        match c {
            '“' | '”' => self.quote('”', c.len_utf8()),
            '‘' => self.quote('’', c.len_utf8()),
            '«' => self.quote('»', c.len_utf8()),
            '–' | '—' | '→' | '⇒' => self.push(Kind::Dash, c.len_utf8()),
            '…' => self.push(Kind::Ellipsis, c.len_utf8()),
            '•' | '·' | '●' | '▪' if self.starts_line() || c != '·' => {
                self.push(Kind::Bullet, c.len_utf8());
            }
            c if is_word(c) => self.word(),
            c => self.at += c.len_utf8(),
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        // Letters and digits of ASCII are always inside, and are most of all text.
        let inside = |byte: &&u8| IN_WORD.get(usize::from(**byte)) == Some(&true);
        let mut end = rest.as_bytes().iter().take_while(inside).count();
        let from = end;
        let over = matches!(rest.as_bytes().get(end), Some(b' ' | b',' | b'\n'));
        let more = if over {
            ""
        } else {
            rest.get(from..).unwrap_or("")
        };
        let mut chars = more.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let at = from + at;
            let next = chars.peek().map(|(_, c)| *c);
            let inside = match c {
                '.' | '-' => next.is_some_and(char::is_alphanumeric),
                ':' => {
                    rest.get(at..).is_some_and(|rest| rest.starts_with("://"))
                        || next.is_some_and(|c| c.is_ascii_digit())
                }
                '/' => rest.get(..at).is_some_and(|word| {
                    word.contains("://") || word.ends_with(":/") || word.ends_with(':')
                }),
                '\'' => next.is_some_and(char::is_alphabetic),
                '=' | '&' | '@' | '#' | '+' | '%' | '*' | '?' => {
                    next.is_some_and(char::is_alphanumeric) || c == '%'
                }
                c => is_word(c),
            };
            if !inside {
                break;
            }
            end = at + c.len_utf8();
        }
        let end = end.max(rest.chars().next().map_or(1, char::len_utf8));
        let word = rest.get(..end).unwrap_or("");
        // `e.g.` and the like keep their last dot, so that no sentence ends there.
        let abbreviation = || {
            [
                "e.g", "i.e", "eg", "ie", "ex", "etc", "vs", "approx", "incl",
            ]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
        };
        let dotted = rest.as_bytes().get(end) == Some(&b'.') && abbreviation();
        let full_stop = dotted && word.eq_ignore_ascii_case("etc");
        self.push(Kind::Word, end);
        if dotted {
            self.at += 1;
            if full_stop {
                let at = self.at;
                self.push_span(Kind::Ellipsis, at, at);
            }
        }
    }

    fn code(&mut self) {
        let ticks = self.rest().bytes().take_while(|b| *b == b'`').count();
        let fence = self.rest().get(..ticks).unwrap_or("`");
        let from = self.at + ticks;
        let found = self.text.get(from..).and_then(|rest| rest.find(fence));
        match found {
            Some(len) if len <= MAX_LITERAL * 8 => {
                self.push_span(Kind::Code, from, from + len);
                self.at = from + len + ticks;
            }
            _ => self.at = from,
        }
    }

    fn bold(&mut self) {
        let from = self.at + 2;
        let found = self.text.get(from..).and_then(|rest| rest.find("**"));
        let Some(len) = found else {
            self.at = from;
            return;
        };
        let inner = self.text.get(from..from + len).unwrap_or("");
        let literal = !inner.trim().is_empty()
            && !inner.trim().contains(char::is_whitespace)
            && !inner.trim_end().ends_with([':', '.'])
            && !inner.contains(['`', '"']);
        if literal {
            self.push_span(Kind::Bold, from, from + len);
            self.at = from + len + 2;
        } else {
            // Words in bold are words; the stars are skipped on both sides.
            self.at = from;
        }
    }

    fn quote(&mut self, close: char, opening: usize) {
        let from = self.at + opening;
        let rest = self.text.get(from..).unwrap_or("");
        let end = rest
            .char_indices()
            .take_while(|(at, c)| *at <= MAX_LITERAL && *c != '\n')
            .find(|(at, c)| {
                let next = rest.get(at + c.len_utf8()..).and_then(|r| r.chars().next());
                *c == close && (close != '\'' || !next.is_some_and(char::is_alphanumeric))
            })
            .map(|(at, _)| at);
        match end {
            Some(len) => {
                self.push_span(Kind::Quote, from, from + len);
                self.at = from + len + close.len_utf8();
            }
            None => self.at = from,
        }
    }

    /// A link shows its text; everything else in square brackets is a remark.
    fn bracket(&mut self) {
        let rest = self.rest();
        let text_len = rest.find("](");
        let link = text_len.and_then(|len| {
            let inner = rest.get(1..len)?;
            let url = rest.get(len + 2..)?;
            let url_len = url.find(')')?;
            (!inner.contains('[') && len < 200).then_some((len, len + 2 + url_len + 1))
        });
        match link {
            Some((len, total)) if self.link.is_none() => {
                self.link = Some((self.at + len, self.at + total));
                self.at += 1;
            }
            _ => self.push(Kind::Open, 1),
        }
    }

    fn line_break(&mut self) {
        let blank = self
            .rest()
            .bytes()
            .take_while(u8::is_ascii_whitespace)
            .filter(|b| *b == b'\n')
            .count();
        while self.peek(0).is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
        let at = self.at;
        self.push_span(
            if blank > 1 {
                Kind::Paragraph
            } else {
                Kind::Line
            },
            at,
            at,
        );
    }

    /// `1.` or `2)` at the start of a line.
    fn numbered(&mut self) -> bool {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let bullet = digits <= 2
            && matches!(self.peek(digits), Some(b'.' | b')'))
            && self.space_behind(digits + 1);
        if bullet {
            self.push(Kind::Bullet, digits + 1);
        } else {
            self.word();
        }
        true
    }

    fn starts_line(&self) -> bool {
        self.out
            .last()
            .is_none_or(|token| matches!(token.kind, Kind::Line | Kind::Paragraph))
            && self.text.get(..self.at).is_some_and(|before| {
                before.trim_end_matches([' ', '\t']).is_empty()
                    || before.trim_end_matches([' ', '\t']).ends_with('\n')
            })
    }

    fn opens_quote(&self) -> bool {
        let before = self.text.get(..self.at).and_then(|t| t.chars().next_back());
        let behind = self.peek(1);
        !before.is_some_and(char::is_alphanumeric)
            && behind.is_some_and(|b| !b.is_ascii_whitespace())
    }

    fn space_behind(&self, at: usize) -> bool {
        self.peek(at).is_none_or(|b| b.is_ascii_whitespace())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn push(&mut self, kind: Kind, len: usize) {
        let at = self.at;
        self.push_span(kind, at, at + len);
        self.at += len;
    }

    fn push_span(&mut self, kind: Kind, start: usize, end: usize) {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.out.push(Token {
            kind,
            start: narrow(start),
            end: narrow(end),
            link: self.link.is_some(),
        });
    }
}

/// Letters and digits of ASCII, as a table, because most bytes are asked about.
pub(super) static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut value = 0_u8;
    while value < 128 {
        table[value as usize] = value.is_ascii_alphanumeric();
        value += 1;
    }
    table
};

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            '_' | '$' | '@' | '#' | '%' | '~' | '\\' | '<' | '>' | '^'
        )
}

/// Longer marked pieces are prose or code, not a value.
const MAX_LITERAL: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, String)> {
        let plain = plain(text);
        let mut tokens = Vec::new();
        tokenise(&plain, &mut tokens);
        tokens
            .iter()
            .map(|t| (t.kind, plain[t.start as usize..t.end as usize].to_owned()))
            .collect()
    }

    #[test]
    fn literals_keep_their_marks() {
        let found = cut("Can be `a`, \"b c\" or **d**. The user's 'e'.");
        let literals: Vec<_> = found
            .iter()
            .filter(|(kind, _)| kind.is_literal())
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(literals, ["a", "b c", "d", "e"]);
        assert_eq!(
            found.iter().filter(|(kind, _)| *kind == Kind::Stop).count(),
            2
        );
    }

    #[test]
    fn html_lists_become_bullets() {
        let found = cut(
            "<b>Valid Values:</b><ul><li><code>A</code> &mdash; x</li><li><code>B</code></li></ul>",
        );
        assert_eq!(
            found
                .iter()
                .filter(|(kind, _)| *kind == Kind::Bullet)
                .count(),
            2
        );
        assert_eq!(
            found.iter().filter(|(kind, _)| *kind == Kind::Code).count(),
            2
        );
        assert!(found.iter().any(|(kind, _)| *kind == Kind::Dash));
    }

    #[test]
    fn links_show_their_text_only() {
        let found = cut("One of: [`email`](https://x.example/a,b), `sms`.");
        let text: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text, ["One", "of", ":", "email", ",", "sms", "."]);
    }

    #[test]
    fn abbreviations_do_not_end_sentences() {
        let found = cut("Type (e.g. a, b, etc.) see 2.4GHz at https://x.example/y.");
        assert_eq!(
            found.iter().filter(|(kind, _)| *kind == Kind::Stop).count(),
            1
        );
        assert!(
            found
                .iter()
                .any(|(kind, text)| *kind == Kind::Word && text == "2.4GHz")
        );
        assert!(
            found
                .iter()
                .any(|(kind, text)| *kind == Kind::Word && text == "https://x.example/y")
        );
        assert!(found.iter().any(|(kind, _)| *kind == Kind::Ellipsis));
    }

    #[test]
    fn strange_text_is_survived() {
        for text in [
            "", "`", "**", "'", "[", "[a](", "<", "&", "&#x;", "“", "\u{feff}", "a\u{0}b", "*",
            "- ", "1.", "…", "<li",
        ] {
            cut(text);
        }
    }
}

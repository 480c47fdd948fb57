//! Cuts a description into words, marked spans and the signs between them. Markdown and HTML are read as the structure they are: a code
//! span is one token, slashes and blanks and all; `<li>` is a bullet; a link is its text.

use super::words;
use crate::choice::table::among;

/// A piece of a description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// Without quotes, backticks and tags.
    pub(super) text: &'t str,
    /// The classes of a word; 0 for most.
    pub(super) class: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A word, a number, a constant.
    Word,
    /// In quotes.
    Quoted,
    /// In a code span.
    Code,
    /// In bold or italics.
    Strong,
    Comma,
    /// `;`
    Semicolon,
    /// `|`
    Pipe,
    /// `/` between blanks or marked spans.
    Slash,
    Colon,
    /// ` - `, `=>`, `->`
    Dash,
    Equals,
    Open,
    Close,
    /// The end of a sentence.
    Stop,
    /// The end of a line or paragraph.
    Line,
    /// What starts an item of a list.
    Bullet,
    /// What starts a row of a table, or a cell of one in HTML.
    Cell,
    /// `...`
    Ellipsis,
    /// Any other sign.
    Other,
}

impl Token<'_> {
    /// Whether the markup says that this is one value.
    pub(super) fn is_marked(&self) -> bool {
        matches!(self.kind, Kind::Quoted | Kind::Code | Kind::Strong)
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is a word of one of these classes.
    pub(super) fn of(&self, classes: u64) -> bool {
        self.class & classes != 0
    }

    /// Whether it may stand between two values.
    pub(super) fn separates(&self) -> bool {
        matches!(
            self.kind,
            Kind::Comma | Kind::Pipe | Kind::Semicolon | Kind::Slash
        )
    }

    /// Whether a list may begin behind it.
    pub(super) fn starts_a_list(&self) -> bool {
        matches!(
            self.kind,
            Kind::Colon | Kind::Dash | Kind::Line | Kind::Open | Kind::Bullet
        )
    }

    /// Whether a list may end before it.
    pub(super) fn ends_a_list(&self) -> bool {
        matches!(self.kind, Kind::Stop | Kind::Line | Kind::Close)
    }
}

/// Cuts a text. What stands behind [`MOST`] tokens is not read.
pub(super) fn cut(text: &str) -> Vec<Token<'_>> {
    let out = Vec::with_capacity(32);
    let mut cutter = Cutter { text, at: 0, out };
    cutter.line_start();
    while cutter.at < text.len() && cutter.out.len() < MOST {
        cutter.step();
    }
    cutter.out
}

struct Cutter<'t> {
    text: &'t str,
    at: usize,
    out: Vec<Token<'t>>,
}

impl<'t> Cutter<'t> {
    /// The next bytes behind a place, as many as a span can have.
    fn near(&self, from: usize, most: usize) -> &'t str {
        let rest = self.text.get(from..).unwrap_or("");
        let mut end = most.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        rest.get(..end).unwrap_or("")
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn push(&mut self, kind: Kind, text: &'t str) {
        // "F for female and O for other": a capital joins nothing.
        let class = match kind {
            Kind::Word if matches!(text, "O" | "Y" | "U") => 0,
            Kind::Word => words::class(text),
            _ => 0,
        };
        self.out.push(Token { kind, text, class });
    }

    fn sign(&mut self, kind: Kind, len: usize) {
        let text = self.rest().get(..len).unwrap_or("");
        self.push(kind, text);
        self.at += len;
    }

    fn last(&self) -> Option<Kind> {
        self.out.last().map(|token| token.kind)
    }

    /// Reads what can only stand at the start of a line: bullets, borders, headings.
    fn line_start(&mut self) {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '>', '\\']);
        let behind = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = trimmed.len() - behind.len();
        self.at += rest.len() - trimmed.len();
        let marks = [
            "- ", "* ", "+ ", "• ", "– ", "•", "· ", "&bull;", "-`", "*`",
        ];
        let bullet = marks.into_iter().find(|mark| trimmed.starts_with(mark));
        if let Some(mark) = bullet {
            self.sign(Kind::Bullet, mark.trim_end_matches('`').len());
        } else if (1..=2).contains(&digits)
            && (behind.starts_with(". ") || behind.starts_with(") "))
        {
            self.sign(Kind::Bullet, digits + 1);
        } else if trimmed.starts_with('|') {
            self.sign(Kind::Cell, 1);
        } else if trimmed.starts_with('#') {
            self.at += trimmed.len() - trimmed.trim_start_matches('#').len();
        }
    }

    fn line(&mut self) {
        if self.last() != Some(Kind::Line) {
            self.push(Kind::Line, "");
        }
        self.line_start();
    }

    fn step(&mut self) {
        let rest = self.rest();
        match rest.as_bytes().first() {
            Some(b' ') => return self.at += 1,
            Some(letter) if letter.is_ascii_alphanumeric() => return self.word(),
            _ => {}
        }
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return };
        let next = chars.next().unwrap_or(' ');
        match first {
            '\n' => {
                self.at += 1;
                self.line();
            }
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '<' => self.tag(),
            '`' => {
                let ticks = rest.len() - rest.trim_start_matches('`').len();
                let marks = rest.get(..ticks).unwrap_or("`");
                self.span(Kind::Code, ticks, marks);
            }
            '*' if next == '*' => self.span(Kind::Strong, 2, "**"),
            '*' if !next.is_whitespace() => self.span(Kind::Strong, 1, "*"),
            '"' | '\'' | '“' | '‘' | '«' | '’' | '´' => self.quote(first),
            ',' | '、' => self.sign(Kind::Comma, first.len_utf8()),
            ';' => self.sign(Kind::Semicolon, 1),
            '|' => self.sign(Kind::Pipe, if next == '|' { 2 } else { 1 }),
            ':' => self.sign(Kind::Colon, 1),
            '=' if next == '>' => self.sign(Kind::Dash, 2),
            '=' => self.sign(Kind::Equals, if next == '=' { 2 } else { 1 }),
            '→' | '—' | '–' => self.sign(Kind::Dash, first.len_utf8()),
            '-' if next == '>' || next == '-' => self.sign(Kind::Dash, 2),
            // "Values: - a: less. - b: more." are bullets whose lines somebody joined.
            '-' if next.is_whitespace()
                && matches!(self.last(), Some(Kind::Colon | Kind::Stop)) =>
            {
                self.sign(Kind::Bullet, 1);
            }
            '-' if next.is_whitespace() => self.sign(Kind::Dash, 1),
            '/' if next.is_whitespace() || "`\"'".contains(next) => self.sign(Kind::Slash, 1),
            '(' | '{' | '[' => self.sign(Kind::Open, 1),
            ']' if next == '(' => {
                // The address of a link says nothing about values.
                let end = rest.find(')').map_or(1, |end| end + 1);
                self.sign(Kind::Close, 1);
                self.at += end - 1;
            }
            ')' | '}' | ']' => self.sign(Kind::Close, 1),
            '.' if rest.starts_with("..") => {
                let dots = rest.len() - rest.trim_start_matches('.').len();
                self.sign(Kind::Ellipsis, dots);
            }
            '…' => self.sign(Kind::Ellipsis, first.len_utf8()),
            '.' | '!' | '?' if !next.is_alphanumeric() => self.sign(Kind::Stop, 1),
            c if is_word(c) => self.word(),
            c => self.sign(Kind::Other, c.len_utf8()),
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        // `a=b` are two things, `key:value` is one.
        let letters = rest.bytes().position(|b| !b.is_ascii_alphanumeric());
        let (letters, behind) = rest.split_at(letters.unwrap_or(rest.len()));
        let ends = |c: char| c == '=' || !is_word(c);
        let end = letters.len() + behind.find(ends).unwrap_or(behind.len());
        let word = rest.get(..end).unwrap_or("");
        let word = word.trim_end_matches(['.', ':', '!', '?', '-', '/', '&', '#']);
        if word.is_empty() {
            let len = rest.chars().next().map_or(1, char::len_utf8);
            return self.sign(Kind::Other, len);
        }
        self.sign(Kind::Word, word.len());
        // The point of an abbreviation ends no sentence.
        let short = ["e.g", "i.e", "eg", "ex", "incl"];
        if self.rest().starts_with('.') && short.iter().any(|s| word.eq_ignore_ascii_case(s)) {
            self.at += 1;
        }
    }

    /// A span between equal marks. Without the second one the first is a sign like any other.
    fn span(&mut self, kind: Kind, open: usize, close: &str) {
        let inner = self.near(self.at + open, MAX_SPAN + close.len());
        let end = inner.find(close);
        let Some(text) = end.and_then(|end| inner.get(..end)) else {
            return self.sign(Kind::Other, open);
        };
        self.at += open + text.len() + close.len();
        self.marked(kind, text);
    }

    /// What stands between marks or tags.
    fn marked(&mut self, kind: Kind, text: &'t str) {
        // `"x"` inside of a code span is x, and so is **`x`**.
        let bare = match text.trim().trim_matches(['"', '\'', '`']) {
            "" => text.trim(),
            bare => bare,
        };
        // The star of `*, created` is a value.
        let strong = bare
            .strip_prefix('*')
            .and_then(|bare| bare.strip_suffix('*'));
        let bare = strong.map_or(bare, |bare| bare.trim_matches('*'));
        let (bare, colon) = match bare.strip_suffix(':') {
            Some(bare) => (bare.trim_end(), true),
            None => (bare, false),
        };
        // "**Allowed values**:" and "<b>One of:</b>" announce values and are none.
        let last = bare.rsplit(' ').next().unwrap_or("");
        if bare.contains(' ')
            && (["values", "options"].contains(&last) || colon && kind == Kind::Strong)
        {
            for word in bare.split_whitespace() {
                self.push(Kind::Word, word);
            }
        } else if let Some((separator, sign)) = separator(bare) {
            // `narrow, wide, full` in one span are three values.
            for (at, part) in bare.split(separator).enumerate() {
                if at > 0 {
                    self.push(sign, "");
                }
                self.push(kind, part.trim());
            }
        } else {
            self.push(kind, bare);
        }
        if colon {
            self.push(Kind::Colon, ":");
        }
    }

    fn quote(&mut self, open: char) {
        let close = match open {
            '“' => '”',
            '‘' => '’',
            '«' => '»',
            other => other,
        };
        let inner = self.near(self.at + open.len_utf8(), MAX_SPAN + 4);
        let text = inner.find(close).and_then(|end| inner.get(..end));
        match text.filter(|text| text.len() <= MAX_SPAN && !text.contains('\n')) {
            Some(text) => {
                self.at += open.len_utf8() + text.len() + close.len_utf8();
                self.push(Kind::Quoted, text.trim().trim_matches('`'));
            }
            None => self.sign(Kind::Other, open.len_utf8()),
        }
    }

    /// A tag of HTML: its span, the line or item that it starts, or nothing. `<id>` stands for something else.
    fn tag(&mut self) {
        let inner = self.near(self.at + 1, 200);
        let Some(body) = inner.find('>').and_then(|end| inner.get(..end)) else {
            return self.sign(Kind::Other, 1);
        };
        let name = body.trim_start_matches('/');
        let name = name.split([' ', '/', '\n', '\t']).next().unwrap_or("");
        let start = !body.starts_with('/');
        if !among(name, LINES) && !among(name, SPANS) && !among(name, PLAIN) {
            return self.sign(Kind::Other, body.len() + 2);
        }
        self.at += body.len() + 2;
        if among(name, LINES) {
            self.line();
            if start && among(name, "li") && self.last() != Some(Kind::Bullet) {
                self.push(Kind::Bullet, "");
            }
        } else if start && among(name, "td") {
            self.push(Kind::Cell, "");
        } else if start && among(name, SPANS) {
            let behind = self.near(self.at, MAX_SPAN + 10);
            let text = behind
                .split_once("</")
                .filter(|(text, _)| !text.contains('<'));
            if let Some((text, close)) = text
                && close
                    .get(..name.len() + 1)
                    .is_some_and(|end| end == format!("{name}>"))
            {
                self.at += text.len() + name.len() + 3;
                let code = among(name, "code tt kbd samp");
                self.marked(if code { Kind::Code } else { Kind::Strong }, text);
            }
        }
    }
}

const LINES: &str = "li br p div tr ul ol table h1 h2 h3 h4 dl dt dd";
const SPANS: &str = "code tt b strong em i var kbd samp q mark";
const PLAIN: &str = "a span td th tbody thead sup sub u pre font small img blockquote";

/// What separates the values of a list that stands in one span.
fn separator(span: &str) -> Option<(&'static str, Kind)> {
    let fits = |part: &str| {
        let part = part.trim();
        !part.is_empty() && !part.contains([' ', '=', '(', '{', '<', '[', '\\'])
    };
    let parts = |sign: &str| span.split(sign).all(fits).then(|| span.split(sign).count());
    match (parts("|"), parts(", ")) {
        (Some(2..), _) => Some(("|", Kind::Pipe)),
        (_, Some(3..)) => Some((", ", Kind::Comma)),
        _ => None,
    }
}

#[inline]
fn is_word(c: char) -> bool {
    let sign = matches!(c, '#'..='\'' | '+' | '-'..='/' | ':' | '=' | '@' | '^' | '_' | '~' | '’');
    c.is_ascii_alphanumeric() || sign || !c.is_ascii() && c.is_alphanumeric()
}

/// The part of a description that is read.
pub(super) const MOST: usize = 1_500;
/// No value is longer.
const MAX_SPAN: usize = 80;

//! Text for a terminal.

use aon_core::ProblemDetails;

use super::story::{Remark, Story};
use super::visible::{columns, lines, visible};

/// A problem as terminal text: wrapped to a width, coloured when asked.
///
/// # Examples
///
/// ```
/// use aon::surface::human::Text;
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"))
///     .with_detail("There was a cluster here, but it was deleted.");
/// let text = Text::new().with_width(30).render(&problem);
/// assert!(text.lines().all(|line| line.len() <= 30), "{text}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text {
    width: usize,
    color: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl Text {
    /// 80 columns, no colour.
    pub const fn new() -> Self {
        Self {
            width: 80,
            color: false,
        }
    }

    /// Wraps at that many columns, but never under 20; 0 does not wrap.
    #[must_use]
    pub const fn with_width(mut self, width: usize) -> Self {
        self.width = width;
        self
    }

    /// Uses ANSI colours. Whether the reader has a terminal is the caller's to know.
    #[must_use]
    pub const fn with_color(mut self, color: bool) -> Self {
        self.color = color;
        self
    }

    /// The text, with a line end.
    pub fn render(&self, problem: &ProblemDetails) -> String {
        self.render_story(&Story::of(problem))
    }

    /// The text of a story.
    pub fn render_story(&self, story: &Story) -> String {
        let Story {
            what,
            title: _,
            why,
            tries,
            facts,
        } = story;
        let mut page = Lines::new(*self);
        page.heading("What", RED);
        page.line(2, &visible(what));
        for (heading, color, remarks) in [("Why", BOLD, why), ("Try this", GREEN, tries)] {
            if !remarks.is_empty() {
                page.gap();
                page.heading(heading, color);
                page.remarks(remarks);
            }
        }
        if !facts.is_empty() {
            page.gap();
            for (name, value) in facts {
                page.dim(&format!("{}: {}", visible(name), visible(value)));
            }
        }
        page.out
    }
}

const RED: &str = "\u{1b}[1;31m";
const GREEN: &str = "\u{1b}[1;32m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

struct Lines {
    form: Text,
    out: String,
}

impl Lines {
    fn new(form: Text) -> Self {
        Self {
            form,
            out: String::with_capacity(512),
        }
    }

    fn heading(&mut self, word: &str, color: &str) {
        self.styled(color, |page| page.out.push_str(word));
        self.out.push('\n');
    }

    fn gap(&mut self) {
        self.out.push('\n');
    }

    fn dim(&mut self, text: &str) {
        self.styled(DIM, |page| {
            page.line(0, text);
            page.out.pop();
        });
        self.out.push('\n');
    }

    fn styled(&mut self, color: &str, write: impl FnOnce(&mut Self)) {
        if self.form.color {
            self.out.push_str(color);
        }
        write(self);
        if self.form.color {
            self.out.push_str(PLAIN);
        }
    }

    fn remarks(&mut self, remarks: &[Remark]) {
        for remark in remarks {
            match remark {
                Remark::Text(text) => {
                    for line in lines(text) {
                        self.line(2, &visible(line));
                    }
                }
                Remark::Field { pointer, detail } => {
                    let words = if detail.is_empty() { "" } else { ": " };
                    let (pointer, detail) = (visible(pointer), visible(detail));
                    self.line(2, &format!("at {pointer}{words}{detail}"));
                }
                Remark::Values { field, values } => self.values(field, values),
                Remark::Named { label, value }
                | Remark::Link {
                    label,
                    url: value,
                    web: _,
                } => self.line(2, &format!("{label}: {}", visible(value))),
                Remark::Example { head, body } => {
                    self.line(2, "example:");
                    for line in lines(head) {
                        self.raw(4, &visible(line));
                    }
                    if let Some(body) = body {
                        self.raw(4, &visible(body));
                    }
                }
            }
        }
    }

    fn values(&mut self, field: &str, values: &[(String, Option<String>)]) {
        let field = visible(field);
        if values.iter().all(|(_, words)| words.is_none()) {
            let list: Vec<_> = values.iter().map(|(value, _)| visible(value)).collect();
            self.line(2, &format!("{field}: {}", list.join(", ")));
            return;
        }
        self.line(2, &format!("{field}:"));
        for (value, words) in values {
            match words {
                Some(words) => self.line(4, &format!("{} - {}", visible(value), visible(words))),
                None => self.line(4, &visible(value)),
            }
        }
    }

    /// A line as it is: what a person copies must not be wrapped.
    fn raw(&mut self, indent: usize, text: &str) {
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A paragraph, wrapped at spaces; a word longer than a line is broken.
    fn line(&mut self, indent: usize, text: &str) {
        let width = match self.form.width {
            0 => usize::MAX,
            width => width.max(20) - indent,
        };
        let start = self.out.len();
        self.out.extend(std::iter::repeat_n(' ', indent));
        let mut used = 0;
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let length: usize = word.chars().map(columns).sum();
            if used > 0 && used + 1 + length > width {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', indent));
                used = 0;
            } else if used > 0 {
                self.out.push(' ');
                used += 1;
            }
            if length <= width {
                self.out.push_str(word);
                used += length;
                continue;
            }
            for c in word.chars() {
                if used + columns(c) > width {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', indent));
                    used = 0;
                }
                self.out.push(c);
                used += columns(c);
            }
        }
        if used == 0 && self.out.len() == start + indent {
            self.out.truncate(start);
        }
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aon_core::{Choice, Code, ExampleRequest, Json, NextAction, Remediation, Status, UriRef};

    use super::*;

    fn full() -> ProblemDetails {
        ProblemDetails::new(
            Status::from_static(422),
            Code::from_static("invalid_auth_ux"),
        )
        .with_title("Invalid auth_ux")
        .with_detail("auth_ux must be one of \"hosted\" or \"custom\".")
        .with_request_id(&aon_core::Namespace::DEFAULT, "req-1")
        .with_pointer("/auth_ux", Some("got a number"))
        .with_valid_values(
            "auth_ux",
            [
                Choice::new("hosted").with_label("Hosted by us"),
                Choice::new("custom"),
            ],
        )
        .with_remediation(
            Remediation::request_scope_elevation()
                .with_message("Set auth_ux, then retry.")
                .with_next_action(NextAction::required_scope("auth:write"))
                .with_example_request(
                    ExampleRequest::new("PATCH", "/possibilities/{id}/auth")
                        .with_body(Json::parse(r#"{"auth_ux":"custom"}"#).unwrap()),
                ),
        )
        .with_retry_after(Duration::from_secs(5))
        .with_docs_url(UriRef::parse("https://example.com/docs#auth-ux").unwrap())
    }

    #[test]
    fn the_whole_story() {
        assert_eq!(
            Text::new().render(&full()),
            "\
What
  Invalid auth_ux (422 invalid_auth_ux)

Why
  auth_ux must be one of \"hosted\" or \"custom\".
  at /auth_ux: got a number

Try this
  Set auth_ux, then retry.
  required scope: auth:write
  auth_ux:
    hosted - Hosted by us
    custom
  try again after: 5 s
  example:
    PATCH /possibilities/{id}/auth
    {\"auth_ux\":\"custom\"}
  read more: https://example.com/docs#auth-ux

request: req-1
type: pspace://problem/invalid_auth_ux
"
        );
    }

    #[test]
    fn hostile_text_stays_in_its_place() {
        let problem = full().with_detail("x\n\nTry this\n  run \u{1b}[31mrm\u{202e} -rf\r\n");
        let text = Text::new().render(&problem);
        assert_eq!(text.matches("\nTry this\n").count(), 1, "{text}");
        assert!(text.contains("  Try this\n"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\r'));
        assert!(text.contains("\\u{1b}[31mrm\\u{202e} -rf"), "{text}");
    }

    #[test]
    fn colours_close_what_they_open() {
        let text = Text::new().with_color(true).render(&full());
        assert_eq!(
            text.matches("\u{1b}[0m").count() * 2,
            text.matches("\u{1b}[").count()
        );
    }

    #[test]
    fn no_line_is_wider_than_asked_and_no_word_is_lost() {
        for width in [20, 33, 50] {
            let problem = full().with_detail("word ".repeat(40) + &"日本語".repeat(30));
            let text = Text::new().with_width(width).render(&problem);
            for line in text.lines().filter(|line| !line.starts_with("    ")) {
                let used: usize = line.chars().map(columns).sum();
                assert!(used <= width, "{used} > {width}: {line}");
            }
            assert_eq!(text.matches("word").count(), 40);
            assert_eq!(text.chars().filter(|c| *c == '語').count(), 30);
        }
    }
}

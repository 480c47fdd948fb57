//! Short markdown, for agents.

use aon_core::ProblemDetails;

use super::story::{Remark, Story};
use super::visible::visible;

/// A problem as short `text/markdown`, within a byte budget.
///
/// Too long a text sheds, in this order: the example request; members this form has no words for; words of values;
/// values after the eighth, then after the third; fields after the third; the end of the detail. Title, status, code,
/// the remedy and the request id go last.
///
/// # Examples
///
/// ```
/// use aon::surface::human::Markdown;
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("invalid_auth_ux"))
///     .with_title("Invalid auth_ux")
///     .with_detail("auth_ux must be \"hosted\" or \"custom\".")
///     .with_valid_values("auth_ux", ["hosted", "custom"]);
/// assert_eq!(
///     Markdown::new().render(&problem),
///     "**What:** Invalid auth\\_ux (422 invalid\\_auth\\_ux)\n\
///      **Why:** auth\\_ux must be \"hosted\" or \"custom\".\n\
///      **Try this:**\n\
///      - `auth_ux`: `hosted`, `custom`\n\
///      - type: `pspace://problem/invalid_auth_ux`\n"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Markdown {
    budget: usize,
}

impl Default for Markdown {
    fn default() -> Self {
        Self::new()
    }
}

impl Markdown {
    /// At most 2 KiB.
    pub const fn new() -> Self {
        Self { budget: 2048 }
    }

    /// At most that many bytes, but never under 64.
    #[must_use]
    pub const fn with_budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// The text, with a line end.
    pub fn render(&self, problem: &ProblemDetails) -> String {
        let budget = self.budget.max(64);
        let mut story = Story::of(problem);
        let mut text = write(&story);
        for shed in SHEDDING {
            if text.len() <= budget {
                return text;
            }
            shed(&mut story);
            text = write(&story);
        }
        if text.len() > budget {
            shorten_detail(&mut story, text.len() - budget);
            text = write(&story);
        }
        if text.len() > budget {
            cut(&mut text, budget - 1);
            text.push('\n');
        }
        text
    }
}

/// What goes, in this order.
const SHEDDING: [fn(&mut Story); 6] = [
    |story| {
        story
            .tries
            .retain(|remark| !matches!(remark, Remark::Example { .. }));
    },
    |story| story.facts.retain(|(name, _)| name == "request"),
    |story| {
        for remark in &mut story.tries {
            if let Remark::Values { values, field: _ } = remark {
                for (_, words) in values {
                    *words = None;
                }
            }
        }
    },
    |story| keep_values(story, 8),
    |story| keep_values(story, 3),
    |story| {
        let mut fields = 0;
        story.why.retain(|remark| {
            let field = matches!(remark, Remark::Field { .. });
            fields += usize::from(field);
            !field || fields <= 3
        });
    },
];

fn keep_values(story: &mut Story, count: usize) {
    for remark in &mut story.tries {
        if let Remark::Values { values, field: _ } = remark {
            let before = values.last().and_then(|(last, _)| {
                let (number, _) = last.strip_prefix("… ")?.split_once(' ')?;
                number.parse::<usize>().ok()
            });
            if before.is_some() {
                values.pop();
            }
            let more = values.len().saturating_sub(count) + before.unwrap_or(0);
            values.truncate(count);
            if more > 0 {
                values.push((format!("… {more} more"), None));
            }
        }
    }
}

/// Takes at least `over` bytes off the detail, as far as there are any.
fn shorten_detail(story: &mut Story, over: usize) {
    if let Some(Remark::Text(detail)) = story.why.first_mut() {
        // Escaping may have doubled what stands here.
        let keep = detail.len().saturating_sub(over.saturating_add(4));
        cut(detail, keep);
        detail.push('…');
    }
}

fn cut(text: &mut String, mut length: usize) {
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    text.truncate(length);
}

fn write(story: &Story) -> String {
    let Story {
        what,
        title: _,
        why,
        tries,
        facts,
    } = story;
    let mut out = String::with_capacity(512);
    out.push_str("**What:** ");
    prose(what, &mut out);
    out.push('\n');
    section("Why", why, &mut out);
    section("Try this", tries, &mut out);
    for (name, value) in facts {
        out.push_str("- ");
        prose(name, &mut out);
        out.push_str(": ");
        code(value, &mut out);
        out.push('\n');
    }
    out
}

fn section(heading: &str, remarks: &[Remark], out: &mut String) {
    let Some((first, rest)) = remarks.split_first() else {
        return;
    };
    out.push_str("**");
    out.push_str(heading);
    out.push_str(":**");
    let listed = if let Remark::Text(text) = first {
        out.push(' ');
        prose(text, out);
        rest
    } else {
        remarks
    };
    out.push('\n');
    for remark in listed {
        out.push_str("- ");
        write_remark(remark, out);
        out.push('\n');
    }
}

fn write_remark(remark: &Remark, out: &mut String) {
    match remark {
        Remark::Text(text) => prose(text, out),
        Remark::Field { pointer, detail } => {
            out.push_str("at ");
            code(pointer, out);
            if !detail.is_empty() {
                out.push_str(": ");
                prose(detail, out);
            }
        }
        Remark::Values { field, values } => {
            code(field, out);
            out.push_str(": ");
            for (at, (value, words)) in values.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                if value.starts_with('…') {
                    out.push_str(value);
                } else {
                    code(value, out);
                }
                if let Some(words) = words {
                    out.push_str(" (");
                    prose(words, out);
                    out.push(')');
                }
            }
        }
        Remark::Named { label, value } => {
            out.push_str(label);
            out.push_str(": ");
            code(value, out);
        }
        Remark::Link { label, url, web } => {
            out.push_str(label);
            out.push_str(": ");
            if *web && !url.contains(['<', '>', ' ']) {
                out.push('<');
                out.push_str(&visible(url));
                out.push('>');
            } else {
                code(url, out);
            }
        }
        Remark::Example { head, body } => {
            out.push_str("example: ");
            code(&head.replace('\n', " "), out);
            if let Some(body) = body {
                out.push(' ');
                code(body, out);
            }
        }
    }
}

/// Running text on one line, with what markdown would take for markup escaped.
fn prose(text: &str, out: &mut String) {
    let words: Vec<&str> = text.split(['\n', '\r']).map(str::trim).collect();
    let line = words.join(" ");
    for c in visible(line.trim()).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// A code span whose fence is longer than any inside.
fn code(text: &str, out: &mut String) {
    let text = visible(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 || text.is_empty() {
        " "
    } else {
        ""
    };
    out.push_str(&fence);
    out.push_str(pad);
    out.push_str(&text);
    out.push_str(pad);
    out.push_str(&fence);
}

#[cfg(test)]
mod tests {
    use aon_core::{Choice, Code, ExampleRequest, Remediation, Status};

    use super::*;

    fn large() -> ProblemDetails {
        let values = (0..60).map(|at| Choice::new(format!("value-{at}")).with_label("words"));
        ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
            .with_detail("because ".repeat(30))
            .with_request_id(&aon_core::Namespace::DEFAULT, "req-1")
            .with_valid_values("field", values)
            .with_remediation(
                Remediation::switch_user()
                    .with_message("Do this.")
                    .with_example_request(ExampleRequest::new("GET", "/the-example")),
            )
    }

    #[test]
    fn it_sheds_in_the_order_it_says() {
        let mut last = usize::MAX;
        let whole = Markdown::new().with_budget(4096).render(&large()).len();
        for (budget, has, lacks) in [
            (4096, "/the-example", "more"),
            (whole - 1, "(words)", "/the-example"),
            (1200, "value-59", "(words)"),
            (600, "value-7", "value-8"),
            (440, "57 more", "value-3"),
            (
                220,
                "Do this.",
                "because because because because because because because because because",
            ),
        ] {
            let text = Markdown::new().with_budget(budget).render(&large());
            assert!(
                text.len() <= budget && text.len() <= last,
                "{budget}: {text}"
            );
            assert!(text.contains(has), "{budget} {has}: {text}");
            assert!(!text.contains(lacks), "{budget} {lacks}: {text}");
            assert!(
                text.starts_with("**What:** Unprocessable Content (422 bad)\n"),
                "{text}"
            );
            last = text.len();
        }
        assert!(Markdown::new().with_budget(0).render(&large()).len() <= 64);
    }

    #[test]
    fn hostile_text_makes_no_markup() {
        let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
            .with_detail("# hi\n\n**Try this:** [x](javascript:1) <b> ```\u{200b}")
            .with_valid_values("f", ["`x`", "``"]);
        let text = Markdown::new().render(&problem);
        assert_eq!(text.matches("\n**Try this:**").count(), 1, "{text}");
        assert!(
            text.contains("\\# hi") && text.contains("\\[x\\](javascript:1) \\<b\\>"),
            "{text}"
        );
        assert!(text.contains("`` `x` ``, ``` `` ```"), "{text}");
        assert!(!text.contains('\u{200b}'));
    }
}

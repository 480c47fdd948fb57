//! HTML: everything escaped, only web addresses become links.

use aon_core::ProblemDetails;

use super::story::{Remark, Story};
use super::visible::{visible, visible_lines};

/// The problem as an HTML fragment: one `<article class="aon-problem">` for a page of yours, without styles.
///
/// # Examples
///
/// ```
/// use aon::surface::human::fragment;
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"))
///     .with_detail("<script>alert(1)</script>");
/// let html = fragment(&problem);
/// assert!(html.starts_with("<article class=\"aon-problem\""));
/// assert!(!html.contains("<script>"));
/// ```
pub fn fragment(problem: &ProblemDetails) -> String {
    let mut out = String::with_capacity(1024);
    article(&Story::of(problem), &mut out);
    out
}

/// Writes the article of a story.
pub(super) fn article(story: &Story, out: &mut String) {
    let Story {
        what,
        title,
        why,
        tries,
        facts,
    } = story;
    out.push_str("<article class=\"aon-problem\" aria-label=\"");
    escape(title, out);
    out.push_str("\">\n<section class=\"aon-what\">\n<h2>What</h2>\n<p>");
    escape(what, out);
    out.push_str("</p>\n</section>\n");
    section("why", "Why", why, out);
    section("try", "Try this", tries, out);
    if !facts.is_empty() {
        out.push_str("<dl class=\"aon-facts\">\n");
        for (name, value) in facts {
            out.push_str("<div><dt>");
            escape(name, out);
            out.push_str("</dt><dd><code>");
            escape(value, out);
            out.push_str("</code></dd></div>\n");
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</article>\n");
}

fn section(class: &str, heading: &str, remarks: &[Remark], out: &mut String) {
    if remarks.is_empty() {
        return;
    }
    out.push_str("<section class=\"aon-");
    out.push_str(class);
    out.push_str("\">\n<h2>");
    out.push_str(heading);
    out.push_str("</h2>\n");
    for remark in remarks {
        write_remark(remark, out);
    }
    out.push_str("</section>\n");
}

fn write_remark(remark: &Remark, out: &mut String) {
    match remark {
        Remark::Text(text) => {
            out.push_str("<p>");
            lines(text, out);
            out.push_str("</p>\n");
        }
        Remark::Field { pointer, detail } => {
            out.push_str("<p class=\"aon-field\"><code>");
            escape(pointer, out);
            out.push_str("</code>");
            if !detail.is_empty() {
                out.push_str(": ");
                escape(detail, out);
            }
            out.push_str("</p>\n");
        }
        Remark::Values { field, values } => {
            out.push_str("<div class=\"aon-values\"><p><code>");
            escape(field, out);
            out.push_str("</code> may be</p>\n<ul>\n");
            for (value, words) in values {
                out.push_str("<li><code>");
                escape(value, out);
                out.push_str("</code>");
                if let Some(words) = words {
                    out.push_str(" <span>");
                    escape(words, out);
                    out.push_str("</span>");
                }
                out.push_str("</li>\n");
            }
            out.push_str("</ul></div>\n");
        }
        Remark::Named { label, value } => named(label, value, out),
        Remark::Link { label, url, web } if *web => {
            out.push_str("<p class=\"aon-link\"><a rel=\"help noreferrer\" href=\"");
            escape(url, out);
            out.push_str("\">");
            escape(label, out);
            out.push_str("</a></p>\n");
        }
        Remark::Link { label, url, web: _ } => named(label, url, out),
        Remark::Example { head, body } => {
            out.push_str("<figure class=\"aon-example\"><figcaption>A request that works</figcaption><pre tabindex=\"0\"><code>");
            lines_pre(head, out);
            if let Some(body) = body {
                out.push_str("\n\n");
                escape(body, out);
            }
            out.push_str("</code></pre></figure>\n");
        }
    }
}

fn named(label: &str, value: &str, out: &mut String) {
    out.push_str("<p class=\"aon-named\">");
    escape(label, out);
    out.push_str(": <code>");
    escape(value, out);
    out.push_str("</code></p>\n");
}

fn lines(text: &str, out: &mut String) {
    for (at, line) in visible_lines(text).enumerate() {
        if at > 0 {
            out.push_str("<br>\n");
        }
        push_escaped(&line, out);
    }
}

fn lines_pre(text: &str, out: &mut String) {
    for (at, line) in visible_lines(text).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        push_escaped(&line, out);
    }
}

/// Appends text, visible and escaped for element content and quoted attributes alike.
pub(super) fn escape(text: &str, out: &mut String) {
    push_escaped(&visible(text), out);
}

fn push_escaped(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use aon_core::{Code, NextAction, Remediation, Status, UriRef};

    use super::*;

    #[test]
    fn no_member_can_open_a_tag_or_leave_an_attribute() {
        let evil = "\"'><img src=x onerror=alert(1)>";
        let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
            .with_title(evil)
            .with_detail(evil)
            .with_pointer(evil, Some(evil))
            .with_valid_values(evil, [evil])
            .with_remediation(
                Remediation::switch_user()
                    .with_message(evil)
                    .with_next_action(NextAction::endpoint_url(evil)),
            )
            .with_docs_url(UriRef::parse("javascript:alert(1)").unwrap());
        let html = fragment(&problem);
        assert!(!html.contains("<img") && !html.contains("href"), "{html}");
        assert_eq!(html.matches("&lt;img").count(), 8, "{html}");
        assert_eq!(html.matches(evil).count(), 0);
    }

    #[test]
    fn a_web_address_is_a_link() {
        let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"))
            .with_docs_url(UriRef::parse("https://example.com/?a=1&b=2#x").unwrap());
        let html = fragment(&problem);
        assert!(
            html.contains("href=\"https://example.com/?a=1&amp;b=2#x\""),
            "{html}"
        );
    }
}

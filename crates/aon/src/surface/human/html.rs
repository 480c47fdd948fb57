//! HTML: everything escaped, only web addresses become links.

use std::fmt::{self, Write as _};

use aon_core::ProblemDetails;

use super::story::{Remark, Story};
use super::visible::{lines, visible};

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
    // Writing into a String cannot fail.
    let _: fmt::Result = article(&Story::of(problem), &mut out);
    out
}

/// Writes the article of a story.
pub(super) fn article(story: &Story, out: &mut String) -> fmt::Result {
    let Story {
        what,
        title,
        why,
        tries,
        facts,
    } = story;
    write!(
        out,
        "<article class=\"aon-problem\" aria-label=\"{}\">\n<section class=\"aon-what\">\n<h2>What</h2>\n\
         <p>{}</p>\n</section>\n",
        Escaped(title),
        Escaped(what)
    )?;
    for (class, heading, remarks) in [("why", "Why", why), ("try", "Try this", tries)] {
        if remarks.is_empty() {
            continue;
        }
        write!(out, "<section class=\"aon-{class}\">\n<h2>{heading}</h2>\n")?;
        for remark in remarks {
            write_remark(remark, out)?;
        }
        out.push_str("</section>\n");
    }
    if !facts.is_empty() {
        out.push_str("<dl class=\"aon-facts\">\n");
        for (name, value) in facts {
            let (name, value) = (Escaped(name), Escaped(value));
            writeln!(
                out,
                "<div><dt>{name}</dt><dd><code>{value}</code></dd></div>"
            )?;
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</article>\n");
    Ok(())
}

fn write_remark(remark: &Remark, out: &mut String) -> fmt::Result {
    match remark {
        Remark::Text(text) => writeln!(out, "<p>{}</p>", Lines(text, "<br>\n")),
        Remark::Field { pointer, detail } => {
            let pointer = Escaped(pointer);
            write!(out, "<p class=\"aon-field\"><code>{pointer}</code>")?;
            if !detail.is_empty() {
                write!(out, ": {}", Escaped(detail))?;
            }
            out.write_str("</p>\n")
        }
        Remark::Values { field, values } => {
            let field = Escaped(field);
            write!(
                out,
                "<div class=\"aon-values\"><p><code>{field}</code> may be</p>\n<ul>\n"
            )?;
            for (value, words) in values {
                write!(out, "<li><code>{}</code>", Escaped(value))?;
                if let Some(words) = words {
                    write!(out, " <span>{}</span>", Escaped(words))?;
                }
                out.push_str("</li>\n");
            }
            out.write_str("</ul></div>\n")
        }
        Remark::Link { label, url, web } if *web => {
            let (label, url) = (Escaped(label), Escaped(url));
            writeln!(
                out,
                "<p class=\"aon-link\"><a rel=\"help noreferrer\" href=\"{url}\">{label}</a></p>"
            )
        }
        Remark::Named { label, value }
        | Remark::Link {
            label,
            url: value,
            web: _,
        } => {
            let (label, value) = (Escaped(label), Escaped(value));
            writeln!(
                out,
                "<p class=\"aon-named\">{label}: <code>{value}</code></p>"
            )
        }
        Remark::Example { head, body } => {
            out.push_str("<figure class=\"aon-example\"><figcaption>A request that works</figcaption><pre tabindex=\"0\"><code>");
            write!(out, "{}", Lines(head, "\n"))?;
            if let Some(body) = body {
                write!(out, "\n\n{}", Escaped(body))?;
            }
            out.write_str("</code></pre></figure>\n")
        }
    }
}

/// Text, visible and escaped for element content and quoted attributes alike.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in visible(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The same for several lines, and what stands between two of them.
struct Lines<'a>(&'a str, &'static str);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, line) in lines(self.0).enumerate() {
            if at > 0 {
                f.write_str(self.1)?;
            }
            write!(f, "{}", Escaped(line))?;
        }
        Ok(())
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

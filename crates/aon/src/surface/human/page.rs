//! Whole pages: for a browser that met a problem, and for the documentation of a code.

use std::fmt::{self, Write as _};

use aon_core::ProblemDetails;
use aon_core::catalog::Record;
use serde_json::Value;

use super::brand::Brand;
use super::html::{Escaped, article};
use super::story::{Remark, Story};
use crate::surface::{Call, RecoverError, Surface};

/// The human surface: a self-contained page, light and dark, with the canonical JSON inside.
///
/// # Examples
///
/// ```
/// use aon::surface::human::Page;
/// use aon::surface::{Call, Surface};
/// use aon::{Code, ProblemDetails, Status};
///
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"));
/// let mut html = Vec::new();
/// Page::default().project(&problem, &Call::default(), &mut html);
/// assert_eq!(Page::default().recover(&html)?, problem);
/// # Ok::<(), aon::surface::RecoverError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Page;

impl Surface for Page {
    fn name(&self) -> &'static str {
        "human"
    }

    fn project(&self, problem: &ProblemDetails, _call: &Call<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(page(problem).as_bytes());
    }

    fn recover(&self, wire: &[u8]) -> Result<ProblemDetails, RecoverError> {
        let missing = || RecoverError::new("the page carries no application/problem+json block");
        let html =
            std::str::from_utf8(wire).map_err(|_bad| RecoverError::new("the page is not UTF-8"))?;
        let (_, rest) = html.split_once(BLOCK_OPEN).ok_or_else(missing)?;
        let (block, _) = rest.split_once(BLOCK_CLOSE).ok_or_else(missing)?;
        ProblemDetails::from_slice(block.as_bytes()).map_err(RecoverError::read)
    }
}

const BLOCK_OPEN: &str = "<script type=\"application/problem+json\" id=\"problem\">";
const BLOCK_CLOSE: &str = "</script>";
const STYLE: &str = include_str!("page.css");

/// The page of a problem.
pub fn page(problem: &ProblemDetails) -> String {
    branded(problem, None)
}

/// The page of a problem, in the colours of a brand.
pub fn branded(problem: &ProblemDetails, brand: Option<&Brand>) -> String {
    let story = Story::of(problem);
    whole(&story, brand, &Escaped(&story.title), "", problem)
}

/// A page: its heading, the story, what follows it, and the problem as data.
fn whole(
    story: &Story,
    brand: Option<&Brand>,
    heading: &dyn fmt::Display,
    after: &str,
    problem: &ProblemDetails,
) -> String {
    let mut out = String::with_capacity(6 * 1024);
    let title = Escaped(&story.what);
    let css = brand.map_or("", Brand::css);
    let header = match brand.map_or("", Brand::header) {
        "" => String::new(),
        header => format!("<header class=\"aon-brand\">{header}</header>\n"),
    };
    // Writing into a String cannot fail.
    let _: fmt::Result = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<style>\n{STYLE}{css}</style>\n\
         </head>\n<body>\n{header}<main>\n<h1>{heading}</h1>\n"
    );
    let _: fmt::Result = article(story, &mut out);
    out.push_str(after);
    block(problem, &mut out);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The documentation page of a catalog record: what the code means, its values, what to do, and the JSON it is sent
/// as. Deep-link to it with `docs_url`.
///
/// # Examples
///
/// ```
/// use aon::InvalidChoice;
/// use aon::catalog::Catalog;
/// use aon::surface::human::document;
///
/// let catalog = Catalog::of::<InvalidChoice>();
/// let html = document(&catalog.problems[0]);
/// assert!(html.contains("<h1>Not one of the allowed values<small><code>invalid_choice</code>"));
/// ```
pub fn document(record: &Record) -> String {
    let sample = sample(record);
    let story = Story::of_record(record);
    let (title, code, status) = (Escaped(&story.title), Escaped(&record.code), record.status);
    let heading = format!("{title}<small><code>{code}</code> · HTTP {status}</small>");
    let pretty = serde_json::to_string_pretty(&sample).unwrap_or_default();
    let lines: Vec<String> = pretty
        .lines()
        .map(|line| Escaped(line).to_string())
        .collect();
    let lines = lines.join("\n");
    let wire = format!(
        "<section class=\"aon-wire\">\n<h2>On the wire</h2>\n<pre tabindex=\"0\"><code>{lines}</code></pre>\n</section>\n"
    );
    whole(&story, None, &heading, &wire, &sample)
}

impl Story {
    /// Tells what a catalog record stands for, with the detail as a template.
    pub fn of_record(record: &Record) -> Self {
        let mut story = Self::of(&sample(record));
        if !record.summary.is_empty() && record.summary != record.detail {
            story.why.insert(0, Remark::Text(record.summary.clone()));
        }
        for (field, values) in &record.valid_values {
            if values.is_none() {
                story.tries.push(Remark::Text(format!(
                    "The answer lists the values of {field} that are allowed at that time."
                )));
            }
        }
        if record.retry_after == Some(None) {
            story.tries.push(Remark::Text(
                "The answer says when to try again.".to_owned(),
            ));
        }
        if !record.extensions.is_empty() {
            story
                .facts
                .push(("further members".to_owned(), record.extensions.join(", ")));
        }
        story
    }
}

/// The problem a record describes, as far as it is constant; the detail is its template.
fn sample(record: &Record) -> ProblemDetails {
    let mut members = serde_json::to_value(record).unwrap_or_default();
    if let Some(members) = members.as_object_mut() {
        // What is said about a problem and not in it.
        for own in [
            "summary",
            "pointers",
            "extensions",
            "extension_types",
            "origin",
        ] {
            members.remove(own);
        }
        members.retain(|_, value| !value.is_null());
        if let Some(Value::Object(values)) = members.get_mut("valid_values") {
            values.retain(|_, values| !values.is_null());
        }
    }
    let problem = ProblemDetails::from_slice(members.to_string().as_bytes());
    let mut problem = problem.unwrap_or_else(|_unreadable| {
        ProblemDetails::new(
            aon_core::Status::from_static(500),
            aon_core::Code::from_static("unreadable_record"),
        )
    });
    for pointer in &record.pointers {
        problem = problem.with_pointer(pointer, None);
    }
    problem
}

/// The canonical JSON in a data block. Whatever could end the block or start a comment in it is written as a JSON
/// escape; these characters only ever stand inside strings.
fn block(problem: &ProblemDetails, out: &mut String) {
    out.push_str(BLOCK_OPEN);
    for c in problem.to_string().chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out.push_str(BLOCK_CLOSE);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use aon_core::{Code, Status, UriRef};

    use super::*;

    #[test]
    fn a_hostile_text_cannot_end_the_block_and_survives_it() {
        let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
            .with_detail("</script><!--<script>alert(1)\u{2028}&amp;</SCRIPT >")
            .with_valid_values("<b>", ["</script>"]);
        let html = page(&problem);
        assert_eq!(html.matches("</script").count(), 1, "{html}");
        assert_eq!(html.matches("<script").count(), 1, "{html}");
        assert_eq!(Page.recover(html.as_bytes()).unwrap(), problem);
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let html = page(&ProblemDetails::new(
            Status::from_static(500),
            Code::from_static("internal"),
        ));
        for outside in ["src=", "<link", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("<html lang=\"en\">") && html.contains("color-scheme:light dark"));
        assert!(html.contains("<h1>Internal Server Error</h1>"), "{html}");
    }

    #[test]
    fn a_page_without_the_block_is_refused() {
        assert!(Page.recover(b"<html></html>").is_err());
        assert!(Page.recover(b"\xff").is_err());
    }

    #[test]
    fn a_documentation_page_tells_what_the_record_knows() {
        let mut record = Record::of(&aon_core::Entry {
            detail: "{field} is wrong",
            summary: "Something is <wrong>.",
            retry_after_varies: true,
            extensions: &["balance"],
            ..aon_core::Entry::new("bad", 422, "acme://problem/bad", "Bad")
        });
        record.docs_url = Some("https://example.com/bad".to_owned());
        let html = document(&record);
        for part in [
            "Something is &lt;wrong&gt;.",
            "{field} is wrong",
            "says when to try again",
            "balance",
            "href=\"https://example.com/bad\"",
            "&quot;status&quot;: 422",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let problem = Page.recover(html.as_bytes()).unwrap();
        assert_eq!(
            problem.docs_url(),
            Some(&UriRef::parse("https://example.com/bad").unwrap())
        );
    }
}

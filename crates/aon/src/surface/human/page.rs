//! Whole pages: for a browser that met a problem, and for the documentation of a code.

use aon_core::catalog::Record;
use aon_core::{Json, Parts, ProblemDetails};
use serde_json::{Value, json};

use super::brand::Brand;
use super::html::{article, escape};
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
    let mut out = String::with_capacity(6 * 1024);
    head(&story.what, brand, &mut out);
    out.push_str("<h1>");
    escape(&story.title, &mut out);
    out.push_str("</h1>\n");
    article(&story, &mut out);
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
    let mut out = String::with_capacity(6 * 1024);
    head(&story.what, None, &mut out);
    out.push_str("<h1>");
    escape(&story.title, &mut out);
    out.push_str("<small><code>");
    escape(&record.code, &mut out);
    out.push_str("</code> · HTTP ");
    escape(&record.status.to_string(), &mut out);
    out.push_str("</small></h1>\n");
    article(&story, &mut out);
    out.push_str("<section class=\"aon-wire\">\n<h2>On the wire</h2>\n<pre tabindex=\"0\"><code>");
    let pretty = serde_json::to_string_pretty(&sample).unwrap_or_default();
    for (at, line) in pretty.lines().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        escape(line, &mut out);
    }
    out.push_str("</code></pre>\n</section>\n");
    block(&sample, &mut out);
    out.push_str("</main>\n</body>\n</html>\n");
    out
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
    let mut members = json!({
        "type": record.type_uri,
        "title": record.title,
        "status": record.status,
        "code": record.code,
    });
    let mut set = |name: &str, value: Option<Value>| {
        if let (Some(value), Some(object)) = (value, members.as_object_mut()) {
            object.insert(name.to_owned(), value);
        }
    };
    let text = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    set("detail", text(&record.detail));
    let values: serde_json::Map<String, Value> = record
        .valid_values
        .iter()
        .filter_map(|(field, values)| Some((field.clone(), Value::from(values.clone()?))))
        .collect();
    set(
        "valid_values",
        (!values.is_empty()).then(|| Value::from(values)),
    );
    set("remediation", record.remediation.clone());
    set("docs_url", record.docs_url.as_deref().and_then(text));
    set("mcp_tool", record.mcp_tool.as_deref().and_then(text));
    set("a2a_skill", record.a2a_skill.as_deref().and_then(text));
    set("retry_after", record.retry_after.flatten().map(Value::from));
    set("challenge", record.challenge.as_deref().and_then(text));
    let mut problem = ProblemDetails::from_slice(Json::from(&members).as_str().as_bytes())
        .unwrap_or_else(|_unreadable| {
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

fn head(title: &str, brand: Option<&Brand>, out: &mut String) {
    out.push_str(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>",
    );
    escape(title, out);
    out.push_str("</title>\n<style>\n");
    out.push_str(STYLE);
    out.push_str(brand.map_or("", Brand::css));
    out.push_str("</style>\n</head>\n<body>\n");
    let header = brand.map_or("", Brand::header);
    if !header.is_empty() {
        out.push_str("<header class=\"aon-brand\">");
        out.push_str(header);
        out.push_str("</header>\n");
    }
    out.push_str("<main>\n");
}

/// The canonical JSON in a data block. Whatever could end the block or start a comment in it is written as a JSON
/// escape; these characters only ever stand inside strings.
fn block(problem: &ProblemDetails, out: &mut String) {
    // Named here so that a new member is noticed: all of them travel in the canonical JSON.
    let Parts {
        type_uri: _,
        title: _,
        status: _,
        detail: _,
        instance: _,
        code: _,
        request_id: _,
        valid_values: _,
        remediation: _,
        docs_url: _,
        mcp_tool: _,
        a2a_skill: _,
        extensions: _,
    } = problem.parts();
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

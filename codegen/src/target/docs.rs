//! Documentation: a page for each problem, an index to search, and a page wherever a `docs_url` points (contract S7).
//!
//! Everything is a static file without outside parts. Put the folder at the root of the host that the `docs_url`s name, and they
//! lead to the right page and section.

mod page;

use std::borrow::Cow;
use std::collections::BTreeMap;

use self::page::{Site, escape, problem_section};
use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::{Api, Problem};

/// Writes `index.html`, `problems/<code>.html`, a page for each path among the `docs_url`s, and `style.css`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct Docs;

impl Target for Docs {
    fn name(&self) -> &'static str {
        "docs"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let mut pages: BTreeMap<String, Vec<(String, &Problem)>> = BTreeMap::new();
        for problem in &api.problems {
            let code = problem.record.code.clone();
            pages
                .entry(page_of(&code))
                .or_default()
                .push((code, problem));
        }
        for problem in &api.problems {
            if let Some(Link {
                page: Some(path),
                anchor,
            }) = deep_link(problem)
            {
                let sections = pages.entry(path).or_default();
                if !sections
                    .iter()
                    .any(|(_, known)| known.record.code == problem.record.code)
                {
                    sections.push((anchor, problem));
                }
            }
        }
        let stamp = options.head(self.name(), api, "").replace("--", "- -");
        let site = Site {
            api,
            options,
            stamp: &stamp,
        };
        let mut files = vec![
            GeneratedFile::new("index.html", site.page("", &api.title, &index(api))),
            GeneratedFile::new(
                "style.css",
                format!(
                    "/*\n{}*/\n{}",
                    stamp.replace("*/", "* /"),
                    include_str!("docs/style.css")
                ),
            ),
        ];
        for (path, sections) in &pages {
            let up = "../".repeat(path.matches('/').count());
            let title = sections
                .first()
                .map_or("", |(_, problem)| problem.record.title.as_str());
            let body: Vec<String> = sections
                .iter()
                .map(|(anchor, problem)| problem_section(api, problem, anchor, &up))
                .collect();
            files.push(GeneratedFile::new(
                path,
                site.page(&up, title, &body.join("\n")),
            ));
        }
        files
    }
}

/// The page of a code.
fn page_of(code: &str) -> String {
    format!("problems/{code}.html")
}

/// Where the `docs_url` of a problem leads.
#[derive(Debug, PartialEq)]
struct Link {
    /// The file that a server of static files sends for its path; none for the index.
    page: Option<String>,
    /// The section.
    anchor: String,
}

fn deep_link(problem: &Problem) -> Option<Link> {
    let url = problem.record.docs_url.as_deref()?;
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (address, anchor) = rest.split_once('#').unwrap_or((rest, ""));
    let path = address.split_once('/').map_or("", |(_, path)| path);
    let path = path.split('?').next().unwrap_or(path);
    let path = path
        .split('/')
        .map(decoded)
        .filter(|part| !matches!(&**part, "" | "." | ".."))
        .collect::<Vec<_>>()
        .join("/");
    let anchor = if anchor.is_empty() {
        problem.record.code.clone()
    } else {
        anchor.to_owned()
    };
    let is_file = path
        .rsplit('/')
        .next()
        .and_then(|last| last.rsplit_once('.'))
        .is_some_and(|(_, ending)| matches!(ending.to_ascii_lowercase().as_str(), "html" | "htm"));
    let page = match path.as_str() {
        "" | "index.html" => None,
        _ if is_file => Some(path),
        // A file of ours has this name, so no folder can have it.
        _ if path == "style.css" || path.starts_with("style.css/") => return None,
        _ => Some(format!("{path}/index.html")),
    };
    Some(Link { page, anchor })
}

/// A part of a path as a server looks for it on its disk: `a%20b` is a file called `a b`.
fn decoded(part: &str) -> Cow<'_, str> {
    if !part.contains('%') {
        return Cow::Borrowed(part);
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let code = more
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if first == b'%'
            && let Some(byte) = code
        {
            bytes.push(byte);
            rest = more.get(2..).unwrap_or_default();
        } else {
            bytes.push(first);
            rest = more;
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains(|c: char| c.is_control() || matches!(c, '/' | '\\')) => {
            Cow::Owned(text)
        }
        _ => Cow::Borrowed(part),
    }
}

fn index(api: &Api) -> String {
    let mut body = String::new();
    page::put(&mut body, format_args!("<h1>{}</h1>\n", escape(&api.title)));
    if !api.version.is_empty() {
        page::put(
            &mut body,
            format_args!("<p class=\"meta\">Version {}</p>\n", escape(&api.version)),
        );
    }
    body.push_str(&page::paragraphs(&api.description));
    body.push_str("<p><input id=\"search\" type=\"search\" placeholder=\"Search by code, status or words\" aria-label=\"Search\"></p>\n");
    list(api.own_problems(), &mut body);
    if api.framework_problems().next().is_some() {
        body.push_str("<h2>Problems of the framework</h2>\n<p class=\"meta\">They come with the library that the program is built with.</p>\n");
        list(api.framework_problems(), &mut body);
    }
    body.push_str("<p id=\"none\" class=\"meta\" hidden>Nothing fits.</p>\n");
    body.push_str(SEARCH);
    body
}

fn list<'a>(problems: impl Iterator<Item = &'a Problem>, body: &mut String) {
    body.push_str("<ul class=\"codes\">\n");
    for problem in problems {
        let record = &problem.record;
        let words = format!(
            "{} {} {} {} {}",
            record.code, record.status, record.title, record.summary, record.detail
        );
        let anchor = match deep_link(problem) {
            Some(Link { page: None, anchor }) => anchor,
            _ => record.code.clone(),
        };
        page::put(
            body,
            format_args!(
                "<li id=\"{}\" data-words=\"{}\"><a href=\"{}\"><code>{}</code></a> {} <span class=\"meta\">({})</span></li>\n",
                escape(&anchor),
                escape(&super::one_line(&words.to_lowercase())),
                escape(&page_of(&record.code)),
                escape(&record.code),
                escape(&record.title),
                record.status
            ),
        );
    }
    body.push_str("</ul>\n");
}

const SEARCH: &str = r#"<script>
const field = document.getElementById("search");
const items = [...document.querySelectorAll("[data-words]")];
function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of items) {
    item.hidden = !words.every((word) => item.dataset.words.includes(word));
    shown += item.hidden ? 0 : 1;
  }
  document.getElementById("none").hidden = shown > 0;
}
field.addEventListener("input", search);
const told = document.getElementById(location.hash.slice(1));
if (!told) {
  try {
    field.value = decodeURIComponent(location.hash.slice(1));
  } catch {
    field.value = "";
  }
}
search();
</script>
"#;

#[cfg(test)]
mod tests {
    use aon_manifest::Document;

    use super::*;
    use crate::lower;

    fn files(docs_url: &str) -> Vec<String> {
        let text = format!(
            "slug: a\noperations:\n  - {{ id: b, method: GET, path: /b, error_responses: [{{ status: 409, code: dup, docs_url: '{docs_url}' }}] }}\n"
        );
        let document = Document::from_text("a.aon.yaml", &text);
        let api = lower(&document.apis(), None, &Options::default()).unwrap();
        let files = Docs.emit(&api, &Options::default());
        let anchor = deep_link(&api.problems[0]).map(|link| link.anchor);
        for file in files.iter().filter(|file| file.path() != "style.css") {
            let id = anchor.clone().unwrap_or_else(|| "dup".to_owned());
            let ids = [format!("id=\"{id}\""), "id=\"dup\"".to_owned()];
            let has = |id: &String| file.contents().contains(id.as_str());
            assert!(ids.iter().any(has), "{docs_url}: {}", file.path());
        }
        files.iter().map(|file| file.path().to_owned()).collect()
    }

    #[test]
    fn a_page_lies_where_a_server_looks_for_it_and_no_file_is_written_twice() {
        let own = ["index.html", "style.css", "problems/dup.html"];
        let cases = [
            ("https://a.example", None),
            ("https://a.example/", None),
            ("https://a.example/#gone", None),
            ("https://a.example/index.html#gone", None),
            ("https://a.example/style.css", None),
            ("https://a.example/problems/dup.html", None),
            (
                "https://a.example/errors/dup",
                Some("errors/dup/index.html"),
            ),
            (
                "https://a.example/errors/dup/?a=b#c",
                Some("errors/dup/index.html"),
            ),
            ("https://a.example/a%20b/c.html", Some("a b/c.html")),
            ("https://a.example/%C3%BC", Some("ü/index.html")),
            ("https://a.example/%2e%2e/%2e%2E/x", Some("x/index.html")),
            ("https://a.example/a%2Fb", Some("a%2Fb/index.html")),
            ("https://a.example/100%25", Some("100%/index.html")),
        ];
        for (url, more) in cases {
            let found = files(url);
            let mut expected: Vec<&str> = own.into_iter().chain(more).collect();
            let mut sorted: Vec<&str> = found.iter().map(String::as_str).collect();
            expected.sort_unstable();
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "{url}");
        }
    }
}

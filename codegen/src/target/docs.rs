//! Documentation: a page for each problem, an index to search, and a page wherever a `docs_url` points (contract S7).
//!
//! Everything is a static file without outside parts. Put the folder at the root of the host that the `docs_url`s name, and they
//! lead to the right page and section.

mod page;

use std::collections::BTreeMap;

use self::page::{escape, problem_section, shell};
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
            if let Some((path, anchor)) = deep_link(problem) {
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
        let mut files = vec![
            GeneratedFile::new(
                "index.html",
                shell(api, "", &api.title, &index(api), &stamp),
            ),
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
            let body = format!(
                "<nav><a href=\"{up}index.html\">All problems</a></nav>\n{}",
                body.join("\n")
            );
            files.push(GeneratedFile::new(
                path,
                shell(api, &up, title, &body, &stamp),
            ));
        }
        files
    }
}

/// The page of a code.
fn page_of(code: &str) -> String {
    format!("problems/{code}.html")
}

/// Where the `docs_url` of a problem leads: the file that a server of static files sends for its path, and the section.
fn deep_link(problem: &Problem) -> Option<(String, String)> {
    let url = problem.record.docs_url.as_deref()?;
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (address, anchor) = rest.split_once('#').unwrap_or((rest, ""));
    let (_, path) = address.split_once('/')?;
    let path = path.split('?').next().unwrap_or(path).trim_matches('/');
    let path = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect::<Vec<_>>()
        .join("/");
    if path.is_empty() {
        return None;
    }
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
    Some((
        if is_file {
            path
        } else {
            format!("{path}/index.html")
        },
        anchor,
    ))
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
    body.push_str("<ul class=\"codes\">\n");
    for problem in &api.problems {
        let record = &problem.record;
        let words = format!(
            "{} {} {} {} {}",
            record.code, record.status, record.title, record.summary, record.detail
        );
        page::put(
            &mut body,
            format_args!(
                "<li data-words=\"{}\"><a href=\"{}\"><code>{}</code></a> {} <span class=\"meta\">({})</span></li>\n",
                escape(&super::one_line(&words.to_lowercase())),
                escape(&page_of(&record.code)),
                escape(&record.code),
                escape(&record.title),
                record.status
            ),
        );
    }
    body.push_str("</ul>\n<p id=\"none\" class=\"meta\" hidden>Nothing fits.</p>\n");
    body.push_str(SEARCH);
    body
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
field.value = decodeURIComponent(location.hash.slice(1));
search();
</script>
"#;

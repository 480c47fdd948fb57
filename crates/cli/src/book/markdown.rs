//! A page of the book from Markdown to HTML, with its links rewritten and its sections taken apart for the search.

use std::borrow::Cow;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

/// A rendered page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// Its first heading.
    pub title: String,
    /// The article.
    pub html: String,
    /// Its headings with what stands below each, as plain text.
    pub sections: Vec<Section>,
    /// Where its links lead, as they are written.
    pub links: Vec<String>,
}

/// A heading, and the words below it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Section {
    /// The level: 1 is the title of the page.
    pub level: u8,
    /// The anchor.
    pub id: String,
    /// The heading.
    pub heading: String,
    /// The words, without markup.
    pub text: String,
}

impl Page {
    /// Renders the page at `path` in `docs/`. `is_file` says which other paths are part of the book.
    pub fn render(path: &str, text: &str, is_file: &dyn Fn(&str) -> bool) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        let mut links = Vec::new();
        let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
        let mut out = Vec::with_capacity(events.len());
        let mut rust = false;
        let mut in_heading = false;
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let heading = heading(&events[at..]);
                    let id = unused(&slug(&heading), &sections);
                    sections.push(Section {
                        level: number(*level),
                        id: id.clone(),
                        heading,
                        text: String::new(),
                    });
                    in_heading = true;
                    out.push(Event::Start(Tag::Heading {
                        level: *level,
                        id: Some(CowStr::from(id)),
                        classes: Vec::new(),
                        attrs: Vec::new(),
                    }));
                    continue;
                }
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => {
                    links.push(dest_url.to_string());
                    out.push(Event::Start(Tag::Link {
                        link_type: *link_type,
                        dest_url: CowStr::from(rewritten(path, dest_url, is_file)),
                        title: title.clone(),
                        id: id.clone(),
                    }));
                    continue;
                }
                // Wide tables scroll by themselves, so that the page does not.
                Event::Start(Tag::Table(_)) => {
                    out.push(Event::Html(CowStr::from(
                        "<div class=\"wide\" tabindex=\"0\">",
                    )));
                }
                Event::End(TagEnd::Table) => {
                    out.push(event.clone());
                    out.push(Event::Html(CowStr::from("</div>\n")));
                    continue;
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let language = info.split([',', ' ']).next().unwrap_or_default();
                    rust = language == "rust";
                    out.push(Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(
                        CowStr::from(language.to_owned()),
                    ))));
                    continue;
                }
                Event::End(TagEnd::CodeBlock) => rust = false,
                Event::Text(words) if rust => {
                    let shown = without_hidden(words);
                    say(&mut sections, in_heading, &shown);
                    out.push(Event::Text(CowStr::from(shown)));
                    continue;
                }
                Event::Text(words) | Event::Code(words) => say(&mut sections, in_heading, words),
                Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell)
                | Event::SoftBreak
                | Event::HardBreak => say(&mut sections, in_heading, " "),
                _ => {}
            }
            out.push(event.clone());
        }
        let mut html = String::with_capacity(text.len() * 2);
        html::push_html(&mut html, out.into_iter());
        // The policy of the site allows no style on an element.
        for side in ["left", "center", "right"] {
            let style = format!("style=\"text-align: {side}\"");
            html = html.replace(&style, &format!("class=\"{side}\""));
        }
        let title = sections
            .first()
            .map_or_else(|| path.to_owned(), |section| section.heading.clone());
        Self {
            title,
            html,
            sections,
            links,
        }
    }
}

fn say(sections: &mut [Section], in_heading: bool, words: &str) {
    if let (false, Some(section)) = (in_heading, sections.last_mut()) {
        section.text.push_str(words);
    }
}

/// The words of the heading that these events start with.
fn heading(events: &[Event<'_>]) -> String {
    events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
        .filter_map(|event| match event {
            Event::Text(words) | Event::Code(words) => Some(words.as_ref()),
            _ => None,
        })
        .collect()
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The anchor of a heading, as GitHub makes it.
pub(super) fn slug(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

fn unused(slug: &str, sections: &[Section]) -> String {
    let is_free = |id: &str| sections.iter().all(|section| section.id != id);
    if is_free(slug) {
        return slug.to_owned();
    }
    // One more than there are is surely free.
    (1..=sections.len())
        .map(|number| format!("{slug}-{number}"))
        .find(|id| is_free(id))
        .unwrap_or_default()
}

/// The lines of an example that readers of the rendered documentation see.
fn without_hidden(code: &str) -> String {
    code.split_inclusive('\n')
        .filter(|line| {
            let line = line.trim();
            line != "#" && !line.starts_with("# ")
        })
        .collect()
}

/// Where a page or file of the book is on the site.
pub fn address(path: &str) -> String {
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.html"),
        None => match path.strip_suffix(".md") {
            Some(name) => format!("{name}.html"),
            None => path.to_owned(),
        },
    }
}

/// Where a link leads on the site. What is not part of the book is in the repository.
fn rewritten(from: &str, link: &str, is_file: &dyn Fn(&str) -> bool) -> String {
    if link.starts_with('#') || link.contains("://") || link.starts_with("mailto:") {
        return link.to_owned();
    }
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (link, String::new()),
    };
    match resolve(from, path) {
        Some(target) if is_file(&target) => format!("{}{anchor}", address(path)),
        Some(target) if is_file(&format!("{target}/README.md")) => {
            format!("{}/index.html{anchor}", path.trim_end_matches('/'))
        }
        Some(target) => format!("{}docs/{target}{anchor}", repository()),
        None => format!("{}{}{anchor}", repository(), path.trim_start_matches("../")),
    }
}

fn repository() -> Cow<'static, str> {
    Cow::Owned(format!("{}/blob/main/", env!("CARGO_PKG_REPOSITORY")))
}

/// The path in `docs/` that a relative link leads to. `None` if it leads out of the folder.
pub(super) fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(path: &str, text: &str) -> Page {
        Page::render(path, text, &|path| {
            ["a.md", "rules/README.md", "rules/b.md", "schema/x.json"].contains(&path)
        })
    }

    #[test]
    fn links_lead_to_pages_of_the_site_or_to_the_repository() {
        for (from, link, expected) in [
            ("README.md", "a.md", "a.html"),
            ("rules/b.md", "../a.md#top", "../a.html#top"),
            ("a.md", "rules/README.md", "rules/index.html"),
            ("a.md", "rules/", "rules/index.html"),
            ("a.md", "schema/x.json", "schema/x.json"),
            ("a.md", "#here", "#here"),
            ("a.md", "https://example.com/", "https://example.com/"),
            (
                "a.md",
                "../crates/cli",
                "https://github.com/aon-rs/aon/blob/main/crates/cli",
            ),
            (
                "rules/b.md",
                "../../README.md",
                "https://github.com/aon-rs/aon/blob/main/README.md",
            ),
        ] {
            let page = render(from, &format!("[x]({link})"));
            let wanted = format!("<a href=\"{expected}\">");
            assert!(page.html.contains(&wanted), "{link}: {}", page.html);
            assert_eq!(page.links, [link]);
        }
    }

    #[test]
    fn headings_have_anchors_and_sections_their_words() {
        let page = render(
            "a.md",
            "# The `aon` page\n\nOne *two*.\n\n## Again\n\n## Again\n\nThree\n",
        );
        assert_eq!(page.title, "The aon page");
        let ids: Vec<_> = page.sections.iter().map(|section| &section.id).collect();
        assert_eq!(ids, ["the-aon-page", "again", "again-1"]);
        assert_eq!(page.sections[0].text.trim(), "One two.");
        assert_eq!(page.sections[2].text.trim(), "Three");
        assert!(page.html.contains("<h2 id=\"again-1\">"), "{}", page.html);
    }

    #[test]
    fn lines_that_rustdoc_hides_are_hidden() {
        let page = render(
            "a.md",
            "```rust,no_run\n# use x;\n#[derive(Debug)]\nstruct A;\n#\n```\n",
        );
        assert!(!page.html.contains("use x"), "{}", page.html);
        assert!(page.html.contains("#[derive(Debug)]"), "{}", page.html);
        assert!(
            page.html.contains("class=\"language-rust\""),
            "{}",
            page.html
        );
    }
}

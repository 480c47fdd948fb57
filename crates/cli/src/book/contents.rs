//! The table of contents: what the first page lists.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

/// The order of the book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The parts, in order.
    pub groups: Vec<Group>,
}

/// A part of the book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// Its heading.
    pub title: String,
    /// Its pages.
    pub items: Vec<Item>,
}

/// A page in the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// What the contents call it.
    pub title: String,
    /// Its path in `docs/`.
    pub path: String,
}

impl Contents {
    /// Reads the contents from the first page: a heading of the second level begins a part, and the first link of a list item is
    /// a page.
    pub fn read(text: &str) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let (mut heading, mut linked) = (false, true);
        let mut link: Option<Item> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Heading {
                    level: HeadingLevel::H2,
                    ..
                }) => {
                    groups.push(Group::default());
                    heading = true;
                }
                Event::End(TagEnd::Heading(_)) => heading = false,
                Event::Start(Tag::Item) => linked = false,
                Event::Start(Tag::Link { dest_url, .. }) if !linked => {
                    linked = true;
                    link = Some(Item {
                        title: String::new(),
                        path: dest_url.to_string(),
                    });
                }
                Event::End(TagEnd::Link) => {
                    if let (Some(item), Some(group)) = (link.take(), groups.last_mut()) {
                        group.items.push(item);
                    }
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some(item) = &mut link {
                        item.title.push_str(&words);
                    } else if heading && let Some(group) = groups.last_mut() {
                        group.title.push_str(&words);
                    }
                }
                _ => {}
            }
        }
        Self { groups }
    }

    /// All pages in order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.groups.iter().flat_map(|group| &group.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_headings_and_pages_are_the_first_links_of_items() {
        let contents = Contents::read(
            "# Book\n\n[not in a list](x.md)\n\n## Start\n\n- [The `aon` way](a.md): see [b](b.md)\n- words\n\n## More\n\n- [C](c/README.md)\n",
        );
        let titles: Vec<_> = contents.groups.iter().map(|group| &group.title).collect();
        assert_eq!(titles, ["Start", "More"]);
        let items: Vec<_> = contents
            .items()
            .map(|item| (item.title.as_str(), item.path.as_str()))
            .collect();
        assert_eq!(items, [("The aon way", "a.md"), ("C", "c/README.md")]);
    }
}

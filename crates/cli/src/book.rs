//! The book: everything in `docs/`, carried by the program, as text and as a site.
//!
//! The files are packed into `book.txt`, because a package may only hold what lies in its own folder. `cargo regen` writes it.

mod contents;
mod markdown;
mod search;
mod site;

pub use contents::{Contents, Group, Item};
pub use markdown::{Page, Section, address};
pub(crate) use site::POLICY;
pub use site::{SiteFile, site};

/// All files, one behind the other.
const PACKED: &str = include_str!("../book.txt");

/// What stands around the path before each file.
const MARK: (&str, &str) = ("<!-- file: ", " -->\n");

/// Puts files into one text: path in `docs/`, and contents.
pub fn pack(files: &[(String, String)]) -> String {
    let mut packed = String::new();
    for (path, text) in files {
        packed.push_str(MARK.0);
        packed.push_str(path);
        packed.push_str(MARK.1);
        packed.push_str(text);
        if !text.ends_with('\n') {
            packed.push('\n');
        }
    }
    packed
}

/// Every file of the book: its path in `docs/`, and its text.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    PACKED
        .split(MARK.0)
        .skip(1)
        .filter_map(|part| part.split_once(MARK.1))
}

/// Every page in Markdown: its path in `docs/`, and its text.
pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    files().filter(|(path, _)| is_page(path))
}

/// Whether a file of the book is a page; the others are what pages show or link to.
pub fn is_page(path: &str) -> bool {
    path.strip_suffix(".md").is_some()
}

/// What a page is called on the command line: its path without the ending.
pub fn name(path: &str) -> &str {
    let name = path.trim_end_matches(".md");
    match name {
        "README" => "index",
        _ => name.trim_end_matches("/README"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let all: Vec<(String, String)> = files()
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect();
        assert!(all.len() > 60, "{} files", all.len());
        assert!(pages().any(|(path, _)| path == "README.md"));
        assert_eq!(pack(&all), PACKED);
    }

    #[test]
    fn pages_have_short_names() {
        assert_eq!(name("README.md"), "index");
        assert_eq!(name("rules/README.md"), "rules");
        assert_eq!(name("rules/stale-deferral.md"), "rules/stale-deferral");
    }
}

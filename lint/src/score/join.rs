//! Which documents describe one API.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aon_manifest::{Api, Document, Format};
use serde::Deserialize;

use super::card::ApiScore;
use super::group::score_together;
use crate::glob::Files;
use crate::settings::Settings;

/// Says which documents belong together.
///
/// Those that a group in `aon.toml` lists, and those with the same written slug (`slug`, `x-aon-api`). A slug that was only
/// made up from a title or file name joins nothing. Documents of one format that state one slug but different versions are states of an API, and are kept apart.
///
/// ```
/// use aon_lint::score::Join;
/// use aon_manifest::Document;
///
/// let manifest = Document::from_text("shop.aon.yaml", "slug: shop\noperations: []\n");
/// let tools = Document::from_text("tools.json", r#"{"tools": []}"#);
/// let join = Join::default().with_group("shop", ["*.aon.yaml", "tools.json"]);
/// let apis = [manifest.apis(), tools.apis()].concat();
/// let sets = join.sets(&apis.iter().map(|api| join.ticket(api)).collect::<Vec<_>>());
/// assert_eq!(sets[0].members, [0, 1]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Join {
    groups: Vec<(String, Files)>,
}

/// What decides where an API belongs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ticket {
    group: Option<String>,
    slug: Option<String>,
    format: Format,
    version: Option<String>,
}

/// APIs that are scored as one.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Set {
    /// The name that `aon.toml` gives it.
    pub name: Option<String>,
    /// The tickets in it, as indices.
    pub members: Vec<usize>,
}

impl Join {
    /// Adds a group: its name, and the files in it. `*` stands for any part of a name, `**` for any folders.
    #[must_use]
    pub fn with_group<S: Into<String>>(
        mut self,
        name: impl Into<String>,
        files: impl IntoIterator<Item = S>,
    ) -> Join {
        let files = files.into_iter().map(Into::into).collect();
        self.groups.push((name.into(), Files::ending(files)));
        self
    }

    /// Reads the groups of an `aon.toml`; everything else in it is left to others.
    ///
    /// # Errors
    ///
    /// When it is not TOML, or when `[score.groups]` is not a table of names with lists of files.
    ///
    /// ```
    /// use aon_lint::score::Join;
    ///
    /// assert!(Join::from_toml("[score.groups]\nshop = ['shop/*.yaml', 'tools.json']\n").is_ok());
    /// assert!(Join::from_toml("[score.groups]\nshop = 7\n").is_err());
    /// ```
    pub fn from_toml(text: &str) -> Result<Join, InvalidGroups> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Settings {
            groups: BTreeMap<String, Vec<String>>,
        }
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            score: Settings,
        }
        let file: File = toml::from_str(text).map_err(|error| InvalidGroups(error.to_string()))?;
        let groups = file.score.groups.into_iter();
        Ok(groups.fold(Join::default(), |join, (name, files)| {
            join.with_group(name, files)
        }))
    }

    /// What decides where an API belongs; it outlives the document.
    pub fn ticket(&self, api: &Api<'_>) -> Ticket {
        let file = api.node.tree().source().name();
        let group = self.groups.iter().find(|(_, files)| files.has(file));
        let slug = api.slug.map(|slug| slug.as_str().trim().to_owned());
        Ticket {
            group: group.map(|(name, _)| name.clone()),
            slug: slug.filter(|slug| !slug.is_empty()),
            format: api.format,
            version: api.version.map(|version| version.as_str().to_owned()),
        }
    }

    /// Puts together what belongs together. Every ticket is in at least one set.
    pub fn sets(&self, tickets: &[Ticket]) -> Vec<Set> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut slugs: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut sets = Vec::new();
        for (at, ticket) in tickets.iter().enumerate() {
            match (&ticket.group, &ticket.slug) {
                (Some(group), _) => groups.entry(group).or_default().push(at),
                (None, Some(slug)) => slugs.entry(slug).or_default().push(at),
                (None, None) => sets.push(Set {
                    name: None,
                    members: vec![at],
                }),
            }
        }
        sets.extend(groups.into_iter().map(|(name, members)| Set {
            name: Some(name.to_owned()),
            members,
        }));
        for members in slugs.into_values() {
            sets.extend(states(tickets, &members));
        }
        sets
    }
}

/// A configuration whose groups cannot be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidGroups(String);

impl fmt::Display for InvalidGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the groups cannot be read: {}", self.0.trim_end())
    }
}

impl std::error::Error for InvalidGroups {}

/// Scores documents, those that belong together as one.
pub fn score_documents(documents: &[Document], join: &Join, settings: &Settings) -> Vec<ApiScore> {
    let apis: Vec<Api<'_>> = documents.iter().flat_map(Document::apis).collect();
    let tickets: Vec<Ticket> = apis.iter().map(|api| join.ticket(api)).collect();
    let score = |set: Set| {
        let members: Vec<&Api<'_>> = set.members.iter().filter_map(|at| apis.get(*at)).collect();
        let score = score_together(&members, settings);
        match set.name {
            Some(name) => score.with_slug(name),
            None => score,
        }
    };
    join.sets(&tickets).into_iter().map(score).collect()
}

/// One set for each version of the API, when a format describes several.
fn states(tickets: &[Ticket], members: &[usize]) -> Vec<Set> {
    let of = |at: &usize| tickets.get(*at);
    let mut versions: BTreeMap<Format, BTreeSet<Option<&str>>> = BTreeMap::new();
    for ticket in members.iter().filter_map(of) {
        let known = versions.entry(ticket.format).or_default();
        known.insert(ticket.version.as_deref());
    }
    let Some((format, several)) = versions.iter().find(|(_, known)| known.len() > 1) else {
        return vec![Set {
            name: None,
            members: members.to_vec(),
        }];
    };
    let state = |version: Option<&str>| {
        let belongs = |at: &usize| {
            of(at).is_some_and(|ticket| {
                let own = ticket.version.as_deref();
                let same = own == version;
                let matched = versions
                    .get(&ticket.format)
                    .is_some_and(|known| known.len() > 1 && known.contains(&version));
                same || (ticket.format != *format && !matched)
            })
        };
        Set {
            name: None,
            members: members.iter().copied().filter(belongs).collect(),
        }
    };
    several.iter().copied().map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_file(pattern: &str, file: &str) -> bool {
        Files::ending(vec![pattern.to_owned()]).has(file)
    }

    #[test]
    fn patterns_mean_paths_or_their_ends() {
        assert!(is_file("shop/openapi.yaml", "work/shop/openapi.yaml"));
        assert!(is_file("./shop/*.yaml", "shop/openapi.yaml"));
        assert!(is_file("shop/**/card.json", "shop/a/b/card.json"));
        assert!(is_file("shop/**/card.json", "shop/card.json"));
        assert!(!is_file("shop/*.yaml", "shop/a/openapi.yaml"));
        assert!(!is_file("hop/openapi.yaml", "shop/openapi.yaml"));
    }

    #[test]
    fn versions_of_one_format_are_states_and_share_the_other_documents() {
        let ticket = |format, version: &str| Ticket {
            group: None,
            slug: Some("parcels".to_owned()),
            format,
            version: Some(version.to_owned()),
        };
        let tickets = [
            ticket(Format::Native, "1"),
            ticket(Format::Mcp, "0.3"),
            ticket(Format::Native, "2"),
            ticket(Format::OpenApi, "2"),
            ticket(Format::OpenApi, "1"),
        ];
        let sets = Join::default().sets(&tickets);
        let members: Vec<_> = sets.into_iter().map(|set| set.members).collect();
        assert_eq!(members, [vec![0, 1, 4], vec![1, 2, 3]]);
    }
}

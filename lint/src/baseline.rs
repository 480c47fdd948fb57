//! Known findings, each with its tracking issue (contract R4).

use aon_manifest::{Node, ParseOptions, Tree, parse};
use serde::Serialize;

use crate::date::Date;
use crate::finding::Finding;

/// What identifies a finding across edits of the file: rule, file and pointer, not the line.
pub fn fingerprint(finding: &Finding) -> String {
    format!("{}:{}:{}", finding.code, finding.file, finding.pointer)
}

/// A baseline file: findings that are known and tracked.
#[derive(Debug)]
pub struct Baseline {
    tree: Tree,
    entries: Vec<Entry>,
}

/// One known finding.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) pointer: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) issue: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub(crate) expires: Option<Date>,
    /// Its number in the tree of the file.
    #[serde(skip)]
    pub(crate) node: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::ref_option,
    reason = "this is how serde calls it"
)]
fn as_text<S: serde::Serializer>(date: &Option<Date>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&date.map(|date| date.to_string()).unwrap_or_default())
}

impl Baseline {
    /// Reads a baseline; `name` is shown in findings about it.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in one sentence.
    pub fn parse(name: &str, text: &str) -> Result<Baseline, InvalidBaseline> {
        let tree = parse(name, text, &ParseOptions::default());
        if let Some(issue) = tree.issues().first() {
            return Err(InvalidBaseline(issue.to_string()));
        }
        let wrong = |message: &str| InvalidBaseline(format!("{name}: {message}"));
        let mut entries = Vec::new();
        let list = tree
            .root()
            .and_then(|root| root.get("entries"))
            .filter(|list| list.is_array())
            .ok_or_else(|| wrong("there is no list `entries`"))?;
        for entry in list.items() {
            let text = |key: &str| {
                entry
                    .get(key)
                    .map(|node| node.text().to_owned())
                    .unwrap_or_default()
            };
            let expires = match text("expires") {
                empty if empty.is_empty() => None,
                date => Some(
                    date.parse()
                        .map_err(|error: crate::InvalidDate| wrong(&error.to_string()))?,
                ),
            };
            let rule = text("rule");
            if crate::rules::find(&rule).is_none() {
                return Err(wrong(&format!("`{rule}` is not a rule")));
            }
            entries.push(Entry {
                rule,
                file: text("file"),
                pointer: text("pointer"),
                issue: text("issue"),
                reason: text("reason"),
                expires,
                node: entry.index(),
            });
        }
        Ok(Baseline { tree, entries })
    }

    /// The text of a baseline that holds these findings. What an earlier one says about the same finding is kept.
    pub fn write(findings: &[Finding], earlier: Option<&Baseline>, issue: &str) -> String {
        #[derive(Serialize)]
        struct File {
            version: u32,
            entries: Vec<Entry>,
        }
        let entries = findings.iter().map(|finding| {
            let same = |entry: &&Entry| entry.matches(finding);
            let known = earlier.and_then(|earlier| earlier.entries.iter().find(same));
            known.cloned().unwrap_or_else(|| Entry {
                rule: finding.rule.to_owned(),
                file: finding.file.to_string(),
                pointer: finding.pointer.clone(),
                issue: issue.to_owned(),
                reason: String::new(),
                expires: None,
                node: 0,
            })
        });
        let mut entries: Vec<Entry> = entries.collect();
        entries.dedup_by(|a, b| a.rule == b.rule && a.file == b.file && a.pointer == b.pointer);
        let mut text = serde_json::to_string_pretty(&File {
            version: 1,
            entries,
        })
        .unwrap_or_default();
        text.push('\n');
        text
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn node(&self, entry: &Entry) -> Option<Node<'_>> {
        self.tree.node(entry.node)
    }
}

impl Entry {
    pub(crate) fn matches(&self, finding: &Finding) -> bool {
        (self.rule == finding.rule || self.rule.eq_ignore_ascii_case(finding.code))
            && self.file == *finding.file
            && self.pointer == finding.pointer
    }
}

/// Why a file is not a baseline.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidBaseline(String);

impl std::fmt::Display for InvalidBaseline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidBaseline {}

//! `aon.toml`: levels of rules, paths, names, and findings that are set aside with a reason (contract R4).

mod table;

use std::fmt;

use toml::{Table, Value};

use crate::date::Date;
use crate::finding::Finding;
use crate::glob::Files;
use crate::rule::Rule;
use crate::rules;
use crate::settings::{Level, Settings};

pub use self::table::{SETTINGS, Setting};

/// What `aon.toml` says about linting.
///
/// ```
/// use aon_lint::{Config, Level};
///
/// let config = Config::parse("[rules]\nundeclared-choice = \"warning\"\n").unwrap();
/// let rule = aon_lint::rules::find("undeclared-choice").unwrap();
/// assert_eq!(config.settings(None).level(rule), Level::Warning);
///
/// let wrong = Config::parse("[rules]\nundeclared-choise = \"warning\"\n").unwrap_err();
/// assert!(wrong.to_string().contains("did you mean `undeclared-choice`?"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Config {
    levels: Vec<(&'static Rule, Level)>,
    include: Files,
    exclude: Files,
    names: Vec<String>,
    open_names: Vec<String>,
    strict: bool,
    pedantic: bool,
    preview: bool,
    rest_only: Vec<String>,
    ignores: Vec<Ignore>,
}

/// One `[[ignore]]` entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ignore {
    pub(crate) files: Files,
    pub(crate) rules: Vec<&'static Rule>,
    pub(crate) pointers: Vec<String>,
    pub(crate) reason: String,
    pub(crate) issue: String,
    pub(crate) expires: Option<Date>,
    pub(crate) line: u32,
}

impl Config {
    /// Reads the file. Unknown keys are mistakes, because a misspelt key silently does nothing.
    ///
    /// # Errors
    ///
    /// What is wrong first, with the nearest known word.
    pub fn parse(text: &str) -> Result<Config, InvalidConfig> {
        let file: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error
                .span()
                .map(|span| 1 + text.get(..span.start).unwrap_or("").matches('\n').count());
            InvalidConfig {
                place: line.map_or_else(|| "aon.toml".to_owned(), |line| format!("line {line}")),
                message: error.message().to_owned(),
            }
        })?;
        let mut config = Config::default();
        known(&file, "", &[table::keys("").as_slice(), OTHERS].concat())?;
        if let Some(levels) = file.get("rules") {
            for (name, value) in as_table(levels, "rules")? {
                let rule = rule(name, "rules")?;
                let word = value.as_str().unwrap_or("");
                let level = Level::parse(word).ok_or_else(|| {
                    let words: Vec<_> = Level::ALL.iter().map(|level| level.as_str()).collect();
                    InvalidConfig::new(
                        format!("rules.{name}"),
                        format!("is not a level; the levels are {}", words.join(", ")),
                    )
                })?;
                config.levels.push((rule, level));
            }
        }
        if let Some(lint) = file.get("lint") {
            let lint = as_table(lint, "lint")?;
            known(lint, "lint.", &table::keys("lint"))?;
            config.include = Files::new(strings(lint, "include", "lint.")?);
            config.exclude = Files::new(strings(lint, "exclude", "lint.")?);
            config.names = strings(lint, "names", "lint.")?;
            config.open_names = strings(lint, "open-names", "lint.")?;
            config.strict = switch(lint, "strict")?;
            config.pedantic = switch(lint, "pedantic")?;
            config.preview = switch(lint, "preview")?;
        }
        if let Some(score) = file.get("score") {
            let score = as_table(score, "score")?;
            known(score, "score.", &table::keys("score"))?;
            config.rest_only = strings(score, "rest-only", "score.")?;
        }
        if let Some(ignores) = file.get("ignore") {
            let entries = ignores.as_array().ok_or_else(|| {
                InvalidConfig::new("ignore", "should be a list: write [[ignore]]")
            })?;
            let lines: Vec<u32> = entry_lines(text);
            for (at, entry) in entries.iter().enumerate() {
                let mut ignore = read_ignore(entry, &format!("ignore[{at}]"))?;
                ignore.line = lines.get(at).copied().unwrap_or(1);
                config.ignores.push(ignore);
            }
        }
        Ok(config)
    }

    /// The settings it leads to.
    pub fn settings(&self, today: Option<Date>) -> Settings {
        let mut settings = Settings::default()
            .with_strict(self.strict)
            .with_pedantic(self.pedantic)
            .with_preview(self.preview)
            .with_names(self.names.clone())
            .with_open_names(self.open_names.clone())
            .with_rest_only(self.rest_only.clone());
        if let Some(today) = today {
            settings = settings.with_today(today);
        }
        for (rule, level) in &self.levels {
            settings = settings.with_level(rule, *level);
        }
        settings
    }

    /// Whether a file is to be checked. The path is relative to the folder of `aon.toml`, with `/`.
    pub fn includes(&self, path: &str) -> bool {
        (self.include.is_empty() || self.include.has(path)) && !self.exclude.has(path)
    }

    pub(crate) fn ignores(&self) -> &[Ignore] {
        &self.ignores
    }
}

impl Ignore {
    pub(crate) fn covers(&self, finding: &Finding, path: &str) -> bool {
        let rule =
            self.rules.is_empty() || self.rules.iter().any(|rule| rule.code() == finding.code);
        let file = self.files.is_empty() || self.files.has(path);
        let pointer = self.pointers.is_empty()
            || self.pointers.iter().any(|pointer| {
                finding.pointer == *pointer
                    || finding
                        .pointer
                        .strip_prefix(pointer.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
            });
        rule && file && pointer
    }

    /// Whether all files it can stand for were checked: those it names one by one, or simply all.
    pub(crate) fn all_checked(&self, was_checked: &dyn Fn(&str) -> bool) -> bool {
        let plain =
            |pattern: &String| !pattern.contains(['*', '?', '[', '{']) && was_checked(pattern);
        was_checked("") || (!self.files.is_empty() && self.files.patterns().iter().all(plain))
    }
}

fn read_ignore(entry: &Value, place: &str) -> Result<Ignore, InvalidConfig> {
    let entry = as_table(entry, place)?;
    let prefix = format!("{place}.");
    known(entry, &prefix, &table::keys("ignore[]"))?;
    let text = |key: &str| {
        entry
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    let mut rules = Vec::new();
    for name in strings(entry, "rules", &prefix)? {
        rules.push(rule(&name, place)?);
    }
    let files = Files::new(strings(entry, "files", &prefix)?);
    let pointers = strings(entry, "pointers", &prefix)?;
    if files.is_empty() && rules.is_empty() && pointers.is_empty() {
        return Err(InvalidConfig::new(
            place,
            "would set everything aside; name `files`, `rules` or `pointers`",
        ));
    }
    let expires = match entry.get("expires") {
        None => None,
        Some(value) => {
            let written = value
                .as_str()
                .map(str::to_owned)
                .or_else(|| value.as_datetime().map(ToString::to_string))
                .unwrap_or_default();
            let date = written.parse().map_err(|error: crate::InvalidDate| {
                InvalidConfig::new(format!("{prefix}expires"), error.to_string())
            })?;
            Some(date)
        }
    };
    Ok(Ignore {
        files,
        rules,
        pointers,
        reason: text("reason"),
        issue: text("issue"),
        expires,
        line: 1,
    })
}

/// The lines of the `[[ignore]]` headers.
fn entry_lines(text: &str) -> Vec<u32> {
    text.lines()
        .zip(1..)
        .filter(|(line, _)| line.trim_start().starts_with("[[ignore]]"))
        .map(|(_, number)| number)
        .collect()
}

fn rule(name: &str, place: &str) -> Result<&'static Rule, InvalidConfig> {
    rules::find(name).ok_or_else(|| {
        if let Some((_, _, reason)) = rules::RETIRED
            .iter()
            .find(|(code, retired, _)| *code == name || *retired == name)
        {
            return InvalidConfig::new(
                place,
                format!("names the rule `{name}`, which is gone: {reason}"),
            );
        }
        let names = rules::ALL
            .iter()
            .flat_map(|rule| [rule.name(), rule.code()]);
        let hint = aon_core::suggest::nearest(name, names).map_or_else(
            || "`aon-lint --rules` lists the rules".to_owned(),
            |meant| format!("did you mean `{meant}`?"),
        );
        InvalidConfig::new(
            place,
            format!("names `{name}`, which is not a rule; {hint}"),
        )
    })
}

fn known(table: &Table, prefix: &str, keys: &[&str]) -> Result<(), InvalidConfig> {
    for key in table.keys() {
        if !keys.contains(&key.as_str()) {
            let hint = aon_core::suggest::nearest(key, keys.iter().copied()).map_or_else(
                || format!("known are {}", keys.join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            return Err(InvalidConfig::new(
                format!("{prefix}{key}"),
                format!("is not a known key; {hint}"),
            ));
        }
    }
    Ok(())
}

fn as_table<'t>(value: &'t Value, place: &str) -> Result<&'t Table, InvalidConfig> {
    value
        .as_table()
        .ok_or_else(|| InvalidConfig::new(place, "should be a table"))
}

fn strings(table: &Table, key: &str, prefix: &str) -> Result<Vec<String>, InvalidConfig> {
    let wrong = || InvalidConfig::new(format!("{prefix}{key}"), "should be a list of texts");
    match table.get(key) {
        None => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn switch(table: &Table, key: &str) -> Result<bool, InvalidConfig> {
    match table.get(key) {
        None => Ok(false),
        Some(value) => value
            .as_bool()
            .ok_or_else(|| InvalidConfig::new(format!("lint.{key}"), "should be true or false")),
    }
}

/// What is wrong with `aon.toml`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidConfig {
    place: String,
    message: String,
}

impl InvalidConfig {
    fn new(place: impl Into<String>, message: impl Into<String>) -> InvalidConfig {
        InvalidConfig {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for InvalidConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.place, self.message)
    }
}

impl std::error::Error for InvalidConfig {}

/// Tables other commands read.
const OTHERS: &[&str] = &["gen"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_read() {
        let text = "[rules]\nAON201 = \"off\"\n[lint]\ninclude = [\"api/**\"]\nexclude = \"api/old/**\"\nnames = [\"flavour\"]\nstrict = true\n[[ignore]]\nfiles = [\"api/a.yaml\"]\nrules = [\"undeclared-choice\"]\nreason = \"old\"\nissue = \"X-1\"\nexpires = 2026-12-31\n[score]\nrest-only = \"api/old/**\"\n";
        let config = Config::parse(text).unwrap();
        assert!(
            config.includes("api/x.yaml")
                && !config.includes("api/old/x.yaml")
                && !config.includes("x.yaml")
        );
        assert!(config.settings(None).strict());
        assert!(config.settings(None).is_rest_only("api/old/a.yaml"));
        assert_eq!(config.ignores()[0].line, 8);
        assert_eq!(
            config.ignores()[0].expires.unwrap().to_string(),
            "2026-12-31"
        );
    }

    #[test]
    fn mistakes_name_the_nearest_word() {
        for (text, part) in [
            ("[rulez]\n", "did you mean `rules`?"),
            ("[lint]\nincludes = []\n", "did you mean `include`?"),
            ("[rules]\nundeclared-choice = \"warn\"\n", "the levels are"),
            ("[[ignore]]\nreason = \"x\"\n", "everything"),
            (
                "[[ignore]]\nrules = [\"AON101\"]\nexpires = \"soon\"\n",
                "is not a date",
            ),
            ("[lint]\nstrict = \"yes\"\n", "true or false"),
            ("[score]\nrest_only = []\n", "did you mean `rest-only`?"),
            ("a = [", "line 1"),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

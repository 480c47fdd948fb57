//! What a run is told: levels, strictness, extra names, today's date.

use std::collections::BTreeMap;

use crate::date::Date;
use crate::engine::runs_by_default;
use crate::glob::Files;
use crate::rule::Rule;

/// How a run is set up. The default is what `aon-lint` does without a configuration.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    levels: BTreeMap<&'static str, Level>,
    pedantic: bool,
    preview: bool,
    strict: bool,
    names: Vec<String>,
    open_names: Vec<String>,
    rest_only: Files,
    today: Option<Date>,
}

impl Settings {
    /// Gives a rule a level.
    #[must_use]
    pub fn with_level(mut self, rule: &'static Rule, level: Level) -> Settings {
        self.levels.insert(rule.code(), level);
        self
    }

    /// Shows hints as well.
    #[must_use]
    pub fn with_pedantic(mut self, pedantic: bool) -> Settings {
        self.pedantic = pedantic;
        self
    }

    /// Runs rules in preview as well.
    #[must_use]
    pub fn with_preview(mut self, preview: bool) -> Settings {
        self.preview = preview;
        self
    }

    /// Turns warnings into errors and refuses deferrals without a reason.
    #[must_use]
    pub fn with_strict(mut self, strict: bool) -> Settings {
        self.strict = strict;
        self
    }

    /// Further names of choices (`flavour`, `*_flavour`).
    #[must_use]
    pub fn with_names(mut self, names: Vec<String>) -> Settings {
        self.names = names;
        self
    }

    /// Names that are never choices.
    #[must_use]
    pub fn with_open_names(mut self, names: Vec<String>) -> Settings {
        self.open_names = names;
        self
    }

    /// Files of APIs that are meant to stay on REST, so that the score does not ask for parity.
    #[must_use]
    pub fn with_rest_only(mut self, files: Vec<String>) -> Settings {
        self.rest_only = Files::ending(files);
        self
    }

    /// Today's date, for deferrals that expire. Without it nothing expires.
    #[must_use]
    pub fn with_today(mut self, today: Date) -> Settings {
        self.today = Some(today);
        self
    }

    /// The level of a rule.
    pub fn level(&self, rule: &Rule) -> Level {
        self.levels.get(rule.code()).copied().unwrap_or_default()
    }

    /// Whether a rule runs at all.
    pub fn runs(&self, rule: &Rule) -> bool {
        match self.level(rule) {
            Level::Off => false,
            Level::Default => self.preview || runs_by_default(rule),
            Level::Info | Level::Warning | Level::Error => true,
        }
    }

    /// Whether hints are shown.
    pub fn pedantic(&self) -> bool {
        self.pedantic
    }

    /// Whether warnings are errors.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Further names of choices.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names that are never choices.
    pub fn open_names(&self) -> &[String] {
        &self.open_names
    }

    /// Whether a file is of an API that is meant to stay on REST.
    pub fn is_rest_only(&self, file: &str) -> bool {
        self.rest_only.has(file)
    }

    /// Today's date, when it was told.
    pub fn today(&self) -> Option<Date> {
        self.today
    }
}

macro_rules! levels {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// How bad the findings of a rule are.
        #[expect(clippy::exhaustive_enums, reason = "aon.toml knows exactly these words")]
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub enum Level { $($(#[$doc])* $variant,)* }

        impl Level {
            /// All levels.
            pub const ALL: &'static [Level] = &[$(Level::$variant,)*];

            /// The word in `aon.toml`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Level::$variant => $word,)* }
            }

            /// Reads the word.
            pub fn parse(word: &str) -> Option<Level> {
                match word { $($word => Some(Level::$variant),)* _ => None }
            }
        }
    };
}

levels! {
    /// What the family says.
    #[default]
    Default = "default",
    /// Not run.
    Off = "off",
    /// A remark.
    Info = "info",
    /// A warning.
    Warning = "warning",
    /// An error.
    Error = "error",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_parse_back() {
        for level in Level::ALL {
            assert_eq!(Level::parse(level.as_str()), Some(*level));
        }
        assert_eq!(Level::parse("warn"), None);
    }
}
